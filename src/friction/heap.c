#include "friction/heap.h"

#include "friction/heap_inside.h"
#include "linalg/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- room */

bool heap_create(heap *h, int bodies) {
    const size_t n = (size_t)bodies + 1;
    *h = (heap){.bodies = bodies};
    h->body = calloc(n, sizeof *h->body), h->last = calloc(n, sizeof *h->last);
    h->of = calloc(n, sizeof *h->of), h->first = calloc(n, sizeof *h->first), h->member = calloc(n, sizeof *h->member);
    h->island = calloc(n, sizeof *h->island), h->busy = calloc(n, sizeof *h->busy);
    return h->body && h->last && h->of && h->first && h->member && h->island && h->busy;
}

void heap_destroy(heap *h) {
    void *const parts[] = {h->body,   h->last, h->of,      h->first,  h->member,
                           h->island, h->busy, h->contact, h->sorted, h->block};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    *h = (heap){0};
}

bool heap_reserve(heap *h, int contacts) {
    if (contacts <= h->room) return true;
    const int room = contacts + contacts / 2 + 64;
    heap_contact *contact = realloc(h->contact, (size_t)room * sizeof *contact);
    if (contact) h->contact = contact;
    heap_contact *sorted = realloc(h->sorted, (size_t)room * sizeof *sorted);
    if (sorted) h->sorted = sorted;
    if (contact && sorted) h->room = room;
    return contact && sorted;
}

/* ---------------------------------------------------------------- one contact */

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void velocity(const heap_body *a, const heap_body *b, const heap_contact *c, double u[3]) {
    const double *n = c->n, k = c->arm[0], l = c->arm[1];
    const double w[] = {k * a->w[0] + l * b->w[0], k * a->w[1] + l * b->w[1], k * a->w[2] + l * b->w[2]};
    u[0] = a->v[0] - b->v[0] - (w[1] * n[2] - w[2] * n[1]) + c->d[0];
    u[1] = a->v[1] - b->v[1] - (w[2] * n[0] - w[0] * n[2]) + c->d[1];
    u[2] = a->v[2] - b->v[2] - (w[0] * n[1] - w[1] * n[0]) + c->d[2];
}

static inline void push(heap_body *a, heap_body *b, const heap_contact *c, const double p[3]) {
    const double *n = c->n, k = c->arm[0] * a->nimble, l = c->arm[1] * b->nimble;
    const double turn[] = {n[1] * p[2] - n[2] * p[1], n[2] * p[0] - n[0] * p[2], n[0] * p[1] - n[1] * p[0]};
    for (int i = 0; i < 3; i++) {
        a->v[i] += a->light * p[i], b->v[i] -= b->light * p[i];
        a->w[i] -= k * turn[i], b->w[i] -= l * turn[i];
    }
}

void heap_velocity(const heap *h, const heap_contact *c, double u[3]) {
    velocity(&h->body[c->a], &h->body[c->b], c, u);
}

void heap_push(heap *h, const heap_contact *c, double factor, const double p[3]) {
    push(&h->body[c->a], &h->body[c->b], c, (double[]){factor * p[0], factor * p[1], factor * p[2]});
}

void heap_prepare(const heap *h, heap_contact *c) {
    const heap_body *a = &h->body[c->a], *b = &h->body[c->b];
    c->own[0] = a->light + b->light;
    c->own[1] = c->own[0] + c->arm[0] * c->arm[0] * a->nimble + c->arm[1] * c->arm[1] * b->nimble;
    for (int i = 0; i < 2; i++) c->give[i] = 1 / c->own[i];
}

/* ---------------------------------------------------------------- islands */

/* The body by which a contact belongs to its island. */
static int anchor_of(const heap *h, const heap_contact *c) {
    return heap_moves(&h->body[c->a]) ? c->a : c->b;
}

/* Numbers islands in the order of their first contact, in h->of of every body; counts their contacts. */
static void number_islands(heap *h) {
    int *number = h->first;
    sets_start(h->of, h->bodies);
    for (int k = 0; k < h->contacts; k++) {
        const heap_contact *c = &h->contact[k];
        if (heap_moves(&h->body[c->a]) && heap_moves(&h->body[c->b])) sets_join(h->of, c->a, c->b);
    }
    for (int i = 0; i < h->bodies; i++) number[i] = -1;
    h->islands = 0;
    for (int k = 0; k < h->contacts; k++) {
        const int root = set_of(h->of, anchor_of(h, &h->contact[k]));
        if (number[root] < 0) h->island[number[root] = h->islands++] = (heap_island){0};
        h->island[number[root]].contacts++;
    }
    for (int i = 0; i < h->bodies; i++) h->member[i] = number[set_of(h->of, i)];
    memcpy(h->of, h->member, (size_t)h->bodies * sizeof *h->of);
}

void heap_divide(heap *h) {
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
    if (h->islands < 2) return;
    for (int k = 0; k < h->islands; k++) h->first[k] = h->island[k].contact;
    for (int k = 0; k < h->contacts; k++) h->sorted[h->first[h->of[anchor_of(h, &h->contact[k])]]++] = h->contact[k];
    heap_contact *const sorted = h->sorted;
    h->sorted = h->contact, h->contact = sorted;
}

/* ---------------------------------------------------------------- errors */

/* w + prox_C(u - w) with w = A p, along the normal and across it: squares. */
static void natural_maps(const heap_contact *c, const double u[3], double *normal, double *friction) {
    const double *n = c->n, uN = dot(n, u), pN = dot(n, c->p), wN = c->own[0] * pN, radius = c->own[1] * c->mu * pN;
    double w[3], onto[3], missed = 0;
    for (int i = 0; i < 3; i++) {
        w[i] = c->own[1] * (c->p[i] - pN * n[i]);
        onto[i] = w[i] - (u[i] - uN * n[i]);
    }
    const double length = sqrt(dot(onto, onto)), part = length > radius ? fmax(radius, 0) / length : 1;
    for (int i = 0; i < 3; i++) {
        const double e = w[i] - part * onto[i];
        missed += e * e;
    }
    *normal = fmin(wN, uN) * fmin(wN, uN), *friction = missed;
}

double heap_missed(const heap *h, const heap_contact *c) {
    double u[3], normal, friction;
    heap_velocity(h, c, u);
    natural_maps(c, u, &normal, &friction);
    return sqrt(fmax(normal, friction));
}

/* Of both natural maps: open where u_N > A_N p_N; sticking where the disk holds A_T p_T - u_T. */
heap_branch heap_branch_of(const heap *h, const heap_contact *c) {
    double u[3], square = 0;
    heap_velocity(h, c, u);
    const double uN = dot(c->n, u), pN = dot(c->n, c->p), radius = c->own[1] * c->mu * pN;
    if (uN > c->own[0] * pN) return HEAP_OPEN;
    for (int i = 0; i < 3; i++) {
        const double e = c->own[1] * (c->p[i] - pN * c->n[i]) - (u[i] - uN * c->n[i]);
        square += e * e;
    }
    return square <= radius * radius ? HEAP_STICK : HEAP_SLIP;
}
