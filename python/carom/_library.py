"""libcarom and its tools, and how their errors become exceptions."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Any, Iterable, NoReturn

import numpy as np

from .errors import DataError, Error, StepError, Stopped, UnknownName

try:
    from ._native import ffi, lib
except ImportError as problem:
    raise ImportError(f"carom is not built ({problem}): 'scripts/build' in its checkout, or 'pip install .'") from None


def version() -> str:
    """The version of the library."""
    return text(lib.carom_version())


def revision() -> str:
    """The git revision that the library was built from."""
    return text(lib.carom_revision())


def text(pointer: Any) -> str:
    return ffi.string(pointer).decode(errors="replace")


def word(value: Any) -> bytes:
    """A name or other text for the library, in which it ends at a zero."""
    data = value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")
    if b"\0" in data:
        raise DataError(f"text with a zero in it has no end: {value!r}")
    return data


def path_word(path: Any) -> bytes:
    """The name of a file for the library."""
    return word(os.fsencode(os.fspath(path)))


def new_error() -> Any:
    return ffi.new("carom_error *")


_EXCEPTIONS = {lib.CAROM_FAILED: StepError, lib.CAROM_DATA: DataError, lib.CAROM_STOPPED: Stopped}


def exception(error: Any, sketch: str = "") -> Exception:
    """The exception of a carom_error that the library has filled; sketch: the name of a scene put together by entries."""
    message, file = text(error.message), text(error.file) or None
    if error.status == lib.CAROM_MEMORY:
        return MemoryError(message)
    key = None
    if file and file.startswith("--set "):  # an entry that the program has set
        key, file = file[6:].split("=", 1)[0], None
    elif file and sketch and file.startswith(sketch + ": "):
        key, file = file[len(sketch) + 2:], sketch
    kind = _EXCEPTIONS.get(error.status, Error)
    return kind(message, file, error.line or None, error.column or None, key)


def check(status: int, error: Any) -> None:
    """Raises what the library complains of."""
    if status:
        raise exception(error)


def unknown(what: str, name: object, known: Iterable[str]) -> NoReturn:
    """Complains of a name that is not among those known."""
    known = list(known)
    near = get_close_matches(str(name), known, 1)
    hint = f", did you mean '{near[0]}'?" if near else f"; there are: {', '.join(known)}" if known else ""
    raise UnknownName(f"there is no {what} '{name}'{hint}")


class _Memory:
    """Doubles of the library, kept as long as an array shows them."""

    def __init__(self, pointer: Any, count: int, owner: Any):
        self.owner = owner
        address = int(ffi.cast("uintptr_t", pointer)) if count else 0
        self.__array_interface__ = {"shape": (count,), "typestr": "<f8", "data": (address, True), "version": 3}


def view(pointer: Any, count: int, owner: Any) -> np.ndarray:
    """An array that shows memory of the library, not to be written, and keeps its owner alive."""
    return np.asarray(_Memory(pointer, count, owner)) if count else np.zeros(0)


def vector(values: Any, count: int, what: str) -> np.ndarray:
    """The values as count finite doubles."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, not {values!r}") from None
    if array.shape != (count,):
        raise DataError(f"{what} must have {count} component{'s' * (count != 1)}, its shape is {array.shape}")
    if not np.isfinite(array).all():
        raise DataError(f"{what} must be finite")
    return array


def number(value: Any, what: str) -> float:
    """The value as a finite double."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be a number, not {value!r}") from None
    if not np.isfinite(result):
        raise DataError(f"{what} must be finite, it is {result}")
    return result
