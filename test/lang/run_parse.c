/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the language tests of the parser: in the given folder, ok.NAME.d must parse and print as
 * ok.NAME.ast; err.TAG.NAME.d must be refused with the tags and positions in err.TAG.NAME.diag, whose
 * first is TAG. TAP on standard output. With --update the expected files are written instead.
 * usage: run_parse [--update] FOLDER */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../casefile.h"
#include "lang/dprog.h"
#include "lang/errtag.h"

struct test {
	const char *dir, *name; /* "ok.for", "err.D_SYNTAX.paren" */
	bool update;
};

static void write_file(const struct test *t, const char *suffix, const char *text)
{
	struct strb path = { 0 };
	FILE *f;

	strb_printf(&path, "%s/%s.%s", t->dir, t->name, suffix);
	f = fopen(strb_str(&path), "wb");
	if (!f) {
		perror(strb_str(&path));
		exit(1);
	}
	fputs(text, f);
	fclose(f);
	strb_free(&path);
}

/* "D_SYNTAX 3:14" for each diagnostic. */
static void print_diags(struct strb *out, const struct diags *d)
{
	for (const struct diag *g = d->first; g; g = g->next) {
		struct position at = source_position(g->at.src, g->at.off);

		strb_printf(out, "%s %u:%u\n", g->tag, at.line, at.col);
	}
}

/* Parses the text; the tree or the diagnostics go to out. */
static int parse(const char *name, const char *text, size_t len, struct strb *out, struct strb *said)
{
	static const char *const argv[] = { "script.d", "42", "-7", "word", "two words", "\"quoted\"" };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct macro_env macros = { .pid = 4711, .target = 123, .uid = 7, .argv = argv, .argc = 6 };
	struct source src = { .name = name, .text = text, .len = len };
	struct dopts opts;
	struct compile_env env = { .opts = &opts, .macros = &macros };
	struct unit *u;
	struct diags d;
	int r;

	dopts_init(&opts, a);
	diags_init(&d, a);
	r = lang_parse(a, &src, &env, &d, &u);
	if (r == 0)
		ast_dump(out, u);
	else
		print_diags(out, &d);
	for (const struct diag *g = d.first; g; g = g->next)
		diag_format(said, g, true);
	arena_free(a);
	return r;
}

/* The tag in the file's name is the first one reported. */
static bool tag_fits(const char *name, const char *got)
{
	size_t n = strcspn(name + 4, ".");

	return !strncmp(name + 4, got, n) && got[n] == ' ';
}

static bool run(const struct test *t)
{
	bool want_ok = !strncmp(t->name, "ok.", 3), pass;
	const char *suffix = want_ok ? "ast" : "diag";
	struct strb got = { 0 }, said = { 0 };
	size_t len = 0, want_len = 0;
	char *text = casefile_read(t->dir, t->name, "d", &len),
	     *want = casefile_read(t->dir, t->name, suffix, &want_len);
	int r = parse(t->name, text, len, &got, &said);

	pass = (r == 0) == want_ok && (want_ok || tag_fits(t->name, strb_str(&got)));
	if (t->update && pass)
		write_file(t, suffix, strb_str(&got));
	else
		pass = pass && want && !strcmp(want, strb_str(&got));
	if (!pass) {
		casefile_comment("expected", want ? want : "(no such file)");
		casefile_comment("got", strb_str(&got));
		casefile_comment("messages", strb_str(&said));
	}
	free(text);
	free(want);
	strb_free(&got);
	strb_free(&said);
	return pass;
}

static int is_program(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 2 && !strcmp(e->d_name + n - 2, ".d") &&
	       (!strncmp(e->d_name, "ok.", 3) || !strncmp(e->d_name, "err.", 4));
}

int main(int argc, char **argv)
{
	bool update = argc > 2 && !strcmp(argv[1], "--update");
	struct test t = { .dir = argv[argc - 1], .update = update };
	struct dirent **files;
	int n = argc < 2 ? 0 : scandir(t.dir, &files, is_program, alphasort), failed = 0;

	if (n <= 0) {
		fprintf(stderr, "run_parse: no tests\n");
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		bool pass;

		files[i]->d_name[strlen(files[i]->d_name) - 2] = '\0';
		t.name = files[i]->d_name;
		pass = run(&t);
		failed += !pass;
		printf("%sok %d - %s\n", pass ? "" : "not ", i + 1, t.name);
		free(files[i]);
	}
	free(files);
	return failed != 0;
}
