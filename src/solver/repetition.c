#include "solver/repetition.h"

#include <math.h>
#include <stdbool.h>

static const double ALIKE = 1e-3;
enum { OFTEN = 3 };

int repetition_add(repetition *r, double error) {
    int found = 0;
    for (int period = REPETITION_LONGEST; period >= 1; period--) {
        const double before = r->last[(r->seen + REPETITION_LONGEST - period) % REPETITION_LONGEST];
        const bool alike = r->seen >= period && fabs(error - before) <= ALIKE * error;
        int *again = &r->again[period - 1];
        *again = alike ? *again + 1 : 0;
        if (*again >= period && *again >= OFTEN) found = period;
    }
    r->last[r->seen++ % REPETITION_LONGEST] = error;
    return found;
}
