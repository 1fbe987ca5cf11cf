/* What lets go, as the model describes it: joints that break, contacts that bear a pull. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_joint(const carom_model_def *d, const carom_latch *l) {
    return l->forces >= 0 && l->torques >= 0 && l->forces + l->torques > 0 && l->row >= 0 &&
           l->row + l->forces + l->torques <= d->ng && l->force > 0 && l->torque > 0 && l->impulse > 0;
}

static bool is_contact(const carom_model_def *d, const carom_latch *l) {
    return l->contact >= 0 && l->contact < d->contacts && d->contact[l->contact].loads == 0 && l->force > 0 &&
           isfinite(l->force);
}

/* Joints come first, since events refer to them by number. */
bool model_is_latch(const carom_model_def *d, const carom_latch *l) {
    if (l > d->latch && l->contact < 0 && l[-1].contact >= 0) return false;
    return l->name && l->input >= 0 && l->input < d->inputs && (l->contact < 0 ? is_joint(d, l) : is_contact(d, l));
}

void latch_set_bounds(carom_latch *l, const double bound[LATCH_BOUNDS]) {
    l->force = bound[0] > 0 ? bound[0] : INFINITY;
    l->torque = bound[1] > 0 ? bound[1] : INFINITY;
    l->impulse = bound[2] > 0 ? bound[2] : INFINITY;
}

bool model_own_latches(carom_model_def *d) {
    carom_latch *copy = calloc((size_t)d->latches + 1, sizeof *copy);
    bool ok = copy != NULL;
    for (int i = 0; ok && i < d->latches; i++) {
        copy[i] = d->latch[i];
        ok = (copy[i].name = strdup(d->latch[i].name)) != NULL;
    }
    d->latch = copy;
    return ok;
}

void model_free_latches(carom_model_def *d) {
    for (int i = 0; d->latch && i < d->latches; i++) free((char *)d->latch[i].name);
    free((carom_latch *)d->latch);
}
