/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of `dwell features`: tries every facility on this kernel, and gives the reason where it is
 * missing and what would work instead. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "load/caps_int.h"
#include "load/reasons.h"
#include "load/tracefs.h"

#define CONFIG_MAX (4u << 20) /* the text of a kernel's configuration is 100 to 300 KiB */

/* Reads /proc/config.gz or /boot/config-RELEASE; zlib reads plain files too. */
static char *read_config(void)
{
	char path[300];
	struct utsname u;
	_cleanup_free_ char *buf = malloc(CONFIG_MAX);
	gzFile f = gzopen("/proc/config.gz", "re");
	int n;

	if (!f && uname(&u) == 0) {
		snprintf(path, sizeof(path), "/boot/config-%s", u.release);
		f = gzopen(path, "re");
	}
	if (!f)
		return NULL;
	n = buf ? gzread(f, buf, CONFIG_MAX - 1) : -1;
	gzclose(f);
	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	return take_ptr(buf);
}

char cap_config(const char *option)
{
	_cleanup_free_ char *text = read_config();
	size_t len = strlen(option);

	for (char *p = text; p && (p = strstr(p, option)); p += len) {
		bool start = p == text || p[-1] == '\n';

		if (start && p[len] == '=')
			return p[len + 1];
		if (p - text >= 2 && p[-2] == '#' && !strncmp(p + len, " is not set", 11))
			return 'n';
	}
	/* An option that others hide is not mentioned at all. */
	return text ? 'n' : 0;
}

static bool try_helper(struct attempt *a, uint32_t type, uint32_t flags, uint32_t func)
{
	int r = cap_helper(type, flags, func);

	if (r < 0 && r != CAP_NO_HELPER)
		return cap_refused_bpf(a, "load", r);
	if (r < 0)
		snprintf(a->reason, sizeof(a->reason), "the kernel does not have this helper");
	return r == 0;
}

#define HELPER(fn, type, flags, func) \
	static bool fn(struct attempt *a) \
	{ \
		return try_helper(a, type, flags, func); \
	}
HELPER(try_ringbuf, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_ringbuf_reserve)
HELPER(try_task_storage, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_task_storage_get)
HELPER(try_task_btf, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_get_current_task_btf)
HELPER(try_strncmp, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_strncmp)
HELPER(try_task_stack, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_get_task_stack)
HELPER(try_task_pt_regs, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_task_pt_regs)

static bool try_atomics(struct attempt *a)
{
	if (cap_atomics())
		return true;
	snprintf(a->reason, sizeof(a->reason), "fetch-and-add is refused");
	return false;
}

static bool try_batch(struct attempt *a)
{
	if (cap_percpu_batch())
		return true;
	snprintf(a->reason, sizeof(a->reason), "the kernel has no batch for this map type");
	return false;
}

static bool try_hash_alloc(struct attempt *a)
{
	if (cap_hash_alloc())
		return true;
	snprintf(a->reason, sizeof(a->reason), "refused to perf event programs (6.1 allows it)");
	return false;
}

static bool try_write_user(struct attempt *a)
{
	const char *mode = cap_lockdown();

	if (!mode)
		snprintf(a->reason, sizeof(a->reason),
			 "lockdown state unknown (securityfs is not "
			 "mounted); tried when used");
	else if (strcmp(mode, "none") != 0)
		snprintf(a->reason, sizeof(a->reason), "kernel lockdown is %s", mode);
	return !mode || !strcmp(mode, "none");
}

static bool try_btf(struct attempt *a)
{
	struct reason words;
	uint32_t n;

	if (!a->ts) {
		reason_types(&words);
		snprintf(a->reason, sizeof(a->reason), "%s", words.text);
		return false;
	}
	n = typesrc_nobjs(a->ts) - 1;
	snprintf(a->reason, sizeof(a->reason), "vmlinux and %u module%s", n, n == 1 ? "" : "s");
	return true;
}

static bool try_tracefs(struct attempt *a)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };
	struct reason words;
	size_t len;

	if (tracefs_open(&fd, &err) >= 0) {
		int r = tracefs_read(fd, "available_events", &text, &len);

		if (r >= 0)
			return true;
		reason_tracefs(r, &words);
	} else {
		snprintf(words.text, sizeof(words.text), "%.*s", REASON_MAX - 1, err.msg);
	}
	snprintf(a->reason, sizeof(a->reason), "%s", words.text);
	return false;
}

/* The system call's number comes from the current thread's registers: by their type, or (before 5.11) by reading the
 * kernel's memory. */
static bool try_syscall(struct attempt *a)
{
	struct reason words;

	if (!cap_try_raw_tp(a))
		return false;
	if (cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_get_current_task_btf) == 0 || caps_reads_kernel())
		return true;
	snprintf(a->reason, sizeof(a->reason), "%s", reason_lockdown(&words));
	return false;
}

/* One way suffices. The one call for many needs no perf event, which kernel.perf_event_paranoid may forbid. */
static bool try_pid(struct attempt *a)
{
	if (!cap_try_uprobe_multi(a) && !cap_try_uprobe(a))
		return false;
	*a->reason = '\0';
	return true;
}

/* The files that the provider reads: which functions can be traced, and where they are. */
static bool try_function_list(struct attempt *a)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	_cleanup_close_ int dir = -1, fd = -1;
	struct err err = { 0 };
	struct reason words;

	if (!f)
		return cap_refused(a, "/proc/kallsyms", -errno);
	if (tracefs_open(&dir, &err) < 0) {
		snprintf(a->reason, sizeof(a->reason), "%.*s", REASON_MAX - 1, err.msg);
		return false;
	}
	fd = openat(dir, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		snprintf(a->reason, sizeof(a->reason), "%s", reason_tracefs(-errno, &words));
	return fd >= 0;
}

/* One way suffices. */
static bool try_fbt(struct attempt *a)
{
	struct attempt b = { 0 };
	bool multi = cap_try_kprobe_multi(&b);

	if ((!multi && !cap_try_kprobe(a)) || !try_function_list(a))
		return false;
	if (multi)
		return true;
	snprintf(a->reason, sizeof(a->reason), "one by one, which is slow for many: no kprobe_multi");
	return true;
}

static bool try_sched_exit(struct attempt *a)
{
	struct tref ref;

	if (a->ts && typesrc_find(a->ts, "vmlinux", "btf_trace_sched_exit_tp", TKM(TK_TYPEDEF), &ref) >= 0)
		return true;
	snprintf(a->reason, sizeof(a->reason),
		 a->ts ? "the kernel has no such tracepoint (6.16 added it)"
		       : "needs type information (BTF), see above");
	return false;
}

static bool try_jit(struct attempt *a)
{
	char line[16];

	if (cap_config("CONFIG_BPF_JIT_ALWAYS_ON") == 'y')
		return true;
	if (cap_read_line("/proc/sys/net/core/bpf_jit_enable", line, sizeof(line)) && *line != '0')
		return true;
	snprintf(a->reason, sizeof(a->reason), "net.core.bpf_jit_enable is 0 or unknown");
	return false;
}

/* kptr_restrict and missing capabilities both show as addresses of zero. */
static bool try_kallsyms(struct attempt *a)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[256] = "";

	if (!f)
		return cap_refused(a, "/proc/kallsyms", -errno);
	/* Per-CPU symbols come first and may truly be at 0. */
	while (fgets(line, sizeof(line), f))
		if (strstr(line, " _text\n") || strstr(line, " _stext\n"))
			break;
	if (strtoull(line, NULL, 16))
		return true;
	snprintf(a->reason, sizeof(a->reason), "addresses are hidden (kernel.kptr_restrict, or CAP_SYSLOG is missing)");
	return false;
}

static bool try_data_symbols(struct attempt *a)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[256];

	(void)a;
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, " __per_cpu_offset\n") || strstr(line, " jiffies\n"))
			return true;
	return false;
}

static bool try_lockdown(struct attempt *a)
{
	/* The helper is tried, because securityfs, which tells the mode, need not be mounted. */
	const char *mode = cap_lockdown();
	int r = cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_probe_read_kernel);
	struct reason words;

	if (r == CAP_NO_HELPER || (r < 0 && mode && !strcmp(mode, "confidentiality"))) {
		snprintf(a->reason, sizeof(a->reason), "%s", reason_lockdown(&words));
		return false;
	}
	snprintf(a->reason, sizeof(a->reason), "%s", mode ? mode : "mode unknown: securityfs is not mounted");
	return true;
}

/* Tries what cg/rt/unwind.h needs. */
static bool try_unwind(struct attempt *a)
{
#if defined(__x86_64__) || defined(__aarch64__)
	if (!cap_try_loop(a))
		return false;
	if (cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_task_pt_regs) == 0)
		return true;
	snprintf(a->reason, sizeof(a->reason), "no bpf_task_pt_regs (Linux 5.15)");
#else
	snprintf(a->reason, sizeof(a->reason), "on x86-64 and arm64 only");
#endif
	return false;
}

static bool try_stats(struct attempt *a)
{
	char line[16];

	if (cap_read_line("/proc/sys/kernel/bpf_stats_enabled", line, sizeof(line)))
		return true;
	snprintf(a->reason, sizeof(a->reason), "no kernel.bpf_stats_enabled");
	return false;
}

static bool try_programs(struct attempt *a)
{
	_cleanup_close_ int prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT });

	return prog >= 0 || cap_refused_bpf(a, "load", prog);
}

#define FIELD(f) (offsetof(struct caps, f) + 1)

static const struct feature {
	const char *group, *name;
	bool (*attempt)(struct attempt *a);
	size_t field;	    /* FIELD() of struct caps, or 0 */
	const char *config; /* named as the cause when it is not set */
	const char *instead;
} features[] = {
	{ "kernel", "BPF programs", try_programs, 0, "CONFIG_BPF_SYSCALL", "nothing can be traced" },
	{ "kernel", "type information (BTF)", try_btf, FIELD(btf), "CONFIG_DEBUG_INFO_BTF",
	  "no kernel types, no tracepoints by name; syscall and profile work" },
	{ "kernel", "tracefs", try_tracefs, FIELD(tracefs), "CONFIG_FTRACE",
	  "system call arguments are untyped, sdt probes have no groups" },
	{ "kernel", "addresses in /proc/kallsyms", try_kallsyms, 0, "CONFIG_KALLSYMS_ALL",
	  "kernel stacks show addresses" },
	{ "kernel", "symbols of variables (`name)", try_data_symbols, 0, "CONFIG_KALLSYMS_ALL",
	  "variables of the kernel have no names, and ipl is 0 on x86" },
	{ "kernel", "BPF JIT", try_jit, 0, "CONFIG_BPF_JIT", "programs are interpreted, about 10 times slower" },
	{ "kernel", "run-time statistics", try_stats, 0, NULL, "-x maxcpu does not work" },
	{ "kernel", "lockdown allows reading kernel memory", try_lockdown, 0, NULL,
	  "the data of the current thread, and the arguments of system calls" },
	{ "programs", "raw tracepoints (syscall)", try_syscall, 0, "CONFIG_BPF_EVENTS", "nothing" },
	{ "programs", "typed tracepoints (sdt, proc, io)", cap_try_tp_btf, FIELD(tp_btf), NULL,
	  "syscall, on-cpu and off-cpu of sched, profile" },
	{ "programs", "test-run (BEGIN, END)", cap_try_test_run, FIELD(test_run_raw_tp), NULL, "nothing" },
	{ "programs", "timer samples (profile, tick)", cap_try_perf_event, FIELD(perf_event), "CONFIG_PERF_EVENTS",
	  "nothing" },
	{ "programs", "hardware counters (cpc)", cap_try_pmu, 0, NULL,
	  "software events of cpc; profile-n samples by time" },
	{ "programs", "watchpoints (wp)", cap_try_watch, 0, NULL, "no wp" },
	{ "programs", "user probes (pid)", try_pid, FIELD(uprobe), "CONFIG_UPROBE_EVENTS", "profile-n with ustack()" },
	{ "programs", "user probes, many with one call", cap_try_uprobe_multi, FIELD(uprobe_multi), NULL,
	  "one by one, slower to detach" },
	{ "programs", "functions of the kernel (fbt)", try_fbt, 0, "CONFIG_KPROBES",
	  "tracepoints: sdt, syscall, sched" },
	{ "programs", "iterator over tasks (iter)", cap_try_iter_task, FIELD(iter_task), NULL, "/proc" },
	{ "programs", "iterator over keys (timeout, gc)", cap_try_iter_keys, FIELD(iter_keys), NULL,
	  "bpf_for_each_map_elem (Linux 5.13), which walks them in one go" },
	{ "programs", "memory of other threads", cap_try_iter_user, 0, NULL,
	  "iter:::task without ustack(), copyin() and arguments" },
	{ "probes", "sched:::on-cpu in the incoming thread", try_sched_exit, FIELD(sched_exit_tp), NULL,
	  "sched_switch, without user stack" },
	{ "maps", "ring buffer", try_ringbuf, FIELD(ringbuf), NULL, "nothing" },
	{ "maps", "task storage (self->x)", try_task_storage, FIELD(task_storage), NULL, "a hash of threads, slower" },
	{ "maps", "hashes that grow while tracing", try_hash_alloc, FIELD(hash_alloc), NULL,
	  "aggregations and arrays take all their memory at the start" },
	{ "maps", "batched reads of per-CPU hashes", try_batch, FIELD(batch_percpu_hash), NULL, "one by one, slower" },
	{ "helpers", "typed current thread", try_task_btf, FIELD(task_btf), NULL, "probe reads, slower" },
	{ "helpers", "bpf_loop", cap_try_loop, FIELD(bpf_loop), NULL, "loops that the verifier walks step by step" },
	{ "helpers", "bpf_strncmp", try_strncmp, FIELD(bpf_strncmp), NULL, "a loop" },
	{ "helpers", "fetch-and-add, compare-and-exchange", try_atomics, FIELD(atomics), NULL, "nothing" },
	{ "helpers", "stack of another task", try_task_stack, FIELD(get_task_stack), NULL,
	  "stacks of the current thread only" },
	{ "helpers", "registers of user mode (uregs[])", try_task_pt_regs, FIELD(task_pt_regs), NULL,
	  "x86-64: read at the end of the kernel stack, slower; elsewhere no uregs[]" },
	{ "helpers", "user stacks by tables", try_unwind, 0, NULL,
	  "frame pointers: stacks end in code built without them" },
	{ "helpers", "writing user memory (copyout)", try_write_user, FIELD(probe_write_user), NULL,
	  "no copyout, no copyoutstr" },
};

static bool run_feature(const struct feature *f, struct typesrc *ts, struct caps *c, struct attempt *a)
{
	bool ok;

	*a = (struct attempt){ .ts = ts };
	ok = f->attempt(a);
	if (f->field)
		*(bool *)((char *)c + f->field - 1) = ok;
	return ok;
}

int caps_full(struct typesrc *ts, struct caps *ret, struct err *err)
{
	struct attempt a;
	int r = caps_quick(ret, err);

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(features); i++)
		if (features[i].field)
			run_feature(&features[i], ts, ret, &a);
	return r;
}

/* Everything but what files tell takes BPF programs. */
static bool of_programs(const struct feature *f)
{
	return strcmp(f->group, "kernel") != 0;
}

static const char *refusal(struct arena *ar, const struct feature *f, const struct attempt *a)
{
	struct attempt none = { 0 };

	if (of_programs(f) && !try_programs(&none))
		return arena_strdup(ar, a->reason);
	if (f->config && cap_config(f->config) == 'n')
		return arena_printf(ar, "kernel built without %s", f->config);
	return arena_strdup(ar, a->reason);
}

int caps_report(struct typesrc *ts, struct arena *ar, struct caps_row **ret, size_t *ret_n)
{
	struct caps_row *rows = arena_new_arr(ar, struct caps_row, ARRAY_SIZE(features));
	struct attempt a = { 0 };
	struct caps c = { 0 };
	bool programs = try_programs(&a);

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];
		bool ok = (programs || !of_programs(f)) && run_feature(f, ts, &c, &a);

		if (!programs && of_programs(f))
			snprintf(a.reason, sizeof(a.reason), "no BPF programs, see above");
		rows[i] = (struct caps_row){
			.group = f->group,
			.feature = f->name,
			.available = ok,
			.reason = ok ? arena_strdup(ar, a.reason) : refusal(ar, f, &a),
			.instead = ok || (!programs && of_programs(f)) ? "" : f->instead,
		};
	}
	*ret = rows;
	*ret_n = ARRAY_SIZE(features);
	return 0;
}
