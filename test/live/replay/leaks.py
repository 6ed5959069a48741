# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell replay --leaks: blocks that nothing points to at the end, in C and C++: the right roots with the lines that asked for them, a cycle, and no others."""
import json
import os
import re
import shutil
import subprocess
import sys

import live

WORK = live.WORK
ENVIRONMENT = {}  # of the replay
LEAKY = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node { struct node *next, *other; char text[40]; };
static struct node *kept, *lost; static void *inner; static char *grown;
static struct node *node(struct node *next)
{
	struct node *n = calloc(1, sizeof(*n)); /* node */
	n->next = next;
	return n;
}
__attribute__((noinline)) static void overwritten(void) { lost = node(node(node(NULL))); }
__attribute__((noinline)) static void local(void) { char *p = malloc(100); /* local */ strcpy(p, "x"); }
__attribute__((noinline)) static void container(void) { void **p = malloc(300000); p[2] = malloc(77); /* container */ inner = p; }
__attribute__((noinline)) static void cycle(void) { struct node *a = node(NULL), *b = node(a); /* cycle */ a->next = b; a->other = node(NULL); }
__attribute__((noinline)) static void moved(void) { grown = malloc(30); grown = realloc(grown, 5000); /* moved */ }
static void clean(void) { memset(__builtin_frame_address(0) - 20000, 0, 19000); }
static void *thread(void *a) { void *p; if (posix_memalign(&p, 64, 90)) return a; free(p); return aligned_alloc(64, 128); }
int main(int argc, char **argv)
{
	void *got;
	pthread_t t;
	for (int i = 0; i < 30; i++) kept = node(kept);
	for (int i = 0; i < 500; i++) free(malloc(i * 10));
	pthread_create(&t, 0, thread, 0); pthread_join(t, &got); free(got);
	overwritten(); container(); moved();
	char *middle = (char *)node(NULL) + 16; kept->other = (struct node *)middle;
	if (argc > 1) { local(); cycle(); lost = NULL; free(inner); grown = NULL; }
	inner = argc > 1 ? NULL : inner;
	clean();
	printf("done\n");
	return 0;
}
"""
LOSING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct n { struct n *next; int x; };
static char *g; static struct n *head; static char *table[10];
__attribute__((noinline)) static void over(void)
{
	g = malloc(11);
	g = NULL; /* 11 store static g */
}
__attribute__((noinline)) static void two(void)
{
	char *p = malloc(22);
	p[0] = 1;
	p = malloc(23); /* 22 store stack two */
	free(p);
}
__attribute__((noinline)) static struct n *pop(void)
{
	struct n *r = head;
	head = head->next; /* 33 store static head */
	return r;
}
__attribute__((noinline)) static void list(void)
{
	for (int i = 0; i < 5; i++) { struct n *k = malloc(33); k->next = head; k->x = i; head = k; }
	free(pop());
	pop();
	while (head) free(pop());
}
__attribute__((noinline)) static void tab(void)
{
	for (int i = 0; i < 10; i++) table[i] = malloc(50 + i);
	for (int i = 0; i < 10; i++) if (i != 7) free(table[i]);
	memset(table, 0, sizeof(table)); /* 57 store static table */
}
__attribute__((noinline)) static void grow(void)
{
	char **v = malloc(16);
	v[0] = malloc(61);
	v[1] = 0;
	v = realloc(v, 4000);
	v[0] = v[1]; /* 61 store block - */
	free(v);
}
__attribute__((noinline)) static void box(void)
{
	char **v = malloc(400000);
	v[9] = malloc(71);
	free(v); /* 71 free block - */
}
__attribute__((noinline)) static void end(void)
{
	char *p = malloc(81);
	p[5] = 1;
} /* 81 return stack end */
__attribute__((noinline)) static void ring(void)
{
	struct n *a = malloc(91), *b = malloc(92);
	a->next = b;
	b->next = a;
} /* 91 return stack ring */
__attribute__((noinline)) static void taken(int fd)
{
	static char *slot;
	slot = malloc(101);
	if (read(fd, &slot, sizeof(slot)) != 8) abort(); /* 101 call static taken::slot */
}
int main(void)
{
	FILE *f = fopen("/dev/zero", "r");
	over(); two(); list(); tab(); grow(); box(); end(); ring(); taken(fileno(f));
	for (int i = 0; i < 1000; i++) free(malloc(i));
	char c[9000]; memset(c, 0, 9000); puts("x");
	return c[5];
}
"""
POOL = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
struct pool { char *at; void *free[16]; int n; };
static struct pool pool; static char *a, *b;
__attribute__((noinline)) static void *pool_take(struct pool *p, size_t size) { void *r = p->at; p->at += (size + 15) & ~15ul; return r; }
__attribute__((noinline)) static void pool_give(struct pool *p, void *x) { p->free[p->n++ % 16] = x; }
int main(void)
{
	pool.at = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 50; i++) pool_give(&pool, pool_take(&pool, 40));
	a = pool_take(&pool, 111);
	b = pool_take(&pool, 222);
	*(char **)b = pool_take(&pool, 333);
	a = NULL; /* 111 */
	*(char **)b = NULL; /* 333 */
	char c[9000]; memset(c, 0, sizeof(c)); puts("x");
	return c[5];
}
"""
PLUS = r"""
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct base { virtual ~base() {} long x[4]; };
struct leaf : base { std::vector<int> many; };
static base *last; static std::vector<std::unique_ptr<base>> all;
struct ring { std::shared_ptr<ring> to; long pad[5]; };
__attribute__((noinline)) static void lose() { leaf *l = new leaf; /* lose */ l->many.resize(100); last = l; }
__attribute__((noinline)) static void rings() { auto a = std::make_shared<ring>(), b = std::make_shared<ring>(); a->to = b; b->to = a; }
__attribute__((noinline)) static void clean() { volatile char c[16000]; for (auto &x : c) x = 0; }
int main(int argc, char **)
{
	for (int i = 0; i < 20; i++) all.push_back(std::make_unique<leaf>());
	std::string text(1000, 'x');
	lose();
	if (argc > 1) { last = nullptr; rings(); }
	clean();
	std::printf("%zu\n", text.size());
	return 0;
}
"""


def build(name, text, compiler, suffix):
    path = os.path.join(WORK, name)
    with open(path + suffix, "w", encoding="ascii") as f:
        f.write(text.lstrip())
    subprocess.run([compiler, "-g", "-O0", "-w", "-pthread", "-o", path, path + suffix], check=True)
    return path


def leaks(name, *args, allocator=None):
    trace = os.path.join(WORK, name + ".trace")
    subprocess.run(
        [live.DWELL, "rec", "-q", "-o", trace, "--", os.path.join(WORK, name), *args],
        stdout=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    text, data = (
        subprocess.run(
            [live.DWELL, "replay", "--leaks", *(["--allocator", allocator] if allocator else []), *j, trace],
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            timeout=90,
            check=False,
            text=True,
        )
        for j in ([], ["--json"])
    )
    live.check(text.returncode == 0 and data.returncode == 0, f"{name} {args}: it ran", f"{text} {data}")
    return text.stdout, json.loads(data.stdout or "{}")


def lines(name, suffix, data):
    """The marks (a comment of one word) of the lines of the program that asked for roots, with the size and the state."""
    with open(os.path.join(WORK, name + suffix), encoding="ascii") as f:
        source = f.read().split("\n")
    found = []
    for b in data["blocks"]:
        if b["state"] not in ("root", "cycle"):
            continue
        marks = [
            re.findall(r"/\* (\w+) \*/|static void (\w+)\(", source[int(s["place"].rsplit(":", 1)[1]) - 1])
            for s in b["stack"]
            if name + suffix in s.get("place", "")
        ]
        found.append((b["state"], b["bytes"], [w for m in marks for pair in m for w in pair if w]))
    return sorted(found, key=str)


def losing():
    """Each line with a mark is the one that lost the block of so many bytes: how, what held it, of which function or variable."""
    path = build("losing", LOSING, "gcc", ".c")
    text, data = leaks("losing")
    wanted = {}
    with open(path + ".c", encoding="ascii") as f:
        for n, line in enumerate(f, 1):
            m = re.search(r"/\* (\d+) (\w+) (\w+) (\S+) \*/", line)
            if m:
                wanted[int(m[1])] = (m[2], m[3], m[4], n)
    roots = {b["bytes"]: b for b in data["blocks"] if b["state"] in ("root", "cycle")}
    live.check(
        set(roots) == set(wanted) or set(roots) == set(wanted) - {91} | {92}, "the seeded leaks, and no others", text
    )
    for size, (by, holder, name, line) in wanted.items():
        lost = roots.get(size, roots.get(size + 1, {})).get("lost", {})
        where = [s["place"] for s in lost.get("stack", []) if "losing.c:" in s.get("place", "")][:1]
        told = lost.get("holder_name") if holder != "block" else "-"
        live.check(
            (lost.get("by"), lost.get("holder")) == (by, holder)
            and (told == name or told == name.split("::")[-1] or (told or "").startswith("slot"))
            and where
            and where[0].endswith(f"losing.c:{line}"),
            f"the block of {size} bytes: {by}, {holder}, line {line}",
            json.dumps(lost),
        )


def c_program():
    build("leaky", LEAKY, "gcc", ".c")
    text, data = leaks("leaky")
    live.check(
        text.startswith("no leaks: ") and not [b for b in data["blocks"] if b["state"] != "held"],
        "a program without a leak says so",
        text,
    )
    text, data = leaks("leaky", "x")
    found = lines("leaky", ".c", data)
    wanted = [
        ("root", 100, "local"),
        ("root", 77, "container"),
        ("root", 5000, "moved"),
        ("root", 56, "overwritten"),
        ("cycle", 56, "cycle"),
    ]
    live.check(
        len(found) == 5 and all(any(f[0] == s and f[1] == n and w in f[2] for f in found) for s, n, w in wanted),
        "five roots, one of a cycle",
        f"{found} {text}",
    )
    live.check(
        len([b for b in data["blocks"] if b["state"] == "leaked"]) == 4,
        "what they lead to is leaked, and no root",
        text,
    )
    lost = {b["bytes"]: b["lost"] for b in data["blocks"] if b["state"] in ("root", "cycle") and "lost" in b}
    live.check(
        {n: lost.get(n, {}).get("by") for n in (100, 77, 5000)} == {100: "return", 77: "free", 5000: "store"}
        and "held last by leaky`grown, which was overwritten by:" in text,
        "who held them last, and what lost them",
        text,
    )
    live.check(
        text.count("which nothing points to") == 4 and text.count("one of a cycle") == 1 and "by 5 roots" in text,
        "the text has them, too",
        text,
    )


def plus_program():
    build("plus", PLUS, "g++", ".cc")
    text, data = leaks("plus")
    live.check(text.startswith("no leaks: "), "C++ without a leak", text)
    text, data = leaks("plus", "x")
    found = lines("plus", ".cc", data)
    live.check(
        sorted(f[0] for f in found) == ["cycle", "root"]
        and any(f[0] == "root" and "lose" in f[2] for f in found)
        and any(f[0] == "cycle" and "rings" in f[2] for f in found),
        "C++: new, and shared pointers in a ring",
        f"{found} {text}",
    )
    live.check(
        sorted((b["lost"]["by"], b["lost"]["holder_name"]) for b in data["blocks"] if "lost" in b)
        == [("return", "rings"), ("store", "last")],
        "C++: who lost them",
        text,
    )


if not shutil.which("gcc"):
    print("# skip: no gcc")
    sys.exit(77)


def pool():
    path = build("pool", POOL, "gcc", ".c")
    text, data = leaks("pool", allocator="alloc=pool_take@2,free=pool_give@2")
    with open(path + ".c", encoding="ascii") as f:
        line = {int(m[1]): n for n, text_line in enumerate(f, 1) for m in [re.search(r"/\* (\d+) \*/", text_line)] if m}
    roots = {b["bytes"]: b for b in data["blocks"] if b["state"] == "root"}
    live.check(
        set(roots) == {111, 333}
        and data["freed"] == 50
        and all(roots[n]["lost"]["stack"][0]["place"].endswith(f"pool.c:{line[n]}") for n in roots),
        "an allocator of its own",
        text,
    )
    live.check(
        [b["bytes"] for b in data["blocks"] if b["state"] == "held" and b["bytes"] != 4096 and b["bytes"] != 1024]
        == [222],
        "what it holds",
        text,
    )
    for bad in ("alloc", "alloc=", "take=x", "alloc=x@0", "realloc=x@2", ""):
        p = subprocess.run(
            [live.DWELL, "replay", "--leaks", "--allocator", bad, os.path.join(WORK, "pool.trace")],
            capture_output=True,
            timeout=20,
            check=False,
            text=True,
        )
        live.check(p.returncode == 1 and "--allocator wants" in p.stderr, f"--allocator {bad}", p)


losing()
ENVIRONMENT = live.no_debug_registers()
losing()
ENVIRONMENT = {}
pool()
c_program()
if shutil.which("g++"):
    plus_program()
p = subprocess.run(
    [live.DWELL, "replay", "--leaks", "/dev/null"], capture_output=True, timeout=20, check=False, text=True
)
live.check(p.returncode == 1 and "no recording" in p.stderr, "no recording", p)
sys.exit(live.failures > 0)
