"""What can go wrong, as exceptions: one sentence each, with file, line, column and suggestion where there are some."""

from __future__ import annotations

import re
from typing import Optional


class Error(Exception):
    """What carom's library complains of.

    message     one sentence
    file        the scene or other file it is about, or None
    key         the entry of a scene that was set by the program ("run.dt"), or None
    line        1-based, or None
    column      1-based, or None
    suggestion  what was probably meant, or None
    """

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None, key: Optional[str] = None):
        super().__init__(message, file, line, column, key)
        self.message = message
        self.file, self.line, self.column, self.key = file, line, column, key
        meant = re.search(r"did you mean '([^']*)'", message)
        self.suggestion = meant.group(1) if meant else None

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part]
        sentence = ": ".join(text for text in (":".join(place), self.key, self.message) if text)
        return "".join(c if c.isprintable() else "?" for c in sentence)  # names may hold anything


class DataError(Error, ValueError):
    """Bad input: a scene, an argument, a file."""


class UnknownName(DataError, KeyError):
    """There is no coordinate, contact, parameter or other thing of this name."""

    __str__ = Error.__str__


class StepError(Error, RuntimeError):
    """A run cannot go on: a step has no solution, the disk is full. The state is that of the last accepted step."""


class Stopped(Error):
    """A callback has asked to stop."""
