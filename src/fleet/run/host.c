/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/run/host.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/writeall.h"
#include "fleet/wire/batch.h"
#include "fleet/run/child.h"

#define TICK_MS 200 /* between looks at the time */
#define END_MS 20
#define RETRY_NS (2 * NSEC_PER_SEC)

struct run {
	struct runchild child;
	char id[RUNMSG_ID_LEN + 1], reply[BUS_SUBJECT_MAX], user[RUNPOLICY_USER_LEN];
	uint8_t key[NKEY_SIZE];
	uint64_t time;	 /* of the last message of its user's */
	uint32_t number; /* of the next answer */
	uint64_t beat;
	struct runhost *host;
	int stopped; /* by the user */
};

struct runhost {
	const struct runhost_options *o;
	const struct listener *to;
	struct bus *bus;
	char subject[BUS_SUBJECT_MAX - 16]; /* of what it sends to the store */
	bool unsent;			    /* it has been told that the log is not sent */
	struct runpolicy policy;
	VEC(struct run *) runs;
	struct nkey key; /* that signs answers */
	bool signs;
	struct {
		char id[RUNMSG_ID_LEN + 1];
		uint64_t time; /* ms: of the request */
	} ids[RUNHOST_IDS_MAX];
	size_t nids;
	uint64_t since;	 /* ms since 1970: what was asked before, nobody here remembers */
	uint64_t minute; /* in which refusals are counted */
	unsigned refusals;
	bool failing;
};

int runhost_subject(const char *tenant, const char *site, const char *host, char ret[BUS_SUBJECT_MAX])
{
	char t[BUS_NAME_MAX + 1], s[BUS_NAME_MAX + 1], h[BUS_NAME_MAX + 1];

	if (!bus_token(tenant, t) || !bus_token(site, s) || !bus_token(host, h))
		return -EINVAL;
	snprintf(ret, BUS_SUBJECT_MAX, RUNHOST_SUBJECT "%s.%s.%s", t, s, h);
	return 0;
}

/* -- the log -- */

static void write_line(struct runhost *h, const struct strb *b)
{
	_cleanup_close_ int fd = -1;
	char old[PATH_MAX];
	struct stat st;

	if (stat(h->o->audit, &st) == 0 && st.st_size > RUNHOST_AUDIT_MAX &&
	    snprintf(old, sizeof(old), "%s.old", h->o->audit) < (int)sizeof(old))
		(void)rename(h->o->audit, old);
	fd = open(h->o->audit, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || b->failed || write_all(fd, b->s, b->n) < 0)
		listener_msg(h->to, "%s: cannot be written: %s", h->o->audit, strerror(errno));
}

/* To the store, whose stream may not be there: the file is what counts. */
static void send_audit(struct runhost *h, const struct batch_audit *a)
{
	char subject[BUS_SUBJECT_MAX], id[BUS_SUBJECT_MAX + RUNMSG_ID_LEN + 16];
	struct batch b = { 0 };
	struct err err = { 0 };
	int e;

	snprintf(subject, sizeof(subject), "%s.audit", h->subject);
	snprintf(id, sizeof(id), "%s-%s-%s", a->id, a->event, h->subject);
	batch_begin(&b, BATCH_AUDIT);
	batch_add_audit(&b, a);
	e = b.b.failed ? -ENOMEM : bus_publish(h->bus, subject, id, b.b.s, b.b.n, &err);
	if (e < 0 && !h->unsent)
		listener_msg(h->to, "the log of programs is not sent: %s", err.msg);
	h->unsent = e < 0;
	batch_free(&b);
}

/* Writes a run's user, or how it ended, as a line of the file and as a row. */
static void put_audit(struct runhost *h, const struct batch_audit *a)
{
	time_t now = (time_t)(a->time / NSEC_PER_SEC);
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	char at[40] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	jsonw_object(&w, NULL);
	jsonw_str(&w, "time", at);
	jsonw_str(&w, "event", a->event);
	jsonw_str(&w, "user", a->user);
	jsonw_str(&w, "key", a->key);
	jsonw_str(&w, "id", a->id);
	jsonw_str(&w, "reason", a->reason);
	if (strcmp(a->event, "end") != 0) {
		jsonw_u64(&w, "seconds", a->seconds);
		jsonw_bool(&w, "write", a->write);
		jsonw_str(&w, "program", a->program);
	} else {
		jsonw_i64(&w, "status", (int64_t)a->status - 1);
		jsonw_u64(&w, "rows", a->rows);
		jsonw_u64(&w, "bytes", a->bytes);
		jsonw_u64(&w, "cpu", a->cpu);
	}
	jsonw_end_object(&w);
	jsonw_line(&w);
	write_line(h, &b);
	send_audit(h, a);
}

static void audit_request(struct runhost *h, const char *event, const char *user, const struct runmsg *m,
			  const char *reason)
{
	char key[NKEY_PUBLIC_LEN + 1];

	nkey_write(m->user, key);
	put_audit(h, &(struct batch_audit){ .time = clock_ns(CLOCK_REALTIME),
					    .event = event,
					    .user = user,
					    .key = key,
					    .id = m->id,
					    .reason = reason,
					    .program = m->program,
					    .seconds = m->seconds,
					    .write = m->write });
}

static void audit_end(struct runhost *h, const struct run *r, const char *reason, uint64_t cpu)
{
	const struct runchild *c = &r->child;
	char key[NKEY_PUBLIC_LEN + 1];

	nkey_write(r->key, key);
	put_audit(h, &(struct batch_audit){ .time = clock_ns(CLOCK_REALTIME),
					    .event = "end",
					    .user = r->user,
					    .key = key,
					    .id = r->id,
					    .reason = reason,
					    .program = "",
					    .seconds = (clock_ns(CLOCK_MONOTONIC) - c->begun) / NSEC_PER_SEC,
					    .status = (uint64_t)(c->status + 1),
					    .rows = c->rows,
					    .bytes = c->bytes,
					    .cpu = cpu });
}

/* -- answers -- */

static void answer(struct runhost *h, const char *id, const char *reply, enum runmsg_answer kind, uint32_t number,
		   const char *p, size_t n)
{
	const struct runmsg_whose w = { h->o->tenant, h->o->site, h->o->host, id, reply };
	_cleanup_(strb_free) struct strb b = { 0 }, sealed = { 0 };
	struct err err = { 0 };
	int e;

	runmsg_answer(&b, kind, number, p, n);
	e = h->signs ? runmsg_seal(&sealed, &w, &h->key, &b, &err) : b.failed ? -ENOMEM : 0;
	if (e == 0)
		e = bus_send(h->bus, reply, NULL, h->signs ? sealed.s : b.s, h->signs ? sealed.n : b.n, &err);
	if (e < 0)
		listener_msg(h->to, "an answer is not sent: %s", err.msg[0] ? err.msg : "out of memory");
}

static void on_piece(void *ctx, const char *p, size_t n)
{
	struct run *r = ctx;

	for (size_t at = 0; at < n; at += RUNMSG_PIECE)
		answer(r->host, r->id, r->reply, RUNMSG_STREAM, r->number++, p + at,
		       n - at < RUNMSG_PIECE ? n - at : RUNMSG_PIECE);
}

/* -- requests -- */

static bool known_id(const struct runhost *h, const char *id)
{
	for (size_t i = 0; i < h->nids && i < RUNHOST_IDS_MAX; i++)
		if (!strcmp(h->ids[i].id, id))
			return true;
	return false;
}

/* Whether the message is for this host and of now. */
static int check_fresh(const struct runhost *h, const struct runmsg *m, struct err *err)
{
	int64_t apart = (int64_t)(clock_ns(CLOCK_REALTIME) / NSEC_PER_MSEC) - (int64_t)m->time;

	if (strcmp(m->tenant, h->o->tenant) != 0 || strcmp(m->site, h->o->site) != 0 ||
	    strcmp(m->host, h->o->host) != 0)
		return err_set(err, -EPERM, "the request is not for this host");
	if (apart > RUNMSG_TIME_MAX * 1000 || apart < -RUNMSG_TIME_MAX * 1000)
		return err_set(err, -EPERM, "the request is of %" PRId64 " s ago by this host's clock", apart / 1000);
	if (m->time < h->since)
		return err_set(err, -EPERM, "the request is older than the process here that takes it");
	return 0;
}

static int begin_run(struct runhost *h, const struct runmsg *m, const char *user, struct err *err)
{
	struct run *r = calloc(1, sizeof(*r));
	char text[160];
	int n, e = r ? runchild_start(&r->child, m, &h->policy, err) : err_set(err, -ENOMEM, "out of memory");

	if (e == 0 && vec_try_push(&h->runs, r) < 0) {
		runchild_end(&r->child);
		e = err_set(err, -ENOMEM, "out of memory");
	}
	if (e < 0) {
		free(r);
		return e;
	}
	snprintf(r->id, sizeof(r->id), "%s", m->id);
	snprintf(r->reply, sizeof(r->reply), "%s", m->reply);
	snprintf(r->user, sizeof(r->user), "%s", user);
	memcpy(r->key, m->user, NKEY_SIZE);
	r->time = m->time;
	r->host = h;
	r->beat = r->child.begun;
	n = snprintf(text, sizeof(text), "%" PRIu64 " s, %" PRIu64 " rows, %" PRIu64 "%% of the CPUs",
		     h->policy.seconds, h->policy.rows, h->policy.cpu);
	answer(h, r->id, r->reply, RUNMSG_YES, r->number++, text, (size_t)n);
	return 0;
}

/* Limits the refusals that are logged in a minute, so that nobody can fill the log. False: there were too many. */
static bool note_refusal(struct runhost *h)
{
	uint64_t minute = clock_ns(CLOCK_MONOTONIC) / (60 * NSEC_PER_SEC);

	if (minute != h->minute)
		h->refusals = 0;
	h->minute = minute;
	return h->refusals++ < RUNHOST_REFUSALS_MAX;
}

/* It is not taken again while it is fresh. */
static int note_id(struct runhost *h, const struct runmsg *m, struct err *err)
{
	size_t i = h->nids % RUNHOST_IDS_MAX;
	uint64_t now = clock_ns(CLOCK_REALTIME) / NSEC_PER_MSEC;

	if (h->nids >= RUNHOST_IDS_MAX && h->ids[i].time + RUNMSG_TIME_MAX * 1000 > now)
		return err_set(err, -EBUSY, "too many programs within a minute");
	snprintf(h->ids[i].id, sizeof(h->ids[i].id), "%s", m->id);
	h->ids[i].time = m->time;
	h->nids++;
	return 0;
}

static void take_request(struct runhost *h, const struct runmsg *m)
{
	const struct runpolicy_user *u = NULL;
	struct err err = { 0 };
	int e = check_fresh(h, m, &err);

	if (known_id(h, m->id))
		return; /* it came twice */
	runpolicy_free(&h->policy);
	if (e == 0)
		e = runpolicy_read(h->o->policy, &h->policy, &err); /* as it is now */
	if (e == 0) {
		u = runpolicy_user(&h->policy, m->user);
		e = runpolicy_check(&h->policy, m, h->runs.n, &err);
	}
	if (e == 0)
		e = note_id(h, m, &err);
	if (e == 0)
		e = begin_run(h, m, u->name, &err);
	if (e < 0 && !note_refusal(h))
		return;
	audit_request(h, e == 0 ? "run" : "refused", u ? u->name : "", m, e < 0 ? err.msg : "");
	if (e < 0)
		answer(h, m->id, m->reply, RUNMSG_NO, 0, err.msg, strlen(err.msg));
}

static void take_word(struct runhost *h, const struct runmsg *m)
{
	struct err err = { 0 };

	for (size_t i = 0; i < h->runs.n; i++) {
		struct run *r = h->runs.v[i];

		if (strcmp(r->id, m->id) != 0 || memcmp(r->key, m->user, NKEY_SIZE) != 0 || m->time <= r->time ||
		    check_fresh(h, m, &err) < 0)
			continue;
		r->time = m->time;
		if (m->kind == RUNMSG_ALIVE)
			runchild_alive(&r->child);
		else
			runchild_interrupt(&r->child);
		r->stopped |= m->kind == RUNMSG_STOP;
	}
}

/* A message without a valid signature gets no answer. */
static void take_message(struct runhost *h, const struct bus_message *b)
{
	_cleanup_free_ char *memory = NULL;
	struct err err = { 0 };
	struct runmsg m;

	if (runmsg_take(b->data, b->n, &m, &memory, &err) < 0)
		return;
	if (m.kind != RUNMSG_RUN)
		take_word(h, &m);
	else if (!strncmp(m.reply, BUS_INBOX, strlen(BUS_INBOX)) && !strpbrk(m.reply, "*> \t"))
		take_request(h, &m);
}

/* -- runs -- */

static void end_run(struct runhost *h, struct run *r)
{
	const char *
		limit = r->child.limit,
	       *reason =
		       limit		      ? limit
		       : r->child.status >= 0 ? ""
		       : r->child.killed
			       ? "it did not end in time, and was killed"
			       : "it ended without a status: the user's dwell was not heard of, or it took too much CPU time";
	uint64_t cpu;

	answer(h, r->id, r->reply, RUNMSG_END, r->number++, reason, strlen(reason));
	cpu = runchild_end(&r->child);
	audit_end(h, r, r->stopped && !*reason ? "stopped by its user" : reason, cpu);
	free(r);
}

static void pump(struct runhost *h)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t n = 0;

	for (size_t i = 0; i < h->runs.n; i++) {
		struct run *r = h->runs.v[i];

		if (runchild_pump(&r->child, on_piece, r) < 0) {
			end_run(h, r);
			continue;
		}
		if (now > r->beat + RUNHOST_BEAT_NS) {
			r->beat = now;
			answer(h, r->id, r->reply, RUNMSG_HERE, r->number++, NULL, 0);
		}
		h->runs.v[n++] = r;
	}
	h->runs.n = n;
}

/* -- the process -- */

static int open_bus(struct runhost *h, struct err *err)
{
	char subject[BUS_SUBJECT_MAX];
	int e = bus_connect(&h->o->bus, &h->bus, err);

	runhost_subject(h->o->tenant, h->o->site, h->o->host, subject);
	snprintf(h->subject, sizeof(h->subject), "dwell.v1.%s", subject + strlen(RUNHOST_SUBJECT));
	if (e == 0)
		e = bus_listen(h->bus, subject, err);
	if (e < 0) {
		bus_close(h->bus);
		h->bus = NULL;
	}
	return e;
}

/* Until something comes: a message, or what a program writes. */
static void await_work(const struct runhost *h)
{
	struct pollfd fds[1 + RUNHOST_RUNS_MAX] = { { .fd = bus_fd(h->bus), .events = POLLIN } };
	nfds_t n = 1;

	for (size_t i = 0; i < h->runs.n && n < ARRAY_SIZE(fds); i++)
		fds[n++] = (struct pollfd){ .fd = h->runs.v[i]->child.out, .events = POLLIN };
	(void)poll(fds, n, TICK_MS);
}

static void turn(struct runhost *h)
{
	struct bus_message b;
	struct err err = { 0 };
	int e = h->bus ? 0 : open_bus(h, &err);

	if (e < 0) {
		if (!h->failing)
			listener_msg(h->to, "programs are not taken: %s; it is tried again", err.msg);
		nanosleep(&(struct timespec){ RETRY_NS / NSEC_PER_SEC, 0 }, NULL);
	} else {
		await_work(h);
		while (bus_next(h->bus, &b, 0)) {
			take_message(h, &b);
			bus_give(&b, 1, false);
		}
		pump(h);
	}
	h->failing = e < 0;
}

static void run(const struct runhost_options *o, const struct nkey *key, const struct listener *to)
{
	struct runhost h = { .o = o, .to = to, .since = clock_ns(CLOCK_REALTIME) / NSEC_PER_MSEC };
	uint64_t end;

	if (key)
		h.key = *key;
	h.signs = key != NULL;

	signal(SIGPIPE, SIG_IGN);
	while (!o->stop(o->ctx))
		turn(&h);
	for (size_t i = 0; i < h.runs.n; i++)
		runchild_interrupt(&h.runs.v[i]->child);
	end = clock_ns(CLOCK_MONOTONIC) + RUNCHILD_GRACE_NS;
	while (h.runs.n && clock_ns(CLOCK_MONOTONIC) < end) {
		pump(&h);
		nanosleep(&(struct timespec){ 0, END_MS * NSEC_PER_MSEC }, NULL);
	}
	while (h.runs.n)
		end_run(&h, h.runs.v[--h.runs.n]);
	if (h.bus)
		(void)bus_flush(h.bus, NULL);
	bus_close(h.bus);
	vec_free(&h.runs);
	runpolicy_free(&h.policy);
}

int runhost_start(const struct runhost_options *o, const struct listener *to, pid_t *ret, struct err *err)
{
	const char *path = o->key ? o->key : o->bus.credentials;
	char subject[BUS_SUBJECT_MAX];
	pid_t parent = getpid();
	struct runpolicy p;
	struct nkey key;
	int e = runpolicy_read(o->policy, &p, err);

	if (e < 0)
		return e;
	runpolicy_free(&p);
	if (path && nkey_load(path, &key, err) < 0)
		return -EACCES;
	if (runhost_subject(o->tenant, o->site, o->host, subject) < 0)
		return err_set(err, -EINVAL, "'%s', '%s', '%s': no names of a tenant, a site and a host", o->tenant,
			       o->site, o->host);
	fflush(NULL);
	*ret = fork();
	if (*ret == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == parent)
			run(o, path ? &key : NULL, to);
		_exit(0);
	}
	explicit_bzero(&key, sizeof(key));
	return *ret < 0 ? err_set(err, -errno, "a process for programs: %s", strerror(errno)) : 0;
}

void runhost_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
