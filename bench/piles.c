/* Bodies that fall into a box, settle and rest, or that stand: rattle with accept: 1e-3, dt = 1e-3.
 *   piles [spheres|dice|wall] [MOST [SETTLING [RESTING]]]
 *                     the table for n = 300, 1000, 3000, ... up to MOST (default 10000; of dice and bricks from 100 up
 *                     to 1000 and 3000): microseconds per contact and step over the first SETTLING steps (default 300)
 * and over the last 50 of RESTING more (default 500), sweeps of both, the deepest gap at rest and the motion that is
 * left there, what laws miss at most, memory, and the exponents of growth from each n to the next. Contacts: those that
 * press, in the mean. piles ... MOST SETTLING RESTING THREADS   the same by so many threads, of a carom that was built
 * with OpenMP, in time by the clock. */
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
#define RUN "run: {integrator: rattle, dt: 1e-3, until: 100, accept: 1e-3, threads: %d}\n"

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

static const pile piles[] = {
    {"spheres", 300, 10000, 0.5, spheres}, {"dice", 100, 1000, 1, dice}, {"wall", 100, 3000, 0, wall}};
enum { PILES = sizeof piles / sizeof *piles };

typedef struct phase { /* seconds of the steps, contacts in the mean, and extremes */
    double seconds, contacts, sweeps, gap, residual, motion; /* motion: root of the mean square of velocities */
    int steps;
} phase;

typedef struct size {
    const pile *of;
    int n, settling, resting, threads;
} size;

typedef struct result {
    double setup, memory;
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
    snprintf(text, sizeof text, s->of->scene, n, k, s->threads); /* NOLINT: one of the three above */
    result r = {.setup = -seconds()};
    if (carom_scene_parse(text, strlen(text), "piles", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        fail(&error);
    r.setup += seconds();
    r.settling = take_steps(sim, n, s->settling, s->threads, met, room);
    take_steps(sim, n, s->resting > 50 ? s->resting - 50 : 1, s->threads, met, room);
    r.resting = take_steps(sim, n, 50, s->threads, met, room);
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
    result before = {0};
    printf("%7s %9s %9s | %9s %7s %9s | %9s %7s %9s %10s %10s | %7s\n", "n", "set-up s", "contacts", "settle us",
           "sweeps", "missed", "rest us", "sweeps", "missed", "deepest m", "motion m/s", "KB / n");
    for (int n = of->first, fewer = 0, third = n == 300; n <= most;
         fewer = n, n = third ? n / 3 * 10 : 3 * n, third = !third) {
        result r;
        if (!measure_alone(measure, &(size){of, n, settling, resting, threads}, &r, sizeof r)) return 1;
        printf("%7d %9.2f %9.0f | %9.2f %7.1f %9.1e | %9.2f %7.1f %9.1e %10.1e %10.1e | %7.1f", n, r.setup,
               r.resting.contacts, cost(&r.settling), r.settling.sweeps, r.settling.residual, cost(&r.resting),
               r.resting.sweeps, r.resting.residual, r.resting.gap, r.resting.motion, r.memory / 1024 / n);
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
