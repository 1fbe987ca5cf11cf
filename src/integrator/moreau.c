/* Moreau's time stepping (Capobianco, Eugster 2018, section 4.1; docs/theory/moreau.md).
 *
 * The state between steps is (t_k, q_k, u_k), u_k the velocity after the percussion at t_k. One step, (M1)-(M3):
 *     q_{k+1} = q_k + dt u_k                                     (general kinematics: (K1))
 *     M (u_{k+1} - u_k) = h(t_{k+1}, q_{k+1}, u_k) dt + W P_{k+1}            M, W at (t_{k+1}, q_{k+1})
 *     xi_N, xi_F against the velocities of u_k at q_{k+1}, for contacts with g_N(q_{k+1}) <= 0
 * started from u_1 = u_s, which is the paper's first step. Bilateral constraints hold on velocity level; on position
 * level too where joints are kept closed, with (H1)-(H3) in place of the first line. */
#include <stdlib.h>

#include "error.h"
#include "integrator/node.h"

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    node *n = self;
    contacts_rub_as(&n->impact.problem, n->m, now->contact);
    if (!node_advance(n, now, now->u, next, dt, tolerance, report) ||
        !node_kick(n, next->t, next->q, now->u, dt, 0, now->P, tolerance, report))
        return false;
    node_read(n, next);
    return true;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    node *n = *self = calloc(1, sizeof *n);
    *memory = 0;
    return n && node_create(n, model, NULL) ? node_read_options(n, run, error) : carom_error_memory(error);
}

/* (X4): forces know the velocity before the kick, so that dampers count. */
static stability_limit limit(const void *self) {
    (void)self;
    return (stability_limit){.x = 2, .damping = 2};
}

static const carom_option_info options[] = {NODE_OPTIONS};

const integrator integrator_moreau = {
    .info =
        {.name = "moreau",
         .title = "Moreau's time stepping: explicit motion, contacts on velocity level",
         .order = "1",
         .conserves =
             "velocity constraints and impact laws of closed contacts; quadratic invariants of the "
             "kinematics. Positions drift: gaps are penetrated and joints opened by O(dt), unless told joints: closed",
         .needs =
             "q_dot, M, h, g_N, W; no derivatives, but d(q_dot)/dq for general kinematics and dg/dq where joints are "
             "kept closed",
         .stability =
             "dt^2 omega^2 + 2 dt delta < 4 for every small motion with frequency omega and damping delta, joints held",
         .reference = "Capobianco, Eugster: Time finite element based Moreau-type integrators. International Journal "
                      "for Numerical Methods in Engineering 114 (2018), section 4.1; after Moreau (1988)",
         .promise = {PROMISE_ORDER(1), .event_order = 1, .velocities = true, .momentum = true, .invariants = true},
         .options = options,
         .option_count = sizeof options / sizeof *options},
    .stages = 1,
    .any_laws = true,
    .finds = true,
    .kicks = true,
    .create = create,
    .destroy = node_free,
    .start = node_start,
    .step = step,
    .stage = node_stage,
    .velocities = node_velocities,
    .forget = node_forget,
    .limit = limit,
};
