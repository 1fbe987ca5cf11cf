#include "friction/entries.h"

#include <stdlib.h>

bool entries_add(entries *e, int row, int col, double value) {
    if (value == 0) return true;
    if (e->count == e->room) {
        int room = e->room ? 2 * e->room : 256;
        entry *more = realloc(e->at, (size_t)room * sizeof *more);
        if (!more) return false;
        e->at = more, e->room = room;
    }
    e->at[e->count++] = (entry){row, col, value};
    return true;
}

void entries_free(entries *e) {
    free(e->at);
    *e = (entries){0};
}

static bool sort(const entries *e, int keys, bool by_row, int **start, entry **sorted) {
    int *first = calloc((size_t)keys + 2, sizeof *first);
    entry *list = malloc(((size_t)e->count + 1) * sizeof *list);
    *start = first, *sorted = list;
    if (!first || !list) {
        free(first);
        free(list);
        *start = NULL, *sorted = NULL;
        return false;
    }
    for (int i = 0; i < e->count; i++) first[(by_row ? e->at[i].row : e->at[i].col) + 2]++;
    for (int k = 2; k <= keys + 1; k++) first[k] += first[k - 1];
    for (int i = 0; i < e->count; i++) list[first[(by_row ? e->at[i].row : e->at[i].col) + 1]++] = e->at[i];
    return true;
}

bool entries_by_row(const entries *e, int **start, entry **sorted) {
    return sort(e, e->rows, true, start, sorted);
}

bool entries_by_column(const entries *e, int **start, entry **sorted) {
    return sort(e, e->cols, false, start, sorted);
}
