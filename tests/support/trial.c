#include "trial.h"

#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDES = 16 };

static void ok_or_fail(carom_status status, const carom_error *error, const char *what) {
    if (status == CAROM_OK) return;
    char text[1200];
    fail_msg("%s: %s", what, carom_error_text(error, text, sizeof text));
}

static void read_row(trial *run) {
    carom_error error = {0};
    ok_or_fail(carom_sim_row(run->sim, run->row, &error), &error, "row");
}

static void make_row(trial *run) {
    run->row = calloc((size_t)carom_sim_columns(run->sim), sizeof(double));
    assert_non_null(run->row);
    read_row(run);
}

static void start(trial *run, const carom_model *model, const carom_run_def *def, const char *what) {
    carom_error error = {0};
    ok_or_fail(carom_sim_create(model, def, &run->sim, &error), &error, what);
    make_row(run);
}

trial trial_scene(const char *name, ...) {
    const char *overrides[MAX_OVERRIDES];
    int count = 0;
    va_list list;
    va_start(list, name);
    for (const char *s; (s = va_arg(list, const char *)) != NULL; overrides[count++] = s)
        assert_true(count < MAX_OVERRIDES);
    va_end(list);

    char path[256];
    snprintf(path, sizeof path, "scenes/%s.yaml", name);
    trial run = {0};
    carom_error error = {0};
    ok_or_fail(carom_scene_load(path, overrides, count, &run.scene, &error), &error, path);
    start(&run, carom_scene_model(run.scene), carom_scene_run(run.scene), path);
    return run;
}

trial trial_text(const char *format, ...) {
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof text - 1);
    trial run = {0};
    carom_error error = {0};
    ok_or_fail(scene_load_text(text, (size_t)length, "text", NULL, &run.scene, &error), &error, text);
    start(&run, carom_scene_model(run.scene), carom_scene_run(run.scene), text);
    return run;
}

void trial_refused(const char *sentence, const char *parameter, const char *format, ...) {
    char text[1000];
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof text - 1);
    carom_status status = carom_scene_parse(text, (size_t)length, "scene", NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (!status && parameter) status = carom_sim_differentiate(sim, &parameter, 1, &error);
    assert_int_equal(status, CAROM_DATA);
    if (!strstr(error.message, sentence)) fail_msg("'%s' lacks '%s'", error.message, sentence);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

trial trial_located(const char *name, int stages, double dt, double until, const char *one, const char *two) {
    char with_dt[64], with_stages[32], with_until[64];
    snprintf(with_dt, sizeof with_dt, "run.dt=%.17g", dt);
    snprintf(with_stages, sizeof with_stages, "run.stages=%d", stages);
    snprintf(with_until, sizeof with_until, "run.until=%.17g", until);
    return trial_scene(name, "run.integrator=lobatto", "run.events=locate", "run.tolerance=1e-13", with_dt, with_stages,
                       with_until, one, two, NULL);
}

trial trial_model(const carom_model *model, const char *integrator, double dt, double until, double tolerance,
                  const char *options) {
    enum { MOST = 4 };
    char text[128];
    carom_option option[MOST];
    carom_run_def def = carom_run_default();
    def.integrator = integrator;
    def.dt = dt;
    def.until = until;
    def.tolerance = tolerance;
    def.options = option;
    snprintf(text, sizeof text, "%s", options ? options : "");
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        char *equals = strchr(name, '='), *end;
        assert_non_null(equals);
        assert_in_range(def.option_count, 0, MOST - 1);
        *equals = 0;
        carom_option *o = &option[def.option_count++];
        *o = (carom_option){.name = name, .number = strtod(equals + 1, &end)};
        if (*end) o->text = equals + 1;
    }
    trial run = {0};
    start(&run, model, &def, integrator);
    return run;
}

bool trial_offer(trial *run, const carom_model *model, const char *integrator, double dt, double until,
                 double tolerance) {
    carom_run_def def = carom_run_default();
    def.integrator = integrator, def.dt = dt, def.until = until, def.tolerance = tolerance;
    carom_error error = {0};
    *run = (trial){0};
    carom_status status = carom_sim_create(model, &def, &run->sim, &error);
    if (status == CAROM_DATA) {
        printf("%-20s skipped: %s\n", integrator, error.message);
        return false;
    }
    ok_or_fail(status, &error, integrator);
    make_row(run);
    return true;
}

void trial_close(trial *run) {
    carom_sim_destroy(run->sim);
    carom_scene_destroy(run->scene);
    free(run->row);
    *run = (trial){0};
}

void trial_stride(trial *run) {
    carom_error error = {0};
    ok_or_fail(carom_sim_step(run->sim, &error), &error, "step");
}

void trial_step(trial *run) {
    trial_stride(run);
    read_row(run);
}

long trial_finish(trial *run) {
    while (!carom_sim_done(run->sim)) trial_step(run);
    return carom_sim_steps(run->sim);
}

void trial_never_gains(trial *run, double part) {
    double energy = trial_value(run, "E");
    const double first = energy;
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        assert_at_most(trial_value(run, "E"), energy + part * first);
        energy = trial_value(run, "E");
    }
}

static void add_up_velocities(const trial *run, int bodies, double sum[3]) {
    for (int i = 0; i < 3; i++) sum[i] = 0;
    for (int i = 0; i < 6 * bodies; i++) sum[i % 3] += i / 3 % 2 ? 0 : carom_sim_u(run->sim)[i];
}

void trial_keeps_motion(trial *run, int bodies, int strikes) {
    const double E = trial_value(run, "E");
    double before[3], after[3];
    int seen = 0;
    add_up_velocities(run, bodies, before);
    while (!carom_sim_done(run->sim)) {
        int count;
        trial_stride(run);
        carom_sim_events(run->sim, &count);
        seen += count;
    }
    add_up_velocities(run, bodies, after);
    printf("%d bodies: %d strikes\n", bodies, seen);
    assert_at_least(seen, strikes);
    assert_int_equal(carom_sim_captured(run->sim), 0);
    assert_true(carom_sim_certifies(run->sim));
    assert_near(trial_value(run, "E"), E, 1e-10);
    for (int i = 0; i < 3; i++) assert_near(after[i], before[i], 1e-11);
}

void trial_resumes(trial run, trial other) {
    double *saved = malloc(carom_sim_state_size(run.sim) * sizeof *saved);
    assert_non_null(saved);
    for (int i = 0; i < 2 * CAROM_CHECKPOINT; i++) trial_stride(&run);
    carom_sim_save(run.sim, saved);
    trial_finish(&run);
    assert_int_equal(carom_sim_load(other.sim, saved, NULL), CAROM_OK);
    trial_finish(&other);
    assert_true(carom_sim_hash(run.sim) == carom_sim_hash(other.sim));
    free(saved);
    trial_close(&run), trial_close(&other);
}

int trial_column(const trial *run, const char *name) {
    int columns = carom_sim_columns(run->sim);
    for (int i = 0; i < columns; i++)
        if (strcmp(carom_sim_column_name(run->sim, i), name) == 0) return i;
    fail_msg("no recorded quantity is called '%s'", name);
    return -1;
}

double trial_value(const trial *run, const char *name) {
    return run->row[trial_column(run, name)];
}

double observed_order(int n, const double *h, const double *error) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        double a = log(h[i]), b = log(error[i]);
        x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

void near_or_fail(double a, double b, double tolerance, const char *what, const char *file, int line) {
    if (fabs(a - b) <= tolerance) return;
    print_error("%s = %.17g, expected %.17g within %g (off by %g)\n", what, a, b, tolerance, a - b);
    _fail(file, line);
}

void at_most_or_fail(double a, double b, const char *what, const char *file, int line) {
    if (a <= b) return;
    print_error("%s = %.17g exceeds %.17g\n", what, a, b);
    _fail(file, line);
}
