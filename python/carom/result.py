"""What runs leave behind: columns of numbers under the names of their quantities."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy as np

from ._library import unknown


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

    def __repr__(self) -> str:
        return f"<carom.{type(self).__name__}: {self.rows} rows of {', '.join(list(self)[:8])}" + (
            ", ...>" if len(self) > 8 else ">")


class Result(Table):
    """The result of a run: its quantities over time, and its events.

    title   of the scene
    scene   the scene as text, with everything that was set
    status  'finished', 'interrupted' or 'failed: reason'
    events  a table of what happened at contacts, or None where a run looks for none
    """

    def __init__(self, columns: Mapping[str, np.ndarray], units: Mapping[str, str], events: Optional[Table],
                 title: str, scene: str, status: str):
        super().__init__(columns, units)
        self.events, self.title, self.scene, self.status = events, title, scene, status


def columns_of(names: List[str], data: np.ndarray) -> Dict[str, np.ndarray]:
    """The columns of rows."""
    columns = np.ascontiguousarray(data.T)
    return {name: columns[i] for i, name in enumerate(names)}
