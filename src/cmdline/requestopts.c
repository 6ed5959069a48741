/* SPDX-License-Identifier: Apache-2.0 */
#include "cmdline/requestopts.h"
#include <string.h>
#include "cmdline/opts.h"

int requestopts_pass(void *request, const struct optrow *o, const char *arg, struct err *err)
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

int requestopts_whose(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	(void)err;
	request_option(request, o->name, arg);
	return 0;
}

int requestopts_for(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	struct request *c = request;

	return optrow_time(o->name, arg, 1, &c->for_ns, err);
}

int requestopts_pid(void *pid, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return cmdline_pid(arg, pid, err);
}
