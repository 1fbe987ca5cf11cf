/* Static friction above kinetic (docs/theory/laws.md, (L21)): stick and slip on a belt, and a block that is pushed,
 * against closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/trial.h"

static const char *const schemes[] = {"moreau", "symmetric_moreau", "variational_moreau", "theta", "nsga",
                                      "rattle", "lobatto",          "generalized_alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* A unit mass on a spring k, on a belt v: it breaks away at x = 0.4 g/k, swings about 0.25 g/k with the amplitude
 * A = 0.15 g/k over it, and sticks again after 2 (pi - atan(A w/v))/w, for 2 A/v. */
#define OSCILLATOR                                                                                                     \
    "carom: 1\nmodel:\n  coordinates: {x: {velocity: 0.2}, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"                  \
    "  potential: 10*x^2 + 9.81*y\n"                                                                                   \
    "  contacts: {belt: {gap: y, slip: x_dot - 0.2, friction: {static: 0.4, kinetic: 0.25}}}\n"                        \
    "run: {integrator: %s, dt: %g, until: %g, tolerance: 1e-13}\n"
static const double k = 20, v = 0.2, g = 9.81;

/* Harmonic motion: four stages of 0.01 s miss (w dt)^6 = 1e-8 of it times 1e-4. */
static void located_stick_slip(void **state) {
    const double w = sqrt(k), A = 0.15 * g / k;
    double next = 0.4 * g / k / v;
    int events = 0;
    (void)state;
    trial run = trial_text(OSCILLATOR, "lobatto, stages: 4, events: locate", 1e-2, 5.);
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count; i++, events++) {
            assert_true(event[i].kind == (events % 2 ? CAROM_STOP : CAROM_BREAK));
            assert_near(event[i].time, next, 1e-9);
            next += events % 2 ? 2 * A / v : 2 * (acos(-1) - atan(A * w / v)) / w;
        }
    }
    assert_int_equal(events, 5);
    trial_close(&run);
}

/* At 1.5 s it swings. Captured, the break is missed by at most a step, and the first step slides with the static
 * coefficient: two steps at 0.15 g. */
static void captured_stick_slip(void **state) {
    const double w = sqrt(k), A = 0.15 * g / k, t = w * (1.5 - 0.4 * g / k / v);
    const double x = 0.25 * g / k + A * cos(t) + v / w * sin(t);
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        trial run = trial_text(OSCILLATOR, schemes[i], 1e-3, 1.5);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], x, 2 * 0.15 * g * 1e-3);
        trial_close(&run);
    }
}

/* A block stays at rest up to the static coefficient, and one that slides meets the kinetic one. */
static void both_coefficients(void **state) {
    static const char text[] = "carom: 1\nmodel:\n  coordinates: {x: {velocity: %g}, y: 0}\n"
                               "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: 10*(y - 0.39*x)\n"
                               "  contacts: {floor: {gap: y, slip: x_dot, friction: {static: 0.4, kinetic: 0.25}}}\n"
                               "run: {integrator: %s, dt: 1e-2, until: 1}\n";
    (void)state;
    for (int i = 0; i < SCHEMES + 1; i++) {
        const char *scheme = i < SCHEMES ? schemes[i] : "lobatto, events: locate";
        trial run = trial_text(text, 0., scheme);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], 0, 1e-13);
        trial_close(&run);
        run = trial_text(text, 1., scheme);
        trial_finish(&run);
        assert_near(carom_sim_u(run.sim)[0], 1 + 1.4, i < SCHEMES ? 1.4 * 1e-2 : 1e-9); /* half a step, if captured */
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(located_stick_slip),
        cmocka_unit_test(captured_stick_slip),
        cmocka_unit_test(both_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
