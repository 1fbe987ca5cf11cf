/* The drawing of a scene: collected while the model is built, compiled into one tape. */
#include "drawing.h"

#include "error.h"
#include "read.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- collecting */

static carom_status add_thing(draft *d, const drawn *thing) {
    drawing_parts *s = &d->drawn;
    s->thing = arena_grow(d->n->memory, s->thing, s->things, 1, &s->thing_room, sizeof *s->thing);
    if (!s->thing) return carom_error_memory(d->n->error);
    s->thing[s->things] = *thing;
    s->thing[s->things++].first = s->numbers;
    return CAROM_OK;
}

static carom_status add_vectors(draft *d, const vec *x, int count) {
    drawing_parts *s = &d->drawn;
    s->number = arena_grow(d->n->memory, s->number, s->numbers, 3 * count, &s->room, sizeof *s->number);
    if (!s->number) return carom_error_memory(d->n->error);
    for (int i = 0; i < 3 * count; i++) {
        if (x[i / 3].at[i % 3] < 0) return carom_error_memory(d->n->error);
        s->number[s->numbers++] = x[i / 3].at[i % 3];
    }
    return CAROM_OK;
}

/* Shapes of a member from the frame of the scene to its centre of mass; NULL: out of memory. */
static const shape *about_center(draft *d, const member *m, const form *forms, int count) {
    shape *moved = zeros(d, count, sizeof *moved);
    double center[3];
    vec_now(d->n->g, m->center, center);
    for (int i = 0; moved && i < count; i++) {
        moved[i] = form_now(d->n->g, &forms[i]);
        for (int k = 0; k < 3; k++) moved[i].r[k] -= center[k];
    }
    return moved;
}

/* shapes: about the centre of mass */
static carom_status add_body(draft *d, const char *name, const member *m, const shape *shapes, int count) {
    if (!shapes) return carom_error_memory(d->n->error);
    const drawn thing = {
        .kind = DRAWN_BODY, .name = name, .body = m->body.kind, .shape = shapes, .count = count, .ground = !m->body.nu};
    return draft_draw_placed(d, &thing, m->body.pose.r, &m->body.pose.A);
}

static bool same_shape(const shape *a, const shape *b) {
    return a->kind == b->kind && a->hull == b->hull &&
           memcmp(&a->radius, &b->radius, sizeof *a - offsetof(shape, radius)) == 0;
}

/* Many bodies may touch one plane. It is drawn once: equal expressions are one node of the graph. */
static bool is_drawn(const draft *d, const pose *p, const shape *one) {
    const drawing_parts *s = &d->drawn;
    for (int i = 0; i < s->things; i++) {
        const drawn *thing = &s->thing[i];
        const expr *place = s->number + thing->first;
        if (thing->kind == DRAWN_BODY && thing->count == 1 && same_shape(thing->shape, one) &&
            memcmp(place, &p->r, sizeof p->r) == 0 && memcmp(place + 3, &p->A, sizeof p->A) == 0)
            return true;
    }
    return false;
}

carom_status draft_draw_shape(draft *d, const char *name, int i, const form *one) {
    member *m = &d->members.at[i];
    if (one->kind == SHAPE_POINT) return CAROM_OK;
    m->drawn = true;
    const shape *kept = about_center(d, m, one, 1);
    return kept && is_drawn(d, &m->body.pose, kept) ? CAROM_OK : add_body(d, name, m, kept, 1);
}

carom_status draft_draw_points(draft *d, const drawn *thing, const vec *x) {
    carom_status status = add_thing(d, thing);
    return status ? status : add_vectors(d, x, thing->count);
}

carom_status draft_draw_placed(draft *d, const drawn *thing, vec r, const mat *A) {
    const vec place[4] = {r, A->axis[0], A->axis[1], A->axis[2]};
    carom_status status = add_thing(d, thing);
    return status ? status : add_vectors(d, place, 4);
}

carom_status draft_draw_tube(draft *d, const char *name, const int *of, int count, double radius) {
    carom_status status = add_thing(d, &(drawn){.kind = DRAWN_TUBE, .name = name, .count = count, .radius = radius});
    for (int i = 0; i < count && !status; i++) {
        member *m = &d->members.at[of[i]];
        m->drawn = true;
        status = add_vectors(d, &m->body.pose.r, 1);
    }
    return status;
}

carom_status draft_draw_contact(draft *d, const char *name, vec point, vec normal, const vec *tangent, int tangents) {
    vec x[DRAWN_DIRECTIONS] = {point, normal};
    for (int i = 0; i < tangents; i++) x[2 + i] = tangent[i];
    return draft_draw_points(d, &(drawn){.kind = DRAWN_CONTACT, .name = name, .count = 2 + tangents}, x);
}

/* ---- contacts by formulas: draw: {at: [...], normal: [...], tangent1: [...], tangent2: [...]} */

carom_status draft_check_place(draft *d, const node *where, vec x) {
    for (int i = 0; i < 3; i++)
        if (expr_depends(d->n->g, x.at[i], 1 + d->nq, d->nq + d->nu))
            return node_error(d->n->error, where, "where something is drawn may not depend on velocities");
    return CAROM_OK;
}

static carom_status read_place(draft *d, const element *e, const char *key, vec *x, bool *given) {
    carom_status status = read_formulas(d, e, key, x, given);
    return status || !*given ? status : draft_check_place(d, yaml_find(e->value, key), *x);
}

carom_status draft_draw_formula_contact(draft *d, const element *contact) {
    static const char *const keys[] = {"at", "normal", "tangent1", "tangent2"};
    const element e = {contact->name, contact->key, yaml_find(contact->value, "draw"), contact->index};
    vec x[DRAWN_DIRECTIONS];
    bool given[DRAWN_DIRECTIONS];
    if (!e.value) return CAROM_OK;
    if (e.value->kind != NODE_MAP) return node_error(d->n->error, e.value, "'draw' must be a map");
    carom_status status = read_keys(d, &e, "'draw'", "parts", "draw");
    for (int i = 0; i < DRAWN_DIRECTIONS && !status; i++) status = read_place(d, &e, keys[i], &x[i], &given[i]);
    if (!status && (!given[0] || !given[1]))
        status = node_error(d->n->error, e.value, "to draw a contact, give its point as 'at' and its 'normal'");
    for (int i = 1; i < DRAWN_DIRECTIONS && !status; i++)
        if (given[i]) x[i] = vec_direction(d->n->g, x[i]); /* of any length */
    return status ? status : draft_draw_contact(d, e.name, x[0], x[1], x + 2, given[2] ? 1 + given[3] : 0);
}

/* ---- compiling */

bool draft_is_planar(const draft *d) {
    for (int i = 0; i < d->members.count; i++) {
        const body *b = &d->members.at[i].body;
        if (b->kind == BODY_SPATIAL || (b->kind == BODY_POINT && b->nq > 2)) return false;
    }
    return true;
}

static carom_status add_bodies(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->members.count && !status; i++) {
        const member *m = &d->members.at[i];
        if (m->shapes || (m->body.kind != BODY_FRAME && !m->drawn))
            status = add_body(d, m->name, m, about_center(d, m, m->form, m->shapes), m->shapes);
    }
    return status;
}

/* The axis that gravity acts along at the start; z where there is none. */
static carom_status find_up(draft *d, drawing *result) {
    const element model = {.value = d->model, .key = d->model->key};
    vec gravity;
    bool given;
    double g[3] = {0};
    carom_status status = read_formulas(d, &model, "gravity", &gravity, &given);
    for (int i = 0; i < 3 && given && !status; i++) status = draft_start_look(d, gravity.at[i], &g[i]);
    result->up = fabs(g[1]) > fabs(g[2]) ? 1 : 2;
    return status;
}

carom_status draft_finish_drawing(draft *d) {
    drawing *result = zeros(d, 1, sizeof *result);
    if (!result) return carom_error_memory(d->n->error);
    d->n->loose = true;
    carom_status status = draft_add_drawn(d);
    d->n->loose = false;
    if (!status) status = add_bodies(d);
    if (!status) status = find_up(d, result);
    if (status) return status;
    result->planar = draft_is_planar(d) && !d->drawn.lifted;
    const tape_array array = {d->drawn.number, d->drawn.numbers};
    const tape_layout layout = {{0, 1, 1 + d->nq, 1 + d->nq, 1 + d->nq}};
    result->thing = d->drawn.thing, result->things = d->drawn.things, result->numbers = array.count;
    d->scene->drawing = result;
    if (!(result->tape = tape_compile(d->n->g, &array, 1, &layout))) return carom_error_memory(d->n->error);
    result->work = zeros(d, tape_registers(result->tape), sizeof *result->work);
    return result->work ? CAROM_OK : carom_error_memory(d->n->error);
}

int drawn_colour(const drawn *thing, int *colours) {
    bool solid = thing->kind == DRAWN_BODY || thing->kind == DRAWN_TUBE || thing->kind == DRAWN_POLYGON;
    bool plane = thing->kind == DRAWN_BODY && thing->count == 1 && thing->shape->kind == SHAPE_PLANE;
    if (!solid || plane || thing->ground) return -1;
    return thing->alike && *colours > 0 ? *colours - 1 : (*colours)++;
}

void drawing_destroy(drawing *d) {
    if (d) tape_destroy(d->tape);
}

void scene_draw(const carom_scene *scene, double t, const double *q, double *numbers) {
    const double *const blocks[TAPE_BLOCKS] = {&t, q};
    double *const arrays[TAPE_ARRAYS] = {numbers};
    tape_run(scene->drawing->tape, blocks, scene->drawing->work, arrays);
}
