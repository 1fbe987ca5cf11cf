/* Friction problems by carom and by the solvers of Siconos, on the same W, q and mu:
 *
 *     friction [--limit SECONDS] [FILE...]
 *
 * prints one line per problem: contacts, carom's error and time, the best solver of Siconos with its time, and the
 * ratio. Without files: columns, walls, packings, wedges and tables of some hundred contacts. A solver has solved a
 * problem if the error that carom computes of its percussions is at most 1e-8. Every time is the best of five, of one
 * processor; that of W is no part of it. Built by bench/friction where Siconos is installed; no part of carom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>

#include "fclib/file.h"
#include "support/friction_cases.h"

typedef struct solver {
    int id;
    const char *name;
} solver;

static const solver in_space[] = {{SICONOS_FRICTION_3D_NSGS, "NSGS"},     {SICONOS_FRICTION_3D_NSN_AC, "NSN_AC"},
                                  {SICONOS_FRICTION_3D_NSN_FB, "NSN_FB"}, {SICONOS_FRICTION_3D_NSN_NM, "NSN_NM"},
                                  {SICONOS_FRICTION_3D_PROX, "PROX"},     {SICONOS_FRICTION_3D_TFP, "TFP"},
                                  {SICONOS_FRICTION_3D_ACLMFP, "ACLMFP"}, {SICONOS_FRICTION_3D_ADMM, "ADMM"},
                                  {SICONOS_FRICTION_3D_FPP, "FPP"},       {SICONOS_FRICTION_3D_EG, "EG"},
                                  {SICONOS_FRICTION_3D_SOCLCP, "SOCLCP"}, {SICONOS_FRICTION_3D_VI_EG, "VI_EG"},
                                  {SICONOS_FRICTION_3D_VI_FPP, "VI_FPP"}, {0}};
static const solver in_plane[] = {
    {SICONOS_FRICTION_2D_NSGS, "NSGS"}, {SICONOS_FRICTION_2D_CPG, "CPG"}, {SICONOS_FRICTION_2D_LEMKE, "LEMKE"}, {0}};
enum { REPEATS = 5 };
static const double tolerance = 1e-8;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the problem for Siconos: a file of its own format, sparse blocks in space, full in the plane */

static void put_blocks(FILE *f, const friction_problem *p) {
    int n = p->contacts, blocks = p->start[n];
    fprintf(f, "1\n%d\n%d\n%d\n%d\n%d\n", 3 * n, 3 * n, blocks, n, n);
    for (int k = 0; k < 2 * n; k++) fprintf(f, "%d ", 3 * (k % n + 1));
    fprintf(f, "\n%d\n%d\n", n + 1, blocks);
    for (int a = 0; a <= n; a++) fprintf(f, "%d ", p->start[a]);
    for (int e = 0; e < blocks; e++) fprintf(f, "%d ", p->index[e]);
    for (int e = 0; e < blocks; e++) {
        fprintf(f, "\n%d\n", e);
        for (int k = 0; k < 9; k++) fprintf(f, "%.17g ", p->W[e][3 * (k % 3) + k / 3]);
    }
}

static void put_full(FILE *f, const friction_problem *p) {
    int n = 2 * p->contacts;
    double *W = calloc((size_t)n * (size_t)n, sizeof *W);
    for (int a = 0; a < p->contacts; a++)
        for (int e = p->start[a]; e < p->start[a + 1]; e++)
            for (int k = 0; k < 4; k++) W[(2 * p->index[e] + k % 2) * n + 2 * a + k / 2] = p->W[e][3 * (k / 2) + k % 2];
    fprintf(f, "0\n%d\n%d\n%d %d\n", n, n, n, n);
    for (int i = 0; i < n * n; i++) fprintf(f, "%.17g\n", W[i]);
    free(W);
}

static FrictionContactProblem *problem_of(const friction_problem *p, int dimension) {
    FILE *f = tmpfile();
    if (!f) exit(EXIT_FAILURE);
    fprintf(f, "%d\n%d\n", dimension, p->contacts);
    if (dimension == 3) put_blocks(f, p);
    else put_full(f, p);
    for (int a = 0; a < p->contacts; a++)
        for (int i = 0; i < dimension; i++) fprintf(f, "\n%.17g", p->q[3 * a + i]);
    for (int a = 0; a < p->contacts; a++) fprintf(f, "\n%.17g", p->mu[a]);
    rewind(f);
    FrictionContactProblem *theirs = frictionContact_newFromFile(f);
    fclose(f);
    return theirs;
}

/* ---- one solver */

/* Time and error of one solution; the tolerance is theirs, the error ours. */
static double solve_theirs(FrictionContactProblem *theirs, const friction_problem *p, int dimension, int id,
                           double *error) {
    size_t n = 3 * (size_t)p->contacts;
    double *x = calloc(4 * n, sizeof *x), *r = x + 2 * n, *u = r + n;
    SolverOptions *o = solver_options_create(id);
    o->dparam[SICONOS_DPARAM_TOL] = tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 100000000;
    double start = now();
    if (dimension == 3) fc3d_driver(theirs, x, x + n, o);
    else fc2d_driver(theirs, x, x + n, o);
    double seconds = now() - start;
    for (int i = 0; i < dimension * p->contacts; i++) r[3 * (i / dimension) + i % dimension] = x[i];
    friction_velocities(p, r, u);
    *error = friction_error(p, r, u);
    free(x);
    return seconds;
}

static double solve_ours(const friction_problem *p, double limit, friction_report *report) {
    double best = INFINITY, *r = malloc((3 * (size_t)p->contacts + 1) * sizeof *r);
    for (int k = 0; k < REPEATS; k++) {
        memset(r, 0, 3 * (size_t)p->contacts * sizeof *r);
        double start = now();
        friction_solve(p, friction_solvers, &(friction_options){tolerance, limit}, r, report);
        best = fmin(best, now() - start);
    }
    free(r);
    return best;
}

/* In a process of its own, which may crash or take too long. Infinite: unsolved. */
static double try_solver(FrictionContactProblem *theirs, const friction_problem *p, int dimension, int id,
                         double limit) {
    int ends[2];
    double best = INFINITY, error;
    if (pipe(ends)) return INFINITY;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)ceil(limit));
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
        for (int k = 0; k < REPEATS; k++) {
            double seconds = solve_theirs(theirs, p, dimension, id, &error);
            if (error <= tolerance && write(ends[1], &seconds, sizeof seconds) < 0) _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    for (double seconds; read(ends[0], &seconds, sizeof seconds) == sizeof seconds;) best = fmin(best, seconds);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return best;
}

/* ---- one problem */

/* Returns the ratio of the best of theirs to ours; 0: we do not solve it. */
static double compare(const char *name, const friction_problem *p, int dimension, double limit) {
    friction_report report;
    const char *best_name = "none";
    double best = INFINITY, ours = solve_ours(p, limit, &report);
    FrictionContactProblem *theirs = problem_of(p, dimension);
    for (const solver *s = dimension == 3 ? in_space : in_plane; s->name; s++) {
        double seconds = try_solver(theirs, p, dimension, s->id, fmax(1, fmin(limit, 100 * ours)));
        if (seconds < best) best = seconds, best_name = s->name;
    }
    printf("%-42s %6d  %-8s %8.1e %11.6f s  %-7s %11.6f s  %7.1f\n", name, p->contacts,
           report.solved ? "solved" : "unsolved", report.error, ours, best_name, best, best / ours);
    fflush(stdout);
    return report.solved ? best / ours : 0;
}

static double compare_file(const char *path, double limit) {
    friction_file f;
    friction_problem p;
    carom_error error;
    const char *slash = strrchr(path, '/');
    if (friction_read(path, &f, &error) || friction_file_problem(&f, path, &p, &error)) {
        printf("%s: %s\n", path, error.message);
        return 0;
    }
    double ratio = compare(slash ? slash + 1 : path, &p, f.dimension, limit);
    friction_destroy(&p);
    friction_file_free(&f);
    return ratio;
}

static double compare_case(const friction_kind *kind, int contacts, double limit) {
    friction_case c;
    friction_problem p;
    friction_case_make(kind, contacts, 1, &c);
    friction_case_problem(&c, &p);
    double ratio = compare(kind->name, &p, 3, limit);
    friction_destroy(&p);
    friction_case_free(&c);
    return ratio;
}

/* ---- all of them */

typedef struct tally {
    int both, unsolved, slower;
    double sum; /* of logarithms */
} tally;

static void count(tally *t, double ratio) {
    t->unsolved += !(ratio > 0);
    t->slower += ratio > 0 && ratio < 1;
    if (!(ratio > 0) || isinf(ratio)) return;
    t->both++;
    t->sum += log(ratio);
}

int main(int argc, char **argv) {
    double limit = argc > 2 && !strcmp(argv[1], "--limit") ? atof(argv[2]) : 20;
    int first = argc > 2 && !strcmp(argv[1], "--limit") ? 3 : 1;
    tally t = {0};
    numerics_set_verbose(0);
    printf("%-42s %6s  %-8s %8s %13s  %-21s  %7s\n", "problem", "nc", "carom", "error", "", "best of Siconos", "ratio");
    for (int i = first; i < argc; i++) count(&t, compare_file(argv[i], limit));
    for (const friction_kind *k = friction_kinds; first == argc && k->name; k++)
        for (int contacts = 100; contacts <= 400; contacts *= 2) count(&t, compare_case(k, contacts, limit));
    printf("geometric mean of the ratios %.1f over %d problems that both solve; carom leaves %d unsolved and is slower "
           "on %d\n",
           exp(t.sum / fmax(1, t.both)), t.both, t.unsolved, t.slower);
    return t.unsolved ? EXIT_FAILURE : EXIT_SUCCESS;
}
