#include "form.h"

#include <math.h>

form form_empty(graph *g) {
    const expr zero = expr_number(g, 0);
    form f = {.radius = zero, .length = zero, .size = {zero, zero, zero}, .r = vec_zero(g)};
    f.A = mat_identity(g);
    return f;
}

void form_numbers(const form *f, expr list[SHAPE_NUMBERS]) {
    list[0] = f->radius, list[1] = f->length;
    for (int i = 0; i < 3; i++) list[2 + i] = f->size[i], list[5 + i] = f->r.at[i];
    for (int i = 0; i < 9; i++) list[8 + i] = f->A.axis[i % 3].at[i / 3];
}

form form_flattened(graph *g, const form *f) {
    form flat = *f;
    const expr zero = expr_number(g, 0);
    double upright = 0;
    expr_fix(g, f->A.axis[2].at[2], &upright);
    bool about_z = fabs(upright) > 0.5;
    flat.planar = true;
    if (f->kind != SHAPE_DISK && f->kind != SHAPE_CYLINDER && f->kind != SHAPE_CAPSULE) about_z = false;
    else if (about_z) flat.kind = f->points ? SHAPE_DISK : SHAPE_SPHERE;
    if (!about_z && (f->kind == SHAPE_DISK || f->kind == SHAPE_CYLINDER)) {
        flat.kind = SHAPE_BOX;
        flat.size[0] = expr_scale(g, 2, f->radius), flat.size[1] = zero;
        flat.size[2] = f->kind == SHAPE_CYLINDER ? f->length : zero;
    }
    if (f->kind == SHAPE_BOX) flat.size[2] = zero;
    return flat;
}

shape form_now(graph *g, const form *f) {
    shape s = {.kind = f->kind, .points = f->points, .planar = f->planar, .hull = f->hull};
    expr list[SHAPE_NUMBERS];
    double x[SHAPE_NUMBERS];
    form_numbers(f, list);
    for (int i = 0; i < SHAPE_NUMBERS; i++) x[i] = expr_value(g, list[i], NULL);
    shape_set(&s, x);
    return s;
}
