/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell ctl PID …`: shows and changes the settings of the trackers of a running dwell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "run/session/ctl.h"

static void usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out,
		"Usage: %s ctl PID list\n"
		"       %s ctl PID get TRACKER.SETTING\n"
		"       %s ctl PID set TRACKER.SETTING=VALUE\n"
		"       %s ctl PID set TRACKER.threshold@CGROUP=VALUE\n"
		"PID is a dwell that runs a program with trackers.\n",
		cmd_name(), cmd_name(), cmd_name(), cmd_name());
}

static int no_answer(const char *pid, int r)
{
	if (r == -ESRCH)
		return cmd_fail("no dwell with trackers runs as process %s, or it is another user's", pid);
	return cmd_fail("cannot reach the dwell that runs as process %s: %s", pid, strerror(-r));
}

static int ask(const char *pid, uint64_t n, const char *line)
{
	_cleanup_free_ char *text = NULL;
	int r = n > INT32_MAX ? -ESRCH : ctl_request((uint32_t)n, line, &text);
	char *end;

	if (r < 0)
		return no_answer(pid, r);
	if (!strncmp(text, "ok\n", 3)) {
		fputs(text + 3, stdout);
		return cmd_written(0);
	}
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	return cmd_fail("%s", !strncmp(text, "error: ", 7) ? text + 7 : "there was no answer");
}

/* "tracker.threshold@/sys/fs/cgroup/x=1ms": the cgroup's id is the number of its folder. */
static int add_setting(struct strb *line, const char *s)
{
	const char *at = strstr(s, "@/"), *eq = at ? strchr(at, '=') : NULL;
	_cleanup_free_ char *path = eq ? strndup(at + 1, (size_t)(eq - at - 1)) : NULL;
	struct stat st;

	if (!path) {
		strb_adds(line, s);
		return 0;
	}
	if (stat(path, &st) < 0)
		return cmd_fail("%s: %s", path, strerror(errno));
	strb_printf(line, "%.*s@%llu%s", (int)(at - s), s, (unsigned long long)st.st_ino, eq);
	return 0;
}

static int ctl(int argc, char **argv)
{
	_cleanup_(strb_free) struct strb line = { 0 };
	uint64_t pid;
	bool is_list = argc == 3 && !strcmp(argv[2], "list");
	bool is_get = argc == 4 && !strcmp(argv[2], "get"), is_set = argc == 4 && !strcmp(argv[2], "set");

	if (argc == 2 && cmd_wants_help(argc, argv))
		return usage(NULL, stdout), cmd_written(0);
	if ((!is_list && !is_get && !is_set) || num_parse_u64(argv[1], &pid) < 0 || (is_set && !strchr(argv[3], '=')))
		return usage(NULL, stderr), EXIT_USAGE;
	strb_adds(&line, argv[2]);
	if (!is_list) {
		strb_addc(&line, ' ');
		if (add_setting(&line, argv[3]))
			return EXIT_ERROR;
	}
	return ask(argv[1], pid, strb_str(&line));
}

const struct command cmd_ctl = { "ctl", "change settings of trackers that run", ctl, .usage = usage };
