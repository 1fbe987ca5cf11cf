/* A cart on two bogies with four wheels follows a speed from a file: a controller sets the torque of the motors every
 * millisecond. Then it does so a thousand times with other loads. cart [SPEED.csv [RUNS]] */
#include <carom/carom.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const cart =
    "carom: 1\n"
    "parameters: {m: 8, mu: 0.8}\n"
    "inputs: {torque: 0, wanted: 0}\n"
    "model:\n"
    "  gravity: [0, -9.81]\n"
    "  frames: {road: {shape: {plane: [0, 1]}}}\n"
    "  bodies:\n"
    "    cart: {type: planar, mass: m, shape: {box: [0.8, 0.1]}, position: [0, 0.15]}\n"
    "    \"bogie[k=1..2]\": {type: planar, mass: 0.5, shape: {box: [0.3, 0.02]}, position: [0.5*k - 0.75, 0.1]}\n"
    "    \"wheel[i=1..4]\": {type: planar, mass: 0.5, shape: {disk: 0.1},"
    " position: [\"0.2*i - 0.55 + if(i > 2, 0.1, 0)\", 0.1]}\n"
    "  joints:\n"
    "    \"pivot[k=1..2]\": {type: revolute, bodies: [cart, \"bogie[k]\"], at: [0.5*k - 0.75, 0.1]}\n"
    "    \"axle[i=1..4]\": {type: revolute, bodies: [\"bogie[floor((i + 1)/2)]\", \"wheel[i]\"],"
    " at: [\"0.2*i - 0.55 + if(i > 2, 0.1, 0)\", 0.1], torque: -torque}\n"
    "  contacts: {\"tyre[i=1..4]\": {between: [\"wheel[i]\", road], friction: mu}}\n"
    "run: {integrator: rattle, dt: 1e-3, until: 0.05, tolerance: 1e-11}\n";

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
    carom_error error;
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    controller c = {0};
    char signal[600];
    const char *overrides[] = {signal};
    int runs = count > 2 ? atoi(words[2]) : 1000;
    snprintf(signal, sizeof signal, "inputs.wanted=table(\"%s\", t)",
             count > 1 ? words[1] : "examples/c/cart_speed.csv");
    carom_status status = carom_scene_parse(cart, strlen(cart), "cart", overrides, 1, &scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    if (!status) status = carom_sim_sensor(sim, "cart.velocity", &c.speed, NULL, &error);
    if (!status) status = carom_sim_sensor(sim, "wanted", &c.wanted, NULL, &error);
    if (!status)
        carom_sim_set_callback(sim, control, &c), c.torque = carom_model_input(carom_scene_model(scene), "torque");
    clock_t start = clock();
    for (int i = 0; i < runs && !status; i++) { /* nothing is built anew */
        c.m = 4 + 8.0 * i / runs;
        status = carom_sim_set_parameter(sim, carom_model_parameter(carom_scene_model(scene), "m"), c.m, &error);
        if (!status) status = carom_sim_restart(sim, &error);
        if (!status) status = carom_sim_run(sim, &error);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status) fprintf(stderr, "%s\n", error.message);
    else
        printf("%d runs of %ld steps, %.3g us per step; the last ends with %.3f m/s, off by at most %.1e\n", runs,
               carom_sim_total_steps(sim), 1e6 * seconds / (runs * (double)carom_sim_total_steps(sim)), c.exact,
               c.worst);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return status || !(c.exact > 0.01 && c.worst < 1e-10);
}
