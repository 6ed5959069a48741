#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many programs of this machine are recorded and replayed with equal output and status?
usage: replaymany.py DWELL [REPLAYS] [WORD]

Each command below runs once under `dwell rec` and REPLAYS times (3) under `dwell replay`; with WORD only those that have it. Commands whose
program is not installed are left out, and counted. What differs, or is refused, is printed with the reason."""
import os
import shutil
import subprocess
import sys
import tempfile

WORDS = "seq 3000 > n; seq 1000 | sort -R > r; printf 'a,1\\nb,2\\nc,3\\n' > c.csv; mkdir -p d/e; cp n d/e/x; printf '%s\\n' the quick brown fox > w"
SIMPLE = """true|false|date +%s.%N|ls -la /usr/bin|ls -lR /etc|cat n|tac n|head -5 n|tail -5 n|wc n|sort -R n|sort -n r|uniq n|cut -c1-2 n|paste n r|join n n|tr 1 2 < n|
seq 100|factor 123456789|md5sum n|sha1sum n|sha256sum n|sha512sum n|b2sum n|cksum n|sum n|base64 n|base32 w|od -c w|hexdump -C w|xxd w|nl w|fold -w 5 n|fmt w|pr w|
expand w|unexpand w|comm n n|split -l 100 n|csplit n 100|shuf n|rev w|column w|stat n|touch t|mkdir q|rmdir q|cp n n2|mv n2 n3|rm n3|ln -s n l|readlink l|realpath n|
basename /a/b|dirname /a/b|pwd|id|whoami|groups|uname -a|hostname|nproc|uptime|who|env|printenv PATH|expr 3 + 4|test 1 = 1|printf %d 12|echo hi|sleep 0.05|
timeout 5 date|nice date|nohup date|env -i date|df|du -s d|free|ps aux|pgrep init|find . -name n|find . -exec echo {} +|xargs -a n -n 100 echo|grep 7 n|grep -c 7 n|egrep 7+ n|
sed s/1/2/ n|awk {s+=$1}END{print(s)} n|diff n r|cmp n n|patch --version|tar cf t.tar n d|gzip -k n|gunzip -c n.gz|bzip2 -k n|xz -k n|zstd -q n|cpio --version|file n|
strings /bin/true|nm --version|objdump -d /bin/true|readelf -a /bin/true|size /bin/true|ldd /bin/true|ldconfig -p|getconf -a|locale|iconv -l|getent passwd root|tput cols|
stty -a|tty|mktemp -u|shred n3|truncate -s 10 t|dd if=n of=n4 bs=100|sync|numfmt 1000 --to=si|tsort w|ptx w|dircolors|pathchk n|users|logname|openssl version|
openssl rand -hex 8|openssl speed -seconds 1 md5|curl --version|wget --version|ip addr|ss -a|lsblk|mount|bc --version|m4 --version|git --version|git init g|cmake --version|
gdb --version|strace -V|perl -v|perl -e print(rand(),time())|python3 -V|bash --version|dash -c times|busybox ls|gcc --version|make --version|ninja --version|meson --version|
java -version|node --version|go version|rustc --version|ruby -v|lua -v|php -v|tclsh /dev/null|sqlite3 :memory: select(random())|jq -n now|vim --version|ar t /dev/null|
dpkg -l|dpkg -S /bin/ls|apt-cache policy|apt-config dump|man --version|gpg --version|lsof -v|systemctl --version|journalctl --version|rsync --version|ssh -V|clang --version"""
SHELL = {
    "pipe of three": "cat n | sort -rn | head -3",
    "many pipes": "for i in 1 2 3 4 5 6 7 8; do echo $i | sed s/1/x/ | cat; done",
    "background and wait": "for i in 3 1 2; do (sleep 0.0$i; echo $i) & done; wait; date +%N",
    "command substitution": "x=$(date +%N); y=`echo $x | rev`; echo $x $y $$ $PPID",
    "a pipe that breaks": "yes | head -1000 | md5sum",
    "here document": "cat <<X | tr a-z A-Z\n$(date +%N)\nX",
    "traps": "trap 'echo got' USR1; kill -USR1 $$; trap 'echo bye' EXIT; exit 3",
    "a child that is killed": "sleep 5 & kill $!; wait $!; echo $?",
    "xargs -P": "seq 12 | xargs -P 4 -n 1 sh -c 'echo $0; date +%N' | sort | md5sum",
    "tar through gzip": "tar cf - d | gzip | gunzip | tar tf -",
    "find and grep": "find d -type f | xargs grep -l 7 | wc -l",
    "nested shells": "sh -c 'sh -c \"echo \\$\\$; exit 4\"; echo $?'; (cd d; pwd)",
    "fifo": "mkfifo f; (echo through > f) & cat f; wait",
    "exec": "exec 3> out; echo x >&3; exec 3>&-; exec cat out",
    "bash: process substitution": "bash -c 'diff <(seq 5) <(seq 6); echo $RANDOM'",
    "bash: coproc": "bash -c 'coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x'",
    "git": "git init -q g2 && cd g2 && echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm x && git log --stat | cat && git gc -q && git fsck",
    "git grep": "git -C /usr/share grep --no-index -c copyright -- doc/bash | head -3",
    "gcc": "printf '#include <stdio.h>\\nint main(void){printf(\"%%d\\\\n\", 7);return 0;}' > x.c && gcc -O2 x.c -o x.out && ./x.out",
    "g++": "printf '#include <iostream>\\nint main(){std::cout << 7;}' > y.cc && g++ y.cc -o y.out && ./y.out",
    "make -j4": "mkdir m; cd m; for i in 1 2 3 4; do echo \"int f$i(void){return $i;}\" > f$i.c; done; printf 'all: f1.o f2.o f3.o f4.o\\n\\tar rcs f.a $^\\n\\tar t f.a\\n' > Makefile; make -j4 2>&1",
    "sqlite3 with a file": "sqlite3 s.db 'create table t(a); insert into t values(random()); select * from t'; sqlite3 s.db 'select count(*) from t'",
    "perl fork": "perl -e '$|=1; for (1..3) { unless (fork) { print \"$_ $$\\n\"; exit $_ } } while (($p = wait) > 0) { print \"$p $?\\n\" }'",
    "perl pipe": "perl -e 'open(F, \"-|\", \"ls -l /etc | wc\"); print <F>; print rand'",
    "openssl speed": "openssl speed -seconds 1 -bytes 16 md5 2>&1 | tail -1",
    "gzip -9 of 5 MB": "head -c 5000000 /dev/urandom | gzip -9 | md5sum",
    "xz with threads": "seq 300000 | xz -T4 | xz -d | md5sum",
    "sort with threads": "seq 400000 | sort -R --parallel=4 | md5sum",
    "zstd with threads": "seq 300000 | zstd -T4 -q | zstd -d | md5sum",
    "timeout": "timeout 0.05 sleep 5; echo $?",
    "env and exec": "env A=1 sh -c 'exec sh -c \"echo \\$A \\$\\$\"'",
}
PYTHON = {
    "threads": "import threading, queue, random\nq = queue.Queue()\nfor i in range(6): threading.Thread(target=lambda: [q.put(random.random()) for _ in range(200)]).start()\n"
    "print(hash(tuple(q.get() for _ in range(1200))))",
    "executor": "import concurrent.futures as c; print(sum(c.ThreadPoolExecutor(8).map(lambda x: x * x, range(500))))",
    "locks": "import threading, time\nc = threading.Condition(); n = []\ndef f(i):\n with c:\n  while len(n) != i: c.wait()\n  n.append(i); c.notify_all()\n"
    "t = [threading.Thread(target=f, args=(i,)) for i in range(12)][::-1]\n[x.start() for x in t]; [x.join() for x in t]; print(n, time.time())",
    "subprocess": "import subprocess; print(subprocess.run('date +%N; ls | wc -l', shell=True, capture_output=True)); print(subprocess.check_output(['date', '+%N']))",
    "fork": "import os\nr, w = os.pipe()\nif not os.fork(): os.write(w, b'%d' % os.getpid()); os._exit(3)\nprint(os.read(r, 9), os.wait())",
    "shared anonymous memory": "import mmap, os, time\nm = mmap.mmap(-1, 4096)\nif not os.fork(): m[0:2] = b'hi'; os._exit(0)\nos.wait(); print(m[0:2], time.time())",
    "asyncio": "import asyncio, time\nasync def f(i): await asyncio.sleep(0.01 * i); return i, time.time()\nasync def g(): print(await asyncio.gather(*map(f, range(5))))\nasyncio.run(g())",
    "asyncio subprocess": "import asyncio\nasync def g():\n p = await asyncio.create_subprocess_exec('date', '+%N', stdout=-1); print(await p.communicate())\nasyncio.run(g())",
    "server and client": "import http.server, threading, urllib.request\ns = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
    "threading.Thread(target=s.serve_forever, daemon=True).start()\nfor _ in range(5): print(urllib.request.urlopen('http://127.0.0.1:%d/w' % s.server_port).read())\ns.shutdown()",
    "socketpair and select": "import socket, select, threading\na, b = socket.socketpair(); threading.Thread(target=lambda: [b.send(b'x') for _ in range(9)]).start()\nprint(select.select([a], [], []), a.recv(1))",
    "pty": "import pty; print(pty.spawn(['date', '+%N']))",
    "signals": "import signal, time, os\nn = []\nsignal.signal(signal.SIGALRM, lambda *a: n.append(time.time()))\nsignal.setitimer(0, 0.003, 0.003)\nwhile len(n) < 5: time.sleep(0.001)\nprint(n)",
    "signal of a child": "import os, signal, time\nsignal.signal(signal.SIGCHLD, lambda *a: print('child', time.time()))\nif not os.fork(): os._exit(0)\ntime.sleep(0.05); print(os.wait())",
    "threads and fork": "import threading, os, time\nthreading.Thread(target=lambda: time.sleep(0.05)).start()\nfor _ in range(3):\n if not os.fork(): os._exit(1)\n print(os.wait())",
    "multiprocessing with pipes": "import multiprocessing as m\ndef f(c): c.send(id(c)); c.close()\na, b = m.get_context('fork').Pipe(); p = m.get_context('fork').Process(target=f, args=(b,)); p.start(); print(a.recv()); p.join()",
    "compute": "import json, random; d = {str(i): [random.random()] * 3 for i in range(20000)}; print(len(json.dumps(d)))",
    "tempfile, mmap": "import tempfile, mmap; f = tempfile.TemporaryFile(); f.write(b'x' * 9999); f.flush(); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); print(m[:3])",
    "memfd, eventfd": "import os; f = os.memfd_create('a'); os.write(f, b'abc'); e = os.eventfd(3); print(os.pread(f, 3, 0), os.eventfd_read(e))",
    "sqlite3 module": "import sqlite3; c = sqlite3.connect('p.db'); c.execute('create table t(a)'); c.executemany('insert into t values(?)', [(i,) for i in range(999)]); c.commit(); print(c.execute('select sum(a), random() from t').fetchall())",
    "many threads": "import threading, os\nt = [threading.Thread(target=lambda: os.getppid()) for _ in range(300)]\n[x.start() for x in t]; [x.join() for x in t]; print(len(t), t[7].native_id)",
}
NODE = {
    "timers": "setTimeout(()=>console.log(process.hrtime(), Math.random()), 10); setImmediate(()=>console.log(1))",
    "files and crypto": "const c=require('crypto'); for(let i=0;i<6;i++)c.pbkdf2('a','b',2000,64,'sha512',(e,k)=>console.log(i,k.toString('hex'))); require('fs').readdir('/etc',(e,f)=>console.log(f.length))",
    "children": "require('child_process').exec('date +%N; ls | wc -l',(e,o)=>console.log(o))",
    "server": "const h=require('http'); const s=h.createServer((q,r)=>r.end('hi '+Date.now())).listen(0,()=>{let n=0; const f=()=>h.get({port:s.address().port},r=>{r.on('data',d=>console.log(''+d)); r.on('end',()=>++n<5?f():s.close())}); f()})",
    "workers": "const {Worker}=require('worker_threads'); for(let i=0;i<3;i++) new Worker('require(\"worker_threads\").parentPort.postMessage(Math.random())',{eval:true}).on('message',m=>console.log(m))",
    "compute": "let a=[];for(let i=0;i<300000;i++)a.push(Math.random());a.sort();console.log(a[5],process.memoryUsage().heapUsed)",
}


def commands():
    for text in SIMPLE.replace("\n", "").split("|"):
        yield text, text.split()[0], [
            "sh",
            "-c",
            "exec " + text,
        ] if "<" in text or "{" in text or "(" not in text and "$" in text else text.split(" ")
    for name, text in SHELL.items():
        yield "sh: " + name, "sh", ["sh", "-c", text]
    for name, text in PYTHON.items():
        yield "python3: " + name, "python3", [os.path.realpath(sys.executable), "-c", text]
    for name, text in NODE.items():
        yield "node: " + name, "node", ["node", "-e", text]


def run(command, folder):
    try:
        return subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return None


def equal(dwell, command, folder, replays):
    """None, or the reason why not."""
    trace = f"{folder}/trace"
    r = run([dwell, "rec", "-q", "-o", trace, "--", *command], folder)
    if r is None:
        return "the recording does not end"
    if b"dwell: rec:" in r.stderr:
        return r.stderr.decode(errors="replace").strip()[-300:]
    for i in range(replays):
        p = run([dwell, "replay", trace], folder)
        if p is None:
            return f"replay {i + 1} does not end"
        if (p.returncode, p.stdout, p.stderr) != (r.returncode, r.stdout, r.stderr):
            return f"replay {i + 1}: " + (p.stderr.decode(errors="replace").strip()[-300:] or "other output")
    return None


def main():
    dwell, replays = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    good = bad = missing = 0
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(["sh", "-c", WORDS], cwd=d, check=True)
        for name, program, command in commands():
            if word not in name:
                continue
            if not shutil.which(program):
                missing += 1
                continue
            why = equal(dwell, command, d, replays)
            good, bad = good + (why is None), bad + (why is not None)
            if why:
                print(f"{name}: {why}", flush=True)
    print(f"{good} of {good + bad} programs are equal in {replays} replays; {missing} are not installed")


main()
