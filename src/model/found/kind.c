#include "kind.h"

#include "kind_rims.h"
#include "model/element/contact.h"

#include <stdlib.h>
#include <string.h>

/* Symbols: the numbers of the instance, then q, u and r. */
enum { FIRST_Q = KIND_NUMBERS, FIRST_U = FIRST_Q + KIND_Q, FIRST_R = FIRST_U + KIND_U, SYMBOLS = FIRST_R + KIND_ROWS };

typedef struct derivation {
    graph *g;
    body first, second;
    expr c, s[KIND_ROWS], q_dot[KIND_Q];
    contact_place place;
    vec tangent[2];
    kind *k;
} derivation;

/* ---------------------------------------------------------------- the numbers of an instance as symbols */

static vec vector_at(graph *g, size_t offset) {
    const int first = (int)(offset / sizeof(double));
    vec x;
    for (int i = 0; i < 3; i++) x.at[i] = expr_symbol(g, first + i);
    return x;
}
#define NUMBER(field) expr_symbol(g, (int)(offsetof(kind_numbers, field) / sizeof(double)))
#define VECTOR(field) vector_at(g, offsetof(kind_numbers, field))

static vec point_of(graph *g, const body *b, vec x) {
    return vec_add(g, b->pose.r, mat_times(g, &b->pose.A, x));
}

/* ---------------------------------------------------------------- gaps */

/* |x - y| - R along n = (x - y)/|x - y|; the point that touches divides what is between by the radii (CF2) */
static void gap_between(derivation *d, vec x, vec y) {
    graph *g = d->g;
    vec apart = vec_sub(g, x, y);
    expr distance = vec_norm(g, apart), inverse = expr_div(g, expr_number(g, 1), distance);
    d->c = expr_sub(g, distance, NUMBER(R));
    d->place.normal = vec_scale(g, inverse, apart);
    d->place.point = vec_sub(g, x, vec_scale(g, NUMBER(share), apart));
}

/* y: the foot of x on the line (CF3) */
static void gap_line(derivation *d, vec x, vec y, vec e) {
    graph *g = d->g;
    vec w = vec_sub(g, x, y);
    gap_between(d, x, vec_add(g, y, vec_scale(g, vec_dot(g, w, e), e)));
}

/* n.(x - y) - R (CF4) */
static void gap_face(derivation *d, vec x, vec y, vec n) {
    graph *g = d->g;
    expr height = vec_dot(g, n, vec_sub(g, x, y));
    d->c = expr_sub(g, height, NUMBER(R));
    d->place.normal = n;
    d->place.point = vec_sub(g, x, vec_scale(g, NUMBER(R), n));
}

/* n.(x - y) - R with n = e x d/|e x d|; nearest on the first line: x + s e, s = (c d.w - e.w)/(1 - c^2), w = x - y,
 * c = e.d (CF5) */
static void gap_lines(derivation *d, vec x, vec e, vec y, vec f) {
    graph *g = d->g;
    vec across = vec_cross(g, e, f), w = vec_sub(g, x, y);
    expr square = vec_dot(g, across, across), sine = expr_unary(g, OP_SQRT, square);
    vec n = vec_scale(g, expr_div(g, expr_number(g, 1), sine), across);
    expr height = vec_dot(g, n, w), cosine = vec_dot(g, e, f);
    expr ew = vec_dot(g, e, w), fw = vec_dot(g, f, w);
    expr s = expr_div(g, expr_sub(g, expr_mul(g, cosine, fw), ew), square);
    vec nearest = vec_add(g, x, vec_scale(g, s, e));
    d->c = expr_sub(g, height, NUMBER(R));
    d->place.normal = n;
    d->place.point = vec_sub(g, nearest, vec_scale(g, expr_mul(g, NUMBER(share), height), n));
}

/* s held in [-half, half]; the gap and its direction stay smooth there */
static vec held(graph *g, vec x, expr s, vec e, expr half) {
    expr lower = graph_exempt(g, expr_binary(g, OP_MIN, half, s));
    expr within = graph_exempt(g, expr_binary(g, OP_MAX, expr_neg(g, half), lower));
    return vec_add(g, x, vec_scale(g, within, e));
}

/* The nearest point of an edge with the middle y (CF19) */
static void gap_segment(derivation *d, vec x, vec y, vec e) {
    graph *g = d->g;
    expr s = vec_dot(g, vec_sub(g, x, y), e);
    gap_between(d, x, held(g, y, s, e, NUMBER(half[1])));
}

/* Where two lines cross, each held on its edge; D = max(1 - c^2, 1e-6) (CF20) */
static void gap_segments(derivation *d, vec x, vec e, vec y, vec f) {
    graph *g = d->g;
    vec w = vec_sub(g, x, y), across = vec_cross(g, e, f);
    expr least = expr_number(g, 1e-6), square = vec_dot(g, across, across), c = vec_dot(g, e, f);
    expr D = graph_exempt(g, expr_binary(g, OP_MAX, square, least)), ew = vec_dot(g, e, w), fw = vec_dot(g, f, w);
    expr s = expr_div(g, expr_sub(g, expr_mul(g, c, fw), ew), D);
    expr t = expr_div(g, expr_sub(g, fw, expr_mul(g, c, ew)), D);
    gap_between(d, held(g, x, s, e, NUMBER(half[0])), held(g, y, t, f, NUMBER(half[1])));
}

/* (e - (e.f) f).(x - y); a border has no place (CF38) */
static void ahead_of_crossing(derivation *d, vec x, vec e, vec y, vec f) {
    graph *g = d->g;
    vec w = vec_sub(g, x, y);
    d->c = expr_sub(g, vec_dot(g, e, w), expr_mul(g, vec_dot(g, e, f), vec_dot(g, f, w)));
    d->place.point = x, d->place.normal = e;
}

/* |n x e|^2 - R^2; a border has no place (CF40) */
static void tilted(derivation *d, vec x, vec e, vec n) {
    graph *g = d->g;
    vec across = vec_cross(g, n, e);
    d->c = expr_sub(g, vec_dot(g, across, across), expr_mul(g, NUMBER(R), NUMBER(R)));
    d->place.point = x, d->place.normal = n;
}

static void gap_of_rim(derivation *d, gap_kind gap, vec x, vec e, vec y, vec f) {
    graph *g = d->g;
    vec of_first = mat_times(g, &d->first.pose.A, VECTOR(tangent[0]));
    vec of_second = mat_times(g, &d->second.pose.A, VECTOR(tangent[1]));
    const rim_form of = {
        x, e, y, f, {NUMBER(half[0]), NUMBER(half[1])}, NUMBER(R), NUMBER(side), vec_add(g, of_first, of_second)};
    if (gap == GAP_RIM_POINT) gap_between(d, x, rim_nearest(g, &of));
    else if (gap == GAP_RIM_AXIS || gap >= GAP_AHEAD) d->c = foot_derive(g, gap, &of, &d->place);
    else if (gap >= GAP_RIM_EDGE) d->c = crossing_derive(g, gap, &of, &d->place);
    else d->c = rim_derive(g, gap, &of, &d->place);
}

static void derive_gap(derivation *d, gap_kind gap) {
    graph *g = d->g;
    const body *a = &d->first, *b = &d->second;
    vec x = point_of(g, a, VECTOR(x)), y = point_of(g, b, VECTOR(y));
    vec e = mat_times(g, &a->pose.A, VECTOR(e)), f = mat_times(g, &b->pose.A, VECTOR(d));
    if (gap == GAP_CROSSING) ahead_of_crossing(d, x, e, y, f);
    else if (gap == GAP_TILT) tilted(d, x, e, f);
    else if (gap >= GAP_RIM_FACE) gap_of_rim(d, gap, x, e, y, f);
    else if (gap == GAP_POINTS) gap_between(d, x, y);
    else if (gap == GAP_LINE) gap_line(d, x, y, f);
    else if (gap == GAP_FACE) gap_face(d, x, y, f);
    else if (gap == GAP_SEGMENT) gap_segment(d, x, y, f);
    else if (gap == GAP_SEGMENTS) gap_segments(d, x, e, y, f);
    else gap_lines(d, x, e, y, f);
}

/* ---------------------------------------------------------------- velocities */

/* The tangent of n0 carried to n by the smallest rotation (DC7); of a face it is fixed in its body. */
static vec tangent(derivation *d, gap_kind gap, vec T) {
    graph *g = d->g;
    if (gap_of_face(gap)) return mat_times(g, &d->second.pose.A, T);
    vec n0 = VECTOR(normal), n = d->place.normal, both = vec_add(g, n0, n);
    expr one_more = expr_add(g, expr_number(g, 1), vec_dot(g, n0, n));
    /* edges and axes that have left a rim have any normal there */
    if (gap == GAP_RIM_EDGE || gap == GAP_RIM_AXIS)
        one_more = graph_exempt(g, expr_binary(g, OP_MAX, one_more, expr_number(g, 1e-3)));
    return vec_sub(g, T, vec_scale(g, expr_div(g, vec_dot(g, T, n), one_more), both));
}

static void list_rates(derivation *d) {
    const body *of[] = {&d->first, &d->second};
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < of[k]->nq; i++) d->q_dot[n++] = body_rate(d->g, of[k], i);
}

/* e_q q_dot */
static expr rate_of(derivation *d, expr e) {
    expr_entry entry[KIND_Q];
    expr sum = expr_number(d->g, 0);
    const int count = expr_gradient_sparse(d->g, e, FIRST_Q, d->k->nq, entry);
    for (int i = 0; i < count; i++) sum = expr_add(d->g, sum, expr_mul(d->g, entry[i].value, d->q_dot[entry[i].index]));
    return count < 0 ? -1 : sum;
}

static void derive_velocities(derivation *d, gap_kind gap, int slips) {
    graph *g = d->g;
    list_rates(d);
    d->s[0] = rate_of(d, d->c);
    d->k->rows = 1 + slips;
    vec va = pose_velocity(g, &d->first.pose, d->place.point), vb = pose_velocity(g, &d->second.pose, d->place.point);
    vec v = vec_sub(g, va, vb), T[2] = {VECTOR(tangent[0]), VECTOR(tangent[1])};
    for (int i = 0; i < 2; i++) {
        d->tangent[i] = tangent(d, gap, T[i]);
        if (i < slips) d->s[1 + i] = vec_dot(g, d->tangent[i], v);
    }
}

/* ---------------------------------------------------------------- compilation */

static bool compile(derivation *d, kind_output output, const expr *values, int count) {
    const tape_layout layout = {{0, FIRST_Q, FIRST_U, FIRST_R, SYMBOLS, SYMBOLS}};
    return (d->k->tape[output] = tape_compile(d->g, &(tape_array){values, count}, 1, &layout)) != NULL;
}

static bool compile_matrix(derivation *d, kind_output output, const expr *rows, int count, int first, int cols,
                           kind_pattern *p) {
    expr value[KIND_U * KIND_Q];
    expr_entry entry[KIND_Q];
    p->rows = count, p->start[0] = 0;
    int used = 0;
    for (int i = 0; i < count; i++) {
        const int n = expr_gradient_sparse(d->g, rows[i], first, cols, entry);
        if (n < 0) return false;
        for (int j = 0; j < n; j++) p->index[used] = entry[j].index, value[used++] = entry[j].value;
        p->start[i + 1] = used;
    }
    return compile(d, output, value, used);
}

/* W r, a row for every velocity, by the coordinates. */
static bool compile_turning(derivation *d) {
    kind *k = d->k;
    expr Wr[KIND_U];
    expr_entry entry[KIND_U];
    for (int j = 0; j < k->nu; j++) Wr[j] = expr_number(d->g, 0);
    for (int i = 0; i < k->rows; i++) {
        const int n = expr_gradient_sparse(d->g, d->s[i], FIRST_U, k->nu, entry);
        if (n < 0) return false;
        for (int e = 0; e < n; e++) {
            const expr push = expr_mul(d->g, entry[e].value, expr_symbol(d->g, FIRST_R + i));
            Wr[entry[e].index] = expr_add(d->g, Wr[entry[e].index], push);
        }
    }
    return compile_matrix(d, KIND_WR_Q, Wr, k->nu, FIRST_Q, k->nq, &k->Wr_q);
}

static bool compile_all(derivation *d) {
    kind *k = d->k;
    expr place[KIND_PLACES];
    for (int i = 0; i < 3; i++) {
        place[i] = d->place.point.at[i], place[3 + i] = d->place.normal.at[i];
        place[6 + i] = d->tangent[0].at[i], place[9 + i] = d->tangent[1].at[i];
    }
    return compile(d, KIND_C, &d->c, 1) && compile_matrix(d, KIND_C_Q, &d->c, 1, FIRST_Q, k->nq, &k->c_q) &&
           compile(d, KIND_S, d->s, k->rows) && compile_matrix(d, KIND_WT, d->s, k->rows, FIRST_U, k->nu, &k->WT) &&
           compile_matrix(d, KIND_S_Q, d->s, k->rows, FIRST_Q, k->nq, &k->s_q) &&
           compile(d, KIND_PLACE, place, KIND_PLACES);
}

static bool compile_zeta(derivation *d) {
    expr zeta[KIND_ROWS];
    for (int i = 0; i < d->k->rows; i++) zeta[i] = rate_of(d, d->s[i]);
    return compile(d, KIND_ZETA, zeta, d->k->rows);
}

static void place_bodies(derivation *d) {
    body *of[] = {&d->first, &d->second};
    int q = FIRST_Q, u = FIRST_U;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < of[k]->nq; i++) of[k]->q[i] = expr_symbol(d->g, q++);
        for (int i = 0; i < of[k]->nu; i++) of[k]->u[i] = expr_symbol(d->g, u++);
        if (of[k]->kind == BODY_FRAME) of[k]->pose = pose_world(d->g);
        body_place(d->g, of[k]);
    }
}

static bool reserve_work(kind *k) {
    int registers = 1;
    for (int i = 0; i < KIND_OUTPUTS; i++)
        if (k->tape[i] && tape_registers(k->tape[i]) > registers) registers = tape_registers(k->tape[i]);
    double *work = realloc(k->work, TAPE_LANES * (size_t)registers * sizeof *work);
    if (work) k->work = work;
    return work != NULL;
}

/* Derives the functions anew, and compiles some of them. */
static bool derive(kind *k, bool (*compile_some)(derivation *d)) {
    derivation d = {.g = graph_create(), .first = k->first, .second = k->second, .k = k};
    if (!d.g) return false;
    place_bodies(&d);
    derive_gap(&d, k->gap);
    derive_velocities(&d, k->gap, k->slips);
    const bool made = compile_some(&d) && !graph_exhausted(d.g) && reserve_work(k);
    graph_destroy(d.g);
    return made;
}

bool kind_create(kind *k, gap_kind gap, const body *first, const body *second, int slips, bool turns) {
    *k = (kind){.gap = gap, .first = *first, .second = *second, .slips = slips};
    k->nq = first->nq + second->nq, k->first_q = first->nq;
    k->nu = first->nu + second->nu, k->first_u = first->nu;
    return derive(k, compile_all) && (!turns || derive(k, compile_turning));
}

bool kind_want_zeta(kind *k) {
    return k->tape[KIND_ZETA] || derive(k, compile_zeta);
}

void kind_destroy(kind *k) {
    for (int i = 0; i < KIND_OUTPUTS; i++) tape_destroy(k->tape[i]);
    free(k->work);
}

void kind_run(const kind *k, kind_output output, const kind_numbers *numbers, const double *q, const double *u,
              double *values) {
    const bool turning = output == KIND_WR_Q;
    const double *const blocks[TAPE_BLOCKS] = {(const double *)numbers, q, turning ? NULL : u, turning ? u : NULL};
    tape_run(k->tape[output], blocks, k->work, (double *[TAPE_ARRAYS]){values});
}

int kind_range_room(const kind *k) {
    return tape_registers(k->tape[KIND_C]);
}

void kind_bound(const kind *k, const kind_numbers *numbers, const carom_range *q, const carom_range *q_rate, jet *work,
                carom_range *gap, carom_range *rate) {
    const tape *t = k->tape[KIND_C];
    carom_range still[KIND_NUMBERS];
    for (int i = 0; i < KIND_NUMBERS; i++) still[i].least = still[i].most = ((const double *)numbers)[i];
    const tape_ranges blocks[TAPE_BLOCKS] = {{still, NULL}, {q, q_rate}};
    tape_bound(t, tape_image(t), blocks, NULL, work, gap, rate);
}
