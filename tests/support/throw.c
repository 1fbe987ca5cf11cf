#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"
#include "support/throw.h"

enum { DRAWN = 2000, OWN = 200 }; /* numbers that draw their scheme, and that a scheme after these has */
enum { STEPS = 400, MOST_BODIES = 4, MOST_PLANES = 3, TEXT = 16384 };

/* ---------------------------------------------------------------- drawing a throw */

typedef enum body_kind { BALL, BOX, CAPSULE, DISK, ROD, KINDS } body_kind;

typedef struct throw {
    uint64_t state;
    bool planar, plain; /* plain: neither friction nor loss, as multisymplectic wants it */
    const char *integrator, *options;
    int kind; /* of the run, for the median of its time */
    int bodies, planes;
    double size, speed, dt, gravity[3], normal[MOST_PLANES][3], place[MOST_BODIES][3];
    body_kind body[MOST_BODIES];
    double mu, e;
    bool uniform; /* one mu and e for all contacts */
    char text[TEXT];
    size_t used;
}
throw;

static double between(throw *w, double low, double high) {
    return low + (high - low) * campaign_random(&w->state);
}

static int below(throw *w, int n) {
    return (int)(campaign_random(&w->state) * n);
}

static bool perhaps(throw *w, double share) {
    return campaign_random(&w->state) < share;
}

__attribute__((format(printf, 2, 3))) static void say(throw *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
    if (w->used >= sizeof w->text) abort();
}

static void draw_integrator(throw *w, throw_schemes schemes, uint64_t number) {
    w->kind = below(w, schemes.drawn);
    if (number > DRAWN) w->kind = schemes.drawn + (int)((number - DRAWN - 1) / OWN);
    w->integrator = schemes.all[w->kind].integrator;
    w->options = schemes.all[w->kind].options;
    w->plain = !strcmp(w->integrator, "multisymplectic");
}

/* Coefficients with their extremes: none, that of a corner that holds by itself, rubber, more than anything has. */
static void draw_coefficients(throw *w, double *mu, double *e) {
    static const double friction[] = {0, 0.2, 0.4, 0.8, 1, 1.5, 3, 10}, restitution[] = {0, 0, 0.3, 0.5, 0.8, 1};
    *mu = perhaps(w, 0.7) ? friction[below(w, 8)] : between(w, 0, 2);
    *e = perhaps(w, 0.7) ? restitution[below(w, 6)] : between(w, 0, 1);
    if (w->plain) *mu = 0, *e = 1;
}

/* The floor, a wall, another wall: at right angles or not. Gravity presses into the corner more or less. */
static void draw_planes(throw *w) {
    int most = w->planar ? 2 : MOST_PLANES, up = w->planar ? 1 : 2;
    w->planes = 1 + below(w, most);
    bool upright = perhaps(w, 0.6);
    for (int i = 0; i < w->planes; i++) {
        double *n = w->normal[i], length = 0;
        n[i == 0 ? up : i - 1] = 1;
        for (int k = 0; k < (w->planar ? 2 : 3) && !upright; k++) n[k] += between(w, -0.4, 0.4);
        for (int k = 0; k < 3; k++) length = hypot(length, n[k]);
        for (int k = 0; k < 3; k++) n[k] /= length;
    }
    double pressed = perhaps(w, 0.7) ? 3 : 0;
    for (int k = 0; k < 3; k++) w->gravity[k] = k == up ? -9.81 : -pressed;
    if (w->planar) w->gravity[2] = 0;
}

static bool is_free(const throw *w, int i) {
    const double *x = w->place[i];
    for (int k = 0; k < w->planes; k++) {
        const double *n = w->normal[k];
        if (n[0] * x[0] + n[1] * x[1] + n[2] * x[2] < 1.05 * w->size) return false;
    }
    for (int k = 0; k < i; k++) {
        const double *y = w->place[k];
        if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < 2.05 * w->size) return false;
    }
    return true;
}

static bool draw_place(throw *w, int i) {
    for (int attempt = 0; attempt < 2000; attempt++) {
        double reach = w->size * (4 + attempt / 200);
        for (int k = 0; k < 3; k++) w->place[i][k] = w->planar && k == 2 ? 0 : between(w, 0, reach);
        if (is_free(w, i)) return true;
    }
    return false;
}

/* w->size is the radius of a ball around the body. */
static void say_shape(throw *w, body_kind kind) {
    double r = w->size;
    switch (kind) {
    case BALL:
        say(w, "{sphere: %.6g}", r);
        break;
    case CAPSULE:
        say(w, "{capsule: {radius: %.6g, length: %.6g}}", 0.4 * r, 1.2 * r);
        break;
    case ROD:
        say(w, "{capsule: {radius: %.6g, length: %.6g}}", 0.1 * r, 1.8 * r);
        break;
    case DISK:
        if (w->planar) say(w, "{disk: %.6g}", r);
        else say(w, "{disk: %.6g, points: %d}", r, 3 + below(w, 6));
        break;
    default:
        if (w->planar) say(w, "{box: [%.6g, %.6g]}", between(w, 0.4, 1.4) * r, between(w, 0.4, 1.4) * r);
        else
            say(w, "{box: [%.6g, %.6g, %.6g]}", between(w, 0.3, 1.15) * r, between(w, 0.3, 1.15) * r,
                between(w, 0.3, 1.15) * r);
    }
}

static void say_body(throw *w, int i) {
    const double *x = w->place[i], v = w->speed, spin = v / w->size;
    say(w, "    b%d: {type: %s, mass: %.6g, shape: ", i, w->planar ? "planar" : "spatial",
        exp(between(w, -1.5, 1.5) * perhaps(w, 0.5)));
    say_shape(w, w->body[i]);
    if (w->planar)
        say(w, ", position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g], angular_velocity: %.17g}\n", x[0],
            x[1], between(w, -3, 3), between(w, -v, v / 4), between(w, -v, v / 4), between(w, -spin, spin));
    else
        say(w,
            ", position: [%.17g, %.17g, %.17g], rotation: [%.17g, %.17g, %.17g, %.17g], velocity: [%.17g, %.17g, "
            "%.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n",
            x[0], x[1], x[2], between(w, -1, 1), between(w, -1, 1), between(w, -1, 1), between(w, 0.1, 1),
            between(w, -v, v / 4), between(w, -v, v / 4), between(w, -v, v / 4), between(w, -spin, spin),
            between(w, -spin, spin), between(w, -spin, spin));
}

static void say_surface(throw *w) {
    double mu = w->mu, e = w->e;
    if (!w->uniform) draw_coefficients(w, &mu, &e);
    say(w, "%s: %.6g, restitution: %.6g}\n", w->plain ? "slips: false, friction" : "friction", mu, e);
}

static bool touch_each_other(const throw *w, body_kind a, body_kind b) {
    bool thin[KINDS] = {[BALL] = true, [CAPSULE] = true, [ROD] = true, [DISK] = w->planar};
    bool round[KINDS] = {[BALL] = true, [DISK] = w->planar};
    return (thin[a] && thin[b]) || (round[a] && b == BOX) || (a == BOX && round[b]);
}

static void say_contacts(throw *w) {
    say(w, "  contacts:\n");
    for (int i = 0; i < w->bodies; i++) {
        for (int k = 0; k < w->planes; k++) {
            const double *n = w->normal[k];
            say(w, "    w%d%c: {between: [b%d, {body: world, plane: [%.17g, %.17g", i, 'a' + k, i, n[0], n[1]);
            if (!w->planar) say(w, ", %.17g", n[2]);
            say(w, "]}], ");
            say_surface(w);
        }
        for (int k = 0; k < i; k++)
            if (touch_each_other(w, w->body[i], w->body[k])) {
                say(w, "    p%d%c: {between: [b%d, b%d], ", i, 'a' + k, i, k);
                say_surface(w);
            }
    }
}

static void draw(throw *w, throw_schemes schemes, uint64_t number) {
    static const double sizes[] = {0.01, 0.08, 0.08, 0.3};
    *w = (throw){.state = number};
    draw_integrator(w, schemes, number);
    w->planar = perhaps(w, 0.3);
    w->bodies = perhaps(w, 0.5) ? 1 : 1 + below(w, MOST_BODIES);
    w->size = sizes[below(w, 4)];
    w->speed = between(w, 0.5, 3) * sqrt(9.81 * w->size);
    w->uniform = perhaps(w, 0.7);
    draw_coefficients(w, &w->mu, &w->e);
    draw_planes(w);
    body_kind first = (body_kind)below(w, KINDS);
    bool alike = perhaps(w, 0.5);
    say(w, "carom: 1\nmodel:\n  gravity: [%.6g, %.6g", w->gravity[0], w->gravity[1]);
    if (!w->planar) say(w, ", %.6g", w->gravity[2]);
    say(w, "]\n  bodies:\n");
    for (int i = 0; i < w->bodies; i++) {
        w->body[i] = alike ? first : (body_kind)below(w, KINDS);
        if (!draw_place(w, i)) {
            w->bodies = i;
            break;
        }
        say_body(w, i);
    }
    say_contacts(w);
    w->dt = between(w, 0.005, 0.04) * sqrt(w->size / 9.81); /* of the time in which the body falls by its size */
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i] == ROD) w->dt /= 2; /* friction spins it up to where explicit schemes need short steps */
    say(w, "run: {integrator: %s%s, dt: %.6g, until: %.6g}\n", w->integrator, w->options, w->dt, STEPS * w->dt);
}

/* ---------------------------------------------------------------- judging it */

enum { ABORTS, DIVIDED, CAPTURED, REDUCED, WEAKENED, YIELDS, RESTING, FRICTIONAL, ENERGETIC };

typedef struct judgement {
    const throw *w;
    const carom_model_def *d;
    carom_sim *sim;
    double *c, *s;
    double deepest, fastest; /* gap; velocity of a contact, in any direction */
    double cone, pull;       /* worst of a step, as a part of the largest percussion */
    double energy, gain, kinetic;
    double yielded; /* velocity by which contacts gave way */
    bool finite;
} judgement;

static void see_gaps(judgement *j) {
    const carom_model_def *d = j->d;
    int F = d->ng + d->ngamma + d->contacts, slips = 0;
    d->position(d->context, carom_sim_time(j->sim), carom_sim_q(j->sim), j->c, NULL);
    d->velocity(d->context, carom_sim_time(j->sim), carom_sim_q(j->sim), carom_sim_u(j->sim), j->s, NULL, NULL);
    for (int k = 0; k < d->contacts; k++) {
        double speed = j->s[d->ng + d->ngamma + k];
        for (int i = 0; i < d->contact[k].slips; i++) speed = hypot(speed, j->s[F + slips++]);
        j->fastest = fmax(j->fastest, fabs(speed));
        j->deepest = fmin(j->deepest, j->c[d->ng + k]);
        j->finite = j->finite && isfinite(j->c[d->ng + k]);
    }
}

static void see_cones(judgement *j) {
    const carom_model_def *d = j->d;
    const double *P = carom_sim_percussion(j->sim) + d->ng + d->ngamma;
    double largest = 1e-9 * j->fastest; /* of bodies of about a kilogram */
    for (int k = 0; k < d->contacts; k++) largest = fmax(largest, fabs(P[k]));
    for (int k = 0, slips = 0; k < d->contacts; k++) {
        double friction = 0;
        for (int i = 0; i < d->contact[k].slips; i++) friction = hypot(friction, P[d->contacts + slips++]);
        j->cone = fmax(j->cone, (friction - d->contact[k].friction * fmax(0, P[k])) / largest);
        j->pull = fmax(j->pull, -P[k] / largest);
    }
}

static void see_energy(judgement *j, bool first) {
    double T = 0, V = 0;
    j->d->energy(j->d->context, carom_sim_time(j->sim), carom_sim_q(j->sim), carom_sim_u(j->sim), &T, &V);
    j->finite = j->finite && isfinite(T + V);
    if (first) j->energy = T + V;
    j->kinetic = fmax(j->kinetic, T);
    j->gain = fmax(j->gain, T + V - j->energy);
}

/* An impact dissipates where all contacts have one restitution, friction included: no friction, or no restitution. */
static bool energy_cannot_grow(const throw *w) {
    return w->uniform && (w->mu == 0 || w->e == 0);
}

static bool keeps_positions(const throw *w) {
    return !strcmp(w->integrator, "rattle") || !strcmp(w->integrator, "lobatto") || !strcmp(w->integrator, "nsga") ||
           w->plain;
}

static void judge_motion(const judgement *j, campaign_case *c) {
    const throw *w = j->w;
    double fall = hypot(j->fastest, 9.81 * w->dt);
    /* Schemes that keep positions do so to the tolerance, 1e-10 m/s over dt, and what contacts gave way, which is kept
     * up to a hundred times what they give way in a step, (L6); those that do not notice a gap that closed at the end
     * of the step, and let a body that turns on its edge sink in by as much again and again. */
    double depth = keeps_positions(w) ? 1e-10 + 101 * w->dt * j->yielded : 5 * w->dt * fall;
    if (!j->finite) campaign_violation(c, "not finite");
    if (j->deepest < -depth) campaign_violation(c, "gap %.3g, allowed %.3g", j->deepest, -depth);
    if (j->cone > 1e-6) campaign_violation(c, "cone missed by %.3g", j->cone);
    if (j->pull > 1e-6) campaign_violation(c, "pulls by %.3g", j->pull);
    double part = j->gain / j->kinetic;
    if (energy_cannot_grow(w) && part > 0.05) campaign_violation(c, "energy grows by %.3g of T", part);
    c->count[ENERGETIC] += part > 0.05;
}

static void run(throw *w, const carom_scene *scene, campaign_case *c) {
    carom_error error;
    judgement j = {.w = w, .d = carom_model_get(carom_scene_model(scene)), .finite = true};
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &j.sim, &error)) {
        campaign_violation(c, "refused: %s", error.message);
        return;
    }
    int ns = j.d->ng + j.d->ngamma + j.d->contacts + carom_model_slips(carom_scene_model(scene));
    j.c = calloc((size_t)(j.d->ng + j.d->contacts) + 1, sizeof *j.c);
    j.s = calloc((size_t)ns + 1, sizeof *j.s);
    if (!j.c || !j.s) abort();
    carom_status status = CAROM_OK;
    see_energy(&j, true);
    while (!carom_sim_done(j.sim) && !(status = carom_sim_step(j.sim, &error))) {
        see_gaps(&j);
        see_cones(&j);
        see_energy(&j, false);
    }
    if (status) campaign_violation(c, "%s: %s", w->integrator, error.message);
    c->count[ABORTS] += status != CAROM_OK;
    c->count[DIVIDED] += carom_sim_substeps(j.sim);
    c->count[CAPTURED] += carom_sim_captured(j.sim);
    c->count[REDUCED] += carom_sim_reduced(j.sim);
    double lost, yielded;
    c->count[WEAKENED] += carom_sim_weakened(j.sim, &lost);
    c->count[YIELDS] += carom_sim_yields(j.sim, &yielded);
    if (campaign_loud)
        printf("%d contacts, fastest rebound lost %g, contacts gave way by %g, deepest gap %g\n", j.d->contacts, lost,
               yielded, j.deepest);
    j.yielded = yielded;
    c->kind = MOST_BODIES * w->kind + w->bodies - 1;
    c->size = 1 + j.d->contacts;
    for (int k = 0; k < j.d->contacts; k++)
        if (carom_sim_contact(j.sim, k) != CAROM_OPEN) {
            c->count[RESTING]++;
            break;
        }
    c->count[FRICTIONAL] += w->mu > 0;
    judge_motion(&j, c);
    carom_sim_destroy(j.sim);
    free(j.c);
    free(j.s);
}

static throw_schemes schemes;

static void judge(uint64_t number, campaign_case *c) {
    static throw w;
    carom_error error;
    carom_scene *scene;
    draw(&w, schemes, number);
    if (campaign_loud) puts(w.text);
    if (carom_scene_parse(w.text, w.used, "throw", NULL, 0, &scene, &error)) {
        campaign_violation(c, "scene: %s", error.message);
        return;
    }
    run(&w, scene, c);
    carom_scene_destroy(scene);
}

int throw_main(throw_schemes given, int argc, char **argv) {
    static const campaign throws = {
        .cases = "throws",
        .few = 7,
        .patience = 200,
        .slowest = 10,
        .count = {"aborted", "divided steps", "captured steps", "simpler steps", "impacts without rebound",
                  "steps in which contacts gave way", "end in contact", "with friction",
                  "gained energy by Newton's law"},
        .judge = judge,
    };
    schemes = given;
    return campaign_main(&throws, argc, argv);
}
