/* Contacts that are found, as scenes: against the same contacts written out, conserved quantities, towers at rest,
 * bullets, checkpoints, and scenes that are refused. */
#include "model/found/search.h"
#include "scene/scene.h"
#include "support/campaign.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"

/* ---- against contacts between pairs */

#define MARBLES                                                                                                        \
    "carom: 1\nparameters: {R: 0.008}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"                                  \
    "    cue: {type: spatial, mass: 0.02, shape: {sphere: R}, position: [-0.06, 0.004, 1.5*R], "                       \
    "velocity: [0.6, 0, 0], angular_velocity: [0, 0, 60]}\n"                                                           \
    "    marble[i=1..3]: {type: spatial, mass: 0.02, shape: {sphere: R}, position: [2.2*R*(i-1), 0.002*(-1)^i, R]}\n"  \
    "  contacts:\n"
#define LAW "friction: 0.2, restitution: 0.47}\n"
#define RUN "run: {integrator: %s, dt: %g, until: 0.5, tolerance: 1e-12}\n"

static const char *const quantities[] = {"cue.x",      "cue.wy",        "marble1.x", "marble2.y",
                                         "marble3.wx", "work.friction", "E"};

/* The largest difference at the end. */
static double difference(const char *integrator, double dt) {
    trial written = trial_text(MARBLES "    table[i=1..3]: {between: [\"marble[i]\", " FLOOR "], " LAW
                                       "    cue_table: {between: [cue, " FLOOR "], " LAW
                                       "    shot[i=1..3]: {between: [cue, \"marble[i]\"], " LAW
                                       "    bump[i=1..2]: {between: [\"marble[i]\", \"marble[i+1]\"], " LAW
                                       "    far: {between: [marble1, marble3], " LAW RUN,
                               integrator, dt);
    trial found = trial_text(MARBLES "    all: {among: [cue, marble, " FLOOR "], " LAW RUN, integrator, dt);
    double most = 0;
    trial_finish(&written), trial_finish(&found);
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        most = fmax(most, fabs(trial_value(&found, quantities[i]) - trial_value(&written, quantities[i])));
    assert_at_most(trial_value(&written, "work.friction"), -1e-4); /* something has happened */
    trial_close(&written), trial_close(&found);
    return most;
}

/* With moreau and its relatives the contacts are the same numbers but for round-off, which the motion of rolling balls
 * does not amplify. The other schemes see slip at several places of a step along tangents, which differ between the two
 * by what the normal turns in a step: the difference goes down with dt as the error of impacts does, which is of first
 * order. With theta it is in the account of work alone, with nsga in the correction of positions alone, which is small
 * of second order: less than dt times what positions change by. */
static void test_same_as_written(void **state) {
    (void)state;
    static const char *const same[] = {"moreau", "symmetric_moreau", "variational_moreau"}, *const alike[] = {
                                                                                                "rattle", "lobatto",
                                                                                                "generalized_alpha",
                                                                                                "theta"};
    for (int i = 0; i < 3; i++) assert_at_most(difference(same[i], 1e-3), 1e-9);
    for (int i = 0; i < 4; i++) assert_at_most(difference(alike[i], 2.5e-4), difference(alike[i], 1e-3) / 2);
    assert_at_most(difference("theta", 1e-3), 1e-8);
    assert_at_most(difference("nsga", 1e-3), 1e-5);
}

/* ---- a free cloud keeps its momentum */

static double total(const trial *run, const char *part, int bodies) {
    double sum = 0;
    char name[32];
    for (int i = 1; i <= bodies; i++) {
        snprintf(name, sizeof name, "b%d.%s", i, part);
        sum += trial_value(run, name);
    }
    return sum;
}

static void keep_momentum(const char *integrator, const char *solid_of) {
    static const char *const parts[] = {"x_dot", "y_dot", "z_dot"};
    trial run = trial_text("carom: 1\nmodel:\n  bodies:\n"
                           "    b[i=1..8]: {type: spatial, mass: 1, shape: {%s}, position: [0.3*cos(2.4*i), "
                           "0.3*sin(2.4*i), 0.3*i - 1.35], velocity: [-2*cos(2.4*i), -2*sin(2.4*i), 5.4 - 1.2*i], "
                           "angular_velocity: [i, -2, 1]}\n"
                           "  contacts: {cloud: {among: [b], friction: 0.4, restitution: 0.5}}\n"
                           "run: {integrator: %s, dt: 1e-3, until: 0.4, tolerance: 1e-12}\n",
                           solid_of, integrator);
    double before[3], energy = trial_value(&run, "E");
    for (int k = 0; k < 3; k++) before[k] = total(&run, parts[k], 8);
    trial_finish(&run);
    for (int k = 0; k < 3; k++) assert_near(total(&run, parts[k], 8), before[k], 1e-12);
    assert_at_most(trial_value(&run, "E"), energy - 0.1); /* they have met */
    trial_close(&run);
}

static void test_momentum(void **state) {
    (void)state;
    keep_momentum("moreau", "sphere: 0.12");
    keep_momentum("rattle", "sphere: 0.12");
    keep_momentum("symmetric_moreau", "sphere: 0.12");
    keep_momentum("variational_moreau", "box: [0.2, 0.15, 0.1]");
    keep_momentum("theta", "box: [0.2, 0.15, 0.1]");
    keep_momentum("lobatto", "box: [0.2, 0.15, 0.1]");
    keep_momentum("nsga", "box: [0.2, 0.15, 0.1]");
    keep_momentum("generalized_alpha", "box: [0.2, 0.15, 0.1]");
    keep_momentum("moreau", "box: [0.2, 0.15, 0.1]");
    keep_momentum("rattle", "box: [0.2, 0.15, 0.1]");
    keep_momentum("moreau", "capsule: {radius: 0.06, length: 0.15}");
    keep_momentum("moreau", "hull: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2], [-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]");
}

/* ---- what is told of contacts */

/* moreau: M (u_1 - u_0) = h dt + W P, so the percussions that are told are all that changes the momentum of a body, but
 * for gravity; also where a step is taken in parts, and whatever contacts came and went. To the tolerance of rows. */
static void test_percussions(void **state) {
    (void)state;
    enum { BODIES = 6, MOST = 100 };
    const double dt = 4e-3, g = 9.81;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    b[i=1..6]: {type: spatial, mass: 2, shape: {%s}, position: [0.02*(-1)^i, 0.03*sin(i), "
                           "0.15 + 0.25*(i-1)], velocity: [0, 0, -20]}\n"
                           "  contacts: {pile: {among: [b, " FLOOR "], friction: 0.5, restitution: 0.1}}\n"
                           "run: {integrator: moreau, dt: %g, until: 0.2}\n",
                           "box: [0.2, 0.18, 0.15]", dt);
    double before[6 * BODIES], pushed = 0;
    while (!carom_sim_done(run.sim)) {
        carom_found contact[MOST];
        double change[BODIES][3] = {{0}};
        memcpy(before, carom_sim_u(run.sim), sizeof before);
        trial_stride(&run);
        const int count = carom_sim_found(run.sim, contact, MOST);
        assert_true(count <= MOST);
        for (int i = 0; i < count; i++)
            for (int side = 0; side < 2; side++) {
                const char *name = side ? contact[i].second : contact[i].first;
                if (strcmp(name, "world") == 0) continue;
                for (int k = 0; k < 3; k++) change[atoi(name + 1) - 1][k] += (side ? -1 : 1) * contact[i].P[k];
                pushed += contact[i].PN;
            }
        for (int b = 0; b < BODIES; b++)
            for (int k = 0; k < 3; k++)
                assert_near(2 * (carom_sim_u(run.sim)[6 * b + k] - before[6 * b + k]) + (k == 2) * 2 * g * dt,
                            change[b][k], 1e-8);
    }
    assert_at_least(pushed, 10);
    assert_at_least((double)carom_sim_substeps(run.sim), 1); /* steps were taken in parts */
    trial_close(&run);
}

/* ---- towers */

/* Boxes that stand on each other, shifted and turned a little, do not move. rattle: not at all but for the tolerance,
 * which 500 steps add up. moreau closes a gap only once it is passed, and falls by g dt^2 until then. */
static void stand(const char *integrator, double turn, double shift, double bound) {
    trial run = trial_text("carom: 1\nparameters: {a: 0.2}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    b[i=1..3]: {type: spatial, mass: 1, shape: {box: [a, a, a]}, position: [%g*i, 0, "
                           "a*(i - 0.5)], rotation: {axis: [0, 0, 1], angle: %g*i}}\n"
                           "  contacts: {tower: {among: [b, " FLOOR "], friction: 0.5}}\n"
                           "run: {integrator: %s, dt: 1e-3, until: 0.5, tolerance: 1e-12}\n",
                           shift, turn, integrator);
    const double x = trial_value(&run, "b3.x"), z = trial_value(&run, "b3.z"), p = trial_value(&run, "b3.p0");
    trial_finish(&run);
    assert_near(trial_value(&run, "b3.x"), x, bound);
    assert_near(trial_value(&run, "b3.z"), z, bound);
    assert_near(trial_value(&run, "b3.p0"), p, bound);
    trial_close(&run);
}

static void test_towers(void **state) {
    (void)state;
    stand("moreau", 0, 0, 3 * 9.81 * 1e-6);
    stand("rattle", 0, 0, 1e-9);
    stand("rattle", 0.3, 0.01, 1e-9);
    stand("lobatto", 0.3, 0.01, 1e-9);
    stand("nsga", 0.3, 0.01, 1e-9);
    stand("generalized_alpha", 0.3, 0.01, 1e-9);
}

/* ---- grasps */

/* Two fingers press a box with k times the force that holds it, N = k m g/(2 mu). For k > 1 it does not move, up to
 * round-off; for k < 1 it slides with (1 - k) g, which steps of second order follow exactly but for their tolerance,
 * 1e-10 in each of 1000 steps. */
static void test_grasp(void **state) {
    (void)state;
    static const double k[] = {1.03, 0.97};
    for (int i = 0; i < 2; i++) {
        trial run = trial_text("carom: 1\nparameters: {mu: 0.5, g: 9.81, N: %g*g/(2*mu)}\nmodel:\n"
                               "  gravity: [0, 0, -g]\n  bodies:\n"
                               "    box: {type: spatial, mass: 1, shape: {box: [0.1, 0.1, 0.1]}}\n"
                               "    left: {type: spatial, mass: 1, shape: {box: [0.02, 0.06, 0.06]}, "
                               "position: [-0.06, 0, 0]}\n"
                               "    right: {type: spatial, mass: 1, shape: {box: [0.02, 0.06, 0.06]}, "
                               "position: [0.06, 0, 0]}\n"
                               "  joints:\n"
                               "    l: {type: prismatic, bodies: [world, left], at: [-0.06, 0, 0], axis: [1, 0, 0]}\n"
                               "    r: {type: prismatic, bodies: [world, right], at: [0.06, 0, 0], axis: [1, 0, 0]}\n"
                               "  loads:\n"
                               "    fl: {body: left, force: [N, 0, 0]}\n"
                               "    fr: {body: right, force: [-N, 0, 0]}\n"
                               "  contacts: {grasp: {among: [box, left, right], friction: mu}}\n"
                               "run: {integrator: rattle, dt: 2e-4, until: 0.2}\n",
                               k[i]);
        trial_finish(&run);
        if (i == 0) assert_near(trial_value(&run, "box.z"), 0, 1e-12);
        else assert_near(trial_value(&run, "box.z_dot"), -0.03 * 9.81 * 0.2, 1e-7);
        trial_close(&run);
    }
}

/* ---- bullets */

/* A ball of 1 cm at 500 m/s moves 50 cm in a step, a hundred times the thickness of the plate in its way. It bounces,
 * so its velocity turns and it stays on its side. */
static void test_bullet(void **state) {
    (void)state;
    static const char *const targets[] = {"box: [1, 1, 0.01]", "sphere: 0.02"};
    for (int k = 0; k < 2; k++) {
        trial run =
            trial_text("carom: 1\nmodel:\n  bodies:\n"
                       "    bullet: {type: spatial, mass: 0.001, shape: {sphere: 0.005}, position: [0, 0, 1.2], "
                       "velocity: [0, 0, -500]}\n"
                       "    target: {type: spatial, mass: 100, shape: {%s}}\n"
                       "  contacts: {hit: {among: [bullet, target], restitution: 1}}\n"
                       "run: {integrator: moreau, dt: 1e-3, until: 0.01, tolerance: 1e-10}\n",
                       targets[k]);
        trial_finish(&run);
        assert_near(trial_value(&run, "bullet.z_dot"), 500, 0.1);
        trial_close(&run);
    }
}

/* ---- checkpoints */

/* A run that is loaded from its checkpoint ends with the bits of the one that went on. */
static void test_checkpoint(void **state) {
    (void)state;
    static const char *const text =
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    b[i=1..4]: {type: spatial, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0.03*(-1)^i, 0.02*i, "
        "0.12 + 0.22*(i-1)]}\n"
        "  contacts: {pile: {among: [b, " FLOOR "], friction: 0.5, restitution: 0.1}}\n"
        "run: {integrator: %s, dt: 2e-3, until: 0.12}\n";
    static const char *const integrators[] = {
        "moreau", "symmetric_moreau", "variational_moreau", "theta", "rattle", "nsga", "generalized_alpha", "lobatto"};
    for (int k = 0; k < 8; k++) trial_resumes(trial_text(text, integrators[k]), trial_text(text, integrators[k]));
}

/* ---- no pair is missed */

/* Bodies that move no farther than they are allowed: every pair that overlaps then has been listed before. */
static void test_no_pair_missed(void **state) {
    (void)state;
    trial run =
        trial_text("carom: 1\nmodel:\n  bodies:\n"
                   "    s[i=1..60]: {type: spatial, mass: 1, shape: {sphere: 0.05 + 0.002*i}, position: [i, 0, 0]}\n"
                   "    b[i=1..40]: {type: spatial, mass: 1, shape: {box: [0.3, 0.2, 0.1]}, position: [-i, 0, 0]}\n"
                   "  contacts: {all: {among: [s, b, " FLOOR "]}}\n"
                   "run: {integrator: moreau, dt: 1e-2, until: 0.1}\n");
    enum { BODIES = 100, NQ = 7 * BODIES, NU = 6 * BODIES };
    const finder *f = run.scene->finder;
    search s;
    uint64_t chance = 5;
    int touching = 0;
    assert_true(search_create(&s, f, NQ));
    for (int round = 0; round < 40; round++) {
        double q[NQ], u[NU];
        for (int i = 0; i < NQ; i++) q[i] = campaign_between(&chance, 0, i % 7 < 3 ? 2.2 : 1);
        for (int i = 0; i < NU; i++) u[i] = campaign_between(&chance, -1, 1);
        bool changed;
        search_forget(&s);
        assert_true(search_contacts(&s, q, u, 1e-2, &changed));
        for (int i = 0; i < f->bodies; i++)
            for (int k = 0; k < 3 && f->body[i].form.nq; k++)
                q[f->body[i].q + k] += campaign_between(&chance, -1, 1) * s.allowed[i] / sqrt(3);
        for (int a = 0; a < f->solids; a++)
            for (int b = a + 1; b < f->solids; b++) {
                const int of[] = {a, b};
                if (finder_law_of(f, a, b) < 0) continue;
                for (int k = 0; k < 2; k++) {
                    const core_pose at = finder_pose(f, f->solid[of[k]].body, q);
                    core_place(&f->solid[of[k]].core, &at, &s.placed[of[k]]);
                }
                if (features_gap(&s.placed[a], &s.placed[b]) > 0) continue;
                bool listed = false;
                for (int i = 0; i < s.pairs && !listed; i++) listed = s.pair[i].a == a && s.pair[i].b == b;
                assert_true(listed);
                touching++;
            }
    }
    assert_true(touching > 1000);
    search_destroy(&s);
    trial_close(&run);
}

/* ---- laws of pairs */

/* Of a pair that two entries name, the last one counts; bodies of one group do not meet each other. */
static void test_laws(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 1]}\n"
                           "    b: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.05, 0, 1]}\n"
                           "  contacts:\n    both: {among: [[a, b], [" FLOOR "]]}\n"
                           "    bouncy: {among: [[b], [{body: world, plane: [0, 0, 1], at: [0, 0, 0.2]}]], "
                           "restitution: 1}\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 0.6}\n");
    trial_finish(&run);
    assert_near(trial_value(&run, "a.z"), 0.1, 1e-9);
    assert_at_least(trial_value(&run, "b.z"), 0.5);
    trial_close(&run);
}

/* ---- families without members */

/* The ball falls on the floor; there is nothing else. */
static void test_nobody(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nparameters: {n: 0}\nmodel:\n  gravity: [0, 0, -10]\n  bodies:\n"
                           "    ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.2]}\n"
                           "    grain[i=1..n]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [i, 0, 1]}\n"
                           "  contacts:\n    all: {among: [grain, ball, " FLOOR "]}\n    none: {among: [grain]}\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 0.2}\n");
    trial_finish(&run);
    assert_near(trial_value(&run, "ball.z"), 0.1, 1e-9);
    trial_close(&run);
}

/* ---- refusals */

static void refuse(const char *among, const char *keys, const char *run, const char *sentence) {
    char text[2048];
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error = {0};
    snprintf(text, sizeof text,
             "carom: 1\nmodel:\n  bodies:\n"
             "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}}\n"
             "    b: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
             "    c: {type: spatial, mass: 1, shape: {disk: 0.1}, position: [2, 0, 0]}\n"
             "    d: {type: planar, mass: 1, shape: {disk: 0.1}, position: [3, 0]}\n"
             "    e: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.1, 0, 0]}\n"
             "    l: {type: point, mass: 1, shape: {sphere: 0.1}, position: [6]}\n"
             "    marble[i=1..12]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, i, 0]}\n"
             "    box[i=1..0]: {type: spatial, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [9, i, 0]}\n"
             "  frames: {f: {position: [0, 0, sin(t)]}, \"pole[i=1..2]\": {position: [0, 0, i]}}\n"
             "  contacts: {heap: {among: %s%s}}\nrun: {%s, dt: 1e-3, until: 1}\n",
             among, keys, run);
    carom_status status = scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error);
    if (!status) status = scene_validate_start(scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    assert_int_equal(status, CAROM_DATA);
    if (!strstr(error.message, sentence)) fail_msg("'%s' does not say '%s'", error.message, sentence);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void test_refusals(void **state) {
    (void)state;
    const char *const run = "integrator: moreau";
    refuse("[a, b]", "", run, "'b' has no shape");
    refuse("[a, c]", "", run, "'c' has a disk");
    refuse("[a, d]", "", run, "'d' moves in the plane");
    refuse("[d, a]", "", run, "'a' moves in space");
    refuse("[d, l]", "", run, "'l' does not leave its line");
    refuse("[d, {body: world, plane: [0, 1, 1]}]", "", run, "the plane that it has here leaves it");
    refuse("[d, {body: world, box: [1, 1], at: [9, 9, 1]}]", "", run, "the box that it has here leaves it");
    refuse("[d, {body: world, disk: 1, axis: [1, 0, 0]}]", "", run, "needs two edges");
    refuse("[d, {body: world, ellipsoid: [1, 2], at: [9, 9]}]", "", run, "'world' has an ellipsoid");
    refuse("[d, {body: world, hull: [[0, 0], [1, 1], [2, 2]]}]", "", run, "may not lie on a line");
    refuse("[d, {body: world, hull: stone.obj}]", "", run, "in the plane a hull is a list of points");
    refuse("[a, {body: f, plane: [0, 0, 1]}]", "", run, "'f' is a frame");
    refuse("[a, {body: e, plane: [0, 0, 1]}]", "", run, "planes of the world alone");
    refuse("[a, {body: world, box: [1, 1], at: [9, 9, 9]}]", "", run, "is flat");
    refuse("[a, grain]", "", run, "no body or frame 'grain'");
    refuse("[a, maeble]", "", run, "no body or family 'maeble', did you mean 'marble'?");
    refuse("[a, bix]", "", run, "no body or family 'bix', did you mean 'box'?");     /* a family without members */
    refuse("[a, bocks]", "", run, "no body or family 'bocks', did you mean 'box'?"); /* sounds like it */
    refuse("[a, {body: marbel1, sphere: 1}]", "", run, "no body or frame 'marbel1', did you mean 'marble1'?");
    refuse("[a, {bdoy: e}]", "", run, "unknown key 'bdoy' in a partner, did you mean 'body'?");
    refuse("a", "", run, "is among some bodies");
    refuse("[[a], [e], [a]]", "", run, "two lists");
    refuse("[[], [a]]", "", run, "a list under 'among' is empty");
    refuse("[a, pole]", "", run, "'pole1' is a frame");
    refuse("[a]", "", run, "'heap' makes no contacts");
    refuse("[[a], [a]]", "", run, "'heap' makes no contacts");
    refuse("[{body: world, sphere: 1}, {body: world, plane: [0, 0, 1]}]", "", run, "'heap' makes no contacts");
    refuse("[a, e]", ", drilling: 1", run, "unknown key 'drilling'");
    refuse("[a, e]", ", restitution: speed", run, "it knows no speed");
    refuse("[a, e]", "", run, "'a' and 'e' overlap at the start");
    trial_refused("unknown key 'amnog' in contact 'heap', did you mean 'among'?", NULL,
                  "carom: 1\nmodel:\n  bodies: {a: {type: spatial, mass: 1, shape: {sphere: 0.1}}}\n"
                  "  contacts: {heap: {amnog: [a]}}\nrun: {integrator: moreau, dt: 1e-3, until: 1}\n");
    refuse("[[a], [{body: world, plane: [0, 0, 1], at: [0, 0, -1]}]]", "", "integrator: multisymplectic",
           "does not take contacts that are found");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_written), cmocka_unit_test(test_momentum),       cmocka_unit_test(test_towers),
        cmocka_unit_test(test_grasp),           cmocka_unit_test(test_percussions),    cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_checkpoint),      cmocka_unit_test(test_no_pair_missed), cmocka_unit_test(test_laws),
        cmocka_unit_test(test_nobody),          cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
