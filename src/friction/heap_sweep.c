/* Sweeps over the contacts of an island, four at a time: contacts that share no body that moves are solved together, as
 * if one after the other. */
#include "friction/heap_inside.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 8 }; /* sweeps between looks at the error, unless changes are small */
enum { LEAST = 8 }; /* parts of an island below which one thread sweeps it */

typedef long long four_bits __attribute__((vector_size(32), aligned(8)));

/* ---------------------------------------------------------------- blocks of four */

static bool reserve(heap *h, int blocks) {
    if (blocks <= h->block_room) return true;
    const int room = blocks + blocks / 2 + HEAP_COLOURS;
    heap_block *block = realloc(h->block, (size_t)room * sizeof *block);
    if (block) h->block = block;
    heap_part *part = block ? realloc(h->part, (size_t)(room / PART + HEAP_COLOURS) * sizeof *part) : NULL;
    if (part) h->part = part, h->block_room = room;
    return part != NULL;
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
    for (int i = 0; i < 3; i++) {
        x->n[i][l] = c->n[i], x->d[i][l] = c->d[i];
        x->p[i][l] = x->before[i][l] = c->p[i];
    }
    for (int i = 0; i < 2; i++) x->arm[i][l] = c->arm[i], x->own[i][l] = c->own[i], x->give[i][l] = c->give[i];
    x->mu[l] = c->mu, x->scale[l] = c->scale;
}

/* Every contact gets the first colour that neither of its bodies has. busy[body]: bits of its colours. */
static void colour(heap *h, const heap_island *s, int count[HEAP_COLOURS]) {
    for (int i = s->body; i < s->body + s->bodies; i++) h->busy[h->member[i]] = 0;
    for (heap_contact *c = h->contact + s->contact, *end = c + s->contacts; c < end; c++) {
        const unsigned mine = heap_moves(&h->body[c->a]) ? h->busy[c->a] : 0;
        const unsigned free = ~(mine | (heap_moves(&h->body[c->b]) ? h->busy[c->b] : 0));
        c->colour = free ? __builtin_ctz(free) : HEAP_COLOURS - 1;
        h->busy[c->a] |= 1u << c->colour, h->busy[c->b] |= 1u << c->colour;
        c->place = count[c->colour]++;
    }
}

/* The contacts of a block of this colour. Those that are left have a block each, one after the other. */
static int width_of(int colour) {
    return colour < HEAP_COLOURS - 1 ? LANES : 1;
}

/* The blocks of all colours, in parts; first[colour]: where its blocks begin. */
static bool divide(heap *h, const int count[HEAP_COLOURS], int first[HEAP_COLOURS + 1]) {
    h->parts = first[0] = 0;
    for (int i = 0; i < HEAP_COLOURS; i++) first[i + 1] = first[i] + (count[i] + width_of(i) - 1) / width_of(i);
    h->blocks = first[HEAP_COLOURS];
    if (!reserve(h, h->blocks)) return false;
    for (int i = 0; i < HEAP_COLOURS; i++) {
        const int size = width_of(i) == 1 ? h->blocks : PART;
        h->first_part[i] = h->parts;
        for (int k = first[i]; k < first[i + 1]; k += size)
            h->part[h->parts++] = (heap_part){.first = k, .end = k + size < first[i + 1] ? k + size : first[i + 1]};
        for (int k = first[i]; k < first[i + 1]; k++) /* lanes that stay without a contact */
            if (k == first[i + 1] - 1 || width_of(i) == 1) clear(h, &h->block[k]);
    }
    h->first_part[HEAP_COLOURS] = h->parts;
    return true;
}

static int threads_for(const heap *h) {
    return h->parts < LEAST ? 1 : h->threads;
}

/* One colour after the other. */
static bool pack(heap *h, const heap_island *s) {
    int count[HEAP_COLOURS] = {0}, first[HEAP_COLOURS + 1];
    colour(h, s, count);
    if (!divide(h, count, first)) return false;
    THREADS_LOOP(threads_for(h))
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const heap_contact *c = &h->contact[k];
        const int width = width_of(c->colour);
        put(&h->block[first[c->colour] + c->place / width], c->place % width, k, c);
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

typedef struct island_report {
    int sweeps;
    double error, worst; /* worst: the square of what a law is missed by */
} island_report;

static double sum_of(const four *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* Of all parts, in their order. */
static sweep_effect effect_of(const heap *h) {
    sweep_effect sum = {0};
    for (const heap_part *x = h->part; x < h->part + h->parts; x++)
        sum.change += x->effect.change, sum.size += x->effect.size, sum.onward += x->effect.onward;
    return sum;
}

static double error_of(const heap *h, double *worst) {
    double missed = 0, size = 0;
    *worst = 0;
    for (const heap_part *x = h->part; x < h->part + h->parts; x++) {
        missed += sum_of(&x->error.missed), size += sum_of(&x->error.size);
        for (int l = 0; l < LANES; l++)
            if (x->error.worst[l] > *worst) *worst = x->error.worst[l];
    }
    return missed == 0 ? 0 : sqrt(missed / size);
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

static island_report solve_island(heap *h, const heap_island *s, double good, double wanted, int most) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return share_wide(h, s, good, wanted, most);
#endif
    return share_plain(h, s, good, wanted, most);
}

/* ---------------------------------------------------------------- all islands */

heap_report heap_solve(heap *h, double good, double wanted, int most) {
    heap_report report = {.solved = true};
    for (int k = 0; k < h->islands && report.solved; k++) {
        if (!pack(h, &h->island[k])) return (heap_report){.solved = false};
        const island_report of = solve_island(h, &h->island[k], good, wanted, most);
        if (of.sweeps > 0) unpack(h);
        if (of.sweeps > report.sweeps) report.sweeps = of.sweeps;
        report.error = fmax(report.error, of.error);
        report.missed = fmax(report.missed, sqrt(of.worst));
        report.solved = of.error <= good;
    }
    return report;
}
