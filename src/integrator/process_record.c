#include "integrator/process_record.h"

#include <math.h>
#include <stdlib.h>

void record_clear(process_record *r) {
    r->ops = 0, r->used = 0;
    r->failed = r->stiff = false;
    r->margin = 1;
}

void record_destroy(process_record *r) {
    free(r->op);
    free(r->kept);
    *r = (process_record){0};
}

void record_cut(process_record *r, int ops) {
    if (ops < r->ops) r->used = r->op[ops].at, r->ops = ops;
}

static bool grow(process_record *r, size_t more) {
    if (r->ops == r->room) {
        const int room = 2 * r->room + 16;
        process_op *op = realloc(r->op, (size_t)room * sizeof *op);
        if (!op) return false;
        r->op = op, r->room = room;
    }
    if (r->used + more > r->size) {
        const size_t size = 2 * r->size + more;
        double *kept = realloc(r->kept, size * sizeof *kept);
        if (!kept) return false;
        r->kept = kept, r->size = size;
    }
    return true;
}

double *record_add(process_record *r, process_op op, size_t size) {
    if (!r || r->failed) return NULL;
    if (!grow(r, size)) {
        r->failed = true;
        return NULL;
    }
    op.at = r->used;
    r->op[r->ops++] = op;
    r->used += size;
    return r->kept + op.at;
}
