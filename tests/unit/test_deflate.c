/* Chunks that carom compresses: zlib and the filter shuffle make them again what they were. */
#include "result/deflate.h"
#include "result/prefix_code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static uint64_t seed = 1;

/* The upper bits of a linear congruential generator, which are random enough. */
static uint32_t any_bits(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* Compresses count rows of a chunk and compares what zlib and shuffle make of them. Returns the size. */
static size_t check_chunk(deflater *d, const double *values, size_t rows, size_t columns, size_t count) {
    const size_t numbers = rows * columns;
    unsigned char *planes = malloc(numbers * 8);
    uLongf length = numbers * 8;
    size_t size;
    const unsigned char *bytes = deflater_run(d, values, count, &size);
    assert_int_equal(uncompress(planes, &length, bytes, size), Z_OK);
    assert_int_equal(length, numbers * 8);
    for (size_t i = 0; i < numbers; i++)
        for (size_t k = 0; k < 8; k++) {
            const unsigned char expected = i < count * columns ? ((const unsigned char *)&values[i])[k] : 0;
            assert_int_equal(planes[k * numbers + i], expected);
        }
    free(planes);
    return size;
}

static void fill_with_noise(double *values, size_t count) {
    unsigned char *bytes = (unsigned char *)values;
    for (size_t i = 0; i < count * sizeof *values; i++) bytes[i] = (unsigned char)(any_bits() >> 24);
}

static void chunks_are_deflated(void **state) {
    (void)state;
    enum { CHUNK = 1024, FEW = 200 }; /* bytes around planes that are stored */
    double sine[CHUNK], integers[CHUNK], noise[CHUNK], half[CHUNK] = {0};
    for (int i = 0; i < CHUNK; i++) sine[i] = sin(i * 0.1), integers[i] = i;
    fill_with_noise(noise, CHUNK);
    fill_with_noise(half, CHUNK / 2);
    deflater *d = deflater_create(CHUNK, 1);
    for (int round = 0; round < 5; round++) {
        assert_true(check_chunk(d, sine, CHUNK, 1, CHUNK) < sizeof sine);             /* signs and exponents repeat */
        assert_true(check_chunk(d, integers, CHUNK, 1, CHUNK) < sizeof integers / 4); /* six of eight bytes are zero */
        assert_true(check_chunk(d, noise, CHUNK, 1, CHUNK) < sizeof noise + FEW);
        assert_true(check_chunk(d, half, CHUNK, 1, CHUNK) < 0.6 * sizeof half); /* noise does not hide the zeros */
        check_chunk(d, round % 2 ? sine : integers, CHUNK, 1, 700);
    }
    deflater_destroy(d);
}

/* Columns that rest have the same bytes in every row: each row but the first takes next to nothing, whatever the
 * distance of its rows. */
static void resting_columns_take_nothing(void **state) {
    (void)state;
    const size_t columns[] = {1, 2, 3, 4, 5, 8, 33, 100, 1000, 5000};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        const size_t width = columns[k], rows = 20;
        double *values = malloc(rows * width * sizeof *values);
        fill_with_noise(values, width);
        for (size_t i = width; i < rows * width; i++) values[i] = values[i - width];
        deflater *d = deflater_create(rows, width);
        /* a row as it is; a byte for each 64 that repeat; heads */
        assert_true(check_chunk(d, values, rows, width, rows) < width * 8 + rows * width * 8 / 64 + 8 * 200);
        check_chunk(d, values, rows, width, 1);
        check_chunk(d, values, rows, width, 0);
        deflater_destroy(d);
        free(values);
    }
}

/* Bytes of any frequencies, with runs of any length: steps of zeros and numbers of few bits. */
static void anything_comes_back(void **state) {
    (void)state;
    for (int round = 0; round < 400; round++) {
        const size_t rows = 1 + any_bits() % 600, width = 1 + any_bits() % (round % 4 ? 3 : 200);
        double *values = malloc(rows * width * sizeof *values);
        const unsigned rare = 1 + any_bits() % 30;
        for (size_t i = 0; i < rows * width; i++) {
            const uint32_t power = any_bits() % rare;
            values[i] = any_bits() % 3 ? 0 : (double)(any_bits() >> power % 32) * pow(2, (double)(any_bits() % rare));
            if (i >= width && any_bits() % 5) values[i] = values[i - width];
        }
        deflater *d = deflater_create(rows, width);
        assert_true(check_chunk(d, values, rows, width, rows) < rows * width * 8 + 8 * 5 + 16);
        deflater_destroy(d);
        free(values);
    }
}

/* ---- codes */

/* Bits of the shortest code: the sum of all inner nodes of Huffman's tree. */
static uint64_t huffman_bits(const uint32_t *count) {
    uint64_t weight[CODE_SYMBOLS], sum = 0;
    int left = 0;
    for (int s = 0; s < CODE_SYMBOLS; s++)
        if (count[s]) weight[left++] = count[s];
    for (; left > 1; left--) {
        for (int place = 0; place < 2; place++) /* the lightest two to the end */
            for (int i = 0; i < left - 1 - place; i++)
                if (weight[i] < weight[left - 1 - place]) {
                    const uint64_t moved = weight[i];
                    weight[i] = weight[left - 1 - place];
                    weight[left - 1 - place] = moved;
                }
        weight[left - 2] += weight[left - 1];
        sum += weight[left - 2];
    }
    return sum;
}

/* Codes of any counts, from equal ones to powers of two, are complete and no longer than 15 bits. Words as long as
 * Shannon's are, log2 of the total over the count, rounded up: no longer than a bit more, and 0.05 = log2(1.035) for
 * what is added to rare symbols. All of them together are within 2 % of Huffman's. */
static void codes_are_short(void **state) {
    (void)state;
    double all = 0, least = 0;
    for (int round = 0; round < 2000; round++) {
        prefix_code code;
        uint32_t count[CODE_SYMBOLS] = {0}, words = 0;
        const int number = 2 + (int)(any_bits() % (CODE_SYMBOLS - 1));
        const unsigned spread = 1 + (unsigned)round % 24;
        double length = 0, total = 0, entropy = 0;
        for (int s = 0; s < number; s++) total += count[s] = 1 + (any_bits() >> 8) % (1u << any_bits() % spread);
        prefix_code_choose(&code, count);
        for (int s = 0; s < CODE_SYMBOLS; s++) {
            assert_true((code.bits[s] > 0) == (count[s] > 0) && code.bits[s] <= CODE_LONGEST);
            if (!count[s]) continue;
            words += 1u << (CODE_LONGEST - code.bits[s]);
            length += (double)count[s] * code.bits[s];
            entropy += count[s] * log2(total / count[s]);
        }
        assert_int_equal(words, 1u << CODE_LONGEST);
        assert_true(length <= entropy + 1.05 * total);
        all += length / total;
        least += (double)huffman_bits(count) / total;
    }
    assert_true(all < 1.02 * least);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_are_deflated),
                                       cmocka_unit_test(resting_columns_take_nothing),
                                       cmocka_unit_test(anything_comes_back), cmocka_unit_test(codes_are_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
