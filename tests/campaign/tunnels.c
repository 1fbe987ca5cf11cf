/* Fast small bodies and thin walls (docs/theory/passages.md): random points that fly at walls, plates and other points,
 * which they would cross within a small part of a step. Whatever the integrator, a run that captures its events tells
 * each contact that it passes, and with continuous detection it passes none: nothing forces the point, so that it comes
 * back with exactly e times its velocity. */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "run/monitor.h"

enum { RUNS, TOLD, CUT };

typedef enum target { WALL, PLATE, POINT, TARGETS } target;

typedef struct shot {
    target at;
    double x, vx, vy, e; /* starts at (x, 0) and flies towards the origin */
    double thick;        /* half thickness of the wall, distance of the points */
    double aside;        /* of the point that is shot at, in distances */
    double dt;
} shot;

static shot draw(uint64_t *state) {
    shot s = {.at = (target)(TARGETS * campaign_random(state)), .dt = pow(10, campaign_between(state, -4, -1))};
    s.vx = pow(10, campaign_between(state, -1, 3));
    s.x = -campaign_between(state, 0.5, 30) * s.vx * s.dt;
    s.thick = fmin(-s.x / 4, s.vx * s.dt * pow(10, campaign_between(state, -4, 0.5)));
    s.vy = s.at == POINT ? 0 : campaign_between(state, -1, 1) * s.vx;
    s.aside = campaign_between(state, -0.8, 0.8);
    s.e = campaign_random(state) < 0.3 ? 1 : campaign_random(state);
    return s;
}

static void write(const shot *s, const char *integrator, bool continuous, char *text, size_t size) {
    static const char *const gaps[] = {"abs(x) - %.17g", "max(abs(x) - %.17g, abs(y) - 1e9)",
                                       "sqrt((x - z)^2 + (y - w)^2) - %.17g"};
    char gap[120];
    snprintf(gap, sizeof gap, gaps[s->at], s->thick);
    snprintf(
        text, size,
        "carom: 1\nmodel:\n  coordinates: {x: {start: %.17g, velocity: %.17g}, y: {velocity: %.17g}, z: 0, w: {start: "
        "%.17g}}\n  kinetic: (x_dot^2 + y_dot^2 + 3*z_dot^2 + 3*w_dot^2)/2\n  contacts: {it: {gap: \"%s\", "
        "restitution: "
        "%.17g}}\nrun: {integrator: %s, dt: %.17g, until: %.17g%s}\n",
        s->x, s->vx, s->vy, s->aside * s->thick, gap, s->e, integrator, s->dt, s->dt * 40,
        continuous ? ", detection: continuous" : "");
}

/* What the point has to have done by the end. */
static void compare(const shot *s, const double *q, const double *u, const char *who, campaign_case *c) {
    const double zero = 1e-6 * s->vx;
    if (s->at != POINT) {
        if (!(q[0] < 0)) campaign_violation(c, "%s: the point is behind the wall", who);
        if (!(fabs(u[0] + s->e * s->vx) <= zero)) campaign_violation(c, "%s: velocity %g of %g", who, u[0], s->vx);
    } else {
        if (!(fabs(u[0] + 3 * u[2] - s->vx) <= zero)) campaign_violation(c, "%s: momentum %g", who, u[0] + 3 * u[2]);
        if (!(fabs(u[1] + 3 * u[3]) <= zero)) campaign_violation(c, "%s: momentum aside", who);
        if (!(hypot(u[0] - s->vx, u[1]) > 0.1 * s->vx)) campaign_violation(c, "%s: the points did not strike", who);
    }
}

static void shoot(const shot *s, const char *integrator, bool continuous, campaign_case *c) {
    char text[1000];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    write(s, integrator, continuous, text, sizeof text);
    if (campaign_loud) printf("%s\n", text);
    bool ok = !carom_scene_parse(text, strlen(text), "shot", NULL, 0, &scene, &error) &&
              !carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    while (ok && !carom_sim_done(sim)) ok = !carom_sim_step(sim, &error);
    if (ok) {
        const double *u = carom_sim_u(sim), passed = monitor_unseen(sim).count;
        const bool struck = fabs(u[0] - s->vx) > 1e-6 * s->vx;
        c->count[RUNS]++;
        c->count[TOLD] += passed > 0;
        c->count[CUT] += continuous && struck;
        if (continuous) compare(s, carom_sim_q(sim), u, integrator, c);
        if (continuous && passed > 0) campaign_violation(c, "%s: %g contacts passed", integrator, passed);
        if (!struck && passed == 0) campaign_violation(c, "%s: a contact was passed in silence", integrator);
    } else campaign_violation(c, "%s: %s", integrator, error.message);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void judge(uint64_t number, campaign_case *c) {
    static const char *const all[] = {
        "rattle", "lobatto", "nsga", "generalized_alpha", "moreau", "theta", "symmetric_moreau", "variational_moreau"};
    uint64_t state = number;
    const shot s = draw(&state);
    for (int i = 0; i < 8; i++) shoot(&s, all[i], false, c);
    for (int i = 0; i < 6; i++) shoot(&s, all[i], true, c);
}

int main(int argc, char **argv) {
    const campaign tunnels = {.cases = "shots at thin walls",
                              .few = 60,
                              .patience = 60,
                              .count = {"runs", "with contacts passed and told", "continuous, struck"},
                              .judge = judge};
    return campaign_main(&tunnels, argc, argv);
}
