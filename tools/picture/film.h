/* A result as a sequence of drawings: the scene behind it and some of its rows. */
#ifndef CAROM_FILM_H
#define CAROM_FILM_H

#include "picture/found.h"
#include "picture/picture.h"
#include "scene/drawing.h"

/* The numbers of a contact at an instant, with three PF; NAN: not recorded. */
enum { TOUCH_GAP, TOUCH_STATE, TOUCH_PN, TOUCH_PF, TOUCH_NUMBERS = TOUCH_PF + 3 };

typedef struct film {
    carom_scene *scene;
    const drawing *drawing;
    int frames, nq, contacts; /* contacts: those that are drawn */
    long *row;
    double *t, *q;          /* [frames], [frames][nq] */
    double *touch;          /* [frames][contacts][TOUCH_NUMBERS], contacts in the order of the drawing */
    found found;            /* nothing before film_open_found */
    double *numbers;        /* of one frame */
    double dt;              /* percussions act over it */
    double low[3], high[3]; /* the box around everything but planes, in all frames */
    double size;            /* the longest edge of this box; 1 where it is a point */
    shape mark[2];          /* what bodies without a shape look like: points, others */
} film;

carom_status film_open(result_reader *r, const instants *when, film *f, carom_error *error);
/* One frame: the start of a scene. The film owns the scene from now on. name: of its file. */
carom_status film_open_scene(carom_scene *scene, const char *name, film *f, carom_error *error);
void film_close(film *f);

/* The numbers of the drawing at a frame; valid until the next call. */
const double *film_numbers(film *f, int frame);
/* The numbers of the contacts at a frame. */
const double *film_touches(const film *f, int frame);
/* Contacts that were found: opens them, those at a frame (valid until the next call), and the force on the first body.
 */
carom_status film_open_found(film *f, result_reader *r, carom_error *error);
carom_status film_found(film *f, int frame, const found_contact **contacts, long *count, carom_error *error);
void film_found_force(const film *f, const found_contact *contact, double force[3]);
/* What the model says of a contact that is drawn. */
const carom_model_contact *film_contact(const film *f, const drawn *contact);
/* The shapes to draw a body with: its own ones, or a mark. */
int film_shapes(const film *f, const drawn *thing, const shape **shapes);
/* The part of a plane below the other things, in the axes of the plane. */
void film_plane(const film *f, const double place[DRAWN_PLACE], const shape *s, double low[2], double high[2]);
/* The points of a spring with coils between two ends. */
enum { SPRING_COILS = 8, SPRING_POINTS = 16 * SPRING_COILS + 3 };
void film_spring(const film *f, const drawn *spring, const double *ends, double x[SPRING_POINTS][3]);
/* The force on the body, in the world: normal, and friction where its directions are known. touch: of this contact. */
void film_force(const film *f, const drawn *contact, const double *numbers, const double *touch, double force[3]);

/* The position in the world of a point x in a shape of a body with this place. */
void place_point(const double place[DRAWN_PLACE], const shape *s, const double x[3], double y[3]);
void place_direction(const double place[DRAWN_PLACE], const shape *s, const double x[3], double y[3]);

#endif
