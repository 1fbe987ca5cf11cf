/* Random mixes of laws: one to three balls on a floor and against each other, and perhaps a body on a joint with
 * friction or a stop, each contact with a law of impact, a kind of friction, and perhaps rolling, drilling, a grain, a
 * belt or adhesion of its own, by every integrator with friction, captured and located. Whatever the mix,
 *
 *   the run ends, and numbers stay finite;
 *   friction of contacts, of rolling and of joints stays in its ball, contacts do not pull;
 *     (those of joints up to what the force turns in a step, 5 rad/s times dt: the sum of a step is shorter than its
 *     parts, and the force of a joint that nsga records is another mean than the one that presses);
 *   energy does not grow where every law says so and no belt brings any.
 *
 * Captured impacts are off by a step, so that energy may be off by a twentieth of the largest T, as in the campaign of
 * throws; where all events are located, by what the scheme misses between them: 1e-3 of it is far above. */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "support/draft_text.h"

enum { CONTACTS, CAPTURED, WEAKENED, YIELDS, HELD };

static const char *const schemes[] = {
    "moreau",  "symmetric_moreau",       "variational_moreau",     "theta", "nsga", "generalized_alpha", "rattle",
    "lobatto", "rattle, events: locate", "lobatto, events: locate"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, LOCATED = 8 };

typedef struct mix {
    uint64_t state;
    int scheme;
    bool dissipates; /* every law says so */
    draft_text text;
} mix;

static double between(mix *x, double low, double high) {
    return campaign_between(&x->state, low, high);
}

static bool perhaps(mix *x, double share) {
    return campaign_random(&x->state) < share;
}

static int below(mix *x, int n) {
    return (int)(n * campaign_random(&x->state));
}

/* ---------------------------------------------------------------- laws */

/* A kind of friction, the greatest at rest. place: a coordinate; slips: how many there are. */
static void say_friction(mix *x, const char *place, int slips) {
    const double mu = between(x, 0.05, 0.9), other = between(x, 0.05, 0.9);
    draft_add(&x->text, "friction: ");
    switch (below(x, slips > 1 ? 8 : 6)) {
    case 0:
        draft_add(&x->text, "%.3f", mu);
        break;
    case 1:
        draft_add(&x->text, "%.3f + %.3f*exp(-slip/%.3f)", mu, other, between(x, 0.02, 1));
        break;
    case 2:
        draft_add(&x->text, "{static: %.3f, kinetic: %.3f}", mu + other, mu);
        break;
    case 3:
        draft_add(&x->text, "%.3f*(1.2 + sin(%.2f*t))", mu, between(x, 1, 20));
        break;
    case 4:
        draft_add(&x->text, "%.3f*(1.2 + sin(%.2f*%s))", mu, between(x, 1, 20), place);
        break;
    case 5:
        draft_add(&x->text, "(%.3f + %.3f*exp(-slip/%.3f))*(1.2 + sin(%.2f*%s))", mu, other, between(x, 0.02, 1),
                  between(x, 1, 20), place);
        break;
    case 6:
        draft_add(&x->text, "[%.3f, %.3f]", mu, other);
        break;
    default:
        draft_add(&x->text, "{along: [%.3f, %.3f], factor: 1 + 0.5*exp(-slip/0.1)}", mu, other);
    }
}

/* rest: the velocity below which nothing rebounds may be given. */
static void say_impact(mix *x, bool rest) {
    static const char *const laws[] = {"newton", "poisson", "energetic", "energetic", "plastic"};
    const int law = below(x, 5);
    x->dissipates = x->dissipates && law > 1;
    draft_add(&x->text, ", impact: %s", laws[law]);
    if (law == 4) return;
    if (perhaps(x, 0.3)) draft_add(&x->text, ", restitution: 0.9*exp(-speed/%.2f)", between(x, 0.5, 5));
    else draft_add(&x->text, ", restitution: %.3f", perhaps(x, 0.2) ? 1 : between(x, 0, 1));
    if (rest && perhaps(x, 0.3)) draft_add(&x->text, ", rest: %.3f", between(x, 1e-3, 0.2));
}

static void say_surface(mix *x, const char *place, bool floor) {
    const bool drills = perhaps(x, 0.2);
    if (drills) draft_add(&x->text, "friction: %.3f, drilling: %.4f", between(x, 0.05, 0.9), between(x, 1e-3, 0.02));
    else say_friction(x, place, 2);
    say_impact(x, true);
    if (perhaps(x, 0.3)) draft_add(&x->text, ", rolling: %.4f", between(x, 1e-3, 0.03));
    if (!floor) return;
    if (perhaps(x, 0.15))
        draft_add(&x->text, ", belt: [%.2f, %.2f, 0]", between(x, -1, 1), between(x, -1, 1)), x->dissipates = false;
    if (perhaps(x, 0.15)) draft_add(&x->text, ", adhesion: %.2f", between(x, 0.5, 20));
}

/* ---------------------------------------------------------------- the scene */

static void say_balls(mix *x, int balls) {
    for (int i = 1; i <= balls; i++)
        draft_add(&x->text,
                  "    b%d: {type: spatial, mass: %.3f, inertia: [0.01, 0.01, 0.01], position: [%.4f, %.4f, %.4f], "
                  "velocity: [%.3f, %.3f, %.3f], angular_velocity: [%.2f, %.2f, %.2f], shape: {sphere: 0.15}}\n",
                  i, between(x, 0.3, 3), 0.31 * i, between(x, -0.05, 0.05),
                  perhaps(x, 0.4) ? 0.15 : between(x, 0.15, 0.3), between(x, -2, 2), between(x, -1, 1),
                  between(x, -2, 0), between(x, -8, 8), between(x, -8, 8), between(x, -8, 8));
}

static void say_joint(mix *x) {
    static const char *const types[] = {"revolute", "prismatic", "cylindrical", "spherical"};
    const int type = below(x, 4);
    draft_add(&x->text, "  joints:\n    j: {type: %s, bodies: [world, arm], at: [0, 0, 2], ", types[type]);
    if (type < 3) draft_add(&x->text, "axis: [0, 1, 0], ");
    if (type != 1) draft_add(&x->text, "radius: %.3f, ", between(x, 0.01, 0.1));
    if (perhaps(x, 0.3)) draft_add(&x->text, "preload: %.2f, ", between(x, 1, 20));
    say_friction(x, "arm.x", 1);
    draft_add(&x->text, "}\n");
}

static void say_stop(mix *x) {
    draft_add(&x->text, "  joints:\n    j: {type: revolute, bodies: [world, arm], at: [0, 0, 2], axis: [0, 1, 0], "
                        "limits: [-0.3, 0.2]");
    say_impact(x, false);
    draft_add(&x->text, "}\n");
}

static void draw(mix *x, uint64_t number) {
    *x = (mix){.state = number, .dissipates = true, .scheme = (int)(number % SCHEMES)};
    const int balls = 1 + below(x, 3), joint = below(x, 3);
    char place[16];
    draft_add(&x->text, "carom: 1\nmodel:\n  gravity: [%.2f, 0, -9.81]\n", between(x, -2, 2));
    if (perhaps(x, 0.2)) draft_add(&x->text, "  impacts: sequential\n");
    draft_add(&x->text, "  bodies:\n");
    say_balls(x, balls);
    if (joint)
        draft_add(&x->text, "    arm: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 2]}\n");
    if (joint == 1) say_joint(x);
    if (joint == 2) say_stop(x);
    draft_add(&x->text, "  contacts:\n");
    for (int i = 1; i <= balls; i++) {
        snprintf(place, sizeof place, "b%d.x", i);
        draft_add(&x->text, "    f%d: {between: [b%d, {body: world, plane: [0, 0, 1]}], ", i, i);
        say_surface(x, place, true);
        draft_add(&x->text, "}\n");
        if (i == balls) break;
        draft_add(&x->text, "    p%d: {between: [b%d, b%d], ", i, i, i + 1);
        say_surface(x, place, false);
        draft_add(&x->text, "}\n");
    }
    draft_add(&x->text, "run: {integrator: %s, dt: 2e-3, until: 0.5}\n", schemes[x->scheme]);
}

/* ---------------------------------------------------------------- what must hold */

typedef struct seen {
    double cone, pull; /* worst of a step, as a part of the largest percussion */
    double joint;      /* the same of friction in joints */
    double start, gain, kinetic;
} seen;

static void see_cones(const carom_model *m, const carom_sim *sim, seen *s) {
    const double *P = carom_sim_percussion(sim);
    double largest = 1e-9;
    for (int k = 0; k < m->ns; k++) largest = fmax(largest, fabs(P[k]));
    for (int k = 0; k < m->def.contacts; k++) {
        double friction = 0;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) friction = hypot(friction, P[i]);
        double *cone = contact_pressed_by(m, k) < 0 ? &s->joint : &s->cone;
        *cone = fmax(*cone, (friction - m->def.contact[k].friction * contact_load(m, k, P)) / largest);
        if (!contact_follows(m, k)) s->pull = fmax(s->pull, -P[m->N + k] / largest);
    }
}

static void see_energy(const carom_model *m, const carom_sim *sim, seen *s, bool first) {
    double T = NAN, V = NAN;
    m->def.energy(m->def.context, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim), &T, &V);
    if (first) s->start = T + V;
    s->kinetic = fmax(s->kinetic, T);
    s->gain = isfinite(T + V) ? fmax(s->gain, T + V - s->start) : INFINITY;
}

static void follow(const mix *x, const carom_model *m, carom_sim *sim, campaign_case *c) {
    carom_error error = {0};
    carom_status status = CAROM_OK;
    seen s = {0};
    see_energy(m, sim, &s, true);
    while (!carom_sim_done(sim) && !(status = carom_sim_step(sim, &error))) {
        see_cones(m, sim, &s);
        see_energy(m, sim, &s, false);
    }
    const bool located = x->scheme >= LOCATED && carom_sim_captured(sim) == 0;
    const double part = s.gain / s.kinetic;
    double most;
    if (status) campaign_violation(c, "%s: %s", schemes[x->scheme], error.message);
    if (!(s.cone <= 1e-6)) campaign_violation(c, "cone missed by %.3g", s.cone);
    if (!(s.joint <= 1e-2)) campaign_violation(c, "friction of the joint beyond its force by %.3g", s.joint);
    if (!(s.pull <= 1e-6)) campaign_violation(c, "pulls by %.3g", s.pull);
    if (!isfinite(s.gain)) campaign_violation(c, "not finite");
    if (x->dissipates && part > (located ? 1e-3 : 0.05)) campaign_violation(c, "energy grows by %.3g of T", part);
    c->count[CONTACTS] += m->def.contacts, c->count[HELD] += x->dissipates;
    c->count[CAPTURED] += carom_sim_captured(sim);
    c->count[WEAKENED] += carom_sim_weakened(sim, &most), c->count[YIELDS] += carom_sim_yields(sim, &most);
}

static void judge(uint64_t number, campaign_case *c) {
    static mix x;
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    draw(&x, number);
    c->kind = x.scheme;
    if (campaign_loud) printf("%s", x.text.text);
    if (carom_scene_parse(x.text.text, strlen(x.text.text), "mix", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        campaign_violation(c, "refused: %s", error.message);
    else follow(&x, carom_scene_model(scene), sim, c);
    carom_sim_destroy(sim), carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign laws = {.cases = "mixes",
                           .few = 20,
                           .patience = 120,
                           .count = {"contacts", "captured steps", "without rebound", "yields", "held to energy"},
                           .judge = judge};
    return campaign_main(&laws, argc, argv);
}
