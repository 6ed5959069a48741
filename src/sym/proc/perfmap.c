/* SPDX-License-Identifier: Apache-2.0 */
/* Reads perf maps, which grow while their process runs. */
#include "sym/proc/perfmap.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"

#define PERFMAP_READ (64u << 10)
#define PERFMAP_SHARE 8u /* re-reading takes at most 1 / 8 of the time */

void perfmap_init(struct perfmap *pm)
{
	*pm = (struct perfmap){ .fd = -1 };
}

static void forget(struct perfmap *pm)
{
	pm->n = pm->ntext = 0;
	pm->parsed = 0;
	pm->seq = 0;
	pm->skip = false;
}

void perfmap_free(struct perfmap *pm)
{
	closep(&pm->fd);
	free(pm->v);
	free(pm->text);
	perfmap_init(pm);
}

/* The number of the process in its own pid namespace, and its user. */
static int read_status(int procfd, unsigned *ret_pid, unsigned *ret_uid)
{
	int fd = openat(procfd, "status", O_RDONLY | O_CLOEXEC);
	_cleanup_fclose_ FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[512];
	int found = 0;

	if (!f) {
		closep(&fd);
		return -ESRCH;
	}
	while (fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (strncmp(line, "NSpid:", 6) == 0 && last)
			found += sscanf(last, "%u", ret_pid);
		else if (strncmp(line, "Uid:", 4) == 0)
			found += sscanf(line, "Uid: %*u %u", ret_uid);
	}
	return found == 2 ? 0 : -ESRCH;
}

int perfmap_open(struct perfmap *pm, int procfd)
{
	unsigned pid, uid;
	char name[64];
	struct stat st;
	int r = read_status(procfd, &pid, &uid);

	if (r < 0)
		return r;
	_cleanup_close_ int root = openat(procfd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
	_cleanup_close_ int fd = open_regular_in_root(root, name, false, &st);

	if (fd < 0)
		return fd;
	if (st.st_uid != uid && st.st_uid != 0)
		return -EPERM;
	if (pm->fd >= 0 && pm->dev == st.st_dev && pm->ino == st.st_ino)
		return 0;
	closep(&pm->fd);
	forget(pm);
	pm->dev = st.st_dev;
	pm->ino = st.st_ino;
	pm->fd = take_fd(fd);
	return 0;
}

/* Hex digits, with or without 0x. */
static const char *parse_hex(const char *s, const char *end, uint64_t *ret)
{
	const char *p = end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' ? s + 2 : s;
	const char *first = p;

	*ret = 0;
	for (; p < end && isxdigit((unsigned char)*p) && p - first < 16; p++)
		*ret = *ret << 4 | (unsigned)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
	return p == first ? NULL : p;
}

bool perfmap_add_line(struct perfmap *pm, const char *line, size_t n)
{
	const char *end = line + n, *p;
	uint64_t addr, size;

	pm->seq++;
	p = parse_hex(line, end, &addr);
	if (!p || p == end || *p != ' ')
		return false;
	p = parse_hex(p + 1, end, &size);
	if (!p || end - p < 2 || *p != ' ' || addr + size < addr)
		return false;
	size_t len = (size_t)(end - ++p);

	if (pm->n >= SYM_MAX_SYMBOLS_PER_FILE ||
	    vec_reserve_raw((void **)&pm->text, &pm->captext, pm->ntext + len + 1, 1) < 0 ||
	    vec_reserve_raw((void **)&pm->v, &pm->cap, pm->n + 1, sizeof(*pm->v)) < 0)
		return false;
	pm->v[pm->n++] = (struct perfsym){
		.addr = addr,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.name = (uint32_t)pm->ntext,
		.seq = pm->seq,
	};
	memcpy(pm->text + pm->ntext, p, len);
	pm->text[pm->ntext + len] = '\0';
	pm->ntext += len + 1;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct perfsym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void perfmap_sort(struct perfmap *pm)
{
	bool sorted = true;

	for (size_t i = 1; i < pm->n && sorted; i++)
		sorted = by_addr(&pm->v[i - 1], &pm->v[i]) < 0;
	if (!sorted)
		qsort(pm->v, pm->n, sizeof(*pm->v), by_addr);
}

/* Full lines of buf; gives how many bytes they are. A line longer than the buffer is dropped in
 * parts, none of which may pass for a line of its own: pm->skip remembers that. */
static size_t add_lines(struct perfmap *pm, char *buf, size_t n, bool full)
{
	char *s = buf, *nl;

	while ((nl = memchr(s, '\n', n - (size_t)(s - buf)))) {
		if (!pm->skip && nl - s <= (ptrdiff_t)PERFMAP_MAX_LINE)
			perfmap_add_line(pm, s, (size_t)(nl - s));
		pm->skip = false;
		s = nl + 1;
	}
	if (s == buf && full) {
		pm->skip = true;
		return n;
	}
	return (size_t)(s - buf);
}

int perfmap_read(struct perfmap *pm)
{
	struct stat st;
	_cleanup_free_ char *buf = malloc(PERFMAP_READ);
	size_t before = pm->n;

	if (!buf || pm->fd < 0 || fstat(pm->fd, &st) < 0)
		return -EBADF;
	if ((uint64_t)st.st_size < pm->parsed) {
		forget(pm);
		before = 0;
	}
	while (pm->parsed < PERFMAP_MAX_BYTES) {
		ssize_t got = pread(pm->fd, buf, PERFMAP_READ, (off_t)pm->parsed);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size_t used = add_lines(pm, buf, (size_t)got, got == PERFMAP_READ);

		if (used == 0)
			break;
		pm->parsed += used;
	}
	if (pm->n != before)
		perfmap_sort(pm);
	return 0;
}

static const struct perfsym *find(const struct perfmap *pm, uint64_t addr)
{
	size_t lo = 0, hi = pm->n; /* the first one above addr */
	const struct perfsym *best = NULL;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pm->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < PERFMAP_LOOK_BACK; i--) {
		const struct perfsym *e = &pm->v[i - 1];

		if (addr - e->addr < e->size && (!best || e->seq > best->seq))
			best = e;
	}
	return best;
}

const struct perfsym *perfmap_at(struct perfmap *pm, uint64_t addr)
{
	struct stat st;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (pm->fd >= 0 && now >= pm->next_ns && fstat(pm->fd, &st) == 0 && (uint64_t)st.st_size != pm->parsed) {
		perfmap_read(pm);
		uint64_t end = clock_ns(CLOCK_MONOTONIC);

		pm->next_ns = end + (end - now) * PERFMAP_SHARE;
	}
	return find(pm, addr);
}
