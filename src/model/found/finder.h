/* What a model looks for contacts among: the solids of its bodies, and the laws of pairs of them. Constant, as the
 * model is. docs/theory/contacts.md. */
#ifndef CAROM_FINDER_H
#define CAROM_FINDER_H

#include "core.h"
#include "model/element/body.h"

#include "carom/carom.h"

/* A body that moves, or the world, which has no coordinates. */
typedef struct finder_body {
    char *name;
    body form; /* its kind, nq and nu */
    int q, u;  /* first coordinate and velocity */
    int own;   /* first of the solids that it has anyway, which follow each other; -1: none */
} finder_body;

/* A convex shape of a body. */
typedef struct solid {
    int body, number; /* number: which of the shapes that the body has anyway; -1: a shape for one law */
    core core;
    double arm; /* no vertex is farther from the origin of the body */
} solid;

/* An entry of the scene: every solid of one group against every one of the other, or against those of the same. */
typedef struct finder_law {
    carom_model_contact contact; /* name, coefficients, slips */
    unsigned char *group;        /* [groups] of the first solids. 1: in the first, 2: in the second, 3: in both */
    int groups;                  /* later solids are in none */
} finder_law;

/* A solid or a law whose numbers follow from parameters: so many of a list that holds those of all changes in order. */
enum { SOLID_NUMBERS = SHAPE_NUMBERS + 3, LAW_NUMBERS = 4 };
typedef struct finder_change {
    int solid, law; /* -1: it is the other; of a solid the shape and the origin of its body (finder_add_solid), of a law
                       friction, restitution, tangential_restitution, rest */
    shape shape;
} finder_change;

typedef struct finder {
    int bodies, solids, laws, changes;
    finder_body *body;
    solid *solid;
    finder_law *law;
    finder_change *change;
    bool shares; /* all but the solids and laws that change with another finder */
} finder;

/* Making one. -1, false or NULL: out of memory. */
finder *finder_create(void);
void finder_destroy(finder *f);
int finder_add_body(finder *f, const char *name, const body *form, int q, int u);
int finder_add_solid(finder *f, int body, int number, const shape *s, const double origin[3]);
int finder_own_solid(const finder *f, int body, int number); /* -1: there is none */
bool finder_add_law(finder *f, const carom_model_contact *contact);
bool finder_join(finder *f, int solid, int group); /* of the law added last */
bool finder_add_change(finder *f, const finder_change *change);

/* The same with other numbers of what changes; f must live longer. NULL: out of memory. */
finder *finder_with(const finder *f, const double *numbers);

/* The law of a pair of solids, the last one that names it; -1: they pass through each other. */
int finder_law_of(const finder *f, int a, int b);
/* Where a body is. */
core_pose finder_pose(const finder *f, int body, const double *q);

#endif
