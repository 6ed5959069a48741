/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/tracee/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "replay/trace/stub.h"
#include "sym/proc/maps.h"

#define PAGE 4096ull
#define PIECE_PAGES (MEMORY_PIECE / PAGE)
#define PAGE_THERE (3ull << 62) /* in /proc/PID/pagemap: in memory, or swapped out */

struct walk {
	struct tracee *t;
	int pagemap;
	memory_fn *fn;
	void *ctx;
	uint8_t buf[MEMORY_PIECE];
};

/* A run of pages that are there; what cannot be read is after the end of a mapped file. */
static int tell(struct walk *w, uint64_t start, uint64_t pages)
{
	size_t n = pages ? tracee_read(w->t, start, w->buf, pages * PAGE) / PAGE * PAGE : 0;

	return n ? w->fn(w->ctx, start, w->buf, n) : 0;
}

/* At most PIECE_PAGES of a mapping without a file, where untouched pages are zeros. */
static int tell_touched(struct walk *w, uint64_t start, uint64_t pages)
{
	uint64_t there[PIECE_PAGES];
	ssize_t n = pread(w->pagemap, there, pages * sizeof(*there), (off_t)(start / PAGE * sizeof(*there)));
	uint64_t from = 0;
	int e = 0;

	if (n != (ssize_t)(pages * sizeof(*there)))
		return n < 0 ? -errno : -EIO;
	for (uint64_t i = 0; i <= pages && e == 0; i++)
		if (i == pages || !(there[i] & PAGE_THERE)) {
			e = tell(w, start + from * PAGE, i - from);
			from = i + 1;
		}
	return e;
}

static int tell_mapping(struct walk *w, uint64_t start, uint64_t end, bool file)
{
	int e = 0;

	if (start >= STUB_CODE && start < STUB_END)
		return 0;
	for (uint64_t at = start, pages; at < end && e == 0; at += pages * PAGE) {
		pages = (end - at) / PAGE < PIECE_PAGES ? (end - at) / PAGE : PIECE_PAGES;
		e = file ? tell(w, at, pages) : tell_touched(w, at, pages);
	}
	return e;
}

int memory_each(struct tracee *t, memory_fn *fn, void *ctx)
{
	_cleanup_free_ struct walk *w = malloc(sizeof(*w));
	_cleanup_close_ int pagemap = -1;
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	char path[64];
	int e = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)t->pid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->pid);
	f = fopen(path, "re");
	if (!w || pagemap < 0 || !f)
		return w ? -errno : -ENOMEM;
	w->t = t;
	w->pagemap = pagemap;
	w->fn = fn;
	w->ctx = ctx;
	while (e == 0 && getline(&line, &room, f) > 0) {
		struct maps_line l;

		if (!maps_parse_line(line, &l))
			return -EBADMSG;
		if ((l.prot & PROT_READ) && (l.prot & PROT_WRITE))
			e = tell_mapping(w, l.start, l.end, l.ino != 0);
	}
	return e;
}

static int add_up(void *ctx, uint64_t addr, const uint8_t *bytes, size_t n)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u; /* spreads page numbers over all bits */
	uint64_t *sum = ctx;

	for (size_t i = 0; i < n; i += PAGE)
		if (bytes[i] || memcmp(bytes + i, bytes + i + 1, PAGE - 1) != 0)
			*sum += (crc32(0, bytes + i, PAGE) + 1) * ((addr + i) / PAGE * 2 + 1) * odd;
	return 0;
}

int memory_sum(struct tracee *t, uint64_t *ret)
{
	uint64_t sum = 0;
	int e = memory_each(t, add_up, &sum);

	if (e == 0)
		*ret = sum;
	return e;
}
