/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the D library: all *.d in the directories of -L, then those of shelf_dir(). Does not descend into folders. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "base/release.h"
#include "base/vec.h"
#include "engine/front/compile.h"
#include "engine/front/grouped.h"
#include "engine/front/wanted.h"
#include "shelf/shelf.h"

#define MAX_CPUS 1024 /* with more of them their tables say 0 */
#define MAX_NODES 64

struct texts {
	VEC(struct source) v;
	struct arena *arena;
	struct dlib *libs;
	size_t bytes;
};

static void warn(struct texts *t, const char *path, const char *text)
{
	dlib_warn_text(t->libs, (struct span){ 0 }, arena_printf(t->arena, "library %s: %s", path, text));
}

static void read_file(struct texts *t, const char *path)
{
	_cleanup_close_ int fd = shelf_open(path, O_NONBLOCK);
	struct source src = { .name = path, .is_file = true };
	struct stat st;
	char *text;
	int e;

	if (fd < 0 || fstat(fd, &st) < 0) {
		warn(t, path, strerror(fd < 0 ? -fd : errno));
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	if (t->v.n >= DLIB_MAX_FILES || (uint64_t)st.st_size > DLIB_MAX_BYTES - t->bytes) {
		warn(t, path, "the D library is too large");
		return;
	}
	text = arena_alloc(t->arena, (size_t)st.st_size + 1);
	e = read_all(fd, text, (size_t)st.st_size, &src.len);
	if (e < 0) {
		warn(t, path, strerror(-e));
		return;
	}
	text[src.len] = '\0';
	t->bytes += src.len;
	src.text = text;
	vec_push(&t->v, src);
}

static void read_dir(struct texts *t, const char *dir)
{
	const char **names;
	int n = shelf_list(t->arena, dir, &names);

	if (n < 0)
		warn(t, dir, strerror(-n));
	for (int i = 0; i < n; i++)
		read_file(t, arena_printf(t->arena, "%s/%s", dir, names[i]));
}

/* A folder named after the kind of processor has the files that concern it alone. */
static void read_system(struct texts *t, const char *dir)
{
	struct utsname u;
	const char *sub;

	read_dir(t, dir);
	if (uname(&u) < 0)
		return;
	sub = arena_printf(t->arena, "%s/%s", dir, u.machine);
	if (shelf_has(sub))
		read_dir(t, sub);
}

/* -- this machine -- */

/* A number in a file of sysfs, or dflt. */
static long read_number(const char *path, long dflt)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[32];
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	long v;

	if (n <= 0)
		return dflt;
	buf[n] = '\0';
	v = strtol(buf, NULL, 10);
	return v < 0 ? dflt : v;
}

static long cpu_package(long cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/physical_package_id", cpu);
	return read_number(path, 0);
}

static long cpu_node(long cpu)
{
	char path[96];

	for (long node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/node%ld", cpu, node);
		if (access(path, F_OK) == 0)
			return node;
	}
	return 0;
}

/* An inline array over CPUs, as a chain of comparisons of ranges with the same value. */
static void add_table(struct strb *b, const char *name, long (*of)(long cpu))
{
	long n = sysconf(_SC_NPROCESSORS_CONF), from = 0, v = of(0);

	n = n > 0 && n <= MAX_CPUS ? n : 1;
	strb_printf(b, "inline int %s[int C] = ", name);
	for (long cpu = 1; cpu < n; cpu++) {
		long next = of(cpu);

		if (next == v)
			continue;
		strb_printf(b, "C >= %ld && C < %ld ? %ld : ", from, cpu, v);
		from = cpu;
		v = next;
	}
	strb_printf(b, "%ld;\n", v);
}

/* The system call that a thread is in: on x86-64 among its registers in user mode, which programs can ask for
 * since Linux 5.15. */
static void add_syscall(struct strb *b)
{
	struct utsname u;
	bool can = release_since("5.15") && uname(&u) == 0;

	strb_printf(b, "inline short task_syscall[struct task_struct *T] = %s;\n",
		    can && !strcmp(u.machine, "x86_64") ? "T == curthread ? (int64_t)uregs[R_ERR] : -1" : "-1");
}

static void machine_text(struct texts *t, const struct dopts *o)
{
	struct source src = { .name = "(this machine)" };
	const char *reason = NULL;
	struct strb b = { 0 };

	add_table(&b, "cpu_chip_of", cpu_package);
	add_table(&b, "cpu_lgrp_of", cpu_node);
	strb_printf(&b, "inline int machine_cpus = %ld;\n", sysconf(_SC_NPROCESSORS_ONLN));
	strb_printf(&b, "inline uint64_t machine_pages = %ld;\n", sysconf(_SC_PHYS_PAGES));
	strb_printf(&b, "inline int machine_pageshift = %d;\n", __builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE)));
	add_syscall(&b);
	if (wanted_text(t->arena, o, &b, &reason) < 0) /* an option that a script sets */
		warn(t, src.name, reason);
	if (grouped_text(t->arena, o, &b, &reason) < 0)
		warn(t, src.name, reason);
	src.text = arena_strdup(t->arena, strb_str(&b));
	src.len = b.n;
	strb_free(&b);
	vec_push(&t->v, src);
}

static void read_libs(void *ctx, struct arena *a, struct dlib *l, struct dlib_texts *ret)
{
	const struct request *c = ctx;
	struct texts t = { .arena = a, .libs = l };
	char *dirs = arena_strdup(a, c->opts.libdir), *save = NULL;

	for (char *d = strtok_r(dirs, "\n", &save); d; d = strtok_r(NULL, "\n", &save))
		read_dir(&t, d);
	read_system(&t, c->opts.syslibdir[0] ? c->opts.syslibdir : libs_dir(a));
	machine_text(&t, &c->opts);
	ret->v = arena_memdup(a, t.v.v, t.v.n * sizeof(*t.v.v));
	ret->n = t.v.n;
	vec_free(&t.v);
}

struct dlib *libs_open(struct request *c)
{
	struct dlib_reader rd = { .ctx = c, .read = read_libs };

	return c->opts.nolibs ? NULL : dlib_new(c->arena, &rd);
}

void libs_print_warnings(struct compile_session *w, const struct request *c)
{
	const struct diag *g = w->libs ? dlib_warnings(w->libs)->first : NULL;
	struct strb b = { 0 };

	for (unsigned i = 0; g; g = g->next, i++) {
		struct diag one = *g;

		if (i < w->lib_warnings)
			continue;
		w->lib_warnings++;
		one.sev = SEV_NOTE; /* the message below has the word "warning" */
		strb_reset(&b);
		diag_format(&b, &one, c->opts.errtags);
		if (b.n && b.s[b.n - 1] == '\n')
			b.s[--b.n] = '\0';
		listener_msg(&c->to, "warning: %s%s%s%s", g->at.src ? "library " : "", g->at.src ? g->at.src->name : "",
			     g->at.src ? ": " : "", strb_str(&b));
	}
	strb_free(&b);
}
