/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the formats apart by their first bytes and lines. */
#include "view/stack/stacksrc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "store/file/fdfile.h"
#include "store/file/recquery.h"
#include "view/stack/perfscript.h"
#include "view/stack/recstacks.h"
#include "view/form/recsym.h"

const char *stacksrc_unit(const char *name)
{
	static const char *const units[] = { "ns", "us", "ms", "bytes", "samples" };
	const char *tail = strrchr(name, '_');

	for (size_t i = 0; tail && i < ARRAY_SIZE(units); i++)
		if (!strcmp(tail + 1, units[i]))
			return units[i];
	return "";
}

/* -- recordings -- */

static bool only_profile(const struct rec_schema *s)
{
	for (size_t i = 0; i < s->nprobes; i++)
		if (strcmp(s->probes[i].prov, "profile") != 0 && strcmp(s->probes[i].prov, "dtrace") != 0)
			return false;
	return s->nprobes > 0;
}

static void recording_unit(const struct rec_schema *s, const char *title, char *unit, size_t n)
{
	const char *colon = strstr(title, ": ");
	_cleanup_free_ char *name = strndup(title, colon ? (size_t)(colon - title) : strlen(title));

	if (colon && !strcmp(colon, ": sum"))
		snprintf(unit, n, "%s", name ? stacksrc_unit(name) : "");
	else if (colon && name && !strcmp(stacksrc_unit(name), "samples"))
		snprintf(unit, n, "samples");
	else
		snprintf(unit, n, "%s", only_profile(s) ? "samples" : "events");
}

#define LATE_NS \
	UINT64_C(60000000000) /* what an aggregation counted in a slot of time arrives this much later at most */

struct reading {
	struct recstacks *rs;
	struct stacktree *t;
	unsigned weight;
};

static int on_row(void *ctx, const struct row *row)
{
	struct reading *g = ctx;

	return recstacks_row(g->rs, row, g->t, g->weight);
}

/* When the stacks that are left begin, after the recording's beginning; 0: none that was asked for has gone. Totals of
 * aggregations by no slots of time remain whole. */
static uint64_t begin_of(const struct recread *f, const struct recstacks *rs, const struct recstacks_opts *opts)
{
	const struct aggdesc *agg = recstacks_agg(rs);
	const char *text = recread_meta(f, agg ? RECFILE_SINCE "aggregations" : RECFILE_SINCE "events");
	uint64_t since;

	if ((agg && !agg->slot_ns && !opts->from_ns) || !text || num_parse_u64(text, &since) < 0)
		return 0;
	return since > opts->begin_ns + opts->from_ns ? since - opts->begin_ns : 0;
}

static int read_rows(struct recread *f, struct sym *sym, const struct recstacks_opts *opts, struct stacktree *t,
		     unsigned weight, struct stacksrc *ret, struct err *err)
{
	struct rec_range range = { opts->begin_ns + opts->from_ns,
				   opts->to_ns ? opts->begin_ns + opts->to_ns + LATE_NS : INT64_MAX };
	struct recstacks *rs = NULL;
	struct reading g = { .t = t, .weight = weight };
	int e = recstacks_new(recread_schema(f), sym, opts, &rs, err);

	if (e < 0)
		return e;
	if (!opts->from_ns)
		range.from = 0;
	g.rs = rs;
	e = recread_rows(f, 1u << ROW_AGG | 1u << ROW_EVENT | 1u << ROW_DROPS, range, on_row, &g, err);
	if (e == -ENOMEM && !err->msg[0])
		err_set(err, e, "out of memory");
	ret->in = *recstacks_input(rs);
	ret->in.other += opts->from_ns || opts->to_ns; /* rows outside of the range are not even read */
	snprintf(ret->title, sizeof(ret->title), "%s", recstacks_title(rs));
	if (recstacks_is_time(rs))
		snprintf(ret->unit, sizeof(ret->unit), "ns");
	else
		recording_unit(recread_schema(f), ret->title, ret->unit, sizeof(ret->unit));
	ret->counts = opts->counts && recstacks_is_sum(rs);
	ret->since_ns = begin_of(f, rs, opts);
	recstacks_free(rs);
	return e < 0 ? e : stack_input_check(&ret->in, t, 0, "", err);
}

static int read_recording(const char *path, const struct stacksrc_opts *opts, struct stacktree *t, unsigned weight,
			  struct stacksrc *ret, struct err *err)
{
	struct recstacks_opts ro = { .by = opts->by,
				     .per_thread = opts->per_thread,
				     .addresses = opts->addresses,
				     .counts = opts->counts,
				     .no_inlined = opts->no_inlined,
				     .lines = opts->lines,
				     .from_ns = opts->from_ns,
				     .to_ns = opts->to_ns,
				     .causes = opts->causes,
				     .causes_arg = opts->causes_arg };
	struct recread *f = NULL;
	struct sym *sym = NULL;
	const char *begin;
	int e = recread_open(path, &f, err);

	if (e < 0)
		return e; /* it names the path */
	ro.wall_off = recread_wall_off(f);
	begin = recread_meta(f, "begun_realtime_ns");
	if (begin)
		num_parse_u64(begin, &ret->begun_realtime_ns);
	ro.begin_ns = recread_begun(f);
	e = recsym_new(f, &sym, err);
	if (e == 0)
		e = read_rows(f, sym, &ro, t, weight, ret, err);
	sym_free(sym);
	recread_close(f);
	if (e < 0)
		err_prefix(err, "%s: ", path);
	return e;
}

/* -- texts -- */

/* Whether the first line that says something begins a sample of perf script. It is given again. */
static int looks_like_perf(struct lines *in, bool *ret)
{
	struct step r;
	char *s;
	size_t n;

	*ret = false;
	while ((r = lines_next(in, &s, &n)).more) {
		if (n == 0 || *s == '#')
			continue;
		*ret = perfscript_is_sample(s + strspn(s, " \t"), n - strspn(s, " \t"));
		lines_unread(in, s);
		return 0;
	}
	return r.error;
}

static int read_text(int fd, const struct stacksrc_opts *opts, struct stacktree *t, unsigned weight,
		     struct stacksrc *ret, struct err *err)
{
	struct perfscript_opts po = { opts->by, opts->per_thread, opts->addresses, opts->from_ns, opts->to_ns };
	struct lines in = { .fd = fd };
	bool perf = false;
	int e = looks_like_perf(&in, &perf);

	if (e < 0) {
		e = err_set(err, e, "cannot be read: %s", strerror(-e));
	} else if (perf) {
		e = perfscript_read(&in, &po, t, weight, &ret->in, err);
		snprintf(ret->title, sizeof(ret->title), "%s", ret->in.event);
	} else if (opts->by || opts->from_ns || opts->to_ns) {
		e = err_set(err, -EINVAL, "folded stacks have neither names nor times to choose from");
	} else {
		e = fold_read(&in, t, weight, &ret->in, err);
	}
	snprintf(ret->unit, sizeof(ret->unit), "samples");
	lines_done(&in);
	return e;
}

int stacksrc_read(const char *path, const struct stacksrc_opts *opts, struct stacktree *t, unsigned weight,
		  struct stacksrc *ret, struct err *err)
{
	bool input = !strcmp(path, "-");
	_cleanup_close_ int fd = input ? dup(STDIN_FILENO) : fdfile_open(path, O_CLOEXEC);
	char head[16] = "";
	int e;

	*ret = (struct stacksrc){ 0 };
	if (fd < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (pread(fd, head, sizeof(head), 0) > 0 || input) {
		if (!memcmp(head, "SQLite format 3", 16))
			return read_recording(path, opts, t, weight, ret, err);
		if (!memcmp(head, "PERFILE2", 8))
			return err_set(err, -EINVAL,
				       "%s is a file of perf record: give the output of 'perf script -i %s'", path,
				       path);
	}
	e = read_text(fd, opts, t, weight, ret, err);
	if (e < 0)
		err_prefix(err, "%s: ", input ? "standard input" : path);
	return e;
}
