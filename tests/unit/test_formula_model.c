/* Formula models against mechanics: equations of motion known from books, what formulas may not do, and a chain of ten
 * thousand masses. */
#include "text_model.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- known equations of motion */

static const text_model spring_pendulum = {
    .q = {"l", "phi"},
    .kinetic = "2/2*(l_dot^2 + l^2*phi_dot^2)", /* m = 2 */
    .potential = "100/2*(l - 1)^2 - 2*9.81*l*cos(phi)",
    .gap = {"phi"},
    .q0 = {1.1, 0.7},
};

static void test_spring_pendulum(void **state) {
    (void)state;
    carom_model *model = made(&spring_pendulum);
    const carom_model_def *d = carom_model_get(model);
    const double m = 2, k = 100, g = 9.81, l = 1.3, phi = 0.4, q[] = {l, phi}, u[] = {-0.6, 1.7}, v[] = {0.3, -2};
    double values[MAX * MAX], full[MAX][MAX], p[2], b[2], h[2], c, T, V;
    assert_null(d->kinematics);
    assert_int_equal(d->M.start[2], 2); /* diagonal */
    assert_int_equal(d->mass(d->context, 0, q, values), 0);
    near(values[0], m);
    near(values[1], m * l * l);
    assert_int_equal(d->mass_q(d->context, 0, q, v, values), 0);
    assert_int_equal(d->Mv_q.start[2], 1);
    spread(&d->Mv_q, values, full);
    near(full[1][0], 2 * m * l * v[1]);
    assert_int_equal(d->force(d->context, 0, q, u, h, NULL, NULL), 0);
    near(h[0], m * l * u[1] * u[1] - k * (l - 1) + m * g * cos(phi));
    near(h[1], -2 * m * l * u[0] * u[1] - m * g * l * sin(phi));
    assert_int_equal(d->momentum(d->context, 0, q, u, p, NULL, b, NULL, NULL), 0);
    near(p[0], m * u[0]);
    near(p[1], m * l * l * u[1]);
    near(b[0], h[0]);
    near(b[1], -m * g * l * sin(phi));
    assert_int_equal(d->energy(d->context, 0, q, u, &T, &V), 0);
    near(T, m / 2 * (u[0] * u[0] + l * l * u[1] * u[1]));
    near(V, k / 2 * (l - 1) * (l - 1) - m * g * l * cos(phi));
    assert_int_equal(d->position(d->context, 0, q, &c, NULL), 0);
    near(c, phi);
    carom_model_destroy(model);
}

/* Two rods without mass (lengths a, b) and points (masses m, n), angles from the vertical. */
static void test_double_pendulum(void **state) {
    (void)state;
    static const text_model text = {
        .q = {"x", "y"},
        .kinetic = "3/2*(2*x_dot)^2 + 1.5/2*((2*x_dot*cos(x) + 0.7*y_dot*cos(y))^2 + (2*x_dot*sin(x) + "
                   "0.7*y_dot*sin(y))^2)",
        .potential = "-(3 + 1.5)*9.81*2*cos(x) - 1.5*9.81*0.7*cos(y)",
    };
    const double a = 2, b = 0.7, m = 3, n = 1.5, g = 9.81, q[] = {0.8, -0.5}, u[] = {1.2, -2.1}, d12 = q[0] - q[1];
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    double M[4], h[2];
    assert_int_equal(d->mass(d->context, 0, q, M), 0);
    near(M[0], (m + n) * a * a);
    near(M[1], n * a * b * cos(d12));
    near(M[3], n * b * b);
    assert_true(M[1] == M[2]); /* symmetric to the last bit */
    assert_int_equal(d->force(d->context, 0, q, u, h, NULL, NULL), 0);
    near(h[0], -n * a * b * sin(d12) * u[1] * u[1] - (m + n) * g * a * sin(q[0]));
    near(h[1], n * a * b * sin(d12) * u[0] * u[0] - n * g * b * sin(q[1]));
    carom_model_destroy(model);
}

/* A pendulum (m = 1, l = 2) whose support moves by sin(3 t)/2: explicit time in T. */
static void test_moving_support(void **state) {
    (void)state;
    static const text_model text = {
        .q = {"phi"},
        .kinetic = "1/2*((3/2*cos(3*t) + 2*phi_dot*cos(phi))^2 + (2*phi_dot*sin(phi))^2)",
        .potential = "-9.81*2*cos(phi)",
        .gap = {"2 - 2*cos(phi) + sin(3*t)/2"},
    };
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    const double t = 0.4, q = 0.9, u = -1.3;
    double h, s, W;
    assert_int_equal(d->force(d->context, t, &q, &u, &h, NULL, NULL), 0);
    near(h, 2 * 4.5 * sin(3 * t) * cos(q) - 9.81 * 2 * sin(q)); /* h = -m l x_support_ddot cos phi - m g l sin phi */
    assert_int_equal(d->velocity(d->context, t, &q, &u, &s, &W, NULL), 0);
    near(s, 2 * sin(q) * u + 1.5 * cos(3 * t));
    near(W, 2 * sin(q));
    carom_model_destroy(model);
}

/* x_dot = (2 + sin x) u + cos t is only another name for the velocity: M x_ddot = -k x must come out. */
static void test_scaled_velocity(void **state) {
    (void)state;
    static const text_model text = {
        .q = {"x"},
        .u = {"v"},
        .q_dot = {"(2 + sin(x))*v + cos(t)"},
        .kinetic = "3/2*((2 + sin(x))*v + cos(t))^2",
        .potential = "5/2*x^2",
    };
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    const double t = 0.3, x = 0.8, v = -1.4, B = 2 + sin(x), x_dot = B * v + cos(t);
    double q_dot, M, h;
    assert_int_equal(d->kinematics(d->context, t, &x, &v, &q_dot, NULL, NULL), 0);
    near(q_dot, x_dot);
    assert_int_equal(d->mass(d->context, t, &x, &M), 0);
    near(M, 3 * B * B);
    assert_int_equal(d->force(d->context, t, &x, &v, &h, NULL, NULL), 0);
    /* x_ddot = B v_dot + cos(x) x_dot v - sin(t) = -5/3 x */
    near(h / M, (-5.0 / 3 * x - cos(x) * x_dot * v + sin(t)) / B);
    carom_model_destroy(model);
}

/* Rayleigh's dissipation and a follower force. */
static void test_other_forces(void **state) {
    (void)state;
    static const text_model text = {
        .q = {"x", "y"},
        .kinetic = "(x_dot^2 + y_dot^2)/2",
        .dissipation = "0.3/2*(x_dot - y_dot)^2 + abs(y_dot)^3",
        .force = {"x*y_dot", "t"},
    };
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    const double q[] = {2, 3}, u[] = {1, -2};
    double h[2], T, V;
    assert_int_equal(d->force(d->context, 0.5, q, u, h, NULL, NULL), 0);
    near(h[0], -0.3 * 3 - 4);
    near(h[1], 0.3 * 3 + 12 + 0.5);
    assert_null(d->mass_q);
    assert_int_equal(d->energy(d->context, 0.5, q, u, &T, &V), 0);
    near(T, 2.5);
    near(V, 0);
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- rigid bodies with quaternions */

/* Position r, unit quaternion p = (a, b, c, d), velocity v of the centre, angular velocity w in body axes:
 * p_dot = p (0, w)/2. Inertia (2, 3, 4.5), mass 1.5; the weight acts at r + R(p) (0.1, 0.2, 0.5). */
#define QUATERNION_RATES                                                                                               \
    "(-b*wx - c*wy - d*wz)/2", "(a*wx - d*wy + c*wz)/2", "(d*wx + a*wy - b*wz)/2", "(-c*wx + b*wy + a*wz)/2"
#define HEIGHT "2*(b*d - a*c)*0.1 + 2*(c*d + a*b)*0.2 + (a^2 - b^2 - c^2 + d^2)*0.5"

static const text_model heavy_body = {
    .q = {"x", "y", "z", "a", "b", "c", "d"},
    .u = {"vx", "vy", "vz", "wx", "wy", "wz"},
    .q_dot = {"vx", "vy", "vz", QUATERNION_RATES},
    .kinetic = "1.5/2*(vx^2 + vy^2 + vz^2) + (2*wx^2 + 3*wy^2 + 4.5*wz^2)/2",
    .potential = "1.5*9.81*(z + " HEIGHT ")",
    .q0 = {0, 0, 0, 1, 0, 0, 0},
};

static void cross(const double *x, const double *y, double *z) {
    z[0] = x[1] * y[2] - x[2] * y[1], z[1] = x[2] * y[0] - x[0] * y[2], z[2] = x[0] * y[1] - x[1] * y[0];
}

/* q with its quaternion of the given norm; the third row of R(p) for norm one. */
static void random_attitude(int trial, double norm, double q[7], double row[3]) {
    double n = 0;
    for (int i = 0; i < 7; i++) q[i] = sin(3.1 * trial + 1.7 * i + 0.3);
    for (int i = 3; i < 7; i++) n += q[i] * q[i];
    for (int i = 3; i < 7; i++) q[i] *= norm / sqrt(n);
    double a = q[3] / norm, b = q[4] / norm, c = q[5] / norm, d = q[6] / norm;
    row[0] = 2 * (b * d - a * c), row[1] = 2 * (c * d + a * b), row[2] = a * a - b * b - c * c + d * d;
}

static void test_heavy_body(void **state) {
    (void)state;
    carom_model *model = made(&heavy_body);
    const carom_model_def *d = carom_model_get(model);
    assert_null(d->mass_q); /* M is constant */
    for (int trial = 0; trial < 20; trial++) {
        double q[7], row[3], h[6], p[6], gyroscopic[3], torque[3];
        random_attitude(trial, 1, q, row);
        const double u[6] = {0.3, -0.2, 0.9, cos(trial), 2 * sin(1.0 + trial), -1.1}, w[3] = {u[3], u[4], u[5]};
        const double L[3] = {2 * w[0], 3 * w[1], 4.5 * w[2]}, arm[3] = {0.1, 0.2, 0.5};
        const double weight[3] = {-1.5 * 9.81 * row[0], -1.5 * 9.81 * row[1], -1.5 * 9.81 * row[2]}; /* body axes */
        cross(w, L, gyroscopic);
        cross(arm, weight, torque);
        assert_int_equal(d->force(d->context, 0, q, u, h, NULL, NULL), 0);
        near(h[0], 0);
        near(h[1], 0);
        near(h[2], -1.5 * 9.81);
        for (int i = 0; i < 3; i++) near(h[3 + i], torque[i] - gyroscopic[i]); /* Euler */
        assert_int_equal(d->momentum(d->context, 0, q, u, p, NULL, NULL, NULL, NULL), 0);
        for (int i = 0; i < 3; i++) near(p[3 + i], L[i]);
    }
    carom_model_destroy(model);
}

/* Without forces Euler's equation holds whatever the norm of the quaternion; the translation may be measured in body
 * axes as well, r_dot = R(p) v, where a force m w x v appears. */
static void test_body_axes(void **state) {
    (void)state;
    static const text_model text = {
        .q = {"x", "y", "z", "a", "b", "c", "d"},
        .u = {"vx", "vy", "vz", "wx", "wy", "wz"},
        .q_dot = {"(a^2+b^2-c^2-d^2)*vx + 2*(b*c-a*d)*vy + 2*(b*d+a*c)*vz",
                  "2*(b*c+a*d)*vx + (a^2-b^2+c^2-d^2)*vy + 2*(c*d-a*b)*vz",
                  "2*(b*d-a*c)*vx + 2*(c*d+a*b)*vy + (a^2-b^2-c^2+d^2)*vz", QUATERNION_RATES},
        .kinetic = "1.5/2*(vx^2 + vy^2 + vz^2) + (2*wx^2 + 3*wy^2 + 4.5*wz^2)/2",
        .q0 = {0, 0, 0, 1, 0, 0, 0},
    };
    carom_model *model = made(&text);
    const carom_model_def *d = carom_model_get(model);
    for (int trial = 0; trial < 20; trial++) {
        double q[7], row[3], h[6], force[3], torque[3];
        random_attitude(trial, 0.8 + 0.02 * trial, q, row);
        const double u[6] = {0.3, -0.2, 0.9, cos(trial), 2 * sin(1.0 + trial), -1.1}, *w = u + 3;
        const double p[3] = {1.5 * u[0], 1.5 * u[1], 1.5 * u[2]}, L[3] = {2 * w[0], 3 * w[1], 4.5 * w[2]};
        cross(w, p, force);
        cross(w, L, torque);
        assert_int_equal(d->force(d->context, 0, q, u, h, NULL, NULL), 0);
        for (int i = 0; i < 3; i++) near(h[i], -force[i]);
        for (int i = 0; i < 3; i++) near(h[3 + i], -torque[i]);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- what formulas may not do */

static void rejected(const text_model *m, formula_part part, int index, const char *message) {
    carom_model *model;
    formula_part found;
    int where;
    carom_error error;
    assert_int_equal(create(m, &model, &found, &where, &error), CAROM_DATA);
    assert_null(model);
    if (found != part || where != index || !strstr(error.message, message))
        fail_msg("part %d, index %d: %s", (int)found, where, error.message);
}

static void test_rejections(void **state) {
    (void)state;
    const text_model good = {.q = {"x", "y"}, .kinetic = "(x_dot^2 + y_dot^2)/2"};
    text_model m = good;
    carom_model_destroy(made(&m));
    m = good, m.kinetic = "x_dot^2 + y_dot^4";
    rejected(&m, FORMULA_KINETIC, 1, "quadratic");
    m = good, m.kinetic = "x_dot^2 + y_dot";
    rejected(&m, FORMULA_KINETIC, 1, "singular");
    m = good, m.potential = "x*y_dot";
    rejected(&m, FORMULA_POTENTIAL, 0, "velocities");
    m = good, m.g[0] = "x", m.g[1] = "x_dot";
    rejected(&m, FORMULA_CONSTRAINT, 1, "velocity constraint");
    m = good, m.gamma[0] = "x_dot - y", m.gamma[1] = "x_dot*y_dot";
    rejected(&m, FORMULA_VELOCITY_CONSTRAINT, 1, "affine");
    m = good, m.gap[0] = "y_dot";
    rejected(&m, FORMULA_GAP, 0, "gap");
    m = good, m.gap[0] = "y", m.slips[0] = 2, m.slip[0] = "x_dot", m.slip[1] = "abs(x_dot)";
    rejected(&m, FORMULA_SLIP, 1, "affine");
    m = good, m.u[0] = "v", m.u[1] = "w", m.kinetic = "v^2 + w^2", m.q_dot[0] = "v", m.q_dot[1] = "v*w";
    rejected(&m, FORMULA_Q_DOT, 1, "affine");
    m = good, m.u[0] = "v", m.kinetic = "v^2";
    rejected(&m, FORMULA_Q_DOT, 0, "as many velocities");
    /* a skate: its two velocities and three coordinates hide the constraint against sliding sideways */
    const text_model skate = {
        .q = {"x", "y", "phi"}, .u = {"v", "w"}, .q_dot = {"v*cos(phi)", "v*sin(phi)", "w"}, .kinetic = "v^2 + w^2"};
    rejected(&skate, FORMULA_Q_DOT, 0, "not integrable");
    /* a speed is a fine name for the root of a sum of squares */
    m = good, m.kinetic = "sqrt(x_dot^2 + y_dot^2)^2/2 + abs(x_dot)^2";
    carom_model_destroy(made(&m));
}

/* ---------------------------------------------------------------- a chain of n masses */

/* m = 2, springs k = 7 between neighbours and to the wall, n gaps x_i + 1 - i^2/n^2 with slips x_i_dot - x_(i-1)_dot.
 */
static carom_model *chain(int n, bool trigonometric) {
    graph *g = graph_create();
    assert_non_null(g);
    expr T = expr_number(g, 0), V = T, *gap = malloc((size_t)n * sizeof *gap), *slip = malloc((size_t)n * sizeof *slip);
    double *zero = calloc((size_t)n, sizeof *zero);
    carom_model_contact *contacts = calloc((size_t)n, sizeof *contacts);
    assert_true(gap && slip && zero && contacts);
    expr previous = expr_number(g, 0), previous_dot = previous;
    for (int i = 0; i < n; i++) {
        expr x = expr_symbol(g, 1 + i), x_dot = expr_symbol(g, 1 + n + i), half = expr_number(g, 0.5);
        expr stretch = expr_binary(g, OP_SUB, x, previous), stiff = expr_number(g, 7);
        expr energy =
            expr_binary(g, OP_MUL, stiff, expr_binary(g, OP_MUL, half, expr_binary(g, OP_MUL, stretch, stretch)));
        if (trigonometric)
            energy = expr_binary(g, OP_MUL, energy, expr_unary(g, OP_EXP, expr_unary(g, OP_SIN, stretch)));
        T = expr_binary(g, OP_ADD, T, expr_binary(g, OP_POW, x_dot, expr_number(g, 2)));
        V = expr_binary(g, OP_ADD, V, energy);
        gap[i] = expr_binary(g, OP_ADD, x, expr_number(g, 1 - (double)i * i / ((double)n * n)));
        slip[i] = expr_binary(g, OP_SUB, x_dot, previous_dot);
        contacts[i].slips = 1;
        previous = x, previous_dot = x_dot;
    }
    formula_def def = {.g = g,
                       .nq = n,
                       .nu = n,
                       .contacts = n,
                       .contact = contacts,
                       .q0 = zero,
                       .u0 = zero,
                       .kinetic = T,
                       .potential = V,
                       .dissipation = -1,
                       .gap = gap,
                       .slip = slip};
    carom_model *model;
    formula_part part;
    int index;
    carom_error error;
    if (formula_model_create(&def, &model, &part, &index, &error)) fail_msg("%s", error.message);
    free(gap);
    free(slip);
    free(zero);
    free(contacts);
    graph_destroy(g);
    return model;
}

static void test_chain(void **state) {
    (void)state;
    enum { N = 10000 };
    carom_model *model = chain(N, false);
    const carom_model_def *d = carom_model_get(model);
    double *q = calloc(N, sizeof *q), *u = calloc(N, sizeof *u), *h = calloc(N, sizeof *h);
    double *h_q = calloc(3 * N, sizeof *h_q), *WT = calloc(3 * N, sizeof *WT), *s = calloc(2 * N, sizeof *s);
    assert_true(q && u && h && h_q && WT && s);
    for (int i = 0; i < N; i++) q[i] = sin(i), u[i] = cos(i);

    /* sparse: M diagonal, h_q tridiagonal, h_u empty, gaps one column each, slips two, all constant */
    assert_int_equal(d->M.start[N], N);
    assert_int_equal(d->h_q.start[N], 3 * N - 2);
    assert_int_equal(d->h_u.start[N], 0);
    assert_int_equal(d->c_q.start[N], N);
    assert_int_equal(d->WT.start[2 * N], N + 2 * N - 1);
    assert_int_equal(d->s_q.start[2 * N], 0);
    assert_int_equal(d->Wr_q.start[N], 0);
    assert_null(d->mass_q);

    assert_int_equal(d->force(d->context, 0, q, u, h, h_q, NULL), 0);
    for (int i = 1; i < N - 1; i++) near(h[i], 7 * (q[i + 1] - 2 * q[i] + q[i - 1]));
    near(h[N - 1], -7 * (q[N - 1] - q[N - 2]));
    for (int i = 1; i < N - 1; i++) {
        const double *row = h_q + d->h_q.start[i];
        assert_true(row[0] == 7 && row[1] == -14 && row[2] == 7);
        assert_int_equal(d->h_q.index[d->h_q.start[i]], i - 1);
    }
    assert_int_equal(d->velocity(d->context, 0, q, u, s, WT, NULL), 0);
    for (int i = 1; i < N; i++) {
        assert_true(s[i] == u[i] && WT[i] == 1);
        near(s[N + i], u[i] - u[i - 1]);
    }
    free(q);
    free(u);
    free(h);
    free(h_q);
    free(WT);
    free(s);
    carom_model_destroy(model);
}

/* One model may serve several threads, also where its tapes need more registers than fit on the stack. */
enum { THREAD_N = 2000 };

static void *evaluate_often(void *argument) {
    const carom_model_def *d = carom_model_get(argument);
    static double q[THREAD_N]; /* read only */
    double *first = calloc(8 * THREAD_N, sizeof *first), *again = first + 4 * THREAD_N;
    bool same = first != NULL;
    for (int i = 0; same && i < 200; i++) {
        double *out = i == 0 ? first : again;
        same = d->force(d->context, 0, q, q, out, out + THREAD_N, NULL) == 0;
        same = same && (i == 0 || memcmp(first, again, 4 * THREAD_N * sizeof *first) == 0);
    }
    free(first);
    return same ? argument : NULL;
}

static void test_threads(void **state) {
    (void)state;
    carom_model *model = chain(THREAD_N, true);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, evaluate_often, model), 0);
    for (int i = 0; i < 3; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, model);
    }
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_pendulum), cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_moving_support),  cmocka_unit_test(test_scaled_velocity),
        cmocka_unit_test(test_other_forces),    cmocka_unit_test(test_heavy_body),
        cmocka_unit_test(test_body_axes),       cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_chain),           cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
