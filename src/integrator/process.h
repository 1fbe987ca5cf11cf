/* An impact as a process (docs/theory/laws.md, (L7)-(L10)): while positions rest, the percussions of the contacts that
 * touch grow, and the velocities s = (g_dot, gamma, gN_dot, gamma_F) follow them,
 *
 *     M du = W dP,   g_dot = 0,  gamma = 0,   dP_F = -mu dP_N gamma_F/|gamma_F|,  or within the ball at rest (L7)
 *
 * in compression until no contact approaches, (L8), then in expansion as far as the law of each contact says. */
#ifndef CAROM_PROCESS_H
#define CAROM_PROCESS_H

#include "integrator/impact.h"

/* A contact in the process. */
typedef struct process_contact {
    const law *law;
    bool touches, active, rebounds; /* active: it takes part now; rebounds: its expansion is not over */
    double e, speed;                /* restitution in effect, -gN_dot before */
    double compression, absorbed;   /* percussion and work of the compression */
    bool closed;                    /* in this piece gN_dot grows at least at the rate rise */
    double rise, rate; /* rate: of the percussion that is given, to which that of closed contacts is added */
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
    double *ds, *dP;                 /* [ns] rates of s and P */
    double *stage;                   /* [6][2 ns] both at places in a piece that turns */
    double pace;                     /* a piece may be so long, as far as the last one tells */
    double *zero;                    /* [max(nu, ns)] */
    double *e;                       /* [contacts] room */
    bool stiff;                      /* the last piece that turned was taken by the implicit method */
    int spent;                       /* on the pieces of an impact */
    double fastest, still;           /* the fastest velocity before; velocities up to still count as zero */
    bool expands;                    /* the second phase */
    bool unended;                    /* no percussion ends the compression or the expansion: rebounds are left out */
    double *memory;
} process;

process *process_create(const carom_model *model); /* NULL: out of memory */
void process_destroy(process *p);

/* Does an impact of `of` need a process: does a contact strike whose law has an expansion, or one of a sequence? */
bool process_needed(const impact *of, double tolerance);
/* Percussions of the impact into p->now.P, up to where it ends or no percussions lead on. report: iterations. */
void process_run(process *p, const impact *of, double tolerance, solver_report *report);
/* Percussions of the process to those P of the problem that followed it; a contact that pressed in it was closed. */
void process_add(const process *p, problem *after, double *P);

#endif
