#include "derivative/place.h"

#include <math.h>

#include "error.h"

/* Finds the zero of a watched number whose sign changes between two stations. Secants that move both ends (Illinois),
 * until the ends meet or no station can be solved any more. */
carom_status place_root(corrector *c, const station *from, const station *low, const station *high, watched what,
                        station *at, carom_error *error) {
    enum { MOST = 60 };
    double a = low->s, b = high->s, fa = low->watch[what], fb = high->watch[what];
    int side = 0;
    bool found = false;
    for (int i = 0; i < MOST && fabs(b - a) > 1e-13 * high->s; i++) {
        station next = {0};
        const double s = i % 8 == 7 ? (a + b) / 2 : (a * fb - b * fa) / (fb - fa);
        carom_status status = station_reach(c, from, s, &next, NULL);
        if (status == CAROM_MEMORY) return carom_error_memory(error);
        const double f = status ? NAN : next.watch[what];
        if (!isfinite(f)) station_free(&next);
        if (!isfinite(f)) break;
        if (found) station_free(at);
        *at = next, found = true;
        if (f == 0) break;
        if (f * fb > 0) {
            b = s, fb = f;
            if (side == 1) fa /= 2;
            side = 1;
        } else {
            a = s, fa = f;
            if (side == -1) fb /= 2;
            side = -1;
        }
        if (fabs(f) < 1e-14) break;
    }
    return found ? CAROM_OK : carom_error_set(error, CAROM_FAILED, "nothing is there");
}

/* Bisection for the change of events between low and the distance high: last has the order of low, first has another
 * one. Each stays empty if no such station was solved between the ends. A distance that cannot be solved counts as
 * beyond the change. */
carom_status place_change(corrector *c, const station *from, const station *low, double high, station *last,
                          station *first, carom_error *error) {
    enum { MOST = 44 };
    double a = low->s, b = high;
    for (int i = 0; i < MOST; i++) {
        station next = {0};
        const double s = (a + b) / 2;
        carom_status status = station_reach(c, from, s, &next, error);
        const bool before = !status && station_same_order(&next, low);
        station *to = before ? last : first;
        *(before ? &a : &b) = s;
        station_free(status ? &next : to);
        if (status == CAROM_MEMORY) return status;
        if (!status) *to = next;
    }
    return CAROM_OK;
}

/* The branch is smooth up to the graze, so the speed of the strike falls in proportion to the distance that is left.
 * Each secant goes nine tenths of that distance, (SE19). */
carom_status place_graze(corrector *c, const station *from, station *nearer, carom_error *error) {
    enum { MOST = 40 };
    const station *now = from;
    double way = 1e-4, least = 1e-6 * from->slowest;
    for (int i = 0; i < MOST && now->slowest > least && isfinite(now->slowest) && way > 1e-15; i++) {
        station next = {0};
        carom_status status = station_reach(c, now, way, &next, error);
        if (status == CAROM_MEMORY) return station_free(&next), status;
        const bool nearer_now = !status && station_same_order(&next, from) && next.slowest < now->slowest;
        if (!nearer_now) {
            station_free(&next);
            way /= 8;
            continue;
        }
        const double left = way * next.slowest / (now->slowest - next.slowest);
        if (now != from) station_free(nearer);
        *nearer = next, now = nearer;
        way = 0.9 * left;
    }
    return CAROM_OK;
}
