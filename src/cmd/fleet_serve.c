/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet serve`: the fleet's page. Two processes as of `dwell serve`; a child asks the store for each question.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/writeall.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "fleet/askpage.h"
#include "fleet/tables.h"
#include "launcher/listen.h"
#include "launcher/page.h"
#include "launcher/pair.h"

#define PASSWORD_MAX 256

struct serve_cmd {
	struct click_options store;
	const char *tenant, *port, *unix_path;
};

static const struct optrow serve_rows[] = {
	FLEET_STORE_ROWS(struct serve_cmd, store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, tenant),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "port",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, port),
	  .arg = "NUMBER",
	  .help = "TCP port on 127.0.0.1 (any that is free)" },
	{ .name = "unix",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, unix_path),
	  .arg = "PATH",
	  .help = "a unix socket instead, for nobody but this user" },
};
static const struct optable serve_options = {
	.command = "fleet serve",
	.synopsis = "fleet serve [options]",
	.notes = "The fleet in a browser. Prints an address with a token; who has it may look.",
	.rows = serve_rows,
	.n = ARRAY_SIZE(serve_rows),
};

/* The password for children, who are nobody: in memory, so it is in no argument and no other file. */
static int give_password(struct arena *a, struct click_options *o)
{
	char text[PASSWORD_MAX];
	_cleanup_close_ int file = -1;
	ssize_t n;
	int fd;

	if (!o->password_file)
		return 0;
	file = open(o->password_file, O_RDONLY | O_CLOEXEC);
	n = file < 0 ? -1 : read(file, text, sizeof(text));
	if (n <= 0)
		return cmd_fail("the password cannot be read from %s: %s", o->password_file,
				n < 0 ? strerror(errno) : "it is empty");
	fd = memfd_create("password", 0);
	if (fd < 0 || write_all(fd, text, (size_t)n) < 0)
		return cmd_fail("memory for a password: %s", strerror(errno));
	o->password_file = arena_printf(a, "/dev/fd/%d", fd);
	return 0;
}

/* The command line to which a question is added. */
static char *const *query_line(struct arena *a, const struct serve_cmd *c)
{
	const char *words[] = { "dwell", "fleet", "query", "--tenant", c->tenant, "--store", c->store.url };
	char **argv = arena_alloc(a, (ARRAY_SIZE(words) + 5) * sizeof(*argv));
	size_t n = ARRAY_SIZE(words);

	for (size_t i = 0; i < n; i++)
		argv[i] = arena_strdup(a, words[i]);
	if (c->store.user) {
		argv[n++] = arena_strdup(a, "--store-user");
		argv[n++] = arena_strdup(a, c->store.user);
	}
	if (c->store.password_file) {
		argv[n++] = arena_strdup(a, "--store-password");
		argv[n++] = arena_strdup(a, c->store.password_file);
	}
	argv[n] = NULL;
	return argv;
}

static int listen_on(const struct serve_cmd *o, struct serve_config *c, uint64_t *port)
{
	if (o->port && (num_parse_u64(o->port, port) < 0 || *port > UINT16_MAX))
		return cmd_wrong("fleet serve: --port %s: a number up to %d is wanted", o->port, UINT16_MAX);
	c->listen_fd = o->unix_path ? listen_unix(o->unix_path) : listen_tcp(NULL, port);
	if (c->listen_fd < 0)
		return cmd_fail("cannot listen on %s: %s", o->unix_path ? o->unix_path : "127.0.0.1",
				strerror(-c->listen_fd));
	return 0;
}

static int serve_page(struct serve_cmd *o, struct arena *a)
{
	const char *hosts[] = { NULL, NULL, NULL };
	char token[SERVE_TOKEN_LEN + 1];
	struct serve_config c = {
		.hosts = hosts, .token = token, .fleet = true, .unprivileged = "this is a fleet's page"
	};
	uint64_t port = 0;
	int e = give_password(a, &o->store);

	if (e == 0)
		e = listen_on(o, &c, &port);
	if (e)
		return e;
	if (serve_token(token) < 0)
		return cmd_fail("no random numbers");
	c.nassets = page_assets(a, PAGE_FLEET, &c.assets);
	if (!c.nassets)
		cmd_msg("built without the page (it needs esbuild to be built): only the API is there");
	c.cookie = arena_printf(a, "dwell%u", (unsigned)port);
	pair_hold_signals();
	if (o->unix_path) {
		hosts[0] = "localhost";
		printf("socket %s token %s\n", o->unix_path, token);
	} else {
		hosts[0] = arena_printf(a, "127.0.0.1:%u", (unsigned)port);
		hosts[1] = arena_printf(a, "localhost:%u", (unsigned)port);
		printf("http://%s/?token=%s\n", hosts[0], token);
	}
	fflush(stdout);
	e = cmd_outcome(pair_run(&c, query_line(a, o), NULL, cmd_name(), &cmd_listener), 0);
	if (o->unix_path)
		unlink(o->unix_path);
	return e;
}

static int run_serve(int argc, char **argv)
{
	struct serve_cmd o = { .store.database = TABLES_DATABASE, .tenant = "default" };
	struct arena *a;
	int e = cmd_options(&serve_options, &o, argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&serve_options, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&o.store);
	if (e)
		return e;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	e = serve_page(&o, a);
	arena_free(a);
	return e;
}

/* -- a question of the page -- */

static const struct optrow query_rows[] = {
	FLEET_STORE_ROWS(struct askpage, show.store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct askpage, show.what.tenant),
	  .arg = "NAME",
	  .help = "(default)" },
};
static const struct optable query_options = {
	.command = "fleet query",
	.synopsis = "fleet query [options] TEXT",
	.rows = query_rows,
	.n = ARRAY_SIZE(query_rows),
};

static int run_query(int argc, char **argv)
{
	struct askpage p = { 0 };
	struct click *c = NULL;
	struct err err = { 0 };
	int e;

	askshow_init(&p.show);
	e = cmd_options(&query_options, &p, argc, argv);
	if (e == 0 && optind + 1 != argc)
		e = cmd_words(&query_options, NULL, "a question: `dwell fleet serve` asks it");
	if (e == 0)
		e = fleet_store(&p.show.store);
	if (e)
		return e;
	e = askpage_read(&p, argv[optind], &err);
	if (e == 0)
		e = click_open(&p.show.store, &c, &err);
	if (e == 0)
		e = tables_check(c, &err);
	if (e == 0)
		e = askpage_answer(&p, c, &err);
	click_close(c);
	return cmd_ended(e, &err);
}

const struct command fleet_serve = { "serve", "the page: the fleet in a browser", run_serve,
				     .options = &serve_options };

const struct command fleet_query = { "query", NULL, run_query, .options = &query_options };
