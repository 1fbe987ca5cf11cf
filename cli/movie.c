/* carom movie RESULT: the motion as a movie. */
#include "cli.h"
#include "pages.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/movie.h"

static bool read_number(const arguments *a, const char *name, double least, double *number) {
    const char *text = option_value(a, name);
    char *end;
    if (!text) return true;
    *number = strtod(text, &end);
    if (end > text && !*end && *number >= least) return true;
    complain_about(EXIT_BAD_DATA, "%s is a number%s, not '%s'", name, least > 0 ? " above 0" : "", text);
    return false;
}

/* Encoders need even numbers of pixels. */
static bool read_size(const arguments *a, movie *m) {
    const char *text = option_value(a, "--size");
    char rest;
    if (!text) return true;
    if (sscanf(text, "%dx%d%c", &m->width, &m->height, &rest) == 2 && m->width >= 64 && m->height >= 64 &&
        m->width <= 7680 && m->height <= 7680 && m->width % 2 == 0 && m->height % 2 == 0)
        return true;
    complain_about(EXIT_BAD_DATA, "--size is two even numbers of pixels as in 1920x1080, not '%s'", text);
    return false;
}

static bool read_view(const arguments *a, movie *m) {
    static const char *const views[] = {"front", "side", "top", "space"};
    char hint[80];
    m->view = option_value(a, "--view");
    for (int i = 0; i < 4; i++)
        if (!m->view || !strcmp(m->view, views[i])) return true;
    complain_about(EXIT_BAD_DATA, "there is no view '%s'%s (front, side, top, space)", m->view,
                   suggestion(m->view, views, 4, hint, sizeof hint));
    return false;
}

static bool read_movie(const arguments *a, movie *m) {
    double rate = m->rate;
    bool fine = read_size(a, m) && read_view(a, m) && read_number(a, "--rate", 1e-3, &rate) &&
                read_number(a, "--speed", 1e-12, &m->speed) && read_number(a, "--from", -INFINITY, &m->from) &&
                read_number(a, "--to", -INFINITY, &m->to);
    if (fine && (rate != floor(rate) || rate > 240))
        return complain_about(EXIT_BAD_DATA, "--rate is a whole number of pictures a second, up to 240"), false;
    m->rate = (int)rate;
    m->follow = option_value(a, "--follow"), m->plots = option_value(a, "--plots");
    m->dark = option_value(a, "--dark");
    return fine;
}

static void show_progress(void *context, long picture, long pictures) {
    (void)context;
    fprintf(stderr, "\rpicture %ld of %ld%s", picture, pictures, picture < pictures ? "" : "\n");
}

static carom_status write_movie(const arguments *a, const movie *m, const char *out, carom_error *error) {
    result_set set;
    carom_status status = strchr(out, '.') ? check_output(a, out, error) : CAROM_OK; /* otherwise a folder */
    if (status) return status;
    signal(SIGPIPE, SIG_IGN); /* writing to a browser or an encoder that died becomes an error */
    status = results_open(a->words, a->word_count, &set, error);
    if (!status)
        status = movie_write(set.at, set.count, m, out, isatty(STDERR_FILENO) ? show_progress : NULL, NULL, error);
    results_close(&set);
    return status;
}

static int make_movie(const arguments *a) {
    char own[NAME_MAX + 8];
    const char *wanted = option_value(a, "--out"), *out = wanted ? wanted : own;
    movie m = movie_default();
    carom_error error;
    replace_extension(a->words[0], ".mp4", own, sizeof own);
    if (!read_movie(a, &m)) return EXIT_BAD_DATA;
    if (write_movie(a, &m, out, &error)) return complain(&error);
    printf("%s\n", out);
    return EXIT_SUCCESS;
}

static const option options[] = {
    {"--out", "FILE", "the movie: .mp4, .webm, .gif, or a folder for PNG files (default: the result's name, .mp4)"},
    {"--size", "WxH", "pixels (default: 1920x1080)"},
    {"--rate", "N", "pictures a second (default: 60)"},
    {"--speed", "S", "seconds of the motion a second (default: the whole motion in about ten seconds)"},
    {"--from", "T", "from this time on"},
    {"--to", "T", "up to this time"},
    {"--view", "VIEW", "front, side, top or space"},
    {"--follow", "BODY", "the eye follows this body"},
    {"--plots", "PANELS", "panels below the picture, as in 'x;T,V,E'"},
    {"--dark", NULL, "on a dark ground"},
    {0}};

const command movie_command = {
    .name = "movie",
    .usage = "movie RESULT... [--out FILE] [--size WxH] [--rate N] [--speed S] [--from T] [--to T] [--view VIEW] "
             "[--follow BODY] [--plots PANELS] [--dark]",
    .summary = "make a movie of the motion",
    .detail = "Makes a movie of what 'carom view' shows, picture by picture, without a screen. It needs chromium, and\n"
              "ffmpeg for anything but PNG files.\n",
    .options = options,
    .least = 1,
    .most = -1,
    .run = make_movie,
};
