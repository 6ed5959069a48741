/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the OpenMetrics file of -x metrics, at once and then periodically. */
#include "engine/record/metrics.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "latency/window/metrics.h"

struct metrics_file {
	const char *path;
	const struct listener *to;
	struct metrics *m;
	uint64_t written; /* CLOCK_MONOTONIC ns */
	int error;	  /* the first one */
};

/* The whole file or none: readers never see a part. */
static int replace(const char *path, const struct strb *b)
{
	_cleanup_free_ char *made = NULL;
	FILE *out;
	int r = 0;

	if (asprintf(&made, "%s.new", path) < 0)
		return -ENOMEM;
	out = fopen(made, "we");
	if (!out)
		return -errno;
	if (fwrite(b->s, 1, b->n, out) != b->n)
		r = -EIO;
	if (fclose(out) != 0 || r < 0 || rename(made, path) != 0) {
		r = errno ? -errno : -EIO;
		remove(made);
	}
	return r;
}

static void write_now(struct metrics_file *m, uint64_t now)
{
	struct strb b = { 0 };
	int r = metrics_write(&b, m->m, now);

	if (r == 0)
		r = replace(m->path, &b);
	if (r < 0 && !m->error)
		m->error = r;
	m->written = now;
	strb_free(&b);
}

static void on_row(void *ctx, const struct row *row)
{
	struct metrics_file *m = ctx;
	uint64_t now;
	int r;

	r = metrics_add(m->m, row);
	if (r < 0 && !m->error)
		m->error = r;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now >= m->written + METRICS_PERIOD_NS)
		write_now(m, now);
}

int metrics_open(const char *path, unsigned one_in, const struct rec_schema *schema, struct recording *rec,
		 const struct listener *to, struct metrics_file **ret)
{
	struct metrics_file *m = calloc(1, sizeof(*m));
	int e;

	if (!m || metrics_new(schema, clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC), &m->m) < 0) {
		free(m);
		return listener_fail(to, -ENOMEM, "out of memory");
	}
	metrics_one_in(m->m, one_in);
	m->path = path;
	m->to = to;
	write_now(m, clock_ns(CLOCK_MONOTONIC));
	if (m->error) {
		e = listener_fail(to, m->error, "cannot write metrics to %s: %s", path, strerror(-m->error));
		metrics_free(m->m);
		free(m);
		return e;
	}
	recording_tee(rec, on_row, m);
	*ret = m;
	return 0;
}

int metrics_close(struct metrics_file *m)
{
	int e = 0;

	if (!m)
		return 0;
	write_now(m, clock_ns(CLOCK_MONOTONIC));
	if (m->error)
		e = listener_fail(m->to, m->error, "metrics were not always written to %s: %s", m->path,
				  strerror(-m->error));
	metrics_free(m->m);
	free(m);
	return e;
}
