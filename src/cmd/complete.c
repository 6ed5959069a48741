/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell complete WORD…`: what may come next, for the completion of shells. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "front/complete.h"
#include "prov/provider.h"
#include "store/recfile.h"

#define OUTPUT_MAX (8u << 20) /* of a command that is asked; the list of all functions of the kernel is 4 MB */

/* In the child: runs the command line as main() would. */
static int run_words(const char *const *words)
{
	char *argv[COMPLETE_WORDS_MAX + 2] = { (char *)"dwell" };
	int argc = 1, r, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDERR_FILENO) < 0)
		return EXIT_ERROR;
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	r = cmd_by_name(argc - 1, argv + 1);
	return r < 0 ? cmd_dtrace(argc, argv) : r;
}

/* A complete_env's run(). */
static int run(void *ctx, const char *const *words, struct strb *out)
{
	int fds[2], status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	(void)ctx;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		status = dup2(fds[1], STDOUT_FILENO) < 0 ? EXIT_ERROR : run_words(words);
		fflush(stdout);
		_exit(status);
	}
	close(fds[1]);
	while (pid > 0 && out->n < OUTPUT_MAX && (n = read(fds[0], buf, sizeof(buf))) > 0)
		strb_add(out, buf, (size_t)n);
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return pid < 0 ? -EAGAIN : out->failed ? -ENOMEM : 0;
}

static const char *provider(void *ctx, size_t i)
{
	(void)ctx;
	return registry_provider(i);
}

static void keys(void *ctx, const char *file, struct strb *out)
{
	struct recread *r = NULL;
	struct err err = { 0 };
	const struct rec_schema *s;

	(void)ctx;
	if (recread_open(file, &r, &err) < 0)
		return;
	s = recread_schema(r);
	for (size_t i = 0; i < s->naggs; i++)
		strb_printf(out, "@%s\n", s->aggs[i]->name);
	recread_close(r);
}

static int complete_words(int argc, char **argv)
{
	static const struct complete_env env = {
		.run = run, .command = cmd_listed, .provider = provider, .keys = keys
	};
	_cleanup_(strb_free) struct strb out = { 0 };

	if (argc < 2)
		return cmd_wrong("complete: the words after the name of dwell are wanted, the last of them unfinished");
	complete(&env, (size_t)argc - 1, (const char *const *)argv + 1, &out);
	return out.failed || fputs(strb_str(&out), stdout) < 0 ? EXIT_ERROR : EXIT_OK;
}

const struct command cmd_complete = { "complete", NULL, complete_words };
