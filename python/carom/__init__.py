"""carom: nonsmooth mechanics. Bodies that strike, bounce, slide, stick and roll.

    import carom

    scene = carom.load("pendulum.yaml", m=2)          # or carom.Scene({...})
    sim = scene.simulation(integrator="rattle", dt=1e-3)
    sim.step()                                        # one step: sim.t, sim.q, sim.u, sim["E"], sim.contacts["wall"].PN
    result = sim.run(until=10)                        # or all of them: result["phi"], result.events, result.plot()

All mechanics happens in libcarom, the C library; this package hands it scenes and hands back NumPy arrays.
docs/guide/python.md in carom's sources is the guide.
"""

import os as _os
from pathlib import Path as _Path

_folder = _Path(__file__).parent
if not list(_folder.glob("_native*")):  # in a checkout the compiled part is in the build folder
    __path__.append(str(_Path(_os.environ.get("CAROM_BUILD") or _folder.parents[1] / "build") / "python"))

from ._file import open
from ._library import revision, version
from .errors import DataError, Error, StepError, Stopped, UnknownName
from .model import Model
from .result import Quantity, Result, Table
from .scene import Scene, load
from .simulation import Contact, Event, Simulation
from .identification import Identification, identify
from .orbits import Orbit, branches, orbit
from .study import compare, converge, gradient, objective, solve_ivp, sweep

__version__ = version()
__all__ = [
    "Contact", "DataError", "Error", "Event", "Identification", "Model", "Orbit", "Quantity", "Result", "Scene", "Simulation",
    "StepError", "Stopped", "Table", "UnknownName", "branches", "compare", "converge", "gradient", "identify", "load", "objective",
    "open", "orbit", "revision", "solve_ivp", "sweep", "version",
]
