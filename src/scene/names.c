#include "names.h"

#include "error.h"
#include "hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- table */

static symbol **slot(symbol **slots, int capacity, const char *name) {
    unsigned i = (unsigned)hash_bytes(0, name, strlen(name)) & (unsigned)(capacity - 1);
    while (slots[i] && strcmp(slots[i]->name, name) != 0) i = (i + 1) & (unsigned)(capacity - 1);
    return &slots[i];
}

symbol *table_find(const table *t, const char *name) {
    return t->capacity ? *slot(t->slots, t->capacity, name) : NULL;
}

static bool table_reserve(arena *memory, table *t) {
    if (2 * (t->count + 1) <= t->capacity) return true;
    int capacity = t->capacity ? 2 * t->capacity : 64;
    symbol **slots = arena_get(memory, (size_t)capacity * sizeof *slots);
    if (!slots) return false;
    for (symbol *s = t->first; s; s = s->next) *slot(slots, capacity, s->name) = s;
    t->slots = slots;
    t->capacity = capacity;
    return true;
}

symbol *table_add(arena *memory, table *t, const char *name, symbol_kind kind, const node *where) {
    symbol *s = arena_get(memory, sizeof *s);
    if (!s || !table_reserve(memory, t)) return NULL;
    *s = (symbol){.name = name, .kind = kind, .where = where};
    *slot(t->slots, t->capacity, name) = s;
    if (t->last) t->last->next = s;
    else t->first = s;
    t->last = s;
    t->count++;
    return s;
}

/* ---- declaring */

static const char *const kind_text[] = {
    "a parameter", "an input", "a coordinate", "a velocity", "the rate of a coordinate", "a definition", "a contact"};

bool names_is_recorded(const char *name) {
    static const char *const recorded[] = {"T", "V", "E", "newton", "residual"};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        if (strcmp(name, recorded[i]) == 0) return true;
    return false;
}

carom_status names_declare(names *n, const char *name, symbol_kind kind, const node *where, symbol **declared) {
    parse_error illegal;
    if (!parse_is_name(name, &illegal)) return node_error(n->error, where, "%s", illegal.message);
    if (kind != SYMBOL_PARAMETER && kind != SYMBOL_DEFINITION && names_is_recorded(name))
        return node_error(n->error, where, "'%s' is the name of a recorded quantity, %s needs another one", name,
                          kind_text[kind]);
    const symbol *old = table_find(&n->symbols, name);
    if (old) return node_error(n->error, where, "'%s' is already %s", name, kind_text[old->kind]);
    *declared = table_add(n->memory, &n->symbols, name, kind, where);
    return *declared ? CAROM_OK : carom_error_memory(n->error);
}

/* ---- formulas */

static expr resolve(names *n, symbol *s);

static expr undefined(names *n, const char *name, parse_error *error) {
    int locals = 0, count = 0;
    for (const local_name *l = n->local; l; l = l->next) locals++;
    const char **known = arena_get(n->memory, (size_t)(n->symbols.count + locals + 1) * sizeof *known);
    for (const local_name *l = n->local; known && l; l = l->next) known[count++] = l->name;
    for (const symbol *s = n->symbols.first; known && s; s = s->next)
        if (!n->constant || s->kind == SYMBOL_PARAMETER) known[count++] = s->name;
    const char *nearest = known ? carom_nearest(name, known, count) : NULL;
    relatives r;
    if (known && names_relatives(name, known, count, &r))
        snprintf(error->message, sizeof error->message,
                 "undefined name '%.60s': the family '%.*s' has members %ld..%ld", name, r.stem < 60 ? r.stem : 60,
                 name, r.low, r.high);
    else if (nearest)
        snprintf(error->message, sizeof error->message, "undefined name '%.60s', did you mean '%.60s'?", name, nearest);
    else if (n->local)
        snprintf(error->message, sizeof error->message, "undefined name '%.60s'; this formula knows '%.60s'", name,
                 n->local->name);
    else snprintf(error->message, sizeof error->message, "undefined name '%.60s'", name);
    return -1;
}

static expr circular(const names *n, const symbol *s, parse_error *error) {
    int used = snprintf(error->message, sizeof error->message, "circular definition: "), i = 0;
    while (n->path[i] != s) i++;
    for (; i < n->depth && used < 150; i++)
        used += snprintf(error->message + used, sizeof error->message - (size_t)used, "%.40s -> ", n->path[i]->name);
    snprintf(error->message + used, sizeof error->message - (size_t)used, "%s%.40s", i < n->depth ? "... -> " : "",
             s->name);
    return -1;
}

static expr lookup(void *context, const char *name, parse_error *error) {
    names *n = context;
    if (name[0] == '"') return names_table(n, name, error);
    bool time = strcmp(name, "t") == 0;
    for (const local_name *l = n->depth ? NULL : n->local; l; l = l->next)
        if (strcmp(name, l->name) == 0) return l->value;
    symbol *s = table_find(&n->symbols, name);
    if (time && !n->constant) return expr_symbol(n->g, 0);
    if (!s && !time) return undefined(n, name, error);
    if (n->constant && (time || s->kind != SYMBOL_PARAMETER)) {
        snprintf(error->message, sizeof error->message, "'%.60s' is %s, here only parameters may be used", name,
                 time ? "the time" : kind_text[s->kind]);
        return -1;
    }
    if (s->state == SYMBOL_KNOWN) return s->value;
    if (s->state == SYMBOL_BEGUN) return circular(n, s, error);
    if (n->depth == NAMES_DEPTH) {
        n->deferred = s;
        return -1;
    }
    return resolve(n, s);
}

static expr parse(names *n, const node *text, const parse_index *index, bool constant) {
    parse_error problem = {0};
    bool outer = n->constant;
    n->constant = constant;
    const parse_index *bound = index && index->name ? index : NULL;
    const void *fixing = graph_fix_for(n->g, text);
    const node *around = n->reading;
    n->reading = text;
    expr value = parse_formula_within(n->g, text->text, lookup, n, bound, &n->values, &problem);
    graph_fix_for(n->g, fixing);
    n->reading = around;
    n->constant = outer;
    if (value >= 0 || n->deferred || n->reported) return value;
    n->reported = true;
    if (bound)
        node_error_in(n->error, text, problem.offset, "%s (%s = %d)", problem.message, bound->name, bound->value);
    else node_error_in(n->error, text, problem.offset, "%s", problem.message);
    return -1;
}

static bool constant_value(names *n, const node *text, expr e, double *value) {
    if (expr_rank_of(n->g, e) < RANK_PARAMETER) {
        node_error(n->error, text, "'%.80s' must be a constant", text->text);
        n->reported = true;
    } else if (!isfinite(*value = expr_value(n->g, e, NULL))) {
        node_error(n->error, text, "'%.80s' is not a finite number", text->text);
        n->reported = true;
    }
    return !n->reported;
}

static expr resolve(names *n, symbol *s) {
    double value;
    s->state = SYMBOL_BEGUN;
    n->path[n->depth++] = s;
    s->value = parse(n, s->formula, &s->index, s->kind == SYMBOL_PARAMETER);
    if (s->value >= 0 && s->kind == SYMBOL_PARAMETER) {
        if (!constant_value(n, s->formula, s->value, &value)) s->value = -1;
        else if (expr_is_number(n->g, s->value, NULL))
            s->value = expr_still_symbol(n->g, RANK_PARAMETER, s->name, value);
    }
    n->depth--;
    s->state = s->value >= 0 ? SYMBOL_KNOWN : SYMBOL_UNKNOWN;
    return s->value;
}

/* Definitions nest by recursion up to NAMES_DEPTH. Deeper ones are settled first, from a stack of their own. */
static bool settle(names *n, symbol *s) {
    s->below = NULL;
    for (symbol *top = s; top;) {
        top->waiting = true;
        n->deferred = NULL;
        if (top->state == SYMBOL_KNOWN || resolve(n, top) >= 0) {
            top->waiting = false;
            top = top->below;
        } else if (!n->deferred) {
            return false;
        } else if (n->deferred->waiting) {
            n->reported = true;
            node_error(n->error, n->deferred->where, "circular definition of '%s'", n->deferred->name);
            return false;
        } else {
            n->deferred->below = top;
            top = n->deferred;
        }
    }
    return true;
}

carom_status names_settle(names *n) {
    for (symbol *s = n->symbols.first; s; s = s->next)
        if (s->state != SYMBOL_KNOWN && !settle(n, s)) return n->error->status;
    return CAROM_OK;
}

static carom_status formula(names *n, const node *text, const parse_index *index, bool constant, expr *value) {
    if (text->kind != NODE_TEXT) return node_error(n->error, text, "expected a number or a formula");
    do {
        n->deferred = NULL;
        *value = parse(n, text, index, constant);
    } while (*value < 0 && n->deferred && settle(n, n->deferred));
    return *value < 0 ? n->error->status : CAROM_OK;
}

carom_status names_formula(names *n, const node *text, const parse_index *index, expr *value) {
    return formula(n, text, index, false, value);
}

carom_status names_formula_with(names *n, const node *text, const parse_index *index, const local_name *local,
                                expr *value) {
    n->local = local;
    carom_status status = formula(n, text, index, false, value);
    n->local = NULL;
    return status;
}

carom_status names_constant(names *n, const node *text, const parse_index *index, expr *value_of, double *value) {
    carom_status status = formula(n, text, index, true, value_of);
    if (status) return status;
    return constant_value(n, text, *value_of, value) ? CAROM_OK : n->error->status;
}

carom_status names_number(names *n, const node *text, const parse_index *index, double *value) {
    expr e;
    carom_status status = names_constant(n, text, index, &e, value);
    if (status || n->loose) return status;
    const void *outer = graph_fix_for(n->g, text);
    expr_fix(n->g, e, value);
    graph_fix_for(n->g, outer);
    return CAROM_OK;
}

/* ---- families */

static carom_status family_of(names *n, const node *key, parse_family *family) {
    *family = (parse_family){.first = 1, .last = 1};
    if (!strchr(key->text, '[')) return CAROM_OK;
    parse_error problem = {0};
    bool ok;
    const void *outer = graph_fix_for(n->g, key);
    n->constant = true;
    do {
        n->deferred = NULL;
        ok = parse_family_name(n->g, key->text, lookup, n, family, &problem);
    } while (!ok && n->deferred && settle(n, n->deferred));
    n->constant = false;
    graph_fix_for(n->g, outer);
    if (ok || n->reported) return ok ? CAROM_OK : n->error->status;
    return node_error_in(n->error, key, problem.offset, "%s", problem.message);
}

static carom_status append(names *n, elements *out, element e) {
    out->at = arena_grow(n->memory, out->at, out->count, 1, &out->room, sizeof *out->at);
    if (!out->at) return carom_error_memory(n->error);
    out->at[out->count++] = e;
    return e.name ? CAROM_OK : carom_error_memory(n->error);
}

carom_status names_expand_entry(names *n, const node *entry, bool lists, elements *out) {
    parse_family family;
    carom_status status = family_of(n, entry->key, &family);
    if (status) return status;
    bool list = lists && entry->kind == NODE_LIST, indexed = family.index[0];
    const char *key = indexed ? family.name : entry->key->text;
    const char *index = indexed ? arena_text(n->memory, family.index, strlen(family.index)) : NULL;
    if (indexed && !index) return carom_error_memory(n->error);
    for (long i = family.first; i <= family.last && !status; i++) {
        int item = 1;
        for (const node *value = list ? entry->first : entry; value && !status; value = list ? value->next : NULL) {
            const char *name = indexed && list ? arena_format(n->memory, "%s%ld_%d", key, i, item++)
                               : indexed       ? arena_format(n->memory, "%s%ld%s", key, i, family.tail)
                               : list          ? arena_format(n->memory, "%s%d", key, item++)
                                               : key;
            if (n->elements-- <= 0) return node_error(n->error, entry->key, "'%.80s' makes the scene too large", key);
            status = append(n, out, (element){name, entry->key, value, {index, (int)i, NULL}});
        }
    }
    return status;
}

carom_status names_expand(names *n, const node *map, const char *what, bool lists, elements *out) {
    if (map && map->kind != NODE_MAP) return node_error(n->error, map, "'%s' must be a map from names", what);
    carom_status status = CAROM_OK;
    for (const node *entry = map ? map->first : NULL; entry && !status; entry = entry->next)
        status = names_expand_entry(n, entry, lists, out);
    return status;
}

const char *member_name(arena *memory, const element *e, int k) {
    bool numbered = e->index.name && is_digit(e->name[strlen(e->name) - 1]);
    return arena_format(memory, numbered ? "%s_%d" : "%s%d", e->name, k);
}

/* ---- relatives */

enum { MOST_DIGITS = 9 };

/* The number at text, -1: none; *end is what follows it. */
static long number_at(const char *text, const char **end) {
    long value = 0;
    int digits = 0;
    for (; is_digit(text[digits]) && digits < MOST_DIGITS; digits++) value = 10 * value + (text[digits] - '0');
    *end = text + digits;
    return digits && !is_digit(**end) ? value : -1;
}

static bool relatives_at(const char *name, int stem, const char *const *known, int count, relatives *r) {
    const char *tail, *end;
    long own = number_at(name + stem, &tail), members = 0;
    *r = (relatives){.stem = stem};
    for (int i = 0; i < count; i++) {
        if (strncmp(name, known[i], (size_t)stem) != 0) continue;
        long number = number_at(known[i] + stem, &end);
        if (number < 0 || strcmp(tail, end) != 0) continue;
        if (!members || number < r->low) r->low = number;
        if (!members || number > r->high) r->high = number;
        members++;
    }
    return members > 1 && members == r->high - r->low + 1 && (own < r->low || own > r->high);
}

/* The number may be anywhere after a letter; one that is left out belongs before a dot or at the end. */
bool names_relatives(const char *name, const char *const *known, int count, relatives *r) {
    for (int i = 1; name[0] && name[i - 1]; i++) {
        bool missing = !is_digit(name[i - 1]) && (name[i] == '.' || !name[i]);
        bool number = !is_digit(name[i - 1]) && is_digit(name[i]);
        if ((missing || number) && relatives_at(name, i, known, count, r)) return true;
    }
    return false;
}
