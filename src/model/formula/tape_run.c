/* The interpreter of tapes in numbers. */
#include "tape_code.h"

/* Mostly a few numbers: a loop, four at a time, is faster than a call. */
static inline void copy(double *restrict to, const double *restrict from, int count) {
    int i = 0;
    for (; i + 4 <= count; i += 4)
        to[i] = from[i], to[i + 1] = from[i + 1], to[i + 2] = from[i + 2], to[i + 3] = from[i + 3];
    for (; i < count; i++) to[i] = from[i];
}

static void calculate(const tape *t, const instruction *i, double *r) {
    const double a = r[i->a], b = r[i->b], c = r[i->c];
    if (i->code == OP_PLACE || i->code == OP_ENTRY) {
        r[i->to] = knots_value(t->tables, i->code == OP_PLACE, a, b);
        return;
    }
    switch (i->code) {
#define X(name, arity, text, value)                                                                                    \
    case OP_##name:                                                                                                    \
        r[i->to] = (value);                                                                                            \
        break;
        OPERATIONS(X)
#undef X
    case SINCOS:
        r[i->to] = sin(a), r[i->d] = cos(a);
        break;
    }
}

/* An operation that switches, on the given side of its argument (F18). */
static double on_side(const instruction *i, const double *r, int side) {
    const double a = r[i->a], b = r[i->b];
    switch (i->code) {
    case OP_ABS:
        return side * a;
    case OP_MIN:
        return side < 0 ? a : b;
    case OP_MAX:
        return side < 0 ? b : a;
    case OP_LT:
    case OP_LE:
        return side < 0;
    default: /* sign, floor */
        return side;
    }
}

void tape_operate(const tape *t, const instruction *i, const int *side, double *r) {
    if (side && i->d && i->code != SINCOS) r[i->to] = on_side(i, r, held_side(i, side));
    else calculate(t, i, r);
}

static inline void load(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS], double *r) {
    copy(r, image, t->image_size);
    for (const transfer *x = t->in, *end = x + t->ins; x < end; x++)
        copy(r + x->to, blocks[x->array] + x->from, x->count);
}

/* True: all results are finite. 0 times anything else is NaN, and stays in its sum; two sums need not wait for each
 * other. */
static bool store(const tape *t, const double *r, double *const arrays[TAPE_ARRAYS]) {
    double poison[2] = {0};
    for (const transfer *x = t->out, *end = x + t->outs; x < end; x++) {
        const double *from = r + x->from;
        double *to = arrays[x->array];
        int i = 0;
        for (; i + 2 <= x->count; i += 2) {
            const double a = from[i], b = from[i + 1];
            to[i] = a, to[i + 1] = b;
            poison[0] += 0 * a, poison[1] += 0 * b;
        }
        if (i < x->count) poison[0] += 0 * (to[i] = from[i]);
    }
    return poison[0] + poison[1] == 0;
}

bool tape_run_held(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS], const int *side,
                   double *work, double *const arrays[TAPE_ARRAYS]) {
    static const double sign[] = {[PLUS] = 1, [MINUS] = -1};
    double *const r = work;
    load(t, image, blocks, r);
    for (const instruction *i = t->code, *end = i + t->length; i < end; i++) {
        if (i->code <= MINUS) r[i->to] = r[i->a] * r[i->b] + sign[i->code] * (r[i->c] * r[i->d]);
        else tape_operate(t, i, side, r);
    }
    return store(t, r, arrays);
}

/* Constants that depend on still symbols, and the open numbers of an instance. */
static bool is_still_zero(const tape *t, const double *r, uint32_t k) {
    const slice *open = &t->input[TAPE_BLOCKS - 1];
    const bool still = (int)k >= t->still_at && (int)k < t->still_at + t->stills;
    return (still || ((int)k >= open->to && (int)k < open->to + open->count)) && r[k] == 0;
}

static bool any_still_zero(const tape *t, const double *r) {
    const slice *open = &t->input[TAPE_BLOCKS - 1];
    bool any = false;
    for (int k = 0; k < t->stills && !any; k++) any = r[t->still_at + k] == 0;
    for (int k = 0; k < open->count && !any; k++) any = r[open->to + k] == 0;
    return any;
}

static double product(const tape *t, const double *r, uint32_t x, uint32_t y) {
    return is_still_zero(t, r, x) || is_still_zero(t, r, y) ? 0 : r[x] * r[y];
}

bool tape_run_without_zeros(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS],
                            const int *side, double *work, double *const arrays[TAPE_ARRAYS]) {
    double *const r = work;
    load(t, image, blocks, r);
    if (!any_still_zero(t, r)) return false;
    for (const instruction *i = t->code, *end = i + t->length; i < end; i++) {
        if (i->code <= MINUS) {
            const double x = product(t, r, i->a, i->b), y = product(t, r, i->c, i->d);
            r[i->to] = i->code == PLUS ? x + y : x - y;
        } else if (i->code == OP_DIV && is_still_zero(t, r, i->a)) r[i->to] = 0;
        else tape_operate(t, i, side, r);
    }
    return store(t, r, arrays);
}

void tape_run(const tape *t, const double *const blocks[TAPE_BLOCKS], double *work, double *const arrays[TAPE_ARRAYS]) {
    tape_run_held(t, t->image, blocks, NULL, work, arrays);
}

void tape_set(const tape *t, const double *values, double *work, double *image) {
    if (image != t->image) copy(image, t->image, t->image_size);
    if (!t->setup) return;
    tape_run(t->setup, (const double *const[TAPE_BLOCKS]){values}, work,
             (double *const[TAPE_ARRAYS]){image + t->still_at});
    for (const int *k = t->still_result, *end = k + 2 * t->still_results; k < end; k += 2) image[k[1]] = image[k[0]];
}
