/* SPDX-License-Identifier: Apache-2.0 */
/* One compilation (struct cg): layouts, groups of clauses that share programs, and what all programs have in common.
 * Probes with equal entries form a group; a group's clauses ("units") become one or more BPF programs. */
#ifndef DWELL_CG_GEN_CG_H
#define DWELL_CG_GEN_CG_H
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/rtfmt.h"
#include "base/trackfmt.h"
#include "cg/image.h"
#include "cg/gen/limits.h"
#include "cg/rt/rt.h"
#include "lang/dprog.h"
#include "types/caps.h"

struct gen;

struct lay_field {
	struct recfield f;
	const struct node *n;
};
struct lay_act {
	const struct stmt *stmt;
	struct lay_field *fields;
	size_t nfields;
};
/* The output of one clause instance or segment, by action. */
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
/* The memory of an open event of a tracker. Members are offsets from the start stamp, which is first; 0: not kept. */
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
	int m_rings, m_counters, m_hits, m_state, m_rodata, m_scratch, m_tls, m_specs, m_specfree, m_chill, m_flight;
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
	bool warned_ustack;	      /* that there are no user stacks of other threads */
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

void *cg_grow(struct cg *c, void *v, size_t n, size_t *cap, size_t size);
void cg_error(struct gen *g, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool cg_typed_args(const struct cg *c); /* what tracepoints give may be read directly, with its types, */
bool cg_typed(const struct cg *c);	/* and the current thread, too (Linux 5.11) */
const struct dtype *cg_type(const struct cg *c, const struct node *n); /* resolved */
#endif
