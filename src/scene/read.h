/* Reading the entries of an element: numbers, vectors, words, references to bodies. Each complains at its node. */
#ifndef CAROM_READ_H
#define CAROM_READ_H

#include "draft.h"

/* Numbers that parameters may change. Where the key is missing, the value is not changed. */
carom_status read_constant(draft *d, const element *e, const char *key, expr *value);
carom_status read_positive_constant(draft *d, const element *e, const char *key, expr *value);
/* A list of least to most of them; *count: how many (0: no such key); the others are 0. */
carom_status read_constants(draft *d, const element *e, const char *key, int least, int most, expr *x, int *count);
/* Two lists of two or three of them, one for each of two bodies. */
carom_status read_pair(draft *d, const element *e, const char *key, vec x[2], bool *given);
/* A direction: three numbers (or two, in the plane), made a unit vector; not changed where missing. */
carom_status read_direction(draft *d, const element *e, const char *key, vec *n);

/* Numbers on which the structure depends: parameters in them can no longer change. */
carom_status read_number(draft *d, const element *e, const char *key, double *value);
carom_status read_positive(draft *d, const element *e, const char *key, double *value);
/* How many 'elements' a beam or bar has. what: "beam". */
carom_status read_pieces(draft *d, const element *e, const char *what, int *count);
/* A list of least to most numbers; *count: how many (0: no such key); the others are 0. */
carom_status read_numbers(draft *d, const element *e, const char *key, int least, int most, double *x, int *count);
/* Formulas of everything. */
carom_status read_formula(draft *d, const element *e, const char *key, expr *value);          /* -1: no such key */
carom_status read_formulas(draft *d, const element *e, const char *key, vec *x, bool *given); /* one to three */
/* A point as a list of one to three formulas. name: what it belongs to, for errors. */
carom_status read_vector(draft *d, const node *list, const char *name, const parse_index *index, vec *x);
/* Formulas of one variable of their own and of parameters. */
carom_status read_formulas_of(draft *d, const element *e, const char *key, const local_name *variable, vec *x);
/* One of the words of a NULL-terminated list; not changed where missing. what: "type of joint". */
carom_status read_word(draft *d, const element *e, const char *key, const char *what, const char *const *words,
                       int *word);
/* "wheel", "link[i+1]", "world": a member. */
carom_status read_member(draft *d, const node *text, const parse_index *index, int *found);
/* Two of them, different, at least one a body. what: "spring". */
carom_status read_two(draft *d, const element *e, const char *key, const char *what, int found[2]);
/* Checks two members that were read otherwise. */
carom_status check_two(draft *d, const node *where, const char *what, const char *name, const int of[2]);
/* The element may have the keys of a word of the vocabulary. what: "joint 'hinge'". */
carom_status read_keys(draft *d, const element *e, const char *what, const char *family, const char *word);

/* A rotation: [p0, p1, p2, p3], {axis: [...], angle: a}, or {euler: zxz, angles: [a, b, c]}. Identity where missing. */
carom_status read_rotation(draft *d, const element *e, const char *key, mat *A, expr p[4]);
/* The same with angles that are formulas of time. */
carom_status read_turning(draft *d, const element *e, const char *key, mat *A);

/* A shape in the frame of its body; e->value may have further keys, which the caller checks. In the plane, axes lie
 * along x and planes face y. */
carom_status read_shape(draft *d, const element *e, bool planar, form *s);
/* The same without its place, the keys 'at' and 'rotation'. */
carom_status read_form(draft *d, const element *e, bool planar, form *s);

/* The points of {hull: ...}, or of the mesh it names. */
carom_status read_hull(draft *d, const element *e, bool planar, form *s);

/* The shapes of a body, and its mass, centre of mass and inertia: given, or computed from them. */
carom_status read_shapes(draft *d, member *m);
carom_status read_mass(draft *d, member *m);

#endif
