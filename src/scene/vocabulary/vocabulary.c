#include "vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const word_family vocabulary[] = {
    {"scene", "the keys of a scene and what stands under them", words_scene},
    {"model", "models by formulas", words_model},
    {"bodies", "what has mass, and frames", words_bodies},
    {"shapes", "of bodies, for mass, contacts and pictures", words_shapes},
    {"joints", "types of joints between two bodies", words_joints},
    {"forces", "what acts on bodies and coordinates", words_forces},
    {"elastic", "flexible bodies", words_elastic},
    {"contacts", "what touches", words_contacts},
    {"laws", "of contacts and joints", words_laws},
    {"drawings", "what pictures show of a scene of formulas", words_drawings},
    {"parts", "maps that stand inside others", words_parts},
    {"functions", "of formulas", words_functions},
    {0},
};

/* ---- looking up */

static const scene_word *find_in(const word_family *f, const char *name) {
    for (const scene_word *w = f->words; w->name; w++)
        if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

static const word_family *find_family(const char *name) {
    const word_family *f = vocabulary;
    while (f->name && strcmp(f->name, name) != 0) f++;
    return f->name ? f : NULL;
}

const scene_word *vocabulary_find(const char *family, const char *name) {
    const word_family *f = find_family(family);
    return f ? find_in(f, name) : NULL;
}

static int add_keys(const scene_word *w, const char *keys[VOCABULARY_KEYS], int count) {
    for (const word_key *k = w ? w->keys : NULL; k && k->name; k++) {
        int i = 0;
        while (i < count && strcmp(keys[i], k->name) != 0) i++;
        if (i == count && count < VOCABULARY_KEYS) keys[count++] = k->name;
    }
    return count;
}

int vocabulary_keys(const char *family, const char *name, const char *keys[VOCABULARY_KEYS]) {
    return add_keys(vocabulary_find(family, name), keys, 0);
}

int vocabulary_all_keys(const char *family, const char *keys[VOCABULARY_KEYS]) {
    int count = 0;
    for (const scene_word *w = find_family(family)->words; w->name; w++) count = add_keys(w, keys, count);
    return count;
}

/* ---- examples as scenes */

/* What a stage has under a section. It stays beside the example, or makes place for it; or only a section needs it. */
typedef struct stage_line {
    word_stage stage;
    const char *section, *text;
    bool stays;
    const char *needed_by;
} stage_line;

static const stage_line lines[] = {
    {STAGE_FORMULAS, "coordinates", "x: 1", false, NULL},
    {STAGE_FORMULAS, "coordinates", "y: 1", true, NULL},
    {STAGE_FORMULAS, "kinetic", "(x_dot^2 + y_dot^2)/2", false, NULL},
    {STAGE_VELOCITIES, "coordinates", "angle: 0", true, NULL},
    {STAGE_VELOCITIES, "velocities", "w: 2", false, NULL},
    {STAGE_VELOCITIES, "kinematics", "angle: w", false, NULL},
    {STAGE_VELOCITIES, "kinetic", "w^2/2", false, NULL},
    {STAGE_BODIES, "gravity", "[0, 0, -9.81]", false, NULL},
    {STAGE_BODIES, "bodies", "arm: {type: spatial, mass: 1, shape: {box: [1, 0.1, 0.1]}, position: [0.5, 0, 1]}", true,
     NULL},
    {STAGE_BODIES, "bodies", "ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [2, 0, 1]}", true, NULL},
    {STAGE_BEAMS, "gravity", "[0, -9.81]", false, NULL},
    {STAGE_BEAMS, "beams",
     "arm: {type: planar, elements: 4, from: [0, 0], to: [2, 0], section: {circle: 0.01}, young: 1e7, density: 1e3}",
     true, NULL},
    {STAGE_BODIES, "bars", "left: {elements: 5, from: -1, to: 0, mass_per_length: 1, stiffness: 1}", true, "joins"},
    {STAGE_BODIES, "bars", "right: {elements: 5, from: 0.1, to: 1, mass_per_length: 1, stiffness: 1}", true, "joins"},
};
enum { LINES = sizeof lines / sizeof *lines };

static bool is_entry(const char *example) {
    size_t length = strspn(example, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return length > 0 && strncmp(example + length, ": ", 2) == 0;
}

static void write_entry(FILE *out, const char *section, const char *text, const char **open) {
    bool entry = is_entry(text);
    if (!entry || !*open || strcmp(*open, section) != 0) fprintf(out, "  %s:%s", section, entry ? "\n" : " ");
    fprintf(out, "%s%s\n", entry ? "    " : "", text);
    *open = entry ? section : NULL;
}

static void write_model(FILE *out, const scene_word *w, bool inside) {
    const char *open = NULL;
    bool written = !inside;
    for (int i = 0; i < LINES; i++) {
        const stage_line *l = &lines[i];
        if (l->stage != w->stage || (l->needed_by && strcmp(l->needed_by, w->section) != 0)) continue;
        bool here = inside && strcmp(l->section, w->section) == 0;
        if (here && !written) write_entry(out, w->section, w->example, &open), written = true;
        if (!here || l->stays) write_entry(out, l->section, l->text, &open);
    }
    if (!written) write_entry(out, w->section, w->example, &open);
}

static bool of_model(const scene_word *w) {
    const char *keys[VOCABULARY_KEYS];
    int count = vocabulary_keys("scene", "model", keys), i = 0;
    while (i < count && strcmp(keys[i], w->section) != 0) i++;
    return i < count;
}

bool vocabulary_is_entry(const scene_word *w) {
    return is_entry(w->example);
}

char *vocabulary_scene(const scene_word *w) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    bool inside = of_model(w), run = strcmp(w->section, "run") == 0;
    fputs("carom: 1\n", out);
    if (!inside) fprintf(out, "%s: %s\n", w->section, w->example);
    fputs("model:\n", out);
    write_model(out, w, inside);
    if (!run) fputs("run: {integrator: rattle, dt: 1e-3, until: 0.02}\n", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}
