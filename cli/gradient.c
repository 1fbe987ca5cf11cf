/* carom gradient SCENE --of FORMULA --by NAMES: derivatives of a number that the motion leads to. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/gradient.h"
#include "error.h"
#include "result/csv.h"
#include "waiting.h"

typedef struct report {
    gradient_question question;
    gradient_answer answer;
    gradient_difference *difference; /* [count]; NULL: not asked for */
    const carom_model_def *model;
} report;

/* ---------------------------------------------------------------- what is printed */

/* The least of all margins, from 0 to 1. The time between events is counted in steps. */
static double margin_of(const report *r) {
    const carom_margins *m = &r->answer.margins;
    return fmin(fmin(1, m->transversality.least), fmin(m->friction.least, m->separation.least / r->question.run.dt));
}

static void print_margin(const report *r, const char *name, const carom_margin *m, const char *unit) {
    if (isinf(m->least)) return;
    printf("  %-15s %.4g%s at t = %.6g", name, m->least, unit, m->time);
    if (m->contact >= 0) printf(", contact '%s'", r->model->contact[m->contact].name);
    putchar('\n');
}

static void print_sides(const gradient_sides *sides) {
    static const char *const from[] = {"from above", "from below"};
    for (int which = 0; which < 2; which++) {
        printf("%s%s ", which ? "; " : " ", from[which]);
        if (isnan(sides->value[which])) printf("none: %s", sides->reason[which]);
        else printf("%.12g", sides->value[which]);
    }
}

static void print_lines(const report *r) {
    const gradient_question *q = &r->question;
    printf("%s = %.12g\n", q->of, r->answer.value);
    for (int k = 0; k < q->count; k++) {
        printf("  by %-20s", q->by[k]);
        if (isnan(r->answer.by[k])) print_sides(&r->answer.sides[k]);
        else printf(" % .12g", r->answer.by[k]);
        const gradient_difference *d = r->difference ? &r->difference[k] : NULL;
        if (d && isnan(d->value)) printf("   not compared: %s", d->reason);
        else if (d)
            printf("   differences % .12g +- %.1e, off by %.1e", d->value, d->error, fabs(d->value - r->answer.by[k]));
        putchar('\n');
    }
    printf("%s\n", r->answer.method == GRADIENT_ADJOINT ? "by the adjoint, back from the end"
                                                        : "by derivatives that go along with the motion");
    printf("margin %.4g over %ld event%s\n", margin_of(r), r->answer.events, r->answer.events == 1 ? "" : "s");
    print_margin(r, "transversality", &r->answer.margins.transversality, "");
    print_margin(r, "separation", &r->answer.margins.separation, " s");
    print_margin(r, "friction", &r->answer.margins.friction, "");
    if (r->answer.caveat[0])
        printf("note: %s; that leaves out what is as small as the error of the scheme\n", r->answer.caveat);
    if (!r->answer.located)
        printf("note: events are captured, and this is the derivative of the scheme with this dt, not of the motion; "
               "events: "
               "locate has that\n");
}

static void print_number(const char *key, double value) {
    printf("\"%s\": ", key);
    if (isfinite(value)) printf("%.17g", value);
    else printf("null");
}

static void print_one_sided(const report *r) {
    bool any = false;
    for (int k = 0; k < r->question.count; k++) {
        if (!isnan(r->answer.by[k])) continue;
        printf("%s\"%s\": {", any ? ", " : ", \"one_sided\": {", r->question.by[k]);
        print_number("above", r->answer.sides[k].value[0]);
        printf(", ");
        print_number("below", r->answer.sides[k].value[1]);
        putchar('}');
        any = true;
    }
    if (any) putchar('}');
}

static void print_object(const report *r) {
    const gradient_question *q = &r->question;
    const carom_margins *m = &r->answer.margins;
    putchar('{');
    print_number("value", r->answer.value);
    printf(", \"gradient\": {");
    for (int k = 0; k < q->count; k++) printf("%s", k ? ", " : ""), print_number(q->by[k], r->answer.by[k]);
    printf("}, ");
    print_number("margin", margin_of(r));
    printf(", \"margins\": {");
    print_number("transversality", m->transversality.least);
    printf(", ");
    print_number("separation", m->separation.least);
    printf(", ");
    print_number("friction", m->friction.least);
    printf("}, \"method\": \"%s\"", r->answer.method == GRADIENT_ADJOINT ? "adjoint" : "forward");
    printf(", \"events\": %ld, \"located\": %s", r->answer.events, r->answer.located ? "true" : "false");
    if (r->answer.caveat[0]) printf(", \"caveat\": \"%s\"", r->answer.caveat);
    print_one_sided(r);
    for (int k = 0; k < q->count && r->difference; k++)
        printf("%s", k ? ", " : ", \"differences\": {"), print_number(q->by[k], r->difference[k].value);
    printf("%s}\n", r->difference ? "}" : "");
}

static carom_status write_csv(const report *r, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fprintf(out, "by,derivative%s%s\n", r->difference ? ",difference" : "", r->answer.sides ? ",above,below" : "");
    for (int k = 0; k < r->question.count; k++) {
        csv_text(out, r->question.by[k]);
        fputc(',', out);
        csv_number(out, r->answer.by[k]);
        if (r->difference) fputc(',', out), csv_number(out, r->difference[k].value);
        for (int which = 0; which < 2 && r->answer.sides; which++)
            fputc(',', out), csv_number(out, r->answer.sides[k].value[which]);
        fputc('\n', out);
    }
    return csv_close(path, out, CAROM_OK, error);
}

/* ---------------------------------------------------------------- what is asked for */

static carom_status find_run(const arguments *a, const carom_scene *scene, carom_run_def *run, carom_error *error) {
    const char *at = option_value(a, "--at");
    char *end = NULL;
    const double T = at ? strtod(at, &end) : 0;
    if (at && (end == at || *end)) return carom_error_set(error, CAROM_DATA, "--at needs a time, not '%s'", at);
    if (at) return gradient_run_until(scene, T, run, error);
    *run = *carom_scene_run(scene);
    return CAROM_OK;
}

static carom_status compare(report *r, carom_error *error) {
    carom_status status = CAROM_OK;
    r->difference = calloc((size_t)r->question.count + 1, sizeof *r->difference);
    if (!r->difference) return carom_error_memory(error);
    for (int k = 0; k < r->question.count && !status; k++)
        status = gradient_compare(&r->question, &r->answer, k, &r->difference[k], error);
    return status;
}

static carom_status find_method(const arguments *a, gradient_method *method, carom_error *error) {
    const bool adjoint = option_value(a, "--adjoint"), forward = option_value(a, "--forward");
    if (adjoint && forward) return carom_error_set(error, CAROM_DATA, "--adjoint or --forward, not both");
    *method = adjoint ? GRADIENT_ADJOINT : forward ? GRADIENT_FORWARD : GRADIENT_EITHER;
    return CAROM_OK;
}

static carom_status compute(const arguments *a, report *r, carom_error *error) {
    const char *csv = option_value(a, "--csv");
    carom_status status = csv ? check_csv(a, csv, error) : CAROM_OK;
    if (!status) status = find_run(a, r->question.scene, &r->question.run, error);
    if (!status) status = find_method(a, &r->question.method, error);
    waiting_begin("differentiating", a->words[0]);
    if (!status) status = gradient_compute(&r->question, &r->answer, error);
    if (!status && option_value(a, "--check")) status = compare(r, error);
    waiting_end();
    if (!status && csv) status = write_csv(r, csv, error);
    return status;
}

static int gradient(const arguments *a) {
    const char *of = option_value(a, "--of"), *by = option_value(a, "--by");
    carom_scene *scene = NULL;
    carom_error error;
    report r = {0};
    if (!of) return complain_about(EXIT_BAD_DATA, "gradient needs a formula: --of \"block.x\"");
    if (!by || !by[strspn(by, ", ")])
        return complain_about(EXIT_BAD_DATA, "gradient needs what to differentiate by: --by mu,start.x");
    char *text = strdup(by);
    const char **names = text ? split_names(text, &r.question.count) : NULL;
    carom_status status = names ? load_scene(a, a->words[0], &scene, &error) : carom_error_memory(&error);
    if (!status) {
        r.question.scene = scene, r.question.of = of, r.question.by = names;
        r.model = carom_model_get(carom_scene_model(scene));
        status = compute(a, &r, &error);
    }
    if (!status) (option_value(a, "--json") ? print_object : print_lines)(&r);
    int code = status ? complain(&error) : EXIT_SUCCESS;
    gradient_free(&r.answer);
    free(r.difference);
    free(names);
    free(text);
    carom_scene_destroy(scene);
    return code;
}

static const option options[] = {
    {"--of", "FORMULA",
     "formula of columns at the end, times of events (\"event(3).t\"), extrema over the run (\"max(x)\") and "
     "parameters"},
    {"--by", "NAMES", "parameters and components of the start: mu,e,start.x,start.x_dot"},
    {"--at", "T", "the end, in place of the run's; if no step would end there, dt becomes a little smaller"},
    {"--adjoint", NULL,
     "go back from the end, at the cost of about two runs for any number of derivatives (default from 8 on, where it "
     "can)"},
    {"--forward", NULL, "carry the derivatives along with the motion"},
    {"--check", NULL, "compare with extrapolated differences of runs"},
    {"--csv", "FILE", "write the derivatives to a table"},
    {"--json", NULL, "one JSON object: value, gradient (by name), margin, ..."},
    SCENE_OPTIONS,
    {0}};

const command gradient_command = {
    .name = "gradient",
    .usage = "gradient SCENE --of FORMULA --by NAMES [--at T] [--adjoint | --forward] [--check] [--csv FILE] [--json] "
             "[--set KEY=VALUE]...",
    .summary = "exact derivatives of the motion by parameters and starts",
    .detail =
        "Runs the scene and carries the derivatives of its motion along, through impacts, stops, stick and slip\n"
        "where events are located (run: {integrator: lobatto, events: locate}). Prints the value of the formula,\n"
        "its derivatives, and a margin from 0 to 1: how near the motion came to one without derivatives, as a\n"
        "graze, events at one instant, or friction between stick and slip. Where there is none, it says why.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = gradient,
};
