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
#include "integrator/heap_step_inside.h"
#include "integrator/turned.h"
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

static bool solve_all(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    return solver_solve_yielding(s, p, z, tolerance, report);
}

/* By Newton's method with its cures, by Newton's method alone, and by sweeps that accept contacts at an error. */
static void half_turns_are_no_solutions(void **state) {
    static const double spurious[] = {1e16, 1e30, 1e45, 1e150};
    static bool (*const ways[])(solver *, problem *, double *, double,
                                solver_report *) = {solve_all, solver_solve_newton, solver_solve};
    (void)state;
    for (int way = 0; way < 3; way++)
        for (int i = 0; i < 5; i++) {
            rod r;
            build(&r);
            if (way == 2) r.p.accept = 1e-3;
            double z[2] = {BEFORE, 0};
            solver_report report;
            solver *s = solver_create(&r.p);
            if (i > 0) z[0] = spurious[i - 1], z[1] = (z[0] - BEFORE) / cos(ANGLE);
            const bool solved = ways[way](s, &r.p, z, 1e-10, &report);
            print_message("from %g: %s, omega = %g\n", i > 0 ? spurious[i - 1] : BEFORE, solved ? "solved" : "no",
                          z[0]);
            if (i == 0) assert_true(solved);
            if (solved) assert_true(fabs(z[0] - BEFORE) <= 1e-12 && z[1] == 0);
            solver_destroy(s);
        }
}

/* The same rod, as a model: where it turns from 30 to 210 degrees in a step, its end is as far below as a stop there
 * lets it be, and at 30 degrees the stop turns it on. If it was a third as fast before, nothing made it so, (S28),
 * which lets it grow by sqrt(8); by 2.7 it may. A turn by a sixth of a radian at six times the speed is left to (S20):
 * the gap changes there as its rate tells. */
static void contacts_turn_with_a_cause(void **state) {
    static const char text[] =
        "carom: 1\nmodel:\n  coordinates: {phi: 0.5235987755982988}\n  kinetic: phi_dot^2/2\n"
        "  contacts: {stop: {gap: sin(phi) + 0.5}}\nrun: {integrator: rattle, dt: 1e-3, until: 1}\n";
    static const double cases[][3] = {{3141.592653589793, 3141.592653589793 / 3, 1},
                                      {3141.592653589793, 3141.592653589793 / 2.7, 0},
                                      {167, 167 / 6., 0}};
    carom_scene *scene;
    carom_error error;
    (void)state;
    if (carom_scene_parse(text, strlen(text), "rod", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < 3; i++) {
        rod r;
        build(&r);
        r.from = cases[i][1];
        const double z[] = {cases[i][0], 1}, h = 0, W = cos(ANGLE), P = 1, q[] = {ANGLE, ANGLE + DT * z[0]};
        double gaps[2];
        const turned_step x = {.t = 0, .dt = DT, .z = z, .h = &h, .WT = &W, .P = &P, .q = {&q[0], &q[1]}, .gaps = gaps};
        step_report report = {0};
        assert_int_equal(turned_without_cause(carom_scene_model(scene), &r.p, &x, 1e-10, &report), cases[i][2] != 0);
    }
    carom_scene_destroy(scene);
}

/* Two islands of a heap of balls, mass 2 and inertia 0.1: 0 and 1 touch, and 2 lies on the ground, 3. One has the speed
 * 1 before the step, two falls by 0.01 in it. Without percussions nothing changes that. Ball 0 may then be as fast as
 * 30 times the energy of 1 makes it, ball 2 as 30 times its fall; turning likewise, by J w^2 in place of m v^2. A gap
 * below zero asks for a velocity of its own. What other islands do is no cause. */
static void heaps_need_causes(void **state) {
    heap_body initial[5], released[5];
    double J[4][3] = {{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0}}, parting[2] = {0};
    heap_bodies b = {.round = true, .initial = initial, .free = released, .J = J};
    heap *h = &b.heap;
    (void)state;
    assert_true(heap_create(h, 4, true, 1) && heap_reserve(h, 2));
    h->contacts = 2;
    h->contact[0] = (heap_contact){.a = 1, .b = 0, .number = 0, .n = {1, 0, 0}};
    h->contact[1] = (heap_contact){.a = 2, .b = 3, .number = 1, .n = {0, 0, 1}};
    for (int i = 0; i < 3; i++) h->body[i].light = 0.5, h->body[i].nimble = 10;
    memcpy(initial, h->body, sizeof initial);
    memcpy(released, h->body, sizeof released);
    initial[1].v[0] = released[1].v[0] = 1, released[2].v[2] = -0.01;
    heap_divide(h);
    const double most = 30 * sqrt(2), turns = 30 * sqrt(2 * 2 / 0.1); /* 2 m v^2 of ball 1, before and released */
    h->body[0].v[1] = 0.99 * most;
    assert_true(heap_bodies_caused(&b, NULL, 1e-10));
    h->body[0].v[1] = 1.01 * most;
    assert_false(heap_bodies_caused(&b, NULL, 1e-10));
    parting[0] = 1; /* a velocity of 1 for the heaviest: m in addition to 2 m */
    h->body[0].v[1] = 0.99 * 30 * sqrt(3);
    assert_true(heap_bodies_caused(&b, parting, 1e-10));
    h->body[0].v[1] = 1.01 * 30 * sqrt(3);
    assert_false(heap_bodies_caused(&b, parting, 1e-10));
    h->body[0].v[1] = 0, h->body[0].w[2] = 0.99 * turns;
    assert_true(heap_bodies_caused(&b, NULL, 1e-10));
    h->body[0].w[2] = 1.01 * turns;
    assert_false(heap_bodies_caused(&b, NULL, 1e-10));
    h->body[0].w[2] = 0, h->body[2].v[2] = 0.99 * 0.3;
    assert_true(heap_bodies_caused(&b, NULL, 1e-10));
    h->body[2].v[2] = 1.01 * 0.3;
    assert_false(heap_bodies_caused(&b, NULL, 1e-10));
    assert_true(heap_bodies_caused(&b, NULL, 1)); /* below the tolerance nothing is asked */
    heap_destroy(h);
}

/* A contact at a lever of 1 turns a body, J = 0.1, so that it opens by 10 dt in a step. If its gap is what it was, it
 * has turned over, and 10 after 1 has no cause: 100 J against 4 (1 + 1) J. After 5 it may have one, and also if a gap
 * below zero asks for a velocity of 2 of the mass 2. If the gap opens as its rate tells, nothing is asked. */
static void heaps_turn_with_a_cause(void **state) {
    heap_body initial[3] = {{.light = 0}}, released[3] = {{.light = 0}};
    double J[2][3] = {{0.1, 0.1, 0.1}, {0}}, parting[1] = {0};
    heap_pair pair = {.a = 0, .b = 1};
    touch from = {.n = {0, 0, 1}, .l = {{1, 0, 0}}}, to = from;
    heap_step g = {.bodies = {.round = true, .initial = initial, .free = released, .J = J},
                   .pairs = {.count = 1, .at = &pair, .touch = {&from, &to}}};
    heap *h = &g.bodies.heap;
    (void)state;
    assert_true(heap_create(h, 2, true, 1) && heap_reserve(h, 1));
    h->contacts = 1;
    h->contact[0] = (heap_contact){.a = 0, .b = 1, .n = {0, 0, 1}, .p = {0, 0, 1}};
    h->body[0] = (heap_body){.light = 0.5, .nimble = 10};
    initial[0] = released[0] = h->body[0];
    heap_divide(h);
    h->body[0].w[1] = -10;
    initial[0].w[1] = released[0].w[1] = -1;
    assert_true(heap_step_turned(&g, parting, DT, 1e-10));
    parting[0] = 2;
    assert_false(heap_step_turned(&g, parting, DT, 1e-10));
    parting[0] = 0, to.gap = 10 * DT;
    assert_false(heap_step_turned(&g, parting, DT, 1e-10));
    to.gap = 0, initial[0].w[1] = released[0].w[1] = -5;
    assert_false(heap_step_turned(&g, parting, DT, 1e-10));
    heap_destroy(h);
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
        cmocka_unit_test(half_turns_are_no_solutions), cmocka_unit_test(contacts_turn_with_a_cause),
        cmocka_unit_test(heaps_need_causes),           cmocka_unit_test(heaps_turn_with_a_cause),
        cmocka_unit_test(coordinates_do_not_matter),   cmocka_unit_test(drives_cause_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
