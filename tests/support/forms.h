/* Shapes of numbers as forms, whose sizes and places are expressions. */
#ifndef CAROM_FORMS_H
#define CAROM_FORMS_H

#include "model/element/form.h"

static inline form form_of_shape(graph *g, const shape *s) {
    form f = form_empty(g);
    f.kind = s->kind, f.points = s->points;
    f.radius = expr_number(g, s->radius), f.length = expr_number(g, s->length);
    for (int i = 0; i < 3; i++) f.size[i] = expr_number(g, s->size[i]);
    f.r = vec_number(g, s->r), f.A = mat_number(g, s->A);
    return f;
}

#endif
