/* The system of a Newton step (docs/theory/solver.md, (S3)): how it is put together, factorised and solved, also where
 * rows depend on each other, (S18), (S25). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver_inside.h"

/* Numbers the unknowns that stay: their places in the reduced system. */
static int number_unknowns(solver *s, const problem *p) {
    int n = 0;
    for (int j = 0; j < p->nF; j++) s->place[j] = n++;
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size; i++) s->place[p->law[k].col + i] = s->law[k].branch == LAW_OPEN ? -1 : n++;
    return n;
}

typedef struct row_builder {
    solver *s;
    bool known;     /* the pattern is that of the last system */
    int *route;     /* of the next entry */
    int begin, end; /* entries of the present row */
    double rhs;
} row_builder;

/* The place of an unknown in the row being built, a new one if it has none; -1: the unknown is fixed. */
static int find_place(row_builder *b, int unknown) {
    solver *s = b->s;
    const int c = s->place[unknown];
    if (c < 0) return -1;
    if (s->mark[c] < b->begin) {
        s->mark[c] = b->end++;
        s->index[s->mark[c]] = c;
        s->value[s->mark[c]] = 0;
    }
    return s->mark[c];
}

static void find_places(row_builder *b, int count, const int *unknown, int *place) {
    for (int k = 0; k < count; k++) place[k] = find_place(b, unknown[k]);
}

/* The places of so many unknowns in the row. */
static inline const int *places_of(row_builder *b, int count, const int *unknown) {
    int *place = b->route;
    b->route += count;
    if (!b->known) find_places(b, count, unknown, place);
    return place;
}

static inline void add_entry(row_builder *b, int unknown, double derivative) {
    const solver *s = b->s;
    const int place = *places_of(b, 1, &unknown);
    if (place < 0) b->rhs -= derivative * s->step[unknown];
    else s->value[place] += derivative * s->scale[unknown];
}

/* Adds factor times a row of J. */
static inline void add_row(row_builder *b, const csr *J, int row, double factor) {
    const int begin = J->start[row], count = J->start[row + 1] - begin, *unknown = J->index + begin;
    const int *place = places_of(b, count, unknown);
    const double *derivative = J->value + begin, *scale = b->s->scale, *step = b->s->step;
    double *value = b->s->value, rhs = b->rhs;
    if (factor == 0) return;
    for (int k = 0; k < count; k++) {
        const int e = place[k], j = unknown[k];
        if (e < 0) rhs -= factor * derivative[k] * step[j];
        else value[e] += factor * derivative[k] * scale[j];
    }
    b->rhs = rhs;
}

/* Puts factor times a row of J into a row of the system that has no other entries. */
static inline void put_row(row_builder *b, const csr *J, int row, double factor) {
    const int begin = J->start[row], count = J->start[row + 1] - begin, *unknown = J->index + begin;
    const int *place = places_of(b, count, unknown);
    const double *derivative = J->value + begin, *scale = b->s->scale, *step = b->s->step;
    double *value = b->s->value, rhs = b->rhs;
    for (int k = 0; k < count; k++) {
        const int e = place[k], j = unknown[k];
        if (e < 0) rhs -= factor * derivative[k] * step[j];
        else value[e] = factor * derivative[k] * scale[j];
    }
    b->rhs = rhs;
}

/* A row of the system, to which others are added. */
static inline void begin_row(const row_builder *b, int row) {
    const solver *s = b->s;
    for (int e = s->start[row]; b->known && e < s->start[row + 1]; e++) s->value[e] = 0;
}

static void finish_row(row_builder *b, int row) {
    b->s->rhs[row] = b->rhs;
    if (!b->known) b->s->start[row + 1] = b->begin = b->end;
}

/* delta of the laws of contacts; of contacts that are held closed; of joints. */
typedef struct softness {
    double contacts, closed, joints;
} softness;

static bool is_joint(const problem *p, const problem_law *l) {
    return p->joints > 0 && (l->col - p->nF) % p->percussions < p->joints;
}

static double softness_of(const problem *p, const problem_law *l, softness soft) {
    if (soft.contacts == 0 && soft.closed == 0) return 0; /* joints are soft only where contacts are */
    return is_joint(p, l) ? soft.joints : l->law == &law_bilateral ? soft.closed : soft.contacts;
}

/* Rows of a closed law. Entries that vanish on the present branch are stored too: stick and slip have one pattern. */
static int add_law(row_builder *b, const problem *p, const double *z, int k, softness soft, int row) {
    const problem_law *l = &p->law[k];
    const law_row *a = &b->s->law[k];
    const law_turn *turn = &b->s->turn[k];
    const double delta = softness_of(p, l, soft);
    if (l->normal < 0 && l->size == 1) {
        begin_row(b, row);
        b->rhs = -a->row[0];
        add_row(b, &p->J, l->row, l->level * a->v[0][0]);
        add_entry(b, l->col, l->G * (a->w[0][0] + delta * a->v[0][0]));
        finish_row(b, row);
        return row + 1;
    }
    int unknown[LOADS];
    double load, by[LOADS];
    const int loads = l->normal >= 0 ? law_load(l, z, &load, unknown, by) : 0;
    const double mu = loads > 0 ? problem_mu(l, b->s->rows) : 0;
    for (int i = 0; i < l->size; i++) {
        begin_row(b, row);
        b->rhs = -a->row[i];
        for (int j = 0; j < l->size; j++) add_row(b, &p->J, l->row + j, l->level * a->v[i][j]);
        for (int j = 0; j < l->size; j++) add_entry(b, l->col + j, l->G * (a->w[i][j] + delta * a->v[i][j]));
        for (int j = 0; j < loads; j++) add_entry(b, unknown[j], mu * l->G * a->radius[i] * by[j]);
        for (int j = 0; j < l->size && l->directed; j++) add_row(b, &p->J, l->direction + j, turn->direction[i][j]);
        for (int j = 0; j < l->size && l->curved; j++) add_row(b, &p->J, l->speed + j, turn->speed[i][j]);
        if (l->curved && l->place >= 0) add_row(b, &p->J, l->place, turn->place[i]);
        finish_row(b, row++);
    }
    return row;
}

/* Whether the laws have the same entries as in the last system. Stores the present shapes for the next question. */
static bool same_shape(solver *s, const problem *p) {
    bool same = s->routed;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        law_shape now = {s->law[k].branch == LAW_OPEN, -1, -1, -1}, *last = &s->shape[k];
        if (l->directed) now.direction = l->direction;
        if (l->curved) now.speed = l->speed, now.place = l->place;
        same = same && now.open == last->open && now.direction == last->direction && now.speed == last->speed &&
               now.place == last->place;
        *last = now;
    }
    return same;
}

/* Unknowns of open laws become zero in this step. */
static void fix_unknowns(solver *s, const problem *p, const double *z) {
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        for (int j = l->col; s->shape[k].open && j < l->col + l->size; j++) s->step[j] = -z[j];
    }
}

/* (S3), reduced to the unknowns that stay. */
static void assemble(solver *s, problem *p, const double *z, softness soft) {
    int row = 0;
    row_builder b = {.s = s, .known = same_shape(s, p), .route = s->route};
    fix_unknowns(s, p, z);
    if (!b.known) s->size = number_unknowns(s, p);
    s->start[0] = 0;
    for (int c = 0; c < s->size && !b.known; c++) s->mark[c] = -1;
    s->routed = true;
    for (; row < p->nF; row++) {
        b.rhs = -p->weight[row] * s->rows[row];
        put_row(&b, &p->J, row, p->weight[row]);
        finish_row(&b, row);
    }
    for (int k = 0; k < p->laws; k++)
        if (!s->shape[k].open) row = add_law(&b, p, z, k, soft, row);
}

/* If masses differ by large factors, the entries make a system look singular, but (S12) does not. Laws that depend on
 * each other are regularised: the motion is right, and the residual stays exact. */
static bool factor(solver *s, const problem *p) {
    const bool regular = linear_factor(s->linear, s->size, s->start, s->index, s->value) ||
                         (!linear_exhausted(s->linear) &&
                          linear_factor_laws(s->linear, s->size, p->velocities, p->nF, s->start, s->index, s->value));
    s->exhausted = linear_exhausted(s->linear);
    if (!s->exhausted) s->work += linear_factor_work(s->linear);
    return regular;
}

/* The same where nothing is added. What is added to dependent rows are pivots so small that a plan, which does not look
 * for the largest ones, would leave more round-off along their null space than (S18) removes. */
static bool factor_plain(solver *s, const problem *p) {
    if (!linear_factor_by_plan(s->linear, s->size, p->nF, s->start, s->index, s->value)) return factor(s, p);
    s->work += linear_factor_work(s->linear);
    return true;
}

/* If joints do not depend on each other, only contacts are made soft; then the shares of joints are free, (S18). *soft:
 * what is added in order to solve dependent rows; zero: nothing is added, or it is a part of the problem. */
static bool factor_soft(solver *s, problem *p, const double *z, softness *soft) {
    for (double delta = NEWTON_REDUNDANT; delta < 1; delta *= 1e3)
        for (int joints = s->redundant_joints; joints < 2; joints++) {
            *soft = (softness){delta, delta, joints ? delta : 0};
            assemble(s, p, z, *soft);
            s->redundant_joints = joints;
            if (factor(s, p)) return true;
            if (s->exhausted) return false;
        }
    return false;
}

/* A system of the size of one that was singular is probably so again. */
static bool is_redundant(const solver *s, const problem *p) {
    int size = p->nF;
    if (s->redundant == 0) return false;
    for (int k = 0; k < p->laws; k++) size += s->law[k].branch == LAW_OPEN ? 0 : p->law[k].size;
    return size == s->redundant;
}

/* Without contacts joints alone are the reason. */
static bool has_contacts(const solver *s, const problem *p) {
    int joints = 0;
    for (int k = 0; k < p->laws; k++) joints += is_joint(p, &p->law[k]) ? p->law[k].size : 0;
    return s->size > p->nF + joints;
}

/* (S25), if joints depend on each other and not on contacts. In systems of fewer unknowns sigma is far above delta. */
static bool leave_out(solver *s, problem *p, const double *z) {
    enum { MANY = 300 };
    if (s->size < MANY || p->rated > 0 || has_contacts(s, p)) return false;
    if (!s->null) s->null = calloc(2 * LINEAR_DEPENDENT * (size_t)(p->n + 1), sizeof *s->null);
    assemble(s, p, z, (softness){0});
    const int count = s->null ? linear_factor_dependent(s->linear, s->size, s->start, s->index, s->value) : -1;
    s->left_out = count > 0 ? count : 0;
    s->exhausted = !s->null || linear_exhausted(s->linear);
    if (count >= 0) s->work += linear_factor_work(s->linear);
    return count >= 0;
}

/* Rows depend on each other. */
static bool factor_dependent(solver *s, problem *p, const double *z, const newton_options *o, softness *soft) {
    return (!o->soft && leave_out(s, p, z)) || (!s->exhausted && factor_soft(s, p, z, soft));
}

static bool factor_step(solver *s, problem *p, const double *z, const newton_options *o, softness *soft) {
    *soft = (softness){0};
    s->plain = false;
    s->left_out = 0;
    if (s->exhausted) return false;
    if (o->delta == 0 && is_redundant(s, p)) return factor_dependent(s, p, z, o, soft);
    const double rigid = o->rigid ? NEWTON_REDUNDANT : o->delta;
    assemble(s, p, z, (softness){o->delta, rigid, rigid});
    if (o->delta > 0) return factor(s, p);
    if (factor_plain(s, p)) return s->plain = !o->rigid, true;
    if (s->exhausted) return false;
    newton_doubt(s, p);
    return factor_dependent(s, p, z, o, soft);
}

void newton_doubt(solver *s, const problem *p) {
    s->redundant_joints = !has_contacts(s, p);
    s->redundant = s->size;
}

static void set_scales(solver *s, const problem *p) {
    for (int j = 0; j < p->nF; j++) s->scale[j] = p->scale[j];
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size; i++) s->scale[p->law[k].col + i] = 1 / p->law[k].G;
}

void newton_begin(solver *s, const problem *p) {
    memset(s->direction, 0, (size_t)p->laws * sizeof *s->direction);
    memset(s->turns, 0, (size_t)p->laws * sizeof *s->turns);
    set_scales(s, p);
}

/* y -= D x, what is added to dependent rows. */
static void subtract_soft(const solver *s, const problem *p, softness soft, const double *x, double *y) {
    int row = p->nF;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (s->law[k].branch == LAW_OPEN) continue;
        for (int i = 0; i < l->size; i++, row++)
            for (int j = 0; j < l->size; j++)
                y[row] -= softness_of(p, l, soft) * s->law[k].v[i][j] * x[s->place[l->col + j]];
    }
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* (S18): dependent rows that contradict each other are made to agree; then what rounding adds along their null space is
 * taken off. Problems with several levels are left out, since their null spaces lie across the levels. */
static void solve_in_range(solver *s, const problem *p, softness soft) {
    enum { ROUNDS = 4 };
    static const double agreed = 1e-6; /* part of the right-hand side */
    const size_t size = (size_t)s->size * sizeof *s->rhs;
    double *b = s->trial_rows, *stray = s->trial;
    const double asked = largest(s->size, s->rhs);
    memcpy(b, s->rhs, size);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(s->rhs, b, size);
        linear_solve(s->linear, s->rhs);
        memset(stray, 0, size);
        subtract_soft(s, p, soft, s->rhs, stray);
        if (largest(s->size, stray) <= agreed * asked) break;
        for (int c = 0; c < s->size; c++) b[c] += stray[c];
    }
    linear_solve(s->linear, stray);
    for (int c = 0; c < s->size; c++) s->rhs[c] += stray[c];
}

bool newton_step(solver *s, problem *p, const double *z, const newton_options *o) {
    softness soft;
    if (!factor_step(s, p, z, o, &soft)) return false;
    left_out_find(s, p);
    left_out_agree(s, s->rhs);
    if (soft.contacts > 0 && p->rated == 0) solve_in_range(s, p, soft);
    else linear_solve(s->linear, s->rhs);
    left_out_least(s, p, s->rhs);
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0) s->step[j] = s->rhs[s->place[j]] * s->scale[j];
    return true;
}

/* The branches that a solution is on, and the system (S3) there, factorised. */
newton_result newton_linearise(solver *s, problem *p, const double *z, bool *regularised) {
    static const newton_options plain = {.soft = true};
    softness soft;
    if (!solver_reserve(s, p)) return NEWTON_SINGULAR;
    newton_begin(s, p);
    if (p->evaluate(p->context, z, s->rows, true)) return NEWTON_UNDEFINED;
    for (int k = 0; k < p->laws; k++) {
        problem_linearise(&p->law[k], z, s->rows, &s->law[k], &s->turn[k]);
        if (!p->law[k].fixed && s->law[k].branch != p->law[k].branch) return NEWTON_UNSOLVED;
    }
    s->solved = s->law;
    s->redundant = s->redundant_joints = 0;
    if (!factor_step(s, p, z, &plain, &soft)) return NEWTON_SINGULAR;
    *regularised = s->redundant > 0;
    if (*regularised) assemble(s, p, z, (softness){0});
    return NEWTON_SOLVED;
}

static law_branch branch_of(const problem_law *l) {
    return !l->enabled ? LAW_OPEN : l->fixed ? l->given_branch : l->branch;
}

/* False: slip in one direction is against its percussion, so that the law has the same equation as in the iterate
 * before. */
static bool turns(const problem_law *l, const double *z, const law_row *before) {
    return l->size > 1 || l->curved || !(z[l->col] * before->radius[0] < 0);
}

bool newton_linearise_near(solver *s, problem *p, const double *z, const solver *of, bool *exact) {
    bool same = of->plain && solver_reserve(s, p), turn = false;
    for (int k = 0; k < p->laws && same; k++) {
        same = branch_of(&p->law[k]) == of->law[k].branch;
        turn = turn || (of->law[k].branch == LAW_SLIDE && turns(&p->law[k], z, &of->law[k]));
    }
    *exact = p->affine && !turn;
    if (!same || (!*exact && p->evaluate(p->context, z, turn ? s->rows : NULL, true))) return false;
    for (int k = 0; k < p->laws && same && turn; k++) {
        problem_linearise(&p->law[k], z, s->rows, &s->law[k], &s->turn[k]);
        same = s->law[k].branch == of->law[k].branch;
    }
    for (int k = 0; k < p->laws && !turn; k++)
        if (p->law[k].directed || p->law[k].curved) s->turn[k] = (law_turn){0};
    s->solved = turn ? s->law : of->law;
    s->size = of->size;
    s->routed = false;
    memcpy(s->place, of->place, (size_t)p->n * sizeof *s->place);
    memcpy(s->scale, of->scale, (size_t)p->n * sizeof *s->scale);
    return same;
}

bool newton_release(solver *s, problem *p) {
    static const double none[LAW_SIZE] = {0};
    double *rows = s->rows;
    if (!solver_reserve(s, p)) return false;
    set_scales(s, p);
    s->plain = false;
    memcpy(s->trial, p->from, (size_t)p->nF * sizeof *s->trial);
    memset(s->trial + p->nF, 0, (size_t)(p->n - p->nF) * sizeof *s->trial);
    if (p->evaluate(p->context, s->trial, s->trial_rows, true)) return false;
    for (int k = 0; k < p->laws; k++) carom_law_open(p->law[k].size, none, &s->law[k]);
    s->rows = s->trial_rows;
    assemble(s, p, s->trial, (softness){0});
    s->rows = rows;
    if (!factor(s, p)) return false;
    linear_solve(s->linear, s->rhs);
    for (int j = 0; j < p->nF; j++) s->trial[j] += s->rhs[s->place[j]] * s->scale[j];
    return true;
}
