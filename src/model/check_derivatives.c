/* Every derivative, against differences of the function it belongs to. */
#include "model/check.h"
#include "model/definite.h"
#include "model/difference.h"
#include "model/group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COLUMNS = 96 };           /* a matrix with more groups of columns is compared on this many, spread over it */
static const double DIFFERENCE = 50; /* a difference that errs by less than this times its estimate agrees */
static const double RELATIVE = 1e-7; /* and so does one that errs by less than this part of the value */

double check_allowance(const checker *k, int row, double value) {
    const probe *p = &k->probe;
    return DIFFERENCE * p->error[row] + RELATIVE * fabs(value);
}

double check_fastest(const probe *p) {
    double u = 1;
    for (int i = 0; i < p->def->nu; i++) u = fmax(u, fabs(p->base.u[i]));
    return u;
}

/* Inertia forces are sums of terms of the size M_ii u^2. For a round body these cancel and leave round-off. Gaps are
 * differences of coordinates, and a gap may be zero at the start. */
void check_set_terms(probe *p, axis rows) {
    const carom_model_def *d = p->def;
    const double speed = check_fastest(p);
    double size = 0;
    memset(p->terms, 0, (size_t)p->rows * sizeof *p->terms);
    for (int i = 0; i < d->nq; i++) size = fmax(size, fabs(p->base.q[i]));
    for (int i = 0; rows == AXIS_C && i < d->ng + d->contacts; i++) p->terms[i] = size;
    if (rows != AXIS_U || probe_mass(p, p->factor)) return;
    for (int i = 0; i < d->nu; i++) {
        const double *M = pattern_entry(&d->M, p->factor, i, i);
        p->terms[i] = M ? fabs(*M) * speed * speed : 0;
    }
}

/* The matrix at state s. Returns where the direction of its columns is to be set; at: the place of the state there. */
static double *start_columns(checker *k, const derivative *d, int s, const double **at) {
    probe *p = &k->probe;
    probe_start(p, &p->at[s]);
    check_set_terms(p, d->rows);
    d->matrix(p, p->J);
    *at = d->columns == AXIS_Q ? p->base.q : p->base.u;
    return d->columns == AXIS_Q ? p->direction.q : p->direction.u;
}

static void check_column(checker *k, const derivative *d, int column) {
    probe *p = &k->probe;
    int rows = probe_length(p, d->rows);
    for (int s = 0; s < k->states; s++) {
        const double *x;
        start_columns(k, d, s, &x)[column] = 1;
        probe_differentiate(p, d->value, rows, fmax(1, fabs(x[column])));
        for (int i = 0; i < rows; i++) {
            const double *entry = pattern_entry(d->pattern, p->J, i, column);
            double is = entry ? *entry : 0;
            check_compare(k, i, is, p->d[i], check_allowance(k, i, is));
        }
    }
    char text[96];
    snprintf(text, sizeof text, "[%s]", probe_name(p, d->columns, column).text);
    check_report_rows(k, d->rows, d->text, text, "differences give");
}

/* Compares columns without common rows at once: in each row only one of them has an entry. */
static bool group_agrees(checker *k, const derivative *d, const int *group, int g) {
    probe *p = &k->probe;
    const carom_pattern *J = d->pattern;
    for (int s = 0; s < k->states; s++) {
        const double *x;
        double *step = start_columns(k, d, s, &x);
        for (int j = 0; j < J->cols; j++) step[j] = group[j] == g ? fmax(1, fabs(x[j])) : 0;
        probe_differentiate(p, d->value, J->rows, 1);
        for (int i = 0; i < J->rows; i++) {
            double is = 0;
            for (int e = J->start[i]; e < J->start[i + 1]; e++)
                if (group[J->index[e]] == g) is += p->J[e] * step[J->index[e]];
            if (fabs(is - p->d[i]) > check_allowance(k, i, is)) return false;
        }
    }
    return true;
}

static void check_group(checker *k, const derivative *d, const int *group, int g) {
    if (group_agrees(k, d, group, g)) return;
    for (int j = 0; j < d->pattern->cols; j++)
        if (group[j] == g) check_column(k, d, j);
}

/* mu of a contact beside rows of 1/2, along one of them. */
typedef struct slope {
    probe *p;
    int contact, row;
} slope;

static int mu_along(void *context, double x, double *mu) {
    const slope *s = context;
    double slip[3] = {0.5, 0.5, 0.5};
    slip[s->row] += x;
    return probe_mu(s->p, slip, s->contact, mu, NULL);
}

/* dmu/dslip of contact i. */
static void check_slope(checker *k, int i) {
    probe *p = &k->probe;
    const double slip[3] = {0.5, 0.5, 0.5};
    for (int s = 0; s < k->states; s++) {
        double mu, by[3];
        probe_start(p, &p->at[s]);
        if (probe_mu(p, slip, i, &mu, by)) continue;
        for (int row = 0; row < p->def->contact[i].slips; row++) {
            difference(mu_along, &(slope){p, i, row}, 1, 0.25, NULL, p->work, p->d, p->error);
            check_compare(k, i, by[row], p->d[0], check_allowance(k, 0, by[row]));
        }
    }
    check_report_rows(k, AXIS_CONTACT, "dmu/dslip", "", "differences give");
}

void check_derivatives(checker *k) {
    probe *p = &k->probe;
    for (int i = 0; i < p->def->contacts && p->def->friction; i++)
        if (p->def->contact[i].by_slip) check_slope(k, i);
    derivative list[DERIVATIVES];
    probe_derivatives(p, list);
    for (const derivative *d = list; d < list + DERIVATIVES; d++) {
        if (!d->given) continue;
        int groups = group_columns(d->pattern, MAX_COLUMNS, k->group),
            chosen = groups < MAX_COLUMNS ? groups : MAX_COLUMNS;
        if (groups < 0) check_report(k, true, INFINITY, "out of memory");
        for (int c = 0; c < chosen; c++) check_group(k, d, k->group, (int)((long)c * groups / chosen));
    }
    check_set_terms(p, AXIS_Q);
}
