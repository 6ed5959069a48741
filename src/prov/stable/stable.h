/* SPDX-License-Identifier: Apache-2.0 */
/* Stable providers: DTrace's probes of the kernel's subsystems (proc, sched, io …), each a row of a table
 * that says which tracepoint carries it, when, and with which arguments. All is found by BTF: a row that
 * this kernel cannot serve is passed over. Private to src/prov. */
#ifndef DWELL_PROV_STABLE_STABLE_H
#define DWELL_PROV_STABLE_STABLE_H
#include "prov/prov_int.h"

#define STABLE_MAX_ARGS 8
#define STABLE_MAX_XARGS 6

struct stable_arg {
	const char *type; /* of the native argument, a C type; NULL: no more arguments */
	const char *expr; /* its value: D over the parameters of the tracepoint */
	const char *name; /* for -lv, or NULL */
	bool user_string; /* expr is a user address; args[n] is the string there */
};

struct stable_row {
	/* Several rows may have the same name: the first that this kernel can serve is the probe, and
	 * further ones with `also` are more places where it fires. */
	const char *name;
	const char *tp;	    /* tracepoint; NULL: none carries the probe */
	const char *reason; /* why, or why the kernel lacks that tracepoint (NULL: in general words) */
	const char *need;   /* a parameter that the tracepoint must have, or "func:NAME": a kernel function */
	const char *cond;   /* fires where this holds; NULL: always */
	struct stable_arg args[STABLE_MAX_ARGS];
	struct probe_xarg xargs[STABLE_MAX_XARGS];
	unsigned nxargs;	    /* 0: args[n] are the native ones */
	const char *before, *after; /* see struct probe */
	bool also;
	bool in_module; /* the tracepoint may belong to a module */
	bool is_next;	/* runs in the incoming task (cg/entry.h, current_is_next) */
	bool no_ustack; /* runs in the outgoing task although it is about the incoming one */
	bool bare;	/* can do without BTF, and then has no arguments */
};

struct stable {
	const char *name; /* of the provider */
	uint32_t id_base;
	const struct stable_row *rows; /* probe ids count rows: append, never insert */
	size_t n;
};

/* The signal of signal_deliver. The kernel kills by SIGKILL a task that an unhandled signal ends, and keeps in
 * group_exit_code which signal it was. With 0 there, a thread has called exit_group(2), or another execve(2). */
#define DELIVERED_SIG \
	"sig == 9 && (curthread->signal->group_exit_code & 127) != 0 ? curthread->signal->group_exit_code & 127 : sig"

int stable_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct stable *s,
		 struct probe_list *out);
int stable_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct stable *s, struct probe **ret);
int stable_args(struct prov_env *env, struct arena *a, struct probe *p);
int stable_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret, const char **reason);

/* Defines `const struct provider prov_ID` from the array ID_rows. */
#define STABLE_PROVIDER(ID, RANGE) \
	static const struct stable ID##_table = { #ID, PROV_ID_##RANGE, ID##_rows, ARRAY_SIZE(ID##_rows) }; \
	_Static_assert(ARRAY_SIZE(ID##_rows) <= PROV_N_##RANGE, "ids of provider " #ID); \
	static int ID##_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out, \
			      const char **reason) \
	{ \
		(void)reason; \
		return stable_match(env, a, d, &ID##_table, out); \
	} \
	static int ID##_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret) \
	{ \
		return stable_by_id(env, a, id, &ID##_table, ret); \
	} \
	const struct provider prov_##ID = { \
		.name = #ID, \
		.id_base = PROV_ID_##RANGE, \
		.id_count = PROV_N_##RANGE, \
		.match = ID##_match, \
		.by_id = ID##_by_id, \
		.args = stable_args, \
		.entry = stable_entry, \
	}
#endif
