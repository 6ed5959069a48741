/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what may come next on a command line: commands, options, files, probes, keys of recordings. */
#include "front/complete.h"
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"

#define COLUMN 17 /* of help texts: where the options end */
#define COMM_MAX 32
#define PROBE_FIELDS 4

/* Adds a candidate; a word that begins with prefix only. */
static void offer(struct strb *out, const char *prefix, const char *word, size_t n, const char *what, size_t what_n)
{
	if (n < strlen(prefix) || memcmp(word, prefix, strlen(prefix)) != 0)
		return;
	strb_add(out, word, n);
	strb_addc(out, '\t');
	strb_add(out, what, what_n);
	strb_addc(out, '\n');
}

static void offer_word(struct strb *out, const char *prefix, const char *word, const char *what)
{
	offer(out, prefix, word, strlen(word), what, strlen(what));
}

/* -- help texts -- */

/* Where the description of a line of options begins, and where the options before it end. */
static const char *description(const char *line, size_t n, size_t *ret_end)
{
	for (size_t i = 1; i + 1 < n; i++)
		if (line[i] == ' ' && line[i + 1] == ' ') {
			*ret_end = i;
			while (i < n && line[i] == ' ')
				i++;
			return line + i;
		}
	*ret_end = n > COLUMN + 1 && line[COLUMN + 1] == ' ' ? COLUMN + 1 : n;
	for (size_t i = 1; *ret_end == n && i + 1 < n; i++)
		if (line[i] == ' ' && islower((unsigned char)line[i + 1])) /* arguments are in capitals */
			*ret_end = i;
	return line + (*ret_end < n ? *ret_end + 1 : n);
}

/* An option in a help text: "\t--for TIME, --name   words". */
struct option_at {
	const char *name, *arg; /* arg: or NULL */
	size_t name_n, arg_n;
	const char *what;
	size_t what_n;
	const char *end; /* of the line */
};

typedef bool option_fn(void *ctx, const struct option_at *o); /* true: enough */

/* The options of one line that begins with a tab or a blank, and a minus. */
static bool line_options(const char *line, size_t n, option_fn *fn, void *ctx)
{
	size_t end, i = 1;
	const char *what = description(line, n, &end);

	while (i < end && line[i] == '-') {
		struct option_at o = {
			.name = line + i, .what = what, .what_n = (size_t)(line + n - what), .end = line + n
		};

		while (i < end && line[i] != ' ' && line[i] != ',')
			i++;
		o.name_n = (size_t)(line + i - o.name);
		if (i + 1 < end && line[i] == ' ' && (isupper((unsigned char)line[i + 1]) || line[i + 1] == '[')) {
			o.arg = line + ++i;
			while (i < end && line[i] != ' ' && !(line[i] == ',' && i + 1 < end && line[i + 1] == ' '))
				i++;
			o.arg_n = (size_t)(line + i - o.arg);
		}
		if (fn(ctx, &o))
			return true;
		if (i >= end || line[i] != ',')
			break;
		while (i < end && (line[i] == ',' || line[i] == ' '))
			i++;
	}
	return false;
}

static void each_option(const char *help, option_fn *fn, void *ctx)
{
	for (size_t n; *help; help += n + (help[n] == '\n')) {
		n = strcspn(help, "\n");
		size_t skip = n > 3 && help[0] == ' ' && help[1] == ' '; /* as tools have them */

		if (n > 2 && (skip || help[0] == '\t') && help[skip + 1] == '-' &&
		    line_options(help + skip, n - skip, fn, ctx))
			return;
	}
}

struct offering {
	struct strb *out;
	const char *prefix;
};

static bool offer_option(void *ctx, const struct option_at *o)
{
	const struct offering *x = ctx;

	offer(x->out, x->prefix, o->name, o->name_n, o->what, o->what_n);
	return false;
}

void complete_options(const char *help, const char *prefix, struct strb *out)
{
	struct offering x = { out, prefix };

	each_option(help, offer_option, &x);
}

struct finding {
	const char *option;
	struct option_at found;
};

static bool is_option(void *ctx, const struct option_at *o)
{
	struct finding *f = ctx;

	if (strlen(f->option) != o->name_n || memcmp(f->option, o->name, o->name_n) != 0)
		return false;
	f->found = *o;
	return true;
}

const char *complete_argument(const char *help, const char *option, size_t *n)
{
	struct finding f = { .option = option };

	each_option(help, is_option, &f);
	*n = f.found.arg_n;
	return f.found.arg;
}

/* "value: what it is" at the beginning of a line. */
static void offer_value(struct strb *out, const char *prefix, const char *line, size_t n)
{
	size_t k = 0;

	while (k < n && (isalnum((unsigned char)line[k]) || line[k] == '-'))
		k++;
	if (k && k + 1 < n && line[k] == ':' && line[k + 1] == ' ')
		offer(out, prefix, line, k, line + k + 2, n - k - 2);
}

void complete_values(const char *help, const char *option, const char *prefix, struct strb *out)
{
	struct finding f = { .option = option };
	const char *line;

	each_option(help, is_option, &f);
	if (!f.found.name)
		return;
	offer_value(out, prefix, f.found.what, f.found.what_n);
	for (line = f.found.end; *line == '\n';) {
		size_t n = strcspn(++line, "\n"), blank = strspn(line, "\t ");

		if (n < 2 || line[0] != '\t' || line[1] != ' ')
			break;
		offer_value(out, prefix, line + blank, n - blank);
		line += n;
	}
}

/* Words of a line "Trackers: a b c". */
static void offer_listed(struct strb *out, const char *prefix, const char *help, const char *title, const char *what)
{
	const char *at = strstr(help, title);

	for (at = at ? at + strlen(title) : ""; *at && *at != '\n';) {
		size_t n = strcspn(at, " \n");

		if (n)
			offer(out, prefix, at, n, what, strlen(what));
		at += n + (at[n] == ' ');
	}
}

/* Lines "\tword   what it is" below "Other commands". */
static void offer_subcommands(struct strb *out, const char *prefix, const char *help)
{
	const char *at = strstr(help, "\nOther commands");

	for (at = at ? at + 1 + strcspn(at + 1, "\n") : ""; *at == '\n';) {
		size_t n = strcspn(++at, "\n"), end;
		const char *what = description(at, n, &end);

		if (n < 2 || *at != '\t')
			break;
		offer(out, prefix, at + 1, end - 1, what, (size_t)(at + n - what));
		at += n;
	}
}

/* -- what the machine has -- */

/* A line of a small file, without its newline. */
static bool first_line(const char *path, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, (int)size, f))
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* Processes: their numbers with their names, or their names with their numbers. */
static void offer_processes(struct strb *out, const char *prefix, bool names)
{
	DIR *d = opendir("/proc");
	unsigned left = COMPLETE_PROC_MAX;

	for (struct dirent *e; d && left && (e = readdir(d));) {
		char path[64], comm[COMM_MAX];

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		left--;
		snprintf(path, sizeof(path), "/proc/%.16s/comm", e->d_name);
		if (first_line(path, comm, sizeof(comm)))
			offer_word(out, prefix, names ? comm : e->d_name, names ? "" : comm);
	}
	if (d)
		closedir(d);
}

/* -- probes -- */

/* The value of "name":"…" in a line of JSON Lines; names of probes need no escapes. */
static const char *member(const char *line, const char *name, size_t *n)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\"", name);
	at = strstr(line, key);
	while (at && strncmp(at + strlen(key), ":\"", 2) != 0) /* a value that has this name */
		at = strstr(at + 1, key);
	at = at ? at + strlen(key) + 2 : "";
	*n = strcspn(at, "\"\n");
	return at;
}

/* The value of an option of dtrace(1) among the words before the last, "-p 12" or "-p12"; NULL: it is not there. */
static const char *value_of(size_t n, const char *const *words, const char *option, const char *like)
{
	for (size_t i = 0; i + 1 < n; i++) {
		bool here = !strncmp(words[i], option, strlen(option));
		const char *v = !here ? NULL : words[i][strlen(option)] ? words[i] + strlen(option) : words[i + 1];

		if (v && (!like || !strcmp(v, like)))
			return v;
	}
	return NULL;
}

/* A name of Java as D takes it: Map$Entry as Map.Entry, and of add(int) what has another meaning as "?". */
static void spell_java(struct strb *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strb_addc(to, s[i] == '$' ? '.' : isalnum((unsigned char)s[i]) || strchr("._-", s[i]) ? s[i] : '?');
}

/* The word as a pattern for its last field. */
static void pattern_of(struct strb *to, const char *word, unsigned field, const char *pid)
{
	static const char target[] = "java$target:";
	size_t n = sizeof(target) - 1;

	if (pid && !strncmp(word, target, n)) {
		strb_printf(to, "java%s:", pid);
		word += n;
	}
	strb_printf(to, "%s*%.*s", word, (int)(PROBE_FIELDS - 1 - field), ":::");
}

/* A description "provider:module:function:name" that is being written: its last field. The probes of Java need -x
 * javaagent before it; their classes and methods are spelt as patterns. */
static void offer_probes(const struct complete_env *env, size_t nwords, const char *const *words, struct strb *out)
{
	static const char *const names[PROBE_FIELDS] = { "provider", "module", "function", "name" };
	_cleanup_(strb_free) struct strb list = { 0 }, pattern = { 0 }, full = { 0 };
	const char *word = words[nwords - 1], *last = strrchr(word, ':'), *name;
	size_t head = last ? (size_t)(last + 1 - word) : 0, same_n = 0;
	bool java = !strncmp(word, "java", 4);
	const char *same = NULL;
	unsigned field = 0;

	for (const char *s = word; *s; s++)
		field += *s == ':';
	if (field >= PROBE_FIELDS || strpbrk(word, java ? " {/[" : " {/*?["))
		return;
	for (size_t i = 0; !field && (name = env->provider(env->ctx, i)); i++) {
		strb_reset(&full);
		strb_printf(&full, "%s:", name);
		offer_word(out, word, strb_str(&full), "");
	}
	if (!field)
		return;
	pattern_of(&pattern, word, field, value_of(nwords, words, "-p", NULL));
	if (env->probes(env->ctx, strb_str(&pattern), java ? value_of(nwords, words, "-x", "javaagent") : NULL, &list) <
	    0)
		return;
	for (const char *line = strb_str(&list); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t n;
		const char *value = member(line, names[field], &n);

		if (!n || (n == same_n && !memcmp(value, same, n)))
			continue; /* entry and return of one function */
		same = value;
		same_n = n;
		strb_reset(&full);
		strb_add(&full, word, head);
		if (java)
			spell_java(&full, value, n);
		else
			strb_add(&full, value, n);
		strb_adds(&full, field + 1 < PROBE_FIELDS ? ":" : "");
		offer_word(out, word, strb_str(&full), "");
	}
}

/* -- command lines -- */

static void offer_tools(const struct complete_env *env, const char *prefix, struct strb *out)
{
	_cleanup_(strb_free) struct strb list = { 0 };

	env->tools(env->ctx, &list);
	for (const char *line = strb_str(&list); *line;) {
		size_t n = strcspn(line, "\n"), end = strcspn(line, " \n"), gap = end + strspn(line + end, " ");

		offer(out, prefix, line, end, line + gap, n - gap);
		line += n + (line[n] == '\n');
	}
}

static void offer_commands(const struct complete_env *env, const char *prefix, struct strb *out)
{
	const char *name, *what;

	for (size_t i = 0; (name = env->command(env->ctx, i, &what)); i++)
		offer_word(out, prefix, name, what);
}

/* Aggregations of the recordings on the command line. */
static void offer_keys(const struct complete_env *env, size_t n, const char *const *words, struct strb *out)
{
	_cleanup_(strb_free) struct strb keys = { 0 };

	for (size_t i = 1; i + 1 < n; i++)
		if (words[i][0] != '-')
			env->keys(env->ctx, words[i], &keys);
	for (const char *line = strb_str(&keys); *line;) {
		size_t len = strcspn(line, "\n");

		offer(out, words[n - 1], line, len, "", 0);
		line += len + (line[len] == '\n');
	}
}

static bool is_arg(const char *arg, size_t n, const char *name)
{
	return n >= strlen(name) && !memcmp(arg, name, strlen(name));
}

/* The argument of the option before. Returns whether that has one. */
static bool offer_argument(const struct complete_env *env, const char *help, size_t n, const char *const *words,
			   struct strb *out)
{
	const char *option = words[n - 2], *cur = words[n - 1], *arg;
	size_t len;

	arg = complete_argument(help, option, &len);
	if (!arg)
		return false;
	if (!strcmp(option, "--by"))
		offer_keys(env, n, words, out);
	else if (is_arg(arg, len, "PID"))
		offer_processes(out, cur, false);
	else if (!strcmp(option, "--comm"))
		offer_processes(out, cur, true);
	else
		complete_values(help, option, cur, out);
	return true;
}

/* dtrace(1)'s own command line. */
static void complete_dtrace(const struct complete_env *env, size_t n, const char *const *words, struct strb *out)
{
	const char *cur = words[n - 1], *before = n > 1 ? words[n - 2] : "", *name;
	_cleanup_(strb_free) struct strb help = { 0 };

	if (!strcmp(before, "-p")) {
		offer_processes(out, cur, false);
	} else if (!strcmp(before, "-P")) {
		for (size_t i = 0; (name = env->provider(env->ctx, i)); i++)
			offer_word(out, cur, name, "");
	} else if (!strcmp(before, "-n") || !strcmp(before, "-ln")) {
		offer_probes(env, n, words, out);
	} else if (!strcmp(before, "-s")) {
		offer_tools(env, cur, out);
	} else if (cur[0] == '-') {
		env->help(env->ctx, NULL, NULL, &help);
		complete_options(strb_str(&help), cur, out);
	}
}

static void complete_run(const struct complete_env *env, size_t n, const char *const *words, struct strb *out)
{
	static const char *const by[] = { "container", "cgroup", "unit", "user" };
	const char *cur = words[n - 1];

	if (n == 2) {
		offer_tools(env, cur, out);
	} else if (!strcmp(words[n - 2], "-p")) {
		offer_processes(out, cur, false);
	} else if (!strcmp(words[n - 2], "--by")) {
		for (size_t i = 0; i < ARRAY_SIZE(by); i++)
			offer_word(out, cur, by[i], "");
	} else if (cur[0] == '-') {
		_cleanup_(strb_free) struct strb help = { 0 };

		env->help(env->ctx, "run", words[1], &help);
		complete_options(strb_str(&help), cur, out);
		offer_word(out, cur, "--help", "what the tool shows, and its parameters");
	}
}

static void complete_command(const struct complete_env *env, size_t n, const char *const *words, struct strb *out)
{
	_cleanup_(strb_free) struct strb help = { 0 };
	const char *cur = words[n - 1], *part = n > 2 && isalpha((unsigned char)words[1][0]) ? words[1] : NULL;

	env->help(env->ctx, words[0], part, &help);
	if (n > 1 && words[n - 2][0] == '-' && n > 2 && offer_argument(env, strb_str(&help), n, words, out))
		return;
	if (cur[0] == '-') {
		complete_options(strb_str(&help), cur, out);
		return;
	}
	offer_listed(out, cur, strb_str(&help), "\nTrackers: ", "tracker");
	if (n == 2)
		offer_subcommands(out, cur, strb_str(&help));
}

void complete(const struct complete_env *env, size_t n, const char *const *words, struct strb *out)
{
	if (!n || n > COMPLETE_WORDS_MAX)
		return;
	for (size_t i = 0; i + 1 < n; i++)
		if (!strcmp(words[i], "--"))
			return; /* the command of the user's */
	if (words[0][0] == '-')
		complete_dtrace(env, n, words, out);
	else if (n == 1 || (n == 2 && !strcmp(words[0], "help")))
		offer_commands(env, words[n - 1], out);
	else if (!strcmp(words[0], "run"))
		complete_run(env, n, words, out);
	else
		complete_command(env, n, words, out);
}
