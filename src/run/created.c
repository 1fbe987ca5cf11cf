/* Energy that impacts create (docs/theory/mechanics.md, (W9b)). Contacts that act at once on connected bodies are one
 * impact: bodies are connected by the mass matrix, by constraints, and by the contacts that act. One
 * contact may gain what another one loses, so an impact is judged by the sum over its contacts. */
#include "linalg/sets.h"
#include "run/sim.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- connected velocities */

/* Joins the velocities of some rows of a pattern. */
static void connect(int *group, const carom_pattern *p, int first, int last) {
    int one = -1;
    for (int e = p->start[first]; e < p->start[last]; e++) {
        int other = set_of(group, p->index[e]);
        if (one >= 0) group[other] = one;
        else one = other;
    }
}

bool created_create(carom_sim *sim) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    sim->gain = calloc(2 * (size_t)d->contacts + (size_t)d->nu + 1, sizeof *sim->gain);
    sim->group = calloc(2 * (size_t)d->nu, sizeof *sim->group);
    if (!sim->gain || !sim->group) return false;
    sets_start(sim->group, d->nu);
    for (int i = 0; i < d->nu; i++) {
        int *own = sim->group;
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) sets_join(own, d->M.index[e], i);
    }
    for (int i = 0; i < m->N; i++) connect(sim->group, &d->WT, i, i + 1);
    return true;
}

void created_destroy(carom_sim *sim) {
    free(sim->gain);
    free(sim->group);
}

/* ---------------------------------------------------------------- an impact */

/* A velocity that the contact acts on; -1: none. */
static int velocity_of(const carom_model *m, int k) {
    const carom_pattern *WT = &m->def.WT;
    int row = m->N + k;
    return WT->start[row] < WT->start[row + 1] ? WT->index[WT->start[row]] : -1;
}

static void connect_acting(const carom_sim *sim, int *group) {
    const carom_model *m = sim->model;
    memcpy(group, sim->group, (size_t)m->def.nu * sizeof *group);
    for (int k = 0; k < m->def.contacts; k++) {
        if (sim->gain[m->def.contacts + k] == 0) continue;
        connect(group, &m->def.WT, m->N + k, m->N + k + 1);
        int one = velocity_of(m, k), slips = m->F + m->slip[k];
        for (int e = m->def.WT.start[slips]; one >= 0 && e < m->def.WT.start[m->F + m->slip[k + 1]]; e++)
            sets_join(group, m->def.WT.index[e], one);
    }
}

static void count_impact(double *created, double energy, int contact, double t) {
    created[CREATED_SUM] += energy;
    created[CREATED_COUNT]++;
    if (energy <= created[CREATED_MOST]) return;
    created[CREATED_MOST] = energy;
    created[CREATED_CONTACT] = contact;
    created[CREATED_TIME] = t;
}

/* gain: [contacts] energy that each one gained. Then the part that round-off and tolerance may have caused; 0: the
 * contact did not act. */
void created_add(const carom_sim *sim, double t, double *created) {
    const carom_model *m = sim->model;
    int contacts = m->def.contacts, *group = sim->group + m->def.nu;
    const double *gain = sim->gain, *noise = gain + contacts;
    double *sum = sim->gain + 2 * contacts;
    bool any = false;
    for (int k = 0; k < contacts; k++) any = any || gain[k] > noise[k];
    if (!any) return;
    connect_acting(sim, group);
    memset(sum, 0, (size_t)m->def.nu * sizeof *sum);
    for (int k = 0; k < contacts; k++)
        if (noise[k] > 0 && velocity_of(m, k) >= 0) sum[set_of(group, velocity_of(m, k))] += gain[k] - noise[k];
    for (int i = 0; i < m->def.nu; i++) {
        int most = -1;
        for (int k = 0; sum[i] > 0 && k < contacts; k++)
            if (noise[k] > 0 && velocity_of(m, k) >= 0 && set_of(group, velocity_of(m, k)) == i &&
                (most < 0 || gain[k] > gain[most]))
                most = k;
        if (most >= 0) count_impact(created, sum[i], most, t);
    }
}
