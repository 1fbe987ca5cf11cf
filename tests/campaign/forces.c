/* Bodies of every size side by side in one model: masses, lengths and forces from 1e-12 to 1e12, steps from 1e-11 s.
 * Each block has an exact solution; nothing connects it to the others, so that nothing but its own numbers may count.
 *
 * With x = omega dt, N steps to T, and A the amplitude, positions may be off by
 *     A x^p (1 + omega T)                        the order p that the integrator promises; the constants of all of them
 *                                                on an oscillator are 1/2 or less
 *     1e-10 A (1 + omega T)^2                    what Newton's method may leave, (S11): 1e-10 of all velocity changes
 *     64 eps N L (1 + omega T)^2                 round-off of N steps with numbers of size L
 * and velocities by as much times omega. An impact of a captured run is off by a step, and lobatto takes that step with
 * two stages, which all bodies share: x^3 each. Where events are located, what counts as rest is 10 run.tolerance,
 * which is therefore chosen for the slowest ball. */
#include "carom/carom.h"
#include "support/campaign.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 5, STEPS = 200, TEXT = 6000 };

typedef enum kind { PUSH, SWING, DAMPED, PAIR, PENDULUM, BALL, KINDS } kind;

typedef struct block {
    kind kind;
    char name[8];
    double m, A, L;      /* mass, amplitude, size of the coordinates */
    double omega, delta; /* frequency, damping rate */
    double e, tilt;      /* restitution; direction of gravity */
    double ratio, share; /* PAIR: second mass over first, coupling spring over omega^2 min(m) */
} block;

typedef struct scenery {
    block block[BLOCKS];
    int blocks;
    double T, dt;
    int balls;
    double slowest; /* of the balls, when they strike */
    char text[TEXT];
} scenery;

static double any_size(uint64_t *r) {
    return pow(10, campaign_between(r, -12, 12));
}

static block any_block(uint64_t *r, int i, double T, bool conservative) {
    static const kind simple[] = {PUSH, SWING, PAIR, BALL};
    block b = {.kind = conservative ? simple[(int)campaign_between(r, 0, 4)] : (kind)campaign_between(r, 0, KINDS),
               .m = any_size(r),
               .A = any_size(r),
               .omega = pow(10, campaign_between(r, -1, 1)) / T,
               .tilt = campaign_between(r, 0, 6),
               .e = conservative ? 1 : campaign_between(r, 0.6, 1),
               .ratio = pow(10, campaign_between(r, -6, 6)),
               .share = campaign_between(r, 0.1, 1)};
    b.delta = b.omega * campaign_between(r, 0.05, 0.5);
    b.L = b.A;
    if (b.kind == PENDULUM) b.L = b.A * 1e4;
    if (b.kind == BALL)
        b.omega = sqrt(2) / T * campaign_between(r, 1.2, 1.9); /* falls to the ground in sqrt(2)/omega */
    snprintf(b.name, sizeof b.name, "b%d", i);
    return b;
}

/* ---------------------------------------------------------------- exact solutions */

typedef struct state {
    double x, v;
} state;

static state pushed(const block *b, double t) {
    return (state){b->A * (1 + pow(b->omega * t, 2) / 2), b->A * b->omega * b->omega * t};
}

static state damped(const block *b, double t) {
    double w = sqrt(b->omega * b->omega - b->delta * b->delta), c = cos(w * t), s = sin(w * t);
    double decay = b->A * exp(-b->delta * t);
    return (state){decay * (c + b->delta / w * s), -decay * (w + b->delta * b->delta / w) * s};
}

/* m1 = m, m2 = ratio m, springs m_i omega^2 to the ground, share omega^2 min(m) between; released with x1 = A, x2 = 0.
 * The difference swings with omega^2 + k (1/m1 + 1/m2), the centre of mass with omega. */
static state pair(const block *b, double t) {
    double m2 = b->ratio, k = b->share * fmin(1, m2), fast = sqrt(1 + k * (1 + 1 / m2)) * b->omega;
    double centre = b->A / (1 + m2), part = b->A * m2 / (1 + m2);
    return (state){centre * cos(b->omega * t) + part * cos(fast * t),
                   -centre * b->omega * sin(b->omega * t) - part * fast * sin(fast * t)};
}

static double fastest(const block *b) {
    double k = b->share * fmin(1, b->ratio);
    return b->kind == PAIR ? b->omega * sqrt(1 + k * (1 + 1 / b->ratio)) : b->omega;
}

/* g = omega^2 A: at the ground after sqrt(2)/omega, with sqrt(2) A omega */
static state bounced(const block *b, double t) {
    double fall = sqrt(2) / b->omega, g = b->omega * b->omega * b->A, after = t - fall, up = b->e * g * fall;
    if (after < 0) return (state){b->A - g * t * t / 2, -g * t};
    return (state){up * after - g * after * after / 2, up - g * after};
}

static state exact(const block *b, double t) {
    switch (b->kind) {
    case PUSH:
        return pushed(b, t);
    case DAMPED:
        return damped(b, t);
    case PAIR:
        return pair(b, t);
    case BALL:
        return bounced(b, t);
    default:
        return (state){b->A * cos(b->omega * t), -b->A * b->omega * sin(b->omega * t)};
    }
}

/* ---------------------------------------------------------------- scenes */

typedef struct part {
    char text[TEXT / 6];
} part;

typedef struct parts {
    part coordinates, kinetic, potential, dissipation, constraints, contacts;
} parts;

__attribute__((format(printf, 2, 3))) static void say(part *p, const char *format, ...) {
    size_t used = strlen(p->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->text + used, sizeof p->text - used, format, arguments);
    va_end(arguments);
}

/* A pendulum of length L about the direction of gravity, displaced by A across it. */
static void say_pendulum(parts *s, const block *b) {
    const char *n = b->name;
    double c = cos(b->tilt), d = sin(b->tilt), high = sqrt(b->L * b->L - b->A * b->A), g = b->omega * b->omega * b->L;
    say(&s->coordinates, "%s: {start: %.17g}, %sy: {start: %.17g}, ", n, c * high - d * b->A, n, d * high + c * b->A);
    say(&s->kinetic, " + %.17g*(%s_dot^2 + %sy_dot^2)/2", b->m, n, n);
    say(&s->potential, " - %.17g*(%.17g*%s + %.17g*%sy)", b->m * g, c, n, d, n);
    say(&s->constraints, "%sj: sqrt(%s^2 + %sy^2) - %.17g, ", n, n, n, b->L);
}

static void say_block(parts *s, const block *b) {
    const char *n = b->name;
    const double k = b->m * b->omega * b->omega;
    if (b->kind == PENDULUM) {
        say_pendulum(s, b);
        return;
    }
    say(&s->coordinates, "%s: {start: %.17g}, ", n, b->A);
    say(&s->kinetic, " + %.17g*%s_dot^2/2", b->m, n);
    if (b->kind == PUSH) say(&s->potential, " - %.17g*%s", k * b->A, n);
    else if (b->kind == BALL) say(&s->potential, " + %.17g*%s", k * b->A, n);
    else say(&s->potential, " + %.17g*%s^2/2", k, n);
    if (b->kind == DAMPED) say(&s->dissipation, " + %.17g*%s_dot^2/2", 2 * b->m * b->delta, n);
    if (b->kind == BALL)
        say(&s->contacts, "%sc: {gap: %s, restitution: %.17g, rest: %.3g}, ", n, n, b->e, 1e-9 * b->A * b->omega);
    if (b->kind != PAIR) return;
    say(&s->coordinates, "%sy: {start: 0}, ", n);
    say(&s->kinetic, " + %.17g*%sy_dot^2/2", b->m * b->ratio, n);
    say(&s->potential, " + %.17g*%sy^2/2 + %.17g*(%s - %sy)^2/2", k * b->ratio, n, b->share * fmin(1, b->ratio) * k, n,
        n);
}

static void write_scene(scenery *s) {
    static parts p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < s->blocks; i++) say_block(&p, &s->block[i]);
    snprintf(s->text, sizeof s->text,
             "carom: 1\nmodel:\n  coordinates: {%s}\n  kinetic: 0%s\n  potential: 0%s\n  dissipation: 0%s\n"
             "  constraints: {%s}\n  contacts: {%s}\n",
             p.coordinates.text, p.kinetic.text, p.potential.text, p.dissipation.text, p.constraints.text,
             p.contacts.text);
}

/* ---------------------------------------------------------------- judgement */

typedef struct scheme {
    const char *name, *option;
    int stages;
    bool located;
} scheme;

static const scheme schemes[] = {
    {"moreau", "", 0, false},
    {"symmetric_moreau", "", 0, false},
    {"variational_moreau", "", 0, false},
    {"theta", "", 0, false},
    {"rattle", "", 0, false},
    {"rattle", ", events: locate", 0, true},
    {"nsga", "", 0, false},
    {"lobatto", ", stages: 3", 3, false},
    {"lobatto", ", stages: 5", 5, false},
    {"lobatto", ", stages: 3, events: locate", 3, true},
    {"multisymplectic", "", 0, false},
    {"generalized_alpha", "", 0, false},
};

static carom_promise promise_of(const scheme *s) {
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(carom_integrator(i)->name, s->name)) return carom_integrator(i)->promise;
    return (carom_promise){0};
}

/* What a coordinate may be off by, over the length A, or its velocity over A omega. */
static double bound(const scenery *s, const scheme *with, const block *b, bool velocity) {
    carom_promise p = promise_of(with);
    int order = velocity ? p.velocity_order : p.order;
    if (b->kind == PENDULUM) order = p.joint_order;
    if (with->stages) order = 2 * with->stages - 2;
    double omega = fastest(b), x = omega * s->dt, turns = 1 + omega * s->T, truncated = pow(x, order) * turns;
    if (b->kind == BALL && !with->located && p.event_order < 2) truncated = 8 * x;
    if (with->stages > 2 && !with->located) truncated += s->balls * pow(x, 3);
    double nonlinear = b->kind == PENDULUM ? pow(b->A / b->L, 2) * turns : 0;
    return truncated + nonlinear + 1e-10 * turns * turns + 64 * DBL_EPSILON * STEPS * b->L / b->A * turns * turns;
}

/* Gaps below 1e-10 at the start of a located run are closed, and 1e-13 of the largest coordinate in multisymplectic. */
static bool seems_closed(const scenery *s, const scheme *with, const block *b) {
    double largest = 1;
    for (int i = 0; i < s->blocks; i++) largest = fmax(largest, 20 * s->block[i].L);
    if (b->kind != BALL) return false;
    return (with->located && b->A < 1e-9) || (!strcmp(with->name, "multisymplectic") && 1e-13 * largest > 1e-5 * b->A);
}

static void judge_block(const scenery *s, const scheme *with, const block *b, const carom_model *model,
                        const carom_sim *sim, campaign_case *c) {
    int i = carom_model_coordinate(model, b->name);
    double x = carom_sim_q(sim)[i], v = carom_sim_u(sim)[i];
    if (b->kind == PENDULUM) {
        double y = carom_sim_q(sim)[i + 1], w = carom_sim_u(sim)[i + 1];
        double across = cos(b->tilt) * y - sin(b->tilt) * x;
        v = cos(b->tilt) * w - sin(b->tilt) * v, x = across;
    }
    state is = exact(b, carom_sim_time(sim));
    double off = fabs(x - is.x) / b->A, off_v = fabs(v - is.v) / (b->A * fastest(b));
    double may = bound(s, with, b, false), may_v = bound(s, with, b, true);
    if (campaign_loud)
        printf("%-20s%-28s kind %d: %.2e of %.2e, %.2e of %.2e\n", with->name, with->option, b->kind, off, may, off_v,
               may_v);
    c->count[1]++;
    if (!(off <= may) || !(off_v <= may_v))
        campaign_violation(c, "%s%s: kind %d is off by %.2g of %.2g, %.2g of %.2g", with->name, with->option, b->kind,
                           off, may, off_v, may_v);
}

static void judge_run(const scenery *s, const scheme *with, campaign_case *c) {
    static char text[TEXT + 400];
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error = {0};
    snprintf(text, sizeof text, "%srun: {integrator: %s, dt: %.17g, until: %.17g, tolerance: %.17g%s}\n", s->text,
             with->name, s->dt, s->T, with->located && s->balls ? 1e-10 * s->slowest : 1e-10, with->option);
    carom_status status = carom_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (status) {
        if (strcmp(with->name, "multisymplectic")) campaign_violation(c, "%s: %s", with->name, error.message);
        if (campaign_loud) printf("%s: %s\n", with->name, error.message);
        carom_scene_destroy(scene);
        return;
    }
    c->count[0]++;
    for (int n = 0; n < STEPS && !status; n++) status = carom_sim_step(sim, &error);
    if (status) campaign_violation(c, "%s%s: %s", with->name, with->option, error.message);
    for (int i = 0; i < s->blocks && !status; i++)
        if (!seems_closed(s, with, &s->block[i])) judge_block(s, with, &s->block[i], carom_scene_model(scene), sim, c);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t r = number;
    static scenery s;
    bool conservative = campaign_random(&r) < 0.3;
    s.T = pow(10, campaign_between(&r, -8.5, 5));
    s.dt = s.T / STEPS;
    s.blocks = 2 + (int)campaign_between(&r, 0, BLOCKS - 1);
    s.slowest = INFINITY;
    for (int i = 0; i < s.blocks; i++) {
        const block *b = &s.block[i];
        s.block[i] = any_block(&r, i, s.T, conservative);
        if (b->kind == BALL) s.balls++, s.slowest = fmin(s.slowest, b->A * b->omega);
    }
    write_scene(&s);
    if (campaign_loud) printf("%s# T %g, dt %g\n", s.text, s.T, s.dt);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) judge_run(&s, &schemes[i], c);
}

int main(int argc, char **argv) {
    static const campaign forces = {.cases = "scenes with forces of every size",
                                    .few = 30,
                                    .patience = 60,
                                    .count = {"runs", "exact solutions"},
                                    .judge = judge};
    return campaign_main(&forces, argc, argv);
}
