/* Step problems as friction problems: linearised at its solution, a problem gives this solution back, and contacts have
 * the velocities of their rows; piles of many contacts are solved so. */
#include "friction/friction.h"
#include "solver/contact_map.h"
#include "solver/large.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    int problems, contacts, joints;
} tally;

/* u = C x + D r + d */
static double velocity(const contact_map *c, int row, const double *x, const double *r) {
    double u = c->map.d[row];
    for (int e = 0; e < c->map.C.count; e++)
        if (c->map.C.at[e].row == row) u += c->map.C.at[e].value * x[c->map.C.at[e].col];
    for (int e = 0; e < c->map.D.count; e++)
        if (c->map.D.at[e].row == row) u += c->map.D.at[e].value * r[c->map.D.at[e].col];
    return u;
}

/* The percussions of the solution, through the map, give all of it back: velocities to 1e-9 of the largest, which is
 * the tolerance 1e-10 of steps and the compliance 1e-9 of joints. */
static void compare(const contact_map *c, const problem *p, const double *z, const double *rows) {
    int n = c->dimension * c->contacts;
    double r[600], x[900], back[1500], largest = 0;
    assert_true(n <= 600 && c->map.A.rows <= 900 && p->n <= 1500);
    for (int i = 0; i < n; i++) r[i] = c->unknown[i] < 0 ? 0 : z[c->unknown[i]] * c->unit[i];
    assert_true(contact_map_recover(c, p, r, back));
    for (int j = 0; j < p->nF; j++) largest = fmax(largest, fabs(z[j] / p->scale[j]));
    for (int j = 0; j < p->nF; j++) assert_near(back[j] / p->scale[j], z[j] / p->scale[j], 1e-9 * largest);
    for (int j = 0; j < p->n; j++)
        if (c->place[j] >= 0) x[c->place[j]] = back[j];
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < n; i++)
            if (c->unknown[i] == p->law[k].col)
                assert_near(velocity(c, i, x, r), p->law[k].level * rows[p->law[k].row], 1e-8 * largest);
}

static void look(void *context, problem *p, const double *z) {
    tally *t = context;
    contact_map c;
    double *rows = malloc((size_t)(p->n + p->looks + 1) * sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(p->evaluate(p->context, z, rows, true), 0);
    if (p->velocity_level && contact_map_create(&c, p, z, rows, CONTACT_UNITS_VELOCITY)) {
        compare(&c, p, z, rows);
        t->problems++;
        t->contacts += c.contacts;
        t->joints += c.map.A.rows > p->nF;
        contact_map_free(&c);
    }
    free(rows);
}

static tally watch(trial *run, int steps) {
    tally t = {0};
    solver_show(look, &t);
    for (int i = 0; i < steps; i++) trial_step(run);
    solver_show(NULL, NULL);
    trial_close(run);
    return t;
}

/* Two bodies joined by a hinge, on a floor with friction, and a ball without. */
static void joints_and_contacts(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau", "theta", "nsga", "rattle"};
    for (int k = 0; k < 4; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}, y: 0, v: 1, w: 0, b: {start: 0}}\n"
                               "  kinetic: (2*x_dot^2 + 2*y_dot^2 + v_dot^2 + w_dot^2 + 3*b_dot^2)/2\n"
                               "  potential: 9.81*(2*y + w + 3*b)\n  constraints: {rod: (x - v)^2 + (y - w)^2 - 1}\n"
                               "  contacts:\n    left: {gap: y, slip: x_dot, friction: 0.2}\n"
                               "    right: {gap: w, slip: v_dot, friction: 0.4}\n    ball: {gap: b}\n"
                               "run: {integrator: %s, dt: 0.01, until: 1}\n",
                               schemes[k]);
        tally t = watch(&run, 20);
        print_message("%s: %d problems, %d contacts\n", schemes[k], t.problems, t.contacts);
        assert_at_least(t.problems, 15);
        assert_at_least(t.contacts, 3 * 15);
        assert_at_least(t.joints, 15);
    }
}

/* ---------------------------------------------------------------- many contacts */

/* Text of a wall of boxes in the plane, rows of so many, each with its corners on a floor or on the tops of those
 * below, which are as wide: contacts are twice what statics needs. */
static char *wall(int rows, int columns) {
    char *text = calloc(100000, 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "carom: 1\nmodel:\n  coordinates:\n");
    for (int i = 0; i < rows * columns; i++)
        at += sprintf(at, "    x%d: {start: %d, velocity: %g}\n    y%d: {start: %g}\n    a%d: 0\n", i,
                      2 * (i % columns), i == 0 ? 0.3 : 0.0, i, 0.5 + i / columns, i);
    at += sprintf(at, "  kinetic: (0");
    for (int i = 0; i < rows * columns; i++) at += sprintf(at, " + x%d_dot^2 + y%d_dot^2 + 0.2*a%d_dot^2", i, i, i);
    at += sprintf(at, ")/2\n  potential: 9.81*(0");
    for (int i = 0; i < rows * columns; i++) at += sprintf(at, " + y%d", i);
    at += sprintf(at, ")\n  contacts:\n");
    for (int i = 0; i < rows * columns; i++)
        for (int side = -1; side <= 1; side += 2) {
            int j = i - columns;
            const char *name = side < 0 ? "l" : "r";
            if (j < 0)
                at += sprintf(
                    at, "    %s%d: {gap: \"y%d + (%g)*a%d - 0.5\", slip: \"x%d_dot + 0.5*a%d_dot\", friction: 0.4}\n",
                    name, i, i, 0.5 * side, i, i, i);
            else
                at += sprintf(at,
                              "    %s%d: {gap: \"y%d - y%d + (%g)*(a%d - a%d) - 1\", slip: \"x%d_dot - x%d_dot + "
                              "0.5*(a%d_dot + a%d_dot)\", friction: 0.4}\n",
                              name, i, i, j, 0.5 * side, i, j, i, j, i, j);
        }
    sprintf(at, "run: {integrator: moreau, dt: 0.01, until: 1}\n");
    return text;
}

/* A guess that is nothing: the friction problem alone gives a solution, which the criterion of steps accepts after one
 * correction; boxes of the columns that nobody pushes stay at rest. */
static void large_alone(void *context, problem *p, const double *z) {
    int *solved = context;
    solver *s = solver_create(p);
    double *guess = malloc((size_t)p->n * sizeof *guess);
    assert_true(s && guess && large_applies(p));
    for (int j = 0; j < p->n; j++) guess[j] = j < p->nF ? z[j] : 0;
    solver_report report = {0};
    assert_true(large_improve(s, p, guess));
    assert_true(newton_solve(s, p, guess, 1e-10, &(newton_options){.iterations = 8, .cure = true}, &report) ==
                NEWTON_SOLVED);
    for (int j = 0; j < p->nF; j++) assert_near(guess[j] / p->scale[j], z[j] / p->scale[j], 1e-8);
    ++*solved;
    solver_destroy(s);
    free(guess);
}

static void walls(void **state) {
    (void)state;
    char *text = wall(4, 3);
    trial run = trial_text("%s", text);
    int solved = 0;
    for (int i = 0; i < 10; i++) {
        solver_show(large_alone, &solved);
        trial_step(&run);
        solver_show(NULL, NULL);
        assert_near(trial_value(&run, "x1_dot"), 0, 1e-9);
        assert_near(trial_value(&run, "y11_dot"), 0, 1e-9);
    }
    assert_at_least(solved, 10);
    trial_close(&run);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(joints_and_contacts), cmocka_unit_test(walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
