/* carom describe NAME: all about an integrator or a law. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100 };

/* Words from column indent on, broken before WIDTH. */
static void print_wrapped(const char *text, int indent) {
    int column = indent;
    for (bool first = true; *text; first = false) {
        int word = (int)strcspn(text, " ");
        bool broken = !first && column + 1 + word > WIDTH;
        if (broken) printf("\n%*s", indent, "");
        else if (!first) putchar(' ');
        printf("%.*s", word, text);
        column = broken ? indent + word : column + word + !first;
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

static void print_field(const char *label, const char *text) {
    if (!text || !text[0]) return;
    printf("  %-10s ", label);
    print_wrapped(text, 13);
}

static void describe_integrator(const carom_integrator_info *info) {
    printf("%s: %s\n", info->name, info->title);
    print_field("order", info->order);
    print_field("conserves", info->conserves);
    print_field("needs", info->needs);
    print_field("stable", info->stability);
    print_field("reference", info->reference);
    for (int i = 0; i < info->option_count; i++) {
        const carom_option_info *o = &info->options[i];
        printf("%s  run.%s: %s (default %s)\n    ", i ? "" : "\n", o->name, o->values, o->fallback);
        print_wrapped(o->meaning, 4);
    }
}

static void describe_law(const carom_law_info *info) {
    printf("%s: %s\n", info->name, info->title);
    print_field("set", info->set);
    print_field("reference", info->reference);
}

static int unknown(const char *name) {
    int integrators = carom_integrators(), laws = carom_laws();
    const char **names = malloc((size_t)(integrators + laws + 1) * sizeof *names);
    if (!names) return complain_memory();
    for (int i = 0; i < integrators; i++) names[i] = carom_integrator(i)->name;
    for (int i = 0; i < laws; i++) names[integrators + i] = carom_law(i)->name;
    char hint[80];
    suggestion(name, names, integrators + laws, hint, sizeof hint);
    free(names);
    return complain_about(EXIT_BAD_DATA, "no integrator or law is called '%s'%s (carom list)", name, hint);
}

static int describe(const arguments *a) {
    const char *name = a->words[0];
    bool found = false;
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(carom_integrator(i)->name, name)) describe_integrator(carom_integrator(i)), found = true;
    for (int i = 0; i < carom_laws(); i++)
        if (!strcmp(carom_law(i)->name, name)) describe_law(carom_law(i)), found = true;
    return found ? EXIT_SUCCESS : unknown(name);
}

const command describe_command = {
    .name = "describe",
    .usage = "describe NAME",
    .summary = "all about an integrator or a law",
    .detail = "Order, what it conserves, what it needs, its options with their defaults, and the paper.\n",
    .least = 1,
    .most = 1,
    .run = describe,
};
