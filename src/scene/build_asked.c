/* Quantities that formulas know by name and that a run records only if asked: coordinates of joints, lengths of
 * springs, definitions. 'record' or 'plot' asks by name, by a pattern with a letter after its last dot ("*.angle"), or
 * in a formula. */
#include "draft.h"
#include "error.h"

#include <fnmatch.h>
#include <string.h>

static bool in_full_name(char c) {
    return in_name(c) || c == '.';
}

/* Whether the name is a whole word in the text. */
static bool occurs(const char *text, size_t size, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i + length <= size; i++)
        if (strncmp(text + i, name, length) == 0 && (i == 0 || !in_full_name(text[i - 1])) &&
            (i + length == size || !in_full_name(text[i + length])))
            return true;
    return false;
}

static bool fits_pattern(const char *text, size_t size, const char *name) {
    char pattern[256];
    if (size >= sizeof pattern) return false;
    memcpy(pattern, text, size);
    pattern[size] = '\0';
    const char *dot = strrchr(pattern, '.');
    return dot && strpbrk(pattern, "*?[") && !strchr("*?[", dot[1]) && fnmatch(pattern, name, 0) == 0;
}

/* Reads one entry of 'record' or 'plot'; in 'plot' it may name several, "x,y" or "x:y". */
static bool asks(const char *text, const char *name) {
    while (*text) {
        text += strspn(text, ",: ");
        size_t size = strcspn(text, ",:"), trimmed = size;
        while (trimmed && text[trimmed - 1] == ' ') trimmed--;
        if (occurs(text, trimmed, name) || fits_pattern(text, trimmed, name)) return true;
        text += size;
    }
    return false;
}

static bool list_asks(const node *list, const char *name) {
    bool single = list && list->kind == NODE_TEXT;
    for (const node *item = single ? list : list ? list->first : NULL; item; item = single ? NULL : item->next)
        if (item->kind == NODE_TEXT && asks(item->text, name)) return true;
    return false;
}

bool draft_is_asked(const draft *d, const char *name) {
    const node *root = d->scene->root;
    return list_asks(yaml_find(yaml_find(root, "run"), "record"), name) || list_asks(yaml_find(root, "plot"), name);
}

bool symbol_is_askable(const symbol *s) {
    return s->kind == SYMBOL_DEFINITION || s->kind == SYMBOL_RATE;
}

carom_status draft_add_asked(draft *d) {
    carom_status status = CAROM_OK;
    const node *root = d->scene->root;
    if (!yaml_find(yaml_find(root, "run"), "record") && !yaml_find(root, "plot")) return CAROM_OK;
    for (const symbol *s = d->n->symbols.first; s && !status; s = s->next) {
        if (!symbol_is_askable(s) || table_find(&d->recorded, s->name) || names_is_recorded(s->name)) continue;
        if (!draft_is_asked(d, s->name)) continue;
        if (!table_add(d->n->memory, &d->recorded, s->name, SYMBOL_CONTACT, s->where))
            return carom_error_memory(d->n->error);
        status = draft_append(d, FORMULA_OBSERVABLE, s->name, s->value, s->where);
    }
    return status;
}
