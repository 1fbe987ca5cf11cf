/* Cans, coins and rods that are thrown into a box: three to nine of all proportions, by rattle and by moreau, exactly
 * and at an accepted error.
 *
 * Forbidden: a run that ends early; energy that grows in a step by more than 1e-3, what the second order of rattle
 * leaves of bodies that turn by some degrees a step; and a body that leaves the box.
 *
 * By moreau forces h act for a step from its start on. Without percussions the energy grows by dt^2/2 a^T M a, with
 * a = M^-1 h: by m g^2 dt^2/2 of the weight, and by no more than dt^2/2 |w|^2 (A/B) w^T J w of the gyroscopic torque,
 * A/B being the largest of J by the least. That is allowed besides, twice; for it has no end, bodies that turn by more
 * than 20 degrees a step are not followed. Walls may be entered by what the fastest point moves in a step: thrown at
 * 2 m/s from 1 m, it is no faster than 6 m/s and what it turns by. */
#include "carom/carom.h"
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCENES, BODIES, STEPS, LEFT };
enum { MOST = 9 };

static double choose(uint64_t *state, int count, const double *of) {
    return of[(int)(campaign_random(state) * count)];
}
#define CHOOSE(state, ...)                                                                                             \
    choose(state, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

typedef struct box_of_cans {
    int bodies;
    double radius[MOST], length[MOST], dt;
    bool moreau;
} box_of_cans;

static int write_body(uint64_t *state, int i, bool thin, box_of_cans *box, char *text, size_t size) {
    const double radius = box->radius[i] = campaign_between(state, 0.02, 0.05);
    const double length = box->length[i] = thin ? CHOOSE(state, 0.005, 0.01, 0.3) : campaign_between(state, 0.03, 0.12);
    double x[9];
    for (int k = 0; k < 9; k++) x[k] = campaign_between(state, -1, 1);
    const bool upright = campaign_random(state) < 0.3;
    const double angle = CHOOSE(state, 0, 1.5707963267948966, campaign_between(state, 0, 3));
    return snprintf(
        text, size,
        "    c%d: {type: spatial, density: 1000, shape: {cylinder: {radius: %.6g, length: %.6g}}, position: "
        "[%.6g, %.6g, %g], rotation: {axis: [%g, %g, %g], angle: %.17g}, velocity: [%.3f, %.3f, -1], "
        "angular_velocity: [%.3f, %.3f, 0]}\n",
        i, radius, length, 0.3 * (i % 2) - 0.15 + 0.02 * x[0], 0.3 * (i / 2 % 2) - 0.15 + 0.02 * x[1],
        0.25 + 0.33 * (i / 4), upright ? 0 : x[2], upright ? 1 : x[3], upright ? 0 : x[4], angle, x[5], x[6], 8 * x[7],
        8 * x[8]);
}

static box_of_cans write(uint64_t *state, char *text, size_t size) {
    const int bodies = 3 + (int)(campaign_random(state) * 7);
    box_of_cans box = {.bodies = bodies};
    const bool thin = campaign_random(state) < 0.5, accepts = campaign_random(state) < 0.5;
    const double mu = CHOOSE(state, 0, 0.3, 0.6), e = CHOOSE(state, 0, 0.2, 0.5), dt = CHOOSE(state, 1e-3, 2e-3);
    size_t at = (size_t)snprintf(text, size, "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n");
    for (int i = 0; i < bodies; i++) at += (size_t)write_body(state, i, thin, &box, text + at, size - at);
    box.dt = dt, box.moreau = campaign_random(state) < 0.4;
    at += (size_t)snprintf(text + at, size - at, "  contacts: {all: {among: [");
    for (int i = 0; i < bodies; i++) at += (size_t)snprintf(text + at, size - at, "c%d, ", i);
    snprintf(text + at, size - at,
             "{body: world, box: [1, 1, 0.1], at: [0, 0, -0.05]}, {body: world, plane: [1, 0, 0], at: [-0.36, 0, 0]}, "
             "{body: world, plane: [-1, 0, 0], at: [0.36, 0, 0]}, {body: world, plane: [0, 1, 0], at: [0, -0.36, 0]}, "
             "{body: world, plane: [0, -1, 0], at: [0, 0.36, 0]}], friction: %g, restitution: %g}}\n"
             "run: {integrator: %s, dt: %g, until: 0.6%s}\n",
             mu, e, box.moreau ? "moreau" : "rattle", dt, accepts ? ", accept: 1e-3" : "");
    return box;
}

/* What moreau's forces may add to the energy in a step from these velocities. */
static double gain(const box_of_cans *box, const double *u) {
    double sum = 0;
    for (int i = 0; i < box->bodies; i++) {
        const double r = box->radius[i], L = box->length[i], m = 1000 * 3.14159265358979 * r * r * L,
                     *w = u + 6 * i + 3;
        const double along = m * r * r / 2, across = m * (3 * r * r + L * L) / 12;
        const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        const double twice = across * (w[0] * w[0] + w[1] * w[1]) + along * w[2] * w[2];
        sum += m * 9.81 * 9.81 + square * fmax(along, across) / fmin(along, across) * twice;
    }
    return box->moreau ? box->dt * box->dt * sum : 0;
}

static double fastest_turn(const box_of_cans *box, const double *u) {
    double most = 0;
    for (int i = 0; i < box->bodies; i++)
        for (int k = 3; k < 6; k++) most = fmax(most, fabs(u[6 * i + k]));
    return most;
}

static void follow(carom_sim *sim, const box_of_cans *box, int column, double *row, campaign_case *x,
                   carom_error *error) {
    const double *q = carom_sim_q(sim), *u = carom_sim_u(sim);
    double before = HUGE_VAL;
    bool grew = false, left = false;
    while (!carom_sim_done(sim)) {
        const double gained = gain(box, u), turn = fastest_turn(box, u);
        const double wall = 0.36 + box->moreau * box->dt * (6 + 0.16 * turn);
        if (box->moreau && box->dt * turn > 0.35) {
            x->count[LEFT]++;
            break;
        }
        if (carom_sim_step(sim, error) || carom_sim_row(sim, row, error)) {
            campaign_violation(x, "t = %g: %s", carom_sim_time(sim), error->message);
            return;
        }
        x->count[STEPS]++;
        grew = grew || row[column] > before + 1e-3 * fabs(before) + gained, before = row[column];
        for (int i = 0; i < box->bodies; i++)
            left = left || fabs(q[7 * i]) > wall || fabs(q[7 * i + 1]) > wall || q[7 * i + 2] < 0.36 - wall;
    }
    if (grew) campaign_violation(x, "energy grows");
    if (left) campaign_violation(x, "a body leaves the box");
}

static void judge(uint64_t number, campaign_case *x) {
    uint64_t state = number;
    char text[6000];
    double row[400];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    const box_of_cans box = write(&state, text, sizeof text);
    if (campaign_loud) printf("%s\n", text);
    if (carom_scene_parse(text, strlen(text), "cans", NULL, 0, &scene, &error)) {
        if (!strstr(error.message, "overlap at the start")) campaign_violation(x, "%s", error.message);
    } else if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) {
        if (!strstr(error.message, "overlap at the start")) campaign_violation(x, "%s", error.message);
    } else {
        int energy = 0;
        while (strcmp(carom_sim_column_name(sim, energy), "E") != 0) energy++;
        x->count[SCENES]++, x->count[BODIES] += box.bodies;
        follow(sim, &box, energy, row, x, &error);
    }
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign cans = {.cases = "boxes of cans",
                           .few = 16,
                           .patience = 200,
                           .count = {"scenes", "bodies", "steps", "scenes left since a body turns fast"},
                           .judge = judge};
    return campaign_main(&cans, argc, argv);
}
