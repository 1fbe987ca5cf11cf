/* The command line. main.c finds the command in a table, arguments.c reads its arguments, and one file per command does
 * the work. */
#ifndef CAROM_CLI_H
#define CAROM_CLI_H

#include "carom/carom.h"

enum { EXIT_FAILED_RUN = 1, EXIT_BAD_DATA = 2, EXIT_INTERRUPTED = 130 };

typedef struct option {
    const char *name;  /* "--out" */
    const char *value; /* what follows the option: "FILE"; NULL: nothing */
    const char *meaning;
} option;

/* The options of every command that loads a scene to run it. */
#define SCENE_OPTIONS                                                                                                  \
    {"--set", "KEY=VALUE", "change the scene: --set run.dt=1e-4 --set parameters.mu=0.3"}, {                           \
        "--input", "NAME=FILE[,METHOD]", "an input follows a table of time; METHOD: linear, step or cubic"             \
    }

typedef struct given_option {
    const option *option;
    const char *value;
} given_option;

typedef struct arguments {
    const char **words; /* in order, without options */
    int word_count;
    given_option *options;
    int option_count;
} arguments;

typedef struct command {
    const char *name, *usage, *summary, *detail;
    const option *options;          /* ended by an empty one; may be NULL */
    int least, most;                /* how many words; most < 0: any number */
    int (*run)(const arguments *a); /* returns the exit code */
} command;

/* false: a complaint has been printed. The caller frees words and options. */
bool arguments_read(const command *c, int count, char **values, arguments *a);
/* The value of an option ("" if it takes none), or NULL. */
const char *option_value(const arguments *a, const char *name);

/* Names between commas. Changes the text; the caller frees the list. NULL: out of memory. */
const char **split_names(char *text, int *count);

/* Collects the values of --set, at most option_count; returns their number. */
int collect_overrides(const arguments *a, const char **overrides);
/* Loads the scene with every --set. */
carom_status load_scene(const arguments *a, const char *path, carom_scene **scene, carom_error *error);

/* Prints one line on standard error; returns the exit code that goes with it. */
int complain(const carom_error *error);
int complain_about(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int complain_memory(void);
int complain_no_events(const char *path);

/* The events of a result. NULL: it has none, since its run did not locate events. */
struct result_reader *listed_events(const struct result_reader *result);
bool are_located(const struct result_reader *events);
/* Whether this is the name of a law. Other words of scenes for contacts (adhesion) are no laws. */
bool is_law(const char *name);
/* ", did you mean 'out'?", or "" where nothing is near. text has size bytes. */
const char *suggestion(const char *name, const char *const *candidates, int count, char *text, size_t size);

/* Complains unless a command may write this file: the place must be writable, nothing but a file may be there, and the
 * command must not read it. */
carom_status check_output(const arguments *a, const char *path, carom_error *error);
/* The same for a table. An existing file is replaced only if its name ends in .csv. */
carom_status check_csv(const arguments *a, const char *path, carom_error *error);
bool ends_in_csv(const char *path);

/* "DIR/stem.EXT" without the directory and with another extension. */
void replace_extension(const char *path, const char *extension, char *text, size_t size);

#endif
