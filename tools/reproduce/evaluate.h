/* From results to claims, tables and pictures. */
#ifndef CAROM_EVALUATE_H
#define CAROM_EVALUATE_H

#include "reproduce/recipe.h"

/* Reads the results of the jobs of a figure, measures its claims and cells, and draws its pictures into the folder. The
 * figure and its claims record what could not be evaluated. Any other status than CAROM_OK: nothing can be written. */
carom_status evaluate_figure(recipes *r, const paper_recipe *p, figure_recipe *f, const char *assets,
                             carom_error *error);

/* ---- between the files of this folder */

/* CAROM_OK with values. CAROM_FAILED: the source was left out (q->skip) or failed. CAROM_DATA: the formula is wrong. */
carom_status evaluate_formula(const figure_recipe *f, formula *q, measured *m, carom_error *error);
/* The table of a comparison, which has been computed. */
carom_status fill_comparison(recipes *r, const source *s, table_recipe *t, carom_error *error);
carom_status draw_pictures(recipes *r, const paper_recipe *p, figure_recipe *f, const char *assets, carom_error *error);

#endif
