/* Located impacts of dice against the exact ones: when and where they meet by all axes that can part two cubes, and
 * Newton's law between them. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/space.h"
#include "support/campaign.h"

#define CUBE "{type: spatial, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, "
#define LOCATED "events: locate, tolerance: 1e-13}\n"

/* A cube in free flight: its velocity and its angular velocity, in the cube, stay as they are. */
typedef struct die {
    double r[3], p[4], v[3], w[3];
} die;
static const double edge = 0.1;

typedef struct cube {
    double r[3], A[3][3], corner[8][3];
} cube;

static cube cube_at(const die *d, double t) {
    cube c;
    const double turn = sqrt(space_dot(d->w, d->w)), half = turn * t / 2, s = sin(half) / turn;
    const double e[4] = {cos(half), s * d->w[0], s * d->w[1], s * d->w[2]}, *p = d->p;
    const double now[4] = {
        p[0] * e[0] - p[1] * e[1] - p[2] * e[2] - p[3] * e[3], p[0] * e[1] + p[1] * e[0] + p[2] * e[3] - p[3] * e[2],
        p[0] * e[2] + p[2] * e[0] + p[3] * e[1] - p[1] * e[3], p[0] * e[3] + p[3] * e[0] + p[1] * e[2] - p[2] * e[1]};
    space_rotation(now, c.A);
    for (int i = 0; i < 3; i++) c.r[i] = d->r[i] + t * d->v[i];
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++) {
            c.corner[k][i] = c.r[i];
            for (int j = 0; j < 3; j++) c.corner[k][i] += (k >> j & 1 ? 0.5 : -0.5) * edge * c.A[i][j];
        }
    return c;
}

static double farthest(const cube *c, const double n[3], double sign) {
    double most = -HUGE_VAL;
    for (int k = 0; k < 8; k++) most = fmax(most, sign * space_dot(n, c->corner[k]));
    return most;
}

/* By all axes that can part two cubes, of which the best one points from b to a. */
static double apart(const cube *x, const cube *y, double best[3], bool *edges) {
    double most = -HUGE_VAL;
    for (int i = 0; i < 15; i++) {
        double n[3], e[3], f[3];
        for (int k = 0; k < 3; k++) {
            e[k] = i < 3 ? x->A[k][i] : i < 6 ? y->A[k][i - 3] : x->A[k][(i - 6) / 3];
            f[k] = i < 6 ? 0 : y->A[k][(i - 6) % 3];
        }
        if (i < 6) memcpy(n, e, sizeof n);
        else space_cross(e, f, n);
        if (!(space_dot(n, n) > 1e-12)) continue;
        space_unit(n);
        for (int sign = 1; sign >= -1; sign -= 2) {
            const double gap = -farthest(x, n, -sign) - farthest(y, n, sign);
            if (gap <= most) continue;
            most = gap, *edges = i >= 6;
            for (int k = 0; k < 3; k++) best[k] = sign * n[k];
        }
    }
    return most;
}

/* The middle of the corners of a cube that are farthest along n, and the direction of the edge if there are two. */
static int touching(const cube *c, const double n[3], double sign, double x[3], double e[3]) {
    const double most = farthest(c, n, sign);
    int count = 0, first = 0;
    for (int k = 0; k < 8; k++) {
        if (sign * space_dot(n, c->corner[k]) < most - 1e-9) continue;
        if (count++ == 0) first = k;
        for (int i = 0; i < 3; i++) e[i] = c->corner[k][i] - c->corner[first][i];
    }
    for (int i = 0; i < 3; i++) x[i] = c->corner[first][i];
    return count;
}

/* Where they touch: the corner that lies on a face, or where two edges cross. */
static void find_place(const cube *x, const cube *y, const double n[3], double at[3]) {
    double p[3], q[3], e[3], f[3], w[3], across[3], side[3];
    const int of_x = touching(x, n, -1, p, e), of_y = touching(y, n, 1, q, f);
    memcpy(at, of_y == 1 ? q : p, 3 * sizeof *at);
    if (of_x != 2 || of_y != 2) return;
    space_cross(e, f, across);
    space_cross(f, across, side);
    for (int i = 0; i < 3; i++) w[i] = q[i] - p[i];
    for (int i = 0; i < 3; i++) at[i] = p[i] + e[i] * space_dot(w, side) / space_dot(e, side);
}

/* Newton's law without friction along n at a place, between cubes of mass 1. */
static void strike(die *d, const cube *c, const double n[3], const double at[3], double e) {
    const double J = edge * edge / 6;
    double arm[2][3], speed = 0, G = 0;
    for (int k = 0; k < 2; k++) {
        double lever[3], turn[3];
        for (int i = 0; i < 3; i++) lever[i] = at[i] - c[k].r[i];
        space_cross(lever, n, turn);
        space_transposed_times(c[k].A, turn, arm[k]);
        speed += (k ? -1 : 1) * (space_dot(n, d[k].v) + space_dot(arm[k], d[k].w));
        G += 1 + space_dot(arm[k], arm[k]) / J;
    }
    assert_true(speed < 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            const double P = (k ? 1 : -1) * (1 + e) * speed / G;
            d[k].v[i] += P * n[i], d[k].w[i] += P * arm[k][i] / J;
        }
}

/* Two cubes that fly at each other; false: they miss. */
static bool throw_dice(uint64_t *chance, die d[2]) {
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) {
            d[k].r[i] = (k ? 0.1 : -0.1) * (i == 0) + campaign_between(chance, -0.03, 0.03);
            d[k].v[i] = (k ? -2 : 2) * (i == 0) + campaign_between(chance, -0.2, 0.2);
            d[k].w[i] = campaign_between(chance, -15, 15);
        }
        double length = 0;
        for (int i = 0; i < 4; i++) d[k].p[i] = campaign_between(chance, -1, 1), length += d[k].p[i] * d[k].p[i];
        for (int i = 0; i < 4; i++) d[k].p[i] /= sqrt(length);
    }
    double n[3];
    bool edges;
    const cube x = cube_at(&d[0], 0), y = cube_at(&d[1], 0);
    return apart(&x, &y, n, &edges) > 0;
}

static double apart_at(const die d[2], double t, double n[3], bool *edges) {
    const cube x = cube_at(&d[0], t), y = cube_at(&d[1], t);
    return apart(&x, &y, n, edges);
}

/* When they meet: looks at every 1e-4 s, then bisection. They may have just parted. */
static double meet(const die d[2], double until, double n[3], bool *edges) {
    double left = 1e-6, right = left;
    while (right < until && apart_at(d, right, n, edges) > 0) left = right, right += 1e-4;
    if (right >= until) return until;
    for (int i = 0; i < 50; i++) {
        const double middle = (left + right) / 2;
        if (apart_at(d, middle, n, edges) > 0) left = middle;
        else right = middle;
    }
    apart_at(d, left, n, edges);
    return left;
}

static void fly(die d[2], double time) {
    for (int k = 0; k < 2; k++) {
        const cube c = cube_at(&d[k], time);
        memcpy(d[k].r, c.r, sizeof d[k].r);
        space_quaternion(c.A, d[k].p);
    }
}

/* The exact motion. False: the dice meet more than three times, or again at once. */
static bool end_of(die d[2], double e, double until, int met[2]) {
    for (int impacts = 0; impacts <= 3; impacts++) {
        double n[3], place[3];
        bool edges;
        const double when = meet(d, until, n, &edges);
        if (when >= until) return fly(d, until), impacts > 0;
        if (when < 1e-4 || impacts == 3) return false;
        fly(d, when), until -= when;
        const cube c[2] = {cube_at(&d[0], 0), cube_at(&d[1], 0)};
        find_place(&c[0], &c[1], n, place);
        strike(d, c, n, place, e);
        met[edges]++;
    }
    return false;
}

static double dice_miss(const die start[2], const die end[2], double e, double until) {
    char text[2][400];
    double error = 0;
    for (int k = 0; k < 2; k++) {
        const double *p = start[k].p, *v = start[k].v, *w = start[k].w, *r = start[k].r;
        snprintf(text[k], sizeof text[k],
                 "position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, "
                 "%.17g], rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}}",
                 r[0], r[1], r[2], v[0], v[1], v[2], w[0], w[1], w[2], p[1], p[2], p[3],
                 2 * atan2(sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), p[0]));
    }
    trial run = trial_text("carom: 1\nmodel:\n  bodies:\n    a: " CUBE "%s\n    b: " CUBE "%s\n"
                           "  contacts: {all: {among: [a, b], restitution: %g}}\n"
                           "run: {integrator: lobatto, stages: 4, dt: 4e-3, until: %g, " LOCATED,
                           text[0], text[1], e, until);
    trial_finish(&run);
    for (int k = 0; k < 2; k++) {
        const cube c = cube_at(&end[k], 0);
        const double *q = carom_sim_q(run.sim) + 7 * k, *u = carom_sim_u(run.sim) + 6 * k;
        double A[3][3];
        space_rotation(q + 3, A);
        for (int i = 0; i < 3; i++) {
            error = fmax(error, fmax(fabs(q[i] - end[k].r[i]), fabs(u[i] - end[k].v[i])));
            error = fmax(error, edge * fabs(u[3 + i] - end[k].w[i]));
            for (int j = 0; j < 3; j++) error = fmax(error, edge * fabs(A[i][j] - c.A[i][j]));
        }
    }
    trial_close(&run);
    return error;
}

/* A corner on a face, or edge on edge, up to three times. Round-off of 1e-13 in the places where they meet, and errors
 * of 1e-12 of four stages in half a turn, grow by less than ten at each impact. */
static void test_dice(void **state) {
    (void)state;
    const double until = 0.06, e = 0.6;
    uint64_t chance = 4;
    int met[2] = {0, 0};
    double worst = 0;
    for (int i = 0; i < 24; i++) {
        die start[2], end[2];
        int meetings[2] = {met[0], met[1]};
        if (!throw_dice(&chance, start)) continue;
        memcpy(end, start, sizeof end);
        if (!end_of(end, e, until, meetings)) continue;
        const double error = dice_miss(start, end, e, until);
        if (error > 1e-9) printf("throw %d: off by %.2g\n", i, error);
        worst = fmax(worst, error);
        memcpy(met, meetings, sizeof met);
    }
    printf("dice: %d corners on faces, %d edges on edges, off by %.2g at most\n", met[0], met[1], worst);
    assert_at_least(met[0], 5);
    assert_at_least(met[1], 5);
    assert_at_most(worst, 1e-9);
}

/* Two dice fall on a table and on each other, so that a corner comes down in the first step after it was listed. The
 * run reaches its end: they do not overlap by more than 1e-7 of their size (CF35), which would end it. Without rebounds
 * energy only falls. */
static void test_first_step(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    d1: {type: spatial, mass: 0.005, position: [0.03,0,0.0643], velocity: "
                           "[0.116,-0.275,0], rotation: {axis: [-0.513, -0.144, 0.412], angle: 2.95}, "
                           "angular_velocity: [18.6,6.16,4.62], shape: {box: [0.016, 0.016, 0.016]}}\n"
                           "    d2: {type: spatial, mass: 0.005, position: [0.06,0,0.0457], velocity: "
                           "[-0.155,-0.282,0], rotation: {axis: [0.0955, 0.145, -0.345], angle: 1.39}, "
                           "angular_velocity: [-2.38,13.7,0.765], shape: {box: [0.016, 0.016, 0.016]}}\n"
                           "  contacts: {all: {among: [d1, d2, {body: world, plane: [0, 0, 1]}], friction: 0.3}}\n"
                           "run: {integrator: rattle, events: locate, dt: 1e-3, until: 0.15}");
    const double energy = trial_value(&run, "E");
    double last = energy;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double now = trial_value(&run, "E");
        assert_at_most(now - last, 1e-6 * energy);
        last = now;
    }
    assert_at_most(last, 0.9 * energy);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dice), cmocka_unit_test(test_first_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
