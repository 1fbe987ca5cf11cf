#include "yaml.h"

#include "error.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 }; /* scenes nest four deep */

typedef struct reader {
    arena *memory;
    const char *text, *file;
    bool positions;
    struct fy_parser *parser;
    struct fy_diag *diag;
    carom_error *error;
} reader;

static void place(const reader *r, node *n, const struct fy_mark *mark) {
    n->file = r->file;
    if (!mark || !r->positions) return;
    n->line = mark->line + 1;
    n->column = mark->column + 1;
}

static carom_status refuse(const reader *r, const struct fy_mark *mark, const char *what) {
    node at = {0};
    place(r, &at, mark);
    return node_error(r->error, &at, "%s", what);
}

/* The first complaint of the YAML parser. */
static carom_status malformed(const reader *r) {
    void *previous = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(r->diag, &previous);
    bool known = r->positions && e && e->line > 0;
    return carom_error_at(r->error, CAROM_DATA, r->file, known ? e->line : 0, known ? e->column : 0,
                          "not valid YAML: %s%s", e ? e->msg : "it cannot be read",
                          e && strstr(e->msg, " in flow ") ? "; quote formulas with brackets or commas" : "");
}

static bool is_null(const char *text) {
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static carom_status read_scalar(reader *r, struct fy_event *event, node *n) {
    struct fy_token *token = event->scalar.value;
    const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    const char *raw = start ? r->text + start->input_pos : NULL, *raw_end = end ? r->text + end->input_pos : NULL;
    enum fy_scalar_style style = fy_scalar_token_get_style(token);
    bool plain = style == FYSS_PLAIN || style == FYSS_ANY;
    /* libfyaml 0.7 loses memory over such texts */
    if (style == FYSS_SINGLE_QUOTED && raw && memmem(raw, (size_t)(raw_end - raw), "''''", 4))
        return refuse(r, start, "a text with quotes in a row must stand in double quotes");
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length);
    if (!text && length) return carom_error_memory(r->error);
    n->text = arena_text(r->memory, text, length);
    if (!n->text) return carom_error_memory(r->error);
    if (strlen(n->text) != length) return refuse(r, start, "a text must not contain the character NUL");
    n->kind = plain && is_null(n->text) ? NODE_EMPTY : NODE_TEXT;
    if (raw && r->positions) n->raw = raw, n->raw_end = raw_end;
    return CAROM_OK;
}

static int by_key(const void *a, const void *b) {
    const node *const *x = a, *const *y = b;
    int order = strcmp((*x)->key->text, (*y)->key->text);
    if (order) return order;
    if ((*x)->key->line != (*y)->key->line) return (*x)->key->line - (*y)->key->line;
    return (*x)->key->column - (*y)->key->column;
}

static carom_status check_twice(reader *r, const node *map) {
    int count = yaml_count(map);
    if (count < 2) return CAROM_OK;
    const node **sorted = arena_get(r->memory, (size_t)count * sizeof *sorted);
    if (!sorted) return carom_error_memory(r->error);
    int n = 0;
    for (const node *child = map->first; child; child = child->next) sorted[n++] = child;
    qsort(sorted, (size_t)count, sizeof *sorted, by_key);
    for (int i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->key->text, sorted[i]->key->text) == 0)
            return node_error(r->error, sorted[i]->key, "the key '%s' appears twice", sorted[i]->key->text);
    return CAROM_OK;
}

/* The number of parentheses that a text opens minus those that it closes. */
static int open_parentheses(const char *text) {
    int open = 0;
    for (; *text; text++) open += (*text == '(') - (*text == ')');
    return open;
}

/* In [...] and {...} YAML cuts a formula at its commas: "if(a, b, c)" becomes "if(a", "b" and "c)". */
static carom_status check_cut(reader *r, const node *parent) {
    const node *cut = NULL;
    int open = 0;
    for (const node *child = parent->first; child; child = child->next) {
        bool bare = parent->kind == NODE_MAP && child->kind == NODE_EMPTY; /* a key "b" without a value, within {...} */
        const char *text = bare ? child->key->text : child->kind == NODE_TEXT ? child->text : "";
        if (cut && parent->kind == NODE_MAP && !bare) cut = NULL, open = 0;
        open += open_parentheses(text);
        if (cut && open <= 0)
            return node_error(r->error, cut, "YAML cut the formula '%s, ...' at its commas: put it in quotes",
                              cut->text);
        if (!cut && open > 0) cut = child;
        if (open <= 0) open = 0;
    }
    return CAROM_OK;
}

static carom_status read_node(reader *r, struct fy_event *event, int depth, node **out);

/* The next event; NULL with error filled. */
static struct fy_event *next_event(reader *r, carom_status *status) {
    struct fy_event *event = fy_parser_parse(r->parser);
    *status = event ? CAROM_OK : malformed(r);
    return event;
}

static carom_status read_child(reader *r, enum fy_event_type closing, int depth, node **out) {
    carom_status status;
    *out = NULL;
    struct fy_event *event = next_event(r, &status);
    if (event && event->type != closing) status = read_node(r, event, depth, out);
    fy_parser_event_free(r->parser, event);
    return status;
}

static bool is_ascii(const char *text) {
    while (*text && (unsigned char)*text < 0x80) text++;
    return !*text;
}

static carom_status read_children(reader *r, node *parent, int depth) {
    enum fy_event_type closing = parent->kind == NODE_MAP ? FYET_MAPPING_END : FYET_SEQUENCE_END;
    for (node **tail = &parent->first;; tail = &(*tail)->next) {
        node *key = NULL, *child;
        carom_status status = read_child(r, closing, depth + 1, &child);
        if (!status && !child) status = check_cut(r, parent);
        if (status || !child) return status ? status : parent->kind == NODE_MAP ? check_twice(r, parent) : CAROM_OK;
        if (parent->kind == NODE_MAP) {
            key = child;
            if (key->kind != NODE_TEXT) return node_error(r->error, key, "a key must be a name");
            if (!is_ascii(key->text))
                return node_error(r->error, key, "a name consists of ASCII letters (a to z), digits and underscores");
            status = read_child(r, FYET_NONE, depth + 1, &child);
            if (status) return status;
        }
        child->key = key;
        if (!child->line && key) child->line = key->line, child->column = key->column; /* a key without a value */
        *tail = child;
    }
}

static carom_status read_node(reader *r, struct fy_event *event, int depth, node **out) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    struct fy_token *anchor = fy_event_get_anchor_token(event), *tag = fy_event_get_tag_token(event);
    if (depth > DEPTH) return refuse(r, mark, "nested too deeply for a scene");
    if (event->type == FYET_ALIAS) return refuse(r, mark, "scenes have no aliases ('*name'); use 'parameters'");
    if (anchor) return refuse(r, fy_token_start_mark(anchor), "scenes have no anchors ('&name')");
    if (tag) return refuse(r, fy_token_start_mark(tag), "scenes have no tags ('!name')");
    node *n = arena_get(r->memory, sizeof *n);
    if (!n) return carom_error_memory(r->error);
    place(r, n, mark);
    *out = n;
    if (event->type == FYET_SCALAR) return read_scalar(r, event, n);
    n->kind = event->type == FYET_MAPPING_START ? NODE_MAP : NODE_LIST;
    return read_children(r, n, depth);
}

static carom_status read_stream(reader *r, node **root) {
    carom_status status = CAROM_OK;
    *root = NULL;
    for (bool end = false; !status && !end;) {
        struct fy_event *event = next_event(r, &status);
        if (!event) break;
        end = event->type == FYET_STREAM_END;
        bool marker = end || event->type == FYET_STREAM_START || event->type == FYET_DOCUMENT_START ||
                      event->type == FYET_DOCUMENT_END;
        if (!marker && *root)
            status = refuse(r, fy_event_start_mark(event), "a scene is one YAML document, here a second one starts");
        if (!marker && !*root) status = read_node(r, event, 0, root);
        fy_parser_event_free(r->parser, event);
    }
    if (!status && !*root) *root = arena_get(r->memory, sizeof **root);
    if (!status && !*root) status = carom_error_memory(r->error);
    if (!status && !(*root)->line) place(r, *root, &(struct fy_mark){0});
    return status;
}

/* ---- characters: libfyaml 0.7 may hang on what is not text */

/* The length of the UTF-8 character at c and its code point; 0: none. */
static int decode(const unsigned char *c, const unsigned char *end, unsigned *point) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    if (length == 0 || end - c < length) return 0;
    *point = length == 1 ? c[0] : c[0] & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if (c[i] >> 6 != 2) return 0;
        *point = *point << 6 | (c[i] & 0x3Fu);
    }
    bool surrogate = *point >= 0xD800 && *point < 0xE000;
    return *point < least[length] || *point > 0x10FFFF || surrogate ? 0 : length;
}

static bool is_text(unsigned point) {
    bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    bool space = point == '\t' || point == '\n' || point == '\r';
    return (!control || space) && point != 0x2028 && point != 0x2029;
}

static carom_status check_characters(const reader *r, size_t size) {
    const unsigned char *c = (const unsigned char *)r->text, *end = c + size;
    struct fy_mark at = {0};
    unsigned point = 0;
    for (int length; c < end; c += length) {
        length = decode(c, end, &point);
        if (!length) return refuse(r, &at, "a scene is UTF-8 text, here it is not");
        if (point == 0xFEFF) return refuse(r, &at, "a scene is UTF-8 without a byte order mark, here is one");
        if (!is_text(point)) return refuse(r, &at, "a scene is text, here is a control character");
        if (point == '%' && at.column == 0) return refuse(r, &at, "scenes have no directives ('%')");
        at.column++;
        if (point == '\n') at.line++, at.column = 0;
    }
    return CAROM_OK;
}

carom_status yaml_parse(arena *memory, const char *text, size_t size, const char *file, bool positions, node **root,
                        carom_error *error) {
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    reader r = {memory, text, file, positions, NULL, fy_diag_create(&quiet), error};
    if (!r.diag) return carom_error_memory(error);
    carom_status status = check_characters(&r, size);
    fy_diag_set_collect_errors(r.diag, true);
    if (!status) {
        r.parser = fy_parser_create(&(struct fy_parse_cfg){.flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = r.diag});
        bool ready = r.parser && fy_parser_set_string(r.parser, text, size) == 0;
        status = ready ? read_stream(&r, root) : carom_error_memory(error);
    }
    fy_parser_destroy(r.parser);
    fy_diag_destroy(r.diag);
    return status;
}
