/* SPDX-License-Identifier: Apache-2.0 */
/* A run as `dwell -s dlib/NAME.d --record FILE` would do it; what the program prints at its end goes nowhere. */
#include "cmd/reclive.h"
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/compile.h"
#include "cmd/optable.h"
#include "cmd/run.h"
#include "load/probe_caps.h"

struct words {
	VEC(const char *) v;
};

static void add(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	vec_push(&w->v, option);
	vec_push(&w->v, value);
}

/* Where the recording goes: a folder of our own, when it is not to be kept. */
static int make_path(struct reclive *l)
{
	int r;

	if (l->record)
		return (l->path = strdup(l->record)) ? 0 : cmd_fail("out of memory");
	r = tmpdir_make(TMPDIR_LIVE, 0700, true, &l->folder);
	if (r < 0)
		return cmd_fail("cannot make a folder for the recording: %s", strerror(-r));
	return asprintf(&l->path, "%s/recording", l->folder.path) < 0 ? (l->path = NULL, cmd_fail("out of memory")) : 0;
}

#define OLD_USTACKFRAMES "32" /* with which the keys of the shipped programs are no longer than old kernels allow */

/* Keys of kernels before 5.11 have no room for as many frames as usual. True: there are fewer. */
static bool fit_keys(struct words *w)
{
	if (caps_long_keys())
		return false;
	add(w, "-x", "ustackframes=" OLD_USTACKFRAMES);
	return true;
}

#define RING_MIN_MIB 4ull  /* of a CPU, as without bursts */
#define RING_MAX_MIB 64ull /* what 100,000 switches a second fill in more than a second */
#define RINGS_MIB 256ull   /* of all CPUs, and no more than that part of the memory: */
#define RINGS_PART 16ull

/* Size of the rings for bursts: what comes while the recording's writer waits for a CPU, or for the disk. */
static unsigned long long burst_mib(void)
{
	unsigned long long cpus = (unsigned long long)sysconf(_SC_NPROCESSORS_CONF), mib = RING_MAX_MIB;
	unsigned long long all =
		((unsigned long long)sysconf(_SC_PHYS_PAGES) * (unsigned long long)sysconf(_SC_PAGESIZE) >> 20) /
		RINGS_PART;

	all = all < RINGS_MIB ? all : RINGS_MIB;
	while (mib > RING_MIN_MIB && mib * cpus > all)
		mib /= 2;
	return mib;
}

int reclive_run(struct reclive *l)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct words w = { 0 };
	uint64_t ns = 0;
	bool cut = false;
	int e = !l->program && l->how_long ? optable_time("for", l->how_long, 1, &ns) : 0;

	if (e == 0)
		e = make_path(l);

	if (e == 0) {
		vec_push(&w.v, cmd_name());
		vec_push(&w.v, "-q");
		add(&w, "-n", l->text);
		add(&w, "-s", l->script);
		if (l->program && !strncmp(l->program, "flame/", 6))
			cut = fit_keys(&w);
		if (l->program)
			add(&w, "-s", arena_printf(a, "%s/%s.d", libs_dir(a), l->program));
		if (l->bursts)
			add(&w, "-x", arena_printf(a, "bufsize=%llum", burst_mib()));
		add(&w, "--record", l->path);
		add(&w, "-o", "/dev/null");
		if (l->program) /* shipped ones have a parameter for it */
			add(&w, "--for", l->how_long);
		else if (l->how_long)
			add(&w, "-n", arena_printf(a, "tick-%lluns { exit(0); }", (unsigned long long)ns));
		add(&w, "-c", l->command);
		add(&w, "-p", l->pid);
		vec_push(&w.v, NULL);
		/* run_for_picture() takes the words as main()'s: it does not write to them */
		e = run_for_picture((int)w.v.n - 1, (char **)(uintptr_t)w.v.v);
		if (e == 0 && cut) /* of a run that failed it would be a second line, about something else */
			cmd_msg("stacks of programs have " OLD_USTACKFRAMES
				" frames at most: this kernel (before 5.11) has keys of %d bytes",
				CAPS_OLD_MAX_KEY);
	}
	vec_free(&w.v);
	arena_free(a);
	return e;
}

int reclive_fail(const struct reclive *l, const char *msg)
{
	const char *at = l->folder.path && l->path ? strstr(msg, l->path) : NULL;

	if (!at)
		return cmd_fail("%s", msg);
	return cmd_fail("%.*swhat was recorded%s", (int)(at - msg), msg, at + strlen(l->path));
}

void reclive_done(struct reclive *l)
{
	tmpdir_remove(&l->folder);
	free(l->path);
}
