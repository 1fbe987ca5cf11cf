/* Contacts that are found in the plane, against the same motions in space: rectangles are bricks, circles balls and
 * polygons prisms whose middle never leaves the plane. Bodies in space touch with edges and faces and with twice as
 * many contacts, which polytopes and borders of their own find; the motions are the same. */
#include "support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/campaign.h"

enum { TEXT = 6000, BODIES = 24, TOUCHES = 200 };

/* The same scene twice, piece by piece. */
typedef struct scenes {
    char plane[TEXT], space[TEXT];
    int bodies;
} scenes;

static void add(char *text, const char *format, ...) {
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(text + used, TEXT - used, format, list) < (int)(TEXT - used));
    va_end(list);
}

static void begin(scenes *s, bool heavy) {
    *s = (scenes){0};
    for (int space = 0; space < 2; space++)
        add(space ? s->space : s->plane, "carom: 1\nmodel:\n  gravity: [0, %s%s]\n  bodies:\n", heavy ? "-10" : "0",
            space ? ", 0" : "");
}

enum { CIRCLE, RECTANGLE, PILL, POLYGON, FIGURES };

/* shape: in the plane, in space. */
static void add_body(scenes *s, const char *const shape[2], const double q[3], const double u[3]) {
    const int i = ++s->bodies;
    add(s->plane,
        "    b%d: {type: planar, mass: 1, inertia: 2e-3, shape: %s, position: [%.17g, %.17g], angle: %.17g, velocity: "
        "[%.17g, %.17g], angular_velocity: %.17g}\n",
        i, shape[0], q[0], q[1], q[2], u[0], u[1], u[2]);
    add(s->space,
        "    b%d: {type: spatial, mass: 1, inertia: [2e-3, 2e-3, 2e-3], shape: %s, position: [%.17g, %.17g, 0], "
        "rotation: {axis: [0, 0, 1], angle: %.17g}, velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n",
        i, shape[1], q[0], q[1], q[2], u[0], u[1], u[2]);
}

static const char *const shapes[FIGURES][2] = {
    {"{disk: 0.06}", "{sphere: 0.06}"},
    {"{box: [0.14, 0.08]}", "{box: [0.14, 0.08, 0.1]}"},
    {"{capsule: {radius: 0.04, length: 0.1}}", "{capsule: {radius: 0.04, length: 0.1}, axis: [1, 0, 0]}"},
    {"{hull: [[0.08, 0], [0.03, 0.07], [-0.05, 0.06], [-0.07, -0.04], [0.02, -0.06], [0, 0]]}",
     "{hull: [[0.08, 0, 0.1], [0.03, 0.07, 0.1], [-0.05, 0.06, 0.1], [-0.07, -0.04, 0.1], [0.02, -0.06, 0.1], "
     "[0.08, 0, -0.1], [0.03, 0.07, -0.1], [-0.05, 0.06, -0.1], [-0.07, -0.04, -0.1], [0.02, -0.06, -0.1]]}"}};

/* partners of the bodies, in the plane and in space, each with its comma; law and run. */
static void finish(scenes *s, const char *plane, const char *space, const char *law, const char *run) {
    char list[8 * BODIES] = "";
    for (int i = 0; i < s->bodies; i++) snprintf(list + strlen(list), 8, "%sb%d", i ? ", " : "", i + 1);
    add(s->plane, "  contacts: {all: {among: [%s%s], %s}}\nrun: {%s}\n", list, plane, law, run);
    add(s->space, "  contacts: {all: {among: [%s%s], %s}}\nrun: {%s}\n", list, space, law, run);
}

/* The largest difference of positions and velocities at the end, and of directions; nothing left the plane. NaN: events
 * accumulated, and a step was captured, to first order. */
static double miss(const scenes *s, double *turned) {
    trial plane = trial_text("%s", s->plane), space = trial_text("%s", s->space);
    double worst = *turned = 0;
    trial_finish(&plane);
    trial_finish(&space);
    if (carom_sim_captured(plane.sim) + carom_sim_captured(space.sim) > 0) worst = NAN;
    const double *q = carom_sim_q(plane.sim), *u = carom_sim_u(plane.sim);
    const double *r = carom_sim_q(space.sim), *v = carom_sim_u(space.sim);
    for (int i = 0; i < s->bodies; i++, q += 3, u += 3, r += 7, v += 6) {
        const double turn = 2 * atan2(r[6], r[3]) - q[2];
        if (isnan(worst)) break;
        for (int k = 0; k < 2; k++) worst = fmax(worst, fmax(fabs(q[k] - r[k]), fabs(u[k] - v[k])));
        *turned = fmax(*turned, fmax(fabs(sin(turn)), 1 - cos(turn)));
        worst = fmax(worst, fabs(u[2] - v[5]) / 10);
        assert_near(r[2], 0, 1e-9);
    }
    trial_close(&plane);
    trial_close(&space);
    return worst;
}

/* ---- located */

#define LOCATED "integrator: lobatto, stages: 4, dt: 2e-3, until: %g, events: locate, tolerance: 1e-13"

/* Two figures of any kinds thrown at each other and turning. */
static scenes throw_two(uint64_t *chance, int k) {
    scenes s;
    char run[160];
    begin(&s, false);
    for (int i = 0; i < 2; i++) {
        const int figure = i ? k / FIGURES % FIGURES : k % FIGURES, side = i ? 1 : -1;
        const double x = side * 0.12, y = campaign_between(chance, -0.05, 0.05);
        const double angle = campaign_between(chance, 0, 6), turn = campaign_between(chance, -15, 15);
        add_body(&s, shapes[figure], (double[]){x, y, angle}, (double[]){-2 * side, 0.3 * y, turn});
    }
    snprintf(run, sizeof run, LOCATED, 0.12);
    finish(&s, "", "", k % 2 ? "restitution: 0.6" : "restitution: 0.6, friction: 0.3", run);
    return s;
}

/* Differences at round-off grow by a hundred at an impact at most, whose lever is the size of a figure over the radius
 * of inertia: 1e-13 to 1e-9 in two or three impacts. The first forty throws of one seed, and one of another in which
 * two figures that had flown past each other once struck, since nobody saw that their features changed. */
static void test_throws(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        int from, to;
    } throws[] = {{9, 0, 40}, {25, 7, 8}};
    double worst = 0, turned;
    int compared = 0;
    for (size_t i = 0; i < sizeof throws / sizeof *throws; i++) {
        uint64_t chance = throws[i].seed;
        for (int k = 0; k < throws[i].to; k++) {
            const scenes s = throw_two(&chance, k);
            if (k < throws[i].from) continue;
            const double moved = miss(&s, &turned);
            if (isnan(moved)) continue;
            worst = fmax(worst, fmax(moved, turned)), compared++;
        }
    }
    printf("throws: %.2g, %d of 41\n", worst, compared);
    assert_at_most(worst, 1e-9);
    assert_at_least(compared, 36);
}

#define TABLE "{body: world, box: [1, 0.2], at: [-0.5, -0.1]}"
#define TABLE_3D "{body: world, box: [1, 0.2, 1], at: [-0.5, -0.1, 0]}"

/* Each figure slides and rolls over the edge of a table, with friction, tips and falls: faces, sides and corners take
 * over from each other. */
static void test_over_an_edge(void **state) {
    (void)state;
    double worst = 0, turned;
    char run[160];
    snprintf(run, sizeof run, LOCATED, 0.24);
    for (int k = 0; k < FIGURES; k++) {
        static const double height[] = {0.06, 0.04, 0.04, 0.07};
        scenes s;
        begin(&s, true);
        add_body(&s, shapes[k], (double[]){-0.1, height[k], 0}, (double[]){0.8, 0, 0});
        finish(&s, ", " TABLE, ", " TABLE_3D, "friction: 0.2", run);
        const double here = fmax(miss(&s, &turned), turned);
        printf("over an edge: %.2g\n", here);
        worst = fmax(worst, here);
    }
    assert_at_most(worst, 1e-9);
}

static void test_resumes(void **state) {
    (void)state;
    static const char *const text =
        "carom: 1\nmodel:\n  gravity: [0, -10]\n  bodies:\n"
        "    b: {type: planar, mass: 1, shape: {box: [0.14, 0.08]}, position: [-0.1, 0.04], velocity: [0.8, 0]}\n"
        "    c: {type: planar, mass: 1, shape: {capsule: {radius: 0.04, length: 0.1}}, position: [-0.1, 0.2]}\n"
        "  contacts: {all: {among: [b, c, " TABLE "], friction: 0.2, restitution: 0.3}}\n"
        "run: {%s, until: 0.3}\n";
    trial_resumes(trial_text(text, "integrator: lobatto, dt: 4e-3, events: locate"),
                  trial_text(text, "integrator: lobatto, dt: 4e-3, events: locate"));
    trial_resumes(trial_text(text, "integrator: rattle, dt: 2e-3"), trial_text(text, "integrator: rattle, dt: 2e-3"));
}

/* ---- captured */

/* Circles do not feel how far they have turned: the same heap to what a hundred steps make of the tolerance of 1e-13.
 * In space most schemes turn bodies by Cayley's formula, which misses (dt w)^3/12 in a step: 2.3e-7 in 100 steps with
 * w = 3. */
static void test_heaps(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau",
                                          "rattle",
                                          "lobatto",
                                          "generalized_alpha",
                                          "nsga",
                                          "theta",
                                          "moreau, accept: 1e-4",
                                          "symmetric_moreau, accept: 1e-4",
                                          "rattle, accept: 1e-4"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        scenes s;
        double turned;
        char run[120];
        begin(&s, true);
        for (int i = 0; i < 9; i++)
            add_body(&s, shapes[CIRCLE], (double[]){0.13 * (i % 3) + 0.02 * sin(7 * i), 0.061 + 0.13 * (i / 3), 0},
                     (double[]){0, -0.5, 3 * sin(i)});
        snprintf(run, sizeof run, "integrator: %s, dt: 1e-3, until: 0.1, tolerance: 1e-13", schemes[k]);
        finish(&s, ", {body: world, plane: [0, 1]}, {body: world, plane: [1, 0], at: [-0.1, 0]}",
               ", {body: world, plane: [0, 1, 0]}, {body: world, plane: [1, 0, 0], at: [-0.1, 0, 0]}",
               "friction: 0.3, restitution: 0.2", run);
        const double here = miss(&s, &turned);
        printf("%s: %.2g, turned by %.2g\n", schemes[k], here, turned);
        assert_at_most(here, 1e-9);
        assert_at_most(turned, 3e-7);
    }
}

/* Figures that do not roll come to rest on each other and on the ground, and none sinks in deeper than that. */
static void rest(const char *run, double depth) {
    scenes s;
    uint64_t chance = 11;
    begin(&s, true);
    for (int i = 0; i < 16; i++)
        add_body(&s, shapes[RECTANGLE + i % 3],
                 (double[]){0.2 * (i % 4), 0.15 + 0.2 * (i / 4), campaign_between(&chance, 0, 6)}, (double[3]){0});
    finish(&s,
           ", {body: world, plane: [0, 1]}, {body: world, plane: [1, 0], at: [-0.15, 0]}, "
           "{body: world, plane: [-1, 0], at: [0.75, 0]}",
           "", "friction: 0.5", run);
    trial plane = trial_text("%s", s.plane);
    double worst = 0, speed = 0;
    while (!carom_sim_done(plane.sim)) {
        carom_found at[TOUCHES];
        trial_stride(&plane);
        const int count = carom_sim_found(plane.sim, at, TOUCHES);
        assert_in_range(count, 0, TOUCHES);
        for (int i = 0; i < count; i++) worst = fmin(worst, at[i].gap);
    }
    for (int i = 0; i < 3 * s.bodies; i++) speed = fmax(speed, fabs(carom_sim_u(plane.sim)[i]));
    printf("rests: deepest %.2g, fastest %.2g\n", worst, speed);
    assert_at_least(worst, -depth);
    assert_at_most(speed, 1e-3);
    trial_close(&plane);
}

/* Exactly, 1e-9 of a size may overlap at the end of a step, (CF13); as a heap E/50 of a size, (FC22), 0.16 m at most.
 */
static void test_rests(void **state) {
    (void)state;
    rest("integrator: rattle, dt: 1e-3, until: 2", 1e-9);
    rest("integrator: rattle, dt: 1e-3, until: 2, accept: 1e-4", 1e-4 / 50 * 0.16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_throws), cmocka_unit_test(test_over_an_edge),
                                       cmocka_unit_test(test_resumes), cmocka_unit_test(test_heaps),
                                       cmocka_unit_test(test_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
