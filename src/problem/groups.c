/* Groups of unknowns that depend on each other. Bodies that nothing connects are in different groups. */
#include "linalg/sets.h"
#include "problem/problem.h"

static bool takes_part(const problem_law *l, const double *z) {
    for (int i = l->col; i < l->col + l->size; i++)
        if (z[i] != 0) return true;
    return l->normal >= 0 && z[l->normal] != 0;
}

static void join_row(problem *p, int row, int unknown, const double *z) {
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e];
        if (p->J.value[e] != 0 && (j < p->nF || z[j] != 0)) sets_join(p->group, j, unknown);
    }
}

/* Velocities of all stages belong to the same bodies. */
void problem_find_groups(problem *p, const double *z) {
    const int stages = p->balances > 0 ? p->balances : 1, bodies = p->velocities / stages;
    sets_start(p->group, p->n);
    for (int i = bodies; i < p->velocities; i++) p->group[i] = i - bodies;
    for (int i = 0; i < p->nF; i++) join_row(p, i, i, z);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && takes_part(l, z); i++) {
            join_row(p, l->row + i, l->col + i, z);
            if (l->normal >= 0) sets_join(p->group, l->col + i, l->normal);
            for (int j = 0; j < l->loads; j++) sets_join(p->group, l->col + i, l->load[j]);
        }
    }
}
