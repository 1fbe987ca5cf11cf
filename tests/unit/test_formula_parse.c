/* The formula language: values by hand, messages by their place and words, and no byte sequence that hurts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formula/parse.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The names the formulas below know, with their values; n and half are parameters (numbers). */
static const struct {
    const char *name;
    double value;
} known[] = {{"t", 0.25},  {"x", 3},    {"y", -2},    {"x1", 10},     {"x2", 20},    {"x3", 30}, {"x2_3", 7},
             {"x10", 100}, {"a_b", 11}, {"phi", 0.5}, {"x2_dot", -5}, {"_u", 0.125}, {"X", 13}};

static expr lookup(void *context, const char *name, parse_error *error) {
    graph *g = context;
    if (strcmp(name, "n") == 0) return expr_number(g, 3);
    if (strcmp(name, "half") == 0) return expr_number(g, 0.5);
    for (size_t i = 0; i < COUNT(known); i++)
        if (strcmp(known[i].name, name) == 0) return expr_symbol(g, (int)i);
    if (strcmp(name, "silent") != 0) snprintf(error->message, sizeof error->message, "no '%s' here", name);
    return -1;
}

static double value_of(const char *text, const parse_index *indices, parse_error *error) {
    double values[COUNT(known)];
    for (size_t i = 0; i < COUNT(known); i++) values[i] = known[i].value;
    graph *g = graph_create();
    assert_non_null(g);
    expr e = parse_formula(g, text, lookup, g, indices, error);
    double value = e < 0 ? NAN : expr_value(g, e, values);
    graph_destroy(g);
    return value;
}

/* Expected values are the same expressions written in C; 4e-15 allows a few roundings. */
static void test_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2+3*4", 14},
        {"2-3-4", -5},
        {"24/4/3", 2},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"2^-1^2", 0.5},
        {"2*-3", -6},
        {"-x*y", 6},
        {"--3", 3},
        {"+3 - +2", 1},
        {" 1 +\t2\n*3 ", 7},
        {"1e-3 + .5 + 3. + 2.5E+1 + 1e2", 128.501},
        {"x^2 + y^3 - x/y", 9 - 8 + 1.5},
        {"a_b + _u + X + phi", 24.625},
        {"4*t", 1},
        {"sin(phi) + cos(phi)*tan(phi)", 0.95885107720840601},
        {"asin(phi) + acos(phi) - pi/2", 0},
        {"atan(1) - pi/4", 0},
        {"atan2(y, -x)", -2.5535900500422257},
        {"sinh(1) + cosh(1) - exp(1)", 0},
        {"tanh(asinh(1)) - sqrt(1/2)", 0},
        {"acosh(cosh(2)) + atanh(tanh(0.5))", 2.5},
        {"log(exp(2))", 2},
        {"abs(y) + sign(y) + floor(-1.5)", -1},
        {"min(3, 1, 2) + max(x, y) + min(x, y)", 2},
        {"if(x > y, 1, 2) + if(x < y, 10, 20)", 21},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"2 >= 2", 1},
        {"x == 3", 1},
        {"x != 3", 0},
        {"not x == 3", 0},
        {"not 0 and 1", 1},
        {"1 or 0 and 0", 1},
        {"(1 or 0) and 0", 0},
        {"x + 1 > 3 and y < 0", 1},
        {"sum(i=1..3, i^2)", 14},
        {"sum(i = 1 .. n, x[i])", 60},
        {"sum(i=1..n-1, (x[i+1] - x[i])^2)", 200},
        {"sum(i=1..3, sum(j=i..3, i*j))", 25},
        {"prod(i=1..5, i)", 120},
        {"sum(i=1..0, missing[i] + undefined/0)", 0},
        {"prod(i=2..1, sum(j=1..i, nothing))", 1},
        {"sum(i=-1..1, i)", 0},
        {"2*sum(i=1..2, x[i]) + 1", 61},
        {"x[1] + x2 + x[2,3] + x[5*2]", 137},
        {"x_dot[2] + x[2]_dot + x2_dot", -15},
        {"x[i] + i", 22},
        {"sum(i=1..1, x[i])", 10},
        {"sum(k=1..2, x[k] + i)", 34},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        parse_error error = {0, ""};
        double value = value_of(cases[k].text, &(parse_index){"i", 2, NULL}, &error);
        if (!(fabs(value - cases[k].value) <= 4e-15 * (1 + fabs(cases[k].value))))
            fail_msg("%s = %.17g, expected %.17g %s", cases[k].text, value, cases[k].value, error.message);
    }
}

static void test_messages(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int offset;
        const char *message;
    } cases[] = {
        {"", 0, "expected a number or a name, found the end"},
        {"x +", 3, "expected a number or a name, found the end"},
        {"(x + 1", 6, "expected ')', found the end"},
        {"x)", 1, "expected an operator or the end, found ')'"},
        {"x y", 2, "expected an operator (* for a product), found 'y'"},
        {"2x", 1, "expected an operator after the number (write * for a product)"},
        {"x(y)", 0, "unknown function 'x' (write * for a product)"},
        {"1 + sine(x)", 4, "unknown function 'sine', did you mean 'sin'?"},
        {"cso(x)", 0, "unknown function 'cso', did you mean 'cos'?"},
        {"sin(x, y)", 0, "sin takes 1 argument, 2 given"},
        {"atan2(x)", 0, "atan2 takes 2 arguments, 1 given"},
        {"min(x)", 0, "min takes 2 or more arguments, 1 given"},
        {"if(x, y)", 0, "if takes 3 arguments, 2 given"},
        {"sin()", 0, "sin takes 1 argument, 0 given"},
        {"sin + 1", 0, "sin is a function: write sin(...)"},
        {"x + foo", 4, "no 'foo' here"},
        {"x[7] + 1", 0, "no 'x7' here"},
        {"silent", 0, "undefined name 'silent'"},
        {"x[half]", 2, "an index must be an integer, not 0.5"},
        {"x[y]", 2, "an index must be a number, not change with the motion"},
        {"x[-1]", 2, "the index -1 of 'x' is negative"},
        {"x[1", 3, "expected ']', found the end"},
        {"x[1e99]", 2, "an index is too large: 1e+99"},
        {"sum(i=1..half, i)", 9, "a bound must be an integer, not 0.5"},
        {"sum(i, i)", 5, "expected '=', found ','"},
        {"sum(1..3, i)", 4, "expected an index and its range, as in sum(i=1..n, x[i])"},
        {"sum(iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii=1..3, 1)", 4,
         "the name of an index has at most 63 characters"},
        {"sum(pi=1..3, 1)", 4, "'pi' has a meaning in formulas already, choose another name"},
        {"sum(i=1, i)", 7, "expected '..', found ','"},
        {"sum(i=1..2, i", 13, "expected ')', found the end"},
        {"sum(i=1..2, x[i]*foo)", 17, "no 'foo' here"},
        {"sum(i=1..0, x[i]*)", 17, "expected a number or a name, found ')'"},
        {"1 < x < 2", 6, "comparisons do not chain: write a < b and b < c"},
        {"1 + not x", 4, "put 'not' and what it negates in parentheses"},
        {"x and", 5, "expected a number or a name, found the end"},
        {"and x", 0, "expected a number or a name, found 'and'"},
        {"x = 1", 2, "expected an operator or the end, found '='"},
        {"x $ 1", 2, "expected an operator or the end, found '$'"},
        {"x + \xc3\xa4", 4, "expected a number or a name, found a character that formulas do not use (byte 195)"},
        {"1e999", 0, "the number 1e999 is too large"},
        {"0x10", 1, "expected an operator after the number (write * for a product)"},
        {"1.5.2", 3, "expected an operator or the end, found '.'"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        parse_error error = {-1, ""};
        double value = value_of(cases[k].text, NULL, &error);
        if (!isnan(value) || error.offset != cases[k].offset || strcmp(error.message, cases[k].message) != 0)
            fail_msg("%s gives %g at %d: %s", cases[k].text, value, error.offset, error.message);
    }
}

/* A formula of the given pattern repeated. */
static char *repeated(const char *before, int times, const char *middle, const char *after) {
    char *text = calloc((strlen(before) + strlen(after)) * (size_t)times + strlen(middle) + 1, 1), *end = text;
    assert_non_null(text);
    for (int i = 0; i < times; i++) end = stpcpy(end, before);
    end = stpcpy(end, middle);
    for (int i = 0; i < times; i++) end = stpcpy(end, after);
    return text;
}

static void check_limit(char *text, const char *message) {
    parse_error error = {0, ""};
    double value = value_of(text, NULL, &error);
    if (message) {
        assert_true(isnan(value));
        if (!strstr(error.message, message)) fail_msg("'%s' instead of '%s'", error.message, message);
    } else assert_false(isnan(value));
    free(text);
}

static void test_limits(void **state) {
    (void)state;
    check_limit(repeated("(", 250, "x", ")"), NULL);
    check_limit(repeated("(", 300, "x", ")"), "nested more than 256 levels");
    check_limit(repeated("-", 60000, "x", ""), "nested");
    check_limit(repeated("not ", 10000, "x", ""), "nested");
    check_limit(repeated("2^", 20000, "x", ""), "nested");
    check_limit(repeated("sin(", 10000, "x", ")"), "nested");
    check_limit(repeated("if(", 10000, "x", ")"), "nested");
    check_limit(repeated("x[", 10000, "x", "]"), "nested");
    check_limit(repeated("sum(i=1..", 1000, "x", ",1)"), "nested");
    check_limit(repeated("x+", 32000, "x", ""), NULL);
    check_limit(repeated("x+", 40000, "x", ""), "at most 65536 characters");
    check_limit(repeated("x", 60000, "x", ""), "a name has at most 127 characters");
    check_limit(repeated("sum(i=1..1000000000,", 20, "1", ")"), "too large");
    check_limit(repeated("sum(i=1..1000000000,", 1, "sum(j=1..0,1)", ")"), "too large");
}

/* Sums that are too large are refused before anything of them is built, whatever their bounds depend on; those that are
 * just small enough are not. */
static void test_sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int values;
        bool fits;
    } cases[] = {
        {"sum(i=1..10000000, x*i)", 2000000, false},
        {"sum(i=1..10000, sum(j=1..10000, x^i/j))", 2000000, false},
        {"sum(i=1..100000, sum(j=1..i, x^i/j))", 2000000, false},
        {"sum(i=1..1000000, sum(j=1..0, x))", 2000000, false},
        {"sum(i=1..4, x)", 6, false}, /* the sum, 2 bounds and 4 terms */
        {"sum(i=1..4, x)", 7, true},
        {"prod(i=1..3, sum(j=i..4, x) + 1)", 23, false}, /* the same outside; within 3 sums, 6 bounds, 4 + 3 + 2 + 3 */
        {"prod(i=1..3, sum(j=i..4, x) + 1)", 24, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        graph *g = graph_create();
        assert_non_null(g);
        parse_error error = {0, ""};
        int values = cases[k].values;
        bool fits = parse_formula_within(g, cases[k].text, lookup, g, NULL, &values, &error) >= 0;
        if (fits != cases[k].fits) fail_msg("'%s' with %d values: %s", cases[k].text, cases[k].values, error.message);
        if (!fits) assert_non_null(strstr(error.message, "too large"));
        if (!fits) assert_in_range(graph_size(g), 0, 2000); /* bounds alone */
        graph_destroy(g);
    }
}

/* Several formulas may share one budget. */
static void test_budget(void **state) {
    (void)state;
    graph *g = graph_create();
    assert_non_null(g);
    parse_error error;
    int values = 10;
    assert_true(parse_formula_within(g, "x + y*t", lookup, g, NULL, &values, &error) >= 0);
    assert_int_equal(values, 7);
    assert_int_equal(parse_formula_within(g, "sum(i=1..100, x)", lookup, g, NULL, &values, &error), -1);
    assert_non_null(strstr(error.message, "too large"));
    graph_destroy(g);
}

/* Fragments in random order: never a crash, and every error points into the text. */
static void test_any_bytes(void **state) {
    (void)state;
    static const char *const fragments[] = {
        "x",    "y",    "1",    "2.5", "(",     ")",       "[",           "]",   ",",  "..", "+",   "-",
        "*",    "/",    "^",    "<",   "<=",    "=",       "==",          "!=",  "!",  "or", "and", "not",
        "sin(", "min(", "sum(", "if(", "prod(", "i=1..2,", "i",           "n",   " ",  "#",  "\"",  "\x80",
        "\xff", "1e",   "e5",   ".",   "_dot",  "x[1]",    "sum(i=1..2,", "1e9", "pi", "t"};
    unsigned long random = 12345;
    for (int trial = 0; trial < 50000; trial++) {
        char text[256] = "";
        int pieces = trial % 20 + 1;
        for (int k = 0; k < pieces; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            strcat(text, fragments[(random >> 33) % COUNT(fragments)]);
        }
        graph *g = graph_create();
        assert_non_null(g);
        parse_error error = {-1, ""};
        expr e = parse_formula(g, text, lookup, g, NULL, &error);
        if (e < 0) {
            assert_in_range(error.offset, 0, strlen(text));
            assert_true(error.message[0] != 0);
        } else assert_true(e < graph_size(g));
        graph_destroy(g);
    }
}

static bool family(const char *text, parse_family *f, parse_error *error) {
    graph *g = graph_create();
    assert_non_null(g);
    bool ok = parse_family_name(g, text, lookup, g, f, error);
    graph_destroy(g);
    return ok;
}

static void test_families(void **state) {
    (void)state;
    parse_family f;
    parse_error error;
    assert_true(family("x[i=1..n]", &f, &error));
    assert_string_equal(f.name, "x");
    assert_string_equal(f.index, "i");
    assert_int_equal(f.first, 1);
    assert_int_equal(f.last, 3);
    assert_true(family(" mass_2 [ k = n-3 .. 2*n ] ", &f, &error));
    assert_string_equal(f.name, "mass_2");
    assert_string_equal(f.index, "k");
    assert_int_equal(f.first, 0);
    assert_int_equal(f.last, 6);
    assert_true(family("plain", &f, &error));
    assert_string_equal(f.name, "plain");
    assert_string_equal(f.index, "");
    assert_string_equal(f.tail, "");
    assert_true(family("link[i=1..n].x_dot", &f, &error));
    assert_string_equal(f.name, "link");
    assert_string_equal(f.tail, ".x_dot");
    assert_true(family("x[i=1..0]", &f, &error));
    assert_int_equal(f.last, 0);

    static const struct {
        const char *text, *message;
    } wrong[] = {{"x[1..n]", "expected an index and its range"},
                 {"x[i=1..n", "expected ']'"},
                 {"x[i=1..half]", "must be an integer"},
                 {"x[i=1..x]", "must be a number"},
                 {"x[i=-1..2]", "negative"},
                 {"x[i=1..999999999]", "at most 1000000 members"},
                 {"2x[i=1..3]", "starts with a letter"},
                 {"sin[i=1..3]", "has a meaning"},
                 {"x_dot[i=1..3]", "x[i]_dot is the rate of x[i]"},
                 {"x[i=1..3] y", "expected an operator"},
                 {"x[sum=1..3]", "has a meaning"},
                 {"", "starts with a letter"}};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        assert_false(family(wrong[k].text, &f, &error));
        if (!strstr(error.message, wrong[k].message)) fail_msg("%s: %s", wrong[k].text, error.message);
    }
}

static void test_names(void **state) {
    (void)state;
    static const char *const legal[] = {"x", "_", "phi_M", "X9", "sinx", "t1", "summe", "pi2"};
    static const char *const illegal[] = {"",     "9x", "a b", "a-b", "sin", "pi",  "t",    "sum",
                                          "prod", "if", "and", "or",  "not", "a.b", "x[1]", "\xc3\xa4"};
    parse_error error;
    for (size_t k = 0; k < COUNT(legal); k++) assert_true(parse_is_name(legal[k], &error));
    for (size_t k = 0; k < COUNT(illegal); k++) {
        assert_false(parse_is_name(illegal[k], &error));
        assert_true(error.message[0] != 0);
    }
    char *endless = repeated("x", 200, "", "");
    assert_false(parse_is_name(endless, &error));
    free(endless);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_messages), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_budget),   cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_families), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
