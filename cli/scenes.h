/* The scenes that come with carom. */
#ifndef CAROM_SCENES_H
#define CAROM_SCENES_H

#include <stdbool.h>

/* Path and title of all of them; returns the exit code. */
int list_scenes(void);
/* The scene in the file with this name, without folder and extension; false: there is none. */
bool describe_scene(const char *name);

#endif
