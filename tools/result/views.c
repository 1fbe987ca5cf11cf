#include "result/views.h"

#include "hash.h"
#include "result/chunks.h"
#include "result/h5.h"
#include "result/little_endian.h"

#include <stdlib.h>
#include <string.h>

/* ---- the header of a view: an object header of version 1 */

enum { NIL = 0, SPACE = 1, TYPE = 3, FILL = 5, LAYOUT = 8, FILTERS = 11, ATTRIBUTE = 12 };
enum { HEAD = 16, MESSAGE = 8, MESSAGES = 6 };
/* where what changes is */
enum { LINKS_AT = 4, SPACE_AT = HEAD, ROWS_AT = SPACE_AT + MESSAGE + 8, INDEX_AT = HEAD + 88 + MESSAGE + 3 };

static size_t padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

static unsigned char *put_bytes(unsigned char *to, const void *bytes, size_t count) {
    memcpy(to, bytes, count);
    return to + count;
}

/* The head of a message, and what it says, up to a multiple of eight bytes. */
static unsigned char *put_message(unsigned char *to, int kind, const void *body, size_t count) {
    put_number(put_number(to, (uint64_t)kind, 2), padded(count), 2);
    memcpy(to + MESSAGE, body, count);
    return to + MESSAGE + padded(count);
}

static unsigned char *put_layout(unsigned char *to, size_t chunk_rows) {
    unsigned char body[19] = {3, 2, 2}; /* version 3, chunks, one dimension and the size of a number */
    put_number(put_number(put_number(body + 3, HADDR_UNDEF, 8), chunk_rows, 4), sizeof(double), 4);
    return put_message(to, LAYOUT, body, sizeof body);
}

enum { UNIT_HEAD = 26 };

/* An attribute of version 3: a text in UTF-8 that ends with a zero byte. */
static unsigned char *put_unit(unsigned char *to, const char *unit, size_t room) {
    static const unsigned char head[9] = {3, 0, 5, 0, 8, 0, 4, 0, 0}, scalar[4] = {2};
    unsigned char type[8] = {0x13, 0x10};
    const size_t size = strlen(unit) + 1;
    put_number(type + 4, size, 4);
    put_number(put_number(to, ATTRIBUTE, 2), room, 2);
    unsigned char *body = put_bytes(put_bytes(to + MESSAGE, head, sizeof head), "unit", 5);
    put_bytes(put_bytes(put_bytes(body, type, sizeof type), scalar, sizeof scalar), unit, size);
    return to + MESSAGE + room;
}

/* Until it is linked, it has no message about its space. So HDF5 takes it for a type, and links it in half of the time.
 */
static void put_header(unsigned char *to, size_t bytes, const char *unit, size_t unit_room, size_t chunk_rows) {
    static const unsigned char space[24] = {[0] = 1, 1, 1, [16] = 255, 255, 255, 255, 255, 255, 255, 255},
                               number[20] = {0x11, 0x20, 63, 0,  8, 0,  0,    0,    0, 0,
                                             64,   0,    52, 11, 0, 52, 0xff, 0x03, 0, 0},
                               zero[16] = {2, 3, 2, 1, 8}, /* space when it is needed, zeros where there is none */
        filters[22] = {2, 2, 2, 0, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0}; /* shuffle, deflate */
    memset(to, 0, bytes);
    put_number(put_number(to, 1, 2), MESSAGES, 2);
    put_number(to + 8, bytes - HEAD, 4);
    to = put_message(to + HEAD, NIL, space, sizeof space);
    to = put_message(to, TYPE, number, sizeof number);
    to = put_message(to, FILL, zero, sizeof zero);
    to = put_layout(to, chunk_rows);
    to = put_message(to, FILTERS, filters, sizeof filters);
    put_unit(to, unit, unit_room);
}

/* ---- the index of a view: a B-tree of version 1, level by level */

enum { ENTRIES = 2 * CHUNKS_RANK, NODE_HEAD = 24, KEY = 24, ENTRY = KEY + 8 };
enum { NODE = NODE_HEAD + ENTRIES * ENTRY + KEY };

static size_t nodes_above(size_t entries) {
    return (entries + ENTRIES - 1) / ENTRIES;
}

static size_t count_nodes(size_t chunks) {
    size_t sum = 0, level = chunks;
    while (level > 1 || (level == 1 && sum == 0)) sum += level = nodes_above(level);
    return sum;
}

static unsigned char *put_key(unsigned char *to, const chunk *c) {
    return put_number(put_number(put_number(put_number(to, c->size, 4), c->mask, 4), c->row, 8), 0, 8);
}

/* One level of nodes, above entries; `at` is where it comes. The entries become those of the next level. */
static size_t put_level(unsigned char *to, uint64_t at, int level, chunk *entry, size_t entries, const chunk *end) {
    const size_t count = nodes_above(entries);
    for (size_t n = 0; n < count; n++, to += NODE) {
        const size_t first = n * ENTRIES, last = first + ENTRIES < entries ? first + ENTRIES : entries;
        const uint64_t here = at + n * NODE;
        memset(to, 0, NODE);
        unsigned char *next = put_bytes(to, "TREE\1", 5);
        next = put_number(put_number(next, (uint64_t)level, 1), last - first, 2);
        next = put_number(next, n > 0 ? here - NODE : HADDR_UNDEF, 8);
        next = put_number(next, n + 1 < count ? here + NODE : HADDR_UNDEF, 8);
        for (size_t i = first; i < last; i++) next = put_number(put_key(next, &entry[i]), entry[i].at, 8);
        put_key(next, last < entries ? &entry[last] : end);
        entry[n] = entry[first];
        entry[n].at = here;
    }
    return count;
}

/* Returns the number of nodes; the last of them is the root. */
static size_t put_index(unsigned char *to, uint64_t at, chunk *entry, size_t entries, const chunk *end) {
    size_t sum = 0;
    for (int level = 0; entries > 1 || (entries == 1 && sum == 0); level++, sum += entries)
        entries = put_level(to + sum * NODE, at + sum * NODE, level, entry, entries, end);
    return sum;
}

/* ---- the datasets that hold headers and indices */

#define HEADERS "#headers"
#define INDICES "#indices"
/* In front of the nodes: their number, and hashes of all headers and of all nodes. */
enum { SUMS = 24 };

static bool find_block(hid_t group, const char *name, uint64_t *at, size_t *bytes) {
    hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
    const haddr_t place = data >= 0 ? H5Dget_offset(data) : HADDR_UNDEF;
    if (data >= 0) *bytes = (size_t)H5Dget_storage_size(data), H5Dclose(data);
    *at = place;
    return place != HADDR_UNDEF;
}

static bool make_block(hid_t group, const char *name, size_t bytes, uint64_t *at) {
    hid_t space = H5Screate_simple(1, &(hsize_t){bytes}, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    hid_t data = H5Dcreate2(group, name, H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const haddr_t place = data >= 0 ? H5Dget_offset(data) : HADDR_UNDEF;
    if (data >= 0) H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
    *at = place;
    return place != HADDR_UNDEF;
}

/* ---- making */

static bool link_view(const views *v, uint64_t at, const char *name) {
    const char *slash = strrchr(name, '/');
    char *prefix = slash ? strndup(name, (size_t)(slash - name)) : NULL;
    hid_t place = slash ? prefix ? h5_group(v->group, prefix) : H5I_INVALID_HID : v->group;
    hid_t view = place >= 0 ? H5Oopen_by_addr(v->group, at - STORE_HEAD) : H5I_INVALID_HID;
    bool fine = view >= 0 && H5Olink(view, place, slash ? slash + 1 : name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    if (view >= 0) H5Oclose(view);
    if (slash && place >= 0) H5Gclose(place);
    free(prefix);
    return fine;
}

static size_t unit_room(const char *const *units, int columns) {
    size_t most = 0;
    for (int c = 0; units && c < columns; c++)
        if (strlen(units[c]) > most) most = strlen(units[c]);
    return padded(UNIT_HEAD + most + 1);
}

bool views_make(views *v, const char *const *names, const char *const *units, size_t chunk_rows) {
    const size_t unit = unit_room(units, v->columns);
    v->header = HEAD + 152 + MESSAGE + unit;
    unsigned char *headers = h5_memory((size_t)v->columns, v->header);
    bool fine = headers && make_block(v->group, HEADERS, (size_t)v->columns * v->header, &v->headers);
    for (int c = 0; c < v->columns && fine; c++)
        put_header(headers + (size_t)c * v->header, v->header, units ? units[c] : "", unit, chunk_rows);
    fine = fine && store_write(v->store, v->headers, (size_t)v->columns * v->header, headers);
    for (int c = 0; c < v->columns && fine; c++) fine = link_view(v, v->headers + (size_t)c * v->header, names[c]);
    free(headers);
    return fine;
}

bool views_open(views *v) {
    size_t bytes = 0;
    if (!find_block(v->group, HEADERS, &v->headers, &bytes)) return false;
    v->header = bytes / (size_t)v->columns;
    find_block(v->group, INDICES, &v->nodes, &v->room); /* there may be none yet */
    return true;
}

/* ---- showing */

enum { MOST_CHUNKS = 1 << 19 }; /* in memory at a time */

/* Some columns at a time: their chunks, by columns. */
typedef struct batch {
    size_t blocks;       /* chunks of a column at most */
    uint64_t end_row;    /* of the last of them */
    uint64_t first, end; /* columns */
    chunk *chunk;        /* [(end - first) * blocks] */
    size_t *count;       /* [columns] chunks that are stored */
} batch;

static bool has(const batch *b, const chunk *c) {
    return c->row < b->end_row && c->column >= b->first && c->column < b->end;
}

static void count_chunk(void *context, const chunk *c) {
    const batch *b = context;
    if (has(b, c)) b->count[c->column]++;
}

static void take_chunk(void *context, const chunk *c) {
    const batch *b = context;
    if (has(b, c)) b->chunk[(c->column - b->first) * b->blocks + b->count[c->column]++] = *c;
}

typedef struct sums {
    size_t nodes;
    uint64_t of_headers, of_nodes;
} sums;

/* Writes headers and indices of a batch. */
static bool show_batch(const views *v, const batch *b, long rows, sums *to) {
    const size_t columns = b->end - b->first, bytes = columns * v->header;
    const chunk end = {.row = b->end_row};
    const uint64_t headers_at = v->headers + b->first * v->header, nodes_at = v->nodes + SUMS + to->nodes * NODE;
    size_t most = 0, nodes = 0;
    for (size_t c = b->first; c < b->end; c++) most += count_nodes(b->count[c]);
    unsigned char *headers = h5_memory(bytes + 1, 1), *node = h5_memory(most + 1, NODE);
    bool fine = headers && node && store_read(v->store, headers_at, bytes, headers);
    for (size_t c = 0; c < columns && fine; c++) {
        unsigned char *header = headers + c * v->header;
        chunk *own = b->chunk + c * b->blocks;
        const uint64_t at = nodes_at + nodes * NODE - STORE_HEAD;
        const size_t count = put_index(node + nodes * NODE, at, own, b->count[b->first + c], &end);
        put_number(header + LINKS_AT, 1, 4);
        put_number(header + SPACE_AT, SPACE, 2);
        put_number(header + ROWS_AT, (uint64_t)rows, 8);
        put_number(header + INDEX_AT, count ? at + (count - 1) * NODE : HADDR_UNDEF, 8);
        to->of_headers = hash_bytes(to->of_headers, header, v->header);
        nodes += count;
    }
    for (size_t n = 0; n < nodes && fine; n++) to->of_nodes = hash_bytes(to->of_nodes, node + n * NODE, NODE);
    fine = fine && store_write(v->store, headers_at, bytes, headers) &&
           (nodes == 0 || store_write(v->store, nodes_at, nodes * NODE, node));
    to->nodes += nodes;
    free(headers);
    free(node);
    return fine;
}

static bool write_sums(const views *v, const sums *s) {
    unsigned char bytes[SUMS];
    put_number(put_number(put_number(bytes, s->nodes, 8), s->of_headers, 8), s->of_nodes, 8);
    return store_write(v->store, v->nodes, SUMS, bytes);
}

/* A run that goes on will need more nodes soon. */
static bool reserve_nodes(views *v, const batch *b, bool last) {
    size_t bytes = SUMS;
    for (int c = 0; c < v->columns; c++) bytes += count_nodes(b->count[c]) * NODE;
    if (bytes <= v->room) return true;
    if (v->room && H5Ldelete(v->group, INDICES, H5P_DEFAULT) < 0) return false;
    v->room = last ? bytes : bytes + bytes / 2;
    return make_block(v->group, INDICES, v->room, &v->nodes);
}

static bool show_all(views *v, batch *b, uint64_t part, hid_t values, long rows, bool last) {
    const uint64_t columns = (uint64_t)v->columns;
    sums s = {0};
    bool fine = chunks_visit(v->store, values, count_chunk, b) && reserve_nodes(v, b, last);
    for (b->first = 0; b->first < columns && fine; b->first = b->end) {
        b->end = b->first + part < columns ? b->first + part : columns;
        memset(b->count + b->first, 0, (b->end - b->first) * sizeof *b->count);
        fine = chunks_visit(v->store, values, take_chunk, b) && show_batch(v, b, rows, &s);
    }
    return fine && write_sums(v, &s);
}

bool views_show(views *v, hid_t values, long rows, size_t chunk_rows, bool last) {
    const size_t blocks = ((size_t)rows + chunk_rows - 1) / chunk_rows, columns = (size_t)v->columns;
    const size_t fit = MOST_CHUNKS / (blocks + 1) + 1, part = fit < columns ? fit : columns;
    batch b = {.blocks = blocks, .end_row = blocks * chunk_rows, .end = columns};
    b.chunk = h5_memory(part * blocks + 1, sizeof *b.chunk);
    b.count = h5_memory(columns + 1, sizeof *b.count);
    bool fine = b.chunk && b.count && show_all(v, &b, part, values, rows, last);
    free(b.chunk);
    free(b.count);
    return fine;
}

/* ---- reading */

static unsigned char *read_block(hid_t group, const char *name, size_t *bytes) {
    hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
    *bytes = data >= 0 ? (size_t)H5Dget_storage_size(data) : 0;
    unsigned char *block = h5_memory(*bytes + 1, 1);
    bool fine = data >= 0 && block && H5Dread(data, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0;
    if (data >= 0) H5Dclose(data);
    if (fine) return block;
    free(block);
    return NULL;
}

static uint64_t hash_parts(const unsigned char *from, size_t parts, size_t size) {
    uint64_t hash = 0;
    for (size_t i = 0; i < parts; i++) hash = hash_bytes(hash, from + i * size, size);
    return hash;
}

bool views_are_intact(hid_t group) {
    size_t bytes, room;
    unsigned char *headers = read_block(group, HEADERS, &bytes), *nodes = read_block(group, INDICES, &room);
    const size_t count = nodes && room >= SUMS ? get_number(nodes, 8) : 0;
    const size_t header = headers && bytes >= HEAD ? HEAD + get_number(headers + 8, 4) : bytes + 1;
    bool intact = headers && nodes && room >= SUMS && count <= (room - SUMS) / NODE && header <= bytes &&
                  hash_parts(headers, bytes / header, header) == get_number(nodes + 8, 8) &&
                  hash_parts(nodes + SUMS, count, NODE) == get_number(nodes + 16, 8);
    free(headers);
    free(nodes);
    return intact;
}
