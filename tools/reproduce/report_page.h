/* The parts of the page about the papers. */
#ifndef CAROM_REPORT_PAGE_H
#define CAROM_REPORT_PAGE_H

#include "reproduce/verdict.h"

#include <stdio.h>

/* "rattle-fig8": the anchor of a figure; figure NULL: of the paper. */
void page_anchor(FILE *out, const paper_recipe *paper, const figure_recipe *figure);
/* The beginning of a link there: <a href="#rattle-fig8"> */
void page_link(FILE *out, const paper_recipe *paper, const figure_recipe *figure);
/* One row per claim, of a figure or, figure NULL, of all with links to them. */
void page_claims(FILE *out, const recipes *r, const figure_recipe *figure);
/* Claims of a figure with this fate, as entries of a list with their reasons. */
void page_gathered(FILE *out, const paper_recipe *paper, const figure_recipe *figure, fate f);
/* The pictures, from folder/assets; tables, claims, sources. */
carom_status page_figure(FILE *out, const recipes *r, const char *folder, const paper_recipe *paper,
                         const figure_recipe *figure, carom_error *error);
/* Places at which the viewer shows the motion of a figure's systems: the runs of its storyboards, and a run of the
 * scene of each sketch, if there is one. */
carom_status page_motions(FILE *out, const recipes *r, const figure_recipe *figure, carom_error *error);
/* The viewer, once, behind all figures. */
carom_status page_viewer(FILE *out, const recipes *r, carom_error *error);
/* Commands and scenes of a figure that has some. */
void page_sources(FILE *out, const recipes *r, const figure_recipe *figure);

#endif
