#include "integrator/islands.h"

#include "linalg/sets.h"

/* The first velocity of a row of s; -1: none moves it. */
static int velocity_of(const carom_model *m, int row) {
    const carom_pattern *WT = &m->def.WT;
    return WT->start[row] < WT->start[row + 1] ? WT->index[WT->start[row]] : -1;
}

/* All velocities of a row into the island of one of them. */
static void join(int *island, const carom_pattern *rows, int row, int velocity) {
    for (int e = rows->start[row]; e < rows->start[row + 1]; e++) sets_join(island, rows->index[e], velocity);
}

void islands_find(const carom_model *m, problem *p, int *island) {
    sets_start(island, m->def.nu);
    for (int j = 0; j < m->def.nu; j++) join(island, &m->def.M, j, j);
    for (int row = 0; row < m->N; row++)
        if (velocity_of(m, row) >= 0) join(island, &m->def.WT, row, velocity_of(m, row));
    for (int k = 0; k < m->def.contacts; k++) {
        int velocity = velocity_of(m, m->N + k);
        if (!law_of_contact(p, m, 0, k)->enabled || velocity < 0) continue;
        join(island, &m->def.WT, m->N + k, velocity);
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) join(island, &m->def.WT, l, velocity);
    }
}

int island_of_row(const carom_model *m, int *island, int row) {
    const int velocity = velocity_of(m, row);
    return velocity < 0 ? -1 : set_of(island, velocity);
}

int island_of_worst(const carom_model *m, const problem *p, int *island, int worst) {
    if (worst >= p->nF) return island_of_row(m, island, (p->law[worst - p->nF].row - p->nF) % m->ns);
    return worst < p->velocities ? set_of(island, worst % m->def.nu) : -1;
}
