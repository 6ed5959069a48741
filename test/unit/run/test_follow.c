/* SPDX-License-Identifier: Apache-2.0 */
/* User stacks of processes that are gone: children of this test, with and without exec, are symbolised
 * after their end. Without root: records of the side band alone. */
#include "../unit.h"
#include <linux/perf_event.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/follow/follow.h"
#include "run/follow/sideband.h"

/* In the middle of a clock tick, since /proc tells ticks only. */
#define TICK_NS 10000000ull

__attribute__((noinline)) int marked_function(int x);
__attribute__((noinline)) int marked_function(int x)
{
	return x + getpid();
}

static uint64_t start_of(pid_t pid)
{
	char path[64], buf[1024];
	unsigned long long ticks = 0;
	FILE *f;
	char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(buf, sizeof(buf), f));
	fclose(f);
	p = strrchr(buf, ')');
	for (int field = 2; field < 22; field++)
		p = strchr(p + 1, ' ');
	assert_int_equal(sscanf(p, " %llu", &ticks), 1);
	return ticks * TICK_NS + TICK_NS / 2;
}

/* Starts a child that tells its address of marked_function and ends when told; with exec it is this very
 * program with an argument. */
struct child {
	pid_t pid;
	int from, to;
	uint64_t addr, start;
};

static void be_child(int out, int in)
{
	uint64_t addr = (uint64_t)(uintptr_t)marked_function;
	char c;

	if (write(out, &addr, sizeof(addr)) < 0 || read(in, &c, 1) < 0)
		_exit(1);
	_exit(0);
}

static struct child start_child(bool exec)
{
	int from[2], to[2];
	struct child c;

	assert_int_equal(pipe(from), 0);
	assert_int_equal(pipe(to), 0);
	c.pid = fork();
	if (c.pid == 0) {
		dup2(from[1], 10);
		dup2(to[0], 11);
		if (exec)
			execl("/proc/self/exe", "test", "child", (char *)NULL);
		be_child(10, 11);
	}
	c.from = from[0];
	c.to = to[1];
	close(from[1]);
	close(to[0]);
	assert_int_equal(read(c.from, &c.addr, sizeof(c.addr)), sizeof(c.addr));
	c.start = start_of(c.pid);
	return c;
}

static void end_child(struct child *c)
{
	assert_int_equal(write(c->to, "x", 1), 1);
	waitpid(c->pid, NULL, 0);
	close(c->from);
	close(c->to);
}

static void assert_known(struct sym *sym, const struct child *c)
{
	struct symbol s;

	assert_true(sym_user(sym, (uint32_t)c->pid, c->start, c->addr, &s));
	assert_string_equal(s.name, "marked_function");
	assert_int_equal(s.offset, 0);
}

struct world {
	struct sym *sym;
	struct follow *f;
};

static struct world make(void)
{
	struct world w = { 0 };

	assert_int_equal(sym_new(&w.sym, NULL), 0);
	assert_int_equal(follow_new(w.sym, &w.f), 0);
	return w;
}

static void end(struct world *w)
{
	assert_int_equal(follow_lost(w->f), 0);
	follow_free(w->f);
	sym_free(w->sym);
}

static void living_ones_come_from_proc(void **state)
{
	struct child c = start_child(true); /* from before */
	struct world w = make();

	(void)state;
	follow_drain(w.f);
	follow_see(w.f, (uint32_t)c.pid, c.start);
	end_child(&c);
	follow_drain(w.f);
	follow_see(w.f, (uint32_t)c.pid, c.start);
	assert_known(w.sym, &c);
	end(&w);
}

static void exited_one_is_known(bool exec)
{
	struct world w = make();
	struct child c = start_child(exec);

	end_child(&c);
	follow_drain(w.f);
	follow_see(w.f, (uint32_t)c.pid, c.start);
	assert_known(w.sym, &c);
	end(&w);
}

static void exited_ones_after_exec_are_known(void **state)
{
	(void)state;
	exited_one_is_known(true);
}

static void exited_ones_without_exec_are_known(void **state)
{
	(void)state;
	exited_one_is_known(false);
}

static void unknown_ones_do_no_harm(void **state)
{
	struct world w = make();
	struct symbol s;

	(void)state;
	follow_drain(w.f);
	follow_see(w.f, 4194303, 12345);
	follow_see(w.f, 4194303, 12345);
	assert_false(sym_user(w.sym, 4194303, 12345, 0x1000, &s));
	end(&w);
	follow_free(NULL);
}

static void records_are_decoded(void **state)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time, stamp;
	} task = { { PERF_RECORD_FORK, 0, sizeof(task) }, 5, 4, 5, 4, 1, 77 };
	/* clang-format off */
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t addr, len, off, id[3];
		uint32_t prot, flags;
		char name[8];
		uint64_t stamp;
	} map = { .h = { PERF_RECORD_MMAP2, 0, sizeof(map) }, .pid = 5, .tid = 6, .addr = 0x1000, .len = 0x2000, .off = 0x3000,
		  .id = { 8 | 1ull << 32, 12, 13 }, .prot = 5, .name = "/bin/x", .stamp = 9 };
	/* clang-format on */
	struct side_event e = { 0 };

	(void)state;
	assert_true(sideband_decode(&task, sizeof(task), &e));
	assert_int_equal(e.kind, SIDE_FORK);
	assert_int_equal(e.tgid, 5);
	assert_int_equal(e.parent, 4);
	assert_int_equal(e.time, 77);
	task.ppid = 5; /* a thread */
	assert_false(sideband_decode(&task, sizeof(task), &e));
	task.h.type = PERF_RECORD_EXIT;
	assert_true(sideband_decode(&task, sizeof(task), &e));
	assert_int_equal(e.kind, SIDE_EXIT);
	task.tid = 6;
	assert_false(sideband_decode(&task, sizeof(task), &e));
	for (size_t n = 0; n < 24; n++)
		assert_false(sideband_decode(&task, n, &e));
	assert_true(sideband_decode(&map, sizeof(map), &e));
	assert_int_equal(e.kind, SIDE_MMAP);
	assert_int_equal(e.addr, 0x1000);
	assert_int_equal(e.len, 0x2000);
	assert_int_equal(e.off, 0x3000);
	assert_int_equal(e.tid, 6);
	assert_int_equal(e.dev, makedev(8, 1));
	assert_int_equal(e.ino, 12);
	assert_int_equal(e.gen, 13);
	assert_string_equal(e.path, "/bin/x");
	memset(map.name, 'x', sizeof(map.name)); /* no end */
	assert_false(sideband_decode(&map, sizeof(map), &e));
	map.pid = UINT32_MAX;
	map.name[7] = '\0';
	assert_false(sideband_decode(&map, sizeof(map), &e));
	map.h.type = PERF_RECORD_COMM;
	map.pid = 3;
	assert_false(sideband_decode(&map, sizeof(map), &e));
	map.h.misc = PERF_RECORD_MISC_COMM_EXEC;
	assert_true(sideband_decode(&map, sizeof(map), &e));
	assert_int_equal(e.kind, SIDE_EXEC);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_decoded),
		cmocka_unit_test(living_ones_come_from_proc),
		cmocka_unit_test(exited_ones_after_exec_are_known),
		cmocka_unit_test(exited_ones_without_exec_are_known),
		cmocka_unit_test(unknown_ones_do_no_harm),
	};

	if (argc > 1 && strcmp(argv[1], "child") == 0)
		be_child(10, 11);
	if (geteuid() != 0)
		return skip_all("needs root and BPF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
