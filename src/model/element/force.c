#include "force.h"

span span_between(graph *g, const pose *const on[2], const vec end[2]) {
    span s;
    vec v[2];
    for (int i = 0; i < 2; i++) {
        s.x[i] = vec_add(g, on[i]->r, mat_times(g, &on[i]->A, end[i]));
        v[i] = pose_velocity(g, on[i], s.x[i]);
    }
    vec d = vec_sub(g, s.x[1], s.x[0]);
    s.length = vec_norm(g, d);
    s.n = vec_direction(g, d);
    s.rate = vec_dot(g, s.n, vec_sub(g, v[1], v[0]));
    return s;
}

static expr half_square(graph *g, expr factor, expr x) {
    const expr half = expr_scale(g, 0.5, factor);
    return expr_mul(g, half, expr_mul(g, x, x));
}

expr spring_potential(graph *g, const span *s, expr stiffness, expr length) {
    return half_square(g, stiffness, expr_sub(g, s->length, length));
}

expr spring_dissipation(graph *g, const span *s, expr damping) {
    return half_square(g, damping, s->rate);
}

vec span_pull(graph *g, const span *s, expr tension, int i) {
    return vec_scale(g, i ? expr_neg(g, tension) : tension, s->n);
}
