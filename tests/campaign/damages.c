/* Damaged results: bits that flipped, blocks that were lost, files that were cut. Whatever happened to a result or its
 * journal, reading it and going on with it give the right numbers or one sentence. */
#include "campaign.h"
#include "folder.h"

#include "result/disk.h"
#include "result/journal.h"
#include "result/result.h"
#include "result/store.h"
#include "result/writer.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a run whose numbers follow from their places */

enum { COLUMNS = 6, EVENT_COLUMNS = 4, STATE = 5 };
enum { ROWS = 4500, MORE = 700, ALL = 9000 }; /* more than a chunk; before and after the last commit; in the end */

static const char *const names[COLUMNS] = {"t", "x", "x_dot", "wall.gap", "wall.state", "E"};
static const char *const units[COLUMNS] = {"s", "m", "m/s", "m", "", "J"};
static const char *const event_names[EVENT_COLUMNS] = {"t", "contact", "before/x_dot", "after/x_dot"};
static const char *const contacts[] = {"wall", "floor"}, *const kinds[] = {"strike"};
static const char *const parameters[] = {"m"};
static const char scene[] = "carom: 1\ntitle: A run to be damaged\n";

static const result_info info = {
    .title = "Damaged",
    .scene = scene,
    .scene_path = "x.yaml",
    .integrator = "moreau",
    .dt = 1e-3,
    .until = 9,
    .every = 1,
    .parameters = 1,
    .parameter_names = parameters,
    .parameter_values = (const double[]){2.5},
    .events = {
        .columns = EVENT_COLUMNS, .names = event_names, .contacts = 2, .kinds = 1, .contact = contacts, .kind = kinds}};

static double value(long row, int column) {
    if (column == 0) return (double)row * 1e-3;
    return column == 4 ? (double)(row / 100 % 3) : sin(0.01 * (double)row * column) * exp(-1e-4 * (double)row);
}

/* An event before every third row. */
static long events_before(long row) {
    return (row + 2) / 3;
}

static double event_value(long event, int column) {
    return column == 1 ? (double)(event % 2) : value(event, column);
}

static bool append(result_writer *w, long from, long to) {
    double row[COLUMNS], state[STATE];
    for (long i = from; i < to; i++) {
        for (long e = events_before(i); e < events_before(i + 1); e++) {
            for (int c = 0; c < EVENT_COLUMNS; c++) row[c] = event_value(e, c);
            if (result_append_event(w, row, NULL)) return false;
        }
        for (int c = 0; c < COLUMNS; c++) row[c] = value(i, c);
        for (int k = 0; k < STATE; k++) state[k] = (double)i * k + 0.25;
        if (result_append(w, row, state, i, NULL)) return false;
    }
    return true;
}

static bool finish(result_writer *w, const char *status) {
    return result_finish(w, &(result_summary){.status = status, .hash = 12345}, NULL) == CAROM_OK;
}

/* ---- what is damaged: results of all kinds of ends */

typedef enum sample_kind {
    FINISHED,
    INTERRUPTED, /* in an orderly way, with a checkpoint */
    KILLED,      /* after a commit */
    GROWING,     /* with rows in place that were not committed */
    BEHIND,      /* with a commit that is in the journal only */
    HALFWAY,     /* while a commit was written in place */
    KINDS
} sample_kind;

typedef struct sample {
    unsigned char *file, *journal;
    size_t file_size, journal_size; /* journal_size 0: none */
    long rows;
} sample;

static sample samples[KINDS];

/* Waits until everything appended is committed. */
static void commit_all(result_writer *w, long rows) {
    for (bool done = false; !done; usleep(1000)) {
        pthread_mutex_lock(&w->mutex);
        w->period = 1;
        w->deadline = 0;
        pthread_cond_signal(&w->work);
        pthread_mutex_unlock(&w->mutex);
        h5_enter(); /* nobody is committing */
        done = w->committed == rows;
        h5_leave();
    }
    pthread_mutex_lock(&w->mutex);
    w->period = 100000;
    w->deadline = LONG_MAX;
    pthread_mutex_unlock(&w->mutex);
    usleep(20000); /* the last commit is over */
}

static void run_and_die(const char *path, sample_kind kind) {
    result_writer *w;
    if (result_create(path, &info, COLUMNS, names, units, STATE, &w, NULL) || !append(w, 0, ROWS)) _exit(1);
    if (kind == FINISHED) _exit(!finish(w, "finished"));
    if (kind == INTERRUPTED) _exit(!finish(w, "interrupted"));
    commit_all(w, ROWS);
    if (kind == BEHIND || kind == HALFWAY) {
        flock(open(path, O_RDONLY), LOCK_SH); /* a reader: the commit stays in the journal */
        if (!append(w, ROWS, ROWS + MORE)) _exit(1);
        commit_all(w, ROWS + MORE);
    }
    if (kind == GROWING && !append(w, ROWS, ROWS + 9000)) _exit(1);
    usleep(50000);
    _exit(0);
}

static void must(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "no samples: %s\n", what);
    exit(1);
}

static unsigned char *read_all(const char *path, size_t *size) {
    int file = open(path, O_RDONLY);
    *size = file >= 0 ? (size_t)disk_size(file) : 0;
    unsigned char *bytes = malloc(*size + 1);
    must(bytes && (file < 0 || disk_read(file, 0, *size, bytes)), path);
    if (file >= 0) close(file);
    return bytes;
}

static void write_all(const char *path, const unsigned char *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(file >= 0 && disk_write(file, 0, size, bytes), path);
    close(file);
}

/* Every other page of the last commit is in place. */
static void apply_half(const char *path, const char *journal_path) {
    int file = open(path, O_RDWR), journal = open(journal_path, O_RDONLY);
    uint64_t id, turn = 0;
    journal_head head;
    journal_record record;
    page_set pages = {0};
    seal_sums sums = {0};
    must(disk_read(file, offsetof(seal_head, id), sizeof id, &id) && journal_look(journal, &head) == JOURNAL_WHOLE &&
             journal_load(journal, journal_find(&head, id), &record, &pages, &sums) && pages.count > 4,
         "a journal");
    for (size_t i = 0; i < pages.slots; i++)
        if (pages.slot[i] && turn++ % 2)
            must(disk_write(file, pages.slot[i]->number * PAGE, PAGE, pages.slot[i]->bytes), "a page");
    page_clear(&pages);
    seal_clear(&sums);
    close(file);
    close(journal);
}

static void make_samples(void) {
    for (sample_kind k = 0; k < KINDS; k++) {
        const char *path = in_folder("sample.h5"), *journal = in_folder("sample.h5.journal");
        unlink(path);
        unlink(journal);
        int status = -1;
        pid_t child = fork();
        if (child == 0) run_and_die(path, k);
        waitpid(child, &status, 0);
        must(status == 0, "a run failed");
        if (k == HALFWAY) apply_half(path, journal);
        sample *s = &samples[k];
        s->file = read_all(path, &s->file_size);
        s->journal = read_all(journal, &s->journal_size);
        s->rows = k == BEHIND || k == HALFWAY ? ROWS + MORE : ROWS;
        must((s->journal_size > 0) == (k > INTERRUPTED), "a journal is missing");
    }
}

/* ---- damages */

typedef struct bytes {
    unsigned char *of;
    size_t size;
} bytes;

static size_t below(uint64_t *random, size_t limit) {
    return (size_t)(campaign_random(random) * (double)limit);
}

static void flip(bytes *b, uint64_t *random) {
    if (b->size) b->of[below(random, b->size)] ^= (unsigned char)(1 << below(random, 8));
}

static void flip_many(bytes *b, uint64_t *random) {
    for (size_t n = 2 + below(random, 50); n > 0; n--) flip(b, random);
}

static size_t some_block(const bytes *b, uint64_t *random, size_t *length) {
    static const size_t sizes[] = {16, 512, 4096, 8192, 65536};
    *length = sizes[below(random, 5)];
    if (campaign_random(random) < 0.3) *length = 1 + below(random, *length);
    size_t at = below(random, b->size);
    if (campaign_random(random) < 0.5) at -= at % (*length & -*length); /* as disks lose them */
    if (*length > b->size - at) *length = b->size - at;
    return at;
}

static void lose_block(bytes *b, uint64_t *random) {
    size_t length, at = some_block(b, random, &length);
    memset(b->of + at, campaign_random(random) < 0.8 ? 0 : 0xff, length);
}

static void scramble_block(bytes *b, uint64_t *random) {
    size_t length, at = some_block(b, random, &length);
    for (size_t i = 0; i < length; i++) b->of[at + i] = (unsigned char)below(random, 256);
}

static void misplace_block(bytes *b, uint64_t *random) {
    size_t length, at = some_block(b, random, &length), from = below(random, b->size - length + 1);
    memmove(b->of + at, b->of + from, length);
}

static void cut(bytes *b, uint64_t *random) {
    b->size = below(random, b->size + 1);
    if (campaign_random(random) < 0.3) b->size -= b->size % 4096;
}

/* Bytes that are missing in the middle: everything after them has moved. */
static void shift(bytes *b, uint64_t *random) {
    size_t length, at = some_block(b, random, &length);
    memmove(b->of + at, b->of + at + length, b->size - at - length);
    b->size -= length;
}

static const struct {
    const char *name;
    void (*act)(bytes *b, uint64_t *random);
} damages[] = {{"flip", flip},
               {"flip", flip},
               {"flips", flip_many},
               {"lost block", lose_block},
               {"noise", scramble_block},
               {"misplaced block", misplace_block},
               {"cut", cut},
               {"shift", shift}};

/* ---- what must hold */

enum { RIGHT, REFUSED, RESUMED, NOT_RESUMED, PROGRAMS };

static bool check_column(result_reader *r, int c, long rows, double (*expected)(long, int), double *values) {
    if (result_read(r, c, 0, rows, values, NULL)) return false;
    for (long i = 0; i < rows; i++) {
        double right = expected(i, c);
        if (memcmp(&values[i], &right, sizeof right) != 0) return false;
    }
    return true;
}

static bool check_texts(result_reader *r) {
    int count = 0;
    const char *title = result_text(r, "title"), *text = result_text(r, "scene");
    double *numbers = result_numbers(r, "parameter_values", &count);
    bool fine = title && !strcmp(title, "Damaged") && text && !strcmp(text, scene) && count == 1 && numbers[0] == 2.5 &&
                result_parameters(r) == 1 && !strcmp(result_parameter(r, 0), "m");
    free(numbers);
    return fine;
}

/* Everything that a reader can ask for. */
static bool is_right(result_reader *r, long rows, const char *status) {
    static double values[ALL];
    result_reader *e = result_events(r);
    const char *found = result_text(r, "status");
    bool fine = result_rows(r) == rows && result_columns(r) == COLUMNS && found && !strcmp(found, status) && e &&
                result_rows(e) == events_before(rows) && result_columns(e) == EVENT_COLUMNS && check_texts(r);
    for (int c = 0; fine && c < COLUMNS; c++)
        fine = !strcmp(result_name(r, c), names[c]) && !strcmp(result_unit(r, c), units[c]) &&
               check_column(r, c, rows, value, values);
    for (int c = 0; fine && c < EVENT_COLUMNS; c++)
        fine =
            !strcmp(result_name(e, c), event_names[c]) && check_column(e, c, events_before(rows), event_value, values);
    return fine && !strcmp(result_contact(e, 1), "floor") && !strcmp(result_kind(e, 0), "strike");
}

static void expect_sentence(campaign_case *c, const char *what, const carom_error *error) {
    size_t length = strlen(error->message);
    if (campaign_loud) printf("%s: %s\n", what, error->message);
    if (length < 10 || strchr(error->message, '\n')) campaign_violation(c, "%s: no sentence", what);
}

static bool read_it(campaign_case *c, const char *path, long rows, const char *status) {
    result_reader *r;
    carom_error error = {0};
    if (result_open(path, &r, &error)) {
        expect_sentence(c, "reading", &error);
        c->count[REFUSED]++;
        return false;
    }
    bool right = is_right(r, rows, status);
    if (!right) campaign_violation(c, "wrong data are read");
    c->count[RIGHT]++;
    result_close(r);
    return right;
}

static void resume_it(campaign_case *c, const char *path, const sample *s, bool finished_before) {
    result_writer *w;
    double state[STATE];
    long step = -1;
    bool finished;
    carom_error error = {0};
    if (result_resume(path, &info, COLUMNS, names, STATE, &w, state, &step, &finished, &error)) {
        expect_sentence(c, "going on", &error);
        c->count[NOT_RESUMED]++;
        return;
    }
    c->count[RESUMED]++;
    if (finished != finished_before) campaign_violation(c, "finished is %d", finished);
    if (finished) return;
    bool right = step == s->rows - 1;
    for (int k = 0; k < STATE; k++) right = right && state[k] == (double)step * k + 0.25;
    if (!right) campaign_violation(c, "goes on from a wrong state, step %ld", step);
    if (!right || !append(w, step + 1, ALL) || !finish(w, "finished")) campaign_violation(c, "cannot go on");
    else if (!read_it(c, path, ALL, "finished")) campaign_violation(c, "the damage is carried on");
}

/* A command of the program: what it prints without damage, or one line. */
static void run_program(campaign_case *c, const char *command, const char *path, const char *folder) {
    char line[1200];
    const char *program = getenv("CAROM_PROGRAM");
    if (!program) return;
    snprintf(line, sizeof line,
             "cd '%s' && '%s' %s >stdout 2>stderr && exit 0; code=$?; [ $code -le 2 ] || exit 3; "
             "[ \"$(wc -l <stderr)\" = 1 ] || exit 4; exit 0",
             folder, program, command);
    int status = system(line);
    if (status != 0) campaign_violation(c, "'%s' of %s ends with %d", command, path, WEXITSTATUS(status));
    c->count[PROGRAMS]++;
}

/* ---- one damage */

static void put(const char *path, const char *journal, const bytes *file, const bytes *log) {
    write_all(path, file->of, file->size);
    if (log->size) write_all(journal, log->of, log->size);
    else unlink(journal);
}

static bytes copy(const unsigned char *of, size_t size) {
    bytes b = {malloc(size + 1), size};
    must(b.of != NULL, "memory");
    memcpy(b.of, of, size);
    return b;
}

/* Damages the result, its journal or both; the name of what happened. */
static const char *harm(const sample *s, bytes *file, bytes *journal, uint64_t *random) {
    double which = campaign_random(random);
    size_t k = below(random, sizeof damages / sizeof *damages);
    if (s->journal_size && which < 0.02) return journal->size = 0, "lost journal";
    if (!s->journal_size || which < 0.6) damages[k].act(file, random);
    if (s->journal_size && which > 0.55) damages[k].act(journal, random);
    return damages[k].name;
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t random = number;
    sample_kind kind = (sample_kind)(number % KINDS);
    const sample *s = &samples[kind];
    char folder[400], path[500], journal[500], command[600];
    snprintf(folder, sizeof folder, "%s/%llu", the_folder(), (unsigned long long)number);
    snprintf(path, sizeof path, "%s/x.h5", folder);
    snprintf(journal, sizeof journal, "%s/x.h5.journal", folder);
    mkdir(folder, 0777);
    bytes file = copy(s->file, s->file_size), log = copy(s->journal, s->journal_size);
    const char *what = harm(s, &file, &log, &random);
    if (campaign_loud) printf("sample %d: %s\n", (int)kind, what);
    const char *status = kind == FINISHED ? "finished" : kind == INTERRUPTED ? "interrupted" : "running";

    put(path, journal, &file, &log);
    read_it(c, path, s->rows, status);
    put(path, journal, &file, &log);
    resume_it(c, path, s, kind == FINISHED);
    if (number % 40 == 0) {
        static const char *const commands[] = {"export x.h5 --csv", "events x.h5", "plot x.h5 x --out x.svg"};
        put(path, journal, &file, &log);
        snprintf(command, sizeof command, "%s", commands[number / 40 % 3]);
        run_program(c, command, path, folder);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) campaign_violation(c, "cannot clear up");
    free(file.of);
    free(log.of);
}

int main(int argc, char **argv) {
    static const campaign damage = {.cases = "damages",
                                    .few = 150,
                                    .patience = 60,
                                    .count = {"read, with the right numbers", "refused, with a sentence",
                                              "gone on with, to the right end", "not gone on with, with a sentence",
                                              "commands of the program"},
                                    .judge = judge};
    make_folder(NULL);
    make_samples();
    int code = campaign_main(&damage, argc, argv);
    for (int k = 0; k < KINDS; k++) free(samples[k].file), free(samples[k].journal);
    remove_folder(NULL);
    return code;
}
