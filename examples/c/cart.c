/* A cart with four wheels (cart.yaml) follows a speed from a file: a controller sets the torque of its motors every
 * millisecond. Then it does so a thousand times with other loads. cart [SCENE.yaml [RUNS]] */
#include <carom/carom.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct controller {
    int speed, wanted, torque; /* two sensors and an input */
    double m, exact, worst;    /* load; the speed by hand, and the largest difference from it */
} controller;

/* The wheels roll: (m + 2 0.5 + 4 (0.5 + 0.5/2)) v' = 4 torque/0.1, where the torque is constant over a step. */
static bool control(carom_sim *sim, carom_moment moment, int event, void *user) {
    controller *c = user;
    double v[2], wanted;
    if (event >= 0 || carom_sim_sense(sim, c->speed, v, NULL) || carom_sim_sense(sim, c->wanted, &wanted, NULL))
        return event >= 0;
    if (moment == CAROM_AFTER_STEP) return c->worst = fmax(c->worst, fabs(v[0] - c->exact)), true;
    double torque = 0.5 * (wanted - v[0]);
    carom_sim_input(sim, c->torque, torque);
    c->exact = v[0] + 1e-3 * 40 * torque / (c->m + 4);
    return true;
}

int main(int count, char **words) {
    const char *path = count > 1 ? words[1] : "examples/c/cart.yaml";
    const int runs = count > 2 ? atoi(words[2]) : 1000;
    carom_error error;
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    controller c = {0};
    carom_status status = carom_scene_load(path, NULL, 0, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (!status) status = carom_sim_sensor(sim, "cart.velocity", &c.speed, NULL, &error);
    if (!status) status = carom_sim_sensor(sim, "wanted", &c.wanted, NULL, &error);
    if (!status) c.torque = carom_model_input(carom_scene_model(scene), "torque");
    if (!status) carom_sim_set_callback(sim, control, &c);
    const clock_t start = clock();
    for (int i = 0; i < runs && !status; i++) { /* nothing is built anew */
        c.m = 4 + 8.0 * i / runs;
        status = carom_sim_set_parameter(sim, carom_model_parameter(carom_scene_model(scene), "m"), c.m, &error);
        if (!status) status = carom_sim_restart(sim, &error);
        if (!status) status = carom_sim_run(sim, &error);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC, steps = sim ? carom_sim_total_steps(sim) : 0;
    if (status) fprintf(stderr, "%s\n", error.message);
    else
        printf("%d runs of %g steps, %.3g us per step; the last ends with %.3f m/s, off by at most %.1e\n", runs, steps,
               1e6 * seconds / (runs * steps), c.exact, c.worst);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return status || !(c.exact > 0.01 && c.worst < 1e-10);
}
