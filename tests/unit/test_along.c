/* Contacts of beams between their nodes (docs/theory/elements.md, (DA1) to (DA8)). */
#include "modes/modes.h"
#include "support/rk4.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- derivatives */

#define SOFT "stiffness: [2, 2, 2, 200, 100, 100], mass_per_length: 0.3, inertia_per_length: [2e-3, 1e-3, 1e-3]"
#define RUN "run: {integrator: rattle, dt: 1e-3, until: 0.1}\n"

static void agrees(const char *text) {
    carom_finding found[1];
    trial run = trial_text("%s", text);
    if (carom_model_check(carom_scene_model(run.scene), found, 1)) fail_msg("%s", found[0].text);
    trial_close(&run);
}

/* Every derivative against differences, at and around the start: on a curve, off the nodes, with friction and a thick
 * beam that turns; against a sphere that moves, a capsule in space that is crossed askew, and a plane. */
static void derivatives_agree(void **state) {
    (void)state;
    agrees(
        "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: 5, curve: [2*s, 0.3*s*(1 - s)], velocity: [1, "
        "0.2], angular_velocity: 0.4, " SOFT "}}\n"
        "  bodies: {ball: {type: planar, mass: 1, shape: {disk: 0.1}, position: [0.7, -0.2], velocity: [0.1, 0.3], "
        "angular_velocity: 2}}\n"
        "  contacts: {post: {between: [{beam: arm, radius: 0.01}, {body: ball, sphere: 0.1}], friction: 0.3}}\n" RUN);
    agrees(
        "carom: 1\nmodel:\n  beams: {arm: {type: spatial, elements: 4, curve: [2*s, 0.3*s*(1 - s), 0.2*s^2], "
        "velocity: [1, 0.2, -0.3], angular_velocity: [0.4, 1, 0.2], " SOFT "}}\n"
        "  contacts:\n    post: {between: [{body: world, capsule: {radius: 0.05, length: 1}, axis: [0.3, 1, 0.1], at: "
        "[0.8, 0, -0.2]}, {beam: arm, radius: 0.02}], friction: 0.3, drilling: 0.01}\n"
        "    table: {between: [{beam: arm, radius: 0.02, points: 3}, {body: world, plane: [0, 0, 1], at: [0, 0, "
        "-0.5]}], friction: 0.2}\n" RUN);
}

/* ---------------------------------------------------------------- where it touches */

/* The natural cubic spline through y_0 .. y_n at s in units of elements, by its second derivatives m: independent of
 * carom's weights. */
static double spline(int n, const double *y, double s) {
    double m[40] = {0}, c[40] = {0};
    for (int i = 1; i < n; i++) {
        const double p = 4 - c[i - 1];
        c[i] = 1 / p, m[i] = (6 * (y[i + 1] - 2 * y[i] + y[i - 1]) - m[i - 1]) / p;
    }
    for (int i = n - 1; i > 0; i--) m[i] -= c[i] * m[i + 1];
    const int k = s >= n ? n - 1 : s < 0 ? 0 : (int)s;
    const double a = k + 1 - s, b = s - k;
    return a * y[k] + b * y[k + 1] + ((a * a * a - a) * m[k] + (b * b * b - b) * m[k + 1]) / 6;
}

static double distance_at(const trial *run, int n, double s) {
    double x[40], y[40];
    char name[16];
    for (int k = 0; k <= n; k++) {
        snprintf(name, sizeof name, "arm%d.x", k + 1), x[k] = trial_value(run, name);
        snprintf(name, sizeof name, "arm%d.y", k + 1), y[k] = trial_value(run, name);
    }
    return hypot(spline(n, x, s), spline(n, y, s));
}

/* The least distance from the origin: looked for at many places, then by golden section to 1e-9 of an element, where
 * the distance is off by the square of that. */
static double least_distance(const trial *run, int n) {
    double best = 0, low, high, r = (sqrt(5) - 1) / 2;
    for (int i = 0; i <= 50 * n; i++)
        if (distance_at(run, n, i / 50.) < distance_at(run, n, best)) best = i / 50.;
    low = fmax(0, best - 0.02), high = fmin(n, best + 0.02);
    while (high - low > 1e-9) {
        const double a = high - r * (high - low), b = low + r * (high - low);
        if (distance_at(run, n, a) < distance_at(run, n, b)) high = b;
        else low = a;
    }
    return distance_at(run, n, (low + high) / 2);
}

/* A beam is thrown onto a post, strikes it, slides across nodes and whips up; another one flies over it, past its end:
 * the gap is that of the nearest point of the whole beam at all times. After a step s is off by the square of what it
 * was off before, O(dt^2), and the gap by the square of that: 1e-9 is far above. */
#define THROWN                                                                                                         \
    "carom: 1\nmodel:\n  gravity: [0, -9.81]\n  beams: {arm: {type: planar, elements: 8, from: [-1.6, 0.08], to: "     \
    "[0.4, 0.12], velocity: [%s], " SOFT "}}\n  contacts: {post: {between: [{beam: arm, radius: 0.01}, {body: world, " \
    "sphere: 0.05}], restitution: %s}}\nrun: {integrator: %s, dt: 1e-3, until: %s}\n"

static void gap_is_the_least(void **state) {
    (void)state;
    for (int over = 0; over < 2; over++) {
        trial run = trial_text(THROWN, over ? "9, 3" : "4, 0", "0.2", "rattle", "0.3");
        bool touched = false;
        for (int i = 0; !carom_sim_done(run.sim); i++) {
            trial_step(&run);
            if (i % 10 == 0) assert_near(trial_value(&run, "post.gap"), least_distance(&run, 8) - 0.06, 1e-9);
            touched = touched || trial_value(&run, "post.PN") > 0;
        }
        assert_int_equal(touched, !over);
        assert_int_equal(trial_value(&run, "post.s") < 0, over); /* it has passed the end */
        trial_close(&run);
    }
}

/* Every integrator that takes contacts: frictionless and elastic, so that all do. At dt = 1e-3 captured impacts are up
 * to a step late, at velocities of order one: 1e-2 of the place of the end. */
static void every_integrator_takes_it(void **state) {
    double reference = NAN;
    (void)state;
    for (int i = 0; i < carom_integrators(); i++) {
        trial run = trial_text(THROWN, "1, 0", "1", carom_integrator(i)->name, "0.14");
        trial_finish(&run);
        const double y = trial_value(&run, "arm9.y");
        printf("%-20s %.9f, gap %.2e\n", carom_integrator(i)->name, y, trial_value(&run, "post.gap"));
        if (isnan(reference)) reference = y;
        assert_near(y, reference, 1e-2);
        trial_close(&run);
    }
}

/* A bow with a radius of 0.125 at its apex falls on a post of 0.2: it would touch on both sides, (DA7). */
static void says_where_one_place_is_not_enough(void **state) {
    carom_error error = {0};
    carom_status status = CAROM_OK;
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, -10]\n  beams: {arm: {type: planar, elements: 12, curve: [s - 0.5, 0.5 - "
        "4*(s - 0.5)^2], " SOFT "}}\n  contacts: {post: {between: [{beam: arm, radius: 0.01}, {body: world, sphere: "
        "0.19, at: [0.013, 0]}]}}\nrun: {integrator: rattle, dt: 1e-3, until: 0.5}\n");
    while (!status && !carom_sim_done(run.sim)) status = carom_sim_step(run.sim, &error);
    assert_int_equal(status, CAROM_FAILED);
    if (!strstr(error.message, "as near in another place")) fail_msg("%s", error.message);
    trial_close(&run);
}

/* ---------------------------------------------------------------- momentum */

/* A beam and a disk in free flight collide, stick and slide: linear and angular momentum stay, to round-off of 300
 * steps with percussions of order one. */
static void momentum_stays(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: 6, from: [-1, 0.2], to: [1, 0.2], velocity: [0.3, "
        "-2], angular_velocity: 1, " SOFT "}}\n"
        "  bodies: {ball: {type: planar, mass: 0.2, shape: {disk: 0.1}, position: [0.31, 0], angular_velocity: 9}}\n"
        "  contacts: {post: {between: [ball, {beam: arm, radius: 0.02}], friction: 0.4, restitution: 0.3}}\n"
        "  symmetries: {px: {translate: [1, 0]}, py: {translate: [0, 1]}, L: {rotate: [0, 0, 1]}}\n"
        "run: {integrator: rattle, dt: 1e-3, until: 0.3}\n");
    static const char *const names[] = {"px", "py", "L"};
    double first[3], most = 0;
    for (int i = 0; i < 3; i++) first[i] = trial_value(&run, names[i]);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        most = fmax(most, trial_value(&run, "post.PN"));
        for (int i = 0; i < 3; i++) assert_near(trial_value(&run, names[i]), first[i], 1e-12);
    }
    assert_at_least(most, 1e-2); /* they did collide */
    trial_close(&run);
}

/* ---------------------------------------------------------------- the elastica */

/* A beam of length 1 and EI 1, held at the origin along x, over a post of radius 0.07 about (0.5, -0.07) without
 * friction, pulled down at its end by 6. At s_c it is pushed by N along its normal, at the angle phi:
 *
 *     theta' = M,   x' = cos(theta),   y' = sin(theta),   M' = -(x' n_y - y' n_x),
 *     n = (0, -6) behind s_c, and (0, -6) + N (-sin(phi), cos(phi)) before it
 *
 * (inextensible, no shear). Unknowns M(0), N, s_c, phi; there M(1) = 0, theta(s_c) = phi, r(s_c) - c = 0.07 times the
 * normal. */
enum { UNKNOWNS = 4 };
static const double LOAD = 6, THICK = 0.07, CENTRE = 0.5;
static double internal[2];

static void bend(double s, const double *y, double *rate) {
    (void)s;
    rate[0] = cos(y[2]), rate[1] = sin(y[2]), rate[2] = y[3];
    rate[3] = -(rate[0] * internal[1] - rate[1] * internal[0]);
}

/* The state (x, y, theta, M) at the end, and what is missed. */
static void shoot(const double z[UNKNOWNS], double y[4], double miss[UNKNOWNS]) {
    const double nx = -sin(z[3]), ny = cos(z[3]);
    y[0] = y[1] = y[2] = 0, y[3] = z[0];
    internal[0] = z[1] * nx, internal[1] = -LOAD + z[1] * ny;
    rk4_run(bend, 4, z[2], 400, y);
    miss[0] = y[2] - z[3], miss[1] = y[0] - CENTRE - THICK * nx, miss[2] = y[1] + THICK - THICK * ny;
    internal[0] = 0, internal[1] = -LOAD;
    rk4_run(bend, 4, 1 - z[2], 400, y);
    miss[3] = y[3];
}

static void eliminate(double A[UNKNOWNS][UNKNOWNS + 1]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        int pivot = k;
        for (int i = k; i < UNKNOWNS; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        for (int j = 0; j <= UNKNOWNS; j++) {
            const double other = A[k][j];
            A[k][j] = A[pivot][j], A[pivot][j] = other;
        }
        for (int i = 0; i < UNKNOWNS; i++)
            for (int j = UNKNOWNS; i != k && j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
}

/* Newton's method with differences; returns x, y of the end, and s_c. */
static void elastica(double end[3]) {
    double z[UNKNOWNS] = {1, 12, 0.52, -0.1}, y[4], miss[UNKNOWNS], other[UNKNOWNS], most = 1;
    for (int n = 0; n < 50 && most > 1e-12; n++) {
        double A[UNKNOWNS][UNKNOWNS + 1];
        shoot(z, y, miss);
        for (int j = 0; j < UNKNOWNS; j++) {
            double w[UNKNOWNS];
            memcpy(w, z, sizeof z);
            w[j] += 1e-7;
            shoot(w, y, other);
            for (int i = 0; i < UNKNOWNS; i++) A[i][j] = (other[i] - miss[i]) / 1e-7, A[i][UNKNOWNS] = -miss[i];
        }
        eliminate(A);
        most = 0;
        for (int j = 0; j < UNKNOWNS; j++) most = fmax(most, fabs(miss[j])), z[j] += A[j][UNKNOWNS] / A[j][j];
    }
    assert_at_most(most, 1e-12);
    shoot(z, y, miss);
    end[0] = y[0], end[1] = y[1], end[2] = z[2];
    printf("elastica: end %.9f %.9f, s_c %.9f, N %.6f\n", y[0], y[1], z[2], z[1]);
}

/* The same beam of n elements at rest, nearly inextensible: damped for a while, then by Newton's method. */
static void beam_at_rest(int n, double end[3]) {
    trial run = trial_text(
        "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: %d, from: [0, 0], to: [1, 0], stiffness: [1, 1, 1, "
        "1e7, 1e7, 1e7], mass_per_length: 1, inertia_per_length: [1e-3, 1e-3, 1e-3], damping: [6, 0.05]}}\n"
        "  joints: {clamp: {type: fixed, bodies: [world, arm1], at: [0, 0]}}\n"
        "  loads: {tip: {body: \"arm%d\", force: [0, -6]}}\n"
        "  contacts: {post: {between: [{beam: arm, radius: 0.02}, {body: world, sphere: 0.05, at: [0.5, -0.07]}]}}\n"
        "run: {integrator: nsga, rho_inf: 0, dt: 0.02, until: 4}\n",
        n, n + 1);
    carom_error error;
    modes_answer rest;
    trial_finish(&run);
    const carom_model *m = carom_sim_model(run.sim);
    if (modes_find(m, 0, carom_sim_q(run.sim), 1, &rest, &error)) fail_msg("%s", error.message);
    const int last = 3 * n, s = carom_model_get(m)->nq - 1;
    assert_int_equal(rest.at.contact[0], CAROM_SLIP);
    end[0] = rest.at.q[last], end[1] = rest.at.q[last + 1], end[2] = rest.at.q[s];
    modes_free(&rest);
    trial_close(&run);
}

/* (DB12) says second order for the beam itself; the spline is better than that. */
static void rests_as_the_elastica(void **state) {
    double exact[3], end[3], h[3], error[3];
    (void)state;
    elastica(exact);
    for (int i = 0; i < 3; i++) {
        const int n = 5 << i;
        beam_at_rest(n, end);
        h[i] = 1. / n, error[i] = hypot(end[0] - exact[0], end[1] - exact[1]);
        printf("%2d elements: end off by %.3e, s_c by %.3e\n", n, error[i], fabs(end[2] - exact[2]));
        assert_at_most(fabs(end[2] - exact[2]), h[i] * h[i] / 4);
    }
    assert_near(observed_order(3, h, error), 2, 0.15);
    assert_at_most(error[2], 1.2 * h[2] * h[2]);
}

/* ---------------------------------------------------------------- sliding */

/* A soft beam slides over two posts, across nodes of both, without friction and with elastic impacts. The energy stays,
 * and the motion is that of small steps, up to the error of the scheme: crossing nodes costs no order, since they are
 * located. */
#define TWO_POSTS(law)                                                                                                 \
    "  contacts:\n    left: {between: [{beam: arm, radius: 0.01}, {body: world, sphere: 0.05, at: [-0.4, "             \
    "-0.06]}], " law                                                                                                   \
    "}\n    right: {between: [{beam: arm, radius: 0.01}, {body: world, sphere: 0.05, at: [0.4, -0.06]}], " law "}\n"

typedef struct slide {
    double energy, x, y, far; /* change of E; an end of the beam; how many elements the post has passed */
} slide;

static slide slide_on_posts(const char *integrator, double dt) {
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, -1]\n  beams: {arm: {type: planar, elements: 8, from: [-1, 0], to: [1, 0], "
        "velocity: [-1, 0], stiffness: [1, 1, 1, 40, 20, 20], mass_per_length: 1, inertia_per_length: [0.02, 0.02, "
        "0.02]}}\n" TWO_POSTS("restitution: 1") "run: {integrator: %s, events: locate, dt: %.17g, until: 0.48, "
                                                "tolerance: 1e-13}\n",
        integrator, dt);
    slide s = {trial_value(&run, "E"), 0, 0, 8 * trial_value(&run, "left.s")};
    trial_finish(&run);
    s.energy = trial_value(&run, "E") - s.energy, s.far = fabs(8 * trial_value(&run, "left.s") - s.far);
    s.x = trial_value(&run, "arm1.x"), s.y = trial_value(&run, "arm1.y");
    trial_close(&run);
    return s;
}

static void keeps_order(const char *integrator, double dt, const slide *exact, double order) {
    double h[3], error[3], energy[3];
    for (int i = 0; i < 3; i++) {
        const slide s = slide_on_posts(integrator, h[i] = dt / (1 << i));
        error[i] = hypot(s.x - exact->x, s.y - exact->y), energy[i] = fabs(s.energy);
        printf("%-8s dt %g: end off by %.3e, energy changes by %.3e\n", integrator, h[i], error[i], energy[i]);
        assert_at_most(energy[i], 10 * error[i] + 1e-12);
    }
    assert_at_least(observed_order(3, h, error), order - 0.3);
}

static void slides_without_loss(void **state) {
    const slide exact = slide_on_posts("lobatto", 1e-3);
    (void)state;
    assert_at_least(exact.far, 1.5);
    assert_at_most(fabs(exact.energy), 1e-11);
    keeps_order("lobatto", 0.03, &exact, 4);
    keeps_order("rattle", 0.004, &exact, 2);
}

/* ---------------------------------------------------------------- friction */

/* A stiff beam slides over two posts, which carry its weight together: its friction is mu m g whichever carries how
 * much, and it stops after v/(mu g), at v^2/(2 mu g). Shear tilts it
 * at the posts by up to w l/GA = 1e-5, and bending by less: they push along it with up to 1e-5 m g, 4e-5 of friction.
 * dt is below the limit of stability of lobatto, 2.48e-4: above it, round-off grows into vibrations that open the
 * posts.
 */
static void friction_stops_it(void **state) {
    const double mu = 0.25, g = 10, v = 1;
    double stop = NAN;
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, -10]\n  beams: {arm: {type: planar, elements: 8, from: [-1, 0], to: [1, 0], "
        "velocity: [1, 0], stiffness: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6], mass_per_length: 1, inertia_per_length: [1, 1, "
        "1], damping: [0, 1e-2]}}\n" TWO_POSTS("friction: 0.25") "run: {integrator: lobatto, stages: 2, events: "
                                                                 "locate, dt: 2.4e-4, until: 0.45}\n");
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count; i++)
            if (event[i].kind == CAROM_STOP && isnan(stop)) stop = event[i].time;
    }
    printf("stops at %.9f, exactly %.9f; at %.9f, exactly %.9f\n", stop, v / (mu * g), trial_value(&run, "arm1.x") + 1,
           v * v / (2 * mu * g));
    assert_near(stop, v / (mu * g), 4e-5 * v / (mu * g));
    assert_near(trial_value(&run, "arm1.x") + 1, v * v / (2 * mu * g), 4e-5 * v * v / (2 * mu * g));
    assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_STICK);
    trial_close(&run);
}

/* ---------------------------------------------------------------- planes */

/* A beam comes to rest on a floor, which carries it at its points, ends and between nodes: 10 N per metre. */
static void lies_on_a_plane(void **state) {
    double sum = 0;
    char name[16];
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, -10]\n  beams: {arm: {type: planar, elements: 4, from: [-1, 0.05], to: [1, "
        "0.07], stiffness: [5, 5, 5, 500, 500, 500], mass_per_length: 1, inertia_per_length: [0.01, 0.01, 0.01], "
        "damping: [2, 0.01]}}\n"
        "  contacts: {floor: {between: [{beam: arm, radius: 0.02, points: 2}, {body: world, plane: [0, 1]}], friction: "
        "0.3}}\nrun: {integrator: rattle, dt: 1e-3, until: 3}\n");
    trial_finish(&run);
    for (int i = 1; i <= 9; i++) {
        snprintf(name, sizeof name, "floor%d.PN", i), sum += trial_value(&run, name) / 1e-3;
        snprintf(name, sizeof name, "floor%d.gap", i), assert_at_least(trial_value(&run, name), -1e-12);
    }
    assert_near(sum, 10 * hypot(2, 0.02), 1e-6);
    trial_close(&run);
}

/* ---------------------------------------------------------------- what is refused */

static void refuses_what_it_cannot(void **state) {
#define TOUCH(text)                                                                                                    \
    "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: 2, from: [0, 0], to: [1, 0], " SOFT "}}\n"              \
    "  contacts: {post: {" text "}}\nrun: {integrator: rattle, dt: 0.1, until: 1}\n"
    (void)state;
    trial_refused("there is no beam 'arn'", NULL, TOUCH("between: [{beam: arn}, {body: world, sphere: 0.1}]"));
    trial_refused("not a box", NULL, TOUCH("between: [{beam: arm}, {body: world, box: [1, 1]}]"));
    trial_refused("give the beam or the point a radius", NULL,
                  TOUCH("between: [{beam: arm}, {body: world, point: [0, -1]}]"));
    trial_refused("two beams do not touch", NULL, TOUCH("between: [{beam: arm}, {beam: arm}]"));
    trial_refused("is a node of the beam", NULL, TOUCH("between: [{beam: arm}, {body: arm2, sphere: 0.1}]"));
    trial_refused("radius", NULL, TOUCH("between: [{beam: arm, radius: -1}, {body: world, sphere: 0.1}]"));
    trial_refused("whole number", NULL, TOUCH("between: [{beam: arm, points: 0.5}, {body: world, plane: [0, 1]}]"));
    trial_refused("take fewer", NULL, TOUCH("between: [{beam: arm, points: 500}, {body: world, plane: [0, 1]}]"));
    trial_refused("has no 'grain'", NULL,
                  TOUCH("between: [{beam: arm}, {body: world, sphere: 0.1}], friction: 0.1, grain: [1, 0, 0]"));
    trial_refused("no belt", NULL,
                  TOUCH("between: [{body: world, sphere: 0.1}, {beam: arm}], friction: 0.1, belt: [1, 0]"));
    trial_refused("beams do not roll", NULL,
                  "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: 2, from: [0, 0], to: [1, 0], " SOFT "}}\n"
                  "  rolling: {post: {between: [{beam: arm}, {body: world, sphere: 0.1}]}}\n" RUN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_agree),
                                       cmocka_unit_test(gap_is_the_least),
                                       cmocka_unit_test(every_integrator_takes_it),
                                       cmocka_unit_test(says_where_one_place_is_not_enough),
                                       cmocka_unit_test(momentum_stays),
                                       cmocka_unit_test(rests_as_the_elastica),
                                       cmocka_unit_test(slides_without_loss),
                                       cmocka_unit_test(friction_stops_it),
                                       cmocka_unit_test(lies_on_a_plane),
                                       cmocka_unit_test(refuses_what_it_cannot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
