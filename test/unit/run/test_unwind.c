/* SPDX-License-Identifier: Apache-2.0 */
/* The maps for walking user stacks, filled from this very process: tables, mappings, limits. Needs root. */
#include "../unit.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/unwindfmt.h"
#include "load/bpf_sys.h"
#include "load/load.h"
#include "load/probe_caps.h"
#include "run/consume/unwind.h"

enum { TABLES, AREAS, PROCS, WANT, FILES, NMAPS };

struct fix {
	struct img_map maps[NMAPS];
	struct image img;
	struct loaded *l;
	struct sym *sym;
	struct unwind *u;
};

static struct caps caps;

static struct img_map map(enum img_map_role role, enum bpf_map_type type, uint32_t key, uint32_t value,
			  uint32_t entries)
{
	return (struct img_map){ .role = role,
				 .name = "test",
				 .type = type,
				 .key_size = key,
				 .value_size = value,
				 .max_entries = entries,
				 .flags = type == BPF_MAP_TYPE_ARRAY ? BPF_F_MMAPABLE : 0 };
}

static void start(struct fix *f, uint32_t tables, uint32_t areas, uint32_t procs)
{
	struct load_opts opts = { 0 };
	struct err err = { 0 };

	*f = (struct fix){ .maps = {
				   [TABLES] = map(IMG_MAP_UW_TABLES, BPF_MAP_TYPE_ARRAY, 4, 8, tables),
				   [AREAS] = map(IMG_MAP_UW_AREAS, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct uw_area),
						 areas),
				   [PROCS] = map(IMG_MAP_UW_PROCS, BPF_MAP_TYPE_HASH, 4, sizeof(struct uw_proc), procs),
				   [WANT] = map(IMG_MAP_UW_WANT, BPF_MAP_TYPE_HASH, 4, 8, 16),
				   [FILES] = map(IMG_MAP_UW_FILES, BPF_MAP_TYPE_HASH, sizeof(struct uw_file_key),
						 sizeof(struct uw_file), 64),
			   } };
	f->img.maps = f->maps;
	f->img.nmaps = NMAPS;
	if (load_image(&f->img, NULL, &caps, &opts, &f->l, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(sym_new(&f->sym, &err), 0);
	assert_int_equal(unwind_new(f->l, f->sym, &f->u), 0);
	assert_non_null(f->u);
}

static void stop(struct fix *f)
{
	unwind_free(f->u);
	sym_free(f->sym);
	load_free(f->l);
}

static bool get(const struct fix *f, uint32_t tgid, struct uw_proc *ret)
{
	return bpfsys_map_lookup(f->l->maps[PROCS].fd, &tgid, ret) == 0;
}

/* The area of an address, as a program finds it; NULL: none. */
static const struct uw_area *area_of(const struct fix *f, const struct uw_proc *p, uint64_t addr)
{
	const struct uw_area *a = f->l->maps[AREAS].mem;

	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		if (i > p->first)
			assert_true(a[i - 1].end <= a[i].start);
		if (addr >= a[i].start && addr < a[i].end)
			return &a[i];
	}
	return NULL;
}

static uint32_t rule_at(const struct fix *f, const struct uw_area *a, uint64_t addr)
{
	const uint64_t *t = f->l->maps[TABLES].mem, pc = addr - a->bias;
	uint64_t e;
	uint32_t row;

	assert_true(pc >> UW_BUCKET_SHIFT < a->nindex);
	e = t[a->index + (pc >> UW_BUCKET_SHIFT)];
	row = UW_INDEX_FIRST(e);
	for (uint32_t i = 0; i < UW_INDEX_COUNT(e) && UW_ROW_PC(t[UW_INDEX_FIRST(e) + i]) <= pc; i++)
		row = UW_INDEX_FIRST(e) + i;
	return UW_ROW_RULE(t[row]);
}

static void tables_and_areas_of_a_process(void **state)
{
	const uint64_t at = (uint64_t)(uintptr_t)tables_and_areas_of_a_process;
	const struct uw_area *a;
	struct uw_proc p;
	uint64_t tables, procs;
	struct fix f;

	(void)state;
	start(&f, 1 << 20, 1024, 16);
	assert_false(get(&f, (uint32_t)getpid(), &p));
	unwind_see(f.u, (uint32_t)getpid(), 0);
	assert_true(get(&f, (uint32_t)getpid(), &p));
	assert_true(p.count >= 3); /* program, libc, loader */
	a = area_of(&f, &p, at);
	assert_non_null(a);
#if defined(__x86_64__)
	assert_int_equal(rule_at(&f, a, at), UW_RULE(UW_SP, 0, 0, 1)); /* at a function's first byte */
#endif
	assert_non_null(area_of(&f, &p, (uint64_t)(uintptr_t)qsort));
	unwind_lost(f.u, &tables, &procs);
	assert_int_equal(tables + procs, 0);
	/* Gone: an entry that says so. */
	unwind_see(f.u, 0x3fffffff, 0);
	assert_true(get(&f, 0x3fffffff, &p));
	assert_int_equal(p.count, 0);
	stop(&f);
}

static void *map_code(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void events_and_wishes(void **state)
{
	struct side_event e = { .kind = SIDE_MMAP, .tgid = (uint32_t)getpid() };
	uint32_t tgid = (uint32_t)getpid(), key;
	struct uw_proc before, after;
	uint64_t zero = 0;
	struct fix f;
	void *m;

	(void)state;
	start(&f, 1 << 20, 1024, 16);
	assert_int_equal(bpfsys_map_update(f.l->maps[WANT].fd, &tgid, &zero), 0);
	unwind_drain(f.u);
	assert_true(get(&f, tgid, &before));
	assert_true(before.count >= 3);
	assert_true(bpfsys_map_next_key(f.l->maps[WANT].fd, NULL, &key) < 0);
	m = map_code();
	unwind_drain(f.u);
	assert_true(get(&f, tgid, &after));
	assert_int_equal(after.count, before.count); /* nobody told */
	unwind_event(f.u, &e);
	unwind_drain(f.u);
	assert_true(get(&f, tgid, &after));
	assert_int_equal(after.count, before.count + 1);
	assert_int_not_equal(after.first, before.first); /* a walk may still be reading the old ones */
	assert_non_null(area_of(&f, &after, (uint64_t)(uintptr_t)m));
	e.kind = SIDE_EXIT;
	unwind_event(f.u, &e);
	assert_false(get(&f, tgid, &after));
	munmap(m, 1 << 20);
	stop(&f);
}

static void no_room(void **state)
{
	uint64_t tables, procs;
	struct uw_proc p;
	struct fix f;
	pid_t child[3];

	(void)state;
	/* tables: for none of the files */
	start(&f, 8, 1024, 2);
	unwind_see(f.u, (uint32_t)getpid(), 0);
	unwind_lost(f.u, &tables, &procs);
	assert_true(tables >= 3);
	assert_true(get(&f, (uint32_t)getpid(), &p));
	assert_int_equal(p.count, 0);
	/* processes: the oldest goes */
	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			pause();
			_exit(0);
		}
		unwind_see(f.u, (uint32_t)child[i], 0);
	}
	assert_false(get(&f, (uint32_t)child[0], &p));
	assert_true(get(&f, (uint32_t)child[1], &p));
	assert_true(get(&f, (uint32_t)child[2], &p));
	for (int i = 0; i < 3; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	stop(&f);
}

static void many_mappings(void **state)
{
	static void *m[UW_MAX_AREAS];
	uint64_t tables, procs;
	struct uw_proc p;
	struct fix f;

	(void)state;
	/* areas: one block is too few for this process with more mappings */
	start(&f, 1 << 20, UNWIND_BLOCK, 16);
	for (unsigned i = 0; i < UNWIND_BLOCK; i++)
		m[i] = map_code();
	unwind_see(f.u, (uint32_t)getpid(), 0);
	unwind_lost(f.u, &tables, &procs);
	assert_int_equal(procs, 1);
	assert_true(get(&f, (uint32_t)getpid(), &p));
	assert_int_equal(p.count, 0);
	stop(&f);
	/* mappings of one process: the first of them count */
	start(&f, 1 << 20, 2 * UW_MAX_AREAS, 16);
	for (unsigned i = UNWIND_BLOCK; i < UW_MAX_AREAS; i++)
		m[i] = map_code();
	unwind_see(f.u, (uint32_t)getpid(), 0);
	assert_true(get(&f, (uint32_t)getpid(), &p));
	assert_int_equal(p.count, UW_MAX_AREAS);
	/* again and again: room goes round */
	for (unsigned i = 0; i < 5; i++)
		unwind_see(f.u, (uint32_t)getpid(), 0);
	assert_true(get(&f, (uint32_t)getpid(), &p));
	assert_int_equal(p.count, UW_MAX_AREAS);
	for (unsigned i = 0; i < UW_MAX_AREAS; i++)
		munmap(m[i], 1 << 20);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_and_areas_of_a_process),
		cmocka_unit_test(events_and_wishes),
		cmocka_unit_test(no_room),
		cmocka_unit_test(many_mappings),
	};
	struct err err = { 0 };

	if (caps_quick(&caps, &err) < 0)
		return skip_all("needs root");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
