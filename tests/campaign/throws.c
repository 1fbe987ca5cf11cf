/* Random throws into corners under every integrator, events captured (support/throw.h). */
#include "support/throw.h"

int main(int argc, char **argv) {
    static const throw_scheme schemes[] = {
        {"moreau", ""}, {"symmetric_moreau", ""},   {"variational_moreau", ""}, {"theta", ""},
        {"rattle", ""}, {"lobatto", ", stages: 2"}, {"lobatto", ", stages: 3"}, {"lobatto", ", stages: 4"},
        {"nsga", ""},   {"multisymplectic", ""}};
    return throw_main(schemes, sizeof schemes / sizeof *schemes, argc, argv);
}
