# SPDX-License-Identifier: Apache-2.0
"""Random well-typed D programs. The same seed always gives the same text.

usage: gen.py SEED [COUNT FOLDER]     to standard output, or COUNT files FOLDER/SEED.d …

Every statement stands on a line of its own, so that shrink.py can take lines away."""
import os
import random
import sys

INTS = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "size_t",
    "pid_t",
    "uintptr_t",
    "enum colour",
    "small_t",
]
BINARY = ["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"]
RELATIONS = ["<", "<=", ">", ">=", "==", "!="]
LOGICAL = ["&&", "||", "^^"]
EDGES = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "63",
    "64",
    "100",
    "127",
    "128",
    "255",
    "256",
    "4095",
    "4096",
    "32767",
    "65535",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x100000000",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "'a'",
    "'\\n'",
    "RED",
    "BLUE",
    "sizeof (int)",
    "sizeof (struct pair)",
    "010",
    "5u",
    "6L",
    "7ull",
    "-1",
    "-2",
    "-128",
    "-32768",
]
STRINGS = [
    "",
    "a",
    "/",
    "/usr/bin/x",
    "abc,def;g",
    "%d",
    "a b\\tc",
    "x=1",
    "-42",
    "0x1f",
    "\\\"q\\\"",
    "..",
    "/a//b/../c/",
    "0123456789abcdef0123456789ABCDEF",
]

# name of the probe, arguments: (index, C expression kinds)
PROBES = [
    ("BEGIN", []),
    ("END", []),
    ("dtrace:::BEGIN", []),
    ("ERROR", []),
    ("tick-1s", []),
    ("tick-10ms", []),
    ("profile-97", []),
    ("profile-199hz", []),
    ("tick-3m", []),
    ("syscall::read:entry", [("int", "args[0]"), ("user", "args[1]"), ("int", "args[2]")]),
    ("syscall::write:entry", [("int", "args[0]"), ("user", "arg1"), ("int", "args[2]")]),
    ("syscall::openat:entry", [("int", "args[0]"), ("user", "arg1")]),
    ("syscall::read:return", [("int", "args[0]"), ("int", "arg1")]),
    ("syscall::openat:return", [("int", "args[0]")]),
    ("syscall:::entry", []),
    ("syscall:::return", []),
    ("syscall::*stat*:", []),
    ("syscall::get*id:entry", []),
    ("syscall::[a-c]*:return", []),
    ("syscall:", []),
    ("sched:::on-cpu", []),
    ("sched:::off-cpu", [("int", "args[0]->pr_pri"), ("int", "args[1]->pr_pid"), ("task", "curthread")]),
    ("sdt:::sched_switch", [("int", "args[0]"), ("task", "args[1]"), ("task", "args[2]"), ("int", "args[3]")]),
    ("rawtp:::sched_switch", [("int", "args[0]"), ("task", "args[1]"), ("task", "args[2]")]),
    ("sdt:::sched_wakeup", [("task", "args[0]")]),
    ("sdt:::sched_process_fork", [("task", "args[0]"), ("task", "args[1]")]),
    ("sdt:::sched_process_exit", [("task", "args[0]")]),
    ("sdt:::sys_enter", [("int", "args[1]"), ("int", "args[0]->ip"), ("int", "args[0]->orig_ax")]),
    ("sdt:::irq_handler_entry", [("int", "args[0]"), ("int", "args[1]->irq"), ("kstr", "args[1]->name")]),
    ("sdt:::softirq_entry", [("int", "args[0]")]),
    ("sdt:::mm_page_alloc", [("int", "args[0]->_refcount.counter"), ("int", "args[1]"), ("int", "args[3]")]),
    ("sdt:::kmalloc", [("int", "args[0]"), ("int", "args[2]"), ("int", "args[4]"), ("int", "args[5]")]),
    (
        "sdt:::block_rq_issue",
        [("int", "args[0]->__data_len"), ("int", "args[0]->cmd_flags"), ("int", "args[0]->q->nr_requests")],
    ),
    ("sdt:sched::", []),
    ("sdt:::timer_*", []),
    ("sched:::", []),
    ("sdt:::sched_switch, sdt:::sched_wakeup", []),
    ("syscall::read:entry, tick-1s, END", []),
]
TASK_INTS = [
    "pid",
    "tgid",
    "flags",
    "prio",
    "utime",
    "se.vruntime",
    "mm->total_vm",
    "signal->nr_threads",
    "real_parent->pid",
    "group_leader->tgid",
    "cred->uid.val",
    "files->count.counter",
    "policy",
    "in_execve",
    "sched_reset_on_fork",
    "comm[0]",
    "comm[3]",
    "se.on_rq",
    "exit_code",
    "start_time",
    "mm->pgd->pgd",
    "fs->umask",
    "nsproxy->pid_ns_for_children->level",
    "thread_pid->level",
    "in_iowait",
    "frozen",
]
TASK_TASKS = ["real_parent", "group_leader", "parent", "real_parent->group_leader"]
TASK_STRS = ["comm", "real_parent->comm", "group_leader->comm", "nsproxy->uts_ns->name.nodename"]

BUILTIN_INTS = [
    "arg0",
    "arg1",
    "arg2",
    "arg3",
    "arg5",
    "arg9",
    "caller",
    "cgroup",
    "cpu",
    "epid",
    "errno",
    "gid",
    "id",
    "ipl",
    "pid",
    "ppid",
    "stackdepth",
    "tid",
    "timestamp",
    "ucaller",
    "uid",
    "ustackdepth",
    "vtimestamp",
    "walltimestamp",
    "$pid",
    "$uid",
]
BUILTIN_STRS = ["execname", "probefunc", "probemod", "probename", "probeprov", "container"]

TYPES = """enum colour { RED, GREEN = 5, BLUE, NEG = -3 };
typedef short small_t;
struct pair { int a; char b; long c; short d; };
struct bits { int x:3; unsigned y:7; unsigned char z:1; long w:40; unsigned long v:63; int u:32; };
union mix { int i; char bytes[8]; long l; struct pair p; };
struct big { char name[24]; struct pair p; struct bits f; union mix m; int table[5]; struct pair *link; small_t s; };
"""
# integer members of each struct, from a variable of it
MEMBERS = {
    "struct pair": ["a", "b", "c", "d"],
    "struct bits": ["x", "y", "z", "w", "v", "u"],
    "union mix": ["i", "bytes[0]", "bytes[7]", "l", "p.a", "p.d"],
    "struct big": [
        "p.a",
        "p.c",
        "f.x",
        "f.y",
        "f.w",
        "f.v",
        "m.i",
        "m.bytes[3]",
        "m.p.c",
        "table[0]",
        "table[4]",
        "name[0]",
        "name[23]",
        "s",
    ],
}
STRUCTS = list(MEMBERS)
BIG_SIZE = 256  # not less than sizeof (struct big)
DEFAULT_SCRATCH = 4096  # bytes that alloca() and copyin() of a constant size can have without an option


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.out = []
        self.aggs = {}
        self.probe_args = []
        self.strsize = 256
        self.scratch = DEFAULT_SCRATCH
        self.ints, self.strs, self.structs, self.arrays, self.assocs = [], [], [], [], []
        self.in_pred = False
        self.made = set()  # pointers that the clause has set already
        self.rich = self.r.random()

    def pick(self, seq):
        return self.r.choice(seq)

    def chance(self, p):
        return self.r.random() < p

    # -- declarations --

    def declare(self):
        decl = []
        for i in range(self.r.randrange(2, 7)):
            t = self.pick(INTS)
            scope = self.pick(["", "self ", "this "])
            decl.append(f"{scope}{t} i{i};")
            self.ints.append(f"{scope.strip() + '->' if scope else ''}i{i}")
        for i in range(self.r.randrange(1, 4)):
            scope = self.pick(["", "self ", "this "])
            decl.append(f"{scope}string s{i};")
            self.strs.append(f"{scope.strip() + '->' if scope else ''}s{i}")
        for i in range(self.r.randrange(0, 4)):
            scope = self.pick(["", "self ", "this "])
            t = self.pick(STRUCTS)
            decl.append(f"{scope}{t} st{i};")
            self.structs.append((f"{scope.strip() + '->' if scope else ''}st{i}", t))
        for i in range(self.r.randrange(0, 3)):
            scope = self.pick(["", "self ", "this "])
            t, n = self.pick(INTS), self.pick([1, 2, 5, 16])
            decl.append(f"{scope}{t} ar{i}[{n}];")
            self.arrays.append((f"{scope.strip() + '->' if scope else ''}ar{i}", n))
        for i in range(self.r.randrange(0, 4)):
            scope = self.pick(["", "self "])
            t = self.pick(INTS + ["string"] * 6 + ["struct pair"] * 3)
            keys = [self.pick(INTS[:19] + ["string"] * 8) for _ in range(self.r.randrange(1, 5))]
            decl.append(f"{scope}{t} as{i}[{', '.join(keys)}];")
            self.assocs.append((f"{'self->' if scope else ''}as{i}", t, keys))
        return decl

    # -- expressions --

    def const(self):
        return self.pick(EDGES) if self.chance(0.7) else str(self.r.getrandbits(self.pick([4, 8, 16, 31])))

    def assoc(self, a, depth):
        keys = [self.string(depth - 1) if k == "string" else self.int(depth - 1) for k in a[2]]
        return f"{a[0]}[{', '.join(keys)}]"

    def index(self, mask, depth):
        return str(self.r.randrange(mask + 1)) if self.chance(0.4) else f"({self.int(depth - 1)}) & {mask}"

    def int_lvalue(self, depth):
        options = [lambda: self.pick(self.ints)]
        if self.structs:

            def member():
                name, t = self.pick(self.structs)
                return f"{name}.{self.pick(MEMBERS[t])}"

            options += [member] * 2
        if self.arrays:

            def element():
                name, n = self.pick(self.arrays)
                if self.chance(0.5):
                    return f"{name}[{self.r.randrange(n)}]"
                return f"{name}[({self.int(depth - 1)}) & {(1 << (n.bit_length() - 1)) - 1}]"

            options += [element] * 2
        ints = [a for a in self.assocs if a[1] not in ("string", "struct pair")]
        if ints:
            options += [lambda: self.assoc(self.pick(ints), depth)] * 2
        if "pp" in self.made:
            options.append(lambda: f"this->pp->{self.pick(MEMBERS['struct pair'])}")
        if "big" in self.made:
            options.append(lambda: f"this->big->{self.pick(MEMBERS['struct big'])}")
        options += [
            lambda: f"m2[{self.index(1, depth)}][{self.index(3, depth)}]",
            lambda: f"vv[{self.index(3, depth)}]",
            lambda: f"{self.pick(['', 'self->t', 'this->h'])}gp[{self.index(3, depth)}].{self.pick(MEMBERS['struct pair'])}",
        ]
        nested = [n for n, t in self.structs if t == "struct big"]
        if nested:
            options.append(lambda: f"{self.pick(nested)}.table[{self.index(3, depth)}]")
        pairs = [a for a in self.assocs if a[1] == "struct pair"]
        if pairs:
            options.append(lambda: f"{self.assoc(self.pick(pairs), depth)}.{self.pick(MEMBERS['struct pair'])}")
        if "ip" in self.made:
            options.append(
                lambda: self.pick(
                    ["*this->ip", "this->ip[1]", "*(this->ip + 3)", f"this->ip[({self.int(depth - 1)}) & 3]"]
                )
            )
        return self.pick(options)()

    def task(self):
        base = "curthread"
        tasks = [e for k, e in self.probe_args if k == "task"]
        if tasks and self.chance(0.6):
            base = self.pick(tasks)
        if self.chance(0.2):
            base = f"{base}->{self.pick(TASK_TASKS)}"
        if "tp" in self.made and self.chance(0.4):
            base = "this->tp"
        return base

    def leaf_int(self):
        options = [
            self.const,
            self.const,
            lambda: self.int_lvalue(0),
            lambda: self.int_lvalue(0),
            lambda: self.pick(BUILTIN_INTS),
            lambda: f"{self.task()}->{self.pick(TASK_INTS)}",
        ]
        mine = [e for k, e in self.probe_args if k == "int"]
        if mine:
            options += [lambda: self.pick(mine)] * 2
        return self.pick(options)()

    def divisor(self, depth):
        if self.chance(0.3):
            return self.pick(["3", "7", "16", "-5", "1000", "(uint8_t)17"])
        return f"({self.int_lvalue(0)})" if self.chance(0.3) else f"(({self.int(depth - 1)}) | 1)"

    def int(self, depth):
        if depth <= 0:
            return self.leaf_int()
        d = depth - 1
        kind = self.r.randrange(22)
        if kind < 2:
            return self.leaf_int()
        if kind < 6:
            op = self.pick(BINARY)
            if op in "/%":
                return f"({self.int(d)}) {op} {self.divisor(d)}"
            return f"({self.int(d)}) {op} ({self.int(d)})"
        if kind < 8:
            return f"({self.int(d)}) {self.pick(RELATIONS)} ({self.int(d)})"
        if kind == 8:
            return f"({self.int(d)}) {self.pick(LOGICAL)} ({self.int(d)})"
        if kind == 9:
            return f"({self.int(d)}) ? ({self.int(d)}) : ({self.int(d)})"
        if kind == 10:
            return f"{self.pick(['-', '~', '!', '+'])}({self.int(d)})"
        if kind == 11:
            return f"({self.pick(INTS)})({self.int(d)})"
        if kind == 12:
            return f"({self.string(d)}) {self.pick(RELATIONS)} ({self.string(d)})"
        if kind == 13:
            return self.pick(
                [
                    "strlen({0})",
                    "index({0}, {1})",
                    "rindex({0}, {1})",
                    "strtoll({0})",
                    "strtoll({0}, 16)",
                    "index({0}, {1}, {2})",
                    "rindex({0}, {1}, {2})",
                ]
            ).format(self.string(d), self.string(d), self.int(d))
        if kind == 14:
            return self.pick(
                [
                    "htons({0})",
                    "htonl({0})",
                    "htonll({0})",
                    "ntohs({0})",
                    "ntohl({0})",
                    "ntohll({0})",
                    "getmajor({0})",
                    "getminor({0})",
                    "progenyof({0})",
                    "rand()",
                ]
            ).format(self.int(d))
        if kind == 15 and not self.in_pred:
            lv = self.int_lvalue(d)
            return self.pick(["{0}++", "++{0}", "{0}--", "--{0}"]).format(f"({lv})" if "*" in lv else lv)
        if kind == 16 and not self.in_pred:
            return f"({self.int_lvalue(0)} {self.pick(['=', '+=', '-=', '*=', '&=', '|=', '^=', '<<=', '>>='])} {self.int(d)})"
        if kind == 17:
            return f"({self.task()} {self.pick(['==', '!='])} {self.task()})"
        if kind == 18:
            return self.pick(
                [
                    f"(uintptr_t){self.task()}",
                    f"({self.int(d)}, {self.int(d)})",
                    f"(long)&{self.task()}->pid",
                    f"*(int *)&{self.task()}->pid",
                    f"*((int *)&{self.task()}->pid + 1)",
                    f"(&{self.task()}->pid)[1]",
                    f"((struct task_struct *){self.task()})->pid",
                    f"*(char *)({self.int(d)})",
                    f"((struct pair *)({self.int(d)}))->c",
                    f"sizeof ({self.task()}->comm)",
                    f"{self.task()}->comm[({self.int(d)}) & 15]",
                    f"(int *)&{self.task()}->pid - (int *)&curthread->tgid",
                    "offsetof(struct big, p)",
                    f"{self.task()}->comm[{self.r.randrange(16)}]",
                    "sizeof (vv)",
                    "TEN",
                    "*NAMED",
                    f"(int)offsetof(struct task_struct, pid) + {self.const()}",
                ]
            )
        return f"({self.int(d)}) {self.pick(BINARY[:8])} ({self.int(d)})"

    def leaf_str(self):
        options = [
            lambda: f'"{self.pick(STRINGS)}"',
            lambda: self.pick(self.strs),
            lambda: self.pick(BUILTIN_STRS),
            lambda: f"stringof({self.task()}->{self.pick(TASK_STRS)})",
        ]
        strs = [a for a in self.assocs if a[1] == "string"]
        if strs:
            options.append(lambda: self.assoc(self.pick(strs), 0))
        users = [e for k, e in self.probe_args if k == "user"]
        if users and "args" in users[0]:
            options.append(lambda: f"stringof({self.pick(users)})")
        if users:
            options.append(lambda: f"copyinstr({self.pick(users)}{self.pick(['', ', 8', ', 64'])})")
        kstrs = [e for k, e in self.probe_args if k == "kstr"]
        if kstrs:
            options.append(lambda: f"stringof({self.pick(kstrs)})")
        bigs = [n for n, t in self.structs if t == "struct big"]
        if bigs:
            options.append(lambda: f"stringof({self.pick(bigs)}.name)")
        return self.pick(options)()

    def string(self, depth):
        if depth <= 0 or self.chance(0.25):
            return self.leaf_str()
        d = depth - 1
        form = self.pick(
            [
                "strjoin({0}, {1})",
                "substr({0}, {2})",
                "substr({0}, {2}, {3})",
                "strtok({0}, {1})",
                "strtok(0, {1})",
                "basename({0})",
                "dirname({0})",
                "cleanpath({0})",
                "tolower({0})",
                "toupper({0})",
                "strchr({0}, {2})",
                "strrchr({0}, {2})",
                "strstr({0}, {1})",
                "lltostr({2})",
                "lltostr({2}, 16)",
                "(({2}) ? ({0}) : ({1}))",
                "inet_ntoa((uint32_t *)&curthread->pid)",
                "lltostr({2}, {3})",
                "inet_ntoa6((struct in6_addr *)curthread->comm)",
                "inet_ntop(2, &curthread->pid)",
                "inet_ntop(10, &curthread->comm)",
                "(string){0}",
                "stringof({0})",
                "copyinstr({2})",
                "stringof((char *)({2}))",
                "copyinstr({2}, 100)",
            ]
        )
        return form.format(
            self.string(d) if "{0}" in form else "",
            self.string(d) if "{1}" in form else "",
            self.int(d) if "{2}" in form else "",
            self.int(d) if "{3}" in form else "",
        )

    # -- statements --

    def depth(self):
        if self.rich > 0.9:
            return self.pick([1, 2, 3, 4, 5, 6])
        return self.pick([0, 1, 1, 2, 2, 3, 4]) if self.rich > 0.3 else self.pick([0, 1, 1, 2])

    def key(self):
        d = self.pick([0, 0, 1])
        return self.pick(
            [
                lambda: (self.int(d), "i"),
                lambda: (self.string(d), "s"),
                lambda: (self.string(d), "s"),
                lambda: (f"stack({self.pick(['', '1', '5', '20'])})", "k"),
                lambda: (f"ustack({self.pick(['', '3', '10', '4, 100'])})", "u"),
                lambda: (f"{self.pick(['sym', 'func', 'mod'])}({self.int(0)})", "y"),
                lambda: (f"{self.pick(['usym', 'ufunc', 'umod', 'uaddr'])}({self.int(0)})", "y"),
            ]
        )()

    def same_key(self, sort):
        """An expression that may stand in the place of a key of this kind."""
        if sort[0] == "s":
            return self.string(1)
        if sort[0] == "y":
            return f"{sort[1].split('(')[0]}({self.int(0)})"
        return sort[1] if sort[0] in "ku" else f"(int)({self.int(1)})"

    def aggregation(self):
        if self.aggs and self.chance(0.4):
            name = self.pick(list(self.aggs))
            func, keys = self.aggs[name]
            keys = [self.same_key(k) for k in keys]
        else:
            name = f"@g{len(self.aggs)}" if "@" in self.aggs or self.chance(0.8) else "@"
            func = self.pick(
                [
                    "count()",
                    "sum({0})",
                    "avg({0})",
                    "min({0})",
                    "max({0})",
                    "stddev({0})",
                    "quantize({0})",
                    "quantize({0}, {1})",
                    "lquantize({0}, 0, 100, 10)",
                    "lquantize({0}, -50, 50, 7, {1})",
                    "lquantize({0}, 0, 3)",
                    "llquantize({0}, 10, 0, 6, 20)",
                    "llquantize({0}, 2, 2, 20, 8)",
                    "llquantize({0}, 10, 3, 9, 10, {1})",
                ]
            )
            keys, sorts = [], []
            for _ in range(self.pick([0, 1, 1, 1, 2, 3, 5])):
                k, s = self.key()
                sorts.append((s, k))
                keys.append(f"(int)({k})" if s == "i" else k)
            self.aggs[name] = (func, sorts)
        value = func.format(self.int(self.depth()), self.int(1))
        return f"{name}{'[' + ', '.join(keys) + ']' if keys else ''} = {value};"

    def printf(self):
        fmt, args = [], []
        for _ in range(self.r.randrange(1, 7)):
            sort = self.r.randrange(12)
            if sort < 5:
                fmt.append(self.pick(["%d", "%i", "%u", "%x", "%X", "%o", "%5d", "%-8x", "%08d", "%+d", "%#x"]))
                args.append(self.int(self.depth()))
            elif sort < 9:
                fmt.append(self.pick(["%s", "%20s", "%-5s", "%.3s", "%S"]))
                args.append(self.string(self.depth()))
            elif sort == 9:
                fmt.append("%c")
                args.append(f"(char)({self.int(1)})")
            elif sort == 10:
                fmt.append(self.pick(["%*d", "%-*d"]))
                args += [f"(int)(({self.int(0)}) & 15)", self.int(1)]
            else:
                spec, arg = self.pick(
                    [
                        ("%a", self.int(1)),
                        ("%A", f"usym({self.int(0)})"),
                        ("%p", self.task()),
                        ("%Y", "walltimestamp"),
                        ("%T", "walltimestamp"),
                        ("%k", "stack(5)"),
                        ("%k", "ustack(5)"),
                        ("%ld", f"(long)({self.int(1)})"),
                        ("%hd", f"(short)({self.int(1)})"),
                        ("%hhu", f"(unsigned char)({self.int(1)})"),
                        ("%%", None),
                        ("%p", f"(char *){self.int_paren(1)}"),
                        ("%C", f"(char)({self.int(0)})"),
                    ]
                )
                fmt.append(spec)
                if arg:
                    args.append(arg)
        return f'printf("{" ".join(fmt)}\\n"{"".join(", " + a for a in args)});'

    def int_paren(self, depth):
        return f"({self.int(depth)})"

    def assignment(self):
        sort = self.r.randrange(12)
        d = self.depth()
        if sort < 4:
            op = self.pick(["=", "=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
            return f"{self.int_lvalue(d)} {op} {self.divisor(d) if op[0] in '/%' else self.int(d)};"
        if sort < 7:
            return f"{self.pick(self.strs)} = {self.string(d)};"
        if sort == 7 and self.assocs:
            a = self.pick(self.assocs)
            if a[1] == "struct pair":
                same = [n for n, t in self.structs if t == a[1]]
                if not same or self.chance(0.3):
                    return f"{self.assoc(a, 1)}.a = {self.int(d)};"
                return f"{self.assoc(a, 1)} = {self.pick(same)};"
            value = "0" if self.chance(0.4) else self.string(d) if a[1] == "string" else self.int(d)
            return f"{self.assoc(a, d)} = {value};"
        if sort == 8:
            return self.pick([f"{self.pick(self.strs)} = 0;", f"{self.pick(self.ints)} = 0;"])
        if sort == 9 and len(self.structs) > 1:
            a, b = self.pick(self.structs), self.pick(self.structs)
            if a[1] == b[1]:
                return f"{a[0]} = {b[0]};"
        if sort == 10:
            lv = self.int_lvalue(d)
            return f"{self.pick(['{0}++', '--{0}']).format('(' + lv + ')' if '*' in lv else lv)};"
        return self.pointer()

    def pointer(self):
        which = self.pick(["pp", "big", "ip", "tp", "cp"] if self.scratch >= BIG_SIZE else ["pp", "ip", "tp", "cp"])
        self.made.add(which)
        n = self.pick([str(size) for size in (8, 64, 100, 256) if size <= self.scratch] + [f"(({self.int(0)}) & 127)"])
        return {
            "pp": "this->pp = (struct pair *)alloca(sizeof (struct pair));",
            "big": "this->big = (struct big *)alloca(sizeof (struct big));",
            "ip": f"this->ip = (int *)alloca({self.pick([size for size in (16, 64, 400) if size <= self.scratch])});",
            "tp": f"this->tp = {self.task()};",
            "cp": self.pick([f"this->cp = (char *)copyin({self.int(1)}, {n});", f"this->cp = (char *)alloca({n});"]),
        }[which]

    def memory(self):
        if "cp" in self.made:
            return self.pick(
                [
                    f"bcopy({self.task()}->comm, this->cp, {self.pick(['4', '16', f'({self.int(0)}) & 31'])});",
                    f"copyinto({self.int(1)}, {self.pick(['1', '8', f'({self.int(0)}) & 63'])}, this->cp);",
                    f"this->cp[({self.int(1)}) & 7] = {self.int(1)};",
                    "trace(this->cp[2]);",
                    "tracemem(this->cp, 8);",
                    "trace(stringof(this->cp));",
                ]
            )
        return (
            f"tracemem({self.pick(['curthread', self.task() + '->comm', self.int_paren(1)])}, {self.pick(['1', '16', '100'])}"
            + f"{self.pick(['', '', ', ' + self.int(1)])});"
        )

    def data(self):
        return self.pick(
            [
                lambda: f"trace({self.int(self.depth())});",
                lambda: f"trace({self.string(self.depth())});",
                lambda: f"stack({self.pick(['', '3', '12'])});",
                lambda: f"ustack({self.pick(['', '5', '8, 64'])});",
                lambda: f"{self.pick(['sym', 'func', 'mod', 'usym', 'ufunc', 'umod', 'uaddr'])}({self.int(1)});",
                lambda: f"trace({self.pick([n for n, _ in self.structs] or ['curthread->pid'])});",
                self.memory,
                self.memory,
                lambda: f"trace({self.task()}->comm);",
                lambda: f"trace({self.pick(['sym', 'usym', 'mod'])}({self.int(1)}));",
            ]
        )()

    def control(self):
        if not self.aggs:
            return self.aggregation()
        a = self.pick(list(self.aggs))
        return self.pick(
            [
                f"printa({a});",
                f'printa("%@d\\n", {a});' if self.aggs[a][1] == [] else f"printa({a});",
                f"clear({a});",
                f"trunc({a});",
                f'printa({", ".join(b for b in self.aggs if self.aggs[b][1] == [])});'
                if self.aggs[a][1] == []
                else f"trunc({a}, 3);",
                'setopt("aggsortkey");',
                'setopt("aggsize", "1m");',
                f"trunc({a}, {self.int(0)});",
                f"normalize({a}, {self.int(1)});",
                f"denormalize({a});",
            ]
        )

    def statement(self):
        return self.pick(
            [self.assignment] * 6
            + [self.aggregation] * 4
            + [self.printf] * 4
            + [self.data] * 3
            + [self.control, self.pointer]
        )()

    def clause(self):
        probe, self.probe_args = self.pick(PROBES)
        self.made = set()
        out = [probe]
        if self.chance(0.5):
            self.in_pred = True
            p = (
                self.int(self.depth())
                if self.chance(0.7)
                else f"({self.string(2)}) {self.pick(RELATIONS)} ({self.string(1)})"
            )
            self.in_pred = False
            out.append(f"/({p})/")
        n = self.pick([0, 1, 1, 2, 3, 4, 6, 10])
        out.append("{")
        out += ["\t" + self.statement() for _ in range(n)]
        if self.chance(0.05):
            out.append(f"\texit({self.int(1)});")
        out.append("}")
        return out

    def program(self):
        if self.chance(0.4):
            self.strsize = self.pick([8, 16, 33, 64, 100, 256, 512, 1024, 4096])
            self.out.append(f"#pragma D option strsize={self.strsize}")
        if self.chance(0.1):
            self.out.append("#pragma D option probereads")
        if self.chance(0.1):
            self.out.append(f"#pragma D option stackframes={self.pick([1, 5, 100])}")
        if self.chance(0.1):
            self.out.append("#pragma D option noself")
        if self.chance(0.1):
            self.scratch = self.pick([64, 1024, 16384])
            self.out.append(f"#pragma D option scratchsize={self.scratch}")
        self.out += (
            TYPES.splitlines()
            + self.declare()
            + [
                "int m2[2][4];",
                "typedef long vec_t[4];",
                "vec_t vv;",
                "struct pair gp[4];",
                "self struct pair tgp[4];",
                "this struct pair hgp[4];",
                "inline int TEN = 10;",
                "inline int *NAMED = &curthread->pid;",
            ]
        )
        # pointers get their types in a first clause
        self.out += [
            "BEGIN",
            "{",
            "\tthis->pp = (struct pair *)NULL;",
            "\tthis->big = (struct big *)NULL;",
            "\tthis->ip = (int *)NULL;",
            "\tthis->tp = (struct task_struct *)NULL;",
            "\tthis->cp = (char *)NULL;",
            "}",
        ]
        for _ in range(self.pick([1, 1, 2, 3, 4, 6, 6 if self.rich < 0.8 else 25])):
            self.out += self.clause()
        return "\n".join(self.out) + "\n"


def program(seed):
    return Gen(seed).program()


def main():
    seed = int(sys.argv[1])
    if len(sys.argv) < 4:
        sys.stdout.write(program(seed))
        return
    for s in range(seed, seed + int(sys.argv[2])):
        with open(os.path.join(sys.argv[3], f"{s}.d"), "w", encoding="utf-8") as f:
            f.write(program(s))


if __name__ == "__main__":
    main()
