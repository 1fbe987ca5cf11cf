/* carom help --man | --bash | --zsh: files for packages, from the tables that the help of each command uses. */
#include "manual.h"

#include <stdio.h>
#include <string.h>

typedef const command *const *command_list;

static const option *first_option(const command *c) {
    static const option none = {0};
    return c->options ? c->options : &none;
}

/* ---- the manual page, roff */

/* Escapes dots and quotes at the start of a line, which would be requests, and hyphens, which would be typeset. */
static void print_roff(const char *text) {
    bool starts = true;
    for (const char *c = text; *c; c++) {
        if (starts && (*c == '.' || *c == '\'')) printf("\\&");
        if (*c == '\\') printf("\\e");
        else if (*c == '-') printf("\\-");
        else putchar(*c);
        starts = *c == '\n';
    }
}

static void print_roff_options(const command *c) {
    for (const option *o = first_option(c); o->name; o++) {
        printf(".TP\n\\fB");
        print_roff(o->name);
        printf("\\fR%s%s%s\n", o->value ? " \\fI" : "", o->value ? o->value : "", o->value ? "\\fR" : "");
        print_roff(o->meaning);
        printf("\n");
    }
}

static void print_man(command_list commands, int count) {
    printf(".TH CAROM 1 \"\" \"carom %s\" \"User Commands\"\n", carom_version());
    printf(".SH NAME\ncarom \\- nonsmooth mechanics: impacts and friction\n");
    printf(".SH SYNOPSIS\n.B carom\n.I COMMAND\n[arguments]\n.SH COMMANDS\n");
    for (int i = 0; i < count; i++) {
        printf(".SS ");
        print_roff(commands[i]->summary);
        printf("\n\\fBcarom\\fR ");
        print_roff(commands[i]->usage);
        printf("\n.PP\n");
        print_roff(commands[i]->detail);
        print_roff_options(commands[i]);
    }
    printf(".SH EXIT STATUS\n0 good, 1 the run failed, 2 the input is wrong, 130 interrupted.\n");
    printf(".SH SEE ALSO\nThe guide, in the folder doc/carom of the installation.\n");
}

/* ---- completion for bash */

static void print_bash(command_list commands, int count) {
    printf("# bash completion for carom\n_carom() {\n    local word=${COMP_WORDS[COMP_CWORD]} options=\n");
    printf("    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (int i = 0; i < count; i++) printf("%s ", commands[i]->name);
    printf("help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < count; i++) {
        printf("    %s) options='", commands[i]->name);
        for (const option *o = first_option(commands[i]); o->name; o++) printf("%s ", o->name);
        printf("--help' ;;\n");
    }
    printf("    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n");
    printf("    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\ncomplete -o filenames -F _carom carom\n");
}

/* ---- completion for zsh */

/* Escapes text for single quotes, and for the specifications of _arguments and _describe, which end at brackets and
 * colons. */
static void print_zsh_text(const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '\'') printf("'\\''");
        else if (strchr("[]:\\", *c)) printf("\\%c", *c);
        else putchar(*c);
    }
}

static void print_zsh_options(const command *c) {
    for (const option *o = first_option(c); o->name; o++) {
        printf(" \\\n        '*%s[", o->name);
        print_zsh_text(o->meaning);
        printf("]");
        if (o->value) printf(":%s:_files", o->value);
        printf("'");
    }
}

static void print_zsh(command_list commands, int count) {
    printf("#compdef carom\nlocal -a commands\nif (( CURRENT == 2 )); then\n    commands=(");
    for (int i = 0; i < count; i++) {
        printf("\n        '%s:", commands[i]->name);
        print_zsh_text(commands[i]->summary);
        printf("'");
    }
    printf("\n        'help:about the commands')\n    _describe command commands\n    return\nfi\n");
    printf("shift words\n(( CURRENT-- ))\ncase $words[1] in\n");
    for (int i = 0; i < count; i++) {
        printf("%s)\n    _arguments", commands[i]->name);
        print_zsh_options(commands[i]);
        printf(" \\\n        '*:file:_files' ;;\n");
    }
    printf("*) _files ;;\nesac\n");
}

bool manual_print(const char *form, command_list commands, int count) {
    static const struct {
        const char *name;
        void (*print)(command_list commands, int count);
    } forms[] = {{"--man", print_man}, {"--bash", print_bash}, {"--zsh", print_zsh}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(form, forms[i].name)) return forms[i].print(commands, count), true;
    return false;
}
