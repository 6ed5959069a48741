/* SPDX-License-Identifier: Apache-2.0 */
/* Capability probing against what the machine says of itself elsewhere. */
#include "../unit.h"
#include <string.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/caps_int.h"
#include "load/tracefs.h"

static struct typesrc *ts;

static void quick_facts(void **state)
{
	struct err err = { 0 };
	struct caps c;

	(void)state;
	assert_int_equal(caps_quick(&c, &err), 0);
	assert_int_equal(c.online_cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(c.possible_cpus >= c.online_cpus);
	assert_true(c.nr_cpu_ids >= c.possible_cpus);
	assert_int_equal(c.btf, access("/sys/kernel/btf/vmlinux", R_OK) == 0);
	assert_true(c.pidns_ino != 0);
}

/* Helpers that no kernel has, and one that every kernel with BPF has. */
static void helper_probing(void **state)
{
	(void)state;
	assert_int_equal(cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 99999), CAP_NO_HELPER);
	assert_int_equal(cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_map_lookup_elem), 0);
	assert_int_equal(cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_ktime_get_ns), 0);
	/* exists, but not for this type */
	assert_int_equal(cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_skb_store_bytes), CAP_NO_HELPER);
}

/* The values that both fill in must agree; the full one only adds some. */
static void full_agrees_with_quick(void **state)
{
	struct caps q, f;

	(void)state;
	assert_int_equal(caps_quick(&q, NULL), 0);
	assert_int_equal(caps_full(ts, &f, NULL), 0);
	assert_int_equal(q.tp_btf, f.tp_btf);
	assert_int_equal(q.test_run_raw_tp, f.test_run_raw_tp);
	assert_int_equal(q.ringbuf, f.ringbuf);
	assert_int_equal(q.task_storage, f.task_storage);
	assert_int_equal(q.atomics, f.atomics);
	assert_int_equal(q.perf_event, f.perf_event);
}

static void report_explains(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct caps_row *rows;
	size_t n;

	(void)state;
	assert_int_equal(caps_report(ts, a, &rows, &n), 0);
	assert_true(n > 20);
	for (size_t i = 0; i < n; i++) {
		assert_true(*rows[i].group && *rows[i].feature);
		if (!rows[i].available && (!*rows[i].reason || !*rows[i].instead))
			fail_msg("%s: no reason", rows[i].feature);
		if (rows[i].available)
			assert_string_equal(rows[i].instead, "");
	}
	arena_free(a);
}

static void config_options(void **state)
{
	char c = cap_config("CONFIG_BPF");

	(void)state;
	if (!c)
		skip(); /* no /proc/config.gz and no /boot/config-… */
	assert_int_equal(c, 'y');
	assert_int_equal(cap_config("CONFIG_NO_SUCH_OPTION"), 'n');
}

static void kprobe_reason(void **state)
{
	char reason[CAPS_REASON_MAX] = "";

	(void)state;
	if (!caps_try_kprobe(reason, sizeof(reason)))
		assert_true(*reason);
	*reason = '\0';
	if (!caps_try_fentry(ts, reason, sizeof(reason)))
		assert_true(*reason);
	*reason = '\0';
	assert_false(caps_try_fentry(NULL, reason, sizeof(reason)));
	assert_non_null(strstr(reason, "BTF"));
}

static void tracefs_is_private(void **state)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };
	size_t len;

	(void)state;
	if (tracefs_open(&fd, &err) < 0)
		skip();
	assert_int_equal(tracefs_read(fd, "available_events", &text, &len), 0);
	assert_int_equal(strlen(text), len);
	assert_non_null(strstr(text, "sched:sched_switch\n"));
	assert_true(tracefs_read(fd, "no_such_file", &text, &len) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_facts),
		cmocka_unit_test(helper_probing),
		cmocka_unit_test(full_agrees_with_quick),
		cmocka_unit_test(report_explains),
		cmocka_unit_test(config_options),
		cmocka_unit_test(kprobe_reason),
		cmocka_unit_test(tracefs_is_private),
	};
	struct err err = { 0 };
	struct caps c;
	int r;

	if (caps_quick(&c, &err) < 0 || typesrc_open_kernel(&ts, &err) < 0)
		return skip_all(err.msg);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	typesrc_free(ts);
	return r;
}
