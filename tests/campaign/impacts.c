/* Random impacts with up to four contacts at once (docs/theory/laws.md): masses, directions, friction and velocities
 * are drawn at random, some contacts rest. Whatever the law of impact, contacts end apart or at rest, they press and do
 * not pull, and friction stays within its ball. Energy keeps to the statement of the law: under 'energetic' and
 * 'plastic' it never grows, under 'newton' by no more than (L12).
 *
 * Where slip turns, the process is integrated with an error of up to 1e-6 of its velocities;
 * else it is exact but for round-off and for the tolerance of the problems on the way, 1e-12. */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrator/blow.h"
#include "model/model.h"

enum { DOF = 8, CONTACTS = 4, ROWS = 3 * CONTACTS };
enum { REBOUNDS, SLIDES, TURNS, UNENDED };

static const char *const laws[] = {"newton", "poisson", "energetic", "plastic"};
enum { NEWTON, POISSON, ENERGETIC, PLASTIC };

typedef struct system {
    int nu, contacts, ns;
    double M[DOF * DOF], WT[ROWS * DOF], q[DOF], u[DOF];
    carom_model_contact contact[CONTACTS];
    int law; /* of the contacts that rebound */
    bool turns, sequential;
} system_of;

static int mass(void *x, double t, const double *q, double *M) {
    const system_of *o = x;
    (void)t, (void)q;
    if (M) memcpy(M, o->M, (size_t)(o->nu * o->nu) * sizeof *M);
    return 0;
}

static int force(void *x, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const system_of *o = x;
    (void)t, (void)q, (void)u;
    const size_t n = (size_t)o->nu;
    if (h) memset(h, 0, n * sizeof *h);
    if (h_q) memset(h_q, 0, n * n * sizeof *h_q);
    if (h_u) memset(h_u, 0, n * n * sizeof *h_u);
    return 0;
}

static int position(void *x, double t, const double *q, double *c, double *c_q) {
    const system_of *o = x;
    (void)t, (void)q;
    if (c) memset(c, 0, (size_t)o->contacts * sizeof *c);
    if (c_q) memcpy(c_q, o->WT, (size_t)(o->contacts * o->nu) * sizeof *c_q);
    return 0;
}

static int velocity(void *x, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    const system_of *o = x;
    (void)t, (void)q;
    for (int i = 0; s && i < o->ns; i++) {
        s[i] = 0;
        for (int j = 0; j < o->nu; j++) s[i] += o->WT[i * o->nu + j] * u[j];
    }
    if (WT) memcpy(WT, o->WT, (size_t)(o->ns * o->nu) * sizeof *WT);
    if (s_q) memset(s_q, 0, (size_t)(o->ns * o->nu) * sizeof *s_q);
    return 0;
}

static double drawn(uint64_t *state) {
    return campaign_between(state, -1, 1);
}

static void draw_masses(uint64_t *state, system_of *o) {
    double L[DOF][DOF] = {{0}};
    for (int i = 0; i < o->nu; i++) {
        for (int j = 0; j < i; j++) L[i][j] = 0.5 * drawn(state);
        L[i][i] = pow(10, 0.5 * drawn(state));
        o->u[i] = drawn(state);
    }
    for (int i = 0; i < o->nu; i++)
        for (int j = 0; j < o->nu; j++)
            for (int k = 0; k < o->nu; k++) o->M[i * o->nu + j] += L[i][k] * L[j][k];
}

static void draw_contacts(uint64_t *state, system_of *o) {
    o->ns = o->contacts;
    for (int k = 0; k < o->contacts; k++) {
        carom_model_contact *c = &o->contact[k];
        c->name = "c", c->slips = (int)(3 * campaign_random(state));
        c->friction = c->slips ? campaign_between(state, 0, 1.5) : 0;
        const bool dull = campaign_random(state) < 0.2;
        c->impact = dull ? laws[PLASTIC] : laws[o->law];
        if (!dull && o->law != PLASTIC) c->restitution = campaign_random(state) < 0.2 ? 1 : campaign_random(state);
        o->turns = o->turns || c->slips > 1;
        o->ns += c->slips;
    }
    for (int i = 0; i < o->ns * o->nu; i++) o->WT[i] = drawn(state);
}

static system_of draw(uint64_t number) {
    uint64_t state = number;
    system_of o = {.nu = 3 + (int)((DOF - 2) * campaign_random(&state)),
                   .contacts = 1 + (int)(CONTACTS * campaign_random(&state)),
                   .law = (int)(6 * campaign_random(&state))};
    o.law = o.law > PLASTIC ? ENERGETIC : o.law;
    o.sequential = campaign_random(&state) < 0.2;
    draw_masses(&state, &o);
    draw_contacts(&state, &o);
    return o;
}

static carom_model *model_of(system_of *o, campaign_case *c) {
    carom_model_def d = carom_model_default();
    carom_model *m = NULL;
    carom_error error = {0};
    d.nq = d.nu = o->nu, d.contacts = o->contacts, d.contact = o->contact, d.q0 = o->q, d.u0 = o->u;
    d.context = o, d.mass = mass, d.force = force, d.position = position, d.velocity = velocity;
    d.sequential = o->sequential;
    if (carom_model_create(&d, &m, &error)) campaign_violation(c, "no model: %s", error.message);
    return m;
}

static double kinetic(const system_of *o, const double *u) {
    double sum = 0;
    for (int i = 0; i < o->nu; i++)
        for (int j = 0; j < o->nu; j++) sum += u[i] * o->M[i * o->nu + j] * u[j] / 2;
    return sum;
}

static double slip_size(const carom_model *m, int k, const double *x) {
    double sum = 0;
    for (int j = m->F + m->slip[k]; j < m->F + m->slip[k + 1]; j++) sum += x[j] * x[j];
    return sqrt(sum);
}

/* Gaps, percussions, cones. */
static void judge_contacts(const system_of *o, const carom_model *m, const double *P, const double *after, double zero,
                           campaign_case *c) {
    for (int k = 0; k < o->contacts; k++) {
        const double PN = P[m->N + k], PF = slip_size(m, k, P);
        if (!(after[m->N + k] >= -zero)) campaign_violation(c, "contact %d approaches with %g", k, after[m->N + k]);
        if (!(PN >= -zero)) campaign_violation(c, "contact %d pulls with %g", k, PN);
        if (!(PF <= o->contact[k].friction * PN + zero)) campaign_violation(c, "friction of %d leaves its ball", k);
        c->count[REBOUNDS] += after[m->N + k] > zero && PN > 0;
        c->count[SLIDES] += slip_size(m, k, after) > zero;
    }
}

/* (L12): the most that Newton's law may add. */
static double allowance(const system_of *o, const carom_model *m, const double *P, const double *before) {
    double sum = 0;
    for (int k = 0; k < o->contacts && o->law == NEWTON && !o->sequential; k++)
        sum += o->contact[k].restitution * P[m->N + k] * fmax(0, -before[m->N + k]);
    return sum;
}

static void judge_energy(const system_of *o, const carom_model *m, const impact *i, const double *before, double zero,
                         campaign_case *c) {
    const double T[2] = {kinetic(o, o->u), kinetic(o, i->z)};
    const double most = T[0] + allowance(o, m, impact_percussion(i), before);
    if (o->law == POISSON || (o->law == NEWTON && o->sequential)) return;
    if (!(T[1] <= most + zero * T[0])) campaign_violation(c, "%s: energy %g -> %.12g", laws[o->law], T[0], T[1]);
}

static void judge_blow(system_of *o, const carom_model *m, blow *b, campaign_case *c) {
    const double zero = o->turns ? 1e-5 : 1e-10;
    double after[ROWS];
    solver_report report;
    if (!blow_begin(b, 0, o->q, o->u)) campaign_violation(c, "not defined");
    memcpy(b->before, b->s, (size_t)m->ns * sizeof *b->before);
    for (int k = 0; k < o->contacts; k++) {
        b->before[m->N + k] = fmin(b->before[m->N + k], 0); /* as located events do */
        impact_close(&b->impact, k, true);
    }
    if (!impact_solve(&b->impact, 1e-12, &report)) {
        campaign_violation(c, "%s: no solution: missed by %g", laws[o->law], report.residual);
        return;
    }
    impact_velocities(&b->impact, after);
    c->count[TURNS] += o->turns, c->count[UNENDED] += b->impact.weakened;
    judge_contacts(o, m, impact_percussion(&b->impact), after, zero, c);
    judge_energy(o, m, &b->impact, b->before, zero, c);
}

static void judge(uint64_t number, campaign_case *c) {
    system_of o = draw(number);
    carom_model *m = model_of(&o, c);
    blow b;
    c->kind = o.law;
    if (!m || !blow_create(&b, m)) return;
    judge_blow(&o, m, &b, c);
    blow_destroy(&b);
    carom_model_destroy(m);
}

int main(int argc, char **argv) {
    const campaign impacts = {.cases = "impacts",
                              .few = 200,
                              .patience = 20,
                              .count = {"rebounds", "slides", "turning", "without rebound"},
                              .judge = judge};
    return campaign_main(&impacts, argc, argv);
}
