#include "result/seal.h"

#include "hash.h"
#include "scene/signature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

seal_head seal_make(uint64_t id, uint64_t size, uint64_t sums) {
    seal_head head = {.id = id, .size = size, .sums = sums};
    memcpy(head.magic, SEAL_MAGIC, sizeof head.magic);
    head.sum = hash_bytes(0, &head, offsetof(seal_head, sum));
    return head;
}

bool seal_is_whole(const seal_head *head) {
    return memcmp(head->magic, SEAL_MAGIC, sizeof head->magic) == 0 &&
           head->sum == hash_bytes(0, head, offsetof(seal_head, sum));
}

/* ---- blocks */

size_t seal_blocks(uint64_t size) {
    return (size_t)((size + SEAL_BLOCK - 1) / SEAL_BLOCK);
}

bool seal_fit(seal_sums *sums, uint64_t size) {
    size_t count = seal_blocks(size);
    if (count > sums->room) {
        size_t room = 2 * count;
        uint64_t *of = realloc(sums->of, room * sizeof *of);
        if (!of) return errno = ENOMEM, false;
        sums->of = of;
        sums->room = room;
    }
    if (count > sums->count) memset(sums->of + sums->count, 0, (count - sums->count) * sizeof *sums->of);
    sums->count = count;
    return true;
}

void seal_forget(seal_sums *sums, uint64_t at, uint64_t size) {
    for (uint64_t b = at / SEAL_BLOCK; b < sums->count && b * SEAL_BLOCK < at + size; b++) sums->of[b] = 0;
}

void seal_clear(seal_sums *sums) {
    free(sums->of);
    *sums = (seal_sums){0};
}

/* ---- sums of content. The head has a sum of its own. */

static bool sum_block(size_t block, uint64_t size, seal_reader *read, void *context, void *buffer, uint64_t *sum) {
    uint64_t at = block ? (uint64_t)block * SEAL_BLOCK : SEAL_HEAD, end = ((uint64_t)block + 1) * SEAL_BLOCK;
    if (end > size) end = size;
    size_t length = end > at ? (size_t)(end - at) : 0;
    if (!read(context, at, length, buffer)) return false;
    *sum = hash_bytes(block, buffer, length);
    if (*sum == 0) *sum = 1; /* 0 means unknown */
    return true;
}

bool seal_complete(seal_sums *sums, uint64_t size, seal_reader *read, void *context) {
    void *buffer = malloc(SEAL_BLOCK);
    bool fine = buffer && seal_fit(sums, size);
    if (!fine) errno = ENOMEM;
    for (size_t b = 0; fine && b < sums->count; b++)
        if (sums->of[b] == 0) fine = sum_block(b, size, read, context, buffer, &sums->of[b]);
    free(buffer);
    return fine;
}

bool seal_compare(const seal_sums *sums, uint64_t size, seal_reader *read, void *context, size_t *block) {
    void *buffer = malloc(SEAL_BLOCK);
    bool fine = buffer != NULL;
    if (!fine) errno = ENOMEM;
    for (*block = 0; fine && *block < sums->count; ++*block) {
        uint64_t sum;
        fine = sum_block(*block, size, read, context, buffer, &sum);
        if (fine && sum != sums->of[*block]) break;
    }
    free(buffer);
    return fine;
}
