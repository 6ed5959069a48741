/* SPDX-License-Identifier: Apache-2.0 */
/* Options that the commands of `dwell latency` share, put into the request that runs the program. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "types/typesrc.h"

#define MIN_COLUMNS 60
#define DEFAULT_COLUMNS 80
#define MAX_COLUMNS 200

int latency_pass(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	struct request *c = request;

	if (o->letter)
		return cmdline_option(c, o->letter, arg, err);
	if (!strcmp(o->name, "record"))
		request_option(c, "record", arg);
	else
		request_param(c, o->name, arg);
	return 0;
}

int latency_whose(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	(void)err;
	request_option(request, o->name, arg);
	return 0;
}

int latency_for(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	struct request *c = request;

	return optrow_time(o->name, arg, 1, &c->for_ns, err);
}

int latency_not_recorded(const struct optable *t, const struct optrow *o, const char *word)
{
	char name[OPTABLE_NAME];

	return cmd_wrong("%s: %s%s is not for recordings ('%s')", t->command, optable_name(o, name),
			 o->text ? o->text : "", word);
}

bool latency_has_exit_tp(void)
{
	struct typesrc *ts = NULL;
	struct tref ref;
	bool has;

	if (typesrc_open_kernel(&ts, NULL) < 0)
		return true; /* the compiler says what is missing */
	has = typesrc_find(ts, NULL, "btf_trace_sched_exit_tp", TKM(TK_TYPEDEF), &ref) == 0;
	typesrc_free(ts);
	return has;
}

int latency_columns(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return DEFAULT_COLUMNS;
	return w.ws_col < MIN_COLUMNS ? MIN_COLUMNS : w.ws_col > MAX_COLUMNS ? MAX_COLUMNS : w.ws_col;
}
