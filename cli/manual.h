/* The tables of commands in other forms: a manual page, completion for shells. */
#ifndef CAROM_MANUAL_H
#define CAROM_MANUAL_H

#include "cli.h"

/* Prints the form with this name: "--man", "--bash" or "--zsh". False: there is no such form. */
bool manual_print(const char *form, const command *const *commands, int count);

#endif
