/* The registry, and reading options. */
#include "integrator/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

extern const integrator integrator_moreau, integrator_symmetric_moreau, integrator_variational_moreau, integrator_theta,
    integrator_rattle, integrator_lobatto, integrator_nsga, integrator_multisymplectic;

static const integrator *const integrators[] = {
    &integrator_moreau, &integrator_symmetric_moreau, &integrator_variational_moreau,
    &integrator_theta,  &integrator_rattle,           &integrator_lobatto,
    &integrator_nsga,   &integrator_multisymplectic,
};

int carom_integrators(void) {
    return (int)(sizeof integrators / sizeof *integrators);
}

const carom_integrator_info *carom_integrator(int i) {
    return i >= 0 && i < carom_integrators() ? &integrators[i]->info : NULL;
}

const integrator *integrator_find(const char *name) {
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(integrators[i]->info.name, name)) return integrators[i];
    return NULL;
}

static const carom_option *option_find(const carom_run_def *run, const char *name) {
    for (int i = 0; i < run->option_count; i++)
        if (!strcmp(run->options[i].name, name)) return &run->options[i];
    return NULL;
}

carom_status option_choice(const carom_run_def *run, const char *name, const char *const *choices, int *choice,
                           carom_error *error) {
    const carom_option *o = option_find(run, name);
    *choice = 0;
    if (!o) return CAROM_OK;
    for (; choices[*choice]; ++*choice)
        if (o->text && !strcmp(o->text, choices[*choice])) return CAROM_OK;
    char list[128] = "";
    for (int k = 0; choices[k]; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s'", k ? " or " : "", choices[k]);
    return carom_error_set(error, CAROM_DATA, "option '%s' is %s, not '%s'", name, list,
                           o->text ? o->text : "a number");
}

carom_status option_number(const carom_run_def *run, const char *name, double least, double most, bool whole,
                           double *number, carom_error *error) {
    const carom_option *o = option_find(run, name);
    if (!o) return CAROM_OK;
    char given[64];
    if (o->text) snprintf(given, sizeof given, "'%.40s'", o->text);
    else snprintf(given, sizeof given, "%.10g", o->number);
    bool sound = !o->text && o->number >= least && o->number <= most && (!whole || o->number == floor(o->number));
    if (!sound)
        return carom_error_set(error, CAROM_DATA, "option '%s' is a %snumber in [%g, %g], not %s", name,
                               whole ? "whole " : "", least, most, given);
    *number = o->number;
    return CAROM_OK;
}
