/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/demo/demo.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#define NAP_MS 50
#define WALK_FDS 16
#define LAST_WORDS 300 /* of a part that has ended */

static void nap(void)
{
	const struct timespec t = clock_timespec(NAP_MS * NSEC_PER_MSEC);

	nanosleep(&t, NULL);
}

/* -- the folder -- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

/* Servers that are being killed may still write: again until it is gone. */
static void remove_folder(const char *folder)
{
	for (int i = 0; i < 100 && access(folder, F_OK) == 0; i++) {
		if (i)
			nap();
		nftw(folder, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS);
	}
}

/* Waits for the end of the other process, which signals of the terminal do not reach. */
static void guard(const struct demo *d, int ended)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (read(ended, &c, 1) < 0 && errno == EINTR)
		;
	remove_folder(d->folder);
	_exit(0);
}

int demo_begin(struct demo *d, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	int fds[2];
	pid_t pid;

	d->guard = -1;
	snprintf(d->folder, sizeof(d->folder), "%s/dwell-fleet-demo.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(d->folder) || pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, -errno, "%s: %s", d->folder, strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		guard(d, fds[0]);
	}
	close(fds[0]);
	d->guard = fds[1];
	return pid < 0 ? err_set(err, -errno, "fork: %s", strerror(errno)) : 0;
}

/* -- parts -- */

static void log_path(const struct demo *d, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s.log", d->folder, name);
}

static void become(const struct demo *d, const char *name, char *const *argv, int out, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), log;
	char path[PATH_MAX];
	sigset_t none;

	log_path(d, name, path);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || log < 0 || null < 0)
		_exit(127);
	setsid(); /* Ctrl-C is for the parent, which ends the children in order */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null, STDIN_FILENO);
	dup2(out >= 0 ? out : log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int demo_start(struct demo *d, const char *name, char *const *argv, int out, struct err *err)
{
	pid_t parent = getpid(), pid;

	if (d->n == DEMO_PARTS_MAX)
		return err_set(err, -E2BIG, "more than %d parts", DEMO_PARTS_MAX);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(d, name, argv, out, parent);
	if (pid < 0)
		return err_set(err, -errno, "fork: %s", strerror(errno));
	d->parts[d->n++] = (struct demo_part){ name, pid };
	return 0;
}

/* Its last line. */
static void last_words(const struct demo *d, const char *name, char ret[LAST_WORDS])
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[PATH_MAX], line[LAST_WORDS];

	log_path(d, name, path);
	snprintf(ret, LAST_WORDS, "it says nothing");
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			memcpy(ret, line, sizeof(line));
	}
}

/* -ECHILD: a part has ended. */
static int check(struct demo *d, struct err *err)
{
	for (size_t i = 0; i < d->n; i++) {
		char words[LAST_WORDS];
		int status;

		if (d->parts[i].pid <= 0 || waitpid(d->parts[i].pid, &status, WNOHANG) != d->parts[i].pid)
			continue;
		d->parts[i].pid = 0;
		last_words(d, d->parts[i].name, words);
		return err_set(err, -ECHILD, "%s has ended: %s", d->parts[i].name, words);
	}
	return 0;
}

int demo_watch(struct demo *d, unsigned seconds, struct err *err)
{
	uint64_t end = seconds ? clock_ns(CLOCK_MONOTONIC) + seconds * NSEC_PER_SEC : UINT64_MAX;
	int e = 0;

	while (!d->stop(d->ctx) && clock_ns(CLOCK_MONOTONIC) < end && (e = check(d, err)) == 0)
		nap();
	return e;
}

static void end_part(struct demo_part *p)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + DEMO_END_S * NSEC_PER_SEC;

	if (p->pid <= 0)
		return;
	kill(p->pid, SIGTERM);
	while (waitpid(p->pid, NULL, WNOHANG) == 0) {
		if (clock_ns(CLOCK_MONOTONIC) >= end)
			kill(p->pid, SIGKILL);
		nap();
	}
	p->pid = 0;
}

void demo_end(struct demo *d)
{
	while (d->n)
		end_part(&d->parts[--d->n]);
	remove_folder(d->folder);
	closep(&d->guard);
}
