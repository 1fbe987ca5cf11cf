/* The contacts of an island in blocks of eight, for sweeps: their colours, and their blocks of W. */
#include "friction/heap_inside.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- room */

bool heap_reserve_blocks(heap *h, int blocks) {
    if (blocks <= h->block_room) return true;
    const int room = blocks + blocks / 2 + HEAP_COLOURS;
    free(h->block), free(h->arms), free(h->part);
    h->block = heap_lines((size_t)room, sizeof *h->block);
    h->arms = h->turn ? heap_lines((size_t)room, sizeof *h->arms) : NULL;
    h->part = heap_lines((size_t)(room / PART + HEAP_COLOURS + SMALL), sizeof *h->part);
    h->block_room = h->block && h->part && (h->arms || !h->turn) ? room : 0;
    return h->block_room > 0;
}

/* ---------------------------------------------------------------- contacts in lanes */

/* Nothing presses against nothing. */
static const heap_contact nothing = {.idle = true, .own = {1, 1}};

void heap_put(heap *h, int block, int l, int number) {
    const heap_contact *c = number < 0 || h->contact[number].idle ? &nothing : &h->contact[number];
    heap_block *x = &h->block[block];
    x->a[l] = c->idle ? h->bodies : c->a, x->b[l] = c->idle ? h->bodies : c->b, x->contact[l] = number;
    for (int i = 0; i < 3; i++) {
        x->n[i][l] = c->n[i], x->d[i][l] = c->d[i];
        x->p[i][l] = c->p[i];
    }
    for (int i = 0; i < 2; i++) {
        x->own[i][l] = c->own[i];
        x->arm[i][l] = (i ? 1 : -1) * (c->n[0] * c->l[i][0] + c->n[1] * c->l[i][1] + c->n[2] * c->l[i][2]);
        for (int k = 0; k < 3 && h->turn; k++) h->arms[block].l[i][k][l] = c->l[i][k];
    }
    x->mu[l] = c->mu, x->scale[l] = c->scale;
    x->narrow[l] = c->span > 0 ? 1 / c->span : 0;
}

/* ---------------------------------------------------------------- blocks of W of bodies that are not round */

/* K l x of a body, added to A as -l x (K l x). */
static void fill_turn(const double K[3][3], const double l[3], double turn[3][3], double A[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int m = (k + 1) % 3, n = (k + 2) % 3;
            turn[i][k] = K[i][m] * l[n] - K[i][n] * l[m];
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int m = (i + 1) % 3, n = (i + 2) % 3;
            A[i][k] += turn[m][k] * l[n] - turn[n][k] * l[m];
        }
}

static const int row[] = {0, 1, 2, 1, 2, 0}, column[] = {0, 1, 2, 2, 0, 1};

/* The inverse of a symmetric A, and its determinant. */
static double invert(const double A[6], double inverse[6]) {
    const double C[] = {A[1] * A[2] - A[3] * A[3], A[2] * A[0] - A[4] * A[4], A[0] * A[1] - A[5] * A[5],
                        A[4] * A[5] - A[0] * A[3], A[5] * A[3] - A[1] * A[4], A[3] * A[4] - A[2] * A[5]};
    const double determinant = A[0] * C[0] + A[5] * C[5] + A[4] * C[4];
    for (int i = 0; i < 6; i++) inverse[i] = C[i] / determinant;
    return determinant;
}

/* The larger value of A across n, from its trace there and n.A^-1 n det A. */
static double most_across(const heap_block *x, int l, const double inverse[6], double determinant) {
    double along = 0;
    for (int i = 0; i < 6; i++) along += (i < 3 ? 1 : 2) * x->n[row[i]][l] * inverse[i] * x->n[column[i]][l];
    const double half = x->own[1][l], square = half * half - along * determinant;
    return half + sqrt(square > 0 ? square : 0);
}

static void fill_arms(const heap *h, int block, int l) {
    const heap_block *x = &h->block[block];
    heap_arms *y = &h->arms[block];
    const int of[] = {x->a[l], x->b[l]};
    double A[3][3] = {{0}}, S[6], inverse[6], turn[3][3];
    for (int i = 0; i < 3; i++) A[i][i] = h->body[of[0]].light + h->body[of[1]].light;
    for (int k = 0; k < 2; k++) {
        const double at[] = {y->l[k][0][l], y->l[k][1][l], y->l[k][2][l]};
        fill_turn((const double(*)[3])h->turn[of[k]], at, turn, A);
        for (int i = 0; i < 9; i++) y->turn[k][i / 3][i % 3][l] = turn[i / 3][i % 3];
    }
    for (int i = 0; i < 6; i++)
        S[i] = x->a[l] == x->b[l] ? i < 3 : (A[row[i]][column[i]] + A[column[i]][row[i]]) / 2; /* no contact: 1 */
    const double determinant = invert(S, inverse);
    for (int i = 0; i < 6; i++) y->A[i][l] = S[i], y->inverse[i][l] = inverse[i];
    for (int i = 0; i < 3; i++) y->along[i][l] = 0;
    for (int i = 0; i < 6; i++) {
        y->along[row[i]][l] += S[i] * x->n[column[i]][l];
        if (i >= 3) y->along[column[i]][l] += S[i] * x->n[row[i]][l];
    }
    y->slide[l] = 1 / most_across(x, l, inverse, determinant);
}

void heap_fill(heap *h, int block, int l) {
    heap_block *x = &h->block[block];
    for (int i = 0; i < 2; i++) x->give[i][l] = 1 / x->own[i][l];
    for (int i = 0; i < 3; i++) x->before[i][l] = x->p[i][l];
    if (h->turn) fill_arms(h, block, l);
}

/* ---------------------------------------------------------------- islands */

/* Every contact gets the first colour that neither of its bodies has. busy[body]: bits of its colours. */
void heap_colour(heap *h, heap_island *s) {
    if (s->coloured) return;
    s->coloured = true;
    for (int i = s->body; i < s->body + s->bodies; i++) h->busy[h->member[i]] = 0;
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const int a = h->ends[h->order[k]][0], b = h->ends[h->order[k]][1];
        const unsigned mine = heap_moves(&h->body[a]) ? h->busy[a] : 0;
        const unsigned free = ~(mine | (heap_moves(&h->body[b]) ? h->busy[b] : 0));
        const int colour = free ? __builtin_ctz(free) : HEAP_COLOURS - 1;
        h->busy[a] |= 1u << colour, h->busy[b] |= 1u << colour;
        h->place[h->order[k]] = colour + HEAP_COLOURS * s->count[colour]++;
    }
}

/* The contacts of a block of this colour. Those that are left have a block each, one after the other. */
static int width_of(int colour) {
    return colour < HEAP_COLOURS - 1 ? LANES : 1;
}

/* Where a contact of an island is: a block and a lane. first: of each colour. */
typedef struct block_place {
    int block, lane;
} block_place;
static block_place place_of(const heap *h, const int first[HEAP_COLOURS + 1], int contact) {
    const int colour = heap_colour_of(h, contact), width = width_of(colour), among = heap_among(h, contact);
    return (block_place){first[colour] + among / width, among % width};
}

/* The blocks of all colours, in parts, of small islands one each; first[colour]: where its blocks begin. */
static bool divide(heap *h, const int count[HEAP_COLOURS], int first[HEAP_COLOURS + 1]) {
    h->parts = first[0] = 0;
    for (int i = 0; i < HEAP_COLOURS; i++) first[i + 1] = first[i] + (count[i] + width_of(i) - 1) / width_of(i);
    h->blocks = first[HEAP_COLOURS];
    if (!heap_reserve_blocks(h, h->blocks)) return false;
    for (int i = 0; i < HEAP_COLOURS; i++) {
        const int width = width_of(i), size = h->small ? 1 : width == 1 ? h->blocks : PART;
        h->first_part[i] = h->parts;
        for (int k = first[i]; k < first[i + 1]; k += size)
            h->part[h->parts++] = (heap_part){.first = k, .end = k + size < first[i + 1] ? k + size : first[i + 1]};
        for (int k = first[i]; k < first[i + 1]; k++) {
            const int left = count[i] - width * (k - first[i]);
            h->block[k].end = left < width ? left : width;
            for (int l = h->block[k].end; l < LANES; l++) heap_put(h, k, l, -1);
        }
    }
    h->first_part[HEAP_COLOURS] = h->parts;
    return true;
}

int heap_threads_for(const heap *h) {
    enum { LEAST = 8 }; /* parts of an island below which one thread sweeps it */
    return h->small || h->parts < LEAST ? 1 : h->threads;
}

/* One colour after the other. */
bool heap_pack(heap *h, heap_island *s, int first[HEAP_COLOURS + 1]) {
    heap_colour(h, s);
    h->small = heap_is_small(s);
    if (!divide(h, s->count, first)) return false;
    THREADS_LOOP(heap_threads_for(h))
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const block_place to = place_of(h, first, h->order[k]);
        if (to.lane == 0) heap_fetch_next(&h->block[to.block]);
        heap_put(h, to.block, to.lane, h->order[k]);
    }
    return true;
}

void heap_unpack(heap *h, const heap_island *s, const int first[HEAP_COLOURS + 1]) {
    THREADS_LOOP(heap_threads_for(h))
    for (int k = s->contact; k < s->contact + s->contacts; k++) {
        const block_place from = place_of(h, first, h->order[k]);
        for (int i = 0; i < 3; i++) h->contact[h->order[k]].p[i] = h->block[from.block].p[i][from.lane];
    }
}
