/* Chains: point masses in a row, joined by rods that keep their lengths. A chain is written once and read as what it is
 * made of, families of bodies and joints (docs/theory/elements.md, (DN1)):
 *
 *     rope: {links: n, from: P, to: Q, mass: m, ends: [A, B]}
 *     bodies: {"rope[bead=1..k]": {type: point, mass: ..., position: ...}}
 *     joints: {"rope_link[bead=1..k-1]": {type: distance, bodies: ["rope[bead]", "rope[bead+1]"]}, rope_start: ...,
 * rope_end: ...} */
#include "draft.h"
#include "error.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chain {
    draft *d;
    const node *from; /* its key */
    const node *map;
    const char *name, *links;
    const node *end[2]; /* the bodies at its ends; NULL: free */
    bool lost;          /* out of memory */
} chain;

/* ---- nodes, all of which stand where the chain does */

static void append(node *parent, node *child) {
    node **tail = &parent->first;
    while (*tail) tail = &(*tail)->next;
    *tail = child;
}

static node *new_node(chain *c, node_kind kind, const char *text) {
    node *made = yaml_new(c->d->n->memory, kind, text, c->from);
    c->lost = c->lost || !made;
    return made;
}

__attribute__((format(printf, 2, 3))) static node *text_node(chain *c, const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const char *copy = length < 0 ? NULL : arena_text(c->d->n->memory, text, (size_t)length);
    if (length >= 0) free(text);
    c->lost = c->lost || !copy;
    return copy ? new_node(c, NODE_TEXT, copy) : NULL;
}

static void add(chain *c, node *map, const char *key, node *value) {
    if (c->lost || !value || !map) return;
    value->key = text_node(c, "%s", key);
    value->next = NULL;
    append(map, value);
}

static node *copied(chain *c, const char *key) {
    const node *given = yaml_find(c->map, key);
    node *copy = given ? yaml_copy(c->d->n->memory, given) : NULL;
    c->lost = c->lost || (given && !copy);
    return copy;
}

/* The map under a key of the model, made if it is not there. */
static node *section(chain *c, const char *key) {
    node *map = yaml_find(c->d->model, key);
    if (map && map->kind == NODE_MAP) return map;
    map = new_node(c, NODE_MAP, NULL);
    if (map) add(c, (node *)c->d->model, key, map);
    return map;
}

/* ---- where beads are */

/* Numbers of beads: one at every end of a link where there is no body. */
static const char *beads(chain *c, int less) {
    return arena_format(c->d->n->memory, "%s%+d", c->links, 1 - !!c->end[0] - !!c->end[1] - less);
}

/* The share of the chain up to a bead. */
static const char *share_of_bead(chain *c) {
    const char *share = arena_format(c->d->n->memory, "((bead%+d)/(%s))", c->end[0] ? 0 : -1, c->links);
    c->lost = c->lost || !share;
    return share;
}

/* A formula of s with a share in its place. */
static node *with_share(chain *c, const char *formula, const char *share) {
    char *made = arena_text(c->d->n->memory, "", 0);
    for (const char *at = formula; *at && made && share;) {
        size_t length = 1;
        const bool word = isalpha((unsigned char)*at) || *at == '_';
        while (word && (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.')) length++;
        const bool s = length == 1 && *at == 's';
        made = arena_format(c->d->n->memory, "%s%.*s", made, s ? (int)strlen(share) : (int)length, s ? share : at);
        at += length;
    }
    return made && share ? text_node(c, "%s", made) : (c->lost = true, NULL);
}

static carom_status check_place(chain *c, const node *list, const char *key, int *count) {
    const int n = list && list->kind == NODE_LIST ? yaml_count(list) : 0;
    if (n < 2 || n > 3 || (*count && n != *count))
        return node_error(c->d->n->error, list ? list : c->from,
                          "chain '%s' needs '%s', a list of two components in the plane or three in space", c->name,
                          key);
    for (const node *item = list->first; item; item = item->next)
        if (item->kind != NODE_TEXT) return node_error(c->d->n->error, item, "a component of '%s' is a formula", key);
    *count = n;
    return CAROM_OK;
}

static carom_status read_places(chain *c, node **position, int *count) {
    const node *curve = yaml_find(c->map, "curve"), *from = yaml_find(c->map, "from"), *to = yaml_find(c->map, "to");
    carom_error *error = c->d->n->error;
    *count = 0;
    if (curve && (from || to)) return node_error(error, curve, "chain '%s' has 'curve' and 'from', give one", c->name);
    carom_status status = curve ? check_place(c, curve, "curve", count) : check_place(c, from, "from", count);
    if (!status && !curve) status = check_place(c, to, "to", count);
    if (status) return status;
    node *list = *position = new_node(c, NODE_LIST, NULL);
    const char *share = share_of_bead(c);
    const node *a = curve ? curve->first : from->first, *b = curve ? NULL : to->first;
    for (; a && !c->lost; a = a->next, b = b ? b->next : NULL) {
        const char *formula =
            curve ? a->text : arena_format(c->d->n->memory, "(%s) + ((%s) - (%s))*s", a->text, b->text, a->text);
        if (formula) append(list, with_share(c, formula, share));
        else c->lost = true;
    }
    return CAROM_OK;
}

/* ---- what it is made of */

/* Half of the mass of a link is at each of its ends; that at a body is the next bead's, (DN1). */
static void add_beads(chain *c, node *position) {
    node *bead = new_node(c, NODE_MAP, NULL), *radius = copied(c, "radius"), *round = new_node(c, NODE_MAP, NULL);
    const char *mass = yaml_find(c->map, "mass")->text, *sign[2] = {c->end[0] ? "" : "-", c->end[1] ? "" : "-"};
    add(c, bead, "type", text_node(c, "point"));
    add(c, bead, "mass",
        text_node(c, "(%s)/(%s)*(1 + if(bead < 1.5, %s0.5, 0) + if(bead > %s - 0.5, %s0.5, 0))", mass, c->links,
                  sign[0], beads(c, 0), sign[1]));
    add(c, bead, "position", position);
    if (radius) add(c, round, "sphere", radius), add(c, bead, "shape", round);
    const char *key = arena_format(c->d->n->memory, "%s[bead=1..%s]", c->name, beads(c, 0));
    if (key) add(c, section(c, "bodies"), key, bead);
    else c->lost = true;
}

static node *new_link(chain *c, node *first, node *second) {
    node *joint = new_node(c, NODE_MAP, NULL), *bodies = new_node(c, NODE_LIST, NULL);
    if (c->lost) return NULL;
    append(bodies, first), append(bodies, second);
    add(c, joint, "type", text_node(c, "distance"));
    add(c, joint, "bodies", bodies);
    add(c, joint, "breaks", copied(c, "breaks"));
    return joint;
}

static void add_links(chain *c) {
    const char *key = arena_format(c->d->n->memory, "%s_link[bead=1..%s]", c->name, beads(c, 1));
    node *joint = new_link(c, text_node(c, "%s[bead]", c->name), text_node(c, "%s[bead+1]", c->name));
    if (key) add(c, section(c, "joints"), key, joint);
    else c->lost = true;
}

/* The point of a body where the chain begins or ends: given, for the world its own end, else the origin. */
static node *point_of(chain *c, int end, int count) {
    const node *points = yaml_find(c->map, "points"), *given = points ? points->first : NULL;
    if (given && end) given = given->next;
    if (given) return yaml_copy(c->d->n->memory, given);
    const bool world = !strcmp(c->end[end]->text, "world");
    const node *curve = yaml_find(c->map, "curve"), *at = yaml_find(c->map, end ? "to" : "from");
    if (world && at) return yaml_copy(c->d->n->memory, at);
    node *list = new_node(c, NODE_LIST, NULL);
    const node *item = world && curve ? curve->first : NULL;
    for (int i = 0; i < count && !c->lost; i++, item = item ? item->next : NULL)
        append(list, item ? with_share(c, item->text, end ? "1" : "0") : text_node(c, "0"));
    return list;
}

/* A link from a body to the first or last bead. */
static void add_end(chain *c, int end, int count) {
    node *points = new_node(c, NODE_LIST, NULL), *origin = new_node(c, NODE_LIST, NULL);
    if (!c->end[end] || c->lost) return;
    node *bead = end ? text_node(c, "%s[%s]", c->name, beads(c, 0)) : text_node(c, "%s[1]", c->name);
    node *joint = new_link(c, text_node(c, "%s", c->end[end]->text), bead), *at = point_of(c, end, count);
    if (c->lost || !at) return;
    at->key = NULL, at->next = NULL;
    for (int i = 0; i < count; i++) append(origin, text_node(c, "0"));
    append(points, at), append(points, origin);
    add(c, joint, "points", points);
    const char *key = arena_format(c->d->n->memory, "%s_%s", c->name, end ? "end" : "start");
    if (key) add(c, section(c, "joints"), key, joint);
    else c->lost = true;
}

/* ---- chains of a scene */

static carom_status read_ends(chain *c) {
    const node *ends = yaml_find(c->map, "ends"), *points = yaml_find(c->map, "points");
    carom_error *error = c->d->n->error;
    if (points && (!ends || points->kind != NODE_LIST || yaml_count(points) != 2))
        return node_error(error, points, "'points' of chain '%s' are two, one in each of its 'ends'", c->name);
    if (!ends) return CAROM_OK;
    if (ends->kind != NODE_LIST || yaml_count(ends) != 2)
        return node_error(error, ends, "'ends' of chain '%s' are two bodies, or 'free'", c->name);
    const node *item = ends->first;
    for (int k = 0; k < 2; k++, item = item->next) {
        if (item->kind != NODE_TEXT) return node_error(error, item, "an end of chain '%s' is a name", c->name);
        c->end[k] = strcmp(item->text, "free") ? item : NULL;
    }
    return CAROM_OK;
}

static carom_status read_chain(chain *c) {
    carom_error *error = c->d->n->error;
    char what[96];
    snprintf(what, sizeof what, "chain '%.80s'", c->name);
    carom_status status = check_word(c->map, what, "elastic", "chains", error);
    if (!status && strchr(c->name, '['))
        return node_error(error, c->from, "chains have no families: give each a name of its own");
    const node *links = yaml_find(c->map, "links"), *mass = yaml_find(c->map, "mass");
    if (!status && (!links || links->kind != NODE_TEXT))
        status = node_error(error, c->from, "chain '%s' needs 'links', how many it has", c->name);
    if (!status && (!mass || mass->kind != NODE_TEXT))
        status = node_error(error, c->from, "chain '%s' needs a 'mass', that of all of it", c->name);
    double count = 0;
    if (!status) status = names_number(c->d->n, links, NULL, &count);
    if (!status) c->links = links->text, status = read_ends(c);
    if (!status && !(count == floor(count) && count >= 1 + (c->end[0] && c->end[1])))
        status = node_error(error, links, "chain '%s' has whole links, and a bead at least, not %g", c->name, count);
    return status;
}

static carom_status expand_chain(chain *c) {
    node *position = NULL;
    int count;
    carom_status status = read_chain(c);
    if (!status) status = read_places(c, &position, &count);
    if (status) return status;
    add_beads(c, position);
    add_links(c);
    for (int end = 0; end < 2; end++) add_end(c, end, count);
    return c->lost ? carom_error_memory(c->d->n->error) : CAROM_OK;
}

carom_status draft_expand_chains(draft *d) {
    const node *chains = yaml_find(d->model, "chains");
    carom_status status = CAROM_OK;
    if (!chains) return CAROM_OK;
    if (chains->kind != NODE_MAP) return node_error(d->n->error, chains, "'chains' must be a map");
    node *model = yaml_copy(d->n->memory, d->model);
    if (!model) return carom_error_memory(d->n->error);
    model->key = d->model->key;
    d->model = model;
    for (const node *map = chains->first; map && !status; map = map->next) {
        chain c = {.d = d, .from = map->key, .map = map, .name = map->key->text};
        status = expand_chain(&c);
    }
    return status;
}
