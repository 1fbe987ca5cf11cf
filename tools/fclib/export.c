#include "fclib/export.h"

#include "error.h"
#include "fclib/file.h"
#include "solver/contact_map.h"
#include "solver/solver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct exporter {
    const char *folder, *name;
    long step;
    double time; /* at its end */
    int written;
    carom_status status; /* of the first complaint */
    carom_error *error;
} exporter;

/* ---------------------------------------------------------------- one problem */

/* q, r and u = W r + q of the contacts of a map, in one piece of memory for the caller to free. */
static double *solution_of(const contact_map *c, const double *z, entries *W) {
    int n = c->dimension * c->contacts, row;
    double *q = malloc((3 * (size_t)n + 1) * sizeof *q), *r = q + n, *u = r + n;
    if (!q || friction_condense(&c->map, W, q, &row) != CONDENSED) {
        free(q);
        return NULL;
    }
    for (int i = 0; i < n; i++) r[i] = c->unknown[i] >= 0 ? z[c->unknown[i]] : 0;
    memcpy(u, q, (size_t)n * sizeof *u);
    for (int e = 0; e < W->count; e++) u[W->at[e].row] += W->at[e].value * r[W->at[e].col];
    return q;
}

static void write_map(exporter *x, const contact_map *c, const double *z) {
    char path[PATH_MAX], description[120];
    entries W = {0};
    int n = c->dimension * c->contacts;
    double *q = solution_of(c, z, &W);
    if (!q) {
        x->status = carom_error_memory(x->error);
        return;
    }
    snprintf(path, sizeof path, "%s/%s-i%ld-%d.hdf5", x->folder, x->name, x->step, x->written);
    snprintf(description, sizeof description, "problem %d of the step %ld that ends at t = %.17g", x->written, x->step,
             x->time);
    friction_record record = {c->dimension, c->contacts, &W, q, c->mu, q + n, q + 2 * n, x->name, description};
    x->status = friction_write(path, &record, x->error);
    x->written++;
    entries_free(&W);
    free(q);
}

static void witness(void *self, problem *p, const double *z) {
    exporter *x = self;
    contact_map c;
    double *rows = x->status ? NULL : malloc((size_t)(p->n + p->looks + 1) * sizeof *rows);
    if (!rows || p->evaluate(p->context, z, rows, true)) {
        free(rows);
        return;
    }
    if (contact_map_create(&c, p, z, rows, CONTACT_UNITS_OWN)) {
        write_map(x, &c, z);
        contact_map_free(&c);
    }
    free(rows);
}

/* ---------------------------------------------------------------- the step */

/* Takes steps until the one that ends nearest to the time. The witness sees the problems of that step alone. */
static carom_status step_to(carom_sim *sim, double time, double dt, exporter *x, carom_error *error) {
    carom_status status = CAROM_OK;
    for (bool last = false; !status && !last && !carom_sim_done(sim);) {
        x->step = carom_sim_steps(sim) + 1;
        x->time = carom_sim_time(sim) + dt;
        last = x->time + dt / 2 > time;
        if (last) solver_show(witness, x);
        status = carom_sim_step(sim, error);
        solver_show(NULL, NULL);
    }
    return status ? status : x->status;
}

carom_status friction_export(const carom_scene *scene, double time, const char *folder, const char *name, int *written,
                             carom_error *error) {
    const carom_run_def *run = carom_scene_run(scene);
    carom_sim *sim = NULL;
    exporter x = {.folder = folder, .name = name, .error = error};
    if (!(time >= 0 && time <= run->until + run->dt / 2))
        return carom_error_set(error, CAROM_DATA, "the time %g is not within the run, which ends at %g", time,
                               run->until);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return carom_error_set(error, CAROM_FAILED, "%s: %s", folder, strerror(errno));
    carom_status status = carom_sim_create(carom_scene_model(scene), run, &sim, error);
    if (!status) status = step_to(sim, time, run->dt, &x, error);
    carom_sim_destroy(sim);
    *written = x.written;
    if (!status && !x.written)
        status = carom_error_set(error, CAROM_DATA,
                                 "the step that ends at t = %g solves no friction problem of closed contacts", x.time);
    return status;
}
