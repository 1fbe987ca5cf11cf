/* A mechanism that a program puts together from definitions: a row of balls, each lighter than the one before, that
 * stand a little apart until the first strikes the second.
 *
 * An elastic impact on a ball at rest passes the velocity on with the factor 2 m/(m + m'), so that the last ball leaves
 * with v_n = v_1 prod 2 m_i/(m_i + m_(i+1)) */
#include <carom/defs.h>
#include <math.h>
#include <stdio.h>

enum { BALLS = 5, NAME = 16 };
static const double density = 7800, gap = 0.01, speed = 1;

static double radius(int i) {
    return 0.03 * pow(0.8, i);
}

static double mass(int i) {
    return density * 4 / 3 * 3.14159265358979323846 * pow(radius(i), 3);
}

static void add_ball(carom_sketch *row, int i, double x) {
    char name[NAME];
    snprintf(name, sizeof name, "ball%d", i);
    carom_shape_def sphere = carom_default_shape_def();
    sphere.sphere = carom_number(radius(i));
    carom_body_def ball = carom_default_body_def();
    ball.name = name;
    ball.type = "spatial";
    ball.mass = carom_number(mass(i));
    ball.shape = &sphere;
    ball.shapes = 1;
    for (int k = 0; k < 3; k++) {
        ball.position[k] = carom_number(k == 0 ? x : 0);
        ball.velocity[k] = carom_number(i == 0 && k == 0 ? speed : 0);
    }
    carom_sketch_body(row, &ball);
}

static void add_contact(carom_sketch *row, int i) {
    char name[NAME], left[NAME], right[NAME];
    snprintf(name, sizeof name, "hit%d", i);
    snprintf(left, sizeof left, "ball%d", i - 1);
    snprintf(right, sizeof right, "ball%d", i);
    carom_contact_def hit = carom_default_contact_def();
    hit.name = name;
    hit.between[0].body = left;
    hit.between[1].body = right;
    hit.restitution = carom_number(1);
    carom_sketch_contact(row, &hit);
}

static carom_status describe(carom_scene **scene, carom_error *error) {
    carom_sketch *row = carom_sketch_create("ball_row");
    if (!row) return CAROM_MEMORY;
    double x = 0;
    for (int i = 0; i < BALLS; i++) {
        add_ball(row, i, x);
        if (i > 0) add_contact(row, i);
        x += radius(i) + radius(i + 1) + gap;
    }
    const carom_option options[] = {{.name = "stages", .number = 2}, {.name = "events", .text = "locate"}};
    carom_run_def run = carom_run_default();
    run.integrator = "lobatto";
    run.dt = 1e-3;
    run.until = 0.05;
    run.options = options;
    run.option_count = 2;
    carom_sketch_run(row, &run);
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
