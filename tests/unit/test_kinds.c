/* Elements in instances: many copies of a small mechanism, each with numbers of its own, against the mechanism alone,
 * which is one formula; derivatives against differences; parameters that change; set-up that grows like n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "model/model.h"

/* Mechanism i: two bodies with a joint, a spring, a load, a drive, contacts of several shapes, all sizes by i. The
 * names of one that is alone are those of number i. */
static const char MECHANISMS[] =
    "carom: 1\n"
    "parameters: {first: %d, last: %d, k: 30, J: 0.2}\n"
    "model:\n"
    "  gravity: [0.1, 0, -9.81]\n"
    "  bodies:\n"
    "    a[i=first..last]: {type: spatial, mass: 1 + 0.1*i, inertia: [J, 0.3 + 0.01*i, 0.4], shape: {sphere: 0.1 + "
    "0.01*i},\n"
    "        position: [5*i, 0.2, 1], rotation: {axis: [1, 2, i], angle: 0.3}, angular_velocity: [1, 0.1*i, 2]}\n"
    "    b[i=first..last]: {type: spatial, mass: 2, inertia: [0.5, 0.6, J*(2 + 0.1*i)], shape: {cylinder: {radius: "
    "0.2, length: 0.5}},\n"
    "        position: [5*i + 1, 0.1*i, 1.5], rotation: {axis: [1, 1, 0], angle: 0.5 + 0.01*i}, velocity: [0.3, 0.1, "
    "i]}\n"
    "    p[i=first..last]: {type: planar, mass: i, inertia: 0.1, position: [5*i, -1], angular_velocity: 1}\n"
    "  joints:\n"
    "    j[i=first..last]: {type: revolute, bodies: [\"a[i]\", \"b[i]\"], at: [5*i + 0.5, 0.1, 1.2], axis: [1, 0.1*i, "
    "0],"
    "\n"
    "        damper: 0.1*i, torque: 0.2*sin(i*t)}\n"
    "  springs:\n"
    "    s[i=first..last]: {between: [\"a[i]\", \"p[i]\"], points: [[0.1, 0, 0.01*i], [0.2, 0]], stiffness: 30 + i, "
    "damping: 0.3}\n"
    "  loads:\n"
    "    f[i=first..last]: {body: \"b[i]\", force: [i, k*cos(t), \"-0.1*b[i].x_dot\"], at: [0, 0.1, 0], frame: body}\n"
    "  contacts:\n"
    "    ground[i=first..last]: {between: [\"a[i]\", {body: world, plane: [0, 0.1, 1]}], friction: 0.3}\n"
    "    disk[i=first..last]: {between: [\"b[i]\", {body: world, plane: [0, 0, 1]}], friction: 0.2}\n"
    "    pair[i=first..last]: {between: [\"a[i]\", {body: \"p[i]\", sphere: 0.05*i}], friction: 0.1}\n"
    "run: {integrator: moreau, dt: 1e-3, until: 1}\n";

static carom_scene *load_text(const char *text) {
    carom_scene *scene;
    carom_error error;
    if (carom_scene_parse(text, strlen(text), "test", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    return scene;
}

static carom_scene *mechanisms(int first, int last) {
    char text[4096];
    snprintf(text, sizeof text, MECHANISMS, first, last); /* NOLINT: the format is above */
    return load_text(text);
}

/* Every function of a model at a state, and the spaces of its rows and columns: coordinates, velocities, rows of c and
 * of s; 0: a vector has no columns. */
enum { VALUES = 21 };
typedef struct values {
    double *at[VALUES];
    int count[VALUES];
    const carom_pattern *pattern[VALUES];
    char rows[VALUES], cols[VALUES];
    int used;
} values;

static double *vector(values *v, int count, char rows) {
    v->count[v->used] = count, v->rows[v->used] = rows;
    assert_non_null(v->at[v->used] = calloc((size_t)count + 1, sizeof(double)));
    return v->at[v->used++];
}

static double *matrix(values *v, const carom_pattern *p, char rows, char cols) {
    v->pattern[v->used] = p, v->cols[v->used] = cols;
    return vector(v, pattern_nnz(p), rows);
}

static values evaluate(const carom_model *m, double t, const double *q, const double *u, const double *v,
                       const double *r) {
    const carom_model_def *d = &m->def;
    void *x = d->context;
    values a = {0};
    double *q_dot = vector(&a, d->nq, 'q'), *B = matrix(&a, &d->B, 'q', 'u');
    double *q_dot_q = matrix(&a, &d->q_dot_q, 'q', 'q'), *M = matrix(&a, &d->M, 'u', 'u');
    double *h = vector(&a, d->nu, 'u'), *h_q = matrix(&a, &d->h_q, 'u', 'q'), *h_u = matrix(&a, &d->h_u, 'u', 'u');
    double *p = vector(&a, d->nu, 'u'), *p_q = matrix(&a, &d->p_q, 'u', 'q'), *b = vector(&a, d->nu, 'u');
    double *b_q = matrix(&a, &d->b_q, 'u', 'q'), *b_u = matrix(&a, &d->b_u, 'u', 'u');
    double *c = vector(&a, m->nc, 'c'), *c_q = matrix(&a, &d->c_q, 'c', 'q'), *s = vector(&a, m->ns, 's');
    double *WT = matrix(&a, &d->WT, 's', 'u'), *s_q = matrix(&a, &d->s_q, 's', 'q'), *zeta = vector(&a, m->ns, 's');
    double *Wr_q = matrix(&a, &d->Wr_q, 'u', 'q'), *Mv_q = matrix(&a, &d->Mv_q, 'u', 'q');
    assert_int_equal(d->kinematics(x, t, q, u, q_dot, B, q_dot_q), 0);
    assert_int_equal(d->mass(x, t, q, M), 0);
    assert_int_equal(d->force(x, t, q, u, h, h_q, h_u), 0);
    assert_int_equal(d->momentum(x, t, q, u, p, p_q, b, b_q, b_u), 0);
    assert_int_equal(d->position(x, t, q, c, c_q), 0);
    assert_int_equal(d->velocity(x, t, q, u, s, WT, s_q), 0);
    assert_int_equal(d->velocity_rate(x, t, q, u, zeta), 0);
    assert_int_equal(d->direction_q(x, t, q, r, Wr_q), 0);
    if (d->mass_q) assert_int_equal(d->mass_q(x, t, q, v, Mv_q), 0);
    return a;
}

static void destroy(values *v) {
    for (int k = 0; k < VALUES; k++) free(v->at[k]);
}

/* Some state, the same for the same name. */
static double number_of(const char *name, double size) {
    unsigned h = 7;
    for (const char *c = name; *c; c++) h = 31 * h + (unsigned char)*c;
    return size * sin(h % 1000);
}

typedef struct state {
    double *q, *u, *r;
} state;

static const char *row_name(const carom_model *m, int row, char text[128]) {
    const carom_model_def *d = &m->def;
    if (row < d->ng) return d->g_names[row];
    if (row < m->N) return d->gamma_names[row - d->ng];
    if (row < m->F) return d->contact[row - m->N].name;
    int k = 0;
    while (m->slip[k + 1] <= row - m->F) k++;
    snprintf(text, 128, "%s slip %d", d->contact[k].name, row - m->F - m->slip[k]);
    return text;
}

static state some_state(const carom_model *m) {
    const carom_model_def *d = &m->def;
    char text[128];
    state s = {calloc((size_t)d->nq, sizeof(double)), calloc((size_t)d->nu, sizeof(double)),
               calloc((size_t)m->ns + 1, sizeof(double))};
    for (int i = 0; i < d->nq; i++) s.q[i] = d->q0[i] + number_of(d->q_names[i], 0.1);
    for (int i = 0; i < d->nu; i++) s.u[i] = d->u0[i] + number_of(d->u_names[i], 1);
    for (int i = 0; i < m->ns; i++) s.r[i] = number_of(row_name(m, i, text), 1);
    return s;
}

static int entry(const values *v, int k, int row, int col) {
    const carom_pattern *p = v->pattern[k];
    if (!p) return row;
    for (int e = p->start[row]; e < p->start[row + 1]; e++)
        if (p->index[e] == col) return e;
    return -1;
}

/* Where the numbers of the small model are in the large one. */
typedef struct map {
    int *q, *u, *c, *s;
} map;

static int find_name(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    fail_msg("there is no '%s'", name);
    return -1;
}

static int find_row(const carom_model *m, const char *name) {
    char text[128];
    for (int i = 0; i < m->ns; i++)
        if (strcmp(row_name(m, i, text), name) == 0) return i;
    fail_msg("there is no row '%s'", name);
    return -1;
}

static map map_names(const carom_model *small, const carom_model *large) {
    const carom_model_def *a = &small->def, *b = &large->def;
    char text[128];
    map m = {calloc((size_t)a->nq, sizeof(int)), calloc((size_t)a->nu, sizeof(int)),
             calloc((size_t)small->nc, sizeof(int)), calloc((size_t)small->ns, sizeof(int))};
    for (int i = 0; i < a->nq; i++) m.q[i] = find_name(b->q_names, b->nq, a->q_names[i]);
    for (int i = 0; i < a->nu; i++) m.u[i] = find_name(b->u_names, b->nu, a->u_names[i]);
    for (int i = 0; i < small->ns; i++) m.s[i] = find_row(large, row_name(small, i, text));
    for (int i = 0; i < small->nc; i++) m.c[i] = i < a->ng ? m.s[i] : m.s[small->N + i - a->ng] - large->N + b->ng;
    return m;
}

static const int *places(const map *m, char space) {
    return space == 'q' ? m->q : space == 'u' ? m->u : space == 'c' ? m->c : m->s;
}

/* The numbers of the small model are found in the large one, up to 1e-12 of the largest in their vector or matrix: sums
 * have other orders, operations other operands. */
static void compare(const carom_model *small, const values *a, const carom_model *large, const values *b) {
    map m = map_names(small, large);
    for (int k = 0; k < a->used; k++) {
        const carom_pattern *p = a->pattern[k];
        const int rows = p ? p->rows : a->count[k];
        const int *row = places(&m, a->rows[k]), *col = places(&m, a->cols[k]);
        double most = 1;
        for (int e = 0; e < a->count[k]; e++) most = fmax(most, fabs(a->at[k][e]));
        for (int i = 0; i < rows; i++)
            for (int e = p ? p->start[i] : i; e < (p ? p->start[i + 1] : i + 1); e++) {
                const int at = entry(b, k, row[i], p ? col[p->index[e]] : 0);
                const double other = at < 0 ? 0 : b->at[k][at];
                if (!(fabs(a->at[k][e] - other) <= 1e-12 * most))
                    fail_msg("function %d, row %d, entry %d: %.17g alone, %.17g among others", k, i, e, a->at[k][e],
                             other);
            }
    }
    free(m.q), free(m.u), free(m.c), free(m.s);
}

/* ---- */

static void copies_do_what_one_does(void **unused) {
    (void)unused;
    carom_scene *many = mechanisms(1, 19);
    const carom_model *large = carom_scene_model(many);
    state all = some_state(large);
    values b = evaluate(large, 0.7, all.q, all.u, all.u, all.r);
    const int chosen[] = {1, 2, 8, 16, 17, 19}; /* lanes of the first, a middle and the last group */
    for (unsigned n = 0; n < sizeof chosen / sizeof *chosen; n++) {
        carom_scene *one = mechanisms(chosen[n], chosen[n]);
        const carom_model *small = carom_scene_model(one);
        state s = some_state(small);
        values a = evaluate(small, 0.7, s.q, s.u, s.u, s.r);
        compare(small, &a, large, &b);
        destroy(&a);
        free(s.q), free(s.u), free(s.r);
        carom_scene_destroy(one);
    }
    destroy(&b);
    free(all.q), free(all.u), free(all.r);
    carom_scene_destroy(many);
}

static void derivatives_are_exact(void **unused) {
    (void)unused;
    carom_scene *many = mechanisms(1, 9);
    carom_finding finding[4];
    const int count = carom_model_check(carom_scene_model(many), finding, 4);
    for (int i = 0; i < count && i < 4; i++)
        if (strstr(finding[i].text, "differences")) fail_msg("%s", finding[i].text);
    carom_scene_destroy(many);
}

/* Energies are sums over the copies. */
static void energies_add(void **unused) {
    (void)unused;
    double T = 0, V = 0, sum[2] = {0, 0};
    for (int i = 1; i <= 10; i++) {
        carom_scene *one = mechanisms(i, i);
        const carom_model_def *d = carom_model_get(carom_scene_model(one));
        assert_int_equal(d->energy(d->context, 0, d->q0, d->u0, &T, &V), 0);
        sum[0] += T, sum[1] += V;
        carom_scene_destroy(one);
    }
    carom_scene *many = mechanisms(1, 10);
    const carom_model_def *d = carom_model_get(carom_scene_model(many));
    assert_int_equal(d->energy(d->context, 0, d->q0, d->u0, &T, &V), 0);
    assert_true(fabs(T - sum[0]) <= 1e-13 * sum[0]);
    assert_true(fabs(V - sum[1]) <= 1e-13 * fabs(sum[1]));
    carom_scene_destroy(many);
}

/* A parameter that is set is the parameter that the scene is loaded with: J is an open number of every mechanism, times
 * i; k is the same in all of them. */
static void parameters_change(void **unused) {
    (void)unused;
    carom_error error;
    double row[2][2];
    for (int way = 0; way < 2; way++) {
        char text[4096];
        snprintf(text, sizeof text, MECHANISMS, 1, 12); /* NOLINT */
        const char *const overrides[] = {"parameters.k=45"};
        carom_scene *scene;
        carom_sim *sim;
        assert_int_equal(carom_scene_parse(text, strlen(text), "test", overrides, way, &scene, &error), CAROM_OK);
        const carom_model *m = carom_scene_model(scene);
        assert_int_equal(carom_sim_create(m, carom_scene_run(scene), &sim, &error), CAROM_OK);
        if (!way) assert_int_equal(carom_sim_set_parameter(sim, carom_model_parameter(m, "k"), 45, &error), CAROM_OK);
        for (int i = 0; i < 5; i++) assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        row[way][0] = carom_sim_u(sim)[carom_model_velocity(m, "b7.x_dot")];
        row[way][1] = carom_sim_u(sim)[carom_model_velocity(m, "b7.wx")];
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
    assert_memory_equal(row[0], row[1], sizeof row[0]);
}

/* Rates along a direction in which the parameter J, an open number of every mechanism, grows as well: those of one
 * mechanism alone. */
static values tangents(const carom_model *m, const state *at) {
    const carom_model_def *d = &m->def;
    carom_model *fork = model_fork(m);
    carom_error error;
    values a = {0};
    double parameter[8], input[1];
    assert_non_null(fork);
    memcpy(parameter, d->parameter, (size_t)d->parameters * sizeof *parameter);
    assert_int_equal(model_assign(fork, parameter, input, &error), CAROM_OK);
    const carom_tangent wanted = {.q_dot = vector(&a, d->nq, 'q'),
                                  .h = vector(&a, d->nu, 'u'),
                                  .p = vector(&a, d->nu, 'u'),
                                  .b = vector(&a, d->nu, 'u'),
                                  .c = vector(&a, m->nc, 'c'),
                                  .s = vector(&a, m->ns, 's'),
                                  .M = matrix(&a, &d->M, 'u', 'u'),
                                  .WT = matrix(&a, &d->WT, 's', 'u')};
    const carom_place place = {0.7, at->q, at->u}, rate = {1, at->q, at->u};
    assert_int_equal(d->tangent(fork->def.context, carom_model_parameter(m, "J"), &place, &rate, &wanted), 0);
    model_unfork(fork);
    return a;
}

static void rates_are_those_of_one(void **unused) {
    (void)unused;
    carom_scene *many = mechanisms(1, 10), *one = mechanisms(7, 7);
    const carom_model *large = carom_scene_model(many), *small = carom_scene_model(one);
    state all = some_state(large), s = some_state(small);
    values a = tangents(small, &s), b = tangents(large, &all);
    compare(small, &a, large, &b);
    destroy(&a), destroy(&b);
    free(all.q), free(all.u), free(all.r), free(s.q), free(s.u), free(s.r);
    carom_scene_destroy(many);
    carom_scene_destroy(one);
}

/* Ranges along a piece of a curve contain the gaps on it and their differences over the time between. */
static void check_ranges(const carom_model *m) {
    const carom_model_def *d = &m->def;
    carom_range *q = calloc((size_t)d->nq * 2, sizeof *q), *c = calloc((size_t)m->nc * 2, sizeof *c);
    double *at = calloc((size_t)d->nq, sizeof *at), *value = calloc(2 * (size_t)m->nc, sizeof *value);
    assert_true(q && c && at && value);
    double *before = value + m->nc;
    const carom_range t[2] = {{0, 0.1}, {1, 1}}, *rate_of = c + m->nc;
    for (int i = 0; i < d->nq; i++) {
        const double rate = number_of(d->q_names[i], 1);
        q[d->nq + i] = (carom_range){rate, rate};
        q[i] = (carom_range){fmin(d->q0[i], d->q0[i] + 0.1 * rate), fmax(d->q0[i], d->q0[i] + 0.1 * rate)};
    }
    assert_int_equal(d->ranges(d->context, t, q, q + d->nq, NULL, NULL, c, c + m->nc, NULL, NULL), 0);
    for (int part = 0; part <= 10; part++) {
        for (int i = 0; i < d->nq; i++) at[i] = d->q0[i] + 0.01 * part * q[d->nq + i].least;
        assert_int_equal(d->position(d->context, 0.01 * part, at, value, NULL), 0);
        for (int i = d->ng; i < m->nc; i++) {
            const double change = value[i] - before[i];
            assert_true(value[i] >= c[i].least - 1e-12 && value[i] <= c[i].most + 1e-12);
            assert_true(part == 0 ||
                        (change >= 0.01 * rate_of[i].least - 1e-12 && change <= 0.01 * rate_of[i].most + 1e-12));
        }
        memcpy(before, value, (size_t)m->nc * sizeof *value);
    }
    free(q), free(c), free(at), free(value);
}

/* In instances, and in one formula, whose rows of constraints come first. */
static void ranges_contain(void **unused) {
    (void)unused;
    carom_scene *many = mechanisms(1, 9), *one = mechanisms(1, 1);
    assert_true(carom_scene_model(many)->row && !carom_scene_model(one)->row && carom_scene_model(one)->def.ng > 0);
    check_ranges(carom_scene_model(many));
    check_ranges(carom_scene_model(one));
    carom_scene_destroy(many);
    carom_scene_destroy(one);
}

#if !defined CAROM_SANITIZED && defined __GLIBC__ /* which counts what malloc gives */
static const char CHAIN[] =
    "carom: 1\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    s[i=1..%d]: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 0.5, 0, 0]}\n"
    "  joints:\n"
    "    j0: {type: spherical, bodies: [world, s1], at: [0, 0, 0]}\n"
    "    j[i=1..%d-1]: {type: spherical, bodies: [\"s[i]\", \"s[i+1]\"], at: [i, 0, 0]}\n"
    "run: {integrator: rattle, dt: 1e-3, until: 1}\n";

static double memory_of(int n) {
    char text[1024];
    snprintf(text, sizeof text, CHAIN, n, n); /* NOLINT */
    struct mallinfo2 before = mallinfo2();
    carom_scene *scene = load_text(text);
    struct mallinfo2 after = mallinfo2();
    carom_scene_destroy(scene);
    return (double)(after.uordblks + after.hblkhd) - (double)(before.uordblks + before.hblkhd);
}

/* Four times as many links take about four times as much memory; twice that is allowed for doubling rooms. A square
 * would give sixteen. An expression for every link took 390 KB each. bench/scale measures the time. */
static void set_up_is_linear(void **unused) {
    (void)unused;
    const double few = memory_of(500), many = memory_of(2000);
    assert_true(few > 0);
    assert_true(many < 8 * few);
    assert_true(many < 2000 * 100e3);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_do_what_one_does),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(energies_add),
        cmocka_unit_test(parameters_change),
        cmocka_unit_test(ranges_contain),
        cmocka_unit_test(rates_are_those_of_one),
#if !defined CAROM_SANITIZED && defined __GLIBC__
        cmocka_unit_test(set_up_is_linear),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
