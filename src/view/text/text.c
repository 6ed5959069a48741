/* SPDX-License-Identifier: Apache-2.0 */
/* The text view: rows to DTrace's lines. This file: life cycle, headings, flow indentation, drops, faults. */
#include "view/text/text.h"
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "view/text/int.h"

int text_view_new(const struct rec_schema *schema, struct sym *sym, const struct text_opts *opts, FILE *out,
		  text_msg_fn *msg, void *msg_arg, struct text_view **ret)
{
	struct text_view *v = calloc(1, sizeof(*v));
	size_t ncpu = schema->ncpus ? schema->ncpus : 1;
	int r;

	if (!v)
		return -ENOMEM;
	*v = (struct text_view){
		.schema = schema, .sym = sym, .opts = *opts, .out = out, .orig_out = out, .msg = msg, .msg_arg = msg_arg
	};
	v->json = jsonw_to(&v->json_text);
	v->terminal = isatty(fileno(out) < 0
				     ? STDOUT_FILENO
				     : fileno(out)); /* a stream without descriptor stands for standard output */
	v->arena = arena_new(ARENA_DEFAULT_LIMIT);
	v->agg_printed = calloc(schema->naggs + 1, sizeof(bool));
	v->agg_lost = calloc(schema->naggs + 1, sizeof(*v->agg_lost));
	v->agg_changed = calloc(schema->naggs + 1, sizeof(bool));
	v->indent = calloc(ncpu, sizeof(*v->indent));
	v->last_epid = calloc(ncpu, sizeof(*v->last_epid));
	v->last_probe = calloc(ncpu, sizeof(*v->last_probe));
	v->drops = calloc(ncpu * REC_NLOSSES, sizeof(*v->drops));
	r = aggstate_new(schema, &v->aggs);
	if (r < 0 || !v->agg_printed || !v->agg_lost || !v->agg_changed || !v->indent || !v->last_epid ||
	    !v->last_probe || !v->drops) {
		text_view_free(v);
		return r < 0 ? r : -ENOMEM;
	}
	*ret = v;
	return 0;
}

void text_view_free(struct text_view *v)
{
	if (!v)
		return;
	if (v->own_out && v->out)
		fclose(v->out);
	free(v->out_path);
	aggstate_free(v->aggs);
	text_aggkey_free(v);
	text_why_free(v);
	arena_free(v->arena);
	free(v->agg_printed);
	free(v->agg_lost);
	free(v->agg_changed);
	free(v->indent);
	free(v->last_epid);
	free(v->last_probe);
	free(v->drops);
	text_cost_free(v);
	free(v->cache);
	strb_free(&v->json_pending);
	strb_free(&v->json_text);
	free(v);
}

void text_view_on_setopt(struct text_view *v, text_setopt_fn *fn, void *arg)
{
	v->setopt = fn;
	v->setopt_arg = arg;
}

struct text_opts *text_view_opts(struct text_view *v)
{
	return &v->opts;
}

#define PROBE_NAME_BYTES 1024 /* of a function and a name, with escapes; longer ones are cut */

/* The part of a name before "entry"/"return" must be empty or end in '-': "gentry" is no entry. */
static bool name_is(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && !strcmp(name + n - w, word) && (n == w || name[n - w - 1] == '-');
}

enum flow { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

/* Flow of a record by its probe's name, DTrace's heuristics: a second clause of the same probe is not
 * indented again. */
static enum flow flow_of(const struct text_view *v, const struct rec_probe *p, const struct row *row)
{
	uint32_t cpu = row->cpu < v->schema->ncpus ? row->cpu : 0;

	if (name_is(p->name, "entry"))
		return v->last_epid[cpu] && v->last_epid[cpu] != row->id && v->last_probe[cpu] == p->id ? FLOW_NONE
													: FLOW_ENTRY;
	if (name_is(p->name, "return"))
		return FLOW_RETURN;
	return FLOW_NONE;
}

static void print_flow(struct text_view *v, const struct rec_probe *p, const struct row *row)
{
	uint32_t cpu = row->cpu < v->schema->ncpus ? row->cpu : 0;
	bool sys = !strcmp(p->prov, "syscall");
	enum flow flow = flow_of(v, p, row);
	const char *prefix = flow == FLOW_ENTRY	   ? (sys ? " => " : " -> ")
			     : flow == FLOW_RETURN ? (sys ? " <= " : " <- ")
						   : "| ";
	char buf[2][PROBE_NAME_BYTES], *name = NULL;
	const char *func = plain_name(p->func, buf[0], sizeof(buf[0]));
	int n;

	if (flow == FLOW_RETURN && v->indent[cpu] > 0)
		v->indent[cpu] -= 2;
	if (flow == FLOW_NONE)
		n = asprintf(&name, "%*s%s%s:%s", v->indent[cpu], "", prefix, func,
			     plain_name(p->name, buf[1], sizeof(buf[1])));
	else
		n = asprintf(&name, "%*s%s%s", v->indent[cpu], "", prefix, func);
	if (n >= 0)
		text_printf(v, "%3u %-41s ", row->cpu, name);
	free(name);
	if (flow == FLOW_ENTRY)
		v->indent[cpu] += 2;
	v->last_epid[cpu] = row->id;
	v->last_probe[cpu] = p->id;
}

static void print_heading(struct text_view *v)
{
	if (v->heading_done)
		return;
	v->heading_done = true;
	if (v->opts.flowindent)
		text_printf(v, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!v->opts.quiet)
		text_printf(v, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

static void show_event(struct text_view *v, const struct row *row, const struct recfmt *fmt, const struct rec_probe *p)
{
	print_heading(v);
	if (v->opts.flowindent) {
		print_flow(v, p, row);
	} else if (!v->opts.quiet) {
		char name[PROBE_NAME_BYTES], buf[2][PROBE_NAME_BYTES / 2];

		snprintf(name, sizeof(name), "%s:%s", plain_name(p->func, buf[0], sizeof(buf[0])),
			 plain_name(p->name, buf[1], sizeof(buf[1])));
		text_printf(v, "%3u %6u %32s ", row->cpu, p->id, name);
	}
	for (size_t i = 0; i < fmt->nacts; i++)
		text_act(v, fmt, i, row);
	if (!v->opts.quiet)
		text_printf(v, "\n");
}

static void row_fault(struct text_view *v, const struct row *row);

/* Updates the state for later rows from an event that is not shown. */
static void pass_over(struct text_view *v, const struct row *row, const struct recfmt *fmt)
{
	bool shows = false;

	for (size_t i = 0; i < fmt->nacts; i++) {
		enum act_kind k = fmt->acts[i].kind;

		if (k == ACT_CLEAR || k == ACT_TRUNC || k == ACT_NORMALIZE || k == ACT_DENORMALIZE || k == ACT_SETOPT)
			text_act(v, fmt, i, row);
		else
			shows |= k != ACT_EXIT;
	}
	v->records_lost += shows || !v->opts.quiet;
}

static bool is_of_end(const struct rec_probe *p)
{
	return !strcmp(p->prov, "dtrace") && !strcmp(p->name, "END");
}

static void row_event(struct text_view *v, const struct row *row)
{
	struct rec_fault f = { .epid = row->id, .code = FAULT_WIDTH };
	struct row fault = {
		.kind = ROW_FAULT, .ts = row->ts, .cpu = row->cpu, .probe = row->probe, .data = &f, .len = sizeof(f)
	};
	const struct recfmt *fmt;

	if (row->id == 0 || row->id > v->schema->nfmts)
		return;
	fmt = v->schema->fmts[row->id - 1];
	if (v->opts.overdue && v->opts.overdue() && (text_is_cut(v) || !is_of_end(text_row_probe(v, row)))) {
		pass_over(v, row, fmt);
		return;
	}
	v->wide_action = 0;
	v->padding = v->wide_padding = 0;
	if (v->opts.json)
		json_event(v, row, fmt, text_row_probe(v, row));
	else
		show_event(v, row, fmt, text_row_probe(v, row));
	if (v->wide_action) {
		f.action = (uint16_t)v->wide_action;
		f.value = (uint64_t)v->wide_value;
		row_fault(v, &fault);
	}
}

static const char *fault_text(const struct rec_fault *f, char *buf, size_t n)
{
	unsigned long long val = f->value;

	switch ((enum rec_fault_code)f->code) {
	case FAULT_BADADDR: snprintf(buf, n, "invalid address (0x%llx)", val); return buf;
	case FAULT_BADALIGN: snprintf(buf, n, "invalid alignment (0x%llx)", val); return buf;
	case FAULT_ILLOP: return "illegal operation";
	case FAULT_DIVZERO: return "divide-by-zero";
	case FAULT_NOSCRATCH: return "out of scratch space";
	case FAULT_KPRIV: return "invalid kernel access";
	case FAULT_UPRIV: return "invalid user access";
	case FAULT_TUPOFLOW: return "tuple stack overflow";
	case FAULT_BADSTACK: return "bad stack";
	case FAULT_BADSIZE: snprintf(buf, n, "invalid size (0x%llx)", val); return buf;
	case FAULT_BADINDEX: snprintf(buf, n, "index out of bounds (%lld)", (long long)val); return buf;
	case FAULT_NOTRESIDENT: /* the hint follows the place */
		snprintf(buf, n, "invalid address (0x%llx)", val);
		return buf;
	case FAULT_LOOPMAX: snprintf(buf, n, "loop stopped after %llu iterations (-x loopmax)", val); return buf;
	case FAULT_WIDTH:
		if ((long long)val == TEXT_WIDE_CONSTANTS) {
			snprintf(buf, n, "widths and precisions are more than the %d of a record", PRINTFMT_WIDE_TEXT);
			return buf;
		}
		snprintf(buf, n, "width or precision of %lld is more than %d, or more than the %d of a record",
			 (long long)val, PRINTFMT_MAX_WIDTH, PRINTFMT_MAX_TEXT);
		return buf;
	case FAULT_UNKNOWN: break;
	}
	return "unknown fault";
}

/* DTrace's words and tags for losses. Source: dtrace(1), DTRACEDROP_* of libdtrace. */
static const struct drop_text {
	enum rec_counter kind;
	const char *tag, *one, *many;
	bool with_cpu;
} drop_texts[] = {
	{ CNT_DROP_PRINCIPAL, "DTRACEDROP_PRINCIPAL", "drop", "drops", true },
	{ CNT_DROP_AGG, "DTRACEDROP_AGGREGATION", "aggregation drop", "aggregation drops", true },
	{ CNT_DROP_DYN, "DTRACEDROP_DYNAMIC", "dynamic variable drop", "dynamic variable drops", false },
	{ CNT_DROP_SPEC, "DTRACEDROP_SPEC", "speculative drop", "speculative drops", false },
	{ CNT_DROP_SPEC_BUSY, "DTRACEDROP_SPECBUSY", "failed speculation (available buffer(s) still busy)",
	  "failed speculations (available buffer(s) still busy)", false },
	{ CNT_DROP_SPEC_UNAVAIL, "DTRACEDROP_SPECUNAVAIL", "failed speculation (no speculative buffer available)",
	  "failed speculations (no speculative buffer available)", false },
	{ CNT_COMPAT, "DTRACEDROP_COMPAT", "system call of a 32-bit program not traced",
	  "system calls of 32-bit programs not traced", false },
	{ CNT_DROP_SCRATCH, "DTRACEDROP_SCRATCH", "firing lost: no scratch space free",
	  "firings lost: no scratch space free", false },
	{ CNT_RECURSION, "DTRACEDROP_RECURSION",
	  "firing skipped by the kernel: the same program was running on that CPU",
	  "firings skipped by the kernel: the same program was running on that CPU", false },
	{ CNT_CALL_MISSED, "DTRACEDROP_RETURN", "call not seen: the kernel had no room to follow it to its return",
	  "calls not seen: the kernel had no room to follow them to their returns", false },
	{ CNT_TIMER_MISSES, "DTRACEDROP_TIMER", "timer firing missed", "timer firings missed", false },
	{ CNT_TRACK_FULL, "DROP_TRACK_FULL", "event not tracked: no room for its key (setting size)",
	  "events not tracked: no room for their keys (setting size)", false },
	{ CNT_TRACK_DEEP, "DROP_TRACK_DEEP", "event not tracked: its key has been opened too often (setting nested)",
	  "events not tracked: their keys have been opened too often (setting nested)", false },
	{ CNT_TRACK_LIMITED, "DROP_TRACK_LIMITED", "slow event not shown: more than the limit per second",
	  "slow events not shown: more than the limit per second", false },
	{ CNT_TRACK_LOST, "DROP_TRACK_LOST", "event collected that was never closed",
	  "events collected that were never closed", false },
	{ CNT_TRACK_EXITED, "DROP_TRACK_EXITED", "event left out: its thread ended before it did",
	  "events left out: their threads ended before they did", false },
	{ CNT_FLIGHT_MISSED, "DROP_FLIGHT", "event not in the flight recorder: its CPU came online later",
	  "events not in the flight recorder: their CPUs came online later", false },
	{ CNT_TIMER_ASLEEP, "DTRACEDROP_IDLE", "timer firing not made: the CPU was idle",
	  "timer firings not made: their CPUs were idle", false },
	{ CNT_UNRECORDED, "DROP_RECORD", "row not in the recording: no room within --record-size",
	  "rows not in the recording: no room within --record-size", false },
};

static const struct drop_text error_in_error = { .tag = "DTRACEDROP_DBLERROR", .one = "error in ERROR probe enabling" };

static const struct drop_text *drop_text(unsigned kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(drop_texts); i++)
		if (drop_texts[i].kind == kind)
			return &drop_texts[i];
	return NULL;
}

const char *text_drop_tag(unsigned kind)
{
	const struct drop_text *t = drop_text(kind);

	return t ? t->tag : NULL;
}

/* Losses of trackers and of the recording are told where they happen. */
static bool at_once(unsigned kind)
{
	return kind >= CNT_TRACK_FULL && kind <= CNT_UNRECORDED;
}

static void print_drops(struct text_view *v, const struct drop_text *t, uint64_t count, uint32_t cpu,
			const struct rec_probe *p)
{
	bool json = v->opts.json && !text_is_cut(v);
	char on[32] = "", tag[64] = "";
	struct strb b = { 0 };

	if (t->kind == CNT_FLIGHT_MISSED || t->kind == CNT_UNRECORDED)
		p = NULL; /* of no probe */
	if (t->with_cpu)
		snprintf(on, sizeof(on), " on CPU %u", cpu);
	if (v->opts.droptags && !json)
		snprintf(tag, sizeof(tag), "[%s] ", t->tag);
	strb_adds(&b, tag);
	if (p && at_once(t->kind))
		strb_printf(&b, "tracker %s: ", p->mod);
	strb_printf(&b, "%llu %s%s", (unsigned long long)count, count == 1 ? t->one : t->many, on);
	if (p && !at_once(t->kind))
		strb_printf(&b, " by %s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	if (json)
		json_drop(v, t->tag, t == &error_in_error ? REC_LOST : rec_loss(t->kind), count,
			  t->with_cpu ? (long)cpu : -1, p, strb_str(&b));
	else
		text_msg(v, "%s", strb_str(&b));
	strb_free(&b);
}

/* Why memory of the program could not be read, and what helps. Small negative numbers of 32 bits, as openat(2) and
 * others take in place of a descriptor, are no addresses. The kernel maps nothing in the last page of what 32 bits
 * reach. Source: include/uapi/linux/fcntl.h. */
static void add_why_unread(struct strb *b, uint64_t addr, const struct rec_probe *p)
{
	const uint64_t int_max = UINT32_MAX, int_small = UINT32_MAX - 4095;
	int32_t n = (int32_t)(uint32_t)addr;

	if (addr >= int_small && addr <= int_max)
		strb_printf(b, ": this is the number %d%s, and no address", n, n == AT_FDCWD ? " (AT_FDCWD)" : "");
	else if (strcmp(p->prov, "syscall") == 0 && strcmp(p->name, "entry") == 0)
		strb_adds(b, ": the page is not in memory yet; read it when the system call returns");
	else
		strb_adds(
			b,
			": the program has no memory there, or its page is not in memory now, which a probe cannot wait for");
}

/* The fault ended its clause, as in DTrace, and so before an exit(): a user that waits for the end must be told, once.
 */
static void tell_missed_exit(struct text_view *v, const struct rec_fault *f)
{
	const struct recfmt *fmt = f->epid >= 1 && f->epid <= v->schema->nfmts ? v->schema->fmts[f->epid - 1] : NULL;
	bool missed = false;

	for (size_t i = 0; fmt && !v->exit_told && i < fmt->nacts; i++)
		missed |= fmt->acts[i].kind == ACT_EXIT && fmt->acts[i].number > f->action;
	if (!missed)
		return;
	v->exit_told = true;
	text_msg(v, "the error ended its clause before exit(): tracing goes on until another exit() or Ctrl-C");
}

static void row_fault(struct text_view *v, const struct row *row)
{
	const struct rec_fault *f = row->data;
	const struct rec_probe *p = text_row_probe(v, row);
	char where[32] = "predicate", buf[160];
	struct strb b = { 0 };
	const char *what;

	if (row->len < sizeof(*f))
		return;
	if (strcmp(p->prov, "dtrace") == 0 && strcmp(p->name, "ERROR") == 0) {
		print_drops(v, &error_in_error, 1, row->cpu, NULL);
		return;
	}
	if (f->action)
		snprintf(where, sizeof(where), "action #%u", f->action);
	what = fault_text(f, buf, sizeof(buf));
	strb_printf(&b, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s in %s", f->epid, p->id, p->prov, p->mod,
		    p->func, p->name, what, where);
	if (f->code != FAULT_WIDTH)
		strb_printf(&b, " at BPF pc %u", f->pc);
	if (f->code == FAULT_NOTRESIDENT)
		add_why_unread(&b, f->value, p);
	if (v->opts.json)
		json_error(v, row, p, what, strb_str(&b));
	else
		text_msg(v, "%s", strb_str(&b));
	if (v->opts.tells_exit)
		tell_missed_exit(v, f);
	strb_free(&b);
}

/* Losses come by program: one line for each kind and CPU says them all; with -v one for each probe. */
static void row_drops(struct text_view *v, const struct row *row)
{
	const struct drop_text *t = drop_text(row->id);

	if (!t || row->count == 0)
		return;
	if (v->opts.verbose || at_once(row->id))
		print_drops(v, t, row->count, row->cpu, text_row_probe(v, row));
	else if (t->with_cpu && row->cpu < v->schema->ncpus)
		v->drops[row->cpu * REC_NLOSSES + row->id] += row->count;
	else
		v->drops[row->id] += row->count;
}

/* Timers miss some firings on any virtual machine: said once, at the end. */
static bool at_the_end(unsigned kind)
{
	return kind == CNT_TIMER_MISSES || kind == CNT_TIMER_ASLEEP;
}

static void flush_drops(struct text_view *v, bool end)
{
	for (size_t i = 0; i < (size_t)v->schema->ncpus * REC_NLOSSES; i++) {
		if (!v->drops[i] || (at_the_end(i % REC_NLOSSES) && !end) ||
		    (i % REC_NLOSSES == CNT_TIMER_ASLEEP && v->opts.for_picture))
			continue;
		print_drops(v, drop_text(i % REC_NLOSSES), v->drops[i], (uint32_t)(i / REC_NLOSSES), NULL);
		v->drops[i] = 0;
	}
}

int text_view_row(struct text_view *v, const struct row *row)
{
	int r = 0;

	if (row->kind != ROW_DROPS)
		flush_drops(v, false);
	switch (row->kind) {
	case ROW_EVENT: row_event(v, row); break;
	case ROW_FAULT: row_fault(v, row); break;
	case ROW_AGG:
		r = text_agg_apply(v, row);
		if (row->id < v->schema->naggs)
			v->agg_changed[row->id] = true;
		break;
	case ROW_DROPS: row_drops(v, row); break;
	case ROW_NOTE:
		if (note_is_shown(row->id))
			text_msg(v, "%.*s", (int)row->len, (const char *)row->data);
		break;
	case ROW_COST: r = text_cost_row(v, row); break;
	case ROW_HIST:
		if (v->opts.json)
			json_hist(v, row);
		break;
	case ROW_FLIGHT: text_flight(v, row); break;
	case ROW_END:
	case ROW_PROC:
	case ROW_NKINDS: break;
	}
	return r < 0 ? r : v->error;
}

int text_view_consume(struct text_view *v, struct recording *rec)
{
	struct row row;
	int r = 0;

	while (r == 0 && recording_next(rec, &row))
		r = text_view_row(v, &row);
	flush_drops(v, false);
	if (v->opts.json && v->opts.snapshotrate)
		json_snapshot(v);
	recording_release(rec);
	return r < 0 ? r : text_view_flush(v);
}

bool text_view_lost(const struct text_view *v, struct strb *ret)
{
	size_t n = ret->n;

	if (v->records_lost)
		strb_printf(ret, "%llu record%s", (unsigned long long)v->records_lost, v->records_lost == 1 ? "" : "s");
	for (size_t i = 0; i < v->schema->naggs; i++)
		if (v->agg_lost[i])
			strb_printf(ret, "%s%llu row%s of @%s", ret->n > n ? ", " : "",
				    (unsigned long long)v->agg_lost[i], v->agg_lost[i] == 1 ? "" : "s",
				    v->schema->aggs[i]->name);
	return ret->n > n;
}

int text_view_finish(struct text_view *v)
{
	flush_drops(v, true);
	text_cost_finish(v);
	if (v->opts.json)
		json_finish(v);
	else if (!v->opts.no_final_aggs)
		text_print_unprinted(v);
	return text_view_flush(v);
}
