/* Reading recipes: what their parts have in common. */
#ifndef CAROM_REPRODUCE_READ_H
#define CAROM_REPRODUCE_READ_H

#include "reproduce/recipe.h"

typedef struct recipe_reader {
    recipes *all;
    const paper_recipe *paper;
    figure_recipe *figure;
    arena *memory;
    carom_error *error;
} recipe_reader;

/* The text of a key; *text keeps its value where the key is missing. what: for complaints, "a claim". */
carom_status recipe_text(const recipe_reader *r, const node *map, const char *key, const char **text);
carom_status recipe_flag(const recipe_reader *r, const node *map, const char *key, bool *flag);
/* A number or a formula of numbers; *value keeps its value where the key is missing. */
carom_status recipe_number(const recipe_reader *r, const node *map, const char *key, double *value);
carom_status recipe_constant(const recipe_reader *r, const node *text, double *value);
/* The entries of a list, or a single entry that is no list; *count = 0 where the key is missing. */
const node *recipe_entries(const node *list, int *count);
/* Memory for count things, at least one. NULL with the error. */
void *recipe_room(const recipe_reader *r, int count, size_t size);
/* The index of the source that key 'of' names; -1 where the key is missing. */
carom_status recipe_source(const recipe_reader *r, const node *map, const char *key, int *place);
/* The formula of a node, with the names of a source at hand. */
carom_status recipe_formula(const recipe_reader *r, const node *text, int home, formula *q);

carom_status read_sources(recipe_reader *r, const node *root);
/* The path of the scene that key 'scene' names, or that the text is. where: for complaints. */
carom_status recipe_scene(const recipe_reader *r, const node *where, const node *text, const char **path);
/* Values of 'set', "key=value". */
carom_status recipe_settings(const recipe_reader *r, const node *set, const char **words, int *count);

carom_status read_sketches(recipe_reader *r, const node *given);
carom_status read_pictures(recipe_reader *r, const node *list);
carom_status read_tables(recipe_reader *r, const node *list);
carom_status read_claims(recipe_reader *r, const node *list);

#endif
