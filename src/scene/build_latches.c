/* What lets go: joints that break at a load, (L22), and contacts that bear a pull, (L23). And preload, (L25).
 *
 * Each has an input NAME.holds, 1 while it holds and 0 else, which the run switches. Rows g of a joint that breaks are
 * holds g + (1 - holds) z, with slack coordinates z that nothing moves: released rows have nothing to hold but those.
 */
#include "error.h"
#include "read.h"
#include "read_joint.h"

#include <stdio.h>
#include <string.h>

/* ---- slack coordinates: listed with the joints, declared after the bodies */

/* How many rows a joint has, at most: those across the plane are left out. */
static int most_rows(const draft *d, const joint_entry *j) {
    static const int in_space[JOINT_KINDS] = {5, 5, 4, 3, 4, 6, 1, 3}, in_plane[JOINT_KINDS] = {2, 2, 0, 2, 0, 3, 1, 0};
    bool planar = false;
    for (int k = 0; k < 2; k++) planar = planar || d->members.at[j->member[k]].body.kind == BODY_PLANAR;
    return planar ? in_plane[j->joint.kind] : in_space[j->joint.kind];
}

void draft_list_slacks(draft *d, joint_entry *j) {
    j->slack = d->slacks;
    if (yaml_find(j->from.value, "breaks")) d->slacks += most_rows(d, j);
    else if (yaml_find(j->from.value, "preload")) d->slacks++;
}

static carom_status declare_slack(draft *d, int i) {
    const int q = d->nq - d->slacks + i, u = d->nu - d->slacks + i;
    const char *name = arena_format(d->n->memory, "slack%d", i + 1), *rate = arena_format(d->n->memory, "%s_dot", name);
    symbol *s = rate ? arena_get(d->n->memory, sizeof *s) : NULL;
    if (!s) return carom_error_memory(d->n->error);
    *s = (symbol){.name = rate, .kind = SYMBOL_VELOCITY, .id = u, .state = SYMBOL_KNOWN};
    s->value = expr_symbol(d->n->g, d->first_u + u);
    d->q_names[q] = name, d->u_names[u] = rate, d->rate[q] = s;
    return s->value < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}

carom_status draft_declare_slacks(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->slacks && !status; i++) status = declare_slack(d, i);
    return status;
}

/* The next slack coordinate, with a mass of 1. */
static carom_status take_slack(draft *d, int i, const node *where, expr *z) {
    graph *g = d->n->g;
    const expr rate = expr_symbol(g, d->first_u + d->nu - d->slacks + i);
    *z = expr_symbol(g, 1 + d->nq - d->slacks + i);
    return draft_energy(d, FORMULA_KINETIC, expr_scale(g, 0.5, expr_mul(g, rate, rate)), where);
}

/* ---- latches */

/* Declares NAME.holds with its first value. */
static carom_status add_input(draft *d, const char *of, double first, const node *where, expr *holds) {
    const char *name = arena_format(d->n->memory, "%s.holds", of);
    d->input = arena_grow(d->n->memory, d->input, d->inputs, 1, &d->input_room, sizeof *d->input);
    if (!name || !d->input) return carom_error_memory(d->n->error);
    if (table_find(&d->n->symbols, name)) return node_error(d->n->error, where, "the name '%s' is taken", name);
    symbol *s = table_add(d->n->memory, &d->n->symbols, name, SYMBOL_INPUT, where);
    if (!s) return carom_error_memory(d->n->error);
    s->state = SYMBOL_KNOWN;
    *holds = s->value = expr_still_symbol(d->n->g, RANK_INPUT, name, first);
    d->input[d->inputs++] = s;
    return *holds < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}

/* The load that it bears, as formulas of parameters and as their present values. */
static carom_status add_latch(draft *d, carom_latch latch, const expr bound[LATCH_BOUNDS]) {
    latch.input = d->inputs - 1;
    d->latch = arena_grow(d->n->memory, d->latch, d->latches, 1, &d->latch_room, sizeof *d->latch);
    d->bound = arena_grow(d->n->memory, d->bound, d->latches, 1, &d->bound_room, sizeof *d->bound);
    if (!d->latch || !d->bound) return carom_error_memory(d->n->error);
    double now[LATCH_BOUNDS];
    for (int i = 0; i < LATCH_BOUNDS; i++) now[i] = expr_value(d->n->g, bound[i], NULL);
    latch_set_bounds(&latch, now);
    memcpy(d->bound[d->latches], bound, sizeof *d->bound);
    d->latch[d->latches++] = latch;
    return CAROM_OK;
}

/* ---- joints that break */

/* 0: anything. */
static carom_status read_bound(draft *d, const joint_entry *j, const node *map, const char *key, expr *bound) {
    const node *text = yaml_find(map, key);
    char sentence[160];
    double now;
    *bound = expr_number(d->n->g, 0);
    if (!text) return CAROM_OK;
    carom_status status = names_constant(d->n, text, &j->from.index, bound, &now);
    snprintf(sentence, sizeof sentence, "the %s that joint '%.60s' bears must be positive", key, j->from.name);
    return status ? status : draft_within(d, *bound, *bound, text, sentence);
}

/* Refuses rows and motions that a broken joint would leave behind. */
static carom_status check_beside(draft *d, const joint_entry *j) {
    static const char *const beside[] = {"angle",   "displacement", "speed",    "torque", "force",   "spring",
                                         "damper",  "limits",       "angle2",   "speed2", "torque2", "spring2",
                                         "damper2", "limits2",      "friction", "preload"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const node *found = yaml_find(j->from.value, beside[i]);
        if (found)
            return node_error(d->n->error, found,
                              "joint '%s' breaks and has '%s' as well, which would outlive it: give that to another "
                              "joint, spring or contact",
                              j->from.name, beside[i]);
    }
    return CAROM_OK;
}

static carom_status read_breaks(draft *d, const joint_entry *j, const node *map, expr bound[LATCH_BOUNDS]) {
    static const char *const keys[LATCH_BOUNDS] = {"force", "torque", "impulse"};
    bool any = false;
    char what[96];
    snprintf(what, sizeof what, "'breaks' of joint '%.60s'", j->from.name);
    carom_status status = check_word(map, what, "parts", "breaks", d->n->error);
    if (!status) status = check_beside(d, j);
    for (int i = 0; i < LATCH_BOUNDS && !status; i++) {
        status = read_bound(d, j, map, keys[i], &bound[i]);
        any = any || yaml_find(map, keys[i]);
    }
    if (!status && !any)
        status = node_error(d->n->error, map, "joint '%s' breaks at a 'force', a 'torque' or an 'impulse', give one",
                            j->from.name);
    return status;
}

carom_status draft_break(draft *d, const joint_entry *j, int first, int forces) {
    graph *g = d->n->g;
    formulas *rows = &d->of[FORMULA_CONSTRAINT];
    const node *map = yaml_find(j->from.value, "breaks");
    carom_latch latch = {.name = j->from.name, .contact = -1, .row = first, .forces = forces};
    expr holds, z, bound[LATCH_BOUNDS];
    if (!map) return CAROM_OK;
    latch.torques = rows->count - first - forces;
    carom_status status = read_breaks(d, j, map, bound);
    if (!status && yaml_find(map, "torque") && !latch.torques)
        status = node_error(d->n->error, yaml_find(map, "torque"), "joint '%s' carries no torque", j->from.name);
    if (!status) status = add_input(d, j->from.name, 1, j->from.key, &holds);
    for (int i = first; i < rows->count && !status; i++) {
        status = take_slack(d, j->slack + i - first, map, &z);
        const expr off = expr_sub(g, expr_number(g, 1), holds);
        rows->at[i] = expr_add(g, expr_mul(g, holds, rows->at[i]), expr_mul(g, off, z));
    }
    for (int i = j->slack + rows->count - first; i < j->slack + most_rows(d, j) && !status; i++)
        status = take_slack(d, i, map, &z);
    return status ? status : add_latch(d, latch, bound);
}

/* ---- preload of joints: a slack coordinate that the force presses against its row, (L25) */

carom_status draft_preload(draft *d, const joint_entry *j, carom_model_contact *friction) {
    const node *text = yaml_find(j->from.value, "preload");
    expr force, z;
    if (!text) return CAROM_OK;
    carom_status status = draft_scale(d, &j->from, "preload", text, &force);
    if (!status) status = take_slack(d, j->slack, text, &z);
    if (!status) status = draft_force(d, d->nu - d->slacks + j->slack, expr_neg(d->n->g, force), text);
    const char *name = arena_format(d->n->memory, "%s_preload", j->from.name);
    if (!status && !name) status = carom_error_memory(d->n->error);
    if (!status) status = draft_label(d, name, j->from.key);
    if (status) return status;
    friction->load[friction->loads++] = d->of[FORMULA_CONSTRAINT].count, friction->preload = true;
    return draft_append(d, FORMULA_CONSTRAINT, name, z, text);
}

/* ---- contacts that bear a pull */

carom_status draft_cling(draft *d, const contact_entry *entry, int contact, expr gap, const node *where) {
    graph *g = d->n->g;
    expr holds;
    if (!entry->adheres) return CAROM_OK;
    carom_status status = add_input(d, entry->def.name, 0, where, &holds);
    if (!status)
        status = draft_energy(d, FORMULA_POTENTIAL, expr_mul(g, expr_mul(g, entry->adhesion, holds), gap), where);
    const expr none = expr_number(g, 0), bound[LATCH_BOUNDS] = {entry->adhesion, none, none};
    return status ? status : add_latch(d, (carom_latch){.name = entry->def.name, .contact = contact}, bound);
}
