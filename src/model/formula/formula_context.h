/* The inside of a formula model: what the functions of its table see as their context. */
#ifndef CAROM_FORMULA_CONTEXT_H
#define CAROM_FORMULA_CONTEXT_H

#include "instances.h"

#include <stdatomic.h>

/* What is not a sum over instances: it is compiled over the symbols of the model. */
typedef enum extra { SYMMETRY, SLIP_SCALE, RESTITUTION, OBSERVE, SUPPORT, ANCHOR, VALUES, EXTRAS } extra;

typedef struct formula_context {
    group *group; /* kinds with their instances */
    int groups;
    int size[FUNCTIONS][OUTPUTS]; /* numbers in every output of the model */
    callback extra[EXTRAS];
    row_owner *owner; /* [rows of c] */
    /* Friction by slip speed and place: the functions mu, mu_slip and mu_q of each curve, and the curve of a contact;
     * its derivatives by q, the last one start[contacts]. */
    callback *curve;
    int curves, *contact_curve;
    carom_pattern mu_q;
    elastics *elastic; /* NULL: none */
    int *symbol;       /* [parameters + inputs] which still symbol each is, -1: a formula of others */
    int parameters, inputs, stills, nq, nu, ng, contacts, latches, demands;
    tape *open;      /* open numbers that depend on still symbols; NULL: there are none */
    int *open_place; /* where they are in open_number */
    int opens;       /* how many there are */
    size_t open_numbers;
    size_t image_size;           /* of all tapes together */
    bool fork;                   /* shares all of the above with another context */
    double *still;               /* [stills] values */
    double *image;               /* images of all tapes for these; NULL: their own */
    double *open_number;         /* of all instances, then the data of the elastic elements, then what is found by */
    size_t elastic_at, found_at; /* where these begin */
    double **image_rate; /* [parameters] derivatives of images and then of open numbers by one of them; NULL: not asked
                            for yet */
    double *work;        /* where what is on the stack does not do */
    size_t work_size;
    atomic_flag work_taken; /* one model may serve simulations in several threads */
} formula_context;

/* Every function of every kind, and the extras: the next one after *at, which is EVERY at first; NULL: no more. */
enum { EVERY = -1 };
callback *next_callback(formula_context *m, int *at);

/* The functions of the table and their context; sizes, names and patterns are not filled in. */
void formula_table(formula_context *x, const formula_def *d, carom_model_def *table);
int formula_run_extra(formula_context *x, extra what, const double *const blocks[TAPE_BLOCKS],
                      double *const outputs[TAPE_ARRAYS]);

/* Friction by slip speed and place (formula_curves.c). False: out of memory. */
bool formula_compile_curves(formula_context *x, const formula_def *d, compilation *c);
int formula_friction(void *context, int contact, double t, const double *q, double speed, const double *along,
                     double *mu, double *mu_slip, double *mu_q);
int formula_run_callback(formula_context *x, const callback *c, const double *const blocks[TAPE_BLOCKS],
                         double *const outputs[TAPE_ARRAYS]);

/* The model's functions found_numbers, row and row_range (model.h). */
const double *formula_found_numbers(const void *context);
int formula_row(void *context, int row, double t, const double *q, double *c);
int formula_row_range(void *context, int row, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                      carom_range *c, carom_range *c_rate);

/* Is the model one kind with one instance, which has its symbols? */
static inline bool formula_is_whole(const formula_context *x) {
    return x->groups == 1 && x->group[0].whole;
}
/* Kinds with the present values, on the sides that the thread holds. */
evaluation formula_evaluation(const formula_context *x, double *work);
/* Work space of the model, or (another thread is in it) fresh memory; NULL: none left. */
double *get_work(formula_context *x);
void give_work(formula_context *x, double *work);

/* Makes parts of the model (formula_part.c). */
extern const struct part_maker formula_part_maker;

/* The model's functions tangent and assign_tangent (formula_tangent.c). */
int formula_tangent(void *context, int parameter, const carom_place *at, const carom_place *rate,
                    const carom_tangent *wanted);
/* The model's functions friction_tangent and friction_cotangent. */
int formula_friction_tangent(void *context, int parameter, int contact, const carom_place *at, const carom_place *rate,
                             double speed, const double *along, double *mu, double *mu_slip);
int formula_friction_cotangent(void *context, int contact, const carom_place *at, double speed, const double *along,
                               double mu, const double *mu_slip, const carom_cotangent *by);
/* The model's functions restitution_tangent and restitution_cotangent. */
int formula_restitution_tangent(void *context, int parameter, const double *speed, const double *speed_rate,
                                double *e_rate);
int formula_restitution_cotangent(void *context, const double *speed, const double *e_weight, double *speed_weight,
                                  double *constants);
/* How many values of contacts and latches assign computes, before the demands. */
size_t formula_coefficients(const formula_context *x);
int formula_assign_tangent(void *context, int parameter, double *q0, double *u0, double *coefficient);
int formula_bear_tangent(void *context, int parameter, double *bound);
/* The model's functions cotangent and constants_by: constants are the images of all tapes, then the open numbers. */
int formula_cotangent(void *context, const carom_place *at, const carom_tangent *weight, const carom_cotangent *by);
double formula_constants_by(void *context, int parameter, const double *constants);
/* Derivatives by parameters are those at other values now. */
void forget_image_rates(formula_context *m);

#endif
