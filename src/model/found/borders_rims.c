/* Borders of cylinders with half spaces: docs/theory/contacts.md, (CF40). */
#include <string.h>

#include "borders_inside.h"

/* A rim that is tilted by less than the sine TILT stands on POINTS of its points. Its lowest point is lower than these
 * by no more than r TILT (1 - cos(pi/POINTS)) = 1.9e-8 r, a fifth of what BORDERS_DEEP allows. */
#define TILT 1e-6
enum { POINTS = 16 };

static void require_tilt(listing *l, int side) {
    border b = {.kind = GAP_TILT};
    memcpy(b.numbers.e, l->x->own->face[1].normal, sizeof b.numbers.e);
    memcpy(b.numbers.d, l->y->own->face[0].normal, sizeof b.numbers.d);
    b.numbers.R = TILT;
    borders_require(l, l->x, l->y, &b, side);
}

static bool is_near(const listing *l, const meeting *m) {
    double n[3];
    return meeting_gap(l->x->placed, l->y->placed, m, n) <= l->x->allowed + l->y->allowed;
}

static void lowest_point(listing *l, int rim) {
    if (!is_near(l, &(meeting){GAP_RIM_FACE, false, rim, 0})) return;
    borders_begin_row(l);
    require_tilt(l, 1);
    borders_end_row(l, GAP_RIM_FACE, rim, 0);
}

static void points_of_rim(listing *l, int rim) {
    for (int k = 0; k < POINTS; k++) {
        const int number = l->x->own->vertices + rim * RIM_POINTS + k * (RIM_POINTS / POINTS);
        if (!is_near(l, &(meeting){GAP_FACE, false, number, 0})) continue;
        borders_begin_row(l);
        require_tilt(l, -1);
        borders_end_row(l, GAP_FACE, number, 0);
    }
}

void borders_of_rims(listing *l) {
    for (int rim = 0; rim < 2; rim++) lowest_point(l, rim), points_of_rim(l, rim);
}
