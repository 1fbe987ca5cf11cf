#include "functions.h"

void callback_destroy(callback *c) {
    for (int i = 0; i < SELECTIONS; i++) tape_destroy(c->tapes[i]);
}

/* Selections of outputs without entries are never asked for. */
bool callback_compile(compilation *x, callback *c, const tape_array outputs[OUTPUTS]) {
    for (unsigned i = 0; i < OUTPUTS; i++) {
        c->size[i] = outputs[i].count;
        if (outputs[i].count > 0) c->present |= 1u << i;
    }
    for (unsigned selection = 1; selection < SELECTIONS; selection++) {
        if (selection & ~c->present) continue;
        tape_array selected[OUTPUTS];
        for (unsigned i = 0; i < OUTPUTS; i++) selected[i] = selection >> i & 1 ? outputs[i] : (tape_array){NULL, 0};
        tape *made = c->tapes[selection] = tape_compile_switched(x->g, selected, OUTPUTS, &x->layout, x->sw);
        if (!made) return false;
        c->image[selection] = x->image_size;
        x->image_size += (size_t)tape_image_size(made);
        if ((size_t)tape_registers(made) > x->registers) x->registers = (size_t)tape_registers(made);
        if ((size_t)tape_length(made) > x->length) x->length = (size_t)tape_length(made);
    }
    return true;
}

static bool select_rows(equations *e, expr_matrix *m, const int *own, int owned) {
    expr_matrix all = *m;
    int nnz = 0;
    *m = (expr_matrix){owned, all.cols, equations_memory(e, (size_t)owned + 1, sizeof *m->start),
                       equations_memory(e, (size_t)all.start[all.rows] + 1, sizeof *m->index),
                       equations_memory(e, (size_t)all.start[all.rows] + 1, sizeof *m->value)};
    if (!m->start || !m->index || !m->value) return false;
    for (int i = 0; i < owned; i++) {
        for (int k = all.start[own[i]]; k < all.start[own[i] + 1]; k++, nnz++)
            m->index[nnz] = all.index[k], m->value[nnz] = all.value[k];
        m->start[i + 1] = nnz;
    }
    return true;
}

bool functions_select(equations *e, const int *own, int owned) {
    expr *q_dot = equations_memory(e, (size_t)owned + 1, sizeof *q_dot);
    if (!q_dot || !select_rows(e, &e->B, own, owned) || !select_rows(e, &e->q_dot_q, own, owned)) return false;
    for (int i = 0; i < owned; i++) q_dot[i] = e->q_dot[own[i]];
    e->q_dot = q_dot;
    return true;
}

/* Of a part of a model, whose values are added to those of others, nothing where all are zero. */
static tape_array vector(const equations *e, const expr *values, int count) {
    bool zero = e->def->partial;
    for (int i = 0; i < count && zero; i++) zero = expr_equals(e->g, values[i], 0);
    return zero ? (tape_array){NULL, 0} : (tape_array){values, count};
}

static tape_array entries(const expr_matrix *m) {
    return (tape_array){m->value, m->start ? m->start[m->rows] : 0};
}

bool functions_compile(compilation *x, const equations *e, int owned, callback of[FUNCTIONS]) {
    const formula_def *d = e->def;
    const switches *sw = x->sw;
    const tape_array none = {NULL, 0}, arguments = {sw ? switches_arguments(sw) : NULL, sw ? switches_count(sw) : 0};
    const tape_array outputs[FUNCTIONS][OUTPUTS] = {
        [KINEMATICS] = {vector(e, e->q_dot, owned), entries(&e->B), entries(&e->q_dot_q)},
        [MASS] = {entries(&e->M), none, none},
        [MASS_Q] = {entries(&e->Mv_q), none, none},
        [FORCE] = {vector(e, e->h, d->nu), entries(&e->h_q), entries(&e->h_u)},
        [MOMENTUM_P] = {vector(e, e->p, d->nu), entries(&e->p_q), none},
        [MOMENTUM_B] = {vector(e, e->b, d->nu), entries(&e->b_q), entries(&e->b_u)},
        [POSITION] = {vector(e, e->c, e->nc), entries(&e->c_q), none},
        [GAPS] = {vector(e, e->c + d->ng, d->contacts), none, none},
        [VELOCITY] = {vector(e, e->s, e->ns), entries(&e->WT), entries(&e->s_q)},
        [VELOCITY_RATE] = {vector(e, e->zeta, e->ns), none, none},
        [DIRECTION_Q] = {entries(&e->Wr_q), none, none},
        [DISPLACEMENT] = {vector(e, d->displacement, e->d_q.rows), entries(&e->d_q), none},
        [ENERGY] = {vector(e, &e->energy[0], 1), vector(e, &e->energy[1], 1), none},
        [POWER] = {vector(e, &e->power[0], 1), vector(e, &e->power[1], 1), none},
        [SWITCHING] = {arguments, none, none}};
    bool ok = true;
    for (int f = 0; f < FUNCTIONS && ok; f++) ok = callback_compile(x, &of[f], outputs[f]);
    return ok;
}
