/* Sweeps over the contacts of islands, eight at a time: those of one island that share no body that moves are solved
 * together, as if one after the other; and small islands side by side, a contact of each. */
#include "friction/heap_inside.h"
#include "threads.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- several at a time */

#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

static double sum_of(const lanes x) {
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/* A sum over all parts, in their order, of which each has its own at an offset; of small islands contact by contact. */
static double add_parts(const heap *h, size_t offset) {
    lanes sum = {0};
    double one = 0;
    for (const heap_part *x = h->part; x < h->part + h->parts; x++) {
        const double *own = (const double *)((const char *)x + offset);
        for (int l = 0; l < LANES; l++) {
            if (h->small) one += own[l];
            else sum[l] += own[l];
        }
    }
    return h->small ? one : sum_of(sum);
}

/* (FC11), (FC22) */
static double error_of(double missed, double size, double sunk) {
    return missed == 0 ? 0 : fmax(sqrt(missed / size), sunk);
}

static double error_of_parts(const heap *h, double *worst) {
    double sunk = 0;
    *worst = 0;
    for (const heap_part *x = h->part; x < h->part + h->parts; x++)
        for (int l = 0; l < LANES; l++) {
            if (x->error.worst[l] > *worst) *worst = x->error.worst[l];
            if (x->error.sunk[l] > sunk) sunk = x->error.sunk[l];
        }
    return error_of(add_parts(h, offsetof(heap_part, error.missed)), add_parts(h, offsetof(heap_part, error.size)),
                    sunk);
}

#define WIDE 4
#define LANED(name) name##_plain
#define LANED_INLINE static inline
#define LANED_ALONE __attribute__((noinline)) static
#include "friction/heap_lanes.h"
#undef LANED
#undef LANED_INLINE
#undef LANED_ALONE

/* The same for the registers of AVX2 and of AVX-512, chosen by the processor. Sums and products are the same numbers:
 * none is contracted. */
#if defined(__x86_64__)
#define LANED(name) name##_avx2
#define LANED_INLINE __attribute__((target("avx2"))) static inline
#define LANED_ALONE __attribute__((target("avx2"), noinline)) static
#include "friction/heap_lanes.h"
#undef LANED
#undef LANED_INLINE
#undef LANED_ALONE
#undef WIDE

#define WIDE 8
#define LANED(name) name##_avx512
#define LANED_INLINE __attribute__((target("avx512f"))) static inline
#define LANED_ALONE __attribute__((target("avx512f"), noinline)) static
#include "friction/heap_lanes.h"
#undef LANED
#undef LANED_INLINE
#undef LANED_ALONE
#endif
#undef WIDE

static island_report solve_island(heap *h, const heap_island *s, heap_aim aim, int most) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return share_avx512(h, s, aim, most);
    if (__builtin_cpu_supports("avx2")) return share_avx2(h, s, aim, most);
#endif
    return share_plain(h, s, aim, most);
}

void heap_crowd_sweep(heap *h, const heap_crowd *c, sweep_effect *sum) {
    *sum = (sweep_effect){0};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) sweep_crowd_avx512(h, c, sum);
    else if (__builtin_cpu_supports("avx2")) sweep_crowd_avx2(h, c, sum);
    else
#endif
        sweep_crowd_plain(h, c, sum);
}

void heap_crowd_measure(heap *h, const heap_crowd *c, double error[LANES], double worst[LANES]) {
    law_error sum = {0};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) measure_crowd_avx512(h, c, &sum);
    else if (__builtin_cpu_supports("avx2")) measure_crowd_avx2(h, c, &sum);
    else
#endif
        measure_crowd_plain(h, c, &sum);
    for (int l = 0; l < LANES; l++)
        error[l] = error_of(sum.missed[l], sum.size[l], sum.sunk[l]), worst[l] = sum.worst[l];
}

/* ---------------------------------------------------------------- all islands */

heap_report heap_solve(heap *h, heap_aim aim, int most) {
    heap_report report = {.solved = true};
    int first[HEAP_COLOURS + 1];
    const bool together = heap_crowd_solve(h, aim, most, &report);
    for (int k = 0; k < h->islands && report.solved; k++) {
        if (together && heap_is_small(&h->island[k])) continue;
        if (!heap_pack(h, &h->island[k], first)) return (heap_report){.solved = false};
        const island_report of = solve_island(h, &h->island[k], aim, most);
        if (of.sweeps > 0) heap_unpack(h, &h->island[k], first);
        heap_add_report(&report, aim, &of);
    }
    return report;
}
