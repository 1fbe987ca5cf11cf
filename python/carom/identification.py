"""Parameters from measurements: the command identify as a function that returns data."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._program import call
from .errors import DataError
from .result import Table
from .scene import Scene
from .study import scene_file, table

Names = Union[str, Sequence[str], Mapping[str, float]]


class Identification(NamedTuple):
    """What identify returns."""

    values: Dict[str, float]  #: what was found, by name; of one record "start.v[record1]"
    deviations: Dict[str, float]  #: standard deviations; nan: a bound is in effect, or no measurement is left to tell them
    intervals: Dict[str, Tuple[float, float]]  #: 95 % intervals
    at_bound: List[str]  #: names of those that a bound holds
    correlation: np.ndarray  #: in the order of values
    residuals: Table  #: one row for each measurement: record, column, t, measured, predicted, sigma, residual
    scale: float  #: standard deviation of the residuals, in units of sigma where that was told
    freedom: int  #: degrees of freedom
    runs: int
    located: bool  #: events are located: derivatives are those of the motion, else those of the scheme
    left_out: List[str]  #: measurements at the very instant of an event, "file:line"


def _guessed(names: Names) -> str:
    """mu,e=0.5 of names, or of guesses by name."""
    if isinstance(names, str):
        return names
    if isinstance(names, Mapping):
        return ",".join(f"{name}={float(guess)!r}" for name, guess in names.items())
    return ",".join(names)


def _field(value: Any) -> str:
    """What is None or nan was not measured."""
    if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else repr(float(value)) if not isinstance(value, (int, np.integer)) else str(value)


def _write(columns: Mapping[str, Any], path: Path) -> str:
    lengths = {name: len(np.atleast_1d(column)) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns of a record are as long as each other, not {lengths}")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns.keys())
        writer.writerows([_field(value) for value in row] for row in zip(*(np.asarray(c).tolist() for c in columns.values())))
    return os.fspath(path)


def _source(record: Any, number: int, folder: Path) -> str:
    """FILE,NAME=VALUE,... of a record: a file or columns, alone or with what is known of it."""
    data, known = record if isinstance(record, tuple) else (record, {})
    file = (os.fspath(data) if isinstance(data, (str, os.PathLike))
            else _write({name: data[name] for name in data.keys()}, folder / f"record{number}.csv"))
    return ",".join([file, *(f"{name}={float(value)!r}" for name, value in known.items())])


def _bound(name: str, ends: Tuple[Optional[float], Optional[float]]) -> str:
    low, high = ("" if end is None or math.isinf(end) else repr(float(end)) for end in ends)
    return f"{name}={low}..{high}"


def _number(value: Optional[float]) -> float:
    return math.nan if value is None else value


def identify(scene: Scene, data: Any, fit: Names = (), each: Names = (),
             measure: Union[str, Sequence[str], Mapping[str, str]] = (), sigma: Optional[Mapping[str, float]] = None,
             bound: Optional[Mapping[str, Tuple[Optional[float], Optional[float]]]] = None) -> Identification:
    """The parameters and starts with which a scene comes nearest to what was measured, as 'carom identify' finds them.

        found = carom.identify(scene, {"t": t, "ball.x": x}, fit={"mu": 0.2, "start.ball.x_dot": 1}, sigma={"ball.x": 1e-3})
        found.values["mu"], found.intervals["mu"]

    data: a record, or a list of records. A record is a file, or columns by name (a dict, a Table, a DataFrame): 't', and
    formulas of quantities; 'event' with numbers of events or names of contacts that are struck then. (record, {"v": 2})
    tells what is known of it. fit: names, or guesses by name; each: the same, for every record a value of its own.
    measure: formulas by column; sigma: standard deviations by column; bound: (least, most) by name, None for none.
    """
    records = data if isinstance(data, list) else [data]
    formulas = ([f"{name}={formula}" for name, formula in measure.items()] if isinstance(measure, Mapping)
                else np.atleast_1d(measure).tolist())
    with scene_file(scene) as path:
        words = ["--fit", _guessed(fit)] * bool(fit) + ["--each", _guessed(each)] * bool(each)
        words += [word for i, record in enumerate(records) for word in ("--data", _source(record, i + 1, path.parent))]
        words += [word for formula in formulas for word in ("--measure", formula)]
        words += [word for name, value in (sigma or {}).items() for word in ("--sigma", f"{name}={float(value)!r}")]
        words += [word for name, ends in (bound or {}).items() for word in ("--bound", _bound(name, ends))]
        residuals = path.with_name("residuals.csv")
        found = json.loads(call("identify", path, "--json", "--residuals", residuals, *words))
        rows = table(residuals)
    held = [name for name, is_held in found["at_bound"].items() if is_held]
    return Identification(found["values"], {name: _number(value) for name, value in found["deviations"].items()},
                          {name: (_number(low), _number(high)) for name, (low, high) in found["intervals"].items()}, held,
                          np.array([[float(_number(value)) for value in row] for row in found["correlation"]]), rows,
                          _number(found["scale"]), found["freedom"], found["runs"], found["located"], found["left_out"])
