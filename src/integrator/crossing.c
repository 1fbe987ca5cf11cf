#include "integrator/crossing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool undefined(const interval *x, step_report *report) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined near t = %.9g", x->t);
    return false;
}

/* ---------------------------------------------------------------- arguments */

/* How far an argument is inside its cell; negative: it has left. */
static double inside(const crossings *c, int j, double a) {
    if (c->m->def.switch_info[j].kind == CAROM_SWITCH_SIGN) return c->side[j] * a;
    return fmin(a - c->side[j], c->side[j] + 1 - a);
}

static int side_of(const crossings *c, int j, double a) {
    if (c->m->def.switch_info[j].kind == CAROM_SWITCH_SIGN) return a < 0 ? -1 : 1;
    return (int)floor(a);
}

/* At the end of the interval: the argument that is inside its cell by least, or outside by most. */
static bool least_inside(crossings *c, const interval *x, int *whose, double *least, step_report *report) {
    const carom_model_def *d = &c->m->def;
    if (d->switching(d->context, x->t, x->q1, x->rest, c->a)) return undefined(x, report);
    *least = INFINITY;
    for (int j = 0; j < d->switches; j++)
        if (inside(c, j, c->a[j]) < *least) *least = inside(c, j, c->a[j]), *whose = j;
    return true;
}

/* ---------------------------------------------------------------- where it switches */

/* (Y19): the shortest interval at whose end an argument has left its cell, by regula falsi up to the length high. */
static bool find_switch(crossings *c, interval *x, double high, double at_high, int *whose, step_report *report) {
    enum { ITERATIONS = 200 };
    const double near = interval_reach(x);
    double low = 0, at_low = near, weight_low, weight_high;
    weight_low = at_low, weight_high = at_high;
    for (int n = 0; n < ITERATIONS && at_high < -near && high - low > DBL_EPSILON * high; n++) {
        double at = (low * weight_high - high * weight_low) / (weight_high - weight_low), value;
        int which;
        if (n % 3 == 2 || !(at > low && at < high)) at = (low + high) / 2;
        if (!interval_traverse(x, at, report) || !least_inside(c, x, &which, &value, report)) return false;
        if (value < 0) high = at, weight_high = at_high = value, weight_low /= 2, *whose = which;
        else low = at, weight_low = value, weight_high /= 2;
    }
    return interval_traverse(x, high, report);
}

bool crossings_cut(crossings *c, interval *x, int *crossed, step_report *report) {
    double least;
    int whose = -1;
    if (!least_inside(c, x, &whose, &least, report)) return false;
    *crossed = least < -interval_reach(x) ? whose : -1;
    return *crossed < 0 || find_switch(c, x, x->h, least, crossed, report);
}

/* ---------------------------------------------------------------- at the node */

/* x->across = da/dq B of one argument: its rates along each velocity. */
static bool gradient(crossings *c, interval *x, int j, step_report *report) {
    const carom_model_def *d = &c->m->def;
    carom_range *q = c->range, *q_rate = q + d->nq, *u = q_rate + d->nq, *u_rate = u + d->nu, *a = u_rate + d->nu,
                *a_rate = a + d->switches;
    const carom_range t[2] = {{x->t, x->t}, {0, 0}};
    for (int i = 0; i < d->nq; i++) q[i] = (carom_range){x->q[i], x->q[i]};
    for (int i = 0; i < d->nu; i++) u[i] = u_rate[i] = (carom_range){0, 0};
    memset(c->e, 0, (size_t)d->nu * sizeof *c->e);
    for (int k = 0; k < d->nu; k++) {
        c->e[k] = 1;
        if (model_q_dot(c->m, x->t, x->q, c->e, c->q_dot)) return undefined(x, report);
        c->e[k] = 0;
        for (int i = 0; i < d->nq; i++) q_rate[i] = (carom_range){c->q_dot[i], c->q_dot[i]};
        if (d->ranges(d->context, t, q, q_rate, u, u_rate, NULL, NULL, a, a_rate)) return undefined(x, report);
        x->across[k] = (a_rate[j].least + a_rate[j].most) / 2;
    }
    return true;
}

bool crossings_pass(crossings *c, interval *x, int crossed, step_report *report) {
    const carom_model_def *d = &c->m->def;
    if (!interval_see(x, report)) return false; /* with the sides of the interval that ended */
    c->side[crossed] =
        d->switch_info[crossed].kind == CAROM_SWITCH_SIGN ? -c->side[crossed] : side_of(c, crossed, c->a[crossed]);
    x->crossing = !x->at_node;
    if (d->force(d->context, x->t, x->q, x->rest, x->f, NULL, NULL)) return undefined(x, report);
    return !x->crossing || gradient(c, x, crossed, report);
}

/* ---------------------------------------------------------------- steps
 * memory: sides; 1 where an impulse is due at the node; the energy that it keeps; its direction */

int crossings_memory(const carom_model *m) {
    return m->def.switches + 2 + m->def.nu;
}

int crossings_start(crossings *c, double t, const double *q, double *memory) {
    const carom_model_def *d = &c->m->def;
    memset(memory, 0, (size_t)crossings_memory(c->m) * sizeof *memory);
    if (d->switching(d->context, t, q, c->e, c->a)) return 1;
    for (int j = 0; j < d->switches; j++) memory[j] = side_of(c, j, c->a[j]);
    return 0;
}

bool crossings_begin(crossings *c, interval *x, const double *memory, step_report *report) {
    const carom_model_def *d = &c->m->def;
    const double *due = memory + d->switches;
    for (int j = 0; j < d->switches; j++) c->side[j] = (int)memory[j];
    d->take_sides(d->context, c->side);
    x->crossing = due[0] != 0;
    if (!x->crossing) return true;
    if (!interval_see(x, report)) return false;
    x->E = due[1];
    memcpy(x->across, due + 2, (size_t)d->nu * sizeof *x->across);
    return true;
}

void crossings_end(crossings *c, const interval *x, double *memory) {
    const carom_model_def *d = &c->m->def;
    double *due = memory + d->switches;
    for (int j = 0; j < d->switches; j++) memory[j] = c->side[j];
    due[0] = x->crossing, due[1] = x->crossing ? x->E : 0;
    for (int j = 0; j < d->nu; j++) due[2 + j] = x->crossing ? x->across[j] : 0;
    d->take_sides(d->context, NULL);
}

bool crossings_create(crossings *c, const carom_model *m) {
    const carom_model_def *d = &m->def;
    const size_t ranges = 2 * ((size_t)d->nq + (size_t)d->nu + (size_t)d->switches);
    *c = (crossings){.m = m};
    c->side = calloc((size_t)d->switches + 1, sizeof *c->side);
    c->a = calloc((size_t)d->switches + (size_t)d->nu + (size_t)d->nq + 1, sizeof *c->a);
    c->range = calloc(ranges + 1, sizeof *c->range);
    if (c->a) c->e = c->a + d->switches, c->q_dot = c->e + d->nu;
    return c->side && c->a && c->range;
}

void crossings_destroy(crossings *c) {
    free(c->side);
    free(c->a);
    free(c->range);
}
