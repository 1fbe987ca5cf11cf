/* A model under test: its functions and their derivatives as one table, evaluated at states that can be moved. */
#ifndef CAROM_PROBE_H
#define CAROM_PROBE_H

#include "model/model.h"

enum { PROBE_STATES = 4, DERIVATIVES = 15 };

typedef struct state {
    double t, *q, *u;
} state;

typedef struct probe {
    const carom_model *model;
    const carom_model_def *def;
    state at[PROBE_STATES];       /* the initial state and states around it */
    state base, direction, now;   /* now = base + x direction is where the functions are evaluated */
    double *v, *r;                /* fixed factors in M v and W r */
    double *xi, *momentum;        /* symmetries and p */
    double *J, *factor;           /* values of one matrix, and of one that is multiplied */
    double *f, *d, *error, *work; /* values of one function; its derivative along direction, and the error of that */
    double *terms;                /* sizes of terms that cancel in the function that is differentiated; 0 unless set */
    int *side;                    /* of the switches at base */
    int rows;                     /* of the longest function */
    double *memory;
} probe;

bool probe_create(probe *p, const carom_model *model);
void probe_destroy(probe *p);

/* Rows and columns are named by the quantities they belong to. */
typedef enum axis { AXIS_Q, AXIS_U, AXIS_C, AXIS_S, AXIS_F, AXIS_CONTACT } axis;
typedef struct label {
    char text[80];
} label;
int probe_length(const probe *p, axis a);
label probe_name(const probe *p, axis a, int i);

typedef int (*probe_function)(probe *p, double *values); /* at p->now; anything but 0: not defined there */

typedef struct derivative {
    const char *text, *function; /* "dh/dq", "h" */
    probe_function value, matrix;
    const carom_pattern *pattern;
    axis rows, columns;
    bool given; /* the model has it */
} derivative;

/* Derivatives of one function are neighbours in the list. */
void probe_derivatives(const probe *p, derivative list[DERIVATIVES]);
int probe_q_dot(probe *p, double *f);
int probe_mass(probe *p, double *M);
int probe_force(probe *p, double *f);
int probe_p(probe *p, double *f);
int probe_b(probe *p, double *f);
int probe_c(probe *p, double *f);
int probe_s(probe *p, double *f);
int probe_mu(probe *p, const double *slip, int contact, double *mu,
             double *mu_slip);       /* for rows gamma_F of a contact */
int probe_H(probe *p, double *f);    /* E - G, one row */
int probe_maps(probe *p, double *f); /* xi^T p, a row for each symmetry; xi stays in p->xi */

/* base = now = s, direction = 0; switches are held on their sides at s. */
void probe_start(probe *p, const state *s);
/* d value / dx along the direction at base, into d with its estimated error. */
void probe_differentiate(probe *p, probe_function value, int n, double scale);

#endif
