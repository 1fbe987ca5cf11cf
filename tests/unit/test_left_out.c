/* Masses on a line, each joined to the next, and the last to the first: u_(i+1) - u_i = c_i around a ring. One of the
 * rows depends on the others, and is left out, (S25): a percussion that goes around the ring does nothing, and the c_i
 * have to add up to zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver/solver_inside.h"

enum { MASSES = 200, UNKNOWNS = 2 * MASSES }; /* (S25) begins with 300 unknowns */

static const double tolerance = 1e-10;

typedef struct ring {
    double before[MASSES], c[MASSES], ones[MASSES], ends[2 * MASSES];
    int identity_start[MASSES + 1], identity_index[MASSES], joint_start[MASSES + 1], joint_index[2 * MASSES];
    carom_pattern identity, joint;
    csr_block block[3];
    double weight[MASSES], floor[MASSES], pace[2 * UNKNOWNS];
    int group[UNKNOWNS];
    problem_law law[MASSES];
    problem p;
} ring;

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    ring *r = self;
    if (rows) {
        for (int i = 0; i < MASSES; i++) rows[i] = z[i] - r->before[i], rows[MASSES + i] = -r->c[i];
        pattern_multiply_transposed(&r->joint, r->ends, -1, z + MASSES, rows);
        pattern_multiply(&r->joint, r->ends, 1, z, rows + MASSES);
    }
    if (jacobian) {
        csr_zero(&r->p.J);
        csr_add(&r->p.J, &r->block[0], 1, r->ones);
        csr_add(&r->p.J, &r->block[1], -1, r->ends);
        csr_add(&r->p.J, &r->block[2], 1, r->ends);
    }
    return 0;
}

static ring *make_ring(void) {
    ring *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (int i = 0; i < MASSES; i++) {
        const int next = (i + 1) % MASSES, up = next > i;
        r->identity_start[i + 1] = i + 1, r->identity_index[i] = i;
        r->joint_start[i + 1] = 2 * i + 2;
        r->joint_index[2 * i + !up] = i, r->joint_index[2 * i + up] = next;
        r->ends[2 * i + !up] = -1, r->ends[2 * i + up] = 1;
        r->ones[i] = r->weight[i] = 1;
        r->before[i] = sin(i);
        r->law[i] = (problem_law){.law = &law_bilateral,
                                  .size = 1,
                                  .row = MASSES + i,
                                  .col = MASSES + i,
                                  .normal = -1,
                                  .enabled = true,
                                  .level = 1 / sqrt(2),
                                  .G = sqrt(2)};
    }
    r->identity = (carom_pattern){MASSES, MASSES, r->identity_start, r->identity_index};
    r->joint = (carom_pattern){MASSES, MASSES, r->joint_start, r->joint_index};
    r->block[0] = (csr_block){&r->identity, 0, MASSES, 0, 0, false, NULL};
    r->block[1] = (csr_block){&r->joint, 0, MASSES, 0, MASSES, true, NULL};
    r->block[2] = (csr_block){&r->joint, 0, MASSES, MASSES, 0, false, NULL};
    r->p = (problem){.n = UNKNOWNS,
                     .nF = MASSES,
                     .laws = MASSES,
                     .balances = 1,
                     .velocities = MASSES,
                     .percussions = MASSES,
                     .joints = MASSES,
                     .law = r->law,
                     .weight = r->weight,
                     .scale = r->ones,
                     .floor = r->floor,
                     .from = r->before,
                     .group = r->group,
                     .pace = r->pace,
                     .affine = true,
                     .context = r,
                     .evaluate = evaluate};
    assert_true(csr_assemble(&r->p.J, UNKNOWNS, UNKNOWNS, r->block, 3));
    return r;
}

static void free_ring(ring *r) {
    csr_free(&r->p.J);
    csr_blocks_free(r->block, 3);
    free(r);
}

static newton_result solve(ring *r, double *z, solver_report *report) {
    solver *s = solver_create(&r->p);
    assert_non_null(s);
    *report = (solver_report){0};
    memcpy(z, r->before, sizeof r->before);
    memset(z + MASSES, 0, MASSES * sizeof *z);
    const newton_result result = solver_newton(s, &r->p, z, tolerance, report);
    assert_int_equal(s->left_out, 1);
    solver_destroy(s);
    return result;
}

/* Relative velocities that fit together are taken on, in two corrections at most, one of them in vain: how (S25) is
 * found. The momentum stays, and nothing goes around the ring: such percussions would change for no reason. Errors:
 * 400 unknowns of size one in rows whose condition is n^2. */
static void drives_that_fit_together(void **state) {
    (void)state;
    const double close = 400 * MASSES * MASSES * 2.3e-16;
    ring *r = make_ring();
    double z[UNKNOWNS], momentum = 0, around = 0;
    solver_report report;
    for (int i = 0; i < MASSES; i++) r->c[i] = cos(2 * M_PI * i / MASSES);
    assert_int_equal(solve(r, z, &report), NEWTON_SOLVED);
    assert_true(report.iterations <= 2);
    for (int i = 0; i < MASSES; i++) {
        assert_true(fabs(z[(i + 1) % MASSES] - z[i] - r->c[i]) < close);
        momentum += z[i] - r->before[i], around += z[MASSES + i];
    }
    assert_true(fabs(momentum) < close);
    assert_true(fabs(around) < close);
    free_ring(r);
}

/* A joint that is driven while all others stand still contradicts them. That is no solution. All of them miss the same
 * part of it, which is the least that the worst of them can miss, and not the one that was left out all of it. */
static void drives_that_contradict_each_other(void **state) {
    (void)state;
    const double C = 1, share = C / MASSES;
    ring *r = make_ring();
    double z[UNKNOWNS];
    solver_report report;
    r->c[7] = C;
    const newton_result result = solve(r, z, &report);
    assert_true(result == NEWTON_UNSOLVED || result == NEWTON_CONTRADICTED);
    assert_true(fabs(report.residual / (share / sqrt(2)) - 1) < 1e-6);
    for (int i = 0; i < MASSES; i++) assert_true(fabs((r->c[i] - z[(i + 1) % MASSES] + z[i]) / share - 1) < 1e-6);
    free_ring(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(drives_that_fit_together),
                                       cmocka_unit_test(drives_that_contradict_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
