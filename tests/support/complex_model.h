/* Mechanics typed as complex functions, so that every derivative the model interface asks for comes from a complex
 * step, df/dx = Im f(x + i h) / h with h = 1e-30: exact to round-off and independent of carom's own differentiation.
 * All matrices are dense. t stays real: nothing is differentiated by it. */
#ifndef TEST_COMPLEX_MODEL_H
#define TEST_COMPLEX_MODEL_H

#include "carom/carom.h"

#include <complex.h>

typedef double complex cx;

typedef struct complex_mechanics {
    int nq, nu, ng, ngamma, contacts;
    const carom_model_contact *contact;
    const double *q0, *u0;
    int rotations;
    const carom_rotation *rotation;
    const double *parameter;                                                            /* handed to every function */
    void (*kinematics)(double t, const cx *q, const cx *u, cx *q_dot, const double *p); /* NULL: q_dot = u */
    void (*mass)(double t, const cx *q, cx *M, const double *p);                        /* nu x nu, set to 0 before */
    /* M_dot u along q_dot, for p = M u and b = h + M_dot u. NULL: M is constant, or the model gives no momentum. */
    void (*momentum_rate)(double t, const cx *q, const cx *u, cx *rate, const double *p);
    void (*force)(double t, const cx *q, const cx *u, cx *h, const double *p);
    void (*position)(double t, const cx *q, cx *c, const double *p);              /* (g, g_N) */
    void (*velocity)(double t, const cx *q, const cx *u, cx *s, const double *p); /* (g_dot, gamma, gN_dot, gamma_F) */
    void (*direction)(double t, const cx *q, const cx *r, cx *Wr, const double *p); /* NULL: from velocity, slowly */
    void (*energy)(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p);
} complex_mechanics;

/* The model; carom_model_check must find nothing wrong with it. mechanics is borrowed until the model is destroyed. */
carom_model *complex_model(const complex_mechanics *mechanics);
/* The same unchecked, from a state that a scheme has reached and that may violate its constraints. */
carom_model *complex_model_anywhere(const complex_mechanics *mechanics);

/* s(t, q, u) and c(t, q), for tests that check laws. */
void complex_velocity(const complex_mechanics *mechanics, double t, const double *q, const double *u, double *s);
void complex_position(const complex_mechanics *mechanics, double t, const double *q, double *c);

#endif
