/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps mapped files by identity, and loads their symbols when first asked. */
#include "sym/proc/ufile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/elf/debugfile.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/minidebug.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"
#include "sym/proc/runtime.h"

/* Key of images that are no files. */
#define UFILE_DEV_IMAGE UINT64_MAX

static void close_file(struct ufiles *u, struct ufile *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	DL_DELETE(u->open, f);
	u->nopen--;
}

static struct ufile *new_file(struct sym *s, const struct ufile_key *key, const char *path)
{
	struct ufile *f = calloc(1, sizeof(*f));
	const char *base = strrchr(path, '/');

	if (!f)
		return NULL;
	f->key = *key;
	f->fd = -1;
	f->path = strset_add(&s->names, path);
	f->module = strset_add(&s->names, base ? base + 1 : path);
	if (f->path && f->module)
		HASH_ADD(hh, s->files.by_key, key, sizeof(f->key), f);
	if (!f->hh.tbl) {
		free(f);
		return NULL;
	}
	return f;
}

static struct ufile_key key_of(const struct stat *st)
{
	return (struct ufile_key){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_s = st->st_mtim.tv_sec,
		.mtime_ns = st->st_mtim.tv_nsec,
	};
}

/* When no process maps it any more: without symbols there is nothing worth keeping. */
static bool is_kept(const struct ufile *f)
{
	return f->loaded || f->uw_tried;
}

/* Keeps the file readable after its deletion, or after the end of its mount namespace. */
static void hold_open(struct ufiles *u, struct ufile *f, int pathfd)
{
	if (u->nopen >= UFILE_MAX_OPEN)
		close_file(u, u->open);
	f->fd = open_reopen(pathfd);
	if (f->fd < 0)
		return;
	DL_APPEND(u->open, f);
	u->nopen++;
}

/* One user more: it is none of the unused. */
static struct ufile *take(struct sym *s, struct ufile *f)
{
	if (f->refs == 0 && is_kept(f)) {
		DL_DELETE(s->files.unused, f);
		s->files.nunused--;
	}
	f->refs++;
	return f;
}

struct ufile *ufile_get(struct sym *s, int pathfd, const struct stat *st, const char *path)
{
	struct ufile_key key = key_of(st);
	struct ufile *f;

	HASH_FIND(hh, s->files.by_key, &key, sizeof(key), f);
	if (!f) {
		f = new_file(s, &key, path);
		if (!f)
			return NULL;
		f->uid = st->st_uid;
		hold_open(&s->files, f, pathfd);
	}
	return take(s, f);
}

static size_t vdso_size(const uint8_t *at)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long start, end;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == (uintptr_t)at)
			return end - start;
	}
	return 0;
}

struct ufile *ufile_get_vdso(struct sym *s, size_t *size)
{
	struct ufile *f = s->files.vdso;

	if (!f) {
		const uint8_t *at = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
		struct ufile_key key = { .dev = UFILE_DEV_IMAGE, .size = at ? vdso_size(at) : 0 };

		if (key.size == 0)
			return NULL;
		f = new_file(s, &key, "[vdso]");
		if (!f)
			return NULL;
		f->mem = at;
		f->refs = 1; /* of ufiles itself */
		s->files.vdso = f;
	}
	f->refs++;
	*size = f->key.size;
	return f;
}

struct ufile *ufile_get_image(struct sym *s, const void *mem, size_t size, const char *name)
{
	struct ufile_key key = { .dev = UFILE_DEV_IMAGE, .ino = 1, .size = size };
	struct ufile *f;

	for (size_t i = 0; i < size; i++)
		key.ino = (key.ino ^ ((const uint8_t *)mem)[i]) * 0x100000001b3ULL;
	HASH_FIND(hh, s->files.by_key, &key, sizeof(key), f);
	if (f && (!f->mem || memcmp(f->mem, mem, size) != 0))
		return NULL;
	if (!f) {
		_cleanup_free_ uint8_t *copy = malloc(size);

		f = copy ? new_file(s, &key, name) : NULL;
		if (!f)
			return NULL;
		memcpy(copy, mem, size);
		f->mem = f->own_mem = take_ptr(copy);
	}
	return take(s, f);
}

void ufile_ref(struct sym *s, struct ufile *f)
{
	(void)s;
	if (f)
		f->refs++;
}

static void put_tab(struct ufiles *u, struct symtab *t)
{
	struct utab *ut = t ? (struct utab *)((char *)t - offsetof(struct utab, tab)) : NULL;

	if (!ut || --t->refs > 0)
		return;
	u->bytes -= symtab_bytes(t);
	if (ut->hh.tbl)
		HASH_DEL(u->tabs, ut);
	symtab_done(t);
	free(ut);
}

static void free_file(struct sym *s, struct ufile *f)
{
	close_file(&s->files, f);
	HASH_DEL(s->files.by_key, f);
	put_tab(&s->files, f->tab);
	free(f->own_mem);
	runtime_file_free(f);
	free(f->seg);
	free(f);
}

void ufile_put(struct sym *s, struct ufile *f)
{
	if (!f || --f->refs > 0)
		return;
	if (!is_kept(f)) {
		free_file(s, f);
		return;
	}
	close_file(&s->files, f); /* a file is in one of the lists only */
	DL_APPEND(s->files.unused, f);
	if (++s->files.nunused > UFILE_MAX_UNUSED) {
		struct ufile *old = s->files.unused;

		DL_DELETE(s->files.unused, old);
		s->files.nunused--;
		free_file(s, old);
	}
}

void ufiles_free(struct sym *s)
{
	struct ufile *f, *tmp;

	HASH_ITER (hh, s->files.by_key, f, tmp)
		free_file(s, f);
	s->files = (struct ufiles){ 0 };
}

/* Opens the file again when its descriptor was given up, if it is still the same. */
static void reopen(struct sym *s, struct ufile *f)
{
	struct stat st;
	int fd = open_regular(AT_FDCWD, f->path, true, &st);

	if (fd < 0)
		return;
	struct ufile_key key = key_of(&st);

	if (memcmp(&key, &f->key, sizeof(key)) != 0) {
		close(fd);
		return;
	}
	f->fd = fd;
	DL_APPEND(s->files.open, f);
	s->files.nopen++;
}

/* A file's own symbols; when they were stripped, those of its debug file or of .gnu_debugdata. */
static void load_symbols(struct sym *s, struct symtab *t, const struct ufile *f, uint32_t tgid, const struct elf *e)
{
	struct debugfile d;
	int r = elfsym_load(e, SHT_SYMTAB, t);

	if (r < 0)
		elfsym_load(e, SHT_DYNSYM, t);
	if (r == -ENOENT && !f->mem && debugfile_open(e, f->path, s->debug_dir, tgid, &d) == 0) {
		r = elfsym_load(&d.elf, SHT_SYMTAB, t);
		debugfile_close(&d);
	}
	if (r == -ENOENT)
		minidebug_load(e, t);
	elfsym_load_plt(e, t);
}

static struct symtab *new_tab(struct sym *s, struct ufile *f, uint32_t tgid, const struct elf *e,
			      const struct utab_key *key)
{
	struct utab *ut = calloc(1, sizeof(*ut));

	if (!ut)
		return NULL;
	ut->key = *key;
	load_symbols(s, &ut->tab, f, tgid, e);
	if (symtab_finish(&ut->tab) < 0 || symtab_bytes(&ut->tab) > UFILE_MAX_TOTAL - s->files.bytes) {
		symtab_done(&ut->tab);
		free(ut);
		return NULL;
	}
	s->files.bytes += symtab_bytes(&ut->tab);
	ut->tab.refs = 1;
	if (e->nbuild_id > 0)
		HASH_ADD(hh, s->files.tabs, key, sizeof(ut->key), ut);
	return &ut->tab;
}

static void load_elf(struct sym *s, struct ufile *f, uint32_t tgid, const struct elf_src *src)
{
	struct elf e;
	struct utab_key key = { .size = src->size, .uid = f->uid };
	struct utab *ut = NULL;

	if (elf_open(&e, *src) < 0)
		return;
	f->is_elf = true;
	ufile_unwind(s, f, &e); /* the file may be gone the next time */
	if (f->seg || elf_segments(&e, &f->seg, &f->nseg) == 0) {
		memcpy(key.build_id, e.build_id, e.nbuild_id);
		if (e.nbuild_id > 0)
			HASH_FIND(hh, s->files.tabs, &key, sizeof(key), ut);
		if (ut) {
			ut->tab.refs++;
			f->tab = &ut->tab;
		} else {
			f->tab = new_tab(s, f, tgid, &e, &key);
		}
	}
	elf_close(&e);
}

bool ufile_open(struct sym *s, struct ufile *f)
{
	if (!f->mem && f->fd < 0)
		reopen(s, f);
	return f->mem || f->fd >= 0;
}

void ufile_close(struct sym *s, struct ufile *f)
{
	close_file(&s->files, f);
}

void ufile_load(struct sym *s, struct ufile *f, uint32_t tgid)
{
	if (f->loaded)
		return;
	f->loaded = true;
	if (ufile_open(s, f)) {
		struct elf_src src = { .fd = f->fd, .mem = f->mem, .size = f->key.size };

		load_elf(s, f, tgid, &src);
	}
	close_file(&s->files, f);
}
