/* Greedy colouring (A. Curtis, M. Powell, J. Reid 1974): every column joins the first group that has none of its rows.
 */
#include "model/group.h"

#include <stdlib.h>

static int longest_row(const carom_pattern *J) {
    int longest = 0;
    for (int i = 0; i < J->rows; i++)
        if (J->start[i + 1] - J->start[i] > longest) longest = J->start[i + 1] - J->start[i];
    return longest;
}

/* start[cols + 1], row[nnz]: the rows of every column */
static void transpose(const carom_pattern *J, int *start, int *row) {
    for (int j = 0; j <= J->cols; j++) start[j] = 0;
    for (int e = 0; e < J->start[J->rows]; e++) start[J->index[e] + 1]++;
    for (int j = 0; j < J->cols; j++) start[j + 1] += start[j];
    for (int i = J->rows; i-- > 0;)
        for (int e = J->start[i]; e < J->start[i + 1]; e++) row[--start[J->index[e] + 1]] = i;
    for (int j = 0; j < J->cols; j++) start[j] = start[j + 1]; /* each was counted down to its first */
    start[J->cols] = J->start[J->rows];
}

/* taken[group] = j: a column before j, in this group, shares a row with column j. */
static int first_free(const carom_pattern *J, const int *start, const int *row, int j, const int *group, int *taken) {
    for (int r = start[j]; r < start[j + 1]; r++)
        for (int e = J->start[row[r]]; e < J->start[row[r] + 1] && J->index[e] < j; e++) taken[group[J->index[e]]] = j;
    int g = 0;
    while (taken[g] == j) g++;
    return g;
}

int group_columns(const carom_pattern *J, int most, int *group) {
    int groups = 0;
    for (int j = 0; j < J->cols; j++) group[j] = j;
    if (longest_row(J) > most) return J->cols;
    size_t cols = (size_t)J->cols + 1;
    int *start = malloc(cols * sizeof *start), *taken = malloc(cols * sizeof *taken),
        *row = malloc(((size_t)J->start[J->rows] + 1) * sizeof *row);
    bool ready = start && taken && row;
    if (ready) transpose(J, start, row);
    for (int j = 0; ready && j <= J->cols; j++) taken[j] = -1;
    for (int j = 0; ready && j < J->cols; j++) {
        group[j] = first_free(J, start, row, j, group, taken);
        if (group[j] >= groups) groups = group[j] + 1;
    }
    free(start);
    free(taken);
    free(row);
    return ready ? groups : -1;
}
