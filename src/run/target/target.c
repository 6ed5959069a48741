/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -c and -p. A command is traced with ptrace up to its exec only. So it exists, under its own name,
 * before the D program is compiled, and the probes see nothing of its start. */
#include "run/target/int.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/vec.h"

/* Words of a command line: DTrace splits at white space and knows no quotes. */
static const char white[] = "\f\n\r\t\v ";
#define TARGET_MAX_WORDS 65536

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */

	return fd < 0 ? -errno : fd;
}

static int split(char *text, char ***ret)
{
	VEC(char *) v = { 0 };
	char *save = NULL;
	int r = 0;

	for (char *w = strtok_r(text, white, &save); w && r == 0; w = strtok_r(NULL, white, &save))
		r = v.n < TARGET_MAX_WORDS ? vec_try_push(&v, w) : -E2BIG;
	if (r == 0)
		r = v.n ? vec_try_push(&v, (char *)NULL) : -EINVAL;
	if (r < 0) {
		vec_free(&v);
		return r;
	}
	*ret = v.v;
	return 0;
}

/* The child until its exec; before that it stops if it is held. An errno goes through the pipe when that fails. */
__attribute__((noreturn)) static void child_main(char *const argv[], int report, bool held)
{
	sigset_t none;
	int code;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 && (!held || raise(SIGSTOP) == 0))
		execvp(argv[0], argv);
	code = errno;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Reads the error of the exec: 0 if it succeeded. */
static int read_report(int report)
{
	int code = 0;
	ssize_t n;

	do
		n = read(report, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) && code > 0 ? -code : 0;
}

/* Waits for the stop before or after the exec. 0, or the -errno of the exec. */
static int wait_stop(pid_t pid, int report)
{
	int status, code;
	pid_t w;

	do
		w = waitpid(pid, &status, 0);
	while (w < 0 && errno == EINTR);
	if (w == pid && WIFSTOPPED(status))
		return 0;
	code = read_report(report);
	return code ? code : -ECHILD;
}

/* *ret_report: the end of the pipe to read from, if the child is held. */
static int spawn(char *const argv[], bool held, pid_t *ret, int *ret_report)
{
	_cleanup_close_ int rd = -1, wr = -1;
	int fds[2], r;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	rd = fds[0];
	wr = fds[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_main(argv, wr, held);
	closep(&wr);
	wr = -1;
	r = wait_stop(pid, rd);
	if (r < 0)
		return r;
	*ret = pid;
	if (held) {
		*ret_report = rd;
		rd = -1;
	}
	return 0;
}

static int target_new(pid_t pid, bool child, struct target **ret)
{
	struct target *t = calloc(1, sizeof(*t));
	int fd = t ? open_pidfd(pid) : -ENOMEM;

	if (fd < 0) {
		free(t);
		return fd;
	}
	t->pid = pid;
	t->fd = fd;
	t->report = -1;
	t->child = t->stopped = child;
	*ret = t;
	return 0;
}

static int exec_failed(const char *name, int code, struct err *err)
{
	return err_set(err, code, "failed to execute %s: %s", name, strerror(-code));
}

int target_words(char *const argv[], enum target_point at, struct target **ret, struct err *err)
{
	_cleanup_close_ int report = -1;
	_cleanup_free_ char *name = strdup(argv[0]);
	pid_t pid = 0;
	int r = name ? spawn(argv, at == TARGET_BEFORE, &pid, &report) : -ENOMEM;

	if (r == 0)
		r = target_new(pid, true, ret);
	if (r == 0 && at == TARGET_BEFORE) {
		(*ret)->held = name;
		(*ret)->report = report;
		name = NULL;
		report = -1;
	}
	if (r < 0 && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return r < 0 ? exec_failed(argv[0], r, err) : 0;
}

static void not_held(struct target *t)
{
	closep(&t->report);
	t->report = -1;
	free(t->held);
	t->held = NULL;
}

int target_exec(struct target *t, struct err *err)
{
	int r = 0;

	if (!t->held)
		return 0;
	r = ptrace(PTRACE_CONT, t->pid, NULL, NULL) < 0 ? -errno : wait_stop(t->pid, t->report);
	if (r < 0)
		r = exec_failed(t->held, r, err);
	not_held(t);
	return r;
}

int target_command(const char *command, enum target_point at, struct target **ret, struct err *err)
{
	_cleanup_free_ char *text = strdup(command);
	_cleanup_free_ char **argv = NULL;
	int r = text ? split(text, &argv) : -ENOMEM;

	if (r < 0)
		return err_set(err, r, "failed to execute \"%s\": %s", command,
			       r == -EINVAL ? "the command is empty" : strerror(-r));
	return target_words(argv, at, ret, err);
}

int target_process(pid_t pid, struct target **ret, struct err *err)
{
	int r = pid > 0 ? target_new(pid, false, ret) : -ESRCH;

	/* A thread's id that is no process' gives EINVAL (before 6.9) or ENOENT. */
	if (r == -EINVAL || r == -ENOENT)
		return err_set(err, r, "failed to grab process %d: it is a thread of another process", (int)pid);
	if (r < 0)
		return err_set(err, r, "failed to grab process %d: %s", (int)pid, strerror(-r));
	return 0;
}

bool target_waits(const struct target *t)
{
	return t->stopped;
}

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

/* A thread that is traced and has ended is waited for: the process does not end before. */
static void let_end(const struct target *t, int how)
{
	if (t->stopped && t->tid && t->tid != t->pid)
		waitpid(t->tid, NULL, __WALL | how);
}

int target_go(struct target *t, struct err *err)
{
	int r;

	if (!t->stopped)
		return 0;
	if (ptrace(PTRACE_DETACH, t->tid ? t->tid : t->pid, NULL, NULL) < 0 && errno != ESRCH)
		return err_set(err, -errno, "cannot let process %d run: %s", (int)t->pid, strerror(errno));
	let_end(t, WNOHANG);
	t->stopped = false;
	if (!t->held)
		return 0;
	r = read_report(t->report);
	if (r < 0)
		r = exec_failed(t->held, r, err);
	not_held(t);
	return r;
}

int target_fd(const struct target *t)
{
	return t->fd;
}

/* Source: include/uapi/linux/pidfd.h, first version of the struct; PIDFD_INFO_EXIT: Linux 6.15. */
struct exit_info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define EXIT_INFO_GET _IOWR(0xff, 11, struct exit_info)
#define EXIT_INFO_CODE (1u << 3)

/* The last number of /proc/PID/stat. Source: proc_pid_stat(5). */
static bool zombie_status(pid_t pid, int *ret)
{
	char path[64], buf[1024], *p;
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	p = strrchr(buf, ')');
	if (!p || strncmp(p, ") Z", 3) != 0)
		return false;
	p = strrchr(p, ' ');
	*ret = p ? (int)strtol(p, NULL, 10) : 0;
	return p != NULL;
}

/* How somebody else's child ended. Its parent may fetch it meanwhile: then its number may be another's. */
static bool process_status(const struct target *t, int *ret)
{
	struct exit_info info = { .mask = EXIT_INFO_CODE };
	int status = 0;

	if (zombie_status(t->pid, &status) && syscall(SYS_pidfd_send_signal, t->fd, 0, NULL, 0) == 0) {
		*ret = status;
		return true;
	}
	if (ioctl(t->fd, EXIT_INFO_GET, &info) < 0 || !(info.mask & EXIT_INFO_CODE))
		return false;
	*ret = info.exit_code;
	return true;
}

bool target_ended(struct target *t)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };

	if (!t->ended && poll(&p, 1, 0) == 1) {
		t->ended = true;
		t->known = t->child ? waitpid(t->pid, &t->status, WNOHANG) == t->pid : process_status(t, &t->status);
	}
	return t->ended;
}

bool target_failed(struct target *t, char *buf, size_t size)
{
	bool known = target_ended(t) && t->known;
	const char *name;

	if (known && WIFSIGNALED(t->status)) {
		name = sigabbrev_np(WTERMSIG(t->status));
		if (name)
			snprintf(buf, size, "terminated by SIG%s", name);
		else
			snprintf(buf, size, "terminated by signal %d", WTERMSIG(t->status));
		return true;
	}
	if (known && WEXITSTATUS(t->status)) {
		snprintf(buf, size, "exited with status %d", WEXITSTATUS(t->status));
		return true;
	}
	snprintf(buf, size, "%s", t->ended ? "has exited" : "runs");
	return false;
}

void target_free(struct target *t)
{
	if (!t)
		return;
	if (t->child && !target_ended(t)) {
		kill(t->pid, SIGKILL);
		let_end(t, 0);
		waitpid(t->pid, NULL, 0);
	}
	not_held(t);
	closep(&t->fd);
	free(t);
}
