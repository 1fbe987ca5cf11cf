/* The operations of expressions: name, number of operands, name in formulas ("" for operators), value of operands a, b,
 * c. Constant folding, evaluation, the tape and the parser all read this one table. NaN goes through everything except
 * comparisons, which are false. */
#ifndef CAROM_OPERATIONS_H
#define CAROM_OPERATIONS_H

#include <math.h>

double foot_value(double k, double j, double P);

// clang-format off
#define OPERATIONS(X)                                             \
    X(ADD,   2, "",      a + b)                                   \
    X(SUB,   2, "",      a - b)                                   \
    X(MUL,   2, "",      a * b)                                   \
    X(DIV,   2, "",      a / b)                                   \
    X(POW,   2, "",      pow(a, b))                               \
    X(NEG,   1, "",      -a)                                      \
    X(SIN,   1, "sin",   sin(a))                                  \
    X(COS,   1, "cos",   cos(a))                                  \
    X(TAN,   1, "tan",   tan(a))                                  \
    X(ASIN,  1, "asin",  asin(a))                                 \
    X(ACOS,  1, "acos",  acos(a))                                 \
    X(ATAN,  1, "atan",  atan(a))                                 \
    X(ATAN2, 2, "atan2", atan2(a, b))                             \
    X(SINH,  1, "sinh",  sinh(a))                                 \
    X(COSH,  1, "cosh",  cosh(a))                                 \
    X(TANH,  1, "tanh",  tanh(a))                                 \
    X(ASINH, 1, "asinh", asinh(a))                                \
    X(ACOSH, 1, "acosh", acosh(a))                                \
    X(ATANH, 1, "atanh", atanh(a))                                \
    X(EXP,   1, "exp",   exp(a))                                  \
    X(LOG,   1, "log",   log(a))                                  \
    X(SQRT,  1, "sqrt",  sqrt(a))                                 \
    X(ABS,   1, "abs",   fabs(a))                                 \
    X(SIGN,  1, "sign",  a > 0 ? 1.0 : a < 0 ? -1.0 : a)          \
    X(FLOOR, 1, "floor", floor(a))                                \
    X(MIN,   2, "min",   a < b ? a : b <= a ? b : a + b)          \
    X(MAX,   2, "max",   a > b ? a : b >= a ? b : a + b)          \
    X(LT,    2, "",      a < b)                                   \
    X(LE,    2, "",      a <= b)                                  \
    X(EQ,    2, "",      a == b)                                  \
    X(AND,   2, "",      a != 0 && b != 0)                        \
    X(OR,    2, "",      a != 0 || b != 0)                        \
    X(NOT,   1, "",      a == 0)                                  \
    X(IF,    3, "if",    a != 0 ? b : c)                          \
    /* written by floor in graphs, (F30) */ \
    X(CEIL,  1, "ceil",  -floor(-a))                              \
    X(ROUND, 1, "round", floor(a + 0.5))                          \
    X(MOD,   2, "mod",   a - b * floor(a / b))                    \
    /* of tables, whose values are in knots.h: the place of a in table b; a number of its interval a */ \
    X(PLACE, 2, "",      NAN)                                     \
    X(ENTRY, 2, "",      NAN)                                     \
    /* where a line is nearest to a circle, foot.h */ \
    X(FOOT,  3, "",      foot_value(a, b, c))
// clang-format on

#endif
