#include "solver/condensed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 }; /* contact unknowns: A has their square */

/* ---------------------------------------------------------------- what is eliminated */

static double *column(const condensed *c, int i) {
    return c->X + (size_t)i * (size_t)c->n;
}

static bool is_eliminated(const problem_law *l) {
    return l->law == &law_bilateral;
}

static bool keeps(const condensed *c, const problem_law *l) {
    return !is_eliminated(l) && c->mark[l->col] >= 0;
}

/* Numbers smooth unknowns and bilateral percussions. False: a friction law belongs to a percussion that is eliminated,
 * so that it has no cone here. */
static bool number_eliminated(condensed *c, const problem *p) {
    for (int j = 0; j < p->n; j++) c->place[j] = c->mark[j] = -1;
    for (int j = 0; j < p->nF; j++) c->place[j] = c->n++;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (l->normal >= 0 && l->enabled && c->place[l->normal] >= 0) return false;
        for (int j = l->col; j < l->col + l->size && is_eliminated(l); j++) c->place[j] = c->n++;
    }
    return true;
}

/* One row of the eliminated system: its own unknowns into the matrix. */
static int eliminate_row(const condensed *c, solver *s, const problem *p, int i, int row, double factor, int entry) {
    s->rhs[i] = -factor * s->rows[row];
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e];
        if (c->place[j] < 0) continue;
        s->index[entry] = c->place[j];
        s->value[entry++] = factor * p->J.value[e] * s->scale[j];
    }
    return entry;
}

/* s->rhs: how the eliminated unknowns change if the percussions of contacts stay as they are. */
static bool eliminate(condensed *c, solver *s, const problem *p) {
    int row = 0, entry = 0;
    s->routed = false;
    s->start[0] = 0;
    for (; row < p->nF; row++) s->start[row + 1] = entry = eliminate_row(c, s, p, row, row, p->weight[row], entry);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && is_eliminated(l); i++, row++) {
            entry = eliminate_row(c, s, p, row, l->row + i, l->level, entry);
            s->index[entry] = c->place[l->col + i];
            s->value[entry++] = NEWTON_REDUNDANT;
            s->start[row + 1] = entry;
        }
    }
    s->plain = false;
    if (!linear_factor(s->linear, c->n, s->start, s->index, s->value)) return false;
    s->work += linear_factor_work(s->linear);
    linear_solve(s->linear, s->rhs);
    return true;
}

/* ---------------------------------------------------------------- which contacts take part */

/* Laws that are disabled, or told to stay open. Friction laws come after the normal laws they go with. */
static bool is_idle(const problem *p, const problem_law *l) {
    if (!l->enabled || (l->fixed && l->given_branch == LAW_OPEN)) return true;
    for (const problem_law *n = p->law; l->normal >= 0 && n < l; n++)
        if (n->col == l->normal) return is_idle(p, n);
    return false;
}

static void clear_idle(const problem *p, double *z) {
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size && !is_eliminated(&p->law[k]) && is_idle(p, &p->law[k]); i++)
            z[p->law[k].col + i] = 0;
}

/* How far the row of a law moves within the step, as a velocity, if percussions stay as they are. Other bodies that
 * strike may move it a few times as far. */
static double reach(const condensed *c, const solver *s, const problem *p, const problem_law *l, const double *z) {
    double sum = 0;
    for (int e = p->J.start[l->row]; e < p->J.start[l->row + 1]; e++) {
        int j = p->J.index[e];
        if (j >= p->nF) continue;
        double moved = fabs(j < p->velocities ? z[j] : z[j] - p->from[j]) + s->scale[j] * fabs(s->rhs[c->place[j]]);
        sum += fabs(l->level * p->J.value[e]) * moved;
    }
    return sum;
}

static bool takes_part(const condensed *c, const solver *s, const problem *p, const problem_law *l, const double *z) {
    if (is_idle(p, l)) return false;
    if (l->normal >= 0) return c->mark[l->normal] >= 0;
    if (l->fixed || p->velocity_level || z[l->col] != 0) return true;
    return l->level * s->rows[l->row] <= 4 * reach(c, s, p, l, z) + l->floor;
}

/* Returns the number of laws that take part. */
static int number_contacts(condensed *c, const solver *s, const problem *p, double *z) {
    int laws = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (is_eliminated(l)) continue;
        bool kept = takes_part(c, s, p, l, z);
        laws += kept;
        for (int j = l->col; j < l->col + l->size; j++) {
            if (kept) c->mark[j] = c->m++;
            else z[j] = 0;
        }
    }
    return laws;
}

/* The columns of one row of the eliminated system. */
static void insert_row(condensed *c, const solver *s, const problem *p, int i, int row, double factor) {
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e];
        if (c->mark[j] >= 0) column(c, c->mark[j])[i] -= factor * p->J.value[e] * s->scale[j];
    }
}

/* The eliminated unknowns as functions of w. */
static void insert(condensed *c, const solver *s, const problem *p) {
    int row = 0;
    for (; row < p->nF; row++) insert_row(c, s, p, row, row, p->weight[row]);
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size && is_eliminated(&p->law[k]); i++, row++)
            insert_row(c, s, p, row, p->law[k].row + i, p->law[k].level);
    memcpy(column(c, c->m), s->rhs, (size_t)c->n * sizeof *s->rhs);
    for (int i = 0; i < c->m; i++) linear_solve(s->linear, column(c, i));
}

/* Inserts the eliminated unknowns into one row of the problem. Returns its value at the start; J gets the row of its
 * derivatives by w. */
static double condense_row(condensed *c, const solver *s, const problem *p, int row, double factor, int at) {
    double *a = c->contacts.J.value + (size_t)at * (size_t)c->m, value = factor * s->rows[row];
    for (int e = p->J.start[row]; e < p->J.start[row + 1]; e++) {
        int j = p->J.index[e], x = c->place[j];
        double f = factor * p->J.value[e] * s->scale[j];
        if (x < 0) {
            if (c->mark[j] >= 0) a[c->mark[j]] += f;
            continue;
        }
        for (int d = 0; d < c->m; d++) a[d] += f * column(c, d)[x];
        value += f * column(c, c->m)[x];
    }
    return value;
}

/* ---------------------------------------------------------------- the problem of the contacts */

static void multiply(const condensed *c, const double *w, int rows, double *y) {
    const double *a = c->contacts.J.value;
    for (int i = 0; i < rows; i++) {
        y[i] = c->v0[i];
        for (int d = 0; d < c->m; d++) y[i] += *a++ * w[d];
    }
}

void condensed_velocities(const condensed *c, const double *w, double *v) {
    multiply(c, w, c->m, v);
}

static int evaluate(void *self, const double *w, double *rows, bool jacobian) {
    const condensed *c = self;
    (void)jacobian; /* it is constant */
    if (rows) multiply(c, w, c->m + c->contacts.looks, rows);
    return 0;
}

/* The law in terms of w. Its ball has the radius mu (w_N - given), with mu at the present slip and in the units of w.
 */
static problem_law law_of_w(const condensed *c, const solver *s, const problem_law *l) {
    problem_law k = *l;
    k.curved = false;
    k.row = k.col = c->mark[l->col];
    k.level = k.G = 1;
    k.direction = c->m + k.row;
    if (l->normal < 0) return k;
    k.normal = c->mark[l->normal];
    k.mu = problem_mu(l, s->rows) * l->G * s->scale[l->normal];
    k.given = l->given / s->scale[l->normal];
    return k;
}

static void condense(condensed *c, const solver *s, const problem *p, const double *z) {
    problem_law *next = c->contacts.law;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (!keeps(c, l)) continue;
        *next = law_of_w(c, s, l);
        for (int i = 0; i < l->size; i++) {
            int v = next->row + i, d = next->direction + i;
            c->v0[v] = condense_row(c, s, p, l->row + i, l->level, v);
            if (l->directed) c->v0[d] = condense_row(c, s, p, l->direction + i, 1, d);
            c->w[v] = l->G * z[l->col + i];
        }
        next++;
    }
    for (int i = 0; i < c->m + c->contacts.looks; i++) /* v0 belongs to no percussions */
        for (int d = 0; d < c->m; d++) c->v0[i] -= c->contacts.J.value[(size_t)i * (size_t)c->m + (size_t)d] * c->w[d];
}

/* ---------------------------------------------------------------- memory */

static bool allocate(condensed *c, const problem *p, int laws) {
    problem *k = &c->contacts;
    const int looks = p->looks ? c->m : 0, rows = c->m + looks;
    const size_t n = (size_t)c->n, m = (size_t)c->m, entries = (size_t)rows * m;
    *k = (problem){.n = c->m, .laws = laws, .looks = looks, .velocity_level = true, .absolute = true};
    k->J = (csr){.rows = rows, .cols = c->m};
    k->J.start = malloc(((size_t)rows + 1) * sizeof *k->J.start);
    k->J.index = malloc(entries * sizeof *k->J.index);
    k->J.value = calloc(entries, sizeof *k->J.value);
    k->law = calloc((size_t)laws, sizeof *k->law);
    c->memory = calloc((m + 1) * n + 5 * m + (size_t)p->n, sizeof *c->memory);
    if (!k->J.start || !k->J.index || !k->J.value || !k->law || !c->memory) return false;
    c->X = c->memory, c->v0 = c->X + (m + 1) * n, c->w = c->v0 + 2 * m, c->v = c->w + m, c->x = c->v + m;
    c->start = c->x + m;
    for (int i = 0; i <= rows; i++) k->J.start[i] = i * c->m;
    for (int e = 0; e < rows * c->m; e++) k->J.index[e] = e % c->m;
    k->context = c;
    k->evaluate = evaluate;
    return true;
}

bool condensed_create(condensed *c, solver *s, problem *p, double *z) {
    *c = (condensed){.place = malloc(2 * (size_t)p->n * sizeof *c->place)};
    c->mark = c->place ? c->place + p->n : NULL;
    clear_idle(p, z);
    bool made = c->place && solver_reserve(s, p) && number_eliminated(c, p) &&
                !p->evaluate(p->context, z, s->rows, false) && !p->evaluate(p->context, z, NULL, true) &&
                eliminate(c, s, p);
    int laws = made ? number_contacts(c, s, p, z) : 0;
    made = made && laws > 0 && c->m <= MOST && allocate(c, p, laws);
    if (made) {
        insert(c, s, p);
        condense(c, s, p, z);
        memcpy(c->start, z, (size_t)p->n * sizeof *z);
        s->work += c->m * (linear_solve_work(s->linear) + p->J.start[p->n + p->looks]);
        made = (c->solver = solver_create(&c->contacts)) != NULL; /* laws tell how many entries it needs */
    }
    if (!made) condensed_destroy(c);
    return made;
}

void condensed_destroy(condensed *c) {
    solver_destroy(c->solver);
    csr_free(&c->contacts.J);
    free(c->contacts.law);
    free(c->memory);
    free(c->place);
}

void condensed_recover(const condensed *c, const solver *s, const problem *p, double *z) {
    memcpy(z, c->start, (size_t)p->n * sizeof *z);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int i = 0; i < l->size && keeps(c, l); i++) {
            int at = c->mark[l->col + i];
            c->x[at] = c->w[at] - l->G * z[l->col + i];
            z[l->col + i] = c->w[at] / l->G;
        }
    }
    for (int j = 0; j < p->n; j++) {
        if (c->place[j] < 0) continue;
        double change = column(c, c->m)[c->place[j]];
        for (int at = 0; at < c->m; at++) change += c->x[at] * column(c, at)[c->place[j]];
        z[j] += s->scale[j] * change;
    }
}
