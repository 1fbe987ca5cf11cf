/* Islands, and for each the part that is predicted to cost least. */
#include "friction/contact_system.h"
#include "friction/parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Percussions that change velocities by 1e9 of those that are given hold each other; what velocities follow from them
 * is round-off. */
static bool absurd(const friction_problem *p, const double *r) {
    double given = 0, most = 0;
    for (int a = 0; a < p->contacts; a++) {
        for (int i = 0; i < 3; i++) given = fmax(given, fabs(p->q[3 * a + i]));
        most = fmax(most, p->W[p->diagonal[a]][0] * fabs(r[3 * a]));
    }
    return !(most <= 1e9 * given);
}

double error_with_closing(const friction_problem *p, const double *r, const double *u) {
    return fmax(friction_error(p, r, u), 0.1 * friction_closing(p, r, u));
}

double island_compare(island *s, const double *r, const double *u) {
    s->astray = absurd(&s->problem, r);
    double error = s->astray ? INFINITY : error_with_closing(&s->problem, r, u);
    if (error < s->error) {
        s->error = error, s->found = s->part;
        memcpy(s->r, r, 3 * (size_t)s->problem.contacts * sizeof *r);
    }
    return error;
}

/* ---------------------------------------------------------------- one island */

struct contact_system *island_system(island *s) {
    if (s->system) return s->system;
    const friction_problem *p = &s->problem;
    body_blocks *bodies = s->bodies ? body_blocks_of(s->bodies, s->list, p->contacts, s->block) : NULL;
    if (s->bodies && !bodies) return NULL;
    return s->system = contact_system_create(p, bodies);
}

/* Ten Newton steps, in products of blocks; a contact's own solution counts as ten. */
double island_patience(island *s) {
    const friction_problem *p = &s->problem;
    if (!island_system(s)) return INFINITY;
    double blocks = p->start[p->contacts], sweep = blocks / 3 + 10 * p->contacts;
    return 10 + 10 * (contact_system_work(s->system) + 3 * blocks) / sweep;
}

/* Percussions that run away where there is no solution make any error small against themselves, but not against q. */
static bool misses_velocities(island *s) {
    const friction_problem *p = &s->problem;
    double q = 0;
    for (int i = 0; i < 3 * p->contacts; i++) q += p->q[i] * p->q[i];
    friction_velocities(p, s->r, s->u);
    return friction_missed(p, s->r, s->u) > 1e-4 * sqrt(q);
}

static bool over(const island *s) {
    return s->error <= s->tolerance || s->jammed || s->late || s->exhausted;
}

/* Newton's method is quickest where it works at once; it ends what interior points do not. Where their path turns back,
 * it gets a second try before the path is followed through all its turns. */
static void solve_by_elimination(island *s) {
    enum { TRY = 12, AGAIN = 30 };
    s->exhausted = !island_system(s);
    if (s->exhausted) return;
    s->part = FRICTION_PROXIMAL_NEWTON;
    proximal_newton_solve(s, TRY);
    if (over(s)) return;
    s->part = FRICTION_INTERIOR_POINTS;
    s->jammed = misses_velocities(s) && jam_exists(&s->problem);
    if (!s->jammed) interior_solve(s);
    if (over(s)) return;
    s->part = FRICTION_PROXIMAL_NEWTON;
    proximal_newton_solve(s, s->turned ? AGAIN : s->most);
    if (over(s) || !s->turned) return;
    s->part = FRICTION_INTERIOR_POINTS;
    interior_follow_turns(s);
    if (over(s)) return;
    s->part = FRICTION_PROXIMAL_NEWTON;
    proximal_newton_solve(s, s->most);
}

static void solve_island(island *s, const friction_solver *with) {
    friction_velocities(&s->problem, s->r, s->u);
    s->error = error_with_closing(&s->problem, s->r, s->u);
    s->found = FRICTION_GUESS;
    if (s->error <= s->tolerance) return;
    s->hands_over = with->newton;
    s->part = FRICTION_NEWTON;
    bool solved = with->newton && with->sweeps && few_solve(s);
    s->part = FRICTION_GAUSS_SEIDEL;
    if (!solved) solved = with->sweeps && sweeps_solve(s);
    if (!solved && with->newton && !s->late && !s->exhausted) solve_by_elimination(s);
    contact_system_destroy(s->system);
    free(s->kept);
    s->jammed = s->jammed || ((s->astray || misses_velocities(s)) && jam_exists(&s->problem));
}

/* ---------------------------------------------------------------- islands */

static int find(int *parent, int a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
}

/* of: [contacts] the island of each; returns their number. */
static int find_islands(const friction_problem *p, int *of, int *parent) {
    int count = 0;
    for (int a = 0; a < p->contacts; a++) parent[a] = a;
    for (int a = 0; a < p->contacts; a++)
        for (int e = p->start[a]; e < p->start[a + 1]; e++) {
            int x = find(parent, a), y = find(parent, p->index[e]);
            if (x < y) parent[y] = x;
            else parent[x] = y;
        }
    for (int a = 0; a < p->contacts; a++) of[a] = parent[a] == a ? count++ : of[find(parent, a)];
    return count;
}

/* The contacts first..last of list as a problem of their own; place: [contacts] of the whole. */
static bool extract(const friction_problem *p, const int *list, int count, int *place, island *s) {
    size_t n = (size_t)count, blocks = 0;
    for (int i = 0; i < count; i++) place[list[i]] = i, blocks += (size_t)(p->start[list[i] + 1] - p->start[list[i]]);
    friction_problem *k = &s->problem;
    *k = (friction_problem){.contacts = count,
                            .start = malloc((n + 1) * sizeof *k->start),
                            .index = malloc(blocks * sizeof *k->index),
                            .diagonal = malloc(n * sizeof *k->diagonal),
                            .W = malloc(blocks * sizeof *k->W),
                            .q = malloc(3 * n * sizeof *k->q),
                            .mu = malloc(n * sizeof *k->mu)};
    s->r = malloc(6 * n * sizeof *s->r);
    s->u = s->r ? s->r + 3 * n : NULL;
    if (!k->start || !k->index || !k->diagonal || !k->W || !k->q || !k->mu || !s->r) return false;
    k->start[0] = 0;
    for (int i = 0; i < count; i++) {
        int a = list[i], length = p->start[a + 1] - p->start[a];
        k->start[i + 1] = k->start[i] + length;
        k->diagonal[i] = k->start[i] + p->diagonal[a] - p->start[a];
        for (int e = 0; e < length; e++) k->index[k->start[i] + e] = place[p->index[p->start[a] + e]];
        memcpy(k->W[k->start[i]], p->W[p->start[a]], (size_t)length * sizeof *k->W);
        memcpy(k->q + 3 * i, p->q + 3 * a, 3 * sizeof *k->q);
        k->mu[i] = p->mu[a];
    }
    return true;
}

/* ---------------------------------------------------------------- the whole */

const friction_solver friction_solvers[] = {
    {"automatic", "Newton for two or three contacts; sweeps, then Newton and interior points where these cost less",
     true, true},
    {"gauss_seidel", "sweeps alone: each contact in turn solved exactly", true, false},
    {"proximal_newton", "Newton on problems held near a centre that moves, and interior points", false, true},
    {0}};

void friction_name_parts(unsigned parts, char *text, size_t size) {
    static const char *const names[] = {"guess", "newton", "gauss_seidel", "proximal_newton", "interior_points"};
    if (size) text[0] = 0;
    for (size_t k = 0, end = 0; k < sizeof names / sizeof *names && end < size; k++)
        if (parts >> k & 1) end += (size_t)snprintf(text + end, size - end, "%s%s", end ? "+" : "", names[k]);
}

typedef struct whole {
    const friction_problem *problem;
    const friction_solver *solver;
    double tolerance, deadline;
    int most;
    double *r, *u;
    int *of, *place;          /* [contacts] island of a contact; its place there */
    int *list, *first;        /* contacts by islands; [islands + 1] where those of an island begin */
    int *block;               /* [bodies->count] -1, room for island_system */
    int jammed, late, astray; /* contact of an island for which this was the reason; -1: none */
    friction_report *report;
} whole;

static int *blocks_room(const body_blocks *b) {
    const size_t count = b ? (size_t)b->count : 0;
    int *block = malloc((count + 1) * sizeof *block);
    for (size_t j = 0; block && j < count; j++) block[j] = -1;
    return block;
}

static bool whole_create(whole *w) {
    size_t n = (size_t)w->problem->contacts;
    w->of = calloc(4 * n + 2, sizeof *w->of);
    w->u = malloc((3 * n + 1) * sizeof *w->u);
    w->block = blocks_room(w->problem->bodies);
    if (!w->of || !w->u || !w->block) return false;
    w->place = w->of + n, w->list = w->place + n, w->first = w->list + n;
    int islands = w->report->islands = find_islands(w->problem, w->of, w->place);
    for (size_t a = 0; a < n; a++) w->first[w->of[a] + 1]++;
    for (int k = 0; k < islands; k++) w->first[k + 1] += w->first[k];
    for (size_t a = 0; a < n; a++) w->list[w->first[w->of[a]]++] = (int)a;
    for (int k = islands; k > 0; k--) w->first[k] = w->first[k - 1];
    w->first[0] = 0;
    return true;
}

static void note_outcome(whole *w, const island *s, int contact) {
    if (s->exhausted) w->report->exhausted = true;
    if (s->jammed) w->jammed = contact;
    if (s->late) w->late = contact;
    if (s->astray && s->error > s->tolerance) w->astray = contact;
    w->report->parts |= s->found;
    w->report->sweeps += s->sweeps;
    w->report->factored += s->factored;
}

/* The whole is one island. */
static void solve_alone(whole *w) {
    island s = {.problem = *w->problem,
                .bodies = w->problem->bodies,
                .list = w->list,
                .block = w->block,
                .r = w->r,
                .u = w->u,
                .tolerance = w->tolerance,
                .deadline = w->deadline,
                .most = w->most};
    solve_island(&s, w->solver);
    note_outcome(w, &s, 0);
}

/* Errors of islands may add up to that of the whole: each is allowed half of it, (FC8). */
static void solve_listed(whole *w, const int *list, int count) {
    island s = {.bodies = w->problem->bodies,
                .list = list,
                .block = w->block,
                .tolerance = w->tolerance / 2,
                .deadline = w->deadline,
                .most = w->most};
    s.exhausted = !extract(w->problem, list, count, w->place, &s);
    if (!s.exhausted) {
        for (int i = 0; i < count; i++) memcpy(s.r + 3 * i, w->r + 3 * list[i], 3 * sizeof *s.r);
        solve_island(&s, w->solver);
        for (int i = 0; i < count; i++) memcpy(w->r + 3 * list[i], s.r + 3 * i, 3 * sizeof *s.r);
    }
    note_outcome(w, &s, list[0]);
    friction_destroy(&s.problem);
    free(s.r);
}

static void give_reason(const whole *w) {
    friction_report *f = w->report;
    int size = (int)sizeof f->reason;
    if (f->exhausted) snprintf(f->reason, (size_t)size, "out of memory");
    else if (w->jammed >= 0)
        snprintf(f->reason, (size_t)size,
                 "there is no solution: contacts of the island of contact %d close whatever the percussions",
                 w->jammed);
    else if (w->late >= 0) snprintf(f->reason, (size_t)size, "the time limit was reached");
    else if (w->astray >= 0)
        snprintf(f->reason, (size_t)size,
                 "percussions of the island of contact %d grow without bound: there may be no solution", w->astray);
    else snprintf(f->reason, (size_t)size, "no solver reached the tolerance");
}

void friction_solve(const friction_problem *p, const friction_solver *with, const friction_options *o, double *r,
                    friction_report *report) {
    whole w = {.problem = p,
               .solver = with,
               .tolerance = o->tolerance,
               .most = o->most ? o->most : INT_MAX,
               .deadline = clock_seconds() + o->limit,
               .r = r,
               .jammed = -1,
               .late = -1,
               .astray = -1,
               .report = report};
    *report = (friction_report){.error = INFINITY, .parts = p->contacts ? 0 : FRICTION_GUESS};
    report->exhausted = !whole_create(&w);
    if (report->islands == 1) solve_alone(&w);
    for (int k = 0; report->islands > 1 && k < report->islands && !report->exhausted; k++)
        solve_listed(&w, w.list + w.first[k], w.first[k + 1] - w.first[k]);
    if (w.u) {
        friction_velocities(p, r, w.u);
        report->error = friction_error(p, r, w.u);
        report->solved = error_with_closing(p, r, w.u) <= o->tolerance && w.jammed < 0;
    }
    if (!report->solved) give_reason(&w);
    free(w.of);
    free(w.u);
    free(w.block);
}
