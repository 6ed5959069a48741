/* SPDX-License-Identifier: Apache-2.0 */
/* Opens several recordings and converts their times to one clock. */
#include "latency/recset.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "store/file/statedir.h"

/* The head of an SQLite file. Source: sqlite.org/fileformat.html, section 1.3 */
#define HEAD_LEN 72
#define HEAD_MAGIC "SQLite format 3"
#define HEAD_APPLICATION_ID 68

/* -- opening -- */

static int add_file(struct recset *s, const char *path, struct err *err)
{
	struct recread *r = NULL;
	int e = recread_open(path, &r, err);

	if (e < 0)
		return e;
	if (s->n >= RECSET_MAX || vec_reserve_raw((void **)&s->v, &s->cap, s->n + 1, sizeof(*s->v)) < 0) {
		recread_close(r);
		return err_set(err, -E2BIG, "more than %d recordings", RECSET_MAX);
	}
	memset(&s->v[s->n], 0, sizeof(*s->v));
	s->v[s->n++].r = r;
	return 0;
}

static int add_folder(struct recset *s, const char *dir, recset_note_fn *left_out, struct err *err)
{
	struct statedir_list l;
	size_t before = s->n;
	int r = statedir_list(dir, &l), e = 0;

	for (size_t i = 0; i < l.v.n && e != -E2BIG; i++) {
		struct err reason = { 0 };

		e = add_file(s, l.v.v[i].path, &reason);
		if (e == -E2BIG)
			err_set(err, e, "%s", reason.msg);
		else if (e < 0)
			left_out(reason.msg);
		err_done(&reason);
	}
	statedir_list_free(&l);
	if (e == -E2BIG)
		return e;
	if (r < 0)
		return err_set(err, r, "%s: %s", dir, strerror(-r));
	if (s->n == before)
		return err_set(err, -ENOENT,
			       "%s: there is no recording (" STATEDIR_PREFIX "*" STATEDIR_SUFFIX ") in it", dir);
	return 0;
}

static bool is_recording(const char *fd_path)
{
	_cleanup_close_ int fd = -1;
	uint8_t head[HEAD_LEN];
	struct stat st;

	if (stat(fd_path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(fd_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || pread(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, HEAD_MAGIC, sizeof(HEAD_MAGIC)) != 0)
		return false;
	const uint8_t *id = head + HEAD_APPLICATION_ID;

	return ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) == RECFILE_APPLICATION_ID;
}

/* The file that a process records into, as we see it: its root may be another one. */
static bool find_open(uint64_t pid, char path[STATEDIR_PATH_LEN])
{
	char dir[64], fd[STATEDIR_PATH_LEN], link[STATEDIR_PATH_LEN - 64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%llu/fd", (unsigned long long)pid);
	d = opendir(dir);
	while (d && !found && (e = readdir(d))) {
		ssize_t n;

		snprintf(fd, sizeof(fd), "%s/%s", dir, e->d_name);
		n = readlink(fd, link, sizeof(link) - 1);
		if (n <= 0 || link[0] != '/' || !is_recording(fd))
			continue;
		link[n] = '\0';
		snprintf(path, STATEDIR_PATH_LEN, "/proc/%llu/root%s", (unsigned long long)pid, link);
		found = true;
	}
	if (d)
		closedir(d);
	return found;
}

static int add_process(struct recset *s, uint64_t pid, recset_note_fn *left_out, struct err *err)
{
	char path[STATEDIR_PATH_LEN], *slash;

	if (!find_open(pid, path))
		return err_set(
			err, -ENOENT,
			"process %llu records nothing that can be read here: dwell latency --daemon, and any dwell with "
			"--record FILE does",
			(unsigned long long)pid);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (statedir_owner(path) == (pid_t)pid)
		return add_folder(s, path, left_out, err);
	*slash = '/';
	return add_file(s, path, err);
}

/* Shifts of all to one clock, and where they have histograms. */
static void align(struct recset *s)
{
	s->wall_off = UINT64_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (recread_wall_off(s->v[i].r) < s->wall_off)
			s->wall_off = recread_wall_off(s->v[i].r);
	for (size_t i = 0; i < s->n; i++) {
		struct rec_range h;

		s->v[i].shift = recread_wall_off(s->v[i].r) - s->wall_off;
		if (recread_hist_extent(s->v[i].r, &h))
			s->v[i].hist = (struct rec_range){ h.from + s->v[i].shift, h.to + s->v[i].shift };
	}
}

int recset_open(struct recset *s, char *const *words, size_t n, recset_note_fn *left_out, struct err *err)
{
	int e = 0;

	*s = (struct recset){ 0 };
	for (size_t i = 0; i < n && e == 0; i++) {
		uint64_t pid;
		struct stat st;

		if (stat(words[i], &st) == 0)
			e = S_ISDIR(st.st_mode) ? add_folder(s, words[i], left_out, err) : add_file(s, words[i], err);
		else if (num_parse_u64(words[i], &pid) == 0)
			e = add_process(s, pid, left_out, err);
		else
			e = add_file(s, words[i], err);
	}
	align(s);
	return e;
}

void recset_close(struct recset *s)
{
	for (size_t i = 0; i < s->n; i++)
		recread_close(s->v[i].r);
	free(s->v);
	*s = (struct recset){ 0 };
}

/* -- times -- */

static struct rec_range intersect(struct rec_range a, struct rec_range b)
{
	struct rec_range r = { a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to };

	return r.from < r.to ? r : (struct rec_range){ 0, 0 };
}

uint64_t recset_begun(const struct recset *s)
{
	uint64_t first = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t begun = recread_begun(s->v[i].r);

		if (begun && (!first || begun + s->v[i].shift < first))
			first = begun + s->v[i].shift;
	}
	return first;
}

int recset_range(const struct recset *s, const struct latency_range *asked, bool whole, struct rec_range *ret,
		 struct err *err)
{
	struct rec_range all = { UINT64_MAX, 0 };

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].hist.to) {
			all.from = s->v[i].hist.from < all.from ? s->v[i].hist.from : all.from;
			all.to = s->v[i].hist.to > all.to ? s->v[i].hist.to : all.to;
		}
	return latency_range_in(all.to ? &all : NULL, recset_begun(s), asked, whole, ret, err);
}

uint64_t recset_gaps(const struct recset *s, struct rec_range range)
{
	uint64_t gaps = 0, at = range.from;

	while (at < range.to) { /* the file that covers this moment and reaches farthest, or the next that begins */
		uint64_t end = at, next = range.to;

		for (size_t i = 0; i < s->n; i++) {
			struct rec_range h = intersect(s->v[i].hist, range);

			if (h.from <= at && h.to > end)
				end = h.to;
			else if (h.from > at && h.from < next)
				next = h.from;
		}
		gaps += end > at ? 0 : next - at;
		at = end > at ? end : next;
	}
	return gaps;
}

struct rec_range recset_local(const struct recset *s, size_t i, struct rec_range range)
{
	uint64_t shift = s->v[i].shift;

	if (range.to <= shift)
		return (struct rec_range){ 0, 0 };
	return (struct rec_range){ range.from > shift ? range.from - shift : 0, range.to - shift };
}

/* -- series -- */

static bool same_series(const struct latency_series *a, const struct latency_series *b)
{
	return a->d.is_tracker == b->d.is_tracker && a->d.func == b->d.func && !strcmp(a->d.name, b->d.name) &&
	       !strcmp(a->text, b->text) && !memcmp(a->d.param, b->d.param, 4 * sizeof(*a->d.param));
}

struct listing {
	struct latency_list *list;
	size_t file;
	uint32_t source;
	struct rec_histdesc d;
};

struct latency_series *latency_find(const struct latency_list *l, const struct latency_series *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (same_series(&l->v[i], s))
			return &l->v[i];
	return NULL;
}

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct listing *l = ctx;
	struct latency_series s = { .d = l->d, .text = strdup(text) }, *known;
	struct latency_part part = { l->file, l->source, key };

	(void)data;
	if (!s.text)
		return -ENOMEM;
	known = latency_find(l->list, &s);
	if (known || vec_try_push(l->list, s) < 0)
		free(s.text);
	else
		known = &l->list->v[l->list->n - 1];
	return known ? vec_try_push(&known->parts, part) : -ENOMEM;
}

static void series_free(struct latency_series *s)
{
	free(s->text);
	vec_free(&s->parts);
}

/* Sources in the order of their first appearance (rank), of each the most first. */
static int most_first(const void *a, const void *b)
{
	const struct latency_series *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->parts.v[0].key < y->parts.v[0].key ? -1 : x->parts.v[0].key > y->parts.v[0].key;
}

static bool same_source(const struct latency_series *a, const struct latency_series *b)
{
	return a->d.is_tracker == b->d.is_tracker && a->d.func == b->d.func && !strcmp(a->d.name, b->d.name);
}

static void rank(struct latency_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		l->v[i].rank = i;
		for (size_t k = 0; k < i; k++)
			if (same_source(&l->v[k], &l->v[i])) {
				l->v[i].rank = l->v[k].rank;
				break;
			}
	}
}

/* Leaves of each source the first `most`, and none without values. */
static void cut(struct latency_list *l, size_t most)
{
	size_t n = 0, of_source = 0;

	for (size_t i = 0; i < l->n; i++) {
		of_source = n && l->v[n - 1].rank == l->v[i].rank ? of_source : 0;
		if (l->v[i].count && of_source < most) {
			of_source++;
			l->v[n++] = l->v[i];
			continue;
		}
		l->left_out += l->v[i].count != 0;
		series_free(&l->v[i]);
	}
	l->n = n;
}

int latency_list(const struct recset *s, struct rec_range range, size_t most, struct latency_list *ret, struct err *err)
{
	struct histsum sum = { 0 };
	int e = 0;

	for (size_t i = 0; i < s->n && e == 0; i++) {
		const struct rec_schema *schema = recread_schema(s->v[i].r);

		for (uint32_t k = 0; k < schema->ntrackers + schema->naggs && e == 0; k++) {
			struct listing l = { .list = ret, .file = i, .source = k };

			if (intersect(s->v[i].hist, range).to && rec_hist_source(schema, k, &l.d))
				e = recread_hist_keys(s->v[i].r, k, on_key, &l, err);
		}
	}
	for (size_t i = 0; i < ret->n && e == 0; i++) {
		e = recset_hist(s, &ret->v[i], range, &sum, err);
		ret->v[i].count = sum.count;
	}
	histsum_free(&sum);
	if (e < 0)
		return e;
	rank(ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), most_first);
	cut(ret, most);
	return 0;
}

void latency_list_free(struct latency_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		series_free(&l->v[i]);
	vec_free(l);
}

/* -- values -- */

int recset_hist(const struct recset *s, const struct latency_series *series, struct rec_range range,
		struct histsum *ret, struct err *err)
{
	struct histsum one = { 0 };
	int e = 0;

	histsum_reset(ret);
	for (size_t i = 0; i < series->parts.n && e == 0; i++) {
		const struct latency_part *p = &series->parts.v[i];
		struct rec_range local = recset_local(s, p->file, range);

		if (!intersect(s->v[p->file].hist, range).to)
			continue;
		e = recread_hist(s->v[p->file].r, p->source, local, p->key, &one, err);
		if (e == 0)
			e = histsum_merge(ret, &one);
	}
	histsum_free(&one);
	return e;
}

struct shifting {
	rec_column_fn *fn;
	void *ctx;
	uint64_t shift;
};

static int on_column(void *ctx, const struct rec_column *c)
{
	const struct shifting *x = ctx;
	struct rec_column shifted = *c;

	shifted.start += x->shift;
	return x->fn(x->ctx, &shifted);
}

int recset_columns(const struct recset *s, const struct latency_series *series, uint64_t period, struct rec_range range,
		   rec_column_fn *fn, void *ctx, struct err *err)
{
	int e = 0;

	for (size_t i = 0; i < series->parts.n && e == 0; i++) {
		const struct latency_part *p = &series->parts.v[i];
		struct shifting x = { fn, ctx, s->v[p->file].shift };

		if (intersect(s->v[p->file].hist, range).to)
			e = recread_columns(s->v[p->file].r, p->source, period, recset_local(s, p->file, range), p->key,
					    on_column, &x, err);
	}
	return e;
}
