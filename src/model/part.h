/* Part of a model: those of its coordinates, velocities and contacts that move on their own for a while, as a model
 * (docs/theory/events.md, (V46)). Its functions ask those of the whole model, where everything else stays as it is. */
#ifndef CAROM_PART_H
#define CAROM_PART_H

#include "model.h"

typedef struct model_part model_part;
typedef struct part_room part_room;

/* What makes parts of a model, so that they cost no more than they are. */
typedef struct part_maker {
    /* Of a model on top of another one, the base: the part on top of that of the base. NULL: out of memory. */
    carom_model *(*make)(const carom_model *whole, const model_part *part);
    void (*destroy)(carom_model *made);
    void (*visit)(const carom_model *whole, const carom_range *q); /* parts have been at these positions, [nq] */
    /* Of others: a context for the same functions that has the part alone, for these sizes and patterns. *context NULL:
     * it cannot be, and they ask the whole model. False: out of memory. */
    bool (*restricted)(const carom_model *whole, const carom_model_def *part, const part_room *room, void **context);
    void (*release)(void *context);
} part_maker;

/* Where the functions of parts ask the whole model: its state, and memory for what it answers. Parts of one model share
 * it, and are asked one at a time. */
struct part_room {
    const carom_model *whole;
    double *q, *u, *factor;         /* the state, factors of (M v)_q and (W r)_q */
    double *value[5];               /* what a function writes */
    carom_range *range;             /* of q, q_dot, u, u_dot; c, c_rate, a, a_rate */
    int *side;                      /* [switches] that are held */
    int *at_q, *at_u, *at_c, *at_s; /* [nq], [nu], [nc], [ns] numbers in the part that is made; -1: not in it */
    double *memory;
    int *numbers;
    part_room *base; /* of the base of the model; NULL: it has none */
};

bool part_room_create(part_room *r, const carom_model *whole); /* false: out of memory */
void part_room_destroy(part_room *r);
/* The state at which parts start, and the sides that are held. */
void part_room_place(part_room *r, const double *q, const double *u, const int *side);

/* Rows or columns of the whole model, ascending. */
typedef struct part_list {
    int count, *at;
} part_list;

/* A restricted pattern, and where its entries are in the whole one. */
typedef struct part_pattern {
    int *start, *index, *entry;
} part_pattern;

enum { PART_PATTERNS = 14 };

struct model_part {
    part_room *room;
    carom_model model;
    model_part *base;  /* of a model with a base: the same part of the base, */
    carom_model *made; /* and the model on top of that */
    part_list q, u, c, s, contact, switched;
    part_pattern pattern[PART_PATTERNS];
    void *own;    /* the context of the part alone; NULL: functions ask the whole model */
    void *memory; /* lists and slips */
};

/* Whether parts of the model can be asked on their own. */
bool part_applies(const carom_model *whole);

/* velocity, coordinate: [nu], [nq] whether they belong to it. NULL: out of memory. */
model_part *part_create(part_room *r, const bool *velocity, const bool *coordinate);
void part_destroy(model_part *p);

/* Numbers of the whole vector that belong to the part, and back. */
void part_gather(const part_list *list, const double *whole, double *part);
void part_scatter(const part_list *list, const double *part, double *whole);

#endif
