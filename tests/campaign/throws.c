/* Random throws into corners under every integrator, events captured (support/throw.h). */
#include "support/throw.h"

int main(int argc, char **argv) {
    static const throw_scheme all[] = {
        {"moreau", ""}, {"symmetric_moreau", ""},   {"variational_moreau", ""}, {"theta", ""},
        {"rattle", ""}, {"lobatto", ", stages: 2"}, {"lobatto", ", stages: 3"}, {"lobatto", ", stages: 4"},
        {"nsga", ""},   {"multisymplectic", ""},    {"generalized_alpha", ""}};
    const throw_schemes schemes = {all, 10};
    int failed = throw_main(schemes, argc, argv);
    /* part of the tests: a capsule whose tips strike two planes, on velocity level only where positions close, (A16) */
    if (argc == 1) failed |= throw_main(schemes, 2, (char *[]){argv[0], "2036"});
    return failed;
}
