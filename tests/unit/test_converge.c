/* Convergence studies on motions that are known: a driven oscillator and a ball that falls, lands and rolls. */
#include "scene/scene.h"
#include "study/report.h"
#include "support/folder.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OSCILLATOR[] = "tests/unit/oscillator.yaml", SLOPE[] = "scenes/paper/rattle/slope_1.yaml";

typedef struct study {
    scheme *schemes;
    double *dt;
    convergence *c;
} study;

static study converge_with(const char *scene, const char *integrators, const char *dt, const char *against,
                           const char *override) {
    study s = {0};
    carom_error error = {0};
    convergence_def d = {.scene = scene, .reference = against, .overrides = &override, .override_count = !!override};
    if (read_step_sizes(dt, &s.dt, &d.dt_count, &error)) fail_msg("%s", error.message);
    if (integrators && schemes_read(integrators, &s.schemes, &d.scheme_count, &error)) fail_msg("%s", error.message);
    d.dt = s.dt;
    d.schemes = s.schemes;
    if (convergence_create(&d, &s.c, &error)) fail_msg("%s", error.message);
    if (convergence_execute(s.c, 2, NULL, NULL, &error)) fail_msg("%s", error.message);
    return s;
}

static void close_study(study *s) {
    schemes_destroy(s->schemes, s->c->def.scheme_count);
    convergence_destroy(s->c);
    free(s->dt);
}

static const convergence_curve *curve(const study *s, int quantity_index, const char *norm_name, int scheme_index) {
    return convergence_of(s->c, quantity_index, norm_find(norm_name), scheme_index);
}

enum { Q, U, P, PN, PF, P_STEP, PN_STEP, PF_STEP };

/* ---------------------------------------------------------------- step sizes */

static void reads_step_sizes(void **state) {
    (void)state;
    double *dt;
    int count;
    carom_error error;
    assert_int_equal(read_step_sizes("5e-3,0.1,1e-2", &dt, &count, &error), CAROM_OK);
    assert_int_equal(count, 3);
    assert_true(dt[0] == 0.1 && dt[1] == 0.01 && dt[2] == 0.005);
    free(dt);
    /* as typed, not one digit off */
    assert_int_equal(read_step_sizes("2e-4..0.0256/8,0.0128", &dt, &count, &error), CAROM_OK);
    assert_int_equal(count, 8);
    const double published[] = {0.0256, 0.0128, 0.0064, 0.0032, 0.0016, 0.0008, 0.0004, 0.0002};
    for (int i = 0; i < count; i++) assert_true(dt[i] == published[i]);
    free(dt);
    static const char *const bad[] = {
        "",    "0",        "-1",         "1e-2,",       ",1e-2",      "1e-2,0",    "nan",
        "inf", "1e-2;1",   "1e-2 , 1",   "0.1..0.01",   "0.1../3",    "..1/3",     "1..0/3",
        "a",   "0.1..1/1", "0.1..1/2.5", "0.1..1/9999", "0.1..0.2/x", "1e-2 1e-3", "1,0.1..1/9223372036854775807"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read_step_sizes(bad[i], &dt, &count, &error) != CAROM_DATA) fail_msg("'%s' was accepted", bad[i]);
}

/* ---------------------------------------------------------------- orders */

/* Order 2 and 1 in every norm; the square falls with slope 4. 0.1: what is left of the next term of the error at these
 * step sizes. */
static void finds_orders(void **state) {
    (void)state;
    study s = converge_with(OSCILLATOR, "rattle,moreau", "0.02..0.00125/5", NULL, NULL);
    assert_true(s.c->reference.exact && !s.c->reference.interpolated);
    assert_int_equal(s.c->failed, 0);
    assert_int_equal(s.c->components[Q] + s.c->components[U], 2);
    assert_int_equal(s.c->components[PN], 0);
    for (int k = 0; k < NORMS; k++)
        for (int x = Q; x <= U; x++) {
            assert_near(convergence_of(s.c, x, k, 0)->overall, 2, 0.1);
            for (int i = 1; i < s.c->def.dt_count; i++) assert_near(convergence_of(s.c, x, k, 0)->order[i], 2, 0.1);
        }
    for (int k = 0; k < NORMS; k++) assert_near(convergence_of(s.c, Q, k, 1)->overall, 1, 0.1);
    const double *square = curve(&s, Q, "moreau", 0)->error;
    assert_near(log2(square[3] / square[4]), 4, 0.2);
    /* one component: the sums of lobatto and rattle are the same */
    for (int i = 0; i < 5; i++)
        assert_true(curve(&s, Q, "lobatto", 1)->error[i] == curve(&s, Q, "rattle", 1)->error[i]);
    close_study(&s);
}

/* The ball before and after it lands: rattle has velocities and angles to the last digits, positions to first order,
 * since the time of the impact is known to a step only. Errors of positions are those of constant velocities over less
 * than a step: dt g T in y. */
static void crosses_an_impact(void **state) {
    (void)state;
    study s = converge_with("scenes/paper/rattle/ball_3.yaml", NULL, "1e-2..1e-4/7", "exact", NULL);
    const convergence_curve *u = curve(&s, U, "lobatto", 0);
    for (int i = 0; i < 7; i++) {
        assert_true(u->floor[i]);
        assert_at_most(curve(&s, Q, "max", 0)->error[i], (10 + 9.81 * 0.43) * s.dt[i]); /* omega, g T */
    }
    assert_true(isnan(u->overall));
    assert_near(curve(&s, Q, "lobatto", 0)->overall, 1, 0.3); /* it wobbles with the place of the impact in its step */
    close_study(&s);
}

/* A point mass that slides on a curve: percussions, summed over the coarse steps, converge with an order more than the
 * velocities. Two parts of the finest step are the reference; the order of the last points suffers from its error of a
 * few percent. */
static void sums_percussions(void **state) {
    (void)state;
    study s = converge_with(SLOPE, NULL, "1.6e-2..2e-3/4", NULL, "run.until=1.6");
    assert_string_equal(s.c->reference.text, "rattle with dt = 0.00025");
    for (int x = Q; x <= U; x++) assert_near(curve(&s, x, "lobatto", 0)->overall, 2, 0.1);
    for (int x = PN; x <= PF; x++) assert_near(curve(&s, x, "lobatto", 0)->overall, 3, 0.1);
    assert_int_equal(s.c->components[P], 0);
    close_study(&s);
}

/* Step by step, as in Fig. 8 of the paper on rattle, the same percussions have order 1: a force lambda gives lambda dt
 * in one step and lambda dt_ref in the other. 0.02: sums over steps of 1.6e-2 against an integral over 1.6, and the
 * hundredth by which dt - dt_ref is less than dt = 2e-3. */
static void compares_single_steps(void **state) {
    (void)state;
    study s = converge_with(SLOPE, NULL, "1.6e-2..2e-3/4", "rattle@2e-5", "run.until=1.6");
    assert_int_equal(s.c->reference.job.keep, 100); /* single steps are known where not all of them are kept */
    for (int x = PN_STEP; x <= PF_STEP; x++) {
        assert_near(curve(&s, x, "lobatto", 0)->overall, 1, 0.02);
        assert_near(curve(&s, x - P_STEP + P, "lobatto", 0)->overall, 3, 0.1);
    }
    assert_int_equal(s.c->components[P_STEP], 0);
    close_study(&s);
}

/* A run that fails leaves the others alone: both integrators are explicit here and grow by (w dt)^2 = 1e4 per step of
 * 0.1, beyond all numbers within 100 steps; with w dt <= 1 they are stable. */
static void goes_on_after_failures(void **state) {
    (void)state;
    const char *overrides[] = {"parameters.w=1000", "run.until=10", "exact.x=cos(w*t)", "model.forces.x=0",
                               "model.coordinates.x.velocity=0"};
    const double dt[] = {0.1, 1e-3, 5e-4};
    scheme *schemes;
    int count;
    convergence *c;
    carom_error error = {0};
    assert_int_equal(schemes_read("moreau,rattle", &schemes, &count, &error), CAROM_OK);
    convergence_def d = {OSCILLATOR, overrides, 5, schemes, count, dt, 3, "exact"};
    if (convergence_create(&d, &c, &error)) fail_msg("%s", error.message);
    if (convergence_execute(c, 0, NULL, NULL, &error)) fail_msg("%s", error.message);
    const convergence_curve *u = convergence_of(c, U, norm_find("max"), 0);
    assert_int_equal(c->failed, 2);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(convergence_at(c, n, 0)->status, CAROM_FAILED);
        assert_non_null(strstr(convergence_at(c, n, 0)->error.message, "finite"));
        assert_int_equal(convergence_at(c, n, 1)->status, CAROM_OK);
    }
    assert_true(isnan(u->error[0]) && isnan(u->order[1]) && u->error[1] > 0 && u->error[2] > 0);
    convergence_destroy(c);
    schemes_destroy(schemes, count);
}

/* ---------------------------------------------------------------- references */

static void same_errors(const study *a, const study *b, double tolerance) {
    for (int x = 0; x < QUANTITIES; x++)
        for (int i = 0; i < a->c->def.dt_count && b->c->components[x]; i++) {
            const double *error = curve(a, x, "lobatto", 0)->error;
            assert_near(curve(b, x, "lobatto", 0)->error[i], error[i], tolerance);
        }
}

static FILE *create(const char *name) {
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    return f;
}

/* A step size, an integrator with a step size and a scene with that step size are the same run. */
static void references_agree(void **state) {
    (void)state;
    FILE *f = create("fine.yaml");
    fprintf(f, "carom: 1\nextends: %s/%s\nrun: {dt: 1e-3, until: 1.7}\n", CAROM_SOURCE_DIR, SLOPE);
    fclose(f);
    study a = converge_with(SLOPE, NULL, "0.02,0.01,0.004", "1e-3", "run.until=1.6");
    study b = converge_with(SLOPE, NULL, "0.02,0.01,0.004", "rattle@1e-3", "run.until=1.6");
    study c = converge_with(SLOPE, NULL, "0.02,0.01,0.004", in_folder("fine.yaml"), "run.until=1.6");
    same_errors(&a, &b, 0);
    assert_int_equal(b.c->reference.job.keep, 2); /* of 20, 10 and 4 steps, no more is asked for */
    same_errors(&a, &c, 1e-15);                   /* percussions, below 1, are summed in another order */
    assert_int_equal(c.c->components[PF], 1);
    close_study(&a);
    close_study(&b);
    close_study(&c);
}

/* The oscillator typed into a CSV file by another hand, with columns in any order and others that do not matter; at
 * times that contain those of the runs, and at times that do not. */
static void write_oscillator(const char *name, double step, bool with_velocity) {
    FILE *f = create(name);
    fprintf(f, with_velocity ? "\"x_dot\", t,remark,x\r\n" : "t, x\n");
    for (int i = 0; i * step <= 3 + step; i++) {
        double t = i * step, w = 2, a = 0.3, b = (0.5 - 3 * a) / w;
        double x = cos(w * t) + b * sin(w * t) + a * sin(3 * t);
        double v = -w * sin(w * t) + b * w * cos(w * t) + 3 * a * cos(3 * t);
        if (with_velocity) fprintf(f, "%.17g,%.17g,7,%.17g\r\n", v, t, x);
        else fprintf(f, "%.17g, %.17g\n", t, x);
    }
    fclose(f);
}

static void reads_files(void **state) {
    (void)state;
    const char *dt = "0.04,0.02";
    study a = converge_with(OSCILLATOR, NULL, dt, "exact", NULL);
    write_oscillator("same.csv", 0.02, true);
    study b = converge_with(OSCILLATOR, NULL, dt, in_folder("same.csv"), NULL);
    same_errors(&a, &b, 1e-14); /* round-off of x_dot, about 3, over 3 seconds */
    assert_false(b.c->reference.interpolated);
    close_study(&b);
    /* Between times cubics are off: Hermite's by h^4/384 max|x''''| = 1.6e-9 for q, with |x''''| <= 2^4 1.02 + 3^4 0.3;
     * those through four points by at most h^4/24 max|u''''| = 6.7e-8 for u, at the ends. Over 3 seconds: */
    write_oscillator("other.csv", 0.0111, true);
    b = converge_with(OSCILLATOR, NULL, dt, in_folder("other.csv"), NULL);
    assert_true(b.c->reference.interpolated);
    same_errors(&a, &b, 3 * 6.7e-8);
    assert_near(curve(&b, Q, "max", 0)->error[0], curve(&a, Q, "max", 0)->error[0], 1.6e-9);
    close_study(&b);
    /* without velocities there is no error of velocities, and four points it is for q: h^4/24 max|x''''| */
    write_oscillator("positions.csv", 0.0111, false);
    b = converge_with(OSCILLATOR, NULL, dt, in_folder("positions.csv"), NULL);
    assert_int_equal(b.c->components[U], 0);
    assert_near(curve(&b, Q, "max", 0)->error[0], curve(&a, Q, "max", 0)->error[0], 2.6e-8);
    close_study(&b);
    close_study(&a);
}

/* A fine run whose steps do not divide those of the others is kept in full and interpolated. It has an error of its
 * own, (1.3158e-3/0.04)^2 times that of the coarse run by second order; a tenth more for the next terms and the cubics.
 */
static void interpolates_runs(void **state) {
    (void)state;
    study a = converge_with(OSCILLATOR, NULL, "0.04,0.02", "exact", NULL);
    study b = converge_with(OSCILLATOR, NULL, "0.04,0.02", "rattle@1.3158e-3", NULL);
    assert_true(b.c->reference.interpolated && b.c->reference.job.keep == 1);
    for (int x = Q; x <= U; x++) {
        double error = curve(&a, x, "max", 0)->error[0], own = pow(1.3158e-3 / 0.04, 2) * error;
        assert_near(curve(&b, x, "max", 0)->error[0], error, 1.1 * own);
    }
    close_study(&a);
    close_study(&b);
}

/* A ball at rest is held by m g dt in every step, whatever parts of the reference's steps that takes. */
static void divides_percussions(void **state) {
    (void)state;
    study s = converge_with("scenes/paper/moreau/ball.yaml", "rattle", "0.01,0.004", "rattle@1.3e-3",
                            "model.coordinates.q.start=0");
    assert_true(s.c->reference.interpolated);
    const convergence_curve *percussions = curve(&s, PN, "max", 0);
    const convergence_curve *single = curve(&s, PN_STEP, "max", 0);
    for (int i = 0; i < 2; i++) {
        assert_at_most(percussions->error[i], 10 * 1e-11 * 0.1); /* ten steps, tolerance, m */
        assert_near(single->error[i], 0.1 * 9.81 * (s.dt[i] - 1.3e-3),
                    2 * 1e-11 * 0.1); /* m g (dt - dt_ref); two steps */
    }
    close_study(&s);
}

static void refuse(const char *against, const char *dt, const char *override, const char *because) {
    carom_error error = {0};
    convergence_def d = {
        .scene = OSCILLATOR, .reference = against, .overrides = &override, .override_count = !!override};
    double *sizes;
    convergence *c;
    assert_int_equal(read_step_sizes(dt, &sizes, &d.dt_count, &error), CAROM_OK);
    d.dt = sizes;
    carom_status status = convergence_create(&d, &c, &error);
    if (!status) status = convergence_execute(c, 1, NULL, NULL, &error);
    if (status != CAROM_DATA || !strstr(error.message, because))
        fail_msg("%s: '%s' does not say '%s'", against, error.message, because);
    convergence_destroy(c);
    free(sizes);
}

static void write_text(const char *name, const char *text) {
    FILE *f = create(name);
    fputs(text, f);
    fclose(f);
}

static void refuses_references(void **state) {
    (void)state;
    write_oscillator("same.csv", 0.02, true);
    write_text("short.csv", "t,x\n0,1\n1,1\n");
    write_text("time.csv", "time,x\n0,1\n1,1\n");
    write_text("others.csv", "t,z\n0,1\n3,1\n");
    write_text("back.csv", "t,x\n0,1\n2,1\n1,1\n");
    write_text("late.csv", "t,x\n1,1\n2,1\n3,1\n");
    write_text("word.csv", "t,x\n0,1\n1,one\n");
    write_text("few.csv", "t,x\n0,1\n1\n");
    write_text("many.csv", "t,x\n0,1\n1,2,3\n");
    write_text("twice.csv", "t,x,x\n0,1,1\n");
    write_text("empty.csv", "");
    refuse(in_folder("same.csv"), "0.01", NULL, "too coarse");
    refuse(in_folder("short.csv"), "0.1", NULL, "ends at t = 1");
    refuse(in_folder("time.csv"), "0.1", NULL, "no column 't'");
    refuse(in_folder("others.csv"), "0.1", NULL, "no 'x'");
    refuse(in_folder("back.csv"), "0.1", NULL, "row 3, where t = 1");
    refuse(in_folder("late.csv"), "0.1", NULL, "starts at t = 1");
    refuse(in_folder("word.csv"), "0.1", NULL, "'one' is not a number");
    refuse(in_folder("few.csv"), "0.1", NULL, "1 values for 2 names");
    refuse(in_folder("many.csv"), "0.1", NULL, "more values than names");
    refuse(in_folder("twice.csv"), "0.1", NULL, "two columns are named 'x'");
    refuse(in_folder("empty.csv"), "0.1", NULL, "no column 't'");
    refuse(in_folder("none.csv"), "0.1", NULL, "no such file");
    refuse("0.1", "0.2,0.1", NULL, "0.1 is not below 0.1");
    refuse("rattle", "0.1", NULL, "rattle@1e-5");
    refuse("ratle@1e-3", "0.1", NULL, "did you mean 'rattle'?");
    refuse("rattle:stages=2@1e-3", "0.1", NULL, "no option 'stages'");
    refuse("rattle@fine", "0.1", NULL, "'fine' is not a step size");
    refuse("ideal", "0.1", NULL, "is none of: exact");
    refuse("exact", "0.1", "model.coordinates.x.start=2", "x is 1 there and starts at 2");
    refuse(NULL, "5", NULL, "longer than the run");
}

/* ---------------------------------------------------------------- the scene's exact solution */

static void refuse_exact(const char *exact, const char *because) {
    char text[600];
    snprintf(
        text, sizeof text,
        "carom: 1\nparameters: {n: 2}\nmodel:\n  coordinates: {\"x[i=1..n]\": {start: i}, p: 1}\n  velocities: {w: "
        "0}\n  kinematics: {p: w}\n  kinetic: sum(i=1..n, x_dot[i]^2/2) + w^2/2\nrun: {integrator: rattle, dt: "
        "0.1, until: 1}\nexact: %s\n",
        exact);
    write_text("exact.yaml", text);
    carom_error error = {0};
    carom_scene *scene;
    carom_status status = carom_scene_load(in_folder("exact.yaml"), NULL, 0, &scene, &error);
    if (because && (status != CAROM_DATA || error.line < 9 || !strstr(error.message, because)))
        fail_msg("%s: '%s' in line %d does not say '%s'", exact, error.message, error.line, because);
    if (!because && status) fail_msg("%s: %s", exact, error.message);
    carom_scene_destroy(scene);
}

static void reads_exact(void **state) {
    (void)state;
    refuse_exact("{\"x[i=1..n]\": i, p: 1, w: 0}", NULL);
    refuse_exact("{x1_dot: 0}", NULL);
    refuse_exact("{x1: t*x2}", "may use t and parameters only");
    refuse_exact("{x1: x1_dot*0 + w}", "may use t and parameters only");
    refuse_exact("{x3: 1}", "there is no coordinate or velocity 'x3'");
    refuse_exact("{p_dot: 1}", "there is no coordinate or velocity 'p_dot'");
    refuse_exact("{n: 1}", "there is no coordinate or velocity 'n'");
    refuse_exact("{\"x[i=1..n]\": i, x1: 1}", "given twice");
    refuse_exact("{x1: sin(tau)}", "undefined name 'tau'");
    refuse_exact("cos(t)", "must be a map");
    refuse_exact("{x1: [1, 2]}", "expected a number or a formula");
}

/* Families by their members; rates by exact differentiation where x_dot is a velocity, and only there. */
static void differentiates_exact(void **state) {
    (void)state;
    write_text("exact.yaml", "carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}, y: {velocity: 5}, p: 1}\n"
                             "  velocities: {w: 0}\n  kinematics: {p: w}\n  kinetic: (x_dot^2 + y_dot^2 + w^2)/2\n"
                             "run: {integrator: rattle, dt: 0.1, until: 1}\n"
                             "exact: {x: t*exp(-t), y_dot: 5 + t, p: \"if(t < 1, 1, t)\"}\n");
    carom_error error = {0};
    carom_scene *scene;
    assert_int_equal(carom_scene_load(in_folder("exact.yaml"), NULL, 0, &scene, &error), CAROM_OK);
    double q[3], u[3];
    assert_true(scene_exact(scene, 2, q, u));
    assert_near(q[0], 2 * exp(-2), 1e-16);
    assert_near(u[0], -exp(-2), 1e-16);
    assert_true(isnan(q[1]) && u[1] == 7 && q[2] == 2 && isnan(u[2]));
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- names and files */

/* Every quantity that is compared is one that is recorded. */
static void uses_recorded_names(void **state) {
    (void)state;
    static const char *const scenes[] = {"paper/rattle/slider_crank", "gallery/top", "gallery/drum", "gallery/box"};
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
        trial run = trial_scene(scenes[n], NULL);
        quantities all;
        carom_error error;
        assert_int_equal(quantities_create(carom_scene_model(run.scene), &all, &error), CAROM_OK);
        for (int i = 0; i < all.count; i++) trial_column(&run, all.names[i]);
        for (int i = 0; i < all.nq; i++)
            if (all.rate[i] >= 0)
                assert_int_equal(strncmp(all.names[i], all.names[all.nq + all.rate[i]], strlen(all.names[i])), 0);
        quantities_destroy(&all);
        trial_close(&run);
    }
}

static void writes_files(void **state) {
    (void)state;
    study s = converge_with(OSCILLATOR, "rattle,moreau", "0.1,0.05", NULL, NULL);
    carom_error error;
    int kinds[] = {0, 3};
    assert_int_equal(convergence_csv(s.c, in_folder("errors.csv"), &error), CAROM_OK);
    FILE *f = fopen(in_folder("errors.csv"), "r");
    char line[1000];
    int lines = 0;
    while (fgets(line, sizeof line, f)) lines++;
    fclose(f);
    assert_int_equal(lines, 1 + 2 * NORMS * 2 * 2); /* q and u, norms, integrators, step sizes */
    assert_int_equal(convergence_draw(s.c, kinds, 2, in_folder("errors.svg"), &error), CAROM_OK);
    assert_int_equal(convergence_csv(s.c, in_folder("no/errors.csv"), &error), CAROM_DATA);
    close_study(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_step_sizes),      cmocka_unit_test(finds_orders),
        cmocka_unit_test(crosses_an_impact),     cmocka_unit_test(sums_percussions),
        cmocka_unit_test(compares_single_steps), cmocka_unit_test(goes_on_after_failures),
        cmocka_unit_test(references_agree),      cmocka_unit_test(reads_files),
        cmocka_unit_test(refuses_references),    cmocka_unit_test(interpolates_runs),
        cmocka_unit_test(divides_percussions),   cmocka_unit_test(reads_exact),
        cmocka_unit_test(differentiates_exact),  cmocka_unit_test(uses_recorded_names),
        cmocka_unit_test(writes_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
