/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the result of a heap search to the index file of a core, and reads it back. */
#include "core/jsheap/index.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"

#define MODE 0600
#define FLAG_CODE 1u
#define FLAG_ROOTED 2u
#define PIECES_MAX (2 * (uint64_t)JSFREE_MAX)
#define SAID 256u

struct js_index {
	char *path, *folder;
	FILE *from; /* NULL: none of use */
	bool keep, found;
	char said[SAID];
};

/* -- keys and sums -- */

static void mix(uint64_t *h, uint64_t w)
{
	*h = (*h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
	*h ^= *h >> 32;
}

static void mix_bytes(uint64_t *h, const void *p, size_t n)
{
	uint64_t w = n;

	mix(h, w);
	for (const uint8_t *at = p; n; n -= n < sizeof(w) ? n : sizeof(w), at += sizeof(w)) {
		w = 0;
		memcpy(&w, at, n < sizeof(w) ? n : sizeof(w));
		mix(h, w);
	}
}

static void mix_notes(uint64_t *h, const struct core *c)
{
	for (size_t i = 0; i < c->segs.n; i++) {
		const struct core_seg *s = &c->segs.v[i];

		mix(h, s->start);
		mix(h, s->end);
		mix(h, s->off);
		mix(h, s->bytes);
		mix(h, s->flags);
	}
	for (size_t i = 0; i < c->maps.n; i++) {
		const struct core_map *m = &c->maps.v[i];

		mix(h, m->start);
		mix(h, m->end);
		mix(h, m->off);
		mix_bytes(h, c->files.v[m->file].path, strlen(c->files.v[m->file].path));
	}
	for (size_t i = 0; i < c->threads.n; i++) {
		const struct core_thread *t = &c->threads.v[i];

		mix(h, (uint64_t)t->tid);
		mix_bytes(h, t->regs, sizeof(t->regs));
	}
}

uint64_t js_index_key(const struct js *js)
{
	struct core_file *program = core_program(js->core);
	uint64_t h = JSINDEX_VERSION;
	struct stat st = { 0 };

	if (!js->core->src.mem && fstat(js->core->src.fd, &st) == 0) {
		mix(&h, (uint64_t)st.st_mtim.tv_sec);
		mix(&h, (uint64_t)st.st_mtim.tv_nsec);
		mix(&h, (uint64_t)st.st_size);
	}
	mix(&h, js->core->size);
	mix_notes(&h, js->core);
	if (program)
		mix_bytes(&h, program->elf.build_id, program->elf.nbuild_id);
	mix(&h, js->version);
	mix(&h, (uint64_t)js->build << 32 | (uint32_t)js->patch);
	return h;
}

/* -- streams -- */

struct stream {
	FILE *f;
	uint64_t sum;
	int r; /* the first error; what comes after it does nothing */
};

/* Adds to the sum; called for all that is read or written. */
static void count(struct stream *s, const void *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint64_t w;

		memcpy(&w, (const uint8_t *)p + i, sizeof(w));
		mix(&s->sum, w);
	}
}

static uint64_t sum_with(struct stream *s, const struct js_index_head *head)
{
	struct js_index_head h = *head;

	h.sum = 0;
	count(s, &h, sizeof(h));
	return s->sum;
}

uint64_t js_index_sum(const struct js_index_head *head, const void *p, size_t n)
{
	struct stream s = { 0 };

	count(&s, p, n);
	return sum_with(&s, head);
}

/* n: whole words. */
static void get(struct stream *s, void *p, size_t n)
{
	if (s->r == 0 && n && fread(p, n, 1, s->f) != 1)
		s->r = ferror(s->f) ? -EIO : -EBADMSG;
	if (s->r == 0)
		count(s, p, n);
	else
		memset(p, 0, n);
}

static void put(struct stream *s, const void *p, size_t n)
{
	if (s->r == 0 && n && fwrite(p, n, 1, s->f) != 1)
		s->r = errno ? -errno : -EIO;
	if (s->r == 0)
		count(s, p, n);
}

/* -- reading -- */

/* Whether marks are those of a page: one at most in a page of one object, none after its end. */
static bool marks_fit(const struct js_page *p, const uint64_t *marks, uint64_t *objects)
{
	const size_t n = js_page_bits(p);
	const uint64_t last = (p->end - p->start) / JS_WORD % 64, sum = *objects;

	for (size_t i = 0; i < n; i++)
		*objects += (uint64_t)__builtin_popcountll(marks[i]);
	return !(marks[n - 1] >> last) && (!js_page_large(p) || *objects - sum == (marks[0] & 1));
}

static void read_pages(struct stream *s, struct js_heap *h, uint64_t *objects)
{
	uint64_t rooted = 0;

	for (size_t i = 0; i < h->pages.n && s->r == 0; i++) {
		struct js_page *p = &h->pages.v[i];
		const size_t n = js_page_bits(p) * sizeof(*p->marks);
		uint64_t w[6];

		get(s, w, sizeof(w));
		if (s->r == 0 && (w[0] != p->base || w[1] != p->limit || w[2] != p->start || w[3] != p->end ||
				  w[4] != p->heap || (w[5] & ~(uint64_t)FLAG_ROOTED) != (p->code ? FLAG_CODE : 0)))
			s->r = -EBADMSG;
		get(s, p->marks, n);
		if (w[5] & FLAG_ROOTED)
			get(s, p->rooted, n);
		if (s->r == 0 && (!marks_fit(p, p->marks, objects) || !marks_fit(p, p->rooted, &rooted)))
			s->r = -EBADMSG;
	}
}

/* A map, its first object, how many, bytes. */
static bool map_fits(struct js_heap *h, const uint64_t w[4])
{
	struct js_map_info *m = v8_is_object(w[0]) && js_page_of(h, w[0] - V8_TAG) ? js_map_info(h, w[0]) : NULL;
	uint64_t map;

	if (!m || !m->is_map || m->n || !w[2] || !js_heap_alive(h, w[1]) ||
	    core_read(h->js->core, w[1] - V8_TAG, &map, sizeof(map)) < 0 || map != w[0])
		return false;
	m->first = w[1];
	m->n = w[2];
	m->bytes = w[3];
	return true;
}

static void read_maps(struct stream *s, struct js_heap *h, uint64_t n, uint64_t *objects)
{
	if (n > JSHEAP_MAX_MAPS)
		s->r = -EBADMSG;
	for (uint64_t i = 0; i < n && s->r == 0; i++) {
		uint64_t w[4];

		get(s, w, sizeof(w));
		if (s->r == 0 && (!map_fits(h, w) || __builtin_add_overflow(*objects, w[2], objects)))
			s->r = -EBADMSG;
	}
}

/* Objects cannot have more bytes than the pages: what grows with them has a limit then. */
static bool bytes_fit(const struct js_heap *h, uint64_t bytes)
{
	uint64_t room = 0;

	for (size_t i = 0; i < h->pages.n; i++)
		room += h->pages.v[i].end - h->pages.v[i].start;
	return bytes <= room;
}

static void read_pieces(struct stream *s, struct js_heap *h, uint64_t n)
{
	uint64_t before = 0;

	if (n > PIECES_MAX)
		s->r = -EBADMSG;
	for (uint64_t i = 0; i < n && s->r == 0; i++) {
		struct js_free_piece p;

		get(s, &p, sizeof(p));
		if (s->r == 0 && (p.start >= p.end || p.start < before))
			s->r = -EBADMSG;
		before = p.start;
		if (s->r == 0)
			s->r = vec_try_push(&h->stale.free, p);
	}
}

static void read_lists(struct stream *s, struct js_heap *h, const struct js_index_head *head)
{
	struct js_near *n = NULL;

	if (!head->shift || s->r < 0)
		return;
	s->r = js_near_room(h, head->shift, head->lists, &n);
	if (s->r < 0)
		return;
	get(s, n->to, ROUND_UP((n->nblocks + 2) * sizeof(*n->to), 8));
	get(s, n->from, ROUND_UP((n->n + 1) * sizeof(*n->from), 8));
	if (s->r == 0 && !js_near_fits(n))
		s->r = -EBADMSG;
	h->near = n; /* it goes with the heap */
}

int js_index_read(FILE *f, uint64_t key, struct js_heap *h)
{
	struct stream s = { .f = f };
	struct js_index_head head;
	uint64_t marked = 0, counted = 0;

	if (fread(&head, sizeof(head), 1, f) != 1 || head.magic != JSINDEX_MAGIC || head.version != JSINDEX_VERSION ||
	    head.key != key || head.pages != h->pages.n || !bytes_fit(h, head.bytes))
		return -EBADMSG;
	read_pages(&s, h, &marked);
	read_maps(&s, h, s.r == 0 ? head.maps : 0, &counted);
	read_pieces(&s, h, s.r == 0 ? head.pieces : 0);
	h->bytes = head.bytes;
	read_lists(&s, h, &head);
	h->objects = (size_t)marked;
	if (s.r == 0 && (sum_with(&s, &head) != head.sum || !marked || marked != head.objects || marked != counted ||
			 fgetc(f) != EOF))
		s.r = -EBADMSG;
	return s.r;
}

/* -- writing -- */

static bool any(const uint64_t *bits, size_t n)
{
	while (n && !bits[n - 1])
		n--;
	return n;
}

static void write_pages(struct stream *s, const struct js_heap *h)
{
	for (size_t i = 0; i < h->pages.n; i++) {
		const struct js_page *p = &h->pages.v[i];
		const size_t n = js_page_bits(p);
		const uint64_t rooted = any(p->rooted, n) ? FLAG_ROOTED : 0;
		const uint64_t w[6] = {
			p->base, p->limit, p->start, p->end, p->heap, (p->code ? FLAG_CODE : 0) | rooted
		};

		put(s, w, sizeof(w));
		put(s, p->marks, n * sizeof(*p->marks));
		if (rooted)
			put(s, p->rooted, n * sizeof(*p->rooted));
	}
}

static uint64_t write_maps(struct stream *s, const struct js_heap *h)
{
	uint64_t n = 0;

	for (size_t i = 0; i < h->nmaps; i++) {
		const struct js_map_info *m = js_heap_map(h, i);

		if (!m->n)
			continue;
		put(s, (const uint64_t[]){ m->map, m->first, m->n, m->bytes }, 4 * sizeof(uint64_t));
		n++;
	}
	return n;
}

int js_index_write(FILE *f, uint64_t key, const struct js_heap *h)
{
	const struct js_near *near = h->near;
	struct js_index_head head = { .magic = JSINDEX_MAGIC,
				      .version = JSINDEX_VERSION,
				      .key = key,
				      .pages = h->pages.n,
				      .pieces = h->stale.free.n,
				      .shift = near ? near->shift : 0,
				      .lists = near ? near->n : 0,
				      .objects = h->objects,
				      .bytes = h->bytes };
	struct stream s = { .f = f };

	put(&s, &head, sizeof(head));
	s.sum = 0;
	write_pages(&s, h);
	head.maps = write_maps(&s, h);
	put(&s, h->stale.free.v, h->stale.free.n * sizeof(*h->stale.free.v));
	if (near) {
		put(&s, near->to, ROUND_UP((near->nblocks + 2) * sizeof(*near->to), 8));
		put(&s, near->from, ROUND_UP((near->n + 1) * sizeof(*near->from), 8));
	}
	head.sum = sum_with(&s, &head);
	if (s.r == 0 && (fseek(f, 0, SEEK_SET) < 0 || fwrite(&head, sizeof(head), 1, f) != 1 || fflush(f) != 0))
		s.r = errno ? -errno : -EIO;
	return s.r;
}

/* -- files -- */

static void say(struct js_index *i, const char *what, int r)
{
	snprintf(i->said, sizeof(i->said), "%s%s%s", what, r ? ": " : "", r ? strerror(-r) : "");
}

const char *js_index_said(struct js_index *i)
{
	const bool any = i && i->said[0] && !i->found;

	if (any)
		i->found = true;
	return any ? i->said : NULL;
}

/* The file of an index, if nobody else can have written it. */
static FILE *open_own(struct js_index *i)
{
	int fd = open(i->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	FILE *f;

	if (fd < 0) {
		if (errno != ENOENT)
			say(i, "the index cannot be opened", -errno);
		return NULL;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) ||
	    st.st_mode & (S_IWGRP | S_IWOTH)) {
		say(i, "the index is another user's, or others can write it: it is not used", 0);
		close(fd);
		return NULL;
	}
	f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

int js_index_open(const struct core *c, const char *path, bool keep, struct js_index **ret, struct err *err)
{
	struct js_index *i;
	char *slash;

	if (c->live || c->kernel || c->src.mem)
		return err_set(err, -ENOTSUP, "an index is kept of a core file only");
	i = calloc(1, sizeof(*i));
	if (!i || asprintf(&i->path, "%s%s", path, JSINDEX_SUFFIX) < 0 || !(i->folder = strdup(path))) {
		js_index_close(i);
		return err_set(err, -ENOMEM, "out of memory");
	}
	slash = strrchr(i->folder, '/');
	memcpy(slash ? slash + 1 : i->folder, slash ? "" : ".", slash ? 1 : 2);
	i->keep = keep;
	i->from = open_own(i);
	if (keep && faccessat(AT_FDCWD, i->folder, W_OK, AT_EACCESS) < 0) {
		const int r = err_set(err, -errno, "no index can be kept in %s: %s", i->folder, strerror(errno));

		js_index_close(i);
		return r;
	}
	*ret = i;
	return 0;
}

void js_index_close(struct js_index *i)
{
	if (!i)
		return;
	if (i->from)
		fclose(i->from);
	free(i->path);
	free(i->folder);
	free(i);
}

/* As the heap was when its pages were found. */
static void clear(struct js_heap *h)
{
	for (size_t i = 0; i < h->pages.n; i++) {
		const size_t n = js_page_bits(&h->pages.v[i]) * sizeof(uint64_t);

		memset(h->pages.v[i].marks, 0, n);
		memset(h->pages.v[i].rooted, 0, n);
	}
	js_heap_forget_maps(h);
	js_near_free(h->near);
	h->near = NULL;
	js_free_done(&h->stale);
	h->objects = 0;
	h->bytes = 0;
}

int js_index_take(struct js_index *i, struct js_heap *h)
{
	int r;

	if (!i || !i->from)
		return -ENOENT;
	r = js_index_read(i->from, js_index_key(h->js), h);
	fclose(i->from);
	i->from = NULL;
	if (r == 0)
		return 0;
	clear(h);
	say(i, "the index is of another core or another dwell, or damaged: it is not used", 0);
	return r == -ENOMEM ? r : -ENOENT;
}

void js_index_put(struct js_index *i, struct js_heap *h)
{
	_cleanup_free_ char *part = NULL;
	FILE *f = NULL;
	int fd, r;

	if (!i || !i->keep || asprintf(&part, "%s.%d", i->path, (int)getpid()) < 0)
		return;
	unlink(part); /* of a process of that number, which ended early */
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE);
	if (fd >= 0)
		f = fdopen(fd, "w");
	r = f ? js_index_write(f, js_index_key(h->js), h) : -errno;
	if (f && fclose(f) != 0 && r == 0)
		r = -errno;
	else if (!f)
		closep(&fd);
	if (r == 0 && rename(part, i->path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(part);
		say(i, "the index cannot be written", r);
	} else if (i->said[0]) {
		say(i, "the index was of another core or another dwell, or damaged: a new one is written", 0);
	}
}
