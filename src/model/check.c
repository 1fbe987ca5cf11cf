/* carom check: what a model says about itself, held against what it does.
 *
 *   every derivative              the function it belongs to, by differences (difference.c)
 *   q_dot = B u + beta,           affine in u: q_dot - B u and s - WT u do not depend on u
 *   s = WT u + chi
 *   g_dot, gN_dot of s            d/dt c along q_dot
 *   dp/du = M, h = b - dp/dt      where there is a momentum; d/dt at constant u
 *   power, G                      d/dt (E - G) = power - u^T h at constant u, d(E - G)/du = M u
 *   chi = 0                       unless the model is rheonomic
 *   momentum maps                 whether the forces leave them alone, for information
 *   M                             symmetric; positive definite at the start
 *   the initial state             g = 0, g_dot = 0, gamma = 0, g_N >= 0, no closed contact that approaches
 *
 * at the initial state and at states around it, which need not satisfy the constraints: the identities hold anywhere.
 */
#include "model/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { MAX_FINDINGS = 256 };

/* ---------------------------------------------------------------- findings */

void check_report(checker *k, bool fatal, double size, const char *format, ...) {
    if (k->count == MAX_FINDINGS) return;
    carom_finding *finding = &k->found[k->count++];
    *finding = (carom_finding){.fatal = fatal, .size = size};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

static int worst_first(const void *a, const void *b) {
    const carom_finding *x = a, *y = b;
    if (x->fatal != y->fatal) return x->fatal ? -1 : 1;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return strcmp(x->text, y->text);
}

void check_compare(checker *k, int row, double is, double should, double allowance) {
    double size = fabs(is - should);
    if (size > allowance && size > k->worst[row].size) k->worst[row] = (mismatch){size, is, should};
}

/* Reports "what[row] is 0.4, differences give 0.5" for the rows that do not agree, and empties the list. */
void check_report_rows(checker *k, axis rows, const char *what, const char *column, const char *other) {
    probe *p = &k->probe;
    for (int i = 0; i < probe_length(p, rows); i++) {
        const mismatch *m = &k->worst[i];
        if (m->size > 0)
            check_report(k, true, m->size, "%s[%s]%s is %.9g, %s %.9g", what, probe_name(p, rows, i).text, column,
                         m->is, other, m->should);
        k->worst[i] = (mismatch){0};
    }
}

/* ---------------------------------------------------------------- states */

int check_not_finite(const double *x, int n) {
    int i = 0;
    while (i < n && isfinite(x[i])) i++;
    return i;
}

/* Whether functions and matrices are defined and finite at p->now. Says what is not, if asked to. */
static bool finite_rows(checker *k, const derivative *d, bool say) {
    probe *p = &k->probe;
    int n = probe_length(p, d->rows), undefined = d->value(p, p->f), bad = undefined ? 0 : check_not_finite(p->f, n);
    if (undefined && say) check_report(k, true, INFINITY, "%s is not defined at the start", d->function);
    if (!undefined && bad < n && say)
        check_report(k, true, INFINITY, "%s[%s] is %g at the start", d->function, probe_name(p, d->rows, bad).text,
                     p->f[bad]);
    return !undefined && bad == n;
}

static bool finite_matrix(checker *k, const derivative *d, bool say) {
    probe *p = &k->probe;
    const carom_pattern *J = d->pattern;
    int n = pattern_nnz(J), row = 0, undefined = d->matrix(p, p->J), bad = undefined ? 0 : check_not_finite(p->J, n);
    if (undefined && say) check_report(k, true, INFINITY, "%s is not defined at the start", d->text);
    if (!undefined && bad < n && say) {
        while (J->start[row + 1] <= bad) row++;
        check_report(k, true, INFINITY, "%s[%s][%s] is %g at the start", d->text, probe_name(p, d->rows, row).text,
                     probe_name(p, d->columns, J->index[bad]).text, p->J[bad]);
    }
    return !undefined && bad == n;
}

static bool defined(checker *k, bool say) {
    probe *p = &k->probe;
    derivative list[DERIVATIVES];
    probe_derivatives(p, list);
    bool good = true, rows = true;
    for (int i = 0; i < DERIVATIVES; i++) {
        const derivative *d = &list[i];
        if (!d->given) continue;
        bool again = i > 0 && list[i - 1].value == d->value;
        if (!again) rows = finite_rows(k, d, say);
        good = rows && finite_matrix(k, d, say) && good;
    }
    return good;
}

/* The initial state, and states around it at which everything is defined. */
static bool choose_states(checker *k) {
    probe *p = &k->probe;
    const carom_model_def *d = p->def;
    p->at[0].t = d->t0;
    memcpy(p->at[0].q, d->q0, (size_t)d->nq * sizeof *d->q0);
    memcpy(p->at[0].u, d->u0, (size_t)d->nu * sizeof *d->u0);
    uint64_t seed = 1;
    for (int i = 0; i < d->nu; i++) p->v[i] = random_signed(&seed);
    for (int i = 0; i < p->model->ns; i++) p->r[i] = random_signed(&seed);
    probe_start(p, &p->at[0]);
    if (!defined(k, true)) return false;

    for (k->states = 1; k->states < PROBE_STATES;) {
        state *s = &p->at[k->states];
        bool good = false;
        for (double amplitude = 0.3; !good && amplitude > 1e-5; amplitude /= 10) {
            s->t = d->t0 + amplitude * (1 + random_signed(&seed));
            for (int i = 0; i < d->nq; i++)
                s->q[i] = d->q0[i] + amplitude * random_signed(&seed) * fmax(1, fabs(d->q0[i]));
            for (int i = 0; i < d->nu; i++)
                s->u[i] = d->u0[i] + amplitude * random_signed(&seed) * fmax(1, fabs(d->u0[i]));
            probe_start(p, s);
            good = defined(k, false);
        }
        if (!good) break;
        k->states++;
    }
    return true;
}

/* ---------------------------------------------------------------- all of it */

int carom_model_check(const carom_model *model, carom_finding *findings, int max) {
    assert_alive(model);
    static const carom_finding no_memory = {true, INFINITY, "out of memory"};
    checker k = {0};
    bool ready = probe_create(&k.probe, model);
    k.worst = calloc((size_t)k.probe.rows + 1, sizeof *k.worst);
    k.group = calloc((size_t)model->def.nq + (size_t)model->def.nu, sizeof *k.group);
    k.found = malloc(MAX_FINDINGS * sizeof *k.found);
    ready = ready && k.worst && k.group && k.found;
    if (ready && choose_states(&k)) {
        check_derivatives(&k);
        check_identities(&k);
        check_start(&k);
    }
    if (ready) qsort(k.found, (size_t)k.count, sizeof *k.found, worst_first);
    int count = ready ? k.count : 1;
    for (int i = 0; i < count && i < max; i++) findings[i] = ready ? k.found[i] : no_memory;
    free(k.worst);
    free(k.group);
    free(k.found);
    probe_destroy(&k.probe);
    return count;
}
