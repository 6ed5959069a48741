/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the queue of rows. Counts the rows that a full queue drops, and reports them in their place. */
#include "lib/queue.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "lib/pull.h"

void queue_init(struct queue *q)
{
	*q = (struct queue){ 0 };
	q->last = &q->first;
}

void queue_free(struct queue *q)
{
	struct queue_item *i;

	while ((i = queue_take(q)))
		queue_item_free(i);
}

static int kind_of(const char *line)
{
	static const struct {
		const char *type;
		int kind;
	} kinds[] = { { "\"event\"", DWELL_ROW_EVENT },
		      { "\"printa\"", DWELL_ROW_AGGREGATION },
		      { "\"error\"", DWELL_ROW_FAULT },
		      { "\"drop\"", DWELL_ROW_LOSS },
		      { "\"message\"", DWELL_ROW_MESSAGE } };
	struct pull type = pull_member(pull_value(line), "type");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (type.n == strlen(kinds[i].type) && !memcmp(type.p, kinds[i].type, type.n))
			return kinds[i].kind;
	return DWELL_ROW_OTHER;
}

static bool append(struct queue *q, const struct row *row, const struct rec_probe *probe, const char *line, size_t n)
{
	static const struct rec_probe none = { .prov = "", .mod = "", .func = "", .name = "" };
	const struct rec_probe *p = probe ? probe : &none;
	size_t bytes = sizeof(struct queue_item) + n + 1;
	struct queue_item *i = q->bytes + bytes > QUEUE_BYTES_MAX ? NULL : calloc(1, bytes);

	if (!i)
		return false;
	memcpy(i->json, line, n);
	i->bytes = bytes;
	i->row = (struct dwell_row){ .kind = kind_of(i->json),
				     .cpu = row->cpu,
				     .time = row->ts,
				     .provider = p->prov,
				     .module = p->mod,
				     .function = p->func,
				     .name = p->name,
				     .json = i->json };
	*q->last = i;
	q->last = &i->next;
	q->bytes += bytes;
	return true;
}

/* Rows that follow lost ones come after the row that counts these. */
static bool tell_lost(struct queue *q, const struct row *row)
{
	_cleanup_(strb_free) struct strb line = { 0 };
	struct jsonw w = jsonw_to(&line);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "drop");
	jsonw_str(&w, "tag", "DROP_READER");
	jsonw_u64(&w, "count", q->lost);
	jsonw_strf(&w, "text", "%llu rows lost: they were not read in time", (unsigned long long)q->lost);
	jsonw_end_object(&w);
	if (line.failed || !append(q, row, NULL, strb_str(&line), line.n))
		return false;
	q->lost = 0;
	return true;
}

void queue_put(struct queue *q, const struct row *row, const struct rec_probe *probe, const char *line, size_t n)
{
	if ((q->lost && !tell_lost(q, row)) || !append(q, row, probe, line, n))
		q->lost++;
}

struct queue_item *queue_take(struct queue *q)
{
	const struct row now = { 0 };
	struct queue_item *i;

	if (!q->first && q->lost)
		(void)tell_lost(q, &now); /* without memory the next call tries again */
	i = q->first;
	if (!i)
		return NULL;
	q->first = i->next;
	if (!q->first)
		q->last = &q->first;
	q->bytes -= i->bytes;
	return i;
}

/* The text that an action shows: that of printf(), the value of trace(), else the whole action. */
static struct pull shown(struct pull action)
{
	struct pull v = pull_member(action, "text");

	if (!v.p)
		v = pull_member(action, "value");
	return v.p ? v : action;
}

int queue_item_parse(struct queue_item *i)
{
	struct pull output = pull_member(pull_value(i->json), "output");
	size_t n = pull_count(output);
	struct dwell_value *v;

	if (!n || i->row.values)
		return 0;
	v = calloc(n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	i->row.values = v;
	for (struct pull a = pull_first(output); a.p; a = pull_after(a))
		if (!pull_copy(shown(a), &v[i->row.nvalues++]))
			return -ENOMEM;
	return 0;
}

void queue_item_free(struct queue_item *i)
{
	if (!i)
		return;
	for (size_t k = 0; k < i->row.nvalues; k++)
		free((char *)i->row.values[k].text);
	free((struct dwell_value *)i->row.values);
	free(i);
}
