/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that run.c (a D program over the calls of a trace), rerun.c (over a replay) and stack.c share. */
#ifndef DWELL_RETRO_RETRO_INT_H
#define DWELL_RETRO_RETRO_INT_H
#include "base/unwindfmt.h"
#include "engine/front/compile.h"
#include "engine/record/record.h"
#include "replay/trace/calls.h"
#include "replay/watch.h"
#include "retro/retro.h"
#include "retro/vm.h"
#include "run/consume/decode.h"
#include "run/consume/spec.h"
#include "view/text/text.h"

/* Words of the kernel's struct pt_regs, as PTRACE_GETREGSET has it. */
enum { REG_R10 = 7, REG_R9, REG_R8, REG_DX = 12, REG_SI, REG_DI, REG_NR, REG_IP, REG_SP = 19, REGS = 21 };

/* The context of a program, in the machine's memory. */
struct context {
	uint64_t args[2]; /* struct pt_regs *, number or result */
	uint64_t regs[REGS];
};
struct thread {
	uint32_t task, tgid;
	uint64_t mark; /* in the machine's memory: struct vm_now */
};
/* A process of the recording, and where it lives in this replay. */
struct live {
	uint32_t tgid;
	pid_t pid;
};
/* A place of a probe in a file. */
struct place {
	struct probe_place at;
	uint32_t prog, tgid; /* index of the program; as recorded, 0: of any process */
	uint64_t cookie;
};
/* A function with a probe of its return runs. */
struct frame {
	uint32_t task;
	uint64_t sp, ret; /* when it has returned */
	size_t place;
};
struct stacks;
struct rerun {
	struct retro *r;
	struct replay *now; /* while it runs */
	VEC(struct live) live;
	VEC(struct place) places; /* by file and offset */
	VEC(struct frame) frames;
	struct stacks *stacks;
	const struct user_regs_struct *regs; /* at a breakpoint */
	uint64_t ran_at, last;		     /* of watch_ran_ns() at the last stamp; the last time that was told */
	uint64_t fired, hidden, sampled;
	uint64_t sample_ns; /* of profile-n, the shortest; 0: nobody wants samples */
	int (*arrived)(struct rerun *n, struct replay *p);
	int (*compile)(struct retro *r);
	bool compiled;
	int code; /* what it returned */
};
/* The maps of the stack walk in the interpreter, and the process that they hold. */
struct jframes {
	struct uw_area *areas; /* NULL: no program does */
	uint64_t *tables;
	uint32_t nareas, ntables;
	unsigned wanted; /* a bit for each of enum runtime */
	uint32_t tgid;
	bool again; /* the runtime was only just beginning */
};
struct retro {
	struct request *c;
	FILE *out; /* where text goes */
	struct compile_session w;
	struct calls *calls;
	struct vm *vm;
	struct context *context;
	struct recording *rec;
	struct rec_schema *schema;
	struct decoder decoder;
	struct text_view *view;
	VEC(struct thread) threads;
	uint32_t parent_at, tgid_at;  /* in struct task_struct; 0: not known */
	uint32_t leader_at, start_at; /* the same */
	uint32_t pid_at, numbers_at;  /* the same, and in struct pid */
	uint64_t *ticks;	      /* by program: when it fires next; UINT64_MAX: it is no timer */
	uint64_t *samples;	      /* the same of profile-n, by how long tasks have run */
	struct vm_now self;
	struct specs *specs; /* NULL: no speculations */
	uint64_t *merged;    /* a value of an aggregation */
	uint32_t agg;	     /* being read: index of its map */
	uint64_t unread;     /* reads of memory that is not known */
	bool shown;	     /* aggregations are up to date in this firing */
	bool exits;
	uint32_t target; /* $target: the command's process */
	bool reruns;	 /* the program runs again */
	struct rerun again;
	struct jframes jframes;
	struct prov_processes past;
	struct recorder *recorder; /* NULL: no --record */
	struct why why;
	struct sym *names;	 /* of the replayed processes */
	struct sym *shown_names; /* of what rows have, by those */
	struct err err;
};

/* run.c: a probe of a function fires in the thread of the calls' last event. 0, WALK_END
 * when exit() was called, or -errno. */
int retro_fire_place(struct retro *r, uint32_t prog, uint64_t cookie, const struct user_regs_struct *regs, uint64_t ns);

/* The same for profile-n, when tasks have run for ran ns. */
int retro_fire_sample(struct retro *r, const struct user_regs_struct *regs, uint64_t ns, uint64_t ran);

/* rerun.c. Runs the program up to the end of the command's process, and compiles there: 0 or what compile() returned.
 */
int rerun_compile(struct rerun *n, FILE *f, int (*compile)(struct retro *r));
int rerun_places(struct rerun *n); /* of the image's probes. 0 or -errno */
int rerun_go(struct rerun *n, FILE *f, calls_fn *fn);
void rerun_done(struct rerun *n);
/* For struct prov_processes; ctx: a struct rerun. */
int rerun_host(void *ctx, int pid);
pid_t rerun_leader(struct rerun *n); /* of the process that runs */
int rerun_each(void *ctx, size_t i);
size_t rerun_read(struct rerun *n, uint64_t addr, void *buf, size_t len); /* the running task's memory */
size_t rerun_stack(struct rerun *n, uint64_t *frames, size_t max);
bool rerun_registers(struct rerun *n, struct user_regs_struct *ret); /* where the running task is */

/* jframes.c: frames of language runtimes. */
bool jframes_asked(const struct unit *u);
void jframes_open(struct retro *r);
void jframes_see(struct retro *r); /* before a program fires in a task of the program */
/* Names of a record's frames, and of a new key's, are read while the process stands there. */
void jframes_record(struct retro *r, const void *data, uint32_t len);
void jframes_key(void *ctx, uint32_t map, const void *key);

/* stack.c: user stacks by unwinding tables. NULL: no memory. */
struct stacks *stacks_new(struct sym *sym);
void stacks_free(struct stacks *s); /* takes NULL */
void stacks_changed(struct stacks *s, uint32_t pid);
/* Tables go there, too: n elements. */
void stacks_tables_to(struct stacks *s, uint64_t *tables, uint32_t n);
/* The process's areas; true: they are not those of the last time. */
bool stacks_see(struct stacks *s, uint32_t pid, const struct uw_area **ret, size_t *ret_n);
/* pid: the process that had these mappings; sps: the stack pointer of each frame, or NULL. */
size_t stacks_walk(struct stacks *s, struct replay *p, pid_t pid, const struct user_regs_struct *regs, uint64_t *frames,
		   uint64_t *sps, size_t max);
#endif
