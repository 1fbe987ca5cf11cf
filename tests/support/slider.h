/* A system in which every term of a step counts: q = (x, y, z), M(q), h(t,q,u), a joint and a contact that slides on
 * curved ground. And Newton's method with differences, for its equations written out by hand. */
#ifndef CAROM_TESTS_SLIDER_H
#define CAROM_TESTS_SLIDER_H

#include "support/complex_model.h"

enum { SLIDER = 3, SLIDER_ROWS = 3, JOINT = 0, GAP = 1, SLIP = 2 };
extern const complex_mechanics slider;
#define SLIDER_FRICTION 0.3

/* M(q) x, h and f += factor W(q) r for rows [0, rows) of the model */
void slider_mass(const carom_model_def *d, const double *q, const double *x, double *Mx);
void slider_forces(const carom_model_def *d, double t, const double *q, const double *v, double *h);
void slider_directions(const carom_model_def *d, const double *q, const double *r, int rows, double factor, double *f);

/* Solves r(z) = 0 from z; at the end r is called at the solution once more. */
enum { MOST_EQUATIONS = 16 };
typedef void equations(const double *z, double *r);
void solve_equations(int n, equations *f, double *z);

#endif
