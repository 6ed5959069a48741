/* SPDX-License-Identifier: Apache-2.0 */
/* Target programs for the symbol tests: start, ask, end. */
#include "live.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"

const char *live_path(const char *form)
{
	static char path[4096];
	const char *dir = getenv("DWELL_BUILD_DIR");

	assert_non_null(dir);
	snprintf(path, sizeof(path), "%s/test/unit/sym/sym_target_%s", dir, form);
	return path;
}

uint64_t live_start_time(pid_t pid)
{
	char path[64], buf[1024];
	uint64_t ticks;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	assert_non_null(f);
	size_t n = fread(buf, 1, sizeof(buf) - 1, f);

	buf[n] = '\0';
	char *p = strrchr(buf, ')');

	for (int i = 2; i < 22; i++)
		p = strchr(p + 1, ' ');
	assert_int_equal(sscanf(p, "%" SCNu64, &ticks), 1);
	/* BPF gives the nanoseconds that /proc has cut off. */
	return ticks * (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK)) + 1234567;
}

static void read_addresses(struct live *l)
{
	_cleanup_fclose_ FILE *f = fdopen(dup(l->out), "r");
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "ready", 5) == 0)
			return;
		assert_true(l->n < LIVE_MAX);
		assert_int_equal(sscanf(line, "%63s %" SCNx64, l->v[l->n].name, &l->v[l->n].addr), 2);
		l->n++;
	}
	fail_msg("the target program ended before it was ready");
}

void live_start(struct live *l, char *const argv[])
{
	int in[2], out[2];

	*l = (struct live){ 0 };
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	l->pid = fork();
	assert_true(l->pid >= 0);
	if (l->pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	l->in = in[1];
	l->out = out[0];
	read_addresses(l);
	l->start = live_start_time(l->pid);
}

static int parent_of(int pid)
{
	char path[64], buf[1024];
	int parent = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f)
		return -1;
	size_t n = fread(buf, 1, sizeof(buf) - 1, f);

	buf[n] = '\0';
	const char *p = strrchr(buf, ')');

	return p && sscanf(p, ") %*c %d", &parent) == 1 ? parent : -1;
}

void live_take_child(struct live *l)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d))) {
		int pid = atoi(e->d_name);

		if (pid > 0 && parent_of(pid) == l->pid)
			l->child = pid;
	}
	closedir(d);
	assert_true(l->child > 0);
	l->start = live_start_time(l->child);
}

pid_t live_pid(const struct live *l)
{
	return l->child > 0 ? l->child : l->pid;
}

void live_stop(struct live *l)
{
	int status;

	close(l->in);
	close(l->out);
	assert_int_equal(waitpid(l->pid, &status, 0), l->pid);
}

uint64_t live_addr(const struct live *l, const char *name)
{
	for (unsigned i = 0; i < l->n; i++) {
		if (strcmp(l->v[i].name, name) == 0)
			return l->v[i].addr;
	}
	fail_msg("the target program has no %s", name);
	return 0;
}

void live_expect_as(struct sym *s, const struct live *l, const char *key, const char *name, const char *module)
{
	struct symbol sym;
	uint64_t addr = live_addr(l, key);

	for (unsigned off = 0; off < 2; off++) {
		if (!sym_user(s, (uint32_t)live_pid(l), l->start, addr + off, &sym))
			fail_msg("%s+%u has no name", name, off);
		assert_string_equal(sym.name, name);
		assert_string_equal(sym.module, module);
		assert_int_equal(sym.offset, off);
		assert_int_equal(sym.addr, addr);
		assert_non_null(sym.path);
	}
}

void live_expect(struct sym *s, const struct live *l, const char *name, const char *module)
{
	live_expect_as(s, l, name, name, module);
}

void live_expect_none(struct sym *s, const struct live *l, uint64_t addr)
{
	struct symbol sym;

	assert_false(sym_user(s, (uint32_t)live_pid(l), l->start, addr, &sym));
	assert_null(sym.name);
	assert_non_null(sym.module);
}
