/* Derivatives of a formula model's functions along a direction, by its tapes in dual numbers (F25), (SE2). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula_context.h"
#include "model/model.h"

typedef formula_context context;

void forget_image_rates(context *m) {
    for (int i = 0; i < m->parameters && m->image_rate; i++) free(m->image_rate[i]), m->image_rate[i] = NULL;
}

/* Rates of the open numbers, of which only those that depend on parameters move. */
static void set_open_rates(const context *m, const double *still_rate, double *work, double *rates) {
    memset(rates, 0, m->open_numbers * sizeof *rates);
    if (!m->open) return;
    double *value = work, *registers = work + m->opens;
    tape_rates(m->open, tape_image(m->open), NULL, (const double *const[TAPE_BLOCKS]){m->still},
               (const double *const[TAPE_BLOCKS]){still_rate}, NULL, registers, (double *const[TAPE_ARRAYS]){value});
    for (int i = 0; i < m->opens; i++) rates[m->open_place[i]] = value[i];
    if (m->elastic) elastics_derive_rates(m->elastic, m->open_number + m->elastic_at, rates + m->elastic_at);
}

/* Rates of the constants of all tapes and of the open numbers by one parameter, of which only its symbol changes. */
static bool set_image_rates(context *m, int parameter, double *rates) {
    double *still = calloc((size_t)m->stills + 1, sizeof *still), *work = malloc((m->work_size + 1) * sizeof *work);
    const bool done = still && work;
    if (done && m->symbol[parameter] >= 0) still[m->symbol[parameter]] = 1;
    int at = EVERY;
    for (const callback *c; done && (c = next_callback(m, &at));)
        for (unsigned k = 0; k < SELECTIONS; k++)
            if (c->tapes[k]) tape_set_rates(c->tapes[k], m->still, still, work, rates + c->image[k]);
    if (done) set_open_rates(m, still, work, rates + m->image_size);
    free(still);
    free(work);
    return done;
}

/* Kept until a parameter changes. NULL: out of memory. */
static const double *image_rates(context *m, int parameter) {
    if (!m->still) return NULL; /* values are those of a simulation */
    if (!m->image_rate) m->image_rate = calloc((size_t)m->parameters + 1, sizeof *m->image_rate);
    if (!m->image_rate) return NULL;
    double **own = &m->image_rate[parameter];
    if (*own) return *own;
    *own = malloc((m->image_size + m->open_numbers + 1) * sizeof **own);
    if (*own && !set_image_rates(m, parameter, *own)) free(*own), *own = NULL;
    return *own;
}

/* A direction: of the state, and of the constants. */
typedef struct direction {
    context *m;
    const carom_place *at, *rate;
    const double *speed; /* the fourth block: slip [SLIP] of friction, speeds of approach [contacts]; else NULL, */
    const double *speed_rate;
    const double *image; /* NULL: constants rest */
    double *work;
} direction;

/* The slip speed and its direction. */
enum { SLIP = 4 };
static const double still_slip[SLIP];

/* Of a function over the symbols of the model. */
static int rates_of(const direction *x, const callback *c, double *const outputs[OUTPUTS]) {
    unsigned selection = 0;
    for (unsigned i = 0; i < OUTPUTS; i++) selection |= outputs[i] ? 1u << i & c->present : 0;
    if (!selection) return 0;
    const evaluation now = formula_evaluation(x->m, x->work);
    const double *blocks[TAPE_BLOCKS] = {&x->at->t, x->at->q, x->at->u, x->speed},
                 *rates[TAPE_BLOCKS] = {&x->rate->t, x->rate->q, x->rate->u, x->speed_rate};
    double *arrays[TAPE_ARRAYS] = {outputs[0], outputs[1], outputs[2]};
    const tape *code = c->tapes[selection];
    return !tape_rates(code, now.image ? now.image + c->image[selection] : tape_image(code),
                       x->image ? x->image + c->image[selection] : NULL, blocks, rates, now.side, x->work, arrays);
}

/* Of a sum over instances. */
static int sum_wanted(const direction *x, function f, double *const outputs[OUTPUTS]) {
    if (formula_is_whole(x->m)) return rates_of(x, &x->m->group[0].of[f], outputs);
    const evaluation now = formula_evaluation(x->m, x->work);
    const double *blocks[TAPE_BLOCKS] = {&x->at->t, x->at->q, x->at->u},
                 *state[TAPE_BLOCKS] = {&x->rate->t, x->rate->q, x->rate->u};
    const instance_rates rates = {state, x->image, x->image ? x->image + x->m->image_size : NULL};
    for (int i = 0; i < OUTPUTS; i++)
        for (int k = 0; outputs[i] && k < x->m->size[f][i]; k++) outputs[i][k] = 0;
    instances_rates(&now, f, blocks, &rates, outputs);
    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i] && !numbers_finite(outputs[i], x->m->size[f][i])) return 1;
    return 0;
}

static inline int sum_rates(const direction *x, function f, double *first, double *second) {
    return first || second ? sum_wanted(x, f, (double *[OUTPUTS]){first, second, NULL}) : 0;
}

/* Elastic elements know the derivatives of their forces, (F16), but not that of their energy. */
static int add_elastic_rates(const direction *x, const carom_tangent *w) {
    const context *m = x->m;
    if (!m->elastic) return 0;
    const double *data = m->open_number + m->elastic_at,
                 *data_rate = x->image ? x->image + m->image_size + m->elastic_at : NULL;
    bool undefined = w->V != NULL;
    for (int i = 0; i < 2 && !undefined; i++) {
        double *rate = i ? w->h : w->b;
        undefined = rate && elastics_add_rates(m->elastic, data, data_rate, x->at->q, x->rate->q, rate);
    }
    return undefined;
}

static int all_rates(const direction *x, const carom_tangent *w) {
    const callback *own = x->m->extra;
    return sum_rates(x, KINEMATICS, w->q_dot, NULL) || sum_rates(x, MASS, w->M, NULL) ||
           sum_rates(x, FORCE, w->h, NULL) || sum_rates(x, MOMENTUM_P, w->p, NULL) ||
           sum_rates(x, MOMENTUM_B, w->b, NULL) || add_elastic_rates(x, w) || sum_rates(x, POSITION, w->c, NULL) ||
           sum_rates(x, VELOCITY, w->s, w->WT) || sum_rates(x, VELOCITY_RATE, w->zeta, NULL) ||
           sum_rates(x, SWITCHING, w->a, NULL) || sum_rates(x, ENERGY, w->T, w->V) ||
           rates_of(x, &own[OBSERVE], (double *[]){w->observables, NULL, NULL}) ||
           rates_of(x, &own[ANCHOR], (double *[]){w->anchors, NULL, NULL});
}

static bool begin(direction *x, context *m, int parameter) {
    x->m = m;
    x->work = get_work(m);
    x->image = parameter >= 0 && x->work ? image_rates(m, parameter) : NULL;
    if (x->work && (parameter < 0 || x->image)) return true;
    if (x->work) give_work(m, x->work);
    return false;
}

int formula_tangent(void *self, int parameter, const carom_place *at, const carom_place *rate,
                    const carom_tangent *wanted) {
    direction x = {.at = at, .rate = rate};
    if (!begin(&x, self, parameter)) return 1;
    int status = all_rates(&x, wanted);
    give_work(x.m, x.work);
    return status;
}

static const callback *curve_of(const context *m, int contact, double speed, const double *along, double slip[SLIP]) {
    const callback *c = &m->curve[m->contact_curve[contact]];
    slip[0] = speed;
    for (int i = 1; i < SLIP; i++) slip[i] = i <= c->size[1] ? along[i - 1] : 0;
    return c;
}

int formula_friction_tangent(void *self, int parameter, int contact, const carom_place *at, const carom_place *rate,
                             double speed, const double *along, double *mu, double *mu_slip) {
    double slip[SLIP];
    direction x = {.at = at, .rate = rate, .speed = slip, .speed_rate = still_slip};
    if (!begin(&x, self, parameter)) return 1;
    const int status = rates_of(&x, curve_of(x.m, contact, speed, along, slip), (double *[OUTPUTS]){mu, mu_slip, NULL});
    give_work(x.m, x.work);
    return status;
}

static const carom_place nowhere;

int formula_restitution_tangent(void *self, int parameter, const double *speed, const double *speed_rate,
                                double *e_rate) {
    direction x = {.at = &nowhere, .rate = &nowhere, .speed = speed, .speed_rate = speed_rate};
    if (!begin(&x, self, parameter)) return 1;
    const int status = rates_of(&x, &x.m->extra[RESTITUTION], (double *[OUTPUTS]){e_rate, NULL, NULL});
    give_work(x.m, x.work);
    return status;
}

/* ---------------------------------------------------------------- transposed, (F31) */

/* Weights at a state, and where they are added. */
typedef struct weighing {
    context *m;
    const carom_place *at;
    const carom_cotangent *by;
    const double *speed; /* as of a direction, */
    double *speed_by;    /* and its weights */
    double *work;
} weighing;

static bool all_zero(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

static void pull_callback(const weighing *x, const callback *c, const double *const weights[OUTPUTS]) {
    unsigned selection = 0;
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (weights[i] && !all_zero(weights[i], c->size[i])) selection |= 1u << i & c->present;
    if (!selection) return;
    const evaluation now = formula_evaluation(x->m, x->work);
    const tape *code = c->tapes[selection];
    tape_pull(code, now.image ? now.image + c->image[selection] : tape_image(code),
              (const double *const[TAPE_BLOCKS]){&x->at->t, x->at->q, x->at->u, x->speed}, now.side,
              (const double *const[TAPE_ARRAYS]){weights[0], weights[1], weights[2]}, x->work,
              (double *const[TAPE_BLOCKS]){x->by->t, x->by->q, x->by->u, x->speed_by},
              x->by->constants + c->image[selection]);
}

static void pull_sum(const weighing *x, function f, const double *first, const double *second) {
    const double *const weights[OUTPUTS] = {first, second, NULL};
    if (!first && !second) return;
    if (formula_is_whole(x->m)) {
        pull_callback(x, &x->m->group[0].of[f], weights);
        return;
    }
    const evaluation now = formula_evaluation(x->m, x->work);
    const double *const blocks[TAPE_BLOCKS] = {&x->at->t, x->at->q, x->at->u};
    double *const to[TAPE_BLOCKS] = {x->by->t, x->by->q, x->by->u};
    instances_pull(&now, f, blocks, weights,
                   &(instance_weights){to, x->by->constants, x->by->constants + x->m->image_size});
}

int formula_cotangent(void *self, const carom_place *at, const carom_tangent *w, const carom_cotangent *by) {
    context *m = self;
    const weighing x = {.m = m, .at = at, .by = by, .work = get_work(m)};
    if (!x.work) return 1;
    pull_sum(&x, KINEMATICS, w->q_dot, NULL);
    pull_sum(&x, MASS, w->M, NULL);
    pull_sum(&x, FORCE, w->h, NULL);
    pull_sum(&x, MOMENTUM_P, w->p, NULL);
    pull_sum(&x, MOMENTUM_B, w->b, NULL);
    pull_sum(&x, POSITION, w->c, NULL);
    pull_sum(&x, VELOCITY, w->s, w->WT);
    pull_sum(&x, VELOCITY_RATE, w->zeta, NULL);
    pull_sum(&x, SWITCHING, w->a, NULL);
    if (w->anchors) pull_callback(&x, &m->extra[ANCHOR], (const double *const[OUTPUTS]){w->anchors, NULL, NULL});
    give_work(m, x.work);
    if (!m->elastic) return 0;
    const double *data = m->open_number + m->elastic_at;
    double *constants = m->open ? by->constants + m->image_size + m->elastic_at : NULL;
    return (w->b && elastics_add_weights(m->elastic, data, at->q, w->b, by->q, constants)) ||
           (w->h && elastics_add_weights(m->elastic, data, at->q, w->h, by->q, constants));
}

int formula_friction_cotangent(void *self, int contact, const carom_place *at, double speed, const double *along,
                               double mu, const double *mu_slip, const carom_cotangent *by) {
    context *m = self;
    double slip[SLIP], unread[SLIP] = {0};
    const callback *c = curve_of(m, contact, speed, along, slip);
    const weighing x = {.m = m, .at = at, .by = by, .speed = slip, .speed_by = unread, .work = get_work(m)};
    if (!x.work) return 1;
    pull_callback(&x, c, (const double *const[OUTPUTS]){&mu, mu_slip, NULL});
    give_work(m, x.work);
    return 0;
}

int formula_restitution_cotangent(void *self, const double *speed, const double *e_weight, double *speed_weight,
                                  double *constants) {
    context *m = self;
    const weighing x = {.m = m,
                        .at = &nowhere,
                        .by = &(carom_cotangent){.constants = constants},
                        .speed = speed,
                        .speed_by = speed_weight,
                        .work = get_work(m)};
    if (!x.work) return 1;
    pull_callback(&x, &m->extra[RESTITUTION], (const double *const[OUTPUTS]){e_weight, NULL, NULL});
    give_work(m, x.work);
    return 0;
}

double formula_constants_by(void *self, int parameter, const double *constants) {
    context *m = self;
    const double *rates = image_rates(m, parameter);
    double sum = 0;
    for (size_t i = 0; rates && i < m->image_size + m->open_numbers; i++)
        if (constants[i] != 0) sum += constants[i] * rates[i];
    return rates ? sum : NAN;
}

/* What assign writes, by a parameter: [nq + nu] of the start, then the coefficients of contacts and latches. NULL: not
 * defined, or out of memory. */
static double *value_rates(context *m, int parameter) {
    direction x = {.at = &nowhere, .rate = &nowhere};
    const size_t state = (size_t)m->nq + (size_t)m->nu, coefficients = formula_coefficients(m);
    double *value = calloc(state + coefficients + (size_t)m->demands + 1, sizeof *value);
    bool done = value && begin(&x, m, parameter);
    if (done) {
        done = !rates_of(&x, &m->extra[VALUES], (double *[]){NULL, value, coefficients ? value + state : NULL});
        give_work(m, x.work);
    }
    if (done) return value;
    free(value);
    return NULL;
}

int formula_assign_tangent(void *self, int parameter, double *q0, double *u0, double *coefficient) {
    context *m = self;
    const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
    double *value = value_rates(m, parameter);
    if (!value) return 1;
    memcpy(q0, value, nq * sizeof *q0);
    memcpy(u0, value + nq, nu * sizeof *u0);
    for (int k = 0; k < m->contacts; k++)
        memcpy(coefficient + 3 * k, value + nq + nu + COEFFICIENTS * k, 3 * sizeof *value);
    free(value);
    return 0;
}

int formula_bear_tangent(void *self, int parameter, double *bound) {
    context *m = self;
    double *value = value_rates(m, parameter);
    if (!value) return 1;
    const double *first = value + m->nq + m->nu + COEFFICIENTS * m->contacts;
    memcpy(bound, first, LATCH_BOUNDS * (size_t)m->latches * sizeof *bound);
    free(value);
    return 0;
}
