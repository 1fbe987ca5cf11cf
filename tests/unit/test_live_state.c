/* States that a program sets, copies, saves and loads; the end and the length of steps. */
#include "live.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pendulum set to another place and time goes on from there: the forced one knows the time. */
static void a_state_can_be_set(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, "inputs.motor=8*sin(t)");
    carom_sim *sim = simulate(scene);
    run(sim, 7);
    /* x = (4/3) sin(t) solves it, with w = 2: x'' + 4 x = 4 sin(t) */
    double t = 1.2345, x = 4.0 / 3 * sin(t), v = 4.0 / 3 * cos(t);
    check(carom_sim_set_state(sim, t, &x, &v, &error));
    assert_true(carom_sim_time(sim) == t);
    check(carom_sim_run(sim, &error));
    double end = carom_sim_time(sim);
    assert_true(end >= 2 && end < 2.01 && fabs(carom_sim_q(sim)[0] - 4.0 / 3 * sin(end)) < 1e-11);
    assert_int_equal(carom_sim_set_state(sim, NAN, NULL, NULL, &error), CAROM_DATA);
    assert_int_equal(carom_sim_set_state(sim, t, &(double){INFINITY}, NULL, &error), CAROM_DATA);
    assert_string_equal(error.message, "'x' must be finite");
    assert_int_equal(carom_sim_set_state(sim, t, NULL, &(double){NAN}, &error), CAROM_DATA);
    assert_true(carom_sim_time(sim) == end);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Another end: steps until it, none where it has been passed. What a program looks at stays in its place. */
static void the_end_can_be_moved(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    const double *x = carom_sim_q(sim), *v = carom_sim_u(sim);
    check(carom_sim_set_until(sim, 0.3, &error));
    check(carom_sim_run(sim, &error));
    assert_int_equal(carom_sim_steps(sim), 30);
    assert_true(carom_sim_q(sim) == x && carom_sim_u(sim) == v);
    assert_true(fabs(*x - 0.3 * cos(0.6)) < 1e-11); /* a cos(w t), w = 2 */
    check(carom_sim_set_until(sim, 0.1, &error));
    assert_true(carom_sim_done(sim));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    assert_int_equal(carom_sim_steps(sim), 50);
    assert_int_equal(carom_sim_set_until(sim, 0, &error), CAROM_DATA);
    assert_int_equal(carom_sim_total_steps(sim), 50);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Other steps from a state on are those of a simulation that was made with them, and derivatives go along. */
static void steps_can_change_their_length(void **state) {
    (void)state;
    static const char *const start[] = {"start.x"};
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_run_def shorter = *carom_scene_run(scene);
    carom_sim *sim = simulate(scene), *other;
    check(carom_sim_differentiate(sim, start, 1, &error));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    const double q = carom_sim_q(sim)[0], u = carom_sim_u(sim)[0], t = carom_sim_time(sim);
    shorter.dt = 0.013;
    check(carom_sim_create(carom_scene_model(scene), &shorter, &other, &error));
    check(carom_sim_set_state(other, t, &q, &u, &error));
    check(carom_sim_set_dt(sim, 0.013, &error));
    check(carom_sim_set_until(sim, 2, &error));
    while (!carom_sim_done(sim)) {
        check(carom_sim_step(sim, &error));
        check(carom_sim_step(other, &error));
        assert_true(carom_sim_time(sim) == carom_sim_time(other) && carom_sim_q(sim)[0] == carom_sim_q(other)[0]);
    }
    assert_true(carom_sim_done(other) && fabs(carom_sim_time(sim) - (0.5 + 116 * 0.013)) < 1e-14);
    assert_true(fabs(carom_sim_q_by(sim, 0)[0] - cos(2 * carom_sim_time(sim))) < 1e-10); /* x = a cos(w t), w = 2 */
    static const double none[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) assert_int_equal(carom_sim_set_dt(sim, none[i], &error), CAROM_DATA);
    check(carom_sim_set_dt(sim, 1e-2, &error));
    check(carom_sim_restart(sim, &error));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    assert_true(carom_sim_q(sim)[0] == q && carom_sim_u(sim)[0] == u); /* as if it were new */
    carom_sim_destroy(other);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Directions are vectors: what is set is carried along as the combination that it is. */
static void directions_can_be_combined(void **state) {
    (void)state;
    static const char *const start[] = {"start.x", "start.x_dot"};
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene), *both = simulate(scene);
    check(carom_sim_differentiate(sim, start, 2, &error));
    check(carom_sim_differentiate(both, start, 1, &error));
    carom_sim_set_direction(both, 0, (const double[]){3}, (const double[]){-2});
    for (int i = 0; i < 100; i++) {
        check(carom_sim_step(sim, &error));
        check(carom_sim_step(both, &error));
        const double q = 3 * carom_sim_q_by(sim, 0)[0] - 2 * carom_sim_q_by(sim, 1)[0];
        assert_true(fabs(carom_sim_q_by(both, 0)[0] - q) < 1e-13);
    }
    carom_sim_destroy(both);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static carom_sim *crank(carom_scene **scene) {
    check(carom_scene_load("scenes/paper/rattle/slider_crank.yaml", NULL, 0, scene, &error));
    return simulate(*scene);
}

static void a_copy_goes_on_alike_and_on_its_own(void **state) {
    (void)state;
    carom_scene *scene;
    carom_sim *sim = crank(&scene), *copy, *other;
    set(sim, scene, "mu", 0.1);
    run(sim, 77);
    check(carom_sim_copy(sim, &copy, &error));
    check(carom_sim_copy(sim, &other, &error));
    set(other, scene, "e", 0);
    run(other, 100);
    for (int i = 0; i < 100; i++) {
        assert_true(carom_sim_hash(sim) == carom_sim_hash(copy));
        run(sim, 1), run(copy, 1);
    }
    assert_true(carom_sim_hash(sim) != carom_sim_hash(other));
    carom_sim_destroy(sim), carom_sim_destroy(copy), carom_sim_destroy(other);
    carom_scene_destroy(scene);
}

/* Saved here, loaded and continued in another process, with the same bits, parameters and inputs. */
static void a_state_travels_between_processes(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    set(sim, scene, "k", 5);
    carom_sim_input(sim, 0, 0.25);
    run(sim, 11);
    carom_sim_input(sim, 0, 0.5); /* not yet acting */
    carom_sim_forget(sim);
    double kept[256];
    assert_true(carom_sim_state_size(sim) <= 256);
    carom_sim_save(sim, kept);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        carom_scene *again = parse(OSCILLATOR, NULL);
        carom_sim *loaded = simulate(again);
        check(carom_sim_load(loaded, kept, &error));
        run(loaded, 50);
        unsigned long long hash = carom_sim_hash(loaded);
        _exit(write(pipes[1], &hash, sizeof hash) != sizeof hash);
    }
    run(sim, 50);
    unsigned long long hash = 0;
    assert_int_equal(read(pipes[0], &hash, sizeof hash), sizeof hash);
    waitpid(child, NULL, 0);
    assert_true(hash == carom_sim_hash(sim));
    close(pipes[0]), close(pipes[1]);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* A state is that of its parameters: loaded where others had been set, it brings its own back, also those that follow
 * from others, and also where these others have not acted yet. One that cannot change is refused, and nothing else
 * changes then. */
static const char CHAIN[] = "carom: 1\n"
                            "parameters: {n: 4}\n"
                            "model: {coordinates: {\"x[i=1..n]\": i}, kinetic: \"sum(i=1..n, x_dot[i]^2)/2\"}\n"
                            "run: {integrator: rattle, dt: 1e-2, until: 2}\n";
static void a_state_has_its_parameters(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL), *longer = parse(CHAIN, NULL);
    carom_sim *sim = simulate(scene), *other = simulate(scene), *chain = simulate(longer);
    double kept[256];
    set(sim, scene, "k", 5);
    run(sim, 11);
    carom_sim_forget(sim);
    carom_sim_save(sim, kept);
    set(other, scene, "k", 2);
    run(other, 3);
    set(other, scene, "m", 7);
    check(carom_sim_load(other, kept, &error));
    for (int i = 0; i < carom_model_get(carom_scene_model(scene))->parameters; i++)
        assert_true(carom_sim_parameter(other, i) == carom_sim_parameter(sim, i));
    run(sim, 50), run(other, 50);
    assert_true(carom_sim_hash(sim) == carom_sim_hash(other));

    const unsigned long long hash = carom_sim_hash(chain);
    carom_sim_save(chain, kept);
    kept[carom_sim_state_size(chain) - 1] += 1;
    assert_int_equal(carom_sim_load(chain, kept, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "parameter 'n' cannot change"));
    assert_true(carom_sim_hash(chain) == hash && carom_sim_parameter(chain, 0) == 4);
    carom_sim_destroy(sim), carom_sim_destroy(other), carom_sim_destroy(chain);
    carom_scene_destroy(scene), carom_scene_destroy(longer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_can_be_set),
        cmocka_unit_test(the_end_can_be_moved),
        cmocka_unit_test(steps_can_change_their_length),
        cmocka_unit_test(directions_can_be_combined),
        cmocka_unit_test(a_copy_goes_on_alike_and_on_its_own),
        cmocka_unit_test(a_state_travels_between_processes),
        cmocka_unit_test(a_state_has_its_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
