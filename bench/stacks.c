/* What friction problems of bodies cost: columns, walls, packings, wedges and tables of 100, 1000, ... contacts,
 *
 *     stacks [MOST [LIMIT]]
 *
 * as they are; with every number of M, H, f and mu changed by up to 1e-3; and with every entry of W changed by up to
 * 1e-3, so that W is unsymmetric and belongs to no bodies. From nothing to an error of 1e-8, in seconds of one
 * processor; LIMIT: seconds after which a problem is given up. Of the last, some have no solution: they are counted on
 * their own. */
#include "support/friction_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AS_IS, BODIES_CHANGED, W_CHANGED, CHANGES };
static const char *const changes[] = {"", "bodies", "W"};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool solve(const friction_kind *kind, int contacts, int change, double limit) {
    friction_case c;
    friction_problem p;
    friction_report report;
    char solver[80];
    friction_case_make(kind, contacts, 1, &c);
    if (change == BODIES_CHANGED) friction_case_perturb(&c, 1e-3, 1);
    friction_case_problem(&c, &p);
    if (change == W_CHANGED) friction_perturb(&p, 1e-3, 1);
    double *r = calloc(3 * (size_t)p.contacts, sizeof *r);
    if (!r) exit(EXIT_FAILURE);
    const double start = processor_seconds();
    friction_solve(&p, friction_solvers, &(friction_options){.tolerance = 1e-8, .limit = limit}, r, &report);
    const double seconds = processor_seconds() - start;
    friction_name_parts(report.parts, solver, sizeof solver);
    printf("%-8s %-7s %6d  %-8s %8.1e %9.3f s %7d %5d  %s%s%s\n", kind->name, changes[change], p.contacts,
           report.solved ? "solved" : "unsolved", report.error, seconds, report.sweeps, report.factored, solver,
           report.solved ? "" : ": ", report.reason);
    fflush(stdout);
    free(r);
    friction_destroy(&p);
    friction_case_free(&c);
    return report.solved;
}

/* All legs of a table see each other: W is full. */
static int most_of(const friction_kind *kind, int most) {
    return strcmp(kind->name, "table") == 0 && most > 1000 ? 1000 : most;
}

int main(int argc, char **argv) {
    const int most = argc > 1 ? atoi(argv[1]) : 10000;
    const double limit = argc > 2 ? atof(argv[2]) : 60;
    int solved[CHANGES] = {0}, all = 0;
    printf("%-8s %-7s %6s  %-8s %8s %11s %7s %5s  %s\n", "", "changed", "nc", "", "error", "", "sweeps", "fact.", "by");
    for (const friction_kind *k = friction_kinds; k->name; k++)
        for (int contacts = 100; contacts <= most_of(k, most); contacts *= 10, all++)
            for (int change = 0; change < CHANGES; change++) solved[change] += solve(k, contacts, change, limit);
    printf("of %d problems, unsolved: %d as they are, %d with bodies changed, %d with W changed\n", all,
           all - solved[AS_IS], all - solved[BODIES_CHANGED], all - solved[W_CHANGED]);
    return solved[AS_IS] + solved[BODIES_CHANGED] == 2 * all ? EXIT_SUCCESS : EXIT_FAILURE;
}
