/* Pairs of the shapes that 'among' takes, in space and in the plane, of any size and anywhere: gaps against distances
 * that know no features.
 *
 * Gilbert's algorithm runs through the difference of two cores, min |x|, x = a - b, by supports alone. It has bounds on
 * both sides, x.s/|x| <= distance <= |x| with s the support of the difference along -x. So
 *     a round shape and any other, apart:   the gap is the distance of the cores less both radii
 *     polytopes, cylinders:                 the gap is positive where they are apart, and never more than the distance
 *     polytopes that overlap:               no direction parts them by more than the gap says
 *     all of these that overlap a little:   nor of cylinders, and one of the meetings has the gap of the shapes */
#include "support/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/found/features.h"
#include "model/space.h"

enum { PAIRS, ROUND, APART, OVERLAPS };
enum { POINTS = 40 };

static double between(uint64_t *state, double least, double most) {
    return campaign_between(state, least, most);
}

/* ---- shapes anywhere */

typedef struct placed {
    core own, at;
    core_pose pose;
} placed;

/* Points in a ball, on a sphere, or on a coarse grid. */
static bool random_hull(uint64_t *state, bool planar, polytope *h) {
    double point[POINTS][3];
    const int count = 4 + (int)(campaign_random(state) * (POINTS - 4)), sort = (int)between(state, 0, 3);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) point[i][k] = between(state, -1, 1);
        if (sort == 1) space_unit(point[i]);
        for (int k = 0; k < 3 && sort == 2; k++) point[i][k] = round(2 * point[i][k]) / 2;
        if (planar) point[i][2] = 0;
    }
    return (planar ? polygon_create : polytope_create)(h, (const double(*)[3])point, count) == POLYTOPE_DONE;
}

static shape_kind random_kind(uint64_t *state, bool planar) {
    static const shape_kind in_space[] = {SHAPE_SPHERE, SHAPE_CAPSULE,  SHAPE_BOX,     SHAPE_HULL,
                                          SHAPE_HULL,   SHAPE_CYLINDER, SHAPE_CYLINDER};
    static const shape_kind figures[] = {SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_BOX, SHAPE_HULL,
                                         SHAPE_HULL,   SHAPE_DISK,    SHAPE_DISK};
    const int i = (int)between(state, 0, 7);
    return planar ? figures[i] : in_space[i];
}

/* A figure in the plane lies there: a capsule along x, the others about z. */
static void lay_down(uint64_t *state, shape *s) {
    static const double along_x[3][3] = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}};
    s->planar = true, s->points = 3 + (int)between(state, 0, 8);
    s->r[2] = s->size[2] = 0;
    if (s->kind == SHAPE_CAPSULE) memcpy(s->A, along_x, sizeof s->A);
}

static bool make(uint64_t *state, bool planar, placed *x) {
    polytope h = {0};
    shape s = {.kind = random_kind(state, planar), .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .hull = &h};
    s.radius = between(state, 0.05, 0.5), s.length = between(state, 0.1, 1.5);
    for (int k = 0; k < 3; k++) s.size[k] = between(state, 0.2, 1.5), s.r[k] = between(state, -0.3, 0.3);
    if (planar) lay_down(state, &s);
    bool made = s.kind != SHAPE_HULL || random_hull(state, planar, &h);
    made = made && core_create(&x->own, &s, (double[3]){0});
    polytope_destroy(&h);
    if (!made) return false;
    double p[4] = {between(state, -1, 1), between(state, -1, 1), between(state, -1, 1), between(state, -1, 1)};
    if (planar) p[1] = p[2] = 0;
    space_rotation(p, x->pose.A);
    for (int k = 0; k < (planar ? 2 : 3); k++) x->pose.r[k] = between(state, -1.2, 1.2);
    x->at.vertex = calloc((size_t)x->own.vertices + 1, sizeof *x->at.vertex);
    x->at.face = calloc((size_t)x->own.faces + 1, sizeof *x->at.face);
    if (!x->at.vertex || !x->at.face) return false;
    core_place(&x->own, &x->pose, &x->at);
    return true;
}

/* ---- distances by supports */

/* The point of a core that lies farthest along n; of a cylinder by its pose and sizes. */
static void support(const placed *p, const double n[3], double x[3]) {
    const core *c = &p->at;
    int best = 0;
    for (int i = 1; i < c->vertices; i++)
        if (space_dot(n, c->vertex[i]) > space_dot(n, c->vertex[best])) best = i;
    memcpy(x, c->vertex[best], 3 * sizeof *x);
    if (!(c->rim > 0)) return;
    const double e[3] = {p->pose.A[0][2], p->pose.A[1][2], p->pose.A[2][2]}, up = space_dot(n, e);
    double m[3] = {n[0] - up * e[0], n[1] - up * e[1], n[2] - up * e[2]};
    if (space_dot(m, m) < 1e-20 * space_dot(n, n)) return;
    for (int k = 0; space_unit(m) && k < 3; k++) x[k] += c->rim * m[k];
}

/* The point of the difference a - b that lies farthest along n. */
static void farthest(const placed *a, const placed *b, const double n[3], double s[3]) {
    const double down[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3];
    support(a, n, x), support(b, down, y);
    for (int k = 0; k < 3; k++) s[k] = x[k] - y[k];
}

static void find_distance(const placed *a, const placed *b, double *low, double *high) {
    double x[3], s[3];
    farthest(a, b, (double[3]){1, 0, 0}, x);
    *low = 0;
    for (int step = 0; step < 4000; step++) {
        const double down[3] = {-x[0], -x[1], -x[2]}, length = sqrt(space_dot(x, x));
        farthest(a, b, down, s);
        *high = length;
        if (!(length > 1e-9)) break;
        *low = fmax(*low, space_dot(x, s) / length);
        if (*high - *low < 1e-7) break;
        double way[3], square;
        for (int k = 0; k < 3; k++) way[k] = s[k] - x[k];
        square = space_dot(way, way);
        const double part = square > 0 ? fmin(1, fmax(0, -space_dot(x, way) / square)) : 0;
        for (int k = 0; k < 3; k++) x[k] += part * way[k];
    }
}

/* Of a above b along n. */
static double separation(const placed *a, const placed *b, const double n[3]) {
    const double down[3] = {-n[0], -n[1], -n[2]};
    double s[3];
    farthest(a, b, down, s);
    return space_dot(n, s);
}

/* ---- claims */

static void judge_round(const placed *a, const placed *b, double low, double high, campaign_case *c) {
    const double R = a->own.radius + b->own.radius, gap = features_gap(&a->at, &b->at);
    if (low < 1e-3) return;
    if (gap < low - R - 1e-9 || gap > high - R + 1e-9)
        campaign_violation(c, "the gap is %.9g, the distance between %.9g and %.9g\n", gap, low - R, high - R);
    c->count[ROUND]++;
}

/* No direction parts shapes that overlap by more than the gap. */
static void judge_directions(uint64_t *state, const placed *a, const placed *b, double gap, campaign_case *c) {
    for (int i = 0; i < 300 && gap < 0; i++) {
        double n[3] = {between(state, -1, 1), between(state, -1, 1), between(state, -1, 1)};
        if (a->own.planar) n[2] = 0;
        const double parts = space_unit(n) ? separation(a, b, n) : gap;
        if (parts > gap + 1e-5)
            campaign_violation(c, "a direction parts them by %.9g, more than the gap %.9g\n", parts, gap);
    }
}

static void judge_polytopes(uint64_t *state, const placed *a, const placed *b, double low, double high,
                            campaign_case *c) {
    const double gap = features_gap(&a->at, &b->at), back = features_gap(&b->at, &a->at);
    if (fabs(gap - back) > 1e-5) campaign_violation(c, "the gap is %.9g, and %.9g the other way round\n", gap, back);
    if (gap > high + 1e-9) campaign_violation(c, "the gap is %.9g, the distance at most %.9g\n", gap, high);
    if (low > 1e-5 && !(gap > 0)) campaign_violation(c, "they are %.9g apart, the gap is %.9g\n", low, gap);
    c->count[APART] += low > 1e-5, c->count[OVERLAPS] += gap < 0;
    if (a->own.rim + b->own.rim == 0) judge_directions(state, a, b, gap, c);
}

/* Moved along the line of their centres until they overlap by 1e-4, or, since gaps of rims are right to the square of
 * the depth, by 1e-5 with a cylinder: to a tenth of it. */
static void judge_meetings(uint64_t *state, placed *a, placed *b, campaign_case *c) {
    const double depth = a->own.rim + b->own.rim > 0 ? 1e-5 : 1e-4;
    double way[3], low = 0, high = 6, n[3], nearest = HUGE_VAL;
    for (int k = 0; k < 3; k++) way[k] = b->at.centre[k] - a->at.centre[k];
    if (!space_unit(way)) return;
    const double from[3] = {b->pose.r[0] - b->at.centre[0] + a->at.centre[0],
                            b->pose.r[1] - b->at.centre[1] + a->at.centre[1],
                            b->pose.r[2] - b->at.centre[2] + a->at.centre[2]};
    for (int step = 0; step < 50; step++) {
        const double far = (low + high) / 2;
        for (int k = 0; k < 3; k++) b->pose.r[k] = from[k] + far * way[k];
        core_place(&b->own, &b->pose, &b->at);
        if (features_gap(&a->at, &b->at) < -depth) low = far;
        else high = far;
    }
    meeting met[MEETINGS_MOST];
    const double gap = features_gap(&a->at, &b->at);
    const int count = features_meet(&a->at, &b->at, 0.01, 0, met);
    for (int i = 0; i < count; i++) nearest = fmin(nearest, fabs(meeting_gap(&a->at, &b->at, &met[i], n) - gap));
    if (!(nearest < depth / 10))
        campaign_violation(c, "%d meetings of shapes with the gap %.9g, the nearest %.3g off\n", count, gap, nearest);
    judge_directions(state, a, b, gap, c);
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t state = number;
    for (int pair = 0; pair < 20; pair++) {
        placed a = {0}, b = {0};
        const bool planar = pair % 4 == 3;
        if (make(&state, planar, &a) && make(&state, planar, &b)) {
            double low, high;
            find_distance(&a, &b, &low, &high);
            const bool polytopes = a.own.faces && b.own.faces;
            if (polytopes) judge_polytopes(&state, &a, &b, low, high, c), judge_meetings(&state, &a, &b, c);
            else judge_round(&a, &b, low, high, c);
            c->count[PAIRS]++;
        }
        core_destroy(&a.own), core_destroy(&b.own);
        free(a.at.vertex), free(b.at.vertex), free(a.at.face), free(b.at.face);
    }
}

int main(int argc, char **argv) {
    const campaign shapes = {.cases = "sets of pairs",
                             .few = 60,
                             .patience = 20,
                             .count = {"pairs", "round and apart", "with faces, apart", "with faces, overlapping"},
                             .judge = judge};
    return campaign_main(&shapes, argc, argv);
}
