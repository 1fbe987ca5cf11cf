/* Islands in located steps: bodies in company move as they do alone, what others do at an event is what they do there,
 * islands that meet in a step are one, and the cost of a body does not grow with the company. Dice come to rest. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"

enum { BALLS = 9, MOST_EVENTS = 64, TEXT = 1 << 17 };

static const char *const laws[] = {"    all: {among: [ball, " FLOOR "], friction: 0.3, restitution: 0.7}\n",
                                   "    all[i=1..N]: {between: [\"ball[i]\", " FLOOR
                                   "], friction: 0.3, restitution: 0.7}\n"};

/* Balls with a spin that fall from heights of their own, first to last of those of the company. */
static trial throw_balls(const char *law, const char *run, int first, int last) {
    return trial_text("carom: 1\nparameters: {N: %d, O: %d}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                      "    ball[i=1..N]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [i+O, 0, "
                      "0.2+0.3*(1+sin(7.3*(i+O)))], velocity: [0, 0.2*cos(3*(i+O)), 0], angular_velocity: "
                      "[3*sin(i+O), 0, 1]}\n  contacts:\n%s%s",
                      last - first + 1, first - 1, law, run);
}

/* Times at which balls strike, by the order of their contacts; in company those of one ball. */
typedef struct strikes {
    double time[MOST_EVENTS];
    int count;
} strikes;

static void add_strikes(const trial *run, int body, strikes *x) {
    int count;
    const carom_event *e = carom_sim_events(run->sim, &count);
    for (int k = 0; k < count; k++) {
        const int of = e[k].bodies[0] >= 0 ? (int)fmin(e[k].bodies[0], e[k].bodies[1]) : e[k].contact;
        if ((body >= 0 && of != body) || e[k].kind != CAROM_STRIKE) continue;
        assert_true(x->count < MOST_EVENTS);
        x->time[x->count++] = e[k].time;
    }
}

/* Steps are the same, and so is the motion but for round-off: 1e-13 in a velocity, for the places of half a dozen
 * strikes, each of which amplifies it by less than three. */
static void test_company(void **state) {
    (void)state;
    static const char *const runs[] = {
        "run: {integrator: rattle, dt: 8e-3, until: 1.2, events: locate, tolerance: 1e-13}",
        "run: {integrator: lobatto, stages: 3, dt: 8e-3, until: 1.2, events: locate, tolerance: 1e-13}"};
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < 2; r++) {
            strikes all[BALLS] = {0};
            double worst = 0, late = 0;
            int struck = 0;
            trial company = throw_balls(laws[l], runs[r], 1, BALLS);
            while (!carom_sim_done(company.sim)) {
                int count;
                trial_step(&company);
                const carom_event *e = carom_sim_events(company.sim, &count);
                for (int i = 0; i < BALLS; i++) {
                    add_strikes(&company, i, &all[i]);
                    for (int k = 1; k < count; k++) assert_true(e[k].time >= e[k - 1].time);
                }
            }
            for (int i = 0; i < BALLS; i++) {
                strikes own = {.count = 0};
                trial alone = throw_balls(laws[l], runs[r], i + 1, i + 1);
                while (!carom_sim_done(alone.sim)) trial_step(&alone), add_strikes(&alone, -1, &own);
                assert_int_equal(own.count, all[i].count);
                for (int k = 0; k < own.count; k++) late = fmax(late, fabs(own.time[k] - all[i].time[k]));
                for (int k = 0; k < 7; k++)
                    worst = fmax(worst, fabs(carom_sim_q(alone.sim)[k] - carom_sim_q(company.sim)[7 * i + k]));
                for (int k = 0; k < 6; k++)
                    worst = fmax(worst, fabs(carom_sim_u(alone.sim)[k] - carom_sim_u(company.sim)[6 * i + k]));
                struck += own.count;
                trial_close(&alone);
            }
            printf("%d balls, %s, %s: %d strikes, off by %.2g, %.2g s\n", BALLS, l ? "between" : "among",
                   r ? "lobatto" : "rattle", struck, worst, late);
            assert_at_least(struck, 3 * BALLS);
            assert_at_most(worst, 1e-10);
            assert_at_most(late, 1e-11);
            trial_close(&company);
        }
}

/* Coins that tumble on a plane, spin, roll round their rims and fall flat: a rim bounds the steps of its own coin,
 * (CF41), and of no other. So coins move as they do alone. What round-off makes of a start grows by a few times a
 * strike, of which a coin has up to a dozen here: 1e-13 becomes less than 1e-8. */
static void test_coins(void **state) {
    (void)state;
    enum { COINS = 6 };
    static const char *const runs[] = {"rattle, dt: 2e-3", "rattle, dt: 1e-3", "lobatto, dt: 2e-3"};
    for (int r = 0; r < 3; r++) {
        double worst = 0, q[COINS][7];
        for (int alone = 0; alone <= COINS; alone++) {
            const int first = alone ? alone : 1, count = alone ? 1 : COINS;
            trial x =
                trial_text("carom: 1\nparameters: {N: %d, O: %d}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    coin[i=1..N]: {type: spatial, mass: 1, shape: {cylinder: {radius: 0.03, length: "
                           "0.006}}, position: [i+O, 0, 0.04+0.01*(1+sin(7.3*(i+O)))], velocity: [0.3*sin(i+O), "
                           "0.2*cos(3*(i+O)), 0], rotation: {axis: [1, 0.2*(i+O), 0], angle: 0.2+0.13*(i+O)}, "
                           "angular_velocity: [3*sin(i+O), 2, 4+(i+O)]}\n  contacts:\n    all: {among: [[coin], [" FLOOR
                           "]], friction: 0.3, restitution: 0}\nrun: {integrator: %s, until: 0.3, events: locate, "
                           "tolerance: 1e-13}",
                           count, first - 1, runs[r]);
            while (!carom_sim_done(x.sim)) trial_step(&x);
            for (int k = 0; k < 7 && alone; k++) worst = fmax(worst, fabs(carom_sim_q(x.sim)[k] - q[alone - 1][k]));
            if (!alone) memcpy(q, carom_sim_q(x.sim), sizeof q);
            trial_close(&x);
        }
        printf("%d coins, %s: off by %.2g\n", COINS, runs[r], worst);
        assert_at_most(worst, 1e-8);
    }
}

/* At an event of one ball the others are where they are then: in flight, where steps and their dense output are exact,
 * with the energy that they have at either end of the step. A ball strikes at z = R. */
static void test_rows(void **state) {
    (void)state;
    static const char *const run = "run: {integrator: lobatto, stages: 2, dt: 0.05, until: 1, events: locate, "
                                   "tolerance: 1e-13}";
    int rows = 0;
    trial x = throw_balls(laws[0], run, 1, BALLS);
    int z[BALLS], v[BALLS], y[BALLS];
    for (int i = 0; i < BALLS; i++) {
        char name[32];
        snprintf(name, sizeof name, "ball%d.z", i + 1), z[i] = trial_column(&x, name);
        snprintf(name, sizeof name, "ball%d.z_dot", i + 1), v[i] = trial_column(&x, name);
        snprintf(name, sizeof name, "ball%d.y", i + 1), y[i] = trial_column(&x, name);
    }
    double before[BALLS], place[BALLS], row[4096];
    while (!carom_sim_done(x.sim)) {
        const double *q = carom_sim_q(x.sim), *u = carom_sim_u(x.sim), start = carom_sim_time(x.sim);
        for (int i = 0; i < BALLS; i++)
            before[i] = 9.81 * q[7 * i + 2] + u[6 * i + 2] * u[6 * i + 2] / 2, place[i] = q[7 * i + 1];
        double speed[BALLS];
        for (int i = 0; i < BALLS; i++) speed[i] = u[6 * i + 1];
        int count;
        trial_step(&x);
        const carom_event *e = carom_sim_events(x.sim, &count);
        q = carom_sim_q(x.sim), u = carom_sim_u(x.sim);
        for (int k = 0; k < count; k++)
            for (int side = 0; side < 2; side++) {
                assert_true(carom_sim_columns(x.sim) <= 4096);
                assert_int_equal(carom_sim_event_row(x.sim, k, side, row, NULL), CAROM_OK);
                for (int i = 0; i < BALLS; i++) {
                    const double energy = 9.81 * row[z[i]] + row[v[i]] * row[v[i]] / 2,
                                 after = 9.81 * q[7 * i + 2] + u[6 * i + 2] * u[6 * i + 2] / 2;
                    bool known = fabs(energy - before[i]) < 1e-11 || fabs(energy - after) < 1e-11;
                    bool strikes_twice = false;
                    for (int n = 0, own = 0; n < count; n++) {
                        own += fmin(e[n].bodies[0], e[n].bodies[1]) == i;
                        strikes_twice = own > 1;
                    }
                    assert_true(known || strikes_twice);
                    if (fabs(energy - before[i]) < 1e-11 && fabs(after - before[i]) < 1e-11)
                        assert_near(row[y[i]], place[i] + speed[i] * (e[k].time - start), 1e-12);
                    if (i == (int)fmin(e[k].bodies[0], e[k].bodies[1])) assert_near(row[z[i]], 0.1, 1e-12);
                    rows++;
                }
            }
    }
    assert_at_least(rows, 20 * BALLS);
    trial_close(&x);
}

/* Along a line, without gravity: a ball returns from a wall and strikes another one in the same step, which then
 * strikes a third one that was at rest far from both. Masses are equal: velocities are handed on. */
static void test_meeting(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++) {
        trial x =
            trial_text("carom: 1\nmodel:\n  bodies:\n"
                       "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.3, 0, 0], velocity: [-2, "
                       "0, 0]}\n"
                       "    b: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.7, 0, 0]}\n"
                       "    c: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [1.2, 0, 0]}\n"
                       "    d: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.4, 3, 0], velocity: [-2, "
                       "0, 0]}\n"
                       "  contacts: {all: {among: [a, b, c, d, {body: world, plane: [1, 0, 0]}], restitution: 1}}\n"
                       "run: {integrator: %s, dt: 0.8, until: 0.8, events: locate, tolerance: 1e-13}",
                       integrators[i]);
        trial_finish(&x);
        /* a: to the wall by 0.1, back to 0.5 by 0.3; b: to 1 by 0.45; c: 0.35 s long. A step in which a passes through
         * the others ends without an overlap. */
        const double expected[] = {0.5, 1, 1.2 + 2 * 0.35, 0.1 + 2 * (0.8 - 0.15)};
        for (int k = 0; k < 4; k++) assert_near(carom_sim_q(x.sim)[7 * k], expected[k], 1e-11);
        int count;
        carom_sim_events(x.sim, &count);
        assert_int_equal(count, 4);
        trial_close(&x);
    }
}

/* Seconds of processor time for a run of so many balls. */
static double cost(int balls, const char *events) {
    char run[200];
    snprintf(run, sizeof run, "run: {integrator: rattle, dt: 2e-3, until: 0.3, events: %s}", events);
    trial x = throw_balls(laws[1], run, 1, balls);
    const clock_t start = clock();
    while (!carom_sim_done(x.sim)) trial_stride(&x);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    trial_close(&x);
    return seconds;
}

/* Three events in two steps among 200 balls. If all of them took part in each, a located run would take six times a
 * captured one. */
static void test_cost(void **state) {
    (void)state;
    double least = INFINITY;
    for (int i = 0; i < 3 && least > 3; i++) least = fmin(least, cost(200, "locate") / cost(200, "capture"));
    printf("200 balls: located takes %.2f times captured\n", least);
    assert_at_most(least, 3);
}

/* Six dice on a table. Energy is lost at strikes and by friction alone, which steps between events keep to 1e-9 of what
 * there was. At rest they lie on a face: the energy of a height of half an edge, without velocities, with gaps of what
 * the tolerance leaves; their weight is what the table bears. */
static void test_dice(void **state) {
    (void)state;
    static const char *const integrators[] = {"rattle", "lobatto, stages: 2"};
    for (int i = 0; i < 4; i++) {
        trial x =
            trial_text("carom: 1\nparameters: {m: 0.005, a: 0.016, J: m*a^2/6}\nmodel:\n  gravity: [0, 0, -9.81]\n"
                       "  bodies:\n    die[i=1..6]: {type: spatial, mass: m, inertia: [J, J, J], position: [0.03*i, "
                       "0.01*i, 0.05+0.005*i], velocity: [0.3, 0.05*i, 0], rotation: {axis: [1, i, 0.5], angle: "
                       "0.7*i}, angular_velocity: [15, -10*i, 8], shape: {box: [a, a, a]}}\n"
                       "  contacts: {all: {among: [die, " FLOOR "], friction: 0.3, restitution: %g}}\n"
                       "run: {integrator: %s, events: locate, dt: 1e-3, until: 0.8, tolerance: 1e-10}",
                       i / 2 ? 0.3 : 0, integrators[i % 2]);
        const double scale = trial_value(&x, "E");
        double energy = scale, gains = 0, push = 0;
        while (!carom_sim_done(x.sim)) {
            trial_step(&x);
            const double now = trial_value(&x, "E");
            gains = fmax(gains, now - energy), energy = now;
        }
        double fastest = 0, least = INFINITY;
        for (int k = 0; k < 36; k++) fastest = fmax(fastest, fabs(carom_sim_u(x.sim)[k]) * (k % 6 < 3 ? 1 : 0.016));
        carom_found found[64];
        const int count = carom_sim_found(x.sim, found, 64);
        for (int k = 0; k < count; k++) push += found[k].P[2], least = fmin(least, found[k].gap);
        printf("dice, e = %g, %s: %d contacts, gains %.2g, rests at %.2g m/s, least gap %.2g\n", i / 2 ? 0.3 : 0.,
               integrators[i % 2], count, gains / scale, fastest, least);
        assert_at_most(gains, 1e-9 * scale);
        assert_near(energy, 6 * 0.005 * 9.81 * 0.008, 1e-9 * scale);
        assert_at_most(fastest, 1e-9);
        assert_at_least(least, -1e-12);
        assert_near(push, 6 * 0.005 * 9.81 * 1e-3, 1e-9 * 6 * 0.005 * 9.81 * 1e-3 + 6 * 0.005 * 1e-9);
        trial_close(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_company), cmocka_unit_test(test_coins),
                                       cmocka_unit_test(test_rows),    cmocka_unit_test(test_meeting),
                                       cmocka_unit_test(test_cost),    cmocka_unit_test(test_dice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
