/* The page: facts, the table of all claims, then paper by paper. It needs no network, and no script but for motions. */
#include "error.h"
#include "picture/file.h"
#include "reproduce/html.h"
#include "reproduce/report.h"
#include "reproduce/report_page.h"
#include "reproduce/verdict.h"
#include "result/store.h"

#include <ctype.h>
#include <errno.h>

static carom_status write_style(FILE *out, const recipes *r, carom_error *error) {
    char reason[128];
    FILE *in = fopen(r->style, "rb");
    if (!in) return carom_error_set(error, CAROM_DATA, "%s: %s", r->style, store_reason(errno, reason, sizeof reason));
    for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
    fclose(in);
    return CAROM_OK;
}

static const char *title_of(const recipes *r) {
    if (!r->study) return "The papers behind carom, computed anew";
    return r->papers[0].count == 1 ? r->papers[0].figures[0].title : "Studies";
}

static carom_status write_head(FILE *out, const recipes *r, carom_error *error) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<title>",
          out);
    html_text(out, title_of(r));
    fputs("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n", out);
    carom_status status = write_style(out, r, error);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#claims\">To the claims</a>\n", out);
    return status;
}

/* ---------------------------------------------------------------- facts */

static void write_time(FILE *out, double seconds) {
    if (seconds < 100) fprintf(out, "%.3g s", seconds);
    else if (seconds < 6000) fprintf(out, "%.0f min", seconds / 60);
    else fprintf(out, "%.1f h", seconds / 3600);
}

static void write_facts(FILE *out, const recipes *r, const report_facts *facts) {
    fputs("<dl class=\"facts\">\n<div><dt>carom</dt><dd>", out);
    html_text(out, carom_version());
    fputs(" <small>", out);
    html_text(out, carom_revision());
    fprintf(out, "</small></dd></div>\n<div><dt>runs</dt><dd>%s</dd></div>\n<div><dt>computed in</dt><dd>",
            r->quick ? "quick <small>coarser and shorter than in the papers</small>" : "full");
    write_time(out, facts->seconds);
    fprintf(out, "</dd></div>\n<div><dt>processors</dt><dd>%d</dd></div>\n", facts->workers);
    fprintf(out, "<div><dt>computations</dt><dd>%d", facts->jobs);
    if (facts->cached > 0) fprintf(out, " <small>%d of them kept from before</small>", facts->cached);
    fputs("</dd></div>\n</dl>\n", out);
}

/* The number of claims of each paper by verdict. Verdicts that no claim has are left out. */
static void write_glance(FILE *out, const recipes *r) {
    tally all = tally_of(r);
    fputs("<div class=\"scroll\">\n<table class=\"glance\">\n<thead><tr><th scope=\"col\">paper</th>", out);
    for (int f = 0; f < FATES; f++)
        if (all.by_fate[f]) fprintf(out, "<th scope=\"col\">%s</th>", fate_text((fate)f));
    fputs("<th scope=\"col\">claims</th></tr></thead>\n<tbody>\n", out);
    for (int p = 0; p < r->count; p++) {
        tally t = tally_of_paper(&r->papers[p]);
        if (!t.claims) continue;
        fputs("<tr><th scope=\"row\">", out);
        page_link(out, &r->papers[p], NULL);
        html_text(out, r->papers[p].name);
        fputs("</a></th>", out);
        for (int f = 0; f < FATES; f++)
            if (all.by_fate[f]) fprintf(out, "<td>%d</td>", t.by_fate[f]);
        fprintf(out, "<td>%d</td></tr>\n", t.claims);
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

/* The claims that need a word, each with its reason. */
static void write_gathered(FILE *out, const recipes *r) {
    static const fate shown[] = {FATE_BROKEN, FATE_REFUTED, FATE_CORRECTED, FATE_UNREPRODUCIBLE};
    const tally t = tally_of(r);
    if (t.by_fate[FATE_CONFIRMED] + t.by_fate[FATE_UNCHECKED] == t.claims) return;
    fputs("<section id=\"findings\">\n<h2>Not simply confirmed</h2>\n", out);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        if (!t.by_fate[shown[k]]) continue;
        fprintf(out, "<h3>%c%s</h3>\n<ul class=\"gathered\">\n", toupper((unsigned char)fate_text(shown[k])[0]),
                fate_text(shown[k]) + 1);
        for (int p = 0; p < r->count; p++)
            for (int f = 0; f < r->papers[p].count; f++)
                page_gathered(out, &r->papers[p], &r->papers[p].figures[f], shown[k]);
        fputs("</ul>\n", out);
    }
    fputs("</section>\n", out);
}

/* Boxes that hide rows of the table of all claims, by rules of the style sheet, without a script. */
static void write_filters(FILE *out, const recipes *r) {
    tally all = tally_of(r);
    fputs("<style>\n", out);
    for (int f = 0; f < FATES; f++)
        fprintf(out, "#claims:has(#hide-%s:not(:checked)) .is-%s { display: none; }\n", fate_key((fate)f),
                fate_key((fate)f));
    for (int p = 0; p < r->count; p++) {
        fputs("#claims:has(#hide-", out), html_anchor(out, r->papers[p].name);
        fputs(":not(:checked)) .of-", out), html_anchor(out, r->papers[p].name);
        fputs(" { display: none; }\n", out);
    }
    fputs("</style>\n<fieldset class=\"filters\"><legend>Show</legend>\n", out);
    for (int f = 0; f < FATES; f++)
        if (all.by_fate[f])
            fprintf(out, "<label><input type=\"checkbox\" id=\"hide-%s\" checked> %s</label>\n", fate_key((fate)f),
                    fate_text((fate)f));
    fputs("<br>\n", out);
    for (int p = 0; p < r->count; p++) {
        if (!tally_of_paper(&r->papers[p]).claims) continue;
        fputs("<label><input type=\"checkbox\" id=\"hide-", out), html_anchor(out, r->papers[p].name);
        fputs("\" checked> ", out), html_text(out, r->papers[p].name);
        fputs("</label>\n", out);
    }
    fputs("</fieldset>\n", out);
}

static void write_tally(FILE *out, const recipes *r) {
    tally t = tally_of(r);
    fprintf(out, "<ul class=\"tally\" aria-label=\"Verdicts on %d claims\">\n", t.claims);
    for (int f = 0; f < FATES; f++)
        if (t.by_fate[f] > 0)
            fprintf(out, "<li><span class=\"badge %s\"><b>%d</b> %s</span></li>\n", fate_key((fate)f), t.by_fate[f],
                    fate_text((fate)f));
    if (t.failures > 0)
        fprintf(out, "<li><span class=\"badge broken\"><b>%d</b> figure%s with something not computed</span></li>\n",
                t.failures, t.failures > 1 ? "s" : "");
    fputs("</ul>\n", out);
}

static void write_header(FILE *out, const recipes *r, const report_facts *facts) {
    fputs("<header>\n<h1>", out);
    html_math(out, title_of(r));
    fputs(r->study
              ? "</h1>\n"
                "<p class=\"lead\">Everything shown here was computed by <code>carom study</code>. Each claim has what "
                "is said of it, the value that carom finds, and the interval in which it must lie.</p>\n"
              : "</h1>\n<p class=\"lead\">Every figure and table shown here was computed by <code>carom "
                "reproduce</code> from scenes "
                "that come with carom. Each claim has what the paper prints, and where; what follows from the paper, "
                "if that "
                "is "
                "something else; the value that carom finds; the interval in which carom's own check expects it; and a "
                "verdict. Where the verdict is not a plain <em>confirmed</em>, the reason stands beside it.</p>\n",
          out);
    write_tally(out, r);
    if (!r->study) write_glance(out, r);
    write_facts(out, r, facts);
    fputs("</header>\n", out);
}

/* ---------------------------------------------------------------- contents and papers */

static void write_contents(FILE *out, const recipes *r) {
    fputs("<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n<li><a href=\"#claims\">All claims</a></li>\n", out);
    for (int p = 0; p < r->count; p++) {
        const paper_recipe *paper = &r->papers[p];
        fputs("<li>", out);
        page_link(out, paper, NULL);
        html_text(out, r->study ? "Figures" : paper->title);
        fputs("</a>\n<ul>\n", out);
        for (int f = 0; f < paper->count; f++) {
            fputs("<li>", out);
            page_link(out, paper, &paper->figures[f]);
            html_text(out, paper->figures[f].label);
            fputs("</a></li>\n", out);
        }
        fputs("</ul></li>\n", out);
    }
    fputs("</ul>\n</nav>\n", out);
}

static carom_status write_paper(FILE *out, const recipes *r, const char *folder, const paper_recipe *paper,
                                carom_error *error) {
    fputs("<section class=\"paper\" id=\"", out);
    page_anchor(out, paper, NULL);
    fputs("\">\n<h2>", out);
    html_text(out, r->study ? "Figures" : paper->title);
    fputs("</h2>\n", out);
    if (!r->study && (paper->authors || paper->where)) {
        fputs("<p class=\"source\">", out);
        html_text(out, paper->authors);
        fputs(paper->authors && paper->where ? ". " : "", out);
        if (paper->where) {
            fputs("<cite>", out);
            html_text(out, paper->where);
            fputs("</cite>", out);
        }
        fputs("</p>\n", out);
    }
    html_paragraphs(out, paper->summary);
    carom_status status = CAROM_OK;
    for (int f = 0; f < paper->count && !status; f++)
        status = page_figure(out, r, folder, paper, &paper->figures[f], error);
    fputs("</section>\n", out);
    return status;
}

static carom_status write_page(FILE *out, const recipes *r, const report_facts *facts, const char *folder,
                               carom_error *error) {
    carom_status status = write_head(out, r, error);
    if (status) return status;
    write_header(out, r, facts);
    fputs("<div class=\"page report\">\n", out);
    write_contents(out, r);
    fputs("<main>\n", out);
    write_gathered(out, r);
    fputs("<section id=\"claims\">\n<h2>All claims</h2>\n", out);
    if (!r->study) write_filters(out, r);
    page_claims(out, r, NULL);
    fputs("</section>\n", out);
    for (int p = 0; p < r->count && !status; p++) status = write_paper(out, r, folder, &r->papers[p], error);
    if (!status) status = page_viewer(out, r, error);
    fputs("</main>\n</div>\n<footer><p>The same for programs: <a href=\"report.json\">report.json</a></p></footer>\n"
          "</body>\n</html>\n",
          out);
    return status;
}

carom_status report_write_html(const recipes *r, const report_facts *facts, const char *folder, carom_error *error) {
    char path[4096];
    file f;
    snprintf(path, sizeof path, "%s/index.html", folder);
    carom_status status = file_create(&f, path, error);
    return status ? status : file_finish(&f, write_page(f.out, r, facts, folder, error), error);
}
