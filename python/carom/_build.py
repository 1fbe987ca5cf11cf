"""Scenes piece by piece. Every method says what an entry of a scene file says, and returns the scene."""

from __future__ import annotations

from typing import Any, Dict, Optional, TypeVar

S = TypeVar("S", bound="Builder")

SHAPES = ("point", "sphere", "disk", "box", "plane", "cylinder", "capsule", "ellipsoid", "hull")
PLACES = ("at", "axis", "points", "scale", "hole")


def _shaped(keys: Dict[str, Any]) -> Dict[str, Any]:
    """sphere=0.1 stands for shape={"sphere": 0.1}; at, axis, points, scale and hole go with it."""
    shape = {key: keys.pop(key) for key in SHAPES if key in keys}
    if shape:
        shape.update({key: keys.pop(key) for key in PLACES if key in keys})
        keys["shape"] = shape
    return keys


def _type_of(keys: Dict[str, Any]) -> str:
    """A body without extent is a point; others move in the plane or in space, as their positions have two components
    or three, or their shapes."""
    if "shape" not in keys and "inertia" not in keys:
        return "point"
    shape = keys.get("shape", {})
    first = shape[0] if isinstance(shape, list) else shape
    extent = keys.get("position", first.get("box"))
    planar = len(extent) == 2 if extent is not None else "disk" in first
    return "planar" if planar else "spatial"


class Builder:
    """What puts a scene together."""

    def _add(self, key: str, value: Any) -> None:
        raise NotImplementedError

    def set(self: S, key: str, value: Any) -> S:
        """Any entry by its dotted key: scene.set("model.beams.rod", {...})."""
        self._add(key, value)
        return self

    def _all(self: S, within: str, entries: Dict[str, Any]) -> S:
        for name, value in entries.items():
            self._add(f"{within}.{name}", value)
        return self

    # ---- the whole scene

    def titled(self: S, title: str) -> S:
        """The title."""
        return self.set("title", title)

    def parameter(self: S, **values: Any) -> S:
        """Parameters: numbers, formulas of others, lists."""
        return self._all("parameters", values)

    def input(self: S, **values: Any) -> S:
        """Inputs, with their values at the start, or signals as formulas of t."""
        return self._all("inputs", values)

    def run(self: S, **keys: Any) -> S:
        """The run: integrator, dt, until, events, ..."""
        return self._all("run", keys)

    def plot(self: S, *panels: str) -> S:
        """What plots show unasked: "x", "x,y", "phi:phi_dot", "*.gap"."""
        return self.set("plot", list(panels))

    # ---- bodies and what acts between them

    def gravity(self: S, *components: Any) -> S:
        """The acceleration that pulls on every body."""
        return self.set("model.gravity", list(components))

    def body(self: S, name: str, type: Optional[str] = None, **keys: Any) -> S:
        """A body: sphere=0.1 (or disk, box, capsule, ...), mass or density, position, velocity, ...

        type is 'point', 'planar' or 'spatial'; without one it follows from shape and position.
        """
        keys = _shaped(keys)
        return self.set(f"model.bodies.{name}", {"type": type or _type_of(keys), **keys})

    def frame(self: S, name: str, **keys: Any) -> S:
        """A frame that rests, or moves by formulas of t: position, rotation, plane=(0, 0, 1) or another shape."""
        return self.set(f"model.frames.{name}", _shaped(keys))

    def joint(self: S, name: str, type: str, first: str, second: str, **keys: Any) -> S:
        """A joint of two bodies: revolute, prismatic, spherical, ..., with at, axis, torque, limits, ..."""
        return self.set(f"model.joints.{name}", {"type": type, "bodies": [first, second], **keys})

    def spring(self: S, name: str, first: str, second: str, **keys: Any) -> S:
        """A spring or damper between two bodies: stiffness, length, damping, points, ..."""
        return self.set(f"model.springs.{name}", {"between": [first, second], **keys})

    def load(self: S, name: str, body: str, **keys: Any) -> S:
        """A force or torque on a body: force, torque, at, frame."""
        return self.set(f"model.loads.{name}", {"body": body, **keys})

    def contact(self: S, name: str, first: Optional[str] = None, second: Optional[str] = None, **keys: Any) -> S:
        """A contact of two bodies, or one by formulas: gap="x - 1", slip=[...]; friction, restitution, law, ..."""
        between = {"between": [first, second]} if first is not None else {}
        return self.set(f"model.contacts.{name}", {**between, **keys})

    # ---- formulas

    def coordinate(self: S, name: str, start: Any = 0, velocity: Any = 0, **keys: Any) -> S:
        """A coordinate of a model by formulas, with its initial state."""
        return self.set(f"model.coordinates.{name}", {"start": start, "velocity": velocity, **keys})

    def kinetic(self: S, energy: Any) -> S:
        """The kinetic energy, a formula of coordinates x and velocities x_dot."""
        return self.set("model.kinetic", energy)

    def potential(self: S, energy: Any) -> S:
        """The potential energy."""
        return self.set("model.potential", energy)

    def dissipation(self: S, function: Any) -> S:
        """The dissipation function, half the power that is lost."""
        return self.set("model.dissipation", function)

    def force(self: S, **forces: Any) -> S:
        """Forces on coordinates: scene.force(x="-c*x_dot")."""
        return self._all("model.forces", forces)

    def define(self: S, **definitions: Any) -> S:
        """Names for formulas."""
        return self._all("model.define", definitions)

    def constraint(self: S, **constraints: Any) -> S:
        """Formulas of positions that stay zero."""
        return self._all("model.constraints", constraints)

    def observe(self: S, **formulas: Any) -> S:
        """Formulas that are recorded."""
        return self._all("model.observe", formulas)

    def draw(self: S, name: str, **keys: Any) -> S:
        """What pictures show of a model by formulas: circle, box, line, ..., at, angle."""
        return self.set(f"model.draw.{name}", keys)
