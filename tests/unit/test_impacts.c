/* Laws of impact (docs/theory/laws.md). A rod of length 2 l strikes the floor with one tip, without spin, so that its
 * impacts have closed forms: with the normal percussion p as time, gap_dot and slip are piecewise linear (Routh). They
 * slide until the slip stops, and then stick or slide back. Newton's law is algebraic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/rk4.h"
#include "support/trial.h"

/* ---------------------------------------------------------------- closed forms */

typedef struct blow_at {
    double a, b, c;     /* W^T M^-1 W: normal, mixed, tangential */
    double mu, e;       /* friction, restitution */
    double speed, slip; /* before: -gap_dot, slip */
} blow_at;

typedef struct rates_of {
    double normal, slip; /* of gap_dot and slip by p */
} rates_of;

static rates_of rates_at(const blow_at *k, double slip) {
    const double sense = slip != 0 ? (slip > 0) - (slip < 0) : fabs(k->b) > k->mu * k->c ? (k->b > 0) - (k->b < 0) : 0;
    if (slip == 0 && sense == 0) return (rates_of){k->a - k->b * k->b / k->c, 0};
    return (rates_of){k->a - sense * k->mu * k->b, k->b - sense * k->mu * k->c};
}

typedef struct after {
    double gap_dot, slip;
    bool stopped, reversed; /* the slip, in compression */
} after;

/* p at which a quadratic work = v p + r p^2/2 reaches what is owed. */
static double root_of(double v, double r, double owed) {
    return r == 0 ? owed / v : (sqrt(v * v + 2 * r * owed) - v) / r;
}

/* At most two pieces in each phase: with the slip before, and after it has stopped. */
static after routh(const blow_at *k, bool energetic) {
    after x = {-k->speed, k->slip, false, false};
    double p = 0, work = 0;
    for (int piece = 0; piece < 2 && x.gap_dot < 0; piece++) {
        const rates_of r = rates_at(k, x.slip);
        const double stop = x.slip * r.slip < 0 ? -x.slip / r.slip : INFINITY;
        const double rest = r.normal > 0 ? -x.gap_dot / r.normal : INFINITY, d = fmin(stop, rest);
        work -= d * (x.gap_dot + d * r.normal / 2), p += d;
        x.gap_dot = d == rest ? 0 : x.gap_dot + d * r.normal;
        x.slip = d == stop ? 0 : x.slip + d * r.slip;
        x.stopped = x.stopped || d == stop, x.reversed = x.reversed || x.slip * k->slip < 0;
    }
    double owed = energetic ? k->e * k->e * work : k->e * p;
    for (int piece = 0; piece < 2 && owed > 1e-300; piece++) {
        const rates_of r = rates_at(k, x.slip);
        const double stop = x.slip * r.slip < 0 ? -x.slip / r.slip : INFINITY;
        const double d = fmin(stop, energetic ? root_of(x.gap_dot, r.normal, owed) : owed);
        owed -= energetic ? d * (x.gap_dot + d * r.normal / 2) : d;
        if (d < stop) owed = 0;
        x.gap_dot += d * r.normal, x.slip = d == stop ? 0 : x.slip + d * r.slip;
    }
    return x;
}

/* gap_dot = e speed; the slip is zero if friction can do that, else friction is at its bound. *unique: no other branch
 * has a solution. */
static after newton(const blow_at *k, bool *unique) {
    const double jump = (1 + k->e) * k->speed, det = k->a * k->c - k->b * k->b;
    const double PN = (k->c * jump + k->b * k->slip) / det, PF = (-k->a * k->slip - k->b * jump) / det;
    after x = {k->e * k->speed, 0, false, false};
    int solutions = PN >= 0 && fabs(PF) <= k->mu * PN;
    for (int sense = -1; sense <= 1; sense += 2) {
        const double P = jump / (k->a - sense * k->mu * k->b), slip = k->slip + (k->b - sense * k->mu * k->c) * P;
        if (!(P > 0) || sense * slip <= 0) continue;
        x.slip = slip;
        solutions++;
    }
    *unique = solutions == 1;
    return x;
}

/* ---------------------------------------------------------------- runs */

static const char rod[] =
    "carom: 1\nparameters: {l: 0.5, th: %.17g, slip: %.17g}\nmodel:\n"
    "  coordinates: {x: {velocity: slip}, y: {start: \"l*sin(th) + 1e-3\", velocity: -1}, a: th}\n"
    "  kinetic: (x_dot^2 + y_dot^2)/2 + l^2/6*a_dot^2\n"
    "  contacts: {tip: {gap: y - l*sin(a), slip: x_dot + l*a_dot*sin(a), friction: %g, "
    "restitution: %g, impact: %s}}\n"
    "run: {integrator: lobatto, events: locate, dt: 2e-3, until: 2e-3, tolerance: 1e-13}\n";

static after struck(const blow_at *k, double angle, const char *law) {
    trial run = trial_text(rod, angle, k->slip, k->mu, k->e, law);
    trial_step(&run);
    int count;
    const carom_event *event = carom_sim_events(run.sim, &count);
    assert_true(count >= 1 && event[0].kind == CAROM_STRIKE);
    after x = {event[0].gap_dot[1], event[0].slip[1][0], false, false};
    trial_close(&run);
    return x;
}

typedef struct seen {
    int stopped, reversed, slid, compared;
} seen;

static void compare(const blow_at *k, double angle, seen *s) {
    /* Exact but for round-off of numbers below 10, in at most four pieces, and for the place, which is located to 1e-13
     */
    const double bound = 1e-11;
    bool unique;
    for (int energetic = 0; energetic < 2; energetic++) {
        const after exact = routh(k, energetic), x = struck(k, angle, energetic ? "energetic" : "poisson");
        assert_near(x.gap_dot, exact.gap_dot, bound);
        assert_near(x.slip, exact.slip, bound);
        s->stopped += exact.stopped, s->reversed += exact.reversed, s->slid += !exact.stopped, s->compared++;
    }
    const after exact = newton(k, &unique);
    if (!unique) return;
    const after x = struck(k, angle, "newton");
    assert_near(x.gap_dot, exact.gap_dot, bound);
    assert_near(x.slip, exact.slip, bound);
}

/* All angles, frictions and slips: sliding throughout, sticking, and sliding back after a stop in compression. */
static void rods_follow_closed_forms(void **state) {
    static const double friction[] = {0, 0.05, 0.2, 0.5, 0.9, 1.6}, slips[] = {-2.5, -0.6, -0.1, 0, 0.15, 0.8, 3},
                        e[] = {0, 0.4, 0.9, 1};
    seen s = {0};
    (void)state;
    for (int n = 1; n < 6; n++) {
        const double angle = n * 0.26, sine = sin(angle), cosine = cos(angle);
        for (int i = 0; i < 6 * 7 * 4; i++) {
            const blow_at k = {1 + 3 * cosine * cosine, -3 * sine * cosine, 1 + 3 * sine * sine,
                               friction[i % 6],         e[i / 42],          1,
                               slips[i / 6 % 7]};
            if (k.a - k.mu * fabs(k.b) > 1e-3 || k.slip == 0) compare(&k, angle, &s);
        }
    }
    printf("%d impacts: %d slide in compression, %d stop, %d slide back\n", s.compared, s.slid, s.stopped, s.reversed);
    assert_true(s.slid > 100 && s.stopped > 100 && s.reversed > 20);
}

/* A tip that jams: friction drives it into the floor until the slip stops, a - mu |b| < 0. The compression goes on. */
static void tips_that_jam(void **state) {
    const double angle = 1.2, sine = sin(angle), cosine = cos(angle);
    (void)state;
    for (int n = 0; n < 3; n++) {
        const blow_at k = {1 + 3 * cosine * cosine, -3 * sine * cosine, 1 + 3 * sine * sine, 2.5, 0.5 * n, 1, -0.7};
        assert_true(k.a - k.mu * fabs(k.b) < 0);
        seen s = {0};
        compare(&k, angle, &s);
        assert_true(s.stopped == 2);
    }
}

/* ---------------------------------------------------------------- cradles */

static const char cradle[] = "carom: 1\nparameters: {g: %s}\nmodel:\n  impacts: sequential\n"
                             "  coordinates: {x1: {start: -0.0123, velocity: 1}, x2: 0, x3: g, x4: 2*g, x5: 3*g}\n"
                             "  kinetic: (x1_dot^2 + x2_dot^2 + x3_dot^2 + x4_dot^2 + x5_dot^2)/2\n"
                             "  contacts: {\"c[i=1..4]\": {gap: \"x[i+1] - x[i]\", restitution: 1, impact: %s}}\n"
                             "run: {integrator: %s, dt: 1e-3, until: 0.03}\n";

static const char *const schemes[] = {"moreau",
                                      "symmetric_moreau",
                                      "variational_moreau",
                                      "theta",
                                      "nsga",
                                      "rattle",
                                      "lobatto",
                                      "generalized_alpha",
                                      "rattle, events: locate",
                                      "lobatto, events: locate"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* The last ball takes all the velocity, whether they touch or not: it goes from ball to ball without a remainder. */
static void cradles(void **state) {
    static const char *const gaps[] = {"0", "1e-6"}, *const laws[] = {"newton", "poisson", "energetic"};
    (void)state;
    for (int i = 0; i < SCHEMES * 6; i++) {
        trial run = trial_text(cradle, gaps[i % 2], laws[i / 2 % 3], schemes[i / 6]);
        trial_finish(&run);
        const double *u = carom_sim_u(run.sim);
        for (int j = 0; j < 5; j++) assert_near(u[j], j == 4 ? 1 : 0, 1e-10);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- restitution by the speed */

/* e = 0.9 - 0.2 v, from 1 m/s: 0.7, then 0.7 (0.9 - 0.14) ...; below 0.1 m/s nothing rebounds. Without forces the ball
 * flies between two walls, so that every scheme sees the speeds exactly. */
static void restitution_by_speed(void **state) {
    static const char text[] =
        "carom: 1\nmodel:\n  coordinates: {x: {start: 0.05, velocity: -1}}\n  kinetic: x_dot^2/2\n"
        "  contacts:\n"
        "    left: {gap: x, restitution: 0.9 - 0.2*speed, rest: 0.1, impact: %s}\n"
        "    right: {gap: 0.1 - x, restitution: 0.9 - 0.2*speed, rest: 0.1, impact: %s}\n"
        "run: {integrator: %s, dt: 1e-3, until: 20}\n";
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    (void)state;
    for (int i = 0; i < SCHEMES * 3; i++) {
        trial run = trial_text(text, laws[i % 3], laws[i % 3], schemes[i / 3]);
        double speed = 1;
        int impacts = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const double u = fabs(carom_sim_u(run.sim)[0]);
            if (fabs(u - speed) < 1e-12) continue;
            const double rebound = (0.9 - 0.2 * speed) * speed;
            assert_near(u, rebound > 0.1 ? rebound : 0, 1e-9);
            speed = u, impacts++;
        }
        assert_true(impacts > 10 && speed == 0);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- what does not go together */

static void refuse(const char *contact, const char *integrator, const char *sentence) {
    trial_refused(sentence, "e",
                  "carom: 1\nparameters: {e: 0.5}\nmodel:\n  coordinates: {x: 1, y: {start: 1, velocity: -1}}\n"
                  "  kinetic: (x_dot^2 + y_dot^2)/2\n  contacts: {floor: {gap: y, slip: x_dot, %s}}\n"
                  "run: {integrator: %s, dt: 0.1, until: 1}\n",
                  contact, integrator);
}

static void refusals(void **state) {
    (void)state;
    refuse("impact: energtic", "rattle", "there is no law of impact 'energtic', did you mean 'energetic'");
    refuse("impact: coulomb", "rattle", "there is no law of impact 'coulomb'");
    refuse("friction: 0.1, law: poisson", "rattle", "there is no law 'poisson'");
    refuse("impact: plastic, restitution: 0.5", "rattle", "is plastic and has restitution 0.5");
    refuse("impact: poisson, tangential_restitution: 0.5", "rattle", "belongs to the law of impact 'newton'");
    refuse("restitution: 1 - x*speed", "rattle", "a formula of 'speed' and parameters");
    refuse("restitution: 0.9 - 0.1*v", "rattle", "undefined name 'v'; this formula knows 'speed'");
    refuse("restitution: 0.9 - 0.1*sped", "rattle", "undefined name 'sped', did you mean 'speed'?");
    refuse("friction: 0.3 + w", "rattle", "undefined name 'w'; this formula knows 'slip'");
    refuse("impact: plastic", "multisymplectic", "keeps the energy of impacts, as newton, poisson and energetic do");
    refuse("restitution: 0.9, impact: energetic", "multisymplectic", "has restitution 0.9");
    refuse("restitution: 1 - 0.1*speed", "multisymplectic", "no restitution by formula");
}

/* A speed that drops out of its formula is no error: families and parameters may switch it off. */
static void speeds_that_drop_out(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 1}, y: {start: 1e-3, "
                           "velocity: -1}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                           "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.2 + 0*slip, restitution: 0.8 + "
                           "0*speed}}\nrun: {integrator: rattle, dt: 1e-2, until: 0.05}\n");
    trial_finish(&run);
    assert_near(trial_value(&run, "y_dot"), 0.8, 1e-12);
    assert_near(trial_value(&run, "x_dot"), 1 - 0.2 * 1.8, 1e-12);
    trial_close(&run);
}

/* ---------------------------------------------------------------- slip that turns on its way to rest */

/* Eggs that spin and strike a floor: the slip turns towards a direction in which it comes to rest, and stays there. A
 * single contact always has an impact under poisson and energetic, which ends with a rebound; the latter never creates
 * energy. */
static void eggs_rebound(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        const char *law = i % 2 ? "poisson" : "energetic";
        double T[2], V, most;
        trial run =
            trial_text("carom: 1\nmodel:\n  bodies: {egg: {type: spatial, mass: 1, shape: {ellipsoid: [0.2, %g, "
                       "0.3]}, position: [0, 0, 0.301], velocity: [%g, %g, -1], angular_velocity: [%g, %g, %g], "
                       "rotation: {axis: [1, %g, 0], angle: %g}}}\n"
                       "  contacts: {floor: {between: [egg, {body: world, plane: [0, 0, 1]}], friction: %g, "
                       "restitution: 0.5, impact: %s}}\n"
                       "run: {integrator: lobatto, events: locate, dt: 5e-3, until: 0.3}\n",
                       0.15 + 0.02 * (i % 7), sin(i), cos(3 * i), 5 * sin(5 * i), 5 * cos(7 * i), sin(11 * i), cos(i),
                       0.03 * i, 0.1 + 0.05 * (i % 9), law);
        const carom_model_def *d = carom_model_get(carom_scene_model(run.scene));
        d->energy(d->context, 0, carom_sim_q(run.sim), carom_sim_u(run.sim), &T[0], &V);
        trial_finish(&run);
        d->energy(d->context, 0, carom_sim_q(run.sim), carom_sim_u(run.sim), &T[1], &V);
        assert_int_equal(carom_sim_weakened(run.sim, &most), 0);
        assert_at_least(trial_value(&run, "egg.z_dot"), -1 + 1e-3); /* it did strike */
        if (i % 2 == 0) assert_at_most(T[1], T[0] * (1 + 1e-6));
        trial_close(&run);
    }
}

/* One whose slip turns for more than 400 pieces before it rests. */
static void an_egg_turns_long(void **state) {
    double most;
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies: {egg: {type: spatial, mass: 0.06, shape: {ellipsoid: "
        "[0.02, 0.02, 0.03]}, position: [0, 0, 0.05], angular_velocity: [0, 30, 5]}}\n"
        "  contacts: {table: {between: [egg, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.4, "
        "impact: "
        "energetic}}\nrun: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.1}\n");
    trial_finish(&run);
    assert_int_equal(carom_sim_weakened(run.sim, &most), 0);
    assert_at_least(trial_value(&run, "egg.z_dot"), -0.9); /* it has rebounded */
    trial_close(&run);
}

/* ---------------------------------------------------------------- slip that turns and moves the gap */

/* v' = G (-mu v_x/|v|, -mu v_y/|v|, 1) by the normal percussion, and the work of it. */
static double inverse[3][3], rubs;
static void coupled(double p, const double *v, double *rate) {
    const double size = hypot(v[0], v[1]), force[3] = {-rubs * v[0] / size, -rubs * v[1] / size, 1};
    (void)p;
    for (int i = 0; i < 3; i++) {
        rate[i] = 0;
        for (int j = 0; j < 3; j++) rate[i] += inverse[i][j] * force[j];
    }
    rate[3] = v[2];
}

/* To where a component reaches a value that it is below. */
static void advance_to(int which, double value, double *y) {
    const double h = 1e-4;
    double z[4], low = 0, high = h;
    while (memcpy(z, y, sizeof z), rk4_step(coupled, 4, 0, h, z), z[which] < value) memcpy(y, z, sizeof z);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        memcpy(z, y, sizeof z), rk4_step(coupled, 4, 0, middle, z);
        if (z[which] < value) low = middle;
        else high = middle;
    }
    rk4_step(coupled, 4, 0, high, y);
}

/* A mass whose slip changes its gap: M^-1 is full, so that gap_dot has no constant slope. By energetic the expansion
 * ends where it has released e^2 of the work of the compression, whether the slope grows or falls on the way. */
static void masses_that_couple(void **state) {
    static const double slips[][2] = {{-1.48, -1.31}, {1.38, 1.48}, {1, -0.8}, {-0.9, 1.2}};
    const double e = 0.9;
    (void)state;
    for (int i = 0; i < 8; i++) {
        const double a = 3.5, b = 0.56, c = i % 2 ? 0.3 : -0.2, d = 0.8, f = -0.11, k = 0.75;
        const double G[3][3] = {{a, b, c}, {b, d, f}, {c, f, k}};
        memcpy(inverse, G, sizeof G), rubs = i < 4 ? 0.1 : 0.4;
        const double det = a * (d * k - f * f) - b * (b * k - f * c) + c * (b * f - d * c);
        double y[4] = {slips[i / 2 % 4][0], slips[i / 2 % 4][1], -0.43, 0};
        trial run =
            trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: %g}, y: {velocity: %g}, z: {start: 0.01, "
                       "velocity: -0.43}}\n"
                       "  kinetic: (%.17g*x_dot^2 + %.17g*y_dot^2 + %.17g*z_dot^2)/2 + (%.17g)*x_dot*y_dot + "
                       "(%.17g)*x_dot*z_dot + (%.17g)*y_dot*z_dot\n"
                       "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: %g, restitution: %g, "
                       "impact: energetic}}\n"
                       "run: {integrator: moreau, dt: 1e-2, until: 0.1}\n",
                       y[0], y[1], (d * k - f * f) / det, (a * k - c * c) / det, (a * d - b * b) / det,
                       (c * f - b * k) / det, (b * f - c * d) / det, (b * c - a * f) / det, rubs, e);
        advance_to(2, 0, y);
        const double absorbed = -y[3];
        y[3] = 0;
        advance_to(3, e * e * absorbed, y);
        trial_finish(&run);
        for (int j = 0; j < 3; j++) assert_near(carom_sim_u(run.sim)[j], y[j], 1e-6);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- laws that keep energy */

/* A free plank that strikes with one end, then with the other, and rows of balls: without friction and with restitution
 * 1 three laws are one, (Y24). Free flights are exact, so that located runs and multisymplectic agree to round-off
 * times the number of impacts. */
/* A point strikes with slip that turns into the direction of the greater friction, ever more slowly and the faster: its
 * velocities follow v' = -mu a_i (a v)_i/|a v| over P_N = 1.6. Pieces may miss 1e-8 each; a hundred of them 1e-6. */
static double scale, strength;
static void pressed(double p, const double *v, double *rate) {
    const double size = hypot(v[0], scale * v[1]);
    (void)p;
    rate[0] = -strength * v[0] / size, rate[1] = -strength * scale * scale * v[1] / size;
}

static void slip_turns_in_impacts(void **state) {
    static const double scales[] = {1, 1.5, 3, 5}, slips[] = {0.1, 0.7, 1.5}, strengths[] = {0.1, 0.5};
    (void)state;
    for (int n = 0; n < 48; n++) {
        scale = scales[n % 4], strength = strengths[n / 4 % 2];
        double exact[2] = {1, slips[n / 8 % 3]};
        trial run = trial_text("carom: 1\nmodel:\n"
                               "  coordinates: {x: {velocity: 1}, y: {velocity: %g}, z: {start: 0.1, velocity: -1}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                               "  contacts: {floor: {gap: z, slip: [x_dot, %g*y_dot], friction: %g, restitution: 0.6,"
                               " impact: %s}}\n"
                               "run: {integrator: moreau, dt: 1e-2, until: 0.2}\n",
                               exact[1], scale, strength, n < 24 ? "poisson" : "energetic");
        rk4_run(pressed, 2, 1.6, 4000, exact);
        trial_finish(&run);
        for (int j = 0; j < 2; j++) assert_near(carom_sim_u(run.sim)[j], exact[j], 1e-6);
        trial_close(&run);
    }
}

static void three_laws_are_one(void **state) {
    static const char *const laws[] = {"newton", "poisson", "energetic"}, *const runs[] = {"multisymplectic",
                                                                                           "rattle, events: locate",
                                                                                           "lobatto, events: locate"};
    double first[6];
    (void)state;
    for (int i = 0; i < 9; i++) {
        trial run =
            trial_text("carom: 1\nmodel:\n"
                       "  coordinates: {x: {velocity: 0.3}, y: {start: 0.3, velocity: -1}, a: {velocity: 0.7}}\n"
                       "  kinetic: (x_dot^2 + y_dot^2)/2 + a_dot^2/24\n"
                       "  contacts:\n"
                       "    left: {gap: y - 0.5*sin(a), restitution: 1, impact: %s}\n"
                       "    right: {gap: y + 0.5*sin(a), restitution: 1, impact: %s}\n"
                       "run: {integrator: %s, dt: 1e-2, until: 1, tolerance: 1e-13}\n",
                       laws[i % 3], laws[i % 3], runs[i / 3]);
        trial_finish(&run);
        for (int k = 0; k < 6; k++) {
            const double is = k < 3 ? carom_sim_q(run.sim)[k] : carom_sim_u(run.sim)[k - 3];
            if (i == 0) first[k] = is;
            assert_near(is, first[k], i < 3 ? 0 : 1e-10);
        }
        assert_at_least(carom_sim_u(run.sim)[1], 0.1); /* it did rebound */
        trial_close(&run);
    }
}

/* An arm reaches its stop with 0.4 rad/s and leaves it with e times that, by every law but plastic. Where its spring is
 * at rest, which has the name of the velocity below which contacts do not rebound, has no part in it. */
static void stops_of_joints(void **state) {
    static const char *const laws[] = {"newton", "poisson", "energetic", "plastic"};
    (void)state;
    for (int i = 0; i < 16; i++) {
        const bool plastic = i % 4 == 3;
        trial run =
            trial_text("carom: 1\nmodel:\n"
                       "  bodies: {arm: {type: planar, mass: 1, inertia: 0.5, angular_velocity: 0.4}}\n"
                       "  joints: {hinge: {type: revolute, bodies: [world, arm], at: [0, 0], spring: 1e-12, rest: %g, "
                       "limits: [-1, 0.1], restitution: %s, impact: %s}}\n"
                       "run: {integrator: %s, dt: 1e-2, until: 0.5}\n",
                       i < 8 ? 0.5 : -0.5,
                       plastic ? "0"
                       : i < 4 ? "0.8"
                               : "0.8 + 0.1*(speed - 0.4)",
                       laws[i % 4], i / 4 % 2 ? "lobatto, events: locate" : "moreau");
        trial_finish(&run);
        assert_near(trial_value(&run, "arm.phi_dot"), plastic ? 0 : -0.32, 1e-9);
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_follow_closed_forms),
        cmocka_unit_test(tips_that_jam),
        cmocka_unit_test(cradles),
        cmocka_unit_test(restitution_by_speed),
        cmocka_unit_test(eggs_rebound),
        cmocka_unit_test(an_egg_turns_long),
        cmocka_unit_test(refusals),
        cmocka_unit_test(speeds_that_drop_out),
        cmocka_unit_test(slip_turns_in_impacts),
        cmocka_unit_test(masses_that_couple),
        cmocka_unit_test(three_laws_are_one),
        cmocka_unit_test(stops_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
