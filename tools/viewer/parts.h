/* What every page is made of: the build puts it into the program. */
#ifndef CAROM_VIEWER_PARTS_H
#define CAROM_VIEWER_PARTS_H

extern const char viewer_page[];  /* HTML with style and program, and the places of the rest */
extern const char viewer_guest[]; /* what a page of something else needs to show motions, the same way */
extern const char viewer_three[]; /* three.js; empty: the build did not find it */

#endif
