/* Poisson's law of impact: the percussion of the expansion is e_N times that of the compression, (L9). */
#include "law/law.h"

static double expand(const carom_expansion *x) {
    return x->restitution * x->compression - x->expansion;
}

static void expand_by(const carom_expansion *x, carom_expansion *by) {
    *by = (carom_expansion){.restitution = x->compression, .compression = x->restitution, .expansion = -1};
}

const law law_poisson = {
    .info = {.name = "poisson",
             .title = "Poisson's law of impact: percussions of compression and expansion",
             .set = "expansion until P_N = e_N P_N of the compression, friction along the way",
             .reference = "Routh (1877); Glocker, Pfeiffer (1995); Wang, Mason (1992)",
             .energy = CAROM_ENERGY_MAY_GROW,
             .energy_text = "never grows without friction and with one e_N for all contacts of an impact; else by at "
                            "most the work of the expansion, the integral of gN_dot dP_N, (L12)",
             .impact = true},
    .expand = expand,
    .expand_by = expand_by};
