/* SPDX-License-Identifier: Apache-2.0 */
/* Records a run as `dwell -s dlib/NAME.d --record FILE` does. Discards what the program prints at its end. */
#include "engine/run/recnow.h"
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "engine/run/run.h"
#include "load/probe_caps.h"

/* Blanks in words after "--" are theirs. As one text they are the picture's title. */
static void join_words(struct recnow *l)
{
	struct strb b = { 0 };

	for (size_t i = 0; l->words[i]; i++)
		strb_printf(&b, "%s%s", i ? " " : "", l->words[i]);
	l->joined = strb_take(&b);
	l->command = l->joined;
}

int recnow_words(struct recnow *l, char *const *words)
{
	if (l->command || l->pid)
		return -EEXIST;
	l->words = words;
	join_words(l);
	return 0;
}

bool recnow_chooses(const struct recnow *l)
{
	return l->comm || l->user || l->cgroup || l->container || l->unit;
}

bool recnow_asked(const struct recnow *l)
{
	return l->command || l->pid || l->for_ns || l->record || recnow_chooses(l);
}

static void add_whose(const struct recnow *l, struct request *c)
{
	if (l->comm)
		request_option(c, "comm", l->comm);
	if (l->user)
		request_option(c, "user", l->user);
	if (l->cgroup)
		request_option(c, "cgroup", l->cgroup);
	if (l->container)
		request_option(c, "container", l->container);
	if (l->unit)
		request_option(c, "unit", l->unit);
}

/* Where the recording goes: a folder of our own, when it is not to be kept. 0 or -errno, told to `to`. */
static int place(struct recnow *l, const struct listener *to)
{
	int r;

	if (l->record)
		return (l->path = strdup(l->record)) ? 0 : listener_fail(to, -ENOMEM, "out of memory");
	r = tmpdir_make(TMPDIR_LIVE, 0700, true, &l->folder);
	if (r < 0)
		return listener_fail(to, r, "cannot make a folder for the recording: %s", strerror(-r));
	return asprintf(&l->path, "%s/recording", l->folder.path) < 0
		       ? (l->path = NULL, listener_fail(to, -ENOMEM, "out of memory"))
		       : 0;
}

#define OLD_USTACKFRAMES 32 /* with which the keys of the shipped programs are no longer than old kernels allow */

/* Keys of kernels before 5.11 have no room for as many frames as usual. True: there are fewer. */
static bool fit_keys(struct request *c)
{
	if (caps_long_keys())
		return false;
	c->opts.maxframes = OLD_USTACKFRAMES; /* also of stacks whose program says how many */
	return true;
}

#define RING_MIN_MIB 4ull  /* of a CPU, as without bursts */
#define RING_MAX_MIB 64ull /* what 100,000 switches a second fill in more than a second */
#define RINGS_MIB 256ull   /* of all CPUs, and no more than that part of the memory: */
#define RINGS_PART 16ull

uint64_t recnow_ring(uint64_t cpus, uint64_t memory)
{
	uint64_t all = (memory >> 20) / RINGS_PART, mib = RING_MAX_MIB;

	all = all < RINGS_MIB ? all : RINGS_MIB;
	while (mib > RING_MIN_MIB && mib * cpus > all)
		mib /= 2;
	return mib << 20;
}

void recnow_request(const struct recnow *l, struct request *c)
{
	c->opts.quiet = true;
	c->own = true;
	if (l->text)
		request_prog(c, PROG_NAME, l->text);
	if (l->script)
		request_prog(c, PROG_SCRIPT, l->script);
	if (l->program)
		request_shipped(c, l->program);
	for (const char *also = l->also; also && *also; also += strcspn(also, " "), also += *also == ' ')
		request_shipped(c, arena_strndup(c->arena, also, strcspn(also, " ")));
	if (l->also_text) {
		c->progs.v[c->progs.n - 1].text = l->also_text;
		c->progs.v[c->progs.n - 1].size = strlen(l->also_text);
	}
	if (l->age_ns)
		request_option(c, "recage", arena_printf(c->arena, "%lluns", (unsigned long long)l->age_ns));
	if (l->bursts)
		c->opts.bufsize = recnow_ring((uint64_t)sysconf(_SC_NPROCESSORS_CONF),
					      (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	request_option(c, "record", l->path);
	add_whose(l, c);
	c->output = "/dev/null";
	c->words = l->words;
	if (l->command && !l->words)
		vec_push(&c->commands, l->command);
	if (l->pid)
		vec_push(&c->pids, l->pid);
}

int recnow_run(struct recnow *l, struct request *c, int *ret_status)
{
	const struct listener *to = &c->to;
	bool cut = false;
	int e = place(l, to);

	if (e == 0) {
		c->for_ns = l->for_ns;
		if (l->program && !strncmp(l->program, "flame/", 6))
			cut = fit_keys(c);
		recnow_request(l, c);
		e = request_run(c, l->show, ret_status);
	}
	if (e == 0 && cut) /* of a run that failed it would be a second line, about something else */
		listener_msg(
			to, "stacks of programs have %d frames at most: this kernel (before 5.11) has keys of %d bytes",
			OLD_USTACKFRAMES, CAPS_OLD_MAX_KEY);
	request_done(c);
	return e;
}

void recnow_hide(const struct recnow *l, struct err *err)
{
	const char *at = l->folder.path && l->path ? strstr(err->msg, l->path) : NULL;
	struct err all = *err;

	if (at)
		err_set(err, err->code, "%.*swhat was recorded%s", (int)(at - err->msg), all.msg,
			all.msg + (at - err->msg) + strlen(l->path));
}

void recnow_done(struct recnow *l)
{
	tmpdir_remove(&l->folder);
	free(l->path);
	free(l->joined);
}
