/* Geometrically exact beams at rest and in small vibrations: exact answers of the discrete beam, published ones of the
 * true beam, and the order in which the first come to the second (docs/theory/elements.md). */
#include "support/beams.h"
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A square cross-section of side a, nu = 0: G = E/2, the polar moment in torsion, shear by the whole area times k. */
typedef struct section {
    double stiffness[6];
} section;

static section square(double E, double a, double k) {
    double A = a * a, I = A * A / 12;
    return (section){{E / 2 * 2 * I, E * I, E * I, E * A, k * E / 2 * A, k * E / 2 * A}};
}

/* ---------------------------------------------------------------- pure bending */

/* tan(x) (1 + tan(x)^2) = y by Newton's method: (DB11) with x = alpha/2 */
static double half_angle(double y) {
    double tangent = y;
    for (int k = 0; k < 50; k++) tangent -= (tangent * (1 + tangent * tangent) - y) / (1 + 3 * tangent * tangent);
    return atan(tangent);
}

/* Rolled up by M = 2 pi EI/l: every node where (DB11) has it, and the end to the true circle in second order. */
static void roll_up(const elastic *kind, int elements, double *miss) {
    const double l = 2;
    section s = square(1e4, 0.1, 1);
    beam_chain c = chain_straight(kind, elements, l, s.stiffness);
    double load[6 * (CHAIN_ELEMENTS + 1)] = {0}, EI = s.stiffness[2];
    load[chain_nu(&c) * (elements + 1) - 1] = 2 * M_PI * EI / l;
    chain_ramp(&c, load, 20);
    double half = half_angle(M_PI / elements), radius = l / elements / (2 * tan(half));
    for (int i = 0; i <= elements; i++) {
        const double *q = chain_node(&c, i);
        /* rounding 1e-16 of EA against EI/l^2, 1200 times smaller, over the elements */
        assert_near(q[0], radius * sin(2 * half * i), 1e-11);
        assert_near(q[1], radius * (1 - cos(2 * half * i)), 1e-11);
        double angle = kind == &elastic_beam ? 2 * atan2(q[6], q[3]) : q[2];
        assert_near(remainder(angle - 2 * half * i, 2 * M_PI), 0, 1e-11);
    }
    const double *end = chain_node(&c, elements);
    *miss = hypot(end[0], end[1]);
}

static void end_moment_rolls_up(void **state) {
    (void)state;
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    for (int k = 0; k < 2; k++) {
        double h[3], miss[3];
        for (int i = 0; i < 3; i++) {
            int elements = 16 << i;
            roll_up(kinds[k], elements, &miss[i]);
            h[i] = 1.0 / elements;
        }
        double order = observed_order(3, h, miss);
        printf("roll-up, %s: end off by %.1e %.1e %.1e of l = 2, order %.2f\n", kinds[k]->name, miss[0], miss[1],
               miss[2], order);
        assert_near(order, 2, 0.1); /* (1/n)^2 terms of higher order at n = 16 */
        /* n alpha = 2 pi - (8/3) pi^3/n^2, arc radius 1/pi; next term of relative size (pi/n)^2 */
        assert_near(miss[2] * 64 * 64, 8.0 / 3 * M_PI * M_PI, 0.02 * 8 / 3 * M_PI * M_PI);
    }
}

/* ---------------------------------------------------------------- bent cantilever of Bathe and Bolourchi */

/* 45 degrees of a circle of radius 100 in the x-y plane from the origin, its tangent there along y, bending to +x. The
 * local x axis is along the tangent. */
static beam_chain bent(int elements) {
    beam_chain c = {.kind = &elastic_beam, .elements = elements};
    for (int i = 0; i <= elements; i++) {
        double angle = M_PI / 4 * i / elements, direction = M_PI / 2 - angle;
        memcpy(chain_node(&c, i),
               (double[7]){100 * (1 - cos(angle)), 100 * sin(angle), 0, cos(direction / 2), 0, 0, sin(direction / 2)},
               7 * sizeof(double));
    }
    section s = square(1e7, 1, 5.0 / 6);
    chain_relax(&c, s.stiffness);
    return c;
}

/* The true beam under a force F along z at its end: with the end at X, the moment at x is (X - x) x F. y = (x, p) along
 * the arc; strains are those of the reference and C^-1 of moment and force in the frame of the cross-section. */
static void true_beam(double arc, const double *y, double *dy, const void *end) {
    (void)arc;
    section s = square(1e7, 1, 5.0 / 6);
    const double *X = end, *p = y + 3, F = 600, back[4] = {p[0], -p[1], -p[2], -p[3]};
    double m[3] = {(X[1] - y[1]) * F, -(X[0] - y[0]) * F, 0}, n[3] = {0, 0, F}, gamma[3] = {1, 0, 0},
           kappa[4] = {0, 0, 0, -0.01};
    quaternion_turn(back, m, m);
    quaternion_turn(back, n, n);
    for (int i = 0; i < 3; i++) kappa[1 + i] += m[i] / s.stiffness[i], gamma[i] += n[i] / s.stiffness[3 + i];
    quaternion_turn(p, gamma, dy);
    quaternion_product(p, kappa, dy + 3);
    for (int i = 3; i < 7; i++) dy[i] /= 2;
}

static void shoot(const double X[2], double tip[3]) {
    double y[7] = {0, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5)};
    ode_solve(7, true_beam, X, 0, 100 * M_PI / 4, y);
    memcpy(tip, y, 3 * sizeof *tip);
}

/* The tip of the true beam by shooting; the Jacobian by differences slows Newton's method down and no more. */
static void true_tip(double tip[3]) {
    double X[2] = {15.9, 47.2}, miss[2], J[4], step = 1e-4;
    for (int iteration = 0; iteration < 8; iteration++) {
        shoot(X, tip);
        for (int i = 0; i < 2; i++) miss[i] = tip[i] - X[i];
        for (int j = 0; j < 2; j++) {
            double moved[2] = {X[0] + (j == 0) * step, X[1] + (j == 1) * step}, there[3];
            shoot(moved, there);
            for (int i = 0; i < 2; i++) J[2 * i + j] = (there[i] - moved[i] - miss[i]) / step;
        }
        eliminate(2, 1, J, miss);
        for (int i = 0; i < 2; i++) X[i] -= miss[i];
    }
    assert_near(hypot(miss[0], miss[1]), 0, 1e-9);
}

static void bent_cantilever(void **state) {
    (void)state;
    const double published[3] = {15.9, 47.2, 53.4}; /* Bathe and Bolourchi 1979, 8 elements */
    double h[4], error[4], truth[3];
    true_tip(truth);
    printf("bent cantilever, no elements: tip %.4f %.4f %.4f\n", truth[0], truth[1], truth[2]);
    for (int i = 0; i < 4; i++) {
        beam_chain c = bent(8 << i);
        double load[6 * (CHAIN_ELEMENTS + 1)] = {0}, *tip = chain_node(&c, c.elements);
        load[6 * c.elements + 2] = 600;
        chain_ramp(&c, load, 6);
        h[i] = 1.0 / c.elements;
        error[i] = 0;
        printf("bent cantilever, %2d elements: tip %.4f %.4f %.4f\n", c.elements, tip[0], tip[1], tip[2]);
        for (int k = 0; k < 3; k++) {
            error[i] = fmax(error[i], fabs(tip[k] - truth[k]));
            /* 1 % of the length of the beam, 78.5: what elements of several authors differ by */
            assert_near(tip[k], published[k], 0.8);
        }
    }
    double order = observed_order(4, h, error);
    printf("bent cantilever: off by %.1e .. %.1e, order %.2f\n", error[0], error[3], order);
    assert_near(order, 2, 0.1);
}

/* Force and moment applied one after the other, in either order and together. */
static void loads_in_any_order(void **state) {
    (void)state;
    double moment[6 * 9] = {0}, both[6 * 9] = {0}, force[6 * 9] = {0};
    force[6 * 8 + 2] = both[6 * 8 + 2] = 600;
    moment[6 * 8 + 3] = both[6 * 8 + 3] = 4000;
    moment[6 * 8 + 5] = both[6 * 8 + 5] = -6000;
    beam_chain first = bent(8), second = bent(8), at_once = bent(8);
    chain_ramp(&first, force, 6);
    chain_ramp(&first, both, 6);
    chain_ramp(&second, moment, 4);
    chain_ramp(&second, both, 8);
    chain_ramp(&at_once, both, 10);
    double none[6 * 9] = {0};
    for (int i = 0; i < 7 * 9; i++) {
        assert_near(first.q[i], second.q[i],
                    1e-9); /* rounding: 1e-16 of EA against EI/l^2, 7e4 times smaller, times l */
        assert_near(first.q[i], at_once.q[i], 1e-9);
    }
    beam_chain start = bent(8);
    chain_ramp(&first, none, 12);
    for (int i = 0; i < 7 * 9; i++) assert_near(first.q[i], start.q[i], 1e-9);
}

/* A clamped arch is in equilibrium as it is: no stress from the curvature of the reference. */
static void curved_references_are_free_of_stress(void **state) {
    (void)state;
    beam_chain c = bent(16);
    double f[6 * 17];
    chain_forces(&c, f, NULL);
    for (int i = 0; i < 6 * 17; i++) assert_near(f[i], 0, 0);
    assert_near(chain_energy(&c), 0, 0);
}

/* ---------------------------------------------------------------- locking */

/* Displacement of the end by a force along coordinate i there, small: from the tangent stiffness. Node 0 is held. */
static double compliance(const beam_chain *c, int i) {
    int n = 3 * (c->elements + 1), free_n = n - 3;
    double *K = malloc((size_t)(n * n) * sizeof *K), f[3 * (CHAIN_ELEMENTS + 1)], x[3 * (CHAIN_ELEMENTS + 1)] = {0};
    chain_forces(c, f, K);
    for (int row = 0; row < free_n; row++) memmove(K + row * free_n, K + (row + 3) * n + 3, (size_t)free_n * sizeof *K);
    x[free_n - 3 + i] = 1;
    eliminate(free_n, 5, K, x);
    free(K);
    return x[free_n - 3 + i];
}

/* Rounding in K: 1e-16 of EA against EI, 12/thickness^2 times smaller, and the condition n^2 of bending. */
static double rounding(int elements, double thickness) {
    return 1e-15 * elements * elements * (10 + 12 / pow(thickness, 2));
}

static void thin_beams_do_not_lock(void **state) {
    (void)state;
    for (double thickness = 0.1; thickness > 0.9e-4; thickness /= 10)
        for (int elements = 1; elements <= 32; elements *= 2) {
            section s = square(1, thickness, 5.0 / 6);
            beam_chain c = chain_straight(&elastic_planar_beam, elements, 1, s.stiffness);
            double w = 3 * s.stiffness[2] * compliance(&c, 1);
            double exact = 1 - 0.25 / (elements * elements) + 3 * s.stiffness[2] / s.stiffness[4]; /* (DB12) */
            if (elements == 8) printf("thickness %.0e: deflection %.9f of P l^3/(3 EI), 8 elements\n", thickness, w);
            assert_near(w, exact, rounding(elements, thickness));
        }
}

/* A quarter of a circle of radius 1, clamped, with a radial force at its end: M = P cos(phi), N = P cos(phi),
 * Q = P sin(phi) along the arc, so that the end moves by pi/4 P (1/EI + 1/EA + 1/GA). */
static double arch_error(int elements, double thickness) {
    beam_chain c = {.kind = &elastic_planar_beam, .elements = elements};
    section s = square(1, thickness, 5.0 / 6);
    for (int i = 0; i <= elements; i++) {
        double phi = M_PI / 2 * i / elements;
        memcpy(chain_node(&c, i), (double[3]){sin(phi), 1 - cos(phi), phi}, 3 * sizeof(double));
    }
    chain_relax(&c, s.stiffness);
    double exact = M_PI / 4 * (1 / s.stiffness[2] + 1 / s.stiffness[3] + 1 / s.stiffness[4]);
    return compliance(&c, 0) / exact - 1;
}

static void thin_arches_do_not_lock(void **state) {
    (void)state;
    double h[3], thin[3];
    for (int i = 0; i < 3; i++) {
        int elements = 4 << i;
        h[i] = 1.0 / elements;
        thin[i] = arch_error(elements, 1e-4);
        for (double thickness = 1e-2; thickness > 0.9e-4; thickness /= 10)
            /* stretch and shear share in the displacement by less than 4 thickness^2/12 */
            assert_near(arch_error(elements, thickness), thin[i],
                        pow(thickness, 2) + rounding(elements, thickness) + rounding(elements, 1e-4));
        thin[i] = fabs(thin[i]);
    }
    double order = observed_order(3, h, thin);
    printf("thin arch: off by %.1e %.1e %.1e, order %.2f\n", thin[0], thin[1], thin[2], order);
    assert_near(order, 2, 0.1);
}

/* ---------------------------------------------------------------- vibrations */

/* The eigenvalue of K v = lambda M v nearest to the shift, by inverse iteration, to 1e-7: in K, 1e-16 of GA/L is a
 * part 5e-8 of lambda M. */
static double eigenvalue(int n, const double *K, const double *M, double shift) {
    double *A = malloc((size_t)(n * n) * sizeof *A), *v = malloc((size_t)n * sizeof *v),
           *w = malloc((size_t)n * sizeof *w), lambda = 0, last;
    for (int i = 0; i < n; i++) v[i] = 1 + 0.3 * sin(1.7 * i);
    int iteration = 0;
    do {
        double norm = 0, growth = 0;
        for (int i = 0; i < n * n; i++) A[i] = K[i] - shift * M[i];
        for (int i = 0; i < n; i++) {
            w[i] = 0;
            for (int j = 0; j < n; j++) w[i] += M[i * n + j] * v[j];
        }
        memcpy(v, w, (size_t)n * sizeof *v); /* M v_old */
        eliminate(n, 5, A, w);
        for (int i = 0; i < n; i++) growth += v[i] * w[i];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) norm += w[i] * M[i * n + j] * w[j];
        for (int i = 0; i < n; i++) v[i] = w[i] / sqrt(norm);
        last = lambda;
        lambda = shift + growth / norm; /* Rayleigh's quotient of w */
    } while (fabs(lambda - last) > 1e-7 * lambda && ++iteration < 200);
    free(A), free(v), free(w);
    assert_true(iteration < 200);
    return lambda;
}

/* beta l of the mode near the given one, of a free planar beam with EI = rho A = l = 1: beta^4 = lambda. It is so
 * slender that shear and rotary inertia change lambda by less than 3e-6. */
static double free_mode(int elements, bool consistent, double near) {
    static const int in_plane[3] = {0, 1, 5};
    const double slender = 3e-4, inertia[3] = {0, 0, slender * slender / 12},
                 stiffness[6] = {1, 1, 1, 12 / (slender * slender), 5 / (slender * slender), 1};
    beam_chain c = chain_straight(&elastic_planar_beam, elements, 1, stiffness);
    int n = 3 * (elements + 1);
    double *K = malloc((size_t)(n * n) * sizeof *K), *M = calloc((size_t)(n * n), sizeof *M),
           f[3 * (CHAIN_ELEMENTS + 1)];
    chain_forces(&c, f, K);
    for (int e = 0; e < elements; e++) {
        double block[2][2][6];
        (consistent ? beam_mass_consistent : beam_mass_lumped)(c.beam[e].length, 1, inertia, block);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 3; k++) M[(3 * (e + i) + k) * n + 3 * (e + j) + k] += block[i][j][in_plane[k]];
    }
    double lambda = eigenvalue(n, K, M, pow(near, 4));
    free(K);
    free(M);
    return pow(lambda, 0.25);
}

static void free_beams_vibrate(void **state) {
    (void)state;
    const double beta[3] = {4.73004074, 7.85320462, 10.99560784}; /* cos(b) cosh(b) = 1 */
    for (int consistent = 0; consistent < 2; consistent++)
        for (int mode = 0; mode < 3; mode++) {
            double h[3], error[3];
            for (int i = 0; i < 3; i++) {
                int elements = 16 << i;
                h[i] = 1.0 / elements;
                error[i] = fabs(free_mode(elements, consistent, beta[mode]) / beta[mode] - 1);
            }
            double order = observed_order(3, h, error);
            printf("free beam, mode %d, %s mass: off by %.1e %.1e %.1e, order %.2f\n", mode + 1,
                   consistent ? "consistent" : "lumped", error[0], error[1], error[2], order);
            assert_near(order, 2, 0.1); /* terms of fourth order: (beta/16)^2 of the leading one */
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_moment_rolls_up),    cmocka_unit_test(bent_cantilever),
        cmocka_unit_test(loads_in_any_order),     cmocka_unit_test(curved_references_are_free_of_stress),
        cmocka_unit_test(thin_beams_do_not_lock), cmocka_unit_test(thin_arches_do_not_lock),
        cmocka_unit_test(free_beams_vibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
