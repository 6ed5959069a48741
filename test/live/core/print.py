# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell core on native code: ::print, ::sizeof, ::offsetof, ::list, ::array, ::nm, names as addresses, of a process and of its core, against what
the program itself says; types that are not there, paths that lead nowhere, hostile pointers."""
import json
import os
import shutil
import subprocess
import live

SOURCE = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
enum state { IDLE, BUSY = 5, LOST = -2 };
typedef struct point { int x, y; } point_t;
struct list_head { struct list_head *next, *prev; };
struct hidden;
struct conn { char name[16]; enum state state; struct conn *next; point_t at[3]; unsigned low:3, high:5; int64_t neg:40; double d; float fl;
  union { int i; float f; }; struct { short in; } sub; int (*handler)(int); struct list_head link; const char *text; unsigned char raw[4];
  _Bool ok; struct hidden *secret; uint64_t grid[2][3]; struct conn *wild; };
static int handle(int n) { return n; }
struct conn second = { .name = "second", .state = LOST, .neg = 7 };
struct conn first = { .name = "first", .state = BUSY, .next = &second, .at = {{1, 2}, {3, -4}, {5, 6}}, .low = 5, .high = 9, .neg = -3, .d = 1.5,
  .fl = 0.5f, .i = 0x41, .sub = {9}, .handler = handle, .text = "hello", .raw = {1, 2, 3, 4}, .ok = 1, .grid = {{1, 2, 3}, {4, 5, 6}},
  .wild = (struct conn *)16 };
static struct list_head head = { &first.link, &second.link };
static point_t spot = { 7, 8 };
int main(void) {
  first.link.next = &second.link; second.link.next = &head; second.next = &first;
  printf("{\"first\": %lu, \"second\": %lu, \"spot\": %lu, \"size\": %zu, \"in\": %zu, \"grid\": %zu, \"link\": %zu, \"x\": %d}\n", (unsigned long)&first,
    (unsigned long)&second, (unsigned long)&spot, sizeof(struct conn), offsetof(struct conn, sub.in), offsetof(struct conn, grid[1][2]),
    offsetof(struct conn, link), spot.x);
  fflush(stdout); for (;;) pause(); }
"""
WANT = {
    "name": "first",
    "state": "BUSY",
    "at": [{"x": 1, "y": 2}, {"x": 3, "y": -4}, {"x": 5, "y": 6}],
    "low": 5,
    "high": 9,
    "neg": -3,
    "d": 1.5,
    "fl": 0.5,
    "sub": {"in": 9},
    "raw": [1, 2, 3, 4],
    "ok": True,
    "grid": [[1, 2, 3], [4, 5, 6]],
    "wild": "10",
}


def build(name, *flags):
    with open(name + ".c", "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["cc", *flags, "-Wl,--build-id", "-o", name, name + ".c"], check=True)
    return os.path.join(live.WORK, name)


def core(target, *lines):
    args = [a for l in lines for a in ("-c", l)]
    return live.dwell("core", *target, *args)


def rows(target, *lines):
    args = [a for l in lines for a in ("-c", l)]
    return [json.loads(l) for l in live.dwell("core", "--json", *target, *args).stdout.splitlines()]


def judge(what, target, at):
    got = rows(target, "first::print")[0]
    live.same((int(got["address"], 16), got["type"]), (at["first"], "struct conn"), f"{what}: a variable by its name")
    live.same({k: got["value"].get(k) for k in WANT}, WANT, f"{what}: all of its members")
    live.same(int(got["value"]["next"], 16), at["second"], f"{what}: a pointer")
    live.same(got["value"]["(no name)"]["i"], 0x41, f"{what}: a union without a name")
    text = core(target, "first::print").stdout
    for line in (
        '    name = "first"',
        "    state = 5 (BUSY)",
        "    next = p`second",
        "        in = 0x9",
        "    handler = p`handle",
        '"hello"\n',
        "    raw = [ 0x1, 0x2, 0x3, 0x4 ]",
        "    neg = -3",
        "            y = -4",
    ):
        live.check(line in text, f"{what}: text has {line.strip()}", text)
    r = core(
        target,
        "first::print .next->state .grid[1][2] .next.next->name .i .at[1]",
        f"{at['spot']:x}::print -a point_t",
        "first+10::print enum state",
        "spot::print",
        "p`spot::print .x",
    )
    live.check(
        ".next->state = -2 (LOST)" in r.stdout
        and ".grid[1][2] = 0x6" in r.stdout
        and '.next.next->name = "first"' in r.stdout
        and ".i = 0x41" in r.stdout
        and f"{at['spot'] + 4:x}     y = 0x8" in r.stdout
        and "5 (BUSY)" in r.stdout,
        f"{what}: paths, addresses",
        r.stdout + r.stderr,
    )
    live.same(core(target, "p`spot::print .x").stdout, ".x = 0x7\n", f"{what}: of a named file")
    r = core(
        target,
        "::sizeof struct conn",
        "::offsetof struct conn sub.in",
        "::offsetof conn grid[1][2]",
        "::sizeof unsigned long",
        "::sizeof point_t *",
        "::offsetof conn high",
    )
    live.same(
        r.stdout.splitlines(),
        [
            f"sizeof (struct conn) = {at['size']:#x}",
            f"offset = {at['in']:#x}, size = 0x2",
            f"offset = {at['grid']:#x}, size = 0x8",
            "sizeof (long unsigned int) = 0x8",
            "sizeof (point_t *) = 0x8",
            r.stdout.splitlines()[-1],
        ],
        f"{what}: sizes and offsets",
    )
    live.check("bit 3, 5 bits" in r.stdout, f"{what}: a bit field", r.stdout)
    r = core(
        target,
        "first::list struct conn next | ::print struct conn name",
        "first::list conn link | ::print conn name",
        "first+20::array point_t 3 | ::print point_t x",
        "first::print .next | ::print struct conn state",
    )
    live.same(
        r.stdout.splitlines()[:2], ['name = "first"', 'name = "second"'], f"{what}: a list that ends where it began"
    )
    live.check(
        'x = 0x1\nx = 0x3\nx = 0x5\n' in r.stdout and "-2 (LOST)" in r.stdout,
        f"{what}: elements, a pipeline by a pointer",
        r.stdout + r.stderr,
    )
    r = core(target, "::nm handl", "handle::whatis")
    live.check("p`handle\n" in r.stdout and "p`handle+0x0" in r.stdout, f"{what}: symbols", r.stdout + r.stderr)
    r = core(
        target,
        "handle::dis",
        "handle+0::dis -n 1",
        "::typedef struct conn * conn_p",
        "::typedef point_t dot",
        "::typedef",
        "first+20::print dot",
        "::sizeof conn_p",
        "::typedef -d dot",
        "::sizeof dot",
    )
    code = subprocess.run(
        ["objdump", "-d", "-M", "intel", "--no-show-raw-insn", "--disassemble=handle", "p"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    code = [" ".join(l.split("\t")[1].replace(",", ", ").split()) for l in code.splitlines() if "\t" in l]
    said = [" ".join(l.split(":  ")[1].split()) for l in r.stdout.splitlines() if l.startswith("p`handle+")]
    live.same(said[:-1], code, f"{what}: instructions as objdump has them")
    live.same(said[-1], code[0], f"{what}: one instruction")
    live.check(
        "typedef struct conn * conn_p\ntypedef point_t dot\n" in r.stdout
        and "    x = 0x1\n" in r.stdout
        and "= 0x8\n" in r.stdout
        and "no type is called 'dot'" in r.stderr,
        f"{what}: names for types",
        r.stdout + r.stderr,
    )
    got = rows(target, "main::dis")
    live.check(
        all(x["name"] == "main" and x["text"] for x in got) and any(x.get("target") for x in got),
        f"{what}: calls have a target",
        got,
    )
    got = rows(target, "::nm first")
    live.check(
        any(int(x["address"], 16) == at["first"] and x["size"] == at["size"] for x in got),
        f"{what}: a symbol's size",
        got,
    )


os.chdir(live.WORK)
program = build("p", "-g", "-O1")
p = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
where = json.loads(p.stdout.readline())
judge("alive", ["-p", p.pid], where)
for line, words in (
    ("first::print .nix", "'struct conn' has no member 'nix'"),
    ("first::print .state[2]", "'enum state' is no array"),
    ("first::print .wild->name", "10 cannot be read"),
    ("first::print .secret->a", "declared, and not defined"),
    ("first::print .at[zz]", "is no index"),
    ("first::print .name.x", "has no members"),
    ("first::print .", "no path of members"),
    ("::sizeof struct nothing", "no type is called 'nothing'"),
    ("::offsetof conn next->name", "is a pointer"),
    ("::sizeof", "a type is missing"),
    ("nothing::print", "neither a number nor a name"),
    ("first+x::print", "no number follows"),
    ("10::print struct conn", "10 cannot be read"),
    ("::offsetof conn", "wants a type and a member"),
    ("first::list conn", "wants a type and a member"),
    ("first::list conn wild", "cannot be read"),
    ("first::array conn", "wants a type and a count"),
    ("first::array point_t 1000000000", "a count up to"),
    ("first::print -d 0t1000 conn", "a number up to"),
    ("::sizeof point_t " + "*" * 65, "pointers to pointers"),
    ("::sizeof " + "x" * 600, "more than"),
    ("first::print ." + "x" * 1100, "more than"),
    ("x" * 1100 + "::print", "more than"),
    ("::typedef conn", "a type and one new name"),
    ("::typedef conn 1x", "one new name"),
    ("::typedef -d no", "no name 'no'"),
    ("10::dis", "no function is known"),
    ("10::dis -n 1", "10 cannot be read"),
    ("handle::dis -n 0tx", "wants a number"),
    ("handle::print", "the type of 'handle' is not known"),
):
    r = core(["-p", p.pid], line)
    live.check(
        r.returncode == 1 and words in r.stderr,
        f"refused: {line[:40]}",
        f"{r.returncode} {r.stdout[:200]} {r.stderr[:300]}",
    )
r = core(["-p", p.pid], "first::print -d 0", "first::print -n 1 .grid[0]")
live.check("(struct {…}) …" in r.stdout and "… 2 more" in r.stdout, "depth and elements are limited", r.stdout)
if shutil.which("gcore"):
    subprocess.run(
        ["gcore", "-o", "core", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    judge("its core", [f"core.{p.pid}"], where)
p.kill()
p.wait()
program = build("stripped", "-O1", "-s")
p = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
p.stdout.readline()
r = core(["-p", p.pid], "::sizeof struct conn")
live.check(
    r.returncode == 1 and ("compile with -g" in r.stderr or "no type is called" in r.stderr),
    "without debug information",
    r.stderr,
)
p.kill()
p.wait()
# Structs within each other, more than are printed: what is deeper is null, and the line is whole.
SOURCE = (
    "struct n0 { int x; };\n"
    + "".join(f"struct n{i} {{ struct n{i - 1} a; }};\n" for i in range(1, 62))
    + "#include <unistd.h>\n#include <stdio.h>\nstruct n61 deep; int main(void) { puts(\"up\"); fflush(stdout); for (;;) pause(); }\n"
)
p = subprocess.Popen([build("deep", "-g")], stdout=subprocess.PIPE, text=True)
p.stdout.readline()
value, levels = rows(["-p", p.pid], "deep::print -d 0t60")[0]["value"], 0
while value is not None:
    value, levels = value["a"], levels + 1
live.same(levels, 60, "structs within each other, as JSON")
p.kill()
p.wait()
live.done()
