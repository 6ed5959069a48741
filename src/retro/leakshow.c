/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the blocks that were not freed: leaked ones with the stacks that asked for them, as text or as JSON. */
#include <stdlib.h>
#include "base/jsonw.h"
#include "base/strb.h"
#include "retro/blocks.h"
#include "sym/sym.h"

#define PIECE (1u << 20) /* bytes that are written at a time */

struct named {
	uint64_t addr;
	struct symbol name;
	struct sym_line line;
};
/* All addresses of the stacks, once each, in order: so the lines of each file are read only once. */
struct names {
	VEC(struct named) v;
};

/* The first frame is the allocator itself, others are return addresses. */
static uint64_t frame(const uint64_t *frames, size_t i)
{
	return frames[i] - (i > 0);
}

static int by_address(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int add_frames(struct names *ret, const uint64_t *frames, size_t n)
{
	int e = 0;

	for (size_t k = 0; k < n && e == 0; k++)
		e = vec_try_push(&ret->v, ((struct named){ .addr = frame(frames, k) }));
	return e;
}

static int add_lost(struct names *ret, const struct lost *l)
{
	const uint64_t other[] = { l ? l->owner : 0, l ? l->word.at : 0 };
	int e = l ? add_frames(ret, l->frames, l->nframes) : 0;

	for (size_t i = 0; i < 2 && e == 0 && l; i++)
		e = vec_try_push(&ret->v, ((struct named){ .addr = other[i] }));
	return e;
}

static int add_stack(struct names *ret, struct block_stack *s)
{
	if (s->named)
		return 0;
	s->named = true;
	return add_frames(ret, s->frames, s->nframes);
}

static int name_all(struct blocks *b, uint32_t pid, struct block **v, size_t n, bool json, struct names *ret)
{
	struct sym_line lines[SYM_MAX_LINES];
	size_t kept = 0;
	int e = 0;

	for (size_t i = 0; i < n && e == 0; i++) {
		if (json || v[i]->root)
			e = add_stack(ret, v[i]->stack);
		if (e == 0)
			e = add_lost(ret, v[i]->last);
		if (e == 0)
			e = add_lost(ret, v[i]->kept);
	}
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_address);
	for (size_t i = 0; i < ret->v.n && e == 0; i++) {
		struct named k = { .addr = ret->v.v[i].addr };

		if (kept && ret->v.v[kept - 1].addr == k.addr)
			continue;
		sym_user(b->sym, pid, 0, k.addr, &k.name);
		if (sym_user_lines(b->sym, pid, 0, k.addr, lines))
			k.line = lines[0];
		ret->v.v[kept++] = k;
	}
	ret->v.n = kept;
	return e;
}

static void name_of(const struct names *names, uint64_t addr, struct symbol *name, struct sym_line *line)
{
	const struct named key = { .addr = addr },
			   *f = names->v.n ? bsearch(&key, names->v.v, names->v.n, sizeof(key), by_address) : NULL;

	*name = f ? f->name : (struct symbol){ .module = "" };
	*line = f ? f->line : (struct sym_line){ 0 };
}

static void json_stack(const struct names *names, const uint64_t *frames, size_t n, struct jsonw *w)
{
	jsonw_array(w, "stack");
	for (size_t i = 0; i < n; i++) {
		struct symbol name;
		struct sym_line line;

		name_of(names, frame(frames, i), &name, &line);
		jsonw_object(w, NULL);
		jsonw_str(w, "module", name.module);
		jsonw_str(w, "function", name.name);
		jsonw_hex(w, "address", frames[i]);
		if (line.file)
			jsonw_strf(w, "place", "%s:%u", line.file, line.line);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void json_lost(const struct names *names, const char *key, const struct lost *l, struct jsonw *w)
{
	static const char *const by[] = { "unknown", "store", "free", "return", "call", "register" };
	static const char *const where[] = { "static", "block", "stack" };
	struct symbol name;
	struct sym_line line;

	if (!l)
		return;
	jsonw_object(w, key);
	jsonw_str(w, "by", by[l->by]);
	if (l->word.at) {
		name_of(names, l->word.where == HELD_STACK ? l->owner : l->word.at, &name, &line);
		jsonw_str(w, "holder", where[l->word.where]);
		jsonw_hex(w, "holder_address", l->word.at);
		if (l->word.where == HELD_BLOCK)
			jsonw_hex(w, "holder_block", l->owner);
		else
			jsonw_str(w, "holder_name", name.name);
	}
	json_stack(names, l->frames, l->nframes, w);
	jsonw_end_object(w);
}

static void put_json(const struct names *names, const struct block *k, struct jsonw *w)
{
	jsonw_object(w, NULL);
	jsonw_hex(w, "address", k->addr);
	jsonw_u64(w, "bytes", k->size);
	jsonw_u64(w, "number", k->number);
	jsonw_str(w, "state",
		  k->kind == BLOCK_HELD ? "held"
		  : k->cycle && k->root ? "cycle"
		  : k->root		? "root"
					: "leaked");
	json_stack(names, k->stack->frames, k->stack->nframes, w);
	json_lost(names, "lost", k->kept ? k->kept : k->last, w);
	if (k->kept)
		json_lost(names, "last", k->last, w);
	jsonw_end_object(w);
}

static void text_stack(const struct names *names, const uint64_t *frames, size_t n, struct strb *to)
{
	for (size_t i = 0; i < n; i++) {
		struct symbol name;
		struct sym_line line;

		name_of(names, frame(frames, i), &name, &line);
		if (name.name)
			strb_printf(to, "    %s`%s", name.module, name.name);
		else
			strb_printf(to, "    %s`0x%llx", name.module, (unsigned long long)frames[i]);
		if (line.file)
			strb_printf(to, " (%s:%u)", line.file, line.line);
		strb_addc(to, '\n');
	}
}

/* The holder, in words. */
static void text_holder(const struct names *names, const struct lost *l, struct strb *to)
{
	const unsigned long long at = l->word.at;
	struct symbol name;
	struct sym_line line;

	name_of(names, l->word.where == HELD_STACK ? l->owner : at, &name, &line);
	if (!at)
		strb_printf(to, "a register");
	else if (l->word.where == HELD_BLOCK)
		strb_printf(to, "the block at 0x%llx (its byte %llu)", (unsigned long long)l->owner,
			    at - (unsigned long long)l->owner);
	else if (l->word.where == HELD_STACK)
		strb_printf(to, "a local variable of %s", name.name ? name.name : "a function without a name");
	else if (name.name)
		strb_printf(to, "%s`%s", name.module, name.name);
	else
		strb_printf(to, "the word at 0x%llx", at);
}

static void text_lost(const struct names *names, const char *before, const struct lost *l, struct strb *to)
{
	static const char *const by[] = {
		[LOST_STORE] = "which was overwritten by",
		[LOST_FREE] = "which was freed by",
		[LOST_FRAME] = "until it returned in",
		[LOST_CALL] = "until the system call in",
		[LOST_REGISTER] = "until",
	};

	if (!l)
		return;
	strb_printf(to, "  %s ", before);
	text_holder(names, l, to);
	strb_printf(to, ", %s:\n", by[l->by]);
	text_stack(names, l->frames, l->nframes, to);
}

/* Roots that one stack asked for are shown together; what was found out is of the first. */
static void put_text(const struct names *names, const struct block *k, struct strb *to)
{
	const struct block_stack *s = k->stack;

	if (!k->cycle && s->shown)
		return;
	if (!k->cycle && s->roots > 1)
		strb_printf(to, "\n%llu blocks (%llu bytes), the first at 0x%llx, which nothing points to:\n",
			    (unsigned long long)s->roots, (unsigned long long)s->bytes, (unsigned long long)k->addr);
	else
		strb_printf(to, "\n%llu bytes at 0x%llx, %s:\n", (unsigned long long)k->size,
			    (unsigned long long)k->addr, k->cycle ? "one of a cycle" : "which nothing points to");
	text_stack(names, s->frames, s->nframes, to);
	if (k->kept) {
		text_lost(names, "held by", k->kept, to);
		text_lost(names, "and then by", k->last, to);
	} else {
		text_lost(names, "held last by", k->last, to);
	}
	k->stack->shown = !k->cycle || s->shown;
}

/* Sums of the leaked roots of each stack. */
static void count_roots(struct block **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->root && !v[i]->cycle) {
			v[i]->stack->roots++;
			v[i]->stack->bytes += v[i]->size;
		}
}

#define NOT_FOLLOWED \
	"some losses are not found: debug registers do nothing on this machine (a virtual one?), and without them it takes too long to follow some words"

int leaks_show(struct blocks *b, struct replay *p, struct block **v, size_t n, bool json, FILE *out)
{
	const uint32_t pid = (uint32_t)watch_pid(p);
	uint64_t bytes[3] = { 0 }, count[3] = { 0 }, roots = 0;
	struct strb text = { 0 };
	struct jsonw w = jsonw_to(&text);
	struct names names = { 0 };
	int e = name_all(b, pid, v, n, json, &names);

	count_roots(v, n);
	for (size_t i = 0; i < n; i++) {
		bytes[v[i]->kind] += v[i]->size;
		count[v[i]->kind]++;
		roots += v[i]->root;
	}
	if (json) {
		jsonw_object(&w, NULL);
		jsonw_u64(&w, "given", b->given);
		jsonw_u64(&w, "freed", b->freed);
		if (b->unfollowed)
			jsonw_str(&w, "note", NOT_FOLLOWED);
		jsonw_array(&w, "blocks");
	} else if (!roots) {
		strb_printf(&text, "no leaks: ");
	}
	if (!json)
		strb_printf(
			&text,
			"%llu blocks were asked for, %llu freed, %llu are held at the end (%llu bytes), %llu leaked (%llu bytes) "
			"by %llu roots\n",
			(unsigned long long)b->given, (unsigned long long)b->freed,
			(unsigned long long)count[BLOCK_HELD], (unsigned long long)bytes[BLOCK_HELD],
			(unsigned long long)count[BLOCK_LEAKED], (unsigned long long)bytes[BLOCK_LEAKED],
			(unsigned long long)roots);
	if (!json && roots && b->unfollowed)
		strb_printf(&text, "%s\n", NOT_FOLLOWED);
	for (size_t i = 0; i < n && e == 0; i++) {
		if (json)
			put_json(&names, v[i], &w);
		else if (v[i]->root)
			put_text(&names, v[i], &text);
		if (text.n > PIECE)
			strb_flush(&text, out, &e);
	}
	if (json) {
		jsonw_end_array(&w);
		jsonw_end_object(&w);
		jsonw_line(&w);
	}
	strb_flush(&text, out, &e);
	strb_free(&text);
	vec_free(&names.v);
	return e < 0 ? e : 0;
}
