/* Time of a branch of about a hundred periodic motions of a ball on a shaken table, on one core:
 *   branches SCENE     scenes/gallery/shaken_ball.yaml */
#include "derivative/branch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **values) {
    carom_error error;
    carom_scene *scene;
    branch_list found;
    if (carom_scene_load(count > 1 ? values[1] : "scenes/gallery/shaken_ball.yaml", NULL, 0, &scene, &error)) {
        fprintf(stderr, "branches: %s\n", error.message);
        return 1;
    }
    const branch_question q = {.orbit = {.scene = scene, .period = "2*pi/w", .after = 1, .parameter = "A"},
                               .from = 0.027,
                               .to = 0.045,
                               .step = 0.01};
    const double before = seconds();
    if (branch_follow(&q, &found, &error)) {
        fprintf(stderr, "branches: %s\n", error.message);
        return 1;
    }
    const double taken = seconds() - before;
    printf("%d points in %.3f s: 100 points in %.3f s%s\n", found.count, taken, 100 * taken / found.count,
           100 * taken / found.count > 1 ? ": more than 1 s" : "");
    branch_free(&found);
    carom_scene_destroy(scene);
    return 0;
}
