/* An impact as a process (docs/theory/laws.md, (L7)-(L10)). Positions rest, the percussions of touching contacts grow,
 * and the velocities s = (g_dot, gamma, gN_dot, gamma_F) follow them,
 *
 *     M du = W dP,   g_dot = 0,  gamma = 0,   dP_F = -mu dP_N gamma_F/|gamma_F|,  or within the ball at rest (L7)
 *
 * Compression goes on until no contact approaches, (L8). Expansion then goes on as far as the law of each contact says.
 */
#ifndef CAROM_PROCESS_H
#define CAROM_PROCESS_H

#include "integrator/impact.h"
#include "integrator/process_record.h"

/* A contact in the process. */
typedef struct process_contact {
    const law *law;
    bool touches, active, rebounds; /* active: it takes part now; rebounds: its expansion is not over */
    double e, speed;                /* restitution in effect, -gN_dot before */
    double compression, absorbed;   /* percussion and work of the compression */
    bool closed;                    /* in this piece gN_dot grows at least at the rate rise */
    law_branch after[2];            /* branches of its laws in the next problem, before process_add */
    double rise, rate;              /* rate: of the given percussion; closed contacts add to it */
} process_contact;

/* What grows in an impact. */
typedef struct process_state {
    double *s, *P;           /* [ns] */
    double *work, *expanded; /* [contacts] integral of gN_dot dP_N in this phase; percussion of the expansion */
} process_state;

typedef struct process {
    const carom_model *m;
    impact impact; /* rates, with M du = W dP */
    process_contact *contact;
    process_state now, start, first; /* now, at the start of a piece, at the start of the impact */
    double *begun;                   /* [ns] s before */
    double *ds, *dP;                 /* [ns] rates of s and P */
    double *stage;                   /* [6][2 ns] both at places in a piece that turns */
    double pace;                     /* the last piece suggests this length for the next one */
    double *zero;                    /* [max(nu, ns)] */
    double *e;                       /* [contacts] room */
    bool stiff;                      /* the last piece that turned was taken by the implicit method */
    int spent;                       /* on the pieces of an impact */
    double tolerance;                /* of the last impact */
    double fastest, still;           /* the fastest velocity before; velocities up to still count as zero */
    bool expands;                    /* the second phase */
    process_record *record;          /* of the last impact; NULL: nobody asks for it */
    int mark, piece;                 /* operations of it before the present piece, and before its stages */
    double taken;                    /* the length of the last piece, */
    bool met;                        /* and whether it reached its end */
    bool unended;                    /* no percussion ends the compression or the expansion: rebounds are left out */
    double *memory;
} process;

process *process_create(const carom_model *model); /* NULL: out of memory */
void process_destroy(process *p);

/* Whether an impact of `of` needs a process: a contact strikes whose law has an expansion, or which is in a sequence.
 */
bool process_needed(const impact *of, double tolerance);
/* Puts the percussions of the impact into p->now.P, until it ends or no percussions lead on. Adds iterations to report.
 */
void process_run(process *p, const impact *of, double tolerance, solver_report *report);
/* Saves and loads, in process_room doubles, what process_repeat needs to repeat the last impact with the matrices of
 * `of`: for the trace. */
int process_room(const process *p);
double *process_save(const process *p, double *to);
const double *process_load(process *p, const double *from);
void process_repeat(process *p, const impact *of);
/* Adds the percussions of the process to P, those of the problem that followed it. A contact that pressed in the
 * process counts as closed. */
void process_add(process *p, problem *after, double *P);
/* The same with a sign: -1 removes them again and restores the problem and P as they were solved. */
void process_shift(const process *p, problem *after, double *P, int sign);

#endif
