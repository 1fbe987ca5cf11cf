#include "reproduce/evaluate.h"

#include "error.h"
#include "reproduce/jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was computed */

static carom_status read_table(source *s, carom_error *error) {
    const job *x = s->job;
    if (s->kind == SOURCE_RUN) return data_read_run(x->output, &s->table, error);
    if (s->kind == SOURCE_COMPARE) return data_read_compare(x->table, s->label, s->alias, s->schemes, &s->table, error);
    return data_read_converge(x->table, s->norm, s->label, s->alias, s->schemes, &s->table, error);
}

/* The first thing that went wrong. */
static carom_status fail(recipes *r, figure_recipe *f, const char *name, const char *reason, carom_error *error) {
    if (f->failure) return CAROM_OK;
    f->failure = arena_format(&r->memory, "'%s': %s", name, reason);
    return f->failure ? CAROM_OK : carom_error_memory(error);
}

/* Complains of a formula that does not fit the results, with its place in the recipe. */
static const char *misfit(recipes *r, const carom_error *why) {
    char text[1100];
    return arena_format(&r->memory, "%s", carom_error_text(why, text, sizeof text));
}

static carom_status read_tables_of(recipes *r, figure_recipe *f, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < f->source_count && !status; i++) {
        source *s = &f->sources[i];
        carom_error why = {0};
        if (s->skip) continue;
        if (s->job->failure) status = fail(r, f, s->name, s->job->failure, error);
        else if (!s->job->finished) status = fail(r, f, s->name, "not computed", error);
        else if (read_table(s, &why)) status = fail(r, f, s->name, why.message, error);
        s->table.name = s->name;
    }
    return status;
}

/* ---- formulas */

/* The source that a formula needs and that has no table: its home, or the source that it names at this offset. NULL: it
 * needs none. */
static const source *lacking(const figure_recipe *f, const formula *q, int at) {
    const char *name = q->where->text + at;
    for (int i = 0; i < f->source_count; i++) {
        const source *s = &f->sources[i];
        size_t length = strlen(s->name);
        if (s->table.count > 0) continue;
        if (i == q->home || (!strncmp(name, s->name, length) && name[length] == '.')) return s;
    }
    return NULL;
}

carom_status evaluate_formula(const figure_recipe *f, formula *q, measured *m, carom_error *error) {
    const data **all = calloc((size_t)f->source_count + 1, sizeof *all);
    carom_error why = {0};
    int at = 0;
    *m = (measured){0};
    if (!all) return carom_error_memory(error);
    for (int i = 0; i < f->source_count; i++) all[i] = &f->sources[i].table;
    carom_status status = measure(q->where->text, all, f->source_count, q->home, m, &at, &why);
    free(all);
    if (!status) return CAROM_OK;
    if (status != CAROM_DATA) return carom_error_memory(error);
    const source *lacks = lacking(f, q, at);
    if (!lacks) return node_error_in(error, q->where, at, "%s", why.message);
    q->skip = lacks->skip;
    return carom_error_set(error, CAROM_FAILED, "what it needs was not computed");
}

/* One number. */
static carom_status evaluate_number(const figure_recipe *f, formula *q, double *value, carom_error *error) {
    measured m;
    carom_status status = evaluate_formula(f, q, &m, error);
    if (!status && m.count != 1)
        status = node_error(error, q->where, "a single number is needed here, this is a list of %ld", m.count);
    if (!status) *value = m.values[0];
    free(m.values);
    return status;
}

/* ---- claims */

static carom_status evaluate_claim(recipes *r, const figure_recipe *f, claim *c, carom_error *error) {
    bool holds = true, skip = c->skip;
    for (int i = 0; i < c->count; i++) skip |= c->values[i].skip;
    for (int i = 0; i < c->count && !skip; i++) {
        carom_error why = {0};
        carom_status status = evaluate_number(f, &c->values[i], &c->value[i], &why);
        if (status == CAROM_MEMORY) return *error = why, status;
        skip = c->values[i].skip;
        if (status && !skip && !(c->failure = misfit(r, &why))) return carom_error_memory(error);
        holds = holds && !status && c->value[i] >= c->least[i] && c->value[i] <= c->greatest[i];
    }
    c->outcome = skip ? UNCHECKED : holds ? HOLDS : BROKEN;
    return CAROM_OK;
}

static carom_status evaluate_cell(recipes *r, const figure_recipe *f, cell *c, carom_error *error) {
    double value = NAN;
    carom_error why = {0};
    if (!c->value.where) return CAROM_OK;
    carom_status status = evaluate_number(f, &c->value, &value, &why);
    if (status && status != CAROM_FAILED) return *error = why, status;
    c->text = status || isnan(value) ? "–" : arena_format(&r->memory, c->format, value);
    return c->text ? CAROM_OK : carom_error_memory(error);
}

static carom_status evaluate_table(recipes *r, const figure_recipe *f, table_recipe *t, carom_error *error) {
    const source *compared = t->compare >= 0 ? &f->sources[t->compare] : NULL;
    if (compared) return compared->table.count ? fill_comparison(r, compared, t, error) : CAROM_OK;
    carom_status status = CAROM_OK;
    for (int k = 0; k < t->rows * t->columns && !status; k++) status = evaluate_cell(r, f, &t->cells[k], error);
    return status;
}

/* A mistake in a recipe makes its figure fail, not the whole report. */
static carom_status forgive(recipes *r, figure_recipe *f, carom_status status, carom_error *error) {
    if (status != CAROM_DATA) return status;
    if (!f->failure) f->failure = misfit(r, error);
    return f->failure ? CAROM_OK : carom_error_memory(error);
}

carom_status evaluate_figure(recipes *r, const paper_recipe *p, figure_recipe *f, const char *assets,
                             carom_error *error) {
    carom_status status = read_tables_of(r, f, error);
    for (int i = 0; i < f->claim_count && !status; i++) status = evaluate_claim(r, f, &f->claims[i], error);
    for (int i = 0; i < f->table_count && !status; i++)
        status = forgive(r, f, evaluate_table(r, f, &f->tables[i], error), error);
    if (!status) status = forgive(r, f, draw_pictures(r, p, f, assets, error), error);
    for (int i = 0; i < f->source_count; i++) data_destroy(&f->sources[i].table);
    return status;
}
