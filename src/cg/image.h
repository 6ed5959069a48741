/* SPDX-License-Identifier: Apache-2.0 */
/* Describes an image, the compiler's only output: maps, programs, record formats. Plain data in the arena;
 * printable. */
#ifndef DWELL_CG_IMAGE_H
#define DWELL_CG_IMAGE_H
#include <linux/bpf.h>
#include "base/recfmt.h"
#include "base/strb.h"
#include "cg/entry.h"
#include "lang/dprog.h"

enum img_map_role {
	IMG_MAP_RINGS,	  /* array of ring buffers, index = CPU; inner_size bytes each */
	IMG_MAP_COUNTERS, /* per-CPU array, one entry per program (img_prog.index): u64[REC_NSLOTS] */
	IMG_MAP_HITS,	  /* per-CPU hash: firings (u64) by IMG_HITS_KEY(). User space makes the elements, while
			   * img_state.hits is set; empty else */
	IMG_MAP_STATE,	  /* array, one entry: struct img_state, then the D globals; writable from user space */
	IMG_MAP_RODATA,	  /* array, one entry, frozen: strings, tables */
	IMG_MAP_SCRATCH,  /* per-CPU array, one entry per program */
	IMG_MAP_TLS,	  /* task storage, or a hash by thread */
	IMG_MAP_ASSOC,	  /* hash of one associative array */
	IMG_MAP_SPECS,	  /* array of struct img_spec by speculation id, 0 … nspec; mapped by user space */
	IMG_MAP_SPECFREE, /* stack of the ids of free speculations, filled by user space */
	IMG_MAP_CHILL,	  /* per-CPU array, one entry: when chill() began to count, how long it waited since */
	IMG_MAP_AGG,	  /* one aggregation, set 0 or 1: per-CPU hash (array without key); for large values
			   * a hash with IMG_AGG_CPU_KEY more bytes after the key (array by CPU without key) */
	/* Unwinding, see base/unwindfmt.h: filled by user space while programs run. */
	IMG_MAP_UW_TABLES,
	IMG_MAP_UW_AREAS, /* arrays, mapped into user space */
	IMG_MAP_UW_PROCS,
	IMG_MAP_UW_WANT,
	IMG_MAP_UW_FILES,
	IMG_MAP_UW_SCRATCH, /* per-CPU array: frames, one entry per program that walks */
	/* Processes with language runtimes, in the order of enum runtime: filled by user space. */
	IMG_MAP_PY_PROCS,     /* Python interpreters: struct py_proc by process */
	IMG_MAP_V8_PROCS,     /* V8: struct v8_proc */
	IMG_MAP_HS_PROCS,     /* HotSpot: struct hs_proc */
	IMG_MAP_GO_PROCS,     /* Go: struct go_proc */
	IMG_MAP_TRACK,	      /* open events of one tracker, by key: a hash */
	IMG_MAP_TRACKCGROUPS, /* thresholds (u64, ns) of cgroups (u64, id), changed by user space while programs run */
	IMG_MAP_TRACKDUE,     /* keys that are due, by thread and number: see struct img_scan */
	IMG_MAP_TRACKHIST,    /* its histograms: array of struct track_cpu by CPU, mapped by user space */
	IMG_MAP_SHAPE,	/* array of maps: aggregations or arrays of one shape, so that a program may use more maps than
			 * the kernel's limit; slots: img_map.slot */
	IMG_MAP_FLIGHT, /* the flight recorder: array of struct flight_cpu by CPU, mapped by user space */
	IMG_MAP_ROLES_
};

/* u64 with the CPU after the key of aggregations in plain hashes. */
#define IMG_AGG_CPU_KEY 8

#define IMG_MAX_WATCH 16 /* watchpoints of a session; CPUs have 4 to 16 */

/* First bytes of IMG_MAP_STATE. */
struct img_state {
	uint32_t epoch;		       /* 0 or 1: aggregation set that programs write to */
	uint32_t activity;	       /* IMG_ACTIVE …; checked per clause by D programs with exit() or -w */
	uint32_t exit_status;	       /* valid in IMG_DRAINING */
	uint32_t zero;		       /* always 0: a number that the verifier does not know */
	int64_t clock_diff;	       /* bound of the scheduler's clock - CLOCK_MONOTONIC in ns, and when it was */
	uint64_t clock_diff_at;	       /* seen; 0: not yet. Kept by the programs that use vtimestamp */
	uint64_t watch[IMG_MAX_WATCH]; /* last value at each watchpoint */
	uint64_t wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC in ns: set before programs run (walltimestamp) */
	uint32_t hits;	   /* firings are counted in IMG_MAP_HITS: somebody asks */
	uint32_t pad;
};
/* The key of a count of firings: n is the selector for programs that have one, else the probe's id. prog:
 * img_prog.index. */
#define IMG_HITS_KEY(prog, n) ((uint64_t)(prog) << 32 | (uint32_t)(n))
/* Warming up: probes are being attached one after another; as in DTrace no clause runs before all of them are. */
enum { IMG_ACTIVE = 0, IMG_DRAINING = 1, IMG_WARMUP = 2 };

/* A walk over a tracker's map looks for keys that are open for too long (or forgotten). It is the ENTRY_ITER_MAP
 * program with this scan. It runs the clauses, or lists the keys for the ENTRY_ITER_TASK programs with the same scan,
 * which run the clauses, each in its thread. In the state, so that all take part: */
struct img_scan {
	uint64_t timeout; /* ns after which an open key is due; 0: never, there are no walks. May change
			   * at any time */
	uint64_t due;	  /* out of the walk over the map: when the next key that is not due yet will be
			   * (CLOCK_MONOTONIC); set to UINT64_MAX before */
	uint32_t listed;  /* keys that wait for the walk over the threads; set to 0 before */
	uint32_t taken;	  /* keys that this walk took; set to 0 before. The others fire in the next walk over the map */
	uint32_t fired;	  /* keys whose clauses have run in the walk over the map; set to 0 before */
	uint32_t pad;
};
struct img_scan_ref {
	uint32_t map;	    /* the tracker's: index into image.maps */
	uint32_t state_off; /* of its struct img_scan */
};

/* Settings of a tracker, in IMG_MAP_STATE after struct img_state: user space may change them at any time. */
struct tracker_settings {
	uint64_t
		threshold; /* ns: events of at least that delay are slow; with thresholds of cgroups the least of all */
	uint64_t timeout;  /* ns; 0: none */
	uint64_t worst;	   /* not 0: threshold follows the longest delay */
	uint64_t limit;	   /* slow events per second at most; 0: any number */
	uint64_t second, nslow; /* … of them in this second */
	uint64_t general;	/* threshold of the cgroups that have none of their own, */
	uint64_t ncgroups;	/* number of cgroup thresholds */
	uint64_t gc;		/* ns after which an open event is collected; 0: never */
	struct img_scan scan;	/* of trackers with keys; its timeout: the shorter of timeout and gc */
	uint64_t since;		/* where maxcpu may take programs off: what began before is not counted */
};

/* When open events are due that are looked for by walks: ns, 0: never. */
static inline uint64_t img_tracker_due(uint64_t timeout, uint64_t gc)
{
	return timeout && gc ? (timeout < gc ? timeout : gc) : timeout + gc;
}

/* A speculation. Entry 0: state is not free while any speculation waits to be cleaned. */
struct img_spec {
	uint32_t state; /* IMG_SPEC_* */
	uint32_t gen;	/* how often the id has been given out */
	uint64_t bytes; /* recorded so far, at most specsize */
};
enum { IMG_SPEC_FREE, IMG_SPEC_ACTIVE, IMG_SPEC_ENDED /* committed or discarded, not yet cleaned */ };

/* Why copyout() cannot be done, in words. */
#define IMG_NO_WRITE_USER \
	"the kernel lets no BPF program write to the memory of processes: it is locked down (kernel " \
	"lockdown, mode integrity or confidentiality)"

struct img_map {
	enum img_map_role role;
	char name[16]; /* BPF object name */
	enum bpf_map_type type;
	uint32_t key_size, value_size, max_entries, flags;
	uint64_t inner_size; /* RINGS: bytes per ring, power of two, multiple of the page size */
	const void *init;    /* initial value of entry 0, value_size bytes, or NULL */
	uint32_t agg;	     /* AGG: aggregation id */
	uint32_t set;	     /* AGG: 0 or 1 */
	uint32_t var;	     /* ASSOC: variable id */
	uint32_t track;	     /* TRACK, TRACKHIST: tracker id */
	uint32_t outer;	     /* AGG, ASSOC: programs find it in this SHAPE map, index + 1; 0: by itself */
	uint32_t slot;	     /* … there; SHAPE: of the map that tells what the others look like */
	bool needs_btf;	     /* TLS: give it BTF key and value ids (int / char array) */
};

/* The size that the keys of an IMG_MAP_AGG with keys have. */
static inline uint32_t img_agg_key_size(const struct img_map *m, const struct aggdesc *d)
{
	return d->key_size + (m->type == BPF_MAP_TYPE_HASH ? IMG_AGG_CPU_KEY : 0);
}

struct img_func { /* main program (first) and subprograms: for BTF func_info */
	const char *name;
	uint32_t off; /* first instruction */
	unsigned nargs;
	bool global; /* verified by itself */
};

struct img_line { /* instruction offset -> D text; sorted by off */
	uint32_t off;
	uint32_t epid; /* 0: prologue or run-time piece */
	struct span at;
};

struct img_comment { /* of the code generator, for -S; sorted by off */
	uint32_t off;
	const char *text;
};

struct img_prog {
	char name[16];
	struct entry entry;	/* kind, target … (selector and args are those of its first probe) */
	struct bpf_insn *insns; /* map references: BPF_LD_IMM64 with src_reg BPF_PSEUDO_MAP_IDX or
				 * BPF_PSEUDO_MAP_IDX_VALUE, imm = index into image.maps; the loader puts in fds */
	uint32_t ninsns;
	const struct img_func *funcs;
	uint32_t nfuncs;
	const struct img_line *lines;
	uint32_t nlines;
	const struct img_comment *comments;
	uint32_t ncomments;
	uint32_t index;		     /* of counters */
	bool counts_hits;	     /* … of each of its probes, in IMG_MAP_HITS */
	bool sleepable;		     /* ENTRY_ITER_TASK: reads the memory of the walked threads */
	const struct probe **probes; /* that it serves, id order */
	uint32_t nprobes;
	uint32_t first_epid, last_epid; /* clauses in it; programs of one entry attach in this order */
};

struct tracker_desc { /* by tracker id */
	const struct dtracker *t;
	uint32_t state;		     /* offset of its struct tracker_settings in IMG_MAP_STATE */
	int hist;		     /* index of its IMG_MAP_TRACKHIST; -1: no program closes its events */
	int cgroups;		     /* of its IMG_MAP_TRACKCGROUPS, or -1 */
	const struct recfield *keys; /* of IMG_MAP_TRACK */
	size_t nkeys;
	uint32_t key_size; /* 0: kept with threads */
};

struct image {
	struct img_map *maps;
	uint32_t nmaps;
	struct img_prog *progs;
	uint32_t nprogs;
	uint32_t nlater; /* programs that may be added while these run: of probes found later (load_more()) */
	const struct recfmt **fmts; /* by epid - 1 */
	uint32_t nfmts;
	const struct aggdesc **aggs;
	uint32_t naggs;
	const struct tracker_desc *tracks;
	uint32_t ntracks;
	const struct img_scan_ref *scans; /* entry.scan - 1 */
	uint32_t nscans;
	const char *const *flights; /* names of the flight recorder's kinds, by kind - 1 */
	uint32_t nflights;
	uint32_t state_size;
	uint32_t load_off[3]; /* into the state: where the loads of 1, 5 and 15 minutes are kept; 0: not wanted */
	bool has_exit;
	bool uses_ustack;
};

/* The input of code generation besides the program. */
struct cg_env {
	const struct caps *caps;
	/* Describes the entry of a probe (prov/). 0 or -errno; *reason: in words. */
	int (*entry)(void *ctx, const struct probe *p, struct entry *ret, const char **reason);
	void *ctx;
	uint32_t self_tgid; /* dwell's own tgid in the initial pid namespace (noself) */
	uint32_t page;	    /* bytes */
	struct typesrc *ts;
	/* Where a function of the kernel is; NULL: not known. Asked for stacks of the kernel only. */
	int (*ksym_range)(void *ctx, const char *name, uint64_t *ret_start, uint64_t *ret_end);
	void *ksym_ctx;
	bool more;	     /* the image is for load_more(), to run beside … */
	uint32_t first_prog; /* number of programs that are loaded already */
};

/* Then clauses go to a further program; a single clause may have as many as the kernel takes. */
#define CG_MAX_INSNS_PER_PROG 60000
#define CG_MAX_PROGS 8192
#define CG_MAX_MAPS 64			       /* per program, kernel: MAX_USED_MAPS */
#define CG_MAX_AGG_VALUE (8 * (1 + 65535 + 2)) /* bytes: lquantize() of the most levels DTrace has */
#define CG_MAX_KEY_SIZE 8192		       /* bytes of an aggregation or array key */
#define CG_MAX_LONG_KEY (65536 + 8192)	       /* with long strings */
#define CG_MAX_RECORD_SIZE 262144	       /* bytes */

/* Generates the image. Errors (clause too large, key too large …) go to d. */
int cg_compile(struct arena *a, const struct dprog *p, const struct cg_env *env, struct diags *d, struct image **ret);
/* Internal consistency: jumps inside, registers defined, map indices valid, stack depth, formats inside
 * records. 0, or -EBADMSG with what is wrong. Every image passes it; fuzzers call it. */
int image_check(const struct image *img, struct err *err);
/* Disassembly with D lines and map names beside the instructions (-S, golden tests). */
void image_dump(struct strb *out, const struct image *img);
void image_disasm(struct strb *out, const struct image *img, const struct img_prog *p);
#endif
