/* SPDX-License-Identifier: Apache-2.0 */
/* Reading `perf script`. Its lines have many forms. This needs the process, the time, the event, and the frames.
 * Source: perf-script(1), tools/perf/builtin-script.c. */
#include "view/stack/perfscript.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/texthash.h"

#define EVENT_MAX (sizeof(((struct stack_input *)0)->event))

/* "comm pid[/tid] [cpu] seconds.micros: [period] event: …" */
struct sample {
	const char *comm, *event;
	size_t comm_len, event_len;
	const char *rest; /* after the event: a stack of one frame, without -g */
	size_t rest_len;
	uint32_t pid, tid;
	uint64_t ns;
	bool timed;
};

#define CACHE_BITS 16
#define STACK_BITS 18
#define STACK_WAYS 4u		   /* of a bucket: a cache line */
#define STACK_TEXT_MAX (64u << 10) /* bytes of a stack that is known as a whole */
#define STACK_MISSES 64		   /* stacks without an end in sight: no more are looked for */

#define PERF_MAX_FRAMES \
	127 /* of a stack: perf's default in the kernel and where it prints (PERF_MAX_STACK_DEPTH); deeper ones have \
	       lost their root */

struct known {		/* a frame's text, and what it is */
	uint64_t h;	/* half of its hash; the other one gives the place */
	uint32_t frame; /* one more than its number; 0: free */
};

struct known_stack { /* all lines of a stack but the first, which differs most, and that one's frame */
	uint64_t h;
	uint32_t node;	/* 0: free */
	uint16_t lines; /* with the empty one */
	uint16_t count; /* met since, not yet added to the tree: that would be another cache miss */
};
_Static_assert(sizeof(struct known_stack) * STACK_WAYS == 64 && STACK_TEXT_MAX / 2 <= UINT16_MAX,
	       "a bucket; lines of two bytes");

struct reader {
	struct lines *lines;
	const struct perfscript_opts *opts;
	struct stacktree *t;
	unsigned weight;
	struct stack_input *in;
	uint32_t frames[STACKTREE_MAX_DEPTH + 1]; /* leaf first, then turned round */
	size_t n;
	bool open, skip; /* within a sample; one that is not wanted */
	struct sample s;
	uint32_t root;
	struct known cache[1 << CACHE_BITS];
	struct known_stack (*stacks)[STACK_WAYS]; /* 1 << STACK_BITS buckets, by hash */
	struct known_stack *new_stack;		  /* of this sample, to be known at its end, or NULL */
	uint64_t new_h, new_end, bad_before, first_line;
	unsigned misses;
};

struct cursor {
	const char *p, *end;
};

static bool digit(const struct cursor *c)
{
	return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

static bool number(struct cursor *c, uint64_t *ret)
{
	const char *first = c->p;

	for (*ret = 0; digit(c); c->p++)
		if (*ret < UINT64_MAX / 16)
			*ret = *ret * 10 + (uint64_t)(*c->p - '0');
	return c->p > first;
}

static void spaces(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

/* "4321.123456:" */
static bool take_time(struct cursor *c, uint64_t *ret)
{
	uint64_t sec, unit = 1000000000;
	struct cursor try = *c;

	if (!number(&try, &sec) || try.p == try.end || *try.p != '.')
		return false;
	try.p++;
	*ret = sec * 1000000000u;
	for (; digit(&try); try.p++) {
		unit /= 10;
		*ret += unit * (uint64_t)(*try.p - '0');
	}
	if (try.p == try.end || *try.p != ':')
		return false;
	try.p++;
	*c = try;
	return true;
}

/* " pid[/tid] " and what must follow it: "[cpu]", a time, or an event that ends with a colon. */
static bool take_ids(struct cursor *c, struct sample *s)
{
	uint64_t pid, tid;

	if (!number(c, &pid))
		return false;
	tid = pid;
	if (c->p < c->end && *c->p == '/') {
		c->p++;
		if (!number(c, &tid))
			return false;
	}
	if (c->p == c->end || (*c->p != ' ' && *c->p != '\t') || pid > UINT32_MAX || tid > UINT32_MAX)
		return false;
	s->pid = (uint32_t)pid;
	s->tid = (uint32_t)tid;
	spaces(c);
	if (c->p < c->end && *c->p == '[') {
		while (c->p < c->end && *c->p != ']')
			c->p++;
		if (c->p == c->end)
			return false;
		c->p++;
		spaces(c);
	}
	return true;
}

static void take_event(struct cursor *c, struct sample *s)
{
	struct cursor try;
	uint64_t period;

	spaces(c);
	try = *c;
	if (number(&try, &period) && try.p < try.end && *try.p == ' ') {
		spaces(&try);
		*c = try;
	}
	s->event = c->p;
	while (c->p < c->end && *c->p != ' ' && *c->p != '\t')
		c->p++;
	s->event_len = (size_t)(c->p - s->event);
	while (s->event_len && s->event[s->event_len - 1] == ':')
		s->event_len--;
	spaces(c);
	s->rest = c->p;
	s->rest_len = (size_t)(c->end - c->p);
}

/* The token here ends with a colon. */
static bool is_event(const struct cursor *c)
{
	const char *p = c->p;

	while (p < c->end && *p != ' ' && *p != '\t')
		p++;
	return p > c->p && p[-1] == ':';
}

/* The name of a command may hold spaces and numbers: the first place where all fits is taken. */
static bool find_sample(const char *line, size_t n, bool timed, struct sample *s)
{
	struct cursor c = { line, line + n };

	for (; c.p < c.end; c.p++) {
		struct cursor try = c;

		if (*c.p != ' ' && *c.p != '\t')
			continue;
		spaces(&try);
		if (!digit(&try) || !take_ids(&try, s))
			continue;
		if (timed ? !take_time(&try, &s->ns) : !is_event(&try))
			continue;
		s->timed = timed;
		s->comm = line;
		s->comm_len = (size_t)(c.p - line);
		take_event(&try, s);
		return true;
	}
	return false;
}

static bool parse_sample(const char *line, size_t n, struct sample *s)
{
	*s = (struct sample){ 0 };
	if (n == 0 || *line == ' ' || *line == '\t' || *line == '#')
		return false;
	return find_sample(line, n, true, s) || find_sample(line, n, false, s);
}

bool perfscript_is_sample(const char *line, size_t n)
{
	struct sample s;

	return parse_sample(line, n, &s) && s.timed;
}

/* -- frames -- */

static bool starts(const char *s, size_t n, const char *head)
{
	return n >= strlen(head) && !memcmp(s, head, strlen(head));
}

/* Takes perf's name for the file of a frame apart: "[kernel.kallsyms]", "/usr/lib/libc.so.6", "/tmp/perf-12.map". */
static enum frame_kind kind_of_file(const char **file, size_t *n, bool high)
{
	const char *slash = memrchr(*file, '/', *n);
	size_t base = slash ? (size_t)(slash + 1 - *file) : 0, len;

	if (starts(*file, *n, "[kernel") || starts(*file, *n, "[guest.kernel")) {
		*file = "vmlinux";
		*n = strlen(*file);
		return FRAME_KERNEL;
	}
	if (slash && (starts(slash, *n - base + 1, "/perf-") || starts(slash, *n - base + 1, "/jitted-"))) {
		*file = "[jit]";
		*n = strlen(*file);
		return FRAME_JIT;
	}
	*file += base;
	len = *n -= base;
	if (len > 3 && !memcmp(*file + len - 3, ".ko", 3)) {
		*n -= 3;
		return FRAME_KERNEL;
	}
	if (len > 1 && (*file)[0] == '[' && (*file)[len - 1] == ']' && high) {
		++*file; /* "[ext4]", a module */
		*n -= 2;
		return FRAME_KERNEL;
	}
	if (starts(*file, len, "[vdso") || memmem(*file, len, ".so", 3))
		return FRAME_LIBRARY;
	if (starts(*file, len, "[unknown]") || starts(*file, len, "inlined"))
		*n = 0;
	return high ? FRAME_KERNEL : FRAME_USER;
}

/* Cuts "+0x1b" from the end of a name. */
static size_t without_offset(const char *name, size_t n)
{
	size_t at = n;

	while (at && ((name[at - 1] >= '0' && name[at - 1] <= '9') || (name[at - 1] >= 'a' && name[at - 1] <= 'f')))
		at--;
	return at < n && at > 3 && !memcmp(name + at - 3, "+0x", 3) ? at - 3 : n;
}

/* Where the parenthesis begins that the last character closes, or NULL. */
static const char *open_of(const char *s, size_t n)
{
	size_t depth = 0;

	for (size_t i = n; i-- > 0;) {
		depth += s[i] == ')';
		depth -= s[i] == '(';
		if (depth == 0)
			return i + 1 < n ? s + i : NULL;
	}
	return NULL;
}

/* Parses the text after the address: "read+0x1b (/usr/lib/libc.so.6)". */
static uint32_t parse_frame(struct reader *r, const char *addr, size_t addr_len, const char *name, size_t n)
{
	const char *file = "", *open = n && name[n - 1] == ')' ? open_of(name, n) : NULL;
	size_t name_len = n, file_len = 0;
	enum frame_kind kind;

	if (open && (open == name || open[-1] == ' ')) {
		file = open + 1;
		file_len = (size_t)(name + n - 1 - file);
		name_len = open == name ? 0 : (size_t)(open - 1 - name);
	}
	if (starts(file, file_len, "inlined")) {
		kind = FRAME_INLINED;
		file_len = 0;
	} else {
		kind = kind_of_file(&file, &file_len, addr_len == 16 && !memcmp(addr, "ffff", 4));
	}
	name_len = without_offset(name, name_len);
	if (name_len == 0 || starts(name, name_len, "[unknown]")) {
		kind = FRAME_UNKNOWN;
		name = r->opts->addresses ? addr : "[unknown]";
		name_len = r->opts->addresses ? addr_len : strlen(name);
	}
	return stacktree_frame(r->t, kind, name, name_len, file, file_len);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "7f12 read+0x1b (/usr/lib/libc.so.6)"; without an address it is a source line. Most texts have been met before. */
static bool take_frame(struct reader *r, const char *s, size_t n)
{
	const char *space = memchr(s, ' ', n), *rest = space;
	struct known *known;
	size_t addr_len = space ? (size_t)(space - s) : 0;
	uint64_t h[2];
	bool high;

	if (!addr_len || addr_len > 16 || !is_hex(s[0]) || !is_hex(space[-1]))
		return false;
	if (r->skip || r->n > STACKTREE_MAX_DEPTH)
		return true;
	while (rest < s + n && *rest == ' ')
		rest++;
	high = addr_len == 16 && !memcmp(s, "ffff", 4);
	texthash(r->opts->addresses ? s : rest, (size_t)(s + n - (r->opts->addresses ? s : rest)), high, h);
	known = &r->cache[h[0] & ((1u << CACHE_BITS) - 1)];
	if (!known->frame || known->h != h[1]) {
		for (size_t i = 0; i < addr_len; i++)
			if (!is_hex(s[i]))
				return false;
		*known = (struct known){ h[1], parse_frame(r, s, addr_len, rest, (size_t)(s + n - rest)) + 1 };
	}
	r->frames[r->n++] = known->frame - 1;
	return true;
}

static uint32_t root_frame(struct reader *r, const struct sample *s)
{
	char name[128];
	size_t n = s->comm_len < 64 ? s->comm_len : 64;

	if (!r->opts->per_thread)
		return stacktree_frame(r->t, FRAME_THREAD, s->comm, n, "", 0);
	n = (size_t)snprintf(name, sizeof(name), "%.*s %u/%u", (int)n, s->comm, s->pid, s->tid);
	return stacktree_frame(r->t, FRAME_THREAD, name, n, "", 0);
}

static void flush_stack(struct reader *r, struct known_stack *k)
{
	stacktree_add(r->t, k->node, r->weight, k->count);
	k->count = 0;
}

static void end_sample(struct reader *r)
{
	static const char cut[] = "[cut: perf keeps 127 frames]";
	uint32_t node;

	if (!r->open)
		return;
	r->open = false;
	if (r->skip) {
		r->in->other++;
		return;
	}
	if (r->n > STACKTREE_MAX_DEPTH)
		r->n = STACKTREE_MAX_DEPTH; /* the root's end is lost: perf's own limit is far lower */
	if (r->n == PERF_MAX_FRAMES)
		r->frames[r->n++] = stacktree_frame(r->t, FRAME_CUT, cut, sizeof(cut) - 1, "", 0);
	r->frames[r->n++] = r->root;
	for (size_t i = 0; i < r->n / 2; i++) {
		uint32_t x = r->frames[i];

		r->frames[i] = r->frames[r->n - 1 - i];
		r->frames[r->n - 1 - i] = x;
	}
	node = stacktree_stack(r->t, r->frames, r->n);
	/* Unless it ended before its empty line, or had lines that are no frames. */
	if (r->new_stack && lines_offset(r->lines) == r->new_end && r->in->bad == r->bad_before) {
		flush_stack(r, r->new_stack);
		*r->new_stack = (struct known_stack){ r->new_h, node, (uint16_t)(r->lines->number - r->first_line), 0 };
	}
	stacktree_add(r->t, node, r->weight, 1);
	r->in->stacks++;
}

static bool wanted(struct reader *r, const struct sample *s)
{
	size_t n = s->event_len < EVENT_MAX ? s->event_len : EVENT_MAX - 1;
	uint64_t since;

	if (!r->in->event[0])
		memcpy(r->in->event, s->event, n); /* the rest is zero */
	if (strncmp(r->in->event, s->event, n) || r->in->event[n])
		return false;
	if (!s->timed)
		return true;
	if (!r->in->stacks && !r->in->other)
		r->in->first_ns = s->ns;
	r->in->last_ns = s->ns > r->in->last_ns ? s->ns : r->in->last_ns;
	since = s->ns > r->in->first_ns ? s->ns - r->in->first_ns : 0;
	return since >= r->opts->from_ns && (!r->opts->to_ns || since < r->opts->to_ns);
}

/* The place of a stack in its bucket: where it is, or where it may go, in *ret. Whether it is there. */
static bool find_stack(struct reader *r, const uint64_t h[2], struct known_stack **ret)
{
	struct known_stack *bucket = r->stacks[h[0] & ((1u << STACK_BITS) - 1)];

	*ret = &bucket[h[0] >> 62];
	for (unsigned i = 0; i < STACK_WAYS; i++) {
		if (bucket[i].node && bucket[i].h == h[1]) {
			*ret = &bucket[i];
			return true;
		}
		if (!bucket[i].node)
			*ret = &bucket[i];
	}
	return false;
}

/* The lines that follow, as a whole: most stacks have been met before, often but for the place in the innermost
 * function. Leaves all as it was when they have not; then they are read line by line. */
static void take_stack(struct reader *r)
{
	const char *text, *nl;
	size_t n = lines_ahead(r->lines, &text), len;
	struct known_stack *k;
	struct cursor c;
	uint64_t h[2];

	n = n > STACK_TEXT_MAX ? STACK_TEXT_MAX : n;
	nl = r->misses > STACK_MISSES ? NULL : memchr(text, '\n', n);
	if (!nl || nl + 1 == text + n || nl[1] == '\n')
		return;
	c = (struct cursor){ text, nl - (nl > text && nl[-1] == '\r') };
	spaces(&c);
	if (c.p == text || !take_frame(r, c.p, (size_t)(c.end - c.p)))
		return;
	r->n = 0;
	nl++;
	if (!texthash_paragraph(nl, (size_t)(text + n - nl), (uint64_t)r->root << 32 | r->frames[0], &len, h)) {
		r->misses++;
		return;
	}
	len += (size_t)(nl - text) + 1; /* from the first frame to the empty line, with both */
	if (!find_stack(r, h, &k)) {
		r->new_stack = k;
		r->new_h = h[1];
		r->bad_before = r->in->bad;
		r->new_end = lines_offset(r->lines) + len;
		r->first_line = r->lines->number;
		return;
	}
	r->misses = 0;
	if (++k->count == UINT16_MAX)
		flush_stack(r, k);
	r->in->stacks++;
	r->open = false;
	lines_skip(r->lines, len, k->lines);
}

static void begin_sample(struct reader *r, const struct sample *s)
{
	end_sample(r);
	r->open = true;
	r->n = 0;
	r->new_stack = NULL;
	r->skip = !wanted(r, s);
	if (r->skip)
		return;
	r->root = root_frame(r, s);
	if (s->rest_len)
		take_frame(r, s->rest, s->rest_len);
	else
		take_stack(r);
}

static void line(struct reader *r, const char *s, size_t n, uint64_t number)
{
	struct sample sample;

	if (n && s[n - 1] == '\r')
		n--;
	if (n == 0) {
		end_sample(r);
		return;
	}
	if (*s == '#')
		return;
	if (*s == ' ' || *s == '\t') {
		while (n && (*s == ' ' || *s == '\t')) {
			s++;
			n--;
		}
		/* No frame: a source line of -F +srcline, which belongs to the frame before it. */
		if (r->open && take_frame(r, s, n))
			return;
		if (parse_sample(s, n, &sample)) { /* short names of commands are padded on their left */
			begin_sample(r, &sample);
			return;
		}
		if (r->open && memchr(s, ':', n))
			return;
	} else if (parse_sample(s, n, &sample)) {
		begin_sample(r, &sample);
		return;
	}
	if (!r->in->bad++)
		r->in->first_bad = number;
}

int perfscript_read(struct lines *in, const struct perfscript_opts *opts, struct stacktree *t, unsigned weight,
		    struct stack_input *ret, struct err *err)
{
	_cleanup_free_ struct reader *r = calloc(1, sizeof(*r));
	_cleanup_free_ char *stacks = NULL;
	struct step e;
	char *s;
	size_t n;

	if (!r || !(stacks = calloc((1u << STACK_BITS) + 1, sizeof(*r->stacks))))
		return err_set(err, -ENOMEM, "out of memory");
	r->stacks = (void *)(stacks + (-(uintptr_t)stacks & (sizeof(*r->stacks) - 1)));
	r->lines = in;
	r->opts = opts;
	r->t = t;
	r->weight = weight;
	r->in = ret;
	if (opts->event)
		snprintf(ret->event, EVENT_MAX, "%s", opts->event);
	while ((e = lines_next(in, &s, &n)).more)
		line(r, s, n, in->number);
	end_sample(r);
	for (size_t i = 0; i < (size_t)1 << STACK_BITS; i++)
		for (unsigned k = 0; k < STACK_WAYS; k++)
			if (r->stacks[i][k].count)
				flush_stack(r, &r->stacks[i][k]);
	ret->bad += in->skipped;
	return stack_input_check(ret, t, e.error, "is no output of perf script", err);
}
