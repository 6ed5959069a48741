/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the debugger, as of mdb: commands on addresses, which can be sent to further commands and to a
 * program.
 *
 *     line    = [ADDRESS] "::" NAME word... { "|" "::" NAME word... } [ "!" what the system's shell gets ]
 *     ADDRESS = hexadecimal, or 0t and decimal digits; else a name: [FILE`]NAME[+OFFSET]
 */
#ifndef DWELL_CORE_SHELL_H
#define DWELL_CORE_SHELL_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/jsonw.h"
#include "base/strb.h"
#include "base/vec.h"
#include "core/target.h"

#define SHELL_MAX_LINE 65536u /* bytes of a line */
#define SHELL_MAX_WORDS 64u   /* of a command */
#define SHELL_MAX_STAGES 32u  /* commands of a line */
#define SHELL_MAX_NAME 1024u  /* bytes of an address that is a name */
#define SHELL_MAX_SEEN 1000u  /* addresses that are remembered */

typedef VEC(uint64_t) shell_addrs;

struct js;
struct js_heap;
struct js_graph;
struct js_index;
struct ctypes;
struct modules;

struct shell {
	struct core *core;	/* not owned */
	FILE *out;		/* not owned */
	bool json;		/* JSON Lines */
	int error;		/* -errno of the first write that failed */
	struct err err;		/* why the last command failed */
	struct strb text;	/* not written yet */
	shell_addrs *to;	/* where addresses go, and no text; or NULL */
	struct js_index *index; /* of the core; or NULL: none. shell_done() closes it */
	struct js_heap *heap;
	struct js_graph *graph;	 /* of the heap */
	struct js *js;		 /* opened by the first command that needs it, shell_js() */
	struct ctypes *types;	 /* of native code, opened by the first command that needs them */
	struct modules *modules; /* of users (core/module/module.h); NULL: none */
	bool remember;		 /* addresses of what is written, for completion */
	shell_addrs seen;	 /* of these the last SHELL_MAX_SEEN, a ring; nseen: all that were seen */
	size_t nseen;
	unsigned within; /* lines that run within each other */
};

/* A command as it was typed. */
struct dcall {
	bool has_addr;
	uint64_t addr;
	const char *name; /* that stood there instead of a number, without FILE; or NULL */
	int argc;	  /* words after the name */
	char **argv;
	const struct dcmd *cmd;	     /* that it calls */
	const struct walker *walker; /* of ::walk */
};

/* Takes a word that may follow; those that do not begin as wanted are left out. */
typedef void shell_offer(void *to, const char *word);

struct dcmd {
	const char *name;
	const char *args;    /* "" none */
	bool addr;	     /* it wants an address */
	const char *summary; /* one line */
	const char *help;    /* lines */
	const char *example; /* a line; or NULL: it has no example that works everywhere */
	/* 0, or -errno with s->err. */
	int (*run)(struct shell *s, const struct dcall *d);
	/* Offers what may stand in place of `word`, the last one of a call without its words; or NULL. */
	void (*complete)(struct shell *s, const struct dcall *d, const char *word, shell_offer *offer, void *to);
	const void *own; /* of a module's command */
};
/* dwell's own, in the order of their names; the last one has no name. */
extern const struct dcmd dcmds[];
/* The i-th of all commands, with those of modules; NULL: there are no more. */
const struct dcmd *shell_dcmd_at(const struct shell *s, size_t i);

/* Things that can be gone through. */
struct walker {
	const char *name, *summary;
	bool kernel; /* only of the kernel */
	int (*run)(struct shell *s, const struct dcall *d);
	const void *own; /* of a module's walker */
};
extern const struct walker walkers[];
const struct walker *shell_walker_at(const struct shell *s, size_t i);
const struct walker *shell_walker(const struct shell *s, const char *name);

void shell_done(struct shell *s);
/* Runs a line. An empty one, or one that begins with #, does nothing. 0, or -errno with s->err. */
int shell_line(struct shell *s, const char *line);
/* Runs a line for a command that stands for it: the command's address is the line's. No program gets its text. */
int shell_within(struct shell *s, const char *line, const struct dcall *d);

/* For commands. Text for people; nothing when addresses are wanted. */
void shell_print(struct shell *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A text of the target: what is not printable is escaped. */
void shell_plain(struct shell *s, const char *text);
/* An address, for the next command. */
int shell_emit(struct shell *s, uint64_t addr);
/* Writes a line of JSON or text that is in s->text. */
void shell_flush(struct shell *s);
/* An address as lines have it. */
bool shell_number(const char *word, uint64_t *ret);
/* "ADDRESS module`name+0xOFFSET", or what is known of it. */
void shell_place(struct shell *s, uint64_t addr);
/* "file`name" */
void shell_symbol(struct shell *s, const struct core_symbol *y);
/* A line with an address, for the next command. */
int shell_address(struct shell *s, uint64_t addr);
/* A thread that a command is about: that of its address, else the first one. */
int shell_thread(struct shell *s, const struct dcall *d, const struct core_thread **ret);
/* Members of a place for JSON: address, name, offset, file. */
void shell_json_place(struct shell *s, struct jsonw *w, uint64_t addr);
/* The number after d->argv[*i], which is passed over. */
int shell_option(struct shell *s, const struct dcall *d, int *i, uint64_t max, uint64_t *ret);
/* JavaScript's objects. 0, or -errno with s->err. */
int shell_js(struct shell *s, struct js **ret);
/* The same with what is alive in their heap. */
int shell_heap(struct shell *s, struct js_heap **ret);
/* The same with the tree of dominators. */
int shell_graph(struct shell *s, struct js_graph **ret);
/* The object of a command's address, which must be alive. */
int shell_heap_object(struct shell *s, const struct dcall *d, struct js_heap **h, uint64_t *ret);
/* The tagged pointer to the object at an address, tagged or not; 0: there is none. */
uint64_t shell_object(const struct js *js, uint64_t addr);
const struct dcmd *shell_dcmd(const struct shell *s, const char *name);
/* A command got a word that it does not know. */
int shell_refuse(struct shell *s, const char *name, const char *word);
#endif
