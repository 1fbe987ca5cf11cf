/* Plots: which curves are chosen, that thinning them out keeps what the eye would see, and that pictures come out. */
#include "result/canvas.h"
#include "result/panel.h"
#include "result/points.h"
#include "result/reader.h"
#include "result/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"

enum { T, Z, PHI, Z_DOT, PHI_DOT, GAP, GAP_2, GAP_2_DOT, INDEXED, STATE, GAPPY, CONSTANT, TINY, COLUMNS };
static const char *const names[COLUMNS] = {"t",         "z",        "phi_M",        "z_dot",     "phi_M_dot",
                                           "floor.gap", "wall.gap", "wall.gap_dot", "it's[1,2]", "floor.state",
                                           "gappy",     "constant", "tiny"};
static const char *const units[COLUMNS] = {"s", "m", "rad", "m/s", "rad/s", "m", "m", "m/s", "", "", "", "J", "m"};

static double value(long i, int column, long rows) {
    double t = 10.0 * (double)i / (double)rows;
    switch (column) {
    case T:
        return t;
    case PHI:
        return sin(20 * t);
    case PHI_DOT:
        return 20 * cos(20 * t);
    case Z:
        return i == rows / 3 ? 5 : i == rows / 2 ? -7 : 0.1 * t; /* one row is enough for a spike */
    case STATE:
        return (double)(i / 10 % 3);
    case GAPPY:
        return t > 4 && t < 5 ? NAN : t;
    case TINY:
        return 1.5e-12 * sin(t);
    case CONSTANT:
        return 7.25;
    default:
        return NAN;
    }
}

static result_reader *make(const char *name, long rows, int plots, const char *const *plot) {
    result_info info = {.title = "It's a 'ball_1' & more: \u00e9 \u03c8 \u1f00 \u2264 \u5f88\u0915",
                        .scene = "",
                        .integrator = "rattle",
                        .plots = plots,
                        .plot = plot};
    result_writer *w;
    result_reader *r;
    const char *path = in_folder(name);
    assert_int_equal(result_create(path, &info, COLUMNS, names, units, 0, &w, NULL), CAROM_OK);
    for (long i = 0; i < rows; i++) {
        double row[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) row[c] = value(i, c, rows);
        assert_int_equal(result_append(w, row, NULL, i, NULL), CAROM_OK);
    }
    assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, NULL), CAROM_OK);
    assert_int_equal(result_open(path, &r, NULL), CAROM_OK);
    return r;
}

/* ---- text */

static const char *const awkward[] = {"'Tis a ball",
                                      "''",
                                      "'",
                                      "\"",
                                      "\"quoted\"",
                                      "a\\",
                                      "\\n\\047\\",
                                      "`touch intruder`",
                                      "$(touch intruder) ${HOME}",
                                      "\" . system(\"touch intruder\") . \"",
                                      "'; !touch intruder",
                                      "@macro @'",
                                      "%s %d %%",
                                      "# no comment; set output",
                                      "{/Bold x}_1^2 & <b>",
                                      "\u00fcber \u03c8 \u2264",
                                      "",
                                      " "};

/* What gnuplot makes of a text is the text, whatever is in it, and nothing else happens. */
static void any_text_can_be_quoted(void **state) {
    (void)state;
    if (system("command -v gnuplot >/dev/null") != 0) skip();
    const int count = sizeof awkward / sizeof *awkward;
    char command[700], line[400];
    const char *script = in_folder("quotes.gp");
    FILE *f = fopen(script, "w");
    fputs("macro = 'expanded'\nset print '-'\n", f);
    for (int i = 0; i < count; i++) fputs("print ", f), canvas_quote(f, awkward[i]), fputs("\n", f);
    for (int c = 1; c < 128; c++) {
        char text[] = {(char)c, 'x', (char)c, (char)c, '\0'};
        fputs("print ", f), canvas_quote(f, text), fputs("\n", f);
    }
    fputs("print ", f), canvas_quote(f, "\x80 \xc3 \xc3\x28 \xe2\x89 \u5f88"),
        fputs("\n", f); /* no characters, no glyph */
    fclose(f);
    snprintf(command, sizeof command, "cd '%s' && gnuplot -d quotes.gp 2>&1", the_folder());
    FILE *out = popen(command, "r");
    for (int i = 0; i < count; i++) {
        assert_non_null(fgets(line, sizeof line, out));
        line[strcspn(line, "\n")] = '\0';
        assert_string_equal(line, awkward[i]);
    }
    for (int c = 1; c < 128; c++) {
        char shown = (char)(c < 32 || c == 127 ? ' ' : c), expected[] = {shown, 'x', shown, shown, '\n', '\0'};
        assert_non_null(fgets(line, sizeof line, out));
        assert_string_equal(line, expected);
    }
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, "? ? ?( ? ?\n");
    assert_int_equal(pclose(out), 0);
    assert_int_not_equal(access(in_folder("intruder"), F_OK), 0);
}

/* Axes of any numbers: finite, with a width and a sensible number of digits. */
static void any_range_can_be_drawn(void **state) {
    (void)state;
    const double odd[] = {-INFINITY,   -1.7976931348623157e308, -1,       0,  4.9e-324, 1,
                          1 + 2.3e-16, 1.7976931348623157e308,  INFINITY, NAN};
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++) {
            range r = range_of(odd[i], odd[k], 0.06);
            assert_true(isfinite(r.least) && isfinite(r.greatest) && isfinite(r.greatest - r.least));
            assert_true(r.greatest > r.least);
            assert_true(r.digits >= 5 && r.digits < 20);
        }
}

/* ---- panels */

static void expect_panel(result_reader *r, const char *text, int count, const curve *expected) {
    panel *panels;
    int number;
    carom_error error;
    if (panels_create(&r, 1, &text, 1, &panels, &number, &error) != CAROM_OK) fail_msg("%s", error.message);
    assert_int_equal(number, 1);
    assert_int_equal(panels[0].count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(panels[0].curves[i].x, expected[i].x);
        assert_int_equal(panels[0].curves[i].y, expected[i].y);
    }
    panels_destroy(panels, number);
}

static void panels_name_curves(void **state) {
    (void)state;
    result_reader *r = make("panels.h5", 3, 0, NULL);
    expect_panel(r, "z", 1, (curve[]){{T, Z, 0}});
    expect_panel(r, "phi_M, z", 2, (curve[]){{T, PHI, 0}, {T, Z, 0}});
    expect_panel(r, "phi_M:phi_M_dot", 1, (curve[]){{PHI, PHI_DOT, 0}});
    expect_panel(r, "z:z_dot,phi_M:phi_M_dot", 2, (curve[]){{Z, Z_DOT, 0}, {PHI, PHI_DOT, 0}});
    expect_panel(r, "*.gap", 2, (curve[]){{T, GAP, 0}, {T, GAP_2, 0}});
    expect_panel(r, "?,phi*", 3, (curve[]){{T, Z, 0}, {T, PHI, 0}, {T, PHI_DOT, 0}}); /* not t over t */
    expect_panel(r, "it's[1,2],z", 2, (curve[]){{T, INDEXED, 0}, {T, Z, 0}});
    expect_panel(r, "[z]", 1, (curve[]){{T, Z, 0}});
    result_close(r);
}

static void expect_complaint(result_reader *r, const char *text, const char *sentence) {
    panel *panels;
    int number;
    carom_error error;
    assert_int_equal(panels_create(&r, 1, &text, 1, &panels, &number, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, sentence));
    assert_null(panels);
}

static void unknown_quantities_are_named(void **state) {
    (void)state;
    result_reader *r = make("unknown.h5", 3, 0, NULL);
    expect_complaint(r, "phi_m", "unknown.h5 records no 'phi_m', did you mean 'phi_M'?");
    expect_complaint(r, "z,zz_dot:z", "records no 'zz_dot', did you mean 'z_dot'?");
    expect_complaint(r, "temperature", "records no 'temperature'");
    expect_complaint(r, "*.gop", "matches '*.gop'");
    expect_complaint(r, "z,,t", "panel 'z,,t' names no quantity");
    expect_complaint(r, "", "panel '' names no quantity");
    expect_complaint(r, "z,", "panel 'z,' names no quantity");
    result_close(r);
}

static void phase_plots_have_two_sides(void **state) {
    (void)state;
    result_reader *r = make("sides.h5", 3, 0, NULL);
    const char *const wrong[] = {"z:", ":z", ":", "t:z:phi_M", "z:z_dot:", "t,z:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) expect_complaint(r, wrong[i], "as in 'a:b'");
    result_close(r);
}

/* ---- formulas, forces, parts of the time, several results */

static void formulas_are_columns(void **state) {
    (void)state;
    result_reader *r = make("formulas.h5", 40, 0, NULL);
    double z[40], phi[40], both[40];
    int column;
    const char *const text = "sqrt(z^2 + 3*phi_M) - max(z, phi_M, 0.5)";
    assert_int_equal(result_derive(r, text, &column, NULL), CAROM_OK);
    assert_true(column >= result_columns(r));
    assert_string_equal(result_name(r, column), text);
    assert_int_equal(result_read(r, Z, 0, 40, z, NULL), CAROM_OK);
    assert_int_equal(result_read(r, PHI, 0, 40, phi, NULL), CAROM_OK);
    assert_int_equal(result_read(r, column, 0, 40, both, NULL), CAROM_OK);
    for (int i = 0; i < 40; i++) {
        double expected = sqrt(z[i] * z[i] + 3 * phi[i]) - fmax(fmax(z[i], phi[i]), 0.5);
        assert_true(isnan(expected) ? isnan(both[i]) : fabs(both[i] - expected) <= 1e-14 * (1 + fabs(expected)));
    }
    expect_complaint(r, "z + zz_dot", "there is no 'zz_dot', did you mean 'z_dot'?");
    expect_complaint(r, "sqrt(z", "sqrt(z");
    result_close(r);
}

/* A percussion P of rows over dt; it has none at events. */
static void forces_are_percussions_over_dt(void **state) {
    (void)state;
    static const char *const quantities[] = {"t", "wall.PN", "floor.PF2"}, *const of[] = {"s", "N s", "N s"};
    const char *path = in_folder("forces.h5");
    result_info info = {.scene = "", .integrator = "moreau", .dt = 0.25};
    result_writer *w;
    result_reader *r;
    double read[3];
    int column;
    assert_int_equal(result_create(path, &info, 3, quantities, of, 0, &w, NULL), CAROM_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(result_append(w, (double[]){i, 2 * i, -i}, NULL, i, NULL), CAROM_OK);
    assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, NULL), CAROM_OK);
    assert_int_equal(result_open(path, &r, NULL), CAROM_OK);
    assert_int_equal(result_derive(r, "wall.FN", &column, NULL), CAROM_OK);
    assert_string_equal(result_unit(r, column), "N");
    assert_int_equal(result_read(r, column, 0, 3, read, NULL), CAROM_OK);
    for (int i = 0; i < 3; i++) assert_true(read[i] == 8 * i);
    assert_int_equal(result_derive(r, "floor.FF2*dt + wall.PN", &column, NULL), CAROM_OK);
    assert_int_equal(result_read(r, column, 0, 3, read, NULL), CAROM_OK);
    for (int i = 0; i < 3; i++) assert_true(read[i] == i);
    result_close(r);
}

static void windows_keep_their_rows(void **state) {
    (void)state;
    result_reader *r = make("window.h5", 1000, 0, NULL);
    double t[1000];
    points p;
    assert_int_equal(result_read(r, T, 0, 1000, t, NULL), CAROM_OK);
    const window parts[] = {{t[10], t[20]}, {t[10] - 1e-9, t[20] - 1e-9}, {-1, t[3]}, {t[990], 1e300}, {t[5], t[5]}};
    const size_t kept[] = {11, 10, 4, 10, 1};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(points_load(r, (curve){T, Z, 0}, &parts[k], 100000, &p, NULL), CAROM_OK);
        assert_int_equal(p.count, kept[k]);
        assert_true(p.x_min >= parts[k].from && p.x_max <= parts[k].to);
        points_free(&p);
    }
    result_close(r);
}

static void several_results_share_panels(void **state) {
    (void)state;
    result_reader *two[] = {make("first.h5", 30, 0, NULL), make("second.h5", 20, 0, NULL)};
    const char *const texts[] = {"z,phi_M", "z:2*z_dot"};
    panel *panels;
    int number;
    assert_int_equal(panels_create(two, 2, texts, 2, &panels, &number, NULL), CAROM_OK);
    assert_int_equal(number, 2);
    assert_int_equal(panels[0].count, 4);
    assert_int_equal(panels[1].count, 2);
    assert_int_equal(panels[0].curves[1].result, 0);
    assert_int_equal(panels[0].curves[2].result, 1);
    panels_destroy(panels, number);
    for (int i = 0; i < 2; i++) result_close(two[i]);
}

/* Rows at t = 0, 1, ..., 4 with v = t; at t = 1.5 and twice at t = 3 v falls from 10 to -10. */
static result_reader *make_events(const char *name) {
    static const char *const quantities[] = {"t", "v", "P"};
    static const char *const events[] = {"t", "before/v", "after/v"};
    static const double times[] = {1.5, 3, 3};
    result_info info = {.scene = "", .integrator = "lobatto", .events = {.columns = 3, .names = events}};
    result_writer *w;
    result_reader *r;
    const char *path = in_folder(name);
    assert_int_equal(result_create(path, &info, 3, quantities, NULL, 0, &w, NULL), CAROM_OK);
    for (int i = 0, event = 0; i < 5; i++) {
        for (; event < 3 && times[event] <= i; event++)
            assert_int_equal(result_append_event(w, (double[]){times[event], 10, -10}, NULL), CAROM_OK);
        assert_int_equal(result_append(w, (double[]){i, i, 1}, NULL, i, NULL), CAROM_OK);
    }
    assert_int_equal(result_finish(w, &(result_summary){.status = "finished"}, NULL), CAROM_OK);
    assert_int_equal(result_open(path, &r, NULL), CAROM_OK);
    return r;
}

static void expect_points(result_reader *r, curve c, size_t count, const double (*expected)[2]) {
    points p;
    assert_int_equal(points_load(r, c, NULL, 1000, &p, NULL), CAROM_OK);
    assert_int_equal(p.count, count);
    for (size_t i = 0; i < count; i++) assert_true(p.xy[i][0] == expected[i][0] && p.xy[i][1] == expected[i][1]);
    points_free(&p);
}

static void jumps_are_vertical(void **state) {
    (void)state;
    result_reader *r = make_events("jumps.h5");
    const double over_time[][2] = {{0, 0},   {1, 1},  {1.5, 10}, {1.5, -10}, {2, 2}, {3, 10},
                                   {3, -10}, {3, 10}, {3, -10},  {3, 3},     {4, 4}};
    const double phase[][2] = {{0, 0},     {1, 1},   {10, 10},   {-10, -10}, {2, 2}, {10, 10},
                               {-10, -10}, {10, 10}, {-10, -10}, {3, 3},     {4, 4}};
    const double of_steps[][2] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
    expect_points(r, (curve){0, 1, 0}, 11, over_time);
    expect_points(r, (curve){1, 1, 0}, 11, phase);
    expect_points(r, (curve){0, 2, 0}, 5, of_steps);
    result_close(r);
}

static void panels_are_chosen(void **state) {
    (void)state;
    panel *panels;
    int number;
    result_reader *r = make("chosen.h5", 3, 0, NULL); /* coordinates are what has a velocity */
    assert_int_equal(panels_create(&r, 1, NULL, 0, &panels, &number, NULL), CAROM_OK);
    assert_int_equal(number, 2);
    assert_int_equal(panels[0].curves[0].y, Z);
    assert_int_equal(panels[1].curves[0].y, PHI);
    panels_destroy(panels, number);
    result_close(r);
    r = make("scene.h5", 3, 2, (const char *const[]){"constant", "*.gap"}); /* the scene knows better */
    assert_int_equal(panels_create(&r, 1, NULL, 0, &panels, &number, NULL), CAROM_OK);
    assert_int_equal(number, 2);
    assert_int_equal(panels[0].curves[0].y, CONSTANT);
    assert_int_equal(panels[1].count, 2);
    panels_destroy(panels, number);
    result_close(r);
}

/* ---- points */

static void few_points_are_all_kept(void **state) {
    (void)state;
    result_reader *r = make("few.h5", 500, 0, NULL);
    points p;
    assert_int_equal(points_load(r, (curve){T, PHI, 0}, NULL, 500, &p, NULL), CAROM_OK);
    assert_int_equal(p.count, 500);
    for (long i = 0; i < 500; i++) {
        assert_true(p.xy[i][0] == value(i, T, 500));
        assert_true(p.xy[i][1] == value(i, PHI, 500));
    }
    points_free(&p);
    assert_int_equal(points_load(r, (curve){-1, PHI, 0}, NULL, 500, &p, NULL), CAROM_OK);
    assert_true(p.xy[499][0] == 499); /* over the number of the row */
    points_free(&p);
    result_close(r);
}

static void thinning_keeps_extremes_and_gaps(void **state) {
    (void)state;
    enum { ROWS = 300000, MOST = 2000 };
    result_reader *r = make("thin.h5", ROWS, 0, NULL);
    points p;
    assert_int_equal(points_load(r, (curve){T, Z, 0}, NULL, MOST, &p, NULL), CAROM_OK);
    assert_true(p.count <= MOST + 5);
    assert_true(p.y_max == 5 && p.y_min == -7);
    assert_true(p.x_min == 0 && p.x_max == value(ROWS - 1, T, ROWS));
    assert_true(p.xy[0][0] == 0 && p.xy[p.count - 1][0] == p.x_max);
    for (size_t i = 1; i < p.count; i++) assert_true(p.xy[i][0] > p.xy[i - 1][0]);
    points_free(&p);

    assert_int_equal(points_load(r, (curve){T, GAPPY, 0}, NULL, MOST, &p, NULL), CAROM_OK);
    size_t gaps = 0;
    for (size_t i = 0; i < p.count; i++) {
        gaps += isnan(p.xy[i][1]);
        assert_true(isnan(p.xy[i][1]) || p.xy[i][1] <= 4 || p.xy[i][1] >= 5);
    }
    assert_true(gaps > 0);
    points_free(&p);

    /* a loop keeps its size: (phi / 1)^2 + (phi_dot / 20)^2 = 1, the box is reached on all four sides */
    assert_int_equal(points_load(r, (curve){PHI, PHI_DOT, 0}, NULL, MOST, &p, NULL), CAROM_OK);
    for (size_t i = 0; i < p.count; i++)
        assert_float_equal(hypot(p.xy[i][0], p.xy[i][1] / 20), 1, 1e-12); /* points of the curve, rounding aside */
    assert_true(p.x_max > 1 - 1e-7 && p.x_min < -1 + 1e-7 && p.y_max > 20 - 1e-5 && p.y_min < -20 + 1e-5);
    points_free(&p);
    result_close(r);
}

/* ---- pictures */

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    char *bytes = calloc(*size + 1, 1);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void draw(result_reader *r, const char *path, int count, const char *const *panels) {
    carom_error error;
    if (result_draw(r, path, panels, count, &error) != CAROM_OK) fail_msg("%s", error.message);
}

static void pictures_have_their_format(void **state) {
    (void)state;
    result_reader *r = make("formats.h5", 2000, 0, NULL);
    const char *const panels[] = {"z,phi_M", "phi_M:phi_M_dot", "it's[1,2]"};
    const char *const files[][2] = {{"a.png", "\211PNG"}, {"a b'c \"d\".svg", "<?xml"}, {"a.PDF", "%PDF"}};
    for (int i = 0; i < 3; i++) {
        size_t size;
        const char *path = in_folder(files[i][0]);
        draw(r, path, 3, panels);
        char *bytes = contents(path, &size);
        assert_memory_equal(bytes, files[i][1], strlen(files[i][1]));
        assert_true(size > 5000);
        free(bytes);
    }
    result_close(r);
}

static void labels_are_literal(void **state) {
    (void)state;
    result_reader *r = make("labels.h5", 2000, 0, NULL);
    const char *const panels[] = {"phi_M", "phi_M:phi_M_dot", "z,phi_M", "z,floor.gap", "it's[1,2]"};
    const char *const texts[] = {
        ">It's a 'ball_1' &amp; more: \u00e9 \u03c8 \u1f00 \u2264 ?\?<", /* no font may have the last two */
        ">t [s]<",
        ">phi_M [rad]<",
        ">phi_M_dot [rad/s]<",
        ">z [m]<",
        ">[m]<",
        ">floor.gap<",
        ">it's[1,2]<"};
    const char *path = in_folder("labels.svg");
    size_t size;
    draw(r, path, 5, panels);
    char *bytes = contents(path, &size);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strstr(bytes, texts[i])) fail_msg("no %s in the picture", texts[i]);
    free(bytes);
    result_close(r);
}

/* The width of the picture of a quantity, in pixels. */
static double width_of(result_reader *r, const char *quantity) {
    size_t size;
    double width = 0;
    draw(r, in_folder("width.svg"), 1, &quantity);
    char *bytes = contents(in_folder("width.svg"), &size), *box = strstr(bytes, "viewBox=\"0 0 ");
    assert_non_null(box);
    assert_int_equal(sscanf(box, "viewBox=\"0 0 %lf", &width), 1);
    free(bytes);
    return width;
}

/* The axes keep their width, so the room for wide numbers widens the picture: "-1.5e-12" is longer than "-0.5" by four
 * characters, the narrowest of them 3 pixels wide. */
static void wide_numbers_have_room(void **state) {
    (void)state;
    result_reader *r = make("wide.h5", 100, 0, NULL);
    assert_true(width_of(r, "tiny") > width_of(r, "phi_M") + 10);
    result_close(r);
}

static void odd_data_can_be_drawn(void **state) {
    (void)state;
    const long rows[] = {1, 2, 100};
    for (int i = 0; i < 3; i++) {
        result_reader *r = make("odd.h5", rows[i], 0, NULL);
        const char *const panels[] = {"constant",          "wall.gap", "wall.gap_dot", "gappy", "floor.state",
                                      "constant:wall.gap", "*"};
        size_t size;
        draw(r, in_folder("odd.svg"), 6, panels);
        char *bytes = contents(in_folder("odd.svg"), &size);
        assert_non_null(strstr(bytes, ">stick<")); /* states have names */
        free(bytes);
        result_close(r);
    }
}

static void failures_are_told(void **state) {
    (void)state;
    result_reader *r = make("failures.h5", 10, 0, NULL);
    const char *const panels[] = {"z"};
    carom_error error;
    assert_int_equal(result_draw(r, in_folder("a.jpg"), panels, 1, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "ends in .png, .svg or .pdf"));
    assert_int_equal(result_draw(r, in_folder("no/a.png"), panels, 1, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "no/a.png: no such file or directory"));
    assert_int_equal(symlink("/dev/full", in_folder("full.png")), 0);
    assert_int_equal(result_draw(r, in_folder("full.png"), panels, 1, &error), CAROM_FAILED);
    assert_non_null(strstr(error.message, "full.png: no space left on device"));
    char *path = strdup(getenv("PATH"));
    setenv("PATH", the_folder(), 1);
    assert_int_equal(result_draw(r, in_folder("b.png"), panels, 1, &error), CAROM_FAILED);
    assert_non_null(strstr(error.message, "gnuplot-nox"));
    FILE *impostor = fopen(in_folder("gnuplot"), "w"); /* one that fails */
    fputs("#!/bin/sh\necho 'gnuplot> plot' >&2; echo '         ^' >&2; echo '  line 0: it is raining' >&2; exit 1\n",
          impostor);
    fclose(impostor);
    chmod(in_folder("gnuplot"), 0755);
    assert_int_equal(result_draw(r, in_folder("b.png"), panels, 1, &error), CAROM_FAILED);
    assert_string_equal(error.message, "gnuplot failed: line 0: it is raining");
    assert_int_not_equal(access(in_folder("b.png"), F_OK), 0);
    setenv("PATH", path, 1);
    free(path);
    result_close(r);
    r = make("empty.h5", 0, 0, NULL);
    assert_int_equal(result_draw(r, in_folder("b.png"), panels, 1, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "empty.h5 holds no rows yet"));
    result_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_can_be_quoted),
        cmocka_unit_test(any_range_can_be_drawn),
        cmocka_unit_test(panels_name_curves),
        cmocka_unit_test(unknown_quantities_are_named),
        cmocka_unit_test(phase_plots_have_two_sides),
        cmocka_unit_test(formulas_are_columns),
        cmocka_unit_test(forces_are_percussions_over_dt),
        cmocka_unit_test(windows_keep_their_rows),
        cmocka_unit_test(several_results_share_panels),
        cmocka_unit_test(panels_are_chosen),
        cmocka_unit_test(few_points_are_all_kept),
        cmocka_unit_test(thinning_keeps_extremes_and_gaps),
        cmocka_unit_test(pictures_have_their_format),
        cmocka_unit_test(labels_are_literal),
        cmocka_unit_test(wide_numbers_have_room),
        cmocka_unit_test(odd_data_can_be_drawn),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(jumps_are_vertical),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
