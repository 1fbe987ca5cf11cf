#include "beams.h"

#include "model/formula/equations.h"
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void eliminate(int n, int band, double *A, double *x) {
    for (int i = 0; i < n; i++) {
        int last = i + band < n ? i + band : n - 1, end = i + 2 * band < n ? i + 2 * band : n - 1, pivot = i;
        for (int k = i + 1; k <= last; k++)
            if (fabs(A[k * n + i]) > fabs(A[pivot * n + i])) pivot = k;
        assert_true(fabs(A[pivot * n + i]) > 0);
        for (int j = i; j <= end; j++) {
            double a = A[i * n + j];
            A[i * n + j] = A[pivot * n + j], A[pivot * n + j] = a;
        }
        double b = x[i];
        x[i] = x[pivot], x[pivot] = b;
        for (int k = i + 1; k <= last; k++) {
            double l = A[k * n + i] / A[i * n + i];
            for (int j = i; j <= end; j++) A[k * n + j] -= l * A[i * n + j];
            x[k] -= l * x[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n && j <= i + 2 * band; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

void quaternion_product(const double a[4], const double b[4], double c[4]) {
    double r[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(c, r, sizeof r);
}

/* p x conj(p)/|p|^2 */
void quaternion_turn(const double p[4], const double x[3], double y[3]) {
    double conj[4] = {p[0], -p[1], -p[2], -p[3]}, r[4] = {0, x[0], x[1], x[2]}, norm2 = 0;
    quaternion_product(p, r, r);
    quaternion_product(r, conj, r);
    for (int i = 0; i < 4; i++) norm2 += p[i] * p[i];
    for (int i = 0; i < 3; i++) y[i] = r[1 + i] / norm2;
}

/* ---- shapes */

static void write_numbers(graph *g, const expr *from, int count, double *to) {
    for (int i = 0; i < count; i++) to[i] = expr_value(g, from[i], NULL);
}

static beam_node node_of(graph *g, const double q[7]) {
    beam_node n = {.r = vec_number(g, q)};
    for (int i = 0; i < 4; i++) n.p[i] = expr_number(g, q[3 + i]);
    return n;
}

static bool between(graph *g, beam *b, const double stiffness[6], const beam_node *first, const beam_node *second) {
    const beam_relation s = beam_relate(g, first, second);
    bool apart = expr_value(g, vec_dot(g, s.d, s.d), NULL) > 0 && expr_value(g, s.unturned, NULL) > 0;
    if (apart) b->length = expr_value(g, beam_length(g, &s), NULL);
    memcpy(b->stiffness, stiffness, sizeof b->stiffness);
    graph_destroy(g);
    return apart;
}

bool element_between(beam *b, const double stiffness[6], const double q1[7], const double q2[7]) {
    graph *g = graph_create();
    const beam_node first = node_of(g, q1), second = node_of(g, q2);
    memcpy(b->reference, q1, 7 * sizeof *q1);
    memcpy(b->reference + 7, q2, 7 * sizeof *q2);
    if (!between(g, b, stiffness, &first, &second)) return false;
    elastic_beam.derive(b);
    return true;
}

bool element_between_planar(beam *b, const double stiffness[6], const double q1[3], const double q2[3]) {
    graph *g = graph_create();
    const vec r1 = vec_number(g, (double[]){q1[0], q1[1], 0}), r2 = vec_number(g, (double[]){q2[0], q2[1], 0});
    const beam_node first = beam_node_planar(g, r1, expr_number(g, q1[2])),
                    second = beam_node_planar(g, r2, expr_number(g, q2[2]));
    memcpy(b->reference, q1, 3 * sizeof *q1);
    memcpy(b->reference + 3, q2, 3 * sizeof *q2);
    if (!between(g, b, stiffness, &first, &second)) return false;
    elastic_planar_beam.derive(b);
    return true;
}

void element_numbers(graph *g, const beam *b, expr *given) {
    double value[sizeof(beam) / sizeof(double)];
    memcpy(value, b, sizeof value);
    for (int i = 0; i < BEAM_GIVEN; i++) given[i] = expr_number(g, value[i]);
}

void element_next(double length, const double strain[6], const double q1[7], double q2[7]) {
    graph *g = graph_create();
    expr of[6];
    for (int i = 0; i < 6; i++) of[i] = expr_number(g, strain[i]);
    const beam_node first = node_of(g, q1), next = beam_next(g, expr_number(g, length), of, &first);
    write_numbers(g, next.r.at, 3, q2);
    write_numbers(g, next.p, 4, q2 + 3);
    graph_destroy(g);
}

bool element_velocity(const double from[7], const double to[7], double time, double u[6]) {
    graph *g = graph_create();
    const beam_node first = node_of(g, from), second = node_of(g, to);
    expr of[6], e0;
    beam_velocity(g, &first, &second, expr_number(g, time), of, &e0);
    write_numbers(g, of, 6, u);
    bool defined = expr_value(g, e0, NULL) != 0;
    graph_destroy(g);
    return defined;
}

/* ---- chains */

void chain_relax(beam_chain *c, const double stiffness[6]) {
    for (int k = 0; k < c->elements; k++) {
        const double *q1 = chain_node(c, k), *q2 = chain_node(c, k + 1);
        assert_true(c->kind == &elastic_beam ? element_between(&c->beam[k], stiffness, q1, q2)
                                             : element_between_planar(&c->beam[k], stiffness, q1, q2));
    }
}

beam_chain chain_straight(const elastic *kind, int elements, double length, const double stiffness[6]) {
    beam_chain c = {.kind = kind, .elements = elements};
    for (int i = 0; i <= elements; i++) {
        chain_node(&c, i)[0] = length * i / elements;
        if (kind == &elastic_beam) chain_node(&c, i)[3] = 1;
    }
    chain_relax(&c, stiffness);
    return c;
}

double chain_energy(const beam_chain *c) {
    double sum = 0, V;
    for (int k = 0; k < c->elements; k++) {
        assert_int_equal(c->kind->evaluate(&c->beam[k], c->q + k * chain_nq(c), &V, NULL, NULL), 0);
        sum += V;
    }
    return sum;
}

/* Derivative of a row by the displacements of a node: by rotations w it is row_p p (0, w)/2 */
static void by_displacement(const beam_chain *c, const double *node, const double *row, double *along) {
    memcpy(along, row, 3 * sizeof *along);
    if (c->kind != &elastic_beam) return;
    for (int i = 0; i < 3; i++) {
        double w[4] = {0, i == 0, i == 1, i == 2}, p_dot[4];
        quaternion_product(node + 3, w, p_dot);
        along[3 + i] = 0;
        for (int k = 0; k < 4; k++) along[3 + i] += row[3 + k] * p_dot[k] / 2;
    }
}

void chain_forces(const beam_chain *c, double *f, double *K) {
    int nq = chain_nq(c), nu = chain_nu(c), n = nu * (c->elements + 1);
    double own[12], own_q[12 * 14], along[6];
    memset(f, 0, (size_t)n * sizeof *f);
    if (K) memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int k = 0; k < c->elements; k++) {
        const double *q = c->q + k * nq;
        assert_int_equal(c->kind->evaluate(&c->beam[k], q, NULL, own, K ? own_q : NULL), 0);
        for (int i = 0; i < 2 * nu; i++) f[nu * k + i] += own[i];
        for (int i = 0; K && i < 2 * nu; i++)
            for (int node = 0; node < 2; node++) {
                by_displacement(c, q + nq * node, own_q + 2 * nq * i + nq * node, along);
                for (int j = 0; j < nu; j++) K[(nu * k + i) * n + nu * (k + node) + j] -= along[j];
            }
    }
}

void chain_move(beam_chain *c, const double *displacement) {
    for (int i = 0; i <= c->elements; i++) {
        double *q = chain_node(c, i), *p = q + 3;
        const double *x = displacement + chain_nu(c) * i, *w = x + 3;
        for (int j = 0; j < 3; j++) q[j] += x[j];
        if (c->kind != &elastic_beam) continue;
        double turn[4] = {1, w[0] / 2, w[1] / 2, w[2] / 2}, norm2 = 0;
        quaternion_product(p, turn, p);
        for (int j = 0; j < 4; j++) norm2 += p[j] * p[j];
        for (int j = 0; j < 4; j++) p[j] /= sqrt(norm2);
    }
}

/* Once corrections are small they square from one iteration to the next; the first that does not get smaller is
 * rounding. */
void chain_settle(beam_chain *c) {
    int nu = chain_nu(c), n = nu * (c->elements + 1), free_n = n - nu;
    double *f = malloc((size_t)n * sizeof *f), *K = malloc((size_t)n * (size_t)n * sizeof *K), last = INFINITY;
    bool settled = false;
    for (int iteration = 0; iteration < 100 && !settled; iteration++) {
        double size = 0;
        chain_forces(c, f, K);
        for (int i = 0; i < n; i++) f[i] += c->load[i];
        memset(f, 0, (size_t)nu * sizeof *f);
        for (int i = 0; i < free_n; i++) memmove(K + i * free_n, K + (i + nu) * n + nu, (size_t)free_n * sizeof *K);
        eliminate(free_n, 2 * nu - 1, K, f + nu);
        for (int i = nu; i < n; i++) size = fmax(size, fabs(f[i]));
        settled = size < 1e-7 * fmax(1, fabs(c->q[chain_nq(c) * c->elements])) && size >= last / 2;
        last = size;
        chain_move(c, f);
    }
    free(f);
    free(K);
    assert_true(settled);
}

void chain_ramp(beam_chain *c, const double *load, int parts) {
    int n = chain_nu(c) * (c->elements + 1);
    double from[6 * (CHAIN_ELEMENTS + 1)];
    memcpy(from, c->load, sizeof from);
    for (int part = 1; part <= parts; part++) {
        for (int i = 0; i < n; i++) c->load[i] = from[i] + (load[i] - from[i]) * part / parts;
        chain_settle(c);
    }
}

/* ---------------------------------------------------------------- as a formula model */

static expr scaled(graph *g, double factor, expr x) {
    return expr_mul(g, expr_number(g, factor), x);
}

/* p_dot = p (0, w)/2 */
static void quaternion_rates(graph *g, int first_p, int first_w, expr *p_dot) {
    expr p[4], w[3];
    for (int i = 0; i < 4; i++) p[i] = expr_symbol(g, first_p + i);
    for (int i = 0; i < 3; i++) w[i] = expr_symbol(g, first_w + i);
    p_dot[0] = expr_number(g, 0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p_dot[0] = expr_sub(g, p_dot[0], scaled(g, 0.5, expr_mul(g, p[1 + i], w[i])));
        expr turn = expr_sub(g, expr_mul(g, p[1 + j], w[k]), expr_mul(g, p[1 + k], w[j]));
        p_dot[1 + i] = scaled(g, 0.5, expr_add(g, expr_mul(g, p[0], w[i]), turn));
    }
}

/* Shares of the element's mass: same of a node with itself, other with the other one. */
static void mass_blocks(double same, double other, double mass, const double inertia[3], double block[2][2][6]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++) {
                double share = i == j ? same : other;
                block[i][j][k] = share * mass;
                block[i][j][3 + k] = share * inertia[k];
            }
}

void beam_mass_lumped(double length, double mass, const double inertia[3], double block[2][2][6]) {
    mass_blocks(length / 2, 0, mass, inertia, block);
}

void beam_mass_consistent(double length, double mass, const double inertia[3], double block[2][2][6]) {
    mass_blocks(length / 3, length / 6, mass, inertia, block);
}

static expr kinetic_energy(graph *g, const beam_chain *c, const chain_matter *matter, int first_u) {
    static const int in_plane[3] = {0, 1, 5};
    int nu = chain_nu(c);
    expr T = expr_number(g, 0);
    for (int e = 0; e < c->elements; e++) {
        double block[2][2][6];
        (matter->consistent ? beam_mass_consistent : beam_mass_lumped)(c->beam[e].length, matter->mass, matter->inertia,
                                                                       block);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < nu; k++) {
                    double m = block[i][j][nu == 6 ? k : in_plane[k]] / 2;
                    expr product = expr_mul(g, expr_symbol(g, first_u + nu * (e + i) + k),
                                            expr_symbol(g, first_u + nu * (e + j) + k));
                    T = expr_add(g, T, scaled(g, m, product));
                }
    }
    return T;
}

static expr weight(graph *g, const beam_chain *c, const chain_matter *matter) {
    expr V = expr_number(g, 0);
    for (int e = 0; e < c->elements; e++)
        for (int i = e; i <= e + 1; i++)
            V = expr_add(g, V,
                         scaled(g, matter->mass * matter->gravity * c->beam[e].length / 2,
                                expr_symbol(g, 1 + chain_nq(c) * i + 1)));
    return V;
}

static void no_findings(const carom_model *model) {
    carom_finding finding;
    if (carom_model_check(model, &finding, 1) > 0) fail_msg("%s", finding.text);
}

carom_model *chain_model(const beam_chain *c, const chain_matter *matter, const double *u0) {
    enum { NODES = CHAIN_ELEMENTS + 1 };
    int nodes = c->elements + 1, nq = chain_nq(c), nu = chain_nu(c), first_u = 1 + nq * nodes, index, places[7 * NODES];
    expr q_dot[7 * NODES];
    elastic_element elements[CHAIN_ELEMENTS];
    expr numbers[CHAIN_ELEMENTS * BEAM_GIVEN];
    graph *g = graph_create();
    for (int i = 0; i < nq * nodes; i++) places[i] = i;
    for (int i = 0; i < nodes; i++) {
        for (int k = 0; k < 3; k++) q_dot[nq * i + k] = expr_symbol(g, first_u + nu * i + k);
        if (nq == 7) quaternion_rates(g, 1 + nq * i + 3, first_u + nu * i + 3, q_dot + nq * i + 3);
    }
    for (int e = 0; e < c->elements; e++) {
        elements[e] = (elastic_element){c->kind, places + nq * e, places + nu * e};
        element_numbers(g, &c->beam[e], numbers + BEAM_GIVEN * e);
    }
    formula_def def = {.g = g,
                       .nq = nq * nodes,
                       .nu = nu * nodes,
                       .q0 = c->q,
                       .u0 = u0,
                       .q_dot = q_dot,
                       .kinetic = kinetic_energy(g, c, matter, first_u),
                       .potential = weight(g, c, matter),
                       .dissipation = -1,
                       .elastics = c->elements,
                       .elastic = elements,
                       .elastic_number = numbers};
    carom_model *model;
    formula_part part;
    carom_error error;
    if (formula_model_create(&def, &model, &part, &index, &error)) fail_msg("%s", error.message);
    graph_destroy(g);
    no_findings(model);
    return model;
}
