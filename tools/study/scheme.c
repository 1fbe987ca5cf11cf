#include "study/scheme.h"

#include "error.h"
#include "integrator/integrator.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const integrator *type, const char *name) {
    for (int i = 0; type && i < type->info.option_count; i++) {
        const carom_option_info *o = &type->info.options[i];
        if (!strcmp(o->name, name)) return !strncmp(o->values, "number", 6) || !strncmp(o->values, "integer", 7);
    }
    return false;
}

/* "stages=3". Text in place of a number stays text; the integrator refuses it. */
static carom_status read_option(scheme *s, char *word, carom_error *error) {
    char *equals = strchr(word, '='), *end;
    if (!equals || equals == word || !equals[1])
        return carom_error_set(error, CAROM_DATA, "'%s': an option is 'name=value', not '%s'", s->label, word);
    *equals = '\0';
    carom_option *o = &s->options[s->option_count++];
    *o = (carom_option){.name = word, .text = equals + 1};
    for (int i = 0; i < s->option_count - 1; i++)
        if (!strcmp(s->options[i].name, word))
            return carom_error_set(error, CAROM_DATA, "'%s': option '%s' is given twice", s->label, word);
    if (!is_number(integrator_find(s->integrator), word)) return CAROM_OK;
    o->number = strtod(o->text, &end);
    if (!*end) o->text = NULL;
    return CAROM_OK;
}

carom_status scheme_read(const char *text, scheme *s, carom_error *error) {
    size_t words = 1;
    for (const char *c = text; *c; c++) words += *c == ':';
    *s = (scheme){.label = strdup(text), .text = strdup(text), .options = calloc(words, sizeof *s->options)};
    carom_status status = s->label && s->text && s->options ? CAROM_OK : carom_error_memory(error);
    char *rest = s->text;
    if (!status) s->integrator = strsep(&rest, ":");
    if (!status && !s->integrator[0])
        status = carom_error_set(error, CAROM_DATA, "an integrator has no name (carom list integrators)");
    while (rest && !status) status = read_option(s, strsep(&rest, ":"), error);
    if (status) scheme_destroy(s);
    return status;
}

carom_status schemes_read(const char *list, scheme **schemes, int *count, carom_error *error) {
    size_t room = 1;
    for (const char *c = list; *c; c++) room += *c == ',';
    *count = 0;
    *schemes = calloc(room, sizeof **schemes);
    char *copy = strdup(list), *rest = copy;
    carom_status status = *schemes && copy ? CAROM_OK : carom_error_memory(error);
    while (rest && !status) {
        status = scheme_read(strsep(&rest, ","), &(*schemes)[*count], error);
        for (int i = 0; i < *count && !status; i++)
            if (!strcmp((*schemes)[i].label, (*schemes)[*count].label)) {
                status = carom_error_set(error, CAROM_DATA, "'%s' is given twice", (*schemes)[i].label);
                scheme_destroy(&(*schemes)[*count]);
            }
        if (!status) ++*count;
    }
    free(copy);
    if (status) {
        schemes_destroy(*schemes, *count);
        *schemes = NULL;
        *count = 0;
    }
    return status;
}

void scheme_destroy(scheme *s) {
    free(s->label);
    free(s->text);
    free(s->options);
    *s = (scheme){0};
}

void schemes_destroy(scheme *schemes, int count) {
    for (int i = 0; i < count; i++) scheme_destroy(&schemes[i]);
    free(schemes);
}

carom_run_def scheme_run(const scheme *s, const carom_run_def *run) {
    carom_run_def result = *run;
    if (!s) return result;
    result.integrator = s->integrator;
    result.options = s->options;
    result.option_count = s->option_count;
    return result;
}
