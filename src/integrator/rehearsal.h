/* Joints of an overconstrained loop fit together only where they are closed: a straight motion that they allow leads to
 * where they forbid it, (H4)-(H6) in docs/theory/moreau.md. Found out by rehearsing such a motion at the initial state,
 *
 *     u nearest to some v with W_g^T u = 0 at q_0                                                               (H4)
 *     q' by (K1) with u, for as long as it takes to change the rows of W_g^T by a small part                    (H5)
 *     u' nearest to u with W_g^T u' = 0 at q'                                                                   (H6)
 *
 * with all contacts open and the time held; once more without what may be a drive. Either u' is near u; or the joints
 * part: there is no u', or freedoms are lost. */
#ifndef CAROM_REHEARSAL_H
#define CAROM_REHEARSAL_H

#include "integrator/integrator.h"

/* CAROM_OK, or out of memory. */
carom_status rehearse_joints(const carom_model *model, bool *part, carom_error *error);

/* Whether a scheme that knows joints by their rates must keep positions on them: if the run asks for it, or if the
 * joints would part otherwise. False if there are no joints. */
carom_status joints_choose(const carom_model *model, const carom_run_def *run, bool *closed, carom_error *error);
#define JOINTS_OPTION(what, others)                                                                                    \
    {                                                                                                                  \
        "joints", "auto | closed",                                                                                     \
            "closed: " what                                                                                            \
            "; auto: only those of loops with more joints than they have freedoms, whose joints fit together nowhere " \
            "else" others,                                                                                             \
            "auto"                                                                                                     \
    }

#endif
