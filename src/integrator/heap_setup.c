/* Which models and runs are stepped as heaps. */
#include "integrator/heap_step_inside.h"

#include "integrator/balance.h"

#include <stdlib.h>
#include <string.h>

/* Whether an option that is given has this value. */
static bool is_left_at(const carom_run_def *run, const char *name, const char *value) {
    const char *const choices[] = {value, NULL};
    int choice;
    carom_error error;
    return option_choice(run, name, choices, &choice, &error) == CAROM_OK;
}

/* The schemes that heaps have, with the options they know. */
static bool choose_scheme(heap_step *g, const carom_run_def *run) {
    static const char *const names[] = {[MOREAU] = "moreau", [SYMMETRIC] = "symmetric_moreau", [RATTLE] = "rattle"};
    carom_error error;
    for (int i = MOREAU; i <= RATTLE; i++)
        if (strcmp(run->integrator, names[i]) == 0) {
            g->scheme = (heap_scheme)i;
            return !accept_option(run, &g->accept, &error) && (g->accept > 0 || i == RATTLE) &&
                   !threads_option(run, &g->threads, &error) && is_left_at(run, "variant", "cured") &&
                   is_left_at(run, "events", "capture");
        }
    return false;
}

/* A sphere about the centre of a body that moves; of the world also planes. */
static bool is_round(const finder *f, const solid *s) {
    const bool moves = f->body[s->body].form.nq > 0;
    return s->core.half_space ? !moves : s->core.vertices == 1 && (!moves || s->arm == 0);
}

static bool all_round(const finder *f) {
    bool all = true;
    for (int i = 0; i < f->solids; i++) all = all && is_round(f, &f->solid[i]);
    return all;
}

static bool is_plain(const carom_model_contact *c) {
    return c->loads == 0 && !c->by_slip && c->kinetic == 0 && (!c->law || strcmp(c->law, "coulomb") == 0) &&
           (!c->impact || strcmp(c->impact, "newton") == 0) && c->slips <= 2;
}

/* Forces of a body in space know no velocities but its own angular ones, those in the plane none. */
static bool forces_are_own(const carom_pattern *h_u, const finder_body *b) {
    if (b->form.kind == BODY_PLANAR) return pattern_nnz(h_u) == 0;
    for (int row = b->u; row < b->u + b->form.nu; row++)
        for (int e = h_u->start[row]; e < h_u->start[row + 1]; e++)
            if (row < b->u + 3 || h_u->index[e] < b->u + 3 || h_u->index[e] >= b->u + b->form.nu) return false;
    return true;
}

/* Nothing but free rigid bodies, with laws that are written here. */
static bool is_heap(const carom_model *m, const finder *f) {
    int velocities = 0;
    if (m->ns || !m->constant_mass || !m->diagonal || m->def.sequential) return false;
    if (pattern_nnz(&m->def.M) != m->def.nu) return false;
    for (int i = 0; i < f->bodies; i++) {
        if (!f->body[i].form.nq) continue;
        const bool rigid = f->body[i].form.kind == BODY_SPATIAL || f->body[i].form.kind == BODY_PLANAR;
        if (!rigid || !forces_are_own(&m->def.h_u, &f->body[i])) return false;
        velocities += f->body[i].form.nu;
    }
    for (int i = 0; i < f->laws; i++)
        if (!is_plain(&f->law[i].contact)) return false;
    return velocities == m->def.nu;
}

bool heap_step_create(heap_step **made, const carom_model *m, const finder *f, const carom_run_def *run) {
    heap_step *g = *made = calloc(1, sizeof *g);
    bool fits;
    if (!g) return false;
    if (choose_scheme(g, run) && is_heap(m, f)) {
        g->sum = calloc((size_t)f->bodies + 1, sizeof *g->sum);
        if (!g->sum || !heap_bodies_create(&g->bodies, m, f, all_round(f), g->threads, &fits)) return false;
        if (fits && !(g->scheme == SYMMETRIC && g->bodies.spins))
            return true; /* the forces here know the end of a step */
    }
    heap_step_destroy(g);
    *made = NULL;
    return true;
}

void heap_step_destroy(heap_step *g) {
    if (!g) return;
    heap_bodies_destroy(&g->bodies);
    heap_pairs_destroy(&g->pairs);
    free(g->sum);
    free(g);
}
