/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code for built-in variables about the thread of a firing: time, numbers, names. Also for programs that walk all
 * threads. */
#ifndef DWELL_CG_GEN_TASK_H
#define DWELL_CG_GEN_TASK_H
#include "cg/gen/gen.h"

vreg gen_ts(struct gen *g);
vreg gen_task(struct gen *g); /* that the built-in variables are about */
vreg gen_curthread(struct gen *g, struct tref *btf);
vreg gen_pid_tgid(struct gen *g);			       /* pid.c: as bpf_get_current_pid_tgid() */
vreg gen_task_field(struct gen *g, const char *path);	       /* "group_leader->tgid" */
vreg gen_field_of(struct gen *g, vreg task, const char *path); /* … of a task by a typed pointer */
vreg gen_pid(struct gen *g);				       /* pid.c: as dwell's pid namespace numbers them */
vreg gen_pid_of(struct gen *g, vreg task, bool tid);
vreg gen_ppid(struct gen *g);
vreg gen_cached_call(struct gen *g, enum cache_id id, int helper);
vreg gen_tid(struct gen *g);
vreg gen_cgroup(struct gen *g); /* id */
vreg gen_cpu(struct gen *g);
vreg gen_progenyof(struct gen *g, vreg pid);
vreg gen_wall(struct gen *g); /* walltimestamp */
void gen_comm_to(struct gen *g, struct mem dst);
vreg gen_vtimestamp(struct gen *g);  /* vtime.c */
vreg gen_sched_clock(struct gen *g); /* … ns, never ahead of it */

/* Does the program fire for threads other than the current one? */
bool gen_walks(const struct gen *g);
void gen_walk_start(struct gen *g); /* leaves when there is no thread */
vreg gen_walked(struct gen *g);	    /* the thread, never NULL */
vreg gen_walked_cpu(struct gen *g); /* that it is or was on */
void gen_walked_comm(struct gen *g, vreg dst, vreg n);
/* Can programs of this kind find a thread by its number? (bpf_task_from_pid, Linux 6.2) */
bool gen_finds_tasks(struct gen *g);
/* The thread's user stack, at most n frames of it, into the program's scratch entry of IMG_MAP_UW_SCRATCH:
 * what the walk returns (cg/rt/unwind.h). */
vreg gen_walked_ustack(struct gen *g, uint32_t n, struct irfn *walk, vreg start);
/* *r: 0 or more when n bytes at addr are in dst, else negative. User memory is that of the thread. */
void gen_read(struct gen *g, vreg r, vreg dst, vreg n, vreg addr, bool user);
/* The same for text that ends with a NUL in user memory: n bytes, at most cap. */
void gen_read_text(struct gen *g, vreg r, vreg dst, vreg n, uint32_t cap, vreg addr);

/* The thread-locals of the current task: NULL when it has none; made if need be, or a jump to skip (counted). */
vreg gen_tls_read(struct gen *g);
vreg gen_tls_write(struct gen *g, irlabel skip);
/* The thread-local variables of a task given by a typed pointer; word: which word of the context that is, or -1. */
vreg gen_task_tls(struct gen *g, vreg task, int word, bool create, irlabel skip);
#endif
