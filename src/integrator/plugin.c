/* The node of Moreau-type schemes, for integrators of a program's own. */
#include <stdlib.h>

#include "integrator/node.h"

struct carom_node {
    node node;
};

carom_node *carom_node_create(const carom_model *model) {
    carom_node *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    const impact_balance implicit = node_implicit(&n->node, model);
    if (node_create(&n->node, model, &implicit)) return n;
    carom_node_destroy(n);
    return NULL;
}

void carom_node_destroy(carom_node *n) {
    if (n) node_destroy(&n->node);
    free(n);
}

void carom_node_forget(carom_node *n) {
    node_forget(&n->node);
}

bool carom_node_kick(carom_node *n, double t, const double *q, const double *v, double w0, double w1, const double *P,
                     double tolerance, carom_step_report *report) {
    n->node.weighed = false; /* nobody says when inputs of the model change */
    return node_kick(&n->node, t, q, v, w0, w1, P, tolerance, report);
}

void carom_node_read(carom_node *n, carom_motion *next) {
    node_read(&n->node, next);
}

bool carom_node_advance(carom_node *n, const carom_motion *now, const double *u, carom_motion *next, double dt,
                        double tolerance, carom_step_report *report) {
    return node_advance(&n->node, now, u, next, dt, tolerance, report);
}
