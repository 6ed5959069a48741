#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many of 10,000 samples of node, java and python3 reach where their thread begins, and what the others end with.
Usage: stacks.py [--least PERCENT] DWELL [PROGRAM...]; each program is a Node, JVM or Python. Writes a line per program and the endings of
cut stacks. Ends with 1 when fewer reach it."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS, SAMPLES = 150, 10000
JS = """const zlib = require("zlib"), crypto = require("crypto"), fs = require("fs"), end = Date.now() + %d;
class Row { constructor(i) { this.id = i; this.name = "row " + i; this.tags = [i, i * 2, { deep: i }]; } key() { return this.name.split(" ").reverse().join("-"); } }
function work() {
  const rows = Array.from({ length: 500 }, (_, i) => new Row(i));
  rows.sort((a, b) => a.key() < b.key() ? -1 : 1);
  const text = JSON.stringify(rows), back = JSON.parse(text);
  crypto.createHash("sha256").update(text).digest("hex"); zlib.deflateSync(text.slice(0, 5000));
  text.replace(/row (\\d+)/g, (m, n) => n); fs.existsSync("/none");
  return back.map((r) => new Map([[r.id, r]])).length;
}
async function loop() { while (Date.now() < end) { work(); await new Promise((r) => setImmediate(r)); await fs.promises.readFile(__filename); } }
loop();
"""
PY = """import hashlib, json, re, sqlite3, time, zlib, threading
end = time.time() + %d
class Row:
    def __init__(self, i): self.id, self.name = i, "row %%d" %% i
    def key(self): return "-".join(reversed(self.name.split()))
def work():
    db = sqlite3.connect(":memory:"); db.execute("create table t (a, b)")
    db.create_function("twice", 1, lambda x: x * 2)
    while time.time() < end:
        rows = sorted((Row(i) for i in range(300)), key=lambda r: r.key())
        text = json.dumps([r.__dict__ for r in rows]); json.loads(text)
        hashlib.sha256(text.encode()).hexdigest(); zlib.compress(text.encode()); re.sub(r"row (\\d+)", lambda m: m[1], text)
        db.executemany("insert into t values (?, ?)", [(r.id, r.name) for r in rows]); db.execute("select sum(twice(a)) from t").fetchall()
        db.execute("delete from t")
t = threading.Thread(target=work); t.start(); work.__call__; t.join()
"""
JAVA = """import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class Rows {
  record Row(int id, String name) { String key() { return new StringBuilder(name).reverse().toString(); } }
  static long work() throws Exception {
    List<Row> rows = IntStream.range(0, 2000).mapToObj(i -> new Row(i, "row " + i)).sorted(Comparator.comparing(Row::key)).collect(Collectors.toList());
    Map<String, Integer> m = new HashMap<>(); for (Row r : rows) m.merge(r.key().substring(0, 1), r.id(), Integer::sum);
    byte[] d = java.security.MessageDigest.getInstance("SHA-256").digest(rows.toString().getBytes());
    java.util.zip.Deflater z = new java.util.zip.Deflater(); z.setInput(d); z.finish(); z.deflate(new byte[100]); z.end();
    return m.size() + rows.toString().replaceAll("row (\\\\d+)", "$1").length();
  }
  public static void main(String[] a) throws Exception {
    long end = System.currentTimeMillis() + 1000 * Long.parseLong(a[0]); ExecutorService pool = Executors.newFixedThreadPool(2);
    while (System.currentTimeMillis() < end) { List<Future<Long>> f = new ArrayList<>(); for (int i = 0; i < 8; i++) f.add(pool.submit(Rows::work)); for (Future<Long> x : f) x.get(); }
    pool.shutdown();
  }
}
"""
# libc begins threads with clone3(), programs with _start; that of the loader and of the launcher of Java have no symbol
BEGIN = re.compile(r"`(clone3?|start_thread|_start|_dl_start_user|0x)")


def command(program, folder):
    kind = os.path.basename(program)
    text, name = (
        (JAVA, "Rows.java")
        if kind == "java"
        else (JS % (SECONDS * 1000), "rows.js")
        if kind == "node"
        else (PY % SECONDS, "rows.py")
    )
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    if kind != "java":
        return [program, path]
    subprocess.run([os.path.join(os.path.dirname(os.path.realpath(program)), "javac"), "-d", folder, path], check=True)
    return [program, "-cp", folder, "Rows", str(SECONDS)]


def measure(dwell, program, folder):
    d = f'profile-999 /pid == $target && arg1 != 0/ {{ @[jstack(300)] = count(); n++; }} tick-10ms /n >= {SAMPLES}/ {{ exit(0); }}'
    r = subprocess.run(
        [
            dwell,
            "-x",
            "aggsize=64m",
            "-x",
            "aggrate=100ms",
            "-x",
            "maxframes=300",
            "-qn",
            d,
            "-c",
            " ".join(command(program, folder)),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS * 4,
        check=False,
    )
    whole, cut, stack = 0, collections.Counter(), []
    for line in map(str.strip, r.stdout.splitlines()):
        if line.isdigit() and stack:
            ok = BEGIN.search(stack[-1]) and not stack[-1].startswith("[")
            whole += int(line) if ok else 0
            if not ok:
                cut[" < ".join(re.sub(r"\\+0x\w+$", "", l) for l in stack[-3:][::-1])] += int(line)
            stack = []
        elif line:
            stack.append(line)
    n = whole + sum(cut.values())
    percent = 100 * whole / max(n, 1)
    print(
        f"{program}: {n} samples, {whole} reach where their thread begins: {percent:.2f} %",
        r.stderr.strip(),
        flush=True,
    )
    for words, count in cut.most_common(8):
        print(f"    {count:5} {words}")
    return n > SAMPLES / 10 and percent


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--least", type=float, default=0)
    args.add_argument("dwell")
    args.add_argument("programs", nargs="*")
    a = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        got = [
            measure(os.path.realpath(a.dwell), program, folder)
            for program in a.programs or filter(None, map(shutil.which, ("node", "java", "/usr/bin/python3")))
        ]
    sys.exit(min(got) < a.least)


if __name__ == "__main__":
    main()
