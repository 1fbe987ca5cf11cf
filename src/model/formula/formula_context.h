/* The context behind the functions of a formula model. */
#ifndef CAROM_FORMULA_CONTEXT_H
#define CAROM_FORMULA_CONTEXT_H

#include <stdatomic.h>
#include <stddef.h>

#include "carom/carom.h"
#include "model/elastic.h"
#include "tape.h"

/* One function of the table: a tape for every selection of its outputs, so that asking for less costs less. */
enum { OUTPUTS = 3, SELECTIONS = 1 << OUTPUTS };
typedef struct callback {
    int size[OUTPUTS];
    unsigned present; /* outputs that have entries at all */
    tape *tapes[SELECTIONS];
    size_t image[SELECTIONS]; /* where the images of the tapes are in those of a fork */
} callback;

enum { CALLBACKS = 20 };

typedef struct context {
    callback kinematics, mass, mass_q, force, momentum_p, momentum_b, position, velocity, velocity_rate, direction_q,
        displacement, restitution, energy, power, symmetry, observe, support, anchor, switching, values;
    elastics *elastic; /* NULL: none */
    int *symbol;       /* [parameters + inputs] which still symbol each is, -1: a formula of others */
    int parameters, inputs, stills, nq, nu, contacts;
    size_t image_size;   /* of all tapes together */
    bool fork;           /* shares all of the above with another context */
    double *still;       /* [stills] values */
    double *image;       /* images of all tapes for these; NULL: their own */
    double **image_rate; /* [parameters] the same for derivatives by one of them; NULL: not asked for yet */
    double *work;        /* registers of the tapes that need more than LOCAL of them */
    size_t work_size;
    atomic_flag work_taken; /* one model may serve simulations in several threads */
} context;

void list_callbacks(context *m, callback *list[CALLBACKS]);
/* Sides that the thread holds; NULL: none. */
const int *sides_of(const context *x);
/* Work space of the model, or (another thread is in it) fresh memory; NULL: none left. */
double *take_work(context *x, size_t size);
void give_work(context *x, double *work);
/* The image of a tape for the present values of parameters and inputs. */
const double *image_of(const context *x, const callback *c, unsigned selection);

/* The model's functions tangent and assign_tangent (formula_tangent.c). */
int formula_tangent(void *context, int parameter, const carom_place *at, const carom_place *rate,
                    const carom_tangent *wanted);
int formula_assign_tangent(void *context, int parameter, double *q0, double *u0, double *coefficient);
/* Derivatives by parameters are those at other values now. */
void forget_image_rates(context *m);

#endif
