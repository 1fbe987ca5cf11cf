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

/* The campaign, each throw by one of the schemes, which its number draws. */
int throw_main(const throw_scheme *schemes, int count, int argc, char **argv);

#endif
