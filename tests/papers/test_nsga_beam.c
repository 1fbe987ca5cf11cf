/* Oblique impact of an elastic beam on a wall (nsga, 5.4). It flies 0.1 m with 2 m/s, so the first impact is at 0.05 s;
 * the published run has the tip closed for 5 ms, then clattering until 82.5 ms, and the upper end on the wall at 0.5878
 * s.
 *
 * With a mesh the beam is a system of finitely many masses: what happens then is told by lobatto with located events,
 * to nine digits. Every clatter multiplies errors by ten or so; up to the first opening they are small. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct story {
    double strikes, opens, ends, second; /* lower end: first closed, first open again, last closed; upper end closed */
    double P[2];                         /* percussions of the lower end until it first opens */
    double sum[2];                       /* and of the whole first phase */
    double rise, calm_rise;              /* largest rise of energy in a step, near and far from contacts */
} story;

static void read_step(const trial *run, story *s) {
    double t = trial_value(run, "t"), PN = trial_value(run, "lower.PN"), PF = trial_value(run, "lower.PF");
    if (trial_value(run, "upper.PN") > 0 && s->second == 0) s->second = t;
    if (PN > 0 && s->strikes == 0) s->strikes = t;
    if (PN == 0 && s->strikes > 0 && s->opens == 0) s->opens = t;
    if (PN > 0) s->ends = t;
    if (s->opens == 0) s->P[0] += PN, s->P[1] += PF;
    s->sum[0] += PN, s->sum[1] += PF;
}

/* The laws at the end of a step: nothing penetrates, friction in its cone. */
static void lawful(const trial *run) {
    static const char *const names[2][3] = {{"lower.gap", "lower.PN", "lower.PF"},
                                            {"upper.gap", "upper.PN", "upper.PF"}};
    for (int i = 0; i < 2; i++) {
        double PN = trial_value(run, names[i][1]);
        assert_at_least(trial_value(run, names[i][0]), -1e-12);
        assert_at_least(PN, 0);
        assert_at_most(fabs(trial_value(run, names[i][2])), 0.5 * PN + 1e-9); /* tolerance 1e-10, masses to 20 */
    }
}

/* The wall is all that acts on the beam. Its mass is rho A L = 20 kg; each step may miss by the tolerance, 1e-10. */
static void balanced(const trial *run, const double sum[2], long steps) {
    double m = 7850 * 2.5477e-3, slack = 20 * 1e-10 * (double)steps;
    assert_near(trial_value(run, "Px"), -2 * m + sum[0], slack);
    assert_near(trial_value(run, "Py"), -sum[1], slack); /* the face's tangent points down */
}

static story tell(trial run) {
    story s = {0};
    double energy = trial_value(&run, "E");
    int calm = 0; /* steps since a contact acted */
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        read_step(&run, &s);
        lawful(&run);
        if (s.second == 0) balanced(&run, s.sum, carom_sim_steps(run.sim));
        calm = trial_value(&run, "lower.PN") > 0 || trial_value(&run, "upper.PN") > 0 ? 0 : calm + 1;
        double *rise = calm > 2 ? &s.calm_rise : &s.rise;
        *rise = fmax(*rise, trial_value(&run, "E") - energy);
        energy = trial_value(&run, "E");
    }
    trial_close(&run);
    return s;
}

static story with(double dt, int n, const char *mass, double until) {
    char set[4][64];
    snprintf(set[0], sizeof *set, "run.dt=%.17g", dt);
    snprintf(set[1], sizeof *set, "parameters.n=%d", n);
    snprintf(set[2], sizeof *set, "model.beams.beam.mass=%s", mass);
    snprintf(set[3], sizeof *set, "run.until=%.17g", until);
    story s = tell(trial_scene("paper/nsga/beam_impact", set[0], set[1], set[2], set[3], NULL));
    printf(
        "dt = %.1e, %2d elements, %-10s: opens %.5f, until %.5f; P %.4f %.4f, of the phase %.3f %.3f; E rises by %.1e, "
        "%.1e; upper end %.4f\n",
        dt, n, mass, s.opens, s.ends, s.P[0], s.P[1], s.sum[0], s.sum[1], s.rise, s.calm_rise, s.second);
    return s;
}
/* ---- the first blow, exactly
 * At rest relative to each other, all nodes but the last resist by inertia alone. With m = rho A L/n that is m/2 of
 * lumped masses; of the consistent matrix m/6 (2 1; 1 4 1; ...) it is m/6 (2 - 1/(4 - 1/(4 - ...))) = m/(2 sqrt(3)), up
 * to (2 - sqrt(3))^(2n) < 1e-9. */
static void blow(int n, bool lumped) {
    char set[32];
    int count = 0;
    const carom_event *event = NULL;
    snprintf(set, sizeof set, "parameters.n=%d", n);
    trial run =
        trial_scene("paper/nsga/beam_impact", set, "parameters.gap=1e-4", "run.integrator=lobatto", "run.events=locate",
                    "run.dt=3e-6", "run.until=1e-4", lumped ? "model.beams.beam.mass=lumped" : NULL, NULL);
    while (count == 0) {
        trial_stride(&run);
        event = carom_sim_events(run.sim, &count);
    }
    const double m = 7850 * 2.5477e-3 / n, PN = 2 * (lumped ? m / 2 : m / (2 * sqrt(3)));
    assert_near(event->time, 5e-5, 1e-10); /* the tolerance */
    assert_near(event->PN, PN, 1e-8);
    assert_near(event->loss, PN, 1e-8); /* 1/2 (2 m/s)^2 PN/(2 m/s) */
    trial_close(&run);
}
static void first_blow(void **state) {
    (void)state;
    for (int n = 8; n <= 32; n *= 2) blow(n, false), blow(n, true);
}

/* ---- step sizes */

/* The force on the tip is some 6000 N (30 N s within 5 ms), and whatever is off by a step is off by 6000 N dt. After a
 * blow the smooth motion still has the acceleration before it: at up to 2 m/s a rise of energy by F v dt at most, here
 * and only here. Elsewhere the energy of generalized alpha wavers with dt^2. */
static void step_sizes(void **state) {
    (void)state;
    const double F = 6000;
    story exact = tell(trial_located("paper/nsga/beam_impact", 3, 2e-5, 0.1, NULL, NULL));
    double h[3], rise[3], calm[3];
    printf("exact to 2e-5: opens %.5f, until %.5f; P %.4f %.4f, of the phase %.3f %.3f\n", exact.opens, exact.ends,
           exact.P[0], exact.P[1], exact.sum[0], exact.sum[1]);
    for (int i = 0; i < 3; i++) {
        double dt = h[i] = 1e-4 / (1 << i);
        story s = with(dt, 8, "consistent", 0.1);
        assert_near(s.strikes, 0.05, 1.01 * dt);
        assert_near(s.opens, exact.opens, 2e-5 + 2 * dt);
        assert_near(s.ends, 0.0825, 1.01e-4); /* as published; one more touch, at 0.0832, is lost by such steps */
        for (int k = 0; k < 2; k++) assert_near(s.P[k], exact.P[k], F * dt);
        for (int k = 0; k < 2; k++) assert_near(s.sum[k], exact.sum[k], F * dt);
        assert_at_most(s.rise, 2 * F * dt);
        rise[i] = s.rise, calm[i] = s.calm_rise;
    }
    assert_at_least(observed_order(3, h, rise), 1);
    assert_near(observed_order(3, h, calm), 2, 0.3);
}

/* ---- meshes
 * A blow costs the energy of the end of the mesh alone, so that meshes clatter differently, and what clatters is not
 * known better than by some percent of the impulse. */
static void meshes(void **state) {
    (void)state;
    double apart[2];
    for (int i = 0, n = 16; n <= 32; n *= 2, i++) {
        story consistent = with(5e-5, n, "consistent", 0.1), lumped = with(5e-5, n, "lumped", 0.1);
        const story *both[] = {&consistent, &lumped};
        for (int k = 0; k < 2; k++) {
            assert_near(both[k]->opens - 0.05, 5e-3, 1e-3);
            assert_near(both[k]->ends, 0.0855, 3.5e-3);
            assert_near(both[k]->sum[0], 37.5, 0.03 * 37.5);
        }
        apart[i] = fabs(consistent.sum[0] - lumped.sum[0]);
    }
    assert_at_most(apart[1], apart[0]); /* both go to the same beam */
}

/* ---- to the end, as published: h = 1e-4 */
static void second_impact(void **state) {
    (void)state;
    story s = with(1e-4, 8, "consistent", 0.85);
    assert_near(s.second, 0.58, 0.02); /* sensitive to whatever the clatter left behind */
}

/* ---- in the plane and in space
 * Rotations by an angle and by a quaternion: both of them exact, as the motion is the same rotation about one axis.
 * Each of the 2000 steps leaves 1e-10 m/s at most, 5e-15 m. */
static void plane_and_space(void **state) {
    (void)state;
    trial plane = trial_scene("paper/nsga/beam_impact", "run.dt=5e-5", "run.until=0.1", NULL);
    trial space =
        trial_text("carom: 1\n"
                   "parameters: {theta: 35.2*pi/180, n: 8}\n"
                   "model:\n"
                   "  beams:\n"
                   "    beam:\n"
                   "      {type: spatial, elements: n, from: [0.1, 0, 0], to: [0.1 + cos(theta), sin(theta), 0],\n"
                   "       section: {area: 2.5477e-3, bending: 5.40897e-7}, young: 1e9, poisson: 0.3,\n"
                   "       shear_factor: 5/6, density: 7850, mass: consistent, velocity: [-2, 0, 0]}\n"
                   "  contacts:\n"
                   "    lower: {between: [{body: beam1, point: [0, 0, 0]}, {body: world, plane: [1, 0, 0]}],\n"
                   "            friction: 0.5}\n"
                   "    upper: {between: [{body: beam9, point: [0, 0, 0]}, {body: world, plane: [1, 0, 0]}],\n"
                   "            friction: 0.5}\n"
                   "run: {integrator: nsga, dt: 5e-5, until: 0.1}\n");
    double apart = 0;
    while (!carom_sim_done(plane.sim)) {
        trial_stride(&plane), trial_stride(&space);
        const double *q = carom_sim_q(plane.sim), *p = carom_sim_q(space.sim);
        for (int i = 0; i < 9; i++)
            apart = fmax(apart, fmax(fabs(q[3 * i] - p[7 * i]), fabs(q[3 * i + 1] - p[7 * i + 1])));
        for (int i = 0; i < 9; i++) assert_true(p[7 * i + 2] == 0);
    }
    printf("plane and space are %.1e apart\n", apart);
    assert_at_most(apart, 1e-9); /* a hundredfold: what is stiff and what clatters multiplies it */
    trial_close(&plane);
    trial_close(&space);
}

/* ---- everyone */
static void every_integrator(void **state) {
    (void)state;
    carom_scene *scene;
    assert_int_equal(carom_scene_load("scenes/paper/nsga/beam_impact.yaml", NULL, 0, &scene, NULL), CAROM_OK);
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *type = carom_integrator(i);
        trial run;
        double sum[2] = {0}, smallest = 1;
        if (!trial_offer(&run, carom_scene_model(scene), type->name, 2e-5, 0.056, 1e-10)) continue;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            sum[0] += trial_value(&run, "lower.PN"), sum[1] += trial_value(&run, "lower.PF");
            smallest = fmin(smallest, trial_value(&run, "lower.gap"));
        }
        printf("%-20s P %.3f %.3f, smallest gap %.1e\n", type->name, sum[0], sum[1], smallest);
        /* 2 m/s for a step or two before the contact is seen; 6000 N dt as above, once for blow and opening each */
        assert_at_least(smallest, type->promise.positions ? -1e-12 : -2 * 2 * 2e-5);
        assert_near(sum[0], 30.055, 2 * 6000 * 2e-5);
        assert_near(sum[1], -14.287, 2 * 6000 * 2e-5);
        trial_close(&run);
    }
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_blow),      cmocka_unit_test(step_sizes),
                                       cmocka_unit_test(meshes),          cmocka_unit_test(second_impact),
                                       cmocka_unit_test(plane_and_space), cmocka_unit_test(every_integrator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
