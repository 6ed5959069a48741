/* SPDX-License-Identifier: Apache-2.0 */
/* Fills struct caps by trying facilities on the running kernel. Never looks at version numbers. */
#ifndef DWELL_LOAD_PROBE_CAPS_H
#define DWELL_LOAD_PROBE_CAPS_H
#include "base/arena.h"
#include "base/err.h"
#include "types/caps.h"
#include "types/typesrc.h"

#define CAPS_REASON_MAX 512
#define CAPS_OLD_MAX_KEY 512 /* bytes of a key of a hash map before 5.11 (c6bde958a62b) */

/* Tries what code generation and loading need, in under 2 ms: CPUs, pid namespace, helpers, atomics, ring buffer,
 * cpu-clock. tp_btf is taken to follow from BTF here (proven by caps_full()). The fields that cost more stay false:
 * uprobe*, kprobe*, fentry, iter_*, tracefs, sched_exit_tp. -EPERM and the like with a reason when the kernel loads no
 * program for us at all. */
int caps_quick(struct caps *ret, struct err *err);
/* For callers that load nothing (-l, -e) and may try nothing: CPUs, pid namespace and types as they are, all else as if
 * it were there. */
void caps_assume(struct caps *ret);
/* Tries what programs with loops need in addition: may_goto. */
void caps_loops(struct caps *c);
/* Keys of hash maps may be longer than CAPS_OLD_MAX_KEY. */
bool caps_long_keys(void);
/* Everything, by loading and attaching; tens of milliseconds. ts may be NULL. */
int caps_full(struct typesrc *ts, struct caps *ret, struct err *err);

/* One line of `dwell features`. */
struct caps_row {
	const char *group; /* "programs", "maps", … ; rows of a group are together */
	const char *feature;
	bool available;
	const char *reason;  /* why not, or a remark; "" */
	const char *instead; /* what would work, or what is missing then; "" when available */
};
/* Tries everything; texts live in the arena. Works without privileges too: then most say why not. */
int caps_report(struct typesrc *ts, struct arena *a, struct caps_row **ret, size_t *ret_n);

/* Single attempts, to explain a refusal: true, or false with the reason. ts may be NULL. */
bool caps_try_fentry(struct typesrc *ts, char *reason, size_t size);
/* Programs that walk threads may read their memory (bpf_copy_from_user_task). */
bool caps_try_iter_user(struct typesrc *ts);
/* The user may load BPF programs. 0, or -errno with what is missing. */
int caps_programs(struct err *err);
/* Programs may read the kernel's memory: not under lockdown=confidentiality. */
bool caps_reads_kernel(void);
/* Timer samples of a CPU. */
bool caps_try_timer(char *reason, size_t size);
bool caps_try_kprobe(char *reason, size_t size);
/* Many functions with one call. */
bool caps_try_kprobe_multi(char *reason, size_t size);
/* A program of a kprobe or uprobe learns which of its places it is at (bpf_get_attach_cookie, 5.15). */
bool caps_attach_cookie(void);
bool caps_try_uprobe(char *reason, size_t size);
bool caps_try_uprobe_multi(char *reason, size_t size);
#endif
