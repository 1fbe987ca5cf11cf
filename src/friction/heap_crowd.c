/* Small islands side by side, one in each lane: a lane that is done takes the next island. Nothing is exchanged between
 * lanes, and an island has the bits that it has alone (FC45). */
#include "friction/heap_inside.h"

enum { ENOUGH = 3 }; /* islands that fewer blocks hold side by side than one after the other */

void heap_add_report(heap_report *report, heap_aim aim, const island_report *of) {
    if (of->sweeps > report->sweeps) report->sweeps = of->sweeps;
    report->error = fmax(report->error, of->error);
    report->missed = fmax(report->missed, sqrt(of->worst));
    report->solved = report->solved && of->error <= aim.accepted;
}

/* Small islands, the largest first. */
static int list_small(heap *h) {
    int first[SMALL + 2] = {0}, count = 0;
    for (int k = 0; k < h->islands; k++)
        if (heap_is_small(&h->island[k])) first[SMALL - h->island[k].contacts + 1]++, count++;
    for (int i = 0; i <= SMALL; i++) first[i + 1] += first[i];
    for (int k = 0; k < h->islands && count >= ENOUGH; k++)
        if (heap_is_small(&h->island[k])) h->queue[first[SMALL - h->island[k].contacts]++] = k;
    return count;
}

/* The contacts of an island, colour by colour, from the first slot on. */
static void enter(heap *h, heap_crowd *c, int l, heap_island *s) {
    int first[HEAP_COLOURS] = {0};
    heap_colour(h, s);
    for (int i = 1; i < HEAP_COLOURS; i++) first[i] = first[i - 1] + s->count[i - 1];
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const int contact = h->order[k];
        heap_put(h, first[heap_colour_of(h, contact)] + heap_among(h, contact), l, contact);
    }
    c->island[l] = s, c->state[l] = sweep_begin(), c->looks[l] = true;
}

/* Slots from the present island's on hold nothing of this lane. */
static void clear_rest(heap *h, heap_crowd *c, int l) {
    const int contacts = c->island[l] ? c->island[l]->contacts : 0;
    for (int k = contacts; k < c->filled[l]; k++) {
        heap_put(h, k, l, -1);
        heap_fill(h, k, l);
    }
    c->filled[l] = contacts;
}

static void leave(heap *h, heap_crowd *c, int l) {
    for (int k = 0; k < c->island[l]->contacts && c->state[l].report.sweeps > 0; k++)
        for (int i = 0; i < 3; i++) h->contact[h->block[k].contact[l]].p[i] = h->block[k].p[i][l];
    c->island[l] = NULL;
}

/* The next islands into lanes that have none. False: none is left in any. */
static bool fill_lanes(heap *h, heap_crowd *c, int count, int *next) {
    c->slots = 0;
    for (int l = 0; l < LANES; l++) {
        if (!c->island[l] && *next < count) enter(h, c, l, &h->island[h->queue[(*next)++]]);
        clear_rest(h, c, l);
        if (c->filled[l] > c->slots) c->slots = c->filled[l];
    }
    return c->slots > 0;
}

/* Measures errors where somebody asked for it. True: an island is done. */
static bool look(heap *h, heap_crowd *c, heap_aim aim, int most, heap_report *report) {
    double error[LANES], worst[LANES];
    bool any = false, done = false;
    for (int l = 0; l < LANES; l++) any = any || c->looks[l];
    if (any) heap_crowd_measure(h, c, error, worst);
    for (int l = 0; l < LANES; l++) {
        if (!c->looks[l]) continue;
        c->looks[l] = false;
        if (sweep_is_done(&c->state[l], aim, most, error[l], worst[l])) {
            heap_add_report(report, aim, &c->state[l].report);
            leave(h, c, l), done = true;
        } else if (c->state[l].report.sweeps == 0)
            for (int k = 0; k < c->filled[l]; k++) heap_fill(h, k, l);
    }
    return done;
}

static void sweep(heap *h, heap_crowd *c, heap_aim aim, int most, heap_report *report) {
    sweep_effect sum;
    for (int l = 0; l < LANES; l++) c->beta[l] = c->state[l].beta;
    heap_crowd_sweep(h, c, &sum);
    for (int l = 0; l < LANES; l++) {
        if (!c->island[l]) continue;
        c->looks[l] = sweep_goes_on(&c->state[l], aim, most, sum.change[l], sum.size[l], sum.onward[l]);
        if (!isfinite(sum.change[l])) report->solved = false;
    }
}

bool heap_crowd_solve(heap *h, heap_aim aim, int most, heap_report *report) {
    heap_crowd c = {.filled = {0}};
    const int count = list_small(h);
    int next = 0;
    if (count < ENOUGH) return false;
    const int slots = h->island[h->queue[0]].contacts;
    report->solved = heap_reserve_blocks(h, slots);
    for (int k = 0; k < slots && report->solved; k++) h->block[k].end = LANES;
    for (int l = 0; l < LANES; l++) c.filled[l] = slots;
    while (report->solved && fill_lanes(h, &c, count, &next)) {
        while (report->solved && !look(h, &c, aim, most, report)) sweep(h, &c, aim, most, report);
    }
    return true;
}
