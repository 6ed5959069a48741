/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/carry/publish.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_try.h"
#include "base/num.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/writeall.h"
#include "fleet/wire/batch.h"
#include "fleet/wire/rows.h"
#include "store/file/statedir.h"

/* After a name: that recording is sent completely. It sorts after all times, with which names begin. */
#define DONE '~'
#define ID_LEN 40 /* of a message: the start of its SHA-256 */

/* A second that was sent: it is sent again when its count has changed. */
struct sent_key {
	uint64_t start;
	int64_t key;
	uint64_t source;
};
struct sent {
	UT_hash_handle hh;
	struct sent_key k;
	uint64_t count;
};

/* Up to where a folder is sent. */
struct cursor {
	char recording[128]; /* the file's name; "": nothing yet */
	uint64_t hist_to;    /* seconds that begin before that, CLOCK_MONOTONIC ns */
	uint64_t slow_id;    /* slow events up to that */
	uint64_t wall_s;     /* hist_to on the calendar */
};

struct publisher {
	const struct publish_options *o;
	const struct listener *to;
	struct bus *bus;
	struct recread *rec; /* of cursor.recording; NULL: not open */
	struct cursor cursor;
	uint64_t saved;	  /* cursor.hist_to when it was written */
	uint64_t again;	  /* up to where older seconds were looked at again */
	uint64_t changes; /* of the recording when all of it was sent; 0: not all was */
	bool ending;	  /* nothing more will be written */
	struct sent *sent;
	struct batch batch;
	struct rows rows; /* of it */
	char subject[BUS_SUBJECT_MAX];
	uint64_t hello; /* when the host last told of itself */
	uint64_t slow_last;
	unsigned nslow;
	struct publish_sums sums;
	bool failing;
};

static const char *const kinds[BATCH_NKINDS] = {
	[BATCH_HIST] = "hist", [BATCH_SLOW] = "slow", [BATCH_HOST] = "host", [BATCH_GAP] = "gap"
};

/* -- the cursor -- */

static int cursor_path(const struct publisher *p, const char *suffix, char path[STATEDIR_PATH_LEN])
{
	int n = snprintf(path, STATEDIR_PATH_LEN, "%s/" PUBLISH_CURSOR "%s", p->o->state, suffix);

	return n < STATEDIR_PATH_LEN ? 0 : -ENAMETOOLONG;
}

static void cursor_load(struct publisher *p)
{
	struct cursor *c = &p->cursor;
	char path[STATEDIR_PATH_LEN];
	FILE *f = cursor_path(p, "", path) == 0 ? fopen(path, "re") : NULL;

	if (!f)
		return;
	if (fscanf(f, "%127s %" SCNu64 " %" SCNu64 " %" SCNu64, c->recording, &c->hist_to, &c->slow_id, &c->wall_s) !=
	    4)
		*c = (struct cursor){ 0 }; /* all is sent again, and counts once */
	fclose(f);
}

/* Slow events move it at each turn. It is written when a second is sent, too: what is sent twice counts once. */
static int cursor_save(struct publisher *p, struct err *err)
{
	const struct cursor *c = &p->cursor;
	char path[STATEDIR_PATH_LEN], next[STATEDIR_PATH_LEN], text[256];
	_cleanup_close_ int fd = -1;
	int n = snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->recording, c->hist_to,
			 c->slow_id, c->wall_s);

	if (cursor_path(p, "", path) < 0 || cursor_path(p, ".new", next) < 0)
		return err_set(err, -ENAMETOOLONG, "%s: the name is too long", p->o->state);
	fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || write_all(fd, text, (size_t)n) < 0 || rename(next, path) < 0)
		return err_set(err, -EIO, "%s: cannot be written: %s", path, strerror(errno));
	p->saved = c->hist_to;
	return 0;
}

/* -- sending -- */

/* The server knows one list of ids for all hosts, and two may have the same to tell. */
static void make_id(const char *subject, const struct strb *b, char id[SHA256_TEXT])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, subject, strlen(subject));
	sha256_add(&s, b->s, b->n);
	sha256_text(&s, id);
	id[ID_LEN] = '\0';
}

/* Sends the batch, if it has rows. Its id is made of its subject and what is in it: the server drops what is sent
 * twice. */
static int flush(struct publisher *p, struct err *err)
{
	struct batch *b = &p->batch;
	char id[SHA256_TEXT], subject[BUS_SUBJECT_MAX + 16];
	int e = 0;

	if (b->b.failed)
		e = err_set(err, -ENOMEM, "out of memory");
	if (e == 0 && b->rows) {
		snprintf(subject, sizeof(subject), "%s.%s", p->subject, kinds[b->kind]);
		make_id(subject, &b->b, id);
		e = bus_publish(p->bus, subject, id, b->b.s, b->b.n, err);
		p->sums.messages += e == 0;
		p->sums.bytes += e == 0 ? b->b.n : 0;
	}
	batch_free(b);
	return e;
}

static int flush_if_full(struct publisher *p, struct err *err)
{
	enum batch_kind kind = p->batch.kind;
	int e = 0;

	if (batch_full(&p->batch)) {
		e = flush(p, err);
		batch_begin(&p->batch, kind);
	}
	return e;
}

static int send_hello(struct publisher *p, struct err *err)
{
	_cleanup_(strb_free) struct strb labels = { 0 };
	struct batch_host h = { .sent = clock_ns(CLOCK_REALTIME), .dwell = DWELL_VERSION };
	struct utsname u;

	if (p->hello && clock_ns(CLOCK_MONOTONIC) < p->hello + PUBLISH_HELLO_NS)
		return 0;
	for (size_t i = 0; i < p->o->nlabels; i++)
		strb_printf(&labels, "%s%s", i ? "\n" : "", p->o->labels[i]);
	h.kernel = uname(&u) == 0 ? u.release : "";
	h.labels = strb_str(&labels);
	batch_begin(&p->batch, BATCH_HOST);
	batch_add_host(&p->batch, &h);
	p->hello = clock_ns(CLOCK_MONOTONIC);
	return flush(p, err);
}

static int send_gap(struct publisher *p, uint64_t from, uint64_t to, struct err *err)
{
	const struct batch_gap g = { from, to, "the recording went before it was sent" };

	batch_begin(&p->batch, BATCH_GAP);
	batch_add_gap(&p->batch, &g);
	p->sums.gaps++;
	return flush(p, err);
}

/* -- histograms -- */

static void forget_sent(struct publisher *p, uint64_t before)
{
	struct sent *s, *next;

	HASH_ITER (hh, p->sent, s, next) {
		if (s->k.start < before) {
			HASH_DEL(p->sent, s);
			free(s);
		}
	}
}

/* Notes a second. False: it was sent as it is. */
static bool note_sent(struct publisher *p, const struct rec_column *c)
{
	struct sent_key k;
	struct sent *s;

	memset(&k, 0, sizeof(k));
	k.start = c->start;
	k.key = c->key;
	k.source = c->source;
	HASH_FIND(hh, p->sent, &k, sizeof(k), s);
	if (s && s->count == c->head.count)
		return false;
	if (!s && (s = calloc(1, sizeof(*s)))) {
		s->k = k;
		HASH_ADD(hh, p->sent, k, sizeof(s->k), s);
		if (!s->hh.tbl) {
			free(s); /* it is sent again */
			return true;
		}
	}
	if (s)
		s->count = c->head.count;
	return true;
}

static int on_hist(void *ctx, const struct rec_column *c, const struct batch_hist *h)
{
	struct publisher *p = ctx;

	if (!note_sent(p, c))
		return 0;
	batch_add_hist(&p->batch, h);
	p->sums.histograms++;
	return flush_if_full(p, p->rows.err);
}

static int send_hists(struct publisher *p, uint64_t to, struct err *err)
{
	uint64_t from = p->cursor.hist_to;
	int e;

	if (p->ending || to >= p->again + PUBLISH_LOOK_NS) {
		from = from > PUBLISH_AGAIN_NS ? from - PUBLISH_AGAIN_NS : 0;
		p->again = to;
	}

	batch_begin(&p->batch, BATCH_HIST);
	e = rows_hists(&p->rows, (struct rec_range){ from, to }, on_hist, p, err);
	return e ? e : flush(p, err);
}

/* -- slow events -- */

static int on_slow(void *ctx, const struct batch_slow *s)
{
	struct publisher *p = ctx;

	batch_add_slow(&p->batch, s);
	p->slow_last = s->id;
	p->nslow++;
	p->sums.slow++;
	return flush_if_full(p, p->rows.err);
}

static int send_slow(struct publisher *p, struct err *err)
{
	int e;

	p->slow_last = p->cursor.slow_id;
	p->nslow = 0;
	batch_begin(&p->batch, BATCH_SLOW);
	e = rows_slow(&p->rows, p->cursor.slow_id ? (int64_t)p->cursor.slow_id : -1, PUBLISH_SLOW_MAX, on_slow, p, err);
	return e ? e : flush(p, err);
}

/* -- recordings -- */

/* The recording to be sent from: that of the cursor, or the oldest after it. Its number, or `n`: there is none. */
static size_t find(const struct publisher *p, const struct statedir_list *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (strcmp(basename(l->v.v[i].path), p->cursor.recording) >= 0)
			return i;
	return l->v.n;
}

static void close_recording(struct publisher *p)
{
	recread_close(p->rec);
	p->rec = NULL;
	p->changes = p->again = 0;
	rows_forget(&p->rows);
	forget_sent(p, UINT64_MAX);
}

static int open_recording(struct publisher *p, const char *path, struct err *err)
{
	struct rec_range all;
	const char *name = basename(path);
	bool there, same = !strcmp(name, p->cursor.recording);
	int e = recread_open(path, &p->rec, err);

	if (e < 0)
		return e;
	p->rows.rec = p->rec;
	p->rows.recording = p->cursor.recording;
	p->rows.causes = p->o->causes;
	p->rows.wall_off = recread_wall_off(p->rec);
	if (same)
		return 0;
	there = recread_hist_extent(p->rec, &all);
	if (there && *p->cursor.recording && !strchr(p->cursor.recording, DONE) &&
	    (all.from + p->rows.wall_off) / NSEC_PER_SEC > p->cursor.wall_s + PUBLISH_AGAIN_NS / NSEC_PER_SEC)
		e = send_gap(p, p->cursor.wall_s, (all.from + p->rows.wall_off) / NSEC_PER_SEC, err);
	if (e == 0) {
		p->cursor = (struct cursor){ .hist_to = there ? all.from : 0, .wall_s = p->cursor.wall_s };
		snprintf(p->cursor.recording, sizeof(p->cursor.recording), "%s", name);
	}
	return e;
}

/* Sends what the open recording has and can be sent. *ret_all: nothing is left. */
static int send_recording(struct publisher *p, bool ended, bool *ret_all, struct err *err)
{
	uint64_t changes = recread_changes(p->rec), to = ended ? UINT64_MAX : clock_ns(CLOCK_MONOTONIC);
	struct rec_range all;
	bool there, more;
	int e;

	if (changes && changes == p->changes && ended == p->ending)
		return p->cursor.hist_to != p->saved ? cursor_save(p, err) : 0;
	p->ending = ended;
	there = recread_hist_extent(p->rec, &all);
	if (!there)
		all = (struct rec_range){ p->cursor.hist_to, p->cursor.hist_to };
	/* After the last one: a cursor that was saved before there were any. */
	if (p->cursor.hist_to < all.from || p->cursor.hist_to > all.to)
		p->cursor.hist_to = all.from;
	if (to > all.to)
		to = all.to;
	more = to > p->cursor.hist_to + PUBLISH_STEP_NS;
	if (more)
		to = p->cursor.hist_to + PUBLISH_STEP_NS;
	/* Once for each second, as soon as it is in the file. A tracker's second begins with CLOCK_MONOTONIC's. */
	if (!ended && there)
		to = rechist_slot(to, RECFILE_SECOND_NS, 0);
	if (to < p->cursor.hist_to)
		to = p->cursor.hist_to;
	e = ended || to > p->cursor.hist_to ? send_hists(p, to, err) : 0;
	if (e == 0)
		e = send_slow(p, err);
	if (e < 0) {
		forget_sent(p, UINT64_MAX);
		return e;
	}
	p->cursor.hist_to = to;
	p->cursor.slow_id = p->slow_last;
	p->cursor.wall_s = (to + p->rows.wall_off) / NSEC_PER_SEC;
	forget_sent(p, to > PUBLISH_AGAIN_NS ? to - PUBLISH_AGAIN_NS : 0);
	*ret_all = !more && p->nslow < PUBLISH_SLOW_MAX;
	p->changes = *ret_all ? changes : 0;
	return ended || p->cursor.hist_to != p->saved ? cursor_save(p, err) : 0;
}

/* One look at the folder. *ret_all: all that can be sent now is sent. */
static int turn(struct publisher *p, bool *ret_all, struct err *err)
{
	struct statedir_list l = { 0 };
	bool ended;
	size_t i, n;
	int e = statedir_list(p->o->state, &l);

	*ret_all = true;
	if (e < 0)
		return err_set(err, e, "%s: %s", p->o->state, strerror(-e));
	if (e == 0 && !p->bus)
		e = bus_connect(&p->o->bus, &p->bus, err);
	if (e == 0)
		e = send_hello(p, err);
	i = find(p, &l);
	if (e == 0 && i < l.v.n) {
		ended = i + 1 < l.v.n || statedir_owner(p->o->state) == 0;
		if (p->rec && strcmp(basename(l.v.v[i].path), p->cursor.recording) != 0)
			close_recording(p);
		e = p->rec ? 0 : open_recording(p, l.v.v[i].path, err);
		if (e == 0)
			e = send_recording(p, ended, ret_all, err);
		if (e == 0 && *ret_all && i + 1 < l.v.n) {
			close_recording(p);
			n = strlen(p->cursor.recording);
			snprintf(p->cursor.recording + n, sizeof(p->cursor.recording) - n, "%c", DONE);
			e = cursor_save(p, err);
			*ret_all = false;
		}
	}
	statedir_list_free(&l);
	return e;
}

static void tell(struct publisher *p, int e, const struct err *err)
{
	if (e < 0 && !p->failing)
		listener_msg(p->to, "%s; it is tried again, and the recordings wait", err->msg);
	else if (e >= 0 && p->failing)
		listener_msg(p->to, "sending again");
	p->failing = e < 0;
}

static int loop(struct publisher *p)
{
	uint64_t end = p->o->for_ns ? clock_ns(CLOCK_MONOTONIC) + p->o->for_ns : UINT64_MAX;
	const struct timespec pause = clock_timespec(PUBLISH_TURN_MS * NSEC_PER_MSEC);

	while (!p->o->stop(p->o->ctx) && clock_ns(CLOCK_MONOTONIC) < end) {
		struct err err = { 0 };
		bool all = true;
		int e = turn(p, &all, &err);

		tell(p, e, &err);
		if (e < 0 && p->rec && e != -EIO && e != -ETIMEDOUT)
			close_recording(p);
		if (e == 0 && all && p->o->once)
			return 0;
		if (e < 0 || all)
			nanosleep(&pause, NULL);
	}
	return 0;
}

static int name_subject(struct publisher *p, struct err *err)
{
	const char *const names[] = { p->o->tenant, p->o->site, p->o->host };
	char token[BUS_NAME_MAX + 1];
	size_t n = (size_t)snprintf(p->subject, sizeof(p->subject), "dwell.v1");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!bus_token(names[i], token))
			return err_set(
				err, -EINVAL,
				"'%s' is no name of a tenant, site or host: letters, digits, '-', '_', '.'; at most %u",
				names[i], BUS_NAME_MAX);
		n += (size_t)snprintf(p->subject + n, sizeof(p->subject) - n, ".%s", token);
	}
	return 0;
}

int publish_run(const struct publish_options *o, const struct listener *to, struct publish_sums *ret, struct err *err)
{
	struct publisher p = { .o = o, .to = to };
	int e = name_subject(&p, err);

	if (e == 0) {
		cursor_load(&p);
		e = loop(&p);
	}
	*ret = p.sums;
	close_recording(&p);
	rows_free(&p.rows);
	batch_free(&p.batch);
	bus_close(p.bus);
	return e;
}
