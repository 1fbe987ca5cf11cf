/* Version and revision. The build writes the revision into a header of its own, so that a commit rebuilds this file
 * alone. */
#include "carom/carom.h"

#ifdef CAROM_REVISION_FILE
#include CAROM_REVISION_FILE
#else
#define CAROM_REVISION "unknown"
#endif

const char *carom_version(void) {
    return CAROM_VERSION;
}

const char *carom_revision(void) {
    return CAROM_REVISION;
}
