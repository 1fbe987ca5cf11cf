/* The registry, and reading options. */
#include "integrator/integrator.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "registry.h"

/* All integrators, in the order of carom list. A new one is a file and a line here. */
// clang-format off
#define EACH_INTEGRATOR(one) \
    one(moreau) \
    one(symmetric_moreau) \
    one(variational_moreau) \
    one(theta) \
    one(rattle) \
    one(lobatto) \
    one(nsga) \
    one(generalized_alpha) \
    one(multisymplectic)
// clang-format on
#define DECLARED(name) extern const integrator integrator_##name;
#define LISTED(name) &integrator_##name,

EACH_INTEGRATOR(DECLARED)
static const integrator *const integrators[] = {EACH_INTEGRATOR(LISTED)};

enum { INTEGRATORS = sizeof integrators / sizeof *integrators };
static registry own = {.what = "integrator", .one = "an integrator"};

int carom_integrators(void) {
    return INTEGRATORS + own.count;
}

static const integrator *integrator_at(int i) {
    return i < INTEGRATORS ? integrators[i] : own.at[i - INTEGRATORS];
}

const carom_integrator_info *carom_integrator(int i) {
    assert(i >= 0 && i < carom_integrators());
    return &integrator_at(i)->info;
}

const integrator *integrator_find(const char *name) {
    for (int i = 0; i < carom_integrators(); i++)
        if (!strcmp(integrator_at(i)->info.name, name)) return integrator_at(i);
    return NULL;
}

carom_status carom_integrator_register(const carom_integrator_def *d, carom_error *error) {
    const carom_integrator_info *info = &d->info;
    const char *lacking = NULL;
    if (!d->create || !d->destroy || !d->start || !d->step || !d->forget)
        lacking = "the functions create, destroy, start, step and forget";
    else if (!info->title || !info->order || !info->conserves || !info->needs || !info->stability || !info->reference)
        lacking = "its texts: title, order, conserves, needs, stability, reference";
    else if (d->stages < 1 || d->stages > MOST_STAGES) lacking = "1 to 8 stages";
    else if (d->events || d->certifies || d->sides) lacking = "no located events: they are for carom's own";
    return registry_add(&own, d, info->name, info->name && integrator_find(info->name), lacking, error);
}

static carom_status check_impact(const carom_model_contact *c, carom_error *error) {
    const law *l = law_of_impact(c);
    if (!l)
        return carom_error_set(error, CAROM_DATA, "there is no law of impact '%s' for contact '%s'", c->impact,
                               c->name);
    if (l == &law_plastic && c->restitution > 0)
        return carom_error_set(error, CAROM_DATA, "contact '%s' is plastic and has restitution %g; leave one out",
                               c->name, c->restitution);
    if (l != &law_newton && c->tangential_restitution > 0)
        return carom_error_set(error, CAROM_DATA,
                               "contact '%s' has tangential_restitution, which belongs to the law of impact 'newton', "
                               "but its impact is '%s'",
                               c->name, l->info.name);
    if (l->expand && law_of_slips(c) && !law_follows_direction(c))
        return carom_error_set(error, CAROM_DATA,
                               "impact '%s' needs one force for every direction of slip, contact '%s' has the law '%s' "
                               "and %d slips, without the functions 'support' and 'gauge'",
                               l->info.name, c->name, c->law, c->slips);
    return CAROM_OK;
}

carom_status integrator_check_laws(const integrator *scheme, const carom_model *m, carom_error *error) {
    for (int k = 0; k < m->def.contacts; k++) {
        const carom_model_contact *c = &m->def.contact[k];
        carom_status status = check_impact(c, error);
        if (status) return status;
        if (!c->law) continue;
        if (!law_of_slips(c))
            return carom_error_set(error, CAROM_DATA, "there is no law '%s' for contact '%s' with %d slips", c->law,
                                   c->name, c->slips);
        if (!scheme->any_laws && !law_follows_direction(c))
            return carom_error_set(error, CAROM_DATA,
                                   "integrator '%s' needs one force for every direction of slip, contact '%s' has the "
                                   "law '%s' and %d slips, without the functions 'support' and 'gauge'; moreau, theta, "
                                   "nsga, rattle and lobatto take any law",
                                   scheme->info.name, c->name, c->law, c->slips);
    }
    return CAROM_OK;
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
