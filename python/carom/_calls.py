"""Functions of Python that the library calls."""

from __future__ import annotations

import threading
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._library import ffi
from .errors import DataError

Function = Callable[..., Any]


def difference(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The derivative by central differences, one column for each component of x."""
    columns = []
    for i in range(len(x)):
        step = np.zeros(len(x))
        step[i] = 6e-6 * max(1.0, abs(x[i]))  # the cube root of the unit round-off
        columns.append((function(x + step) - function(x - step)) / (2 * step[i]))
    return np.stack(columns, axis=-1)


def shaped(value: Any, shape: Tuple[int, ...], what: str) -> np.ndarray:
    """What a function has returned, as an array of this shape; of a single number any shape will do."""
    try:
        array = np.asarray(value if value is not None else "None", dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must give numbers, not {value!r}") from None
    if array.size == 1 and shape in ((1,), (1, 1)):
        return array.reshape(shape)
    if array.shape != shape:
        raise DataError(f"{what} must give an array of the shape {shape}, not {array.shape}")
    return array


class Calls:
    """What functions have raised, thread by thread. After an exception nothing is called until it has arrived."""

    def __init__(self) -> None:
        self._raised = threading.local()

    def take_raised(self) -> Optional[BaseException]:
        raised = getattr(self._raised, "problem", None)
        self._raised.problem = None
        return raised

    def fill(self, given: List[Tuple[Any, int]], *wanted: Tuple[Any, Callable[..., np.ndarray]]) -> int:
        """Calls functions of the given arrays, pointers and lengths, and writes what they return to where it is wanted.
        Not 0: they cannot be called."""
        if getattr(self._raised, "problem", None) is not None:
            return 1
        try:
            arguments = [np.frombuffer(ffi.buffer(pointer, 8 * count)).copy() for pointer, count in given]
            for to, function in wanted:
                if to != ffi.NULL:
                    values = np.ascontiguousarray(function(*arguments), dtype=np.float64)
                    ffi.memmove(to, ffi.from_buffer(values), values.nbytes)
            return 0
        except BaseException as problem:
            self._raised.problem = problem
            return 1
