#include "integrator/vectors.h"

#include <stdlib.h>

double *vectors_create(const vector_part *parts, size_t count) {
    size_t total = 1;
    for (size_t i = 0; i < count; i++) total += (size_t)parts[i].size;
    double *memory = calloc(total, sizeof *memory), *next = memory;
    for (size_t i = 0; memory && i < count; next += parts[i++].size) *parts[i].vector = next;
    return memory;
}

bool unit_create(unit_matrix *unit, int n) {
    unit->index = malloc(((size_t)n + 1) * sizeof *unit->index);
    unit->value = malloc(((size_t)n + 1) * sizeof *unit->value);
    if (!unit->index || !unit->value) return false;
    for (int i = 0; i <= n; i++) unit->index[i] = i, unit->value[i] = 1;
    unit->pattern = (carom_pattern){n, n, unit->index, unit->index};
    return true;
}

void unit_destroy(unit_matrix *unit) {
    free(unit->index);
    free(unit->value);
}
