/* SPDX-License-Identifier: Apache-2.0 */
/* Describes each system call: its number, its name, its classes for -e trace=, and the kinds of its arguments. */
#ifndef DWELL_STRACE_CALL_H
#define DWELL_STRACE_CALL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_ARGS 6
#define CALL_NR_MAX 512 /* numbers are below */

enum call_class {
	CALL_FILE = 1,	  /* %file: takes a path */
	CALL_DESC = 2,	  /* %desc: takes or makes a descriptor */
	CALL_NETWORK = 4, /* %network */
	CALL_PROCESS = 8, /* %process: makes, ends or waits for processes */
	CALL_MEMORY = 16, /* %memory: changes mappings */
	CALL_SIGNAL = 32, /* %signal */
	CALL_CREDS = 64,  /* %creds: user and group ids */
	CALL_IPC = 128,	  /* %ipc: System V */
	CALL_CLOCK = 256, /* %clock: reads or sets clocks */
	CALL_STAT = 512,  /* %%stat: tells of a file */
};

enum call_ret {
	RET_DEC,
	RET_HEX,
	RET_OCT,
	RET_FD,
	RET_CHILD,     /* a process; 0 in the child, whose return is not shown */
	RET_NEVER,     /* it does not return */
	RET_FCNTL,     /* by what was asked for */
	RET_SIGNAL,    /* a signal's number */
	RET_SIGRETURN, /* what the interrupted call had */
	RET_EXEC,      /* the arguments are gone when it returns */
	RET_POLL,      /* what is ready is told after it */
	RET_SELECT,
};

/* The kind of memory that an argument points to, which says how it is read. */
enum capture {
	CAP_NONE,
	CAP_STR,      /* a text that ends with NUL */
	CAP_FIX,      /* as many bytes as there are always */
	CAP_OUT,      /* the same, if the call succeeded */
	CAP_BUF,      /* as many bytes as another argument says, -s at most */
	CAP_RET,      /* as many bytes as the call returned, -s at most */
	CAP_ARRAY,    /* as many elements as another argument says */
	CAP_RETARRAY, /* as many elements as the call returned */
	CAP_IOV,      /* struct iovec, as many as another argument says, and the data of each */
	CAP_IOVRET,   /* the same, of as many bytes as the call returned */
	CAP_MSG,      /* struct msghdr and what it points to */
	CAP_MSGRET,   /* the same, received */
	CAP_ARGV,     /* texts, up to a NULL */
	CAP_ADDR,     /* an address, whose length is in memory where another argument points to */
	CAP_COUNT,    /* pointers up to a NULL are counted */
	CAP_DIRENTS,  /* directory entries are counted in the bytes that the call returned */
};

enum arg_kind {
#define ARG(id, cap, rel, size, entry, say, table) A_##id,
#include "strace/argkind.def"
#undef ARG
	A_NKINDS
};

struct say;
struct flag_table;
struct arg_desc {
	enum capture cap;
	int rel;       /* of the other argument: its distance in places */
	unsigned size; /* of an element, or of all */
	bool entry;    /* the call may change it: it is read when the call begins, too */
	void (*say)(struct say *s, unsigned i, const struct flag_table *table);
	const struct flag_table *table;
};
extern const struct arg_desc arg_descs[A_NKINDS]; /* say.c */

struct call_desc {
	uint32_t nr;
	const char *name;
	uint32_t classes; /* enum call_class */
	enum call_ret ret;
	uint8_t nargs;
	uint8_t args[CALL_ARGS]; /* enum arg_kind */
};

extern const struct call_desc call_table[];
extern const size_t call_table_n;

/* NULL: a number that the table does not have. */
const struct call_desc *call_by_nr(uint32_t nr);
const struct call_desc *call_by_name(const char *name);

/* How the memory of an argument is read. */
enum capture call_kind(const struct call_desc *c, unsigned arg);
/* A capture as the D program gets it, see dlib/strace/trace.d: 16 bits, argument | capture << 3 | z << 7. 0: none. */
uint32_t call_capture(const struct call_desc *c, unsigned arg, bool entry);
bool call_is_fd(enum arg_kind k);
#endif
