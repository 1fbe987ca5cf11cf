#include "result/panel.h"

#include "error.h"
#include "result/reader.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SINGLE = 6 }; /* coordinates with a panel of their own where nothing was asked for */

static bool add_curve(panel *p, int result, int x, int y) {
    curve *curves = realloc(p->curves, (size_t)(p->count + 1) * sizeof *curves);
    if (!curves) return false;
    p->curves = curves;
    p->curves[p->count++] = (curve){x, y, result};
    return true;
}

/* ---- from text */

/* The part up to the separator; separators within brackets do not count ("m[1,2].x", "max(x, y)"). *text moves behind
 * it, or becomes NULL where there is none. */
static char *cut(const char **text, char separator) {
    int depth = 0;
    const char *end = *text;
    for (; *end && (*end != separator || depth > 0); end++)
        depth += (*end == '[' || *end == '(') - (*end == ']' || *end == ')');
    const char *from = *text, *to = end;
    while (from < to && *from == ' ') from++;
    while (to > from && to[-1] == ' ') to--;
    *text = *end ? end + 1 : NULL;
    return strndup(from, (size_t)(to - from));
}

/* Adds the quantities of a name, a pattern or a formula over x; patterns leave out x itself. */
static carom_status add_matches(panel *p, result_reader *r, int result, int x, const char *name, carom_error *error) {
    int before = p->count, column = -1;
    bool pattern = result_find(r, name) < 0 && strpbrk(name, "*?[");
    for (int c = 0; pattern && c < result_columns(r); c++)
        if (c != x && fnmatch(name, result_name(r, c), 0) == 0 && !add_curve(p, result, x, c))
            return carom_error_memory(error);
    if (p->count > before) return CAROM_OK;
    carom_status status = result_quantity(r, name, &column, error);
    if (status == CAROM_DATA && pattern && !strpbrk(name, "+-/^(")) return result_unknown(r, name, error);
    if (status) return status;
    return add_curve(p, result, x, column) ? CAROM_OK : carom_error_memory(error);
}

/* "y" or "x:y" */
static carom_status add_term(panel *p, result_reader *r, int result, const char *term, carom_error *error) {
    const char *rest = term;
    char *first = cut(&rest, ':');
    bool phase = rest != NULL;
    char *second = phase ? cut(&rest, ':') : NULL;
    carom_status status;
    int x = result_find(r, "t");
    if (!first || (phase && !second)) status = carom_error_memory(error);
    else if (phase && (rest || !*first || !*second))
        status = carom_error_set(error, CAROM_DATA, "'%s' is not a panel: two quantities, as in 'a:b', or one", term);
    else status = phase ? result_quantity(r, first, &x, error) : CAROM_OK;
    if (!status) status = add_matches(p, r, result, x, phase ? second : first, error);
    free(first);
    free(second);
    return status;
}

static carom_status add_terms(panel *p, result_reader *r, int result, const char *text, carom_error *error) {
    const char *rest = text;
    carom_status status = CAROM_OK;
    do {
        char *term = cut(&rest, ',');
        if (!term) return carom_error_memory(error);
        if (*term) status = add_term(p, r, result, term, error);
        else status = carom_error_set(error, CAROM_DATA, "panel '%s' names no quantity", text);
        free(term);
    } while (status == CAROM_OK && rest);
    return status;
}

/* ---- by default */

/* A coordinate x has a velocity x_dot. Functions of constraints and contacts have one as well, but are no
 * coordinates. */
static bool is_coordinate(const result_reader *r, int c) {
    char velocity[256];
    const char *name = result_name(r, c), *dot = strrchr(name, '.');
    int n = snprintf(velocity, sizeof velocity, "%s_dot", name);
    bool function = dot && (strcmp(dot, ".g") == 0 || strcmp(dot, ".gap") == 0);
    return !function && n < (int)sizeof velocity && result_find(r, velocity) >= 0;
}

/* A panel for each coordinate or, if there are many, for each unit among them; then one for the energy. */
static carom_status choose(const result_reader *r, int result, panel *panels, int *number, carom_error *error) {
    int coordinates = 0, t = result_find(r, "t"), energy = result_find(r, "E");
    for (int c = 0; c < result_columns(r); c++) coordinates += is_coordinate(r, c);
    for (int c = 0; c < result_columns(r); c++) {
        int i = *number;
        if (c == t || c == energy || (coordinates > 0 && !is_coordinate(r, c))) continue;
        if (coordinates == 0 || coordinates > MOST_SINGLE)
            for (i = 0; i < *number && strcmp(result_unit(r, panels[i].curves[0].y), result_unit(r, c)) != 0;) i++;
        if (!add_curve(&panels[i], result, t, c)) return carom_error_memory(error);
        if (i == *number) ++*number;
    }
    if (energy >= 0 && !add_curve(&panels[(*number)++], result, t, energy)) return carom_error_memory(error);
    return *number > 0 ? CAROM_OK
                       : carom_error_set(error, CAROM_DATA, "%s records nothing to plot over time", result_path(r));
}

/* The other results show the same panels as the first. */
static carom_status follow_choice(result_reader *const *results, int result, panel *panels, int number,
                                  carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < number; i++)
        for (int k = 0, own = panels[i].count; k < own && !status; k++) {
            const curve c = panels[i].curves[k];
            if (c.result == 0)
                status = add_matches(&panels[i], results[result], result, result_find(results[result], "t"),
                                     result_name(results[0], c.y), error);
        }
    return status;
}

carom_status panels_create(result_reader *const *results, int result_count, const char *const *texts, int count,
                           panel **panels, int *number, carom_error *error) {
    result_reader *r = results[0];
    int stored = count > 0 ? 0 : result_plots(r), most = count + stored > 0 ? count + stored : result_columns(r) + 1;
    *number = 0;
    *panels = calloc((size_t)most, sizeof **panels);
    if (!*panels) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    if (count + stored == 0) {
        status = choose(r, 0, *panels, number, error);
        for (int k = 1; k < result_count && !status; k++) status = follow_choice(results, k, *panels, *number, error);
    }
    while (status == CAROM_OK && *number < count + stored) {
        const char *text = count > 0 ? texts[*number] : result_plot(r, *number);
        panel *p = &(*panels)[(*number)++];
        for (int k = 0; k < result_count && !status; k++) status = add_terms(p, results[k], k, text, error);
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
