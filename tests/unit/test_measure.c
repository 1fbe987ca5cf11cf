/* Formulas of quantities: every function on tables made by hand, with values that follow from its definition and are
 * exact in binary unless said otherwise; errors at their places; tables out of a run and out of studies. */
#include "reproduce/measure.h"
#include "result/result.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trial.h"

#include "folder.h"

/* ---------------------------------------------------------------- tables by hand */

static data one, two;
static const data *const tables[] = {&one, &two};
enum { ONE, TWO, TABLES };

static void put(data *d, const char *name, int count, const double *values) {
    for (int i = 0; i < count; i++) assert_true(data_add(d, name, values[i]));
}
#define PUT(d, name, ...) put(d, name, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static int fill_tables(void **state) {
    one.name = "one";
    PUT(&one, "t", 0, 1, 2, 4, 8);
    PUT(&one, "x", 3, 1, -1, -5, 3);
    PUT(&one, "on", 1, 1, 0, 0, 1);
    PUT(&one, "rest", 2, 2, 0, 0, 0);
    PUT(&one, "gap", 1, NAN, -1, 2, 2);
    PUT(&one, "m[1,2].x", 7, 7, 7, 7, 8);
    PUT(&one, "x[3]_dot", 1, 2, 3, 4, 5);
    PUT(&one, "newton.1", 2, 3, 2, 3, 2);
    PUT(&one, "mu", 0.25);
    PUT(&one, "events.t", 0.5, 0.5, 3);
    PUT(&one, "events.PN", 10, 20, 30);
    PUT(&one, "events.strike", 1, 0, 1);
    PUT(&one, "two.z", 99);
    two.name = "two";
    PUT(&two, "t", 0, 1, 2);
    PUT(&two, "x", 5, 6, 7);
    PUT(&two, "dt", 0.5, 0.25, 0.125);
    PUT(&two, "q", 4, 1, 0.25);
    PUT(&two, "y", 1, 2, 3);
    PUT(&two, "z", 98);
    return make_folder(state);
}

static int empty_tables(void **state) {
    data_destroy(&one);
    data_destroy(&two);
    return remove_folder(state);
}

static measured evaluated(const char *text, int home) {
    measured m;
    int at;
    carom_error error = {0};
    if (measure(text, tables, TABLES, home, &m, &at, &error)) fail_msg("%s, at %d: %s", text, at, error.message);
    if (measure_check(text, &at, &error)) fail_msg("%s, at %d: %s", text, at, error.message);
    return m;
}

static double value_of(const char *text, int home) {
    measured m = evaluated(text, home);
    if (m.count != 1) fail_msg("%s has %ld entries", text, m.count);
    double value = m.values[0];
    free(m.values);
    return value;
}

static void is_list(const char *text, int home, int count, const double *expected) {
    measured m = evaluated(text, home);
    if (m.count != count) fail_msg("%s has %ld entries, not %d", text, m.count, count);
    for (int i = 0; i < count; i++)
        if (m.values[i] != expected[i] && !(isnan(m.values[i]) && isnan(expected[i])))
            fail_msg("%s: entry %d is %.17g, not %.17g", text, i + 1, m.values[i], expected[i]);
    free(m.values);
}

static void is(const char *text, double expected) {
    is_list(text, ONE, 1, &expected);
}

#define IS_LIST(text, ...)                                                                                             \
    is_list(text, ONE, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

/* ---------------------------------------------------------------- values */

static void operators_bind_as_usual(void **state) {
    (void)state;
    is("1 + 2*3", 7);
    is("(1 + 2)*3", 9);
    is("8 - 4 - 2", 2);
    is("16/4/2", 2);
    is("-3^2", -9);
    is("2^3^2", 512);
    is("2^-1", 0.5);
    is("--2 + +1", 3);
    is("-10/4", -2.5);
    is("1.5e2 + .5", 150.5);
    is("1e-3*1E+3", 1);
    is(" \t1\n", 1);
    is("2 < 3", 1);
    is("2 + 2 <= 3", 0);
    is("3 >= 3", 1);
    is("3 > 3", 0);
    is("(1 == 1) * (1 != 2) + (2 != 2)", 1);
    is("1 < 2 and not 2 < 1 or 0", 1); /* or binds loosest, then and, then not */
    is("0 and 0 or 1", 1);
    is("mu*4", 1);
    assert_true(value_of("pi", -1) == acos(-1));
}

static void lists_go_entry_by_entry(void **state) {
    (void)state;
    IS_LIST("x + t", 3, 2, 1, -1, 11);
    IS_LIST("2*x", 6, 2, -2, -10, 6);
    IS_LIST("1 - x", -2, 0, 2, 6, -2);
    IS_LIST("-x", -3, -1, 1, 5, -3);
    IS_LIST("x < t", 0, 0, 1, 1, 1);
    IS_LIST("mu*t", 0, 0.25, 0.5, 1, 2);
    IS_LIST("gap == gap", 1, 0, 1, 1, 1); /* NaN is not itself */
    IS_LIST("abs(x)", 3, 1, 1, 5, 3);
    IS_LIST("max(x, 0)", 3, 1, 0, 0, 3);
    IS_LIST("min(x, t)", 0, 1, -1, -5, 3);
    IS_LIST("max(0, gap)", 1, NAN, 0, 2, 2);
    IS_LIST("if(x > 0, x, -t)", 3, 1, -2, -4, 3);
    IS_LIST("x > -2 and x < 3", 0, 1, 1, 0, 0);
    IS_LIST("sign(x)", 1, 1, -1, -1, 1);
    IS_LIST("mod(x, 4)", 3, 1, 3, 3, 3);
    IS_LIST("mod(x, -4)", -1, -3, -1, -1, -1);
}

static void functions_of_numbers(void **state) {
    (void)state;
    is("sqrt(16) + exp(0) + log(1) + log10(1000)", 8);
    is("sin(0) + cos(0) + tan(0)", 1);
    is("asin(0) + acos(1) + atan(0)", 0);
    is("floor(-1.5) + ceil(1.25)", 0);
    is("hypot(3, 4)", 5);
    is("max(1, 2) + min(1, 2)", 3);
    is("max(mu)", 0.25);
    assert_true(value_of("atan2(1, -1)", -1) == atan2(1, -1));
    assert_true(value_of("sin(pi/3)", -1) == sin(acos(-1) / 3));
}

static void functions_of_lists(void **state) {
    (void)state;
    is("max(x)", 3);
    is("min(x)", -5);
    is("max(gap)", NAN); /* not the others silently */
    is("min(gap)", NAN);
    is("max(select(gap, gap == gap))", 2);
    is("sum(t)", 15);
    is("mean(t)", 3);
    is("first(x) - last(t)", -5);
    is("count(x < 0)", 2);
    is("count(rest)", 2);
    is("len(x)", 5);
    is("len(select(x, x > 100))", 0);
    is("sum(select(x, 0))", 0);
    is("nth(t, 2)", 1);
    is("nth(t, -1)", 8);
    is("nth(t, -5)", 0);
    IS_LIST("select(t, x > 0)", 0, 1, 8);
    IS_LIST("select(x, 1)", 3, 1, -1, -5, 3);
    IS_LIST("select(7, on)", 7, 7, 7);
    IS_LIST("diff(t)", 1, 1, 2, 4);
    IS_LIST("diff(x)/diff(t)", -2, -2, -2, 2);
    IS_LIST("cumsum(x)", 3, 4, 3, -2, 1);
    is("len(diff(mu))", 0);
    is("len(diff(diff(mu)))", 0);
}

static void functions_of_time(void **state) {
    (void)state;
    is("at(x, 2)", -1);
    is("at(x, 3)", -3);
    is("at(x, 0)", 3);
    is("at(x, 8*(1 + 1e-10))", 3); /* round-off of the last time */
    is("at(x, crossing(x, 100))", NAN);
    IS_LIST("at(x, starts(on))", 3, 3);
    is("crossing(x, 0)", 1.5);
    is("crossing(x, -3)", 3);
    is("crossing(x, 3)", 8);    /* not where it starts from */
    is("crossing(rest, 0)", 2); /* comes to rest */
    is("crossing(rest, 2)", NAN);
    is("crossing(x, 100)", NAN);
    is("crossing(gap, -1)", NAN);              /* where it came from is not known */
    is("crossing(gap, 0)", 2 + 2 * (1.0 / 3)); /* not over the NaN */
    IS_LIST("starts(on)", 0, 8);
    IS_LIST("ends(on)", 1, 8);
    IS_LIST("starts(x < 0)", 2);
    IS_LIST("ends(x < 0)", 4);
    is("len(starts(0*t))", 0);
    is("at(events.PN, 3)", 30);
    is("at(events.PN, 0.5)", 10); /* the first of two at one time */
    is("at(events.PN, 1.75)", 25);
    IS_LIST("starts(events.strike)", 0.5, 3);
    is("crossing(cumsum(events.PN), 30)", 0.5);
}

static void lines_and_orders(void **state) {
    (void)state;
    is("slope(t, 3*t + 1)", 3);
    is("slope(two.y, two.x)", 1);
    /* errors 4, 1, 1/4 fall like dt^2: logarithms round, a few units in the last place of 2 */
    assert_near(value_of("order(dt, q)", TWO), 2, 4e-15);
    assert_near(value_of("slope(log(dt), log(q))", TWO), 2, 4e-15);
    assert_near(value_of("order(dt, q*(dt < 0.4))", TWO), 2, 4e-15); /* of the two that are positive */
    assert_near(value_of("order(dt, sqrt(0.3 - dt))", TWO), log(sqrt(0.05) / sqrt(0.175)) / log(2), 4e-15);
    is("interp(two.dt, two.q, 0.375)", 2.5); /* falling */
    is("interp(t, x, 6)", -1);
    IS_LIST("interp(two.y, two.x, select(t, (t >= 1)*(t <= 2)))", 5, 6);
}

static void names_are_found(void **state) {
    (void)state;
    is("last(m[1,2].x)", 8);
    is("sum(x[3]_dot)", 15);
    is("max(newton.1)-1", 2);
    is("one.mu", 0.25);
    is("last(one.m[1,2].x)", 8);
    is("two.z", 99); /* a column of the home goes first */
    double x[] = {5, 6, 7};
    is_list("x", TWO, 3, x);
    is_list("two.x", -1, 3, x);
    is_list("x - one.mu*0", TWO, 3, x);
    is("last(two.y)", 3);
}

/* ---------------------------------------------------------------- complaints */

static void complains_of(const char *text, int home, int place, const char *sentence, bool readable) {
    measured m = {.count = -1};
    int at = -1;
    carom_error error = {0};
    if (measure(text, tables, TABLES, home, &m, &at, &error) != CAROM_DATA) fail_msg("'%s' is fine", text);
    if (!strstr(error.message, sentence)) fail_msg("'%s': %s", text, error.message);
    if (at != place) fail_msg("'%s': %s, at %d", text, error.message, at);
    assert_null(m.values);
    assert_int_equal(m.count, 0);
    assert_int_equal(measure_check(text, &at, &error), readable ? CAROM_OK : CAROM_DATA);
    if (!readable) assert_int_equal(at, place);
    assert_int_equal(measure(text, tables, TABLES, home, &m, &at, NULL), CAROM_DATA);
}

static void what_cannot_be_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int at;
        const char *sentence;
    } bad[] = {
        {"", 0, "expected a number or a name, found the end"},
        {"1 +", 3, "found the end"},
        {"x x", 2, "expected an operator (* for a product), found 'x'"},
        {"2x", 1, "write * for a product"},
        {"(x", 2, "expected ')'"},
        {"x)", 1, "expected an operator or the end, found ')'"},
        {"x + $", 4, "found '$'"},
        {"x + \xc3\xa9", 4, "byte 195"},
        {"1 < 2 < 3", 6, "comparisons do not chain"},
        {"1e999", 0, "too large"},
        {"maxx(x)", 0, "there is no function 'maxx'; did you mean 'max'?"},
        {"2*frobnicate(x)", 2, "there is no function 'frobnicate'"},
        {"max(x, 1, 2)", 4, "'max' has 1 or 2 arguments"},
        {"1 + nth(x)", 8, "'nth' has 2 arguments"},
        {"abs(x, x)", 4, "'abs' has 1 argument"},
        {"interp(x, x, x, x)", 16, "'interp' has 3 arguments"},
        {"max()", 4, "expected a number"},
        {"max(x", 5, "expected ',' or ')'"},
        {"x[i]", 1, "found '['"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        complains_of(bad[i].text, ONE, bad[i].at, bad[i].sentence, false);
}

static void what_cannot_be_computed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int at;
        const char *sentence;
    } bad[] = {
        {"1 + newtn.1", 4, "there is no quantity 'newtn.1'; did you mean 'newton.1'?"},
        {"two.dtt", 0, "did you mean 'two.dt'?"},
        {"x + other.thing", 4, "'one' has no quantity 'other.thing'"},
        {"first", 0, "'first' is a function"},
        {"t + two.t", 2, "3 entries do not go with 5"},
        {"max(t, two.t)", 7, "3 entries do not go with 5"},
        {"select(t, two.t)", 10, "3 entries do not go with 5"},
        {"slope(t, two.t)", 9, "3 entries do not go with 5"},
        {"max(select(x, x > 9))", 4, "'max' of no entries"},
        {"mean(diff(mu))", 5, "'mean' of no entries"},
        {"nth(x, 6)", 7, "there is no entry 6 of 5"},
        {"nth(x, 0)", 7, "there is no entry 0 of 5"},
        {"nth(x, 1.5)", 7, "it must be an integer"},
        {"nth(x, 0/0)", 7, "it must be an integer"},
        {"nth(x, t)", 7, "must be a number, and has 5 entries"},
        {"at(x, 9)", 6, "9 is not between 0 and 8"},
        {"at(two.x, 1)", 3, "'at' needs an entry for each of the 5 times 't', and this has 3 entries"},
        {"starts(diff(x) > 0)", 7, "has 4"},
        {"ends(select(events.t, events.strike))", 5, "each of the 3 times 'events.t', and this has 2"},
        {"crossing(x, t)", 12, "the level must be a number"},
        {"slope(1, 2)", 6, "a slope needs two points, and there are 1"},
        {"slope(0*t, t)", 6, "all are at 0"},
        {"order(t, -t)", 6, "a slope needs two points, and there are 0"},
        {"interp(x, t, 0)", 7, "must rise or fall"},
        {"interp(t, x, 9)", 13, "9 is not between 0 and 8"},
        {"interp(select(t, 0), select(t, 0), 0)", 7, "there are no entries to interpolate between"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        complains_of(bad[i].text, ONE, bad[i].at, bad[i].sentence, true);
    complains_of("x", -1, 0, "write it as source.quantity", true);
    complains_of("at(two.x, 1)", -1, 3, "needs times", true);
}

/* Whatever the formula, a place in it and an answer in no time. */
static void monsters_are_refused(void **state) {
    (void)state;
    enum { LONG = 70000 };
    char *text = malloc(LONG + 1);
    for (int kind = 0; kind < 4; kind++) {
        memset(text, "(-+^"[kind], LONG);
        for (int i = 0; kind == 3 && i < LONG; i += 2) text[i] = '2';
        text[LONG] = '\0';
        complains_of(text, ONE, 65536, "at most 65536 characters", false);
        text[60001] = '\0';
        int at;
        carom_error error = {0};
        assert_int_equal(measure_check(text, &at, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, "nested more than 256 levels deep"));
        assert_in_range(at, 256, 512);
    }
    memset(text, '+', 60001);
    for (int i = 0; i < 60001; i += 2) text[i] = '1'; /* long, not deep */
    is(text, 30001);
    free(text);
}

/* ---------------------------------------------------------------- a run */

static const char *const event_names[] = {"t", "contact", "kind", "PN", "before/y_dot", "after/y_dot"};
enum { EVENT_COLUMNS = 6 };

/* The rows and events of a run, the way the program writes them. */
static void record(trial *run, const char *path) {
    int columns = carom_sim_columns(run->sim), count = 0;
    const char **names = malloc((size_t)columns * sizeof *names);
    double *row = malloc((size_t)columns * sizeof *row), event[EVENT_COLUMNS];
    for (int i = 0; i < columns; i++) names[i] = carom_sim_column_name(run->sim, i);
    static const char *const contacts[] = {"floor"}, *const parameters[] = {"m", "e"};
    static const char *const kinds[] = {"strike", "opening", "stop", "break"}, *const figures[] = {"impacts (all)",
                                                                                                   "CFL number"};
    result_info info = {.title = "",
                        .scene = "",
                        .scene_path = "",
                        .integrator = "lobatto",
                        .dt = 0.0625,
                        .until = 1,
                        .every = 1,
                        .parameters = 2,
                        .parameter_names = parameters,
                        .parameter_values = (double[]){1, 0.5},
                        .events = {EVENT_COLUMNS, event_names, NULL, 1, 4, contacts, kinds}};
    result_writer *w;
    assert_int_equal(result_create(path, &info, columns, names, NULL, 0, &w, NULL), CAROM_OK);
    assert_int_equal(result_append(w, run->row, NULL, 0, NULL), CAROM_OK);
    int y_dot = trial_column(run, "y_dot");
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        const carom_event *events = carom_sim_events(run->sim, &count);
        for (int k = 0; k < count; k++) {
            event[0] = events[k].time, event[1] = events[k].contact, event[2] = events[k].kind, event[3] = events[k].PN;
            for (int side = 0; side < 2; side++) {
                assert_int_equal(carom_sim_event_row(run->sim, k, side, row, NULL), CAROM_OK);
                event[4 + side] = row[y_dot];
            }
            assert_int_equal(result_append_event(w, event, NULL), CAROM_OK);
        }
        assert_int_equal(result_append(w, run->row, NULL, carom_sim_steps(run->sim), NULL), CAROM_OK);
    }
    result_summary summary = {.status = "failed: for a test",
                              .wall_seconds = 1.5,
                              .stages = 2,
                              .newton_max = (int[]){7, 3},
                              .newton_mean = (double[]){2.5, 1.25},
                              .figures = 2,
                              .figure_names = figures,
                              .figure_values = (double[]){150, 0.5}};
    assert_int_equal(result_finish(w, &summary, NULL), CAROM_OK);
    free(names);
    free(row);
}

static double of(const data *run, const char *text) {
    measured m;
    int at;
    carom_error error = {0};
    if (measure(text, &run, 1, 0, &m, &at, &error)) fail_msg("%s, at %d: %s", text, at, error.message);
    assert_int_equal(m.count, 1);
    double value = m.values[0];
    free(m.values);
    return value;
}

/* A ball falls from h = 0.9 under g = 9.81 and bounces with e = 1/2: it strikes at sqrt(2 h/g) with sqrt(2 g h). The
 * parabola is in the space of lobatto, so what remains is rounding and the tolerance 1e-13 of the impact's place. */
static void a_run_has_its_quantities(void **state) {
    (void)state;
    const char *path = in_folder("ball.h5");
    trial run = trial_located("paper/rattle/ball_1", 3, 0.0625, 0.75, NULL, NULL);
    record(&run, path);
    trial_close(&run);
    data d;
    assert_int_equal(data_read_run(path, &d, NULL), CAROM_OK);
    d.name = "ball";
    double fall = sqrt(2 * 0.9 / 9.81), hit = sqrt(2 * 9.81 * 0.9);
    assert_true(of(&d, "len(t)") == 13);
    assert_true(of(&d, "last(t)") == 0.75);
    assert_near(of(&d, "at(floor.gap, 0.25)"), 0.9 - 9.81 / 32, 1e-13);
    assert_near(of(&d, "min(y_dot)"), -9.81 * floor(fall / 0.0625) * 0.0625, 1e-12); /* of the last row before it */
    assert_true(of(&d, "count(events.strike)") == 1);
    assert_true(of(&d, "count(ball.events.at.floor)") == 1);
    assert_true(of(&d, "count(events.opening)") == 0);
    assert_near(of(&d, "first(events.t)"), fall, 1e-12);
    assert_near(of(&d, "events.before.y_dot"), -hit, 1e-11);
    assert_near(of(&d, "events.after.y_dot/events.before.y_dot"), -0.5, 1e-11);
    assert_near(of(&d, "events.PN"), 1.5 * hit, 1e-11);
    assert_near(of(&d, "max(abs(E - first(E) - work.impacts))"), 0, 1e-11);
    assert_true(of(&d, "dt") == 0.0625 && of(&d, "until") == 1 && of(&d, "wall_seconds") == 1.5);
    assert_true(of(&d, "failed") == 1 && of(&d, "newton_max.1") == 7 && of(&d, "newton_mean.2") == 1.25);
    assert_true(of(&d, "parameter.e") == 0.5 && of(&d, "ball.parameter.m") == 1);
    assert_true(of(&d, "figure.impacts_all") == 150 && of(&d, "figure.CFL_number") == 0.5);
    const column *t = data_find(&d, "t");
    assert_non_null(t);
    assert_null(t->values); /* still in the file */
    data_destroy(&d);
}

static void runs_that_are_not_there(void **state) {
    (void)state;
    const char *path = in_folder("gone.h5");
    data d;
    carom_error error = {0};
    assert_int_equal(data_read_run(path, &d, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "gone.h5"));
    trial run = trial_located("paper/rattle/ball_1", 2, 0.0625, 0.125, NULL, NULL);
    record(&run, path);
    trial_close(&run);
    assert_int_equal(data_read_run(path, &d, &error), CAROM_OK);
    assert_int_equal(remove(path), 0); /* before its column is wanted */
    const data *all = &d;
    measured m;
    int at;
    assert_int_equal(measure("1 + x", &all, 1, 0, &m, &at, &error), CAROM_DATA);
    assert_int_equal(at, 4);
    data_destroy(&d);
}

/* ---------------------------------------------------------------- studies */

static const char *file_with(const char *name, const char *text) {
    const char *path = in_folder(name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

static const char *const labels[] = {"rattle", "lobatto:stages=3"}, *const aliases[] = {"r", "s3"};

static const char converge_csv[] =
    "quantity,norm,integrator,dt,steps,t,error,order,overall_order,floor,newton,status,reason,reference\n"
    "q,max,rattle,0.5,2,1,4,nan,1.75,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "q,max,rattle,0.25,4,1,1,2,1.75,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "q,max,lobatto:stages=3,0.5,2,1,nan,nan,nan,0,3,failed,\"no \"\"luck\"\", at\nall\",\"rattle@1e-3, exact\"\n"
    "q,max,lobatto:stages=3,0.25,4,1,0.125,nan,nan,0,3,finished,,\"rattle@1e-3, exact\"\r\n"
    "q,rattle,rattle,0.5,2,1,77,nan,1.75,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "\n"
    "PN_step,max,rattle,0.5,2,1,8,nan,3,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "PN_step,max,rattle,0.25,4,1,1,2,3,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "PN_step,max,lobatto:stages=3,0.5,2,1,16,nan,4,0,3,finished,,\"rattle@1e-3, exact\"\n"
    "PN_step,max,lobatto:stages=3,0.25,4,1,1,nan,4,0,3,finished,,\"rattle@1e-3, exact\"\n";

static void convergence_has_errors_and_orders(void **state) {
    (void)state;
    data d;
    const char *path = file_with("converge.csv", converge_csv);
    assert_int_equal(data_read_converge(path, "max", labels, aliases, 2, &d, NULL), CAROM_OK);
    assert_true(of(&d, "len(r.dt)") == 2 && of(&d, "first(r.dt)") == 0.5 && of(&d, "last(s3.dt)") == 0.25);
    assert_true(of(&d, "first(r.q)") == 4 && of(&d, "last(r.q)") == 1 && of(&d, "len(r.q)") == 2);
    assert_true(isnan(of(&d, "first(s3.q)")) && of(&d, "last(s3.q)") == 0.125 && isnan(of(&d, "s3.q.order")));
    assert_true(of(&d, "r.q.order") == 1.75 && of(&d, "r.PN_step.order") == 3 && of(&d, "s3.PN_step.order") == 4);
    assert_near(of(&d, "order(r.dt, r.PN_step)"), 3, 4e-15); /* logarithms round */
    data_destroy(&d);
    carom_error error = {0};
    assert_int_equal(data_read_converge(path, "moreau", labels, aliases, 2, &d, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "no errors in the norm 'moreau'"));
    assert_int_equal(data_read_converge(path, "rattle", labels, aliases, 2, &d, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "no runs of the integrator 'lobatto:stages=3'"));
}

static void comparison_has_numbers(void **state) {
    (void)state;
    data d;
    const char *path = file_with("compare.csv", "integrator,dt,error_q,seconds,hash,status\n"
                                                "rattle,0.5,4,1.5,1234567890123456,ok\n"
                                                "rattle,0.25,1,3,00ff000000000000,ok\n"
                                                "moreau,0.5,5,1,0,ok\n"
                                                "lobatto:stages=3,0.5,nan,nan,0,\"no, not\nthis\"\n");
    assert_int_equal(data_read_compare(path, labels, aliases, 2, &d, NULL), CAROM_OK);
    assert_true(of(&d, "sum(r.seconds)") == 4.5 && of(&d, "last(r.error_q)") == 1 && isnan(of(&d, "s3.seconds")));
    assert_true(of(&d, "len(r.dt)") == 2 && of(&d, "s3.dt") == 0.5);
    assert_null(data_find(&d, "r.hash"));
    assert_null(data_find(&d, "r.status"));
    data_destroy(&d);
}

static void damaged_studies_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"", "is empty"},
        {"integrator,seconds\nrattle,1\n", "there is no column 'dt'"},
        {"integrator,dt\nrattle\n", "1 values for 2 names"},
        {"integrator,dt\nrattle,1,2\n", "3 values for 2 names"},
        {"integrator,dt\nrattle,soon\n", "this is not a number: 'soon'"},
        {"integrator,dt\n", "no runs of the integrator 'rattle'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        data d;
        carom_error error = {0};
        const char *path = file_with("bad.csv", bad[i][0]);
        assert_int_equal(data_read_compare(path, labels, aliases, 2, &d, &error), CAROM_DATA);
        if (!strstr(error.message, bad[i][1])) fail_msg("%s", error.message);
        assert_int_equal(data_read_converge(path, "max", labels, aliases, 2, &d, NULL), CAROM_DATA);
    }
    data d;
    carom_error error = {0};
    assert_int_equal(data_read_compare(in_folder("none.csv"), labels, aliases, 2, &d, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "no such file"));
    assert_int_equal(data_read_compare(the_folder(), labels, aliases, 2, &d, &error), CAROM_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_usual),
        cmocka_unit_test(lists_go_entry_by_entry),
        cmocka_unit_test(functions_of_numbers),
        cmocka_unit_test(functions_of_lists),
        cmocka_unit_test(functions_of_time),
        cmocka_unit_test(lines_and_orders),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(what_cannot_be_computed),
        cmocka_unit_test(monsters_are_refused),
        cmocka_unit_test(a_run_has_its_quantities),
        cmocka_unit_test(runs_that_are_not_there),
        cmocka_unit_test(convergence_has_errors_and_orders),
        cmocka_unit_test(comparison_has_numbers),
        cmocka_unit_test(damaged_studies_are_refused),
    };
    return cmocka_run_group_tests(tests, fill_tables, empty_tables);
}
