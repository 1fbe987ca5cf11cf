#include "shape.h"

#include "model/space.h"

#include <stddef.h>

const char *const shape_names[SHAPE_KINDS + 1] = {"point", "sphere", "capsule",   "cylinder", "disk",
                                                  "box",   "plane",  "ellipsoid", "hull",     NULL};

void shape_set(shape *s, const double x[SHAPE_NUMBERS]) {
    s->radius = x[0], s->length = x[1];
    for (int i = 0; i < 3; i++) s->size[i] = x[2 + i], s->r[i] = x[5 + i];
    for (int i = 0; i < 9; i++) s->A[i / 3][i % 3] = x[8 + i];
}

void shape_axes(const double n[3], double A[3][3]) {
    const double x[3] = {fabs(n[0]) < 0.9, fabs(n[0]) >= 0.9, 0};
    space_axes(n, x, A);
}
