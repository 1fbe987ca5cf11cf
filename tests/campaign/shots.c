/* Shots at targets, by steps that may jump over them: 40 shots, each with five random steps. A point of unit mass flies
 * on a straight line or a parabola and strikes circles, a wedge, thin boxes, ellipses, circles that swing, and
 * waves, without friction. Every scheme integrates its flight exactly, so that all that is left to err is the location
 * of impacts.
 *
 * The reference knows nothing of carom: gaps as C functions, fine sampling in long double, least values of gaps by
 * golden section, zeros by bisection, and Newton's law M = 1: v+ = v - (1 + e) gap_dot grad/|grad|^2.
 *
 * Forbidden: an impact that is missed, one that is invented, and one at another time. Times may differ by what an error
 * of 1e-11 in the initial state makes of them (measured by the reference with another start), since gaps of size one
 * are zero below 2e-14 and there are at most 100 sums of that size in a flight. */
#include "campaign.h"
#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TARGETS = 3, MOST_HITS = 8, LOOKS = 4000 };
typedef long double real;

typedef enum shape { CIRCLE, PLANE, BOX, ELLIPSE, SWING, WAVES, SHAPES } shape;
typedef struct target {
    shape shape;
    double x, y, a, b, w; /* place; radii, half widths, normal, depth; b and w also amplitude and frequency */
} target;

typedef struct shot {
    target target[MOST_TARGETS];
    int targets;
    double x, y, u, v, g, e, T, dt;
    const char *integrator;
    int stages;
} shot;

/* ---------------------------------------------------------------- the reference */

/* The gap, and its derivatives by x, y and t. */
static real gap_of(const target *c, real t, const real *q, real *by) {
    real x = q[0] - c->x, y = q[1] - c->y, a = c->a, b = c->b, w = c->w, r;
    if (c->shape == SWING) y -= b * sinl(w * t);
    by[2] = 0;
    switch (c->shape) {
    case CIRCLE:
    case SWING:
        r = hypotl(x, y);
        by[0] = x / r, by[1] = y / r;
        if (c->shape == SWING) by[2] = -by[1] * b * w * cosl(w * t);
        return r - a;
    case PLANE:
        by[0] = a, by[1] = b;
        return a * x + b * y;
    case BOX:
        r = fabsl(x) - a - (fabsl(y) - b);
        by[0] = r > 0 ? copysignl(1, x) : 0, by[1] = r > 0 ? 0 : copysignl(1, y);
        return r > 0 ? fabsl(x) - a : fabsl(y) - b;
    case ELLIPSE:
        r = hypotl(x / a, y / b);
        by[0] = x / (a * a * r), by[1] = y / (b * b * r);
        return r - 1;
    default: /* WAVES */
        by[0] = -b * w * cosl(w * x), by[1] = 1;
        return y + a - b * sinl(w * x);
    }
}

typedef struct flight {
    real t, q[2], v[2]; /* since the last impact */
} flight;

static real gap_at(const shot *s, int k, const flight *f, real t) {
    real d = t - f->t, q[2] = {f->q[0] + d * f->v[0], f->q[1] + d * f->v[1] - s->g * d * d / 2};
    real by[3];
    return gap_of(&s->target[k], t, q, by);
}

/* Halves an interval with a gap above zero at its left end and below at its right one. */
static real bisect(const shot *s, int k, const flight *f, real left, real right) {
    for (int i = 0; i < 100; i++) {
        real middle = (left + right) / 2;
        if (gap_at(s, k, f, middle) > 0) left = middle;
        else right = middle;
    }
    return right;
}

/* The place of the least gap in an interval. */
static real lowest(const shot *s, int k, const flight *f, real left, real right) {
    const real part = (sqrtl(5) - 1) / 2;
    for (int i = 0; i < 90; i++) {
        real a = right - part * (right - left), b = left + part * (right - left);
        if (gap_at(s, k, f, a) < gap_at(s, k, f, b)) right = b;
        else left = a;
    }
    return (left + right) / 2;
}

/* The next impact of a target after the flight has begun; INFINITY: none until the end. *vague: some gap is nearly zero
 * where it is least, at this time, and nobody can tell. */
static real next_hit(const shot *s, int k, const flight *f, real *vague) {
    const real step = (s->T - f->t) / LOOKS;
    real before = gap_at(s, k, f, f->t + step / 64), here = gap_at(s, k, f, f->t + step);
    if (here < 0 && before > 0) return bisect(s, k, f, f->t + step / 64, f->t + step);
    for (int i = 2; i <= LOOKS; i++) {
        real t = f->t + i * step, next = gap_at(s, k, f, t);
        if (next < 0 && here > 0) return bisect(s, k, f, t - step, t);
        if (here > 0 && here <= before && here <= next && here < step * 1000) {
            real least = lowest(s, k, f, t - 2 * step, t), depth = gap_at(s, k, f, least);
            if (fabsl(depth) < 1e-9L) *vague = fminl(*vague, least);
            if (depth < 0) return bisect(s, k, f, t - 2 * step, least);
        }
        before = here, here = next;
    }
    return INFINITY;
}

static void reflect(const shot *s, int k, flight *f, real t) {
    const real d = t - f->t;
    real by[3];
    for (int i = 0; i < 2; i++) f->q[i] += d * f->v[i] - (i == 1 ? s->g * d * d / 2 : 0);
    f->v[1] -= s->g * d;
    f->t = t;
    gap_of(&s->target[k], t, f->q, by);
    real rate = by[0] * f->v[0] + by[1] * f->v[1] + by[2], length2 = by[0] * by[0] + by[1] * by[1];
    for (int i = 0; i < 2; i++) f->v[i] -= (1 + s->e) * rate * by[i] / length2;
}

typedef struct story {
    int hits, target[MOST_HITS];
    real time[MOST_HITS];
    real valid; /* what happens later nobody can tell */
} story;

static story tell(const shot *s, real dx, real dv) {
    flight f = {0, {s->x + dx, s->y - dx / 3}, {s->u + dv, s->v + dv / 7}};
    story y = {.valid = s->T};
    while (y.hits < MOST_HITS) {
        real first = INFINITY, second = INFINITY;
        int hit = -1;
        for (int k = 0; k < s->targets; k++) {
            real t = next_hit(s, k, &f, &y.valid);
            if (t < first) second = first, first = t, hit = k;
            else second = fminl(second, t);
        }
        if (y.valid < first || hit < 0) return y;
        if (second - first < 1e-6L) { /* which comes first decides what happens */
            y.valid = first;
            return y;
        }
        y.time[y.hits] = first, y.target[y.hits++] = hit;
        reflect(s, hit, &f, first);
    }
    y.valid = fminl(y.valid, y.time[MOST_HITS - 1]);
    return y;
}

/* ---------------------------------------------------------------- the shot */

static target draw_target(uint64_t *r, shape kind, int i) {
    target c = {.shape = kind, .x = campaign_between(r, -0.3, 0.3) + i, .y = campaign_between(r, -0.3, 0.3)};
    c.a = campaign_between(r, 0.02, 0.3), c.b = campaign_between(r, 0.005, 0.3), c.w = campaign_between(r, 1, 20);
    if (kind == PLANE) { /* a wedge that opens to the left */
        double angle = campaign_between(r, 0.3, 1.2) * (i ? 1 : -1);
        c.x = 0.5, c.y = 0, c.a = -sin(fabs(angle)), c.b = angle > 0 ? -cos(angle) : cos(angle);
    }
    if (kind == WAVES)
        c.a = campaign_between(r, 0.02, 0.1), c.b = campaign_between(r, 0.02, 0.1), c.w = campaign_between(r, 5, 60);
    return c;
}

static shot draw(uint64_t number) {
    uint64_t r = 1000003 * ((number - 1) / 5 + 1), own = 77777 * number;
    shape kind = (shape)((number - 1) / 5 % SHAPES);
    shot s = {.targets = kind == PLANE ? 2 : kind == WAVES ? 1 : 1 + (int)(3 * campaign_random(&r))};
    for (int i = 0; i < s.targets; i++) s.target[i] = draw_target(&r, kind, i);
    double speed = pow(10, campaign_between(&r, -1, 2.5)), angle = campaign_between(&r, -0.12, 0.12);
    s.x = campaign_between(&r, -1.5, -0.7), s.y = kind == PLANE ? 0 : s.target[0].y + campaign_between(&r, -0.02, 0.02);
    s.u = speed * cos(angle), s.v = speed * sin(angle);
    s.g = campaign_random(&r) < 0.5 ? 0 : campaign_between(&r, 0, 0.5) * speed * speed;
    if (kind == SWING)
        for (int i = 0; i < s.targets; i++) s.target[i].w *= speed;
    if (kind == WAVES) s.y += 0.02 + s.target[0].b; /* above the crests */
    s.e = campaign_between(&r, 0.5, 1);
    s.T = 4 / speed;
    s.dt = s.T / pow(10, campaign_between(&own, 0, 2.3));
    int scheme = (int)(4 * campaign_random(&own));
    s.integrator = scheme == 0 ? "rattle" : "lobatto", s.stages = scheme + 1;
    return s;
}

static void add_target(carom_sketch *k, const target *c, int i, double e) {
    char gap[300];
    if (c->shape == CIRCLE)
        snprintf(gap, sizeof gap, "sqrt((x - (%.17g))^2 + (y - (%.17g))^2) - %.17g", c->x, c->y, c->a);
    if (c->shape == PLANE)
        snprintf(gap, sizeof gap, "%.17g*(x - (%.17g)) + %.17g*(y - (%.17g))", c->a, c->x, c->b, c->y);
    if (c->shape == BOX)
        snprintf(gap, sizeof gap, "max(abs(x - (%.17g)) - %.17g, abs(y - (%.17g)) - %.17g)", c->x, c->a, c->y, c->b);
    if (c->shape == ELLIPSE)
        snprintf(gap, sizeof gap, "sqrt(((x - (%.17g))/%.17g)^2 + ((y - (%.17g))/%.17g)^2) - 1", c->x, c->a, c->y,
                 c->b);
    if (c->shape == SWING)
        snprintf(gap, sizeof gap, "sqrt((x - (%.17g))^2 + (y - (%.17g) - %.17g*sin(%.17g*t))^2) - %.17g", c->x, c->y,
                 c->b, c->w, c->a);
    if (c->shape == WAVES)
        snprintf(gap, sizeof gap, "y - (%.17g) + %.17g - %.17g*sin(%.17g*(x - (%.17g)))", c->y, c->a, c->b, c->w, c->x);
    carom_sketch_add(k, "model.contacts.target%d={gap: \"%s\", restitution: %.17g}", i, gap, e);
}

static carom_scene *scene_of(const shot *s, campaign_case *c) {
    carom_sketch *k = carom_sketch_create("shot");
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_sketch_add(k, "model.coordinates={x: {start: %.17g, velocity: %.17g}, y: {start: %.17g, velocity: %.17g}}",
                     s->x, s->u, s->y, s->v);
    carom_sketch_add(k, "model.kinetic=(x_dot^2 + y_dot^2)/2");
    carom_sketch_add(k, "model.potential=%.17g*y", s->g);
    for (int i = 0; i < s->targets; i++) add_target(k, &s->target[i], i, s->e);
    carom_sketch_add(k, "run={integrator: %s, events: locate, dt: %.17g, until: %.17g, tolerance: 1e-12}",
                     s->integrator, s->dt, s->T);
    if (s->stages > 1) carom_sketch_add(k, "run.stages=%d", s->stages);
    if (carom_sketch_scene(k, &scene, &error)) campaign_violation(c, "no scene: %s", error.message);
    carom_sketch_destroy(k);
    return scene;
}

/* ---------------------------------------------------------------- the verdict */

enum { HITS, LATE, DOUBTS };

static void compare(const story *y, const story *other, const carom_event *e, int *met, double t, campaign_case *c) {
    int i = *met;
    if (t >= (double)y->valid) return;
    if (i >= y->hits) {
        campaign_violation(c, "target %d is struck at %.12g, which nothing does", e->contact, t);
        return;
    }
    /* the other story began 1e-7 away: what 1e-11 does is 1e-4 of that; the shot itself is known to 1e-14 */
    double bound = 1e-4 * fabs((double)(other->time[i] - y->time[i])) + 1e-13 * (1 + fabs(t));
    if (e->contact != y->target[i] || !(fabs(t - (double)y->time[i]) <= bound))
        campaign_violation(c, "hit %d is of target %d at %.15g, not of %d at %.15Lg (+- %.1e)", i, e->contact, t,
                           y->target[i], y->time[i], bound);
    c->count[HITS]++;
    ++*met;
}

static void follow(carom_sim *sim, const shot *s, const story *y, const story *other, campaign_case *c) {
    carom_error error = {0};
    int met = 0, contact;
    double time;
    while (!carom_sim_done(sim) && !c->violations) {
        int events;
        if (carom_sim_step(sim, &error)) {
            campaign_violation(c, "%s", error.message);
            return;
        }
        const carom_event *e = carom_sim_events(sim, &events);
        for (int i = 0; i < events && !c->violations; i++)
            if (e[i].kind == CAROM_STRIKE && e[i].time < s->T) compare(y, other, &e[i], &met, e[i].time, c);
    }
    int wanted = 0;
    while (wanted < y->hits && y->time[wanted] < y->valid) wanted++;
    if (!c->violations && met < wanted)
        campaign_violation(c, "hit %d of target %d at %.15Lg is missed", met, y->target[met], y->time[met]);
    c->count[LATE] += y->valid < s->T;
    c->count[DOUBTS] += carom_sim_doubts(sim, &contact, &time) > 0;
    if (!carom_sim_certifies(sim)) campaign_violation(c, "the run is not certified");
}

static void judge(uint64_t number, campaign_case *c) {
    const shot s = draw(number);
    story y = tell(&s, 0, 0), other = tell(&s, 1e-7L, 1e-7L * (real)s.u);
    for (int i = 0; i < y.hits; i++)
        if (i >= other.hits || y.target[i] != other.target[i]) y.hits = i, y.valid = fminl(y.valid, y.time[i]);
    if (campaign_loud)
        for (int i = 0; i < y.hits; i++) printf("hit %d: target %d at %.12Lg\n", i, y.target[i], y.time[i]);
    carom_scene *scene = scene_of(&s, c);
    carom_sim *sim = NULL;
    carom_error error = {0};
    if (campaign_loud && scene) printf("%s", carom_scene_text(scene));
    if (scene && carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        campaign_violation(c, "%s", error.message);
    if (sim) follow(sim, &s, &y, &other, c);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    static const campaign shots = {.cases = "shots",
                                   .few = 200,
                                   .patience = 30,
                                   .count = {"impacts", "shots judged in part: a graze, or chaos", "shots with doubts"},
                                   .judge = judge};
    return campaign_main(&shots, argc, argv);
}
