/* Figures of studies: what the script asks gnuplot to draw, and that pictures come out of whatever data. */
#include "study/figure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "folder.h"

enum { N = 9 };

/* y = C dt^p down to a floor of round-off */
typedef struct errors {
    double dt[N], y[N];
} errors;

static errors errors_of(double factor, double order, double floor) {
    errors e;
    for (int i = 0; i < N; i++) {
        e.dt[i] = 0.1 * pow(2, -i);
        e.y[i] = factor * pow(e.dt[i], order) + floor;
    }
    return e;
}

static figure_series series(const char *label, const errors *e) {
    return (figure_series){label, e->dt, e->y, N, FIGURE_BOTH};
}

/* The script, with a blank for each zero byte of the points. */
static char *script_of(const figure_panel *panels, int count) {
    FILE *script = tmpfile();
    carom_error error;
    if (figure_write(script, "a.png", "It's a figure", panels, count, 0, &error)) fail_msg("%s", error.message);
    fseek(script, 0, SEEK_END);
    size_t size = (size_t)ftell(script);
    char *text = calloc(size + 1, 1);
    rewind(script);
    assert_int_equal(fread(text, 1, size, script), size);
    fclose(script);
    for (size_t i = 0; i < size; i++)
        if (!text[i]) text[i] = ' ';
    return text;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static void expect(const char *script, const char *part, int count) {
    if (count_of(script, part) != count) fail_msg("%d of '%s', not %d", count_of(script, part), part, count);
}

/* ---- what is asked for */

static void axes_are_what_the_panel_says(void **state) {
    (void)state;
    errors e = errors_of(1, 2, 0);
    figure_series s = series("rattle", &e);
    const figure_panel panels[] = {{"Both", "dt [s]", "error", true, true, &s, 1, NULL, 0, 0, 0, 0, 0},
                                   {"One", "t [s]", "error", false, true, &s, 1, NULL, 0, 0, 0, 0, 0},
                                   {"None", "t [s]", "E [J]", false, false, &s, 1, NULL, 0, 0, 0, 0, 0}};
    char *script = script_of(panels, 3);
    expect(script, "\nset logscale x\n", 1);
    expect(script, "\nset logscale y\n", 2);
    expect(script, "unset logscale x\n", 2);
    expect(script, "unset logscale y\n", 1);
    expect(script, "set title \"Both\"\n", 1);
    expect(script, "set xlabel \"t [s]\"\n", 2);
    expect(script, "\"It\\047s a figure\"", 1);
    expect(script, "'0.001' 1e-3 0", 1); /* dt from 4e-4 to 0.1 */
    expect(script, "'1e-3' 1e-3 0", 2);  /* y from 1.5e-7 to 0.01, twice */
    expect(script, "'1e-5' 1e-5 0", 2);
    free(script);
}

/* The number that follows part in the script. */
static double number_after(const char *script, const char *part) {
    const char *at = strstr(script, part);
    if (!at) fail_msg("no '%s'", part);
    return strtod(at + strlen(part), NULL);
}

/* A line of order p is a straight line of slope p below the series of that order: its ends are in the script. */
static void orders_lie_below_their_series(void **state) {
    (void)state;
    errors one = errors_of(3, 1, 0), four = errors_of(1e-3, 4, 1e-9); /* mostly round-off */
    const figure_series s[] = {series("a", &one), series("b", &four)};
    const double orders[] = {4, 1};
    figure_panel panel = {"", "", "", true, true, s, 2, orders, 2, 0, 0, 0, 0};
    FILE *script = tmpfile();
    assert_int_equal(figure_write(script, "a.png", "", &panel, 1, 0, NULL), CAROM_OK);
    char line[4096];
    rewind(script);
    int names = 0;
    while (fgets(line, sizeof line, script) && strncmp(line, "plot", 4) != 0) names += count_of(line, "'order ");
    assert_int_equal(names, 2);
    /* the first points after the command are the ends of the lines, the lower one first */
    double ends[2][2][2];
    assert_int_equal(fread(ends, sizeof ends, 1, script), 1);
    fclose(script);
    const double order[] = {4, 1};
    const errors *e[] = {&four, &one};
    for (int i = 0; i < 2; i++) {
        double slope = log(ends[i][1][1] / ends[i][0][1]) / log(ends[i][1][0] / ends[i][0][0]);
        assert_float_equal(slope, order[i], 1e-12); /* rounding of a few powers and logarithms */
        for (int k = 0; k < N; k++) {
            double y = ends[i][0][1] * pow(e[i]->dt[k] / ends[i][0][0], order[i]);
            assert_true(y < e[i]->y[k]);
        }
        assert_true(ends[i][1][1] > 0.5 * e[i]->y[0]); /* just below: within a factor of two at the coarsest step */
    }
}

static void names_of_orders_keep_their_distance(void **state) {
    (void)state;
    errors e = errors_of(1, 2, 0);
    figure_series s = series("a", &e);
    const double orders[] = {2, 2.01, 2.02};
    figure_panel panel = {"", "", "", true, true, &s, 1, orders, 3, 0, 0, 0, 0};
    char *script = script_of(&panel, 1), part[40];
    double y[3], least = number_after(script, "set yrange [");
    double greatest = number_after(strstr(script, "set yrange ["), ":");
    for (int i = 0; i < 3; i++) {
        snprintf(part, sizeof part, "'order %g'", orders[i]);
        char *end = strstr(script, part), *from = script;
        assert_non_null(end);
        for (char *at = script; (at = strstr(at, "set label at ")) && at < end; at++) from = at;
        assert_int_equal(sscanf(from, "set label at %*[^,],%lf", &y[i]), 1);
        assert_true(y[i] > least && y[i] < greatest);
    }
    for (int i = 1; i < 3; i++) /* a line of text, 320 pixels high axes: at least 12 of them */
        assert_true(fabs(log(y[i] / y[i - 1])) > 12.0 / 320 * log(greatest / least));
    free(script);
}

static void one_legend_for_all_panels(void **state) {
    (void)state;
    errors e = errors_of(1, 2, 0);
    const figure_series first[] = {series("rattle", &e), series("moreau", &e)};
    const figure_series second[] = {series("moreau", &e), series("it's {x}_1^2", &e), series(NULL, &e)};
    const figure_panel panels[] = {{"", "", "", true, true, first, 2, NULL, 0, 0, 0, 0, 0},
                                   {"", "", "", true, true, second, 3, NULL, 0, 0, 0, 0, 0}};
    char *script = script_of(panels, 2);
    expect(script, "\"rattle\"", 1);
    expect(script, "\"moreau\"", 1);
    expect(script, "\"it\\047s {x}_1^2\"", 1);
    expect(script, "\nset arrow", 3);
    /* moreau: its sample in the legend (line, marker) and one curve in each panel, all in one colour; what lies
     * below others is wider: 1.8, half of 1.8 more, 1.8 more */
    expect(script, "pi 1 lc rgb '#D55E00' lw 2.7 dt 1 pt 5", 2);
    expect(script, "pi 1 lc rgb '#009E73' lw 1.8 dt 1 pt 9", 1);
    expect(script, "pi 1 lc rgb '#0072B2' lw 3.6 dt 1 pt 7", 1);
    expect(script, "pi 1 lc rgb '#404040' lw 1.8 pt 7", 1); /* the one without a name is in no legend */
    free(script);
}

static void what_a_logarithm_lacks_is_left_out(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1e-3, 0, -1e-3, 2e-3, NAN, 3e-3};
    figure_series s = {"a", x, y, 6, FIGURE_BOTH};
    figure_panel panel = {"", "", "", false, true, &s, 1, NULL, 0, 0, 0, 0, 0};
    char *script = script_of(&panel, 1);
    expect(script, "record=4 ", 1); /* NaN is a gap and stays */
    free(script);
    panel.y_log = false;
    script = script_of(&panel, 1);
    expect(script, "record=6 ", 1);
    free(script);
}

/* 1 and 1 on both sides of what lies beyond the end are not neighbours. */
static void what_leaves_the_axes_is_not_joined(void **state) {
    (void)state;
    const double x[] = {-3, 0, 1, 5, 6, 1, 0, 7}, y[] = {1, 2, 3, 4, 5, 6, 7, 8};
    figure_series s = {"a", x, y, 8, FIGURE_LINES};
    figure_panel panel = {"", "", "", false, false, &s, 1, NULL, 0, 0, 2, 0, 0};
    char *script = script_of(&panel, 1);
    expect(script, "record=5 ", 1); /* four points and the gap between them */
    free(script);
}

static void some_of_x_is_always_shown(void **state) {
    (void)state;
    const double t[] = {3, 4}, y[] = {1, 2};
    figure_series s = {"a", t, y, 2, FIGURE_POINTS};
    figure_panel panel = {"", "", "", false, true, &s, 1, NULL, 0, 0, 10, 0, 0};
    char *script = script_of(&panel, 1);
    assert_true(number_after(script, "set xrange [") <= 0);
    assert_true(number_after(strstr(script, "set xrange ["), ":") >= 10);
    free(script);
}

/* ---- pictures */

static size_t draw(const char *name, const figure_panel *panels, int count, const char *head) {
    carom_error error;
    const char *path = in_folder(name);
    if (figure_draw(path, "A figure", panels, count, 0, &error)) fail_msg("%s", error.message);
    FILE *file = fopen(path, "rb");
    char bytes[8];
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, strlen(head), file), strlen(head));
    assert_memory_equal(bytes, head, strlen(head));
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    fclose(file);
    return size;
}

static void pictures_come_out(void **state) {
    (void)state;
    errors e[10];
    figure_series s[10];
    char label[10][8];
    for (int i = 0; i < 10; i++) {
        snprintf(label[i], sizeof label[i], "n%d", i);
        e[i] = errors_of(i + 1, 1 + i / 2, 1e-14);
        s[i] = series(label[i], &e[i]);
    }
    const double orders[] = {1, 2, 4};
    figure_panel panels[6];
    for (int i = 0; i < 6; i++)
        panels[i] = (figure_panel){"Title", "dt", "error", true, true, s, i + 1, orders, i % 4, 0, 0, 0, 0};
    panels[5].count = 10;
    unsetenv("DISPLAY");
    size_t one = draw("one.png", panels, 1, "\211PNG"), six = draw("six.png", panels, 6, "\211PNG");
    assert_true(one > 5000 && six > 2 * one && six < 1000000);
    assert_true(draw("two.svg", panels, 2, "<?xml") > 5000);
    assert_true(draw("four.PDF", panels, 4, "%PDF") > 5000);
}

static void odd_data_can_be_drawn(void **state) {
    (void)state;
    const double nan[] = {NAN, NAN}, zero[] = {0, 0}, one[] = {1, 1}, huge[] = {1e-300, 1e300}, tiny[] = {5e-324, 1};
    const figure_series s[] = {
        {"nan", nan, nan, 2, FIGURE_LINES},     {"zero", zero, zero, 2, FIGURE_BOTH},
        {"empty", NULL, NULL, 0, FIGURE_LINES}, {"point", one, one, 1, FIGURE_LINES},
        {"equal", one, one, 2, FIGURE_BOTH},    {"huge", huge, huge, 2, FIGURE_LINES},
        {"tiny", tiny, tiny, 2, FIGURE_POINTS}, {"infinite", one, (double[]){INFINITY, 1}, 2, 0}};
    const double orders[] = {2};
    for (int log = 0; log < 2; log++) {
        figure_panel panels[10] = {{.title = "no series", .x_log = log, .y_log = log}};
        for (int i = 0; i < 8; i++)
            panels[i + 1] = (figure_panel){s[i].label, "x", "y", log, log, &s[i], 1, orders, log, 0, 0, 0, 0};
        panels[9] = (figure_panel){"all", NULL, NULL, log, log, s, 8, orders, log, 0, 0, 0, 0};
        assert_true(draw("odd.png", panels, 10, "\211PNG") > 5000);
    }
}

static void failures_are_told(void **state) {
    (void)state;
    figure_panel panel = {.title = ""};
    carom_error error;
    assert_int_equal(figure_draw(in_folder("a.jpg"), "", &panel, 1, 0, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "ends in .png, .svg or .pdf"));
    assert_int_equal(figure_draw(in_folder("no/a.png"), "", &panel, 1, 0, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "no/a.png: no such file or directory"));
}

/* A scheme that refused the model has no point; a value of 7e-21 is round-off. */
static void what_is_nothing_is_not_shown(void **state) {
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {1e-3, 7e-21, 1e-2}, none[] = {NAN, NAN, NAN}, tiny[] = {1e-20, 3e-21, 2e-20};
    const figure_series drawn[] = {{"rattle", x, y, 3, FIGURE_LINES}, {"refused", x, none, 3, FIGURE_LINES}};
    const figure_series small[] = {{"rattle", x, tiny, 3, FIGURE_LINES}};
    const figure_panel panels[] = {{.title = "a", .y_log = true, .series = drawn, .count = 2},
                                   {.title = "b", .y_log = true, .series = small, .count = 1}};
    char *script = script_of(panels, 2);
    expect(script, "refused", 0);
    double from, to;
    const char *range = strstr(script, "set yrange [");
    assert_non_null(range);
    assert_int_equal(sscanf(range, "set yrange [%lf:%lf]", &from, &to), 2);
    assert_true(from > 1e-19 && from < 1e-17 && to > 1e-2);
    range = strstr(range + 1, "set yrange [");
    assert_non_null(range);
    assert_int_equal(sscanf(range, "set yrange [%lf:%lf]", &from, &to), 2);
    assert_true(from < 3e-21 && to > 2e-20);
    free(script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_what_the_panel_says),
        cmocka_unit_test(orders_lie_below_their_series),
        cmocka_unit_test(names_of_orders_keep_their_distance),
        cmocka_unit_test(one_legend_for_all_panels),
        cmocka_unit_test(what_a_logarithm_lacks_is_left_out),
        cmocka_unit_test(what_leaves_the_axes_is_not_joined),
        cmocka_unit_test(some_of_x_is_always_shown),
        cmocka_unit_test(pictures_come_out),
        cmocka_unit_test(odd_data_can_be_drawn),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(what_is_nothing_is_not_shown),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
