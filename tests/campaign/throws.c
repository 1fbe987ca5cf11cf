/* Random throws into corners under every integrator, events captured (support/throw.h). */
#include "support/throw.h"

static void judge(uint64_t number, campaign_case *c) {
    static const throw_scheme schemes[] = {
        {"moreau", ""}, {"symmetric_moreau", ""},   {"variational_moreau", ""}, {"theta", ""},
        {"rattle", ""}, {"lobatto", ", stages: 2"}, {"lobatto", ", stages: 3"}, {"lobatto", ", stages: 4"},
        {"nsga", ""},   {"multisymplectic", ""}};
    throw_judge(schemes, (int)(sizeof schemes / sizeof *schemes), number, c);
}

int main(int argc, char **argv) {
    static const campaign throws = {
        .cases = "throws",
        .few = 7,
        .patience = 200,
        .slowest = 10,
        .count = {THROW_COUNTS},
        .judge = judge,
    };
    return campaign_main(&throws, argc, argv);
}
