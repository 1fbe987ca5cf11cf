#include "random_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* ---------------------------------------------------------------- numbers: splitmix64 */

static uint64_t next_bits(random_numbers *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Four digits, so that the text says all there is. */
double random_between(random_numbers *r, double low, double high) {
    double part = (double)(next_bits(r) >> 11) / 9007199254740992.0;
    return round((low + (high - low) * part) * 1e4) / 1e4;
}

int random_below(random_numbers *r, int n) {
    return (int)(next_bits(r) % (uint64_t)n);
}

static bool chance(random_numbers *r, double part) {
    return random_between(r, 0, 1) < part;
}

/* ---------------------------------------------------------------- the parts of a scene */

typedef enum shape { POINT, BALL, ROD, BOX } shape;
typedef enum ground { FLAT, TILTED, SLOPE, HILL, WAVE } ground;
enum { MOST_BODIES = 3, MOST_CORNERS = 4, MOST_TEXT = 16384 };

typedef struct body {
    shape shape;
    double m, a, b;            /* mass; radius, half length, half sides */
    double x, y, phi, u, v, w; /* start */
    bool hinged, sprung;
    double k, anchor; /* of the spring */
    int corners;      /* places that touch: a centre, two ends, four corners */
} body;

typedef struct surface {
    double mu, e_N, e_F;
    bool smooth; /* mu = 0, and no slip is given at all */
} surface;

typedef struct piece {
    char text[MOST_TEXT];
    size_t used;
} piece;

typedef struct draft {
    random_numbers random;
    ground ground;
    double height, wave; /* of hills and waves; slope */
    double gravity, tilt;
    double wall; /* its distance; 0: none */
    surface floor, sides, pairs;
    int bodies;
    body body[MOST_BODIES];
    piece define, contacts;
} draft;

__attribute__((format(printf, 2, 3))) static void say(piece *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(p->text + p->used, sizeof p->text - p->used, format, list);
    va_end(list);
    if (n > 0) p->used = p->used + (size_t)n < sizeof p->text ? p->used + (size_t)n : sizeof p->text - 1;
}

static surface any_surface(random_numbers *r) {
    static const double restitution[] = {0, 0.3, 0.7, 1};
    surface s = {.mu = chance(r, 0.2) ? 0 : random_between(r, 0.01, 0.8)};
    s.e_N = restitution[random_below(r, 4)];
    s.e_F = s.mu > 0 && chance(r, 0.1) ? 0.5 : 0;
    s.smooth = s.mu == 0 && chance(r, 0.5);
    return s;
}

/* Height of the ground at x, for bodies to start above it. */
static double height_at(const draft *d, double x) {
    if (d->ground == SLOPE) return d->height * x;
    if (d->ground == HILL) return d->height * exp(-x * x / d->wave);
    if (d->ground == WAVE) return d->height * sin(d->wave * x);
    return 0;
}

static void any_ground(draft *d) {
    random_numbers *r = &d->random;
    d->ground = (ground)random_below(r, 5);
    d->height = d->ground == SLOPE ? random_between(r, -0.6, 0.6) : random_between(r, 0.05, 0.3);
    d->wave = d->ground == HILL ? random_between(r, 0.1, 0.5) : random_between(r, 2, 5);
    d->tilt = d->ground == TILTED ? random_between(r, -0.6, 0.6) : 0;
    d->wall = chance(r, 0.4) ? random_between(r, 1, 1.5) : 0;
    d->floor = any_surface(r), d->sides = any_surface(r), d->pairs = any_surface(r);
}

static body any_body(draft *d, int i) {
    random_numbers *r = &d->random;
    static const int corners[] = {1, 1, 2, 4};
    body b = {.shape = (shape)random_below(r, 4), .m = random_between(r, 0.5, 2)};
    b.corners = corners[b.shape];
    b.a = b.shape == POINT ? 0 : random_between(r, 0.08, b.shape == BALL ? 0.15 : 0.25);
    b.b = b.shape == BOX ? random_between(r, 0.05, 0.2) : 0;
    b.x = (i - (d->bodies - 1) / 2.0) * 0.65 + random_between(r, -0.05, 0.05);
    b.u = random_between(r, -2, 2), b.v = random_between(r, -2, 1);
    b.phi = b.shape == POINT ? 0 : random_between(r, -1.5, 1.5);
    b.w = b.shape == POINT ? 0 : random_between(r, -4, 4);
    b.y = height_at(d, b.x) + b.a + b.b + random_between(r, 0.02, 0.5);
    b.sprung = chance(r, 0.2);
    b.k = b.m * random_between(r, 5, 60), b.anchor = b.y + random_between(r, -0.3, 0.3);
    b.hinged = b.shape == ROD && chance(r, 0.2);
    if (b.hinged) {
        b.u = -b.a * sin(b.phi) * b.w, b.v = b.a * cos(b.phi) * b.w; /* the other end stays where it is */
        return b;
    }
    if (d->ground > TILTED || !chance(r, 0.3)) return b;
    b.y = b.shape == BALL ? b.a : b.b; /* starts on the ground, sliding or at rest */
    b.v = 0, b.phi = 0;
    if (b.shape != BALL || chance(r, 0.5)) b.w = 0;
    if (chance(r, 0.4)) b.u = 0;
    return b;
}

/* ---------------------------------------------------------------- their text */

/* Place (X, Y) of corner j of body i and its velocity (U, V): centre plus (A, B) turned by phi. */
static void say_corner(piece *p, const body *b, int i, int j) {
    static const int signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    double A = b->corners == 1 ? 0 : signs[j][0] * b->a, B = signs[j][1] * b->b;
    if (b->corners == 1) {
        say(p, "    X%d_%d: x%d\n    Y%d_%d: y%d\n    U%d_%d: x%d_dot\n    V%d_%d: y%d_dot\n", i, j, i, i, j, i, i, j,
            i, i, j, i);
        return;
    }
    say(p, "    X%d_%d: x%d + (%g)*cos(phi%d) - (%g)*sin(phi%d)\n", i, j, i, A, i, B, i);
    say(p, "    Y%d_%d: y%d + (%g)*sin(phi%d) + (%g)*cos(phi%d)\n", i, j, i, A, i, B, i);
    say(p, "    U%d_%d: x%d_dot - phi%d_dot*(Y%d_%d - y%d)\n", i, j, i, i, i, j, i);
    say(p, "    V%d_%d: y%d_dot + phi%d_dot*(X%d_%d - x%d)\n", i, j, i, i, i, j, i);
}

static void say_surface(piece *p, const surface *s, const char *slip) {
    if (!s->smooth) say(p, "      slip: %s\n      friction: %g\n", slip, s->mu);
    say(p, "      restitution: %g\n", s->e_N);
    if (s->e_F > 0) say(p, "      tangential_restitution: %g\n", s->e_F);
}

/* The ground y = f(x): gap (Y - f)/n - radius with n = sqrt(1 + f'^2), and the slip along (1, f')/n. */
static void say_floor(draft *d, int i, int j) {
    const body *b = &d->body[i];
    char name[16], slip[128], turn[32] = "";
    snprintf(name, sizeof name, "%d_%d", i, j);
    say(&d->define, "    f%s: ", name);
    if (d->ground == SLOPE) say(&d->define, "(%g)*X%s\n    d%s: %g\n", d->height, name, name, d->height);
    else if (d->ground == HILL)
        say(&d->define, "%g*exp(-X%s^2/%g)\n    d%s: -2*X%s/%g*f%s\n", d->height, name, d->wave, name, name, d->wave,
            name);
    else if (d->ground == WAVE)
        say(&d->define, "%g*sin(%g*X%s)\n    d%s: %g*cos(%g*X%s)\n", d->height, d->wave, name, name,
            d->height * d->wave, d->wave, name);
    else say(&d->define, "0\n    d%s: 0\n", name);
    say(&d->define, "    n%s: sqrt(1 + d%s^2)\n", name, name);
    say(&d->contacts, "    floor%s:\n      gap: (Y%s - f%s)/n%s - %g\n", name, name, name, name,
        b->shape == BALL ? b->a : 0);
    if (b->shape == BALL) snprintf(turn, sizeof turn, " + %g*phi%d_dot", b->a, i);
    snprintf(slip, sizeof slip, "(U%s + d%s*V%s)/n%s%s", name, name, name, name, turn);
    say_surface(&d->contacts, &d->floor, slip);
}

static void say_walls(draft *d, int i, int j) {
    const body *b = &d->body[i];
    double radius = b->shape == BALL ? b->a : 0;
    char slip[96];
    for (int side = -1; side <= 1; side += 2) {
        say(&d->contacts, "    %s%d_%d:\n      gap: %g %c X%d_%d\n", side < 0 ? "left" : "right", i, j,
            d->wall - radius, side < 0 ? '+' : '-', i, j);
        if (b->shape == BALL) snprintf(slip, sizeof slip, "V%d_%d + (%g)*phi%d_dot", i, j, side * radius, i);
        else snprintf(slip, sizeof slip, "V%d_%d", i, j);
        say_surface(&d->contacts, &d->sides, slip);
    }
}

/* Ball i against corner j of body k, with the normal N from the ball outwards and the tangent (-N_y, N_x). */
static void say_pair(draft *d, int i, int k, int j) {
    const body *ball = &d->body[i], *other = &d->body[k];
    double radius = other->shape == BALL ? other->a : 0;
    char slip[256], turn[48] = "";
    say(&d->define, "    D%d_%d_%d: sqrt((X%d_%d - x%d)^2 + (Y%d_%d - y%d)^2)\n", i, k, j, k, j, i, k, j, i);
    say(&d->contacts, "    pair%d_%d_%d:\n      gap: D%d_%d_%d - %g\n", i, k, j, i, k, j, ball->a + radius);
    if (radius > 0) snprintf(turn, sizeof turn, " - %g*phi%d_dot", radius, k);
    snprintf(slip, sizeof slip,
             "((V%d_%d - y%d_dot)*(X%d_%d - x%d) - (U%d_%d - x%d_dot)*(Y%d_%d - y%d))/D%d_%d_%d - %g*phi%d_dot%s", k, j,
             i, k, j, i, k, j, i, k, j, i, i, k, j, ball->a, i, turn);
    say_surface(&d->contacts, &d->pairs, slip);
}

static void say_contacts(draft *d) {
    for (int i = 0; i < d->bodies; i++)
        for (int j = 0; j < d->body[i].corners; j++) {
            say_corner(&d->define, &d->body[i], i, j);
            if (d->body[i].hinged && j == 1) continue;
            say_floor(d, i, j);
            if (d->wall > 0) say_walls(d, i, j);
        }
    for (int i = 0; i < d->bodies; i++)
        for (int k = 0; k < d->bodies && d->body[i].shape == BALL; k++)
            for (int j = 0; j < d->body[k].corners; j++)
                if (k > i || (k < i && d->body[k].shape != BALL)) say_pair(d, i, k, j);
}

static void say_bodies(const draft *d, piece *p) {
    say(p, "  coordinates:\n");
    for (int i = 0; i < d->bodies; i++) {
        const body *b = &d->body[i];
        say(p, "    x%d: {start: %.17g, velocity: %.17g}\n    y%d: {start: %.17g, velocity: %.17g}\n", i, b->x, b->u, i,
            b->y, b->v);
        if (b->shape != POINT) say(p, "    phi%d: {start: %.17g, velocity: %.17g}\n", i, b->phi, b->w);
    }
    say(p, "  kinetic: 0");
    for (int i = 0; i < d->bodies; i++) {
        const body *b = &d->body[i];
        double J = b->shape == BALL ? 0.4 * b->a * b->a : (b->a * b->a + b->b * b->b) / 3;
        say(p, " + %g*(x%d_dot^2 + y%d_dot^2)", b->m / 2, i, i);
        if (b->shape != POINT) say(p, " + %.12g*phi%d_dot^2", b->m * J / 2, i);
    }
    say(p, "\n  potential: 0");
    for (int i = 0; i < d->bodies; i++) {
        const body *b = &d->body[i];
        say(p, " + %g*(%.17g*y%d + (%.17g)*x%d)", b->m, d->gravity * cos(d->tilt), i, d->gravity * sin(d->tilt), i);
        if (b->sprung) say(p, " + %g*((x%d - (%g))^2 + (y%d - (%g))^2)", b->k / 2, i, b->x, i, b->anchor);
    }
    say(p, "\n");
    bool any = false;
    for (int i = 0; i < d->bodies; i++) {
        const body *b = &d->body[i];
        if (!b->hinged) continue;
        if (!any) say(p, "  constraints:\n");
        any = true;
        say(p, "    hinge%d: [\"x%d - %g*cos(phi%d) - (%.17g)\", \"y%d - %g*sin(phi%d) - (%.17g)\"]\n", i, i, b->a, i,
            b->x - b->a * cos(b->phi), i, b->a, i, b->y - b->a * sin(b->phi));
    }
}

size_t random_scene(uint64_t number, double gravity, char *text, size_t size) {
    draft d = {.gravity = gravity, .random = {number * 0x632be59bd9b4e019u + 1}};
    piece bodies = {.used = 0};
    any_ground(&d);
    d.bodies = 1 + random_below(&d.random, MOST_BODIES);
    for (int i = 0; i < d.bodies; i++) d.body[i] = any_body(&d, i);
    say_bodies(&d, &bodies);
    say_contacts(&d);
    int n = snprintf(text, size, "carom: 1\ntitle: Random scene %llu\nmodel:\n%s  define:\n%s  contacts:\n%s%s",
                     (unsigned long long)number, bodies.text, d.define.text, d.contacts.text,
                     "run: {integrator: lobatto, stages: 3, events: locate, dt: 0.01, until: 1, tolerance: 1e-12}\n");
    return (size_t)n < size ? (size_t)n : size - 1;
}
