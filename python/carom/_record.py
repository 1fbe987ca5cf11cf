"""The run of a simulation in the library's own loop, with what it records."""

from __future__ import annotations

import os
import sys
from typing import Any, List, Optional

import numpy as np

from ._library import check, exception, ffi, lib, path_word, text
from .errors import DataError
from .result import Result, columns_of, event_table

SECONDS = 0.1  # between two looks of the interpreter: interrupts, progress
BLOCK = 1 << 16  # numbers that the loop has room for


def event_name(sim: Any, contact: int) -> str:
    """What an event is about: a contact, a joint that breaks, an entry of contacts that are found."""
    return text(lib.carom_sim_event_name(sim, contact))


class _Rows:
    """Rows of a table that grows by blocks."""

    def __init__(self, recording: Any, table: int):
        count = lib.carom_recording_columns(recording, table)
        self.names = [text(lib.carom_recording_name(recording, table, i)) for i in range(count)]
        self.units = {name: text(lib.carom_recording_unit(recording, table, i)) for i, name in enumerate(self.names)}
        self.blocks: List[np.ndarray] = []

    def data(self) -> np.ndarray:
        return np.concatenate(self.blocks) if self.blocks else np.empty((0, len(self.names)))


class _Recording:
    """What a run records in memory."""

    def __init__(self, sim: Any):
        found = ffi.new("carom_recording **")
        check(lib.carom_recording_create(sim.scene._handles()[2], sim._sim, found, sim._error), sim._error)
        self.sim, self.handle = sim, ffi.gc(found[0], lib.carom_recording_destroy)
        self.rows, self.events = _Rows(self.handle, lib.CAROM_ROWS), _Rows(self.handle, lib.CAROM_EVENTS)
        self.block = np.empty((max(1, BLOCK // len(self.rows.names)), len(self.rows.names)))

    def take_first(self) -> None:
        row = np.empty((1, len(self.rows.names)))
        status = lib.carom_recording_row(self.handle, ffi.from_buffer("double[]", row), self.sim._error)
        check(status, self.sim._error)
        self.rows.blocks.append(row)

    def take(self, count: int) -> None:
        """The rows that the loop has left, and the events of the last step."""
        if count:
            self.rows.blocks.append(self.block[:count].copy())
        events = ffi.new("int *")
        lib.carom_sim_events(self.sim._sim, events)
        for i in range(events[0] if self.events.names else 0):
            row = np.empty((1, len(self.events.names)))
            status = lib.carom_recording_event(self.handle, i, ffi.from_buffer("double[]", row), self.sim._error)
            check(status, self.sim._error)
            self.events.blocks.append(row)

    def result(self, status: str) -> Result:
        scene = self.sim.scene
        events = None
        if self.events.names:
            kinds = [text(lib.carom_event_kind_name(k)) for k in range(lib.CAROM_EVENT_KINDS)]
            columns = columns_of(self.events.names, self.events.data())
            events = event_table(columns, self.events.units, lambda i: event_name(self.sim._sim, i), kinds.__getitem__)
        columns = columns_of(self.rows.names, self.rows.data())
        return Result(columns, self.rows.units, events, scene.title, scene._drawn(), status, scene._panels())


def _open_file(sim: Any, out: Optional[Any]) -> Any:
    if out is None:
        return ffi.NULL
    found = ffi.new("carom_result **")
    path, scene = path_word(out), sim.scene._handles()[2]
    if scene == ffi.NULL:
        raise DataError("a model in Python has no scene that a file could hold; save the result that run() returns")
    check(lib.carom_result_create_run(path, scene, sim._sim, found, sim._error), sim._error)
    return found[0]


def _show(sim: Any, total: int, end: str = "") -> None:
    share = sim.steps / total if total else 1
    print(f"\r{share:4.0%}  t = {sim.t:.6g}  ", end=end, file=sys.stderr, flush=True)


def run(sim: Any, record: bool, out: Optional[Any], progress: bool) -> Result:
    """Steps until the end. Whatever ends the run, the file is complete up to there, and so is the result that the
    exception carries."""
    recording = _Recording(sim)
    file = _open_file(sim, out)
    failure = ffi.NULL
    try:
        if record:
            recording.take_first()
        _loop(sim, recording, file, record, progress)
    except Exception as problem:
        failure = ffi.new("char[]", str(problem).encode()[:700])
        problem.result = recording.result(f"failed: {problem}")  # type: ignore[attr-defined]
        raise
    except KeyboardInterrupt as problem:
        problem.result = recording.result("interrupted")  # type: ignore[attr-defined]
        raise
    finally:
        closed = lib.carom_result_finish(file, failure, sim._error)
        if closed and failure == ffi.NULL and sys.exc_info()[0] is None:
            raise exception(sim._error)
    result = recording.result("finished")
    result.path = None if out is None else os.fspath(out)
    return result


def _loop(sim: Any, recording: _Recording, file: Any, record: bool, progress: bool) -> None:
    loop = ffi.new("loop *", {
        "sim": sim._sim, "recording": recording.handle if record else ffi.NULL, "file": file,
        "every": sim.scene._every(),
        "rows": ffi.from_buffer("double[]", recording.block), "room": len(recording.block), "seconds": SECONDS})
    total = lib.carom_sim_total_steps(sim._sim)
    while not lib.carom_sim_done(sim._sim):
        loop.count = 0
        sim._stepping = True
        try:
            status = lib.loop_run(loop, sim._error)
        finally:
            sim._stepping = False
        problem = None if not status else sim._error
        if record:
            recording.take(loop.count)
        if progress:
            _show(sim, total)
        if problem is not None:
            sim._fail(status)
    if progress:
        _show(sim, total, end="\n")
