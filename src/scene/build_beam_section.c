/* The section of a beam, its material and damping: stiffnesses, inertia and viscosities per length. */
#include "beams.h"
#include "error.h"

#include <math.h>
#include <stdio.h>

typedef struct section {
    expr area, bending[2], torsion, shear; /* area moments about y and z; torsion constant; shear factor */
} section;

static expr power(graph *g, expr x, int exponent) {
    expr product = x;
    for (int i = 1; i < exponent; i++) product = expr_mul(g, product, x);
    return product;
}

static section circle(graph *g, expr r, expr poisson) {
    const double pi = acos(-1);
    const expr moment = expr_scale(g, pi / 4, power(g, r, 4));
    const expr more = expr_scale(g, 6, poisson), seven = expr_number(g, 7), six = expr_number(g, 6);
    section s = {.bending = {moment, moment}};
    s.area = expr_scale(g, pi, power(g, r, 2));
    s.torsion = expr_scale(g, 2, moment);
    const expr above = expr_add(g, six, more);
    s.shear = expr_div(g, above, expr_add(g, seven, more));
    return s;
}

/* Saint-Venant's torsion of a rectangle with edges a <= b, to 0.5 percent (Roark):
 * a^3 b (1/3 - 0.21 a/b (1 - (a/b)^4/12)) */
static expr rectangle_torsion(graph *g, expr y, expr z) {
    const expr a = expr_binary(g, OP_MIN, y, z), b = expr_binary(g, OP_MAX, y, z), ratio = expr_div(g, a, b);
    const expr less = expr_scale(g, 1.0 / 12, power(g, ratio, 4)), rest = expr_sub(g, expr_number(g, 1), less);
    const expr corner = expr_scale(g, 0.21, expr_mul(g, ratio, rest));
    const expr share = expr_sub(g, expr_number(g, 1.0 / 3), corner), whole = expr_mul(g, power(g, a, 3), b);
    return expr_mul(g, whole, share);
}

static section rectangle(graph *g, expr y, expr z) {
    section s = {.shear = expr_number(g, 5.0 / 6)};
    s.area = expr_mul(g, y, z);
    s.bending[0] = expr_scale(g, 1.0 / 12, expr_mul(g, y, power(g, z, 3)));
    s.bending[1] = expr_scale(g, 1.0 / 12, expr_mul(g, z, power(g, y, 3)));
    s.torsion = rectangle_torsion(g, y, z);
    return s;
}

static carom_status read_poisson(draft *d, const element *e, expr *ratio) {
    graph *g = d->n->g;
    carom_status status = read_constant(d, e, "poisson", ratio);
    const node *text = yaml_find(e->value, "poisson");
    if (status || !text) return status;
    const expr above = expr_binary(g, OP_LT, expr_number(g, -1), *ratio);
    const expr below = expr_binary(g, OP_LE, *ratio, expr_number(g, 0.5));
    return draft_within(d, *ratio, expr_binary(g, OP_AND, above, below), text, "Poisson's ratio lies in (-1, 0.5]");
}

carom_status beam_needs(draft *d, const element *e, const char *key) {
    if (yaml_find(e->value, key)) return CAROM_OK;
    return node_error(d->n->error, e->key, "beam '%s' needs '%s'", e->name, key);
}

/* Reads a circle or a rectangle; at: which of them is given, if any. */
static carom_status read_outline(draft *d, const element *e, const element *part, section *s) {
    graph *g = d->n->g;
    const node *round = yaml_find(part->value, "circle"), *flat = yaml_find(part->value, "rectangle");
    const expr zero = expr_number(g, 0);
    expr radius = zero, edges[2], poisson = zero;
    int count;
    if (round && flat) return node_error(d->n->error, part->value, "a section is a circle or a rectangle, not both");
    carom_status status = read_poisson(d, e, &poisson);
    if (!status) status = read_positive_constant(d, part, "circle", &radius);
    if (!status) status = read_constants(d, part, "rectangle", 2, 2, edges, &count);
    for (int i = 0; i < 2 && flat && !status; i++)
        status = draft_require(d, edges[i], flat, "the edges of a rectangle must be positive");
    *s = (section){zero, {zero, zero}, zero, expr_number(g, 1)};
    if (status) return status;
    if (round) *s = circle(g, radius, poisson);
    if (flat) *s = rectangle(g, edges[0], edges[1]);
    return CAROM_OK;
}

/* Values that are given replace those that follow from the outline. */
static carom_status read_areas(draft *d, const element *e, section *s) {
    static const char what[] = "a section is a circle, a rectangle, or an 'area' and 'bending'";
    const element part = {e->name, e->key, yaml_find(e->value, "section"), e->index};
    if (!part.value)
        return node_error(d->n->error, e->key,
                          "beam '%s' needs a 'section', or 'stiffness', 'mass_per_length' and 'inertia_per_length'",
                          e->name);
    const bool outlined = yaml_find(part.value, "circle") || yaml_find(part.value, "rectangle");
    const node *area = yaml_find(part.value, "area"), *bending = yaml_find(part.value, "bending");
    int count;
    carom_status status = read_keys(d, &part, "a section", "parts", "section");
    if (!status) status = read_outline(d, e, &part, s);
    if (!status && !outlined && !(area && bending)) status = node_error(d->n->error, part.value, what);
    if (!status) status = read_positive_constant(d, &part, "area", &s->area);
    if (!status && bending) {
        status = read_constants(d, &part, "bending", 1, 2, s->bending, &count);
        if (count == 1) s->bending[1] = s->bending[0];
        for (int i = 0; i < 2 && !status; i++) status = draft_require(d, s->bending[i], part.value, what);
    }
    if (!status && !outlined) s->torsion = expr_add(d->n->g, s->bending[0], s->bending[1]);
    if (!status) status = read_positive_constant(d, &part, "torsion", &s->torsion);
    return status ? status : read_positive_constant(d, e, "shear_factor", &s->shear);
}

static carom_status read_material(draft *d, beam_entry *b) {
    graph *g = d->n->g;
    const element *e = &b->from;
    section s;
    expr E, poisson = expr_number(g, 0), density;
    carom_status status = read_areas(d, e, &s);
    if (!status) status = beam_needs(d, e, "young");
    if (!status) status = beam_needs(d, e, "density");
    if (!status) status = read_positive_constant(d, e, "young", &E);
    if (!status) status = read_poisson(d, e, &poisson);
    if (!status) status = read_positive_constant(d, e, "density", &density);
    if (status) return status;
    const expr sum = expr_add(g, expr_number(g, 1), poisson);
    expr G = expr_div(g, E, expr_scale(g, 2, sum));
    status = read_positive_constant(d, e, "shear", &G);
    const expr sheared = expr_mul(g, s.shear, expr_mul(g, G, s.area));
    b->stiffness[0] = expr_mul(g, G, s.torsion);
    for (int i = 0; i < 2; i++) b->stiffness[1 + i] = expr_mul(g, E, s.bending[i]);
    b->stiffness[3] = expr_mul(g, E, s.area);
    b->stiffness[4] = b->stiffness[5] = sheared;
    b->mass = expr_mul(g, density, s.area);
    b->inertia[0] = expr_mul(g, density, expr_add(g, s.bending[0], s.bending[1]));
    for (int i = 0; i < 2; i++) b->inertia[1 + i] = expr_mul(g, density, s.bending[i]);
    return status;
}

/* Rayleigh's two numbers, of mass and stiffness; viscosities that are given replace what follows from the second. */
static carom_status read_damping(draft *d, beam_entry *b) {
    graph *g = d->n->g;
    const element *e = &b->from;
    const expr zero = expr_number(g, 0);
    expr rayleigh[2], given[6];
    char sentence[160];
    int count = 0;
    carom_status status = read_constants(d, e, "damping", 2, 2, rayleigh, &count);
    b->drag = rayleigh[0];
    for (int i = 0; i < 6 && !status; i++) b->viscosity[i] = expr_mul(g, rayleigh[1], b->stiffness[i]);
    if (!status) status = read_constants(d, e, "viscosity", 6, 6, given, &count);
    for (int i = 0; i < count && !status; i++) b->viscosity[i] = given[i];
    snprintf(sentence, sizeof sentence, "damping and viscosity of beam '%.80s' must not be negative", e->name);
    for (int i = -1; i < 6 && !status; i++) {
        const expr value = i < 0 ? b->drag : b->viscosity[i];
        status = draft_require(d, expr_binary(g, OP_LE, zero, value), e->key, sentence);
    }
    return status;
}

/* What is given directly replaces what follows from the section. */
carom_status read_beam_section(draft *d, beam_entry *b) {
    static const char *const masses[] = {"lumped", "consistent", NULL};
    const element *e = &b->from;
    expr x[6];
    char sentence[160];
    int count = 0, kind = 0;
    bool direct = yaml_find(e->value, "stiffness") && yaml_find(e->value, "mass_per_length") &&
                  yaml_find(e->value, "inertia_per_length");
    carom_status status = direct ? CAROM_OK : read_material(d, b);
    if (!status) status = read_constants(d, e, "stiffness", 6, 6, x, &count);
    for (int i = 0; i < count && !status; i++) b->stiffness[i] = x[i];
    if (!status) status = read_positive_constant(d, e, "mass_per_length", &b->mass);
    if (!status) status = read_constants(d, e, "inertia_per_length", 3, 3, x, &count);
    for (int i = 0; i < count && !status; i++) b->inertia[i] = x[i];
    if (!status) status = read_word(d, e, "mass", "mass of a beam", masses, &kind);
    b->consistent = kind == 1;
    snprintf(sentence, sizeof sentence, "stiffnesses and inertia of beam '%.80s' must be positive", e->name);
    for (int i = 0; i < 9 && !status; i++)
        status = draft_require(d, i < 6 ? b->stiffness[i] : b->inertia[i - 6], e->key, sentence);
    return status ? status : read_damping(d, b);
}
