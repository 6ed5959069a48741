/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the blocks that were not freed: leaked ones with the stacks that asked for them, as text or as JSON. */
#include <errno.h>
#include <string.h>
#include "base/jsonw.h"
#include "base/strb.h"
#include "retro/blocks.h"
#include "sym/sym.h"

/* Of frame i of a stack; the first one is the allocator itself, others are return addresses. */
static void name_frame(struct blocks *b, uint32_t pid, const struct block *k, size_t i, struct symbol *name,
		       struct sym_line *line)
{
	struct sym_line lines[SYM_MAX_LINES];

	memset(line, 0, sizeof(*line));
	sym_user(b->sym, pid, 0, k->frames[i] - (i > 0), name);
	if (sym_user_lines(b->sym, pid, 0, k->frames[i] - (i > 0), lines))
		*line = lines[0];
}

static void put_json(struct blocks *b, uint32_t pid, const struct block *k, struct jsonw *w)
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
	jsonw_array(w, "stack");
	for (size_t i = 0; i < k->nframes; i++) {
		struct symbol name;
		struct sym_line line;

		name_frame(b, pid, k, i, &name, &line);
		jsonw_object(w, NULL);
		jsonw_str(w, "module", name.module);
		jsonw_str(w, "function", name.name);
		jsonw_hex(w, "address", k->frames[i]);
		if (line.file)
			jsonw_strf(w, "place", "%s:%u", line.file, line.line);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void put_text(struct blocks *b, uint32_t pid, const struct block *k, struct strb *to)
{
	strb_printf(to, "\n%llu bytes at 0x%llx, %s:\n", (unsigned long long)k->size, (unsigned long long)k->addr,
		    k->cycle ? "one of a cycle" : "which nothing points to");
	for (size_t i = 0; i < k->nframes; i++) {
		struct symbol name;
		struct sym_line line;

		name_frame(b, pid, k, i, &name, &line);
		if (name.name)
			strb_printf(to, "    %s`%s", name.module, name.name);
		else
			strb_printf(to, "    %s`0x%llx", name.module, (unsigned long long)k->frames[i]);
		if (line.file)
			strb_printf(to, " (%s:%u)", line.file, line.line);
		strb_addc(to, '\n');
	}
}

int leaks_show(struct blocks *b, struct replay *p, struct block **v, size_t n, bool json, FILE *out)
{
	const uint32_t pid = (uint32_t)watch_pid(p);
	uint64_t bytes[3] = { 0 }, count[3] = { 0 }, roots = 0;
	struct strb text = { 0 };
	struct jsonw w = jsonw_to(&text);
	int e = 0;

	for (size_t i = 0; i < n; i++) {
		bytes[v[i]->kind] += v[i]->size;
		count[v[i]->kind]++;
		roots += v[i]->root;
	}
	if (json) {
		jsonw_object(&w, NULL);
		jsonw_u64(&w, "given", b->given);
		jsonw_u64(&w, "freed", b->freed);
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
	for (size_t i = 0; i < n; i++)
		if (json)
			put_json(b, pid, v[i], &w);
		else if (v[i]->root)
			put_text(b, pid, v[i], &text);
	if (json) {
		jsonw_end_array(&w);
		jsonw_end_object(&w);
		jsonw_line(&w);
	}
	strb_flush(&text, out, &e);
	strb_free(&text);
	return e < 0 ? e : 0;
}
