/* Random throws into corners under every integrator that locates events (support/throw.h). */
#include "support/throw.h"

int main(int argc, char **argv) {
    static const throw_scheme all[] = {{"rattle", ", events: locate"},
                                       {"lobatto", ", stages: 2, events: locate"},
                                       {"lobatto", ", stages: 3, events: locate"},
                                       {"lobatto", ", stages: 4, events: locate"}};
    const throw_schemes schemes = {all, sizeof all / sizeof *all};
    int failed = throw_main(schemes, argc, argv);
    /* part of the tests: stages that pull (191), slip that turns (221) and contacts that are kept closed through
     * impacts (15, 257) must not leave the cone of friction */
    static char *const cones[] = {"191", "221", "15", "257"};
    for (int i = 0; i < 4 && argc == 1; i++) failed |= throw_main(schemes, 2, (char *[]){argv[0], cones[i]});
    return failed;
}
