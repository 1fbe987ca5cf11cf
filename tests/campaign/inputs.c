/* Bad input: scenes of the checkout, mutated at random, and random command lines. Each is either taken, or refused with
 * one sentence and an exit code that says so; none crashes, none gets stuck, no state is accepted that is not finite.
 */
#include "campaign.h"
#include "scene/scene.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RAN, ENDED, REFUSED, COMMANDS }; /* counts */
enum { STEPS = 5, LONGEST = 1 << 16, PATIENCE = 40 };

static int below(uint64_t *random, int n) {
    return (int)(campaign_random(random) * n);
}

/* ---------------------------------------------------------------- scenes */

static const char *const values[] = {"0",     "-1",   "1e300", "1e-300", "-1e18", "1/0", "sqrt(-1)", "''",    "[]",
                                     "{}",    "null", "true",  "0.5",    "x",     "t",   "2*t",      "x_dot", "[1, 2]",
                                     "1e400", ".nan", "q[3]",  "*a",     "&a 1",  "|",   "\"",       "\t",    "é"};
enum { VALUES = sizeof values / sizeof *values };

/* Replaces length characters from place on. */
static void replace(char *text, size_t place, size_t length, const char *by) {
    size_t size = strlen(text), more = strlen(by);
    if (place + length > size || size - length + more >= LONGEST) return;
    memmove(text + place + more, text + place + length, size - place - length + 1);
    memcpy(text + place, by, more);
}

/* The line that a place is in: where it starts, and its length with the end. */
static size_t line_at(const char *text, size_t place, size_t *length) {
    while (place > 0 && text[place - 1] != '\n') place--;
    *length = strcspn(text + place, "\n");
    *length += text[place + *length] == '\n';
    return place;
}

static void swap_lines(char *text, size_t one, size_t other) {
    char copy[4096];
    size_t length, other_length;
    one = line_at(text, one, &length);
    other = line_at(text, other, &other_length);
    if (one >= other || length >= sizeof copy) return;
    memcpy(copy, text + one, length);
    copy[length] = 0;
    replace(text, other, 0, copy);
    replace(text, one, length, "");
}

/* A value: what stands between ": " or ", " and the next comma, brace or end of line. */
static size_t value_at(const char *text, size_t place, size_t *length) {
    size_t start = place + strcspn(text + place, ":,");
    if (text[start]) start++;
    *length = strcspn(text + start, ",}]\n");
    return start;
}

static const char *const numbers[] = {"0",  "-1",    "1",    "2",   "1e-12", "1e12", "-0.3", "1e300", "1e-300", "0.5",
                                      "-0", "1e400", "1e15", "1/0", "0/0",   "300",  "t",    "1e-3",  "3.7",    "100"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* A number that is no part of a name. */
static size_t number_at(const char *text, size_t place, size_t *length) {
    static const char digits[] = "0123456789", part[] = "0123456789.e",
                      name[] = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    for (size_t at = place; text[at]; at++) {
        if (!strchr(digits, text[at]) || (at > 0 && strchr(name, text[at - 1]))) continue;
        *length = strspn(text + at, part);
        return at;
    }
    *length = 0;
    return place;
}

/* Mostly numbers, so that most of what is read is still a scene. */
static void mutate(char *text, uint64_t *random) {
    size_t size = strlen(text), length, place = size ? (size_t)(campaign_random(random) * (double)size) : 0,
           other = size ? (size_t)(campaign_random(random) * (double)size) : 0;
    char one[2] = {(char)(32 + below(random, 95)), 0};
    if (below(random, 4)) {
        place = number_at(text, place, &length);
        replace(text, place, length, numbers[below(random, NUMBERS)]);
        return;
    }
    switch (below(random, 9)) {
    case 0:
        replace(text, place, 1, one);
        break;
    case 1:
        replace(text, place, 0, one);
        break;
    case 2:
        replace(text, place, 1, "");
        break;
    case 3: /* a line less */
        place = line_at(text, place, &length);
        replace(text, place, length, "");
        break;
    case 4:
        swap_lines(text, place < other ? place : other, place < other ? other : place);
        break;
    case 5: /* another key */
        replace(text, place, strcspn(text + place, ":") < 12 ? strcspn(text + place, ":") : 1, "start");
        break;
    case 6:
        text[place] = 0; /* the end is missing */
        break;
    default:
        place = value_at(text, place, &length);
        replace(text, place, length, values[below(random, VALUES)]);
        break;
    }
}

/* One sentence. */
static void check_sentence(campaign_case *c, const char *path, carom_status status, const carom_error *error) {
    if (!error->message[0] || strchr(error->message, '\n') || (status != CAROM_DATA && status != CAROM_FAILED))
        campaign_violation(c, "%s: status %d with '%.200s'", path, (int)status, error->message);
    if (campaign_loud) printf("%s: %s\n", path, error->message);
}

static void check_finite(campaign_case *c, const char *path, const carom_scene *scene, const carom_sim *sim) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    for (int i = 0; i < d->nq; i++)
        if (!isfinite(carom_sim_q(sim)[i])) campaign_violation(c, "%s: %s is not finite", path, d->q_names[i]);
    for (int i = 0; i < d->nu; i++)
        if (!isfinite(carom_sim_u(sim)[i])) campaign_violation(c, "%s: %s is not finite", path, d->u_names[i]);
}

static void run_scene(campaign_case *c, const char *path, const carom_scene *scene) {
    carom_sim *sim = NULL;
    carom_error error = {0};
    carom_status status = scene_validate_start(scene, &error);
    if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
    for (int i = 0; i < STEPS && !status && !carom_sim_done(sim); i++) {
        status = carom_sim_step(sim, &error);
        check_finite(c, path, scene, sim);
    }
    c->count[!status ? RAN : sim ? ENDED : REFUSED]++;
    if (status) check_sentence(c, path, status, &error);
    carom_sim_destroy(sim);
}

static bool read_text(const char *path, char *text) {
    FILE *in = fopen(path, "r");
    size_t size = in ? fread(text, 1, LONGEST - 1, in) : 0;
    text[size] = 0;
    if (in) fclose(in);
    return size > 0;
}

/* Overrides, as --set takes them. */
enum { MOST_CHANGES = 3 };
static int draw_changes(uint64_t *random, char changes[MOST_CHANGES][64], const char *override[MOST_CHANGES]) {
    static const char *const keys[] = {"run.dt",       "run.until",    "run.tolerance", "run.every",
                                       "parameters.g", "parameters.m", "parameters.mu", "parameters.n",
                                       "run.events",   "run.joints",   "title",         "model.start"};
    int count = 1 + below(random, MOST_CHANGES);
    for (int i = 0; i < count; i++) {
        override[i] = changes[i];
        if (below(random, 2))
            snprintf(changes[i], sizeof changes[i], "run.integrator=%s",
                     carom_integrator(below(random, carom_integrators()))->name);
        else
            snprintf(changes[i], sizeof changes[i], "%s=%s", keys[below(random, sizeof keys / sizeof *keys)],
                     below(random, 4) ? numbers[below(random, NUMBERS)] : "locate");
    }
    return count;
}

static void judge_scene(uint64_t *random, campaign_case *c) {
    static char text[LONGEST];
    glob_t list;
    carom_scene *scene;
    carom_error error = {0};
    glob("scenes/*/*.yaml", 0, NULL, &list);
    glob("scenes/*/*/*.yaml", GLOB_APPEND, NULL, &list);
    if (list.gl_pathc < 50) campaign_violation(c, "%zu scenes only", list.gl_pathc);
    const char *path = list.gl_pathv[below(random, (int)list.gl_pathc)];
    if (!read_text(path, text)) campaign_violation(c, "%s cannot be read", path);
    const bool extended = strstr(text, "extends");
    for (int n = 1 + below(random, 3); n > 0 && !extended; n--) mutate(text, random);
    char changes[MOST_CHANGES][64];
    const char *override[MOST_CHANGES];
    int count = extended || below(random, 4) == 0 ? draw_changes(random, changes, override) : 0;
    if (campaign_loud) printf("%s\n----\n%s\n----\n", path, extended ? "" : text);
    for (int i = 0; i < count && campaign_loud; i++) printf("%s\n", override[i]);
    carom_status status = extended ? carom_scene_load(path, override, count, &scene, &error)
                                   : carom_scene_parse(text, strlen(text), path, override, count, &scene, &error);
    if (status) {
        c->count[REFUSED]++;
        check_sentence(c, path, status, &error);
    } else {
        run_scene(c, path, scene);
        carom_scene_destroy(scene);
    }
    globfree(&list);
}

/* ---------------------------------------------------------------- command lines */

static const char scene_text[] = "carom: 1\n"
                                 "title: Ball\n"
                                 "parameters: {m: 1}\n"
                                 "model:\n"
                                 "  coordinates: {y: {start: 0.01}}\n"
                                 "  kinetic: m/2*y_dot^2\n"
                                 "  potential: 9.81*m*y\n"
                                 "  contacts: {floor: {gap: y, restitution: 0.5}}\n"
                                 "run: {integrator: rattle, dt: 1e-3, until: 0.05}\n";

static const char *const words[] = {"run",
                                    "check",
                                    "plot",
                                    "export",
                                    "events",
                                    "converge",
                                    "compare",
                                    "list",
                                    "describe",
                                    "help",
                                    "--version",
                                    "rnu",
                                    "ball.yaml",
                                    "ball.h5",
                                    "missing.yaml",
                                    "missing.h5",
                                    "text.csv",
                                    ".",
                                    "/dev/null",
                                    "/",
                                    "--out",
                                    "--csv",
                                    "--set",
                                    "--quiet",
                                    "--resume",
                                    "--any-version",
                                    "--dt",
                                    "--integrators",
                                    "--reference",
                                    "--norm",
                                    "--jobs",
                                    "--figure",
                                    "--events",
                                    "--help",
                                    "-h",
                                    "--",
                                    "-",
                                    "",
                                    "none",
                                    "1e-2,1e-3",
                                    "1e-2",
                                    "0",
                                    "-1",
                                    "nan",
                                    "1e400",
                                    "rattle,moreau",
                                    "moreau",
                                    "rattle:variant=published",
                                    "exact",
                                    "max",
                                    "run.dt=1e-2",
                                    "run.dt=0",
                                    "run.dt=nan",
                                    "run.integrator=lobatto",
                                    "run.events=locate",
                                    "parameters.m=-1",
                                    "parameters.m",
                                    "=",
                                    "title=A 'ball'",
                                    "model.coordinates.y.start=1/0",
                                    "a.b.c=d",
                                    "y",
                                    "y,E",
                                    "y:y_dot",
                                    "*.gap",
                                    "'",
                                    "%s%n",
                                    "\n",
                                    "\xff\xfe",
                                    "integrators",
                                    "laws",
                                    "theta",
                                    "out.h5",
                                    "out.png",
                                    "out.svg",
                                    "out.csv"};
enum { WORDS = sizeof words / sizeof *words, MOST_WORDS = 7 };

/* Command words come first in two thirds of the lines, so that most get somewhere. */
static void draw_line(uint64_t *random, char *line[MOST_WORDS + 2]) {
    int count = below(random, MOST_WORDS) + 1, n = 1;
    line[0] = CAROM_PROGRAM;
    if (below(random, 3)) line[n++] = (char *)words[below(random, 12)];
    if (n > 1 && below(random, 3)) line[n++] = (char *)words[12 + below(random, 2)];
    while (n <= count) line[n++] = (char *)words[below(random, WORDS)];
    line[n] = NULL;
}

static int execute(char *const line[], const char *errors) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit time = {PATIENCE / 2, PATIENCE / 2};
        setrlimit(RLIMIT_CPU, &time);
        int out = open("/dev/null", O_RDWR), err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
        execv(line[0], line);
        _exit(126);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void check_line(campaign_case *c, char *const line[], int status, const char *errors) {
    static char text[LONGEST];
    char shown[300] = "";
    for (int i = 1; line[i]; i++) snprintf(shown + strlen(shown), sizeof shown - strlen(shown), " '%s'", line[i]);
    text[0] = 0;
    read_text(errors, text);
    if (campaign_loud) printf("carom%s: %s\n", shown, text);
    if (!WIFEXITED(status)) {
        campaign_violation(c, "carom%s: signal %d", shown, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        return;
    }
    int code = WEXITSTATUS(status), lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    bool named = !line[1]; /* carom alone shows its help */
    if (code < 0 || code > 2 || lines > 1 || (code != 0 && lines == 0 && !named))
        campaign_violation(c, "carom%s: code %d, %d lines: %.200s", shown, code, lines, text);
}

/* Twice in a folder of its own: once to have a result to read, once as drawn. */
static void judge_line(uint64_t *random, campaign_case *c) {
    char folder[] = "/tmp/carom-inputs-XXXXXX", command[64], *line[MOST_WORDS + 2];
    if (!mkdtemp(folder) || chdir(folder)) {
        campaign_violation(c, "no folder");
        return;
    }
    FILE *out = fopen("ball.yaml", "w");
    if (out) fputs(scene_text, out), fclose(out);
    char *first[] = {CAROM_PROGRAM, "run", "ball.yaml", "--quiet", NULL};
    check_line(c, first, execute(first, "errors"), "errors");
    draw_line(random, line);
    check_line(c, line, execute(line, "errors"), "errors");
    c->count[COMMANDS]++;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("/") || system(command)) campaign_violation(c, "the folder stays");
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t random = number;
    if (number % 2) judge_scene(&random, c);
    else judge_line(&random, c);
}

int main(int argc, char **argv) {
    static const campaign inputs = {.cases = "inputs",
                                    .few = 120,
                                    .patience = PATIENCE,
                                    .count = {"scenes that run", "end early", "are refused", "command lines"},
                                    .judge = judge};
    return campaign_main(&inputs, argc, argv);
}
