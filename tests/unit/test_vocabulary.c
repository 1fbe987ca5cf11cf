/* The table of what scenes can say: complete, its examples run, and the guide says the same. */
#include "error.h"
#include "model/element/joint.h"
#include "model/element/shape.h"
#include "model/formula/expr.h"
#include "scene/scene.h"
#include "scene/vocabulary/vocabulary.h"
#include "support/folder.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- complete: whatever another table of the code names is there */

static void test_complete(void **state) {
    (void)state;
    for (int i = 0; i < OP_COUNT; i++)
        if (*op_name((op)i) && !vocabulary_find("functions", op_name((op)i))) fail_msg("no word %s", op_name((op)i));
    for (int i = 0; joint_names[i]; i++) assert_non_null(vocabulary_find("joints", joint_names[i]));
    for (int i = 0; shape_names[i]; i++) assert_non_null(vocabulary_find("shapes", shape_names[i]));
    for (int i = 0; i < carom_laws(); i++) assert_non_null(vocabulary_find("laws", carom_law(i)->name));
}

/* ---- examples: every one is a scene that runs to its end, and its section is one that scenes know */

static void run_example(const char *family, const scene_word *w) {
    carom_error error = {0};
    carom_scene *scene = NULL;
    carom_sim *sim = NULL;
    char *text = vocabulary_scene(w);
    assert_non_null(text);
    carom_status status = scene_load_text(text, strlen(text), w->name, NULL, &scene, &error);
    if (!status) status = scene_validate_start(scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, &error);
    if (status) fail_msg("%s %s: %s in\n%s", family, w->name, error.message, text);
    if (!strstr(text, w->example)) fail_msg("%s %s: the scene lacks the example", family, w->name);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    free(text);
}

static void test_examples(void **state) {
    (void)state;
    int count = 0;
    FILE *signal = fopen(in_folder("signal.csv"), "w"); /* for the example of 'table' */
    assert_non_null(signal);
    fputs("0, 1\n0.01, 2\n0.1, 1\n", signal);
    fclose(signal);
    assert_int_equal(chdir(the_folder()), 0);
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++, count++) run_example(f->name, w);
    assert_int_equal(chdir(CAROM_SOURCE_DIR), 0);
    assert_true(count > 60);
}

/* An example shows the word itself: as a function, a type, a key or a section. */
static void test_examples_show_the_word(void **state) {
    (void)state;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++) {
            bool shown = strstr(w->example, w->name) || !strcmp(w->section, w->name) || f->words == words_laws ||
                         f->words == words_scene || !strcmp(w->name, "round");
            if (!shown) fail_msg("%s %s does not occur in %s", f->name, w->name, w->example);
        }
}

/* ---- the guide */

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Is the name set in code somewhere: the first word after a backtick, or after a brace, comma or space within it? */
static bool mentions(const char *guide, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(guide, name); at; at = strstr(at + 1, name))
        if (at > guide && strchr("` {", at[-1]) && !in_name(at[length])) {
            const char *line = at;
            while (line > guide && line[-1] != '\n') line--;
            if (memchr(line, '`', (size_t)(at - line)) || !strncmp(line, "    ", 4)) return true;
        }
    return false;
}

static void test_guide_has_all(void **state) {
    (void)state;
    char *guide[] = {read_all("docs/guide/scene.md"), read_all("docs/guide/elements.md"),
                     read_all("docs/guide/formulas.md")};
    int missing = 0;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++)
            for (const word_key *k = w->keys; k && k->name; k++) {
                bool found = false;
                for (int i = 0; i < 3; i++) found = found || mentions(guide[i], k->name);
                if (!found) printf("the guide does not mention %s of %s\n", k->name, w->name), missing++;
            }
    for (const scene_word *w = words_functions; w->name; w++)
        if (!mentions(guide[2], w->name)) printf("formulas.md does not mention %s\n", w->name), missing++;
    assert_int_equal(missing, 0);
    for (int i = 0; i < 3; i++) free(guide[i]);
}

static bool is_known(const char *name, size_t length) {
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++)
            for (const word_key *k = w->keys; k && k->name; k++)
                if (strlen(k->name) == length && !strncmp(k->name, name, length)) return true;
    for (int i = 0; i < carom_integrators(); i++)
        for (int o = 0; o < carom_integrator(i)->option_count; o++) {
            const char *option = carom_integrator(i)->options[o].name;
            if (strlen(option) == length && !strncmp(option, name, length)) return true;
        }
    return false;
}

/* The first cells of a table whose head is "| key |". */
static int check_tables(char *guide, const char *path) {
    int wrong = 0;
    bool inside = false;
    for (char *line = strtok(guide, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != '|') inside = false;
        if (!strncmp(line, "| key |", 7)) inside = true;
        char *end = inside ? strstr(line + 1, " |") : NULL;
        for (char *at = line; end && (at = strchr(at, '`')) && at < end; at = strchr(at + 1, '`') + 1) {
            size_t length = 0;
            while (in_name(at[1 + length])) length++;
            if (is_known(at + 1, length)) continue;
            printf("%s: %.*s is no key\n", path, (int)length, at + 1);
            wrong++;
        }
    }
    return wrong;
}

static void test_guide_has_nothing_else(void **state) {
    (void)state;
    const char *const paths[] = {"docs/guide/scene.md", "docs/guide/elements.md"};
    int wrong = 0;
    for (int i = 0; i < 2; i++) {
        char *guide = read_all(paths[i]);
        wrong += check_tables(guide, paths[i]);
        free(guide);
    }
    assert_int_equal(wrong, 0);
}

/* ---- other names for the same thing */

static void test_aliases(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"hinge", "revolute"},
                                           {"slider", "prismatic"},
                                           {"weld", "fixed"},
                                           {"revolut", "revolute"},
                                           {"rope", "distance"}};
    int count = 0;
    while (joint_names[count]) count++;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(carom_nearest(pairs[i][0], joint_names, count), pairs[i][1]);
    assert_string_equal(carom_nearest("ball", joint_names, count), "spherical");
    assert_string_equal(carom_nearest("ball", shape_names, SHAPE_KINDS), "sphere");
    assert_null(carom_nearest("hinge", shape_names, SHAPE_KINDS));
    const char *keys[VOCABULARY_KEYS];
    assert_string_equal(carom_nearest("bodys", keys, vocabulary_keys("scene", "model", keys)), "bodies");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_examples_show_the_word),
        cmocka_unit_test(test_guide_has_all),
        cmocka_unit_test(test_guide_has_nothing_else),
        cmocka_unit_test(test_aliases),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
