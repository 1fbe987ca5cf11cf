/* Shared by the files of a process: rates, pieces, and where slip is. */
#ifndef CAROM_PROCESS_INSIDE_H
#define CAROM_PROCESS_INSIDE_H

#include "integrator/process.h"

enum { PROCESS_STAGES = 6 }; /* of the method for pieces that turn, where they are, and their weights at the end */
extern const double process_place[PROCESS_STAGES][PROCESS_STAGES - 1], process_weight[PROCESS_STAGES];

int process_slips(const process *p, int contact); /* components of slip that are rubbed */
static inline int process_slip_row(const process *p, int contact) {
    return p->m->F + p->m->slip[contact];
}
double process_size(int n, const double *x); /* of a vector */
bool process_slides(const process *p, int contact, const double *s);

/* Finds ds and dP at s, (L7), for the given percussions and the closed contacts. False: there is no solution. */
bool process_find_rates(process *p, const double *s, double tolerance, solver_report *report);
/* Finds constant rates over a piece by Euler's implicit method: slip in several directions has the force of its end. */
bool process_find_mean_rates(process *p, const double *s, double length, double tolerance, solver_report *report);
/* Takes a piece from p->start, with the rates found there. curved: the rates turn on the way, and the piece is
 * shortened until it is accurate. */
bool process_take_piece(process *p, double *length, bool curved, double tolerance, solver_report *report);
void process_keep(const process *p, process_state *to, const process_state *from);
/* Newton's law of impact for the contact alone. */
bool process_strike_alone(process *p, int contact, double tolerance, solver_report *report);
/* Closes contacts that touch and do not part: they do not approach faster, and have no given percussion. */
void process_close(process *p);
/* (L8): all approaches shrink in proportion, so that all contacts come to rest together. */
void process_rise(process *p);
/* Finds rates where friction drives contacts together faster than percussions can stop them. These contacts press in
 * the proportion in which they would come to rest without rebound. */
bool process_press_on(process *p, double tolerance, solver_report *report);

/* Recording (process_log.c), if anybody asks for it. */
void process_record_begin(process *p);
void process_record_rise(process *p);
void process_record_given(process *p);
void process_record_rates(process *p);
void process_record_press(process *p);
void process_record_strike(process *p);
void process_record_again(process *p); /* the stages of a piece are taken once more */
void process_record_piece(process *p, process_op op, const carom_expansion *x);
void process_record_margin(process *p, double length, double next);

#endif
