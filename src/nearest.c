/* "Did you mean": other names for the same thing, then names that are spelled alike, then those that sound alike. */
#include "error.h"

#include <string.h>

/* Names that other programs use, and the name here. */
static const char *const aliases[][2] = {
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"pivot", "revolute"},
    {"rotary", "revolute"},
    {"slider", "prismatic"},
    {"slide", "prismatic"},
    {"translational", "prismatic"},
    {"ball", "spherical"},
    {"ball_joint", "spherical"},
    {"socket", "spherical"},
    {"cardan", "universal"},
    {"hooke", "universal"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"rod", "distance"},
    {"rope", "distance"},
    {"cuboid", "box"},
    {"cube", "box"},
    {"rectangle", "box"},
    {"circle", "disk"},
    {"disc", "disk"},
    {"ball", "sphere"},
    {"pill", "capsule"},
    {"halfspace", "plane"},
    {"rigid", "spatial"},
    {"particle", "point"},
    {"bushing", "springs"},
    {"damper", "springs"},
    {"spring_damper", "springs"},
    {"actuator", "loads"},
    {"motor", "loads"},
    {"wrench", "loads"},
    {"mu", "friction"},
    {"bounce", "restitution"},
    {"k", "stiffness"},
    {"c", "damping"},
    {"quaternion", "rotation"},
    {"orientation", "rotation"},
    {"ln", "log"},
    {"arctan", "atan"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"arctan2", "atan2"},
    {"fabs", "abs"},
    {"sgn", "sign"},
    {"product", "prod"},
    {"galpha", "generalized_alpha"},
    {"timestep", "dt"},
    {"step", "dt"},
    {"end", "until"},
    {"duration", "until"},
    {"method", "integrator"},
    {"kinetic_energy", "kinetic"},
    {"potential_energy", "potential"},
    {"bearing", "revolute"},
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

static const char *find_alias(const char *name, const char *const *candidates, int count) {
    for (int k = 0; k < ALIASES; k++)
        for (int i = 0; i < count && strcmp(aliases[k][0], name) == 0; i++)
            if (strcmp(aliases[k][1], candidates[i]) == 0) return candidates[i];
    return NULL;
}

/* Optimal string alignment distance, three rows. */
enum { LONGEST = 64 };

static int distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    if (na >= LONGEST || nb >= LONGEST) return LONGEST;
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[na % 3][nb];
}

/* Letters that sound like others, longer ones first. */
static const char *const sounds[][2] = {{"cks", "x"}, {"ks", "x"}, {"ck", "k"}, {"ph", "f"}, {"c", "k"}, {"z", "s"}};
enum { SOUNDS = sizeof sounds / sizeof *sounds };

/* The next sound, and how many letters it takes. */
static size_t hear(const char *name, char *sound) {
    for (int k = 0; k < SOUNDS; k++)
        if (strncmp(name, sounds[k][0], strlen(sounds[k][0])) == 0)
            return *sound = sounds[k][1][0], strlen(sounds[k][0]);
    return *sound = *name, 1;
}

/* Writes a name as it sounds, double letters once: "bocks" as "box". */
static void sound_out(const char *name, char to[LONGEST]) {
    char sound;
    int n = 0;
    while (*name && n + 1 < LONGEST) {
        name += hear(name, &sound);
        if (n == 0 || to[n - 1] != sound) to[n++] = sound;
    }
    to[n] = '\0';
}

static const char *find_sound(const char *name, const char *const *candidates, int count) {
    char own[LONGEST], other[LONGEST];
    sound_out(name, own);
    for (int i = 0; i < count; i++) {
        sound_out(candidates[i], other);
        if (strcmp(own, other) == 0) return candidates[i];
    }
    return NULL;
}

/* A third of the letters of the longer word may differ, at least one. */
static int most_errors(int a, int b) {
    const int longer = a > b ? a : b;
    return longer < 3 ? 1 : longer / 3;
}

const char *carom_nearest(const char *name, const char *const *candidates, int count) {
    const char *nearest = find_alias(name, candidates, count);
    if (nearest) return nearest;
    const int length = (int)strlen(name);
    if (length < 2 || length >= LONGEST) return NULL;
    for (int i = 0, best = LONGEST; i < count; i++) {
        const int d = distance(name, candidates[i]);
        if (d >= best || d > most_errors(length, (int)strlen(candidates[i]))) continue;
        best = d;
        nearest = candidates[i];
    }
    const bool found = nearest;
    for (int i = 0; i < count && !found && length >= 3; i++) {
        bool begins = strncmp(candidates[i], name, (size_t)length) == 0;
        if (begins && (!nearest || strlen(candidates[i]) < strlen(nearest))) nearest = candidates[i];
    }
    return nearest ? nearest : find_sound(name, candidates, count);
}
