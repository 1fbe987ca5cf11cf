#include "shape.h"

#include <stddef.h>

const char *const shape_names[SHAPE_KINDS + 1] = {"point", "sphere", "capsule", "cylinder",
                                                  "disk",  "box",    "plane",   NULL};
