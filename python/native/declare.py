"""Writes the C source of carom._native: everything that the public headers declare, as cffi gives it to Python.

    declare.py INCLUDE-FOLDER OUTPUT.c
"""

import re
import sys
from pathlib import Path

import cffi

HEADERS = ["carom/carom.h", "carom/model.h", "carom/result.h"]

CALLBACKS = """
extern "Python" int python_mass(void *context, double t, const double *q, double *M);
extern "Python" int python_mass_q(void *context, double t, const double *q, const double *v, double *Mv_q);
extern "Python" int python_force(void *context, double t, const double *q, const double *u, double *h, double *h_q,
                                 double *h_u);
extern "Python" int python_position(void *context, double t, const double *q, double *c, double *c_q);
extern "Python" int python_velocity(void *context, double t, const double *q, const double *u, double *s, double *WT,
                                    double *s_q);
extern "Python" int python_velocity_rate(void *context, double t, const double *q, const double *u, double *zeta);
extern "Python" int python_direction_q(void *context, double t, const double *q, const double *r, double *Wr_q);
extern "Python" int python_energy(void *context, double t, const double *q, const double *u, double *T, double *V);
extern "Python" int python_program_force(void *context, double t, const double *q, const double *u, double *f);
extern "Python" int python_program_derivative(void *context, double t, const double *q, const double *u, double *f_q,
                                              double *f_u);
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
