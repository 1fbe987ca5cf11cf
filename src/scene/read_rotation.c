/* Rotations: a quaternion, or turns one after the other, each about an axis of the frame that the ones before have
 * reached (D10). */
#include "error.h"
#include "model/space.h"
#include "read.h"

#include <math.h>
#include <string.h>

typedef struct turns {
    int count;
    double axis[3][3];
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
    for (t->count = 0; t->count < 3; t->count++) t->axis[t->count][s[t->count] - 'x'] = 1;
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
    t->axis[0][2] = 1;
    t->angle[0] = yaml_find(turn->value, "angle");
    t->count = t->angle[0] != NULL;
    return read_direction(d, turn, "axis", t->axis[0]);
}

/* p o q */
static void multiply(double p[4], const double q[4]) {
    double r[4] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]};
    for (int i = 1; i < 4; i++) {
        int j = i % 3 + 1, k = j % 3 + 1;
        r[i] = p[0] * q[i] + q[0] * p[i] + p[j] * q[k] - p[k] * q[j];
    }
    memcpy(p, r, sizeof r);
}

static carom_status turn_by_numbers(draft *d, const element *turn, double p[4]) {
    turns t;
    carom_status status = read_turns(d, turn, &t);
    for (int i = 0; i < t.count && !status; i++) {
        double angle;
        status = names_number(d->n, t.angle[i], &turn->index, &angle);
        if (status) return status;
        double s = sin(angle / 2), *n = t.axis[i];
        multiply(p, (double[]){cos(angle / 2), s * n[0], s * n[1], s * n[2]});
    }
    return status;
}

static carom_status unit_quaternion(draft *d, const node *at, double p[4]) {
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(length > 0)) return node_error(d->n->error, at, "a rotation needs a quaternion that is not zero");
    for (int i = 0; i < 4; i++) p[i] /= length;
    return CAROM_OK;
}

carom_status read_rotation(draft *d, const element *e, const char *key, double A[3][3], double p[4]) {
    const element turn = {e->name, e->key, yaml_find(e->value, key), e->index};
    int count;
    carom_status status = CAROM_OK;
    p[0] = 1, p[1] = p[2] = p[3] = 0;
    if (turn.value && turn.value->kind == NODE_MAP) status = turn_by_numbers(d, &turn, p);
    else if (turn.value) status = read_numbers(d, e, key, 4, 4, p, &count);
    if (turn.value && !status) status = unit_quaternion(d, turn.value, p);
    space_rotation(p, A);
    return status;
}

carom_status read_turning(draft *d, const element *e, const char *key, mat *A) {
    const element turn = {e->name, e->key, yaml_find(e->value, key), e->index};
    graph *g = d->n->g;
    turns t;
    if (!turn.value || turn.value->kind != NODE_MAP) {
        double fixed[3][3], p[4];
        carom_status status = read_rotation(d, e, key, fixed, p);
        *A = mat_number(g, fixed);
        return status;
    }
    carom_status status = read_turns(d, &turn, &t);
    *A = mat_identity(g);
    for (int i = 0; i < t.count && !status; i++) {
        expr angle;
        status = names_formula(d->n, t.angle[i], &turn.index, &angle);
        if (status) return status;
        mat next = mat_turn(g, vec_number(g, t.axis[i]), angle);
        *A = mat_product(g, A, &next);
    }
    return status;
}
