#include "stop.h"

#include <stddef.h>

static _Thread_local const volatile sig_atomic_t *asked;

void stop_on(const volatile sig_atomic_t *flag) {
    asked = flag;
}

bool stop_asked(void) {
    return asked && *asked;
}
