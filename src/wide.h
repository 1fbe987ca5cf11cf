/* Functions that are compiled for the registers of AVX2, too, where WIDE is known; the processor chooses. Sums and
 * products are the same numbers in both: none is contracted. */
#ifndef CAROM_WIDE_H
#define CAROM_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
#define IN_BOTH static inline __attribute__((always_inline))
#else
#define IN_BOTH static inline
#endif

#endif
