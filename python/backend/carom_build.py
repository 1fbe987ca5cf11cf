"""Builds wheels of carom for pip (PEP 517, PEP 660), with CMake and nothing else.

A wheel holds the package, the compiled module, the program, and the shared libraries that these need beyond the C
library: it runs where none of them is installed.
"""

import base64
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CAROM_BUILD") or ROOT / "build") # that of scripts/build
# Every Linux has these, of the C library that its programs are made for.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util))\.so\.\d+")


def _run(*words):
    subprocess.run([str(word) for word in words], check=True)


def _tag():
    return "cp37-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _configure():
    """The build folder, where it is not there or was made without Python."""
    cache = BUILD / "CMakeCache.txt"
    if cache.exists() and "CAROM_PYTHON_MODULE:" in cache.read_text():
        return
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not cache.exists() else []
    _run("cmake", "-S", ROOT, "-B", BUILD, *generator, "-DCAROM_PYTHON=ON",
         f"-DCAROM_PYTHON_INTERPRETER={sys.executable}")


def _compile():
    """The module and the program."""
    _configure()
    _run("cmake", "--build", BUILD, "--parallel", os.cpu_count() or 1, "--target", "carom_python", "--target", "carom")
    return {"carom/_native.abi3.so": BUILD / "python" / "_native.abi3.so", "carom/bin/carom": BUILD / "carom"}


def _libraries(files):
    """The shared libraries that files ask for, directly or not, by their names."""
    found = {}
    for file in files:
        listed = subprocess.run(["ldd", str(file)], check=True, capture_output=True, text=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (\S+) ", listed, flags=re.M):
            if not SYSTEM.fullmatch(name):
                found[name] = Path(path)
    return found


def _private(data, names):
    """A binary that asks for the wheel's own libraries: liba.so.1 is called crma.so.1 there. So another copy of a library
    in the process, of any version, and the wheel's one leave each other alone. The names are as long as before."""
    for name in names:
        data = data.replace(b"\0" + name.encode() + b"\0", b"\0" + _own(name).encode() + b"\0")
    return data


def _own(name):
    return "crm" + name[3:] if name.startswith("lib") else name


def _stripped(path, folder):
    copy = folder / path.name
    shutil.copyfile(path, copy)
    if shutil.which("strip"):
        _run("strip", "--strip-unneeded", copy)
    return copy.read_bytes()


def _binaries(folder):
    built = _compile()
    libraries = _libraries(built.values())
    yield from ((name, _private(_stripped(path, folder), libraries)) for name, path in built.items())
    for name, path in libraries.items():
        yield f"carom/lib/{_own(name)}", _private(path.read_bytes(), libraries)


def _package():
    folder = ROOT / "python" / "carom"
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".typed", ".mplstyle"):
            yield f"carom/{path.relative_to(folder)}", path.read_bytes()


def _version():
    header = (ROOT / "include" / "carom" / "carom.h").read_text()
    return re.search(r'CAROM_VERSION "(.*)"', header).group(1)


def _project():
    """The texts and lists of [project] in pyproject.toml, by their keys."""
    text = (ROOT / "pyproject.toml").read_text()

    def one(key):
        return re.search(rf'^{key} = "(.*)"', text, flags=re.M).group(1)

    def several(key):
        return re.findall(r'"(.*?)"', re.search(rf"^{key} = \[(.*)\]", text, flags=re.M).group(1))

    return one, several


def _metadata():
    one, several = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {one('name')}", f"Version: {_version()}",
             f"Summary: {one('description')}", f"Requires-Python: {one('requires-python')}", "License: MIT",
             *(f"Requires-Dist: {name}" for name in several("dependencies")), "Provides-Extra: all",
             *(f"Requires-Dist: {name}; extra == 'all'" for name in several("all")),
             "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def _information(tag):
    info = f"carom-{_version()}.dist-info"
    yield f"{info}/METADATA", _metadata().encode()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: carom\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    yield f"{info}/entry_points.txt", b"[console_scripts]\ncarom = carom.__main__:main\n"
    yield f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()


def _write(folder, tag, files):
    name, info = f"carom-{_version()}-{tag}.whl", f"carom-{_version()}.dist-info"
    record = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files:
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            kind = stat.S_IFREG  # without it pip makes nothing executable
            entry.external_attr = (kind | (0o755 if "/bin/" in path or ".so" in path else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return name


# ---------------------------------------------------------------- what pip calls


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = _tag()
    with tempfile.TemporaryDirectory() as scratch:
        return _write(wheel_directory, tag, [*_package(), *_binaries(Path(scratch)), *_information(tag)])


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the checkout itself, with what 'scripts/build' puts into its build folder."""
    _compile()
    files = [("carom.pth", f"{ROOT / 'python'}\n".encode()), *_information("py3-none-any")]
    return _write(wheel_directory, "py3-none-any", files)


def build_sdist(sdist_directory, config_settings=None):
    """Everything that git tracks."""
    base = f"carom-{_version()}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in listed.splitlines():
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
    return f"{base}.tar.gz"
