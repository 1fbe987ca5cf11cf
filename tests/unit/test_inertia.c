/* Mass, centre of mass and inertia of shapes, against integrals over slices, and the theorem of parallel axes. */
#include "model/element/inertia.h"
#include "support/forms.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Every number below is a short sum of products: a few roundings. */
#define assert_same(a, b) assert_near(a, b, 1e-14 * fmax(1, fabs((double)(b))))

static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static shape shape_of(shape s) {
    if (s.A[0][0] == 0 && s.A[1][1] == 0 && s.A[2][2] == 0) memcpy(s.A, upright, sizeof upright);
    return s;
}

/* An inertia as numbers. */
typedef struct weight {
    double mass, center[3], J[3][3];
} weight;

static graph *g;

static weight numbers(const inertia *m) {
    weight w = {.mass = expr_value(g, m->mass, NULL)};
    vec_now(g, m->center, w.center);
    for (int i = 0; i < 9; i++) w.J[i / 3][i % 3] = expr_value(g, m->J[i / 3][i % 3], NULL);
    return w;
}

static inertia of(const shape *s, bool flat) {
    const form f = form_of_shape(g, s);
    return inertia_of_form(g, &f, flat);
}
static inertia spatial_of(shape s) {
    s = shape_of(s);
    return of(&s, false);
}
static weight spatial(shape s) {
    const inertia m = spatial_of(s);
    return numbers(&m);
}
static weight planar(shape s) {
    s = shape_of(s);
    const inertia m = of(&s, true);
    return numbers(&m);
}
static weight sum_of(const inertia *a, const inertia *b, double sign) {
    const inertia m = inertia_sum(g, a, b, sign);
    return numbers(&m);
}

/* ---- integrals: five points of Gauss on many pieces, exact for polynomials of degree nine */
static double integral(double from, double to, int pieces, double (*f)(double, const double *), const double *p) {
    static const double x[] = {0, 0.5384693101056830910, 0.9061798459386639928};
    static const double w[] = {0.5688888888888888889, 0.4786286704993664680, 0.2369268850561890875};
    double sum = 0, h = (to - from) / pieces / 2;
    for (int i = 0; i < pieces; i++) {
        double mid = from + (2 * i + 1) * h;
        sum += w[0] * f(mid, p);
        for (int k = 1; k < 3; k++) sum += w[k] * (f(mid - x[k] * h, p) + f(mid + x[k] * h, p));
    }
    return sum * h;
}

/* ---- bodies of revolution: disks of squared radius S(z) stacked along the axis; p = {r, L} of a capsule */
static double cross_section(double z, const double *p) {
    double over = fabs(z) - p[1] / 2;
    return p[0] * p[0] - (over > 0 ? over * over : 0);
}
static double volume(double z, const double *p) {
    return pi * cross_section(z, p);
}
static double axial(double z, const double *p) {
    return pi * pow(cross_section(z, p), 2) / 2;
}
static double transverse(double z, const double *p) {
    double S = cross_section(z, p);
    return pi * S * S / 4 + pi * S * z * z;
}
/* pieces end where the caps begin */
static double along(double (*f)(double, const double *), const double *p) {
    return integral(-p[1] / 2 - p[0], -p[1] / 2, 1, f, p) + integral(-p[1] / 2, p[1] / 2, 1, f, p) +
           integral(p[1] / 2, p[1] / 2 + p[0], 1, f, p);
}

static void revolution(void **state) {
    (void)state;
    const double p[] = {0.3, 1.7};
    weight m = spatial((shape){.kind = SHAPE_CAPSULE, .radius = p[0], .length = p[1]});
    assert_same(m.mass, along(volume, p));
    assert_same(m.J[0][0], along(transverse, p));
    assert_same(m.J[1][1], along(transverse, p));
    assert_same(m.J[2][2], along(axial, p));
    const double ball[] = {0.7, 0};
    m = spatial((shape){.kind = SHAPE_SPHERE, .radius = ball[0]});
    assert_same(m.mass, along(volume, ball));
    for (int i = 0; i < 3; i++) assert_same(m.J[i][i], along(axial, ball));
    m = spatial((shape){.kind = SHAPE_CYLINDER, .radius = p[0], .length = p[1]});
    assert_same(m.mass, integral(-p[1] / 2, p[1] / 2, 1, volume, p));
    assert_same(m.J[0][0], integral(-p[1] / 2, p[1] / 2, 1, transverse, p));
    assert_same(m.J[2][2], integral(-p[1] / 2, p[1] / 2, 1, axial, p));
    m = spatial((shape){.kind = SHAPE_DISK, .radius = p[0]}); /* one slice, per area */
    assert_same(m.mass, volume(0, p));
    assert_same(m.J[0][0], transverse(0, p));
    assert_same(m.J[2][2], axial(0, p));
}

/* ---- ellipsoids: elliptic slices with half axes p[0] w, p[1] w at z = p[2] x, w^2 = 1 - x^2 */
static double slice(double x, const double *p) {
    return pi * p[0] * p[1] * p[2] * (1 - x * x);
}
static double slice_polar(double x, const double *p) {
    return slice(x, p) * (1 - x * x) * (p[0] * p[0] + p[1] * p[1]) / 4;
}
static double slice_across(double x, const double *p) { /* about the first axis */
    return slice(x, p) * ((1 - x * x) * p[1] * p[1] / 4 + p[2] * p[2] * x * x);
}

static void ellipsoids(void **state) {
    (void)state;
    const double p[] = {0.3, 0.5, 0.8};
    weight m = spatial((shape){.kind = SHAPE_ELLIPSOID, .size = {p[0], p[1], p[2]}});
    assert_same(m.mass, integral(-1, 1, 1, slice, p));
    assert_same(m.J[0][0], integral(-1, 1, 1, slice_across, p));
    assert_same(m.J[2][2], integral(-1, 1, 1, slice_polar, p));
    m = planar((shape){.kind = SHAPE_ELLIPSOID, .size = {p[0], p[1], p[2]}});
    assert_same(m.mass, slice(0, p) / p[2]);
    assert_same(m.J[2][2], slice_polar(0, p) / p[2]);
}

/* ---- the figure of a capsule: strips across the axis at L/2 + r sin(a), of width 2 r cos(a) */
static double stadium_area(double a, const double *p) {
    return 2 * p[0] * cos(a) * p[0] * cos(a);
}
static double stadium_polar(double a, const double *p) {
    double x = p[1] / 2 + p[0] * sin(a), half = p[0] * cos(a);
    return stadium_area(a, p) * (x * x + half * half / 3);
}

static void figures(void **state) {
    (void)state;
    const double p[] = {0.3, 1.7};
    weight m = planar((shape){.kind = SHAPE_CAPSULE, .radius = p[0], .length = p[1]});
    double core = 2 * p[0] * p[1];
    /* 64 pieces of pi/128: the tenth power of that is below round-off */
    assert_same(m.mass, core + 2 * integral(0, pi / 2, 64, stadium_area, p));
    assert_same(m.J[2][2], core / 12 * (4 * p[0] * p[0] + p[1] * p[1]) + 2 * integral(0, pi / 2, 64, stadium_polar, p));
    const double disk[] = {0.3, 0};
    m = planar((shape){.kind = SHAPE_DISK, .radius = disk[0]});
    assert_same(m.mass, 2 * integral(0, pi / 2, 64, stadium_area, disk));
    assert_same(m.J[2][2], 2 * integral(0, pi / 2, 64, stadium_polar, disk));
    m = planar((shape){.kind = SHAPE_BOX, .size = {2, 3}});
    assert_same(m.mass, 6);
    assert_same(m.J[2][2], 6 * (4 + 9) / 12.);
}

/* ---- boxes: a whole one is its two halves, however it is turned */
static void halves(void **state) {
    (void)state;
    const double c = cos(0.4), s = sin(0.4), turned[3][3] = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
    shape whole = {.kind = SHAPE_BOX, .size = {2, 0.5, 0.75}, .r = {0.3, -0.2, 1}};
    memcpy(whole.A, turned, sizeof turned);
    shape half[2] = {whole, whole};
    for (int k = 0; k < 2; k++) {
        half[k].size[0] = 1;
        for (int i = 0; i < 3; i++) half[k].r[i] += (k ? 0.5 : -0.5) * turned[i][0];
    }
    const inertia one = of(&whole, false), first = of(&half[0], false), second = of(&half[1], false);
    const weight all = numbers(&one), a = numbers(&first), sum = sum_of(&first, &second, 1),
                 back = sum_of(&one, &second, -1);
    assert_same(all.mass, 0.75);
    double moment[3];
    inertia_principal(all.J, moment);
    assert_same(moment[0], 0.75 * (0.25 + 0.5625) / 12);
    assert_same(moment[1], 0.75 * (4 + 0.25) / 12);
    assert_same(moment[2], 0.75 * (4 + 0.5625) / 12);
    assert_same(sum.mass, all.mass);
    for (int i = 0; i < 3; i++) {
        assert_same(sum.center[i], all.center[i]);
        assert_same(back.center[i], a.center[i]);
        for (int j = 0; j < 3; j++) assert_same(sum.J[i][j], all.J[i][j]), assert_same(back.J[i][j], a.J[i][j]);
    }
}

/* Parallel axes in their usual form: two spheres of unit mass at distance d. */
static void dumbbell(void **state) {
    (void)state;
    const double r = cbrt(3 / (4 * pi)), d = 3;
    const inertia a = spatial_of((shape){.kind = SHAPE_SPHERE, .radius = r, .r = {0, 0, 1}}),
                  b = spatial_of((shape){.kind = SHAPE_SPHERE, .radius = r, .r = {d, 0, 1}});
    const weight m = sum_of(&a, &b, 1);
    assert_same(m.mass, 2);
    assert_same(m.center[0], d / 2);
    assert_same(m.center[2], 1);
    assert_same(m.J[0][0], 0.8 * r * r);
    assert_same(m.J[1][1], 0.8 * r * r + d * d / 2);
    assert_same(m.J[2][2], 0.8 * r * r + d * d / 2);
    assert_same(m.J[0][1], 0);
}

/* A disk of radius r with a hole of radius a at distance b: the centre of mass lies e = b a^2/(r^2 - a^2) on the other
 * side. About the centre of the disk the moments are those of the disk without those of the hole. */
static void tippedisk(void **state) {
    (void)state;
    const double r = 0.045, a = 0.015, b = 0.02, e = b * a * a / (r * r - a * a);
    for (int flat = 0; flat < 2; flat++) {
        const shape disk = shape_of((shape){.kind = SHAPE_DISK, .radius = r}),
                    hole = shape_of((shape){.kind = SHAPE_DISK, .radius = a, .r = {b, 0, 0}});
        const inertia whole = of(&disk, flat), away = of(&hole, flat);
        const weight m = sum_of(&whole, &away, -1);
        const double area = pi * (r * r - a * a), unit = pi * r * r * r * r; /* all moments are below unit */
        assert_near(m.center[0], -e, 1e-16);
        assert_near(m.mass, area, 1e-16);
        double x = pi / 4 * (pow(r, 4) - pow(a, 4)), y = x - pi * a * a * b * b - area * e * e;
        assert_near(m.J[2][2], x + y, 1e-15 * unit);
        if (flat) continue;
        assert_near(m.J[0][0], x, 1e-15 * unit);
        assert_near(m.J[1][1], y, 1e-15 * unit);
    }
}

/* Moments are found again from a turned tensor, small ones too: of a rod with one moment 1e-10 of the others. */
static void principal(void **state) {
    (void)state;
    const double D[][3] = {{1, 2, 2.5}, {1e-10, 1, 1}, {1, 1, 1}};
    const double c = 0.8, s = 0.6, A[3][3] = {{c, -s * 0.6, s * 0.8}, {s, c * 0.6, -c * 0.8}, {0, 0.8, 0.6}};
    for (int n = 0; n < 3; n++) {
        double J[3][3] = {{0}}, moment[3];
        for (int i = 0; i < 27; i++) J[i / 9][i / 3 % 3] += A[i / 9][i % 3] * D[n][i % 3] * A[i / 3 % 3][i % 3];
        inertia_principal(J, moment);
        for (int i = 0; i < 3; i++) assert_near(moment[i], D[n][i], 4e-16 * 3); /* absolute: J itself is rounded */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipsoids), cmocka_unit_test(revolution), cmocka_unit_test(figures),
        cmocka_unit_test(halves),     cmocka_unit_test(dumbbell),   cmocka_unit_test(tippedisk),
        cmocka_unit_test(principal),
    };
    g = graph_create();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    graph_destroy(g);
    return failed;
}
