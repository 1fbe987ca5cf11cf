/* How long the steps of a scheme may be, known before the first one (docs/theory/stability.md). Small motions about the
 * initial state obey, with the joints held,
 *
 *     M d'' + D d' + K d = W dlambda,     W^T d = 0                                                             (X1)
 *
 * and a scheme with a limit follows them, if (X11) holds for all of them, dt^2 omega^2 + w dt delta <= x^2. */
#ifndef CAROM_STABILITY_H
#define CAROM_STABILITY_H

#include "carom/plugin.h"
#include "model/model.h"

/* x and w of a scheme. x = 0: there is no limit. divided: up to this dt omega, a divided step changes the energy of a
 * motion by less than a fiftieth, (X19); 0: not known. */
typedef carom_stability_limit stability_limit;

/* (X5), (X6): the limit of schemes that move like Stoermer and Verlet's. */
stability_limit stoermer_verlet_limit(const void *self);

/* The motion that has the smallest limit. */
typedef struct stability {
    double number;       /* dt over its limit; 0: no limit is known */
    double divided;      /* dt over the limit of divided steps; 0: none are divided, or no limit is known */
    double omega, delta; /* its frequency and damping */
    int velocity;        /* that takes the largest part in it */
} stability;

/* divides: steps are taken in parts where something happens. CAROM_OK, or out of memory. */
carom_status stability_measure(const carom_model *model, stability_limit limit, double dt, bool divides,
                               stability *found, carom_error *error);

/* "dt = 0.001 exceeds the limit of stability 0.0002 of rattle ...", or what divided steps do; "": neither. */
void stability_tell(const stability *found, const carom_model *model, const char *scheme, double dt, char *text,
                    size_t size);

#endif
