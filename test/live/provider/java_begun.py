# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Provider java: java* of JVMs that begin while dwell runs, also by exec of a script, one that refuses the agent, and one that ends at
once. The agent of another dwell that a JVM has already is refused, in words."""
import os
import re
import shutil
import subprocess
import jvms
import live

JAVAS = jvms.homes()
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Begun.java", "w", encoding="utf-8") as f:
    f.write(
        """public class Begun {
  static volatile int n;
  static class Later { static int late(String s, int k) { return k + 1; } }
  static void step(String s) { n++; }
  public static void main(String[] x) throws Exception {
    System.out.println("runs");
    for (int i = 0; ; i++) { step(x[0]); if (i > 100) n = Later.late(x[0], 7); Thread.sleep(10); }
  }
}
"""
    )
subprocess.run(["javac", "--release", "17", "Begun.java"], check=True)


def start(home, name, *options, before=()):
    return subprocess.Popen(
        [*before, home + "/bin/java", "-Xmx32m", *options, "-cp", ".", "Begun", name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def end(*processes):
    for p in processes:
        p.kill()
        p.wait()


def watch(program, *options):
    d = subprocess.Popen(
        [
            live.DWELL,
            "-x",
            "javaagent",
            "-x",
            "switchrate=50ms",
            *options,
            "-qn",
            'BEGIN { printf("begun\\n"); }' + program,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    d.stdout.readline()
    return d


# With -Z, when there was none at the start: arguments have no types.
d = watch(
    'java*:Begun:step:entry,java*:Begun.Later:late:return { @[probeprov, probename] = count(); }'
    'java*:Begun:step:entry { self->name = copyinstr(arg0); } java*:Begun.Later:late:return /!done[pid]/ { done[pid] = 1; printf("%d %s %d\\n", pid, self->name, arg1); }',
    "-Z",
)
SHORT = subprocess.run([JAVAS[0] + "/bin/java", "-version"], capture_output=True, check=True)
running = [start(home, f"name{i}") for i, home in enumerate(JAVAS)]
running.append(start(JAVAS[0], "become", before=("sh", "-c", 'x=$(echo before); exec "$@"', "sh")))
stubborn = start(JAVAS[0], "refuses", "-XX:+DisableAttachMechanism")
want = {f"{p.pid} {n} 8" for p, n in zip(running, [f"name{i}" for i in range(len(JAVAS))] + ["become"])}
got = set()
try:
    while len(got) < len(want) and (line := d.stdout.readline()):
        got.add(line.strip())
    live.check(
        got == want, "JVMs that begin later: methods, and those of a class that they load after that", (got, want)
    )
    d.send_signal(2)
    out, err = d.communicate(timeout=60)
    seen = set(re.findall(r"java(\d+) +(entry|return) ", out))
    live.check(
        seen == {(str(p.pid), kind) for p in running for kind in ("entry", "return")},
        "each of them has a provider of its own",
        (seen, out, err),
    )
    live.check(not err or ("a JVM is left out" in err and str(stubborn.pid) in err), "words of no other JVM", err)
    # The code is as before, and the next run finds the agent. With types of the JVM that was there, others are found, too.
    end(stubborn, *running[1:])
    d = watch(
        'java*:Begun:step:entry { @[probeprov] = count(); } java*:Begun:step:entry /args[0] == "new"/ { printf("%s\\n", args[0]); exit(0); }'
    )
    new = start(JAVAS[-1], "new")
    running.append(new)
    out, err = d.communicate(timeout=60)
    live.check(
        set(re.findall(r"java(\d+) +\d+", out)) == {str(running[0].pid), str(new.pid)} and not err,
        "besides one that ran before",
        (out, err),
    )

    def complete(*words):
        r = live.dwell("complete", *words, timeout=60)
        return {line.split("\t")[0] for line in r.stdout.splitlines()}

    word = f"java{new.pid}:"
    consent = ("-x", "javaagent", "-n")
    live.check(
        complete("-x", "javaagent", "-p", str(new.pid), "-n", "java$target:Beg") - {"java$target:Begun.Later:"}
        == {"java$target:Begun:"}
        and complete(*consent, word + "Begun:") == {word + f"Begun:{m}:" for m in ("main", "step", "?init?")}
        and complete(*consent, word + "java.lang.Integer:parseInt?java.lang.String?int?:")
        == {word + f"java.lang.Integer:parseInt?java.lang.String?int?:{n}" for n in ("entry", "return", "throw")},
        "completion of classes, methods and names",
        complete(*consent, word + "Beg"),
    )
    live.check(not complete("-n", word + "Beg"), "and none without consent")
    # Another dwell: a byte of the time of the first file in the agent's jar.
    with open(live.DWELL, "rb") as f:
        data = bytearray(f.read())
    jar = re.search(rb"PK\x03\x04.{26}META-INF/MANIFEST\.MF", data, re.S)
    data[jar.start() + 10] ^= 0x20
    with open("other", "wb") as f:
        f.write(data)
    shutil.copymode(live.DWELL, "other")
    program = ("-x", "javaagent", "-qn", "java$target:Begun:step:entry { exit(0); }", "-p")
    r = subprocess.run(
        [os.path.abspath("other"), *program, str(new.pid)], capture_output=True, text=True, timeout=60, check=False
    )
    live.check(
        r.returncode == 1 and f"the JVM {new.pid} has the agent of another dwell" in r.stderr,
        "the agent of another dwell is refused",
        r,
    )
    r = live.dwell(*program, new.pid, timeout=60)
    live.check(r.returncode == 0 and new.poll() is None, "and goes on for its own", r)
finally:
    end(stubborn, *running)
live.done()
