#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts of the shipped trackers, from the heads of dlib/latency/*.d, which are their only source:

    Tracker NAME[, default RANK]: WHAT                    what it measures, in words of the page; RANK: its place among the default ones
      waits for "WORDS": LEVEL, CLASS                     WORDS may have one {ATTRIBUTE}; LEVEL of chain.h, CLASS of cause.def
      costs NS ns a switch; left out RANK                 under an OLTP load (doc/measured.md); --cost leaves out the first one first
      groups by THREAD                                    the thread whose group gets the delay (`dwell latency --by`, filters)
      keys by WORD: EXPRESSION                            what recordings add its delays up by, as @TRACKER_WORD
      ATTRIBUTE, ...[ = VALUE | VALUE ...][: TEXT]        attributes of its slow events; = lists all values of a text

Of 'groups by' and 'keys by' two programs are made, which run with the tracker's own. One whose grouping needs more is
written by hand, as dlib/latency/by_group/NAME.d or by_key/NAME.d.

usage: trackers.py FOLDER OUT.h OUT.json DEPFILE          makes a table for C (src/latency/cause/trackers.c) and one for the page
       trackers.py --check ROOT                           proves that heads, D, C and the page agree
Exit status: 0 done, 1 wrong; messages say what and where."""
import json
import os
import re
import sys

HEAD = re.compile(r"Tracker (\w+)(?:, default (\d+))?: (.+)")
WAITS = re.compile(r'  waits for "([^"]*)": (\w+), (\w+)')
COSTS = re.compile(r"  costs (\d+) ns a switch; left out (\d+)")
GROUPS = re.compile(r"  groups by (.+)")
KEYS = re.compile(r"  keys by (\w+): (.+)")
ATTRIBUTES = re.compile(r"  (\w+(?:, \w+)*)(?: = ([^:]+))?(?:: (.*))?")
# Programs of dlib/latency that measure for themselves: their trackers are not of `dwell latency`.
OWN = ("why.d",)


class Wrong(Exception):
    """A head that cannot be understood."""


def heads(path, text):
    """The trackers of one file, in order."""
    found = []
    for number, line in enumerate(text.split("*/")[1].splitlines() if "/*\n" in text else [], 3):
        line = line[3:] if line.startswith(" * ") else ""
        if m := HEAD.fullmatch(line):
            found.append(
                {
                    "name": m[1],
                    "file": os.path.basename(path)[:-2],
                    "wants": bool(re.search(r'#pragma D param \w+ \w+ "[^"]*"$', text, re.M)),
                    "rank": int(m[2] or 0),
                    "what": m[3],
                    "by_group": None,
                    "by_key": None,
                    "cost": 0,
                    "leave": 0,
                    "target": "$target" in text,
                    "sampled": f"#pragma D param {m[1]}_one_in " in text,
                    "attributes": {},
                }
            )
        elif not found or not line.startswith("  "):
            if found and line:
                break
        elif m := WAITS.fullmatch(line):
            found[-1].update(words=m[1], level=m[2], **{"class": m[3]})
        elif m := COSTS.fullmatch(line):
            found[-1].update(cost=int(m[1]), leave=int(m[2]))
        elif m := GROUPS.fullmatch(line):
            found[-1]["by_group"] = ("group", f" && wanted_of[{m[1]}]", f"group_name_of[{m[1]}]")
        elif m := KEYS.fullmatch(line):
            found[-1]["by_key"] = (m[1], "", m[2])
        elif line.startswith("    "):
            continue
        elif m := ATTRIBUTES.fullmatch(line):
            for name in m[1].split(", "):
                found[-1]["attributes"][name] = {
                    "values": [v.strip() for v in m[2].split("|")] if m[2] else [],
                    "text": m[3] or "",
                }
        else:
            raise Wrong(f"{path}:{number}: not understood: {line}")
    for t in found:
        used = re.findall(r"{(\w+)}", t.get("words", ""))
        if "words" not in t:
            raise Wrong(f"{path}: tracker {t['name']} has no line 'waits for'")
        if len(used) > 1 or set(used) - set(t["attributes"]) or "%" in t["words"]:
            raise Wrong(f"{path}: tracker {t['name']}: '{t['words']}' may name one of its attributes")
        t["attr"] = used[0] if used else ""
    return found


def read(folder):
    """All trackers: the default ones in their order, then the others by file."""
    found, paths = [], sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".d"))
    for path in paths:
        with open(path, encoding="utf-8") as f:
            found += heads(path, f.read())
    found.sort(key=lambda t: (t["rank"] or 1000, t["file"]))
    for what in "rank", "leave":
        ranks = sorted(t[what] for t in found if t[what])
        if ranks != list(range(1, len(ranks) + 1)):
            raise Wrong(f"{folder}: numbers of trackers ({what}) are 1, 2 …: {ranks}")
    if wrong := [t["name"] for t in found if t["leave"] and not t["rank"]]:
        raise Wrong(f"{folder}: --cost leaves out trackers of the default set only, not {wrong}")
    return found, paths


def macro(*parts):
    return "_".join(["ATTR"] + [re.sub(r"\W+", "_", p).strip("_").upper() for p in parts])


# -- the programs that run with a tracker's own --

CLAUSE = """latency:{tracker}::all
/!(args[0]->how & HOW_NOT_ENDED){condition}/
{{
	@{tracker}_{word}[{key}] = hist(args[0]->delay);
}}

"""


def joined(trackers):
    """(folder, file, D text) of all that the heads ask for. At its end a program prints nothing: dwell latency has a
    table of the groups, and the keys are for recordings."""
    programs = {}
    for t in trackers:
        for folder in "by_group", "by_key":
            if t[folder]:
                word, condition, key = t[folder]
                clauses, aggs = programs.setdefault((folder, t["file"]), ([], []))
                clauses.append(CLAUSE.format(tracker=t["name"], condition=condition, word=word, key=key))
                aggs.append(f"\ttrunc(@{t['name']}_{word});\n")
    return [
        (*at, "".join(clauses) + "END\n{\n" + "".join(aggs) + "}\n") for at, (clauses, aggs) in sorted(programs.items())
    ]


def c_literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n") + '"'


def c_header(trackers):
    macros = {}
    for t in trackers:
        for name, a in t["attributes"].items():
            macros[macro(name)] = name
            macros.update({macro(name, v): v for v in a["values"]})
    lines = [
        "/* Made by tools/trackers.py from dlib/latency. */",
        "#ifndef DWELL_LATENCY_TRACKER_FACTS_H",
        "#define DWELL_LATENCY_TRACKER_FACTS_H",
    ]
    lines += [f'#define {m} "{text}"' for m, text in sorted(macros.items())]
    lines.append("#define TRACKER_FACTS(FACT) \\")
    for t in trackers:
        words = re.sub(r"{\w+}", "%s", t["words"])
        lines.append(
            f'\tFACT("{t["name"]}", "{"" if t["wants"] else t["file"]}", {t["rank"]}, CHAIN_{t["level"].upper()}, "{words}", '
            f'CAUSE_{t["class"].upper()}, "{t["attr"]}", {t["cost"]}, {t["leave"]}, {int(t["target"])}, {int(t["sampled"])}) \\'
        )
    lines[-1] = lines[-1][:-2]
    lines.append("#define TRACKER_JOINED(JOINED) \\")
    lines += [f'\tJOINED("{folder}", "{file}", {c_literal(text)}) \\' for folder, file, text in joined(trackers)]
    return "\n".join(lines)[:-2] + "\n#endif\n"


def page(trackers):
    return (
        json.dumps(
            {"trackers": [{"name": t["name"], "what": t["what"], "default": t["rank"] > 0} for t in trackers]}, indent=1
        )
        + "\n"
    )


# -- the check --


def slow_names(text, tracker):
    """Names of attributes in the slow() calls of the tracker's clauses."""
    names = set()
    for clause in re.finditer(r"^latency:%s::slow\n(.*?)^}" % tracker, text, re.S | re.M):
        for call in re.finditer(r"\bslow\(", clause[1]):
            depth, parts, part, rest = 1, [], "", re.finditer(r'"(?:\\.|[^"])*"|.', clause[1][call.end() :], re.S)
            for piece in (m[0] for m in rest):
                depth += (piece in "([") - (piece in ")]") if len(piece) == 1 else 0
                if depth == 0:
                    break
                if depth == 1 and piece == ",":
                    parts, part = parts + [part.strip()], ""
                else:
                    part += piece
            parts.append(part.strip())
            names |= {p[1:-1] for p in parts[::2]}
    return names


def check(root):
    wrong = []
    folder = os.path.join(root, "dlib", "latency")
    trackers, paths = read(folder)
    by_file = {}
    for t in trackers:
        by_file.setdefault(t["file"], []).append(t)

    def source(*parts):
        with open(os.path.join(root, *parts), encoding="utf-8") as f:
            return f.read()

    levels = set(
        re.search(r"enum chain_level {(.*?)}", source("src", "latency", "cause", "chain.h"), re.S)[1]
        .replace(" ", "")
        .split(",")
    )
    classes = {m[1] for m in re.finditer(r"^CLASS\((\w+),", source("src", "latency", "cause", "cause.def"), re.M)}
    for by, file, _ in joined(trackers):
        if os.path.exists(os.path.join(folder, by, file + ".d")):
            wrong.append(f"dlib/latency/{by}/{file}.d: the head of {file}.d makes this program")
    for path in paths:
        text = source(path)
        name = os.path.basename(path)
        if not re.search(rf"^ \* {name}: .+\.$", text, re.M):
            wrong.append(f"{path}: its first line is ' * {name}: one sentence.', which the page shows")
        told = by_file.get(name[:-2], [])
        real = re.findall(r"^tracker (\w+)", text, re.M)
        if name not in OWN and sorted(real) != sorted(t["name"] for t in told):
            wrong.append(f"{path}: its head is about {[t['name'] for t in told]}, it has the trackers {real}")
        for t in told:
            if "CHAIN_" + t["level"].upper() not in levels or t["class"].upper() not in classes:
                wrong.append(f"{path}: tracker {t['name']}: no level {t['level']}, or no class {t['class']}")
            used = slow_names(text, t["name"])
            wrong += [
                f"{path}: slow() gives \"{a}\", which the head of tracker {t['name']} does not have"
                for a in sorted(used - set(t["attributes"]))
            ]
            wrong += [
                f"{path}: the head of tracker {t['name']} has {a}, which slow() does not give"
                for a in sorted(set(t["attributes"]) - used)
            ]
            for a, d in t["attributes"].items():
                wrong += [
                    f"{path}: {a} = {v}: the program has no such text" for v in d["values"] if f'"{v}"' not in text
                ]
    attributes = {a for t in trackers for a in t["attributes"]}
    names = {t["name"] for t in trackers}
    slow = source("web", "src", "app", "slow.ts")
    wrong += [
        f"web/src/app/slow.ts: no tracker has an attribute {a}"
        for a in sorted(set(re.findall(r'\btext\("(\w+)"\)', slow)) - attributes)
    ]
    wrong += [
        f"web/src/app/slow.ts: there is no tracker {t}" for t in re.findall(r'case "(\w+)":', slow) if t not in names
    ]
    man = source("man", "dwell-latency.1.scd")
    wrong += [
        f"man/dwell-latency.1.scd: nothing about {f}" for f in sorted(by_file) if f"*{f}*" not in man and f != "usdt"
    ]
    how = [
        (m[1], i)
        for i, m in enumerate(re.finditer(r"^\tSLOW_(\w+),", source("src", "base", "recfmt.h"), re.M))
        if m[1] != "NHOW"
    ]
    for name, value in how:
        line = f"inline int HOW_{'END' if name == 'NORMAL' else name} = {value};"
        if line not in source("dlib", "track.d"):
            wrong.append(f"dlib/track.d: lacks '{line}' of src/base/recfmt.h")
    for w in wrong:
        print(w)
    print(f"trackers: {len(trackers)} looked at, {len(attributes)} attributes, {len(wrong)} wrong")
    return 1 if wrong or len(trackers) < 20 else 0


def main():
    try:
        if sys.argv[1] == "--check":
            return check(sys.argv[2])
        folder, header, table, deps = sys.argv[1:]
        trackers, paths = read(folder)
    except Wrong as e:
        print(e, file=sys.stderr)
        return 1
    for path, text in (
        (header, c_header(trackers)),
        (table, page(trackers)),
        (deps, f"{header}: {folder} {' '.join(paths)}\n"),
    ):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
