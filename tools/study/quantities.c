#include "study/quantities.h"

#include "error.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of carom_sim_columns. Percussions are in the order of s: of g, gamma, normal, friction. */
static char *name_of(const carom_model *m, int i) {
    const carom_model_def *d = &m->def;
    char *name = NULL;
    if (i < d->nq) return strdup(d->q_names[i]);
    if (i < d->nq + d->nu) return strdup(d->u_names[i - d->nq]);
    int row = i - d->nq - d->nu, k = 0;
    if (row < m->N) {
        const char *constraint = row < m->gamma ? d->g_names[row] : d->gamma_names[row - m->gamma];
        return asprintf(&name, "%s.P", constraint) < 0 ? NULL : name;
    }
    if (row < m->F) return asprintf(&name, "%s.PN", d->contact[row - m->N].name) < 0 ? NULL : name;
    while (m->slip[k + 1] <= row - m->F) k++;
    const carom_model_contact *c = &d->contact[k];
    int written = c->slips == 1 ? asprintf(&name, "%s.PF", c->name)
                                : asprintf(&name, "%s.PF%d", c->name, row - m->F - m->slip[k] + 1);
    return written < 0 ? NULL : name;
}

/* A velocity x_dot is the rate of a coordinate x. */
static void find_rates(quantities *all) {
    for (int i = 0; i < all->nq; i++) {
        all->rate[i] = -1;
        size_t length = strlen(all->names[i]);
        for (int j = 0; j < all->nu; j++) {
            const char *name = all->names[all->nq + j];
            if (!strncmp(name, all->names[i], length) && !strcmp(name + length, "_dot")) all->rate[i] = j;
        }
    }
}

carom_status quantities_create(const carom_model *m, quantities *all, carom_error *error) {
    const carom_model_def *d = &m->def;
    int nq = d->nq, nu = d->nu, P = nq + nu, N = P + m->N, F = P + m->F;
    *all = (quantities){.nq = nq,
                        .nu = nu,
                        .np = m->ns,
                        .count = P + m->ns,
                        .sampled = P + 2 * m->ns,
                        .of = {{"q", 0, nq, false},
                               {"u", nq, nu, false},
                               {"P", P, m->N, false},
                               {"PN", N, F - N, false},
                               {"PF", F, P + m->ns - F, false},
                               {"P_step", P, m->N, true},
                               {"PN_step", N, F - N, true},
                               {"PF_step", F, P + m->ns - F, true}}};
    all->names = calloc((size_t)all->count, sizeof *all->names);
    all->rate = calloc((size_t)nq, sizeof *all->rate);
    bool named = all->names && all->rate;
    for (int i = 0; i < all->count && named; i++) named = (all->names[i] = name_of(m, i)) != NULL;
    if (!named) {
        quantities_destroy(all);
        return carom_error_memory(error);
    }
    find_rates(all);
    return CAROM_OK;
}

void quantities_destroy(quantities *all) {
    for (int i = 0; all->names && i < all->count; i++) free(all->names[i]);
    free(all->names);
    free(all->rate);
    *all = (quantities){0};
}

int quantities_find(const quantities *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (!strcmp(all->names[i], name)) return i;
    return -1;
}
