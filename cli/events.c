/* carom events RESULT: what happened when. */
#include "cli.h"

#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "result/csv.h"
#include "result/result.h"

enum { BLOCK = 4096, MOST_PARTS = 3 };

/* Columns of the events. Slips and percussions have several parts each. */
enum {
    TIME,
    CONTACT,
    KIND,
    STATE,
    GAP_DOT = STATE + 2,
    SLIP = GAP_DOT + 2,
    PN = SLIP + 2 * MOST_PARTS,
    PF,
    LOSS = PF + MOST_PARTS,
    FIRST,              /* two: the bodies of a contact that was found */
    ENERGY = FIRST + 2, /* two: before and after; the same for the intervals of multisymplectic */
    INTERVAL = ENERGY + 2,
    FIELDS = INTERVAL + 2
};

typedef struct listing {
    const char *path;
    result_reader *result, *table;
    int column[FIELDS]; /* -1: none */
    int slips;
    const char *contact, *kind; /* wanted; NULL: all */
    double from, to;
    int contacts, width;
    long (*counts)[CAROM_EVENT_KINDS]; /* [contacts] */
    double *loss;                      /* [contacts] */
    FILE *csv;                         /* NULL: a table to read */
} listing;

/* ---------------------------------------------------------------- what is wanted */

static int read_time(const arguments *a, const char *name, double otherwise, double *time) {
    const char *text = option_value(a, name);
    char *end;
    *time = otherwise;
    if (!text) return EXIT_SUCCESS;
    *time = strtod(text, &end);
    if (end == text || *end || isnan(*time))
        return complain_about(EXIT_BAD_DATA, "%s needs a time, not '%s'", name, text);
    return EXIT_SUCCESS;
}

static int check_kind(const listing *l) {
    const char *names[CAROM_EVENT_KINDS];
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) {
        names[k] = carom_event_kind_name((carom_event_kind)k);
        if (!l->kind || !strcmp(names[k], l->kind)) return EXIT_SUCCESS;
    }
    char hint[80];
    return complain_about(EXIT_BAD_DATA,
                          "there is no kind of event '%s'%s (strike, opening, stop, break, thud, fracture)", l->kind,
                          suggestion(l->kind, names, CAROM_EVENT_KINDS, hint, sizeof hint));
}

static int check_contact(const listing *l) {
    const char **names = malloc(((size_t)l->contacts + 1) * sizeof *names);
    if (!names) return complain_memory();
    bool found = !l->contact;
    for (int k = 0; k < l->contacts; k++) {
        names[k] = result_contact(l->table, k);
        found = found || !fnmatch(l->contact, names[k], 0);
    }
    char hint[120];
    int code = found ? EXIT_SUCCESS
                     : complain_about(EXIT_BAD_DATA, "%s has no contact '%s'%s", l->path, l->contact,
                                      suggestion(l->contact, names, l->contacts, hint, sizeof hint));
    free(names);
    return code;
}

static int find_column(const listing *l, const char *name, int part, const char *end) {
    char text[40];
    if (part >= l->slips) return -1;
    if (l->slips > 1) snprintf(text, sizeof text, "%s%d%s", name, part + 1, end);
    else snprintf(text, sizeof text, "%s%s", name, end);
    return result_find(l->table, text);
}

static int find_columns(listing *l) {
    static const struct {
        int field;
        const char *name;
    } plain[] = {{TIME, "t"},
                 {CONTACT, "contact"},
                 {KIND, "kind"},
                 {STATE, "state.before"},
                 {STATE + 1, "state.after"},
                 {GAP_DOT, "gap_dot.before"},
                 {GAP_DOT + 1, "gap_dot.after"},
                 {PN, "PN"},
                 {LOSS, "loss"}};
    l->slips = result_find(l->table, "PF") >= 0 ? 1 : 0;
    for (char name[] = "PF1"; l->slips < MOST_PARTS && result_find(l->table, name) >= 0; name[2]++) l->slips++;
    for (int i = 0; i < MOST_PARTS; i++) {
        l->column[SLIP + i] = find_column(l, "slip", i, ".before");
        l->column[SLIP + MOST_PARTS + i] = find_column(l, "slip", i, ".after");
        l->column[PF + i] = find_column(l, "PF", i, "");
    }
    l->column[FIRST] = result_find(l->table, "first");
    l->column[FIRST + 1] = result_find(l->table, "second");
    l->column[INTERVAL] = result_find(l->table, "before/E.interval");
    l->column[INTERVAL + 1] = result_find(l->table, "after/E.interval");
    for (int i = 0; i < 2; i++) /* an impact keeps one of the two; they are shown side by side */
        l->column[ENERGY + i] = l->column[INTERVAL + i] < 0 ? -1 : result_find(l->table, i ? "after/E" : "before/E");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((l->column[plain[i].field] = result_find(l->table, plain[i].name)) < 0)
            return complain_about(EXIT_BAD_DATA, "%s is damaged: its events have no '%s'", l->path, plain[i].name);
    return EXIT_SUCCESS;
}

/* ---------------------------------------------------------------- one event */

static void print_parts(const listing *l, const char *name, const double *values, double zero) {
    printf("%s", name);
    for (int i = 0; i < l->slips; i++)
        printf("%s%.6g", i == 0 ? " " : l->slips > 1 ? "," : "", fabs(values[i]) <= zero ? 0 : values[i]);
}

/* A velocity that is round-off beside the others of its event is shown as 0 in sentences; CSV keeps it. */
static double no_velocity(const listing *l, const double *e) {
    double most = fmax(fabs(e[GAP_DOT]), fabs(e[GAP_DOT + 1]));
    for (int i = 0; i < l->slips; i++) most = fmax(most, fmax(fabs(e[SLIP + i]), fabs(e[SLIP + MOST_PARTS + i])));
    return 1e-14 * most;
}

static void print_strike(const listing *l, const double *e) {
    const double zero = no_velocity(l, e);
    printf("strikes: gap_dot %.6g -> %.6g", fabs(e[GAP_DOT]) <= zero ? 0 : e[GAP_DOT],
           fabs(e[GAP_DOT + 1]) <= zero ? 0 : e[GAP_DOT + 1]);
    if (l->slips) {
        print_parts(l, ", slip", e + SLIP, zero);
        print_parts(l, " ->", e + SLIP + MOST_PARTS, zero);
    }
    printf(", PN %.6g", e[PN]);
    if (l->slips) print_parts(l, ", PF", e + PF, 0);
    printf(", %s %.6g", e[LOSS] < 0 ? "gains" : "loses", fabs(e[LOSS]));
    if (l->column[INTERVAL] >= 0 && l->column[INTERVAL + 1] >= 0) {
        if (l->column[ENERGY] >= 0 && l->column[ENERGY + 1] >= 0)
            printf(", E %.6g %+.0e", e[ENERGY], e[ENERGY + 1] - e[ENERGY]);
        printf(", E.interval %.6g %+.0e", e[INTERVAL], e[INTERVAL + 1] - e[INTERVAL]);
    }
    if (e[STATE + 1] != CAROM_OPEN)
        printf(", %s", e[STATE + 1] == CAROM_STICK ? "sticks" : l->slips ? "slides on" : "stays");
    printf("\n");
}

/* A number in a file as an index of a list; -1: it is no index. */
static int place_of(double number) {
    return number >= 0 && number < INT_MAX ? (int)number : -1;
}

/* The name of a body of a contact that was found; NULL: it was not. */
static const char *body_name(const listing *l, const double *e, int which) {
    const bool known = l->column[FIRST + which] >= 0 && e[FIRST + which] >= 0 && result_found(l->result);
    return known ? result_kind(result_found(l->result), place_of(e[FIRST + which])) : NULL;
}

static void print_event(const listing *l, const double *e) {
    const char *first = body_name(l, e, 0), *second = body_name(l, e, 1);
    printf("%16.10g  %-*s  ", e[TIME], l->width, result_contact(l->table, (int)e[CONTACT]));
    if (first && second) printf("%s on %s ", first, second);
    if (e[KIND] == CAROM_STRIKE) print_strike(l, e);
    else
        puts(e[KIND] == CAROM_THUD         ? "does not rebound: its impact law has no solution"
             : e[KIND] == CAROM_FRACTURE   ? "breaks"
             : e[KIND] == CAROM_OPENING    ? "opens"
             : e[KIND] == CAROM_BREAK      ? "slips"
             : e[STATE + 1] == CAROM_STICK ? "sticks"
             : e[STATE + 1] == CAROM_OPEN  ? "stops and opens"
                                           : "reverses");
}

static void write_head(const listing *l) {
    const char *between = "";
    for (int f = 0; f < FIELDS; f++) {
        if (l->column[f] < 0) continue;
        fputs(between, l->csv);
        csv_text(l->csv, result_name(l->table, l->column[f]));
        between = ",";
    }
    fputc('\n', l->csv);
}

static void write_event(const listing *l, const double *e) {
    for (int f = 0; f < FIELDS; f++) {
        if (l->column[f] < 0) continue;
        if (f > 0) fputc(',', l->csv);
        if (f == CONTACT) csv_text(l->csv, result_contact(l->table, (int)e[f]));
        else if (f == KIND) csv_text(l->csv, result_kind(l->table, (int)e[f]));
        else if (f == FIRST || f == FIRST + 1)
            csv_text(l->csv, body_name(l, e, f - FIRST) ? body_name(l, e, f - FIRST) : "");
        else csv_number(l->csv, e[f]);
    }
    fputc('\n', l->csv);
}

/* ---------------------------------------------------------------- all of them */

static bool is_wanted(const listing *l, const double *e) {
    return e[TIME] >= l->from && e[TIME] <= l->to &&
           (!l->kind || !strcmp(result_kind(l->table, (int)e[KIND]), l->kind)) &&
           (!l->contact || !fnmatch(l->contact, result_contact(l->table, (int)e[CONTACT]), 0));
}

static carom_status read_block(const listing *l, long first, long count, double (*values)[BLOCK], carom_error *error) {
    carom_status status = CAROM_OK;
    for (int f = 0; f < FIELDS && !status; f++)
        if (l->column[f] >= 0) status = result_read(l->table, l->column[f], first, count, values[f], error);
    for (long i = 0; i < count && !status; i++)
        if (!result_contact(l->table, place_of(values[CONTACT][i])) || !(values[KIND][i] < CAROM_EVENT_KINDS) ||
            !result_kind(l->table, place_of(values[KIND][i])))
            status = carom_error_set(error, CAROM_DATA, "%s is damaged: event %ld is of no known contact or kind",
                                     l->path, first + i + 1);
    return status;
}

static void list_event(const listing *l, const double *e) {
    if (!is_wanted(l, e)) return;
    l->counts[(int)e[CONTACT]][(int)e[KIND]]++;
    l->loss[(int)e[CONTACT]] += e[LOSS];
    if (l->csv) write_event(l, e);
    else print_event(l, e);
}

static carom_status list_all(const listing *l, carom_error *error) {
    double(*values)[BLOCK] = calloc(FIELDS, sizeof *values), event[FIELDS];
    carom_status status = values ? CAROM_OK : carom_error_memory(error);
    long rows = result_rows(l->table);
    if (l->csv) write_head(l);
    for (long first = 0; first < rows && !status; first += BLOCK) {
        long n = rows - first < BLOCK ? rows - first : BLOCK;
        status = read_block(l, first, n, values, error);
        for (long i = 0; i < n && !status; i++) {
            for (int f = 0; f < FIELDS; f++) event[f] = values[f][i];
            list_event(l, event);
        }
    }
    free(values);
    return status;
}

/* "3 events: 2 strikes, 1 stop; loss 0.5" */
static void print_counts(const long *counts, double loss) {
    long sum = 0;
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) sum += counts[k];
    printf("%ld event%s", sum, sum == 1 ? "" : "s");
    const char *between = ": ";
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) {
        if (counts[k] == 0) continue;
        printf("%s%ld %s%s", between, counts[k], carom_event_kind_name((carom_event_kind)k), counts[k] == 1 ? "" : "s");
        between = ", ";
    }
    if (counts[CAROM_STRIKE]) printf("; loss %.9g", loss);
    printf("\n");
}

static void print_summary(const listing *l) {
    long all[CAROM_EVENT_KINDS] = {0};
    double loss = 0;
    int busy = 0;
    for (int k = 0; k < l->contacts; k++) {
        long here = 0;
        for (int i = 0; i < CAROM_EVENT_KINDS; i++) here += l->counts[k][i], all[i] += l->counts[k][i];
        loss += l->loss[k];
        busy += here > 0;
    }
    if (!l->csv && busy > 0) printf("\n");
    for (int k = 0; k < l->contacts && busy > 1; k++) {
        long here = 0;
        for (int i = 0; i < CAROM_EVENT_KINDS; i++) here += l->counts[k][i];
        if (here == 0) continue;
        printf("%-*s  ", l->width, result_contact(l->table, k));
        print_counts(l->counts[k], l->loss[k]);
    }
    if (busy > 1) printf("%-*s  ", l->width, "in all");
    print_counts(all, loss);
    if (!are_located(l->table))
        printf("(its run did not locate events: thuds%s alone are listed, at the ends of their steps)\n",
               all[CAROM_FRACTURE] ? " and fractures" : "");
    for (int i = 0; i < result_figures(l->result); i++) {
        const char *name = result_figure(l->result, i), *value = result_text(l->result, name);
        if (value) printf("%s: %s\n", name, value);
    }
}

/* ---------------------------------------------------------------- the command */

static int print_events(listing *l, const char *csv) {
    carom_error error;
    if (csv && (l->csv = NULL, csv_open(csv, &l->csv, &error))) return complain(&error);
    carom_status status = list_all(l, &error);
    if (l->csv) status = csv_close(csv, l->csv, status, &error);
    if (status) return complain(&error);
    if (!csv || strcmp(csv, "-")) print_summary(l);
    return result_exhausted(l->result) ? complain_memory() : EXIT_SUCCESS;
}

static int prepare(const arguments *a, listing *l) {
    const char *csv = option_value(a, "--csv");
    l->contact = option_value(a, "--contact");
    l->kind = option_value(a, "--kind");
    carom_error error;
    if (csv && check_csv(a, csv, &error)) return complain(&error);
    int code = read_time(a, "--from", -INFINITY, &l->from);
    if (!code) code = read_time(a, "--to", INFINITY, &l->to);
    if (!code && l->from > l->to)
        code = complain_about(EXIT_BAD_DATA, "--from %.9g is later than --to %.9g: no time is left", l->from, l->to);
    if (!code) code = check_kind(l);
    for (const char *name; (name = result_contact(l->table, l->contacts)); l->contacts++)
        if ((int)strlen(name) > l->width) l->width = (int)strlen(name);
    if (!code) code = check_contact(l);
    if (!code) code = find_columns(l);
    if (code) return code;
    l->counts = calloc((size_t)l->contacts + 1, sizeof *l->counts);
    l->loss = calloc((size_t)l->contacts + 1, sizeof *l->loss);
    return l->counts && l->loss ? print_events(l, csv) : complain_memory();
}

static int events(const arguments *a) {
    listing l = {.path = a->words[0], .width = 6};
    result_reader *reader;
    carom_error error;
    if (result_open(l.path, &reader, &error)) return complain(&error);
    l.result = reader;
    l.table = listed_events(reader);
    int code = l.table ? prepare(a, &l) : complain_no_events(l.path);
    free(l.counts);
    free(l.loss);
    result_close(reader);
    return code;
}

static const option options[] = {
    {"--contact", "NAME", "only of this contact, or of those that fit a pattern ('m*')"},
    {"--kind", "KIND", "only strike, opening, stop, break, thud or fracture"},
    {"--from", "T", "not before this time"},
    {"--to", "T", "not after this time"},
    {"--csv", "FILE", "comma-separated values instead of sentences; '-' is standard output"},
    {0},
};

const command events_command = {
    .name = "events",
    .usage = "events RESULT [--contact NAME] [--kind KIND] [--from T] [--to T] [--csv FILE]",
    .summary = "list the events that a run located",
    .detail =
        "Lists impacts (strike), lift-offs (opening), slip that comes to rest (stop: sticks or reverses) and stick\n"
        "that breaks (break), each at its time, and counts them. Runs locate events with run: {events: locate}. "
        "Impacts\n"
        "that do not rebound because the impact law has no solution (thud) and joints that break (fracture) are listed "
        "for\n"
        "all runs.\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = events,
};
