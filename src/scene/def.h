/* Typed definitions as tables of fields, and what a table and a definition make: the tree that a scene file would give.
 * So scenes and definitions go the same way from the tree to the model. */
#ifndef CAROM_DEF_H
#define CAROM_DEF_H

#include "carom/defs.h"
#include "yaml.h"

typedef enum def_kind {
    DEF_TEXT,     /* const char *: names, words */
    DEF_TEXTS,    /* const char *[count] */
    DEF_LIST,     /* const char *const *, and how many */
    DEF_VALUES,   /* carom_value[count]; a single one is no list */
    DEF_ROWS,     /* carom_value[count][3] */
    DEF_POINTS,   /* const carom_value (*)[3], and how many */
    DEF_FLAG,     /* bool */
    DEF_PART,     /* a struct with fields of its own: a map */
    DEF_BESIDE,   /* the same, with its keys among the others */
    DEF_PARTS,    /* const struct *, and how many: a map, or a list of them */
    DEF_PARTNERS, /* carom_partner_def[count]: a name, or a map */
    DEF_GROUPS,   /* carom_partners_def[count]: a list of partners, or a list of lists */
    DEF_ENTRIES   /* const carom_entry *, and how many: with their keys among the others */
} def_kind;

typedef struct def_type def_type;

typedef struct def_field {
    const char *key; /* NULL: it stands for the whole map (a quaternion for a rotation) */
    def_kind kind;
    size_t offset;
    int count;
    size_t count_offset; /* of the int that says how many */
    const def_type *type;
} def_field;

struct def_type {
    const char *what;        /* "body": in errors */
    const char *path[2];     /* "model", "bodies": the maps that its entry stands in; NULL: fewer */
    size_t size;             /* of the struct */
    const def_field *fields; /* ended by an empty one; made and name are none */
};

extern const def_type def_body, def_frame, def_joint, def_spring, def_load, def_contact, def_rolling, def_chain,
    def_beam, def_bar, def_join, def_coordinate, def_velocity, def_gap, def_symmetry, def_drawing, def_system,
    def_report, def_shape;

enum { DEF_MADE = 0x43524f4d };

/* Nothing given. */
void def_clear(const def_type *type, void *def);

/* The tree of one entry, around which are the maps it stands in: {model: {bodies: {ball: {mass: 1}}}}. All nodes say
 * where they are from, "SKETCH: body 'ball', mass". NULL: out of memory. name may be NULL for what has none. twice: a
 * node whose key is given twice. */
node *def_tree(arena *memory, const char *sketch, const def_type *type, const char *name, const void *def,
               const node **twice);
/* The same for one value: {parameters: {m: 2}}; and for a run. */
node *def_formula_tree(arena *memory, const char *sketch, carom_formula_kind kind, const char *name, carom_value value);
node *def_run_tree(arena *memory, const char *sketch, const carom_run_def *run, const node **twice);

#endif
