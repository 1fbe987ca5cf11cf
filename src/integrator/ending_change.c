#include "integrator/ending_change.h"

#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

static bool slides_on(ending_change *c, int contact) {
    const problem_law *l = law_of_friction(&c->e->impact.problem, c->e->impact.m, 0, contact);
    return l && l->directed && !l->fixed;
}

/* The percussions that press a contact which slides on: those of the last stage alone. */
static const double *pressing(ending_change *c, int contact) {
    const impact *i = &c->e->impact;
    const problem_law *l = law_of_friction(&c->e->impact.problem, i->m, 0, contact);
    for (int n = 0; n < l->loads; n++) c->last[i->m->def.contact[contact].load[n]] = i->z[l->load[n]] + l->known[n];
    return c->last;
}

/* The part of the earlier percussions that the unknown ones contain, and that is taken off the radius of friction. */
static void differentiate_counted(ending_change *c, const double *earlier) {
    const carom_model *m = c->e->impact.m;
    for (int n = 0; n < m->ns; n++) c->counted[n] = c->e->whole ? earlier[n] : 0;
    for (int k = 0; k < m->def.contacts; k++) {
        const bool on = slides_on(c, k);
        c->given[m->N + k] = on ? contact_load_rate(m, k, pressing(c, k), earlier) : 0;
        for (int n = m->F + m->slip[k]; n < m->F + m->slip[k + 1] && on; n++) c->counted[n] = 0;
    }
}

/* Slip in several directions follows the last stage; in one it has a given sense. */
static void differentiate_slips(ending_change *c, const double *slips) {
    const carom_model *m = c->e->impact.m;
    for (int k = 0; k < m->def.contacts; k++)
        for (int j = m->slip[k]; j < m->slip[k + 1]; j++) c->slips[j] = m->def.contact[k].slips > 1 ? slips[j] : 0;
}

bool ending_change_column(ending_change *c, int column, const carom_place *at, const carom_place *rate,
                          const ending_rate *parts) {
    differentiate_counted(c, parts->earlier);
    differentiate_slips(c, parts->slips);
    return impact_change_column(&c->impact, column, at, rate,
                                &(impact_rate){.balance = parts->balance,
                                               .WT = parts->WT,
                                               .s = parts->s,
                                               .counted = c->e->counted,
                                               .counted_rate = c->counted,
                                               .before = parts->before,
                                               .direction = c->slips,
                                               .slips = parts->slips,
                                               .given = c->given});
}

solver_change ending_change_read(ending_change *c, variation *v) {
    const int nu = v->m->def.nu;
    const solver_change found = impact_change_solve(&c->impact);
    for (int k = 0; k < variation_count(v) && found == CHANGE_FOUND; k++) {
        v->t[k] = k == v->columns ? 1 : v->follows * v->t[k];
        memcpy(v->u + k * nu, impact_change_of(&c->impact, k), (size_t)nu * sizeof *v->u);
    }
    return found;
}

/* differentiate_counted transposed: of W counted' in the balance, and of the radii. */
static void pull_counted(ending_change *c, const double *balance, double *earlier) {
    const carom_model *m = c->e->impact.m;
    problem *p = &c->e->impact.problem;
    memset(c->counted, 0, (size_t)m->ns * sizeof *c->counted);
    if (c->e->whole) pattern_multiply(&m->def.WT, c->e->impact.WT, 1, balance, c->counted);
    for (int k = 0; k < m->def.contacts; k++) {
        if (!slides_on(c, k)) continue;
        const problem_law *l = law_of_friction(p, m, 0, k);
        contact_load_by(m, k, pressing(c, k), -l->mu * l->G * c->impact.radius[l - p->law], earlier);
        for (int n = m->F + m->slip[k]; n < m->F + m->slip[k + 1]; n++) c->counted[n] = 0;
    }
    for (int n = 0; n < m->ns; n++) earlier[n] += c->counted[n];
}

bool ending_pull(ending_change *c, adjoint *a, double t, const ending_weight *parts) {
    const carom_model *m = c->e->impact.m;
    const problem *p = &c->e->impact.problem;
    if (!impact_pull(&c->impact, a, t, a->u, NULL, parts->before)) return false;
    const double *balance = c->impact.rows, *direction = balance + p->n;
    memset(a->WT, 0, (size_t)pattern_nnz(&m->def.WT) * sizeof *a->WT);
    adjoint_add_turn(m, -1, impact_percussion(&c->e->impact), balance, a->WT);
    adjoint_add_turn(m, 1, c->e->counted, balance, a->WT);
    pull_counted(c, balance, parts->earlier);
    for (int k = 0; k < m->def.contacts; k++)
        for (int j = m->slip[k]; j < m->slip[k + 1] && m->def.contact[k].slips > 1; j++)
            parts->slips[j] += direction[j];
    return impact_pull_place(&c->impact, a, parts->t, parts->q, parts->slips);
}

bool ending_change_create(ending_change *c, ending *e, const variation *v) {
    const carom_model *m = e->impact.m;
    *c = (ending_change){.e = e};
    const vector_part parts[] = {{&c->counted, m->ns}, {&c->given, m->ns}, {&c->last, m->ns}, {&c->slips, m->slips}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    const bool ok = impact_change_create(&c->impact, &e->impact, v) && c->memory;
    c->impact.of = e->impact.solver;
    return ok;
}

void ending_change_destroy(ending_change *c) {
    impact_change_destroy(&c->impact);
    free(c->memory);
}
