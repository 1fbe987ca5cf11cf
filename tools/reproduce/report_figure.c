#include "reproduce/html.h"
#include "reproduce/report_page.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- anchors */

void page_anchor(FILE *out, const paper_recipe *paper, const figure_recipe *figure) {
    html_anchor(out, paper->name);
    if (!figure) return;
    fputc('-', out);
    html_anchor(out, figure->name);
}

void page_link(FILE *out, const paper_recipe *paper, const figure_recipe *figure) {
    fputs("<a href=\"#", out);
    page_anchor(out, paper, figure);
    fputs("\">", out);
}

/* ---------------------------------------------------------------- pictures */

/* The size for which the picture was drawn. Without it the page would jump while it loads. Pictures by gnuplot state
 * only a viewBox and would be tiny. */
static void write_size(FILE *out, const char *folder, const char *asset) {
    char path[4096], head[2048];
    double width, height;
    snprintf(path, sizeof path, "%s/assets/%s", folder, asset);
    FILE *in = fopen(path, "rb");
    if (!in) return;
    head[fread(head, 1, sizeof head - 1, in)] = '\0';
    fclose(in);
    const char *box = strstr(head, "viewBox=\"");
    if (box && sscanf(box, "viewBox=\"%*f %*f %lf %lf\"", &width, &height) == 2)
        fprintf(out, "width=\"%.0f\" height=\"%.0f\" ", width, height);
}

static void write_picture(FILE *out, const char *folder, const char *asset, const char *alt) {
    fputs("<a class=\"picture\" href=\"assets/", out);
    html_text(out, asset);
    fputs("\"><img ", out);
    write_size(out, folder, asset);
    fputs("src=\"assets/", out);
    html_text(out, asset);
    fputs("\" alt=\"", out);
    html_text(out, alt);
    fputs("\"></a>\n", out);
}

static void write_sketches(FILE *out, const char *folder, const figure_recipe *figure) {
    fputs("<div class=\"sketch\">\n", out);
    for (int i = 0; i < figure->sketch_count; i++)
        if (figure->sketches[i].asset) write_picture(out, folder, figure->sketches[i].asset, "The system at the start");
    fputs("</div>\n", out);
}

static void write_pictures(FILE *out, const recipes *r, const char *folder, const figure_recipe *figure) {
    int missing = 0;
    fputs("<figure>\n", out);
    for (int i = 0; i < figure->picture_count; i++) {
        const picture *p = &figure->pictures[i];
        if (p->asset) write_picture(out, folder, p->asset, p->alt ? p->alt : p->title ? p->title : figure->title);
        else missing++;
    }
    if (missing > 0)
        fprintf(out, "<p class=\"note\">%d picture%s %s.</p>\n", missing, missing > 1 ? "s" : "",
                r->quick && !figure->failure ? "left out with --quick" : "could not be drawn");
    if (figure->caption) {
        fputs("<figcaption>\n", out);
        html_paragraphs(out, figure->caption);
        fputs("</figcaption>\n", out);
    }
    fputs("</figure>\n", out);
}

/* ---------------------------------------------------------------- tables */

static void begin_table(FILE *out, const char *title) {
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
    html_text(out, title);
    fputs("\">\n<table>\n<caption>", out);
    html_text(out, title);
    fputs("</caption>\n<thead><tr>", out);
}

static void head_cell(FILE *out, const char *text) {
    fputs("<th scope=\"col\">", out);
    html_math(out, text);
    fputs("</th>", out);
}

static void row_head(FILE *out, const char *text) {
    fputs("<tr><th scope=\"row\">", out);
    html_text(out, text ? text : "–");
    fputs("</th>", out);
}

static void end_table(FILE *out) {
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static void write_cells(FILE *out, const table_recipe *t, const char *title) {
    begin_table(out, t->title ? t->title : title);
    for (int j = 0; j < t->columns; j++) head_cell(out, t->head[j]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int i = 0; i < t->rows; i++) {
        const cell *row = t->cells + i * t->columns;
        row_head(out, row[0].text);
        for (int j = 1; j < t->columns; j++) {
            fputs("<td>", out);
            html_text(out, row[j].text ? row[j].text : "–");
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void write_tables(FILE *out, const figure_recipe *figure) {
    for (int i = 0; i < figure->table_count; i++) {
        if (figure->tables[i].rows > 0) write_cells(out, &figure->tables[i], figure->label);
    }
}

/* The values that quick mode used in place of those in labels and captions. */
static void write_quick(FILE *out, const recipes *r, const figure_recipe *figure) {
    int changed = 0;
    for (int i = 0; i < figure->source_count; i++) {
        const source *s = &figure->sources[i];
        if (!r->quick || !(s->quick || s->skip)) continue;
        fputs(changed++ ? "; " : "<p class=\"note\">Computed with --quick, so labels and captions do not apply: ", out);
        html_text(out, s->name);
        fputs(s->skip ? " left out" : " with ", out);
        html_text(out, s->skip ? "" : s->quick);
    }
    if (changed) fputs(".</p>\n", out);
}

carom_status page_figure(FILE *out, const recipes *r, const char *folder, const paper_recipe *paper,
                         const figure_recipe *figure, carom_error *error) {
    fputs("<section class=\"figure\" id=\"", out);
    page_anchor(out, paper, figure);
    fputs("\">\n<h3><span>", out);
    html_text(out, figure->label);
    fputs("</span> ", out);
    html_math(out, figure->title);
    fputs("</h3>\n", out);
    if (figure->failure) {
        fputs("<div class=\"failed\" role=\"note\"><b>Something of this could not be computed.</b> ", out);
        html_text(out, figure->failure);
        fputs("</div>\n", out);
    }
    write_quick(out, r, figure);
    fputs("<div class=\"beside\">\n", out);
    if (figure->sketch_count > 0) write_sketches(out, folder, figure);
    fputs("<div class=\"shown\">\n", out);
    carom_status status = page_motions(out, r, figure, error);
    if (figure->picture_count > 0 || figure->caption) write_pictures(out, r, folder, figure);
    write_tables(out, figure);
    fputs("</div>\n", out);
    if (figure->claim_count > 0) page_claims(out, r, figure);
    fputs("</div>\n", out);
    if (figure->source_count > 0) page_sources(out, r, figure);
    fprintf(out, "<p class=\"again\">Made by <code>carom %s ", r->study ? "study" : "reproduce");
    html_text(out, r->study ? figure->file : paper->name);
    if (!r->study) fputc('/', out), html_text(out, figure->name);
    fputs("</code></p>\n</section>\n", out);
    return status;
}
