/* Bilateral constraint: C = R, so N_C = {0} and v = 0 whatever the percussion. */
#include "law/law.h"

#include <string.h>

static void prox(int n, const double *x, double radius, double *p) {
    (void)radius;
    memcpy(p, x, (size_t)n * sizeof *p);
}

static void linearise(int n, const double *v, const double *w, double radius, law_row *row) {
    (void)n, (void)w, (void)radius;
    bilateral_row(v[0], row);
}

const law law_bilateral = {.info = {.name = "bilateral",
                                    .title = "Bilateral constraint",
                                    .set = "C = R: y = 0, r free",
                                    .reference = "rattle (5)",
                                    .energy_text = "never grows: y = 0, and r does no work"},
                           .prox = prox,
                           .linearise = linearise};
