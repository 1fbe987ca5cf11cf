/* carom COMMAND [arguments] */
#include "cli.h"
#include "interrupt.h"
#include "manual.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All commands, in the order of the help. A new one is a file and a line here. */
// clang-format off
#define EACH_COMMAND(one) \
    one(run) \
    one(check) \
    one(plot) \
    one(view) \
    one(movie) \
    one(export) \
    one(events) \
    one(converge) \
    one(compare) \
    one(gradient) \
    one(orbit) \
    one(sweep) \
    one(identify) \
    one(modes) \
    one(reproduce) \
    one(study) \
    one(friction) \
    one(list) \
    one(describe)
// clang-format on
#define DECLARED(name) extern const command name##_command;
#define LISTED(name) &name##_command,

EACH_COMMAND(DECLARED)
static const command *const commands[] = {EACH_COMMAND(LISTED)};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const command *find_command(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    const char *names[COMMANDS + 1] = {[COMMANDS] = "help"};
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    char hint[80];
    suggestion(name, names, COMMANDS + 1, hint, sizeof hint);
    complain_about(EXIT_BAD_DATA, "unknown command '%s'%s (carom help)", name, hint);
    return NULL;
}

static int help(void) {
    printf("carom %s: nonsmooth mechanics\n\n", carom_version());
    for (int i = 0; i < COMMANDS; i++) printf("  carom %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("  carom %-10s %s\n", "help", "this page; help COMMAND: more about a command");
    printf("  carom %-10s %s\n", "--version", "version and revision");
    printf("\nExit codes: 0 good, 1 the run failed, 2 the input is wrong, 130 interrupted.\n");
    return EXIT_SUCCESS;
}

static int help_about(const char *name) {
    if (manual_print(name, commands, COMMANDS)) return EXIT_SUCCESS;
    const command *c = find_command(name);
    if (!c) return EXIT_BAD_DATA;
    printf("carom %s\n\n%s", c->usage, c->detail);
    if (c->options) printf("\n");
    for (const option *o = c->options; o && o->name; o++) {
        char text[64];
        snprintf(text, sizeof text, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-20s %s\n", text, o->meaning);
    }
    return EXIT_SUCCESS;
}

static bool wants_help(int count, char **values) {
    for (int i = 0; i < count && strcmp(values[i], "--"); i++)
        if (!strcmp(values[i], "--help") || !strcmp(values[i], "-h")) return true;
    return false;
}

static int dispatch(int count, char **values) {
    if (count == 0) {
        help();
        return EXIT_BAD_DATA;
    }
    const char *name = values[0];
    if (!strcmp(name, "--version")) return printf("carom %s (%s)\n", carom_version(), carom_revision()), EXIT_SUCCESS;
    if (!strcmp(name, "help") && count > 1 && strcmp(values[1], "help")) return help_about(values[1]);
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")) return help();
    const command *c = find_command(name);
    if (!c) return EXIT_BAD_DATA;
    if (wants_help(count - 1, values + 1)) return help_about(name);
    arguments a;
    int code = arguments_read(c, count - 1, values + 1, &a) ? c->run(&a) : EXIT_BAD_DATA;
    free(a.words);
    free(a.options);
    return code;
}

/* If a standard stream is closed, opens /dev/null in its place. Otherwise the next file would get its number, and the
 * text meant for it. */
static void keep_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    keep_streams();
    end_on_signals();
    signal(SIGXFSZ, SIG_IGN); /* makes a limit on file sizes an error like a full disk */
    int code = dispatch(argc - 1, argv + 1);
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_SUCCESS)
        code = complain_about(EXIT_FAILED_RUN, "standard output: %s", strerror(errno));
    return code;
}
