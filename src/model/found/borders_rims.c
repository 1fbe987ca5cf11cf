/* Borders of cylinders with half spaces: docs/theory/contacts.md, (CF40). */
#include <string.h>

#include "borders_inside.h"

/* A rim that is tilted by less than the sine BORDERS_TILT stands on BORDERS_POINTS of its points. Its lowest point is
 * lower than these by no more than r BORDERS_TILT (1 - cos(pi/BORDERS_POINTS)) = 1.9e-8 r, a fifth of what BORDERS_DEEP
 * allows. */

void borders_require_tilt(listing *l, const border_solid *x, const border_solid *y, int face, double sine, int side) {
    border b = {.kind = GAP_TILT};
    memcpy(b.numbers.e, x->own->face[1].normal, sizeof b.numbers.e);
    memcpy(b.numbers.d, y->own->face[face].normal, sizeof b.numbers.d);
    b.numbers.R = sine;
    borders_require(l, x, y, &b, side);
}

int borders_point(const core *c, int rim, int k) {
    return c->vertices + rim * RIM_POINTS + k * (RIM_POINTS / BORDERS_POINTS);
}

static bool is_near(const listing *l, const meeting *m) {
    double n[3];
    return meeting_gap(l->x->placed, l->y->placed, m, n) <= l->x->allowed + l->y->allowed;
}

static void lowest_point(listing *l, int rim) {
    if (!is_near(l, &(meeting){GAP_RIM_FACE, false, rim, 0})) return;
    borders_begin_row(l);
    borders_require_tilt(l, l->x, l->y, 0, BORDERS_TILT, 1);
    borders_end_row(l, GAP_RIM_FACE, rim, 0);
}

static void points_of_rim(listing *l, int rim) {
    for (int k = 0; k < BORDERS_POINTS; k++) {
        const int number = borders_point(l->x->own, rim, k);
        if (!is_near(l, &(meeting){GAP_FACE, false, number, 0})) continue;
        borders_begin_row(l);
        borders_require_tilt(l, l->x, l->y, 0, BORDERS_TILT, -1);
        borders_end_row(l, GAP_FACE, number, 0);
    }
}

void borders_of_rims(listing *l) {
    for (int rim = 0; rim < 2; rim++) lowest_point(l, rim), points_of_rim(l, rim);
}
