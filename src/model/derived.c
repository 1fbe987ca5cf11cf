/* What follows from the functions of a model: missing ones filled in, anchors, what presses a contact. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "linalg/csr.h"

void model_normalise(const carom_model *model, double *q) {
    for (int k = 0; k < model->def.rotations; k++) {
        double *p = q + model->def.rotation[k].q;
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int i = 0; i < 4; i++) p[i] /= length;
    }
}

int model_anchor(const carom_model *model, double t, double *q, double *values) {
    const carom_model_def *d = &model->def;
    if (d->anchors && d->anchor(d->context, t, q, values)) return 1;
    for (int i = 0; i < d->anchors; i++) q[d->anchor_q[i]] = values[i];
    return 0;
}

int model_settle_anchors(const carom_model *model, double t, double *q, double *values) {
    enum { ITERATIONS = 16 };
    const carom_model_def *d = &model->def;
    bool moved = d->anchors > 0;
    for (int n = 0; n < ITERATIONS && moved; n++) {
        if (d->anchor(d->context, t, q, values)) return 1;
        moved = false;
        for (int i = 0; i < d->anchors; i++) {
            double *a = &q[d->anchor_q[i]];
            moved = moved || fabs(values[i] - *a) > 1e-15 * (1 + fabs(*a));
            *a = values[i];
        }
    }
    return 0;
}

int model_q_dot(const carom_model *model, double t, const double *q, const double *u, double *q_dot) {
    if (!model->trivial) return model->def.kinematics(model->def.context, t, q, u, q_dot, NULL, NULL);
    memcpy(q_dot, u, (size_t)model->def.nu * sizeof *u);
    return 0;
}

bool model_has_momentum(const carom_model *model) {
    return model->def.momentum || !model->def.mass_q;
}

int model_momentum(const carom_model *model, double t, const double *q, const double *u, double *M, double *p,
                   double *p_q, double *b, double *b_q, double *b_u) {
    const carom_model_def *d = &model->def;
    if (d->momentum) return d->momentum(d->context, t, q, u, p, p_q, b, b_q, b_u);
    if (p) {
        if (d->mass(d->context, t, q, M)) return 1;
        memset(p, 0, (size_t)d->nu * sizeof *p);
        pattern_multiply(&d->M, M, 1, u, p);
    }
    return (b || b_q || b_u) && d->force(d->context, t, q, u, b, b_q, b_u);
}

bool model_slips_count(const carom_model *m) {
    for (int k = 0; k < m->def.contacts; k++)
        if (m->def.contact[k].slips > 1 || m->def.contact[k].by_slip) return true;
    return false;
}

double contact_load(const carom_model *m, int contact, const double *P) {
    const carom_model_contact *c = &m->def.contact[contact];
    const int by = contact_pressed_by(m, contact);
    double size = 0;
    if (by >= 0) return P[m->N + by];
    const int joints = c->loads - c->preload;
    for (int i = 0; i < joints; i++) size = hypot(size, P[c->load[i]]);
    return c->preload ? size + P[c->load[joints]] : size;
}

void contact_load_by(const carom_model *m, int contact, const double *P, double weight, double *by) {
    const carom_model_contact *c = &m->def.contact[contact];
    const int pressed_by = contact_pressed_by(m, contact), joints = c->loads - c->preload;
    double size = 0;
    if (pressed_by >= 0) by[m->N + pressed_by] += weight;
    if (pressed_by >= 0) return;
    for (int i = 0; i < joints; i++) size = hypot(size, P[c->load[i]]);
    for (int i = 0; i < joints && size > 0; i++) by[c->load[i]] += weight * P[c->load[i]] / size;
    if (c->preload) by[c->load[joints]] += weight;
}

double contact_load_rate(const carom_model *m, int contact, const double *P, const double *rate) {
    const carom_model_contact *c = &m->def.contact[contact];
    const int pressed_by = contact_pressed_by(m, contact), joints = c->loads - c->preload;
    double size = 0, sum = 0;
    if (pressed_by >= 0) return rate[m->N + pressed_by];
    for (int i = 0; i < joints; i++) size = hypot(size, P[c->load[i]]), sum += P[c->load[i]] * rate[c->load[i]];
    return (size > 0 ? sum / size : 0) + (c->preload ? rate[c->load[joints]] : 0);
}

void contacts_update_followers(const carom_model *m, double *state) {
    for (int k = 0; k < m->def.contacts; k++) {
        const int by = contact_pressed_by(m, k);
        if (by == k) continue;
        const bool open = by >= 0 && state[by] == CAROM_OPEN;
        if (open || state[k] == CAROM_OPEN) state[k] = open ? CAROM_OPEN : CAROM_SLIP;
    }
}

int model_slip_scale(const carom_model *model, double t, const double *q, double *scale) {
    const carom_model_def *d = &model->def;
    for (int i = 0; i < model->slips; i++) scale[i] = 1;
    return d->slip_scale ? d->slip_scale(d->context, t, q, scale) : 0;
}

int model_velocity_rate(const carom_model *model, double t, const double *q, const double *u, double *s_q,
                        double *q_dot, double *zeta) {
    const carom_model_def *d = &model->def;
    if (d->velocity_rate) return d->velocity_rate(d->context, t, q, u, zeta);
    if (d->velocity(d->context, t, q, u, NULL, NULL, s_q) || model_q_dot(model, t, q, u, q_dot)) return 1;
    memset(zeta, 0, (size_t)model->ns * sizeof *zeta);
    pattern_multiply(&d->s_q, s_q, 1, q_dot, zeta);
    return 0;
}
