#include "foot.h"

/* Squares of distances from the axis are held above this, and slopes of G above that. */
#define LEAST 1e-20
#define LEAST_SLOPE 1e-6
enum { STEPS = 100, TRIES = 4 };

/* ---------------------------------------------------------------- numbers */

/* G, which vanishes at the place, and its derivative by s (CF49) */
static double miss(double k, double j, double P, double s, double *slope) {
    const double R = sqrt(fmax(P + s * (k * s - 2 * j), LEAST));
    *slope = 1 - (k * P - j * j) / (R * R * R);
    return s - (k * s - j) / R;
}

/* From where on G grows, if it falls before that, and its value there (CF50). */
static double turning_place(double k, double j, double P, double *value) {
    const double R = cbrt(fmax(k * P - j * j, 0)), root = sqrt(fmax(k - R, 0)), s = (j + R * root) / k;
    *value = s - root;
    return s;
}

/* Newton's method from the far end, where G is convex, goes one way until round-off turns it round. */
double foot_value(double k, double j, double P) {
    const bool single = k * P - j * j >= k * k * k;
    const double side = single && j > 0 ? -1 : 1;
    double s = side * sqrt(k), slope, least;
    if (!single) {
        const double turn = turning_place(k, j, P, &least);
        if (!(turn < s && least < 0)) return turn < s ? turn : s;
    }
    for (int step = 0; step < STEPS; step++) {
        const double next = s - miss(k, j, P, s, &slope) / slope;
        if (!(side * next < side * s)) break;
        s = next;
    }
    return s;
}

void foot_slopes(double k, double j, double P, double s, double slope[3]) {
    double along;
    const double square = fmax(P + s * (k * s - 2 * j), LEAST), R = sqrt(square);
    miss(k, j, P, s, &along);
    along = fmax(along, LEAST_SLOPE);
    slope[0] = (s / R - s * s * s / (2 * square)) / along;
    slope[1] = (s * s / square - 1 / R) / along;
    slope[2] = -s / (2 * square) / along;
}

/* ---------------------------------------------------------------- ranges */

typedef struct place_ranges {
    carom_range k, j, P, s, R, square, slope; /* square: of R */
} place_ranges;

static place_ranges at_places(const jet *k, const jet *j, const jet *P, carom_range s) {
    place_ranges x = {.k = k->v, .j = j->v, .P = P->v, .s = s};
    const carom_range back = range_subtract(range_multiply(x.k, s), range_scale(2, x.j));
    x.square = range_add(x.P, range_multiply(s, back));
    x.square.least = most_of(x.square.least, LEAST), x.square.most = most_of(x.square.most, LEAST);
    x.R = range_sqrt(x.square);
    const carom_range M = range_subtract(range_multiply(x.k, x.P), range_square(x.j));
    x.slope = range_subtract((carom_range){1, 1}, range_divide(M, range_multiply(x.R, x.square)));
    return x;
}

/* Where G vanishes, if all of it lies in s, about the middle: one step of Newton's method in ranges (CF51). */
static carom_range newton_step(const jet *k, const jet *j, const jet *P, double middle, carom_range slope) {
    const carom_range point = {middle, middle};
    const place_ranges x = at_places(k, j, P, point);
    const carom_range T = range_divide(range_subtract(range_multiply(x.k, point), x.j), x.R);
    return range_subtract(point, range_divide(range_subtract(point, T), slope));
}

/* False: not known. */
static bool enclose(const jet *k, const jet *j, const jet *P, carom_range *s) {
    const double middle =
        foot_value((k->v.least + k->v.most) / 2, (j->v.least + j->v.most) / 2, (P->v.least + P->v.most) / 2);
    double reach = 1e-14;
    for (int i = 0; i < TRIES; i++) {
        const carom_range guess = {middle - reach, middle + reach};
        const place_ranges x = at_places(k, j, P, guess);
        if (!(x.slope.least > LEAST_SLOPE)) return false;
        *s = newton_step(k, j, P, middle, x.slope);
        if (s->least > guess.least && s->most < guess.most) return true;
        reach = 1.5 * most_of(middle - s->least, s->most - middle) + 1e-14;
    }
    return false;
}

static carom_range rate_of(const jet *k, const jet *j, const jet *P, const place_ranges *x) {
    const carom_range inverse = range_inverse(x->R), s_R = range_multiply(x->s, inverse), half = {0.5, 0.5};
    const carom_range square = range_square(s_R), cube = range_multiply(half, range_multiply(x->s, square));
    const carom_range by_k = range_subtract(s_R, cube), by_j = range_subtract(square, inverse);
    const carom_range by_P = range_multiply(half, range_divide(x->s, x->square));
    const carom_range first = range_add(range_multiply(by_k, k->r), range_multiply(by_j, j->r));
    return range_divide(range_subtract(first, range_multiply(by_P, P->r)), x->slope);
}

jet foot_jet(const jet *k, const jet *j, const jet *P) {
    const bool partial = k->partial || j->partial || P->partial;
    carom_range s;
    if (partial || !enclose(k, j, P, &s)) {
        const double most = above(sqrt(most_of(k->v.most, 0)));
        return jet_made((carom_range){-most, most}, RANGE_ALL, partial);
    }
    const place_ranges x = at_places(k, j, P, s);
    return jet_made(s, rate_of(k, j, P, &x), false);
}
