"""Periodic motions: the command orbit as functions that return data."""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from ._library import number
from ._program import call
from .result import Table
from .scene import Scene
from .study import options, scene_file, table


class Orbit(NamedTuple):
    """What orbit returns."""

    period: float
    multipliers: np.ndarray  #: complex, the largest first
    residual: float  #: by how much the motion misses its start after a period
    state: Dict[str, float]  #: at t, by the names of coordinates and velocities
    events: int  #: in a period
    t: float

    @property
    def stable(self) -> bool:
        """Whether all multipliers are smaller than one: what deviates a little comes back."""
        return bool((np.abs(self.multipliers) < 1).all())


def orbit(scene: Scene, period: Optional[str] = None, section: Optional[str] = None, **given: Any) -> Orbit:
    """A periodic motion near the one that the scene leads to, stable or not, as 'carom orbit' finds it.

        carom.orbit(scene, period="2*pi/w", after=1).multipliers

    period: a formula of parameters, where it is known. section: a formula of quantities that passes zero upwards where a
    period begins. Other keywords are options of the command: modulo, after, shots.
    """
    with scene_file(scene) as path:
        found = json.loads(call("orbit", path, "--json", *options(period=period, section=section, **given)))
    found["multipliers"] = np.array([complex(*parts) for parts in found["multipliers"]])
    return Orbit(**found)


def branches(scene: Scene, parameter: str, begin: float, end: float, period: Optional[str] = None,
             section: Optional[str] = None, **given: Any) -> Table:
    """The periodic motions as a parameter changes, as 'carom orbit --continue' follows them: one row for each point, with
    its branch, the state, multipliers, and in the column kind what happens there: 'fold', 'flip', ...

        points = carom.branches(scene, "A", 0.027, 0.045, period="2*pi/w", after=1, doublings=3)

    Keywords are those of orbit, and doublings and points.
    """
    along = f"{parameter}={number(begin, 'begin')!r}..{number(end, 'end')!r}"
    with scene_file(scene) as path:
        file = path.with_name("branches.csv")
        call("orbit", path, "--continue", along, "--csv", file, *options(period=period, section=section, **given))
        return table(file)
