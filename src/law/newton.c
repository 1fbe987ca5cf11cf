/* Newton's law of impact: the gap opens with e_N times the velocity with which it closed, (E4) in mechanics.md. It is
 * part of the laws y in N_C(-r) of the velocity problem, and needs no process. */
#include "law/law.h"

const law law_newton = {
    .info = {.name = "newton",
             .title = "Newton's law of impact: velocities before and after",
             .set = "gN_dot^+ = -e_N gN_dot^- where the contact presses, algebraic in the velocities",
             .reference = "rattle (14); moreau (28)",
             .energy = CAROM_ENERGY_MAY_GROW,
             .energy_text = "never grows without friction and with one e_N for all contacts of an impact; else by at "
                            "most the sum of e_N P_N |gN_dot^-| over the contacts, (L12)",
             .impact = true}};
