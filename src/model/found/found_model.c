/* Makes the model with the contacts that were found: their kinds, its rows, patterns and batches. */
#include "found_model_inside.h"

#include "model/definite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- kinds */

static kind_entry entry_for(gap_kind gap, const body *first, const body *second, int slips) {
    return (kind_entry){gap, first->kind, second->kind, first->nu, second->nu, slips, {0}};
}

static const kind *find_kind(kind_table *t, gap_kind gap, const body *first, const body *second, int slips) {
    const kind_entry wanted = entry_for(gap, first, second, slips);
    for (int i = 0; i < t->count; i++) {
        const kind_entry *e = t->at[i];
        if (e->gap == gap && e->first == wanted.first && e->second == wanted.second && e->slips == slips &&
            e->first_axes == wanted.first_axes && e->second_axes == wanted.second_axes)
            return &e->kind;
    }
    kind_entry **more = realloc(t->at, ((size_t)t->count + 1) * sizeof *more);
    kind_entry *made = malloc(sizeof *made);
    if (more) t->at = more;
    if (!more || !made) return free(made), NULL;
    *made = wanted;
    t->at[t->count++] = made;
    return kind_create(&made->kind, gap, first, second, slips, t->turns) ? &made->kind : NULL;
}

void kind_table_destroy(kind_table *t) {
    for (int i = 0; i < t->count; i++) kind_destroy(&t->at[i]->kind), free(t->at[i]);
    free(t->at);
}

/* ---------------------------------------------------------------- rows */

static bool make_instances(found_model *m, const finder *f, kind_table *kinds) {
    int slips = m->base->slips;
    for (int k = 0; k < m->count; k++) {
        const found_contact *c = &m->contact[k];
        const finder_body *first = &f->body[c->first], *second = &f->body[c->second];
        m->at[k] = (instance){
            .kind = find_kind(kinds, c->features.kind, &first->form, &second->form, f->law[c->law].contact.slips),
            .numbers = &c->numbers,
            .q = {first->q, second->q},
            .u = {first->u, second->u},
            .row_N = m->base->F + k,
            .row_F = m->base->F + m->count + slips};
        if (!m->at[k].kind) return false;
        slips += m->at[k].kind->rows - 1;
    }
    return true;
}

enum { NAME = 96 };

static bool describe(found_model *m, const finder *f) {
    const carom_model_def *d = &m->base->def;
    m->described = calloc((size_t)(d->contacts + m->count) + 1, sizeof *m->described);
    m->names = calloc((size_t)m->count + 1, NAME);
    m->slip = calloc(2 * ((size_t)(d->contacts + m->count) + 1), sizeof *m->slip);
    if (!m->described || !m->names || !m->slip) return false;
    if (d->contacts) memcpy(m->described, d->contact, (size_t)d->contacts * sizeof *m->described);
    for (int k = 0; k < m->count; k++) {
        const found_contact *c = &m->contact[k];
        char *name = m->names + (size_t)k * NAME;
        carom_model_contact *of = &m->described[d->contacts + k];
        *of = f->law[c->law].contact;
        of->slips = m->at[k].kind->rows - 1;
        snprintf(name, NAME, "%.30s of %.30s and %.30s", f->law[c->law].contact.name, f->body[c->first].name,
                 f->body[c->second].name);
        of->name = name;
    }
    return true;
}

static void count_rows(found_model *m) {
    carom_model *all = &m->model;
    const int contacts = m->base->def.contacts + m->count;
    all->def.contacts = contacts, all->def.contact = m->described;
    all->slip = m->slip, all->rubs = m->slip + contacts + 1;
    for (int k = 0; k < contacts; k++) {
        all->slip[k + 1] = all->slip[k] + m->described[k].slips;
        all->rubs[k + 1] = all->rubs[k] + (m->described[k].slips > 0);
    }
    all->slips = all->slip[contacts];
    all->nc = all->def.ng + contacts;
    all->F = all->N + contacts;
    all->ns = all->F + all->slips;
}

/* ---------------------------------------------------------------- patterns */

/* A row of the model: of the base (instance NULL), or of an instance. */
typedef struct row_source {
    const instance *of;
    int row;
} row_source;

static row_source position_row(const found_model *m, int row) {
    return row < m->base->nc ? (row_source){NULL, row} : (row_source){&m->at[row - m->base->nc], 0};
}

static row_source velocity_row(const found_model *m, int row, int *contact) {
    const carom_model *b = m->base;
    if (row < b->F) return (row_source){NULL, row};
    if (row < m->model.F) return (row_source){&m->at[row - b->F], 0};
    if (row < m->model.F + b->slips) return (row_source){NULL, row - m->count};
    while (row >= m->at[*contact].row_F + m->at[*contact].kind->rows - 1) ++*contact;
    return (row_source){&m->at[*contact], 1 + row - m->at[*contact].row_F};
}

typedef enum which { OF_C_Q, OF_WT, OF_S_Q } which;

static const kind_pattern *local_pattern(const kind *k, which w) {
    return w == OF_C_Q ? &k->c_q : w == OF_WT ? &k->WT : &k->s_q;
}

static bool make_pattern(const found_model *m, which w, const carom_pattern *base, int rows, carom_pattern *p) {
    size_t entries = (size_t)pattern_nnz(base) + 1;
    for (int k = 0; k < m->count; k++) {
        const kind_pattern *local = local_pattern(m->at[k].kind, w);
        entries += (size_t)local->start[local->rows];
    }
    int *start = malloc(((size_t)rows + 1) * sizeof *start), *index = malloc(entries * sizeof *index), *end = index;
    *p = (carom_pattern){rows, base->cols, start, index};
    if (!start || !index) return false;
    int contact = 0;
    for (int row = 0; row < rows; row++) {
        const row_source from = w == OF_C_Q ? position_row(m, row) : velocity_row(m, row, &contact);
        start[row] = (int)(end - index);
        if (!from.of) {
            const int n = base->start[from.row + 1] - base->start[from.row];
            memcpy(end, base->index + base->start[from.row], (size_t)n * sizeof *end);
            end += n;
        } else {
            end = instance_columns(from.of, local_pattern(from.of->kind, w), from.row, w == OF_WT, end);
        }
    }
    start[rows] = (int)(end - index);
    return true;
}

static int by_number(const void *x, const void *y) {
    const int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

/* Adds up how many entries of d(W r)/dq belong to each row, or, where there is room for them, lists their columns. */
static void list_turning(const found_model *m, int *end, int *index) {
    const carom_pattern *base = &m->base->def.Wr_q;
    for (int row = 0; row < m->base->def.nu && m->base->ns; row++)
        for (int e = base->start[row]; e < base->start[row + 1]; e++, end[row]++)
            if (index) index[end[row]] = base->index[e];
    for (int k = 0; k < m->count; k++) {
        const kind_pattern *p = &m->at[k].kind->Wr_q;
        for (int row = 0; row < p->rows; row++) {
            int *to = &end[instance_velocity(&m->at[k], row)];
            for (int e = p->start[row]; e < p->start[row + 1]; e++, ++*to)
                if (index) index[*to] = instance_coordinate(&m->at[k], p->index[e]);
        }
    }
}

/* Bodies with several contacts have entries that these share. */
static bool make_turning(found_model *m) {
    const int nu = m->base->def.nu, own = pattern_nnz(&m->base->def.Wr_q);
    int *count = calloc((size_t)nu + 1, sizeof *count), *start = calloc((size_t)nu + 1, sizeof *start), *index = NULL;
    int entries = 0, used = 0;
    m->turned = calloc((size_t)own + 1, sizeof *m->turned);
    m->Wr_q = calloc((size_t)own + 1, sizeof *m->Wr_q);
    m->model.def.Wr_q = (carom_pattern){nu, m->base->def.nq, start, NULL};
    if (count) list_turning(m, count, NULL);
    for (int row = 0; row < nu && count; row++) entries += count[row], count[row] = entries - count[row];
    if (count && start) m->model.def.Wr_q.index = index = malloc(((size_t)entries + 1) * sizeof *index);
    if (!index || !m->turned || !m->Wr_q) return free(count), false;
    list_turning(m, count, index);
    for (int row = 0, from = 0; row < nu; from = count[row++]) {
        qsort(index + from, (size_t)(count[row] - from), sizeof *index, by_number);
        for (int e = from; e < count[row]; e++)
            if (used == start[row] || index[used - 1] != index[e]) index[used++] = index[e];
        start[row + 1] = used;
    }
    free(count);
    for (int row = 0; row < nu && m->base->ns; row++)
        for (int e = m->base->def.Wr_q.start[row]; e < m->base->def.Wr_q.start[row + 1]; e++)
            m->turned[e] = pattern_place(&m->model.def.Wr_q, row, m->base->def.Wr_q.index[e]);
    return true;
}

static bool make_patterns(found_model *m, bool turns) {
    const carom_model *b = m->base;
    carom_model_def *d = &m->model.def;
    m->s = calloc((size_t)b->ns + 1, sizeof *m->s);
    m->WT = calloc((size_t)pattern_nnz(&b->def.WT) + 1, sizeof *m->WT);
    m->s_q = calloc((size_t)pattern_nnz(&b->def.s_q) + 1, sizeof *m->s_q);
    bool ok = make_pattern(m, OF_C_Q, &b->def.c_q, m->model.nc, &d->c_q);
    ok = make_pattern(m, OF_WT, &b->def.WT, m->model.ns, &d->WT) && ok;
    ok = make_pattern(m, OF_S_Q, &b->def.s_q, m->model.ns, &d->s_q) && ok;
    ok = (!turns || make_turning(m)) && ok;
    return ok && m->s && m->WT && m->s_q;
}

static bool make_room(found_model *m) {
    int room = 1;
    for (int k = 0; k < m->count; k++)
        if (kind_range_room(m->at[k].kind) > room) room = kind_range_room(m->at[k].kind);
    if (sides_range_room(&m->sides) > room) room = sides_range_room(&m->sides);
    m->jets = calloc((size_t)room, sizeof *m->jets);
    m->seen = calloc((size_t)m->base->def.nq + 1, sizeof *m->seen);
    m->bound = calloc((size_t)m->count + 1, sizeof *m->bound);
    m->clear = calloc((size_t)m->count + 1, sizeof *m->clear);
    return m->jets && m->seen && m->bound && m->clear;
}

static bool make_batches(found_model *m, const kind_table *kinds) {
    const carom_model_def *d = &m->model.def;
    const batch_target to = {m->base->nc, &d->c_q, &d->WT, &d->s_q, &d->Wr_q};
    m->batch = calloc((size_t)kinds->count + 1, sizeof *m->batch);
    if (!m->batch) return false;
    for (int i = 0; i < kinds->count; i++)
        if (!batch_create(&m->batch[m->batches++], &kinds->at[i]->kind, m->at, m->count, &to)) return false;
    return true;
}

/* ---------------------------------------------------------------- the model */

/* The first coordinate of a body; -1: the world has none. */
static int first_of(const finder_body *b) {
    return b->form.nq > 0 ? b->q : -1;
}

/* Borders, each with the kind of gap whose sign is its side. */
static bool make_sides(found_model *m, const finder *f, const border_list *borders, kind_table *kinds) {
    if (!sides_create(&m->sides, borders, m->contact, m->count, &m->base->def)) return false;
    for (int k = 0; k < m->count; k++) {
        const core *a = &f->solid[m->contact[k].a].core, *b = &f->solid[m->contact[k].b].core;
        m->sides.deep[k] = BORDERS_DEEP * fmin(a->reach, b->reach);
    }
    m->switch_on = calloc(2 * (size_t)m->sides.count + 1, sizeof *m->switch_on);
    if (!m->switch_on) return false;
    for (int j = 0; j < m->sides.count; j++) {
        const border *b = &m->sides.border.border[j];
        const finder_body *of = &f->body[f->solid[b->of].body], *by = &f->body[f->solid[b->by].body];
        m->sides.at[j] = (instance){
            .kind = find_kind(kinds, b->kind, &of->form, &by->form, 0), .numbers = &b->numbers, .q = {of->q, by->q}};
        if (!m->sides.at[j].kind) return false;
        m->switch_on[2 * j] = first_of(of), m->switch_on[2 * j + 1] = first_of(by);
        sides_name(&m->sides, j, of->name, by->name);
    }
    return true;
}

found_model *found_model_create(const carom_model *base, const finder *f, const contact_list *list,
                                const border_list *borders, kind_table *kinds) {
    found_model *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    const size_t count = (size_t)list->count;
    m->model = *base, m->base = base, m->count = list->count;
    m->finder = f, m->kinds = kinds;
    m->model.def.c_q = m->model.def.WT = m->model.def.s_q = m->model.def.Wr_q = (carom_pattern){0};
    m->contact = malloc((count + 1) * sizeof *m->contact);
    m->at = calloc(count + 1, sizeof *m->at);
    bool ok = m->contact && m->at;
    if (ok && count) memcpy(m->contact, list->at, count * sizeof *m->contact);
    ok = ok && make_sides(m, f, borders, kinds) && make_instances(m, f, kinds) && describe(m, f);
    m->model.switch_on = base->def.switches ? NULL : m->switch_on;
    if (ok) count_rows(m), found_forward(m, kinds->turns);
    m->model.base = base, m->model.maker = &found_part_maker;
    if (ok && make_patterns(m, kinds->turns) && make_batches(m, kinds) && make_room(m)) return m;
    found_model_destroy(m);
    return NULL;
}

void found_model_destroy(found_model *m) {
    if (!m) return;
    const carom_pattern *own[] = {&m->model.def.c_q, &m->model.def.WT, &m->model.def.s_q, &m->model.def.Wr_q};
    for (int i = 0; i < 4; i++) free((int *)own[i]->start), free((int *)own[i]->index);
    for (int i = 0; i < m->batches; i++) batch_destroy(&m->batch[i]);
    free(m->batch);
    free(m->contact), free(m->at), free(m->described), free(m->names), free(m->slip);
    free(m->s), free(m->WT), free(m->s_q), free(m->Wr_q), free(m->turned);
    sides_destroy(&m->sides);
    free(m->switch_on);
    free(m->jets), free(m->seen), free(m->bound), free(m->clear);
    free(m);
}

const carom_model *found_model_get(const found_model *m) {
    return &m->model;
}
