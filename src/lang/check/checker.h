/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the checker, shared by the files of lang/check. An expression whose error was reported has the type DK_DYN.
 * Expressions that use it report no further error. Functions that take a node return the node that stands in its place
 * afterwards. This header has the checker's state, types, conversions, constants. */
#ifndef DWELL_LANG_CHECK_CHECKER_H
#define DWELL_LANG_CHECK_CHECKER_H
#include "base/near.h"
#include "lang/dlib.h"
#include "lang/errtag.h"
#include "lang/later.h"
#include "lang/op.h"
#include "lang/types/symtab.h"

#define CHECK_MAX_INLINE_DEPTH 32	 /* inlines inside of inlines */
#define CHECK_MAX_INLINES (1 << 20)	 /* uses of inlines in one program, those inside of inlines too */
#define CHECK_MAX_MEMBER_SIZE (1u << 30) /* bytes of a D struct or array */
#define CHECK_MAX_KEYS 64		 /* keys of one associative array or aggregation */
#define CHECK_MAX_RUNS 8		 /* over a program, to find the widths of variables */
#define PROTO_MAX_PARAMS 8		 /* of a built-in function */

/* One key expression of an array or aggregation whose key types are settled at the end. */
struct keyuse {
	struct node *n; /* replaced in place */
	struct keyuse *next;
};

struct cvar {
	struct dvar pub; /* first */
	bool declared;
	bool poisoned;	      /* its first value was wrong: further complaints would not help */
	bool known;	      /* declared or assigned before: may be read */
	bool by_number;	      /* its type is that of a number, its first value */
	struct keyuse **uses; /* nkeys lists; NULL when declared */
};

struct cagg {
	struct dagg pub; /* first */
	const struct builtin *fn;
	struct span fn_at;
	struct keyuse **uses;
};

/* A parameter of an inline array or translator, and the checked expression it stands for. */
struct cparam {
	const char *name; /* or NULL */
	const struct dtype *type;
	struct node *value; /* copied at each use */
};

/* The names that are known inside the text of an inline or translator, besides the program's names. */
struct cscope {
	struct cparam *params;
	unsigned nparams;
	bool lib;	      /* text of a library */
	struct clocal *block; /* local variables, the innermost first */
};

struct cinline {
	const char *name;
	const struct dtype *type;
	const struct node *value; /* unchecked */
	struct cparam *params;	  /* of an array */
	unsigned nparams;
	bool is_array, lib;
	bool is_int;		  /* an integer constant */
	const struct dattr *attr; /* #pragma D attributes, or NULL */
};

struct cxlator {
	const struct dtype *out; /* a struct or union, perhaps by a typedef */
	struct cparam in;
	const struct decl *decl; /* the members: unchecked */
	bool lib;
	struct cxlator *next;
};

/* A local variable that can be seen, the innermost first. */
struct clocal {
	const char *name;
	struct cvar *v;
	struct clocal *next;
};

/* A check that needs the whole program: a printa() and the like. */
struct deferred_check {
	struct node *call;
	const char *tag; /* of an undefined aggregation */
	struct deferred_check *next;
};

/* A description that is left out: foreign.c. */
struct left {
	const struct pdesc_node *pd;
	const char *reason;
	struct left *next;
};

/* Variables that are to be 64 bits wide: cut.c. */
struct wide {
	struct symtab globals, tls, locals;
	bool more; /* some were found in this run */
	bool last; /* no further run: what is found is warned of */
};

struct checker {
	struct arena *a;
	struct dtypes *t;
	struct diags *d;
	const struct compile_env *env;
	struct dprog *prog;
	struct symtab globals, tls, locals, aggs, inlines, libinlines;
	struct cvar *lastvar;
	struct cagg *lastagg;
	struct deferred_check *late, *last_deferred;
	/* the clause instance that is being checked; NULL: a declaration */
	struct clause_instance *stmt;
	bool committed, speculating, recorded; /* actions seen in it */
	const char **support; /* texts of derived probes that are in the program already (lang/probeinfo.h) */
	size_t nsupport;
	const struct probe *raw; /* in an expression over raw arguments (lang/probeinfo.h): names are those */
	struct symtab funcs;
	struct cfunc *funclist; /* the last one first */
	struct cframe *frame;	/* of the function whose body is being checked; NULL: a clause */
	unsigned ncalls;
	unsigned nrecords;	/* actions that record data in bodies of functions so far */
	unsigned loops;		/* around what is checked */
	struct node *action;	/* used as a value, and not yet complained about */
	unsigned action_errors; /* … errors when it was met */
	bool updating;		/* a name being looked up is the target of an operator such as += */
	bool stop_undef;	/* an undefined name was met: trying the predicate first may help */
	unsigned inline_depth, ninlines;
	struct devclause *evclauses, *lastevclause; /* of latency probes */
	bool bare_prov;				    /* probeprov is as the probe has it, with the * of any process */
	bool scanning;				    /* a clause that looks for entries that are due */
	bool optional;				    /* a clause whose probes need not be there */
	struct symtab aliases; /* system calls of Linux: by what foreign name the program calls them */
	struct symtab silent;  /* system calls that were warned of */
	struct left *left, *lastleft;
	struct wide *wide;
	bool leaving;		   /* a clause that is left out: its faults do not matter */
	bool zdefs;		   /* … as of all of this text */
	bool left_out;		   /* some of the texts: -x zdepends */
	unsigned ntemps;	   /* temporaries of this clause */
	struct unit *const *units; /* the program's texts */
	size_t nunits;
	struct cscope scope;
	struct cxlator *xlators; /* the program's, then those of libraries */
	unsigned depth;		 /* of the recursion into expressions */
};

const struct dtype *res(struct checker *c, const struct node *n); /* resolved type */
bool is_err(const struct node *n);
struct node *set_err(struct checker *c, struct node *n);
struct node *set_type(struct node *n, const struct dtype *ty);
const struct dtype *basic(struct checker *c, enum dbasic b);
const char *tname(struct checker *c, const struct node *n); /* of its type, for messages */
bool is_int(struct checker *c, const struct node *n);
bool is_scalar(struct checker *c, const struct node *n);
bool is_ptr(struct checker *c, const struct node *n); /* pointer, not string */
bool is_str(struct checker *c, const struct node *n);
bool is_zero(const struct node *n); /* the constant 0 */
bool is_user_type(const struct dtype *ty);
bool type_strcompat(struct checker *c, const struct dtype *ty); /* string, char *, char [] */
bool type_is_vfptr(struct checker *c, const struct dtype *ty);
bool types_same(struct checker *c, const struct dtype *a, const struct dtype *b);
bool ptr_compat(struct checker *c, const struct node *l, const struct node *r);
/* May r be given where a value of type l is wanted? */
bool arg_compat(struct checker *c, const struct dtype *l, const struct node *r);
/* An error of expression n: returns n as error. */
struct node *fail(struct checker *c, struct node *n, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void hint(struct checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct node *new_node(struct checker *c, enum node_kind k, struct span at);

/* n as a value of type ty, with an implicit cast when representation differs; constants are folded.
 */
struct node *convert(struct checker *c, struct node *n, const struct dtype *ty);
struct node *decay(struct checker *c, struct node *n);	     /* arrays and functions to pointers */
struct node *to_string(struct checker *c, struct node *n);   /* char *, char [] to string */
struct node *string_ptr(struct checker *c, struct node *n);  /* string to char * */
struct node *null_string(struct checker *c, struct node *n); /* the constant 0 to a string */
/* The type of integer arithmetic over one value, and over two: that with more bits, else that without sign.
 * No promotion to int; the value itself is 64 bits wide and may be larger than the type. */
const struct dtype *arith_one(struct checker *c, const struct node *n);
const struct dtype *arith_type(struct checker *c, const struct node *l, const struct node *r);
const struct dtype *rvalue_type(struct checker *c, const struct dtype *ty); /* without const */
uint64_t int_wrap(const struct dtype *resolved, uint64_t v);

/* n itself, or the constant it is. Division by the constant zero is an error. */
struct node *fold(struct checker *c, struct node *n);

struct node *node_copy(struct arena *a, const struct node *n);
struct stmt *stmt_copy(struct arena *a, const struct stmt *s);
#endif
