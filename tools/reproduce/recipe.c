/* Recipes from their files: reproduce/papers.yaml, reproduce/PAPER/paper.yaml and reproduce/PAPER/FIGURE.yaml. */
#include "reproduce/recipe.h"

#include "error.h"
#include "reproduce/read.h"
#include "scene/document.h"
#include "scene/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries */

carom_status recipe_text(const recipe_reader *r, const node *map, const char *key, const char **text) {
    const node *found = yaml_find(map, key);
    if (!found) return CAROM_OK;
    if (found->kind != NODE_TEXT) return node_error(r->error, found, "'%s' must be text", key);
    *text = found->text;
    return CAROM_OK;
}

carom_status recipe_flag(const recipe_reader *r, const node *map, const char *key, bool *flag) {
    const char *text = *flag ? "true" : "false";
    carom_status status = recipe_text(r, map, key, &text);
    if (status) return status;
    *flag = !strcmp(text, "true");
    if (*flag || !strcmp(text, "false")) return CAROM_OK;
    return node_error(r->error, yaml_find(map, key), "'%s' is true or false", key);
}

carom_status recipe_constant(const recipe_reader *r, const node *text, double *value) {
    measured result = {0};
    carom_error why = {0};
    int at = 0;
    if (text->kind != NODE_TEXT) return node_error(r->error, text, "a number is missing here");
    if (measure(text->text, NULL, 0, -1, &result, &at, &why))
        return node_error_in(r->error, text, at, "%s", why.message);
    const bool single = result.count == 1;
    if (single) *value = result.values[0];
    free(result.values);
    return single ? CAROM_OK : node_error(r->error, text, "a number is needed here, this is an empty list");
}

carom_status recipe_number(const recipe_reader *r, const node *map, const char *key, double *value) {
    const node *found = yaml_find(map, key);
    return found ? recipe_constant(r, found, value) : CAROM_OK;
}

const node *recipe_entries(const node *list, int *count) {
    *count = !list || list->kind == NODE_EMPTY ? 0 : list->kind == NODE_LIST ? yaml_count(list) : 1;
    return *count == 0 ? NULL : list->kind == NODE_LIST ? list->first : list;
}

void *recipe_room(const recipe_reader *r, int count, size_t size) {
    void *room = arena_get(r->memory, (size_t)(count > 0 ? count : 1) * size);
    if (!room) carom_error_memory(r->error);
    return room;
}

carom_status recipe_source(const recipe_reader *r, const node *map, const char *key, int *place) {
    const node *of = yaml_find(map, key);
    const figure_recipe *f = r->figure;
    *place = -1;
    if (!of) return CAROM_OK;
    if (of->kind != NODE_TEXT) return node_error(r->error, of, "'%s' is the name of a run or study", key);
    for (int i = 0; i < f->source_count; i++)
        if (!strcmp(f->sources[i].name, of->text)) return *place = i, CAROM_OK;
    const char **known = recipe_room(r, f->source_count, sizeof *known);
    if (!known) return CAROM_MEMORY;
    for (int i = 0; i < f->source_count; i++) known[i] = f->sources[i].name;
    return node_error_near(r->error, of, of->text, known, f->source_count, "no run or study is called '%s'", of->text);
}

carom_status recipe_formula(const recipe_reader *r, const node *text, int home, formula *q) {
    carom_error why = {0};
    int at = 0;
    if (text->kind != NODE_TEXT) return node_error(r->error, text, "a formula is missing here");
    if (measure_check(text->text, &at, &why)) return node_error_in(r->error, text, at, "%s", why.message);
    *q = (formula){text, home, home >= 0 && r->figure->sources[home].skip};
    return CAROM_OK;
}

/* ---- a figure */

static carom_status read_figure(recipe_reader *r, const char *name, const char *file) {
    static const char *const keys[] = {"carom",   "label",  "title",    "caption", "runs",  "converge",
                                       "compare", "sketch", "pictures", "tables",  "claims"};
    figure_recipe *f = r->figure;
    node *root = NULL;
    f->name = name;
    f->file = file;
    if (!f->name || !f->file) return carom_error_memory(r->error);
    carom_status status = document_load(r->memory, f->file, "recipe", &root, r->error);
    if (!status) status = check_keys(root, "a recipe", keys, sizeof keys / sizeof *keys, r->error);
    f->label = f->title = name, f->caption = "";
    if (!status) status = recipe_text(r, root, "label", &f->label);
    if (!status) status = recipe_text(r, root, "title", &f->title);
    if (!status) status = recipe_text(r, root, "caption", &f->caption);
    if (!status) status = read_sources(r, root);
    if (!status) status = read_sketches(r, yaml_find(root, "sketch"));
    if (!status) status = read_pictures(r, yaml_find(root, "pictures"));
    if (!status) status = read_tables(r, yaml_find(root, "tables"));
    if (!status) status = read_claims(r, yaml_find(root, "claims"));
    return status;
}

/* ---- papers */

typedef struct selection {
    const char *const *names;
    bool *found;
    int count;
    const char **known; /* papers and figures that there are */
    int known_count, room;
} selection;

static carom_status add_known(const recipe_reader *r, selection *s, const char *name) {
    if (name) s->known = arena_grow(r->memory, s->known, s->known_count, 1, &s->room, sizeof *s->known);
    if (!name || !s->known) return carom_error_memory(r->error);
    s->known[s->known_count++] = name;
    return CAROM_OK;
}

static bool wanted(selection *s, const char *paper, const char *figure) {
    bool fits = s->count == 0;
    size_t length = strlen(paper);
    for (int i = 0; i < s->count; i++) {
        const char *name = s->names[i];
        if (strncmp(name, paper, length)) continue;
        if (name[length] && (name[length] != '/' || strcmp(name + length + 1, figure))) continue;
        fits = s->found[i] = true;
    }
    return fits;
}

static carom_status read_figures(recipe_reader *r, const node *list, selection *s, paper_recipe *p) {
    int count;
    const node *name = recipe_entries(list, &count);
    if (!(p->figures = recipe_room(r, count, sizeof *p->figures))) return CAROM_MEMORY;
    carom_status status = CAROM_OK;
    for (r->paper = p; count > 0 && !status; count--, name = name->next) {
        if (name->kind != NODE_TEXT) return node_error(r->error, name, "'figures' is a list of names of recipes");
        status = add_known(r, s, arena_format(r->memory, "%s/%s", p->name, name->text));
        if (status || !wanted(s, p->name, name->text)) continue;
        r->figure = &p->figures[p->count++];
        status = read_figure(r, name->text,
                             arena_format(r->memory, "%s/reproduce/%s/%s.yaml", r->all->root, p->name, name->text));
    }
    return status;
}

static carom_status read_paper(recipe_reader *r, const char *name, selection *s, paper_recipe *p) {
    static const char *const keys[] = {"carom", "title", "authors", "where", "summary", "figures"};
    node *root = NULL;
    *p = (paper_recipe){.name = name, .title = name, .authors = "", .where = "", .summary = ""};
    const char *file = arena_format(r->memory, "%s/reproduce/%s/paper.yaml", r->all->root, name);
    carom_status status =
        file ? document_load(r->memory, file, "description of a paper", &root, r->error) : carom_error_memory(r->error);
    if (!status) status = check_keys(root, "a paper", keys, sizeof keys / sizeof *keys, r->error);
    if (!status) status = recipe_text(r, root, "title", &p->title);
    if (!status) status = recipe_text(r, root, "authors", &p->authors);
    if (!status) status = recipe_text(r, root, "where", &p->where);
    if (!status) status = recipe_text(r, root, "summary", &p->summary);
    return status ? status : read_figures(r, yaml_find(root, "figures"), s, p);
}

static carom_status unknown_name(const selection *s, const char *name, carom_error *error) {
    const char *near = carom_nearest(name, s->known, s->known_count);
    return carom_error_set(error, CAROM_DATA,
                           "there is nothing called '%s' to reproduce%s%s%s (carom reproduce --list)", name,
                           near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static carom_status read_papers(recipe_reader *r, const node *root, selection *s) {
    const node *papers = yaml_find(root, "papers");
    if (!papers || papers->kind != NODE_LIST) return node_error(r->error, root, "'papers' is missing: a list of names");
    recipes *all = r->all;
    carom_status status = CAROM_OK;
    if (!(all->papers = recipe_room(r, yaml_count(papers), sizeof *all->papers))) return CAROM_MEMORY;
    for (const node *p = papers->first; p && !status; p = p->next) {
        status = check_text(p, "the name of a paper", r->error);
        if (!status) status = add_known(r, s, p->text);
        if (!status) status = read_paper(r, p->text, s, &all->papers[all->count]);
        all->count += all->papers[all->count].count > 0;
    }
    for (int i = 0; i < s->count && !status; i++)
        if (!s->found[i]) status = unknown_name(s, s->names[i], r->error);
    return status;
}

carom_status recipes_load(const char *root, bool quick, const char *const *wishes, int count, recipes *all,
                          carom_error *error) {
    *all = (recipes){.quick = quick};
    recipe_reader r = {.all = all, .memory = &all->memory, .error = error};
    selection s = {.names = wishes, .found = recipe_room(&r, count, sizeof *s.found), .count = count};
    char *file = arena_format(&all->memory, "%s/reproduce/papers.yaml", root);
    all->root = arena_text(&all->memory, root, strlen(root));
    all->style = arena_format(&all->memory, "%s/reproduce/style.css", root);
    node *papers = NULL;
    if (!s.found || !file || !all->root || !all->style) return carom_error_memory(error);
    carom_status status = document_load(&all->memory, file, "list of papers", &papers, error);
    return status ? status : read_papers(&r, papers, &s);
}

/* ---- files of a user */

/* The folder of a file, as a path without links. */
static const char *folder_of(const recipe_reader *r, const char *file) {
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const char *folder = slash ? arena_text(r->memory, file, (size_t)(slash - file) + 1) : ".";
    if (folder && !realpath(folder, path)) snprintf(path, sizeof path, "%s", folder); /* reading the file complains */
    return folder ? arena_text(r->memory, path, strlen(path)) : NULL;
}

/* "block" of "a/block.yaml" */
static const char *name_of(const recipe_reader *r, const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return arena_text(r->memory, name, dot ? (size_t)(dot - name) : strlen(name));
}

carom_status recipes_load_files(const char *share, bool quick, const char *const *files, int count, recipes *all,
                                carom_error *error) {
    *all = (recipes){.quick = quick, .study = true};
    recipe_reader r = {.all = all, .memory = &all->memory, .error = error};
    paper_recipe *p = all->papers = recipe_room(&r, 1, sizeof *all->papers);
    if (!p || !(p->figures = recipe_room(&r, count, sizeof *p->figures))) return CAROM_MEMORY;
    p->name = "study", p->title = p->authors = p->where = p->summary = "";
    all->count = 1;
    all->root = folder_of(&r, files[0]);
    all->style = arena_format(&all->memory, "%s/reproduce/style.css", share);
    if (!all->root || !all->style) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (r.paper = p; p->count < count && !status;) {
        const char *file = files[p->count];
        r.figure = &p->figures[p->count++];
        status = read_figure(&r, name_of(&r, file), file);
    }
    return status;
}

const char *recipes_below_root(const recipes *r, const char *path) {
    size_t length = strlen(r->root);
    return length > 0 && strncmp(path, r->root, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

void recipes_destroy(recipes *all) {
    for (int p = 0; p < all->count; p++)
        for (int f = 0; f < all->papers[p].count; f++) {
            figure_recipe *figure = &all->papers[p].figures[f];
            for (int i = 0; i < figure->source_count; i++) data_destroy(&figure->sources[i].table);
        }
    arena_release(&all->memory);
}
