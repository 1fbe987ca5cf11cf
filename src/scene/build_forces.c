/* Springs between bodies, and loads on them. */
#include "error.h"
#include "model/element/force.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TYPED 1e-8 /* places that were typed with nine digits may be off by this */

struct spring {
    element from;
    int member[2];
    span span;
    expr length; /* at the start */
};

/* ---- springs: where they are attached */

static carom_status read_point(draft *d, const node *list, const parse_index *index, vec *x) {
    int count = list->kind == NODE_LIST ? yaml_count(list) : 0, i = 0;
    if (count < 1 || count > 3) return node_error(d->n->error, list, "a point is a list of one to three numbers");
    carom_status status = CAROM_OK;
    double now;
    for (const node *item = list->first; item && !status; item = item->next)
        status = names_constant(d->n, item, index, &x->at[i++], &now);
    return status;
}

/* A point mass is where it is. */
static carom_status check_point(draft *d, const member *m, const node *item, vec x) {
    double now[3], off = 0;
    vec_now(d->n->g, x, now);
    for (int i = 0; i < 3; i++) off += fabs(now[i]);
    if (m->body.kind != BODY_POINT || !(off > TYPED)) return CAROM_OK;
    return node_error(d->n->error, item, "'%s' is a point mass, a spring can only end where it is", m->name);
}

/* 'points' in the coordinates of the two, or 'ends' in the world at the start; origins where neither is given. */
static carom_status read_points(draft *d, const struct spring *s, vec x[2]) {
    const element *e = &s->from;
    const node *points = yaml_find(e->value, "points"), *ends = yaml_find(e->value, "ends"),
               *list = ends ? ends : points;
    carom_status status = CAROM_OK;
    if (points && ends)
        return node_error(d->n->error, ends->key, "spring '%s' has 'points' and 'ends', give one", e->name);
    if (list && (list->kind != NODE_LIST || yaml_count(list) != 2))
        return node_error(d->n->error, list, "'%s' must be a list of two points", list->key->text);
    const node *item = list ? list->first : NULL;
    for (int i = 0; i < 2 && item && !status; i++, item = item->next) {
        const member *m = &d->members.at[s->member[i]];
        status = read_point(d, item, &e->index, &x[i]);
        if (!status && ends) status = draft_place(d, m, x[i], &x[i]);
        if (!status) status = check_point(d, m, item, x[i]);
    }
    return status;
}

static carom_status declare_spring(draft *d, struct spring *s) {
    graph *g = d->n->g;
    const element *e = &s->from;
    vec end[2] = {vec_zero(g)};
    parse_error illegal;
    char what[96];
    snprintf(what, sizeof what, "spring '%.80s'", e->name);
    if (!parse_is_name(e->name, &illegal)) return node_error(d->n->error, e->key, "%s", illegal.message);
    if (table_find(&d->member_names, e->name))
        return node_error(d->n->error, e->key, "the name '%s' is taken", e->name);
    carom_status status = read_keys(d, e, what, "forces", "springs");
    if (!status) status = read_two(d, e, "between", "spring", s->member);
    end[1] = end[0];
    if (!status) status = read_points(d, s, end);
    if (status) return status;
    const member *all = d->members.at;
    s->span = span_between(g, (const pose *[]){&all[s->member[0]].frame, &all[s->member[1]].frame}, end);
    status = draft_start_value(d, s->span.length, &s->length);
    if (!status) status = draft_define(d, e, "length", s->span.length, "m");
    return status ? status : draft_define(d, e, "rate", s->span.rate, "m/s");
}

carom_status draft_declare_springs(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "springs"), "springs", false, &list);
    d->spring = zeros(d, list.count, sizeof *d->spring);
    if (!d->spring) return carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) {
        d->spring[i].from = list.at[i];
        status = declare_spring(d, &d->spring[i]);
    }
    d->springs = list.count;
    return status;
}

/* ---- springs: what they do */

static carom_status read_coefficient(draft *d, const element *e, const char *key, expr *value) {
    char what[40];
    carom_status status = read_constant(d, e, key, value);
    if (status || !yaml_find(e->value, key)) return status;
    snprintf(what, sizeof what, "the %.30s", key);
    return draft_not_negative(d, *value, yaml_find(e->value, key), what);
}

/* Whether it has a direction at the start. */
static bool has_length(draft *d, const struct spring *s) {
    return expr_value(d->n->g, s->length, NULL) > 0;
}

static carom_status no_direction(draft *d, const element *e) {
    return node_error(d->n->error, e->key, "spring '%s' has length 0 at the start, where it has no direction", e->name);
}

/* Stiffness and damping. With a free length of 0 the potential is k/2 d^2, which needs no direction. */
static carom_status add_linear(draft *d, const struct spring *s) {
    graph *g = d->n->g;
    const element *e = &s->from;
    expr stiffness = expr_number(g, 0), damping = stiffness, length = s->length;
    carom_status status = read_coefficient(d, e, "stiffness", &stiffness);
    if (!status) status = read_coefficient(d, e, "damping", &damping);
    if (!status) status = read_coefficient(d, e, "length", &length);
    const bool stiff = !expr_equals(g, stiffness, 0), damped = !expr_equals(g, damping, 0);
    if (!status && !stiff && !damped)
        status = node_error(d->n->error, e->key, "spring '%s' needs a 'stiffness', a 'damping' or a 'force'", e->name);
    if (!status && !has_length(d, s) && (damped || !expr_equals(g, length, 0))) status = no_direction(d, e);
    if (!status && stiff)
        status = draft_energy(d, FORMULA_POTENTIAL, spring_potential(g, &s->span, stiffness, length), e->key);
    if (!status && damped)
        status = draft_energy(d, FORMULA_DISSIPATION, spring_dissipation(g, &s->span, damping), e->key);
    return status;
}

/* A tension by a formula, in which length and rate of the spring have no prefix. */
static carom_status add_formula(draft *d, const struct spring *s, const node *text) {
    static const char *const linear[] = {"stiffness", "damping", "length"};
    const element *e = &s->from;
    const local_name rate = {"rate", s->span.rate, NULL}, length = {"length", s->span.length, &rate};
    expr tension;
    for (int i = 0; i < 3; i++) {
        const node *excess = yaml_find(e->value, linear[i]);
        if (excess)
            return node_error(d->n->error, excess->key, "spring '%s' has a 'force': write the %s into it", e->name,
                              linear[i]);
    }
    if (!has_length(d, s)) return no_direction(d, e);
    carom_status status = names_formula_with(d->n, text, &e->index, &length, &tension);
    for (int i = 0; i < 2 && !status; i++)
        status = draft_push(d, s->member[i], s->span.x[i], span_pull(d->n->g, &s->span, tension, i), text);
    return status;
}

carom_status draft_add_springs(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->springs && !status; i++) {
        const struct spring *s = &d->spring[i];
        const node *force = yaml_find(s->from.value, "force");
        draft_begin_element(d);
        status = force ? add_formula(d, s, force) : add_linear(d, s);
        draft_end_element(d);
        if (!status)
            status = draft_draw_points(d, &(drawn){.kind = DRAWN_SPRING, .name = s->from.name, .count = 2}, s->span.x);
    }
    return status;
}

/* ---- loads */

/* As many components as the body has axes. */
static carom_status read_force(draft *d, const element *e, const member *m, vec *F, bool *given) {
    const node *list = yaml_find(e->value, "force");
    int axes = body_axes(&m->body);
    int count = list && list->kind == NODE_LIST ? yaml_count(list) : 1;
    if (list && count != axes)
        return node_error(d->n->error, list, "a force on '%s' has %d component%s", m->name, axes, axes > 1 ? "s" : "");
    return read_formulas(d, e, "force", F, given);
}

static carom_status read_torque(draft *d, const element *e, const member *m, vec *torque, bool *given) {
    const node *text = yaml_find(e->value, "torque");
    *torque = vec_zero(d->n->g);
    *given = text != NULL;
    if (!text) return CAROM_OK;
    if (m->body.kind == BODY_POINT)
        return node_error(d->n->error, text->key, "'%s' is a point mass, which does not turn", m->name);
    if (m->body.kind == BODY_PLANAR) {
        if (text->kind != NODE_TEXT) return node_error(d->n->error, text, "a torque on '%s' is one formula", m->name);
        return names_formula(d->n, text, &e->index, &torque->at[2]);
    }
    if (text->kind != NODE_LIST || yaml_count(text) != 3)
        return node_error(d->n->error, text, "a torque on '%s' has 3 components", m->name);
    return read_formulas(d, e, "torque", torque, given);
}

static carom_status read_loaded(draft *d, const element *e, int *found) {
    const node *text = yaml_find(e->value, "body");
    if (!text) return node_error(d->n->error, e->key, "load '%s' needs a 'body'", e->name);
    carom_status status = read_member(d, text, &e->index, found);
    if (status || d->members.at[*found].body.nu) return status;
    return node_error(d->n->error, text, "'%s' is a frame, a load acts on a body", d->members.at[*found].name);
}

/* Where a force acts, in the coordinates of the body, and whether its components are along the body's axes. */
static carom_status read_place(draft *d, const element *e, const member *m, vec *at, int *follows) {
    static const char *const frames[] = {"world", "body", NULL};
    const node *where = yaml_find(e->value, "at"), *axes = yaml_find(e->value, "frame");
    const node *excess = where ? where : axes;
    int count;
    if (excess && m->body.kind == BODY_POINT)
        return node_error(d->n->error, excess->key, "'%s' is a point mass, which has no frame of its own", m->name);
    carom_status status = read_constants(d, e, "at", 2, 3, at->at, &count);
    return status ? status : read_word(d, e, "frame", "frame of a load", frames, follows);
}

static carom_status add_load(draft *d, const element *e) {
    graph *g = d->n->g;
    int loaded, follows = 0;
    vec at, F, torque;
    bool pushed, twisted;
    char what[96];
    snprintf(what, sizeof what, "load '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "forces", "loads");
    if (!status) status = read_loaded(d, e, &loaded);
    if (status) return status;
    const member *m = &d->members.at[loaded];
    status = read_place(d, e, m, &at, &follows);
    if (!status) status = read_force(d, e, m, &F, &pushed);
    if (!status) status = read_torque(d, e, m, &torque, &twisted);
    if (!status && !pushed && !twisted)
        status = node_error(d->n->error, e->key, "load '%s' needs a 'force' or a 'torque'", e->name);
    if (status) return status;
    const mat *A = &m->frame.A; /* (DF5) */
    vec x = vec_add(g, m->frame.r, mat_times(g, A, at));
    status = draft_push(d, loaded, x, follows ? mat_times(g, A, F) : F, yaml_find(e->value, "force"));
    if (status) return status;
    return draft_twist(d, loaded, follows ? mat_times(g, A, torque) : torque, yaml_find(e->value, "torque"));
}

carom_status draft_add_loads(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "loads"), "loads", false, &list);
    for (int i = 0; i < list.count && !status; i++) {
        draft_begin_element(d);
        status = add_load(d, &list.at[i]);
        draft_end_element(d);
    }
    return status;
}
