/* How set-up, steps, records and memory grow with the number of bodies.
 *   scale [MOST]      the table for n = 10, 30, 100, ... up to MOST (default 30000), with the exponent of the growth
 *                     from each n to the next
 *   scale check       exit 1 unless 10^4 spheres and a chain of 10^4 links are set up in 2 s and 1 GB
 * All times are of the processor. "file" is the making of a result with every quantity, "record" a row of it:
 * evaluated, compressed, and on its way to the disk. */
#include "alone.h"

#include "carom/result.h"

#include <stdlib.h>
#include <string.h>

typedef struct subject {
    const char *name, *scene;
} subject;

static const subject subjects[] = {
    {"spheres on a plane, moreau",
     "carom: 1\n"
     "model:\n"
     "  gravity: [0, 0, -9.81]\n"
     "  bodies:\n"
     "    s[i=1..%d]: {type: spatial, mass: 1, shape: {sphere: 0.1}, inertia: [0.004, 0.004, 0.004],\n"
     "                 position: [0.3*i, 0.1*sin(i), 0.1]}\n"
     "  contacts:\n"
     "    c[i=1..%d]: {between: [\"s[i]\", {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.2}\n"
     "run: {integrator: moreau, dt: 1e-3, until: 1}\n"},
    {"spheres in a row, moreau",
     "carom: 1\n"
     "model:\n"
     "  bodies:\n"
     "    s[i=1..%d]: {type: spatial, mass: 1, shape: {sphere: 0.1}, inertia: [0.004, 0.004, 0.004],\n"
     "                 position: [0.21*i, 0.01*sin(i), 0], velocity: [sin(i), 0, 0]}\n"
     "  contacts:\n"
     "    c[i=1..%d-1]: {between: [\"s[i]\", \"s[i+1]\"], restitution: 0.5}\n"
     "run: {integrator: moreau, dt: 1e-3, until: 1}\n"},
    {"spatial chain, rattle",
     "carom: 1\n"
     "model:\n"
     "  gravity: [0, 0, -9.81]\n"
     "  bodies:\n"
     "    s[i=1..%d]: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 0.5, 0, 0]}\n"
     "  joints:\n"
     "    j0: {type: spherical, bodies: [world, s1], at: [0, 0, 0]}\n"
     "    j[i=1..%d-1]: {type: spherical, bodies: [\"s[i]\", \"s[i+1]\"], at: [i, 0, 0]}\n"
     "run: {integrator: rattle, dt: 1e-3, until: 1}\n"},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct result { /* seconds, and bytes at most; memory, before a result is written */
    double setup, step, file, record, memory;
} result;

/* Seconds a step, over steps that take about a tenth of a second, after two others. */
static double time_steps(carom_sim *sim) {
    carom_error error;
    double begin = 0;
    int taken = -2;
    do {
        if (taken == 0) begin = seconds();
        if (carom_sim_step(sim, &error)) fail(&error);
        taken++;
    } while (taken < 3 || (seconds() - begin < 0.1 && !carom_sim_done(sim)));
    return (seconds() - begin) / taken;
}

static double own_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The writer has a thread of its own: its time is what the process spends beyond this thread, and this one beyond
 * steps. */
static void time_result(const carom_scene *scene, result *r) {
    enum { ROWS = 30 };
    char path[] = "/tmp/carom-scale-XXXXXX";
    carom_error error;
    carom_sim *sim;
    carom_result *to;
    const int file = mkstemp(path);
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) fail(&error);
    double begin = seconds(), steps = 0;
    if (file < 0 || carom_result_create_run(path, scene, sim, &to, &error)) fail(&error);
    r->file = seconds() - begin;
    begin = seconds();
    for (int i = 0; i < ROWS; i++) {
        steps -= own_seconds();
        if (carom_sim_step(sim, &error)) fail(&error);
        steps += own_seconds();
        if (carom_result_take(to, &error)) fail(&error);
    }
    if (carom_result_finish(to, NULL, &error)) fail(&error);
    r->record = (seconds() - begin - steps) / ROWS;
    close(file);
    unlink(path);
}

typedef struct size {
    const subject *of;
    int n;
} size;

static void measure(const void *of, void *to) {
    const subject *s = ((const size *)of)->of;
    const int n = ((const size *)of)->n;
    const size_t room = strlen(s->scene) + 64;
    char *text = malloc(room);
    carom_error error;
    carom_scene *scene;
    carom_sim *sim;
    snprintf(text, room, s->scene, n, n); /* NOLINT: the formats are above */
    result r = {.setup = -seconds()};
    if (carom_scene_parse(text, strlen(text), "scale", NULL, 0, &scene, &error) ||
        carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error))
        fail(&error);
    r.setup += seconds();
    r.step = time_steps(sim);
    r.memory = most_memory();
    time_result(scene, &r);
    *(result *)to = r;
}

static void print_table(const subject *s, int most) {
    result before = {0};
    int fewer = 0;
    printf("\n%s\n%8s %12s %14s %14s %14s %12s   growth of each\n", s->name, "n", "set-up ms", "step us / n",
           "file us / n", "record us / n", "KB / n");
    for (int n = 10, third = 0; n <= most; n = third ? n / 3 * 10 : 3 * n, third = !third) {
        result r;
        if (!measure_alone(measure, &(size){s, n}, &r, sizeof r)) return;
        printf("%8d %12.2f %14.3f %14.3f %14.3f %12.1f  ", n, 1e3 * r.setup, 1e6 * r.step / n, 1e6 * r.file / n,
               1e6 * r.record / n, r.memory / 1024 / n);
        if (fewer)
            printf(" n^%.2f  n^%.2f  n^%.2f  n^%.2f  n^%.2f", growth(before.setup, r.setup, fewer, n),
                   growth(before.step, r.step, fewer, n), growth(before.file, r.file, fewer, n),
                   growth(before.record, r.record, fewer, n), growth(before.memory, r.memory, fewer, n));
        printf("\n");
        fflush(stdout);
        before = r, fewer = n;
    }
}

/* The goal for ten thousand of each: two seconds, a gigabyte. */
static int check(void) {
    int misses = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        result r;
        const bool done = measure_alone(measure, &(size){&subjects[i], 10000}, &r, sizeof r),
                   kept = done && r.setup < 2 && r.memory < 1e9;
        printf("%-28s 10000: set-up %.2f s, %.0f MB%s\n", subjects[i].name, r.setup, r.memory / 1e6,
               kept ? "" : ": more than 2 s or 1 GB");
        misses += !kept;
    }
    return misses > 0;
}

int main(int count, char **argument) {
    if (count > 1 && strcmp(argument[1], "check") == 0) return check();
    const int most = count > 1 ? atoi(argument[1]) : 30000;
    for (int i = 0; i < SUBJECTS; i++) print_table(&subjects[i], most);
    return 0;
}
