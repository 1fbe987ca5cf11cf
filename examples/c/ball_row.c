/* A mechanism that a program puts together: a row of balls, each lighter than the one before, that stand a little apart
 * until the first strikes the second. Sizes and masses come from the program, what they mean from the words of a scene.
 *
 * An elastic impact on a ball at rest passes the velocity on with the factor 2 m/(m + m'), so that the last ball leaves
 * with v_n = v_1 prod 2 m_i/(m_i + m_(i+1)) */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum { BALLS = 5 };
static const double density = 7800, gap = 0.01, speed = 1;

static double radius(int i) {
    return 0.03 * pow(0.8, i);
}

static double mass(int i) {
    return density * 4 / 3 * 3.14159265358979323846 * pow(radius(i), 3);
}

static carom_status describe(carom_scene **scene, carom_error *error) {
    carom_sketch *row = carom_sketch_create("ball_row");
    if (!row) return CAROM_MEMORY;
    double x = 0;
    for (int i = 0; i < BALLS; i++) {
        carom_sketch_add(row, "model.bodies.ball%d={type: spatial, mass: %.17g, shape: {sphere: %.17g}}", i, mass(i),
                         radius(i));
        carom_sketch_add(row, "model.bodies.ball%d.position=[%.17g, 0, 0]", i, x);
        if (i > 0)
            carom_sketch_add(row, "model.contacts.hit%d={between: [ball%d, ball%d], restitution: 1}", i, i - 1, i);
        if (i + 1 < BALLS) x += radius(i) + radius(i + 1) + gap;
    }
    carom_sketch_add(row, "model.bodies.ball0.velocity=[%.17g, 0, 0]", speed);
    carom_sketch_add(row, "run={integrator: lobatto, stages: 2, events: locate, dt: 1e-3, until: 0.05}");
    carom_status status = carom_sketch_scene(row, scene, error);
    carom_sketch_destroy(row);
    return status;
}

int main(void) {
    double last = 0, exact = speed;
    for (int i = 1; i < BALLS; i++) exact *= 2 * mass(i - 1) / (mass(i - 1) + mass(i));
    char name[32], text[1200];
    snprintf(name, sizeof name, "ball%d.x_dot", BALLS - 1);
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    carom_status status = describe(&scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, &error);
    if (!status) last = carom_sim_u(sim)[carom_model_velocity(carom_scene_model(scene), name)];
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    if (status) {
        fprintf(stderr, "ball_row: %s\n", carom_error_text(&error, text, sizeof text));
        return status;
    }
    printf("the last of %d balls leaves with %.15f m/s, exact %.15f\n", BALLS, last, exact);
    return fabs(last - exact) < 1e-12 ? 0 : 1; /* round-off and the tolerance of steps */
}
