#include "read.h"

#include "error.h"
#include "model/space.h"

#include <stdio.h>
#include <string.h>

carom_status read_constant(draft *d, const element *e, const char *key, expr *value) {
    const node *text = yaml_find(e->value, key);
    double now;
    return text ? names_constant(d->n, text, &e->index, value, &now) : CAROM_OK;
}

carom_status read_positive_constant(draft *d, const element *e, const char *key, expr *value) {
    char what[64];
    carom_status status = read_constant(d, e, key, value);
    if (status || !yaml_find(e->value, key)) return status;
    snprintf(what, sizeof what, "the %.50s", key);
    return draft_positive(d, *value, yaml_find(e->value, key), what);
}

carom_status read_number(draft *d, const element *e, const char *key, double *value) {
    const node *text = yaml_find(e->value, key);
    return text ? names_number(d->n, text, &e->index, value) : CAROM_OK;
}

carom_status read_positive(draft *d, const element *e, const char *key, double *value) {
    carom_status status = read_number(d, e, key, value);
    if (status || *value > 0 || !yaml_find(e->value, key)) return status;
    return node_error(d->n->error, yaml_find(e->value, key), "the %s must be positive, it is %g", key, *value);
}

carom_status read_pieces(draft *d, const element *e, const char *what, int *count) {
    const node *text = yaml_find(e->value, "elements");
    double value = 0;
    if (!text)
        return node_error(d->n->error, e->key, "%s '%s' needs 'elements', a whole number of them", what, e->name);
    carom_status status = names_number(d->n, text, &e->index, &value);
    if (status) return status;
    if (!(value >= 1) || value != floor(value))
        return node_error(d->n->error, text, "%s '%s' needs a whole number of elements from 1 on, not %g", what,
                          e->name, value);
    if (value >= d->n->elements)
        return node_error(d->n->error, text, "%s '%s' of %g elements makes the scene too large", what, e->name, value);
    *count = (int)value;
    return CAROM_OK;
}

static carom_status check_length_of_list(draft *d, const node *list, const char *key, int least, int most) {
    int count = list->kind == NODE_LIST ? yaml_count(list) : 1;
    if (list->kind == NODE_MAP || count < least || count > most) {
        if (least == most) return node_error(d->n->error, list, "'%s' must be a list of %d", key, least);
        return node_error(d->n->error, list, "'%s' must be a list of %d to %d", key, least, most);
    }
    return CAROM_OK;
}

static const node *first_of(const node *list) {
    return list->kind == NODE_LIST ? list->first : list;
}

static const node *next_of(const node *list, const node *item) {
    return list->kind == NODE_LIST ? item->next : NULL;
}

static carom_status constants_of(draft *d, const node *list, const char *key, const parse_index *index, int least,
                                 int most, expr *x, int *count) {
    double now;
    carom_status status = check_length_of_list(d, list, key, least, most);
    for (const node *item = first_of(list); item && !status; item = next_of(list, item))
        status = names_constant(d->n, item, index, &x[(*count)++], &now);
    return status;
}

carom_status read_numbers(draft *d, const element *e, const char *key, int least, int most, double *x, int *count) {
    const node *list = yaml_find(e->value, key);
    *count = 0;
    for (int i = 0; i < most; i++) x[i] = 0;
    if (!list) return CAROM_OK;
    carom_status status = check_length_of_list(d, list, key, least, most);
    for (const node *item = first_of(list); item && !status; item = next_of(list, item))
        status = names_number(d->n, item, &e->index, &x[(*count)++]);
    return status;
}

carom_status read_constants(draft *d, const element *e, const char *key, int least, int most, expr *x, int *count) {
    const node *list = yaml_find(e->value, key);
    *count = 0;
    for (int i = 0; i < most; i++) x[i] = expr_number(d->n->g, 0);
    return list ? constants_of(d, list, key, &e->index, least, most, x, count) : CAROM_OK;
}

carom_status read_pair(draft *d, const element *e, const char *key, vec x[2], bool *given) {
    const node *pair = yaml_find(e->value, key);
    *given = pair != NULL;
    x[0] = x[1] = vec_zero(d->n->g);
    if (!pair) return CAROM_OK;
    carom_status status = check_length_of_list(d, pair, key, 2, 2);
    int side = 0;
    for (const node *list = first_of(pair); list && !status; list = next_of(pair, list)) {
        int count = 0;
        status = constants_of(d, list, key, &e->index, 2, 3, x[side++].at, &count);
    }
    return status;
}

carom_status read_direction(draft *d, const element *e, const char *key, vec *n) {
    int count;
    vec x;
    carom_status status = read_constants(d, e, key, 2, 3, x.at, &count);
    return status || !count ? status : draft_direction(d, yaml_find(e->value, key), key, x, n);
}

carom_status read_formula(draft *d, const element *e, const char *key, expr *value) {
    const node *text = yaml_find(e->value, key);
    *value = -1;
    return text ? names_formula(d->n, text, &e->index, value) : CAROM_OK;
}

static carom_status point_with(draft *d, const node *list, const char *name, const parse_index *index,
                               const local_name *local, vec *x) {
    carom_status status = check_length_of_list(d, list, name, 1, 3);
    int i = 0;
    *x = vec_zero(d->n->g);
    for (const node *item = first_of(list); item && !status; item = next_of(list, item))
        status = names_formula_with(d->n, item, index, local, &x->at[i++]);
    return status;
}

carom_status read_vector(draft *d, const node *list, const char *name, const parse_index *index, vec *x) {
    return point_with(d, list, name, index, NULL, x);
}

static carom_status formulas_with(draft *d, const element *e, const char *key, const local_name *local, vec *x,
                                  bool *given) {
    const node *list = yaml_find(e->value, key);
    *x = vec_zero(d->n->g);
    *given = list != NULL;
    return list ? point_with(d, list, key, &e->index, local, x) : CAROM_OK;
}

carom_status read_formulas(draft *d, const element *e, const char *key, vec *x, bool *given) {
    return formulas_with(d, e, key, NULL, x, given);
}

carom_status read_formulas_of(draft *d, const element *e, const char *key, const local_name *variable, vec *x) {
    bool given;
    carom_status status = formulas_with(d, e, key, variable, x, &given);
    for (int i = 0; i < 3 && !status; i++)
        if (expr_depends(d->n->g, x->at[i], 0, d->nq + d->nu))
            status = node_error(d->n->error, yaml_find(e->value, key), "'%s' may depend on %s and parameters only", key,
                                variable->name);
    return status;
}

carom_status read_word(draft *d, const element *e, const char *key, const char *what, const char *const *words,
                       int *word) {
    const node *text = yaml_find(e->value, key);
    int count = 0;
    if (!text) return CAROM_OK;
    carom_status status = check_text(text, what, d->n->error);
    if (status) return status;
    for (; words[count]; count++)
        if (strcmp(text->text, words[count]) == 0) {
            *word = count;
            return CAROM_OK;
        }
    if (carom_nearest(text->text, words, count))
        return node_error_near(d->n->error, text, text->text, words, count, "there is no %s '%.60s'", what, text->text);
    char known[160] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", words[i]);
    }
    return node_error(d->n->error, text, "there is no %s '%.60s', only %s", what, text->text, known);
}

carom_status read_keys(draft *d, const element *e, const char *what, const char *family, const char *word) {
    return check_word(e->value, what, family, word, d->n->error);
}

/* ---- references: the parser resolves indices, the table knows the name */

typedef struct reference {
    draft *d;
    const symbol *found;
} reference;

static expr find_member(void *context, const char *name, parse_error *error) {
    reference *r = context;
    const members *all = &r->d->members;
    const symbol *parameter = table_find(&r->d->n->symbols, name); /* in an index: beam[n+1] */
    if (parameter && parameter->kind == SYMBOL_PARAMETER) return parameter->value;
    r->found = table_find(&r->d->member_names, name);
    if (r->found) return expr_number(r->d->n->g, 0);
    const char **known = zeros(r->d, all->count, sizeof *known);
    for (int i = 0; known && i < all->count; i++) known[i] = all->at[i].name;
    const char *near = known ? carom_nearest(name, known, all->count) : NULL;
    relatives f;
    if (known && names_relatives(name, known, all->count, &f)) {
        int stem = f.stem < 60 ? f.stem : 60;
        snprintf(error->message, sizeof error->message,
                 "there is no body or frame '%.60s', only '%.*s%ld' to '%.*s%ld'", name, stem, name, f.low, stem, name,
                 f.high);
        return -1;
    }
    snprintf(error->message, sizeof error->message, "there is no body or frame '%.60s'%s%.60s%s", name,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    return -1;
}

carom_status read_member(draft *d, const node *text, const parse_index *index, int *found) {
    carom_status status = text->kind == NODE_TEXT ? CAROM_OK : node_error(d->n->error, text, "expected a body");
    if (status) return status;
    reference r = {d, NULL};
    parse_error problem = {0};
    const parse_index *bound = index && index->name ? index : NULL;
    expr value = parse_formula(d->n->g, text->text, find_member, &r, bound, &problem);
    if (value >= 0 && !r.found) return node_error(d->n->error, text, "expected the name of a body or frame");
    if (value < 0) return node_error_in(d->n->error, text, problem.offset, "%s", problem.message);
    *found = r.found->id;
    return CAROM_OK;
}

carom_status check_two(draft *d, const node *where, const char *what, const char *name, const int of[2]) {
    const member *a = &d->members.at[of[0]], *b = &d->members.at[of[1]];
    if (a == b) return node_error(d->n->error, where, "%s '%s' is between '%s' and itself", what, name, a->name);
    if (a->body.nu || b->body.nu) return CAROM_OK;
    return node_error(d->n->error, where, "%s '%s' needs a body: '%s' and '%s' are frames", what, name, a->name,
                      b->name);
}

carom_status read_two(draft *d, const element *e, const char *key, const char *what, int found[2]) {
    const node *pair = yaml_find(e->value, key);
    if (!pair || pair->kind != NODE_LIST || yaml_count(pair) != 2)
        return node_error(d->n->error, pair ? pair : e->key, "%s '%s' needs '%s: [a, b]', two bodies", what, e->name,
                          key);
    carom_status status = read_member(d, pair->first, &e->index, &found[0]);
    if (!status) status = read_member(d, pair->first->next, &e->index, &found[1]);
    return status ? status : check_two(d, pair, what, e->name, found);
}
