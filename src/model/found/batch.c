#include "batch.h"

#include "model/definite.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- rows */

/* Entries of a local row that belong to the first body. */
static int entries_of_first(const kind_pattern *p, int row, int first) {
    int n = 0;
    while (p->start[row] + n < p->start[row + 1] && p->index[p->start[row] + n] < first) n++;
    return n;
}

/* Whether those of the second body come before them in the model. */
static bool is_turned(const kind_pattern *p, int row, int first, const int start[2]) {
    return p->start[row] + entries_of_first(p, row, first) < p->start[row + 1] && start[0] > start[1];
}

int *instance_columns(const instance *i, const kind_pattern *p, int row, bool of_u, int *columns) {
    const int first = of_u ? i->kind->first_u : i->kind->first_q, *start = of_u ? i->u : i->q;
    const int from = p->start[row], n = p->start[row + 1] - from, m = entries_of_first(p, row, first);
    const bool turned = is_turned(p, row, first, start);
    for (int e = 0; e < n; e++) {
        const int local = p->index[from + (turned ? (e + m) % n : e)];
        columns[e] = of_u ? instance_velocity(i, local) : instance_coordinate(i, local);
    }
    return columns + n;
}

/* Where the entries of a local row go, the row of the model beginning at `begin`. */
static int *place_row(const instance *i, const kind_pattern *p, int row, bool of_u, int begin, int *place) {
    const int first = of_u ? i->kind->first_u : i->kind->first_q;
    const int n = p->start[row + 1] - p->start[row], m = entries_of_first(p, row, first);
    const bool turned = is_turned(p, row, first, of_u ? i->u : i->q);
    for (int e = 0; e < n; e++) *place++ = begin + (turned ? (e + n - m) % n : e);
    return place;
}

static int *place_rows(const instance *i, const kind_pattern *p, bool of_u, const carom_pattern *to, int *place) {
    for (int row = 0; row < i->kind->rows; row++)
        place = place_row(i, p, row, of_u, to->start[instance_row(i, row)], place);
    return place;
}

static int *place_turning(const instance *i, const carom_pattern *to, int *place) {
    const kind_pattern *p = &i->kind->Wr_q;
    for (int row = 0; row < p->rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            *place++ = pattern_place(to, instance_velocity(i, row), instance_coordinate(i, p->index[e]));
    return place;
}

/* ---------------------------------------------------------------- making one */

static int entries_of(const kind_pattern *p) {
    return p->start[p->rows];
}

static bool reserve(batch *g) {
    const kind *k = g->kind;
    const int sizes[KIND_OUTPUTS] = {[KIND_C] = 1,
                                     [KIND_C_Q] = entries_of(&k->c_q),
                                     [KIND_S] = k->rows,
                                     [KIND_WT] = entries_of(&k->WT),
                                     [KIND_S_Q] = entries_of(&k->s_q),
                                     [KIND_WR_Q] = entries_of(&k->Wr_q)};
    const size_t count = (size_t)g->count + 1;
    bool ok = (g->numbers = malloc(count * sizeof(kind_numbers))) != NULL;
    ok = (g->q = malloc(count * (size_t)(k->nq + 1) * sizeof *g->q)) != NULL && ok;
    ok = (g->u = malloc(count * (size_t)(k->nu + 1) * sizeof *g->u)) != NULL && ok;
    for (int i = 0; i < KIND_OUTPUTS; i++)
        if (sizes[i]) ok = (g->place[i] = malloc(count * (size_t)sizes[i] * sizeof(int))) != NULL && ok;
    return ok;
}

static int *map_body(int start, int count, int *map) {
    for (int i = 0; i < count; i++) *map++ = start + i;
    return map;
}

typedef struct cursor {
    int *q, *u, *place[KIND_OUTPUTS];
} cursor;

static void add(batch *g, cursor *at, const instance *i, int number, const batch_target *to) {
    const kind *k = g->kind;
    memcpy(g->numbers + (size_t)g->count++ * KIND_NUMBERS, i->numbers, sizeof *i->numbers);
    at->q = map_body(i->q[1], k->nq - k->first_q, map_body(i->q[0], k->first_q, at->q));
    at->u = map_body(i->u[1], k->nu - k->first_u, map_body(i->u[0], k->first_u, at->u));
    *at->place[KIND_C]++ = to->gap + number;
    at->place[KIND_C_Q] = place_row(i, &k->c_q, 0, false, to->c_q->start[to->gap + number], at->place[KIND_C_Q]);
    for (int row = 0; row < k->rows; row++) *at->place[KIND_S]++ = instance_row(i, row);
    at->place[KIND_WT] = place_rows(i, &k->WT, true, to->WT, at->place[KIND_WT]);
    at->place[KIND_S_Q] = place_rows(i, &k->s_q, false, to->s_q, at->place[KIND_S_Q]);
    at->place[KIND_WR_Q] = place_turning(i, to->Wr_q, at->place[KIND_WR_Q]);
}

bool batch_create(batch *g, kind *k, const instance *at, int count, const batch_target *to) {
    *g = (batch){.kind = k};
    for (int i = 0; i < count; i++) g->count += at[i].kind == k;
    if (!reserve(g)) return false;
    cursor next = {.q = g->q, .u = g->u};
    memcpy(next.place, g->place, sizeof next.place);
    g->count = 0;
    for (int i = 0; i < count; i++)
        if (at[i].kind == k) add(g, &next, &at[i], i, to);
    return true;
}

void batch_destroy(batch *g) {
    free(g->numbers), free(g->q), free(g->u);
    for (int i = 0; i < KIND_OUTPUTS; i++) free(g->place[i]);
    *g = (batch){0};
}

/* ---------------------------------------------------------------- running */

void batch_run(const batch *g, kind_output output, const double *q, const double *u, double *values) {
    const kind *k = g->kind;
    const tape *t = k->tape[output];
    const bool turning = output == KIND_WR_Q;
    const tape_instances in = {.count = g->count,
                               .block = {g->numbers, q, turning ? NULL : u, turning ? u : NULL},
                               .map = {NULL, g->q, g->u, g->place[KIND_S]},
                               .stride = {KIND_NUMBERS, k->nq, k->nu, k->rows},
                               .place = {g->place[output == KIND_ZETA ? KIND_S : output]}};
    tape_run_lanes(t, tape_image(t), &in, k->work, (double *const[TAPE_ARRAYS]){values});
}
