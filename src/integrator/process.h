/* An impact as a process (docs/theory/laws.md, (L7)-(L10)): while positions rest, the percussions of the contacts that
 * touch grow, and the velocities s = (g_dot, gamma, gN_dot, gamma_F) follow them,
 *
 *     M du = W dP,   g_dot = 0,  gamma = 0,   dP_F = -mu dP_N gamma_F/|gamma_F|,  or within the ball at rest (L7)
 *
 * in compression until no contact approaches, (L8), then in expansion as far as the law of each contact says. */
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
    law_branch after[2]; /* of its laws in the problem that followed, before percussions of the process were added */
    double rise, rate;   /* rate: of the percussion that is given, to which that of closed contacts is added */
} process_contact;

/* What grows. */
typedef struct process_state {
    double *s, *P;           /* [ns] */
    double *work, *expanded; /* [contacts] integral of gN_dot dP_N in this phase; percussion of the expansion */
} process_state;

typedef struct process {
    const carom_model *m;
    impact impact; /* rates, with M du = W dP */
    process_contact *contact;
    process_state now, start, first; /* and at the start of a piece, and of the impact */
    double *begun;                   /* [ns] s before */
    double *ds, *dP;                 /* [ns] rates of s and P */
    double *stage;                   /* [6][2 ns] both at places in a piece that turns */
    double pace;                     /* a piece may be so long, as far as the last one tells */
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

/* Does an impact of `of` need a process: does a contact strike whose law has an expansion, or one of a sequence? */
bool process_needed(const impact *of, double tolerance);
/* Percussions of the impact into p->now.P, up to where it ends or no percussions lead on. report: iterations. */
void process_run(process *p, const impact *of, double tolerance, solver_report *report);
/* What it takes to repeat the last impact with the matrices of `of`, in process_room doubles: for the trace. */
int process_room(const process *p);
double *process_save(const process *p, double *to);
const double *process_load(process *p, const double *from);
void process_repeat(process *p, const impact *of);
/* Percussions of the process to those P of the problem that followed it; a contact that pressed in it was closed. */
void process_add(process *p, problem *after, double *P);
/* The same with a sign: -1 takes them off again, and problem and P are those that were solved. */
void process_shift(const process *p, problem *after, double *P, int sign);

#endif
