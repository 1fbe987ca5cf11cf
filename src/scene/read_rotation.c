/* Rotations: a quaternion, or turns one after the other, each about an axis of the frame that the ones before have
 * reached (D10). */
#include "error.h"
#include "read.h"

#include <string.h>

typedef struct turns {
    int count;
    vec axis[3];
    const node *angle[3];
} turns;

/* zxz, xyz, ...: three of x, y, z, no two neighbours the same. */
static carom_status euler_sequence(draft *d, const node *text, turns *t) {
    carom_status status = check_text(text, "a sequence of axes", d->n->error);
    if (status) return status;
    const char *s = text->text;
    if (strlen(s) != 3 || strspn(s, "xyz") != 3 || s[0] == s[1] || s[1] == s[2])
        return node_error(d->n->error, text,
                          "'%.20s' is no sequence of axes: three of x, y, z, neighbours different, such as zxz or zyx",
                          s);
    const mat world = mat_identity(d->n->g);
    for (t->count = 0; t->count < 3; t->count++) t->axis[t->count] = world.axis[s[t->count] - 'x'];
    return CAROM_OK;
}

static carom_status read_euler(draft *d, const node *map, turns *t) {
    const node *angles = yaml_find(map, "angles");
    carom_status status = euler_sequence(d, yaml_find(map, "euler"), t);
    if (status) return status;
    if (!angles || angles->kind != NODE_LIST || yaml_count(angles) != 3)
        return node_error(d->n->error, angles ? angles : map, "a rotation by 'euler' needs a list of three 'angles'");
    t->angle[0] = angles->first;
    for (int i = 1; i < 3; i++) t->angle[i] = t->angle[i - 1]->next;
    return CAROM_OK;
}

static carom_status read_turns(draft *d, const element *turn, turns *t) {
    *t = (turns){0};
    bool sequence = yaml_find(turn->value, "euler");
    carom_status status = read_keys(d, turn, "a rotation", "parts", sequence ? "euler" : "rotation");
    if (status || sequence) return status ? status : read_euler(d, turn->value, t);
    t->axis[0] = mat_identity(d->n->g).axis[2];
    t->angle[0] = yaml_find(turn->value, "angle");
    t->count = t->angle[0] != NULL;
    return read_direction(d, turn, "axis", &t->axis[0]);
}

/* p o q = (p_0 q_0 - v.w, p_0 w + q_0 v + v x w), v and w being the vector parts */
static void multiply(graph *g, expr p[4], const expr q[4]) {
    const vec v = {{p[1], p[2], p[3]}}, w = {{q[1], q[2], q[3]}};
    const vec along = vec_scale(g, p[0], w), across = vec_scale(g, q[0], v), both = vec_add(g, along, across);
    const vec sum = vec_add(g, both, vec_cross(g, v, w));
    const expr first = expr_mul(g, p[0], q[0]);
    p[0] = expr_sub(g, first, vec_dot(g, v, w));
    for (int i = 0; i < 3; i++) p[1 + i] = sum.at[i];
}

static carom_status turn_by_constants(draft *d, const element *turn, expr p[4]) {
    graph *g = d->n->g;
    turns t;
    carom_status status = read_turns(d, turn, &t);
    for (int i = 0; i < t.count && !status; i++) {
        expr angle;
        double now;
        status = names_constant(d->n, t.angle[i], &turn->index, &angle, &now);
        if (status) return status;
        const expr half = expr_scale(g, 0.5, angle), c = expr_unary(g, OP_COS, half);
        const vec along = vec_scale(g, expr_unary(g, OP_SIN, half), t.axis[i]);
        multiply(g, p, (expr[]){c, along.at[0], along.at[1], along.at[2]});
    }
    return status;
}

static carom_status unit_quaternion(draft *d, const node *at, expr p[4]) {
    static const char sentence[] = "a rotation needs a quaternion that is not zero";
    graph *g = d->n->g;
    expr square = expr_number(g, 0);
    for (int i = 0; i < 4; i++) square = expr_add(g, square, expr_mul(g, p[i], p[i]));
    if (!(expr_value(g, square, NULL) > 0)) return node_error(d->n->error, at, sentence);
    const expr length = expr_unary(g, OP_SQRT, square);
    for (int i = 0; i < 4; i++) p[i] = expr_div(g, p[i], length);
    return draft_demand(d, square, at, sentence);
}

carom_status read_rotation(draft *d, const element *e, const char *key, mat *A, expr p[4]) {
    const element turn = {e->name, e->key, yaml_find(e->value, key), e->index};
    graph *g = d->n->g;
    int count;
    carom_status status = CAROM_OK;
    for (int i = 0; i < 4; i++) p[i] = expr_number(g, i == 0);
    if (turn.value && turn.value->kind == NODE_MAP) status = turn_by_constants(d, &turn, p);
    else if (turn.value) status = read_constants(d, e, key, 4, 4, p, &count);
    if (turn.value && !status) status = unit_quaternion(d, turn.value, p);
    *A = mat_quaternion(g, p);
    return status;
}

carom_status read_turning(draft *d, const element *e, const char *key, mat *A) {
    const element turn = {e->name, e->key, yaml_find(e->value, key), e->index};
    graph *g = d->n->g;
    turns t;
    if (!turn.value || turn.value->kind != NODE_MAP) {
        expr p[4];
        return read_rotation(d, e, key, A, p);
    }
    carom_status status = read_turns(d, &turn, &t);
    *A = mat_identity(g);
    for (int i = 0; i < t.count && !status; i++) {
        expr angle;
        status = names_formula(d->n, t.angle[i], &turn.index, &angle);
        if (status) return status;
        mat next = mat_turn(g, t.axis[i], angle);
        *A = mat_product(g, A, &next);
    }
    return status;
}
