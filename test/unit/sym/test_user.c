/* SPDX-License-Identifier: Apache-2.0 */
/* User symbols of living and exited processes, from the files' own symbol tables. */
#include "../unit.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "live.h"
#include "sym/proc/int.h"

static struct sym *make(void)
{
	struct sym *s;

	assert_int_equal(sym_new(&s, NULL), 0);
	return s;
}

static void start(struct live *l, const char *path)
{
	char *argv[] = { (char *)(uintptr_t)path, NULL };

	live_start(l, argv);
}

static void expect_all(struct sym *s, const struct live *l, const char *module)
{
	static const char *const names[] = { "local_function", "exported_function", "unsized_label",
					     "after_label",    "exported_data",	    "zeroed_data" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		live_expect(s, l, names[i], module);
}

static void forms_of_one_program(void **state)
{
	static const char *const forms[] = { "pie", "nopie", "static" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct sym *s = make();
		struct live l;
		char module[64];

		snprintf(module, sizeof(module), "sym_target_%s", forms[i]);
		start(&l, live_path(forms[i]));
		expect_all(s, &l, module);
		/* A fixed program takes the address of its own linkage table entry. */
		live_expect_as(s, &l, "qsort", i == 1 ? "qsort@plt" : "qsort", i == 0 ? "libc.so.6" : module);
		live_stop(&l);
		sym_free(s);
	}
}

static void stripped_program_has_its_exports(void **state)
{
	struct sym *s = make();
	struct live l;
	struct symbol sym;

	(void)state;
	start(&l, live_path("dynsym"));
	live_expect(s, &l, "exported_function", "sym_target_dynsym");
	live_expect(s, &l, "exported_data", "sym_target_dynsym");
	/* No name for a local function: module and offset in it tell where to look. */
	live_expect_none(s, &l, live_addr(&l, "local_function"));
	sym_user(s, (uint32_t)l.pid, l.start, live_addr(&l, "local_function"), &sym);
	assert_string_equal(sym.module, "sym_target_dynsym");
	assert_true(sym.offset > 0 && sym.offset < 1 << 20);
	live_stop(&l);
	sym_free(s);
}

static void exited_before_symbolisation(void **state)
{
	struct sym *s = make();
	struct live l;

	(void)state;
	start(&l, live_path("pie"));
	assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start), 0);
	live_stop(&l);
	sym_proc_exit(s, (uint32_t)l.pid, l.start);
	expect_all(s, &l, "sym_target_pie");
	live_expect(s, &l, "qsort", "libc.so.6");
	assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start), -ESRCH);
	sym_free(s);
}

static void copy_file(const char *from, const char *to)
{
	char cmd[8192];

	snprintf(cmd, sizeof(cmd), "cp '%s' '%s'", from, to);
	assert_int_equal(system(cmd), 0);
}

static void deleted_program(void **state)
{
	char dir[] = "/tmp/dwell-sym-XXXXXX", path[64];
	struct live l;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/gone (deleted)", dir);
	for (int exited = 0; exited < 2; exited++) {
		struct sym *s = make();

		copy_file(live_path("pie"), path);
		start(&l, path);
		unlink(path);
		assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start), 0);
		if (exited)
			live_stop(&l);
		live_expect(s, &l, "local_function", "gone (deleted)");
		if (!exited)
			live_stop(&l);
		sym_free(s);
	}
	rmdir(dir);
}

static void number_used_again(void **state)
{
	struct sym *s = make();
	struct live l;
	struct symbol sym;

	(void)state;
	start(&l, live_path("pie"));
	uint64_t addr = live_addr(&l, "exported_function");

	/* The one with this number that started a minute earlier is unknown. */
	assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start - 60000000000ULL), -ESRCH);
	assert_false(sym_user(s, (uint32_t)l.pid, l.start - 60000000000ULL, addr, &sym));
	assert_string_equal(sym.module, "");
	assert_int_equal(sym.offset, addr);
	live_expect(s, &l, "exported_function", "sym_target_pie");
	/* Times within a clock tick are the same process, and so is no time at all. */
	assert_true(sym_user(s, (uint32_t)l.pid, l.start + 5000000, addr, &sym));
	assert_true(sym_user(s, (uint32_t)l.pid, 0, addr, &sym));
	assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, 0), 0);
	live_stop(&l);
	sym_free(s);
}

static void addresses_of_nothing(void **state)
{
	struct sym *s = make();
	struct live l;
	struct symbol sym;

	(void)state;
	start(&l, live_path("pie"));
	live_expect_none(s, &l, 0);
	live_expect_none(s, &l, 0x1000);
	live_expect_none(s, &l, UINT64_MAX);
	live_expect_none(s, &l, 1ULL << 63);
	assert_false(sym_user(s, 0x7fffffff, 1, 0x1000, &sym));
	assert_false(sym_user(s, 0, 0, 0x1000, &sym));
	assert_int_equal(sym_proc_touch(s, 0x7fffffff, 0), -ESRCH);
	live_stop(&l);
	sym_free(s);
}

static void vdso_and_self(void **state)
{
	struct sym *s = make();
	struct symbol sym;
	struct timespec ts;
	uint64_t start = live_start_time(getpid());

	(void)state;
	assert_true(sym_user(s, (uint32_t)getpid(), start, (uintptr_t)vdso_and_self, &sym));
	assert_string_equal(sym.name, "vdso_and_self");
	assert_string_equal(sym.module, "test_sym_user");
	size_t size;
	struct ufile *f = ufile_get_vdso(s, &size);

	if (f) {
		/* A symbol of the page, found the long way round. */
		ufile_load(s, f, 0);
		assert_true(f->is_elf && f->tab && f->tab->n > 0);
		uint64_t at = (uintptr_t)f->mem + f->tab->v[0].addr;

		assert_true(sym_user(s, (uint32_t)getpid(), start, at, &sym));
		assert_string_equal(sym.module, "[vdso]");
		assert_int_equal(sym.addr, at);
		ufile_put(s, f);
	}
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
	sym_free(s);
}

/* Libraries mapped after the first look are found; unloaded ones stay known. */
static void mapped_later(void **state)
{
	struct sym *s = make();
	struct symbol sym;
	uint32_t pid = (uint32_t)getpid();
	uint64_t start_ns = live_start_time(getpid());
	struct stat st;

	(void)state;
	assert_int_equal(sym_proc_touch(s, pid, start_ns), 0);
	int fd = open(live_path("pie"), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	char *at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	uint64_t off;

	assert_true(at != MAP_FAILED);
	assert_int_equal(sym_elf_find(s, live_path("pie"), "local_function", &off), 0);
	for (int i = 0; i < 100 && !sym_user(s, pid, start_ns, (uintptr_t)at + off, &sym); i++)
		usleep(10000); /* unasked looks are rationed */
	assert_string_equal(sym.name, "local_function");
	munmap(at, (size_t)st.st_size);
	assert_int_equal(sym_proc_refresh(s, pid, start_ns), 0);
	assert_true(sym_user(s, pid, start_ns, (uintptr_t)at + off, &sym));
	assert_string_equal(sym.name, "local_function");
	close(fd);
	sym_free(s);
}

/* A process that /proc has never shown: only the kernel's mmap events tell. */
static void followed_by_events(void **state)
{
	struct sym *s = make();
	struct symbol sym;
	const uint32_t pid = 0x7ffffff0;
	uint64_t off;

	(void)state;
	assert_int_equal(sym_elf_find(s, live_path("pie"), "local_function", &off), 0);
	sym_proc_mmap(s, pid, 7, 0x10000000, 0x100000, 0, live_path("pie"));
	assert_true(sym_user(s, pid, 7, 0x10000000 + off, &sym));
	assert_string_equal(sym.name, "local_function");
	/* A new mapping in the middle of the old one. */
	sym_proc_mmap(s, pid, 7, 0x10000000 + (off & ~0xfffULL), 0x1000, 0, NULL);
	assert_false(sym_user(s, pid, 7, 0x10000000 + off, &sym));
	assert_string_equal(sym.module, "[anon]");
	sym_proc_mmap(s, pid, 7, UINT64_MAX - 10, 100, 0, "/x");
	sym_proc_mmap(s, pid, 7, 0, 0, 0, "/x");
	sym_proc_exit(s, pid, 7);
	sym_free(s);
}

static void exec_replaces_the_program(void **state)
{
	struct sym *s = make();
	struct symbol sym;
	int go[2], back[2];
	char c;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(back), 0);
	pid_t pid = fork();

	if (pid == 0) {
		close(go[1]);
		dup2(go[0], 0);
		dup2(back[1], 1);
		if (write(1, "x", 1) != 1 || read(0, &c, 1) != 1)
			_exit(1);
		execl(live_path("pie"), "x", NULL);
		_exit(127);
	}
	close(go[0]);
	close(back[1]);
	assert_int_equal(read(back[0], &c, 1), 1);
	struct live l = { .pid = pid, .start = live_start_time(pid), .out = back[0], .in = go[1] };
	uint64_t own = (uintptr_t)exec_replaces_the_program;

	assert_true(sym_user(s, (uint32_t)pid, l.start, own, &sym));
	assert_string_equal(sym.name, "exec_replaces_the_program");
	assert_int_equal(write(go[1], "x", 1), 1);
	_cleanup_fclose_ FILE *f = fdopen(dup(back[0]), "r");
	char line[256];

	while (fgets(line, sizeof(line), f) && strncmp(line, "ready", 5) != 0)
		if (sscanf(line, "%63s %lx", l.v[l.n].name, &l.v[l.n].addr) == 2)
			l.n++;
	sym_proc_exec(s, (uint32_t)pid, l.start);
	live_expect(s, &l, "local_function", "sym_target_pie");
	/* Stacks taken before the exec. */
	assert_true(sym_user(s, (uint32_t)pid, l.start, own, &sym));
	assert_string_equal(sym.name, "exec_replaces_the_program");
	live_stop(&l);
	sym_free(s);
}

static void names_in_a_file(void **state)
{
	struct sym *s = make();
	uint64_t off;

	(void)state;
	assert_int_equal(sym_elf_find(s, live_path("pie"), "nothing", &off), -ENOENT);
	assert_int_equal(sym_elf_find(s, live_path("pie"), "exported_data", &off), -ENOENT);
	assert_int_equal(sym_elf_find(s, "/nonexistent", "main", &off), -ENOENT);
	assert_int_equal(sym_elf_find(s, "/dev/null", "main", &off), -EMEDIUMTYPE);
	assert_int_equal(sym_elf_find(s, "/proc/self/maps", "main", &off), -ENOEXEC);
	assert_int_equal(sym_elf_find(s, live_path("static"), "exported_function", &off), 0);
	sym_free(s);
}

static void many_processes(void **state)
{
	struct sym *s = make();
	struct live l;

	(void)state;
	start(&l, live_path("pie"));
	live_expect(s, &l, "local_function", "sym_target_pie");
	/* Numbers that no process can have. */
	for (uint32_t i = 0; i < SYM_MAX_PROCS + 100; i++)
		assert_int_equal(sym_proc_touch(s, 0x70000000 + i, 1), -ESRCH);
	assert_int_equal(s->procs.n, SYM_MAX_PROCS);
	/* The living one was not dropped for them. */
	assert_int_equal(proc_find(s, (uint32_t)l.pid, l.start)->dead, false);
	assert_null(proc_find(s, 0x70000000, 1));
	assert_non_null(proc_find(s, 0x70000000 + SYM_MAX_PROCS + 99, 1));
	live_stop(&l);
	sym_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_one_program),
		cmocka_unit_test(stripped_program_has_its_exports),
		cmocka_unit_test(exited_before_symbolisation),
		cmocka_unit_test(deleted_program),
		cmocka_unit_test(number_used_again),
		cmocka_unit_test(addresses_of_nothing),
		cmocka_unit_test(vdso_and_self),
		cmocka_unit_test(mapped_later),
		cmocka_unit_test(followed_by_events),
		cmocka_unit_test(exec_replaces_the_program),
		cmocka_unit_test(names_in_a_file),
		cmocka_unit_test(many_processes),
	};

	if (geteuid() != 0)
		return skip_all("needs root: maps of other processes");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
