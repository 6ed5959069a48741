/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell --host ssh:NAME … -n …`: traces on other machines and shows the results here. */
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "cmd/words.h"
#include "engine/front/compile.h"
#include "engine/textopts.h"
#include "hosts/fleet.h"

struct hostcmd {
	struct fleet_opts o;
	int at; /* in argv: the next word */
};

enum host_option { HOST_PLACE, HOST_TEXT, HOST_FLAG, HOST_TIME };

static const struct {
	const char *name;
	enum host_option kind;
	size_t at; /* in struct fleet_opts */
} host_options[] = {
	{ "host", HOST_PLACE, 0 },
	{ "by-host", HOST_FLAG, offsetof(struct fleet_opts, by_host) },
	{ "separate", HOST_FLAG, offsetof(struct fleet_opts, separate) },
	{ "host-sudo", HOST_FLAG, offsetof(struct fleet_opts, sudo) },
	{ "host-remove", HOST_FLAG, offsetof(struct fleet_opts, forget) },
	{ "host-timeout", HOST_TIME, offsetof(struct fleet_opts, patience) },
	{ "host-binary", HOST_TEXT, offsetof(struct fleet_opts, binary) },
	{ "ssh-config", HOST_TEXT, offsetof(struct fleet_opts, config) },
};

static int set_option(struct hostcmd *h, size_t i, const char *value)
{
	void *member = (char *)&h->o + host_options[i].at;
	char name[OPTABLE_NAME];
	struct err err = { 0 };

	switch (host_options[i].kind) {
	case HOST_FLAG: *(bool *)member = true; return 0;
	case HOST_TEXT: *(const char **)member = value; return 0;
	case HOST_TIME:
		snprintf(name, sizeof(name), "--%s", host_options[i].name);
		return cmd_err(optrow_time(name, value, FLEET_PATIENCE_MIN, member, &err), &err);
	default: break;
	}
	if (h->o.nplaces >= FLEET_HOSTS_MAX)
		return cmd_wrong("--host: %d hosts at most", FLEET_HOSTS_MAX);
	h->o.places[h->o.nplaces++] = value;
	return 0;
}

/* The option at argv[h->at], which moves after it. 0; EXIT_* > 0 after a message; < 0: it is none of these. */
static int take_option(struct hostcmd *h, int argc, char **argv)
{
	const char *word = argv[h->at], *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(host_options); i++) {
		const char *name = host_options[i].name;
		bool flag = host_options[i].kind == HOST_FLAG;

		if (n != strlen(name) + 2 || strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n - 2) != 0 ||
		    (flag && eq))
			continue;
		h->at++;
		if (!flag && !eq && h->at >= argc)
			return cmd_usage("--host and its like take an argument, such as --host ssh:web1");
		return set_option(h, i, flag ? NULL : eq ? eq + 1 : argv[h->at++]);
	}
	return -1;
}

/* The texts of scripts, which are sent. */
static int read_texts(struct request *c, struct wire_request *r)
{
	r->texts = arena_new_arr(c->arena, char *, c->progs.n + 1);
	r->sizes = arena_new_arr(c->arena, size_t, c->progs.n + 1);
	for (size_t i = 0; i < c->progs.n; i++) {
		_cleanup_(strb_free) struct strb b = { 0 };
		int e;

		if (c->progs.v[i].kind != PROG_SCRIPT)
			continue;
		e = prog_read(c, &c->progs.v[i], &b);
		if (e)
			return e;
		r->texts[r->ntexts] = arena_strndup(c->arena, "", 0);
		if (b.n) {
			r->texts[r->ntexts] = arena_alloc(c->arena, b.n + 1);
			memcpy(r->texts[r->ntexts], b.s, b.n);
		}
		r->sizes[r->ntexts++] = b.n;
	}
	return 0;
}

static int run(struct hostcmd *h, struct request *c)
{
	struct fleet_result result;
	int e;

	if (c->header || c->link)
		return cmd_wrong("-h and -G write files and trace nothing: they need no --host");
	if (h->o.separate && !c->output)
		return cmd_wrong("--separate gives each host an output of its own: -o FILE names it");
	h->o.output = c->output;
	h->o.record = c->opts.record[0] ? c->opts.record : NULL;
	h->o.json = !strcmp(c->opts.oformat, "json");
	textopts_fill(&h->o.text, &c->opts);
	e = fleet_run(&h->o, &cmd_listener, &result);
	if (result.lost && result.status < EXIT_ERROR)
		return EXIT_ERROR;
	return result.status ? result.status : cmd_outcome(e, 0);
}

bool cmd_is_host(int argc, char **argv)
{
	if (argc < 2 || strncmp(argv[1], "--", 2) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(host_options); i++) {
		size_t n = strlen(host_options[i].name);

		if (!strncmp(argv[1] + 2, host_options[i].name, n) && (!argv[1][2 + n] || argv[1][2 + n] == '='))
			return true;
	}
	return false;
}

int cmd_host(int argc, char **argv)
{
	struct hostcmd h = { .at = 1, .o.patience = FLEET_PATIENCE_NS };
	struct request c;
	int e = 0;

	while (h.at < argc && (e = take_option(&h, argc, argv)) == 0)
		;
	if (e > 0)
		return e;
	if (!h.o.nplaces)
		return cmd_usage("no host is given: --host ssh:NAME");
	if (h.at < argc && (cmd_find(argv[h.at]) || cmd_is_tool(argv[h.at])))
		return cmd_wrong("--host runs programs of D there (-n, -s FILE.d), not '%s'", argv[h.at]);
	argv[--h.at] = argv[0];
	h.o.request.words = argv + h.at;
	h.o.request.nwords = (size_t)(argc - h.at);
	cmd_begin(&c);
	e = cmd_parse(&c, argc - h.at, argv + h.at);
	if (e == 0)
		e = cmd_outcome(read_texts(&c, &h.o.request), 0);
	if (e == 0)
		e = run(&h, &c);
	request_done(&c);
	return e < 0 ? EXIT_OK : e;
}
