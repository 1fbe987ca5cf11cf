/* The multisymplectic integrator on masses and rigid bodies (docs/theory/multisymplectic.md): it is what its discrete
 * action says, impacts keep momentum and the energy of the node or of the intervals, resting contacts stay, and what it
 * is not made for it refuses. Where no energy is named, it is that of the default. */
#include "model/difference.h"
#include "model/space.h"
#include "run/sim.h"
#include "scene/scene.h"
#include "support/intervals.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static carom_scene *load_text(const char *model, const char *run) {
    char text[4096], complaint[1200];
    int size = snprintf(text, sizeof text, "carom: 1\n%s%s", model, run);
    assert_true(size > 0 && (size_t)size < sizeof text);
    carom_scene *scene;
    carom_error error;
    if (scene_load_text(text, (size_t)size, "scene", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

static trial open_text(const char *model, const char *run) {
    trial t = {.scene = load_text(model, run)};
    carom_error error;
    if (carom_sim_create(carom_scene_model(t.scene), carom_scene_run(t.scene), &t.sim, &error))
        fail_msg("%s", error.message);
    t.row = calloc((size_t)carom_sim_columns(t.sim), sizeof *t.row);
    assert_int_equal(carom_sim_row(t.sim, t.row, &error), CAROM_OK);
    return t;
}

static double figure(const trial *run, const char *name) {
    for (int i = 0; i < carom_sim_figures(run->sim); i++) {
        double value;
        if (!strcmp(carom_sim_figure(run->sim, i, &value), name)) return value;
    }
    fail_msg("no figure '%s'", name);
    return NAN;
}

#define RESTS "intervals with resting contacts"
#define HOLDS "intervals with contacts held at zero gap"
#define GRAZINGS "impacts without an energy root (grazing)"

/* ---------------------------------------------------------------- the discrete action
 * S = sum of h T(v) - h/2 (V(q_k) + V(q_{k+1})), written here in positions alone: a rigid body on springs, at nodes
 * that the scheme has reached, must not change S to first order in any direction of the node between. Frames of SE(3)
 * have the velocities of Cayley's map, (I + X/2)(I - X/2)^-1 with X = h (w^, gamma; 0, 0), from one node to the next.
 */
static const char *const TUMBLER =
    "model:\n"
    "  bodies: {b: {type: spatial, mass: 1.3, inertia: [0.3, 0.5, 0.7], position: [0.2, -0.1, 0.4],\n"
    "               velocity: [0.5, 1, -0.7], angular_velocity: [2, -3, 1]}}\n"
    "  potential: 3*(b.x + 0.4*b.R11 - 0.2)^2 + 2*(b.y + 0.3*b.R22)^4 + b.z^2 + 0.7*b.R13*b.R32\n";

typedef struct action {
    const carom_model_def *d;
    double q[3][7], h, varied[7];
    int direction;
    bool se3;
} action;

static void relative(const double *a, const double *b, double e[4]) { /* conj(a) b */
    e[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        e[1 + i] = a[0] * b[1 + i] - b[0] * a[1 + i] - (a[1 + j] * b[1 + k] - a[1 + k] * b[1 + j]);
    }
}

static double lagrangian(const action *s, const double *a, const double *b) {
    static const double J[3] = {0.3, 0.5, 0.7}, u[6] = {0};
    double e[4], A[3][3], T = 0, V[2] = {0}, v[3], w[3], own[3], turned[3];
    relative(a + 3, b + 3, e);
    for (int i = 0; i < 3; i++) v[i] = (b[i] - a[i]) / s->h, w[i] = 2 * e[1 + i] / e[0] / s->h;
    if (s->se3) { /* gamma = (I - h w^/2) A^T v */
        space_rotation(a + 3, A);
        space_transposed_times(A, v, own);
        space_cross(w, own, turned);
        for (int i = 0; i < 3; i++) v[i] = own[i] - s->h / 2 * turned[i];
    }
    for (int i = 0; i < 3; i++) T += 0.5 * 1.3 * v[i] * v[i] + 0.5 * J[i] * w[i] * w[i];
    assert_int_equal(s->d->energy(s->d->context, 0, a, u, NULL, &V[0]), 0);
    assert_int_equal(s->d->energy(s->d->context, 0, b, u, NULL, &V[1]), 0);
    return s->h * T - s->h / 2 * (V[0] + V[1]);
}

static int varied_action(void *context, double x, double *S) {
    action *s = context;
    double *q = s->varied, *p = q + 3;
    memcpy(q, s->q[1], sizeof s->q[1]);
    if (s->direction < 3) {
        q[s->direction] += x;
    } else { /* p o (1, x/2 along an axis of the body) */
        int i = s->direction - 3, j = (i + 1) % 3, k = (i + 2) % 3;
        const double p0[4] = {p[0], p[1], p[2], p[3]}, e = x / 2, scale = 1 / sqrt(1 + e * e);
        p[0] = scale * (p0[0] - p0[1 + i] * e);
        p[1 + i] = scale * (p0[1 + i] + p0[0] * e);
        p[1 + j] = scale * (p0[1 + j] + p0[1 + k] * e);
        p[1 + k] = scale * (p0[1 + k] - p0[1 + j] * e);
    }
    *S = lagrangian(s, s->q[0], q) + lagrangian(s, q, s->q[2]);
    return 0;
}

static void follow_action(bool se3) {
    trial run = open_text(TUMBLER, se3 ? "run: {integrator: multisymplectic, dt: 0.03, until: 1, frames: se3}\n"
                                       : "run: {integrator: multisymplectic, dt: 0.03, until: 1}\n");
    action s = {.d = carom_model_get(carom_scene_model(run.scene)), .h = 0.03, .se3 = se3};
    double work[64], worst = 0;
    assert_true(difference_work(1) <= 64);
    for (int n = 0; !carom_sim_done(run.sim); n++) {
        memmove(s.q[0], s.q[1], 2 * sizeof s.q[0]);
        memcpy(s.q[2], carom_sim_q(run.sim), sizeof s.q[2]);
        trial_stride(&run);
        for (s.direction = 0; n > 1 && s.direction < 6; s.direction++) {
            double d, error;
            difference(varied_action, &s, 1, 1e-2, NULL, work, &d, &error);
            assert_at_most(error, 1e-9);
            worst = fmax(worst, fabs(d));
        }
    }
    print_message("dS <= %.1e\n", worst);
    assert_at_most(worst, 1e-9); /* momenta are of order one, differences good to 1e-10 */
    trial_close(&run);
}

static void follows_the_discrete_action(void **state) {
    (void)state;
    follow_action(false);
    follow_action(true);
}

/* ---------------------------------------------------------------- energy of impacts */

/* Without force nothing but reflections happens: every one must keep the speed. 1e4 of them, each to round-off. */
static void walls_keep_the_energy(void **state) {
    (void)state;
    static const char *const runs[] = {
        "run: {integrator: multisymplectic, dt: 0.113, until: 5900}\n",
        "run: {integrator: multisymplectic, energy: interval, dt: 0.113, until: 5900}\n"};
    for (int i = 0; i < 2; i++) {
        trial run = open_text("model:\n  bodies: {m: {type: point, mass: 2, position: [0.3], velocity: [1.7]}}\n"
                              "  contacts: {left: {gap: m.x, restitution: 1}, right: {gap: 1 - m.x, restitution: 1}}\n",
                              runs[i]);
        const double E = trial_value(&run, "E");
        trial_finish(&run);
        assert_at_least(figure(&run, "impacts"), 10000);
        assert_near(trial_value(&run, "E"), E, 1e-10 * E);
        trial_close(&run);
    }
}

/* A ball that bounces under gravity, five times in a second, dt = 1e-3. */
typedef struct bouncing {
    double change; /* of E, the largest, relative */
    double bounces;
} bouncing;

static bouncing bounce(const char *scheme, double until) {
    char run_text[160];
    snprintf(run_text, sizeof run_text, "run: {integrator: %s, dt: 1e-3, until: %g, tolerance: 1e-13}\n", scheme,
             until);
    trial run = open_text("model:\n  bodies: {m: {type: point, mass: 1, position: [0.05]}}\n  gravity: [-9.81]\n"
                          "  contacts: {base: {gap: m.x, restitution: 1}}\n",
                          run_text);
    const double E = 9.81 * 0.05;
    bouncing b = {0};
    double before = 0;
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        const double x = carom_sim_q(run.sim)[0], v = carom_sim_u(run.sim)[0];
        assert_at_least(x, -1e-12);
        b.change = fmax(b.change, fabs((v * v / 2 + 9.81 * x) / E - 1));
        b.bounces += before < 0 && v > 0;
        before = v;
    }
    print_message("%-34s %6.0f bounces, E within %.1e\n", scheme, b.bounces, b.change);
    trial_close(&run);
    return b;
}

/* Velocities at the nodes are those of the parabola, whatever the lengths of intervals. By default an impact keeps
 * T + V there: nothing is left but round-off, 1e4 times that of a contact time, 1e-16, times g v. The energy of
 * an interval is the true one less m g^2 h^2/8. With (Y7) an impact that divides a step into h_1 and h_2 changes the
 * true one by m g^2 (h_2^2 - h_1^2)/8: up or down, by chance. Over n impacts that is a walk of n steps with a standard
 * deviation of m g^2 dt^2/8/sqrt(3) each, and its largest excursion has twice the chances of its end. */
static void bounces_under_gravity(void **state) {
    (void)state;
    const double step = 9.81 * 9.81 * 1e-6 / 8 / sqrt(3) / (9.81 * 0.05);
    bouncing kept = bounce("multisymplectic", 2100), walk = bounce("multisymplectic, energy: interval", 2100);
    assert_at_least(fmin(kept.bounces, walk.bounces), 10000);
    assert_at_most(kept.change, 1e-10);
    assert_at_most(walk.change, 5 * step * sqrt(walk.bounces)); /* five standard deviations */
    assert_at_least(walk.change, 1e-8);                         /* it walks: one that did not would not be (Y7) */
}

/* Hops that are shorter than a step are followed one by one, along the exact parabolas: the motion has the period
 * 2 sqrt(2 h/g). Those that are shorter than a hundredth of it are not, and the run says so. */
static void hops_within_a_step(void **state) {
    (void)state;
    const double g = 9.81, h = 0.05, period = 2 * sqrt(2 * h / g), dt[] = {0.21, 0.37, 1.9, 7.3};
    for (int i = 0; i < 4; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  bodies: {m: {type: point, mass: 1, position: [0.05]}}\n"
                               "  gravity: [-9.81]\n  contacts: {base: {gap: m.x, restitution: 1}}\n"
                               "run: {integrator: multisymplectic, dt: %g, until: 100}\n",
                               dt[i]);
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            const double since = remainder(carom_sim_time(run.sim), period), x = carom_sim_q(run.sim)[0];
            assert_near(x, h - g * since * since / 2, 1e-10); /* 500 hops, each after 1e-13 of a gap over v = 1 */
        }
        assert_int_equal((int)figure(&run, "impacts"), (int)(carom_sim_time(run.sim) / period + 0.5));
        assert_true(figure(&run, HOLDS) == 0 && figure(&run, RESTS) == 0 && carom_sim_captured(run.sim) == 0);
        trial_close(&run);
    }
    trial run = open_text("model:\n  bodies: {m: {type: point, mass: 1, position: [0], velocity: [0.01]}}\n"
                          "  gravity: [-9.81]\n  contacts: {base: {gap: m.x, restitution: 1}}\n",
                          "run: {integrator: multisymplectic, dt: 0.1, until: 0.3}\n"); /* hops of 2 v/g = 0.002 */
    trial_finish(&run);
    assert_true(carom_sim_captured(run.sim) == 0 && figure(&run, "impacts") > 100);
    trial_close(&run);
    run = open_text("model:\n  bodies: {m: {type: point, mass: 1, position: [1e-4], velocity: [0]}}\n"
                    "  gravity: [-9.81]\n  contacts: {base: {gap: m.x, restitution: 1}}\n",
                    "run: {integrator: multisymplectic, dt: 1, until: 3}\n"); /* hops of 0.009 */
    trial_finish(&run);
    assert_true(carom_sim_captured(run.sim) > 0);
    trial_close(&run);
}

/* Schemes that capture impacts at the end of a step lose or win g v dt in each, of the order of dt. Located impacts
 * keep what the steps keep, here the parabola. */
static void others_bounce(void **state) {
    (void)state;
    assert_at_least(bounce("rattle", 210).change, 1e-3);
    assert_at_least(bounce("lobatto", 210).change, 1e-3);
    assert_at_most(bounce("rattle, events: locate", 210).change, 1e-10);
    assert_at_most(bounce("lobatto, events: locate", 210).change, 1e-10);
}

/* Reflection at a located contact with Verlet's steps between is what rattle with located events comes to for a
 * constant mass and q_dot = u, by other code: implicit steps, dense output, a solver. Contact times differ by 1e-13
 * or so, and a motion of six seconds multiplies that by some ten. */
static void node_is_located_rattle(void **state) {
    (void)state;
    static const char *const MASSES =
        "model:\n  coordinates: {x: {start: 0.3, velocity: -1}, y: {start: 1.1}}\n  kinetic: x_dot^2/2 + y_dot^2\n"
        "  potential: (x - 0.5)^4 + 2*(y - x - 0.7)^2 + 0.4*x\n"
        "  contacts: {left: {gap: x, restitution: 1}, right: {gap: 1.4 - y, restitution: 1}}\n";
    trial own = open_text(MASSES, "run: {integrator: multisymplectic, dt: 0.0143, until: 6}\n"),
          other =
              open_text(MASSES, "run: {integrator: rattle, events: locate, dt: 0.0143, until: 6, tolerance: 1e-14}\n");
    double worst = 0;
    while (!carom_sim_done(own.sim)) {
        trial_stride(&own), trial_stride(&other);
        for (int k = 0; k < 2; k++) worst = fmax(worst, fabs(carom_sim_q(own.sim)[k] - carom_sim_q(other.sim)[k]));
    }
    print_message("%g impacts, off by %.1e\n", figure(&own, "impacts"), worst);
    assert_at_least(figure(&own, "impacts"), 4);
    assert_at_most(worst, 1e-11);
    trial_close(&own), trial_close(&other);
}

/* Both conditions have order two across impacts: a mass on a spring, x = cos(3 t) from 1 to the wall at -0.6 and back
 * the same way. Where in a step impacts fall is chance, so errors are means over the run and over nearby steps. */
static double spring_error(const char *energy, double size) {
    enum { NEARBY = 6 };
    const double period = 2 * acos(-0.6) / 3;
    double sum = 0;
    for (int i = 0; i < NEARBY; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: 1}}\n  kinetic: x_dot^2/2\n"
                               "  potential: 9*x^2/2\n  contacts: {wall: {gap: x + 0.6, restitution: 1}}\n"
                               "run: {integrator: multisymplectic, energy: %s, dt: %.17g, until: 4}\n",
                               energy, size * (1 + 0.029 * i));
        double off = 0;
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            off += fabs(carom_sim_q(run.sim)[0] - cos(3 * remainder(carom_sim_time(run.sim), period)));
        }
        sum += off / (double)carom_sim_steps(run.sim) / NEARBY;
        trial_close(&run);
    }
    return sum;
}

static void order_across_impacts(void **state) {
    (void)state;
    static const char *const energies[] = {"node", "interval"};
    for (int i = 0; i < 2; i++) {
        double dt[4], error[4];
        for (int k = 0; k < 4; k++) dt[k] = 0.08 / (1 << k), error[k] = spring_error(energies[i], dt[k]);
        double order = observed_order(4, dt, error);
        print_message("%s: %.1e ... %.1e, order %.2f\n", energies[i], error[0], error[3], order);
        assert_at_least(order, 1.75); /* two, and noise that the means leave */
    }
}

/* Events hold both energies on both sides, that of the intervals and T + V at the node: the one that impacts are asked
 * to keep is equal to round-off, the other differs. */
static void events_hold_energies(void **state) {
    (void)state;
    static const char *const energies[] = {"interval", "node"};
    for (int i = 0; i < 2; i++) {
        char run_text[160];
        snprintf(run_text, sizeof run_text, "run: {integrator: multisymplectic, energy: %s, dt: 1e-3, until: 1}\n",
                 energies[i]);
        trial run = open_text("model:\n  bodies: {m: {type: point, mass: 1, position: [0.05]}}\n  gravity: [-9.81]\n"
                              "  contacts: {base: {gap: m.x, restitution: 1}}\n",
                              run_text);
        double *row[2] = {malloc((size_t)carom_sim_columns(run.sim) * sizeof *row[0]),
                          malloc((size_t)carom_sim_columns(run.sim) * sizeof *row[1])};
        const int of_interval = trial_column(&run, "E.interval"), of_node = trial_column(&run, "E");
        int count, strikes = 0;
        while (!carom_sim_done(run.sim)) {
            carom_error error;
            trial_stride(&run);
            carom_sim_events(run.sim, &count);
            for (int k = 0; k < count; k++, strikes++) {
                for (int side = 0; side < 2; side++)
                    assert_int_equal(carom_sim_event_row(run.sim, k, side, row[side], &error), CAROM_OK);
                const int kept = i == 0 ? of_interval : of_node, other = i == 0 ? of_node : of_interval;
                assert_near(row[0][kept], row[1][kept], 1e-14); /* round-off of E = 0.49 */
                assert_at_most(fabs(row[0][other] - row[1][other]), 9.81 * 9.81 * 1e-6 / 8);
                assert_at_least(fabs(row[0][other] - row[1][other]), 1e-12); /* h_1 = h_2 to 1e-7 has no chance */
            }
        }
        assert_int_equal(strikes, 5); /* at (2 k - 1) sqrt(2 0.05/9.81) = 0.10 (2 k - 1) */
        free(row[0]), free(row[1]);
        trial_close(&run);
    }
}

/* A box of corners that falls on a plane and tumbles: one impact after the other, often two at once. */
static const char *const BOX =
    "parameters: {a: 0.3, b: 0.2, c: 0.1}\n"
    "model:\n"
    "  bodies: {k: {type: spatial, mass: 2, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0.8],\n"
    "               velocity: [0.5, -0.2, 0], angular_velocity: [1, 2, 3]}}\n"
    "  gravity: [0, 0, -10]\n"
    "  contacts:\n"
    "    c1: {gap: k.z + a*k.R31 + b*k.R32 + c*k.R33, restitution: 1}\n"
    "    c2: {gap: k.z + a*k.R31 + b*k.R32 - c*k.R33, restitution: 1}\n"
    "    c3: {gap: k.z + a*k.R31 - b*k.R32 + c*k.R33, restitution: 1}\n"
    "    c4: {gap: k.z + a*k.R31 - b*k.R32 - c*k.R33, restitution: 1}\n"
    "    c5: {gap: k.z - a*k.R31 + b*k.R32 + c*k.R33, restitution: 1}\n"
    "    c6: {gap: k.z - a*k.R31 + b*k.R32 - c*k.R33, restitution: 1}\n"
    "    c7: {gap: k.z - a*k.R31 - b*k.R32 + c*k.R33, restitution: 1}\n"
    "    c8: {gap: k.z - a*k.R31 - b*k.R32 - c*k.R33, restitution: 1}\n"
    "  symmetries:\n"
    "    px: {k.x: 1}\n"
    "    py: {k.y: 1}\n"
    "    Lz: {k.x: -k.y, k.y: k.x, k.wx: k.R31, k.wy: k.R32, k.wz: k.R33}\n";

/* The energy that a step divided once at h keeps in its impact, and how far it is off: T + V at the node, reached from
 * the state before and, backwards, from the state after; or the energies of the two intervals. */
static double impact_change(trial *run, double *before, const drift *d, double at, bool of_node) {
    if (!of_node) return interval_energy(run->sim, before, d, at - before[STATE_TIME]) - trial_value(run, "E.interval");
    double *after = malloc(carom_sim_state_size(run->sim) * sizeof *after);
    carom_sim_save(run->sim, after);
    double change = node_energy(run->sim, before, d, at - before[STATE_TIME]) -
                    node_energy(run->sim, after, d, at - after[STATE_TIME]);
    free(after);
    return change;
}

static void tumble(const char *run_text, bool of_node) {
    static const char *const maps[3] = {"px", "py", "Lz"};
    const double dt = 1e-3;
    trial run = open_text(BOX, run_text);
    double E = trial_value(&run, "E"), kept[3], worst = 0, strikes = 0;
    double *before = malloc(carom_sim_state_size(run.sim) * sizeof *before);
    drift d;
    carom_error error;
    assert_int_equal(drift_create(&d, run.sim->model, &error), CAROM_OK);
    for (int i = 0; i < 3; i++) kept[i] = trial_value(&run, maps[i]);
    while (!carom_sim_done(run.sim)) {
        int count;
        carom_sim_save(run.sim, before);
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        strikes += count;
        if (count == 1) worst = fmax(worst, fabs(impact_change(&run, before, &d, event[0].time, of_node)));
        for (int k = 1; k <= 8; k++) {
            char gap[] = {'c', (char)('0' + k), '.', 'g', 'a', 'p', 0};
            assert_at_least(trial_value(&run, gap), -1e-12);
        }
    }
    print_message("%g strikes, energy across each within %.1e, at the end %.1e of %g\n", strikes, worst / E,
                  fabs(trial_value(&run, "E") - E) / E, E);
    assert_at_least(strikes, 50);
    assert_at_most(worst, 1e-12 * E); /* round-off of contact times t, 1e-15, times powers of some ten */
    for (int i = 0; i < 3; i++) assert_near(trial_value(&run, maps[i]), kept[i], 1e-11); /* 2e4 steps of round-off */
    /* T(u_k) exceeds T(w) of an interval by up to h^2 (m g^2/8 + T w^2/2), and w^2 is 2 E/J_min at most: an impact that
     * divides a step may move the true energy by that, up or down, a walk. Kept at the node, it moves between impacts
     * only, by a part of that. */
    assert_near(trial_value(&run, "E"), E, dt * dt * (2 * 100. / 8 + E * E / 0.1) * sqrt(strikes));
    drift_destroy(&d);
    free(before);
    trial_close(&run);
}

static void tumbling_box(void **state) {
    (void)state;
    tumble("run: {integrator: multisymplectic, dt: 1e-3, until: 20}\n", true);
    tumble("run: {integrator: multisymplectic, energy: interval, dt: 1e-3, until: 20}\n", false);
}

/* ---------------------------------------------------------------- resting */

static void rest_stays(void **state) {
    (void)state;
    static const char *const models[] = {
        "model:\n  bodies: {m: {type: point, mass: 3, position: [0, 0], velocity: [0.4, 0]}}\n  gravity: [0, -9.81]\n"
        "  contacts: {base: {gap: m.y, restitution: 1}}\n",
        "model:\n  bodies: {m: {type: planar, mass: 3, inertia: 0.2, position: [0, 0]}}\n  gravity: [0, -9.81]\n"
        "  contacts: {left: {gap: m.y - 0.5*sin(m.phi), restitution: 1}, right: {gap: m.y + 0.4*sin(m.phi), "
        "restitution: "
        "1}}\n",
        "model:\n  bodies: {m: {type: point, mass: 3, position: [0, 0]}, o: {type: point, mass: 1, position: [0, 1]}}\n"
        "  gravity: [0, -9.81]\n"
        "  contacts: {lower: {gap: m.y, restitution: 1}, upper: {gap: o.y - m.y - 1, restitution: 1}}\n"};
    for (int n = 0; n < 6; n++) {
        const int i = n % 3;
        trial run =
            open_text(models[i], n < 3 ? "run: {integrator: multisymplectic, dt: 7e-3, until: 70}\n"
                                       : "run: {integrator: multisymplectic, energy: interval, dt: 7e-3, until: 70}\n");
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            const double *q = carom_sim_q(run.sim);
            assert_near(q[1], 0, 1e-12);
            if (i == 1) assert_near(q[2], 0, 1e-12);
            if (i == 2) assert_near(q[3], 1, 1e-12);
        }
        assert_true(figure(&run, RESTS) == 10000 && figure(&run, "impacts") == 0);
        /* the first interval, from u = 0, has nothing to turn round */
        assert_at_most(figure(&run, HOLDS), n < 3 ? 1 : 0);
        assert_int_equal(carom_sim_captured(run.sim), 0);
        trial_close(&run);
    }
}

/* A ball at rest, and one that falls for 0.1 s of 500 steps: it strikes where a step ends, up to round-off, five times
 * in a second. Impulses act at nodes, where they do no work but what the first one does to let the resting ball go with
 * g dt/2, and this is all that E changes by. */
static void impulses_at_the_ends_of_steps(void **state) {
    (void)state;
    static const char *const heights[] = {"0", "0.05"};
    for (int i = 0; i < 2; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  bodies: {ball: {type: point, mass: 1, position: [%s]}}\n"
                               "  gravity: [-10]\n  contacts: {floor: {gap: ball.x, restitution: 1}}\n"
                               "run: {integrator: multisymplectic, dt: 2e-4, until: 1}\n",
                               heights[i]);
        const double E = trial_value(&run, "E");
        trial_finish(&run);
        assert_true(figure(&run, "impacts") == (i ? 5 : 0) && figure(&run, RESTS) == (i ? 0 : 5000));
        /* 5000 round-offs of works of 2e-6 at rest, or of potential energies of 0.5 */
        assert_near(trial_value(&run, "work.impacts"), trial_value(&run, "E") - E, 1e-13);
        trial_close(&run);
    }
}

/* A heap of pairs, more contacts at once than a full matrix is kept for. */
static void many_rest(void **state) {
    (void)state;
    trial run = open_text("model:\n  coordinates: {\"y[i=1..70]\": {start: 0}, \"z[i=1..70]\": {start: 1}}\n"
                          "  kinetic: sum(i=1..70, y_dot[i]^2/2 + z_dot[i]^2)\n"
                          "  potential: sum(i=1..70, 9.81*(y[i] + 2*z[i]))\n"
                          "  contacts: {\"low[i=1..70]\": {gap: \"y[i]\", restitution: 1}, "
                          "\"up[i=1..70]\": {gap: \"z[i] - y[i] - 1\", restitution: 1}}\n",
                          "run: {integrator: multisymplectic, dt: 7e-3, until: 0.14}\n");
    trial_finish(&run);
    for (int i = 0; i < 140; i++) assert_near(carom_sim_q(run.sim)[i], i < 70 ? 0 : 1, 1e-12);
    assert_true(figure(&run, RESTS) == 20 && figure(&run, "impacts") == 0);
    trial_close(&run);
}

/* A mass that is pressed into a curved wall and slides along it is held there at first. One between two walls that
 * close on it strikes them some 800 times, hundreds of times in one step, whose rest is held: a run says so. Both go
 * on, and enter no wall. */
static void never_stalls(void **state) {
    (void)state;
    static const char *const models[] = {
        "model:\n  bodies: {m: {type: point, mass: 1, position: [0, -1], velocity: [1, 0]}}\n  gravity: [0, -3]\n"
        "  contacts: {wall: {gap: 1 - sqrt(m.x^2 + m.y^2), restitution: 1}}\n",
        "model:\n  bodies: {m: {type: point, mass: 1, position: [1, 0], velocity: [-2, 0.1]}}\n"
        "  contacts: {wall: {gap: 0.002*m.x - m.y, restitution: 1}, down: {gap: 0.002*m.x + m.y, restitution: 1}}\n"};
    static const char *const runs[] = {"run: {integrator: multisymplectic, dt: 0.02, until: 5}\n",
                                       "run: {integrator: multisymplectic, energy: interval, dt: 0.02, until: 5}\n"};
    for (int n = 0; n < 4; n++) {
        const int i = n % 2;
        trial run = open_text(models[i], runs[n / 2]);
        const double E = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_at_least(trial_value(&run, "wall.gap"), -1e-12);
            if (i) assert_at_least(trial_value(&run, "down.gap"), -1e-12);
        }
        print_message("%g impacts, %g grazings, %g rests, %g holds, energy %g -> %g\n", figure(&run, "impacts"),
                      figure(&run, GRAZINGS), figure(&run, RESTS), figure(&run, HOLDS), E, trial_value(&run, "E"));
        assert_at_least(figure(&run, HOLDS), 1);
        assert_true((i == 1) == (carom_sim_captured(run.sim) > 0));
        /* A mass that is held as it slides with v = 1 and g = 3 is left with (v^2 + g) dt/2 across the wall. By default
         * nothing else happens to the energy; else as in bounces_under_gravity. */
        const double dt = 0.02, walk = n < 2 ? 0 : 4 * 3 * 3 * dt * dt / 8 / sqrt(3) * sqrt(figure(&run, "impacts"));
        if (i == 0) assert_near(trial_value(&run, "E"), E, walk + figure(&run, HOLDS) * 4 * 4 * dt * dt / 8 * (1 + dt));
        if (i == 1) assert_at_most(trial_value(&run, "E"), E); /* a captured step takes energy, never gives it */
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- refusals */

static void refuse(const char *model, const char *dt, const char *sentence) {
    char run[128];
    snprintf(run, sizeof run, "run: {integrator: multisymplectic, dt: %s, until: 1}\n", dt);
    carom_scene *scene = load_text(model, run);
    carom_sim *sim;
    carom_error error;
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_DATA);
    if (!strstr(error.message, sentence)) fail_msg("'%s' does not say '%s'", error.message, sentence);
    carom_scene_destroy(scene);
}

#define PENDULUM "model:\n  coordinates: {x: {start: 0.6}, y: {start: -0.8}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"

static void says_what_it_is_not_made_for(void **state) {
    (void)state;
    refuse(PENDULUM "  constraints: {rod: x^2 + y^2 - 1}\n", "1e-3",
           "no constraints on position, but the model has 'rod'");
    refuse(PENDULUM "  velocity_constraints: {edge: x_dot - y_dot}\n", "1e-3", "no velocity constraints");
    refuse(PENDULUM "  contacts: {f: {gap: y + 2, slip: x_dot, friction: 0.1, restitution: 1}}\n", "1e-3",
           "knows no friction, but contact 'f'");
    refuse(PENDULUM "  contacts: {f: {gap: y + 2}}\n", "1e-3", "set 'restitution: 1'");
    refuse(PENDULUM "  contacts: {f: {gap: y + 2 - sin(t)/4, restitution: 1}}\n", "1e-3", "moves by itself");
    refuse(PENDULUM "  dissipation: x_dot^2\n", "1e-3", "do not depend on velocities, the one on 'x_dot'");
    refuse(PENDULUM "  forces: {x: cos(3*t)}\n", "1e-3", "do not depend on time, the one on 'x_dot'");
    refuse(PENDULUM "  forces: {x: -y, y: x}\n", "1e-3", "forces of a potential");
    refuse(PENDULUM "  potential: 1e8*x^2/2\n", "1e-3", "exceeds the limit of stability 0.0002 of multisymplectic");
    refuse(PENDULUM "  potential: 1e8*x^2/2 - 4e8*y^2/2\n", "1e-3",
           "exceeds the limit of stability 0.0002 of multisymplectic");
    refuse("model:\n  coordinates: {x: {start: 1}}\n  kinetic: (1 + x^2)*x_dot^2/2\n", "1e-3",
           "a constant mass matrix, that of 'x_dot'");
    refuse("model:\n  coordinates: {x: {start: 1}}\n  velocities: {a: 0}\n  kinematics: {x: 2*a}\n  kinetic: a^2/2\n",
           "1e-3", "'x' moves otherwise");
    refuse("model:\n  beams: {b: {type: spatial, elements: 2, from: [0, 0, 0], to: [1, 0, 0], section: {circle: 0.1}, "
           "young: 1e3, density: 1, mass: consistent}}\n",
           "1e-3", "'mass: lumped'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_discrete_action),
        cmocka_unit_test(walls_keep_the_energy),
        cmocka_unit_test(bounces_under_gravity),
        cmocka_unit_test(hops_within_a_step),
        cmocka_unit_test(others_bounce),
        cmocka_unit_test(node_is_located_rattle),
        cmocka_unit_test(order_across_impacts),
        cmocka_unit_test(events_hold_energies),
        cmocka_unit_test(tumbling_box),
        cmocka_unit_test(rest_stays),
        cmocka_unit_test(impulses_at_the_ends_of_steps),
        cmocka_unit_test(many_rest),
        cmocka_unit_test(never_stalls),
        cmocka_unit_test(says_what_it_is_not_made_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
