/* The command line: main.c finds the command in a table, arguments.c reads its arguments, one file does the work. */
#ifndef CAROM_CLI_H
#define CAROM_CLI_H

#include "carom/carom.h"

enum { EXIT_FAILED_RUN = 1, EXIT_BAD_DATA = 2, EXIT_INTERRUPTED = 130 };

typedef struct option {
    const char *name;  /* "--out" */
    const char *value; /* what follows: "FILE"; NULL: nothing */
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
    const char **words; /* in order, without the options */
    int word_count;
    given_option *options;
    int option_count;
} arguments;

typedef struct command {
    const char *name, *usage, *summary, *detail;
    const option *options;          /* ended by an empty one; may be NULL */
    int least, most;                /* words; most < 0: any number */
    int (*run)(const arguments *a); /* returns the exit code */
} command;

extern const command run_command, check_command, list_command, describe_command, plot_command, export_command,
    converge_command, compare_command, events_command, reproduce_command, study_command, friction_command,
    gradient_command, identify_command, orbit_command, sweep_command, modes_command, view_command, movie_command;

/* false: the complaint has been printed. words and options are the caller's to free. */
bool arguments_read(const command *c, int count, char **values, arguments *a);
/* The value given for an option ("" if it takes none), or NULL. */
const char *option_value(const arguments *a, const char *name);

/* Names between commas, in the text, which is changed; to be freed. NULL: out of memory. */
const char **split_names(char *text, int *count);

/* The values of --set, at most option_count; returns their number. */
int collect_overrides(const arguments *a, const char **overrides);
/* The scene with every --set. */
carom_status load_scene(const arguments *a, const char *path, carom_scene **scene, carom_error *error);

/* One line on standard error; returns the exit code that goes with it. */
int complain(const carom_error *error);
int complain_about(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int complain_memory(void);
int complain_no_events(const char *path);

/* The events of a result; NULL: it lists none, and its run did not locate them. */
struct result_reader *listed_events(const struct result_reader *result);
bool are_located(const struct result_reader *events);
/* Whether a law has this name; words of scenes beside them (adhesion) are none of their own. */
bool is_law(const char *name);
/* ", did you mean 'out'?", or "" where nothing is near. text has size bytes. */
const char *suggestion(const char *name, const char *const *candidates, int count, char *text, size_t size);

/* Whether a command may write a file there: the place is writable, what is there is a file, and the command does not
 * read it. */
carom_status check_output(const arguments *a, const char *path, carom_error *error);
/* The same for a table: a file that exists is replaced only if its name ends in .csv. */
carom_status check_csv(const arguments *a, const char *path, carom_error *error);
bool ends_in_csv(const char *path);

/* "DIR/stem.EXT" without the directory and with another extension. */
void replace_extension(const char *path, const char *extension, char *text, size_t size);

#endif
