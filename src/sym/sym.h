/* SPDX-License-Identifier: Apache-2.0 */
/* Turns addresses into names. Kernel symbols are from kallsyms, user symbols from ELF files, debug files,
 * .gnu_debugdata and perf maps. It works also after the process has ended (mappings are followed while it lives). */
#ifndef DWELL_SYM_SYM_H
#define DWELL_SYM_SYM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/gofmt.h"
#include "base/hotspotfmt.h"
#include "base/pyfmt.h"
#include "base/v8fmt.h"

struct sym; /* one symboliser; not thread-safe */

struct symbol {
	/* "vmlinux", "ext4"; the mapped file's base name; "[vdso]", "[heap]", "[anon]" (code or
	 * data of no file); "[jit]" (named by a perf map); "" unknown. All texts live with sym. */
	const char *module;
	const char *name; /* demangled, without parameters; "foo@plt"; NULL: unknown */
	/* From the symbol's start to the address. When name is NULL: what addr2line takes for the
	 * file (from its load base), or the address itself when there is no file. */
	uint64_t offset;
	uint64_t addr;	  /* start of the symbol; 0 when name is NULL */
	const char *path; /* user: full path of the file as the process sees it, or NULL */
};

int sym_new(struct sym **ret, struct err *err); /* cheap: everything is loaded when first needed */
void sym_free(struct sym *s);

#define SYM_MAX_LINES 32u     /* functions at one address: one with a symbol, and those inlined into it */
struct sym_line {	      /* all texts live with sym; NULL and 0: unknown */
	const char *name;     /* as in struct symbol */
	const char *file;     /* where in this function the address is */
	const char *def_file; /* where the function is defined */
	uint32_t line, def_line;
};

/* Where the names come from instead of this machine: a recording made elsewhere. The functions fill ret and
 * return as sym_kernel() and sym_user() do; their texts live as long as ctx. */
struct sym_source {
	void *ctx;
	bool (*kernel)(void *ctx, uint64_t addr, struct symbol *ret);
	bool (*user)(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret);
	size_t (*lines)(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct sym_line *ret); /* or NULL */
};
/* A symboliser that asks the source only. source is copied. */
int sym_new_source(const struct sym_source *source, struct sym **ret, struct err *err);

/* Kernel address. Always fills ret; false when no symbol covers it. The first call reads kallsyms
 * (about 50 ms, nearly all of it the kernel's); later ones take less than 0.1 us. */
bool sym_kernel(struct sym *s, uint64_t addr, struct symbol *ret);
/* Kernel symbol by name (module NULL: any, vmlinux first). 0 or -ENOENT. */
int sym_kernel_find(struct sym *s, const char *module, const char *name, uint64_t *ret_addr);
/* Reads kallsyms and keeps it when privileges are going to be dropped. -EPERM with the reason in
 * err when the kernel hides the addresses; everything else works without. */
int sym_kernel_load(struct sym *s, struct err *err);

/* A process, identified by its tgid in dwell's pid namespace and start time. The time is in ns since boot as in
 * task->start_boottime of the leader. 0: unknown, take the process that lives now. */
struct sym_proc;

/* Notes that a process (or its mapping) has been seen. It reads /proc/PID/maps now if it is new or has exec'ed, so that
 * its stacks can be symbolised after it has exited. Cheap when already known. The consumer calls it for each user stack
 * that it takes from the rings, as early as possible. */
int sym_proc_touch(struct sym *s, uint32_t tgid, uint64_t start);
/* Re-reads the mappings (after mmap events, or an address outside all known ones). */
int sym_proc_refresh(struct sym *s, uint32_t tgid, uint64_t start);
/* Events from the kernel that follow a process: */
void sym_proc_mmap(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, uint64_t len, uint64_t file_off,
		   const char *path);
void sym_proc_exec(struct sym *s, uint32_t tgid, uint64_t start);
void sym_proc_exit(struct sym *s, uint32_t tgid, uint64_t start); /* keeps what is known */

/* User address. Always fills ret; false when no symbol covers it. Touches an unknown process, and
 * looks at its mappings again when the address is in none of them, as far as that stays cheap. Data
 * has symbols too, also zeroed data. The first call for a file reads its symbols (libc: 0.5 ms). */
bool sym_user(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret);
#define SYM_MAX_UNKNOWN 320
/* The language runtime of a process, for the walk of its frames. */
struct sym_runtime {
	enum runtime which;
	bool again; /* it is only just beginning: to be asked again soon */
	union {
		uint64_t start; /* each begins with it */
		struct py_proc python;
		struct v8_proc v8;
		struct hs_proc hotspot;
		struct go_proc go;
	} walk;
	char unknown[SYM_MAX_UNKNOWN]; /* not "": why its places are not known, where no frame can say it */
};
/* Looks for a language runtime in a process whose mappings are known, and tells a walk where its frames are. One whose
 * version is not known has walks that say so. wanted: a bit for each of enum runtime. 0; -ENOENT: there is none; or why
 * it cannot be read. */
int sym_runtime_attach(struct sym *s, uint32_t tgid, uint64_t start, unsigned wanted, struct sym_runtime *ret);
/* Reads the names of n frames of a runtime from the process's memory and keeps them: they are there now. sym_user()
 * takes such frames for addresses; it reads what is not kept yet. Their module is "python", "javascript" or "java",
 * with "/" and the compiler that made their code, and the name "function at place", or in brackets why there is none.
 * Inlined functions come first, with SYM_INLINED_INTO between. sym_user_lines() takes the name apart. */
void sym_runtime_learn(struct sym *s, uint32_t tgid, uint64_t start, const uint64_t *frames, size_t n);
#define SYM_INLINED_INTO RT_INLINED_INTO
#define SYM_MAX_RUNTIME_FRAMES 65536u /* kept of a process; then it is begun anew */
/* Where a user address that sym_user() has been asked about is in the source: the innermost inlined function first, the
 * one that has the symbol last. Returns how many; 0: nothing is known, mostly because there is no debug information.
 * For a return address, ask for the byte before. The first address of a file reads its debug information (1 to 100 ms),
 * the first of a unit that unit's. The units of the file asked last are kept: ask file by file. */
size_t sym_user_lines(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, struct sym_line ret[SYM_MAX_LINES]);
/* Forgets the debug information of that file. */
void sym_lines_done(struct sym *s);
/* "`symbol" of an ELF file by name (for uprobes later): file offset of the function. -ENOENT, or
 * why the file cannot be read (-ENOEXEC: no ELF file; -EMEDIUMTYPE: no regular file). Mangled
 * names. */
int sym_elf_find(struct sym *s, const char *path, const char *name, uint64_t *ret_off);

/* Bound on what one file may make us read and keep; larger files keep only their dynamic symbols.
 */
#define SYM_MAX_SYMBOLS_PER_FILE (4u << 20)
#define SYM_MAX_PROCS 65536 /* oldest exited ones are dropped first */
#endif
