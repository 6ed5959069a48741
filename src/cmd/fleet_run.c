/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet run`: a D program on many machines; `dwell fleet key`: the key that signs for it. */
#include <string.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "engine/textopts.h"
#include "fleet/run/access.h"
#include "fleet/ask/opts.h"
#include "fleet/run/ask.h"

#define NROWS (FLEET_STORE_NROWS + FLEET_BUS_NROWS + RUNASK_NROWS + ASKOPTS_MAX)

struct run_table {
	struct optrow rows[NROWS];
	struct optable t;
};

/* Joins the options of the program, those for hosts that questions have, and those of the store and of NATS. */
static void make_table(struct run_table *r)
{
	static const struct optrow servers[] = { FLEET_STORE_ROWS(struct runask, show.store),
						 FLEET_BUS_ROWS(struct runask, bus) };

	_Static_assert(offsetof(struct runask, show) == 0, "rows of questions are of its beginning");
	memcpy(r->rows, runask_rows, sizeof(runask_rows));
	r->t = (struct optable){ .command = "fleet run",
				 .synopsis = "fleet run --hosts LIST -n PROGRAM [options]",
				 .notes = "Runs a D program on hosts that take it (`dwell fleet host --policy`).",
				 .rows = r->rows,
				 .n = RUNASK_NROWS };
	r->t.n += askopts_rows(1u << ASKSHOW_HOSTS, r->rows + r->t.n);
	memcpy(r->rows + r->t.n, servers, sizeof(servers));
	r->t.n += ARRAY_SIZE(servers);
}

static void usage(const struct command *self, FILE *out)
{
	struct run_table r;

	(void)self;
	make_table(&r);
	optable_help(&r.t, cmd_name(), out);
}

static int run_program(int argc, char **argv)
{
	struct runask o = { .for_ns = RUNASK_FOR_NS, .out = stdout, .stop = fleet_stop };
	struct runask_result result;
	struct dopts opts = { 0 };
	struct err err = { 0 };
	struct run_table r;
	struct arena *a;
	int e;

	make_table(&r);
	askshow_init(&o.show);
	e = cmd_options(&r.t, &o, argc, argv);
	if (e == 0 && (optind < argc || !o.program == !o.script))
		e = cmd_words(&r.t, optind < argc ? argv[optind] : NULL, "a program: -n PROGRAM or -s FILE");
	if (e == 0 && !o.show.what.nselectors)
		e = cmd_wrong("fleet run: --hosts says which hosts ('*': all)");
	if (e == 0)
		e = fleet_bus(&o.bus);
	if (e)
		return e;
	if (!o.show.store.url)
		o.show.store.url = getenv("DWELL_FLEET_STORE");
	a = arena_new(ARENA_DEFAULT_LIMIT);
	dopts_init(&opts, a);
	textopts_fill(&o.text, &opts);
	caught_begin();
	e = runask(&o, &cmd_listener, &result, &err);
	arena_free(a);
	if (e == 0 && result.lost)
		cmd_msg("%u of %u hosts ran it to its end", result.ran, result.ran + result.lost);
	if (e == 0 && (result.forged || result.again))
		cmd_msg("%u answers were refused: not signed by the host that was asked (%u), or sent again (%u)",
			result.forged + result.again, result.forged, result.again);
	return e < 0 ? cmd_ended(e, &err) : result.lost && result.status < EXIT_ERROR ? EXIT_ERROR : result.status;
}

static const struct optable key_options = {
	.command = "fleet key",
	.synopsis = "fleet key FILE",
	.notes = "Prints the public key of FILE, which is made if it is not there."
};

static int run_key(int argc, char **argv)
{
	char text[NKEY_PUBLIC_LEN + 1];
	struct err err = { 0 };
	struct nkey k;
	int e = cmd_options(&key_options, NULL, argc, argv);

	if (e == 0 && optind + 1 != argc)
		e = cmd_words(&key_options, optind < argc ? argv[optind + 1] : NULL, "a file of a key");
	if (e)
		return e;
	e = access(argv[optind], F_OK) < 0 ? nkey_make(argv[optind], &k, &err) : nkey_load(argv[optind], &k, &err);
	if (e < 0)
		return cmd_fail("%s", err.msg);
	nkey_write(k.public, text);
	puts(text);
	return cmd_written(0);
}

static const struct optrow access_rows[] = {
	{ .name = "clickhouse", .kind = OPT_FLAG, .help = "the users of ClickHouse instead" },
};
static const struct optable access_options = {
	.command = "fleet access",
	.synopsis = "fleet access [options] FILE",
	.notes = "Prints the configuration of nats-server for the members in FILE: what each may send and hear.",
	.rows = access_rows,
	.n = ARRAY_SIZE(access_rows)
};

static int run_access(int argc, char **argv)
{
	bool click = false;
	struct err err = { 0 };
	int e = cmd_options(&access_options, &click, argc, argv);

	if (e == 0 && optind + 1 != argc)
		e = cmd_words(&access_options, optind < argc ? argv[optind + 1] : NULL, "a file of keys");
	if (e)
		return e;
	return access_write(argv[optind], click, stdout, &err) < 0 ? cmd_fail("%s", err.msg) : cmd_written(0);
}

const struct command fleet_program = { "run", "runs a D program on many machines", run_program, .usage = usage };
const struct command fleet_key = { "key", "makes or shows a key that signs programs", run_key,
				   .options = &key_options };
const struct command fleet_access = { "access", "the rights of members, as the servers' configuration", run_access,
				      .options = &access_options };
