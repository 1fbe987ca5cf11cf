#include "friction/contact_system.h"

#include "friction/block.h"
#include "friction/block_lu.h"
#include "friction/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct contact_system {
    const friction_problem *p;
    body_blocks *bodies; /* NULL: in the space of contacts */
    block_lu *lu;
    block3 *rows;        /* of the matrix that is factorised */
    int *start, *index;  /* [count + 1] its pattern, of bodies */
    int *where;          /* places in rows that contacts add to, one after the other */
    block3 *inverse, *E; /* [contacts] Q^-1, Q^-1 P */
    double *y;           /* [3 count] */
};

void contact_system_destroy(contact_system *s) {
    if (!s) return;
    body_blocks_destroy(s->bodies);
    block_lu_destroy(s->lu);
    free(s->rows);
    free(s->start);
    free(s->index);
    free(s->where);
    free(s->inverse);
    free(s->E);
    free(s->y);
    free(s);
}

double contact_system_work(const contact_system *s) {
    double work = block_lu_work(s->lu);
    if (!s->bodies) return work + s->p->start[s->p->contacts];
    for (int a = 0; a < s->p->contacts; a++) {
        const double touched = s->bodies->start[a + 1] - s->bodies->start[a];
        work += touched * (touched + 1);
    }
    return work;
}

/* ---------------------------------------------------------------- the pattern of bodies */

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Contacts by the blocks they touch: *first [count + 1], *list. */
static bool list_contacts(const body_blocks *b, int contacts, int **first, int **list) {
    *first = calloc((size_t)b->count + 2, sizeof **first);
    *list = malloc(((size_t)b->start[contacts] + 1) * sizeof **list);
    if (!*first || !*list) return false;
    for (int e = 0; e < b->start[contacts]; e++) (*first)[b->touched[e] + 2]++;
    for (int j = 2; j <= b->count + 1; j++) (*first)[j] += (*first)[j - 1];
    for (int a = 0; a < contacts; a++)
        for (int e = b->start[a]; e < b->start[a + 1]; e++) (*list)[(*first)[b->touched[e] + 1]++] = a;
    return true;
}

/* Blocks that share a contact with block j, itself among them; mark: [count] below j + 1. Returns their number. */
static int neighbours(const body_blocks *b, int j, const int *contacts, int count, int *mark, int *row) {
    int found = 1;
    row[0] = j, mark[j] = j + 1;
    for (int i = 0; i < count; i++)
        for (int e = b->start[contacts[i]]; e < b->start[contacts[i] + 1]; e++) {
            const int k = b->touched[e];
            if (mark[k] != j + 1) mark[k] = j + 1, row[found++] = k;
        }
    qsort(row, (size_t)found, sizeof *row, ascending);
    return found;
}

static bool find_rows(contact_system *s, const int *first, const int *list) {
    const body_blocks *b = s->bodies;
    int *mark = calloc((size_t)b->count + 1, sizeof *mark), *row = malloc(((size_t)b->count + 1) * sizeof *row);
    size_t room = 0;
    bool made = mark && row;
    for (int j = 0; j < b->count && made; j++) {
        const int found = neighbours(b, j, list + first[j], first[j + 1] - first[j], mark, row);
        if ((size_t)s->start[j] + (size_t)found > room) {
            room = 2 * room + (size_t)found;
            int *more = realloc(s->index, room * sizeof *more);
            made = more;
            if (more) s->index = more;
        }
        if (made) memcpy(s->index + s->start[j], row, (size_t)found * sizeof *row);
        s->start[j + 1] = s->start[j] + found;
    }
    free(mark);
    free(row);
    return made;
}

static int place_of(const contact_system *s, int row, int column) {
    const int *index = s->index + s->start[row];
    const size_t count = (size_t)(s->start[row + 1] - s->start[row]);
    return (int)((int *)bsearch(&column, index, count, sizeof column, ascending) - s->index);
}

static bool find_places(contact_system *s) {
    const body_blocks *b = s->bodies;
    size_t count = 0;
    for (int a = 0; a < s->p->contacts; a++)
        count += (size_t)(b->start[a + 1] - b->start[a]) * (size_t)(b->start[a + 1] - b->start[a]);
    int *next = s->where = malloc((count + 1) * sizeof *s->where);
    for (int a = 0; a < s->p->contacts && next; a++)
        for (int e = b->start[a]; e < b->start[a + 1]; e++)
            for (int f = b->start[a]; f < b->start[a + 1]; f++) *next++ = place_of(s, b->touched[e], b->touched[f]);
    return s->where;
}

static bool find_pattern(contact_system *s) {
    int *first = NULL, *list = NULL;
    s->start = calloc((size_t)s->bodies->count + 1, sizeof *s->start);
    bool made = s->start && list_contacts(s->bodies, s->p->contacts, &first, &list) && find_rows(s, first, list) &&
                find_places(s);
    free(first);
    free(list);
    return made;
}

/* ---------------------------------------------------------------- the choice */

static bool in_contacts(contact_system *s, double most) {
    s->lu = block_lu_create(s->p->contacts, s->p->start, s->p->index, most);
    return s->lu;
}

static bool in_bodies(contact_system *s) {
    const size_t contacts = (size_t)s->p->contacts;
    if (!find_pattern(s)) return false;
    s->inverse = malloc((contacts + 1) * sizeof *s->inverse);
    s->E = malloc((contacts + 1) * sizeof *s->E);
    s->y = malloc((3 * (size_t)s->bodies->count + 1) * sizeof *s->y);
    s->lu = block_lu_create(s->bodies->count, s->start, s->index, INFINITY);
    return s->inverse && s->E && s->y && s->lu;
}

/* The space of contacts, where that takes fewer products. */
static bool choose(contact_system *s) {
    if (!s->bodies) return in_contacts(s, INFINITY);
    if (!in_bodies(s)) return false;
    block_lu *lu = s->lu;
    if (!in_contacts(s, contact_system_work(s) - s->p->start[s->p->contacts])) {
        s->lu = lu;
        return true;
    }
    block_lu_destroy(lu);
    body_blocks_destroy(s->bodies);
    s->bodies = NULL;
    return true;
}

contact_system *contact_system_create(const friction_problem *p, body_blocks *bodies) {
    contact_system *s = calloc(1, sizeof *s);
    if (!s) {
        body_blocks_destroy(bodies);
        return NULL;
    }
    s->p = p, s->bodies = bodies;
    const bool chosen = choose(s);
    const size_t rows = (size_t)(s->bodies ? s->start[s->bodies->count] : p->start[p->contacts]);
    if (chosen) s->rows = malloc((rows + 1) * sizeof *s->rows);
    if (s->rows) return s;
    contact_system_destroy(s);
    return NULL;
}

/* ---------------------------------------------------------------- numbers */

static void factor_contacts(contact_system *s, const block3 *P, const block3 *Q) {
    const friction_problem *p = s->p;
    for (int a = 0; a < p->contacts; a++) {
        const bool open = block_is_zero(P[a]);
        for (int e = p->start[a]; e < p->start[a + 1]; e++) {
            if (open) memset(s->rows[e], 0, sizeof(block3));
            else block_multiply(P[a], p->W[e], s->rows[e]);
        }
        double *own = s->rows[p->diagonal[a]];
        for (int i = 0; i < 9; i++) own[i] += Q[a][i];
    }
    block_lu_factor(s->lu, p->start, p->index, s->rows);
}

/* rows += B E C of a contact, at its places. */
static void add_contact(contact_system *s, int a, const int *where) {
    const body_blocks *b = s->bodies;
    const int first = b->start[a], end = b->start[a + 1];
    for (int e = first; e < end; e++) {
        block3 moved;
        block_multiply(b->B[e], s->E[a], moved);
        for (int f = first; f < end; f++) block_add_product(moved, b->C[f], s->rows[*where++]);
    }
}

static void factor_bodies(contact_system *s, const block3 *P, const block3 *Q) {
    const body_blocks *b = s->bodies;
    const int *where = s->where;
    memset(s->rows, 0, (size_t)s->start[b->count] * sizeof *s->rows);
    for (int j = 0; j < b->count; j++) memcpy(s->rows[place_of(s, j, j)], b->A[j], sizeof(block3));
    for (int a = 0; a < s->p->contacts; a++) {
        const int touched = b->start[a + 1] - b->start[a];
        if (!block_invert(Q[a], 0, s->inverse[a])) memset(s->inverse[a], 0, sizeof(block3));
        block_multiply(s->inverse[a], P[a], s->E[a]);
        if (!block_is_zero(P[a])) add_contact(s, a, where);
        where += touched * touched;
    }
    block_lu_factor(s->lu, s->start, s->index, s->rows);
}

void contact_system_factor(contact_system *s, const block3 *P, const block3 *Q) {
    if (s->bodies) factor_bodies(s, P, Q);
    else factor_contacts(s, P, Q);
}

/* det(P W + Q) = det(A + B E C) det Q / det A, (FC32). */
double contact_system_orientation(const contact_system *s) {
    double sign = block_lu_orientation(s->lu);
    for (int a = 0; s->bodies && a < s->p->contacts; a++)
        if (block_determinant(s->inverse[a]) < 0) sign = -sign;
    return sign;
}

static void solve_bodies(contact_system *s, double *f) {
    const body_blocks *b = s->bodies;
    memset(s->y, 0, 3 * (size_t)b->count * sizeof *s->y);
    for (int a = 0; a < s->p->contacts; a++) {
        double g[3] = {0};
        block_apply(s->inverse[a], f + 3 * a, g);
        memcpy(f + 3 * a, g, sizeof g);
        for (int e = b->start[a]; e < b->start[a + 1]; e++) block_apply(b->B[e], g, s->y + 3 * b->touched[e]);
    }
    block_lu_solve(s->lu, s->y);
    for (int a = 0; a < s->p->contacts; a++) {
        double u[3] = {0};
        for (int e = b->start[a]; e < b->start[a + 1]; e++) block_apply(b->C[e], s->y + 3 * b->touched[e], u);
        block_subtract(s->E[a], u, f + 3 * a);
    }
}

void contact_system_solve(contact_system *s, double *f) {
    if (s->bodies) solve_bodies(s, f);
    else block_lu_solve(s->lu, f);
}
