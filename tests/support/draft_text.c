#include "support/draft_text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void draft_add(draft_text *d, const char *format, ...) {
    va_list values;
    va_start(values, format);
    d->used += (size_t)vsnprintf(d->text + d->used, sizeof d->text - d->used, format, values);
    va_end(values);
    assert(d->used < sizeof d->text);
}
