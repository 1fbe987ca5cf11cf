/* Joints: the coordinates between their markers, rows, drives, springs and limits.
 *
 * An angle in space is known up to full turns. Where a formula or a spring uses it, and no limits keep it within one,
 * the model has a coordinate that counts them (DJ7a). */
#include "error.h"
#include "read.h"
#include "read_joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_angle(const freedom *f) {
    return f->kind != JOINT_DISPLACEMENT && f->kind != JOINT_LENGTH;
}

/* ---- turns */

/* "hinge.angle" for the dot of hinge.angle in a formula, "hinge[].angle" for that of hinge[i+1].angle; NULL: out of
 * memory. */
static const char *mentioned_at(draft *d, const char *text, const char *dot) {
    const char *end = dot, *last = dot + 1;
    bool indexed = end > text && end[-1] == ']';
    for (int depth = 0; indexed && end > text; end--) {
        depth += (end[-1] == ']') - (end[-1] == '[');
        if (depth == 0) break;
    }
    if (indexed && end > text) end--;
    const char *first = end;
    while (first > text && in_name(first[-1])) first--;
    while (in_name(*last)) last++;
    return arena_format(d->n->memory, "%.*s%s%.*s", (int)(end - first), first, indexed ? "[]" : "", (int)(last - dot),
                        dot);
}

/* Every NAME.what that the formulas of a part of the scene mention, where what begins with "angle". */
static carom_status collect_mentions(draft *d, const node *part, table *found) {
    carom_status status = CAROM_OK;
    const char *dot = part->kind == NODE_TEXT ? part->text : NULL;
    while (!status && dot && (dot = strstr(dot, ".angle"))) {
        const char *name = mentioned_at(d, part->text, dot++);
        if (!name || (!table_find(found, name) && !table_add(d->n->memory, found, name, SYMBOL_CONTACT, part)))
            status = carom_error_memory(d->n->error);
    }
    for (const node *child = part->kind == NODE_TEXT ? NULL : part->first; child && !status; child = child->next)
        status = collect_mentions(d, child, found);
    return status;
}

/* Finds a joint by its name, or by the name of its family with an index. */
static carom_status is_mentioned(draft *d, const joint_entry *j, const freedom *f, const table *mentions, bool *is) {
    const char *key = j->from.key->text, *own = arena_format(d->n->memory, "%s.%s", j->from.name, f->name),
               *family = arena_format(d->n->memory, "%.*s[].%s", (int)strcspn(key, "["), key, f->name);
    if (!own || !family) return carom_error_memory(d->n->error);
    *is = table_find(mentions, own) || table_find(mentions, family);
    return CAROM_OK;
}

static carom_status list_anchor(draft *d, joint_entry *j, coordinate *c, const table *mentions) {
    const char *limits = joint_key(d, "limits", c->of), *spring = joint_key(d, "spring", c->of);
    bool counted = false;
    if (!limits || !spring) return carom_error_memory(d->n->error);
    carom_status status = is_mentioned(d, j, c->of, mentions, &counted);
    const char *name = arena_format(d->n->memory, "%s.%s", j->from.name, c->of->name);
    if (!name) return carom_error_memory(d->n->error);
    counted = counted || yaml_find(j->from.value, spring) || draft_is_asked(d, name);
    c->anchor = -1;
    if (status || !counted || !is_angle(c->of) || !joint_is_spatial(d, j) || yaml_find(j->from.value, limits))
        return status;
    c->anchor = d->nq++;
    d->anchors++;
    return CAROM_OK;
}

carom_status draft_list_joints(draft *d) {
    elements list = {0};
    table mentions = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "joints"), "joints", false, &list);
    if (!status && list.count) status = collect_mentions(d, d->model, &mentions);
    if (status) return status;
    d->joints = zeros(d, list.count, sizeof *d->joints);
    if (!d->joints) return carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) {
        joint_entry *j = &d->joints[d->joint_count++];
        j->from = list.at[i];
        status = draft_label(d, j->from.name, j->from.key);
        if (!status) status = read_joint(d, j);
        if (!status) draft_list_slacks(d, j);
        for (int k = 0; !status && k < j->type->count; k++) {
            j->free[k].of = &j->type->free[k];
            status = list_anchor(d, j, &j->free[k], &mentions);
        }
    }
    d->anchor = zeros(d, d->anchors, sizeof *d->anchor);
    return status || d->anchor ? status : carom_error_memory(d->n->error);
}

/* Declares NAME.what as a symbol. */
static carom_status add_symbol(draft *d, const joint_entry *j, const char *what, const char *suffix, symbol_kind kind,
                               expr value, symbol **added) {
    const char *name = arena_format(d->n->memory, "%s.%s%s", j->from.name, what, suffix);
    if (name && table_find(&d->n->symbols, name))
        return node_error(d->n->error, j->from.key, "the name '%s' is taken", name);
    symbol *s = name ? table_add(d->n->memory, &d->n->symbols, name, kind, j->from.key) : NULL;
    if (!s || value < 0) return carom_error_memory(d->n->error);
    s->state = SYMBOL_KNOWN, s->value = value;
    *added = s;
    return CAROM_OK;
}

/* Adds a coordinate that keeps its value, except for what it is set to after every step. */
static carom_status declare_anchor(draft *d, const joint_entry *j, coordinate *c) {
    const char *suffix = c->of->kind == JOINT_SECOND_ANGLE ? "2" : "";
    symbol *s;
    int at = d->of[FORMULA_ANCHOR].count;
    expr here = expr_symbol(d->n->g, 1 + c->anchor);
    carom_status status = add_symbol(d, j, "turned", suffix, SYMBOL_COORDINATE, here, &s);
    if (status) return status;
    s->id = c->anchor, s->unit = "rad";
    d->q_names[c->anchor] = s->name;
    d->start_of[1 + c->anchor] = c->offset;
    d->q0[c->anchor] = expr_value(d->n->g, c->offset, NULL);
    d->anchor[at] = c->anchor;
    status = add_symbol(d, j, "turned_dot", suffix, SYMBOL_RATE, expr_number(d->n->g, 0), &d->rate[c->anchor]);
    c->value = joint_counted(d->n->g, &j->joint, c->of->kind, c->offset, here);
    return status ? status : draft_append(d, FORMULA_ANCHOR, s->name, c->value, j->from.key);
}

/* ---- coordinates */

static carom_status read_limits(draft *d, const joint_entry *j, coordinate *c) {
    const char *key = joint_key(d, "limits", c->of);
    if (!key) return carom_error_memory(d->n->error);
    const node *list = yaml_find(j->from.value, key);
    static const char turn[] = "limits of an angle in space must be less than a turn apart";
    graph *g = d->n->g;
    char order[96];
    int count;
    carom_status status = read_constants(d, &j->from, key, 2, 2, c->limit, &count);
    c->limited = count > 0;
    if (status || !count) return status;
    const expr width = expr_sub(g, c->limit[1], c->limit[0]), left = expr_sub(g, expr_number(g, 2 * M_PI), width);
    const double now = expr_value(g, width, NULL);
    snprintf(order, sizeof order, "the limits of '%.60s' must ascend", j->from.name);
    if (!(now > 0)) return node_error(d->n->error, list, "%s", order);
    status = draft_demand(d, width, list, order);
    if (status || !is_angle(c->of) || j->joint.turn >= 0) return status;
    return now < 2 * M_PI ? draft_demand(d, left, list, turn) : node_error(d->n->error, list, turn);
}

/* Complains of a key that has no meaning without another key. */
static carom_status check_orphans(draft *d, const joint_entry *j, const char *rest, const char *spring) {
    const node *keys = j->from.value, *restitution = yaml_find(keys, "restitution");
    if (yaml_find(keys, rest) && !yaml_find(keys, spring))
        return node_error(d->n->error, yaml_find(keys, rest), "'%s' of joint '%s' needs a '%s'", rest, j->from.name,
                          spring);
    if (restitution && !yaml_find(keys, "limits") && !yaml_find(keys, "limits2"))
        return node_error(d->n->error, restitution, "'restitution' of joint '%s' needs 'limits'", j->from.name);
    return CAROM_OK;
}

static carom_status declare_coordinate(draft *d, joint_entry *j, coordinate *c) {
    const freedom *f = c->of;
    const element *e = &j->from;
    const char *rest = joint_key(d, "rest", f), *offset = joint_key(d, "offset", f),
               *spring = joint_key(d, "spring", f);
    char rate[32];
    if (!rest || !offset || !spring) return carom_error_memory(d->n->error);
    c->offset = expr_number(d->n->g, 0);
    carom_status status = check_orphans(d, j, rest, spring);
    if (!status) status = read_limits(d, j, c);
    if (!status) status = read_constant(d, e, offset, &c->offset);
    if (!status) status = read_formula(d, e, rest, &c->rest);
    if (status) return status;
    expr centre = c->offset;
    if (c->limited) centre = expr_scale(d->n->g, 0.5, expr_add(d->n->g, c->limit[0], c->limit[1]));
    if (c->anchor >= 0) status = declare_anchor(d, j, c);
    else c->value = joint_coordinate(d->n->g, &j->joint, f->kind, c->offset, centre);
    if (status) return status;
    c->rate = joint_rate(d->n->g, &j->joint, f->kind);
    snprintf(rate, sizeof rate, "%s_rate", f->name);
    status = draft_define(d, e, f->name, c->value, is_angle(f) ? "rad" : "m");
    return status ? status : draft_define(d, e, rate, c->rate, is_angle(f) ? "rad/s" : "m/s");
}

carom_status draft_declare_joints(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->joint_count && !status; i++) {
        joint_entry *j = &d->joints[i];
        status = place_joint(d, j);
        for (int k = 0; !status && k < j->type->count; k++) status = declare_coordinate(d, j, &j->free[k]);
    }
    return status;
}

/* ---- rows */

/* A row under the name of the joint with an end: "hinge1", "link3_1", "hinge_drive". */
static carom_status add_row(draft *d, const joint_entry *j, formula_part part, const char *end, expr row,
                            const node *where) {
    const char *name = arena_format(d->n->memory, "%s%s", j->from.name, end);
    if (!name) return carom_error_memory(d->n->error);
    if (table_find(&d->labels, name))
        return node_error(d->n->error, j->from.key, "joint '%s' has a row '%s', and something else has this name",
                          j->from.name, name);
    carom_status status = draft_label(d, name, j->from.key);
    return status ? status : draft_append_owned(d, part, j->from.name, name, row, where);
}

/* Leaves out rows that are zero whatever moves (those across the plane). *forces: how many of the rows hold points
 * together; these come first. */
static carom_status add_rows(draft *d, const joint_entry *j, int *forces) {
    expr row[JOINT_ROWS];
    int count = joint_rows(d->n->g, &j->joint, row), kept = 0;
    *forces = 0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        double value;
        char end[16];
        if (row[i] >= 0 && expr_is_number(d->n->g, row[i], &value)) {
            if (fabs(value) > 1e-8) /* what typing eight digits can leave */
                return node_error(d->n->error, j->from.key,
                                  "joint '%s' can not be closed in the plane: it is off by %g", j->from.name, value);
            continue;
        }
        *forces += i < joint_forces(&j->joint);
        snprintf(end, sizeof end, j->from.index.name ? "_%d" : "%d", ++kept);
        status = add_row(d, j, FORMULA_CONSTRAINT, end, row[i], j->from.key);
    }
    return status;
}

/* ---- drives: a motion or a speed that is prescribed */

/* Coordinates count from the start, so a drive must begin at zero; otherwise an angle could start half a turn away,
 * where sin(angle - f) = 0 as well. A length that does not fit is reported with all other constraints. */
static carom_status check_start(draft *d, const joint_entry *j, const coordinate *c, expr formula, const node *where) {
    double value, wanted;
    carom_status status = draft_start_look(d, c->value, &value);
    if (!status) status = draft_start_look(d, formula, &wanted);
    if (status) return status;
    if (c->of->kind == JOINT_LENGTH && !(wanted > 0))
        return node_error(d->n->error, where, "the length of '%s' must be positive, it is %g", j->from.name, wanted);
    bool wraps = is_angle(c->of) && j->joint.turn < 0;
    double off = wraps ? remainder(value - wanted, 2 * M_PI) : value - wanted;
    if (c->of->kind == JOINT_LENGTH || fabs(off) <= 1e-8) return CAROM_OK; /* what typing eight digits can leave */
    return node_error(d->n->error, where, "'%s.%s' starts at %g, not at %g: give '%s: %g' or move the bodies",
                      j->from.name, c->of->name, value, wanted, joint_key(d, "offset", c->of),
                      expr_value(d->n->g, c->offset, NULL) - off);
}

/* A distance keeps its value at the start, unless a length is given or limits alone are. */
static carom_status add_motion(draft *d, const joint_entry *j, const coordinate *c) {
    expr formula;
    char end[16];
    const node *text = yaml_find(j->from.value, c->of->name), *where = text ? text : j->from.key;
    bool rod = c->of->kind == JOINT_LENGTH;
    carom_status status = read_formula(d, &j->from, c->of->name, &formula);
    if (!status && formula < 0 && rod && !c->limited) {
        double length;
        status = draft_start_look(d, c->value, &length);
        if (!status && !(length > 0))
            return node_error(d->n->error, where,
                              "the points of '%s' coincide, give its 'length' or use a spherical joint", j->from.name);
        if (!status) status = draft_start_value(d, c->value, &formula);
    }
    if (status || formula < 0) return status;
    status = check_start(d, j, c, formula, where);
    expr row = joint_drive_row(d->n->g, &j->joint, c->of->kind, c->offset, formula);
    if (rod) snprintf(end, sizeof end, j->from.index.name ? "_1" : "1");
    else snprintf(end, sizeof end, "_drive%s", c->of->suffix);
    return status ? status : add_row(d, j, FORMULA_CONSTRAINT, end, row, where);
}

static carom_status add_speed(draft *d, const joint_entry *j, const coordinate *c) {
    const char *key = joint_key(d, "speed", c->of);
    if (!key) return carom_error_memory(d->n->error);
    const node *text = yaml_find(j->from.value, key);
    expr formula;
    char end[16];
    carom_status status = read_formula(d, &j->from, key, &formula);
    if (status || formula < 0) return status;
    if (yaml_find(j->from.value, c->of->name))
        return node_error(d->n->error, text, "joint '%s' has '%s' and '%s', one follows from the other", j->from.name,
                          c->of->name, key);
    snprintf(end, sizeof end, "_speed%s", c->of->suffix);
    return add_row(d, j, FORMULA_VELOCITY_CONSTRAINT, end, expr_sub(d->n->g, c->rate, formula), text);
}

/* ---- motors, springs, dampers, limits */

/* If a length is 0, the direction of a spring, damper or force (the given key) is unknown. */
static carom_status check_length(draft *d, const joint_entry *j, const coordinate *c, const char *what,
                                 const char *key) {
    const node *where = key ? yaml_find(j->from.value, key) : NULL;
    double start = 1;
    carom_status status = where && c->of->kind == JOINT_LENGTH ? draft_start_look(d, c->value, &start) : CAROM_OK;
    if (status || start > 0) return status;
    return node_error(d->n->error, where, "the %s of joint '%s' has length 0 at the start, where it has no direction",
                      what, j->from.name);
}

static carom_status add_motor(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    expr formula, back = expr_number(g, -1);
    carom_status status = check_length(d, j, c, "force", c->of->load);
    if (!status) status = read_formula(d, &j->from, c->of->load, &formula);
    if (status || formula < 0) return status;
    const node *where = yaml_find(j->from.value, c->of->load);
    joint_load l = joint_drive(g, &j->joint, c->of->kind, formula);
    status = draft_push(d, j->member[1], l.at_b, l.force, where);
    if (!status) status = draft_twist(d, j->member[1], l.torque, where);
    if (!status) status = draft_push(d, j->member[0], l.at_a, vec_scale(g, back, l.force), where);
    return status ? status : draft_twist(d, j->member[0], vec_scale(g, back, l.torque), where);
}

/* factor/2 x^2 */
static carom_status add_square(draft *d, const joint_entry *j, formula_part part, const char *key, expr x) {
    graph *g = d->n->g;
    expr factor;
    carom_status status = key ? read_formula(d, &j->from, key, &factor) : carom_error_memory(d->n->error);
    if (status || factor < 0) return status;
    char what[40];
    snprintf(what, sizeof what, "the %.30s", key);
    if (expr_rank_of(g, factor) >= RANK_PARAMETER)
        status = draft_not_negative(d, factor, yaml_find(j->from.value, key), what);
    if (status) return status;
    expr half = expr_mul(g, expr_number(g, 0.5), factor);
    return draft_energy(d, part, expr_mul(g, half, expr_mul(g, x, x)), yaml_find(j->from.value, key));
}

static carom_status add_spring(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    expr start = expr_number(g, 0); /* angles and ways are counted from the start, lengths are not */
    carom_status status = c->of->kind == JOINT_LENGTH ? draft_start_value(d, c->value, &start) : CAROM_OK;
    if (!status) status = check_length(d, j, c, "spring", joint_key(d, "spring", c->of));
    if (!status) status = check_length(d, j, c, "damper", joint_key(d, "damper", c->of));
    expr rest = c->rest < 0 ? start : c->rest;
    expr stretch = expr_sub(g, c->value, rest);
    if (!status) status = add_square(d, j, FORMULA_POTENTIAL, joint_key(d, "spring", c->of), stretch);
    return status ? status : add_square(d, j, FORMULA_DISSIPATION, joint_key(d, "damper", c->of), c->rate);
}

/* A length is never below zero. So a rope whose limits begin at zero has no contact at that end. */
static carom_status add_limits(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    carom_status status = CAROM_OK;
    const node *where = c->limited ? yaml_find(j->from.value, joint_key(d, "limits", c->of)) : NULL;
    double least = 1;
    const void *outer = graph_fix_for(g, where);
    if (c->limited && c->of->kind == JOINT_LENGTH && !expr_is_number(g, c->limit[0], &least))
        least = expr_value(g, c->limit[0], NULL);
    if (!(least > 0)) expr_fix(g, c->limit[0], &least);
    graph_fix_for(g, outer);
    const bool slack = !(least > 0);
    for (int high = slack; high < 2 && c->limited && !status; high++) {
        contact_entry contact = {
            .def.name = arena_format(d->n->memory, "%s_%s%s", j->from.name, high ? "high" : "low", c->of->suffix)};
        if (!contact.def.name) return carom_error_memory(d->n->error);
        expr gap = high ? expr_sub(g, c->limit[1], c->value) : expr_sub(g, c->value, c->limit[0]);
        status = draft_joint_stop(d, &j->from, &contact);
        if (!status)
            status = draft_contact(d, &contact, gap, where, NULL, NULL, j->from.key, is_angle(c->of) ? "rad" : "m");
    }
    return status;
}

/* Dry friction, (L20), pressed by the forces that keep the points of the joint together: rows from first on. */
static carom_status add_friction(draft *d, const joint_entry *j, int first, int forces) {
    const node *text = yaml_find(j->from.value, "friction"), *size = yaml_find(j->from.value, "radius");
    contact_entry entry = {.def.loads = forces};
    expr radius = -1, slip[3];
    if (!text && yaml_find(j->from.value, "preload"))
        return node_error(d->n->error, yaml_find(j->from.value, "preload"), "joint '%s' has a preload but no friction",
                          j->from.name);
    if (!text && !size) return CAROM_OK;
    if (!text) return node_error(d->n->error, size, "joint '%s' has a radius but no friction", j->from.name);
    if (!size && j->joint.kind != JOINT_PRISMATIC)
        return node_error(d->n->error, text, "friction in joint '%s' needs the 'radius' on which it acts",
                          j->from.name);
    carom_status status = size ? draft_scale(d, &j->from, "radius", size, &radius) : CAROM_OK;
    if (!status) status = draft_joint_friction(d, &j->from, &entry);
    if (status || expr_equals(d->n->g, entry.coefficient[0], 0)) return status;
    for (int i = 0; i < forces; i++) entry.def.load[i] = first + i;
    status = draft_preload(d, j, &entry.def);
    if (status) return status;
    entry.def.slips = joint_slips(d->n->g, &j->joint, radius, slip);
    entry.def.name = arena_format(d->n->memory, "%s_friction", j->from.name);
    if (!entry.def.name) return carom_error_memory(d->n->error);
    return draft_follower(d, &entry, slip, text, j->from.key, "m");
}

/* A distance is a line between its ends; other joints, but fixed ones, a point and their axis. */
static carom_status draw_joint(draft *d, const joint_entry *j) {
    const joint *of = &j->joint;
    if (of->kind == JOINT_DISTANCE)
        return draft_draw_points(d, &(drawn){.kind = DRAWN_LINE, .name = j->from.name, .count = 2},
                                 (vec[2]){of->a.r, of->b.r});
    if (of->kind == JOINT_FIXED) return CAROM_OK;
    return draft_draw_points(d, &(drawn){.kind = DRAWN_JOINT, .name = j->from.name, .count = 2},
                             (vec[2]){of->b.r, j->type->axis ? of->a.A.axis[2] : vec_zero(d->n->g)});
}

carom_status draft_add_joints(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->joint_count && !status; i++) {
        const joint_entry *j = &d->joints[i];
        draft_begin_element(d);
        const int first = d->of[FORMULA_CONSTRAINT].count;
        int forces;
        status = add_rows(d, j, &forces);
        if (!status) status = add_friction(d, j, first, forces);
        if (!status) status = draw_joint(d, j);
        for (int k = 0; k < j->type->count && !status; k++) {
            const coordinate *c = &j->free[k];
            status = add_motion(d, j, c);
            if (!status) status = add_speed(d, j, c);
            if (!status) status = add_motor(d, j, c);
            if (!status) status = add_spring(d, j, c);
            if (!status) status = add_limits(d, j, c);
        }
        if (!status) status = draft_break(d, j, first, j->joint.kind == JOINT_DISTANCE ? 1 : forces);
        draft_end_element(d);
    }
    return status;
}
