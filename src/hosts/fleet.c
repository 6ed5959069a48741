/* SPDX-License-Identifier: Apache-2.0 */
#include "hosts/fleet.h"
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "hosts/hlink.h"
#include "hosts/lines.h"
#include "hosts/merge.h"

#define TICK_MS 100
#define BEATS 4 /* words from here while the other end would be patient */

struct fleet {
	const struct fleet_opts *o;
	const struct listener *to;
	struct hlink_common common;
	struct hlink links[FLEET_HOSTS_MAX];
	const char *labels[FLEET_HOSTS_MAX];
	struct strb out[FLEET_HOSTS_MAX], err[FLEET_HOSTS_MAX]; /* the beginnings of lines */
	struct lines lines;
	FILE *files[FLEET_HOSTS_MAX];	/* --separate, or all the same */
	FILE *records[FLEET_HOSTS_MAX]; /* NULL: nothing came yet */
	bool told[FLEET_HOSTS_MAX];
	size_t n;
	struct merge *merge;	    /* or NULL */
	char own[PATH_MAX];	    /* this program */
	int error;		    /* of writing here: -errno, once */
	uint64_t beat, interrupted; /* CLOCK_MONOTONIC ns; or 0 */
};

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static void say(void *ctx, const char *text)
{
	const struct fleet *f = ctx;

	listener_msg(f->to, "%s", text);
}

/* -- what comes -- */

static void put_out(struct fleet *f, size_t h, const char *p, size_t n)
{
	lines_out(&f->lines, h, &f->out[h], f->files[h], p, n);
	if (fflush(f->files[h]) != 0 && !f->error)
		f->error = -errno;
}

static int name_file(const struct fleet *f, size_t h, const char *path, bool each, char ret[PATH_MAX])
{
	int n = snprintf(ret, PATH_MAX, "%s%s%s", path, each ? "." : "", each ? f->labels[h] : "");

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int put_record(struct fleet *f, size_t h, const char *p, size_t n)
{
	char path[PATH_MAX];
	int r = name_file(f, h, f->o->record, f->n > 1, path);

	if (r == 0 && !f->records[h]) {
		f->records[h] = fopen(path, "we");
		r = f->records[h] ? 0 : -errno;
	}
	if (r == 0 && fwrite(p, 1, n, f->records[h]) != n)
		r = -errno;
	if (r < 0)
		listener_msg(f->to, "%s: the recording cannot be written to %s: %s", f->labels[h], path, strerror(-r));
	return r;
}

static int on_frame(void *ctx, size_t h, const struct wire_frame *frame)
{
	struct fleet *f = ctx;

	switch (frame->kind) {
	case WIRE_OUT: put_out(f, h, frame->p, frame->n); return 0;
	case WIRE_ERR: lines_err(&f->lines, h, &f->err[h], frame->p, frame->n); return 0;
	case WIRE_AGGS: return f->merge ? merge_add(f->merge, h, frame->p, frame->n) : -EPROTO;
	case WIRE_RECORD: return f->o->record ? put_record(f, h, frame->p, frame->n) : -EPROTO;
	default: return -EPROTO;
	}
}

/* Once, when it has ended. */
static void tell_end(struct fleet *f, size_t h)
{
	int r;

	f->told[h] = true;
	lines_end(&f->lines, h, &f->out[h], f->files[h], &f->err[h]);
	if (f->records[h] && fclose(take_ptr(f->records[h])) != 0)
		listener_msg(f->to, "%s: the recording cannot be written: %s", f->labels[h], strerror(errno));
	if (f->links[h].status < 0)
		listener_msg(f->to, "%s: %s", f->labels[h], f->links[h].refusal);
	r = f->merge ? merge_ended(f->merge, h) : 0;
	if (r < 0 && !f->error)
		f->error = r;
}

/* -- beginning -- */

static int open_outputs(struct fleet *f)
{
	char path[PATH_MAX];

	for (size_t h = 0; h < f->n; h++) {
		if (!f->o->output || (h && !f->o->separate)) {
			f->files[h] = h ? f->files[0] : stdout;
			continue;
		}
		if (name_file(f, h, f->o->output, f->o->separate, path) == 0)
			f->files[h] = fopen(path, "ae");
		if (!f->files[h])
			return listener_fail(f->to, -errno, "failed to open output file '%s': %s", path,
					     strerror(errno));
	}
	return 0;
}

static int close_outputs(struct fleet *f)
{
	for (size_t h = 0; h < f->n; h++) {
		bool own = f->files[h] && f->files[h] != stdout && (!h || f->o->separate);

		if (own && fclose(f->files[h]) != 0 && !f->error)
			f->error = -errno;
	}
	if (f->error == -EPIPE)
		return f->error; /* the reader has left: nobody to tell */
	return f->error ? listener_fail(f->to, f->error, "the output is not complete: %s", strerror(-f->error)) : 0;
}

/* The machine that a binary is for, as uname -m calls it. */
static const char *machine_of(int fd)
{
	Elf64_Ehdr e;

	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	return e.e_machine == EM_X86_64 ? "x86_64" : e.e_machine == EM_AARCH64 ? "aarch64" : NULL;
}

/* This program; or, if it was built, too, the one that needs nothing of the other machine. */
static int find_own(struct fleet *f)
{
	static const char beside[] = "dwell-static";
	char path[PATH_MAX + sizeof(beside)];
	ssize_t n = readlink("/proc/self/exe", f->own, sizeof(f->own) - 1);

	if (n < 0)
		return listener_fail(f->to, -ENOENT,
				     "cannot find this program, which is to be copied (is /proc there?): "
				     "--host-binary names one");
	f->own[n] = '\0';
	snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(f->own, '/') - f->own), f->own, beside);
	if (access(path, R_OK) == 0 && strlen(path) < sizeof(f->own))
		memcpy(f->own, path, strlen(path) + 1);
	f->common.binary = f->own;
	return 0;
}

static int find_binary(struct fleet *f)
{
	_cleanup_close_ int fd = -1;
	int r = 0;

	f->common.binary = f->o->binary;
	if (!f->o->binary)
		r = find_own(f);
	if (r)
		return r;
	fd = open(f->common.binary, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return listener_fail(f->to, -errno, "cannot read %s: %s", f->common.binary, strerror(errno));
	f->common.machine = machine_of(fd);
	if (!f->common.machine)
		return listener_fail(f->to, -ENOEXEC, "%s: no program for x86_64 or aarch64", f->common.binary);
	r = sha256_fd(fd, f->common.ssh.hash, &f->common.ssh.size);
	return r < 0 ? listener_fail(f->to, r, "cannot read %s: %s", f->common.binary, strerror(-r)) : 0;
}

static int read_places(struct fleet *f)
{
	for (size_t h = 0; h < f->o->nplaces; h++) {
		const char *reason = place_parse(f->o->places[h], &f->links[h].place);

		if (reason)
			return listener_fail(f->to, LISTENER_WRONG, "--host %s: %s", f->o->places[h], reason);
		f->labels[h] = f->links[h].place.label;
		for (size_t i = 0; i < h; i++)
			if (!strcmp(f->labels[i], f->labels[h]))
				return listener_fail(f->to, LISTENER_WRONG, "--host %s is there twice",
						     f->o->places[h]);
	}
	f->n = f->o->nplaces;
	f->lines = (struct lines){ f->labels, f->n, f->o->json, f->o->separate, f->to };
	return 0;
}

static int make_request(struct fleet *f)
{
	struct wire_request r = f->o->request;
	struct strb b = { 0 };

	r.patience_ms = (uint32_t)(f->o->patience / UINT64_C(1000000));
	r.merge = f->n > 1 && !f->o->by_host && !f->o->separate && !f->o->json;
	r.record = f->o->record != NULL;
	r.forget = f->o->forget;
	wire_put_request(&b, &r);
	if (b.n > WIRE_REQUEST_MAX || r.nwords > WIRE_WORDS_MAX) {
		strb_free(&b);
		return listener_fail(f->to, -E2BIG, "the programs are too large to be sent to hosts: %u MB at most",
				     WIRE_REQUEST_MAX >> 20);
	}
	wire_put(&f->common.request, WIRE_REQUEST, b.s, b.n);
	strb_free(&b);
	if (r.merge)
		f->merge = merge_new(f->labels, f->n, &f->o->text, f->files[0], say, f);
	return f->common.request.failed || (r.merge && !f->merge) ? listener_fail(f->to, -ENOMEM, "out of memory") : 0;
}

static int prepare(struct fleet *f)
{
	int e = read_places(f);

	f->common.frame = on_frame;
	f->common.ctx = f;
	f->common.ssh.config = f->o->config;
	f->common.ssh.sudo = f->o->sudo;
	f->common.ssh.patience_sec = (unsigned)(f->o->patience / NSEC_PER_SEC);
	if (e == 0)
		e = find_binary(f);
	if (e == 0)
		e = open_outputs(f);
	return e ? e : make_request(f);
}

/* -- while it runs -- */

static void say_all(struct fleet *f, enum wire_kind kind)
{
	for (size_t h = 0; h < f->n; h++)
		hlink_send(&f->links[h], kind);
}

static void kill_all(struct fleet *f, const char *reason)
{
	for (size_t h = 0; h < f->n; h++)
		if (f->links[h].state != HLINK_ENDED)
			hlink_kill(&f->links[h], reason);
}

/* The first signal asks for the ends of the runs, which are shown. */
static void look_at_signals(struct fleet *f, uint64_t now)
{
	bool wanted = signals || f->error;

	if (wanted && !f->interrupted) {
		f->interrupted = now;
		say_all(f, WIRE_INTERRUPT);
	} else if (f->interrupted && (signals > 1 || now > f->interrupted + f->o->patience)) {
		kill_all(f, signals > 1 ? "interrupted twice: the end of the run is not shown"
					: "the run did not end in time after the interrupt: its end is not shown");
	}
	if (now > f->beat + f->o->patience / BEATS) {
		f->beat = now;
		say_all(f, WIRE_ALIVE);
	}
}

static void attend(struct fleet *f)
{
	struct pollfd fds[FLEET_HOSTS_MAX][HLINK_FDS];
	size_t left;

	do {
		left = 0;
		for (size_t h = 0; h < f->n; h++)
			hlink_poll(&f->links[h], fds[h]);
		if (poll(fds[0], f->n * HLINK_FDS, TICK_MS) < 0)
			memset(fds, 0, sizeof(fds)); /* a signal */
		for (size_t h = 0; h < f->n; h++) {
			hlink_handle(&f->links[h], fds[h]);
			left += f->links[h].state != HLINK_ENDED;
			if (f->links[h].state == HLINK_ENDED && !f->told[h])
				tell_end(f, h);
		}
		look_at_signals(f, clock_ns(CLOCK_MONOTONIC));
	} while (left);
}

static void count_ends(const struct fleet *f, struct fleet_result *ret)
{
	for (size_t h = 0; h < f->n; h++) {
		ret->lost += f->links[h].status < 0;
		if (f->links[h].status > ret->status)
			ret->status = f->links[h].status;
	}
}

static void fleet_free(struct fleet *f)
{
	for (size_t h = 0; h < f->n; h++) {
		if (f->records[h])
			fclose(f->records[h]);
		hlink_free(&f->links[h]);
		strb_free(&f->out[h]);
		strb_free(&f->err[h]);
	}
	strb_free(&f->common.request);
	merge_free(f->merge);
	free(f);
}

int fleet_run(const struct fleet_opts *o, const struct listener *to, struct fleet_result *ret)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct sigaction sa = { .sa_handler = on_signal };
	struct fleet *f = calloc(1, sizeof(*f));
	int e, closed;

	*ret = (struct fleet_result){ 0 };
	if (!f)
		return listener_fail(to, -ENOMEM, "out of memory");
	f->o = o;
	f->to = to;
	e = prepare(f);
	if (e == 0) {
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			sigaction(ends[i], &sa, NULL);
		for (size_t h = 0; h < f->n; h++)
			hlink_start(&f->links[h], &f->common, h);
		attend(f);
		count_ends(f, ret);
	}
	closed = close_outputs(f);
	fleet_free(f);
	return e ? e : closed;
}
