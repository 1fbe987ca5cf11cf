"""Values of Python as the words of a scene: numbers, formulas, lists and maps in YAML's flow style."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Tuple

import numpy as np

from .errors import DataError


def value(given: Any, key: str) -> str:
    """A value of a scene as text; key tells where it stands."""
    if isinstance(given, str):
        return json.dumps(given, ensure_ascii=False)
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(k))}: {value(v, f'{key}.{k}')}" for k, v in given.items()) + "}"
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if hasattr(given, "free_symbols"):  # SymPy's
        from ._sympy import formula

        return value(formula(given), key)
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(value(v, key) for v in given) + "]"
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if isinstance(given, (int, np.integer)):
        return str(int(given))
    try:
        number = float(given)
    except (TypeError, ValueError):
        raise DataError(f"a scene cannot hold {given!r}", key=key) from None
    if not np.isfinite(number):
        raise DataError(f"a scene cannot hold {number}", key=key)
    return repr(number)


def entries(given: Mapping[str, Any], within: str = "", depth: int = 3) -> Iterator[Tuple[str, Any]]:
    """The entries of nested maps with dotted keys: model.bodies.ball, run.dt. What lies deeper is their value."""
    for name, entry in given.items():
        key = f"{within}{name}"
        if isinstance(entry, Mapping) and entry and depth > 1 and (within or name in ("model", "run", "parameters", "inputs")):
            yield from entries(entry, key + ".", depth - 1)
        else:
            yield key, entry
