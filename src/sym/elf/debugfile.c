/* SPDX-License-Identifier: Apache-2.0 */
/* Finds separate debug files. Source: GDB manual, "Debugging Information in Separate Files". */
#include "sym/elf/debugfile.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "sym/elf/debuginfod.h"
#include "sym/elf/open.h"

#define LINK_MAX_SIZE 4096u /* of the section .gnu_debuglink */
#define CRC_STEP (64u << 10)

struct search {
	const struct elf *e;
	const char *path, *debug_dir, *alt;
	int root;		 /* O_PATH of another root directory, or -1: our own */
	char link[NAME_MAX + 1]; /* "": no .gnu_debuglink */
	uint32_t crc;
	const uint8_t *id; /* the build id that the file must have */
	size_t nid;
	const char *section;	/* instead of an id: what the file must have */
	const char *dir, *name; /* of a split part */
};

/* .gnu_debuglink: a file name, padding to 4, the checksum. */
static void read_link(struct search *s)
{
	const Elf64_Shdr *sh = elf_section(s->e, ".gnu_debuglink");
	_cleanup_free_ char *buf = NULL;
	size_t n;

	if (!sh || elf_section_read(s->e, sh, LINK_MAX_SIZE, &buf, &n) < 0)
		return;
	size_t len = strnlen(buf, n), at = ROUND_UP(len + 1, 4);

	if (len == 0 || len > NAME_MAX || strchr(buf, '/') || strcmp(buf, "..") == 0 || strcmp(buf, ".") == 0 ||
	    at + sizeof(s->crc) > n)
		return;
	memcpy(&s->crc, buf + at, sizeof(s->crc));
	memcpy(s->link, buf, len + 1);
}

static bool crc_matches(const struct elf_src *src, uint32_t want)
{
	_cleanup_free_ uint8_t *buf = malloc(CRC_STEP);
	uLong crc = crc32(0, NULL, 0);

	if (!buf || src->size > DEBUGFILE_MAX_CRC)
		return false;
	for (uint64_t at = 0; at < src->size;) {
		size_t n = src->size - at < CRC_STEP ? (size_t)(src->size - at) : CRC_STEP;

		if (elf_read(src, at, buf, n) < 0)
			return false;
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return crc == want;
}

static bool matches(const struct search *s, const struct elf *d, bool by_link)
{
	if (s->section)
		return elf_section(d, s->section) != NULL;
	if (s->nid || d->nbuild_id)
		return s->nid == d->nbuild_id && memcmp(s->id, d->build_id, s->nid) == 0;
	return by_link && crc_matches(&d->src, s->crc);
}

/* The file, if it is an ELF file and the one that is looked for; else it is closed. */
static int take(const struct search *s, int fd, uint64_t size, const char *path, bool by_link, struct debugfile *ret)
{
	int r = elf_open(&ret->elf, (struct elf_src){ .fd = fd, .size = size });

	if (r == 0 && !matches(s, &ret->elf, by_link)) {
		elf_close(&ret->elf);
		r = -ENOENT;
	}
	if (r < 0) {
		close(fd);
		return -ENOENT;
	}
	ret->fd = fd;
	snprintf(ret->path, sizeof(ret->path), "%s", path);
	return 0;
}

static int try_path(const struct search *s, const char *path, bool by_link, struct debugfile *ret)
{
	struct stat st;
	int fd = s->root < 0 ? open_regular(AT_FDCWD, path, true, &st) : open_regular_in_root(s->root, path, true, &st);

	return fd < 0 ? -ENOENT : take(s, fd, (uint64_t)st.st_size, path, by_link, ret);
}

/* On servers, when the user has consented. */
static int try_servers(const struct search *s, struct debugfile *ret)
{
	_cleanup_free_ char *path = NULL;
	int fd = debuginfod_fetch(s->id, s->nid, &path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOENT;
	}
	return take(s, fd, (uint64_t)st.st_size, path, false, ret);
}

static int try_build_id(const struct search *s, struct debugfile *ret)
{
	char path[PATH_MAX], hex[2 * ELF_MAX_BUILD_ID + 1];

	if (s->nid < 2)
		return -ENOENT;
	for (size_t i = 0; i < s->nid; i++)
		snprintf(hex + 2 * i, 3, "%02x", s->id[i]);
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", s->debug_dir, hex, hex + 2) >= (int)sizeof(path))
		return -ENOENT;
	return try_path(s, path, false, ret);
}

static int try_link(const struct search *s, struct debugfile *ret)
{
	static const struct {
		bool in_debug_dir;
		const char *sub;
	} places[] = { { false, "" }, { false, "/.debug" }, { true, "" } };
	const char *slash = strrchr(s->path, '/');

	for (size_t i = 0; s->link[0] && slash && i < ARRAY_SIZE(places); i++) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i].in_debug_dir ? s->debug_dir : "",
				 (int)(slash - s->path), s->path, places[i].sub, s->link);

		if (n < (int)sizeof(path) && try_path(s, path, true, ret) == 0)
			return 0;
	}
	return -ENOENT;
}

/* The root directory of a process, when it sees other files than we do. */
static int other_root(uint32_t tgid)
{
	char path[64];
	struct stat own, its;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/mnt", tgid);
	bool same_ns = stat("/proc/self/ns/mnt", &own) == 0 && stat(path, &its) == 0 && own.st_ino == its.st_ino;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", tgid);
	if (stat("/", &own) < 0 || stat(path, &its) < 0)
		return -1;
	if (same_ns && own.st_ino == its.st_ino && own.st_dev == its.st_dev)
		return -1;
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* How a file is looked for, in our root directory or another. */
typedef int (*search_fn)(const struct search *s, struct debugfile *ret);

static int search(struct search *s, uint32_t tgid, search_fn fn, struct debugfile *ret)
{
	int r = fn(s, ret);

	if (r < 0 && tgid != 0) {
		_cleanup_close_ int root = other_root(tgid);

		s->root = root;
		if (root >= 0)
			r = fn(s, ret);
	}
	return r;
}

static int try_debug(const struct search *s, struct debugfile *ret)
{
	return try_build_id(s, ret) == 0 ? 0 : try_link(s, ret);
}

static int try_alt(const struct search *s, struct debugfile *ret)
{
	const char *slash = strrchr(s->path, '/');
	char path[PATH_MAX];
	int n = s->alt[0] == '/'
			? snprintf(path, sizeof(path), "%s", s->alt)
			: snprintf(path, sizeof(path), "%.*s/%s", slash ? (int)(slash - s->path) : 0, s->path, s->alt);

	return n < (int)sizeof(path) && try_path(s, path, false, ret) == 0 ? 0 : try_build_id(s, ret);
}

static int try_split(const struct search *s, struct debugfile *ret)
{
	const char *slash = strrchr(s->path, '/'), *base = strrchr(s->name, '/');
	int ndir = slash ? (int)(slash - s->path) : 0;
	char path[PATH_MAX];

	for (unsigned i = 0; i < 3; i++) {
		int n;

		if (s->name[0] == '/' && i == 0)
			n = snprintf(path, sizeof(path), "%s", s->name);
		else if (i == 0)
			n = s->dir ? snprintf(path, sizeof(path), "%s/%s", s->dir, s->name) : PATH_MAX;
		else
			n = snprintf(path, sizeof(path), "%.*s/%s", ndir, s->path, i == 2 && base ? base + 1 : s->name);
		if (n < (int)sizeof(path) && try_path(s, path, false, ret) == 0)
			return 0;
	}
	return -ENOENT;
}

int debugfile_open_split(const struct debugplace *p, const char *dir, const char *name, struct debugfile *ret)
{
	struct search s = { .path = p->path, .root = -1, .section = ".debug_info.dwo", .dir = dir, .name = name };

	return search(&s, p->tgid, try_split, ret);
}

static int try_package(const struct search *s, struct debugfile *ret)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s.dwp", s->path) < (int)sizeof(path) ? try_path(s, path, false, ret)
										   : -ENOENT;
}

int debugfile_open_package(const struct debugplace *p, struct debugfile *ret)
{
	struct search s = { .path = p->path, .root = -1, .section = ".debug_cu_index" };

	return search(&s, p->tgid, try_package, ret);
}

int debugfile_open_alt(const struct elf *e, const char *path, const char *debug_dir, uint32_t tgid,
		       struct debugfile *ret)
{
	const Elf64_Shdr *sh = elf_section(e, ".gnu_debugaltlink");
	_cleanup_free_ char *buf = NULL;
	size_t n, len;

	/* A path, and the build id after its NUL. */
	if (!sh || elf_section_read(e, sh, LINK_MAX_SIZE, &buf, &n) < 0)
		return -ENOENT;
	len = strnlen(buf, n);
	if (len == 0 || len + 1 >= n || n - len - 1 > ELF_MAX_BUILD_ID)
		return -ENOENT;
	struct search s = { .path = path,
			    .debug_dir = debug_dir,
			    .root = -1,
			    .alt = buf,
			    .id = (const uint8_t *)buf + len + 1,
			    .nid = n - len - 1 };

	return search(&s, tgid, try_alt, ret) == 0 ? 0 : try_servers(&s, ret);
}

int debugfile_open(const struct elf *e, const char *path, const char *debug_dir, uint32_t tgid, struct debugfile *ret)
{
	struct search s = {
		.e = e, .path = path, .debug_dir = debug_dir, .root = -1, .id = e->build_id, .nid = e->nbuild_id
	};

	read_link(&s);
	return search(&s, tgid, try_debug, ret) == 0 ? 0 : try_servers(&s, ret);
}

void debugfile_close(struct debugfile *d)
{
	elf_close(&d->elf);
	close(d->fd);
	d->fd = -1;
}
