#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

/* A box lies in the level whose cells are not smaller than it and less than twice as large, in the cell of its centre.
 * Of two that overlap, the centre of the larger is in a cell of its level next to the one that holds the centre of the
 * smaller, or in the same (CF10). */
typedef struct place {
    int level;
    long long cell[3];
} place;

enum { LEVELS = 256, LOWEST = -128 }; /* cells from 2^-128 to 2^127 */

struct grid {
    int boxes, slots, count, room;
    place *at;
    int *head, *next; /* chains of the boxes whose places have the same hash */
    int used[LEVELS]; /* boxes in each level */
    grid_pair *pair;
};

grid *grid_create(int boxes) {
    grid *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->boxes = boxes;
    for (g->slots = 16; g->slots < 2 * boxes; g->slots *= 2)
        ;
    g->at = calloc((size_t)boxes + 1, sizeof *g->at);
    g->head = calloc((size_t)g->slots, sizeof *g->head);
    g->next = calloc((size_t)boxes + 1, sizeof *g->next);
    if (g->at && g->head && g->next) return g;
    grid_destroy(g);
    return NULL;
}

void grid_destroy(grid *g) {
    if (!g) return;
    free(g->at);
    free(g->head);
    free(g->next);
    free(g->pair);
    free(g);
}

/* ---- places */

static double centre(const grid_box *b, int k) {
    return 0.5 * (b->low[k] + b->high[k]);
}

static int level_of(const grid_box *b) {
    int exponent;
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, b->high[k] - b->low[k]);
    frexp(extent * (1 + 1e-7), &exponent); /* extent < 2^exponent, by more than centres are rounded */
    return exponent < LOWEST ? LOWEST : exponent > LOWEST + LEVELS - 1 ? LOWEST + LEVELS - 1 : exponent;
}

/* Cells far away are one: boxes in them are compared all the same. */
static long long cell_of(double x, int level) {
    const double cell = floor(ldexp(x, -level));
    return (long long)fmax(-1e15, fmin(1e15, cell));
}

static place place_of(const grid_box *b, int level) {
    place p = {.level = level};
    for (int k = 0; k < 3; k++) p.cell[k] = cell_of(centre(b, k), level);
    return p;
}

static int slot_of(const grid *g, const place *p) {
    uint64_t h = hash_word(0, (uint64_t)(p->level - LOWEST));
    for (int k = 0; k < 3; k++) h = hash_word(h, (uint64_t)p->cell[k]);
    return (int)(h & (uint64_t)(g->slots - 1));
}

static bool is_same(const place *a, const place *b) {
    return a->level == b->level && a->cell[0] == b->cell[0] && a->cell[1] == b->cell[1] && a->cell[2] == b->cell[2];
}

static void fill(grid *g, const grid_box *box) {
    memset(g->head, -1, (size_t)g->slots * sizeof *g->head);
    memset(g->used, 0, sizeof g->used);
    for (int i = 0; i < g->boxes; i++) {
        g->at[i] = place_of(&box[i], level_of(&box[i]));
        const int slot = slot_of(g, &g->at[i]);
        g->next[i] = g->head[slot], g->head[slot] = i;
        g->used[g->at[i].level - LOWEST]++;
    }
}

/* ---- pairs */

static bool overlap(const grid_box *a, const grid_box *b) {
    for (int k = 0; k < 3; k++)
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
    return true;
}

static bool append(grid *g, int a, int b) {
    if (g->count == g->room) {
        const int room = g->room ? 2 * g->room : 64;
        grid_pair *more = realloc(g->pair, (size_t)room * sizeof *more);
        if (!more) return false;
        g->pair = more, g->room = room;
    }
    g->pair[g->count++] = a < b ? (grid_pair){a, b} : (grid_pair){b, a};
    return true;
}

/* Those of a cell that box i overlaps; of its own level, only the later ones. */
static bool look_into(grid *g, const grid_box *box, int i, const place *cell) {
    const bool own = cell->level == g->at[i].level;
    for (int j = g->head[slot_of(g, cell)]; j >= 0; j = g->next[j])
        if (is_same(&g->at[j], cell) && (!own || j > i) && overlap(&box[i], &box[j]) && !append(g, i, j)) return false;
    return true;
}

static bool look_around(grid *g, const grid_box *box, int i, int level) {
    const place middle = place_of(&box[i], level);
    for (int k = 0; k < 27; k++) {
        place cell = middle;
        cell.cell[0] += k % 3 - 1, cell.cell[1] += k / 3 % 3 - 1, cell.cell[2] += k / 9 - 1;
        if (!look_into(g, box, i, &cell)) return false;
    }
    return true;
}

static int ascending(const void *x, const void *y) {
    const grid_pair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

int grid_pairs(grid *g, const grid_box *box, const grid_pair **pairs) {
    g->count = 0;
    fill(g, box);
    for (int i = 0; i < g->boxes; i++)
        for (int level = g->at[i].level; level < LOWEST + LEVELS; level++)
            if (g->used[level - LOWEST] && !look_around(g, box, i, level)) return -1;
    if (g->count) qsort(g->pair, (size_t)g->count, sizeof *g->pair, ascending);
    *pairs = g->pair;
    return g->count;
}
