# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Requests that programs mark: by what they write to /dev/null, across processes, and by two probes."""
import json
import os
import re
import subprocess

import live

MARKS = r"""
import os, subprocess, time
null = os.open("/dev/null", os.O_WRONLY)
other = os.open("other", os.O_WRONLY | os.O_CREAT)
t = [time.monotonic()]
def mark(text, fd=null):
    os.write(fd, text.encode())
mark("dwell+one")
mark("dwell+" + "x" * 31)
mark("dwell+never")
mark("dwell-nobody began this")
mark("dwell+other", other)
mark("dwell+")
mark("something else")
time.sleep(0.06)
mark("dwell-" + "x" * 31)
mark("dwell-other", other)
begun = time.monotonic_ns()
mark("dwell+two")
time.sleep(0.08)
# Whose process is gone when its event is looked at belongs to nobody.
subprocess.run(["sh", "-c", "echo dwell-one >/dev/null; echo dwell+shell >/dev/null; sleep 0.04; echo dwell-shell >/dev/null; sleep 1"])
mark("dwell-two\n")
print("two", time.monotonic_ns() - begun)
"""
# A server with static probes: requests beside each other that begin in one thread and end in another, one that never ends, and two
# of which one is within the other. It measures them itself.
SERVER = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/sdt.h>

#define WORKERS 4
#define REQUESTS 24
#define LOST 7 /* this one never ends */

static uint64_t begun[REQUESTS];
static int queue[2];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *work(void *arg)
{
	int id;

	while (read(queue[0], &id, sizeof(id)) == sizeof(id)) {
		usleep(10000 + id * 1000);
		if (id == LOST)
			continue;
		STAP_PROBE1(server, done, id);
		printf("request %d %llu\n", id, (unsigned long long)(now() - begun[id]));
	}
	return arg;
}

int main(void)
{
	pthread_t t[WORKERS];

	if (pipe(queue) < 0)
		return 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int id = 0; id < REQUESTS; id++) {
		begun[id] = now();
		STAP_PROBE1(server, start, id);
		if (write(queue[1], &id, sizeof(id)) < 0)
			return 1;
		usleep(2000);
	}
	close(queue[1]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	/* nested, in one thread */
	uint64_t outer = now();
	STAP_PROBE1(server, start, 100);
	STAP_PROBE1(server, outer, 100);
	usleep(10000);
	uint64_t inner = now();
	STAP_PROBE1(server, start, 101);
	STAP_PROBE1(server, outer, 101);
	STAP_PROBE1(server, inner, 101);
	usleep(30000);
	STAP_PROBE1(server, done, 101);
	printf("request 101 %llu\n", (unsigned long long)(now() - inner));
	usleep(10000);
	STAP_PROBE1(server, done, 100);
	printf("request 100 %llu\n", (unsigned long long)(now() - outer));
	fflush(stdout);
	sleep(1);
	return 0;
}
"""


def events(r):
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith('{"type":"latency-slow"')]


os.chdir(live.WORK)
with open("marks.py", "w", encoding="utf-8") as f:
    f.write(MARKS)
r = live.dwell("latency", "request", "--over", "30ms", "--json", "-c", "python3 marks.py")
live.same(r.stderr, "", "no message")
ms = {re.sub(r"^the end of request ", "", e["cause"]): e["delay_ns"] / 1e6 for e in events(r)}
live.same(sorted(ms), ["one", "shell", "two", "x" * 31], "the requests that began and ended")
truth = int(re.search(r"^two (\d+)$", r.stdout, re.M)[1]) / 1e6
live.check(abs(ms["two"] - truth) < max(0.05 * truth, 0.5), "as long as the program measured", (ms, truth))
live.check(140 <= ms["one"] < 400 and 60 <= ms["x" * 31] < 80 + 40 and 40 <= ms["shell"] < 120, "the others", ms)

# two probes of a thread; and of whoever has the same arg0
nap = "syscall::clock_nanosleep:entry,syscall::clock_nanosleep:return"
with open("naps.py", "w", encoding="utf-8") as f:
    f.write("import time\nfor s in (0.05, 0.01, 0.06, 1):\n    time.sleep(s)\n")
r = live.dwell("latency", "--request", nap, "--over", "30ms", "--json", "-c", "python3 naps.py")
ms = [e["delay_ns"] / 1e6 for e in events(r)][:2]
live.check(
    len(ms) == 2 and 50 <= ms[0] < 70 and 60 <= ms[1] < 80, "between two probes of a thread", r.stdout + r.stderr
)
# lseek(fd 0…): the trigger's keys are the second argument, its first one is the same descriptor in all
lseek = "syscall::lseek:entry,syscall::getppid:entry"
r = live.dwell(
    "latency",
    "--request",
    lseek + ",arg0",
    "--over",
    "1ms",
    "--for",
    "1s",
    "--json",
    "-c",
    f"{live.TRIGGER} track b1 s2000 e1",
)
live.same(r.returncode, 0, "requests by arg0 run")
# a program's own probes, against its own clock
HERE = os.path.dirname(os.path.abspath(__file__))
with open("server.c", "w", encoding="utf-8") as f:
    f.write(SERVER)
subprocess.run(
    ["cc", "-O2", "-I", os.path.join(HERE, "../../../include"), "-o", "server", "server.c", "-lpthread"], check=True
)


def served(probes):
    """What the server measured, and the slow events: ns by the request's name."""
    r = live.dwell("latency", "--request", probes, "--over", "5ms", "--json", "-c", "./server", timeout=60)
    told = {int(a): int(b) for a, b in re.findall(r"^request (\d+) (\d+)$", r.stdout, re.M)}
    live.check(r.returncode == 0 and len(told) == 25, probes, r.stdout[-2000:] + r.stderr)
    return told, [(re.sub(r"^the end of (request )?", "", e["cause"]), e["delay_ns"]) for e in events(r)]


told, found = served("server*:::start,server*:::done,arg0")
found = {int(name): ns for name, ns in found}
live.same(sorted(found), sorted(told), "all requests that ended, by their numbers; not the one whose end was lost")
exact = sum(abs(found[n] - ns) <= max(0.05 * ns, 50000) for n, ns in told.items())
live.check(exact >= 20, f"as long as the program measured: within 5 % or 50 us ({exact} of {len(told)})", (told, found))
# In one thread: the inner one, and with `nested` both.
told, found = served("server*:::inner,server*:::done")
live.check(
    len(found) == 1 and found[0][0] == "its request" and abs(found[0][1] - told[101]) <= max(0.05 * told[101], 500000),
    "of one thread",
    found,
)
told, found = served("server*:::start,server*:::done,arg0,nested")
live.same(len(found), len(told), "nested, by number: as many")
told, found = served("server*:::outer,server*:::done,nested")
inner, outer = [ns for _, ns in found] if len(found) == 2 else (0, 0)
live.check(
    abs(inner - told[101]) <= max(0.05 * told[101], 500000) and abs(outer - told[100]) <= max(0.05 * told[100], 500000),
    "one within another, of one thread",
    (told, found),
)
for wrong, why in (
    ("syscall::read:entry", "wants two probes"),
    ("a:::b,c:::d,arg1", "wants two probes"),
    ("a:::b,c:::d,nested,arg0", "wants two probes"),
    ("dwellnone:::a,dwellnone:::b", "dwellnone:::a"),
):
    r = live.dwell("latency", "--request", wrong, "--for", "1s")
    live.check(r.returncode != 0 and why in r.stderr, "wrong: " + wrong, r.stderr)
with open("naps.py", "w", encoding="utf-8") as f:
    f.write("import time\nfor s in (0.05, 0.01, 0.06, 1):\n    time.sleep(s)\n")
r = live.dwell("latency", "--request", nap, "--request", nap)
live.check(r.returncode == 2 and "once" in r.stderr, "two of them", r.stderr)
live.done()
