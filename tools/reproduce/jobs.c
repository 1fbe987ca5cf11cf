#include "reproduce/jobs.h"

#include "error.h"
#include "reproduce/key.h"
#include "result/result.h"
#include "result/store.h"
#include "study/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const long PERIOD = 100000000; /* nanoseconds between two looks at a lock */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- what there is to do */

static job *find_job(const jobs *j, const char *key) {
    for (int i = 0; i < j->count; i++)
        if (!strcmp(j->all[i]->key, key)) return j->all[i];
    return NULL;
}

/* A run is complete if its result says how it ended; a study, if it has its table and the picture, which is written
 * last. What is missing or cut off, as on a full disk, is computed again. */
static bool is_complete(const job *x) {
    result_reader *reader;
    carom_error reason;
    if (x->table) return !access(x->table, R_OK) && !access(x->picture, R_OK);
    if (result_open(x->output, &reader, &reason)) return false;
    const char *status = result_text(reader, "status");
    bool ended = status && (!strcmp(status, "finished") || !strncmp(status, "failed", 6));
    result_close(reader);
    return ended;
}

/* The file that marks a job as done holds the time it took. */
static void look_up(job *x) {
    FILE *done = fopen(x->done, "r");
    if (!done) return;
    x->cached = x->finished = fscanf(done, "%lf", &x->seconds) == 1 && is_complete(x);
    fclose(done);
}

static bool name_outputs(jobs *j, job *x) {
    static const char *const tables[] = {[SOURCE_CONVERGE] = "converge.csv", [SOURCE_COMPARE] = "compare.csv"};
    const source_kind kind = x->source->kind;
    const bool study = kind != SOURCE_RUN;
    x->output = arena_format(&j->memory, "%s/%s%s", j->cache, x->key, study ? "" : ".h5");
    x->done = arena_format(&j->memory, "%s/%s.done", j->cache, x->key);
    x->log = arena_format(&j->memory, "%s/%s.log", j->cache, x->key);
    if (study) x->table = arena_format(&j->memory, "%s/%s/%s", j->cache, x->key, tables[kind]);
    if (study) x->picture = arena_format(&j->memory, "%s/%s.svg", j->cache, x->key);
    return x->output && x->done && x->log && (!study || (x->table && x->picture));
}

static carom_status add_job(jobs *j, const char *figure, source *s, const char *key, carom_error *error) {
    job *x = arena_get(&j->memory, sizeof *x);
    if (!x) return carom_error_memory(error);
    *x = (job){.source = s, .figure = figure, .minutes = s->minutes};
    memcpy(x->key, key, sizeof x->key);
    if (!name_outputs(j, x)) return carom_error_memory(error);
    look_up(x);
    j->cached += x->cached;
    j->all[j->count++] = s->job = x;
    return CAROM_OK;
}

static carom_status add_figure(jobs *j, recipes *r, const paper_recipe *p, figure_recipe *f, carom_error *error) {
    const char *name = arena_format(&j->memory, "%s/%s", p->name, f->name);
    carom_status status = name ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < f->source_count && !status; i++) {
        source *s = &f->sources[i];
        char key[KEY_LENGTH + 1];
        if (s->skip) continue;
        status = key_of_source(r->root, j->version, s, key, error);
        if (status) break;
        if (!(s->job = find_job(j, key))) status = add_job(j, name, s, key, error);
        else s->job->minutes = fmax(s->job->minutes, s->minutes);
    }
    return status;
}

/* Holds the lock as long as this process or one of its children lives. Waits a moment for the children of a killed
 * process. Where the file system has no locks, there is none. */
static carom_status lock_cache(jobs *j, carom_error *error) {
    enum { LOOKS = 20 };
    char reason[128];
    const char *path = arena_format(&j->memory, "%s/lock", j->cache);
    if (!path) return carom_error_memory(error);
    if (!(j->lock = fopen(path, "w")))
        return carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(errno, reason, sizeof reason));
    for (int i = 0; flock(fileno(j->lock), LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; i++) {
        if (i == LOOKS)
            return carom_error_set(error, CAROM_DATA,
                                   "%s: another reproduction is at work here; wait for it, or choose another --out",
                                   j->cache);
        nanosleep(&(struct timespec){0, PERIOD}, NULL);
    }
    return CAROM_OK;
}

static int longest_first(const void *a, const void *b) {
    double x = (*(job *const *)a)->minutes, y = (*(job *const *)b)->minutes;
    return (x < y) - (x > y);
}

carom_status jobs_create(recipes *r, const char *program, const char *cache, jobs *j, carom_error *error) {
    int most = 0;
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count; f++) most += r->papers[p].figures[f].source_count;
    *j = (jobs){.program = program, .root = r->root, .cache = cache};
    if (!(j->all = arena_get(&j->memory, (size_t)(most + 1) * sizeof *j->all))) return carom_error_memory(error);
    carom_status status = lock_cache(j, error);
    if (!status) status = key_of_file(program, j->version, error);
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count && !status; f++)
            status = add_figure(j, r, &r->papers[p], &r->papers[p].figures[f], error);
    qsort(j->all, (size_t)j->count, sizeof *j->all, longest_first);
    return status;
}

/* ---------------------------------------------------------------- what is of no use any more */

/* Whether "KEY" of a study, "KEY.h5", "KEY.done", ... was computed by another version. */
static bool is_old(const jobs *j, const char *name) {
    return strspn(name, "0123456789abcdef") == KEY_LENGTH && (!name[KEY_LENGTH] || name[KEY_LENGTH] == '.') &&
           strncmp(name, j->version, KEY_VERSION) != 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at) {
    (void)info, (void)kind, (void)at;
    remove(path);
    return 0;
}

int jobs_forget_others(const jobs *j) {
    enum { DESCRIPTORS = 8 };
    int count = 0;
    char path[4096];
    DIR *cache = opendir(j->cache);
    for (const struct dirent *entry; cache && (entry = readdir(cache));) {
        if (!is_old(j, entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", j->cache, entry->d_name);
        nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
        count += !strcmp(entry->d_name + KEY_LENGTH, ".done");
    }
    if (cache) closedir(cache);
    return count;
}

void jobs_destroy(jobs *j) {
    if (j->lock) fclose(j->lock);
    arena_release(&j->memory);
}

/* ---------------------------------------------------------------- one child */

/* A run goes on from its result if that can be read; otherwise it starts anew, as a study does. */
static void clear_away(const job *x) {
    result_reader *reader;
    carom_error reason;
    if (x->picture) unlink(x->picture);
    else if (result_open(x->output, &reader, &reason)) unlink(x->output);
    else result_close(reader);
}

/* carom WORDS --out OUTPUT --quiet */
static carom_status list_words(jobs *j, job *x, carom_error *error) {
    static const char *const run_options[] = {"--resume", NULL};
    static const char *const study_options[] = {"--jobs", "1", "--figure", NULL};
    const source *s = x->source;
    const char **words = arena_get(&j->memory, (size_t)(s->word_count + 16) * sizeof *words);
    if (!words) return carom_error_memory(error);
    int count = 0;
    words[count++] = "carom";
    for (int i = 0; i < s->word_count; i++) words[count++] = s->words[i];
    for (const char *const *o = x->picture ? study_options : run_options; *o; o++) words[count++] = *o;
    if (x->picture) words[count++] = x->picture;
    words[count++] = "--out", words[count++] = x->output, words[count++] = "--quiet";
    x->words = words;
    return CAROM_OK;
}

/* Starts it in the folder to which the names of scenes refer. */
static void execute(const jobs *j, const job *x) {
    int log = open(x->log, O_WRONLY | O_CREAT | O_TRUNC, 0666), nothing = open("/dev/null", O_RDWR);
    if (log < 0 || nothing < 0 || chdir(j->root) != 0) _exit(127);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(j->program, (char *const *)x->words);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", j->program, strerror(errno));
    _exit(127);
}

/* The last line it said. */
static const char *complaint(jobs *j, const job *x, int code) {
    char line[1024], last[1024] = "";
    FILE *log = fopen(x->log, "r");
    while (log && fgets(line, sizeof line, log))
        if (line[strspn(line, " \n")]) memcpy(last, line, sizeof last);
    if (log) fclose(log);
    last[strcspn(last, "\n")] = '\0';
    const char *text = last[0]      ? arena_text(&j->memory, last, strlen(last))
                       : code > 128 ? arena_format(&j->memory, "the command was ended by signal %d", code - 128)
                                    : arena_format(&j->memory, "the command ended with exit code %d", code);
    return text ? text : "out of memory";
}

static void mark_done(const job *x) {
    char partial[4096];
    snprintf(partial, sizeof partial, "%s.new", x->done);
    FILE *done = fopen(partial, "w");
    if (!done) return;
    bool fine = fprintf(done, "%.3f\n", x->seconds) > 0;
    if (fclose(done) == 0 && fine) rename(partial, x->done);
}

static void finish(jobs *j, job *x, int status) {
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    bool interrupted = code == 130 || code == 128 + SIGINT || code == 128 + SIGTERM;
    x->at_work = false;
    x->seconds = now() - x->started;
    if (interrupted) return;
    x->finished = true;
    if ((code == 0 || (code == 1 && x->source->may_fail)) && is_complete(x)) mark_done(x);
    else x->failure = complaint(j, x, code);
}

/* ---------------------------------------------------------------- all of them */

/* Scales the expected times of the other jobs by how the finished ones compare with theirs. */
static double time_left(const jobs *j, int workers) {
    double took = 0, expected = 0, left = 0, time = now();
    for (int i = 0; i < j->count; i++) {
        const job *x = j->all[i];
        if (x->cached) continue;
        if (x->finished) took += x->seconds, expected += 60 * x->minutes;
        else left += fmax(60 * x->minutes - (x->at_work ? time - x->started : 0), 0);
    }
    double pace = expected > 0 ? took / expected : 1;
    return pace * left / workers;
}

typedef struct shift { /* one call of jobs_execute */
    jobs *jobs;
    job **left; /* what is not cached */
    int workers;
    jobs_watch watch;
    void *context;
    bool go_on;
} shift;

static void report_progress(shift *s, const job *ended) {
    const jobs *j = s->jobs;
    jobs_progress p = {.count = j->count, .ended = ended};
    for (int i = 0; i < j->count; i++) p.finished += j->all[i]->finished;
    p.left = time_left(j, s->workers);
    s->go_on = s->watch(s->context, &p) && s->go_on;
}

static carom_status begin(void *self, int i, carom_error *error) {
    shift *s = self;
    job *x = s->left[i];
    clear_away(x);
    x->started = now();
    x->at_work = true;
    return list_words(s->jobs, x, error);
}

static void work(void *self, int i) {
    const shift *s = self;
    execute(s->jobs, s->left[i]);
}

static void end(void *self, int i, int status) {
    shift *s = self;
    finish(s->jobs, s->left[i], status);
    report_progress(s, s->left[i]);
}

static bool watch_all(void *self) {
    shift *s = self;
    report_progress(s, NULL);
    return s->go_on;
}

/* SIGTERM ends the jobs: a run writes what it has and can be resumed, a study starts anew. */
carom_status jobs_execute(jobs *j, int workers, jobs_watch watch, void *context, carom_error *error) {
    shift s = {.jobs = j, .workers = workers, .watch = watch, .context = context, .go_on = true};
    pool p = {.workers = workers,
              .stop = SIGTERM,
              .period = 100,
              .context = &s,
              .begin = begin,
              .work = work,
              .end = end,
              .watch = watch_all};
    if (!(s.left = arena_get(&j->memory, (size_t)(j->count + 1) * sizeof *s.left))) return carom_error_memory(error);
    for (int i = 0; i < j->count; i++)
        if (!j->all[i]->finished) s.left[p.count++] = j->all[i];
    carom_status status = pool_run(&p, error);
    report_progress(&s, NULL);
    return status || s.go_on ? status : carom_error_set(error, CAROM_FAILED, "interrupted");
}
