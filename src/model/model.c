/* Creating a model: the def is checked (check_def.c), then copied with every pattern made explicit. */
#include "model/model.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "linalg/csr.h"
#include "model/definite.h"

carom_model_def carom_model_default(void) {
    return (carom_model_def){0};
}

/* ---------------------------------------------------------------- patterns */

typedef struct named_pattern {
    const char *name;
    carom_pattern *pattern;
    int rows, cols;
    bool used;
} named_pattern;

enum { PATTERNS = 15 };

static void list_patterns(carom_model *model, named_pattern list[PATTERNS]) {
    carom_model_def *d = &model->def;
    named_pattern all[PATTERNS] = {
        {"B", &d->B, d->nq, d->nu, d->kinematics},
        {"q_dot_q", &d->q_dot_q, d->nq, d->nq, d->kinematics},
        {"M", &d->M, d->nu, d->nu, d->mass},
        {"Mv_q", &d->Mv_q, d->nu, d->nq, d->mass_q},
        {"h_q", &d->h_q, d->nu, d->nq, d->force},
        {"h_u", &d->h_u, d->nu, d->nu, d->force},
        {"p_q", &d->p_q, d->nu, d->nq, d->momentum},
        {"b_q", &d->b_q, d->nu, d->nq, model_has_momentum(model)},
        {"b_u", &d->b_u, d->nu, d->nu, model_has_momentum(model)},
        {"c_q", &d->c_q, model->nc, d->nq, d->position},
        {"WT", &d->WT, model->ns, d->nu, d->velocity},
        {"s_q", &d->s_q, model->ns, d->nq, d->velocity},
        {"Wr_q", &d->Wr_q, d->nu, d->nq, d->direction_q},
        {"d_q", &d->d_q, model->slips, d->nq, d->displacement},
        {"mu_q", &d->mu_q, d->contacts, d->nq, d->friction},
    };
    memcpy(list, all, sizeof all);
}

static carom_status check_pattern(const named_pattern *n, carom_error *error) {
    const carom_pattern *p = n->pattern;
    if (!p->start) {
        if (n->used && (double)n->rows * n->cols > INT_MAX)
            return carom_error_set(error, CAROM_DATA, "%s is too large for a full matrix; give it a pattern", n->name);
        return CAROM_OK;
    }
    if (p->rows != n->rows || p->cols != n->cols)
        return carom_error_set(error, CAROM_DATA, "pattern %s is %d x %d, expected %d x %d", n->name, p->rows, p->cols,
                               n->rows, n->cols);
    if (p->start[0] != 0) return carom_error_set(error, CAROM_DATA, "pattern %s must start with 0", n->name);
    for (int i = 0; i < p->rows; i++) {
        if (p->start[i + 1] < p->start[i])
            return carom_error_set(error, CAROM_DATA, "pattern %s: row %d has a negative length", n->name, i);
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            if (p->index[e] < 0 || p->index[e] >= p->cols || (e > p->start[i] && p->index[e] <= p->index[e - 1]))
                return carom_error_set(error, CAROM_DATA,
                                       "pattern %s: columns of row %d must ascend and lie in [0, %d)", n->name, i,
                                       p->cols);
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- copies */

/* An unused matrix becomes empty, a missing pattern full. */
static bool own_pattern(const named_pattern *n) {
    carom_pattern *p = n->pattern;
    size_t rows = (size_t)n->rows, cols = (size_t)n->cols;
    bool full = n->used && !p->start;
    size_t nnz = !n->used ? 0 : full ? rows * cols : (size_t)p->start[n->rows];
    int *start = malloc((rows + 1) * sizeof *start), *index = malloc((nnz + 1) * sizeof *index);
    if (start && index) {
        for (size_t i = 0; i <= rows; i++) start[i] = !n->used ? 0 : full ? (int)(i * cols) : p->start[i];
        for (size_t e = 0; e < nnz; e++) index[e] = full ? (int)(e % cols) : p->index[e];
    }
    *p = (carom_pattern){n->rows, n->cols, start, index};
    return start && index;
}

static char *copy_text(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Names as given, or "<stem>1<suffix>", "<stem>2<suffix>", ... */
static bool own_names(const char *const **names, int count, const char *stem, const char *suffix) {
    char **copy = calloc((size_t)count + 1, sizeof *copy);
    bool ok = copy != NULL;
    for (int i = 0; ok && i < count; i++) {
        char made[32];
        snprintf(made, sizeof made, "%s%d%s", stem, i + 1, suffix);
        ok = (copy[i] = copy_text(*names && (*names)[i] ? (*names)[i] : made)) != NULL;
    }
    *names = (const char *const *)copy;
    return ok;
}

static bool own_vector(const double **vector, int n) {
    double *copy = malloc((size_t)(n > 0 ? n : 1) * sizeof *copy);
    if (copy && n) memcpy(copy, *vector, (size_t)n * sizeof *copy);
    *vector = copy;
    return copy != NULL;
}

static bool own_contacts(carom_model_def *d) {
    carom_model_contact *copy = calloc((size_t)d->contacts + 1, sizeof *copy);
    bool ok = copy != NULL;
    for (int k = 0; ok && k < d->contacts; k++) {
        char made[32];
        snprintf(made, sizeof made, "contact%d", k + 1);
        copy[k] = d->contact[k];
        ok = (copy[k].name = copy_text(d->contact[k].name ? d->contact[k].name : made)) != NULL;
        if (copy[k].law) ok = (copy[k].law = copy_text(d->contact[k].law)) != NULL && ok;
        if (copy[k].impact) ok = (copy[k].impact = copy_text(d->contact[k].impact)) != NULL && ok;
    }
    d->contact = copy;
    return ok;
}

static bool own_rotations(carom_model_def *d) {
    carom_rotation *copy = calloc((size_t)d->rotations + 1, sizeof *copy);
    if (copy && d->rotations) memcpy(copy, d->rotation, (size_t)d->rotations * sizeof *copy);
    d->rotation = copy;
    return copy != NULL;
}

static bool own_switches(carom_model_def *d) {
    carom_switch *copy = calloc((size_t)d->switches + 1, sizeof *copy);
    if (copy && d->switches) memcpy(copy, d->switch_info, (size_t)d->switches * sizeof *copy);
    d->switch_info = copy;
    return copy != NULL;
}

static bool own_numbers(const int **numbers, int count) {
    int *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy && count) memcpy(copy, *numbers, (size_t)count * sizeof *copy);
    *numbers = copy;
    return copy != NULL;
}

/* Texts, any of which may be NULL. */
static bool own_texts(const char *const **texts, int count) {
    char **copy = calloc((size_t)count + 1, sizeof *copy);
    bool ok = copy != NULL;
    for (int i = 0; ok && i < count; i++)
        if (*texts && (*texts)[i]) ok = (copy[i] = copy_text((*texts)[i])) != NULL;
    *texts = (const char *const *)copy;
    return ok;
}

carom_status model_fix_parameter(carom_model *model, int parameter, const char *why, carom_error *error) {
    const char **reason = (const char **)model->def.parameter_fixed + parameter;
    free((char *)*reason);
    *reason = copy_text(why);
    return *reason ? CAROM_OK : carom_error_memory(error);
}

static bool own_everything(carom_model *model) {
    carom_model_def *d = &model->def;
    named_pattern list[PATTERNS];
    list_patterns(model, list);
    bool ok = true; /* copies everything even after a failure, so that destroy never frees what belongs to the caller */
    for (int i = 0; i < PATTERNS; i++) ok &= own_pattern(&list[i]);
    ok &= own_names(&d->symmetry_names, d->symmetries, "symmetry", "");
    ok &= own_names(&d->observable_names, d->observables, "observable", "");
    ok &= own_names(&d->switch_names, d->switches, "switch", "");
    ok &= own_names(&d->q_names, d->nq, "q", "");
    ok &= own_names(&d->u_names, d->nu, d->kinematics ? "u" : "q", d->kinematics ? "" : "_dot");
    ok &= own_names(&d->g_names, d->ng, "g", "");
    ok &= own_names(&d->gamma_names, d->ngamma, "gamma", "");
    ok &= own_names(&d->parameter_names, d->parameters, "parameter", "");
    ok &= own_names(&d->input_names, d->inputs, "input", "");
    ok &= own_texts(&d->g_owners, d->ng);
    ok &= own_texts(&d->gamma_owners, d->ngamma);
    ok &= own_texts(&d->parameter_fixed, d->parameters);
    ok &= own_vector(&d->parameter, d->parameters);
    ok &= own_vector(&d->input, d->inputs);
    ok &= own_vector(&d->q0, d->nq);
    ok &= own_vector(&d->u0, d->nu);
    ok &= own_contacts(d);
    ok &= model_own_latches(d);
    ok &= own_rotations(d);
    ok &= own_switches(d);
    ok &= own_numbers(&d->support_row, d->supports);
    if (d->support_kind) ok &= own_numbers(&d->support_kind, d->supports);
    ok &= own_numbers(&d->anchor_q, d->anchors);
    return ok;
}

/* Whether 8 eps sum_j |dh_i/dq_j| max(1, |q_j|) / M_ii exceeds 1e-9 at the start. Then, with a dt of 0.1, round-off in
 * q changes velocities by the usual tolerance. A model that is not defined at the start is not stiff, as no run begins
 * there. */
int model_measure_stiffness(const carom_model *model) {
    const carom_model_def *d = &model->def;
    double *h_q = malloc(((size_t)pattern_nnz(&d->h_q) + 1) * sizeof *h_q);
    double *M = malloc(((size_t)pattern_nnz(&d->M) + 1) * sizeof *M);
    bool stiff = false, ready = h_q && M,
         defined = ready && !d->mass(d->context, d->t0, d->q0, M) &&
                   !d->force(d->context, d->t0, d->q0, d->u0, NULL, h_q, NULL);
    for (int i = 0; i < d->nu && defined; i++) {
        double sum = 0;
        const double *mass = pattern_entry(&d->M, M, i, i);
        for (int e = d->h_q.start[i]; e < d->h_q.start[i + 1]; e++)
            sum += fabs(h_q[e]) * fmax(1, fabs(d->q0[d->h_q.index[e]]));
        stiff = stiff || (mass && 8 * DBL_EPSILON * sum > 1e-9 * *mass);
    }
    free(h_q);
    free(M);
    return ready ? stiff : -1;
}

static carom_status check_everything(carom_model *model, carom_error *error) {
    named_pattern list[PATTERNS];
    list_patterns(model, list);
    carom_status status = CAROM_OK;
    for (int i = 0; i < PATTERNS && !status; i++) status = check_pattern(&list[i], error);
    return status;
}

carom_status carom_model_create(const carom_model_def *def, carom_model **result, carom_error *error) {
    *result = NULL;
    carom_status status = model_check_def(def, error);
    if (status) return status;

    carom_model *model = calloc(1, sizeof *model);
    int *slip = calloc(2 * ((size_t)def->contacts + 1), sizeof *slip);
    if (!model || !slip) {
        free(model);
        free(slip);
        return carom_error_memory(error);
    }
    model->def = *def;
    model->alive = ALIVE;
    if (!def->momentum) model->def.b_q = def->h_q, model->def.b_u = def->h_u;
    model->slip = slip;
    model->rubs = slip + def->contacts + 1;
    for (int k = 0; k < def->contacts; k++) {
        slip[k + 1] = slip[k] + def->contact[k].slips;
        model->rubs[k + 1] = model->rubs[k] + (def->contact[k].slips > 0);
    }
    model->trivial = !def->kinematics;
    model->slips = slip[def->contacts];
    model->nc = def->ng + def->contacts;
    model->gamma = def->ng;
    model->N = def->ng + def->ngamma;
    model->F = model->N + def->contacts;
    model->ns = model->F + model->slips;
    if ((status = check_everything(model, error))) {
        free(slip);
        free(model);
        return status;
    }
    int stiff = -1;
    if (!own_everything(model) || (stiff = model_measure_stiffness(model)) < 0) {
        model->def.destroy = NULL; /* the context stays the caller's */
        carom_model_destroy(model);
        return carom_error_memory(error);
    }
    model->stiff = stiff;
    model->diagonal = pattern_nnz(&model->def.M) == model->def.nu;
    *result = model;
    return CAROM_OK;
}

static void free_names(const char *const *names, int count) {
    for (int i = 0; names && i < count; i++) free((char *)names[i]);
    free((char **)names);
}

void carom_model_destroy(carom_model *model) {
    if (!model) return;
    assert_alive(model);
    carom_model_def *d = &model->def;
    if (d->destroy) d->destroy(d->context);
    named_pattern list[PATTERNS];
    list_patterns(model, list);
    for (int i = 0; i < PATTERNS; i++) {
        free((int *)list[i].pattern->start);
        free((int *)list[i].pattern->index);
    }
    free_names(d->q_names, d->nq);
    free_names(d->u_names, d->nu);
    free_names(d->g_names, d->ng);
    free_names(d->gamma_names, d->ngamma);
    free_names(d->g_owners, d->ng);
    free_names(d->gamma_owners, d->ngamma);
    free_names(d->symmetry_names, d->symmetries);
    free_names(d->observable_names, d->observables);
    free_names(d->switch_names, d->switches);
    for (int k = 0; d->contact && k < d->contacts; k++) {
        free((char *)d->contact[k].name);
        free((char *)d->contact[k].law);
        free((char *)d->contact[k].impact);
    }
    free((carom_model_contact *)d->contact);
    model_free_latches(d);
    free((carom_rotation *)d->rotation);
    free((carom_switch *)d->switch_info);
    free((int *)d->support_row);
    free((int *)d->support_kind);
    free((int *)d->anchor_q);
    free_names(d->parameter_names, d->parameters);
    free_names(d->input_names, d->inputs);
    free_names(d->parameter_fixed, d->parameters);
    free((double *)d->parameter);
    free((double *)d->input);
    free((double *)d->q0);
    free((double *)d->u0);
    free(model->slip);
    mark_destroyed(model);
    free(model);
}

const carom_model_def *carom_model_get(const carom_model *model) {
    assert_alive(model);
    return &model->def;
}

static int find_name(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

int carom_model_coordinate(const carom_model *model, const char *name) {
    assert_alive(model);
    return find_name(model->def.q_names, model->def.nq, name);
}

int carom_model_velocity(const carom_model *model, const char *name) {
    assert_alive(model);
    return find_name(model->def.u_names, model->def.nu, name);
}

int carom_model_parameter(const carom_model *model, const char *name) {
    assert_alive(model);
    return find_name(model->def.parameter_names, model->def.parameters, name);
}

int carom_model_input(const carom_model *model, const char *name) {
    assert_alive(model);
    return find_name(model->def.input_names, model->def.inputs, name);
}

int carom_model_slips(const carom_model *model) {
    assert_alive(model);
    return model->slips;
}

void model_set_start(carom_model *model, const double *q0, const double *u0) {
    memcpy((double *)model->def.q0, q0, (size_t)model->def.nq * sizeof *q0);
    memcpy((double *)model->def.u0, u0, (size_t)model->def.nu * sizeof *u0);
}
