# SPDX-License-Identifier: Apache-2.0
# @timeout: 600
"""jstack() of Java: every stack of a program as the JVM itself tells of it at the same moment, hidden frames too:
interpreted, compiled by C1 and C2 with what is inlined, threads of a pool, lambdas, reflection, exceptions, collections;
and samples of a loaded process, which reach where their thread begins. JAVAS: further JVMs, separated by colons."""
import collections
import os
import platform
import re
import shutil
import subprocess
import jvms
import live

JAVAS = jvms.homes()
if platform.machine() != "x86_64" or not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
TOLD, READY = (os.path.join(live.WORK, "java-" + n) for n in ("told", "ready"))
with open(os.path.join(live.WORK, "Told.java"), "w", encoding="utf-8") as f:
    f.write(
        '''import java.util.*; import java.util.concurrent.*; import java.util.function.*; import java.io.*;
public class Told {
  static PrintStream out; static volatile int next; static volatile boolean on;
  static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);
  static int tell() {
    int id; synchronized (Told.class) { id = on ? ++next : 0; }
    new File("/dwell-told-" + id).exists(); if (id != 0) told(id, WALKER.walk(s -> s.toList()));
    return id;
  }
  static void told(int id, List<StackWalker.StackFrame> s) {
    StringBuilder b = new StringBuilder("#" + id + "\\n");
    for (StackWalker.StackFrame f : s) {
      StackTraceElement e = f.toStackTraceElement();
      b.append(f.getClassName()).append('.').append(f.getMethodName()).append(f.isNativeMethod() ? " [native]" : (e.getFileName() == null ? "" : " at " + e.getFileName()) + (e.getLineNumber() > 0 ? ":" + e.getLineNumber() : "")).append('\\n');
    }
    synchronized (out) { out.println(b); }
  }
  interface Shape { int area(int n); }
  static class Square implements Shape { public int area(int n) { return n > 0 ? area(n - 1) + 1 : tell(); } }
  static class Circle implements Shape { public int area(int n) { return leaf(n); } int leaf(int n) { return inner(n); } int inner(int n) { return n > 2 ? tell() : tell() + 1; } }
  static int deep(int n) { return n == 0 ? tell() : deep(n - 1) + 1; }
  static int lambdas(int n) { int[] r = {0}; List.of(1, 2).forEach(x -> { r[0] += tell(); }); Supplier<Integer> s = () -> deep(n); return s.get() + r[0]; }
  static int sorted() { Integer[] a = {3, 1, 2}; Arrays.sort(a, (x, y) -> { tell(); return x - y; }); return a[0]; }
  static synchronized int locked(int n) { return n == 0 ? tell() : locked(n - 1); }
  static int caught() { try { return thrower(); } catch (RuntimeException e) { return tell(); } }
  static int thrower() { if (on || next >= 0) throw new RuntimeException(); return 1; }
  static int reflect() throws Exception { return (Integer) Told.class.getDeclaredMethod("deep", int.class).invoke(null, 3); }
  static int gc() { if (on) System.gc(); return tell(); }
  static int all(int n) throws Exception {
    Shape[] s = { new Square(), new Circle() };
    int r = 0; for (Shape x : s) r += x.area(n);
    return r + deep(20) + lambdas(5) + sorted() + locked(4) + caught() + reflect() + gc();
  }
  public static void main(String[] a) throws Exception {
    out = new PrintStream(new FileOutputStream(a[0]), true);
    int warm = Integer.parseInt(a[1]), rounds = Integer.parseInt(a[2]);
    ExecutorService pool = Executors.newFixedThreadPool(3);
    Callable<Integer> c = () -> all(3);
    for (int i = 0; i < warm; i++) all(3);
    while (!new File(a[3]).exists()) Thread.sleep(20);
    on = true;
    for (int i = 0; i < rounds; i++) { all(3); List<Future<Integer>> f = new ArrayList<>(); for (int k = 0; k < 3; k++) f.add(pool.submit(c)); for (Future<Integer> x : f) x.get(); }
    pool.shutdown();
    Thread.sleep(300);
  }
}
'''
    )
with open(os.path.join(live.WORK, "Load.java"), "w", encoding="utf-8") as f:
    f.write(
        '''import java.util.*;
public class Load { static volatile Object sink; static int fib(int n){ return n<2?n:fib(n-1)+fib(n-2);} 
 static void work(int k){ Random r=new Random(k); long end=System.currentTimeMillis()+SEC*1000L; while(System.currentTimeMillis()<end){ switch(r.nextInt(9)){ case 0: fib(18); break; case 1: { Map<String,Integer> m=new HashMap<>(); for(int i=0;i<2000;i++) m.put("k"+r.nextInt(5000),i); sink=m; break;} case 2: { int[] a=r.ints(3000).toArray(); Arrays.sort(a); sink=a; break;} case 3: { StringBuilder b=new StringBuilder(); for(int i=0;i<1500;i++) b.append(i*1.5).append(','); sink=b.toString(); break;} case 4: { try { throwing(20);} catch(RuntimeException e){ sink=e; } break;} case 5: { List<Integer> l=new ArrayList<>(); for(int i=0;i<3000;i++) l.add(r.nextInt()); l.sort(Comparator.comparing((Integer x)->-x)); sink=l; break;} case 6: { byte[] b=new byte[1<<16]; java.util.zip.CRC32 c=new java.util.zip.CRC32(); c.update(b); sink=c.getValue(); System.arraycopy(b,0,b,100,60000); break;} case 7: { byte[] b=new byte[1<<16]; for(int i=0;i<10;i++) sink=digest(b); break;} case 8: { String[] s=new String[2000]; for(int i=0;i<s.length;i++) s[i]="a rather long common beginning "+r.nextInt(); Arrays.sort(s); sink=s; break;} } } }
 static byte[] digest(byte[] b){ try { return java.security.MessageDigest.getInstance("SHA-256").digest(b); } catch(java.security.NoSuchAlgorithmException e){ return null; } }
 static int SEC; static int throwing(int n){ if(n==0) throw new IllegalStateException("x"); return throwing(n-1)+1; }
 public static void main(String[] a) throws Exception { SEC=Integer.parseInt(a[0]); Thread[] t=new Thread[2]; for(int i=0;i<2;i++){ int k=i; t[i]=new Thread(()->work(k)); t[i].start(); } for(Thread x:t) x.join(); } }
'''
    )
subprocess.run(
    ["javac", "--release", "17", "-d", live.WORK, *(os.path.join(live.WORK, n) for n in ("Told.java", "Load.java"))],
    check=True,
)

# A method asks for a file whose name is the number of the stack: by stat or newfstatat, as the JVM was built.
PROGRAM = """
syscall::newfstatat:entry /pid == $target && strstr(copyinstr(arg1), "dwell-told-") != NULL && copyinstr(arg1) != "/dwell-told-0"/
{ printf("=%s\\n", copyinstr(arg1)); jstack(200); }
syscall::stat:entry /pid == $target && strstr(copyinstr(arg0), "dwell-told-") != NULL && copyinstr(arg0) != "/dwell-told-0"/
{ printf("=%s\\n", copyinstr(arg0)); jstack(200); }
syscall::newfstatat:entry /pid == $target && copyinstr(arg1) == "/dwell-told-0" && !met++/ { jstack(200); system("touch READY"); }
syscall::stat:entry /pid == $target && copyinstr(arg0) == "/dwell-told-0" && !met++/ { jstack(200); system("touch READY"); }
"""


def told(path):
    blocks = [b.strip().splitlines() for b in open(path, encoding="utf-8").read().split("\n\n") if b.strip()]
    return {int(b[0][1:]): b[1:] for b in blocks}


def got(text):
    stacks = {}
    for block in re.split("^=", text, flags=re.M)[1:]:
        lines = [l.strip() for l in block.splitlines() if l.strip()]
        stacks[int(lines[0].rsplit("-", 1)[1])] = lines[1:]
    return stacks


def java_frames(stack):
    """Those of Java, from tell() on."""
    frames = [l.removesuffix(" [inlined]") for l in stack if "`" not in l and not l.endswith(" [stub]")]
    at = next((i for i, l in enumerate(frames) if l.startswith("Told.tell at ")), 0)
    return frames[at:]


def compare(java, *options):
    for name in TOLD, READY:
        if os.path.exists(name):
            os.unlink(name)
    command = " ".join([java + "/bin/java", *options, "-cp", live.WORK, "Told", TOLD, "3000", "10", READY])
    r = live.dwell(
        "-x",
        "switchrate=20ms",
        "-x",
        "bufsize=16m",
        "-wqn",
        PROGRAM.replace("READY", READY),
        "-c",
        command,
        timeout=120,
    )
    want, have = told(TOLD), got(r.stdout)
    what = f"{os.path.basename(java)} {' '.join(options)}"
    live.check(len(want) == 560, f"{what}: hundreds of stacks", (len(want), r.stderr))
    wrong = [(i, want[i], have.get(i)) for i in want if java_frames(have.get(i, [])) != want[i]]
    live.check(not wrong, f"{what}: all stacks are as the JVM says", (len(wrong), wrong[:1]))
    inlined = sum(l.endswith(" [inlined]") for s in have.values() for l in s)
    live.check((inlined > 0) == ("-Xint" not in options), f"{what}: inlined functions", inlined)
    short = [s for s in have.values() if not re.search("clone|start_thread", s[-1])]
    live.check(not short, f"{what}: down to where the thread begins", short[:1])


def sample(java, *options):
    command = " ".join([java + "/bin/java", *options, "-cp", live.WORK, "Load", "8"])
    r = live.dwell(
        "-x",
        "bufsize=32m",
        "-qn",
        'profile-997 /pid == $target && arg1 != 0/ { jstack(300); printf("=\\n"); }',
        "-c",
        command,
        timeout=120,
    )
    stacks = [[l.strip() for l in b.splitlines() if l.strip()] for b in r.stdout.split("=\n")]
    stacks = [s for s in stacks if s]
    # libc begins threads with clone3(), the launcher with its own _start, which has no symbol
    whole = [s for s in stacks if not s[-1].startswith("[") and re.search("`(clone|start_thread|_start|0x)", s[-1])]
    cut = collections.Counter(tuple(s[:1] + s[-1:]) for s in stacks if s not in whole)
    live.check(len(stacks) > 200, f"{java} {options}: samples", len(stacks))
    live.check(
        len(whole) >= 0.99 * len(stacks),
        f"{java} {options}: nearly all reach where their thread begins",
        (len(whole), len(stacks), cut),
    )
    # Its stub uses the frame pointer for data
    stubs = [
        s for s in stacks if s[0].startswith("StubRoutines") and any("sun.security.provider.SHA2" in l for l in s[:5])
    ]
    astray = [s for s in stubs if not any(l.startswith("Load.digest ") for l in s)]
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        has_stub = re.search(r"^flags.* (sha_ni|avx2) ", f.read() + " ", re.M)  # not in emulated CPUs
    live.check(
        (stubs or not has_stub) and not astray,
        f"{java} {options}: stubs of SHA-256 lead to what calls them",
        (len(stubs), astray[:1]),
    )
    compared = [s for s in whole if any(l.startswith("java.lang.String.compareTo") for l in s[:4])]
    lost = [s for s in compared if not any(l.startswith("Load.work ") for l in s)]
    live.check(
        compared and not lost,
        f"{java} {options}: comparisons of strings lead to Load.work()",
        (len(compared), lost[:1]),
    )


for java in JAVAS:
    for options in ["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-XX:-TieredCompilation", "-XX:+UseParallelGC"], []:
        compare(java, *options)
    sample(java)
live.done()
