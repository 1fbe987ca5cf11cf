/* Located runs near the limits of statics. Contacts are redundant and their forces not unique, but the limit of
 * friction at which a body begins to move has a closed form, and so has its acceleration beyond. At 103 % of the limit
 * all rests, at 97 % it moves as it should. */
#include "model/model.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

enum { COUNT = 4 };
#define LOCATE ", events: locate"
static const char *const CAPTURED[COUNT] = {"rattle", "lobatto, stages: 2", "lobatto", "lobatto, stages: 4"};
static const char *const SCHEMES[COUNT] = {"rattle" LOCATE, "lobatto, stages: 2" LOCATE, "lobatto" LOCATE,
                                           "lobatto, stages: 4" LOCATE};
static const double G = 9.81, PI = 3.14159265358979323846;

/* dt, tolerance and length of all runs; the scene ends with its contacts. */
#define RUN "run: {integrator: %s, dt: 1e-3, until: %.17g, tolerance: 1e-12}\n"

/* Steps solved to 1e-12 each add up to less than 1e-10 in 100 steps, in velocities, and 1e-11 in positions. */
static const double still = 1e-10;

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* 100 steps without motion, events, captured or divided steps. */
static void assert_rests(trial run, const char *what) {
    const carom_model *m = carom_scene_model(run.scene);
    const int nq = m->def.nq, nu = m->def.nu;
    double start[64], moved = 0;
    assert_in_range(nq, 1, 64);
    for (int i = 0; i < nq; i++) start[i] = carom_sim_q(run.sim)[i];
    for (int step = 0; step < 100 && !carom_sim_done(run.sim); step++) {
        int events;
        trial_stride(&run);
        carom_sim_events(run.sim, &events);
        assert_int_equal(events, 0);
    }
    for (int i = 0; i < nq; i++) moved = fmax(moved, fabs(carom_sim_q(run.sim)[i] - start[i]));
    printf("%s rests: moved by %.1e, %.1e m/s\n", what, moved, largest(carom_sim_u(run.sim), nu));
    assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
    assert_at_most(moved, still);
    assert_at_most(largest(carom_sim_u(run.sim), nu), still);
    trial_close(&run);
}

/* A velocity after one step is the acceleration times dt. changes: what the acceleration changes by in that time. */
static void assert_begins(trial run, const char *name, double acceleration, double changes, const char *what) {
    trial_step(&run);
    double a = trial_value(&run, name) / 1e-3;
    printf("%s moves: %.9g m/s^2, exactly %.9g\n", what, a, acceleration);
    assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
    assert_near(a, acceleration, changes + still / 1e-3);
    trial_close(&run);
}

/* ---------------------------------------------------------------- plank on a slope
 * Two feet stick: three coordinates, four rows. mu = tan(slope) is the limit whatever share each foot takes. */
static trial plank(const char *scheme, double g, double slope, double mu) {
    return trial_text(
        "carom: 1\nmodel:\n  gravity: [%.17g, %.17g]\n"
        "  bodies: {b: {type: planar, mass: 2, inertia: 0.3, position: [0, 0.1]}}\n  contacts:\n"
        "    l: {between: [{body: b, point: [-0.5, -0.1]}, {body: world, plane: [0, 1]}], friction: %.17g}\n"
        "    r: {between: [{body: b, point: [0.3, -0.1]}, {body: world, plane: [0, 1]}], friction: %.17g}\n" RUN,
        g * sin(slope), -g * cos(slope), mu, mu, scheme, 0.1);
}

static void plank_on_a_slope(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const double slope = 0.4, mu = 0.97 * tan(slope);
        assert_rests(plank(SCHEMES[i], G, slope, 1.03 * tan(slope)), "plank");
        assert_begins(plank(SCHEMES[i], G, slope, mu), "b.x_dot", G * (sin(slope) - mu * cos(slope)), 0, "plank");
    }
}

/* Gravity a thousand million times weaker leaves nothing frozen, and nothing moving that rests: 100 steps, relative to
 * what gravity moves in that time, within 1e-6. */
static void weak_gravity(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int rests = 0; rests < 2; rests++) {
            const double slope = 0.4, g = 1e-9 * G, mu = (rests ? 1.03 : 0.97) * tan(slope);
            trial run = plank(SCHEMES[i], g, slope, mu);
            trial_finish(&run);
            double x = trial_value(&run, "b.x") / (g * 0.01 / 2);
            printf("weak gravity: %.9g g\n", x);
            assert_near(x, rests ? 0 : sin(slope) - mu * cos(slope), 1e-6);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- four legs in space: 12 rows for 6 velocities */
static trial table(const char *scheme, double slope, double mu) {
    return trial_text(
        "carom: 1\nmodel:\n  gravity: [%.17g, %.17g, %.17g]\n  bodies:\n"
        "    b: {type: spatial, mass: 3, shape: {box: [1, 0.6, 0.2]}, position: [0, 0, 0.1]}\n  contacts:\n"
        "    leg: {between: [b, {body: world, plane: [0, 0, 1]}], friction: %.17g}\n" RUN,
        G * sin(slope) * 0.6, G * sin(slope) * 0.8, -G * cos(slope), mu, scheme, 0.1);
}

static void table_on_a_slope(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const double slope = 0.3, mu = 0.97 * tan(slope), a = G * (sin(slope) - mu * cos(slope));
        assert_rests(table(SCHEMES[i], slope, 1.03 * tan(slope)), "table");
        assert_begins(table(SCHEMES[i], slope, mu), "b.y_dot", 0.8 * a, 0, "table");
    }
}

/* ---------------------------------------------------------------- ladder
 * Length 2, at the angle theta to the floor, mu at floor and wall: 2 atan(mu) = pi/2 - theta is the limit. Beyond, with
 * theta_dotdot = alpha, c = cos(theta), s = sin(theta) and forces N_f, N_w per mass,
 *     -s alpha = N_w - mu N_f,   c alpha = N_f + mu N_w - g,   -alpha/3 = N_f (c - mu s) - N_w (s + mu c). */
static trial ladder(const char *scheme, double theta, double mu) {
    return trial_text(
        "carom: 1\nparameters: {theta: %.17g, mu: %.17g}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
        "    b: {type: planar, mass: 1, inertia: 1/3, position: [cos(theta), sin(theta)], angle: -theta}\n"
        "  contacts:\n"
        "    foot: {between: [{body: b, point: [1, 0]}, {body: world, plane: [0, 1]}], friction: mu}\n"
        "    top: {between: [{body: b, point: [-1, 0]}, {body: world, plane: [1, 0]}], friction: mu}\n" RUN,
        theta, mu, scheme, 0.1);
}

static double moment_left(double theta, double mu, double alpha) {
    const double c = cos(theta), s = sin(theta), Nf = (G + alpha * (c + mu * s)) / (1 + mu * mu);
    return alpha / 3 + Nf * (c - mu * s) - (mu * Nf - s * alpha) * (s + mu * c);
}

static void ladder_at_a_wall(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const double theta = 50 * PI / 180, limit = tan((PI / 2 - theta) / 2), mu = 0.97 * limit;
        const double none = moment_left(theta, mu, 0), alpha = -none / (moment_left(theta, mu, 1) - none);
        assert_rests(ladder(SCHEMES[i], theta, 1.03 * limit), "ladder");
        /* theta moves by alpha dt^2/2 < 1e-6, and angles of 1 change accelerations by less than 10 g */
        assert_begins(ladder(SCHEMES[i], theta, mu), "b.phi_dot", -alpha, 1e-4, "ladder");
    }
}

/* ---------------------------------------------------------------- arch of three stones
 * A keystone, weight w, between two stones, weight W: faces at the angle a to the vertical with friction tan(phi),
 * floor with friction mu. The stones are pushed apart by (w/2) cot(a + phi) at least: the limit is mu (W + w/2).
 * Beyond, the keystone falls with b, and with q = cot(a + phi) - mu: b = (w/2 q - mu W)/(M tan(a) + m/2 q), constant.
 */
static trial arch(const char *scheme, double mu) {
    return trial_text(
        "carom: 1\nparameters: {m: 1, M: 2, a: 0.3, c: cos(a), s: sin(a), mu: %.17g, f: tan(0.4)}\nmodel:\n"
        "  coordinates: {x: {}, y: {}, xl: {}, yl: {}, xr: {}, yr: {}}\n"
        "  kinetic: m/2*(x_dot^2 + y_dot^2) + M/2*(xl_dot^2 + yl_dot^2 + xr_dot^2 + yr_dot^2)\n"
        "  potential: 9.81*(m*y + M*(yl + yr))\n  contacts:\n"
        "    l: {gap: c*(x - xl) + s*(y - yl), slip: -s*(x_dot - xl_dot) + c*(y_dot - yl_dot), friction: f}\n"
        "    r: {gap: -c*(x - xr) + s*(y - yr), slip: s*(x_dot - xr_dot) + c*(y_dot - yr_dot), friction: f}\n"
        "    fl: {gap: yl, slip: xl_dot, friction: mu}\n    fr: {gap: yr, slip: xr_dot, friction: mu}\n" RUN,
        mu, scheme, 0.1);
}

static void arch_of_three_stones(void **state) {
    (void)state;
    const double m = 1, M = 2, push = 1 / tan(0.3 + 0.4), limit = m / 2 * push / (M + m / 2), mu = 0.97 * limit;
    const double falls = G * (m / 2 * (push - mu) - mu * M) / (M * tan(0.3) + m / 2 * (push - mu));
    for (int i = 0; i < COUNT; i++) {
        assert_rests(arch(SCHEMES[i], 1.03 * limit), "arch");
        assert_begins(arch(SCHEMES[i], mu), "y_dot", -falls, 0, "arch");
    }
}

/* ---------------------------------------------------------------- three logs
 * The upper one rests for mu >= tan(15 deg) between logs and a third of that on the floor. With less between logs and
 * more on the floor the lower ones roll apart, with sqrt(3) b where the upper one falls with b:
 *     N (sqrt(3) + mu) = m (g - b),    N (1/2 - mu (1 + sqrt(3)/2)) = 3/2 m sqrt(3) b. */
static trial logs(const char *scheme, double mu, double table_mu) {
    return trial_text(
        "carom: 1\nparameters: {r: 0.1, mu: %.17g, table: %.17g}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
        "    a: {type: planar, mass: 1, shape: {disk: r}, position: [-r, r]}\n"
        "    b: {type: planar, mass: 1, shape: {disk: r}, position: [r, r]}\n"
        "    c: {type: planar, mass: 1, shape: {disk: r}, position: [0, r + sqrt(3)*r]}\n  contacts:\n"
        "    fa: {between: [a, {body: world, plane: [0, 1]}], friction: table}\n"
        "    fb: {between: [b, {body: world, plane: [0, 1]}], friction: table}\n"
        "    ca: {between: [c, a], friction: mu}\n    cb: {between: [c, b], friction: mu}\n"
        "    ab: {between: [a, b], friction: mu}\n" RUN,
        mu, table_mu, scheme, 0.1);
}

static void three_logs(void **state) {
    (void)state;
    const double limit = tan(PI / 12), mu = 0.97 * limit, root = sqrt(3);
    const double k = (0.5 - mu * (1 + root / 2)) / ((root + mu) * 1.5 * root), falls = G * k / (1 + k);
    for (int i = 0; i < COUNT; i++) {
        assert_rests(logs(SCHEMES[i], 1.03 * limit, 1.03 * limit / 3), "logs");
        /* the logs move by 1e-6 of their radius, 0.1: accelerations change by less than 10 g times that */
        assert_begins(logs(SCHEMES[i], mu, 0.5), "c.y_dot", -falls, 1e-3, "logs");
    }
}

/* ---------------------------------------------------------------- bricks
 * Bricks of length 1 overhang by 1/2, 1/4, 1/6 at most, the top one first; height 0.1. With 0.5 + e for the top one it
 * tips about the edge below, with g e/(inertia about the edge over mass). */
static trial bricks(const char *scheme, double top, double middle, double bottom) {
    return trial_text(
        "carom: 1\nparameters: {d: 0.1, x2: %.17g, x1: x2 + %.17g}\nmodel:\n  gravity: [0, -9.81]\n"
        "  bodies:\n    b1: {type: planar, mass: 1, shape: {box: [1, d]}, position: [x1, 2.5*d]}\n"
        "    b2: {type: planar, mass: 1, shape: {box: [1, d]}, position: [x2, 1.5*d]}\n"
        "    b3: {type: planar, mass: 1, shape: {box: [1, d]}, position: [0, 0.5*d]}\n  contacts:\n"
        "    t1: {between: [{body: b1, point: [-0.5, -d/2]}, {body: b2, plane: [0, 1], at: [0, d/2]}], friction: 0.5}\n"
        "    e1: {between: [{body: b2, point: [0.5, d/2]}, {body: b1, plane: [0, -1], at: [0, -d/2]}], friction: 0.5}\n"
        "    t2: {between: [{body: b2, point: [-0.5, -d/2]}, {body: b3, plane: [0, 1], at: [0, d/2]}], friction: 0.5}\n"
        "    e2: {between: [{body: b3, point: [0.5, d/2]}, {body: b2, plane: [0, -1], at: [0, -d/2]}], friction: 0.5}\n"
        "    t3: {between: [{body: b3, point: [-0.5, -d/2]}, {body: world, plane: [0, 1]}], friction: 0.5}\n"
        "    e3: {between: [{body: b3, point: [0.5 - %.17g, -d/2]}, {body: world, plane: [0, 1]}], friction: "
        "0.5}\n" RUN,
        middle, top, bottom, scheme, 0.1);
}

static void bricks_overhang(void **state) {
    (void)state;
    const double e = 0.03 * 0.5, inertia = (1 + 0.01) / 12 + e * e + 0.0025;
    for (int i = 0; i < COUNT; i++) {
        assert_rests(bricks(SCHEMES[i], 0.97 / 2, 0.97 / 4, 0.97 / 6), "bricks");
        /* it turns by 1e-6, which changes its acceleration by 10 g times that */
        assert_begins(bricks(SCHEMES[i], 0.5 + e, 0.1, 0.1), "b1.phi_dot", -G * e / inertia, 1e-4, "bricks");
    }
}

/* ---------------------------------------------------------------- rope over a drum
 * n beads with friction mu over half the drum, weights 1 and W at its ends: with t = tan(pi/(2 n - 2)) the limit of W
 * is k = ((1 + mu t)/(1 - mu t))^(n - 1), e^(mu pi) for many beads. Beyond, a = g (W - k)/(W + k), but for the beads'
 * mass. */
static trial rope(const char *scheme, int n, double mass, double mu, double W) {
    return trial_text(
        "carom: 1\nparameters: {n: %d, mb: %g, mu: %.17g, W: %.17g, R: 0.5}\nmodel:\n  gravity: [0, -9.81]\n"
        "  frames: {drum: {shape: {disk: R}}}\n  bodies:\n"
        "    \"p[i=1..n]\": {type: point, mass: mb, position: [\"-R*cos(pi*(i-1)/(n-1))\", "
        "\"R*sin(pi*(i-1)/(n-1))\"]}\n"
        "    a: {type: point, mass: 1, position: [-R, -1]}\n    b: {type: point, mass: W, position: [R, -1]}\n  "
        "joints:\n"
        "    \"r[i=1..n-1]\": {type: distance, bodies: [\"p[i]\", \"p[i+1]\"]}\n"
        "    ra: {type: distance, bodies: [p1, a]}\n    rb: {type: distance, bodies: [\"p[n]\", b]}\n  contacts:\n"
        "    \"c[i=1..n]\": {between: [{body: \"p[i]\", point: [0, 0]}, drum], friction: mu}\n" RUN,
        n, mass, mu, W, scheme, 0.1);
}

static void rope_over_a_drum(void **state) {
    (void)state;
    const double mu = 0.3;
    double off = INFINITY;
    for (int n = 3; n <= 12; n *= 2) {
        const double t = mu * tan(PI / (2 * n - 2)), k = pow((1 + t) / (1 - t), n - 1), W = 1.03 * k;
        for (int i = 0; i < COUNT; i++) {
            assert_rests(rope(SCHEMES[i], n, 1e-4, mu, 0.97 * k), "rope");
            /* n beads of 1e-4 count twice in the sum and difference of weights; positions change by 1e-6 */
            assert_begins(rope(SCHEMES[i], n, 1e-4, mu, W), "b.y_dot", -G * (W - k) / (W + k), 2 * n * 1e-4 * G + 1e-4,
                          "rope");
        }
        printf("%d beads: limit %.4f, exp(mu pi) = %.4f\n", n, k, exp(mu * PI));
        assert_at_most(fabs(k - exp(mu * PI)), off / 3); /* second order in the angle, which is halved */
        off = fabs(k - exp(mu * PI));
    }
    assert_rests(rope(SCHEMES[2], 3, 1e-6, mu, 1.5), "light rope");
    assert_rests(rope(SCHEMES[0], 3, 1e-6, mu, 1.5), "light rope");
}

/* ---------------------------------------------------------------- a car in a wedge
 * Wheels that turn freely on a car between two planes at the angle a: no friction, and each plane carries m g/(2
 * cos(a)), whatever mu is. */
static void car_in_a_wedge(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int rough = 0; rough < 2; rough++) {
            trial run =
                trial_text("carom: 1\nparameters: {r: 0.1, L: 0.5, a: 0.5, y: L/2*tan(a) + r/cos(a), mu: %g}\nmodel:\n"
                           "  gravity: [0, -9.81]\n  bodies:\n"
                           "    w1: {type: planar, mass: 1, shape: {disk: r}, position: [-L/2, y]}\n"
                           "    w2: {type: planar, mass: 1, shape: {disk: r}, position: [L/2, y]}\n"
                           "    car: {type: planar, mass: 5, inertia: 0.2, position: [0, y]}\n  joints:\n"
                           "    j1: {type: revolute, bodies: [car, w1], at: [-L/2, y]}\n"
                           "    j2: {type: revolute, bodies: [car, w2], at: [L/2, y]}\n  contacts:\n"
                           "    g1: {between: [w1, {body: world, plane: [sin(a), cos(a)]}], friction: mu}\n"
                           "    g2: {between: [w2, {body: world, plane: [-sin(a), cos(a)]}], friction: mu}\n" RUN,
                           rough ? 0.6 : 0.01, SCHEMES[i], 0.1);
            trial_step(&run);
            /* percussions of 0.04 Ns from velocities solved to 1e-12 */
            assert_near(trial_value(&run, "g1.PN"), 7 * G * 1e-3 / 2 / cos(0.5), still);
            assert_near(trial_value(&run, "g2.PN"), 7 * G * 1e-3 / 2 / cos(0.5), still);
            assert_near(trial_value(&run, "g1.PF"), 0, still);
            assert_rests(run, "car");
        }
}

/* ---------------------------------------------------------------- a chain falls on a table
 * Thirty beads on strings that may be slack. After the last one the table has taken all momentum that gravity gave, and
 * nothing moves, to what steps solved to 1e-12 leave. */
static void chain_on_a_table(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial run = trial_text(
            "carom: 1\nparameters: {n: 30, d: 1/n, m: 1/n}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
            "    \"p[i=1..n]\": {type: point, mass: m, position: [\"1e-3*i\", \"sqrt(d^2-1e-6)*i\"]}\n  joints:\n"
            "    \"r[i=1..n-1]\": {type: distance, bodies: [\"p[i]\", \"p[i+1]\"], limits: [0, d]}\n  contacts:\n"
            "    \"tb[i=1..n]\": {between: [{body: \"p[i]\", point: [0, 0]}, {body: world, plane: [0, 1]}], friction: "
            "0.3}\n"
            "  observe: {down: \"sum(i=1..n, m*p[i].y_dot)\"}\n"
            "run: {integrator: %s, dt: 2e-3, until: 0.5, tolerance: 1e-12}\n",
            SCHEMES[2 * i]);
        double impulse = 0;
        while (!carom_sim_done(run.sim)) {
            char name[16];
            trial_step(&run);
            for (int k = 1; k <= 30; k++) {
                snprintf(name, sizeof name, "tb%d.PN", k);
                assert_at_least(trial_value(&run, name), 0);
                impulse += trial_value(&run, name);
            }
        }
        printf("chain: %ld steps captured, impulse off by %.1e\n", carom_sim_captured(run.sim), impulse - G * 0.5);
        assert_near(trial_value(&run, "down"), 0, still);
        assert_near(impulse, G * 0.5, still);
        assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- load that grows until it moves
 * The plank on level ground is pulled by a force k t: it begins to slide at mu m g/k, and goes (k/m) tau^3/6 in the
 * time tau after that, which lobatto integrates exactly from the break, and rattle to its order. */
static void pulled_plank(void **state) {
    (void)state;
    const double k = 200, m = 2, mu = 0.5, begins = mu * m * G / k, tau = 0.1 - begins;
    for (int i = 0; i < COUNT; i++) {
        trial run = trial_text(
            "carom: 1\nmodel:\n  gravity: [0, -9.81]\n"
            "  bodies: {b: {type: planar, mass: 2, inertia: 0.3, position: [0, 0.1]}}\n  forces: {b.x: 200*t}\n  "
            "contacts:\n"
            "    l: {between: [{body: b, point: [-0.5, -0.1]}, {body: world, plane: [0, 1]}], friction: 0.5}\n"
            "    r: {between: [{body: b, point: [0.3, -0.1]}, {body: world, plane: [0, 1]}], friction: 0.5}\n" RUN,
            SCHEMES[i], 0.1);
        int breaks = 0, count;
        double when = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const carom_event *e = carom_sim_events(run.sim, &count);
            for (int j = 0; j < count; j++, breaks++) {
                assert_int_equal(e[j].kind, CAROM_BREAK);
                when = e[j].time;
            }
        }
        printf("%s: %d breaks, off by %.1e s\n", SCHEMES[i], breaks, when - begins);
        assert_int_equal(breaks, 2);
        /* zero is 100 tolerance/dt = 1e-7 m/s^2 of a slip that begins with k/m = 100 m/s^3 */
        assert_near(when, begins, 1e-7 / 100 * 2);
        assert_near(trial_value(&run, "b.x"), k / m * tau * tau * tau / 6, i < 2 ? k / m * 1e-6 * tau : still);
        assert_int_equal(carom_sim_captured(run.sim) + carom_sim_substeps(run.sim), 0);
        trial_close(&run);
    }
}

/* ---------------------------------------------------------------- what rest costs
 * Counted are evaluations of the velocity functions, which every iteration of every problem needs: located at most
 * twice as many as captured. */
static long evaluations;
static int (*evaluate)(void *, double, const double *, const double *, double *, double *, double *);

static int count_velocity(void *context, double t, const double *q, const double *u, double *s, double *WT,
                          double *s_q) {
    evaluations++;
    return evaluate(context, t, q, u, s, WT, s_q);
}

/* Of 100 steps after the first two, in which forces are found. */
static long cost(trial run) {
    carom_model *m = (carom_model *)carom_scene_model(run.scene);
    evaluate = m->def.velocity;
    m->def.velocity = count_velocity;
    trial_stride(&run);
    trial_stride(&run);
    evaluations = 0;
    for (int step = 0; step < 98; step++) trial_stride(&run);
    trial_close(&run);
    return evaluations;
}

static void rest_costs_at_most_twice(void **state) {
    (void)state;
    static const char *const names[] = {"plank", "table", "ladder", "arch", "logs", "bricks", "rope"};
    const double ladder_mu = 1.03 * tan(20 * PI / 180), arch_mu = 1.03 * 0.5 / tan(0.7) / 2.5,
                 log_mu = 1.03 * tan(PI / 12);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 7; k++) {
            long by[2];
            for (int located = 0; located < 2; located++) {
                const char *scheme = located ? SCHEMES[i] : CAPTURED[i];
                by[located] = cost(k == 0   ? plank(scheme, G, 0.4, 1.03 * tan(0.4))
                                   : k == 1 ? table(scheme, 0.3, 1.03 * tan(0.3))
                                   : k == 2 ? ladder(scheme, 50 * PI / 180, ladder_mu)
                                   : k == 3 ? arch(scheme, arch_mu)
                                   : k == 4 ? logs(scheme, log_mu, log_mu / 3)
                                   : k == 5 ? bricks(scheme, 0.97 / 2, 0.97 / 4, 0.97 / 6)
                                            : rope(scheme, 6, 1e-4, 0.3, 2));
            }
            printf("%s by %s: %ld evaluations captured, %ld located, ratio %.2f\n", names[k], CAPTURED[i], by[0], by[1],
                   (double)by[1] / (double)by[0]);
            assert_at_most((double)by[1], 2. * (double)by[0]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plank_on_a_slope), cmocka_unit_test(table_on_a_slope),
        cmocka_unit_test(ladder_at_a_wall), cmocka_unit_test(arch_of_three_stones),
        cmocka_unit_test(three_logs),       cmocka_unit_test(bricks_overhang),
        cmocka_unit_test(rope_over_a_drum), cmocka_unit_test(chain_on_a_table),
        cmocka_unit_test(pulled_plank),     cmocka_unit_test(rest_costs_at_most_twice),
        cmocka_unit_test(weak_gravity),     cmocka_unit_test(car_in_a_wedge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
