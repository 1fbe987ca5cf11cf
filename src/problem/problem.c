#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The slip speed of a curved law, and its direction, any at rest. With a given sense, slip in one direction has a sign:
 * trial steps pass the place where it stops. */
static double speed_at(const problem_law *l, const double *rows, double along[LAW_SIZE]) {
    const double *y = rows + l->speed;
    double size = 0;
    if (l->size == 1 && l->fixed && l->directed) {
        along[0] = rows[l->direction] < 0 ? -1 : 1;
        return along[0] * y[0];
    }
    for (int i = 0; i < l->size; i++) size += y[i] * y[i];
    size = sqrt(size);
    for (int i = 0; i < l->size; i++) along[i] = size > 0 ? y[i] / size : i == 0;
    return size;
}

/* (L16), (L26); what is below zero counts as zero. */
double friction_curve_at(const friction_curve *c, int slips, double speed, const double *along, double *mu_slip) {
    double mu, local[LAW_SIZE], *by = mu_slip ? mu_slip : local;
    const bool slopes = mu_slip || speed < 0;
    if (c->mu(c->context, c->contact, c->at->t, c->at->q, fmax(speed, 0), along, &mu, slopes ? by : NULL, NULL))
        return NAN;
    for (int i = 0; i < slips && speed < 0; i++) mu += by[i] * along[i] * speed;
    if (!(mu < 0)) return mu;
    for (int i = 0; i < slips && mu_slip; i++) mu_slip[i] = 0;
    return 0;
}

double problem_slip(const problem_law *l, const double *rows, double along[LAW_SIZE]) {
    if (l->curved) return speed_at(l, rows, along);
    memcpy(along, l->slip_along, sizeof l->slip_along);
    return l->slip_speed;
}

double problem_mu(const problem_law *l, const double *rows) {
    double along[LAW_SIZE];
    if (!l->curved || !l->enabled) return l->mu;
    const double speed = speed_at(l, rows, along);
    return friction_curve_at(&l->curve, l->size, speed, along, NULL);
}

int problem_mu_by_place(const problem_law *l, const double *rows, int entries, double *mu_q) {
    const friction_curve *c = &l->curve;
    double along[LAW_SIZE], mu;
    const double speed = speed_at(l, rows, along);
    if (c->mu(c->context, c->contact, c->at->t, c->at->q, fmax(speed, 0), along, &mu, NULL, mu_q)) return 1;
    for (int i = 0; i < entries && mu < 0; i++) mu_q[i] = 0;
    return 0;
}

/* (L18), (L25) */
int law_load(const problem_law *l, const double *z, double *load, int unknown[LOADS], double by[LOADS]) {
    const int joints = l->loads - l->preload;
    double size = 0;
    unknown[0] = l->normal, by[0] = 1, *load = z[l->normal];
    if (l->loads == 0) return 1;
    for (int i = 0; i < l->loads; i++) {
        unknown[i] = l->load[i], by[i] = z[unknown[i]] + l->known[i];
        if (i < joints) size = hypot(size, by[i]);
    }
    *load = l->preload ? size + by[joints] : size;
    for (int i = 0; i < joints; i++) by[i] = size > 0 ? by[i] / size : 0;
    if (l->preload) by[joints] = 1;
    return l->loads;
}

/* v and w of a law at z; returns the radius of its set over mu. */
static double law_at(const problem_law *l, const double *z, const double *rows, double *v, double *w) {
    for (int i = 0; i < l->size; i++) {
        v[i] = l->level * rows[l->row + i];
        w[i] = l->G * z[l->col + i];
    }
    int unknown[LOADS];
    double load, by[LOADS];
    if (l->normal < 0) return 0;
    if (l->loads == 0) return l->G * (z[l->normal] - l->given);
    law_load(l, z, &load, unknown, by);
    return l->G * (load - l->given);
}

/* (L2): a sliding row w + radius p has the point p of C(1) for the direction of the rows y. */
static void direct(const problem_law *l, const double *rows, const double *w, double radius, law_row *row,
                   law_turn *turn) {
    law_support(l->law, l->size, rows + l->direction, row->radius, turn->direction);
    for (int i = 0; i < l->size; i++) {
        row->row[i] = w[i] + radius * row->radius[i];
        for (int j = 0; j < l->size; j++) {
            row->v[i][j] = 0;
            row->w[i][j] = i == j;
            turn->direction[i][j] *= radius;
        }
    }
}

/* Rows that direct the slip do so as long as they are not at rest and do not point backwards, seen from the point of
 * C(1) that the law has without them. */
static bool is_forward(const problem_law *l, const double *rows, const double *w, double radius, const law_row *row) {
    double dot = 0;
    for (int i = 0; i < l->size; i++) dot += rows[l->direction + i] * (row->row[i] - w[i]) / radius;
    return dot > l->still;
}

static void use_branch(const problem_law *l, const double *v, const double *w, law_row *row) {
    if (l->given_branch == LAW_OPEN) carom_law_open(l->size, w, row);
    else carom_law_hold(l->size, v, row);
    row->branch = l->given_branch;
}

/* The radius of a sliding row depends on the rows that tell speed and place. Where slip begins those of the speed are
 * zero, and it grows along its direction. */
static void add_slope(const problem_law *l, const double *rows, double load, const law_row *row, law_turn *turn) {
    double along[LAW_SIZE], mu_slip[LAW_SIZE];
    const double speed = speed_at(l, rows, along);
    if (isnan(friction_curve_at(&l->curve, l->size, speed, speed == 0 ? row->radius : along, mu_slip))) return;
    for (int i = 0; i < l->size; i++) {
        for (int j = 0; j < l->size; j++) turn->speed[i][j] = row->radius[i] * load * mu_slip[j];
        turn->place[i] = row->radius[i] * load;
    }
}

/* Friction where nothing presses: its set is the point 0. */
static inline bool is_unpressed(const problem_law *l, const double *z) {
    return l->normal >= 0 && l->loads == 0 && !l->curved && l->mu >= 0 && z[l->normal] <= l->given;
}

/* The row of a law of one number that has no choice, or only that of Signorini; most laws are such. False: the law is
 * not so simple. */
static inline bool simple_row(const problem_law *l, const double *z, const double *rows, law_row *row) {
    if (l->size > 1) return false;
    const double v = l->level * rows[l->row], w = l->G * z[l->col];
    if (!l->enabled) law_set_row(row, LAW_OPEN, w);
    else if (l->fixed) return false;
    else if (l->law == &law_bilateral) bilateral_row(v, row);
    else if (l->law == &law_signorini) signorini_row(v, w, row);
    else if (is_unpressed(l, z)) law_set_row(row, LAW_OPEN, w);
    else return false;
    return true;
}

static void linearise(const problem_law *l, const double *z, const double *rows, law_row *row, law_turn *turn) {
    double v[LAW_SIZE], w[LAW_SIZE];
    const double load = law_at(l, z, rows, v, w), radius = problem_mu(l, rows) * load;
    if (!l->enabled) carom_law_open(l->size, w, row);
    else if (l->fixed) use_branch(l, v, w, row);
    else l->law->linearise(l->size, v, w, radius, row);
    if (l->directed && row->branch == LAW_SLIDE && (l->fixed || is_forward(l, rows, w, radius, row)))
        direct(l, rows, w, radius, row, turn);
    if (l->curved && row->branch == LAW_SLIDE) add_slope(l, rows, load, row, turn);
    for (int i = 0; i < l->size && isnan(radius); i++) row->row[i] = NAN;
}

void problem_linearise(const problem_law *l, const double *z, const double *rows, law_row *row, law_turn *turn) {
    if (l->directed || l->curved) *turn = (law_turn){0};
    if (!simple_row(l, z, rows, row)) linearise(l, z, rows, row, turn);
}

/* The row of the branch is the natural map (L1), and loses no digits where v is small beside w. */
static double error_of_any(const problem_law *l, const double *z, const double *rows, law_branch *branch) {
    double error = 0, poison = 0; /* 0 times anything not finite is NaN, and stays */
    law_turn turn;
    law_row row;
    problem_linearise(l, z, rows, &row, &turn);
    *branch = row.branch;
    for (int i = 0; i < l->size; i++) {
        poison += 0 * (rows[l->row + i] + z[l->col + i] + row.row[i]);
        error = fmax(error, fabs(row.row[i]));
    }
    return poison == 0 ? error : INFINITY;
}

static inline double error_of(const problem_law *l, const double *z, const double *rows, law_branch *branch) {
    law_row row;
    if (!simple_row(l, z, rows, &row)) return error_of_any(l, z, rows, branch);
    *branch = row.branch;
    return 0 * (rows[l->row] + z[l->col] + row.row[0]) == 0 ? fabs(row.row[0]) : INFINITY;
}

double problem_law_error(const problem_law *l, const double *z, const double *rows, law_branch *branch) {
    return error_of(l, z, rows, branch);
}

double problem_row_error(const problem *p, const double *rows, int i) {
    const double error = fabs(p->weight[i] * rows[i]);
    return error <= DBL_MAX ? error : INFINITY;
}

double problem_residual(problem *p, const double *z, const double *rows, int *worst) {
    double largest = 0;
    int where = 0;
    for (int i = 0; i < p->nF; i++) {
        double error = problem_row_error(p, rows, i);
        if (error > largest && error > p->floor[i]) largest = error, where = i;
    }
    for (int k = 0; k < p->laws; k++) {
        problem_law *l = &p->law[k];
        l->error = error_of(l, z, rows, &l->present);
        if (l->error > largest && l->error > l->floor) largest = l->error, where = p->nF + k;
    }
    if (worst) *worst = where;
    return largest;
}
