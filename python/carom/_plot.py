"""Figures by matplotlib, in the style of carom plot: its colours, thin axes on two sides, units at the axes."""

from __future__ import annotations

from typing import Any, List, Tuple

from .errors import DataError, UnknownName
from .result import Result

STYLE = {
    "axes.prop_cycle": "cycler('color', ['0072B2', 'D55E00', '009E73', 'CC79A7', 'E69F00', '56B4E9', '000000'])",
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#606060", "axes.grid": True,
    "grid.color": "#e6e6e6", "xtick.color": "#303030", "ytick.color": "#303030", "lines.linewidth": 1.2,
    "font.family": "DejaVu Sans", "font.size": 9, "legend.frameon": False, "figure.constrained_layout.use": True,
}


def _label(result: Result, name: str) -> str:
    unit = result.units.get(name, "")
    return f"{name} [{unit}]" if unit else name


def _curves(result: Result, panel: str) -> Tuple[str, List[str]]:
    """What a panel shows: over what, and which quantities."""
    over, colon, rest = panel.partition(":")
    names = (rest if colon else over).split(",")
    return over.strip() if colon else "t", [found for name in names for found in result.matching(name.strip())]


def _fits(result: Result, panel: str) -> bool:
    """Whether a panel of the scene names quantities alone; those with formulas are for carom plot."""
    try:
        return bool(_curves(result, panel)[1]) and _curves(result, panel)[0] in result
    except UnknownName:
        return False


def _draw_panel(result: Result, axes: Any, panel: str) -> None:
    over, names = _curves(result, panel)
    for name in names:
        t, values = result.curve(name)
        axes.plot(t if over == "t" else result.curve(over)[1], values, label=name)
    axes.set_xlabel(_label(result, over))
    units = {result.units.get(name, "") for name in names}
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
