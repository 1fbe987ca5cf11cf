/* Which quantities a run records. */
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "carom/carom.h"
#include "result/result.h"

typedef struct recording {
    int count;
    int *column;    /* of the simulation */
    double *factor; /* factor of its value: 1, or 1/dt for a force, which is a percussion over the step */
    char **forces;  /* their names, which the recording owns; NULL ends them */
    const char **names, **units;
    double *all, *row; /* every quantity at the present state; those that are recorded */
    result_events_info events;
    double *event; /* a row of the events */
    result_events_info found;
    carom_found *contact; /* those of the last step; memory for so many */
    int contact_room;
    int slips;  /* slips of a contact at most */
    bool finds; /* contacts are found, so events name the bodies between which they act */
} recording;

/* scene NULL: every quantity, without units. */
carom_status recording_create(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error);
void recording_destroy(recording *r);
/* Its part about events (record_events.c). */
carom_status recording_create_events(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error);
void recording_destroy_events(recording *r);
/* Its part about contacts that are found (record_found.c). */
carom_status recording_create_found(recording *r, const carom_scene *scene, carom_error *error);
void recording_destroy_found(recording *r);
/* Appends the events of the last step to a result. They belong to the row that follows. */
carom_status recording_append_found(recording *r, const carom_sim *sim, result_writer *writer, carom_error *error);
/* Whether everything a panel shows ("x,y", "phi:phi_dot", "*.gap", "sqrt(x^2 + y^2)") is recorded. */
bool recording_fits(const recording *r, const carom_scene *scene, const char *panel);
/* The force that goes with a percussion: "wall.FN" with "wall.PN", "hinge1.F" with "hinge1.P". False: the column is no
 * percussion. */
bool force_name(const carom_sim *sim, int column, char *name, size_t size);
/* "N" of "N s". */
const char *force_unit(const char *percussion);
/* Fills row. */
carom_status recording_take(recording *r, carom_sim *sim, carom_error *error);
/* Fills event with an event of the last step. */
carom_status recording_take_event(recording *r, carom_sim *sim, int event, carom_error *error);

#endif
