/* The interpreter of tapes in numbers for several instances at a time: every register is a row of TAPE_LANES numbers.
 */
#include "tape_code.h"

#include <string.h>

#include "wide.h"

enum { LANES = TAPE_LANES };

/* r_to = a b +- c d. Operands may be the place of the result: they are read before it is written. */
IN_BOTH void multiply_add(const instruction *i, double *r) {
    double x[LANES], y[LANES];
    const double *a = r + i->a * LANES, *b = r + i->b * LANES, *c = r + i->c * LANES, *d = r + i->d * LANES;
    for (int l = 0; l < LANES; l++) x[l] = a[l] * b[l], y[l] = c[l] * d[l];
    double *to = r + i->to * LANES;
    if (i->code == PLUS)
        for (int l = 0; l < LANES; l++) to[l] = x[l] + y[l];
    else
        for (int l = 0; l < LANES; l++) to[l] = x[l] - y[l];
}

static void sine_and_cosine(const instruction *i, double *r) {
    for (int l = 0; l < LANES; l++) {
        const double a = r[i->a * LANES + (unsigned)l];
        r[i->to * LANES + (unsigned)l] = sin(a), r[i->d * LANES + (unsigned)l] = cos(a);
    }
}

static void look_up(const tape *t, const instruction *i, double *r) {
    for (unsigned l = 0; l < LANES; l++)
        r[i->to * LANES + l] = knots_value(t->tables, i->code == OP_PLACE, r[i->a * LANES + l], r[i->b * LANES + l]);
}

IN_BOTH void calculate(const instruction *i, double *r) {
    double x[3][LANES];
    memcpy(x[0], r + i->a * LANES, sizeof x[0]);
    memcpy(x[1], r + i->b * LANES, sizeof x[1]);
    memcpy(x[2], r + i->c * LANES, sizeof x[2]);
    double *to = r + i->to * LANES;
    switch (i->code) {
#define X(name, arity, text, value)                                                                                    \
    case OP_##name:                                                                                                    \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const double a = x[0][l], b = x[1][l], c = x[2][l];                                                        \
            (void)a, (void)b, (void)c;                                                                                 \
            to[l] = (value);                                                                                           \
        }                                                                                                              \
        break;
        OPERATIONS(X)
#undef X
    }
}

/* Lanes beyond the last instance repeat it. */
static void gather(const tape *t, const tape_instances *in, int first, double *r) {
    for (int b = 0; b < TAPE_BLOCKS; b++) {
        const slice *s = &t->input[b];
        for (int l = 0; l < LANES && s->count > 0; l++) {
            const int k = first + l < in->count ? first + l : in->count - 1, at = k * in->stride[b] + s->from;
            double *to = r + s->to * LANES + l;
            if (in->map[b])
                for (int i = 0; i < s->count; i++) to[i * LANES] = in->block[b][in->map[b][at + i]];
            else
                for (int i = 0; i < s->count; i++) to[i * LANES] = in->block[b][at + i];
        }
    }
}

static void scatter(const tape *t, const tape_instances *in, int first, const double *r,
                    double *const arrays[TAPE_ARRAYS]) {
    const int lanes = in->count - first < LANES ? in->count - first : LANES;
    for (int k = 0; k < TAPE_ARRAYS; k++) {
        const slice *s = &t->result[k];
        for (int l = 0; l < lanes && s->count > 0; l++) {
            const int *place = in->place[k] + (size_t)(first + l) * (size_t)s->count;
            const double *from = r + s->from * LANES + l;
            for (int i = 0; i < s->count; i++) arrays[k][place[i]] += from[i * LANES];
        }
    }
}

IN_BOTH void run(const tape *t, const double *image, const tape_instances *in, double *work,
                 double *const arrays[TAPE_ARRAYS]) {
    double *const r = work;
    for (int k = 0; k < t->image_size; k++)
        for (int l = 0; l < LANES; l++) r[k * LANES + l] = image[k];
    for (int first = 0; first < in->count; first += LANES) {
        gather(t, in, first, r);
        for (const instruction *i = t->code, *end = i + t->length; i < end; i++) {
            if (i->code <= MINUS) multiply_add(i, r);
            else if (i->code == SINCOS) sine_and_cosine(i, r);
            else if (i->code == OP_PLACE || i->code == OP_ENTRY) look_up(t, i, r);
            else calculate(i, r);
        }
        scatter(t, in, first, r, arrays);
    }
}

#ifdef WIDE
WIDE static void run_wide(const tape *t, const double *image, const tape_instances *in, double *work,
                          double *const arrays[TAPE_ARRAYS]) {
    run(t, image, in, work, arrays);
}
#endif

void tape_run_lanes(const tape *t, const double *image, const tape_instances *in, double *work,
                    double *const arrays[TAPE_ARRAYS]) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) {
        run_wide(t, image, in, work, arrays);
        return;
    }
#endif
    run(t, image, in, work, arrays);
}
