/* The equations of motion from T, V, forces, constraints, gaps and slips (docs/theory/formulas.md). */
#include "equations.h"

#include "error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

void *equations_memory(equations *e, size_t count, size_t size) {
    return pool_get(&e->memory, count, size);
}

void equations_destroy(equations *e) {
    pool_free(&e->memory);
}

static expr *vector(equations *e, int count) {
    expr *v = equations_memory(e, (size_t)count + 1, sizeof *v), zero = expr_number(e->g, 0);
    for (int i = 0; v && i < count; i++) v[i] = zero;
    return v;
}

static void place(expr *to, const expr *from, int count) {
    if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
}

/* ---------------------------------------------------------------- derivatives */

/* Rows are appended to arrays that grow, and moved to their final size at the end. */
bool equations_jacobian(equations *e, const expr *values, int rows, int first, int cols, expr_matrix *result) {
    int nnz = 0, room = 4 * rows + cols + 1;
    int *index = malloc((size_t)room * sizeof *index);
    expr *value = malloc((size_t)room * sizeof *value);
    *result = (expr_matrix){rows, cols, equations_memory(e, (size_t)rows + 1, sizeof(int)), NULL, NULL};
    bool ok = index && value && result->start;
    for (int i = 0; ok && i < rows; i++) {
        int found = expr_gradient_sparse(e->g, values[i], first, cols, e->entries);
        ok = found >= 0;
        if (ok && nnz + found > room) {
            room = 2 * (nnz + found);
            int *more_index = realloc(index, (size_t)room * sizeof *index);
            if (more_index) index = more_index;
            expr *more_value = realloc(value, (size_t)room * sizeof *value);
            if (more_value) value = more_value;
            ok = more_index && more_value;
        }
        for (int k = 0; ok && k < found; k++, nnz++) index[nnz] = e->entries[k].index, value[nnz] = e->entries[k].value;
        if (ok) result->start[i + 1] = nnz;
    }
    if (ok) {
        result->index = equations_memory(e, (size_t)nnz + 1, sizeof *index);
        result->value = equations_memory(e, (size_t)nnz + 1, sizeof *value);
        ok = result->index && result->value;
    }
    if (ok) memcpy(result->index, index, (size_t)nnz * sizeof *index);
    if (ok) memcpy(result->value, value, (size_t)nnz * sizeof *value);
    free(index);
    free(value);
    return ok;
}

typedef struct triplet {
    int row, col;
    expr value;
} triplet;

static int by_place(const void *a, const void *b) {
    const triplet *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->col > y->col) - (x->col < y->col);
}

/* The entries of m, and a zero wherever an elastic element has its block. */
static triplet *with_blocks(const equations *e, const expr_matrix *m, int *count) {
    const formula_def *d = e->def;
    size_t room = (size_t)m->start[m->rows], n = 0;
    for (int k = 0; k < d->elastics; k++) room += (size_t)(d->elastic[k].kind->nu * d->elastic[k].kind->nq);
    triplet *all = room <= INT_MAX ? malloc(room * sizeof *all + 1) : NULL;
    if (!all) return NULL;
    for (int i = 0; i < m->rows; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) all[n++] = (triplet){i, m->index[k], m->value[k]};
    for (int k = 0; k < d->elastics; k++)
        for (int i = 0; i < d->elastic[k].kind->nu; i++)
            for (int j = 0; j < d->elastic[k].kind->nq; j++)
                all[n++] = (triplet){d->elastic[k].u[i], d->elastic[k].q[j], expr_number(e->g, 0)};
    *count = (int)n;
    return all;
}

static bool widen(equations *e, expr_matrix *m) {
    if (e->def->elastics == 0) return true;
    int count, nnz = 0;
    triplet *all = with_blocks(e, m, &count);
    if (!all) return false;
    qsort(all, (size_t)count, sizeof *all, by_place);
    for (int k = 0; k < count; k++) {
        if (nnz > 0 && by_place(&all[nnz - 1], &all[k]) == 0)
            all[nnz - 1].value = expr_add(e->g, all[nnz - 1].value, all[k].value);
        else all[nnz++] = all[k];
    }
    m->index = equations_memory(e, (size_t)nnz + 1, sizeof *m->index);
    m->value = equations_memory(e, (size_t)nnz + 1, sizeof *m->value);
    bool ok = m->index && m->value;
    for (int i = 0; i <= m->rows; i++) m->start[i] = 0;
    for (int k = 0; ok && k < nnz; k++) {
        m->start[all[k].row + 1]++;
        m->index[k] = all[k].col, m->value[k] = all[k].value;
    }
    for (int i = 0; i < m->rows; i++) m->start[i + 1] += m->start[i];
    free(all);
    return ok;
}

expr equations_rate(equations *e, expr x) {
    expr rate = expr_number(e->g, 0);
    int found = expr_gradient_sparse(e->g, x, 0, 1 + e->def->nq, e->entries);
    for (int k = 0; k < found; k++) {
        int i = e->entries[k].index; /* 0 is t, 1 + i is q_i */
        expr flow = i == 0 ? expr_number(e->g, 1) : e->q_dot[i - 1];
        rate = expr_add(e->g, rate, expr_mul(e->g, e->entries[k].value, flow));
    }
    return found < 0 ? -1 : rate;
}

/* x with the velocities set to zero */
static expr at_rest(equations *e, expr x) {
    return expr_substitute(e->g, x, e->first_u, e->def->nu, e->rest);
}

/* ---------------------------------------------------------------- what formulas may not do */

typedef struct complaint {
    formula_part *part;
    int *index;
    carom_error *error;
} complaint;

static carom_status complain(const complaint *c, formula_part part, int index, const char *text) {
    *c->part = part;
    *c->index = index;
    return carom_error_set(c->error, CAROM_DATA, "%s", text);
}

static bool depends_on_u(equations *e, expr x) {
    return expr_depends(e->g, x, e->first_u, e->first_u + e->def->nu - 1);
}

/* The first of the rows with an entry that depends on u; -1: none. */
static int row_with_u(equations *e, const expr_matrix *m, int first, int count) {
    for (int i = first; i < first + count; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            if (depends_on_u(e, m->value[k])) return i - first;
    return -1;
}

static carom_status check_positions(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    if (depends_on_u(e, e->energy[1]))
        return complain(c, FORMULA_POTENTIAL, 0, "the potential energy must not depend on velocities");
    for (int i = 0; i < e->nc; i++) {
        if (!depends_on_u(e, e->c[i])) continue;
        if (i < d->ng)
            return complain(c, FORMULA_CONSTRAINT, i,
                            "a constraint on position must not depend on velocities; give it as a velocity constraint");
        return complain(c, FORMULA_GAP, i - d->ng, "a gap must not depend on velocities");
    }
    return CAROM_OK;
}

static carom_status check_symmetries(equations *e, const complaint *c) {
    for (int i = 0; i < e->def->symmetries * e->def->nu; i++)
        if (depends_on_u(e, e->def->symmetry[i]))
            return complain(c, FORMULA_SYMMETRY, i, "a symmetry must not depend on velocities");
    return CAROM_OK;
}

static carom_status check_velocities(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    int i = row_with_u(e, &e->WT, d->ng, d->ngamma);
    if (i >= 0)
        return complain(c, FORMULA_VELOCITY_CONSTRAINT, i, "a velocity constraint must be affine in the velocities");
    int slips = e->ns - d->ng - d->ngamma - d->contacts;
    i = row_with_u(e, &e->WT, e->ns - slips, slips);
    return i < 0 ? CAROM_OK : complain(c, FORMULA_SLIP, i, "a slip velocity must be affine in the velocities");
}

/* A row of W^T without entries: no percussion has an effect on it. Friction without a gap has such a row. */
static carom_status check_directions(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    const struct {
        formula_part part;
        int count;
        const char *message;
    } kinds[] = {{FORMULA_CONSTRAINT, d->ng, "a constraint must depend on a coordinate"},
                 {FORMULA_VELOCITY_CONSTRAINT, d->ngamma, "a velocity constraint must depend on a velocity"},
                 {FORMULA_GAP, d->contacts, "a gap must depend on a coordinate"},
                 {FORMULA_SLIP, e->ns - d->ng - d->ngamma - d->contacts, "a slip must depend on a velocity"}};
    for (int k = 0, row = 0; k < 4; row += kinds[k++].count)
        for (int i = 0; i < kinds[k].count; i++)
            if (e->WT.start[row + i] == e->WT.start[row + i + 1] && !(k == 2 && d->contact[i].loads))
                return complain(c, kinds[k].part, i, kinds[k].message);
    return CAROM_OK;
}

/* The forces of an element do the work of its energy, f^T u = -V_dot, if its own velocities alone move its coordinates
 * (F16). */
static carom_status check_elastics(equations *e, const complaint *c) {
    for (int k = 0; k < e->def->elastics; k++) {
        const elastic_element *x = &e->def->elastic[k];
        for (int j = 0; j < x->kind->nq; j++) {
            bool own = expr_equals(e->g, at_rest(e, e->q_dot[x->q[j]]), 0);
            for (int l = e->B.start[x->q[j]]; own && l < e->B.start[x->q[j] + 1]; l++) {
                int i = 0;
                while (i < x->kind->nu && x->u[i] != e->B.index[l]) i++;
                own = i < x->kind->nu;
            }
            if (!own)
                return complain(c, FORMULA_ELASTIC, k,
                                "the coordinates of an elastic element must move by its own velocities alone; list all "
                                "velocities that move them");
        }
    }
    return CAROM_OK;
}

carom_status equations_singular(const formula_def *def, int velocity, carom_error *error) {
    const char *name = def->u_names ? def->u_names[velocity] : "one of the velocities";
    return carom_error_set(error, CAROM_DATA,
                           "the kinetic energy does not grow with %.100s, so the mass matrix is singular", name);
}

static carom_status check_mass(equations *e, const complaint *c) {
    int i = row_with_u(e, &e->M, 0, e->def->nu);
    if (i >= 0)
        return complain(c, FORMULA_KINETIC, i, "the kinetic energy must be at most quadratic in the velocities");
    for (i = 0; i < e->def->nu && !e->def->partial; i++) {
        bool diagonal = false;
        for (int k = e->M.start[i]; k < e->M.start[i + 1]; k++) diagonal |= e->M.index[k] == i;
        if (diagonal) continue;
        *c->part = FORMULA_KINETIC, *c->index = i;
        return equations_singular(e->def, i, c->error);
    }
    return CAROM_OK;
}

/* ---------------------------------------------------------------- the equations, in the order of derivation */

/* q_dot = B u + beta */
static carom_status derive_kinematics(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    if (!d->q_dot && d->nq != d->nu)
        return complain(c, FORMULA_Q_DOT, 0, "as many velocities as coordinates are needed where q_dot = u");
    e->q_dot = vector(e, d->nq);
    if (!e->q_dot) return carom_error_memory(c->error);
    e->trivial = d->nq == d->nu;
    for (int i = 0; i < d->nq; i++) {
        e->q_dot[i] = d->q_dot ? d->q_dot[i] : expr_symbol(e->g, e->first_u + i);
        e->trivial &= expr_symbol_of(e->g, e->q_dot[i]) == e->first_u + i;
    }
    if (!equations_jacobian(e, e->q_dot, d->nq, e->first_u, d->nu, &e->B) ||
        !equations_jacobian(e, e->q_dot, d->nq, e->first_q, d->nq, &e->q_dot_q))
        return carom_error_memory(c->error);
    int i = row_with_u(e, &e->B, 0, d->nq);
    if (i >= 0) return complain(c, FORMULA_Q_DOT, i, "the kinematics must be affine in the velocities");
    return check_elastics(e, c);
}

/* The upper triangle takes the expressions of the lower one: M is symmetric to the last bit. */
static void symmetrize(equations *e, int *cursor) {
    expr_matrix *m = &e->M;
    for (int i = 0; i < m->rows; i++) cursor[i] = m->start[i];
    for (int i = 0; i < m->rows; i++)
        for (int k = m->start[i]; k < m->start[i + 1] && m->index[k] < i; k++) {
            int j = m->index[k]; /* entries (j, i) are met with ascending i */
            while (cursor[j] < m->start[j + 1] && m->index[cursor[j]] < i) cursor[j]++;
            if (cursor[j] < m->start[j + 1] && m->index[cursor[j]] == i) m->value[cursor[j]] = m->value[k];
        }
}

/* sum_j m_ij x_j for symbols x_j = first_w + j; or with the transpose */
static expr *times_w(equations *e, const expr_matrix *m, bool transposed) {
    expr *product = vector(e, transposed ? m->cols : m->rows);
    for (int i = 0; product && i < m->rows; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int row = transposed ? m->index[k] : i, col = transposed ? i : m->index[k];
            expr term = expr_mul(e->g, m->value[k], expr_symbol(e->g, e->first_w + col));
            product[row] = expr_add(e->g, product[row], term);
        }
    return product;
}

/* p = T_u, M = p_u (F4) */
static carom_status derive_mass(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    int *cursor = equations_memory(e, (size_t)d->nu, sizeof *cursor);
    e->p = vector(e, d->nu);
    if (!cursor || !e->p || !expr_gradient(e->g, e->energy[0], e->first_u, d->nu, e->p) ||
        !equations_jacobian(e, e->p, d->nu, e->first_u, d->nu, &e->M) ||
        !equations_jacobian(e, e->p, d->nu, e->first_q, d->nq, &e->p_q))
        return carom_error_memory(c->error);
    carom_status status = check_mass(e, c);
    if (status) return status;
    symmetrize(e, cursor);
    expr *Mv = times_w(e, &e->M, false);
    return Mv && equations_jacobian(e, Mv, d->nu, e->first_q, d->nq, &e->Mv_q) ? CAROM_OK
                                                                               : carom_error_memory(c->error);
}

/* x^T y */
static expr dot(equations *e, const expr *x, const expr *y, int count) {
    expr sum = expr_number(e->g, 0);
    for (int i = 0; i < count; i++) sum = expr_add(e->g, sum, expr_mul(e->g, x[i], y[i]));
    return sum;
}

/* Whether B or beta depends on time, or beta is not zero. */
static bool kinematics_move(equations *e) {
    bool moving = false;
    for (int i = 0; i < e->def->nq && !moving; i++)
        moving = expr_depends(e->g, e->q_dot[i], 0, 0) || !expr_equals(e->g, at_rest(e, e->q_dot[i]), 0);
    return moving;
}

/* power = u^T b - L_q q_dot - L_t (F13), which for q_dot = B(q) u is u^T (f - R_u) - L_t;  G = p_0^T u + 2 T_0 (F14) */
static bool derive_power(equations *e, const expr *L_q, const expr *active) {
    const formula_def *d = e->def;
    graph *g = e->g;
    expr *u = vector(e, d->nu), *p0 = vector(e, d->nu);
    if (!u || !p0) return false;
    for (int j = 0; j < d->nu; j++) {
        u[j] = expr_symbol(g, e->first_u + j);
        p0[j] = at_rest(e, e->p[j]);
    }
    expr L_t = expr_derivative(g, expr_sub(g, e->energy[0], e->energy[1]), 0);
    const bool moves = kinematics_move(e);
    expr work = dot(e, moves ? e->b : active, u, d->nu);
    if (moves) work = expr_sub(g, work, dot(e, L_q, e->q_dot, d->nq));
    e->power[0] = expr_sub(g, work, L_t);
    expr G = dot(e, p0, u, d->nu);
    e->power[1] = expr_add(g, G, expr_scale(g, 2, at_rest(e, e->energy[0])));
    return e->power[0] >= 0 && e->power[1] >= 0;
}

/* b = B^T (T - V)_q + Gamma^T p - R_u + f (F8),  h = b - p_q q_dot - p_t (F9) */
static carom_status derive_force(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    graph *g = e->g;
    expr *L_q = vector(e, d->nq), *R_u = vector(e, d->nu), *active = vector(e, d->nu);
    e->b = vector(e, d->nu);
    e->h = vector(e, d->nu);
    if (!L_q || !R_u || !active || !e->b || !e->h ||
        !expr_gradient(g, expr_sub(g, e->energy[0], e->energy[1]), e->first_q, d->nq, L_q) ||
        (d->dissipation >= 0 && !expr_gradient(g, d->dissipation, e->first_u, d->nu, R_u)))
        return carom_error_memory(c->error);
    for (int i = 0; i < d->nq; i++)
        for (int k = e->B.start[i]; k < e->B.start[i + 1]; k++) {
            expr *b = &e->b[e->B.index[k]];
            *b = expr_add(g, *b, expr_mul(g, e->B.value[k], L_q[i]));
        }
    bool integrable;
    carom_status status = transpositional_force(e, &integrable);
    if (status) return carom_error_memory(c->error);
    if (!integrable)
        return complain(c, FORMULA_Q_DOT, 0,
                        "the kinematics hide a velocity constraint (they are not integrable): give the coordinates "
                        "velocities of their own and write the constraint as one");
    for (int j = 0; j < d->nu; j++) {
        if (d->force) e->b[j] = expr_add(g, e->b[j], d->force[j]);
        e->b[j] = expr_sub(g, e->b[j], R_u[j]);
        active[j] = d->force ? expr_sub(g, d->force[j], R_u[j]) : expr_unary(g, OP_NEG, R_u[j]);
        e->h[j] = expr_sub(g, e->b[j], equations_rate(e, e->p[j]));
    }
    bool ok = derive_power(e, L_q, active) && equations_jacobian(e, e->b, d->nu, e->first_q, d->nq, &e->b_q) &&
              equations_jacobian(e, e->b, d->nu, e->first_u, d->nu, &e->b_u) &&
              equations_jacobian(e, e->h, d->nu, e->first_q, d->nq, &e->h_q) &&
              equations_jacobian(e, e->h, d->nu, e->first_u, d->nu, &e->h_u) && widen(e, &e->b_q) && widen(e, &e->h_q);
    return ok ? CAROM_OK : carom_error_memory(c->error);
}

/* c = (g, g_N), s = (g_dot, gamma, gN_dot, gamma_F), W^T = s_u (F10, F11), (W r)_q (F12), zeta (F15) */
static carom_status derive_constraints(equations *e, const complaint *c) {
    const formula_def *d = e->def;
    e->c = vector(e, e->nc);
    e->s = vector(e, e->ns);
    e->zeta = vector(e, e->ns);
    if (!e->c || !e->s || !e->zeta) return carom_error_memory(c->error);
    place(e->c, d->g_expr, d->ng);
    place(e->c + d->ng, d->gap, d->contacts);
    carom_status status = check_positions(e, c);
    if (status) return status;
    int normal = d->ng + d->ngamma, slip = normal + d->contacts;
    place(e->s + d->ng, d->gamma, d->ngamma);
    place(e->s + slip, d->slip, e->ns - slip);
    for (int i = 0; i < d->ng; i++) e->s[i] = equations_rate(e, e->c[i]);
    for (int i = 0; i < d->contacts; i++) e->s[normal + i] = equations_rate(e, e->c[d->ng + i]);
    if (!equations_jacobian(e, e->c, e->nc, e->first_q, d->nq, &e->c_q) ||
        !equations_jacobian(e, e->s, e->ns, e->first_u, d->nu, &e->WT) ||
        !equations_jacobian(e, e->s, e->ns, e->first_q, d->nq, &e->s_q))
        return carom_error_memory(c->error);
    if ((status = check_velocities(e, c)) || (status = check_directions(e, c)) || (status = check_symmetries(e, c)))
        return status;
    for (int i = 0; i < e->ns; i++) e->zeta[i] = equations_rate(e, e->s[i]);
    for (int i = 0; i < e->ns && !e->rheonomic; i++) e->rheonomic = !expr_equals(e->g, at_rest(e, e->s[i]), 0);
    if (d->displacement && !equations_jacobian(e, d->displacement, e->ns - slip, e->first_q, d->nq, &e->d_q))
        return carom_error_memory(c->error);
    expr *Wr = times_w(e, &e->WT, true);
    return Wr && equations_jacobian(e, Wr, d->nu, e->first_q, d->nq, &e->Wr_q) ? CAROM_OK
                                                                               : carom_error_memory(c->error);
}

carom_status equations_derive(const formula_def *def, equations *e, formula_part *part, int *index,
                              carom_error *error) {
    const complaint c = {part, index, error};
    *part = FORMULA_NONE;
    *index = 0;
    *e = (equations){.def = def, .g = def->g, .nc = def->ng + def->contacts, .first_q = 1, .first_u = 1 + def->nq};
    e->first_w = e->first_u + def->nu;
    e->ns = e->nc + def->ngamma;
    for (int k = 0; k < def->contacts; k++) e->ns += def->contact[k].slips > 0 ? def->contact[k].slips : 0;
    e->energy[0] = def->kinetic;
    e->energy[1] = def->potential >= 0 ? def->potential : expr_number(e->g, 0);
    e->entries = equations_memory(e, (size_t)def->nq + (size_t)def->nu + 1, sizeof *e->entries);
    e->rest = vector(e, def->nu);
    if (!e->entries || !e->rest || e->energy[0] < 0 || e->energy[1] < 0) return carom_error_memory(error);
    carom_status status = derive_kinematics(e, &c);
    if (!status) status = derive_mass(e, &c);
    if (!status) status = derive_constraints(e, &c);
    if (!status) status = derive_force(e, &c);
    return status;
}
