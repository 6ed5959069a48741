/* SPDX-License-Identifier: Apache-2.0 */
/* A process to look at, out of a core file or alive: its memory, threads and files. All that is read may be hostile:
 * counts and lengths have limits, and what is not there is an error, never a zero that was made up. */
#ifndef DWELL_CORE_TARGET_H
#define DWELL_CORE_TARGET_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/err.h"
#include "base/vec.h"
#include "sym/elf/demangle.h"
#include "sym/elf/elf.h"
#include "sym/elf/strset.h"
#include "sym/elf/symtab.h"
#include "sym/unwind/ehtab.h"
#include "sym/unwind/unwalk.h"

#define CORE_MAX_SEGMENTS 262144u  /* of a core, mappings of a process; further ones are left out */
#define CORE_MAX_THREADS 65536u	   /* further ones are left out */
#define CORE_MAX_NOTES (64u << 20) /* bytes of a core's notes that are read */
#define CORE_MAX_FILES 8192u	   /* mapped files; further ones are left out */
#define CORE_COMM 16		   /* bytes of a thread's name */
#define CORE_CMDLINE 81		   /* of a process's arguments */

/* General registers of x86-64 as the kernel has them. Source: struct user_regs_struct, sys/user.h. */
enum core_reg { CORE_BP = 4, CORE_BX = 5, CORE_DI = 14, CORE_IP = 16, CORE_SP = 19, CORE_NREGS = 27 };

struct core_thread {
	pid_t tid;
	char comm[CORE_COMM]; /* "" unknown */
	bool has_regs;
	uint64_t regs[CORE_NREGS];
};

enum core_file_state {
	CORE_FILE_NEW,	 /* not looked at yet */
	CORE_FILE_GOOD,	 /* its build id is the one in memory */
	CORE_FILE_GUESS, /* no build id in memory to compare with */
	CORE_FILE_OTHER, /* another build, or no ELF file: not used */
	CORE_FILE_GONE,	 /* it cannot be opened */
};

/* A file that is mapped. */
struct core_file {
	char *path;	/* as the process has it */
	char *instead;	/* where the user says it is, or NULL */
	uint64_t first; /* where its beginning is in memory; 0: nowhere */
	enum core_file_state state;
	struct elf elf; /* these: of a good one, or a guess */
	struct elf_seg *seg;
	unsigned nseg;
	bool named, unwound; /* tried */
	struct symtab names;
	struct ehtab rows;
};

struct core_seg {
	uint64_t start, end; /* of memory; first, as range_at() wants it */
	uint64_t off;	     /* in the core */
	uint64_t bytes;	     /* that the core has */
	uint32_t flags;	     /* PF_* */
};

/* A part of a file in memory. */
struct core_map {
	uint64_t start, end; /* first */
	uint64_t off;
	uint32_t file; /* index */
};

struct core_block;
struct packed;
struct core_kernel; /* kernel.h */

struct core {
	bool live, stopped;
	bool copied; /* a copy of a process's memory: a core, and its files are found as those of a process */
	bool force;  /* goes on with versions of runtimes that are not known, and where a check fails */
	pid_t pid;
	char comm[CORE_COMM], cmdline[CORE_CMDLINE];
	int signal, code;	/* that it died of; 0: none is known */
	uint64_t fault;		/* address of it */
	uint64_t phdr;		/* of the program, where it is in memory; 0: not known */
	uint64_t size, missing; /* of the core file, and how much it is too short, bytes */
	size_t left_out;	/* segments, threads, files over the limits */
	struct elf_src src;
	struct packed *packed;	   /* the core file is (core/target/packed.h); NULL: it is not */
	int rootfd, mapfd;	   /* of a process: its root, /proc/PID/map_files; -1 */
	VEC(struct core_seg) segs; /* by address, without overlaps */
	VEC(struct core_map) maps; /* the same */
	VEC(struct core_file) files;
	VEC(struct core_thread) threads; /* of a core: the one that died first */
	struct core_block **blocks;	 /* what was read last */
	struct core_kernel *kernel;	 /* the running kernel is looked at; NULL: a process */
	struct demangler demangler;
	struct strset names;
};

/* Opens a core file; binary: where the program is, or NULL. core_close() frees *ret. -ENOEXEC: it is none; -ENOTSUP: of
 * another machine; or -errno. */
int core_open(const char *path, const char *binary, struct core *ret, struct err *err);
/* The same of memory that has a core file, which stays the caller's. */
int core_open_memory(const uint8_t *mem, size_t size, struct core *ret, struct err *err);
/* A process that lives. stop: its threads stand still until core_close(), else registers are not known.  */
int core_attach(pid_t pid, bool stop, struct core *ret, struct err *err);
/* The same with a copy of its memory: it stands still only until that is made, for *stopped_ns. The copy is a file
 * without a name in $TMPDIR or /tmp. */
int core_copy(pid_t pid, uint64_t *stopped_ns, struct core *ret, struct err *err);
/* Lets a process go on. Accepts a zeroed one. */
void core_close(struct core *c);

/* Memory. -EFAULT: none is mapped there; -ENODATA: the core does not have it, nor a file that is the same. */
int core_read(struct core *c, uint64_t addr, void *buf, size_t n);
/* The same for much memory that is read once: it is not kept. */
int core_read_direct(struct core *c, uint64_t addr, void *buf, size_t n);
/* Where the core file next has bytes for memory from addr on, at most end: files have holes where memory was 0. It
 * is addr itself for a packed core or a process. */
uint64_t core_data_from(const struct core *c, uint64_t addr, uint64_t end);
/* Forgets what was read of a process that runs. */
void core_forget(struct core *c);
const struct core_seg *core_seg_at(const struct core *c, uint64_t addr);
const struct core_map *core_map_at(const struct core *c, uint64_t addr);
/* A file, opened and compared when that was not done yet. */
struct core_file *core_file(struct core *c, uint32_t i);
const char *core_file_word(enum core_file_state s);
/* The program, or NULL. */
struct core_file *core_program(struct core *c);
const struct core_thread *core_thread(const struct core *c, pid_t tid);

/* A name for an address. */
struct core_symbol {
	const char *name; /* demangled, without parameters; lives as long as the target */
	uint64_t addr;	  /* where it begins */
	const char *path; /* of the file, or NULL */
	uint64_t file_off;
	uint64_t size; /* bytes; 0: not known */
};
/* True: name is set. */
bool core_name(struct core *c, uint64_t addr, struct core_symbol *ret);

/* The i-th file in the order in which names are looked for: the program first. false: there are no more. */
bool core_file_in_order(struct core *c, size_t i, uint32_t *ret);
/* Whether n bytes are the base name of a file, or what it has before ".so". */
bool core_file_called(const struct core_file *f, const char *name, size_t n);
/* Where a function or variable is: NAME, or FILE`NAME. In the program first. -ENOENT: nothing has this name. */
int core_address(struct core *c, const char *name, uint64_t *ret);
/* Calls fn for each name that begins with prefix, of all files in their order. If fn does not return 0, that ends the
 * search and is returned. */
int core_each_name(struct core *c, const char *prefix, int (*fn)(void *arg, const struct core_symbol *y), void *arg);

/* A frame of a thread's stack. */
struct core_frame {
	uint64_t ip, sp, bp;
	bool by_fp; /* no table describes its code: JavaScript's is so */
};
#define CORE_MAX_FRAMES 1000000u
typedef VEC(struct core_frame) core_frames;
/* Walks a stack from registers: by the files' tables, else by frame pointers. Why it ended is in *reason, NULL when it
 * is whole. 0 or -ENOMEM. */
int core_walk(struct core *c, const uint64_t regs[CORE_NREGS], unsigned max, core_frames *ret, const char **reason);
/* The same for the code of a language's runtime, which no file describes. step: goes from a frame in such code to its
 * caller, or returns false: it is none. take: is called for each frame after its step; other than 0 ends. */
struct core_walker {
	bool (*step)(void *ctx, struct unwalk *w, enum unwalk_end *end);
	int (*take)(void *ctx, const struct core_frame *f);
	void *ctx;
};
int core_walk_by(struct core *c, const uint64_t regs[CORE_NREGS], unsigned max, const struct core_walker *by,
		 const char **reason);

/* For target.c's other halves. */
int core_add_map(struct core *c, uint64_t start, uint64_t end, uint64_t off, const char *path);
void core_sort(struct core *c);
/* Bytes of the core file. */
int core_read_file(const struct core *c, uint64_t off, void *buf, size_t n);
#endif
