#include "sweep/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "random.h"

enum { MOST_VALUES = 10000000, MOST_RUNS = 100000000 };

/* ---------------------------------------------------------------- its values */

static carom_status complain_axis(const char *text, carom_error *error) {
    return carom_error_set(error, CAROM_DATA,
                           "'%s' does not say what to vary: NAME=FIRST..LAST/NUMBER, NAME=1,2,3, or with --random "
                           "NAME=FIRST..LAST",
                           text);
}

/* The number ends at a comma, a slash or two dots: "4..6" begins with 4, not with "4.". */
static bool read_number(const char *text, double *value, const char **end) {
    char number[64], *rest;
    const char *dots = strstr(text, "..");
    size_t length = strcspn(text, ",/");
    if (dots && (size_t)(dots - text) < length) length = (size_t)(dots - text);
    if (length == 0 || length >= sizeof number || strchr(" \t\n", *text)) return false;
    memcpy(number, text, length), number[length] = 0;
    *value = strtod(number, &rest);
    *end = text + length;
    return !*rest && isfinite(*value);
}

static bool add_value(sweep_axis *a, double value) {
    if (a->count >= MOST_VALUES) return false;
    if ((a->count & (a->count - 1)) == 0) { /* room doubles */
        double *more = realloc(a->values, (size_t)(a->count ? 2 * a->count : 1) * sizeof *more);
        if (!more) return false;
        a->values = more;
    }
    a->values[a->count++] = value;
    return true;
}

/* Rounds to fifteen digits: 0.1..0.9/5 gives 0.3 as a user would type it. */
static bool add_range(sweep_axis *a, long count) {
    char digits[32];
    for (long i = 0; i < count; i++) {
        snprintf(digits, sizeof digits, "%.15g", a->from + (a->to - a->from) * (double)i / (double)(count - 1));
        if (!add_value(a, i == 0 ? a->from : i == count - 1 ? a->to : strtod(digits, NULL))) return false;
    }
    return true;
}

static carom_status read_range(sweep_axis *a, const char *text, const char *rest, carom_error *error) {
    char *end = NULL;
    a->range = true;
    if (!read_number(rest + 2, &a->to, &rest) || (*rest && *rest != '/')) return complain_axis(text, error);
    if (!*rest) return CAROM_OK;
    const long number = strtol(rest + 1, &end, 10);
    if (end == rest + 1 || *end) return complain_axis(text, error);
    if (number < 2 || number > MOST_VALUES)
        return carom_error_set(error, CAROM_DATA, "'%s': a grid has 2 to %d values", text, MOST_VALUES);
    return add_range(a, number) ? CAROM_OK : carom_error_memory(error);
}

static carom_status read_axis(sweep_axis *a, const char *text, carom_error *error) {
    const char *equals = strchr(text, '='), *rest;
    if (!equals || equals == text || !read_number(equals + 1, &a->from, &rest)) return complain_axis(text, error);
    if (!(a->name = strndup(text, (size_t)(equals - text)))) return carom_error_memory(error);
    if (!strncmp(rest, "..", 2)) return read_range(a, text, rest, error);
    double value = a->from;
    while (add_value(a, value)) {
        if (!*rest) return CAROM_OK;
        if (*rest != ',' || !read_number(rest + 1, &value, &rest)) return complain_axis(text, error);
    }
    return carom_error_memory(error);
}

/* ---------------------------------------------------------------- runs */

static carom_status fill_grid(sweep_plan *p, carom_error *error) {
    p->runs = 1;
    for (int k = 0; k < p->axes; k++) {
        if (p->axis[k].count == 0)
            return carom_error_set(error, CAROM_DATA, "how many values of '%s'? %s=%g..%g/NUMBER, or --random NUMBER",
                                   p->axis[k].name, p->axis[k].name, p->axis[k].from, p->axis[k].to);
        p->runs *= p->axis[k].count;
        if (p->runs > MOST_RUNS) return carom_error_set(error, CAROM_DATA, "the grid has more than %d runs", MOST_RUNS);
    }
    p->value = malloc((size_t)p->runs * (size_t)p->axes * sizeof *p->value);
    if (!p->value) return carom_error_memory(error);
    for (long run = 0; run < p->runs; run++)
        for (long k = p->axes - 1, left = run; k >= 0; left /= p->axis[k].count, k--)
            p->value[run * p->axes + k] = p->axis[k].values[left % p->axis[k].count];
    return CAROM_OK;
}

/* McKay, Beckman, Conover 1979: every axis is cut into as many parts as there are runs, and each part has one. */
static carom_status fill_random(sweep_plan *p, long runs, uint64_t seed, carom_error *error) {
    long *part = malloc((size_t)runs * sizeof *part);
    p->runs = runs;
    p->value = malloc((size_t)runs * (size_t)p->axes * sizeof *p->value);
    carom_status status = part && p->value ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; k < p->axes && !status; k++) {
        const sweep_axis *a = &p->axis[k];
        for (long i = 0; i < runs; i++) part[i] = i;
        for (long i = runs - 1; i > 0; i--) {
            const long j = (long)(random_word(&seed) % (uint64_t)(i + 1)), other = part[i];
            part[i] = part[j], part[j] = other;
        }
        for (long i = 0; i < runs; i++)
            p->value[i * p->axes + k] =
                a->from + (a->to - a->from) * (((double)part[i] + random_part(&seed)) / (double)runs);
    }
    free(part);
    return status;
}

static carom_status check_random(const sweep_plan *p, long runs, carom_error *error) {
    if (runs > MOST_RUNS) return carom_error_set(error, CAROM_DATA, "--random: more than %d runs", MOST_RUNS);
    for (int k = 0; k < p->axes; k++)
        if (!p->axis[k].range || p->axis[k].count)
            return carom_error_set(error, CAROM_DATA, "with --random '%s' needs a range, %s=FIRST..LAST",
                                   p->axis[k].name, p->axis[k].name);
    return CAROM_OK;
}

carom_status plan_create(const carom_model *model, const char *const *texts, int count, long random,
                         unsigned long long seed, sweep_plan *plan, carom_error *error) {
    *plan = (sweep_plan){.axis = calloc((size_t)count + 1, sizeof *plan->axis),
                         .names = calloc((size_t)count + 1, sizeof *plan->names)};
    carom_status status = plan->axis && plan->names ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; k < count && !status; k++) {
        sweep_axis *a = &plan->axis[plan->axes++];
        status = read_axis(a, texts[k], error);
        if (!status) status = named_find(model, a->name, &plan->names[k], error);
        for (int i = 0; i < k && !status; i++)
            if (!strcmp(plan->axis[i].name, a->name))
                status = carom_error_set(error, CAROM_DATA, "'%s' is varied twice", a->name);
    }
    if (!status && random > 0) status = check_random(plan, random, error);
    if (status) return status;
    return random > 0 ? fill_random(plan, random, seed, error) : fill_grid(plan, error);
}

void plan_destroy(sweep_plan *plan) {
    for (int k = 0; k < plan->axes; k++) {
        free(plan->axis[k].name);
        free(plan->axis[k].values);
    }
    free(plan->axis);
    free(plan->names);
    free(plan->value);
}
