#include "interrupt.h"

#include <stddef.h>

volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

/* nohup ignores SIGHUP, and so it stays. */
void catch_signals(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, &action, &before) == 0 && before.sa_handler == SIG_IGN) sigaction(SIGHUP, &before, NULL);
}
