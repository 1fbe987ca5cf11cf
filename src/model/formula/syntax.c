#include "model/formula/syntax.h"

#include <string.h>

int blank_length(const char *text) {
    int n = 0;
    while (text[n] == ' ' || (text[n] >= '\t' && text[n] <= '\r')) n++;
    return n;
}

static int digits_length(const char *text) {
    int n = 0;
    while (is_digit(text[n])) n++;
    return n;
}

int number_length(const char *text) {
    int n = digits_length(text);
    if (n == 0 && !(text[0] == '.' && is_digit(text[1]))) return 0;
    if (text[n] == '.' && text[n + 1] != '.') n += 1 + digits_length(text + n + 1);
    if (text[n] == 'e' || text[n] == 'E') {
        int exponent = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-'), digits = digits_length(text + exponent);
        if (digits > 0) n = exponent + digits;
    }
    return n;
}

int word_length(const char *text) {
    int n = 0;
    if (starts_name(text[0]))
        while (in_name(text[n])) n++;
    return n;
}

bool begins_with(const char *text, const char *token) {
    size_t n = strlen(token);
    return strncmp(text, token, n) == 0 && (!starts_name(token[0]) || !in_name(text[n]));
}

static const operator_info operators[] = {
    /* longer ones before their beginnings */
    {"or", OR_LEVEL, AND_LEVEL, OP_OR, false, false},      {"and", AND_LEVEL, NOT_LEVEL, OP_AND, false, false},
    {"<=", COMPARE_LEVEL, ADD_LEVEL, OP_LE, false, false}, {">=", COMPARE_LEVEL, ADD_LEVEL, OP_LE, true, false},
    {"==", COMPARE_LEVEL, ADD_LEVEL, OP_EQ, false, false}, {"!=", COMPARE_LEVEL, ADD_LEVEL, OP_EQ, false, true},
    {"<", COMPARE_LEVEL, ADD_LEVEL, OP_LT, false, false},  {">", COMPARE_LEVEL, ADD_LEVEL, OP_LT, true, false},
    {"+", ADD_LEVEL, MUL_LEVEL, OP_ADD, false, false},     {"-", ADD_LEVEL, MUL_LEVEL, OP_SUB, false, false},
    {"*", MUL_LEVEL, NEG_LEVEL, OP_MUL, false, false},     {"/", MUL_LEVEL, NEG_LEVEL, OP_DIV, false, false},
    {"^", POW_LEVEL, POW_LEVEL, OP_POW, false, false},
};

const operator_info *operator_at(const char *text) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (begins_with(text, operators[i].text)) return &operators[i];
    return NULL;
}

op function_of(const char *name) {
    for (int i = 0; i < OP_COUNT; i++)
        if (*op_name((op)i) && strcmp(op_name((op)i), name) == 0) return (op)i;
    return OP_COUNT;
}
