#include "model/forward.h"

#define BASE const carom_model_def *d = &forward_base(context)->def

static int kinematics(void *context, double t, const double *q, const double *u, double *q_dot, double *B,
                      double *q_dot_q) {
    BASE;
    return d->kinematics(d->context, t, q, u, q_dot, B, q_dot_q);
}
static int anchor(void *context, double t, const double *q, double *values) {
    BASE;
    return d->anchor(d->context, t, q, values);
}
static int mass(void *context, double t, const double *q, double *M) {
    BASE;
    return d->mass(d->context, t, q, M);
}
static int mass_q(void *context, double t, const double *q, const double *v, double *Mv_q) {
    BASE;
    return d->mass_q(d->context, t, q, v, Mv_q);
}
static int force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    BASE;
    return d->force(d->context, t, q, u, h, h_q, h_u);
}
static int momentum(void *context, double t, const double *q, const double *u, double *p, double *p_q, double *b,
                    double *b_q, double *b_u) {
    BASE;
    return d->momentum(d->context, t, q, u, p, p_q, b, b_q, b_u);
}
static int position(void *context, double t, const double *q, double *c, double *c_q) {
    BASE;
    return d->position(d->context, t, q, c, c_q);
}
static int velocity(void *context, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    BASE;
    return d->velocity(d->context, t, q, u, s, WT, s_q);
}
static int velocity_rate(void *context, double t, const double *q, const double *u, double *zeta) {
    BASE;
    return d->velocity_rate(d->context, t, q, u, zeta);
}
static int direction_q(void *context, double t, const double *q, const double *r, double *Wr_q) {
    BASE;
    return d->direction_q(d->context, t, q, r, Wr_q);
}
static int displacement(void *context, double t, const double *q, double *d_, double *d_q) {
    BASE;
    return d->displacement(d->context, t, q, d_, d_q);
}
static int slip_scale(void *context, double t, const double *q, double *scale) {
    BASE;
    return d->slip_scale(d->context, t, q, scale);
}
static int friction(void *context, int contact, double t, const double *q, double speed, const double *along,
                    double *mu, double *mu_slip, double *mu_q) {
    BASE;
    return d->friction(d->context, contact, t, q, speed, along, mu, mu_slip, mu_q);
}
static int restitution(void *context, const double *speed, double *e) {
    BASE;
    return d->restitution(d->context, speed, e);
}
static int energy(void *context, double t, const double *q, const double *u, double *T, double *V) {
    BASE;
    return d->energy(d->context, t, q, u, T, V);
}
static int power(void *context, double t, const double *q, const double *u, double *power, double *G) {
    BASE;
    return d->power(d->context, t, q, u, power, G);
}
static int symmetry(void *context, double t, const double *q, double *xi) {
    BASE;
    return d->symmetry(d->context, t, q, xi);
}
static int observe(void *context, double t, const double *q, const double *u, double *values) {
    BASE;
    return d->observe(d->context, t, q, u, values);
}
static int support(void *context, double t, const double *q, const double *u, double *v) {
    BASE;
    return d->support(d->context, t, q, u, v);
}
static int switching(void *context, double t, const double *q, const double *u, double *a) {
    BASE;
    return d->switching(d->context, t, q, u, a);
}
static void take_sides(void *context, const int *side) {
    BASE;
    d->take_sides(d->context, side);
}
static int assign(void *context, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact) {
    BASE;
    return d->assign(d->context, parameter, input, q0, u0, contact);
}
static int bear(void *context, carom_latch *latch) {
    BASE;
    return d->bear(d->context, latch);
}
static int ranges(void *context, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate) {
    BASE;
    return d->ranges(d->context, t, q, q_rate, u, u_rate, c, c_rate, a, a_rate);
}
static int row(void *context, int row, double t, const double *q, double *c) {
    const carom_model *base = forward_base(context);
    return base->row(base->def.context, row, t, q, c);
}
static int row_range(void *context, int row, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                     carom_range *c, carom_range *c_rate) {
    const carom_model *base = forward_base(context);
    return base->row_range(base->def.context, row, t, q, q_rate, c, c_rate);
}

static const double *found_numbers(const void *context) {
    const carom_model *base = forward_base(context);
    return base->found_numbers(base->def.context);
}

#define FORWARD(of, function)                                                                                          \
    if ((of)->function) (of)->function = function

void forward_all(carom_model *model) {
    carom_model_def *d = &model->def;
    FORWARD(d, kinematics);
    FORWARD(d, anchor);
    FORWARD(d, mass);
    FORWARD(d, mass_q);
    FORWARD(d, force);
    FORWARD(d, momentum);
    FORWARD(d, position);
    FORWARD(d, velocity);
    FORWARD(d, velocity_rate);
    FORWARD(d, direction_q);
    FORWARD(d, displacement);
    FORWARD(d, slip_scale);
    FORWARD(d, friction);
    FORWARD(d, restitution);
    FORWARD(d, energy);
    FORWARD(d, power);
    FORWARD(d, symmetry);
    FORWARD(d, observe);
    FORWARD(d, support);
    FORWARD(d, switching);
    FORWARD(d, take_sides);
    FORWARD(d, assign);
    FORWARD(d, bear);
    FORWARD(d, ranges);
    FORWARD(model, row);
    FORWARD(model, row_range);
    FORWARD(model, found_numbers);
    model->base = NULL, model->maker = NULL, model->ask = NULL;
    d->destroy = NULL, d->fork = NULL, d->tangent = NULL, d->assign_tangent = NULL;
    d->bear_tangent = NULL, d->friction_tangent = NULL, d->friction_cotangent = NULL;
    d->restitution_tangent = NULL, d->restitution_cotangent = NULL;
    d->cotangent = NULL, d->constants_by = NULL, d->constants = 0;
}
