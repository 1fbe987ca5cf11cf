#include "found_sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96 };

bool sides_create(found_sides *s, const border_list *borders, const found_contact *contact, int contacts,
                  const carom_model_def *base) {
    const size_t count = (size_t)borders->borders, all = count + (size_t)base->switches;
    *s = (found_sides){.count = borders->borders, .contacts = contacts, .first = base->switches, .contact = contact};
    s->at = calloc(count + 1, sizeof *s->at);
    s->name = calloc(all + 1, sizeof *s->name);
    s->info = calloc(all + 1, sizeof *s->info);
    s->names = calloc(count + 1, NAME);
    s->last = calloc(count + 1, sizeof *s->last);
    s->value = calloc(count + 1, sizeof *s->value);
    s->counts = calloc((size_t)contacts + 1, sizeof *s->counts);
    s->asleep = calloc((size_t)contacts + 1, sizeof *s->asleep);
    s->deep = calloc((size_t)contacts + 1, sizeof *s->deep);
    s->matters = calloc(count + 1, sizeof *s->matters);
    if (!borders_copy(&s->border, borders) || !s->at || !s->name || !s->info || !s->names || !s->last || !s->value ||
        !s->counts || !s->asleep || !s->deep || !s->matters)
        return false;
    for (int j = 0; j < base->switches; j++) s->name[j] = base->switch_names[j], s->info[j] = base->switch_info[j];
    for (int j = 0; j < s->count; j++) s->info[s->first + j].kind = CAROM_SWITCH_SIGN;
    for (int k = 0; k < contacts; k++) s->counts[k] = true;
    return true;
}

void sides_destroy(found_sides *s) {
    borders_destroy(&s->border);
    free(s->at), free(s->name), free(s->info), free(s->names), free(s->last), free(s->value);
    free(s->counts), free(s->asleep), free(s->deep), free(s->matters);
}

void sides_name(found_sides *s, int number, const char *of, const char *by) {
    char *name = s->names + (size_t)number * NAME;
    snprintf(name, NAME, "the features of '%.30s' and '%.30s' that meet", of, by);
    s->name[s->first + number] = name;
}

void sides_values(const found_sides *s, const double *q, const bool *asked, double *value) {
    for (int j = 0; j < s->count; j++) {
        if (asked && !asked[j]) continue;
        const instance *i = &s->at[j];
        double local[KIND_Q];
        for (int k = 0; k < i->kind->nq; k++) local[k] = q[instance_coordinate(i, k)];
        kind_run(i->kind, KIND_C, i->numbers, local, NULL, &value[j]);
    }
}

int sides_range_room(const found_sides *s) {
    int room = 1;
    for (int j = 0; j < s->count; j++)
        if (kind_range_room(s->at[j].kind) > room) room = kind_range_room(s->at[j].kind);
    return room;
}

void sides_matter(found_sides *s, const bool *clear) {
    memset(s->matters, 0, (size_t)s->count * sizeof *s->matters);
    for (int k = 0; k < s->contacts; k++)
        for (int i = s->contact[k].from; i < s->contact[k].from + s->contact[k].conditions && !clear[k]; i++)
            s->matters[s->border.condition[i].border] = true;
}

static void bound_one(const instance *i, const carom_range *q, const carom_range *q_rate, jet *work, carom_range *value,
                      carom_range *rate) {
    carom_range local[KIND_Q], local_rate[KIND_Q];
    for (int k = 0; k < i->kind->nq; k++) {
        local[k] = q[instance_coordinate(i, k)];
        if (q_rate) local_rate[k] = q_rate[instance_coordinate(i, k)];
    }
    kind_bound(i->kind, i->numbers, local, q_rate ? local_rate : NULL, work, value, rate);
}

void sides_bound(found_sides *s, const carom_range *q, const carom_range *q_rate, const bool *clear, const bool *asked,
                 jet *work, carom_range *value, carom_range *rate) {
    if (clear) sides_matter(s, clear);
    for (int j = 0; j < s->count; j++) {
        if (asked && !asked[j]) continue;
        if (s->matters[j] || !s->held) {
            bound_one(&s->at[j], q, q_rate, work, &value[j], rate ? &rate[j] : NULL);
            continue;
        }
        value[j] = (carom_range){s->held[j], s->held[j]};
        if (rate) rate[j] = (carom_range){0, 0};
    }
}

static bool holds(const found_sides *s, const found_contact *c, const int *side) {
    for (int i = c->from; i < c->from + c->conditions; i++)
        if (side[s->border.condition[i].border] != s->border.condition[i].side) return false;
    return true;
}

void sides_take(found_sides *s, const int *side) {
    if (!s->held || !side) s->last[0] = 0; /* a step begins: looks before it tell nothing */
    s->held = side;
}

/* A contact that has just begun to count, where that is told by the sides that are held. The first look of a step
 * begins nothing: it may be anywhere in a trial step. */
static bool has_begun(const found_sides *s, const found_contact *c, const int *side) {
    return side != s->last && s->last[0] != 0 && holds(s, c, side) && !holds(s, c, s->last);
}

bool sides_are_known(const found_sides *s) {
    return s->count == 0 || (s->held && memcmp(s->last, s->held, (size_t)s->count * sizeof *s->held) == 0);
}

void sides_look(found_sides *s, const double *q, const double *gap) {
    const int *side = s->held;
    if (sides_are_known(s)) return;
    if (!side) {
        sides_values(s, q, NULL, s->value);
        for (int j = 0; j < s->count; j++) s->last[j] = s->value[j] < 0 ? -1 : 1;
        side = s->last;
    }
    for (int k = 0; k < s->contacts; k++) {
        if (!holds(s, &s->contact[k], side)) s->asleep[k] = false;
        else if (gap && has_begun(s, &s->contact[k], side)) s->asleep[k] = gap[k] < -s->deep[k];
        s->counts[k] = holds(s, &s->contact[k], side) && !s->asleep[k];
    }
    if (gap && side != s->last) memcpy(s->last, side, (size_t)s->count * sizeof *side);
}
