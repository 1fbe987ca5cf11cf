/* The scenes that come with carom. */
#ifndef CAROM_SCENES_H
#define CAROM_SCENES_H

#include <stdbool.h>

/* Path and title of all of them; returns the exit code. */
int list_scenes(void);
/* The scene whose file has this name, without its folder and ending; false: there is none. */
bool describe_scene(const char *name);

#endif
