#include "integrator/kinematics.h"

#include <stdlib.h>
#include <string.h>

static int evaluate(void *self, const double *q1, double *rows, bool jacobian) {
    kinematics *k = self;
    const carom_model_def *d = &k->m->def;
    if (rows) {
        if (d->kinematics(d->context, k->t1, q1, k->u, k->q_dot1, NULL, NULL)) return 1;
        for (int i = 0; i < d->nq; i++) rows[i] = q1[i] - k->q0[i] - k->dt / 2 * (k->q_dot0[i] + k->q_dot1[i]);
    }
    if (jacobian) {
        if (d->kinematics(d->context, k->t1, q1, k->u, NULL, NULL, k->q_dot_q)) return 1;
        csr_zero(&k->problem.J);
        csr_add(&k->problem.J, &k->block[0], 1, k->unit.value);
        csr_add(&k->problem.J, &k->block[1], -k->dt / 2, k->q_dot_q);
    }
    return 0;
}

bool kinematics_create(kinematics *k, const carom_model *m) {
    int nq = m->def.nq;
    *k = (kinematics){.m = m};
    if (m->trivial) return true;
    const vector_part parts[] = {{&k->q_dot0, nq}, {&k->q_dot1, nq}, {&k->q_dot_q, pattern_nnz(&m->def.q_dot_q)}};
    k->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    if (!unit_create(&k->unit, nq) || !k->memory) return false;
    k->block[0] = (csr_block){&k->unit.pattern, 0, nq, 0, 0, false, NULL};
    k->block[1] = (csr_block){&m->def.q_dot_q, 0, nq, 0, 0, false, NULL};
    if (!problem_build(&k->problem, m, (problem_shape){.updates = 1}, k->block, 2)) return false;
    k->problem.context = k;
    k->problem.evaluate = evaluate;
    return (k->solver = solver_create(&k->problem)) != NULL;
}

void kinematics_destroy(kinematics *k) {
    solver_destroy(k->solver);
    problem_free(&k->problem);
    csr_blocks_free(k->block, 2);
    unit_destroy(&k->unit);
    free(k->memory);
}

bool kinematics_advance(kinematics *k, double t0, const double *q0, const double *u, double t1, double dt, double *q1,
                        double tolerance, solver_report *report) {
    const carom_model_def *d = &k->m->def;
    *report = (solver_report){0};
    if (k->m->trivial) {
        for (int i = 0; i < d->nq; i++) q1[i] = q0[i] + dt * u[i];
        return true;
    }
    k->q0 = q0, k->u = u, k->t1 = t1, k->dt = dt;
    report->undefined = d->kinematics(d->context, t0, q0, u, k->q_dot0, NULL, NULL) != 0;
    if (report->undefined) return false;
    problem_set_units(&k->problem, k->m, NULL, NULL, NULL, dt);
    problem_set_floor(&k->problem, k->m, u, q0, dt, NULL);
    memcpy(q1, q0, (size_t)d->nq * sizeof *q1);
    return solver_solve(k->solver, &k->problem, q1, tolerance, report);
}
