/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of a record, shown or carried out: one row of the table each. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "view/text/int.h"

struct actctx {
	struct text_view *v;
	const struct recact *act;
	size_t index; /* of the action */
	const struct row *row;
	const uint8_t *rec;
};

typedef void act_fn(const struct actctx *c);

static const uint8_t *field(const struct actctx *c, size_t i)
{
	return c->rec + c->act->fields[i].off;
}

static int64_t int_field(const struct actctx *c, size_t i)
{
	return i < c->act->nfields ? (int64_t)recfield_u64(&c->act->fields[i], field(c, i)) : 0;
}

static void act_values(const struct actctx *c)
{
	for (size_t i = 0; i < c->act->nfields; i++)
		text_datum_trace(c->v, &c->act->fields[i], field(c, i));
}

static void act_tracemem(const struct actctx *c)
{
	size_t n = c->act->fields[0].size;

	if (c->act->nfields > 1) {
		int64_t want = int_field(c, 1);

		if (want >= 0 && (uint64_t)want < n)
			n = (size_t)want;
	}
	text_rawbytes(c->v, field(c, 0), n);
}

static void act_printa(const struct actctx *c)
{
	text_printa(c->v, c->act);
}

static void act_printf(const struct actctx *c)
{
	_cleanup_free_ struct datum *data = calloc(c->act->nfields + 1, sizeof(*data));

	if (!data)
		return;
	for (size_t i = 0; i < c->act->nfields; i++)
		data[i] = (struct datum){ &c->act->fields[i], field(c, i) };
	if (text_format(c->v, c->act->fmt, c->act->fmt_len, data, c->act->nfields, NULL, 0) == -ERANGE)
		c->v->wide_action = (unsigned)c->index + 1;
}

static void to_file(const struct actctx *c, FILE *f)
{
	FILE *saved = c->v->out;

	c->v->out = f;
	(c->act->kind == ACT_PRINTA ? act_printa : act_printf)(c);
	c->v->out = saved;
}

/* Formats the fields into a text, malloc'ed; NULL without memory, or when it is too wide. */
static char *to_string(const struct actctx *c)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	to_file(c, f);
	fclose(f);
	if (c->v->wide_action == c->index + 1)
		free(take_ptr(text));
	return text;
}

static void act_print(const struct actctx *c)
{
	text_print(c->v, c->act->fields, c->act->nfields, c->rec);
}

static void act_clear(const struct actctx *c)
{
	aggstate_clear(c->v->aggs, c->act->aggs[0]->id);
}

static void act_trunc(const struct actctx *c)
{
	aggstate_trunc(c->v->aggs, c->act->aggs[0]->id, c->act->nfields > 0, int_field(c, 0));
}

static void act_normalize(const struct actctx *c)
{
	int64_t n = int_field(c, 0);

	if (n == 0)
		text_msg(c->v, "normalize() by 0 ignored");
	else
		aggstate_normalize(c->v->aggs, c->act->aggs[0]->id, n);
}

static void act_denormalize(const struct actctx *c)
{
	aggstate_normalize(c->v->aggs, c->act->aggs[0]->id, 1);
}

static void act_system(const struct actctx *c)
{
	_cleanup_free_ char *cmd = to_string(c);

	if (!cmd || !c->v->opts.destructive)
		return;
	text_view_flush(c->v);
	if (system(cmd) == -1)
		text_msg(c->v, "system(\"%s\") failed: %s", cmd, strerror(errno));
}

static void act_freopen(const struct actctx *c)
{
	_cleanup_free_ char *path = to_string(c);
	struct text_view *v = c->v;
	FILE *f;

	if (!path || !v->opts.destructive)
		return;
	text_view_flush(v);
	f = path[0] ? fopen(path, "ae") : v->orig_out;
	if (!f) {
		text_msg(v, "couldn't freopen() \"%s\": %s", path, strerror(errno));
		return;
	}
	if (v->own_out)
		fclose(v->out);
	v->out = f;
	v->own_out = path[0] != '\0';
	free(v->out_path);
	v->out_path = path;
	path = NULL;
	v->pcap_link = -1;
}

static void act_ftruncate(const struct actctx *c)
{
	int fd = fileno(c->v->out);

	text_view_flush(c->v);
	/* a stream without descriptor stands for standard output, which a command writes to as well */
	if (ftruncate(fd < 0 ? STDOUT_FILENO : fd, 0) == 0)
		fseeko(c->v->out, 0, SEEK_SET);
}

static void act_setopt(const struct actctx *c)
{
	const struct rec_probe *p = text_row_probe(c->v, c->row);
	char name[128], value[128] = "1";
	const char *reason;

	if (c->act->nfields < 1 || !c->v->setopt)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)c->act->fields[0].size, (const char *)field(c, 0));
	if (c->act->nfields > 1)
		snprintf(value, sizeof(value), "%.*s", (int)c->act->fields[1].size, (const char *)field(c, 1));
	reason = c->v->setopt(c->v->setopt_arg, name, value);
	if (reason)
		text_msg(c->v,
			 "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): couldn't set option \"%s\" "
			 "to \"%s\": %s\n", /* DTrace leaves an empty line */
			 c->row->id, p->id, p->prov, p->mod, p->func, p->name, name, value, reason);
}

/* A line of its own; the record's end makes it one without -q. */
static void act_span(const struct actctx *c)
{
	const struct recfield *f = c->act->fields;

	if (c->act->nfields < 4)
		return;
	text_printf(c->v, "span %-15.*s %-23.*s start %16llu ns, %12llu ns%s", (int)f[0].size,
		    (const char *)field(c, 0), (int)f[1].size, (const char *)field(c, 1),
		    (unsigned long long)int_field(c, 2), (unsigned long long)int_field(c, 3),
		    c->v->opts.quiet ? "\n" : "");
}

static void act_slow(const struct actctx *c)
{
	text_slow(c->v, c->act, c->rec);
}

static void act_pcap(const struct actctx *c)
{
	text_pcap(c->v, c->act, c->rec);
}

static void act_none(const struct actctx *c)
{
	(void)c;
}

static act_fn *const act_fns[] = {
#define RECACT(kind, name, nfields, naggs, fmt, text, json) [ACT_##kind] = act_##text,
#include "base/recact.def"
#undef RECACT
};

void text_act(struct text_view *v, const struct recfmt *fmt, size_t i, const struct row *row)
{
	struct actctx c = { .v = v, .act = &fmt->acts[i], .index = i, .row = row, .rec = row->data };

	if (row->len < fmt->size || (size_t)c.act->kind >= ARRAY_SIZE(act_fns))
		return;
	act_fns[c.act->kind](&c);
}

void text_act_to(struct text_view *v, const struct recfmt *fmt, size_t i, const struct row *row, FILE *f)
{
	struct actctx c = { .v = v, .act = &fmt->acts[i], .index = i, .row = row, .rec = row->data };

	to_file(&c, f);
}
