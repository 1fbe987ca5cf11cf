"""Figures by matplotlib, in the style of carom plot: its colours, thin axes on two sides, units at the axes."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, List, Tuple

from .errors import DataError
from .result import Result

STYLE = {
    "axes.prop_cycle": "cycler('color', ['0072B2', 'D55E00', '009E73', 'CC79A7', 'E69F00', '56B4E9', '000000'])",
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#606060", "axes.grid": True,
    "grid.color": "#e6e6e6", "xtick.color": "#303030", "ytick.color": "#303030", "lines.linewidth": 1.2,
    "font.family": "DejaVu Sans", "font.size": 9, "legend.frameon": False, "figure.constrained_layout.use": True,
}


def _label(result: Result, name: str) -> str:
    unit = result.quantity(name).unit
    return f"{name} [{unit}]" if unit else name


def _parts(text: str, separator: str) -> List[str]:
    """Divided at separators that are not within brackets."""
    depths = accumulate((c in "([") - (c in ")]") for c in text)
    cuts = [i for i, (c, depth) in enumerate(zip(text, depths)) if c == separator and depth == 0]
    return [text[i + 1:j].strip() for i, j in zip([-1, *cuts], [*cuts, len(text)])]


def _curves(result: Result, panel: str) -> Tuple[str, List[str]]:
    """What a panel shows: over what, and which quantities."""
    *over, names = _parts(panel, ":")
    return over[0] if over else "t", [found for name in _parts(names, ",") for found in result.matching(name)]


def _fits(result: Result, panel: str) -> bool:
    """Whether what a panel of the scene names was recorded."""
    try:
        return bool(_curves(result, panel)[1])
    except DataError:
        return False


def _draw_panel(result: Result, axes: Any, panel: str) -> None:
    over, names = _curves(result, panel)
    for name in names:
        t, values = result.curve(name)
        axes.plot(t if over == "t" else result.curve(over)[1], values, label=name)
    axes.set_xlabel(_label(result, over))
    units = {result.quantity(name).unit for name in names}
    if len(names) == 1:
        axes.set_ylabel(_label(result, names[0]))
    else:
        axes.set_ylabel(units.pop() if len(units) == 1 else "")
        axes.legend()


def draw(result: Result, panels: List[str], figure: Any) -> Any:
    import matplotlib
    from matplotlib import pyplot

    panels = panels or [panel for panel in result.panels if _fits(result, panel)] or list(result)[1:4]
    if not panels or not result.rows:
        raise DataError("nothing was recorded that could be drawn")
    with matplotlib.rc_context(STYLE):
        figure = figure or pyplot.figure(figsize=(7, 2.2 * len(panels) + 0.4))
        for axes, panel in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels):
            _draw_panel(result, axes, panel)
        if result.title:
            figure.suptitle(result.title)
    return figure
