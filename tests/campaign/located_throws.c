/* Random throws into corners under every integrator that locates events (support/throw.h). */
#include "support/throw.h"

static void judge(uint64_t number, campaign_case *c) {
    static const throw_scheme schemes[] = {{"rattle", ", events: locate"},
                                           {"lobatto", ", stages: 2, events: locate"},
                                           {"lobatto", ", stages: 3, events: locate"},
                                           {"lobatto", ", stages: 4, events: locate"}};
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
