/* The program gnuplot: a script in, a picture out. */
#ifndef CAROM_GNUPLOT_H
#define CAROM_GNUPLOT_H

#include "carom/carom.h"

#include <stdio.h>

/* Whether gnuplot is there: for those who compute for long before they draw. */
carom_status gnuplot_check(carom_error *error);
/* An empty temporary file for a script; NULL with the error. */
FILE *gnuplot_script(carom_error *error);
/* Runs the script (a file open for reading and writing) and stores what gnuplot writes to its standard output as path.
 */
carom_status gnuplot_run(FILE *script, const char *path, carom_error *error);

/* A picture, open for reading, as path. */
carom_status copy_picture(FILE *picture, const char *path, carom_error *error);

#endif
