/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps rows in memory until tracing ends. */
#include "run/consume/row_retention.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kept { /* followed by the row's data */
	struct row row;
	uint64_t seq;
	struct kept *next;
};

struct cpu {
	struct kept *first, **last;
	uint64_t bytes; /* of data */
	uint64_t lost;
	uint32_t lost_probe; /* of the first row that was lost */
	uint64_t lost_ts;
};

struct retention {
	unsigned ncpus;
	uint64_t limit; /* bytes of data that a CPU may keep */
	uint64_t seq;
	bool ring, full; /* keeps the newest rows, else the oldest; a row found no room */
	struct cpu cpus[];
};

int retention_new(unsigned ncpus, uint64_t bytes, bool ring, struct retention **ret)
{
	struct retention *h = calloc(1, sizeof(*h) + (ncpus ? ncpus : 1) * sizeof(h->cpus[0]));

	*ret = h;
	if (!h)
		return -ENOMEM;
	h->ncpus = ncpus ? ncpus : 1;
	h->limit = bytes;
	h->ring = ring;
	for (unsigned i = 0; i < h->ncpus; i++)
		h->cpus[i].last = &h->cpus[i].first;
	return 0;
}

static void drop_first(struct cpu *c)
{
	struct kept *k = c->first;

	c->first = k->next;
	if (!c->first)
		c->last = &c->first;
	c->bytes -= k->row.len;
	free(k);
}

void retention_free(struct retention *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < h->ncpus; i++)
		while (h->cpus[i].first)
			drop_first(&h->cpus[i]);
	free(h);
}

static void lose(struct retention *h, struct cpu *c, const struct row *row)
{
	h->full = true;
	if (c->lost++)
		return;
	c->lost_probe = row->probe;
	c->lost_ts = row->ts;
}

int retention_add(struct retention *h, const struct row *row)
{
	struct cpu *c = &h->cpus[row->cpu < h->ncpus ? row->cpu : 0];
	struct kept *k;

	while (h->ring && c->first && c->bytes + row->len > h->limit)
		drop_first(c);
	if (c->bytes + row->len > h->limit) {
		lose(h, c, row);
		return 0;
	}
	k = malloc(sizeof(*k) + row->len);
	if (!k)
		return -ENOMEM;
	*k = (struct kept){ .row = *row, .seq = h->seq++ };
	memcpy(k + 1, row->data, row->len);
	k->row.data = k + 1;
	*c->last = k;
	c->last = &k->next;
	c->bytes += row->len;
	return 0;
}

bool retention_full(const struct retention *h)
{
	return h->full && !h->ring;
}

static struct cpu *oldest(struct retention *h)
{
	struct cpu *best = NULL;

	for (unsigned i = 0; i < h->ncpus; i++) {
		struct cpu *c = &h->cpus[i];

		if (c->first && (!best || c->first->seq < best->first->seq))
			best = c;
	}
	return best;
}

int retention_flush(struct retention *h, retention_take_fn *take, void *ctx)
{
	struct cpu *c;
	int r = 0;

	while (r >= 0 && (c = oldest(h))) {
		r = take(ctx, &c->first->row);
		drop_first(c);
	}
	for (unsigned i = 0; i < h->ncpus && r >= 0; i++) {
		struct row row = { .kind = ROW_DROPS, .id = CNT_DROP_PRINCIPAL, .cpu = i };

		c = &h->cpus[i];
		if (!c->lost)
			continue;
		row.count = c->lost;
		row.probe = c->lost_probe;
		row.ts = c->lost_ts;
		c->lost = 0;
		r = take(ctx, &row);
	}
	return r < 0 ? r : 0;
}
