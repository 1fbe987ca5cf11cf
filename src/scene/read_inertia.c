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
#include <stdio.h>
#include <string.h>

/* ---- shapes */

static carom_status read_one(draft *d, member *m, const node *value, form *s, int *hole) {
    static const char *const words[] = {"false", "true", NULL};
    const char *keys[VOCABULARY_KEYS];
    int count = vocabulary_all_keys("shapes", keys);
    element e = {m->name, m->from.key, value, m->from.index};
    carom_status status = read_shape(d, &e, m->body.kind == BODY_PLANAR, s);
    if (!status) status = check_keys(value, "a shape", keys, count, d->n->error);
    return status ? status : read_word(d, &e, "hole", "answer", words, hole);
}

/* One shape, or a list of them. Holes come last, counted from the end of the list. */
carom_status read_shapes(draft *d, member *m) {
    const node *given = yaml_find(m->from.value, "shape");
    if (!given) return CAROM_OK;
    bool list = given->kind == NODE_LIST;
    int count = list ? yaml_count(given) : 1;
    m->form = zeros(d, count, sizeof *m->form);
    if (!m->form) return carom_error_memory(d->n->error);
    carom_status status = CAROM_OK;
    for (const node *value = list ? given->first : given; value && !status; value = list ? value->next : NULL) {
        form s;
        int hole = 0;
        status = read_one(d, m, value, &s, &hole);
        if (!status) m->form[hole ? count - ++m->holes : m->shapes++] = s;
    }
    return status;
}

/* ---- by hand */

/* Their present values. */
static void weigh_now(draft *d, member *m) {
    m->body.mass = expr_value(d->n->g, m->body.mass_of, NULL);
    for (int i = 0; i < 9; i++)
        m->body.inertia[i / 3][i % 3] = expr_value(d->n->g, m->body.inertia_of[i / 3][i % 3], NULL);
}

/* Principal moments satisfy A + B >= C, since they are integrals of squares. Values typed with two digits may be
 * off. */
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
    expr(*J)[3] = m->body.inertia_of;
    double now[3][3], largest = 0;
    carom_status status = CAROM_OK;
    int i = 0;
    for (const node *row = rows->first; row && !status; row = row->next, i++) {
        if (row->kind != NODE_LIST || yaml_count(row) != 3)
            return node_error(d->n->error, row, "'inertia' must be three numbers, or three lists of three");
        int j = 0;
        for (const node *entry = row->first; entry && !status; entry = entry->next, j++) {
            status = names_constant(d->n, entry, &m->from.index, &J[i][j], &now[i][j]);
            largest = fmax(largest, fabs(now[i][j]));
        }
    }
    for (int k = 0; k < 3 && !status; k++) {
        int j = (k + 1) % 3;
        if (fabs(now[k][j] - now[j][k]) > 1e-9 * largest)
            return node_error(d->n->error, rows, "the inertia of '%s' is not symmetric: %.6g stands opposite %.6g",
                              m->name, now[k][j], now[j][k]);
        J[k][j] = J[j][k] = expr_scale(d->n->g, 0.5, expr_add(d->n->g, J[k][j], J[j][k]));
    }
    return status;
}

/* Demands that it stay positive definite whatever parameters become, by its leading minors. */
static carom_status demand_definite(draft *d, const member *m, const node *at) {
    graph *g = d->n->g;
    const expr(*J)[3] = m->body.inertia_of;
    const vec row[3] = {{{J[0][0], J[0][1], J[0][2]}}, {{J[1][0], J[1][1], J[1][2]}}, {{J[2][0], J[2][1], J[2][2]}}};
    const vec across = vec_cross(g, row[0], row[1]);
    char sentence[128];
    snprintf(sentence, sizeof sentence, "the inertia of '%.60s' must be positive definite", m->name);
    carom_status status = draft_demand(d, J[0][0], at, sentence);
    if (!status) status = draft_demand(d, across.at[2], at, sentence);
    return status ? status : draft_demand(d, vec_dot(g, across, row[2]), at, sentence);
}

static carom_status read_inertia(draft *d, member *m, const node *given) {
    expr(*J)[3] = m->body.inertia_of, moment[3];
    int count;
    if (m->body.kind == BODY_PLANAR) {
        carom_status status = read_positive_constant(d, &m->from, "inertia", &J[2][2]);
        weigh_now(d, m);
        return status;
    }
    bool matrix = given->kind == NODE_LIST && given->first && given->first->kind == NODE_LIST;
    if (matrix && yaml_count(given) != 3)
        return node_error(d->n->error, given, "'inertia' must be three numbers, or three lists of three");
    carom_status status =
        matrix ? read_matrix(d, m, given) : read_constants(d, &m->from, "inertia", 3, 3, moment, &count);
    for (int i = 0; i < 3 && !matrix; i++) J[i][i] = moment[i];
    weigh_now(d, m);
    if (!status) status = check_moments(d, m, given);
    return status ? status : demand_definite(d, m, given);
}

/* ---- from shapes */

static carom_status no_inertia(draft *d, const member *m) {
    if (m->holes) return node_error(d->n->error, m->from.key, "the holes of '%s' leave nothing of it", m->name);
    return node_error(d->n->error, m->from.key, "body '%s' needs an 'inertia', or a 'shape' that has a mass", m->name);
}

/* All shapes together, of density one. */
static carom_status add_shapes(draft *d, const member *m, inertia *sum) {
    graph *g = d->n->g;
    const bool planar = m->body.kind == BODY_PLANAR;
    double volume, J[3][3], moment[3];
    *sum = inertia_none(g);
    for (int i = 0; i < m->shapes + m->holes; i++) {
        inertia part = inertia_of_form(g, &m->form[i], planar);
        if (planar && m->form[i].kind == SHAPE_CYLINDER)
            return node_error(d->n->error, m->from.key,
                              "a cylinder has no area in the plane: give '%s' a box or a disk, or an 'inertia'",
                              m->name);
        *sum = inertia_sum(g, sum, &part, i < m->shapes ? 1 : -1);
    }
    volume = expr_value(g, sum->mass, NULL);
    for (int i = 0; i < 9; i++) J[i / 3][i % 3] = expr_value(g, sum->J[i / 3][i % 3], NULL);
    inertia_principal(J, moment);
    if (!(volume > 0) || !(planar ? J[2][2] > 0 : moment[0] > 0)) return no_inertia(d, m);
    return draft_demand(d, sum->mass, m->from.key, "a body must have a volume");
}

static carom_status compute(draft *d, member *m, const node *density) {
    graph *g = d->n->g;
    inertia sum;
    expr rho = expr_number(g, 1);
    carom_status status = add_shapes(d, m, &sum);
    if (!status && density) status = read_positive_constant(d, &m->from, "density", &rho);
    if (status) return status;
    if (density) m->body.mass_of = expr_mul(g, rho, sum.mass);
    else rho = expr_div(g, m->body.mass_of, sum.mass);
    for (int i = 0; i < 9; i++) m->body.inertia_of[i / 3][i % 3] = expr_mul(g, rho, sum.J[i / 3][i % 3]);
    m->center = sum.center;
    weigh_now(d, m);
    return CAROM_OK;
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
    m->body.mass_of = expr_number(d->n->g, 0);
    for (int i = 0; i < 9; i++) m->body.inertia_of[i / 3][i % 3] = m->body.mass_of;
    carom_status status = read_positive_constant(d, &m->from, "mass", &m->body.mass_of);
    weigh_now(d, m);
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
    return status ? status : read_constants(d, &m->from, "center", axes, axes, m->center.at, &count);
}
