/* What scenes draw for pictures, under 'draw'. */
#include "vocabulary.h"

#define DRAWN_GROUND                                                                                                   \
    { "ground", "false", "true: it does not belong to the mechanism, is grey and hatched" }
#define DRAWN_PLACE                                                                                                    \
    {"at", "the origin", "its middle, formulas of time and coordinates"},                                              \
        {"angle", "0", "a formula: turned from x to y"}, {"rotation", "none", "how it is turned in space"},            \
        {"axis", "z, in the plane x", "of a shape"}, DRAWN_GROUND

static const word_key line_keys[] = {{"line", "required", "[P, Q, ...], or a map of families of points"},
                                     {"radius", "none", "makes it a rod or tube"},
                                     DRAWN_GROUND,
                                     {0}};
static const word_key polygon_keys[] = {{"polygon", "required", "[P, Q, R, ...], filled"}, DRAWN_GROUND, {0}};
static const word_key spring_keys[] = {
    {"spring", "required", "[P, Q], its ends"}, {"radius", "by its length", "of the coils"}, {0}};
static const word_key path_keys[] = {{"path", "required", "P: where the point has been so far"}, {0}};
static const word_key text_keys[] = {{"text", "required", "a word"}, {"at", "the origin", "where it stands"}, {0}};
static const word_key circle_keys[] = {{"circle", "required", "its radius"}, DRAWN_PLACE, {0}};
static const word_key box_keys[] = {{"box", "required", "[a, b], its edges"}, DRAWN_PLACE, {0}};
static const word_key sphere_keys[] = {{"sphere", "required", "its radius"}, DRAWN_PLACE, {0}};
static const word_key capsule_keys[] = {{"capsule", "required", "{radius: r, length: l}"}, DRAWN_PLACE, {0}};
static const word_key cylinder_keys[] = {{"cylinder", "required", "{radius: r, length: l}"}, DRAWN_PLACE, {0}};
static const word_key disk_keys[] = {{"disk", "required", "its radius"}, DRAWN_PLACE, {0}};
static const word_key plane_keys[] = {{"plane", "required", "its outer normal"}, DRAWN_PLACE, {0}};

const scene_word words_drawings[] = {
    {"line", "through two points or more", "draw", "rod: {line: [[0, 0], [x, y]], radius: 0.01}", STAGE_FORMULAS,
     line_keys},
    {"polygon", "through three points or more, filled", "draw", "sail: {polygon: [[0, 0], [x, 0], [x, y]]}",
     STAGE_FORMULAS, polygon_keys},
    {"spring", "coils between two ends", "draw", "coil: {spring: [[0, 0], [x, y]], radius: 0.1}", STAGE_FORMULAS,
     spring_keys},
    {"path", "where a point has been so far", "draw", "trace: {path: [x, y]}", STAGE_FORMULAS, path_keys},
    {"text", "a word at a place", "draw", "label: {text: A, at: [x, y]}", STAGE_FORMULAS, text_keys},
    {"circle", "a disk in the plane", "draw", "ball: {circle: 0.1, at: [x, y], angle: t}", STAGE_FORMULAS, circle_keys},
    {"box", "a box whose middle is at a place", "draw", "block: {box: [0.2, 0.1], at: [x, y]}", STAGE_FORMULAS,
     box_keys},
    {"sphere", "a ball", "draw", "ball: {sphere: 0.1, at: [x, y, 0]}", STAGE_FORMULAS, sphere_keys},
    {"capsule", "everything within a radius of a segment", "draw",
     "pill: {capsule: {radius: 0.1, length: 0.2}, at: [x, y]}", STAGE_FORMULAS, capsule_keys},
    {"cylinder", "a cylinder along its axis", "draw",
     "drum: {cylinder: {radius: 0.1, length: 0.2}, at: [x, y, 0], axis: [0, 0, 1]}", STAGE_FORMULAS, cylinder_keys},
    {"disk", "a flat disk", "draw", "coin: {disk: 0.1, at: [x, y, 0]}", STAGE_FORMULAS, disk_keys},
    {"plane", "the half space below a plane", "draw", "floor: {plane: [0, 1], at: [0, 0]}", STAGE_FORMULAS, plane_keys},
    {0}};
