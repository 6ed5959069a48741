/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the providers share: matching of names, the table of tracepoints, the registry's caches. Private
 * to src/prov. */
#ifndef DWELL_PROV_INT_H
#define DWELL_PROV_INT_H
#include "prov/provider.h"

/* Ranges of probe ids. Ids stay below a million, so that DTrace's columns hold. */
enum {
	PROV_ID_DTRACE = 1,
	PROV_N_DTRACE = 3,
	PROV_ID_SCHED = 4,
	PROV_N_SCHED = 96,
	PROV_ID_PROC = 3000,
	PROV_N_PROC = 100,
	PROV_ID_IO = 3100,
	PROV_N_IO = 100,
	PROV_ID_LOCKSTAT = 3200,
	PROV_N_LOCKSTAT = 100,
	PROV_ID_VMINFO = 3300,
	PROV_N_VMINFO = 100,
	PROV_ID_SYSINFO = 3400,
	PROV_N_SYSINFO = 200,
	PROV_ID_SIGNAL = 3600,
	PROV_N_SIGNAL = 100,
	PROV_ID_FSINFO = 3700,
	PROV_N_FSINFO = 300,
	PROV_ID_TCP = 4000,
	PROV_N_TCP = 100,
	PROV_ID_UDP = 4100,
	PROV_N_UDP = 100,
	PROV_ID_IP = 4200,
	PROV_N_IP = 100,
	PROV_ID_WP = 4300,
	PROV_ID_CPC = 4400,
	PROV_N_CPC = 500,
	PROV_ID_ITER = 10000,
	PROV_N_ITER = 18000,
	PROV_ID_SYSCALL = 100,
	PROV_N_SYSCALL = 2 * ENTRY_MAX_SELECTOR,
	PROV_ID_SDT = 30000,
	PROV_N_SDT = 35000,
	PROV_ID_RAWTP = 65000,
	PROV_N_RAWTP = 35000,
	PROV_ID_PROFILE = 100000,
	PROV_N_PROFILE = 800000,
	PROV_ID_FBT = 900000, /* two of each function: the first 45,000 … */
	PROV_N_FBT = 90000,
	/* Ids of processes' probes, given out in order of appearance. Only those of many are longer than the column. */
	PROV_ID_PID = 990000,
	PROV_N_PID = 16000000,	     /* pid and USDT together */
	PROV_ID_FBT_MORE = 18000000, /* … and the others */
	PROV_ID_RAWFBT = 19000000,
	PROV_N_RAWFBT = 1000000,
	PROV_ID_FBT_LATER = PROV_ID_RAWFBT + PROV_N_RAWFBT, /* stand for functions of modules to come */
	/* Places in the kernel's code: the lower bits of their addresses. */
	PROV_N_INSTR = 0x7fffffff,
};

extern const struct provider prov_dtrace, prov_sched, prov_syscall, prov_sdt, prov_rawtp, prov_profile, prov_proc,
	prov_pid, prov_wp, prov_wpuser, prov_cpc, prov_usdt, prov_iter, prov_io, prov_lockstat, prov_vminfo,
	prov_sysinfo, prov_signal, prov_fsinfo, prov_tcp, prov_udp, prov_ip, prov_fbt, prov_fbt_more, prov_rawfbt,
	prov_instr, prov_kinst, prov_java;

#define PROV_ID_INSTR 0x80000000u

struct tptab;
struct tp_found;
struct timer;
struct wpoint;
struct cpc_point;
struct kfuncs;
struct fbt_state;
struct fbt_later;
struct instr_state;
struct jvms;
struct jahead;

/* Data that providers keep for the session; in the registry's arena. */
struct prov_cache {
	struct arena *arena;
	struct tptab *tps;	    /* prov/common/tptab.c: all, once they were asked for */
	struct tp_found *found;	    /* prov/common/tptab.c: single ones */
	struct timer *timers;	    /* prov/kernel/timer.c */
	struct wpoint *wpoints;	    /* prov/user/wp.c */
	struct cpc_point *cpc;	    /* prov/kernel/cpc.c */
	const char *no_types;	    /* prov_no_types() */
	struct kfuncs *kfuncs;	    /* prov/kernel/kfuncs.c */
	struct fbt_state *fbt;	    /* prov/kernel/fbt.c */
	struct fbt_later *fbtlater; /* prov/kernel/fbtlater.c */
	struct instr_state *instr;  /* prov/kernel/instr.c */
	struct jvms *jvms;	    /* prov/user/java.c: those with an agent */
	struct jahead *ahead;	    /* … classes that the target shall load before it begins */
	struct jvms *java_born;	    /* … the one that began and is being looked at */
	int java_events;	    /* … an epoll of their connections; 0: none yet */
	struct prov_procs *procs;   /* prov/user/uproc.c: the processes that were asked for, and their probes */
};

/* All four names against a description. */
bool prov_match_names(const struct pdesc *d, const char *prov, const char *mod, const char *func, const char *name);
void prov_list_add(struct arena *a, struct probe_list *l, struct probe *p);
/* Brings the probes from `first` on into the order of their ids. */
void prov_list_sort(struct probe_list *l, size_t first);
/* tracefs, opened on first use; -1 when it cannot be had. Stays owned by env. */
int prov_tracefs(struct prov_env *env);
/* Why env->ts is NULL, in words. */
const char *prov_no_types(struct prov_env *env);

/* ---- prov/common/tptab.c: every tracepoint of the kernel ---- */
struct tp {
	const char *name;  /* "sched_switch" */
	const char *group; /* "sched"; of bare tracepoints "vmlinux" or the module */
	struct tref ref;   /* typedef btf_trace_… */
	uint32_t slot;	   /* place in the id range of sdt and rawtp */
};

/* Calls fn for the tracepoints that match; in slot order. Reads modules only when needed. */
int tptab_match(struct prov_env *env, const struct pdesc *d, void (*fn)(void *arg, const struct tp *tp), void *arg,
		const char **reason);
const struct tp *tptab_by_slot(struct prov_env *env, uint32_t slot);
/* The typedef of a tracepoint built into the kernel, without making the table. -ENOENT. */
int tptab_find_builtin(struct prov_env *env, const char *name, struct tref *ret);
/* The same, in the kernel's loaded modules too. */
int tptab_find(struct prov_env *env, const char *name, struct tref *ret);
/* Types of the arguments (without the private first one), as the newest kernels have them: where this one's differ,
 * those are in p->raw. */
int tptab_args(struct prov_env *env, struct arena *a, const struct tp *tp, struct probe *p);
/* Where they are: ctx, narrowed to the argument's type. */
int tptab_arg_locs(struct prov_env *env, struct tref ref, struct entry *e);
/* prov/common/tpform.c: p->args, which are this kernel's, become those of newer ones, and p->raw what they were. */
void tpform_args(struct arena *a, const struct tp *tp, struct probe *p);
/* Slots: tracepoints of vmlinux by their order in BTF, those of modules by a hash of the name. */
#define TPTAB_MAX_BUILTIN 10000
#define TPTAB_MAX_SLOTS 35000

/* ---- prov/common/regargs.c: where arguments of functions are ---- */
#define UREGS_NARGS 24 /* arg0 … arg9, and words of the stack that only args[] reaches */
/* Places of the arguments of a function at its entry, and of its value where it returns. */
void uregs_entry(uint16_t machine, struct entry *e);
void uregs_return(uint16_t machine, struct entry *e);

/* ---- prov/common/sysargs.c: argument types of system calls ---- */
/* Fills p->args for `func` entry. Leaves them alone (-ENOENT) when neither tracefs nor BTF knows. */
int sysargs_entry(struct prov_env *env, struct arena *a, const char *func, struct probe *p);
/* Reads the fields after __syscall_nr of a tracefs format. Number of fields, at most max. */
unsigned sysargs_parse(struct arena *a, char *text, struct probe_arg *args, unsigned max);
#endif
