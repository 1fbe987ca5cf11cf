/* Bars: elastic lines of point masses on an axis (docs/theory/elements.md, Bars). Node k of bar 'A' is the point
 * 'A[k]', from A1 on. Joins: bars whose massless tips touch. */
#include "error.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

typedef struct bar {
    element from;
    int first, elements;                          /* member of the first node */
    expr start, piece, mass, stiffness, velocity; /* piece: the length of a whole element */
    expr tip[2];                                  /* shares of the first and the last element that are massless tips */
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

static carom_status need_positive(draft *d, const bar *b, const char *key, expr *value) {
    if (!yaml_find(b->from.value, key))
        return node_error(d->n->error, b->from.key, "bar '%s' needs '%s'", b->from.name, key);
    return read_positive_constant(d, &b->from, key, value);
}

/* The share of an element that is a tip, in [0, 1). The structure depends on whether it is zero. */
static carom_status read_share(draft *d, const element *e, const char *key, const char *sentence, expr *share) {
    graph *g = d->n->g;
    const node *text = yaml_find(e->value, key);
    double now;
    if (!text) return CAROM_OK;
    carom_status status = names_constant(d->n, text, &e->index, share, &now);
    if (!status && now == 0) {
        *share = expr_number(g, 0);
        return read_number(d, e, key, &now);
    }
    const expr one = expr_number(g, 1), below = expr_binary(g, OP_LT, *share, one);
    if (!status) status = draft_within(d, *share, *share, text, sentence);
    return status ? status : draft_within(d, *share, below, text, sentence);
}

static bool has_tip(const draft *d, const bar *b, int end) {
    return !expr_equals(d->n->g, b->tip[end], 0);
}

static carom_status read_tips(draft *d, bar *b) {
    static const char *const keys[] = {"start", "end"};
    graph *g = d->n->g;
    const element tips = {b->from.name, b->from.key, yaml_find(b->from.value, "tips"), b->from.index};
    if (!tips.value) return CAROM_OK;
    if (tips.value->kind != NODE_MAP)
        return node_error(d->n->error, tips.value, "'tips' must be a map: {start: share, end: share}");
    carom_status status = read_keys(d, &tips, "tips", "parts", "tips");
    for (int i = 0; i < 2 && !status; i++) {
        status = read_share(d, &tips, keys[i], "a tip is a share in [0, 1) of the element", &b->tip[i]);
    }
    char sentence[160];
    snprintf(sentence, sizeof sentence, "the tips leave nothing of bar '%.80s'", b->from.name);
    const expr both = expr_add(g, b->tip[0], b->tip[1]), left = expr_sub(g, expr_number(g, 1), both);
    return status || b->elements > 1 ? status : draft_require(d, left, tips.value, sentence);
}

static carom_status read_bar(draft *d, bar *b) {
    const element *e = &b->from;
    graph *g = d->n->g;
    const expr zero = expr_number(g, 0);
    expr end = zero;
    char what[96], sentence[160];
    b->start = b->stiffness = b->velocity = b->tip[0] = b->tip[1] = zero;
    snprintf(what, sizeof what, "bar '%.80s'", e->name);
    snprintf(sentence, sizeof sentence, "%s must end behind its start", what);
    carom_status status = read_keys(d, e, what, "elastic", "bars");
    if (!status) status = read_constant(d, e, "from", &b->start);
    if (!status && !yaml_find(e->value, "to")) status = node_error(d->n->error, e->key, "%s needs 'to'", what);
    if (!status) status = read_constant(d, e, "to", &end);
    const expr length = expr_sub(g, end, b->start);
    if (!status) status = draft_require(d, length, yaml_find(e->value, "to"), sentence);
    b->piece = expr_scale(g, 1.0 / b->elements, length);
    if (!status) status = need_positive(d, b, "mass_per_length", &b->mass);
    if (!status && !yaml_find(e->value, "energy")) status = need_positive(d, b, "stiffness", &b->stiffness);
    if (!status) status = read_constant(d, e, "velocity", &b->velocity);
    return status ? status : read_tips(d, b);
}

/* The piece of the k-th element that has mass and a spring: all but its tips. */
static expr piece(draft *d, const bar *b, int k) {
    graph *g = d->n->g;
    expr share = expr_number(g, 1);
    if (k == 0) share = expr_sub(g, share, b->tip[0]);
    if (k == b->elements - 1) share = expr_sub(g, share, b->tip[1]);
    return expr_mul(g, share, b->piece);
}

static expr tip_length(draft *d, const bar *b, int end) {
    return expr_mul(d->n->g, b->tip[end], b->piece);
}

/* Half of the mass of each whole element goes to either of its nodes: tips give theirs to the node they end at. */
static void place_nodes(draft *d, const bar *b) {
    graph *g = d->n->g;
    const expr whole = expr_mul(g, b->mass, b->piece), half = expr_scale(g, 0.5, whole);
    for (int k = 0; k <= b->elements; k++) {
        member *m = &d->members.at[b->first + k];
        const bool last = k == b->elements;
        expr x = expr_add(g, b->start, expr_scale(g, k, b->piece));
        if (k == 0) x = expr_add(g, x, tip_length(d, b, 0));
        if (last) x = expr_sub(g, x, tip_length(d, b, 1));
        draft_set_start(d, 1 + m->q, x);
        draft_set_start(d, d->first_u + m->u, b->velocity);
        m->body.weighed = true;
        m->body.mass_of = k == 0 || last ? half : whole;
        for (int i = 0; i < 9; i++) m->body.inertia_of[i / 3][i % 3] = expr_number(g, 0);
    }
}

/* The bars that a join names. The join splits their last elements if the run asks for 'contact: joined'. */
static carom_status split_ends(draft *d, const element *join) {
    const node *pair = yaml_find(join->value, "between");
    static const char sentence[] =
        "'split' is the share of the last element that becomes a massless tip, between 0 and 1";
    expr share = expr_number(d->n->g, 0.25);
    carom_status status = read_share(d, join, "split", sentence, &share);
    if (!status && expr_equals(d->n->g, share, 0))
        status = node_error(d->n->error, yaml_find(join->value, "split"), sentence);
    if (status || !pair || pair->kind != NODE_LIST) return status;
    int end = 1;
    for (const node *text = pair->first; text; text = text->next, end = 0)
        for (int i = 0; i < d->bars->count && text->kind == NODE_TEXT; i++) {
            bar *b = &d->bars->at[i];
            if (!strcmp(b->from.name, text->text) && !has_tip(d, b, end)) b->tip[end] = share;
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
    vec energy = {.at = {expr_scale(g, 0.5, expr_mul(g, b->stiffness, expr_mul(g, off, off)))}};
    carom_status status = CAROM_OK;
    if (yaml_find(b->from.value, "energy"))
        status = read_formulas_of(d, &b->from, "energy", &(local_name){"e", stretch, NULL}, &energy);
    for (int k = 0; k < b->elements && !status; k++) {
        const member *m = &d->members.at[b->first + k];
        expr l = piece(d, b, k);
        expr e = expr_div(g, expr_sub(g, m[1].body.q[0], m[0].body.q[0]), l);
        expr V = expr_mul(g, l, expr_substitute(g, energy.at[0], place, 1, &e));
        status = draft_energy(d, FORMULA_POTENTIAL, V, b->from.key);
    }
    return status;
}

/* ---- joins */

/* What touches: the end or massless tip of a bar, or a wall. */
typedef struct side {
    const bar *bar; /* NULL: a wall at x */
    expr x, rate;   /* of the node, behind the tip if there is one */
    bool tipped;
    expr length, flexibility;
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
    if (has_tip(d, b, end) && yaml_find(b->from.value, "energy"))
        return node_error(d->n->error, text, "tips of bars with an 'energy' of their own cannot be joined");
    return CAROM_OK;
}

/* The end of the first bar and the start of the second; a number is a wall. */
static carom_status read_side(draft *d, const element *e, const node *text, int end, side *s) {
    parse_error not_a_name;
    double now;
    const expr zero = expr_number(d->n->g, 0);
    *s = (side){.rate = zero, .length = zero, .flexibility = zero};
    carom_status status = check_text(text, "one side of a join", d->n->error);
    if (!status && !parse_is_name(text->text, &not_a_name)) {
        return names_constant(d->n, text, &e->index, &s->x, &now);
    }
    if (!status) status = find_bar(d, text, &s->bar);
    if (!status) status = check_tip(d, text, s->bar, end);
    if (status) return status;
    const body *behind = &d->members.at[s->bar->first + (end ? s->bar->elements : 0)].body;
    s->x = behind->q[0], s->rate = behind->u[0];
    s->tipped = has_tip(d, s->bar, end);
    if (!s->tipped) return CAROM_OK;
    s->length = tip_length(d, s->bar, end);
    s->flexibility = expr_div(d->n->g, s->length, s->bar->stiffness);
    return CAROM_OK;
}

/* Places and velocities of massless tips, on which no net force acts. Apart, each tip has its rest length; touching,
 * they share the compression in proportion to their flexibilities. */
static carom_status define_tips(draft *d, const element *e, const side *a, const side *b, expr apart) {
    graph *g = d->n->g;
    const bool soft = a->tipped || b->tipped;
    const expr sum = expr_add(g, a->flexibility, b->flexibility), zero = expr_number(g, 0), one = expr_number(g, 1);
    const expr of_a = soft ? expr_div(g, b->flexibility, sum) : zero, of_b = expr_sub(g, one, of_a);
    const expr open = expr_binary(g, OP_LT, zero, apart);
    const expr end_a = expr_add(g, a->x, a->length);
    const expr end_b = expr_sub(g, b->x, b->length);
    const expr x[2] = {end_a, end_b};
    const expr v[2] = {a->rate, b->rate};
    static const char *const called[2][2] = {{"left", "left_dot"}, {"right", "right_dot"}};
    carom_status status = draft_define(d, e, "apart", apart, "m");
    for (int i = 0; i < 2 && !status; i++) {
        expr xs = x[i], vs = v[i];
        if (soft) {
            const expr x0 = expr_mul(g, of_a, x[0]), x1 = expr_mul(g, of_b, x[1]);
            const expr v0 = expr_mul(g, of_a, v[0]), v1 = expr_mul(g, of_b, v[1]);
            xs = expr_if(g, open, x[i], expr_add(g, x0, x1));
            vs = expr_if(g, open, v[i], expr_add(g, v0, v1));
        }
        status = draft_define(d, e, called[i][0], xs, "m");
        if (!status) status = draft_define(d, e, called[i][1], vs, "m/s");
    }
    return status;
}

/* A spring that pushes only: force k max(0, l - d), as a potential (DR2). */
static carom_status add_spring(draft *d, const element *e, expr flexibility, expr apart) {
    graph *g = d->n->g;
    const expr k = expr_div(g, expr_number(g, 1), flexibility);
    const expr zero = expr_number(g, 0), over = expr_neg(g, apart);
    const expr touching = expr_binary(g, OP_LT, zero, over);
    const expr pushed = expr_mul(g, k, over), energy = expr_scale(g, 0.5, expr_mul(g, pushed, over));
    carom_status status = draft_label(d, e->name, e->key);
    if (!status) status = draft_define(d, e, "force", expr_if(g, touching, pushed, zero), "N");
    return status ? status : draft_energy(d, FORMULA_POTENTIAL, expr_if(g, touching, energy, zero), e->key);
}

/* Ends with mass make a contact; massless tips make a spring. */
static carom_status add_join(draft *d, const element *e) {
    const node *pair = yaml_find(e->value, "between");
    graph *g = d->n->g;
    side a, b;
    const expr none = expr_number(g, 0), one = expr_number(g, 1);
    contact_entry contact = {.def = {.name = e->name, .restitution = 1}, .coefficient = {none, one, none, none, none}};
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
    const expr flexibility = expr_add(g, a.flexibility, b.flexibility), lengths = expr_add(g, a.length, b.length);
    const expr distance = expr_sub(g, b.x, a.x);
    const expr apart = expr_sub(g, distance, lengths);
    status = define_tips(d, e, &a, &b, apart);
    if (status) return status;
    return a.tipped || b.tipped ? add_spring(d, e, flexibility, apart)
                                : draft_contact(d, &contact, apart, e->key, NULL, NULL, e->key, "m");
}

/* A bar has no thickness: a twenty-fifth of its length is seen. */
static carom_status draw_bar(draft *d, const bar *b) {
    int *nodes = zeros(d, b->elements + 1, sizeof *nodes);
    if (!nodes) return carom_error_memory(d->n->error);
    for (int k = 0; k <= b->elements; k++) nodes[k] = b->first + k;
    return draft_draw_tube(d, b->from.name, nodes, b->elements + 1,
                           b->elements * expr_value(d->n->g, b->piece, NULL) / 25);
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
