#include "viewer/browser.h"

#include "error.h"
#include "result/json.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A busy machine without a graphics card draws slowly: wait up to 300 s for an answer or a page, and for a picture in
 * 30 times of 10 s. */
enum { TO = 3, FROM = 4, PATIENCE = 300000, TIMES = 30, TRIES = 6000, PAUSE = 50000, DESCRIPTORS = 16 };

static carom_status no_answer(carom_error *error) {
    return carom_error_set(error, CAROM_FAILED, "the browser does not answer");
}

/* ---- the process */

/* The child has the pipes as descriptors 3 and 4. If pipes of this process have these numbers, they are moved first, or
 * they would be lost. */
static int spawn(browser *b, const int in[2], const int out[2], const char *program, char *const *words) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], TO);
    posix_spawn_file_actions_adddup2(&actions, out[1], FROM);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int number = posix_spawnp(&b->process, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

static bool make_pipe(int ends[2]) {
    int made[2];
    if (pipe2(made, O_CLOEXEC)) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, FROM + 1);
        close(made[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static carom_status launch(browser *b, int width, int height, bool sandbox, carom_error *error) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char data[96], size[48];
    int in[2] = {-1, -1}, out[2] = {-1, -1}, number = ENOENT;
    if (!make_pipe(in) || !make_pipe(out)) return carom_error_set(error, CAROM_FAILED, "pipe: %s", strerror(errno));
    snprintf(data, sizeof data, "--user-data-dir=%s", b->folder);
    snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    char *words[] = {"chromium",
                     "--headless=new",
                     "--remote-debugging-pipe",
                     "--use-gl=angle",
                     "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader",
                     "--disable-dev-shm-usage",
                     "--hide-scrollbars",
                     "--no-first-run",
                     data,
                     size,
                     sandbox ? NULL : "--no-sandbox",
                     NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names && number == ENOENT; i++)
        number = spawn(b, in, out, names[i], words);
    close(in[0]), close(out[1]);
    b->to = in[1], b->from = out[0];
    if (number == 0) return CAROM_OK;
    b->process = 0;
    if (number == ENOENT)
        return carom_error_set(error, CAROM_DATA, "there is no browser: install chromium (scripts/deps --test)");
    return carom_error_set(error, CAROM_FAILED, "chromium: %s", strerror(number));
}

static void end_process(browser *b) {
    if (b->process > 0) kill(b->process, SIGTERM);
    if (b->to >= 0) close(b->to);
    if (b->from >= 0) close(b->from);
    while (b->process > 0 && waitpid(b->process, NULL, 0) < 0 && errno == EINTR) continue;
    b->process = 0, b->to = b->from = -1;
}

/* ---- messages: JSON, each ended by a zero byte */

static bool send_all(const browser *b, const char *text, size_t size) {
    while (size > 0) {
        ssize_t n = write(b->to, text, size);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text += n, size -= (size_t)n;
    }
    return true;
}

/* Reads more bytes of answers; false: none came within `patience` milliseconds. */
static bool receive(browser *b, int patience) {
    struct pollfd in = {.fd = b->from, .events = POLLIN};
    if (b->size == b->room) {
        size_t room = b->room ? 2 * b->room : 1 << 16;
        char *larger = realloc(b->answer, room);
        if (!larger) return false;
        b->answer = larger, b->room = room;
    }
    if (poll(&in, 1, patience) <= 0) return false;
    ssize_t n = read(b->from, b->answer + b->size, b->room - b->size);
    if (n > 0) b->size += (size_t)n;
    return n > 0;
}

/* The next message at the beginning of the buffer. The messages before it are dropped. */
static bool next_message(browser *b, int patience) {
    if (b->next > 0) memmove(b->answer, b->answer + b->next, b->size - b->next), b->size -= b->next;
    b->next = 0;
    for (size_t seen = 0;;) {
        char *end = b->size > seen ? memchr(b->answer + seen, '\0', b->size - seen) : NULL;
        if (end) return b->next = (size_t)(end - b->answer) + 1, true;
        seen = b->size;
        if (!receive(b, patience)) return false;
    }
}

/* parameters: JSON. */
static carom_status send_message(browser *b, const char *method, const char *parameters, carom_error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return carom_error_memory(error);
    fprintf(out, "{\"id\":%d,\"method\":\"%s\",\"params\":%s", ++b->messages, method, parameters);
    if (b->session[0]) fprintf(out, ",\"sessionId\":\"%s\"", b->session);
    fputc('}', out);
    bool sent = fclose(out) == 0 && send_all(b, text, size + 1);
    free(text);
    return sent ? CAROM_OK : no_answer(error);
}

/* The answer to any message from the one with the number `first` on. Events and answers to earlier ones are dropped. */
static bool await(browser *b, int first, int patience) {
    int number;
    while (next_message(b, patience))
        if (sscanf(b->answer, "{\"id\":%d,", &number) == 1 && number >= first) return true;
    return false;
}

static carom_status send_and_wait(browser *b, const char *method, const char *parameters, carom_error *error) {
    carom_status status = send_message(b, method, parameters, error);
    return status || await(b, b->messages, PATIENCE) ? status : no_answer(error);
}

/* The text of a key in the answer. It is base64 or a name, so it has no escapes. NULL: the key is missing. */
static char *text_of(browser *b, const char *key, size_t *length) {
    char *at = strstr(b->answer, key);
    if (!at) return NULL;
    at += strlen(key);
    *length = strcspn(at, "\"");
    return at;
}

/* ---- the page */

static carom_status launch_blank(browser *b, int width, int height, bool sandbox, carom_error *error) {
    carom_status status = launch(b, width, height, sandbox, error);
    return status ? status : send_and_wait(b, "Target.createTarget", "{\"url\":\"about:blank\"}", error);
}

/* How many half pixels of the picture one pixel of the page gets. Text in a large picture should be as large, in
 * proportion, as on a screen with 720 lines. Both edges must stay whole numbers. */
static int halves_per_pixel(int width, int height) {
    for (int halves = 4; halves > 2; halves--)
        if (2 * height >= 720 * halves && 2 * width % halves == 0 && 2 * height % halves == 0) return halves;
    return 2;
}

/* Chromium's sandbox needs user namespaces. root has no use for them, and containers and chroots deny them; then
 * chromium ends at once. The page is carom's own and its policy forbids it to load anything, so it may run without a
 * sandbox. */
carom_status browser_start(browser *b, int width, int height, carom_error *error) {
    char sizes[128];
    size_t length;
    *b = (browser){.to = -1, .from = -1};
    snprintf(b->folder, sizeof b->folder, "/tmp/carom-browser-XXXXXX");
    if (!mkdtemp(b->folder))
        return b->folder[0] = '\0', carom_error_set(error, CAROM_FAILED, "/tmp: %s", strerror(errno));
    const bool sandbox = geteuid() != 0;
    carom_status status = launch_blank(b, width, height, sandbox, error);
    if (status == CAROM_FAILED && sandbox) {
        end_process(b);
        status = launch_blank(b, width, height, false, error);
    }
    const char *target = status ? NULL : text_of(b, "\"targetId\":\"", &length);
    if (target) {
        snprintf(sizes, sizeof sizes, "{\"targetId\":\"%.*s\",\"flatten\":true}", (int)length, target);
        status = send_and_wait(b, "Target.attachToTarget", sizes, error);
    }
    const char *session = status || !target ? NULL : text_of(b, "\"sessionId\":\"", &length);
    if (!status && !session) return no_answer(error);
    if (status) return status;
    snprintf(b->session, sizeof b->session, "%.*s", (int)length, session);
    const int halves = halves_per_pixel(width, height);
    snprintf(sizes, sizeof sizes, "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":%g,\"mobile\":false}",
             2 * width / halves, 2 * height / halves, halves / 2.0);
    return send_and_wait(b, "Emulation.setDeviceMetricsOverride", sizes, error);
}

/* {"key":"text"} */
static carom_status ask_about(browser *b, const char *method, const char *key, const char *value, carom_error *error) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return carom_error_memory(error);
    json_entry(out, "{", key, value);
    fputc('}', out);
    carom_status status = fclose(out) ? carom_error_memory(error) : send_and_wait(b, method, text, error);
    free(text);
    return status;
}

carom_status browser_run(browser *b, const char *expression, carom_error *error) {
    return ask_about(b, "Runtime.evaluate", "expression", expression, error);
}

carom_status browser_open(browser *b, const char *address, const char *ready, carom_error *error) {
    carom_status status = ask_about(b, "Page.navigate", "url", address, error);
    for (int i = 0; i < TRIES && !status; i++) {
        status = browser_run(b, ready, error);
        if (!status && strstr(b->answer, "\"value\":true")) return CAROM_OK;
        usleep(PAUSE);
    }
    return status ? status : carom_error_set(error, CAROM_FAILED, "the browser does not show the page");
}

static int place_in_base64(char c) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

/* Chromium on a busy machine sometimes waits for a frame that nothing makes it draw, until it is asked again. */
static carom_status ask_for_picture(browser *b, carom_error *error) {
    const int first = b->messages + 1;
    for (int i = 0; i < TIMES; i++) {
        carom_status status = send_message(b, "Page.captureScreenshot", "{\"format\":\"png\"}", error);
        if (status || await(b, first, PATIENCE / TIMES)) return status;
    }
    return no_answer(error);
}

carom_status browser_picture(browser *b, FILE *out, carom_error *error) {
    size_t length = 0;
    carom_status status = ask_for_picture(b, error);
    const char *data = status ? NULL : text_of(b, "\"data\":\"", &length);
    if (!status && !data) return no_answer(error);
    unsigned bits = 0;
    for (size_t i = 0; i < length && !status; i++) {
        int six = place_in_base64(data[i]);
        if (six < 0) break;
        bits = bits << 6 | (unsigned)six;
        if (i % 4 > 0) putc((int)(bits >> (6 - 2 * (i % 4)) & 255), out);
    }
    return status;
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *place) {
    (void)file, (void)kind, (void)place;
    return remove(path);
}

void browser_close(browser *b) {
    end_process(b);
    if (b->folder[0]) nftw(b->folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    free(b->answer);
}
