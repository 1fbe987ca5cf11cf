/* carom orbit SCENE --continue PARAMETER=a..b: branches of periodic motions. */
#include "branch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/branch_output.h"
#include "error.h"
#include "result/gnuplot.h"
#include "waiting.h"

/* ---------------------------------------------------------------- what is printed */

static void print_point(const branch_question *q, const branch_point *p) {
    const orbit_answer *a = &p->orbit;
    printf("  %-14s %s = %-16.12g period %.9g", branch_kind_name(p->kind), q->orbit.parameter, a->value, a->period);
    if (a->count) printf(", largest multiplier %.6g", cabs(a->multiplier[0]));
    printf("%s%s\n", p->note[0] ? ": " : "", p->note);
}

/* Prints the ends of every branch, and the points at which something happens. */
static void print_lines(const branch_question *q, const branch_list *found) {
    for (int b = 0; b < found->branches; b++) {
        int points = 0;
        const branch_point *first = NULL, *last = NULL;
        for (int i = 0; i < found->count; i++) {
            const branch_point *p = &found->point[i];
            if (p->branch != b) continue;
            if (!first) first = p;
            last = p, points++;
        }
        if (!first) continue;
        printf("branch %d: %d points from %s = %.9g to %.9g\n", b + 1, points, q->orbit.parameter, first->orbit.value,
               last->orbit.value);
        for (int i = 0; i < found->count; i++)
            if (found->point[i].branch == b && found->point[i].kind != BRANCH_PLAIN) print_point(q, &found->point[i]);
    }
}

static void print_objects(const branch_question *q, const branch_list *found) {
    printf("{\"parameter\": \"%s\", \"branches\": %d, \"points\": [", q->orbit.parameter, found->branches);
    for (int i = 0; i < found->count; i++) {
        const branch_point *p = &found->point[i];
        printf("%s{\"branch\": %d, \"kind\": \"%s\", \"value\": %.17g, \"period\": %.17g, \"multipliers\": [",
               i ? ", " : "", p->branch + 1, branch_kind_name(p->kind), p->orbit.value, p->orbit.period);
        for (int k = 0; k < p->orbit.count; k++)
            printf("%s[%.17g, %.17g]", k ? ", " : "", creal(p->orbit.multiplier[k]), cimag(p->orbit.multiplier[k]));
        printf("]}");
    }
    printf("]}\n");
}

/* ---------------------------------------------------------------- what is asked for */

static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* "A=0.02..0.05", cut into its parts. */
static carom_status read_range(const char *given, char *text, branch_question *q, carom_error *error) {
    char *sign = strchr(text, '='), *dots = sign ? strstr(sign, "..") : NULL;
    if (dots) *sign = *dots = 0;
    q->orbit.parameter = text;
    if (dots && read_number(sign + 1, &q->from) && read_number(dots + 2, &q->to) && q->from != q->to) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "--continue needs a parameter and its range, as A=0.02..0.05, not '%s'",
                           given);
}

static carom_status check_files(const arguments *a, carom_error *error) {
    const char *csv = option_value(a, "--csv"), *out = option_value(a, "--out"), *figure = option_value(a, "--figure");
    carom_status status = csv ? check_csv(a, csv, error) : CAROM_OK;
    if (!status && out) status = check_output(a, out, error);
    if (!status && figure) status = check_output(a, figure, error);
    if (!status && figure) status = gnuplot_check(error);
    return status;
}

static carom_status write_files(const arguments *a, const branch_question *q, const branch_list *found,
                                carom_error *error) {
    const char *csv = option_value(a, "--csv"), *out = option_value(a, "--out"), *figure = option_value(a, "--figure");
    carom_status status = csv ? branch_write_csv(q, found, csv, error) : CAROM_OK;
    if (!status && out) status = branch_write_result(q, found, out, error);
    return !status && figure ? branch_draw(q, found, figure, error) : status;
}

carom_status continue_orbit(const arguments *a, const orbit_question *orbit, carom_error *error) {
    branch_question q = {.orbit = *orbit, .doublings = 1};
    branch_list found = {0};
    char *range = strdup(option_value(a, "--continue"));
    carom_status status =
        range ? read_range(option_value(a, "--continue"), range, &q, error) : carom_error_memory(error);
    if (!status) status = read_count(a, "--points", 2, &q.points, error);
    if (!status) status = read_count(a, "--doublings", 0, &q.doublings, error);
    if (!status) status = check_files(a, error);
    if (!status) status = branch_follow(&q, &found, error);
    waiting_end();
    if (!status) status = write_files(a, &q, &found, error);
    if (!status) (option_value(a, "--json") ? print_objects : print_lines)(&q, &found);
    branch_free(&found);
    free(range);
    return status;
}
