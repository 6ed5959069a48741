/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the parts of a system call, copies those of the entry to the exit, and finds them again. */
#include "strace/event.h"
#include <string.h>

void event_reset(struct event *e)
{
	struct strb bytes = e->bytes, stack = e->stack;

	*e = (struct event){ .bytes = bytes, .stack = stack };
	strb_reset(&e->bytes);
	strb_reset(&e->stack);
	for (unsigned i = 0; i < CALL_ARGS; i++)
		e->count[i] = -1;
}

void event_done(struct event *e)
{
	strb_free(&e->bytes);
	strb_free(&e->stack);
}

static void keep(struct event *e, struct event_part *to, const void *p, uint32_t n)
{
	*to = (struct event_part){ .off = (uint32_t)e->bytes.n, .n = n, .there = true };
	strb_add(&e->bytes, p, n);
	strb_addc(&e->bytes, '\0');
	to->there = !e->bytes.failed;
}

void event_put(struct event *e, bool at_entry, uint32_t place, const void *p, uint32_t n)
{
	uint32_t arg = place & ((1u << EVENT_PART_SHIFT) - 1), part = place >> EVENT_PART_SHIFT;

	if (arg == EVENT_RESULT)
		keep(e, &e->path[EVENT_RESULT], p, n);
	else if (arg < CALL_ARGS && part == 0)
		keep(e, at_entry ? &e->entry[arg] : &e->at[arg], p, n);
	else if (part < EVENT_PARTS)
		keep(e, &e->part[part], p, n);
}

static void take(struct event *e, struct event_part *to, const struct event *from, const struct event_part *p)
{
	if (p->there)
		keep(e, to, from->bytes.s + p->off, p->n);
}

void event_take_entry(struct event *e, const struct event *entry)
{
	for (unsigned i = 0; i < CALL_ARGS; i++) {
		take(e, &e->entry[i], entry, &entry->entry[i]);
		e->count[i] = e->count[i] < 0 ? entry->count[i] : e->count[i];
	}
	for (unsigned i = 0; i <= CALL_ARGS; i++)
		take(e, &e->path[i], entry, &entry->path[i]);
	for (unsigned i = 0; i < EVENT_PARTS; i++)
		take(e, &e->part[i], entry, &entry->part[i]);
}

static const uint8_t *bytes_of(const struct event *e, const struct event_part *p, uint32_t *n)
{
	*n = p->n;
	return p->there ? (const uint8_t *)e->bytes.s + p->off : NULL;
}

const uint8_t *event_bytes(const struct event *e, unsigned arg, bool before, uint32_t *n)
{
	const struct event_part *first = before ? &e->entry[arg] : &e->at[arg];
	const struct event_part *other = before ? &e->at[arg] : &e->entry[arg];

	return bytes_of(e, first->there ? first : other, n);
}

const uint8_t *event_part(const struct event *e, unsigned part, uint32_t *n)
{
	return bytes_of(e, &e->part[part], n);
}

const char *event_path(const struct event *e, unsigned arg)
{
	uint32_t n;

	return (const char *)bytes_of(e, &e->path[arg], &n);
}
