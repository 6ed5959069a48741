#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Becomes a program of a language runtime that flushes a file again and again, for seven seconds after its start: sh runtimes.sh
# python|node|java FOLDER.
set -e
mkdir -p /tmp/runtimes
cd /tmp/runtimes
case $1 in
python)
	cat >flush.py <<'END'
import os, time
f = os.open("a.dat", os.O_RDWR | os.O_CREAT)
def inner(): os.fsync(f)
def outer(): sorted([1], key=lambda x: inner())
end = time.time() + 7
while time.time() < end: outer(); time.sleep(0.1)
END
	exec /usr/bin/python3 flush.py
	;;
node)
	cat >flush.js <<'END'
const fs = require("fs"), f = fs.openSync("a.dat", "w");
function inner() { fs.fsyncSync(f); }
function outer() { [1].forEach(() => inner()); }
const timer = setInterval(outer, 100);
setTimeout(() => clearInterval(timer), 7000);
END
	exec node flush.js
	;;
java)
	cat >Flush.java <<'END'
public class Flush {
  static void inner(java.io.RandomAccessFile f) throws Exception { f.getFD().sync(); }
  static void outer(java.io.RandomAccessFile f) throws Exception { inner(f); }
  public static void main(String[] a) throws Exception {
    java.io.RandomAccessFile f = new java.io.RandomAccessFile("a.dat", "rw");
    for (int i = 0; i < 70; i++) { outer(f); Thread.sleep(100); }
  }
}
END
	javac Flush.java
	exec java -cp . Flush
	;;
esac
