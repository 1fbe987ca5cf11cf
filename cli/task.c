#include "task.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Names of variables that hold the number of a task, the number that the first task has, and how many tasks there are
 * or the number of the last one. */
typedef struct source {
    const char *number, *first, *count, *last;
} source;

static const source launchers[] = {{"OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_SIZE", NULL},
                                   {"PMI_RANK", NULL, "PMI_SIZE", NULL},
                                   {"SLURM_PROCID", NULL, "SLURM_STEP_NUM_TASKS", NULL}},
                    arrays[] = {{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", NULL, "SLURM_ARRAY_TASK_MAX"},
                                {"SGE_TASK_ID", "SGE_TASK_FIRST", NULL, "SGE_TASK_LAST"},
                                {"LSB_JOBINDEX", NULL, NULL, "LSB_JOBINDEX_END"}};

static bool read_variable(const char *name, long *value) {
    const char *text = name ? getenv(name) : NULL;
    char *end = NULL;
    *value = text ? strtol(text, &end, 10) : 0;
    return text && end != text && !*end;
}

static bool read_source(const source *s, sweep_task *task) {
    long number, first = 0, count, last;
    if (!read_variable(s->number, &number)) return false;
    if (!s->count && !read_variable(s->first, &first)) first = 1;
    if (!read_variable(s->count, &count)) count = read_variable(s->last, &last) ? last - first + 1 : 0;
    if (number < first || number - first >= count || count > INT_MAX) return false;
    *task = (sweep_task){(int)(number - first), (int)count};
    return true;
}

static carom_status read_text(const char *text, sweep_task *task, carom_error *error) {
    char *slash, *end = NULL;
    const long number = strtol(text, &slash, 10), of = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (slash == text || !end || end == slash + 1 || *end || number < 1 || number > of || of > 1000000)
        return carom_error_set(error, CAROM_DATA, "--task is I/N, the I-th of N parts, or 'array', not '%s'", text);
    *task = (sweep_task){(int)number - 1, (int)of};
    return CAROM_OK;
}

carom_status task_find(const char *text, task_found *found, carom_error *error) {
    *found = (task_found){.task = {0, 1}};
    if (text && strcmp(text, "array") != 0) return read_text(text, &found->task, error);
    for (size_t i = 0; text && i < sizeof arrays / sizeof *arrays; i++)
        if (read_source(&arrays[i], &found->task)) return CAROM_OK;
    if (text)
        return carom_error_set(error, CAROM_DATA,
                               "--task array: the environment tells no index of an array job; say --task I/N");
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !found->launched; i++)
        found->launched = read_source(&launchers[i], &found->task) && found->task.of > 1;
    return CAROM_OK;
}
