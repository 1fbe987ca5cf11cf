/* Loops that several threads share if carom was built with OpenMP (CAROM_OPENMP); otherwise one thread does everything.
 * Results do not depend on the number of threads, since no sum is formed across threads: each part of a loop keeps its
 * own sum, and these are added in order. */
#ifndef CAROM_THREADS_H
#define CAROM_THREADS_H

#include <stdbool.h>

#ifdef _OPENMP
static const bool has_threads = true;
#define THREADS_PRAGMA(...) _Pragma(#__VA_ARGS__)
/* Every thread runs the block that follows. */
#define THREADS_EACH(count) THREADS_PRAGMA(omp parallel num_threads(count))
/* Inside of it: the threads divide the loop that follows, and wait for each other at its end. */
#define THREADS_DIVIDE THREADS_PRAGMA(omp for schedule(static))
/* One of them runs the statement that follows. */
#define THREADS_FIRST THREADS_PRAGMA(omp master)
/* Each, and divided. */
#define THREADS_LOOP(count) THREADS_PRAGMA(omp parallel for num_threads(count) schedule(static))
#else
static const bool has_threads = false;
#define THREADS_EACH(count)
#define THREADS_DIVIDE
#define THREADS_FIRST
#define THREADS_LOOP(count) (void)(count);
#endif

#endif
