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
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/definite.h"
#include "model/group.h"
#include "model/probe.h"

enum {
    MAX_COLUMNS = 96, /* of matrices with more groups of columns a spread of this many is compared */
    MAX_FINDINGS = 256
};
static const double DIFFERENCE = 50;  /* times the estimated error of a difference is no disagreement */
static const double RELATIVE = 1e-7;  /* nor is this part of the value */
static const double ROUNDING = 1e-10; /* nor, between two exact expressions, this part of their terms */
static const double POSITION = 1e-8;  /* constraints and gaps at the start */
static const double VELOCITY = 1e-6;  /* their velocities, relative to max(1, |u|) */

typedef struct mismatch {
    double size, is, should;
} mismatch;

typedef struct checker {
    probe probe;
    int states;      /* of probe.at at which everything is defined */
    mismatch *worst; /* per row, over the states */
    int *group;      /* of each column */
    carom_finding *found;
    int count;
} checker;

/* ---------------------------------------------------------------- findings */

__attribute__((format(printf, 4, 5))) static void report(checker *k, bool fatal, double size, const char *format, ...) {
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

static void compare(checker *k, int row, double is, double should, double allowance) {
    double size = fabs(is - should);
    if (size > allowance && size > k->worst[row].size) k->worst[row] = (mismatch){size, is, should};
}

/* "what[row] is 0.4, differences give 0.5", for the rows that do not agree; then a clean slate. */
static void report_rows(checker *k, axis rows, const char *what, const char *column, const char *other) {
    probe *p = &k->probe;
    for (int i = 0; i < probe_length(p, rows); i++) {
        const mismatch *m = &k->worst[i];
        if (m->size > 0)
            report(k, true, m->size, "%s[%s]%s is %.9g, %s %.9g", what, probe_name(p, rows, i).text, column, m->is,
                   other, m->should);
        k->worst[i] = (mismatch){0};
    }
}

/* ---------------------------------------------------------------- states */

/* Weyl sequence mixed by splitmix64: the same numbers everywhere, in (-1, 1). */
static double random_number(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static int first_not_finite(const double *x, int n) {
    int i = 0;
    while (i < n && isfinite(x[i])) i++;
    return i;
}

/* Whether the functions and matrices are defined and finite at p->now; says what is not if asked to. */
static bool finite_rows(checker *k, const derivative *d, bool say) {
    probe *p = &k->probe;
    int n = probe_length(p, d->rows), undefined = d->value(p, p->f), bad = undefined ? 0 : first_not_finite(p->f, n);
    if (undefined && say) report(k, true, INFINITY, "%s is not defined at the start", d->function);
    if (!undefined && bad < n && say)
        report(k, true, INFINITY, "%s[%s] is %g at the start", d->function, probe_name(p, d->rows, bad).text,
               p->f[bad]);
    return !undefined && bad == n;
}

static bool finite_matrix(checker *k, const derivative *d, bool say) {
    probe *p = &k->probe;
    const carom_pattern *J = d->pattern;
    int n = pattern_nnz(J), row = 0, undefined = d->matrix(p, p->J), bad = undefined ? 0 : first_not_finite(p->J, n);
    if (undefined && say) report(k, true, INFINITY, "%s is not defined at the start", d->text);
    if (!undefined && bad < n && say) {
        while (J->start[row + 1] <= bad) row++;
        report(k, true, INFINITY, "%s[%s][%s] is %g at the start", d->text, probe_name(p, d->rows, row).text,
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
    for (int i = 0; i < d->nu; i++) p->v[i] = random_number(&seed);
    for (int i = 0; i < p->model->ns; i++) p->r[i] = random_number(&seed);
    probe_start(p, &p->at[0]);
    if (!defined(k, true)) return false;

    for (k->states = 1; k->states < PROBE_STATES;) {
        state *s = &p->at[k->states];
        bool good = false;
        for (double amplitude = 0.3; !good && amplitude > 1e-5; amplitude /= 10) {
            s->t = d->t0 + amplitude * (1 + random_number(&seed));
            for (int i = 0; i < d->nq; i++)
                s->q[i] = d->q0[i] + amplitude * random_number(&seed) * fmax(1, fabs(d->q0[i]));
            for (int i = 0; i < d->nu; i++)
                s->u[i] = d->u0[i] + amplitude * random_number(&seed) * fmax(1, fabs(d->u0[i]));
            probe_start(p, s);
            good = defined(k, false);
        }
        if (!good) break;
        k->states++;
    }
    return true;
}

/* ---------------------------------------------------------------- derivatives */

static double allowance(const checker *k, int row, double value) {
    const probe *p = &k->probe;
    return DIFFERENCE * p->error[row] + RELATIVE * fabs(value);
}

static double fastest(const probe *p) {
    double u = 1;
    for (int i = 0; i < p->def->nu; i++) u = fmax(u, fabs(p->base.u[i]));
    return u;
}

/* Forces of inertia are sums of terms of the size M_ii u^2. Those of a round body cancel, and leave their round-off. */
static void set_terms(probe *p, axis rows) {
    const carom_model_def *d = p->def;
    const double speed = fastest(p);
    memset(p->terms, 0, (size_t)p->rows * sizeof *p->terms);
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
    set_terms(p, d->rows);
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
            compare(k, i, is, p->d[i], allowance(k, i, is));
        }
    }
    char text[96];
    snprintf(text, sizeof text, "[%s]", probe_name(p, d->columns, column).text);
    report_rows(k, d->rows, d->text, text, "differences give");
}

/* Columns that have no row in common are compared all at once: in each row only one of them moves anything. */
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
            if (fabs(is - p->d[i]) > allowance(k, i, is)) return false;
        }
    }
    return true;
}

static void check_group(checker *k, const derivative *d, const int *group, int g) {
    if (group_agrees(k, d, group, g)) return;
    for (int j = 0; j < d->pattern->cols; j++)
        if (group[j] == g) check_column(k, d, j);
}

static void check_derivatives(checker *k) {
    probe *p = &k->probe;
    derivative list[DERIVATIVES];
    probe_derivatives(p, list);
    for (const derivative *d = list; d < list + DERIVATIVES; d++) {
        if (!d->given) continue;
        int groups = group_columns(d->pattern, MAX_COLUMNS, k->group),
            chosen = groups < MAX_COLUMNS ? groups : MAX_COLUMNS;
        if (groups < 0) report(k, true, INFINITY, "out of memory");
        for (int c = 0; c < chosen; c++) check_group(k, d, k->group, (int)((long)c * groups / chosen));
    }
    set_terms(p, AXIS_Q);
}

/* ---------------------------------------------------------------- identities */

/* f(u) - J u, and in size the sum of the magnitudes of its terms. */
static void constant_part(checker *k, const derivative *d, double *rest, double *size) {
    probe *p = &k->probe;
    const carom_pattern *J = d->pattern;
    d->value(p, rest);
    d->matrix(p, p->J);
    for (int i = 0; i < J->rows; i++) {
        size[i] = fabs(rest[i]);
        for (int e = J->start[i]; e < J->start[i + 1]; e++) {
            double term = p->J[e] * p->now.u[J->index[e]];
            rest[i] -= term;
            size[i] += fabs(term);
        }
    }
}

static void check_affine(checker *k, const derivative *d, const char *what) {
    probe *p = &k->probe;
    double *here = p->f, *there = p->d, *size = p->error, *size_there = p->work;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        constant_part(k, d, here, size);
        for (int i = 0; i < p->def->nu; i++) p->now.u[i] = p->v[i] - 0.5 * p->base.u[i];
        constant_part(k, d, there, size_there);
        for (int i = 0; i < probe_length(p, d->rows); i++)
            compare(k, i, here[i], there[i], ROUNDING * (size[i] + size_there[i]));
    }
    report_rows(k, d->rows, what, "", "but must not depend on the velocities and becomes");
}

/* Direction of motion at constant velocities: t_dot = 1, q_dot, u_dot = 0. Returns the scale of steps along it. */
static double flow(checker *k) {
    probe *p = &k->probe;
    double rate = 1;
    p->direction.t = 1;
    probe_q_dot(p, p->direction.q);
    for (int i = 0; i < p->def->nq; i++) rate = fmax(rate, fabs(p->direction.q[i]));
    return 1 / rate;
}

static void check_rates(checker *k) {
    probe *p = &k->probe;
    const carom_model *m = p->model;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        probe_s(p, p->f);
        probe_differentiate(p, probe_c, m->nc, flow(k));
        for (int i = 0; i < m->nc; i++) {
            int row = i < p->def->ng ? i : m->N + i - p->def->ng;
            compare(k, row, p->f[row], p->d[i], allowance(k, i, p->f[row]));
        }
    }
    report_rows(k, AXIS_S, "s", "", "but d/dt of the position function is");
}

static void check_velocity_rate(checker *k) {
    probe *p = &k->probe;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        if (model_velocity_rate(p->model, p->now.t, p->now.q, p->now.u, p->J, p->d, p->f)) continue;
        probe_differentiate(p, probe_s, p->model->ns, flow(k));
        for (int i = 0; i < p->model->ns; i++) compare(k, i, p->f[i], p->d[i], allowance(k, i, p->f[i]));
    }
    report_rows(k, AXIS_S, "the rate of s", "", "but ds/dt at constant velocities is");
}

static void check_momentum(checker *k) {
    probe *p = &k->probe;
    int nu = p->def->nu;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        double *h = p->f, *b = p->J;
        probe_force(p, h);
        probe_b(p, b);
        probe_differentiate(p, probe_p, nu, flow(k));
        for (int i = 0; i < nu; i++)
            compare(k, i, h[i], b[i] - p->d[i], allowance(k, i, h[i]) + ROUNDING * (fabs(b[i]) + fabs(p->d[i])));
    }
    report_rows(k, AXIS_U, "h", "", "but b - dp/dt at constant velocities is");
}

/* d(E - G)/dt = power + r^T u under any further force r. With r = -h the velocities stay constant; and since every
 * u_dot belongs to some r, d(E - G)/du = M u. */
static void check_power(checker *k) {
    probe *p = &k->probe;
    const carom_model_def *d = p->def;
    for (int s = 0; s < k->states; s++) {
        double rate = 0, size = 0, slope = 0;
        probe_start(p, &p->at[s]);
        if (d->power(d->context, p->now.t, p->now.q, p->now.u, &rate, NULL)) continue;
        probe_force(p, p->f);
        for (int i = 0; i < d->nu; i++) {
            rate -= p->f[i] * p->now.u[i];
            size += fabs(p->f[i] * p->now.u[i]);
        }
        probe_differentiate(p, probe_H, 1, flow(k));
        compare(k, 0, rate, p->d[0], allowance(k, 0, rate) + ROUNDING * size);
        probe_start(p, &p->at[s]);
        probe_mass(p, p->J);
        for (int i = 0; i < d->nu; i++) {
            p->direction.u[i] = p->v[i];
            for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++)
                slope += p->v[i] * p->J[e] * p->now.u[d->M.index[e]];
        }
        probe_differentiate(p, probe_H, 1, 1);
        compare(k, 1, slope, p->d[0], allowance(k, 0, slope));
    }
    if (k->worst[0].size > 0)
        report(k, true, k->worst[0].size, "power - u^T h is %.9g, but d/dt (E - G) at constant velocities is %.9g",
               k->worst[0].is, k->worst[0].should);
    if (k->worst[1].size > 0)
        report(k, true, k->worst[1].size, "v^T M u is %.9g, but d(E - G)/du v is %.9g", k->worst[1].is,
               k->worst[1].should);
    k->worst[0] = k->worst[1] = (mismatch){0};
}

/* d/dt (xi^T p) without constraints and contacts: at constant u, and xi^T h from u_dot. */
static void check_maps(checker *k) {
    probe *p = &k->probe;
    const carom_model_def *d = p->def;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        probe_differentiate(p, probe_maps, d->symmetries, flow(k));
        if (probe_maps(p, p->f) || probe_force(p, p->momentum)) continue;
        for (int i = 0; i < d->symmetries; i++) {
            double rate = p->d[i], size = fabs(p->d[i]);
            for (int j = 0; j < d->nu; j++) {
                double term = p->xi[i * d->nu + j] * p->momentum[j];
                rate += term;
                size += fabs(term);
            }
            compare(k, i, rate, 0, allowance(k, i, 0) + ROUNDING * size);
        }
    }
    for (int i = 0; i < d->symmetries; i++) {
        if (k->worst[i].size > 0)
            report(k, false, k->worst[i].size, "the forces change '%s' at the rate %.3g: it is not conserved",
                   d->symmetry_names[i], k->worst[i].is);
        k->worst[i] = (mismatch){0};
    }
}

/* s - W^T u of a model that does not say it is rheonomic. */
static void check_scleronomic(checker *k, const derivative *d) {
    probe *p = &k->probe;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        constant_part(k, d, p->f, p->error);
        const double speed = fastest(p);
        for (int i = 0; i < p->model->ns; i++) compare(k, i, p->f[i], 0, ROUNDING * p->error[i] + DBL_EPSILON * speed);
    }
    for (int i = 0; i < p->model->ns; i++) {
        if (k->worst[i].size > 0)
            report(k, false, k->worst[i].size,
                   "%s moves by itself at the rate %.3g: its work is recorded if the model says it is rheonomic",
                   probe_name(p, AXIS_S, i).text, k->worst[i].is);
        k->worst[i] = (mismatch){0};
    }
}

static void check_symmetry(checker *k) {
    probe *p = &k->probe;
    const carom_pattern *M = &p->def->M;
    probe_start(p, &p->at[k->states - 1]);
    probe_mass(p, p->J);
    for (int i = 0; i < M->rows; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) {
            int j = M->index[e];
            const double *other = pattern_entry(M, p->J, j, i);
            double is = p->J[e], should = other ? *other : 0;
            if ((i < j || !other) && fabs(is - should) > ROUNDING * (fabs(is) + fabs(should)))
                report(k, true, fabs(is - should), "M[%s][%s] is %.9g, but M[%s][%s] is %.9g",
                       probe_name(p, AXIS_U, i).text, probe_name(p, AXIS_U, j).text, is, probe_name(p, AXIS_U, j).text,
                       probe_name(p, AXIS_U, i).text, should);
        }
}

static void check_identities(checker *k) {
    probe *p = &k->probe;
    derivative list[DERIVATIVES];
    probe_derivatives(p, list);
    bool derivatives_agree = k->count == 0;
    check_symmetry(k);
    if (p->def->position) check_rates(k);
    if (p->def->velocity_rate) check_velocity_rate(k);
    if (p->def->momentum) check_momentum(k);
    for (const derivative *d = list; d < list + DERIVATIVES && derivatives_agree; d++)
        if (d->given && (d->pattern == &p->def->B || d->pattern == &p->def->WT)) {
            check_affine(k, d, d->pattern == &p->def->B ? "q_dot - B u" : "s - W^T u");
            if (d->pattern == &p->def->WT && !p->def->rheonomic) check_scleronomic(k, d);
        }
    if (p->def->energy && p->def->power) check_power(k);
    if (p->def->symmetries && model_has_momentum(p->model)) check_maps(k);
}

/* ---------------------------------------------------------------- the initial state */

static void check_mass(checker *k) {
    probe *p = &k->probe;
    double pivot;
    probe_mass(p, p->J);
    int row = indefinite_row(&p->def->M, p->J, &pivot);
    if (row < 0) report(k, true, INFINITY, "out of memory");
    else if (row < p->def->nu)
        report(k, true, fabs(pivot), "M is not positive definite at the start: its pivot at %s is %.3g",
               probe_name(p, AXIS_U, row).text, pivot);
}

static double largest(const double *x, int n) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_positions(checker *k) {
    probe *p = &k->probe;
    probe_c(p, p->f);
    for (int i = 0; i < p->model->nc; i++) {
        bool gap = i >= p->def->ng;
        if (gap ? p->f[i] < -POSITION : fabs(p->f[i]) > POSITION)
            report(k, true, fabs(p->f[i]),
                   gap ? "%s is %.9g at the start: penetration" : "%s is %.9g at the start, not 0",
                   probe_name(p, AXIS_C, i).text, p->f[i]);
    }
}

static void check_velocities(checker *k, double tolerance) {
    probe *p = &k->probe;
    const carom_model *m = p->model;
    if (m->nc) probe_c(p, p->d);
    probe_s(p, p->f);
    for (int i = 0; i < m->N; i++)
        if (fabs(p->f[i]) > tolerance)
            report(k, true, fabs(p->f[i]), "%s is %.9g at the start, not 0", probe_name(p, AXIS_S, i).text, p->f[i]);
    for (int i = 0; i < p->def->contacts; i++) {
        double rate = p->f[m->N + i];
        if (fabs(p->d[p->def->ng + i]) <= POSITION && rate < -tolerance)
            report(k, false, -rate, "%s is %.9g at the start with the contact closed: the run begins with an impact",
                   probe_name(p, AXIS_S, m->N + i).text, rate);
    }
}

static void check_energy(checker *k) {
    const carom_model_def *d = k->probe.def;
    double T = 0, V = 0;
    if (d->energy(d->context, d->t0, d->q0, d->u0, &T, &V) || !isfinite(T + V))
        report(k, true, INFINITY, "the energy is not finite at the start");
}

static void check_recorded(checker *k) {
    const carom_model_def *d = k->probe.def;
    double power = 0, G = 0, *f = k->probe.f;
    if (d->power && (d->power(d->context, d->t0, d->q0, d->u0, &power, &G) || !isfinite(power + G)))
        report(k, false, INFINITY, "the power is not finite at the start: the work of forces cannot be recorded");
    if (d->symmetries && (d->symmetry(d->context, d->t0, d->q0, k->probe.xi) ||
                          first_not_finite(k->probe.xi, d->symmetries * d->nu) < d->symmetries * d->nu))
        report(k, true, INFINITY, "the symmetries are not finite at the start");
    for (int i = 0; i < d->observables; i++) f[i] = NAN;
    if (d->observables) d->observe(d->context, d->t0, d->q0, d->u0, f);
    for (int i = 0; i < d->observables; i++)
        if (!isfinite(f[i])) report(k, false, INFINITY, "'%s' is not finite at the start", d->observable_names[i]);
}

static void check_start(checker *k) {
    probe *p = &k->probe;
    probe_start(p, &p->at[0]);
    check_mass(k);
    if (p->def->energy) check_energy(k);
    check_recorded(k);
    if (p->def->position) check_positions(k);
    if (p->def->velocity) check_velocities(k, VELOCITY * fmax(1, largest(p->base.u, p->def->nu)));
}

/* ---------------------------------------------------------------- all of it */

int carom_model_check(const carom_model *model, carom_finding *findings, int max) {
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
