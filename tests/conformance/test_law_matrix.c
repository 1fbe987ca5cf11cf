/* Every law in captured and located runs of every integrator: a ball that lands on a floor, and a body on a joint, with
 * each law in turn. All of them run, and keep what every law promises: gaps do not open downwards by more than a step,
 * numbers stay finite. multisymplectic has neither friction nor joints, and refuses in one sentence what it has not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/trial.h"

static const char ball[] =
    "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    b: {type: spatial, mass: 1, inertia: [0.01, 0.01, "
    "0.01], position: [0, 0, 0.1501], velocity: [1, 0.2, -1], angular_velocity: [1, 2, 3], shape: {sphere: 0.15}}\n"
    "  contacts: {c: {between: [b, {body: world, plane: [0, 0, 1]}], %s}}\n";
static const char arm[] =
    "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies: {b: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1], "
    "position: [0.3, 0, 0]}}\n  joints: {c: {bodies: [world, b], at: [0, 0, 0], %s}}\n";

static const struct {
    const char *model, *law;
} laws[] = {
    {ball, "friction: 0.3, restitution: 0.5"},
    {ball, "friction: 0.3, restitution: 0.5, impact: poisson"},
    {ball, "friction: 0.3, restitution: 0.5, impact: energetic"},
    {ball, "friction: 0.3, impact: plastic"},
    {ball, "friction: 0.3, restitution: 0.9*exp(-speed)"},
    {ball, "friction: 0.3, restitution: 0.5, rest: 0.1"},
    {ball, "friction: [0.3, 0.6], grain: [1, 1, 0]"},
    {ball, "friction: {along: [0.3, 0.5], factor: 1 + exp(-slip)}"},
    {ball, "friction: 0.3, drilling: 0.01"},
    {ball, "friction: 0.3, rolling: 0.01"},
    {ball, "friction: 0.3, rolling: 0.01, drilling: 0.01"},
    {ball, "friction: {static: 0.5, kinetic: 0.3}"},
    {ball, "friction: 0.3 + 0.2*exp(-slip/0.1)"},
    {ball, "friction: 0.3 + 0.1*slip"},
    {ball, "friction: 0.3*(1.2 + sin(t))"},
    {ball, "friction: 0.3*(1.2 + sin(b.x))"},
    {ball, "friction: 0.3, belt: [1, 0, 0]"},
    {ball, "friction: 0.3, adhesion: 5, restitution: 0.5"},
    {arm, "type: revolute, axis: [0, 1, 0], radius: 0.05, friction: 0.2"},
    {arm, "type: prismatic, axis: [1, 0, 0], friction: 0.2"},
    {arm, "type: cylindrical, axis: [1, 0, 0], radius: 0.05, friction: 0.2"},
    {arm, "type: spherical, radius: 0.05, friction: 0.2"},
    {arm, "type: revolute, axis: [0, 1, 0], radius: 0.05, friction: 0.2, preload: 5"},
    {arm, "type: revolute, axis: [0, 1, 0], radius: 0.05, friction: 0.2 + 0.1*exp(-slip)"},
    {arm, "type: revolute, axis: [0, 1, 0], radius: 0.05, friction: {static: 0.3, kinetic: 0.2}"},
    {arm, "type: revolute, axis: [0, 1, 0], breaks: {force: 9}"},
    {arm, "type: revolute, axis: [0, 1, 0], limits: [-0.01, 0.01], restitution: 0.5, impact: energetic"},
};
enum { LAWS = sizeof laws / sizeof *laws };

static bool locates(const carom_integrator_info *scheme) {
    for (int i = 0; i < scheme->option_count; i++)
        if (!strcmp(scheme->options[i].name, "events")) return true;
    return false;
}

static void goes(const char *model, const char *law, const char *integrator, const char *events) {
    char text[1200];
    const int length = snprintf(text, sizeof text, model, law);
    snprintf(text + length, sizeof text - (size_t)length, "run: {integrator: %s%s, dt: 2e-3, until: 0.1}\n", integrator,
             events);
    trial run = trial_text("%s", text);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        for (int i = 0; i < 3; i++) assert_true(isfinite(carom_sim_q(run.sim)[i]) && isfinite(carom_sim_u(run.sim)[i]));
        if (model == ball) assert_at_least(trial_value(&run, "c.gap"), -2e-3 * 2);
    }
    trial_close(&run);
}

static void every_integrator_takes_every_law(void **state) {
    (void)state;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *scheme = carom_integrator(i);
        for (int k = 0; k < LAWS && strcmp(scheme->name, "multisymplectic"); k++) {
            goes(laws[k].model, laws[k].law, scheme->name, "");
            if (locates(scheme)) goes(laws[k].model, laws[k].law, scheme->name, ", events: locate");
        }
    }
}

static void one_refuses_with_a_sentence(void **state) {
    (void)state;
    for (int k = 0; k < LAWS; k++) {
        char text[1200];
        snprintf(text, sizeof text, laws[k].model, laws[k].law);
        trial_refused("multisymplectic knows no", NULL, "%srun: {integrator: multisymplectic, dt: 2e-3, until: 0.1}\n",
                      text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_takes_every_law),
        cmocka_unit_test(one_refuses_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
