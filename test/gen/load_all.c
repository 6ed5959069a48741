/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles D programs and loads them into the running kernel without attaching anything: every image
 * must be consistent and pass the verifier.
 *
 * usage: load_all [-v] [-e] FILE.d...      one line per file: "ok FILE" or "not ok FILE: why"
 *   -v  prints the image    -e  prints how many instructions the verifier looked at
 * A first line "load_all: rejected" in a file's text says that the compiler must refuse it.
 * Exit code: 0, 1 when a file failed, 77 when the kernel loads no program for us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "base/arena.h"
#include "cg/image.h"
#include "engine/front/compile.h"
#include "lang/dprog.h"
#include "load/load.h"
#include "load/probe_caps.h"
#include "prov/provider.h"
#include "sym/sym.h"

#define EXIT_SKIP 77
#define ARENA_LIMIT ((size_t)1 << 30)
#define MAX_FILE ((size_t)16 << 20)
#define LOG_TAIL 6000 /* characters of the verifier's log that are shown */

/* Opened once for all programs. */
struct ground {
	struct caps caps;
	struct typesrc *ts;
	struct sym *sym;
	struct registry *reg;
	bool verbose, effort;
};

static int find_ksym(void *ctx, const char *module, const char *name, uint64_t *ret)
{
	return sym_kernel_find(ctx, module, name, ret);
}

static int ground_open(struct ground *g)
{
	struct err err = { 0 };
	int r = caps_quick(&g->caps, &err);

	if (r == 0)
		r = typesrc_open_kernel(&g->ts, &err);
	if (r == 0)
		r = sym_new(&g->sym, &err);
	if (r == 0)
		r = registry_new(g->ts, &g->caps, 0, &g->reg);
	if (r < 0)
		printf("1..0 # SKIP %s\n", err.msg[0] ? err.msg : strerror(-r));
	err_done(&err);
	return r;
}

static void ground_close(struct ground *g)
{
	registry_free(g->reg);
	sym_free(g->sym);
	typesrc_free(g->ts);
}

static char *read_file(const char *path, struct arena *a, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text;

	if (!f)
		return NULL;
	text = arena_alloc(a, MAX_FILE + 1);
	*len = fread(text, 1, MAX_FILE, f);
	text[*len] = '\0';
	fclose(f);
	return text;
}

static void report(const char *path, const char *what, const char *msg, const char *detail)
{
	size_t n = detail ? strlen(detail) : 0;

	printf("not ok %s: %s: %s\n", path, what, msg);
	if (detail)
		printf("%s\n", n > LOG_TAIL ? detail + n - LOG_TAIL : detail);
}

static void report_diags(const char *path, const struct diags *d)
{
	struct strb b = { 0 };

	for (const struct diag *g = d->first; g; g = g->next)
		if (g->sev == SEV_ERROR)
			diag_format(&b, g, true);
	report(path, "compiler", strb_str(&b), NULL);
	strb_free(&b);
}

/* Named limits may be met by large programs; with strsize=4096 and many keys they are. */
static bool only_limits(const struct diags *d)
{
	for (const struct diag *g = d->first; g; g = g->next)
		if (g->sev == SEV_ERROR && strcmp(g->tag, "D_LIMIT") != 0)
			return false;
	return d->nerrors > 0;
}

/* The image of a program. 0, or -1 after a report or a refusal that is right (then *refused is set). */
static int compile(struct ground *g, struct arena *a, const char *path, bool reject, struct source *src,
		   struct image **img, bool *refused)
{
	static const char *const argv[] = { "gen.d" };
	struct macro_env macros = { .pid = getpid(), .argv = argv, .argc = 1 };
	struct ksym_source ks = { .ctx = g->sym, .find = find_ksym };
	struct dopts opts;
	struct compile_env env = { .ts = g->ts,
				   .probes = registry_source(g->reg),
				   .ksyms = &ks,
				   .macros = &macros,
				   .opts = &opts,
				   .zdefs = true };
	struct cg_env cg = {
		.caps = &g->caps, .entry = registry_entry, .ctx = g->reg, .self_tgid = (uint32_t)getpid(), .ts = g->ts
	};
	struct unit *unit = NULL;
	struct dprog *prog = NULL;
	struct request lib;
	struct diags d;
	int r;

	dopts_init(&opts, a);
	diags_init(&d, a);
	opts.syslibdir = DLIB_DIR;
	lib = (struct request){ .arena = a, .opts = opts };
	env.libs = libs_open(&lib);
	r = lang_parse(a, src, &env, &d, &unit);
	if (r == 0)
		r = lang_check(a, &unit, 1, &env, &d, &prog);
	if (r == 0)
		r = cg_compile(a, prog, &cg, &d, img);
	*refused = r < 0 && (reject ? d.nerrors > 0 : only_limits(&d));
	if (*refused || (r == 0 && !reject))
		return r == 0 ? 0 : -1;
	if (r == 0)
		report(path, "compiler", "accepts what it must refuse", NULL);
	else
		report_diags(path, &d);
	return -1;
}

/* How hard each program was to verify: the kernel gives up at a million instructions. */
static void print_effort(const struct loaded *l)
{
	for (uint32_t i = 0; i < l->img->nprogs; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_obj_get_info_by_fd(l->progs[i], &info, &len) == 0)
			printf("%s: %u instructions, %u verified\n", l->img->progs[i].name, l->img->progs[i].ninsns,
			       info.verified_insns);
	}
}

static int load(struct ground *g, const char *path, const struct image *img)
{
	struct load_opts opts = { .log_size = LOAD_LOG_SIZE_DEFAULT };
	struct loaded *l = NULL;
	struct err err = { 0 };
	int r = image_check(img, &err);

	if (r < 0) {
		report(path, "image_check", err.msg, err.detail);
	} else {
		r = load_image(img, g->ts, &g->caps, &opts, &l, &err);
		if (r < 0)
			report(path, "verifier", err.msg, err.detail);
		else if (g->effort)
			print_effort(l);
	}
	load_free(l);
	err_done(&err);
	return r;
}

static int one(struct ground *g, const char *path)
{
	struct arena *a = arena_new(ARENA_LIMIT);
	struct source src = { .name = path };
	struct image *img = NULL;
	bool reject, refused = false;
	int r = -1;

	src.text = read_file(path, a, &src.len);
	if (!src.text) {
		report(path, "file", "cannot be read", NULL);
		arena_free(a);
		return -1;
	}
	reject = strstr(src.text, "load_all: rejected") != NULL;
	r = compile(g, a, path, reject, &src, &img, &refused);
	if (r == 0 && g->verbose) {
		struct strb b = { 0 };

		image_dump(&b, img);
		fputs(strb_str(&b), stdout);
		strb_free(&b);
	}
	if (r == 0)
		r = load(g, path, img);
	if (r == 0 || refused)
		printf("ok %s%s\n", path, refused && !reject ? " # limit" : "");
	arena_free(a);
	return refused ? 0 : r;
}

int main(int argc, char **argv)
{
	struct ground g = { 0 };
	int first = 1, failed = 0;

	for (; first < argc && argv[first][0] == '-'; first++) {
		g.verbose |= !strcmp(argv[first], "-v");
		g.effort |= !strcmp(argv[first], "-e");
	}
	if (geteuid() != 0) {
		printf("1..0 # SKIP needs root: the kernel lets only root load tracing programs\n");
		return EXIT_SKIP;
	}
	if (ground_open(&g) < 0) {
		ground_close(&g);
		return EXIT_SKIP;
	}
	for (int i = first; i < argc; i++) {
		failed += one(&g, argv[i]) < 0;
		fflush(stdout);
	}
	ground_close(&g);
	return failed > 0;
}
