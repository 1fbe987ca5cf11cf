/* The interpreter of tapes in dual numbers: values and their rates along a direction (F25); and its transpose, which
 * goes through the tape backwards (F31). */
#include "foot.h"
#include "tape_code.h"

#include <string.h>

/* Slopes of the operations by a and b, r being the result. What is not listed has slope zero wherever it has one. */
// clang-format off
#define SLOPES(X)                                                        \
    X(DIV,   1 / b,                           -r / b)                    \
    X(POW,   b * pow(a, b - 1),               a == 0 ? 0 : r * log(a))   \
    X(NEG,   -1,                              0)                         \
    X(SIN,   cos(a),                          0)                         \
    X(COS,   -sin(a),                         0)                         \
    X(TAN,   1 + r * r,                       0)                         \
    X(ASIN,  1 / sqrt((1 - a) * (1 + a)),     0)                         \
    X(ACOS,  -1 / sqrt((1 - a) * (1 + a)),    0)                         \
    X(ATAN,  1 / (1 + a * a),                 0)                         \
    X(ATAN2, b / (a * a + b * b),             -a / (a * a + b * b))      \
    X(SINH,  cosh(a),                         0)                         \
    X(COSH,  sinh(a),                         0)                         \
    X(TANH,  1 / (cosh(a) * cosh(a)),         0)                         \
    X(ASINH, 1 / sqrt(1 + a * a),             0)                         \
    X(ACOSH, 1 / (sqrt(a - 1) * sqrt(a + 1)), 0)                         \
    X(ATANH, 1 / ((1 - a) * (1 + a)),         0)                         \
    X(EXP,   r,                               0)                         \
    X(LOG,   1 / a,                           0)                         \
    X(SQRT,  1 / (2 * r),                     0)                         \
    X(ABS,   a < 0 ? -1 : a > 0,              0)                         \
    X(MIN,   !(b < a),                        b < a)                     \
    X(MAX,   !(a < b),                        a < b)
// clang-format on

/* What does not move adds nothing, even where the operation is infinitely steep, as the length of a vector at zero. */
static double part(double slope, double rate) {
    return rate == 0 ? 0 : slope * rate;
}

typedef struct operands {
    double a, b, c, a_rate, b_rate, c_rate;
} operands;

static double rate_of_foot(const operands *x, double s) {
    double slope[3];
    foot_slopes(x->a, x->b, x->c, s, slope);
    return part(slope[0], x->a_rate) + part(slope[1], x->b_rate) + part(slope[2], x->c_rate);
}

static double rate_of_operation(const tape *t, const instruction *i, const operands *x, double r) {
    const double a = x->a, b = x->b;
    switch (i->code) {
#define X(name, by_a, by_b)                                                                                            \
    case OP_##name:                                                                                                    \
        return part((by_a), x->a_rate) + part((by_b), x->b_rate);
        SLOPES(X)
#undef X
    case OP_IF:
        return a != 0 ? x->b_rate : x->c_rate;
    case OP_FOOT:
        return rate_of_foot(x, r);
    case OP_PLACE:
        return part(knots_entry(t->tables[(int)b], floor(r), KNOT_RATE), x->a_rate);
    default:
        return 0;
    }
}

/* On the given side of its switch (F18). */
static double rate_on_side(const instruction *i, const operands *x, int side) {
    switch (i->code) {
    case OP_ABS:
        return side * x->a_rate;
    case OP_MIN:
        return side < 0 ? x->a_rate : x->b_rate;
    case OP_MAX:
        return side < 0 ? x->b_rate : x->a_rate;
    default:
        return 0;
    }
}

static inline double product_rate(const double *r, const double *rate, uint32_t x, uint32_t y) {
    return part(r[y], rate[x]) + part(r[x], rate[y]);
}

static void operate_sincos(const tape *t, const instruction *i, double *r, double *rate) {
    const double a_rate = rate[i->a];
    tape_operate(t, i, NULL, r);
    rate[i->to] = part(r[i->d], a_rate);
    rate[i->d] = part(-r[i->to], a_rate);
}

/* An instruction that is neither PLUS nor MINUS. */
static void operate(const tape *t, const instruction *i, const int *side, double *r, double *rate) {
    if (i->code == SINCOS) {
        operate_sincos(t, i, r, rate);
        return;
    }
    const operands x = {r[i->a], r[i->b], r[i->c], rate[i->a], rate[i->b], rate[i->c]};
    tape_operate(t, i, side, r);
    if (side && i->d) rate[i->to] = rate_on_side(i, &x, held_side(i, side));
    else rate[i->to] = rate_of_operation(t, i, &x, r[i->to]);
}

static void load(const tape *t, const double *image, const double *image_rate, const double *const blocks[TAPE_BLOCKS],
                 const double *const rates[TAPE_BLOCKS], double *r, double *rate) {
    const size_t constants = (size_t)t->image_size, others = (size_t)t->registers - constants;
    memcpy(r, image, constants * sizeof *r);
    if (image_rate) memcpy(rate, image_rate, constants * sizeof *rate);
    memset(image_rate ? rate + constants : rate, 0, (image_rate ? others : others + constants) * sizeof *rate);
    for (int k = 0; k < TAPE_BLOCKS; k++) {
        const slice *in = &t->input[k];
        if (in->count == 0) continue;
        memcpy(r + in->to, blocks[k] + in->from, (size_t)in->count * sizeof *r);
        if (rates[k]) memcpy(rate + in->to, rates[k] + in->from, (size_t)in->count * sizeof *rate);
    }
}

static bool is_finite(const tape *t, const double *rate) {
    bool finite = true;
    for (int k = 0; k < TAPE_ARRAYS; k++)
        finite = finite && numbers_finite(rate + t->result[k].from, t->result[k].count);
    return finite;
}

static bool has_inputs(const tape *t) {
    for (int k = 0; k < TAPE_BLOCKS; k++)
        if (t->input[k].count > 0) return true;
    return false;
}

/* Results that no input moves are constants of the image. */
static bool constant_rates(const tape *t, const double *image_rate, double *const array_rates[TAPE_ARRAYS]) {
    bool finite = true;
    for (int k = 0; k < TAPE_ARRAYS; k++) {
        const size_t count = (size_t)t->result[k].count;
        if (count == 0) continue;
        if (!image_rate) memset(array_rates[k], 0, count * sizeof *image_rate);
        else memcpy(array_rates[k], image_rate + t->result[k].from, count * sizeof *image_rate);
        finite = finite && (!image_rate || numbers_finite(array_rates[k], t->result[k].count));
    }
    return finite;
}

/* First as if all registers were finite. If a rate is not finite then, once more, leaving out what does not move. */
bool tape_rates(const tape *t, const double *image, const double *image_rate, const double *const blocks[TAPE_BLOCKS],
                const double *const rates[TAPE_BLOCKS], const int *side, double *work,
                double *const array_rates[TAPE_ARRAYS]) {
    static const double sign[] = {[PLUS] = 1, [MINUS] = -1};
    double *const r = work, *const rate = work + t->registers;
    bool careful = false, finite;
    if (t->length == 0 && !has_inputs(t)) return constant_rates(t, image_rate, array_rates);
    do {
        load(t, image, image_rate, blocks, rates, r, rate);
        for (const instruction *i = t->code, *end = i + t->length; i < end; i++) {
            if (i->code > MINUS) {
                operate(t, i, side, r, rate);
                continue;
            }
            const double a = r[i->a], b = r[i->b], c = r[i->c], d = r[i->d];
            rate[i->to] = careful
                              ? product_rate(r, rate, i->a, i->b) + sign[i->code] * product_rate(r, rate, i->c, i->d)
                              : rate[i->a] * b + a * rate[i->b] + sign[i->code] * (rate[i->c] * d + c * rate[i->d]);
            r[i->to] = a * b + sign[i->code] * (c * d);
        }
        finite = is_finite(t, rate);
        careful = !careful && !finite;
    } while (careful);
    for (int k = 0; k < TAPE_ARRAYS; k++)
        if (t->result[k].count > 0)
            memcpy(array_rates[k], rate + t->result[k].from, (size_t)t->result[k].count * sizeof *rate);
    return finite;
}

void tape_set_rates(const tape *t, const double *values, const double *rates, double *work, double *image_rate) {
    memset(image_rate, 0, (size_t)t->image_size * sizeof *image_rate);
    if (!t->setup) return;
    tape_rates(t->setup, t->setup->image, NULL, (const double *const[TAPE_BLOCKS]){values},
               (const double *const[TAPE_BLOCKS]){rates}, NULL, work,
               (double *const[TAPE_ARRAYS]){image_rate + t->still_at});
    for (const int *k = t->still_result, *end = k + 2 * t->still_results; k < end; k += 2)
        image_rate[k[1]] = image_rate[k[0]];
}

/* ---------------------------------------------------------------- transposed */

size_t tape_pull_room(const tape *t) {
    return 2 * ((size_t)t->registers + (size_t)t->length);
}

/* Nothing to pass on if the operation does not change or has no weight. */
static double share(double slope, double weight) {
    return slope == 0 || weight == 0 ? 0 : slope * weight;
}

static void pull_foot(const instruction *i, const operands *x, double s, double weight, double *w) {
    double slope[3];
    foot_slopes(x->a, x->b, x->c, s, slope);
    w[i->a] += share(slope[0], weight), w[i->b] += share(slope[1], weight), w[i->c] += share(slope[2], weight);
}

static void pull_operation(const tape *t, const instruction *i, const operands *x, double r, double weight, double *w) {
    const double a = x->a, b = x->b;
    switch (i->code) {
#define X(name, by_a, by_b)                                                                                            \
    case OP_##name:                                                                                                    \
        w[i->a] += share((by_a), weight);                                                                              \
        w[i->b] += share((by_b), weight);                                                                              \
        return;
        SLOPES(X)
#undef X
    case OP_IF:
        w[a != 0 ? i->b : i->c] += weight;
        return;
    case OP_FOOT:
        pull_foot(i, x, r, weight, w);
        return;
    case OP_PLACE:
        w[i->a] += share(knots_entry(t->tables[(int)b], floor(r), KNOT_RATE), weight);
        return;
    default:
        return;
    }
}

static void pull_on_side(const instruction *i, int side, double weight, double *w) {
    switch (i->code) {
    case OP_ABS:
        w[i->a] += side * weight;
        return;
    case OP_MIN:
        w[side < 0 ? i->a : i->b] += weight;
        return;
    case OP_MAX:
        w[side < 0 ? i->b : i->a] += weight;
        return;
    default:
        return;
    }
}

/* One instruction: r as before it, with what it wrote in to and, of SINCOS, in d. */
static void pull_instruction(const tape *t, const instruction *i, const int *side, const double *r, double to, double d,
                             double *w) {
    const double weight = w[i->to];
    if (i->code == SINCOS) {
        const double other = w[i->d];
        w[i->to] = w[i->d] = 0;
        w[i->a] += share(d, weight) + share(-to, other);
        return;
    }
    w[i->to] = 0;
    if (weight == 0) return;
    if (i->code <= MINUS) {
        const double second = i->code == PLUS ? weight : -weight;
        const double a = share(r[i->b], weight), b = share(r[i->a], weight);
        w[i->a] += a, w[i->b] += b;
        w[i->c] += share(r[i->d], second), w[i->d] += share(r[i->c], second);
        return;
    }
    const operands x = {.a = r[i->a], .b = r[i->b], .c = r[i->c]};
    if (side && i->d) pull_on_side(i, held_side(i, side), weight, w);
    else pull_operation(t, i, &x, to, weight, w);
}

void tape_pull(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS], const int *side,
               const double *const weights[TAPE_ARRAYS], double *work, double *const block_weights[TAPE_BLOCKS],
               double *image_weight) {
    double *const r = work, *const w = r + t->registers, *saved = w + t->registers;
    memcpy(r, image, (size_t)t->image_size * sizeof *r);
    memset(w, 0, (size_t)t->registers * sizeof *w);
    for (int k = 0; k < TAPE_BLOCKS; k++)
        if (t->input[k].count > 0)
            memcpy(r + t->input[k].to, blocks[k] + t->input[k].from, (size_t)t->input[k].count * sizeof *r);
    for (const instruction *i = t->code, *end = i + t->length; i < end; i++) { /* registers are used again */
        *saved++ = r[i->to], *saved++ = i->code == SINCOS ? r[i->d] : 0;
        if (i->code == PLUS) r[i->to] = r[i->a] * r[i->b] + r[i->c] * r[i->d];
        else if (i->code == MINUS) r[i->to] = r[i->a] * r[i->b] - r[i->c] * r[i->d];
        else tape_operate(t, i, side, r);
    }
    for (int k = 0; k < TAPE_ARRAYS; k++)
        for (int j = 0; j < t->result[k].count; j++) w[t->result[k].from + j] = weights[k][j];
    for (const instruction *i = t->code + t->length; i-- > t->code;) {
        const double to = r[i->to], d = r[i->d];
        saved -= 2;
        r[i->to] = saved[0];
        if (i->code == SINCOS) r[i->d] = saved[1];
        pull_instruction(t, i, side, r, to, d, w);
    }
    for (int k = 0; k < TAPE_BLOCKS; k++)
        for (int j = 0; j < t->input[k].count && block_weights[k]; j++)
            block_weights[k][t->input[k].from + j] += w[t->input[k].to + j];
    for (int j = 0; j < t->image_size && image_weight; j++) image_weight[j] += w[j];
}
