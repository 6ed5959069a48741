#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: embed.py OUT.c [--include=HEADER] NAME=FILE…    NAME=- stands for an empty one

Makes a C file with the bytes of each FILE as asset_NAME and their number as asset_NAME_size. Comments and
indentation of plain scripts (.js with an SPDX line) are left out: they go into every picture."""
import re
import sys


def content(path):
    if path == "-":
        return b""
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".js") and b"SPDX" in data[:200]:
        text = re.sub(r"^\s*/\*.*?\*/\s*$", "", data.decode(), flags=re.M | re.S)
        data = "".join(line.strip() + "\n" for line in text.splitlines() if line.strip()).encode()
    return data


def main():
    header = "view/form/assets.h"
    args = sys.argv[2:]
    if args[0].startswith("--include="):
        header = args.pop(0).partition("=")[2]
    out = ["/* Made by tools/embed.py. */", f'#include "{header}"']
    for arg in args:
        name, path = arg.split("=", 1)
        data = content(path)
        rows = [",".join(str(b) for b in data[i : i + 64]) for i in range(0, len(data), 64)] or ["0"]
        # plain char may be signed: bytes above 127 are written as such
        rows = [",".join(f"(char){b}" if int(b) > 127 else b for b in row.split(",")) for row in rows]
        out.append(f"const char asset_{name}[] = {{\n" + ",\n".join(rows) + "};")
        out.append(f"const size_t asset_{name}_size = {len(data)};")
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
