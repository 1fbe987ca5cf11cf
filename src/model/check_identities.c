/* What holds at any state: symmetry, rates, momentum, power, momentum maps. */
#include "model/check.h"
#include "model/definite.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
            check_compare(k, i, here[i], there[i], CHECK_ROUNDING * (size[i] + size_there[i]));
    }
    check_report_rows(k, d->rows, what, "", "but must not depend on the velocities and becomes");
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
        check_set_terms(p, AXIS_C);
        probe_differentiate(p, probe_c, m->nc, flow(k));
        for (int i = 0; i < m->nc; i++) {
            int row = i < p->def->ng ? i : m->N + i - p->def->ng;
            check_compare(k, row, p->f[row], p->d[i], check_allowance(k, i, p->f[row]));
        }
    }
    check_set_terms(p, AXIS_Q);
    check_report_rows(k, AXIS_S, "s", "", "but d/dt of the position function is");
}

static void check_velocity_rate(checker *k) {
    probe *p = &k->probe;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        if (model_velocity_rate(p->model, p->now.t, p->now.q, p->now.u, p->J, p->d, p->f)) continue;
        probe_differentiate(p, probe_s, p->model->ns, flow(k));
        for (int i = 0; i < p->model->ns; i++) check_compare(k, i, p->f[i], p->d[i], check_allowance(k, i, p->f[i]));
    }
    check_report_rows(k, AXIS_S, "the rate of s", "", "but ds/dt at constant velocities is");
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
            check_compare(k, i, h[i], b[i] - p->d[i],
                          check_allowance(k, i, h[i]) + CHECK_ROUNDING * (fabs(b[i]) + fabs(p->d[i])));
    }
    check_report_rows(k, AXIS_U, "h", "", "but b - dp/dt at constant velocities is");
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
        check_compare(k, 0, rate, p->d[0], check_allowance(k, 0, rate) + CHECK_ROUNDING * size);
        probe_start(p, &p->at[s]);
        probe_mass(p, p->J);
        for (int i = 0; i < d->nu; i++) {
            p->direction.u[i] = p->v[i];
            for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++)
                slope += p->v[i] * p->J[e] * p->now.u[d->M.index[e]];
        }
        probe_differentiate(p, probe_H, 1, 1);
        check_compare(k, 1, slope, p->d[0], check_allowance(k, 0, slope));
    }
    if (k->worst[0].size > 0)
        check_report(k, true, k->worst[0].size,
                     "power - u^T h is %.9g, but d/dt (E - G) at constant velocities is %.9g", k->worst[0].is,
                     k->worst[0].should);
    if (k->worst[1].size > 0)
        check_report(k, true, k->worst[1].size, "v^T M u is %.9g, but d(E - G)/du v is %.9g", k->worst[1].is,
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
            check_compare(k, i, rate, 0, check_allowance(k, i, 0) + CHECK_ROUNDING * size);
        }
    }
    for (int i = 0; i < d->symmetries; i++) {
        if (k->worst[i].size > 0)
            check_report(k, false, k->worst[i].size, "the forces change '%s' at the rate %.3g: it is not conserved",
                         d->symmetry_names[i], k->worst[i].is);
        k->worst[i] = (mismatch){0};
    }
}

/* Checks s = W^T u for a model that does not call itself rheonomic. */
static void check_scleronomic(checker *k, const derivative *d) {
    probe *p = &k->probe;
    for (int s = 0; s < k->states; s++) {
        probe_start(p, &p->at[s]);
        constant_part(k, d, p->f, p->error);
        const double speed = check_fastest(p);
        for (int i = 0; i < p->model->ns; i++)
            check_compare(k, i, p->f[i], 0, CHECK_ROUNDING * p->error[i] + DBL_EPSILON * speed);
    }
    for (int i = 0; i < p->model->ns; i++) {
        if (k->worst[i].size > 0)
            check_report(k, false, k->worst[i].size,
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
            if ((i < j || !other) && fabs(is - should) > CHECK_ROUNDING * (fabs(is) + fabs(should)))
                check_report(k, true, fabs(is - should), "M[%s][%s] is %.9g, but M[%s][%s] is %.9g",
                             probe_name(p, AXIS_U, i).text, probe_name(p, AXIS_U, j).text, is,
                             probe_name(p, AXIS_U, j).text, probe_name(p, AXIS_U, i).text, should);
        }
}

void check_identities(checker *k) {
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
