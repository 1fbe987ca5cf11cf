"""Writes the C source of carom._native: everything that the public headers declare, as cffi gives it to Python.

    declare.py INCLUDE-FOLDER OUTPUT.c
"""

import re
import sys
from pathlib import Path

import cffi

HEADERS = ["carom/carom.h", "carom/result.h"]

CALLBACKS = """
extern "Python" bool python_callback(carom_sim *sim, carom_moment moment, int event, void *user);
"""


def declarations(header: str) -> str:
    """What a header declares, without what only compilers read."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__\(\(.*\)\)", "", text)
    return re.sub(r"\bCAROM_(API|CHECK)\b", "", text)


def main(include: Path, output: str) -> None:
    ffi = cffi.FFI()
    for name in HEADERS:
        ffi.cdef(declarations((include / name).read_text()))
    ffi.cdef(declarations((Path(__file__).parent / "loop.h").read_text()))
    ffi.cdef(CALLBACKS)
    ffi.set_source("carom._native", '#include "loop.h"\n')
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
