/* Benettin, Galgani, Giorgilli, Strelcyn 1980: after each step the directions that the motion carries along are made
 * orthonormal. The mean growth of each is an exponent, (SE20). */
#include "sweep/exponents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Leaves out the components of the start that a closed contact holds. */
static carom_status find_directions(carom_sim *sim, char **names, int *count, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_sim_model(sim));
    carom_status status = carom_sim_differentiate(sim, NULL, 0, error);
    for (int i = 0; i < d->nq + d->nu && !status; i++) {
        char *name = NULL;
        if (asprintf(&name, "start.%s", i < d->nq ? d->q_names[i] : d->u_names[i - d->nq]) < 0)
            status = carom_error_memory(error);
        else if (carom_sim_differentiate(sim, (const char *const *)&name, 1, NULL)) free(name);
        else names[(*count)++] = name;
    }
    return status ? status : carom_sim_differentiate(sim, (const char *const *)names, *count, error);
}

carom_status exponents_create(exponents *e, carom_sim *sim, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_sim_model(sim));
    *e = (exponents){.n = d->nq + d->nu};
    char **names = calloc((size_t)e->n, sizeof *names);
    e->vector = calloc((size_t)e->n * (size_t)e->n, sizeof *e->vector);
    e->sum = calloc((size_t)e->n, sizeof *e->sum);
    carom_status status =
        names && e->vector && e->sum ? find_directions(sim, names, &e->count, error) : carom_error_memory(error);
    for (int i = 0; names && i < e->count; i++) free(names[i]);
    free(names);
    return status;
}

void exponents_destroy(exponents *e) {
    free(e->vector);
    free(e->sum);
}

static void read_directions(exponents *e, const carom_sim *sim) {
    const carom_model_def *d = carom_model_get(carom_sim_model(sim));
    for (int k = 0; k < e->count; k++) {
        double *v = e->vector + (size_t)k * (size_t)e->n;
        memcpy(v, carom_sim_q_by(sim, k), (size_t)d->nq * sizeof *v);
        memcpy(v + d->nq, carom_sim_u_by(sim, k), (size_t)d->nu * sizeof *v);
    }
}

static double product(const exponents *e, int i, int j) {
    const double *a = e->vector + (size_t)i * (size_t)e->n, *b = e->vector + (size_t)j * (size_t)e->n;
    double sum = 0;
    for (int k = 0; k < e->n; k++) sum += a[k] * b[k];
    return sum;
}

/* Removes from direction k its parts along the directions before it and scales it to length one. Returns its length
 * before scaling. */
static double straighten(exponents *e, int k) {
    double *v = e->vector + (size_t)k * (size_t)e->n;
    for (int again = 0; again < 2; again++) /* the second pass removes what round-off has left */
        for (int j = 0; j < k; j++) {
            const double part = product(e, j, k);
            for (int i = 0; i < e->n; i++) v[i] -= part * e->vector[(size_t)j * (size_t)e->n + (size_t)i];
        }
    const double length = sqrt(product(e, k, k));
    for (int i = 0; i < e->n; i++) v[i] = length > 0 ? v[i] / length : 0;
    return length;
}

static void write_directions(const exponents *e, carom_sim *sim) {
    const int nq = carom_model_get(carom_sim_model(sim))->nq;
    for (int k = 0; k < e->count; k++) {
        const double *v = e->vector + (size_t)k * (size_t)e->n;
        carom_sim_set_direction(sim, k, v, v + nq);
    }
}

carom_status exponents_begin(exponents *e, carom_sim *sim, bool counted, carom_error *error) {
    if (carom_sim_lost(sim)) return carom_error_set(error, CAROM_FAILED, "no exponents: %s", carom_sim_lost(sim));
    read_directions(e, sim);
    for (int k = 0; k < e->count; k++) {
        const bool depends = straighten(e, k) < 1e-9; /* joints and quaternions leave fewer directions */
        double *v = e->vector + (size_t)k * (size_t)e->n;
        if (depends) memset(v, 0, (size_t)e->n * sizeof *v);
        e->sum[k] = depends ? NAN : 0;
    }
    e->since = counted ? carom_sim_time(sim) : NAN;
    write_directions(e, sim);
    return CAROM_OK;
}

carom_status exponents_follow(exponents *e, carom_sim *sim, bool counted, carom_error *error) {
    if (carom_sim_lost(sim)) return carom_error_set(error, CAROM_FAILED, "no exponents: %s", carom_sim_lost(sim));
    read_directions(e, sim);
    for (int k = 0; k < e->count; k++) {
        const double growth = straighten(e, k);
        if (!isnan(e->since) && !isnan(e->sum[k])) e->sum[k] += log(growth);
    }
    if (counted && isnan(e->since)) e->since = carom_sim_time(sim);
    write_directions(e, sim);
    return CAROM_OK;
}

static int falling(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x < y) - (x > y);
}

void exponents_read(const exponents *e, const carom_sim *sim, int wanted, double *largest) {
    const double time = carom_sim_time(sim) - e->since;
    double *all = malloc(((size_t)e->count + 1) * sizeof *all);
    for (int k = 0; k < e->count && all; k++) all[k] = e->sum[k] / time;
    if (all) qsort(all, (size_t)e->count, sizeof *all, falling);
    for (int k = 0; k < wanted; k++) largest[k] = all && k < e->count && time > 0 ? all[k] : NAN;
    free(all);
}
