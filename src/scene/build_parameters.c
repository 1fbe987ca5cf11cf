/* What parameters may become. Sizes and masses must stay positive, directions must not vanish, and values on which the
 * scene was built must not change. */
#include "draft.h"
#include "error.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

carom_status draft_demand(draft *d, expr value, const node *where, const char *sentence) {
    if (value < 0) return carom_error_memory(d->n->error);
    if (expr_is_number(d->n->g, value, NULL)) return CAROM_OK;
    const int k = d->demands;
    d->demand = arena_grow(d->n->memory, d->demand, k, 1, &d->demand_room, sizeof *d->demand);
    d->demand_text = arena_grow(d->n->memory, d->demand_text, k, 1, &d->demand_text_room, sizeof *d->demand_text);
    const char *text = arena_format(d->n->memory, "%s (%s:%d:%d)", sentence, where->file, where->line, where->column);
    if (!d->demand || !d->demand_text || !text) return carom_error_memory(d->n->error);
    d->demand[k] = value, d->demand_text[k] = text;
    d->demands++;
    return CAROM_OK;
}

carom_status draft_require(draft *d, expr keeps, const node *where, const char *sentence) {
    if (keeps < 0) return carom_error_memory(d->n->error);
    const double now = expr_value(d->n->g, keeps, NULL);
    if (!(now > 0) && graph_exhausted(d->n->g)) return carom_error_memory(d->n->error);
    return now > 0 ? draft_demand(d, keeps, where, sentence) : node_error(d->n->error, where, "%s", sentence);
}

carom_status draft_within(draft *d, expr value, expr keeps, const node *where, const char *sentence) {
    char text[200];
    if (value < 0) return carom_error_memory(d->n->error);
    if (keeps >= 0 && expr_value(d->n->g, keeps, NULL) > 0) return draft_demand(d, keeps, where, sentence);
    snprintf(text, sizeof text, "%s, it is %g", sentence, expr_value(d->n->g, value, NULL));
    return draft_require(d, keeps, where, text);
}

/* rule: "positive" */
static carom_status demand(draft *d, expr value, expr keeps, const node *where, const char *what, const char *rule) {
    char sentence[160];
    snprintf(sentence, sizeof sentence, "%s must %s", what, rule);
    return draft_within(d, value, keeps, where, sentence);
}

carom_status draft_positive(draft *d, expr value, const node *where, const char *what) {
    return demand(d, value, value, where, what, "be positive");
}

carom_status draft_not_negative(draft *d, expr value, const node *where, const char *what) {
    const expr zero = expr_number(d->n->g, 0);
    return demand(d, value, expr_binary(d->n->g, OP_LE, zero, value), where, what, "not be negative");
}

carom_status draft_direction(draft *d, const node *where, const char *key, vec x, vec *n) {
    const expr square = vec_dot(d->n->g, x, x);
    const double now = expr_value(d->n->g, square, NULL);
    char sentence[96];
    snprintf(sentence, sizeof sentence, "'%.60s' must not be zero", key);
    if (!(now > 0 && isfinite(now))) return node_error(d->n->error, where, "%s", sentence);
    *n = vec_unit(d->n->g, x);
    return draft_demand(d, square, where, sentence);
}

/* ---- fixed parameters: those that decide on the structure at some place, or follow from others */

carom_status build_fixed(carom_scene *scene, names *n) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < scene->parameters && !status; i++) {
        const symbol *s = scene->parameter[i];
        const int id = graph_still_called(n->g, s->value, s->name);
        const node *where = id < 0 ? s->formula : graph_still_fixed(n->g, id);
        if (!where) continue;
        const char *why = arena_format(n->memory,
                                       id < 0 ? "it follows from others by its formula '%.80s' (%s:%d:%d)"
                                              : "the scene is built on its value, in '%.80s' (%s:%d:%d); load the "
                                                "scene again",
                                       where->text ? where->text : "", where->file, where->line, where->column);
        status = why ? model_fix_parameter(scene->model, i, why, n->error) : carom_error_memory(n->error);
    }
    return status;
}
