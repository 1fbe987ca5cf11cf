#include "viewer/movie.h"

#include "error.h"
#include "picture/file.h"
#include "viewer/browser.h"
#include "viewer/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

movie movie_default(void) {
    return (movie){.width = 1920, .height = 1080, .rate = 60, .from = -INFINITY, .to = INFINITY};
}

/* ---- where the pictures go */

typedef struct reel {
    const char *path;
    pid_t encoder;   /* 0: files */
    FILE *out;       /* to the encoder */
    char part[4096]; /* its name until it is complete */
} reel;

static const char *ending(const char *path) {
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

/* Arguments of ffmpeg for an extension, ended by NULL. NULL: this is no extension of a movie. */
static const char *const *coder(const char *end) {
    static const char *const mp4[] = {"-c:v",    "libx264",   "-crf",       "18", "-pix_fmt",
                                      "yuv420p", "-movflags", "+faststart", NULL},
                             *const webm[] = {"-c:v", "libvpx-vp9", "-crf",    "24", "-b:v",
                                              "0",    "-pix_fmt",   "yuv420p", NULL},
                             *const gif[] = {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", NULL};
    return !strcmp(end, ".mp4") ? mp4 : !strcmp(end, ".webm") ? webm : !strcmp(end, ".gif") ? gif : NULL;
}

static carom_status start_encoder(reel *r, const movie *m, carom_error *error) {
    char rate[16];
    int ends[2];
    const char *words[32] = {"ffmpeg", "-y",  "-loglevel",  "error", "-f", "image2pipe",
                             "-c:v",   "png", "-framerate", rate,    "-i", "-"};
    int count = 12;
    snprintf(rate, sizeof rate, "%d", m->rate);
    snprintf(r->part, sizeof r->part, "%s.part%s", r->path, ending(r->path));
    for (const char *const *more = coder(ending(r->path)); *more; more++) words[count++] = *more;
    words[count++] = r->part;
    if (pipe2(ends, O_CLOEXEC)) return carom_error_set(error, CAROM_FAILED, "pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    int number = posix_spawnp(&r->encoder, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (number) {
        r->encoder = 0, close(ends[1]);
        return carom_error_set(error, CAROM_DATA, "%s needs ffmpeg: install it, or name a folder for PNG files",
                               r->path);
    }
    r->out = fdopen(ends[1], "wb");
    return r->out ? CAROM_OK : carom_error_memory(error);
}

static carom_status open_reel(reel *r, const movie *m, carom_error *error) {
    const char *end = ending(r->path);
    if (coder(end)) return start_encoder(r, m, error);
    if (*end)
        return carom_error_set(error, CAROM_DATA, "a movie is .mp4, .webm, .gif or a folder of PNG files, not '%s'",
                               end);
    if (mkdir(r->path, 0777) == 0 || errno == EEXIST) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s: %s", r->path, strerror(errno));
}

static carom_status add_picture(reel *r, browser *b, long number, carom_error *error) {
    char name[4200];
    file f;
    if (r->out) {
        carom_status status = browser_picture(b, r->out, error);
        return !status && ferror(r->out) ? carom_error_set(error, CAROM_FAILED, "ffmpeg has ended before the movie")
                                         : status;
    }
    snprintf(name, sizeof name, "%s/%06ld.png", r->path, number + 1);
    carom_status status = file_create(&f, name, error);
    return status ? status : file_finish(&f, browser_picture(b, f.out, error), error);
}

/* The movie is there complete or not at all. */
static carom_status close_reel(reel *r, carom_status status, carom_error *error) {
    int code = 0;
    if (r->out) fclose(r->out);
    if (r->encoder == 0) return status;
    while (waitpid(r->encoder, &code, 0) < 0 && errno == EINTR) continue;
    if (!status && code != 0) status = carom_error_set(error, CAROM_FAILED, "ffmpeg could not make %s", r->path);
    if (!status && rename(r->part, r->path))
        status = carom_error_set(error, CAROM_DATA, "%s: %s", r->path, strerror(errno));
    if (status) unlink(r->part);
    return status;
}

/* ---- the pictures */

/* Chooses a speed of 1, 2 or 5 times a power of ten, as the clock of the page does. */
static double speed_for(double duration) {
    double exact = duration / 10, power = pow(10, floor(log10(exact))), part = exact / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static carom_status find_span(result_reader *const *results, int count, double *from, double *to, carom_error *error) {
    carom_status status = CAROM_OK;
    *from = INFINITY, *to = -INFINITY;
    for (int i = 0; i < count && !status; i++) {
        int t = result_find(results[i], "t");
        long rows = result_rows(results[i]);
        double first = 0, last = 0;
        if (t < 0 || rows == 0) return carom_error_set(error, CAROM_DATA, "a result holds no rows yet");
        status = result_read(results[i], t, 0, 1, &first, error);
        if (!status) status = result_read(results[i], t, rows - 1, 1, &last, error);
        *from = fmin(*from, first), *to = fmax(*to, last);
    }
    return status;
}

/* The address of the page and what it should show; names are escaped byte by byte. */
static void put_part(FILE *out, const char *key, const char *value) {
    if (!value) return;
    fprintf(out, "&%s=", key);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) fprintf(out, "%%%02X", *c);
}

static carom_status open_page(browser *b, const movie *m, const char *page, double speed, carom_error *error) {
    char *address = NULL;
    size_t size;
    FILE *out = open_memstream(&address, &size);
    if (!out) return carom_error_memory(error);
    fprintf(out, "file://%s#film=1&t=0&speed=%.17g&theme=%s", page, speed, m->dark ? "dark" : "light");
    put_part(out, "view", m->view);
    put_part(out, "follow", m->follow);
    put_part(out, "plots", m->plots);
    carom_status status = fclose(out) ? carom_error_memory(error) : CAROM_OK;
    if (!status) status = browser_open(b, address, "window.carom !== undefined", error);
    free(address);
    return status;
}

static carom_status shoot(browser *b, reel *r, const movie *m, double from, double to, double speed, movie_told told,
                          void *context, carom_error *error) {
    long pictures = (long)floor((to - from) / speed * m->rate + 1e-9) + 1;
    carom_status status = CAROM_OK;
    for (long k = 0; k < pictures && !status; k++) {
        char text[64];
        snprintf(text, sizeof text, "carom.seek(%.17g)", from + (double)k * speed / m->rate);
        status = browser_run(b, text, error);
        if (!status) status = add_picture(r, b, k, error);
        if (told) told(context, k + 1, pictures);
    }
    return status;
}

carom_status movie_write(result_reader *const *results, int count, const movie *m, const char *path, movie_told told,
                         void *context, carom_error *error) {
    double from, to;
    carom_status status = find_span(results, count, &from, &to, error);
    if (status) return status;
    from = fmax(from, m->from), to = fmin(to, m->to);
    if (!(from <= to)) return carom_error_set(error, CAROM_DATA, "there is nothing recorded between --from and --to");
    double speed = m->speed > 0 ? m->speed : to > from ? speed_for(to - from) : 1;
    char page[128];
    reel r = {.path = path};
    browser b;
    status = browser_start(&b, m->width, m->height, error);
    snprintf(page, sizeof page, "%s/page.html", b.folder);
    if (!status) status = viewer_write(results, count, &(viewer_options){0}, page, error);
    if (!status) status = open_page(&b, m, page, speed, error);
    if (!status) {
        status = open_reel(&r, m, error);
        if (!status) status = shoot(&b, &r, m, from, to, speed, told, context, error);
        status = close_reel(&r, status, error);
    }
    browser_close(&b);
    return status;
}
