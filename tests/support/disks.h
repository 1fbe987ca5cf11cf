/* Disks thrown at random into a box, q = (x, y, phi) each: many contacts at once, with friction. */
#ifndef TEST_DISKS_H
#define TEST_DISKS_H

#include "complex_model.h"

#define DISK_RADIUS 0.2
enum { DISKS = 5, WALLS = 3 * DISKS, PAIRS = DISKS * (DISKS - 1) / 2, CONTACTS = WALLS + PAIRS };

typedef struct throw_of_disks {
    carom_model_contact contact[CONTACTS];
    char names[CONTACTS][8];
    double q0[3 * DISKS], u0[3 * DISKS];
    complex_mechanics mechanics;
    double stride;
    carom_model *model;
} throw_of_disks;

/* Disks in two columns above each other, thrown with random velocities; random restitution per contact, up to e. The
 * stride (1, 2, 3, 4, 6, ...; no factor of 5) changes the order in which the contacts are listed and nothing else. */
void throw_disks(throw_of_disks *d, unsigned long long seed, double mu, double e, int stride);

#endif
