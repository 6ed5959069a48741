/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/run/ask.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/run/access.h"
#include "fleet/run/host.h"
#include "hosts/lines.h"
#include "hosts/merge.h"
#include "hosts/wire.h"

#define TICK_MS 50
#define BATCH 256 /* messages between looks at the time */

enum state { ASKED, RUNS, ENDED };

struct host {
	char *name; /* as answers have it */
	char site[BUS_NAME_MAX + 1];
	const char *host;   /* within name */
	const uint8_t *key; /* that signs its answers; NULL: nobody looks */
	char subject[BUS_SUBJECT_MAX], reply[BUS_SUBJECT_MAX];
	enum state state;
	uint32_t number; /* of the answer that comes next */
	uint64_t heard;
	struct strb from, out, err;
	int status; /* -1: none */
};

struct asking {
	struct runask *o;
	const struct listener *to;
	struct bus *bus;
	struct nkey key;
	struct runmsg m; /* the request, but for the host */
	struct strb program;
	char inbox[BUS_SUBJECT_MAX];
	VEC(struct host) hosts;
	const char **labels;
	struct lines lines;
	struct merge *merge;
	struct access access;
	unsigned forged, again;
	uint64_t begun, beat, stopped;
	int error; /* of writing */
	struct err *err;
};

const struct optrow runask_rows[RUNASK_NROWS] = {
	{ .letter = 'n',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct runask, program),
	  .arg = "PROGRAM",
	  .help = "the program" },
	{ .letter = 's',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct runask, script),
	  .arg = "FILE",
	  .help = "… or a file with it" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct runask, for_ns),
	  .arg = "TIME",
	  .help = "how long it runs (10s)",
	  .value = 1 },
	{ .letter = 'w',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct runask, write),
	  .help = "permit destructive actions, where the host's policy does" },
	{ .letter = 'q',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct runask, quiet),
	  .help = "print only what the program prints" },
	{ .name = "by-host",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct runask, by_host),
	  .help = "each host's own tables" },
	{ .name = "sign",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct runask, key),
	  .arg = "FILE",
	  .help = "the key that signs (that of --creds); `dwell fleet key` makes one" },
	{ .name = "access",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct runask, access),
	  .arg = "FILE",
	  .help = "only answers that hosts have signed; their keys (`dwell fleet access`)" },
};

/* -- which hosts -- */

/* SITE/NAME, or NAME: of TABLES_SITE. */
static int add_host(struct asking *x, const char *who)
{
	const char *slash = strchr(who, '/'), *name = slash ? slash + 1 : who;
	struct host h = { .name = strdup(who), .status = -1 };

	snprintf(h.site, sizeof(h.site), "%.*s", slash ? (int)(slash - who) : (int)strlen(TABLES_SITE),
		 slash ? who : TABLES_SITE);
	if (runhost_subject(x->o->show.what.tenant, h.site, name, h.subject) < 0) {
		free(h.name);
		return err_set(x->err, -EINVAL, "--hosts %s: without a store (--store) names of hosts are wanted", who);
	}
	h.host = h.name ? h.name + (name - who) : NULL;
	if (!h.name || vec_try_push(&x->hosts, h) < 0) {
		free(h.name);
		return err_set(x->err, -ENOMEM, "out of memory");
	}
	return x->hosts.n > RUNASK_HOSTS_MAX ? err_set(x->err, -E2BIG, "more than %u hosts", RUNASK_HOSTS_MAX) : 0;
}

static int on_host(void *ctx, const struct ask_host *h)
{
	char who[ASK_WHO_MAX + 1];

	snprintf(who, sizeof(who), "%s/%s", h->site, h->host);
	return add_host(ctx, !strcmp(h->site, TABLES_SITE) ? h->host : who);
}

static int find_hosts(struct asking *x)
{
	struct askshow *s = &x->o->show;
	struct click *c = NULL;
	int e = 0;

	if (!s->store.url) {
		for (size_t i = 0; e == 0 && i < s->what.nselectors; i++)
			e = add_host(x, s->what.selectors[i]);
	} else {
		e = askshow_open(s, clock_ns(CLOCK_REALTIME), &c, x->err);
		if (e == 0)
			e = ask_hosts(c, &s->what, on_host, x, x->err);
		click_close(c);
	}
	if (e == 0 && !x->hosts.n)
		return err_set(x->err, -ENOENT, "no host is selected");
	for (size_t i = 0; e == 0 && x->o->access && i < x->hosts.n; i++) {
		struct host *h = &x->hosts.v[i];

		h->key = access_host(&x->access, x->m.tenant, h->site, h->host);
	}
	x->labels = e == 0 ? calloc(x->hosts.n, sizeof(*x->labels)) : NULL;
	for (size_t i = 0; x->labels && i < x->hosts.n; i++)
		x->labels[i] = x->hosts.v[i].name;
	return e < 0 ? e : x->labels ? 0 : err_set(x->err, -ENOMEM, "out of memory");
}

/* -- the request -- */

static int read_program(struct asking *x)
{
	const char *path = x->o->script, *name = path ? strrchr(path, '/') : NULL;
	_cleanup_fclose_ FILE *f = path ? fopen(path, "re") : NULL;
	char buf[4096];
	size_t n;

	if (path && !f)
		return err_set(x->err, -errno, "%s: %s", path, strerror(errno));
	if (!path)
		strb_adds(&x->program, x->o->program);
	while (f && x->program.n <= RUNMSG_PROGRAM_MAX && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		strb_add(&x->program, buf, n);
	if (x->program.failed)
		return err_set(x->err, -ENOMEM, "out of memory");
	if (!x->program.n || x->program.n > RUNMSG_PROGRAM_MAX || strlen(x->program.s) != x->program.n)
		return err_set(x->err, -EINVAL, "a program of up to %u kB of text is wanted", RUNMSG_PROGRAM_MAX >> 10);
	if (path)
		snprintf(x->m.script, sizeof(x->m.script), "%.100s", name ? name + 1 : path);
	for (char *s = x->m.script; *s; s++)
		if (*s == '\n')
			*s = '?';
	x->m.program = x->program.s;
	x->m.nprogram = x->program.n;
	return 0;
}

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_REALTIME) / NSEC_PER_MSEC;
}

static int make_request(struct asking *x)
{
	const char *key = x->o->key ? x->o->key : x->o->bus.credentials;
	uint64_t id[2];
	int e = key ? nkey_load(key, &x->key, x->err)
		    : err_set(x->err, -EINVAL,
			      "--sign FILE is missing: the key that signs (`dwell fleet key` makes one)");

	if (e == 0)
		e = read_program(x);
	if (e < 0)
		return e;
	if (getrandom(id, sizeof(id), 0) != sizeof(id))
		return err_set(x->err, -EIO, "there is no randomness");
	snprintf(x->m.id, sizeof(x->m.id), "%016" PRIx64 "%016" PRIx64, id[0], id[1]);
	snprintf(x->m.tenant, sizeof(x->m.tenant), "%s", x->o->show.what.tenant);
	x->m.kind = RUNMSG_RUN;
	x->m.seconds = (x->o->for_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
	x->m.write = x->o->write;
	x->m.quiet = x->o->quiet;
	x->m.json = x->o->show.json;
	x->m.merge = !x->o->by_host && !x->o->show.json;
	return 0;
}

static int send_to(struct asking *x, struct host *h, enum runmsg_kind kind)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct runmsg m = x->m;
	int e;

	m.kind = kind;
	m.time = now_ms();
	snprintf(m.site, sizeof(m.site), "%s", h->site);
	snprintf(m.host, sizeof(m.host), "%s", h->host);
	snprintf(m.reply, sizeof(m.reply), "%s", h->reply);
	e = runmsg_put(&b, &m, &x->key, x->err);
	return e < 0 ? e : bus_send(x->bus, h->subject, kind == RUNMSG_RUN ? h->reply : NULL, b.s, b.n, x->err);
}

/* Each host has a subject for its answers that no other one knows. */
static int ask_all(struct asking *x)
{
	char subject[BUS_SUBJECT_MAX + 4];
	int e = bus_inbox(x->bus, x->inbox, x->err);

	snprintf(subject, sizeof(subject), "%s.*", x->inbox);
	if (e == 0)
		e = bus_listen(x->bus, subject, x->err);
	x->begun = x->beat = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; e == 0 && i < x->hosts.n; i++) {
		struct host *h = &x->hosts.v[i];
		uint64_t secret;

		if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
			return err_set(x->err, -EIO, "there is no randomness");
		snprintf(h->reply, sizeof(h->reply), "%.400s.%zu-%016" PRIx64, x->inbox, i, secret);
		h->heard = x->begun;
		if (!x->o->access || h->key)
			e = send_to(x, h, RUNMSG_RUN);
	}
	return e < 0 ? e : bus_flush(x->bus, x->err);
}

/* -- what comes -- */

/* text: why it has no status, or NULL. */
static void end_host(struct asking *x, size_t i, const char *text)
{
	struct host *h = &x->hosts.v[i];
	int e;

	if (h->state == ENDED)
		return;
	h->state = ENDED;
	lines_end(&x->lines, i, &h->out, x->o->out, &h->err);
	if (text && *text)
		listener_msg(x->to, "%s: %s", h->name, text);
	e = x->merge ? merge_ended(x->merge, i) : 0;
	if (e < 0 && !x->error)
		x->error = e;
}

static int on_frame(struct asking *x, size_t i, const struct wire_frame *f)
{
	struct host *h = &x->hosts.v[i];

	switch (f->kind) {
	case WIRE_OUT: lines_out(&x->lines, i, &h->out, x->o->out, f->p, f->n); return fflush(x->o->out) ? -errno : 0;
	case WIRE_ERR: lines_err(&x->lines, i, &h->err, f->p, f->n); return 0;
	case WIRE_AGGS: return x->merge ? merge_add(x->merge, i, f->p, f->n) : -EPROTO;
	case WIRE_STATUS: h->status = f->n == 1 ? (uint8_t)f->p[0] : h->status; return 0;
	default: return -EPROTO;
	}
}

static void take_stream(struct asking *x, size_t i, const char *p, size_t n)
{
	struct host *h = &x->hosts.v[i];
	struct wire_frame f;
	struct step s = step_end();
	size_t at = 0;
	int e = 0;

	strb_add(&h->from, p, n);
	while (e == 0 && (s = wire_next(&h->from, &at, WIRE_FRAME_MAX, &f)).more)
		e = on_frame(x, i, &f);
	wire_drop(&h->from, at);
	e = e < 0 ? e : s.error;
	if (e == -EPROTO || h->from.failed || h->from.n > RUNASK_HELD_MAX)
		end_host(x, i, "its messages cannot be read");
	else if (e < 0 && !x->error)
		x->error = e;
}

/* Whether it is the host's, and a new one. *p: NULL, it cannot be read. */
static bool is_true(struct asking *x, const struct host *h, const struct bus_message *b, enum runmsg_answer *kind,
		    uint32_t *number, const char **p, size_t *n)
{
	const struct runmsg_whose w = { x->m.tenant, h->site, h->host, x->m.id, h->reply };
	const void *inner;
	size_t len;

	if (runmsg_unseal(b->data, b->n, &w, h->key, &inner, &len) < 0) {
		x->forged++;
		return false;
	}
	if (runmsg_take_answer(inner, len, kind, number, p, n) < 0)
		*p = NULL;
	else if (h->key && *number < h->number) {
		x->again++;
		return false;
	}
	return true;
}

static void take_answer(struct asking *x, size_t i, const struct bus_message *b)
{
	struct host *h = &x->hosts.v[i];
	enum runmsg_answer kind;
	uint32_t number;
	const char *p;
	size_t n;
	char text[ERR_MSG_MAX];

	if (b->nobody && h->state == ASKED)
		end_host(x, i, "it is not there, or takes no programs (`dwell fleet host --policy`)");
	if (b->nobody || !is_true(x, h, b, &kind, &number, &p, &n) || h->state == ENDED)
		return;
	if (!p || number != h->number++) {
		end_host(x, i, "an answer is missing, or cannot be read");
		return;
	}
	snprintf(text, sizeof(text), "%.*s", n < sizeof(text) ? (int)n : (int)sizeof(text) - 1, p);
	for (char *s = text; *s; s++)
		*s = (unsigned char)*s < ' ' ? ' ' : *s;
	h->heard = clock_ns(CLOCK_MONOTONIC);
	switch (kind) {
	case RUNMSG_YES: h->state = RUNS; break;
	case RUNMSG_NO: end_host(x, i, text); break;
	case RUNMSG_STREAM: take_stream(x, i, p, n); break;
	case RUNMSG_HERE: break;
	case RUNMSG_END:
		h->status = *text ? -1 : h->status; /* it was cut */
		end_host(x, i, text);
		break;
	}
}

/* "INBOX.3-0123456789abcdef": the host's number; the rest must be its own. */
static void take_message(struct asking *x, const struct bus_message *b)
{
	size_t n = strlen(x->inbox), i;

	if (strncmp(b->subject, x->inbox, n) != 0 || b->subject[n] != '.')
		return;
	i = strtoul(b->subject + n + 1, NULL, 10);
	if (i < x->hosts.n && !strcmp(x->hosts.v[i].reply, b->subject))
		take_answer(x, i, b);
	else
		x->forged++;
}

/* -- until all have ended -- */

static void say_all(struct asking *x, enum runmsg_kind kind)
{
	for (size_t i = 0; i < x->hosts.n; i++)
		if (x->hosts.v[i].state != ENDED)
			(void)send_to(x, &x->hosts.v[i], kind);
}

static size_t look_at_time(struct asking *x)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t left = 0;

	if ((x->o->stop(x->o->ctx) || x->error) && !x->stopped) {
		x->stopped = now;
		say_all(x, RUNMSG_STOP);
	} else if (now > x->beat + RUNASK_BEAT_NS) {
		x->beat = now;
		say_all(x, RUNMSG_ALIVE);
	}
	for (size_t i = 0; i < x->hosts.n; i++) {
		struct host *h = &x->hosts.v[i];

		if (x->o->access && !h->key)
			end_host(x, i, "it is not enrolled: the list of keys (--access) has it not");
		if (h->state == ASKED && now > x->begun + RUNASK_ANSWER_NS)
			end_host(x, i, "it does not answer");
		if (h->state == RUNS && now > h->heard + RUNASK_SILENT_NS)
			end_host(x, i, "it was not heard of any more; the program ends there by itself");
		if (h->state != ENDED && x->stopped && now > x->stopped + RUNASK_SILENT_NS)
			end_host(x, i, "it did not end in time");
		left += h->state != ENDED;
	}
	return left;
}

static int attend(struct asking *x)
{
	struct bus_message b;

	while (look_at_time(x)) {
		for (int i = 0; i < BATCH && bus_next(x->bus, &b, i ? 0 : TICK_MS); i++) {
			take_message(x, &b);
			bus_give(&b, 1, false);
		}
	}
	if (x->error == -EPIPE) /* the reader has left: nobody to tell */
		return x->error;
	return x->error ? err_set(x->err, x->error, "the output is not complete: %s", strerror(-x->error)) : 0;
}

static void say(void *ctx, const char *text)
{
	const struct asking *x = ctx;

	listener_msg(x->to, "%s", text);
}

static int begin_showing(struct asking *x)
{
	x->lines = (struct lines){ x->labels, x->hosts.n, x->o->show.json, false, x->to };
	if (!x->m.merge)
		return 0;
	x->merge = merge_new(x->labels, x->hosts.n, &x->o->text, x->o->out, say, x);
	return x->merge ? 0 : err_set(x->err, -ENOMEM, "out of memory");
}

static void asking_free(struct asking *x)
{
	for (size_t i = 0; i < x->hosts.n; i++) {
		struct host *h = &x->hosts.v[i];

		free(h->name);
		strb_free(&h->from);
		strb_free(&h->out);
		strb_free(&h->err);
	}
	merge_free(x->merge);
	access_free(&x->access);
	free(x->labels);
	vec_free(&x->hosts);
	strb_free(&x->program);
	bus_close(x->bus);
	explicit_bzero(&x->key, sizeof(x->key));
}

int runask(struct runask *o, const struct listener *to, struct runask_result *ret, struct err *err)
{
	struct asking x = { .o = o, .to = to, .err = err };
	int e = make_request(&x);

	*ret = (struct runask_result){ 0 };
	if (e == 0 && !o->access && !o->bus.plain && !bus_is_near(o->bus.url))
		e = err_set(err, -EACCES,
			    "NATS at %s: --access FILE is missing: nobody else says who signed an answer (--plain: all "
			    "answers are taken)",
			    o->bus.url);
	if (e == 0 && o->access)
		e = access_read(o->access, &x.access, err);
	if (e == 0)
		e = find_hosts(&x);
	if (e == 0)
		e = bus_connect(&o->bus, &x.bus, err);
	if (e == 0)
		e = begin_showing(&x);
	if (e == 0)
		e = ask_all(&x);
	if (e == 0)
		e = attend(&x);
	for (size_t i = 0; i < x.hosts.n; i++) {
		const struct host *h = &x.hosts.v[i];

		ret->lost += h->status < 0;
		ret->ran += h->status >= 0;
		ret->status = h->status > ret->status ? h->status : ret->status;
	}
	ret->forged = x.forged;
	ret->again = x.again;
	asking_free(&x);
	return e;
}
