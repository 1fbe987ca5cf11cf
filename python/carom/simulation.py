"""A simulation: steps of a scene, what can be seen of them and what can be changed between them."""

from __future__ import annotations

import functools
import threading
import weakref
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, MutableMapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _record
from ._library import check, exception, ffi, lib, new_error, number, text, unknown, vector, view, word
from .errors import DataError, Error, UnknownName
from .result import Result

_STATES = {lib.CAROM_OPEN: "open", lib.CAROM_SLIP: "slip", lib.CAROM_STICK: "stick"}
_MOMENTS = {lib.CAROM_BEFORE_STEP: "before", lib.CAROM_AFTER_STEP: "after", lib.CAROM_AT_EVENT: "event"}

_TAKEN = "another thread is using this simulation; copy() gives each thread its own"
_STEPPING = "a callback cannot do this to the simulation that is stepping"


class Event(NamedTuple):
    """Something that happened at a contact within a step. Pairs are before and after."""

    time: float
    contact: str
    kind: str  #: strike, opening, stop, break, thud
    state: Tuple[str, str]
    gap_dot: Tuple[float, float]
    slip: Tuple[Tuple[float, ...], Tuple[float, ...]]
    PN: float  #: percussions, of impacts
    PF: Tuple[float, ...]
    loss: float  #: of kinetic energy


class Contact:
    """A contact of a simulation: its quantities as attributes, gap, gap_dot, slip, PN, PF, loss, and its state."""

    def __init__(self, sim: "Simulation", name: str, index: int):
        self._sim, self._index = sim, index
        self.name = name

    @property
    def state(self) -> str:
        """'open', 'slip' or 'stick'."""
        return _STATES[lib.carom_sim_contact(self._sim._sim, self._index)]

    @property
    def force(self) -> np.ndarray:
        """Normal force, then friction: percussions of the last step over dt."""
        return np.atleast_1d(self._sim[f"{self.name}.force"])

    def __getattr__(self, quantity: str) -> Any:
        try:
            return self._sim[f"{self.name}.{quantity}"]
        except UnknownName as problem:
            raise AttributeError(str(problem)) from None

    def __repr__(self) -> str:
        return f"<carom.Contact '{self.name}': {self.state}>"


class _Values(MutableMapping[str, float]):
    """Parameters or inputs by their names."""

    def __init__(self, what: str, places: Dict[str, int], read: Callable[[int], float],
                 write: Callable[[int, float], None]):
        self._what, self._places, self._read, self._write = what, places, read, write

    def _place(self, name: str) -> int:
        place = self._places.get(name)
        return unknown(self._what, name, self._places) if place is None else place

    def __getitem__(self, name: str) -> float:
        return self._read(self._place(name))

    def __setitem__(self, name: str, value: float) -> None:
        place = self._place(name)
        self._write(place, number(value, f"{self._what} '{name}'"))

    def __delitem__(self, name: str) -> None:
        raise DataError(f"{self._what} '{name}' belongs to the model and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return repr(dict(self))


class _Contacts(Mapping[str, Contact]):
    """Contacts by their names."""

    def __init__(self, contacts: Dict[str, Contact]):
        self._contacts = contacts

    def __getitem__(self, name: str) -> Contact:
        return self._contacts[name] if name in self._contacts else unknown("contact", name, self._contacts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._contacts)

    def __len__(self) -> int:
        return len(self._contacts)

    def __repr__(self) -> str:
        return repr(list(self._contacts.values()))


def _destroy(scene: Any, sim: Any) -> None:
    lib.carom_sim_destroy(sim)


@ffi.def_extern(error=False)
def python_callback(sim: Any, moment: int, event: int, user: Any) -> bool:
    return ffi.from_handle(user)()._called(moment, event)


class Simulation:
    """A scene in motion; Scene.simulation makes one.

    t, q, u     the present state. q and u are arrays that the library owns: they follow the simulation, so keep copies
    sim["E"]    any quantity that a run can record ("ball.x", "table.gap"), or what an element does ("ball.position",
                "wheel.force", "joint.force")
    inputs      sim.inputs["motor"] = 0.3, from the next step on
    parameters  sim.parameters["mu"] = 0.2, likewise; sim.restart() starts again with them
    contacts    sim.contacts["table"].PN, .gap, .state

    A simulation is used by one thread at a time; different ones are independent, and steps release the interpreter.
    """

    def __init__(self, scene: Any):
        model, run, _ = scene._handles()
        found, error = ffi.new("carom_sim **"), new_error()
        self._raising(scene, lib.carom_sim_create(model, run, found, error), error)
        self._take(scene, found[0])

    @staticmethod
    def _raising(scene: Any, status: int, error: Any) -> None:
        """What a function of a model in Python has raised comes first: the library only knows that it was undefined."""
        raised = scene._take_raised()
        if status and raised is not None:
            raise raised
        check(status, error)

    def _take(self, scene: Any, sim: Any) -> None:
        self.scene = scene
        self._sim = ffi.gc(sim, functools.partial(_destroy, scene._owner()))
        self._error = new_error()
        self._lock = threading.RLock()
        self._stepping = False
        self._sensors: Dict[str, Tuple[int, Any, int]] = {}
        self._callback: Optional[Callable[["Simulation", str, Optional[Event]], Any]] = None
        self._handle: Any = None
        self._raised: Optional[BaseException] = None
        self._contacts = _Contacts({name: Contact(self, name, i) for i, name in enumerate(scene.contacts)})
        model = scene._model()
        self._nq, self._nu = model.nq - model.slacks, model.nu - model.slacks
        self._slack = np.zeros(model.slacks)
        self._q = view(lib.carom_sim_q(self._sim), self._nq, self._sim)
        self._u = view(lib.carom_sim_u(self._sim), self._nu, self._sim)
        rows = model.ng + model.ngamma + model.contacts + sum(model.contact[i].slips for i in range(model.contacts))
        self._P = view(lib.carom_sim_percussion(self._sim), rows, self._sim)
        self._parameters = {text(model.parameter_names[i]): i for i in range(model.parameters)}
        self._inputs = {text(model.input_names[i]): i for i in range(model.inputs)}

    # ---- one thread at a time

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Whatever changes the simulation, or uses memory of it."""
        if not self._lock.acquire(blocking=False):
            raise Error(_TAKEN)
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def _between_steps(self) -> Iterator[None]:
        with self._alone():
            if self._stepping:
                raise Error(_STEPPING)
            yield

    # ---- steps

    def step(self) -> None:
        """One step of length dt. If it fails, the state is that before it."""
        if not self._lock.acquire(False):
            raise Error(_TAKEN)
        try:
            if self._stepping:
                raise Error(_STEPPING)
            self._stepping = True
            try:
                status = lib.carom_sim_step(self._sim, self._error)
            finally:
                self._stepping = False
        finally:
            self._lock.release()
        if status:
            self._fail(status)

    def _fail(self, status: int) -> None:
        """What a callback has raised comes first: the library only knows that it was stopped."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        self._raising(self.scene, status, self._error)

    def run(self, until: Optional[float] = None, *, record: bool = True,
            out: Optional[Any] = None, progress: bool = False) -> Result:
        """Steps until the end of the scene's run, or another time, and returns what the scene records on the way.

        record    keep the rows in memory; without, only the last state is kept
        out       also write them to a result file (HDF5), for carom.open, carom plot and carom view
        progress  show a line with the time that is reached
        """
        with self._between_steps():
            end = self.scene._handles()[1].until if until is None else number(until, "until")
            check(lib.carom_sim_set_until(self._sim, end, self._error), self._error)
            return _record.run(self, record, out, progress)

    def restart(self) -> None:
        """Back to the initial state, that of the present parameters; inputs stay."""
        with self._between_steps():
            self._raising(self.scene, lib.carom_sim_restart(self._sim, self._error), self._error)

    # ---- looking

    @property
    def t(self) -> float:
        """The present time."""
        return lib.carom_sim_time(self._sim)

    @property
    def q(self) -> np.ndarray:
        """Positions, in the order of scene.coordinates. Assign to set them."""
        return self._q

    @q.setter
    def q(self, values: Any) -> None:
        self.set_state(q=values)

    @property
    def u(self) -> np.ndarray:
        """Velocities, in the order of scene.velocities. Assign to set them."""
        return self._u

    @u.setter
    def u(self, values: Any) -> None:
        self.set_state(u=values)

    @property
    def percussion(self) -> np.ndarray:
        """Percussions of the last step: of joints, of velocity constraints, normal ones, frictional ones."""
        return self._P

    @property
    def done(self) -> bool:
        """Whether the end of the run is reached."""
        return lib.carom_sim_done(self._sim)

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return lib.carom_sim_steps(self._sim)

    @property
    def dt(self) -> float:
        """The step size."""
        return self.scene._handles()[1].dt

    @property
    def residual(self) -> float:
        """By how much the last step misses its equations, as a velocity."""
        return lib.carom_sim_residual(self._sim)

    @property
    def note(self) -> Optional[str]:
        """What is known before the first step and speaks against the run, in one sentence."""
        note = lib.carom_sim_note(self._sim)
        return text(note) if note else None

    @property
    def quantities(self) -> List[str]:
        """Names of everything that the run can record."""
        return [text(lib.carom_sim_column_name(self._sim, i)) for i in range(lib.carom_sim_columns(self._sim))]

    def __getitem__(self, name: str) -> Union[float, np.ndarray]:
        """A quantity at the present state: a number, or an array where it has several components."""
        with self._alone():
            sensor = self._sensors.get(name) or self._find_sensor(name)
            place, values, count = sensor
            status = lib.carom_sim_sense(self._sim, place, values, self._error)
            if status:
                self._raising(self.scene, status, self._error)
            return values[0] if count == 1 else np.array(ffi.unpack(values, count))

    def _find_sensor(self, name: str) -> Tuple[int, Any, int]:
        place, count = ffi.new("int *"), ffi.new("int *")
        if lib.carom_sim_sensor(self._sim, word(name), place, count, self._error):
            problem = exception(self._error)
            raise UnknownName(problem.message) if isinstance(problem, DataError) else problem
        self._sensors[name] = (place[0], ffi.new("double[]", count[0]), count[0])
        return self._sensors[name]

    @property
    def contacts(self) -> Mapping[str, Contact]:
        """The contacts by their names."""
        return self._contacts

    @property
    def events(self) -> List[Event]:
        """What happened within the last step, where events are located."""
        count = ffi.new("int *")
        events = lib.carom_sim_events(self._sim, count)
        return [self._event(events[i]) for i in range(count[0])]

    def _event(self, e: Any) -> Event:
        model = self.scene._model()
        slips = model.contact[e.contact].slips if e.contact < model.contacts else 2 if e.bodies[0] >= 0 else 0
        return Event(
            time=e.time, contact=_record.event_name(self._sim, e.contact), kind=text(lib.carom_event_kind_name(e.kind)),
            state=(_STATES[e.state[0]], _STATES[e.state[1]]), gap_dot=(e.gap_dot[0], e.gap_dot[1]),
            slip=(tuple(e.slip[0][0:slips]), tuple(e.slip[1][0:slips])), PN=e.PN, PF=tuple(e.PF[0:slips]), loss=e.loss)

    # ---- steering

    @property
    def parameters(self) -> MutableMapping[str, float]:
        """Values of the parameters; another value counts from the next step on, or from the next restart."""
        return _Values("parameter", self._parameters, lambda i: lib.carom_sim_parameter(self._sim, i),
                       self._set_parameter)

    def _set_parameter(self, place: int, value: float) -> None:
        with self._alone():
            check(lib.carom_sim_set_parameter(self._sim, place, value, self._error), self._error)

    @property
    def inputs(self) -> MutableMapping[str, float]:
        """Values of the inputs; another value acts from the next step on."""
        return _Values("input", self._inputs, lambda i: lib.carom_sim_input_value(self._sim, i), self._set_input)

    def _set_input(self, place: int, value: float) -> None:
        with self._alone():
            lib.carom_sim_input(self._sim, place, value)

    def _whole(self, values: np.ndarray) -> Any:
        """Positions or velocities with the slack ones, which are zero."""
        return ffi.from_buffer("double[]", np.concatenate([values, self._slack]))

    def set_state(self, t: Optional[float] = None, q: Any = None, u: Any = None) -> None:
        """Another time, positions, velocities; what is not given stays. Nothing changes if it cannot be."""
        with self._between_steps():
            time = self.t if t is None else number(t, "t")
            positions = ffi.NULL if q is None else self._whole(vector(q, self._nq, "q"))
            velocities = ffi.NULL if u is None else self._whole(vector(u, self._nu, "u"))
            status = lib.carom_sim_set_state(self._sim, time, positions, velocities, self._error)
            self._raising(self.scene, status, self._error)

    def on_step(self, callback: Optional[Callable[["Simulation", str, Optional[Event]], Any]]) -> None:
        """Calls callback(sim, moment, event) before and after every step, and after it for each of its events.

        moment is 'before', 'after' or 'event'. The callback may look, set inputs and, before a step, parameters. If it
        returns False, the run stops with carom.Stopped; if it raises, the run stops and the exception arrives
        unchanged. None: no callback.
        """
        if callback is not None and not callable(callback):
            raise DataError(f"a callback is a function of the simulation, a moment and an event, not {callback!r}")
        with self._between_steps():
            self._callback = callback
            self._handle = ffi.new_handle(weakref.ref(self)) if callback else ffi.NULL
            lib.carom_sim_set_callback(self._sim, lib.python_callback if callback else ffi.NULL, self._handle)

    def _called(self, moment: int, event: int) -> bool:
        try:
            assert self._callback is not None
            told = self.events[event] if event >= 0 else None
            return self._callback(self, _MOMENTS[moment], told) is not False
        except BaseException as problem:
            self._raised = self._raised or problem
            return False

    # ---- copies and states

    def copy(self) -> "Simulation":
        """One more simulation in the same state. Both go on with the same bits, and each on its own."""
        with self._between_steps():
            found = ffi.new("carom_sim **")
            check(lib.carom_sim_copy(self._sim, found, self._error), self._error)
        other = Simulation.__new__(Simulation)
        other._take(self.scene, found[0])
        other.on_step(self._callback)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Simulation":
        return self.copy()

    @property
    def state(self) -> np.ndarray:
        """Everything that the coming steps depend on, for restore(): the parameters, too. As a copy does, it makes the
        solver forget what it remembers beyond the state, so that both go on with the same bits."""
        with self._between_steps():
            lib.carom_sim_forget(self._sim)
            state = np.empty(lib.carom_sim_state_size(self._sim))
            lib.carom_sim_save(self._sim, ffi.from_buffer("double[]", state))
            return state

    def restore(self, state: Any) -> None:
        """Goes back to a state that this simulation, or another one of the same scene, was in, with its parameters."""
        try:
            values = np.ascontiguousarray(state, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"a state must be numbers, not {state!r}") from None
        size = lib.carom_sim_state_size(self._sim)
        if values.shape != (size,):
            raise DataError(f"a state of this simulation has {size} numbers, the shape given is {values.shape}")
        with self._between_steps():
            error = new_error()
            check(lib.carom_sim_load(self._sim, ffi.from_buffer("double[]", values), error), error)

    def save(self, path: Any) -> None:
        """Writes scene and state to a file (NumPy's npz), for Simulation.load."""
        scene, name, state = self._kept()
        with open(path, "wb") as file:
            np.savez(file, format="carom simulation 1", scene=scene, name=name, state=state)

    @classmethod
    def load(cls, path: Any) -> "Simulation":
        """The simulation that save() wrote; it goes on with the same bits."""
        with open(path, "rb") as file:
            try:
                kept = np.load(file, allow_pickle=False)
                if str(kept["format"]) != "carom simulation 1":
                    raise ValueError
                scene, name, state = str(kept["scene"]), str(kept["name"]), kept["state"]
            except (ValueError, KeyError, EOFError, OSError, TypeError):
                raise DataError("it holds no simulation that Simulation.save wrote", file=str(path)) from None
            return _restored(scene, name, state)

    def __reduce__(self) -> Any:
        return _restored, self._kept()

    def _kept(self) -> Tuple[str, str, np.ndarray]:
        if self.scene._handles()[2] == ffi.NULL:
            raise DataError("a simulation of a model in Python cannot be saved: its functions are not data")
        return self.scene.to_yaml(), self.scene._name, self.state

    def __repr__(self) -> str:
        return f"<carom.Simulation of '{self.scene.title or self.scene._name}' at t = {self.t:.6g}>"


def _restored(yaml: str, name: str, state: np.ndarray) -> Simulation:
    from .scene import Scene

    sim = Simulation(Scene.parse(yaml, name))
    sim.restore(state)
    return sim
