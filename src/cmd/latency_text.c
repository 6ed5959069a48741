/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events as text. */
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/latency_live.h"
#include "view/text/flighttext.h"

/* Indented below the first line, broken at spaces. Names are chosen by programs, and this is for a terminal. */
static void put_wrapped(struct strb *to, char *text, int columns)
{
	int at = 0;

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == '\x7f')
			*c = '?';

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at && at + 1 + (int)n > columns) {
			strb_adds(to, "\n    ");
			at = 4;
		} else if (at) {
			strb_addc(to, ' ');
			at++;
		}
		strb_add(to, text, n);
		at += (int)n;
		text += n + (text[n] == ' ');
	}
	strb_addc(to, '\n');
}

/* As other events than usual are told. */
static const char *const endings[] = {
	[SLOW_TIMEOUT] = ", still open",
	[SLOW_REPLACED] = ", begun again without an end",
	[SLOW_COLLECTED] = ", without an end",
};

/* "wakeup, still open" */
static char *name_of(const struct slow_event *e)
{
	const char *ending = e->fixed.how < ARRAY_SIZE(endings) ? endings[e->fixed.how] : NULL;
	struct strb b = { 0 };

	strb_printf(&b, "%s%s", e->tracker->name, ending ? ending : "");
	return strb_take(&b);
}

static uint64_t ended(const struct live *l, const struct slow_event *e)
{
	return e->fixed.start + e->fixed.delay + (uint64_t)l->to_wall;
}

void live_event_text(const struct live *l, const struct slow_event *e, const struct chain *ch, struct strb *b)
{
	_cleanup_free_ char *name = name_of(e);
	struct strb line = { .failed = !name };
	char *text;

	slowgroup_head(&line, ended(l, e), name ? name : "");
	chain_sentence(ch, &line);
	text = strb_take(&line);
	if (text)
		put_wrapped(b, text, l->columns);
	else
		b->failed = true;
	free(text);
	if (l->has_flight)
		flighttext(b, &l->flight, l->cost);
}

/* -- those that are alike -- */

int live_group(struct live *l, const struct slow_event *e, const struct chain *ch, struct strb *text)
{
	struct slowgroup_event x = { .comm = e->fixed.comm, .wall = ended(l, e), .delay = e->fixed.delay };
	_cleanup_free_ char *name = NULL;
	struct strb reason = { 0 };
	int r;

	if (!l->groups || l->has_flight)
		return 1;
	live_put_groups(l, x.wall);
	x.tracker = name = name_of(e);
	chain_reason(ch, &reason);
	x.reason = strb_str(&reason);
	r = !name || reason.failed ? -ENOMEM : slowgroups_add(l->groups, &x, text);
	strb_free(&reason);
	return r;
}

static void wrap(void *ctx, struct strb *to, char *text)
{
	const struct live *l = ctx;

	put_wrapped(to, text, l->columns);
}

void live_put_groups(struct live *l, uint64_t wall)
{
	struct strb b = { 0 };

	if (!l->groups || !slowgroups_due(l->groups, wall))
		return;
	slowgroups_put(l->groups, &b, wrap, l);
	fputs(strb_str(&b), l->out); /* that it could not be written is found with the summary */
	strb_free(&b);
}
