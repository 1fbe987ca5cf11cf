/* Text on its way into a page. */
#ifndef CAROM_HTML_H
#define CAROM_HTML_H

#include <stdbool.h>
#include <stdio.h>

void html_text(FILE *out, const char *text); /* NULL: nothing */
/* The same with its mathematics typeset: g_N >= 0, x_dot, 10^-3, 2e-12. */
void html_math(FILE *out, const char *text);
/* Paragraphs, which blank lines separate, with their mathematics typeset. */
void html_paragraphs(FILE *out, const char *text);
/* Words as a part of an anchor: letters, digits and '_' stay, anything else becomes '-'. */
void html_anchor(FILE *out, const char *words);
/* A word of a command, in quotes if a shell would change it. */
void html_shell_word(FILE *out, const char *word);
/* The content of a file, as text. false: the file cannot be read. */
bool html_file(FILE *out, const char *path);

#endif
