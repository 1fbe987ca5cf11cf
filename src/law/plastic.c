/* A contact that never rebounds, whatever strikes it: e_N = 0. */
#include "law/law.h"

const law law_plastic = {.info = {.name = "plastic",
                                  .title = "Impact without rebound",
                                  .set = "gN_dot^+ >= 0, P_N >= 0, gN_dot^+ P_N = 0",
                                  .reference = "Moreau (1988); docs/theory/laws.md (L4)",
                                  .energy = CAROM_ENERGY_NEVER_GROWS,
                                  .energy_text = "never grows, whatever friction does, by (L4)",
                                  .impact = true}};
