#include "solver/contact_map.h"

#include "solver/solver_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- who takes part */

static bool stays_away(const problem_law *l) {
    return !l->enabled || (l->fixed && l->given_branch == LAW_OPEN);
}

/* Whether (FC1) can express a law: a contact, or its friction with a disk that its own percussion bounds. */
static bool fits(const problem_law *l) {
    if (l->law == &law_bilateral || stays_away(l)) return true;
    if (l->fixed || l->directed || l->follows) return false;
    return l->law == &law_signorini || (l->law == &law_coulomb && l->normal >= 0 && l->given == 0 && l->size <= 2);
}

typedef struct draft {
    contact_map *map;
    const problem *p;
    const double *z, *rows;
    contact_units units;
    int *contact; /* [n] contact of a normal percussion; -1: none */
    int *slot;    /* [n] place of an unknown in r; -1: not there */
    bool made;
} draft;

static bool number(draft *d) {
    const problem *p = d->p;
    contact_map *m = d->map;
    int unknowns = p->nF;
    m->dimension = 2;
    for (int j = 0; j < p->n; j++) d->contact[j] = d->slot[j] = -1, m->place[j] = j < p->nF ? j : -1;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (!fits(l)) return false;
        if (l->law == &law_bilateral)
            for (int i = 0; i < l->size; i++) m->place[l->col + i] = unknowns++;
        else if (!stays_away(l) && l->normal < 0) d->contact[l->col] = m->contacts++;
        else if (!stays_away(l) && d->contact[l->normal] >= 0 && l->size > m->dimension - 1) m->dimension = l->size + 1;
    }
    m->map.A = (entries){.rows = unknowns, .cols = unknowns};
    return m->contacts > 0;
}

static double percussion_unit(const draft *d, const problem_law *l) {
    return d->units == CONTACT_UNITS_OWN ? 1 : l->G;
}

static double velocity_unit(const draft *d, const problem_law *l) {
    return d->units == CONTACT_UNITS_OWN ? 1 : l->level;
}

static void place_contacts(draft *d) {
    const problem *p = d->p;
    contact_map *m = d->map;
    for (int i = 0; i < m->dimension * m->contacts; i++) m->unknown[i] = -1, m->unit[i] = 1;
    for (int k = 0; k < p->laws; k++) { /* normal laws come before the friction that goes with them */
        const problem_law *l = &p->law[k];
        int a = l->law == &law_bilateral || stays_away(l) ? -1
                : l->normal < 0                           ? d->contact[l->col]
                                                          : d->contact[l->normal];
        if (a < 0) continue;
        int first = m->dimension * a + (l->normal < 0 ? 0 : 1);
        for (int i = 0; i < l->size; i++) {
            d->slot[l->col + i] = first + i;
            m->unknown[first + i] = l->col + i;
            m->unit[first + i] = percussion_unit(d, l);
        }
        if (l->normal >= 0) m->mu[a] = problem_mu(l, d->rows) * m->unit[first] / m->unit[m->dimension * a];
    }
}

/* ---------------------------------------------------------------- rows */

static void add(draft *d, entries *e, int row, int col, double value) {
    d->made = d->made && entries_add(e, row, col, value);
}

/* A row of F or of a joint: A x - B r = c. */
static void add_smooth(draft *d, int row, int from, double factor) {
    contact_map *m = d->map;
    const csr *J = &d->p->J;
    double c = -factor * d->rows[from];
    for (int e = J->start[from]; e < J->start[from + 1]; e++) {
        int j = J->index[e];
        double a = factor * J->value[e];
        if (m->place[j] >= 0) add(d, &m->map.A, row, m->place[j], a);
        else if (d->slot[j] >= 0) add(d, &m->map.B, row, d->slot[j], -a / m->unit[d->slot[j]]);
        c += a * d->z[j];
    }
    m->map.c[row] = c;
}

/* Joints that depend on each other stay near the percussions that they have. */
static void add_joint(draft *d, const problem_law *l, int i) {
    contact_map *m = d->map;
    int row = m->place[l->col + i];
    add_smooth(d, row, l->row + i, l->level);
    add(d, &m->map.A, row, row, NEWTON_REDUNDANT * l->G);
    m->map.c[row] += NEWTON_REDUNDANT * l->G * d->z[l->col + i];
}

/* A row of a contact: u = C x + D r + d. */
static void add_contact(draft *d, int row, int from, double factor) {
    contact_map *m = d->map;
    const csr *J = &d->p->J;
    double rest = factor * d->rows[from];
    for (int e = J->start[from]; e < J->start[from + 1]; e++) {
        int j = J->index[e];
        double a = factor * J->value[e];
        if (m->place[j] >= 0) add(d, &m->map.C, row, m->place[j], a);
        else if (d->slot[j] >= 0) add(d, &m->map.D, row, d->slot[j], a / m->unit[d->slot[j]]);
        rest -= a * d->z[j];
    }
    m->map.d[row] = rest;
}

static void add_rows(draft *d) {
    const problem *p = d->p;
    contact_map *m = d->map;
    for (int i = 0; i < p->nF; i++) add_smooth(d, i, i, p->weight[i]);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size; i++) {
            int j = l->col + i;
            if (m->place[j] >= 0) add_joint(d, l, i);
            else if (d->slot[j] >= 0) add_contact(d, d->slot[j], l->row + i, velocity_unit(d, l));
        }
    }
    for (int i = 0; i < m->dimension * m->contacts; i++) /* slots without friction move nothing */
        if (m->unknown[i] < 0) add(d, &m->map.D, i, i, 1);
}

/* ---------------------------------------------------------------- all of it */

static bool allocate(contact_map *m) {
    int n = m->dimension * m->contacts, x = m->map.A.rows;
    m->map.B = (entries){.rows = x, .cols = n};
    m->map.C = (entries){.rows = n, .cols = x};
    m->map.D = (entries){.rows = n, .cols = n};
    m->map.c = calloc((size_t)x + 1, sizeof *m->map.c);
    m->map.d = calloc((size_t)n + 1, sizeof *m->map.d);
    m->mu = calloc((size_t)m->contacts + 1, sizeof *m->mu);
    m->unit = calloc((size_t)n + 1, sizeof *m->unit);
    m->unknown = calloc((size_t)n + 1, sizeof *m->unknown);
    return m->map.c && m->map.d && m->mu && m->unit && m->unknown;
}

bool contact_map_create(contact_map *c, const problem *p, const double *z, const double *rows, contact_units units) {
    int *memory = malloc((2 * (size_t)p->n + 1) * sizeof *memory);
    *c = (contact_map){.place = malloc(((size_t)p->n + 1) * sizeof *c->place)};
    draft d = {.map = c, .p = p, .z = z, .rows = rows, .units = units, .contact = memory, .made = memory && c->place};
    d.slot = d.made ? d.contact + p->n : NULL;
    d.made = d.made && number(&d) && allocate(c);
    if (d.made) {
        place_contacts(&d);
        add_rows(&d);
    }
    free(memory);
    if (!d.made) contact_map_free(c);
    return d.made;
}

void contact_map_free(contact_map *c) {
    linear_map_free(&c->map);
    free(c->mu);
    free(c->unknown);
    free(c->unit);
    free(c->place);
    *c = (contact_map){0};
}

bool contact_map_recover(const contact_map *c, const problem *p, const double *r, double *z) {
    double *x = malloc(((size_t)c->map.A.rows + 1) * sizeof *x);
    bool made = x && friction_unknowns(&c->map, r, x) == CONDENSED;
    for (int j = 0; made && j < p->n; j++) z[j] = c->place[j] >= 0 ? x[c->place[j]] : 0;
    for (int i = 0; made && i < c->dimension * c->contacts; i++)
        if (c->unknown[i] >= 0) z[c->unknown[i]] = r[i] / c->unit[i];
    free(x);
    return made;
}
