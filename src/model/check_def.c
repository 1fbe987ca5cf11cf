/* Whether the definition of a model is complete: the sizes fit, and every list has the functions that it needs. Values
 * of functions are another matter: check.c compares them with differences. */
#include "model/model.h"

#include <math.h>

#include "error.h"

static carom_status check_functions(const carom_model_def *d, carom_error *error) {
    if (d->nq < 1 || d->nu < 1) return carom_error_set(error, CAROM_DATA, "a model needs at least one coordinate");
    if (d->ng < 0 || d->ngamma < 0 || d->contacts < 0)
        return carom_error_set(error, CAROM_DATA, "numbers of constraints and contacts must not be negative");
    if (!d->kinematics && d->nq != d->nu)
        return carom_error_set(error, CAROM_DATA,
                               "%d positions and %d velocities need a kinematics function (without one, q_dot = u)",
                               d->nq, d->nu);
    if (!d->mass || !d->force) return carom_error_set(error, CAROM_DATA, "a model needs the functions mass and force");
    if (!d->q0 || !d->u0) return carom_error_set(error, CAROM_DATA, "a model needs an initial state q0, u0");
    for (int i = 0; i < d->nq + d->nu; i++)
        if (!isfinite(i < d->nq ? d->q0[i] : d->u0[i - d->nq]))
            return carom_error_set(error, CAROM_DATA, "the initial state is not finite: %s[%d]",
                                   i < d->nq ? "q0" : "u0", i < d->nq ? i : i - d->nq);
    if (d->ng + d->contacts > 0 && !d->position)
        return carom_error_set(error, CAROM_DATA, "constraints and contacts need the function position");
    if (d->ng + d->ngamma + d->contacts > 0 && !d->velocity)
        return carom_error_set(error, CAROM_DATA, "constraints and contacts need the function velocity");
    return CAROM_OK;
}

static carom_status check_lists(const carom_model_def *d, carom_error *error) {
    if (d->symmetries < 0 || (d->symmetries > 0 && !d->symmetry))
        return carom_error_set(error, CAROM_DATA, "symmetries need the function symmetry");
    if (d->observables < 0 || (d->observables > 0 && !d->observe))
        return carom_error_set(error, CAROM_DATA, "observables need the function observe");
    if (d->supports < 0 || (d->supports > 0 && (!d->support || !d->support_row)))
        return carom_error_set(error, CAROM_DATA, "supports need their rows and the function support");
    for (int i = 0; i < d->supports; i++)
        if (d->support_row[i] < 0 || d->support_row[i] >= d->ng + d->contacts)
            return carom_error_set(error, CAROM_DATA, "support %d is of no constraint on position and no contact",
                                   i + 1);
    if (d->switches < 0 || (d->switches > 0 && (!d->switching || !d->take_sides || !d->switch_info)))
        return carom_error_set(error, CAROM_DATA,
                               "switches need their kinds, and the functions switching and take_sides");
    return CAROM_OK;
}

static carom_status check_rotations(const carom_model_def *d, carom_error *error) {
    if (d->rotations < 0 || (d->rotations > 0 && !d->rotation))
        return carom_error_set(error, CAROM_DATA, "rotations need their list");
    for (int i = 0; i < d->rotations; i++) {
        const carom_rotation *r = &d->rotation[i];
        if (r->q < 0 || r->q > d->nq - 4 || r->u < 0 || r->u > d->nu - 3)
            return carom_error_set(error, CAROM_DATA, "rotation %d lies outside of q and u", i + 1);
        if (r->placed && (r->origin_q < 0 || r->origin_q > d->nq - 3 || r->origin_u < 0 || r->origin_u > d->nu - 3))
            return carom_error_set(error, CAROM_DATA, "the origin of rotation %d lies outside of q and u", i + 1);
    }
    return CAROM_OK;
}

static carom_status check_anchors(const carom_model_def *d, carom_error *error) {
    if (d->anchors < 0 || (d->anchors > 0 && (!d->anchor || !d->anchor_q)))
        return carom_error_set(error, CAROM_DATA, "anchors need their coordinates and the function anchor");
    if (d->anchors > 0 && !d->kinematics)
        return carom_error_set(error, CAROM_DATA, "anchors need the function kinematics: no velocity moves them");
    for (int i = 0; i < d->anchors; i++)
        if (d->anchor_q[i] < 0 || d->anchor_q[i] >= d->nq)
            return carom_error_set(error, CAROM_DATA, "anchor %d lies outside of q", i + 1);
    return CAROM_OK;
}

static carom_status check_values(const carom_model_def *d, carom_error *error) {
    if (d->parameters < 0 || d->inputs < 0 || (d->parameters && !d->parameter) || (d->inputs && !d->input) ||
        (d->parameters + d->inputs > 0 && !d->assign))
        return carom_error_set(error, CAROM_DATA, "parameters and inputs need their values and the function assign");
    if (d->contacts > 0 && !d->contact) return carom_error_set(error, CAROM_DATA, "contacts need their descriptions");
    if (d->slacks < 0 || d->slacks > d->nq || d->slacks > d->nu)
        return carom_error_set(error, CAROM_DATA, "slacks are some of q and u, the last ones");
    for (int i = 0; i < d->latches; i++)
        if (!model_is_latch(d, &d->latch[i]))
            return carom_error_set(error, CAROM_DATA,
                                   "latch %d needs an input, a contact and a force, or rows of joints and what they "
                                   "bear; joints come first",
                                   i + 1);
    return CAROM_OK;
}

/* Loads of friction without a gap: one gap that is not such a contact itself, or joints. */
static bool are_loads(const carom_model_def *d, const carom_model_contact *c) {
    const int joints = d->ng + d->ngamma, gap = c->load[0] - joints;
    if (c->loads == 0) return true;
    if (c->loads < 0 || c->loads > 3 + c->preload || (c->preload && c->loads < 2) || c->slips == 0) return false;
    if (c->loads == 1 && gap >= 0) return gap < d->contacts && d->contact[gap].loads == 0;
    for (int i = 0; i < c->loads; i++)
        if (c->load[i] < 0 || c->load[i] >= joints) return false;
    return true;
}

carom_status model_check_contacts(const carom_model_def *d, carom_error *error) {
    for (int k = 0; k < d->contacts; k++) {
        const carom_model_contact *c = &d->contact[k];
        const char *name = c->name ? c->name : "?";
        if (c->slips < 0 || c->slips > 3)
            return carom_error_set(error, CAROM_DATA, "contact '%s' has %d slip components; 0 to 3 are possible", name,
                                   c->slips);
        if (!(c->friction >= 0) || isinf(c->friction))
            return carom_error_set(error, CAROM_DATA, "contact '%s': friction must not be negative", name);
        if (!(c->kinetic >= 0) || c->kinetic > c->friction || (c->kinetic > 0 && c->by_slip))
            return carom_error_set(error, CAROM_DATA,
                                   "contact '%s': kinetic friction is a number between 0 and the static one", name);
        if (!are_loads(d, c))
            return carom_error_set(
                error, CAROM_DATA,
                "contact '%s': friction without a gap has slips, and is pressed by the row of one gap "
                "or those of one to three joints",
                name);
        if (c->by_slip && (!d->friction || !(c->friction > 0) || c->tangential_restitution > 0))
            return carom_error_set(error, CAROM_DATA, "contact '%s': friction that depends on the slip %s", name,
                                   !d->friction                    ? "needs the function friction"
                                   : c->tangential_restitution > 0 ? "knows no tangential_restitution"
                                                                   : "must be positive at rest");
        if (!(c->restitution >= 0 && c->restitution <= 1))
            return carom_error_set(error, CAROM_DATA, "contact '%s': restitution must lie in [0, 1]", name);
        if (!(c->tangential_restitution >= 0 && c->tangential_restitution <= 1))
            return carom_error_set(error, CAROM_DATA, "contact '%s': tangential_restitution must lie in [0, 1]", name);
        if (!(c->rest >= 0) || isinf(c->rest))
            return carom_error_set(error, CAROM_DATA, "contact '%s': rest must not be negative", name);
    }
    return CAROM_OK;
}

carom_status model_check_def(const carom_model_def *d, carom_error *error) {
    carom_status status = check_functions(d, error);
    if (!status) status = check_lists(d, error);
    if (!status) status = check_rotations(d, error);
    if (!status) status = check_anchors(d, error);
    if (!status) status = check_values(d, error);
    return status ? status : model_check_contacts(d, error);
}
