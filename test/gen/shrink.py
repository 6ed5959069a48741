# SPDX-License-Identifier: Apache-2.0
"""Makes a failing D program smaller while load_all reports the same kind of failure.

usage: shrink.py LOAD_ALL FILE.d > SMALL.d"""
import os
import re
import subprocess
import sys
import tempfile


def kind(what):
    """A failure without what differs from program to program."""
    what = re.sub(r"the kernel refuses.*program's \d+ instructions\): ", "", what)
    what = re.sub(r"cannot verify .*it is too complex", "too complex", what)
    what = re.sub(r"\"?d_\w+\"?|(line|clauses?|register|\bR|\bv) ?\"?\d+", "", what)
    return re.sub(r"\d+", "", what)


def signature(load_all, text, folder):
    """What load_all says about the program, without numbers and names; "" when it is content."""
    path = os.path.join(folder, "x.d")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        r = subprocess.run([load_all, path], capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout"
    m = re.search(r"^not ok .*?: (\w+): (.*)", r.stdout, re.M)
    if not m:
        m2 = re.search(r"(ERROR: \w+: [\w-]+|runtime error: [a-z ]+)", r.stderr)
        return m2.group(1) if m2 else "" if r.returncode == 0 else f"exit {r.returncode}"
    return kind(f"{m.group(1)}: {m.group(2)}")


def blocks(lines):
    """Whole clauses: (first line, line behind the last)."""
    start = None
    for i, l in enumerate(lines):
        if l == "{":
            start = i - 1 - lines[i - 1].startswith("/")
        elif l == "}" and start is not None:
            yield start, i + 1
            start = None


def smaller_lines(lines):
    for a, b in reversed(list(blocks(lines))):
        yield lines[:a] + lines[b:]
    for i in reversed(range(len(lines))):
        if lines[i] not in "{}":
            yield lines[:i] + lines[i + 1 :]


def groups(text):
    stack = []
    for i, c in enumerate(text):
        if c in "([":
            stack.append(i)
        elif c in ")]" and stack:
            a = stack.pop()
            yield a, i + 1


def smaller_text(line):
    """Variants of a line with a bracketed part, or its surroundings, taken away."""
    for a, b in sorted(groups(line), key=lambda g: g[0] - g[1]):
        inner = line[a + 1 : b - 1]
        if line[a] == "[":
            yield line[:a] + line[b:]
            parts = inner.split(", ")
            for i in range(len(parts)):
                if len(parts) > 1:
                    yield line[: a + 1] + ", ".join(parts[:i] + parts[i + 1 :]) + line[b - 1 :]
            continue
        for sub in ("1", '"a"', "i0", "x"):
            if inner != sub:
                yield line[: a + 1] + sub + line[b - 1 :]
        word = re.search(r"\w+$", line[:a])
        head = word.start() if word else a
        for sub in ("1", '"a"', "i0"):
            if line[head:b] != f"({sub})":
                yield line[:head] + sub + line[b:]
        if word:
            for part in inner.split(", "):
                yield line[:head] + part + line[b:]
        m = re.match(r"(\([^()]*\)|[\w>.-]+) \S+ ", line[b:])
        if m:
            yield line[:a] + line[b + m.end() :]
        m = re.match(r" \S+ (\(.*|[\w>.-]+)", line[b:])
        if m and not m.group(1).startswith("("):
            yield line[:b] + line[b + m.end() :]
        yield line[:a] + inner + line[b:]
    for m in re.finditer(r", [^,()\[\]]+", line):
        yield line[: m.start()] + line[m.end() :]
    for m in re.finditer(r"[\w>.-]+ [-+*/%&|^<>=!?:]+ ", line):
        yield line[: m.start()] + line[m.end() :]
    for m in re.finditer(r" [-+*/%&|^<>=!]+ [\w>.-]+", line):
        yield line[: m.start()] + line[m.end() :]
    for m in re.finditer(r"[\w]+(->\w+)+", line):
        yield line[: m.start()] + "1" + line[m.end() :]
        yield line[: m.start()] + "i0" + line[m.end() :]
    for m in re.finditer(r'"[^"]+"', line):
        yield line[: m.start()] + '""' + line[m.end() :]
    for m in re.finditer(r'[:,] [^?:]+', line):
        yield line[: m.start()] + line[m.end() :]


def shrink(load_all, text):
    with tempfile.TemporaryDirectory(prefix="dwell-shrink-") as folder:
        want = signature(load_all, text, folder)
        lines = text.rstrip("\n").split("\n")

        def same(candidate):
            return signature(load_all, "\n".join(candidate) + "\n", folder) == want

        print(f"// {want}")
        if not want:
            return lines
        going = True
        while going:
            going = False
            todo = smaller_lines(lines)
            for c in todo:
                if len(c) < len(lines) and set(c) <= set(lines) and same(c):
                    lines, going = c, True
                    break
        going = True
        while going:
            going = False
            for i, l in enumerate(lines):
                for t in smaller_text(l):
                    if len(t) < len(lines[i]) and same(lines[:i] + [t] + lines[i + 1 :]):
                        lines, going = lines[:i] + [t] + lines[i + 1 :], True
                        break
        return lines


def main():
    with open(sys.argv[2], encoding="utf-8") as f:
        print("\n".join(shrink(sys.argv[1], f.read())))


if __name__ == "__main__":
    main()
