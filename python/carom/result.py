"""What runs leave behind: columns of numbers under the names of their quantities."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import check, ffi, lib, new_error, text, unknown



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

    def _parsed(self) -> Any:
        from .scene import Scene

        return Scene.parse(self.scene) if self.scene else None

    def curve(self, name: str) -> Tuple[np.ndarray, np.ndarray]:
        """Times and values of a quantity with both sides of every located event: jumps are jumps."""
        t, values, events = self["t"], self[name], self.events
        if events is None or f"before/{name}" not in events:
            return t, values
        times = np.concatenate([t, events["t"], events["t"]])
        sides = np.concatenate([np.zeros(len(t)), np.full(events.rows, -2.0), np.full(events.rows, -1.0)])
        order = np.lexsort((sides, times))
        return times[order], np.concatenate([values, events[f"before/{name}"], events[f"after/{name}"]])[order]

    def matching(self, pattern: str) -> List[str]:
        """Names of quantities that fit a pattern of the shell, "*.gap"."""
        if pattern in self:
            return [pattern]
        found = [name for name in self if fnmatchcase(name, pattern)]
        return found if found else unknown("quantity", pattern, self)

    def plot(self, *panels: str, figure: Any = None) -> Any:
        """Draws panels with matplotlib, in carom's style, and returns the figure.

            result.plot("y", "T,V,E", "phi:phi_dot", "*.gap")

        A panel is a quantity over time, several in one, one over another, or a pattern. Without panels, those of the
        scene.
        """
        from ._plot import draw

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
        """Writes the rows to a result file, which carom.open, carom plot and carom view read. Events stay behind: to
        have them in the file, let the run write it, sim.run(out=path)."""
        names, units = list(self), [self.units.get(name, "") for name in self]
        words = [[ffi.new("char[]", word.encode()) for word in some] for some in (names, units, self.panels)]
        arrays = [ffi.new("char *[]", some) for some in words]
        keep, scene = ffi.new("char[]", self.title.encode()), self._parsed()
        definition = ffi.new("carom_result_def *", lib.carom_default_result_def())
        definition.title, definition.scene = keep, scene._built() if scene else ffi.NULL
        definition.columns, definition.plots = len(names), len(self.panels)
        definition.names, definition.units, definition.plot = arrays
        found, error = ffi.new("carom_result **"), new_error()
        check(lib.carom_result_create(os.fspath(path).encode(), definition, found, error), error)
        rows = np.ascontiguousarray(np.stack([self[name] for name in names], axis=1))
        data = ffi.from_buffer("double[]", rows)
        status = 0
        for i in range(len(rows)):
            status = status or lib.carom_result_append(found[0], data + i * len(names), error)
        closed = lib.carom_result_finish(found[0], ffi.NULL, ffi.NULL if status else error)
        check(status or closed, error)


def columns_of(names: List[str], data: np.ndarray) -> Dict[str, np.ndarray]:
    """The columns of rows."""
    columns = np.ascontiguousarray(data.T)
    return {name: columns[i] for i, name in enumerate(names)}


def event_table(columns: Dict[str, np.ndarray], units: Mapping[str, str], contact: Callable[[int], str],
                kind: Callable[[int], str]) -> Table:
    """The table of events, with names in place of numbers."""
    for column, name in (("contact", contact), ("kind", kind)):
        columns[column] = np.array([name(int(i)) for i in columns[column]], dtype=object)
    return Table(columns, units)


def _read(reader: Any, table: int) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    error, columns, units = new_error(), {}, {}
    for i in range(lib.carom_reader_columns(reader, table)):
        name = text(lib.carom_reader_name(reader, table, i))
        columns[name] = np.empty(lib.carom_reader_rows(reader, table))
        units[name] = text(lib.carom_reader_unit(reader, table, i))
        check(lib.carom_reader_read(reader, table, i, ffi.from_buffer("double[]", columns[name]), error), error)
    return columns, units


def open(path: Any) -> Result:
    """Reads a result file (HDF5). One of a run that was killed or still goes on is read up to its last commit; a
    damaged one is refused."""
    found, error = ffi.new("carom_reader **"), new_error()
    check(lib.carom_reader_open(os.fspath(path).encode(), found, error), error)
    reader = ffi.gc(found[0], lib.carom_reader_close)

    def attribute(name: bytes) -> str:
        value = lib.carom_reader_text(reader, name)
        return text(value) if value else ""

    events = None
    if lib.carom_reader_columns(reader, lib.CAROM_EVENTS):
        columns, units = _read(reader, lib.CAROM_EVENTS)
        events = event_table(columns, units, lambda i: text(lib.carom_reader_contact(reader, i)),
                             lambda i: text(lib.carom_reader_kind(reader, i)))
    columns, units = _read(reader, lib.CAROM_ROWS)
    panels = [text(lib.carom_reader_plot(reader, i)) for i in range(lib.carom_reader_plots(reader))]
    result = Result(columns, units, events, attribute(b"title"), attribute(b"scene"), attribute(b"status"), panels)
    result.path = os.fspath(path)
    return result


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
