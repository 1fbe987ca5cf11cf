/* Beams of scenes: reference shapes, sections, masses and motion, against closed forms. */
#include "model/element/beam.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* One beam, "key: value, ..." on one line; it is not moved. */
static trial beam_of(const char *type, const char *keys) {
    return trial_text("carom: 1\nmodel:\n  beams:\n    b: {type: %s, %s}\n"
                      "run: {integrator: rattle, dt: 1e-4, until: 1e-4}\n",
                      type, keys);
}

static const carom_model_def *def_of(const trial *run) {
    return carom_model_get(carom_scene_model(run->scene));
}

/* 2 T = u^T M u */
static double twice_kinetic(const carom_model_def *d, const double *u) {
    double *M = calloc((size_t)d->M.start[d->nu] + 1, sizeof *M), sum = 0;
    assert_non_null(M);
    assert_int_equal(d->mass(d->context, 0, d->q0, M), 0);
    for (int i = 0; i < d->nu; i++)
        for (int k = d->M.start[i]; k < d->M.start[i + 1]; k++) sum += u[i] * M[k] * u[d->M.index[k]];
    free(M);
    return sum;
}

static double *velocities(const carom_model_def *d) {
    double *u = calloc((size_t)d->nu, sizeof *u);
    assert_non_null(u);
    return u;
}

/* h at the start, of the given velocity; without gravity and velocities the forces of the beam alone. */
static double greatest_force(const carom_model_def *d) {
    double *h = velocities(d), greatest = 0;
    assert_int_equal(d->force(d->context, 0, d->q0, d->u0, h, NULL, NULL), 0);
    for (int i = 0; i < d->nu; i++) greatest = fmax(greatest, fabs(h[i]));
    free(h);
    return greatest;
}

/* ---- reference shapes */

#define MATTER "stiffness: [1, 2, 3, 100, 50, 50], mass_per_length: 2, inertia_per_length: [0.3, 0.1, 0.2]"

/* A quarter of a circle of radius 2: the nodes lie on it with axes along it, no element is under stress, and the mass
 * is that of the arc, as the arc between two nodes is the element (DB9). 1e-14: a few roundings of numbers of order
 * 100. */
static void quarter_circle(void **state) {
    (void)state;
    static const char *const types[] = {"planar", "spatial"};
    for (int spatial = 0; spatial < 2; spatial++) {
        trial run = beam_of(types[spatial], "elements: 5, curve: [2*sin(pi/2*s), 2 - 2*cos(pi/2*s)], " MATTER);
        const carom_model_def *d = def_of(&run);
        int nq = spatial ? 7 : 3, nu = spatial ? 6 : 3;
        assert_int_equal(d->nq, 6 * nq);
        for (int k = 0; k <= 5; k++) {
            double angle = pi / 2 * k / 5;
            const double *q = d->q0 + nq * k;
            assert_near(q[0], 2 * sin(angle), 1e-14);
            assert_near(q[1], 2 - 2 * cos(angle), 1e-14);
            assert_near(spatial ? 2 * atan2(q[6], q[3]) : q[2], angle, 1e-14);
        }
        assert_near(greatest_force(d), 0, 1e-14 * 100);
        double *u = velocities(d);
        for (int k = 0; k <= 5; k++) u[nu * k] = 1;
        assert_near(twice_kinetic(d, u), 2 * (2 * pi / 2), 1e-13);
        free(u);
        trial_close(&run);
    }
}

/* A helix of 10 degrees of slope is a curve of constant strain as well, if the frame turns with it; the frames of a
 * scene turn as little as possible, which makes no stress either: every reference is free of stress. 'up' is the third
 * axis of the first node as far as the tangent lets it. */
static void helix(void **state) {
    (void)state;
    trial run = beam_of("spatial", "elements: 7, curve: [cos(3*s), sin(3*s), 0.5*s], up: [1, 0, 0.2], " MATTER);
    const carom_model_def *d = def_of(&run);
    const double *p = d->q0 + 3, norm = sqrt(9 + 0.25); /* tangent (0, 3, 0.5)/norm */
    const double x[3] = {1 - 2 * (p[2] * p[2] + p[3] * p[3]), 2 * (p[1] * p[2] + p[0] * p[3]),
                         2 * (p[1] * p[3] - p[0] * p[2])};
    const double z[3] = {2 * (p[1] * p[3] + p[0] * p[2]), 2 * (p[2] * p[3] - p[0] * p[1]),
                         1 - 2 * (p[1] * p[1] + p[2] * p[2])};
    const double tangent[3] = {0, 3 / norm, 0.5 / norm}, along = 0.2 * tangent[2];
    double up[3] = {1, -along * tangent[1], 0.2 - along * tangent[2]};
    double length = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
    for (int i = 0; i < 3; i++) assert_near(x[i], tangent[i], 1e-15 * 4), assert_near(z[i], up[i] / length, 1e-15 * 4);
    assert_near(greatest_force(d), 0, 1e-14 * 100);
    trial_close(&run);
}

/* ---- masses */

/* Straight, of length 3 in 4 elements, mass 2 per length: translation at (1, 2, 2) has T = m L/2 v^2 with either mass.
 * A velocity that grows linearly along the axis, v = s/L, has 2 T = m L/3 with the consistent mass, which is exact for
 * it; the lumped one is the trapezoidal rule of s^2, which is larger by m/12 |v_1 - v_2|^2 per element of mass m. The
 * same holds for the spin about the axis, with the first moment of inertia. */
static void masses(void **state) {
    (void)state;
    static const char *const kinds[] = {"lumped", "consistent"};
    for (int consistent = 0; consistent < 2; consistent++) {
        char keys[256];
        snprintf(keys, sizeof keys, "elements: 4, from: [0, 0, 0], to: [3, 0, 0], mass: %s, " MATTER,
                 kinds[consistent]);
        trial run = beam_of("spatial", keys);
        const carom_model_def *d = def_of(&run);
        double *u = velocities(d), excess = consistent ? 0 : 4 * (2 * 0.75 / 6) * (1.0 / 16);
        for (int k = 0; k <= 4; k++) u[6 * k] = 1, u[6 * k + 1] = u[6 * k + 2] = 2;
        assert_near(twice_kinetic(d, u), 2 * 3 * 9, 1e-13);
        memset(u, 0, (size_t)d->nu * sizeof *u);
        for (int k = 0; k <= 4; k++) u[6 * k + 1] = k / 4.0;
        assert_near(twice_kinetic(d, u), 2 * 3 / 3.0 + excess, 1e-14);
        memset(u, 0, (size_t)d->nu * sizeof *u);
        for (int k = 0; k <= 4; k++) u[6 * k + 3] = k / 4.0;
        assert_near(twice_kinetic(d, u), 0.3 / 2 * (2 * 3 / 3.0 + excess), 1e-14);
        free(u);
        trial_close(&run);
    }
}

/* ---- sections */

/* Stiffnesses of one element of length L from its force, h_q at the start: EA/L along, GA/L across at the far end for
 * displacements of it alone, (G J, E I)/L about the axes less what shear adds. So: energies of strains. The far end
 * moved by d along x stores EA d^2/(2 L); along y or z, GA d^2/(2 L); turned by a small angle a about its x axis, GJ
 * a^2/(2 L). About y or z it is turned about the middle of the element, where there is no shear: EI a^2/(2 L). All of
 * it up to relative terms of a^2, d^2, and differences divided by 1e-8 of round-off. */
static double stiffness_of(const carom_model_def *d, int axis, bool turn) {
    const double a = 1e-4, L = 2;
    double q[14], V0 = 0, V = 0;
    memcpy(q, d->q0, sizeof q);
    assert_int_equal(d->energy(d->context, 0, q, d->u0, NULL, &V0), 0);
    if (!turn) q[7 + axis] += a;
    else {
        q[10] = cos(a / 2), q[11 + axis] = sin(a / 2);
        if (axis == 1) q[9] = -L / 2 * sin(a), q[7] = L / 2 + L / 2 * cos(a);
        if (axis == 2) q[8] = L / 2 * sin(a), q[7] = L / 2 + L / 2 * cos(a);
    }
    assert_int_equal(d->energy(d->context, 0, q, d->u0, NULL, &V), 0);
    return 2 * L * (V - V0) / (a * a);
}

/* order of beam.h: GJ, EI2, EI3, EA, GA2, GA3; then mass and moments of inertia per length */
static void assert_section(const char *keys, const double expected[6], const double matter[4], double torsion) {
    char all[512];
    snprintf(all, sizeof all, "elements: 1, from: [0, 0, 0], to: [2, 0, 0], %s", keys);
    trial run = beam_of("spatial", all);
    const carom_model_def *d = def_of(&run);
    for (int i = 0; i < 6; i++)
        assert_near(stiffness_of(d, i % 3, i < 3), expected[i], (i == 0 ? torsion : 1e-6) * expected[i]);
    double *u = velocities(d);
    for (int i = 0; i < 4; i++) {
        memset(u, 0, (size_t)d->nu * sizeof *u);
        u[i ? 2 + i : 0] = u[6 + (i ? 2 + i : 0)] = 1;
        assert_near(twice_kinetic(d, u), 2 * matter[i], 1e-14 * 2 * matter[i]);
    }
    free(u);
    trial_close(&run);
}

/* E = 200, poisson 0.25: G = 80; density 3. Circle of radius 0.5: A = pi/4, I = pi/64, J = pi/32, Cowper's shear factor
 * 6 (1 + nu)/(7 + 6 nu) = 15/17. */
static void circle(void **state) {
    (void)state;
    const double A = pi / 4, I = pi / 64, k = 15.0 / 17;
    assert_section("section: {circle: 0.5}, young: 200, poisson: 0.25, density: 3",
                   (double[]){80 * 2 * I, 200 * I, 200 * I, 200 * A, k * 80 * A, k * 80 * A},
                   (double[]){3 * A, 3 * 2 * I, 3 * I, 3 * I}, 1e-6);
    assert_section("section: {circle: 0.5}, young: 200, shear: 70, shear_factor: 1, density: 3",
                   (double[]){70 * 2 * I, 200 * I, 200 * I, 200 * A, 70 * A, 70 * A},
                   (double[]){3 * A, 3 * 2 * I, 3 * I, 3 * I}, 1e-6);
}

/* Saint-Venant's torsion constant of a rectangle with edges a >= b as a series, an independent reference for the
 * formula of the code, which is accurate to half a percent: a b^3 (1/3 - 64 b/(pi^5 a) sum tanh(n pi a/(2 b))/n^5, n
 * odd). */
static double torsion(double a, double b) {
    double sum = 0;
    for (int n = 1; n < 200; n += 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * b * b * b * (1.0 / 3 - 64 * b / (pow(pi, 5) * a) * sum);
}

/* Edges 0.4 along y, 0.1 along z: I about y is y z^3/12. */
static void rectangle(void **state) {
    (void)state;
    const double A = 0.04, I2 = 0.4 * 1e-3 / 12, I3 = 0.1 * 0.064 / 12, k = 5.0 / 6;
    assert_section("section: {rectangle: [0.4, 0.1]}, young: 200, poisson: 0.25, density: 3",
                   (double[]){80 * torsion(0.4, 0.1), 200 * I2, 200 * I3, 200 * A, k * 80 * A, k * 80 * A},
                   (double[]){3 * A, 3 * (I2 + I3), 3 * I2, 3 * I3}, 5e-3);
    assert_section(
        "section: {rectangle: [0.2, 0.2]}, young: 200, poisson: 0.25, density: 3",
        (double[]){80 * torsion(0.2, 0.2), 200 * 1.6e-3 / 12, 200 * 1.6e-3 / 12, 200 * A, k * 80 * A, k * 80 * A},
        (double[]){3 * A, 3 * 2 * 1.6e-3 / 12, 3 * 1.6e-3 / 12, 3 * 1.6e-3 / 12}, 5e-3);
    assert_section("section: {area: 0.04, bending: [1e-4, 2e-4], torsion: 4e-4}, young: 200, poisson: 0.25, density: 3",
                   (double[]){80 * 4e-4, 200 * 1e-4, 200 * 2e-4, 200 * A, 80 * A, 80 * A},
                   (double[]){3 * A, 3 * 3e-4, 3 * 1e-4, 3 * 2e-4}, 1e-6);
}

/* ---- motion */

/* In steady rotation the axial strain at s is m w^2 (L^2 - s^2)/(2 EA), so the arm is longer by m w^2 L^3/(3 EA) =
 * 5.143e-4 m (the hinge holds the axis, and the strain of 1e-4 changes radii by no more than that). It is started
 * there: at w with the velocity of a rigid arm of the reference length it oscillates about this stretch, so the mean
 * over whole periods of the first mode, 4 L sqrt(m/EA) = 8.28 ms, is compared. 0.5 percent: the error of 8 elements in
 * the sum of s^2 is 1/(2 n)^2 = 0.4 percent at most; higher modes take part with less than 1/9 of the amplitude. */
static void steady_stretch(void **state) {
    (void)state;
    const double period = 40 * sqrt(1.2 / 2.8e7), dt = period / 50;
    char step[64], until[64];
    snprintf(step, sizeof step, "run.dt=%.17g", dt);
    snprintf(until, sizeof until, "run.until=%.17g", 20 * period);
    trial run =
        trial_scene("gallery/spin_up", "model.define.psi=w*t", "model.beams.arm.angular_velocity=w", step, until, NULL);
    double sum = 0;
    for (int k = 0; k < 20 * 50; k++) {
        trial_step(&run);
        sum += trial_value(&run, "stretch");
    }
    assert_near(sum / (20 * 50), 1.2 * 36 * 1000 / (3 * 2.8e7), 0.005 * 5.143e-4);
    trial_close(&run);
}

/* The same beam in the plane and in space, bent, turning and falling: to what rattle solves for, and rounding. */
static void planar_is_spatial(void **state) {
    (void)state;
    static const char *const text = "carom: 1\nmodel:\n  gravity: [0, -9.81]\n  beams:\n"
                                    "    b: {type: %s, elements: 3, curve: [s, 0.2*s^2], velocity: [1, 2%s], "
                                    "angular_velocity: %s, mass: consistent,\n"
                                    "        section: {rectangle: [0.1, 0.2]}, young: 1e4, poisson: 0.3, density: 10}\n"
                                    "  loads: {tip: {body: b4, force: [0, 2*sin(5*t)%s]}}\n"
                                    "run: {integrator: lobatto, stages: 4, dt: 5e-4, until: 0.1, tolerance: 1e-13}\n";
    trial flat = trial_text(text, "planar", "", "3", ""),
          space = trial_text(text, "spatial", ", 0", "[0, 0, 3]", ", 0");
    trial_finish(&flat);
    trial_finish(&space);
    for (int k = 1; k <= 4; k++) {
        static const char *const same[] = {"x", "y", "x_dot", "y_dot"};
        char name[32];
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "b%d.%s", k, same[i]);
            assert_near(trial_value(&flat, name), trial_value(&space, name), 1e-9);
        }
        snprintf(name, sizeof name, "b%d.z", k);
        assert_near(trial_value(&space, name), 0, 1e-14);
    }
    trial_close(&flat);
    trial_close(&space);
}

/* The axial stiffness is so large that round-off in the positions moves the residual of a step by more than its
 * tolerance of 1e-10. Newton's method is done after a few steps all the same; it used to take thousands, in 128 parts.
 */
static void stiff_forces(void **state) {
    (void)state;
    trial run = trial_scene("gallery/spin_up", "run.until=4", NULL);
    trial_finish(&run);
    for (int k = 0; k < carom_sim_stages(run.sim); k++) assert_at_most(carom_sim_newton_max(run.sim, k), 8);
    assert_int_equal(carom_sim_substeps(run.sim), 0);
    trial_close(&run);
}

/* Of four turns, eight elements are half a turn each, whose strain (DB1) is not defined. A loop of one element ends
 * where it begins. */
static void impossible_elements(void **state) {
    (void)state;
    static const char *const told[2][2] = {
        {"8, curve: [cos(8*pi*s), sin(8*pi*s), s]", "element 1 of beam 'b' is bent by half a turn; take more elements"},
        {"1, curve: [s*(1 - s), s*(1 - s)*(1 - 2*s), 0]", "element 1 of beam 'b' has no length"}};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "carom: 1\nmodel:\n  beams:\n    b: {type: spatial, elements: %s, stiffness: [1, 1, 1, 1, 1, 1], "
                 "mass_per_length: 1, inertia_per_length: [1, 1, 1]}\nrun: {integrator: rattle, dt: 1, until: 1}\n",
                 told[i][0]);
        carom_scene *scene;
        carom_error error;
        assert_int_not_equal(carom_scene_parse(text, strlen(text), "test", NULL, 0, &scene, &error), CAROM_OK);
        printf("%s\n", error.message);
        assert_non_null(strstr(error.message, told[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_forces),
        cmocka_unit_test(quarter_circle),
        cmocka_unit_test(helix),
        cmocka_unit_test(masses),
        cmocka_unit_test(circle),
        cmocka_unit_test(rectangle),
        cmocka_unit_test(steady_stretch),
        cmocka_unit_test(planar_is_spatial),
        cmocka_unit_test(impossible_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
