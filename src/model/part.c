#include "model/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum which { B, Q_DOT_Q, MASS, MV_Q, H_Q, H_U, P_Q, B_Q, B_U, C_Q, WT, S_Q, WR_Q } which;
enum { OUTPUTS = 5 };

static const carom_pattern *pattern_of(const carom_model_def *d, which w) {
    const carom_pattern *const all[PART_PATTERNS] = {&d->B,   &d->q_dot_q, &d->M,   &d->Mv_q, &d->h_q, &d->h_u, &d->p_q,
                                                     &d->b_q, &d->b_u,     &d->c_q, &d->WT,   &d->s_q, &d->Wr_q};
    return all[w];
}

void part_gather(const part_list *list, const double *whole, double *part) {
    for (int i = 0; i < list->count; i++) part[i] = whole[list->at[i]];
}

void part_scatter(const part_list *list, const double *part, double *whole) {
    for (int i = 0; i < list->count; i++) whole[list->at[i]] = part[i];
}

/* ---------------------------------------------------------------- functions */

typedef const carom_model_def table;

static table *ask(const model_part *p, const double *q, const double *u) {
    part_room *r = p->room;
    if (q) part_scatter(&p->q, q, r->q);
    if (u) part_scatter(&p->u, u, r->u);
    return &r->whole->def;
}

static double *if_wanted(const model_part *p, int output, const double *wanted) {
    return wanted ? p->room->value[output] : NULL;
}

static void take(const model_part *p, int output, const part_list *list, double *to) {
    if (to) part_gather(list, p->room->value[output], to);
}

static void take_matrix(const model_part *p, int output, which w, double *to) {
    const carom_pattern *own = pattern_of(&p->model.def, w);
    for (int e = 0; to && e < pattern_nnz(own); e++) to[e] = p->room->value[output][p->pattern[w].entry[e]];
}

static int kinematics(void *context, double t, const double *q, const double *u, double *q_dot, double *B_,
                      double *q_dot_q) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->kinematics(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, q_dot), if_wanted(p, 1, B_),
                      if_wanted(p, 2, q_dot_q)))
        return 1;
    take(p, 0, &p->q, q_dot), take_matrix(p, 1, B, B_), take_matrix(p, 2, Q_DOT_Q, q_dot_q);
    return 0;
}

static int mass(void *context, double t, const double *q, double *M) {
    model_part *p = context;
    table *d = ask(p, q, NULL);
    if (d->mass(d->context, t, p->room->q, if_wanted(p, 0, M))) return 1;
    take_matrix(p, 0, MASS, M);
    return 0;
}

static int mass_q(void *context, double t, const double *q, const double *v, double *Mv_q) {
    model_part *p = context;
    table *d = ask(p, q, NULL);
    part_scatter(&p->u, v, p->room->factor);
    if (d->mass_q(d->context, t, p->room->q, p->room->factor, if_wanted(p, 0, Mv_q))) return 1;
    take_matrix(p, 0, MV_Q, Mv_q);
    return 0;
}

static int force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->force(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, h), if_wanted(p, 1, h_q), if_wanted(p, 2, h_u)))
        return 1;
    take(p, 0, &p->u, h), take_matrix(p, 1, H_Q, h_q), take_matrix(p, 2, H_U, h_u);
    return 0;
}

static int momentum(void *context, double t, const double *q, const double *u, double *pp, double *p_q, double *b,
                    double *b_q, double *b_u) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->momentum(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, pp), if_wanted(p, 1, p_q),
                    if_wanted(p, 2, b), if_wanted(p, 3, b_q), if_wanted(p, 4, b_u)))
        return 1;
    take(p, 0, &p->u, pp), take_matrix(p, 1, P_Q, p_q);
    take(p, 2, &p->u, b), take_matrix(p, 3, B_Q, b_q), take_matrix(p, 4, B_U, b_u);
    return 0;
}

static int position(void *context, double t, const double *q, double *c, double *c_q) {
    model_part *p = context;
    table *d = ask(p, q, NULL);
    if (d->position(d->context, t, p->room->q, if_wanted(p, 0, c), if_wanted(p, 1, c_q))) return 1;
    take(p, 0, &p->c, c), take_matrix(p, 1, C_Q, c_q);
    return 0;
}

static int velocity(void *context, double t, const double *q, const double *u, double *s, double *WT_, double *s_q) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->velocity(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, s), if_wanted(p, 1, WT_),
                    if_wanted(p, 2, s_q)))
        return 1;
    take(p, 0, &p->s, s), take_matrix(p, 1, WT, WT_), take_matrix(p, 2, S_Q, s_q);
    return 0;
}

static int velocity_rate(void *context, double t, const double *q, const double *u, double *zeta) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->velocity_rate(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, zeta))) return 1;
    take(p, 0, &p->s, zeta);
    return 0;
}

static int direction_q(void *context, double t, const double *q, const double *r, double *Wr_q) {
    model_part *p = context;
    table *d = ask(p, q, NULL);
    part_scatter(&p->s, r, p->room->factor);
    if (d->direction_q(d->context, t, p->room->q, p->room->factor, if_wanted(p, 0, Wr_q))) return 1;
    take_matrix(p, 0, WR_Q, Wr_q);
    return 0;
}

static int switching(void *context, double t, const double *q, const double *u, double *a) {
    model_part *p = context;
    table *d = ask(p, q, u);
    if (d->switching(d->context, t, p->room->q, p->room->u, if_wanted(p, 0, a))) return 1;
    take(p, 0, &p->switched, a);
    return 0;
}

static void take_sides(void *context, const int *side) {
    model_part *p = context;
    table *d = &p->room->whole->def;
    for (int j = 0; side && j < p->switched.count; j++) p->room->side[p->switched.at[j]] = side[j];
    d->take_sides(d->context, side ? p->room->side : NULL);
}

/* ---------------------------------------------------------------- ranges */

static void spread_ranges(const part_list *list, const carom_range *part, carom_range *whole) {
    for (int i = 0; part && i < list->count; i++) whole[list->at[i]] = part[i];
}

static void take_ranges(const part_list *list, const carom_range *whole, carom_range *part) {
    for (int i = 0; part && i < list->count; i++) part[i] = whole[list->at[i]];
}

/* The whole model row by row, where it can. */
static int bound_rows(const model_part *p, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                      carom_range *c, carom_range *c_rate) {
    const carom_model *m = p->room->whole;
    int status = 0;
    for (int i = 0; i < p->c.count && !status; i++)
        status = m->row_range(m->def.context, p->c.at[i], t, q, q_rate, &c[i], &c_rate[i]);
    return status;
}

static int ranges(void *context, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate) {
    model_part *p = context;
    const carom_model *m = p->room->whole;
    table *d = &m->def;
    carom_range *of_q = p->room->range, *of_q_rate = of_q + d->nq, *of_u = of_q_rate + d->nq, *of_u_rate = of_u + d->nu,
                *of_c = of_u_rate + d->nu, *of_c_rate = of_c + m->nc, *of_a = of_c_rate + m->nc,
                *of_a_rate = of_a + d->switches;
    spread_ranges(&p->q, q, of_q), spread_ranges(&p->q, q_rate, of_q_rate);
    spread_ranges(&p->u, u, of_u), spread_ranges(&p->u, u_rate, of_u_rate);
    if (m->row_range && c && c_rate && (!a || !d->switches)) return bound_rows(p, t, of_q, of_q_rate, c, c_rate);
    if (d->ranges(d->context, t, of_q, q_rate ? of_q_rate : NULL, u ? of_u : NULL, u_rate ? of_u_rate : NULL,
                  c ? of_c : NULL, c_rate ? of_c_rate : NULL, a ? of_a : NULL, a_rate ? of_a_rate : NULL))
        return 1;
    take_ranges(&p->c, of_c, c), take_ranges(&p->c, of_c_rate, c_rate);
    take_ranges(&p->switched, of_a, a), take_ranges(&p->switched, of_a_rate, a_rate);
    return 0;
}

/* ---------------------------------------------------------------- what belongs to a part */

static void append(part_list *list, int number) {
    list->at[list->count++] = number;
}

static void choose(part_list *list, const bool *in, int count) {
    for (int i = 0; i < count; i++)
        if (in[i]) append(list, i);
}

/* Rows of s whose velocities all belong to it, those without any not among them. */
static bool leaves(const carom_pattern *WT_, int row, const bool *velocity) {
    bool any = false;
    for (int e = WT_->start[row]; e < WT_->start[row + 1] && !any; e++) any = !velocity[WT_->index[e]];
    return any;
}

static bool is_inside(const carom_pattern *WT_, int row, const bool *velocity) {
    return WT_->start[row] < WT_->start[row + 1] && !leaves(WT_, row, velocity);
}

static bool has_contact(const carom_model *m, int k, const bool *velocity) {
    bool in = is_inside(&m->def.WT, m->N + k, velocity);
    for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1] && in; i++) in = !leaves(&m->def.WT, i, velocity);
    return in;
}

static void choose_rows(model_part *p, const bool *velocity) {
    const carom_model *m = p->room->whole;
    const carom_model_def *d = &m->def;
    for (int row = 0; row < m->N; row++) {
        if (!is_inside(&d->WT, row, velocity)) continue;
        append(&p->s, row);
        if (row < d->ng) append(&p->c, row);
    }
    for (int k = 0; k < d->contacts; k++)
        if (has_contact(m, k, velocity)) append(&p->contact, k);
    for (int i = 0; i < p->contact.count; i++) {
        append(&p->c, d->ng + p->contact.at[i]);
        append(&p->s, m->N + p->contact.at[i]);
    }
    for (int i = 0; i < p->contact.count; i++)
        for (int j = m->slip[p->contact.at[i]]; j < m->slip[p->contact.at[i] + 1]; j++) append(&p->s, m->F + j);
}

static void choose_switches(model_part *p, const bool *coordinate) {
    const carom_model *m = p->room->whole;
    for (int j = 0; j < m->def.switches; j++) {
        const int *on = m->switch_on + 2 * j;
        if ((on[0] < 0 || coordinate[on[0]]) && (on[1] < 0 || coordinate[on[1]])) append(&p->switched, j);
    }
}

/* ---------------------------------------------------------------- the table */

static const part_list *rows_of(const model_part *p, which w) {
    return w == B || w == Q_DOT_Q ? &p->q : w == C_Q ? &p->c : w == WT || w == S_Q ? &p->s : &p->u;
}

static bool restrict_pattern(model_part *p, which w) {
    const carom_pattern *from = pattern_of(&p->room->whole->def, w);
    const part_list *rows = rows_of(p, w),
                    *columns = w == B || w == MASS || w == H_U || w == B_U || w == WT ? &p->u : &p->q;
    const int *at = columns == &p->u ? p->room->at_u : p->room->at_q;
    part_pattern *to = &p->pattern[w];
    int entries = 0;
    for (int i = 0; i < rows->count; i++) entries += from->start[rows->at[i] + 1] - from->start[rows->at[i]];
    to->start = malloc(((size_t)rows->count + 1) * sizeof *to->start);
    to->index = malloc(2 * ((size_t)entries + 1) * sizeof *to->index);
    if (!to->start || !to->index) return false;
    to->entry = to->index + entries;
    int count = 0;
    for (int i = 0; i < rows->count; i++) {
        to->start[i] = count;
        for (int e = from->start[rows->at[i]]; e < from->start[rows->at[i] + 1]; e++)
            if (at[from->index[e]] >= 0) to->index[count] = at[from->index[e]], to->entry[count++] = e;
    }
    to->start[rows->count] = count;
    *(carom_pattern *)pattern_of(&p->model.def, w) = (carom_pattern){rows->count, columns->count, to->start, to->index};
    return true;
}

/* Patterns that the whole model does not have stay away. */
static bool restrict_patterns(model_part *p) {
    bool ok = true;
    for (int w = 0; w <= WR_Q && ok; w++)
        if (pattern_of(&p->room->whole->def, (which)w)->start) ok = restrict_pattern(p, (which)w);
    return ok;
}

static void set_sizes(model_part *p) {
    const carom_model *whole = p->room->whole;
    carom_model *m = &p->model;
    carom_model_def *d = &m->def;
    d->nq = p->q.count, d->nu = p->u.count, d->contacts = p->contact.count, d->switches = p->switched.count;
    d->ng = p->c.count - p->contact.count;
    m->nc = p->c.count, m->ns = p->s.count;
    m->slip[0] = m->rubs[0] = 0;
    for (int i = 0; i < d->contacts; i++) {
        m->slip[i + 1] = m->slip[i] + whole->def.contact[p->contact.at[i]].slips;
        m->rubs[i + 1] = m->rubs[i] + (whole->def.contact[p->contact.at[i]].slips > 0);
    }
    m->slips = m->slip[d->contacts];
    m->F = m->ns - m->slips, m->N = m->F - d->contacts, m->gamma = d->ng, d->ngamma = m->N - d->ng;
}

static void forget_rest(carom_model *m) {
    carom_model_def *d = &m->def;
    d->destroy = NULL, d->fork = NULL, d->assign = NULL;
    d->tangent = NULL, d->assign_tangent = NULL, d->cotangent = NULL, d->constants_by = NULL;
    d->displacement = NULL, d->energy = NULL, d->power = NULL;
    d->rotations = d->anchors = d->symmetries = d->observables = d->supports = d->parameters = d->inputs = 0;
    d->slacks = 0;
    m->row = NULL, m->row_range = NULL, m->finder = NULL, m->switch_on = NULL;
    m->base = NULL, m->maker = NULL;
}

static void set_functions(model_part *p) {
    carom_model_def *d = &p->model.def;
    d->context = p;
    d->kinematics = d->kinematics ? kinematics : NULL;
    d->mass = mass, d->mass_q = d->mass_q ? mass_q : NULL;
    d->force = force, d->momentum = d->momentum ? momentum : NULL;
    d->position = position, d->velocity = velocity;
    d->velocity_rate = d->velocity_rate ? velocity_rate : NULL;
    d->direction_q = d->direction_q ? direction_q : NULL;
    d->switching = d->switches ? switching : NULL, d->take_sides = d->switches ? take_sides : NULL;
    d->ranges = d->ranges ? ranges : NULL;
}

static const char **pick_names(const char *const *from, const int *at, int first, int count, const char **to) {
    for (int i = 0; i < count; i++) to[i] = from[at[i] - first];
    return to;
}

/* One piece of memory: lists, slips, names, contacts. */
static bool make_room(model_part *p, int nq, int nu) {
    const carom_model *w = p->room->whole;
    const carom_model_def *d = &w->def;
    const size_t numbers = (size_t)(nq + nu + w->nc + w->ns + 3 * d->contacts + d->switches + 2);
    int *at = calloc(numbers, sizeof *at);
    p->memory = at;
    if (!at) return false;
    p->q.at = at, p->u.at = p->q.at + nq, p->c.at = p->u.at + nu, p->s.at = p->c.at + w->nc;
    p->contact.at = p->s.at + w->ns, p->switched.at = p->contact.at + d->contacts;
    p->model.slip = p->switched.at + d->switches, p->model.rubs = p->model.slip + d->contacts + 1;
    return true;
}

static bool describe(model_part *p) {
    const carom_model_def *w = &p->room->whole->def;
    carom_model_def *d = &p->model.def;
    const int names = d->nq + d->nu + d->ng + d->ngamma + d->switches;
    carom_model_contact *contact = calloc((size_t)d->contacts + 1, sizeof *contact);
    const char **name = calloc((size_t)names + 1, sizeof *name);
    carom_switch *info = calloc((size_t)d->switches + 1, sizeof *info);
    d->contact = contact, d->q_names = (const char *const *)name, d->switch_info = info;
    if (!contact || !name || !info) return false;
    for (int i = 0; i < d->contacts; i++) contact[i] = w->contact[p->contact.at[i]];
    for (int j = 0; j < d->switches; j++) info[j] = w->switch_info[p->switched.at[j]];
    const char **next = name;
    pick_names(w->q_names, p->q.at, 0, d->nq, next);
    d->u_names = pick_names(w->u_names, p->u.at, 0, d->nu, next += d->nq);
    d->g_names = pick_names(w->g_names, p->s.at, 0, d->ng, next += d->nu);
    d->gamma_names = pick_names(w->gamma_names, p->s.at + d->ng, w->ng, d->ngamma, next += d->ng);
    d->switch_names = pick_names(w->switch_names, p->switched.at, 0, d->switches, next + d->ngamma);
    d->g_owners = d->gamma_owners = NULL;
    return true;
}

bool part_applies(const carom_model *m) {
    const carom_model_def *d = &m->def;
    bool own_loads = true;
    for (int k = 0; k < d->contacts; k++) own_loads = own_loads && !contact_follows(m, k);
    return own_loads && !d->latches && !d->slip_scale && !d->friction && !d->restitution && d->ranges &&
           (!d->switches || m->switch_on) && !m->part;
}

static void number(int *at, const part_list *list, bool in) {
    for (int i = 0; i < list->count; i++) at[list->at[i]] = in ? i : -1;
}

static void number_all(part_room *r, const model_part *p, bool in) {
    number(r->at_q, &p->q, in), number(r->at_u, &p->u, in);
    number(r->at_c, &p->c, in), number(r->at_s, &p->s, in);
}

static bool make_lists(model_part *p, const bool *velocity, const bool *coordinate) {
    const carom_model_def *d = &p->room->whole->def;
    int nq = 0, nu = 0;
    for (int i = 0; i < d->nq; i++) nq += coordinate[i];
    for (int i = 0; i < d->nu; i++) nu += velocity[i];
    if (!make_room(p, nq, nu)) return false;
    choose(&p->q, coordinate, d->nq), choose(&p->u, velocity, d->nu);
    choose_rows(p, velocity);
    choose_switches(p, coordinate);
    return true;
}

/* A model with functions of its own, or with some that ask those of the whole one. */
static bool make_alone(model_part *p) {
    const carom_model *whole = p->room->whole;
    const part_maker *maker = whole->maker;
    set_sizes(p);
    forget_rest(&p->model);
    bool ok = restrict_patterns(p) && describe(p);
    if (ok && maker && maker->restricted) ok = maker->restricted(whole, &p->model.def, p->room, &p->own);
    if (p->own) p->model.def.context = p->own;
    else set_functions(p);
    return ok;
}

/* The model that is made on top of the same part of the base. */
static bool make_on_base(model_part *p, const bool *velocity, const bool *coordinate) {
    const carom_model *whole = p->room->whole;
    p->base = part_create(p->room->base, velocity, coordinate);
    p->made = p->base ? whole->maker->make(whole, p) : NULL;
    if (!p->made) return false;
    p->model = *p->made;
    p->model.part = true, p->model.base = NULL, p->model.maker = NULL;
    return true;
}

model_part *part_create(part_room *r, const bool *velocity, const bool *coordinate) {
    model_part *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->room = r, p->model = *r->whole, p->model.part = true;
    p->model.def.contact = NULL, p->model.def.q_names = NULL, p->model.def.switch_info = NULL;
    bool ok = make_lists(p, velocity, coordinate);
    number_all(r, p, true);
    ok = ok && (r->base ? make_on_base(p, velocity, coordinate) : make_alone(p));
    number_all(r, p, false);
    if (ok) return p;
    part_destroy(p);
    return NULL;
}

void part_destroy(model_part *p) {
    if (!p) return;
    const carom_model_def *d = &p->model.def;
    if (p->made) p->room->whole->maker->destroy(p->made);
    else free((void *)d->contact), free((void *)d->q_names), free((void *)d->switch_info);
    part_destroy(p->base);
    for (int w = 0; w < PART_PATTERNS; w++) free(p->pattern[w].start), free(p->pattern[w].index);
    if (p->own) p->room->whole->maker->release(p->own);
    free(p->memory);
    free(p);
}

/* ---------------------------------------------------------------- the room */

static int most(int a, int b) {
    return a > b ? a : b;
}

bool part_room_create(part_room *r, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *r = (part_room){.whole = m};
    int size = most(most(d->nq, d->nu), most(m->ns, most(m->nc, d->switches)));
    const int factor = most(d->nu, m->ns), ranges_ = 2 * (d->nq + d->nu + m->nc + d->switches);
    for (int w = 0; w <= WR_Q; w++)
        if (pattern_of(d, (which)w)->start) size = most(size, pattern_nnz(pattern_of(d, (which)w)));
    r->memory = calloc((size_t)(d->nq + d->nu + factor) + OUTPUTS * (size_t)size + 1, sizeof *r->memory);
    r->range = calloc((size_t)ranges_ + 1, sizeof *r->range);
    r->numbers = calloc((size_t)(d->nq + d->nu + m->nc + m->ns + d->switches) + 1, sizeof *r->numbers);
    if (!r->memory || !r->range || !r->numbers) return false;
    r->q = r->memory, r->u = r->q + d->nq, r->factor = r->u + d->nu;
    for (int i = 0; i < OUTPUTS; i++) r->value[i] = r->factor + factor + i * (size_t)size;
    r->at_q = r->numbers, r->at_u = r->at_q + d->nq, r->at_c = r->at_u + d->nu;
    r->at_s = r->at_c + m->nc, r->side = r->at_s + m->ns;
    for (int i = 0; i < d->nq + d->nu + m->nc + m->ns; i++) r->at_q[i] = -1;
    if (!m->base) return true;
    r->base = calloc(1, sizeof *r->base);
    return r->base && part_room_create(r->base, m->base);
}

void part_room_place(part_room *r, const double *q, const double *u, const int *side) {
    const carom_model_def *d = &r->whole->def;
    if (r->base) part_room_place(r->base, q, u, side);
    memcpy(r->q, q, (size_t)d->nq * sizeof *q);
    memcpy(r->u, u, (size_t)d->nu * sizeof *u);
    memcpy(r->side, side, (size_t)d->switches * sizeof *side);
    carom_range *of_u = r->range + 2 * d->nq;
    for (int i = 0; i < d->nq; i++) r->range[i] = (carom_range){q[i], q[i]};
    for (int i = 0; i < d->nu; i++) of_u[i] = (carom_range){u[i], u[i]};
    memset(r->range + d->nq, 0, (size_t)d->nq * sizeof *r->range);
    memset(of_u + d->nu, 0, (size_t)d->nu * sizeof *r->range);
}

void part_room_destroy(part_room *r) {
    if (r->base) part_room_destroy(r->base);
    free(r->base);
    free(r->memory), free(r->range), free(r->numbers);
    *r = (part_room){0};
}
