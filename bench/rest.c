/* What a step costs whose bodies rest: located against captured events, seconds on one core.
 *   rest            the table; the exit code is 1 if a ratio exceeds two */
#include "carom/carom.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SCENES = 6, SCHEMES = 4, ROUNDS = 5 };

static const char *const schemes[SCHEMES] = {"rattle", "lobatto, stages: 2", "lobatto", "lobatto, stages: 4"};

/* Rests from the time settled on; measured until the end. */
typedef struct scene_at_rest {
    const char *name;
    double settled, end;
    const char *model;
} scene_at_rest;

#define WORLD "{body: world, plane: [0, 0, 1]}"

static const scene_at_rest scenes[SCENES] = {
    {"block on a slope", 0.01, 0.11,
     "model:\n  gravity: [2, 0, -9.6]\n  bodies:\n"
     "    b: {type: spatial, mass: 3, shape: {box: [1, 0.6, 0.2]}, position: [0, 0, 0.1]}\n"
     "  contacts: {foot: {between: [b, " WORLD "], friction: 0.4}}\n"},
    {"two dice, thrown", 0.9, 1,
     "parameters: {m: 0.005, a: 0.016, J: m*a^2/6}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
     "    \"die[i=1..2]\": {type: spatial, mass: m, inertia: [J, J, J], position: [0.05*i, 0, 0.1],\n"
     "      velocity: [0.6, 0.1*i, 0], rotation: {axis: [1, i, 0.5], angle: 0.7*i},\n"
     "      angular_velocity: [15, -20*i, 8], shape: {box: [a, a, a]}}\n"
     "  contacts: {\"table[i=1..2]\": {between: [\"die[i]\", " WORLD "], friction: 0.3, restitution: 0.5}}\n"},
    {"pile of four balls", 0.01, 0.11,
     "parameters: {r: 0.1, d: 2*r/sqrt(3)}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
     "    \"b[i=1..3]\": {type: spatial, mass: 1, shape: {sphere: r},\n"
     "      position: [\"d*cos(2*pi*i/3)\", \"d*sin(2*pi*i/3)\", r]}\n"
     "    top: {type: spatial, mass: 1, shape: {sphere: r}, position: [0, 0, r + 2*r*sqrt(2/3)]}\n  contacts:\n"
     "    \"base[i=1..3]\": {between: [\"b[i]\", " WORLD "], friction: 0.5}\n"
     "    \"on[i=1..3]\": {between: [top, \"b[i]\"], friction: 0.5}\n"
     "    ab: {between: [b1, b2], friction: 0.5}\n    bc: {between: [b2, b3], friction: 0.5}\n"
     "    ca: {between: [b3, b1], friction: 0.5}\n"},
    {"chain, hanging and on a table", 0.01, 0.11,
     "parameters: {n: 20, d: 1/n}\nmodel:\n  gravity: [0, -9.81]\n  bodies:\n"
     "    \"p[i=1..n]\": {type: point, mass: 1/n, position: [\"d*max(0, i - 10)\", \"-d*max(0, 10 - i)\"]}\n"
     "  joints: {\"r[i=1..n-1]\": {type: distance, bodies: [\"p[i]\", \"p[i+1]\"], limits: [0, d]}}\n"
     "  contacts: {\"lies[i=10..n]\": {between: [{body: \"p[i]\", point: [0, 0]}, {body: world, plane: [0, 1]}], "
     "friction: 1}}\n"},
    {"capstan", 0.01, 0.11,
     "parameters: {n: 6, mu: 0.3, R: 0.5}\nmodel:\n  gravity: [0, -9.81]\n  frames: {drum: {shape: {disk: R}}}\n"
     "  bodies:\n    \"p[i=1..n]\": {type: point, mass: 1e-4, position: [\"-R*cos(pi*(i-1)/(n-1))\", "
     "\"R*sin(pi*(i-1)/(n-1))\"]}\n    a: {type: point, mass: 1, position: [-R, -1]}\n"
     "    b: {type: point, mass: 2, position: [R, -1]}\n  joints:\n"
     "    \"r[i=1..n-1]\": {type: distance, bodies: [\"p[i]\", \"p[i+1]\"]}\n"
     "    ra: {type: distance, bodies: [p1, a]}\n    rb: {type: distance, bodies: [\"p[n]\", b]}\n"
     "  contacts: {\"c[i=1..n]\": {between: [{body: \"p[i]\", point: [0, 0]}, drum], friction: mu}}\n"},
    {"three logs", 0.01, 0.11,
     "parameters: {r: 0.1, mu: 0.276}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
     "    a: {type: spatial, mass: 1, shape: {capsule: {radius: r, length: 0.6}, axis: [0, 1, 0]}, position: [-r, 0, "
     "r]}\n"
     "    b: {type: spatial, mass: 1, shape: {capsule: {radius: r, length: 0.6}, axis: [0, 1, 0]}, position: [r, 0, "
     "r]}\n"
     "    c: {type: spatial, mass: 1, shape: {capsule: {radius: r, length: 0.6}, axis: [0, 1, 0]}, position: [0, 0, r "
     "+ sqrt(3)*r]}\n"
     "  contacts:\n    fa: {between: [a, " WORLD "], friction: 0.092}\n"
     "    fb: {between: [b, " WORLD "], friction: 0.092}\n    ca: {between: [c, a], friction: mu}\n"
     "    cb: {between: [c, b], friction: mu}\n    ab: {between: [a, b], friction: mu}\n"}};

/* of this thread: other programs do not count */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const carom_error *error) {
    char text[1100];
    fprintf(stderr, "rest: %s\n", carom_error_text(error, text, sizeof text));
    exit(1);
}

static void advance(carom_sim *sim, double until) {
    carom_error error;
    while (!carom_sim_done(sim) && carom_sim_time(sim) < until)
        if (carom_sim_step(sim, &error)) fail(&error);
}

/* Seconds per step at rest. *speed: the largest velocity at the end. */
static double measure(const scene_at_rest *x, const char *scheme, const char *events, double *speed) {
    char text[4000];
    carom_error error;
    carom_scene *scene;
    carom_sim *sim;
    snprintf(text, sizeof text,
             "carom: 1\n%srun: {integrator: %s, events: %s, dt: 1e-3, until: %g, tolerance: 1e-10}\n", x->model, scheme,
             events, x->end);
    if (carom_scene_parse(text, strlen(text), x->name, NULL, 0, &scene, &error)) fail(&error);
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) fail(&error);
    advance(sim, x->settled - 5e-4);
    double from = seconds(), steps = (double)carom_sim_steps(sim);
    advance(sim, x->end);
    double step = (seconds() - from) / ((double)carom_sim_steps(sim) - steps);
    *speed = 0;
    for (int i = 0; i < carom_model_get(carom_scene_model(scene))->nu; i++)
        *speed = fmax(*speed, fabs(carom_sim_u(sim)[i]));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return step;
}

/* The fastest of some runs, in turns, so that a busy machine hits both. */
static bool compare(const scene_at_rest *x, const char *scheme) {
    double captured = INFINITY, located = INFINITY, speed[2];
    for (int i = 0; i < ROUNDS; i++) {
        captured = fmin(captured, measure(x, scheme, "capture", &speed[0]));
        located = fmin(located, measure(x, scheme, "locate", &speed[1]));
    }
    bool over = located > 2 * captured, moves = fmax(speed[0], speed[1]) > 1e-6;
    printf("%-32s %-20s %12.1f %12.1f %8.2f%s%s\n", x->name, scheme, 1e6 * captured, 1e6 * located, located / captured,
           over ? "  more than twice" : "", moves ? "  moves" : "");
    fflush(stdout);
    return !over;
}

int main(void) {
    bool all = true;
    printf("%-32s %-20s %12s %12s %8s\n", "bodies that rest", "integrator", "captured us", "located us", "ratio");
    for (int i = 0; i < SCENES; i++)
        for (int k = 0; k < SCHEMES; k++) all = compare(&scenes[i], schemes[k]) && all;
    return !all;
}
