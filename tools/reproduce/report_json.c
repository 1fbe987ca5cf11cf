/* The report for programs. */
#include "picture/file.h"
#include "reproduce/report.h"
#include "reproduce/verdict.h"
#include "result/json.h"

static void write_list(FILE *out, const char *key, const double *values, int count) {
    fprintf(out, ", \"%s\": ", key);
    json_numbers(out, values, count);
}

static void write_claim(FILE *out, const claim *c) {
    json_entry(out, "{", "id", c->id);
    json_entry(out, ", ", "claim", c->text);
    json_entry(out, ", ", "printed", c->printed);
    json_entry(out, ", ", "at", c->at);
    json_entry(out, ", ", "derived", c->derived);
    json_entry(out, ", ", "derivation", c->derivation);
    write_list(out, "values", c->outcome == UNCHECKED || c->failure ? NULL : c->value, c->count);
    write_list(out, "near", c->near, c->count);
    write_list(out, "least", c->least, c->count);
    write_list(out, "greatest", c->greatest, c->count);
    json_entry(out, ", ", "unit", c->unit);
    json_entry(out, ", ", "verdict", claim_verdict(c));
    fprintf(out, ", \"holds\": %s", c->outcome == UNCHECKED ? "null" : c->outcome == HOLDS ? "true" : "false");
    fprintf(out, ", \"checked\": %s", c->outcome == UNCHECKED ? "false" : "true");
    json_entry(out, ", ", "reason", c->reason);
    json_entry(out, ", ", "tried", c->tried);
    json_entry(out, ", ", "failure", c->failure);
    fputc('}', out);
}

static void write_asset(FILE *out, const char *asset, int *written) {
    if (!asset) return;
    fputs((*written)++ > 0 ? ", " : "", out);
    json_text(out, asset);
}

static void write_figure(FILE *out, const figure_recipe *figure) {
    json_entry(out, "{", "name", figure->name);
    json_entry(out, ", ", "label", figure->label);
    json_entry(out, ", ", "title", figure->title);
    if (figure->failure) json_entry(out, ", ", "failure", figure->failure);
    int assets = 0;
    fputs(", \"assets\": [", out);
    for (int i = 0; i < figure->sketch_count; i++) write_asset(out, figure->sketches[i].asset, &assets);
    for (int i = 0; i < figure->picture_count; i++) write_asset(out, figure->pictures[i].asset, &assets);
    fputs("], \"claims\": [", out);
    for (int i = 0; i < figure->claim_count; i++) {
        fputs(i > 0 ? ",\n      " : "\n      ", out);
        write_claim(out, &figure->claims[i]);
    }
    fputs("]}", out);
}

static void write_paper(FILE *out, const paper_recipe *paper) {
    json_entry(out, "{", "name", paper->name);
    json_entry(out, ", ", "title", paper->title);
    fputs(", \"figures\": [", out);
    for (int f = 0; f < paper->count; f++) {
        fputs(f > 0 ? ",\n    " : "\n    ", out);
        write_figure(out, &paper->figures[f]);
    }
    fputs("]}", out);
}

static void write_summary(FILE *out, const recipes *r, const report_facts *facts) {
    tally t = tally_of(r);
    fprintf(out, "{\"claims\": %d", t.claims);
    for (int f = 0; f < FATES; f++) fprintf(out, ", \"%s\": %d", fate_key((fate)f), t.by_fate[f]);
    fprintf(out, ", \"figures\": %d, \"failures\": %d, \"jobs\": %d, \"cached\": %d, \"workers\": %d, \"seconds\": ",
            t.figures, t.failures, facts->jobs, facts->cached, facts->workers);
    json_number(out, facts->seconds);
    fputc('}', out);
}

carom_status report_write_json(const recipes *r, const report_facts *facts, const char *folder, carom_error *error) {
    char path[4096];
    file f;
    snprintf(path, sizeof path, "%s/report.json", folder);
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    json_entry(f.out, "{", "carom", carom_version());
    json_entry(f.out, ", ", "revision", carom_revision());
    json_entry(f.out, ", ", "mode", r->quick ? "quick" : "full");
    fputs(",\n\"papers\": [", f.out);
    for (int p = 0; p < r->count; p++) {
        fputs(p > 0 ? ",\n  " : "\n  ", f.out);
        write_paper(f.out, &r->papers[p]);
    }
    fputs("],\n\"summary\": ", f.out);
    write_summary(f.out, r, facts);
    fputs("}\n", f.out);
    return file_finish(&f, CAROM_OK, error);
}
