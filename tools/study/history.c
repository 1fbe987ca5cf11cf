#include "study/history.h"

#include "error.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

double largest_number(const double *values, long count) {
    double most = NAN;
    for (long i = 0; i < count; i++) most = fmax(most, values[i]); /* fmax ignores NaN */
    return most;
}

double largest_kinetic(const carom_model *model, const track *t) {
    const carom_model_def *d = &model->def;
    double most = NAN, T, V;
    for (long i = 0; d->energy && i < t->rows; i++)
        if (!d->energy(d->context, t->time[i], t->q + i * t->nq, t->u + i * t->nu, &T, &V)) most = fmax(most, T);
    return most;
}

long envelope_of(const double *time, const double *values, long count, long windows, double *at, double *most) {
    long stretch = (count + windows - 1) / windows, found = 0;
    for (long first = 0; first < count; first += stretch) {
        long best = first;
        for (long i = first; i < first + stretch && i < count; i++)
            if (values[i] > values[best] || isnan(values[best])) best = i;
        at[found] = time[best];
        most[found++] = values[best];
    }
    return found;
}

/* ---- one row */

/* c = (g, g_N), s = (g_dot, gamma, gN_dot, gamma_F) */
static void see_row(const carom_model *m, const track *t, long i, double *c, double *s, history *h) {
    const carom_model_def *d = &m->def;
    const double *q = t->q + i * t->nq, *u = t->u + i * t->nu;
    double gap = NAN;
    h->penetration[i] = h->position[i] = h->velocity[i] = NAN;
    if (m->nc && d->position(d->context, t->time[i], q, c, NULL)) return;
    if (m->ns && d->velocity(d->context, t->time[i], q, u, s, NULL, NULL)) return;
    for (int k = 0; k < d->ng; k++) h->position[i] = fmax(h->position[i], fabs(c[k]));
    for (int k = 0; k < m->N; k++) h->velocity[i] = fmax(h->velocity[i], fabs(s[k]));
    for (int k = 0; k < d->contacts; k++) gap = fmin(gap, c[d->ng + k]);
    if (!isnan(gap)) h->penetration[i] = fmax(0, -gap);
}

carom_status history_create(const carom_model *m, const track *t, history *h, carom_error *error) {
    size_t rows = (size_t)t->rows + 1;
    *h = (history){.penetration = malloc(3 * rows * sizeof *h->penetration)};
    double *c = malloc(((size_t)m->nc + 1) * sizeof *c), *s = malloc(((size_t)m->ns + 1) * sizeof *s);
    bool room = h->penetration && c && s;
    if (room) {
        h->position = h->penetration + rows, h->velocity = h->position + rows;
        for (long i = 0; i < t->rows; i++) see_row(m, t, i, c, s, h);
    }
    free(c);
    free(s);
    return room ? CAROM_OK : carom_error_memory(error);
}

void history_destroy(history *h) {
    free(h->penetration);
    *h = (history){0};
}
