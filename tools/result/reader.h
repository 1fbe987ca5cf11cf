/* What the rest of result/ needs of a reader beyond result.h. */
#ifndef CAROM_READER_H
#define CAROM_READER_H

#include "result/result.h"

const char *result_path(const result_reader *reader);

#endif
