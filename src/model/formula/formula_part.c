/* Parts of a formula model: the instances of its kinds whose coordinates and velocities all belong to a part, in the
 * numbers of the part. Tapes and their images are those of the whole. */
#include "formula_context.h"

#include <stdlib.h>
#include <string.h>

#include "model/definite.h"
#include "model/part.h"

typedef formula_context context;

/* What the numbers of an output are. */
typedef enum axis { NONE, OF_Q, OF_U, OF_C, OF_S } axis;

/* Rows and columns of the outputs of a function; vectors have no columns. */
static const struct {
    axis rows, cols;
} outputs[FUNCTIONS][OUTPUTS] = {
    [KINEMATICS] = {{OF_Q, NONE}, {OF_Q, OF_U}, {OF_Q, OF_Q}},
    [MASS] = {{OF_U, OF_U}},
    [MASS_Q] = {{OF_U, OF_Q}},
    [FORCE] = {{OF_U, NONE}, {OF_U, OF_Q}, {OF_U, OF_U}},
    [MOMENTUM_P] = {{OF_U, NONE}, {OF_U, OF_Q}},
    [MOMENTUM_B] = {{OF_U, NONE}, {OF_U, OF_Q}, {OF_U, OF_U}},
    [POSITION] = {{OF_C, NONE}, {OF_C, OF_Q}},
    [GAPS] = {{OF_C, NONE}},
    [VELOCITY] = {{OF_S, NONE}, {OF_S, OF_U}, {OF_S, OF_Q}},
    [VELOCITY_RATE] = {{OF_S, NONE}},
    [DIRECTION_Q] = {{OF_U, OF_Q}},
};

static const carom_pattern *pattern_of(const carom_model_def *d, function f, int output) {
    const carom_pattern *const all[FUNCTIONS][OUTPUTS] = {[KINEMATICS] = {NULL, &d->B, &d->q_dot_q},
                                                          [MASS] = {&d->M},
                                                          [MASS_Q] = {&d->Mv_q},
                                                          [FORCE] = {NULL, &d->h_q, &d->h_u},
                                                          [MOMENTUM_P] = {NULL, &d->p_q},
                                                          [MOMENTUM_B] = {NULL, &d->b_q, &d->b_u},
                                                          [POSITION] = {NULL, &d->c_q},
                                                          [VELOCITY] = {NULL, &d->WT, &d->s_q},
                                                          [DIRECTION_Q] = {&d->Wr_q}};
    return all[f][output];
}

/* A part in the making. */
typedef struct making {
    const context *from;
    const carom_model_def *whole, *part;
    const int *at[OF_S + 1]; /* the number of a row or column in the part; -1: it is not in there */
    context *to;
    bool shared; /* an instance belongs to it and to others */
} making;

/* ---------------------------------------------------------------- places of results */

static int row_of(const carom_pattern *p, int entry) {
    int low = 0, high = p->rows;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (p->start[middle] <= entry) low = middle;
        else high = middle;
    }
    return low;
}

/* -1: the part has no such number. */
static int place_in_part(const making *x, function f, int output, int place) {
    const carom_pattern *p = pattern_of(x->whole, f, output);
    const int *rows = x->at[outputs[f][output].rows];
    if (!p) return rows[place];
    const int row = rows[row_of(p, place)], col = x->at[outputs[f][output].cols][p->index[place]];
    return row < 0 || col < 0 ? -1 : pattern_place(pattern_of(x->part, f, output), row, col);
}

/* Functions that the model leaves out, as where q_dot = u. */
static bool is_left_out(const carom_model_def *d, function f) {
    return (f == KINEMATICS && !d->kinematics) || (f == MASS_Q && !d->mass_q);
}

/* A number that the part does not have belongs to others as well. */
static bool place_results(making *x, const group *from, const int *instance, group *to) {
    bool ok = true;
    for (int f = 0; f < FUNCTIONS && ok; f++)
        for (int i = 0; i < OUTPUTS && ok; i++) {
            const int size = from->of[f].size[i];
            if (!size || !outputs[f][i].rows || !from->place[f][i] || is_left_out(x->whole, (function)f)) continue;
            int *place = to->place[f][i] = malloc(((size_t)to->count * (size_t)size + 1) * sizeof *place);
            for (int k = 0; k < to->count && place; k++)
                for (int j = 0; j < size; j++) {
                    int *at = &place[k * size + j];
                    *at = place_in_part(x, (function)f, i, from->place[f][i][instance[k] * size + j]);
                    x->shared = x->shared || *at < 0;
                }
            ok = place != NULL;
        }
    return ok;
}

/* ---------------------------------------------------------------- instances */

static bool are_inside(const int *at, const int *number, int count) {
    bool in = true;
    for (int i = 0; i < count && in; i++) in = at[number[i]] >= 0;
    return in;
}

static bool is_inside(const making *x, const group *g, int k) {
    return are_inside(x->at[OF_Q], g->q + k * g->nq, g->nq) && are_inside(x->at[OF_U], g->u + k * g->nu, g->nu) &&
           are_inside(x->at[OF_S], g->s + k * g->ns, g->ns) && g->nq + g->nu > 0;
}

static bool any_inside(const int *at, const int *number, int count) {
    bool any = false;
    for (int i = 0; i < count && !any; i++) any = at[number[i]] >= 0;
    return any;
}

static bool moves_bodies(const group *g) {
    bool any = false;
    for (int f = 0; f < POSITION && !any; f++) any = g->of[f].present;
    return any;
}

/* An instance of the part and of others: all but a gap between them. */
static bool is_shared(const making *x, const group *g, int k) {
    const bool bodies =
        any_inside(x->at[OF_Q], g->q + k * g->nq, g->nq) || any_inside(x->at[OF_U], g->u + k * g->nu, g->nu);
    return any_inside(x->at[OF_S], g->s + k * g->ns, g->ns) || (bodies && moves_bodies(g));
}

static void renumber(const int *at, const int *number, int count, int *to) {
    for (int i = 0; i < count; i++) to[i] = at[number[i]];
}

static bool pick_instances(making *x, const group *from, int *instance, group *to) {
    *to = *from;
    memset(to->place, 0, sizeof to->place);
    to->count = 0, to->q = to->u = to->s = NULL;
    for (int k = 0; k < from->count; k++)
        if (is_inside(x, from, k)) instance[to->count++] = k;
        else x->shared = x->shared || is_shared(x, from, k);
    const size_t count = (size_t)to->count;
    to->q = malloc((count * (size_t)from->nq + 1) * sizeof *to->q);
    to->u = malloc((count * (size_t)from->nu + 1) * sizeof *to->u);
    to->s = malloc((count * (size_t)from->ns + 1) * sizeof *to->s);
    if (!to->q || !to->u || !to->s) return false;
    to->parameter_at = x->to->open_numbers;
    for (int k = 0; k < to->count; k++) {
        const int of = instance[k];
        renumber(x->at[OF_Q], from->q + of * from->nq, from->nq, to->q + k * from->nq);
        renumber(x->at[OF_U], from->u + of * from->nu, from->nu, to->u + k * from->nu);
        renumber(x->at[OF_S], from->s + of * from->ns, from->ns, to->s + k * from->ns);
        memcpy(x->to->open_number + x->to->open_numbers,
               x->from->open_number + from->parameter_at + (size_t)(of * from->parameters),
               (size_t)from->parameters * sizeof(double));
        x->to->open_numbers += (size_t)from->parameters;
    }
    return place_results(x, from, instance, to);
}

/* ---------------------------------------------------------------- the context */

static void set_sizes(const making *x) {
    const carom_model_def *d = x->part;
    const int count[] = {[OF_Q] = d->nq, [OF_U] = d->nu, [OF_C] = d->c_q.rows, [OF_S] = d->WT.rows};
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < OUTPUTS; i++) {
            const carom_pattern *p = pattern_of(d, (function)f, i);
            const axis rows = outputs[f][i].rows;
            x->to->size[f][i] = !rows ? 0 : p ? (p->start ? p->start[p->rows] : 0) : count[rows];
        }
}

static void release(void *part) {
    context *x = part;
    for (int n = 0; n < x->groups && x->group; n++) {
        group *g = &x->group[n];
        for (int f = 0; f < FUNCTIONS; f++)
            for (int i = 0; i < OUTPUTS; i++) free(g->place[f][i]);
        free(g->q), free(g->u), free(g->s);
    }
    free(x->group), free(x->open_number), free(x->work);
    free(x);
}

static int most_instances(const context *x) {
    int most = 0;
    for (int n = 0; n < x->groups; n++)
        if (x->group[n].count > most) most = x->group[n].count;
    return most;
}

static bool make(making *x) {
    const context *m = x->from;
    memcpy(x->to, m, sizeof *m);
    atomic_flag_clear(&x->to->work_taken);
    x->to->open_numbers = 0, x->to->image_rate = NULL, x->to->groups = 0;
    x->to->group = calloc((size_t)m->groups + 1, sizeof *x->to->group);
    x->to->open_number = malloc((m->open_numbers + 1) * sizeof *x->to->open_number);
    x->to->work = malloc((m->work_size + 1) * sizeof *x->to->work);
    int *instance = malloc(((size_t)most_instances(m) + 1) * sizeof *instance);
    bool ok = x->to->group && x->to->open_number && x->to->work && instance;
    for (int n = 0; n < m->groups && ok && !x->shared; n++)
        ok = pick_instances(x, &m->group[n], instance, &x->to->group[x->to->groups++]);
    free(instance);
    if (ok) set_sizes(x);
    return ok;
}

static bool restricted(const carom_model *whole, const carom_model_def *part, const part_room *r, void **of_part) {
    making x = {.from = whole->def.context,
                .whole = &whole->def,
                .part = part,
                .at = {NULL, r->at_q, r->at_u, r->at_c, r->at_s}};
    *of_part = NULL;
    if (formula_is_whole(x.from) || x.from->elastic) return true;
    if (!(x.to = malloc(sizeof *x.to))) return false;
    const bool made = make(&x);
    if (made && !x.shared) *of_part = x.to;
    else release(x.to);
    return made;
}

const part_maker formula_part_maker = {.restricted = restricted, .release = release};
