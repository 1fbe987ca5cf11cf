"""Models whose equations are functions in Python."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._calls import Calls, Function, difference, shaped
from ._library import check, ffi, lib, new_error, number, text, vector, word
from .errors import DataError
from .scene import Finding
from .simulation import Simulation

class Model:
    """A mechanical system by functions of Python, for what formulas cannot say:

        M(t,q) u_dot = h(t,q,u) + forces of contacts and constraints,   q_dot = u

    q0, u0      the initial state; u0 is 0 unless given
    mass        M, an array, or a function mass(t, q)
    force       force(t, q, u): h; its derivatives force_q(t, q, u), force_u(t, q, u)
    contacts    names, or dicts with name, slips (0, 1 or 2), friction, restitution
    gap         gap(t, q): one number for each contact, not negative; gap_q(t, q) its derivative, a row for each
    slip_u      slip_u(t, q): rows that give the slips as slip_u @ u, contact by contact
    constraint  constraint(t, q): stays 0; constraint_q(t, q) its derivative
    energy      energy(t, q, u): kinetic and potential energy, to be recorded

    Functions of t get its value, gap_t and constraint_t tell how what they concern moves by itself. A derivative that is
    not given is taken by differences, which costs two calls for each coordinate; check() compares those that are given.
    Every function is called many times in a step; a model by formulas is faster by a factor of a hundred.
    """

    title = ""
    _name = "model"

    def __init__(self, q0: Any, u0: Any = None, *, mass: Any, force: Function, force_q: Optional[Function] = None,
                 force_u: Optional[Function] = None, mass_q: Optional[Function] = None, contacts: Sequence[Any] = (),
                 gap: Optional[Function] = None, gap_q: Optional[Function] = None, gap_t: Optional[Function] = None,
                 slip_u: Optional[Function] = None, constraint: Optional[Function] = None,
                 constraint_q: Optional[Function] = None, constraint_t: Optional[Function] = None,
                 energy: Optional[Function] = None, names: Optional[Sequence[str]] = None, t0: float = 0.0):
        self._n = len(np.atleast_1d(q0))
        self._q0 = vector(np.atleast_1d(q0), self._n, "q0")
        self._u0 = np.zeros(self._n) if u0 is None else vector(np.atleast_1d(u0), self._n, "u0")
        self._t0 = number(t0, "t0")
        if not isinstance(contacts, (list, tuple)) or not all(isinstance(c, (str, dict)) for c in contacts):
            raise DataError(f"contacts must be a list of names or dicts, not {contacts!r}")
        self._contacts: List[Dict[str, Any]] = [{"name": c} if isinstance(c, str) else dict(c) for c in contacts]
        self._slips = sum(int(c.get("slips", 0)) for c in self._contacts)
        self._functions: Dict[str, Any] = {
            "force": force, "force_q": force_q, "force_u": force_u, "mass_q": mass_q, "gap": gap, "gap_q": gap_q,
            "gap_t": gap_t, "slip_u": slip_u, "constraint": constraint, "constraint_q": constraint_q,
            "constraint_t": constraint_t, "energy": energy, "mass": mass if callable(mass) else None}
        self._mass = None if callable(mass) else shaped(mass, (self._n, self._n), "mass")
        self._names = list(names) if names is not None else [f"q{i + 1}" for i in range(self._n)]
        self._calls = Calls()
        self._check_arguments()
        self._ng = 0 if constraint is None else len(np.atleast_1d(constraint(self._t0, self._q0.copy())))
        self._try()
        self._handle, self._keep = self._create()

    # ---- the functions, with their derivatives

    def _value(self, name: str, shape: Tuple[int, ...], *arguments: Any) -> np.ndarray:
        return shaped(self._functions[name](*arguments), shape, name)

    def _M(self, t: float, q: np.ndarray) -> np.ndarray:
        return self._mass if self._mass is not None else self._value("mass", (self._n, self._n), t, q)

    def _M_q(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self._functions["mass_q"]:
            return self._value("mass_q", (self._n, self._n), t, q, v)
        return difference(lambda x: self._M(t, x) @ v, q)

    def _h(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self._value("force", (self._n,), t, q, u)

    def _h_q(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        if self._functions["force_q"]:
            return self._value("force_q", (self._n, self._n), t, q, u)
        return difference(lambda x: self._h(t, x, u), q)

    def _h_u(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        if self._functions["force_u"]:
            return self._value("force_u", (self._n, self._n), t, q, u)
        return difference(lambda x: self._h(t, q, x), u)

    def _parts(self) -> List[Tuple[str, int]]:
        return [part for part in (("constraint", self._ng), ("gap", len(self._contacts))) if part[1]]

    def _rows(self) -> int:
        return self._ng + len(self._contacts) + self._slips

    def _c(self, t: float, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self._value(part, (count,), t, q) for part, count in self._parts()])

    def _c_q(self, t: float, q: np.ndarray) -> np.ndarray:
        return np.concatenate([
            self._value(f"{part}_q", (count, self._n), t, q) if self._functions[f"{part}_q"]
            else difference(lambda x: self._value(part, (count,), t, x), q) for part, count in self._parts()])

    def _chi(self, t: float, q: np.ndarray) -> np.ndarray:
        moves = [self._value(f"{part}_t", (count,), t, q) if self._functions[f"{part}_t"] else np.zeros(count)
                 for part, count in self._parts()]
        return np.concatenate([*moves, np.zeros(self._slips)])

    def _WT(self, t: float, q: np.ndarray) -> np.ndarray:
        rows = self._c_q(t, q)
        return np.concatenate([rows, self._value("slip_u", (self._slips, self._n), t, q)]) if self._slips else rows

    def _s(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self._WT(t, q) @ u + self._chi(t, q)

    def _zeta(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        step = 6e-6 * max(1.0, abs(t))
        return ((self._s(t + step, q, u) - self._s(t - step, q, u)) / (2 * step)
                + difference(lambda x: self._s(t, x, u), q) @ u)

    # ---- the library's model

    def _check_arguments(self) -> None:
        for name, function in self._functions.items():
            if function is not None and not callable(function):
                raise DataError(f"{name} must be a function, not {function!r}")
        for what, names in (("names", self._names), ("names of contacts", [c.get("name", "") for c in self._contacts])):
            if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
                raise DataError(f"{what} must be texts that differ, not {names!r}")
        if len(self._names) != self._n:
            raise DataError(f"names must be {self._n}, there are {len(self._names)}")
        if bool(self._contacts) != (self._functions["gap"] is not None):
            raise DataError("contacts and gap belong together")
        if bool(self._slips) != (self._functions["slip_u"] is not None):
            raise DataError("contacts with slips and slip_u belong together")
        known = {"name", "slips", "friction", "restitution", "tangential_restitution"}
        for contact in self._contacts:
            if not known.issuperset(contact) or "name" not in contact:
                raise DataError(f"a contact has name, slips, friction, restitution and tangential_restitution: {contact}")

    def _try(self) -> None:
        """Every function once, with its shape."""
        t, q, u = self._t0, self._q0.copy(), self._u0.copy()
        self._M(t, q), self._h(t, q, u), self._h_q(t, q, u), self._h_u(t, q, u)
        if self._parts():
            self._c(t, q), self._s(t, q, u)
        if self._functions["energy"]:
            self._value("energy", (2,), t, q, u)

    def _create(self) -> Tuple[Any, List[Any]]:
        d = ffi.new("carom_model_def *", lib.carom_model_default())
        me = ffi.new_handle(self)
        words = {name: ffi.new("char[]", word(name)) for name in
                 [*self._names, *(f"{name}_dot" for name in self._names), *(c["name"] for c in self._contacts)]}
        q_names = ffi.new("char *[]", [words[name] for name in self._names])
        u_names = ffi.new("char *[]", [words[f"{name}_dot"] for name in self._names])
        contacts = ffi.new("carom_model_contact[]", max(1, len(self._contacts)))
        for to, contact in zip(contacts, self._contacts):
            to.name, to.slips = words[contact["name"]], int(contact.get("slips", 0))
            to.friction = number(contact.get("friction", 0), "friction")
            to.restitution = number(contact.get("restitution", 0), "restitution")
            to.tangential_restitution = number(contact.get("tangential_restitution", 0), "tangential_restitution")
        d.nq = d.nu = self._n
        d.ng, d.contacts, d.contact = self._ng, len(self._contacts), contacts
        d.q_names, d.u_names, d.t0, d.context = q_names, u_names, self._t0, me
        d.q0, d.u0 = ffi.from_buffer("double[]", self._q0), ffi.from_buffer("double[]", self._u0)
        d.mass, d.force = lib.python_mass, lib.python_force
        d.mass_q = lib.python_mass_q if self._mass is None else ffi.NULL
        if self._parts():
            d.position, d.velocity = lib.python_position, lib.python_velocity
            d.velocity_rate, d.direction_q = lib.python_velocity_rate, lib.python_direction_q
        d.energy = lib.python_energy if self._functions["energy"] else ffi.NULL
        d.rheonomic = any(self._functions[name] for name in ("gap_t", "constraint_t"))
        found, error = ffi.new("carom_model **"), new_error()
        check(lib.carom_model_create(d, found, error), error)
        return ffi.gc(found[0], lib.carom_model_destroy), [me, words, q_names, u_names, contacts, d]

    def _model(self) -> Any:
        return lib.carom_model_get(self._handle)

    def __reduce__(self) -> Any:
        raise DataError("a model in Python cannot be pickled: its functions are not data")

    # ---- what a model is for

    @property
    def coordinates(self) -> List[str]:
        """Names of the positions q."""
        return list(self._names)

    @property
    def velocities(self) -> List[str]:
        """Names of the velocities u."""
        return [f"{name}_dot" for name in self._names]

    @property
    def contacts(self) -> List[str]:
        """Names of the contacts."""
        return [contact["name"] for contact in self._contacts]

    def check(self) -> List[Finding]:
        """Compares the derivatives that are given with differences and looks at the initial state."""
        found = ffi.new("carom_finding[64]")
        count = lib.carom_model_check(self._handle, found, 64)
        raised = self._calls.take_raised()
        if raised is not None:
            raise raised
        return [Finding(found[i].fatal, found[i].size, text(found[i].text)) for i in range(min(count, 64))]

    def simulation(self, integrator: str = "rattle", dt: float = 1e-3, until: float = 1.0,
                   tolerance: Optional[float] = None, **options: Any) -> Simulation:
        """A simulation of the model; options are those of the integrator: events="locate", stages=3."""
        run = ffi.new("carom_run_def *", lib.carom_run_default())
        keep: List[Any] = [ffi.new("char[]", str(integrator).encode())]
        run.integrator, run.dt, run.until = keep[0], number(dt, "dt"), number(until, "until")
        if tolerance is not None:
            run.tolerance = number(tolerance, "tolerance")
        given = ffi.new("carom_option[]", max(1, len(options)))
        for to, (name, value) in zip(given, options.items()):
            keep.append(ffi.new("char[]", name.encode()))
            to.name = keep[-1]
            if isinstance(value, str):
                keep.append(ffi.new("char[]", value.encode()))
                to.text = keep[-1]
            else:
                to.number = number(value, name)
        run.options, run.option_count = given, len(options)
        return Simulation(_Run(self, run, [keep, given]))


class _Run:
    """A model with a run, in the place of a scene."""

    def __init__(self, model: Model, run: Any, keep: List[Any]):
        self.model, self._run, self._keep = model, run, keep
        self.title, self._name = model.title, model._name
        self.coordinates, self.velocities, self.contacts = model.coordinates, model.velocities, model.contacts

    def _owner(self) -> Any:
        return self

    def _handles(self) -> Tuple[Any, Any, Any]:
        return self.model._handle, self._run, ffi.NULL

    def _with_events(self) -> List[str]:
        return self.contacts

    def _every(self) -> int:
        return 1

    def _panels(self) -> List[str]:
        return []

    def _model(self) -> Any:
        return self.model._model()

    def _take_raised(self) -> Optional[BaseException]:
        return self.model._calls.take_raised()

    def _drawn(self) -> str:
        return ""


@ffi.def_extern(error=1)
def python_mass(handle: Any, t: float, q: Any, M: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n)], (M, lambda q: m._M(t, q)))


@ffi.def_extern(error=1)
def python_mass_q(handle: Any, t: float, q: Any, v: Any, Mv_q: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (v, m._n)], (Mv_q, lambda q, v: m._M_q(t, q, v)))


@ffi.def_extern(error=1)
def python_force(handle: Any, t: float, q: Any, u: Any, h: Any, h_q: Any, h_u: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (u, m._n)], (h, lambda q, u: m._h(t, q, u)), (h_q, lambda q, u: m._h_q(t, q, u)),
                        (h_u, lambda q, u: m._h_u(t, q, u)))


@ffi.def_extern(error=1)
def python_position(handle: Any, t: float, q: Any, c: Any, c_q: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n)], (c, lambda q: m._c(t, q)), (c_q, lambda q: m._c_q(t, q)))


@ffi.def_extern(error=1)
def python_velocity(handle: Any, t: float, q: Any, u: Any, s: Any, WT: Any, s_q: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (u, m._n)], (s, lambda q, u: m._s(t, q, u)), (WT, lambda q, u: m._WT(t, q)),
                        (s_q, lambda q, u: difference(lambda x: m._s(t, x, u), q)))


@ffi.def_extern(error=1)
def python_velocity_rate(handle: Any, t: float, q: Any, u: Any, zeta: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (u, m._n)], (zeta, lambda q, u: m._zeta(t, q, u)))


@ffi.def_extern(error=1)
def python_direction_q(handle: Any, t: float, q: Any, r: Any, Wr_q: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (r, m._rows())], (Wr_q, lambda q, r: difference(lambda x: m._WT(t, x).T @ r, q)))


@ffi.def_extern(error=1)
def python_energy(handle: Any, t: float, q: Any, u: Any, T: Any, V: Any) -> int:
    m = ffi.from_handle(handle)
    return m._calls.fill([(q, m._n), (u, m._n)], (T, lambda q, u: m._value("energy", (2,), t, q, u)[:1]),
                        (V, lambda q, u: m._value("energy", (2,), t, q, u)[1:]))
