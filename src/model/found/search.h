/* The contacts that a state may make: pairs of solids that are near, and the features of them that may meet. A list
 * holds as long as no body has moved farther than it is allowed to; so no pair can meet unseen.
 * docs/theory/contacts.md, (CF11) to (CF13). */
#ifndef CAROM_SEARCH_H
#define CAROM_SEARCH_H

#include "borders.h"
#include "features.h"
#include "finder.h"
#include "grid.h"
#include "kind.h"

/* A contact. What comes before the numbers is its identity: while it is listed it keeps its tangents. */
typedef struct found_contact {
    int a, b; /* solids, a < b */
    meeting features;
    int law;
    int first, second; /* bodies of the first and the second feature */
    kind_numbers numbers;
    int from, conditions; /* it counts while these hold, of those of the list of borders */
} found_contact;
int contact_order(const found_contact *x, const found_contact *y); /* by identity: <0, 0, >0 */
/* The same contact, and its normal points to the same side of its edges (CF5): what one holds is good for the other. */
bool contact_continues(const found_contact *x, const found_contact *y);

typedef struct near_pair {
    int a, b, law;
    bool bordered; /* its contacts count on sides of borders */
} near_pair;

typedef struct contact_list {
    found_contact *at;
    int count, room;
} contact_list;

typedef struct search {
    const finder *f;
    int nq;
    bool lasting; /* features change with the pairs alone: spheres and half spaces */
    double noise; /* what gaps of a pair may differ by, since steps accept it, as a part of a size */
    bool located; /* contacts are listed with the borders between them, since steps locate where features change */
    grid *grid;
    int boxes;
    int *boxed; /* [boxes] solids that have an end */
    grid_box *box;
    core *placed;                    /* [solids] */
    core_pose *pose;                 /* [bodies] */
    double *size, *arm;              /* [bodies] smallest solid, farthest vertex */
    double *allowed, *least_allowed; /* [bodies] how far it may move; at least, in the present step */
    double *q;                       /* where pairs were listed */
    double *at;                      /* where contacts were listed ... */
    bool listed, complete;           /* ... if they were, and a check found nothing missing there */
    double *where;                   /* [nq] where solids were placed, if all of them were */
    bool is_placed;
    double *between;       /* [nq] a place on the way of a step */
    double missed;         /* the deepest overlap that no contact knew of after a step, as a part of a size */
    double *way, thinnest; /* room: [bodies] how far they went in a step; of all solids with an end */
    bool paired;
    near_pair *pair;
    int pairs, pair_room;
    contact_list list, last, extra; /* contacts; those before; those that a step to be taken again shall have, too */
    border_list borders, last_borders;
} search;

/* False: out of memory. */
bool search_create(search *s, const finder *f, int nq);
void search_destroy(search *s);
void search_forget(search *s); /* the next list depends on the state alone */

/* The contacts for a step of length dt from (q, u), in s->list. *changed: they are others than before. False: out of
 * memory. */
bool search_contacts(search *s, const double *q, const double *u, double dt, bool *changed);

/* After a step to q: did it see all that came near? If not, it is to be taken again, with the contacts listed anew. */
typedef enum search_verdict { SEARCH_SEEN, SEARCH_UNSEEN, SEARCH_MEMORY } search_verdict;
search_verdict search_check(search *s, const double *q);
/* Whether it has other contacts then: those that part their shapes where it begins, or those of other pairs. */
bool search_gains(search *s);
/* Whether what it overlaps by more than its contacts know is not deep: then it will do without others. */
bool search_is_shallow(const search *s);
/* Whether bodies with these velocities from q on stay where pairs are known. If not, it is to be taken again. */
bool search_lasts(search *s, const double *q, const double *u, double dt);
/* The same for all positions within these ranges, which a step has been through. */
bool search_stays(search *s, const carom_range *q);
/* The step is accepted, or given up. */
void search_accept(search *s);

/* Whether a pair went into or through each other in a step from q to r, by half of what the thinner one is thick or
 * more: at its end, or on the straight way between, where they are apart at both ends (CF15). */
bool search_passes(search *s, const double *q, const double *r, int *a, int *b);

/* Whether a pair whose features are bordered overlaps, and which: a contact was missed. */
bool search_overlaps(search *s, const double *q, int *a, int *b);

/* The smallest gap of any pair that is looked for, and which (-1: none), at q. False: out of memory. */
bool search_smallest(search *s, const double *q, double *gap, int *a, int *b);

#endif
