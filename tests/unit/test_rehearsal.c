/* Which joints fit together only where they are closed. The elliptic trammel is the smallest such loop: the ends of a
 * rod slide on two lines at right angles, so its middle moves on a circle; a crank that holds it there is one row too
 * many. Once the rod is elsewhere, the three rows leave its three coordinates no motion. */
#include "integrator/rehearsal.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>

static bool parts(trial *run) {
    bool part;
    carom_error error;
    assert_int_equal(rehearse_joints(carom_scene_model(run->scene), &part, &error), CAROM_OK);
    trial_close(run);
    return part;
}

/* a: half the length of the rod, in any unit; others: masses on springs beside it */
static trial trammel(double a, int others) {
    return trial_text("carom: 1\n"
                      "parameters: {a: %g, n: %d}\n"
                      "model:\n"
                      "  coordinates:\n"
                      "    x: {start: a*cos(1)}\n"
                      "    y: {start: a*sin(1)}\n"
                      "    phi: {start: 1}\n"
                      "    \"s[i=1..n]\": {start: 0}\n"
                      "  kinetic: (x_dot^2 + y_dot^2)/2 + a^2*phi_dot^2/6 + sum(i=1..n, s_dot[i]^2/2)\n"
                      "  potential: sum(i=1..n, s[i]^2/2)\n"
                      "  constraints: {slides: [x - a*cos(phi), y - a*sin(phi)], crank: x^2 + y^2 - a^2}\n"
                      "run: {integrator: rattle, dt: 1e-3, until: 1}\n",
                      a, others);
}

static void trammels(void **state) {
    (void)state;
    static const double lengths[] = {0.5, 500, 5e-4};
    for (int i = 0; i < 3; i++) {
        trial alone = trammel(lengths[i], 1), among = trammel(lengths[i], 300);
        assert_true(parts(&alone));
        assert_true(parts(&among));
    }
}

/* On a table that moves: the joints to it depend on time. */
static void trammel_on_a_moving_table(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\n"
                           "model:\n"
                           "  coordinates: {x: {start: cos(1)}, y: {start: sin(1)}, phi: {start: 1}}\n"
                           "  kinetic: (x_dot^2 + y_dot^2)/2 + phi_dot^2/6\n"
                           "  constraints:\n"
                           "    slides: [x - t^2 - cos(phi), y - sin(phi)]\n"
                           "    crank: (x - t^2)^2 + y^2 - 1\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 1}\n");
    assert_true(parts(&run));
}

static bool scene_parts(const char *name, const char *override) {
    trial run = trial_scene(name, override, NULL);
    bool part = parts(&run);
    printf("%s, %s: %s\n", name, override ? override : "as it is", part ? "parts" : "fits");
    return part;
}

/* Six hinges of a mobile cube fit where they are closed, driven or not. */
static void bricard(void **state) {
    (void)state;
    assert_true(scene_parts("gallery/bricard", NULL));
    assert_true(scene_parts("gallery/bricard", "model.joints.h12.angle=0.5*(1 - cos(t))"));
    assert_true(scene_parts("gallery/bricard", "model.joints.h12.speed=sin(t)/2"));
}

/* Independent rows; rows that are the same everywhere; linkages that stay in their plane, in which they are held
 * several times over; loops that a drive leaves no freedom; no joints at all. */
static void others_fit(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "gallery/slider_crank_bodies", "gallery/double_pendulum_space", "gallery/heavy_top", "gallery/doubled_joint",
        "gallery/four_bar_space",      "gallery/crank_driven",          "gallery/cardan",    "gallery/dice"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) assert_false(scene_parts(scenes[i], NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trammels),
        cmocka_unit_test(trammel_on_a_moving_table),
        cmocka_unit_test(bricard),
        cmocka_unit_test(others_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
