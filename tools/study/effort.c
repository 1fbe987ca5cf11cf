#include "study/effort.h"

#include <math.h>

/* A flatter line shows no order, but round-off or an error that the method does not reduce. */
static const double LEAST_SLOPE = 0.1;
/* Lines are extended over at most so many powers of ten of time. */
static const double MOST_DECADES = 6;
/* Errors across impacts depend on where in a step the impact lies. So a slope is fitted to several runs. */
enum { FITTED = 4 };

typedef struct place {
    double error, seconds; /* logarithms */
} place;

static bool place_of(double error, double seconds, place *p) {
    *p = (place){log10(error), log10(seconds)};
    return isfinite(p->error) && isfinite(p->seconds);
}

/* How fast log(error) falls as log(seconds) grows. */
static double slope_between(place a, place b) {
    return -(b.error - a.error) / (b.seconds - a.seconds);
}

/* The same by least squares. */
static double slope_of(const place *p, int count) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) x += p[i].seconds / count, y += p[i].error / count;
    for (int i = 0; i < count; i++) {
        xx += (p[i].seconds - x) * (p[i].seconds - x);
        xy += (p[i].seconds - x) * (p[i].error - y);
    }
    return -xy / xx;
}

/* p[0] is next to the error; p[1], .. follow it. */
static effort beyond(const place *p, int count, double error) {
    double slope = slope_of(p, count), further = (p[0].error - error) / slope;
    bool known = slope > LEAST_SLOPE && slope_between(p[0], p[1]) > LEAST_SLOPE && fabs(further) < MOST_DECADES;
    return (effort){known ? pow(10, p[0].seconds + further) : NAN, true};
}

/* Collects up to FITTED runs that count, starting at first, in steps of 1 or -1. Returns their number. */
static int gather_runs(const double *errors, const double *seconds, int count, int first, int step, place *p) {
    int found = 0;
    for (int i = first; i >= 0 && i < count && found < FITTED; i += step)
        found += place_of(errors[i], seconds[i], &p[found]);
    return found;
}

effort effort_for(double wanted, const double *errors, const double *seconds, int count) {
    place last = {0}, next, near[FITTED + 1];
    double error = log10(wanted);
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (!place_of(errors[i], seconds[i], &next)) continue;
        if (next.error <= error && any) {
            double part = (error - last.error) / (next.error - last.error);
            return (effort){pow(10, last.seconds + part * (next.seconds - last.seconds)), false};
        }
        if (next.error == error) return (effort){seconds[i], false};
        if (next.error < error) { /* already the coarsest run is better than that */
            int found = gather_runs(errors, seconds, count, i, 1, near);
            return found > 1 ? beyond(near, found, error) : (effort){NAN, false};
        }
        last = next;
        any = true;
    }
    int found = gather_runs(errors, seconds, count, count - 1, -1, near);
    return found > 1 ? beyond(near, found, error) : (effort){NAN, false};
}
