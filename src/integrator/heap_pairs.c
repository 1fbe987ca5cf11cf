#include "integrator/heap_pairs.h"

#include "model/space.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void heap_pairs_destroy(heap_pairs *x) {
    free(x->at), free(x->touch[0]), free(x->touch[1]), free(x->load), free(x->next), free(x->takes_part);
}

/* Loads stay; the rest is found anew. */
static bool reserve(heap_pairs *x, int count) {
    if (count <= x->room) return true;
    const size_t room = (size_t)count + (size_t)count / 2 + 64;
    void **const parts[] = {(void **)&x->at,   (void **)&x->touch[0], (void **)&x->touch[1],
                            (void **)&x->load, (void **)&x->next,     (void **)&x->takes_part};
    const size_t size[] = {sizeof *x->at,   sizeof *x->touch[0], sizeof *x->touch[1],
                           sizeof *x->load, sizeof *x->next,     sizeof *x->takes_part};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        void *more = realloc(*parts[i], room * size[i]);
        if (!more) return false;
        *parts[i] = more;
    }
    x->room = (int)room;
    return true;
}

static heap_pair pair_of(const finder *f, const found_contact *c) {
    heap_pair pair = {.a = c->first,
                      .b = c->second,
                      .plane = c->features.kind == GAP_FACE,
                      .R = c->numbers.R,
                      .share = c->numbers.share,
                      .law = &f->law[c->law].contact,
                      .solid = {c->a, c->b}};
    memcpy(pair.x, c->numbers.x, sizeof pair.x);
    memcpy(pair.y, c->numbers.y, sizeof pair.y);
    if (pair.plane) memcpy(pair.n, c->numbers.d, sizeof pair.n);
    return pair;
}

static int order(const int x[2], const int y[2]) {
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Both lists ascend. */
bool heap_pairs_list(heap_pairs *x, const finder *f, const contact_list *list) {
    if (!reserve(x, list->count)) return false;
    int j = 0;
    for (int k = 0; k < list->count; k++) {
        const int of[] = {list->at[k].a, list->at[k].b};
        while (j < x->count && order(x->at[j].solid, of) < 0) j++;
        const bool known = j < x->count && order(x->at[j].solid, of) == 0;
        x->next[k] = known ? x->load[j] : (heap_load){.state = CAROM_OPEN};
    }
    for (int k = 0; k < list->count; k++) x->at[k] = pair_of(f, &list->at[k]);
    x->count = list->count;
    heap_pairs_accept(x);
    return true;
}

static touch touch_of(const heap_pair *x, const double a[3], const double b[3]) {
    const double d[] = {a[0] + x->x[0] - b[0] - x->y[0], a[1] + x->x[1] - b[1] - x->y[1],
                        a[2] + x->x[2] - b[2] - x->y[2]};
    if (x->plane) return (touch){{x->n[0], x->n[1], x->n[2]}, space_dot(x->n, d) - x->R, {x->R, 0}};
    const double distance = sqrt(space_dot(d, d)), inverse = 1 / distance;
    return (touch){{inverse * d[0], inverse * d[1], inverse * d[2]},
                   distance - x->R,
                   {x->share * distance, (1 - x->share) * distance}};
}

void heap_pairs_touch(heap_pairs *x, const double (*centre)[3], int end, int threads) {
    THREADS_LOOP(threads)
    for (int k = 0; k < x->count; k++) x->touch[end][k] = touch_of(&x->at[k], centre[x->at[k].a], centre[x->at[k].b]);
}

void heap_pairs_clear(heap_pairs *x) {
    for (int k = 0; k < x->count; k++) x->next[k] = (heap_load){.state = CAROM_OPEN};
}

void heap_pairs_accept(heap_pairs *x) {
    heap_load *const last = x->load;
    x->load = x->next, x->next = last;
}
