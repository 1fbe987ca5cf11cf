/* A pair of partners that touch, in the making: {between: [a, b]}. */
#ifndef CAROM_PAIRS_H
#define CAROM_PAIRS_H

#include "draft.h"
#include "model/element/contact.h"

typedef struct pair {
    const node *where; /* the value of 'between' */
    const char *owner; /* the body that the contact is named after in a family; NULL: none */
    surface a, b;
    const surface *stations; /* [count] in place of a: the cross-sections of a beam that touch a plane; NULL: none */
    bool planar;
    int count;
    touch at[CONTACTS_MOST];
    const char *name[CONTACTS_MOST];
} pair;

/* What touches first in contact i. */
static inline const surface *pair_first(const pair *p, int i) {
    return p->stations ? &p->stations[i] : &p->a;
}

/* ball, or {body: ball, ...}: the name; NULL: there is none (build_pairs.c). */
const node *partner_name(const node *item);
/* A partner that is a body or frame: its number, its surface, whether it leaves the plane (build_pairs.c). */
carom_status pair_member(draft *d, const element *e, const node *item, int *number);
carom_status pair_surface(draft *d, const element *e, const node *item, int number, bool planar, surface *s);
bool pair_in_space(const member *m);

/* ---- beams between their nodes (build_along.c) */

bool along_is_pair(const element *e); /* a beam is one of its partners */
/* The surfaces and contacts of such a pair. */
carom_status along_pair(draft *d, const element *e, pair *p);
/* What beams do not have. */
carom_status along_check_keys(draft *d, const element *e);

#endif
