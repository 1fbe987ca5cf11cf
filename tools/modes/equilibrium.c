/* Newton's method along the motions that the held rows leave free, (ME2)-(ME5):
 *
 *     K_zz b = h_z,     q <- q + B Z b, then back onto the held rows
 *
 * Contacts are held or open, and change sides one at a time until none wants to. */
#include "modes/equilibrium.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "law/law.h"
#include "modes/dense.h"

/* A gap below CLOSED counts as closed. A step below SETTLED of the coordinates is the last one. SOFT of the largest
 * stiffness is added everywhere at first, which damps the search; then SOFT of each coordinate's own, for motions
 * without stiffness. The unbalanced force may be UNBALANCED of all forces. */
static const double CLOSED = 1e-8, SETTLED = 1e-11, SOFT = 1e-13, UNBALANCED = 1e-7;
enum { MOST_STEPS = 1000, MOST_HALVINGS = 40 };

typedef struct search {
    statics *s;
    equilibrium *e;
    double *q, *tried;  /* [nq] */
    double *x, *b;      /* [n] a step, along velocities and along the free motions */
    double complex *Kz; /* [n - rank]^2 */
    double complex *bz;
    double complex *stiff; /* Kz and Z of the step, and how many free motions there are */
    double *Z;
    int free;
    bool damped;
    double *Zt;  /* [n] a row of Z K */
    double size; /* of coordinates so far */
} search;

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* ---------------------------------------------------------------- contacts */

static void hold_one(search *f, int contact, bool closed) {
    const carom_model *m = f->s->m;
    const carom_model_contact *c = &m->def.contact[contact];
    const bool sticks = closed && c->slips > 0 && c->friction > 0;
    f->s->held[m->N + contact] = closed && !contact_follows(m, contact);
    for (int i = m->slip[contact]; i < m->slip[contact + 1]; i++) f->s->held[m->F + i] = sticks;
    f->e->contact[contact] = !closed ? CAROM_OPEN : sticks ? CAROM_STICK : CAROM_SLIP;
}

/* Together with the friction that this contact presses. */
static void hold(search *f, int contact, bool closed) {
    for (int k = 0; k < f->s->m->def.contacts; k++)
        if (k == contact || contact_pressed_by(f->s->m, k) == contact) hold_one(f, k, closed);
}

/* By how much a force exceeds what the contact bears: as a pull, or as friction outside of its set. */
static double excess(const search *f, int contact, const double *force) {
    const carom_model *m = f->s->m;
    const carom_model_contact *c = &m->def.contact[contact];
    const double N = contact_load(m, contact, force), *F = force + m->F + m->slip[contact];
    double off = fmax(0, -N), p[LAW_SIZE];
    const law *l = f->e->contact[contact] == CAROM_STICK ? law_of_slips(c) : NULL;
    if (!l) return off;
    l->prox(c->slips, F, c->friction * fmax(0, N), p);
    for (int i = 0; i < c->slips; i++) off = fmax(off, fabs(F[i] - p[i]));
    return off;
}

static void bring_back(const search *f, int contact, double *force) {
    const carom_model *m = f->s->m;
    const carom_model_contact *c = &m->def.contact[contact];
    double *N = force + m->N + contact, *F = force + m->F + m->slip[contact], p[LAW_SIZE];
    if (!contact_follows(m, contact)) *N = fmax(0, *N);
    const law *l = f->e->contact[contact] == CAROM_STICK ? law_of_slips(c) : NULL;
    if (!l) return;
    l->prox(c->slips, F, c->friction * fmax(0, contact_load(m, contact, force)), p);
    memcpy(F, p, (size_t)c->slips * sizeof *F);
}

/* y = h + W P along the first vectors; returns its length */
static double unbalanced(const search *f, const double *force, double *y) {
    const statics *s = f->s;
    for (int j = 0; j < s->rank; j++) y[j] = dense_dot(s->n, s->Q + j * s->n, s->h);
    for (int k = 0; k < s->rows; k++)
        for (int j = 0; j < s->rank; j++)
            y[j] += force[s->row[k]] * s->length[s->row[k]] * s->A[(size_t)k * (size_t)s->n + j];
    return sqrt(dense_dot(s->rank, y, y));
}

static double largest_excess(const search *f, const double *force, int *worst) {
    double most = 0;
    *worst = -1;
    for (int k = 0; k < f->s->m->def.contacts; k++) {
        const double off = f->e->contact[k] == CAROM_OPEN ? 0 : excess(f, k, force);
        if (off > most) most = off, *worst = k;
    }
    return most;
}

/* Where rows depend on each other, forces are not unique. The forces of least squares may pull at one contact, although
 * other forces push at all. Projected gradient steps on the square of the unbalanced force find the nearest forces that
 * the contacts bear. */
static bool share_forces(search *f, double scale) {
    enum { MOST = 20000 };
    statics *s = f->s;
    double most = 0;
    for (int k = 0; k < s->rows; k++) most += s->length[s->row[k]] * s->length[s->row[k]];
    double *force = malloc(((size_t)s->m->ns + 1) * sizeof *force), left = INFINITY;
    if (!force) return false;
    memcpy(force, s->force, (size_t)s->m->ns * sizeof *force);
    for (int turn = 0; turn < MOST; turn++) {
        for (int k = 0; k < s->m->def.contacts; k++)
            if (f->e->contact[k] != CAROM_OPEN) bring_back(f, k, force);
        left = unbalanced(f, force, f->b);
        if (left <= 1e-10 * scale) break;
        for (int k = 0; k < s->rows; k++)
            force[s->row[k]] -= s->length[s->row[k]] / most * dense_dot(s->rank, s->A + (size_t)k * (size_t)s->n, f->b);
    }
    const bool found = left <= 1e-9 * scale;
    if (found) memcpy(s->force, force, (size_t)s->m->ns * sizeof *force);
    free(force);
    return found;
}

/* ---------------------------------------------------------------- one step */

/* To the stiffness of every coordinate a little of its own, or of the largest where it has none or the search is
 * damped. */
static void add_soft(search *f) {
    const statics *s = f->s;
    const int n = s->n;
    double most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(s->K[i]));
    for (int i = 0; i < n; i++) {
        const double own = largest(n, s->K + (size_t)i * (size_t)n);
        s->K[i * n + i] += SOFT * (own > 0 && !f->damped ? own : most);
    }
}

/* f->x: the step of Newton's method; false: nothing resists the force. */
static bool newton_step(search *f) {
    const statics *s = f->s;
    const int n = s->n, r = s->rank, z = n - r;
    add_soft(f);
    for (int i = 0; i < z; i++) {
        const double *Zi = s->Q + (size_t)(r + i) * (size_t)n;
        memset(f->Zt, 0, (size_t)n * sizeof *f->Zt);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n && Zi[k] != 0; j++) f->Zt[j] += Zi[k] * s->K[k * n + j];
        for (int j = 0; j < z; j++) f->Kz[i * z + j] = dense_dot(n, f->Zt, s->Q + (size_t)(r + j) * (size_t)n);
        f->bz[i] = s->rest[i];
    }
    memcpy(f->stiff, f->Kz, (size_t)(z * z) * sizeof *f->Kz);
    memcpy(f->Z, s->Q + (size_t)r * (size_t)n, (size_t)(z * n) * sizeof *f->Z);
    f->free = z;
    if (largest(z, s->rest) > 0 && !dense_solve(z, f->Kz, f->bz)) return false;
    memset(f->x, 0, (size_t)n * sizeof *f->x);
    for (int i = 0; i < z; i++)
        for (int j = 0; j < n; j++) f->x[j] += creal(f->bz[i]) * s->Q[(size_t)(r + i) * (size_t)n + j];
    return true;
}

/* Takes a part of the step, returns to the held rows, and evaluates the balance there. */
static carom_status try_part(search *f, double part, carom_error *error) {
    const int n = f->s->n;
    memcpy(f->tried, f->q, (size_t)f->s->m->def.nq * sizeof *f->q);
    for (int j = 0; j < n; j++) f->b[j] = part * f->x[j];
    if (statics_move(f->s, f->tried, f->b))
        return carom_error_set(error, CAROM_FAILED, "the model is not defined on the way to an equilibrium");
    carom_status status = statics_restore(f->s, f->tried, error);
    return status ? status : statics_balance(f->s, f->tried, error);
}

/* The length of the step that the stiffness of the present place would take from the tried place, (ME5a). */
static double next_length(search *f) {
    const statics *s = f->s;
    double sum = 0;
    memset(f->b, 0, (size_t)s->n * sizeof *f->b);
    for (int i = s->rank; i < s->n; i++)
        for (int j = 0; j < s->n; j++) f->b[j] += s->rest[i - s->rank] * s->Q[(size_t)i * (size_t)s->n + j];
    for (int i = 0; i < f->free; i++) f->bz[i] = dense_dot(s->n, f->Z + (size_t)i * (size_t)s->n, f->b);
    memcpy(f->Kz, f->stiff, (size_t)(f->free * f->free) * sizeof *f->Kz);
    if (!dense_solve(f->free, f->Kz, f->bz)) return INFINITY;
    for (int i = 0; i < f->free; i++) sum += creal(f->bz[i]) * creal(f->bz[i]);
    return sqrt(sum);
}

/* The distance between q and tried. */
static double distance(const search *f) {
    double most = 0;
    for (int i = 0; i < f->s->m->def.nq; i++) most = fmax(most, fabs(f->tried[i] - f->q[i]));
    return most;
}

/* *moved: by how much; NAN: no part of the step reduces the force, or the step after it. */
static carom_status step(search *f, double *moved, carom_error *error) {
    statics *s = f->s;
    const size_t nq = (size_t)s->m->def.nq;
    *moved = NAN;
    carom_status status = statics_derive(s, f->q, error);
    if (status || !newton_step(f)) return status;
    const double was = sqrt(dense_dot(s->n - s->rank, s->rest, s->rest)), length = sqrt(dense_dot(s->n, f->x, f->x));
    double part = 1;
    for (int k = 0; k < MOST_HALVINGS; k++, part /= 2) {
        status = try_part(f, part, error);
        if (status == CAROM_MEMORY) return status;
        const double now = status ? INFINITY : sqrt(dense_dot(s->n - s->rank, s->rest, s->rest)), by = distance(f);
        const bool last = k == 0 && by <= SETTLED * f->size;
        const bool nearer = now < was || (!status && next_length(f) <= (1 - part / 4) * length);
        if (!nearer && !(last && !status)) continue;
        *moved = by / part;
        f->size = fmax(f->size, fmax(by, largest((int)nq, f->tried)));
        memcpy(f->q, f->tried, nq * sizeof *f->q);
        return CAROM_OK;
    }
    status = statics_balance(s, f->q, error);
    return status;
}

/* ---------------------------------------------------------------- a balance with given contacts */

/* The scale of all forces, in the units of the balance. */
static double scale_of(const statics *s) {
    double most = largest(s->n, s->h);
    for (int k = 0; k < s->rows; k++) most = fmax(most, fabs(s->force[s->row[k]]) * s->length[s->row[k]]);
    return most;
}

static carom_status complain(const search *f, carom_error *error) {
    const statics *s = f->s;
    const int n = s->n;
    memset(f->x, 0, (size_t)n * sizeof *f->x);
    for (int i = s->rank; i < n; i++)
        for (int j = 0; j < n; j++) f->x[j] += s->rest[i - s->rank] * s->Q[(size_t)i * (size_t)n + j];
    int worst = 0;
    for (int j = 1; j < n; j++)
        if (fabs(f->x[j]) > fabs(f->x[worst])) worst = j;
    return carom_error_set(error, CAROM_FAILED,
                           "no equilibrium near the start: nothing balances a force of %.4g on '%s'; start nearer to "
                           "one, or let it settle first (--after)",
                           f->x[worst] / s->unit[worst], s->m->def.u_names[worst]);
}

/* *moved: by how much the last step did. */
static carom_status go_down(search *f, bool damped, double *moved, carom_error *error) {
    carom_status status = CAROM_OK;
    *moved = INFINITY;
    f->damped = damped;
    for (int k = 0; k < MOST_STEPS && !status && *moved > SETTLED * f->size; k++, f->e->iterations++)
        status = step(f, moved, error);
    return status;
}

/* Damping of a stiff system slows the soft motions, and stops them short of the balance: the second part has none. */
static carom_status settle(search *f, double scale, carom_error *error) {
    statics *s = f->s;
    double moved = INFINITY;
    carom_status status = statics_balance(s, f->q, error);
    if (!status) status = statics_restore(s, f->q, error);
    if (!status) status = statics_balance(s, f->q, error);
    if (!status) status = go_down(f, true, &moved, error);
    if (!status) status = go_down(f, false, &moved, error);
    if (status) return status;
    const double left = largest(s->n - s->rank, s->rest), there = fmax(scale, scale_of(s));
    f->e->residual = there > 0 ? left / there : 0;
    if (left > UNBALANCED * there + s->blur || (moved > SETTLED * f->size && left > s->blur)) return complain(f, error);
    return CAROM_OK;
}

/* ---------------------------------------------------------------- contacts that change sides */

static int deepest(const search *f) {
    const carom_model *m = f->s->m;
    int found = -1;
    for (int k = 0; k < m->def.contacts; k++) {
        const double gap = f->s->c[m->def.ng + k];
        if (f->e->contact[k] == CAROM_OPEN && !contact_follows(m, k) && gap < -CLOSED * f->size &&
            (found < 0 || gap < f->s->c[m->def.ng + found]))
            found = k;
    }
    return found;
}

static carom_status complain_slip(const search *f, int contact, carom_error *error) {
    const carom_model *m = f->s->m;
    const double *F = f->s->force + m->F + m->slip[contact], N = contact_load(m, contact, f->s->force);
    const double size = sqrt(dense_dot(m->def.contact[contact].slips, F, F));
    return carom_error_set(error, CAROM_FAILED,
                           "no equilibrium near the start: contact '%s' would slip, it needs friction of %.4g with a "
                           "normal force of %.4g, and has the coefficient %.4g",
                           m->def.contact[contact].name, size, N, m->def.contact[contact].friction);
}

/* *changed: whether a contact has changed sides. */
static carom_status change_contacts(search *f, double scale, bool *changed, carom_error *error) {
    int worst;
    const int entering = deepest(f);
    *changed = entering >= 0;
    if (entering >= 0) hold(f, entering, true);
    if (*changed || largest_excess(f, f->s->force, &worst) <= UNBALANCED * scale_of(f->s)) return CAROM_OK;
    if (f->s->rank < f->s->rows && share_forces(f, fmax(scale, scale_of(f->s)))) return CAROM_OK;
    if (contact_load(f->s->m, worst, f->s->force) > 0) return complain_slip(f, worst, error);
    const int pressed_by = contact_pressed_by(f->s->m, worst);
    hold(f, pressed_by < 0 ? worst : pressed_by, false);
    *changed = true;
    return CAROM_OK;
}

/* Holds the joints and the closed contacts. Nothing is at rest if a row moves by itself. */
static carom_status begin(search *f, const double *q, carom_error *error) {
    statics *s = f->s;
    const carom_model *m = s->m;
    memcpy(f->q, q, (size_t)m->def.nq * sizeof *q);
    f->size = fmax(largest(m->def.nq, q), DBL_MIN);
    for (int i = 0; i < m->ns; i++) s->held[i] = i < m->N;
    carom_status status = statics_balance(s, q, error);
    for (int k = 0; k < m->def.contacts && !status; k++) {
        if (!contact_follows(m, k)) hold(f, k, s->c[m->def.ng + k] <= CLOSED * fmax(1, f->size));
        else if (contact_pressed_by(m, k) < 0) hold_one(f, k, true);
    }
    for (int i = 0; i < m->ns && !status; i++)
        if (s->held[i] && fabs(s->s[i]) > CLOSED)
            status = carom_error_set(error, CAROM_FAILED,
                                     "nothing is at rest: a constraint or contact moves by itself, with %.4g at t = %g",
                                     s->s[i], s->t);
    return status;
}

static carom_status find(search *f, const double *q, carom_error *error) {
    carom_status status = begin(f, q, error);
    const double scale = status ? 0 : scale_of(f->s);
    bool changed = true;
    for (int k = 0; changed && !status; k++) {
        if (k > 3 * f->s->m->def.contacts + 3)
            return carom_error_set(error, CAROM_FAILED,
                                   "no equilibrium near the start: contacts close and open in turn");
        status = settle(f, scale, error);
        if (!status) status = change_contacts(f, scale, &changed, error);
    }
    if (!status) status = statics_derive(f->s, f->q, error);
    return status;
}

carom_status equilibrium_find(statics *s, const double *q, equilibrium *found, carom_error *error) {
    const size_t n = (size_t)s->n, nq = (size_t)s->m->def.nq;
    *found = (equilibrium){.q = calloc(nq + 1, sizeof *found->q),
                           .contact = calloc((size_t)s->m->def.contacts + 1, sizeof *found->contact)};
    double *room = calloc(nq + 3 * n + n * n + 1, sizeof *room);
    double complex *matrix = calloc(2 * n * n + n + 1, sizeof *matrix);
    search f = {.s = s, .e = found, .q = found->q, .tried = room, .Kz = matrix};
    carom_status status = CAROM_OK;
    if (!found->q || !found->contact || !room || !matrix) status = carom_error_memory(error);
    else {
        f.x = room + nq, f.b = f.x + n, f.Zt = f.b + n, f.Z = f.Zt + n, f.bz = matrix + n * n, f.stiff = f.bz + n;
        status = find(&f, q, error);
    }
    free(room);
    free(matrix);
    return status;
}

void equilibrium_free(equilibrium *e) {
    free(e->q);
    free(e->contact);
}
