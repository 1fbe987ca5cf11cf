/* Block Gauss-Seidel on the condensed problem (docs/theory/solver.md, (S8)): each contact in turn is solved exactly for
 * its normal and friction percussion with the others fixed. Sweeps end where they converge, or where ten of them no
 * longer help. */
#include <math.h>
#include <stdlib.h>

#include "solver/condensed.h"
#include "solver/one_contact.h"

enum { SWEEPS = 200 };

/* The unknowns of a contact in w: normal, then friction. */
typedef struct block {
    int size, at[LAW_SIZE + 1];
    one_contact contact; /* without q */
} block;

/* Directions of slip are given in impacts only, and are constant there. */
static void add_friction(const condensed *c, const problem_law *f, block *b) {
    one_contact *k = &b->contact;
    double size = 0;
    k->slips = f->size;
    k->slope = f->mu, k->less = f->mu * f->given;
    k->sticks = f->fixed && f->given_branch == LAW_HOLD;
    for (int i = 0; i < f->size; i++) {
        b->at[b->size++] = f->col + i;
        size = hypot(size, f->directed ? c->v0[f->direction + i] : 0);
    }
    k->slides = f->fixed && size > 0;
    for (int i = 0; i < f->size && k->slides; i++) k->d[i] = c->v0[f->direction + i] / size;
}

/* of: [m] the block of a normal percussion. Normal laws come before the friction that goes with them. */
static int list_blocks(const condensed *c, block *b, int *of) {
    const problem *p = &c->contacts;
    int n = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (l->follows) return 0; /* its bound belongs to another contact's block */
        if (l->normal >= 0) {
            add_friction(c, l, &b[of[l->normal]]);
            continue;
        }
        of[l->col] = n;
        b[n++] = (block){.size = 1, .at = {l->col}, .contact = {.pressed = l->fixed}};
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < b[k].size; i++)
            for (int j = 0; j < b[k].size; j++) b[k].contact.A[i][j] = p->J.value[b[k].at[i] * c->m + b[k].at[j]];
    return n;
}

/* Returns the largest change of w. */
static double relax(block *b, condensed *c) {
    double w[LAW_SIZE + 1], largest = 0;
    const double *A = c->contacts.J.value;
    for (int i = 0; i < b->size; i++) {
        w[i] = c->w[b->at[i]];
        b->contact.q[i] = c->v[b->at[i]];
        for (int j = 0; j < b->size; j++) b->contact.q[i] -= b->contact.A[i][j] * c->w[b->at[j]];
    }
    one_contact_solve(&b->contact, w);
    for (int i = 0; i < b->size; i++) {
        double step = w[i] - c->w[b->at[i]];
        if (step == 0) continue;
        c->w[b->at[i]] = w[i];
        largest = fmax(largest, fabs(step));
        for (int d = 0; d < c->m; d++) c->v[d] += step * A[d * c->m + b->at[i]];
    }
    return largest;
}

bool gauss_seidel_improve(condensed *c, double tolerance) {
    block *b = calloc((size_t)c->m, sizeof *b);
    int *of = calloc((size_t)c->m, sizeof *of), blocks = b && of ? list_blocks(c, b, of) : 0;
    double change = INFINITY, before = INFINITY;
    condensed_velocities(c, c->w, c->v);
    for (int sweep = 1; sweep <= SWEEPS && change > tolerance / 10; sweep++) {
        change = 0;
        for (int k = 0; k < blocks; k++) change = fmax(change, relax(&b[k], c));
        c->solver->work += (double)c->m * c->m;
        if (sweep % 10) continue;
        if (!(change < 0.9 * before)) break;
        before = change;
    }
    free(b);
    free(of);
    return blocks > 0;
}
