#include "result/prefix_code.h"

#include <string.h>

/* A word of b bits takes 2^-b of the words that there are. Here everything is counted in words of CODE_LONGEST bits. */
static uint32_t part_of(int bits) {
    return (uint32_t)1 << (CODE_LONGEST - bits);
}

/* Symbols that occur, and how often; none so rarely that its word would be too long. */
typedef struct symbols {
    int number;
    uint16_t symbol[CODE_SYMBOLS];
    uint64_t weight[CODE_SYMBOLS], total;
} symbols;

static void weigh(symbols *s, const uint32_t *count) {
    enum { RAREST = 1 << (CODE_LONGEST - 2) }; /* one bit in reserve for what is added, one for rounding */
    uint64_t total = 0;
    for (int i = 0; i < CODE_SYMBOLS; i++) total += count[i];
    s->number = 0;
    s->total = 0;
    for (int i = 0; i < CODE_SYMBOLS; i++) {
        if (!count[i]) continue;
        s->symbol[s->number] = (uint16_t)i;
        s->total += s->weight[s->number++] = count[i] + total / RAREST;
    }
}

/* log2(total / weight), rounded up. */
static int rounded_bits(uint64_t weight, uint64_t total) {
    const int bits = __builtin_clzll(weight) - __builtin_clzll(total);
    return bits + (weight << bits < total);
}

/* Begins with log2(total/weight) bits, rounded up. Then not all words are in use. What is left goes to the symbols
 * whose lengths were rounded most, a bit each, and at last to any. The longest words always find some left. */
void prefix_code_choose(prefix_code *code, const uint32_t count[CODE_SYMBOLS]) {
    symbols s;
    unsigned char quarters[CODE_SYMBOLS]; /* of total: a weight, times two to the power of its bits */
    uint32_t left = part_of(0);
    weigh(&s, count);
    memset(code->bits, 0, sizeof code->bits);
    for (int i = 0; i < s.number; i++) {
        const int bits = rounded_bits(s.weight[i], s.total);
        code->bits[s.symbol[i]] = (unsigned char)bits;
        quarters[i] = (unsigned char)(4 * (s.weight[i] << bits) / s.total);
        left -= part_of(bits);
    }
    for (int least = 7; left > 0; least = least > 4 ? least - 1 : 0)
        for (int i = 0; i < s.number && left > 0; i++) {
            unsigned char *bits = &code->bits[s.symbol[i]];
            if (quarters[i] < least || part_of(*bits) > left) continue;
            left -= part_of(*bits);
            --*bits;
            quarters[i] /= 2;
        }
}

static uint16_t reverse(unsigned word, int bits) {
    word = (word & 0x5555) << 1 | (word >> 1 & 0x5555);
    word = (word & 0x3333) << 2 | (word >> 2 & 0x3333);
    word = (word & 0x0f0f) << 4 | (word >> 4 & 0x0f0f);
    word = (word & 0x00ff) << 8 | (word >> 8 & 0x00ff);
    return (uint16_t)(word >> (16 - bits));
}

/* Words of one length follow each other in the order of their symbols, shorter ones come before longer ones. */
void prefix_code_assign(prefix_code *code) {
    unsigned number[CODE_LONGEST + 1] = {0}, next[CODE_LONGEST + 2] = {0};
    for (int s = 0; s < CODE_SYMBOLS; s++) number[code->bits[s]]++;
    number[0] = 0;
    for (int bits = 0; bits <= CODE_LONGEST; bits++) next[bits + 1] = (next[bits] + number[bits]) << 1;
    for (int s = 0; s < CODE_SYMBOLS; s++)
        if (code->bits[s]) code->word[s] = reverse(next[code->bits[s]]++, code->bits[s]);
}
