/* The registry, and reading options. */
#include "integrator/integrator.h"

#include <stdio.h>
#include <string.h>

#include "error.h"

extern const integrator integrator_moreau, integrator_rattle;

static const integrator *const integrators[] = {&integrator_moreau, &integrator_rattle};

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

carom_status option_choice(const carom_run_def *run, const char *name, const char *const *choices, int *choice,
                           carom_error *error) {
    *choice = 0;
    for (int i = 0; i < run->option_count; i++) {
        const carom_option *o = &run->options[i];
        if (strcmp(o->name, name)) continue;
        for (*choice = 0; choices[*choice]; ++*choice)
            if (o->text && !strcmp(o->text, choices[*choice])) return CAROM_OK;
        char list[128] = "";
        for (int k = 0; choices[k]; k++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s'", k ? " or " : "", choices[k]);
        return carom_error_set(error, CAROM_DATA, "option '%s' is %s, not '%s'", name, list,
                               o->text ? o->text : "a number");
    }
    return CAROM_OK;
}
