#include "found_model.h"

#include "batch.h"
#include "found_sides.h"
#include "model/definite.h"
#include "model/forward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found_model {
    const carom_model *base; /* first, for the functions that it shares (forward.h) */
    carom_model model;
    int count;
    found_contact *contact;
    instance *at;
    carom_model_contact *described; /* of all contacts */
    char *names;
    int *slip;
    double *s, *WT, *s_q, *Wr_q; /* of the base */
    int *turned;                 /* [entries of Wr_q of the base] their places among all */
    batch *batch;
    int batches;
    found_sides sides;           /* which contacts count */
    jet *jets;                   /* room for ranges */
    struct contact_bound *bound; /* [count] */
    bool *clear;                 /* [count] */
    carom_range *seen;           /* [nq] where positions have been looked for */
    bool looked;
};

/* ---------------------------------------------------------------- kinds */

static kind_entry entry_for(gap_kind gap, const body *first, const body *second, bool slips) {
    return (kind_entry){gap, first->kind, second->kind, first->nu, second->nu, slips, {0}};
}

static const kind *find_kind(kind_table *t, gap_kind gap, const body *first, const body *second, bool slips) {
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

/* ---------------------------------------------------------------- functions of found contacts */

/* Outputs of all contacts, added to values that are zero at their places. */
static void run_batches(const found_model *m, kind_output output, const double *q, const double *u, double *values) {
    for (int i = 0; i < m->batches && values; i++) batch_run(&m->batch[i], output, q, u, values);
}

static void clear(double *values, int from, int to) {
    if (values && to > from) memset(values + from, 0, (size_t)(to - from) * sizeof *values);
}

static bool all_finite(const double *values, int from, int to) {
    for (int i = from; i < to; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static int position(void *context, double t, const double *q, double *c, double *c_q) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    const int nc = m->base->nc;
    if (nc && d->position(d->context, t, q, c, c_q)) return 1;
    clear(c, nc, m->model.nc);
    clear(c_q, m->model.def.c_q.start[nc], m->model.def.c_q.start[m->model.nc]);
    run_batches(m, KIND_C, q, NULL, c);
    run_batches(m, KIND_C_Q, q, NULL, c_q);
    sides_look(&m->sides, q, c ? c + nc : NULL);
    for (int k = 0; k < m->count; k++) {
        if (m->sides.counts[k]) continue;
        if (c) c[nc + k] = FAR_GAP;
        clear(c_q, m->model.def.c_q.start[nc + k], m->model.def.c_q.start[nc + k + 1]);
    }
    return c && !all_finite(c, nc, m->model.nc);
}

/* Rows of the base in s, WT or s_q: those up to its gaps, and its slips, which come after the found gaps. The rows of
 * found contacts become zero. */
static void spread(const found_model *m, const carom_pattern *from, const double *values, const carom_pattern *to,
                   double *all) {
    const carom_model *b = m->base, *f = &m->model;
    const int before = from ? from->start[b->F] : b->F, slips = (from ? from->start[b->ns] : b->ns) - before;
    const int second = to ? to->start[f->F] : f->F, end = to ? to->start[f->ns] : f->ns;
    if (!all) return;
    memcpy(all, values, (size_t)before * sizeof *all);
    clear(all, before, second);
    memcpy(all + second, values + before, (size_t)slips * sizeof *all);
    clear(all, second + slips, end);
}

static int velocity(void *context, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def, *all = &m->model.def;
    if (m->base->ns && d->velocity(d->context, t, q, u, s ? m->s : NULL, WT ? m->WT : NULL, s_q ? m->s_q : NULL))
        return 1;
    spread(m, NULL, m->s, NULL, s);
    spread(m, &d->WT, m->WT, &all->WT, WT);
    spread(m, &d->s_q, m->s_q, &all->s_q, s_q);
    run_batches(m, KIND_S, q, u, s);
    run_batches(m, KIND_WT, q, u, WT);
    run_batches(m, KIND_S_Q, q, u, s_q);
    return s && !all_finite(s, m->base->F, m->model.ns);
}

static int velocity_rate(void *context, double t, const double *q, const double *u, double *zeta) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    if (m->base->ns && d->velocity_rate(d->context, t, q, u, m->s)) return 1;
    spread(m, NULL, m->s, NULL, zeta);
    run_batches(m, KIND_ZETA, q, u, zeta);
    return 0;
}

/* Rows of the base in a vector in the order of s. */
static void gather(const found_model *m, const double *all, double *base) {
    const carom_model *b = m->base;
    memcpy(base, all, (size_t)b->F * sizeof *base);
    memcpy(base + b->F, all + m->model.F, (size_t)b->slips * sizeof *base);
}

static int direction_q(void *context, double t, const double *q, const double *r, double *Wr_q) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    gather(m, r, m->s);
    if (m->base->ns && d->direction_q(d->context, t, q, m->s, m->Wr_q)) return 1;
    clear(Wr_q, 0, pattern_nnz(&m->model.def.Wr_q));
    for (int e = 0; e < pattern_nnz(&d->Wr_q) && m->base->ns; e++) Wr_q[m->turned[e]] = m->Wr_q[e];
    run_batches(m, KIND_WR_Q, q, r, Wr_q);
    return 0;
}

/* ---------------------------------------------------------------- ranges */

static carom_range join(carom_range a, carom_range b) {
    return (carom_range){fmin(a.least, b.least), fmax(a.most, b.most)};
}

/* Where a contact was bounded last, and its gap there, whether it counts or not. While it stays in there it need not be
 * bounded again if it was clear: open by more than what counts as deep. */
typedef struct contact_bound {
    carom_range q[KIND_Q], gap;
} contact_bound;

static bool is_within(const carom_range *q, const carom_range *of, int count) {
    for (int i = 0; i < count; i++)
        if (!(q[i].least >= of[i].least && q[i].most <= of[i].most)) return false;
    return true;
}

static void bound_one(found_model *m, int k, const carom_range *q, const carom_range *q_rate, carom_range *c,
                      carom_range *c_rate) {
    const instance *i = &m->at[k];
    const int nq = i->kind->nq;
    contact_bound *last = &m->bound[k];
    carom_range local[KIND_Q], rate[KIND_Q];
    for (int j = 0; j < nq; j++) {
        local[j] = q[instance_coordinate(i, j)];
        if (q_rate) rate[j] = q_rate[instance_coordinate(i, j)];
    }
    *c_rate = (carom_range){-INFINITY, INFINITY};
    if (!m->clear[k] || !is_within(local, last->q, nq)) {
        kind_bound(i->kind, i->numbers, local, q_rate ? rate : NULL, m->jets, &last->gap, q_rate ? c_rate : NULL);
        memcpy(last->q, local, (size_t)nq * sizeof *local);
        m->clear[k] = last->gap.least > m->sides.deep[k];
    }
    *c = last->gap;
    if (m->sides.counts[k]) return;
    *c = (carom_range){FAR_GAP, FAR_GAP};
    *c_rate = (carom_range){0, 0};
}

static int ranges(void *context, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    if (d->ranges(d->context, t, q, q_rate, u, u_rate, c, c_rate, a, a_rate)) return 1;
    for (int i = 0; i < d->nq && c; i++) m->seen[i] = m->looked ? join(m->seen[i], q[i]) : q[i];
    m->looked = m->looked || c;
    for (int k = 0; k < m->count && c; k++) {
        carom_range rate;
        bound_one(m, k, q, q_rate, &c[m->base->nc + k], &rate);
        if (c_rate) c_rate[m->base->nc + k] = rate;
    }
    if (a)
        sides_bound(&m->sides, q, q_rate, c ? m->clear : NULL, m->jets, a + d->switches,
                    a_rate ? a_rate + d->switches : NULL);
    return 0;
}

const carom_range *found_model_seen(const found_model *m) {
    return m->looked ? m->seen : NULL;
}

void found_model_begin(found_model *m) {
    m->looked = false;
}

/* ---------------------------------------------------------------- switches */

static int switching(void *context, double t, const double *q, const double *u, double *a) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    if (d->switches && d->switching(d->context, t, q, u, a)) return 1;
    sides_values(&m->sides, q, a + d->switches);
    return 0;
}

static void take_sides(void *context, const int *side) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    if (d->switches) d->take_sides(d->context, side);
    sides_take(&m->sides, side ? side + d->switches : NULL);
}

/* What schemes do not ask for, or what the found contacts lack, is left out. */
static void forward(found_model *m, bool turns) {
    carom_model_def *d = &m->model.def;
    forward_all(&m->model);
    d->context = m;
    d->position = position, d->velocity = velocity;
    d->velocity_rate = d->velocity_rate || !m->base->ns ? velocity_rate : NULL;
    d->direction_q = turns ? direction_q : NULL;
    d->displacement = NULL, d->slip_scale = NULL, d->power = NULL;
    d->ranges = d->ranges ? ranges : NULL;
    if (m->sides.count > 0) {
        d->switches += m->sides.count;
        d->switch_names = m->sides.name, d->switch_info = m->sides.info;
        d->switching = switching, d->take_sides = take_sides;
    }
    d->symmetries = d->observables = d->supports = d->parameters = d->inputs = 0;
    d->assign = NULL;
    m->model.row = NULL, m->model.row_range = NULL;
}

/* ---------------------------------------------------------------- rows */

static bool make_instances(found_model *m, const finder *f, kind_table *kinds) {
    int slips = m->base->slips;
    for (int k = 0; k < m->count; k++) {
        const found_contact *c = &m->contact[k];
        const finder_body *first = &f->body[c->first], *second = &f->body[c->second];
        const bool rubs = f->law[c->law].contact.slips > 0;
        m->at[k] = (instance){.kind = find_kind(kinds, c->features.kind, &first->form, &second->form, rubs),
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

/* Borders, each with the kind of gap whose sign is its side. */
static bool make_sides(found_model *m, const finder *f, const border_list *borders, kind_table *kinds) {
    if (!sides_create(&m->sides, borders, m->contact, m->count, &m->base->def)) return false;
    for (int k = 0; k < m->count; k++) {
        const core *a = &f->solid[m->contact[k].a].core, *b = &f->solid[m->contact[k].b].core;
        m->sides.deep[k] = BORDERS_DEEP * fmin(a->reach, b->reach);
    }
    for (int j = 0; j < m->sides.count; j++) {
        const border *b = &m->sides.border.border[j];
        const finder_body *of = &f->body[f->solid[b->of].body], *by = &f->body[f->solid[b->by].body];
        m->sides.at[j] = (instance){.kind = find_kind(kinds, b->kind, &of->form, &by->form, false),
                                    .numbers = &b->numbers,
                                    .q = {of->q, by->q}};
        if (!m->sides.at[j].kind) return false;
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
    m->model.def.c_q = m->model.def.WT = m->model.def.s_q = m->model.def.Wr_q = (carom_pattern){0};
    m->contact = malloc((count + 1) * sizeof *m->contact);
    m->at = calloc(count + 1, sizeof *m->at);
    bool ok = m->contact && m->at;
    if (ok && count) memcpy(m->contact, list->at, count * sizeof *m->contact);
    ok = ok && make_sides(m, f, borders, kinds) && make_instances(m, f, kinds) && describe(m, f);
    if (ok) count_rows(m), forward(m, kinds->turns);
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
    free(m->jets), free(m->seen), free(m->bound), free(m->clear);
    free(m);
}

const carom_model *found_model_get(const found_model *m) {
    return &m->model;
}

const border_list *found_model_borders(const found_model *m) {
    return &m->sides.border;
}

void found_model_sides(found_model *m, const double *q, double *side, bool *matters) {
    sides_values(&m->sides, q, side);
    for (int k = 0; k < m->count && m->sides.count; k++) m->clear[k] = found_model_gap(m, k, q) > m->sides.deep[k];
    sides_matter(&m->sides, m->clear);
    memset(m->clear, 0, (size_t)m->count * sizeof *m->clear);
    for (int j = 0; j < m->sides.count; j++) side[j] = side[j] < 0 ? -1 : 1, matters[j] = m->sides.matters[j];
}

void found_model_look(found_model *m, const double *q) {
    sides_look(&m->sides, q, NULL);
}

bool found_model_counts(const found_model *m, int k) {
    return m->sides.counts[k];
}

static void run_one(const found_model *m, int k, kind_output output, const double *q, double *values) {
    const instance *i = &m->at[k];
    const int first = i->kind->first_q, second = i->kind->nq - first;
    double local[KIND_Q];
    memcpy(local, q + i->q[0], (size_t)first * sizeof *local);
    memcpy(local + first, q + i->q[1], (size_t)second * sizeof *local);
    kind_run(i->kind, output, i->numbers, local, NULL, values);
}

void found_model_place(const found_model *m, int k, const double *q, double place[4][3]) {
    run_one(m, k, KIND_PLACE, q, place[0]);
}

double found_model_gap(const found_model *m, int k, const double *q) {
    double gap;
    run_one(m, k, KIND_C, q, &gap);
    return gap;
}
