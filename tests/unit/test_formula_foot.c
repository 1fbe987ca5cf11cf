/* Where a line is nearest to a circle: against a search along the line, differences, and samples of ranges.
 * docs/theory/contacts.md, (CF49) to (CF51). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "model/formula/foot.h"
#include "model/formula/tape.h"
#include "support/campaign.h"

static uint64_t chance = 5;

static double between(double least, double most) {
    return campaign_between(&chance, least, most);
}

/* A line with the slope a against the plane of the circle; the foot of the centre is b above that, at P = |p|^2. */
typedef struct place {
    double a, k, b, P;
} place;

static place any(void) {
    place x = {.a = between(-1, 1)};
    if (between(0, 1) < 0.2) x.a *= 1e-3;
    x.k = 1 - x.a * x.a;
    if (between(0, 1) < 0.2) x.k = pow(10, between(-9, -2)), x.a = copysign(sqrt(1 - x.k), x.a);
    const double distance = between(0, 2);
    x.b = distance * cos(between(0, 6.3)) * sqrt(x.k), x.P = distance * distance - x.b * x.b;
    return x;
}

static double distance_at(const place *x, double s) {
    return hypot(x->b + x->a * s, sqrt(fmax(x->P - 2 * x->a * x->b * s + x->k * s * s, 0)) - 1);
}

/* Of lines that do not go through the disk the nearest place is found, from the side on which it is. */
static void test_nearest(void **state) {
    (void)state;
    enum { PARTS = 2000 };
    for (int i = 0; i < 2000; i++) {
        const place x = any();
        if (x.b < 0 && x.P - x.a * x.a * x.b * x.b / x.k < 1) continue;
        const double side = x.a * x.b > 0 ? -1 : 1, s = side * foot_value(x.k, side * x.a * x.b, x.P);
        double least = HUGE_VAL;
        for (int n = -PARTS; n <= PARTS; n++) least = fmin(least, distance_at(&x, sqrt(x.k) * n / PARTS));
        assert_true(distance_at(&x, s) <= least + 1e-12);
    }
}

/* Against central differences, where these are regular: h^2 times a third derivative of a thousand, and eps/h. */
static void test_slopes(void **state) {
    (void)state;
    const double h = 1e-5;
    int seen = 0;
    for (int i = 0; i < 2000; i++) {
        const place x = any();
        double at[3] = {x.k, -fabs(x.a * x.b), x.P}, slope[3], ends[2], of[3];
        const double s = foot_value(at[0], at[1], at[2]);
        foot_slopes(at[0], at[1], at[2], s, slope);
        if (x.k < 0.1 || x.P < 0.1 || at[0] * at[2] - at[1] * at[1] < 1e-3 ||
            fabs(slope[0]) + fabs(slope[1]) + fabs(slope[2]) > 3)
            continue;
        seen++;
        for (int k = 0; k < 3; k++) {
            for (int e = 0; e < 2; e++) {
                for (int n = 0; n < 3; n++) of[n] = at[n];
                of[k] += e ? h : -h;
                ends[e] = foot_value(of[0], of[1], of[2]);
            }
            assert_true(fabs((ends[1] - ends[0]) / (2 * h) - slope[k]) < 1e-5);
        }
    }
    assert_true(seen > 500);
}

/* Ranges hold what samples give, and so do those of rates; narrow ones are narrow. */
static void test_ranges(void **state) {
    (void)state;
    int known = 0, all = 0;
    for (int i = 0; i < 2000; i++) {
        const place x = any();
        const double wide = pow(10, between(-8, -3)), at[3] = {x.k, -fabs(x.a * x.b), x.P};
        jet in[3];
        for (int n = 0; n < 3; n++) {
            const double half = wide * (n == 0 ? x.k : 1);
            in[n] = jet_made((carom_range){at[n] - half, at[n] + half}, (carom_range){n - 1, n}, false);
        }
        const jet out = foot_jet(&in[0], &in[1], &in[2]);
        all++, known += out.v.most - out.v.least < 100 * wide;
        for (int n = 0; n < 5; n++) {
            double of[3], slope[3], rate = 0;
            for (int k = 0; k < 3; k++) of[k] = between(in[k].v.least, in[k].v.most);
            if (of[0] * of[2] < of[1] * of[1]) continue; /* no line */
            const double s = foot_value(of[0], of[1], of[2]);
            assert_true(out.v.least <= s && s <= out.v.most);
            foot_slopes(of[0], of[1], of[2], s, slope);
            for (int k = 0; k < 3; k++) rate += slope[k] * between(k - 1, k);
            assert_true(out.r.least <= rate && rate <= out.r.most);
        }
    }
    assert_true(known > all / 2);
}

/* Tapes give the slopes forward and backward. */
static void test_tape(void **state) {
    (void)state;
    graph *g = graph_create();
    const expr s = expr_foot(g, expr_symbol(g, 0), expr_symbol(g, 1), expr_symbol(g, 2));
    const tape_layout layout = {{0, 3, 3, 3, 3, 3}};
    tape *t = tape_compile(g, &(tape_array){&s, 1}, 1, &layout);
    assert_non_null(t);
    const double at[3] = {0.7, -0.1, 0.9}, one = 1;
    double work[200], value, slope[3];
    assert_true(tape_pull_room(t) <= 200 && tape_registers(t) <= 100);
    const double *const blocks[TAPE_BLOCKS] = {at};
    tape_run(t, blocks, work, (double *[TAPE_ARRAYS]){&value});
    assert_true(value == foot_value(at[0], at[1], at[2]));
    foot_slopes(at[0], at[1], at[2], value, slope);
    for (int k = 0; k < 3; k++) {
        double rates[3] = {0}, rate, pulled[3] = {0};
        rates[k] = 1;
        assert_true(tape_rates(t, tape_image(t), NULL, blocks, (const double *const[TAPE_BLOCKS]){rates}, NULL, work,
                               (double *[TAPE_ARRAYS]){&rate}));
        tape_pull(t, tape_image(t), blocks, NULL, (const double *const[TAPE_ARRAYS]){&one}, work,
                  (double *const[TAPE_BLOCKS]){pulled}, NULL);
        const double symbolic = expr_value(g, expr_derivative(g, s, k), at);
        assert_true(fabs(rate - slope[k]) < 1e-14 && fabs(pulled[k] - slope[k]) < 1e-14);
        assert_true(fabs(symbolic - slope[k]) < 1e-14);
    }
    tape_destroy(t);
    graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest), cmocka_unit_test(test_slopes),
                                       cmocka_unit_test(test_ranges), cmocka_unit_test(test_tape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
