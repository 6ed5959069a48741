/* SPDX-License-Identifier: Apache-2.0 */
/* Cores made by hand: what is read of them, what is missing, damage; the walk by frame pointers. */
#include "unit.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "core/madecore.h"
#include "core/target.h"

static struct made m;
static struct core c;
static struct err err;

static int open_made(void)
{
	return core_open_memory(m.bytes, m.n, &c, &err);
}

static void a_core_tells_its_process_and_threads(void **state)
{
	(void)state;
	made_core(&m);
	assert_int_equal(open_made(), 0);
	assert_int_equal(c.pid, MADE_TID);
	assert_string_equal(c.comm, "made");
	assert_string_equal(c.cmdline, "made by hand");
	assert_int_equal(c.signal, 6);
	assert_int_equal(c.threads.n, 2);
	assert_int_equal(core_thread(&c, MADE_TID)->regs[CORE_SP], MADE_STACK);
	assert_null(core_thread(&c, 1));
	assert_int_equal(c.maps.n, 1);
	assert_string_equal(c.files.v[0].path, MADE_FILE);
	assert_int_equal(core_file(&c, 0)->state, CORE_FILE_GONE);
	core_close(&c);
}

static void memory_is_read_across_blocks_or_refused(void **state)
{
	uint8_t buf[300];

	(void)state;
	made_core(&m);
	assert_int_equal(open_made(), 0);
	assert_int_equal(core_read(&c, MADE_DATA + 250, buf, 20), 0);
	assert_int_equal(buf[5], 255);
	assert_int_equal(buf[6], 0);
	assert_int_equal(core_read(&c, MADE_DATA + 4090, buf, 6), 0);
	assert_int_equal(core_read(&c, MADE_DATA + 4090, buf, 7), -EFAULT);
	assert_int_equal(core_read(&c, MADE_NONE, buf, 1), -ENODATA); /* nor is there the file */
	assert_int_equal(core_read(&c, 0, buf, 1), -EFAULT);
	assert_int_equal(core_read(&c, UINT64_MAX - 2, buf, 8), -EFAULT);
	core_close(&c);
}

static void a_cut_core_says_how_much_is_missing(void **state)
{
	uint8_t byte;

	(void)state;
	made_core(&m);
	m.n = m.data_at + 100;
	assert_int_equal(open_made(), 0);
	assert_int_equal(c.missing, 2 * 4096 - 100);
	assert_int_equal(core_read(&c, MADE_DATA + 99, &byte, 1), 0);
	assert_int_equal(byte, 99);
	assert_int_equal(core_read(&c, MADE_DATA + 100, &byte, 1), -ENODATA);
	core_close(&c);
	m.n = sizeof(Elf64_Ehdr);
	assert_int_equal(open_made(), -ENODATA);
	assert_non_null(strstr(err.msg, "cut"));
}

static void every_cut_is_survived(void **state)
{
	size_t opened = 0;

	(void)state;
	made_core(&m);
	for (size_t all = m.n; m.n > 0; m.n = all - 1, all = m.n) {
		if (open_made() == 0) {
			opened++;
			core_close(&c);
		}
	}
	assert_true(opened > 8192);
}

static void what_is_no_core_of_this_machine_is_refused(void **state)
{
	(void)state;
	made_core(&m);
	m.bytes[EI_CLASS] = ELFCLASS32;
	assert_int_equal(open_made(), -ENOTSUP);
	made_core(&m);
	((Elf64_Ehdr *)(void *)m.bytes)->e_type = ET_EXEC;
	assert_int_equal(open_made(), -ENOEXEC);
	made_core(&m);
	m.bytes[0] = 'x';
	assert_int_equal(open_made(), -ENOEXEC);
}

static void overlapping_and_endless_segments_are_left_out(void **state)
{
	Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(m.bytes + sizeof(Elf64_Ehdr));

	(void)state;
	made_core(&m);
	ph[2].p_vaddr = MADE_DATA + 100; /* within the other */
	ph[3].p_vaddr = UINT64_MAX - 100;
	assert_int_equal(open_made(), 0);
	assert_int_equal(c.segs.n, 1);
	core_close(&c);
}

static void stacks_are_walked_by_frame_pointers(void **state)
{
	core_frames f = { 0 };
	const char *reason;

	(void)state;
	made_core(&m);
	assert_int_equal(open_made(), 0);
	assert_int_equal(core_walk(&c, core_thread(&c, MADE_TID)->regs, 10, &f, &reason), 0);
	assert_int_equal(f.n, 2); /* the second one's frame is zeroes: no return address */
	assert_null(reason);
	assert_int_equal(f.v[1].ip, MADE_DATA + 32);
	assert_int_equal(f.v[1].sp, MADE_STACK + 32);
	vec_free(&f);
	assert_int_equal(core_walk(&c, core_thread(&c, MADE_TID)->regs, 1, &f, &reason), 0);
	assert_int_equal(f.n, 1);
	assert_non_null(strstr(reason, "more frames"));
	vec_free(&f);
	assert_int_equal(core_walk(&c, core_thread(&c, MADE_TID + 1)->regs, 10, &f, &reason), 0);
	assert_int_equal(f.n, 1);
	assert_non_null(reason);
	vec_free(&f);
	core_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_tells_its_process_and_threads),
		cmocka_unit_test(memory_is_read_across_blocks_or_refused),
		cmocka_unit_test(a_cut_core_says_how_much_is_missing),
		cmocka_unit_test(every_cut_is_survived),
		cmocka_unit_test(what_is_no_core_of_this_machine_is_refused),
		cmocka_unit_test(overlapping_and_endless_segments_are_left_out),
		cmocka_unit_test(stacks_are_walked_by_frame_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
