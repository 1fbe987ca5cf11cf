"""What runs leave behind: columns of numbers under the names of their quantities."""

from __future__ import annotations

import os
from contextlib import contextmanager
from fnmatch import fnmatchcase
from tempfile import TemporaryDirectory
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import unknown
from .errors import DataError


class Table(Mapping[str, np.ndarray]):
    """Columns of equal length by their names, with units: table["x"], table.units["x"]."""

    def __init__(self, columns: Mapping[str, np.ndarray], units: Mapping[str, str]):
        self._columns, self.units = dict(columns), dict(units)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name] if name in self._columns else unknown("quantity", name, self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """The length of the columns."""
        return len(next(iter(self._columns.values()), ()))

    def to_pandas(self) -> Any:
        """The table as a DataFrame of pandas; units are its attrs["units"]."""
        import pandas

        frame = pandas.DataFrame(self._columns)
        frame.attrs["units"] = dict(self.units)
        return frame

    def __repr__(self) -> str:
        return f"<carom.{type(self).__name__}: {self.rows} rows of {', '.join(list(self)[:8])}" + (
            ", ...>" if len(self) > 8 else ">")


class Quantity(NamedTuple):
    """What Result.quantity returns."""

    rows: np.ndarray
    sides: Optional[Tuple[np.ndarray, ...]]  #: before and after each event; None: it has none
    unit: str


class Result(Table):
    """The result of a run: its quantities over time, and its events.

    title   of the scene
    scene   the scene as text, with everything that was set
    status  'finished', 'interrupted' or 'failed: reason'
    events  a table of what happened at contacts, or None where a run looks for none
    panels  what plot() shows unasked
    path    the file that holds it, or None
    """

    path: Optional[str] = None

    def __init__(self, columns: Mapping[str, np.ndarray], units: Mapping[str, str], events: Optional[Table],
                 title: str, scene: str, status: str, panels: Sequence[str] = ()):
        super().__init__(columns, units)
        self.events, self.title, self.scene, self.status, self.panels = events, title, scene, status, list(panels)
        self._derived: Dict[str, Quantity] = {}

    def quantity(self, name: str) -> Quantity:
        """A quantity by its name, or a formula of quantities, parameters and dt: at the rows, and on both sides of every
        event. Forces are percussions over dt, "wall.FN" of "wall.PN".

            result.quantity("sqrt(x^2 + y^2)").rows
        """
        if not isinstance(name, str) or not name.strip():
            raise DataError(f"a quantity is a name or a formula, not {name!r}")
        if name in self:
            sides = [] if self.events is None else [self.events.get(f"{side}/{name}") for side in ("before", "after")]
            return Quantity(self[name], tuple(sides) if sides and sides[0] is not None else None, self.units[name])
        if name not in self._derived:
            from ._file import derive

            with self.stored() as path:
                self._derived[name] = derive(path, name)
        return self._derived[name]

    def curve(self, name: str) -> Tuple[np.ndarray, np.ndarray]:
        """Times and values of a quantity or a formula with both sides of every located event: jumps are jumps."""
        t, found, events = self["t"], self.quantity(name), self.events
        if events is None or found.sides is None:
            return t, found.rows
        times = np.concatenate([t, events["t"], events["t"]])
        sides = np.concatenate([np.zeros(len(t)), np.full(events.rows, -2.0), np.full(events.rows, -1.0)])
        order = np.lexsort((sides, times))
        return times[order], np.concatenate([found.rows, *found.sides])[order]

    def matching(self, pattern: str) -> List[str]:
        """Names of quantities that fit a pattern of the shell, "*.gap"; a formula fits itself."""
        found = [] if pattern in self else [name for name in self if fnmatchcase(name, pattern)]
        if not found:
            self.quantity(pattern)
        return found or [pattern]

    def plot(self, *panels: str, figure: Any = None) -> Any:
        """Draws panels with matplotlib, in carom's style, and returns the figure.

            result.plot("y", "T,V,E", "phi:phi_dot", "*.gap")

        A panel is a quantity or a formula over time, several in one, one over another, or a pattern. Without panels,
        those of the scene.
        """
        from ._plot import draw

        for panel in panels:
            if not isinstance(panel, str):
                raise DataError(f"a panel is a text such as 'y', 'T,V,E' or 'x:y', not {panel!r}")
        return draw(self, list(panels), figure)

    def animate(self, width: Union[int, str] = "100%", height: int = 560) -> "Animation":
        """The motion in carom's viewer, inside a notebook: bodies, contacts, forces, events, plots. Needs no network."""
        from ._animate import animate

        return animate(self, width, height)

    def movie(self, path: Any, **options: Any) -> None:
        """The same as a movie: .mp4, .webm, .gif, or a folder of PNG files. Needs chromium, and ffmpeg for movies.

            result.movie("drop.mp4", size="1280x720", rate=30, speed=0.1, view="front", dark=True)

        Options are those of 'carom movie'.
        """
        from ._animate import movie

        movie(self, path, options)

    def save(self, path: Any) -> None:
        """Writes rows and events to a result file, which carom.open, carom plot and carom view read."""
        from ._file import write

        write(self, os.fspath(path))

    @contextmanager
    def stored(self) -> Iterator[str]:
        """The name of a file that holds the result: its own, or one for the moment."""
        if self.path and os.path.exists(self.path):
            yield self.path
            return
        with TemporaryDirectory() as folder:
            self.save(os.path.join(folder, "result.h5"))
            yield os.path.join(folder, "result.h5")


def columns_of(names: List[str], data: np.ndarray) -> Dict[str, np.ndarray]:
    """The columns of rows."""
    columns = np.ascontiguousarray(data.T)
    return {name: columns[i] for i, name in enumerate(names)}


def event_table(columns: Dict[str, np.ndarray], units: Mapping[str, str], contact: Callable[[int], str],
                kind: Callable[[int], str]) -> Table:
    """The table of events, with names in place of numbers."""
    for column, name in (("contact", contact), ("kind", kind)):
        if column not in columns:  # the points of a sweep
            continue
        columns[column] = np.array([name(int(i)) for i in columns[column]], dtype=object)
    return Table(columns, units)


class Animation:
    """A page of carom's viewer. A notebook shows it; save() writes it for any browser."""

    def __init__(self, page: str, width: Union[int, str], height: int):
        self.page, self.width, self.height = page, width, height

    def save(self, path: Any) -> None:
        """Writes the page, one file of HTML that needs no other."""
        with _file(path) as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        from html import escape

        return (f'<iframe srcdoc="{escape(self.page)}" width="{self.width}" height="{self.height}" '
                'style="border:0" allowfullscreen></iframe>')


def _file(path: Any) -> Any:
    import builtins

    return builtins.open(path, "w", encoding="utf-8")
