/* Bilateral constraint: C = R, so N_C = {0} and v = 0 whatever the percussion. */
#include "law/law.h"

#include <string.h>

static void prox(int n, const double *x, double radius, double *p) {
    (void)radius;
    memcpy(p, x, (size_t)n * sizeof *p);
}

static void linearise(int n, const double *v, const double *w, double radius, law_row *row) {
    (void)w, (void)radius;
    carom_law_hold(n, v, row);
}

const law law_bilateral = {
    {"bilateral", "Bilateral constraint", "C = R: y = 0, r free", "rattle (5)"}, .prox = prox, .linearise = linearise};
