/* SPDX-License-Identifier: Apache-2.0 */
#include "launcher/pair.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "engine/request.h"
#include "latency/cause/trackers.h"
#include "launcher/launch.h"
#include "launcher/listen.h"
#include "launcher/typelist.h"

#define LIVE_SIZE "128m" /* of the recording of the live view: ten minutes at 100 slow events a second */
#define LIVE_AGE "10m"

/* Runs the server in its own process. 0 or -errno, told. */
static int run_server(struct serve_config *c, int sock, const char *program, const struct listener *to)
{
	struct typelist *types;
	struct err err = { 0 };
	int r = listen_confine();

	if (r < 0)
		return listener_fail(to, r, "cannot give up privileges: %s", strerror(-r));
	c->start = launch_start;
	c->stop = launch_stop;
	c->ctx = &sock;
	c->types = typelist_find;
	c->types_ctx = types = typelist_new(program, to);
	r = types ? serve(c, &err) : err_set(&err, -ENOMEM, "out of memory");
	typelist_free(types);
	return r < 0 ? listener_fail(to, err.code, "%s", err.msg) : 0;
}

/* The launcher reads them, and so there is no moment at which one would leave the folder or the socket; the server ends
 * when the launcher says so. */
void pair_hold_signals(void)
{
	sigset_t set;

	launch_hold_signals(&set);
}

int pair_run(struct serve_config *c, char *const *overview, const struct servedir *dir, const char *program,
	     const struct listener *to)
{
	int sock[2], stop[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 || pipe2(stop, O_CLOEXEC) < 0)
		return listener_fail(to, -errno, "%s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return listener_fail(to, -errno, "fork: %s", strerror(errno));
	if (pid == 0) {
		close(sock[0]);
		close(stop[1]);
		c->stop_fd = stop[0];
		_exit(run_server(c, sock[1], program, to) < 0);
	}
	close(sock[1]);
	close(stop[0]);
	close(c->listen_fd);
	return launch_loop(sock[0], stop[1], pid, overview, dir, LISTEN_NOBODY) ? -ECHILD : 0;
}

char *const *pair_overview(struct arena *a, const struct servedir *dir)
{
	static char *const options[] = { "dwell", "--json",	    "-x", "noself", "-x", "maxcpu=25%",
					 "-x",	  "switchrate=5hz", "-x", "cost",   "-x", "zdepends" };
	const char *file;
	size_t n = ARRAY_SIZE(options), nfiles = 0;
	char **argv;

	while (trackers_default(nfiles))
		nfiles++;
	argv = arena_alloc(a, (n + 2 * (nfiles + 1) + 7) * sizeof(*argv));
	memcpy(argv, options, sizeof(options));
	for (size_t i = 0; i <= nfiles; i++) {
		file = i < nfiles ? trackers_default(i) : "overview";
		argv[n++] = "-s";
		argv[n++] = arena_printf(a, "%s/latency/%s.d", libs_dir(a), file);
	}
	if (dir->live) {
		char *keep[] = { (char *)(uintptr_t) "--record",      dir->live,
				 (char *)(uintptr_t) "--record-size", (char *)(uintptr_t)LIVE_SIZE,
				 (char *)(uintptr_t) "--record-age",  (char *)(uintptr_t)LIVE_AGE };

		memcpy(argv + n, keep, sizeof(keep));
		n += ARRAY_SIZE(keep);
	}
	argv[n] = NULL;
	return argv;
}
