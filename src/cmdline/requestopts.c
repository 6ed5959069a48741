/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options that change the request: options of D, processes and groups, duration. */
#include "cmdline/requestopts.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "cmdline/opts.h"
#include "engine/run/slowfilter.h"

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

int requestopts_only(void *slowfilter, const struct optrow *o, const char *arg, struct err *err)
{
	return slowfilter_only(slowfilter, o->name, arg, err);
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

int requestopts_rate(void *rate, const struct optrow *o, const char *arg, struct err *err)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *slash = copy ? strstr(copy, "/s") : NULL;

	if (slash && !slash[2])
		*slash = '\0';
	return copy ? optable_number(o, copy, rate, err) : err_set(err, -ENOMEM, "out of memory");
}

int requestopts_flight(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	struct request *c = request;
	uint64_t ns;
	int e = optrow_time(o->name, arg, 1, &ns, err);

	if (e == 0 && (ns < OPTIONS_FLIGHT_MIN || ns > OPTIONS_FLIGHT_MAX))
		return err_set(err, -EINVAL,
			       "--flight: '%s' is out of bounds: the flight recorder looks back for 1ms to 60s", arg);
	if (e == 0)
		c->opts.flight = ns;
	return e;
}

int requestopts_record(struct recnow *l, const struct optable *t, void *command, int *argc, char **argv,
		       const char *program, struct err *err)
{
	char *const *words;
	int e = optable_command(t->command, argc, argv, &words, err);

	if (e == 0)
		e = optable_read(t, command, *argc, argv, program, err);
	if (e || !words || recnow_words(l, words) == 0)
		return e;
	return optable_words(t, NULL, "-c, -p and a command after -- are different: choose one", program, err);
}
