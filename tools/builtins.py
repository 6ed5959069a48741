#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of built-in names, the section LIST OF NAMES of man/dwell-d.7.scd, from the rows of src/lang/builtin.def.
With --check it writes nothing. Then a page that would change is an error. So is a row without a text, and a row that would
give its code function more values than there is room for.
usage: builtins.py ROOT [--check]"""
import os
import re
import sys

ROOT, CHECK = sys.argv[1], "--check" in sys.argv[2:]
TABLE, PAGE = os.path.join(ROOT, "src/lang/builtin.def"), os.path.join(ROOT, "man/dwell-d.7.scd")
KINDS = (
    ("VAR", "Built-in variables:"),
    ("ACT", "Actions:"),
    ("SUB", "Subroutines:"),
    ("AGG", "Aggregating functions:"),
)
ROW = re.compile(r'^BI\((\w+), "(\w+)", (\w+),(.*?)"((?:[^"\\]|\\.)*)"\)(?= |\n|$)', re.M | re.S)
BEGIN, END = "# LIST OF NAMES\n", "# SEE ALSO\n"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def escaped(text):
    return re.sub(r"([\\_*])", r"\\\1", text.replace('\\"', '"'))


def name_of(name, kind, flags):
    return f"*{name}*" + ("[]" if "BIF_ARRAY" in flags else "" if kind == "VAR" else "()")


def section(rows):
    lines = [BEGIN, "Names that begin with \\_ are for the library of D.\n"]
    for kind, title in KINDS:
        lines.append(title + "\n")
        first = True
        for name, row_kind, flags, doc in rows:
            if row_kind == kind and name[0] != "_" and not re.fullmatch(r"arg[1-9]", name):
                shown = "*arg0* to *arg9*" if name == "arg0" else name_of(name, kind, flags)
                doc = "arguments of the probe, as integers" if name == "arg0" else doc
                lines.append(f"|{'[' if first else ' '} {shown}\n:{'<' if first else ' '} {escaped(doc)}")
                first = False
        lines.append("")
    return "\n".join(lines)


def main():
    rows = [(name, kind, flags, doc) for _, name, kind, flags, doc in ROW.findall(read(TABLE))]
    page = read(PAGE)
    most = int(re.search(r"CALL_MAX_ARGS (\d+)", read(os.path.join(ROOT, "src/cg/builtin/call.h")))[1])
    errors_args = [
        f"{TABLE}: {m[2]} gets more than {most} values: CALL_MAX_ARGS"
        for m in ROW.finditer(read(TABLE))
        if m[3] in ("ACT", "SUB")
        and not re.search(r"BIF_TREE|act_fields|no_code", m[4])
        and m[4].split('"')[1].count(",") >= most
    ]
    have = len(re.findall(r"^BI\(", read(TABLE), re.M))
    errors = [f"{TABLE}: {have} rows, of which {len(rows)} can be read"] if have != len(rows) else []
    errors += errors_args
    errors += [f"{TABLE}: {name} has no documentation" for name, _, _, doc in rows if not doc]
    head, _, rest = page.partition(BEGIN)
    rest = END + (rest or head).partition(END)[2]
    head = head if BEGIN in page else head.partition(END)[0]
    made = head + section(rows) + "\n" + rest
    if CHECK and made != page:
        errors.append(f"{PAGE}: the list is not that of the table: tools/builtins.py . writes it")
    elif not CHECK:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made)
    print("\n".join(errors + [f"builtins: {len(rows)} rows, {len(errors)} wrong"]))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
