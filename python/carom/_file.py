"""Result files: what is written to them, read from them, and derived from what they hold."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ._library import check, ffi, lib, new_error, path_word, text, unknown, word
from .errors import DataError
from .result import Quantity, Result, event_table

# ---- writing


def _words(words: Sequence[str], keep: List[Any]) -> Any:
    """An array of strings in C that lives as long as keep."""
    keep += [ffi.new("char[]", word(text)) for text in words]
    keep.append(ffi.new("char *[]", keep[len(keep) - len(words):]))
    return keep[-1]


def _numbered(names: np.ndarray, known: List[str]) -> np.ndarray:
    number = {name: i for i, name in enumerate(known)}
    return np.array([number.get(name, -1) for name in names], dtype=float)


def _kinds() -> List[str]:
    return [text(lib.carom_event_kind_name(k)) for k in range(lib.CAROM_EVENT_KINDS)]


def _events(result: Result, definition: Any, keep: List[Any]) -> np.ndarray:
    """The events as rows of numbers, which the definition says how to read."""
    if result.events is None:
        return np.empty((0, 0))
    columns, units = dict(result.events), [result.events.units.get(name, "") for name in result.events]
    names = {"contact": sorted(set(columns.get("contact", ())) - {""}), "kind": _kinds()}
    for column, known in names.items():
        if column in columns:
            columns[column] = _numbered(columns[column], known)
    definition.event_columns, definition.event_names = len(columns), _words(list(columns), keep)
    definition.event_units = _words(units, keep)
    definition.contacts, definition.contact = len(names["contact"]), _words(names["contact"], keep)
    definition.kinds, definition.kind = len(names["kind"]), _words(names["kind"], keep)
    return np.stack(list(columns.values()), axis=1) if columns else np.empty((0, 0))


def _append(file: Any, function: Any, rows: np.ndarray, error: Any) -> int:
    rows, status = np.ascontiguousarray(rows), 0
    data = ffi.from_buffer("double[]", rows) if rows.size else None
    for i in range(len(rows)):
        status = status or function(file, data + i * rows.shape[1], error)
    return int(status)


def write(result: Result, path: str) -> None:
    from .scene import Scene

    keep: List[Any] = []
    scene = Scene.parse(result.scene) if result.scene else None
    definition, error = ffi.new("carom_result_def *", lib.carom_default_result_def()), new_error()
    definition.title, definition.scene = _words([result.title], keep)[0], scene._built() if scene else ffi.NULL
    definition.columns, definition.names = len(result), _words(list(result), keep)
    definition.units = _words([result.units.get(name, "") for name in result], keep)
    definition.plots, definition.plot = len(result.panels), _words(result.panels, keep)
    events, rows = _events(result, definition, keep), np.stack([result[name] for name in result], axis=1)
    found = ffi.new("carom_result **")
    check(lib.carom_result_create(path_word(path), definition, found, error), error)
    status = _append(found[0], lib.carom_result_append_event, events, error)
    status = status or _append(found[0], lib.carom_result_append, rows, error)
    closed = lib.carom_result_finish(found[0], ffi.NULL, ffi.NULL if status else error)
    check(status or closed, error)


# ---- reading


def _reader(path: str) -> Any:
    found, error = ffi.new("carom_reader **"), new_error()
    check(lib.carom_reader_open(path_word(path), found, error), error)
    return ffi.gc(found[0], lib.carom_reader_close)


def _column(reader: Any, table: int, column: int) -> np.ndarray:
    error, values = new_error(), np.empty(lib.carom_reader_rows(reader, table))
    check(lib.carom_reader_read(reader, table, column, ffi.from_buffer("double[]", values), error), error)
    return values


def _read_table(reader: Any, table: int) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    columns, units = {}, {}
    for i in range(lib.carom_reader_columns(reader, table)):
        name = text(lib.carom_reader_name(reader, table, i))
        columns[name] = _column(reader, table, i)
        units[name] = text(lib.carom_reader_unit(reader, table, i))
    return columns, units


def open(path: Any) -> Result:
    """Reads a result file (HDF5). One of a run that was killed or still goes on is read up to its last commit; a
    damaged one is refused."""
    reader = _reader(os.fsdecode(path))

    def attribute(name: bytes) -> str:
        value = lib.carom_reader_text(reader, name)
        return text(value) if value else ""

    events = None
    if lib.carom_reader_columns(reader, lib.CAROM_EVENTS):
        columns, units = _read_table(reader, lib.CAROM_EVENTS)
        events = event_table(columns, units, lambda i: text(lib.carom_reader_contact(reader, i)),
                             lambda i: text(lib.carom_reader_kind(reader, i)))
    columns, units = _read_table(reader, lib.CAROM_ROWS)
    panels = [text(lib.carom_reader_plot(reader, i)) for i in range(lib.carom_reader_plots(reader))]
    result = Result(columns, units, events, attribute(b"title"), attribute(b"scene"), attribute(b"status"), panels)
    result.path = os.fsdecode(path)
    return result


def derive(path: str, formula: str) -> Quantity:
    """A formula of what a file holds."""
    reader, column, error = _reader(path), ffi.new("int *"), new_error()
    if lib.carom_reader_quantity(reader, word(formula), column, error):
        if re.fullmatch(r"[\w.]+", formula):  # meant to be a quantity
            count = lib.carom_reader_columns(reader, lib.CAROM_ROWS)
            unknown("quantity", formula, [text(lib.carom_reader_name(reader, lib.CAROM_ROWS, i)) for i in range(count)])
        raise DataError(text(error.message).replace(f" of {path}", ""))
    sides = [lib.carom_reader_side(reader, column[0], side) for side in range(2)]
    return Quantity(_column(reader, lib.CAROM_ROWS, column[0]),
                    tuple(_column(reader, lib.CAROM_EVENTS, side) for side in sides) if min(sides) >= 0 else None,
                    text(lib.carom_reader_unit(reader, lib.CAROM_ROWS, column[0])))
