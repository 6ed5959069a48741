/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax tree of D. The parser fills the first part of a node; the checker adds the annotations,
 * on a copy per probe description (one clause with two descriptions is checked twice). All in the arena. */
#ifndef DWELL_LANG_AST_H
#define DWELL_LANG_AST_H
#include "base/source.h"
#include "lang/dtype.h"
#include "lang/probeinfo.h"

enum op {
#define OP(id, text, class) OP_##id,
#include "lang/op.def"
#undef OP
	OP_COUNT_
};

enum bi_id {
	BI_NONE,
#define BI(id, ...) BI_##id,
#include "lang/builtin.def"
#undef BI
	BI_COUNT_
};

enum bi_kind { BIK_VAR, BIK_ACT, BIK_SUB, BIK_AGG };

enum bi_flag {
	BIF_OWN = 1,	     /* dwell's own: a name of the program counts instead */
	BIF_VALUE = 2,	     /* an action that is also a value: an aggregation's key, an argument of trace() */
	BIF_DESTRUCTIVE = 4, /* changes the traced machine */
	BIF_KERNEL = 8,	     /* an action that acts in the kernel: no record */
	BIF_TRACKER = 16,    /* its first argument is a tracker */
	BIF_ABSENT = 32,     /* of other kernels, or beyond BPF: an error that says so */
	BIF_EVOLVING = 64,   /* its stability; else Stable */
	BIF_TREE = 128,	     /* its code is made of the trees of its arguments, not of values */
	BIF_ARRAY = 256,     /* a variable with an index */
	BIF_COUNT = 512	     /* its check function tells of a wrong number of arguments */
};
/* Bytes of a string result, made of the arguments: */
#define BIB_FIRST(n) (UINT32_C(0x10000) + (n)) /* as the first argument, n at least */
#define BIB_SUM 0x20000			       /* of the first two */
#define BIB_DIGITS 0x20001		       /* of a number; the second argument is its base */
#define BIB_SIZE 0x20002		       /* the second argument, a constant */

struct builtin {
	enum bi_id id;
	const char *name;
	enum bi_kind kind;
	const char *proto;
	const char *since;
	unsigned flags; /* enum bi_flag */
	uint32_t bound;
	const char *doc; /* what it is: a line */
};
/* The row by name, or NULL: of what no program may call a variable or function of its own; of whatever can
 * be called. The row by id. */
const struct builtin *builtin_find(const char *name);
const struct builtin *builtin_find_func(const char *name);
const struct builtin *builtin_get(enum bi_id id);

enum node_kind {
	N_INT, /* ival; suffixes in name ("", "u", "l", "ul", "ll", "ull"); str: the spelling. A leading '0' in it tells
		  octal and hex from decimal (C types them otherwise); is_char_const */
	N_STR, /* str, len: escapes already decoded; not NUL-counted */
	N_IDENT,    /* name: global, inline, enumerator or built-in (checker: var/builtin/N_INT) */
	N_TLS,	    /* self->name */
	N_THIS,	    /* this->name */
	N_AGG,	    /* @name[args]: as statement target or argument */
	N_KSYM,	    /* module`name (str = module or NULL) */
	N_UNARY,    /* op, a; OP_POSTINC/POSTDEC too */
	N_BINARY,   /* op, a, b: arithmetic, relational, logical, comma */
	N_COND,	    /* a ? b : c */
	N_ASSIGN,   /* a = b; op is OP_ASSIGN, or the base operator of a compound one (a += b: OP_ADD) */
	N_CALL,	    /* name(args) */
	N_INDEX,    /* a[args]: array, associative array, args[], uregs[] */
	N_MEMBER,   /* a.name or a->name (arrow) */
	N_CAST,	    /* (tyname) a; inserted by the checker too (implicit = true) */
	N_SIZEOF,   /* sizeof (tyname) or sizeof a; both set for "sizeof (name)", which may be either:
		     * a variable, enumerator or inline of that name wins over a type */
	N_OFFSETOF, /* offsetof (tyname, name) */
	N_STRINGOF, /* stringof (a) */
	N_XLATE,    /* xlate <tyname> (a); the checker leaves none: members become expressions */
	N_EVENT,    /* checker: what a latency probe knows of the event: ival is an enum track_field */
};

struct dvar;
struct dagg;
struct dattr;
struct cxlator;
struct dcall;
struct dtracker;

/* A type as written: specifiers and declarator; resolved by the checker. */
struct tyname {
	struct span at;
	const char *module;    /* module`… or NULL; "" for a leading ` */
	enum dkind tag;	       /* DK_STRUCT, DK_UNION, DK_ENUM with name; DK_TYPEDEF: plain name */
	const char *name;      /* "unsigned long int" normalised to C's canonical spelling */
	unsigned quals;	       /* DQ_* of the base type */
	struct tydecl *def;    /* struct/union/enum defined in place, or NULL */
	struct derive *derive; /* pointers, arrays, functions: from the base type outwards */
	struct tyname *next;   /* in lists of keys and parameters */
	const char *param;     /* name of the key or parameter, or NULL */
};
struct derive {
	enum dkind kind; /* DK_PTR, DK_ARRAY, DK_FUNC */
	unsigned quals;
	struct node *nelems; /* array size or NULL ([]) */
	struct tyname *keys; /* D declaration of associative arrays: int a[string, int]; list by next.
			      * Both are set for "a[name]" when name may be a constant or a type:
			      * a constant of that name wins. DK_FUNC: the parameters */
	bool varargs;	     /* DK_FUNC: ends with "..." */
	struct derive *next;
};
struct tymember {	  /* member, enumerator */
	const char *name; /* NULL: anonymous */
	struct span at;
	uint32_t read_to; /* enumerators: where the next token is (base/diag.h) */
	struct tyname *type;
	struct node *bits;  /* bit-field width or NULL */
	struct node *value; /* enumerator value or NULL */
	struct tymember *next;
};
struct tydecl {
	enum dkind kind;
	const char *tag; /* or NULL */
	struct tymember *members;
	const struct dtypes *done; /* checker: the types that it is defined in, or NULL */
	const struct dtype *type;
};

struct node {
	enum node_kind kind;
	enum op op;
	struct span at;
	struct node *a, *b, *c;
	struct node *args; /* list by next */
	unsigned nargs;
	unsigned height; /* of the tree below, at most DPROG_MAX_HEIGHT: bounds recursion */
	struct node *next;
	const char *name;
	const char *str;
	size_t len;
	uint64_t ival;
	struct tyname *tyname;
	bool arrow;
	bool is_char_const;
	bool implicit; /* N_CAST inserted by the checker */
	bool parens;   /* was in parentheses */
	bool raw;      /* checker: args[n] means the raw argument n of a derived probe */

	/* Annotations of the checker. After it, every expression node has a type, and:
	 *  - integer arithmetic is in 64 bits, as in every DTrace: operands are not converted, and a
	 *    result may be wider than its type, which says only how many bits of it a record, a key or a
	 *    variable keeps, and whether / % >> are signed. Relations of integers are signed unless
	 *    cmp_unsigned. An N_CAST cuts. Conditions (&& || ^^ ! ?: predicate) are integers or
	 *    pointers, never strings, and are not converted;
	 *  - N_BINARY + and - with pointer type: a is the pointer, b an integer of 64 bits that is to be
	 *    scaled by sizeof the pointed-to type (so are ++, --, += and -= of pointers); the difference
	 *    of two pointers (both operands pointers, type ptrdiff_t) is to be divided by it;
	 *  - string relations have strings on both sides; string results are DK_STRING, with strbound
	 *    when it is known statically; whatever becomes a string that is none (char *, char [],
	 *    with stringof also integers) is below an N_STRINGOF, implicit when inserted;
	 *  - an array or function used as a value is below an implicit N_CAST to pointer: its address.
	 *    Arguments of trace, printf and keys may be arrays and structs themselves (bytes);
	 *  - a op= b is computed in 64 bits with the sign of a's type, then cut to that type;
	 *  - constants are folded to N_INT / N_STR (N_INT may have pointer or enum type);
	 *    identifiers are resolved to var, builtin or N_INT;
	 *  - a->m is N_MEMBER with arrow, a has pointer type; a.m has a struct lvalue; member is set;
	 *  - args[n] is N_INDEX with a->builtin BI_ARGS and ival = n; arg0… are N_IDENT with builtin;
	 *  - p[i] of memory is N_INDEX without var: a is a pointer, args the index of 64 bits;
	 *    x[k…] of an associative array is N_INDEX with var: args have the types var->keys (strings:
	 *    their own bounds), a is not annotated. The same holds for N_AGG in ST_AGG;
	 *  - aggregating functions: value and increment have 64 bits; parameters are in agg->param. */
	const struct dtype *type;
	bool lvalue;		       /* designates memory or a variable */
	bool is_const;		       /* compile-time constant */
	bool cmp_unsigned;	       /* N_BINARY, < <= > >= == != of integers: how they are compared */
	bool is_null;		       /* N_STR: was the constant 0 where a string is wanted: "", and as the value
					* of an assignment it deletes */
	bool user;		       /* its address, if any, is in user memory */
	struct dvar *var;	       /* N_IDENT, N_TLS, N_THIS, N_INDEX on an associative array */
	struct dagg *agg;	       /* N_AGG */
	const struct builtin *builtin; /* N_IDENT, N_CALL */
	struct dcall *call;	       /* N_CALL of a function of the program */
	struct dtracker *tracker;      /* N_CALL of begin(), end(), pending(): args are the keys, c the exit id;
					* N_EVENT; N_XLATE that stands for args[0] of its probes */
	struct dmember member;	       /* N_MEMBER */
	uint64_t ksym_addr;	       /* N_KSYM: resolved address */
	const struct cxlator *xlator;  /* N_XLATE: the checker's own */
	/* Stability (lang/attr.h) that counts instead of that of the tree below: of an inline, or that of
	 * another tree: what a translated value is made of. NULL: neither. */
	const struct dattr *attr;
	const struct node *attr_from;
	const char *attr_name; /* the value of an attribute of slow() */
};

enum stmt_kind {
	ST_EXPR,  /* expr: assignment, call of an action or subroutine, any expression */
	ST_AGG,	  /* expr (N_AGG) = aggfn(args) */
	ST_IF,	  /* if (expr) body else els */
	ST_LOOP,  /* for (init; expr; step) body; while (expr) body; with post: do body while (expr).
		   * expr NULL: no condition */
	ST_BLOCK, /* { body }: a scope of its own */
	ST_LOCAL, /* declaration of a local variable: decl; expr: an assignment to it, or NULL */
	ST_BREAK,
	ST_CONTINUE,
	ST_RETURN, /* expr: the value or NULL; checker: an assignment to the function's result */
	ST_EMPTY,
};

struct decl;

struct stmt {
	enum stmt_kind kind;
	struct span at;
	struct node *expr;
	struct node *call; /* ST_AGG: the N_CALL of the aggregating function */
	struct stmt *body, *els;
	struct stmt *init;	 /* ST_LOOP */
	struct node *step;	 /* ST_LOOP, or NULL */
	bool post;		 /* ST_LOOP: the condition is tested after the body */
	const struct decl *decl; /* ST_LOCAL */
	struct dvar *var;	 /* ST_LOCAL: set by the checker */
	struct stmt *next;
	unsigned number; /* 1-based action number within the clause, as in fault messages */
};

struct pdesc_node {
	struct pdesc desc;
	struct span at;
	const char *text; /* as written */
	struct pdesc_node *next;
};

struct clause {
	struct span at;
	struct pdesc_node *probes;
	struct node *pred; /* or NULL */
	struct stmt *body; /* NULL: default action */
	bool has_body;	   /* braces were there */
	struct clause *next;
};

enum decl_kind {
	DECL_VAR,
	DECL_TYPEDEF,
	DECL_TYPE,
	DECL_INLINE,
	DECL_TRANSLATOR,
	DECL_PROVIDER,
	DECL_FUNC,
	DECL_TRACKER,
};
enum decl_scope { DS_GLOBAL, DS_TLS, DS_THIS };

struct decl { /* declaration at top level or at the start of a clause */
	enum decl_kind kind;
	struct span at;
	enum decl_scope scope;
	bool is_extern;
	const char *name;	  /* translator: of its parameter; NULL for DECL_TYPE */
	struct tyname *type;	  /* translator: of the output */
	struct node *value;	  /* inline */
	struct tyname *input;	  /* translator: type of the parameter; tracker: types of the keys */
	struct tymember *members; /* translator, tracker: name = value; provider: probes, of type DK_FUNC */
	struct stmt *body;	  /* function */
	struct decl *next;
};

/* One item of a D text, in source order. */
struct item {
	struct decl *decl; /* one of these two is set */
	struct clause *clause;
	struct item *next;
};

struct pragma;

struct unit { /* a parsed text */
	const struct source *src;
	struct item *items;
	struct pragma *pragmas; /* control lines that are obeyed later: lang/dlib.h */
	bool zdefs;		/* #pragma D option zdefs: its descriptions may match nothing */
};
#endif
