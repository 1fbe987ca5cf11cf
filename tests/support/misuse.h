/* Misuse of an interface, tried in a process of its own. */
#ifndef CAROM_TEST_MISUSE_H
#define CAROM_TEST_MISUSE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether an assertion ends it. A misuse that hangs is killed after ten seconds, and then none has. */
static inline bool is_asserted(void (*misuse)(void *), void *on) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        alarm(10);
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        misuse(on);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
