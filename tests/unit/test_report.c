/* The report of a reproduction: what is written is what is there, whatever characters it has. With a folder as argument
 * it leaves the sample there, for the test with a browser. */
#include "folder.h"
#include "reproduce/evaluate.h"
#include "reproduce/jobs.h"
#include "reproduce/verdict.h"
#include "sample_report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *page;

static char *read_text(const char *path) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, in), 1, (1 << 20) - 2);
    fclose(in);
    return text;
}

static void has(const char *text) {
    if (!strstr(page, text)) fail_msg("the page does not have: %s", text);
}

static void has_not(const char *text) {
    if (strstr(page, text)) fail_msg("the page has: %s", text);
}

static int times(const char *text) {
    int count = 0;
    for (const char *s = page; (s = strstr(s, text)); s++) count++;
    return count;
}

static int write_sample(void **state) {
    carom_error error;
    if (make_folder(state) || sample_write(the_folder(), &error)) return -1;
    page = read_text(in_folder("index.html"));
    return 0;
}

static int remove_sample(void **state) {
    free(page);
    return remove_folder(state);
}

/* ---------------------------------------------------------------- the page */

static void text_is_text(void **state) {
    (void)state;
    has("second order in q for h &lt; 10<sup>−2</sup> &amp; &quot;all&quot; e&#39;");
    has("alt=\"errors of q &quot;and&quot; u over dt, &lt;log&gt;\"");
    has("is &lt;em&gt;misprinted&lt;/em&gt;: \\dot{x} &amp; &quot;y&quot;");
    has("<h2>A scheme &amp; its &lt;orders&gt;</h2>");
    has("<td>–</td>"); /* a cell without a value */
    has("end velocities (ẋ, ẏ) of Grüße 𝒗");
    const char *const raw[] = {"<em>misprinted", "<orders>", "<log>",   "<two>",
                               "<here>",         "<gap>",    "<b>bold", "moreau<0>"};
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) has_not(raw[i]);
}

static void pictures_have_their_size(void **state) {
    (void)state;
    has("<img width=\"900\" height=\"300\" src=\"assets/rattle-fig8-1.svg\"");
    has("<img width=\"1500\" height=\"300\" src=\"assets/rattle-fig8-2.svg\" alt=\"Errors over the step size\"");
}

static void paragraphs_are_parted_by_blank_lines(void **state) {
    (void)state;
    has("<p>Errors fall by &lt;two&gt; decades &amp; more.\nStill the same paragraph.</p>\n<p>A second paragraph.</p>");
    has("<p>The first paragraph.</p>\n<p>The second one.</p>");
}

static void claims_stand_twice_with_their_verdicts(void **state) {
    (void)state;
    has("href=\"#claim-rattle-fig8-2\"");
    has("id=\"claim-rattle-fig8-2\"");
    has("id=\"rattle-fig8\"");
    has("(-1.4285714, <wbr>2.5·10<sup>−9</sup>) m/s"); /* a hundredth of what is allowed */
    has("(-1.42857 ± 10<sup>−6</sup>, <wbr>0 ± 10<sup>−6</sup>) m/s");
    has("1.9 to 2.1");
    has("from <wbr>a <wbr>start <wbr>to <wbr>an <wbr>end, <wbr>slowly"); /* words break, so that no verdict is cut off
                                                                          */
    has("at least -10<sup>−12</sup> m");
    has("at most 10<sup>−12</sup>");
    assert_int_equal(times("<span class=\"badge corrected\">confirmed with correction</span>"), 2);
    assert_int_equal(times("<span class=\"badge refuted\">refuted</span>"), 2);
    assert_int_equal(times("<span class=\"badge broken\">does not hold</span>"), 6);
    assert_int_equal(times("<span class=\"badge unchecked\">not checked</span>"), 2);
    has("<span class=\"badge broken\"><b>3</b> does not hold</span>");
    assert_int_equal(times("the equations of the paper conserve it"), 3); /* and among what is not simply confirmed */
}

static void failures_are_seen(void **state) {
    (void)state;
    has("slope_1.yaml:3:7: no integrator &#39;rattel&#39; &lt;here&gt;, did you mean &#39;rattle&#39;?</div>");
    has("there is no column &#39;wall.&lt;gap&gt;&#39;");
    has("<p class=\"file\">scenes/lost.yaml</p>\n<pre tabindex=\"0\"><code>(cannot be read)</code></pre>");
    has("1 picture left out with --quick");
    has("<b>1</b> figure with something not computed");
}

/* Words that a shell would change stand in quotes; paths are those below the top folder; a scene of two sources is
 * shown once. */
static void commands_and_scenes_are_shown(void **state) {
    (void)state;
    has("carom run scenes/paper/rattle/slope_1.yaml --set run.dt=1e-3 --set "
        "&#39;title=it&#39;\\&#39;&#39;s &lt;b&gt;bold&lt;/b&gt; &amp; $HOME&#39;\n");
    has("carom compare scenes/paper/rattle/slope_1.yaml --integrators rattle,moreau --dt 1e-2..1e-3/2\n");
    assert_int_equal(times("<p class=\"file\">scenes/paper/rattle/slope_1.yaml</p>"), 1);
    assert_int_equal(times("<p class=\"file\">scenes/paper/rattle/slope.yaml</p>"), 1); /* which it extends */
    char *text = read_text(CAROM_SOURCE_DIR "/scenes/paper/rattle/slope_1.yaml");
    has(strtok(text, "\n\"'<>&"));
    free(text);
}

/* ---------------------------------------------------------------- comparisons */

static const char *cell_at(const table_recipe *t, int row, const char *head) {
    for (int k = 0; k < t->columns; k++)
        if (!strcmp(t->head[k], head)) return t->cells[row * t->columns + k].text;
    return NULL;
}

/* The finest run that came to its end, columns that have numbers and no others, and why an integrator has none. */
static void comparisons_are_tables(void **state) {
    (void)state;
    job computed = {.table = in_folder("compare.csv")};
    source s = {
        .kind = SOURCE_COMPARE, .schemes = 3, .label = (const char *[]){"rattle", "moreau", "nsga"}, .job = &computed};
    table_recipe t = {0};
    recipes all = {0};
    FILE *out = fopen(computed.table, "w");
    assert_non_null(out);
    fputs("integrator,dt,error_q,energy_change,smallest_gap,seconds_per_step,status\n"
          "rattle,0.01,2.5e-5,0.1,nan,4e-6,ok\nrattle,0.001,2.5e-7,0.01,nan,3e-6,ok\n"
          "moreau,0.01,nan,nan,nan,nan,\"failed: the step is too long, says it\"\nmoreau,0.001,3e-3,0.2,nan,1e-6,ok\n"
          "nsga,0.01,nan,nan,nan,nan,refused: not this model\nnsga,0.001,nan,nan,nan,nan,refused: not this model\n",
          out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(fill_comparison(&all, &s, &t, NULL), CAROM_OK);
    assert_int_equal(t.rows, 3);
    assert_string_equal(cell_at(&t, 0, "dt"), "0.001");
    assert_string_equal(cell_at(&t, 0, "error q"), "2.50e-07");
    assert_string_equal(cell_at(&t, 0, "energy change"), "1.00e-02");
    assert_string_equal(cell_at(&t, 0, "µs per step"), "3");
    assert_string_equal(cell_at(&t, 0, "remarks"), "");
    assert_string_equal(cell_at(&t, 1, "remarks"), "dt = 0.01 failed: the step is too long, says it");
    assert_string_equal(cell_at(&t, 2, "error q"), "–");
    assert_string_equal(cell_at(&t, 2, "remarks"), "refused: not this model");
    assert_null(cell_at(&t, 0, "smallest gap"));
    arena_release(&all.memory);
}

static void the_page_stands_alone(void **state) {
    (void)state;
    has("prefers-color-scheme"); /* the style is inside */
    has("<html lang=\"en\">");
    has_not("http:");
    has_not("https:");
    has_not("<script");
    has_not("<link rel=\"stylesheet\"");
}

/* ---------------------------------------------------------------- for programs */

/* Python's reader is an independent judge of what JSON is. */
static void json_is_json(void **state) {
    (void)state;
    char command[4096];
    snprintf(command, sizeof command,
             "python3 - '%s' <<'END'\n"
             "import json, sys\n"
             "def refuse(word): raise ValueError(word)\n"
             "raw = open(sys.argv[1], 'rb').read().decode('ascii')\n"
             "r = json.loads(raw, parse_constant=refuse)\n"
             "fig8, table1 = r['papers'][0]['figures']\n"
             "c = fig8['claims']\n"
             "assert r['mode'] == 'quick' and r['carom'] and r['revision']\n"
             "assert [p['name'] for p in r['papers']] == ['rattle', 'comparison']\n"
             "assert 'failure' not in fig8 and '<here>' in table1['failure']\n"
             "assert fig8['assets'] == ['rattle-fig8-1.svg', 'rattle-fig8-2.svg']\n"
             "assert c[0]['claim'] == 'second order in q for h < 1e-2 & \"all\" e\\''\n"
             "assert c[0]['values'] == [2.0123456789] and c[0]['near'] == [None] and c[0]['greatest'] == [2.1]\n"
             "assert c[1]['claim'] == 'end velocities (ẋ, ẏ) of Grüße 𝒗' and c[1]['printed'] == '(−10/7, 0)'\n"
             "assert c[1]['near'] == [-10 / 7, 0] and c[1]['verdict'] == 'confirmed with correction'\n"
             "assert '\\\\dot{x}' in c[1]['reason'] and c[1]['holds'] is True and c[1]['unit'] == 'm/s'\n"
             "assert c[2]['greatest'] == [None] and c[2]['holds'] is False and c[2]['verdict'] == 'does not hold'\n"
             "assert c[3]['printed'] is None and c[3]['verdict'] == 'refuted'\n"
             "assert c[4]['values'] == [None] and c[4]['printed'] == 'never\\tsaid\\n'\n"
             "long = table1['claims'][1]\n"
             "assert long['checked'] is False and long['holds'] is None and long['values'] == [None]\n"
             "s = r['summary']\n"
             "assert [s[k] for k in ('claims', 'confirmed', 'corrected', 'refuted', 'broken', 'unchecked')] == [7, 1, "
             "1, 1, 3, 1]\n"
             "assert s['failures'] == 1 and s['seconds'] == 75.5 and s['cached'] == 3\n"
             "END\n",
             in_folder("report.json"));
    assert_int_equal(system(command), 0);
}

/* Bytes that are no UTF-8 do not get into the file: a lone byte, an overlong '/', half a surrogate pair, an end too
 * soon. */
static void broken_text_is_replaced(void **state) {
    (void)state;
    paper_recipe paper = {.name = "p",
                          .title = "a\xFF"
                                   "b\xC0\xAF"
                                   "c\xED\xA0\x80"
                                   "d\xE2\x82"};
    recipes r = {.root = CAROM_SOURCE_DIR, .papers = &paper, .count = 1};
    carom_error error;
    assert_int_equal(report_write_json(&r, &sample_facts, the_folder(), &error), CAROM_OK);
    char *text = read_text(in_folder("report.json"));
    assert_non_null(strstr(text, "\"a\\ufffdb\\ufffd\\ufffdc\\ufffd\\ufffd\\ufffdd\\ufffd\\ufffd\""));
    assert_non_null(strstr(text, "\"mode\": \"full\""));
    free(text);
}

/* ---------------------------------------------------------------- what can go wrong */

static void errors_are_sentences(void **state) {
    (void)state;
    recipes r = sample_recipes;
    carom_error error;
    assert_int_equal(report_write_html(&r, &sample_facts, "/nonexistent", &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "/nonexistent/index.html: "));
    assert_int_equal(report_write_json(&r, &sample_facts, "/nonexistent", &error), CAROM_DATA);
    r.style = "/nowhere/style.css";
    assert_int_equal(report_write_html(&r, &sample_facts, the_folder(), &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "/nowhere/style.css: "));
}

static void expectations(void **state) {
    (void)state;
    static const struct {
        double near, least, greatest;
        const char *text;
    } cases[] = {
        {-10.0 / 7, -10.0 / 7 - 1e-6, -10.0 / 7 + 1e-6, "-1.42857 ± 1e-06"},
        {NAN, -INFINITY, 1e-12, "at most 1e-12"},
        {NAN, 0.5, INFINITY, "at least 0.5"},
        {NAN, 1.9, 2.1, "1.9 to 2.1"},
        {3, 3, 3, "3"},
        {NAN, -INFINITY, INFINITY, "any number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double near = cases[i].near, least = cases[i].least, greatest = cases[i].greatest;
        claim c = {.count = 1, .near = &near, .least = &least, .greatest = &greatest};
        char text[64];
        claim_expectation(&c, 0, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* What is expected of every entry of a list is said once. */
static void expectations_of_lists(void **state) {
    (void)state;
    double near[2] = {NAN, NAN}, least[2] = {1, 1}, greatest[2] = {2, 2};
    claim c = {.count = 2, .near = near, .least = least, .greatest = greatest, .unit = "m"};
    char text[64];
    claim_expectations_text(&c, text, sizeof text);
    assert_string_equal(text, "each 1 to 2 m");
    greatest[1] = 3;
    claim_expectations_text(&c, text, sizeof text);
    assert_string_equal(text, "(1 to 2, 1 to 3) m");
    c.count = 1;
    claim_expectations_text(&c, text, sizeof text);
    assert_string_equal(text, "1 to 2 m");
}

int main(int count, char **arguments) {
    if (count == 2) {
        carom_error error;
        return sample_write(arguments[1], &error) != CAROM_OK;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_text),
        cmocka_unit_test(pictures_have_their_size),
        cmocka_unit_test(paragraphs_are_parted_by_blank_lines),
        cmocka_unit_test(claims_stand_twice_with_their_verdicts),
        cmocka_unit_test(failures_are_seen),
        cmocka_unit_test(commands_and_scenes_are_shown),
        cmocka_unit_test(comparisons_are_tables),
        cmocka_unit_test(the_page_stands_alone),
        cmocka_unit_test(json_is_json),
        cmocka_unit_test(broken_text_is_replaced),
        cmocka_unit_test(errors_are_sentences),
        cmocka_unit_test(expectations),
        cmocka_unit_test(expectations_of_lists),
    };
    return cmocka_run_group_tests(tests, write_sample, remove_sample);
}
