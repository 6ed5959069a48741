/* SPDX-License-Identifier: Apache-2.0 */
/* Counts slow events by cause and place, in a bounded table. */
#include "latency/window/metricscause.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/step.h"
#include "base/utf8.h"
#include "latency/cause/slowwait.h"

struct series {
	UT_hash_handle hh;
	uint64_t count, ns;
	char labels[];
};

struct metrics_caused {
	struct metrics_names names;
	struct series *all; /* by their labels, in the order in which they came */
	size_t n;
};

int metrics_caused_new(const struct metrics_names *names, struct metrics_caused **ret)
{
	struct metrics_caused *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->names = *names;
	*ret = c;
	return 0;
}

void metrics_caused_free(struct metrics_caused *c)
{
	struct series *s, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->all, s, next) {
		HASH_DEL(c->all, s);
		free(s);
	}
	free(c);
}

void metrics_label(struct strb *b, const char *name, const char *value)
{
	strb_printf(b, "%s=\"", name);
	for (size_t left = strlen(value); left;) {
		size_t n = utf8_len((const uint8_t *)value, left);

		if (*value == '\n')
			strb_adds(b, "\\n");
		else if (*value == '\\' || *value == '"')
			strb_printf(b, "\\%c", *value);
		else if (n == 0 || (unsigned char)*value < ' ')
			strb_addc(b, '?');
		else
			strb_add(b, value, n);
		value += n ? n : 1;
		left -= n ? n : 1;
	}
	strb_addc(b, '"');
}

static struct series *series_of(struct metrics_caused *c, const struct strb *labels)
{
	struct series *s;

	HASH_FIND(hh, c->all, labels->s, labels->n, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s) + labels->n + 1);
	if (!s)
		return NULL;
	memcpy(s->labels, labels->s, labels->n + 1);
	HASH_ADD_KEYPTR(hh, c->all, s->labels, labels->n, s);
	if (!s->hh.tbl) {
		free(s);
		return NULL;
	}
	c->n++;
	return s;
}

static void put_more(struct strb *b, const char *name, const char *value)
{
	if (!value[0])
		return;
	strb_addc(b, ',');
	metrics_label(b, name, value);
}

/* None: the thread was idle, and the event does not count. */
static struct step put_labels(struct metrics_caused *c, const struct slow_event *e, struct strb *b)
{
	struct metrics_place place = { "unknown", "", "", "" };
	struct slowwait w;
	int r = slowwait_make(c->names.causes, c->names.sym, e, &w);

	if (r < 0)
		return step_failed(r);
	if (cause_is_idle(w.class))
		return step_end();
	if (c->names.place)
		c->names.place(c->names.ctx, e->fixed.cgroup, &place);
	metrics_label(b, "tracker", e->tracker->name);
	put_more(b, "class", cause_class_name(w.class));
	put_more(b, "cause", w.cause);
	put_more(b, "cgroup", place.cgroup);
	put_more(b, "container", place.container);
	put_more(b, "pod", place.pod);
	put_more(b, "namespace", place.space);
	return step_taken(b->failed ? -ENOMEM : 0);
}

int metrics_caused_add(struct metrics_caused *c, const struct slow_event *e)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct series *s = NULL;
	struct step labels = put_labels(c, e, &b);

	if (!labels.more)
		return labels.error;
	HASH_FIND(hh, c->all, b.s, b.n, s);
	if (!s && c->n >= METRICS_CAUSED_MAX) {
		strb_reset(&b);
		metrics_label(&b, "tracker", e->tracker->name);
		put_more(&b, "class", "other");
		put_more(&b, "cause", "other");
	}
	s = b.failed ? NULL : series_of(c, &b);
	if (!s)
		return -ENOMEM;
	s->count++;
	s->ns += e->fixed.delay;
	return 0;
}

void metrics_caused_write(struct strb *b, const struct metrics_caused *c)
{
	strb_adds(b, "# TYPE dwell_slow_wait_events counter\n"
		     "# HELP dwell_slow_wait_events Slow events by what they waited for, and where.\n");
	for (const struct series *s = c->all; s; s = s->hh.next)
		strb_printf(b, "dwell_slow_wait_events_total{%s} %" PRIu64 "\n", s->labels, s->count);
	strb_adds(b, "# TYPE dwell_slow_wait_seconds counter\n# UNIT dwell_slow_wait_seconds seconds\n"
		     "# HELP dwell_slow_wait_seconds How long slow events took, by what they waited for, and where.\n");
	for (const struct series *s = c->all; s; s = s->hh.next)
		strb_printf(b, "dwell_slow_wait_seconds_total{%s} %.9f\n", s->labels, (double)s->ns * 1e-9);
}
