/* Stick and slip on a belt: a unit mass on a spring, on a belt at constant speed, with friction by slip speed, place
 * and time. The reference integrates the equations of slip by Runge-Kutta, from one change to the next. */
#ifndef CAROM_TEST_BELT_H
#define CAROM_TEST_BELT_H

/* mu as a function, and as the formula of a scene, of 'slip', the place x and the time t. */
typedef struct belt_friction {
    double (*mu)(double slip, double x, double t);
    const char *formula;
} belt_friction;

/* Schemes of friction that capture events, and how many there are. */
extern const char *const belt_schemes[];
enum { BELT_SCHEMES = 8 };

/* Located runs have the times of events and the end of the reference, with the order 2s-2 of their scheme. */
void belt_check_located(const belt_friction *friction);
/* Captured runs end near the reference, under every scheme. */
void belt_check_captured(const belt_friction *friction);

#endif
