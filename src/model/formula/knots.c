#include "knots.h"

#include <math.h>

/* ---------------------------------------------------------------- polynomials */

/* Second derivatives of the natural cubic spline, by elimination of its three diagonals. */
static void bend(int n, const double *x, const double *y, double *second, double *upper) {
    second[0] = upper[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double h = x[i] - x[i - 1], next = x[i + 1] - x[i], pivot = 2 * (h + next) - h * upper[i - 1];
        double jump = (y[i + 1] - y[i]) / next - (y[i] - y[i - 1]) / h;
        upper[i] = next / pivot;
        second[i] = (6 * jump - h * second[i - 1]) / pivot;
    }
    second[n - 1] = 0;
    for (int i = n - 2; i > 0; i--) second[i] -= upper[i] * second[i + 1];
}

void knots_fill(int count, const double *x, const double *y, knot_method method, double *row, double *room) {
    double *second = room;
    for (int i = 0; i < count; i++) second[i] = 0;
    if (method == KNOTS_CUBIC) bend(count, x, y, second, room + count);
    for (int n = -1; n < count; n++, row += KNOT_ROW) {
        int i = n < 0 ? 0 : n;
        bool outside = n < 0 || n == count - 1;
        double h = outside ? 1 : x[i + 1] - x[i];
        row[KNOT_X] = x[i], row[KNOT_C0] = y[i];
        row[KNOT_C1] = row[KNOT_C2] = row[KNOT_C3] = 0;
        row[KNOT_RATE] = outside ? 0 : 1 / h;
        if (outside || method == KNOTS_STEP) continue;
        row[KNOT_C1] = (y[i + 1] - y[i]) / h - h / 6 * (2 * second[i] + second[i + 1]);
        row[KNOT_C2] = second[i] / 2;
        row[KNOT_C3] = (second[i + 1] - second[i]) / (6 * h);
    }
}

/* ---------------------------------------------------------------- places */

static const double *row_of(const knots *k, int n) {
    return k->row + (size_t)(n + 1) * KNOT_ROW;
}

double knots_place(const knots *k, double x) {
    int low = -1, high = k->count; /* x_low <= x < x_high */
    if (isnan(x)) return NAN;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x >= row_of(k, middle)[KNOT_X]) low = middle;
        else high = middle;
    }
    const int n = low;
    const double first = row_of(k, 0)[KNOT_X], last = row_of(k, k->count - 1)[KNOT_X];
    if (n < 0) return fmax(-1, -(first - x) / (last - first)); /* anything below 0 */
    if (n == k->count - 1) return n + fmin(0.5, (x - last) / (last - first));
    return fmin(n + (x - row_of(k, n)[KNOT_X]) * row_of(k, n)[KNOT_RATE], nextafter(n + 1, 0));
}

double knots_entry(const knots *k, double n, int column) {
    if (isnan(n)) return NAN;
    return row_of(k, (int)fmin(fmax(n, -1), k->count - 1))[column];
}

double knots_value(const knots *const *tables, bool place, double a, double b) {
    if (!tables) return NAN;
    if (place) return knots_place(tables[(int)b], a);
    return knots_entry(tables[(int)b / KNOT_COLUMNS], a, (int)b % KNOT_COLUMNS);
}

/* ---------------------------------------------------------------- ranges */

carom_range knots_place_range(const knots *k, carom_range x, carom_range *slope) {
    const double from = knots_place(k, x.least), to = knots_place(k, x.most);
    *slope = (carom_range){INFINITY, -INFINITY};
    const double outside = 1 / (row_of(k, k->count - 1)[KNOT_X] - row_of(k, 0)[KNOT_X]);
    for (int n = (int)floor(from); n <= (int)floor(to); n++) {
        bool out = n < 0 || n >= k->count - 1;
        double rate = out ? outside : row_of(k, n)[KNOT_RATE];
        slope->least = fmin(slope->least, out ? 0 : rate), slope->most = fmax(slope->most, rate);
    }
    const double wide = 0x1p-50; /* round-off */
    slope->least *= 1 - wide, slope->most *= 1 + wide;
    return (carom_range){from - wide * (1 + fabs(from)), to + wide * (1 + fabs(to))};
}

carom_range knots_entry_range(const knots *k, carom_range n, int column) {
    int first = (int)fmin(fmax(n.least, -1), k->count - 1), last = (int)fmin(fmax(n.most, -1), k->count - 1);
    carom_range y = {INFINITY, -INFINITY};
    for (int i = first; i <= last; i++) {
        const double value = row_of(k, i)[column];
        y.least = fmin(y.least, value), y.most = fmax(y.most, value);
    }
    return y;
}
