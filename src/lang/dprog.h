/* SPDX-License-Identifier: Apache-2.0 */
/* A checked D program: the compiler front end's output and the only input of cg. */
#ifndef DWELL_LANG_DPROG_H
#define DWELL_LANG_DPROG_H
#include "base/diag.h"
#include "base/recfmt.h"
#include "lang/ast.h"
#include "lang/options.h"
#include "lang/param.h"
#include "lang/tracker.h"

enum dscope { VS_GLOBAL, VS_TLS, VS_THIS, VS_LOCAL };

struct dvar {
	uint32_t id; /* position in dprog.vars */
	enum dscope scope;
	const char *name;
	const struct dtype *type; /* type of the value */
	bool is_assoc;		  /* associative array: keys[] */
	bool non_cpu_index;	  /* of an associative array: an index other than the built-in variable cpu */
	bool is_temp;		  /* VS_LOCAL: made by the checker, lives within one expression, from its
				   * assignment on */
	const struct dtype **keys;
	unsigned nkeys;
	bool assigned;
	bool unnamed; /* "extern int a[…]" that no code names: it needs no memory */
	struct span at;
	struct dvar *next;
};

struct dagg {
	uint32_t id;
	const char *name; /* "" for @ */
	enum agg_func func;
	bool have_func; /* func is known: something assigns to it */
	int32_t param[4];
	bool is_signed;
	const struct dtype **keys; /* static string bounds kept: @[execname] has a 16-byte key */
	unsigned nkeys;
	bool have_keys;
	uint64_t slot_ns; /* the first key is timestamp / slot_ns wherever it is assigned to; else 0 */
	bool slot_wall;	  /* … walltimestamp */
	struct span at;
	struct dagg *next;
};

/* A derived probe (probeinfo.h) of a clause instance: its expressions, checked. */
struct dderived {
	const struct probe *probe;
	struct node *cond;  /* or NULL */
	struct node **args; /* probe->nargs; NULL: reads as 0 */
	struct dderived *next;
};

/* A call of a function of the program: a typed copy of its body, put in place of the call. */
struct dcall {
	const char *name;
	struct stmt *params; /* ST_LOCAL: each is assigned its argument */
	struct stmt *body;
	struct dvar *result; /* what return assigns to; NULL: void */
	bool records;	     /* the body, or that of a function that it calls, has actions that record data */
	struct span at;	     /* of the function */
};

/* A clause instance: one clause with one of its probe descriptions. */
struct clause_instance {
	uint32_t epid; /* from 1, in program order */
	const struct clause *clause;
	struct pdesc desc;
	const char *desc_text; /* as written, for messages */
	struct span at;
	struct probe_list probes; /* all probes that it matched, id order */
	struct dderived *derived; /* those of its probes that are */
	struct node *pred;	  /* typed copy, or NULL */
	struct stmt *body;	  /* typed copy; NULL with is_default */
	bool is_default;
	bool is_error;	   /* dtrace:::ERROR */
	bool calls_flight; /* calls flight() */
	/* A clause of a latency probe, put where another one calls end(): it has no program of its own. */
	struct dtracker *event; /* has the probe; NULL: an ordinary clause */
	enum track_probe event_probe;
	bool event_again;		/* the same clause is somewhere before */
	bool *fires;			/* by tracker: it calls begin() or end(); or NULL */
	bool *closes;			/* by tracker: it calls end(), which adds to the histogram; or NULL */
	struct clause_instance *events; /* clauses of latency probes that these fire, by enext */
	struct clause_instance *enext;
	/* Made by the checker for a tracker's timeouts and what is collected: in walks over threads, or over its keys,
	 * or where a thread ends. */
	struct dtracker *scan;
	bool scan_keys, scan_exit;
	struct clause_instance *next;
};

struct dprovider;

struct provattr { /* #pragma D attributes … provider NAME PART */
	const char *provider, *text;
	unsigned part; /* enum attr_part */
	struct provattr *next;
};

struct dprog {
	struct arena *arena;
	struct dtypes *types;
	struct dopts *opts;
	struct clause_instance *instances;
	unsigned ninstances;
	struct dvar *vars;
	unsigned nvars;
	struct dagg *aggs;
	unsigned naggs;
	struct dtracker *trackers;
	unsigned ntrackers;
	struct provattr *provattrs;
	struct dprovider *providers; /* provider blocks, in order: lang/provdecl.h */
	bool has_exit, has_error_clause, uses_tls;
	struct span destructive; /* the first destructive action; src NULL: none */
	bool has_locals, has_loops, has_flow;
};

#define DPROG_MAX_CLAUSES 65536	     /* clause instances in one program */
#define DPROG_MAX_DEPTH 256	     /* nesting of parentheses, declarators and types */
#define DPROG_MAX_HEIGHT 2048	     /* height of an expression tree: a + b + c … has no parentheses */
#define DPROG_MAX_SOURCE (64u << 20) /* bytes of D text */

/* Kernel symbol look-up for `name (from kallsyms); given by the caller. */
struct ksym_source {
	void *ctx;
	/* 0 and the address, or -ENOENT. module may be NULL. */
	int (*find)(void *ctx, const char *module, const char *name, uint64_t *ret_addr);
};

/* Finds the number of a control group by its path. 0, or -errno; *ret_reason: the reason, or with 0 a remark, which
 * lives as long as the program's arena. */
struct cgroup_source {
	void *ctx;
	int (*find)(void *ctx, struct arena *a, const char *path, uint64_t *ret, const char **ret_reason);
};

/* Values of macro variables ($target …) and script arguments. */
struct macro_env {
	int64_t pid, ppid, uid, euid, gid, egid, pgid, sid, projid, taskid;
	int64_t target;		 /* 0: none */
	const char *const *argv; /* argv[0] is the script's name for $0; $1 … follow */
	int argc;
	struct params *params; /* named ones (lang/param.h), or NULL */
	bool *used;	       /* argc flags, set when $n was used; or NULL */
};

struct dlib;

struct compile_env {
	struct typesrc *ts; /* or NULL */
	const struct probe_source *probes;
	const struct ksym_source *ksyms;
	const struct cgroup_source *cgroups; /* or NULL: there are none */
	const struct macro_env *macros;
	struct dopts *opts; /* options, changed by pragmas */
	struct dlib *libs;  /* the D library (lang/dlib.h), or NULL */
	bool script;	    /* the text is a file: a description needs a predicate or actions */
	bool zdefs;	    /* -Z: descriptions that match nothing are no error */
};

/* lex + parse one text. Errors go to d, with -EINVAL; *ret is then what stands before the first of them, for
 * lang_check_before() only. */
int lang_parse(struct arena *a, const struct source *src, const struct compile_env *env, struct diags *d,
	       struct unit **ret);
/* A single clause text given with -n/-P/-m/-f/-i is completed by the caller to a D text. */

/* Checks units in order as one program. -EINVAL when d has errors. */
int lang_check(struct arena *a, struct unit *const *units, size_t nunits, const struct compile_env *env,
	       struct diags *d, struct dprog **ret);
/* Units of which the last one could not be parsed: checks the types and variables that they declare. Their errors
 * precede the error of syntax, in the text and in d. */
void lang_check_before(struct arena *a, struct unit *const *units, size_t nunits, const struct compile_env *env,
		       struct diags *d);
/* Called for every statement (before what is in it) and every expression node; true stops the walk,
 * which then returns true. Either may be NULL. */
struct walk {
	bool (*stmt)(void *ctx, const struct stmt *s);
	bool (*node)(void *ctx, const struct node *n);
	void *ctx;
};
bool walk_stmts(const struct walk *w, const struct stmt *s); /* s and those after it */
bool walk_node(const struct walk *w, const struct node *n);  /* the tree, without siblings */
/* Does a function record data that n calls? n may be NULL. */
bool node_records(const struct node *n);

/* Adds to l the probes of the program's trackers that d matches. */
void track_match(struct arena *a, const struct dprog *p, const struct pdesc *d, struct probe_list *l);

/* Text forms for tests and -xtree: the syntax tree, and the typed one. */
void ast_dump(struct strb *out, const struct unit *u);
void dprog_dump(struct strb *out, const struct dprog *p);
#endif
