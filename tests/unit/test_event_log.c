/* Located events as a simulation gives them: what happened when, both sides of every quantity, and the works, against
 * the exact motion. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrator/event_log.h"
#include "scene/scene.h"

static trial located(const char *text) {
    trial run = {0};
    carom_error error = {0};
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &run.scene, &error)) fail_msg("%s", error.message);
    const carom_run_def *def = carom_scene_run(run.scene);
    trial simulated = trial_model(carom_scene_model(run.scene), "lobatto", def->dt, def->until, 1e-13, "events=locate");
    simulated.scene = run.scene;
    return simulated;
}

/* A ball with spin falls on a rough floor: one impact at t = sqrt(2h/g). M and W are constant, and the scheme is exact
 * for parabolas, so everything is known to round-off of numbers around 10 and a residual of 1e-13. */
#define BALL                                                                                                           \
    "carom: 1\n"                                                                                                       \
    "parameters: {m: 2, R: 0.1, J: 2/5*m*R^2, g: 9.81, mu: 0.2, e: 0.6, h: 0.5}\n"                                     \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {velocity: 1}, y: {start: h + R}, phi: {velocity: 40}}\n"                                      \
    "  kinetic: m/2*(x_dot^2 + y_dot^2) + J/2*phi_dot^2\n"                                                             \
    "  potential: m*g*y\n"                                                                                             \
    "  contacts: {floor: {gap: y - R, slip: x_dot + R*phi_dot, friction: mu, restitution: e}}\n"                       \
    "run: {integrator: lobatto, dt: 0.05, until: 0.5}\n"

static double side_value(const trial *run, const double *row, const char *name) {
    return row[trial_column(run, name)];
}

static void an_impact_has_two_sides(void **state) {
    (void)state;
    const double m = 2, g = 9.81, h = 0.5, e = 0.6, mu = 0.2, v = sqrt(2 * g * h), P = m * v * (1 + e);
    const double normal = m * v * v * (1 - e * e) / 2, friction = mu * P * (5 - 3.5 * mu * P / m / 2);
    trial run = located(BALL);
    double E = trial_value(&run, "E"), row[2][64];
    carom_error error;
    int events = 0, count;
    assert_true(carom_sim_locates(run.sim));
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        if (!count) continue;
        events += count;
        assert_int_equal(event->kind, CAROM_STRIKE);
        assert_near(event->time, sqrt(2 * h / g), 1e-12);
        assert_near(event->PN, P, 1e-11);
        assert_near(event->loss, normal + friction, 1e-11);
        assert_near(trial_value(&run, "floor.loss"), normal + friction, 1e-11);
        assert_near(trial_value(&run, "floor.lossF"), friction, 1e-11);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(carom_sim_event_row(run.sim, 0, side, row[side], &error), CAROM_OK);
            assert_near(side_value(&run, row[side], "t"), sqrt(2 * h / g), 1e-12);
            assert_near(side_value(&run, row[side], "floor.gap"), 0, 1e-12);
            assert_near(side_value(&run, row[side], "y_dot"), side ? e * v : -v, 1e-11);
            assert_near(side_value(&run, row[side], "floor.gap_dot"), side ? e * v : -v, 1e-11);
            assert_near(side_value(&run, row[side], "floor.slip"), side ? 5 - 3.5 * mu * P / m : 5, 1e-11);
            assert_near(side_value(&run, row[side], "E"), side ? E - normal - friction : E, 1e-11);
            assert_near(side_value(&run, row[side], "work.impacts"), side ? -normal : 0, 1e-11);
            assert_near(side_value(&run, row[side], "work.friction"), side ? -friction : 0, 1e-11);
            assert_true(isnan(side_value(&run, row[side], "floor.PN")));
            assert_true(isnan(side_value(&run, row[side], "newton")));
        }
    }
    assert_int_equal(events, 1);
    assert_near(trial_value(&run, "work.impacts"), -normal, 1e-11);
    assert_near(trial_value(&run, "work.friction"), -friction, 1e-11);
    assert_near(trial_value(&run, "E") - E, -normal - friction, 1e-11);
    trial_close(&run);
}

/* A block slides to rest, sticks, and is pulled loose by a force F = 2t that reaches mu m g = 3: v = 2 - 3t + t^2 until
 * t = 1, v = (t - 3/2)^2 from t = 3/2. Friction takes 3 times the distance, stick takes nothing. The account is by the
 * trapezoidal rule between the events, whose error is at most dt^2/12 times the change of the slope of the power: 3 v
 * and t v. */
static void friction_is_accounted_between_events(void **state) {
    (void)state;
    static const char text[] = "carom: 1\n"
                               "parameters: {m: 1, g: 10, mu: 0.3, c: 2}\n"
                               "model:\n"
                               "  coordinates: {x: {velocity: 2}, y: }\n"
                               "  kinetic: m/2*(x_dot^2 + y_dot^2)\n"
                               "  potential: m*g*y\n"
                               "  forces: {x: c*t}\n"
                               "  contacts: {floor: {gap: y, slip: x_dot, friction: mu}}\n"
                               "run: {integrator: lobatto, dt: %g, until: 2}\n";
    const carom_event_kind kinds[] = {CAROM_STOP, CAROM_BREAK};
    const double times[] = {1, 1.5}, x = 5.0 / 6;
    double missing[2];
    for (int k = 0; k < 2; k++) {
        char all[1024];
        double dt = k ? 0.055 : 0.11; /* no event is at the end of a step */
        snprintf(all, sizeof all, text, dt);
        trial run = located(all);
        int events = 0, count;
        double E = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const carom_event *event = carom_sim_events(run.sim, &count);
            for (int i = 0; i < count; i++, events++) {
                assert_int_equal(event[i].kind, kinds[events]);
                assert_near(event[i].time, times[events],
                            1e-9); /* of forces: to the accuracy of their guess, squared */
            }
        }
        double end = carom_sim_time(run.sim), late = end - 1.5;
        double friction = -3 * (x + late * late * late / 3), forced = end * late * 2 + late * late;
        assert_int_equal(events, 2);
        assert_near(trial_value(&run, "work.impacts"), 0, 1e-12);
        missing[k] = fabs(trial_value(&run, "work.friction") - friction);
        double power = 2 * dt * dt / 12 * (3 + forced), slope = 3 * dt * dt / 12 * (2 + 2 * late);
        assert_at_most(missing[k], slope);
        assert_near(trial_value(&run, "E") - E, trial_value(&run, "work.forces") + trial_value(&run, "work.friction"),
                    power + slope);
        trial_close(&run);
    }
    assert_at_most(missing[1], missing[0] / 3); /* order 2 gives 4; the parts of divided steps are not halved exactly */
}

/* ---------------------------------------------------------------- the log itself */

static void a_log_grows(void **state) {
    (void)state;
    trial run = located(BALL);
    event_log log = {.model = carom_scene_model(run.scene)}, part = log;
    double q[3] = {0}, u[3] = {0}, P[2] = {0}, contact[1] = {0};
    motion x = {.q = q, .u = u, .P = P, .contact = contact};
    for (int parts = 0; parts < 3; parts++) {
        event_log_clear(&part);
        for (int i = 0; i < 1000; i++) { /* every third instant has no event, every other two */
            x.t = u[0] = i + 1000 * parts, contact[0] = CAROM_OPEN;
            assert_true(event_log_begin(&part, &x, NULL, P));
            for (int k = 0; k < i % 3; k++) event_log_add(&part, (carom_event){.time = x.t});
            u[0] = -u[0], contact[0] = CAROM_STICK;
            assert_true(event_log_end(&part, &x, NULL, P));
        }
        assert_true(event_log_append(&log, &part));
    }
    assert_int_equal(log.events, 3 * 999);
    assert_int_equal(log.instants, 3 * 666);
    for (int i = 0; i < log.events; i++) {
        instant at = event_log_instant(&log, log.event[i].instant);
        assert_true(*at.t[0] == log.event[i].time && at.u[0][0] == *at.t[0] && at.u[1][0] == -*at.t[1]);
        assert_int_equal(log.event[i].state[0], CAROM_OPEN);
        assert_int_equal(log.event[i].state[1], CAROM_STICK);
    }
    event_log_destroy(&log);
    event_log_destroy(&part);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_has_two_sides),
        cmocka_unit_test(friction_is_accounted_between_events),
        cmocka_unit_test(a_log_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
