/* Throughput of a sweep: bench/sweep [RUNS]. A ball on a shaken table, 100 impacts in each run.
 *
 * Runs one after the other in one process without set-up between them, then the same by all processors into a result:
 * runs per second of both, and their ratio over the number of processors. Times at work do not depend on what else the
 * machine does: a sweep that needs as much of it as the single runs, on idle processors, is as many times as fast. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "study/pool.h"
#include "sweep/merge.h"
#include "sweep/trial.h"

static const char scene_text[] = "carom: 1\n"
                                 "parameters: {g: 9.81, e: 0.5, A: 0.02698, w: 20}\n"
                                 "model:\n"
                                 "  coordinates: {z: {start: 0.031, velocity: -1.39}}\n"
                                 "  kinetic: z_dot^2/2\n"
                                 "  potential: g*z\n"
                                 "  contacts: {table: {gap: z - A*sin(w*t), restitution: e}}\n"
                                 "run: {integrator: lobatto, events: locate, dt: 2*pi/w/4, until: 31.41}\n";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process and of those that it has waited for. */
static double at_work(void) {
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage u;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
        sum +=
            (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return sum;
}

static void check(carom_status status, const carom_error *error) {
    if (!status) return;
    fprintf(stderr, "bench/sweep: %s\n", error->message);
    exit(1);
}

static bool go_on(void *context, const sweep_progress *progress) {
    (void)context, (void)progress;
    return true;
}

int main(int count, char **words) {
    char vary[64], out[64];
    const char *axes[] = {vary}, *keep[] = {"z"};
    carom_error error;
    carom_scene *scene;
    sweep_plan plan;
    trial *t;
    sweep_whole whole;
    bool complete;
    const long runs = count > 1 ? strtol(words[1], NULL, 10) : 1000;
    snprintf(vary, sizeof vary, "A=0.0262..0.028/%ld", runs);
    snprintf(out, sizeof out, "/tmp/carom_sweep_%ld", (long)getpid());
    check(carom_scene_parse(scene_text, strlen(scene_text), "scene", NULL, 0, &scene, &error), &error);
    check(plan_create(carom_scene_model(scene), axes, 1, 0, 0, &plan, &error), &error);
    const sweep_question q = {
        .scene = scene, .scene_path = "", .plan = &plan, .keep = keep, .keep_name = keep, .kept = 1, .command = ""};
    outcome *o = malloc(sizeof *o + outcome_numbers(&q) * sizeof(double));
    check(trial_create(&q, &t, &error), &error);
    double wall = now(), work = at_work();
    long impacts = 0;
    for (long run = 0; run < runs; run++) trial_run(t, run, o), impacts += o->events;
    const double alone = now() - wall, alone_work = at_work() - work;
    const sweep_task all = {0, 1};
    char *part = part_path(out, all);
    wall = now(), work = at_work();
    check(part_compute(&q, all, part, 0, go_on, NULL, &error), &error);
    check(whole_read(&q, out, 1, 1e-3, &whole, &complete, &error), &error);
    check(whole_write(&q, out, 1, &whole, &error), &error);
    const double together = now() - wall, together_work = at_work() - work;
    const int processors = pool_processors();
    printf("%ld runs, %.1f impacts each\n", runs, (double)impacts / (double)runs);
    printf("one process     %8.3f s %9.1f runs/s, %.3f s at work\n", alone, (double)runs / alone, alone_work);
    printf("%2d processors   %8.3f s %9.1f runs/s, %.3f s at work: %.3f s on idle processors\n", processors, together,
           (double)runs / together, together_work, together_work / processors);
    printf("over %d times one process: %.2f, on idle processors %.2f\n", processors, alone / together / processors,
           alone_work / together_work);
    unlink(out);
    whole_destroy(&whole, &q);
    trial_destroy(t);
    plan_destroy(&plan);
    carom_scene_destroy(scene);
    free(part);
    free(o);
    return 0;
}
