#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of places in language runtimes from binaries, and compares them with those in src/runtime.

usage: runtimetables.py python LIBPYTHON...    rows of src/runtime/python/layout.c, by debug information (gdb)
       runtimetables.py v8 NODE...             the columns of src/runtime/v8/*.def: what each binary says, or "?" where it does not
       runtimetables.py --check ROOT FILE...   compares; each file is either. Without files: those of this machine. 77: there are none

A value of V8 that a binary does not say has to be found in its memory: see the source's *.tq files, and test/live/core/node.py, which
compares what is read with what the program says of itself."""
import glob
import os
import re
import shutil
import subprocess
import sys

FRAME = "struct _PyInterpreterFrame"
RUNTIME = "struct pyruntimestate"
INTERP = "PyInterpreterState"
# member of struct py_layout: type and member of CPython by version; the same from there on.
PYTHON = {
    "interp": {11: (RUNTIME, "interpreters.main")},
    "threads": {11: (INTERP, "threads.head")},
    "next": {11: ("PyThreadState", "next")},
    "tid": {11: ("PyThreadState", "native_thread_id")},
    "cframe": {11: ("PyThreadState", "cframe"), 13: None},
    "current": {11: ("_PyCFrame", "current_frame"), 13: ("PyThreadState", "current_frame")},
    "code": {11: (FRAME, "f_code"), 13: (FRAME, "f_executable")},
    "instr": {11: (FRAME, "prev_instr"), 13: (FRAME, "instr_ptr")},
    "previous": {11: (FRAME, "previous")},
    "boundary": {11: (FRAME, "is_entry"), 12: (FRAME, "owner")},
    "code_start": {11: ("PyCodeObject", "co_code_adaptive")},
    "first_line": {11: ("PyCodeObject", "co_firstlineno")},
    "file": {11: ("PyCodeObject", "co_filename")},
    "name": {11: ("PyCodeObject", "co_qualname")},
    "lines": {11: ("PyCodeObject", "co_linetable")},
    "ascii": {11: ("PyASCIIObject", None)},
    "compact": {11: ("PyCompactUnicodeObject", None)},
    "boundary_is": {11: 1, 12: "FRAME_OWNED_BY_CSTACK"},
}


def of_version(by, minor):
    return by[max(v for v in by if v <= minor)]


def gdb(path, expressions):
    """The value of each, or None."""
    args = [x for e in expressions for x in ("-ex", "echo @", "-ex", f"p/d {e}")]
    r = subprocess.run(["gdb", "-batch", "-nx", *args, path], capture_output=True, text=True, check=False)
    found = [re.match(r"\s*\$\d+ = (-?\d+)", part) for part in r.stdout.split("@")[1:]]
    return [int(m[1]) if m else None for m in found]


def python_row(path):
    """(3, minor), and the values; None: it has no debug information."""
    minor = re.search(r"python3\.(\d+)", os.path.basename(os.path.realpath(path)))
    if not minor:
        return None
    minor = int(minor[1])
    wanted, values = {}, {}
    for name, by in PYTHON.items():
        v = of_version(by, minor)
        if isinstance(v, tuple):
            wanted[name] = f"sizeof({v[0]})" if v[1] is None else f"(unsigned long)&(({v[0]} *)0)->{v[1]}"
        elif isinstance(v, str):
            wanted[name] = v
        elif v is not None:
            values[name] = v
    values.update(zip(wanted, gdb(path, wanted.values())))
    return None if values["next"] is None else ((3, minor), values)


def python_table(root):
    """The rows of layout.c by version."""
    with open(os.path.join(root, "src/runtime/python/layout.c"), encoding="utf-8") as f:
        text = f.read()
    rows = {}
    for row in re.split(r"(?=\.version = )", text)[1:]:
        values = {k: int(v, 0) for k, v in re.findall(r"\.(\w+) = (0x[0-9a-f]+|\d+)", row)}
        version = values.pop("version")
        rows[version >> 8, version & 0xFF] = values
    return rows


def check_python(path, root):
    found = python_row(path)
    if not found:
        return None
    version, values = found
    table = python_table(root).get(version)
    if table is None:
        return [f"{path}: there is no row for {version[0]}.{version[1]}"]
    return [f"{path}: {k} is {v}, not {table.get(k, 0)}" for k, v in values.items() if v != table.get(k, 0)]


def v8_fields(root):
    """(file, member, symbol, values by version) of both tables."""
    for name in ("field.def", "objects.def"):
        with open(os.path.join(root, "src/runtime/v8", name), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for member, symbol, values in re.findall(r"^\w+\((\w+),\s*(NULL|\"[^\"]*\"),([^)]*)\)", text, re.M):
            yield name, member, symbol.strip('"'), [v.strip() for v in values.split(",")]


def v8_symbols(path):
    """What it says after "v8dbg_", and its version."""
    out = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
    places = {}
    for value, name in re.findall(r"^ *\d+: (\w+) +4 OBJECT .* v8dbg_(\w+)$", out, re.M):
        places[name] = int(value, 16)
    if not places:
        return None, None
    sections = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    loads = [tuple(int(x, 16) for x in m) for m in re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", sections)]
    said = {}
    with open(path, "rb") as f:
        for name, at in places.items():
            off, vaddr, _ = next((l for l in loads if l[1] <= at < l[1] + l[2]), (0, at + 1, 0))
            f.seek(off + at - vaddr if vaddr <= at else 0)
            said[name] = int.from_bytes(f.read(4), "little", signed=True)
    r = subprocess.run([path, "-p", "process.versions.v8"], capture_output=True, text=True, check=False)
    version = re.match(r"(\d+)\.(\d+)", r.stdout)
    return said, version and (int(version[1]), int(version[2]))


VERSIONS = [(10, 2), (11, 3), (12, 4), (13, 6)]


def v8_value(said, symbol):
    """A member of a class may be followed by its type, as src/runtime/v8/fields.c has it."""
    if symbol in said:
        return said[symbol]
    return next((v for k, v in said.items() if symbol.startswith("class_") and k.startswith(symbol)), None)


def check_v8(path, root):
    said, version = v8_symbols(path)
    if not said:
        return None
    if version not in VERSIONS:
        return [f"{path}: there is no column for V8 {version}"]
    at, wrong = VERSIONS.index(version), []
    for name, member, symbol, values in v8_fields(root):
        v, table = v8_value(said, symbol), values[at]
        if v is None and table == "NO":
            wrong.append(f"{path}: {name}, {member}: neither the binary nor the table says it")
        elif v is not None and table not in ("NO", "0", str(v)):
            wrong.append(f"{path}: {name}, {member}: the binary says {v}, the table {table}")
    return wrong


def print_v8(paths, root):
    found = [v8_symbols(p) for p in paths]
    for (said, version), path in zip(found, paths):
        print(f"# {path}: V8 {version}, {len(said or ())} constants")
    for name, member, symbol, values in v8_fields(root):
        row = []
        for said, version in found:
            v = v8_value(said or {}, symbol)
            row.append(
                str(v) if v is not None else f"({values[VERSIONS.index(version)]})" if version in VERSIONS else "?"
            )
        print(f"{name:12} {member:22} " + " ".join(f"{c:>8}" for c in row))


def print_python(paths):
    for path in paths:
        found = python_row(path)
        if not found:
            print(f"# {path}: no debug information")
            continue
        (major, minor), values = found
        print(
            f"\t{{ .version = 0x{major:02x}{minor:02x}, " + ", ".join(f".{k} = {v}" for k, v in values.items()) + " },"
        )


def here():
    libs = glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/lib/libpython3.*.so.1.0"))
    known = [l for l in libs if 11 <= int(re.search(r"python3\.(\d+)", l)[1]) <= 13]
    return [n for n in [shutil.which("node"), *os.environ.get("NODES", "").split(":")] if n] + (
        known if shutil.which("gdb") else []
    )


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    kind, rest = sys.argv[1], sys.argv[2:]
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    if kind == "python":
        print_python(rest)
        return
    if kind == "v8":
        print_v8(rest, root)
        return
    root, files = rest[0], rest[1:] or here()
    checked = 0
    wrong = []
    for path in files:
        found = (check_python if "python" in os.path.basename(path) else check_v8)(path, root)
        checked += found is not None
        wrong += found or []
    for line in wrong:
        print(line)
    print(f"runtime tables: {checked} binaries compared, {len(wrong)} values wrong")
    sys.exit(1 if wrong else 0 if checked else 77)


if __name__ == "__main__":
    main()
