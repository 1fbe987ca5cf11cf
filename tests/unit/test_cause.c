/* Steps have the energy that bodies bring along and that forces, drives and laws give, (S20): velocities beyond that
 * are no solution, whatever rows say; velocities that something does cause are accepted, whatever the coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"
#include "solver/solver.h"

/* A rod of length 1 and inertia 1 turns about its end, by 2 atan(dt omega/2) in a step, as rotations by quaternions do
 * at the midpoint. It stands at 30 degrees; the stop is on the other side, at 180 degrees from there. The percussion P
 * acts as at the start of the step. With omega = 1e45 the rod ends at the stop to round-off, and P = J omega/lever is
 * no pull: all rows hold. What happens is that it turns on as before, far from the stop. */
static const double DT = 1e-3, BEFORE = 5, ANGLE = 0.5235987755982988;

typedef struct rod {
    problem p;
    problem_law law;
    double weight, scale, floor, from, pace[4];
    int group[2];
    int start[3], index[4];
    double value[4];
} rod;

static int evaluate(void *context, const double *z, double *rows, bool jacobian) {
    rod *r = context;
    const double lever = cos(ANGLE), half = DT * z[0] / 2, phi = 2 * atan(half);
    if (rows) rows[0] = z[0] - BEFORE - lever * z[1], rows[1] = sin(ANGLE + phi) + sin(ANGLE);
    if (jacobian) {
        const double J[] = {1, -lever, cos(ANGLE + phi) * DT / (1 + half * half), 0};
        memcpy(r->value, J, sizeof J);
    }
    return 0;
}

static void build(rod *r) {
    *r = (rod){.law = {.law = &law_signorini,
                       .size = 1,
                       .row = 1,
                       .col = 1,
                       .normal = -1,
                       .level = 1 / DT,
                       .G = 0.75,
                       .enabled = true},
               .weight = 1,
               .scale = 1,
               .from = BEFORE,
               .start = {0, 2, 4},
               .index = {0, 1, 0, 1}};
    r->p = (problem){.n = 2, .nF = 1, .laws = 1, .balances = 1, .velocities = 1, .percussions = 1, .law = &r->law};
    r->p.weight = &r->weight, r->p.scale = &r->scale, r->p.floor = &r->floor, r->p.from = &r->from;
    r->p.group = r->group, r->p.pace = r->pace, r->p.context = r, r->p.evaluate = evaluate;
    r->p.J = (csr){.rows = 2, .cols = 2, .start = r->start, .index = r->index, .value = r->value};
}

static void half_turns_are_no_solutions(void **state) {
    static const double spurious[] = {1e16, 1e30, 1e45, 1e150};
    rod r;
    (void)state;
    build(&r);
    for (int i = 0; i < 5; i++) {
        double z[2] = {BEFORE, 0};
        solver_report report;
        solver *s = solver_create(&r.p);
        if (i > 0) z[0] = spurious[i - 1], z[1] = (z[0] - BEFORE) / cos(ANGLE);
        const bool solved = solver_solve_yielding(s, &r.p, z, 1e-10, &report);
        print_message("from %g: %s, omega = %g\n", i > 0 ? spurious[i - 1] : BEFORE, solved ? "solved" : "no", z[0]);
        if (i == 0) assert_true(solved);
        if (solved) assert_true(fabs(z[0] - BEFORE) <= 1e-12 && z[1] == 0);
        solver_destroy(s);
    }
}

/* Velocities at the end of a run. */
static void run(const char *text, double *u, int count) {
    carom_scene *scene;
    carom_sim *sim;
    carom_error error;
    if (carom_scene_parse(text, strlen(text), "cause", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) fail_msg("%s", error.message);
    while (!carom_sim_done(sim))
        if (carom_sim_step(sim, &error)) fail_msg("%s: %s", text, error.message);
    memcpy(u, carom_sim_u(sim), (size_t)count * sizeof *u);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static const char *const schemes[] = {"moreau", "theta", "rattle", "lobatto", "nsga", "generalized_alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* The force f acts on a light body, m = 1, whose place x is also the origin from which a heavy one, M, is seen: alone,
 * rows of f over the diagonal of the mass matrix show an M-th of the velocity. From rest, x_dot = f t and
 * s_dot = -f t; round-off of M is that of m, M times as large. */
static void coordinates_do_not_matter(void **state) {
    const double f = 1000, t = 0.01;
    (void)state;
    for (int i = 0; i < SCHEMES; i++)
        for (double M = 1; M <= 1e9; M *= 1000) {
            char text[500];
            double u[2];
            snprintf(text, sizeof text,
                     "carom: 1\nmodel:\n  coordinates: {x: {}, s: {}}\n  kinetic: %g/2*(x_dot + s_dot)^2 + x_dot^2/2\n"
                     "  forces: {x: %g}\n  contacts: {floor: {gap: x}}\n"
                     "run: {integrator: %s, dt: 1e-3, until: %g}\n",
                     M, f, schemes[i], t);
            run(text, u, 2);
            assert_true(fabs(u[0] - f * t) <= 1e-12 * M + 1e-9);
            assert_true(fabs(u[0] + u[1]) <= 1e-9);
        }
}

/* A drive takes a light body from rest to v at once, and with it the heavy one that hangs on it. */
static void drives_cause_velocities(void **state) {
    const double v = 100;
    (void)state;
    for (int i = 0; i < SCHEMES; i++)
        for (double M = 1; M <= 1e9; M *= 1000) {
            char text[500];
            double u[2];
            snprintf(text, sizeof text,
                     "carom: 1\nmodel:\n  coordinates: {x: {}, y: {}}\n  kinetic: x_dot^2/2 + %g/2*y_dot^2\n"
                     "  constraints:\n    drive: x - %g*max(t - 0.005, 0)\n    rod: y - x\n"
                     "run: {integrator: %s, dt: 1e-3, until: 0.1}\n",
                     M, v, schemes[i]);
            run(text, u, 2);
            assert_true(fabs(u[0] - v) <= 1e-6 * v && fabs(u[1] - v) <= 1e-6 * v);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_turns_are_no_solutions),
        cmocka_unit_test(coordinates_do_not_matter),
        cmocka_unit_test(drives_cause_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
