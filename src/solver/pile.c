/* The contacts of a step problem in the space of bodies. The smooth rows fall into small parts: balances of velocities
 * v, and updates of positions q, which no contact depends on,
 *
 *     A_v dv = W dr - F_v,      u = y + y_v dv,      Y = A_v^-1 W,      A_q dq = -F_q                         (FC10)
 *
 * which is (FC9) with x = dv. The Jacobian is that of the guess without its terms of order dt. Rows at the new z
 * correct the error that this leaves. */
#include "solver/pile.h"

#include "friction/bodies.h"
#include "solver/pile_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 3000, CORRECTIONS = 12 };
static const double SHARE = 0.5; /* sweeps leave this part of the accepted error: enough for the next guesses */

struct pile {
    bool applies; /* the problem has the form above */
    int nv, nq;
    parts v, q;
    int contacts, *normal, *friction; /* [contacts] laws; friction -1: none */
    int *w_start, *w_row, *w_entry;   /* by percussions: their rows among the balances, and entries of J */
    int *slot;                        /* [nv] place of a velocity among the columns of the present contact; else -1 */
    body_contacts bodies;
    double *r, *r0, *x, *x0, *dq;
    double *memory;
};

/* ---------------------------------------------------------------- the form, once */

/* Balances and laws know no positions. */
static bool knows_positions(const problem *p, int from, int to) {
    const int nv = p->velocities;
    for (int e = p->J.start[from]; e < p->J.start[to]; e++)
        if (p->J.index[e] >= nv && p->J.index[e] < p->nF && p->J.value[e] != 0) return true;
    return false;
}

/* Friction laws follow the normal ones in the same order. False: laws of another kind. */
static bool list_contacts(struct pile *m, const problem *p) {
    int next = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (l->law == &law_bilateral || (l->normal >= 0 && l->size > 2)) return false;
        if (l->normal < 0) m->normal[m->contacts] = k, m->friction[m->contacts++] = -1;
    }
    for (int k = 0; k < p->laws; k++) {
        if (p->law[k].normal < 0) continue;
        while (next < m->contacts && p->law[m->normal[next]].col != p->law[k].normal) next++;
        if (next == m->contacts) return false;
        m->friction[next] = k;
    }
    return m->contacts > 0;
}

/* The columns of J that are percussions, in the rows of balances. */
static bool transpose(struct pile *m, const problem *p) {
    const csr *J = &p->J;
    const size_t percussions = (size_t)(p->n - p->nF) + 1, room = (size_t)J->start[m->nv] + 1;
    m->w_start = calloc(percussions + 1, sizeof *m->w_start);
    m->w_row = malloc(room * sizeof *m->w_row), m->w_entry = malloc(room * sizeof *m->w_entry);
    if (!m->w_start || !m->w_row || !m->w_entry) return false;
    int *at = m->w_start + 1;
    for (int e = 0; e < J->start[m->nv]; e++)
        if (J->index[e] >= p->nF) at[J->index[e] - p->nF + 1]++;
    for (int j = 1; j < p->n - p->nF; j++) at[j] += at[j - 1];
    for (int i = 0; i < m->nv; i++)
        for (int e = J->start[i]; e < J->start[i + 1]; e++)
            if (J->index[e] >= p->nF) {
                const int to = at[J->index[e] - p->nF]++;
                m->w_row[to] = i, m->w_entry[to] = e;
            }
    return true;
}

static int *add_column(struct pile *m, int j, int *end) {
    if (m->slot[j] >= 0) return end;
    m->slot[j] = 0, *end = j;
    return end + 1;
}

/* The velocities that a row of y sees and a percussion moves. */
static int *add_columns(struct pile *m, const problem *p, int row, int col, int *end) {
    const csr *J = &p->J;
    for (int e = J->start[row]; e < J->start[row + 1]; e++)
        if (J->index[e] < m->nv) end = add_column(m, J->index[e], end);
    for (int e = m->w_start[col - p->nF]; e < m->w_start[col - p->nF + 1]; e++) {
        const int part = m->v.of[m->w_row[e]];
        for (int i = m->v.start[part]; i < m->v.start[part + 1]; i++) end = add_column(m, m->v.row[i], end);
    }
    return end;
}

/* The columns of a contact, ascending. */
static int list_columns(struct pile *m, const problem *p, int a, int *column) {
    const int laws[] = {m->normal[a], m->friction[a]};
    int *end = column;
    for (int f = 0; f < 2 && laws[f] >= 0; f++)
        for (int i = 0; i < p->law[laws[f]].size; i++)
            end = add_columns(m, p, p->law[laws[f]].row + i, p->law[laws[f]].col + i, end);
    for (int *j = column; j < end; j++) m->slot[*j] = -1;
    csr_sort(column, (int)(end - column));
    return (int)(end - column);
}

static bool make_bodies(struct pile *m, const problem *p) {
    int *column = malloc(((size_t)m->nv + 1) * sizeof *column), columns = 0;
    for (int a = 0; column && a < m->contacts; a++) columns += list_columns(m, p, a, column);
    free(column);
    if (!column || !body_contacts_create(&m->bodies, m->contacts, m->nv, columns)) return false;
    for (int a = 0; a < m->contacts; a++) {
        const int from = m->bodies.start[a];
        m->bodies.start[a + 1] = from + list_columns(m, p, a, m->bodies.column + from);
    }
    return true;
}

static bool allocate(struct pile *m, int laws) {
    const size_t n = 3 * ((size_t)laws + 1), nv = (size_t)m->nv + 1;
    m->memory = calloc(2 * n + 2 * nv + (size_t)m->nq + 1, sizeof *m->memory);
    m->normal = malloc(((size_t)laws + 1) * sizeof *m->normal);
    m->friction = malloc(((size_t)laws + 1) * sizeof *m->friction);
    m->slot = malloc(nv * sizeof *m->slot);
    if (!m->memory || !m->normal || !m->friction || !m->slot) return false;
    m->r = m->memory, m->r0 = m->r + n, m->x = m->r0 + n, m->x0 = m->x + nv, m->dq = m->x0 + nv;
    for (int i = 0; i < m->nv; i++) m->slot[i] = -1;
    return true;
}

/* NULL: out of memory. */
static struct pile *create(const problem *p) {
    struct pile *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->nv = p->velocities, m->nq = p->nF - p->velocities;
    m->applies = p->balances == 1 && allocate(m, p->laws) && list_contacts(m, p) &&
                 parts_create(&m->v, &p->J, 0, m->nv) && parts_create(&m->q, &p->J, m->nv, m->nq) && transpose(m, p) &&
                 make_bodies(m, p);
    return m;
}

void pile_destroy(struct pile *m) {
    if (!m) return;
    body_contacts_destroy(&m->bodies);
    parts_destroy(&m->v), parts_destroy(&m->q);
    void *const own[] = {m->normal, m->friction, m->w_start, m->w_row, m->w_entry, m->slot, m->memory};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
    free(m);
}

/* Whether the laws are those of (FC1) in this problem. */
static bool fits(const problem *p) {
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (!l->enabled) continue;
        if (l->fixed || l->directed || l->curved || l->follows || l->given != 0 ||
            (l->normal >= 0 && l->law != &law_coulomb))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- numbers of the linearised problem */

/* A row of y_v into component i of the columns of C. */
static void fill_row(struct pile *m, const problem *p, int row, double level, int i, double (*C)[3]) {
    const csr *J = &p->J;
    for (int e = J->start[row]; e < J->start[row + 1]; e++)
        if (J->index[e] < m->nv) C[m->slot[J->index[e]]][i] += level * J->value[e];
}

/* A column of A_v^-1 W into component i of Y, one velocity after the other: each has few rows. */
static void fill_column(struct pile *m, const problem *p, int col, double unit, int i, double (*Y)[3]) {
    for (int e = m->w_start[col - p->nF]; e < m->w_start[col - p->nF + 1]; e++) {
        const int row = m->w_row[e], part = m->v.of[row], first = m->v.start[part], n = part_size(&m->v, part);
        const double w = -p->J.value[m->w_entry[e]] / unit, *A = m->v.inverse + m->v.begin[part];
        int at = 0;
        while (m->v.row[first + at] != row) at++;
        for (int k = 0; k < n; k++) Y[m->slot[m->v.row[first + k]]][i] += A[k * n + at] * w;
    }
}

static void fill_contact(struct pile *m, const problem *p, int a) {
    body_contacts *b = &m->bodies;
    const problem_law *normal = &p->law[m->normal[a]], *friction = m->friction[a] < 0 ? NULL : &p->law[m->friction[a]];
    const int from = b->start[a], to = b->start[a + 1];
    memset(b->C + from, 0, (size_t)(to - from) * sizeof *b->C);
    memset(b->Y + from, 0, (size_t)(to - from) * sizeof *b->Y);
    for (int e = from; e < to; e++) m->slot[b->column[e]] = e - from;
    fill_row(m, p, normal->row, normal->level, 0, b->C + from);
    fill_column(m, p, normal->col, normal->G, 0, b->Y + from);
    for (int i = 0; friction && i < friction->size; i++) {
        fill_row(m, p, friction->row + i, friction->level, i + 1, b->C + from);
        fill_column(m, p, friction->col + i, friction->G, i + 1, b->Y + from);
    }
    for (int e = from; e < to; e++) m->slot[b->column[e]] = -1;
    b->mu[a] = friction ? friction->mu * friction->G / normal->G : 0;
}

/* False: some body has no mass, or the problem does not have this form. */
static bool linearise(struct pile *m, const problem *p) {
    if (m->nq && (knows_positions(p, 0, m->nv) || knows_positions(p, p->nF, p->n))) return false;
    if (!parts_invert(&m->v, &p->J) || !parts_invert(&m->q, &p->J)) return false;
    for (int a = 0; a < m->contacts; a++)
        if ((m->bodies.takes_part[a] = p->law[m->normal[a]].enabled)) fill_contact(m, p, a);
    body_contacts_divide(&m->bodies);
    return true;
}

/* ---------------------------------------------------------------- numbers of the present rows */

/* -A^-1 F of all parts. */
static void correct(const parts *q, const double *F, double *x) {
    double b[PART_MOST], y[PART_MOST];
    for (int part = 0; part < q->count; part++) {
        const int *row = q->row + q->start[part], n = part_size(q, part);
        for (int i = 0; i < n; i++) b[i] = -F[row[i]];
        parts_apply(q, part, b, y);
        for (int i = 0; i < n; i++) x[row[i]] = y[i];
    }
}

static void load_contact(struct pile *m, const problem *p, const double *z, const double *rows, int a) {
    const problem_law *normal = &p->law[m->normal[a]], *friction = m->friction[a] < 0 ? NULL : &p->law[m->friction[a]];
    double *d = m->bodies.d + 3 * a, *r = m->r + 3 * a;
    memset(d, 0, 3 * sizeof *d), memset(r, 0, 3 * sizeof *r);
    d[0] = normal->level * rows[normal->row];
    r[0] = normal->G * z[normal->col];
    for (int i = 0; friction && i < friction->size; i++) {
        d[i + 1] = friction->level * rows[friction->row + i];
        r[i + 1] = friction->G * z[friction->col + i];
    }
}

static void load(struct pile *m, const problem *p, const double *z, const double *rows) {
    correct(&m->v, rows, m->x0);
    memcpy(m->x, m->x0, (size_t)m->nv * sizeof *m->x);
    for (int a = 0; a < m->contacts; a++)
        if (m->bodies.takes_part[a]) load_contact(m, p, z, rows, a);
    memcpy(m->r0, m->r, 3 * (size_t)m->contacts * sizeof *m->r);
}

/* How much forces alone change the velocities of a contact, without signs, and what counts as round-off anyway. */
static void measure(struct pile *m, const problem *p, double tolerance) {
    const body_contacts *b = &m->bodies;
    double *x = m->x;
    memcpy(x, m->x0, (size_t)m->nv * sizeof *x);
    for (int a = 0; a < m->contacts; a++)
        if (b->takes_part[a]) body_contacts_push(b, a, -1, m->r0 + 3 * a, x);
    for (int a = 0; a < m->contacts; a++) {
        double change = 0;
        if (!b->takes_part[a]) continue;
        for (int e = b->start[a]; e < b->start[a + 1]; e++) change += fabs(b->C[e][0] * x[b->column[e]]);
        b->scale[a] = fmax(change, fmax(tolerance, p->law[m->normal[a]].floor) / p->accept);
    }
    memcpy(x, m->x0, (size_t)m->nv * sizeof *x);
}

/* Moves z by x = x0 + Y (r - r0), summed anew, and by what follows from x. */
static void move(struct pile *m, const problem *p, double *z) {
    const body_contacts *b = &m->bodies;
    double *x = m->x;
    memcpy(x, m->x0, (size_t)m->nv * sizeof *x);
    for (int a = 0; a < m->contacts; a++) {
        const problem_law *normal = &p->law[m->normal[a]];
        const problem_law *friction = m->friction[a] < 0 ? NULL : &p->law[m->friction[a]];
        const double *r = m->r + 3 * a, *r0 = m->r0 + 3 * a;
        const double step[] = {r[0] - r0[0], r[1] - r0[1], r[2] - r0[2]};
        if (!b->takes_part[a]) continue;
        body_contacts_push(b, a, 1, step, x);
        z[normal->col] = r[0] / normal->G;
        for (int i = 0; friction && i < friction->size; i++) z[friction->col + i] = r[i + 1] / friction->G;
    }
    for (int i = 0; i < m->nv; i++) z[i] += x[i];
}

static bool is_within(const problem *p, const double *rows, int from, int to, double tolerance) {
    for (int i = from; i < to; i++)
        if (!(problem_row_error(p, rows, i) <= fmax(tolerance, p->floor[i]))) return false;
    return true;
}

/* Moves positions with the velocities of z. False: they cannot follow. */
static bool follow(struct pile *m, const problem *p, double *z, double *rows, double tolerance) {
    if (!m->nq) return true;
    for (int k = 0; k < CORRECTIONS; k++) {
        if (p->update(p->context, z, rows)) return false;
        if (is_within(p, rows, m->nv, p->nF, tolerance)) return true;
        correct(&m->q, rows + m->nv, m->dq);
        for (int i = 0; i < m->nq; i++) z[m->nv + i] += m->dq[i];
    }
    return false;
}

/* ---------------------------------------------------------------- all of it */

/* What laws miss at most, and their branches. */
static void judge(problem *p, const double *z, const double *rows, solver_report *report) {
    report->residual = 0;
    for (int k = 0; k < p->laws; k++) {
        const double error = problem_law_error(&p->law[k], z, rows, &p->law[k].branch);
        if (error > report->residual) report->residual = error, report->worst = p->nF + k;
    }
}

/* Contacts that take no part have no percussions, and contacts without friction have no friction percussions. */
static void clear(const struct pile *m, const problem *p, double *z) {
    for (int a = 0; a < m->contacts; a++) {
        const int laws[] = {m->normal[a], m->friction[a]};
        if (p->law[laws[0]].enabled) continue;
        for (int f = 0; f < 2 && laws[f] >= 0; f++)
            for (int i = 0; i < p->law[laws[f]].size; i++) z[p->law[laws[f]].col + i] = 0;
    }
}

/* Balances, and the Jacobian. */
static bool evaluate(solver *s, problem *p, const double *z) {
    p->rough = true;
    const bool alone = p->balance != NULL;
    const bool undefined =
        (alone && p->balance(p->context, z, s->rows)) || p->evaluate(p->context, z, alone ? NULL : s->rows, true);
    p->rough = false;
    return !undefined;
}

/* (FC12): z with the velocities that the guessed percussions lead to, and positions that follow. */
static bool follow_guess(solver *s, problem *p, double *z, double tolerance) {
    struct pile *m = s->pile;
    load(m, p, z, s->rows);
    measure(m, p, tolerance);
    for (int i = 0; i < m->nv; i++) z[i] += m->x0[i];
    return follow(m, p, z, s->rows, tolerance) && !p->evaluate(p->context, z, s->rows, false);
}

static bool iterate(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    struct pile *m = s->pile;
    clear(m, p, z);
    if (!evaluate(s, p, z) || !linearise(m, p) || !follow_guess(s, p, z, tolerance)) return false;
    for (int k = 0; k < CORRECTIONS; k++) {
        body_report swept;
        load(m, p, z, s->rows);
        body_contacts_solve(&m->bodies, p->accept, SHARE * p->accept, SWEEPS, m->r, m->x, &swept);
        report->iterations += swept.sweeps;
        if (!swept.solved) return false;
        if (swept.sweeps == 0 && is_within(p, s->rows, 0, p->nF, tolerance)) return judge(p, z, s->rows, report), true;
        move(m, p, z);
        if (!follow(m, p, z, s->rows, tolerance) || p->evaluate(p->context, z, s->rows, false)) return false;
    }
    return false;
}

bool pile_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    const size_t size = (size_t)p->n * sizeof *z;
    if (!s->pile && !(s->pile = create(p))) return false;
    if (!s->pile->applies || (s->pile->nq && !p->update) || !fits(p)) return false;
    memcpy(s->guess, z, size);
    *report = (solver_report){0};
    if (iterate(s, p, z, tolerance, report) && solver_is_caused(s, p, z, tolerance)) return true;
    memcpy(z, s->guess, size);
    return false;
}
