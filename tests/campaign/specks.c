/* Shots at specks: a point of unit mass flies straight at a disk whose radius is between a tenth and a
 * thousand-millionth of the way there, by steps of any length, and is thrown back. The gap is the distance, or a square
 * that has next to no slope where it closes, in some unit.
 *
 * With b, the distance at which it would pass the centre, and r, the radius, it strikes after (L - sqrt(r^2 - b^2))/v
 * at the normal n, and leaves with u - 2 (u.n) n.
 *
 * Forbidden: an impact that is missed without a word, one that is invented, one at another time or in another
 * direction. Places are known to the rounding of coordinates and of how far a step goes, and to dt times the tolerance,
 * of which a step that ends where a gap closes may leave a sixteenth; numbers of the size of L are rounded a dozen
 * times. Along the way that is as much over cos = sqrt(1 - b^2/r^2) > 0.3, and n turns by as much over r cos. */
#include "campaign.h"
#include "carom/carom.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct speck {
    double L, v, r, b, turn, unit, dt, tolerance;
    int form;
    const char *integrator;
} speck;

static speck draw(uint64_t number) {
    uint64_t r = 7777777 * number;
    speck s = {.L = pow(10, campaign_between(&r, -1, 1)), .v = pow(10, campaign_between(&r, -2, 3))};
    s.r = s.L * pow(10, campaign_between(&r, -9, -1));
    s.b = s.r * campaign_between(&r, -0.95, 0.95);
    s.turn = campaign_between(&r, 0, 6.2831853);
    s.unit = pow(10, campaign_between(&r, -6, 6));
    s.form = (int)(3 * campaign_random(&r));
    s.dt = s.L / s.v * pow(10, campaign_between(&r, -1.5, 0.3));
    s.tolerance = 1e-13 * s.v;
    s.integrator = campaign_random(&r) < 0.5 ? "rattle" : "lobatto";
    return s;
}

static carom_scene *scene_of(const speck *s, campaign_case *c) {
    const double x = cos(s->turn), y = sin(s->turn);
    carom_sketch *k = carom_sketch_create("speck");
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_sketch_add(k, "model.coordinates={x: {start: %.17g, velocity: %.17g}, y: {start: %.17g, velocity: %.17g}}",
                     -s->L * x - s->b * y, s->v * x, -s->L * y + s->b * x, s->v * y);
    carom_sketch_add(k, "model.kinetic=(x_dot^2 + y_dot^2)/2");
    if (s->form == 0)
        carom_sketch_add(k, "model.contacts.speck={gap: \"%.17g*(sqrt(x^2 + y^2) - %.17g)\", restitution: 1}", s->unit,
                         s->r);
    else
        carom_sketch_add(k, "model.contacts.speck={gap: \"%.17g*(x^2 + y^2 - %.17g^2)\", restitution: 1}",
                         s->form == 1 ? s->unit : 0.5 / s->r, s->r);
    carom_sketch_add(k, "run={integrator: %s, events: locate, dt: %.17g, until: %.17g, tolerance: %.17g}",
                     s->integrator, s->dt, 2 * s->L / s->v, s->tolerance);
    if (carom_sketch_scene(k, &scene, &error)) campaign_violation(c, "no scene: %s", error.message);
    carom_sketch_destroy(k);
    return scene;
}

enum { IMPACTS, DOUBTS };

static void follow(carom_sim *sim, const speck *s, campaign_case *c) {
    const double slope = sqrt(1 - s->b * s->b / (s->r * s->r)), strike = (s->L - s->r * slope) / s->v;
    const double known = (12 + 4) * DBL_EPSILON * (s->L + s->dt * s->v) + s->dt * s->tolerance / 16,
                 off = known / slope;
    carom_error error = {0};
    double time, at = NAN;
    int strikes = 0, contact, count;
    while (!carom_sim_done(sim)) {
        if (carom_sim_step(sim, &error)) {
            campaign_violation(c, "%s", error.message);
            return;
        }
        const carom_event *e = carom_sim_events(sim, &count);
        for (int i = 0; i < count; i++, strikes++) at = e[i].time;
    }
    const bool doubted = carom_sim_doubts(sim, &contact, &time) > 0;
    c->count[IMPACTS] += strikes, c->count[DOUBTS] += doubted;
    if (doubted && strikes == 0) return;
    if (strikes != 1) campaign_violation(c, "%d impacts", strikes);
    else if (!(fabs(at - strike) * s->v <= off))
        campaign_violation(c, "strikes at %.17g, not at %.17g (+- %.1e)", at, strike, off / s->v);
    const double *u = carom_sim_u(sim), n[] = {-slope, s->b / s->r}; /* along the way, across it */
    const double along = s->v - 2 * s->v * n[0] * n[0], across = -2 * s->v * n[0] * n[1];
    const double x = cos(s->turn), y = sin(s->turn), bound = s->v * (4 * off / s->r + 1e-9);
    if (!(fabs(u[0] - along * x + across * y) <= bound && fabs(u[1] - along * y - across * x) <= bound))
        campaign_violation(c, "leaves with (%.9g, %.9g), not (%.9g, %.9g) (+- %.1e)", u[0], u[1],
                           along * x - across * y, along * y + across * x, bound);
}

static void judge(uint64_t number, campaign_case *c) {
    const speck s = draw(number);
    carom_scene *scene = scene_of(&s, c);
    carom_sim *sim = NULL;
    carom_error error = {0};
    if (campaign_loud && scene) printf("%s", carom_scene_text(scene));
    if (scene && carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        campaign_violation(c, "%s", error.message);
    if (sim) follow(sim, &s, c);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    static const campaign specks = {.cases = "shots at specks",
                                    .few = 300,
                                    .patience = 30,
                                    .count = {"impacts", "shots with doubts"},
                                    .judge = judge};
    return campaign_main(&specks, argc, argv);
}
