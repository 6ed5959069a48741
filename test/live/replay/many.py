# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec, dwell replay: programs with 1,000 threads at a time, with 10,000 open files, and with filters of system calls (seccomp) of their own."""
import os
import resource
import shutil
import subprocess
import sys

import live

TRACE = os.path.join(live.WORK, "trace")
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
enum { N = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int ready, order[N], n;
static void *run(void *arg)
{
	struct timespec t;
	pthread_mutex_lock(&lock);
	ready++;
	while (ready < N) pthread_cond_wait(&go, &lock);
	pthread_cond_broadcast(&go);
	order[n++] = (int)(long)arg;
	clock_gettime(CLOCK_MONOTONIC, &t);
	order[n - 1] ^= (int)t.tv_nsec;
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	static pthread_t t[N];
	unsigned sum = 0;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	for (long i = 0; i < N; i++) if (pthread_create(&t[i], &a, run, (void *)i)) return 3;
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++) sum = sum * 31 + (unsigned)order[i];
	printf("%d %u\n", n, sum);
	return n != N;
}
"""
# Also standard output under a number beyond those of most programs.
FILES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
enum { N = 10000 };
int main(int argc, char **argv)
{
	static int fds[N];
	unsigned sum = 0;
	char name[64], text[64];
	for (int i = 0; i < N; i++) {
		struct timespec t;
		snprintf(name, sizeof(name), "%s/%d", argv[1], i % 100);
		fds[i] = open(name, i < 100 ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0600);
		if (fds[i] < 0) return 3;
		clock_gettime(CLOCK_REALTIME, &t);
		snprintf(text, sizeof(text), "%ld\n", t.tv_nsec);
		if (i < 100 && write(fds[i], text, strlen(text)) < 0) return 4;
	}
	for (int i = 0; i < N; i++) {
		ssize_t k = pread(fds[i], text, sizeof(text), 0);
		for (ssize_t j = 0; j < k; j++) sum = sum * 31 + (unsigned char)text[j];
	}
	printf("%d %u\n", fds[N - 1] >= N, sum);
	fflush(stdout);
	if (argc > 2) dprintf(fcntl(1, F_DUPFD, atoi(argv[2])), "and %u\n", sum);
	for (int i = 0; i < N; i++) close(fds[i]);
	return 0;
}
"""
SECCOMP = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct sock_filter rows[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
				      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 4, rows };
	struct timespec t;
	int a = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), b = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p), c = errno;
	int d = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p), e = errno;
	clock_gettime(CLOCK_REALTIME, &t);
	printf("%d %d %d %d %d %ld\n", a, b, c == EINVAL, d, e == ENOSYS, t.tv_nsec);
	return getppid() == 0;
}
"""


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL, cwd=live.WORK
    )


def build(name, text):
    with open(os.path.join(live.WORK, name + ".c"), "w", encoding="ascii") as f:
        f.write(text)
    subprocess.run(["gcc", "-O1", "-pthread", "-w", "-o", name, name + ".c"], cwd=live.WORK, check=True)


def replays(what, times, *command):
    r = run("rec", "-q", "-o", TRACE, "--", *command)
    live.check(r.returncode == 0 and r.stdout, f"{what}: recorded", r)
    for i in range(times):
        p = run("replay", TRACE)
        live.check(
            (p.returncode, p.stdout, p.stderr) == (0, r.stdout, b""), f"{what}: replay {i + 1}", f"{r.stdout} {p}"
        )
    return r


if not shutil.which("gcc"):
    print("# skip: no gcc")
    sys.exit(0)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 12000), max(hard, 12000)))
for row in ("threads", THREADS), ("files", FILES), ("filter", SECCOMP):
    build(*row)
r = replays("1,000 threads", 2, "./threads")
live.check(r.stdout.startswith(b"1000 "), "all of them ran", r.stdout)
r = replays("10,000 files", 2, "./files", live.WORK)
live.check(r.stdout.startswith(b"1 "), "all of them were open", r.stdout)
r = replays("10,000 files, and one more is standard output", 1, "./files", live.WORK, "11000")
live.check(b"and " in r.stdout, "which is written to", r.stdout)
resource.setrlimit(resource.RLIMIT_NOFILE, (20000, max(hard, 20000)))
r, p = run("rec", "-q", "-o", TRACE, "--", "./files", live.WORK, "17000"), run("replay", TRACE)
live.check(
    r.returncode == p.returncode == 1
    and b"standard output as descriptor 17000 cannot be recorded" in r.stderr
    and r.stdout == p.stdout,
    "a number that is too high is refused",
    f"{r} {p}",
)
r = replays("filters of its own", 2, "./filter")
live.check(r.stdout.startswith(b"0 -1 1 -1 1 "), "are not there", r)
r = run("rec", "-o", TRACE, "--", "./filter")
live.check(b"asks for a filter of its system calls" in r.stderr, "and a message says so", r)
sys.exit(live.failures > 0)
