/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the quick part of struct caps: reads cheap facts, and tries one tiny program per helper. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"
#include "load/cpus.h"
#include "load/reasons.h"

#define PIDNS_INIT_INO 0xEFFFFFFCu /* Source: kernel include/linux/proc_ns.h, PROC_PID_INIT_INO */
#define KDEV_MINORBITS 20	   /* the kernel's own dev_t; Source: include/linux/kdev_t.h */
#define HELPER_LOG 4096
#define CPU_LINE 4096

static const struct bpf_insn return0[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

int cap_load(const struct cap_prog *p)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = p->type;
	a.expected_attach_type = p->expected_attach;
	a.prog_flags = p->flags;
	a.attach_btf_id = p->btf_id;
	a.insns = BPFSYS_PTR(p->insns ? p->insns : return0);
	a.insn_cnt = p->insns ? p->ninsns : ARRAY_SIZE(return0);
	a.license = BPFSYS_PTR("GPL");
	a.log_buf = BPFSYS_PTR(p->log);
	a.log_size = p->log_size;
	a.log_level = p->log ? 1 : 0;
	if (p->nfuncs) {
		a.prog_btf_fd = (uint32_t)p->btf_fd;
		a.func_info = BPFSYS_PTR(p->funcs);
		a.func_info_cnt = p->nfuncs;
		a.func_info_rec_size = sizeof(*p->funcs);
	}
	memcpy(a.prog_name, "dwell_caps", sizeof("dwell_caps"));
	return bpfsys(BPF_PROG_LOAD, &a, sizeof(a));
}

int cap_helper_in(const struct cap_prog *in, uint32_t func)
{
	/* The arguments are not set: a kernel that has the helper complains of them, others of it. */
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = (int)func },
		return0[0],
		return0[1],
	};
	char log[HELPER_LOG] = "";
	struct cap_prog p = *in;
	int fd;

	p.insns = insns;
	p.ninsns = ARRAY_SIZE(insns);
	p.log = log;
	p.log_size = sizeof(log);
	fd = cap_load(&p);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (!*log && fd != -EINVAL)
		return fd;
	/* Source: kernel/bpf/verifier.c, check_helper_call(): the words of old and new kernels. */
	return !*log || strstr(log, "unknown func") || strstr(log, "invalid func") ||
			       strstr(log, "cannot use helper") || strstr(log, "non-sleepable")
		       ? CAP_NO_HELPER
		       : 0;
}

int cap_helper(uint32_t prog_type, uint32_t flags, uint32_t func)
{
	return cap_helper_in(&(struct cap_prog){ .type = prog_type, .flags = flags }, func);
}

bool cap_atomics(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_1,
		  .off = -8,
		  .imm = BPF_ADD | BPF_FETCH },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_close_ int fd = cap_load(&(struct cap_prog){
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = insns, .ninsns = ARRAY_SIZE(insns) });

	return fd >= 0;
}

/* A small per-CPU hash that is not preallocated. */
static int make_hash(void)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_PERCPU_HASH;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(uint64_t);
	a.max_entries = 1;
	a.map_flags = BPF_F_NO_PREALLOC;
	return bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
}

bool caps_long_keys(void)
{
	_cleanup_close_ int fd = -1;
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_HASH;
	a.key_size = CAPS_OLD_MAX_KEY + 1;
	a.value_size = sizeof(uint64_t);
	a.max_entries = 1;
	fd = bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
	return fd != -E2BIG;
}

/* Older kernels refuse such maps to programs that may interrupt the allocator. */
bool cap_hash_alloc(void)
{
	_cleanup_close_ int prog = -1;
	_cleanup_close_ int map = make_hash();
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ .code = 0 },
		return0[0],
		return0[1],
	};

	if (map < 0)
		return false;
	prog = cap_load(
		&(struct cap_prog){ .type = BPF_PROG_TYPE_PERF_EVENT, .insns = insns, .ninsns = ARRAY_SIZE(insns) });
	return prog >= 0;
}

bool cap_percpu_batch(void)
{
	_cleanup_close_ int fd = make_hash();
	_cleanup_free_ uint64_t *values = NULL;
	uint32_t out, key, n = 1;
	int r;

	values = calloc(CPULIST_MAX, sizeof(*values));
	if (fd < 0 || !values)
		return false;
	r = bpfsys_map_take_batch(fd, NULL, &out, &key, values, &n);
	return r == 0 || r == -ENOENT; /* an empty map has no last batch */
}

bool cap_read_line(const char *path, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, (int)size, f))
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* How many values the kernel copies for a key of a per-CPU map: one of 8 bytes for each possible CPU. Without a map: 1.
 */
static unsigned count_values(void)
{
	_cleanup_free_ uint64_t *values = malloc(CPULIST_MAX * sizeof(*values));
	_cleanup_close_ int fd = -1;
	union bpf_attr a;
	uint32_t key = 0;
	unsigned n = 0;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
	a.key_size = sizeof(key);
	a.value_size = sizeof(*values);
	a.max_entries = 1;
	fd = values ? bpfsys(BPF_MAP_CREATE, &a, sizeof(a)) : -ENOMEM;
	if (fd < 0)
		return 1;
	memset(values, 0xff, CPULIST_MAX * sizeof(*values));
	if (bpfsys_map_lookup(fd, &key, values) < 0)
		return 1;
	while (n < CPULIST_MAX && !values[n])
		n++;
	return n ? n : 1;
}

static void read_cpus(struct caps *c)
{
	struct cpulist l = { 0 };
	char line[CPU_LINE];

	c->possible_cpus = c->online_cpus = c->nr_cpu_ids = 1;
	if (cap_read_line("/sys/devices/system/cpu/possible", line, sizeof(line)) && cpulist_parse(line, &l) == 0 &&
	    l.n) {
		c->possible_cpus = (unsigned)l.n;
		c->nr_cpu_ids = l.v[l.n - 1] + 1;
	} else { /* no /sys; with too small a guess the kernel would write beyond the buffers for per-CPU values */
		c->possible_cpus = c->nr_cpu_ids = count_values();
	}
	free(l.v);
	l = (struct cpulist){ 0 };
	if (cpulist_online(&l) == 0 && l.n)
		c->online_cpus = (unsigned)l.n;
	if (l.n)
		c->online_ids = l.v[l.n - 1] + 1;
	free(l.v);
}

static void read_memory(struct caps *c)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	c->memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void read_pidns(struct caps *c)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0)
		return;
	c->in_pidns = st.st_ino != PIDNS_INIT_INO;
	c->pidns_ino = st.st_ino;
	/* bpf_get_ns_current_pid_tgid compares with the kernel's encoding, not stat's. */
	c->pidns_dev = (uint64_t)major(st.st_dev) << KDEV_MINORBITS | minor(st.st_dev);
}

int cap_open_cpu_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000,
		.disabled = 1,
	};
	struct cpulist l = { 0 };
	int fd, cpu = 0;

	if (cpulist_online(&l) == 0 && l.n)
		cpu = (int)l.v[0];
	free(l.v);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

const char *cap_lockdown(void)
{
	static const char *const modes[] = { "none", "integrity", "confidentiality" };
	char line[128];

	/* The current one is in brackets: "none [integrity] confidentiality". */
	if (!cap_read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		const char *p = strstr(line, modes[i]);

		if (p && p > line && p[-1] == '[')
			return modes[i];
	}
	return NULL;
}

static const struct {
	uint32_t func;
	size_t field; /* offset of the bool in struct caps */
} helpers[] = {
	{ BPF_FUNC_ringbuf_reserve, offsetof(struct caps, ringbuf) },
	{ BPF_FUNC_get_current_task_btf, offsetof(struct caps, task_btf) },
	{ BPF_FUNC_task_storage_get, offsetof(struct caps, task_storage) },
	{ BPF_FUNC_strncmp, offsetof(struct caps, bpf_strncmp) },
	{ BPF_FUNC_get_task_stack, offsetof(struct caps, get_task_stack) },
	{ BPF_FUNC_task_pt_regs, offsetof(struct caps, task_pt_regs) },
	{ BPF_FUNC_find_vma, offsetof(struct caps, find_vma) },
};

static void probe_helpers(struct caps *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
		*(bool *)((char *)c + helpers[i].field) = cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
								     helpers[i].func) == 0;
}

bool caps_reads_kernel(void)
{
	return cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_probe_read_kernel) == 0;
}

int caps_programs(struct err *err)
{
	_cleanup_close_ int prog = cap_load(&(struct cap_prog){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT });
	struct reason words;

	if (prog == -EPERM || prog == -EACCES)
		return err_set(err, prog, "%s", reason_bpf(prog, &words));
	if (prog < 0)
		return err_set(err, prog,
			       "the kernel loads no BPF program (%s); it needs "
			       "CONFIG_BPF_SYSCALL=y and CONFIG_BPF_EVENTS=y",
			       strerror(-prog));
	return 0;
}

void caps_assume(struct caps *ret)
{
	struct caps c = { 0 };

	read_cpus(&c);
	read_memory(&c);
	read_pidns(&c);
	c.btf = c.tp_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
		*(bool *)((char *)&c + helpers[i].field) = true;
	c.test_run_raw_tp = c.iter_keys = c.bpf_loop = c.atomics = c.hash_alloc = c.batch_percpu_hash = true;
	c.probe_write_user = c.perf_event = true;
	*ret = c;
}

int caps_quick(struct caps *ret, struct err *err)
{
	struct caps c = { 0 };
	struct attempt loop = { 0 };
	_cleanup_close_ int clock = -1;
	const char *lockdown = cap_lockdown();
	int r;

	read_cpus(&c);
	read_memory(&c);
	read_pidns(&c);
	c.btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	r = caps_programs(err);
	if (r < 0)
		return r;
	c.tp_btf = c.btf;
	/* Raw tracepoints got test-run in 5.10; the loader finds out by doing it. */
	c.test_run_raw_tp = true;
	probe_helpers(&c);
	/* Where the helper is there it walks the keys on all machines; some forbid the iterator over the elements of a
	 * map. */
	c.iter_keys = cap_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_for_each_map_elem) < 0;
	c.bpf_loop = cap_try_loop_once(&loop, &c.bpf_loop_once);
	c.atomics = cap_atomics();
	c.hash_alloc = cap_hash_alloc();
	c.batch_percpu_hash = cap_percpu_batch();
	/* Not tried: old kernels write a warning to their log when a program asks for the helper. */
	c.probe_write_user = !lockdown || !strcmp(lockdown, "none");
	clock = cap_open_cpu_clock();
	c.perf_event = clock >= 0;
	*ret = c;
	return 0;
}
