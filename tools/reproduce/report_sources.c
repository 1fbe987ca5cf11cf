/* How a figure is made: the commands, and the scenes with all that they extend, file by file as they are. */
#include "reproduce/html.h"
#include "reproduce/report_page.h"
#include "scene/document.h"

#include <string.h>

enum { FILES = 64 }; /* shown with one figure */

typedef struct files {
    const char *path[FILES];
    int count;
} files;

static void write_command(FILE *out, const recipes *r, const source *s) {
    fputs("carom", out);
    for (int i = 0; i < s->word_count; i++) {
        fputc(' ', out);
        html_shell_word(out, recipes_below_root(r, s->words[i]));
    }
    fputc('\n', out);
}

/* Adds the file; false: it is there already. */
static bool add_file(files *all, const char *path) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->path[i], path) == 0) return false;
    if (all->count < FILES) all->path[all->count++] = path;
    return true;
}

/* Every entry of a scene knows the file that it was written in. */
static void add_files_of(files *all, const node *n) {
    if (n->line > 0) add_file(all, n->file);
    for (const node *child = n->first; child; child = child->next) add_files_of(all, child);
}

static void write_file(FILE *out, const recipes *r, const char *path) {
    fputs("<p class=\"file\">", out);
    html_text(out, recipes_below_root(r, path));
    fputs("</p>\n<pre tabindex=\"0\"><code>", out);
    if (!html_file(out, path)) fputs("(cannot be read)", out);
    fputs("</code></pre>\n", out);
}

void page_sources(FILE *out, const recipes *r, const figure_recipe *figure) {
    files all = {0};
    arena memory = {0};
    fputs("<details>\n<summary>Commands and scenes</summary>\n<pre class=\"commands\" tabindex=\"0\"><code>", out);
    for (int i = 0; i < figure->source_count; i++) write_command(out, r, &figure->sources[i]);
    fputs("</code></pre>\n", out);
    for (int i = 0; i < figure->source_count; i++) {
        const char *scene = figure->sources[i].scene;
        node *root;
        if (add_file(&all, scene) && document_load(&memory, scene, "scene", &root, NULL) == CAROM_OK)
            add_files_of(&all, root);
    }
    for (int i = 0; i < all.count; i++) write_file(out, r, all.path[i]);
    fputs("</details>\n", out);
    arena_release(&memory);
}
