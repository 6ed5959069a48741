/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the program and the libraries of a living process, and the functions in them, for probes. */
#ifndef DWELL_SYM_OBJECT_UOBJ_H
#define DWELL_SYM_OBJECT_UOBJ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "sym/elf/elf.h"

#define UOBJ_MAX 4096u /* files with code in one process; further ones are left out */

/* A file that a process has mapped with code. All texts live in the arena. */
struct uobj {
	const char *path;    /* as the process sees it */
	const char *name;    /* base name: DTrace's module */
	const char *attach;  /* leads to this very file here and now: also when it was deleted, replaced,
			      * or lies in another mount namespace */
	uint64_t dev, ino;   /* as /proc/pid/maps has them */
	uint64_t st_dev;     /* as stat() has it: another number on some file systems */
	uint64_t start, off; /* of its first mapping with code: address, and offset in the file */
	bool is_exe;
};

/* The files in the order of their addresses, the program first. -ESRCH: no such process (or a zombie);
 * -EACCES; the words are in err. */
int uobj_list(struct arena *a, int pid, struct uobj **ret, size_t *ret_n, struct err *err);
/* Libraries that the process has not loaded yet, by base names that match the glob. Looked for in LD_LIBRARY_PATH of
 * the process and where the n files in v are; a full name also in the folders below those. The first of each name,
 * at most UOBJ_MAX_LATER; returns how many. */
#define UOBJ_MAX_LATER 64u
size_t uobj_find(struct arena *a, int pid, const struct uobj *v, size_t n, const char *glob, struct uobj **ret);
/* The file at a path, which no process needs to have. -ENOENT …, -EINVAL: not a regular file. */
int uobj_of_path(struct arena *a, const char *path, struct uobj *ret);
/* Files that the loader and the shell find by a name here. These are libraries of the loader's cache (/etc/ld.so.cache)
 * whose base names match(). If the name has no ".so", the program in PATH is one, too. At most UOBJ_MAX_LATER; returns
 * how many. */
size_t uobj_by_name(struct arena *a, const char *name, bool (*match)(const char *name, const struct uobj *o),
		    struct uobj **ret);
/* A mapping with code as the kernel tells of it when it is made. */
struct uobj_mapping {
	int pid;
	uint64_t start, end, off;
	uint64_t dev, ino; /* dev as makedev() */
	const char *path;
};
/* Its file: through the process, or at its path when that is gone already. -ENOENT: neither leads to it. */
int uobj_of_mapping(struct arena *a, const struct uobj_mapping *m, struct uobj *ret);
/* Opens it; the caller calls uobj_close(). -ENOEXEC: no ELF file … */
struct uobj_file {
	struct elf elf;
	int fd;
};
int uobj_open(const struct uobj *o, struct uobj_file *ret);
void uobj_close(struct uobj_file *f);

/* Brings the constants of a file (its mappings that are neither written nor executed) into the memory of a process.
 * BPF programs cannot wait for pages; now they can read strings there that the process itself never looks at. At
 * most UOBJ_MAX_TOUCH bytes; best effort. */
#define UOBJ_MAX_TOUCH (32u << 20)
void uobj_touch(const struct uobj *o, int pid);

struct ufunc {
	uint64_t addr; /* as linked */
	uint64_t off;  /* in the file */
	uint64_t size;
	const char *name; /* mangled, without version */
};

struct ufuncs {
	struct ufunc *v; /* by address; several names of one address: the best known first */
	size_t n;
	uint16_t machine; /* EM_… */
	bool go;	  /* made by the Go compiler */
};

/* All functions with code in the file: of its symbol tables; of its debug file or .gnu_debugdata where
 * it was stripped. Resolvers (STT_GNU_IFUNC) are no functions for this purpose. tgid: a process that has
 * it, for debug files in its root. */
int uobj_funcs(struct arena *a, const struct uobj *o, int tgid, struct ufuncs **ret);
/* The function of this name, or the one covering an offset of the file; NULL. */
const struct ufunc *ufuncs_find(const struct ufuncs *f, const char *name);
const struct ufunc *ufuncs_at(const struct ufuncs *f, uint64_t off);
/* The function's code, malloc'ed; at most UFUNC_MAX_CODE bytes. */
#define UFUNC_MAX_CODE (16u << 20)
int ufunc_code(const struct uobj *o, const struct ufunc *f, uint8_t **ret);
/* Types of the file's functions, from it or its debug file. Errors as dwarf_read_types(). */
struct dwarf_types;
int uobj_types(const struct uobj *o, int tgid, struct dwarf_types *ret);
/* The file's types as BTF, unchecked and malloc'ed. They are in its section .BTF, in that of its debug file, or in a
 * file beside it with .btf after its name. -ENODATA: there is none; -EFBIG: more than UOBJ_MAX_BTF bytes. */
#define UOBJ_MAX_BTF (256u << 20)
int uobj_btf(const struct uobj *o, int tgid, char **ret, size_t *ret_n);
/* Offset in the file of an address as linked, where the file has code; -ENOENT. */
int uobj_code_off(const struct elf *e, uint64_t addr, uint64_t *ret);
#endif
