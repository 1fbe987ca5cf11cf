#include "result/blocks.h"

#include "result/prefix_code.h"

#include <stdlib.h>

enum { SHORTEST = 3, LONGEST = 258, END = 256, LENGTHS = 257, SYMBOLS = 286, DISTANCES = 30 };
typedef enum way { STORED, FIXED, CHOSEN } way; /* kinds of blocks, by their number in the format */

/* The symbol of a length or distance, and the bits that follow it. */
typedef struct part {
    uint16_t symbol, rest;
    unsigned char extra;
} part;

/* What stands before a block with a code of its own: the lengths of its words. */
typedef struct head {
    int symbols, distances, parts;
    part part[SYMBOLS + DISTANCES];
} head;

struct packer {
    size_t back;     /* the distance */
    uint16_t *token; /* a byte, or END and the length of a match */
    size_t tokens, matches;
    size_t extra; /* bits that follow the symbols of lengths */
    uint32_t count[CODE_SYMBOLS];
    way way;
    head head;
    prefix_code fixed, chosen, of_lengths;
    part length[LONGEST + 1], distance;
};

/* ---- tables of the format */

/* Numbers share symbols in groups: `plain` of one number each, then `of_a_size` groups of 2, as many of 4, ... */
static part find_part(size_t number, int plain, int of_a_size) {
    size_t first = 0;
    int symbol = 0, extra = 0;
    for (; number >= first + ((size_t)1 << extra); symbol++) {
        first += (size_t)1 << extra;
        if (symbol + 1 >= plain && (symbol + 1 - plain) % of_a_size == 0) extra++;
    }
    return (part){(uint16_t)symbol, (uint16_t)(number - first), (unsigned char)extra};
}

/* Lengths of words are sent as symbols of a code of their own, which is always the same here: 0 to 15, and two symbols
 * for runs of zeros. Its last four, in the order of sending, have five bits, the others four. */
enum { LENGTH_SYMBOLS = 19, FEW_ZEROS = 17, MANY_ZEROS = 18, FIVE_BITS = 4 };
static const unsigned char length_order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                           11, 4,  12, 3, 13, 2, 14, 1, 15};

static void make_tables(packer *p) {
    for (size_t n = SHORTEST; n < LONGEST; n++) {
        p->length[n] = find_part(n - SHORTEST, 8, 4);
        p->length[n].symbol += LENGTHS;
    }
    p->length[LONGEST] = (part){.symbol = SYMBOLS - 1};
    p->distance = find_part(p->back - 1, 4, 2);
    for (int s = 0; s < CODE_SYMBOLS; s++) p->fixed.bits[s] = s < 144 ? 8 : s < END ? 9 : s < 280 ? 7 : 8;
    for (int i = 1; i < LENGTH_SYMBOLS; i++)
        p->of_lengths.bits[length_order[i]] = i < LENGTH_SYMBOLS - FIVE_BITS ? 4 : 5;
    prefix_code_assign(&p->fixed);
    prefix_code_assign(&p->of_lengths);
}

packer *packer_create(size_t most, size_t distance) {
    packer *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->back = distance;
    p->token = malloc(most * sizeof *p->token);
    make_tables(p);
    if (p->token) return p;
    packer_destroy(p);
    return NULL;
}

void packer_destroy(packer *p) {
    if (!p) return;
    free(p->token);
    free(p);
}

/* ---- what repeats */

/* How many bytes are equal. */
static size_t count_equal(const unsigned char *a, const unsigned char *b, size_t most) {
    size_t n = 0;
    for (uint64_t of_a, of_b; n + sizeof of_a <= most; n += sizeof of_a) {
        memcpy(&of_a, a + n, sizeof of_a);
        memcpy(&of_b, b + n, sizeof of_b);
        if (of_a != of_b) break;
    }
    while (n < most && a[n] == b[n]) n++;
    return n;
}

static void add_byte(packer *p, unsigned char byte) {
    p->token[p->tokens++] = byte;
}

static void add_length(packer *p, size_t length) {
    p->token[p->tokens++] = (uint16_t)(END + length);
    p->matches++;
}

/* A run, in matches as long as they may be, and none too short. */
static void add_run(packer *p, size_t length) {
    for (; length >= LONGEST + SHORTEST; length -= LONGEST) add_length(p, LONGEST);
    if (length > LONGEST) add_length(p, length - SHORTEST), length = SHORTEST;
    add_length(p, length);
}

static void find_tokens(packer *p, const unsigned char *bytes, size_t count, size_t back) {
    p->tokens = p->matches = 0;
    size_t i = 0;
    for (; i + back < p->back && i < count; i++) add_byte(p, bytes[i]);
    for (size_t n; i < count; i += n) {
        const unsigned char *here = bytes + i, *before = here - p->back;
        n = *here == *before ? count_equal(here, before, count - i) : 1;
        if (n >= SHORTEST) add_run(p, n);
        else
            for (size_t k = 0; k < n; k++) add_byte(p, bytes[i + k]);
    }
}

/* ---- the head of a block with a code of its own */

/* The lengths of the words of symbols and, after them, of distances. Only one distance occurs: its word has one bit. */
static void make_head(packer *p) {
    head *h = &p->head;
    unsigned char of[SYMBOLS + DISTANCES] = {0};
    h->symbols = SYMBOLS;
    while (!p->chosen.bits[h->symbols - 1]) h->symbols--;
    h->distances = p->matches ? p->distance.symbol + 1 : 1;
    memcpy(of, p->chosen.bits, (size_t)h->symbols);
    of[h->symbols + h->distances - 1] = p->matches > 0;
    h->parts = 0;
    for (int i = 0, n; i < h->symbols + h->distances; i += n) {
        const int left = h->symbols + h->distances - i;
        for (n = 0; n < left && n < 138 && of[i + n] == 0;) n++;
        part next = {.symbol = MANY_ZEROS, .rest = (uint16_t)(n - 11), .extra = 7};
        if (n < 11) next = (part){.symbol = FEW_ZEROS, .rest = (uint16_t)(n - 3), .extra = 3};
        if (n < 3) next = (part){.symbol = of[i]}, n = 1;
        h->part[h->parts++] = next;
    }
}

static size_t measure_head(const packer *p) {
    size_t sum = 5 + 5 + 4 + 3 * LENGTH_SYMBOLS;
    for (const part *of = p->head.part; of < p->head.part + p->head.parts; of++)
        sum += (size_t)p->of_lengths.bits[of->symbol] + of->extra;
    return sum;
}

static void put_part(bits *to, const prefix_code *code, part p) {
    bits_put(to, code->word[p.symbol], code->bits[p.symbol]);
    bits_put(to, p.rest, p.extra);
}

static void put_head(const packer *p, bits *to) {
    const head *h = &p->head;
    bits_put(to, (uint32_t)h->symbols - LENGTHS, 5);
    bits_put(to, (uint32_t)h->distances - 1, 5);
    bits_put(to, LENGTH_SYMBOLS - 4, 4);
    for (int i = 0; i < LENGTH_SYMBOLS; i++) bits_put(to, p->of_lengths.bits[length_order[i]], 3);
    for (int i = 0; i < h->parts; i++) put_part(to, &p->of_lengths, h->part[i]);
}

/* ---- blocks */

/* The bits of the tokens in the fixed code, as far as `most`. */
static size_t measure_few(const packer *p, size_t most) {
    const prefix_code *code = &p->fixed;
    size_t sum = code->bits[END] + p->matches * (size_t)(5 + p->distance.extra);
    for (const uint16_t *token = p->token, *end = token + p->tokens; token < end && sum < most; token++)
        if (*token < END) sum += code->bits[*token];
        else sum += (size_t)code->bits[p->length[*token - END].symbol] + p->length[*token - END].extra;
    return sum;
}

static void count_symbols(packer *p) {
    memset(p->count, 0, sizeof p->count);
    p->count[END] = 1;
    p->extra = 0;
    for (const uint16_t *token = p->token, *end = token + p->tokens; token < end; token++)
        if (*token < END) p->count[*token]++;
        else p->count[p->length[*token - END].symbol]++, p->extra += p->length[*token - END].extra;
}

static size_t measure_tokens(const packer *p, const prefix_code *code, int distance_bits) {
    size_t sum = p->extra + p->matches * (size_t)(distance_bits + p->distance.extra);
    for (int s = 0; s < SYMBOLS; s++) sum += (size_t)p->count[s] * code->bits[s];
    return sum;
}

/* Words of distances in a block with fixed codes: five bits, the highest first. */
static uint32_t fixed_distance(const packer *p) {
    uint32_t word = 0;
    for (int i = 0; i < 5; i++) word |= (p->distance.symbol >> i & 1u) << (4 - i);
    return word;
}

/* word: of the distance */
static void put_tokens(const packer *p, bits *to, const prefix_code *code, uint32_t word, int word_bits) {
    bits b = *to; /* a copy, which the bytes that are written cannot be part of */
    for (const uint16_t *token = p->token, *end = token + p->tokens; token < end; token++) {
        if (*token < END) {
            bits_put(&b, code->word[*token], code->bits[*token]);
            continue;
        }
        put_part(&b, code, p->length[*token - END]);
        bits_put(&b, word, word_bits);
        bits_put(&b, p->distance.rest, p->distance.extra);
    }
    bits_put(&b, code->word[END], code->bits[END]);
    *to = b;
}

static void begin_block(bits *to, bool last, way w) {
    bits_put(to, last, 1);
    bits_put(to, w, 2);
}

/* A code of its own takes some 150 bits to tell. Where all would take few by the fixed code, as in a plane of nearly
 * equal bytes, it makes a result smaller by less than a hundredth, and costs a seventh of the time. */
enum { FEW_BITS = 2048 };

size_t packer_find(packer *p, const unsigned char *bytes, size_t count, size_t back) {
    find_tokens(p, bytes, count, back);
    const size_t few = measure_few(p, FEW_BITS);
    p->way = FIXED;
    if (few < FEW_BITS) return 3 + few;
    count_symbols(p);
    prefix_code_choose(&p->chosen, p->count);
    make_head(p);
    const size_t fixed = measure_tokens(p, &p->fixed, 5), chosen = measure_tokens(p, &p->chosen, 1) + measure_head(p);
    p->way = fixed < chosen ? FIXED : CHOSEN;
    return 3 + (fixed < chosen ? fixed : chosen);
}

void packer_put(packer *p, bits *to, bool last) {
    begin_block(to, last, p->way);
    if (p->way == CHOSEN) prefix_code_assign(&p->chosen), put_head(p, to), put_tokens(p, to, &p->chosen, 0, 1);
    else put_tokens(p, to, &p->fixed, fixed_distance(p), 5);
}

void put_stored(bits *to, const unsigned char *bytes, size_t count, bool last) {
    for (size_t some; count > 0; count -= some, bytes += some) {
        some = count < STORED_MOST ? count : STORED_MOST;
        begin_block(to, last && some == count, STORED);
        bits_end(to);
        bits_put(to, (uint32_t)(some | (some ^ 0xffff) << 16), 32);
        memcpy(to->to, bytes, some);
        to->to += some;
    }
}
