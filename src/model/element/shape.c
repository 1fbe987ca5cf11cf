#include "shape.h"

#include <math.h>
#include <stddef.h>

const char *const shape_names[SHAPE_KINDS + 1] = {"point", "sphere", "capsule", "cylinder",
                                                  "disk",  "box",    "plane",   NULL};

void shape_axes(const double n[3], double A[3][3]) {
    double x[3] = {fabs(n[0]) < 0.9, fabs(n[0]) >= 0.9, 0}, along = x[0] * n[0] + x[1] * n[1], length = 0;
    for (int i = 0; i < 3; i++) x[i] -= along * n[i], length += x[i] * x[i];
    for (int i = 0; i < 3; i++) x[i] /= sqrt(length);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A[i][0] = x[i], A[i][1] = n[j] * x[k] - n[k] * x[j], A[i][2] = n[i];
    }
}
