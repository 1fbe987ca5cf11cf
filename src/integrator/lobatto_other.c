#include "integrator/lobatto_other.h"

#include <stdlib.h>
#include <string.h>

/* The same percussions in all stages, and s. */
static motion as_kept(const lobatto_other *o, const motion *x, double *memory) {
    const int ns = o->own->m->ns;
    motion theirs = *x;
    theirs.memory = memory;
    for (int k = 0; k < (o->scheme.stages.s - 1) * ns; k++) memory[k] = x->memory[k % ns];
    memcpy(lobatto_velocities(&o->scheme, &theirs), lobatto_velocities(o->own, x), (size_t)ns * sizeof *memory);
    return theirs;
}

motion lobatto_other_from(const lobatto_other *o, const motion *now) {
    return as_kept(o, now, o->from);
}

motion lobatto_other_to(const lobatto_other *o, const motion *next) {
    return as_kept(o, next, o->to);
}

void lobatto_keep_percussions(const lobatto_scheme *own, motion *next, double dt) {
    const int ns = own->m->ns;
    const double over = own->stages.sense ? dt : 1;
    for (int k = 0; k < (own->stages.s - 1) * ns; k++) next->memory[k] = next->P[k % ns] / over;
}

void lobatto_other_read(const lobatto_other *o, const motion *to, motion *next, double dt) {
    const int ns = o->own->m->ns;
    lobatto_keep_percussions(o->own, next, dt);
    memcpy(lobatto_velocities(o->own, next), lobatto_velocities(&o->scheme, to), (size_t)ns * sizeof *to->memory);
}

bool lobatto_other_capture(lobatto_other *o, const motion *now, motion *next, double dt, double tolerance,
                           step_report *report) {
    const motion from = lobatto_other_from(o, now);
    motion to = lobatto_other_to(o, next);
    if (!lobatto_capture(&o->scheme, &from, &to, dt, tolerance, report)) return false;
    lobatto_other_read(o, &to, next, dt);
    report->reduced = true;
    return true;
}

/* ---------------------------------------------------------------- setup */

bool lobatto_other_create(lobatto_other *o, const lobatto_scheme *own, int s) {
    const int size = s * own->m->ns;
    *o = (lobatto_other){.own = own};
    const vector_part parts[] = {{&o->from, size}, {&o->to, size}};
    o->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return lobatto_scheme_create(&o->scheme, own->m, s, false, own->stages.sense != NULL) && o->memory;
}

void lobatto_other_destroy(lobatto_other *o) {
    lobatto_scheme_destroy(&o->scheme);
    free(o->memory);
}
