/* Random throws into corners under every integrator that locates events (support/throw.h). */
#include "support/throw.h"

int main(int argc, char **argv) {
    static const throw_scheme schemes[] = {{"rattle", ", events: locate"},
                                           {"lobatto", ", stages: 2, events: locate"},
                                           {"lobatto", ", stages: 3, events: locate"},
                                           {"lobatto", ", stages: 4, events: locate"}};
    return throw_main(schemes, sizeof schemes / sizeof *schemes, argc, argv);
}
