/* How long an interval is: all of the rest of a step, or up to the first gap that closes in it. */
#include "integrator/interval.h"

#include <float.h>
#include <math.h>

static bool touches(const interval *x, int k) {
    for (int i = 0; i < x->closed; i++)
        if (x->touching[i] == k) return true;
    return false;
}

/* The smallest gap at the end, of contacts that can close in the interval: they do not touch at the beginning, or hop.
 */
static double nearest(const interval *x) {
    double gap = INFINITY;
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap1[k] < gap && (x->hops[k] || !touches(x, k))) gap = x->gap1[k];
    return gap;
}

/* A contact hops if its gap is negative at the end, but not after the shortest time: it parts at the node and closes
 * again in between. With (Y7) the impulse depends on the length and leaves no such contact. */
static bool find_hops(interval *x, double shortest, bool *found, step_report *report) {
    const double near = interval_reach(x);
    for (int i = 0; i < x->closed; i++) x->hops[x->touching[i]] = x->gap1[x->touching[i]] < -near;
    if (!interval_traverse(x, shortest, report)) return false;
    *found = false;
    for (int i = 0; i < x->closed; i++) {
        const int k = x->touching[i];
        x->hops[k] = x->hops[k] && x->gap1[k] > near;
        *found = *found || x->hops[k];
    }
    return true;
}

/* Whether a gap could close and open again within the interval: its rate at the beginning would close it. */
static bool dips(interval *x, bool *possible, step_report *report) {
    const carom_model_def *d = &x->m->def;
    *possible = false;
    if (!d->contacts) return true;
    for (int j = 0; j < d->nu; j++) x->kick[j] = x->kicked[j] - x->h / 2 * x->f[j];
    drift_rates(&x->drift, x->kick, x->column);
    if (d->velocity(d->context, x->t, x->q, x->column, x->s, NULL, NULL)) return interval_undefined(x, report);
    for (int k = 0; k < d->contacts; k++)
        *possible = *possible || (x->gap[k] + x->h * x->s[x->m->N + k] < 0 && !touches(x, k));
    return true;
}

/* (Y5): between low, where all gaps are open, and high, where one is not. Ends on the open side. */
static bool find_contact(interval *x, double low, double high, double g_low, double g_high, step_report *report) {
    enum { ITERATIONS = 200 };
    const double near = interval_reach(x);
    double weight_low = g_low, weight_high = g_high;
    for (int n = 0; n < ITERATIONS && g_low > near && high - low > DBL_EPSILON * high; n++) {
        double at = (low * weight_high - high * weight_low) / (weight_high - weight_low);
        if (n % 3 == 2 || !(at > low && at < high)) at = (low + high) / 2;
        if (!interval_traverse(x, at, report)) return false;
        double g = nearest(x);
        if (g < 0) high = at, weight_high = g, weight_low /= 2;
        else low = at, weight_low = g_low = g, weight_high /= 2;
    }
    if (!interval_traverse(x, low, report)) return false;
    interval_count_miss(x, "the gap of a contact", (nearest(x) - near) / high,
                        64 * DBL_EPSILON * interval_fastest(x, x->v));
    return true;
}

/* The interval from the node, of length rest or up to the next contact. If a gap is within reach of zero at the end, it
 * closes there: an instant that differs from the end of the step by round-off does not cut the interval. */
bool interval_pass(interval *x, double rest, step_report *report) {
    enum { SAMPLES = 4, SHORTEST = 100 };
    const double shortest = rest / SHORTEST, near = interval_reach(x);
    bool look, hopping = false;
    double low = 0, g_low = INFINITY;
    if (!interval_traverse(x, rest, report) || !dips(x, &look, report)) return false;
    const bool closes = look || nearest(x) < -near, entered = x->at_node && interval_entered(x);
    if (!closes && !entered) return true;
    if (entered && !find_hops(x, shortest, &hopping, report)) return false;
    if (!closes && !hopping) return interval_traverse(x, rest, report);
    for (int k = 0; k < x->m->def.contacts; k++)
        if (!touches(x, k)) g_low = fmin(g_low, x->gap[k]);
    for (int i = hopping ? 0 : 1; i <= SAMPLES; i++) {
        double at = i == 0 ? shortest : i < SAMPLES ? rest * i / SAMPLES : rest;
        if (!interval_traverse(x, at, report)) return false;
        double g = nearest(x);
        if (i == 0 && g < -near) interval_forget_hops(x); /* another gap closes before */
        if (g < -near) return find_contact(x, low, at, g_low, g, report);
        low = at, g_low = g;
    }
    return true;
}
