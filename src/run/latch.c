#include "run/latch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"
#include "run/latch_change.h"
#include "run/sensitivity.h"

/* A search for the instant at which a load reaches what a joint bears, over pieces with the same beginning. */
typedef struct search {
    bool on;
    double low, high, below, above; /* lengths, and the excess (L22) there */
    int tries;
} search;

struct latches {
    int *of;   /* [contacts] the latch of each; -1: none */
    bool *due; /* [latches] to be switched where the piece ends */
    latch_load load;
    search search;
    latch_change change; /* its sim NULL: no derivatives go along */
    bool switched;       /* in the step that is tried */
    bool breaking;       /* the piece ends where a load reaches its limit */
    bool brief;          /* the piece is cut to pass an impact */
    int delays;          /* how many pieces were, one after the other, and did not meet it */
};

static bool holds(const carom_sim *sim, const double *state, int i) {
    return state[sim->input + (size_t)sim->model->def.latch[i].input] != 0;
}

/* Slower gaps than this stay closed: they would not rebound either, (L3). */
static double slow(const carom_sim *sim, int contact) {
    const double rest = sim->model->def.contact[contact].rest;
    return rest > 0 ? rest : 100 * sim->tolerance;
}

double latch_pull(const carom_sim *sim, int contact) {
    const int i = sim->latches ? sim->latches->of[contact] : -1;
    return i < 0 ? 0 : ledger_in(sim, sim->now).latch[i];
}

bool carom_sim_broken(const carom_sim *sim, int latch, double *time) {
    assert_alive(sim);
    assert(latch >= 0 && latch < sim->model->def.latches);
    if (time) *time = ledger_in(sim, sim->now).latch[latch];
    return sim->model->def.latch[latch].contact < 0 && !holds(sim, sim->now, latch);
}

/* ---------------------------------------------------------------- switching */

static void assign(carom_sim *sim, const double *state) {
    model_assign_inputs(sim->own, sim->parameter, state + sim->input);
}

static void set(const carom_sim *sim, double *state, int i, bool on) {
    state[sim->input + (size_t)sim->model->def.latch[i].input] = on;
}

void latch_reset(carom_sim *sim) {
    if (!sim->latches) return;
    for (int i = 0; i < sim->model->def.latches; i++) set(sim, sim->now, i, sim->model->def.latch[i].contact < 0);
    assign(sim, sim->now);
}

void latch_start(carom_sim *sim, const motion *first) {
    const carom_model_def *d = &sim->model->def;
    if (!sim->latches) return;
    for (int i = 0; i < d->latches; i++)
        if (d->latch[i].contact >= 0) set(sim, sim->now, i, first->contact[d->latch[i].contact] != CAROM_OPEN);
    assign(sim, sim->now);
}

void latch_begin_step(carom_sim *sim) {
    struct latches *l = sim->latches;
    if (!l) return;
    if (l->switched) assign(sim, sim->now);
    l->switched = l->breaking = false, l->search.on = l->brief = false, l->delays = 0;
    memset(l->due, 0, (size_t)sim->model->def.latches * sizeof *l->due);
}

static double potential(const carom_sim *sim, const motion *x) {
    const carom_model_def *d = &sim->model->def;
    double V = 0;
    return d->energy && !d->energy(d->context, x->t, x->q, x->u, NULL, &V) ? V : 0;
}

/* The event of a latch that is switched; openings that the scheme has told are not told again. */
static void tell(carom_sim *sim, const motion *x, int i) {
    const carom_latch *of = &sim->model->def.latch[i];
    carom_event event = {.time = x->t, .kind = CAROM_FRACTURE, .contact = sim->model->def.contacts + i};
    if (of->contact >= 0) event.kind = CAROM_OPENING, event.contact = of->contact;
    for (int e = 0; e < sim->log.events && of->contact >= 0; e++)
        if (sim->log.event[e].contact == of->contact && sim->log.event[e].kind == CAROM_OPENING &&
            fabs(sim->log.event[e].time - x->t) <= 1e-9 * sim->dt)
            return;
    if (of->contact >= 0) event.state[0] = CAROM_SLIP;
    event_log_add(&sim->log, event);
}

bool latch_settle(carom_sim *sim, double *state, step_report *report) {
    const carom_model_def *d = &sim->model->def;
    motion x = sim_motion(sim, state);
    bool more = false;
    if (!sim->latches || !sim_located(sim)) return true;
    for (int i = 0; i < d->latches; i++) {
        if (d->latch[i].contact < 0 || !holds(sim, state, i) || x.contact[d->latch[i].contact] != CAROM_OPEN) continue;
        set(sim, state, i, false), more = true;
    }
    if (!more) return true;
    assign(sim, state);
    return work_start(sim, state, &x) && sim->integrator->start(sim->self, &x, report);
}

/* Switches what is due at a state, and starts the scheme there again. What a contact takes along that opens was lost in
 * it, (L24). */
static bool switch_due(carom_sim *sim, double *state, step_report *report) {
    struct latches *l = sim->latches;
    const carom_model_def *d = &sim->model->def;
    motion x = sim_motion(sim, state);
    const ledger now = ledger_in(sim, state);
    if (!event_log_begin(&sim->log, &x, NULL, x.P)) return event_log_no_room(report);
    if (l->change.sim) latch_change_begin(&l->change, state);
    const int instants = sim->log.instants;
    const instant at = event_log_instant(&sim->log, sim->log.instants);
    for (int i = 0; i < d->latches; i++) {
        if (!l->due[i]) continue;
        const bool on = !holds(sim, state, i);
        const double before = potential(sim, &x);
        if (!on && (d->latch[i].contact < 0 || sim_located(sim))) tell(sim, &x, i);
        set(sim, state, i, on), assign(sim, state);
        if (d->latch[i].contact < 0) now.latch[i] = x.t;
        else {
            const double gained = potential(sim, &x) - before;
            now.work[WORK_IMPACTS] += gained, now.loss[2 * d->latch[i].contact] -= gained;
        }
        l->due[i] = false;
    }
    l->switched = true;
    if (!work_start(sim, state, &x) || !sim->integrator->start(sim->self, &x, report)) return false;
    if (!latch_settle(sim, state, report)) return false;
    if (!event_log_end(&sim->log, &x, NULL, x.P)) return event_log_no_room(report);
    if (l->change.sim) latch_change_end(&l->change, &x, sim->log.instants > instants);
    for (int side = 0; side < 2; side++) memcpy(at.work[side], now.work, INSTANT_WORKS * sizeof(double));
    return true;
}

/* ---------------------------------------------------------------- what is due */

static bool any_due(const carom_sim *sim) {
    for (int i = 0; i < sim->model->def.latches; i++)
        if (sim->latches->due[i]) return true;
    return false;
}

/* Joints that bear no more than the load at a state, up to what a search leaves. */
static void break_there(carom_sim *sim, double *state) {
    struct latches *l = sim->latches;
    motion x = sim_motion(sim, state);
    if (!latch_load_at(&l->load, sim, &(latch_place){x.t, x.q, x.u, x.contact}, state)) return;
    for (int i = 0; i < sim->model->def.latches; i++)
        if (sim->model->def.latch[i].contact < 0 && holds(sim, state, i) && l->load.excess[i] >= -1e-9)
            l->due[i] = true;
}

/* A gap that was open has closed in the piece. */
static bool strikes(const carom_sim *sim, const motion *a, const motion *b) {
    for (int k = 0; k < sim->model->def.contacts; k++)
        if (a->contact[k] == CAROM_OPEN && b->P[sim->model->N + k] > 0) return true;
    return false;
}

/* Captured: by the mean load over the piece, and in an impact by its percussion. */
static void break_captured(carom_sim *sim, const double *state, const motion *a, const motion *b, double h) {
    const carom_model_def *d = &sim->model->def;
    const bool struck = strikes(sim, a, b);
    for (int i = 0; i < d->latches; i++) {
        const carom_latch *l = &d->latch[i];
        if (l->contact >= 0 || !holds(sim, state, i)) continue;
        const double P = latch_length(b->P, l->row, l->forces), M = latch_length(b->P, l->row + l->forces, l->torques);
        sim->latches->due[i] =
            struck ? P > l->impulse + (isfinite(l->force) ? l->force * h : 0) : P > l->force * h || M > l->torque * h;
    }
}

/* Contacts hold where they are closed and do not part, and no longer where they part. */
static void look_at_contacts(carom_sim *sim, double *state, const motion *x) {
    const carom_model_def *d = &sim->model->def;
    const double *s = ledger_in(sim, state).s;
    for (int i = 0; i < d->latches; i++) {
        const int k = d->latch[i].contact;
        if (k < 0) continue;
        const bool parts = s[sim->model->N + k] > slow(sim, k), open = x->contact[k] == CAROM_OPEN;
        if (holds(sim, state, i) ? open && parts : !open && !parts) sim->latches->due[i] = true;
    }
}

/* ---------------------------------------------------------------- located: instants of a piece */

/* What happens to a latch at an instant; 0: nothing. BEFORE it lets go there, AFTER it the impact is over. */
typedef enum moment { NEVER, BEFORE, AFTER } moment;

static moment at_event(const carom_sim *sim, const double *state, int i, const carom_event *e) {
    const int k = sim->model->def.latch[i].contact;
    if (k < 0 || e->contact != k) return NEVER;
    if (holds(sim, state, i)) return e->kind == CAROM_OPENING ? BEFORE : NEVER;
    return e->kind == CAROM_STRIKE && e->gap_dot[1] <= slow(sim, k) ? AFTER : NEVER;
}

static bool breaks_in_impact(const carom_sim *sim, const double *state, int i, const instant *at) {
    const carom_latch *l = &sim->model->def.latch[i];
    double P = 0;
    if (l->contact >= 0 || !holds(sim, state, i)) return false;
    for (int r = l->row; r < l->row + l->forces; r++) P = hypot(P, at->P[1][r] - at->P[0][r]);
    return P > l->impulse;
}

/* The first instant at which a latch is switched, and which ones are. */
static moment first_instant(carom_sim *sim, const double *state, const event_log *log, double *time) {
    moment found = NEVER;
    for (int n = 0; n < log->instants && !found; n++) {
        const instant at = event_log_instant(log, n);
        *time = *at.t[1];
        for (int i = 0; i < sim->model->def.latches; i++) {
            moment now = breaks_in_impact(sim, state, i, &at) ? AFTER : NEVER;
            for (int e = 0; e < log->events && !now; e++)
                if (log->event[e].instant == n) now = at_event(sim, state, i, &log->event[e]);
            if (now) found = now, sim->latches->due[i] = true;
        }
    }
    return found;
}

/* How far the end of a piece lies behind an impact, at least. */
static double passing(const carom_sim *sim) {
    return 1e-9 * sim->dt * (1 << sim->latches->delays);
}

/* Whether the piece ends at the first instant that switches something. If not, *part is the length of the piece that
 * does. */
static bool ends_at_instant(carom_sim *sim, double *from, const motion *b, double h, double *part) {
    struct latches *l = sim->latches;
    double time;
    const bool opens_here = any_due(sim);
    const moment when = opens_here ? BEFORE : first_instant(sim, from, sim_located(sim), &time);
    if (!when || opens_here) return true;
    const double begin = from[STATE_TIME], pause = when == AFTER ? passing(sim) : 0;
    if (b->t - time <= 2 * pause + 1e-12 * sim->dt) return true;
    if (when == AFTER) {
        memset(l->due, 0, (size_t)sim->model->def.latches * sizeof *l->due);
        if (l->delays < 20) l->delays++;
        l->brief = true;
    }
    *part = (time - begin + pause) / h;
    if (*part > 1e-12) return false;
    *part = 1e-12;
    return false;
}

/* ---------------------------------------------------------------- located: where a load reaches its limit */

enum { MOST_TRIES = 80 };

/* Regula falsi, after Illinois; halves where that is slow. */
static double next_length(search *s) {
    const double middle = (s->low + s->high) / 2;
    if (s->tries % 4 == 3 || !isfinite(s->below)) return middle;
    const double x = s->low - s->below * (s->high - s->low) / (s->above - s->below);
    return x > s->low && x < s->high ? x : middle;
}

static void narrow(search *s, double h, double excess) {
    if (excess > 0) {
        if (h < s->high && s->tries) s->below /= 2;
        s->high = h, s->above = excess;
    } else {
        if (s->tries) s->above /= 2;
        s->low = h, s->below = excess;
    }
    s->tries++;
}

/* The excess at the end of the piece: whether it ends there. */
static bool ends_at_limit(carom_sim *sim, double excess, double h, double *part) {
    struct latches *l = sim->latches;
    search *s = &l->search;
    const double zero = 64 * DBL_EPSILON * (fabs(sim->now[STATE_TIME]) + sim->dt);
    if (!s->on && !(excess > 0)) return true;
    if (!s->on) *s = (search){.on = true, .low = 0, .below = l->load.first, .high = h, .above = excess};
    else narrow(s, h, excess);
    l->breaking = fabs(excess) <= 1e-12 || (excess > 0 && s->high - s->low <= zero) || s->tries > MOST_TRIES;
    if (!l->breaking) *part = (s->high - s->low <= zero ? s->high : next_length(s)) / h;
    return l->breaking;
}

bool latch_overloaded(carom_sim *sim, double *state) {
    struct latches *l = sim->latches;
    if (!l || !sim_located(sim)) return false;
    motion x = sim_motion(sim, state);
    if (!l->brief) l->delays = 0;
    l->search.on = l->breaking = l->brief = false;
    l->load.first = latch_load_at(&l->load, sim, &(latch_place){x.t, x.q, x.u, x.contact}, state) ? l->load.worst : -1;
    return l->breaking = l->load.first > 1e-9;
}

bool latch_cut(carom_sim *sim, double *from, double *to, double h, double *part) {
    struct latches *l = sim->latches;
    if (!l || !sim_located(sim)) return false;
    const motion a = sim_motion(sim, from), b = sim_motion(sim, to);
    if (!l->search.on) {
        const double early = latch_load_within(&l->load, sim, &a, &b, from);
        const double opens = ends_at_instant(sim, from, &b, h, part) ? INFINITY : *part * h;
        const double passed = fmax(early, passing(sim)); /* a load that jumps at the beginning */
        if (passed < fmin(h, opens) * (1 - 1e-9)) {
            memset(l->due, 0, (size_t)sim->model->def.latches * sizeof *l->due);
            if (early < passed && l->delays < 20) l->delays++;
            return *part = passed / h, true;
        }
        if (opens < INFINITY) return true;
    }
    const bool known = latch_load_at(&l->load, sim, &(latch_place){b.t, b.q, b.u, b.contact}, from);
    return known && !ends_at_limit(sim, l->load.worst, h, part);
}

/* ---------------------------------------------------------------- the end of a piece */

/* The pull that contacts bore, over the pieces of the step. */
static void add_pulls(const carom_sim *sim, double *from, double *to, double h, bool again) {
    const carom_model_def *d = &sim->model->def;
    const double *before = ledger_in(sim, from).latch;
    double *after = ledger_in(sim, to).latch;
    for (int i = 0; i < d->latches; i++) {
        const bool joint = d->latch[i].contact < 0;
        after[i] = joint || again ? before[i] : 0;
        if (!joint && holds(sim, from, i)) after[i] += d->latch[i].force * h;
    }
}

/* Two at their limits at one instant: nearby one of them is the first. */
static void change_break(carom_sim *sim, const motion *x) {
    struct latches *l = sim->latches;
    const carom_model_def *d = &sim->model->def;
    int first = -1;
    for (int i = d->latches - 1; i >= 0; i--) {
        if (!l->due[i]) continue;
        if (first >= 0)
            variation_lose(l->change.v, x->t, "'%s' and '%s' let go at one instant, t = %.9g, and their order decides",
                           d->latch[i].name, d->latch[first].name, x->t);
        first = i;
    }
    if (first >= 0) latch_change_break(&l->change, x, &l->load, first);
}

/* How the end of the piece moves: with a load, or with an event just before. */
static void change_end(carom_sim *sim, double h, const motion *x) {
    struct latches *l = sim->latches;
    if (!l->change.sim || !sim_located(sim)) return;
    const double since = x->t - l->change.v->last_event;
    const bool overloaded = l->breaking && h == 0, opens = !l->breaking && !l->brief && any_due(sim);
    if (l->brief || (overloaded && since <= 4 * passing(sim)) || (opens && since <= 4e-12 * sim->dt))
        latch_change_follow(&l->change, x);
    else if (opens || (l->breaking && h > 0)) change_break(sim, x);
}

bool latch_finish(carom_sim *sim, double *from, double *to, double h, bool again, step_report *report) {
    struct latches *l = sim->latches;
    if (!l) return true;
    const motion a = sim_motion(sim, from), b = sim_motion(sim, to);
    add_pulls(sim, from, to, h, again);
    if (!sim_located(sim)) break_captured(sim, to, &a, &b, h);
    else if (l->breaking) break_there(sim, to);
    change_end(sim, h, &b);
    l->search.on = l->breaking = false;
    if (!any_due(sim)) look_at_contacts(sim, to, &b);
    return !any_due(sim) || switch_due(sim, to, report);
}

/* ---------------------------------------------------------------- setup */

bool latches_create(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    if (!d->latches) return true;
    struct latches *l = sim->latches = calloc(1, sizeof *l);
    if (!l) return false;
    l->of = malloc(((size_t)d->contacts + 1) * sizeof *l->of);
    l->due = calloc((size_t)d->latches, sizeof *l->due);
    if (!l->of || !l->due) return false;
    for (int k = 0; k < d->contacts; k++) l->of[k] = -1;
    for (int i = 0; i < d->latches; i++)
        if (d->latch[i].contact >= 0) l->of[d->latch[i].contact] = i;
    return latch_load_create(&l->load, sim->model);
}

bool latch_vary(carom_sim *sim) {
    struct latches *l = sim->latches;
    if (!l) return true;
    latch_change_destroy(&l->change);
    return !sim->sensitivity || latch_change_create(&l->change, sim, &sim->sensitivity->work);
}

void latches_destroy(carom_sim *sim) {
    struct latches *l = sim->latches;
    if (!l) return;
    latch_change_destroy(&l->change);
    latch_load_destroy(&l->load);
    free(l->of), free(l->due);
    free(l);
}
