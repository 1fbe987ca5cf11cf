/* Tables of claims. On narrow screens the style sheet turns each row into a card, with the name of the column before
 * each value; the roles keep it a table for screen readers. */
#include "reproduce/html.h"
#include "reproduce/report_page.h"
#include "reproduce/verdict.h"

#include <string.h>

enum { LONGEST = 4096 }; /* of the text of a list of numbers */

/* Allows line breaks after blanks and between the entries of a list, never inside "1e-12". */
static void write_breakable(FILE *out, const char *text, const char *after) {
    char piece[LONGEST];
    size_t length = strlen(after);
    for (const char *end; (end = strstr(text, after)); text = end + length) {
        snprintf(piece, sizeof piece, "%.*s", (int)(end + length - text), text);
        html_math(out, piece);
        fputs("<wbr>", out);
    }
    html_math(out, text);
}

/* at: where it is written; NULL or "": nowhere */
static void write_cell(FILE *out, const char *name, const char *text, const char *after, const char *at) {
    bool given = text && *text;
    fprintf(out, "<td role=\"cell\" class=\"number%s\" data-name=\"%s\"><span>", given ? "" : " none", name);
    write_breakable(out, given ? text : "–", after);
    if (at && *at) {
        fputs(" <small>", out);
        html_text(out, at);
        fputs("</small>", out);
    }
    fputs("</span></td>\n", out);
}

static void write_note(FILE *out, const char *class, const char *name, const char *text) {
    if (!text) return;
    fprintf(out, "<p class=\"%s\"><b>%s</b> ", class, name);
    html_math(out, text);
    fputs("</p>", out);
}

static void write_figure_link(FILE *out, const paper_recipe *paper, const figure_recipe *figure) {
    fputs("<td role=\"cell\" class=\"where\">", out);
    page_link(out, paper, figure);
    html_text(out, paper->name);
    fputs(" <span>", out);
    html_text(out, figure->label);
    fputs("</span></a></td>\n", out);
}

/* paper: of the table of all claims, which leads to the rows beside the figures. */
static void write_claim(FILE *out, const paper_recipe *paper, const figure_recipe *figure, const claim *c) {
    char text[LONGEST];
    fate f = claim_fate(c);
    if (paper) {
        fprintf(out, "<tr role=\"row\" class=\"is-%s of-", fate_key(f));
        html_anchor(out, paper->name);
        fputs("\">\n", out);
        write_figure_link(out, paper, figure);
    } else {
        fputs("<tr role=\"row\" id=\"claim-", out);
        html_anchor(out, c->id);
    }
    fputs(paper ? "<th role=\"rowheader\" scope=\"row\"><a href=\"#claim-"
                : "\">\n<th role=\"rowheader\" scope=\"row\">",
          out);
    if (paper) {
        html_anchor(out, c->id);
        fputs("\">", out);
    }
    html_math(out, c->text);
    fputs(paper ? "</a>" : "", out);
    write_note(out, "reason", "Why:", c->reason);
    write_note(out, "reason", "Tried:", c->tried);
    write_note(out, "reason", "Derived:", c->derivation);
    if (f == FATE_BROKEN) write_note(out, "failure", "Not evaluated:", c->failure);
    fputs("</th>\n", out);
    write_cell(out, "printed", c->printed, " ", c->at);
    write_cell(out, "derived", c->derived, " ", NULL);
    claim_values_text(c, text, sizeof text);
    write_cell(out, "carom", text, ", ", NULL);
    claim_expectations_text(c, text, sizeof text);
    write_cell(out, "checked", text, ", ", NULL);
    fprintf(out, "<td role=\"cell\" class=\"verdict\"><span class=\"badge %s\">%s</span></td>\n</tr>\n", fate_key(f),
            fate_text(f));
}

static void write_all(FILE *out, const recipes *r) {
    for (int p = 0; p < r->count; p++)
        for (int f = 0; f < r->papers[p].count; f++) {
            const figure_recipe *figure = &r->papers[p].figures[f];
            for (int i = 0; i < figure->claim_count; i++) write_claim(out, &r->papers[p], figure, &figure->claims[i]);
        }
}

void page_claims(FILE *out, const recipes *r, const figure_recipe *figure) {
    const char *const heads[] = {"where",
                                 "claim",
                                 r->study ? "said" : "printed in the paper",
                                 r->study ? "derived" : "derived from it",
                                 "carom",
                                 "carom's check",
                                 "verdict"};
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
    html_text(out, figure ? figure->label : "All");
    fprintf(out, ": claims\">\n<table role=\"table\" class=\"claims%s\">\n<thead role=\"rowgroup\"><tr role=\"row\">",
            figure ? "" : " all");
    for (size_t i = figure ? 1 : 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(out, "<th role=\"columnheader\" scope=\"col\">%s</th>", heads[i]);
    fputs("</tr></thead>\n<tbody role=\"rowgroup\">\n", out);
    if (!figure) write_all(out, r);
    else
        for (int i = 0; i < figure->claim_count; i++) write_claim(out, NULL, figure, &figure->claims[i]);
    fputs("</tbody>\n</table>\n</div>\n", out);
}

void page_gathered(FILE *out, const paper_recipe *paper, const figure_recipe *figure, fate f) {
    for (int i = 0; i < figure->claim_count; i++) {
        const claim *c = &figure->claims[i];
        if (claim_fate(c) != f) continue;
        fputs("<li><a href=\"#claim-", out);
        html_anchor(out, c->id);
        fputs("\">", out);
        html_text(out, paper->name);
        fputc(' ', out);
        html_text(out, figure->label);
        fputs("</a>: <b>", out);
        html_math(out, c->text);
        fputs("</b>. ", out);
        html_math(out, c->reason ? c->reason : c->failure);
        fputs("</li>\n", out);
    }
}
