/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell serve`: the page. Two processes: this one keeps its privileges and starts tracers, and does nothing
 * else; the server reads what strangers send and has none. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "engine/views.h"
#include "cmd/words.h"
#include "corepage/corepage.h"
#include "launcher/entrance.h"
#include "launcher/gallery.h"
#include "launcher/listen.h"
#include "launcher/page.h"
#include "launcher/pair.h"
#include "retro/picture.h"

#define WORDS_MAX 256 /* recordings and folders of the command line */

struct serve_opts {
	struct entrance in;
	char *recordings[WORDS_MAX]; /* files and folders */
	size_t n;
	uint64_t pid; /* of a process to look at; 0: none */
};

static void usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out,
		"Usage: %s serve [--port NUMBER | --unix PATH] [--recordings FOLDER]\n"
		"                    [RECORDING|TRACE... | CORE [BINARY] | -p PID]\n"
		"\n\t-p            the objects of this process of Node, as of a core\n"
		"\t--port        TCP port on 127.0.0.1 (default: any that is free)\n"
		"\t--unix        a unix socket instead, for nobody but this user\n"
		"\t--recordings  recordings of this folder can be opened, as those named\n"
		"\tTRACE         of dwell rec: its system calls\n",
		cmd_name());
}

static int take_word(struct serve_opts *o, char *word)
{
	if (o->n == WORDS_MAX)
		return cmd_fail("more than %d recordings and folders: put recordings into one folder", WORDS_MAX);
	o->recordings[o->n++] = word;
	return 0;
}

/* < 0: it was help that was wanted. */
static int parse(struct serve_opts *o, int argc, char **argv)
{
	static const struct option longs[] = { { "port", required_argument, NULL, 't' },
					       { "unix", required_argument, NULL, 'u' },
					       { "recordings", required_argument, NULL, 'r' },
					       { "help", no_argument, NULL, 'h' },
					       { NULL, 0, NULL, 0 } };
	struct err err = { 0 };
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "-:hp:", longs, NULL)) != -1) {
		if (c == 'p' && (num_parse_u64(optarg, &o->pid) < 0 || o->pid < 1 || o->pid > INT32_MAX))
			return cmd_msg("serve: '%s' is no process", optarg), EXIT_USAGE;
		if (c == 't' && (num_parse_u64(optarg, &o->in.port) < 0 || o->in.port > UINT16_MAX))
			return cmd_fail("--port %s: a number up to %d is wanted", optarg, UINT16_MAX);
		if (c == 'u')
			o->in.unix_path = optarg;
		if (c == 'h')
			return usage(NULL, stdout), -1;
		if (c == '?' || c == ':')
			return cmd_err(optable_refuse("serve", longs, argv, c == ':', cmd_name(), &err), &err);
		if ((c == 'r' || c == 1) && take_word(o, optarg))
			return EXIT_USAGE;
	}
	for (; optind < argc; optind++)
		if (take_word(o, argv[optind]))
			return EXIT_USAGE;
	return 0;
}

/* In place of each trace, the recording of its system calls. 0 or -errno, told. */
static int take_traces(struct serve_opts *o, struct retro_pictures *made)
{
	struct err err = { 0 };
	int e = 0;

	for (size_t i = 0; i < o->n && e == 0; i++) {
		const char *path = o->recordings[i];

		e = retro_picture_path(made, "serve", &path, &err);
		o->recordings[i] = (char *)(uintptr_t)path;
	}
	return cmd_failed(e, &err);
}

static int serve_recordings(struct serve_opts *o)
{
	struct serve_config c = {
		.views = all_views,
		.privileged = geteuid() == 0,
		.unprivileged = "dwell serve was not started as root: it can show recordings, but not trace"
	};
	struct servedir dir;
	struct err err = { 0 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	int r;

	if (servedir_find(a, o->recordings, o->n, &dir, &err) < 0) {
		arena_free(a);
		return cmd_fail("%s", err.msg);
	}
	pair_hold_signals();
	r = entrance_open(&o->in, a, &c, &cmd_listener);
	if (r < 0)
		return cmd_outcome(r, 0);
	c.nprograms = gallery_read(a, &c.programs);
	c.nwords = gallery_words(&c.words);
	c.nassets = page_assets(a, PAGE_MACHINE, &c.assets, &cmd_listener);
	c.recordings = dir.files;
	c.nrecordings = dir.nfiles;
	r = servedir_make(a, &dir, LISTEN_NOBODY);
	if (r < 0)
		cmd_msg("no folder for recordings: %s; uploads and live ranges cannot be shown", strerror(-r));
	c.uploads = dir.uploads;
	entrance_tell(&o->in, stdout);
	r = cmd_outcome(pair_run(&c, pair_overview(a, &dir), &dir, cmd_name(), &cmd_listener), 0);
	servedir_remove(&dir);
	entrance_close(&o->in);
	arena_free(a);
	return r;
}

static int serve_main(int argc, char **argv)
{
	struct retro_pictures made = { .begin = cmd_begin };
	struct serve_opts o = { 0 };
	int r = parse(&o, argc, argv);

	if (r)
		return r < 0 ? cmd_written(0) : r;
	if (o.pid && o.n)
		return cmd_msg("serve: a process is shown alone: '%s' is too much", o.recordings[0]), EXIT_USAGE;
	if (o.pid)
		return cmd_outcome(corepage_process(&o.in, (pid_t)o.pid, &cmd_listener), 0);
	if (o.n && corepage_is(o.recordings[0]))
		return cmd_outcome(corepage_run(&o.in, o.recordings, o.n, &cmd_listener), 0);
	r = take_traces(&o, &made);
	if (r == 0)
		r = serve_recordings(&o);
	retro_pictures_done(&made);
	return r;
}

const struct command cmd_serve = { "serve", "the page: live views in a browser", serve_main, .usage = usage };
