"""Scenes: a model and a run of it, from a file, a dict or text."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _yaml
from ._build import Builder
from ._library import check, exception, ffi, lib, new_error, path_word, text, unknown, word
from .errors import DataError, Error
from .simulation import Simulation


_EFFECTIVE = " (effective)"


class Finding(NamedTuple):
    """What the check of a scene has found."""

    fatal: bool  #: a run cannot be trusted
    size: float  #: how far off, in the units of the quantity
    text: str


def _overrides(settings: Mapping[str, Any]) -> List[Any]:
    """key=value for the library."""
    return [ffi.new("char[]", word(f"{key}={_yaml.value(value, key)}")) for key, value in settings.items()]


def _settings(settings: Optional[Mapping[str, Any]], parameters: Mapping[str, Any]) -> Dict[str, Any]:
    return {**(settings or {}), **{f"parameters.{name}": value for name, value in parameters.items()}}


def load(path: Union[str, "os.PathLike[str]"], set: Optional[Mapping[str, Any]] = None, **parameters: Any) -> "Scene":
    """Reads a scene file. Parameters get other values by keyword, any entry by its dotted key:

        carom.load("scene.yaml", mu=0.3)
        carom.load("scene.yaml", set={"run.dt": 1e-4, "model.contacts.wall.restitution": 0})
    """
    keys = _overrides(_settings(set, parameters))
    found, error = ffi.new("carom_scene **"), new_error()
    check(lib.carom_scene_load(path_word(path), keys, len(keys), found, error), error)
    return Scene._of(found[0], os.fsdecode(path))


class Scene(Builder):
    """A model and a run of it, in the words of a scene file (docs/guide/scene.md).

        carom.Scene({"model": {"coordinates": {"x": {"start": 1}}, "kinetic": "x_dot^2/2", "potential": "x^2/2"},
                     "run": {"integrator": "rattle", "dt": 1e-2, "until": 1}})

    Numbers may be NumPy's, formulas are strings or SymPy's expressions. The same piece by piece:

        carom.Scene().coordinate("x", start=1).kinetic("x_dot^2/2").potential("x^2/2").run(dt=1e-2, until=1)

    carom.load reads files, Scene.parse text.
    """

    def __init__(self, entries: Optional[Mapping[str, Any]] = None, *, name: str = "scene", **parameters: Any):
        if entries is not None and not isinstance(entries, Mapping):
            raise DataError(f"a scene is a dict of its entries, not {entries!r}; carom.load reads files, Scene.parse text")
        self._name = name
        self._entries: List[Tuple[str, Any]] = [
            (key, value) for key, value in _yaml.entries(entries or {}) if key != "carom"]
        known = {key[len("parameters."):] for key, _ in self._entries if key.startswith("parameters.")}
        for parameter in parameters if known else ():
            if parameter not in known and "extends" not in (entries or {}):
                unknown("parameter", parameter, sorted(known))
        self._entries += _settings(None, parameters).items()
        self._handle: Any = None

    @classmethod
    def _of(cls, handle: Any, name: str) -> "Scene":
        scene = cls.__new__(cls)
        scene._name, scene._entries = name, []
        scene._handle = ffi.gc(handle, lib.carom_scene_destroy)
        return scene

    @classmethod
    def parse(cls, yaml: str, name: str = "scene", set: Optional[Mapping[str, Any]] = None,
              **parameters: Any) -> "Scene":
        """A scene from the text of a scene file; name stands for the file in errors."""
        if not isinstance(yaml, str):
            raise DataError(f"the text of a scene must be a string, not {yaml!r}")
        keys = _overrides(_settings(set, parameters))
        found, error, data = ffi.new("carom_scene **"), new_error(), yaml.encode(errors="surrogateescape")
        check(lib.carom_scene_parse(data, len(data), word(name), keys, len(keys), found, error), error)
        return cls._of(found[0], name)

    def _built(self) -> Any:
        """The library's scene, put together where that has not been done yet."""
        if self._handle is None:
            sketch = ffi.gc(lib.carom_sketch_create(word(self._name)), lib.carom_sketch_destroy)
            for key, value in [*self._missing(), *self._entries]:
                lib.carom_sketch_add(sketch, b"%s", ffi.new("char[]", word(f"{key}={_yaml.value(value, key)}")))
            found, error = ffi.new("carom_scene **"), new_error()
            if lib.carom_sketch_scene(sketch, found, error):
                raise exception(error, self._name)
            self._handle = ffi.gc(found[0], lib.carom_scene_destroy)
        return self._handle

    def _missing(self) -> List[Tuple[str, Any]]:
        """What the entries do not say of the run: the library's own choice."""
        run, said = lib.carom_run_default(), {key for key, value in self._entries}
        choice = {"run.integrator": text(run.integrator), "run.dt": run.dt, "run.until": run.until}
        return [] if "run" in said else [(key, value) for key, value in choice.items() if key not in said]

    def _add(self, key: str, value: Any) -> None:
        if self._handle is not None and not self._entries:
            raise DataError("a scene from a file or text is changed by replace(); Scene() is put together by entries")
        self._entries.append((key, value))
        self._handle = None

    def _owner(self) -> Any:
        """What must live as long as a simulation."""
        return self._built()

    def _handles(self) -> Tuple[Any, Any, Any]:
        """Model, run, and the scene that recordings ask."""
        scene = self._built()
        return self._model_handle(), lib.carom_scene_run(scene), scene

    def _model_handle(self) -> Any:
        return lib.carom_scene_model(self._built())

    def _take_raised(self) -> Optional[BaseException]:
        """What a function of Python has raised that the library has called: a scene calls none."""
        return None

    def _every(self) -> int:
        return lib.carom_scene_every(self._built())

    def _panels(self) -> List[str]:
        scene = self._built()
        return [text(lib.carom_scene_plot(scene, i)) for i in range(lib.carom_scene_plots(scene))]

    def _model(self) -> Any:
        return lib.carom_model_get(self._model_handle())

    def _names(self, what: str, count: int) -> List[str]:
        names = getattr(self._model(), what)
        return [text(names[i]) for i in range(count)]

    @property
    def title(self) -> str:
        """The title of the scene."""
        return text(lib.carom_scene_title(self._built()))

    @property
    def coordinates(self) -> List[str]:
        """Names of the positions q."""
        return self._names("q_names", self._model().nq - self._model().slacks)

    @property
    def velocities(self) -> List[str]:
        """Names of the velocities u."""
        return self._names("u_names", self._model().nu - self._model().slacks)

    @property
    def contacts(self) -> List[str]:
        """Names of the contacts."""
        model = self._model()
        return [text(model.contact[i].name) for i in range(model.contacts)]

    @property
    def inputs(self) -> List[str]:
        """Names of the inputs."""
        return self._names("input_names", self._model().inputs)

    @property
    def parameters(self) -> Dict[str, float]:
        """The parameters and their values."""
        scene, value = self._built(), ffi.new("double *")
        return {text(lib.carom_scene_parameter(scene, i, value)): value[0]
                for i in range(lib.carom_scene_parameters(scene))}

    def check(self) -> List[Finding]:
        """Compares every derivative with differences and looks at the initial state. An empty list: all is well."""
        found = ffi.new("carom_finding[64]")
        count = lib.carom_model_check(self._model_handle(), found, 64)
        raised = self._take_raised()
        if raised is not None:
            raise raised
        return [Finding(found[i].fatal, found[i].size, text(found[i].text)) for i in range(min(count, 64))]

    def to_yaml(self) -> str:
        """The scene as the text of a scene file, with everything that it extends and that was set."""
        return text(lib.carom_scene_text(self._built()))

    def _drawn(self) -> str:
        """The text that results keep, for pictures."""
        return text(lib.carom_scene_text(self._built()))

    def replace(self, set: Optional[Mapping[str, Any]] = None, **parameters: Any) -> "Scene":
        """The same scene with other values of parameters, or of entries by their dotted keys."""
        # Lines in errors are those of to_yaml().
        name = self._name if self._name.endswith(_EFFECTIVE) else self._name + _EFFECTIVE
        return Scene.parse(self.to_yaml(), name, _settings(set, parameters))

    def with_force(self, force: Callable[..., Any], on: Union[str, Sequence[str]], *,
                   of: Union[str, Sequence[str], None] = None, force_q: Optional[Callable[..., Any]] = None,
                   force_u: Optional[Callable[..., Any]] = None) -> "Scene":
        """The same scene with a force by a function of Python, called at every evaluation, many times in a step:

            pulled = scene.with_force(lambda t, q, u: -3*q[0] - 0.2*u[0], on="x")

        force    force(t, q, u): a number for each name in on; q and u as sim.q and sim.u
        on       velocities that it acts on, "x_dot", or coordinates whose rates they are, "x"
        of       coordinates and velocities that it depends on; None: all
        force_q  force_q(t, q, u): its derivative by q, a row for each name in on, and force_u that by u; what is not given
                 is taken by differences, two calls for each coordinate or velocity in of

        It should be smooth: jumps and kinks are found in formulas only. What needs to be known once a step is faster and
        simpler with Simulation.on_step and an input. A scene with such a force is no data: it cannot be pickled, and
        studies and gradients refuse it.
        """
        from ._forced import Force, ForcedScene

        return ForcedScene(self, Force(force, on, of, force_q, force_u))

    def simulation(self, **run: Any) -> Simulation:
        """A simulation of the scene. Keywords are those of 'run' in a scene:

            scene.simulation(integrator="lobatto", stages=3, events="locate", dt=1e-2, until=5)

        Of a scene that is put together here, integrator, dt and until are 'rattle', 1e-3 and 1 unless said otherwise.
        """
        return Simulation(self._with_run(run) if run else self)

    def _with_run(self, run: Mapping[str, Any]) -> "Scene":
        keys = {f"run.{key}": value for key, value in run.items()}
        if not self._entries:
            return self.replace(keys)
        scene = Scene(name=self._name)
        scene._entries = [*self._entries, *keys.items()]
        return scene

    def __reduce__(self) -> Any:
        return Scene.parse, (self.to_yaml(), self._name)

    def __repr__(self) -> str:
        try:
            names = self.coordinates
            return f"<carom.Scene '{self.title or self._name}': {', '.join(names[:6])}{', ...' * (len(names) > 6)}>"
        except Error:
            return f"<carom.Scene '{self._name}'>"
