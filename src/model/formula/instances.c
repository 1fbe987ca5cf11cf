#include "instances.h"

enum { T, Q, U, W, OPEN };

/* A jet takes as much room as JET numbers, a range as much as RANGE. */
enum { JET = (sizeof(jet) + sizeof(double) - 1) / sizeof(double), RANGE = sizeof(carom_range) / sizeof(double) };

/* Local coordinates, velocities, factors and open numbers of one instance. */
static size_t room_for_inputs(const group *g) {
    return (size_t)(g->nq + 2 * g->nu + g->ns + g->parameters);
}

size_t instances_work(const group *groups, int count, bool bounds) {
    size_t most = 0;
    for (int n = 0; n < count; n++)
        for (int f = 0; f < FUNCTIONS; f++)
            for (int k = 1; k < SELECTIONS; k++) {
                const callback *c = &groups[n].of[f];
                if (!c->tapes[k]) continue;
                const size_t registers = (size_t)tape_registers(c->tapes[k]), inputs = room_for_inputs(&groups[n]);
                const size_t results = (size_t)(c->size[0] + c->size[1] + c->size[2]);
                size_t size = registers * TAPE_LANES;
                const size_t pulled = tape_pull_room(c->tapes[k]) + 2 * inputs + results;
                if (size < pulled) size = pulled; /* that of rates is less */
                if (bounds && size < registers * JET + 2 * RANGE * (inputs + results))
                    size = registers * JET + 2 * RANGE * (inputs + results);
                if (size > most) most = size;
            }
    return most;
}

static unsigned selection_of(const callback *c, double *const outputs[OUTPUTS]) {
    unsigned selection = 0;
    for (unsigned i = 0; i < OUTPUTS; i++) selection |= outputs[i] ? 1u << i & c->present : 0;
    return selection;
}

static const double *image_of(const evaluation *e, const callback *c, unsigned selection) {
    return e->image ? e->image + c->image[selection] : tape_image(c->tapes[selection]);
}

/* The factors of (M v)_q are velocities, those of (W r)_q percussions. */
static const int *map_of_factors(const group *g, function f, int *stride) {
    *stride = f == MASS_Q ? g->nu : g->ns;
    return f == MASS_Q ? g->u : g->s;
}

/* ---------------------------------------------------------------- many at a time */

static void run_lanes(const evaluation *e, const group *g, function f, unsigned selection,
                      const double *const blocks[TAPE_BLOCKS], double *const outputs[OUTPUTS]) {
    const callback *c = &g->of[f];
    int stride;
    const int *factors = map_of_factors(g, f, &stride);
    const tape_instances in = {.count = g->count,
                               .block = {blocks[T], blocks[Q], blocks[U], blocks[W], e->parameter + g->parameter_at},
                               .map = {NULL, g->q, g->u, factors, NULL},
                               .stride = {0, g->nq, g->nu, stride, g->parameters},
                               .place = {g->place[f][0], g->place[f][1], g->place[f][2]}};
    tape_run_lanes(c->tapes[selection], image_of(e, c, selection), &in, e->work,
                   (double *const[TAPE_ARRAYS]){outputs[0], outputs[1], outputs[2]});
}

/* ---------------------------------------------------------------- one at a time */

static double *gather(const double *from, const int *map, int count, double *to) {
    for (int i = 0; i < count && from; i++) to[i] = from[map[i]];
    return to + count;
}

/* The results of an instance, in the work space. */
static void run_local(const evaluation *e, const group *g, function f, unsigned selection, int k,
                      const double *const blocks[TAPE_BLOCKS], bool careful, double *own[TAPE_ARRAYS]) {
    const callback *c = &g->of[f];
    const tape *code = c->tapes[selection];
    const double *image = image_of(e, c, selection);
    int stride;
    const int *factors = map_of_factors(g, f, &stride);
    double *q = e->work, *u = gather(blocks[Q], g->q + k * g->nq, g->nq, q),
           *w = gather(blocks[U], g->u + k * g->nu, g->nu, u),
           *result = gather(blocks[W], factors + k * stride, stride, w);
    own[0] = result, own[1] = own[0] + c->size[0], own[2] = own[1] + c->size[1], own[3] = NULL;
    double *registers = own[2] + c->size[2];
    const double *const in[TAPE_BLOCKS] = {blocks[T], q, u, w, e->parameter + g->parameter_at + k * g->parameters};
    if (!careful || !tape_run_without_zeros(code, image, in, e->side, registers, own))
        tape_run_held(code, image, in, e->side, registers, own);
}

static void run_one(const evaluation *e, const group *g, function f, unsigned selection, int k,
                    const double *const blocks[TAPE_BLOCKS], double *const outputs[OUTPUTS], bool careful) {
    const callback *c = &g->of[f];
    double *own[TAPE_ARRAYS];
    run_local(e, g, f, selection, k, blocks, careful, own);
    for (unsigned i = 0; i < OUTPUTS; i++)
        for (int j = 0; j < c->size[i] && selection >> i & 1; j++)
            outputs[i][g->place[f][i][k * c->size[i] + j]] += own[i][j];
}

void instances_run(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                   double *const outputs[OUTPUTS], bool careful) {
    for (int n = 0; n < e->count; n++) {
        const group *g = &e->groups[n];
        const unsigned selection = selection_of(&g->of[f], outputs);
        if (!selection) continue;
        if (g->count > 1 && !careful) run_lanes(e, g, f, selection, blocks, outputs);
        else
            for (int k = 0; k < g->count; k++) run_one(e, g, f, selection, k, blocks, outputs, careful);
    }
}

/* ---------------------------------------------------------------- rates */

static void rates_of_one(const evaluation *e, const group *g, function f, unsigned selection, int k,
                         const double *const blocks[TAPE_BLOCKS], const instance_rates *rates,
                         double *const outputs[OUTPUTS]) {
    const callback *c = &g->of[f];
    const int *of_q = g->q + k * g->nq, *of_u = g->u + k * g->nu;
    const size_t at = g->parameter_at + (size_t)(k * g->parameters);
    double *q = e->work, *u = gather(blocks[Q], of_q, g->nq, q), *q_rate = gather(blocks[U], of_u, g->nu, u),
           *u_rate = gather(rates->blocks[Q], of_q, g->nq, q_rate),
           *result = gather(rates->blocks[U], of_u, g->nu, u_rate);
    double *own[TAPE_ARRAYS] = {result, result + c->size[0], result + c->size[0] + c->size[1]};
    const double *const in[TAPE_BLOCKS] = {blocks[T], q, u, NULL, e->parameter + at};
    const double *const in_rate[TAPE_BLOCKS] = {rates->blocks[T], rates->blocks[Q] ? q_rate : NULL,
                                                rates->blocks[U] ? u_rate : NULL, NULL,
                                                rates->parameter ? rates->parameter + at : NULL};
    tape_rates(c->tapes[selection], image_of(e, c, selection), rates->image ? rates->image + c->image[selection] : NULL,
               in, in_rate, e->side, own[2] + c->size[2], own);
    for (unsigned i = 0; i < OUTPUTS; i++)
        for (int j = 0; j < c->size[i] && selection >> i & 1; j++)
            outputs[i][g->place[f][i][k * c->size[i] + j]] += own[i][j];
}

void instances_rates(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                     const instance_rates *rates, double *const outputs[OUTPUTS]) {
    for (int n = 0; n < e->count; n++) {
        const group *g = &e->groups[n];
        const unsigned selection = selection_of(&g->of[f], outputs);
        for (int k = 0; k < g->count && selection; k++) rates_of_one(e, g, f, selection, k, blocks, rates, outputs);
    }
}

/* ---------------------------------------------------------------- weights */

/* The weights of an instance, from those of the model; false: all are zero. */
static bool gather_weights(const group *g, function f, unsigned selection, int k, const double *const weights[OUTPUTS],
                           double *own[TAPE_ARRAYS]) {
    const callback *c = &g->of[f];
    bool any = false;
    for (unsigned i = 0; i < OUTPUTS; i++)
        for (int j = 0; j < c->size[i] && selection >> i & 1; j++) {
            own[i][j] = weights[i][g->place[f][i][k * c->size[i] + j]];
            any = any || own[i][j] != 0;
        }
    return any;
}

static void pull_one(const evaluation *e, const group *g, function f, unsigned selection, int k,
                     const double *const blocks[TAPE_BLOCKS], const double *const weights[OUTPUTS],
                     const instance_weights *to) {
    const callback *c = &g->of[f];
    const int *of_q = g->q + k * g->nq, *of_u = g->u + k * g->nu;
    const size_t at = g->parameter_at + (size_t)(k * g->parameters);
    double *q = e->work, *u = gather(blocks[Q], of_q, g->nq, q), *q_weight = gather(blocks[U], of_u, g->nu, u),
           *u_weight = q_weight + g->nq, *result = u_weight + g->nu;
    double *own[TAPE_ARRAYS] = {result, result + c->size[0], result + c->size[0] + c->size[1]};
    if (!gather_weights(g, f, selection, k, weights, own)) return;
    for (double *x = q_weight; x < result; x++) *x = 0;
    tape_pull(c->tapes[selection], image_of(e, c, selection),
              (const double *const[TAPE_BLOCKS]){blocks[T], q, u, NULL, e->parameter + at}, e->side,
              (const double *const[TAPE_ARRAYS]){own[0], own[1], own[2]}, own[2] + c->size[2],
              (double *const[TAPE_BLOCKS]){to->blocks[T], q_weight, u_weight, NULL, to->parameter + at},
              to->image + c->image[selection]);
    for (int i = 0; i < g->nq; i++) to->blocks[Q][of_q[i]] += q_weight[i];
    for (int i = 0; i < g->nu; i++) to->blocks[U][of_u[i]] += u_weight[i];
}

void instances_pull(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                    const double *const weights[OUTPUTS], const instance_weights *to) {
    for (int n = 0; n < e->count; n++) {
        const group *g = &e->groups[n];
        unsigned selection = 0;
        for (unsigned i = 0; i < OUTPUTS; i++) selection |= weights[i] ? 1u << i & g->of[f].present : 0;
        for (int k = 0; k < g->count && selection; k++) pull_one(e, g, f, selection, k, blocks, weights, to);
    }
}

/* ---------------------------------------------------------------- ranges */

static carom_range *gather_ranges(const carom_range *from, const int *map, int count, carom_range *to) {
    for (int i = 0; i < count && from; i++) to[i] = from[map[i]];
    return to + count;
}

/* Ranges of the results of an instance, in the work space, with those of their rates after them. */
static const carom_range *bound_local(const evaluation *e, const group *g, function f, int k,
                                      const tape_ranges blocks[TAPE_BLOCKS], bool rates) {
    const callback *c = &g->of[f];
    const int *q = g->q + k * g->nq, *u = g->u + k * g->nu;
    jet *registers = (jet *)(void *)e->work;
    carom_range *own_q = (carom_range *)(void *)(e->work + (size_t)tape_registers(c->tapes[1]) * JET);
    carom_range *q_rate = gather_ranges(blocks[Q].value, q, g->nq, own_q);
    carom_range *own_u = gather_ranges(blocks[Q].rate, q, g->nq, q_rate);
    carom_range *u_rate = gather_ranges(blocks[U].value, u, g->nu, own_u);
    carom_range *open = gather_ranges(blocks[U].rate, u, g->nu, u_rate), *result = open + g->parameters;
    const double *parameter = e->parameter + g->parameter_at + k * g->parameters;
    for (int i = 0; i < g->parameters; i++) open[i] = jet_number(parameter[i]).v;
    const tape_ranges in[TAPE_BLOCKS] = {blocks[T],
                                         {own_q, blocks[Q].rate ? q_rate : NULL},
                                         {own_u, blocks[U].rate ? u_rate : NULL},
                                         {NULL, NULL},
                                         {open, NULL}};
    tape_bound(c->tapes[1], image_of(e, c, 1), in, e->side, registers, result, rates ? result + c->size[0] : NULL);
    return result;
}

static void bound_one(const evaluation *e, const group *g, function f, int k, const tape_ranges blocks[TAPE_BLOCKS],
                      carom_range *value, carom_range *rate) {
    const int size = g->of[f].size[0], *place = g->place[f][0] + k * size;
    const carom_range *result = bound_local(e, g, f, k, blocks, rate != NULL);
    for (int i = 0; i < size && value; i++) value[place[i]] = result[i];
    for (int i = 0; i < size && rate; i++) rate[place[i]] = result[size + i];
}

void instances_bound(const evaluation *e, function f, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value,
                     carom_range *rate) {
    for (int n = 0; n < e->count; n++)
        for (int k = 0; k < e->groups[n].count && e->groups[n].of[f].tapes[1]; k++)
            bound_one(e, &e->groups[n], f, k, blocks, value, rate);
}

/* ---------------------------------------------------------------- one row */

void instances_own(const group *groups, int count, row_owner *of) {
    for (int n = 0; n < count; n++) {
        const int size = groups[n].of[POSITION].size[0], *place = groups[n].place[POSITION][0];
        for (int k = 0; k < groups[n].count && size; k++)
            for (int i = 0; i < size; i++) of[place[k * size + i]] = (row_owner){n, k, i};
    }
}

double instances_row(const evaluation *e, row_owner of, const double *const blocks[TAPE_BLOCKS]) {
    double *own[TAPE_ARRAYS];
    run_local(e, &e->groups[of.group], POSITION, 1, of.instance, blocks, false, own);
    return own[0][of.local];
}

void instances_bound_row(const evaluation *e, row_owner of, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value,
                         carom_range *rate) {
    const group *g = &e->groups[of.group];
    const carom_range *result = bound_local(e, g, POSITION, of.instance, blocks, true);
    *value = result[of.local], *rate = result[g->of[POSITION].size[0] + of.local];
}
