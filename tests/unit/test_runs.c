/* Runs in processes of their own: the same bits as in this process and for any number of workers, failures with their
 * reason, an end that comes when asked for. */
#include "study/runs.h"
#include "support/trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

static const char BALL[] = "scenes/paper/moreau/ball.yaml";

static void counts_steps(void **state) {
    (void)state;
    assert_int_equal(steps_between(0, 1, 0.1, false), 10); /* 0.1 is not a tenth, and 10 steps it is */
    assert_int_equal(steps_between(0, 1, 0.1, true), 10);
    assert_int_equal(steps_between(0, 3.28, 0.0128, false), 256);
    assert_int_equal(steps_between(0, 3.28, 0.0128, true), 257);
    assert_int_equal(steps_between(1, 1.5, 0.6, false), 0);
    assert_int_equal(steps_between(1, 1.5, 0.6, true), 1);
}

static void same_rows(const track *a, const track *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->memory, b->memory, a->bytes);
    assert_true(a->hash == b->hash && a->newton == b->newton && a->newton_max == b->newton_max);
    assert_memory_equal(&a->seen, &b->seen, sizeof a->seen);
}

/* One process, several and this very one give the same bits. */
static void workers_do_not_matter(void **state) {
    (void)state;
    enum { COUNT = 5 };
    scheme rattle;
    carom_error error;
    assert_int_equal(scheme_read("rattle", &rattle, &error), CAROM_OK);
    run_job jobs[COUNT];
    for (int i = 0; i < COUNT; i++)
        jobs[i] = (run_job){.scene = BALL, .scheme = i % 2 ? &rattle : NULL, .dt = 0.02 / (1 << i), .keep = 1};
    track one[COUNT], several[COUNT], here;
    assert_int_equal(runs_execute(jobs, COUNT, 1, NULL, NULL, one, &error), CAROM_OK);
    assert_int_equal(runs_execute(jobs, COUNT, 3, NULL, NULL, several, &error), CAROM_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(one[i].status, CAROM_OK);
        assert_int_equal(one[i].steps, 200 << i);
        same_rows(&one[i], &several[i]);
        track_run(&jobs[i], -1, NULL, &here);
        same_rows(&one[i], &here);
        track_destroy(&here);
        track_destroy(&one[i]);
        track_destroy(&several[i]);
    }
    scheme_destroy(&rattle);
}

/* Momentum: m q_dot changes by the weight and the percussions, row by row, whatever is kept. A ball that has come to
 * rest is held by m g dt per step. */
static void sums_percussions(void **state) {
    (void)state;
    run_job job = {.scene = BALL, .dt = 1e-3, .keep = 70};
    track t;
    track_run(&job, -1, NULL, &t);
    assert_int_equal(t.status, CAROM_OK);
    assert_int_equal(t.np, 1);
    assert_int_equal(t.rows, 4000 / 70 + 1);
    const double m = 0.1, weight = m * 9.81;
    for (long i = 1; i < t.rows; i++) {
        double change = m * (t.u[i] - t.u[i - 1]), span = t.time[i] - t.time[i - 1];
        assert_near(span, 0.07, 1e-14);
        assert_near(t.P[i], change + weight * span, 70 * 1e-11 * m); /* 70 steps, each to the tolerance */
        assert_near(t.E[i], m / 2 * t.u[i] * t.u[i] + weight * t.q[i], 1e-14);
    }
    assert_near(t.P[t.rows - 1], weight * 0.07, 70 * 1e-11);
    assert_near(t.t, 4, 1e-14);
    track_destroy(&t);
}

static void tells_failures(void **state) {
    (void)state;
    enum { COUNT = 5 };
    const char *lost[] = {"model.potential=m*g*q + if(t > 0.1, log(-1), 0)"}, *wrong[] = {"parameters.mass=2"};
    scheme unknown, rattle;
    carom_error error;
    assert_int_equal(scheme_read("ratle", &unknown, &error), CAROM_OK);
    assert_int_equal(scheme_read("rattle", &rattle, &error), CAROM_OK);
    run_job jobs[COUNT] = {
        {.scene = BALL, .dt = 0.01, .keep = 1, .scheme = &rattle, .overrides = lost, .override_count = 1},
        {.scene = BALL, .dt = 0.01, .keep = 1, .overrides = wrong, .override_count = 1},
        {.scene = BALL, .dt = 5, .keep = 1},
        {.scene = BALL, .dt = 0.01, .scheme = &unknown},
        {.scene = BALL, .dt = 0.01, .timings = 2}};
    track t[COUNT];
    assert_int_equal(runs_execute(jobs, COUNT, 2, NULL, NULL, t, &error), CAROM_OK);
    assert_int_equal(t[0].status, CAROM_FAILED);
    assert_non_null(strstr(t[0].error.message, "not finite at t = 0.1"));
    assert_int_equal(t[0].rows, 11);                     /* what was good is kept: t = 0 .. 0.1 */
    assert_near(t[0].q[10], 1 - 9.81 / 2 * 0.01, 1e-12); /* free fall, which rattle has exactly */
    assert_int_equal(t[1].status, CAROM_DATA);
    assert_non_null(strstr(t[1].error.message, "'mass'"));
    assert_int_equal(t[2].status, CAROM_DATA);
    assert_non_null(strstr(t[2].error.message, "does not fit"));
    assert_non_null(strstr(t[3].error.message, "did you mean 'rattle'?"));
    assert_int_equal(t[4].status, CAROM_OK);
    assert_int_equal(t[4].rows, 0);
    assert_true(t[4].seconds > 0);
    for (int i = 0; i < COUNT; i++) track_destroy(&t[i]);
    scheme_destroy(&unknown);
    scheme_destroy(&rattle);
}

static bool give_up(void *context, const runs_progress *progress) {
    long *calls = context;
    ++*calls;
    return progress->steps < 1000;
}

/* A run of 4e8 steps ends as soon as the watch says so, and leaves no child behind. */
static void gives_up(void **state) {
    (void)state;
    run_job jobs[3];
    for (int i = 0; i < 3; i++) jobs[i] = (run_job){.scene = BALL, .dt = 1e-8};
    track t[3];
    carom_error error;
    long calls = 0;
    assert_int_equal(runs_execute(jobs, 3, 2, give_up, &calls, t, &error), CAROM_FAILED);
    assert_string_equal(error.message, "interrupted");
    assert_true(calls > 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t[i].status, CAROM_FAILED);
        track_destroy(&t[i]);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void reads_schemes(void **state) {
    (void)state;
    scheme *s;
    int count;
    carom_error error;
    assert_int_equal(schemes_read("moreau,rattle,other:stages=3:variant=published", &s, &count, &error), CAROM_OK);
    assert_int_equal(count, 3);
    assert_string_equal(s[0].integrator, "moreau");
    assert_int_equal(s[1].option_count, 0);
    assert_string_equal(s[2].label, "other:stages=3:variant=published");
    assert_int_equal(s[2].option_count, 2);
    assert_string_equal(s[2].options[1].name, "variant");
    assert_string_equal(s[2].options[1].text, "published");
    carom_run_def run = carom_run_default();
    assert_string_equal(scheme_run(&s[2], &run).options[0].name, "stages");
    assert_true(scheme_run(NULL, &run).integrator == run.integrator);
    schemes_destroy(s, count);

    static const char *const bad[][2] = {{"", "has no name"},
                                         {"rattle,", "has no name"},
                                         {"rattle:", "'name=value'"},
                                         {"rattle:stages", "'name=value'"},
                                         {"rattle:=3", "'name=value'"},
                                         {"rattle:a=1:a=2", "given twice"},
                                         {"rattle,moreau,rattle", "'rattle' is given twice"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(schemes_read(bad[i][0], &s, &count, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, bad[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_steps),     cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(sums_percussions), cmocka_unit_test(tells_failures),
        cmocka_unit_test(gives_up),         cmocka_unit_test(reads_schemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
