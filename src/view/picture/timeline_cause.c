/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of the waits of a timeline, by their stacks. */
#include <string.h>
#include "latency/cause/causes.h"
#include "view/form/kstack.h"
#include "view/picture/timeline_int.h"

#define MAX_FRAMES 512

/* The stacks of one wait. */
struct frames {
	const char *names[MAX_FRAMES]; /* of the kernel */
	struct cause_uframe user[MAX_FRAMES];
	size_t n, nuser;
	bool whole; /* the program's reaches to where its thread begins */
};

/* Appends the stack's frames to the text. */
static void add_frames(struct tl_reader *r, const struct rec_stack *st, struct frames *to)
{
	const bool kernel = st->space == RECFILE_KERNEL;

	to->whole = !kernel && !(st->flags & (REC_USTACK_CUT | REC_USTACK_FAULT));
	for (size_t i = 0; i < st->n && r->text.n < TL_STACK_BYTES; i++) {
		struct symbol s = { 0 };

		if (!st->frames[i])
			break;
		if (kernel)
			sym_kernel(r->sym, st->frames[i], &s);
		else
			sym_user(r->sym, st->tgid, st->start, st->frames[i], &s);
		if (kernel && to->n == 0 && s.name && kstack_is_tracing(s.name))
			continue;
		if (kernel && to->n < MAX_FRAMES)
			to->names[to->n++] = s.name;
		if (!kernel && to->nuser < MAX_FRAMES)
			to->user[to->nuser++] = (struct cause_uframe){ s.module, s.name, rt_is_frame(st->frames[i]) };
		if (s.name && !kernel && rt_is_frame(st->frames[i]))
			strb_printf(&r->text, "%s\n", s.name); /* says where it is */
		else if (s.name)
			strb_printf(&r->text, "%s`%s\n", s.module ? s.module : "", s.name);
		else
			strb_printf(&r->text, "%s`0x%llx\n", s.module ? s.module : "",
				    (unsigned long long)(s.module && s.module[0] ? s.offset : st->frames[i]));
	}
}

static uint32_t add_cause(struct tl_reader *r, int64_t kernel, int64_t user, uint32_t facts, const char *key)
{
	const char *class = "unknown", *words = NULL;
	struct frames f = { 0 };
	struct rec_stack st;
	struct err err = { 0 };
	uint32_t i;

	strb_reset(&r->text);
	if (kernel >= 0 && recread_stack(r->f, kernel, &st, &err) == 0)
		add_frames(r, &st, &f);
	if (user >= 0 && recread_stack(r->f, user, &st, &err) == 0)
		add_frames(r, &st, &f);
	if (f.n && r->opts->why)
		words = r->opts->why(r->opts->why_arg, f.names, f.n, causes_user_facts(facts, f.user, f.nuser, f.whole),
				     &class);
	i = tl_add_text(r, key, words ? words : "unknown", strb_str(&r->text));
	if (i)
		r->t->texts.v[i].kind = (uint8_t)tl_kind_of(class);
	return i;
}

uint32_t tl_cause_text(struct tl_reader *r, int64_t kernel, int64_t user, uint32_t facts, enum tl_kind *ret)
{
	char key[80];
	uint32_t i;

	snprintf(key, sizeof(key), "\x01%lld %lld %x", (long long)kernel, (long long)user, facts);
	i = tl_known_text(r, key);
	if (!i)
		i = add_cause(r, kernel, user, facts, key);
	*ret = i ? (enum tl_kind)r->t->texts.v[i].kind : TL_UNKNOWN;
	return i;
}
