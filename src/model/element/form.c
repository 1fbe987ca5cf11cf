#include "form.h"

form form_empty(graph *g) {
    const expr zero = expr_number(g, 0);
    form f = {.radius = zero, .length = zero, .size = {zero, zero, zero}, .r = vec_zero(g)};
    f.A = mat_identity(g);
    return f;
}

/* All numbers of a form, in the order of their places in a shape. */
enum { NUMBERS = 5 + 3 + 9 };

static void list_numbers(const form *f, expr list[NUMBERS]) {
    list[0] = f->radius, list[1] = f->length;
    for (int i = 0; i < 3; i++) list[2 + i] = f->size[i], list[5 + i] = f->r.at[i];
    for (int i = 0; i < 9; i++) list[8 + i] = f->A.axis[i % 3].at[i / 3];
}

static shape shape_of(const form *f, const double x[NUMBERS]) {
    shape s = {.kind = f->kind, .points = f->points, .hull = f->hull, .radius = x[0], .length = x[1]};
    for (int i = 0; i < 3; i++) s.size[i] = x[2 + i], s.r[i] = x[5 + i];
    for (int i = 0; i < 9; i++) s.A[i / 3][i % 3] = x[8 + i];
    return s;
}

shape form_now(graph *g, const form *f) {
    expr list[NUMBERS];
    double x[NUMBERS];
    list_numbers(f, list);
    for (int i = 0; i < NUMBERS; i++) x[i] = expr_value(g, list[i], NULL);
    return shape_of(f, x);
}

shape form_fix(graph *g, const form *f) {
    expr list[NUMBERS];
    double x[NUMBERS] = {0};
    list_numbers(f, list);
    for (int i = 0; i < NUMBERS; i++) expr_fix(g, list[i], &x[i]);
    return shape_of(f, x);
}
