/* Bodies that fall into a box, settle and rest, or that stand: rattle with accept: 1e-3, dt = 1e-3.
 *   piles [spheres|packed|dice|wall] [MOST [SETTLING [RESTING]]]
 *                     the table for n = 300, 1000, 3000, ... up to MOST (default 10000; of dice and bricks from 100 up
 *                     to 1000 and 3000). Microseconds per contact and step over the first SETTLING steps (default 300);
 *                     and over the last 50 of those that follow, until bodies rest, but no more than RESTING (default
 *                     500). They rest where the root of their mean square of velocities is below a tenth of what
 * gravity changes in a step, 1e-3 m/s. Then the time at that end, the deepest gap of the whole run, what laws miss at
 * most, memory, and the exponents of growth from each n to the next. Contacts: those that press, in the mean. packed:
 * spheres in layers that rest soon. piles ... MOST SETTLING RESTING THREADS [ACCEPT] the same by so many threads, of a
 * carom that was built with OpenMP, in time by the clock; and with another accepted error. */
#include "alone.h"

#include <stdlib.h>
#include <string.h>

typedef struct pile {
    const char *name;
    int first, most; /* sizes of the table */
    double per_side; /* bodies along one side: the cube root of so many parts of n; of a wall the square root */
    const char *scene;
} pile;

#define BOX(d, mu)                                                                                                     \
    "{body: world, plane: [0, 0, 1]}, {body: world, plane: [1, 0, 0]}, {body: world, plane: [0, 1, 0]}, "              \
    "{body: world, plane: [-1, 0, 0], at: [" d ", 0, 0]}, {body: world, plane: [0, -1, 0], at: [0, " d ", 0]}], "      \
    "friction: " mu "}\n"
#define RUN "run: {integrator: rattle, dt: 1e-3, until: 100, accept: %s, threads: %d}\n"

static const char spheres[] =
    "carom: 1\n"
    "parameters: {n: %d, k: %d, R: 0.05}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    s[i=1..n]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2.1*R*(i - k*floor((i-1)/k) - 0.5 + "
    "0.02*sin(7*i)), 2.1*R*(floor((i-1)/k) - k*floor((i-1)/k^2) + 0.5 + 0.02*sin(5*i)), "
    "2.02*R*(floor((i-1)/k^2) + 0.5)]}\n"
    "  contacts:\n"
    "    pile: {among: [s, " BOX("2.1*R*k", "0.3") RUN;

/* Layers of k^2 and of (k-1)^2 spheres by turns, each sphere in a hollow of the layer below, those of a layer a little
 * apart. */
static const char packed[] =
    "carom: 1\n"
    "parameters: {n: %d, k: %d, R: 0.05, s: 0.0501, h: sqrt(4*R^2 - 2*s^2), pair: k^2 + (k-1)^2, rest: n - "
    "pair*floor(n/pair), large: 'k^2*floor(n/pair) + min(rest, k^2)', small: n - large}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    a[i=1..large]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2*s*(i - k*floor((i-1)/k) - 0.5), "
    "2*s*(floor((i-1)/k) - k*floor((i-1)/k^2) + 0.5), R + 2*h*floor((i-1)/k^2)]}\n"
    "    b[i=1..small]: {type: spatial, mass: 1, shape: {sphere: R}, position: [2*s*(i - (k-1)*floor((i-1)/(k-1))), "
    "2*s*(floor((i-1)/(k-1)) - (k-1)*floor((i-1)/(k-1)^2) + 1), R + h + 2*h*floor((i-1)/(k-1)^2)]}\n"
    "  contacts:\n"
    "    pile: {among: [a, b, " BOX("2*s*k", "0.3") RUN;

static const char dice[] =
    "carom: 1\n"
    "parameters: {n: %d, k: %d, a: 0.05}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    s[i=1..n]: {type: spatial, mass: 1, shape: {box: [a, a, a]}, rotation: {axis: [1, sin(i), cos(3*i)], angle: "
    "0.4*sin(7*i)}, position: [1.6*a*(i - k*floor((i-1)/k) - 0.5), 1.6*a*(floor((i-1)/k) - k*floor((i-1)/k^2) + 0.5), "
    "1.6*a*(floor((i-1)/k^2) + 0.6)]}\n"
    "  contacts:\n"
    "    pile: {among: [s, " BOX("1.6*a*k", "0.5") RUN;

static const char wall[] =
    "carom: 1\n"
    "parameters: {n: %d, k: %d, a: 0.2, b: 0.1, c: 0.1}\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    s[i=1..n]: {type: spatial, mass: 1, shape: {box: [a, b, c]}, position: [1.0005*a*(i - k*floor((i-1)/k) + "
    "0.5*(floor((i-1)/k) - 2*floor(floor((i-1)/k)/2))), 0, c*(floor((i-1)/k) + 0.5)]}\n"
    "  contacts:\n"
    "    pile: {among: [s, {body: world, plane: [0, 0, 1]}], friction: 0.6}\n" RUN;

static const pile piles[] = {{"spheres", 300, 10000, 0.5, spheres},
                             {"packed", 300, 10000, 0.7, packed},
                             {"dice", 100, 1000, 1, dice},
                             {"wall", 100, 3000, 0, wall}};
enum { PILES = sizeof piles / sizeof *piles, BLOCK = 50 };
static const double AT_REST = 1e-3;

typedef struct phase { /* seconds of the steps, contacts in the mean, and extremes */
    double seconds, contacts, sweeps, gap, residual, motion; /* motion: root of the mean square of velocities */
    int steps;
} phase;

typedef struct size {
    const pile *of;
    int n, settling, resting, threads;
    const char *accept;
} size;

typedef struct result {
    double setup, memory, time, deepest;
    phase settling, resting;
} result;

/* Of one thread the time of the processor, of several the clock. */
static double clock_of(int threads) {
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Looks at contacts every tenth step, which is not timed. */
static phase take_steps(carom_sim *sim, int n, int steps, int threads, carom_found *met, int room) {
    phase p = {.steps = steps};
    carom_error error;
    int looks = 0;
    for (int i = 0; i < steps; i++) {
        const double begin = clock_of(threads);
        if (carom_sim_step(sim, &error)) fail(&error);
        p.seconds += clock_of(threads) - begin;
        p.residual = fmax(p.residual, carom_sim_residual(sim));
        p.sweeps += (carom_sim_newton(sim, 0) + carom_sim_newton(sim, 1)) / (double)steps;
        if (i % 10) continue;
        const int count = carom_sim_found(sim, met, room);
        for (int k = 0; k < count && k < room; k++) {
            p.gap = fmin(p.gap, met[k].gap);
            p.contacts += met[k].PN > 0;
        }
        looks++;
    }
    p.contacts /= looks;
    for (int i = 0; i < 6 * n; i++)
        if (i % 6 < 3) p.motion += carom_sim_u(sim)[i] * carom_sim_u(sim)[i] / n;
    p.motion = sqrt(p.motion);
    return p;
}

static void measure(const void *of, void *to) {
    const size *s = of;
    const int n = s->n;
    char text[2000];
    const bool stands = s->of->per_side == 0;
    const int k = (int)fmax(2, round(stands ? sqrt(1.6 * n) : cbrt(n * s->of->per_side))), room = 20 * n;
    carom_error error;
    carom_scene *scene;
    carom_sim *sim;
    carom_found *met = malloc((size_t)room * sizeof *met);
    snprintf(text, sizeof text, s->of->scene, n, k, s->accept, s->threads); /* NOLINT: one of those above */
    result r = {.setup = -seconds()};
    if (carom_scene_parse(text, strlen(text), "piles", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        fail(&error);
    r.setup += seconds();
    r.settling = take_steps(sim, n, s->settling, s->threads, met, room);
    r.deepest = r.settling.gap;
    for (int i = 0; i == 0 || (i < s->resting && r.resting.motion >= AT_REST); i += BLOCK) {
        r.resting = take_steps(sim, n, BLOCK, s->threads, met, room);
        r.deepest = fmin(r.deepest, r.resting.gap);
    }
    r.time = carom_sim_time(sim);
    r.memory = most_memory();
    *(result *)to = r;
}

static double cost(const phase *p) {
    return 1e6 * p->seconds / p->steps / p->contacts;
}

int main(int count, char **argument) {
    const pile *of = &piles[0];
    for (int i = 0; i < PILES && count > 1; i++)
        if (strcmp(argument[1], piles[i].name) == 0) of = &piles[i], count--, argument++;
    const int most = count > 1 ? atoi(argument[1]) : of->most, settling = count > 2 ? atoi(argument[2]) : 300;
    const int resting = count > 3 ? atoi(argument[3]) : 500, threads = count > 4 ? atoi(argument[4]) : 1;
    const char *accept = count > 5 ? argument[5] : "1e-3";
    result before = {0};
    printf("%7s %8s | %9s %8s %7s %9s | %9s %8s %7s %9s %6s %8s %5s | %9s %6s\n", "n", "set-up s", "settle us",
           "contacts", "sweeps", "missed", "end us", "contacts", "sweeps", "missed", "time s", "m/s", "rest",
           "deepest m", "KB / n");
    for (int n = of->first, fewer = 0, third = n == 300; n <= most;
         fewer = n, n = third ? n / 3 * 10 : 3 * n, third = !third) {
        result r;
        if (!measure_alone(measure, &(size){of, n, settling, resting, threads, accept}, &r, sizeof r)) return 1;
        printf("%7d %8.2f | %9.2f %8.0f %7.1f %9.1e | %9.2f %8.0f %7.1f %9.1e %6.2f %8.1e %5s | %9.1e %6.1f", n,
               r.setup, cost(&r.settling), r.settling.contacts, r.settling.sweeps, r.settling.residual,
               cost(&r.resting), r.resting.contacts, r.resting.sweeps, r.resting.residual, r.time, r.resting.motion,
               r.resting.motion < AT_REST ? "yes" : "no", r.deepest, r.memory / 1024 / n);
        if (fewer)
            printf(
                "   steps n^%.2f n^%.2f, memory n^%.2f", growth(before.settling.seconds, r.settling.seconds, fewer, n),
                growth(before.resting.seconds, r.resting.seconds, fewer, n), growth(before.memory, r.memory, fewer, n));
        printf("\n");
        fflush(stdout);
        before = r;
    }
    return 0;
}
