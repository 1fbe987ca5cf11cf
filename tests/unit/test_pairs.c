/* Contacts between bodies and rolling, as scenes: against closed forms, conserved quantities and formulas. */
#include "scene/drawing.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* run: "integrator: lobatto, events: locate, dt: 1e-2, until: 1"; tolerance 1e-13 */
static trial open_text(const char *text, const char *run_keys) {
    trial run = {0}, simulated = {0};
    carom_error error = {0};
    char all[4096];
    snprintf(all, sizeof all, "carom: 1\n%s\nrun: {%s, tolerance: 1e-13}\n", text, run_keys);
    if (scene_load_text(all, strlen(all), "test.yaml", NULL, &run.scene, &error)) fail_msg("%s", error.message);
    if (scene_validate_start(run.scene, &error)) fail_msg("%s", error.message);
    simulated.scene = run.scene;
    if (carom_sim_create(carom_scene_model(run.scene), carom_scene_run(run.scene), &simulated.sim, &error))
        fail_msg("%s", error.message);
    simulated.row = calloc((size_t)carom_sim_columns(simulated.sim), sizeof(double));
    assert_non_null(simulated.row);
    assert_int_equal(carom_sim_row(simulated.sim, simulated.row, &error), CAROM_OK);
    return simulated;
}

static double of(const trial *run, const char *name, const char *part) {
    char column[64];
    snprintf(column, sizeof column, "%s.%s", name, part);
    return trial_value(run, column);
}

static void vector(const trial *run, const char *name, const char *const parts[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = of(run, name, parts[i]);
}

static const char *const position[] = {"x", "y", "z"}, *const velocity[] = {"x_dot", "y_dot", "z_dot"};

#define PLANE "{body: world, plane: [0, 0, 1]}"

/* ---- free collisions */

/* Of spheres the inertia is a number: the angular momentum in the world is r x m v + J A w, A by the quaternion. */
static void add_momentum(const trial *run, const char *name, double m, double J, double momentum[6]) {
    static const char *const quaternion[] = {"p0", "p1", "p2", "p3"}, *const turn[] = {"wx", "wy", "wz"};
    double r[3], v[3], w[3], p[4], spin[3], norm = 0;
    vector(run, name, position, r), vector(run, name, velocity, v), vector(run, name, turn, w);
    for (int i = 0; i < 4; i++) p[i] = of(run, name, quaternion[i]), norm += p[i] * p[i];
    double wv = p[1] * w[0] + p[2] * w[1] + p[3] * w[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double cross = p[1 + j] * w[k] - p[1 + k] * w[j];
        spin[i] = ((2 * p[0] * p[0] - norm) * w[i] + 2 * wv * p[1 + i] + 2 * p[0] * cross) / norm;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        momentum[i] += m * v[i];
        momentum[3 + i] += m * (r[j] * v[k] - r[k] * v[j]) + J * spin[i];
    }
}

#define SPHERES                                                                                                        \
    "model:\n"                                                                                                         \
    "  bodies:\n"                                                                                                      \
    "    a: {type: spatial, mass: 2, inertia: [0.008, 0.008, 0.008], position: [-0.5, 0.03, 0.02], "                   \
    "velocity: [2, 0.1, 0], angular_velocity: [3, -5, 20], rotation: [1, 0.2, 0.3, -0.4], shape: {sphere: 0.1}}\n"     \
    "    b: {type: spatial, mass: 1, inertia: [0.016, 0.016, 0.016], position: [0.3, 0, 0], "                          \
    "velocity: [-1, 0, 0.2], angular_velocity: [-10, 0, 6], shape: {sphere: 0.2}}\n"                                   \
    "  contacts: {bump: {between: [a, b], friction: %g, restitution: %g}}\n"

static void collisions_keep_momentum(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, SPHERES, 0.3, 0.5);
    /* Stages inside a step see other attitudes: lobatto keeps the moment of percussions where it locates them. */
    const char *const runs[] = {"integrator: moreau, dt: 1e-2, until: 0.4", "integrator: rattle, dt: 1e-2, until: 0.4",
                                "integrator: lobatto, events: locate, dt: 1e-2, until: 0.4"};
    for (int k = 0; k < 3; k++) {
        trial run = open_text(text, runs[k]);
        double before[6] = {0}, after[6] = {0}, spin = of(&run, "a", "wz"), energy = trial_value(&run, "E");
        add_momentum(&run, "a", 2, 0.008, before), add_momentum(&run, "b", 1, 0.016, before);
        trial_finish(&run);
        add_momentum(&run, "a", 2, 0.008, after), add_momentum(&run, "b", 1, 0.016, after);
        assert_true(fabs(of(&run, "a", "wz") - spin) > 0.1); /* friction did act */
        assert_true(trial_value(&run, "E") < energy - 0.1);
        /* rounding, and the tolerance of 1e-13 of a step */
        for (int i = 0; i < 6; i++) assert_near(after[i], before[i], 1e-11);
        trial_close(&run);
    }
}

/* Without friction: at the time t with |d + v t| = r_a + r_b the normal velocities change by (1 + e) times their
 * difference, in the inverse ratio of the masses. */
static void billiards(void **state) {
    (void)state;
    char text[1024];
    const double e = 0.8, d[3] = {-0.8, 0.03, 0.02}, v[3] = {3, 0.1, -0.2}, reach = 0.3;
    snprintf(text, sizeof text, SPHERES, 0.0, e);
    trial run = open_text(text, "integrator: lobatto, events: locate, dt: 1e-2, until: 0.4");
    double vv = 0, dv = 0, dd = 0, n[3], vn = 0, expected[3];
    for (int i = 0; i < 3; i++) vv += v[i] * v[i], dv += d[i] * v[i], dd += d[i] * d[i];
    double t = (-dv - sqrt(dv * dv - vv * (dd - reach * reach))) / vv;
    for (int i = 0; i < 3; i++) n[i] = (d[i] + v[i] * t) / reach, vn += n[i] * v[i];
    trial_finish(&run);
    double va[3], vb[3], ra[3];
    vector(&run, "a", velocity, va), vector(&run, "b", velocity, vb), vector(&run, "a", position, ra);
    const double start[3] = {2, 0.1, 0}, other[3] = {-1, 0, 0.2}, from[3] = {-0.5, 0.03, 0.02};
    for (int i = 0; i < 3; i++) {
        /* the event is located to 1e-13 in time, the normal turns by v t/reach */
        expected[i] = start[i] - (1 + e) * vn * n[i] / 3;
        assert_near(va[i], expected[i], 1e-11);
        assert_near(vb[i], other[i] + (1 + e) * vn * n[i] * 2 / 3, 1e-11);
        assert_near(ra[i], from[i] + start[i] * t + expected[i] * (0.4 - t), 1e-11);
    }
    trial_close(&run);
}

/* ---- a ball on a plane */

/* Down a slope without spin at v_0: it slips for t = v_0/(7/2 mu g cos - g sin), then rolls with 5/7 g sin. */
static void a_ball_slips_then_rolls(void **state) {
    (void)state;
    const char *text =
        "parameters: {m: 0.5, R: 0.1, J: 2/5*m*R^2, a: 0.3}\n"
        "model:\n"
        "  gravity: [0, 0, -9.81]\n"
        "  bodies:\n"
        "    ball: {type: spatial, mass: m, inertia: [J, J, J], position: [0.1*sin(a), 0, 0.1*cos(a)], "
        "velocity: [2*cos(a), 0, -2*sin(a)], shape: {sphere: R}}\n"
        "  contacts: {slope: {between: [{body: world, plane: [sin(a), 0, cos(a)]}, ball], friction: 0.4}}\n";
    const double a = 0.3, mu = 0.4, g = 9.81, v0 = 2, until = 1;
    trial run = open_text(text, "integrator: lobatto, events: locate, dt: 1e-2, until: 1");
    double stop = v0 / (3.5 * mu * g * cos(a) - g * sin(a)), found = 0;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        int count;
        const carom_event *events = carom_sim_events(run.sim, &count);
        if (count && !found) found = events[0].time;
        assert_near(of(&run, "slope", "gap"), 0, 1e-12);
    }
    double slide = g * sin(a) - mu * g * cos(a), rolled = until - stop, speed = v0 + slide * stop;
    double way = v0 * stop + slide * stop * stop / 2 + speed * rolled + 5. / 14 * g * sin(a) * rolled * rolled;
    /* What is left of the slip 1e-6 dt before its end is removed at once (V10). It would have been removed anyway: the
     * motions are polynomials, and exact. */
    assert_near(found, stop, 2e-8);
    assert_near(of(&run, "ball", "x"), 0.1 * sin(a) + way * cos(a), 1e-11);
    assert_near(of(&run, "ball", "wy"), (speed + 5. / 7 * g * sin(a) * rolled) / 0.1, 1e-10);
    trial_close(&run);
}

/* Rotation about the normal decays by the torque mu m g 3 pi R/16 alone: linearly, to rest (DC9). */
static void drilling_stops_a_spin(void **state) {
    (void)state;
    const char *text = "model:\n"
                       "  gravity: [0, 0, -10]\n"
                       "  bodies:\n"
                       "    top: {type: spatial, mass: 2, inertia: [1, 1, 0.05], position: [0, 0, 0.1], "
                       "angular_velocity: [0, 0, 8], shape: {sphere: 0.1}}\n"
                       "  contacts: {table: {between: [top, " PLANE "], friction: 0.5, drilling: 0.02}}\n";
    trial run = open_text(text, "integrator: rattle, dt: 1e-2, until: 4");
    const double rate = 0.5 * 2 * 10 * 3 * acos(-1) * 0.02 / 16 / 0.05;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        /* rounding and the tolerance of 400 steps */
        assert_near(of(&run, "top", "wz"), fmax(0, 8 - rate * trial_value(&run, "t")), 1e-10);
    }
    assert_true(8 - rate * 4 < 0);
    trial_close(&run);
}

/* ---- planes that move */

/* On a table turning at Omega the velocity of a rolling ball turns at 2/7 Omega: a circle. */
#define TURNTABLE                                                                                                      \
    "parameters: {m: 1, R: 0.05, J: 2/5*m*R^2, rate: 5}\n"                                                             \
    "model:\n"                                                                                                         \
    "  gravity: [0, 0, -10]\n"                                                                                         \
    "  frames: {table: {rotation: {axis: [0, 0, 1], angle: rate*t}, shape: {plane: [0, 0, 1]}}}\n"                     \
    "  bodies:\n"                                                                                                      \
    "    ball: {type: spatial, mass: m, inertia: [J, J, J], position: [0.5, 0, R], velocity: [0, 0.3, 0], "            \
    "angular_velocity: [(rate*0.5 - 0.3)/R, 0, 0], shape: {sphere: R}}\n"

static double off_circle(const char *wheel, double dt, int state) {
    char text[1024], keys[96];
    snprintf(text, sizeof text, TURNTABLE "  %s\n", wheel);
    snprintf(keys, sizeof keys, "integrator: lobatto, stages: 4, dt: %g, until: 2", dt);
    trial run = open_text(text, keys);
    trial_finish(&run);
    double turned = 2. / 7 * 5 * 2, radius = 0.3 / (2. / 7 * 5);
    double x = of(&run, "ball", "x") - 0.5 + radius * (1 - cos(turned)),
           y = of(&run, "ball", "y") - radius * sin(turned);
    assert_near(of(&run, "ball", "z"), 0.05, 1e-12);
    if (state >= 0) assert_int_equal((int)of(&run, "wheel", "state"), state);
    trial_close(&run);
    return sqrt(x * x + y * y);
}

static void a_ball_on_a_turntable(void **state) {
    (void)state;
    const char *const wheels[] = {"rolling: {wheel: {between: [ball, table]}}",
                                  "contacts: {wheel: {between: [ball, table], friction: 0.8}}"};
    for (int k = 0; k < 2; k++) {
        double h[2] = {1e-2, 5e-3}, error[2];
        for (int i = 0; i < 2; i++) error[i] = off_circle(wheels[k], h[i], k ? CAROM_STICK : -1);
        double order = observed_order(2, h, error);
        print_message("%s: off by %g, order %g\n", wheels[k], error[1], order);
        /* 4 stages have order 6; the next power is a tenth of it at 44 rad/s dt = 0.2 */
        assert_near(order, 6, 0.2);
        assert_at_most(error[1], 1e-9);
    }
}

/* A bead on the face of a plate that is free to turn about its centre: J phi' + m r^2 phi' = L, and
 * E = L^2/(2 (J + m r^2)) + m/2 r'^2; the slip along the face is r'. */
static void a_bead_on_a_plate(void **state) {
    (void)state;
    const char *text = "model:\n"
                       "  bodies:\n"
                       "    plate: {type: planar, mass: 1, inertia: 0.3, position: [0, 0], angular_velocity: 2}\n"
                       "    bead: {type: point, mass: 0.5, position: [0.4, 0], velocity: [0.1, 0.8]}\n"
                       "  constraints: {hinge: [plate.x, plate.y]}\n"
                       "  contacts: {face: {between: [{body: bead, point: [0, 0]}, {body: plate, plane: [0, 1]}], "
                       "slips: true}}\n";
    const double m = 0.5, J = 0.3, r0 = 0.4, L = (J + m * r0 * r0) * 2;
    const double E = L * L / (2 * (J + m * r0 * r0)) + m / 2 * 0.1 * 0.1;
    trial run = open_text(text, "integrator: lobatto, stages: 3, dt: 5e-3, until: 1");
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double x = of(&run, "bead", "x"), y = of(&run, "bead", "y"), r = sqrt(x * x + y * y);
        double slip = sqrt(2 / m * (E - L * L / (2 * (J + m * r * r))));
        /* order 4 at dt = 5e-3 with rates of 2: (2 dt)^4 = 1e-8 */
        assert_near(of(&run, "face", "slip"), slip, 1e-8);
        assert_near(of(&run, "plate", "phi_dot"), L / (J + m * r * r), 1e-8);
        assert_near(of(&run, "face", "gap"), 0, 1e-12);
        assert_true(of(&run, "face", "PN") > 0);
    }
    trial_close(&run);
}

/* ---- over the edge of a box */

#define BOX_HALF 0.5
#define EDGE                                                                                                           \
    "model:\n"                                                                                                         \
    "  gravity: [0, 0, -9.81]\n"                                                                                       \
    "  bodies: {ball: {type: spatial, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0.4, 0, 0.1], "              \
    "velocity: [0.5, 0, 0], angular_velocity: [0, %g, 0], shape: {sphere: 0.1}}}\n"                                    \
    "  contacts: {top: {between: [ball, {body: world, box: [1, 2, 0.4], at: [0, 0, -0.2]}], friction: %g}}\n"

/* The distance from the box, whose top is at z = 0, in the plane of x and z. */
static double from_the_box(double x, double z) {
    double beside = fmax(x - BOX_HALF, 0), over = fmax(z, fmax(-0.4 - z, 0));
    return sqrt(beside * beside + over * over);
}

/* It comes with v0 along the top, is led round the edge on a circle, and leaves it: without friction
 * r w^2 = v0^2/r + 2 g (1 - cos), at cos = (2 + v0^2/(g r))/3 where the normal force is zero; then it flies. With
 * friction that holds, the whole ball turns about the edge: 7/5 r w^2 = 7/5 v0^2/r + 2 g (1 - cos). */
static void a_ball_over_an_edge(void **state) {
    (void)state;
    const double g = 9.81, r = 0.1, v0 = 0.5, dt = 2.5e-4, leaves = (2 + v0 * v0 / (g * r)) / 3;
    for (int rolls = 0; rolls < 2; rolls++) {
        char text[1024];
        snprintf(text, sizeof text, EDGE, rolls ? v0 / r : 0, rolls ? 2.0 : 0);
        trial run = open_text(text, "integrator: rattle, dt: 2.5e-4, until: 0.5");
        double left = 0, x1 = 0, z1 = 0, vx = 0, vz = 0, t1 = 0;
        int led = 0, flown = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double x = of(&run, "ball", "x"), z = of(&run, "ball", "z"), t = trial_value(&run, "t");
            double u = of(&run, "ball", "x_dot"), w = of(&run, "ball", "z_dot"), gap = of(&run, "top", "gap");
            assert_near(gap, from_the_box(x, z) - r, 2e-15); /* some roundings of numbers near 1 */
            bool open = of(&run, "top", "PN") == 0;
            double cosine = z / r, speed2 = u * u + w * w;
            if (!open) assert_near(gap, 0, 1e-12);
            if (x < BOX_HALF) assert_near(u, v0, 1e-12);
            /* one step across the edge, where the normal acceleration jumps by v0^2/r: it is off by v0^2/r dt at most,
             * in a velocity of v0; and the errors of order 2 of the circle are smaller. */
            else if (!open && (!rolls || cosine > 0.75)) {
                assert_near(speed2, v0 * v0 + (rolls ? 10. / 7 : 2.) * g * r * (1 - cosine), 2 * v0 * v0 * v0 / r * dt);
                led++;
            }
            if (rolls || !open) continue;
            if (!left) left = cosine, x1 = x, z1 = z, vx = u, vz = w, t1 = t;
            /* gravity alone, which rattle meets to rounding */
            assert_near(x, x1 + vx * (t - t1), 1e-12);
            assert_near(z, z1 + vz * (t - t1) - g / 2 * (t - t1) * (t - t1), 1e-12);
            flown++;
        }
        assert_true(led > 100);
        print_message("%s: %d steps round the edge, left at cos %g\n", rolls ? "rolls" : "slides", led, left);
        /* found at the end of a step; it turns by w = sqrt(g cos/r) = 8.6/s there, and cos falls by w sin = 5.7/s */
        if (!rolls) assert_near(left, leaves, 2 * 5.7 * dt), assert_true(flown > 100);
        trial_close(&run);
    }
}

/* ---- by elements as by formulas */

/* scenes/gallery/rolling_disk.yaml: the disk leans by theta to the left of its heading along x; its axis is the third
 * of the body, which is turned about x by -(pi/2 + theta). */
static void a_rolling_disk(void **state) {
    (void)state;
    const char *text =
        "parameters: {m: 1, R: 0.5, B: m*R^2/4, g: 9.81, lean: 0.35, spin: 5, turn: 1.5}\n"
        "model:\n"
        "  gravity: [0, 0, -g]\n"
        "  bodies:\n"
        "    disk: {type: spatial, mass: m, inertia: [B, B, 2*B], position: [0, 0, R*cos(lean)], "
        "velocity: [R*(spin - turn*sin(lean)), 0, 0], rotation: {axis: [1, 0, 0], angle: -(pi/2 + lean)}, "
        "angular_velocity: [0, -turn*cos(lean), spin - turn*sin(lean)], shape: {disk: R}}\n"
        "  rolling: {wheel: {between: [disk, " PLANE "]}}\n";
    trial disk = open_text(text, "integrator: lobatto, stages: 4, dt: 1e-2, until: 2");
    trial formula = trial_scene("gallery/rolling_disk", "run.stages=4", "run.dt=1e-2", "run.until=2", NULL);
    while (!carom_sim_done(disk.sim)) {
        trial_step(&disk), trial_step(&formula);
        /* order 6 at dt = 1e-2 with rates of 6: (6 dt)^6 = 5e-8, and its constant */
        assert_near(of(&disk, "disk", "x"), trial_value(&formula, "x"), 1e-9);
        assert_near(of(&disk, "disk", "y"), trial_value(&formula, "y"), 1e-9);
        assert_near(of(&disk, "disk", "z"), 0.5 * cos(trial_value(&formula, "theta")), 1e-9);
        assert_near(trial_value(&disk, "E"), trial_value(&formula, "E"), 1e-8);
    }
    trial_close(&disk), trial_close(&formula);
}

/* ---- capsules */

/* One that lies along another one, which is fixed: both ends carry, the weight and no more. */
static void a_capsule_on_a_capsule(void **state) {
    (void)state;
    const char *text =
        "parameters: {R: 0.1}\n"
        "model:\n"
        "  gravity: [0, 0, -10]\n"
        "  bodies:\n"
        "    beam: {type: spatial, mass: 2, inertia: [0.05, 0.05, 0.01], position: [0.05, 0, 2*R], "
        "rotation: {axis: [0, 1, 0], angle: pi/2}, shape: {capsule: {radius: R, length: 0.5}}}\n"
        "  contacts:\n"
        "    pile: {between: [beam, {body: world, capsule: {radius: R, length: 0.5}, axis: [1, 0, 0]}]}\n";
    const double arm[5] = {-0.25, 0.25, -0.3, 0.2,
                           0}; /* from the middle of the beam: its ends, the ends below, itself */
    trial run = open_text(text, "integrator: rattle, dt: 1e-2, until: 0.2");
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double sum = 0, moment = 0;
        for (int i = 1; i <= 5; i++) {
            char name[16];
            snprintf(name, sizeof name, "pile%d", i);
            sum += of(&run, name, "PN");
            moment += of(&run, name, "PN") * arm[i - 1];
        }
        /* rounding */
        assert_near(sum, 2 * 10 * 1e-2, 1e-12);
        assert_near(moment, 0, 1e-12);
        assert_near(of(&run, "beam", "z"), 0.2, 1e-12);
    }
    trial_close(&run);
}

/* ---- disks that fall flat */

#define DISK(position, shape, contact)                                                                                 \
    "model:\n"                                                                                                         \
    "  gravity: [0, 0, -9.81]\n"                                                                                       \
    "  bodies:\n"                                                                                                      \
    "    disk: {type: spatial, mass: 0.4, inertia: [2e-4, 2e-4, 4e-4], " position ", shape: " shape "}\n"              \
    "  contacts: {table: {between: [disk, " PLANE "], " contact "}}\n"
#define LEANING                                                                                                        \
    "position: [0, 0, 0.045*sin(0.1)], rotation: {axis: [1, 0, 0], angle: 0.1}, angular_velocity: [0, 0.3, 1]"

static const char *const schemes[] = {"moreau", "symmetric_moreau", "theta", "rattle", "lobatto",
                                      "nsga",   "generalized_alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const carom_promise *promise_of(const char *name) {
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(carom_integrator(i)->name, name)) return &carom_integrator(i)->promise;
    return NULL;
}

/* With points on its rim the disk comes to lie on the table: at rest, its middle at height 0, nothing of E left, and E
 * never rises on the way. Schemes that keep positions do so to round-off. The others are of first order: E is off by a
 * part of dt in the 34 ms of the fall, and a contact that closes in a step has sunk in by what it moves, dt times
 * at most twice the speed sqrt(2 E/m) of the centre, since the disk turns about its other side. */
static void points_fall_flat(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        const double dt = 1e-3;
        char run_keys[96];
        snprintf(run_keys, sizeof run_keys, "integrator: %s, dt: %g, until: 0.3", schemes[k], dt);
        trial run = open_text(DISK(LEANING, "{disk: 0.045, points: 12}", "friction: 0.3"), run_keys);
        bool exact = promise_of(schemes[k])->positions;
        double least = trial_value(&run, "E"), rise = exact ? 1e-12 : least * dt / 0.034;
        double sunk = exact ? 1e-12 : 2 * sqrt(2 * least / 0.4) * dt;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double energy = trial_value(&run, "E");
            assert_at_most(energy, least + rise);
            least = fmin(least, energy);
            for (int i = 1; i <= 12; i++) {
                char column[16];
                snprintf(column, sizeof column, "table%d.gap", i);
                assert_at_least(trial_value(&run, column), -sunk);
            }
        }
        assert_near(of(&run, "disk", "z"), 0, sunk);
        assert_near(trial_value(&run, "E"), 0, 0.4 * 9.81 * sunk);
        assert_at_most(trial_value(&run, "T"), 1e-20); /* velocities of 1e-10 */
        trial_close(&run);
    }
}

/* A rim that falls almost flat swings through to the other side, the lowest point running half round it within 2 ms.
 * Without friction E is kept. The steps that are divided
 * turn by up to 15 degrees: a scheme of second order misses E by some (15 degrees)^3/12 = 0.15 % in each of the some
 * ten of them, at most by 2 %; far roots, on the other side of the kink, miss it by a factor. */
static void a_rim_swings_through(void **state) {
    (void)state;
    const char *const follows[] = {"rattle", "lobatto"};
    for (int k = 0; k < 2; k++) {
        char run_keys[96];
        snprintf(run_keys, sizeof run_keys, "integrator: %s, dt: 1e-3, until: 0.06", follows[k]);
        trial run = open_text(DISK(LEANING, "{disk: 0.045}", "friction: 0"), run_keys);
        double start = trial_value(&run, "E"), least = 1, end = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_near(trial_value(&run, "E"), start, 0.02 * start);
            assert_at_least(trial_value(&run, "table.gap"), -1e-12);
            least = fmin(least, end = of(&run, "disk", "z"));
        }
        assert_at_most(least, 0.045 * 0.01); /* it was all but flat, and rose again */
        assert_at_least(end, 0.045 * 0.05);
        assert_at_least((double)carom_sim_substeps(run.sim), 1);
        trial_close(&run);
    }
}

/* A rim that lies flat cannot carry: every scheme says so, in the first step. */
static void a_flat_rim_is_refused(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        char run_keys[96];
        carom_error error = {0};
        snprintf(run_keys, sizeof run_keys, "integrator: %s, dt: 1e-3, until: 0.1", schemes[k]);
        trial run = open_text(DISK("position: [0, 0, 0]", "{disk: 0.045}", "friction: 0.3"), run_keys);
        assert_int_equal(carom_sim_step(run.sim, &error), CAROM_FAILED);
        assert_non_null(strstr(error.message, "the rim that touches in 'table' lies flat"));
        assert_non_null(strstr(error.message, "points: 12"));
        assert_int_equal(carom_sim_steps(run.sim), 0);
        trial_close(&run);
    }
}

/* In the air a disk may pass through flat, a hundred degrees in a step. */
static void a_tossed_disk(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        char run_keys[96];
        snprintf(run_keys, sizeof run_keys, "integrator: %s, dt: 1e-2, until: 0.2", schemes[k]);
        trial run = open_text(
            DISK("position: [0, 0, 1], angular_velocity: [170, 0, 0]", "{disk: 0.045}", "friction: 0.3"), run_keys);
        trial_finish(&run);
        assert_int_equal(carom_sim_substeps(run.sim), 0);
        trial_close(&run);
    }
}

/* ---- scenes of the gallery: nothing penetrates, energy falls */

static void gallery_without_penetration(void **state) {
    (void)state;
    const char *const scenes[] = {"gallery/marbles", "gallery/dice", "gallery/capsules", "gallery/coin",
                                  "gallery/catapult"};
    for (int k = 0; k < 5; k++) {
        trial run = trial_scene(scenes[k], "run.until=0.4", NULL);
        double energy = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            for (int i = 0; i < carom_sim_columns(run.sim); i++) {
                const char *dot = strrchr(carom_sim_column_name(run.sim, i), '.');
                if (dot && !strcmp(dot, ".gap")) assert_at_least(run.row[i], -1e-12);
            }
        }
        assert_true(trial_value(&run, "E") < energy);
        trial_close(&run);
    }
}

/* The arm rests at the wall: moments of motors, weights, the wall and the stop of the elbow, about both joints. */
static void the_arm_leans_in_equilibrium(void **state) {
    (void)state;
    const double g = 9.81, dt = 1e-3, wall = 0.8, m1 = 3, m2 = 2;
    trial run = trial_scene("gallery/robot_arm", NULL);
    while (!carom_sim_done(run.sim)) trial_step(&run);
    double a1 = trial_value(&run, "shoulder_angle"), a2 = trial_value(&run, "elbow_angle");
    double x1 = of(&run, "upper", "x"), x2 = of(&run, "fore", "x"), xe = 2 * x1, ye = 2 * of(&run, "upper", "y");
    double yh = 2 * of(&run, "fore", "y") - ye; /* the hand, as far from the middle of the fore arm as the elbow */
    double Fx = -of(&run, "hand", "PN") / dt, Fy = of(&run, "hand", "PF") / dt, stop = of(&run, "elbow_low", "PN") / dt;
    double torque1 = 150 * (0 - a1), torque2 = 50 * (0.3 - a2); /* what the motors hold with at rest */
    assert_near(a2, 0.5, 1e-12);
    assert_true(Fx < -100 && stop > 1);
    /* the step problem is solved to velocities of 1e-10, which are forces of 1e-10 m/dt = 3e-7 with arms below 1 */
    assert_near(torque1 - g * (m1 * x1 + m2 * x2) + wall * Fy - yh * Fx, 0, 1e-6);
    assert_near(torque2 + stop - g * m2 * (x2 - xe) + (wall - xe) * Fy - (yh - ye) * Fx, 0, 1e-6);
    trial_close(&run);
}

/* ---- names */

/* Twelve points of eleven coins: "table111" could be the eleventh of the first or the first of the eleventh. */
static void points_of_a_family(void **state) {
    (void)state;
    trial run = open_text("model:\n  bodies:\n"
                          "    coin[i=1..11]: {type: spatial, mass: 1, shape: {disk: 0.1, points: 12},"
                          " position: [i, 0, 0.1]}\n"
                          "  contacts:\n    table[i=1..11]: {between: ['coin[i]', " PLANE "]}\n"
                          "    step[k=1..2]: {between: [coin1, {body: world, plane: [0, 0, 1], at: [0, 0, -k]}]}\n"
                          "    coin[i=1..2].wall: {between: ['coin[i]', {body: world, plane: [1, 0, 0]}]}\n",
                          "integrator: rattle, dt: 1e-2, until: 1");
    const carom_model_def *d = carom_model_get(carom_scene_model(run.scene));
    assert_int_equal(d->contacts, (11 + 2 + 2) * 12);
    assert_string_equal(d->contact[10].name, "coin1.table11");
    assert_string_equal(d->contact[120].name, "coin11.table1");
    assert_string_equal(d->contact[132 + 11].name, "step1_12");
    assert_string_equal(d->contact[156 + 23].name, "coin2.wall12");
    assert_string_equal(carom_scene_unit(run.scene, "coin11.table1.gap_dot"), "m/s");
    trial_close(&run);
}

/* ---- pictures */

/* A plane that is written into the contacts of several bodies is drawn, once. */
static void plane_is_drawn(void **state) {
    (void)state;
    trial run = open_text("model:\n  bodies:\n"
                          "    ball[i=1..3]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [i, 0, 0.1]}\n"
                          "  contacts:\n    table[i=1..3]: {between: ['ball[i]', " PLANE "]}\n"
                          "    wall: {between: [ball1, {body: world, plane: [1, 0, 0]}]}\n",
                          "integrator: rattle, dt: 1e-2, until: 1");
    const drawing *picture = run.scene->drawing;
    int planes = 0, bodies = 0;
    for (int i = 0; i < picture->things; i++) {
        bool solid = picture->thing[i].kind == DRAWN_BODY;
        bodies += solid, planes += solid && picture->thing[i].shape->kind == SHAPE_PLANE;
    }
    assert_int_equal(planes, 2);
    assert_int_equal(bodies, 5);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_momentum),
        cmocka_unit_test(billiards),
        cmocka_unit_test(a_ball_slips_then_rolls),
        cmocka_unit_test(drilling_stops_a_spin),
        cmocka_unit_test(a_ball_on_a_turntable),
        cmocka_unit_test(a_bead_on_a_plate),
        cmocka_unit_test(a_ball_over_an_edge),
        cmocka_unit_test(a_rolling_disk),
        cmocka_unit_test(a_capsule_on_a_capsule),
        cmocka_unit_test(points_fall_flat),
        cmocka_unit_test(a_rim_swings_through),
        cmocka_unit_test(a_flat_rim_is_refused),
        cmocka_unit_test(a_tossed_disk),
        cmocka_unit_test(gallery_without_penetration),
        cmocka_unit_test(the_arm_leans_in_equilibrium),
        cmocka_unit_test(points_of_a_family),
        cmocka_unit_test(plane_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
