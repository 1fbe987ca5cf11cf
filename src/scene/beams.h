/* Beams while they are read: what build_beams.c and its parts share. All numbers are expressions of parameters. */
#ifndef CAROM_BEAMS_H
#define CAROM_BEAMS_H

#include "model/element/beam_shape.h"
#include "read.h"

/* A beam and its section: stiffnesses in the order of beam.h, mass and moments of inertia per length. */
typedef struct beam_entry {
    element from;
    int first, elements; /* member of the first node */
    bool planar, consistent;
    expr stiffness[6], mass, inertia[3];
    expr drag;         /* mass times this: a damping of velocities */
    expr viscosity[6]; /* in the order of the stiffnesses: a damping of strains */
    expr *length;      /* [elements] */
} beam_entry;

struct beam_list {
    int count;
    beam_entry *at;
};

/* "beam 'b' needs 'density'" */
carom_status beam_needs(draft *d, const element *e, const char *key);
/* The section, material and damping (build_beam_section.c). */
carom_status read_beam_section(draft *d, beam_entry *b);
/* A node at the start, as a pose; planar nodes have an angle, which goes on from that of the node before. */
beam_node beam_node_at(draft *d, const member *m);
void beam_put_node(draft *d, const member *m, const beam_node *to, const expr *angle_before);
/* The nodes moved to the state under 'start', if there is one (build_beam_start.c). */
carom_status start_beam(draft *d, const beam_entry *b);

#endif
