/* Random planar scenes with located events: nothing crashes, nothing penetrates, impacts obey their laws and gain no
 * energy where the law forbids it, energy grows nowhere else, and runs converge under refinement, or it is said why
 * not.
 *
 *     test_random_scenes                   the first scenes, as part of the tests
 *     test_random_scenes first count jobs  a campaign
 *     test_random_scenes number            one scene, as YAML text and in numbers */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "campaign.h"
#include "model/model.h"
#include "random_scene.h"
#include "scene/scene.h"

enum { LOOKS = 10, MOST_Q = 9, MOST_LOGGED = 20000, PATIENCE = 120 };

static bool loud;

/* ---------------------------------------------------------------- one run */

typedef struct recipe {
    const char *events; /* locate or capture */
    int stages;
    double dt, until, tolerance;
} recipe;

typedef struct logged {
    int kind, contact, after;
    double time;
} logged;

typedef struct outcome {
    bool ended; /* at until; else why */
    char why[800];
    double q[LOOKS][MOST_Q]; /* at until/LOOKS, ... */
    double gap, joint;       /* worst penetration and joint */
    double cone, law;        /* worst violation of friction and Newton's law at an impact */
    double forbidden;        /* worst gain of energy at an impact where the law forbids it */
    double allowed;          /* and where it does not */
    double growth;           /* of energy apart from impacts */
    long steps, divided;
    long weakened; /* impacts without rebound so far, where Newton's law has no solution (L4) */
    int events;
    logged *event;
} outcome;

static double larger(double a, double b) {
    return a > b || isnan(a) ? a : b; /* NaN wins */
}

static int column_of(const carom_sim *sim, const char *name) {
    int k = 0;
    while (strcmp(carom_sim_column_name(sim, k), name)) k++;
    return k;
}

/* |W_k| of a gap at an event: a residual, and a rebound that is left out (L3), is the velocity of a gap over it, (S1).
 */
static double length_of_gap(carom_sim *sim, const carom_model *model, int event, int contact) {
    const carom_model_def *d = carom_model_get(model);
    const carom_pattern *W = &d->WT;
    const int row = model->N + contact;
    double *values = calloc((size_t)(carom_sim_columns(sim) + W->start[W->rows]) + 1, sizeof *values), q[MOST_Q],
           *WT = values + carom_sim_columns(sim), length = 0;
    if (carom_sim_event_row(sim, event, 0, values, NULL)) abort();
    for (int i = 0; i < d->nq; i++) q[i] = values[column_of(sim, d->q_names[i])];
    if (d->velocity(d->context, carom_sim_time(sim), q, carom_sim_u(sim), NULL, WT, NULL)) abort();
    for (int i = W->start[row]; i < W->start[row + 1]; i++) length = hypot(length, WT[i]);
    free(values);
    return length;
}

/* The impact that the events [first, first + count) are: everything of one time.
 *
 * With xi = gamma+ + E gamma-, K = (1 + E)^-1 (1 - E) and G = W^T M^-1 W, an impact changes the kinetic energy by
 * P^T (1 + E)^-1 xi - P^T K G P / 2. The first term is never positive. The second cannot be where all contacts that
 * take part, and their friction, have the same restitution. */
static void check_impact(carom_sim *sim, const carom_model *model, int first, int count, double energy, const recipe *r,
                         outcome *o) {
    int events;
    const carom_model_def *d = carom_model_get(model);
    const carom_event *e = carom_sim_events(sim, &events) + first;
    double gain = 0, least = 1, most = 0;
    for (int k = 0; k < count; k++) {
        const carom_model_contact *c = &d->contact[e[k].contact];
        const double length = length_of_gap(sim, model, first + k, e[k].contact);
        double size = 0, e_N = c->restitution, speed = fmax(0, -e[k].gap_dot[0]);
        for (int j = 0; j < c->slips; j++) size = hypot(size, e[k].PF[j]);
        gain -= e[k].loss;
        o->cone = larger(size - c->friction * fmax(0, e[k].PN), o->cone);
        o->cone = larger(-e[k].PN - 1e-3 * r->dt, o->cone); /* less would be a rebound too slow to be one */
        o->law = larger(-e[k].gap_dot[1] / length, o->law);
        double rest = 1e2 * r->tolerance * length, soft = 1e-3 * r->dt;
        if (e_N * speed <= soft && e[k].gap_dot[1] <= rest) e_N = 0; /* a rebound too slow to be one */
        if (e[k].PN > 0) o->law = larger(fabs(e[k].gap_dot[1] - e_N * speed) / length, o->law);
        if (e[k].PN > 0) least = fmin(least, e_N), most = fmax(most, e_N);
        if (size > 0) least = fmin(least, c->tangential_restitution), most = fmax(most, c->tangential_restitution);
    }
    if (least >= most) o->forbidden = larger(gain / energy, o->forbidden);
    else o->allowed = larger(gain / energy, o->allowed);
}

static void log_events(carom_sim *sim, const carom_model *model, double energy, const recipe *r, double *loss,
                       outcome *o) {
    int count;
    const carom_event *e = carom_sim_events(sim, &count);
    double law = o->law;
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && e[next].kind == e[k].kind && e[next].time == e[k].time;) next++;
        if (e[k].kind == CAROM_STRIKE) check_impact(sim, model, k, next - k, energy, r, o);
    }
    if (carom_sim_weakened(sim, NULL) > o->weakened) o->law = law;
    o->weakened = carom_sim_weakened(sim, NULL);
    for (int k = 0; k < count; k++) {
        *loss += e[k].loss;
        if (o->events < MOST_LOGGED)
            o->event[o->events++] = (logged){(int)e[k].kind, e[k].contact, (int)e[k].state[1], e[k].time};
    }
}

static double energy_of(const carom_sim *sim, const carom_model_def *d, double *kinetic) {
    double T, V;
    if (d->energy(d->context, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim), &T, &V)) return NAN;
    if (kinetic) *kinetic = T;
    return T + V;
}

static void check_places(const carom_sim *sim, const carom_model_def *d, outcome *o) {
    double c[64], size = 1;
    const double *q = carom_sim_q(sim);
    for (int k = 0; k < d->nq; k++) size = fmax(size, fabs(q[k]));
    if (d->position(d->context, carom_sim_time(sim), q, c, NULL)) c[0] = NAN;
    for (int k = 0; k < d->ng; k++) o->joint = larger(fabs(c[k]) / size, o->joint);
    for (int k = 0; k < d->contacts; k++) o->gap = larger(-c[d->ng + k] / size, o->gap);
}

static carom_sim *begin(const carom_model *model, const recipe *r, outcome *o) {
    carom_option options[] = {{.name = "stages", .number = r->stages}, {.name = "events", .text = r->events}};
    carom_run_def run = carom_run_default();
    run.integrator = "lobatto", run.dt = r->dt, run.until = r->until, run.tolerance = r->tolerance;
    run.options = options, run.option_count = 2;
    carom_sim *sim = NULL;
    carom_error error = {0};
    if (carom_sim_create(model, &run, &sim, &error)) snprintf(o->why, sizeof o->why, "at the start: %s", error.message);
    return sim;
}

static outcome go(const carom_model *model, const recipe *r) {
    const carom_model_def *d = carom_model_get(model);
    outcome o = {.event = calloc(MOST_LOGGED, sizeof *o.event)};
    carom_error error = {0};
    carom_sim *sim = begin(model, r, &o);
    if (!sim) return o;
    double kinetic, start = energy_of(sim, d, &kinetic), energy = fmax(1, kinetic + fabs(start)), loss = 0,
                    least = start;
    bool located = strcmp(r->events, "locate") == 0;
    long total = carom_sim_total_steps(sim);
    while (!carom_sim_done(sim) && !carom_sim_step(sim, &error)) {
        long n = carom_sim_steps(sim);
        if (n * LOOKS % total == 0)
            memcpy(o.q[n * LOOKS / total - 1], carom_sim_q(sim), (size_t)d->nq * sizeof *o.q[0]);
        if (!located) continue;
        check_places(sim, d, &o);
        log_events(sim, model, energy, r, &loss, &o);
        double sum = energy_of(sim, d, NULL) + loss;
        o.growth = larger((sum - least) / energy, o.growth);
        least = fmin(least, sum);
    }
    o.ended = carom_sim_done(sim);
    o.steps = carom_sim_steps(sim), o.divided = carom_sim_substeps(sim);
    if (!o.ended) snprintf(o.why, sizeof o.why, "%s", error.message);
    carom_sim_destroy(sim);
    return o;
}

/* ---------------------------------------------------------------- one scene */

typedef enum verdict {
    FINE,
    /* failures */
    CRASH,
    HANG,
    SCENE,
    PENETRATION,
    JOINT,
    CONE,
    LAW,
    GAIN,
    GROWTH,
    NO_STEP,
    DIVERGES,
    WITNESS,
    /* named reasons */
    NO_ACCELERATION,
    NO_IMPACT,
    SENSITIVE,
    REORDERED,
    ALLOWED_GAIN,
    VERDICTS
} verdict;
static const char *const verdict_text[VERDICTS] = {
    "fine",
    "CRASH",
    "HANG",
    "SCENE that does not load",
    "PENETRATION beyond 1e-12",
    "JOINT open beyond 1e-12",
    "CONE of friction left at an impact",
    "LAW of impact violated",
    "GAIN of energy at an impact that forbids it",
    "GROWTH of energy that refinement leaves",
    "NO STEP found, without a name for it",
    "DIVERGES under refinement, without a name for it",
    "WITNESS (captured events, small steps) disagrees",
    "no accelerations satisfy the contact laws",
    "Newton's impact law has no solution",
    "the motion is sensitive to its start",
    "events change their order under refinement",
    "gain of energy at an impact that Newton's law allows",
};
enum { FAILURES = NO_ACCELERATION };

typedef struct judgement {
    int found[VERDICTS];
    char note[400];
    long steps, events, divided;
    bool done;
} judgement;

__attribute__((format(printf, 3, 4))) static void find(judgement *j, verdict v, const char *format, ...) {
    j->found[v] = 1;
    size_t used = strlen(j->note);
    if (used + 40 > sizeof j->note) return;
    va_list list;
    va_start(list, format);
    vsnprintf(j->note + used, sizeof j->note - used, format, list);
    va_end(list);
}

/* What every run is held to. Places: what round-off leaves of numbers of size 1. Laws: what the tolerance of the run
 * leaves, in velocities, percussions of masses up to 2 at a time. */
static void judge(const outcome *o, const recipe *r, judgement *j) {
    double floor = fmax(1e-12, r->tolerance), places = fmax(1e-12, 10 * r->tolerance * r->dt);
    j->steps += o->steps, j->events += o->events, j->divided += o->divided;
    if (!(o->gap <= places)) find(j, PENETRATION, "[dt %g: penetrates by %.1e] ", r->dt, o->gap);
    if (!(o->joint <= places)) find(j, JOINT, "[dt %g: joint open by %.1e] ", r->dt, o->joint);
    if (!(o->cone <= 1e2 * floor)) find(j, CONE, "[dt %g: cone %.1e] ", r->dt, o->cone);
    if (!(o->law <= 1e2 * floor)) find(j, LAW, "[dt %g: law %.1e] ", r->dt, o->law);
    if (!(o->forbidden <= 1e2 * floor)) find(j, GAIN, "[dt %g: gain %.1e] ", r->dt, o->forbidden);
    if (o->allowed > 1e2 * floor) find(j, ALLOWED_GAIN, " ");
    if (o->ended) return;
    bool rates = strstr(o->why, "no accelerations"), impact = strstr(o->why, "at an impact");
    find(j, rates ? NO_ACCELERATION : impact ? NO_IMPACT : NO_STEP, "[dt %g: %s] ", r->dt, o->why);
}

static double difference(const outcome *a, const outcome *b, int nq) {
    double sum = 0;
    for (int i = 0; i < LOOKS; i++) {
        double most = 0;
        for (int k = 0; k < nq; k++) most = larger(fabs(a->q[i][k] - b->q[i][k]), most);
        sum += most / LOOKS;
    }
    return sum;
}

static bool same_events(const outcome *a, const outcome *b) {
    if (a->events != b->events) return false;
    for (int k = 0; k < a->events; k++)
        if (a->event[k].kind != b->event[k].kind || a->event[k].contact != b->event[k].contact) return false;
    return true;
}

static carom_scene *load(uint64_t number, double gravity) {
    static char text[65536];
    size_t size = random_scene(number, gravity, text, sizeof text);
    carom_scene *scene = NULL;
    carom_error error;
    if (scene_load_text(text, size, "random", NULL, &scene, &error)) {
        printf("%s\n%d:%d %s\n", text, error.line, error.column, error.message);
        return NULL;
    }
    return scene;
}

/* Does the scene start without penetration? */
static bool starts_apart(const carom_scene *scene) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    double c[64];
    if (d->ng + d->contacts > 64 || d->nq > MOST_Q || d->position(d->context, 0, d->q0, c, NULL)) return false;
    for (int k = 0; k < d->contacts; k++)
        if (c[d->ng + k] < -1e-15) return false;
    return true;
}

static const double g = 9.81;

static void tell(const outcome *o, const recipe *r) {
    static const char *const kinds[] = {"strike", "opening", "stop", "break"};
    if (!loud) return;
    printf("s %d, dt %g, tolerance %g: %ld steps, %d events; gap %.1e joint %.1e cone %.1e law %.1e gain %.1e (allowed "
           "%.1e) growth %.1e %s\n",
           r->stages, r->dt, r->tolerance, o->steps, o->events, o->gap, o->joint, o->cone, o->law, o->forbidden,
           o->allowed, o->growth, o->why);
    for (int k = 0; k < o->events; k++)
        printf("   %.15f contact %d %s, then %d\n", o->event[k].time, o->event[k].contact, kinds[o->event[k].kind],
               o->event[k].after);
}

/* Captured events with two stages and small steps know nothing of located ones. Their error falls with dt, in leaps
 * that the order of events makes: where it is not small, steps ten times as small must come three times as near, at
 * once or after one more leap. */
static void hear_witness(const carom_model *model, const outcome *located, double until, judgement *j) {
    static const double steps[] = {2e-4, 2e-5, 2e-6};
    const int nq = carom_model_get(model)->nq;
    double apart[3];
    for (int k = 0; k < 3; k++) {
        recipe r = {.events = "capture", .stages = 2, .dt = steps[k], .until = until, .tolerance = 1e-10};
        outcome o = go(model, &r);
        apart[k] = difference(&o, located, nq);
        if (loud) printf("witness: dt %g, apart %.2e %s\n", r.dt, apart[k], o.why);
        free(o.event);
        if (!o.ended || apart[k] <= 1e-3 || (k > 0 && apart[k] <= apart[k - 1] / 3)) return;
    }
    find(j, WITNESS, "[witness: apart %.1e %.1e %.1e] ", apart[0], apart[1], apart[2]);
}

/* Sizes of steps are halved until two halvings in a row are explained. */
static void refine(uint64_t number, const carom_model *model, recipe r, judgement *j) {
    enum { HALVINGS = 5, ENOUGH = 3 };
    const int nq = carom_model_get(model)->nq;
    outcome o[HALVINGS];
    double d[HALVINGS];
    int n = 0;
    bool converged = false;
    for (; n < HALVINGS && !(converged && n >= ENOUGH); n++, r.dt /= 2) {
        o[n] = go(model, &r);
        tell(&o[n], &r);
        judge(&o[n], &r, j);
        if (!o[n].ended) return;
        d[n] = n ? difference(&o[n - 1], &o[n], nq) : INFINITY;
        converged = n >= 2 && (d[n] <= d[n - 1] / 2 || d[n] <= 1e-8);
        if (loud && n) printf("difference %.2e\n", d[n]);
    }
    if (!(o[n - 1].growth <= 1e-8 || o[n - 1].growth <= o[n - 2].growth / 2))
        find(j, GROWTH, "[growth %.1e %.1e %.1e] ", o[0].growth, o[n - 2].growth, o[n - 1].growth);
    r.dt *= 2;
    if (!converged) {
        const double nudge = 1e-7;
        carom_scene *near = load(number, g * (1 + nudge));
        outcome moved = go(carom_scene_model(near), &r);
        double sensitivity = difference(&moved, &o[n - 1], nq) / nudge;
        bool same = same_events(&o[n - 1], &o[n - 2]);
        verdict v = sensitivity > 1e3 ? SENSITIVE : !same ? REORDERED : DIVERGES;
        find(j, v, "[differences %.1e %.1e %.1e, sensitivity %.0e] ", d[1], d[n - 2], d[n - 1], sensitivity);
        carom_scene_destroy(near);
        free(moved.event);
    }
    if (converged && number % 4 == 0) hear_witness(model, &o[n - 1], r.until, j);
    for (int k = 0; k < n; k++) free(o[k].event);
}

static void examine(uint64_t number, judgement *j) {
    static const int stages[] = {3, 3, 3, 2, 3, 3, 4, 3, 3, 5};
    uint64_t id = number;
    carom_scene *scene = NULL;
    for (int try = 0; try < 50 && !scene; try++, id += 1000003) {
        scene = load(id, g);
        if (!scene) break;
        if (!starts_apart(scene)) carom_scene_destroy(scene), scene = NULL;
        else break;
    }
    if (!scene) {
        find(j, SCENE, "[does not load] ");
        j->done = true;
        return;
    }
    if (loud) printf("%s\n", carom_scene_text(scene));
    recipe r = {.events = "locate", .stages = stages[number % 10], .dt = 0.01, .until = 1, .tolerance = 1e-12};
    refine(id, carom_scene_model(scene), r, j);
    static const recipe odd[] = {
        {.events = "locate", .stages = 3, .dt = 0.1, .until = 1, .tolerance = 1e-12},
        {.events = "locate", .stages = 2, .dt = 0.01, .until = 1, .tolerance = 1e-6},
        {.events = "locate", .stages = 4, .dt = 0.01, .until = 1, .tolerance = 1e-13},
        {.events = "locate", .stages = 6, .dt = 0.013, .until = 0.777, .tolerance = 1e-10},
    };
    outcome o = go(carom_scene_model(scene), &odd[number % 4]);
    tell(&o, &odd[number % 4]);
    judge(&o, &odd[number % 4], j);
    free(o.event);
    carom_scene_destroy(scene);
    j->done = true;
}

/* ---------------------------------------------------------------- many scenes, each in a process of its own */

static judgement *judge_all(uint64_t first, int count, int jobs) {
    judgement *all = mmap(NULL, (size_t)count * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *child = calloc((size_t)count, sizeof *child);
    int running = 0;
    fflush(stdout);
    for (int k = 0, ended = 0; ended < count;) {
        if (k < count && running < jobs) {
            child[k] = fork();
            if (child[k] == 0) {
                campaign_bear(PATIENCE);
                examine(first + (uint64_t)k, &all[k]);
                fflush(stdout);
                _exit(0);
            }
            k++, running++;
            continue;
        }
        int status;
        pid_t pid = wait(&status);
        for (int i = 0; i < k; i++) {
            if (child[i] != pid) continue;
            if (WIFSIGNALED(status))
                find(&all[i], campaign_is_stuck(status) ? HANG : CRASH, "[signal %d] ", WTERMSIG(status));
            else if (!all[i].done) find(&all[i], CRASH, "[exit %d] ", WEXITSTATUS(status));
            running--, ended++;
        }
    }
    free(child);
    return all;
}

static int report(const judgement *all, uint64_t first, int count) {
    int sum[VERDICTS] = {0}, failed = 0;
    long steps = 0, events = 0, divided = 0;
    for (int i = 0; i < count; i++) {
        bool bad = false, any = false;
        for (int v = 1; v < VERDICTS; v++) sum[v] += all[i].found[v], bad |= v < FAILURES && all[i].found[v];
        for (int v = 1; v < VERDICTS; v++) any |= v != ALLOWED_GAIN && all[i].found[v];
        failed += bad;
        steps += all[i].steps, events += all[i].events, divided += all[i].divided;
        sum[FINE] += !any;
        if (!any) continue;
        printf("%6llu %s:", (unsigned long long)first + (unsigned long long)i, bad ? "FAILED" : "named");
        for (int v = 1; v < VERDICTS; v++)
            if (all[i].found[v]) printf(" %.12s;", verdict_text[v]);
        printf(" %s\n", all[i].note);
    }
    printf("%d scenes, %ld steps (%ld divided), %ld events\n", count, steps, divided, events);
    for (int v = 0; v < VERDICTS; v++)
        if (sum[v]) printf("%6d  %s\n", sum[v], verdict_text[v]);
    return failed;
}

static void random_scenes(void **state) {
    (void)state;
    judgement *all = judge_all(1, 60, 1);
    assert_int_equal(report(all, 1, 60), 0);
}

int main(int argc, char **argv) {
    if (argc == 2) {
        judgement one = {0};
        loud = true;
        examine(strtoull(argv[1], NULL, 10), &one);
        return report(&one, strtoull(argv[1], NULL, 10), 1) != 0;
    }
    if (argc == 4) {
        uint64_t first = strtoull(argv[1], NULL, 10);
        int count = atoi(argv[2]);
        return report(judge_all(first, count, atoi(argv[3])), first, count) != 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
