#include "support/friction_cases.h"
#include "friction/body_blocks.h"
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers and vectors */

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double a[3]) {
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) a[i] /= length;
}

/* ---------------------------------------------------------------- bodies and contacts */

typedef struct body {
    double x[3], m, inertia[3];
} body;

enum { WORLD = -1 };
static const double dt = 1e-2, gravity = 9.81;

static void check(bool made) {
    if (made) return;
    fprintf(stderr, "out of memory\n");
    exit(EXIT_FAILURE);
}

/* A place for up to so many contacts between so many bodies. */
static void start(friction_case *c, const body *bodies, int n, int most) {
    *c = (friction_case){.mu = calloc((size_t)most + 1, sizeof *c->mu)};
    c->map.A = (entries){.rows = 6 * n, .cols = 6 * n};
    c->map.B = (entries){.rows = 6 * n, .cols = 0};
    c->map.c = calloc(6 * (size_t)n + 1, sizeof *c->map.c);
    c->map.d = calloc(3 * (size_t)most + 1, sizeof *c->map.d);
    check(c->mu && c->map.c && c->map.d);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            check(entries_add(&c->map.A, 6 * k + i, 6 * k + i, bodies[k].m));
            check(entries_add(&c->map.A, 6 * k + 3 + i, 6 * k + 3 + i, bodies[k].inertia[i]));
        }
        c->map.c[6 * k + 2] = -bodies[k].m * gravity * dt;
    }
}

/* Velocity of a point of a body along direction, sign +-: a column of H. */
static void add_column(friction_case *c, int column, const body *bodies, int k, const double at[3], const double d[3],
                       double sign) {
    if (k == WORLD) return;
    double arm[3], turn[3];
    for (int i = 0; i < 3; i++) arm[i] = at[i] - bodies[k].x[i];
    cross(arm, d, turn);
    for (int i = 0; i < 3; i++) {
        check(entries_add(&c->map.B, 6 * k + i, column, sign * d[i]));
        check(entries_add(&c->map.B, 6 * k + 3 + i, column, sign * turn[i]));
    }
}

/* Body a on body b, the normal pointing to a. */
static void touch(friction_case *c, const body *bodies, int a, int b, const double at[3], const double normal[3],
                  double mu) {
    double frame[3][3], other[3] = {0};
    memcpy(frame[0], normal, sizeof frame[0]);
    normalise(frame[0]);
    other[fabs(frame[0][0]) < 0.6 ? 0 : 1] = 1;
    cross(frame[0], other, frame[1]);
    normalise(frame[1]);
    cross(frame[0], frame[1], frame[2]);
    for (int i = 0; i < 3; i++) {
        add_column(c, 3 * c->contacts + i, bodies, a, at, frame[i], 1);
        add_column(c, 3 * c->contacts + i, bodies, b, at, frame[i], -1);
    }
    c->mu[c->contacts++] = mu;
}

static void finish(friction_case *c) {
    int n = 3 * c->contacts;
    c->map.B.cols = n;
    c->map.D = (entries){.rows = n, .cols = n};
    c->map.C = (entries){.rows = n, .cols = c->map.B.rows};
    for (int e = 0; e < c->map.B.count; e++)
        check(entries_add(&c->map.C, c->map.B.at[e].col, c->map.B.at[e].row, c->map.B.at[e].value));
}

/* A push of a velocity at most v in all directions, turning included. */
static void push(friction_case *c, const body *bodies, int k, double v, uint64_t *seed) {
    for (int i = 0; i < 3; i++) {
        c->map.c[6 * k + i] += bodies[k].m * campaign_between(seed, -v, v);
        c->map.c[6 * k + 3 + i] += bodies[k].inertia[i] * campaign_between(seed, -v, v);
    }
}

static body box(double x, double y, double z, const double size[3], double density) {
    body b = {.x = {x, y, z}, .m = density * size[0] * size[1] * size[2]};
    for (int i = 0; i < 3; i++) {
        double p = size[(i + 1) % 3], q = size[(i + 2) % 3];
        b.inertia[i] = b.m * (p * p + q * q) / 12;
    }
    return b;
}

static body ball(double x, double y, double z, double radius, double density) {
    body b = {.x = {x, y, z}, .m = density * 4.18879020478639 * radius * radius * radius};
    for (int i = 0; i < 3; i++) b.inertia[i] = 0.4 * b.m * radius * radius;
    return b;
}

static body *bodies_of(int n) {
    body *b = calloc((size_t)n + 1, sizeof *b);
    check(b);
    return b;
}

/* Corners of the rectangle in which two boxes overlap, at height z. */
static void touch_flat(friction_case *c, const body *bodies, int a, int b, const double low[2], const double high[2],
                       double z, double mu) {
    static const double up[3] = {0, 0, 1};
    for (int i = 0; i < 4; i++)
        touch(c, bodies, a, b, (double[3]){i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], z}, up, mu);
}

/* ---------------------------------------------------------------- kinds */

/* Boxes on top of each other, four corners each: three of them too many. */
static void make_column(friction_case *c, int contacts, uint64_t seed) {
    int n = contacts < 8 ? 2 : contacts / 4;
    const double size[3] = {1, 1, 0.5};
    body *b = bodies_of(n);
    for (int k = 0; k < n; k++) b[k] = box(0, 0, 0.25 + 0.5 * k, size, campaign_between(&seed, 500, 3000));
    start(c, b, n, 4 * n);
    for (int k = 0; k < n; k++)
        touch_flat(c, b, k, k - 1, (double[2]){-0.5, -0.5}, (double[2]){0.5, 0.5}, 0.5 * k,
                   campaign_between(&seed, 0.2, 0.8));
    for (int k = 0; k < n; k++) push(c, b, k, 0.02, &seed);
    finish(c);
    free(b);
}

/* Bricks in running bond: each on the two below it, four corners with each. */
static void make_wall(friction_case *c, int contacts, uint64_t seed) {
    int side = (int)fmax(2, round(sqrt(contacts / 8.0))), n = side * side;
    const double size[3] = {0.2, 0.1, 0.06};
    body *b = bodies_of(n);
    for (int k = 0; k < n; k++)
        b[k] = box(0.2 * (k % side) + (k / side % 2 ? 0.1 : 0), 0, 0.03 + 0.06 * (k / side), size, 2000);
    start(c, b, n, 8 * n);
    double mu = campaign_between(&seed, 0.3, 0.7);
    for (int k = 0; k < n; k++)
        for (int j = k - side - 1; j <= k - side + 1; j++) {
            int below = k < side ? WORLD : j;
            if (k < side && j != k - side) continue;
            double low = b[k].x[0] - 0.1, high = b[k].x[0] + 0.1;
            if (below != WORLD && (j < 0 || j / side != k / side - 1)) continue;
            if (below != WORLD) low = fmax(low, b[j].x[0] - 0.1), high = fmin(high, b[j].x[0] + 0.1);
            if (high - low < 0.01) continue;
            touch_flat(c, b, k, below, (double[2]){low, -0.05}, (double[2]){high, 0.05}, 0.06 * (k / side), mu);
        }
    push(c, b, n / 2 + side / 2, 1, &seed);
    finish(c);
    free(b);
}

/* Balls of nearly one size in a heap of densest packing, on a floor. */
static void make_packing(friction_case *c, int contacts, uint64_t seed) {
    int side = (int)fmax(2, round(cbrt(contacts / 6.0))), n = side * side * side;
    body *b = bodies_of(n);
    double mu = campaign_between(&seed, 0.1, 0.8), h = sqrt(2.0 / 3), w = sqrt(3.0) / 2;
    for (int k = 0; k < n; k++) {
        int i = k % side, j = k / side % side, l = k / side / side;
        /* one after the other: compilers evaluate arguments in orders of their own */
        const double density = campaign_between(&seed, 1000, 2000), up = campaign_between(&seed, -0.005, 0.005);
        const double aside = campaign_between(&seed, -0.005, 0.005);
        b[k] = ball(i + 0.5 * ((j + l) % 2) + aside, w * j + (l % 2 ? w / 1.5 : 0), 0.5 + h * l + up, 0.5, density);
    }
    start(c, b, n, 13 * n);
    for (int k = 0; k < n; k++) {
        if (k < side * side) touch(c, b, k, WORLD, (double[3]){b[k].x[0], b[k].x[1], 0}, (double[3]){0, 0, 1}, mu);
        for (int j = 0; j < k; j++) {
            double d[3], at[3], length = 0;
            for (int i = 0; i < 3; i++) {
                d[i] = b[k].x[i] - b[j].x[i], at[i] = (b[k].x[i] + b[j].x[i]) / 2;
                length += d[i] * d[i];
            }
            if (length < 1.03 * 1.03) touch(c, b, k, j, at, d, mu);
        }
    }
    for (int k = 0; k < n; k++) push(c, b, k, 0.05, &seed);
    finish(c);
    free(b);
}

/* A box pressed into a groove by a row of others behind it: it sticks in any of infinitely many ways. */
static void make_wedge(friction_case *c, int contacts, uint64_t seed) {
    int n = contacts < 8 ? 1 : contacts / 8;
    const double size[3] = {1, 1, 1}, mu = campaign_between(&seed, 0.3, 1.2), angle = campaign_between(&seed, 0.2, 0.7);
    body *b = bodies_of(n);
    for (int k = 0; k < n; k++) b[k] = box(0, k, 0, size, 1000);
    start(c, b, n, 9 * n);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 8; i++) {
            double side = i & 1 ? 1 : -1, normal[3] = {-side * cos(angle), 0, sin(angle)};
            touch(c, b, k, WORLD, (double[3]){0.5 * side, k + (i & 2 ? 0.4 : -0.4), i & 4 ? 0.4 : -0.4}, normal, mu);
        }
    for (int k = 1; k < n; k += 2) touch(c, b, k, k - 1, (double[3]){0, k - 0.5, 0}, (double[3]){0, 1, 0}, mu);
    for (int k = 0; k < n; k++) push(c, b, k, 0.5, &seed);
    finish(c);
    free(b);
}

/* A table with many legs, boxes on it: one body with contacts far too many. */
static void make_table(friction_case *c, int contacts, uint64_t seed) {
    int legs = contacts / 2, boxes = (contacts - legs) / 4, side = (int)ceil(sqrt(boxes + 1.0));
    const double plate[3] = {side, side, 0.1}, size[3] = {0.4, 0.4, 0.4};
    body *b = bodies_of(boxes + 1);
    b[0] = box(0, 0, 1, plate, 700);
    for (int k = 1; k <= boxes; k++)
        b[k] = box((k - 1) % side - side / 2.0 + 0.5, (k - 1) / side - side / 2.0 + 0.5, 1.25, size, 1000);
    start(c, b, boxes + 1, legs + 4 * boxes);
    for (int k = 0; k < legs; k++) {
        const double x = campaign_between(&seed, -0.5, 0.5) * side, y = campaign_between(&seed, -0.5, 0.5) * side;
        touch(c, b, 0, WORLD, (double[3]){x, y, 0}, (double[3]){0, 0, 1}, 0.5);
    }
    for (int k = 1; k <= boxes; k++) {
        double x = b[k].x[0], y = b[k].x[1];
        touch_flat(c, b, k, 0, (double[2]){x - 0.2, y - 0.2}, (double[2]){x + 0.2, y + 0.2}, 1.05, 0.4);
        push(c, b, k, 0.3, &seed);
    }
    finish(c);
    free(b);
}

const friction_kind friction_kinds[] = {{"column", 100, make_column},   {"wall", 200, make_wall},
                                        {"packing", 300, make_packing}, {"wedge", 80, make_wedge},
                                        {"table", 100, make_table},     {0}};

/* ---------------------------------------------------------------- cases */

void friction_case_make(const friction_kind *kind, int contacts, uint64_t seed, friction_case *c) {
    kind->make(c, contacts ? contacts : kind->size, seed);
}

void friction_case_free(friction_case *c) {
    linear_map_free(&c->map);
    free(c->mu);
    *c = (friction_case){0};
}

void friction_case_problem(const friction_case *c, friction_problem *p) {
    int row;
    check(friction_reduce(&c->map, 3, c->contacts, c->mu, p, &row) == CONDENSED);
}

static double factor(double size, uint64_t *seed) {
    return 1 + size * campaign_between(seed, -1, 1);
}

void friction_case_perturb(friction_case *c, double size, uint64_t seed) {
    for (int e = 0; e < c->map.A.count; e++) c->map.A.at[e].value *= factor(size, &seed);
    for (int e = 0; e < c->map.B.count; e++) /* the entries of C stand in the same order */
        c->map.C.at[e].value = c->map.B.at[e].value *= factor(size, &seed);
    for (int i = 0; i < c->map.A.rows; i++) c->map.c[i] *= factor(size, &seed);
    for (int a = 0; a < c->contacts; a++) c->mu[a] *= factor(size, &seed);
}

void friction_perturb(friction_problem *p, double size, uint64_t seed) {
    body_blocks_destroy(p->bodies);
    p->bodies = NULL;
    for (int e = 0; e < p->start[p->contacts]; e++)
        for (int k = 0; k < 9; k++) p->W[e][k] *= factor(size, &seed);
}
