/* Time per step and memory per contact on one core.
 *   bench                the table: small scenes, chains, located events, elastic elements, a column of n masses with n
 *                        contacts, beams
 *   bench goals          small scenes and chains alone
 *   bench SCENE STEPS    takes STEPS steps of a file, or of a small scene named as in the table, and prints the hash of
 *                        the state, for counting instructions and for comparing compilers
 *   bench SCENE STEPS forward|adjoint|checkpoints NAME...
 *                            the same with derivatives, of the first coordinate at the end; checkpoints: the adjoint
 *                            with room for a few steps */
#include "carom/carom.h"
#include "model/element/beam.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct timing {
    double step;   /* seconds per step, the fastest run */
    double bytes;  /* of scene, model and simulation */
    double newton; /* iterations per step */
    int contacts;
} timing;

/* of this thread: other programs do not count */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static _Noreturn void fail(const carom_error *error) {
    char text[1100];
    fprintf(stderr, "bench: %s\n", carom_error_text(error, text, sizeof text));
    exit(1);
}

static carom_sim *start(const carom_scene *scene) {
    carom_error error;
    carom_sim *sim;
    if (carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)) fail(&error);
    return sim;
}

/* At most count steps; returns how many were taken. */
static long advance(carom_sim *sim, long count) {
    carom_error error;
    long taken = 0;
    for (; taken < count && !carom_sim_done(sim); taken++)
        if (carom_sim_step(sim, &error)) fail(&error);
    return taken;
}

/* A path, or the text of a scene. */
static carom_scene *load(const char *scene, const char *const *overrides, int override_count) {
    carom_error error;
    carom_scene *loaded;
    if (strncmp(scene, "carom:", 6) == 0
            ? carom_scene_parse(scene, strlen(scene), "bench", overrides, override_count, &loaded, &error)
            : carom_scene_load(scene, overrides, override_count, &loaded, &error))
        fail(&error);
    return loaded;
}

/* Runs of at most count steps, again and again for about a second; the fastest counts. */
static timing measure(const char *path, const char *const *overrides, int override_count, long count) {
    double before = allocated(), end = seconds() + 1;
    carom_scene *scene = load(path, overrides, override_count);
    timing best = {.step = INFINITY, .contacts = carom_model_get(carom_scene_model(scene))->contacts};
    do {
        carom_sim *sim = start(scene);
        double from = seconds();
        long taken = advance(sim, count);
        double step = (seconds() - from) / (double)taken;
        if (step < best.step) best.step = step;
        best.bytes = allocated() - before;
        best.newton = 0;
        for (int k = 0; k < carom_sim_stages(sim); k++) best.newton += carom_sim_newton_mean(sim, k);
        carom_sim_destroy(sim);
    } while (seconds() < end);
    carom_scene_destroy(scene);
    return best;
}

/* Small systems, each with the microseconds per step that it should take. */
typedef struct goal {
    const char *name, *scene;
    double microseconds; /* 0: none */
    long steps;          /* as long as the cost of a step is that of the whole motion */
} goal;

static const goal goals[] = {
    {"ball, moreau", "scenes/paper/moreau/ball.yaml", 0.25, 2000},
    {"ball on the ground, rattle", "scenes/paper/rattle/ball_2.yaml", 0, 2000},
    {"slider-crank, rattle", "scenes/paper/rattle/slider_crank.yaml", 5, 2000},
    {"slider-crank, lobatto", "scenes/paper/lobatto/slider_crank.yaml", 0, 2000},
    {"tippedisk, rattle", "scenes/paper/rattle/tippedisk.yaml", 8, 2000},
    {"free body, rattle",
     "carom: 1\nmodel:\n  bodies:\n    b: {type: spatial, mass: 1, inertia: [0.01, 0.02, 0.03], "
     "velocity: [0.1, 0.2, 0.3], angular_velocity: [1, 2, 3]}\n"
     "run: {integrator: rattle, dt: 1e-3, until: 100}\n",
     1.5, 2000},
    {"pendulum by a constraint, rattle",
     "carom: 1\nmodel:\n  coordinates: {x: {start: 1}, y: {start: 0}}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
     "  potential: 9.81*y\n  constraints: {rod: x^2 + y^2 - 1}\n"
     "run: {integrator: rattle, dt: 1e-3, until: 100}\n",
     1, 2000},
    {"tower of 10 boxes, rattle",
     "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n    b[i=1..10]: {type: spatial, mass: 1, "
     "shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.2*i - 0.1]}\n"
     "  contacts: {tower: {among: [b, {body: world, plane: [0, 0, 1]}], friction: 0.5}}\n"
     "run: {integrator: rattle, dt: 1e-3, until: 10}\n",
     60, 100},
};
enum { GOALS = sizeof goals / sizeof *goals };

/* The scene of the goal of this name, or the path itself. */
static const char *scene_named(const char *name) {
    for (int i = 0; i < GOALS; i++)
        if (strcmp(goals[i].name, name) == 0) return goals[i].scene;
    return name;
}

static void print_goal(double reached, double wanted) {
    if (wanted > 0) printf("%12.2f%s", wanted, reached > wanted ? "  missed" : "");
    printf("\n");
}

static void small_scenes(void) {
    printf("%-40s %12s %12s %12s %12s\n", "scene", "contacts", "us / step", "Newton/step", "goal, us");
    for (int i = 0; i < GOALS; i++) {
        timing t = measure(goals[i].scene, NULL, 0, goals[i].steps);
        printf("%-40s %12d %12.2f %12.2f ", goals[i].name, t.contacts, 1e6 * t.step, t.newton);
        print_goal(1e6 * t.step, goals[i].microseconds);
    }
}

/* Links in a row that hang from one end; and in a ring of hinges with parallel axes, three of whose rows are redundant.
 */
static const char chain_of_links[] =
    "carom: 1\nparameters: {n: 10}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
    "    s[i=1..n]: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 0.5, 0, 0]}\n  joints:\n"
    "    j0: {type: spherical, bodies: [world, s1], at: [0, 0, 0]}\n"
    "    j[i=1..n-1]: {type: spherical, bodies: [\"s[i]\", \"s[i+1]\"], at: [i, 0, 0]}\n"
    "run: {integrator: rattle, dt: 1e-3, until: 1}\n";
static const char ring_of_links[] =
    "carom: 1\nparameters: {n: 10, R: n/(2*pi)}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
    "    s[i=1..n]: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1],\n"
    "                position: [\"R*cos(2*pi*i/n)\", \"R*sin(2*pi*i/n)\", 0]}\n  joints:\n"
    "    j0: {type: spherical, bodies: [world, \"s[n]\"], at: [R, 0, 0]}\n"
    "    j[i=1..n-1]: {type: revolute, axis: [0, 0, 1], bodies: [\"s[i]\", \"s[i+1]\"],\n"
    "                  at: [\"R*cos(2*pi*(i+0.5)/n)\", \"R*sin(2*pi*(i+0.5)/n)\", 0]}\n"
    "    jn: {type: revolute, axis: [0, 0, 1], bodies: [\"s[n]\", s1], at: [\"R*cos(pi/n)\", \"R*sin(pi/n)\", 0]}\n"
    "run: {integrator: rattle, dt: 1e-3, until: 1}\n";

static void links(const char *name, const char *scene, const int *n, int sizes) {
    double least = INFINITY, most = 0;
    printf("\n%-40s %12s %12s %12s %12s %12s\n", name, "us / step", "us / link", "kB / link", "Newton/step",
           "goal, us");
    for (int i = 0; i < sizes; i++) {
        char size[40];
        snprintf(size, sizeof size, "parameters.n=%d", n[i]);
        const char *overrides[] = {size};
        timing t = measure(scene, overrides, 1, 100);
        const double link = 1e6 * t.step / n[i];
        printf("n = %-36d %12.1f %12.3f %12.2f %12.2f ", n[i], 1e6 * t.step, link, 1e-3 * t.bytes / n[i], t.newton);
        print_goal(link, 8);
        least = fmin(least, link), most = fmax(most, link);
    }
    printf("largest over smallest time per link: %.2f, goal 1.5\n", most / least);
}

static void chains(void) {
    links("chain of n links, rattle", chain_of_links, (const int[]){10, 100, 1000, 10000}, 4);
    links("ring of n links, redundant, rattle", ring_of_links, (const int[]){10, 100}, 2);
}

/* A beam that strikes a wall after 5 steps, by nsga. The tolerance is what round-off of its forces allows: with n =
 * 1000 the axial stiffness of an element is 2.5e9 N/m, its mass 0.02 kg. */
static void beam_of_elements(void) {
    enum { SIZES = 3 };
    static const int n[SIZES] = {10, 100, 1000};
    double element[SIZES];
    printf("\n%-40s %12s %12s %12s %12s\n", "beam of n elements", "us / step", "us / element", "kB / element",
           "Newton/step");
    for (int i = 0; i < SIZES; i++) {
        char size[40];
        snprintf(size, sizeof size, "parameters.n=%d", n[i]);
        const char *overrides[] = {size, "parameters.gap=1e-3", "run.tolerance=1e-7", "run.until=6e-3"};
        timing t = measure("scenes/paper/nsga/beam_impact.yaml", overrides, 4, 60);
        element[i] = t.step / n[i];
        printf("n = %-36d %12.1f %12.3f %12.2f %12.2f\n", n[i], 1e6 * t.step, 1e6 * element[i], 1e-3 * t.bytes / n[i],
               t.newton);
    }
    printf("n = 1000 against n = 100: time per element x %.2f\n", element[2] / element[1]);
}

static void column(void) {
    enum { SIZES = 4 };
    static const int n[SIZES] = {10, 100, 1000, 10000};
    timing t[SIZES];
    printf("\n%-40s %12s %12s %12s %12s\n", "column of n masses", "us / step", "us / contact", "kB / contact",
           "Newton/step");
    for (int i = 0; i < SIZES; i++) {
        char size[40];
        snprintf(size, sizeof size, "parameters.n=%d", n[i]);
        const char *overrides[] = {size};
        t[i] = measure("scenes/gallery/column.yaml", overrides, 1, 200);
        printf("n = %-36d %12.1f %12.3f %12.2f %12.2f\n", n[i], 1e6 * t[i].step, 1e6 * t[i].step / t[i].contacts,
               1e-3 * t[i].bytes / t[i].contacts, t[i].newton);
    }
    printf("n = 10000 against n = 100: time per contact x %.2f, memory per contact x %.2f\n",
           t[3].step / t[3].contacts / (t[1].step / t[1].contacts),
           t[3].bytes / t[3].contacts / (t[1].bytes / t[1].contacts));
}

/* Explicit steps of a beam that is thrown against a plane: no solver, forces of the elements alone. */
static void beams(void) {
    static const int n[] = {5, 20, 80, 320};
    printf("\n%-40s %12s %12s\n", "beam of n elements, multisymplectic", "us / step", "us / element");
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        char size[40];
        snprintf(size, sizeof size, "parameters.n=%d", n[i]);
        const char *overrides[] = {size, "run.dt=1e-5"};
        timing t = measure("scenes/paper/multisymplectic/beam_fast.yaml", overrides, 2, 2000);
        printf("n = %-36d %12.2f %12.3f\n", n[i], 1e6 * t.step, 1e6 * t.step / n[i]);
    }
}

/* What it costs to look for events where there are none, and what events add where there are some, against the step
 * before them. lobatto with three stages. */
typedef struct effort {
    double step;   /* seconds per step, the fastest run */
    double newton; /* iterations per step */
    long events;
    double added;  /* iterations that events add */
    double solves; /* and how many solved steps these make */
} effort;

static void count_events(carom_sim *sim, effort *e, int *quiet) {
    int count, newton = carom_sim_newton(sim, 0);
    carom_sim_events(sim, &count);
    e->events += count;
    if (count > 0 && *quiet > 0) {
        e->added += newton - *quiet;
        e->solves += (double)(newton - *quiet) / *quiet;
    }
    if (count == 0) *quiet = newton;
}

static effort watch(const char *path, const char *events, const char *dt, const char *until) {
    const char *const overrides[] = {"run.integrator=lobatto", events, dt, until};
    carom_error error;
    carom_scene *scene;
    double end = seconds() + 0.5, fastest = INFINITY;
    effort e;
    if (carom_scene_load(path, overrides, 4, &scene, &error)) fail(&error);
    do {
        carom_sim *sim = start(scene);
        double from = seconds();
        int quiet = 0;
        e = (effort){0};
        while (!carom_sim_done(sim)) {
            advance(sim, 1);
            count_events(sim, &e, &quiet);
        }
        fastest = fmin(fastest, (seconds() - from) / (double)carom_sim_steps(sim));
        e.newton = carom_sim_newton_mean(sim, 0);
        carom_sim_destroy(sim);
    } while (seconds() < end);
    carom_scene_destroy(scene);
    e.step = fastest;
    return e;
}

static void between_events(const char *path, const char *dt, const char *until) {
    effort captured = watch(path, "run.events=capture", dt, until),
           located = watch(path, "run.events=locate", dt, until);
    printf("%-40s %12.2f %12.2f %12.3f %12.3f%s\n", path, 1e6 * captured.step, 1e6 * located.step,
           located.step / captured.step, located.newton / captured.newton, located.events ? "  not calm" : "");
}

static void at_events(const char *path, const char *dt, const char *until) {
    effort e = watch(path, "run.events=locate", dt, until);
    printf("%-40s %12ld %12.1f %12.1f\n", path, e.events, e.added / (double)e.events, e.solves / (double)e.events);
}

static void located_events(void) {
    printf("\n%-40s %12s %12s %12s %12s\n", "between events", "captured us", "located us", "ratio", "Newton ratio");
    between_events("scenes/paper/rattle/slope_1.yaml", "run.dt=1e-3", "run.until=1");
    between_events("scenes/paper/rattle/slider_crank.yaml", "run.dt=1e-6", "run.until=5e-4");
    printf("\n%-40s %12s %12s %12s\n", "at events", "events", "Newton/event", "solves/event");
    at_events("scenes/paper/rattle/slope_4.yaml", "run.dt=1e-2", "run.until=3");
    at_events("scenes/gallery/stick_slip.yaml", "run.dt=1e-2", "run.until=6");
    at_events("scenes/paper/rattle/slider_crank.yaml", "run.dt=1e-4", "run.until=0.04");
}

/* Seconds per element over a chain of them bent in space: of forces alone, or with their derivatives. */
static double element_time(const elastic *kind, bool with_f_q) {
    enum { CHAIN = 100 };
    int nq = kind->nq / 2;
    double q[7 * (CHAIN + 1)], f[12], f_q[12 * 14], fastest = INFINITY, end = seconds() + 0.2;
    const beam b = {.length = 0.1, .stiffness = {1, 2, 3, 40, 50, 60}, .strain = {0, 0, 0, 1, 0, 0}};
    for (int i = 0; i < nq * (CHAIN + 1); i++) q[i] = i % nq == 3 ? 1 : 0.1 * sin(i);
    do {
        double from = seconds();
        for (int repeat = 0; repeat < 100; repeat++)
            for (int i = 0; i < CHAIN; i++)
                if (kind->evaluate(&b, q + nq * i, NULL, f, with_f_q ? f_q : NULL)) exit(1);
        fastest = fmin(fastest, (seconds() - from) / (100 * CHAIN));
    } while (seconds() < end);
    return fastest;
}

static void elastic_elements(void) {
    const elastic *kinds[] = {&elastic_beam, &elastic_planar_beam};
    printf("\n%-40s %12s %12s\n", "elastic elements, us / element", "f", "f and f_q");
    for (int k = 0; k < 2; k++)
        printf("%-40s %12.3f %12.3f\n", kinds[k]->name, 1e6 * element_time(kinds[k], false),
               1e6 * element_time(kinds[k], true));
}

static void only_steps(const char *name, long count) {
    carom_scene *scene = load(scene_named(name), NULL, 0);
    carom_sim *sim = start(scene);
    advance(sim, count);
    printf("%016llx\n", carom_sim_hash(sim));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void steps_with_derivatives(const char *path, long count, const char *how, const char *const *by, int names) {
    const bool adjoint = how[0] != 'f';
    const size_t room = how[0] == 'c' ? 100000 : 0; /* bytes */
    carom_error error;
    carom_scene *scene;
    if (carom_scene_load(path, NULL, 0, &scene, &error)) fail(&error);
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    carom_sim *sim = start(scene);
    double *q = calloc((size_t)d->nq + 1, sizeof *q), *gradient = calloc((size_t)names + 1, sizeof *gradient);
    if (adjoint ? carom_sim_trace(sim, by, names, room, &error) : carom_sim_differentiate(sim, by, names, &error))
        fail(&error);
    advance(sim, count);
    q[0] = 1;
    const carom_weight weight = {carom_sim_steps(sim), -1, q, NULL, 0};
    if (adjoint && carom_sim_gradient(sim, &weight, 1, gradient, &error)) fail(&error);
    printf("%.15g\n", adjoint ? gradient[0] : carom_sim_q_by(sim, 0)[0]);
    free(q);
    free(gradient);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    if (argc > 4) {
        steps_with_derivatives(argv[1], atol(argv[2]), argv[3], (const char *const *)argv + 4, argc - 4);
        return 0;
    }
    if (argc == 3) {
        only_steps(argv[1], atol(argv[2]));
        return 0;
    }
    small_scenes();
    chains();
    if (argc == 2) return 0;
    located_events();
    elastic_elements();
    beam_of_elements();
    column();
    beams();
    return 0;
}
