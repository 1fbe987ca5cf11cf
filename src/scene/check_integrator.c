/* Holds an integrator to its promises, on small problems: what carom asks of its own schemes, for those of a program.
 * Orders p are measured from three runs with steps halved: |x(dt) - x(dt/2)| = 2^p |x(dt/2) - x(dt/4)|. */
#include "carom/plugin.h"
#include "error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems */

static const char *const smooth = "model:\n"
                                  "  coordinates: {x: {start: 1, velocity: 0.3}, y: {start: -0.2, velocity: 0.5}}\n"
                                  "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                                  "  potential: 1 - cos(x) + x^2*y/3 + y^2\n";
static const char *const joint = "model:\n"
                                 "  coordinates: {x: 1, y: {velocity: 0.4}}\n"
                                 "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                                 "  potential: 9.81*y + x^2\n"
                                 "  constraints: {rod: x^2 + y^2 - 1}\n";
static const char *const edge = "model:\n"
                                "  coordinates: {x: {velocity: 0.6}, y: 0, phi: {velocity: 1.7}}\n"
                                "  kinetic: (x_dot^2 + y_dot^2)/2 + phi_dot^2/4\n"
                                "  potential: -4*x\n"
                                "  velocity_constraints: {edge: y_dot*cos(phi) - x_dot*sin(phi)}\n";
static const char *const pair = "model:\n"
                                "  coordinates: {x1: 0, x2: {start: 1.3, velocity: 0.5}}\n"
                                "  kinetic: (x1_dot^2 + 3*x2_dot^2)/2\n"
                                "  potential: 5*(x2 - x1 - 1)^2\n";
static const char *const ball = "model:\n"
                                "  coordinates: {y: 1}\n"
                                "  kinetic: y_dot^2/2\n"
                                "  potential: 9.81*y\n"
                                "  contacts: {floor: {gap: y, restitution: 0.5}}\n";
static const char *const block = "model:\n"
                                 "  coordinates: {x: {velocity: 2}, y: 0}\n"
                                 "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                                 "  potential: 10*y\n"
                                 "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.5}}\n";

/* ---- findings */

typedef struct examination {
    const carom_integrator_info *info;
    carom_finding *findings;
    int count, max;
} examination;

static void find(examination *x, double size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void find(examination *x, double size, const char *format, ...) {
    carom_finding finding = {.fatal = true, .size = size};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.text, sizeof finding.text, format, arguments);
    va_end(arguments);
    if (x->count < x->max) x->findings[x->count] = finding;
    x->count++;
}

/* ---- runs */

typedef struct run {
    carom_scene *scene;
    carom_sim *sim;
} run;

static void run_end(run *r) {
    carom_sim_destroy(r->sim);
    carom_scene_destroy(r->scene);
}

/* False: the scheme refuses the problem, as it may. */
static bool run_start(examination *x, const char *model, double dt, double until, run *r) {
    char text[1200];
    carom_error error;
    int size =
        snprintf(text, sizeof text, "carom: 1\n%srun: {integrator: %s, dt: %.17g, until: %.17g, tolerance: 1e-13}\n",
                 model, x->info->name, dt, until);
    *r = (run){0};
    carom_status parsed = carom_scene_parse(text, (size_t)size, "check", NULL, 0, &r->scene, &error), status = parsed;
    if (!status) status = carom_sim_create(carom_scene_model(r->scene), carom_scene_run(r->scene), &r->sim, &error);
    if (!status) return true;
    if (parsed || status != CAROM_DATA) find(x, HUGE_VAL, "a run could not be created: %.200s", error.message);
    run_end(r);
    return false;
}

static bool step(examination *x, run *r) {
    carom_error error;
    if (!carom_sim_step(r->sim, &error)) return true;
    find(x, HUGE_VAL, "a step failed: %.200s", error.message);
    return false;
}

static bool go_on(examination *x, run *r) {
    bool good = true;
    while (good && !carom_sim_done(r->sim)) good = step(x, r);
    return good;
}

static double column(const run *r, const char *name) {
    double *row = calloc((size_t)carom_sim_columns(r->sim), sizeof *row), value = NAN;
    if (row && !carom_sim_row(r->sim, row, NULL))
        for (int i = 0; i < carom_sim_columns(r->sim); i++)
            if (!strcmp(carom_sim_column_name(r->sim, i), name)) value = row[i];
    free(row);
    return value;
}

/* ---- orders */

enum { HALVINGS = 3, MOST_COORDINATES = 3 };

static double apart(const double *a, const double *b, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Half an order: the next term of the error may hide that much at these steps. */
static void check_order(examination *x, const char *what, const double state[HALVINGS][MOST_COORDINATES], int n,
                        int promised) {
    const double coarse = apart(state[0], state[1], n), fine = apart(state[1], state[2], n), least = 1e-11;
    double order = log2(coarse / fine);
    if (promised == 0 || fine < least || order > promised - 0.5) return;
    find(x, promised - order, "%s converges with order %.2f, %d is promised", what, order, promised);
}

static void check_orders(examination *x, const char *model, const char *what, int order, int velocity_order) {
    double q[HALVINGS][MOST_COORDINATES], u[HALVINGS][MOST_COORDINATES];
    int n = 0;
    for (int k = 0; k < HALVINGS; k++) {
        run r;
        if (!run_start(x, model, 0.02 / (1 << k), 1, &r)) return;
        bool good = go_on(x, &r);
        n = carom_model_get(carom_scene_model(r.scene))->nu;
        memcpy(q[k], carom_sim_q(r.sim), (size_t)n * sizeof **q);
        memcpy(u[k], carom_sim_u(r.sim), (size_t)n * sizeof **u);
        run_end(&r);
        if (!good) return;
    }
    char text[64];
    snprintf(text, sizeof text, "q of %s", what);
    check_order(x, text, q, n, order);
    snprintf(text, sizeof text, "u of %s", what);
    check_order(x, text, u, n, velocity_order);
}

/* ---- what is kept */

static void check_joint(examination *x) {
    const carom_promise *promise = &x->info->promise;
    run r;
    if (!run_start(x, joint, 1e-2, 2, &r)) return;
    double open = 0, opening = 0;
    bool good = true;
    while (good && !carom_sim_done(r.sim)) {
        good = step(x, &r);
        const double *q = carom_sim_q(r.sim), *u = carom_sim_u(r.sim);
        open = fmax(open, fabs(q[0] * q[0] + q[1] * q[1] - 1));
        opening = fmax(opening, fabs(2 * (q[0] * u[0] + q[1] * u[1])));
    }
    if (promise->positions && !(open < 1e-8)) find(x, open, "a joint opens by %.3g, positions are promised", open);
    if (promise->velocities && !(opening < 1e-8))
        find(x, opening, "a joint has the velocity %.3g, velocities are promised", opening);
    run_end(&r);
}

static void check_momentum(examination *x) {
    run r;
    if (!x->info->promise.momentum || !run_start(x, pair, 1e-2, 5, &r)) return;
    bool good = go_on(x, &r);
    double lost = fabs(carom_sim_u(r.sim)[0] + 3 * carom_sim_u(r.sim)[1] - 1.5);
    if (good && !(lost < 1e-9)) find(x, lost, "linear momentum changes by %.3g, momentum is promised", lost);
    run_end(&r);
}

/* A bounded error has the same size in both halves of a run. */
static void check_energy(examination *x) {
    run r;
    if (!x->info->promise.energy || !run_start(x, smooth, 2e-2, 400, &r)) return;
    double first = column(&r, "E"), half[2] = {0};
    long steps = carom_sim_total_steps(r.sim);
    bool good = true;
    for (long i = 0; i < steps && good; i++) {
        good = step(x, &r);
        if (i % 10 == 0) half[2 * i >= steps] = fmax(half[2 * i >= steps], fabs(column(&r, "E") - first));
    }
    if (good && !(half[1] < 1.5 * half[0] + 1e-9))
        find(x, half[1], "energy is off by %.3g in the first half of a run and %.3g in the second", half[0], half[1]);
    run_end(&r);
}

/* ---- contacts */

/* A ball falls from 1 and rises to e^2 = 1/4: an impact that is late by a step loses v dt of height, with v = 4.4. */
static void check_impact(examination *x) {
    const double dt = 1e-3, late = 2 * 4.43 * dt;
    run r;
    if (!run_start(x, ball, dt, 0.45 + 0.226 + 0.05, &r)) return;
    double top = 0, deepest = 0;
    bool good = true;
    while (good && !carom_sim_done(r.sim)) {
        good = step(x, &r);
        double y = carom_sim_q(r.sim)[0];
        if (carom_sim_time(r.sim) > 0.5) top = fmax(top, y);
        deepest = fmax(deepest, -y);
    }
    if (good && !(fabs(top - 0.25) < late)) find(x, fabs(top - 0.25), "a ball with e = 0.5 rises to %.4g of 0.25", top);
    if (good && !(deepest < (x->info->promise.positions ? 1e-8 : late)))
        find(x, deepest, "a ball sinks into the floor by %.3g", deepest);
    run_end(&r);
}

/* A block stops after v/(mu g) = 0.4 s and v^2/(2 mu g) = 0.4, and stays. */
static void check_friction(examination *x) {
    const double dt = 1e-3, late = 2 * 2 * dt;
    run r;
    if (!run_start(x, block, dt, 0.6, &r)) return;
    bool good = go_on(x, &r);
    double way = fabs(carom_sim_q(r.sim)[0] - 0.4), speed = fabs(carom_sim_u(r.sim)[0]);
    if (good && !(way < late)) find(x, way, "a block that friction stops is %.3g from where it should be", way);
    if (good && !(speed < 1e-9)) find(x, speed, "a block that friction has stopped moves with %.3g", speed);
    run_end(&r);
}

/* ---- the same bits */

/* A run that goes on, and another one that goes on from its checkpoint. */
static void check_bits(examination *x, const char *model) {
    run a, b;
    if (!run_start(x, model, 1e-2, 10, &a)) return;
    double *state = calloc(carom_sim_state_size(a.sim) + 1, sizeof *state);
    bool good = state != NULL, other = good && run_start(x, model, 1e-2, 10, &b);
    do good = good && step(x, &a);
    while (good && !carom_sim_checkpoint(a.sim));
    if (good && other) {
        carom_sim_save(a.sim, state);
        good = !carom_sim_load(b.sim, state, NULL);
        for (int i = 0; i < CAROM_CHECKPOINT + 5 && good; i++) good = step(x, &a) && step(x, &b);
        if (good && carom_sim_hash(a.sim) != carom_sim_hash(b.sim))
            find(x, 1, "a run that goes on from a checkpoint has other bits: a step depends on more than its memory");
    }
    free(state);
    run_end(&a);
    if (other) run_end(&b);
}

int carom_integrator_check(const char *name, carom_finding *findings, int max) {
    examination x = {.findings = findings, .max = max};
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(carom_integrator(i)->name, name)) x.info = carom_integrator(i);
    if (!x.info) return find(&x, HUGE_VAL, "there is no integrator '%.80s'", name), x.count;
    const carom_promise *p = &x.info->promise;
    check_orders(&x, smooth, "a smooth motion", p->order, p->velocity_order);
    check_orders(&x, joint, "a pendulum", p->joint_order,
                 p->joint_order < p->velocity_order ? p->joint_order : p->velocity_order);
    check_orders(&x, edge, "a knife edge", p->rolling_order, 0);
    check_joint(&x);
    check_momentum(&x);
    check_energy(&x);
    check_impact(&x);
    check_friction(&x);
    check_bits(&x, smooth);
    check_bits(&x, ball);
    return x.count;
}
