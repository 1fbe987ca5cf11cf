/* The run: integrator with its options, step size and end, what is recorded and plotted. */
#include "error.h"
#include "integrator/integrator.h"
#include "scene.h"
#include "vocabulary/vocabulary.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAST_STEPS = 1e-6; /* fewest steps of a run: a dt that leads to less was mistyped */

enum { MOST_OPTIONS = 32, MOST_CHOICES = 16 };

/* ---- numbers */

/* Reads run[key]. *given: whether the key is there; if not, *value is not changed. */
static carom_status positive(names *n, const node *run, const char *key, double *value, bool *given) {
    const node *text = yaml_find(run, key);
    *given = text != NULL;
    if (!text) return CAROM_OK;
    carom_status status = names_number(n, text, NULL, value);
    if (!status && !(*value > 0)) status = node_error(n->error, text, "'%s' must be positive, it is %g", key, *value);
    return status;
}

static carom_status required(names *n, const node *run, const char *key, double *value) {
    bool given;
    carom_status status = positive(n, run, key, value, &given);
    return status || given ? status : node_error(n->error, run->key, "the run has no '%s'", key);
}

static carom_status whole(names *n, const node *text, const char *key, double *value) {
    carom_status status = names_number(n, text, NULL, value);
    if (!status && *value != floor(*value))
        status = node_error(n->error, text, "'%s' must be a whole number, it is %g", key, *value);
    return status;
}

static carom_status read_every(carom_scene *scene, names *n, const node *run) {
    const node *text = yaml_find(run, "every");
    double every = 1;
    carom_status status = text ? whole(n, text, "every", &every) : CAROM_OK;
    if (!status && every < 1) status = node_error(n->error, text, "'every' must be at least 1, it is %g", every);
    if (!status && every > INT_MAX)
        status = node_error(n->error, text, "'every' must be at most %d, it is %.15g", INT_MAX, every);
    if (!status) scene->every = (int)every;
    return status;
}

/* ---- integrator */

static carom_status find_integrator(names *n, const node *run, const carom_integrator_info **info) {
    const node *text = yaml_find(run, "integrator");
    if (!text) return node_error(n->error, run->key, "the run has no 'integrator'");
    carom_status status = check_text(text, "'integrator'", n->error);
    const char **known = arena_get(n->memory, (size_t)(carom_integrators() + 1) * sizeof *known);
    if (!known) return carom_error_memory(n->error);
    for (int i = 0; i < carom_integrators() && !status; i++) {
        *info = carom_integrator(i);
        known[i] = (*info)->name;
        if (strcmp(known[i], text->text) == 0) return CAROM_OK;
    }
    return status ? status
                  : node_error_near(n->error, text, text->text, known, carom_integrators(),
                                    "unknown integrator '%.80s'", text->text);
}

/* values is "number ...", "integer ..." or a list of words "this | that" */
static carom_status read_option(names *n, const node *text, const carom_option_info *info, carom_option *option) {
    option->name = info->name;
    if (strncmp(info->values, "number", 6) == 0) return names_number(n, text, NULL, &option->number);
    if (strncmp(info->values, "integer", 7) == 0) return whole(n, text, info->name, &option->number);
    carom_status status = check_text(text, info->name, n->error);
    char *words = arena_text(n->memory, info->values, strlen(info->values)), *rest = NULL;
    const char *choices[MOST_CHOICES];
    int count = 0;
    if (!words) return carom_error_memory(n->error);
    option->text = text->text;
    for (char *word = strtok_r(words, " |", &rest); word && !status; word = strtok_r(NULL, " |", &rest)) {
        if (strcmp(word, text->text) == 0) return CAROM_OK;
        if (count < MOST_CHOICES) choices[count++] = word;
    }
    return status ? status
                  : node_error_near(n->error, text, text->text, choices, count, "'%s' must be %s, it is '%.80s'",
                                    info->name, info->values, text->text);
}

/* "lobatto, rattle": the integrators that have an option of this name. */
static void name_owners(const char *option, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        for (int k = 0; k < info->option_count && used < size; k++)
            if (strcmp(info->options[k].name, option) == 0)
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", info->name);
    }
}

/* Looks for an option that only other integrators have. */
static carom_status check_foreign(const node *run, const carom_integrator_info *info, carom_error *error) {
    for (const node *entry = run->first; entry; entry = entry->next) {
        char owners[160];
        bool own = false;
        for (int k = 0; k < info->option_count; k++) own = own || strcmp(info->options[k].name, entry->key->text) == 0;
        if (own) continue;
        name_owners(entry->key->text, owners, sizeof owners);
        if (owners[0])
            return node_error(error, entry->key, "integrator '%s' has no option '%s'; these have it: %s", info->name,
                              entry->key->text, owners);
    }
    return CAROM_OK;
}

static carom_status read_options(carom_scene *scene, names *n, const node *run, const carom_integrator_info *info) {
    const char *keys[VOCABULARY_KEYS + MOST_OPTIONS];
    int count = info->option_count < MOST_OPTIONS ? info->option_count : MOST_OPTIONS;
    int common = vocabulary_keys("scene", "run", keys);
    for (int i = 0; i < count; i++) keys[common + i] = info->options[i].name;
    char what[96];
    snprintf(what, sizeof what, "a run with integrator '%s'", info->name);
    carom_status status = check_foreign(run, info, n->error);
    if (!status) status = check_keys(run, what, keys, common + count, n->error);
    carom_option *options = arena_get(n->memory, (size_t)(count + 1) * sizeof *options);
    if (!status && !options) status = carom_error_memory(n->error);
    for (int i = 0; i < count && !status; i++) {
        const node *text = yaml_find(run, info->options[i].name);
        if (text) status = read_option(n, text, &info->options[i], &options[scene->run.option_count++]);
    }
    scene->run.options = options;
    return status;
}

static carom_status read_detection(carom_scene *scene, names *n, const node *run) {
    static const carom_option_info detection = {.name = "detection", .values = "discrete | continuous"};
    const node *text = yaml_find(run, detection.name);
    carom_option option = {0};
    if (!text) return CAROM_OK;
    carom_status status = read_option(n, text, &detection, &option);
    scene->run.continuous = !status && option.text[0] == 'c';
    return status;
}

/* ---- record and plot: a text or a list of texts */

static carom_status read_texts(names *n, const node *list, const char *what, const node ***texts, int *count) {
    *count = 0;
    if (!list) return CAROM_OK;
    bool single = list->kind == NODE_TEXT;
    if (!single && list->kind != NODE_LIST) return node_error(n->error, list, "'%s' must be a list of names", what);
    *texts = arena_get(n->memory, (size_t)(yaml_count(list) + 1) * sizeof **texts);
    if (!*texts) return carom_error_memory(n->error);
    for (const node *text = single ? list : list->first; text; text = single ? NULL : text->next) {
        if (text->kind != NODE_TEXT) return node_error(n->error, text, "'%s' must be a list of names", what);
        (*texts)[(*count)++] = text;
    }
    return CAROM_OK;
}

/* If both of two values are wrong together, complain where the last one was set: --set comes after the file and has no
 * line. */
static carom_status check_steps(const carom_scene *scene, names *n, const node *run) {
    const node *dt = yaml_find(run, "dt"), *until = yaml_find(run, "until");
    const node *where = dt->line && !until->line ? until : dt;
    double steps = scene->run.until / scene->run.dt;
    if (steps <= RUN_MOST_STEPS && steps >= LEAST_STEPS) return CAROM_OK;
    return node_error(n->error, where, "dt = %g is too %s for a run until %g", scene->run.dt,
                      steps < LEAST_STEPS ? "large" : "small", scene->run.until);
}

carom_status build_run(carom_scene *scene, names *n) {
    const node *run = yaml_find(scene->root, "run");
    const carom_integrator_info *info = NULL;
    bool given;
    scene->every = 1;
    scene->run = carom_run_default();
    if (!run) return node_error(n->error, scene->root, "the scene has no 'run'");
    if (run->kind != NODE_MAP) return node_error(n->error, run, "'run' must be a map");
    carom_status status = find_integrator(n, run, &info);
    if (!status) status = read_options(scene, n, run, info);
    if (!status) status = required(n, run, "dt", &scene->run.dt);
    if (!status) status = required(n, run, "until", &scene->run.until);
    if (!status) status = check_steps(scene, n, run);
    if (!status) status = positive(n, run, "tolerance", &scene->run.tolerance, &given);
    if (!status) status = read_detection(scene, n, run);
    if (!status) status = read_every(scene, n, run);
    if (!status) status = read_texts(n, yaml_find(run, "record"), "record", &scene->record, &scene->records);
    if (!status) status = read_texts(n, yaml_find(scene->root, "plot"), "plot", &scene->plot, &scene->plots);
    if (!status) scene->run.integrator = info->name;
    return status;
}
