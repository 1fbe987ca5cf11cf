#include "form.h"

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

shape form_now(graph *g, const form *f) {
    shape s = {.kind = f->kind, .points = f->points, .hull = f->hull};
    expr list[SHAPE_NUMBERS];
    double x[SHAPE_NUMBERS];
    form_numbers(f, list);
    for (int i = 0; i < SHAPE_NUMBERS; i++) x[i] = expr_value(g, list[i], NULL);
    shape_set(&s, x);
    return s;
}
