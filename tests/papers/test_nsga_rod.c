/* Rocking rods (nsga, section 5.2) against an event-driven computation: flights are parabolas with constant spin, the
 * instant of a strike is bisected, and Newton's and Coulomb's laws at one support are solved by hand. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double m = 0.48, J = 4e-2, g = 9.8, a = 0.4, e = 0.6262, end = 0.3;

typedef struct rod {
    double h2, mu[2];     /* second support below the first, friction of both */
    double t, q[3], u[3]; /* x, y, theta of the middle */
} rod;
typedef struct strike {
    double t, PN, PF;
    int support;
} strike;

/* ---------------------------------------------------------------- by hand */

static void fly(const rod *r, double time, double q[3]) {
    for (int i = 0; i < 3; i++) q[i] = r->q[i] + time * r->u[i];
    q[1] -= g * time * time / 2;
}

/* From the support to the middle of the rod, along and across it: across is the gap. */
static void arms(const rod *r, int support, const double q[3], double *along, double *across) {
    double x = q[0] + (support ? -a / 2 : a / 2), y = q[1] + (support ? r->h2 : 0), c = cos(q[2]), s = sin(q[2]);
    *along = c * x + s * y, *across = -s * x + c * y;
}
static double gap_after(const rod *r, int support, double time) {
    double q[3], along, across;
    fly(r, time, q);
    arms(r, support, q, &along, &across);
    return across;
}

/* First time from now at which the gap is no longer positive; beyond: none. It does not close and open in 1e-3. */
static double time_of_strike(const rod *r, int support, double beyond) {
    for (double late = 1e-3; late < beyond + 1e-3; late += 1e-3) {
        if (gap_after(r, support, late) > 0) continue;
        double early = late - 1e-3;
        for (int i = 0; i < 60; i++) {
            double middle = (early + late) / 2;
            if (gap_after(r, support, middle) > 0) early = middle;
            else late = middle;
        }
        return late;
    }
    return beyond;
}

/* gap_dot = n^T u and slip = k^T u; P_N so that gap_dot^+ = -e gap_dot^-, P_F so that the slip stops, or sliding. */
static strike impact(rod *r, int support) {
    double along, across, c = cos(r->q[2]), s = sin(r->q[2]);
    arms(r, support, r->q, &along, &across);
    const double n[3] = {-s, c, -along}, k[3] = {c, s, 0}, mass[3] = {m, m, J};
    double nn = 0, nk = 0, kk = 0, rate = 0, slip = 0;
    for (int i = 0; i < 3; i++) {
        nn += n[i] * n[i] / mass[i], nk += n[i] * k[i] / mass[i], kk += k[i] * k[i] / mass[i];
        rate += n[i] * r->u[i], slip += k[i] * r->u[i];
    }
    double det = nn * kk - nk * nk, mu = r->mu[support], sign = slip > 0 ? -1 : 1;
    double PN = (-(1 + e) * rate * kk + slip * nk) / det, PF = (-slip * nn + (1 + e) * rate * nk) / det;
    if (fabs(PF) > mu * PN) PN = -(1 + e) * rate / (nn + sign * mu * nk), PF = sign * mu * PN;
    for (int i = 0; i < 3; i++) r->u[i] += (n[i] * PN + k[i] * PF) / mass[i];
    return (strike){r->t, PN, PF, support};
}

static int by_hand(rod r, strike *list, int most) {
    for (int count = 0; count < most; count++) {
        double left = end - r.t, time[2] = {time_of_strike(&r, 0, left), time_of_strike(&r, 1, left)}, q[3];
        int support = time[1] < time[0];
        if (time[support] >= left) return count;
        fly(&r, time[support], q);
        r.u[1] -= g * time[support];
        for (int i = 0; i < 3; i++) r.q[i] = q[i];
        r.t += time[support];
        list[count] = impact(&r, support);
    }
    return most;
}

/* ---------------------------------------------------------------- by nsga */

enum { MOST = 8 };
static const rod cases[4] = {{0, {0.1, 0.1}, 0, {0}, {0}},
                             {0, {0, 0.1}, 0, {0}, {0}},
                             {0.4, {0.3, 0.3}, 0, {0}, {0}},
                             {0.4, {0, 0.3}, 0, {0}, {0}}};

/* placement 0: h1 is the height of the middle over support 1; 1: of the rod over support 2. */
static rod rod_of_case(int k, int placement) {
    rod r = cases[k];
    r.q[2] = 12 * M_PI / 180;
    r.q[1] = placement ? 0.104 - r.h2 - a / 2 * tan(r.q[2]) : 0.104;
    return r;
}

/* Strikes of a run; no gap is ever negative, no percussion leaves its cone. */
static int by_nsga(int k, int placement, double dt, strike *list) {
    char scene[64], with_dt[40];
    snprintf(scene, sizeof scene, "paper/nsga/rocking_rod_%d", k + 1);
    snprintf(with_dt, sizeof with_dt, "run.dt=%.17g", dt);
    trial run =
        trial_scene(scene, with_dt, placement ? "parameters.y0=h1 - h2 - a/2*tan(tilt)" : "parameters.y0=h1", NULL);
    int count = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        for (int i = 0; i < 2; i++) {
            const double PN = carom_sim_percussion(run.sim)[i], PF = carom_sim_percussion(run.sim)[2 + i];
            assert_at_least(trial_value(&run, i ? "support2.gap" : "support1.gap"), -1e-12); /* tolerance times dt */
            assert_at_least(PN, 0);
            assert_at_most(fabs(PF), cases[k].mu[i] * PN + 1e-11); /* the tolerance, of a mass of 1/2 */
            if (PN == 0) continue;
            assert_true(count < MOST);
            list[count++] = (strike){trial_value(&run, "t"), PN, PF, i};
        }
    }
    trial_close(&run);
    return count;
}

/* A strike is captured at the end of the step it falls into, up to dt late. The rod is held where it touches until
 * then, so that each strike shifts the next by a step at most; and a step more of falling changes the percussion by
 * m (1 + e) g dt < 8 dt at most. First order: these bounds shrink with dt, and nothing else is left. */
static void strikes_converge(void **state) {
    (void)state;
    for (int placement = 0; placement < 2; placement++)
        for (int k = 0; k < 4; k++) {
            strike exact[MOST], found[MOST];
            const rod r = rod_of_case(k, placement);
            if (gap_after(&r, 0, 0) < 0 || gap_after(&r, 1, 0) < 0) continue; /* the rod does not fit there */
            const int count = by_hand(r, exact, MOST);
            assert_true(count >= 1);
            for (double dt = 1e-3; dt > 5e-5; dt /= 2) {
                assert_int_equal(by_nsga(k, placement, dt, found), count);
                double instant = 0, percussion = 0;
                for (int i = 0; i < count; i++) {
                    double late = found[i].t - exact[i].t,
                           off = fmax(fabs(found[i].PN - exact[i].PN), fabs(found[i].PF - exact[i].PF));
                    assert_int_equal(found[i].support, exact[i].support);
                    if (i == 0) assert_true(late >= 0 && late <= dt);
                    assert_at_most(fabs(late), (i + 1) * dt);
                    assert_at_most(off, (i + 1) * 8 * dt);
                    instant = fmax(instant, fabs(late)), percussion = fmax(percussion, off);
                }
                printf("case %d%c, dt = %.1e: %d strikes, instants off by %.2f dt, percussions by %.2f dt\n", k + 1,
                       "AB"[placement], dt, count, instant / dt, percussion / dt);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strikes_converge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
