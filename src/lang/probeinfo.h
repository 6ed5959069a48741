/* SPDX-License-Identifier: Apache-2.0 */
/* Probes as the compiler sees them: names, ids, typed arguments. Filled by prov through a callback,
 * so that lang needs no provider. */
#ifndef DWELL_LANG_PROBEINFO_H
#define DWELL_LANG_PROBEINFO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "types/typesrc.h"

/* A probe description as written: NULL fields are empty (match anything); globs allowed.
 * DTrace right-aligns: "read:entry" is func and name. */
struct pdesc {
	const char *prov, *mod, *func, *name;
	uint32_t id; /* non-zero: given by number, the names are NULL */
};

#define PROBE_MAX_ARGS 32

struct probe_arg {
	const char *ctype; /* C type as text for dtype_parse(), or NULL: use ref */
	struct tref ref;
	const char *name; /* parameter name for -lv, or NULL */
	/* The value as a D expression over struct probe.raw: the arguments of derived probes, and those that this
	 * kernel does not pass as newer ones do. NULL: as it is passed. */
	const char *expr;
	bool user_string; /* arg<n> is a user address, args[n] the string there */
};

/* An argument as the D program sees it: args[n], when it is not the native one. Its type is that of the
 * native argument, or the output type of a translator that is applied to it (io.d, procfs.d …). arg0 …
 * always are the native arguments. */
struct probe_xarg {
	const char *ctype; /* "bufinfo_t *", or NULL: the native type */
	unsigned native;   /* index into args */
	const char *name;  /* or NULL */
};

struct probe {
	uint32_t id;			      /* stable within one boot */
	const char *prov, *mod, *func, *name; /* never NULL; "" when empty */
	const struct probe_arg *args;	      /* args[0 … nargs-1]; filled by get_args only */
	unsigned nargs;
	const struct probe_xarg *xargs; /* args[0 … nxargs-1] of D; NULL: the native ones */
	unsigned nxargs;
	bool args_known;
	/* Derived probes: made from the firings of something else, a tracepoint as a rule, whose own
	 * arguments are raw[0 … nraw-1] (with ref and name; filled by get_args) and lie in the context from
	 * byte 0, 8 each. cond and the args' expr are D expressions in which raw arguments go by name. */
	bool derived;
	const char *cond; /* the probe fires where it holds; NULL: always */
	/* Also of probes that are not derived, where an argument is an expression. Arguments after those that are
	 * passed are expressions, too. */
	const struct probe_arg *raw;
	unsigned nraw;
	/* D clauses that a program which enables the probe gets too, once: before its first clause that does,
	 * and after its last clause. They keep what the expressions need from other firings. Or NULL. */
	const char *before, *after;
	bool also;	    /* a further place where the probe before it fires: the same names, not listed */
	bool every_process; /* fires in any process: of prov only the part before its final * is fixed, the
			     * number of the process follows */
	bool later;	    /* stands for probes that may be found while the program runs (lang/later.h): its names
			     * are those of the description, and it is never attached */
	const char
		*note; /* what a listing says of the place (its instruction, the caller of an inlined copy); or NULL */
	bool inlined;  /* a copy of a function within another one: it has no arguments */
	const char *unavailable; /* known by name only: why it cannot be enabled here; or NULL */
	const void *priv;	 /* the provider's own; kept as is */
	const void *provider;	 /* struct provider (prov/provider.h), opaque here */
};

struct probe_list {
	struct probe **v;
	size_t n;
	const char *tag; /* of the error that *reason words, when nothing matches for that reason; or NULL */
};

/* How the compiler asks for probes. ctx is the caller's. All results live in the given arena. */
struct probe_source {
	void *ctx;
	/* Finds all probes that match, in id order. An empty list is no error. *reason (may be NULL): set
	 * when the facility exists but cannot be used here ("kernel built without …"). Probes with
	 * unavailable are among the results: they are for listings. */
	int (*match)(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret, const char **reason);
	/* Fills args/nargs of a probe. */
	int (*get_args)(void *ctx, struct arena *a, struct probe *p);
};

/* -- pdesc.c -- */
/* Glob of DTrace: * ? [set] [!set] \x. An absent or empty pattern matches everything. */
bool pdesc_glob(const char *pat, const char *s);
/* The component is given and has no glob character. */
bool pdesc_is_exact(const char *s);
/* Is the module the kernel itself on illumos, FreeBSD or macOS? */
bool pdesc_kernel_elsewhere(const char *mod);
bool pdesc_match(const struct pdesc *d, const struct probe *p);
/* Parses "prov:mod:func:name" right-aligned; 0 or -EINVAL. Texts in the arena. */
int pdesc_parse(struct arena *a, const char *text, size_t len, struct pdesc *ret);
#endif
