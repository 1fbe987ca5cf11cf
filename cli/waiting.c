#include "waiting.h"

#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

enum { PERIOD = 200000000 }; /* nanoseconds between two lines */

static struct waiting {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    const char *what, *name;
    double started;
    bool ended, shown, threaded;
} one = {.mutex = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static struct timespec next_line(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += PERIOD;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static void *show_line(void *unused) {
    (void)unused;
    pthread_mutex_lock(&one.mutex);
    while (!one.ended) {
        struct timespec until = next_line();
        pthread_cond_timedwait(&one.over, &one.mutex, &until);
        double seconds = seconds_now() - one.started;
        if (one.ended || seconds < 1) continue;
        terminal_line("%s %s, %.0f s", one.what, one.name, seconds);
        one.shown = true;
    }
    pthread_mutex_unlock(&one.mutex);
    return NULL;
}

/* The thread blocks all signals: they are for the program. */
void waiting_begin(const char *what, const char *name) {
    sigset_t all, before;
    if (!terminal_shown()) return;
    one.what = what, one.name = name, one.started = seconds_now();
    one.ended = one.shown = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    one.threaded = pthread_create(&one.thread, NULL, show_line, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void waiting_end(void) {
    if (!one.threaded) return;
    pthread_mutex_lock(&one.mutex);
    one.ended = true;
    pthread_cond_signal(&one.over);
    pthread_mutex_unlock(&one.mutex);
    pthread_join(one.thread, NULL);
    one.threaded = false;
    if (one.shown) terminal_clear();
}
