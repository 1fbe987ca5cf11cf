/* What a model with found contacts computes: the functions of the base with the rows of the found
 * contacts, their ranges over steps, and the borders as switches. */
#include "found_model_inside.h"

#include "model/forward.h"
#include "model/space.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- functions */

/* Outputs of all contacts, added to values that are zero at their places. */
static void run_batches(const found_model *m, kind_output output, const double *q, const double *u, double *values) {
    for (int i = 0; i < m->batches && values; i++)
        if (m->batch[i].count > 0) batch_run(&m->batch[i], output, q, u, values);
}

static void clear(double *values, int from, int to) {
    if (values && to > from) memset(values + from, 0, (size_t)(to - from) * sizeof *values);
}

static bool all_finite(const double *values, int from, int to) {
    for (int i = from; i < to; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static void run_one(const found_model *m, int k, kind_output output, const double *q, double *values) {
    const instance *i = &m->at[k];
    const int first = i->kind->first_q, second = i->kind->nq - first;
    double local[KIND_Q];
    memcpy(local, q + i->q[0], (size_t)first * sizeof *local);
    memcpy(local + first, q + i->q[1], (size_t)second * sizeof *local);
    kind_run(i->kind, output, i->numbers, local, NULL, values);
}

/* The gaps that are asked for, while sides are those of the last look. */
static int position_of_asked(const found_model *m, const double *q, double *c) {
    const bool *asked = m->asked + m->base->def.contacts;
    int bad = 0;
    for (int k = 0; k < m->count; k++) {
        if (!asked[k]) continue;
        if (m->sides.counts[k]) run_one(m, k, KIND_C, q, &c[m->base->nc + k]);
        else c[m->base->nc + k] = FAR_GAP;
        bad = bad || !isfinite(c[m->base->nc + k]);
    }
    return bad;
}

static int position(void *context, double t, const double *q, double *c, double *c_q) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    const int nc = m->base->nc;
    if (nc && d->position(d->context, t, q, c, c_q)) return 1;
    if (m->asked && c && !c_q && sides_are_known(&m->sides)) return position_of_asked(m, q, c);
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
    for (int i = 0; i < m->batches; i++)
        if (m->batch[i].count > 0 && !kind_want_zeta(m->batch[i].kind)) return 1;
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

/* Bounds of a contact tell whether the borders matter that it asks for. */
static bool is_asked(const found_model *m, int k) {
    const found_contact *c = &m->contact[k];
    bool any = !m->asked || m->asked[m->base->def.contacts + k];
    for (int i = c->from; i < c->from + c->conditions && !any; i++)
        any = m->asked_sides[m->base->def.switches + m->sides.border.condition[i].border];
    return any;
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
        if (!is_asked(m, k)) continue;
        bound_one(m, k, q, q_rate, &c[m->base->nc + k], &rate);
        if (c_rate) c_rate[m->base->nc + k] = rate;
    }
    if (a)
        sides_bound(&m->sides, q, q_rate, c ? m->clear : NULL, m->asked_sides ? m->asked_sides + d->switches : NULL,
                    m->jets, a + d->switches, a_rate ? a_rate + d->switches : NULL);
    return 0;
}

static void ask(void *context, const bool *contact, const bool *switched) {
    found_model *m = context;
    m->asked = contact, m->asked_sides = switched;
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
    sides_values(&m->sides, q, m->asked_sides ? m->asked_sides + d->switches : NULL, a + d->switches);
    return 0;
}

static void take_sides(void *context, const int *side) {
    found_model *m = context;
    const carom_model_def *d = &m->base->def;
    if (d->switches) d->take_sides(d->context, side);
    sides_take(&m->sides, side ? side + d->switches : NULL);
}

/* ---------------------------------------------------------------- lowest points of rims */

/* A rim that lies flat may rock from side to side by this angle. */
#define ROCKS 1e-3

/* The axes of the first or second body of a contact, and how it turns, in the world. */
static void find_axes(const instance *i, int which, const double *q, double A[3][3]) {
    const body *b = which ? &i->kind->second : &i->kind->first;
    const double *at = q + i->q[which], turn = b->kind == BODY_PLANAR ? at[2] / 2 : 0;
    const double about[4] = {cos(turn), 0, 0, sin(turn)};
    space_rotation(b->kind == BODY_SPATIAL ? at + 3 : about, A);
}

static void find_turning(const instance *i, int which, double A[3][3], const double *u, double omega[3]) {
    const body *b = which ? &i->kind->second : &i->kind->first;
    const double *at = u + i->u[which], about[3] = {0, 0, b->kind == BODY_PLANAR ? at[2] : 0};
    space_times(A, b->kind == BODY_SPATIAL ? at + 3 : about, omega);
}

/* n x e, across the lowest point of a rim about the axis e of the first body, over a face of the second, in which it is
 * seen (CF23). */
static void find_tilt(const instance *i, const double *q, double across[3]) {
    double A[2][3][3], e[3], seen[3];
    for (int k = 0; k < 2; k++) find_axes(i, k, q, A[k]);
    space_times(A[0], i->numbers->e, e);
    for (int k = 0; k < 3; k++) seen[k] = A[1][0][k] * e[0] + A[1][1][k] * e[1] + A[1][2][k] * e[2];
    space_cross(i->numbers->d, seen, across);
}

/* |omega x e|, of the first body as seen from the second */
static double speed_of_axis(const instance *i, const double *q, const double *u) {
    double A[2][3][3], omega[2][3], e[3], turn[3];
    for (int k = 0; k < 2; k++) find_axes(i, k, q, A[k]), find_turning(i, k, A[k], u, omega[k]);
    for (int k = 0; k < 3; k++) omega[0][k] -= omega[1][k];
    space_times(A[0], i->numbers->e, e);
    space_cross(omega[0], e, turn);
    return sqrt(space_dot(turn, turn));
}

/* The axis is |n x e| away from the normal at least (CF41). */
static double time_to_flat(const instance *i, const double *q, const double *u) {
    double across[3];
    find_tilt(i, q, across);
    return sqrt(space_dot(across, across)) / speed_of_axis(i, q, u);
}

/* The lowest point has come to the other side of the rim. */
static bool swings_over(const instance *i, const double *from, const double *q) {
    double before[3], after[3];
    find_tilt(i, from, before), find_tilt(i, q, after);
    const double most = fmax(space_dot(before, before), space_dot(after, after));
    return space_dot(before, after) < 0 && most > ROCKS * ROCKS;
}

bool found_model_swings(const found_model *m, int k, const double *from, const double *q, const double *u, double dt) {
    const instance *i = &m->at[k];
    if (m->contact[k].features.kind != GAP_RIM_FACE) return false;
    return swings_over(i, from, q) || (speed_of_axis(i, q, u) * dt > ROCKS && time_to_flat(i, q, u) < dt);
}

static double smooth(void *context, int contact, const double *from, const double *q, const double *u) {
    const found_model *m = context;
    const int k = contact - m->base->def.contacts;
    if (k < 0 || m->contact[k].features.kind != GAP_RIM_FACE) return INFINITY;
    return from && swings_over(&m->at[k], from, q) ? 0 : time_to_flat(&m->at[k], q, u);
}

void found_forward(found_model *m, bool turns) {
    carom_model_def *d = &m->model.def;
    forward_all(&m->model);
    d->context = m;
    d->position = position, d->velocity = velocity;
    d->velocity_rate = d->velocity_rate || !m->base->ns ? velocity_rate : NULL;
    d->direction_q = turns ? direction_q : NULL;
    d->displacement = NULL, d->slip_scale = NULL, d->power = NULL;
    d->ranges = d->ranges ? ranges : NULL;
    m->model.smooth = smooth;
    if (m->sides.count > 0) {
        d->switches += m->sides.count;
        d->switch_names = m->sides.name, d->switch_info = m->sides.info;
        d->switching = switching, d->take_sides = take_sides;
    }
    d->symmetries = d->observables = d->supports = d->parameters = d->inputs = 0;
    d->assign = NULL;
    m->model.row = NULL, m->model.row_range = NULL, m->model.ask = ask;
}

/* ---------------------------------------------------------------- borders, and contacts one by one */

const border_list *found_model_borders(const found_model *m) {
    return &m->sides.border;
}

void found_model_sides(found_model *m, const double *q, double *side, bool *matters) {
    sides_values(&m->sides, q, NULL, side);
    for (int k = 0; k < m->count && m->sides.count; k++) m->clear[k] = !found_model_touches(m, k, q);
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

void found_model_place(const found_model *m, int k, const double *q, double place[4][3]) {
    run_one(m, k, KIND_PLACE, q, place[0]);
}

double found_model_gap(const found_model *m, int k, const double *q) {
    double gap;
    run_one(m, k, KIND_C, q, &gap);
    return gap;
}

bool found_model_touches(const found_model *m, int k, const double *q) {
    return found_model_gap(m, k, q) <= m->sides.deep[k];
}
