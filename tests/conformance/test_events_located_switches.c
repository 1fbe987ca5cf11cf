/* Forces that jump or have kinks, in time and in state: with located events every scheme keeps its order 2s-2 through
 * them. All against closed solutions of x_dotdot = f(t, x, x_dot). */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979324;

static trial begin(const char *force, double x, double v, const char *run, double dt, double T) {
    return trial_text("carom: 1\nmodel:\n  coordinates: {x: {start: %.17g, velocity: %.17g}}\n  kinetic: x_dot^2/2\n"
                      "  forces: {x: \"%s\"}\nrun: {%s, events: locate, dt: %.17g, until: %.17g, tolerance: 1e-13}\n",
                      x, v, force, run, dt, T);
}

static const char *const RUNS[] = {"integrator: rattle", "integrator: lobatto", "integrator: lobatto, stages: 4"};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS, SIZES = 5 };

/* ---------------------------------------------------------------- piecewise constant forces
 * Parabolas are integrated exactly, so that all that is left is where they meet. A switch is met to round-off, and a
 * few dozen steps at tolerance 1e-13 add up to less than 1e-10 for motions of size one. */
typedef struct constant {
    const char *force;
    double x, v, T, x_end, v_end;
} constant;

/* k = 2: from x = 1 at rest to 0 in 1 s; period 4 s. */
static double bang_bang(double t, double *v) {
    int quarter = (int)floor(t);
    double r = t - quarter, x[] = {1 - r * r, r * r - 2 * r, r * r - 1, 2 * r - r * r};
    double u[] = {-2 * r, 2 * r - 2, 2 * r, 2 - 2 * r};
    *v = u[quarter % 4];
    return x[quarter % 4];
}

static void piecewise_constant_forces_are_exact(void **state) {
    (void)state;
    double v_bang, x_bang = bang_bang(9.3, &v_bang);
    /* sum of i over the whole seconds: v' = floor(t); until 3.5 s */
    double v_floor = 0 + 1 + 2 + 3 * 0.5, x_floor = 0 + 0.5 + (1 + 1) + (3 * 0.5 + 3 * 0.125);
    /* 3 for t < 0.3337, then -1 */
    double t1 = 0.3337, r = 0.9 - t1, v_load = 3 * t1 - r, x_load = 1.5 * t1 * t1 + 3 * t1 * r - r * r / 2;
    /* a table: 1 for x < 1, -2 for 1 <= x < 2, 4 beyond, from x = 0 with v = 2: v^2 = 4 + 2 = 6 at 1, 6 - 4 = 2 at 2 */
    double a = sqrt(6) - 2, b = (sqrt(6) - sqrt(2)) / 2, c = 2 - a - b;
    /* switches within arguments: 3 in the first 0.1 s of every quarter; digits of 10 t, 45 in all in each second; 1 in
     * the first of every two quarters */
    double x_pulses = 0, x_digits = 0;
    for (int k = 0; k < 4; k++) x_pulses += 0.5 * 3 * 0.01 + 0.3 * (0.9 - k * 0.25);
    for (int k = 0; k < 20; k++) x_digits += k % 10 * (0.005 + 0.1 * (1.9 - k * 0.1));
    /* a washboard, from x = 0 with v^2 = 2: 3 at 1/2, 2 at 1; each half takes sqrt(3) - sqrt(2); 8 of them, to x = 4 */
    double v_board = sqrt(2), T_board = 8 * (sqrt(3) - sqrt(2));
    const constant all[] = {
        {"if(x > 0, -1, 1)*2", 1, 0, 9.3, x_bang, v_bang},
        {"-2*sign(x)", 1, 0, 9.3, x_bang, v_bang},
        {"floor(t)", 0, 0, 3.5, x_floor, v_floor},
        {"ceil(t)", 0, 0, 3.5, 0.5 + (1 + 1) + (3 + 1.5) + (6 * 0.5 + 4 * 0.125), 1 + 2 + 3 + 4 * 0.5},
        {"round(t)", 0, 0, 3.5, 0 + 0.5 + (1 + 1) + (3 + 1.5), 0 + 1 + 2 + 3},
        {"if(t < 0.3337, 3, -1)", 0, 0, 0.9, x_load, v_load},
        {"1 + 2*sign(0.3337 - t)", 0, 0, 0.9, x_load, v_load},
        {"if(x < 1, 1, if(x < 2, -2, 4))", 0, 2, 2, 2 + sqrt(2) * c + 2 * c * c, sqrt(2) + 4 * c},
        {"if(t - floor(4*t)/4 < 0.1, 3, 0)", 0, 0, 1, x_pulses, 1.2},
        {"if(mod(t, 0.25) < 0.1, 3, 0)", 0, 0, 1, x_pulses, 1.2},
        {"floor(10*(t - floor(t)))", 0, 0, 2, x_digits, 9},
        {"if(floor(4*t) - 2*floor(floor(4*t)/2) <= 0, 1, 0)", 0, 0, 1, 0.03125 + 0.25 * 0.75 + 0.03125 + 0.25 * 0.25,
         0.5},
        {"if(floor(2*t) >= 1, 0, 1)", 0, 0, 1, 0.125 + 0.25, 0.5},
        {"if(x - floor(x) < 0.5, 1, -1)", 0, sqrt(2), T_board, 4, v_board},
        {"if(mod(x, 1) < 0.5, 1, -1)", 0, sqrt(2), T_board, 4, v_board},
        {"if(floor(2*x) == 2*floor(floor(2*x)/2), 1, -1)", 0, sqrt(2), T_board, 4, v_board},
    };
    static const double steps[] = {0.1, 0.0731, 0.9};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < RUN_COUNT * 3; k++) {
            int n = (int)ceil(all[i].T / steps[k / RUN_COUNT]);
            trial run = begin(all[i].force, all[i].x, all[i].v, RUNS[k % RUN_COUNT], all[i].T / n, all[i].T);
            trial_finish(&run);
            assert_near(trial_value(&run, "x"), all[i].x_end, 1e-10);
            assert_near(trial_value(&run, "x_dot"), all[i].v_end, 1e-10);
            assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
            assert_at_least((double)carom_sim_switched(run.sim), 1);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- orders */

/* Half periods pi/a for x > 0 and pi/b for x < 0, from x = 1 at rest: amplitudes 1 and a/b. */
static double two_springs(double t, double a, double b) {
    double period = pi / a + pi / b, r = fmod(t + pi / (2 * a), period);
    return r < pi / a ? sin(a * r) : -a / b * sin(b * (r - pi / a));
}
/* -5 x - 3 |x|: stiffness 8 and 2 */
static double kinked(double t) {
    return two_springs(t, sqrt(8), sqrt(2));
}
/* A ball under gravity 2 on a one-sided spring of stiffness 50 below 0, from x = 0.5 at rest. Below, x = -c + ... with
 * c = g/w^2: x + c = A cos(w r + phi), x = 0 and x_dot = -v at r = 0. */
static double trampoline(double t) {
    const double g = 2, w = sqrt(50), drop = 0.5, fall = sqrt(2 * drop / g), v = g * fall, c = g / (w * w);
    const double A = hypot(c, v / w), phi = atan2(v / w, c), low = (2 * pi - 2 * phi) / w;
    double r = fmod(t + fall, 2 * fall + low);
    if (r < 2 * fall) return drop - g * (r - fall) * (r - fall) / 2;
    return -c + A * cos(w * (r - 2 * fall) + phi);
}
/* Quadratic drag, gravity 2, terminal velocity 1: up with v = tan, down with tanh. Starts with v = tan(1). */
static double drag(double t) {
    const double top = 0.5, h = -log(cos(1)) / 2; /* x_dot = tan(1 - 2 t): at rest after 1/2 */
    if (t < top) return (log(cos(1 - 2 * t)) - log(cos(1))) / 2;
    return h - log(cosh(2 * (t - top))) / 2;
}

typedef struct smooth_problem {
    const char *name, *force;
    double x, v, T;
    double (*exact)(double t);
    int steps[RUN_COUNT];
} smooth_problem;

static void order_is_kept_through_switches(void **state) {
    (void)state;
    static const int orders[RUN_COUNT] = {2, 4, 6};
    const smooth_problem all[] = {
        {"abs(x) spring", "-5*x - 3*abs(x)", 1, 0, 7, kinked, {160, 60, 40}},
        {"the same by if", "if(x > 0, -8*x, -2*x)", 1, 0, 7, kinked, {160, 60, 40}},
        {"max(0, -x) spring", "-2 + 50*max(0, -x)", 0.5, 0, 5, trampoline, {320, 120, 60}},
        {"quadratic drag", "-2 - 2*x_dot*abs(x_dot)", 0, tan(1), 1.5, drag, {60, 30, 16}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < RUN_COUNT; k++) {
            const smooth_problem *p = &all[i];
            static const int parts[SIZES] = {2, 3, 4, 6, 8};
            double h[SIZES], error[SIZES];
            for (int j = 0; j < SIZES; j++) {
                int n = p->steps[k] * parts[j] / 2;
                trial run = begin(p->force, p->x, p->v, RUNS[k], h[j] = p->T / n, p->T);
                error[j] = 0;
                while (!carom_sim_done(run.sim)) {
                    trial_stride(&run);
                    error[j] = fmax(error[j], fabs(carom_sim_q(run.sim)[0] - p->exact(carom_sim_time(run.sim))));
                }
                trial_close(&run);
            }
            double order = observed_order(SIZES, h, error);
            printf("%-20s %-32s errors %.1e .. %.1e, order %.2f of %d\n", p->name, RUNS[k], error[0], error[SIZES - 1],
                   order, orders[k]);
            /* switches divide steps at places that change with dt, which moves errors by a part of themselves: half an
             * order over a factor of 4 in dt is a factor of 2 in the error */
            if (error[SIZES - 1] > 1e-12) assert_at_least(order, orders[k] - 0.5);
        }
}

/* ---------------------------------------------------------------- with contacts
 * A block on a floor, mu = 0.2, g = 9.81, is pushed by 6 N until t = 0.3337 and slides on after that. */
static void a_load_is_taken_off(void **state) {
    (void)state;
    const double t1 = 0.3337, r = 0.5 - t1, a = 6 - 0.2 * 9.81, b = 0.2 * 9.81;
    for (int k = 0; k < RUN_COUNT * 4; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 9.81*y\n  forces: {x: \"if(t < 0.3337, 6, 0)\"}\n"
                               "  contacts: {f: {gap: y, slip: x_dot, friction: 0.2}}\n"
                               "run: {%s, events: locate, dt: %g, until: 0.5, tolerance: 1e-12}\n",
                               RUNS[k % RUN_COUNT], 0.1 / (1 << k / RUN_COUNT));
        trial_finish(&run);
        assert_near(trial_value(&run, "x_dot"), a * t1 - b * r, 1e-11); /* some dozen steps at tolerance 1e-12 */
        assert_near(trial_value(&run, "x"), a * t1 * t1 / 2 + a * t1 * r - b * r * r / 2, 1e-11);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- motions that slide along a switch
 * Friction as a formula: once the body is at rest both sides push towards it. */
static void sliding_along_a_switch_is_refused(void **state) {
    (void)state;
    for (int k = 0; k < RUN_COUNT; k++) {
        trial run = begin("-sign(x_dot)", 0, 1, RUNS[k], 0.0731, 3);
        carom_error error = {0};
        carom_status status = CAROM_OK;
        while (!status && !carom_sim_done(run.sim)) status = carom_sim_step(run.sim, &error);
        printf("%s\n", error.message);
        assert_int_equal(status, CAROM_FAILED);
        assert_non_null(strstr(error.message, "sign(x_dot)"));
        assert_non_null(strstr(error.message, "contact with friction"));
        assert_at_least(carom_sim_time(run.sim), 1 - 0.0731); /* it comes to rest at 1 */
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- resumed runs
 * The side of a switch is part of the state: also where the state lies on the surface to round-off. */
static void sides_survive_checkpoints(void **state) {
    (void)state;
    for (int k = 0; k < RUN_COUNT; k++) {
        const char *force = "if(x > 0, -1, 1)*2 + floor(8*t)/10 - x_dot*abs(x_dot)/5";
        trial run = begin(force, 1, 0, RUNS[k], 1. / 32, 3), again = begin(force, 1, 0, RUNS[k], 1. / 32, 3);
        double kept[200];
        assert_in_range(carom_sim_state_size(run.sim), 1, 200);
        for (int i = 0; i < CAROM_CHECKPOINT; i++) trial_stride(&run); /* t = 1: on two surfaces at once */
        carom_sim_save(run.sim, kept);
        assert_int_equal(carom_sim_load(again.sim, kept, NULL), CAROM_OK);
        trial_finish(&run);
        trial_finish(&again);
        assert_true(carom_sim_hash(run.sim) == carom_sim_hash(again.sim));
        trial_close(&run);
        trial_close(&again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piecewise_constant_forces_are_exact),
        cmocka_unit_test(order_is_kept_through_switches),
        cmocka_unit_test(a_load_is_taken_off),
        cmocka_unit_test(sliding_along_a_switch_is_refused),
        cmocka_unit_test(sides_survive_checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
