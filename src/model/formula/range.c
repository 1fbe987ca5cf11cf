#include "range.h"

/* Functions of libm are off by a few units in the last place. */
static double function_below(double y) {
    return below(y - fabs(y) * 0x1p-49);
}
static double function_above(double y) {
    return above(y + fabs(y) * 0x1p-49);
}
static carom_range function_outward(double least, double most) {
    return (carom_range){function_below(least), function_above(most)};
}

carom_range range_inverse(carom_range a) {
    return contains(a, 0) ? RANGE_ALL : outward(1 / a.most, 1 / a.least);
}

carom_range range_divide(carom_range a, carom_range b) {
    if (contains(b, 0)) return is_zero(a) ? a : RANGE_ALL;
    if (is_zero(a)) return a;
    double w = a.least / b.least, x = a.least / b.most, y = a.most / b.least, z = a.most / b.most;
    if (w != w || x != x || y != y || z != z) return RANGE_ALL;
    return outward(least_of(least_of(w, x), least_of(y, z)), most_of(most_of(w, x), most_of(y, z)));
}

carom_range range_sqrt(carom_range a) {
    if (a.most < 0) return RANGE_ALL;
    carom_range s = outward(sqrt(most_of(a.least, 0)), sqrt(a.most));
    return (carom_range){most_of(s.least, 0), s.most};
}

carom_range range_rising(double (*f)(double), carom_range a) {
    return function_outward(f(a.least), f(a.most));
}

carom_range range_falling(double (*f)(double), carom_range a) {
    return function_outward(f(a.most), f(a.least));
}

/* ---------------------------------------------------------------- sine and cosine */

static const double PI = 3.14159265358979323846;
static const double FAR = 1e9; /* beyond, sine and cosine are anything between -1 and 1 */
static const double MARGIN =
    1e-6; /* an extremum this close counts as inside: that widens the result by less than 1e-12 */

/* Is x + 2 pi k in the range for some k? */
static bool meets(carom_range a, double x) {
    double k = ceil((a.least - x - MARGIN) / (2 * PI));
    return x + 2 * PI * k <= a.most + MARGIN;
}

/* Between the values at the ends; the range reaches to the greatest value if x is met, and to the least if x -
 * pi is. */
static carom_range wave(carom_range a, double at_least, double at_most, double x) {
    carom_range y = function_outward(least_of(at_least, at_most), most_of(at_least, at_most));
    if (y.least < -1 || meets(a, x - PI)) y.least = -1;
    if (y.most > 1 || meets(a, x)) y.most = 1;
    return y;
}

static bool is_far(carom_range a) {
    return !(a.least > -FAR && a.most < FAR && a.most - a.least < 2 * PI);
}

carom_range range_sin(carom_range a) {
    return is_far(a) ? (carom_range){-1, 1} : wave(a, sin(a.least), sin(a.most), PI / 2);
}

carom_range range_cos(carom_range a) {
    return is_far(a) ? (carom_range){-1, 1} : wave(a, cos(a.least), cos(a.most), 0);
}

/* ---------------------------------------------------------------- powers */

/* a^b = exp(b log(a)) has its extremes at corners, and so have angles of a box without the origin. */
static carom_range corners(double (*f)(double, double), carom_range a, carom_range b) {
    double w = f(a.least, b.least), x = f(a.least, b.most), y = f(a.most, b.least), z = f(a.most, b.most);
    if (w != w || x != x || y != y || z != z) return RANGE_ALL;
    return function_outward(least_of(least_of(w, x), least_of(y, z)), most_of(most_of(w, x), most_of(y, z)));
}

static carom_range positive_power(carom_range a, carom_range b) {
    carom_range y = corners(pow, a, b);
    return (carom_range){most_of(y.least, 0), y.most};
}

/* n an integer, 0 inside of a */
static carom_range integer_power(carom_range a, double n) {
    if (n < 0) return RANGE_ALL;
    if (fmod(n, 2) != 0) return function_outward(pow(a.least, n), pow(a.most, n));
    carom_range m = range_magnitude(a), y = function_outward(pow(m.least, n), pow(m.most, n));
    return (carom_range){most_of(y.least, 0), y.most};
}

static carom_range negative_power(carom_range a, double n) {
    carom_range y = positive_power(range_negate(a), (carom_range){n, n});
    return fmod(n, 2) != 0 ? range_negate(y) : y;
}

carom_range range_power(carom_range a, carom_range b) {
    bool integer = is_point(b) && b.least == floor(b.least) && fabs(b.least) < 0x1p52;
    if (a.least >= 0) return positive_power(a, b);
    if (integer) return a.most < 0 ? negative_power(a, b.least) : integer_power(a, b.least);
    return a.most < 0 || !is_point(b) ? RANGE_ALL : positive_power((carom_range){0, a.most}, b);
}

/* ---------------------------------------------------------------- angles */

bool range_meets_cut(carom_range y, carom_range x) {
    return contains(y, 0) && x.least <= 0;
}

carom_range range_atan2(carom_range y, carom_range x) {
    return range_meets_cut(y, x) ? function_outward(-PI, PI) : corners(atan2, y, x);
}
