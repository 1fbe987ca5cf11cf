/* The variational Moreau-type scheme with bodies that turn in space, (M10)-(M14) of docs/theory/moreau.md: the momenta
 * of an element by hand, what is kept over 1e5 steps and through impacts, and what the scheme refuses. */
#include "support/beams.h"
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const scheme = "variational_moreau";
enum { LONG = 100000 };

/* ---------------------------------------------------------------- a free body
 * Over an element with s = dt w/4 it turns by the quaternion (1, s)^2/(1 + s^2), and its angular momentum in space is
 * (1 + s^2) J w in the frame halfway, p_k o (1, s): that of the initial state, whatever dt. */
static double momentum_off(const double *p, const double *w, double dt, const double L[3]) {
    const double s[4] = {1, dt / 4 * w[0], dt / 4 * w[1], dt / 4 * w[2]};
    double halfway[4], now[3], worst = 0, square = 0;
    for (int i = 0; i < 4; i++) square += s[i] * s[i];
    for (int i = 0; i < 3; i++) now[i] = square * body_inertia[i] * w[i];
    quaternion_product(p, s, halfway);
    quaternion_turn(halfway, now, now);
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(now[i] - L[i]));
    return worst;
}

/* Steps turn by a fifth of a radian, so that the terms of (M11) are there to be seen: without s^2 the momentum would be
 * off by 2.5e-3 of itself. */
static void angular_momentum_of_a_free_body(void **state) {
    (void)state;
    const double dt = 0.1, tolerance = 1e-13;
    carom_model *model = complex_model(&body);
    trial run = trial_model(model, scheme, dt, LONG * dt, tolerance, NULL);
    double L[3], worst = 0;
    for (int i = 0; i < 3; i++) L[i] = body_inertia[i] * body.u0[i];
    quaternion_turn(body.q0, L, L);
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        worst = fmax(worst, momentum_off(carom_sim_q(run.sim), carom_sim_u(run.sim), dt, L));
    }
    printf("free body, %ld steps: angular momentum off by %.1e of %.1f\n", carom_sim_steps(run.sim), worst,
           sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]));
    assert_at_most(worst,
                   1e-12); /* the tolerance of one step times J, and 1e5 roundings of 1e-15 that do not line up */
    trial_close(&run);
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- order
 * A constant M that couples a rotation with other velocities and grows with time, rotors that run up in the body,
 * forces of position, velocity and time. */
static trial coupled(const char *by, double dt) {
    return trial_text("carom: 1\n"
                      "model:\n"
                      "  coordinates: {x: {start: 0.3, velocity: 0.2}, y: {start: 0.1, velocity: -0.4}}\n"
                      "  bodies: {top: {type: spatial, mass: 1.3, inertia: [0.5, 0.7, 0.9], rotation: [1, 2, 3, 4],\n"
                      "                 angular_velocity: [3, -2, 1]}}\n"
                      "  kinetic: x_dot^2/2 + y_dot^2*(1 + t/2) + 0.3*x_dot*top.wx + 0.2*top.wy*y_dot +\n"
                      "           sin(3*t)*top.wz + 0.3*top.wx\n"
                      "  potential: x^4 + y^2 + x*top.R13 + top.x^2*top.R21\n"
                      "  forces: {x: -0.5*x_dot + cos(t), top.wy: -top.wy*top.R11 - x_dot*top.wz}\n"
                      "run: {integrator: %s, dt: %.17g, until: 2, tolerance: 1e-13}\n",
                      by, dt);
}

static void order_of_coupled_motions(void **state) {
    (void)state;
    enum { SIZES = 4 };
    double dt[SIZES], error[SIZES] = {0};
    trial exact = coupled("lobatto, stages: 4", 1e-2); /* of order six: errors below 1e-9 */
    trial_finish(&exact);
    for (int k = 0; k < SIZES; k++) {
        dt[k] = 0.02 / (1 << k);
        trial run = coupled(scheme, dt[k]);
        trial_finish(&run);
        for (int i = 0; i < 9; i++)
            error[k] = fmax(error[k], fabs(carom_sim_q(run.sim)[i] - carom_sim_q(exact.sim)[i]));
        trial_close(&run);
    }
    double order = observed_order(SIZES, dt, error);
    printf("coupled motions: off by %.1e .. %.1e, order %.2f\n", error[0], error[SIZES - 1], order);
    assert_near(order, 2, 0.1); /* turns of 0.1 rad in a step: dt^4 shows */
    trial_close(&exact);
}

/* ---------------------------------------------------------------- energy */

typedef struct tenth {
    double low, high, mean;
} tenth;

static tenth read_tenth(trial *run, const complex_mechanics *m) {
    tenth x = {INFINITY, -INFINITY, 0};
    for (int n = 0; n < LONG / 10; n++) {
        cx q[4], u[3], T, V;
        trial_stride(run);
        for (int i = 0; i < 4; i++) q[i] = carom_sim_q(run->sim)[i];
        for (int i = 0; i < 3; i++) u[i] = carom_sim_u(run->sim)[i];
        m->energy(0, q, u, &T, &V, NULL);
        double E = creal(T + V);
        x.low = fmin(x.low, E), x.high = fmax(x.high, E), x.mean += E / (LONG / 10.0);
    }
    return x;
}

/* The last tenth of 1e5 steps is as wide as the first, and its mean is where it was: a drift of a thousandth of the
 * width in each of the hundred periods of a tenth would show. */
static void energy_stays(void **state) {
    (void)state;
    const complex_mechanics *systems[] = {&body, &heavy};
    for (int k = 0; k < 2; k++) {
        const double dt = 0.02;
        carom_model *model = complex_model(systems[k]);
        trial run = trial_model(model, scheme, dt, LONG * dt, 1e-13, NULL);
        tenth first = read_tenth(&run, systems[k]), last = first;
        for (int n = 0; n < 9; n++) last = read_tenth(&run, systems[k]);
        double width = first.high - first.low;
        printf("%s body: energy within %.1e, later %.1e, mean moves %.0e\n", k ? "heavy" : "free", width,
               last.high - last.low, fabs(last.mean - first.mean));
        assert_at_most(last.high - last.low, 1.25 * width);
        assert_at_most(fabs(last.mean - first.mean), 0.1 * width);
        trial_close(&run);
        carom_model_destroy(model);
    }
}

/* ---------------------------------------------------------------- impacts */

/* How far a recorded quantity leaves its first value, and in how many steps the contact touched. */
static double follow(trial *run, int count, const char *const *names, const char *contact, long *touched) {
    double first[8], worst = 0;
    const int PN = trial_column(run, contact);
    int column[8];
    *touched = 0;
    for (int i = 0; i < count; i++) column[i] = trial_column(run, names[i]), first[i] = run->row[column[i]];
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        *touched += run->row[PN] > 0;
        for (int i = 0; i < count; i++) worst = fmax(worst, fabs(run->row[column[i]] - first[i]));
    }
    return worst;
}

/* Two balls of unequal moments of inertia, drawn together by a spring off their centres: impacts all the time, elastic
 * without friction, and inelastic with friction until they roll on each other. */
static void momenta_through_impacts(void **state) {
    (void)state;
    static const char *const laws[] = {"restitution: 1", "friction: 0.3, restitution: 0.5"};
    static const char *const names[] = {"px", "py", "pz", "Lx", "Ly", "Lz"};
    for (int k = 0; k < 2; k++) {
        trial run = trial_text(
            "carom: 1\n"
            "model:\n"
            "  bodies:\n"
            "    a: {type: spatial, mass: 2, inertia: [0.2, 0.3, 0.4], position: [-0.6, 0, 0],\n"
            "        velocity: [0, 0.3, 0.1], angular_velocity: [2, 0.5, 1], shape: {sphere: 0.5}}\n"
            "    b: {type: spatial, mass: 1, inertia: [0.1, 0.12, 0.15], position: [0.6, 0, 0],\n"
            "        velocity: [0, -0.6, -0.2], angular_velocity: [0.3, 0, -3], shape: {sphere: 0.5}}\n"
            "  springs:\n"
            "    band: {between: [a, b], points: [[0.1, 0.2, 0], [-0.1, 0, 0.15]], stiffness: 20, length: 0}\n"
            "  contacts: {bump: {between: [a, b], %s}}\n"
            "  symmetries: {px: {translate: [1, 0, 0]}, py: {translate: [0, 1, 0]}, pz: {translate: [0, 0, 1]},\n"
            "               Lx: {rotate: [1, 0, 0]}, Ly: {rotate: [0, 1, 0]}, Lz: {rotate: [0, 0, 1]}}\n"
            "run: {integrator: variational_moreau, dt: 2e-3, until: 200, tolerance: 1e-12}\n",
            laws[k]);
        long touched;
        double off = follow(&run, 6, names, "bump.PN", &touched);
        printf("two balls, %s: %ld steps, %ld with contact, momenta off by %.1e\n", laws[k], carom_sim_steps(run.sim),
               touched, off);
        assert_true(touched > 100);
        assert_at_most(off, 1e-12); /* momenta of order one: 1e5 roundings of 1e-16 that do not line up */
        trial_close(&run);
    }
}

/* A box that bounces on its corners without friction: the plane pushes along the vertical. */
static void vertical_momentum_of_a_box(void **state) {
    (void)state;
    static const char *const names[] = {"Lz"};
    trial run = trial_text("carom: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, -9.81]\n"
                           "  bodies:\n"
                           "    die: {type: spatial, mass: 2, inertia: [0.2, 0.3, 0.4], position: [0, 0, 1.5],\n"
                           "          rotation: {axis: [1, 2, 0.5], angle: 0.7}, angular_velocity: [2, 0.5, 3],\n"
                           "          shape: {box: [1, 0.8, 0.6]}}\n"
                           "  contacts: {table: {between: [die, {body: world, plane: [0, 0, 1]}], restitution: 0.9}}\n"
                           "  symmetries: {Lz: {rotate: [0, 0, 1]}}\n"
                           "run: {integrator: variational_moreau, dt: 1e-4, until: 10, tolerance: 1e-12}\n");
    long touched;
    double off = follow(&run, 1, names, "table1.PN", &touched);
    printf("box on a plane: %ld steps, Lz off by %.1e\n", carom_sim_steps(run.sim), off);
    assert_true(touched > 2);
    assert_at_most(off, 1e-12); /* as above */
    trial_close(&run);
}

/* ---------------------------------------------------------------- beams in space
 * Nodes turn, and a consistent mass couples their rotations: M is constant all the same. */
static void momenta_of_a_beam(void **state) {
    (void)state;
    static const char *const names[] = {"px", "py", "pz", "Lx", "Ly", "Lz"};
    static const char *const masses[] = {"lumped", "consistent"};
    for (int k = 0; k < 2; k++) {
        trial run = trial_text(
            "carom: 1\n"
            "model:\n"
            "  beams:\n"
            "    arm: {type: spatial, elements: 3, from: [0, 0, 0], to: [1.5, 0, 0], velocity: [0.1, 0.2, -0.3],\n"
            "          angular_velocity: [1, 2, 0.5], stiffness: [3, 4, 5, 60, 40, 40], mass_per_length: 1.3,\n"
            "          inertia_per_length: [0.3, 0.1, 0.2], mass: %s}\n"
            "  symmetries: {px: {translate: [1, 0, 0]}, py: {translate: [0, 1, 0]}, pz: {translate: [0, 0, 1]},\n"
            "               Lx: {rotate: [1, 0, 0]}, Ly: {rotate: [0, 1, 0]}, Lz: {rotate: [0, 0, 1]}}\n"
            "run: {integrator: variational_moreau, dt: 5e-3, until: 50, tolerance: 1e-12}\n",
            masses[k]);
        double off = follow(&run, 6, names, "t", &(long){0});
        printf("beam, %s mass: %ld steps, momenta off by %.1e\n", masses[k], carom_sim_steps(run.sim), off);
        assert_at_most(off, 2e-11); /* 1e4 roundings of positions up to 20, times momenta of order one */
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- a screw
 * The angle of a joint counts its turns in an anchor, a coordinate without a velocity. With the pitch h per radian the
 * body falls with g/(1 + J/(m h^2)), by eight turns in a second. */
static double fall_on_a_screw(double dt) {
    trial run = trial_text("carom: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, -9.81]\n"
                           "  bodies: {a: {type: spatial, mass: 2, inertia: [0.003, 0.003, 0.004]}}\n"
                           "  joints: {s: {type: cylindrical, bodies: [world, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
                           "               displacement: 0.05*s.angle}}\n"
                           "run: {integrator: variational_moreau, dt: %.17g, until: 1}\n",
                           dt);
    const double h = 0.05, depth = 9.81 / (1 + 0.004 / (2 * h * h)) / 2;
    assert_int_equal(carom_model_get(carom_scene_model(run.scene))->anchors, 1);
    trial_finish(&run);
    const double error = fabs(trial_value(&run, "a.z") + depth), turned = trial_value(&run, "s.turned");
    printf("screw, dt = %g: depth off by %.1e, angle %.3f of %.3f\n", dt, error, turned, -depth / h);
    assert_near(turned, -depth / h, depth / h * 1e-2); /* not by full turns, 2 pi of 54.5 */
    trial_close(&run);
    return error;
}

static void turns_on_a_screw(void **state) {
    (void)state;
    assert_at_most(fall_on_a_screw(1e-3), 0.6 * fall_on_a_screw(2e-3)); /* first order with joints, or better */
}

/* ---------------------------------------------------------------- scenes
 * Contacts with friction of many bodies: they end with less energy. */
static void scenes_of_the_gallery(void **state) {
    (void)state;
    static const char *const scenes[] = {"dice", "marbles", "capsules"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        char name[64];
        snprintf(name, sizeof name, "gallery/%s", scenes[k]);
        trial run = trial_scene(name, "run.integrator=variational_moreau", NULL);
        const double E = trial_value(&run, "E");
        long steps = trial_finish(&run);
        printf("%s: %ld steps, energy %.4g at the start, %.4g at the end\n", scenes[k], steps, E,
               trial_value(&run, "E"));
        assert_at_most(trial_value(&run, "E"), E);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- what it refuses */

static void refuses(const char *text, const char *why) {
    carom_scene *scene;
    carom_error error = {0};
    carom_sim *sim;
    assert_int_equal(carom_scene_parse(text, strlen(text), "test", NULL, 0, &scene, &error), CAROM_OK);
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_DATA);
    printf("%s\n", error.message);
    assert_non_null(strstr(error.message, why));
    assert_non_null(strstr(error.message, "symmetric_moreau"));
    carom_scene_destroy(scene);
}

#define RUN "run: {integrator: variational_moreau, dt: 1e-3, until: 1}\n"
#define BODY "  bodies: {top: {type: spatial, mass: 1, inertia: [1, 2, 3]}}\n"
static void refuses_what_it_cannot_do(void **state) {
    (void)state;
    refuses("carom: 1\nmodel:\n  coordinates: {r: 1}\n" BODY "  kinetic: (1 + r^2)*r_dot^2/2\n" RUN, "'r_dot'");
    refuses("carom: 1\nmodel:\n  coordinates: {x: 1}\n  velocities: {v: 1}\n  kinematics: {x: 2*v}\n" BODY
            "  kinetic: v^2/2\n" RUN,
            "'x' moves otherwise");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angular_momentum_of_a_free_body),
        cmocka_unit_test(order_of_coupled_motions),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(momenta_through_impacts),
        cmocka_unit_test(vertical_momentum_of_a_box),
        cmocka_unit_test(momenta_of_a_beam),
        cmocka_unit_test(turns_on_a_screw),
        cmocka_unit_test(scenes_of_the_gallery),
        cmocka_unit_test(refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
