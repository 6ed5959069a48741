#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares dwell's readers of files with libelf, libdw and libbpf: which facts they agree on, what time and memory they
need, and what hostile files do to them. doc/decisions.md has the figures.
usage: readers.py --tools BUILD/test/perf --source ROOT [--hostile N] [--real N]"""
import argparse
import collections
import glob
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib

FACTS = ['symbols', 'lines', 'types', 'cfi']
LIMIT_S = 20  # of one program on one file
LIMIT_KB = 4 << 20

Result = collections.namedtuple('Result', 'how facts ms kb')


def run(tool, fact, path, cut=False):
    """How one program ended ("ok", "refused", "signal N", "hang") and what it said."""
    env = dict(os.environ, DEBUGINFOD_URLS='', **({'FACTS_CUT': '1'} if cut else {}))
    try:
        p = subprocess.run(
            ['prlimit', f'--as={LIMIT_KB << 10}', tool, fact, path],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Result('hang', set(), LIMIT_S * 1e3, 0)
    if p.returncode < 0:
        return Result(f'signal {-p.returncode}', set(), 0, 0)
    last = p.stderr.decode(errors='replace').split('\n')[-2:]
    try:
        ms, kb = last[0].split()
        ms, kb = float(ms), int(kb)
    except (ValueError, IndexError):
        ms, kb = 0, 0
    how = 'refused' if p.returncode else 'ok'
    return Result(how, set(p.stdout.decode(errors='replace').splitlines()), ms, kb)


def is_elf(path):
    with open(path, 'rb') as f:
        return f.read(4) == b'\x7fELF'


def system_files(n):
    """n files of /usr/bin and /usr/lib, evenly over their sizes: the same on the same machine."""
    found = {}
    for pattern in ['/usr/bin/*', '/usr/sbin/*', '/usr/lib/x86_64-linux-gnu/*.so*']:
        for path in glob.glob(pattern):
            real = os.path.realpath(path)
            if os.path.isfile(real) and os.path.getsize(real) > 10000 and is_elf(real):
                found[real] = os.path.getsize(real)
    v = sorted(found, key=lambda p: (found[p], p))
    return [v[(len(v) - 1) * i // (n - 1)] for i in range(n)]


def debug_files(n):
    v = sorted((p for p in glob.glob('/usr/lib/debug/.build-id/*/*.debug') if is_elf(p)), key=os.path.getsize)
    return v[-n:]


def sh(cmd, cwd):
    """False also when it hangs: Debian 12's llvm-dwp does on gcc's DWARF 5, where binutils' dwp dies."""
    return (
        subprocess.run(
            ['timeout', '10', 'sh', '-e', '-c', cmd],
            cwd=cwd,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        == 0
    )


def built_files(source, d):
    """One program in the forms that compilers and tools of Debian 12 write, by form."""
    src = os.path.join(source, 'test/trigger/sym_lines.c')
    shutil.copy(src, d)
    shutil.copy(os.path.join(source, 'test/trigger/sym_lines.h'), d)
    made = {}
    for cc in ['gcc', 'clang']:
        base = f'{cc} -std=gnu17 -O2 -Wl,--build-id'
        for v in ['4', '5']:
            forms = {
                f'{cc} DWARF {v}': f'{base} -gdwarf-{v} sym_lines.c -o @',
                f'{cc} DWARF {v}, zlib': f'{base} -gdwarf-{v} -gz=zlib sym_lines.c -o @',
                f'{cc} DWARF {v}, .zdebug': f'{base} -gdwarf-{v} sym_lines.c -o @.x; '
                'objcopy --compress-debug-sections=zlib-gnu @.x @',
                f'{cc} DWARF {v}, zstd': f'{base} -gdwarf-{v} sym_lines.c -o @.x; '
                'objcopy --compress-debug-sections=zstd @.x @',
                f'{cc} DWARF {v}, split': f'{base} -gdwarf-{v} -gsplit-dwarf -c sym_lines.c -o @.o; {cc} @.o -o @',
                f'{cc} DWARF {v}, package': f'{base} -gdwarf-{v} -gsplit-dwarf -c sym_lines.c -o @.o; {cc} @.o -o @; '
                + ('llvm-dwp' if v == '5' else 'dwp')
                + ' -e @ -o @.dwp; rm -f @*.dwo',
                f'{cc} DWARF {v}, dwz': f'{base} -gdwarf-{v} sym_lines.c -o @; cp @ @.copy; dwz -m @.common @ @.copy',
            }
            if v == '4':
                forms[f'{cc}, .gnu_debugdata'] = (
                    f'{base} -g sym_lines.c -o @.x; objcopy --only-keep-debug @.x @.d; strip -g @.d; xz -f @.d; '
                    'strip -o @ @.x; objcopy --add-section .gnu_debugdata=@.d.xz @'
                )
            for name, cmd in forms.items():
                out = 'f%d' % len(made)
                if sh(cmd.replace('@', out), d) and os.path.exists(os.path.join(d, out)):
                    made[name] = os.path.join(d, out)
                else:
                    print(f'  (not built: {name})')
    return made


def agreement(fact, own, lib):
    """A word on two results for one file."""
    if own.how != 'ok' or lib.how != 'ok' or not own.facts or not lib.facts:
        words = [
            r.how if r.how.startswith(('signal', 'hang')) else 'nothing' if r.how != 'ok' or not r.facts else 'all'
            for r in (own, lib)
        ]
        return 'both nothing' if words == ['nothing'] * 2 else f'own {words[0]}, lib {words[1]}'
    sides = [{key_of(fact, line): line for line in r.facts if not line.endswith(' none')} for r in (own, lib)]
    both = sides[0].keys() & sides[1].keys()
    parts = [
        (sum(sides[0][k] != sides[1][k] for k in both), 'differ'),
        (len(sides[0]) - len(both), 'own only'),
        (len(sides[1]) - len(both), 'lib only'),
    ]
    words = ', '.join(f'{n} {what}' for n, what in parts if n)
    return f'{words} of {len(sides[0].keys() | sides[1].keys())}' if words else 'same'


def key_of(fact, line):
    """What a line is about: an address, except that several symbols may have one."""
    return line if fact == 'symbols' else line.split(' ', 1)[0]


def compare(tools, files, title, each=False):
    print(f'\n{title}: {len(files)} files')
    for fact in FACTS:
        count, times, mem = collections.Counter(), ([], []), ([], [])
        differ = []
        for name, path in files.items():
            v = [run(os.path.join(tools, 'readers_' + w), fact, path) for w in ('own', 'lib')]
            word = agreement(fact, *v)
            if each:
                print(f'  {fact:8} {name:28} {word}')
            if ' of ' in word:
                differ.append(f'{os.path.basename(name)}: {word}')
                word = 'some differ'
            count[word] += 1
            if v[0].facts and v[1].facts:
                for i in range(2):
                    times[i].append(v[i].ms)
                    mem[i].append(v[i].kb)
        print(f'{fact:8}', ', '.join(f'{n} {w}' for w, n in count.most_common()))
        for d in differ:
            print('           ', d)
        if times[0]:
            print(
                '          ms sum (largest): own %.0f (%.0f), lib %.0f (%.0f); kB median (largest): own %d (%d), lib %d (%d)'
                % (
                    sum(times[0]),
                    max(times[0]),
                    sum(times[1]),
                    max(times[1]),
                    statistics.median(mem[0]),
                    max(mem[0]),
                    statistics.median(mem[1]),
                    max(mem[1]),
                )
            )


def mutate(data, rng):
    """Damage as a hostile owner would do it: single fields, whole headers, cut files."""
    data = bytearray(data)
    way = rng.randrange(4)
    if way == 0:
        return data[: rng.randrange(64, len(data))]
    for _ in range(rng.choice([1, 4, 16, 64])):
        # sections of debug information are at the end, headers at both ends
        at = rng.randrange(len(data)) if way == 1 else rng.randrange(len(data) * 2 // 5, len(data) - 8)
        if way == 3:
            data[at : at + 4] = rng.choice([b'\xff' * 4, b'\0\0\0\x80', b'\xff\xff\xff\x7f', bytes(4)])
        else:
            data[at] = rng.randrange(256)
    return data


def elf_of(sections):
    """A program with code at 0x1000, and these sections: (name, flags, bytes)."""
    v = [('', 0, 0, 0, b''), ('.text', 1, 6, 0x1000, bytes(0x1000))]
    v += [(name, 1, flags, 0, data) for name, flags, data in sections]
    names = b''.join(n[0].encode() + b'\0' for n in v) + b'.shstrtab\0'
    v.append(('.shstrtab', 3, 0, 0, names))
    heads, at, body = b'', 64, b''
    for name, kind, flags, addr, data in v:
        off = names.index(name.encode() + b'\0') if name else 0
        heads += struct.pack('<IIQQQQIIQQ', off, kind, flags, addr, at + len(body), len(data), 0, 0, 1, 0)
        body += data
    return (
        struct.pack(
            '<16sHHIQQQIHHHHHH',
            b'\x7fELF\2\1\1',
            3,
            62,
            1,
            0x1000,
            0,
            64 + len(body),
            0,
            64,
            0,
            0,
            64,
            len(v),
            len(v) - 1,
        )
        + body
        + heads
    )


def made_to_harm():
    """What damage by chance does not find: a small section that unpacks to a large one, and blocks within blocks."""
    size = 1 << 30
    bomb = zlib.compressobj(9)
    packed = b''.join(bomb.compress(bytes(1 << 20)) for _ in range(size >> 20)) + bomb.flush()
    abbrev = bytes(
        [1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0, 2, 0x2E, 1, 0x11, 1, 0x12, 7, 0, 0, 3, 0x0B, 1, 0x11, 1, 0x12, 7, 0, 0, 0]
    )
    place = struct.pack('<QQ', 0x1000, 0x1000)
    entries = b'\1' + place + b'\2' + place + (b'\3' + place) * 300000
    unit = struct.pack('<HIB', 4, 0, 8) + entries
    info = struct.pack('<I', len(unit)) + unit
    return {
        'a megabyte that unpacks to a gigabyte': elf_of(
            [('.debug_info', 1 << 11, struct.pack('<IIQQ', 1, 0, size, 1) + packed), ('.debug_abbrev', 0, abbrev)]
        ),
        '300,000 blocks within each other': elf_of([('.debug_info', 0, info), ('.debug_abbrev', 0, abbrev)]),
    }


def hostile(tools, seeds, corpora, n, d):
    rng = random.Random(13)
    inputs = [p for c in corpora for p in sorted(glob.glob(c + '/*')) if is_elf(p)]
    base = [open(p, 'rb').read() for p in seeds]
    for i in range(n):
        path = os.path.join(d, f'hostile{i}')
        with open(path, 'wb') as f:
            f.write(mutate(base[i % len(base)], rng))
        inputs.append(path)
    print(f'\nhostile files: {len(inputs)} ({len(inputs) - n} of the fuzz corpora, {n} damaged)')
    for who in ['own', 'lib']:
        for fact in FACTS:
            v = [run(os.path.join(tools, 'readers_' + who), fact, p) for p in inputs]
            ends = collections.Counter(r.how for r in v)
            print(
                f'  {who} {fact:8}',
                ', '.join(f'{k} {c}' for k, c in sorted(ends.items())),
                '; slowest %.0f ms, largest %d kB' % (max(r.ms for r in v), max(r.kb for r in v)),
            )
    for name, data in made_to_harm().items():
        path = os.path.join(d, 'harm')
        with open(path, 'wb') as f:
            f.write(data)
        print(f'{name}:')
        for who in ['own', 'lib']:
            for fact in ['lines', 'types']:
                r = run(os.path.join(tools, 'readers_' + who), fact, path)
                print(f'  {who} {fact:8} {r.how}; {r.ms:.0f} ms, {r.kb} kB')
    print('a file that its owner cuts while it is read:')
    for who in ['own', 'lib']:
        for fact in FACTS:
            path = os.path.join(d, 'cut')
            shutil.copy(seeds[0], path)
            print(f'  {who} {fact:8}', run(os.path.join(tools, 'readers_' + who), fact, path, cut=True).how)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--tools', required=True)
    ap.add_argument('--source', required=True)
    ap.add_argument('--hostile', type=int, default=300)
    ap.add_argument('--real', type=int, default=50)
    args = ap.parse_args()
    if not os.path.exists(os.path.join(args.tools, 'readers_lib')):
        print(
            'readers_lib is missing: install the group "bench" of tools/packages.txt, build readers_own and readers_lib'
        )
        return 77
    with tempfile.TemporaryDirectory() as d:
        made = built_files(args.source, d)
        compare(args.tools, made, 'forms of one program', each=True)
        ndebug = 10
        compare(args.tools, {p: p for p in system_files(args.real - ndebug)}, 'files of the system, stripped')
        compare(args.tools, {p: p for p in debug_files(ndebug)}, 'debug files of packages')
        own = os.path.join(args.tools, '../../dwell')
        if os.path.exists(own):
            compare(args.tools, {'dwell': own}, 'dwell itself')
        v = [run(os.path.join(args.tools, 'readers_' + w), 'btf', '-') for w in ('own', 'lib')]
        print(
            "\nthe kernel's types:",
            agreement('btf', *v),
            'of %d; own %.0f ms, %d kB; libbpf %.0f ms, %d kB' % (len(v[0].facts), v[0].ms, v[0].kb, v[1].ms, v[1].kb),
        )
        seeds = [
            made[k] for k in ['gcc DWARF 5', 'clang DWARF 5', 'gcc DWARF 4', 'gcc DWARF 4, dwz', 'gcc DWARF 5, zlib']
        ]
        corpora = [os.path.join(args.source, 'test/fuzz/corpus', c) for c in ['elf', 'srcline']]
        hostile(args.tools, seeds, corpora, args.hostile, d)
    return 0


sys.exit(main())
