/* Modes as a result: each is shown for a while, one after the other, for plots, pictures and films. */
#ifndef CAROM_MODES_RECORD_H
#define CAROM_MODES_RECORD_H

#include "modes/modes.h"

/* Each mode moves for two periods in two seconds. amplitude: of the coordinate that moves most; 0: such that the
 * drawing moves by a tenth of its size. */
carom_status modes_record(const char *path, const carom_scene *scene, const modes_answer *answer, double amplitude,
                          carom_error *error);

#endif
