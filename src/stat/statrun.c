/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/statrun.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/plain.h"
#include "stat/statwaits.h"

#define LOOK_MS 500 /* a signal that comes just before poll(2) is seen so late */
#define COMM_SIZE 64

int statrun_check(struct statrun *c, const char *program, struct err *err)
{
	if (!c->words + !c->pid + !slowfilter_any(&c->only) != 2)
		return err_set(err, -EINVAL,
			       "stat: give one of a command, -p PID, and --comm NAME or its like; '%s stat --help' "
			       "tells more",
			       program);
	if (c->repeat && (!c->words || c->interval_ns))
		return err_set(err, -EINVAL, c->words ? "stat: -r and -I: choose one" : "stat: -r needs a command");
	c->repeat = c->repeat ? c->repeat : 1;
	if (c->waits && (slowfilter_any(&c->only) || c->interval_ns || c->repeat > 1))
		return err_set(err, -EINVAL,
			       "stat: --waits is for one run of a command, or for -p; not with --comm, -r and -I");
	return 0;
}

/* -- what is counted -- */

/* Waits at the pipe until it may begin, then becomes the command; tells errno if it cannot. */
static _Noreturn void child(char *const *words, int go, int failed)
{
	char byte;
	int e;

	if (read(go, &byte, 1) == 1)
		execvp(words[0], words);
	e = errno;
	if (write(failed, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

static void begin(struct statrun *c)
{
	c->begun = clock_ns(CLOCK_MONOTONIC);
}

/* 0 with the process, which runs; -errno, told. */
static int start(struct statrun *c, struct perfcount *k, struct statwaits *w, pid_t *ret)
{
	int go[2], failed[2], e = 0, got;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		return listener_fail(&c->request.to, -errno, "stat: no pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(go[1]); /* so that it sees the end of the pipe when it is not to begin */
		child(c->words, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0)
		e = listener_fail(&c->request.to, -errno, "stat: cannot start %s: %s", c->words[0], strerror(errno));
	else if ((got = perfcount_add(k, pid, true)) < 0)
		e = listener_fail(&c->request.to, got, "stat: cannot count: %s", strerror(-got));
	else if (c->waits)
		e = statwaits_start(w, &c->request, pid);
	begin(c);
	if (e == 0 && write(go[1], "", 1) == 1 && read(failed[0], &got, sizeof(got)) == sizeof(got))
		e = listener_fail(&c->request.to, -got, "stat: cannot run %s: %s", c->words[0], strerror(got));
	close(go[1]);
	close(failed[0]);
	if (e && pid > 0)
		waitpid(pid, NULL, 0);
	*ret = pid;
	return e;
}

static bool read_comm(const char *pid, char comm[COMM_SIZE])
{
	char path[64];
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(comm, COMM_SIZE, f))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	return true;
}

/* All threads of a process; how many, or -errno. */
static int add_threads(struct perfcount *k, const char *pid)
{
	char path[64];
	DIR *d;
	int n = 0, e = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/task", pid);
	d = opendir(path);
	if (!d)
		return -ESRCH;
	for (struct dirent *t; e == 0 && (t = readdir(d));) {
		uint64_t tid;

		if (!isdigit((unsigned char)t->d_name[0]) || num_parse_u64(t->d_name, &tid) < 0)
			continue;
		e = perfcount_add(k, (pid_t)tid, false);
		n += e == 0;
		e = e == -ESRCH ? 0 : e;
	}
	closedir(d);
	return e ? e : n;
}

static bool is_chosen(const struct slowfilter *f, const char *pid)
{
	char comm[COMM_SIZE];
	uint64_t n;

	return isdigit((unsigned char)pid[0]) && num_parse_u64(pid, &n) == 0 &&
	       (!f->comm || (read_comm(pid, comm) && !strcmp(comm, f->comm))) &&
	       (!f->process_filter || process_filter_has(f->process_filter, (uint32_t)n));
}

/* How many processes are chosen now, or -errno. */
static int add_chosen(struct perfcount *k, const struct slowfilter *f)
{
	DIR *d = opendir("/proc");
	int r = 0, n = 0;

	for (struct dirent *e; d && r >= 0 && (e = readdir(d));)
		if (is_chosen(f, e->d_name)) {
			r = add_threads(k, e->d_name);
			n += r > 0;
			r = r == -ESRCH ? 0 : r;
		}
	if (d)
		closedir(d);
	return r < 0 ? r : n;
}

/* "called sh, of user root": what was asked for. */
static void say_chosen(struct strb *b, const struct slowfilter *f)
{
	const char *const v[][2] = { { "called", f->comm },
				     { "of user", f->user },
				     { "in cgroup", f->cgroup },
				     { "in container", f->container },
				     { "in unit", f->unit } };
	char plain[4 * COMM_SIZE];
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (v[i][1]) {
			strb_printf(b, "%s%s %s", between, v[i][0], plain_name(v[i][1], plain, sizeof(plain)));
			between = ", ";
		}
}

/* 0 or -errno, told. */
static int read_choice(struct statrun *c)
{
	struct err err = { 0 };
	int e = slowfilter_exists(&c->only, &err);

	if (e == 0)
		e = slowfilter_read(&c->only, &err);
	return e < 0 ? listener_fail(&c->request.to, e == -EINVAL ? LISTENER_WRONG : e, "stat: %s", err.msg) : 0;
}

/* Processes that run. *ret_pid: of -p. 0 or -errno, told. */
static int find(struct statrun *c, struct perfcount *k, pid_t *ret_pid)
{
	_cleanup_(strb_free) struct strb words = { 0 };
	char comm[COMM_SIZE] = "", plain[4 * COMM_SIZE];
	uint64_t pid;
	int r;

	*ret_pid = 0;
	if (slowfilter_any(&c->only)) {
		r = read_choice(c);
		if (r < 0)
			return r;
		r = add_chosen(k, &c->only);
		process_filter_free(take_ptr(c->only.process_filter));
		say_chosen(&words, &c->only);
		if (r == 0)
			return listener_fail(&c->request.to, -ESRCH, "stat: there is no process %s", strb_str(&words));
		strb_printf(&c->title, "%d process%s %s", r, r == 1 ? "" : "es", strb_str(&words));
	} else {
		if (num_parse_u64(c->pid, &pid) < 0 || !pid || pid > INT32_MAX)
			return listener_fail(&c->request.to, LISTENER_WRONG, "stat: -p: '%s' is no process", c->pid);
		r = add_threads(k, c->pid);
		if (r == -ESRCH)
			return listener_fail(&c->request.to, -ESRCH, "stat: there is no process %s", c->pid);
		read_comm(c->pid, comm);
		strb_printf(&c->title, "process %s (%s)", c->pid, plain_name(comm, plain, sizeof(plain)));
		*ret_pid = (pid_t)pid;
	}
	if (r == -E2BIG)
		return listener_fail(&c->request.to, -E2BIG, "stat: more than %u threads", PERFCOUNT_MAX_THREADS);
	if (r < 0)
		return listener_fail(&c->request.to, r, "stat: cannot count: %s", strerror(-r));
	begin(c);
	return 0;
}

/* -- counting -- */

static int put_interval(struct statrun *c, const struct perfcount *k, struct stat_run *last, uint64_t now)
{
	struct stat_run r = { .elapsed_ns = now - c->begun - last->elapsed_ns };
	int e;

	perfcount_read(k, r.counts);
	for (size_t i = 0; i < CTR_COUNT; i++) {
		uint64_t all = r.counts[i].n;

		r.counts[i].n = all > last->counts[i].n ? all - last->counts[i].n : 0;
		last->counts[i].n = all;
	}
	last->elapsed_ns = now - c->begun;
	e = statprint_interval(&r, last->elapsed_ns, c->json, !c->headed, c->out);
	c->headed = true;
	return e;
}

/* Until the process of fd (-1: none) ends, the time is up, or a signal; with -I prints meanwhile. 0 or -errno. */
static int watch(struct statrun *c, const struct perfcount *k, int fd, pid_t command)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct stat_run last = { 0 };
	bool told = false;
	int e = 0, ready;

	for (c->due = c->begun + c->interval_ns; e == 0;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), wait = LOOK_MS * 1000000u;

		if (c->interval_ns && now >= c->due) {
			e = put_interval(c, k, &last, now);
			c->due += (1 + (now - c->due) / c->interval_ns) * c->interval_ns;
		}
		if ((c->for_ns && now >= c->begun + c->for_ns) || (caught && !command)) {
			if (!command)
				break;
			if (!told)
				kill(command, SIGTERM);
			told = true;
		}
		if (c->for_ns && !told && c->begun + c->for_ns - now < wait)
			wait = c->begun + c->for_ns - now;
		if (c->interval_ns && c->due > now && c->due - now < wait)
			wait = c->due - now;
		ready = poll(&p, 1, (int)(wait / 1000000) + 1);
		if (ready > 0)
			break;
	}
	if (e == 0 && c->interval_ns && c->begun + last.elapsed_ns < clock_ns(CLOCK_MONOTONIC))
		e = put_interval(c, k, &last, clock_ns(CLOCK_MONOTONIC));
	return e;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_usec * 1000;
}

/* Tells that the counts could not be written. -errno. */
static int unwritten(const struct statrun *c, int e)
{
	return listener_fail(&c->request.to, e, "stat: cannot write to %s: %s",
			     c->output ? c->output : "standard error", strerror(-e));
}

/* One run of the command, or of what is there. 0 or -errno, told. */
static int count_once(struct statrun *c, struct stat_run *ret)
{
	struct perfcount *k = NULL;
	struct statwaits w = { 0 };
	struct rusage usage;
	pid_t pid = 0;
	_cleanup_close_ int fd = -1;
	int e = perfcount_new(&k) < 0 ? listener_fail(&c->request.to, -ENOMEM, "out of memory") : 0;

	if (e == 0)
		e = c->words ? start(c, k, &w, &pid) : find(c, k, &pid);
	if (e == 0 && !c->words && c->waits) {
		e = statwaits_start(&w, &c->request, pid);
		begin(c);
	}
	if (e == 0) {
		fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
		e = watch(c, k, fd, c->words ? pid : 0);
		if (e < 0)
			e = unwritten(c, e);
		ret->elapsed_ns = clock_ns(CLOCK_MONOTONIC) - c->begun;
		if (c->words && wait4(pid, &ret->status, 0, &usage) == pid) {
			ret->has_usage = true;
			ret->user_ns = ns_of(&usage.ru_utime);
			ret->sys_ns = ns_of(&usage.ru_stime);
			ret->max_rss_kb = (uint64_t)usage.ru_maxrss;
		}
		perfcount_read(k, ret->counts);
	}
	if (e == 0 && c->waits) {
		e = statwaits_finish(&w, &c->seen, &c->request.to);
		ret->waits = &c->seen;
	}
	perfcount_close(k);
	return e;
}

int statrun_run(struct statrun *c, int *ret_status)
{
	size_t n = 0;
	int e = 0;

	c->out = c->output ? fopen(c->output, "we") : stderr;
	if (!c->out)
		return listener_fail(&c->request.to, -errno, "stat: cannot write to %s: %s", c->output,
				     strerror(errno));
	if (c->words)
		strb_adds(&c->title, "command");
	for (char *const *w = c->words; w && *w; w++)
		strb_printf(&c->title, " %s", *w);
	while (e == 0 && n < c->repeat && !caught)
		e = count_once(c, &c->runs[n++]);
	if (e == 0 && !c->interval_ns) {
		_cleanup_(strb_free) struct strb plain = { 0 };

		plain_part(&plain, strb_str(&c->title), c->title.n, false, true);
		e = statprint_runs(strb_str(c->json ? &c->title : &plain), c->runs, n, c->json, c->out);
		if (e < 0)
			e = unwritten(c, e);
	}
	*ret_status = n ? c->runs[n - 1].status : 0;
	return e;
}

void statrun_done(struct statrun *c)
{
	if (c->output && c->out)
		fclose(c->out);
	strb_free(&c->title);
	request_done(&c->request);
}
