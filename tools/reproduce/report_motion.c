/* Motions in the page: the viewer shows the results of runs. A result that several figures show is in the page once. */
#include "reproduce/html.h"
#include "reproduce/jobs.h"
#include "reproduce/report_page.h"
#include "viewer/viewer.h"

#include <string.h>

/* ---- which run shows a system */

static bool same_settings(const source *s, const sketch_recipe *sketch) {
    bool same = s->setting_count == sketch->count;
    for (int i = 0; same && i < sketch->count; i++) same = !strcmp(s->settings[i], sketch->settings[i]);
    return same;
}

static bool is_run_of(const source *s, const char *scene) {
    return s->kind == SOURCE_RUN && s->job && s->job->motion != MOTION_NONE && !strcmp(s->scene, scene);
}

/* With the sketch's settings, if there is one. */
static const source *run_in_figure(const figure_recipe *f, const sketch_recipe *sketch) {
    const source *found = NULL;
    for (int i = 0; i < f->source_count; i++) {
        if (!is_run_of(&f->sources[i], sketch->scene)) continue;
        if (same_settings(&f->sources[i], sketch)) return &f->sources[i];
        if (!found) found = &f->sources[i];
    }
    return found;
}

/* A run of the sketch's scene: in the figure itself, or in the first other figure that has one. *home: that figure. */
static const source *run_of_sketch(const recipes *r, const figure_recipe *figure, const sketch_recipe *sketch,
                                   const figure_recipe **home) {
    const source *found = run_in_figure(*home = figure, sketch);
    for (int p = 0; p < r->count && !found; p++)
        for (int f = 0; f < r->papers[p].count && !found; f++)
            found = run_in_figure(*home = &r->papers[p].figures[f], sketch);
    return found;
}

/* ---- in the page */

/* Writes the clip unless it is there already. Skips results without a drawing or without rows. */
static carom_status write_clip(FILE *out, job *j, carom_error *error) {
    result_reader *reader = NULL;
    carom_error why;
    if (j->motion != MOTION_UNTRIED) return CAROM_OK;
    j->motion = MOTION_NONE;
    carom_status status = result_open(j->output, &reader, &why);
    if (!status) status = viewer_embed_clip(out, reader, j->key, &why);
    result_close(reader);
    if (!status) j->motion = MOTION_SHOWN;
    if (!status || status == CAROM_DATA) return CAROM_OK;
    return *error = why, status;
}

static carom_status write_motion(FILE *out, const figure_recipe *figure, const source *s, const figure_recipe *home,
                                 carom_error *error) {
    carom_status status = write_clip(out, s->job, error);
    if (status || s->job->motion != MOTION_SHOWN) return status;
    fprintf(out, "<div class=\"motion\" data-clip=\"%s\"><span>", s->job->key);
    html_text(out, s->name);
    if (home != figure) fputs(", ", out), html_text(out, home->label);
    fputs("</span></div>\n", out);
    return CAROM_OK;
}

enum { MOST = 16 }; /* motions of a figure */

typedef struct shown {
    const job *job[MOST];
    int count;
} shown;

static bool is_new(shown *all, const job *j) {
    for (int i = 0; i < all->count; i++)
        if (all->job[i] == j) return false;
    if (all->count == MOST) return false;
    all->job[all->count++] = j;
    return true;
}

carom_status page_motions(FILE *out, const recipes *r, const figure_recipe *figure, carom_error *error) {
    shown all = {0};
    carom_status status = CAROM_OK;
    if (!viewer_is_there()) return CAROM_OK;
    for (int i = 0; i < figure->picture_count && !status; i++) {
        const picture *p = &figure->pictures[i];
        const source *s = p->kind == PICTURE_STORYBOARD ? &figure->sources[p->source] : NULL;
        if (s && s->job && is_new(&all, s->job)) status = write_motion(out, figure, s, figure, error);
    }
    for (int i = 0; i < figure->sketch_count && !status; i++) {
        const figure_recipe *home;
        const source *s = run_of_sketch(r, figure, &figure->sketches[i], &home);
        if (s && is_new(&all, s->job)) status = write_motion(out, figure, s, home, error);
    }
    return status;
}

static bool any_shown(const recipes *r) {
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count; f++) {
            const figure_recipe *figure = &r->papers[p].figures[f];
            for (int i = 0; i < figure->source_count; i++)
                if (figure->sources[i].job && figure->sources[i].job->motion == MOTION_SHOWN) return true;
        }
    return false;
}

carom_status page_viewer(FILE *out, const recipes *r, carom_error *error) {
    return any_shown(r) ? viewer_embed(out, error) : CAROM_OK;
}
