#include "derivative/place.h"

#include <math.h>

#include "error.h"

/* Between two stations, both reached from the same one, a watched number changes its sign: by secants that leave no end
 * where it is (Illinois), until the ends meet or nothing can be solved any more. */
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

/* Events change between two stations: the last one with the order of low, and the first one with another. Each stays
 * empty if there is none but low or high. What cannot be solved is beyond. */
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

/* The speed of the strike that ends falls to zero in proportion to the way that is left, since the branch is smooth up
 * to there: secants go nine tenths of it at a time, (SE19). */
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
