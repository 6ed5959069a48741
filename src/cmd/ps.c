/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell ps`: its options. */
#include "base/cleanup.h"
#include "base/columns.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "ps/psshow.h"

#define MEASURE_NS 1000000000ull

struct ps {
	uint64_t measure_ns;
	struct psshow show;
};

static const struct optrow rows[] = {
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct ps, measure_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "how long costs are measured (1s)" },
	{ .name = "all",
	  .letter = 'a',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct ps, show.all),
	  .help = "programs that no process holds, too" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct ps, show.json), .help = "JSON Lines" },
};
static const struct optable options = {
	.command = "ps",
	.synopsis = "ps [options]\nps [options] PID",
	.notes = "\tShows which processes run BPF programs, and what they cost; with PID each program of that one.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int show(struct ps *p, const char *word)
{
	struct psshow *s = &p->show;
	struct err err = { 0 };
	uint64_t pid = 0;
	int r;

	if (word && (num_parse_u64(word, &pid) < 0 || pid < 1 || pid > INT32_MAX))
		return cmd_wrong("ps: '%s' is no process", word);
	r = inventory_read(s->a, NULL, &s->v, &err);
	if (r < 0 || inventory_measure(&s->v, p->measure_ns, &err) < 0)
		cmd_msg("ps: %s", err.msg);
	err_done(&err);
	if (r < 0)
		return EXIT_ERROR;
	if (sym_new(&s->sym, NULL) < 0)
		s->sym = NULL;
	r = word ? psshow_one(s, (pid_t)pid) : psshow_processes(s);
	return r == -ESRCH ? cmd_fail("ps: process %s holds no BPF programs, or there is none", word) : cmd_written(r);
}

static int ps(int argc, char **argv)
{
	struct ps p = { .measure_ns = MEASURE_NS, .show = { .out = stdout, .columns = columns_of_terminal() } };
	int e = cmd_options(&options, &p, argc, argv);

	if (e == 0 && optind + 1 < argc)
		e = cmd_words(&options, argv[optind + 1], NULL);
	if (e == 0) {
		p.show.a = arena_new(ARENA_DEFAULT_LIMIT);
		e = show(&p, argv[optind]);
		sym_free(p.show.sym);
		arena_free(p.show.a);
	}
	return e;
}

const struct command cmd_ps = { "ps", "which processes run BPF programs, and what they cost", ps, .options = &options };
