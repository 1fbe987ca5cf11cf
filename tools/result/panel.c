#include "result/panel.h"

#include "error.h"
#include "result/reader.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SINGLE = 6 }; /* coordinates with a panel of their own where nothing was asked for */

static bool add(panel *p, int x, int y) {
    curve *curves = realloc(p->curves, (size_t)(p->count + 1) * sizeof *curves);
    if (!curves) return false;
    p->curves = curves;
    p->curves[p->count++] = (curve){x, y};
    return true;
}

/* ---- from text */

/* The part up to the separator, which does not count within brackets ("m[1,2].x"); *text moves behind it, or becomes
 * NULL where there is none. */
static char *cut(const char **text, char separator) {
    int depth = 0;
    const char *end = *text;
    for (; *end && (*end != separator || depth > 0); end++) depth += (*end == '[') - (*end == ']');
    const char *from = *text, *to = end;
    while (from < to && *from == ' ') from++;
    while (to > from && to[-1] == ' ') to--;
    *text = *end ? end + 1 : NULL;
    return strndup(from, (size_t)(to - from));
}

static carom_status unknown(const result_reader *r, const char *name, carom_error *error) {
    int n = result_columns(r);
    const char **names = malloc((size_t)(n + 1) * sizeof *names);
    if (!names) return carom_error_memory(error);
    for (int c = 0; c < n; c++) names[c] = result_name(r, c);
    const char *near = carom_nearest(name, names, n);
    free(names);
    if (strpbrk(name, "*?["))
        return carom_error_set(error, CAROM_DATA, "no quantity in %s matches '%s'", result_path(r), name);
    if (near)
        return carom_error_set(error, CAROM_DATA, "%s records no '%s', did you mean '%s'?", result_path(r), name, near);
    return carom_error_set(error, CAROM_DATA,
                           "%s records no '%s': run it with --set 'run.record=[\"*\", %s]', if its scene knows that",
                           result_path(r), name, name);
}

/* Adds the quantities of a name or a pattern over x; patterns leave out x itself. */
static carom_status add_matches(panel *p, const result_reader *r, int x, const char *name, carom_error *error) {
    int exact = result_find(r, name), before = p->count;
    if (exact >= 0) return add(p, x, exact) ? CAROM_OK : carom_error_memory(error);
    for (int c = 0; c < result_columns(r); c++)
        if (c != x && fnmatch(name, result_name(r, c), 0) == 0 && !add(p, x, c)) return carom_error_memory(error);
    return p->count > before ? CAROM_OK : unknown(r, name, error);
}

/* "y" or "x:y" */
static carom_status add_term(panel *p, const result_reader *r, const char *term, carom_error *error) {
    const char *rest = term;
    char *first = cut(&rest, ':');
    bool phase = rest != NULL;
    char *second = phase ? cut(&rest, ':') : NULL;
    carom_status status;
    if (!first || (phase && !second)) status = carom_error_memory(error);
    else if (phase && (rest || !*first || !*second))
        status = carom_error_set(error, CAROM_DATA, "'%s' is not a panel: two quantities, as in 'a:b', or one", term);
    else if (!phase) status = add_matches(p, r, result_find(r, "t"), first, error);
    else if (result_find(r, first) < 0) status = unknown(r, first, error);
    else status = add_matches(p, r, result_find(r, first), second, error);
    free(first);
    free(second);
    return status;
}

static carom_status add_terms(panel *p, const result_reader *r, const char *text, carom_error *error) {
    const char *rest = text;
    carom_status status = CAROM_OK;
    do {
        char *term = cut(&rest, ',');
        if (!term) return carom_error_memory(error);
        if (*term) status = add_term(p, r, term, error);
        else status = carom_error_set(error, CAROM_DATA, "panel '%s' names no quantity", text);
        free(term);
    } while (status == CAROM_OK && rest);
    return status;
}

/* ---- by default */

/* A coordinate has a velocity: x and x_dot. So have the functions of constraints and contacts. */
static bool is_coordinate(const result_reader *r, int c) {
    char velocity[256];
    const char *name = result_name(r, c), *dot = strrchr(name, '.');
    int n = snprintf(velocity, sizeof velocity, "%s_dot", name);
    bool function = dot && (strcmp(dot, ".g") == 0 || strcmp(dot, ".gap") == 0);
    return !function && n < (int)sizeof velocity && result_find(r, velocity) >= 0;
}

/* A panel for each coordinate or, if they are many, for each of their units; then the energy. */
static carom_status choose(const result_reader *r, panel *panels, int *number, carom_error *error) {
    int coordinates = 0, t = result_find(r, "t"), energy = result_find(r, "E");
    for (int c = 0; c < result_columns(r); c++) coordinates += is_coordinate(r, c);
    for (int c = 0; c < result_columns(r); c++) {
        int i = *number;
        if (c == t || c == energy || (coordinates > 0 && !is_coordinate(r, c))) continue;
        if (coordinates == 0 || coordinates > MOST_SINGLE)
            for (i = 0; i < *number && strcmp(result_unit(r, panels[i].curves[0].y), result_unit(r, c)) != 0;) i++;
        if (!add(&panels[i], t, c)) return carom_error_memory(error);
        if (i == *number) ++*number;
    }
    if (energy >= 0 && !add(&panels[(*number)++], t, energy)) return carom_error_memory(error);
    return *number > 0 ? CAROM_OK
                       : carom_error_set(error, CAROM_DATA, "%s records nothing to plot over time", result_path(r));
}

carom_status panels_create(const result_reader *r, const char *const *texts, int count, panel **panels, int *number,
                           carom_error *error) {
    int stored = count > 0 ? 0 : result_plots(r), most = count + stored > 0 ? count + stored : result_columns(r) + 1;
    *number = 0;
    *panels = calloc((size_t)most, sizeof **panels);
    if (!*panels) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    if (count + stored == 0) status = choose(r, *panels, number, error);
    while (status == CAROM_OK && *number < count + stored) {
        const char *text = count > 0 ? texts[*number] : result_plot(r, *number);
        status = add_terms(&(*panels)[(*number)++], r, text, error);
    }
    if (status == CAROM_OK) return CAROM_OK;
    panels_destroy(*panels, *number);
    *panels = NULL;
    return status;
}

void panels_destroy(panel *panels, int number) {
    for (int i = 0; panels && i < number; i++) free(panels[i].curves);
    free(panels);
}
