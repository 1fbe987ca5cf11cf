/* The numbers of a comparison as text. */
#include "result/csv.h"
#include "study/compare.h"

#include <math.h>

static const char *const over_names[OVER_COUNT] = {"energy",      "error_q",  "error_u",
                                                   "penetration", "position", "velocity"};

static void write_run(FILE *out, const comparison *c, const compared *run) {
    const track *t = &run->run;
    double steps = (double)t->steps;
    const double numbers[] = {
        run->dt,
        steps,
        t->t,
        run->error_q,
        run->error_u,
        run->energy,
        run->energy_end,
        c->contacts ? t->seen.gap : NAN,
        c->position ? t->seen.position : NAN,
        c->velocity ? t->seen.velocity : NAN,
        t->seen.residual,
        t->newton / steps,
        t->newton_max,
        (double)t->divided,
        run->seconds,
        run->seconds / steps,
    };
    csv_text(out, run->scheme->label);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fputc(',', out);
        csv_number(out, t->rows > 0 || i == 0 ? numbers[i] : NAN);
    }
    fprintf(out, ",%016llx,", t->hash);
    csv_text(out, t->status ? t->error.message : "ok");
    fputc('\n', out);
}

carom_status comparison_write_csv(const comparison *c, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fprintf(out,
            "integrator,dt,steps,t,error_q,error_u,%s,energy_end,smallest_gap,position_drift,velocity_drift,residual,"
            "newton_mean,newton_max,divided_steps,seconds,seconds_per_step,hash,status\n",
            c->relative ? "energy_change_relative" : "energy_change");
    for (int i = 0; i < c->schemes * c->sizes; i++) write_run(out, c, &c->all[i]);
    return csv_close(path, out, CAROM_OK, error);
}

carom_status comparison_write_over_time(const comparison *c, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    fputs("integrator,dt,quantity,t,value\n", out);
    for (int i = c->shown; i < c->schemes * c->sizes; i += c->sizes)
        for (int k = 0; k < OVER_COUNT; k++)
            for (long n = 0; n < c->all[i].over[k].count; n++) {
                csv_text(out, c->all[i].scheme->label);
                fputc(',', out);
                csv_number(out, c->all[i].dt);
                fprintf(out, ",%s,", k == OVER_ENERGY && c->conserved ? "energy_error" : over_names[k]);
                csv_number(out, c->all[i].over[k].t[n]);
                fputc(',', out);
                csv_number(out, c->all[i].over[k].value[n]);
                fputc('\n', out);
            }
    return csv_close(path, out, CAROM_OK, error);
}
