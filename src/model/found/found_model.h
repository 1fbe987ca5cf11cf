/* A model with the contacts that were found: those of another model, then these. It lives from one change of the
 * contacts to the next. */
#ifndef CAROM_FOUND_MODEL_H
#define CAROM_FOUND_MODEL_H

#include "model/model.h"
#include "search.h"

/* Kinds that have been compiled so far: by the gap, the bodies and how many slips there are. */
typedef struct kind_entry {
    gap_kind gap;
    body_kind first, second;
    int first_axes, second_axes;
    int slips;
    kind kind;
} kind_entry;
typedef struct kind_table {
    kind_entry **at;
    int count;
    bool turns; /* d(W r)/dq is wanted of all of them */
} kind_table;
void kind_table_destroy(kind_table *t);

typedef struct found_model found_model;

/* The contacts and borders are copied. The switches of the model are those of the base, then the borders. NULL: out of
 * memory. */
found_model *found_model_create(const carom_model *base, const finder *f, const contact_list *list,
                                const border_list *borders, kind_table *kinds);
void found_model_destroy(found_model *m);
const carom_model *found_model_get(const found_model *m);

/* Where contact k of the list touches at q: the point, the normal and two tangents. */
void found_model_place(const found_model *m, int k, const double *q, double place[4][3]);
/* Its gap, whether it counts or not. */
double found_model_gap(const found_model *m, int k, const double *q);

/* Whether its shapes are so near that borders matter to it (CF37). */
bool found_model_touches(const found_model *m, int k, const double *q);

/* Whether contact k is that of a rim whose lowest point has come to its other side in a step of length dt that ends at
 * (q, u), or may have run round it (CF41). */
bool found_model_swings(const found_model *m, int k, const double *from, const double *q, const double *u, double dt);

/* The borders, in the order of their switches. */
const border_list *found_model_borders(const found_model *m);

/* Their sides at q, and whether a contact that touches there asks for them; and whether contact k of the list counts at
 * the place looked at last. */
void found_model_sides(found_model *m, const double *q, double *side, bool *matters);
void found_model_look(found_model *m, const double *q);
bool found_model_counts(const found_model *m, int k);

/* Ranges of positions that have been looked at since the last begin; NULL: none were. */
void found_model_begin(found_model *m);
const carom_range *found_model_seen(const found_model *m);

#endif
