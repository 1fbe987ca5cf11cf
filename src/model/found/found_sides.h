/* Which contacts of a model count: those whose vertices are on the sides of borders that they ask for. The sides are
 * switches of the model, which steps locate. docs/theory/contacts.md, (CF31), (CF35). */
#ifndef CAROM_FOUND_SIDES_H
#define CAROM_FOUND_SIDES_H

#include "batch.h"
#include "borders.h"
#include "model/model.h"
#include "search.h"

/* The gap of a contact that does not count. */
#define FAR_GAP 1e3

typedef struct found_sides {
    int count, contacts;
    border_list border;
    instance *at;       /* [count] */
    const char **name;  /* [base and these] of switches */
    carom_switch *info; /* the same */
    char *names;
    int first;                    /* switches of the base */
    const int *held;              /* sides by the run; NULL: by the places of the vertices */
    int *last;                    /* [count] sides at the last look of a step; the first is 0 if there was none */
    double *value;                /* [count] */
    const found_contact *contact; /* [contacts] borrowed */
    bool *counts, *asleep;        /* [contacts] asleep: it has begun to count ... */
    double *deep;                 /* ... deeper than this, (CF35) */
    bool *matters;                /* [count] a contact that asks for it may touch in the part bounded last */
} found_sides;

/* False: out of memory. */
bool sides_create(found_sides *s, const border_list *borders, const found_contact *contact, int contacts,
                  const carom_model_def *base);
void sides_destroy(found_sides *s);
void sides_name(found_sides *s, int number, const char *of, const char *by);

/* Values whose signs are the sides. asked: [count] those that are wanted; NULL: all. */
void sides_values(const found_sides *s, const double *q, const bool *asked, double *value);
/* Their ranges and those of their rates. Borders that do not matter stay on the sides that are held (CF37). clear:
 * whether contacts stay apart; NULL: as told last. asked: [count] those that are wanted; NULL: all. */
int sides_range_room(const found_sides *s);
void sides_bound(found_sides *s, const carom_range *q, const carom_range *q_rate, const bool *clear, const bool *asked,
                 jet *work, carom_range *value, carom_range *rate);
/* Marks the borders that contacts ask for which are not clear. */
void sides_matter(found_sides *s, const bool *clear);

/* Sides that are held from now on. */
void sides_take(found_sides *s, const int *side);
/* Whether the sides that are held are those of the last look: another one would tell nothing new. */
bool sides_are_known(const found_sides *s);
/* Which contacts count at q. gap: those of all contacts there; NULL: not known. */
void sides_look(found_sides *s, const double *q, const double *gap);

#endif
