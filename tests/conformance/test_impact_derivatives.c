/* Derivatives through impacts that are processes, poisson (L9), energetic (L10), and one after the other, and of
 * restitution by the speed, (SE79). Closed forms
 * are differentiated by complex steps. Both ways, along the motion and back from its end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law_case.h"

/* ---------------------------------------------------------------- the tip of a rod, in closed form */

/* Inverse masses of the tip along the normal and along the slip, and what it moves with. */
typedef struct tip {
    number nn, nt, tt, mu, e;
    number N, T, P, PT, work; /* velocities, percussions, work of the phase */
} tip;

/* By a percussion d, P_T = r d. */
static void tip_move(tip *x, number d, number r) {
    const number N = x->N + d * (x->nn + r * x->nt);
    x->work += d * (x->N + N) / 2;
    x->N = N, x->T += d * (x->nt + r * x->tt), x->P += d, x->PT += r * d;
}

static bool slides(const tip *x) {
    return fabs(creal(x->T)) > 1e-12;
}

/* P_T/P_N: friction against the slip; at rest what holds it, or the most there is. */
static number tip_friction(const tip *x) {
    if (slides(x)) return creal(x->T) > 0 ? -x->mu : x->mu;
    const number holds = -x->nt / x->tt;
    return fabs(creal(holds)) <= creal(x->mu) ? holds : creal(holds) > 0 ? x->mu : -x->mu;
}

/* On until the phase is over: left(x, slope of N) is the percussion until then. Slip that stops on the way is zero. */
static void tip_phase(tip *x, number (*left)(const tip *x, number slope, number end), number end) {
    for (;;) {
        const number r = tip_friction(x), slope = x->nn + r * x->nt, d = left(x, slope, end);
        const number slip = x->nt + r * x->tt, stop = slides(x) ? -x->T / slip : 0;
        if (creal(stop) > 0 && creal(stop) < creal(d)) {
            tip_move(x, stop, r);
            x->T = 0;
            continue;
        }
        tip_move(x, d, r);
        return;
    }
}

static number to_rest(const tip *x, number slope, number end) {
    (void)end;
    return -x->N / slope;
}
static number to_percussion(const tip *x, number slope, number end) {
    (void)slope;
    return end - x->P;
}
static number to_work(const tip *x, number slope, number end) {
    return (csqrt(x->N * x->N + 2 * slope * (end - x->work)) - x->N) / slope;
}

/* The rod turns and flies without weight; its tip y = l sin a strikes. p: l, vx, vy, w, a0, mu, e. Its angle at 0.03.
 */
static number rod_angle(const number *p, bool work, bool by_speed) {
    const number l = p[0], w = p[3];
    number t = 0.01;
    for (int i = 0; i < 40; i++) {
        const number a = p[4] + w * t;
        t -= (0.39 + p[2] * t - l * csin(a)) / (p[2] - l * w * ccos(a));
    }
    const number a = p[4] + w * t, s = csin(a), c = ccos(a), J = l * l / 3;
    tip x = {.nn = 1 + l * c * l * c / J, .nt = -l * c * l * s / J, .tt = 1 + l * s * l * s / J, .mu = p[5], .e = p[6]};
    x.N = p[2] - l * w * c, x.T = p[1] + l * w * s;
    if (by_speed) x.e *= cexp(x.N / p[7]);
    tip_phase(&x, to_rest, 0);
    const number taken = -x.work, P = x.P;
    x.work = 0;
    tip_phase(&x, work ? to_work : to_percussion, work ? x.e * x.e * taken : (1 + x.e) * P);
    return a + (w + (-l * c * x.P + l * s * x.PT) / J) * (0.03 - t);
}

static number rod_by_percussions(const number *p) {
    return rod_angle(p, false, false);
}
static number rod_by_work(const number *p) {
    return rod_angle(p, true, false);
}

#define TIP(law, vx, mu)                                                                                               \
    "carom: 1\nparameters: {l: 0.5, vx: " vx ", vy: -1.83, w: 6.9, a0: 0.76, mu: " mu ", e: 0.9}\nmodel:\n"            \
    "  coordinates: {x: {velocity: vx}, y: {start: 0.39, velocity: vy}, a: {start: a0, velocity: w}}\n"                \
    "  kinetic: (x_dot^2 + y_dot^2)/2 + l^2/6*a_dot^2\n"                                                               \
    "  contacts: {tip: {gap: y - l*sin(a), slip: x_dot + l*a_dot*sin(a), friction: mu, restitution: e, "               \
    "impact: " law "}}\nrun: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.03, tolerance: 1e-13}\n"
#define BY {"l", "vx", "vy", "w", "a0", "mu", "e"}, 7

/* Slip stops and sticks; stops and turns round; goes on until the end; was turned the other way. Straight lines between
 * events are exact; tolerances of 1e-13 are divided by velocities of 0.1. */
static void a_rod_strikes(void **state) {
    static const law_case cases[] = {
        {TIP("poisson", "0.12", "0.7"), "a", BY, rod_by_percussions, 1e-9},
        {TIP("energetic", "0.12", "0.7"), "a", BY, rod_by_work, 1e-9},
        {TIP("poisson", "-2.2", "0.2"), "a", BY, rod_by_percussions, 1e-9},
        {TIP("energetic", "-2.2", "0.2"), "a", BY, rod_by_work, 1e-9},
        {TIP("poisson", "3", "0.2"), "a", BY, rod_by_percussions, 1e-9},
        {TIP("energetic", "3", "0.2"), "a", BY, rod_by_work, 1e-9},
        {TIP("energetic", "-3.5", "0.9"), "a", BY, rod_by_work, 1e-9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) law_case_check(&cases[i]);
}

/* ---------------------------------------------------------------- restitution by the speed */

/* e = eps exp(-speed/c), at most 1. */
static number rebound(number speed, number eps, number c) {
    const number e = eps * cexp(-speed / c);
    return creal(e) > 1 ? 1 : e;
}

/* A ball is dropped from z0, and bounces n times until the time end. p: z0, eps, c, g. */
static number bounces(const number *p, int n, double end) {
    const number g = p[3];
    number v = csqrt(2 * g * p[0]), t = v / g;
    for (int i = 0; i < n; i++) {
        if (i) t += 2 * v / g;
        v *= rebound(v, p[1], p[2]);
    }
    return v * (end - t) - g * (end - t) * (end - t) / 2;
}

static number one_bounce(const number *p) {
    return bounces(p, 1, 0.6);
}
static number two_bounces(const number *p) {
    return bounces(p, 2, 0.85);
}

#define DROP(law, eps, end)                                                                                            \
    "carom: 1\nparameters: {z0: 0.8, eps: " eps ", c: 5, g: 10}\nmodel:\n  coordinates: {z: {start: z0}}\n"            \
    "  kinetic: z_dot^2/2\n  potential: g*z\n"                                                                         \
    "  contacts: {floor: {gap: z, restitution: eps*exp(-speed/c), impact: " law "}}\n"                                 \
    "run: {integrator: lobatto, events: locate, dt: 1e-2, until: " end ", tolerance: 1e-13}\n"
#define OF_DROP {"z0", "eps", "c", "g"}, 4

/* Parabolas are exact, and without friction all laws say the same. The last one would rebound by more than 1. */
static void a_ball_is_dropped(void **state) {
    static const law_case cases[] = {
        {DROP("newton", "0.9", "0.6"), "z", OF_DROP, one_bounce, 1e-10},
        {DROP("newton", "0.9", "0.85"), "z", OF_DROP, two_bounces, 1e-10},
        {DROP("poisson", "0.9", "0.6"), "z", OF_DROP, one_bounce, 1e-10},
        {DROP("poisson", "0.9", "0.85"), "z", OF_DROP, two_bounces, 1e-10},
        {DROP("energetic", "0.9", "0.6"), "z", OF_DROP, one_bounce, 1e-10},
        {DROP("energetic", "0.9", "0.85"), "z", OF_DROP, two_bounces, 1e-10},
        {DROP("newton", "3", "0.6"), "z", OF_DROP, one_bounce, 1e-10},
        {DROP("energetic", "3", "0.6"), "z", OF_DROP, one_bounce, 1e-10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) law_case_check(&cases[i]);
}

/* Beside a body at rest, whose e has no derivative at the speed 0. */
static number beside(const number *p) {
    const number g = p[1], v = csqrt(2 * g * p[0]), t = 0.6 - v / g;
    return (1 - p[2] * cpow(v, 0.2)) * v * t - g * t * t / 2;
}

#define BESIDE(law)                                                                                                    \
    "carom: 1\nparameters: {z0: 0.8, g: 10, c: 0.2}\nmodel:\n  coordinates: {z: {start: z0}, r: 0}\n"                  \
    "  kinetic: (z_dot^2 + r_dot^2)/2\n  potential: g*(z + r)\n  contacts:\n"                                          \
    "    floor: {gap: z, restitution: 1 - c*speed^0.2, impact: " law "}\n"                                             \
    "    shelf: {gap: r, restitution: 1 - c*speed^0.2, impact: " law "}\n"                                             \
    "run: {integrator: lobatto, events: locate, dt: 1e-2, until: 0.6, tolerance: 1e-13}\n"

static void a_body_rests_beside(void **state) {
    static const law_case cases[] = {{BESIDE("newton"), "z", {"z0", "g", "c"}, 3, beside, 1e-10},
                                     {BESIDE("poisson"), "z", {"z0", "g", "c"}, 3, beside, 1e-10}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) law_case_check(&cases[i]);
}

/* A ball between walls, the first with a number: it is one more formula, whose coefficient counts once. */
static number between_walls(const number *p) {
    const number v = p[0], after = p[1] * v, last = after * rebound(after, p[2], p[3]);
    return last * (1 - 0.5 / v - 1 / after) - 0.5;
}

static void walls_are_mixed(void **state) {
    static const law_case walls = {
        "carom: 1\nparameters: {v: 3, e: 0.8, eps: 0.9, c: 5}\nmodel:\n  coordinates: {x: {velocity: v}}\n"
        "  kinetic: x_dot^2/2\n  contacts:\n    right: {gap: 0.5 - x, restitution: e}\n"
        "    left: {gap: x + 0.5, restitution: eps*exp(-speed/c)}\n"
        "run: {integrator: lobatto, events: locate, dt: 1e-2, until: 1, tolerance: 1e-13}\n",
        "x",
        {"v", "e", "eps", "c"},
        4,
        between_walls,
        1e-10};
    (void)state;
    law_case_check(&walls);
}

static number dull_rod_by_percussions(const number *p) {
    return rod_angle(p, false, true);
}
static number dull_rod_by_work(const number *p) {
    return rod_angle(p, true, true);
}

#define DULL(law, vx, mu)                                                                                              \
    "carom: 1\nparameters: {l: 0.5, vx: " vx ", vy: -1.83, w: 6.9, a0: 0.76, mu: " mu ", e: 0.9, c: 5}\nmodel:\n"      \
    "  coordinates: {x: {velocity: vx}, y: {start: 0.39, velocity: vy}, a: {start: a0, velocity: w}}\n"                \
    "  kinetic: (x_dot^2 + y_dot^2)/2 + l^2/6*a_dot^2\n"                                                               \
    "  contacts: {tip: {gap: y - l*sin(a), slip: x_dot + l*a_dot*sin(a), friction: mu, "                               \
    "restitution: e*exp(-speed/c), impact: " law "}}\n"                                                                \
    "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.03, tolerance: 1e-13}\n"
#define OF_DULL {"l", "vx", "vy", "w", "a0", "mu", "e", "c"}, 8

/* Slip stops and sticks; goes on until the end. */
static void a_rod_rebounds_by_speed(void **state) {
    static const law_case cases[] = {
        {DULL("poisson", "0.12", "0.7"), "a", OF_DULL, dull_rod_by_percussions, 1e-9},
        {DULL("energetic", "0.12", "0.7"), "a", OF_DULL, dull_rod_by_work, 1e-9},
        {DULL("poisson", "3", "0.2"), "a", OF_DULL, dull_rod_by_percussions, 1e-9},
        {DULL("energetic", "3", "0.2"), "a", OF_DULL, dull_rod_by_work, 1e-9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) law_case_check(&cases[i]);
}

/* Balls in a row that touch, one after the other: each strikes with the velocity that it was given. */
static number last_dull_ball(const number *p) {
    number v = p[0];
    for (int i = 0; i < 3; i++) v *= (1 + rebound(v, p[1], p[2])) / 2;
    return 0.3 + v * (0.1 - p[3] / p[0]);
}

#define DULL_CRADLE(law)                                                                                               \
    "carom: 1\nparameters: {v: 1, eps: 0.9, c: 5, a: 0.0105}\nmodel:\n  impacts: sequential\n"                         \
    "  coordinates: {x1: {start: -a, velocity: v}, x2: 0.1, x3: 0.2, x4: 0.3}\n"                                       \
    "  kinetic: (x1_dot^2 + x2_dot^2 + x3_dot^2 + x4_dot^2)/2\n"                                                       \
    "  contacts: {\"hit[i=1..3]\": {gap: \"x[i+1] - x[i] - 0.1\", restitution: eps*exp(-speed/c), impact: " law "}}\n" \
    "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.1, tolerance: 1e-13}\n"
#define OF_CRADLE {"v", "eps", "c", "a"}, 4

static void a_cradle_rebounds_by_speed(void **state) {
    static const law_case cases[] = {{DULL_CRADLE("newton"), "x4", OF_CRADLE, last_dull_ball, 1e-10},
                                     {DULL_CRADLE("poisson"), "x4", OF_CRADLE, last_dull_ball, 1e-10},
                                     {DULL_CRADLE("energetic"), "x4", OF_CRADLE, last_dull_ball, 1e-10}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) law_case_check(&cases[i]);
}

/* ---------------------------------------------------------------- several contacts */

/* Balls in a row that touch: one after the other each hands on (1 + e)/2 of its velocity. */
static number last_ball(const number *p) {
    const number v = p[0], e = p[1], a = p[2], start = a / v;
    return 0.3 + v * cpow((1 + e) / 2, 3) * (0.1 - start);
}

#define CRADLE(e)                                                                                                      \
    "carom: 1\nparameters: {v: 1, e: " e ", a: 0.0105}\nmodel:\n  impacts: sequential\n"                               \
    "  coordinates: {x1: {start: -a, velocity: v}, x2: 0.1, x3: 0.2, x4: 0.3}\n"                                       \
    "  kinetic: (x1_dot^2 + x2_dot^2 + x3_dot^2 + x4_dot^2)/2\n"                                                       \
    "  contacts: {\"hit[i=1..3]\": {gap: \"x[i+1] - x[i] - 0.1\", restitution: e}}\n"                                  \
    "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.1, tolerance: 1e-13}\n"

static void a_cradle_hands_on(void **state) {
    static const law_case elastic = {CRADLE("1"), "x4", {"v", "e", "a"}, 3, last_ball, 1e-10},
                          losing = {CRADLE("0.7"), "x4", {"v", "e", "a"}, 3, last_ball, 1e-10};
    (void)state;
    law_case_check(&elastic);
    law_case_check(&losing);
}

/* A ball strikes the second of three that touch, with different restitutions: differences of located runs. */
#define THREE(law)                                                                                                     \
    "carom: 1\nparameters: {v: 1, e1: 0.8, e2: 0.6, m: 2, a: 0.1, k: 3}\nmodel:\n"                                     \
    "  coordinates: {x1: {start: -a, velocity: v}, x2: 0.1, x3: 0.2}\n"                                                \
    "  kinetic: (x1_dot^2 + m*x2_dot^2 + k*x3_dot^2)/2\n  contacts:\n"                                                 \
    "    left: {gap: x2 - x1 - 0.1, restitution: e1, impact: " law "}\n"                                               \
    "    right: {gap: x3 - x2 - 0.1, restitution: e2, impact: " law "}\n"                                              \
    "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.3, tolerance: 1e-13}\n"

static void three_balls_strike(void **state) {
    static const law_case percussions = {THREE("poisson"), "x1", {"v", "e1", "e2", "m", "a", "k"}, 6, NULL, 1e-8},
                          work = {THREE("energetic"), "x1", {"v", "e1", "e2", "m", "a", "k"}, 6, NULL, 1e-8};
    (void)state;
    law_case_check_by_differences(&percussions);
    law_case_check_by_differences(&work);
}

/* A ball that falls without slip: what a start gives it sticks at once. x = v t + (v/3 rather than v) after the strike:
 * a disk keeps a third of the difference as its spin takes the rest. */
static number drops(const number *p) {
    const number v = p[0], t = csqrt(2 * p[1] / 10);
    return v * t + v * 2 / 3 * (0.4 - t);
}

static void slip_at_rest(void **state) {
    static const law_case disk = {
        "carom: 1\nparameters: {v: 0, h: 0.3}\nmodel:\n"
        "  coordinates: {x: {velocity: v}, y: {start: h}, phi: 0}\n"
        "  kinetic: (x_dot^2 + y_dot^2 + phi_dot^2/2)/2\n  potential: 10*y\n"
        "  contacts: {floor: {gap: y, slip: x_dot + phi_dot, friction: 0.5, restitution: 0.9, impact: energetic}}\n"
        "run: {integrator: lobatto, events: locate, dt: 1e-2, until: 0.4, tolerance: 1e-13}\n",
        "x",
        {"v", "h"},
        2,
        drops,
        1e-10};
    (void)state;
    law_case_check(&disk);
}

/* ---------------------------------------------------------------- slip that turns, or changes its friction */

/* The process then misses 1e-8 of the velocities in a piece, and runs jump by that where they take one piece more, so
 * that differences with h > 1e-3 and derivatives are apart by a few times 1e-8. The body slips on at first, with more
 * friction it comes to rest on a curve. */
#define BODY(law, mu)                                                                                                  \
    "carom: 1\nparameters: {vx: 1, h: 0.3, wx: 3, wy: -2, e: 0.8, mu: " mu ", m: 2, J: 0.5}\nmodel:\n"                 \
    "  gravity: [0, 0, -10]\n  bodies: {body: {type: spatial, mass: m, inertia: [0.7*J, J, 1.3*J], "                   \
    "position: [0, 0, h+0.5], velocity: [vx, 0.3, 0], angular_velocity: [wx, wy, 1]}}\n"                               \
    "  contacts: {floor: {between: [{body: body, point: [0.1, 0.05, -0.5]}, {body: world, plane: [0, 0, 1]}], "        \
    "friction: mu, restitution: e, impact: " law "}}\n"                                                                \
    "run: {integrator: lobatto, events: locate, dt: 0.01, until: 0.5, tolerance: 1e-13}\n"
#define OF_BODY {"vx", "h", "wx", "wy", "e", "mu", "m", "J"}, 8

static void slip_turns(void **state) {
    static const law_case percussions = {BODY("poisson", "0.12"), "body.x", OF_BODY, NULL, 1e-7},
                          work = {BODY("energetic", "0.12"), "body.x", OF_BODY, NULL, 1e-7},
                          rests = {BODY("energetic", "0.9"), "body.x", OF_BODY, NULL, 1e-7};
    (void)state;
    law_case_check_by_differences(&percussions);
    law_case_check_by_differences(&work);
    law_case_check_by_differences(&rests);
}

/* The rod once more, with friction that falls with the slip, which stops. */
#define FALLS(law)                                                                                                     \
    "carom: 1\nparameters: {l: 0.5, vx: 3, w: 6.9, mu: 0.2, fall: 0.2, fades: 2, e: 0.9}\nmodel:\n"                    \
    "  coordinates: {x: {velocity: vx}, y: {start: 0.39, velocity: -1.83}, a: {start: 0.76, velocity: w}}\n"           \
    "  kinetic: (x_dot^2 + y_dot^2)/2 + l^2/6*a_dot^2\n"                                                               \
    "  contacts: {tip: {gap: y - l*sin(a), slip: x_dot + l*a_dot*sin(a), friction: mu + fall*exp(-slip/fades), "       \
    "restitution: e, impact: " law "}}\n"                                                                              \
    "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.03, tolerance: 1e-13}\n"

static void friction_falls(void **state) {
    static const law_case percussions =
                              {FALLS("poisson"), "a", {"l", "vx", "w", "mu", "fall", "fades", "e"}, 7, NULL, 1e-7},
                          work = {FALLS("energetic"), "a", {"l", "vx", "w", "mu", "fall", "fades", "e"}, 7, NULL, 1e-7};
    (void)state;
    law_case_check_by_differences(&percussions);
    law_case_check_by_differences(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rod_strikes),
                                       cmocka_unit_test(a_ball_is_dropped),
                                       cmocka_unit_test(walls_are_mixed),
                                       cmocka_unit_test(a_body_rests_beside),
                                       cmocka_unit_test(a_rod_rebounds_by_speed),
                                       cmocka_unit_test(a_cradle_rebounds_by_speed),
                                       cmocka_unit_test(a_cradle_hands_on),
                                       cmocka_unit_test(three_balls_strike),
                                       cmocka_unit_test(slip_at_rest),
                                       cmocka_unit_test(slip_turns),
                                       cmocka_unit_test(friction_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
