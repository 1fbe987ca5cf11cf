/* Claims: what a paper says, what carom measures, and the interval in which the measured value must lie. */
#include "error.h"
#include "reproduce/read.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const char *const bound_keys[] = {"near", "within", "relative", "above", "below", "between"};
enum { BOUND_KEYS = 6 };

static carom_status read_near(const recipe_reader *r, const node *map, claim *c) {
    int count;
    const node *near = yaml_find(map, "near"), *entry = recipe_entries(near, &count);
    double within = NAN, relative = NAN;
    if (count != c->count) return node_error(r->error, near, "%d values need as many numbers", c->count);
    carom_status status = recipe_number(r, map, "within", &within);
    if (!status) status = recipe_number(r, map, "relative", &relative);
    if (!status && isnan(within) == isnan(relative))
        return node_error(r->error, near, "how near? 'within' (absolute) or 'relative'");
    for (int i = 0; i < count && !status; i++, entry = entry->next) {
        status = recipe_constant(r, entry, &c->near[i]);
        double air = isnan(within) ? relative * fabs(c->near[i]) : within;
        c->least[i] = c->near[i] - air, c->greatest[i] = c->near[i] + air;
    }
    return status;
}

static carom_status read_between(const recipe_reader *r, const node *between, claim *c) {
    int count;
    double bounds[2];
    const node *entry = recipe_entries(between, &count);
    if (count != 2) return node_error(r->error, between, "'between' has two numbers");
    carom_status status = recipe_constant(r, entry, &bounds[0]);
    if (!status) status = recipe_constant(r, entry->next, &bounds[1]);
    for (int i = 0; i < c->count; i++) c->least[i] = bounds[0], c->greatest[i] = bounds[1];
    return status;
}

static carom_status read_bounds(const recipe_reader *r, const node *map, claim *c) {
    const node *between = yaml_find(map, "between");
    double above = -INFINITY, below = INFINITY;
    int given = !!yaml_find(map, "near") + !!between + (yaml_find(map, "above") || yaml_find(map, "below"));
    if (given > 1 || (given == 0 && c->verdict != UNREPRODUCIBLE))
        return node_error(r->error, map, "a claim has one of 'near', 'between', 'above' and 'below'");
    for (int i = 0; i < c->count; i++) c->near[i] = NAN;
    if (yaml_find(map, "near")) return read_near(r, map, c);
    if (between) return read_between(r, between, c);
    carom_status status = recipe_number(r, map, "above", &above);
    if (!status) status = recipe_number(r, map, "below", &below);
    for (int i = 0; i < c->count; i++) c->least[i] = above, c->greatest[i] = below;
    return status;
}

static carom_status read_values(const recipe_reader *r, const node *entry, claim *c) {
    int home = -1;
    const node *value = recipe_entries(yaml_find(entry, "value"), &c->count);
    if (!value && c->verdict != UNREPRODUCIBLE)
        return node_error(r->error, entry, "'value' is missing: what is measured");
    carom_status status = recipe_source(r, entry, "of", &home);
    c->values = recipe_room(r, c->count, sizeof *c->values);
    c->least = recipe_room(r, 4 * c->count, sizeof *c->least);
    if (!c->values || !c->least) return CAROM_MEMORY;
    c->greatest = c->least + c->count, c->near = c->greatest + c->count, c->value = c->near + c->count;
    for (int i = 0; i < c->count && !status; i++, value = value->next) {
        status = recipe_formula(r, value, home, &c->values[i]);
        c->value[i] = NAN;
    }
    return status;
}

static carom_status read_verdict(const recipe_reader *r, const node *entry, claim *c) {
    static const char *const verdicts[VERDICTS] = {[CONFIRMED] = "confirmed",
                                                   [CORRECTED] = "corrected",
                                                   [REFUTED] = "refuted",
                                                   [UNREPRODUCIBLE] = "not reproducible"};
    const char *name = "confirmed";
    carom_status status = recipe_text(r, entry, "verdict", &name);
    if (!status) status = recipe_text(r, entry, "reason", &c->reason);
    if (!status) status = recipe_text(r, entry, "tried", &c->tried);
    if (status) return status;
    int place = 0;
    while (place < VERDICTS && strcmp(verdicts[place], name)) place++;
    if (place == VERDICTS)
        return node_error_near(r->error, yaml_find(entry, "verdict"), name, verdicts, VERDICTS,
                               "a verdict is confirmed, corrected, refuted or not reproducible");
    c->verdict = (verdict)place;
    if (c->verdict != CONFIRMED && !c->reason)
        return node_error(r->error, entry, "a claim that is not simply confirmed needs a 'reason'");
    if ((c->verdict == UNREPRODUCIBLE) != (c->tried != NULL))
        return node_error(r->error, entry, "'tried' belongs to a claim that is not reproducible: what was tried");
    return CAROM_OK;
}

static carom_status read_claim(const recipe_reader *r, node *entry, claim *c) {
    static const char *const keys[] = {"claim", "printed", "at",    "derived", "derivation", "of",
                                       "value", "unit",    "quick", "verdict", "reason",     "tried",
                                       "near",  "within",  "above", "below",   "relative",   "between"};
    node *quick = yaml_find(entry, "quick");
    const node *bounds = entry;
    c->where = entry, c->text = c->printed = c->at = "";
    carom_status status = check_keys(entry, "a claim", keys, sizeof keys / sizeof *keys, r->error);
    if (!status) status = recipe_text(r, entry, "claim", &c->text);
    if (!status && !c->text[0]) status = node_error(r->error, entry, "'claim' is missing: what the paper says");
    if (!status) status = recipe_text(r, entry, "printed", &c->printed);
    if (!status) status = recipe_text(r, entry, "at", &c->at);
    if (!status) status = recipe_text(r, entry, "derived", &c->derived);
    if (!status) status = recipe_text(r, entry, "derivation", &c->derivation);
    if (!status && !c->derived != !c->derivation)
        status =
            node_error(r->error, entry, "a value that is 'derived' needs its 'derivation', and the other way round");
    if (!status) status = recipe_text(r, entry, "unit", &c->unit);
    if (!status) status = read_verdict(r, entry, c);
    if (!status) status = read_values(r, entry, c);
    const bool skip = quick && quick->kind == NODE_TEXT && !strcmp(quick->text, "skip");
    if (!status && quick && !skip) status = check_keys(quick, "'quick' of a claim", bound_keys, BOUND_KEYS, r->error);
    if (r->all->quick) c->skip = skip, bounds = quick && !skip ? quick : entry;
    return status ? status : read_bounds(r, bounds, c);
}

carom_status read_claims(recipe_reader *r, const node *list) {
    int count;
    figure_recipe *f = r->figure;
    const node *entry = recipe_entries(list, &count);
    carom_status status = CAROM_OK;
    if (!(f->claims = recipe_room(r, count, sizeof *f->claims))) return CAROM_MEMORY;
    for (; f->claim_count < count && !status; entry = entry->next) {
        claim *c = &f->claims[f->claim_count++];
        c->id = arena_format(r->memory, "%s/%s.%d", r->paper->name, f->name, f->claim_count);
        status = c->id ? read_claim(r, (node *)entry, c) : carom_error_memory(r->error);
    }
    return status;
}
