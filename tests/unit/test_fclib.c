/* Files of friction problems: each format, written here from the same numbers, gives the same problem; and what is
 * wrong with a file is told in one sentence. */
#include "fclib/export.h"
#include "fclib/file.h"
#include "support/folder.h"
#include "support/trial.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two contacts of three bodies on a line, in the plane: W, not symmetric by a little, as real files are not. */
enum { N = 4 };
static const double W[N][N] = {{2, 0.25, -1, 0}, {0.25, 3, 0, -0.5}, {-1, 0, 2.5, 0}, {0, -0.5, 0.125, 4}};
static const double q[N] = {-1, 0.5, -2, 0.25}, mu[2] = {0.5, 0};
/* M v = H r + f, u = H^T v + w with diagonal M. */
static const double M[3] = {2, 4, 0.5}, f[3] = {1, -2, 0.5}, w[N] = {-1, 0, -2, 1};
static const double H[3][N] = {{1, 0, -1, 0.5}, {0, 2, 0, 0}, {0.5, 0, 0, -1}};

static FILE *create(const char *name) {
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    return file;
}

static void put(FILE *file, int n, const double *x) {
    for (int i = 0; i < n; i++) fprintf(file, "%.17g ", x[i]);
    fputc('\n', file);
}

/* ---------------------------------------------------------------- what is read */

static friction_problem read_problem(const char *name, int dimension) {
    friction_file file;
    friction_problem p;
    carom_error error = {0};
    if (friction_read(in_folder(name), &file, &error)) fail_msg("%s", error.message);
    assert_int_equal(friction_file_problem(&file, name, &p, &error), CAROM_OK);
    assert_int_equal(file.dimension, dimension);
    friction_file_free(&file);
    return p;
}

static double entry_of(const friction_problem *p, int i, int j) {
    for (int e = p->start[i / 2]; e < p->start[i / 2 + 1]; e++)
        if (p->index[e] == j / 2) return p->W[e][3 * (i % 2) + j % 2];
    return 0;
}

static void check_problem(const char *name, const double expected[N][N], const double *given, double tolerance) {
    friction_problem p = read_problem(name, 2);
    assert_int_equal(p.contacts, 2);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) assert_near(entry_of(&p, i, j), expected[i][j], tolerance);
        assert_near(p.q[3 * (i / 2) + i % 2], given[i], tolerance);
        assert_near(p.mu[i / 2], mu[i / 2], 0);
    }
    friction_destroy(&p);
}

static void expect_local(const char *name) {
    check_problem(name, W, q, 0);
}

static void expect_global(const char *name) {
    double reduced[N][N], velocity[N];
    for (int i = 0; i < N; i++) {
        velocity[i] = w[i];
        for (int k = 0; k < 3; k++) velocity[i] += H[k][i] * f[k] / M[k];
        for (int j = 0; j < N; j++) {
            reduced[i][j] = 0;
            for (int k = 0; k < 3; k++) reduced[i][j] += H[k][i] * H[k][j] / M[k];
        }
    }
    check_problem(name, reduced, velocity, 1e-15);
}

/* ---------------------------------------------------------------- text */

static void put_full(FILE *file, int rows, int cols, const double *A) {
    fprintf(file, "0\n%d\n%d\n%d %d\n", rows, cols, rows, cols);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) fprintf(file, "%.17g ", A[i * cols + j]);
    fputc('\n', file);
}

static void put_blocks(FILE *file) {
    fprintf(file, "1\n4\n4\n4\n2\n2\n2 4\n2 4\n3\n4\n0 2 4\n0 1 0 1\n");
    for (int b = 0; b < 4; b++) {
        fprintf(file, "%d\n", b);
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) fprintf(file, "%.17g ", W[2 * (b / 2) + i][2 * (b % 2) + j]);
        fputc('\n', file);
    }
}

static void put_columns(FILE *file, int rows, int cols, const double *A) {
    int count = 0;
    fprintf(file, "2\n%d\n%d\n2\nCSparse Version 3.1.9, any text\n%d-by-%d, nzmax: 99 nnz: %d, 1-norm: 7\n", rows, cols,
            rows, cols, rows * cols);
    for (int j = 0; j < cols; j++) {
        fprintf(file, "    col %d : locations %d to %d\n", j, count, count + rows - 1);
        for (int i = 0; i < rows; i++, count++) fprintf(file, "      %d : %.17g\n", i, A[i * cols + j]);
    }
}

static void put_triplets(FILE *file, int rows, int cols, const double *A) {
    fprintf(file, "2\n%d\n%d\n1\nCSparse Version 3.1.9, any text\ntriplet: %d-by-%d, nzmax: 99 nnz: %d\n", rows, cols,
            rows, cols, rows * cols);
    for (int e = rows * cols - 1; e >= 0; e--) fprintf(file, "    %d %d : %.17g\n", e / cols, e % cols, A[e]);
}

/* After W a local problem has q and mu; some files have a number too many. */
static void local_text(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int more = 0; more < 2; more++) {
            FILE *file = create("local.dat");
            fprintf(file, "2\n2\n");
            if (kind == 0) put_full(file, N, N, W[0]);
            if (kind == 1) put_blocks(file);
            if (kind == 2) put_columns(file, N, N, W[0]);
            if (kind == 3) put_triplets(file, N, N, W[0]);
            put(file, N, q);
            put(file, 2, mu);
            if (more) fprintf(file, "1\n");
            fclose(file);
            expect_local("local.dat");
        }
}

static void global_text(void **state) {
    (void)state;
    const double mass[9] = {M[0], 0, 0, 0, M[1], 0, 0, 0, M[2]};
    for (int kind = 0; kind < 3; kind++) {
        FILE *file = create("global.dat");
        void (*matrix)(FILE *, int, int, const double *) = kind == 0   ? put_full
                                                           : kind == 1 ? put_columns
                                                                       : put_triplets;
        fprintf(file, "2\n2\n");
        matrix(file, 3, 3, mass);
        matrix(file, 3, N, H[0]);
        put(file, 3, f);
        put(file, N, w);
        put(file, 2, mu);
        fclose(file);
        expect_global("global.dat");
    }
}

/* ---------------------------------------------------------------- HDF5 */

static void put_set(hid_t file, const char *name, hid_t type, int count, const void *values) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

static void put_integers(hid_t file, const char *group, const char *name, int count, const int *values) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s", group, name);
    put_set(file, path, H5T_NATIVE_INT, count, values);
}

static void put_numbers(hid_t file, const char *group, const char *name, int count, const double *values) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s", group, name);
    put_set(file, path, H5T_NATIVE_DOUBLE, count, values);
}

/* nz = -1 by columns, -2 by rows, otherwise triplets, with all entries. */
static void put_matrix(hid_t file, const char *group, int rows, int cols, const double *A, int nz) {
    int count = rows * cols, lines = nz == -1 ? cols : rows, p[64], i[64];
    double x[64];
    for (int e = 0; e < count; e++) {
        int row = nz == -1 ? e % rows : e / cols, col = nz == -1 ? e / rows : e % cols;
        i[e] = nz == -2 ? col : row;
        x[e] = A[row * cols + col];
        if (nz >= 0) p[e] = col;
    }
    for (int k = 0; nz < 0 && k <= lines; k++) p[k] = k * (count / lines);
    put_integers(file, group, "nzmax", 1, &count);
    put_integers(file, group, "m", 1, &rows);
    put_integers(file, group, "n", 1, &cols);
    put_integers(file, group, "nz", 1, nz < 0 ? &nz : &count);
    put_integers(file, group, "p", nz < 0 ? lines + 1 : count, p);
    put_integers(file, group, "i", count, i);
    put_numbers(file, group, "x", count, x);
}

static hid_t create_hdf5(const char *name) {
    hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void local_hdf5(void **state) {
    (void)state;
    for (int nz = -2; nz <= 0; nz++) {
        hid_t file = create_hdf5("local.hdf5");
        put_integers(file, "fclib_local", "spacedim", 1, &(int){2});
        put_matrix(file, "fclib_local/W", N, N, W[0], nz);
        put_numbers(file, "fclib_local/vectors", "q", N, q);
        put_numbers(file, "fclib_local/vectors", "mu", 2, mu);
        H5Fclose(file);
        expect_local("local.hdf5");
    }
}

/* u = A r + V l + p with V^T r + R l + s = 0 is the same problem if A = W + V R^-1 V^T and p = q + V R^-1 s. */
static void local_with_joints(void **state) {
    (void)state;
    const double V[N] = {1, -2, 0.5, 0.25}, R = 2, s = 3;
    double A[N][N], p[N];
    for (int i = 0; i < N; i++) {
        p[i] = q[i] + V[i] / R * s;
        for (int j = 0; j < N; j++) A[i][j] = W[i][j] + V[i] * V[j] / R;
    }
    hid_t file = create_hdf5("joint.hdf5");
    put_integers(file, "fclib_local", "spacedim", 1, &(int){2});
    put_matrix(file, "fclib_local/W", N, N, A[0], -2);
    put_matrix(file, "fclib_local/V", N, 1, V, 0);
    put_matrix(file, "fclib_local/R", 1, 1, &R, -1);
    put_numbers(file, "fclib_local/vectors", "q", N, p);
    put_numbers(file, "fclib_local/vectors", "s", 1, &s);
    put_numbers(file, "fclib_local/vectors", "mu", 2, mu);
    H5Fclose(file);
    check_problem("joint.hdf5", W, q, 1e-15);
}

static hid_t put_global(const char *name, const double *mass, int n, const double *columns, const double *force) {
    hid_t file = create_hdf5(name);
    put_integers(file, "fclib_global", "spacedim", 1, &(int){2});
    put_matrix(file, "fclib_global/M", n, n, mass, -1);
    put_matrix(file, "fclib_global/H", n, N, columns, 0);
    put_numbers(file, "fclib_global/vectors", "f", n, force);
    put_numbers(file, "fclib_global/vectors", "w", N, w);
    put_numbers(file, "fclib_global/vectors", "mu", 2, mu);
    return file;
}

/* A joint that holds a fourth coordinate, on which H and f act, too, changes nothing. */
static void global_hdf5(void **state) {
    (void)state;
    const double mass[9] = {M[0], 0, 0, 0, M[1], 0, 0, 0, M[2]};
    H5Fclose(put_global("global.hdf5", mass, 3, H[0], f));
    expect_global("global.hdf5");
    const double four[16] = {M[0], 0, 0, 0, 0, M[1], 0, 0, 0, 0, M[2], 0, 0, 0, 0, 3}, G[4] = {0, 0, 0, 1}, b = 0;
    double columns[4][N] = {{0}}, force[4] = {f[0], f[1], f[2], 9};
    memcpy(columns, H, sizeof H);
    for (int j = 0; j < N; j++) columns[3][j] = 1 + j;
    hid_t file = put_global("held.hdf5", four, 4, columns[0], force);
    put_matrix(file, "fclib_global/G", 4, 1, G, 0);
    put_numbers(file, "fclib_global/vectors", "b", 1, &b);
    H5Fclose(file);
    expect_global("held.hdf5");
}

/* What carom writes it reads, to the bit. */
static void written(void **state) {
    (void)state;
    entries e = {.rows = N, .cols = N};
    carom_error error;
    for (int i = N * N - 1; i >= 0; i--) assert_true(entries_add(&e, i / N, i % N, W[i / N][i % N]));
    friction_record record = {2, 2, &e, q, mu, q, q, "title", "description"};
    assert_int_equal(friction_write(in_folder("written.hdf5"), &record, &error), CAROM_OK);
    expect_local("written.hdf5");
    assert_int_equal(friction_write("/no/such/folder.hdf5", &record, &error), CAROM_FAILED);
    entries_free(&e);
}

/* A plank that slides on two supports, its weight off the middle: percussions are unique. Solved as a problem of FCLIB,
 * the step gives those of the run, for schemes that take contacts on velocity level. r: normal and friction of both;
 * the run has normals first. 1e-9: the error 1e-13 of the solution, times the condition of W. */
static void of_a_run(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau", "theta", "symmetric_moreau"};
    for (int k = 0; k < 3; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, y: 0, a: 0}\n"
                               "  kinetic: (3*x_dot^2 + 3*y_dot^2 + a_dot^2)/2\n  potential: 3*9.81*y\n  contacts:\n"
                               "    left: {gap: y - a, slip: x_dot, friction: 0.2}\n"
                               "    right: {gap: y + 2*a, slip: x_dot, friction: 0.3}\n"
                               "run: {integrator: %s, dt: 0.01, until: 0.1}\n",
                               schemes[k]);
        carom_error error;
        friction_report report;
        int written;
        if (friction_export(run.scene, 0.05, in_folder("run"), "plank", &written, &error))
            fail_msg("%s", error.message);
        for (int step = 0; step < 5; step++) trial_step(&run);
        char name[40];
        snprintf(name, sizeof name, "run/plank-i5-%d.hdf5", written - 1);
        friction_problem p = read_problem(name, 2);
        assert_int_equal(p.contacts, 2);
        double r[6] = {0};
        friction_solve(&p, friction_solvers, &(friction_options){.tolerance = 1e-13, .limit = INFINITY}, r, &report);
        assert_true(report.solved);
        assert_near(r[0], trial_value(&run, "left.PN"), 1e-9);
        assert_near(r[3], trial_value(&run, "right.PN"), 1e-9);
        assert_near(r[1], trial_value(&run, "left.PF"), 1e-9);
        assert_near(r[4], trial_value(&run, "right.PF"), 1e-9);
        assert_near(r[0] + r[3], 3 * 9.81 * 0.01, 1e-9);
        friction_destroy(&p);
        trial_close(&run);
    }
}

/* A ball that slides on a floor, its contact found and swept over velocities of bodies in the run: what is written is
 * solved by m g dt along the normal and mu of it against the slip, and by what slows the ball down in the step. 1e-9:
 * the error that the run accepts. */
static void of_a_heap(void **state) {
    (void)state;
    const double m = 2, rough = 0.2, g = 9.81, dt = 0.01;
    trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    ball: {type: spatial, mass: 2, shape: {sphere: 0.1}, position: [0, 0, 0.1], velocity: "
                           "[3, 0, 0]}\n"
                           "  contacts: {all: {among: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.2}}\n"
                           "run: {integrator: moreau, dt: 0.01, until: 0.1, accept: 1e-10}\n");
    carom_error error;
    friction_report report;
    int written;
    if (friction_export(run.scene, 5 * dt, in_folder("heap"), "ball", &written, &error)) fail_msg("%s", error.message);
    assert_int_equal(written, 1);
    for (int step = 0; step < 4; step++) trial_step(&run);
    const double before = trial_value(&run, "ball.x_dot");
    trial_step(&run);
    friction_problem p = read_problem("heap/ball-i5-0.hdf5", 3);
    assert_int_equal(p.contacts, 1);
    double r[3] = {0}, u[3];
    friction_solve(&p, friction_solvers, &(friction_options){.tolerance = 1e-13, .limit = INFINITY}, r, &report);
    assert_true(report.solved);
    friction_velocities(&p, r, u);
    assert_near(r[0], m * g * dt, 1e-9);
    assert_near(hypot(r[1], r[2]), rough * m * g * dt, 1e-9);
    assert_near(hypot(r[1], r[2]), m * (before - trial_value(&run, "ball.x_dot")), 1e-9);
    assert_near(hypot(u[1], u[2]), trial_value(&run, "ball.x_dot") - 0.1 * trial_value(&run, "ball.wy"), 1e-9);
    friction_destroy(&p);
    trial_close(&run);
}

/* ---------------------------------------------------------------- what is wrong */

static void expect_complaint(const char *name, const char *part) {
    friction_file file;
    friction_problem p;
    carom_error error = {0};
    carom_status status = friction_read(in_folder(name), &file, &error);
    if (!status) {
        status = friction_file_problem(&file, name, &p, &error);
        friction_file_free(&file);
    }
    char text[1100];
    carom_error_text(&error, text, sizeof text);
    assert_int_equal(status, CAROM_DATA);
    if (!strstr(text, part)) fail_msg("'%s' does not say '%s'", text, part);
    assert_null(strchr(text, '\n'));
}

static void bad_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"", "empty"},
        {"hello", "dimension"},
        {"4\n1\n", "dimension"},
        {"1\n1\n0 1 1 1 1 1 0 0", "dimension must be 2 or 3"},
        {"2\n-1\n", "number of contacts"},
        {"2\n1\n7 2 2", "kind of a matrix"},
        {"2\n1\n0\n2 2 2 2 1 0 0\n", "entry of a full matrix belongs here, but the file ends"},
        {"2\n1\n0\n2 2 2 2\n1 0 0 x\n", ":5:7: an entry of a full matrix belongs here, not 'x'"},
        {"2\n1\n0\n2 2 2 2\n1 0 0 1\n-1 0\n", "friction coefficient belongs here"},
        {"2\n1\n0\n2 2 2 2\n1 0 0 1\n-1 0\n-0.5\n", "below zero"},
        {"2\n1\n0\n2 2 2 2\n1 0 nan 1\n-1 0\n0.5\n", "W(0, 1)"},
        {"2\n1\n0\n2 2 2 2\n1 0 0 1\n-1 inf\n0.5\n", "q[1]"},
        {"2\n1\n0\n3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 0\n0.5\n", "kind of a matrix"},
        {"2\n1\n1\n2 2\n1 1 1\n2 2\n2 1\n0 1\n7\n", "column of a block"},
        {"2\n1\n2\n2 2\n1\nCSparse\n2-by-9, nzmax: 1 nnz: 1\n", "sizes"},
        {"2\n1\n2\n2 2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n5 0 : 1\n", "row of an entry"},
        {"2 1  0 2 2 2 2 0 0 0 1  0 2 2 2 2 1 0 0 1  1 1  1 1  0.5", "singular"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = create("bad.dat");
        fputs(cases[i].text, file);
        fclose(file);
        expect_complaint("bad.dat", cases[i].complaint);
    }
    expect_complaint("nowhere.dat", "No such file");
}

static void bad_hdf5(void **state) {
    (void)state;
    hid_t file = create_hdf5("bad.hdf5");
    H5Fclose(file);
    expect_complaint("bad.hdf5", "not a friction problem");
    file = create_hdf5("bad.hdf5");
    put_integers(file, "fclib_global_rolling", "spacedim", 1, &(int){3});
    H5Fclose(file);
    expect_complaint("bad.hdf5", "rolling friction");
    for (int missing = 0; missing < 4; missing++) {
        static const char *const complaints[] = {"fclib_local/vectors/q", "W", "outside", "spacedim is 5"};
        file = create_hdf5("bad.hdf5");
        put_integers(file, "fclib_local", "spacedim", 1, &(int){missing == 3 ? 5 : 2});
        if (missing == 1) put_matrix(file, "fclib_local/W", 3, 3, W[0], -2);
        else if (missing == 2) {
            const int p[5] = {0, 4, 8, 12, 99};
            put_matrix(file, "fclib_local/W", N, N, W[0], -2);
            H5Ldelete(file, "fclib_local/W/p", H5P_DEFAULT);
            put_integers(file, "fclib_local/W", "p", 5, p);
        } else put_matrix(file, "fclib_local/W", N, N, W[0], -2);
        if (missing) put_numbers(file, "fclib_local/vectors", "q", N, q);
        put_numbers(file, "fclib_local/vectors", "mu", 2, mu);
        H5Fclose(file);
        expect_complaint("bad.hdf5", complaints[missing]);
    }
    FILE *torn = create("bad.hdf5");
    fwrite("\x89HDF\r\n\x1a\n123", 1, 11, torn);
    fclose(torn);
    expect_complaint("bad.hdf5", "damaged");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_text),  cmocka_unit_test(global_text),       cmocka_unit_test(local_hdf5),
        cmocka_unit_test(global_hdf5), cmocka_unit_test(local_with_joints), cmocka_unit_test(written),
        cmocka_unit_test(of_a_run),    cmocka_unit_test(of_a_heap),         cmocka_unit_test(bad_text),
        cmocka_unit_test(bad_hdf5),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
