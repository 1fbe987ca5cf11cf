/* A scene as the inside of carom sees it. docs/guide/scene.md is the grammar. */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "alive.h"
#include "names.h"

typedef struct exact_solution exact_solution;
typedef struct drawing drawing;

/* How far 'start: consistent' moved the initial state. */
typedef struct start_shift {
    bool made;
    double position, velocity; /* at most */
    int coordinate, rate;      /* where */
} start_shift;

struct carom_scene {
    arena memory; /* the arena that owns everything below but text and model */
    node *root;   /* extends and overrides resolved */
    char *text;   /* root as YAML */
    table symbols, contacts;
    carom_model *model;
    struct finder *finder;                            /* of contacts that are found; NULL: none */
    const node **g_where, **gamma_where, **gap_where; /* where the model's functions were written */
    const node *infinite; /* where an energy or force was written that is not finite at the start; NULL: unknown */
    start_shift shift;
    carom_run_def run;
    int every;
    int parameters, records, plots;
    const symbol **parameter;
    double *parameter_value;
    const node **record, **plot;
    exact_solution *exact; /* NULL: none */
    /* what a picture needs of the model */
    drawing *drawing;
    int nq;
    const char *const *q_names;
    const carom_model_contact *contact; /* by their numbers in contacts */
    unsigned alive;                     /* ALIVE, until it is destroyed */
};

/* Limits on what a short text may expand to: elements of families, and numbers and names in formulas, with every turn
 * of a sum counted. */
typedef struct scene_limits {
    int elements, values;
} scene_limits;

/* A scene from text that is not a file (no 'extends'); name stands for the file in errors. limits may be NULL: those of
 * carom_scene_load. */
carom_status scene_load_text(const char *text, size_t size, const char *name, const scene_limits *limits,
                             carom_scene **scene, carom_error *error);

/* The same for pictures alone: the model is read, but its equations are not derived; scene->model is NULL. */
carom_status scene_load_drawing(const char *text, size_t size, const char *name, carom_scene **scene,
                                carom_error *error);

/* A scene from the entries of a sketch alone; name stands for the file in errors. */
typedef struct scene_entry {
    const char *text; /* "key=value", or NULL ... */
    const node *tree; /* ... for that of a definition */
} scene_entry;
carom_status scene_load_entries(const scene_entry *entries, int count, const char *name, carom_scene **scene,
                                carom_error *error);

/* May a run start here? |g| <= 1e-8, |g_dot|, |gamma| <= 1e-6 max(1, |u|), gaps >= -1e-8, everything finite.
 * CAROM_DATA names constraint or contact, value and the line that defines it. */
carom_status scene_validate_start(const carom_scene *scene, carom_error *error);

/* An integrator has refused the model or the run: keeps its sentence in error and points at run.integrator. */
carom_status scene_run_error(const carom_scene *scene, carom_error *error);

/* "consistent start: positions moved by up to 0.01 (rod.x), velocities as given"; false: it was not asked for. */
bool scene_shift_text(const carom_scene *scene, char *text, size_t size);

/* Whether all names and patterns under record, plot and units fit one of these columns. */
carom_status scene_check_columns(const carom_scene *scene, int count, const char *const *columns, carom_error *error);

/* The name after this one (NULL: the first) that formulas know and a run records where it is asked for; NULL: none. */
const char *scene_next_askable(const carom_scene *scene, const char *after);

/* The exact solution at t, NaN where the scene does not give it. False: it gives none at all. */
bool scene_exact(const carom_scene *scene, double t, double *q, double *u);
/* Which coordinates and velocities it gives. */
void scene_exact_given(const carom_scene *scene, bool *q, bool *u);

/* The places of everything in the drawing, at (t, q): numbers[drawing->numbers]. */
void scene_draw(const carom_scene *scene, double t, const double *q, double *numbers);

/* ---- between the files of this folder */

/* map must be a map (or NULL) that has no other keys; what: "contact 'floor'". */
carom_status check_keys(const node *map, const char *what, const char *const *keys, int count, carom_error *error);
/* The same with the keys of a word of the vocabulary. */
carom_status check_word(const node *map, const char *what, const char *family, const char *word, carom_error *error);
carom_status check_text(const node *text, const char *what, carom_error *error);

/* picture: reads only what is drawn, without the equations */
carom_status build_model(carom_scene *scene, names *n, bool picture);
carom_status build_run(carom_scene *scene, names *n);
carom_status build_fixed(carom_scene *scene,
                         names *n); /* notes which parameters cannot change, after the model was read */
carom_status build_exact(carom_scene *scene, names *n);
void exact_destroy(exact_solution *x);
/* Moves the model's initial state onto its constraints. */
carom_status scene_start_consistent(carom_scene *scene, carom_error *error);
/* Notes what is not finite at the start. Not OK: out of memory. */
typedef struct finiteness {
    bool rates, energies, forces;
} finiteness;
carom_status start_finite(const carom_scene *scene, finiteness *finite, carom_error *error);
/* M must be positive definite at the start; kinetic is where it was written. */
carom_status check_mass(const carom_scene *scene, const node *kinetic, carom_error *error);

#endif
