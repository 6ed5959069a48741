/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the files that processes map, with their symbols. All processes that map a file share one object. */
#ifndef DWELL_SYM_PROC_UFILE_H
#define DWELL_SYM_PROC_UFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "sym/elf/elf.h"
#include "base/hash_try.h"
#include "sym/elf/symtab.h"

/* Files kept although no process maps them any more: the next one to map them is then cheap. */
#define UFILE_MAX_UNUSED 4096u
/* Descriptors held for files whose symbols nobody has asked for yet; the rest is reopened by path.
 */
#define UFILE_MAX_OPEN 512u
/* All symbol tables together, bytes; files loaded after that have no symbols. */
#define UFILE_MAX_TOTAL ((size_t)1 << 30)
#define UFILE_MAX_VDSO (64u << 10)

struct sym;
struct v8file;
struct hsfile;
struct gofile;

/* Identifies a file and its state: an inode number is used again after deletion. */
struct ufile_key {
	uint64_t dev, ino, size;
	int64_t mtime_s, mtime_ns;
};

/* Where a file's unwinding table was put; nindex 0: it has none. */
struct uwplace {
	uint64_t base;
	uint32_t index, nindex;
};

/* Link addresses of what a Python interpreter exports; runtime 0: the file is none. */
struct pyfile {
	uint64_t runtime, eval, eval_len, version, code_type;
};

struct ufile {
	struct ufile_key key;
	uint32_t uid;	    /* owner */
	const char *path;   /* in the first process seen with it; in sym.names */
	const char *module; /* base name */
	int fd;		    /* while not loaded, or -1 */
	const uint8_t *mem; /* [vdso]: its contents, or NULL */
	uint8_t *own_mem;   /* the same, when it must be freed */
	bool loaded;
	bool is_elf; /* valid when loaded */
	struct elf_seg *seg;
	unsigned nseg;
	struct symtab *tab; /* shared by files of one build id; NULL: none */
	struct uwplace uw;
	bool uw_tried;
	struct pyfile py;
	struct v8file *v8;	   /* what it says of V8 (v8.c), or NULL */
	struct hsfile *hotspot;	   /* of HotSpot (hotspot.c), or NULL */
	struct gofile *go;	   /* of Go (go.c), or NULL */
	bool rt_tried;		   /* looked at for all */
	unsigned refs;		   /* mappings */
	UT_hash_handle hh;	   /* in ufiles.by_key */
	struct ufile *prev, *next; /* in ufiles.open or ufiles.unused */
};

/* A symbol table that several files share: copies of one file in several containers. Only files of
 * one owner share, so that nobody can put names into the files of others with a forged build id. */
struct utab_key {
	uint8_t build_id[ELF_MAX_BUILD_ID];
	uint64_t size;
	uint64_t uid;
};

struct utab {
	struct utab_key key;
	struct symtab tab;
	UT_hash_handle hh;
};

struct ufiles {
	struct ufile *by_key;
	struct ufile *open; /* oldest first; those with fd >= 0 */
	unsigned nopen;
	struct ufile *unused; /* oldest first; loaded ones with refs == 0 */
	unsigned nunused;
	struct utab *tabs;
	size_t bytes;
	struct ufile *vdso; /* dwell's own, once looked for */
};

/* The file of an O_PATH descriptor, with a reference for the caller; NULL without memory. The
 * descriptor stays the caller's. */
struct ufile *ufile_get(struct sym *s, int pathfd, const struct stat *st, const char *path);
/* The kernel's code page as mapped in dwell itself (ref'd), or NULL; *size is its length. */
struct ufile *ufile_get_vdso(struct sym *s, size_t *size);
/* Another process's, from a copy of its memory (copied again). */
struct ufile *ufile_get_image(struct sym *s, const void *mem, size_t size, const char *name);
void ufile_ref(struct sym *s, struct ufile *f);
void ufile_put(struct sym *s, struct ufile *f); /* accepts NULL */
/* Reads segments and symbols once. tgid: a process that maps it, for debug files in its root. */
void ufile_load(struct sym *s, struct ufile *f, uint32_t tgid);
/* The file's bytes are at hand (fd or mem); false: it is gone. */
bool ufile_open(struct sym *s, struct ufile *f);
/* Gives the descriptor up again that ufile_open() got for a file in use. */
void ufile_close(struct sym *s, struct ufile *f);
/* Makes the unwinding table, once, when tables are wanted (unwind.c). */
void ufile_unwind(struct sym *s, struct ufile *f, const struct elf *e);
void ufiles_free(struct sym *s);
#endif
