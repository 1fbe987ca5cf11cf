#include "study/work.h"

#include <math.h>

/* A line flatter than this has no order: round-off, or an error the method does not make smaller. */
static const double LEAST_SLOPE = 0.1;
/* Lines are followed over so many powers of ten of time, no further. */
static const double MOST_DECADES = 6;

typedef struct place {
    double error, seconds; /* logarithms */
} place;

static bool place_of(double error, double seconds, place *p) {
    *p = (place){log10(error), log10(seconds)};
    return isfinite(p->error) && isfinite(p->seconds);
}

/* log10 of the time at which the line through two runs has the error. */
static double on_line(place a, place b, double error) {
    return a.seconds + (b.seconds - a.seconds) * (error - a.error) / (b.error - a.error);
}

static work beyond(place a, place b, place near, double error) {
    double slope = -(b.error - a.error) / (b.seconds - a.seconds), seconds = on_line(a, b, error);
    bool known = slope > LEAST_SLOPE && fabs(seconds - near.seconds) < MOST_DECADES;
    return (work){known ? pow(10, seconds) : NAN, true};
}

work work_for(double wanted, const double *errors, const double *seconds, int count) {
    double error = log10(wanted);
    place first = {0}, before = {0}, last = {0};
    int seen = 0;
    for (int i = 0; i < count; i++) {
        place next;
        if (!place_of(errors[i], seconds[i], &next)) continue;
        if (seen > 0 && first.error <= error) return beyond(first, next, first, error);
        if (seen > 0 && next.error <= error) return (work){pow(10, on_line(last, next, error)), false};
        before = last, last = next;
        if (seen++ == 0) first = next;
    }
    if (seen == 1 && first.error == error) return (work){pow(10, first.seconds), false};
    return seen > 1 ? beyond(before, last, last, error) : (work){NAN, false};
}
