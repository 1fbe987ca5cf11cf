/* A law of friction and an integrator of the program's own, by the descriptors that carom's own have.
 *
 * The law: friction acts along each axis for itself, |x_i| <= mu P_N. The integrator: half a step of motion, the kick
 * of a whole step, half a step of motion. A block that slides with v = (2, 1) on a floor with mu g = 5 stops after
 * v_i^2/(2 mu g): 0.4 along x and 0.1 along y. */
#include <carom/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the law */

static void prox(int n, const double *x, double radius, double *p) {
    for (int i = 0; i < n; i++) p[i] = fmax(-radius, fmin(x[i], radius));
}

static void linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    if (!(radius > 0)) {
        carom_law_open(n, w, row);
        return;
    }
    carom_law_hold(n, v, row);
    for (int i = 0; i < n; i++) {
        if (fabs(v[i] - w[i]) <= radius) continue;
        row->branch = CAROM_LAW_SLIDE;
        row->radius[i] = copysign(1, v[i] - w[i]);
        row->row[i] = w[i] + radius * row->radius[i];
        row->v[i][i] = 0;
        row->w[i][i] = 1;
    }
}

static const carom_law_def law = {.info = {.name = "box",
                                           .title = "Friction along each axis for itself",
                                           .set = "C = {|x_i| <= mu P_N}",
                                           .reference = "this program"},
                                  .least = 1,
                                  .most = 2,
                                  .prox = prox,
                                  .linearise = linearise};

/* ---- the integrator */

typedef struct scheme {
    carom_node *node;
    double *q; /* in the middle of the step */
} scheme;

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    (void)run, (void)error;
    scheme *s = *self = calloc(1, sizeof *s);
    *memory = 0;
    if (!s) return CAROM_MEMORY;
    s->node = carom_node_create(model);
    s->q = malloc((size_t)carom_model_get(model)->nq * sizeof *s->q);
    return s->node && s->q ? CAROM_OK : CAROM_MEMORY;
}

static void destroy(void *self) {
    scheme *s = self;
    if (!s) return;
    carom_node_destroy(s->node);
    free(s->q);
    free(s);
}

static bool start(void *self, carom_motion *first, carom_step_report *report) {
    (void)self, (void)first, (void)report;
    return true;
}

static bool step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                 carom_step_report *report) {
    scheme *s = self;
    carom_motion middle = *next;
    middle.t = now->t + dt / 2;
    middle.q = s->q;
    if (!carom_node_advance(s->node, now, now->u, &middle, dt / 2, tolerance, report) ||
        !carom_node_kick(s->node, middle.t, middle.q, now->u, dt / 2, dt / 2, now->P, tolerance, report))
        return false;
    carom_node_read(s->node, next);
    return carom_node_advance(s->node, &middle, next->u, next, dt / 2, tolerance, report);
}

static void forget(void *self) {
    carom_node_forget(((scheme *)self)->node);
}

static const carom_integrator_def integrator = {
    .info = {.name = "kick_in_the_middle",
             .title = "Motion, kick, motion",
             .order = "2 while no contact changes",
             .conserves = "momentum",
             .needs = "M, h, W",
             .stability = "dt omega < 2",
             .reference = "this program",
             .promise = {.order = 2, .velocity_order = 2, .joint_order = 1, .rolling_order = 1, .momentum = true}},
    .stages = 1,
    .any_laws = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .forget = forget};

/* ---- a run */

static const char scene_text[] = "carom: 1\n"
                                 "model:\n"
                                 "  coordinates: {x: {velocity: 2}, y: {velocity: 1}, z: 0}\n"
                                 "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                                 "  potential: 10*z\n"
                                 "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 0.5, law: box}}\n"
                                 "run: {integrator: kick_in_the_middle, dt: 1e-3, until: 0.6}\n";

static int print_findings(const char *name, const carom_finding *findings, int count) {
    for (int i = 0; i < count && i < 8; i++) printf("%s: %s\n", name, findings[i].text);
    return count;
}

int main(void) {
    char text[1200];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_finding findings[8];
    carom_status status = carom_law_register(&law, &error);
    if (!status) status = carom_integrator_register(&integrator, &error);
    if (!status && (print_findings("law", findings, carom_law_check(&law, findings, 8)) ||
                    print_findings("integrator", findings, carom_integrator_check(integrator.info.name, findings, 8))))
        return 1;
    if (!status) status = carom_scene_parse(scene_text, strlen(scene_text), "block", NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, &error);
    double x = 0, y = 0;
    if (!status) x = carom_sim_q(sim)[0], y = carom_sim_q(sim)[1];
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    if (status) {
        fprintf(stderr, "own_scheme: %s\n", carom_error_text(&error, text, sizeof text));
        return status;
    }
    printf("the block stops at (%.4f, %.4f), exact (0.4, 0.1)\n", x, y);
    return fabs(x - 0.4) < 4e-3 && fabs(y - 0.1) < 2e-3 ? 0 : 1; /* late by a step or two */
}
