/* Recipes: what `carom reproduce` computes, draws and claims. docs/guide/reproduce.md is the grammar. The arena of the
 * recipes owns all that they hold; computation fills in the results later. */
#ifndef CAROM_RECIPE_H
#define CAROM_RECIPE_H

#include "reproduce/measure.h"
#include "scene/yaml.h"

typedef enum source_kind { SOURCE_RUN, SOURCE_CONVERGE, SOURCE_COMPARE } source_kind;

/* What is computed: a run, or a study of many. */
typedef struct source {
    const node *where;
    source_kind kind;
    const char *name;
    const char *scene;  /* path of the scene */
    const char **words; /* the command in root, "run", "SCENE", "--set", ..., without the output; ends with NULL */
    int word_count;
    const char **settings; /* those after --set */
    int setting_count;
    int schemes; /* of a study */
    const char **label, **alias;
    const char *norm;
    double minutes;    /* about so long, on one processor */
    bool may_fail;     /* the run is meant to break off */
    bool skip;         /* left out in quick mode */
    const char *quick; /* what quick mode changed, "run.dt = 1e-4, run.until = 2"; NULL: nothing */

    struct job *job; /* the job that computes it, perhaps for other sources as well */
    data table;
} source;

/* A formula with the names of a source at hand. */
typedef struct formula {
    const node *where; /* NULL: none */
    int home;          /* index of the source; -1: none, or it is left out */
    bool skip;         /* a source that it needs is left out */
} formula;

typedef struct curve_recipe {
    formula x, y; /* x NULL: "t" */
    const char *label;
    int style; /* figure_style */
} curve_recipe;

typedef struct panel_recipe {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    double x_from, x_to, y_from, y_to; /* NaN: by the values */
    curve_recipe *curves;
    int count;
    double *orders;
    int order_count;
} panel_recipe;

typedef enum picture_kind { PICTURE_PANELS, PICTURE_STORYBOARD, PICTURE_COMPARE } picture_kind;

typedef struct picture {
    const node *where;
    picture_kind kind;
    const char *title; /* NULL: none */
    int columns;       /* of panels; 0: by their number */
    panel_recipe *panels;
    int count;
    int source;       /* of a storyboard or a comparison */
    const char *at;   /* "0.1,0.2" */
    const char *view; /* NULL: the default */
    bool trails;

    const char *asset; /* file name among the assets; NULL: it could not be drawn */
    const char *alt;   /* describes it for those who cannot see it */
} picture;

/* The system of a figure: its scene, at the start. */
typedef struct sketch_recipe {
    const node *where; /* NULL: it was not asked for, so it may be missing */
    const char *scene;
    const char **settings; /* "run.dt=1e-3" */
    int count;
    const char *view; /* NULL: the default */

    const char *asset; /* NULL: there is none */
} sketch_recipe;

typedef struct cell {
    const char *text; /* as written, or a number made text */
    formula value;
    const char *format; /* of printf, "%.4g" */
} cell;

typedef struct table_recipe {
    const char *title;
    int compare; /* source of a comparison, whose table this is; -1 */
    int columns, rows;
    const char **head; /* [columns] */
    cell *cells;       /* [rows][columns] */
} table_recipe;

typedef enum verdict { CONFIRMED, CORRECTED, REFUTED, UNREPRODUCIBLE, VERDICTS } verdict;
typedef enum outcome { UNCHECKED, HOLDS, BROKEN } outcome; /* UNCHECKED: left out in quick mode */

typedef struct claim {
    const node *where;
    const char *id; /* "rattle/fig8.2" */
    const char *text;
    const char *printed, *at;         /* what the paper says, and where; "": it does not */
    const char *derived, *derivation; /* a value that follows from the paper, and its derivation; NULL: none */
    const char *unit, *reason;        /* NULL: none */
    const char *tried;                /* for what cannot be reproduced; NULL: none */
    verdict verdict;
    formula *values;
    int count;
    double *least, *greatest; /* [count] what is expected; +-infinity */
    double *near;             /* [count] NaN: bounds alone */
    bool skip;

    double *value; /* [count] */
    outcome outcome;
    const char *failure; /* why it could not be evaluated; NULL */
} claim;

typedef struct figure_recipe {
    const char *name; /* "fig8" */
    const char *file;
    const char *label, *title, *caption; /* "Fig. 8" */
    source *sources;
    int source_count;
    sketch_recipe *sketches;
    int sketch_count;
    picture *pictures;
    int picture_count;
    table_recipe *tables;
    int table_count;
    claim *claims;
    int claim_count;
    const char *failure; /* why something of it could not be computed; NULL */
} figure_recipe;

typedef struct paper_recipe {
    const char *name;                              /* "rattle" */
    const char *title, *authors, *where, *summary; /* summary: Markdown-free text, paragraphs by blank lines */
    figure_recipe *figures;
    int count;
} paper_recipe;

typedef struct recipes {
    arena memory;
    const char *root;  /* the folder with reproduce/ and scenes/; of a study, that of its first recipe */
    const char *style; /* the style sheet of the page */
    bool quick;
    bool study; /* recipes of a user, not of papers */
    paper_recipe *papers;
    int count;
} recipes;

/* Recipes of root/reproduce that fit one of the names ("rattle", "rattle/fig8"); none: all. In their order in
 * reproduce/papers.yaml and the papers' own files. */
carom_status recipes_load(const char *root, bool quick, const char *const *names, int count, recipes *r,
                          carom_error *error);
/* The recipes of files, as one paper called "study". share: the folder with reproduce/. */
carom_status recipes_load_files(const char *share, bool quick, const char *const *files, int count, recipes *r,
                                carom_error *error);
void recipes_destroy(recipes *r);
/* A path below root is written relative to root, any other one as it is. */
const char *recipes_below_root(const recipes *r, const char *path);

#endif
