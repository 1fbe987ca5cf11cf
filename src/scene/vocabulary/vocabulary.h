/* What a scene can say, in one table. The reader takes the keys of every map from it, 'carom list' and 'carom describe'
 * print it, and tests compare the guide with it. */
#ifndef CAROM_VOCABULARY_H
#define CAROM_VOCABULARY_H

#include "carom/carom.h"

/* A key of a map in a scene. */
typedef struct word_key {
    const char *name;
    const char *fallback; /* "required", the default, or "" */
    const char *meaning;
} word_key;

/* What surrounds an example: a scene of formulas in x and y, one with a declared velocity, one of bodies, or a beam. */
typedef enum word_stage { STAGE_FORMULAS, STAGE_VELOCITIES, STAGE_BODIES, STAGE_BEAMS } word_stage;

typedef struct scene_word {
    const char *name;
    const char *title;   /* one sentence */
    const char *section; /* the key of the scene, or of its model, under which the example stands */
    const char *example; /* an entry there, or its value */
    word_stage stage;
    const word_key *keys; /* ended by an empty one; NULL: it is no map */
} scene_word;

typedef struct word_family {
    const char *name;        /* "joints" */
    const char *title;       /* "how two bodies are held together" */
    const scene_word *words; /* ended by an empty one */
} word_family;

/* Ended by an empty one. */
extern const word_family vocabulary[];

const scene_word *vocabulary_find(const char *family, const char *name); /* NULL: none */
/* Fills keys with the names of the keys of a word, at most VOCABULARY_KEYS; returns their number. */
enum { VOCABULARY_KEYS = 40 };
int vocabulary_keys(const char *family, const char *name, const char *keys[VOCABULARY_KEYS]);
/* The same for all words of a family together. */
int vocabulary_all_keys(const char *family, const char *keys[VOCABULARY_KEYS]);
/* Is the example an entry "name: value" under its section, or the value of the section? */
bool vocabulary_is_entry(const scene_word *w);
/* A whole scene with the example of the word in it; to be freed. NULL: out of memory. */
char *vocabulary_scene(const scene_word *w);

extern const scene_word words_bodies[], words_shapes[], words_joints[], words_forces[], words_elastic[],
    words_contacts[], words_model[], words_scene[], words_parts[], words_functions[], words_laws[], words_drawings[];

#endif
