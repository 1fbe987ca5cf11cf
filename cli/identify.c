/* carom identify SCENE --data FILE.csv --fit NAMES: parameters and starts from measurements. */
#include "identify/identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "error.h"
#include "identify/least_squares.h"
#include "result/canvas.h"
#include "result/csv.h"
#include "result/gnuplot.h"
#include "result/json.h"
#include "waiting.h"

typedef struct identifying {
    const arguments *a;
    carom_scene *scene;
    records data;
    identify_question q;
    identify_answer answer;
    const char **names; /* [own] */
    double *guess, *low, *high, *off;
    char *memory; /* of the names */
} identifying;

/* ---------------------------------------------------------------- what is printed */

static void print_estimates(const identifying *x) {
    const identify_answer *a = &x->answer;
    for (int k = 0; k < a->unknowns; k++) {
        const estimate *e = &a->estimate[k];
        printf("  %-20s % .10g", e->name, e->value);
        if (e->held) printf("   at its bound");
        else if (!isnan(e->deviation)) printf(" +- %.3g   95 %%: %.8g .. %.8g", e->high - e->value, e->low, e->high);
        if (x->off && isnan(x->off[k])) printf("   not compared with differences");
        else if (x->off) printf("   derivatives off by %.1e", x->off[k]);
        putchar('\n');
    }
}

static void print_correlation(const identify_answer *a) {
    for (int i = 0; i < a->unknowns; i++)
        for (int k = 0; k < i; k++) {
            const double c = a->correlation[i * a->unknowns + k];
            if (fabs(c) >= 0.5)
                printf("  correlation of %s and %s: %.3f\n", a->estimate[k].name, a->estimate[i].name, c);
        }
}

static void print_lines(const identifying *x) {
    const identify_answer *a = &x->answer;
    const int runs = x->data.count;
    printf("%d measurements in %d record%s, %d unknown%s, %d runs\n", a->measurements, runs, runs == 1 ? "" : "s",
           a->unknowns, a->unknowns == 1 ? "" : "s", a->runs);
    print_estimates(x);
    print_correlation(a);
    if (a->freedom > 0)
        printf("standard deviation of residuals: %.4g%s, with %d degrees of freedom\n", a->scale,
               x->data.weighted ? " sigma" : "", a->freedom);
    else printf("note: as many unknowns as measurements: nothing is left to tell intervals from\n");
    for (int i = 0; i < a->measurements; i++)
        if (a->left_out[i])
            printf("note: %s:%d is left out, an event happens at the very time of this measurement\n",
                   x->data.at[i].path, x->data.at[i].line);
    if (!a->located)
        printf("note: events are captured: derivatives, and intervals, are those of the scheme with this dt; events: "
               "locate has those of the motion\n");
}

/* "key": {"name": of each unknown, ...} */
static void print_map(const identify_answer *a, const char *key, void (*print)(const estimate *e)) {
    printf(", \"%s\": {", key);
    for (int k = 0; k < a->unknowns; k++) {
        if (k) fputs(", ", stdout);
        json_text(stdout, a->estimate[k].name);
        fputs(": ", stdout);
        print(&a->estimate[k]);
    }
    putchar('}');
}

static void print_value(const estimate *e) {
    json_number(stdout, e->value);
}

static void print_deviation(const estimate *e) {
    json_number(stdout, e->deviation);
}

static void print_interval(const estimate *e) {
    json_numbers(stdout, (const double[]){e->low, e->high}, 2);
}

static void print_held(const estimate *e) {
    fputs(e->held ? "true" : "false", stdout);
}

static void print_rows(const identify_answer *a) {
    const int n = a->unknowns;
    fputs(", \"correlation\": [", stdout);
    for (int i = 0; i < n; i++) {
        if (i) fputs(", ", stdout);
        json_numbers(stdout, a->correlation + i * n, n);
    }
    putchar(']');
}

static void print_left_out(const identifying *x) {
    fputs(", \"left_out\": [", stdout);
    for (int i = 0, some = 0; i < x->answer.measurements; i++) {
        char place[300];
        if (!x->answer.left_out[i]) continue;
        snprintf(place, sizeof place, "%.280s:%d", x->data.at[i].path, x->data.at[i].line);
        if (some++) fputs(", ", stdout);
        json_text(stdout, place);
    }
    putchar(']');
}

static void print_object(const identifying *x) {
    const identify_answer *a = &x->answer;
    printf("{\"measurements\": %d, \"freedom\": %d, \"runs\": %d, \"located\": %s", a->measurements, a->freedom,
           a->runs, a->located ? "true" : "false");
    print_map(a, "values", print_value);
    print_map(a, "deviations", print_deviation);
    print_map(a, "intervals", print_interval);
    print_map(a, "at_bound", print_held);
    print_rows(a);
    fputs(", \"sum\": ", stdout);
    json_number(stdout, a->sum);
    fputs(", \"scale\": ", stdout);
    json_number(stdout, a->scale);
    print_left_out(x);
    if (x->off) fputs(", \"off\": ", stdout), json_numbers(stdout, x->off, a->unknowns);
    fputs("}\n", stdout);
}

/* ---------------------------------------------------------------- tables */

static carom_status write_estimates(const identifying *x, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fputs("name,value,deviation,low,high\n", out);
    for (int k = 0; k < x->answer.unknowns; k++) {
        const estimate *e = &x->answer.estimate[k];
        const double numbers[] = {e->value, e->deviation, e->low, e->high};
        csv_text(out, e->name);
        for (int i = 0; i < 4; i++) fputc(',', out), csv_number(out, numbers[i]);
        fputc('\n', out);
    }
    return csv_close(path, out, CAROM_OK, error);
}

static carom_status write_residuals(const identifying *x, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fputs("record,column,t,measured,predicted,sigma,residual\n", out);
    for (int i = 0; i < x->data.measurements; i++) {
        const measurement *m = &x->data.at[i];
        const double predicted = x->answer.prediction[i];
        const double numbers[] = {m->t, m->value, predicted, m->sigma, m->value - predicted};
        csv_text(out, x->data.record[m->record].name);
        fputc(',', out);
        csv_text(out, m->column == EVENT_TIME ? "event" : x->data.column[m->column].name);
        for (int k = 0; k < 5; k++) fputc(',', out), csv_number(out, numbers[k]);
        fputc('\n', out);
    }
    return csv_close(path, out, CAROM_OK, error);
}

/* ---------------------------------------------------------------- what is asked for */

static const char **collect_names(const arguments *a, const char *name, int *count) {
    const char **found = calloc((size_t)a->option_count + 1, sizeof *found);
    *count = 0;
    for (int i = 0; i < a->option_count && found; i++)
        if (!strcmp(a->options[i].option->name, name)) found[(*count)++] = a->options[i].value;
    return found;
}

/* "mu=0.3,e": names with guesses; those of the scene where none is given. */
static carom_status read_names(identifying *x, char *text, carom_error *error) {
    carom_status status = CAROM_OK;
    for (char *one; !status && (one = strsep(&text, ","));) {
        char *equals = strchr(one, '='), *end = NULL;
        named found;
        if (equals) *equals = 0;
        status = named_find(carom_scene_model(x->scene), one, &found, error);
        const double guess = equals ? strtod(equals + 1, &end) : 0;
        if (!status && equals && (end == equals + 1 || *end || !isfinite(guess)))
            status = carom_error_set(error, CAROM_DATA, "the guess '%s' of '%s' is not a number", equals + 1, one);
        if (status) break;
        x->guess[x->q.own] = equals ? guess : named_value(carom_scene_model(x->scene), found);
        x->low[x->q.own] = -INFINITY, x->high[x->q.own] = INFINITY;
        x->names[x->q.own++] = one;
    }
    return status;
}

static carom_status read_unknowns(identifying *x, carom_error *error) {
    const char *fit = option_value(x->a, "--fit"), *each = option_value(x->a, "--each");
    const size_t first = fit ? strlen(fit) + 1 : 0, letters = first + (each ? strlen(each) + 1 : 0);
    if (!fit && !each)
        return carom_error_set(error, CAROM_DATA, "identify needs what to find: --fit mu,e, or --each start.v");
    x->memory = calloc(letters + 1, 1);
    x->names = calloc(letters + 1, sizeof *x->names);
    x->guess = calloc(3 * letters + 3, sizeof *x->guess);
    if (!x->memory || !x->names || !x->guess) return carom_error_memory(error);
    x->low = x->guess + letters + 1, x->high = x->low + letters + 1;
    if (fit) strcpy(x->memory, fit);
    if (each) strcpy(x->memory + first, each);
    carom_status status = fit ? read_names(x, x->memory, error) : CAROM_OK;
    x->q.common = x->q.own;
    if (!status && each) status = read_names(x, x->memory + first, error);
    x->q.by = x->names;
    return status;
}

/* "mu=0..1"; an end may be missing. */
static carom_status read_bound(identifying *x, const char *text, carom_error *error) {
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
    char *end, number[64] = "";
    int k = 0;
    if (!dots || dots - equals - 1 >= (long)sizeof number || (dots == equals + 1 && !dots[2]))
        return carom_error_set(error, CAROM_DATA, "--bound needs NAME=LEAST..MOST, not '%s'", text);
    while (k < x->q.own && (strncmp(x->names[k], text, (size_t)(equals - text)) || x->names[k][equals - text])) k++;
    if (k == x->q.own)
        return carom_error_set(error, CAROM_DATA, "--bound %s: '%.*s' is not fitted", text, (int)(equals - text), text);
    memcpy(number, equals + 1, (size_t)(dots - equals - 1));
    if (number[0]) x->low[k] = strtod(number, &end);
    if (number[0] && (*end || isnan(x->low[k]))) x->low[k] = NAN;
    if (dots[2]) x->high[k] = strtod(dots + 2, &end);
    if (dots[2] && *end) x->high[k] = NAN;
    return x->low[k] < x->high[k]
               ? CAROM_OK
               : carom_error_set(error, CAROM_DATA, "--bound needs NAME=LEAST..MOST, not '%s'", text);
}

static carom_status read_bounds(identifying *x, carom_error *error) {
    int count;
    const char **texts = collect_names(x->a, "--bound", &count);
    carom_status status = texts ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < count && !status; i++) status = read_bound(x, texts[i], error);
    free(texts);
    return status;
}

static carom_status read_data(identifying *x, carom_error *error) {
    int sources, measures, sigmas;
    const char **source = collect_names(x->a, "--data", &sources),
               **measure = collect_names(x->a, "--measure", &measures);
    const char **sigma = collect_names(x->a, "--sigma", &sigmas);
    carom_status status = source && measure && sigma ? CAROM_OK : carom_error_memory(error);
    if (!status && sources == 0)
        status = carom_error_set(error, CAROM_DATA, "identify needs what was measured: --data FILE.csv");
    if (!status)
        status = records_read(carom_scene_model(x->scene), carom_scene_run(x->scene)->until, source, sources, measure,
                              measures, sigma, sigmas, &x->data, error);
    free(source);
    free(measure);
    free(sigma);
    return status;
}

static carom_status check_outputs(const identifying *x, carom_error *error) {
    const char *tables[] = {option_value(x->a, "--csv"), option_value(x->a, "--residuals")};
    const char *figure = option_value(x->a, "--figure");
    carom_status status = CAROM_OK;
    for (int i = 0; i < 2 && !status; i++)
        if (tables[i]) status = check_csv(x->a, tables[i], error);
    if (!status && figure) status = canvas_check(figure, error);
    if (!status && figure) status = check_output(x->a, figure, error);
    return !status && figure ? gnuplot_check(error) : status;
}

/* ---------------------------------------------------------------- the command */

static carom_status prepare(identifying *x, carom_error *error) {
    if (!least_squares_there())
        return carom_error_set(error, CAROM_FAILED,
                               "carom was built without MINPACK, which identify needs (scripts/deps, scripts/build)");
    carom_status status = load_scene(x->a, x->a->words[0], &x->scene, error);
    if (!status) status = read_unknowns(x, error);
    if (!status) status = read_bounds(x, error);
    if (!status) status = read_data(x, error);
    x->q.scene = x->scene, x->q.data = &x->data;
    return status ? status : check_outputs(x, error);
}

static carom_status compute(identifying *x, carom_error *error) {
    waiting_begin("identifying", x->a->words[0]);
    carom_status status = identify_compute(&x->q, x->guess, x->low, x->high, &x->answer, error);
    if (!status && option_value(x->a, "--check")) {
        x->off = calloc((size_t)x->answer.unknowns + 1, sizeof *x->off);
        status = x->off ? identify_check(&x->q, &x->answer, x->off, error) : carom_error_memory(error);
    }
    waiting_end();
    return status;
}

static carom_status write_files(const identifying *x, carom_error *error) {
    const char *csv = option_value(x->a, "--csv"), *residuals = option_value(x->a, "--residuals");
    const char *figure = option_value(x->a, "--figure");
    carom_status status = csv ? write_estimates(x, csv, error) : CAROM_OK;
    if (!status && residuals) status = write_residuals(x, residuals, error);
    return !status && figure ? identify_draw(&x->q, &x->answer, figure, error) : status;
}

static int identify(const arguments *a) {
    identifying x = {.a = a};
    carom_error error = {0};
    carom_status status = prepare(&x, &error);
    if (!status) status = compute(&x, &error);
    if (!status) status = write_files(&x, &error);
    if (!status) (option_value(a, "--json") ? print_object : print_lines)(&x);
    const int code = status ? complain(&error) : EXIT_SUCCESS;
    identify_destroy(&x.answer);
    records_destroy(&x.data);
    carom_scene_destroy(x.scene);
    free(x.off);
    free(x.guess);
    free(x.names);
    free(x.memory);
    return code;
}

static const option options[] = {
    {"--data", "FILE[,NAME=VALUE]", "a table with the column t and measured columns; values known for its run"},
    {"--fit", "NAMES", "what to find: mu,e=0.5,start.x; with a guess, or that of the scene"},
    {"--each", "NAMES", "what to find with one value for each record"},
    {"--measure", "COLUMN[=FORMULA]", "what to compare a column with (default: every column, by its own name)"},
    {"--sigma", "COLUMN=VALUE", "the standard deviation of a column, or of the times of events (event=VALUE)"},
    {"--bound", "NAME=LEAST..MOST", "limits of a value that is found; an end may be missing"},
    {"--check", NULL, "compare derivatives with differences of runs"},
    {"--csv", "FILE", "write what was found to a table"},
    {"--residuals", "FILE", "write a row for each measurement"},
    {"--figure", "FILE", "a picture: measurements, the motion that was found, residuals; .png, .svg or .pdf"},
    {"--json", NULL, "one JSON object: values, deviations, intervals (by name), correlation, ..."},
    SCENE_OPTIONS,
    {0}};

const command identify_command = {
    .name = "identify",
    .usage = "identify SCENE --data FILE.csv... --fit NAMES [--each NAMES] [--measure COLUMN=FORMULA]...\n"
             "            [--sigma COLUMN=VALUE]... [--bound NAME=LEAST..MOST]... [--figure FILE] [--json] ...",
    .summary = "parameters and starts from measurements",
    .detail = "Finds the parameters and starts with which the scene comes nearest to what was measured: least squares\n"
              "by the Levenberg-Marquardt method, with the exact derivatives of the motion. Prints values with 95 %\n"
              "intervals and correlations. Columns of the tables are formulas of the columns of a result; steps end\n"
              "at their times. A row with a number or a contact in the column 'event' says when this event happened.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = identify,
};
