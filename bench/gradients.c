/* Derivatives of located motions against differences of runs, extrapolated: a table.
 *   gradients SCENE...
 * Of each scene: d(q, u)/dp at the end for every parameter and every component of the start. A scene that captures its
 * events, or has another integrator, runs by lobatto with located events. Runs have at most 200 steps, ten times
 * as long as those of the scene if need be and stable, and fewer where all of them would take more than some seconds.
 * What two runs next to each other differ by is compared with the derivative along the direction in which joints let
 * the start move. Rows that are off by more than 1e-8 count as failed, unless differences themselves reach no further,
 * or something is left out that the run tells. */
#include "carom/carom.h"
#include "derivative/difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 200, MOST_NAMES = 400, MOST_HALVINGS = 3 };
enum { RUNS = 25, SECONDS = 12 }; /* that a row takes, and for all rows of a scene */

/* The events of a run: how many, and a number for their sequence. */
typedef struct history {
    long events;
    unsigned long order;
} history;

typedef struct study {
    const char *path;
    carom_scene *scene;
    const carom_model *model;
    const carom_model_def *d;
    carom_run_def run;
    char *name[MOST_NAMES];
    int names;
    double *by, *start; /* [names][nq + nu] derivatives at the end, and how the start moves */
    double *most, *end; /* [nq + nu] of the motion, and its end */
    history met;
    char caveat[200];
    int failed, rows;
} study;

static int size_of(const study *s) {
    return s->d->nq + s->d->nu;
}

static void say(const study *s, const char *name, const char *what) {
    printf("%-34s %-18s %s\n", s->path, name, what);
}

/* ---------------------------------------------------------------- the scene, by a scheme that has derivatives */

static bool load(study *s, carom_error *error) {
    static const char *const own[] = {"run.tolerance=1e-13"};
    static const char *const other[] = {"run.tolerance=1e-13", "run.integrator=lobatto", "run.events=locate"};
    if (carom_scene_load(s->path, own, 1, &s->scene, error)) return false;
    const carom_run_def *run = carom_scene_run(s->scene);
    const char *events = NULL;
    for (int i = 0; i < run->option_count; i++)
        if (!strcmp(run->options[i].name, "events")) events = run->options[i].text;
    const bool derives = !strcmp(run->integrator, "lobatto") || !strcmp(run->integrator, "rattle");
    if (derives && events && !strcmp(events, "locate")) return true;
    carom_scene_destroy(s->scene);
    s->scene = NULL;
    return !carom_scene_load(s->path, other, 3, &s->scene, error);
}

static void widen(study *s, const carom_sim *sim) {
    for (int i = 0; i < s->d->nq; i++) s->most[i] = fmax(s->most[i], fabs(carom_sim_q(sim)[i]));
    for (int i = 0; i < s->d->nu; i++) s->most[s->d->nq + i] = fmax(s->most[s->d->nq + i], fabs(carom_sim_u(sim)[i]));
}

static void remember(const carom_sim *sim, history *h) {
    int count;
    const carom_event *event = carom_sim_events(sim, &count);
    for (int i = 0; i < count; i++)
        h->order = 31 * h->order + 7 * (unsigned long)(event[i].contact + 1) + (unsigned long)event[i].kind + 1;
    h->events += count;
}

/* One run, until derivatives are lost: *lost, the last time before that. */
static carom_status follow(study *s, carom_sim *sim, history *h, double *lost, carom_error *error) {
    carom_status status = CAROM_OK;
    *h = (history){0};
    *lost = INFINITY;
    while (!status && !carom_sim_done(sim) && isinf(*lost)) {
        const double before = carom_sim_time(sim);
        status = carom_sim_step(sim, error);
        if (!status) remember(sim, h);
        if (!status) widen(s, sim);
        if (!status && carom_sim_lost(sim) && !carom_sim_done(sim)) *lost = before;
    }
    return status;
}

static void read_state(const study *s, const carom_sim *sim, double *x) {
    memcpy(x, carom_sim_q(sim), (size_t)s->d->nq * sizeof *x);
    memcpy(x + s->d->nq, carom_sim_u(sim), (size_t)s->d->nu * sizeof *x);
}

/* ---------------------------------------------------------------- names */

/* A name that moves what is closed at the start may have no derivative, as a first step tells. */
static const char *refuses(carom_sim *sim, const char *by, carom_error *error) {
    if (carom_sim_differentiate(sim, &by, 1, error)) return error->message;
    if (carom_sim_step(sim, error)) return NULL;
    const char *why = carom_sim_lost(sim);
    return why && strstr(why, "closed at the start") ? why : NULL;
}

static void add(study *s, const char *prefix, const char *name) {
    carom_error error;
    carom_sim *sim = NULL;
    char text[160];
    snprintf(text, sizeof text, "%s%s", prefix, name);
    if (s->names == MOST_NAMES || carom_sim_create(s->model, &s->run, &sim, &error)) return;
    const char *why = refuses(sim, text, &error);
    if (why) say(s, text, why);
    else s->name[s->names++] = strdup(text);
    carom_sim_destroy(sim);
}

static void find_names(study *s) {
    for (int i = 0; i < s->d->parameters; i++) add(s, "", s->d->parameter_names[i]);
    for (int i = 0; i < s->d->nq; i++) add(s, "start.", s->d->q_names[i]);
    for (int i = 0; i < s->d->nu; i++) add(s, "start.", s->d->u_names[i]);
}

/* ---------------------------------------------------------------- derivatives */

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void read_columns(const study *s, const carom_sim *sim, double *to) {
    for (int k = 0; k < s->names; k++, to += size_of(s)) {
        memcpy(to, carom_sim_q_by(sim, k), (size_t)s->d->nq * sizeof *to);
        memcpy(to + s->d->nq, carom_sim_u_by(sim, k), (size_t)s->d->nu * sizeof *to);
    }
}

/* Differences say nothing where what they divide by is a small part of what it leads to. */
static bool grows(const study *s) {
    const int n = size_of(s);
    for (int k = 0; k < s->names; k++)
        if (strncmp(s->name[k], "start.", 6) == 0 && largest(s->by + k * n, n) > 1e3 * largest(s->start + k * n, n))
            return true;
    return false;
}

/* Where the derivative is lost on the way, the run ends before that. False: there is none at all. */
static bool differentiate(study *s) {
    for (int tries = 0; tries < 2 * MOST_HALVINGS; tries++) {
        carom_error error = {0};
        carom_sim *sim = NULL;
        double lost = INFINITY;
        carom_status status = carom_sim_create(s->model, &s->run, &sim, &error);
        if (!status) status = carom_sim_differentiate(sim, (const char *const *)s->name, s->names, &error);
        if (!status) read_columns(s, sim, s->start);
        const double t0 = status ? 0 : carom_sim_time(sim);
        if (!status) status = follow(s, sim, &s->met, &lost, &error);
        const char *why = status ? error.message : carom_sim_lost(sim);
        if (why) say(s, "*", why);
        if (!status && isinf(lost)) read_columns(s, sim, s->by), read_state(s, sim, s->end);
        if (!status && carom_sim_caveat(sim)) snprintf(s->caveat, sizeof s->caveat, "%s", carom_sim_caveat(sim));
        if (status) lost = sim ? carom_sim_time(sim) : 0;
        if (sim) carom_sim_destroy(sim);
        if (!why && (tries >= MOST_HALVINGS || !grows(s))) return true;
        if (!why)
            say(s, "*", "derivatives have grown a thousandfold: the run is halved"), lost = (t0 + s->run.until) / 2;
        if (!(lost > t0 + s->run.dt / 2)) return false;
        s->run.until = isinf(lost) ? s->run.until - s->run.dt : lost;
    }
    return false;
}

/* ---------------------------------------------------------------- differences */

typedef struct neighbour {
    study *s;
    int k;
} neighbour;

static carom_status move(const study *s, carom_sim *sim, int k, double by, carom_error *error) {
    const int n = size_of(s), parameter = carom_model_parameter(s->model, s->name[k]);
    if (strncmp(s->name[k], "start.", 6) != 0) {
        carom_status status = carom_sim_set_parameter(sim, parameter, carom_sim_parameter(sim, parameter) + by, error);
        return status ? status : carom_sim_restart(sim, error);
    }
    double *x = malloc((size_t)n * sizeof *x);
    read_state(s, sim, x);
    for (int i = 0; i < n; i++) x[i] += by * s->start[k * n + i];
    carom_status status = carom_sim_set_state(sim, carom_sim_time(sim), x, x + s->d->nq, error);
    free(x);
    return status;
}

static bool end_beside(void *context, double by, double *values) {
    const neighbour *n = context;
    carom_error error;
    carom_sim *sim = NULL;
    double lost;
    history met = {0};
    carom_status status = carom_sim_create(n->s->model, &n->s->run, &sim, &error);
    if (!status) status = move(n->s, sim, n->k, by, &error);
    if (!status) status = follow(n->s, sim, &met, &lost, &error);
    if (!status) read_state(n->s, sim, values);
    if (sim) carom_sim_destroy(sim);
    return !status && met.events == n->s->met.events && met.order == n->s->met.order;
}

static double present(const study *s, int k) {
    const char *name = s->name[k], *own = name + 6;
    if (strncmp(name, "start.", 6) != 0) return s->d->parameter[carom_model_parameter(s->model, name)];
    const int i = carom_model_coordinate(s->model, own);
    return i >= 0 ? s->d->q0[i] : s->d->u0[carom_model_velocity(s->model, own)];
}

/* Of positions, or of velocities: off and error relative to the largest of them, or to a thousandth of what the value
 * itself is in the motion per size of the parameter. */
static void judge(const study *s, int first, int count, double size, const double *by, const double *slope,
                  const double *error, double *off, double *doubt) {
    const double scale = fmax(largest(slope + first, count), 1e-3 * largest(s->most + first, count) / size + 1e-6);
    for (int i = first; i < first + count && scale > 0; i++) {
        *off = fmax(*off, fabs(by[i] - slope[i]) / scale);
        *doubt = fmax(*doubt, error[i] / scale);
    }
}

/* How far two motions close by are from this one, relative to it, beyond what their difference explains: then the
 * motion jumps, and has no derivative. */
static double jump(study *s, int k, double by) {
    const int n = size_of(s);
    double *x = calloc(2 * (size_t)n, sizeof *x), *y = x + n, most = 0;
    neighbour beside = {s, k};
    if (end_beside(&beside, by, x) && end_beside(&beside, -by, y))
        for (int i = 0; i < n; i++) {
            const double off = fabs((x[i] + y[i]) / 2 - s->end[i]);
            if (off > 10 * fabs(x[i] - y[i]) && s->most[i] > 0) most = fmax(most, off / s->most[i]);
        }
    free(x);
    return most;
}

static void compare(study *s, int k) {
    const int n = size_of(s);
    const double size = fmax(fabs(present(s, k)), 1e-2);
    double *slope = calloc(2 * (size_t)n, sizeof *slope), *error = slope + n, off = 0, doubt = 0;
    neighbour beside = {s, k};
    char text[320];
    if (!difference_extrapolate(end_beside, &beside, 4e-3 * size, n, slope, error)) exit(1);
    if (isnan(slope[0])) say(s, s->name[k], "not compared: the events are others nearby, or the start cannot move");
    else {
        judge(s, 0, s->d->nq, size, s->by + k * n, slope, error, &off, &doubt);
        judge(s, s->d->nq, s->d->nu, size, s->by + k * n, slope, error, &off, &doubt);
        const bool agree = off <= 1e-8, vague = !agree && (off <= 10 * doubt || doubt > 1e-4);
        const bool named = !agree && !vague && s->caveat[0];
        const double jumps = agree || vague || named ? 0 : jump(s, k, 1e-5 * size);
        const bool leaps = jumps > 1e-9;
        char why[80] = "";
        if (leaps) snprintf(why, sizeof why, "the motion jumps, motions next to it are off by %.1e", jumps);
        snprintf(text, sizeof text, "off by %.1e, differences by %.1e%s%s", off, doubt,
                 agree            ? ""
                 : vague          ? ": differences reach no further"
                 : named || leaps ? ": "
                                  : ": FAILED",
                 named ? s->caveat : why);
        say(s, s->name[k], text);
        s->failed += !agree && !vague && !named && !leaps;
        s->rows++;
    }
    free(slope);
}

/* ---------------------------------------------------------------- a scene */

/* Of the processor. */
static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Where all rows would take too long, runs end earlier. */
static void set_budget(study *s) {
    const double share = (double)SECONDS / (RUNS * (s->names + 1)), begin = seconds();
    carom_error error;
    carom_sim *sim = NULL;
    if (carom_sim_create(s->model, &s->run, &sim, &error)) return;
    bool on = true;
    while (on && !carom_sim_done(sim) && seconds() - begin < share) on = !carom_sim_step(sim, &error);
    if (on && !carom_sim_done(sim)) {
        char text[80];
        s->run.until = carom_sim_time(sim);
        snprintf(text, sizeof text, "%d rows: runs end after %ld steps", s->names, carom_sim_steps(sim));
        say(s, "*", text);
    }
    carom_sim_destroy(sim);
}

/* dt over the limit of stability, where there is one. */
static double courant_number(const carom_sim *sim) {
    double value;
    for (int i = 0; i < carom_sim_figures(sim); i++)
        if (!strcmp(carom_sim_figure(sim, i, &value), "CFL number")) return value;
    return 0;
}

/* Longer steps than those of the scene stay at half the limit of stability. False: the scene does not run so. */
static bool set_length(study *s) {
    const double span = s->run.until - s->d->t0, own = s->run.dt;
    carom_error error;
    carom_sim *sim;
    if (span > MOST_STEPS * own) s->run.dt = fmin(10 * own, span / MOST_STEPS);
    if (carom_sim_create(s->model, &s->run, &sim, &error)) {
        say(s, "*", error.message);
        return false;
    }
    const double courant = courant_number(sim);
    carom_sim_destroy(sim);
    if (courant > 0.5) s->run.dt = fmin(s->run.dt, fmax(own, s->run.dt / (2 * courant)));
    if (span > MOST_STEPS * s->run.dt) s->run.until = s->d->t0 + MOST_STEPS * s->run.dt;
    return true;
}

static void examine(study *s) {
    carom_error error;
    if (!load(s, &error)) {
        say(s, "*", error.message);
        return;
    }
    s->model = carom_scene_model(s->scene);
    s->d = carom_model_get(s->model);
    s->run = *carom_scene_run(s->scene);
    if (!set_length(s)) {
        carom_scene_destroy(s->scene);
        return;
    }
    find_names(s);
    set_budget(s);
    const size_t values = (size_t)(size_of(s) * (2 * s->names + 2)) + 1;
    s->by = calloc(values, sizeof *s->by);
    s->start = s->by + s->names * size_of(s), s->most = s->start + s->names * size_of(s);
    s->end = s->most + size_of(s);
    if (s->names && differentiate(s)) {
        char text[80];
        snprintf(text, sizeof text, "until t = %.6g, %ld events", s->run.until, s->met.events);
        say(s, "*", text);
        for (int k = 0; k < s->names; k++) compare(s, k);
    }
    for (int k = 0; k < s->names; k++) free(s->name[k]);
    free(s->by);
    carom_scene_destroy(s->scene);
}

int main(int count, char **paths) {
    int failed = 0, rows = 0;
    for (int i = 1; i < count; i++) {
        study s = {.path = paths[i]};
        examine(&s);
        failed += s.failed, rows += s.rows;
        fflush(stdout);
    }
    printf("%d derivatives compared, %d failed\n", rows, failed);
    return failed > 0;
}
