"""Studies: the commands converge, compare, gradient and sweep as functions that return data, and what SciPy can use."""

from __future__ import annotations

import csv
import json
import math
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._file import open as read_result
from ._library import unknown, vector
from ._program import call
from .errors import DataError, Error
from .result import Result, Table
from .scene import Scene

Numbers = Union[str, float, Sequence[float]]


def listed(values: Any) -> str:
    """1e-2,5e-3 of numbers or names; a string says it in the words of the command, 1e-1..1e-3/5."""
    if isinstance(values, str):
        return values
    return ",".join(v if isinstance(v, str) else str(v) if isinstance(v, (int, np.integer)) else repr(float(v))
                    for v in np.atleast_1d(np.asarray(values, dtype=object)))


def options(**given: Any) -> List[str]:
    return [word for name, value in given.items() if value is not None
            for word in (f"--{name}", value if isinstance(value, str) else listed(value))]


@contextmanager
def scene_file(scene: Scene) -> Iterator[Path]:
    """The scene as a file, in a folder of its own that lives for the moment."""
    if not isinstance(scene, Scene):
        raise DataError(f"a study takes a scene, not {scene!r}; carom.load reads one from a file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.yaml"
        path.write_text(scene.to_yaml(), encoding="utf-8")
        try:
            yield path
        except Error as problem:  # in the words of the caller, who knows no such folder
            problem.message = problem.message.replace(str(path), scene._name).replace(folder + os.sep, "")
            problem.file = problem.file and problem.file.replace(str(path), scene._name).replace(folder + os.sep, "")
            raise


def _column(words: Sequence[str]) -> np.ndarray:
    try:
        return np.array([float(word) for word in words])
    except ValueError:
        return np.array(words, dtype=object)


def table(path: Path) -> Table:
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    words = {"quantity", "norm", "integrator", "status", "reason", "reference", "hash", "kind", "note"}
    return Table({name: np.array(column, dtype=object) if name in words else _column(column)
                  for name, column in columns.items()}, {name: "" for name in names})


def _study(scene: Scene, command: str, words: List[str], files: Sequence[str]) -> List[Table]:
    with scene_file(scene) as path:
        folder = path.with_name("study")
        call(command, path, *words, "--out", folder, "--quiet")
        return [table(folder / name) for name in files]


def converge(scene: Scene, dt: Numbers, integrators: Union[str, Sequence[str], None] = None,
             reference: Optional[str] = None, norm: Union[str, Sequence[str], None] = None) -> Table:
    """Errors and orders over step sizes, as 'carom converge' measures them. One row for each quantity, norm, integrator
    and dt, with the columns error, order, overall_order, ...

        table = carom.converge(scene, dt=[8e-3, 4e-3, 2e-3], integrators=["rattle", "lobatto:stages=3"])
    """
    return _study(scene, "converge", options(dt=dt, integrators=integrators, reference=reference, norm=norm),
                  ["converge.csv"])[0]


class Comparison(NamedTuple):
    """What compare returns."""

    runs: Table  #: one row for each integrator and dt: errors, energy, penetration, drift, iterations, seconds
    over_time: Table  #: how energy and others develop


def compare(scene: Scene, integrators: Union[str, Sequence[str]], dt: Optional[Numbers] = None,
            reference: Optional[str] = None, norm: Optional[str] = None) -> Comparison:
    """Integrators side by side, as 'carom compare' shows them."""
    words = options(integrators=integrators, dt=dt, reference=reference, norm=norm)
    return Comparison(*_study(scene, "compare", words, ["compare.csv", "compare_over_time.csv"]))


class Gradient(NamedTuple):
    """What gradient returns."""

    value: float
    gradient: Dict[str, float]
    margin: float  #: from 0 to 1: how near the motion came to one without derivatives
    events: int
    located: bool  #: events are located: the derivative is that of the motion, else that of the scheme
    method: str  #: "forward" or "adjoint": how it was found


def gradient(scene: Scene, of: str, by: Union[str, Sequence[str]], at: Optional[float] = None,
             method: Optional[str] = None, **parameters: float) -> Gradient:
    """A formula of quantities at the end of the run with its exact derivatives, as 'carom gradient' computes them.

        carom.gradient(scene, of="ball.x", by=["mu", "start.ball.y_dot"], mu=0.2)

    by: parameters, and components of the start. method: "forward" carries derivatives along with the motion, "adjoint"
    goes back from its end at the cost of about two runs, however many there are; None: whichever costs less. Keywords are
    other values of parameters.
    """
    if not listed(by):
        raise DataError("by names what to derive by: parameters, or starts as in 'start.x'")
    if method not in (None, "forward", "adjoint"):
        raise ValueError(f"method is 'forward' or 'adjoint', not {method!r}")
    if parameters:
        scene = scene.replace({f"parameters.{name}": value for name, value in parameters.items()})
    with scene_file(scene) as path:
        way = [f"--{method}"] if method else []
        found = json.loads(call("gradient", path, "--json", *way, *options(of=of, by=by, at=at)))
    numbers = {name: math.nan if value is None else value for name, value in found["gradient"].items()}
    value, margin = (math.nan if found[key] is None else found[key] for key in ("value", "margin"))
    return Gradient(value, numbers, margin, found["events"], found["located"], found["method"])


def objective(scene: Scene, of: str, by: Sequence[str],
              at: Optional[float] = None) -> Callable[[Any], Tuple[float, np.ndarray]]:
    """A function of the values of parameters that returns a formula and its exact gradient, for SciPy:

        scipy.optimize.minimize(carom.objective(scene, "(ball.x - 1)^2", ["v", "mu"]), x0=[2, 0.3], jac=True)
    """
    known = scene.parameters
    names = [name if name in known else unknown("parameter", name, known) for name in by]

    def function(x: Any) -> Tuple[float, np.ndarray]:
        values = vector(np.atleast_1d(x), len(names), "x")
        found = gradient(scene, of, names, at, **dict(zip(names, values)))
        return found.value, np.array([found.gradient[name] for name in names])

    return function


def sweep(scene: Scene, vary: Mapping[str, Numbers], keep: Union[str, Sequence[str], Mapping[str, str]] = (),
          out: Any = None, **given: Any) -> Result:
    """Runs with all combinations of values, on all processors, as 'carom sweep' does them: a result with a row for each
    run, and with section= or period= its points as events.

        carom.sweep(scene, {"A": "0.026..0.06/400", "e": [0.4, 0.5]}, keep={"v": "z_dot"}, section="table", after=60)

    vary: parameters, or starts, "start.x"; numbers, or words of the command. keep: formulas of quantities. out: the
    file that keeps the result; if the program is stopped, the same call goes on from there. Other keywords are options
    of the command: random, seed, section, period, after, points, lyapunov, same, jobs.
    """
    if not isinstance(vary, Mapping):
        raise DataError(f"what is varied is a dict of names and values, not {vary!r}")
    kept = [f"{name}={formula}" for name, formula in keep.items()] if isinstance(keep, Mapping) else np.atleast_1d(keep)
    words = [word for name, values in vary.items() for word in ("--vary", f"{name}={listed(values)}")]
    words += [word for formula in kept for word in ("--keep", str(formula))]
    with scene_file(scene) as path:
        file = os.fspath(out) if out is not None else path.with_name("sweep.h5")
        call("sweep", path, *words, *options(**given), "--out", file, "--quiet")
        result = read_result(file)
    result.path = None if out is None else os.fspath(out)
    return result


class Solution(NamedTuple):
    """What solve_ivp returns, in the words of SciPy's."""

    t: np.ndarray
    y: np.ndarray  #: positions, then velocities; one column for each time
    t_events: np.ndarray  #: of located events
    y_events: np.ndarray  #: one row for each event, on its far side
    success: bool
    message: str


def solve_ivp(scene: Any, t_span: Tuple[float, float], y0: Any = None, **run: Any) -> Solution:
    """Solves the motion over a span of time from y0, positions and then velocities, or from the start of the scene.
    Keywords are those of Scene.simulation; impacts are part of the solution."""
    begin, end = vector(t_span, 2, "t_span")
    if not begin < end:
        raise DataError(f"t_span must begin before it ends, it is ({begin}, {end})")
    sim = scene.simulation(**{"until": end, **run})
    n = len(sim.q)
    if y0 is not None:
        state = vector(y0, n + len(sim.u), "y0")
        sim.set_state(begin, state[:n], state[n:])
    elif begin != sim.t:
        sim.set_state(begin)
    try:
        result, message = sim.run(until=end), "the end of the span is reached"
    except Exception as problem:
        result, message = getattr(problem, "result", None), str(problem)
        if result is None:
            raise
    names = [*scene.coordinates, *scene.velocities]
    if any(name not in result for name in names):
        raise DataError("the scene does not record its positions and velocities")
    events = result.events
    after = np.empty((0, len(names))) if events is None else np.stack([events[f"after/{name}"] for name in names], 1)
    times = np.empty(0) if events is None else events["t"]
    return Solution(result["t"], np.stack([result[name] for name in names]), times, after,
                    result.status == "finished", message)
