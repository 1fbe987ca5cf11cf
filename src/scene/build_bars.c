/* Bars: elastic lines of point masses on an axis (docs/theory/elements.md, Bars). Node k of bar 'A' is the point
 * 'A[k]', from A1 on. Joins: bars whose massless tips touch. */
#include "error.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bar {
    element from;
    int first, elements; /* member of the first node */
    double start, end, mass, stiffness, velocity;
    double tip[2]; /* shares of the first and last element that are massless tips */
} bar;

struct bars {
    int count;
    bar *at;
};

/* ---- listing */

static carom_status list_bar(draft *d, const element *e, bar *b) {
    *b = (bar){.from = *e};
    if (e->value->kind != NODE_MAP) return node_error(d->n->error, e->value, "bar '%s' must be a map", e->name);
    return draft_list_nodes(d, e, "bar", BODY_POINT, 1, &b->first, &b->elements);
}

carom_status draft_list_bars(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "bars"), "bars", false, &list);
    if (status) return status;
    d->bars = zeros(d, 1, sizeof *d->bars);
    if (d->bars) d->bars->at = zeros(d, list.count, sizeof *d->bars->at);
    if (!d->bars || !d->bars->at) return carom_error_memory(d->n->error);
    for (; d->bars->count < list.count && !status; d->bars->count++)
        status = list_bar(d, &list.at[d->bars->count], &d->bars->at[d->bars->count]);
    return status;
}

/* ---- nodes */

static carom_status need_positive(draft *d, const bar *b, const char *key, double *value) {
    if (!yaml_find(b->from.value, key))
        return node_error(d->n->error, b->from.key, "bar '%s' needs '%s'", b->from.name, key);
    return read_positive(d, &b->from, key, value);
}

static carom_status read_tips(draft *d, bar *b) {
    static const char *const keys[] = {"start", "end"};
    const element tips = {b->from.name, b->from.key, yaml_find(b->from.value, "tips"), b->from.index};
    if (!tips.value) return CAROM_OK;
    if (tips.value->kind != NODE_MAP)
        return node_error(d->n->error, tips.value, "'tips' must be a map: {start: share, end: share}");
    carom_status status = read_keys(d, &tips, "tips", "parts", "tips");
    for (int i = 0; i < 2 && !status; i++) {
        status = read_number(d, &tips, keys[i], &b->tip[i]);
        if (!status && !(b->tip[i] >= 0 && b->tip[i] < 1))
            status = node_error(d->n->error, yaml_find(tips.value, keys[i]),
                                "a tip is a share in [0, 1) of the element, it is %g", b->tip[i]);
    }
    if (!status && b->elements == 1 && b->tip[0] + b->tip[1] >= 1)
        status = node_error(d->n->error, tips.value, "the tips leave nothing of bar '%s'", b->from.name);
    return status;
}

static carom_status read_bar(draft *d, bar *b) {
    const element *e = &b->from;
    char what[96];
    snprintf(what, sizeof what, "bar '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "elastic", "bars");
    if (!status) status = read_number(d, e, "from", &b->start);
    if (!status && !yaml_find(e->value, "to")) status = node_error(d->n->error, e->key, "%s needs 'to'", what);
    if (!status) status = read_number(d, e, "to", &b->end);
    if (!status && !(b->end > b->start))
        status = node_error(d->n->error, yaml_find(e->value, "to"), "bar '%s' must end behind its start", e->name);
    if (!status) status = need_positive(d, b, "mass_per_length", &b->mass);
    if (!status && !yaml_find(e->value, "energy")) status = need_positive(d, b, "stiffness", &b->stiffness);
    if (!status) status = read_number(d, e, "velocity", &b->velocity);
    return status ? status : read_tips(d, b);
}

/* The piece of the k-th element that has mass and a spring: all but its tips. */
static double piece(const bar *b, int k) {
    double share = 1 - (k == 0 ? b->tip[0] : 0) - (k == b->elements - 1 ? b->tip[1] : 0);
    return share * (b->end - b->start) / b->elements;
}

static double tip_length(const bar *b, int end) {
    return b->tip[end] * (b->end - b->start) / b->elements;
}

/* Half of the mass of each whole element goes to either of its nodes: tips give theirs to the node they end at. */
static void place_nodes(draft *d, const bar *b) {
    const double share = b->mass * (b->end - b->start) / b->elements / 2;
    double x = b->start + tip_length(b, 0);
    for (int k = 0; k <= b->elements; k++) {
        member *m = &d->members.at[b->first + k];
        d->q0[m->q] = x, d->u0[m->u] = b->velocity;
        m->body.mass = k == 0 || k == b->elements ? share : 2 * share;
        if (k < b->elements) x += piece(b, k);
    }
}

/* Bars that a join names: it splits their last elements where a run asks for 'contact: joined'. */
static carom_status split_ends(draft *d, const element *join) {
    const node *pair = yaml_find(join->value, "between");
    double share = 0.25;
    carom_status status = read_number(d, join, "split", &share);
    if (!status && !(share > 0 && share < 1))
        status = node_error(d->n->error, yaml_find(join->value, "split"),
                            "'split' is the share of the last element that becomes a massless tip, between 0 and 1");
    if (status || !pair || pair->kind != NODE_LIST) return status;
    int end = 1;
    for (const node *text = pair->first; text; text = text->next, end = 0)
        for (int i = 0; i < d->bars->count && text->kind == NODE_TEXT; i++) {
            bar *b = &d->bars->at[i];
            if (!strcmp(b->from.name, text->text) && b->tip[end] == 0) b->tip[end] = share;
        }
    return CAROM_OK;
}

/* Whether the run splits the elements at a contact of bars and joins them while it lasts (multisymplectic, 4.3.2). */
static bool runs_joined(const draft *d) {
    const node *contact = yaml_find(yaml_find(d->scene->root, "run"), "contact");
    return contact && contact->kind == NODE_TEXT && !strcmp(contact->text, "joined");
}

carom_status draft_declare_bars(draft *d) {
    elements joins = {0};
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->bars->count && !status; i++) status = read_bar(d, &d->bars->at[i]);
    if (!status && runs_joined(d)) status = names_expand(d->n, yaml_find(d->model, "joins"), "joins", false, &joins);
    for (int i = 0; i < joins.count && !status; i++) status = split_ends(d, &joins.at[i]);
    for (int i = 0; i < d->bars->count && !status; i++) place_nodes(d, &d->bars->at[i]);
    return status;
}

/* ---- energies */

/* l phi(e), e = (x_2 - x_1)/l, and phi = stiffness/2 (e - 1)^2 unless given (DR1) */
static carom_status add_elements(draft *d, const bar *b) {
    graph *g = d->n->g;
    const int place = 1 + d->nq + d->nu;
    expr stretch = expr_symbol(g, place), off = expr_sub(g, stretch, expr_number(g, 1));
    vec energy = {.at = {expr_mul(g, expr_number(g, b->stiffness / 2), expr_mul(g, off, off))}};
    carom_status status = CAROM_OK;
    if (yaml_find(b->from.value, "energy"))
        status = read_formulas_of(d, &b->from, "energy", &(local_name){"e", stretch, NULL}, &energy);
    for (int k = 0; k < b->elements && !status; k++) {
        const member *m = &d->members.at[b->first + k];
        expr l = expr_number(g, piece(b, k));
        expr e = expr_div(g, expr_sub(g, m[1].body.q[0], m[0].body.q[0]), l);
        expr V = expr_mul(g, l, expr_substitute(g, energy.at[0], place, 1, &e));
        status = draft_energy(d, FORMULA_POTENTIAL, V, b->from.key);
    }
    return status;
}

/* ---- joins */

/* What touches: the end or the massless tip of a bar, or a wall. */
typedef struct side {
    const bar *bar; /* NULL: a wall at x */
    expr x, rate;   /* of the node, behind the tip if there is one */
    double length, flexibility;
} side;

static carom_status find_bar(draft *d, const node *text, const bar **found) {
    const char **known = zeros(d, d->bars->count, sizeof *known);
    if (!known) return carom_error_memory(d->n->error);
    for (int i = 0; i < d->bars->count; i++) {
        known[i] = d->bars->at[i].from.name;
        if (!strcmp(known[i], text->text)) {
            *found = &d->bars->at[i];
            return CAROM_OK;
        }
    }
    return node_error_near(d->n->error, text, text->text, known, d->bars->count, "there is no bar '%.60s'", text->text);
}

static carom_status check_tip(draft *d, const node *text, const bar *b, int end) {
    if (b->tip[end] > 0 && yaml_find(b->from.value, "energy"))
        return node_error(d->n->error, text, "tips of bars with an 'energy' of their own cannot be joined");
    return CAROM_OK;
}

/* The end of the first bar and the start of the second; a number is a wall. */
static carom_status read_side(draft *d, const element *e, const node *text, int end, side *s) {
    parse_error not_a_name;
    double wall = 0;
    *s = (side){0};
    carom_status status = check_text(text, "one side of a join", d->n->error);
    if (!status && !parse_is_name(text->text, &not_a_name)) {
        status = names_number(d->n, text, &e->index, &wall);
        s->x = expr_number(d->n->g, wall), s->rate = expr_number(d->n->g, 0);
        return status;
    }
    if (!status) status = find_bar(d, text, &s->bar);
    if (!status) status = check_tip(d, text, s->bar, end);
    if (status) return status;
    const body *behind = &d->members.at[s->bar->first + (end ? s->bar->elements : 0)].body;
    s->x = behind->q[0], s->rate = behind->u[0];
    s->length = tip_length(s->bar, end);
    s->flexibility = s->length / s->bar->stiffness;
    return CAROM_OK;
}

/* Where tips without mass are, and how fast: where no force acts on them. Apart, each has its length; touching, they
 * share the compression as their flexibilities do. */
static carom_status define_tips(draft *d, const element *e, const side *a, const side *b, expr apart) {
    graph *g = d->n->g;
    const double soft = a->flexibility + b->flexibility, of_a = soft > 0 ? b->flexibility / soft : 0;
    const expr open = expr_binary(g, OP_LT, expr_number(g, 0), apart);
    const expr end_a = expr_add(g, a->x, expr_number(g, a->length));
    const expr end_b = expr_sub(g, b->x, expr_number(g, b->length));
    const expr x[2] = {end_a, end_b};
    const expr v[2] = {a->rate, b->rate};
    static const char *const called[2][2] = {{"left", "left_dot"}, {"right", "right_dot"}};
    carom_status status = draft_define(d, e, "apart", apart, "m");
    for (int i = 0; i < 2 && !status; i++) {
        expr xs = x[i], vs = v[i];
        if (soft > 0) {
            const expr x0 = expr_scale(g, of_a, x[0]), x1 = expr_scale(g, 1 - of_a, x[1]);
            const expr v0 = expr_scale(g, of_a, v[0]), v1 = expr_scale(g, 1 - of_a, v[1]);
            xs = expr_if(g, open, x[i], expr_add(g, x0, x1));
            vs = expr_if(g, open, v[i], expr_add(g, v0, v1));
        }
        status = draft_define(d, e, called[i][0], xs, "m");
        if (!status) status = draft_define(d, e, called[i][1], vs, "m/s");
    }
    return status;
}

/* A spring that pushes only: force k max(0, l - d), as a potential (DR2). */
static carom_status add_spring(draft *d, const element *e, double flexibility, expr apart) {
    graph *g = d->n->g;
    const double k = 1 / flexibility;
    const expr zero = expr_number(g, 0), over = expr_neg(g, apart);
    const expr touching = expr_binary(g, OP_LT, zero, over);
    const expr pushed = expr_scale(g, k, over), energy = expr_scale(g, k / 2, expr_mul(g, over, over));
    carom_status status = draft_label(d, e->name, e->key);
    if (!status) status = draft_define(d, e, "force", expr_if(g, touching, pushed, zero), "N");
    return status ? status : draft_energy(d, FORMULA_POTENTIAL, expr_if(g, touching, energy, zero), e->key);
}

/* Ends with mass are a contact; massless tips a spring. */
static carom_status add_join(draft *d, const element *e) {
    const node *pair = yaml_find(e->value, "between");
    graph *g = d->n->g;
    side a, b;
    const expr none = expr_number(g, 0), one = expr_number(g, 1);
    contact_entry contact = {.def = {.name = e->name, .restitution = 1}, .coefficient = {none, one, none, none}};
    carom_status status = read_keys(d, e, "a join", "elastic", "joins");
    if (!status && (!pair || pair->kind != NODE_LIST || yaml_count(pair) != 2))
        status =
            node_error(d->n->error, e->key, "join '%s' needs 'between: [bar, bar]', or a number for a wall", e->name);
    if (!status) status = read_side(d, e, pair->first, 1, &a);
    if (!status) status = read_side(d, e, pair->first->next, 0, &b);
    if (!status && !a.bar && !b.bar) status = node_error(d->n->error, pair, "two walls make no join");
    if (!status && a.bar == b.bar) status = node_error(d->n->error, pair, "a bar does not join itself");
    if (!status && yaml_find(e->value, "restitution")) status = draft_coefficients(d, e, &contact);
    if (status) return status;
    const double flexibility = a.flexibility + b.flexibility;
    const expr lengths = expr_number(g, a.length + b.length), distance = expr_sub(g, b.x, a.x);
    const expr apart = expr_sub(g, distance, lengths);
    status = define_tips(d, e, &a, &b, apart);
    if (status) return status;
    return flexibility > 0 ? add_spring(d, e, flexibility, apart)
                           : draft_contact(d, &contact, apart, e->key, NULL, NULL, e->key, "m");
}

/* A bar has no thickness: a twenty-fifth of its length is seen. */
static carom_status draw_bar(draft *d, const bar *b) {
    int *nodes = zeros(d, b->elements + 1, sizeof *nodes);
    if (!nodes) return carom_error_memory(d->n->error);
    for (int k = 0; k <= b->elements; k++) nodes[k] = b->first + k;
    return draft_draw_tube(d, b->from.name, nodes, b->elements + 1, fabs(b->end - b->start) / 25);
}

carom_status draft_add_bars(draft *d) {
    elements list = {0};
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->bars->count && !status; i++) {
        status = add_elements(d, &d->bars->at[i]);
        if (!status) status = draw_bar(d, &d->bars->at[i]);
    }
    if (!status) status = names_expand(d->n, yaml_find(d->model, "joins"), "joins", false, &list);
    for (int i = 0; i < list.count && !status; i++) status = add_join(d, &list.at[i]);
    return status;
}
