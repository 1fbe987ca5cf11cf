/* carom describe NAME: all about an integrator, a law, or a word of scenes. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/vocabulary/vocabulary.h"
#include "scenes.h"

enum { WIDTH = 100 };

/* Prints words from column indent on, in lines shorter than WIDTH. */
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

/* ---- integrators and laws */

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

static void print_example(const scene_word *w) {
    if (vocabulary_is_entry(w)) printf("\n  %s:\n    %s\n", w->section, w->example);
    else printf("\n  %s: %s\n", w->section, w->example);
}

static void describe_law(const carom_law_info *info) {
    const scene_word *w = vocabulary_find("laws", info->name);
    printf("%s: %s\n", info->name, info->title);
    print_field(info->impact ? "law" : "set", info->set);
    print_field("energy", info->energy_text);
    print_field("reference", info->reference);
    if (w) print_example(w);
}

/* ---- words of scenes */

static void print_key(const word_key *k) {
    bool required = strncmp(k->fallback, "required", 8) == 0;
    printf("  %-22s %s", k->name, k->meaning);
    if (k->fallback[0]) printf("%s(%s%s)", k->meaning[0] ? " " : "", required ? "" : "default: ", k->fallback);
    putchar('\n');
}

static void describe_word(const word_family *f, const scene_word *w) {
    printf("%s (%s): %s\n", w->name, f->name, w->title);
    print_example(w);
    for (const word_key *k = w->keys; k && k->name; k++) {
        if (k == w->keys) putchar('\n');
        print_key(k);
    }
}

/* A key that several maps have: what it means in each of them. */
static bool describe_key(const char *name) {
    bool found = false;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++)
            for (const word_key *k = w->keys; k && k->name; k++) {
                if (strcmp(k->name, name) != 0) continue;
                if (!found) printf("%s is a key of:\n", name);
                found = true;
                printf("  %-22s %s%s%s\n", w->name, k->meaning, k->meaning[0] && k->fallback[0] ? "; " : "",
                       k->fallback);
            }
    return found;
}

static bool describe_family(const char *name) {
    const word_family *f = vocabulary;
    while (f->name && strcmp(f->name, name) != 0) f++;
    if (!f->name) return false;
    printf("%s: %s\n\n", f->name, f->title);
    for (const scene_word *w = f->words; w->name; w++) printf("  %-22s %s\n", w->name, w->title);
    return true;
}

/* Describes every word of this name, of all families or of one. If asked for, prints the first as a whole scene. */
static int describe_words(const char *family, const char *name, bool scene) {
    int found = 0;
    for (const word_family *f = vocabulary; f->name; f++) {
        const scene_word *w = !family || !strcmp(family, f->name) ? vocabulary_find(f->name, name) : NULL;
        if (!w || (scene && found) || (!scene && f->words == words_laws && is_law(name))) continue;
        if (found++) putchar('\n');
        if (!scene) {
            describe_word(f, w);
            continue;
        }
        char *text = vocabulary_scene(w);
        if (!text) return -1;
        fputs(text, stdout);
        free(text);
    }
    return found;
}

/* ---- unknown names */

static int known_names(const char **names) {
    int count = 0;
    for (int i = 0; i < carom_integrators(); i++, count++)
        if (names) names[count] = carom_integrator(i)->name;
    for (int i = 0; i < carom_laws(); i++, count++)
        if (names) names[count] = carom_law(i)->name;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++, count++)
            if (names) names[count] = w->name;
    for (const word_family *f = vocabulary; f->name; f++)
        for (const scene_word *w = f->words; w->name; w++)
            for (const word_key *k = w->keys; k && k->name; k++, count++)
                if (names) names[count] = k->name;
    return count;
}

static int unknown(const char *name) {
    int count = known_names(NULL);
    const char **names = malloc((size_t)count * sizeof *names);
    if (!names) return complain_memory();
    known_names(names);
    char hint[80];
    suggestion(name, names, count, hint, sizeof hint);
    free(names);
    return complain_about(EXIT_BAD_DATA, "nothing is called '%s'%s (carom list)", name, hint);
}

static int describe(const arguments *a) {
    const char *name = a->words[a->word_count - 1], *family = a->word_count > 1 ? a->words[0] : NULL;
    bool scene = option_value(a, "--scene"), found = false;
    for (int i = 0; i < carom_integrators() && !scene && !family; i++)
        if (!strcmp(carom_integrator(i)->name, name)) describe_integrator(carom_integrator(i)), found = true;
    for (int i = 0; i < carom_laws() && !scene && !family; i++)
        if (!strcmp(carom_law(i)->name, name)) describe_law(carom_law(i)), found = true;
    int words = describe_words(family, name, scene);
    if (words < 0) return complain_memory();
    found = found || words > 0;
    if (!found && !scene && !family) {
        bool key = describe_key(name), whole = describe_family(name);
        found = key || whole || describe_scene(name);
    }
    return found ? EXIT_SUCCESS : unknown(name);
}

static const option options[] = {{"--scene", NULL, "the example as a whole scene that runs"}, {0}};

const command describe_command = {
    .name = "describe",
    .usage = "describe [FAMILY] NAME [--scene]",
    .summary = "all about an integrator, a law, or a word of scenes",
    .detail =
        "Of an integrator: order, what it conserves, what it needs, its options with their defaults, and the paper.\n"
        "Of a word (revolute, sphere, springs, atan2, ...): what it is, an example, its keys with their defaults.\n"
        "Of a key (stiffness): where it stands and what it means there. Of a scene (dice): its file and title.\n"
        "Some names belong to several families; FAMILY chooses one.\n",
    .options = options,
    .least = 1,
    .most = 2,
    .run = describe,
};
