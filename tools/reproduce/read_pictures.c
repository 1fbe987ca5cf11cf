/* Pictures and tables. */
#include "error.h"
#include "reproduce/read.h"
#include "scene/scene.h"
#include "study/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- panels */

static carom_status read_curve(const recipe_reader *r, const node *entry, curve_recipe *c) {
    static const char *const keys[] = {"of", "x", "y", "label", "style"};
    static const char *const styles[] = {[FIGURE_LINES] = "lines", [FIGURE_POINTS] = "points", [FIGURE_BOTH] = "both"};
    int home = -1;
    const char *style = "lines";
    const node *x = yaml_find(entry, "x"), *y = yaml_find(entry, "y");
    carom_status status = check_keys(entry, "a curve", keys, 5, r->error);
    if (!status && !y) status = node_error(r->error, entry, "'y' is missing: what the curve shows");
    if (!status) status = recipe_source(r, entry, "of", &home);
    if (!status && x) status = recipe_formula(r, x, home, &c->x);
    if (!status) status = recipe_formula(r, y, home, &c->y);
    if (!status) status = recipe_text(r, entry, "label", &c->label);
    if (!status) status = recipe_text(r, entry, "style", &style);
    if (status) return status;
    while (c->style < 3 && strcmp(styles[c->style], style)) c->style++;
    if (c->style < 3) return CAROM_OK;
    return node_error_near(r->error, yaml_find(entry, "style"), style, styles, 3, "a style is lines, points or both");
}

static carom_status read_axis(const recipe_reader *r, const node *axis, const char **label, bool *log, double *from,
                              double *to) {
    static const char *const keys[] = {"label", "log", "from", "to"};
    *from = *to = NAN;
    if (!axis) return CAROM_OK;
    carom_status status = check_keys(axis, "an axis", keys, 4, r->error);
    if (!status) status = recipe_text(r, axis, "label", label);
    if (!status) status = recipe_flag(r, axis, "log", log);
    if (!status) status = recipe_number(r, axis, "from", from);
    if (!status) status = recipe_number(r, axis, "to", to);
    return status;
}

static carom_status read_orders(const recipe_reader *r, const node *entry, panel_recipe *p) {
    int count;
    const node *list = yaml_find(entry, "orders"), *order = recipe_entries(list, &count);
    if (count && !(p->x_log && p->y_log))
        return node_error(r->error, list, "orders need logarithms on both axes (log: true)");
    carom_status status = CAROM_OK;
    if (!(p->orders = recipe_room(r, count, sizeof *p->orders))) return CAROM_MEMORY;
    for (; p->order_count < count && !status; order = order->next)
        status = recipe_constant(r, order, &p->orders[p->order_count++]);
    return status;
}

static carom_status read_panel(const recipe_reader *r, const node *entry, panel_recipe *p) {
    static const char *const keys[] = {"title", "x", "y", "curves", "orders"};
    p->x_label = "t [s]", p->y_label = "";
    carom_status status = check_keys(entry, "a panel", keys, 5, r->error);
    if (!status) status = recipe_text(r, entry, "title", &p->title);
    if (!status) status = read_axis(r, yaml_find(entry, "x"), &p->x_label, &p->x_log, &p->x_from, &p->x_to);
    if (!status) status = read_axis(r, yaml_find(entry, "y"), &p->y_label, &p->y_log, &p->y_from, &p->y_to);
    if (!status) status = read_orders(r, entry, p);
    int count;
    const node *curve = recipe_entries(yaml_find(entry, "curves"), &count);
    if (!status && !count) status = node_error(r->error, entry, "'curves' is missing: a list of curves");
    if (!status && !(p->curves = recipe_room(r, count, sizeof *p->curves))) status = CAROM_MEMORY;
    for (; p->count < count && !status; curve = curve->next) status = read_curve(r, curve, &p->curves[p->count++]);
    return status;
}

static carom_status read_panels(const recipe_reader *r, const node *entry, picture *p) {
    static const char *const keys[] = {"panels", "title", "columns"};
    int count;
    double columns = 0;
    const node *panel = recipe_entries(yaml_find(entry, "panels"), &count);
    carom_status status = check_keys(entry, "a picture", keys, 3, r->error);
    if (!status && !(p->panels = recipe_room(r, count, sizeof *p->panels))) status = CAROM_MEMORY;
    if (!status) status = recipe_number(r, entry, "columns", &columns);
    p->kind = PICTURE_PANELS, p->columns = (int)fmax(0, fmin(columns, 12));
    for (; p->count < count && !status; panel = panel->next) status = read_panel(r, panel, &p->panels[p->count++]);
    return status;
}

/* ---- other pictures */

static const char *const compare_keys[] = {"compare", "title"};

static carom_status needed_source(const recipe_reader *r, const node *entry, const char *key, source_kind kind,
                                  int *place) {
    carom_status status = recipe_source(r, entry, key, place);
    if (!status && (*place < 0 || r->figure->sources[*place].kind != kind))
        status = node_error(r->error, yaml_find(entry, key) ? yaml_find(entry, key) : entry, "'%s' names one of the %s",
                            key, kind == SOURCE_RUN ? "runs" : "comparisons");
    return status;
}

/* at: [0.1, 0.2], joined as after --at */
static carom_status read_times(const recipe_reader *r, const node *list, const char **at) {
    int count;
    const node *time = recipe_entries(list, &count);
    char *joined = recipe_room(r, 32 * count, 1);
    if (!joined) return CAROM_MEMORY;
    for (double value; count > 0; count--, time = time->next) {
        carom_status status = recipe_constant(r, time, &value);
        if (status) return status;
        snprintf(joined + strlen(joined), 32, "%s%.12g", joined[0] ? "," : "", value);
    }
    *at = joined[0] ? joined : NULL;
    return CAROM_OK;
}

static carom_status read_storyboard(const recipe_reader *r, const node *entry, picture *p) {
    static const char *const keys[] = {"of", "at", "view", "trails"}, *const outer[] = {"storyboard", "title"};
    const node *board = yaml_find(entry, "storyboard");
    p->kind = PICTURE_STORYBOARD;
    carom_status status = check_keys(entry, "a storyboard", outer, 2, r->error);
    if (!status) status = check_keys(board, "a storyboard", keys, 4, r->error);
    if (!status) status = needed_source(r, board, "of", SOURCE_RUN, &p->source);
    if (!status) status = read_times(r, yaml_find(board, "at"), &p->at);
    if (!status) status = recipe_text(r, board, "view", &p->view);
    if (!status) status = recipe_flag(r, board, "trails", &p->trails);
    return status;
}

static carom_status read_picture(const recipe_reader *r, const node *entry, picture *p) {
    p->where = entry;
    if (entry->kind != NODE_MAP) return node_error(r->error, entry, "a picture is a map");
    carom_status status = recipe_text(r, entry, "title", &p->title);
    if (status) return status;
    if (yaml_find(entry, "panels")) return read_panels(r, entry, p);
    if (yaml_find(entry, "storyboard")) return read_storyboard(r, entry, p);
    if (!yaml_find(entry, "compare"))
        return node_error(r->error, entry,
                          "a picture has 'panels', a 'storyboard' or is that of a comparison ('compare')");
    p->kind = PICTURE_COMPARE;
    status = check_keys(entry, "a picture", compare_keys, 2, r->error);
    return status ? status : needed_source(r, entry, "compare", SOURCE_COMPARE, &p->source);
}

carom_status read_pictures(recipe_reader *r, const node *list) {
    int count;
    figure_recipe *f = r->figure;
    const node *entry = recipe_entries(list, &count);
    carom_status status = CAROM_OK;
    if (!(f->pictures = recipe_room(r, count, sizeof *f->pictures))) return CAROM_MEMORY;
    for (; f->picture_count < count && !status; entry = entry->next)
        status = read_picture(r, entry, &f->pictures[f->picture_count++]);
    return status;
}

/* ---- tables */

static carom_status read_cell(const recipe_reader *r, const node *entry, cell *c) {
    static const char *const keys[] = {"of", "value", "format"};
    if (entry->kind == NODE_TEXT) return c->text = entry->text, CAROM_OK;
    int home;
    const node *value = yaml_find(entry, "value");
    c->format = "%.4g";
    carom_status status = check_keys(entry, "a cell", keys, 3, r->error);
    if (!status && !value) status = node_error(r->error, entry, "a cell is text, or has a 'value'");
    if (!status) status = recipe_source(r, entry, "of", &home);
    if (!status) status = recipe_formula(r, value, home, &c->value);
    if (!status) status = recipe_text(r, entry, "format", &c->format);
    return status;
}

/* One number and nothing else that printf would look for. */
static bool is_format(const char *format) {
    const char *percent = strchr(format, '%');
    if (!percent) return false;
    const char *kind = percent + 1 + strspn(percent + 1, "+-0 .123456789");
    return *kind && strchr("efgEG", *kind) && !strchr(kind, '%');
}

static carom_status read_row(const recipe_reader *r, const node *row, table_recipe *t, cell *cells) {
    int count;
    const node *entry = recipe_entries(row, &count);
    if (count != t->columns) return node_error(r->error, row, "a row of %d cells is expected", t->columns);
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++, entry = entry->next) {
        status = read_cell(r, entry, &cells[i]);
        if (!status && cells[i].format && !is_format(cells[i].format))
            status = node_error(r->error, entry, "a format has one number, as in '%%.3f'");
    }
    return status;
}

static carom_status read_cells(const recipe_reader *r, const node *entry, table_recipe *t) {
    static const char *const keys[] = {"title", "head", "rows"};
    const node *head = recipe_entries(yaml_find(entry, "head"), &t->columns);
    int rows;
    const node *row = recipe_entries(yaml_find(entry, "rows"), &rows);
    carom_status status = check_keys(entry, "a table", keys, 3, r->error);
    t->head = recipe_room(r, t->columns, sizeof *t->head);
    t->cells = recipe_room(r, rows * t->columns, sizeof *t->cells);
    if (!t->head || !t->cells) return CAROM_MEMORY;
    for (int i = 0; i < t->columns && !status; i++, head = head->next) {
        status = check_text(head, "a head of a column", r->error);
        t->head[i] = head->text;
    }
    for (; t->rows < rows && !status; t->rows++, row = row->next)
        status = read_row(r, row, t, &t->cells[t->rows * t->columns]);
    return status;
}

carom_status read_tables(recipe_reader *r, const node *list) {
    int count;
    figure_recipe *f = r->figure;
    const node *entry = recipe_entries(list, &count);
    carom_status status = CAROM_OK;
    if (!(f->tables = recipe_room(r, count, sizeof *f->tables))) return CAROM_MEMORY;
    for (; f->table_count < count && !status; entry = entry->next) {
        table_recipe *t = &f->tables[f->table_count++];
        t->compare = -1;
        status = recipe_text(r, entry, "title", &t->title);
        if (!status && !yaml_find(entry, "compare")) status = read_cells(r, entry, t);
        else if (!status) {
            status = check_keys(entry, "a table", compare_keys, 2, r->error);
            if (!status) status = needed_source(r, entry, "compare", SOURCE_COMPARE, &t->compare);
        }
    }
    return status;
}
