#include "along.h"

#include "model/formula/knots.h"

/* Where the distance is less convex along the axis than this share of that from a straight one, there is no nearest
 * place to follow (DA5). */
#define CONVEX 1e-3
/* Another place is nearer where half the square of its distance is less than that of the present one by this (DA6). */
#define NEARER 1e-6

static expr number(graph *g, double x) {
    return expr_number(g, x);
}

/* ---- the spline */

/* The natural spline of (k/n, 1), (others, 0), continued by its tangents. */
void along_weight(int nodes, int k, double *row, double *room) {
    double *x = room + 2 * nodes, *y = x + nodes;
    for (int i = 0; i < nodes; i++) x[i] = (double)i / (nodes - 1), y[i] = i == k;
    knots_fill(nodes, x, y, KNOTS_CUBIC, row, room);
    const double *last = row + (nodes - 1) * KNOT_ROW, h = 1.0 / (nodes - 1);
    row[KNOT_C1] = row[KNOT_ROW + KNOT_C1];
    row[nodes * KNOT_ROW + KNOT_C1] = last[KNOT_C1] + h * (2 * last[KNOT_C2] + 3 * h * last[KNOT_C3]);
}

typedef enum of_node { PLACE, VELOCITY, SPIN } of_node;

static vec vector_of(const pose *node, of_node what) {
    return what == PLACE ? node->r : what == VELOCITY ? node->v : node->w;
}

/* The sum over the nodes with the weights' coefficients of one power in interval n. */
static vec coefficient(graph *g, const along *a, expr n, int column, of_node what) {
    vec sum = vec_zero(g);
    for (int k = 0; k < a->nodes; k++) {
        const expr weight = expr_entry_of(g, a->weight[k], n, column);
        sum = vec_add(g, sum, vec_scale(g, weight, vector_of(&a->node[k], what)));
    }
    return sum;
}

typedef struct piece { /* the polynomial of interval n at off = s - s_n, and its derivative */
    vec value, slope;
} piece;

static piece interpolate(graph *g, const along *a, expr s, of_node what) {
    const expr n = expr_interval(g, a->weight[0], s), off = expr_sub(g, s, expr_entry_of(g, a->weight[0], n, KNOT_X));
    vec c[4];
    for (int i = 0; i < 4; i++) c[i] = coefficient(g, a, n, KNOT_C0 + i, what);
    piece p = {c[3], vec_scale(g, number(g, 3), c[3])};
    for (int i = 2; i >= 0; i--) {
        p.value = vec_add(g, c[i], vec_scale(g, off, p.value));
        if (i > 0) p.slope = vec_add(g, vec_scale(g, number(g, i), c[i]), vec_scale(g, off, p.slope));
    }
    return p;
}

/* How far s is beyond an end. Both are smooth where that changes the motion: they decide on nothing (DA2). */
static expr beyond(graph *g, expr s) {
    const expr zero = number(g, 0), over = expr_sub(g, s, number(g, 1));
    const expr before = graph_exempt(g, expr_binary(g, OP_MIN, s, zero));
    return expr_add(g, before, graph_exempt(g, expr_binary(g, OP_MAX, over, zero)));
}

static vec held(graph *g, const along *a, expr s, of_node what) {
    const piece p = interpolate(g, a, s, what);
    return vec_sub(g, p.value, vec_scale(g, beyond(g, s), p.slope));
}

along_axis along_axis_at(graph *g, const along *a, expr s) {
    const piece p = interpolate(g, a, s, PLACE);
    return (along_axis){p.value, p.slope};
}

pose along_section(graph *g, const along *a, expr s) {
    pose section = pose_world(g);
    section.r = held(g, a, s, PLACE), section.v = held(g, a, s, VELOCITY), section.w = held(g, a, s, SPIN);
    return section;
}

/* ---- the nearest place */

/* phi_ss, and whether there is a nearest place to follow */
static expr bend_of(graph *g, const along_axis *axis, const along_phi *phi, int symbol, expr *slope, expr *convex) {
    *slope = expr_derivative(g, phi->axis, symbol);
    const expr bend = expr_derivative(g, *slope, symbol), straight = vec_dot(g, axis->slope, axis->slope);
    *convex = graph_exempt(g, expr_binary(g, OP_LT, expr_scale(g, CONVEX, straight), bend));
    return bend;
}

expr along_rate(graph *g, const along_axis *axis, const along_phi *phi, int symbol, int symbols, const expr *rate,
                expr *gradient) {
    expr slope, convex, change = number(g, 0), zero = number(g, 0);
    const expr bend = bend_of(g, axis, phi, symbol, &slope, &convex);
    if (!expr_gradient(g, slope, 0, symbols, gradient)) return -1;
    for (int i = 0; i < symbols; i++)
        if (i != symbol && !expr_equals(g, gradient[i], 0))
            change = expr_add(g, change, expr_mul(g, gradient[i], rate[i]));
    return expr_if(g, convex, expr_neg(g, expr_div(g, change, bend)), zero);
}

/* The node nearest to the post, and half the square of its distance. */
static expr nearest_node(graph *g, const along *a, const along_phi *phi, expr *least) {
    expr at = number(g, 0);
    *least = phi->node[0];
    for (int k = 1; k < a->nodes; k++) {
        const expr nearer = graph_exempt(g, expr_binary(g, OP_LT, phi->node[k], *least));
        at = expr_if(g, nearer, number(g, (double)k / (a->nodes - 1)), at);
        *least = graph_exempt(g, expr_binary(g, OP_MIN, phi->node[k], *least));
    }
    return at;
}

/* Some node is nearer than the cross-section; and its place. */
static expr is_elsewhere(graph *g, const along *a, const along_phi *phi, expr *place) {
    expr least;
    *place = nearest_node(g, a, phi, &least);
    const expr bound = expr_scale(g, 1 - NEARER, phi->section);
    return graph_exempt(g, expr_binary(g, OP_LT, least, bound));
}

expr along_next(graph *g, const along *a, const along_axis *axis, const along_phi *phi, int symbol) {
    const double element = 1.0 / (a->nodes - 1);
    const expr s = expr_symbol(g, symbol), straight = vec_dot(g, axis->slope, axis->slope);
    expr slope, convex, other;
    const expr bend = bend_of(g, axis, phi, symbol, &slope, &convex);
    expr step = expr_neg(g, expr_div(g, slope, expr_if(g, convex, bend, straight)));
    step = graph_exempt(g, expr_binary(g, OP_MIN, step, number(g, element)));
    step = graph_exempt(g, expr_binary(g, OP_MAX, step, number(g, -element)));
    const expr leaves = is_elsewhere(g, a, phi, &other);
    return expr_if(g, leaves, other, expr_add(g, s, step));
}

expr along_known(graph *g, const along *a, const along_axis *axis, const along_phi *phi, int symbol) {
    expr slope, convex, other;
    bend_of(g, axis, phi, symbol, &slope, &convex);
    const expr leaves = is_elsewhere(g, a, phi, &other), zero = number(g, 0), one = number(g, 1);
    return expr_if(g, leaves, zero, expr_if(g, convex, one, zero));
}
