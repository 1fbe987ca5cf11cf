/* Friction by slip speed and place (docs/theory/laws.md, (L16) and (L26)): each curve is compiled on its own, since
 * laws ask for one contact at a time. */
#include "formula_context.h"

#include <stdlib.h>
#include <string.h>

/* The derivatives of a curve by q, in entries of its own. */
typedef struct curve_rows {
    expr_entry *entry;
    int count;
} curve_rows;

static bool compile_curve(formula_context *x, const formula_def *d, compilation *c, int i, curve_rows *rows) {
    const formula_curve *curve = &d->curve[i];
    const int most = expr_support(d->g, curve->mu, NULL, 0);
    rows->entry = malloc(((size_t)most + 1) * sizeof *rows->entry);
    expr *value = malloc(((size_t)most + 1) * sizeof *value);
    rows->count = rows->entry ? expr_gradient_sparse(d->g, curve->mu, 1, d->nq, rows->entry) : -1;
    for (int k = 0; k < rows->count && value; k++) value[k] = rows->entry[k].value;
    const tape_array outputs[OUTPUTS] = {
        {&curve->mu, 1}, {curve->mu_slip, curve->slips}, {value, rows->count > 0 ? rows->count : 0}};
    const bool ok = value && rows->count >= 0 && callback_compile(c, &x->curve[i], outputs);
    x->curves = i + 1;
    free(value);
    return ok;
}

static bool fill_pattern(formula_context *x, const formula_def *d, const curve_rows *rows) {
    int *start = calloc((size_t)d->contacts + 1, sizeof *start), nnz = 0;
    for (int k = 0; k < d->contacts && start; k++) {
        const int of = d->contact_curve[k];
        start[k + 1] = nnz += of < 0 ? 0 : rows[of].count;
    }
    int *index = malloc(((size_t)nnz + 1) * sizeof *index);
    x->mu_q = (carom_pattern){d->contacts, d->nq, start, index};
    for (int k = 0; k < d->contacts && start && index; k++)
        for (int e = start[k]; e < start[k + 1]; e++) index[e] = rows[d->contact_curve[k]].entry[e - start[k]].index;
    return start && index;
}

bool formula_compile_curves(formula_context *x, const formula_def *d, compilation *c) {
    if (!d->curves) return true;
    curve_rows *rows = calloc((size_t)d->curves, sizeof *rows);
    x->curve = calloc((size_t)d->curves, sizeof *x->curve);
    x->contact_curve = malloc(((size_t)d->contacts + 1) * sizeof *x->contact_curve);
    bool ok = rows && x->curve && x->contact_curve;
    if (ok) memcpy(x->contact_curve, d->contact_curve, (size_t)d->contacts * sizeof *x->contact_curve);
    for (int i = 0; i < d->curves && ok; i++) ok = compile_curve(x, d, c, i, &rows[i]);
    ok = ok && fill_pattern(x, d, rows);
    for (int i = 0; i < d->curves && rows; i++) free(rows[i].entry);
    free(rows);
    return ok;
}

int formula_friction(void *context, int contact, double t, const double *q, double speed, const double *along,
                     double *mu, double *mu_slip, double *mu_q) {
    formula_context *x = context;
    const callback *c = &x->curve[x->contact_curve[contact]];
    double slip[4] = {speed};
    memcpy(slip + 1, along, (size_t)c->size[1] * sizeof *along);
    return formula_run_callback(x, c, (const double *[TAPE_BLOCKS]){&t, q, NULL, slip},
                                (double *[TAPE_ARRAYS]){mu, mu_slip, mu_q});
}
