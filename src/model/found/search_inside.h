/* What the files of the search share: search_pairs.c has how far bodies may move and which pairs are near, search.c the
 * contacts of these pairs, search_check.c what a step has missed. */
#ifndef CAROM_SEARCH_INSIDE_H
#define CAROM_SEARCH_INSIDE_H

#include "search.h"

static inline const finder_body *search_body(const search *s, int i) {
    return &s->f->body[i];
}

/* No point of body i has moved farther between two states (CF12). */
double search_moved(const search *s, int i, const double *from, const double *to);
/* Whether no body has moved since contacts were listed. */
bool search_is_still(const search *s, const double *q);
/* Whether all bodies are still where their pairs are known. If not, the pairs are to be listed again. */
bool search_is_within(search *s, const double *q);

/* Puts the bodies and solids where they are at q. */
void search_place(search *s, const double *q);
/* How far two solids may approach each other while the pairs last. */
double search_margin(const search *s, int a, int b);
/* Whether the pairs will do for another step of length dt from (q, u). */
bool search_pairs_last(const search *s, const double *q, const double *u, double dt);
/* Lists the pairs that are near where the solids have been placed, at q. False: out of memory. */
bool search_list_pairs(search *s, const double *q, const double *u, double dt);

bool contacts_append(contact_list *l, const found_contact *c); /* false: out of memory */
/* The contact of an ordered list with the identity of c; NULL: there is none. */
const found_contact *contacts_find(const contact_list *l, const found_contact *c);

#endif
