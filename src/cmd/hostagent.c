/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell host-agent`, which `dwell --host` starts on the other machine. Not for people. */
#include "base/cleanup.h"
#include "base/writeall.h"
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "hosts/agent.h"

/* A printa() goes to the agent, after its length; one that would not fit a frame is printed. */
static bool send_aggs(void *fd, const char *json, size_t n)
{
	return n <= WIRE_FRAME_MAX && write_all(*(const int *)fd, &n, sizeof(n)) == 0 &&
	       write_all(*(const int *)fd, json, n) == 0;
}

/* The scripts' texts came with the request. */
static int give_texts(struct request *c, const struct wire_request *r)
{
	size_t n = 0;

	for (size_t i = 0; i < c->progs.n; i++) {
		struct prog_text *p = &c->progs.v[i];

		if (p->kind != PROG_SCRIPT)
			continue;
		if (n == r->ntexts)
			return cmd_fail("the text of %s is not there", p->arg);
		p->text = r->texts[n];
		p->size = r->sizes[n++];
	}
	return 0;
}

static int run(const struct wire_request *r, const char *record, int aggs)
{
	struct request c;
	int e;

	cmd_begin(&c);
	e = cmd_parse(&c, (int)r->nwords, r->words);
	if (e == 0)
		e = give_texts(&c, r);
	if (e) {
		request_done(&c);
		return e < 0 ? EXIT_OK : e;
	}
	c.output = NULL; /* there */
	c.opts.record = record ? record : "";
	if (aggs >= 0) {
		c.send = send_aggs;
		c.send_arg = &aggs;
	}
	return cmd_request(&c, NULL);
}

static int cmd_hostagent_run(int argc, char **argv)
{
	struct err err = { 0 };
	int r;

	(void)argv;
	cmd_set_name("dwell"); /* its file has a name by what is in it */
	if (argc > 1)
		return cmd_wrong("host-agent takes no arguments: `dwell --host` starts it");
	r = agent(run, &err);
	if (r < 0)
		cmd_msg("host-agent: %s", err.msg);
	err_done(&err);
	return r < 0 ? EXIT_ERROR : EXIT_OK;
}

const struct command cmd_hostagent = { "host-agent", NULL, .run = cmd_hostagent_run };
