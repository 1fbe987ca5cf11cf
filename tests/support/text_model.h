/* Small models from formulas as text. */
#ifndef CAROM_TEXT_MODEL_H
#define CAROM_TEXT_MODEL_H

#include "model/formula/formula_model.h"
#include "model/formula/parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX = 12 }; /* of everything in a small model */

/* ---------------------------------------------------------------- models from text */

typedef struct text_model {
    const char *q[MAX], *u[MAX]; /* names; u NULL: q_dot = u, named x_dot */
    const char *q_dot[MAX];      /* NULL: trivial */
    const char *kinetic, *potential, *dissipation, *force[MAX], *g[MAX], *gamma[MAX], *gap[MAX], *slip[MAX];
    int slips[MAX]; /* of each gap */
    double q0[MAX], u0[MAX];
} text_model;

static inline int count(const char *const *list) {
    int n = 0;
    while (n < MAX && list[n]) n++;
    return n;
}

typedef struct scope {
    graph *g;
    const text_model *m;
    int nq, nu;
} scope;

static inline expr lookup(void *context, const char *name, parse_error *error) {
    const scope *s = context;
    size_t n = strlen(name);
    if (strcmp(name, "t") == 0) return expr_symbol(s->g, 0);
    for (int i = 0; i < s->nq; i++) {
        if (strcmp(name, s->m->q[i]) == 0) return expr_symbol(s->g, 1 + i);
        if (!s->m->u[0] && n > 4 && strncmp(name, s->m->q[i], n - 4) == 0 && !s->m->q[i][n - 4])
            return expr_symbol(s->g, 1 + s->nq + i);
    }
    for (int j = 0; s->m->u[j] && j < s->nu; j++)
        if (strcmp(name, s->m->u[j]) == 0) return expr_symbol(s->g, 1 + s->nq + j);
    snprintf(error->message, sizeof error->message, "undefined '%s'", name);
    return -1;
}

static inline expr formula(scope *s, const char *text) {
    parse_error error;
    if (!text) return -1;
    expr e = parse_formula(s->g, text, lookup, s, NULL, &error);
    if (e < 0) fail_msg("%s: %s", text, error.message);
    return e;
}

typedef struct expr_list {
    expr at[MAX];
} expr_list;

static inline expr_list formulas(scope *s, const char *const *texts) {
    expr_list list;
    for (int i = 0; i < MAX; i++) list.at[i] = i < count(texts) ? formula(s, texts[i]) : -1;
    return list;
}

static carom_status create(const text_model *m, carom_model **model, formula_part *part, int *index,
                           carom_error *error) {
    scope s = {graph_create(), m, count(m->q), m->u[0] ? count(m->u) : count(m->q)};
    assert_non_null(s.g);
    expr_list q_dot = formulas(&s, m->q_dot), force = formulas(&s, m->force), g = formulas(&s, m->g),
              gamma = formulas(&s, m->gamma), gap = formulas(&s, m->gap), slip = formulas(&s, m->slip);
    carom_model_contact contacts[MAX] = {0};
    for (int k = 0; k < MAX; k++) contacts[k] = (carom_model_contact){.name = "c", .slips = m->slips[k]};
    for (int j = 0; j < s.nu; j++)
        if (force.at[j] < 0) force.at[j] = expr_number(s.g, 0);
    formula_def def = {
        .g = s.g,
        .nq = s.nq,
        .nu = s.nu,
        .ng = count(m->g),
        .ngamma = count(m->gamma),
        .contacts = count(m->gap),
        .contact = contacts,
        .q0 = m->q0,
        .u0 = m->u0,
        .q_dot = m->q_dot[0] ? q_dot.at : NULL,
        .kinetic = formula(&s, m->kinetic),
        .potential = formula(&s, m->potential),
        .dissipation = formula(&s, m->dissipation),
        .force = m->force[0] ? force.at : NULL,
        .g_expr = g.at,
        .gamma = gamma.at,
        .gap = gap.at,
        .slip = slip.at,
    };
    carom_status status = formula_model_create(&def, model, part, index, error);
    graph_destroy(s.g); /* borrowed while creating only */
    return status;
}

static inline carom_model *made(const text_model *m) {
    carom_model *model;
    formula_part part;
    int index;
    carom_error error;
    if (create(m, &model, &part, &index, &error)) fail_msg("%s", error.message);
    return model;
}

/* Results of a few operations on numbers of size one to ten. */
static inline void near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-13 * (1 + fabs(expected)))) fail_msg("%.17g instead of %.17g", got, expected);
}

/* A sparse matrix as a full one. */
static inline void spread(const carom_pattern *p, const double *values, double full[MAX][MAX]) {
    memset(full, 0, sizeof(double[MAX][MAX]));
    for (int i = 0; i < p->rows; i++)
        for (int k = p->start[i]; k < p->start[i + 1]; k++) full[i][p->index[k]] = values[k];
}

#endif
