/* Located runs of bodies that pile up in a corner and wedge in: two to four spheres and capsules fall between three
 * planes, with rattle and lobatto of two to four stages. Every run ends, in bounded time. Nothing drives the bodies but
 * gravity and the velocities they start with, restitution is zero: energy never exceeds that of the start. */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "support/draft_text.h"

enum { PILES, EVENTS, STEPS, CAPTURED };

static draft_text draft;

static void add_body(uint64_t *state, int i) {
    draft_add(&draft, "    b%d: {type: spatial, mass: %.3f, shape: {%s},\n", i, campaign_between(state, 0.8, 1.7),
              campaign_random(state) < 0.5 ? "sphere: 0.08" : "capsule: {radius: 0.05, length: 0.15}");
    draft_add(&draft, "      position: [%.4f, %.4f, %.2f], velocity: [-1, -1, 0],\n",
              campaign_between(state, 0.2, 0.35), campaign_between(state, 0.2, 0.35), 0.25 + 0.28 * i);
    draft_add(&draft, "      rotation: {axis: [%.3f, %.3f, 1], angle: %.3f},\n", campaign_between(state, -1, 1),
              campaign_between(state, -1, 1), campaign_between(state, 0, 6));
    draft_add(&draft, "      angular_velocity: [%.2f, %.2f, %.2f]}\n", campaign_between(state, -8, 8),
              campaign_between(state, -8, 8), campaign_between(state, -8, 8));
}

static void add_contacts(int bodies, double mu) {
    static const char *const planes[] = {"0, 0, 1", "1, 0, 0", "0, 1, 0"};
    draft_add(&draft, "  contacts:\n");
    for (int i = 0; i < bodies; i++) {
        for (int k = 0; k < 3; k++)
            draft_add(&draft, "    w%d%d: {between: [b%d, {body: world, plane: [%s]}], friction: %.2f}\n", i, k, i,
                      planes[k], mu);
        for (int j = 0; j < i; j++)
            draft_add(&draft, "    c%d%d: {between: [b%d, b%d], friction: %.2f}\n", i, j, i, j, mu);
    }
}

static void add_scene(uint64_t *state) {
    static const char *const schemes[] = {"rattle", "lobatto, stages: 2", "lobatto", "lobatto, stages: 4"};
    const int bodies = 2 + (int)(3 * campaign_random(state));
    draft.used = 0;
    draft_add(&draft, "carom: 1\nmodel:\n  gravity: [-3, -3, -9.81]\n  bodies:\n");
    for (int i = 0; i < bodies; i++) add_body(state, i);
    add_contacts(bodies, campaign_between(state, 0, 0.6));
    draft_add(&draft, "run: {integrator: %s, events: locate, dt: 2e-3, until: 0.8}\n",
              schemes[(int)(4 * campaign_random(state))]);
}

static double energy(const carom_scene *scene, const carom_sim *sim) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    double T, V;
    return d->energy(d->context, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim), &T, &V) ? NAN : T + V;
}

/* What the order of the scheme leaves: the energy of turning bodies oscillates by (omega dt)^2 of it. */
static const double MORE = 1e-3;

static void follow(carom_scene *scene, carom_sim *sim, campaign_case *c) {
    const double start = energy(scene, sim);
    while (!carom_sim_done(sim)) {
        carom_error error = {0};
        int events;
        if (carom_sim_step(sim, &error)) {
            campaign_violation(c, "%s", error.message);
            return;
        }
        carom_sim_events(sim, &events);
        c->count[EVENTS] += events;
        c->count[STEPS]++;
        if (!(energy(scene, sim) <= start * (1 + MORE))) {
            campaign_violation(c, "energy grows to %g of the start at t = %g", energy(scene, sim) / start,
                               carom_sim_time(sim));
            return;
        }
    }
    c->count[CAPTURED] += carom_sim_captured(sim);
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t state = number;
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_error error = {0};
    add_scene(&state);
    if (campaign_loud) printf("%s", draft.text);
    c->count[PILES]++;
    if (carom_scene_parse(draft.text, strlen(draft.text), "pile", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        campaign_violation(c, "no run: %s", error.message);
    else follow(scene, sim, c);
    carom_sim_destroy(sim), carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign piles = {
        .cases = "piles", .few = 2, .patience = 200, .count = {"piles", "events", "steps", "captured"}, .judge = judge};
    return campaign_main(&piles, argc, argv);
}
