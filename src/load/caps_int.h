/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the attempts by which caps*.c find the kernel's capabilities. Private to src/load. */
#ifndef DWELL_LOAD_CAPS_INT_H
#define DWELL_LOAD_CAPS_INT_H
#include <linux/bpf.h>
#include "load/probe_caps.h"

/* The input and the result of an attempt. */
struct attempt {
	struct typesrc *ts;	      /* may be NULL */
	char reason[CAPS_REASON_MAX]; /* why not, or a remark */
};

/* A tiny program. */
struct cap_prog {
	uint32_t type, expected_attach, flags, btf_id;
	const struct bpf_insn *insns; /* NULL: return 0 */
	uint32_t ninsns;
	char *log; /* verifier log, or NULL */
	uint32_t log_size;
	int btf_fd; /* with funcs */
	const struct bpf_func_info *funcs;
	uint32_t nfuncs;
};

/* fd, or -errno. */
int cap_load(const struct cap_prog *p);
#define CAP_NO_HELPER (-EDOM) /* bpf(2) does not give this */
/* Does the verifier let a program of this type call the helper, with some arguments? 0: yes; CAP_NO_HELPER: no; or
 * -errno: it let us load nothing. */
int cap_helper(uint32_t prog_type, uint32_t flags, uint32_t func);
/* The same with what else a program of this kind needs: its instructions and log are not looked at. */
int cap_helper_in(const struct cap_prog *in, uint32_t func);
bool cap_atomics(void);
bool cap_percpu_batch(void);
bool cap_hash_alloc(void);
/* fd of a disabled cpu-clock event on a CPU that is online; -errno. */
int cap_open_cpu_clock(void);
/* "none", "integrity", "confidentiality"; NULL when it cannot be told. */
const char *cap_lockdown(void);
/* First line of a file into buf. */
bool cap_read_line(const char *path, char *buf, size_t size);
/* 'y', 'm', 'n' (not set) of the kernel's configuration; 0: unknown. */
char cap_config(const char *option);

/* caps_loop.c */
bool cap_try_loop(struct attempt *a);
/* ret_once: the verifier walks the callback once (caps.bpf_loop_once). */
bool cap_try_loop_once(struct attempt *a, bool *ret_once);

/* The reason is "what: error", or of bpf(2) what this user lacks. False. */
bool cap_refused_bpf(struct attempt *a, const char *what, int err);

/* caps_attach.c: attempts that load and attach. */
bool cap_try_raw_tp(struct attempt *a);
bool cap_try_tp_btf(struct attempt *a);
bool cap_try_test_run(struct attempt *a);
bool cap_try_perf_event(struct attempt *a);
bool cap_try_pmu(struct attempt *a);
bool cap_try_watch(struct attempt *a);
bool cap_try_uprobe(struct attempt *a);
bool cap_try_uprobe_multi(struct attempt *a);
bool cap_try_kprobe(struct attempt *a);
bool cap_try_kprobe_multi(struct attempt *a);
bool cap_try_fentry(struct attempt *a);
bool cap_try_iter_task(struct attempt *a);
bool cap_try_iter_keys(struct attempt *a);
/* Its programs may read the memory of the threads that they walk. */
bool cap_try_iter_user(struct attempt *a);
/* Writes "what: error" and returns false. */
bool cap_refused(struct attempt *a, const char *what, int err);
#endif
