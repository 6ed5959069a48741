/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the lowering (the files of cg/lower): a typed D program becomes an image.
 *
 * One struct cg per compilation. Probes with equal entries form a group; a group's clauses ("units") become
 * one or more BPF programs (struct gen holds what is known while the instructions of one function of a
 * program are made). Temporaries live in virtual registers, stack slots and the program's scratch entry. */
#ifndef DWELL_CG_INT_H
#define DWELL_CG_INT_H
#include <string.h>
#include "base/cleanup.h"
#include "base/diag.h"
#include "cg/entry.h"
#include "cg/image.h"
#include "cg/ir/ir.h"
#include "cg/rt/rt.h"
#include "base/rtfmt.h"
#include "base/trackfmt.h"
#include "lang/dprog.h"
#include "lang/later.h"
#include "types/caps.h"

#define CG_MAX_SCRATCH 32768 /* bytes per program and CPU: the kernel's limit of a per-CPU value */
#define CG_LONG_STRINGS 4097 /* longer ones: scratch memory is in an array by program and CPU, and has as much as */
#define CG_MAX_LONG_SCRATCH (1u << 20)
#define CG_MAX_STATE (16u << 20) /* bytes of global variables */
#define CG_MAX_CPU_VARS \
	1024 /* bytes of each CPU's elements of arrays that are only indexed by cpu; the rest are ordinary arrays */
#define CG_CACHE_LINE 64
#define CG_TLS_KEY 16	 /* without task storage: thread and start time */
#define CG_MAX_TLS 16384 /* bytes of thread-local variables: task storage values are kmalloc'ed */
#define CG_MAX_LONG_TLS \
	65280		     /* with long strings; the kernel has 16 bits for it. Source: linux/bpf_local_storage.h \
			      */
#define CG_MAX_STACK_KEY 64  /* larger keys are built in scratch memory */
#define CG_MAX_SLOTS 160     /* bytes of slots before keys go to scratch memory */
#define CG_MAX_STACK_VARS 8  /* this-> scalars on the stack; further ones live in scratch */
#define CG_MAX_SEL_CHAIN 4   /* more selector values than this are tested with a bitmap */
#define CG_WHOLE_UNITS 64    /* clauses that make a single program for sure */
#define CG_SPLIT_INSNS 24000 /* IR instructions after which clauses go to a further program */
#define CG_STUBS_EVERY \
	8000 /* IR instructions (up to three of BPF each) before faults and losses get their code: jumps \
	      * there and back reach 32767 */
#define CG_MAX_INLINE_COPY 128	      /* bytes copied or zeroed with plain instructions */
#define CG_MAX_MAP_ENTRIES (1u << 18) /* of one hash: its bucket table costs 16 bytes per entry */
/* Larger values of aggregations are not per-CPU ones: memory for those is given to programs from the few
 * pages that the per-CPU allocator holds ready (at most 4), so that a burst of new keys would be lost;
 * and each key would cost a value for every possible CPU. Source: mm/percpu.c, PCPU_EMPTY_POP_PAGES_HIGH. */
#define CG_MAX_PERCPU_VALUE 64
#define CG_MAX_AGG_ENTRIES (1u << 20) /* of a hash with an entry per key and CPU */
#define CG_FULL_MAPS \
	32 /* keyed aggregations, or arrays, that each get all of aggsize or dynvarsize; more share as much as those \
	      have */
#define CG_ENTRY_OVERHEAD 64 /* kernel bytes per hash element beside key and value */
#define CG_FREE_ENTRIES 64   /* of an array, for which that is not counted: small ones have as many as in DTrace */
#define CG_UNWIND_MAPS 6
#define CG_UNWIND_FILES 4096  /* with tables */
#define CG_UNWIND_AREAS 65536 /* executable mappings of all processes whose stacks are taken */
#define CG_UNWIND_PROCS 8192  /* such processes at a time */
#define CG_UNWIND_WANT 4096   /* new ones between two looks of user space; then they are asked for again */
#define CG_MAX_DUE 8192	      /* keys of a tracker whose timeout waits to be fired */
#define CG_TASK_ARGS 4	      /* words of a context that may be tasks whose storage is looked up once */
#define BTF_MAX_CHAIN 32      /* modifiers and typedefs followed in BTF */

#define TAG_LIMIT "D_LIMIT"	/* a named limit of the code generator */
#define TAG_UNKNOWN "D_UNKNOWN" /* DTrace's tag for errors of its libraries */
#define TAG_NOSUPP "D_NOTSUPP"	/* what the kernel or this version cannot do */

/* -- layouts (layout.c) -- */

struct lay_field {
	struct recfield f;
	const struct node *n;
};
struct lay_act {
	const struct stmt *stmt;
	struct lay_field *fields;
	size_t nfields;
};
/* Of one clause instance or segment: what it writes, by action. */
struct lay_clause {
	struct recfmt *fmt;
	struct lay_act *acts;
	size_t nacts;
	struct lay_seg *segs; /* of clauses with control flow, which have no record as a whole */
	size_t nsegs;
	bool speculates; /* has segments: speculate() is called in one of them */
};
/* A run of statements with data actions, see flow.c. */
struct lay_seg {
	const struct stmt *first, *last;
	struct lay_clause lay;
	bool held; /* its first action is the speculation of an earlier segment, or 0 */
};
struct lay_key {
	struct recfield *fields;
	size_t nfields;
	uint32_t size;	/* multiple of 8 */
	uint32_t extra; /* bytes after the key that the caller fills */
};
struct lay_var {
	uint32_t off;  /* in state, TLS struct, or scratch (this-> that do not fit the stack) */
	uint32_t size; /* of the storage: strings have a flag byte after the text */
	int map;       /* associative arrays; -1: not made yet */
	struct lay_key key;
	bool on_stack; /* this-> scalars */
	bool by_cpu;   /* an associative array's scalar elements are in the state map, at off of each CPU's part */
};
struct lay_agg {
	struct aggdesc *desc;
	struct lay_key key;
	int map[2];	   /* -1: not made yet */
	bool by_cpu;	   /* no key, and too large for a per-CPU value: an array by CPU */
	unsigned nwriters; /* groups that add to it */
	bool nested;	   /* … and they may interrupt each other on one CPU */
};
/* Of a tracker: what it keeps of an open event (offsets from its start stamp, which is first; 0: not kept). */
struct lay_track {
	struct lay_key key; /* TRACK_KEYED */
	int map;	    /* TRACK_KEYED: of the open events */
	int hist;	    /* histograms and counts */
	uint32_t off;	    /* others: in the TLS struct */
	uint32_t size;
	uint32_t ids, cpu, cgroup, comm;
	uint32_t timed;	     /* the start stamp for which the timeout has fired */
	int cgroups;	     /* map of thresholds */
	bool lists;	     /* TRACK_KEYED: what is due is listed for a walk over the threads */
	bool ignores_opener; /* keyed timeouts: no clause asks for anything of the thread that opened the key */
	int due;	     /* keyed timeouts: map of the keys that are due */
	uint32_t scan;	     /* keyed timeouts: its number in image.scans, from 1 on; 0: it is not scanned */
	uint32_t state;	     /* in the state map: struct tracker_settings */
	unsigned nwriters;   /* programs that may close its events, one within the other */
};

/* -- grouping (cg.c) -- */

struct cg_point { /* a probe and how it is entered */
	const struct probe *probe;
	struct entry e;
};
/* A clause instance with those of its probes that can share code: equal places of arguments and
 * different selectors. */
struct cg_unit {
	const struct clause_instance *ds;
	struct cg_point **pts;
	size_t npts, cap;
	uint64_t *selmap;    /* bit per selector value; NULL without selectors */
	uint64_t *compatmap; /* the same for 32-bit callers; NULL: none are told apart */
};
struct cg_group {
	struct cg_unit *units;
	size_t nunits, cap;
	bool shares_this; /* clauses of it use the same this-> variable */
	bool by_cookie;	  /* entry_by_cookie(): all units have the same points, in id order */
	bool busy;	  /* its programs may interrupt themselves: gen_busy_begin() */
	bool task_only;	  /* never interrupts another program on its CPU */
	bool in_switch;	  /* of the scheduler's switch: no two such programs at a time on a CPU */
};

struct cg {
	struct arena *a;
	const struct dprog *p;
	const struct cg_env *env;
	const struct caps *caps;
	const struct dopts *opts;
	struct diags *d;
	struct image *img;
	struct img_map *maps;
	size_t nmaps, maps_cap;
	struct img_prog *progs;
	size_t nprogs, progs_cap;
	int m_rings, m_counters, m_state, m_rodata, m_scratch, m_tls, m_specs, m_specfree, m_chill, m_flight;
	int m_unwind;		  /* the first of its maps */
	int m_runtimes[RUNTIMES]; /* by enum runtime */
	uint32_t nlater;	  /* image.nlater */
	uint32_t nunwind;	  /* programs that walk user stacks */
	uint8_t *ro;		  /* bytes of rodata */
	size_t ro_n, ro_cap;
	uint32_t ro_zero, ro_zero_len;
	struct ro_str *ro_strs;	      /* uthash */
	struct point_ent *points;     /* uthash */
	struct group_ent *group_ents; /* uthash */
	struct cg_group *groups;
	size_t ngroups, groups_cap;
	struct cg_unit *error_units;
	size_t nerror_units, error_cap;
	struct lay_clause *clauses; /* by epid - 1 */
	struct lay_var *vars;
	struct lay_agg *aggs;
	struct lay_track *tracks;
	struct type_memo *type_memos; /* lay_type.c */
	bool warned_ustack;	      /* that user stacks of other threads are not to be had */
	uint32_t state_size, tls_size, this_size;
	uint32_t cpu_off, cpu_size; /* in the state map: each CPU's elements, a power of two of bytes apart */
	uint32_t busy_off;	    /* in scratch: gen_busy_begin() */
	uint32_t scratch_max;
	bool long_strings; /* CG_LONG_STRINGS: scratch is not per-CPU memory */
	bool by_shape;	   /* second try: aggregations and arrays are found in maps of maps */
	bool whole;	   /* the clauses of this group are not to be split: they share this-> variables */
	bool saw_max_maps; /* more maps than a program may use: a second try can do */
	bool asked_tasks;
	uint32_t task_from_pid, task_release; /* functions of the kernel: gen_finds_tasks() */
	const char **flights;		      /* FLIGHT_MAX_KINDS of them; NULL: flight() was not called yet */
	size_t fmts_cap;
};

/* -- one function of a program -- */

/* Values that are computed once and reused where their computation dominates: vregs or VREG_NONE. */
enum cache_id {
	CA_TS,	    /* bpf_ktime_get_ns() at this firing */
	CA_PIDTGID, /* bpf_get_current_pid_tgid() */
	CA_NSPID,
	CA_NSTID, /* as seen in dwell's pid namespace */
	CA_UIDGID,
	CA_USTACK, /* ENTRY_ITER_TASK: what the walk of the user stack returned */
	CA_PSTART, /* start of the process */
	CA_TASK,   /* typed pointer to the current task */
	CA_CPU,
	CA_SCRATCH,			   /* pointer to the scratch entry */
	CA_TLS,				   /* pointer to the task's thread-locals, or NULL */
	CA_PROBE,			   /* probe id */
	CA_REGS,			   /* pt_regs pointer of ARG_REGS */
	CA_COOKIE,			   /* bpf_get_attach_cookie() */
	CA_COMM,			   /* >= 0: the comm slot is filled */
	CA_TASK0,			   /* thread-locals of the task that is the n-th word of the context */
	CA_ARG0 = CA_TASK0 + CG_TASK_ARGS, /* arg0 … arg9 */
	CA_COUNT = CA_ARG0 + 10
};
struct cache {
	vreg v[CA_COUNT];
};

struct fault_site {
	irlabel l;
	enum rec_fault_code code;
	vreg value; /* or VREG_NONE: imm */
	uint64_t imm;
	unsigned action;
	vreg rec; /* to be discarded, or VREG_NONE */
};
struct drop_site { /* cold: count and go on */
	irlabel l;
	enum rec_counter kind;
	irlabel back;
};

struct prog {
	struct cg *cg;
	struct irprog *ip;
	const struct cg_group *grp;
	const struct cg_unit *units;
	size_t nunits;
	uint32_t index;
	int maps_used[CG_MAX_MAPS];
	unsigned nmaps_used;
	struct irfn *fn_fault, *fn_fault_rec, *fn_count, *fn_nspid, *fn_container, *fn_path, *fn_unwind;
	struct irfn *fn_mix[RUNTIMES]; /* walks of language runtimes */
	uint32_t unwind_key;	       /* of its scratch */
	struct irfn *fn_spec_new, *fn_spec_find, *fn_spec_end, *fn_chill;
	uint32_t scratch_top, scratch_max;
	uint32_t scratch_keep; /* below it: memory of the clause (alloca, copyin) */
	uint32_t scratch_pad;  /* bytes at its end that the clause may not write */
	uint32_t scratch_got;  /* the most that was ever below it: earlier clauses' pointers remain good for reading */
	bool failed;	       /* an error was reported, or the maps do not suffice */
	bool too_many_maps;
	bool sleepable;	   /* reads the memory of other threads */
	vreg opener;	   /* in a walk over keys: the thread that opened the one that fires; or VREG_NONE */
	bool needs_thread; /* reads that thread's memory, which a walk over keys cannot */
	bool uses_opener;  /* something of that thread was asked for */
	vreg again;	   /* of a walk: not 0, the kernel is to call the program again for this thread; or VREG_NONE */
	bool each;	   /* walks keys by bpf_for_each_map_elem, see scan.c */
	bool low_stack;	   /* second try with little stack: nothing cached for long, keys in scratch */
};

/* Where a local variable is. */
struct gen_local {
	bool have;
	irslot slot; /* or -1: in scratch memory at off */
	int32_t off;
};

/* How the faults of a clause leave it: registers and labels that its stubs share; labels from the first stub on. */
struct fault_out {
	bool begun;
	vreg act, code, value;
	vreg rec; /* the record to discard, or VREG_NONE: no fault so far had one */
	irlabel with_rec, common;
};

struct gen {
	struct cg *cg;
	struct prog *pr;
	struct irfn *f;
	const struct cg_unit *unit;
	const struct clause_instance *ds;
	const struct entry *e; /* of the unit's first point: where arguments are */
	const struct lay_clause *lay;
	size_t act_next;
	vreg sel;	/* selector, or VREG_NONE */
	vreg rec;	/* reserved record, or VREG_NONE */
	bool have_full; /* the clause does something when the ring is full: at l_full */
	irlabel l_full;
	struct cache full_cache;
	unsigned action;
	irlabel l_next; /* end of the clause */
	struct cache cache, outer, exit_cache;
	bool exited;
	unsigned depth;
	struct fault_site *faults;
	size_t nfaults, faults_cap;
	struct fault_out fault_out;
	struct drop_site *drops;
	size_t ndrops, drops_cap;
	uint32_t stubs_at;	  /* instructions of the program when stubs were last emitted */
	irslot comm;		  /* 16 bytes */
	irslot tmp;		  /* 16 bytes for helpers' small arguments and results */
	irslot *this_slot;	  /* by variable id, -1: none */
	struct gen_local *locals; /* by variable id; NULL: the program has none */
	irlabel l_break, l_continue, l_return;
	bool in_call; /* inside of a function's body: faults are the caller's */
	vreg spec;    /* speculation that the segments belong to, or VREG_NONE */
	vreg budget;  /* iterations of loops so far, or VREG_NONE: the clause has none */
	int64_t loopmax;
	uint32_t ustack_max;	    /* frames that CA_USTACK was walked for */
	int32_t strtok_off;	    /* scratch offset of strtok()'s state in this clause, or -1 */
	const struct gen_event *ev; /* a clause of a latency probe: what it is about */
	uint32_t scratch_base;	    /* where its scratch memory begins: above that of the clause that fires it */
	bool in_error;		    /* an ERROR clause: arguments are in err[] */
	vreg err[6];		    /* ERROR: n-th argument of the fault */
};

struct gen_event;

/* Directly addressable memory: a stack slot, or base + off. */
struct mem {
	irslot slot; /* >= 0, or -1 */
	vreg base;
	int32_t off;
};
enum place_kind { PL_MEM, PL_KERN, PL_USER };
/* Where a value lives. */
struct place {
	enum place_kind kind;
	struct mem m;	 /* PL_MEM */
	bool maybe_null; /* PL_MEM: base may be NULL, which reads as 0 */
	bool has_idx;	 /* … and idx bytes are to be added to base once it is known not to be */
	vreg idx;
	vreg addr; /* PL_KERN, PL_USER */
	int64_t off;
	struct tref btf;	    /* id != 0: addr is a typed pointer to this struct, at offset 0 */
	uint32_t bit_off, bit_size; /* bit field within the byte at off */
	struct dvar *var;	    /* the variable that it is in, or NULL */
	bool has_key;		    /* element of an associative array: */
	struct mem key;
	bool whole;	   /* all of the variable or element */
	bool near_scratch; /* PL_KERN: it may be just outside of memory that alloca() gave */
};
/* A string that can be read directly. */
struct str {
	bool is_const;
	const char *cs; /* is_const: cslen bytes without the NUL */
	size_t cslen;
	struct mem m;
	uint32_t bound;	 /* readable bytes, NUL included */
	bool padded;	 /* zero up to bound after the text */
	bool maybe_null; /* m.base may be NULL: "" */
	bool has_set;	 /* the string may be NULL: set is 0 then */
	vreg set;
};

/* group.c */
int cg_group_clauses(struct cg *c);
void cg_free_tables(struct cg *c);

/* cg.c */
void *cg_grow(struct cg *c, void *v, size_t n, size_t *cap, size_t size);
void cg_error(struct gen *g, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* map.c */
int cg_add_map(struct cg *c, enum img_map_role role, const char *name, enum bpf_map_type type, uint32_t key,
	       uint32_t value, uint32_t entries, uint32_t flags);
/* A map or a place in an array's only value, recorded as used by this program. */
void gen_map(struct gen *g, vreg d, int map);
/* The same for aggregations and arrays; to `none` where it is not there. */
void gen_shaped_map(struct gen *g, vreg d, int map, irlabel none);
vreg gen_mapval(struct gen *g, int map, uint32_t off);
uint32_t cg_ncpus(const struct cg *c);	    /* that there may be */
uint32_t cg_cpu_places(const struct cg *c); /* at least as many */
/* Of large arrays by CPU: for those that are online, a power of two if that is fewer than there may be. Who comes later
 * has a part of another's. */
uint32_t cg_online_places(const struct cg *c);
int cg_map_rings(struct cg *c);
int cg_map_counters(struct cg *c);
int cg_map_state(struct cg *c);
int cg_map_rodata(struct cg *c);
int cg_map_scratch(struct cg *c);
int cg_map_tls(struct cg *c);
uint32_t cg_tls_size(const struct cg *c);
int cg_map_runtime(struct cg *c, enum runtime r); /* IMG_MAP_PY_PROCS and so on */
int cg_map_unwind(struct cg *c);		  /* the first of CG_UNWIND_MAPS, in the order of their roles */
int cg_map_assoc(struct cg *c, const struct dvar *v);
int cg_map_agg(struct cg *c, const struct dagg *a, unsigned set);
int cg_map_track(struct cg *c, const struct dtracker *t); /* open events */
int cg_map_hist(struct cg *c, const struct dtracker *t);
int cg_map_due(struct cg *c, const struct dtracker *t);
int cg_map_cgroups(struct cg *c, const struct dtracker *t);
/* Makes one function's generator; clears caches. */
void gen_init(struct gen *g, struct prog *pr, struct irfn *f);
/* Was this helper function of the program made already? Else it is made, to be filled through *g. */
bool gen_have_fn(struct gen *g, struct prog *pr, struct irfn **slot, const char *name, unsigned nargs);
void gen_clause(struct gen *g, const struct cg_unit *u);
bool cg_typed_args(const struct cg *c); /* what tracepoints give may be read directly, with its types, */
bool cg_typed(const struct cg *c);	/* and the current thread, too (Linux 5.11) */

/* layout.c */
int lay_program(struct cg *c);
uint32_t lay_str_bound(const struct cg *c, const struct dtype *ty);
uint32_t lay_align(uint32_t size);
void lay_place_field(struct recfield *f, uint64_t *off); /* at the next offset */
uint32_t lay_storage(const struct cg *c, const struct dtype *ty);
struct recfield lay_field_of(struct cg *c, const struct dtype *ty);
uint32_t ro_string(struct cg *c, const char *s, size_t n);
void ro_free(struct cg *c); /* the index of strings */
uint32_t ro_zeros(struct cg *c, uint32_t n);
const struct dtype *cg_type(const struct cg *c, const struct node *n); /* resolved */
/* Byte offset of a member of a kernel struct, looking through "a.b". False: no such member. */
bool lay_offset(struct cg *c, const char *tag, const char *path, uint32_t *ret_off, uint32_t *ret_size);
int lay_make_key(struct cg *c, const struct dtype **types, unsigned n, uint32_t prefix, const char *what,
		 struct span at, struct lay_key *ret);

/* lay_type.c */
size_t lay_print(struct cg *c, const struct node *call, struct lay_field *fl);

/* pcap.c: pcap() */
size_t lay_pcap(struct cg *c, const struct node *call, struct lay_field *fl);

/* entry.c */
void gen_prologue(struct gen *g);
void gen_guard(struct gen *g, const struct cg_unit *u);
void gen_noself_clause(struct gen *g,
		       bool behind); /* leaves the clause in dwell's own threads, where the program does not */

/* expr.c: derived probes (lang/probeinfo.h) */
void gen_derived_cond(struct gen *g); /* leaves the clause where the probe does not fire */
vreg gen_derived_arg(struct gen *g, unsigned n);
/* As argument of type ty (resolved). *btf: as gen_ptr(). */
vreg gen_derived_ptr(struct gen *g, unsigned n, const struct dtype *ty, struct tref *btf);
vreg gen_arg_loc(struct gen *g, const struct arg_loc *l);
vreg gen_arg(struct gen *g, unsigned n);
vreg gen_probe_id(struct gen *g);
unsigned gen_sel_max(const uint64_t *map); /* the largest selector in the set */
void gen_probe_name(struct gen *g, enum bi_id which, struct str *ret);

/* The struct that tracepoint argument ctx + off points to according to BTF; false: not that. */
bool entry_arg_struct(struct gen *g, uint32_t off, struct tref *ret);

/* btf.c: what the verifier allows with typed pointers */
/* May size bytes at off in the struct be loaded directly? *target (id 0: none) is the struct that a
 * loaded pointer points to. */
bool btf_direct(struct cg *c, struct tref s, int64_t off, unsigned size, struct tref *target);
/* The struct that a pointer type points to, when the verifier would follow it. */
bool btf_pointee(struct cg *c, struct tref ptr, struct tref *ret);

/* fault.c: leaving a clause */
irlabel gen_fault(struct gen *g, enum rec_fault_code code, vreg value);
irlabel gen_fault_imm(struct gen *g, enum rec_fault_code code, uint64_t value);
/* A label that counts a loss and continues at back. */
irlabel gen_drop(struct gen *g, enum rec_counter kind, irlabel back);
void gen_cold_stubs(struct gen *g);	    /* emits the stubs of the clause */
void gen_cold_stubs_between(struct gen *g); /* between statements: those so far, when the code has grown long */
/* Begins the function that a fault calls, where one was asked for: the ERROR clauses follow, and a return. */
bool gen_error_start(struct gen *g, struct prog *pr);
void gen_note_exit(struct gen *g);
void gen_count(struct gen *g, unsigned slot);
vreg gen_reserve(struct gen *g, uint32_t size, irlabel fail);
void gen_submit(struct gen *g, vreg rec, uint64_t flags);
struct cache gen_region_begin(struct gen *g);
/* Jumps that may leave the clause go through these two: they note what is known there. */
void gen_jcc(struct gen *g, enum ir_cond c, vreg a, vreg b, irlabel l);
void gen_jcci(struct gen *g, enum ir_cond c, vreg a, int64_t imm, irlabel l);
void gen_region_end(struct gen *g, const struct cache *saved);

/* load.c: memory */
struct mem mem_slot(irslot s, int32_t off);
struct mem mem_at(vreg base, int32_t off);
struct mem mem_add(struct mem m, int32_t off);
void gen_ld(struct gen *g, vreg d, struct mem m, unsigned size, bool is_signed);
void gen_st(struct gen *g, struct mem m, unsigned size, vreg v);
void gen_sti(struct gen *g, struct mem m, unsigned size, int32_t imm);
vreg gen_addr(struct gen *g, struct mem m);
void gen_zero(struct gen *g, struct mem m, uint32_t len);
void gen_copy(struct gen *g, struct mem dst, struct mem src, uint32_t len);
vreg gen_launder(struct gen *g, vreg v); /* a pointer's bits as an integer that the verifier lets compute with */
struct mem gen_scratch(struct gen *g, uint32_t size);	   /* temporary of this statement */
struct mem gen_scratch_keep(struct gen *g, uint32_t size); /* until the end of the clause */
void gen_scratch_pad(struct gen *g); /* zeros after such memory, where a text that fills it ends */
/* size bytes (constant) at an address that must be in scratch memory, for writing. */
struct mem gen_scratch_range(struct gen *g, vreg addr, vreg size, uint32_t max);
void gen_scratch_fits(struct gen *g, vreg addr, vreg size);
struct mem gen_scratch_target(struct gen *g, vreg addr, uint32_t size);
vreg gen_scratch_base(struct gen *g);
uint32_t cg_scratch_limit(const struct cg *c); /* bytes of scratch per program and CPU */
/* Uprobes run in threads that may be preempted, by others that run the same program on the same CPU: who comes
 * while the scratch entry is in use is counted and left out. */
void gen_busy_begin(struct gen *g);
void gen_busy_end(struct gen *g);
/* dst (size bytes) from kernel or user memory; jumps to the fault exit on failure. */
void gen_read_check(struct gen *g, vreg r, vreg addr, bool user); /* r < 0: fault */
void gen_probe_read(struct gen *g, struct mem dst, uint32_t size, vreg addr, int64_t off, bool user);
/* Reads a scalar of type ty (resolved). *btf: as gen_ptr(). */
vreg gen_load_place(struct gen *g, const struct place *pl, const struct dtype *ty, struct tref *btf);
void gen_store_place(struct gen *g, const struct place *pl, const struct dtype *ty, vreg v);
void gen_bytes_to(struct gen *g, const struct node *n, struct mem dst, uint32_t size);

/* expr.c */
vreg gen_int(struct gen *g, const struct node *n);
/* As gen_int, but the result may be a typed pointer (btf->id != 0: to this struct), which can only be
 * dereferenced, passed on, or compared with NULL. */
vreg gen_ptr(struct gen *g, const struct node *n, struct tref *btf);
bool node_const(const struct node *n, int64_t *ret);
bool type_is_str(const struct cg *c, const struct node *n);
void gen_effect(struct gen *g, const struct node *n); /* value not needed */
/* Any value into memory as the field says: records and keys. */
void gen_value_to(struct gen *g, const struct node *n, struct mem dst, const struct recfield *f);
void gen_norm(struct gen *g, vreg d, vreg s, const struct dtype *ty);
/* d = s cut to ty, s the value of n; s itself when it fits. */
vreg gen_cut(struct gen *g, const struct node *n, vreg s, const struct dtype *ty);
vreg gen_addr_of(struct gen *g, const struct node *n); /* &n as a number */

/* range.c */
bool gen_fits(struct gen *g, const struct node *n,
	      const struct dtype *to); /* is its value one of this type for sure? */
bool gen_is_nonneg(struct gen *g, const struct node *n);

/* op.c */
vreg gen_arith_unary(struct gen *g, const struct node *n);
vreg gen_binary(struct gen *g, const struct node *n);
vreg gen_cond_expr(struct gen *g, const struct node *n);
void gen_branch(struct gen *g, const struct node *n, irlabel l, bool when);
vreg gen_truth(struct gen *g, const struct node *n); /* 0 or 1 */
bool op_class_is_test(enum op op);		     /* does it give a truth value? */
vreg gen_arith(struct gen *g, enum op op, vreg a, vreg b, const struct node *bn, const struct dtype *ty,
	       struct span at);
uint32_t ptr_scale(struct gen *g, const struct dtype *ptr);

/* var.c */
void gen_place(struct gen *g, const struct node *n, struct place *ret);
/* For reading: an index that waits is added, unless the base is NULL. */
void place_flatten(struct gen *g, struct place *pl);
vreg gen_assign(struct gen *g, const struct node *n, bool want);
void gen_assign_str(struct gen *g, const struct node *n, struct str *ret); /* ret: the value */
vreg gen_incdec(struct gen *g, const struct node *n, bool want);
void gen_var_str(struct gen *g, const struct node *n, struct str *ret);
bool node_is_null(const struct node *n); /* the constant 0, cast or not */
/* Whether the variable whose text is *s was assigned a string: its keys are not computed again. */
vreg gen_str_is_set(struct gen *g, const struct str *s);
vreg gen_str_set(struct gen *g, const struct node *n); /* string as a condition: 0 when it is NULL */
void gen_this_init(struct gen *g);
/* The thread-locals of the current task: NULL when it has none; made if need be, or a jump to skip (counted). */
vreg gen_tls_read(struct gen *g);
vreg gen_tls_write(struct gen *g, irlabel skip);
/* Those of a task given by a typed pointer; word: which word of the context that is, or -1. */
vreg gen_task_tls(struct gen *g, vreg task, int word, bool create, irlabel skip);
/* Marks the this-> variables (by id) that the units use. */
void cg_note_this(const struct cg_unit *u, size_t n, bool *used);
struct mem gen_key(struct gen *g, const struct lay_key *k, const struct node *args, uint32_t prefix);

/* call.c: built-in variables and functions, by the code functions of lang/builtin.def */
vreg gen_builtin_int(struct gen *g, const struct node *n, struct tref *btf);
void gen_builtin_str(struct gen *g, const struct node *n, struct str *ret);
void gen_builtin_effect(struct gen *g, const struct node *n); /* its value is not needed */
/* Does this statement put something into the record? */
bool act_is_data(const struct node *n, enum act_kind *ret);

/* task.c, pid.c … */
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
void gen_container(struct gen *g, struct str *ret); /* cgroup.c */
void gen_watch(struct gen *g);			    /* watch.c: at the start of a watchpoint's program */
vreg gen_vtimestamp(struct gen *g);		    /* vtime.c */
vreg gen_sched_clock(struct gen *g);		    /* … ns, never ahead of it */
void gen_task_path(struct gen *g, const char *member, struct str *ret);

/* walk.c: programs that walk threads */
/* Does the program fire for threads other than the current one? */
bool gen_walks(const struct gen *g);
void gen_walk_start(struct gen *g); /* leaves when there is no thread */
vreg gen_walked(struct gen *g);	    /* the thread, never NULL */
vreg gen_walked_cpu(struct gen *g); /* that it is or was on */
void gen_walked_comm(struct gen *g, vreg dst, vreg n);
/* The thread's user stack, at most n frames of it, into the program's scratch entry of IMG_MAP_UW_SCRATCH:
 * what the walk returns (cg/rt/unwind.h). */
/* Can programs of this kind find a thread by its number? (bpf_task_from_pid, Linux 6.2) */
bool gen_finds_tasks(struct gen *g);
vreg gen_walked_ustack(struct gen *g, uint32_t n, struct irfn *walk, vreg start);
/* *r: 0 or more when n bytes at addr are in dst, else negative. User memory is that of the thread. */
void gen_read(struct gen *g, vreg r, vreg dst, vreg n, vreg addr, bool user);
/* The same for text that ends with a NUL in user memory: n bytes, at most cap. */
void gen_read_text(struct gen *g, vreg r, vreg dst, vreg n, uint32_t cap, vreg addr);

/* string.c */
void gen_str(struct gen *g, const struct node *n, struct str *ret);
void gen_str_to(struct gen *g, const struct node *n, struct mem dst, uint32_t cap);
void gen_str_copy(struct gen *g, const struct str *s, struct mem dst, uint32_t cap);
void gen_str_real(struct gen *g, struct str *s); /* constants get an address, NULL becomes "" */
void gen_str_branch(struct gen *g, const struct node *n, irlabel l, bool when); /* relation */
/* Compares with a constant in words, and jumps to l; false: it is too long for that. */
bool gen_str_branch_const(struct gen *g, const struct str *s, const struct str *c, bool jump_if_equal, irlabel l);
void gen_read_str(struct gen *g, struct mem dst, uint32_t cap, vreg addr, bool user);

/* sub.c */
void gen_strtok_start(struct gen *g); /* makes the state, for all paths through the clause */

/* stack.c */
void gen_stack_to(struct gen *g, struct mem dst, const struct recfield *f);
void gen_ustack_to(struct gen *g, struct mem dst, const struct recfield *f);
void gen_ustack_early(struct gen *g); /* before the record of g->lay is reserved */
void gen_uaddr_to(struct gen *g, vreg addr, struct mem dst);
vreg gen_stack_depth(struct gen *g, bool user);
vreg gen_caller(struct gen *g, bool user);
void gen_task_stack_to(struct gen *g, vreg task, struct mem dst, const struct recfield *f);

/* spec.c */
void gen_spec_ends(struct gen *g);
/* The record of a segment goes to the clause's speculation; gone: that has ended. */
void gen_spec_held(struct gen *g, irlabel gone);
/* flow.c */
void gen_stmts(struct gen *g, const struct stmt *s);
void gen_block(struct gen *g, const struct stmt *s); /* … with locals of its own */
bool gen_flow(struct gen *g, const struct stmt *s);
void gen_flow_pred(struct gen *g);
void gen_flow_start(struct gen *g);
vreg gen_call_int(struct gen *g, const struct dcall *call);
void gen_call_str(struct gen *g, const struct dcall *call, struct str *ret);
vreg gen_opaque_zero(struct gen *g); /* 0, but the verifier does not know */
vreg gen_loop_opaque(struct gen *g, const struct node *assign, vreg v);
void gen_local_alloc(struct gen *g, const struct dvar *v);
void gen_temp_alloc(struct gen *g, const struct dvar *v);
struct mem gen_local_mem(struct gen *g, const struct dvar *v);

/* track.c: trackers */
/* scan.c: at the start of a program */
void track_scan_init(struct gen *g);
struct irfn *track_scan_fn(struct prog *pr); /* of a walk over keys: where its clauses are */
/* first.c: what several clauses of the program ask for, after its prologue. */
void gen_hoisted(struct gen *g);
int lay_tracks(struct cg *c, uint64_t *tls, uint64_t *state);
/* A field of a tracker's struct tracker_settings, as it is now: where it is; its eight bytes. */
vreg gen_track_at(struct gen *g, const struct lay_track *l, size_t off);
vreg gen_track_word(struct gen *g, const struct lay_track *l, size_t off);
void gen_track_count(struct gen *g, const struct dtracker *t, enum track_count what);
void cg_image_tracks(struct cg *c); /* what user space must know of them */

/* event.c: clauses of latency probes */
/* What such a clause knows of its event. */
struct gen_event {
	const struct dtracker *t;
	const struct lay_track *l;
	vreg start, delay;
	vreg id; /* exit id, or VREG_NONE */
	enum rec_slow_how how;
	vreg sampled; /* 0, or SLOW_CONTROL where it is an ordinary event; VREG_NONE: there is no control sample */
	vreg task;    /* the thread as a typed pointer; VREG_NONE: current, or not known (keyed) */
	struct tref task_type;
	struct mem details; /* as kept; valid where anything but the start is kept */
	struct mem key;	    /* TRACK_KEYED */
};
/* The clauses that this one fires, those of slow after the test for it. id: of the exit, or NULL. */
void gen_fire(struct gen *g, struct gen_event *ev, const struct node *id);
vreg gen_event_int(struct gen *g, const struct node *n, struct tref *btf);
void gen_event_str(struct gen *g, const struct node *n, struct str *ret);
void gen_event_stack(struct gen *g, struct mem dst, const struct recfield *f);
vreg gen_event_cgroup(struct gen *g);
vreg gen_event_arg(struct gen *g, unsigned i); /* arg<i> */
size_t lay_slow(struct cg *c, const struct node *call, struct lay_field *fl);
void gen_event_place(struct gen *g, const struct node *n, struct place *ret);

/* agg.c, act.c */
/* Reserves the record of g->lay, or jumps to fail. */
void gen_record(struct gen *g, irlabel fail);
void gen_stmt_full(struct gen *g, const struct stmt *s); /* … when there is no room for a record */
/* Which bucket the value falls into; VREG_NONE: the function has none. */
vreg gen_agg_bucket(struct gen *g, const struct dagg *a, vreg v);
/* What an aggregation gets: vregs or VREG_NONE. */
struct agg_values {
	vreg value, bucket;
	vreg by; /* the increment of a bucket */
	struct mem key;
};
void gen_aggregate(struct gen *g, const struct dagg *a, const struct agg_values *w);
void gen_stmt(struct gen *g, const struct stmt *s);
#endif
