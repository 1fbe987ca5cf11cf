/* Signorini's law of a unilateral contact: C = R_0^-, that is, v >= 0, w >= 0, v w = 0 (rattle (8)). With an impact,
 * v is the gap velocity after it plus e_N times the one before (rattle (14), (15)). */
#include "law/law.h"

#include <math.h>

static void prox(int n, const double *x, double radius, double *p) {
    (void)radius;
    for (int i = 0; i < n; i++) p[i] = fmin(x[i], 0);
}

static void linearise(int n, const double *v, const double *w, double radius, law_row *row) {
    (void)n, (void)radius;
    signorini_row(v[0], w[0], row);
}

const law law_signorini = {.info = {.name = "signorini",
                                    .title = "Signorini's law of a unilateral contact",
                                    .set = "C = R_0^-: y >= 0, r >= 0, y r = 0",
                                    .reference = "rattle (8), (14); moreau (27), (28)",
                                    .energy_text = "never grows: y r = 0; what impacts do, their own law says"},
                           .prox = prox,
                           .linearise = linearise};
