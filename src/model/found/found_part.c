/* Parts of a model with found contacts: the contacts and borders of some of its bodies, on top of the part of its base
 * that has these bodies. */
#include "found_model_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/part.h"

/* What parts of a model are made of, in their own numbers. */
typedef struct making {
    finder finder; /* with the bodies where they are in the part */
    contact_list list;
    border_list borders;
    int *border; /* [borders of the whole] their numbers in the part */
} making;

static void unmake(making *x) {
    free(x->finder.body), free(x->list.at), free(x->border);
    borders_destroy(&x->borders);
}

static bool place_bodies(making *x, const finder *f, const part_room *r) {
    x->finder = *f;
    x->finder.body = malloc(((size_t)f->bodies + 1) * sizeof *x->finder.body);
    if (!x->finder.body) return false;
    memcpy(x->finder.body, f->body, (size_t)f->bodies * sizeof *f->body);
    for (int i = 0; i < f->bodies; i++) {
        finder_body *b = &x->finder.body[i];
        if (b->form.nq > 0) b->q = r->at_q[b->q];
        if (b->form.nu > 0) b->u = r->at_u[b->u];
    }
    return true;
}

static bool pick_borders(making *x, const found_model *m, const model_part *p) {
    const int first = m->base->def.switches;
    x->border = calloc((size_t)m->sides.count + 1, sizeof *x->border);
    x->borders.border = malloc(((size_t)p->switched.count + 1) * sizeof *x->borders.border);
    x->borders.condition = malloc(((size_t)m->sides.border.conditions + 1) * sizeof *x->borders.condition);
    if (!x->border || !x->borders.border || !x->borders.condition) return false;
    for (int i = 0; i < p->switched.count; i++) {
        if (p->switched.at[i] < first) continue;
        x->border[p->switched.at[i] - first] = x->borders.borders;
        x->borders.border[x->borders.borders++] = m->sides.border.border[p->switched.at[i] - first];
    }
    return true;
}

static void add_contact(making *x, const found_model *m, int k) {
    const found_contact *from = &m->contact[k];
    found_contact *to = &x->list.at[x->list.count++];
    *to = *from;
    to->from = x->borders.conditions;
    for (int i = from->from; i < from->from + from->conditions; i++) {
        const condition *c = &m->sides.border.condition[i];
        x->borders.condition[x->borders.conditions++] = (condition){x->border[c->border], c->side};
    }
}

static bool pick_contacts(making *x, const found_model *m, const model_part *p) {
    const int first = m->base->def.contacts;
    x->list.at = malloc(((size_t)p->contact.count + 1) * sizeof *x->list.at);
    for (int i = 0; i < p->contact.count && x->list.at; i++)
        if (p->contact.at[i] >= first) add_contact(x, m, p->contact.at[i] - first);
    return x->list.at != NULL;
}

/* What the whole model knows of its sides. */
static void keep_sides(found_model *to, const found_model *m, const model_part *p) {
    const int contacts = m->base->def.contacts, first = m->base->def.switches;
    for (int i = 0, j = 0; i < p->switched.count; i++)
        if (p->switched.at[i] >= first) to->sides.last[j++] = m->sides.last[p->switched.at[i] - first];
    for (int i = 0, k = 0; i < p->contact.count; i++)
        if (p->contact.at[i] >= contacts) {
            to->sides.asleep[k] = m->sides.asleep[p->contact.at[i] - contacts];
            to->sides.counts[k++] = m->sides.counts[p->contact.at[i] - contacts];
        }
}

static carom_model *make(const carom_model *whole, const model_part *p) {
    const found_model *m = whole->def.context;
    making x = {0};
    found_model *made = NULL;
    if (place_bodies(&x, m->finder, p->room) && pick_borders(&x, m, p) && pick_contacts(&x, m, p))
        made = found_model_create(&p->base->model, &x.finder, &x.list, &x.borders, m->kinds);
    unmake(&x);
    if (made) keep_sides(made, m, p);
    return made ? &made->model : NULL;
}

static void destroy(carom_model *made) {
    found_model_destroy(made->def.context);
}

static void visit(const carom_model *whole, const carom_range *q) {
    found_model *m = whole->def.context;
    for (int i = 0; i < m->base->def.nq; i++)
        m->seen[i] =
            !m->looked ? q[i] : (carom_range){fmin(m->seen[i].least, q[i].least), fmax(m->seen[i].most, q[i].most)};
    m->looked = true;
}

const part_maker found_part_maker = {.make = make, .destroy = destroy, .visit = visit};
