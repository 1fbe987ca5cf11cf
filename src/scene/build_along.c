/* Contacts of beams between their nodes: {between: [{beam: arm, radius: r}, {body: world, sphere: R}], ...}.
 *
 * A post touches where the beam is nearest to it. That place is a coordinate NAME.s, from 0 to 1 along the beam, which
 * follows the beam and the post (docs/theory/elements.md, (DA1) to (DA7)). A plane is touched at stations, (DA8). */
#include "error.h"
#include "model/element/along.h"
#include "model/formula/knots.h"
#include "pairs.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct entry {
    element from;
    int q;      /* the coordinate s */
    expr known; /* 1 where it is the nearest place, else 0 */
    pair *pair;
} entry;

typedef struct spline { /* of a beam, whichever posts it touches */
    int first;          /* member */
    along line;
} spline;

struct alongs {
    int count, splines;
    entry *at;
    spline *spline; /* room for one per beam */
};

/* ---- the partners */

static const node *beam_in(const node *item) {
    return item->kind == NODE_MAP ? yaml_find(item, "beam") : NULL;
}

static const node *partners(const element *e) {
    const node *list = e->value->kind == NODE_MAP ? yaml_find(e->value, "between") : NULL;
    return list && list->kind == NODE_LIST && yaml_count(list) == 2 ? list : NULL;
}

bool along_is_pair(const element *e) {
    const node *list = partners(e);
    return list && (beam_in(list->first) || beam_in(list->first->next));
}

static bool is_node_of(const member *m, const char *beam) {
    return m->node && m->body.kind != BODY_POINT && strcmp(m->from.name, beam) == 0;
}

typedef struct search {
    draft *d;
    int first;
} search;

/* The first node of a beam, by its name; parameters are for its index. */
static expr find_beam(void *context, const char *name, parse_error *error) {
    search *s = context;
    draft *d = s->d;
    const symbol *parameter = table_find(&d->n->symbols, name);
    if (parameter && parameter->kind == SYMBOL_PARAMETER) return parameter->value;
    for (s->first = 1; s->first < d->members.count; s->first++)
        if (is_node_of(&d->members.at[s->first], name)) return expr_number(d->n->g, 0);
    const char **known = zeros(d, d->members.count, sizeof *known);
    int count = 0;
    for (int i = 1; known && i < d->members.count; i++)
        if (is_node_of(&d->members.at[i], d->members.at[i].from.name)) known[count++] = d->members.at[i].from.name;
    const char *near = known ? carom_nearest(name, known, count) : NULL;
    snprintf(error->message, sizeof error->message, "there is no beam '%.60s'%s%.60s%s", name,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    s->first = 0;
    return -1;
}

static carom_status read_beam(draft *d, const element *e, const node *text, int *first, int *nodes) {
    search s = {d, 0};
    parse_error problem = {0};
    if (text->kind != NODE_TEXT) return node_error(d->n->error, text, "expected the name of a beam");
    const parse_index *index = e->index.name ? &e->index : NULL;
    const expr value = parse_formula(d->n->g, text->text, find_beam, &s, index, &problem);
    if (value < 0) return node_error_in(d->n->error, text, problem.offset, "%s", problem.message);
    if (!s.first) return node_error(d->n->error, text, "expected the name of a beam");
    *first = s.first, *nodes = 0;
    const char *name = d->members.at[s.first].from.name;
    while (s.first + *nodes < d->members.count && is_node_of(&d->members.at[s.first + *nodes], name)) ++*nodes;
    return CAROM_OK;
}

typedef struct sides {
    const node *beam, *post; /* as they are written */
    bool second;             /* the beam is */
    int first, nodes;        /* of the beam */
    int number;              /* member of the post */
    expr radius;             /* of the beam */
    double points;           /* that touch a plane, for each element */
} sides;

static carom_status read_sides(draft *d, const element *e, sides *s) {
    const node *list = partners(e);
    *s = (sides){.second = !beam_in(list->first), .radius = expr_number(d->n->g, 0), .points = 2};
    s->beam = s->second ? list->first->next : list->first, s->post = s->second ? list->first : list->first->next;
    const element of = {e->name, e->key, s->beam, e->index};
    if (beam_in(s->post))
        return node_error(d->n->error, s->post,
                          "two beams do not touch between their nodes: of one of them name a node as a body");
    carom_status status = check_word(s->beam, "a beam that touches", "contacts", "beam", d->n->error);
    if (!status) status = read_beam(d, e, beam_in(s->beam), &s->first, &s->nodes);
    if (!status) status = read_constant(d, &of, "radius", &s->radius);
    if (!status) status = draft_not_negative(d, s->radius, s->beam, "the radius");
    if (!status) status = read_number(d, &of, "points", &s->points);
    if (!status && !(s->points >= 1 && s->points == floor(s->points)))
        status = node_error(d->n->error, yaml_find(s->beam, "points"), "'points' is a whole number, at least 1");
    if (!status) status = pair_member(d, e, s->post, &s->number);
    if (!status && is_node_of(&d->members.at[s->number], d->members.at[s->first].from.name))
        status = node_error(d->n->error, s->post, "'%s' is a node of the beam that it would touch",
                            d->members.at[s->number].name);
    return status;
}

/* The post is a plane: it is written here, or the only shape of the member. */
static bool is_plane(const draft *d, const sides *s) {
    if (s->post->kind == NODE_MAP && yaml_count(s->post) > 1) return yaml_find(s->post, "plane") != NULL;
    const node *map = d->members.at[s->number].from.value, *one = map ? yaml_find(map, "shape") : NULL;
    return one && one->kind == NODE_MAP && yaml_find(one, "plane");
}

/* ---- listing */

carom_status draft_list_alongs(draft *d) {
    elements list = {0};
    const node *contacts = yaml_find(d->model, "contacts");
    carom_status status = CAROM_OK;
    for (const node *n = contacts && contacts->kind == NODE_MAP ? contacts->first : NULL; n && !status; n = n->next)
        if (along_is_pair(&(element){.value = n})) status = names_expand_entry(d->n, n, false, &list);
    if (status) return status;
    struct alongs *all = d->alongs = zeros(d, 1, sizeof *all);
    if (!all || !(all->at = zeros(d, list.count, sizeof *all->at)) ||
        !(all->spline = zeros(d, list.count, sizeof *all->spline)))
        return carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) {
        sides s;
        status = read_sides(d, &list.at[i], &s);
        if (status || is_plane(d, &s)) continue;
        all->at[all->count++] = (entry){.from = list.at[i], .q = d->nq++};
        d->anchors++;
    }
    return status;
}

/* ---- the spline of a beam */

static carom_status add_weights(draft *d, int nodes, int *weights) {
    double *room = zeros(d, 4 * nodes, sizeof *room);
    for (int k = 0; k < nodes; k++) {
        knots *weight = zeros(d, 1, sizeof *weight);
        double *row = zeros(d, (nodes + 1) * KNOT_ROW, sizeof *row);
        if (!room || !weight || !row) return carom_error_memory(d->n->error);
        along_weight(nodes, k, row, room);
        *weight = (knots){nodes, row};
        if (!graph_add_table(d->n->g, weight, &weights[k])) return carom_error_memory(d->n->error);
    }
    return CAROM_OK;
}

static carom_status find_spline(draft *d, const sides *s, along *line) {
    struct alongs *all = d->alongs;
    for (int i = 0; i < all->splines; i++)
        if (all->spline[i].first == s->first) {
            *line = all->spline[i].line;
            return CAROM_OK;
        }
    int *weights = zeros(d, s->nodes, sizeof *weights);
    pose *frames = zeros(d, s->nodes, sizeof *frames);
    if (!weights || !frames) return carom_error_memory(d->n->error);
    for (int k = 0; k < s->nodes; k++) frames[k] = d->members.at[s->first + k].frame;
    *line = (along){s->nodes, weights, frames};
    all->spline[all->splines++] = (spline){s->first, *line};
    return add_weights(d, s->nodes, weights);
}

/* What the beam shows at s: a ball. */
static surface ball_at(draft *d, const along *line, expr s, expr radius) {
    surface ball = {.body = along_section(d->n->g, line, s), .form = form_empty(d->n->g)};
    if (!expr_equals(d->n->g, radius, 0)) ball.form.kind = SHAPE_SPHERE, ball.form.radius = radius;
    return ball;
}

/* ---- posts: where they touch */

static double value_at(draft *d, expr e, int q, double s) {
    d->start[1 + q] = s;
    return expr_value(d->n->g, e, d->start);
}

/* The nearest place at the start: the best of some samples, improved by Newton's method downhill (DA6). */
static void start_nearest(draft *d, const along_phi *phi, int q, int nodes) {
    enum { SAMPLES = 16, ITERATIONS = 100 };
    const double width = 1.0 / (SAMPLES * (nodes - 1));
    const expr slope = expr_derivative(d->n->g, phi->axis, 1 + q), bend = expr_derivative(d->n->g, slope, 1 + q);
    double best = 0, least = value_at(d, phi->section, q, 0);
    for (int i = 1; i <= SAMPLES * (nodes - 1); i++) {
        const double now = value_at(d, phi->section, q, i * width);
        if (now < least) least = now, best = i * width;
    }
    for (int i = 0; i < ITERATIONS; i++) {
        const double down = -value_at(d, slope, q, best), up = value_at(d, bend, q, best);
        const bool on_line = best < 0 || best > 1;
        double step = up > 0 ? down / up : copysign(width, down);
        if (!on_line) step = fmax(-width, fmin(width, step));
        best += step;
        if (!(fabs(step) > 1e-15)) break;
    }
    d->start[1 + q] = best;
}

static carom_status declare_names(draft *d, const entry *a) {
    names *n = d->n;
    const char *name = arena_format(n->memory, "%s.s", a->from.name), *dot = arena_format(n->memory, "%s_dot", name);
    if (!name || !dot) return carom_error_memory(n->error);
    if (table_find(&n->symbols, name)) return node_error(n->error, a->from.key, "the name '%s' is taken", name);
    symbol *s = table_add(n->memory, &n->symbols, name, SYMBOL_COORDINATE, a->from.key);
    symbol *rate = s ? table_add(n->memory, &n->symbols, dot, SYMBOL_RATE, a->from.key) : NULL;
    if (!rate) return carom_error_memory(n->error);
    s->id = a->q, s->state = rate->state = SYMBOL_KNOWN;
    s->value = expr_symbol(n->g, 1 + a->q);
    s->unit = "1", rate->unit = "1/s";
    d->q_names[a->q] = name, d->rate[a->q] = rate;
    return CAROM_OK;
}

static int symbol_count(const draft *d) { /* t and q */
    return 1 + d->nq;
}

/* Rates of t and of the coordinates of bodies; beams and posts depend on nothing else. Memory for as many numbers
 * again. */
static expr *rates_of(draft *d) {
    expr *rate = zeros(d, 2 * symbol_count(d), sizeof *rate);
    if (!rate) return NULL;
    for (int i = 0; i < symbol_count(d); i++) rate[i] = expr_number(d->n->g, i == 0);
    for (int k = 0; k < d->members.count; k++) {
        const member *m = &d->members.at[k];
        for (int i = 0; i < m->body.nq; i++) rate[1 + m->q + i] = d->rate[m->q + i]->value;
    }
    return rate;
}

/* Adds the coordinate: its start, its rate, and its value after each step. */
static carom_status declare_place(draft *d, entry *a, const sides *s, const along *line, const along_axis *axis) {
    graph *g = d->n->g;
    const bool planar = a->pair->planar;
    const surface *post = s->second ? &a->pair->a : &a->pair->b;
    const int id = 1 + a->q;
    expr *of_node = zeros(d, s->nodes, sizeof *of_node), *rate = rates_of(d);
    if (!of_node || !rate) return carom_error_memory(d->n->error);
    const pose section = along_section(g, line, expr_symbol(g, id));
    along_phi phi = {.node = of_node};
    phi.axis = contact_apart(g, axis->r, post, planar);
    phi.section = contact_apart(g, section.r, post, planar);
    for (int k = 0; k < s->nodes; k++) of_node[k] = contact_apart(g, line->node[k].r, post, planar);
    start_nearest(d, &phi, a->q, s->nodes);
    d->rate[a->q]->value = along_rate(g, axis, &phi, id, symbol_count(d), rate, rate + symbol_count(d));
    a->known = along_known(g, line, axis, &phi, id);
    const expr next = along_next(g, line, axis, &phi, id);
    if (d->rate[a->q]->value < 0 || a->known < 0 || next < 0) return carom_error_memory(d->n->error);
    d->anchor[d->of[FORMULA_ANCHOR].count] = a->q;
    carom_status status = draft_append(d, FORMULA_ANCHOR, d->q_names[a->q], next, a->from.key);
    return status ? status : draft_start_value(d, next, &d->start_of[id]);
}

/* Tangents along the beam and across it. */
static void turn_tangents(graph *g, const along_axis *axis, touch *at) {
    at->tangent[1] = vec_direction(g, vec_cross(g, at->place.normal, axis->slope));
    at->tangent[0] = vec_cross(g, at->tangent[1], at->place.normal);
}

static carom_status make_contact(draft *d, const entry *a, const sides *s, const along *line, const along_axis *axis) {
    graph *g = d->n->g;
    pair *p = a->pair;
    *(s->second ? &p->b : &p->a) = ball_at(d, line, expr_symbol(g, 1 + a->q), s->radius);
    const surface *post = s->second ? &p->a : &p->b;
    const void *outer = graph_fix_for(g, p->where);
    p->count = contact_pair(g, &p->a, &p->b, p->planar, d->start, p->at);
    graph_fix_for(g, outer);
    if (!p->planar) turn_tangents(g, axis, &p->at[0]);
    p->at[0].on_beam = true, p->at[0].turning = expr_number(g, 0);
    p->at[0].support = vec_scale(g, a->known, p->at[0].place.normal);
    if (p->count == 1) return CAROM_OK;
    return node_error(d->n->error, s->post,
                      "nothing is thick in '%s': give the beam or the %s a radius, for there to be a normal",
                      a->from.name, shape_names[post->form.kind]);
}

static carom_status read_post(draft *d, const element *e, const sides *s, pair *p) {
    surface *post = s->second ? &p->a : &p->b;
    p->where = partners(e);
    p->planar = !pair_in_space(&d->members.at[s->first]) && !pair_in_space(&d->members.at[s->number]);
    return pair_surface(d, e, s->post, s->number, p->planar, post);
}

static carom_status declare(draft *d, entry *a) {
    graph *g = d->n->g;
    sides s;
    along line;
    pair *p = a->pair = zeros(d, 1, sizeof *a->pair);
    if (!p) return carom_error_memory(d->n->error);
    carom_status status = read_sides(d, &a->from, &s);
    if (!status) status = read_post(d, &a->from, &s, p);
    const surface *post = s.second ? &p->a : &p->b;
    if (!status && !contact_is_round(g, post, p->planar))
        status = node_error(d->n->error, s.post,
                            "a beam touches a point, a sphere, a capsule or a plane between its nodes, not a %s",
                            shape_names[post->form.kind]);
    if (!status) status = declare_names(d, a);
    if (!status) status = find_spline(d, &s, &line);
    if (status) return status;
    const along_axis axis = along_axis_at(g, &line, expr_symbol(g, 1 + a->q));
    status = declare_place(d, a, &s, &line, &axis);
    return status ? status : make_contact(d, a, &s, &line, &axis);
}

carom_status draft_declare_alongs(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->alongs->count && !status; i++) status = declare(d, &d->alongs->at[i]);
    return status;
}

/* ---- planes: stations of the beam */

static carom_status touch_plane(draft *d, const element *e, sides *s, pair *p) {
    graph *g = d->n->g;
    along line;
    if (s->points * (s->nodes - 1) + 1 > CONTACTS_MOST)
        return node_error(d->n->error, s->beam, "%g points of a beam touch the plane of '%s', %d at most: take fewer",
                          s->points * (s->nodes - 1) + 1, e->name, CONTACTS_MOST);
    const int count = (int)s->points * (s->nodes - 1) + 1;
    surface *stations = zeros(d, count, sizeof *stations);
    if (!stations) return carom_error_memory(d->n->error);
    s->second = false; /* the plane is */
    carom_status status = read_post(d, e, s, p);
    if (!status) status = find_spline(d, s, &line);
    for (int i = 0; i < count && !status; i++) {
        stations[i] = ball_at(d, &line, expr_number(g, i / (s->points * (s->nodes - 1))), s->radius);
        p->count += contact_pair(g, &stations[i], &p->b, p->planar, d->start, &p->at[i]);
    }
    p->stations = stations;
    return status;
}

/* ---- pairs */

carom_status along_pair(draft *d, const element *e, pair *p) {
    for (int i = 0; i < d->alongs->count; i++)
        if (strcmp(d->alongs->at[i].from.name, e->name) == 0) {
            *p = *d->alongs->at[i].pair;
            return CAROM_OK;
        }
    sides s;
    carom_status status = read_sides(d, e, &s);
    return status ? status : touch_plane(d, e, &s, p);
}

carom_status along_check_keys(draft *d, const element *e) {
    const node *grain = yaml_find(e->value, "grain"), *belt = yaml_find(e->value, "belt"), *list = partners(e);
    if (!along_is_pair(e)) return CAROM_OK;
    if (grain)
        return node_error(d->n->error, grain, "the slips of a beam are along it and across it: '%s' has no 'grain'",
                          e->name);
    if (belt && beam_in(list->first->next))
        return node_error(d->n->error, belt, "a beam is no belt: name it first in '%s'", e->name);
    return CAROM_OK;
}
