/* Sweeps over the contacts of an island, four at a time: contacts that share no body that moves are solved together, as
 * if one after the other. */
#include "friction/heap_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 8 }; /* sweeps between looks at the error, unless changes are small */

typedef long long four_bits __attribute__((vector_size(32), aligned(8)));

/* ---------------------------------------------------------------- blocks of four */

enum { COLOURS = 32 }; /* contacts of one colour share no body that moves; the last one is for those that are left */

static bool reserve(heap *h, int blocks) {
    if (blocks <= h->block_room) return true;
    const int room = blocks + blocks / 2 + COLOURS;
    heap_block *more = realloc(h->block, (size_t)room * sizeof *more);
    if (more) h->block = more, h->block_room = room;
    return more != NULL;
}

/* A block without contacts: all lanes press nothing against nothing. */
static void clear(const heap *h, heap_block *x) {
    memset(x, 0, sizeof *x);
    for (int l = 0; l < LANES; l++) {
        x->a[l] = x->b[l] = h->bodies, x->contact[l] = -1;
        for (int i = 0; i < 2; i++) x->own[i][l] = x->give[i][l] = 1;
    }
}

static void put(heap_block *x, int l, int number, const heap_contact *c) {
    x->a[l] = c->a, x->b[l] = c->b, x->contact[l] = number;
    for (int i = 0; i < 3; i++) x->n[i][l] = c->n[i], x->d[i][l] = c->d[i], x->p[i][l] = c->p[i];
    for (int i = 0; i < 2; i++) x->arm[i][l] = c->arm[i], x->own[i][l] = c->own[i], x->give[i][l] = c->give[i];
    x->mu[l] = c->mu, x->scale[l] = c->scale;
}

/* Every contact gets the first colour that neither of its bodies has. busy[body]: bits of its colours. */
static void colour(heap *h, const heap_island *s, int count[COLOURS]) {
    for (int i = s->body; i < s->body + s->bodies; i++) h->busy[h->member[i]] = 0;
    for (heap_contact *c = h->contact + s->contact, *end = c + s->contacts; c < end; c++) {
        const unsigned mine = heap_moves(&h->body[c->a]) ? h->busy[c->a] : 0;
        const unsigned free = ~(mine | (heap_moves(&h->body[c->b]) ? h->busy[c->b] : 0));
        c->colour = free ? __builtin_ctz(free) : COLOURS - 1;
        h->busy[c->a] |= 1u << c->colour, h->busy[c->b] |= 1u << c->colour;
        count[c->colour]++;
    }
}

/* One colour after the other, four contacts in a block; of those that are left each has its own. */
static bool pack(heap *h, const heap_island *s) {
    int count[COLOURS] = {0}, next[COLOURS];
    colour(h, s, count);
    h->blocks = 0;
    for (int i = 0; i < COLOURS; i++) {
        const int each = i < COLOURS - 1 ? LANES : 1;
        next[i] = LANES * h->blocks;
        h->blocks += (count[i] + each - 1) / each;
    }
    if (!reserve(h, h->blocks)) return false;
    for (int i = 0; i < h->blocks; i++) clear(h, &h->block[i]);
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const int i = h->contact[k].colour;
        put(&h->block[next[i] / LANES], next[i] % LANES, k, &h->contact[k]);
        next[i] += i < COLOURS - 1 ? 1 : LANES;
    }
    return true;
}

static void unpack(heap *h) {
    for (const heap_block *x = h->block; x < h->block + h->blocks; x++)
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < 3 && x->contact[l] >= 0; i++) h->contact[x->contact[l]].p[i] = x->p[i][l];
}

/* ---------------------------------------------------------------- four at a time */

#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])
#define CHOOSE(when, x, y) ((four)(((when) & (four_bits)(x)) | (~(when) & (four_bits)(y))))
static const four zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};

typedef struct island_error {
    four missed, size, worst;
} island_error;

/* Squares of the change and of the percussions, as velocities; the product of the change with that since the last
 * sweep. */
typedef struct sweep_effect {
    four change, size, onward;
} sweep_effect;

static double sum_of(const four *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

#define LANED(name) name##_plain
#define LANED_INLINE static inline
#include "friction/heap_lanes.h"
#undef LANED
#undef LANED_INLINE

/* The same for the registers of AVX2, chosen by the processor. Sums and products are the same numbers: none is
 * contracted. */
#if defined(__x86_64__)
#define LANED(name) name##_wide
#define LANED_INLINE __attribute__((target("avx2"))) static inline
#include "friction/heap_lanes.h"
#undef LANED
#undef LANED_INLINE
#endif

static int solve_island(heap *h, const heap_island *s, double good, double wanted, int most, double *error) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return solve_wide(h, s, good, wanted, most, error);
#endif
    return solve_plain(h, s, good, wanted, most, error);
}

/* ---------------------------------------------------------------- all islands */

heap_report heap_solve(heap *h, double good, double wanted, int most) {
    heap_report report = {.solved = true};
    for (int k = 0; k < h->islands && report.solved; k++) {
        double error;
        if (!pack(h, &h->island[k])) return (heap_report){.solved = false};
        const int sweeps = solve_island(h, &h->island[k], good, wanted, most, &error);
        if (sweeps > 0) unpack(h);
        if (sweeps > report.sweeps) report.sweeps = sweeps;
        report.error = fmax(report.error, error);
        report.missed = fmax(report.missed, sqrt(h->missed));
        report.solved = error <= good;
    }
    return report;
}
