/* The functions of formulas. */
#include "vocabulary.h"

#define FUNCTION(name, title, example)                                                                                 \
    { name, title, "observe", "value: " example, STAGE_FORMULAS, NULL }

const scene_word words_functions[] = {
    FUNCTION("sin", "sine of an angle in radians", "sin(2*t)"),
    FUNCTION("cos", "cosine of an angle in radians", "cos(2*t)"),
    FUNCTION("tan", "tangent of an angle in radians", "tan(x/2)"),
    FUNCTION("asin", "arc sine", "asin(x/2)"),
    FUNCTION("acos", "arc cosine", "acos(x/2)"),
    FUNCTION("atan", "arc tangent", "atan(x)"),
    FUNCTION("atan2", "the angle of the point (x, y), between -pi and pi", "atan2(y, x)"),
    FUNCTION("sinh", "hyperbolic sine", "sinh(x)"),
    FUNCTION("cosh", "hyperbolic cosine", "cosh(x)"),
    FUNCTION("tanh", "hyperbolic tangent", "tanh(x)"),
    FUNCTION("asinh", "inverse of sinh", "asinh(x)"),
    FUNCTION("acosh", "inverse of cosh", "acosh(1 + x^2)"),
    FUNCTION("atanh", "inverse of tanh", "atanh(x/2)"),
    FUNCTION("exp", "exponential", "exp(-t)"),
    FUNCTION("log", "natural logarithm", "log(1 + x^2)"),
    FUNCTION("sqrt", "square root", "sqrt(x^2 + y^2)"),
    FUNCTION("abs", "absolute value", "abs(x)"),
    FUNCTION("sign", "-1, 0 or 1", "sign(x_dot)"),
    FUNCTION("floor", "the largest integer that is not larger", "floor(10*t)"),
    FUNCTION("ceil", "the least integer that is not smaller", "ceil(10*t)"),
    FUNCTION("round", "the nearest integer; halves go up", "round(10*t)"),
    FUNCTION("mod", "mod(a, b) = a - b floor(a/b), which has the sign of b", "mod(t, 0.1)"),
    FUNCTION("min", "the least of two or more", "min(x, y, 1)"),
    FUNCTION("max", "the greatest of two or more", "max(x, y, 1)"),
    FUNCTION("if", "if(c, a, b): a where c is not zero, else b", "if(t < 0.05, 1, 0)"),
    FUNCTION("sum", "over the integers of a range", "sum(i=1..3, i*x)"),
    FUNCTION("prod", "the product over the integers of a range", "prod(i=1..3, 1 + i*x)"),
    FUNCTION("table", "table(file, x, method): of two columns in a file, linear, step or cubic in between",
             "'table(\"signal.csv\", t, \"cubic\")'"),
    {0}};
