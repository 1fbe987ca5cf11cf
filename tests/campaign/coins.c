/* Coins and cans that are thrown on a floor, located: of all proportions, flat, nearly flat, upright and askew, with
 * and without spin, friction and restitution, by steps from fine to coarse.
 *
 * Forbidden: a run that ends early; a rim below the floor by more than 2e-7 of the size; energy that grows in a step,
 * by more than the second order of the coarsest steps here leaves, 1 % of what there was; without friction, momentum
 * along the floor or spin about the axis that change by more than round-off, 1e-10 of the largest speed. */
#include "carom/carom.h"
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COINS, STEPS, EVENTS, CAPTURED };

static double choose(uint64_t *state, int count, const double *of) {
    return of[(int)(campaign_random(state) * count)];
}
#define CHOOSE(state, ...)                                                                                             \
    choose(state, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

typedef struct coin {
    double r, length, high, axis[3], angle, v[3], w[3], mu, e, dt;
} coin;

static coin toss(uint64_t *state) {
    coin c = {.r = pow(10, campaign_between(state, -2, -0.5))};
    c.length = c.r * pow(10, campaign_between(state, -1.3, 0.7));
    c.high = hypot(c.r, c.length / 2) + CHOOSE(state, 0, 0.05);
    const bool planar = campaign_random(state) < 0.3;
    for (int k = 0; k < 3; k++) {
        c.axis[k] = planar ? k == 1 : campaign_between(state, -1, 1);
        c.w[k] = planar ? (k == 1) * CHOOSE(state, 0, 2, -3) : campaign_between(state, -12, 12);
        c.v[k] = campaign_between(state, -1, 1);
    }
    c.angle = CHOOSE(state, 0, 1e-7, 1e-4, 0.01, 0.3, 1, 2);
    c.mu = CHOOSE(state, 0, 0.2, 0.5, 1), c.e = CHOOSE(state, 0, 0, 0.3, 0.7), c.dt = CHOOSE(state, 1e-2, 3e-3, 1e-3);
    return c;
}

static void write(const coin *c, bool lobatto, char *text, size_t size) {
    snprintf(text, size,
             "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    coin: {type: spatial, mass: 1, shape: "
             "{cylinder: {radius: %.17g, length: %.17g}}, position: [0, 0, %.17g], velocity: [%.17g, %.17g, %.17g], "
             "rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}, angular_velocity: [%.17g, %.17g, %.17g]}\n"
             "  contacts: {all: {among: [coin, {body: world, plane: [0, 0, 1]}], friction: %g, restitution: %g}}\n"
             "run: {integrator: %s, dt: %g, until: 0.5, tolerance: 1e-12, events: locate}\n",
             c->r, c->length, c->high, c->v[0], c->v[1], c->v[2], c->axis[0], c->axis[1], c->axis[2], c->angle, c->w[0],
             c->w[1], c->w[2], c->mu, c->e, lobatto ? "lobatto" : "rattle", c->dt);
}

/* The lowest point of both rims (CF23), about the axis (x, y, z). */
static double lowest(const coin *c, const double *q) {
    const double *p = q + 3, x = 2 * (p[1] * p[3] + p[0] * p[2]), y = 2 * (p[2] * p[3] - p[0] * p[1]);
    const double z = 1 - 2 * (p[1] * p[1] + p[2] * p[2]);
    return q[2] - c->length / 2 * fabs(z) - c->r * hypot(x, y);
}

static double energy(const coin *c, const double *q, const double *u) {
    const double across = (3 * c->r * c->r + c->length * c->length) / 12, spin = c->r * c->r / 2;
    return (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + across * (u[3] * u[3] + u[4] * u[4]) + spin * u[5] * u[5]) / 2 +
           9.81 * q[2];
}

static void follow(const coin *c, carom_sim *sim, campaign_case *x, carom_error *error) {
    const double *q = carom_sim_q(sim), *u = carom_sim_u(sim), fastest = 12;
    double before = energy(c, q, u);
    bool grew = false, sank = false, pushed = false;
    while (!carom_sim_done(sim)) {
        int events;
        if (carom_sim_step(sim, error)) {
            campaign_violation(x, "t = %g: %s", carom_sim_time(sim), error->message);
            return;
        }
        carom_sim_events(sim, &events);
        x->count[STEPS]++, x->count[EVENTS] += events;
        const double now = energy(c, q, u);
        grew = grew || now > 1.01 * before, before = now;
        sank = sank || lowest(c, q) < -2e-7 * hypot(c->r, c->length / 2);
        pushed = pushed || (c->mu == 0 && (fabs(u[0] - c->v[0]) + fabs(u[1] - c->v[1]) > 1e-10 * fastest ||
                                           c->r * fabs(u[5] - c->w[2]) > 1e-5));
    }
    x->count[CAPTURED] += carom_sim_captured(sim);
    if (grew) campaign_violation(x, "energy grows");
    if (sank) campaign_violation(x, "the rim sinks in");
    if (pushed) campaign_violation(x, "something pushes along the floor");
}

static void judge(uint64_t number, campaign_case *x) {
    uint64_t state = number;
    char text[1500];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    const coin c = toss(&state);
    write(&c, campaign_random(&state) < 0.5, text, sizeof text);
    if (campaign_loud) printf("%s\n", text);
    x->count[COINS]++;
    if (carom_scene_parse(text, strlen(text), "coin", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        campaign_violation(x, "%s", error.message);
    else follow(&c, sim, x, &error);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign coins = {.cases = "coins",
                            .few = 60,
                            .patience = 120,
                            .count = {"coins", "steps", "events", "captured steps"},
                            .judge = judge};
    return campaign_main(&coins, argc, argv);
}
