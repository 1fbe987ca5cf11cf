/* Shapes whose sizes and places are expressions of parameters; shape.h has them as numbers. */
#ifndef CAROM_FORM_H
#define CAROM_FORM_H

#include "shape.h"
#include "vec.h"

typedef struct form {
    shape_kind kind;
    bool planar;
    int points;
    const polytope *hull;
    expr radius, length, size[3]; /* those that the kind does not have are the number 0 */
    vec r;
    mat A;
} form;

/* A point at the origin, to be filled in. */
form form_empty(graph *g);
/* All numbers of a form, as shape_set takes them. */
void form_numbers(const form *f, expr list[SHAPE_NUMBERS]);
/* What it is in the plane of x and y: what is round about z a circle, what is seen from the side a rectangle, with no
 * size along z. */
form form_flattened(graph *g, const form *f);
/* With the present values of the parameters. */
shape form_now(graph *g, const form *f);

#endif
