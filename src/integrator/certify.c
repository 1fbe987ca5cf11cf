#include "integrator/certify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"
#include "integrator/zero.h"

enum { MOST_LOOKS = 400 };
static const double ROUND_OFF = 64 * DBL_EPSILON; /* of times and states, relative, (V23) */

/* ---------------------------------------------------------------- the watched functions */

static bool is_gap(const certifier *c, int i) {
    return i < c->m->def.contacts;
}

static int switch_of(const certifier *c, int i) {
    return (i - c->m->def.contacts) / 2;
}

static bool is_upper(const certifier *c, int i) {
    return (i - c->m->def.contacts) % 2;
}

/* factor x + shift of the argument: a sign has one end, a floor two. */
typedef struct affine {
    double factor, shift;
} affine;

static affine distance(const certifier *c, const attempt *a, int i) {
    const int j = switch_of(c, i), side = a->start.side[j];
    if (c->m->def.switch_info[j].kind == CAROM_SWITCH_SIGN) return (affine){side, 0};
    return is_upper(c, i) ? (affine){-1, side + 1.} : (affine){1, -side};
}

static bool is_watched(const certifier *c, const attempt *a, int i) {
    if (is_gap(c, i)) return a->start.x.contact[i] == CAROM_OPEN;
    return !is_upper(c, i) || c->m->def.switch_info[switch_of(c, i)].kind == CAROM_SWITCH_FLOOR;
}

static carom_range times(affine f, carom_range x) {
    double p = f.factor * x.least + f.shift, q = f.factor * x.most + f.shift;
    return (carom_range){fmin(p, q), fmax(p, q)};
}

static carom_range range_of(const certifier *c, const attempt *a, int i) {
    return is_gap(c, i) ? c->c[c->m->def.ng + i] : times(distance(c, a, i), c->a[switch_of(c, i)]);
}

static carom_range rate_of(const certifier *c, const attempt *a, int i) {
    if (is_gap(c, i)) return c->c_rate[c->m->def.ng + i];
    return times((affine){distance(c, a, i).factor, 0}, c->a_rate[switch_of(c, i)]);
}

static double value_of(const certifier *c, const attempt *a, int i) {
    if (is_gap(c, i)) return c->gap[c->m->def.ng + i];
    affine f = distance(c, a, i);
    return f.factor * c->argument[switch_of(c, i)] + f.shift;
}

/* ---------------------------------------------------------------- places */

/* The model need bound and evaluate only what is open; NULL: everything. */
static void ask(certifier *c, const bool *open) {
    const carom_model_def *d = &c->m->def;
    bool *sides = c->asked + d->contacts;
    if (!c->m->ask) return;
    for (int k = 0; k < d->contacts && open; k++) c->asked[k] = open[k];
    for (int j = 0; j < d->switches && open; j++) sides[j] = open[d->contacts + 2 * j] || open[d->contacts + 2 * j + 1];
    c->m->ask(d->context, open ? c->asked : NULL, open ? sides : NULL);
}

/* Only one of the functions. */
static void ask_for(certifier *c, int i) {
    const carom_model_def *d = &c->m->def;
    if (!c->m->ask) return;
    memset(c->asked, 0, (size_t)(d->contacts + d->switches) * sizeof *c->asked);
    c->asked[is_gap(c, i) ? i : d->contacts + switch_of(c, i)] = true;
    c->m->ask(d->context, c->asked, c->asked + d->contacts);
}

/* The gaps and arguments that were asked for at a state, NaN where they are not defined. Nothing is asked for
 * afterwards. */
static void evaluate(certifier *c, double t, const double *q, const double *u) {
    const carom_model_def *d = &c->m->def;
    if (c->m->nc && d->position(d->context, t, q, c->gap, NULL))
        for (int i = 0; i < c->m->nc; i++) c->gap[i] = NAN;
    if (d->switches && d->switching(d->context, t, q, u, c->argument))
        for (int j = 0; j < d->switches; j++) c->argument[j] = NAN;
    ask(c, NULL);
}

static double value_there(certifier *c, const attempt *a, int i, double t, const double *q, const double *u) {
    ask_for(c, i);
    evaluate(c, t, q, u);
    return value_of(c, a, i);
}

static double value_at(certifier *c, const attempt *a, int i, double theta) {
    attempt_at(a, theta, &c->look);
    return value_there(c, a, i, c->look.t, c->look.q, c->look.u);
}

/* The values of those that are open. */
static void look_at(certifier *c, const attempt *a, double theta, const bool *open, double *value) {
    attempt_at(a, theta, &c->look);
    ask(c, open);
    evaluate(c, c->look.t, c->look.q, c->look.u);
    for (int i = 0; i < c->n; i++)
        if (open[i]) value[i] = value_of(c, a, i);
}

static int index_of(const certifier *c, const attempt *a, const candidate *x) {
    return c->m->def.contacts + 2 * x->which +
           (x->side > a->start.side[x->which] && c->m->def.switch_info[x->which].kind == CAROM_SWITCH_FLOOR);
}

double certify_argument(certifier *c, const attempt *a, const candidate *x, double t, const double *q,
                        const double *u) {
    return value_there(c, a, index_of(c, a, x), t, q, u);
}

double certify_zero(const certifier *c, const candidate *x) {
    return c->zero[c->m->def.contacts + 2 * x->which];
}

/* One of the functions along a trial step. */
typedef struct watched {
    certifier *c;
    const attempt *a;
    int i;
} watched;

static double watched_value(void *context, double theta) {
    const watched *w = context;
    return value_at(w->c, w->a, w->i, theta);
}

static double zero_between(certifier *c, const attempt *a, int k, double left, const certify_end *end) {
    bracket b = {left, c->left[k], end->theta, end->value[k]};
    if (!(b.f_left > 0)) return left;
    zero_search(&b, watched_value, &(watched){c, a, k}, false);
    return b.right;
}

/* ---------------------------------------------------------------- parts */

/* Bounds over [left, right] of what is open (NULL: all); where the model knows none, they are infinite. */
static void bound(certifier *c, double left, double right, const bool *open) {
    const carom_model_def *d = &c->m->def;
    enclosure *e = &c->enclosure;
    ask(c, open);
    enclose(e, left, right, d->switches > 0);
    if (c->trail) trail_see(c->trail, e->q);
    const bool known = !d->ranges(d->context, e->t, e->q, e->q_rate, e->u, e->u_rate, c->c, c->c_rate,
                                  d->switches ? c->a : NULL, d->switches ? c->a_rate : NULL);
    ask(c, NULL);
    if (known) return;
    for (int i = 0; i < c->m->nc; i++) c->c[i] = c->c_rate[i] = (carom_range){-INFINITY, INFINITY};
    for (int j = 0; j < d->switches; j++) c->a[j] = c->a_rate[j] = (carom_range){-INFINITY, INFINITY};
}

/* The least gap over a part of length w, from the gaps at its ends and the range of its rate, (V21). */
static double least_between(double left, double right, carom_range rate, double w) {
    if (rate.least >= 0) return left;
    if (rate.most <= 0) return right;
    if (!(rate.most - rate.least < INFINITY)) return -INFINITY;
    double x = (left - right + rate.most * w) / (rate.most - rate.least); /* where both lines meet */
    return fmin(left, left + rate.least * fmin(fmax(x, 0), w));
}

typedef enum verdict { STAYS_OPEN, CLOSES, UNDECIDED } verdict;

static bool is_in_time(const certifier *c, int i) {
    return !is_gap(c, i) && c->m->def.switch_info[switch_of(c, i)].time_only;
}

/* The part starts beyond the end of the side: a switch within the argument has made it jump. */
static bool has_left(const certifier *c, int i) {
    return !is_gap(c, i) && c->left[i] < -c->zero[i];
}

/* A switch in time is passed as soon as it is reached, and starts where it has just been passed. */
static verdict judge_time(const certifier *c, const attempt *a, int k, const certify_end *end) {
    const carom_range rate = rate_of(c, a, k);
    if (has_left(c, k)) return CLOSES;
    if (rate.least >= 0 || range_of(c, a, k).least > 0) return STAYS_OPEN;
    if (rate.most <= 0) return end->value[k] > 0 ? STAYS_OPEN : CLOSES;
    return UNDECIDED;
}

static motion motion_at(certifier *c, const attempt *a, double theta) {
    attempt_at(a, theta, &c->look);
    return (motion){.t = c->look.t, .q = c->look.q, .u = c->look.u};
}

/* Below zero at the right end of a part: a gap by more than round-off, or, where the step ends, by more than a step
 * that ends where it closes. */
static bool is_below(certifier *c, const attempt *a, int k, const certify_end *end) {
    const double value = end->value[k];
    if (is_in_time(c, k)) return !(value > 0);
    if (!(value >= -c->zero[k])) return true;
    if (value >= -c->below[k] || !certifier_can(c)) return false;
    const motion x = motion_at(c, a, end->theta);
    const open_scale scale = scales_of_open_at(c->scales, k, &x);
    return value < -(end->theta == 1 ? fmax(scale.round_off, scale.gap / 16) : scale.round_off);
}

/* Whether nothing but round-off can be below zero in the part that was bounded last. The slope of the gap may vanish in
 * it, and its round-off with that: so the model bounds it, as a rate by which its coordinates move as they are rounded.
 */
static bool is_noise(certifier *c, const attempt *a, int k, double least, double left, double right) {
    const carom_model_def *d = &c->m->def;
    enclosure *e = &c->enclosure;
    const motion x = motion_at(c, a, left + (right - left) / 2);
    scales_rounding(c->scales, d->ng + k, &x, c->rounding);
    for (int i = 0; i < d->nq; i++) e->q_rate[i] = (carom_range){c->rounding[i], c->rounding[i]};
    e->t[1] = (carom_range){0, 0};
    ask_for(c, k);
    const bool known =
        !d->ranges(d->context, e->t, e->q, e->q_rate, e->u, e->u_rate, c->room, c->room + c->m->nc, NULL, NULL);
    ask(c, NULL);
    return known && least >= -c->room[c->m->nc + d->ng + k].least - c->below[k];
}

/* A gap may be below zero by round-off, (V41). Where it rises it is no lower than on the left. */
static verdict judge_faint(certifier *c, const attempt *a, int k, double least, double left, const certify_end *end) {
    const carom_range rate = rate_of(c, a, k);
    if (rate.least >= 0) return STAYS_OPEN;
    if (rate.most <= 0) return is_below(c, a, k, end) ? CLOSES : STAYS_OPEN;
    return is_noise(c, a, k, least, left, end->theta) ? STAYS_OPEN : UNDECIDED;
}

static verdict judge(certifier *c, const attempt *a, int k, double left, const certify_end *end) {
    const carom_range rate = rate_of(c, a, k);
    if (is_in_time(c, k)) return judge_time(c, a, k, end);
    if (end->theta <= c->from[k]) return STAYS_OPEN;
    if (left < c->from[k]) return UNDECIDED;
    double least =
        fmax(range_of(c, a, k).least, least_between(c->left[k], end->value[k], rate, (end->theta - left) * a->h));
    if (least >= (is_gap(c, k) ? 0 : -c->zero[k])) return STAYS_OPEN;
    if (is_gap(c, k) && least >= -c->zero[k]) return judge_faint(c, a, k, least, left, end);
    return rate.most <= 0 || (!is_gap(c, k) && range_of(c, a, k).most < -c->zero[k]) ? CLOSES : UNDECIDED;
}

/* ---------------------------------------------------------------- the step */

/* A contact that has just opened from rest is near for a while, and the dense output not accurate enough to tell. It is
 * looked at from the first of the times h/2^k on after which its gap is above zero at all of them, k <= 10; if it is
 * not even at the end, only nodes count. */
static double first_look(certifier *c, const attempt *a, int k) {
    double theta = 1;
    const double rate = fabs(a->start.s[c->m->N + k]);
    if (c->left[k] > c->zero[k] || rate > scales_of_open(c->scales, k).rate) return 0;
    if (!(c->end[0].value[k] > c->zero[k])) return 1;
    while (theta > 1e-3 && value_at(c, a, k, theta / 2) > c->zero[k]) theta /= 2;
    return theta;
}

static double round_off_of_time(const certifier *c, const attempt *a) {
    return ROUND_OFF * (fabs(a->start.x.t) + c->scales->dt);
}

/* How well arguments are known at the start of the step, (V23): their ranges over what round-off and the tolerance
 * leave open of the state. */
static void know_arguments(certifier *c, const attempt *a) {
    const carom_model_def *d = &c->m->def;
    const motion *x = &a->start.x;
    const double tolerance = c->scales->tolerance, late = round_off_of_time(c, a);
    const carom_range t[2] = {{x->t - late, x->t + late}, {1, 1}};
    carom_range *q = c->known, *u = q + d->nq, *argument = u + d->nu;
    for (int i = 0; i < d->nq; i++) {
        double r = ROUND_OFF * fabs(x->q[i]) + tolerance * c->scales->dt;
        q[i] = (carom_range){x->q[i] - r, x->q[i] + r};
    }
    for (int i = 0; i < d->nu; i++) {
        double r = ROUND_OFF * fabs(x->u[i]) + 10 * tolerance;
        u[i] = (carom_range){x->u[i] - r, x->u[i] + r};
    }
    bool known = d->ranges && !d->ranges(d->context, t, q, NULL, u, NULL, NULL, NULL, argument, NULL);
    for (int j = 0; j < d->switches; j++) {
        double width = known ? (argument[j].most - argument[j].least) / 2 : tolerance;
        const int i = d->contacts + 2 * j;
        c->zero[i] = c->zero[i + 1] = c->below[i] = c->below[i + 1] = width < INFINITY ? width : tolerance;
    }
}

static void know_gap(certifier *c, const attempt *a, int k) {
    const double zero = scales_of_open(c->scales, k).gap;
    c->below[k] = fmax(0, fmin(-2 * c->left[k], 16 * zero)); /* the step before may have ended below zero */
    c->zero[k] = fmax(zero, c->below[k]);
    c->from[k] = first_look(c, a, k);
}

/* Which functions may reach zero in the step. Bounds over the whole step rule out most of them; gaps without bounds are
 * left to the samples. False: none may. */
static bool choose(certifier *c, const attempt *a, bool *open) {
    const bool bounded = certifier_can(c);
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        open[i] = is_watched(c, a, i) && (bounded ? !(range_of(c, a, i).least > 0) : !is_gap(c, i));
        any = any || open[i];
    }
    return any;
}

/* Bounds over the whole step, values at its ends, and what counts as zero. False: nothing can happen. */
static bool begin(certifier *c, const attempt *a) {
    certify_end *end = &c->end[0];
    const bool bounded = certifier_can(c);
    c->doubt = (doubt){0};
    if (bounded) enclosure_begin(&c->enclosure, a), bound(c, 0, 1, NULL);
    if (!choose(c, a, end->open)) return false;
    end->theta = 1;
    look_at(c, a, 0, end->open, c->left);
    look_at(c, a, 1, end->open, end->value);
    for (int k = 0; k < c->m->def.contacts; k++)
        if (end->open[k]) know_gap(c, a, k);
    if (c->m->def.switches) know_arguments(c, a);
    return true;
}

/* The two neighbouring times between which the argument of a switch in time leaves its side. */
static void bisect_time(certifier *c, const attempt *a, int i, double left, double right, candidate *x) {
    const motion *at = &a->start.x;
    double before = fmax(at->t + left * a->h, at->t), after = has_left(c, i) ? before : at->t + right * a->h;
    for (double middle; (middle = before + (after - before) / 2) > before && middle < after;) {
        if (value_there(c, a, i, middle, at->q, at->u) > 0) before = middle;
        else after = middle;
    }
    x->tau = before - at->t, x->after = after;
}

/* The next side, or a farther one where the argument has jumped there. */
static int side_beyond(const certifier *c, const attempt *a, int k) {
    const int j = switch_of(c, k), side = a->start.side[j];
    if (c->m->def.switch_info[j].kind == CAROM_SWITCH_SIGN) return -side;
    const int jumped = has_left(c, k) ? (int)ceil(-c->left[k]) : 1;
    return side + (is_upper(c, k) ? jumped : -jumped);
}

static void found(certifier *c, const attempt *a, int k, double left, const certify_end *end, candidate *first,
                  double *limit) {
    candidate x = {.kind = CAROM_STRIKE, .contact = is_gap(c, k) ? k : SWITCH};
    double theta = zero_between(c, a, k, left, end);
    x.tau = theta * a->h, x.after = a->start.x.t;
    if (!is_gap(c, k)) {
        x.which = switch_of(c, k);
        x.side = side_beyond(c, a, k);
        if (is_in_time(c, k)) bisect_time(c, a, k, left, end->theta, &x);
    }
    if (x.tau / a->h >= *limit) return;
    *limit = x.tau / a->h;
    *first = x;
}

/* Times nearer to each other than their round-off do not tell whether a switch in time has been passed, (V23). */
static bool is_instant(const certifier *c, const attempt *a, int k, double length) {
    return is_in_time(c, k) && length * a->h <= round_off_of_time(c, a);
}

static void doubted(certifier *c, const attempt *a, int k, double left) {
    if (is_gap(c, k) && !c->doubt.count) c->doubt = (doubt){1, k, a->start.x.t + left * a->h};
}

/* Settles what it can over [left, end]. True: some function is left, and the part is to be halved. least: the part is
 * too short for that. */
static bool settle_part(certifier *c, const attempt *a, double left, certify_end *end, bool least, candidate *first,
                        double *limit) {
    bool any = false;
    for (int k = 0; k < c->n; k++) {
        if (!end->open[k]) continue;
        const bool last = least || is_instant(c, a, k, end->theta - left);
        verdict v = judge(c, a, k, left, end);
        if (v == CLOSES || (v == UNDECIDED && last && is_below(c, a, k, end))) found(c, a, k, left, end, first, limit);
        else if (v == UNDECIDED && last) doubted(c, a, k, left);
        end->open[k] = v == UNDECIDED && !last;
        any = any || end->open[k];
    }
    return any;
}

static void halve(certifier *c, const attempt *a, double left, certify_end *end) {
    certify_end *middle = end + 1;
    middle->theta = left + (end->theta - left) / 2;
    memcpy(middle->open, end->open, (size_t)c->n * sizeof *end->open);
    look_at(c, a, middle->theta, middle->open, middle->value);
}

/* Where the model bounds nothing: looks at equal distances. */
static bool sample(certifier *c, const attempt *a, candidate *first, double *limit) {
    certify_end *end = &c->end[1];
    memcpy(end->open, c->end[0].open, (size_t)c->n * sizeof *end->open);
    for (int i = 0; i < c->m->nc; i++) c->c[i] = c->c_rate[i] = (carom_range){-INFINITY, INFINITY};
    for (int j = 0; j < c->m->def.switches; j++) c->a[j] = c->a_rate[j] = (carom_range){-INFINITY, INFINITY};
    for (int i = 1; i <= c->samples && !(*limit < INFINITY); i++) {
        end->theta = (double)i / c->samples;
        look_at(c, a, end->theta, end->open, end->value);
        settle_part(c, a, (i - 1.) / c->samples, end, true, first, limit);
        memcpy(end->open, c->end[0].open, (size_t)c->n * sizeof *end->open);
        memcpy(c->left, end->value, (size_t)c->n * sizeof *c->left);
    }
    return *limit < INFINITY;
}

const bool *certify_suspects(certifier *c, const attempt *a) {
    certify_end *whole = &c->end[0];
    const bool any = begin(c, a);
    for (int i = 0; i < c->n && any; i++) whole->open[i] = whole->open[i] && judge(c, a, i, 0, whole) != STAYS_OPEN;
    return whole->open;
}

bool certify_first(certifier *c, const attempt *a, candidate *first) {
    double left = 0, limit = INFINITY;
    int top = 0;
    if (!begin(c, a)) return false;
    if (!certifier_can(c)) return sample(c, a, first, &limit);
    for (int looks = 0; top >= 0 && left < limit; looks++) {
        certify_end *end = &c->end[top];
        if (looks > 0) bound(c, left, end->theta, end->open);
        if (settle_part(c, a, left, end, top == CERTIFY_DEPTH || looks > MOST_LOOKS, first, &limit)) {
            halve(c, a, left, end);
            top++;
            continue;
        }
        left = end->theta;
        memcpy(c->left, end->value, (size_t)c->n * sizeof *c->left);
        top--;
    }
    return limit < INFINITY;
}

/* ---------------------------------------------------------------- setup */

bool certifier_can(const certifier *c) {
    return c->m->def.ranges && enclosure_is_sharp(&c->enclosure);
}

static void place_ends(certifier *c, double *values) {
    for (int i = 0; i < CERTIFY_DEPTH + 2; i++)
        c->end[i].value = values + i * c->n, c->end[i].open = c->flags + i * c->n;
}

bool certifier_create(certifier *c, const attempt *a, int samples, scales *z) {
    const carom_model *m = a->m;
    const int n = m->def.contacts + 2 * m->def.switches;
    double *values;
    *c = (certifier){.m = m, .n = n, .samples = samples, .scales = z};
    const vector_part parts[] = {
        {&c->gap, m->nc}, {&c->argument, m->def.switches},    {&c->left, n},  {&c->from, n},
        {&c->zero, n},    {&values, (CERTIFY_DEPTH + 2) * n}, {&c->below, n}, {&c->rounding, m->def.nq}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    c->flags = calloc((CERTIFY_DEPTH + 2) * (size_t)n + 1, sizeof *c->flags);
    c->asked = calloc((size_t)(m->def.contacts + m->def.switches) + 1, sizeof *c->asked);
    c->c = calloc(4 * (size_t)m->nc + 2 * (size_t)m->def.switches + 1, sizeof *c->c);
    c->known = calloc((size_t)(m->def.nq + m->def.nu + m->def.switches) + 1, sizeof *c->known);
    bool ok = enclosure_create(&c->enclosure, a);
    if (!attempt_look_create(&c->look, a) || !ok || !c->memory || !c->flags || !c->asked || !c->c || !c->known)
        return false;
    c->c_rate = c->c + m->nc, c->room = c->c_rate + m->nc, c->a = c->room + 2 * m->nc;
    c->a_rate = c->a + m->def.switches;
    place_ends(c, values);
    return true;
}

void certifier_destroy(certifier *c) {
    enclosure_destroy(&c->enclosure);
    attempt_look_destroy(&c->look);
    free(c->memory);
    free(c->flags);
    free(c->asked);
    free(c->c);
    free(c->known);
}
