/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and walkers of one's own for `dwell core`, in a shared object that `dwell core --module FILE.so` loads:
 *
 *     cc -shared -fPIC -o core-module.so core-module.c
 *     dwell core --module ./core-module.so core.4711 -c '::walk conns | ::conn'
 *
 * A module exports one variable, dwell_core_module. Its functions run in dwell, so dwell trusts it as itself: it loads
 * no module that it is not told to, and none that others may write. Texts belong to the module and live as long as it.
 * doc/core.md has an example. The module interface grows at the end of structs: a module of version 1 will go on to
 * work as long as dwell has version 1. */
#ifndef DWELL_CORE_H
#define DWELL_CORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DWELL_CORE_MODULE_VERSION 1u

/* A core file, a process or the kernel, which is looked at. */
struct dwell_core;

/* A command as it was typed. */
struct dwell_core_call {
	bool has_address;
	uint64_t address;
	int argc; /* words after the command's name */
	char **argv;
};

/* dwell's functions for modules. Functions that return an int return 0 or -errno. */
struct dwell_core_api {
	uint32_t version; /* DWELL_CORE_MODULE_VERSION of this dwell */
	/* Memory. -EFAULT: none is mapped there; -ENODATA: the core does not have it. */
	int (*read)(struct dwell_core *c, uint64_t address, void *buf, size_t bytes);
	/* Where a function or variable is: NAME or FILE`NAME. */
	int (*address)(struct dwell_core *c, const char *name, uint64_t *ret);
	/* Where a member is in a type, both in bytes, by debug information or BTF: "struct conn", "peer.port". */
	int (*member)(struct dwell_core *c, const char *type, const char *path, uint64_t *offset, uint64_t *bytes);
	/* Text for people, whole lines; characters that a terminal would obey are escaped. With --json each line is the
	 * member "text" of an object. Nothing when only addresses are wanted. */
	void (*print)(struct dwell_core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
	/* An address for the next command. Nothing when text is wanted. */
	int (*emit)(struct dwell_core *c, uint64_t address);
	/* Whether a command follows, which takes addresses. */
	bool (*piped)(struct dwell_core *c);
	/* Says why the command failed. Returns error, which is -errno. */
	int (*fail)(struct dwell_core *c, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
};

/* Takes a word that may stand where the user is typing; those that do not fit are left out. */
typedef void dwell_core_offer(void *to, const char *word);

struct dwell_core_command {
	const char *name;      /* a-z, 0-9, _; no command of dwell has it */
	const char *arguments; /* "[-n COUNT]"; options in it are completed. "": none */
	const char *summary;   /* a line */
	const char *help;      /* lines */
	const char *example;   /* a line, or NULL */
	bool wants_address;    /* dwell refuses the command without one */
	int (*run)(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call);
	/* Offers the words that may stand in place of `word`; NULL: there are none. The call has the address, if one
	 * stands before the command, and no words. */
	void (*complete)(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call,
			 const char *word, dwell_core_offer *offer, void *to);
};

/* Things that ::walk NAME goes through. run() emits an address of each, and prints them. */
struct dwell_core_walker {
	const char *name, *summary;
	int (*run)(const struct dwell_core_api *api, struct dwell_core *c, const struct dwell_core_call *call);
};

struct dwell_core_module {
	uint32_t version;			   /* DWELL_CORE_MODULE_VERSION that it was compiled with */
	const struct dwell_core_command *commands; /* the last one has no name; NULL: none */
	const struct dwell_core_walker *walkers;   /* the same */
};

/* Defined by the module. */
extern const struct dwell_core_module dwell_core_module;
#endif
