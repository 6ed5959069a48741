#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C header, or the style sheet of the pages' colours, from src/view/picture/appearance.json. So pictures
that C draws and pictures that the pages draw have the same colours, ticks and units.
usage: appearance.py APPEARANCE.json OUT.h|OUT.css"""
import json
import sys

# Names of colours in SVG files, which are kept short because every picture carries them, and in the page.
SVG = {"g": "bg", "t": "text", "m": "muted", "l": "line", "a": "accent", "h": "found", "x": "bad", "n": "limit"}


def number(value):
    return str(int(value)) if float(value).is_integer() else repr(value)


def initialiser(value):
    """A C initialiser of an array whose elements are numbers, or rows of numbers and texts."""
    rows = []
    for row in value:
        if isinstance(row, (int, float)):
            rows.append(number(row))
            continue
        cells = row.values() if isinstance(row, dict) else row
        rows.append(
            "{ "
            + ", ".join(json.dumps(c, ensure_ascii=False) if isinstance(c, str) else number(c) for c in cells)
            + " }"
        )
    return ", ".join(rows)


def svg_style(look, theme):
    colours = look["palette"][theme]
    return f"svg{{background:{colours['bg']};" + ";".join(f"--{k}:{colours[v]}" for k, v in SVG.items())


def header(look):
    rgb = ", ".join("0x%02x%02x%02x" % tuple(c) for c in look["key_colours"])
    lines = [
        "/* Made by tools/appearance.py. */",
        "#ifndef DWELL_VIEW_APPEARANCE_H",
        "#define DWELL_VIEW_APPEARANCE_H",
        f"#define APPEARANCE_KEY_COLOURS {rgb}",
        f'#define APPEARANCE_SVG_LIGHT "{svg_style(look, "light")};font:{look["font"]};font-variant-numeric:tabular-nums}}"',
        f'#define APPEARANCE_SVG_DARK "{svg_style(look, "dark")}}}"',
        f'#define APPEARANCE_INK "{look["palette"]["light"]["text"]}" /* on bright colours, in light and dark */',
    ]
    for name, value in look.items():
        if name in ("about", "palette", "font", "key_colours"):
            continue
        if isinstance(value, list):
            lines.append(f"#define APPEARANCE_{name.upper()} {initialiser(value)}")
        elif isinstance(value, dict):
            lines += [f"#define APPEARANCE_{name.upper()}_{k.upper()} {number(v)}" for k, v in value.items()]
        else:
            lines.append(f"#define APPEARANCE_{name.upper()} {number(value)}")
    return lines + ["#endif"]


def style_sheet(look):
    def colours(theme):
        return " ".join(f"--{k}: {v};" for k, v in look["palette"][theme].items()) + f" color-scheme: {theme};"

    return [
        "/* Made by tools/appearance.py. */",
        f":root {{ {colours('light')} --font: {look['font']}; }}",
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {colours("dark")} }} }}',
        f':root[data-theme="dark"] {{ {colours("dark")} }}',
    ]


def main():
    source, out = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        look = json.load(f)
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join((header if out.endswith(".h") else style_sheet)(look)) + "\n")


if __name__ == "__main__":
    main()
