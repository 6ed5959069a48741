/* SPDX-License-Identifier: Apache-2.0 */
/* Prints slow events: the thread, its delay, and the attributes of the tracker. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "base/units.h"
#include "store/flight.h"
#include "store/slow.h"
#include "view/text/flighttext.h"
#include "view/text/json_int.h"
#include "view/text/int.h"

/* Columns of an attribute's name. */
#define NAME_WIDTH 14

static bool is_stack(const struct recfield *f)
{
	return f->kind == FLD_STACK || f->kind == FLD_USTACK;
}

/* Prints a name that another program chose: control characters are escaped. */
static void put_name(struct text_view *v, const void *s, size_t size)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	plain_part(&b, s, strnlen(s, size), false, true);
	text_printf(v, "%s", strb_str(&b));
}

/* A stack ends its last line, other values do not. */
static void put_value(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	char buf[1024];

	switch (f->kind) {
	case FLD_INT: text_printf(v, f->is_signed ? "%lld" : "%llu", (unsigned long long)recfield_u64(f, p)); break;
	case FLD_STRING: put_name(v, p, f->size); break;
	case FLD_BYTES:
		for (uint32_t i = 0; i < f->size; i++)
			text_printf(v, "%02x", p[i]);
		break;
	case FLD_STACK:
	case FLD_USTACK: text_stack(v, f, p, 2 + NAME_WIDTH + 1, "%s"); break;
	default: text_addr_str(v, f, p, buf, sizeof(buf)); text_printf(v, "%s", buf);
	}
}

/* A line of its own, whatever -q says; the record's end makes it one without -q. */
void text_slow(struct text_view *v, const struct recact *act, const uint8_t *rec)
{
	struct slow_event e = slow_event(v->schema, act, rec);
	const struct rec_slow *s = &e.fixed;
	char delay[UNITS_LEN];

	if (!e.tracker)
		return;
	text_printf(v, "slow %-14s %9s  ", e.tracker->name, units_ns(s->delay, delay));
	put_name(v, s->comm, sizeof(s->comm));
	text_printf(v, " %u/%u on CPU %u", s->pid, s->tid, s->cpu);
	if (s->how != SLOW_NORMAL)
		text_printf(v, " (%s)", slow_how_name(s->how));
	if (s->end_tid != s->tid) {
		text_printf(v, ", ended by ");
		put_name(v, s->end_comm, sizeof(s->end_comm));
		text_printf(v, " %u/%u on CPU %u", s->end_pid, s->end_tid, s->end_cpu);
	}
	for (size_t i = 0; e.key && i < e.tracker->nkeys; i++) {
		text_printf(v, i ? ", " : "\n  %-*s ", NAME_WIDTH, "key");
		put_value(v, &e.tracker->keys[i], e.key + e.tracker->keys[i].off);
	}
	for (size_t i = 0; i < e.nattrs; i++) {
		text_printf(v, "%s  %-*s ", i && is_stack(&e.attrs[i - 1]) ? "" : "\n", NAME_WIDTH,
			    e.attrs[i].name ? e.attrs[i].name : "");
		put_value(v, &e.attrs[i], rec + e.attrs[i].off);
	}
	if (v->opts.quiet && !(e.nattrs && is_stack(&e.attrs[e.nattrs - 1])))
		text_printf(v, "\n");
}

static void put_lines(struct text_view *v, const struct strb *text)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	plain_part(&b, strb_str(text), text->n, true, true);
	text_printf(v, "%s", strb_str(&b));
}

void text_flight(struct text_view *v, const struct row *row)
{
	struct flight_rec f;
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	if (flight_open(row->data, row->len, &f) < 0)
		return;
	if (v->opts.json)
		flightjson(&w, NULL, &f);
	else
		flighttext(&b, &f, v->opts.verbose);
	if (b.failed)
		v->error = v->error ? v->error : -ENOMEM;
	else if (v->opts.json)
		json_flight(v, strb_str(&b));
	else
		put_lines(v, &b);
	strb_free(&b);
}
