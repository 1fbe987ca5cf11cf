/* The format of HDF5 1.8, as table_make asks for it: an object header of version 2 without attributes, a layout of
 * version 3, and a B-tree of version 1 that is ordered by rows, then columns. */
#include "result/chunks.h"

#include "result/little_endian.h"

#include <string.h>

enum {
    HEADER_MOST = 1024,
    LAYOUT = 8,
    LAYOUT_VERSION = 3,
    CHUNKED = 2,
    DIMENSIONS = 3 /* the last one: of a number */
};
enum { NODE_HEAD = 24, KEY = 8 + 8 * DIMENSIONS, ENTRY = KEY + 8, ENTRIES = 2 * CHUNKS_RANK };
enum { NODE = NODE_HEAD + ENTRIES * ENTRY + KEY, CHUNK_NODE = 1, DEEPEST = 64 };

static bool get_address(hid_t object, uint64_t *at) {
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t info;
    bool fine = H5Oget_info1(object, &info) >= 0;
#else
    H5O_info_t info;
    bool fine = H5Oget_info(object, &info) >= 0;
#endif
    if (fine) *at = info.addr;
    return fine;
}

/* The root of the index, from the messages in an object header; HADDR_UNDEF: no chunk is stored. */
static bool find_root(const unsigned char *header, size_t size, uint64_t *root) {
    if (memcmp(header, "OHDR", 4) != 0) return false;
    const unsigned flags = header[5];
    const size_t width = (size_t)1 << (flags & 3), head = flags & 4 ? 6 : 4;
    size_t at = 6 + (flags & 0x20 ? 16u : 0u) + (flags & 0x10 ? 4u : 0u);
    const uint64_t length = get_number(header + at, (int)width);
    at += width;
    const size_t end = at + length < size ? at + length : size;
    for (size_t bytes; at + head <= end; at += head + bytes) {
        const unsigned char *body = header + at + head;
        bytes = get_number(header + at + 1, 2);
        if (header[at] != LAYOUT || body + bytes > header + end) continue;
        *root = get_number(body + 3, 8);
        return body[0] == LAYOUT_VERSION && body[1] == CHUNKED && body[2] == DIMENSIONS;
    }
    return false;
}

typedef struct walk {
    store *s;
    chunk_visitor *visit;
    void *context;
} walk;

static chunk read_entry(const unsigned char *entry) {
    return (chunk){.size = (uint32_t)get_number(entry, 4),
                   .mask = (uint32_t)get_number(entry + 4, 4),
                   .row = get_number(entry + 8, 8),
                   .column = get_number(entry + 16, 8),
                   .at = get_number(entry + KEY, 8)};
}

/* NOLINTNEXTLINE(misc-no-recursion): levels decrease */
static bool visit_node(const walk *w, uint64_t at, int most) {
    unsigned char node[NODE];
    if (!store_read(w->s, at + STORE_HEAD, NODE, node) || memcmp(node, "TREE", 4) != 0 || node[4] != CHUNK_NODE)
        return false;
    const int level = node[5], entries = (int)get_number(node + 6, 2);
    bool fine = level <= most && entries <= ENTRIES;
    for (int i = 0; i < entries && fine; i++) {
        const chunk c = read_entry(node + NODE_HEAD + (size_t)i * ENTRY);
        if (level == 0) w->visit(w->context, &c);
        else fine = visit_node(w, c.at, level - 1);
    }
    return fine;
}

bool chunks_visit(store *s, hid_t values, chunk_visitor *visit, void *context) {
    unsigned char header[HEADER_MOST];
    uint64_t at, root;
    if (!get_address(values, &at)) return false;
    const uint64_t left = store_size(s) - at - STORE_HEAD;
    const size_t size = left < sizeof header ? (size_t)left : sizeof header;
    if (!store_read(s, at + STORE_HEAD, size, header) || !find_root(header, size, &root)) return false;
    return root == HADDR_UNDEF || visit_node(&(walk){s, visit, context}, root, DEEPEST);
}
