/* The equations of motion as expressions: everything carom_model_def asks for, derived from a formula_def.
 * docs/theory/formulas.md, labels F3 to F15. */
#ifndef CAROM_FORMULA_EQUATIONS_H
#define CAROM_FORMULA_EQUATIONS_H

#include "formula_model.h"
#include "model/pool.h"
#include "switches.h"

#include <stddef.h>

/* Sparse rows of expressions that are not identically zero; h_q and b_q also have the blocks of the elastic elements,
 * as the number zero. */
typedef struct expr_matrix {
    int rows, cols;
    int *start, *index; /* as in carom_pattern */
    expr *value;
} expr_matrix;

typedef struct equations {
    const formula_def *def;
    graph *g;
    int nc, ns;                    /* rows of c and s */
    int first_q, first_u, first_w; /* symbols; w is v in M v and r in W r */
    bool trivial;                  /* q_dot = u */
    bool rheonomic;                /* chi in s = W^T u + chi is not zero */

    expr *q_dot, *p, *h, *b, *c, *s, *zeta;
    expr energy[2]; /* T, V */
    expr power[2];  /* power, G */
    expr_matrix B, q_dot_q, M, Mv_q, h_q, h_u, p_q, b_q, b_u, c_q, WT, s_q, Wr_q, d_q;

    pool memory;         /* everything allocated */
    expr_entry *entries; /* one gradient */
    expr *rest;          /* [nu] zeros: velocities at rest */
} equations;

/* part and index tell what is wrong where the status is CAROM_DATA. Destroy in any case. */
carom_status equations_derive(const formula_def *def, equations *e, formula_part *part, int *index, carom_error *error);
void equations_destroy(equations *e);

/* The complaint about a velocity without a mass. */
carom_status equations_singular(const formula_def *def, int velocity, carom_error *error);

/* Adds the transpositional force Gamma^T p to b, and finds out whether q_dot = B u + beta is integrable. */
carom_status transpositional_force(equations *e, bool *integrable);

/* The switches of everything the equations depend on; NULL: out of memory. */
switches *equations_switches(equations *e);

/* Memory that lives as long as the equations; NULL: none left. */
void *equations_memory(equations *e, size_t count, size_t size);
/* d(values)/d(symbols first .. first + cols) */
bool equations_jacobian(equations *e, const expr *values, int rows, int first, int cols, expr_matrix *result);
/* de/dt along the motion, velocities held: e_t + e_q q_dot (F3) */
expr equations_rate(equations *e, expr x);

#endif
