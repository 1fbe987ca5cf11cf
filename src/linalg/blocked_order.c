/* Without laws, unknowns depend on each other within a body only. So bodies come first, updates of positions before
 * balances, and leave W^T M^-1 W for the laws, in which two of them meet where they act on the same body. Both parts
 * have good pivots on their diagonals in any order. Laws that meet the same laws are a group; groups are ordered by
 * minimum degree. Unknowns of a body on which the same groups act are a block. */
#include "linalg/blocked_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "linalg/linear.h"
#include "linalg/sets.h"

enum {
    BODY_MOST = 16, /* unknowns that depend on each other without laws: the order within more of them matters */
    FILL = 2        /* W^T M^-1 W may have so many times the entries of the whole system */
};

typedef struct graph {
    int n, balances, first;
    const int *start, *index;     /* the system */
    int *body, *part;             /* [first] sets of unknowns that depend on each other without laws; of one sort */
    int *begin, *list;            /* by body: laws that act on it, then its unknowns, list[begin[b]]... */
    int *meet, *met;              /* law k meets met[meet[k - first]]... in W^T M^-1 W */
    int *group, *next;            /* by law: the first of its group; the next one; -1: it is the last */
    int *row, *column, *rank;     /* the groups, which of them meet, and their order */
    int *mark;                    /* the last one that came here */
    unsigned *by_row, *by_column; /* [first] what tells the groups that act on an unknown, or are acted on by it */
    int *order, *blocks, *count;  /* the result: pivots, where blocks begin, how many */
    int at;                       /* pivots so far */
    int *memory;
} graph;

static bool create(graph *g) {
    const size_t rows = (size_t)g->n + 3, entries = (size_t)g->start[g->n];
    g->memory = malloc((11 * rows + (1 + 2 * FILL) * entries) * sizeof *g->memory);
    if (!g->memory) return false;
    int **parts[] = {&g->body, &g->part, &g->begin, &g->meet, &g->group, &g->next, &g->row, &g->rank, &g->mark};
    int *room = g->memory;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, room += rows) *parts[i] = room;
    g->by_row = (unsigned *)room, g->by_column = (unsigned *)(room + rows), room += 2 * rows;
    g->list = room, g->met = g->list + entries, g->column = g->met + FILL * entries;
    return true;
}

static bool are_alike(const graph *g, int i, int j) {
    return (i < g->balances) == (j < g->balances);
}

/* False: a body is too large. */
static bool find_bodies(graph *g) {
    sets_start(g->body, g->first);
    sets_start(g->part, g->first);
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++) {
            const int j = g->index[e];
            if (j >= g->first) continue;
            sets_join(g->body, i, j);
            if (are_alike(g, i, j)) sets_join(g->part, i, j);
        }
    bool small = true;
    for (int i = 0; i < g->first; i++) g->mark[i] = 0;
    for (int i = 0; i < g->first; i++) small = ++g->mark[set_of(g->body, i)] <= BODY_MOST && small;
    return small;
}

/* Counts of b at begin[b + 2] become where b begins, at begin[b + 1]; as b is listed, that becomes its end. */
static void accumulate(int *begin, int count) {
    for (int b = 0; b <= count; b++) begin[b + 1] += begin[b];
}

/* ---------------------------------------------------------------- laws */

/* A law acts on a body through each of its balances; it is listed once for each. */
static void list_laws(graph *g) {
    for (int b = 0; b <= g->first + 2; b++) g->begin[b] = 0;
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++) g->begin[set_of(g->body, i) + 2] += g->index[e] >= g->first;
    accumulate(g->begin, g->first + 1);
    for (int i = 0; i < g->first; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->index[e] >= g->first) g->list[g->begin[set_of(g->body, i) + 1]++] = g->index[e];
}

/* Row k of W^T M^-1 W. False: it has too many entries. */
static bool add_law(graph *g, int k, int *entries) {
    for (int e = g->start[k]; e < g->start[k + 1]; e++) {
        const int j = g->index[e], b = j < g->first ? set_of(g->body, j) : -1;
        for (int i = b < 0 ? 0 : g->begin[b]; b >= 0 && i < g->begin[b + 1]; i++) {
            const int l = g->list[i];
            if (g->mark[l] == k) continue;
            if (*entries == FILL * g->start[g->n]) return false;
            g->mark[l] = k;
            g->met[(*entries)++] = l;
        }
    }
    return true;
}

static bool find_meetings(graph *g) {
    int entries = 0;
    for (int k = 0; k < g->n; k++) g->mark[k] = -1;
    for (int k = g->first; k < g->n; k++) {
        g->meet[k - g->first] = entries;
        if (!add_law(g, k, &entries)) return false;
    }
    g->meet[g->n - g->first] = entries;
    return true;
}

/* Whether law l meets just those that are marked with k, so many. */
static bool meets_the_same(const graph *g, int l, int k, int count) {
    const int *m = g->meet + l - g->first;
    bool same = m[1] - m[0] == count;
    for (int i = m[0]; i < m[1] && same; i++) same = g->mark[g->met[i]] == k;
    return same;
}

static int group_of(graph *g, int k) {
    const int *m = g->meet + k - g->first;
    for (int i = m[0]; i < m[1]; i++) g->mark[g->met[i]] = k;
    for (int i = m[0]; i < m[1]; i++) {
        const int l = g->met[i];
        if (l < k && g->group[l - g->first] == l && meets_the_same(g, l, k, m[1] - m[0])) return l;
    }
    return k;
}

static void find_groups(graph *g) {
    int *last = g->row; /* of a group */
    for (int k = 0; k < g->n; k++) g->mark[k] = -1;
    for (int k = g->first; k < g->n; k++) {
        const int l = g->group[k - g->first] = group_of(g, k);
        g->next[k - g->first] = -1;
        if (l < k) g->next[last[l] - g->first] = k;
        last[l] = k;
    }
}

/* The first laws of the groups, in their order of elimination. */
static bool order_groups(graph *g, int *groups) {
    int count = 0, entries = 0, *number = g->rank;
    for (int k = g->first; k < g->n; k++) {
        g->mark[k] = -1;
        if (g->group[k - g->first] == k) groups[count] = k, number[k - g->first] = count++;
    }
    for (int i = 0; i < count; i++) {
        const int *m = g->meet + groups[i] - g->first;
        g->row[i] = entries;
        for (int j = m[0]; j < m[1]; j++) {
            const int l = g->group[g->met[j] - g->first];
            if (g->mark[l] == i) continue;
            g->mark[l] = i;
            g->column[entries++] = number[l - g->first];
        }
    }
    g->row[count] = entries;
    if (!linear_order(count, g->row, g->column, g->rank)) return false;
    for (int i = 0; i < count; i++) g->mark[i] = groups[i];
    for (int i = 0; i < count; i++) groups[i] = g->mark[g->rank[i]];
    return true;
}

/* ---------------------------------------------------------------- blocks */

static void put(graph *g, int unknown, bool begins) {
    if (begins || g->at - g->blocks[*g->count - 1] == BLOCK_MOST) g->blocks[(*g->count)++] = g->at;
    g->order[g->at++] = unknown;
}

static unsigned scatter(int group) {
    return ((unsigned)group + 1) * 2654435761u;
}

static void mark_groups(graph *g) {
    for (int k = 0; k < g->n; k++) g->mark[k] = -1;
    for (int i = 0; i < g->first; i++) {
        g->by_row[i] = g->by_column[i] = 0;
        for (int e = g->start[i]; e < g->start[i + 1]; e++) {
            const int l = g->index[e] < g->first ? -1 : g->group[g->index[e] - g->first];
            if (l < 0 || g->mark[l] == i) continue;
            g->mark[l] = i;
            g->by_row[i] += scatter(l);
        }
    }
    for (int l = g->first; l < g->n; l++)
        for (int k = g->group[l - g->first] == l ? l : -1; k >= 0; k = g->next[k - g->first])
            for (int e = g->start[k]; e < g->start[k + 1]; e++) {
                const int j = g->index[e];
                if (j >= g->first || g->mark[j] == l) continue;
                g->mark[j] = l;
                g->by_column[j] += scatter(l);
            }
}

/* Unknowns that follow each other, on which the same groups act, count as those of one body. */
static void join_neighbours(graph *g) {
    mark_groups(g);
    for (int i = 1; i < g->first; i++) {
        const bool same = g->by_row[i] == g->by_row[i - 1] && g->by_column[i] == g->by_column[i - 1];
        if (same && (g->by_row[i] || g->by_column[i]) && are_alike(g, i, i - 1)) sets_join(g->body, i, i - 1);
    }
}

static void list_unknowns(graph *g) {
    for (int b = 0; b <= g->first + 2; b++) g->begin[b] = 0;
    for (int i = 0; i < g->first; i++) g->begin[set_of(g->body, i) + 2]++, g->mark[i] = 0;
    for (int i = 0; i < g->first; i++) g->mark[set_of(g->part, i)]++;
    accumulate(g->begin, g->first + 1);
    for (int i = 0; i < g->first; i++) g->list[g->begin[set_of(g->body, i) + 1]++] = i;
}

/* Of one body: those of its updates or balances that depend on nothing but themselves. */
static void put_alone(graph *g, int b, bool updates) {
    bool begins = true;
    for (int e = g->begin[b]; e < g->begin[b + 1]; e++) {
        const int i = g->list[e];
        if ((i >= g->balances) != updates || g->mark[set_of(g->part, i)] > 1) continue;
        put(g, i, begins);
        begins = false;
    }
}

/* The others, part by part. */
static void put_parts(graph *g, int b, bool updates) {
    for (int e = g->begin[b]; e < g->begin[b + 1]; e++) {
        const int part = g->list[e];
        if ((part >= g->balances) != updates || g->mark[part] < 2 || set_of(g->part, part) != part) continue;
        bool begins = true;
        for (int f = g->begin[b]; f < g->begin[b + 1]; f++) {
            if (set_of(g->part, g->list[f]) != part) continue;
            put(g, g->list[f], begins);
            begins = false;
        }
    }
}

static void put_bodies(graph *g) {
    join_neighbours(g);
    list_unknowns(g);
    for (int b = 0; b < g->first; b++) {
        put_alone(g, b, true), put_parts(g, b, true);
        put_alone(g, b, false), put_parts(g, b, false);
    }
}

static blocked_result put_all(graph *g, int *groups) {
    if (!find_bodies(g)) return BLOCKED_DOES_NOT_PAY;
    list_laws(g);
    if (!find_meetings(g)) return BLOCKED_DOES_NOT_PAY;
    find_groups(g);
    if (!order_groups(g, groups)) return BLOCKED_NO_MEMORY;
    put_bodies(g);
    for (int i = 0; g->at < g->n; i++)
        for (int k = groups[i]; k >= 0; k = g->next[k - g->first]) put(g, k, k == groups[i]);
    g->blocks[*g->count] = g->n;
    return BLOCKED;
}

blocked_result blocked_order(int n, int balances, int first, const int *start, const int *index, int *order, int *begin,
                             int *blocks) {
    graph g = {.n = n, .balances = balances, .first = first, .start = start, .index = index};
    g.order = order, g.blocks = begin, g.count = blocks, *blocks = 0;
    int *groups = malloc(((size_t)(n - first) + 1) * sizeof *groups);
    const blocked_result result = groups && create(&g) ? put_all(&g, groups) : BLOCKED_NO_MEMORY;
    free(groups);
    free(g.memory);
    return result;
}
