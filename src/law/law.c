/* What the laws share, and their registry. */
#include "law/law.h"

#include <math.h>
#include <string.h>

static const law *const laws[] = {&law_bilateral, &law_signorini, &law_coulomb, &law_coulomb_contensou};

int carom_laws(void) {
    return (int)(sizeof laws / sizeof *laws);
}

const carom_law_info *carom_law(int i) {
    return i >= 0 && i < carom_laws() ? &laws[i]->info : NULL;
}

double law_error(const law *l, int n, const double *v, const double *w, double radius) {
    double x[LAW_SIZE] = {0}, p[LAW_SIZE], error = 0;
    for (int i = 0; i < n; i++) x[i] = v[i] - w[i];
    l->prox(n, x, radius, p);
    for (int i = 0; i < n; i++) error = fmax(error, fabs(w[i] + p[i]));
    return error;
}

void law_hold(int n, const double *v, law_row *row) {
    *row = (law_row){.branch = LAW_HOLD};
    memcpy(row->row, v, (size_t)n * sizeof *v);
    for (int i = 0; i < n; i++) row->v[i][i] = 1;
}

void law_open(int n, const double *w, law_row *row) {
    *row = (law_row){.branch = LAW_OPEN};
    memcpy(row->row, w, (size_t)n * sizeof *w);
    for (int i = 0; i < n; i++) row->w[i][i] = 1;
}
