/* The symmetric Moreau-type scheme (Capobianco, Eugster 2018, section 4.2; docs/theory/moreau.md).
 *
 * u_k is the velocity of the element after t_k. With the force on either side of the node, (M4):
 *     M (u_k - u_{k-1}) = dt/2 (h(t_k,q_k,u_{k-1}) + h(t_k,q_k,u_k)) + W P_k            M, W at (t_k, q_k)
 *     q_{k+1} = q_k + dt u_k                                     (general kinematics: (K1))
 * and half a kick at the initial state, (M5), where P is the impulse that acts, half the printed P_1:
 *     M (u_1 - u_s) = dt/2 h(t_1,q_1,u_1) + W P
 * Laws as in Moreau's scheme. memory: the run has started. */
#include <stdlib.h>

#include "error.h"
#include "integrator/node.h"

static bool kick(void *self, double t, const double *q, const double *v, double w0, double w1, const double *P,
                 double tolerance, step_report *report) {
    return node_kick(self, t, q, v, w0, w1, P, tolerance, report);
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    return node_centred_step(self, self, kick, now, next, dt, tolerance, report);
}

static bool start(void *self, motion *first, step_report *report) {
    first->memory[0] = 0;
    return node_start(self, first, report);
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    node *n = *self = calloc(1, sizeof *n);
    *memory = 1;
    if (!n) return carom_error_memory(error);
    const impact_balance balance = node_implicit(n, model);
    return node_create(n, model, &balance) ? node_read_options(n, run, error) : carom_error_memory(error);
}

static const carom_option_info options[] = {NODE_OPTIONS};

const integrator integrator_symmetric_moreau = {
    .info = {.name = "symmetric_moreau",
             .title = "Symmetric Moreau-type stepping: forces centred at the nodes, contacts on velocity level",
             .order = "2 in q without constraints and contacts, else 1; u is that of the coming element: 1 at the node",
             .conserves = "velocity constraints and impact laws of closed contacts; quadratic invariants of the "
                          "kinematics; linear and angular momentum for constant M and q_dot = u. Without constraints "
                          "and contacts it is symmetric and energy errors stay bounded over long times; with them "
                          "positions drift: gaps are penetrated and joints opened by O(dt), unless told joints: closed",
             .needs =
                 "q_dot, M, h, g_N, W; dh/du where h depends on u; d(q_dot)/dq for general kinematics; dg/dq where "
                 "joints are kept closed. A step "
                 "that fails is not divided",
             .stability =
                 "dt omega < 2 for the largest frequency omega of small motions, joints held; dampers do not count",
             .reference =
                 "Capobianco, Eugster: Time finite element based Moreau-type integrators. International Journal "
                 "for Numerical Methods in Engineering 114 (2018), section 4.2",
             .promise = {.order = 2,
                         .velocity_order = 1,
                         .joint_order = 1,
                         .rolling_order = 1,
                         .sliding_order = 1,
                         .event_order = 1,
                         .velocities = true,
                         .symmetric = true,
                         .momentum = true,
                         .energy = true,
                         .invariants = true},
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .stages = 1,
    .any_laws = true,
    .finds = true,
    .kicks = true,
    .whole = true,
    .create = create,
    .destroy = node_free,
    .start = start,
    .step = step,
    .stage = node_stage,
    .velocities = node_velocities,
    .forget = node_forget,
    .limit = stoermer_verlet_limit,
};
