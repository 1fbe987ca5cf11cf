/* Block Gauss-Seidel: each contact in turn is solved exactly, the others held. A sweep starts from percussions that go
 * on in the direction of the last one (Nesterov), and from the last ones themselves after a sweep that changed more
 * than the one before. */
#include "friction/block.h"
#include "friction/contact.h"
#include "friction/parts.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000, EVERY = 10 }; /* sweeps; sweeps between looks at the error */

/* h = u without the contact's own percussion */
static void held(const friction_problem *p, int a, const double *r, double h[3]) {
    for (int i = 0; i < 3; i++) h[i] = p->q[3 * a + i];
    for (int e = p->start[a]; e < p->start[a + 1]; e++) {
        if (e == p->diagonal[a]) continue;
        block_apply(p->W[e], r + 3 * p->index[e], h);
    }
}

/* Returns the square of the change; *onward: its product with the change since the last sweep. */
static double sweep(const friction_problem *p, contact *contacts, const double *last, double *r, double *onward) {
    double change = 0, h[3], before[3];
    *onward = 0;
    for (int a = 0; a < p->contacts; a++) {
        double *own = r + 3 * a;
        memcpy(before, own, sizeof before);
        held(p, a, r, h);
        contact_solve(&contacts[a], h, own);
        for (int i = 0; i < 3; i++) {
            double step = own[i] - before[i];
            change += step * step;
            *onward += step * (own[i] - last[3 * a + i]);
        }
    }
    return change;
}

/* y = r + beta (r - last), last = r; y is where the next sweep starts. */
static void extrapolate(int n, double beta, double *r, double *last) {
    for (int i = 0; i < n; i++) {
        double now = r[i];
        r[i] = now + beta * (now - last[i]);
        last[i] = now;
    }
}

/* Whether the sweeps that are left, if the error goes on to fall as it did, cost more than Newton's method. Momentum
 * needs time to build up: half of that cost is spent before anything is concluded from the rate. */
static bool tires(island *s, double before) {
    double rate = log(before / s->error) / EVERY, left = log(s->error / s->tolerance) / rate;
    double patience = island_patience(s);
    return s->sweeps >= patience / 2 && !(left > 0 && left <= patience);
}

bool sweeps_solve(island *s) {
    const friction_problem *p = &s->problem;
    int n = 3 * p->contacts;
    contact *contacts = malloc((size_t)p->contacts * sizeof *contacts);
    double *r = malloc(2 * (size_t)n * sizeof *r), *last = r + n, change, onward, before = INFINITY, t = 1,
           error = s->error;
    s->exhausted = !contacts || !r;
    for (int a = 0; contacts && a < p->contacts; a++) contact_prepare(&contacts[a], p->W[p->diagonal[a]], p->mu[a]);
    if (r) memcpy(r, s->r, (size_t)n * sizeof *r), memcpy(last, r, (size_t)n * sizeof *r);
    for (int k = 1; !s->exhausted && !stop_asked() && k <= MOST && s->error > s->tolerance; k++, s->sweeps++) {
        change = sweep(p, contacts, last, r, &onward);
        if (k % EVERY == 0 || k < 4) {
            friction_velocities(p, r, s->u);
            island_compare(s, r, s->u);
        }
        if (k % EVERY == 0) {
            s->late = clock_seconds() > s->deadline;
            if (s->late || (s->error > s->tolerance && s->hands_over && tires(s, error))) break;
            error = s->error;
        }
        bool astray = change > before || onward < 0;
        double next = astray ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2;
        extrapolate(n, astray ? 0 : (t - 1) / next, r, last);
        before = change, t = next;
    }
    free(contacts);
    free(r);
    return s->error <= s->tolerance;
}
