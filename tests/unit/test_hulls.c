/* Convex hulls: the surface of a cloud of points by what makes it a hull, masses by integrals that are known, meshes
 * against lists of points, and bodies of this shape as mechanics has them. */
#include "model/element/polytope.h"
#include "model/space.h"
#include "scene/scene.h"
#include "support/campaign.h"
#include "support/trial.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"
#define ICOSAHEDRON                                                                                                    \
    "[[0, -1, -f], [0, -1, f], [0, 1, -f], [0, 1, f], [-1, -f, 0], [-1, f, 0], [1, -f, 0], [1, f, 0], "                \
    "[-f, 0, -1], [f, 0, -1], [-f, 0, 1], [f, 0, 1]]"

static uint64_t chance = 3;

/* ---- surfaces */

/* Corners, the middles of edges and faces, and points inside: a box has 8 corners, 12 edges and 6 faces. */
static void test_box(void **state) {
    (void)state;
    double point[27][3];
    polytope h;
    for (int i = 0; i < 27; i++)
        point[i][0] = i % 3 - 1, point[i][1] = 2 * (i / 3 % 3) - 2, point[i][2] = 3 * (i / 9) - 3;
    assert_int_equal(polytope_create(&h, (const double(*)[3])point, 27), POLYTOPE_DONE);
    assert_int_equal(h.vertices, 8);
    assert_int_equal(h.edges, 12);
    assert_int_equal(h.faces, 6);
    for (int f = 0; f < 6; f++) assert_int_equal(h.face[f].count, 4);
    assert_near(h.volume, 48, 1e-13);
    assert_near(h.J[0][0], 48 * (16 + 36) / 12., 1e-12);
    assert_near(h.J[1][1], 48 * (4 + 36) / 12., 1e-12);
    assert_near(h.J[0][1], 0, 1e-12);
    assert_near(h.thin, 1, 1e-15);
    polytope_destroy(&h);
}

/* Of points in the plane, some of them twice or on the way between others: the prism of the same points with the height
 * 1 has its area as volume, its centre and its polar moment. */
static void test_polygons(void **state) {
    (void)state;
    enum { MOST = 30 };
    for (int k = 0; k < 200; k++) {
        double flat[MOST][3] = {0}, high[2 * MOST][3];
        const int count = 3 + (int)(campaign_random(&chance) * (MOST - 3));
        polytope h, prism;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < 2; j++) {
                const double grid = round(campaign_between(&chance, -3, 3));
                flat[i][j] = k % 2 ? grid : campaign_between(&chance, -1, 2);
            }
        for (int i = 0; i < 2 * count; i++)
            memcpy(high[i], flat[i / 2], sizeof high[i]), high[i][2] = i % 2 ? 0.5 : -0.5;
        const polytope_verdict verdict = polytope_create(&prism, (const double(*)[3])high, 2 * count);
        assert_int_equal(polygon_create(&h, (const double(*)[3])flat, count), verdict);
        if (verdict == POLYTOPE_DONE) {
            assert_int_equal(2 * h.vertices, prism.vertices);
            assert_near(h.volume, prism.volume, 1e-13 * prism.volume);
            assert_near(h.J[2][2], prism.J[2][2], 1e-12 * prism.J[2][2]);
            for (int j = 0; j < 2; j++) assert_near(h.centre[j], prism.centre[j], 1e-13);
            for (int i = 0; i < h.vertices; i++) {
                const double *a = h.vertex[i], *b = h.vertex[(i + 1) % h.vertices];
                const double length = hypot(b[0] - a[0], b[1] - a[1]);
                for (int j = 0; j < count; j++) {
                    const double *p = flat[j];
                    const double left = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
                    assert_at_least(left / length, -5e-6);
                }
            }
        }
        polytope_destroy(&h);
        polytope_destroy(&prism);
    }
}

/* Every face is flat, all points lie below it, faces turn counter-clockwise, and each edge has a face on both sides. */
static void look_at(const polytope *h, const double (*point)[3], int count) {
    assert_int_equal(h->vertices - h->edges + h->faces, 2);
    assert_int_equal(h->corners, 2 * h->edges);
    for (int f = 0; f < h->faces; f++) {
        const polytope_face *face = &h->face[f];
        const double height = space_dot(face->normal, face->point);
        for (int i = 0; i < count; i++) assert_at_most(space_dot(face->normal, point[i]), height + 1e-5);
        for (int i = 0; i < face->count; i++) {
            const double *a = h->vertex[h->corner[face->first + i]],
                         *b = h->vertex[h->corner[face->first + (i + 1) % face->count]];
            double e[3], w[3], across[3];
            for (int k = 0; k < 3; k++) e[k] = b[k] - a[k], w[k] = face->point[k] - a[k];
            space_cross(e, w, across);
            assert_near(space_dot(face->normal, a), height, 1e-5);
            assert_at_least(space_dot(across, face->normal), 0);
        }
    }
}

static void test_clouds(void **state) {
    (void)state;
    enum { MOST = 300 };
    for (int cloud = 0; cloud < 60; cloud++) {
        double point[MOST][3];
        polytope h;
        const int count = 4 + (int)campaign_between(&chance, 0, MOST - 4);
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) point[i][k] = campaign_between(&chance, -1, 1);
            if (cloud % 3 == 1) space_unit(point[i]); /* on a ball: all are vertices */
            for (int k = 0; k < 3 && cloud % 3 == 2; k++) point[i][k] = round(3 * point[i][k]) / 3; /* on a grid */
        }
        assert_int_equal(polytope_create(&h, (const double(*)[3])point, count), POLYTOPE_DONE);
        if (cloud % 3 == 1 && count < 150) assert_int_equal(h.vertices, count);
        look_at(&h, (const double(*)[3])point, count);
        polytope_destroy(&h);
    }
}

static void test_flat(void **state) {
    (void)state;
    double point[6][3] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {2, 3, 1}, {2, 3, 1}};
    polytope h;
    assert_int_equal(polytope_create(&h, (const double(*)[3])point, 6), POLYTOPE_FLAT);
    polytope_destroy(&h);
    for (int i = 0; i < 6; i++) point[i][1] = 2 * point[i][0], point[i][2] = 1;
    assert_int_equal(polytope_create(&h, (const double(*)[3])point, 6), POLYTOPE_FLAT);
    polytope_destroy(&h);
    assert_int_equal(polytope_create(&h, (const double(*)[3])point, 3), POLYTOPE_FLAT);
    polytope_destroy(&h);
}

/* x + y + z <= 1 with x, y, z >= 0: V = 1/6, centre 1/4, integrals of x^2 and x y 1/60 and 1/120. */
static void test_tetrahedron(void **state) {
    (void)state;
    const double point[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    polytope h;
    assert_int_equal(polytope_create(&h, point, 4), POLYTOPE_DONE);
    assert_near(h.volume, 1 / 6., 1e-16);
    for (int i = 0; i < 3; i++) {
        assert_near(h.centre[i], 0.25, 1e-15);
        assert_near(h.J[i][i], 2 / 60. - 2 / 6. / 16, 1e-16);
        assert_near(h.J[i][(i + 1) % 3], -(1 / 120. - 1 / 6. / 16), 1e-16);
    }
    assert_near(h.thin, (1 - 0.75) / sqrt(3), 1e-15);
    polytope_destroy(&h);
}

/* ---- bodies */

/* A cube as a hull, turned and shifted in its frame, has the mass, the centre and the moments of the box there. */
static void test_weight(void **state) {
    (void)state;
    static const char *const shapes[2] = {
        "box: [1, 2, 3]", "hull: [[-1, -2, -3], [1, -2, -3], [-1, 2, -3], [1, 2, -3], [-1, -2, 3], [1, -2, 3], "
                          "[-1, 2, 3], [1, 2, 3]], scale: 0.5"};
    double E[2];
    for (int k = 0; k < 2; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                               "    b: {type: spatial, density: 700, position: [0, 0, 3], velocity: [1, 2, 3], "
                               "angular_velocity: [3, 1, 2], shape: [{%s, at: [0.3, 0.2, 0.1], rotation: {axis: [1, 1, "
                               "0], angle: 0.4}}, {sphere: 0.4, at: [2, 0, 0]}]}\n"
                               "run: {integrator: moreau, dt: 1e-3, until: 0.01}\n",
                               shapes[k]);
        E[k] = trial_value(&run, "E");
        trial_close(&run);
    }
    assert_near(E[0], E[1], 1e-12 * E[0]);
}

/* A box that falls on its corner and tumbles, and the hull of its corners: the same bits. */
static void test_same_as_box(void **state) {
    (void)state;
    static const char *const shapes[2] = {
        "box: [0.2, 0.4, 0.6]", "hull: [[-0.1, -0.2, -0.3], [0.1, -0.2, -0.3], [-0.1, 0.2, -0.3], [0.1, 0.2, -0.3], "
                                "[-0.1, -0.2, 0.3], [0.1, -0.2, 0.3], [-0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]"};
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                               "    b[i=1..3]: {type: spatial, mass: 1, inertia: [0.1, 0.08, 0.04], shape: {%s}, "
                               "position: [0.05*i, 0.03*i, 0.6*i], rotation: {axis: [1, 2, 3], angle: 0.5*i}}\n"
                               "  contacts: {all: {among: [b, " FLOOR "], friction: 0.4, restitution: 0.2}}\n"
                               "run: {integrator: moreau, dt: 2e-3, until: 0.6}\n",
                               shapes[k]);
        trial_finish(&run);
        hash[k] = carom_sim_hash(run.sim);
        assert_at_most(trial_value(&run, "b3.z"), 1.6); /* they have met */
        trial_close(&run);
    }
    assert_true(hash[0] == hash[1]);
}

/* An icosahedron with edges of length 2 stands on a face: its centre is f^2/sqrt(3) above it, f the golden ratio. On a
 * slope it stays while its weight points into the face, whose circles have the radii 1/sqrt(3) and 2/sqrt(3): below a
 * slope of 0.38 it does not move but for the tolerance, above 0.77 it rolls away, whatever the direction. */
static double icosahedron(double slope) {
    trial run = trial_text("carom: 1\nparameters: {f: 0.5 + sqrt(1.25), s: %.17g}\nmodel:\n"
                           "  gravity: [-9.81*s, 0, -9.81]\n  bodies:\n"
                           "    ico: {type: spatial, density: 1, shape: {hull: " ICOSAHEDRON "}, position: [0, 0, "
                           "f^2/sqrt(3)], rotation: {axis: [1, -1, 0], angle: acos(1/sqrt(3))}}\n"
                           "  contacts: {all: {among: [ico, " FLOOR "], friction: 2}}\n"
                           "run: {integrator: rattle, dt: 2e-3, until: 0.4, tolerance: 1e-12}\n",
                           slope);
    trial_finish(&run);
    double moved = 1 - fabs(trial_value(&run, "ico.p0")) / cos(acos(1 / sqrt(3)) / 2);
    moved = fmax(fabs(moved), fmax(fabs(trial_value(&run, "ico.x")), fabs(trial_value(&run, "ico.y"))));
    trial_close(&run);
    return moved;
}

static void test_icosahedron(void **state) {
    (void)state;
    assert_at_most(icosahedron(0), 1e-10);
    assert_at_most(icosahedron(0.36), 1e-10);
    assert_at_least(icosahedron(0.8), 0.01);
}

/* A block slides down a wedge, which slides on the floor, without friction. The wedge has the acceleration
 *     m g sin a cos a/(M + m sin^2 a)
 * of the classical solution. It is constant, so that rattle follows it to the tolerance of its steps. */
static void test_wedge(void **state) {
    (void)state;
    const double a = 0.5, g = 9.81, m = 1, M = 2, t = 0.2;
    trial run =
        trial_text("carom: 1\nparameters: {a: %g, h: 2*tan(a)}\nmodel:\n  gravity: [0, 0, -%g]\n  bodies:\n"
                   "    wedge: {type: spatial, mass: %g, inertia: [1, 1, 1], shape: {hull: [[0, -1, 0], [2, -1, "
                   "0], [0, 1, 0], [2, 1, 0], [0, -1, h], [0, 1, h]]}}\n"
                   "    block: {type: spatial, mass: %g, inertia: [1, 1, 1], shape: {box: [0.4, 0.4, 0.4]}, "
                   "position: [1 + 0.2*sin(a), 0, 0.2*cos(a) + tan(a)], rotation: {axis: [0, 1, 0], angle: a}}\n"
                   "  contacts: {all: {among: [wedge, block, " FLOOR "]}}\n"
                   "run: {integrator: rattle, dt: 1e-3, until: %g, tolerance: 1e-12}\n",
                   a, g, M, m, t);
    trial_finish(&run);
    assert_near(trial_value(&run, "wedge.x_dot"), -m * g * sin(a) * cos(a) / (M + m * sin(a) * sin(a)) * t, 1e-9);
    assert_near(trial_value(&run, "wedge.z"), 0, 1e-10);
    trial_close(&run);
}

/* ---- meshes */

static const double tetrahedron[4][3] = {{0, 0, 0}, {100, 0, 0}, {0, 200, 0}, {0, 0, 300}};
static const int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static void write_obj(FILE *file) {
    fputs("# a tetrahedron\no t\n", file);
    for (int i = 0; i < 4; i++) fprintf(file, "v %g %g %g\n", tetrahedron[i][0], tetrahedron[i][1], tetrahedron[i][2]);
    fputs("vn 0 0 1\n", file);
    for (int i = 0; i < 4; i++) fprintf(file, "f %d %d %d\n", sides[i][0] + 1, sides[i][1] + 1, sides[i][2] + 1);
}

static void write_stl(FILE *file) {
    fputs("solid t\n", file);
    for (int i = 0; i < 4; i++) {
        fputs(" facet normal 0 0 0\n  outer loop\n", file);
        for (int k = 0; k < 3; k++) {
            const double *x = tetrahedron[sides[i][k]];
            fprintf(file, "   vertex %e %e %e\r\n", x[0], x[1], x[2]);
        }
        fputs("  endloop\n endfacet\n", file);
    }
    fputs("endsolid t\n", file);
}

static void write_binary(FILE *file) {
    const char head[80] = "solid in bytes", end[2] = {0};
    const float normal[3] = {0};
    const uint32_t count = 4;
    fwrite(head, 1, 80, file), fwrite(&count, 4, 1, file);
    for (int i = 0; i < 4; i++) {
        fwrite(normal, 4, 3, file);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) fwrite(&(float){(float)tetrahedron[sides[i][k]][j]}, 4, 1, file);
        fwrite(end, 1, 2, file);
    }
}

/* V = 0.1 * 0.2 * 0.3/6 at a density of 1000, falling through h: m g h */
static double weight_of(const char *hull) {
    trial run =
        trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies:\n"
                   "    b: {type: spatial, density: 1000, shape: {hull: %s, scale: 1e-3}, position: [0, 0, 1]}\n"
                   "run: {integrator: moreau, dt: 1e-3, until: 0.01}\n",
                   hull);
    const double E = trial_value(&run, "E");
    trial_close(&run);
    return E;
}

static void test_meshes(void **state) {
    (void)state;
    static void (*const writers[3])(FILE *) = {write_obj, write_stl, write_binary};
    static const char *const endings[3] = {"obj", "stl", "STL"};
    const double expected = weight_of("[[0, 0, 0], [100, 0, 0], [0, 200, 0], [0, 0, 300]]");
    assert_near(expected, 1000 * 0.001 * 10 * (1 + 0.3 / 4), 1e-12);
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/carom_hull_%d_%d.%s", (int)getpid(), i, endings[i]);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        writers[i](file);
        fclose(file);
        assert_near(weight_of(path), expected, 1e-12);
        remove(path);
    }
}

/* Files that were cut off, and such as hold nothing. The tetrahedron without its last facet has all of its corners, so
 * that only the end of the file tells. */
static void test_broken_meshes(void **state) {
    (void)state;
    static const char whole[] = "solid t\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\n";
    static const struct {
        const char *ending, *text, *sentence;
    } files[] = {{"stl", whole, "a text ends with 'endsolid'"},
                 {"stl", "\x80\x81", "a binary file has 50 bytes"},
                 {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1/2/3 2 5//1\nf 1 2 3\n",
                  "this OBJ is not whole: a face has vertex 5 of 4"},
                 {"obj", "# nothing\n", "the mesh has no vertices"},
                 {"obj", "v 0 0 0\nv 1 nan 0\n", "expected a coordinate"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/carom_broken_%d.%s", (int)getpid(), files[i].ending);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(files[i].text, file);
        fclose(file);
        trial_refused(files[i].sentence, NULL,
                      "carom: 1\nmodel:\n  bodies:\n    b: {type: spatial, mass: 1, shape: {hull: %s}}\n"
                      "run: {integrator: moreau, dt: 1e-3, until: 1}\n",
                      path);
        remove(path);
    }
}

/* ---- refusals */

static void refuse(const char *hull, const char *sentence) {
    trial_refused(sentence, NULL,
                  "carom: 1\nmodel:\n  bodies:\n    b: {type: spatial, density: 1, shape: {%s}}\n"
                  "run: {integrator: moreau, dt: 1e-3, until: 1}\n",
                  hull);
}

static void test_refusals(void **state) {
    (void)state;
    refuse("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "at least four");
    refuse("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]", "may not lie in a plane");
    refuse("hull: [[0, 0], [1, 0], [0, 1], [1, 1]]", "three coordinates");
    refuse("hull: stone.ply", "stone.obj or stone.stl");
    refuse("hull: nowhere.obj", "cannot read the mesh");
    refuse("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], scael: 2", "did you mean 'scale'?");
    refuse("hul: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "did you mean 'hull'?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),         cmocka_unit_test(test_polygons),      cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_flat),        cmocka_unit_test(test_tetrahedron),   cmocka_unit_test(test_weight),
        cmocka_unit_test(test_same_as_box), cmocka_unit_test(test_icosahedron),   cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_meshes),      cmocka_unit_test(test_broken_meshes), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
