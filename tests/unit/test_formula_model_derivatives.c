/* Every derivative of a formula model against differences, rates, and parts of it that are asked for. */
#include "text_model.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- every derivative against differences */

static const text_model everything = {
    .q = {"x", "y", "z"},
    .u = {"v", "w"},
    .q_dot = {"(1 + y^2/4)*v + sin(t)", "v*0 + 2*w*exp(z/9)", "x"}, /* z: a state without velocity of its own */
    .kinetic = "(2 + cos(y))/2*v^2 + 0.3*sin(x)*v*w + (1 + x^2)/2*w^2 + t*y*v + x*z",
    .potential = "x^2*y + cos(z)*x + t*sin(y)",
    .dissipation = "(v^2 + w^4)*(1 + x^2)/10",
    .force = {"v*y - t", "atan2(y, 2 + x^2)*w"},
    .g = {"x*y - t + cos(z)", "y^3 + x"},
    .gamma = {"v*sin(y) + w*x + t*z"},
    .gap = {"sqrt(x^2 + y^2 + 1) - t", "x*z + y"},
    .slip = {"v*x - w", "v + t", "y*w + z"},
    .slips = {1, 2},
    .q0 = {0.4, -0.3, 0.6},
    .u0 = {0.7, 1.2},
};

enum { NQ = 3, NU = 2, NC = 4, NS = 2 + 1 + 2 + 3 };

typedef struct point {
    double t, x[MAX]; /* q, then u, then w: v in M v or r in W r */
} point;

typedef int (*function)(const carom_model_def *d, const point *p, double *values);

static int q_dot_at(const carom_model_def *d, const point *p, double *f) {
    return d->kinematics(d->context, p->t, p->x, p->x + NQ, f, NULL, NULL);
}
static int h_at(const carom_model_def *d, const point *p, double *f) {
    return d->force(d->context, p->t, p->x, p->x + NQ, f, NULL, NULL);
}
static int p_at(const carom_model_def *d, const point *p, double *f) {
    return d->momentum(d->context, p->t, p->x, p->x + NQ, f, NULL, NULL, NULL, NULL);
}
static int b_at(const carom_model_def *d, const point *p, double *f) {
    return d->momentum(d->context, p->t, p->x, p->x + NQ, NULL, NULL, f, NULL, NULL);
}
static int c_at(const carom_model_def *d, const point *p, double *f) {
    return d->position(d->context, p->t, p->x, f, NULL);
}
static int s_at(const carom_model_def *d, const point *p, double *f) {
    return d->velocity(d->context, p->t, p->x, p->x + NQ, f, NULL, NULL);
}
static int Mv_at(const carom_model_def *d, const point *p, double *f) {
    double values[MAX * MAX], M[MAX][MAX];
    int status = d->mass(d->context, p->t, p->x, values);
    spread(&d->M, values, M);
    for (int i = 0; i < NU; i++) f[i] = M[i][0] * p->x[NQ + NU] + M[i][1] * p->x[NQ + NU + 1];
    return status;
}
static int Wr_at(const carom_model_def *d, const point *p, double *f) {
    static const double r[NS] = {0.3, -1, 2, 0.7, -0.4, 1.1, 0.9, -1.3};
    double values[MAX * MAX], W[MAX][MAX];
    int status = d->velocity(d->context, p->t, p->x, p->x + NQ, NULL, values, NULL);
    spread(&d->WT, values, W);
    for (int j = 0; j < NU; j++) f[j] = 0;
    for (int i = 0; i < NS; i++)
        for (int j = 0; j < NU; j++) f[j] += W[i][j] * r[i];
    return status;
}

/* Fourth-order differences with step 1e-3: 1e-12 of truncation, 1e-13 of rounding, times numbers of size ten. */
static void check_jacobian(const char *name, const carom_model_def *d, const point *at, function f, int first,
                           const carom_pattern *pattern, const double *values) {
    double jacobian[MAX][MAX];
    spread(pattern, values, jacobian);
    for (int j = 0; j < pattern->cols; j++) {
        static const double weight[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12}, step = 1e-3;
        double difference[MAX] = {0}, value[MAX];
        for (int k = 0; k < 5; k++) {
            point p = *at;
            p.x[first + j] += (k - 2) * step;
            assert_int_equal(f(d, &p, value), 0);
            for (int i = 0; i < pattern->rows; i++) difference[i] += weight[k] * value[i] / step;
        }
        for (int i = 0; i < pattern->rows; i++)
            if (!(fabs(jacobian[i][j] - difference[i]) < 1e-9))
                fail_msg("%s[%d][%d] is %.12g, differences give %.12g", name, i, j, jacobian[i][j], difference[i]);
    }
}

static void test_derivatives(void **state) {
    (void)state;
    carom_model *model = made(&everything);
    const carom_model_def *d = carom_model_get(model);
    for (int trial = 0; trial < 5; trial++) {
        point p = {.t = 0.3 * trial};
        for (int i = 0; i < MAX; i++) p.x[i] = sin(1.0 + 2.3 * i + trial);
        const double *q = p.x, *u = p.x + NQ, *v = p.x + NQ + NU;
        static const double r[NS] = {0.3, -1, 2, 0.7, -0.4, 1.1, 0.9, -1.3};
        double x[MAX * MAX], y[MAX * MAX], z[MAX * MAX];
        assert_int_equal(d->kinematics(d->context, p.t, q, u, NULL, x, y), 0);
        check_jacobian("B", d, &p, q_dot_at, NQ, &d->B, x);
        check_jacobian("q_dot_q", d, &p, q_dot_at, 0, &d->q_dot_q, y);
        assert_int_equal(d->force(d->context, p.t, q, u, NULL, x, y), 0);
        check_jacobian("h_q", d, &p, h_at, 0, &d->h_q, x);
        check_jacobian("h_u", d, &p, h_at, NQ, &d->h_u, y);
        assert_int_equal(d->momentum(d->context, p.t, q, u, NULL, x, NULL, y, z), 0);
        check_jacobian("p_q", d, &p, p_at, 0, &d->p_q, x);
        check_jacobian("b_q", d, &p, b_at, 0, &d->b_q, y);
        check_jacobian("b_u", d, &p, b_at, NQ, &d->b_u, z);
        assert_int_equal(d->mass(d->context, p.t, q, x), 0);
        check_jacobian("M", d, &p, p_at, NQ, &d->M, x);
        assert_int_equal(d->mass_q(d->context, p.t, q, v, x), 0);
        check_jacobian("Mv_q", d, &p, Mv_at, 0, &d->Mv_q, x);
        assert_int_equal(d->position(d->context, p.t, q, NULL, x), 0);
        check_jacobian("c_q", d, &p, c_at, 0, &d->c_q, x);
        assert_int_equal(d->velocity(d->context, p.t, q, u, NULL, x, y), 0);
        check_jacobian("WT", d, &p, s_at, NQ, &d->WT, x);
        check_jacobian("s_q", d, &p, s_at, 0, &d->s_q, y);
        assert_int_equal(d->direction_q(d->context, p.t, q, r, x), 0);
        check_jacobian("Wr_q", d, &p, Wr_at, 0, &d->Wr_q, x);
    }
    carom_model_destroy(model);
}

/* Along q_dot: c_dot = (g_dot, gN_dot) and p_dot = p_q q_dot + p_t + M u_dot = b, that is b - h = p_q q_dot + p_t. */
static int along_at(const carom_model_def *d, const point *at, double s, function f, double *value) {
    double q_dot[NQ];
    point p = *at;
    assert_int_equal(q_dot_at(d, &p, q_dot), 0);
    for (int i = 0; i < NQ; i++) p.x[i] += s * q_dot[i];
    p.t += s;
    return f(d, &p, value);
}

static void rate(const carom_model_def *d, const point *p, function f, int n, double *result) {
    static const double weight[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12}, step = 1e-3;
    double value[MAX];
    for (int i = 0; i < n; i++) result[i] = 0;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(along_at(d, p, (k - 2) * step, f, value), 0);
        for (int i = 0; i < n; i++) result[i] += weight[k] * value[i] / step;
    }
}

static void test_rates(void **state) {
    (void)state;
    carom_model *model = made(&everything);
    const carom_model_def *d = carom_model_get(model);
    for (int trial = 0; trial < 5; trial++) {
        point p = {.t = 0.2 * trial};
        for (int i = 0; i < MAX; i++) p.x[i] = cos(0.5 + 1.9 * i - trial);
        double c_dot[NC], p_dot[NU], s[NS], h[NU], b[NU];
        rate(d, &p, c_at, NC, c_dot);
        rate(d, &p, p_at, NU, p_dot);
        assert_int_equal(s_at(d, &p, s) | h_at(d, &p, h) | b_at(d, &p, b), 0);
        const double expected[NC] = {s[0], s[1], s[3], s[4]};                          /* g_dot, (gamma), gN_dot */
        for (int i = 0; i < NC; i++) assert_true(fabs(c_dot[i] - expected[i]) < 1e-9); /* as above */
        for (int j = 0; j < NU; j++) assert_true(fabs(b[j] - h[j] - p_dot[j]) < 1e-9);
    }
    carom_model_destroy(model);
}

/* Every selection of outputs gives the same bits as all of them together. */
static void test_selections(void **state) {
    (void)state;
    carom_model *model = made(&everything);
    const carom_model_def *d = carom_model_get(model);
    const double *q = everything.q0, *u = everything.u0, t = 0.7;
    double all[3][MAX * MAX], some[3][MAX * MAX];
    for (int callback = 0; callback < 3; callback++) {
        int (*const f)(void *, double, const double *, const double *, double *, double *, double *) =
            callback == 0   ? d->kinematics
            : callback == 1 ? d->force
                            : d->velocity;
        memset(all, 0, sizeof all);
        assert_int_equal(f(d->context, t, q, u, all[0], all[1], all[2]), 0);
        for (int wanted = 0; wanted < 8; wanted++) {
            memset(some, 0, sizeof some);
            assert_int_equal(f(d->context, t, q, u, wanted & 1 ? some[0] : NULL, wanted & 2 ? some[1] : NULL,
                               wanted & 4 ? some[2] : NULL),
                             0);
            for (int i = 0; i < 3; i++)
                if (wanted >> i & 1) assert_memory_equal(some[i], all[i], sizeof all[i]);
        }
    }
    carom_model_destroy(model);
}

static void test_undefined(void **state) {
    (void)state;
    static const text_model text = {.q = {"x"}, .kinetic = "x_dot^2/2", .potential = "-sqrt(x)", .gap = {"log(x)"}};
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    double x = -1, u = 0, h, c, M;
    assert_int_not_equal(d->force(d->context, 0, &x, &u, &h, NULL, NULL), 0);
    assert_int_not_equal(d->position(d->context, 0, &x, &c, NULL), 0);
    assert_int_equal(d->mass(d->context, 0, &x, &M), 0);
    x = 4;
    assert_int_equal(d->force(d->context, 0, &x, &u, &h, NULL, NULL), 0);
    near(h, 0.25);
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
