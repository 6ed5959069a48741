/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to load and attach a tiny program of each kind, for `dwell features` and for the reasons in error
 * messages. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"
#include "load/debugreg.h"
#include "load/link.h"
#include "load/reasons.h"

/* Constants newer than the headers of Debian 12. Source: kernel include/uapi/linux/bpf.h. */
#define ATTACH_KPROBE_MULTI 42 /* BPF_TRACE_KPROBE_MULTI, 5.18 */
#define ATTACH_UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, 6.6 */

/* A tracepoint that every kernel has and that fires seldom, and a function that every kernel has and that is called
 * seldom. */
#define SOME_TP "task_rename"
#define SOME_FUNC "vfs_read"

bool cap_refused(struct attempt *a, const char *what, int err)
{
	/* ENOTSUPP is the kernel's own number, which libc cannot name. */
	snprintf(a->reason, sizeof(a->reason), "%s: %s", what,
		 err == -524 ? "Operation not supported" : strerror(-err));
	return false;
}

/* Reports a refusal of bpf(2). */
bool cap_refused_bpf(struct attempt *a, const char *what, int err)
{
	struct reason words;

	if (err != -EPERM && err != -EACCES)
		return cap_refused(a, what, err);
	snprintf(a->reason, sizeof(a->reason), "%.*s", CAPS_REASON_MAX - 1, reason_bpf(err, &words));
	return false;
}

/* Reports a refusal of perf_event_open(2). */
static bool refused_perf(struct attempt *a, const char *what, int err)
{
	struct reason words;

	snprintf(a->reason, sizeof(a->reason), "%s: %.*s", what, CAPS_REASON_MAX - 64,
		 err == -524 ? strerror(EOPNOTSUPP) : reason_perf(err, &words));
	return false;
}

static uint32_t btf_id(struct attempt *a, const char *name, uint32_t kinds)
{
	struct tref ref;

	if (!a->ts) {
		snprintf(a->reason, sizeof(a->reason), "needs type information (BTF), see above");
		return 0;
	}
	if (typesrc_find(a->ts, "vmlinux", name, kinds, &ref) < 0) {
		snprintf(a->reason, sizeof(a->reason), "BTF does not describe %s", name);
		return 0;
	}
	return ref.id;
}

bool cap_try_raw_tp(struct attempt *a)
{
	_cleanup_close_ int prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT });
	_cleanup_close_ int link = -1;

	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	link = bpfsys_raw_tracepoint_open(prog, SOME_TP);
	return link >= 0 || cap_refused(a, "attach to " SOME_TP, link);
}

/* Loads a BPF_PROG_TYPE_TRACING program at a BTF id and attaches it. */
static bool try_tracing(struct attempt *a, uint32_t id, uint32_t attach)
{
	_cleanup_close_ int prog = -1, link = -1;

	if (!id)
		return false;
	prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_TRACING, .expected_attach = attach, .btf_id = id });
	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	if (attach == BPF_TRACE_ITER)
		link = bpfsys_iter_link(prog, -1);
	else
		link = bpfsys_raw_tracepoint_open(prog, NULL);
	return link >= 0 || cap_refused(a, "attach", link);
}

bool cap_try_tp_btf(struct attempt *a)
{
	return try_tracing(a, btf_id(a, "btf_trace_" SOME_TP, TKM(TK_TYPEDEF)), BPF_TRACE_RAW_TP);
}

bool cap_try_fentry(struct attempt *a)
{
	return try_tracing(a, btf_id(a, SOME_FUNC, TKM(TK_FUNC)), BPF_TRACE_FENTRY);
}

bool cap_try_iter_task(struct attempt *a)
{
	return try_tracing(a, btf_id(a, "bpf_iter_task", TKM(TK_FUNC)), BPF_TRACE_ITER);
}

/* Its link needs a map. */
bool cap_try_iter_keys(struct attempt *a)
{
	struct cap_prog p = { .type = BPF_PROG_TYPE_TRACING, .expected_attach = BPF_TRACE_ITER };
	_cleanup_close_ int prog = -1;

	p.btf_id = btf_id(a, "bpf_iter_bpf_map_elem", TKM(TK_FUNC));
	if (!p.btf_id)
		return false;
	prog = cap_load(&p);
	return prog >= 0 || cap_refused_bpf(a, "load", prog);
}

bool cap_try_iter_user(struct attempt *a)
{
	struct cap_prog p = { .type = BPF_PROG_TYPE_TRACING,
			      .expected_attach = BPF_TRACE_ITER,
			      .flags = BPF_F_SLEEPABLE };
	int r;

	p.btf_id = btf_id(a, "bpf_iter_task", TKM(TK_FUNC));
	if (!p.btf_id)
		return false;
	r = cap_helper_in(&p, BPF_FUNC_copy_from_user_task);
	if (r < 0 && r != CAP_NO_HELPER)
		return cap_refused_bpf(a, "load", r);
	if (r < 0)
		snprintf(a->reason, sizeof(a->reason), "the kernel does not have bpf_copy_from_user_task (5.18)");
	return r == 0;
}

bool cap_try_test_run(struct attempt *a)
{
	_cleanup_close_ int prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT });
	int r;

	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	r = bpfsys_test_run(prog, -1, NULL);
	return r >= 0 || cap_refused(a, "BPF_PROG_TEST_RUN", r);
}

bool cap_try_perf_event(struct attempt *a)
{
	_cleanup_close_ int prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_PERF_EVENT });
	_cleanup_close_ int ev = cap_open_cpu_clock();

	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	if (ev < 0)
		return refused_perf(a, "perf_event_open of cpu-clock", ev);
	return ioctl(ev, PERF_EVENT_IOC_SET_BPF, prog) == 0 || cap_refused(a, "attach", -errno);
}

static int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool cap_try_pmu(struct attempt *a)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	_cleanup_close_ int fd = perf_open(&attr, 0, -1);

	if (fd == -ENOENT) {
		snprintf(a->reason, sizeof(a->reason), "this machine has no hardware counters (a virtual machine?)");
		return false;
	}
	return fd >= 0 || refused_perf(a, "perf_event_open of cycles", fd);
}

bool cap_try_watch(struct attempt *a)
{
	bool seen;
	int e = debugreg_watch(&seen);

	if (e < 0)
		return refused_perf(a, "perf_event_open of a breakpoint", e);
	if (!seen)
		snprintf(a->reason, sizeof(a->reason), "breakpoints do not fire: " DEBUGREG_SILENT);
	return seen;
}

/* Where one of our own functions is in our own file. */
static bool own_offset(const void *addr, uint64_t *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	unsigned long lo, hi, off, p = (unsigned long)(uintptr_t)addr;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) == 3 && p >= lo && p < hi) {
			*ret = p - lo + off;
			return true;
		}
	}
	return false;
}

bool cap_try_uprobe(struct attempt *a)
{
	int type = link_pmu_type("uprobe");
	_cleanup_close_ int prog = -1, fd = -1;
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	uint64_t off;

	if (type < 0) {
		snprintf(a->reason, sizeof(a->reason), "the kernel has no uprobe events");
		return false;
	}
	if (!own_offset((const void *)(uintptr_t)&cap_try_pmu, &off))
		return cap_refused(a, "/proc/self/maps", -ENOENT);
	attr.type = (uint32_t)type;
	attr.uprobe_path = BPFSYS_PTR("/proc/self/exe");
	attr.probe_offset = off;
	/* Only this process: the function is not called while the probe is there. */
	fd = perf_open(&attr, getpid(), -1);
	if (fd < 0)
		return refused_perf(a, "perf_event_open of a uprobe", fd);
	prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_KPROBE });
	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) < 0)
		return cap_refused(a, "attach", -errno);
	/* By it a program knows which of its probes fired. */
	if (cap_helper(BPF_PROG_TYPE_KPROBE, 0, BPF_FUNC_get_attach_cookie) == 0)
		return true;
	snprintf(a->reason, sizeof(a->reason), "needs bpf_get_attach_cookie (Linux 5.15)");
	return false;
}

/* union bpf_attr's link_create part for both kinds of multi-probes, which Debian's header lacks. */
struct link_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint32_t flags, cnt;
			uint64_t syms, addrs, cookies;
		} kprobe;
		struct {
			uint64_t path, offsets, ref_ctr_offsets, cookies;
			uint32_t cnt, flags, pid;
		} uprobe;
	};
};

static int load_multi(uint32_t attach)
{
	return cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_KPROBE, .expected_attach = attach });
}

bool cap_try_uprobe_multi(struct attempt *a)
{
	_cleanup_close_ int prog = load_multi(ATTACH_UPROBE_MULTI), link = -1;
	uint64_t off = 0;
	union bpf_attr attr;
	struct link_multi l = { .attach_type = ATTACH_UPROBE_MULTI };

	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	if (!own_offset((const void *)(uintptr_t)&cap_try_pmu, &off))
		return cap_refused(a, "/proc/self/maps", -ENOENT);
	l.prog_fd = (uint32_t)prog;
	l.uprobe.path = BPFSYS_PTR("/proc/self/exe");
	l.uprobe.offsets = BPFSYS_PTR(&off);
	l.uprobe.cnt = 1;
	l.uprobe.pid = (uint32_t)getpid();
	memset(&attr, 0, sizeof(attr));
	_Static_assert(sizeof(l) <= sizeof(attr), "fits into the kernel's structure");
	memcpy(&attr, &l, sizeof(l));
	link = bpfsys(BPF_LINK_CREATE, &attr, sizeof(attr));
	return link >= 0 || cap_refused(a, "attach", link);
}

bool cap_try_kprobe(struct attempt *a)
{
	int type = link_pmu_type("kprobe");
	_cleanup_close_ int prog = -1, fd = -1;
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };

	if (type < 0) {
		snprintf(a->reason, sizeof(a->reason), "the kernel has no kprobe events");
		return false;
	}
	attr.type = (uint32_t)type;
	attr.kprobe_func = BPFSYS_PTR(SOME_FUNC);
	fd = perf_open(&attr, -1, 0);
	if (fd < 0)
		return refused_perf(a, "perf_event_open of a kprobe", fd);
	prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_KPROBE });
	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) == 0 || cap_refused(a, "attach", -errno);
}

bool cap_try_kprobe_multi(struct attempt *a)
{
	static const char *const syms[] = { SOME_FUNC };
	_cleanup_close_ int prog = load_multi(ATTACH_KPROBE_MULTI), link = -1;
	struct link_multi l = { .attach_type = ATTACH_KPROBE_MULTI };
	union bpf_attr attr;

	if (prog < 0)
		return cap_refused_bpf(a, "load", prog);
	l.prog_fd = (uint32_t)prog;
	l.kprobe.syms = BPFSYS_PTR(syms);
	l.kprobe.cnt = 1;
	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, &l, sizeof(l));
	link = bpfsys(BPF_LINK_CREATE, &attr, sizeof(attr));
	return link >= 0 || cap_refused(a, "attach", link);
}

/* With the kernel's configuration where that is the cause. */
static bool explain(struct attempt *a, bool ok, const char *option, char *reason, size_t size)
{
	if (ok)
		return true;
	if (cap_config(option) == 'n')
		snprintf(reason, size, "kernel built without %s (%.*s)", option, CAPS_REASON_MAX - 64, a->reason);
	else
		snprintf(reason, size, "%s", a->reason);
	return false;
}

bool caps_try_fentry(struct typesrc *ts, char *reason, size_t size)
{
	struct attempt a = { .ts = ts };

	return explain(&a, cap_try_fentry(&a), "CONFIG_FUNCTION_TRACER", reason, size);
}

bool caps_try_timer(char *reason, size_t size)
{
	struct attempt a = { 0 };

	return explain(&a, cap_try_perf_event(&a), "CONFIG_PERF_EVENTS", reason, size);
}

bool caps_try_kprobe(char *reason, size_t size)
{
	struct attempt a = { 0 };

	return explain(&a, cap_try_kprobe(&a), "CONFIG_KPROBES", reason, size);
}

bool caps_try_kprobe_multi(char *reason, size_t size)
{
	struct attempt a = { 0 };

	return explain(&a, cap_try_kprobe_multi(&a), "CONFIG_FPROBE", reason, size);
}

bool caps_attach_cookie(void)
{
	return cap_helper(BPF_PROG_TYPE_KPROBE, 0, BPF_FUNC_get_attach_cookie) == 0;
}

bool caps_try_uprobe(char *reason, size_t size)
{
	struct attempt a = { 0 };

	return explain(&a, cap_try_uprobe(&a), "CONFIG_UPROBE_EVENTS", reason, size);
}

bool caps_try_uprobe_multi(char *reason, size_t size)
{
	struct attempt a = { 0 };

	return explain(&a, cap_try_uprobe_multi(&a), "CONFIG_UPROBE_EVENTS", reason, size);
}

bool caps_try_iter_user(struct typesrc *ts)
{
	struct attempt a = { .ts = ts };

	return cap_try_iter_user(&a);
}
