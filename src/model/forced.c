/* A model with a force of the program's own: f(t, q, u) is added to h, to b and, as u^T f, to the power, (W11). */
#include "model/forward.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* A pattern of the base with the entries of f beside it. */
typedef struct widened {
    int *start, *index; /* of the wide pattern */
    int *from, entries; /* place of each entry of the base in it; how many there are */
    int *own;           /* place of each entry of f_q or f_u */
} widened;

typedef struct forced {
    const carom_model *base; /* first (forward.h) */
    bool fork;               /* another model owns everything but the base */
    carom_force_def force;   /* with lists of its own; none of them is NULL */
    widened h_q, h_u, b_q, b_u;
} forced;

/* ---------------------------------------------------------------- the force and its derivatives */

/* Derivatives of f by x, one of q and u, by central differences, (W12): by the components listed, [count][listed]. */
static int differences(const forced *m, double t, double *q, double *u, double *x, int listed, const int *list,
                       double *f, double *f_x) {
    const carom_force_def *d = &m->force;
    for (int j = 0; j < listed; j++) {
        const double at = x[list[j]], step = cbrt(DBL_EPSILON) * fmax(1, fabs(at));
        double end[2] = {at + step, at - step};
        for (int side = 0; side < 2; side++) {
            x[list[j]] = end[side];
            if (d->force(d->context, t, q, u, f + side * d->count)) return 1;
        }
        x[list[j]] = at;
        for (int i = 0; i < d->count; i++) f_x[i * listed + j] = (f[i] - f[d->count + i]) / (end[0] - end[1]);
    }
    return 0;
}

static int derivatives(const forced *m, double t, const double *q, const double *u, double *f_q, double *f_u) {
    const carom_force_def *d = &m->force;
    const carom_model_def *base = &m->base->def;
    if (d->derivative) return d->derivative(d->context, t, q, u, f_q, f_u);
    double *x = malloc((size_t)(base->nq + base->nu + 2 * d->count) * sizeof *x), *v = x + base->nq, *f = v + base->nu;
    if (!x) return 1;
    memcpy(x, q, (size_t)base->nq * sizeof *x);
    memcpy(v, u, (size_t)base->nu * sizeof *v);
    const int failed = (f_q && differences(m, t, x, v, x, d->of_q_count, d->of_q, f, f_q)) ||
                       (f_u && differences(m, t, x, v, v, d->of_u_count, d->of_u, f, f_u));
    free(x);
    return failed;
}

/* ---------------------------------------------------------------- sums */

/* Moves values of the base to their places in the wide pattern. No value moves forward. */
static void widen(const widened *w, int nnz, double *values) {
    int end = nnz;
    for (int e = w->entries - 1; e >= 0; e--) {
        while (end > w->from[e] + 1) values[--end] = 0;
        values[--end] = values[e];
    }
    while (end > 0) values[--end] = 0;
}

static bool add_entries(const widened *w, int count, const double *f_x, double *values) {
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && isfinite(f_x[i]);
        values[w->own[i]] += f_x[i];
    }
    return finite;
}

static bool add_force(const carom_force_def *d, const double *f, double *h) {
    bool finite = true;
    for (int i = 0; i < d->count; i++) {
        finite = finite && isfinite(f[i]);
        h[d->on[i]] += f[i];
    }
    return finite;
}

/* Adds f and its derivatives to the values of the base. A value that is not finite counts as not defined. */
static int add(const forced *m, const widened *by_q, const widened *by_u, double t, const double *q, const double *u,
               double *h, double *h_q, double *h_u) {
    const carom_force_def *d = &m->force;
    const int nu = m->base->def.nu, q_entries = d->count * d->of_q_count, u_entries = d->count * d->of_u_count;
    if (h_q) widen(by_q, by_q->start[nu], h_q);
    if (h_u) widen(by_u, by_u->start[nu], h_u);
    double *f = malloc((size_t)(d->count + q_entries + u_entries + 1) * sizeof *f), *f_q = f + d->count,
           *f_u = f_q + q_entries;
    bool good = f != NULL;
    if (good && h) good = !d->force(d->context, t, q, u, f) && add_force(d, f, h);
    if (good && (h_q || h_u)) good = !derivatives(m, t, q, u, h_q ? f_q : NULL, h_u ? f_u : NULL);
    if (good && h_q) good = add_entries(by_q, q_entries, f_q, h_q);
    if (good && h_u) good = add_entries(by_u, u_entries, f_u, h_u);
    free(f);
    return !good;
}

static int force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const forced *m = context;
    const carom_model_def *d = &m->base->def;
    return d->force(d->context, t, q, u, h, h_q, h_u) || add(m, &m->h_q, &m->h_u, t, q, u, h, h_q, h_u);
}

static int momentum(void *context, double t, const double *q, const double *u, double *p, double *p_q, double *b,
                    double *b_q, double *b_u) {
    const forced *m = context;
    const carom_model_def *d = &m->base->def;
    return d->momentum(d->context, t, q, u, p, p_q, b, b_q, b_u) ||
           ((b || b_q || b_u) && add(m, &m->b_q, &m->b_u, t, q, u, b, b_q, b_u));
}

static int power(void *context, double t, const double *q, const double *u, double *power, double *G) {
    const forced *m = context;
    const carom_model_def *d = &m->base->def;
    const carom_force_def *own = &m->force;
    if (power) *power = 0;
    if (G) *G = 0;
    if (d->power && d->power(d->context, t, q, u, power, G)) return 1;
    double *f = power ? malloc((size_t)own->count * sizeof *f) : NULL;
    if (power && (!f || own->force(own->context, t, q, u, f))) return free(f), 1;
    for (int i = 0; i < own->count && power; i++) *power += f[i] * u[own->on[i]];
    free(f);
    return 0;
}

/* ---------------------------------------------------------------- patterns */

static void widened_free(widened *w) {
    free(w->start), free(w->index), free(w->from), free(w->own);
}

/* The index of f that acts on this velocity; -1: none does. */
static int place_of(const carom_force_def *d, int row) {
    int i = d->count - 1;
    while (i >= 0 && d->on[i] != row) i--;
    return i;
}

static int compare_columns(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* The union of a row of the base and the listed columns, which sorted holds in ascending order. */
static int merge(widened *w, const carom_pattern *base, int row, int listed, const int *sorted, int end) {
    for (int e = base->start[row], j = 0; e < base->start[row + 1] || j < listed;) {
        const int old = e < base->start[row + 1] ? base->index[e] : base->cols,
                  new = j < listed ? sorted[j] : base->cols;
        if (old <= new) w->from[e++] = end;
        if (new <= old) j++;
        w->index[end++] = old < new ? old : new;
    }
    return end;
}

/* The union of the pattern of the base and of the rows of f, whose columns are listed. */
static bool widened_create(widened *w, const carom_pattern *base, const carom_force_def *d, int listed,
                           const int *list) {
    const size_t own = (size_t)d->count * (size_t)listed;
    w->entries = pattern_nnz(base);
    w->start = malloc(((size_t)base->rows + 1) * sizeof *w->start);
    w->index = malloc(((size_t)w->entries + own + 1) * sizeof *w->index);
    w->from = malloc(((size_t)w->entries + 1) * sizeof *w->from);
    w->own = malloc((own + 1) * sizeof *w->own);
    int *sorted = malloc(((size_t)listed + 1) * sizeof *sorted);
    const bool ready = w->start && w->index && w->from && w->own && sorted;
    if (ready && listed) {
        memcpy(sorted, list, (size_t)listed * sizeof *sorted);
        qsort(sorted, (size_t)listed, sizeof *sorted, compare_columns);
    }
    for (int row = 0, end = 0; row <= base->rows && ready; row++) {
        w->start[row] = end;
        if (row < base->rows) end = merge(w, base, row, place_of(d, row) < 0 ? 0 : listed, sorted, end);
    }
    for (size_t i = 0; i < own && ready; i++) {
        const int row = d->on[i / (size_t)listed], *first = w->index + w->start[row];
        const int *found = bsearch(&list[i % (size_t)listed], first, (size_t)(w->start[row + 1] - w->start[row]),
                                   sizeof *first, compare_columns);
        w->own[i] = (int)(found - w->index);
    }
    free(sorted);
    return ready;
}

static carom_pattern wide_pattern(const carom_pattern *base, const widened *w) {
    return (carom_pattern){base->rows, base->cols, w->start, w->index};
}

/* ---------------------------------------------------------------- the model */

static void destroy(void *context) {
    forced *m = context;
    if (m->fork) model_unfork((carom_model *)m->base);
    else {
        widened_free(&m->h_q), widened_free(&m->h_u), widened_free(&m->b_q), widened_free(&m->b_u);
        free((int *)m->force.on), free((int *)m->force.of_q), free((int *)m->force.of_u);
    }
    free(m);
}

static void *fork_context(void *context) {
    const forced *m = context;
    forced *other = malloc(sizeof *other);
    const carom_model *base = other ? model_fork(m->base) : NULL;
    if (!base) return free(other), NULL;
    *other = *m;
    other->base = base, other->fork = true;
    return other;
}

/* A list of different numbers below limit? */
static bool is_list(int count, const int *list, int limit) {
    bool good = count >= 0;
    for (int i = 0; i < count && good; i++) {
        good = list[i] >= 0 && list[i] < limit;
        for (int j = 0; j < i && good; j++) good = list[j] != list[i];
    }
    return good;
}

static carom_status check(const carom_model_def *base, const carom_force_def *d, carom_error *error) {
    if (!d->force) return carom_error_set(error, CAROM_DATA, "a force of a program needs its function");
    if (d->count < 1 || !d->on || !is_list(d->count, d->on, base->nu - base->slacks))
        return carom_error_set(error, CAROM_DATA, "a force of a program acts on one velocity or more, each named once");
    if ((d->of_q && !is_list(d->of_q_count, d->of_q, base->nq)) ||
        (d->of_u && !is_list(d->of_u_count, d->of_u, base->nu)))
        return carom_error_set(error, CAROM_DATA,
                               "what a force of a program depends on are positions and velocities, each named once");
    return CAROM_OK;
}

/* A copy of a list; NULL: all of them. */
static bool own_list(const int **list, int *count, int all) {
    const int *given = *list;
    if (!given) *count = all;
    int *copy = malloc(((size_t)*count + 1) * sizeof *copy);
    for (int i = 0; i < *count && copy; i++) copy[i] = given ? given[i] : i;
    *list = copy;
    return copy != NULL;
}

static bool prepare(forced *m) {
    const carom_model_def *base = &m->base->def;
    carom_force_def *d = &m->force;
    bool ok = own_list(&d->on, &d->count, 0);
    ok &= own_list(&d->of_q, &d->of_q_count, base->nq);
    ok &= own_list(&d->of_u, &d->of_u_count, base->nu);
    return ok && widened_create(&m->h_q, &base->h_q, d, d->of_q_count, d->of_q) &&
           widened_create(&m->h_u, &base->h_u, d, d->of_u_count, d->of_u) &&
           widened_create(&m->b_q, &base->b_q, d, d->of_q_count, d->of_q) &&
           widened_create(&m->b_u, &base->b_u, d, d->of_u_count, d->of_u);
}

/* The model without patterns and names of its own. */
static carom_model describe(forced *m) {
    carom_model all = *m->base;
    carom_model_def *d = &all.def;
    const bool forks = d->fork != NULL;
    forward_all(&all);
    d->context = m, d->destroy = destroy;
    if (forks) d->fork = fork_context;
    d->force = force;
    if (d->momentum) d->momentum = momentum;
    if (d->energy) d->power = power;
    d->h_q = wide_pattern(&d->h_q, &m->h_q), d->h_u = wide_pattern(&d->h_u, &m->h_u);
    d->b_q = wide_pattern(&d->b_q, &m->b_q), d->b_u = wide_pattern(&d->b_u, &m->b_u);
    return all;
}

static void take_properties(carom_model *to, const carom_model *from) {
    to->constant_mass = from->constant_mass, to->consistent = from->consistent;
    to->row = from->row, to->row_range = from->row_range;
    to->finder = from->finder, to->found_numbers = from->found_numbers, to->demand = from->demand;
}

carom_status carom_model_with_force(const carom_model *model, const carom_force_def *force, carom_model **result,
                                    carom_error *error) {
    assert_alive(model);
    *result = NULL;
    carom_status status = check(&model->def, force, error);
    if (status) return status;
    forced *m = calloc(1, sizeof *m);
    if (!m) return carom_error_memory(error);
    m->base = model, m->force = *force;
    if (!prepare(m)) status = carom_error_memory(error);
    const carom_model all = describe(m);
    if (!status) status = carom_model_create(&all.def, result, error);
    if (status) destroy(m);
    else take_properties(*result, &all);
    return status;
}
