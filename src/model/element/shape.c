#include "shape.h"

#include "model/space.h"

#include <stddef.h>

const char *const shape_names[SHAPE_KINDS + 1] = {"point", "sphere", "capsule",   "cylinder", "disk",
                                                  "box",   "plane",  "ellipsoid", "hull",     NULL};

void shape_axes(const double n[3], double A[3][3]) {
    const double x[3] = {fabs(n[0]) < 0.9, fabs(n[0]) >= 0.9, 0};
    space_axes(n, x, A);
}
