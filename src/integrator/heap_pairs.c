#include "integrator/heap_pairs.h"

#include "integrator/heap_rims.h"
#include "model/space.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A load goes to a contact whose point is within this part of the size of the smaller solid, and whose normal makes an
 * angle of this cosine with it at most (FC38). */
static const double SAME_POINT = 0.1, ALONG = 0.5;

void heap_pairs_destroy(heap_pairs *x) {
    free(x->at), free(x->of), free(x->touch[0]), free(x->touch[1]), free(x->load), free(x->next), free(x->takes_part);
    free(x->row), free(x->parting), free(x->lost), free(x->radii), free(x->gap), free(x->before), free(x->key);
}

/* Keeps the loads and finds everything else anew. */
static bool reserve(heap_pairs *x, int count) {
    if (count <= x->room) return true;
    const size_t room = (size_t)count + (size_t)count / 2 + 64;
    void **const parts[] = {(void **)&x->at,      (void **)&x->of,   (void **)&x->touch[0],   (void **)&x->touch[1],
                            (void **)&x->load,    (void **)&x->next, (void **)&x->takes_part, (void **)&x->row,
                            (void **)&x->parting, (void **)&x->lost, (void **)&x->radii,      (void **)&x->gap,
                            (void **)&x->before,  (void **)&x->key};
    const size_t size[] = {sizeof *x->at,      sizeof *x->of,   sizeof *x->touch[0],   sizeof *x->touch[1],
                           sizeof *x->load,    sizeof *x->next, sizeof *x->takes_part, sizeof *x->row,
                           sizeof *x->parting, sizeof *x->lost, sizeof *x->radii,      sizeof *x->gap,
                           sizeof *x->before,  sizeof *x->key};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        void *more = realloc(*parts[i], room * size[i]);
        if (!more) return false;
        *parts[i] = more;
    }
    x->room = (int)room;
    return true;
}

/* Half spaces have none. */
static double smaller(const core *a, const core *b) {
    return fmin(a->half_space ? HUGE_VAL : a->reach, b->half_space ? HUGE_VAL : b->reach);
}

/* From the body of the first feature to that of the first solid, or back. */
static void orient(const found_contact *c, const double P[3], double on_solid[3]) {
    for (int i = 0; i < 3; i++) on_solid[i] = c->features.swapped ? -P[i] : P[i];
}

static heap_load oriented(const found_contact *c, const heap_load *load) {
    heap_load y = {.state = load->state};
    orient(c, load->P, y.P), orient(c, load->half, y.half);
    return y;
}

/* From the centre of the body of the first solid. */
static const double *point_of(const heap_pairs *x, int k, int end) {
    return x->touch[end][k].l[x->of[k].features.swapped];
}

static void lose(heap_pairs *x, int j) {
    const found_contact *c = &x->of[j];
    if (!x->ended || x->load[j].state == CAROM_OPEN) return;
    heap_loss *y = &x->lost[x->losses++];
    *y = (heap_loss){.a = c->a, .b = c->b, .load = oriented(c, &x->load[j])};
    memcpy(y->l, point_of(x, j, 1), sizeof y->l);
}

/* Bits of the numbers of solids and of features. */
enum { SOLID = 26, FEATURE = 22 };

static double key_of_solids(const found_contact *c) {
    return (double)(1 << SOLID) * c->a + c->b;
}

static double key_of_features(const meeting *m) {
    const double feature = 1 << FEATURE;
    return ((2 * (int)m->kind + m->swapped) * feature + m->first) * feature + m->second;
}

static bool is_centre(const double x[3]) {
    return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

/* Both lists ascend. */
bool heap_pairs_list(heap_pairs *x, const finder *f, const contact_list *list) {
    if (!reserve(x, list->count)) return false;
    int j = 0;
    x->losses = 0;
    for (int k = 0; k < list->count; k++) {
        while (j < x->count && contact_order(&x->of[j], &list->at[k]) < 0) lose(x, j++);
        const bool known = j < x->count && contact_continues(&x->of[j], &list->at[k]);
        x->next[k] = known ? x->load[j++] : (heap_load){.state = CAROM_OPEN};
    }
    while (j < x->count) lose(x, j++);
    for (int k = 0; k < list->count; k++) {
        const found_contact *c = &list->at[k];
        const double *n = c->numbers.normal;
        x->of[k] = *c;
        x->key[k][0] = key_of_solids(c), x->key[k][1] = key_of_features(&c->features);
        x->radii[k][0] = c->numbers.R, x->radii[k][1] = c->numbers.share;
        x->at[k] = (heap_pair){c->first,
                               c->second,
                               c->features.kind,
                               c->features.kind == GAP_POINTS && !c->features.swapped && is_centre(c->numbers.x) &&
                                   is_centre(c->numbers.y),
                               &f->law[c->law].contact,
                               smaller(&f->solid[c->a].core, &f->solid[c->b].core),
                               {n[0], n[1], n[2]}};
    }
    x->count = list->count, x->ended = false;
    heap_pairs_accept(x);
    return true;
}

/* ---------------------------------------------------------------- loads as numbers */

/* On the first solid. */
static void save_oriented(const heap_pairs *x, int k, double *to) {
    orient(&x->of[k], x->load[k].P, to + 2), orient(&x->of[k], x->load[k].half, to + 5);
    if (x->ended) memcpy(to + 8, point_of(x, k, 1), 3 * sizeof *to);
}

/* Contacts that press, ascending. Points that touch are for contacts of solids that have others (FC38). */
void heap_pairs_save(const heap_pairs *x, int room, double *memory) {
    int count = 0;
    for (int k = 0; k < x->count && count < room; k++) {
        double *to = memory + 1 + count * HEAP_LOAD;
        if (x->load[k].state == CAROM_OPEN) continue;
        to[0] = x->key[k][0], to[1] = 4 * x->key[k][1] + (int)x->load[k].state;
        memcpy(to + 2, x->load[k].P, sizeof x->load[k].P), memcpy(to + 5, x->load[k].half, sizeof x->load[k].half);
        memset(to + 8, 0, 3 * sizeof *to);
        if (!x->at[k].centred) save_oriented(x, k, to);
        count++;
    }
    const int before = memory[0] > count && memory[0] <= room ? (int)memory[0] : count; /* the rest is zero */
    memory[0] = count;
    memset(memory + 1 + count * HEAP_LOAD, 0, (size_t)(before - count) * HEAP_LOAD * sizeof *memory);
}

static heap_load read_load(const double *from) {
    heap_load load = {.state = (carom_contact_state)fmod(from[1], 4)};
    memcpy(load.P, from + 2, sizeof load.P), memcpy(load.half, from + 5, sizeof load.half);
    return load;
}

/* A load of the memory without a contact. */
static void miss(heap_pairs *x, const double *from) {
    const int a = (int)(from[0] / (1 << SOLID));
    if (x->losses == x->room) return;
    x->lost[x->losses] = (heap_loss){.a = a, .b = (int)(from[0] - (double)(1 << SOLID) * a), .load = read_load(from)};
    memcpy(x->lost[x->losses++].l, from + 8, sizeof x->lost->l);
}

void heap_pairs_load(heap_pairs *x, const double *memory) {
    const double *from = memory + 1, *end = from + (int)memory[0] * HEAP_LOAD;
    for (int k = 0; k < x->count; k++) {
        const double solids = x->key[k][0], features = x->key[k][1];
        for (; from < end && (from[0] < solids || (from[0] == solids && floor(from[1] / 4) < features));
             from += HEAP_LOAD)
            miss(x, from);
        x->load[k] = (heap_load){.state = CAROM_OPEN};
        if (from == end || from[0] != solids || floor(from[1] / 4) != features) continue;
        const heap_load load = read_load(from);
        x->load[k] = oriented(&x->of[k], &load);
        from += HEAP_LOAD;
    }
    for (; from < end; from += HEAP_LOAD) miss(x, from);
}

/* ---------------------------------------------------------------- loads without a contact */

/* The contact of the same solids, from k on, that touches at the point of a load and can bear it; -1: none. */
static int heir_of(const heap_pairs *x, const heap_loss *y, int k, int end) {
    double least = HUGE_VAL;
    int nearest = -1;
    for (; k < x->count && x->of[k].a == y->a && x->of[k].b == y->b; k++) {
        const double *l = point_of(x, k, end), apart[] = {l[0] - y->l[0], l[1] - y->l[1], l[2] - y->l[2]};
        double n[3];
        orient(&x->of[k], x->touch[end][k].n, n);
        if (space_dot(n, y->load.P) < ALONG * sqrt(space_dot(y->load.P, y->load.P))) continue;
        if (space_dot(apart, apart) < least) least = space_dot(apart, apart), nearest = k;
    }
    return nearest >= 0 && sqrt(least) <= SAME_POINT * x->at[nearest].size ? nearest : -1;
}

static void add_load(heap_load *x, const heap_load *y) {
    for (int i = 0; i < 3; i++) x->P[i] += y->P[i], x->half[i] += y->half[i];
    if (y->state > x->state) x->state = y->state;
}

void heap_pairs_hand_over(heap_pairs *x, int end) {
    int k = 0;
    for (int i = 0; i < x->losses; i++) {
        const heap_loss *y = &x->lost[i];
        while (k < x->count && (x->of[k].a < y->a || (x->of[k].a == y->a && x->of[k].b < y->b))) k++;
        const int heir = heir_of(x, y, k, end);
        if (heir < 0) continue;
        const heap_load load = oriented(&x->of[heir], &y->load);
        add_load(&x->load[heir], &load);
    }
    x->losses = 0;
}

/* ---------------------------------------------------------------- gaps */

/* Features of both bodies in the world. */
typedef struct features {
    double x[3], y[3], e[3], d[3], w[3]; /* w = x - y */
} features;

static void along(const double a[3], double s, const double e[3], double b[3]) { /* a + s e */
    for (int i = 0; i < 3; i++) b[i] = a[i] + s * e[i];
}

static double held(double s, double half) {
    return fmax(-half, fmin(half, s));
}

/* |x - y| - R; the point that touches divides what is between by the radii (CF2) */
static void touch_points(const kind_numbers *c, const double x[3], const double y[3], touch *t, double point[3]) {
    const double d[] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, distance = sqrt(space_dot(d, d)),
                 inverse = 1 / distance;
    for (int i = 0; i < 3; i++) t->n[i] = inverse * d[i];
    t->gap = distance - c->R;
    along(x, -c->share, d, point);
}

/* n.(x - y) - R (CF4) */
static void touch_face(const kind_numbers *c, const features *f, touch *t, double point[3]) {
    memcpy(t->n, f->d, sizeof t->n);
    t->gap = space_dot(t->n, f->w) - c->R;
    along(f->x, -c->R, t->n, point);
}

/* Across two lines (CF5) */
static void touch_lines(const kind_numbers *c, const features *f, touch *t, double point[3]) {
    double across[3], nearest[3];
    space_cross(f->e, f->d, across);
    const double square = space_dot(across, across), inverse = 1 / sqrt(square);
    for (int i = 0; i < 3; i++) t->n[i] = inverse * across[i];
    const double height = space_dot(t->n, f->w), cosine = space_dot(f->e, f->d);
    along(f->x, (cosine * space_dot(f->d, f->w) - space_dot(f->e, f->w)) / square, f->e, nearest);
    t->gap = height - c->R;
    along(nearest, -c->share * height, t->n, point);
}

/* (CF20) */
static void touch_segments(const kind_numbers *c, const features *f, touch *t, double point[3]) {
    double across[3], x[3], y[3];
    space_cross(f->e, f->d, across);
    const double D = fmax(space_dot(across, across), 1e-6), cosine = space_dot(f->e, f->d);
    const double ew = space_dot(f->e, f->w), dw = space_dot(f->d, f->w);
    along(f->x, held((cosine * dw - ew) / D, c->half[0]), f->e, x);
    along(f->y, held((dw - cosine * ew) / D, c->half[1]), f->d, y);
    touch_points(c, x, y, t, point);
}

static void touch_features(gap_kind of, const kind_numbers *c, const features *f, touch *t, double point[3]) {
    double y[3];
    if (of >= GAP_RIM_FACE) {
        touch_rim(of, c, f->x, f->e, f->y, f->d, t, point);
        return;
    }
    switch (of) {
    case GAP_POINTS:
        touch_points(c, f->x, f->y, t, point);
        return;
    case GAP_LINE:    /* (CF3) */
    case GAP_SEGMENT: /* (CF19) */
        along(f->y, held(space_dot(f->w, f->d), of == GAP_LINE ? HUGE_VAL : c->half[1]), f->d, y);
        touch_points(c, f->x, y, t, point);
        return;
    case GAP_FACE:
        touch_face(c, f, t, point);
        return;
    case GAP_LINES:
        touch_lines(c, f, t, point);
        return;
    default:
        touch_segments(c, f, t, point);
    }
}

static void place(const double r[3], const double A[3][3], const double x[3], double y[3]) {
    space_times(A, x, y);
    for (int i = 0; i < 3; i++) y[i] += r[i];
}

static void touch_of(const heap_pair *x, const kind_numbers *c, const double (*centre)[3], const double (*axes)[3][3],
                     touch *t) {
    const double *a = centre[x->a], *b = centre[x->b];
    double point[3];
    features f;
    place(a, axes[x->a], c->x, f.x), place(b, axes[x->b], c->y, f.y);
    space_times(axes[x->a], c->e, f.e), space_times(axes[x->b], c->d, f.d);
    along(f.x, -1, f.y, f.w);
    touch_features(x->kind, c, &f, t, point);
    for (int i = 0; i < 3; i++) t->l[0][i] = point[i] - a[i], t->l[1][i] = point[i] - b[i];
}

/* The same of spheres about their centres that move. */
static void touch_of_centres(const double radii[2], const double a[3], const double b[3], touch *t) {
    const double d[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, distance = sqrt(space_dot(d, d));
    const double inverse = 1 / distance, arm = radii[1] * distance;
    t->gap = distance - radii[0];
    for (int i = 0; i < 3; i++) {
        t->n[i] = inverse * d[i];
        t->l[0][i] = -arm * t->n[i];
        t->l[1][i] = t->l[0][i] + d[i];
    }
}

/* And with planes and spheres of the world. */
static void touch_of_round(const kind_numbers *c, bool plane, const double a[3], const double b[3], touch *t) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = a[i] + c->x[i] - b[i] - c->y[i];
    const double distance = plane ? space_dot(c->d, d) : sqrt(space_dot(d, d)), inverse = 1 / distance;
    const double arm = plane ? c->R : c->share * distance;
    t->gap = distance - c->R;
    for (int i = 0; i < 3; i++) {
        t->n[i] = plane ? c->d[i] : inverse * d[i];
        t->l[0][i] = c->x[i] - arm * t->n[i];
        t->l[1][i] = t->l[0][i] + (a[i] - b[i]);
    }
}

void heap_pairs_touch(heap_pairs *x, const double (*centre)[3], const double (*axes)[3][3], int end, int threads) {
    THREADS_LOOP(threads)
    for (int k = 0; k < x->count; k++) {
        const heap_pair *pair = &x->at[k];
        touch *t = &x->touch[end][k];
        const double *a = centre[pair->a], *b = centre[pair->b];
        if (axes) touch_of(pair, &x->of[k].numbers, centre, axes, t);
        else if (pair->centred) touch_of_centres(x->radii[k], a, b, t);
        else touch_of_round(&x->of[k].numbers, pair->kind == GAP_FACE, a, b, t);
        t->bend = 1 / (1 + space_dot(t->n, pair->normal));
        x->gap[k] = t->gap;
    }
}

void heap_pairs_clear(heap_pairs *x) {
    for (int k = 0; k < x->count; k++) x->next[k] = (heap_load){.state = CAROM_OPEN};
}

void heap_pairs_accept(heap_pairs *x) {
    heap_load *const last = x->load;
    x->load = x->next, x->next = last;
}
