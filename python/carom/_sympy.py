"""Expressions of SymPy as formulas of carom. SymPy is only needed by those who use it."""

from __future__ import annotations

from typing import Any

from sympy.printing.str import StrPrinter


class _Printer(StrPrinter):
    """carom's operators and functions; x(t) of dynamicsymbols is x, its derivative x_dot."""

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        return f"({self._print(expr.base)})^({self._print(expr.exp)})"

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Abs(self, expr: Any) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Min(self, expr: Any) -> str:
        return f"min({', '.join(map(self._print, expr.args))})"

    def _print_ceiling(self, expr: Any) -> str:
        return f"ceil({self._print(expr.args[0])})"

    def _print_Mod(self, expr: Any) -> str:
        return f"mod({', '.join(map(self._print, expr.args))})"

    def _print_frac(self, expr: Any) -> str:
        return f"mod({self._print(expr.args[0])}, 1)"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_And(self, expr: Any) -> str:
        return " and ".join(f"({self._print(arg)})" for arg in expr.args)

    def _print_Or(self, expr: Any) -> str:
        return " or ".join(f"({self._print(arg)})" for arg in expr.args)

    def _print_Piecewise(self, expr: Any) -> str:
        *pieces, (text, _) = [(self._print(value), self._print(condition)) for value, condition in expr.args]
        for value, condition in reversed(pieces):
            text = f"if({condition}, {value}, {text})"
        return text

    def _print_Function(self, expr: Any) -> str:
        if [str(arg) for arg in expr.args] == ["t"] and not expr.func.__module__:
            return expr.func.__name__
        return super()._print_Function(expr)

    def _print_Derivative(self, expr: Any) -> str:
        return f"{self._print(expr.expr)}_dot"


def formula(expression: Any) -> str:
    """The expression in the words of carom's formulas."""
    return _Printer({"full_prec": False}).doprint(expression)
