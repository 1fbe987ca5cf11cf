/* Random planar scenes: point masses, balls, rods and boxes fall, slide and roll on flat, tilted, sloping, hilly or
 * wavy ground, between walls, into each other, on springs and hinges. The same number gives the same text everywhere.
 */
#ifndef TEST_RANDOM_SCENE_H
#define TEST_RANDOM_SCENE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of a sequence, the same on every machine. */
typedef struct random_numbers {
    uint64_t state;
} random_numbers;
double random_between(random_numbers *r, double low, double high);
int random_below(random_numbers *r, int n);

/* The scene with this number as YAML text. Bodies may overlap at the start for some numbers: who loads a scene asks for
 * its gaps. Returns the length of the text, which is cut at size. */
size_t random_scene(uint64_t number, double gravity, char *text, size_t size);

#endif
