/* Schemes that locate events, with a step of the run that shows their order on motions of tenths of a second. */
#ifndef TEST_LOCATED_H
#define TEST_LOCATED_H

static const struct {
    const char *integrator;
    double dt, order;
} schemes[] = {{"rattle", 4e-3, 2},
               {"lobatto, stages: 2", 4e-3, 2},
               {"lobatto, stages: 3", 8e-3, 4},
               {"lobatto, stages: 4", 1.6e-2, 6}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

#endif
