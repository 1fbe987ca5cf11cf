/* How long steps may be (docs/theory/stability.md). A chain of n masses m and n springs k, one end fixed, has the
 * frequencies 2 sqrt(k/m) sin((2j-1) pi/(2 (2n+1))), j = 1..n. Every integrator with a limit x knows the largest before
 * the first step, follows the chain at 0.99 of it, and loses it at 1.01. */
#include "support/draft_text.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MASSES = 6, LONG = 10000 };

static const double pi = 3.14159265358979;

typedef struct scheme {
    const char *name, *options; /* "stages: 4, " */
    double x;                   /* (X4), (X5), (X10) */
    bool strict;                /* takes no joints, and refuses to step beyond (tests/papers/test_multisymplectic.c) */
} scheme;

static const scheme schemes[] = {
    {"moreau", "", 2, false},
    {"symmetric_moreau", "", 2, false},
    {"variational_moreau", "", 2, false},
    {"rattle", "", 2, false},
    {"lobatto", "stages: 2, ", 2, false},
    {"lobatto", "stages: 3, ", 2.8284271247461903, false}, /* sqrt(8) */
    {"lobatto", "stages: 4, ", 3.1127176481632730, false}, /* sqrt(42 - sqrt(1044)) */
    {"multisymplectic", "", 2, true},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static trial begin(const char *model, const scheme *s, double dt) {
    return trial_text("carom: 1\ntitle: x\nmodel:\n%srun: {integrator: %s, %sdt: %.17g, until: %.17g, tolerance: "
                      "1e-9}\n",
                      model, s->name, s->options, dt, dt * LONG);
}

static double number_of(const trial *run) {
    for (int i = 0; i < carom_sim_figures(run->sim); i++) {
        double value;
        if (!strcmp(carom_sim_figure(run->sim, i, &value), "CFL number")) return value;
    }
    return 0;
}

static double measured(const char *model, const scheme *s, double dt) {
    trial run = begin(model, s, dt);
    const double number = number_of(&run);
    trial_close(&run);
    return number;
}

static double energy(const trial *run) {
    const carom_model_def *d = carom_model_get(carom_scene_model(run->scene));
    double T = NAN, V = NAN;
    d->energy(d->context, carom_sim_time(run->sim), carom_sim_q(run->sim), carom_sim_u(run->sim), &T, &V);
    return T + V;
}

/* The largest energy over a long run, relative to that at the start; infinite where a step fails. */
static double swing(const char *model, const scheme *s, double dt, double enough) {
    trial run = begin(model, s, dt);
    const double start = energy(&run);
    double most = 1;
    for (int n = 0; n < LONG && most <= enough; n++) {
        carom_error error = {0};
        if (carom_sim_step(run.sim, &error)) most = INFINITY;
        else most = fmax(most, energy(&run) / start);
    }
    assert_int_equal(carom_sim_substeps(run.sim), 0); /* steps are as long as they are told */
    trial_close(&run);
    return most;
}

/* Energies that a stable motion can reach: at 0.99 of the limit the quadratic form that symplectic Euler keeps,
 * u^2 + omega^2 q^2 - dt omega^2 q u, lies between (1 -+ 0.99) (u^2 + omega^2 q^2). Stoermer and Verlet, with
 * velocities at the nodes, and lobatto have less: 1/(1 - 0.99^2) = 50 and 12. */
static const double SWING = 199 * (1 + 1e-9), LOST = 1e6;

static void holds(const char *what, const char *model, const scheme *s, double limit) {
    const double within = swing(model, s, 0.99 * limit, LOST);
    const double beyond = s->strict ? INFINITY : swing(model, s, 1.01 * limit, LOST);
    printf("%-8s %-18s %-12s limit %.6g: energy up to %.3g at 0.99 of it, %.3g at 1.01\n", what, s->name, s->options,
           limit, within, beyond);
    assert_at_most(within, SWING);
    assert_at_least(beyond, LOST);
}

/* ---------------------------------------------------------------- the chain */

static draft_text draft;

/* With held: the last mass in two halves with a spring a thousand times as stiff between them, and so many joints that
 * make them one mass again. */
static const char *chain(int held, double *omega) {
    const double m = 0.3, k = 7;
    const int masses = MASSES + (held > 0);
    draft.used = 0;
    draft_add(&draft, "  coordinates: {");
    for (int i = 1; i <= masses; i++)
        draft_add(&draft, "%sx%d: {start: %g}", i > 1 ? ", " : "", i, 0.1 * cos(2.0 * (i - (i > MASSES))));
    draft_add(&draft, "}\n  kinetic: 0");
    for (int i = 1; i <= masses; i++) draft_add(&draft, " + %g*x%d_dot^2/2", held && i >= MASSES ? m / 2 : m, i);
    draft_add(&draft, "\n  potential: %g/2*x1^2", k);
    for (int i = 2; i <= masses; i++) draft_add(&draft, " + %g/2*(x%d - x%d)^2", i > MASSES ? 1e3 * k : k, i, i - 1);
    for (int i = 0; i < held; i++)
        draft_add(&draft, "%sj%d: %d*(x%d - x%d)", i ? ", " : "\n  constraints: {", i, i + 1, MASSES, MASSES + 1);
    draft_add(&draft, "%s\n", held ? "}" : "");
    *omega = 2 * sqrt(k / m) * sin((2 * MASSES - 1) * pi / (2 * (2 * MASSES + 1)));
    return draft.text;
}

static void chains(void **state) {
    (void)state;
    for (int held = 0; held <= 2; held++)
        for (int i = 0; i < SCHEMES; i++) {
            const scheme *s = &schemes[i];
            double omega;
            const char *model = chain(held, &omega);
            if (held && s->strict) continue;
            /* Lanczos' method is exact after as many products as there are masses; a direction that is held is 1e9
             * times as heavy, which a part of some 1e-9 of omega can tell */
            assert_near(measured(model, s, 0.01) / (0.01 * omega / s->x), 1, held ? 1e-8 : 1e-12);
            holds(held == 2 ? "doubled" : held ? "joint" : "chain", model, s, s->x / omega);
        }
}

/* ---------------------------------------------------------------- what else has a frequency */

static const scheme *const moreau = &schemes[0], *const rattle = &schemes[3];

/* (X4), (X6): k dt^2 + 2 d dt = 4 for moreau; dampers do not count for the others. */
static void dampers(void **state) {
    (void)state;
    static const double cases[][2] = {{100, 0}, {100, 3}, {100, 200}, {0, 40}};
    for (int i = 0; i < 4; i++) {
        const double k = cases[i][0], d = cases[i][1], limit = 4 / (d + sqrt(d * d + 4 * k));
        char model[200];
        snprintf(model, sizeof model,
                 "  coordinates: {x: {start: 0.1, velocity: 1}}\n  kinetic: x_dot^2/2\n  potential: %g*x^2/2\n"
                 "  dissipation: %g*x_dot^2/2\n",
                 k, d);
        assert_near(measured(model, moreau, 0.01) * limit / 0.01, 1, 1e-12);
        holds("damper", model, moreau, limit);
        for (int j = 1; j < SCHEMES && !schemes[j].strict && k > 0; j++) {
            assert_near(measured(model, &schemes[j], 0.01) / (0.01 * sqrt(k) / schemes[j].x), 1, 1e-12);
            assert_at_most(swing(model, &schemes[j], 0.99 * schemes[j].x / sqrt(k), LOST), SWING);
        }
    }
}

/* All the stiffness of a pendulum on a rod is the force of the rod: omega^2 = g/l. Turned over, nothing vibrates. */
static void tension(void **state) {
    (void)state;
    static const char rod[] = "  coordinates: {x: 0, y: {start: %g}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                              "  potential: 9.81*y\n  constraints: {rod: (x^2 + y^2 - 0.04)/2}\n";
    char model[300];
    snprintf(model, sizeof model, rod, -0.2);
    assert_near(measured(model, rattle, 0.01) / (0.01 * sqrt(9.81 / 0.2) / 2), 1, 1e-8); /* the same */
    snprintf(model, sizeof model, rod, 0.2);
    assert_true(measured(model, rattle, 0.01) == 0);
}

/* A string of n beads m on n + 1 rods l, its end drawn along x by a force F, has the frequencies
 * 2 sqrt(F/(m l)) sin(j pi/(2 (n + 1))). Here its beads are off by 1e-6 at most. */
static const char *string_of_beads(double *omega) {
    const double m = 0.3, F = 7, l = 0.5;
    draft.used = 0;
    draft_add(&draft, "  start: consistent\n  coordinates: {x0: 0, y0: 0, z: {start: %g}", l * (MASSES + 1));
    for (int i = 1; i <= MASSES; i++)
        draft_add(&draft, ", x%d: {start: %g}, y%d: {start: %g}", i, l * i, i, 1e-6 * cos(i * i));
    draft_add(&draft, "}\n  kinetic: %g/2*(z_dot^2", m);
    for (int i = 0; i <= MASSES; i++) draft_add(&draft, " + x%d_dot^2 + y%d_dot^2", i, i);
    draft_add(&draft, ")\n  potential: -%g*z\n  constraints: {x0: x0, y0: y0", F);
    for (int i = 1; i <= MASSES; i++)
        draft_add(&draft, ", r%d: (x%d - x%d)^2 + (y%d - y%d)^2 - %g", i, i, i - 1, i, i - 1, l * l);
    draft_add(&draft, ", e: (z - x%d)^2 + y%d^2 - %g}\n", MASSES, MASSES, l * l);
    *omega = 2 * sqrt(F / (m * l)) * sin(MASSES * pi / (2 * (MASSES + 1)));
    return draft.text;
}

/* How far a bead gets from the line, up to enough. */
static double strum(const char *model, double dt, double enough) {
    trial run = begin(model, rattle, dt);
    const carom_model *m = carom_scene_model(run.scene);
    double most = 0;
    for (int n = 0; n < LONG && most < enough; n++) {
        trial_stride(&run);
        for (int i = 1; i <= MASSES; i++) {
            char name[8];
            snprintf(name, sizeof name, "y%d", i);
            most = fmax(most, fabs(carom_sim_q(run.sim)[carom_model_coordinate(m, name)]));
        }
    }
    trial_close(&run);
    return most;
}

static void strings(void **state) {
    (void)state;
    double omega;
    const char *model = string_of_beads(&omega);
    /* the tension of rods in a row is missed by 1e-9 times the condition of W^T M^-1 W, some (2 (n + 1)/pi)^2 = 20 */
    assert_near(measured(model, rattle, 0.01) / (0.01 * omega / 2), 1, 1e-7);
    assert_at_most(strum(model, 0.99 * 2 / omega, 1e-3), sqrt(SWING * MASSES) * 1e-6);
    assert_at_least(strum(model, 1.01 * 2 / omega, 1e-3), 1e-3);
}

/* M at the initial state, kinematics other than q_dot = u, a spring that pushes beside a weaker one that holds. */
static void models(void **state) {
    (void)state;
    assert_near(measured("  coordinates: {l: {start: 0.5}, phi: 0}\n  kinetic: 3*(l_dot^2 + l^2*phi_dot^2)/2\n"
                         "  potential: 20*(l - 0.5)^2/2 + 30*phi^2/2\n",
                         rattle, 0.01),
                0.01 * sqrt(30 / (3 * 0.25)) / 2, 1e-12);
    assert_near(measured("  coordinates: {x: {start: 1}}\n  velocities: {a: 0}\n  kinematics: {x: 2*a}\n  kinetic: "
                         "a^2/2\n  potential: 50*x^2/2\n",
                         rattle, 0.01),
                0.01 * sqrt(4 * 50) / 2, 1e-12);
    assert_near(measured("  coordinates: {x: 0, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 9*x^2/2 - "
                         "900*y^2/2\n",
                         rattle, 0.01),
                0.01 * 3 / 2, 1e-12);
}

/* ---------------------------------------------------------------- contacts */

/* The chain, released from a stretch that holds its fastest motions, against a stop within their reach: the stop opens
 * and closes with every swing. A spring draws its last mass beyond the stop, so that it always comes back. */
static const char *chain_at_a_stop(double restitution, double *omega) {
    const double m = 0.3, k = 7, pull = 0.05;
    draft.used = 0;
    draft_add(&draft, "  coordinates: {");
    for (int i = 1; i <= MASSES; i++)
        draft_add(&draft, "%sx%d: {start: %g}", i > 1 ? ", " : "", i, 0.11 + 0.1 * cos(2.0 * i));
    draft_add(&draft, "}\n  kinetic: 0");
    for (int i = 1; i <= MASSES; i++) draft_add(&draft, " + %g*x%d_dot^2/2", m, i);
    draft_add(&draft, "\n  potential: %g/2*(x%d + 0.3)^2", pull * k, MASSES);
    for (int i = 2; i <= MASSES; i++) draft_add(&draft, " + %g/2*(x%d - x%d)^2", k, i, i - 1);
    draft_add(&draft, "\n  contacts: {stop: {gap: x1, restitution: %g}}\n", restitution);
    *omega = 2 * sqrt(k / m);
    return draft.text;
}

/* The limit holds with contacts. (X17): what rattle keeps without restitution, u^2 + omega^2 q^2 (1 - (dt omega/2)^2)
 * of all motions, never grows, so that energies stay below 1/(1 - 0.99^2) = 50 times the first one. The others are held
 * to the same as without contacts. */
static void stops(void **state) {
    (void)state;
    static const double restitutions[] = {0, 0.5};
    for (int i = 0; i < SCHEMES; i++)
        for (int j = 0; j < 2 && !schemes[i].strict; j++) {
            double omega;
            const char *model = chain_at_a_stop(restitutions[j], &omega);
            const double limit = 0.01 / measured(model, &schemes[i], 0.01);
            assert_at_least(limit * omega / schemes[i].x, 1); /* the chain is slower than an endless one */
            for (int part = 5; part <= 11; part += 2) {
                const double dt = fmin(0.1 * part, 0.99) * limit, most = swing(model, &schemes[i], dt, LOST);
                printf("stop, e = %g %-18s %-12s energy up to %.3g at %.2g of the limit\n", restitutions[j],
                       schemes[i].name, schemes[i].options, most, dt / limit);
                assert_at_most(most, j == 0 && schemes[i].x == 2 && schemes[i].name[0] == 'r' ? 50.3 : SWING);
            }
        }
}

/* ---------------------------------------------------------------- lobatto */

static double forms(int s, double x, double *o) {
    const double X = x * x;
    switch (s) {
    case 2:
        return *o = 4 - X, -X;
    case 3:
        return *o = (12 - X) / 3, -X * (24 - X) / (3 * (8 - X));
    case 4:
        return *o = (X * X - 84 * X + 720) / (6 * (30 - X)), -X * (60 - X) / (6 * (10 - X));
    default:
        *o = (X * X - 180 * X + 1680) / (10 * (42 - X));
        return -X * (X * X - 220 * X + 6720) / (10 * (X * X - 78 * X + 672));
    }
}

static const char oscillator[] =
    "  coordinates: {q: {start: 1, velocity: 0.3}}\n  kinetic: q_dot^2/2\n  potential: q^2/2\n";

/* (X9): from rest, q_1 = a q_0. The windows of the table: growth in their midst, none between them. */
static void windows(void **state) {
    (void)state;
    char options[40];
    scheme s = {"lobatto", options, 0, false};
    for (int stages = 2; stages <= 5; stages++)
        for (double x = 0.37; x < 8; x += 0.5) {
            double o, e = forms(stages, x, &o);
            snprintf(options, sizeof options, "stages: %d, ", stages);
            trial run = begin("  coordinates: {q: {start: 1}}\n  kinetic: q_dot^2/2\n  potential: q^2/2\n", &s, x);
            trial_step(&run);
            assert_near(carom_sim_q(run.sim)[0], (o + e) / (o - e), 1e-11); /* of numbers up to 30 */
            trial_close(&run);
        }
    static const struct {
        int stages;
        double x;
        bool grows;
    } places[] = {{3, 3.1, true},   {3, 3.5, false},  {3, 4.8, false},  {3, 5, true},      {4, 3.14, true},
                  {4, 3.2, false},  {4, 5.4, false},  {4, 6, true},     {5, 3.1415, true}, {5, 3.13, false},
                  {5, 3.15, false}, {5, 6.3, true},   {5, 7, false},    {5, 8.5, true},    {6, 6.2, false},
                  {6, 6.28, true},  {6, 6.32, false}, {7, 6.28, false}, {7, 6.283, true},  {8, 9.42, true},
                  {10, 12.56, true}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(options, sizeof options, "stages: %d, ", places[i].stages);
        const double most = swing(oscillator, &s, places[i].x, LOST);
        printf("lobatto, %d stages, dt omega = %g: energy up to %.3g\n", places[i].stages, places[i].x, most);
        if (places[i].grows) assert_at_least(most, LOST);
        else assert_at_most(most, SWING);
    }
}

/* The limit is not beyond the first window of growth by a thousandth per step. */
static void many_stages(void **state) {
    (void)state;
    static const double begins[] = {2, 2.82843, 3.11272, 3.14045, 6.25301, 6.28087, 9.40099, 9.42234, 12.54916};
    char options[40];
    scheme s = {"lobatto", options, 0, false};
    for (int stages = 2; stages <= 10; stages++) {
        snprintf(options, sizeof options, "stages: %d, ", stages);
        const double x = 0.01 / measured(oscillator, &s, 0.01);
        assert_at_most(x, begins[stages - 2] * (1 + 1e-5)); /* digits typed */
        assert_at_least(x, begins[stages - 2] * 0.995);
    }
}

/* (X18), (X19): where steps are divided, the energy of a motion changes by a fiftieth at x; it is told before the run.
 */
static void divided(void **state) {
    (void)state;
    static const double x[] = {0.280056, 1.437654, 2.507490, 3.059716};
    double omega, o;
    const char *model = chain_at_a_stop(0, &omega);
    omega = 2 * measured(model, rattle, 0.01) / 0.01;
    for (int s = 2; s <= 5; s++) {
        const double e = forms(s, x[s - 2], &o), ratio = -e * o / (4 * x[s - 2] * x[s - 2]);
        assert_near(fmax(ratio, 1 / ratio), 1.02, 1e-5); /* x has six digits */
        for (int beyond = 0; beyond < 2; beyond++) {
            char options[60];
            snprintf(options, sizeof options, "stages: %d, events: locate, ", s);
            trial run =
                begin(model, &(scheme){"lobatto", options, 0, false}, (beyond ? 1.001 : 0.999) * x[s - 2] / omega);
            const char *note = carom_sim_note(run.sim);
            assert_true(beyond ? note && strstr(note, "steps are divided at events") : !note);
            trial_close(&run);
        }
    }
}

/* ---------------------------------------------------------------- what is said */

static void sentences(void **state) {
    (void)state;
    double omega;
    const char *model = chain(0, &omega);
    for (int i = 0; i < SCHEMES; i++) {
        const scheme *s = &schemes[i];
        if (s->strict) continue;
        trial run = begin(model, s, 1.001 * s->x / omega);
        const char *note = carom_sim_note(run.sim);
        char of[60];
        snprintf(of, sizeof of, " of %s at the initial state", s->name);
        assert_true(note && strstr(note, "exceeds the limit of stability") && strstr(note, of) &&
                    strstr(note, "'x3_dot'"));
        trial_close(&run);
        run = begin(model, s, 0.999 * s->x / omega);
        assert_null(carom_sim_note(run.sim));
        trial_close(&run);
    }
    static const scheme free[] = {{"theta", "", 0, false}, {"nsga", "", 0, false}, {"generalized_alpha", "", 0, false}};
    for (int i = 0; i < 3; i++) {
        trial run = begin(model, &free[i], 100 / omega);
        assert_null(carom_sim_note(run.sim));
        assert_true(number_of(&run) == 0);
        trial_close(&run);
        assert_at_most(swing(model, &free[i], 100 / omega, LOST), i ? SWING : 1 + 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),    cmocka_unit_test(dampers),     cmocka_unit_test(tension),
        cmocka_unit_test(strings),   cmocka_unit_test(models),      cmocka_unit_test(stops),
        cmocka_unit_test(windows),   cmocka_unit_test(many_stages), cmocka_unit_test(divided),
        cmocka_unit_test(sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
