#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Call circles of files in src are small. A file depends on another one when it names a function that the other one
defines: in a call, or in a table. Files that depend on each other, directly or through others, form a circle. One of
more than FILES_MAX files is an error, unless tools/circles-allow.txt names its folder with the number of files that it
has and a reason; a circle that is smaller than its number is an error, too, so that the number only shrinks.
usage: checkcircles.py ROOT | --edges ROOT FILE (what FILE names of its circle, and who names it) | --test"""
import os
import re
import sys
import tempfile

import sources

FILES_MAX = 10
ALLOW = "tools/circles-allow.txt"
NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+\.def)"', re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)", re.M)
# A function begins in the first column, and its braces are there.
FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][\w \t*]*?[\s*](?P<name>\w+)\([^;{}]*\))\s*^\{(?P<body>.*?)^\}", re.M | re.S)
PROTOTYPE = re.compile(r"^[A-Za-z_][\w \t*]*[\s*]\w+\([^;{}=]*\)[^;{}=]*;", re.M)
WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")


class File:
    """The functions that a text defines for others and for itself, and the words that it uses."""

    def __init__(self, text, included=""):
        text = NOT_CODE.sub(lambda m: " " if m[0][0] == "/" else '""', text)
        self.public, self.own = set(), set()
        for m in FUNCTION.finditer(text):
            (self.own if re.search(r"\bstatic\b", m["head"]) else self.public).add(m["name"])
        code = PROTOTYPE.sub("", FUNCTION.sub(lambda m: m["body"], text))
        self.words = set(WORD.findall(code)) | set(WORD.findall(included))


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def arguments(text, at):
    """The arguments of the call whose parenthesis is in front of text[at]."""
    depth, found = 0, [""]
    while depth >= 0 and at < len(text):
        c = text[at]
        depth += (c == "(") - (c == ")")
        if depth < 0:
            break
        if c == "," and not depth:
            found.append("")
        else:
            found[-1] += c
        at += 1
    return found


def rows(text, macros):
    """The columns of a .def table that the macros of the file that includes it use."""
    text, used = NOT_CODE.sub(" ", text), []
    for name, (parameters, body) in macros.items():
        wanted = [p.strip() in WORD.findall(body.replace("#", " ")) for p in parameters.split(",")]
        for m in re.finditer(rf"\b{name}\(", text):
            used += [a for a, is_wanted in zip(arguments(text, m.end()), wanted) if is_wanted]
    return "\n".join(used)


def included(root, text):
    macros = {m[1]: (m[2], m[3]) for m in MACRO.finditer(text)}
    return "\n".join(rows(read(os.path.join(root, "src", name)), macros) for name in INCLUDED.findall(text))


def floor_of(path):
    return path.split("/")[1]


def read_files(root):
    files = {}
    for path in sources.walk(root, "src"):
        if path.endswith((".c", ".h")):
            text = read(os.path.join(root, path))
            files[path] = File(text, included(root, text))
    return files


def dependencies(files):
    """For each path the paths of its floor that it depends on, and by which functions: checklayers.py sees to the floors."""
    where = {(floor_of(path), name): path for path, f in files.items() for name in f.public}
    graph = {}
    for path, f in files.items():
        graph[path] = {}
        for word in f.words - f.own - f.public:
            other = where.get((floor_of(path), word))
            if other:
                graph[path].setdefault(other, set()).add(word)
    return graph


def circles(graph):
    """Tarjan's strongly connected components, without recursion; only those of several files."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, None)]
        while work:
            node, rest = work.pop()
            if rest is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                on.add(node)
                rest = iter(sorted(graph[node]))
            for other in rest:
                if other not in index:
                    work += [(node, rest), (other, None)]
                    break
                if other in on:
                    low[node] = min(low[node], low[other])
            else:
                if low[node] == index[node]:
                    circle = set(stack[stack.index(node) :])
                    del stack[stack.index(node) :]
                    on -= circle
                    if len(circle) > 1:
                        found.append(circle)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found


def folder_of(circle):
    return os.path.commonpath([os.path.dirname(path) for path in circle])


def read_exempt(root):
    exempt = {}
    for folder, rest in sources.read_allow(os.path.join(root, ALLOW)).items():
        number, _, reason = rest.partition(" ")
        if not number.isdigit() or not reason.strip():
            raise SystemExit(f"{ALLOW}: {folder}: FOLDER FILES REASON")
        exempt[folder] = int(number)
    return exempt


def check(found, exempt):
    errors = []
    largest = {}
    for circle in found:
        folder = folder_of(circle)
        largest[folder] = max(largest.get(folder, 0), len(circle))
        if len(circle) > exempt.get(folder, FILES_MAX):
            errors.append(
                f"{folder}: {len(circle)} files call each other in a circle, at most {exempt.get(folder, FILES_MAX)}: "
                + " ".join(sorted(os.path.relpath(path, folder) for path in circle))
            )
    for folder, number in exempt.items():
        size = largest.get(folder, 0)
        if size < number:
            errors.append(
                f"{ALLOW}: {folder}: the largest circle has {size} files now: "
                + ("remove the line" if size <= FILES_MAX else f"write {size}")
            )
    return errors


def edges(root, path):
    graph = dependencies(read_files(root))
    circle = next((c for c in circles(graph) if path in c), {path})
    print(f"{path}: a circle of {len(circle)} files")
    for other in sorted(circle & set(graph[path])):
        print(f"  names of {other}: {' '.join(sorted(graph[path][other]))}")
    for other in sorted(circle):
        if path in graph[other]:
            print(f"  {other} names: {' '.join(sorted(graph[other][path]))}")


def main():
    root = sys.argv[1]
    files = read_files(root)
    found = circles(dependencies(files))
    return sources.finish("circles", check(found, read_exempt(root)), len(files))


def ring(size):
    return {f"f{i}.c": f"int f{i}(void)\n{{\n\treturn f{(i + 1) % size}();\n}}\n" for i in range(size)}


def sizes(texts):
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "src", "x")
        os.makedirs(folder)
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        return sorted(len(c) for c in circles(dependencies(read_files(root))))


def test():
    """What it must find, and what it must not."""
    wrong = []

    def expect(what, got, want):
        if got != want:
            wrong.append(f"{what}: {got}, not {want}")

    expect("ten in a ring", sizes(ring(10)), [10])
    expect("a ring of eleven", bool(check([set(f"src/x/{i}" for i in range(11))], {})), True)
    expect("a ring of ten", check([set(f"src/x/{i}" for i in range(10))], {}), [])
    expect("an exemption", check([set(f"src/x/{i}" for i in range(11))], {"src/x": 11}), [])
    expect("one file more", bool(check([set(f"src/x/{i}" for i in range(12))], {"src/x": 11})), True)
    expect("an exemption that is too large", bool(check([set(f"src/x/{i}" for i in range(11))], {"src/x": 12})), True)
    expect("an exemption of nothing", bool(check([], {"src/x": 11})), True)
    one = "int one(void)\n{\n\treturn two();\n}\n"
    expect("two files", sizes({"1.c": one, "2.c": "int two(void)\n{\n\treturn one();\n}\n"}), [2])
    expect(
        "a table",
        sizes({"1.c": one, "2.c": "static const fn t[] = { one };\nint two(void)\n{\n\treturn t[0]();\n}\n"}),
        [2],
    )
    two = "static const fn t[] = {\n#include \"x/t.def\"\n};\nint two(void)\n{\n\treturn t[0]();\n}\n"
    table = "R(1, one)\n"
    expect("a .def table", sizes({"1.c": one, "2.c": "#define R(a, b) b,\n" + two, "t.def": table}), [2])
    expect("another column", sizes({"1.c": one, "2.c": "#define R(a, b) a,\n" + two, "t.def": table}), [])
    expect(
        "a function of the file's own",
        sizes(
            {"1.c": one, "2.c": "static int one(void)\n{\n\treturn 1;\n}\n" "int two(void)\n{\n\treturn one();\n}\n"}
        ),
        [],
    )
    expect("a comment", sizes({"1.c": one, "2.c": "int two(void)\n{\n\treturn 1; /* one() */\n}\n"}), [])
    expect("a prototype", sizes({"1.c": one, "2.c": "int one(void);\nint two(void)\n{\n\treturn 1;\n}\n"}), [])
    expect("a member", sizes({"1.c": one, "2.c": "int two(void)\n{\n\treturn s->one + t.one;\n}\n"}), [])
    expect(
        "arguments on two lines",
        sizes(
            {
                "1.c": "int\none(int a,\n    int b)\n{\n\treturn two();\n}\n",
                "2.c": "int two(void)\n{\n\treturn one(1, 2);\n}\n",
            }
        ),
        [2],
    )
    for w in wrong:
        print(f"circles: {w}")
    return bool(wrong)


if __name__ == "__main__":
    if sys.argv[1] == "--edges":
        edges(*sys.argv[2:4])
    else:
        sys.exit(test() if sys.argv[1] == "--test" else main())
