/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks: the tree, folded text, perf script's text, layouts against hand-computed figures, and limits. */
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "unit.h"
#include "view/form/amount.h"
#include "view/picture/flame.h"
#include "view/stack/perfscript.h"
#include "view/stack/stackxform.h"
#include "view/form/texthash.h"
#include "view/form/xml.h"

/* A pipe would hold 64 KiB only: a file that is gone already. */
static int text_fd(const char *s, size_t n)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	assert_int_equal(fwrite(s, 1, n, f), n);
	fflush(f);
	fd = dup(fileno(f));
	lseek(fd, 0, SEEK_SET);
	fclose(f);
	return fd;
}

static struct stacktree *folded(const char *s, struct stack_input *in, int want)
{
	struct lines l = { .fd = text_fd(s, strlen(s)) };
	struct err err = { 0 };
	struct stacktree *t;

	*in = (struct stack_input){ 0 };
	assert_int_equal(stacktree_new(2, &t), 0);
	assert_int_equal(fold_read(&l, t, 0, in, &err), want);
	close(l.fd);
	lines_done(&l);
	return t;
}

static char *written(const struct stacktree *t, unsigned weight)
{
	struct stackorder o;
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	assert_int_equal(stackorder_make(t, &o), 0);
	assert_int_equal(fold_write(t, &o, weight, f), 0);
	fclose(f);
	stackorder_done(&o);
	return s;
}

static void assert_folds(const char *in, const char *want)
{
	struct stack_input info;
	struct stacktree *t = folded(in, &info, 0);
	_cleanup_free_ char *s = written(t, 0);

	assert_string_equal(s, want);
	stacktree_free(t);
}

static void folds(void **state)
{
	(void)state;
	assert_folds("main;b 2\nmain;a 1\nmain 4\nmain;a 5\n", "main 4\nmain;a 6\nmain;b 2\n");
	assert_folds("# a comment\n\nmain;operator new(unsigned long) 7\r\n", "main;operator new(unsigned long) 7\n");
	/* suffixes and modules are parts of a frame, and come back */
	assert_folds("sh;libc.so.6`read;vfs_read_[k];ext4`ext4_read_[k] 3\nsh;f_[i];g_[j];-;h_[w] 1\n",
		     "sh;f_[i];g_[j];-;h_[w] 1\nsh;libc.so.6`read;vfs_read_[k];ext4`ext4_read_[k] 3\n");
	assert_folds("a;;b 1\n", "a;[unknown];b 1\n");
	assert_folds("a 18446744073709551615\na 5\n", "a 18446744073709551615\n"); /* saturates */
}

/* The source of a frame is no part of it, unless it has a line. */
static void sources(void **state)
{
	struct stack_frame f = { FRAME_USER, "f", "sh", { "", 0, 0 } }, g;
	struct stacktree *t, *turned;
	uint32_t id, line;

	(void)state;
	assert_int_equal(stacktree_new(1, &t), 0);
	id = stacktree_frame_of(t, &f);
	assert_string_equal(stacktree_get_frame(t, id).source.file, "");
	f.source = (struct stack_source){ "/src/f.c", 12, 0 };
	assert_int_equal(stacktree_frame_of(t, &f), id); /* told later */
	f.source = (struct stack_source){ "/src/other.c", 1, 0 };
	assert_int_equal(stacktree_frame_of(t, &f), id); /* the first holds */
	assert_int_equal(stacktree_frame(t, FRAME_USER, "f", 1, "sh", 2), id);
	g = stacktree_get_frame(t, id);
	assert_string_equal(g.source.file, "/src/f.c");
	assert_int_equal(g.source.def_line, 12);
	f.source = (struct stack_source){ "/src/f.c", 12, 14 };
	line = stacktree_frame_of(t, &f);
	assert_int_not_equal(line, id);
	f.source.line = 15;
	assert_int_not_equal(stacktree_frame_of(t, &f), line);
	f.source.line = 14;
	f.source.file = "/src/other.c";
	assert_int_not_equal(stacktree_frame_of(t, &f), line);
	assert_int_equal(stacktree_nframes(t), 4);
	stacktree_add(t, stacktree_stack(t, &line, 1), 0, 1);
	assert_int_equal(stackxform_reverse(t, &turned), 0); /* other forms of the tree have it as well */
	g = stacktree_get_frame(turned, stacktree_node_frame(turned, 1));
	assert_string_equal(g.source.file, "/src/f.c");
	assert_int_equal(g.source.line, 14);
	stacktree_free(turned);
	stacktree_free(t);
}

static void kinds_of_folded_frames(void **state)
{
	static const struct {
		const char *text;
		enum frame_kind kind;
		const char *name, *module;
	} cases[] = {
		{ "read", FRAME_PLAIN, "read", "" },
		{ "vfs_read_[k]", FRAME_KERNEL, "vfs_read", "" },
		{ "ext4`x_[k]", FRAME_KERNEL, "x", "ext4" },
		{ "libc.so.6`read", FRAME_LIBRARY, "read", "libc.so.6" },
		{ "sh`main", FRAME_USER, "main", "sh" },
		{ "[unknown]", FRAME_UNKNOWN, "[unknown]", "" },
		{ "0x7f12", FRAME_UNKNOWN, "0x7f12", "" },
		{ "--", FRAME_SEPARATOR, "--", "" },
		{ "[cut: no way]", FRAME_CUT, "[cut: no way]", "" },
		{ "_[k]", FRAME_PLAIN, "_[k]", "" },
		{ "`x", FRAME_PLAIN, "`x", "" },
		{ "x_[w]", FRAME_WAKER, "x", "" },
	};
	struct stacktree *t;

	(void)state;
	assert_int_equal(stacktree_new(1, &t), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_frame f = stacktree_get_frame(t, fold_frame(t, cases[i].text, strlen(cases[i].text)));

		assert_int_equal(f.kind, cases[i].kind);
		assert_string_equal(f.name, cases[i].name);
		assert_string_equal(f.module, cases[i].module);
	}
	stacktree_free(t);
}

static void two_weights(void **state)
{
	struct stack_input in;
	struct stacktree *t = folded("a;b 3 5\na;c 1 0\nbad\na;d 4\n", &in, 0);
	_cleanup_free_ char *before = written(t, 0), *after = written(t, 1);

	(void)state;
	assert_true(in.two);
	assert_int_equal(in.bad, 2); /* one weight in a file of two is no line of it */
	assert_int_equal(in.first_bad, 3);
	assert_string_equal(before, "a;b 3\na;c 1\n");
	assert_string_equal(after, "a;b 5\n");
	stacktree_free(t);
}

static void bad_lines(void **state)
{
	struct stack_input in;
	struct stacktree *t = folded("no weight\na;b x\na 1.2.3\n12\n", &in, -EINVAL);

	(void)state;
	assert_int_equal(in.bad, 4);
	assert_int_equal(in.first_bad, 1);
	stacktree_free(t);
	t = folded("", &in, -ENODATA);
	stacktree_free(t);
	t = folded("a 1.5\nb 1.4\nc 2.\n", &in, 0);
	assert_int_equal(in.rounded, 2);
	assert_int_equal(stacktree_self(t, 1, 0), 2);
	assert_int_equal(stacktree_self(t, 2, 0), 1);
	stacktree_free(t);
}

/* The longest stack that is whole, and one frame more. */
static void depth_limit(void **state)
{
	for (unsigned extra = 0; extra < 2; extra++) {
		struct stacktree *t;
		uint32_t *frames = malloc((STACKTREE_MAX_DEPTH + 1) * sizeof(*frames)), node;
		uint32_t path[STACKTREE_MAX_DEPTH];

		(void)state;
		assert_int_equal(stacktree_new(1, &t), 0);
		for (unsigned i = 0; i <= STACKTREE_MAX_DEPTH; i++)
			frames[i] = stacktree_frame(t, FRAME_USER, i % 2 ? "a" : "b", 1, "", 0);
		node = stacktree_stack(t, frames, STACKTREE_MAX_DEPTH + extra);
		assert_int_equal(stacktree_path(t, node, path), STACKTREE_MAX_DEPTH);
		assert_int_equal(stacktree_ncut(t), extra);
		assert_int_equal(stacktree_get_frame(t, path[STACKTREE_MAX_DEPTH - 1]).kind,
				 extra ? FRAME_CUT : FRAME_USER);
		assert_int_equal(stacktree_error(t), 0);
		stacktree_free(t);
		free(frames);
	}
}

static void name_limit(void **state)
{
	_cleanup_free_ char *s = malloc(STACKTREE_MAX_NAME + 1);
	struct stacktree *t;

	(void)state;
	memset(s, 'x', STACKTREE_MAX_NAME + 1);
	assert_int_equal(stacktree_new(1, &t), 0);
	assert_int_equal(
		strlen(stacktree_get_frame(t, stacktree_frame(t, FRAME_USER, s, STACKTREE_MAX_NAME, "", 0)).name),
		STACKTREE_MAX_NAME);
	assert_int_equal(stacktree_ncut(t), 0);
	stacktree_frame(t, FRAME_USER, s, STACKTREE_MAX_NAME + 1, "", 0);
	assert_int_equal(stacktree_ncut(t), 1);
	assert_int_equal(stacktree_nframes(t), 1); /* cut, it is the same */
	stacktree_free(t);
	assert_int_equal(stacktree_new(0, &t), -EINVAL);
	assert_int_equal(stacktree_new(STACKTREE_MAX_WEIGHTS + 1, &t), -EINVAL);
}

static void line_limit(void **state)
{
	size_t n = LINES_MAX + (2u << 20), len;
	char *s = malloc(n), *line;
	struct lines l;
	struct step end;

	(void)state;
	memset(s, 'x', n);
	memcpy(s + n - 6, "\nlast\n", 6);
	l = (struct lines){ .fd = text_fd(s, n) };
	assert_true(lines_next(&l, &line, &len).more);
	assert_int_equal(len, 4);
	assert_memory_equal(line, "last", 4);
	assert_int_equal(l.skipped, 1);
	assert_int_equal(l.number, 2);
	end = lines_next(&l, &line, &len);
	assert_false(end.more);
	assert_int_equal(end.error, 0);
	close(l.fd);
	lines_done(&l);
	free(s);
}

/* -- perf script -- */

static const char perf_text[] = "# captured on a machine\n"
				"V8 Worker 12 thr 101/102 [003]  4321.100000:     250000 cycles:u: \n"
				"\t    7f10c3a read+0x1b (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
				"\t    5555abc main+0xff (/usr/bin/my app (deleted))\n"
				"  file.c:12\n"
				"\n"
				"sh  200  4321.200000: cycles:u: \n"
				"\tffffffff8120 vfs_read+0x1b ([kernel.kallsyms])\n"
				"\tffffffffa0001234 ext4_x ([ext4])\n"
				"\t7f00 operator()(int)+0x1 (inlined)\n"
				"\t7f01 [unknown] (/tmp/perf-200.map)\n"
				"\t7f02 Lfoo;::bar+0x3 (/tmp/perf-200.map)\n"
				"\n"
				"sh  200  4321.300000: page-faults: \n"
				"\t7f02 f+0x3 (/bin/sh)\n"
				"\n"
				"nonsense\n"
				"dd 300 [000] 4322.500000: 1 cycles:u:  55 copy+0x10 (/bin/dd)\n";

static struct stacktree *perf_of(const char *text, const struct perfscript_opts *o, struct stack_input *in)
{
	struct lines l = { .fd = text_fd(text, strlen(text)) };
	struct err err = { 0 };
	struct stacktree *t;

	*in = (struct stack_input){ 0 };
	assert_int_equal(stacktree_new(1, &t), 0);
	assert_int_equal(perfscript_read(&l, o, t, 0, in, &err), 0);
	close(l.fd);
	lines_done(&l);
	return t;
}

static struct stacktree *perf(const struct perfscript_opts *o, struct stack_input *in)
{
	return perf_of(perf_text, o, in);
}

/* Stacks whose lines have been met before are not read again. The sum is the same, wherever they stand in the buffer,
 * whatever their innermost place, process or fault. */
static void perf_script_again(void **state)
{
	enum { ROUNDS = 5000 }; /* more than a buffer */
	static const char *const forms[] = {
		"a  1  %d.000000: cycles: \n\t7f10 f+0x1 (/bin/a)\n\t7f20 g+0x2 (/bin/a)\n\t7f30 h+0x3 (/bin/a)\n\n",
		"a  1  %d.000000: cycles: \n\t7f11 f+0x2 (/bin/a)\n\t7f20 g+0x2 (/bin/a)\n\t7f30 h+0x3 (/bin/a)\n\n",
		"b  2  %d.000000: cycles: \n\t7f10 f+0x1 (/bin/a)\n\t7f20 g+0x2 (/bin/a)\n\t7f30 h+0x3 (/bin/a)\n\n",
		"a  1  %d.000000: cycles: \n\t7f40 k+0x1 (/bin/a)\n\t7f20 g+0x2 (/bin/a)\n\t7f30 h+0x3 (/bin/a)\n\n",
		"a  1  %d.000000: cycles: \n\t7f40 k+0x1 (/bin/a)\n\tno frame\n\t7f30 h+0x3 (/bin/a)\n\n", /* bad each
													      time */
		"a  1  %d.000000: cycles: \r\n\t7f10 f+0x1 (/bin/a)\r\n\t7f20 g+0x2 (/bin/a)\r\n\r\n",
		"a  1  %d.000000: cycles: \n\t7f10 f+0x1 (/bin/a)\n\n",
		"a  1  %d.000000: cycles: \n\n",
		"a  1  %d.000000: cycles: \n\t7f50 m+0x1 (/bin/a)\n\t7f60 n+0x1 (/bin/a)\nc  3  cycles: \n\t7f60 n+0x1 (/bin/a)\n\n",
		"a  1  %d.000000: cycles: \n\t7f70 m+0x1 (/bin/a)\n\t7f80 o+0x1 (/bin/a)\n\r\n\t7f90 m+0x1 (/bin/a)\n\n",
	};
	struct perfscript_opts o = { 0 };
	_cleanup_free_ char *text = NULL, *s = NULL;
	struct stack_input in;
	struct stacktree *t;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++)
			fprintf(f, forms[k], i + 1);
	fclose(f);
	t = perf_of(text, &o, &in);
	s = written(t, 0);
	assert_string_equal(
		s, "a 5000\na;a`f 5000\na;a`g;a`f 5000\na;a`h;a`g;a`f 10000\na;a`h;a`g;a`k 5000\na;a`h;a`k 5000\n"
		   "a;a`n;a`m 5000\na;a`o;a`m 5000\nb;a`h;a`g;a`f 5000\nc;a`n 5000\n");
	assert_int_equal(in.stacks, 11 * ROUNDS);
	assert_int_equal(in.bad, 2 * ROUNDS);
	assert_int_equal(in.first_bad, 23);
	stacktree_free(t);
}

/* perf keeps 127 frames: the caller of the outermost one is not known. */
static void perf_script_cut(void **state)
{
	struct perfscript_opts o = { 0 };
	struct stack_input in;

	(void)state;
	for (int frames = 126; frames <= 128; frames++) {
		_cleanup_free_ char *text = NULL, *s = NULL;
		struct stacktree *t;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		for (int again = 0; again < 3; again++) {
			fprintf(f, "a  1  %d.000000: cycles: \n", again + 1);
			for (int i = 0; i < frames; i++)
				fprintf(f, "\t%x f+0x%x (/bin/a)\n", 0x7f10 + i, i + 1);
			fprintf(f, "\n");
		}
		fclose(f);
		t = perf_of(text, &o, &in);
		s = written(t, 0);
		assert_true(strstr(s, frames == 127 ? "a;[cut: perf keeps 127 frames];a`f;a`f;" : "a;a`f;a`f;") == s);
		assert_true(strstr(s, " 3\n") != NULL);
		stacktree_free(t);
	}
}

/* The lines of stacks that are not read again count. */
static void perf_script_line_numbers(void **state)
{
	enum { ROUNDS = 3000, LINES = 5 };
	struct perfscript_opts o = { 0 };
	_cleanup_free_ char *text = NULL;
	struct stack_input in;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		fprintf(f, "a  1  %d.000000: cycles: \n\t7f10 f+0x1 (/bin/a)\n\t7f20 g+0x2 (/bin/a)\n  g.c:2\n\n",
			i + 1);
	fprintf(f, "nonsense\n");
	fclose(f);
	stacktree_free(perf_of(text, &o, &in));
	assert_int_equal(in.stacks, ROUNDS);
	assert_int_equal(in.bad, 1);
	assert_int_equal(in.first_bad, ROUNDS * LINES + 1);
}

/* A paragraph's end and hash are its own, whatever follows it. */
static void hash_of_paragraphs(void **state)
{
	enum { LONGEST = 300, ROOM = LONGEST + 200 };
	char s[ROOM];
	uint64_t h[2], again[2], other[2];
	size_t n;

	(void)state;
	for (size_t len = 1; len <= LONGEST; len++) {
		for (size_t i = 0; i < ROOM; i++)
			s[i] = i % 7 == 6 ? '\n' : (char)('a' + i % 23);
		s[len - 1] = s[len] = '\n';
		if (len > 1)
			s[len - 2] = 'x';
		assert_false(texthash_paragraph(s, len, 1, &n, h)); /* the empty line is not there yet */
		assert_true(texthash_paragraph(s, len + 1, 1, &n, h));
		assert_int_equal(n, len);
		memset(s + len + 1, '\n', ROOM - len - 1);
		assert_true(texthash_paragraph(s, ROOM, 1, &n, again));
		assert_int_equal(n, len);
		assert_memory_equal(h, again, sizeof(h));
		assert_true(texthash_paragraph(s, ROOM, 2, &n, other));
		assert_true(h[0] != other[0] && h[1] != other[1]);
		for (size_t i = 0; i + 1 < len; i++) {
			s[i] ^= 0x40;
			assert_true(texthash_paragraph(s, ROOM, 1, &n, other));
			s[i] ^= 0x40;
			assert_true(h[0] != other[0] && h[1] != other[1]);
		}
	}
}

/* Children in a node's list and those beyond it: each is there once. */
static void many_children(void **state)
{
	enum { CHILDREN = 3000 };
	struct stacktree *t;
	uint32_t frames[2], first[CHILDREN];
	char name[16];

	(void)state;
	assert_int_equal(stacktree_new(1, &t), 0);
	frames[0] = stacktree_frame(t, FRAME_PLAIN, "parent", 6, "", 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < CHILDREN; i++) {
			uint32_t node;

			snprintf(name, sizeof(name), "f%d", i);
			frames[1] = stacktree_frame(t, FRAME_PLAIN, name, strlen(name), "", 0);
			node = stacktree_stack(t, frames, 2);
			stacktree_add(t, node, 0, 1);
			if (!round)
				first[i] = node;
			else
				assert_int_equal(node, first[i]);
			/* The same beginning by another way: not by the stack as a whole. */
			stacktree_stack(t, (uint32_t[]){ frames[0], frames[1], frames[0] }, 3);
		}
	assert_int_equal(stacktree_nnodes(t), 2 + 2 * CHILDREN);
	assert_int_equal(stacktree_error(t), 0);
	stacktree_free(t);
}

static void perf_script(void **state)
{
	struct perfscript_opts o = { 0 };
	struct stack_input in;
	struct stacktree *t = perf(&o, &in);
	_cleanup_free_ char *s = written(t, 0);

	(void)state;
	assert_string_equal(
		s, "V8 Worker 12 thr;my app (deleted)`main;libc.so.6`read 1\n"
		   "dd;dd`copy 1\n"
		   "sh;[jit]`Lfoo:::bar_[j];[jit]`[unknown];operator()(int)_[i];ext4`ext4_x_[k];vfs_read_[k] 1\n");
	assert_int_equal(in.stacks, 3);
	assert_int_equal(in.other, 1);
	assert_int_equal(in.bad, 1);
	assert_string_equal(in.event, "cycles:u");
	assert_true(in.first_ns == 4321100000000 && in.last_ns == 4322500000000);
	stacktree_free(t);
}

static void perf_script_chosen(void **state)
{
	struct perfscript_opts event = { .event = "page-faults", .per_thread = true };
	struct perfscript_opts time = { .from_ns = 50000000, .to_ns = 1000000000 };
	struct stack_input in;
	struct stacktree *t = perf(&event, &in);
	_cleanup_free_ char *s = written(t, 0), *s2 = NULL;

	(void)state;
	assert_string_equal(s, "sh 200/200;sh`f 1\n");
	stacktree_free(t);
	t = perf(&time, &in);
	s2 = written(t, 0);
	assert_int_equal(strncmp(s2, "sh;", 3), 0);
	assert_int_equal(in.stacks, 1);
	stacktree_free(t);
}

static void tells_perf_from_folded(void **state)
{
	static const char *const yes[] = { "sh 1 2.3: cycles:", "a b 12/13 [001] 4.5: 6 cycles:uk:" };
	static const char *const no[] = { "main;read 12", "a 12", "", "sh 1 cycles:", "\tffff x (y)" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(perfscript_is_sample(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(perfscript_is_sample(no[i], strlen(no[i])));
}

/* -- other trees, layout -- */

static void turned_round(void **state)
{
	struct stack_input in;
	struct stacktree *t = folded("a;b;c 1\na;c 2\nd;c;b;c 4\n", &in, 0), *r, *callers, *callees;
	_cleanup_free_ char *reversed = NULL, *up = NULL, *down = NULL;

	(void)state;
	assert_int_equal(stackxform_reverse(t, &r), 0);
	reversed = written(r, 0);
	assert_string_equal(reversed, "c;a 2\nc;b;a 1\nc;b;c;d 4\n");
	stacktree_free(r);
	/* of a function that occurs twice, the outermost counts: each stack once */
	assert_int_equal(stackxform_sandwich(t, "c", &callers, &callees), 0);
	up = written(callees, 0);
	down = written(callers, 0);
	assert_string_equal(up, "c 3\nc;b;c 4\n");
	assert_string_equal(down, "c;a 2\nc;b;a 1\nc;d 4\n");
	stacktree_free(callers);
	stacktree_free(callees);
	assert_int_equal(stackxform_sandwich(t, "nobody", &callers, &callees), -ENOENT);
	stacktree_free(t);
}

static const struct flame_box *box_of(const struct stacktree *t, const struct flame_layout *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(stacktree_get_frame(t, stacktree_node_frame(t, l->v[i].node)).name, name))
			return &l->v[i];
	return NULL;
}

static void assert_box(const struct flame_box *b, double x, double w, int depth)
{
	assert_non_null(b);
	assert_true(b->x > x - 1e-9 && b->x < x + 1e-9 && b->w > w - 1e-9 && b->w < w + 1e-9);
	assert_int_equal(b->depth, depth);
}

static void layout(void **state)
{
	struct flame_opts opts = { .unit = "samples" };
	struct flame_layout l;
	struct stack_input in;
	struct stacktree *t = folded("b;x 10\na;y 5\na;z 4\na 1\nb 80\n", &in, 0);
	struct stackorder o;

	(void)state;
	assert_int_equal(stackorder_make(t, &o), 0);
	assert_int_equal(flame_layout(t, &o, &opts, 0, 100, &l), 0);
	assert_int_equal(l.n, 5);
	assert_int_equal(l.depth, 2);
	assert_box(box_of(t, &l, "a"), 0, 0.1, 0);
	assert_box(box_of(t, &l, "b"), 0.1, 0.9, 0);
	assert_box(box_of(t, &l, "y"), 0, 0.05, 1);
	assert_box(box_of(t, &l, "z"), 0.05, 0.04, 1);
	assert_box(box_of(t, &l, "x"), 0.1, 0.1, 1);
	flame_layout_done(&l);
	/* too narrow ones go, their places stay; then by number */
	assert_int_equal(flame_layout(t, &o, &opts, 0.045, 100, &l), 0);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.left_out, 1);
	assert_null(box_of(t, &l, "z"));
	flame_layout_done(&l);
	assert_int_equal(flame_layout(t, &o, &opts, 0, 3, &l), 0);
	assert_true(l.n <= 3 && l.n >= 1);
	assert_box(box_of(t, &l, "b"), 0.1, 0.9, 0);
	flame_layout_done(&l);
	stackorder_done(&o);
	stacktree_free(t);
}

static void differential(void **state)
{
	struct flame_opts opts = { .unit = "samples", .diff = true };
	struct flame_layout l;
	struct stack_input in;
	struct stacktree *t = folded("old 50 0\nnew 0 150\nsame 50 50\n", &in, 0);
	struct stackorder o;

	(void)state;
	assert_int_equal(stackorder_make(t, &o), 0);
	assert_int_equal(flame_layout(t, &o, &opts, 0, 100, &l), 0);
	/* shares: new 0 and 3/4, old 1/2 and 0, same 1/2 and 1/4 */
	assert_box(box_of(t, &l, "new"), 0, 0.375, 0);
	assert_box(box_of(t, &l, "old"), 0.375, 0.25, 0);
	assert_box(box_of(t, &l, "same"), 0.625, 0.375, 0);
	assert_int_equal(flame_change(t, &o, &opts, box_of(t, &l, "new")->node), 100);
	assert_int_equal(flame_change(t, &o, &opts, box_of(t, &l, "old")->node), -100);
	assert_int_equal(flame_change(t, &o, &opts, box_of(t, &l, "same")->node), -33);
	flame_layout_done(&l);
	stackorder_done(&o);
	stacktree_free(t);
	/* one of few is chance */
	t = folded("x 100 101\ny 2 3\nz 10 200\n", &in, 0);
	opts.significance = true;
	assert_int_equal(stackorder_make(t, &o), 0);
	assert_int_equal(flame_layout(t, &o, &opts, 0, 100, &l), 0);
	assert_int_equal(flame_change(t, &o, &opts, box_of(t, &l, "y")->node), 0);
	assert_true(flame_change(t, &o, &opts, box_of(t, &l, "z")->node) > 50);
	flame_layout_done(&l);
	stackorder_done(&o);
	stacktree_free(t);
}

static void hostile_names(void **state)
{
	struct flame_opts opts = { .title = "<&\"'>\x01\xff", .unit = "samples", .notes = "]]>" };
	struct stack_input in;
	struct stacktree *t = folded("</title><script>alert(1)</script>;\xff\xfe\x02]]> 1\n", &in, 0);
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	(void)state;
	assert_int_equal(flame_svg(t, NULL, &opts, f), 0);
	fclose(f);
	assert_null(strstr(s, "<script>alert"));
	assert_non_null(strstr(s, "&lt;/title&gt;&lt;script&gt;alert(1)"));
	assert_non_null(strstr(s, "&lt;&amp;&quot;&#39;&gt;\xef\xbf\xbd\xef\xbf\xbd"));
	for (size_t i = 0; i < n; i++)
		assert_true((unsigned char)s[i] >= ' ' || s[i] == '\n');
	free(s);
	stacktree_free(t);
}

static void amounts(void **state)
{
	static const struct {
		uint64_t v;
		const char *unit, *want;
	} cases[] = {
		{ 0, "samples", "0 samples" },
		{ 999, "samples", "999 samples" },
		{ 1000, "", "1,000" },
		{ 1234567, "events", "1,234,567 events" },
		{ 999, "ns", "999 ns" },
		{ 1500, "ns", "1.50 us" },
		{ 25, "ms", "25.0 ms" },
		{ 123456, "us", "123 ms" },
		{ 90000000000, "ns", "90.0 s" },
		{ 119000000000, "ns", "119 s" },
		{ 3600000000000, "ns", "60.0 min" },
		{ 86400000000000, "ns", "24.0 h" },
		{ 512, "bytes", "512 bytes" },
		{ 1536, "bytes", "1.50 KiB" },
		{ 3u << 20, "bytes", "3.00 MiB" },
		{ UINT64_MAX, "", "18,446,744,073,709,551,615" },
	};
	char buf[AMOUNT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		amount_str(buf, cases[i].v, cases[i].unit);
		assert_string_equal(buf, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds),
		cmocka_unit_test(sources),
		cmocka_unit_test(kinds_of_folded_frames),
		cmocka_unit_test(two_weights),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(depth_limit),
		cmocka_unit_test(name_limit),
		cmocka_unit_test(line_limit),
		cmocka_unit_test(perf_script),
		cmocka_unit_test(perf_script_again),
		cmocka_unit_test(perf_script_cut),
		cmocka_unit_test(perf_script_line_numbers),
		cmocka_unit_test(hash_of_paragraphs),
		cmocka_unit_test(many_children),
		cmocka_unit_test(perf_script_chosen),
		cmocka_unit_test(tells_perf_from_folded),
		cmocka_unit_test(turned_round),
		cmocka_unit_test(layout),
		cmocka_unit_test(differential),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(amounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
