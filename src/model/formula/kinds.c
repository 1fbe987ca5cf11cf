#include "kinds.h"

#include "encode.h"
#include "error.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the formulas of each element */

typedef struct outline {
    const formula_def *def;
    formula_root *root; /* terms of element e start at start[e] */
    int *start;         /* [elements + 2] */
} outline;

typedef void (*visitor)(outline *o, int element, formula_part part, int index, expr value);

/* Every formula of the model with its element. */
static void visit_all(outline *o, visitor visit) {
    const formula_def *d = o->def;
    int slip = 0;
    for (int i = 0; i < d->nq; i++) visit(o, d->q_element[i], FORMULA_Q_DOT, i, -1);
    for (int i = 0; i < d->pieces; i++)
        visit(o, d->piece[i].element, d->piece[i].part, d->piece[i].index, d->piece[i].value);
    for (int i = 0; i < d->ng; i++) visit(o, d->g_element[i], FORMULA_CONSTRAINT, i, d->g_expr[i]);
    for (int i = 0; i < d->ngamma; i++) visit(o, d->gamma_element[i], FORMULA_VELOCITY_CONSTRAINT, i, d->gamma[i]);
    for (int k = 0; k < d->contacts; k++) {
        const int element = d->contact_element[k], end = slip + d->contact[k].slips;
        visit(o, element, FORMULA_GAP, k, d->gap[k]);
        for (int i = slip; i < end; i++) visit(o, element, FORMULA_SLIP, i, d->slip[i]);
        for (int i = slip; i < end && d->displacement; i++)
            visit(o, element, FORMULA_DISPLACEMENT, i, d->displacement[i]);
        slip = end;
    }
}

static void count_root(outline *o, int element, formula_part part, int index, expr value) {
    (void)part, (void)index, (void)value;
    o->start[element + 1]++;
}

static void add_root(outline *o, int element, formula_part part, int index, expr value) {
    o->root[o->start[element]++] = (formula_root){part, index, value};
}

static bool outline_elements(outline *o, pool *memory) {
    const int elements = o->def->elements;
    o->start = pool_get(memory, (size_t)elements + 2, sizeof *o->start);
    if (!o->start) return false;
    visit_all(o, count_root);
    for (int e = 0; e <= elements; e++) o->start[e + 1] += o->start[e];
    o->root = pool_get(memory, (size_t)o->start[elements + 1] + 1, sizeof *o->root);
    if (!o->root) return false;
    visit_all(o, add_root);
    for (int e = elements; e >= 0; e--) o->start[e + 1] = o->start[e]; /* each had become the next one's */
    o->start[0] = 0;
    return true;
}

/* ---------------------------------------------------------------- sorting */

typedef struct sort { /* a kind whose instances are being collected */
    uint64_t hash;
    uint32_t *code;
    int length, slots, components;
    int count, room;
    int *element;   /* [count] */
    expr *slot;     /* [count][slots] */
    int *component; /* [count][components] */
} sort;

typedef struct sorter {
    outline outline;
    components parts;
    encoder *encoder;
    sort *sorts;
    int count, room;
    int *table, mask; /* sorts by hash, -1: empty */
} sorter;

static bool is_same(const sort *s, uint64_t hash, const encoding *text) {
    return s->hash == hash && s->length == text->length &&
           memcmp(s->code, text->code, (size_t)text->length * sizeof *s->code) == 0;
}

static int *find_sort(const sorter *s, uint64_t hash, const encoding *text) {
    int k = (int)(hash & (unsigned)s->mask);
    while (s->table[k] >= 0 && !is_same(&s->sorts[s->table[k]], hash, text)) k = (k + 1) & s->mask;
    return &s->table[k];
}

static bool grow_table(sorter *s) {
    const int size = s->mask ? 2 * (s->mask + 1) : 64;
    int *table = malloc((size_t)size * sizeof *table);
    if (!table) return false;
    for (int k = 0; k < size; k++) table[k] = -1;
    for (int i = 0; i < s->count; i++) {
        int k = (int)(s->sorts[i].hash & (unsigned)(size - 1));
        while (table[k] >= 0) k = (k + 1) & (size - 1);
        table[k] = i;
    }
    free(s->table);
    s->table = table, s->mask = size - 1;
    return true;
}

static bool add_sort(sorter *s, uint64_t hash, const encoding *text, int *place) {
    if (s->count == s->room) {
        const int room = 2 * s->room + 16;
        sort *more = realloc(s->sorts, (size_t)room * sizeof *more);
        if (!more) return false;
        s->sorts = more, s->room = room;
    }
    uint32_t *code = malloc((size_t)text->length * sizeof *code + 1);
    if (!code) return false;
    memcpy(code, text->code, (size_t)text->length * sizeof *code);
    s->sorts[s->count] = (sort){
        .hash = hash, .code = code, .length = text->length, .slots = text->slots, .components = text->components};
    *place = s->count++;
    return 2 * s->count <= s->mask || grow_table(s);
}

static bool grow_ints(int **list, size_t count) {
    int *more = realloc(*list, (count + 1) * sizeof *more);
    if (more) *list = more;
    return more != NULL;
}

static bool add_instance(sort *s, int element, const encoding *text) {
    if (s->count == s->room) {
        const size_t room = 2 * (size_t)s->room + 4;
        if (!grow_ints(&s->element, room) || !grow_ints(&s->slot, room * (size_t)s->slots) ||
            !grow_ints(&s->component, room * (size_t)s->components))
            return false;
        s->room = (int)room;
    }
    const size_t slots = (size_t)s->slots, parts = (size_t)s->components, k = (size_t)s->count;
    s->element[s->count++] = element;
    if (slots) memcpy(s->slot + k * slots, text->slot, slots * sizeof *s->slot);
    if (parts) memcpy(s->component + k * parts, text->component, parts * sizeof *s->component);
    return true;
}

/* rest[element]: it has switches and stays with the formulas of no element. */
static bool sort_element(sorter *s, int element, bool *rest) {
    const int first = s->outline.start[element], count = s->outline.start[element + 1] - first;
    encoding text;
    if (!encode(s->encoder, s->outline.root + first, count, NULL, 0, &text)) return false;
    *rest = text.decides;
    if (text.decides || count == 0) return true;
    const uint64_t hash = hash_bytes(1, text.code, (size_t)text.length * sizeof *text.code);
    int *place = find_sort(s, hash, &text), number = *place;
    if (number < 0 && !add_sort(s, hash, &text, place)) return false;
    if (number < 0) number = s->count - 1;
    return add_instance(&s->sorts[number], element, &text);
}

static void sorter_destroy(sorter *s) {
    for (int i = 0; i < s->count; i++)
        free(s->sorts[i].code), free(s->sorts[i].element), free(s->sorts[i].slot), free(s->sorts[i].component);
    free(s->sorts);
    free(s->table);
    encoder_destroy(s->encoder);
}

/* ---------------------------------------------------------------- the graph of a kind */

/* Still symbols and tables keep the numbers that they have in the model. */
static graph *graph_of_kind(const graph *model) {
    graph *g = graph_create();
    int tables, number;
    const knots *const *table = graph_tables(model, &tables);
    bool ok = g != NULL;
    for (int i = 0; i < tables && ok; i++) ok = graph_add_table(g, table[i], &number);
    for (int i = 0; i < graph_stills(model) && ok; i++)
        ok = expr_still_symbol(g, graph_still_rank(model, i), graph_still_name(model, i),
                               graph_still_values(model)[i]) >= 0;
    if (ok) return g;
    graph_destroy(g);
    return NULL;
}

/* An expression of numbers and still symbols in another graph. */
static expr copy_still(graph *from, expr e, graph *to) {
    int length;
    const expr *order = graph_order(from, &e, 1, &length);
    expr *image = order ? malloc((size_t)length * sizeof *image) : NULL;
    if (!image) return -1;
    for (int k = 0; k < length; k++) {
        const op operation = expr_op(from, order[k]);
        expr child[3] = {-1, -1, -1};
        double value;
        for (int i = 0; i < op_arity(operation); i++)
            child[i] = image[graph_place(from, expr_child(from, order[k], i))];
        image[k] = expr_is_number(from, order[k], &value) ? expr_number(to, value)
                   : operation == OP_SYMBOL               ? expr_symbol(to, expr_symbol_of(from, order[k]))
                                                          : expr_build(to, operation, child);
    }
    const expr result = image[length - 1];
    free(image);
    return result;
}

/* ---------------------------------------------------------------- open numbers */

static bool same_column(const sort *s, int i, int j) {
    for (int k = 0; k < s->count; k++)
        if (s->slot[k * s->slots + i] != s->slot[k * s->slots + j]) return false;
    return true;
}

static bool is_constant(const sort *s, int j) {
    for (int k = 1; k < s->count; k++)
        if (s->slot[k * s->slots + j] != s->slot[j]) return false;
    return true;
}

enum { CONSTANT = -1 };

/* Which parameter each slot is; slots that are equal in every instance are one. */
static int number_parameters(const sort *s, int *parameter) {
    int count = 0;
    for (int j = 0; j < s->slots; j++) {
        parameter[j] = is_constant(s, j) ? CONSTANT : count;
        for (int i = 0; i < j && parameter[j] == count; i++)
            if (parameter[i] != CONSTANT && same_column(s, i, j)) parameter[j] = parameter[i];
        if (parameter[j] == count) count++;
    }
    return count;
}

static void place_parameters(const sort *s, const int *parameter, int parameters, expr *value) {
    for (int k = 0; k < s->count; k++)
        for (int j = 0; j < s->slots; j++)
            if (parameter[j] != CONSTANT) value[k * parameters + parameter[j]] = s->slot[k * s->slots + j];
}

/* ---------------------------------------------------------------- instances */

/* Coordinates and velocities, component by component. */
static void place_variables(const components *c, const int *component, int count, int *q, int *u) {
    for (int k = 0; k < count; k++) {
        for (int i = c->first_q[component[k]]; i < c->first_q[component[k] + 1]; i++) *q++ = c->q[i];
        for (int i = c->first_u[component[k]]; i < c->first_u[component[k] + 1]; i++) *u++ = c->u[i];
    }
}

/* Rows of c = (g, g_N), of s = (g_dot, gamma, gN_dot, gamma_F), and displacements, in the model. */
static void place_rows(const formula_def *d, const kind_def *k, const formula_root *root, int count, int *c, int *s,
                       int *displacement) {
    const int ng = k->def.ng, ngamma = k->def.ngamma, contacts = k->def.contacts;
    int g = 0, gamma = 0, gap = 0, slip = 0;
    for (int i = 0; i < count; i++) {
        const int at = root[i].index;
        if (root[i].part == FORMULA_CONSTRAINT) c[g] = at, s[g++] = at;
        if (root[i].part == FORMULA_VELOCITY_CONSTRAINT) s[ng + gamma++] = d->ng + at;
        if (root[i].part == FORMULA_GAP) c[ng + gap] = d->ng + at, s[ng + ngamma + gap++] = d->ng + d->ngamma + at;
        if (root[i].part == FORMULA_SLIP) s[ng + ngamma + contacts + slip++] = d->ng + d->ngamma + d->contacts + at;
        if (root[i].part == FORMULA_DISPLACEMENT) *displacement++ = at;
    }
}

static bool place_instances(const sorter *s, const sort *of, const formula_root *rest, int rests, pool *memory,
                            kind_def *k) {
    const size_t n = (size_t)of->count;
    const formula_def *d = s->outline.def;
    int *q = pool_get(memory, n * (size_t)k->def.nq + 1, sizeof *q);
    int *u = pool_get(memory, n * (size_t)k->def.nu + 1, sizeof *u);
    int *rows = pool_get(memory, n * (size_t)(k->nc + k->ns + k->nd) + 1, sizeof *rows);
    if (!q || !u || !rows) return false;
    int *c = rows, *r = c + of->count * k->nc, *disp = r + of->count * k->ns;
    for (int i = 0; i < of->count; i++) {
        place_variables(&s->parts, of->component + i * of->components, of->components, q + i * k->def.nq,
                        u + i * k->def.nu);
        const int first = rest ? 0 : s->outline.start[of->element[i]];
        const int count = rest ? rests : s->outline.start[of->element[i] + 1] - first;
        place_rows(d, k, rest ? rest : s->outline.root + first, count, c + i * k->nc, r + i * k->ns, disp + i * k->nd);
    }
    k->count = of->count, k->q = q, k->u = u, k->c = c, k->s = r, k->d = disp;
    return true;
}

/* The rotations and anchors among its coordinates, and where the first instance starts. */
static bool place_start(const formula_def *d, pool *memory, kind_def *k) {
    carom_rotation *rotation = pool_get(memory, (size_t)k->def.nq + 1, sizeof *rotation);
    double *q0 = pool_get(memory, (size_t)k->def.nq + 1, sizeof *q0);
    int *local = pool_get(memory, (size_t)(d->nq + d->nu) + 1, sizeof *local);
    int *anchor = pool_get(memory, (size_t)d->anchors + 1, sizeof *anchor);
    if (!rotation || !q0 || !local || !anchor) return false;
    for (int i = 0; i < k->def.nq; i++) local[k->q[i]] = i + 1, q0[i] = d->q0 ? d->q0[k->q[i]] : 0;
    for (int j = 0; j < k->def.nu; j++) local[d->nq + k->u[j]] = j + 1;
    for (int i = 0; i < d->rotations; i++) {
        const int q = local[d->rotation[i].q], u = local[d->nq + d->rotation[i].u];
        if (q && u) rotation[k->def.rotations++] = (carom_rotation){.q = q - 1, .u = u - 1};
    }
    for (int i = 0; i < d->anchors; i++)
        if (local[d->anchor_q[i]]) anchor[k->def.anchors++] = local[d->anchor_q[i]] - 1;
    k->def.rotation = rotation, k->def.anchor_q = anchor, k->def.q0 = q0, k->def.t0 = d->t0;
    return true;
}

static bool make_kind(const sorter *s, const sort *of, const formula_root *rest, int rests, pool *memory, kind_def *k) {
    graph *model = s->outline.def->g;
    int *parameter = pool_get(memory, (size_t)of->slots + 1, sizeof *parameter);
    expr *slot = pool_get(memory, (size_t)of->slots + 1, sizeof *slot);
    *k = (kind_def){.def.g = graph_of_kind(model)};
    if (!parameter || !slot || !k->def.g) return false;
    k->parameters = number_parameters(of, parameter);
    const encoding text = {.code = of->code, .length = of->length};
    kind_measure(&text, k);
    const int first = kind_first_parameter(k);
    for (int j = 0; j < of->slots; j++)
        slot[j] = parameter[j] == CONSTANT ? copy_still(model, of->slot[j], k->def.g)
                                           : expr_symbol(k->def.g, first + parameter[j]);
    expr *value = pool_get(memory, (size_t)of->count * (size_t)k->parameters + 1, sizeof *value);
    if (!value || !kind_decode(&text, slot, memory, k)) return false;
    place_parameters(of, parameter, k->parameters, value);
    k->parameter = value;
    return place_instances(s, of, rest, rests, memory, k) && place_start(s->outline.def, memory, k);
}

/* ---------------------------------------------------------------- what is left */

/* Components of the elastic elements, whose kinematics are checked with the rest. */
static int *elastic_components(const sorter *s, pool *memory, int *count) {
    const formula_def *d = s->outline.def;
    size_t most = 1;
    for (int k = 0; k < d->elastics; k++) most += (size_t)(d->elastic[k].kind->nq + d->elastic[k].kind->nu);
    int *found = pool_get(memory, most, sizeof *found);
    *count = 0;
    for (int k = 0; k < d->elastics && found; k++) {
        for (int i = 0; i < d->elastic[k].kind->nq; i++) found[(*count)++] = s->parts.of[d->elastic[k].q[i]];
        for (int i = 0; i < d->elastic[k].kind->nu; i++) found[(*count)++] = s->parts.of[d->nq + d->elastic[k].u[i]];
    }
    return found;
}

/* Elastic elements and names, of the only instance. */
static bool place_names(const formula_def *d, pool *memory, kind_def *k) {
    const char **q = pool_get(memory, (size_t)k->def.nq + 1, sizeof *q);
    const char **u = pool_get(memory, (size_t)k->def.nu + 1, sizeof *u);
    const char **row = pool_get(memory, (size_t)(k->nc + k->ns) + 1, sizeof *row);
    carom_model_contact *contact = pool_get(memory, (size_t)k->def.contacts + 1, sizeof *contact);
    elastic_element *local_elastic = pool_get(memory, (size_t)d->elastics + 1, sizeof *local_elastic);
    int *local = pool_get(memory, (size_t)(d->nq + d->nu) + 1, sizeof *local);
    if (!q || !u || !row || !contact || !local_elastic || !local) return false;
    for (int i = 0; i < k->def.nq; i++) local[k->q[i]] = i, q[i] = d->q_names ? d->q_names[k->q[i]] : "q";
    for (int j = 0; j < k->def.nu; j++) local[d->nq + k->u[j]] = j, u[j] = d->u_names ? d->u_names[k->u[j]] : "u";
    const char **gamma = row + k->def.ng;
    for (int i = 0; i < k->def.ng; i++) row[i] = d->g_names ? d->g_names[k->s[i]] : "g";
    for (int i = 0; i < k->def.ngamma; i++)
        gamma[i] = d->gamma_names ? d->gamma_names[k->s[k->def.ng + i] - d->ng] : "gamma";
    for (int i = 0; i < k->def.contacts; i++) contact[i] = d->contact[k->c[k->def.ng + i] - d->ng];
    for (int i = 0; i < d->elastics; i++) {
        const elastic *kind = d->elastic[i].kind;
        int *own = pool_get(memory, (size_t)(kind->nq + kind->nu), sizeof *own);
        if (!own) return false;
        for (int j = 0; j < kind->nq; j++) own[j] = local[d->elastic[i].q[j]];
        for (int j = 0; j < kind->nu; j++) own[kind->nq + j] = local[d->nq + d->elastic[i].u[j]];
        local_elastic[i] = d->elastic[i];
        local_elastic[i].q = own, local_elastic[i].u = own + kind->nq;
    }
    k->def.q_names = q, k->def.u_names = u, k->def.g_names = row, k->def.gamma_names = gamma;
    k->def.contact = contact, k->def.elastics = d->elastics, k->def.elastic = local_elastic;
    return true;
}

/* One kind with one instance of all formulas of the elements marked. */
static bool make_rest(sorter *s, const bool *rest, pool *memory, kind_def *k, bool *empty) {
    const outline *o = &s->outline;
    formula_root *root = pool_get(memory, (size_t)o->start[o->def->elements + 1] + 1, sizeof *root);
    int count = 0, extras, *extra = elastic_components(s, memory, &extras), element = 0;
    if (!root || !extra) return false;
    for (int e = 0; e <= o->def->elements; e++)
        for (int i = o->start[e]; i < o->start[e + 1] && rest[e]; i++) root[count++] = o->root[i];
    encoding text;
    *empty = count == 0 && extras == 0;
    if (*empty) return true;
    if (!encode(s->encoder, root, count, extra, extras, &text)) return false;
    const sort only = {.code = (uint32_t *)text.code,
                       .length = text.length,
                       .slots = text.slots,
                       .components = text.components,
                       .count = 1,
                       .element = &element,
                       .slot = (expr *)text.slot,
                       .component = (int *)text.component};
    return make_kind(s, &only, root, count, memory, k) && place_names(o->def, memory, k);
}

static bool make_all(sorter *s, bool *rest, kinds *k) {
    int count = 0;
    for (int i = 0; i < s->count; i++)
        if (s->sorts[i].count >= KIND_LEAST) count++;
        else
            for (int j = 0; j < s->sorts[i].count; j++) rest[s->sorts[i].element[j]] = true;
    if (count == 0) return true;
    k->at = pool_get(&k->memory, (size_t)count + 1, sizeof *k->at);
    if (!k->at) return false;
    bool empty = false, ok = make_rest(s, rest, &k->memory, &k->at[k->count++], &empty);
    if (empty) k->count = 0;
    for (int i = 0; i < s->count && ok; i++)
        if (s->sorts[i].count >= KIND_LEAST) ok = make_kind(s, &s->sorts[i], NULL, 0, &k->memory, &k->at[k->count++]);
    return ok;
}

carom_status kinds_find(const formula_def *def, kinds *k, carom_error *error) {
    sorter s = {.outline.def = def};
    *k = (kinds){0};
    if (def->elements < KIND_LEAST) return CAROM_OK;
    bool *rest = pool_get(&k->memory, (size_t)def->elements + 1, sizeof *rest);
    bool ok = rest && outline_elements(&s.outline, &k->memory) && components_find(def, &k->memory, &s.parts) &&
              (s.encoder = encoder_create(def, &s.parts)) && grow_table(&s);
    if (ok) rest[0] = true;
    for (int e = 1; e <= def->elements && ok; e++) ok = sort_element(&s, e, &rest[e]);
    ok = ok && make_all(&s, rest, k);
    sorter_destroy(&s);
    return ok ? CAROM_OK : carom_error_memory(error);
}

void kinds_destroy(kinds *k) {
    for (int i = 0; i < k->count; i++) graph_destroy(k->at[i].def.g);
    pool_free(&k->memory);
    *k = (kinds){0};
}
