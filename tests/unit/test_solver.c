/* The step problem and its solver on random contact problems  u - v = W P,  xi = W^T u + b,  built here with full
 * random matrices: frictionless, planar and spatial friction, more contacts than freedoms (rank deficient), bilateral
 * rows. A solution is checked against the laws as mechanics states them, not through the solver's own residual. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver/condensed.h"
#include "solver/solver_inside.h"

static uint64_t seed;

static double uniform(void) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double signed_random(void) {
    return 2 * uniform() - 1;
}

typedef struct contact_problem {
    int nu, rows;
    double *W, *v, *b; /* rows x nu, nu, rows */
    problem p;
    csr_block block[2];
    carom_pattern identity, full;
    int *index;
    double *ones;
} contact_problem;

static int evaluate(void *context, const double *z, double *out, bool jacobian) {
    contact_problem *c = context;
    if (out) {
        for (int i = 0; i < c->nu; i++) {
            out[i] = z[i] - c->v[i];
            for (int k = 0; k < c->rows; k++) out[i] -= c->W[k * c->nu + i] * z[c->nu + k];
        }
        for (int k = 0; k < c->rows; k++) {
            double sum = c->b[k];
            for (int i = 0; i < c->nu; i++) sum += c->W[k * c->nu + i] * z[i];
            out[c->nu + k] = sum;
        }
    }
    if (jacobian) {
        csr *J = &c->p.J;
        csr_zero(J);
        for (int i = 0; i < J->rows; i++)
            for (int e = J->start[i]; e < J->start[i + 1]; e++) {
                int j = J->index[e];
                if (i < c->nu) J->value[e] = j < c->nu ? i == j : -c->W[(j - c->nu) * c->nu + i];
                else J->value[e] = j < c->nu ? c->W[(i - c->nu) * c->nu + j] : 0;
            }
    }
    return 0;
}

/* bilateral rows first, then contacts with a normal and `slips` tangential rows each */
static void build(contact_problem *c, int nu, int bilateral, int contacts, int slips, double mu) {
    int rows = bilateral + contacts * (1 + slips), n = nu + rows;
    *c = (contact_problem){.nu = nu, .rows = rows};
    c->W = calloc((size_t)(rows * nu), sizeof(double));
    c->v = calloc((size_t)nu, sizeof(double));
    c->b = calloc((size_t)rows, sizeof(double));
    for (int i = 0; i < rows * nu; i++) c->W[i] = signed_random();
    for (int i = 0; i < nu; i++) c->v[i] = signed_random();
    c->p = (problem){.n = n, .nF = nu, .velocities = nu, .laws = bilateral + contacts * (slips ? 2 : 1)};
    c->p.law = calloc((size_t)c->p.laws, sizeof(problem_law));
    c->p.weight = calloc((size_t)nu, sizeof(double));
    c->p.scale = calloc((size_t)nu, sizeof(double));
    c->p.floor = calloc((size_t)nu, sizeof(double));
    c->p.from = calloc((size_t)nu, sizeof(double));
    c->p.group = calloc((size_t)n, sizeof(int));
    c->p.pace = calloc(2 * (size_t)n, sizeof(double));
    for (int i = 0; i < nu; i++) c->p.weight[i] = c->p.scale[i] = 1;
    int row = nu;
    problem_law *l = c->p.law;
    for (int k = 0; k < bilateral; k++, row++)
        *l++ = (problem_law){.law = &law_bilateral, .size = 1, .row = row, .col = row, .normal = -1};
    for (int k = 0; k < contacts; k++, row += 1 + slips) {
        *l++ = (problem_law){.law = &law_signorini, .size = 1, .row = row, .col = row, .normal = -1};
        if (slips)
            *l++ = (problem_law){
                .law = &law_coulomb, .size = slips, .row = row + 1, .col = row + 1, .normal = row, .mu = mu};
    }
    for (int k = 0; k < c->p.laws; k++) {
        problem_law *a = &c->p.law[k];
        a->level = 1;
        a->enabled = true;
        for (int i = 0; i < a->size; i++) {
            double G = 0;
            for (int j = 0; j < nu; j++) G += pow(c->W[(a->row - nu + i) * nu + j], 2);
            a->G = fmax(a->G, G);
        }
    }
    c->index = calloc((size_t)(n + 1 + n * n), sizeof(int));
    for (int i = 0; i <= n; i++) c->index[i] = i * n;
    for (int i = 0; i < n * n; i++) c->index[n + 1 + i] = i % n;
    c->full = (carom_pattern){n, n, c->index, c->index + n + 1};
    c->block[0] = (csr_block){&c->full, 0, n, 0, 0, false, NULL};
    assert_true(csr_assemble(&c->p.J, n, n, c->block, 1));
    c->p.context = c;
    c->p.evaluate = evaluate;
}

static void release(contact_problem *c) {
    csr_free(&c->p.J);
    csr_blocks_free(c->block, 1);
    free(c->W), free(c->v), free(c->b), free(c->p.law), free(c->p.weight), free(c->p.scale), free(c->p.floor),
        free(c->p.from), free(c->p.group), free(c->p.pace), free(c->index);
}

/* The laws in the words of mechanics, each to tolerance: complementarity, cone, slip against the force. */
static void check_mechanics(const contact_problem *c, const double *z, double tolerance) {
    double rows[4096];
    evaluate((void *)c, z, rows, false);
    for (int i = 0; i < c->nu; i++) assert_true(fabs(rows[i]) <= tolerance);
    for (int k = 0; k < c->p.laws; k++) {
        const problem_law *l = &c->p.law[k];
        const double *y = rows + l->row, *r = z + l->col;
        if (l->law == &law_bilateral) {
            assert_true(fabs(y[0]) <= tolerance);
        } else if (l->law == &law_signorini) {
            assert_true(y[0] >= -tolerance);
            assert_true(r[0] * l->G >= -tolerance);
            assert_true(fmin(y[0], r[0] * l->G) <= tolerance);
        } else {
            double force = 0, slip = 0, power = 0, radius = l->mu * fmax(0, z[l->normal]);
            for (int i = 0; i < l->size; i++) force += r[i] * r[i], slip += y[i] * y[i], power += y[i] * r[i];
            force = sqrt(force), slip = sqrt(slip);
            assert_true(force <= radius + tolerance / l->G);
            /* maximal dissipation: slipping, the force lies against the slip with full size */
            if (slip > 1e3 * tolerance) assert_true(power <= -slip * radius + (slip + radius) * 10 * tolerance / l->G);
        }
    }
}

/* Solves `count` random problems; every one must be solved. */
static void random_problems(int count, int nu, int bilateral, int contacts, int slips, double mu, bool repeated) {
    int cured = 0;
    for (int trial = 0; trial < count; trial++) {
        seed = (uint64_t)trial * 7919 + (uint64_t)(nu * 131 + contacts * 17 + slips);
        contact_problem c;
        build(&c, nu, bilateral, contacts, slips, mu);
        if (repeated) /* the second half of the contacts repeats the first */
            for (int i = 0; i < c.rows / 2 * nu; i++) c.W[c.rows / 2 * nu + i] = c.W[i];
        double *z = calloc((size_t)c.p.n, sizeof *z);
        solver *s = solver_create(&c.p);
        solver_report report;
        bool solved = solver_solve(s, &c.p, z, 1e-10, &report);
        if (!solved) print_message("trial %d: residual %g\n", trial, report.residual);
        assert_true(solved);
        cured += report.iterations > 25;
        check_mechanics(&c, z, 2e-10); /* the residual is in the natural map, at most doubled in single inequalities */
        free(z);
        solver_destroy(s);
        release(&c);
    }
    print_message("%d contacts, %d slips, mu %g%s: %d of %d needed a cure\n", contacts, slips, mu,
                  repeated ? ", repeated" : "", cured, count);
}

static void frictionless(void **state) {
    (void)state;
    random_problems(500, 6, 0, 4, 0, 0, false);
    random_problems(500, 6, 2, 12, 0, 0, false);
}

static void planar_friction(void **state) {
    (void)state;
    random_problems(500, 6, 0, 3, 1, 0.3, false);
    random_problems(500, 8, 2, 4, 1, 1.0, false);
}

static void spatial_friction(void **state) {
    (void)state;
    random_problems(500, 6, 0, 2, 2, 0.5, false);
    random_problems(300, 12, 1, 4, 2, 0.8, false);
}

static void drilling_friction(void **state) {
    (void)state;
    random_problems(500, 6, 0, 2, 3, 0.3, false);
}

static void rank_deficient(void **state) {
    (void)state;
    random_problems(300, 3, 0, 4, 1, 0.4, false);
    random_problems(300, 6, 0, 8, 2, 0.5, false);
    random_problems(300, 9, 0, 4, 0, 0, true);
    random_problems(300, 9, 0, 4, 1, 0.3, true);
}

static void large(void **state) {
    (void)state;
    random_problems(5, 150, 5, 30, 2, 0.5, false);
}

/* ---------------------------------------------------------------- cures, one by one */

/* A random problem: so many freedoms, held by so many joints, carry so many contacts. */
typedef struct example {
    int trial, contacts, slips;
    double mu;
    int nu, bilateral;
} example;

static void build_example(contact_problem *c, const example *e) {
    seed = (uint64_t)e->trial * 104729 + (uint64_t)(e->nu * 131 + e->contacts * 17 + e->slips * 7);
    build(c, e->nu, e->bilateral, e->contacts, e->slips, e->mu);
}

/* Bit k: the cure k of the contacts alone solves the condensed problem, from zero. */
static int contact_cures_of(const example *e) {
    contact_problem c;
    build_example(&c, e);
    double *z = calloc((size_t)c.p.n, sizeof *z);
    solver *s = solver_create(&c.p);
    solver_report report = {0};
    int found = 0;
    condensed k;
    solver_newton(s, &c.p, z, 1e-10, &report); /* condensing takes what a solver has worked on */
    memset(z, 0, (size_t)c.p.n * sizeof *z);
    assert_true(condensed_create(&k, s, &c.p, z));
    for (int i = 0; contact_cures[i].solve; i++) {
        memset(k.w, 0, (size_t)k.m * sizeof *k.w);
        if (contact_cures[i].solve(&k, 1e-10, &report) == NEWTON_SOLVED) found |= 1 << i;
    }
    condensed_destroy(&k);
    solver_destroy(s);
    release(&c);
    free(z);
    return found;
}

/* The same for the cures of the whole problem. */
static int cures_of(const example *e) {
    contact_problem c;
    build_example(&c, e);
    c.p.velocity_level = true;
    double *z = calloc((size_t)c.p.n, sizeof *z);
    int found = 0;
    for (int i = 0; cures[i].solve; i++) {
        if (cures[i].applies && !cures[i].applies(&c.p)) continue;
        solver *s = solver_create(&c.p);
        solver_report report = {0};
        solver_newton(s, &c.p, z, 1e-10, &report); /* which comes before its cures */
        memset(z, 0, (size_t)c.p.n * sizeof *z);
        if (cures[i].solve(s, &c.p, z, 1e-10, &report) == NEWTON_SOLVED) {
            found |= 1 << i;
            check_mechanics(&c, z, 2e-10);
        }
        solver_destroy(s);
    }
    release(&c);
    free(z);
    return found;
}

/* For each cure the table has a problem that no other cure solves, or that others solve at a higher cost. If a cure
 * changes and another one solves its problem, too, 'test_solver 0 75000' prints problems to replace it. */
typedef struct needed {
    const char *cure;
    example e;
    bool sooner; /* others solve it too, at a higher cost, but Newton's method does not */
} needed;

static const needed whole_examples[] = {
    {"newton", {36, 10, 1, 30, 12, 1}, false},
    {"large", {25, 12, 2, 0.5, 6, 0}, true},
    {"condensed", {24, 4, 2, 30, 3, 1}, false},
    {"proximal_point", {147, 12, 1, 10, 12, 1}, false},
};
static const needed contact_examples[] = {
    {"newton", {84, 12, 1, 30, 12, 1}, false},
    {"proximal_point", {62, 12, 1, 10, 12, 0}, false},
    {"gauss_seidel", {72, 6, 2, 0.5, 3, 1}, false},
    {"lemke", {51, 6, 2, 0.5, 6, 1}, false},
};

static const needed *example_of(const needed *list, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].cure, name)) return &list[i];
    fail_msg("there is no problem that needs '%s'", name);
    return NULL;
}

static void every_cure_is_needed(void **state) {
    (void)state;
    enum { WHOLE = sizeof whole_examples / sizeof *whole_examples };
    enum { CONTACTS = sizeof contact_examples / sizeof *contact_examples };
    int count = 0;
    for (; cures[count].solve; count++) {
        const needed *one = example_of(whole_examples, WHOLE, cures[count].name);
        const int found = cures_of(&one->e);
        if (one->sooner) assert_true(found & 1 << count && !(found & 1));
        else assert_int_equal(found, 1 << count);
    }
    assert_int_equal(count, WHOLE);
    for (count = 0; contact_cures[count].solve; count++)
        assert_int_equal(contact_cures_of(&example_of(contact_examples, CONTACTS, contact_cures[count].name)->e),
                         1 << count);
    assert_int_equal(count, CONTACTS);
}

/* (S15): a problem that one cure alone solves is solved by that cure at once when it comes again: with fewer iterations
 * than the first time, by those of the others. Forgetting brings the first time back. */
static void cures_are_ordered_by_their_work(void **state) {
    (void)state;
    static const char *const names[] = {"condensed", "proximal_point"};
    for (int i = 0; i < 2; i++) {
        contact_problem c;
        build_example(&c, &example_of(whole_examples, sizeof whole_examples / sizeof *whole_examples, names[i])->e);
        double *z = calloc((size_t)c.p.n, sizeof *z);
        solver *s = solver_create(&c.p);
        int took[4];
        for (int k = 0; k < 4; k++) {
            solver_report report;
            if (k == 3) solver_forget(s);
            memset(z, 0, (size_t)c.p.n * sizeof *z);
            assert_true(solver_solve(s, &c.p, z, 1e-10, &report));
            took[k] = report.iterations;
        }
        printf("%s: %d iterations, then %d, %d; %d\n", names[i], took[0], took[1], took[2], took[3]);
        assert_in_range(took[2], 1, took[0] - 1);
        assert_int_equal(took[3], took[0]);
        solver_destroy(s);
        release(&c);
        free(z);
    }
}

static void find_examples(int from, int to) {
    static const double mus[] = {0.5, 1, 3, 10, 30};
    for (int k = from; k < to; k++) {
        const example e = {k % 150,           2 + 2 * (k / 150 % 10), 1 + k / 1500 % 2,
                           mus[k / 3000 % 5], 3 + 3 * (k / 15000),    k % 3 == 0};
        const int masks[] = {cures_of(&e), contact_cures_of(&e)};
        for (int i = 0; i < 2; i++)
            for (int bit = 0; bit < 4; bit++)
                if (masks[i] == 1 << bit)
                    printf("%s %s: {%d, %d, %d, %g, %d, %d}\n", i ? "contacts" : "whole",
                           i ? contact_cures[bit].name : cures[bit].name, e.trial, e.contacts, e.slips, e.mu, e.nu,
                           e.bilateral);
    }
}

/* A constraint that cannot be met is reported, and the guess is left as it was. */
static void unsolvable(void **state) {
    (void)state;
    contact_problem c;
    seed = 1;
    build(&c, 2, 2, 0, 0, 0);
    for (int i = 0; i < 2; i++) c.W[2 + i] = c.W[i]; /* the same direction, two different velocities */
    c.b[0] = 0, c.b[1] = 1;
    double z[4] = {0.5, 0.25, 0.125, 0.0625};
    solver *s = solver_create(&c.p);
    solver_report report;
    assert_false(solver_solve(s, &c.p, z, 1e-10, &report));
    assert_true(report.residual > 0.1);
    assert_true(z[0] == 0.5 && z[3] == 0.0625);
    solver_destroy(s);
    release(&c);
}

/* Two joints along the same direction ask for two velocities. Newton's method is at the least error after its first
 * correction and stays there: three more show it, (S22), and one may go to round-off. Shorter steps are not tried. */
static void contradictions_end_soon(void **state) {
    (void)state;
    contact_problem c;
    seed = 1;
    build(&c, 2, 2, 0, 0, 0);
    for (int i = 0; i < 2; i++) c.W[2 + i] = c.W[i];
    c.b[0] = 0, c.b[1] = 1e-3;
    double z[4] = {0};
    solver *s = solver_create(&c.p);
    solver_report report;
    assert_false(solver_solve_fixed(s, &c.p, z, 1e-10, &report));
    print_message("%d corrections\n", report.iterations);
    assert_true(report.iterations <= 5);
    solver_destroy(s);
    release(&c);
}

/* One velocity and no law: F(x) = 0 with a curve of which Newton's method is known. */
typedef double (*curve)(double x, double *slope);
static curve present;

static int evaluate_curve(void *context, const double *z, double *out, bool jacobian) {
    contact_problem *c = context;
    double slope, value = present(z[0], &slope);
    if (out) out[0] = value;
    if (jacobian) c->p.J.value[0] = slope;
    return 0;
}

static bool solve_curve(solver_way *way, curve f, double *x, solver_report *report) {
    contact_problem c;
    build(&c, 1, 0, 0, 0, 0);
    present = f;
    c.p.evaluate = evaluate_curve;
    solver *s = solver_create(&c.p);
    const bool solved = way(s, &c.p, x, 1e-10, report);
    solver_destroy(s);
    release(&c);
    return solved;
}

/* 0, 1, 0, 1, ... */
static double cubic(double x, double *slope) {
    *slope = 3 * x * x - 2;
    return x * x * x - 2 * x + 2;
}

static double saturating(double x, double *slope) {
    *slope = 5 / (1 + 25 * x * x);
    return atan(5 * x);
}

/* A cycle of two is seen after three errors that repeat. What runs away at an error that hardly changes, pi/2, is no
 * contradiction: it ends above a tenth of the first error, and shorter steps reach the zero. */
static void what_overshoots_takes_shorter_steps(void **state) {
    (void)state;
    double x = 0;
    solver_report report;
    assert_false(solve_curve(solver_solve_newton, cubic, &x, &report));
    assert_true(report.iterations <= 5);
    x = 1;
    assert_false(solve_curve(solver_solve_newton, saturating, &x, &report));
    assert_true(solve_curve(solver_solve_fixed, saturating, &x, &report));
    assert_true(fabs(x) <= 1e-10);
}

/* A joint takes the velocity u from 0.3 to 0.7, by a lever a(u) that is 1e-13 at first and 1 in the end: u - 0.3 = a P,
 * so that P = 0.4. Its row bends by 1e-14, so that Newton's method is at u within 1.6e-15 after one correction, with
 * P = 4e12, and after two at P = 0.416: the product of both errors is left. By the slopes of the iterate before, 1e13,
 * that is round-off; it is not. */
static int evaluate_lever(void *context, const double *z, double *out, bool jacobian) {
    static const double slope = 2.5, bend = 1e-14;
    contact_problem *c = context;
    const double u = z[0], P = z[1], lever = 1e-13 + slope * (u - 0.3), left = u - 0.7;
    if (out) out[0] = u - 0.3 - lever * P, out[1] = left * (1 + bend * left);
    if (jacobian) {
        const double J[] = {1 - slope * P, -lever, 1 + 2 * bend * left, 0};
        memcpy(c->p.J.value, J, sizeof J);
    }
    return 0;
}

static void terms_are_those_of_the_iterate(void **state) {
    (void)state;
    contact_problem c;
    build(&c, 1, 1, 0, 0, 0);
    c.p.evaluate = evaluate_lever;
    c.p.from[0] = 0.3;
    c.p.law[0].G = 1;
    double z[] = {0.3, 0};
    solver *s = solver_create(&c.p);
    solver_report report;
    assert_true(solver_solve_newton(s, &c.p, z, 1e-10, &report));
    print_message("%d corrections, P = %.12g\n", report.iterations, z[1]);
    assert_true(fabs(z[1] - 0.4) <= 1e-9 && fabs(z[0] - 0.7) <= 1e-12);
    solver_destroy(s);
    release(&c);
}

/* (SE68): derivatives of a solution by the factors of a matrix nearby, off by up to two parts in a hundred here, obey
 * the rows with the matrix itself: what a correction leaves is squared until it is round-off, 1e-14 of the solution
 * times the size of the rows. */
static void rates_by_factors_nearby(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        contact_problem c;
        seed = (uint64_t)trial * 7919;
        build(&c, 6, 3, 0, 0, 0);
        c.p.rates = true; /* nothing is asked about their cause */
        double *z = calloc((size_t)c.p.n, sizeof *z), rates[9], given[9];
        const double radius[3] = {0};
        solver *of = solver_create(&c.p), *s = solver_create(&c.p);
        solver_report report;
        const newton_options plain = {.iterations = 10};
        assert_int_equal(newton_solve(of, &c.p, z, 1e-10, &plain, &report), NEWTON_SOLVED);
        for (int i = 0; i < c.rows * c.nu; i++) c.W[i] *= 1 + 0.005 * signed_random();
        for (int i = 0; i < c.p.n; i++) given[i] = rates[i] = signed_random();
        assert_int_equal(solver_rates(s, of, &c.p, z, 1, rates, radius), CHANGE_FOUND);
        double most = 0;
        for (int i = 0; i < c.p.n; i++) most = fmax(most, fabs(rates[i]));
        assert_false(evaluate(&c, z, NULL, true));
        for (int i = 0; i < c.p.n; i++) {
            double missed = given[i], size = fabs(given[i]);
            for (int e = c.p.J.start[i]; e < c.p.J.start[i + 1]; e++) {
                missed += c.p.J.value[e] * rates[c.p.J.index[e]];
                size += fabs(c.p.J.value[e]) * most;
            }
            assert_true(fabs(missed) <= 1e-13 * size);
        }
        free(z);
        solver_destroy(of);
        solver_destroy(s);
        release(&c);
    }
}

int main(int count, char **words) {
    if (count > 2) return find_examples(atoi(words[1]), atoi(words[2])), 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frictionless),
        cmocka_unit_test(planar_friction),
        cmocka_unit_test(spatial_friction),
        cmocka_unit_test(drilling_friction),
        cmocka_unit_test(rank_deficient),
        cmocka_unit_test(large),
        cmocka_unit_test(unsolvable),
        cmocka_unit_test(contradictions_end_soon),
        cmocka_unit_test(terms_are_those_of_the_iterate),
        cmocka_unit_test(what_overshoots_takes_shorter_steps),
        cmocka_unit_test(every_cure_is_needed),
        cmocka_unit_test(cures_are_ordered_by_their_work),
        cmocka_unit_test(rates_by_factors_nearby),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
