/* Joints as rows: how many freedoms each type leaves, in the plane and in space, at random poses and along motions;
 * loops with more rows than they need. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double negligible = 1e-9; /* a pivot of rows of unit size that round-off has left */

/* ---------------------------------------------------------------- rank of W */

static int eliminate(double *A, int rows, int cols) {
    int rank = 0;
    for (; rank < rows && rank < cols; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < rows; i++)
            for (int j = rank; j < cols; j++)
                if (fabs(A[i * cols + j]) > fabs(A[r * cols + c])) r = i, c = j;
        if (fabs(A[r * cols + c]) < negligible) break;
        for (int j = 0; j < cols; j++) {
            double swap = A[r * cols + j];
            A[r * cols + j] = A[rank * cols + j], A[rank * cols + j] = swap;
        }
        for (int i = 0; i < rows; i++) {
            double swap = A[i * cols + c];
            A[i * cols + c] = A[i * cols + rank], A[i * cols + rank] = swap;
        }
        for (int i = rank + 1; i < rows; i++) {
            double factor = A[i * cols + rank] / A[rank * cols + rank];
            for (int j = rank; j < cols; j++) A[i * cols + j] -= factor * A[rank * cols + j];
        }
    }
    return rank;
}

/* Of the bilateral rows at the present state; rows of s beyond them belong to limits. */
static int rank_of(const trial *run) {
    const carom_model_def *def = carom_model_get(carom_scene_model(run->scene));
    int rows = def->ng + def->ngamma, all = def->WT.rows;
    double *values = calloc((size_t)def->WT.start[all] + 1, sizeof *values), *s = calloc((size_t)all + 1, sizeof *s);
    double *dense = calloc((size_t)(rows * def->nu) + 1, sizeof *dense);
    assert_true(values && s && dense);
    assert_int_equal(def->velocity(def->context, carom_sim_time(run->sim), carom_sim_q(run->sim), carom_sim_u(run->sim),
                                   s, values, NULL),
                     0);
    for (int i = 0; i < rows; i++)
        for (int k = def->WT.start[i]; k < def->WT.start[i + 1]; k++) dense[i * def->nu + def->WT.index[k]] = values[k];
    int rank = eliminate(dense, rows, def->nu);
    free(values), free(s), free(dense);
    return rank;
}

static int rows_of(const trial *run) {
    const carom_model_def *def = carom_model_get(carom_scene_model(run->scene));
    return def->ng + def->ngamma;
}

static void check_derivatives(const trial *run) {
    carom_finding worst;
    if (carom_model_check(carom_scene_model(run->scene), &worst, 1) != 0) fail_msg("%s", worst.text);
}

/* ---------------------------------------------------------------- one joint of each type */

static double uniform(void) { /* in (-1, 1), the same everywhere */
    static unsigned long long seed = 1;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / (double)(1ull << 52) - 1;
}

static void vector_text(char *text, size_t size, int n, double *x) {
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        x[i] = uniform();
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "", x[i]);
    }
}

typedef struct type_of_joint {
    const char *name;
    int space, plane; /* rows; 0: none in the plane */
} type_of_joint;
static const type_of_joint types[] = {{"revolute", 5, 2},  {"prismatic", 5, 2}, {"cylindrical", 4, 0},
                                      {"spherical", 3, 2}, {"universal", 4, 0}, {"fixed", 6, 3},
                                      {"distance", 1, 1}};
enum { TYPES = sizeof types / sizeof *types };

/* Where a joint is, for its type: 'at' and axes, or the points of a distance. */
static void place_text(char *text, size_t size, const char *type, bool plane) {
    char at[128], axis[128], second[128];
    double x[3], z[3], y[3];
    int n = plane ? 2 : 3;
    vector_text(at, sizeof at, n, x);
    vector_text(axis, sizeof axis, n, z);
    vector_text(second, sizeof second, n, y);
    if (strcmp(type, "distance") == 0) snprintf(text, size, "points: [[%s], [%s]]", at, second);
    else if (strcmp(type, "universal") == 0)
        snprintf(text, size, "at: [%s], axis: [%s], axis2: [%.17g, %.17g, 0]", at, axis, -z[1], z[0]);
    else if (strcmp(type, "spherical") == 0 || strcmp(type, "fixed") == 0) snprintf(text, size, "at: [%s]", at);
    else if (strcmp(type, "revolute") == 0 && plane) snprintf(text, size, "at: [%s]", at);
    else snprintf(text, size, "at: [%s], axis: [%s]", at, axis);
}

static trial pair_in_space(const char *type, const char *first) {
    char place[512], r[2][128], p[2][160];
    double x[4];
    place_text(place, sizeof place, type, false);
    for (int i = 0; i < 2; i++) vector_text(r[i], sizeof r[i], 3, x), vector_text(p[i], sizeof p[i], 4, x);
    return trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies:\n"
                      "    a: {type: spatial, mass: 1, inertia: [1, 2, 2.5], position: [%s], rotation: [%s]}\n"
                      "    b: {type: spatial, mass: 2, inertia: [0.3, 0.4, 0.5], position: [%s], rotation: [%s]}\n"
                      "  joints:\n    joint: {type: %s, bodies: [%s, b], %s}\n"
                      "run: {integrator: rattle, dt: 0.02, until: 0.6, tolerance: 1e-11}\n",
                      r[0], p[0], r[1], p[1], type, first, place);
}

static trial pair_in_the_plane(const char *type, const char *first) {
    char place[512], r[2][128];
    double x[2];
    place_text(place, sizeof place, type, true);
    for (int i = 0; i < 2; i++) vector_text(r[i], sizeof r[i], 2, x);
    return trial_text("carom: 1\nmodel:\n  gravity: [0, -10]\n  bodies:\n"
                      "    a: {type: planar, mass: 1, inertia: 1, position: [%s], angle: %.17g}\n"
                      "    b: {type: planar, mass: 2, inertia: 0.3, position: [%s], angle: %.17g}\n"
                      "  joints:\n    joint: {type: %s, bodies: [%s, b], %s}\n"
                      "run: {integrator: rattle, dt: 0.02, until: 0.6, tolerance: 1e-11}\n",
                      r[0], 3 * uniform(), r[1], 3 * uniform(), type, first, place);
}

/* No row is redundant, at the start and wherever the bodies swing. */
static void check_rank(trial *run, int rows) {
    assert_int_equal(rows_of(run), rows);
    check_derivatives(run);
    assert_int_equal(rank_of(run), rows);
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        assert_int_equal(rank_of(run), rows);
    }
    trial_close(run);
}

static void each_type_takes_its_freedoms(void **state) {
    (void)state;
    static const char *const firsts[] = {"a", "world"};
    for (int i = 0; i < TYPES; i++)
        for (int k = 0; k < 4; k++) {
            trial run = pair_in_space(types[i].name, firsts[k % 2]);
            check_rank(&run, types[i].space);
            if (!types[i].plane) continue;
            run = pair_in_the_plane(types[i].name, firsts[k % 2]);
            check_rank(&run, types[i].plane);
        }
}

/* ---------------------------------------------------------------- loops */

typedef struct loop {
    const char *scene;
    int velocities, rows, rank;
} loop;
static const loop loops[] = {
    {"gallery/slider_crank_bodies", 9, 8, 8},
    {"gallery/crank_driven", 9, 9, 9},
    {"gallery/double_pendulum_space", 12, 10, 10},
    {"gallery/four_bar_space", 18, 20, 17}, /* planar linkages hold their plane three times over */
    {"gallery/bricard", 30, 30, 29},        /* moves where counting says it can not */
    {"gallery/cardan", 12, 15, 12},
};

static void loops_have_their_mobility(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const loop *l = &loops[i];
        trial run = trial_scene(l->scene, NULL);
        check_derivatives(&run);
        assert_int_equal(carom_model_get(carom_scene_model(run.scene))->nu, l->velocities);
        assert_int_equal(rows_of(&run), l->rows);
        while (!carom_sim_done(run.sim) && carom_sim_steps(run.sim) < 400) {
            assert_int_equal(rank_of(&run), l->rank);
            trial_stride(&run);
        }
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- loops, by every integrator that keeps positions
 * Redundant rows leave reactions open, not the motion: all integrators come to the same one. */
static double loop_at(const char *scene, const char *integrator, const char *run, double *q) {
    char override[256];
    snprintf(override, sizeof override, "run={integrator: %s, %s, until: 0.4, tolerance: 1e-12}", integrator, run);
    trial t = trial_scene(scene, "plot=[]", override, NULL);
    const carom_model_def *def = carom_model_get(carom_scene_model(t.scene));
    double worst = 0;
    while (!carom_sim_done(t.sim)) {
        trial_step(&t);
        for (int i = 0; i < def->ng; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s.g", def->g_names[i]);
            worst = fmax(worst, fabs(trial_value(&t, name)));
        }
    }
    memcpy(q, carom_sim_q(t.sim), (size_t)def->nq * sizeof *q);
    int nq = def->nq;
    trial_close(&t);
    assert_at_most(worst, 1e-11); /* ten tolerances of a step */
    return nq;
}

static void redundant_loops_with_every_integrator(void **state) {
    (void)state;
    static const char *const scenes[] = {"gallery/four_bar_space", "gallery/bricard", "gallery/cardan"};
    for (int i = 0; i < 3; i++) {
        double exact[64], q[2][64];
        int nq = (int)loop_at(scenes[i], "lobatto", "stages: 4, dt: 0.002", exact);
        for (int k = 0; k < carom_integrators(); k++) {
            const carom_integrator_info *info = carom_integrator(k);
            if (!info->promise.positions || !info->promise.joint_order) continue;
            double error[2] = {0};
            for (int fine = 0; fine < 2; fine++) {
                loop_at(scenes[i], info->name, fine ? "dt: 0.01" : "dt: 0.02", q[fine]);
                for (int j = 0; j < nq; j++) error[fine] = fmax(error[fine], fabs(q[fine][j] - exact[j]));
            }
            double order = log2(error[0] / error[1]);
            printf("%s by %s: off by %.2e, %.2e, order %.2f\n", scenes[i], info->name, error[0], error[1], order);
            if (error[1] < 1e-12) continue; /* a driven linkage is where it is told, to round-off */
            assert_at_least(order, info->promise.joint_order - 0.3); /* the next power of dt still shows */
        }
    }
}

/* ---------------------------------------------------------------- drives */

/* omega2/omega1 = cos b/(1 - sin^2 b sin^2 angle), over three turns; the input turns as it is told. */
static void cardan_shaft(void **state) {
    (void)state;
    trial run = trial_scene("gallery/cardan", NULL);
    const double b = M_PI / 5, tau = 0.1;
    double angle = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double t = trial_value(&run, "t"), w = 10 * (1 - exp(-t / tau));
        angle = 10 * (t + tau * exp(-t / tau) - tau);
        /* rows of unit size are kept to the tolerance of a step, 1e-11 */
        assert_near(trial_value(&run, "input.p0"), cos(angle / 2), 1e-10);
        assert_near(trial_value(&run, "input.p1"), sin(angle / 2), 1e-10);
        assert_near(trial_value(&run, "input.wx"), w, 1e-9);
        assert_near(trial_value(&run, "output.wx"), w * cos(b) / (1 - pow(sin(b) * sin(angle), 2)), 1e-9);
    }
    assert_at_least(angle, 6 * M_PI - 1);
    trial_close(&run);
}

#define ROTOR(kind)                                                                                                    \
    kind == 0 ? "{type: planar, mass: 1, inertia: 0.5, position: [0.2, 0.1]}"                                          \
              : "{type: spatial, mass: 1, inertia: [1, 1.2, 0.5], position: [0.2, 0.1, 0]}"

/* A rotor on a hinge about z, in the plane (0) or in space (1); the inertia about the hinge is 0.55. */
static trial rotor(int kind, const char *drive, const char *run) {
    return trial_text("carom: 1\nmodel:\n  bodies:\n    rotor: %s\n  joints:\n"
                      "    hinge: {type: revolute, bodies: [world, rotor], at: [0, 0, 0], axis: [0, 0, 1], %s}\n"
                      "run: {%s}\n",
                      ROTOR(kind), drive, run);
}

static double turn_rate(const trial *run, int kind) {
    return trial_value(run, kind ? "rotor.wz" : "rotor.phi_dot");
}

/* The angle from where the centre of mass is, up to full turns. */
static double turn_of(const trial *run) {
    return atan2(trial_value(run, "rotor.y"), trial_value(run, "rotor.x")) - atan2(0.1, 0.2);
}

static void motions_and_speeds(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        trial run = rotor(kind, "angle: 3*t^2", "integrator: rattle, dt: 0.01, until: 2, tolerance: 1e-12");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double t = trial_value(&run, "t");
            assert_near(remainder(turn_of(&run) - 3 * t * t, 2 * M_PI), 0, 1e-10); /* 100 tolerances of a step */
            assert_near(turn_rate(&run, kind), 6 * t, 1e-10);
        }
        assert_near(trial_value(&run, "E"), 0.55 * 144 / 2, 1e-8); /* J w^2/2, w to 1e-10 */
        trial_close(&run);
        run = rotor(kind, "speed: 2*t", "integrator: rattle, dt: 0.01, until: 2, tolerance: 1e-12");
        trial_finish(&run);
        assert_near(turn_rate(&run, kind), 4, 1e-10);
        /* a speed that grows evenly is integrated exactly in the plane, to second order on the unit quaternion */
        assert_near(remainder(turn_of(&run) - 4, 2 * M_PI), 0, kind ? 1e-3 : 1e-10);
        trial_close(&run);
    }
}

/* A gear: the second wheel turns -2.5 times as far as the first, which a motor drives. */
static void gears(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  define: {ratio_angle: -2.5*first.angle}\n  bodies:\n"
                           "    a: {type: planar, mass: 1, inertia: 0.5, position: [0, 0]}\n"
                           "    b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}\n"
                           "  joints:\n"
                           "    first: {type: revolute, bodies: [world, a], at: [0, 0], torque: 3}\n"
                           "    second: {type: revolute, bodies: [world, b], at: [1, 0], angle: ratio_angle}\n"
                           "run: {integrator: rattle, dt: 0.01, until: 3, tolerance: 1e-13}\n");
    trial_finish(&run);
    double J = 0.5 + 0.1 * 2.5 * 2.5, angle = 3 / J * 9 / 2; /* even acceleration, exact but for round-off */
    assert_near(trial_value(&run, "a.phi"), angle, 1e-10);
    assert_near(trial_value(&run, "b.phi"), -2.5 * angle, 1e-10);
    assert_near(trial_value(&run, "work.forces"), 3 * angle, 1e-9);
    assert_near(trial_value(&run, "E"), 3 * angle, 1e-9);
    trial_close(&run);
}

/* Bodies that are free but for a motor between them. */
static trial free_pair(double dt) {
    return trial_text(
        "carom: 1\nmodel:\n  bodies:\n"
        "    a: {type: spatial, mass: 1, inertia: [1, 2, 2.5], position: [1, 0, 0], rotation: [1, 2, 3, 4]}\n"
        "    b: {type: spatial, mass: 3, inertia: [1, 1, 1.5], position: [0, 1, 1], rotation: [3, 1, 0, 1]}\n"
        "  joints:\n"
        "    j: {type: cylindrical, bodies: [a, b], at: [0, 0, 1], axis: [1, 2, 2], force: 5 - j.displacement,\n"
        "        torque: 2*sin(t), spring2: 3, rest2: 0.5}\n"
        "run: {integrator: lobatto, stages: 3, dt: %g, until: 2, tolerance: 1e-12}\n",
        dt);
}

/* The energy that has appeared, and how far the work is off. */
static double work_error(trial *run, double *gained) {
    double E0 = trial_value(run, "E");
    trial_finish(run);
    *gained = trial_value(run, "E") - E0;
    return fabs(*gained - trial_value(run, "work.forces"));
}

/* Action and reaction: a motor between free bodies changes no momentum. Its work is the energy that appears, up to the
 * trapezoidal rule by which work is summed. */
static void motors(void **state) {
    (void)state;
    static const char *const of[2][3] = {{"a.x_dot", "a.y_dot", "a.z_dot"}, {"b.x_dot", "b.y_dot", "b.z_dot"}};
    double gained, error[2][2];
    for (int fine = 0; fine < 2; fine++) {
        trial run = free_pair(0.02 / (1 << fine));
        error[0][fine] = work_error(&run, &gained);
        assert_at_least(gained, 1);
        for (int i = 0; i < 3; i++) /* 200 tolerances of a step */
            assert_near(trial_value(&run, of[0][i]) + 3 * trial_value(&run, of[1][i]), 0, 2e-10);
        trial_close(&run);
        run = trial_scene("gallery/four_bar_space", fine ? "run.dt=1e-3" : "run.dt=2e-3", "run.until=0.6",
                          "run.integrator=lobatto", NULL);
        error[1][fine] = work_error(&run, &gained);
        trial_close(&run);
    }
    for (int i = 0; i < 2; i++) {
        printf("work off by %.2e, %.2e\n", error[i][0], error[i][1]);
        assert_near(log2(error[i][0] / error[i][1]), 2, 0.2); /* the next power of dt still shows */
    }
}

/* J x'' + c x' + k (x - rest) = 0 from 0 at rest: in space it swings to 2 rest = 4, more than half a turn from the
 * start. */
static void springs(void **state) {
    (void)state;
    const double J = 0.55, c = 0.1, k = 2, rest = 2, d = c / (2 * J), w = sqrt(k / J - d * d);
    for (int kind = 0; kind < 2; kind++) {
        trial run = rotor(kind, "spring: 2, damper: 0.1, rest: 2",
                          "integrator: lobatto, stages: 3, dt: 0.01, until: 3, tolerance: 1e-12");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double t = trial_value(&run, "t");
            double x = rest * (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
            /* fourth order: (w dt)^4 of two rad, w = 1.9 */
            assert_near(remainder(turn_of(&run) - x, 2 * M_PI), 0, 1e-6);
            assert_near(turn_rate(&run, kind), rest * exp(-d * t) * (w + d * d / w) * sin(w * t), 1e-6);
        }
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- limits */

/* A rotor at 5 rad/s reaches 5.9 rad at t = 1.18, where 5 becomes -0.4*5; that is back at -0.3 rad 3.1 s later, where
 * -2 becomes 0.8. In space the angle is taken about the middle of the limits. */
static void limits(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        trial run = trial_text("carom: 1\nmodel:\n  bodies:\n    rotor: %s\n  joints:\n"
                               "    hinge: {type: revolute, bodies: [world, rotor], at: [0, 0], axis: [0, 0, 1],\n"
                               "            limits: [-0.3, 5.9], restitution: 0.4}\n"
                               "run: {integrator: lobatto, events: locate, dt: 0.01, until: 4.5, tolerance: 1e-12}\n",
                               kind ? "{type: spatial, mass: 1, inertia: [1, 1.2, 0.5], position: [0, 0, 0],\n"
                                      "            angular_velocity: [0, 0, 5]}"
                                    : "{type: planar, mass: 1, inertia: 0.5, position: [0, 0], angular_velocity: 5}");
        double sum[2] = {0};
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double t = trial_value(&run, "t"), high = trial_value(&run, "hinge_high.gap");
            const double strike = 5.9 / 5, back = strike + 6.2 / 2;
            double x = t < strike ? 5 * t : t < back ? 5.9 - 2 * (t - strike) : -0.3 + 0.8 * (t - back);
            /* even turns: exact in the plane, of second order (two stages) on the quaternion: 5 rad of (5 dt)^2/24 */
            assert_near(high, 5.9 - x, kind ? 1e-3 : 1e-9);
            assert_near(trial_value(&run, "hinge_low.gap"), x + 0.3, kind ? 1e-3 : 1e-9);
            sum[0] += trial_value(&run, "hinge_low.PN"), sum[1] += trial_value(&run, "hinge_high.PN");
        }
        assert_near(turn_rate(&run, kind), 0.8, 1e-9); /* restitution, to the tolerance of a step */
        assert_near(sum[0], 0.5 * 2.8, 1e-9);          /* J (1 + e) w */
        assert_near(sum[1], 0.5 * 7, 1e-9);
        trial_close(&run);
    }
}

/* A rope is slack until its limit: free fall from rest, 0.5 m deep; then it hangs. */
static void ropes(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                           "  bodies: {load: {type: point, mass: 2, position: [0, 0, -1]}}\n"
                           "  joints: {rope: {type: distance, bodies: [world, load], limits: [0, 1.5]}}\n"
                           "run: {integrator: rattle, dt: 0.01, until: 1, tolerance: 1e-12}\n");
    assert_int_equal(rows_of(&run), 0);
    while (carom_sim_time(run.sim) < 0.295) trial_step(&run); /* it is tight after sqrt(0.1) = 0.316 */
    assert_near(trial_value(&run, "load.z"), -1.45, 1e-12);
    trial_finish(&run);
    assert_near(trial_value(&run, "load.z"), -1.5, 1e-11);
    assert_near(trial_value(&run, "load.z_dot"), 0, 1e-11);
    assert_near(trial_value(&run, "rope_high.PN") / 0.01, 20, 1e-8);
    trial_close(&run);
}

/* A slack rope does not mind that its ends coincide. A load is let go where its rope is tied, falls by 0.5 m, bounces
 * back elastically, and rests for an instant where it started: a period of 2 sqrt(2*0.5/10). */
static void ropes_of_no_length(void **state) {
    (void)state;
    const double period = 2 * sqrt(0.1);
    for (int stages = 2; stages <= 3; stages++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n"
                               "  bodies: {load: {type: point, mass: 2, position: [0, 0, 0]}}\n"
                               "  joints: {rope: {type: distance, bodies: [world, load], limits: [0, 0.5],\n"
                               "           restitution: 1}}\n"
                               "run: {integrator: lobatto, stages: %d, events: locate, dt: 0.01, until: 2,\n"
                               "      tolerance: 1e-12}\n",
                               stages);
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double t = trial_value(&run, "t"), s = remainder(t, period), z = trial_value(&run, "load.z");
            assert_near(z, -5 * s * s, 1e-9); /* parabolas are exact: the tolerance of a step, times 200 */
            assert_near(trial_value(&run, "rope_high.gap"), 0.5 - fabs(z), 1e-12);
        }
        trial_close(&run);
    }
}

/* Beads on a rope of 0.02 m, one above the other, drop on the floor and lie there at one place. Schemes that do not
 * hold gaps on position stop one step too deep. */
static void ropes_in_a_heap(void **state) {
    (void)state;
    static const char *const integrators[] = {
        "moreau", "symmetric_moreau", "variational_moreau", "theta", "rattle", "lobatto", "nsga", "generalized_alpha"};
    const double dt = 1e-3, fastest = sqrt(2 * 9.81 * 0.08);
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n"
                               "  bodies: {\"a[i=1..4]\": {type: point, mass: 1, position: [0, 0, 0.02*i]}}\n"
                               "  joints: {\"rope[i=1..3]\": {type: distance, bodies: [\"a[i]\", \"a[i+1]\"],\n"
                               "           limits: [0, 0.02]}}\n"
                               "  contacts: {\"ground[i=1..4]\": {between: [{body: \"a[i]\", point: [0, 0, 0]},\n"
                               "             {body: world, plane: [0, 0, 1]}], friction: 0.3}}\n"
                               "run: {integrator: %s, dt: %g, until: 0.3}\n",
                               integrators[i], dt);
        trial_finish(&run);
        for (int k = 1; k <= 4; k++) {
            char name[16];
            snprintf(name, sizeof name, "a%d.z", k);
            assert_near(trial_value(&run, name), 0, fastest * dt);
            snprintf(name, sizeof name, "a%d.z_dot", k);
            assert_near(trial_value(&run, name), 0, 1e-8);
        }
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- supports that move */

/* A pendulum whose support shakes, beside the formula with x = A sin(w t) + l sin(phi); and a body welded to a frame
 * that turns, many turns long. */
static void moving_frames(void **state) {
    (void)state;
    const char *run_text = "run: {integrator: lobatto, stages: 4, dt: 0.01, until: 2, tolerance: 1e-13}\n";
    trial formula = trial_text("carom: 1\nmodel:\n  coordinates: {phi: {start: 0.5}}\n"
                               "  define: {vx: 0.6*cos(3*t) + cos(phi)*phi_dot/2, vy: sin(phi)*phi_dot/2}\n"
                               "  kinetic: (vx^2 + vy^2)/2 + phi_dot^2/24\n"
                               "  potential: -9.81/2*cos(phi)\n%s",
                               run_text);
    trial joint = trial_text("carom: 1\nmodel:\n  gravity: [0, -9.81]\n"
                             "  frames: {hand: {position: [0.2*sin(3*t), 0]}}\n"
                             "  bodies: {rod: {type: planar, mass: 1, inertia: 1/12, angle: 0.5, velocity: [0.6, 0],\n"
                             "    position: [0.5*sin(0.5), -0.5*cos(0.5)]}}\n"
                             "  joints: {hinge: {type: revolute, bodies: [hand, rod], at: [0, 0]}}\n%s",
                             run_text);
    trial_finish(&formula), trial_finish(&joint);
    /* sixth order: (4 dt)^6 of some rad */
    assert_near(trial_value(&joint, "rod.phi"), trial_value(&formula, "phi"), 1e-8);
    trial_close(&formula), trial_close(&joint);

    trial weld = trial_text("carom: 1\nmodel:\n  frames: {table: {rotation: {axis: [0, 0, 1], angle: 4*t^2}}}\n"
                            "  bodies: {cup: {type: planar, mass: 1, inertia: 1/12, position: [1, 2], angle: 0.3}}\n"
                            "  joints: {glue: {type: fixed, bodies: [table, cup], at: [1, 1]}}\n"
                            "run: {integrator: rattle, dt: 0.01, until: 2, tolerance: 1e-12}\n");
    trial_finish(&weld);
    assert_near(trial_value(&weld, "cup.phi"), 16.3, 1e-10); /* the tolerance over sines of a few rows */
    assert_near(trial_value(&weld, "cup.x"), cos(16) - 2 * sin(16), 1e-10);
    trial_close(&weld);
}

/* A body at rest on a pin of a table that turns by 3 t: seen from the table it turns back by as much, past pi. The
 * tolerance of the steps over 2 s leaves 1e-10. */
static void angle_against_a_turning_frame(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        trial run = trial_text("carom: 1\nmodel:\n"
                               "  frames: {table: {rotation: {axis: [0, 0, %d], angle: 3*t}}}\n"
                               "  bodies: {disk: {type: planar, mass: 1, inertia: 1}}\n"
                               "  joints: {pin: {type: revolute, bodies: [table, disk], at: [0, 0]}}\n"
                               "  observe: {seen: pin.angle, rate: pin.angle_rate}\n"
                               "run: {integrator: rattle, dt: 0.01, until: 2}\n",
                               sign);
        trial_finish(&run);
        assert_near(trial_value(&run, "seen"), -6 * sign, 1e-10);
        assert_near(trial_value(&run, "rate"), -3 * sign, 1e-10);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_takes_its_freedoms),
        cmocka_unit_test(angle_against_a_turning_frame),
        cmocka_unit_test(loops_have_their_mobility),
        cmocka_unit_test(redundant_loops_with_every_integrator),
        cmocka_unit_test(cardan_shaft),
        cmocka_unit_test(motions_and_speeds),
        cmocka_unit_test(gears),
        cmocka_unit_test(motors),
        cmocka_unit_test(springs),
        cmocka_unit_test(limits),
        cmocka_unit_test(ropes),
        cmocka_unit_test(ropes_of_no_length),
        cmocka_unit_test(ropes_in_a_heap),
        cmocka_unit_test(moving_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
