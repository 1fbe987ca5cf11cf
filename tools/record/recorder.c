#include "record/recorder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "error.h"
#include "result/disk.h"

/* A scene that chooses no panels gets one for each coordinate and one for the energy, if it has at most so many
 * coordinates. For larger scenes carom plot chooses. */
enum { MOST_PANELS = 6 };

carom_status recorder_describe(const carom_scene *scene, const recording *r, const char *path, result_info *info,
                               carom_error *error) {
    const carom_run_def *run = carom_scene_run(scene);
    const carom_model_def *model = carom_model_get(carom_scene_model(scene));
    int parameters = carom_scene_parameters(scene), chosen = carom_scene_plots(scene);
    const int own = model->nq - model->slacks;
    int plots = chosen > 0 ? chosen : own <= MOST_PANELS ? own + 1 : 0;
    const char **parameter = malloc(((size_t)parameters + 1) * sizeof *parameter);
    double *values = malloc(((size_t)parameters + 1) * sizeof *values);
    const char **plot = malloc(((size_t)plots + 1) * sizeof *plot);
    *info = (result_info){.title = carom_scene_title(scene),
                          .scene = carom_scene_text(scene),
                          .scene_path = path,
                          .integrator = run->integrator,
                          .dt = run->dt,
                          .until = run->until,
                          .every = carom_scene_every(scene),
                          .parameters = parameters,
                          .parameter_names = parameter,
                          .parameter_values = values,
                          .plots = plots,
                          .plot = plot,
                          .events = r->events,
                          .found = r->found};
    if (!parameter || !values || !plot) return carom_error_memory(error);
    for (int i = 0; i < parameters; i++) parameter[i] = carom_scene_parameter(scene, i, &values[i]);
    info->plots = 0;
    for (int i = 0; i < plots; i++) {
        const char *panel = chosen > 0 ? carom_scene_plot(scene, i) : i < plots - 1 ? model->q_names[i] : "E";
        if (recording_fits(r, scene, panel)) plot[info->plots++] = panel;
    }
    return CAROM_OK;
}

void recorder_free(result_info *info) {
    free((char **)info->parameter_names);
    free((double *)info->parameter_values);
    free((char **)info->plot);
}

carom_status recorder_may_overwrite(const char *path, const char *other, carom_error *error) {
    struct stat file;
    if (stat(path, &file) || (S_ISREG(file.st_mode) && file.st_size == 0)) return CAROM_OK;
    const char *kind = disk_kind(file.st_mode);
    if (kind) return carom_error_set(error, CAROM_DATA, "%s is %s, not a file: choose another %s", path, kind, other);
    if (result_is_result(path)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s exists and is not a result of carom: choose another %s", path, other);
}

carom_status recorder_finish(result_writer *writer, const carom_sim *sim, const char *outcome, double wall_seconds,
                             carom_error *error) {
    const int stages = carom_sim_stages(sim), figures = carom_sim_figures(sim);
    int *most = malloc(((size_t)stages + 1) * sizeof *most);
    double *mean = malloc(((size_t)stages + 1) * sizeof *mean);
    const char **own = malloc(((size_t)figures + 1) * sizeof *own);
    double *values = malloc(((size_t)figures + 1) * sizeof *values);
    for (int k = 0; most && mean && k < stages; k++) {
        most[k] = carom_sim_newton_max(sim, k);
        mean[k] = carom_sim_newton_mean(sim, k);
    }
    for (int i = 0; own && values && i < figures; i++) own[i] = carom_sim_figure(sim, i, &values[i]);
    result_summary summary = {.status = outcome,
                              .hash = carom_sim_hash(sim),
                              .wall_seconds = wall_seconds,
                              .stages = most && mean ? stages : 0,
                              .newton_max = most,
                              .newton_mean = mean,
                              .figures = own && values ? figures : 0,
                              .figure_names = own,
                              .figure_values = values};
    carom_status status = result_finish(writer, &summary, error);
    free(most);
    free(mean);
    free(own);
    free(values);
    return status;
}
