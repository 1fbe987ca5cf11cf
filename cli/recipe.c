#include "recipe.h"

#include "error.h"
#include "interrupt.h"
#include "progress.h"
#include "reproduce/evaluate.h"
#include "reproduce/report.h"
#include "reproduce/verdict.h"
#include "result/gnuplot.h"
#include "studies.h"
#include "study/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- where things are */

bool recipe_share(reproduction *g, char share[PATH_MAX], carom_error *error) {
    static const char *const places[] = {"..", "../share/carom"};
    ssize_t length = readlink("/proc/self/exe", g->program, sizeof g->program - 1);
    if (length < 0)
        return carom_error_set(error, CAROM_FAILED, "this program cannot find itself: is /proc mounted?"), false;
    g->program[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char place[2 * PATH_MAX], papers[2 * PATH_MAX];
        int folder = (int)(strrchr(g->program, '/') - g->program);
        snprintf(place, sizeof place, "%.*s/%s", folder, g->program, places[i]);
        if (!realpath(place, share)) continue;
        snprintf(papers, sizeof papers, "%s/reproduce/papers.yaml", share);
        if (access(papers, R_OK) == 0) return true;
    }
    carom_error_set(error, CAROM_FAILED,
                    "the recipes are not there: reproduce/papers.yaml is neither beside the folder of %s nor in "
                    "../share/carom",
                    g->program);
    return false;
}

static carom_status make_folders(reproduction *g, const char *out, carom_error *error) {
    if (option_value(g->a, "--out")) out = option_value(g->a, "--out");
    if (!out[0]) return carom_error_set(error, CAROM_DATA, "--out needs a folder");
    carom_status status = study_folder(out, error);
    if (!status && !realpath(out, g->out)) status = carom_error_set(error, CAROM_FAILED, "%s is not to be found", out);
    int fits = snprintf(g->cache, sizeof g->cache, "%s/cache", g->out);
    if (!status && fits + 64 > PATH_MAX) status = carom_error_set(error, CAROM_DATA, "%s: the path is too long", out);
    memcpy(g->assets, g->out, sizeof g->assets);
    strcat(g->assets, "/assets");
    if (!status) status = study_folder(g->cache, error);
    if (!status) status = study_folder(g->assets, error);
    for (int i = 0; i < 2 && !status; i++) {
        char path[PATH_MAX];
        status = study_path(g->out, i ? "report.json" : "index.html", path, error);
        if (!status) status = check_output(g->a, path, error);
    }
    return status;
}

/* ---------------------------------------------------------------- progress */

static void duration(double seconds, char text[32]) {
    if (seconds < 90) snprintf(text, 32, "%.0f s", ceil(seconds));
    else snprintf(text, 32, "%.0f min", ceil(seconds / 60));
}

static bool show_progress(void *context, const jobs_progress *p) {
    reproduction *g = context;
    char left[32];
    duration(p->left, left);
    double now = seconds_now();
    if (p->ended && !g->quiet) {
        const job *x = p->ended;
        if (g->terminal) terminal_clear();
        if (x->finished)
            fprintf(stderr, "[%d/%d] %s: %s, %.1f s%s%s; about %s left\n", p->finished, p->count, x->figure,
                    x->source->name, x->seconds, x->failure ? ", FAILED: " : "", x->failure ? x->failure : "", left);
    }
    if (g->terminal && !g->quiet && now > g->shown + 0.2) {
        g->shown = now;
        terminal_line("%d of %d computed, about %s left", p->finished, p->count, left);
    }
    return !interrupted;
}

/* ---------------------------------------------------------------- the work */

static carom_status evaluate(reproduction *g, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int p = 0; p < g->recipes.count; p++)
        for (int f = 0; f < g->recipes.papers[p].count && !status && !interrupted; f++)
            status =
                evaluate_figure(&g->recipes, &g->recipes.papers[p], &g->recipes.papers[p].figures[f], g->assets, error);
    return status;
}

static carom_status write_report(reproduction *g, carom_error *error) {
    report_facts facts = {.workers = g->workers, .jobs = g->jobs.count, .cached = g->jobs.cached};
    for (int i = 0; i < g->jobs.count; i++) facts.seconds += g->jobs.all[i]->seconds;
    carom_status status = report_write_json(&g->recipes, &facts, g->out, error);
    return status ? status : report_write_html(&g->recipes, &facts, g->out, error);
}

static void print_broken(const claim *c) {
    char values[512], expected[512];
    claim_values_text(c, values, sizeof values);
    claim_expectations_text(c, expected, sizeof expected);
    printf("%s does not hold: %s: %s, expected %s%s%s\n", c->id, c->text, values, expected, c->failure ? "; " : "",
           c->failure ? c->failure : "");
}

/* "rattle: 7 figures or tables, 42 claims: 38 confirmed, ..." */
static void print_tally(const tally *t) {
    printf("%d figure%s or table%s, %d claim%s: ", t->figures, t->figures == 1 ? "" : "s", t->figures == 1 ? "" : "s",
           t->claims, t->claims == 1 ? "" : "s");
    for (int f = 0; f < FATES; f++) printf("%s%d %s", f ? ", " : "", t->by_fate[f], fate_text((fate)f));
    fputc('\n', stdout);
}

static void print_summary(const reproduction *g) {
    for (int p = 0; p < g->recipes.count; p++)
        for (int i = 0; i < g->recipes.papers[p].count; i++) {
            const figure_recipe *f = &g->recipes.papers[p].figures[i];
            if (f->failure) printf("%s/%s: %s\n", g->recipes.papers[p].name, f->name, f->failure);
            for (int c = 0; c < f->claim_count; c++)
                if (f->claims[c].outcome == BROKEN) print_broken(&f->claims[c]);
        }
    for (int p = 0; p < g->recipes.count && g->recipes.count > 1; p++) {
        tally of_paper = tally_of_paper(&g->recipes.papers[p]);
        printf("%s: ", g->recipes.papers[p].name);
        print_tally(&of_paper);
    }
    tally t = tally_of(&g->recipes);
    print_tally(&t);
    printf("%s/index.html\n", g->out);
}

/* Removes what other versions of carom computed, once all papers are reproduced in full and every claim holds. Until
 * then a user may want to return to another version, or to compare with it. */
static void forget_others(const reproduction *g, const tally *t) {
    if (g->recipes.study || g->a->word_count || g->recipes.quick || t->failures || t->by_fate[FATE_BROKEN]) return;
    int count = jobs_forget_others(&g->jobs);
    if (count && !g->quiet)
        fprintf(stderr, "%d computation%s of other versions of carom removed from %s\n", count, count == 1 ? "" : "s",
                g->cache);
}

static int compute(reproduction *g, carom_error *error) {
    carom_status status = gnuplot_check(error);
    if (!status) status = jobs_create(&g->recipes, g->program, g->cache, &g->jobs, error);
    if (!status && !g->quiet)
        fprintf(stderr, "%d computations, %d of them kept from before\n", g->jobs.count, g->jobs.cached);
    if (!status) status = jobs_execute(&g->jobs, g->workers, show_progress, g, error);
    if (g->terminal && !g->quiet) terminal_clear();
    if (!status) status = evaluate(g, error);
    if (interrupted)
        return complain_about(EXIT_INTERRUPTED, "interrupted: what is computed is kept, the same command goes on");
    if (!status) status = write_report(g, error);
    if (status) return complain(error);
    tally t = tally_of(&g->recipes);
    forget_others(g, &t);
    if (!g->quiet) print_summary(g);
    if (!t.by_fate[FATE_BROKEN] && !t.failures) return EXIT_SUCCESS;
    if (!g->quiet) return EXIT_FAILED_RUN;
    return complain_about(EXIT_FAILED_RUN,
                          "%d of %d claims do not hold; figures or tables that failed: %d of %d; see %s/index.html",
                          t.by_fate[FATE_BROKEN], t.claims, t.failures, t.figures, g->out);
}

int recipe_execute(reproduction *g, const char *out) {
    carom_error error = {0};
    carom_status status = study_workers(g->a, &g->workers, &error);
    if (!status) status = make_folders(g, out, &error);
    if (status) return complain(&error);
    if (!g->workers) g->workers = pool_processors();
    return compute(g, &error);
}

void recipe_begin(reproduction *g, const arguments *a) {
    *g = (reproduction){.a = a, .quiet = option_value(a, "--quiet"), .terminal = terminal_shown()};
    study_catch_signals();
}

int recipe_end(reproduction *g, int code) {
    jobs_destroy(&g->jobs);
    recipes_destroy(&g->recipes);
    return code;
}
