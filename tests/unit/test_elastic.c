/* Beam elements and elastic elements of a formula model: forces and their derivatives against differences, Cayley's
 * strain against its definition by matrices, invariance under rigid motions, equilibrium of an element, reference
 * shapes, masses; and the hook that adds elements to formulas. */
#include "model/formula/formula_model.h"
#include "support/beams.h"
#include "support/random_scene.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20 };

/* ---------------------------------------------------------------- frames */

/* Quaternions of any norm, positions in a box of side 2. */
static void random_node(random_numbers *r, double q[7]) {
    for (int i = 0; i < 3; i++) q[i] = random_between(r, -1, 1);
    double norm = 0, scale = random_between(r, 0.3, 3);
    while (norm < 0.1 || norm > 1) {
        norm = 0;
        for (int i = 3; i < 7; i++) q[i] = random_between(r, -1, 1), norm += q[i] * q[i];
    }
    for (int i = 3; i < 7; i++) q[i] *= scale / sqrt(norm);
}

/* Turned by at most about 2.5 against each other: omega below 6, where differences are still good. */
static void random_nodes(random_numbers *r, double q[14]) {
    double e0;
    do {
        random_node(r, q);
        random_node(r, q + 7);
        double n1 = 0, n2 = 0;
        e0 = 0;
        for (int i = 3; i < 7; i++) e0 += q[i] * q[7 + i], n1 += q[i] * q[i], n2 += q[7 + i] * q[7 + i];
        e0 /= sqrt(n1 * n2);
    } while (fabs(e0) < 0.3);
}

static beam random_beam(random_numbers *r) {
    beam b = {.length = random_between(r, 0.5, 2)};
    for (int i = 0; i < 6; i++) b.stiffness[i] = random_between(r, 0.5, 2), b.strain[i] = random_between(r, -1, 1);
    return b;
}

/* ---------------------------------------------------------------- derivatives */

/* Five points: the error is 4e-14 of the fifth derivative and a few 1e-13 of rounding. */
static const double difference_step = 1e-3;

static void differences(const elastic *kind, const beam *b, double *q, int j, double *V_q, double *f_q) {
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, shift[] = {-2, -1, 1, 2};
    double kept = q[j], V, f[12];
    *V_q = 0;
    memset(f_q, 0, (size_t)kind->nu * sizeof *f_q);
    for (int k = 0; k < 4; k++) {
        q[j] = kept + shift[k] * difference_step;
        assert_int_equal(kind->evaluate(b, q, &V, f, NULL), 0);
        *V_q += weight[k] * V / difference_step;
        for (int i = 0; i < kind->nu; i++) f_q[i] += weight[k] * f[i] / difference_step;
    }
    q[j] = kept;
}

/* -V_q B of a node, B w = p (0, w)/2 */
static void force_of_node(const double *node, const double *V_q, double *f) {
    for (int i = 0; i < 3; i++) {
        double w[4] = {0, i == 0, i == 1, i == 2}, p_dot[4];
        quaternion_product(node + 3, w, p_dot);
        f[i] = -V_q[i], f[3 + i] = 0;
        for (int k = 0; k < 4; k++) f[3 + i] -= V_q[3 + k] * p_dot[k] / 2;
    }
}

static void forces_and_derivatives(const elastic *kind, const beam *b, double *q) {
    double V, f[12], f_q[12 * 14], V_q[14], column[12], expected[12];
    assert_int_equal(kind->evaluate(b, q, &V, f, f_q), 0);
    /* fifth derivatives grow like 1/(cos(angle/2))^7 |p|^-5: a few 1e6 of the value at the states taken here */
    double size = 1;
    for (int i = 0; i < kind->nu * kind->nq; i++) size = fmax(size, fabs(f_q[i]));
    for (int j = 0; j < kind->nq; j++) {
        differences(kind, b, q, j, &V_q[j], column);
        for (int i = 0; i < kind->nu; i++) assert_near(f_q[kind->nq * i + j], column[i], 1e-7 * size);
    }
    if (kind == &elastic_beam)
        for (int node = 0; node < 2; node++) force_of_node(q + 7 * node, V_q + 7 * node, expected + 6 * node);
    else
        for (int i = 0; i < 6; i++) expected[i] = -V_q[i];
    for (int i = 0; i < kind->nu; i++) assert_near(f[i], expected[i], 1e-7 * size);
}

static void derivatives_agree(void **state) {
    (void)state;
    random_numbers r = {1};
    for (int k = 0; k < STATES; k++) {
        double q[14];
        random_nodes(&r, q);
        beam b = random_beam(&r);
        forces_and_derivatives(&elastic_beam, &b, q);
        for (int i = 0; i < 6; i++) q[i] = random_between(&r, -1, 1);
        forces_and_derivatives(&elastic_planar_beam, &b, q);
    }
}

/* Forces by the data of an element, along a random direction (DB16), (DB17): the same five points. */
static void derivatives_by_data_agree(void **state) {
    (void)state;
    enum { NUMBERS = sizeof(beam) / sizeof(double) };
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, shift[] = {-2, -1, 1, 2};
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    random_numbers r = {3};
    for (int k = 0; k < 2 * STATES; k++) {
        const elastic *kind = kinds[k % 2];
        double q[14], data[NUMBERS], moved[NUMBERS], rate[NUMBERS] = {0}, f[12], f_rate[12], sum[12] = {0};
        beam b = random_beam(&r);
        double *const nodes[] = {q, b.reference};
        for (int i = 0; i < 2; i++) {
            if (k % 2 == 0) random_nodes(&r, nodes[i]);
            for (int j = 0; j < 6 && k % 2; j++) nodes[i][j] = random_between(&r, -1, 1);
        }
        kind->derive(&b);
        memcpy(data, &b, sizeof data);
        for (int i = 0; i < BEAM_GIVEN; i++) rate[i] = random_between(&r, -1, 1);
        kind->derive_rate(data, rate);
        for (int n = 0; n < 4; n++) {
            for (int i = 0; i < BEAM_GIVEN; i++) moved[i] = data[i] + shift[n] * difference_step * rate[i];
            kind->derive(moved);
            assert_int_equal(kind->evaluate(moved, q, NULL, f, NULL), 0);
            for (int i = 0; i < kind->nu; i++) sum[i] += weight[n] * f[i] / difference_step;
        }
        assert_int_equal(kind->by_data(data, rate, q, f_rate), 0);
        double size = 1;
        for (int i = 0; i < kind->nu; i++) size = fmax(size, fabs(sum[i]));
        for (int i = 0; i < kind->nu; i++) assert_near(f_rate[i], sum[i], 1e-7 * size);
    }
}

/* Each result is the same whatever else is asked for. */
static void results_do_not_depend_on_selection(void **state) {
    (void)state;
    random_numbers r = {2};
    double q[14], V, f[12], f_q[12 * 14], alone_V, alone_f[12], alone_f_q[12 * 14];
    random_nodes(&r, q);
    beam b = random_beam(&r);
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(kinds[k]->evaluate(&b, q, &V, f, f_q), 0);
        assert_int_equal(kinds[k]->evaluate(&b, q, &alone_V, NULL, NULL), 0);
        assert_int_equal(kinds[k]->evaluate(&b, q, NULL, alone_f, NULL), 0);
        assert_int_equal(kinds[k]->evaluate(&b, q, NULL, NULL, alone_f_q), 0);
        assert_memory_equal(&V, &alone_V, sizeof V);
        assert_memory_equal(f, alone_f, (size_t)kinds[k]->nu * sizeof *f);
        assert_memory_equal(f_q, alone_f_q, (size_t)(kinds[k]->nu * kinds[k]->nq) * sizeof *f);
    }
}

/* ---------------------------------------------------------------- strain */

/* g = (I - X/2)^-1 (I + X/2) for X = [omega^ gamma; 0 0], as its definition has it: node 2 from node 1. */
static void cayley(const double x[6], double g[4][4]) {
    double X[4][4] = {{0, -x[2], x[1], x[3]}, {x[2], 0, -x[0], x[4]}, {-x[1], x[0], 0, x[5]}, {0, 0, 0, 0}};
    for (int j = 0; j < 4; j++) {
        double A[16], column[4];
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 4; k++) A[4 * i + k] = (i == k) - X[i][k] / 2;
            column[i] = (i == j) + X[i][j] / 2;
        }
        eliminate(4, 3, A, column);
        for (int i = 0; i < 4; i++) g[i][j] = column[i];
    }
}

/* The quaternion of a rotation by less than pi. */
static void quaternion_of(double g[4][4], double p[4]) {
    double p0 = sqrt(1 + g[0][0] + g[1][1] + g[2][2]) / 2;
    p[0] = p0;
    p[1] = (g[2][1] - g[1][2]) / (4 * p0);
    p[2] = (g[0][2] - g[2][0]) / (4 * p0);
    p[3] = (g[1][0] - g[0][1]) / (4 * p0);
}

static void strain_is_that_of_cayley(void **state) {
    (void)state;
    random_numbers r = {3};
    for (int k = 0; k < STATES; k++) {
        double x[6], g[4][4], q[14], e[4], V, expected = 0;
        beam b = random_beam(&r);
        for (int i = 0; i < 6; i++) x[i] = random_between(&r, -2, 2);
        cayley(x, g);
        quaternion_of(g, e);
        random_node(&r, q);
        double step[3] = {g[0][3], g[1][3], g[2][3]};
        quaternion_turn(q + 3, step, step);
        for (int i = 0; i < 3; i++) q[7 + i] = q[i] + step[i];
        quaternion_product(q + 3, e, q + 10);
        for (int i = 0; i < 6; i++) expected += b.length / 2 * b.stiffness[i] * pow(x[i] / b.length - b.strain[i], 2);
        assert_int_equal(elastic_beam.evaluate(&b, q, &V, NULL, NULL), 0);
        assert_near(V, expected, 1e-12 * expected); /* rounding of some hundred operations on numbers up to ten */
    }
}

/* A node and the strain of an element between it and another lead to the other, up to the norm of its quaternion; and
 * the velocity between two poses leads from one to the other by Cayley's step. */
static void strain_leads_to_the_next_node(void **state) {
    (void)state;
    random_numbers r = {11};
    const double stiffness[6] = {1, 1, 1, 1, 1, 1};
    for (int n = 0; n < STATES; n++) {
        double q[14], next[7], u[6], e[4];
        beam b;
        random_nodes(&r, q);
        assert_true(element_between(&b, stiffness, q, q + 7));
        element_next(b.length, b.strain, q, next);
        double norm = 0, along = 0, own = 0;
        for (int i = 3; i < 7; i++) norm += next[i] * next[i], along += next[i] * q[7 + i], own += q[7 + i] * q[7 + i];
        for (int i = 0; i < 3; i++) assert_near(next[i], q[7 + i], 1e-13);
        assert_near(fabs(along) / sqrt(norm * own), 1, 1e-14);
        assert_true(element_velocity(q, q + 7, 0.5, u));
        const double half[4] = {1, u[3] / 4, u[4] / 4, u[5] / 4}; /* (1, h w/2) */
        quaternion_product(q + 3, half, e);
        norm = along = 0;
        for (int i = 0; i < 4; i++) norm += e[i] * e[i], along += e[i] * q[10 + i];
        assert_near(fabs(along) / sqrt(norm * own), 1, 1e-14);
        for (int i = 0; i < 3; i++) assert_near(q[i] + 0.5 * u[i], q[7 + i], 1e-14);
    }
}

/* Seen from the other end: g^-1 has the opposite strain. */
static void ends_are_equal(void **state) {
    (void)state;
    random_numbers r = {4};
    for (int k = 0; k < STATES; k++) {
        double q[14], back[14], V, V_back, f[12], f_back[12];
        beam b = random_beam(&r), b_back = b;
        random_nodes(&r, q);
        memcpy(back, q + 7, 7 * sizeof *q);
        memcpy(back + 7, q, 7 * sizeof *q);
        for (int i = 0; i < 6; i++) b_back.strain[i] = -b.strain[i];
        assert_int_equal(elastic_beam.evaluate(&b, q, &V, f, NULL), 0);
        assert_int_equal(elastic_beam.evaluate(&b_back, back, &V_back, f_back, NULL), 0);
        assert_near(V, V_back, 1e-12 * V); /* rounding, with strains up to 20 */
        for (int i = 0; i < 12; i++) assert_near(f[i], f_back[(i + 6) % 12], 1e-12 * (1 + V));
    }
}

/* ---------------------------------------------------------------- invariance */

/* A rigid motion leaves the energy alone, turns forces and carries the moments in the nodes along. */
static void rigid_motions_do_no_work(void **state) {
    (void)state;
    random_numbers r = {5};
    for (int k = 0; k < STATES; k++) {
        double q[14], moved[14], motion[7], V, V_moved, f[12], f_moved[12];
        beam b = random_beam(&r);
        random_nodes(&r, q);
        random_node(&r, motion);
        for (int node = 0; node < 14; node += 7) {
            quaternion_turn(motion + 3, q + node, moved + node);
            for (int i = 0; i < 3; i++) moved[node + i] += motion[i];
            quaternion_product(motion + 3, q + node + 3, moved + node + 3);
        }
        assert_int_equal(elastic_beam.evaluate(&b, q, &V, f, NULL), 0);
        assert_int_equal(elastic_beam.evaluate(&b, moved, &V_moved, f_moved, NULL), 0);
        assert_near(V, V_moved, 1e-12 * V); /* rounding */
        quaternion_turn(motion + 3, f, f);
        quaternion_turn(motion + 3, f + 6, f + 6);
        for (int i = 0; i < 12; i++) assert_near(f[i], f_moved[i], 1e-12 * (1 + V));
    }
}

/* The two ends of an element balance each other, forces and moments. */
static void an_element_is_in_balance(void **state) {
    (void)state;
    random_numbers r = {6};
    for (int k = 0; k < STATES; k++) {
        double q[14], V, f[12], m1[3], m2[3];
        beam b = random_beam(&r);
        random_nodes(&r, q);
        assert_int_equal(elastic_beam.evaluate(&b, q, &V, f, NULL), 0);
        quaternion_turn(q + 3, f + 3, m1);
        quaternion_turn(q + 10, f + 9, m2);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            double arm = (q[7 + j] - q[j]) * f[6 + l] - (q[7 + l] - q[l]) * f[6 + j];
            assert_near(f[i] + f[6 + i], 0, 0);
            assert_near(m1[i] + m2[i] + arm, 0, 1e-12 * (1 + V)); /* rounding */
        }
    }
}

/* At an angle of pi, at a quaternion of zero and at what is no number there is no strain. */
static void undefined_where_turned_by_pi(void **state) {
    (void)state;
    random_numbers r = {7};
    beam b = random_beam(&r);
    double f[12], q[14] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, cos(M_PI / 2), 0.6 * sin(M_PI / 2), 0, 0.8 * sin(M_PI / 2)};
    assert_int_not_equal(elastic_beam.evaluate(&b, q, NULL, f, NULL), 0);
    q[10] = 1e-9;
    assert_int_equal(elastic_beam.evaluate(&b, q, NULL, f, NULL), 0);
    q[10] = NAN;
    assert_int_not_equal(elastic_beam.evaluate(&b, q, NULL, f, NULL), 0);
    memset(q + 10, 0, 4 * sizeof *q);
    assert_int_not_equal(elastic_beam.evaluate(&b, q, NULL, f, NULL), 0);
    double flat[6] = {0, 0, 0.3, 1, 0, 0.3 + M_PI};
    assert_int_not_equal(elastic_planar_beam.evaluate(&b, flat, NULL, f, NULL), 0);
}

/* ---------------------------------------------------------------- reference and mass */

static const double unit_stiffness[6] = {1, 1, 1, 1, 1, 1};

/* Frames of a helix, radius 2, pitch 3 per radian, x along the tangent: length sqrt(13) per radian. */
static void helix_node(double angle, double q[7]) {
    double slope = atan2(3, 2), about_z[4] = {cos(angle / 2 + M_PI / 4), 0, 0, sin(angle / 2 + M_PI / 4)},
           about_y[4] = {cos(slope / 2), 0, -sin(slope / 2), 0};
    q[0] = 2 * cos(angle), q[1] = 2 * sin(angle), q[2] = 3 * angle;
    quaternion_product(about_z, about_y, q + 3);
}

static void reference_is_free_of_stress(void **state) {
    (void)state;
    beam b;
    double q[14], V, f[12];
    for (int k = 1; k < 6; k++) {
        helix_node(0.4, q);
        helix_node(0.4 + 0.5 * k, q + 7);
        assert_true(element_between(&b, unit_stiffness, q, q + 7));
        assert_near(b.length, sqrt(13) * 0.5 * k, 1e-14 * 10 * k); /* rounding */
        assert_int_equal(elastic_beam.evaluate(&b, q, &V, f, NULL), 0);
        assert_near(V, 0, 0);
        for (int i = 0; i < 12; i++) assert_near(f[i], 0, 0);
    }
    double flat[6] = {0, 0, 0.2, 2 * sin(0.7), 2 - 2 * cos(0.7), 0.9}; /* an arc of radius 2, its tangent at -0.2 */
    assert_true(element_between_planar(&b, unit_stiffness, flat, flat + 3));
    assert_near(b.length, 1.4, 1e-14);
    assert_int_equal(elastic_planar_beam.evaluate(&b, flat, &V, f, NULL), 0);
    for (int i = 0; i < 6; i++) assert_near(f[i], 0, 0);
    assert_false(element_between_planar(&b, unit_stiffness, flat, flat));
    double opposite[6] = {0, 0, 0, 1, 0, M_PI};
    assert_false(element_between_planar(&b, unit_stiffness, opposite, opposite + 3));
}

static double twice_kinetic(double block[2][2][6], const double u[2][6]) {
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 6; k++) sum += u[i][k] * block[i][j][k] * u[j][k];
    return sum;
}

/* Against the integral over the velocity between the nodes: linear by Simpson's rule, which is exact for its square;
 * and that of the nearer node. */
static void masses_are_integrals(void **state) {
    (void)state;
    const double length = 0.8, mass = 1.3, inertia[3] = {0.3, 0.1, 0.2};
    const double u[2][6] = {{1, 2, -1, 0.5, 3, 1}, {-2, 1, 0.3, 2, -1, 0.7}};
    double block[2][2][6], linear = 0, nearest = 0;
    for (int k = 0; k < 6; k++) {
        double density = k < 3 ? mass : inertia[k - 3], middle = (u[0][k] + u[1][k]) / 2;
        linear += density * length * (u[0][k] * u[0][k] + 4 * middle * middle + u[1][k] * u[1][k]) / 6;
        nearest += density * length * (u[0][k] * u[0][k] + u[1][k] * u[1][k]) / 2;
    }
    beam_mass_consistent(length, mass, inertia, block);
    assert_near(twice_kinetic(block, u), linear, 1e-14 * linear);
    beam_mass_lumped(length, mass, inertia, block);
    assert_near(twice_kinetic(block, u), nearest, 1e-14 * nearest);
}

/* ---------------------------------------------------------------- elements in a formula model */

/* Curved and out of its reference, with quaternions of any norm and all velocities at work. */
static beam_chain bent_chain(const elastic *kind, int elements, random_numbers *r) {
    static const double stiffness[6] = {1.5, 2, 3, 40, 30, 20};
    beam_chain c = chain_straight(kind, elements, 2, stiffness);
    double displacement[6 * (CHAIN_ELEMENTS + 1)];
    for (int i = 0; i < chain_nu(&c) * (elements + 1); i++) displacement[i] = random_between(r, -0.2, 0.2);
    chain_move(&c, displacement);
    for (int i = 0; kind == &elastic_beam && i <= elements; i++) {
        double scale = random_between(r, 0.5, 2);
        for (int k = 3; k < 7; k++) chain_node(&c, i)[k] *= scale;
    }
    return c;
}

static const chain_matter matter = {.mass = 1.2, .inertia = {0.3, 0.1, 0.2}, .gravity = 9.81, .consistent = true};

/* The model's own check compares h, b, V and their derivatives with each other; here V and f with the elements. */
static void a_model_has_the_forces_of_its_elements(void **state) {
    (void)state;
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    random_numbers r = {8};
    for (int k = 0; k < 2; k++) {
        beam_chain c = bent_chain(kinds[k], 4, &r);
        chain_matter light = matter;
        light.gravity = 0;
        double u0[30] = {0}, f[30], h[30], b[30], V, moving[30];
        for (int i = 0; i < 30; i++) moving[i] = random_between(&r, -1, 1);
        carom_model_destroy(chain_model(&c, &matter, moving));
        carom_model *model = chain_model(&c, &light, u0);
        const carom_model_def *d = carom_model_get(model);
        assert_int_equal(d->energy(d->context, 0, c.q, u0, NULL, &V), 0);
        assert_near(V, chain_energy(&c), 1e-14 * V);
        chain_forces(&c, f, NULL);
        assert_int_equal(d->force(d->context, 0, c.q, u0, h, NULL, NULL), 0);
        assert_int_equal(d->momentum(d->context, 0, c.q, u0, NULL, NULL, b, NULL, NULL), 0);
        for (int i = 0; i < d->nu; i++) assert_near(h[i], f[i], 0), assert_near(b[i], f[i], 0);
        int first = d->h_q.start[1] - d->h_q.start[0],
            middle = d->h_q.start[2 * chain_nu(&c) + 1] - d->h_q.start[2 * chain_nu(&c)];
        assert_int_equal(first, 2 * chain_nq(&c)); /* sparse: a node sees its neighbours */
        assert_int_equal(middle, 3 * chain_nq(&c));
        carom_model_destroy(model);
    }
}

/* An element that is not defined at a state makes the functions of the model say so. */
static void undefined_elements_are_reported(void **state) {
    (void)state;
    random_numbers r = {9};
    beam_chain c = bent_chain(&elastic_planar_beam, 3, &r);
    double u0[12] = {0}, h[12], b[12], V;
    carom_model *model = chain_model(&c, &matter, u0);
    const carom_model_def *d = carom_model_get(model);
    chain_node(&c, 2)[2] = chain_node(&c, 1)[2] + M_PI;
    assert_int_not_equal(d->force(d->context, 0, c.q, u0, h, NULL, NULL), 0);
    assert_int_not_equal(d->momentum(d->context, 0, c.q, u0, NULL, NULL, b, NULL, NULL), 0);
    assert_int_not_equal(d->energy(d->context, 0, c.q, u0, NULL, &V), 0);
    chain_node(&c, 2)[2] = chain_node(&c, 1)[2];
    chain_node(&c, 2)[0] = 1e200; /* V overflows */
    assert_int_not_equal(d->energy(d->context, 0, c.q, u0, NULL, &V), 0);
    carom_model_destroy(model);
}

/* Two nodes in the plane, q_dot = u but for x of the second one. */
static carom_status create_pair(double drift, const int *u_places, int *index, formula_part *part, carom_error *error) {
    static const double q0[6] = {0, 0, 0, 1, 0, 0}, u0[6] = {0};
    static const int q_places[6] = {0, 1, 2, 3, 4, 5};
    graph *g = graph_create();
    beam b;
    assert_true(element_between_planar(&b, unit_stiffness, q0, q0 + 3));
    expr q_dot[6], T = expr_number(g, 0);
    for (int i = 0; i < 6; i++) {
        q_dot[i] = expr_symbol(g, 7 + i);
        T = expr_binary(g, OP_ADD, T, expr_binary(g, OP_MUL, q_dot[i], q_dot[i]));
    }
    q_dot[3] = expr_binary(g, OP_ADD, q_dot[3], expr_number(g, drift));
    elastic_element elements[] = {{&elastic_planar_beam, q_places, q_places},
                                  {&elastic_planar_beam, q_places, u_places}};
    expr numbers[2 * BEAM_GIVEN];
    for (int i = 0; i < 2; i++) element_numbers(g, &b, numbers + BEAM_GIVEN * i);
    formula_def def = {.g = g,
                       .nq = 6,
                       .nu = 6,
                       .q0 = q0,
                       .u0 = u0,
                       .q_dot = q_dot,
                       .kinetic = T,
                       .potential = -1,
                       .dissipation = -1,
                       .elastics = 2,
                       .elastic = elements,
                       .elastic_number = numbers};
    carom_model *model = NULL;
    carom_status status = formula_model_create(&def, &model, part, index, error);
    carom_model_destroy(model);
    graph_destroy(g);
    return status;
}

/* Where coordinates of an element move by something that it does not know, its forces would not be those of its
 * energy. */
static void elements_need_their_velocities(void **state) {
    (void)state;
    static const int right[6] = {0, 1, 2, 3, 4, 5}, wrong[6] = {0, 1, 2, 2, 4, 5};
    formula_part part;
    int index;
    carom_error error;
    assert_int_equal(create_pair(0, right, &index, &part, &error), CAROM_OK);
    assert_int_equal(create_pair(0, wrong, &index, &part, &error), CAROM_DATA);
    assert_int_equal(part, FORMULA_ELASTIC);
    assert_int_equal(index, 1);
    assert_int_equal(create_pair(1, right, &index, &part, &error), CAROM_DATA);
    assert_int_equal(part, FORMULA_ELASTIC);
    assert_int_equal(index, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree),
        cmocka_unit_test(derivatives_by_data_agree),
        cmocka_unit_test(results_do_not_depend_on_selection),
        cmocka_unit_test(strain_is_that_of_cayley),
        cmocka_unit_test(strain_leads_to_the_next_node),
        cmocka_unit_test(ends_are_equal),
        cmocka_unit_test(rigid_motions_do_no_work),
        cmocka_unit_test(an_element_is_in_balance),
        cmocka_unit_test(undefined_where_turned_by_pi),
        cmocka_unit_test(reference_is_free_of_stress),
        cmocka_unit_test(masses_are_integrals),
        cmocka_unit_test(a_model_has_the_forces_of_its_elements),
        cmocka_unit_test(undefined_elements_are_reported),
        cmocka_unit_test(elements_need_their_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
