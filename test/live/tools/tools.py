#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Every tool of dlib/tools under a load that it has something to tell about: its output must match what is expected
of this load, without any message. A tool without an entry here fails; so does an entry without a tool.

An entry: arguments, load, patterns. The load is a shell script, run
  C     as the command of -c: all probes are there when it starts, and tools that know $target follow it;
  DIRECT  as C, but the load is the command itself, not a script: for probes in the process;
  WIDE  beside a tool that traces the whole machine, again and again until it has run twice at least.
In patterns and arguments {work} is a folder, {trigger} the trigger program, {pid} the load's process; in
patterns {seen} and {zero} are the folder and /dev/zero as the kernel names them, which in a chroot is not
what was typed."""
import concurrent.futures
import errno
import os
import pty
import re
import signal
import subprocess
import time

import live

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.normpath(os.path.join(HERE, "../../../dlib/tools"))
C, WIDE, DIRECT = "-c", "wide", "direct"
# Timers are late on virtual CPUs; others may run 32-bit programs; aggregations lose firings that interrupt an update.
EXCUSED = r"\d+ timer firings? (?:missed|not made: .*)$|32-bit programs not traced$|\d+ aggregation drops? on CPU \d+$"
AT_ONCE = 3  # tools that run at the same time
WIDE_SECONDS = 1.2
TIME_OUT = 30
TERMINAL = pty.openpty()
TTY = os.path.basename(os.ttyname(TERMINAL[1]))
IO = (
    "dd if=/dev/zero of={work}/io bs=64k count=20 oflag=direct 2>/dev/null\n"
    "dd if={work}/io of=/dev/null bs=64k iflag=direct 2>/dev/null"
)
# A command in a memory cgroup of 20 MB, of version 1 or 2; without one the case is skipped.
LIMITED = """
for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	d=$base/dwell-tools-$$
	mkdir $d 2>/dev/null && { [ -f $d/memory.max ] || [ -f $d/memory.limit_in_bytes ]; } && break
	rmdir $d 2>/dev/null
	d=
done
[ "$d" ] || { : >{work}/skip; exit 0; }
for f in $d/memory.limit_in_bytes $d/memory.max; do [ -f $f ] && echo 20M >$f; done
for f in $d/memory.memsw.limit_in_bytes; do [ -f $f ] && echo 20M >$f; done
[ -f $d/memory.swap.max ] && echo 0 >$d/memory.swap.max
sh -c 'echo $$ >'$d'/cgroup.procs; exec """
LIMITED_END = "'\nfor i in 1 2 3 4 5 6 7 8 9; do rmdir $d 2>/dev/null && break; sleep 0.1; done\ntrue"
USDT = """#include <sys/sdt.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--)
		DTRACE_PROBE1(dwelltool, step, n);
	return 0;
}
"""

# TCP: a transfer of 1234567 bytes, and 777 as the answer; a queue of connections that is full, so that SYNs are repeated.
TRANSFER = """python3 - <<'EOF'
import socket, threading
l = socket.create_server(("127.0.0.1", PORT))
def serve():
    c = l.accept()[0]
    while c.recv(65536):
        pass
    c.sendall(b"y" * 777)
    c.close()
t = threading.Thread(target=serve)
t.start()
s = socket.create_connection(("127.0.0.1", PORT))
s.sendall(b"x" * 1234567)
s.shutdown(socket.SHUT_WR)
while s.recv(1000):
    pass
s.close()
t.join()
EOF
"""
NO_ANSWER = """python3 - <<'EOF'
import socket, time
l = socket.create_server(("127.0.0.1", PORT), backlog=0)
calls = [socket.socket() for _ in range(4)]
for c in calls:
    c.setblocking(False)
    c.connect_ex(("127.0.0.1", PORT))
time.sleep(2.5)
EOF
"""
# A file of 4 MB that is written, forgotten by the page cache, and read twice.
TWICE = """dd if=/dev/zero of={work}/cached bs=64k count=64 conv=fsync 2>/dev/null
dd if={work}/cached iflag=nocache count=0 2>/dev/null
dd if={work}/cached of=/dev/null bs=64k 2>/dev/null
dd if={work}/cached of=/dev/null bs=64k 2>/dev/null
"""
# Files that loads of DIRECT need, in {work}: programs in C are compiled.
STEPS = (
    "steps.c",
    """#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) long slow_step(long ms, long tag) { usleep(ms * 1000); return tag * 2; }
__attribute__((noinline)) void *lose(size_t n) { void *p = malloc(n); __asm__ volatile("" ::: "memory"); return p; }
__attribute__((noinline)) void take(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	pthread_mutex_lock(y);
	pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
}
static void *second(void *arg) { take(&b, &a); return arg; }
int main(void)
{
	pthread_t t;
	for (long i = 1; i <= 3; i++)
		slow_step(i * 10, i);
	for (int i = 0; i < 100; i++) {
		lose(1000);
		free(lose(2000));
	}
	take(&a, &b);
	take(&a, &c);
	take(&b, &c);
	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, NULL);
	return 0;
}
""",
)
NAMES = (
    "names.py",
    """import socket
socket.getaddrinfo("127.0.0.1", 80)
try:
    socket.getaddrinfo("no.such.name.invalid", 80, flags=socket.AI_NUMERICHOST)
except OSError:
    pass
""",
)
TLS = (
    "tls.py",
    """import os, socket, subprocess, sys, threading
work = os.path.dirname(sys.argv[0])
try:
    import ssl
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", work + "/key", "-out", work + "/cert",
                    "-subj", "/CN=x"], check=True, stderr=subprocess.DEVNULL)
except (ImportError, OSError):
    open(work + "/skip", "w").close()
    sys.exit(0)
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain(work + "/cert", work + "/key")
l = socket.create_server(("127.0.0.1", 0))
def serve():
    c = server.wrap_socket(l.accept()[0], server_side=True)
    c.recv(100)
    c.sendall(b"first line of the answer\\r\\nsecond")
    c.close()
t = threading.Thread(target=serve)
t.start()
client = ssl.create_default_context()
client.check_hostname = False
client.verify_mode = ssl.CERT_NONE
s = client.wrap_socket(socket.create_connection(l.getsockname()))
s.sendall(b"secret request")
s.recv(100)
t.join()
""",
)
PASS_FD = (
    "pass.py",
    """import socket
a, b = socket.socketpair()
with open("/etc/hostname") as f, open("/etc/passwd") as g:
    socket.send_fds(a, [b"x"], [f.fileno(), g.fileno()])
    new = socket.recv_fds(b, 10, 5)[1]
    print("sent", a.fileno(), f.fileno(), g.fileno(), "received", b.fileno(), *new)
""",
)
FILES = {
    "argdist": STEPS,
    "memleak": STEPS,
    "deadlock": STEPS,
    "gethostlatency": NAMES,
    "sslsniff": TLS,
    "ssllatency": TLS,
    "sofdsnoop": PASS_FD,
}
ELSEWHERE = {"bashreadline", "dbslower", "dbstat", "kvmexit", "swapin"}  # tools with a test of their own in this folder

# tool: (mode, arguments, load, patterns that the output must contain)
ENTRIES = {
    "execsnoop": (
        C,
        "",
        "ls / >/dev/null; {work}/absent 2>/dev/null",
        [r"^\d{4} \w+ +\d+ [\d:]+ +0 +{pid} +\d+ - +ls /$", r"^\d{4}.* ENOENT +{work}/absent$"],
    ),
    "newproc": (C, "", "(true; true) & wait", [r" {pid} sh +\d+$"]),
    "exitsnoop": (
        C,
        "",
        "sh -c 'exit 7'; sh -c 'kill -9 $$'",
        [r"^ *\d+ +{pid} sh +\d+ exit +7$", r"^ *\d+ +{pid} sh +\d+ signal SIGKILL$"],
    ),
    "pidpersec": (
        C,
        "",
        "for i in 1 2 3 4 5 6; do sleep 0.4; done",
        [r"^TIME +PROCESSES +THREADS +EXECS$", r"^\d{4} .* +[1-9]\d* +[1-9]\d* +[1-9]\d*$"],
    ),
    "capable": (C, "", "chroot / true", [r"^ *\d+ +0 chroot +CAP_SYS_CHROOT +0$"]),
    "setuids": (
        C,
        "",
        "setpriv --reuid 65534 --regid 65533 --clear-groups true",
        [r" +0 setpriv +setresuid +65534 65534 65534 +0$", r" setpriv +setresgid +65533 65533 65533 +0$"],
    ),
    "ttysnoop": (C, "--tty /dev/pts/{tty}", "exec 5<>/dev/null; echo hello >/dev/pts/{tty}", [r"^hello$"]),
    "threadsnoop": (C, "", "{trigger} threads 3", [r" new +\d+ trigger +\d+ +-$", r" end +\d+ trigger +\d+ +\d+$"]),
    "killsnoop": (
        C,
        "",
        "kill -0 $$; kill -USR1 4190000 2>/dev/null; true",
        [r" {pid} sh +0 +{pid} 0$", r" {pid} sh +SIGUSR1 +4190000 ESRCH$"],
    ),
    "sigdist": (WIDE, "--interval 500ms", "sh -c 'kill -USR2 $$'; true", [r"^sh +sh +SIGUSR2 +[1-9]\d*$"]),
    "siglatency": (
        C,
        "",
        "trap : USR1; kill -USR1 $$; kill -USR1 $$",
        [r"^SIGUSR1 +sh +\(us\)", r"p50 \d+, .* max \d+"],
    ),
    "syscount": (C, "--top 5", "{trigger} getppid 3000", [r"^SYSCALL +COUNT$", r"^getppid +300\d$"]),
    "syscallbyproc": (WIDE, "--interval 600ms", "{trigger} getppid 2000000", [r"^ *\d+ trigger +\d{4,}$"]),
    "procsystime": (
        C,
        "",
        "{trigger} naps 20 0",
        [r"^SYSCALL +COUNT +TIME_US$", r"^clock_nanosleep +20 +[2-9]\d{4,}$"],
    ),
    "errinfo": (C, "", "cat {work}/absent 2>/dev/null; true", [r"^cat +openat +ENOENT +[1-9]\d*$"]),
    "syslatency": (C, "--call clock_*", "{trigger} naps 5 0", [r"^clock_nanosleep \(us\)", r"\bp50 [1-9]\d{3,}"]),
    "sysslower": (C, "--ms 100", "sleep 0.3", [r" [3-9]\d\d +\d+ +\d+ sleep +clock_nanosleep +0$"]),
    "opensnoop": (
        C,
        "",
        "cat {work}/absent /etc/hostname >/dev/null 2>&1; true",
        [r"^ *0 +\d+ cat +-1 ENOENT +{work}/absent$", r"^ *0 +\d+ cat +\d+ - +/etc/hostname$"],
    ),
    "rwsnoop": (
        C,
        "",
        "echo hello | dd of={work}/rw 2>/dev/null; cat {work}/rw >/dev/null",
        [r" sh +W +6 pipe:\[\d+\]$", r" dd +W +6 {seen}/rw$", r" cat +R +6 {seen}/rw$"],
    ),
    "rwbytype": (
        C,
        "",
        "dd if=/dev/zero of=/dev/null bs=1000 count=7 2>/dev/null | cat",
        [r"^dd +R +devtmpfs +7 +7000$", r"^dd +W +devtmpfs +\d+ +7\d\d\d$"],
    ),
    "cachestat": (
        C,
        "--interval 1h",
        TWICE,
        [r"^TIME +READ_KB +MISS_KB +AHEAD_KB$", r":\d\d +([89]\d{3}|\d{5,}) +[1-9]\d* +[1-9]\d*$"],
    ),
    "cachetop": (
        C,
        "--interval 1h",
        TWICE,
        [
            r"^ *\d+ dd +4101 +[1-9]\d* +[1-9]\d*$|^ *\d+ dd +4[01]\d\d +[1-9]\d* +[1-9]\d*$",
            r"^ *\d+ dd +4[01]\d\d +0 +0$",
        ],
    ),
    "readahead": (C, "--interval 1h", TWICE, [r"^ *\d+ dd +4096 +4096 {seen}/cached$"]),
    "filelife": (
        C,
        "",
        "cd {work}; : >short; sleep 0.3; rm short; : >there; echo >there; rm ../filelife/there",
        [r" rm +[3-9]\d\d {seen}/short$", r" rm +\d+ {seen}/there$"],
    ),
    "fsdist": (
        C,
        "",
        "dd if=/dev/zero of={work}/fsd bs=1k count=37 conv=fsync 2>/dev/null",
        [r"^\S+ fsync \(us\)$", r"^\S+ write \(us\)$", r"^\S+ open \(us\)$"],
    ),
    "fsslower": (
        C,
        "--ms 0",
        "dd if=/dev/zero of={work}/fss bs=1k count=1 conv=fsync 2>/dev/null",
        [r" dd +\S+ +open +\d+ {seen}/fss$", r" dd +\S+ +write +\d+ {seen}/fss$", r" dd +\S+ +fsync +\d+ {seen}/fss$"],
    ),
    "syncsnoop": (
        C,
        "",
        ": >{work}/ss; sync -f {work}/ss; sync {work}/ss",
        [r" sync +syncfs +\d+ 0$", r" sync +fsync +\d+ 0$"],
    ),
    "mountsnoop": (
        C,
        "",
        "mkdir -p {work}/mnt; mount -n -t tmpfs dwelltest {work}/mnt && umount -n {work}/mnt || : >{work}/skip",
        [
            r" mount +(mount +0 +tmpfs +dwelltest|move_mount +0 +- +\S+) +\S*/mnt$",
            r" umount +umount2? +0 +- +- +\S*/mnt$",
        ],
    ),
    "filetop": (
        WIDE,
        "--interval 500ms",
        "dd if=/dev/zero of={work}/top bs=64k count=100 2>/dev/null",
        [r"^ *\d+ dd +W +6400 {seen}/top$", r"^ *\d+ dd +R +6400 {zero}$"],
    ),
    "fsyncsnoop": (
        C,
        "",
        "dd if=/dev/zero of={work}/sync count=1 conv=fsync 2>/dev/null",
        [r" dd +fsync +\d+ - +{seen}/sync$", r"^fsync \(us\)"],
    ),
    "statsnoop": (C, "", "test -e {work}/absent; true", [r"^ *{pid} sh +newfstatat +ENOENT +{work}/absent$"]),
    "mmapsnoop": (C, "", "cat /dev/null", [r"^ *\d+ cat +r-x +private +\d+ +\d+ /\S*libc\S*$"]),
    "unlinksnoop": (
        C,
        "",
        "cd {work}; : >ua; mv ua ub; rm ub; rmdir uc 2>/dev/null; true",
        [r" mv +rename\S* +- +ua -> ub$", r" rm +unlinkat +- +ub$", r" rmdir +rmdir +ENOENT +uc$"],
    ),
    "fsops": (
        WIDE,
        "--interval 500ms",
        "cd {work}; : >fs; rm fs",
        [r"^create +\w+ +[1-9]\d*$", r"^remove +\w+ +[1-9]\d*$"],
    ),
    "fileslower": (
        C,
        "--ms 0",
        "dd if=/dev/zero of={work}/slow bs=1M count=2 oflag=direct 2>/dev/null",
        [r" dd +W +1048576 +\d+ {seen}/slow$"],
    ),
    "iosnoop": (C, "", IO, [r" dd +\w+ +W +\d+ +65536 +\d+$", r" dd +\w+ +R +\d+ +65536 +\d+$"]),
    "iotop": (WIDE, "--interval 500ms", IO, [r"^ *\d+ dd +\w+ +W +[1-9]\d{2,}$"]),
    "iolatency": (C, "", IO, [r"^\w+ write \(us\)$", r"^\w+ read \(us\)$", r"\|@+ *[1-9]\d*"]),
    "iopending": (C, "", IO, [r"^\w+ \(requests\)$", r"^ +1 \|@+ +[1-9]\d*", r"^\w+: [1-9]\d* requests$"]),
    "iopattern": (
        C,
        "",
        IO,
        [r"^DEVICE +COUNT +%RANDOM", r"^\w+ +[1-9]\d+ +\d+ +[1-9]\d+ +[1-9]\d+ +[1-9]\d{3,} +[1-9]\d{3,}$"],
    ),
    "bitesize": (C, "", IO, [r"^\d+ dd \(bytes\)$", r"^ +65536 \|@+ +20 *$"]),
    "seeksize": (C, "", IO, [r"^\d+ dd \(sectors\)$", r"^ +0 \|@+ +\d+ *$"]),
    "biostacks": (
        C,
        "",
        "dd if=/dev/zero of={work}/bs bs=64k count=20 oflag=direct 2>/dev/null",
        [r"^vmlinux`\w*write\w*\+0x", r"^ +dd, write: 1310720 bytes$"],
    ),
    "writeback": (
        C,
        "",
        "dd if=/dev/zero of={work}/wb bs=64k count=160 2>/dev/null; sync -f {work}/wb; sleep 0.3",
        [r"^\d{4} .* \d+:\d+ +(sync|background|periodic) +[1-9]\d* +\d+$"],
    ),
    "hotkernel": (
        WIDE,
        "",
        "dd if=/dev/zero of=/dev/null bs=1M count=6000 2>/dev/null",
        [r"^FUNCTION +SAMPLES$", r"^vmlinux`\w+ +[1-9]\d*$"],
    ),
    "hotuser": (C, "", "{trigger} spin 1000", [r"^trigger +trigger`spin_here +[1-9]\d*$"]),
    "hotproc": (WIDE, "--interval 1s", "{trigger} spin 700", [r"^ *\d+ trigger +user +[1-9]\d+$"]),
    "profstacks": (C, "", "{trigger} spin 1000", [r"^trigger`spin_here", r"^ +trigger [1-9]\d*$"]),
    "cpuwalk": (C, "", "{trigger} spin 800", [r"^\d+ trigger \(CPU\)$", r"^ +\d+ \|@+ +[1-9]\d*"]),
    "cputime": (WIDE, "--interval 600ms", "{trigger} spin 200", [r"^ *\d+ trigger +[1-9]\d*$"]),
    "cpudist": (C, "--off 1", "sleep 0.4", [r"^sleep \(us\)$", r"^ +(262144|524288) \|@+ +1 *$"]),
    "offcpu": (C, "", "sleep 0.4", [r"^vmlinux`schedule\+", r"nanosleep", r"^ +sleep [3-9]\d\d ms$"]),
    "runqlat": (C, "", "{trigger} naps 200 0", [r"^wait for a CPU \(us\)$", r"\|@+ +[1-9]\d*"]),
    "runqlen": (
        C,
        "",
        "for i in 1 2 3; do {trigger} spin 1000 & done; wait",
        [r"^CPU \d+ \(threads\)$", r"^ +[2-9] \|@+ +[1-9]\d*"],
    ),
    "wakeups": (C, "--top 100000", "{trigger} naps 50 0", [r"^ *\d+ \S.* +\d+ trigger +[1-9]\d*$"]),
    "cswstat": (
        WIDE,
        "--interval 500ms",
        "{trigger} naps 100 100",
        [r"^ +CPU +SLEEPS +PREEMPTS +AVG_US$", r"^ +\d+ +[1-9]\d* +\d+ +\d+$"],
    ),
    "preempts": (
        C,
        "--top 100000",
        "{trigger} spin 500 & taskset -cp 0 $! >/dev/null; taskset -c 0 {trigger} spin 500; wait",
        [r"^ *\d+ trigger +\d+ \S.* +[1-9]\d*$"],
    ),
    "migrations": (
        C,
        "--top 100000",
        "{trigger} spin 500 & for i in 1 2 3; do for c in 0 1; do taskset -cp $c $! >/dev/null; done; done; wait",
        [r"^ *\d+ (trigger|sh|taskset) +\d+ +\d+ +[1-9]\d*$"],
    ),
    "priorities": (C, "", "nice -n 5 {trigger} naps 50 0", [r"^trigger \(priority\)$", r"^ +125 \|@+ +[1-9]\d*"]),
    "lockbydist": (C, "", "{trigger} fight {work}/fight 800", [r"^\S+-(block|spin) \(us\)$", r"\|@+ +[1-9]\d*"]),
    "futexsnoop": (C, "", "{trigger} contend 600 4", [r"^ *\d+ trigger +0x[0-9a-f]+ +[1-9]\d* +\d+$"]),
    "pagefaults": (C, "", "{trigger} faults 500", [r"^trigger`touch_pages", r"^trigger +[5-9]\d\d$"]),
    "memgrow": (C, "", "{trigger} threads 2", [r"^ +trigger \d{4,} KB$"]),
    "reclaim": (
        C,
        "",
        LIMITED + "dd if=/dev/zero of={work}/big bs=1M count=60 2>/dev/null" + LIMITED_END,
        [r"^\d{4} .* \d+ dd +memcg +\d+ +[1-9]\d*$"],
    ),
    "slabratetop": (
        C,
        "--interval 1h",
        "cd {work}; for i in 1 2 3 4 5 6 7; do {trigger} threads 100; done",
        [r"^task_struct\S* +[7-9]\d\d +[1-9]\d*$|^task_struct\S* +\d{4,} +\d+$", r"^kmalloc +[1-9]\d* +\d+$"],
    ),
    "compactsnoop": (
        C,
        "",
        "echo 1 >/proc/sys/vm/compact_memory || : >{work}/skip",
        [r"^\d{4} .* sh +sync +\d+ +\w+$"],
    ),
    "shmsnoop": (
        C,
        "",
        "id=$(ipcmk -M 65536 | sed 's/.*: //'); ipcrm -m $id",
        [r" ipcmk +shmget +0x[0-9a-f]+ +65536 01644 +\d+$", r" ipcrm +shmctl +\d+ +IPC_RMID +0$"],
    ),
    "oomkill": (
        C,
        "",
        LIMITED + "{trigger} touch 20000" + LIMITED_END,
        [r"^\d{4} .* +\d+ trigger +[1-9]\d+ +\d+ trigger *$"],
    ),
    "tcpsnoop": (
        C,
        "--port 18231",
        "{trigger} tcp 18231",
        [r"> 127.0.0.1 +\d+ 127.0.0.1 +18231 +0 S$", r"< 127.0.0.1 +18231 127.0.0.1 +\d+ +100 P?A$"],
    ),
    "tcpstat": (
        WIDE,
        "--interval 500ms",
        "{trigger} tcp 18232",
        [r"^TIME +OUT", r"^\d{4} .*(\d\d:){2}\d\d +[1-9]\d* +[1-9]\d* +\d+ +\d+ +[1-9]\d* +[1-9]\d* +[1-9]\d* +\d+$"],
    ),
    "tcpconnlat": (
        C,
        "",
        "{trigger} tcp 18233",
        [r" trigger +127.0.0.1 +18233 +\d+ established$", r" trigger +127.0.0.1 +\d+ +\d+ refused$"],
    ),
    "tcpstates": (
        C,
        "",
        "{trigger} tcp 18234",
        [r" 127.0.0.1 +18234 state-closed +state-syn-sent$", r" 127.0.0.1 +18234 state-syn-sent state-established$"],
    ),
    "tcpaccept": (WIDE, "", "{trigger} tcp 18235", [r"^\d{4} .* 127.0.0.1 +18235 127.0.0.1 +\d+$"]),
    "soconnect": (
        C,
        "",
        "{trigger} tcp 18236",
        [r" trigger +127.0.0.1 +18236 +\d+ 0$", r" trigger +127.0.0.1 +\d+ +\d+ ECONNREFUSED$"],
    ),
    "udpsnoop": (
        C,
        "--port 18237",
        "{trigger} udp 18237 3",
        [r"> 127.0.0.1 +\d+ 127.0.0.1 +18237 +50$", r"< 127.0.0.1 +\d+ 127.0.0.1 +18237 +50$"],
    ),
    "tcpdrop": (C, "", "{trigger} tcp 18240", [r" 127.0.0.1:\d+ +127.0.0.1:\d+ +2 +\d+ vmlinux`tcp_v4_rcv\+0x\w+$"]),
    "tcpretrans": (
        C,
        "",
        NO_ANSWER.replace("PORT", "18241"),
        [r" 127.0.0.1:\d+ +127.0.0.1:18241 +state-syn-sent +0 +1$", r" 127.0.0.1:18241 +state-syn-sent +0 +[2-9]$"],
    ),
    "tcplife": (
        C,
        "--port 18242",
        TRANSFER.replace("PORT", "18242"),
        [
            r" python3 +127.0.0.1:\d+ +127.0.0.1:18242 +1234567 +777 +\d+$",
            r" python3 +127.0.0.1:18242 +127.0.0.1:\d+ +777 +1234567 +\d+$",
        ],
    ),
    "tcptop": (
        C,
        "--interval 1h",
        TRANSFER.replace("PORT", "18243"),
        [
            r" python3 +127.0.0.1:\d+ +127.0.0.1:18243 +1234567 +777$",
            r" python3 +127.0.0.1:18243 +127.0.0.1:\d+ +777 +1234567$",
        ],
    ),
    "tcprtt": (
        C,
        "--port 18244",
        TRANSFER.replace("PORT", "18244"),
        [r"^127.0.0.1 \(us\)$", r"^127.0.0.1: average \d+ us, [1-9]\d* segments$"],
    ),
    "bindsnoop": (C, "", "{trigger} tcp 18245; {trigger} tcp 18245", [r" trigger +127.0.0.1 +18245 0$"]),
    "solisten": (C, "", "{trigger} tcp 18246", [r"^ *\d+ trigger +127.0.0.1 +18246 +\d+$"]),
    "netqtop": (
        C,
        "--interval 1h",
        "{trigger} udp 18247 50",
        [r"^lo +T +\d+ +[5-9]\d +\d+ +\d+$", r"^lo +R +\d+ +[5-9]\d +\d+ +\d+$"],
    ),
    "intrtime": (WIDE, "--interval 600ms", IO, [r"^ +CPU +IRQ NAME", r"^ +\d+ +\d+ \S+ +[1-9]\d* +\d+ +\d+$"]),
    "softirqs": (WIDE, "--interval 600ms", "{trigger} udp 18238 50", [r"^ +\d+ net_rx +[1-9]\d* +\d+ +\d+$"]),
    "hrtimers": (WIDE, "--interval 600ms", "{trigger} naps 20 0", [r"^vmlinux`hrtimer_wakeup +[1-9]\d*$"]),
    "workqueues": (
        WIDE,
        "--interval 600ms",
        "dd if=/dev/zero of={work}/wq bs=1M count=5 conv=fsync 2>/dev/null",
        [r"^FUNCTION +COUNT +US$", r"^\S+`\S+ +[1-9]\d* +\d+$"],
    ),
    "funccount": (DIRECT, "--function run_*", "{trigger} chain 5", [r"^run_chain +[1-9]\d*$"]),
    "funclatency": (
        DIRECT,
        "--function chain_*",
        "{trigger} chain 50",
        [r"^chain_a \(ns\)$", r"\|@+ +50 *$|\|@+ +[1-9]\d*"],
    ),
    "kfunccount": (C, "--function vfs_w*", "{trigger} writes 3 3", [r"^vfs_write +[1-9]\d*$"]),
    "kfunclatency": (C, "--function vfs_write", "{trigger} writes 3 3", [r"^vfs_write \(ns\)$", r"\|@+ +[1-9]\d*"]),
    "stackcount": (
        C,
        "--function vfs_write",
        "{trigger} writes 3 3",
        [r"^vmlinux`ksys_write\+0x", r"^  trigger [1-9]\d*$"],
    ),
    "funcslower": (
        C,
        "--function *sys_clock_nanosleep --us 40000",
        "{trigger} pause 50",
        [r" trigger +0 \w+_clock_nanosleep$"],
    ),
    "vfsstat": (C, "", "{trigger} writes 3 3", [r"^\d{4} .* +[1-9]\d* +[1-9]\d* +0 +[1-9]\d* +\d+$"]),
    "mallocsize": (DIRECT, "", "/usr/bin/find /etc/ssl -name x", [r"^find malloc \(bytes\)$", r"\|@+ +[1-9]\d*"]),
    "argdist": (
        DIRECT,
        "--function slow_step --arg 1",
        "{work}/steps",
        [r"^slow_step +3 +1$", r"^slow_step +6 +1$", r"^ +2 \|@+ +2 *$"],
    ),
    "memleak": (DIRECT, "--interval 1h", "{work}/steps", [r"^ *BYTES +BLOCKS +CALLER$", r"^ +100000 +100 steps`lose$"]),
    "deadlock": (
        DIRECT,
        "",
        "{work}/steps",
        [
            r"^thread \d+ takes mutex 0x\w+ while it holds 0x\w+; the order was the opposite before$",
            r"steps`take\+0x\w+\n +steps`second\+",
        ],
    ),
    "gethostlatency": (
        DIRECT,
        "",
        "python3 {work}/names.py",
        [r" python3 +\d+ ok +127.0.0.1$", r" python3 +\d+ failed +no.such.name.invalid$"],
    ),
    "sslsniff": (
        DIRECT,
        "",
        "python3 {work}/tls.py",
        [
            r" python3 +W +14 secret request$",
            r" python3 +R +14 secret request$",
            r" python3 +R +32 first line of the answer$",
        ],
    ),
    "ssllatency": (
        DIRECT,
        "",
        "python3 {work}/tls.py",
        [
            r"^SSL_write_ex +2 +0 +\d+ +\d+$",
            r"^SSL_read_ex +2 +0 +\d+ +\d+$",
            r"^SSL_do_handshake +2 +0 +\d+ +\d+$",
            r"^SSL_write_ex, microseconds$",
        ],
    ),
    "sofdsnoop": (
        DIRECT,
        "",
        "python3 {work}/pass.py",
        [
            r"^sent (\d+) (\d+) (\d+) received (\d+) (\d+) (\d+)\n(?:.*\n)* +\d+ python3 +S +\1 +\2 /etc/hostname\n"
            r" +\d+ python3 +S +\1 +\3 /etc/passwd\n +\d+ python3 +R +\4 +\5 /etc/hostname\n +\d+ python3 +R +\4 +\6 /etc/passwd$"
        ],
    ),
    "naptime": (
        C,
        "",
        "sleep 0.25; true",
        [
            r"^TIME +PPID +PID COMMAND +ASKED_MS +TOOK_MS$",
            r"^2\d{3} .* {pid} +\d+ sleep +250 +(2[5-9]|[3-9]\d|\d\d)\d$",
        ],
    ),
    "cpufreq": (WIDE, "", "true", [r"^ CPU +MHZ +CHANGES +MS$"]),
    "usdtcount": (DIRECT, "--provider dwelltool", "{usdt} 7", [r"^usdt +step +7$"]),
}


# Headings of numbers that count, name or place something; others tell their unit at their end. %RANDOM is percent.
COUNTS = set(
    """BACKLOG BLOCKS CALLS CODE CONN ACC COUNT CPU CHANGES FAILED QUERIES SOCK ALLOCS EXECS FAULTS FD FLAGS FROM TO GID IN OUT IRQ MAJ MIN NUMBER OFFSET
PACKETS PAGES PID PORT PPID PREEMPTS PROCESSES QUEUE %RANDOM READ REASON WRITE FSYNC OPEN CREATE REFUSED RESULT RETRANS RETURNED ARGUMENT
SAMPLES SECTOR SLEEPS THREADS TID TPID TRIES UID TARGET""".split()
)
UNITS = re.compile(r"(^|_)(NS|US|MS|S|BYTES|KB|MHZ)$")


def tables(text, out):
    """The tables of a tool, by the formats of its printa(): rows, each the number that they are sorted by, largest first."""
    pos = int((re.search(r"aggsortpos=(\d+)", text) or [0, 0])[1])
    for fmt in re.findall(r'printa\("((?:[^"\\]|\\.)*)"', text):
        columns = re.findall(r"%(@?)[#-]*\d*[a-zA-Z]", fmt)
        if "%k" in fmt or columns.count("@") < 1 or len(columns) < 2 or not re.match(r"%[-@#\d]*[a-zA-Z] *%", fmt):
            continue
        at = [i for i, c in enumerate(columns) if c][pos] - len(columns)
        rows = []
        for line in out.splitlines():
            words = line.split() if " |" not in line else []
            if (
                len(words) >= len(columns)
                and re.fullmatch(r"-?\d+", words[at])
                and not re.match(r"\d{4} [A-Z][a-z]{2} ", line)
            ):
                rows.append(int(words[at]))
            elif rows:
                yield rows
                rows = []
        if rows:
            yield rows


def headings(out):
    """Names of the columns whose values are numbers in each row that follows."""
    lines = out.splitlines()
    for i, line in enumerate(lines[:-1]):
        names, words = line.split(), lines[i + 1].split()
        if len(names) > 1 and all(re.fullmatch(r"%?[A-Z][A-Z0-9_]*", n) for n in names) and len(words) == len(names):
            yield from (n for n, w in zip(names, words) if re.fullmatch(r"-?\d+", w))


def units(out):
    return [
        f"a number without a unit: {n}" for n in sorted(set(headings(out))) if n not in COUNTS and not UNITS.search(n)
    ]


def order(text, out):
    return [f"not the largest first: {rows[:5]}" for rows in tables(text, out) if rows != sorted(rows, reverse=True)]


def has_functions():
    """Can functions of the kernel be traced here?"""
    return re.search(r"^  yes +functions of the kernel", live.dwell("features").stdout, re.M)


def source(tool):
    """Without its head."""
    with open(os.path.join(TOOLS, tool + ".d"), encoding="utf-8") as f:
        return f.read().partition("\n */\n")[2]


def needs_functions(tool):
    return "\nfbt:" in source(tool)


def command(tool, args):
    return [live.DWELL, "-s", os.path.join(TOOLS, tool + ".d"), *args.split()]


def wait_for_handler(p):
    """Until the tool takes Ctrl-C for an end, and a moment longer, so that its probes are there."""
    for _ in range(100):
        with open(f"/proc/{p.pid}/status", encoding="utf-8") as f:
            caught = re.search(r"^SigCgt:\s*(\w+)", f.read(), re.M)
        if caught and int(caught[1], 16) >> (signal.SIGINT - 1) & 1:
            break
        time.sleep(0.05)
    time.sleep(0.4)


def run_wide(argv, load):
    """Starts the tool, runs the load while it traces, and ends it by Ctrl-C."""
    p = subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="surrogateescape",
    )
    wait_for_handler(p)
    until = time.monotonic() + WIDE_SECONDS
    rounds = 0
    while time.monotonic() < until or rounds < 2:
        subprocess.run(["sh", load], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIME_OUT, check=False)
        rounds += 1
        time.sleep(0.1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=TIME_OUT)
    return out, err, p.returncode


def run_command(argv, load):
    r = subprocess.run(
        argv + ["-c", load],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIME_OUT,
        errors="surrogateescape",
    )
    return r.stdout, r.stderr, r.returncode


def build_usdt(program):
    with open(program + ".c", "w", encoding="utf-8") as f:
        f.write(USDT)
    subprocess.run(["cc", "-I", os.path.join(HERE, "../../../include"), "-o", program, program + ".c"], check=True)


def build(work, name, text):
    path = os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    if name.endswith(".c"):
        subprocess.run(["cc", "-O1", "-pthread", "-o", path[:-2], path], check=True)


def run(tool):
    mode, args, load, patterns = ENTRIES[tool]
    work = os.path.join(live.WORK, tool)
    os.makedirs(work, exist_ok=True)

    def fill(text):
        return (
            text.replace("{work}", work)
            .replace("{trigger}", live.TRIGGER)
            .replace("{usdt}", os.path.join(work, "usdt"))
            .replace("{tty}", TTY)
            .replace("{tty}", TTY)
        )

    script, pidfile = os.path.join(work, "load.sh"), os.path.join(work, "pid")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"echo $$ >{pidfile}\n" + fill(load) + "\n")
    if mode == DIRECT:
        with open(pidfile, "w", encoding="utf-8") as f:
            f.write("0")
    if tool in FILES:
        build(work, *FILES[tool])
    if "{usdt}" in load:
        build_usdt(os.path.join(work, "usdt"))
    try:
        if mode == WIDE:
            out, err, status = run_wide(command(tool, fill(args)), script)
        else:
            out, err, status = run_command(command(tool, fill(args)), fill(load) if mode == DIRECT else "sh " + script)
    except subprocess.TimeoutExpired as e:
        return tool, [f"did not end: {e}"], ""
    if not FUNCTIONS and needs_functions(tool):
        return (
            tool,
            []
            if status == 1 and re.search("hint: .*(kprobe|lockdown)", err)
            else [f"exit status {status}, no reason: {err}"],
            out,
        )
    with open(pidfile, encoding="utf-8") as f:
        pid = f.read().strip()
    wrong = [f"exit status {status}"] if status else []
    if os.path.exists(os.path.join(work, "skip")):
        return tool, [], out
    wrong += [f"message: {l}" for l in err.splitlines() if re.search(r"dwell|\.d:", l) and not re.search(EXCUSED, l)]
    wrong += units(out) + order(source(tool), out)
    for p in patterns:
        want = p.replace("{pid}", pid)
        for name, path in (
            ("work", work),
            ("seen", live.seen(work)),
            ("zero", live.seen("/dev/zero")),
            ("trigger", live.TRIGGER),
        ):
            want = want.replace("{" + name + "}", re.escape(path))
        if not re.search(want, out, re.M):
            wrong.append(f"no line matches {want}")
    return tool, wrong, out


with open(os.path.join(HERE, "../../../doc/tools.md"), encoding="utf-8") as f:
    DOC = f.read()
FUNCTIONS = has_functions()
have = {n[:-2] for n in os.listdir(TOOLS) if n.endswith(".d")}
# names.d: what the tools call errors and signals.
r = live.dwell(
    "-qn", "BEGIN { for (int i = 1; i <= 42; i++) { printf(\"%s \", errno_name[i]); } printf(\"\\n\"); exit(0); }"
)
live.check(
    all(getattr(errno, n, None) == i or n == str(i) for i, n in enumerate(r.stdout.split(), 1))
    and "ENOENT" in r.stdout,
    "errno_name[]",
    r.stdout + r.stderr,
)
r = live.dwell(
    "-qn", "BEGIN { for (int i = 1; i <= 31; i++) { printf(\"%s \", signal_name[i]); } printf(\"\\n\"); exit(0); }"
)
live.same(r.stdout.split(), [signal.Signals(i).name for i in range(1, 32)], "signal_name[]")

live.same(sorted(have - set(ENTRIES) - ELSEWHERE), [], "every tool has an entry")
live.same(sorted(set(ENTRIES) - have), [], "every entry has a tool")
for name in sorted(have):
    path = os.path.join(TOOLS, name + ".d")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want = rf"#!/usr/bin/env -S dwell -s\n/\* SPDX-License-Identifier: Apache-2.0 \*/\n/\*\n \* {name}\.d: .*\.\n \*\n \* Topic: .*\n \* Usage: {name}\.d"
    example = re.search(rf"^ \*   # {name}\.d.*\n \*   .*\S.*\n", text, re.M)
    if not (re.match(want, text) and example and os.access(path, os.X_OK)):
        live.check(False, f"{name}: head with summary, topic, usage and example; executable", text[:300])
        continue
    summary = re.search(rf"^ \* {name}\.d: (.*)$", text, re.M)[1]
    topic = re.search(r"^ \* Topic: (.*)$", text, re.M)[1]
    if f"| *{name}.d* | {summary} |" not in DOC.partition(f"\n| {topic} | |\n")[2].partition("\n\n")[0].splitlines():
        live.check(False, f"{name}: doc/tools.md has, under {topic}, the line '| *{name}.d* | {summary} |'")

with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    for name, wrong, out in pool.map(run, sorted(have & set(ENTRIES))):
        tail = out.splitlines()
        live.check(not wrong, name, "\n".join(wrong + ["output:"] + tail[:12] + ["..."] + tail[-12:]))

# Options of all tools: each has a meaning, or is refused with the reason.
for name in sorted(have):
    is_table = "printa(" in source(name)
    reason = "it has no table by process" if is_table else "it shows events as they happen"
    wrong = [] if "param interval" in source(name) or not is_table else ["it has no --interval"]
    for option, value in (("interval", "1s"), ("top", "3"), ("by", "user")):
        if is_table and (option != "by" or "group_name" in source(name) or "group_prefix" in source(name)):
            continue
        r = live.dwell("run", name, "--" + option, value)
        if r.returncode != 2 or f"{name} takes no --{option}: {reason}" not in r.stderr:
            wrong.append(f"--{option} {value}: {r.returncode} {r.stdout}{r.stderr}")
    if wrong:
        live.check(False, f"{name}: options of all tools", "\n".join(wrong))
live.done()
