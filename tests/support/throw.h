/* Bodies thrown at random into corners: balls, boxes, capsules, disks and rods, one to four of them, in space and in
 * the plane, against one to three planes and each other, with friction from none to 10 and restitution from 0 to 1. A
 * throw ends in time, whatever happens in the corner, and obeys mechanics all the way:
 *
 *   numbers stay finite; friction stays in its cone; contacts do not pull;
 *   gaps stay closed to what the scheme promises;
 *   energy does not grow where the laws forbid it.
 *
 * None may last more than ten times the median. Processor time is taken per contact, and compared among throws of the
 * same integrator with as many bodies: a step of lobatto with four stages and four boxes has fifty times the unknowns
 * of one of moreau with a ball. */
#ifndef TEST_THROW_H
#define TEST_THROW_H

#include "campaign.h"

typedef struct throw_scheme {
    const char *integrator, *options;
} throw_scheme;

/* Schemes, and how many of them the numbers 1 to 2000 draw from. Each of those after them has 200 numbers of its own:
 * what joins later leaves the throws of the others as they are. */
typedef struct throw_schemes {
    const throw_scheme *all;
    int drawn;
} throw_schemes;

/* The campaign, each throw by the scheme of its number. */
int throw_main(throw_schemes schemes, int argc, char **argv);

#endif
