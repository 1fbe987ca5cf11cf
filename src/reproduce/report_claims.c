#include "reproduce/html.h"
#include "reproduce/report_page.h"
#include "reproduce/verdict.h"

enum { LONGEST = 4096 }; /* of the text of a list of numbers */

static void write_cell(FILE *out, const char *text) {
    fputs("<td class=\"number\">", out);
    html_text(out, text && *text ? text : "–");
    fputs("</td>\n", out);
}

static void write_note(FILE *out, const char *class, const char *name, const char *text) {
    if (!text) return;
    fprintf(out, "<p class=\"%s\"><b>%s</b> ", class, name);
    html_text(out, text);
    fputs("</p>", out);
}

/* linked: from the table of all claims to the figure, where the same row has the anchor. */
static void write_claim(FILE *out, const claim *c, bool linked) {
    char text[LONGEST];
    fate f = claim_fate(c);
    fputs("<th scope=\"row\"", out);
    if (!linked) {
        fputs(" id=\"claim-", out);
        html_anchor(out, c->id);
        fputc('"', out);
    }
    fputc('>', out);
    if (linked) {
        fputs("<a href=\"#claim-", out);
        html_anchor(out, c->id);
        fputs("\">", out);
    }
    html_text(out, c->text);
    fputs(linked ? "</a>" : "", out);
    write_note(out, "reason", f == FATE_BROKEN ? "Known reason:" : "Why:", c->reason);
    if (f == FATE_BROKEN) write_note(out, "failure", "Not evaluated:", c->failure);
    fputs("</th>\n", out);
    write_cell(out, c->printed);
    claim_values_text(c, text, sizeof text);
    write_cell(out, text);
    claim_expectations_text(c, text, sizeof text);
    write_cell(out, text);
    fprintf(out, "<td><span class=\"badge %s\">%s</span></td></tr>\n", fate_key(f), fate_text(f));
}

static void write_figure_link(FILE *out, const paper_recipe *paper, const figure_recipe *figure) {
    fputs("<td class=\"where\"><a href=\"#", out);
    html_anchor(out, paper->name);
    fputc('-', out);
    html_anchor(out, figure->name);
    fputs("\">", out);
    html_text(out, paper->name);
    fputs(" <span>", out);
    html_text(out, figure->label);
    fputs("</span></a></td>\n", out);
}

static void write_all(FILE *out, const recipes *r) {
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count; f++) {
            const figure_recipe *figure = &r->papers[p].figures[f];
            for (int i = 0; i < figure->claim_count; i++) {
                fputs("<tr>", out);
                write_figure_link(out, &r->papers[p], figure);
                write_claim(out, &figure->claims[i], true);
            }
        }
}

void page_claims(FILE *out, const recipes *r, const figure_recipe *figure) {
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
    html_text(out, figure ? figure->label : "All");
    fprintf(out,
            ": claims\">\n<table class=\"claims%s\">\n<thead><tr>%s<th scope=\"col\">claim</th>"
            "<th scope=\"col\">printed</th><th scope=\"col\">carom</th><th scope=\"col\">expected</th>"
            "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
            figure ? "" : " all", figure ? "" : "<th scope=\"col\">where</th>");
    if (!figure) write_all(out, r);
    else
        for (int i = 0; i < figure->claim_count; i++) {
            fputs("<tr>", out);
            write_claim(out, &figure->claims[i], false);
        }
    fputs("</tbody>\n</table>\n</div>\n", out);
}
