#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a manual page of each tool from its head (CONTRIBUTING.md, "Adding a tool") and its parameters.
usage: toolpages.py OUTDIR TOOL.d…     writes OUTDIR/dwell-TOOL.1"""
import os
import re
import sys

PARAM = re.compile(r'^#pragma D param (\S+) (\S+) "([^"]*)"(?: (.*))?$', re.M)


def roff(text):
    """Lines as they are: no request of roff begins in one."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def head_of(text, path):
    m = re.search(r"^/\*\n( \*.*?)^ \*/$", text, re.M | re.S)
    if not m:
        sys.exit(f"{path}: no head")
    lines = [line[3:] for line in m[1].splitlines()]
    name, _, purpose = lines[0].partition(".d: ")
    for line in lines[1:]:  # the purpose may go on until an empty line
        if not line:
            break
        purpose += " " + line
    body = "\n".join(lines).partition("\n\n")[2]
    m = re.search(r"^Example([^\n]*):\n(.*)", body, re.M | re.S)
    example = (m[1].lstrip(", "), m[2].rstrip("\n")) if m else None
    body = body[: m.start()] if m else body
    topic, _, body = body.partition("\n")
    usage, _, rest = body.partition("\n")
    if not purpose or not topic.startswith("Topic: ") or not usage.startswith("Usage: "):
        sys.exit(f"{path}: its head has no purpose, topic or usage")
    return (
        name,
        purpose.rstrip("."),
        usage[len("Usage: ") :].replace(name + ".d", "dwell run " + name),
        rest.strip("\n"),
        example,
    )


def page(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    name, purpose, usage, rest, example = head_of(text, path)
    out = [
        f'.TH "DWELL\\-{name.upper()}" 1 "" "dwell"',
        ".SH NAME",
        roff(f"dwell-{name} - {purpose}").replace(" \\- ", " \\- ", 1),
        ".SH SYNOPSIS",
        ".nf",
        roff(usage),
        ".fi",
    ]
    if rest:
        out += [".SH DESCRIPTION", ".nf", roff(rest), ".fi"]
    params = PARAM.findall(text)
    if params:
        out.append(".SH PARAMETERS")
        for param, kind, what, default in params:
            known = f" (default {default})" if default else ""
            out += [".TP", roff(f"--{param} {'' if kind == 'bool' else kind.upper()}").rstrip(), roff(what + known)]
    if example:
        out.append(".SH EXAMPLE")
        if example[0]:
            out.append(roff(example[0][:1].upper() + example[0][1:]) + ":")
        out += [".nf", roff(example[1]), ".fi"]
    out += [
        ".SH SEE ALSO",
        "dwell(1), dwell\\-d(7); \\fIdwell tools\\fR lists all tools, \\fIdwell run NAME \\-\\-help\\fR says where the program is.",
    ]
    return name, "\n".join(out) + "\n"


def main():
    for path in sys.argv[2:]:
        name, text = page(path)
        with open(os.path.join(sys.argv[1], f"dwell-{name}.1"), "w", encoding="utf-8") as f:
            f.write(text)


main()
