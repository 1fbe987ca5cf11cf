/* The limit of stability holds with contacts (docs/theory/stability.md, (X15)-(X17)): random chains of masses and
 * springs in front of stops, of every integrator that has a limit, at 0.3 to 0.99 of it. Springs draw the masses behind
 * the stops, so that they chatter until they rest. Energy, measured from its least value, stays below what motions
 * without contacts reach next to the limit, 199 times that of the start (tests/conformance/test_stability.c). */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "support/draft_text.h"

enum { CHAINS, IMPACTS, STEPS };

static const double MOST = 199;

static draft_text draft;

static void add_model(uint64_t *state, int masses, double restitution) {
    draft.used = 0;
    draft_add(&draft, "carom: 1\nmodel:\n  coordinates: {");
    for (int i = 1; i <= masses; i++)
        draft_add(&draft, "%sx%d: {start: %.3f, velocity: %.3f}", i > 1 ? ", " : "", i, campaign_between(state, 0, 0.2),
                  campaign_between(state, -1, 1));
    draft_add(&draft, "}\n  kinetic: 0");
    for (int i = 1; i <= masses; i++) draft_add(&draft, " + %.3f*x%d_dot^2/2", campaign_between(state, 0.2, 2), i);
    draft_add(&draft, "\n  potential: %.3f*(x%d + %.3f)^2/2", campaign_between(state, 0.1, 2), masses,
              campaign_between(state, 0, 0.5));
    for (int i = 2; i <= masses; i++)
        draft_add(&draft, " + %.3f*(x%d - x%d)^2/2", campaign_between(state, 1, 100), i, i - 1);
    draft_add(&draft, "\n  contacts: {stop: {gap: x1, restitution: %.3f}", restitution);
    if (campaign_random(state) < 0.5) draft_add(&draft, ", other: {gap: x%d, restitution: %.3f}", masses, restitution);
    draft_add(&draft, "}\n");
}

static void add_run(uint64_t *state, double dt, int steps) {
    static const char *const names[] = {"moreau", "symmetric_moreau", "variational_moreau", "rattle"};
    const int choice = (int)(10 * campaign_random(state));
    if (choice < 4) draft_add(&draft, "run: {integrator: %s, ", names[choice]);
    else draft_add(&draft, "run: {integrator: lobatto, stages: %d, ", choice - 2);
    draft_add(&draft, "dt: %.17g, until: %.17g}\n", dt, dt * steps);
}

static bool load(carom_scene **scene, carom_sim **sim, campaign_case *c) {
    carom_error error = {0};
    bool made = !carom_scene_parse(draft.text, strlen(draft.text), "chain", NULL, 0, scene, &error) &&
                !carom_sim_create(carom_scene_model(*scene), carom_scene_run(*scene), sim, &error);
    if (!made) campaign_violation(c, "no run: %s", error.message);
    return made;
}

static double limit_of(const carom_sim *sim, double dt) {
    double value = 0;
    for (int i = 0; i < carom_sim_figures(sim); i++)
        if (!strcmp(carom_sim_figure(sim, i, &value), "CFL number")) break;
    return dt / value;
}

static double energy(const carom_scene *scene, const carom_sim *sim) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    double T, V;
    return d->energy(d->context, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim), &T, &V) ? NAN : T + V;
}

static void follow(carom_scene *scene, carom_sim *sim, campaign_case *c) {
    const double start = energy(scene, sim);
    double most = 1;
    bool was = false;
    while (!carom_sim_done(sim) && most <= MOST) {
        carom_error error = {0};
        if (carom_sim_step(sim, &error)) {
            campaign_violation(c, "%s", error.message);
            return;
        }
        const bool is = carom_sim_contact(sim, 0) != CAROM_OPEN;
        c->count[IMPACTS] += is && !was;
        c->count[STEPS]++;
        was = is;
        most = fmax(most, energy(scene, sim) / start);
    }
    if (campaign_loud) printf("%s\nenergy up to %g of the start\n", draft.text, most);
    if (!(most <= MOST)) campaign_violation(c, "energy grows %g-fold by t = %g", most, carom_sim_time(sim));
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t state = number;
    const int masses = 2 + (int)(6 * campaign_random(&state)), steps = 10000;
    const double part = campaign_between(&state, 0.3, 0.99), restitution = fmax(0, campaign_between(&state, -0.5, 0.9));
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    add_model(&state, masses, restitution);
    const size_t model = draft.used;
    const uint64_t choice = state;
    add_run(&state, 1e-3, 1);
    if (load(&scene, &sim, c)) {
        const double dt = part * limit_of(sim, 1e-3);
        carom_sim_destroy(sim), carom_scene_destroy(scene);
        sim = NULL, scene = NULL;
        draft.used = model, state = choice;
        add_run(&state, dt, steps);
        c->count[CHAINS]++;
        if (load(&scene, &sim, c)) follow(scene, sim, c);
    }
    carom_sim_destroy(sim), carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign stops = {
        .cases = "chains", .few = 20, .patience = 60, .count = {"chains", "impacts", "steps"}, .judge = judge};
    return campaign_main(&stops, argc, argv);
}
