/* What the equations of motion depend on, part by part, for the names of their switches. */
#include "equations.h"

#include <stdlib.h>

typedef struct list {
    switch_root *root;
    int count;
} list;

static void add(list *l, const expr *values, int count, const char *name, const char *const *of) {
    for (int i = 0; values && i < count; i++) l->root[l->count++] = (switch_root){values[i], name, of ? of[i] : NULL};
}

/* Slips follow each other as contacts do. */
static void add_contacts(list *l, const equations *e) {
    const formula_def *d = e->def;
    for (int k = 0, slip = 0; k < d->contacts; k++) {
        const char *const *of = &d->contact[k].name;
        add(l, &d->gap[k], 1, "gap of", of);
        for (int i = 0; i < d->contact[k].slips; i++) add(l, &d->slip[slip++], 1, "slip of", of);
    }
}

static void add_all(list *l, const equations *e) {
    const formula_def *d = e->def;
    add(l, d->q_dot, d->nq, "rate of", d->q_names);
    add(l, d->force, d->nu, "force on", e->trivial ? d->q_names : d->u_names);
    add(l, &d->kinetic, 1, "kinetic energy", NULL);
    add(l, &d->potential, d->potential >= 0, "potential energy", NULL);
    add(l, &d->dissipation, d->dissipation >= 0, "dissipation", NULL);
    add(l, d->g_expr, d->ng, "constraint", d->g_names);
    add(l, d->gamma, d->ngamma, "constraint", d->gamma_names);
    add_contacts(l, e);
}

static void name_symbols(const equations *e, const char **names) {
    const formula_def *d = e->def;
    names[0] = "t";
    for (int i = 0; i < d->nq; i++) names[e->first_q + i] = d->q_names ? d->q_names[i] : NULL;
    for (int j = 0; j < d->nu; j++) names[e->first_u + j] = d->u_names ? d->u_names[j] : NULL;
}

switches *equations_switches(equations *e) {
    const formula_def *d = e->def;
    const char **names = malloc((size_t)e->first_w * sizeof *names);
    list l = {malloc(((size_t)d->nq + (size_t)d->nu + (size_t)e->ns + (size_t)e->nc + 3) * sizeof *l.root), 0};
    switches *sw = NULL;
    if (names && l.root) {
        name_symbols(e, names);
        add_all(&l, e);
        sw = switches_collect(e->g, l.root, l.count, names, e->first_w - 1);
    }
    free(names);
    free(l.root);
    return sw;
}
