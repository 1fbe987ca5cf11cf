#include "assembly.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- what the outputs are */

typedef enum axis { AXIS_OWN, AXIS_Q, AXIS_U, AXIS_C, AXIS_GAP, AXIS_S, AXIS_D, AXIS_ONE, AXIS_SWITCH } axis;

typedef struct output {
    function of;
    int number;
    axis rows, cols; /* cols AXIS_ONE: a vector */
    size_t matrix;   /* in struct equations, of matrices */
} output;

static const output outputs[] = {
    {KINEMATICS, 0, AXIS_OWN, AXIS_ONE, 0},
    {KINEMATICS, 1, AXIS_OWN, AXIS_U, offsetof(equations, B)},
    {KINEMATICS, 2, AXIS_OWN, AXIS_Q, offsetof(equations, q_dot_q)},
    {MASS, 0, AXIS_U, AXIS_U, offsetof(equations, M)},
    {MASS_Q, 0, AXIS_U, AXIS_Q, offsetof(equations, Mv_q)},
    {FORCE, 0, AXIS_U, AXIS_ONE, 0},
    {FORCE, 1, AXIS_U, AXIS_Q, offsetof(equations, h_q)},
    {FORCE, 2, AXIS_U, AXIS_U, offsetof(equations, h_u)},
    {MOMENTUM_P, 0, AXIS_U, AXIS_ONE, 0},
    {MOMENTUM_P, 1, AXIS_U, AXIS_Q, offsetof(equations, p_q)},
    {MOMENTUM_B, 0, AXIS_U, AXIS_ONE, 0},
    {MOMENTUM_B, 1, AXIS_U, AXIS_Q, offsetof(equations, b_q)},
    {MOMENTUM_B, 2, AXIS_U, AXIS_U, offsetof(equations, b_u)},
    {POSITION, 0, AXIS_C, AXIS_ONE, 0},
    {POSITION, 1, AXIS_C, AXIS_Q, offsetof(equations, c_q)},
    {GAPS, 0, AXIS_GAP, AXIS_ONE, 0},
    {VELOCITY, 0, AXIS_S, AXIS_ONE, 0},
    {VELOCITY, 1, AXIS_S, AXIS_U, offsetof(equations, WT)},
    {VELOCITY, 2, AXIS_S, AXIS_Q, offsetof(equations, s_q)},
    {VELOCITY_RATE, 0, AXIS_S, AXIS_ONE, 0},
    {DIRECTION_Q, 0, AXIS_U, AXIS_Q, offsetof(equations, Wr_q)},
    {DISPLACEMENT, 0, AXIS_D, AXIS_ONE, 0},
    {DISPLACEMENT, 1, AXIS_D, AXIS_Q, offsetof(equations, d_q)},
    {ENERGY, 0, AXIS_ONE, AXIS_ONE, 0},
    {ENERGY, 1, AXIS_ONE, AXIS_ONE, 0},
    {POWER, 0, AXIS_ONE, AXIS_ONE, 0},
    {POWER, 1, AXIS_ONE, AXIS_ONE, 0},
    {SWITCHING, 0, AXIS_SWITCH, AXIS_ONE, 0},
};
enum { OUTPUT_COUNT = sizeof outputs / sizeof *outputs };

static const expr_matrix *matrix_of(const equations *e, const output *o) {
    return (const expr_matrix *)(const void *)((const char *)e + o->matrix);
}

/* Where local number i of instance k is in the model. */
static int in_model(const kind_def *d, axis of, int k, int i) {
    switch (of) {
    case AXIS_OWN:
        return d->q[k * d->def.nq + d->own[i]];
    case AXIS_Q:
        return d->q[k * d->def.nq + i];
    case AXIS_U:
        return d->u[k * d->def.nu + i];
    case AXIS_C:
        return d->c[k * d->nc + i];
    case AXIS_GAP:
        return d->c[k * d->nc + d->def.ng + i];
    case AXIS_S:
        return d->s[k * d->ns + i];
    case AXIS_D:
        return d->d[k * d->nd + i];
    default: /* sums over instances, and switches, which only one instance has */
        return i;
    }
}

static int extent(const formula_def *d, axis of, int ns, int surfaces) {
    switch (of) {
    case AXIS_OWN:
    case AXIS_Q:
        return d->nq;
    case AXIS_U:
        return d->nu;
    case AXIS_C:
        return d->ng + d->contacts;
    case AXIS_GAP:
        return d->contacts;
    case AXIS_S:
        return ns;
    case AXIS_D:
        return d->displacement ? ns - d->ng - d->ngamma - d->contacts : 0;
    case AXIS_SWITCH:
        return surfaces;
    default:
        return 1;
    }
}

/* ---------------------------------------------------------------- patterns */

typedef struct builder {
    const formula_def *def;
    const kinds *k;
    const equations *e;
    group *groups;
    pool *memory;
} builder;

static int ascending(const void *x, const void *y) {
    const int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

/* Calls f for every entry of a matrix in every instance. */
typedef void (*entry_visitor)(void *data, int row, int col);
static void visit_entries(const builder *b, const output *o, entry_visitor visit, void *data) {
    for (int n = 0; n < b->k->count; n++) {
        const kind_def *d = &b->k->at[n];
        const expr_matrix *m = matrix_of(&b->e[n], o);
        for (int k = 0; k < d->count && m->start; k++)
            for (int i = 0; i < m->rows; i++)
                for (int e = m->start[i]; e < m->start[i + 1]; e++)
                    visit(data, in_model(d, o->rows, k, i), in_model(d, o->cols, k, m->index[e]));
    }
}

typedef struct filling {
    int *start, *index;
} filling;

static void count_entry(void *data, int row, int col) {
    (void)col;
    ((filling *)data)->start[row + 1]++;
}

static void add_entry(void *data, int row, int col) {
    filling *f = data;
    f->index[f->start[row]++] = col;
}

/* Ascending columns without repetitions. */
static void sort_rows(int *start, int *index, int rows) {
    int nnz = 0;
    for (int i = 0, first = 0; i < rows; i++) {
        const int end = start[i];
        qsort(index + first, (size_t)(end - first), sizeof *index, ascending);
        const int begin = nnz;
        for (int k = first; k < end; k++)
            if (nnz == begin || index[nnz - 1] != index[k]) index[nnz++] = index[k];
        first = end;
        start[i] = nnz;
    }
    for (int i = rows; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
}

static bool build_pattern(const builder *b, const output *o, int rows, int cols, carom_pattern *p) {
    filling f = {.start = pool_get(b->memory, (size_t)rows + 2, sizeof *f.start)};
    if (!f.start) return false;
    visit_entries(b, o, count_entry, &f);
    for (int i = 0; i < rows; i++) f.start[i + 1] += f.start[i];
    f.index = pool_get(b->memory, (size_t)f.start[rows] + 1, sizeof *f.index);
    if (!f.index) return false;
    visit_entries(b, o, add_entry, &f);
    sort_rows(f.start, f.index, rows);
    *p = (carom_pattern){rows, cols, f.start, f.index};
    return true;
}

/* ---------------------------------------------------------------- places */

static int find(const carom_pattern *p, int row, int col) {
    int low = p->start[row], high = p->start[row + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->index[middle] < col) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void place_instance(const kind_def *d, const output *o, const expr_matrix *m, const carom_pattern *p, int k,
                           int size, int *place) {
    if (!m)
        for (int i = 0; i < size; i++) place[i] = in_model(d, o->rows, k, i);
    else
        for (int i = 0; i < m->rows; i++)
            for (int e = m->start[i]; e < m->start[i + 1]; e++)
                *place++ = find(p, in_model(d, o->rows, k, i), in_model(d, o->cols, k, m->index[e]));
}

static bool place_output(const builder *b, const output *o, const carom_pattern *p) {
    for (int n = 0; n < b->k->count; n++) {
        const kind_def *d = &b->k->at[n];
        const int size = b->groups[n].of[o->of].size[o->number];
        const expr_matrix *m = o->cols == AXIS_ONE ? NULL : matrix_of(&b->e[n], o);
        int *place = malloc(((size_t)size * (size_t)d->count + 1) * sizeof *place);
        b->groups[n].place[o->of][o->number] = place;
        if (!place) return false;
        for (int k = 0; k < d->count && size > 0; k++)
            place_instance(d, o, m, p, k, size, place + (size_t)k * (size_t)size);
    }
    return true;
}

static int *copy_ints(const int *from, size_t count) {
    int *to = malloc((count + 1) * sizeof *to);
    return to && count ? memcpy(to, from, count * sizeof *to) : to;
}

static bool copy_maps(const kind_def *d, group *g) {
    const size_t n = (size_t)d->count;
    g->count = d->count, g->nq = d->def.nq, g->nu = d->def.nu, g->ns = d->ns, g->parameters = d->parameters;
    g->q = copy_ints(d->q, n * (size_t)d->def.nq);
    g->u = copy_ints(d->u, n * (size_t)d->def.nu);
    g->s = copy_ints(d->s, n * (size_t)d->ns);
    return g->q && g->u && g->s;
}

bool assemble(const formula_def *def, const kinds *k, const equations *e, group *groups, pool *memory, assembly *a) {
    const builder b = {def, k, e, groups, memory};
    int ns = def->ng + def->ngamma + def->contacts, surfaces = 0;
    bool ok = true;
    for (int i = 0; i < def->contacts; i++) ns += def->contact[i].slips;
    for (int n = 0; n < k->count && ok; n++) {
        surfaces += groups[n].of[SWITCHING].size[0];
        ok = copy_maps(&k->at[n], &groups[n]);
    }
    for (int i = 0; i < OUTPUT_COUNT && ok; i++) {
        const output *o = &outputs[i];
        const int rows = extent(def, o->rows, ns, surfaces), cols = extent(def, o->cols, ns, surfaces);
        carom_pattern *p = &a->pattern[o->of][o->number];
        if (o->cols != AXIS_ONE) ok = build_pattern(&b, o, rows, cols, p);
        a->size[o->of][o->number] = ok && o->cols != AXIS_ONE ? p->start[rows] : rows;
        ok = ok && place_output(&b, o, p);
    }
    return ok;
}

void assemble_whole(const equations *e, const callback of[FUNCTIONS], assembly *a) {
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        const output *o = &outputs[i];
        const expr_matrix *m = matrix_of(e, o);
        a->size[o->of][o->number] = of[o->of].size[o->number];
        if (o->cols != AXIS_ONE && m->start)
            a->pattern[o->of][o->number] = (carom_pattern){m->rows, m->cols, m->start, m->index};
    }
}

void group_destroy(group *g) {
    for (int f = 0; f < FUNCTIONS; f++) {
        callback_destroy(&g->of[f]);
        for (int i = 0; i < OUTPUTS; i++) free(g->place[f][i]);
    }
    free(g->q), free(g->u), free(g->s);
}
