/* The parts of every page; the build puts them into the program. */
#ifndef CAROM_VIEWER_PARTS_H
#define CAROM_VIEWER_PARTS_H

extern const char viewer_page[];  /* HTML with style and program, and marks where the rest goes */
extern const char viewer_guest[]; /* the same for other pages that show motions */
extern const char viewer_three[]; /* three.js; empty: the build did not find it */

#endif
