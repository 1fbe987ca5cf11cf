/* Elastic elements of a model: gather q, evaluate, scatter V, f and f_q to precomputed places. */
#include "model/elastic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    const elastic *kind;
    size_t data; /* where its own begin among those of all */
    const int *q, *u;
    const int *place[ELASTIC_MATRICES]; /* [nu][nq] of the block in the values of a matrix */
} item;

struct elastics {
    int count;
    item *items;
    int *maps;
};

/* ---------------------------------------------------------------- setup */

static int find(const carom_pattern *p, int row, int column) {
    int low = p->start[row], high = p->start[row + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->index[middle] < column) low = middle + 1;
        else high = middle;
    }
    assert(low == high && p->index[low] == column);
    return low;
}

static int *copy_ints(int *to, const int *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

/* Returns the end of the maps of this element. */
static int *place(item *to, const elastic_element *from, const carom_pattern patterns[ELASTIC_MATRICES], int *maps) {
    const elastic *kind = from->kind;
    to->q = maps, maps = copy_ints(maps, from->q, kind->nq);
    to->u = maps, maps = copy_ints(maps, from->u, kind->nu);
    for (int k = 0; k < ELASTIC_MATRICES; k++) {
        to->place[k] = maps;
        for (int i = 0; i < kind->nu; i++)
            for (int j = 0; j < kind->nq; j++) *maps++ = find(&patterns[k], from->u[i], from->q[j]);
    }
    return maps;
}

size_t elastics_numbers(int count, const elastic_element *elements) {
    size_t numbers = 0;
    for (int k = 0; k < count; k++) numbers += (size_t)elements[k].kind->numbers;
    return numbers;
}

elastics *elastics_create(int count, const elastic_element *elements, const carom_pattern patterns[ELASTIC_MATRICES]) {
    size_t ints = 0, data = 0;
    for (int k = 0; k < count; k++) {
        const elastic *kind = elements[k].kind;
        assert(kind->nq <= ELASTIC_MAX && kind->nu <= ELASTIC_MAX && kind->numbers <= ELASTIC_NUMBERS);
        ints += (size_t)(kind->nq + kind->nu + ELASTIC_MATRICES * kind->nq * kind->nu);
    }
    elastics *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    *e = (elastics){count, malloc((size_t)count * sizeof *e->items + 1), malloc(ints * sizeof *e->maps + 1)};
    if (!e->items || !e->maps) {
        elastics_destroy(e);
        return NULL;
    }
    int *maps = e->maps;
    for (int k = 0; k < count; k++) {
        e->items[k] = (item){.kind = elements[k].kind, .data = data};
        maps = place(&e->items[k], &elements[k], patterns, maps);
        data += (size_t)elements[k].kind->numbers;
    }
    return e;
}

void elastics_destroy(elastics *e) {
    if (!e) return;
    free(e->items);
    free(e->maps);
    free(e);
}

/* ---------------------------------------------------------------- evaluation */

void elastics_derive(const elastics *e, double *data) {
    for (int k = 0; k < e->count; k++) e->items[k].kind->derive(data + e->items[k].data);
}

void elastics_derive_rates(const elastics *e, const double *data, double *data_rate) {
    for (int k = 0; k < e->count; k++) {
        const item *x = &e->items[k];
        x->kind->derive_rate(data + x->data, data_rate + x->data);
    }
}

int elastics_add(const elastics *e, const double *data, const double *q, double *V, double *f, double *f_q,
                 elastic_matrix matrix) {
    double own_q[ELASTIC_MAX], own_f[ELASTIC_MAX], own_f_q[ELASTIC_MAX * ELASTIC_MAX], own_V = 0;
    for (int k = 0; k < e->count; k++) {
        const item *x = &e->items[k];
        int nq = x->kind->nq, nu = x->kind->nu;
        for (int j = 0; j < nq; j++) own_q[j] = q[x->q[j]];
        int status =
            x->kind->evaluate(data + x->data, own_q, V ? &own_V : NULL, f ? own_f : NULL, f_q ? own_f_q : NULL);
        if (status) return status;
        if (V) *V += own_V;
        for (int i = 0; f && i < nu; i++) f[x->u[i]] += own_f[i];
        for (int i = 0; f_q && i < nu * nq; i++) f_q[x->place[matrix][i]] += own_f_q[i];
    }
    return 0;
}

int elastics_add_rates(const elastics *e, const double *data, const double *data_rate, const double *q,
                       const double *q_rate, double *rate) {
    double own_q[ELASTIC_MAX], f[ELASTIC_MAX] = {0}, f_q[ELASTIC_MAX * ELASTIC_MAX];
    for (int k = 0; k < e->count; k++) {
        const item *x = &e->items[k];
        int nq = x->kind->nq, nu = x->kind->nu;
        for (int j = 0; j < nq; j++) own_q[j] = q[x->q[j]];
        int status = x->kind->evaluate(data + x->data, own_q, NULL, NULL, f_q);
        if (!status && data_rate) status = x->kind->by_data(data + x->data, data_rate + x->data, own_q, f);
        if (status) return status;
        for (int i = 0; i < nu; i++) {
            for (int j = 0; j < nq; j++) rate[x->u[i]] += f_q[i * nq + j] * q_rate[x->q[j]];
            rate[x->u[i]] += f[i];
        }
    }
    return 0;
}

/* By one number of the data after the other. */
static int add_data_weights(const item *x, const double *data, const double *q, const double *weight, double *sum) {
    double direction[ELASTIC_NUMBERS] = {0}, f[ELASTIC_MAX];
    for (int n = 0; n < x->kind->numbers; n++) {
        direction[n] = 1;
        int status = x->kind->by_data(data, direction, q, f);
        direction[n] = 0;
        if (status) return status;
        for (int i = 0; i < x->kind->nu; i++) sum[n] += f[i] * weight[x->u[i]];
    }
    return 0;
}

int elastics_add_weights(const elastics *e, const double *data, const double *q, const double *weight, double *q_weight,
                         double *data_weight) {
    double own_q[ELASTIC_MAX], f_q[ELASTIC_MAX * ELASTIC_MAX];
    for (int k = 0; k < e->count; k++) {
        const item *x = &e->items[k];
        int nq = x->kind->nq, nu = x->kind->nu;
        for (int j = 0; j < nq; j++) own_q[j] = q[x->q[j]];
        int status = x->kind->evaluate(data + x->data, own_q, NULL, NULL, f_q);
        if (!status && data_weight) status = add_data_weights(x, data + x->data, own_q, weight, data_weight + x->data);
        if (status) return status;
        for (int i = 0; i < nu; i++)
            for (int j = 0; j < nq; j++) q_weight[x->q[j]] += f_q[i * nq + j] * weight[x->u[i]];
    }
    return 0;
}
