/* A mechanism written as text inside a program: a rod on a hinge, let go when it is level. The scene says what it is
 * made of, the program changes a parameter, chooses the run, and reads the pose of the rod by the names of its
 * coordinates.
 *
 * A quarter of a period later the rod hangs down. With the inertia I about the hinge and the centre of mass at l/2,
 *   T/4 = sqrt(I/(m g l/2)) K,  K = pi/(2 agm(1, cos(pi/4)))     (amplitude pi/2)
 *   I phi_dot^2 / 2 = m g l/2                                    (energy) */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const mechanism =
    "carom: 1\n"
    "parameters: {l: 1, w: 0.05, g: 9.81}\n"
    "model:\n"
    "  gravity: [0, -g]\n"
    "  bodies: # the frame of the rod is at the hinge, its centre of mass is found from the shape\n"
    "    rod: {type: planar, mass: 2, shape: {box: [l, w], at: [l/2, 0]}}\n"
    "  constraints:\n"
    "    hinge: [rod.x - l/2*cos(rod.phi), rod.y - l/2*sin(rod.phi)]\n"
    "run: {integrator: lobatto, stages: 3, dt: 1e-3, until: 1}\n";

static const double pi = 3.14159265358979323846;

static double agm(double a, double b) {
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

typedef struct pose {
    double x, y, phi, phi_dot;
} pose;

/* Runs for the given time in 250 steps. */
static carom_status run(const carom_scene *scene, double time, pose *end, carom_error *error) {
    const carom_model *model = carom_scene_model(scene);
    carom_run_def def = *carom_scene_run(scene);
    def.dt = time / 250;
    def.until = time;
    carom_sim *sim = NULL;
    carom_status status = carom_sim_create(model, &def, &sim, error);
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, error);
    if (!status) {
        const double *q = carom_sim_q(sim), *u = carom_sim_u(sim);
        end->x = q[carom_model_coordinate(model, "rod.x")];
        end->y = q[carom_model_coordinate(model, "rod.y")];
        end->phi = q[carom_model_coordinate(model, "rod.phi")];
        end->phi_dot = u[carom_model_velocity(model, "rod.phi_dot")];
    }
    carom_sim_destroy(sim);
    return status;
}

int main(void) {
    const double l = 0.8, w = 0.05, g = 9.81, I = (l * l + w * w) / 12 + l * l / 4; /* per mass */
    const double quarter = sqrt(I / (g * l / 2)) * pi / (2 * agm(1, cos(pi / 4))), speed = sqrt(g * l / I);
    const char *overrides[] = {"parameters.l=0.8"};
    pose end = {0};
    carom_error error;
    carom_scene *scene = NULL;
    carom_status status = carom_scene_parse(mechanism, strlen(mechanism), "swinging_rod", overrides, 1, &scene, &error);
    if (!status) status = run(scene, quarter, &end, &error);
    carom_scene_destroy(scene);
    if (status) {
        char text[1200];
        fprintf(stderr, "swinging_rod: %s\n", carom_error_text(&error, text, sizeof text));
        return status;
    }
    printf("after %.6f s the rod is at (%.3e, %.12f), turned by %.12f, exact %.12f; %.12f rad/s, exact %.12f\n",
           quarter, end.x, end.y, end.phi, -pi / 2, end.phi_dot, -speed);
    /* three stages have order 4: dt^4 = 4e-12 */
    return fabs(end.x) < 1e-10 && fabs(end.y + l / 2) < 1e-10 && fabs(end.phi + pi / 2) < 1e-10 &&
                   fabs(end.phi_dot + speed) < 1e-10
               ? 0
               : 1;
}
