/* Intervals keep their word: of 200 records with noise, 95 % intervals hold the true value in 95 of 100. Records are
 * those of motions in closed form, a ball that is dropped and a block that slides until it stops, of random size and
 * with random times. Of 200 intervals fewer than 176 hold the truth with a probability below 1e-4 (binomial, 190
 * +- 3.1); that is a violation. */
#include "support/campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "identify/identify.h"
#include "identify/least_squares.h"

enum { INTERVALS, HELD, FAILED, RECORDS = 200, LEAST = 176, SAMPLES = 20 };

static const char ball[] = "carom: 1\n"
                           "parameters: {e: 0.6, z0: 1.2}\n"
                           "model:\n"
                           "  coordinates: {z: {start: z0}}\n"
                           "  kinetic: z_dot^2/2\n"
                           "  potential: 9.81*z\n"
                           "  contacts: {floor: {gap: z, restitution: e}}\n"
                           "run: {integrator: lobatto, events: locate, dt: 0.1, until: 1.3}\n";
static const char block[] = "carom: 1\n"
                            "parameters: {mu: 0.3, v: 2}\n"
                            "model:\n"
                            "  coordinates: {x: {start: 0, velocity: v}, y: {start: 0}}\n"
                            "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                            "  potential: 9.81*y\n"
                            "  contacts: {floor: {gap: y, slip: x_dot, friction: mu}}\n"
                            "run: {integrator: lobatto, events: locate, dt: 0.1, until: 1.3}\n";

/* ---------------------------------------------------------------- motions in closed form */

static double height(double t, double e, double z0) {
    double strike = sqrt(2 * z0 / 9.81), v = 9.81 * strike;
    if (t < strike) return z0 - 9.81 * t * t / 2;
    for (v *= e; t > strike + 2 * v / 9.81; v *= e) strike += 2 * v / 9.81;
    return v * (t - strike) - 9.81 * (t - strike) * (t - strike) / 2;
}

static double way(double t, double mu, double v) {
    const double s = fmin(t, v / (mu * 9.81));
    return v * s - mu * 9.81 * s * s / 2;
}

/* ---------------------------------------------------------------- records */

typedef struct experiment {
    carom_scene *scene;
    bool drops;
    double truth[2], sigma;
    uint64_t state;
} experiment;

/* Box and Muller. */
static double noise(experiment *x) {
    const double radius = sqrt(-2 * log(1 - campaign_random(&x->state)));
    return x->sigma * radius * cos(2 * M_PI * campaign_random(&x->state));
}

static void write_record(experiment *x, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) return;
    fprintf(out, "t,%s\n", x->drops ? "z" : "x");
    for (int i = 0; i < SAMPLES; i++) {
        const double t = 1.3 * (i + campaign_random(&x->state)) / SAMPLES;
        const double exact = (x->drops ? height : way)(t, x->truth[0], x->truth[1]);
        fprintf(out, "%.17g,%.17g\n", t, exact + noise(x));
    }
    fclose(out);
}

static bool identify(experiment *x, const char *path, int held[2], carom_error *error) {
    static const char *const names[][2] = {{"mu", "start.x_dot"}, {"e", "z0"}};
    const double guess[][2] = {{0.25, 1.8}, {0.6, 1.2}}, low[2] = {0, 0}, high[2] = {1, 10};
    records data;
    identify_answer a = {0};
    bool ok = !records_read(carom_scene_model(x->scene), 1.3, &path, 1, NULL, 0, NULL, 0, &data, error);
    const identify_question q = {x->scene, &data, names[x->drops], 2, 2};
    ok = ok && !identify_compute(&q, guess[x->drops], low, high, &a, error);
    for (int k = 0; k < 2 && ok; k++) held[k] += a.estimate[k].low <= x->truth[k] && x->truth[k] <= a.estimate[k].high;
    identify_destroy(&a);
    records_destroy(&data);
    return ok;
}

static void judge(uint64_t number, campaign_case *c) {
    char path[] = "/tmp/carom-identify-XXXXXX";
    experiment x = {.drops = number % 2, .state = number};
    carom_error error = {0};
    int held[2] = {0, 0};
    const char *text = x.drops ? ball : block;
    const int file = mkstemp(path);
    x.truth[0] = x.drops ? campaign_between(&x.state, 0.5, 0.8) : campaign_between(&x.state, 0.2, 0.4);
    x.truth[1] = x.drops ? campaign_between(&x.state, 0.8, 1.5) : campaign_between(&x.state, 1.5, 2.5);
    x.sigma = campaign_between(&x.state, 1e-3, 1e-2);
    if (file < 0 || carom_scene_parse(text, strlen(text), "scene", NULL, 0, &x.scene, &error))
        campaign_violation(c, "no scene: %s", error.message);
    for (int i = 0; i < RECORDS && x.scene; i++) {
        write_record(&x, path);
        if (identify(&x, path, held, &error)) continue;
        c->count[FAILED]++;
        campaign_violation(c, "record %d: %s", i, error.message);
    }
    c->count[INTERVALS] = 2 * RECORDS, c->count[HELD] = held[0] + held[1];
    for (int k = 0; k < 2; k++)
        if (held[k] < LEAST) campaign_violation(c, "only %d of %d intervals hold unknown %d", held[k], RECORDS, k + 1);
    if (!c->violations)
        snprintf(c->note, sizeof c->note, "%d and %d of %d intervals hold the truth", held[0], held[1], RECORDS);
    carom_scene_destroy(x.scene);
    close(file);
    unlink(path);
}

int main(int argc, char **argv) {
    static const campaign here = {.cases = "sets of records",
                                  .few = 2,
                                  .patience = 120,
                                  .count = {"intervals", "that hold the truth", "failed", NULL},
                                  .judge = judge};
    if (!least_squares_there()) return 77;
    return campaign_main(&here, argc, argv);
}
