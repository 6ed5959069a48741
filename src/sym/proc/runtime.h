/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the language runtime of a process, and names its frames. */
#ifndef DWELL_SYM_PROC_RUNTIME_H
#define DWELL_SYM_PROC_RUNTIME_H
#include "runtime/runtime.h"
#include "sym/elf/elf.h"
#include "sym/proc/proc.h"
#include "sym/sym.h"

/* The memory of a function as read once. Two equal heads mean that it is still the same function. */
#define RUNTIME_HEAD 136
struct runtime_head {
	uint8_t bytes[RUNTIME_HEAD];
};

/* One kind of runtime. `state` is what attach() made for a process. */
struct runtime_kind {
	const char *module; /* of its frames */
	/* Base name of the only file that has it; NULL: any may. */
	const char *file;
	/* The word for a function in messages, in brackets. */
	const char *function;
	/* Looks at sections of a file; NULL: its symbols tell. */
	void (*look)(struct ufile *f, const struct elf *e);
	/* Takes a symbol of a file that may have the runtime; e: to read its value. */
	void (*take)(struct ufile *f, const struct elf *e, const Elf64_Sym *sym, const char *name, size_t len);
	/* All symbols are taken: whether the file has the runtime. */
	bool (*has)(struct ufile *f);
	/* Fills *walk of the process, whose file f is mapped by bias, but for its start. *state may be one of before. 0
	 * or -errno. */
	int (*attach)(const struct ufile *f, uint64_t bias, const struct rt_mem *m, void **state,
		      struct sym_runtime *walk);
	void (*free)(void *state);
	/* Whether frames of this process can have names, and a frame has a function: else it is a mark. */
	bool (*named)(const void *state, uint64_t frame);
	/* Why there are no frames; may write into buf. */
	const char *(*mark)(const void *state, uint64_t frame, char *buf, size_t size);
	/* The value that frames of one function have in common. */
	uint64_t (*function_of)(uint64_t frame);
	int (*head)(void *state, const struct rt_mem *m, uint64_t frame, struct runtime_head *ret);
	/* 0; 1: there may be more to say later; or -errno. *tier: what is to be added to the module, "" at first. */
	int (*text)(void *state, const struct rt_mem *m, const struct runtime_head *h, uint64_t frame, char *buf,
		    size_t size, const char **tier);
};
extern const struct runtime_kind runtime_python, runtime_v8, runtime_hotspot, runtime_go;

/* A frame of a runtime as sym_user() gives it; p NULL: the process is not known. */
bool runtime_symbol(struct sym *s, struct uproc *p, uint64_t frame, struct symbol *ret);
/* Forgets what is known of a process's runtime. */
void runtime_free(struct sym *s, struct uproc *p);
/* And of a file's. */
void runtime_file_free(struct ufile *f);
#endif
