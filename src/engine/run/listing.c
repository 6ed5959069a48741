/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/run/listing.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/request.h"
#include "engine/run/run.h"

static void drop(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

/* In the child: as -l with --json. */
static int list(const char *description, const char *consent)
{
	const struct listener nobody = { .message = drop, .text = drop, .json = drop };
	struct request c;
	int e;

	request_init(&c, "dwell", &nobody);
	c.list = c.opts.zdefs = true;
	c.opts.oformat = "json";
	if (consent)
		request_option(&c, consent, NULL);
	request_prog(&c, PROG_NAME, description);
	e = request_run(&c, NULL, NULL);
	request_done(&c);
	return e < 0 || fflush(stdout) != 0;
}

int listing_probes(const char *description, const char *consent, size_t most, struct strb *out)
{
	int fds[2], status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		_exit(dup2(fds[1], STDOUT_FILENO) < 0 ? 1 : list(description, consent));
	close(fds[1]);
	while (pid > 0 && out->n < most && (n = read(fds[0], buf, sizeof(buf))) > 0)
		strb_add(out, buf, (size_t)n);
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return pid < 0 ? -EAGAIN : out->failed ? -ENOMEM : 0;
}
