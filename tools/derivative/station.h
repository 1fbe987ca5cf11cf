/* A point of a branch, with its tangent and what is watched there: numbers that change their signs where something
 * happens to the branch, and the order of the events, (SE17). */
#ifndef CAROM_STATION_H
#define CAROM_STATION_H

#include "derivative/branch.h"

typedef enum watched { WATCHED_CROSSING, WATCHED_FOLD, WATCHED_FLIP, WATCHED_TORUS, WATCHED } watched;

typedef struct station {
    double s; /* distance along the tangent of the station before */
    orbit_point x, tangent;
    double watch[WATCHED]; /* NaN: there is none */
    int *order;            /* [events] of the period: kinds and contacts, rotated so that the least comes first */
    int events;
    double slowest; /* the lowest speed of its strikes; infinite: it has none */
    orbit_answer orbit;
} station;

/* From a point x that has just been solved, with the tangent that points forward along the border. CAROM_FAILED: it has
 * no tangent. */
carom_status station_read(corrector *c, const orbit_point *x, const orbit_point *border, station *to,
                          carom_error *error);
/* The point of the branch at the distance s along the tangent of another one. */
carom_status station_reach(corrector *c, const station *from, double s, station *to, carom_error *error);
/* The events of a period at a + part (b - a), or at the distance s along the tangent. The point is not corrected: it
 * serves to read events and their order. */
carom_status station_between(corrector *c, const orbit_point *a, const orbit_point *b, double part, station *to,
                             carom_error *error);
carom_status station_foresee(corrector *c, const station *from, double s, station *to, carom_error *error);
/* The point at which the parameter has this value; the guess lies between two others. */
carom_status station_at(corrector *c, const station *a, const station *b, double value, station *to,
                        carom_error *error);
/* Point and tangent alone. False: out of memory. */
bool station_copy(const period_map *p, const station *from, station *to);
void station_free(station *s);

bool station_same_order(const station *a, const station *b);
/* The first event that one station has and the other has not, or BRANCH_ORDER. */
branch_kind station_compare(const station *a, const station *b, const carom_model_def *d, char *text, size_t size);

#endif
