/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing of dtrace(1)'s command line: its option letters, meanings, messages and exit codes.
 * Source: dtrace(1), Oracle Linux DTrace 2.0. */
#include "cmdline/opts.h"
#include <ctype.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/num.h"
#include "base/optrow.h"
#include "cmdline/toolopts.h"

static const char optletters[] = "+3:6:aAb:Bc:CD:ef:FGhHi:I:klL:m:n:o:p:P:qs:SU:vVwx:X:Z";

void cmdline_usage(const char *program, FILE *out)
{
	fprintf(out,
		"Usage: %s [-32|-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]\n"
		"\t[-I path] [-L path] [-o output] [-p pid] [-s script] [-U name]\n"
		"\t[-x opt[=val]] [-X a|c|s|t]\n\n"
		"\t[-P provider %s]\n"
		"\t[-m [ provider: ] module %s]\n"
		"\t[-f [[ provider: ] module: ] func %s]\n"
		"\t[-n [[[ provider: ] module: ] func: ] name %s]\n"
		"\t[-i probe-id %s] [ args ... ]\n\n",
		program, "[[ predicate ] action ]", "[[ predicate ] action ]", "[[ predicate ] action ]",
		"[[ predicate ] action ]", "[[ predicate ] action ]");
	fprintf(out, "\tpredicate -> '/' D-expression '/'\n"
		     "\t   action -> '{' D-statements '}'\n"
		     "\n"
		     "\t-32 generate 32-bit D programs and ELF files (not on Linux)\n"
		     "\t-64 generate 64-bit D programs and ELF files\n\n"
		     "\t-b  set trace buffer size\n"
		     "\t-c  run specified command and exit upon its completion\n"
		     "\t-C  run cpp(1) preprocessor on script files\n"
		     "\t-D  define symbol when invoking preprocessor\n"
		     "\t-e  exit after compiling request but prior to enabling probes\n"
		     "\t-f  enable or list probes matching the specified function name\n"
		     "\t-F  coalesce trace output by function\n"
		     "\t-G  generate an ELF file with the semaphores of static probes\n"
		     "\t-h  generate a header file with definitions for static probes\n"
		     "\t-H  print included files when invoking preprocessor\n"
		     "\t-i  enable or list probes matching the specified probe id\n"
		     "\t-I  add include directory to preprocessor search path\n"
		     "\t-l  list probes matching specified criteria\n"
		     "\t-L  add library directory to library search path\n"
		     "\t-m  enable or list probes matching the specified module name\n"
		     "\t-n  enable or list probes matching the specified probe name\n"
		     "\t-o  set output file\n"
		     "\t-p  grab specified process-ID and cache its symbol tables\n"
		     "\t-P  enable or list probes matching the specified provider name\n"
		     "\t-q  set quiet mode (only output explicitly traced data)\n"
		     "\t-s  enable or list probes according to the specified D script\n"
		     "\t-S  print D compiler intermediate code\n"
		     "\t-U  undefine symbol when invoking preprocessor\n"
		     "\t-v  set verbose mode (report stability attributes, arguments)\n"
		     "\t-V  report DTrace API version\n"
		     "\t-w  permit destructive actions\n"
		     "\t-x  enable or modify compiler and tracing options\n"
		     "\t-X  specify ISO C conformance settings for preprocessor\n"
		     "\t-Z  permit probe descriptions that match zero probes\n");
	if (strcmp(program, "dtrace"))
		fprintf(out,
			"\n\t--host  in front: run on ssh:NAME, see OTHER MACHINES in dwell(1)\n"
			"\t--json  output as JSON Lines\n"
			"\t--stats with -l: hits, misses, ns, instructions of traced probes\n\t%s features: what this kernel can do, what not, and why\n",
			program);
}

int cmdline_named(struct request *c, const char *name, const char *value, struct err *err)
{
	const char *reason = NULL;
	int r = dopts_set(&c->opts, name, value, &reason);

	if (r == -ENOENT)
		return err_set(err, CMDLINE_REFUSED, "failed to set -x %s: Invalid option name", name);
	if (r == -EOPNOTSUPP)
		return err_set(err, CMDLINE_REFUSED, "failed to set -x %s: not supported on Linux: %s", name, reason);
	if (r < 0)
		return err_set(err, CMDLINE_REFUSED, "failed to set -x %s: %s%s%s", name,
			       r == -ERANGE ? "Requested version is not supported by compiler"
					    : "Invalid value for specified option",
			       reason ? "\nhint: " : "", reason ? reason : "");
	return 0;
}

static int set_option(struct request *c, const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');

	return cmdline_named(c, arena_strndup(c->arena, text, eq ? (size_t)(eq - text) : strlen(text)),
			     eq ? eq + 1 : NULL, err);
}

static int set_named(struct request *c, char letter, const char *name, const char *value, struct err *err)
{
	const char *reason = NULL;

	if (dopts_set(&c->opts, name, value, &reason) < 0)
		return err_set(err, CMDLINE_REFUSED, "failed to set -%c %s: Invalid value for specified option", letter,
			       value ? value : "");
	return 0;
}

/* -D, -U, -I and -x define, undef, incdir keep their order: all are arguments of cpp. */
static int cpp_arg(struct request *c, char letter, const char *value, struct err *err)
{
	return set_named(c, letter, letter == 'D' ? "define" : letter == 'U' ? "undef" : "incdir", value, err);
}

int cmdline_pid(const char *text, long *ret, struct err *err)
{
	char *end;

	errno = 0;
	*ret = strtol(text, &end, 10); /* as DTrace: blanks in front, and no octal numbers */
	if (errno || end == text || *end || *ret <= 0 || *ret > INT32_MAX)
		return err_set(err, -EINVAL, "invalid pid: %s", text);
	return 0;
}

static int add_pid(struct request *c, const char *text, struct err *err)
{
	long pid;
	int e = cmdline_pid(text, &pid, err);

	if (e == 0)
		vec_push(&c->pids, pid);
	return e;
}

static int not_on_linux(char letter, struct err *err)
{
	return err_set(err, CMDLINE_REFUSED, "-%c is not supported on Linux", letter);
}

/* -32, -64: programs are compiled for the kernel, which has 64 bits. */
static int data_model(int letter, const char *arg, struct err *err)
{
	if (letter == '6' && !strcmp(arg, "4"))
		return 0;
	if (letter == '3' && !strcmp(arg, "2"))
		return err_set(err, CMDLINE_REFUSED, "-32 is not supported on Linux");
	return err_set(err, CMDLINE_USAGE, "invalid option -- '%c'", letter);
}

/* Options from the environment: DTRACE_OPT_QUIET=1 is -x quiet=1. The command line goes over them. DTrace
 * says nothing about those that it does not know or cannot set. */
static void environment_options(struct request *c)
{
	static const char prefix[] = "DTRACE_OPT_";

	for (char **e = environ; *e; e++) {
		char *name, *eq;

		if (strncmp(*e, prefix, sizeof(prefix) - 1))
			continue;
		name = arena_strndup(c->arena, *e + sizeof(prefix) - 1, strlen(*e) - sizeof(prefix) + 1);
		eq = strchr(name, '=');
		if (!eq)
			continue;
		*eq = '\0';
		for (char *p = name; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		(void)dopts_set(&c->opts, name, eq + 1, NULL);
	}
}

static int check_modes(struct request *c, struct err *err)
{
	if (c->list + c->version + c->header + c->link > 1)
		return err_set(err, -EINVAL, "only one of the [-GhlV] options can be specified at a time");
	if (c->buffered && (c->list || c->link || c->header || c->output))
		return err_set(err, -EINVAL, "-B not valid in combination with %s",
			       c->output ? "-o option" : "[-Gl] options");
	if (c->stats && (!c->list || c->progs.n))
		return err_set(err, CMDLINE_USAGE, "--stats comes with -l, sessions (-p PID) and words of names only");
	if (c->version)
		return CMDLINE_DONE;
	if (c->systap && !c->header && !c->link)
		return err_set(err, CMDLINE_USAGE, "-k, --types and --no-pyparsing come with -h or -G");
	if (c->progs.n == 0 && c->compile_only)
		return CMDLINE_DONE; /* nothing to compile, which is no error */
	if (c->progs.n == 0 && c->given.n)
		return params_unknown(c->given.v[0].name, err);
	if (c->progs.n == 0 && c->list && c->for_ns)
		return params_unknown("for", err);
	return c->progs.n == 0 && !c->list ? err_set(err, CMDLINE_USAGE, "%s", "") : 0;
}

#define NOT_SIMPLE (-2) /* no exit code, and not "done" either */

/* Options that only set something; NOT_SIMPLE: not one of them. */
static int simple_option(struct request *c, int letter, const char *arg, struct err *err)
{
	switch (letter) {
	case 'C': return set_named(c, 'C', "cpp", NULL, err);
	case 'e': c->compile_only = true; return 0;
	case 'F': return set_named(c, 'F', "flowindent", NULL, err);
	case 'H': return set_named(c, 'H', "cpphdrs", NULL, err);
	case 'l': c->list = true; return set_named(c, 'l', "zdefs", NULL, err);
	case 'q': return set_named(c, 'q', "quiet", NULL, err);
	case 'S': c->disassemble = true; return 0;
	case 'v': c->verbose = true; return 0;
	case 'w': return set_named(c, 'w', "destructive", NULL, err);
	case 'Z': return set_named(c, 'Z', "zdefs", NULL, err);
	case 'b': return set_named(c, 'b', "bufsize", arg, err);
	case 'L': return set_named(c, 'L', "libdir", arg, err);
	case 'X': return set_named(c, 'X', "stdc", arg, err);
	default: return NOT_SIMPLE;
	}
}

int cmdline_option(struct request *c, int letter, const char *arg, struct err *err)
{
	static const char prog_letters[] = "sPmfni"; /* in the order of enum prog_kind */
	const char *p = strchr(prog_letters, letter);
	int r = simple_option(c, letter, arg, err);

	if (r != NOT_SIMPLE)
		return r;
	if (p) {
		request_prog(c, (enum prog_kind)(p - prog_letters), arg);
		return 0;
	}
	switch (letter) {
	case 'a':
	case 'A': return not_on_linux((char)letter, err);
	case 'B': c->buffered = true; return 0;
	case '3':
	case '6': return data_model(letter, arg, err);
	case 'G': c->link = true; return 0;
	case 'h': c->header = true; return 0;
	case 'k': c->systap = true; return 0;
	case 'c': vec_push(&c->commands, arg); return 0;
	case 'D':
	case 'U':
	case 'I': return cpp_arg(c, (char)letter, arg, err);
	case 'o': c->output = arg; return 0;
	case 'p': return add_pid(c, arg, err);
	case 'V': c->version = true; return 0;
	case 'x': return set_option(c, arg, err);
	default: return err_set(err, CMDLINE_USAGE, "%s", "");
	}
}

/* Long names, which dtrace(1) does not have: options of D. */
static const struct {
	const char *name, *opt, *value; /* NULL: an argument; "": a flag */
} longs[] = {
	{ "left-out", "leftout", "" },	  { "record", "record", NULL },	 { "record-size", "recsize", NULL },
	{ "record-age", "recage", NULL }, { "json", "oformat", "json" },
};

void cmdline_near(struct near *near, bool tools)
{
	static const char *const others[] = { "for", "help", "version" };

	if (tools) {
		toolopts_near(near);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(longs); i++)
		near_try(near, longs[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		near_try(near, others[i]);
}

/* "--record FILE" or "--record=FILE". *ret_used: the number of arguments
 * used, 0 when it is none of ours. */
static int long_option(struct request *c, int argc, char **argv, int *ret_used, struct err *err)
{
	const char *arg = argv[0], *eq = strchr(arg, '=');
	size_t n = eq ? (size_t)(eq - arg) : strlen(arg);

	*ret_used = 0;
	for (size_t i = 0; n > 2 && !strncmp(arg, "--", 2) && i < ARRAY_SIZE(longs); i++) {
		if (strlen(longs[i].name) != n - 2 || strncmp(arg + 2, longs[i].name, n - 2) != 0)
			continue;
		*ret_used = longs[i].value || eq ? 1 : 2;
		if (longs[i].value)
			return set_named(c, 'x', longs[i].opt, *longs[i].value ? longs[i].value : NULL, err);
		if (!eq && argc < 2)
			return err_set(err, CMDLINE_REFUSED, "option requires an argument -- '%s'", arg);
		return set_named(c, 'x', longs[i].opt, eq ? eq + 1 : argv[1], err);
	}
	return 0;
}

/* --for TIME after --stats */
static int stats_time(struct request *c, int argc, char **argv, struct err *err)
{
	const char *arg = optind + 1 < argc ? argv[optind + 1] : "";
	int r = optrow_time("for", arg, 1, &c->stats_ns, err);

	optind += 2;
	return r;
}

/* Reads a word that begins with --, at argv[optind], which moves on: an option of dwell or a parameter of the script.
 */
static int long_words(struct request *c, int argc, char **argv, struct err *err)
{
	int used, e;

	if (!strcmp(argv[optind], "--types") || !strcmp(argv[optind], "--no-pyparsing")) {
		c->systap = true;
		optind++;
		return 0;
	}
	if (!strcmp(argv[optind], "--stats")) {
		c->stats = true;
		optind++;
		return 0;
	}
	if (c->stats && !strcmp(argv[optind], "--for"))
		return stats_time(c, argc, argv, err);
	e = long_option(c, argc - optind, argv + optind, &used, err);
	if (e < 0)
		return e;
	optind += used;
	return used ? 0 : params_option(c, argc, argv, &optind, err);
}

void cmdline_begin(struct request *c, const char *program, const struct listener *to)
{
	request_init(c, program, to);
	c->near_options = cmdline_near;
	/* Under the name dtrace, and not to a terminal: the reader may be a program that knows only dtrace's words. */
	c->as_dtrace = !strcmp(program, "dtrace");
	c->terse = c->as_dtrace && !isatty(STDERR_FILENO);
	environment_options(c);
}

int cmdline_parse(struct request *c, int argc, char **argv, struct err *err)
{
	int letter, r = 0, first;

	if (argc <= 1 && !c->progs.n)
		return err_set(err, CMDLINE_USAGE, "%s", "");
	/* options and script arguments may be mixed: collect what is no option */
	c->argv = arena_new_arr(c->arena, const char *, (size_t)argc + 2);
	c->argv[0] = c->name;
	opterr = 0;
	for (first = 1; first < argc; first = optind) {
		if (!strncmp(argv[first], "--", 2) && argv[first][2]) {
			optind = first;
			r = long_words(c, argc, argv, err);
			if (r)
				return r;
			continue;
		}
		optind = first;
		letter = getopt(argc, argv, optletters);
		if (letter == -1) {
			bool dashes = optind > first; /* "--": the rest are arguments */

			while (dashes && optind < argc)
				c->argv[c->argc++] = argv[optind++];
			if (!dashes)
				c->argv[c->argc++] = argv[optind++];
			continue;
		}
		if (letter == '?') {
			bool known = optopt && strchr(optletters, optopt);

			return err_set(err, CMDLINE_USAGE, "%s -- '%c'",
				       known ? "option requires an argument" : "invalid option", optopt);
		}
		r = cmdline_option(c, letter, optarg, err);
		if (r)
			return r == -EINVAL && letter == 'p' && !c->tool ? CMDLINE_REFUSED : r; /* as DTrace */
	}
	if (c->help)
		return c->progs.n ? CMDLINE_DONE : err_set(err, CMDLINE_USAGE, "%s", "");
	return check_modes(c, err);
}
