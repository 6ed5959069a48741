# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""jstack() of many threads that flush at once: workers of Node, threads of Java and Python. Each stack is that of its own thread, or
says why not; none is another's. And of a process that becomes another program, in another runtime or the same. WORKERS=500 for more."""
import os
import platform
import re
import shutil
import subprocess
import jvms
import live

if platform.machine() != "x86_64":
    print("# user stacks are not walked as on x86-64")
    raise SystemExit(77)
os.chdir(live.WORK)
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else shutil.which("python3")
NODE, JAVAC = shutil.which("node"), shutil.which("javac")
JAVAS = (jvms.homes() if live.LONG else jvms.homes()[-1:]) if JAVAC else []
WORKERS, JTHREADS, PTHREADS, BEYOND = int(os.environ.get("WORKERS", "40")), 1000, 700, 2100
FILES = {
    "many.js": """const { Worker, isMainThread, workerData } = require("worker_threads"), fs = require("fs");
const N = Number(process.argv[2]);
if (isMainThread) {
  const go = new Int32Array(new SharedArrayBuffer(8));
  for (let i = 0; i < N; i++) new Worker(__filename, { workerData: { go }, argv: process.argv.slice(2), resourceLimits: { maxOldGenerationSizeMb: 16, codeRangeSizeMb: 8 } });
  const wait = setInterval(() => { if (Atomics.load(go, 1) === N) { Atomics.store(go, 0, 1); Atomics.notify(go, 0); clearInterval(wait); } }, 50);
} else {
  Atomics.add(workerData.go, 1, 1);
  Atomics.wait(workerData.go, 0, 0);
  const fd = fs.openSync("many.dat", "w");
  function flush() { fs.fsyncSync(fd); }
  function step(n) { return n ? step(n - 1) : flush(); }
  setTimeout(() => { step(3); setTimeout(() => {}, 20 * N + 2000); }, 300);
}
""",
    "Many.java": """import java.io.*; import java.util.concurrent.*;
public class Many {
  static void flush(RandomAccessFile f) throws IOException { f.getFD().sync(); }
  static void step(int n, RandomAccessFile f) throws IOException { if (n > 0) step(n - 1, f); else flush(f); }
  public static void main(String[] a) throws Exception {
    int n = Integer.parseInt(a[0]); CountDownLatch all = new CountDownLatch(n), done = new CountDownLatch(n);
    RandomAccessFile f = new RandomAccessFile("many.dat", "rw");
    for (int i = 0; i < n; i++) { Thread t = new Thread(null, () -> { all.countDown(); try { all.await(); Thread.sleep(500); step(3, f); done.countDown(); Thread.sleep(60000); } catch (Exception e) { } }, "t" + i, 200_000); t.setDaemon(true); t.start(); }
    done.await(); Thread.sleep(1500);
  }
}
""",
    "many.py": """import os, sys, threading, time
n = int(sys.argv[1]); threading.stack_size(256 << 10); b, done = threading.Barrier(n), threading.Barrier(n + 1)
f = os.open("many.dat", os.O_RDWR | os.O_CREAT)
def flush(): os.fsync(f)
def step(k): step(k - 1) if k else flush()
def run(): b.wait(); time.sleep(0.5); step(3); done.wait()
t = [threading.Thread(target=run) for _ in range(n)]
for x in t: x.start()
done.wait(); time.sleep(1.5)
""",
    "become.py": """import os, sys, time
f = os.open("many.dat", os.O_RDWR | os.O_CREAT)
def before():
    for i in range(50): os.fsync(f); time.sleep(0.01)
before(); os.execvp(sys.argv[1], sys.argv[1:])
""",
    "after.py": "import os, time\nf = os.open('many.dat', os.O_RDWR)\ndef after():\n    for i in range(100): os.fsync(f); time.sleep(0.01)\nafter()\n",
    "after.js": """const fs = require("fs"), f = fs.openSync("many.dat", "r+"); let n = 0;
function after() { fs.fsyncSync(f); if (n++ < 100) setTimeout(after, 10); }
after();
""",
    "After.java": """public class After {
  static void after(java.io.RandomAccessFile f) throws Exception { for (int i = 0; i < 100; i++) { f.getFD().sync(); Thread.sleep(10); } }
  public static void main(String[] a) throws Exception { after(new java.io.RandomAccessFile("many.dat", "rw")); }
}
""",
}
for name, text in FILES.items():
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)
if JAVAS:
    subprocess.run(["javac", "--release", "17", "Many.java", "After.java"], check=True)


def stacks(command):
    """[frames, count] of each stack in which the command flushes."""
    program = "syscall::fsync:entry /pid == $target/ { @[jstack(80)] = count(); }"
    options = ("-x", "aggrate=100ms", "-x", "switchrate=50ms", "-x", "aggsize=16m")
    r = live.dwell(*options, "-qn", program, "-c", command, timeout=120)
    found, stack = [], []
    for line in map(str.strip, r.stdout.splitlines()):
        if line.isdigit():
            found.append((stack, int(line)))
            stack = []
        elif line:
            stack.append(line.removesuffix(" [inlined]"))
    return r, found


def of(stack, pattern):
    return [re.split(r" at | \[", l)[0].split(".")[-1] for l in stack if re.search(pattern, l)]


WANT = ["flush", "step", "step", "step", "step"]
CASES = [(f"{h}/bin/java -Xmx200m -cp . Many {JTHREADS}", JTHREADS, r"^Many\.(flush|step) ", 0) for h in JAVAS]
CASES.append((f"{PYTHON} many.py {PTHREADS}", PTHREADS, r"^(flush|step) at ", 0))
CASES.append((f"{PYTHON} many.py {BEYOND}", BEYOND, r"^(flush|step) at ", BEYOND - 2048))
if NODE:
    CASES.append((f"{NODE} many.js {WORKERS}", WORKERS, r"^(flush|step) at ", 0))
for command, n, pattern, beyond in CASES:
    r, got = stacks(command)
    whole = sum(k for s, k in got if of(s, pattern) == WANT)
    said = sum(
        k for s, k in got if not of(s, pattern) and any(l.startswith(("[Python", "[JavaScript", "[Java f")) for l in s)
    )
    live.same(sum(k for _, k in got), n, f"{command}: all have come {r.stderr}")
    live.check(
        whole + said == n and beyond <= said <= beyond + n // 50 + 2,
        f"{command}: each stack is its thread's",
        (whole, said, [s for s, _ in got if of(s, pattern) != WANT][:2]),
    )
for command in (
    [f"{PYTHON} after.py"] + ([f"{NODE} after.js"] if NODE else []) + [f"{h}/bin/java -cp . After" for h in JAVAS]
):
    r, got = stacks(f"{PYTHON} become.py {command}")
    names = [(of(s, r"^before at .*become\.py"), of(s, r"^(After\.)?after at "), k) for s, k in got]
    live.check(not any(b and a for b, a, _ in names), f"{command}: no stack of both programs", names)
    live.check(
        sum(k for b, _, k in names if b) >= 40 and sum(k for _, a, k in names if a) >= 50,
        f"{command}: the frames of the program that it is",
        (names, r.stderr, got[-1:]),
    )
live.done()
