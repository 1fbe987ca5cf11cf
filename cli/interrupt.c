#include "interrupt.h"

#include <stddef.h>
#include <unistd.h>

#include "cli.h"

volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

/* A signal handler: calls only what is safe there. */
static void end(int signal_number) {
    (void)signal_number;
    static const char text[] = "carom: interrupted\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(EXIT_INTERRUPTED);
    _exit(EXIT_INTERRUPTED);
}

/* nohup ignores SIGHUP; keep it ignored. */
static void install(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, &action, &before) == 0 && before.sa_handler == SIG_IGN) sigaction(SIGHUP, &before, NULL);
}

void end_on_signals(void) {
    install(end);
}

void catch_signals(void) {
    install(interrupt);
}
