/* Figures in the plane that are thrown into a box: circles, rectangles, capsules, polygons and unions of them, three to
 * ten, by all schemes, exactly, at an accepted error, and located.
 *
 * Forbidden: a run that ends early; energy beyond that of the start by more than 1 %, what schemes of first order make
 * of the weight in a few hundred steps; figures that end deeper in each other than 1e-6 m where a scheme closes
 * positions, 1e-5 m where an error is accepted, and 2 cm otherwise; and a figure that leaves the box. */
#include "carom/carom.h"
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCENES, BODIES, STEPS, LOCATED };
enum { MOST = 10, TOUCHES = 400, TEXT = 8000 };

typedef struct box_of_figures {
    int bodies;
    bool closes, accepts, located;
} box_of_figures;

static double between(uint64_t *state, double least, double most) {
    return campaign_between(state, least, most);
}

static int write_hull(uint64_t *state, char *text, size_t size) {
    const int points = 3 + (int)between(state, 0, 6);
    int at = snprintf(text, size, "{hull: [");
    for (int i = 0; i < points; i++) {
        const double angle = 2 * acos(-1) * (i + between(state, 0, 0.8)) / points, r = between(state, 0.05, 0.09);
        at += snprintf(text + at, size - (size_t)at, "%s[%.6g, %.6g]", i ? ", " : "", r * cos(angle), r * sin(angle));
    }
    return at + snprintf(text + at, size - (size_t)at, "]}");
}

static int write_shape(uint64_t *state, char *text, size_t size) {
    const double a = between(state, 0.03, 0.07), b = between(state, 0.01, 0.12);
    switch ((int)between(state, 0, 7)) {
    case 0:
        return snprintf(text, size, "{disk: %.6g}", a);
    case 1:
        return snprintf(text, size, "{box: [%.6g, %.6g]}", 2 * a, b);
    case 2:
        return snprintf(text, size, "{capsule: {radius: %.6g, length: %.6g}}", a / 2, b);
    case 3:
        return snprintf(text, size, "{disk: %.6g, points: %d}", a, 3 + (int)between(state, 0, 6));
    case 4:
        return snprintf(text, size, "{cylinder: {radius: %.6g, length: %.6g}}", a / 2, b);
    case 5:
        return snprintf(text, size, "[{box: [%.6g, 0.02]}, {box: [0.02, %.6g], at: [%.6g, 0.02]}]", 2 * a, a, a / 2);
    default:
        return write_hull(state, text, size);
    }
}

static int write_body(uint64_t *state, int i, char *text, size_t size) {
    int at = snprintf(text, size, "    f%d: {type: planar, mass: 1, inertia: 2e-3, shape: ", i);
    at += write_shape(state, text + at, size - (size_t)at);
    return at + snprintf(text + at, size - (size_t)at,
                         ", position: [%.6g, %.6g], angle: %.6g, velocity: [%.3f, -1], angular_velocity: %.3f}\n",
                         0.27 * (i % 3 - 1) + between(state, -0.02, 0.02), 0.15 + 0.27 * (i / 3), between(state, 0, 6),
                         between(state, -1, 1), between(state, -8, 8));
}

static box_of_figures write(uint64_t *state, char *text) {
    static const struct {
        const char *name;
        bool closes;
    } schemes[] = {{"rattle", true}, {"lobatto", true}, {"generalized_alpha", true},
                   {"nsga", true},   {"theta", false},  {"moreau", false}};
    static const char *const laws[] = {"friction: 0.3", "friction: 0.6, restitution: 0.2", "restitution: 0.5"};
    const int scheme = (int)between(state, 0, 6);
    box_of_figures box = {.bodies = 3 + (int)between(state, 0, MOST - 2), .closes = schemes[scheme].closes};
    box.located = scheme < 2 && between(state, 0, 1) < 0.4;
    box.accepts = !box.located && (scheme == 0 || scheme == 5) && between(state, 0, 1) < 0.5;
    if (box.located && box.bodies > 4) box.bodies = 4;
    size_t at = (size_t)snprintf(text, TEXT, "carom: 1\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n");
    for (int i = 0; i < box.bodies; i++) at += (size_t)write_body(state, i, text + at, TEXT - at);
    at += (size_t)snprintf(text + at, TEXT - at, "  contacts: {all: {among: [");
    for (int i = 0; i < box.bodies; i++) at += (size_t)snprintf(text + at, TEXT - at, "f%d, ", i);
    snprintf(text + at, TEXT - at,
             "{body: world, box: [2, 0.1], at: [0, -0.05]}, {body: world, plane: [1, 0], at: [-0.45, 0]}, "
             "{body: world, plane: [-1, 0], at: [0.45, 0]}], %s}}\nrun: {integrator: %s, dt: 1e-3, until: %s%s}\n",
             laws[(int)between(state, 0, 3)], schemes[scheme].name, box.located ? "0.25" : "0.5",
             box.located   ? ", events: locate"
             : box.accepts ? ", accept: 1e-3"
                           : "");
    return box;
}

static double deepest(const carom_sim *sim) {
    carom_found at[TOUCHES];
    const int count = carom_sim_found(sim, at, TOUCHES);
    double gap = 0;
    for (int i = 0; i < count && i < TOUCHES; i++) gap = fmin(gap, at[i].gap);
    return gap;
}

static void follow(carom_sim *sim, const box_of_figures *box, int energy, double *row, campaign_case *x,
                   carom_error *error) {
    const double allowed = !box->closes ? 2e-2 : box->accepts ? 1e-5 : 1e-6, *q = carom_sim_q(sim);
    double start = NAN, most = -HUGE_VAL, gap = 0;
    bool left = false;
    while (!carom_sim_done(sim)) {
        if (carom_sim_step(sim, error) || carom_sim_row(sim, row, error)) {
            campaign_violation(x, "t = %g: %s", carom_sim_time(sim), error->message);
            return;
        }
        if (isnan(start)) start = row[energy];
        most = fmax(most, row[energy]), gap = fmin(gap, deepest(sim));
        for (int i = 0; i < box->bodies; i++) left = left || fabs(q[3 * i]) > 0.5 || q[3 * i + 1] < -0.1;
        x->count[STEPS]++;
    }
    if (most > start + 1e-2 * fabs(start)) campaign_violation(x, "energy grows from %g to %g", start, most);
    if (gap < -allowed) campaign_violation(x, "they overlap by %g", -gap);
    if (left) campaign_violation(x, "a figure leaves the box");
}

static void judge(uint64_t number, campaign_case *x) {
    uint64_t state = number;
    char text[TEXT];
    double row[800];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    const box_of_figures box = write(&state, text);
    if (campaign_loud) printf("%s\n", text);
    if (carom_scene_parse(text, strlen(text), "figures", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) {
        if (!strstr(error.message, "overlap at the start")) campaign_violation(x, "%s", error.message);
    } else {
        int energy = 0;
        while (strcmp(carom_sim_column_name(sim, energy), "E") != 0) energy++;
        x->count[SCENES]++, x->count[BODIES] += box.bodies, x->count[LOCATED] += box.located;
        follow(sim, &box, energy, row, x, &error);
    }
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign figures = {.cases = "boxes of figures",
                              .few = 24,
                              .patience = 200,
                              .count = {"scenes", "bodies", "steps", "located scenes"},
                              .judge = judge};
    return campaign_main(&figures, argc, argv);
}
