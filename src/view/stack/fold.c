/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes folded stacks. Source: flamegraph.pl of FlameGraph (behaviour only). */
#include "view/stack/fold.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes the weight from the end of a line: digits, perhaps with a fraction, after white space. */
static bool take_weight(const char *s, size_t *n, uint64_t *ret, bool *ret_fraction)
{
	size_t end = *n, at, dot;

	while (end && (s[end - 1] == ' ' || s[end - 1] == '\t' || s[end - 1] == '\r'))
		end--;
	for (at = end; at && (is_digit(s[at - 1]) || s[at - 1] == '.'); at--)
		;
	if (at == end || at == 0 || (s[at - 1] != ' ' && s[at - 1] != '\t') || !is_digit(s[at]))
		return false;
	*ret = 0;
	for (dot = at; dot < end && s[dot] != '.'; dot++)
		if (__builtin_mul_overflow(*ret, 10u, ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)(s[dot] - '0'), ret))
			*ret = UINT64_MAX;
	*ret_fraction = dot + 1 < end;
	if (*ret_fraction) {
		if (memchr(s + dot + 1, '.', end - dot - 1))
			return false;
		*ret += s[dot + 1] >= '5' && *ret < UINT64_MAX;
	}
	while (at && (s[at - 1] == ' ' || s[at - 1] == '\t'))
		at--;
	*n = at;
	return true;
}

static bool ends_with(const char *s, size_t n, const char *tail)
{
	size_t k = strlen(tail);

	return n > k && !memcmp(s + n - k, tail, k);
}

static enum frame_kind kind_by_name(const char *s, size_t n)
{
	static const char unknown[] = "[unknown]", cut[] = "[cut: ";

	if (n == 0 || (n == sizeof(unknown) - 1 && !memcmp(s, unknown, n)))
		return FRAME_UNKNOWN;
	if ((n == 1 && s[0] == '-') || (n == 2 && !memcmp(s, "--", 2)))
		return FRAME_SEPARATOR;
	if (n > sizeof(cut) - 1 && !memcmp(s, cut, sizeof(cut) - 1))
		return FRAME_CUT;
	if (n > 2 && s[0] == '0' && s[1] == 'x' && strspn(s + 2, "0123456789abcdef") >= n - 2)
		return FRAME_UNKNOWN;
	return FRAME_PLAIN;
}

uint32_t fold_frame(struct stacktree *t, const char *s, size_t n)
{
	enum frame_kind kind = FRAME_PLAIN;
	const char *tick, *module = "";
	size_t nmodule = 0;

	for (unsigned i = 0; i < FRAME_NKINDS && kind == FRAME_PLAIN; i++)
		if (frame_kinds[i].suffix[0] && ends_with(s, n, frame_kinds[i].suffix)) {
			kind = (enum frame_kind)i;
			n -= strlen(frame_kinds[i].suffix);
		}
	tick = memchr(s, '`', n);
	if (tick && tick > s) {
		module = s;
		nmodule = (size_t)(tick - s);
		n -= nmodule + 1;
		s = tick + 1;
	}
	if (kind_by_name(s, n) != FRAME_PLAIN)
		kind = kind_by_name(s, n);
	else if (kind == FRAME_PLAIN && nmodule)
		kind = memmem(module, nmodule, ".so", 3) ? FRAME_LIBRARY : FRAME_USER;
	if (n == 0) {
		s = "[unknown]";
		n = strlen(s);
	}
	return stacktree_frame(t, kind, s, n, module, nmodule);
}

/* Adds the stack of a line. frames: room for STACKTREE_MAX_DEPTH + 1. */
static uint32_t add_stack(struct stacktree *t, const char *s, size_t n, uint32_t *frames)
{
	size_t nframes = 0;

	for (;;) {
		const char *semi = memchr(s, ';', n);
		size_t len = semi ? (size_t)(semi - s) : n;

		frames[nframes++] = fold_frame(t, s, len);
		/* One more than fits: the rest is told as cut. */
		if (!semi || nframes > STACKTREE_MAX_DEPTH)
			return stacktree_stack(t, frames, nframes);
		s += len + 1;
		n -= len + 1;
	}
}

static bool fold_line(struct stacktree *t, unsigned weight, const char *s, size_t n, struct stack_input *in)
{
	uint32_t frames[STACKTREE_MAX_DEPTH + 1], node;
	uint64_t last, before = 0;
	bool fraction, f2 = false;

	if (!take_weight(s, &n, &last, &fraction))
		return false;
	if (in->stacks == 0) {
		size_t rest = n;

		in->two = take_weight(s, &rest, &before, &f2) && rest > 0;
	}
	if (in->two && (!take_weight(s, &n, &before, &f2) || n == 0))
		return false;
	in->rounded += fraction + f2;
	in->stacks++;
	node = add_stack(t, s, n, frames);
	stacktree_add(t, node, weight, in->two ? before : last);
	if (in->two)
		stacktree_add(t, node, weight + 1, last);
	return true;
}

int fold_read(struct lines *in, struct stacktree *t, unsigned weight, struct stack_input *ret, struct err *err)
{
	struct step r;
	char *s;
	size_t n;

	while ((r = lines_next(in, &s, &n)).more) {
		if (n == 0 || s[0] == '#' || (n == 1 && s[0] == '\r'))
			continue;
		if (fold_line(t, weight, s, n, ret))
			continue;
		if (!ret->bad++)
			ret->first_bad = in->number;
	}
	ret->bad += in->skipped;
	return stack_input_check(ret, t, r.error,
				 "is no folded stack: there must be frames and a number, as in 'main;read 12'", err);
}

int stack_input_check(const struct stack_input *in, const struct stacktree *t, int read, const char *nothing,
		      struct err *err)
{
	if (read < 0)
		return err_set(err, read, "cannot be read: %s", strerror(-read));
	if (stacktree_error(t) == -E2BIG)
		return err_set(err, -E2BIG, "there are more than %u different stacks or %u functions in it",
			       STACKTREE_MAX_NODES, STACKTREE_MAX_FRAMES);
	if (stacktree_error(t))
		return err_set(err, stacktree_error(t), "out of memory");
	if (in->stacks)
		return 0;
	if (in->other)
		return err_set(err, -EINVAL, "all stacks in it are outside of the range or filter");
	if (in->bad)
		return err_set(err, -EINVAL, "line %llu %s", (unsigned long long)in->first_bad, nothing);
	return err_set(err, -ENODATA, "there are no stacks in it");
}

/* -- out -- */

static void put_text(struct strb *b, const char *s)
{
	size_t at = b->n;

	strb_adds(b, s);
	for (; !b->failed && at < b->n; at++)
		if (b->s[at] == ';')
			b->s[at] = ':';
		else if ((unsigned char)b->s[at] < ' ')
			b->s[at] = ' ';
}

void fold_put_frame(struct strb *b, struct stack_frame f)
{
	if (f.module[0] && !((f.kind == FRAME_KERNEL || f.kind == FRAME_WAKER) && !strcmp(f.module, "vmlinux"))) {
		put_text(b, f.module);
		strb_addc(b, '`');
	}
	put_text(b, f.name);
	strb_adds(b, frame_kinds[f.kind].suffix);
}

/* The text of the whole stack is kept; offs tells where each frame's begins. */
int fold_write(const struct stacktree *t, const struct stackorder *o, unsigned weight, FILE *out)
{
	size_t offs[STACKTREE_MAX_DEPTH + 1], depth = 0;
	uint32_t node = o->first[STACKTREE_ROOT];
	struct strb line = { 0 };
	int r = 0;

	while (node && r == 0) {
		offs[depth++] = line.n;
		if (depth > 1)
			strb_addc(&line, ';');
		fold_put_frame(&line, stacktree_get_frame(t, stacktree_node_frame(t, node)));
		if (line.failed)
			r = -ENOMEM;
		else if (stacktree_self(t, node, weight) &&
			 (fwrite(line.s, 1, line.n, out) != line.n ||
			  fprintf(out, " %llu\n", (unsigned long long)stacktree_self(t, node, weight)) < 0))
			r = errno ? -errno : -EIO;
		if (o->first[node]) {
			node = o->first[node];
			continue;
		}
		while (node && !o->next[node]) {
			node = stacktree_parent(t, node);
			depth--;
		}
		if (!node)
			break;
		node = o->next[node];
		line.n = offs[--depth];
	}
	strb_free(&line);
	return r;
}
