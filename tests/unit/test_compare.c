/* Comparisons of rattle and moreau on motions whose structure is known. */
#include "study/compare.h"
#include "study/converge.h"
#include "support/folder.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A pendulum that starts at rest from the horizontal, where E = 0. */
static const char PENDULUM[] = "carom: 1\n"
                               "title: Pendulum\n"
                               "parameters: {m: 1, g: 9.81}\n"
                               "model:\n"
                               "  coordinates: {x: {start: 1}, y: {start: 0}}\n"
                               "  kinetic: m/2*(x_dot^2 + y_dot^2)\n"
                               "  potential: m*g*y\n"
                               "  constraints: {rod: x^2 + y^2 - 1}\n"
                               "run: {integrator: rattle, dt: 1e-2, until: 4, tolerance: 1e-12}\n";

/* Height 1: impacts at t1 = sqrt(2/g) = 0.4515 and, with e = 0.75, at t1 (1 + 2 e) = 1.129. */
static const char BALL[] = "carom: 1\n"
                           "title: Ball\n"
                           "parameters: {g: 9.81, e: 0.75, push: 0}\n"
                           "model:\n"
                           "  coordinates: {y: {start: 1}}\n"
                           "  kinetic: y_dot^2/2\n"
                           "  potential: g*y + push*log(y + 1e-4)\n"
                           "  contacts: {floor: {gap: y, restitution: e}}\n"
                           "run: {integrator: rattle, dt: 1e-2, until: 1, tolerance: 1e-11}\n";
static const double G = 9.81;

enum { RATTLE, MOREAU };

static const char *scene_file(const char *name, const char *text) {
    const char *path = in_folder(name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return path;
}

typedef struct study {
    scheme *schemes;
    int scheme_count;
    double *dt;
    comparison c;
} study;

static study compare_with(const char *scene, const char *integrators, const char *dt, const char *against,
                          const char *override, int workers) {
    study s = {0};
    carom_error error = {0};
    compare_def d = {.scene = scene,
                     .overrides = &override,
                     .override_count = !!override,
                     .reference = against,
                     .norm = &norms[norm_find("max")],
                     .workers = workers};
    if (dt && read_step_sizes(dt, &s.dt, &d.dt_count, &error)) fail_msg("%s", error.message);
    if (schemes_read(integrators, &s.schemes, &s.scheme_count, &error)) fail_msg("%s", error.message);
    d.dt = s.dt;
    d.schemes = s.schemes, d.scheme_count = s.scheme_count;
    if (comparison_create(&d, &s.c, &error)) fail_msg("%s", error.message);
    if (comparison_execute(&s.c, &error)) fail_msg("%s", error.message);
    return s;
}

static void close_study(study *s) {
    comparison_destroy(&s->c);
    schemes_destroy(s->schemes, s->scheme_count);
    free(s->dt);
}

static const compared *at(const study *s, int scheme_index, int size) {
    const compared *run = &s->c.all[scheme_index * s->c.sizes + size];
    if (run->run.status) fail_msg("%s: %s", run->scheme->label, run->run.error.message);
    return run;
}

/* ---------------------------------------------------------------- structure */

/* rattle is symplectic and of order 2: its energy error is bounded and falls with dt^2 (0.05: the next even term, dt^2
 * times smaller); it closes joints to the tolerance, which for a residual in velocities of 1e-12 is far below 1e-10.
 * moreau closes them on velocity level alone: positions drift by the curvature of the circle, (u dt)^2 / 2 in a step,
 * so over n = t / dt steps by more than 1e-3. */
static void a_pendulum_keeps_what_it_should(void **state) {
    (void)state;
    study s = compare_with(scene_file("pendulum.yaml", PENDULUM), "rattle,moreau", "1e-2,5e-3", "rattle@1e-3", NULL, 2);
    assert_true(s.c.conserved);
    assert_false(s.c.relative); /* E(0) = 0 */
    assert_true(s.c.position && s.c.velocity && !s.c.contacts);
    assert_near(log2(at(&s, RATTLE, 0)->energy / at(&s, RATTLE, 1)->energy), 2, 0.05);
    for (int size = 0; size < 2; size++) {
        assert_at_most(at(&s, RATTLE, size)->run.seen.position, 1e-10);
        assert_at_most(at(&s, RATTLE, size)->run.seen.velocity, 1e-10);
        assert_at_least(at(&s, MOREAU, size)->run.seen.position, 1e-3);
        assert_at_most(at(&s, MOREAU, size)->run.seen.velocity, 1e-10);
        assert_at_least(at(&s, MOREAU, size)->energy, 10 * at(&s, RATTLE, size)->energy);
    }
    assert_near(log2(at(&s, RATTLE, 0)->error_q / at(&s, RATTLE, 1)->error_q), 2, 0.1);
    assert_near(log2(at(&s, RATTLE, 0)->error_u / at(&s, RATTLE, 1)->error_u), 2, 0.1);
    close_study(&s);
}

/* Followed over time are the runs of one step size; the largest of the points is the number of the table. */
static void curves_end_where_the_table_is(void **state) {
    (void)state;
    study s = compare_with(scene_file("pendulum.yaml", PENDULUM), "rattle,moreau", NULL, "rattle@1e-3", NULL, 2);
    for (int i = 0; i < 2; i++) {
        const compared *run = at(&s, i, 0);
        const curve_over_time *o = run->over;
        assert_true(largest_number(o[OVER_ENERGY].value, o[OVER_ENERGY].count) == run->energy);
        assert_true(largest_number(o[OVER_Q].value, o[OVER_Q].count) == run->error_q); /* the norm is the maximum */
        assert_true(largest_number(o[OVER_U].value, o[OVER_U].count) == run->error_u);
        assert_true(largest_number(o[OVER_POSITION].value, o[OVER_POSITION].count) == run->run.seen.position);
        assert_true(largest_number(o[OVER_VELOCITY].value, o[OVER_VELOCITY].count) == run->run.seen.velocity);
        assert_int_equal(o[OVER_PENETRATION].count, 0);
        assert_true(o[OVER_ENERGY].t[0] >= 0 && o[OVER_ENERGY].t[o[OVER_ENERGY].count - 1] <= 4);
    }
    close_study(&s);
}

/* moreau looks for contacts in the middle of a step and acts on velocities: it enters the floor by no more than one
 * step at the speed of impact. rattle closes the gap itself. Between the first impact and the second the energy is
 * e^2 E(0), and the place of the impact within its step changes it by no more than g times a step's way. */
static void a_ball_penetrates_or_not(void **state) {
    (void)state;
    const double speed = sqrt(2 * G), dt = 1e-2;
    study s = compare_with(scene_file("ball.yaml", BALL), "rattle,moreau", NULL, NULL, NULL, 2);
    assert_true(s.c.contacts && !s.c.conserved && s.c.relative);
    assert_at_least(at(&s, RATTLE, 0)->run.seen.gap, -1e-12);
    assert_at_most(at(&s, MOREAU, 0)->run.seen.gap, -1e-4);
    assert_at_least(at(&s, MOREAU, 0)->run.seen.gap, -speed * dt);
    for (int i = 0; i < 2; i++) assert_near(at(&s, i, 0)->energy_end, 0.75 * 0.75 * G, G * speed * dt);
    assert_near(largest_number(at(&s, MOREAU, 0)->over[OVER_PENETRATION].value,
                               at(&s, MOREAU, 0)->over[OVER_PENETRATION].count),
                -at(&s, MOREAU, 0)->run.seen.gap, 0);
    close_study(&s);
    /* without loss the energy is kept, and what is shown is its error, relative to E(0) = g */
    s = compare_with(in_folder("ball.yaml"), "rattle", NULL, NULL, "parameters.e=1", 2);
    assert_true(s.c.conserved && s.c.relative);
    assert_at_most(at(&s, RATTLE, 0)->energy, G * speed * dt / G);
    close_study(&s);
}

/* ---------------------------------------------------------------- studies agree, and with themselves */

static void errors_are_those_of_converge(void **state) {
    (void)state;
    const char *path = scene_file("pendulum.yaml", PENDULUM);
    study s = compare_with(path, "rattle,moreau", "1e-2,5e-3,2e-3", "rattle@1e-3", NULL, 2);
    carom_error error;
    convergence *c;
    convergence_def d = {
        .scene = path, .schemes = s.schemes, .scheme_count = 2, .dt = s.dt, .dt_count = 3, .reference = "rattle@1e-3"};
    assert_int_equal(convergence_create(&d, &c, &error), CAROM_OK);
    assert_int_equal(convergence_execute(c, 2, NULL, NULL, &error), CAROM_OK);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(at(&s, i, k)->error_q == convergence_of(c, 0, norm_find("max"), i)->error[k]);
            assert_true(at(&s, i, k)->error_u == convergence_of(c, 1, norm_find("max"), i)->error[k]);
        }
    convergence_destroy(c);
    close_study(&s);
}

static void numbers_do_not_depend_on_the_processes(void **state) {
    (void)state;
    const char *path = scene_file("ball.yaml", BALL);
    study one = compare_with(path, "rattle,moreau", "1e-2,5e-3", NULL, NULL, 1);
    study three = compare_with(path, "rattle,moreau", "1e-2,5e-3", NULL, NULL, 3);
    for (int i = 0; i < 4; i++) {
        const compared *a = &one.c.all[i], *b = &three.c.all[i];
        assert_true(a->run.hash == b->run.hash && a->run.steps == b->run.steps && a->run.newton == b->run.newton);
        assert_true(a->error_q == b->error_q && a->error_u == b->error_u && a->energy == b->energy);
        assert_true(a->run.seen.gap == b->run.seen.gap);
        assert_true(a->seconds > 0 && b->seconds > 0);
    }
    close_study(&one);
    close_study(&three);
}

/* ---------------------------------------------------------------- failures */

/* log(y + 1e-4) exists above the floor only: moreau falls through it and fails, rattle does not. */
static void others_go_on(void **state) {
    (void)state;
    study s = compare_with(scene_file("ball.yaml", BALL), "rattle,moreau,rattle:stages=3", NULL, NULL,
                           "parameters.push=1e-6", 2);
    const compared *refused = &s.c.all[2], *failed = &s.c.all[1];
    assert_int_equal(at(&s, RATTLE, 0)->run.steps, 100);
    assert_int_equal(failed->run.status, CAROM_FAILED);
    assert_true(failed->run.steps > 40 && failed->run.steps < 60); /* the first impact: t = 0.45 */
    assert_true(isnan(failed->error_q) && failed->over[OVER_Q].count > 0);
    assert_int_equal(refused->run.status, CAROM_DATA);
    assert_non_null(strstr(refused->run.error.message, "has no option 'stages'"));
    carom_error error;
    const char *figure = in_folder("failed.png"), *table = in_folder("failed.csv");
    if (comparison_draw(&s.c, figure, &error)) fail_msg("%s", error.message);
    assert_int_equal(comparison_write_csv(&s.c, table, &error), CAROM_OK);
    close_study(&s);
}

static void nothing_can_be_drawn_of_nothing(void **state) {
    (void)state;
    study s = compare_with(scene_file("ball.yaml", BALL), "rattle:stages=3", NULL, NULL, NULL, 1);
    carom_error error;
    assert_int_equal(comparison_draw(&s.c, in_folder("nothing.png"), &error), CAROM_FAILED);
    assert_non_null(strstr(error.message, "far enough"));
    close_study(&s);
}

/* ---------------------------------------------------------------- files */

static int fields_of(const char *line) {
    int count = 1;
    bool quoted = false;
    for (; *line; line++) {
        quoted = quoted != (*line == '"');
        count += *line == ',' && !quoted;
    }
    return count;
}

static void files_have_everything(void **state) {
    (void)state;
    study s = compare_with(scene_file("ball.yaml", BALL), "rattle,moreau", "1e-2,5e-3,2e-3", NULL, NULL, 2);
    const char *table = in_folder("t.csv"), *over = in_folder("o.csv"), *figure = in_folder("f.svg");
    carom_error error;
    assert_int_equal(comparison_write_csv(&s.c, table, &error), CAROM_OK);
    assert_int_equal(comparison_write_over_time(&s.c, over, &error), CAROM_OK);
    if (comparison_draw(&s.c, figure, &error)) fail_msg("%s", error.message);
    FILE *in = fopen(table, "r");
    char line[4096];
    int lines = 0, fields = 0;
    while (fgets(line, sizeof line, in)) {
        if (lines++ == 0) fields = fields_of(line);
        assert_int_equal(fields_of(line), fields);
    }
    fclose(in);
    assert_int_equal(lines, 7);
    long points = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < OVER_COUNT; k++) points += at(&s, i, s.c.shown)->over[k].count;
    in = fopen(over, "r");
    for (lines = 0; fgets(line, sizeof line, in); lines++) assert_int_equal(fields_of(line), 5);
    fclose(in);
    assert_int_equal(lines, points + 1);
    struct stat picture;
    assert_int_equal(stat(figure, &picture), 0);
    assert_true(picture.st_size > 20000 && picture.st_size < 2000000); /* eight panels */
    assert_int_equal(comparison_write_csv(&s.c, in_folder("no/t.csv"), &error), CAROM_DATA);
    close_study(&s);
}

/* ---------------------------------------------------------------- histories */

static void envelopes_keep_extremes(void **state) {
    (void)state;
    double t[1000], value[1000], at_time[10], most[10];
    for (int i = 0; i < 1000; i++) t[i] = i, value[i] = i % 100 == 37 ? i : i % 3 ? 0 : NAN;
    assert_int_equal(envelope_of(t, value, 1000, 10, at_time, most), 10);
    for (int i = 0; i < 10; i++) assert_true(at_time[i] == 100 * i + 37 && most[i] == at_time[i]);
    assert_int_equal(envelope_of(t, value, 3, 10, at_time, most), 3); /* fewer points than windows */
    assert_true(isnan(most[0]) && most[1] == 0);
    assert_int_equal(envelope_of(t, value, 0, 10, at_time, most), 0);
    assert_true(isnan(largest_number(value, 1)) && largest_number(value, 1000) == 937);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_what_it_should),
        cmocka_unit_test(curves_end_where_the_table_is),
        cmocka_unit_test(a_ball_penetrates_or_not),
        cmocka_unit_test(errors_are_those_of_converge),
        cmocka_unit_test(numbers_do_not_depend_on_the_processes),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(nothing_can_be_drawn_of_nothing),
        cmocka_unit_test(files_have_everything),
        cmocka_unit_test(envelopes_keep_extremes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
