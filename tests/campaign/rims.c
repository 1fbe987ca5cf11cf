/* Cylinders of all proportions that meet boxes, hulls, spheres and capsules, located: in flight, on a table with edges,
 * and as something fixed that others fall on; with and without friction and restitution, by steps from fine to coarse.
 *
 * Forbidden: a run that ends early; shapes that are smaller by 2e-7 all around, which is more than a step may overlap,
 * and still have a point in common; in flight, momentum that changes by more than round-off, 1e-10 of its size, and
 * angular momentum by more than the second order of the coarsest steps here leaves, 1e-4; energy that grows in a step,
 * by more than 1e-3 of what there was, for the same reason, unless there are friction and restitution, since Newton's
 * law may add some then; without friction and loss, energy that changes by more than that. */
#include "carom/carom.h"
#include "support/campaign.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/found/features_inside.h"

enum { SCENES, STEPS, EVENTS, CAPTURED };
enum { BODIES = 5, POINTS = 12 };

static double choose(uint64_t *state, int count, const double *of) {
    return of[(int)(campaign_random(state) * count)];
}
#define CHOOSE(state, ...)                                                                                             \
    choose(state, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

/* ---- scenes */

typedef enum sort { CYLINDER, BOX, HULL, SPHERE, CAPSULE } sort;
static const char *const sorts[] = {"c", "b", "h", "s", "k"};

typedef struct member {
    sort sort;
    bool fixed;
    double radius, length, size[3], point[POINTS][3];
    int points;
    double r[3], axis[3], angle, v[3], w[3];
    core small; /* smaller all around */
} member;

typedef struct company {
    member of[BODIES];
    int count;
    bool falls, lobatto;
    double mu, e, dt, until;
} company;

static void shape_it(uint64_t *state, member *m) {
    m->radius = campaign_between(state, 0.04, 0.12), m->length = m->radius * CHOOSE(state, 0.1, 0.5, 1.3, 2, 5);
    for (int k = 0; k < 3; k++) m->size[k] = CHOOSE(state, 0.08, 0.1, 0.2, campaign_between(state, 0.05, 0.3));
    m->points = 5 + (int)(campaign_random(state) * (POINTS - 5));
    for (int i = 0; i < m->points; i++)
        for (int k = 0; k < 3; k++) m->point[i][k] = round(1e3 * campaign_between(state, -0.12, 0.12)) / 1e3;
    if (m->sort == SPHERE || m->sort == CAPSULE) m->radius /= 2;
}

static void throw_it(uint64_t *state, member *m, int i, bool falls) {
    const double high = falls ? 0.25 + 0.3 * i : 0.35 * (i % 2) - 0.15;
    for (int k = 0; k < 3; k++) {
        m->axis[k] = campaign_between(state, -1, 1);
        m->r[k] =
            k == 2 ? high
                   : (falls ? 0.1 : 0.3) * campaign_between(state, -1, 1) + (falls ? 0 : 0.35 * (k ? i / 2 : 0) - 0.2);
        m->v[k] = falls ? campaign_between(state, -0.5, 0.5) : campaign_between(state, -0.3, 0.3) - 3 * m->r[k];
        m->w[k] = campaign_between(state, -6, 6);
    }
    m->angle = CHOOSE(state, 0, 0, 1.5707963267948966, 1, 3);
    if (m->angle == 0 && falls) m->w[0] = m->w[1] = m->w[2] = 0;
    if (m->angle < 2 && m->angle > 1.5) m->axis[2] = 0;
}

/* What everything falls on: a table, or a cylinder that lies, stands or leans. */
static void fix_it(uint64_t *state, member *m) {
    m->fixed = true;
    if (m->sort == BOX) {
        m->size[0] = m->size[1] = CHOOSE(state, 0.15, 0.3, 0.6), m->size[2] = 0.2, m->r[2] = -0.1;
    } else {
        m->radius = CHOOSE(state, 0.1, 0.2), m->length = CHOOSE(state, 0.05, 0.4);
        m->axis[0] = 1, m->axis[1] = 0.3, m->angle = CHOOSE(state, 0, 0, 1.5707963267948966, 0.7);
    }
}

static company gather(uint64_t *state) {
    company c = {.falls = campaign_random(state) < 0.6, .lobatto = campaign_random(state) < 0.6};
    c.mu = CHOOSE(state, 0, 0.3, 0.8), c.e = CHOOSE(state, 0, 0.5, 1), c.dt = CHOOSE(state, 4e-3, 2e-3, 1e-3);
    c.until = c.falls ? 0.5 : 0.4;
    c.count = c.falls ? 2 + (int)(2 * campaign_random(state)) : 3 + (int)(3 * campaign_random(state));
    const bool on_cylinder = campaign_random(state) < 0.4;
    for (int i = 0; i < c.count; i++) {
        member *m = &c.of[i];
        const bool others = c.falls ? (on_cylinder ? i > 0 : i != 1) : i > 0;
        m->sort = !others ? CYLINDER : c.falls && i == 0 ? BOX : (sort)(BOX + (int)(4 * campaign_random(state)));
        shape_it(state, m);
        if (c.falls && i == 0) fix_it(state, m);
        else throw_it(state, m, i, c.falls);
    }
    return c;
}

static char *print(char *at, const char *end, const char *format, ...) __attribute__((format(printf, 3, 4)));
static char *print(char *at, const char *end, const char *format, ...) {
    va_list list;
    va_start(list, format);
    at += vsnprintf(at, (size_t)(end - at), format, list);
    va_end(list);
    return at;
}

static char *write_shape(const member *m, char *at, const char *end) {
    if (m->sort == CYLINDER) return print(at, end, "cylinder: {radius: %.17g, length: %.17g}", m->radius, m->length);
    if (m->sort == BOX) return print(at, end, "box: [%.17g, %.17g, %.17g]", m->size[0], m->size[1], m->size[2]);
    if (m->sort == SPHERE) return print(at, end, "sphere: %.17g", m->radius);
    if (m->sort == CAPSULE) return print(at, end, "capsule: {radius: %.17g, length: %.17g}", m->radius, m->length);
    at = print(at, end, "hull: [");
    for (int i = 0; i < m->points; i++)
        at = print(at, end, "%s[%g, %g, %g]", i ? ", " : "", m->point[i][0], m->point[i][1], m->point[i][2]);
    return print(at, end, "]");
}

static void write(const company *c, char *at, const char *end) {
    at = print(at, end, "carom: 1\nmodel:\n  gravity: [0, 0, %g]\n  bodies:\n", c->falls ? -9.81 : 0);
    for (int i = 0; i < c->count; i++) {
        const member *m = &c->of[i];
        if (m->fixed) continue;
        at = print(at, end, "    %s%d: {type: spatial, mass: 1, inertia: [0.002, 0.003, 0.004], shape: {",
                   sorts[m->sort], i);
        at = write_shape(m, at, end);
        at = print(at, end,
                   "}, position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], rotation: {axis: [%.17g, "
                   "%.17g, %.17g], angle: %.17g}, angular_velocity: [%.17g, %.17g, %.17g]}\n",
                   m->r[0], m->r[1], m->r[2], m->v[0], m->v[1], m->v[2], m->axis[0], m->axis[1], m->axis[2], m->angle,
                   m->w[0], m->w[1], m->w[2]);
    }
    at = print(at, end, "  contacts:\n    all: {among: [");
    for (int i = 0; i < c->count; i++) {
        const member *m = &c->of[i];
        if (!m->fixed) {
            at = print(at, end, "%s%s%d", i ? ", " : "", sorts[m->sort], i);
            continue;
        }
        at = print(at, end, "{body: world, ");
        at = write_shape(m, at, end);
        at = print(at, end, ", at: [0, 0, %g]", m->r[2]);
        if (m->angle != 0) {
            const double length = hypot(m->axis[0], m->axis[1]);
            at = print(at, end, ", axis: [%.17g, %.17g, %.17g]", sin(m->angle) * m->axis[1] / length,
                       -sin(m->angle) * m->axis[0] / length, cos(m->angle));
        }
        at = print(at, end, "}");
    }
    print(at, end,
          "], friction: %g, restitution: %g}\nrun: {integrator: %s, dt: %g, until: %g, tolerance: 1e-12, events: "
          "locate}\n",
          c->mu, c->e, c->lobatto ? "lobatto, stages: 3" : "rattle", c->dt, c->until);
}

/* ---- claims */

static bool make_small(member *m) {
    shape s = {.kind = m->sort == CYLINDER ? SHAPE_CYLINDER
                       : m->sort == BOX    ? SHAPE_BOX
                       : m->sort == HULL   ? SHAPE_HULL
                       : m->sort == SPHERE ? SHAPE_SPHERE
                                           : SHAPE_CAPSULE,
               .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double less = 2e-7;
    polytope h = {0};
    s.radius = m->radius - less, s.length = m->length - (m->sort == CYLINDER ? 2 * less : 0);
    for (int k = 0; k < 3; k++) s.size[k] = m->size[k] - 2 * less;
    if (m->fixed) s.r[2] = m->r[2];
    if (m->fixed && m->angle != 0) {
        const double length = hypot(m->axis[0], m->axis[1]), c = cos(m->angle), t = sin(m->angle) / length;
        shape_axes((double[3]){t * m->axis[1], -t * m->axis[0], c}, s.A);
    }
    if (m->sort == HULL && polytope_create(&h, (const double(*)[3])m->point, m->points) != POLYTOPE_DONE) return false;
    const double part = m->sort == HULL ? 1 - 2 * less / h.thin : 1;
    for (int i = 0; i < h.vertices; i++)
        for (int k = 0; k < 3; k++) h.vertex[i][k] = h.centre[k] + part * (h.vertex[i][k] - h.centre[k]);
    s.hull = &h;
    const bool made = core_create(&m->small, &s, (double[3]){0});
    polytope_destroy(&h);
    return made;
}

static core put(const member *m, const double *q) {
    core_pose at = {.A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    core placed = {.vertex = calloc((size_t)m->small.vertices + 1, sizeof *placed.vertex),
                   .face = calloc((size_t)m->small.faces + 1, sizeof *placed.face)};
    if (!m->fixed) memcpy(at.r, q, sizeof at.r), space_rotation(q + 3, at.A);
    core_place(&m->small, &at, &placed);
    return placed;
}

static bool overlap(const company *c, const double *q) {
    core at[BODIES];
    bool any = false;
    for (int i = 0, k = 0; i < c->count; i++) at[i] = put(&c->of[i], q + 7 * k), k += !c->of[i].fixed;
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < i; j++) any = any || !(supports_gap(&at[i], &at[j]) > at[i].radius + at[j].radius);
    for (int i = 0; i < c->count; i++) free(at[i].vertex), free(at[i].face);
    return any;
}

/* Energy, momentum and angular momentum. */
static void measure(const company *c, const double *q, const double *u, double out[7]) {
    static const double J[3] = {0.002, 0.003, 0.004};
    memset(out, 0, 7 * sizeof *out);
    for (int i = 0; i < c->count; i++) {
        if (c->of[i].fixed) continue;
        double A[3][3], spin[3], orbit[3];
        space_rotation(q + 3, A);
        space_cross(q, u, orbit);
        for (int k = 0; k < 3; k++) spin[k] = J[k] * u[3 + k], out[0] += (u[k] * u[k] + spin[k] * u[3 + k]) / 2;
        out[0] += c->falls ? 9.81 * q[2] : 0;
        for (int k = 0; k < 3; k++)
            out[1 + k] += u[k], out[4 + k] += orbit[k] + A[k][0] * spin[0] + A[k][1] * spin[1] + A[k][2] * spin[2];
        q += 7, u += 6;
    }
}

static void follow(const company *c, carom_sim *sim, campaign_case *x, carom_error *error) {
    double first[7], before[7], now[7], most = 1;
    bool grew = false, lost = false, pushed = false, sank = false;
    if (overlap(c, carom_sim_q(sim))) return; /* the scene begins so */
    measure(c, carom_sim_q(sim), carom_sim_u(sim), first);
    memcpy(before, first, sizeof first);
    while (!carom_sim_done(sim)) {
        int events;
        if (carom_sim_step(sim, error)) {
            campaign_violation(x, "t = %g: %s", carom_sim_time(sim), error->message);
            break;
        }
        carom_sim_events(sim, &events);
        x->count[STEPS]++, x->count[EVENTS] += events;
        measure(c, carom_sim_q(sim), carom_sim_u(sim), now);
        most = fmax(most, fabs(now[0]));
        grew = grew || (c->mu * c->e == 0 && now[0] > before[0] + 1e-3 * most);
        lost = lost || (c->mu == 0 && c->e == 1 && fabs(now[0] - first[0]) > 1e-3 * most);
        for (int k = 1; k < 7 && !c->falls; k++)
            pushed = pushed || fabs(now[k] - first[k]) > (k < 4 ? 1e-10 : 1e-4) * most;
        sank = sank || overlap(c, carom_sim_q(sim));
        memcpy(before, now, sizeof now);
    }
    x->count[CAPTURED] += carom_sim_captured(sim);
    if (grew) campaign_violation(x, "energy grows");
    if (lost) campaign_violation(x, "energy is lost");
    if (pushed) campaign_violation(x, "momentum changes");
    if (sank) campaign_violation(x, "shapes overlap");
}

static void judge(uint64_t number, campaign_case *x) {
    uint64_t state = number;
    char text[8000];
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    company c = gather(&state);
    bool made = true;
    for (int i = 0; i < c.count; i++) made = make_small(&c.of[i]) && made;
    write(&c, text, text + sizeof text);
    if (campaign_loud) printf("%s\n", text);
    x->count[SCENES]++;
    if (made && (carom_scene_parse(text, strlen(text), "rims", NULL, 0, &scene, &error) ||
                 carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error)))
        campaign_violation(x, "%s", error.message);
    else if (made) follow(&c, sim, x, &error);
    for (int i = 0; i < c.count; i++) core_destroy(&c.of[i].small);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv) {
    const campaign rims = {.cases = "scenes",
                           .few = 12,
                           .patience = 120,
                           .count = {"scenes", "steps", "events", "captured steps"},
                           .judge = judge};
    return campaign_main(&rims, argc, argv);
}
