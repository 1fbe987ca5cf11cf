/* What belongs to contacts that are found, from one list of them to the next: percussions, states, senses of slip and
 * whatever a scheme remembers of their rows (docs/theory/contacts.md, (CF14)). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/balance.h"
#include "integrator/found_inside.h"
#include "integrator/locate.h"

/* ---------------------------------------------------------------- rows of s */

/* A vector in the order of s from that of the base and the found contacts' rows, and back. */
static void join_rows(const found_scheme *f, const double *base, const double *found, double *all) {
    const carom_model *b = f->base, *m = f->m;
    memcpy(all, base, (size_t)b->F * sizeof *all);
    memcpy(all + m->F, base + b->F, (size_t)b->slips * sizeof *all);
    for (int k = b->def.contacts; k < m->def.contacts; k++, found += FOUND_ROWS) {
        all[m->N + k] = found[0];
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) all[m->F + i] = found[1 + i - m->slip[k]];
    }
}

void found_part_rows(const found_scheme *f, const double *all, double *base, double *found) {
    const carom_model *b = f->base, *m = f->m;
    if (base) {
        memcpy(base, all, (size_t)b->F * sizeof *all);
        memcpy(base + b->F, all + m->F, (size_t)b->slips * sizeof *all);
    }
    for (int k = b->def.contacts; k < m->def.contacts; k++, found += FOUND_ROWS) {
        found[0] = all[m->N + k];
        for (int i = 0; i < FOUND_ROWS - 1; i++)
            found[1 + i] = i < m->def.contact[k].slips ? all[m->F + m->slip[k] + i] : 0;
    }
}

/* ---------------------------------------------------------------- modes of located events */

/* Where they begin in a memory of the model; numbers after states and senses. */
static double *modes_in(const found_scheme *f, const carom_model *m, const motion *x) {
    return x->memory + f->head + f->vectors * m->ns;
}

static int more_modes(const carom_model *m) {
    return locate_modes(m) - m->def.contacts - m->slips;
}

/* States, senses and numbers of the base; those of found contacts are left. */
static void copy_modes(const found_scheme *f, const carom_model *from, const motion *x, const carom_model *to,
                       motion *y) {
    const carom_model *b = f->base;
    const double *a = modes_in(f, from, x);
    double *c = modes_in(f, to, y);
    memcpy(c, a, (size_t)b->def.contacts * sizeof *c);
    memcpy(c + to->def.contacts, a + from->def.contacts, (size_t)b->slips * sizeof *c);
    a += from->def.contacts + from->slips, c += to->def.contacts + to->slips;
    memcpy(c, a, (size_t)more_modes(b) * sizeof *c);
}

/* The mode of every found contact, and a sense for every slip, as rows. */
static void part_modes(const found_scheme *f, const motion *x, double *found) {
    const carom_model *m = f->m;
    const double *mode = modes_in(f, m, x), *sense = mode + m->def.contacts;
    for (int k = f->base->def.contacts; k < m->def.contacts; k++, found += FOUND_ROWS) {
        found[0] = mode[k];
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) found[1 + i - m->slip[k]] = sense[i];
    }
}

/* The sides of borders. */
static double *sides_in(const found_scheme *f, const carom_model *m, const motion *x) {
    return modes_in(f, m, x) + m->def.contacts + m->slips + more_modes(f->base);
}

/* ---------------------------------------------------------------- what contacts hold */

/* Sides of borders, to be known by these. */
static bool hold_sides(found_scheme *f, const motion *end) {
    holding *h = &f->held;
    const border_list *now = found_model_borders(f->model);
    const size_t count = (size_t)now->borders;
    borders_destroy(&h->borders), free(h->side);
    h->side = malloc((count + 1) * sizeof *h->side);
    if (!borders_copy(&h->borders, now) || !h->side) return false;
    if (count) memcpy(h->side, sides_in(f, f->m, end), count * sizeof *h->side);
    return true;
}

static const double *held_side(const holding *h, const border *b) {
    for (int i = 0; i < h->borders.borders; i++)
        if (border_same(&h->borders.border[i], b)) return &h->side[i];
    return NULL;
}

/* Borders that were there before keep their sides if touching contacts need them. The places of vertices decide the
 * sides of others. */
static bool put_sides(const found_scheme *f, const motion *x) {
    const border_list *now = found_model_borders(f->model);
    const bool held = f->held_at == x->t;
    double *side = sides_in(f, f->m, x);
    bool *matters = calloc((size_t)now->borders + 1, sizeof *matters);
    if (!matters) return false;
    found_model_sides(f->model, x->q, side, matters);
    for (int j = 0; j < now->borders && held; j++) {
        const double *before = matters[j] ? held_side(&f->held, &now->border[j]) : NULL;
        if (before) side[j] = *before;
    }
    free(matters);
    return true;
}

static bool holding_reserve(holding *h, int count, int vectors) {
    if (count <= h->room && vectors <= h->vectors && h->vector) return true;
    const int room = count > h->room ? count + count / 2 + 16 : h->room;
    double *vector = realloc(h->vector, (size_t)room * FOUND_ROWS * (size_t)(1 + vectors) * sizeof *vector);
    if (vector) h->vector = vector;
    double *state = vector ? realloc(h->state, (size_t)room * sizeof *state) : NULL;
    if (state) h->state = state;
    found_contact *list = state ? realloc(h->list.at, (size_t)room * sizeof *list) : NULL;
    if (list) h->list.at = list, h->room = room, h->vectors = vectors;
    return list != NULL;
}

double *found_held_vector(const holding *h, int v) {
    return h->vector + (size_t)v * (size_t)h->list.count * FOUND_ROWS;
}

bool found_hold(found_scheme *f, const motion *end) {
    const int count = f->search.list.count, base = f->base->def.contacts;
    holding *h = &f->held;
    if (!holding_reserve(h, count, f->vectors + f->located)) return false;
    h->list.count = count;
    if (count) memcpy(h->list.at, f->search.list.at, (size_t)count * sizeof *h->list.at);
    found_part_rows(f, end->P, NULL, found_held_vector(h, 0));
    for (int v = 0; v < f->vectors; v++)
        found_part_rows(f, end->memory + f->head + v * f->m->ns, NULL, found_held_vector(h, 1 + v));
    if (f->located) part_modes(f, end, found_held_vector(h, 1 + f->vectors));
    if (f->located && !hold_sides(f, end)) return false;
    for (int k = 0; k < count; k++) h->state[k] = end->contact[base + k];
    f->held_at = end->t;
    return true;
}

/* Contacts that touch and do not part, up to what the tolerance leaves of gaps and velocities. */
static int states_at(found_scheme *f, const motion *x, double *state) {
    const carom_model *m = f->m;
    const carom_model_def *d = &m->def;
    const double zero = fmax(1e-10, 100 * f->run->tolerance), touching = fmax(1e-10, zero * f->run->dt);
    double *s = f->s[0];
    if (m->ns && d->velocity(d->context, x->t, x->q, x->u, s, NULL, NULL)) return 1;
    found_model_look(f->model, x->q);
    for (int k = f->base->def.contacts; k < d->contacts; k++) {
        const double gap = found_model_gap(f->model, k - f->base->def.contacts, x->q);
        bool slips = d->contact[k].slips == 0;
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) slips = slips || fabs(s[m->F + i]) > zero;
        const bool counts = found_model_counts(f->model, k - f->base->def.contacts);
        state[k] = !(counts && gap <= touching && s[m->N + k] <= zero) ? CAROM_OPEN : slips ? CAROM_SLIP : CAROM_STICK;
    }
    return 0;
}

motion found_with(const motion *x, double *own[3]) {
    return (motion){.t = x->t, .q = x->q, .u = x->u, .P = own[0], .contact = own[1], .memory = own[2]};
}

bool found_start_afresh(found_scheme *f, const motion *now, motion *fresh, step_report *report) {
    *fresh = found_with(now, f->fresh);
    memset(fresh->P, 0, (size_t)f->m->ns * sizeof *fresh->P);
    memcpy(fresh->contact, now->contact, (size_t)f->base->def.contacts * sizeof *fresh->contact);
    if (states_at(f, fresh, fresh->contact)) return explain_undefined(report, "start");
    return f->scheme->start(f->self, fresh, report);
}

/* Does every contact of the list hold something? */
static bool is_held(const found_scheme *f, const motion *now) {
    const contact_list *list = &f->search.list, *held = &f->held.list;
    if (f->held_at != now->t) return list->count == 0;
    int j = 0;
    for (int k = 0; k < list->count; k++) {
        while (j < held->count && contact_order(&held->at[j], &list->at[k]) < 0) j++;
        if (j == held->count || !contact_continues(&held->at[j], &list->at[k])) return false;
    }
    return true;
}

/* Mode and sense of found contact k. */
static void put_mode(const found_scheme *f, int k, const double *rows, motion *x) {
    const carom_model *m = f->m;
    double *modes = modes_in(f, m, x);
    modes[k] = rows[0];
    for (int i = m->slip[k]; i < m->slip[k + 1]; i++) modes[m->def.contacts + i] = rows[1 + i - m->slip[k]];
}

static void put_held(const found_scheme *f, motion *x) {
    const contact_list *list = &f->search.list, *held = &f->held.list;
    const carom_model *m = f->m;
    const int base = f->base->def.contacts;
    for (int k = 0, j = 0; k < list->count; k++) {
        while (j < held->count && contact_order(&held->at[j], &list->at[k]) < 0) j++;
        if (j == held->count || !contact_continues(&held->at[j], &list->at[k])) continue;
        x->contact[base + k] = f->held.state[j];
        if (f->located) put_mode(f, base + k, found_held_vector(&f->held, 1 + f->vectors) + (size_t)j * FOUND_ROWS, x);
        for (int v = 0; v <= f->vectors; v++) {
            double *all = v == 0 ? x->P : x->memory + f->head + (v - 1) * m->ns;
            const double *from = found_held_vector(&f->held, v) + (size_t)j * FOUND_ROWS;
            all[m->N + base + k] = from[0];
            for (int i = m->slip[base + k]; i < m->slip[base + k + 1]; i++)
                all[m->F + i] = from[1 + i - m->slip[base + k]];
        }
    }
}

bool found_begin_step(found_scheme *f, const motion *now, motion *x, step_report *report) {
    const carom_model *b = f->base, *m = f->m;
    motion fresh = found_with(now, f->fresh);
    *x = found_with(now, f->now);
    if (!is_held(f, now) && !found_start_afresh(f, now, &fresh, report)) return false;
    memcpy(x->contact, fresh.contact, (size_t)m->def.contacts * sizeof *x->contact);
    memcpy(x->contact, now->contact, (size_t)b->def.contacts * sizeof *x->contact);
    double *found = f->rows;
    found_part_rows(f, fresh.P, NULL, found);
    join_rows(f, now->P, found, x->P);
    memcpy(x->memory, now->memory, (size_t)f->head * sizeof *x->memory);
    for (int v = 0; v < f->vectors; v++) {
        found_part_rows(f, fresh.memory + f->head + v * m->ns, NULL, found);
        join_rows(f, now->memory + f->head + v * b->ns, found, x->memory + f->head + v * m->ns);
    }
    if (f->located) {
        memcpy(modes_in(f, m, x), modes_in(f, m, &fresh), (size_t)locate_modes(m) * sizeof *x->memory);
        copy_modes(f, b, now, m, x);
        if (!put_sides(f, x)) return found_no_memory(report);
    }
    if (f->held_at == now->t) put_held(f, x);
    return true;
}

void found_finish_step(const found_scheme *f, const motion *x, motion *next) {
    const carom_model *b = f->base, *m = f->m;
    double *found = f->rows;
    found_part_rows(f, x->P, next->P, found);
    memcpy(next->contact, x->contact, (size_t)b->def.contacts * sizeof *next->contact);
    memcpy(next->memory, x->memory, (size_t)f->head * sizeof *next->memory);
    for (int v = 0; v < f->vectors; v++)
        found_part_rows(f, x->memory + f->head + v * m->ns, next->memory + f->head + v * b->ns, found);
    if (f->located) copy_modes(f, m, x, b, next);
}
