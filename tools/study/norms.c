#include "study/norms.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* max_n max_k |e_n^k| */
static double maximum_norm(double dt, long rows, int m, const double *e) {
    (void)dt;
    double most = 0;
    for (long i = m; i < rows * m; i++) most = fabs(e[i]) > most || isnan(e[i]) ? fabs(e[i]) : most;
    return most;
}

/* (dt sum_n |e_n|^2)^(1/2) */
static double euclidean(double dt, long rows, int m, const double *e) {
    double sum = 0;
    for (long i = m; i < rows * m; i++) sum += e[i] * e[i];
    return sqrt(dt * sum);
}

/* dt sum_n sum_k |e_n^k| */
static double absolute(double dt, long rows, int m, const double *e) {
    double sum = 0;
    for (long i = m; i < rows * m; i++) sum += fabs(e[i]);
    return dt * sum;
}

/* 1/T integral of |e|^2 by the trapezoidal rule */
static double mean_square(double dt, long rows, int m, const double *e) {
    (void)dt;
    double sum = 0;
    for (long n = 0; n < rows; n++)
        for (int k = 0; k < m; k++) sum += e[n * m + k] * e[n * m + k] * (n == 0 || n == rows - 1 ? 0.5 : 1);
    return sum / (double)(rows - 1);
}

/* max_k dt sum_n |e_n^k| */
static double worst_component(double dt, long rows, int m, const double *e) {
    double most = 0;
    for (int k = 0; k < m; k++) {
        double sum = 0;
        for (long n = 1; n < rows; n++) sum += fabs(e[n * m + k]);
        most = sum > most || isnan(sum) ? sum : most;
    }
    return dt * most;
}

const norm norms[NORMS] = {
    {"max", "max_n max_k |e_n^k|", "", 1, 0, 0, false, maximum_norm},
    {"l2", "(dt sum_n |e_n|^2)^(1/2)", "", 1, 0.5, 0.5, false, euclidean},
    {"lobatto", "dt sum_n sum_k |e_n^k|", "lobatto (74)", 1, 1, 1, false, absolute},
    {"moreau", "1/T integral |e|^2 dt", "moreau (65)", 2, 1, 0, false, mean_square},
    {"nsga", "sum_n sum_k |e_n^k| / sum_n sum_k |f_n^k|", "nsga (64)", 1, 1, 1, true, absolute},
    {"rattle", "max_k dt sum_n |e_n^k|", "rattle (56), p = 1", 1, 0, 1, false, worst_component},
};

int norm_find(const char *name) {
    for (int i = 0; i < NORMS; i++)
        if (!strcmp(norms[i].name, name)) return i;
    return -1;
}

static double relative_to(const norm *kind, double value, double dt, double total) {
    if (!kind->relative) return value;
    return total > 0 ? value / (dt * total) : NAN;
}

double norm_of(const norm *kind, double dt, long rows, int m, const double *e, double total) {
    return relative_to(kind, kind->of(dt, rows, m, e), dt, total);
}

double norm_of_constant(const norm *kind, double dt, long rows, int m, double c, double total) {
    double value = pow(c, kind->power) * pow(m, kind->components) * pow(dt * (double)(rows - 1), kind->duration);
    return relative_to(kind, value, dt, total);
}

double order_between(const norm *kind, double dt1, double error1, double dt2, double error2) {
    double order = log(error1 / error2) / log(dt1 / dt2) / kind->power;
    return isfinite(order) ? order : NAN;
}

double order_of(const norm *kind, int count, const double *dt, const double *error, const bool *use) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        if ((use && !use[i]) || !(error[i] > 0) || isinf(error[i])) continue;
        double a = log(dt[i]), b = log(error[i]);
        n++, x += a, y += b, xx += a * a, xy += a * b;
    }
    return n < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x) / kind->power;
}

static const double STALLED = 0.1; /* a scheme that converges does not show so low an order twice */

bool order_stalls(const norm *kind, int count, const double *dt, const double *error, const bool *floor) {
    if (count < 3) return false;
    for (int i = count - 2; i < count; i++)
        if (floor[i] || !(fabs(order_between(kind, dt[i - 1], error[i - 1], dt[i], error[i])) < STALLED)) return false;
    return true;
}

void mark_floor(const norm *kind, int count, const double *dt, const double *error, const double *tiny,
                const double *small, bool *floor) {
    int before = -1;
    for (int i = 0; i < count; i++) {
        floor[i] = false;
        if (isnan(error[i])) continue;
        bool use[MOST_STEP_SIZES];
        for (int k = 0; k < i; k++) use[k] = !floor[k];
        double typical = order_of(kind, i, dt, error, use);
        double here = before >= 0 ? order_between(kind, dt[before], error[before], dt[i], error[i]) : NAN;
        bool broken = before >= 0 && (floor[before] || here < typical / 2);
        floor[i] = error[i] <= tiny[i] || (error[i] <= small[i] && broken);
        before = i;
    }
}
