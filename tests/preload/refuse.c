/* Memory that runs out: preloaded into the program, its allocation number REFUSE, from 0, fails. How many there were is
 * written to the file REFUSE_COUNT. Allocations of the libraries that the program uses, and of the processes that it
 * starts, do not count: what those do about it is theirs. */
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t line, size_t size);

#define VISIBLE __attribute__((visibility("default")))
#define CALLER ((ElfW(Addr))__builtin_return_address(0))

static ElfW(Addr) first, last; /* of the program's code */
static long allocations, refused = -1;
static char count_path[4096];

/* The program comes first. */
static int find_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        first = info->dlpi_addr + part->p_vaddr;
        last = first + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("REFUSE"), *path = getenv("REFUSE_COUNT");
    dl_iterate_phdr(find_code, NULL);
    if (number) refused = strtol(number, NULL, 10);
    if (path) snprintf(count_path, sizeof count_path, "%s", path);
    unsetenv("LD_PRELOAD");
    allocations = 0;
}

__attribute__((destructor)) static void end(void) {
    FILE *out = count_path[0] ? fopen(count_path, "w") : NULL;
    if (!out) return;
    fprintf(out, "%ld\n", allocations);
    fclose(out);
}

static bool refuses(ElfW(Addr) caller) {
    return caller >= first && caller < last && allocations++ == refused;
}

VISIBLE void *malloc(size_t size) {
    return refuses(CALLER) ? NULL : __libc_malloc(size);
}

VISIBLE void *calloc(size_t count, size_t size) {
    return refuses(CALLER) ? NULL : __libc_calloc(count, size);
}

VISIBLE void *realloc(void *old, size_t size) {
    return refuses(CALLER) ? NULL : __libc_realloc(old, size);
}

VISIBLE void *aligned_alloc(size_t line, size_t size) {
    return refuses(CALLER) ? NULL : __libc_memalign(line, size);
}

VISIBLE char *strndup(const char *text, size_t most) {
    size_t length = strnlen(text, most);
    char *copy = refuses(CALLER) ? NULL : __libc_malloc(length + 1);
    if (!copy) return NULL;
    copy[length] = '\0';
    return memcpy(copy, text, length);
}

VISIBLE char *strdup(const char *text) {
    char *copy = refuses(CALLER) ? NULL : __libc_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* What a pointer is that got no text is not said: here, nothing to be freed. */
static int print(char **text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *text = length < 0 ? NULL : __libc_malloc((size_t)length + 1);
    return *text ? vsnprintf(*text, (size_t)length + 1, format, arguments) : -1;
}

static int print_nothing(char **text) {
    *text = (char *)text;
    return -1;
}

VISIBLE int vasprintf(char **text, const char *format, va_list arguments) {
    return refuses(CALLER) ? print_nothing(text) : print(text, format, arguments);
}

VISIBLE int asprintf(char **text, const char *format, ...) {
    if (refuses(CALLER)) return print_nothing(text);
    va_list arguments;
    va_start(arguments, format);
    int length = print(text, format, arguments);
    va_end(arguments);
    return length;
}
#endif
