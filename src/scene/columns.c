/* Recorded quantities: their units, and whether the names in a scene fit any of them. */
#include "error.h"
#include "scene.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- units */

static const char *contact_unit(const symbol *contact, const char *quantity) {
    if (strcmp(quantity, "gap") == 0) return contact->unit;
    if (strcmp(quantity, "gap_dot") == 0 || strncmp(quantity, "slip", 4) == 0) return contact->rate_unit;
    if (strncmp(quantity, "loss", 4) == 0) return "J";
    if (strncmp(quantity, "PN", 2) == 0 || strncmp(quantity, "PF", 2) == 0)
        return strcmp(contact->unit, "m") == 0 ? "N s" : strcmp(contact->unit, "rad") == 0 ? "N m s" : "";
    return "";
}

static bool is_work(const char *of) {
    static const char *const works[] = {"forces", "constraints", "impacts", "friction"};
    bool found = false;
    for (int i = 0; i < 4; i++) found |= strcmp(of, works[i]) == 0;
    return found;
}

const char *carom_scene_unit(const carom_scene *scene, const char *quantity) {
    assert_alive(scene);
    static const char *const fixed[][2] = {{"t", "s"}, {"T", "J"}, {"V", "J"}, {"E", "J"}, {"E.interval", "J"}};
    const node *extra = yaml_find(yaml_find(scene->root, "units"), quantity);
    if (extra) return extra->text;
    for (int i = 0; i < 5; i++)
        if (strcmp(quantity, fixed[i][0]) == 0) return fixed[i][1];
    const symbol *s = table_find(&scene->symbols, quantity); /* of a body with its dot, "disk.x" */
    if (s) return s->unit ? s->unit : "";
    const char *dot = strrchr(quantity, '.'); /* of a contact, "coin3.table12.gap" */
    char name[256];
    if (dot && (size_t)(dot - quantity) < sizeof name) {
        memcpy(name, quantity, (size_t)(dot - quantity));
        name[dot - quantity] = '\0';
        if (strcmp(name, "work") == 0 && is_work(dot + 1)) return "J";
        const symbol *contact = table_find(&scene->contacts, name);
        return contact ? contact_unit(contact, dot + 1) : "";
    }
    return "";
}

/* ---- names */

const char *scene_next_askable(const carom_scene *scene, const char *after) {
    const symbol *s = after ? table_find(&scene->symbols, after)->next : scene->symbols.first;
    const carom_model_def *d = carom_model_get(scene->model);
    for (; s; s = s->next) {
        int i = 0;
        while (i < d->observables && strcmp(d->observable_names[i], s->name) != 0) i++;
        if (symbol_is_askable(s) && i == d->observables) return s->name;
    }
    return NULL;
}

static carom_status unknown_name(const carom_scene *scene, const node *text, int offset, const char *name, int count,
                                 const char *const *columns, carom_error *error) {
    const char **known = malloc((size_t)(count + scene->symbols.count + 1) * sizeof *known), *other = NULL;
    if (!known) return carom_error_memory(error);
    memcpy(known, columns, (size_t)count * sizeof *known);
    while ((other = scene_next_askable(scene, other))) known[count++] = other;
    const char *near = carom_nearest(name, known, count);
    free(known);
    return node_error_in(error, text, offset, "no recorded quantity is named '%s'%s%s%s", name,
                         near ? ", did you mean '" : "", near ? near : " (carom list quantities SCENE)",
                         near ? "'?" : "");
}

typedef struct column_names {
    const carom_scene *scene;
    graph *g;
    int count;
    const char *const *columns;
} column_names;

/* Formulas of panels know quantities, parameters and dt. */
static expr lookup(void *context, const char *name, parse_error *error) {
    const column_names *known = context;
    bool found = strcmp(name, "dt") == 0;
    for (int i = 0; i < known->count && !found; i++) found = strcmp(name, known->columns[i]) == 0;
    for (int i = 0; i < known->scene->parameters && !found; i++)
        found = strcmp(name, known->scene->parameter[i]->name) == 0;
    if (found) return expr_symbol(known->g, 0);
    snprintf(error->message, sizeof error->message, "no recorded quantity is named '%.60s'", name);
    return -1;
}

static bool is_formula(const char *text) {
    return strpbrk(text, "+-/^(") || (strchr(text, '*') && !strchr(text, '.'));
}

static carom_status check_formula(column_names *known, const node *text, int offset, const char *formula,
                                  carom_error *error) {
    parse_error problem = {0};
    known->g = graph_create();
    if (!known->g) return carom_error_memory(error);
    expr value = parse_formula(known->g, formula, lookup, known, NULL, &problem);
    graph_destroy(known->g);
    return value >= 0 ? CAROM_OK : node_error_in(error, text, offset + problem.offset, "%s", problem.message);
}

/* One of the names, patterns or formulas in a panel such as "x,y", "phi:phi_dot" or "sqrt(x^2 + y^2)". */
static carom_status check_name(column_names *known, const node *text, const char *from, size_t length, bool formulas,
                               carom_error *error) {
    char name[256];
    if (length >= sizeof name) return node_error(error, text, "this name is too long");
    memcpy(name, from, length);
    name[length] = '\0';
    for (int i = 0; i < known->count; i++)
        if (strcmp(name, known->columns[i]) == 0 || fnmatch(name, known->columns[i], 0) == 0) return CAROM_OK;
    if (formulas && is_formula(name)) return check_formula(known, text, (int)(from - text->text), name, error);
    return unknown_name(known->scene, text, (int)(from - text->text), name, known->count, known->columns, error);
}

/* Up to a separator that is not within parentheses. */
static size_t length_of(const char *text, const char *separators) {
    size_t n = 0;
    for (int depth = 0; text[n] && (depth > 0 || !strchr(separators, text[n])); n++)
        depth += (text[n] == '(') - (text[n] == ')');
    return n;
}

static carom_status check_panel(column_names *known, const node *text, const char *separators, carom_error *error) {
    carom_status status = CAROM_OK;
    for (const char *from = text->text; !status;) {
        from += strspn(from, " ");
        size_t length = length_of(from, separators), trimmed = length;
        while (trimmed && from[trimmed - 1] == ' ') trimmed--;
        status = check_name(known, text, from, trimmed, *separators, error);
        from += length;
        if (!*from++) break;
    }
    return status;
}

carom_status scene_check_columns(const carom_scene *scene, int count, const char *const *columns, carom_error *error) {
    carom_status status = CAROM_OK;
    column_names known = {scene, NULL, count, columns};
    for (int i = 0; i < scene->records && !status; i++) status = check_panel(&known, scene->record[i], "", error);
    for (int i = 0; i < scene->plots && !status; i++) {
        const char *text = scene->plot[i]->text, *colon = strchr(text, ':'),
                   *second = colon ? strchr(colon + 1, ':') : 0;
        if (second)
            status = node_error_in(error, scene->plot[i], (int)(second - text), "a phase plot is of two: 'a:b'");
        if (!status) status = check_panel(&known, scene->plot[i], ",:", error);
    }
    const node *units = yaml_find(scene->root, "units");
    for (const node *unit = units ? units->first : NULL; unit && !status; unit = unit->next)
        status = check_panel(&known, unit->key, "", error);
    return status;
}
