"""Scenes with a force by a function of Python."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np

from ._calls import Calls, Function, difference, shaped
from ._library import check, ffi, lib, new_error, unknown
from .errors import DataError
from .scene import Scene

Names = Union[str, Sequence[str]]


class Force(NamedTuple):
    """The arguments of Scene.with_force."""

    force: Function
    on: Names
    of: Optional[Names]
    force_q: Optional[Function]
    force_u: Optional[Function]


def _listed(names: Names, what: str) -> List[str]:
    if isinstance(names, str):
        return [names]
    try:
        return [str(name) for name in names]
    except TypeError:
        raise DataError(f"{what} must be a name or a list of names, not {names!r}") from None


class ForcedScene(Scene):
    """What Scene.with_force returns: the scene, and a force that the library asks Python for."""

    def __init__(self, scene: Scene, force: Force):
        for name, function in zip(("force", "force_q", "force_u"), (force.force, force.force_q, force.force_u)):
            if not callable(function) and (function is not None or name == "force"):
                raise DataError(f"{name} must be a function of t, q and u, not {function!r}")
        self._scene, self._force, self._calls = scene, force, Calls()
        self._name, self._entries, self._handle = scene._name, [], scene._built()
        self._n = len(scene.coordinates), len(scene.velocities)
        self._on = [self._velocity(name) for name in _listed(force.on, "on")]
        self._reads = self._dependence()
        self._try()
        self._forced, self._keep = self._create()

    # ---- names

    def _velocity(self, name: str) -> int:
        """A velocity by its name, or by that of the coordinate whose rate it is."""
        known = self._scene.velocities
        return known.index(name) if name in known else (
            known.index(f"{name}_dot") if f"{name}_dot" in known else unknown("velocity", name, known))

    def _dependence(self) -> Tuple[List[int], List[int]]:
        """Positions and velocities that the force depends on."""
        q, u = self._scene.coordinates, self._scene.velocities
        if self._force.of is None:
            return list(range(len(q))), list(range(len(u)))
        names = _listed(self._force.of, "of")
        for name in names:
            if name not in q and name not in u:
                unknown("coordinate or velocity", name, [*q, *u])
        return [q.index(name) for name in names if name in q], [u.index(name) for name in names if name in u]

    # ---- the function and its derivatives

    def _f(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return shaped(self._force.force(t, q, u), (len(self._on),), "force")

    def _derivative(self, name: str, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """By q or by u: what is given, or differences, by what it depends on."""
        by_q, x = name == "force_q", q if name == "force_q" else u
        function, of = getattr(self._force, name), self._reads[0 if by_q else 1]
        if function is not None:
            return shaped(function(t, q, u), (len(self._on), len(x)), name)[:, of]

        def moved(values: np.ndarray) -> np.ndarray:
            at = x.copy()
            at[of] = values
            return self._f(t, at, u) if by_q else self._f(t, q, at)

        return difference(moved, x[of]) if of else np.empty((len(self._on), 0))

    def _try(self) -> None:
        """Every function once, at the start: what is wrong with it is told here."""
        model = self._scene._model()
        q, u = (np.array(ffi.unpack(values, n)) for values, n in zip((model.q0, model.u0), self._n))
        self._f(model.t0, q.copy(), u.copy())
        for name in ("force_q", "force_u"):
            if getattr(self._force, name) is not None:
                self._derivative(name, model.t0, q.copy(), u.copy())

    # ---- the library's model

    def _create(self) -> Tuple[Any, List[Any]]:
        me = ffi.new_handle(self)
        on, of_q, of_u = (ffi.new("int[]", places or [0]) for places in (self._on, *self._reads))
        given = self._force.force_q is not None or self._force.force_u is not None
        force = ffi.new("carom_force_def *", {
            "count": len(self._on), "on": on, "of_q_count": len(self._reads[0]), "of_u_count": len(self._reads[1]), "of_q": of_q,
            "of_u": of_u, "context": me, "force": lib.python_program_force,
            "derivative": lib.python_program_derivative if given else ffi.NULL})
        found, error = ffi.new("carom_model **"), new_error()
        check(lib.carom_model_with_force(self._scene._model_handle(), force, found, error), error)
        forced = ffi.gc(found[0], lib.carom_model_destroy)
        raised = self._take_raised()  # the library has asked for the force at the start
        if raised is not None:
            raise raised
        return forced, [me]

    def _model_handle(self) -> Any:
        return self._forced

    def _owner(self) -> Any:
        return self

    def _take_raised(self) -> Optional[BaseException]:
        return self._calls.take_raised() or self._scene._take_raised()

    # ---- the same with other values

    def replace(self, set: Optional[Mapping[str, Any]] = None, **parameters: Any) -> Scene:
        return ForcedScene(self._scene.replace(set, **parameters), self._force)

    def _with_run(self, run: Mapping[str, Any]) -> Scene:
        return ForcedScene(self._scene._with_run(run), self._force)

    def _add(self, key: str, value: Any) -> None:
        raise DataError("a scene with a force by a function stays as it is; with_force comes last, after all entries")

    # ---- what it is not: data

    def _drawn(self) -> str:
        on = ", ".join(self._scene.velocities[i] for i in self._on)
        return f"# not said here: a force on {on} by a function of Python\n{self._scene._drawn()}"

    def to_yaml(self) -> str:
        self._refuse()

    def __reduce__(self) -> Any:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise DataError("a force by a function of Python is not data: such a scene has no text, is not pickled or saved, "
                        "and the commands behind the studies cannot call it; write the force as a formula for that")


@ffi.def_extern(error=1)
def python_program_force(handle: Any, t: float, q: Any, u: Any, f: Any) -> int:
    me = ffi.from_handle(handle)
    return me._calls.fill([(q, me._n[0]), (u, me._n[1])], (f, lambda q, u: me._f(t, q, u)))


@ffi.def_extern(error=1)
def python_program_derivative(handle: Any, t: float, q: Any, u: Any, f_q: Any, f_u: Any) -> int:
    me = ffi.from_handle(handle)
    return me._calls.fill([(q, me._n[0]), (u, me._n[1])], (f_q, lambda q, u: me._derivative("force_q", t, q, u)),
                          (f_u, lambda q, u: me._derivative("force_u", t, q, u)))
