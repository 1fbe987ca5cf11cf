#include "vec.h"

#include <stddef.h>

vec vec_number(graph *g, const double x[3]) {
    vec a;
    for (int i = 0; i < 3; i++) a.at[i] = expr_number(g, x[i]);
    return a;
}

vec vec_zero(graph *g) {
    return vec_number(g, (double[3]){0, 0, 0});
}

vec vec_add(graph *g, vec a, vec b) {
    vec c;
    for (int i = 0; i < 3; i++) c.at[i] = expr_add(g, a.at[i], b.at[i]);
    return c;
}

vec vec_sub(graph *g, vec a, vec b) {
    vec c;
    for (int i = 0; i < 3; i++) c.at[i] = expr_sub(g, a.at[i], b.at[i]);
    return c;
}

vec vec_scale(graph *g, expr s, vec a) {
    vec c;
    for (int i = 0; i < 3; i++) c.at[i] = expr_mul(g, s, a.at[i]);
    return c;
}

vec vec_cross(graph *g, vec a, vec b) {
    vec c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr forth = expr_mul(g, a.at[j], b.at[k]), back = expr_mul(g, a.at[k], b.at[j]);
        c.at[i] = expr_sub(g, forth, back);
    }
    return c;
}

expr vec_dot(graph *g, vec a, vec b) {
    expr sum = expr_mul(g, a.at[0], b.at[0]);
    for (int i = 1; i < 3; i++) sum = expr_add(g, sum, expr_mul(g, a.at[i], b.at[i]));
    return sum;
}

expr vec_norm(graph *g, vec a) {
    return expr_unary(g, OP_SQRT, vec_dot(g, a, a));
}

vec vec_direction(graph *g, vec a) {
    expr length = expr_not_zero(g, vec_norm(g, a)), one = expr_number(g, 1);
    return vec_scale(g, expr_div(g, one, length), a);
}

vec vec_unit(graph *g, vec a) {
    const expr length = vec_norm(g, a);
    vec n;
    for (int i = 0; i < 3; i++) n.at[i] = expr_div(g, a.at[i], length);
    return n;
}

void vec_now(graph *g, vec a, double x[3]) {
    for (int i = 0; i < 3; i++) x[i] = expr_value(g, a.at[i], NULL);
}

vec vec_rate(graph *g, vec a) {
    vec rate;
    for (int i = 0; i < 3; i++) rate.at[i] = expr_derivative(g, a.at[i], 0);
    return rate;
}

mat mat_number(graph *g, const double A[3][3]) {
    mat m;
    for (int j = 0; j < 3; j++) m.axis[j] = vec_number(g, (double[3]){A[0][j], A[1][j], A[2][j]});
    return m;
}

mat mat_identity(graph *g) {
    return mat_number(g, (const double[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
}

vec mat_times(graph *g, const mat *A, vec x) {
    vec y = vec_scale(g, x.at[0], A->axis[0]);
    y = vec_add(g, y, vec_scale(g, x.at[1], A->axis[1]));
    return vec_add(g, y, vec_scale(g, x.at[2], A->axis[2]));
}

vec mat_transposed_times(graph *g, const mat *A, vec x) {
    vec y;
    for (int j = 0; j < 3; j++) y.at[j] = vec_dot(g, A->axis[j], x);
    return y;
}

mat mat_product(graph *g, const mat *A, const mat *B) {
    mat C;
    for (int j = 0; j < 3; j++) C.axis[j] = mat_times(g, A, B->axis[j]);
    return C;
}

mat mat_axes(graph *g, vec z, vec x) {
    const vec first = vec_unit(g, vec_sub(g, x, vec_scale(g, vec_dot(g, x, z), z)));
    return (mat){{first, vec_cross(g, z, first), z}};
}

mat mat_about(graph *g, vec z) {
    const expr limit = expr_number(g, 0.9), far = expr_binary(g, OP_LT, expr_unary(g, OP_ABS, z.at[0]), limit);
    const expr near = expr_sub(g, expr_number(g, 1), far);
    return mat_axes(g, z, (vec){{far, near, expr_number(g, 0)}});
}

/* n (n . x) + (x - n (n . x)) cos + (n x x) sin for the axes x of the world */
mat mat_turn(graph *g, vec axis, expr angle) {
    expr c = expr_unary(g, OP_COS, angle), s = expr_unary(g, OP_SIN, angle);
    mat world = mat_identity(g), A;
    for (int j = 0; j < 3; j++) {
        vec x = world.axis[j];
        vec along = vec_scale(g, vec_dot(g, axis, x), axis), across = vec_scale(g, c, vec_sub(g, x, along));
        vec aside = vec_scale(g, s, vec_cross(g, axis, x));
        A.axis[j] = vec_add(g, along, vec_add(g, across, aside));
    }
    return A;
}

/* A = I + 2/|p|^2 (p_0 v^ + v^ v^), v the vector part (D1) */
mat mat_quaternion(graph *g, const expr p[4]) {
    vec v = {{p[1], p[2], p[3]}};
    expr first = expr_mul(g, p[0], p[0]), square = expr_add(g, first, vec_dot(g, v, v));
    expr twice = expr_div(g, expr_number(g, 2), square);
    mat world = mat_identity(g), A;
    for (int j = 0; j < 3; j++) {
        vec x = world.axis[j], turned = vec_cross(g, v, x), again = vec_cross(g, v, turned);
        vec change = vec_add(g, vec_scale(g, p[0], turned), again);
        A.axis[j] = vec_add(g, x, vec_scale(g, twice, change));
    }
    return A;
}

static expr diagonal(const mat *A, int i) {
    return A->axis[i].at[i];
}

/* 4 p_0 p_k and 4 p_j p_k from the entries beside the diagonal; numbers of components from 0 on. */
static expr product_of(graph *g, const mat *A, int j, int k) {
    if (j > k) return product_of(g, A, k, j);
    const int a = k - 1, b = j ? j - 1 : k % 3, c = (k + 1) % 3;
    return j ? expr_add(g, A->axis[a].at[b], A->axis[b].at[a]) : expr_sub(g, A->axis[b].at[c], A->axis[c].at[b]);
}

/* 4 p_k^2 - 1 */
static expr square_of(graph *g, const mat *A, int k) {
    expr sum = diagonal(A, 0);
    if (k > 1) sum = expr_neg(g, sum);
    for (int i = 1; i < 3; i++)
        sum = k == 0 || k == i + 1 ? expr_add(g, sum, diagonal(A, i)) : expr_sub(g, sum, diagonal(A, i));
    return sum;
}

void mat_to_quaternion(graph *g, const mat *A, expr p[4]) {
    expr largest = square_of(g, A, 0);
    for (int k = 0; k < 4; k++) {
        const expr square = square_of(g, A, k), larger = expr_binary(g, OP_LT, largest, square);
        const expr root = expr_unary(g, OP_SQRT, expr_add(g, expr_number(g, 1), square)),
                   twice = expr_scale(g, 2, root);
        for (int j = 0; j < 4; j++) {
            const expr own = j == k ? expr_scale(g, 0.5, root) : expr_div(g, product_of(g, A, j, k), twice);
            p[j] = k == 0 ? own : expr_if(g, larger, own, p[j]);
        }
        largest = expr_if(g, larger, square, largest);
    }
}
