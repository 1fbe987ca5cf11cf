/* Stronge's law of impact: the expansion gives back e_N^2 of the work that the compression took, (L10). With the slope
 * of gap_dot the work grows by  gap_dot d + slope d^2/2  over a percussion d: its root, below zero if the expansion has
 * gone too far, or the nearest place if gap_dot turns round before. */
#include "law/law.h"

#include <math.h>

static double expand(const carom_expansion *x) {
    const double owed = x->restitution * x->restitution * x->absorbed - x->released;
    if (!(owed > 0) && !(x->gap_dot > 0)) return 0;
    const double root = x->gap_dot * x->gap_dot + 2 * x->slope * owed;
    if (x->gap_dot <= 0 && x->slope <= 0) return HUGE_VAL;
    if (root < 0) return owed > 0 ? -x->gap_dot / x->slope : owed / x->gap_dot;
    return x->gap_dot > 0 ? 2 * owed / (x->gap_dot + sqrt(root)) : (sqrt(root) - x->gap_dot) / x->slope;
}

/* Of slope d^2/2 + gap_dot d = owed; or of the place where gap_dot turns round. */
static void expand_by(const carom_expansion *x, carom_expansion *by) {
    const double owed = x->restitution * x->restitution * x->absorbed - x->released,
                 root = x->gap_dot * x->gap_dot + 2 * x->slope * owed;
    *by = (carom_expansion){0};
    if (root < 0) {
        by->gap_dot = -1 / x->slope, by->slope = x->gap_dot / (x->slope * x->slope);
        return;
    }
    const double size = sqrt(root),
                 d = x->gap_dot > 0 ? 2 * owed / (x->gap_dot + size) : (size - x->gap_dot) / x->slope;
    by->restitution = 2 * x->restitution * x->absorbed / size;
    by->absorbed = x->restitution * x->restitution / size, by->released = -1 / size;
    by->gap_dot = -d / size, by->slope = -d * d / (2 * size);
}

const law law_energetic = {
    .info = {.name = "energetic",
             .title = "Stronge's law of impact: work of compression and expansion",
             .set = "expansion until it has released e_N^2 of the work of the compression, friction along the way",
             .reference = "Stronge: Rigid body collisions with friction. Proc. R. Soc. A 431 (1990)",
             .energy = CAROM_ENERGY_NEVER_GROWS,
             .energy_text = "never grows, whatever friction, masses and the number of contacts are: at least 1 - e_N^2 "
                            "of the work of the compression is lost, (L11)",
             .impact = true},
    .expand = expand,
    .expand_by = expand_by};
