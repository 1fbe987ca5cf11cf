#include "pose.h"

pose pose_world(graph *g) {
    vec zero = vec_zero(g);
    return (pose){zero, zero, mat_identity(g), zero};
}

/* w = 1/2 sum_j e_j x e_j' over the axes e_j, which is A' A^T written out */
pose pose_moving(graph *g, vec r, const mat *A) {
    vec sum = vec_zero(g);
    for (int j = 0; j < 3; j++) sum = vec_add(g, sum, vec_cross(g, A->axis[j], vec_rate(g, A->axis[j])));
    vec v = vec_rate(g, r);
    return (pose){r, v, *A, vec_scale(g, expr_number(g, 0.5), sum)};
}

pose pose_fixed(graph *g, const pose *in, vec r, const mat *A) {
    vec arm = mat_times(g, &in->A, r), place = vec_add(g, in->r, arm);
    vec v = vec_add(g, in->v, vec_cross(g, in->w, arm));
    return (pose){place, v, mat_product(g, &in->A, A), in->w};
}

vec pose_velocity(graph *g, const pose *p, vec x) {
    return vec_add(g, p->v, vec_cross(g, p->w, vec_sub(g, x, p->r)));
}
