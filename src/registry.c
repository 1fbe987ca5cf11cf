#include "registry.h"

#include <ctype.h>

#include "error.h"

static bool is_name(const char *text) {
    if (!text || !(isalpha((unsigned char)text[0]) || text[0] == '_')) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

carom_status registry_add(registry *r, const void *descriptor, const char *name, bool taken, const char *lacking,
                          carom_error *error) {
    if (!is_name(name))
        return carom_error_set(error, CAROM_DATA, "the name of the %s must be a word of letters, digits and _",
                               r->what);
    if (taken) return carom_error_set(error, CAROM_DATA, "there is already %s '%s'", r->one, name);
    if (lacking) return carom_error_set(error, CAROM_DATA, "the %s '%s' needs %s", r->what, name, lacking);
    if (r->count == REGISTRY_ROOM)
        return carom_error_set(error, CAROM_DATA, "there is no place for more than %d of a program's own",
                               REGISTRY_ROOM);
    r->at[r->count++] = descriptor;
    return CAROM_OK;
}
