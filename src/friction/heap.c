#include "friction/heap.h"

#include "friction/heap_inside.h"
#include "linalg/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- room */

void *heap_lines(size_t count, size_t size) {
    void *lines = aligned_alloc(64, count * size);
    return lines ? memset(lines, 0, count * size) : NULL;
}

bool heap_create(heap *h, int bodies, bool round, int threads) {
    const size_t n = (size_t)bodies + 1;
    *h = (heap){.bodies = bodies, .threads = threads};
    h->body = heap_lines(n, sizeof *h->body), h->last = heap_lines(n, sizeof *h->last);
    h->of = calloc(n, sizeof *h->of), h->first = calloc(n, sizeof *h->first), h->member = calloc(n, sizeof *h->member);
    h->island = calloc(n, sizeof *h->island), h->busy = calloc(n, sizeof *h->busy);
    h->queue = calloc(n, sizeof *h->queue);
    if (!round && !(h->turn = calloc(n, sizeof *h->turn))) return false;
    return h->body && h->last && h->of && h->first && h->member && h->island && h->busy && h->queue &&
           heap_reserve(h, 1);
}

void heap_destroy(heap *h) {
    void *const parts[] = {h->body,  h->last,  h->of,   h->first, h->member, h->island, h->busy, h->contact,
                           h->order, h->place, h->ends, h->block, h->arms,   h->part,   h->turn, h->queue};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    *h = (heap){0};
}

bool heap_reserve(heap *h, int contacts) {
    if (contacts <= h->room) return true;
    const int room = contacts + contacts / 2 + 64;
    heap_contact *contact = realloc(h->contact, (size_t)room * sizeof *contact);
    if (contact) h->contact = contact;
    int *order = realloc(h->order, (size_t)room * sizeof *order);
    if (order) h->order = order;
    int *place = realloc(h->place, (size_t)room * sizeof *place);
    if (place) h->place = place;
    int(*ends)[2] = realloc(h->ends, (size_t)room * sizeof *ends);
    if (ends) h->ends = ends;
    if (contact && order && place && ends) h->room = room;
    return contact && order && place && ends;
}

/* ---------------------------------------------------------------- one contact */

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A_N and A_T of round bodies. */
static void own_of_round(const heap *h, heap_contact *c) {
    const heap_body *a = &h->body[c->a], *b = &h->body[c->b];
    c->own[0] = a->light + b->light;
    c->own[1] = c->own[0] + dot(c->l[0], c->l[0]) * a->nimble + dot(c->l[1], c->l[1]) * b->nimble;
}

/* A = 1/m - l x (K l x): n.A n, and half of what is left of its trace. */
static void own_of_any(const heap *h, heap_contact *c) {
    const int of[] = {c->a, c->b};
    double along = 0, trace = 0;
    for (int k = 0; k < 2; k++) {
        double torque[3], turn[3], by[3];
        const double(*K)[3] = h->turn[of[k]], light = h->body[of[k]].light;
        heap_cross(c->l[k], c->n, torque);
        heap_turned(h, of[k], torque, turn), heap_turned(h, of[k], c->l[k], by);
        along += light + dot(torque, turn);
        trace += 3 * light + dot(c->l[k], c->l[k]) * (K[0][0] + K[1][1] + K[2][2]) - dot(c->l[k], by);
    }
    c->own[0] = along, c->own[1] = (trace - along) / 2;
}

void heap_prepare(const heap *h, heap_contact *c) {
    (h->turn ? own_of_any : own_of_round)(h, c);
}

/* ---------------------------------------------------------------- islands */

/* Notes the bodies of contacts. True: they are those of the contacts before. */
static bool are_divided(heap *h) {
    bool same = h->divided == h->contacts;
    for (int k = 0; k < h->contacts; k++) {
        const heap_contact *c = &h->contact[k];
        int *end = h->ends[k];
        same = same && end[0] == c->a && end[1] == c->b;
        end[0] = c->a, end[1] = c->b;
    }
    h->divided = h->contacts;
    return same;
}

/* The body by which a contact belongs to its island. */
static int anchor_of(const heap *h, const int end[2]) {
    return end[heap_moves(&h->body[end[0]]) ? 0 : 1];
}

/* Numbers islands in the order of their first contact, in h->of of every body; counts their contacts. */
static void number_islands(heap *h) {
    int *number = h->first;
    sets_start(h->of, h->bodies);
    for (int k = 0; k < h->contacts; k++) {
        const int *end = h->ends[k];
        if (heap_moves(&h->body[end[0]]) && heap_moves(&h->body[end[1]])) sets_join(h->of, end[0], end[1]);
    }
    for (int i = 0; i < h->bodies; i++) number[i] = -1;
    h->islands = 0;
    for (int k = 0; k < h->contacts; k++) {
        const int root = set_of(h->of, anchor_of(h, h->ends[k]));
        if (number[root] < 0) h->island[number[root] = h->islands++] = (heap_island){0};
        h->island[number[root]].contacts++;
    }
    for (int i = 0; i < h->bodies; i++) h->member[i] = number[set_of(h->of, i)];
    memcpy(h->of, h->member, (size_t)h->bodies * sizeof *h->of);
}

void heap_divide(heap *h) {
    if (are_divided(h)) return;
    number_islands(h);
    for (int i = 0; i < h->bodies; i++)
        if (h->of[i] >= 0) h->island[h->of[i]].bodies++;
    for (int k = 1; k < h->islands; k++) {
        h->island[k].contact = h->island[k - 1].contact + h->island[k - 1].contacts;
        h->island[k].body = h->island[k - 1].body + h->island[k - 1].bodies;
    }
    for (int k = 0; k < h->islands; k++) h->first[k] = h->island[k].body;
    for (int i = 0; i < h->bodies; i++)
        if (h->of[i] >= 0) h->member[h->first[h->of[i]]++] = i;
    for (int k = 0; k < h->islands; k++) h->first[k] = h->island[k].contact;
    for (int k = 0; k < h->contacts; k++) h->order[h->first[h->of[anchor_of(h, h->ends[k])]]++] = k;
}

/* ---------------------------------------------------------------- branches */

/* Of both natural maps: open where u_N > A_N p_N; sticking where the disk holds A_T p_T - u_T. */
heap_branch heap_branch_of(const heap_contact *c, const double u[3]) {
    const double uN = dot(c->n, u), pN = dot(c->n, c->p), radius = c->own[1] * c->mu * pN;
    double square = 0;
    if (uN > c->own[0] * pN) return HEAP_OPEN;
    for (int i = 0; i < 3; i++) {
        const double e = c->own[1] * (c->p[i] - pN * c->n[i]) - (u[i] - uN * c->n[i]);
        square += e * e;
    }
    return square <= radius * radius ? HEAP_STICK : HEAP_SLIP;
}
