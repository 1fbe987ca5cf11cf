/* A quantity of a result by its name: recorded, or derived from what is. */
#include "result/result.h"

#include "error.h"
#include "result/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name of letters, digits, underscores and dots is meant as a quantity or a force, not as a formula. */
static bool is_plain(const char *name) {
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.') return false;
    return true;
}

/* The force that 'NAME.force' means: that of a contact, or of the first row of a joint, whose percussion is
 * recorded. */
static bool find_force(const result_reader *r, const char *name, char force[80]) {
    static const char *const percussion[] = {".PN", "1.PN", ".P", "1.P"};
    const char *dot = strrchr(name, '.');
    if (!dot || strcmp(dot, ".force") || dot - name > 60) return false;
    for (int i = 0; i < 4; i++) {
        snprintf(force, 80, "%.*s%s", (int)(dot - name), name, percussion[i]);
        if (result_find(r, force) < 0) continue;
        strrchr(force, 'P')[0] = 'F';
        return true;
    }
    return false;
}

carom_status result_unknown(const result_reader *r, const char *name, carom_error *error) {
    int n = result_columns(r);
    char force[80];
    const char **names = malloc((size_t)(n + 1) * sizeof *names);
    if (!names) return carom_error_memory(error);
    for (int c = 0; c < n; c++) names[c] = result_name(r, c);
    const char *near = carom_nearest(name, names, n);
    free(names);
    if (strpbrk(name, "*?["))
        return carom_error_set(error, CAROM_DATA, "no quantity in %s matches '%s'", result_path(r), name);
    if (find_force(r, name, force))
        return carom_error_set(error, CAROM_DATA, "%s records no '%s'; forces are the percussions over dt, as '%s'",
                               result_path(r), name, force);
    if (near)
        return carom_error_set(error, CAROM_DATA, "%s records no '%s', did you mean '%s'?", result_path(r), name, near);
    return carom_error_set(error, CAROM_DATA,
                           "%s records no '%s': run it with --set 'run.record=[\"*\", %s]', if its scene knows that",
                           result_path(r), name, name);
}

carom_status result_quantity(result_reader *r, const char *name, int *column, carom_error *error) {
    *column = result_find(r, name);
    if (*column >= 0) return CAROM_OK;
    carom_status status = result_derive(r, name, column, error);
    return status == CAROM_DATA && is_plain(name) ? result_unknown(r, name, error) : status;
}
