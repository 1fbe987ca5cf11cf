/* Mass, centre of mass and inertia of a body:
 *
 *     mass: m, inertia: J, center: c          by hand, about the centre of mass
 *     mass: m, shape: ...                     homogeneous, of that mass
 *     density: rho, shape: ...                homogeneous */
#include "error.h"
#include "model/element/inertia.h"
#include "read.h"
#include "vocabulary/vocabulary.h"

#include <math.h>
#include <string.h>

/* ---- shapes */

static carom_status read_one(draft *d, member *m, const node *value, shape *s, int *hole) {
    static const char *const words[] = {"false", "true", NULL};
    const char *keys[VOCABULARY_KEYS];
    int count = vocabulary_all_keys("shapes", keys);
    element e = {m->name, m->from.key, value, m->from.index};
    carom_status status = read_shape(d, &e, m->body.kind == BODY_PLANAR, s);
    if (!status) status = check_keys(value, "a shape", keys, count, d->n->error);
    return status ? status : read_word(d, &e, "hole", "answer", words, hole);
}

/* One shape, or a list of them; holes are counted from the end of the list, and come behind the shapes. */
carom_status read_shapes(draft *d, member *m) {
    const node *given = yaml_find(m->from.value, "shape");
    if (!given) return CAROM_OK;
    bool list = given->kind == NODE_LIST;
    int count = list ? yaml_count(given) : 1;
    m->shape = zeros(d, count, sizeof *m->shape);
    if (!m->shape) return carom_error_memory(d->n->error);
    carom_status status = CAROM_OK;
    for (const node *value = list ? given->first : given; value && !status; value = list ? value->next : NULL) {
        shape s;
        int hole = 0;
        status = read_one(d, m, value, &s, &hole);
        if (!status) m->shape[hole ? count - ++m->holes : m->shapes++] = s;
    }
    return status;
}

/* ---- by hand */

/* A positive number that parameters may change; untouched where it is not given. */
static carom_status read_weight(draft *d, const member *m, const char *key, expr *formula, double *value) {
    const node *text = yaml_find(m->from.value, key);
    carom_status status = text ? names_constant(d->n, text, &m->from.index, formula, value) : CAROM_OK;
    if (status || !text || *value > 0) return status;
    return node_error(d->n->error, text, "the %s must be positive, it is %g", key, *value);
}

/* Moments of inertia that are numbers. */
static void fix_inertia(draft *d, member *m) {
    for (int i = 0; i < 9; i++) m->body.inertia_of[i / 3][i % 3] = expr_number(d->n->g, m->body.inertia[i / 3][i % 3]);
}

/* Principal moments satisfy A + B >= C (they are integrals of squares); what typing two digits leaves is forgiven. */
static carom_status check_moments(draft *d, const member *m, const node *at) {
    const double typed = 1e-2;
    double A[3];
    inertia_principal(m->body.inertia, A);
    if (!(A[0] > 0))
        return node_error(d->n->error, at,
                          "the inertia of '%s' is not positive definite: its principal moments are %.6g, %.6g, %.6g",
                          m->name, A[0], A[1], A[2]);
    if (A[2] > (A[0] + A[1]) * (1 + typed))
        return node_error(d->n->error, at,
                          "no body has the principal moments of inertia %.6g, %.6g, %.6g of '%s': the largest cannot "
                          "exceed the sum of the others",
                          A[0], A[1], A[2], m->name);
    return CAROM_OK;
}

static carom_status read_matrix(draft *d, member *m, const node *rows) {
    double(*J)[3] = m->body.inertia, largest = 0;
    carom_status status = CAROM_OK;
    int i = 0;
    for (const node *row = rows->first; row && !status; row = row->next, i++) {
        if (row->kind != NODE_LIST || yaml_count(row) != 3)
            return node_error(d->n->error, row, "'inertia' must be three numbers, or three lists of three");
        int j = 0;
        for (const node *entry = row->first; entry && !status; entry = entry->next, j++) {
            status = names_number(d->n, entry, &m->from.index, &J[i][j]);
            largest = fmax(largest, fabs(J[i][j]));
        }
    }
    for (int k = 0; k < 3 && !status; k++) {
        int j = (k + 1) % 3;
        if (fabs(J[k][j] - J[j][k]) > 1e-9 * largest)
            return node_error(d->n->error, rows, "the inertia of '%s' is not symmetric: %.6g stands opposite %.6g",
                              m->name, J[k][j], J[j][k]);
        J[k][j] = J[j][k] = (J[k][j] + J[j][k]) / 2;
    }
    return status;
}

static carom_status read_inertia(draft *d, member *m, const node *given) {
    double J[3];
    int count;
    if (m->body.kind == BODY_PLANAR)
        return read_weight(d, m, "inertia", &m->body.inertia_of[2][2], &m->body.inertia[2][2]);
    bool matrix = given->kind == NODE_LIST && given->first && given->first->kind == NODE_LIST;
    if (matrix && yaml_count(given) != 3)
        return node_error(d->n->error, given, "'inertia' must be three numbers, or three lists of three");
    carom_status status = matrix ? read_matrix(d, m, given) : read_numbers(d, &m->from, "inertia", 3, 3, J, &count);
    for (int i = 0; i < 3 && !matrix; i++) m->body.inertia[i][i] = J[i];
    fix_inertia(d, m);
    return status ? status : check_moments(d, m, given);
}

/* ---- from shapes */

static carom_status no_inertia(draft *d, const member *m) {
    if (m->holes) return node_error(d->n->error, m->from.key, "the holes of '%s' leave nothing of it", m->name);
    return node_error(d->n->error, m->from.key, "body '%s' needs an 'inertia', or a 'shape' that has a mass", m->name);
}

static carom_status compute(draft *d, member *m, const node *density) {
    bool planar = m->body.kind == BODY_PLANAR;
    inertia sum = {0};
    double rho = 1, moment[3];
    expr rho_of = expr_number(d->n->g, 1);
    for (int i = 0; i < m->shapes + m->holes; i++) {
        inertia part = inertia_of_shape(&m->shape[i], planar);
        if (planar && m->shape[i].kind == SHAPE_CYLINDER)
            return node_error(d->n->error, m->from.key,
                              "a cylinder has no area in the plane: give '%s' a box or a disk, or an 'inertia'",
                              m->name);
        sum = inertia_sum(&sum, &part, i < m->shapes ? 1 : -1);
    }
    inertia_principal(sum.J, moment);
    if (!(sum.mass > 0) || !(planar ? sum.J[2][2] > 0 : moment[0] > 0)) return no_inertia(d, m);
    graph *g = d->n->g;
    const expr volume = expr_number(g, sum.mass);
    carom_status status = density ? read_weight(d, m, "density", &rho_of, &rho) : CAROM_OK;
    if (density) m->body.mass = rho * sum.mass, m->body.mass_of = expr_mul(g, rho_of, volume);
    else rho = m->body.mass / sum.mass, rho_of = expr_div(g, m->body.mass_of, volume);
    for (int i = 0; i < 9; i++) {
        m->body.inertia[i / 3][i % 3] = rho * sum.J[i / 3][i % 3];
        m->body.inertia_of[i / 3][i % 3] = expr_mul(g, rho_of, expr_number(g, sum.J[i / 3][i % 3]));
    }
    memcpy(m->center, sum.center, sizeof m->center);
    return status;
}

carom_status read_mass(draft *d, member *m) {
    const node *map = m->from.value, *density = yaml_find(map, "density"), *mass = yaml_find(map, "mass"),
               *given = yaml_find(map, "inertia"), *center = yaml_find(map, "center");
    bool point = m->body.kind == BODY_POINT;
    int axes = body_axes(&m->body), count;
    if (mass && density)
        return node_error(d->n->error, density, "give '%s' a 'mass' or a 'density', not both", m->name);
    if (!mass && !density)
        return node_error(d->n->error, m->from.key, "body '%s' needs a 'mass'%s", m->name,
                          point ? "" : ", or a 'shape' and a 'density'");
    m->body.weighed = true;
    fix_inertia(d, m);
    carom_status status = read_weight(d, m, "mass", &m->body.mass_of, &m->body.mass);
    if (status || point) return status;
    if (density && given)
        return node_error(d->n->error, given, "the inertia of '%s' follows from its density and shape", m->name);
    if (!given && center)
        return node_error(d->n->error, center,
                          "the centre of mass of '%s' follows from its shape; a 'center' belongs to "
                          "an 'inertia' given by hand",
                          m->name);
    if (!given) return compute(d, m, density);
    status = read_inertia(d, m, given);
    return status ? status : read_numbers(d, &m->from, "center", axes, axes, m->center, &count);
}
