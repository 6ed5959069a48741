/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options by their table, prints usage, and suggests the nearest option for a misspelt one. */
#include "cmdline/optable.h"
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "base/near.h"
#include "base/num.h"
#include "base/strb.h"

enum { LONG = 256 /* + row */ };

#define TAB 8
#define USAGE 14 /* of the lines after the first */
#define LEFT 17	 /* of the names of options */

/* Prints lines from the column `at` on, each after the first by `indent` blanks; broken to the columns, unless 0. */
static void put_lines(FILE *out, const char *lines, int at, int indent, int columns)
{
	for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		columns_wrap(out, lines, at, indent, columns);
		if (lines[n])
			fprintf(out, "\t%*s", indent - TAB, "");
		at = indent;
	}
}

const char *optable_name(const struct optrow *o, char buf[OPTABLE_NAME])
{
	if (o->name)
		snprintf(buf, OPTABLE_NAME, "--%s", o->name);
	else
		snprintf(buf, OPTABLE_NAME, "-%c", o->letter);
	return buf;
}

/* An option, and what it does. */
static void put_option(const struct optrow *o, int columns, FILE *out)
{
	const int indent = TAB + LEFT + 1;
	char name[OPTABLE_NAME], left[64];
	int n = snprintf(left, sizeof(left), "%s%s%s", optable_name(o, name), o->arg ? " " : "", o->arg ? o->arg : "");

	if (columns && n > LEFT && TAB + n + 3 + (int)strcspn(o->help, "\n") > columns) {
		fprintf(out, "\t%s\n%*s", left, indent, "");
		n = LEFT;
	} else {
		fprintf(out, "\t%-*s%s", LEFT, left, n > LEFT ? "   " : " ");
	}
	put_lines(out, o->help, n > LEFT ? TAB + n + 3 : indent, indent, columns);
}

/* A paragraph. On a terminal it is broken anew. */
static void put_notes(const char *notes, int columns, FILE *out)
{
	const int indent = notes[0] == '\t' ? TAB : 0;
	_cleanup_(strb_free) struct strb b = { 0 };

	if (!columns) {
		fprintf(out, "%s\n\n", notes);
		return;
	}
	for (const char *p = notes; *p; p++)
		if (*p != '\t')
			strb_addc(&b, *p == '\n' ? ' ' : *p);
	fprintf(out, "%*s", indent, "");
	columns_wrap(out, strb_str(&b), indent, indent, columns);
	fputs("\n", out);
}

void optable_help(const struct optable *t, const char *program, FILE *out)
{
	const int columns = out == stdout ? columns_of_terminal() : 0;
	const char *line = t->synopsis;

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		int at = fprintf(out, "%s %s ", line == t->synopsis ? "Usage:" : "      ", program);

		n = strcspn(line, "\n");
		columns_wrap(out, line, at, USAGE, columns);
	}
	fputs("\n", out);
	if (t->notes)
		put_notes(t->notes, columns, out);
	for (size_t i = 0; i < t->n; i++) {
		if (!t->rows[i].name && !t->rows[i].letter)
			fputs("\n", out);
		if (t->rows[i].help)
			put_option(&t->rows[i], columns, out);
	}
	if (t->more)
		t->more(out);
}

int optable_refuse(const char *command, const struct option *longs, char *const *argv, bool missing,
		   const char *program, struct err *err)
{
	const char *word = argv[optind > 0 ? optind - 1 : 0];
	size_t n = strcspn(word, "=");
	char name[OPTABLE_NAME];
	struct near near;

	if (missing && strncmp(word, "--", 2) != 0)
		return err_set(err, -EINVAL, "%s: -%c needs an argument; '%s %s --help' tells more", command, optopt,
			       program, command);
	if (missing)
		return err_set(err, -EINVAL, "%s: %s needs an argument; '%s %s --help' tells more", command, word,
			       program, command);
	if (optopt >= LONG)
		return err_set(err, -EINVAL, "%s: %.*s takes no argument", command, (int)n, word);
	if (optopt)
		return err_set(err, -EINVAL, "%s: there is no option -%c; '%s %s --help' lists them", command, optopt,
			       program, command);
	snprintf(name, sizeof(name), "%.*s", n > 2 ? (int)n - 2 : 0, word + 2);
	near_init(&near, name);
	for (; longs->name; longs++)
		near_try(&near, longs->name);
	if (near.best)
		return err_set(err, -EINVAL, "%s: there is no option --%s; did you mean --%s?", command, name,
			       near.best);
	return err_set(err, -EINVAL, "%s: there is no option --%s; '%s %s --help' lists them", command, name, program,
		       command);
}

int optable_words(const struct optable *t, const char *unexpected, const char *missing, const char *program,
		  struct err *err)
{
	if (unexpected)
		return err_set(err, -EINVAL, "%s: '%s' is not expected", t->command, unexpected);
	return err_set(err, -EINVAL, "%s: %s; '%s %s --help' tells more", t->command, missing, program, t->command);
}

int optable_number(const struct optrow *o, const char *arg, unsigned *ret, struct err *err)
{
	char name[OPTABLE_NAME];
	uint64_t n;

	if (num_parse_u64(arg, &n) < 0 || n < 1 || n > (uint64_t)o->value)
		return err_set(err, -EINVAL, "%s: '%s' is no number from 1 to %d", optable_name(o, name), arg,
			       o->value);
	*ret = (unsigned)n;
	return 0;
}

static int take(const struct optrow *o, void *command, const char *arg, struct err *err)
{
	void *member = (char *)command + o->at;

	switch (o->kind) {
	case OPT_FLAG: *(bool *)member = true; return 0;
	case OPT_TEXT: *(const char **)member = arg; return 0;
	case OPT_SET: *(const char **)member = o->text; return 0;
	case OPT_TIME: return optrow_time(o->name, arg, (uint64_t)o->value, member, err);
	case OPT_NUMBER: return optable_number(o, arg, member, err);
	case OPT_CALL: break;
	}
	return o->take(member, o, arg, err);
}

static const struct optrow *find(const struct optable *t, int c)
{
	for (size_t i = 0; i < t->n; i++)
		if (c == LONG + (int)i || (c && c == t->rows[i].letter))
			return &t->rows[i];
	return NULL;
}

/* Makes the tables that getopt_long() takes. */
static void make_tables(const struct optable *t, struct option *longs, char *shorts)
{
	bool has_h = false;

	if (t->word || t->leading)
		*shorts++ = t->leading ? '+' : '-';
	*shorts++ = ':';
	for (size_t i = 0; i < t->n; i++) {
		const struct optrow *o = &t->rows[i];

		if (o->name)
			*longs++ = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL,
						    LONG + (int)i };
		if (!o->letter)
			continue;
		has_h |= o->letter == 'h';
		*shorts++ = o->letter;
		if (o->arg)
			*shorts++ = ':';
	}
	if (!has_h)
		*shorts++ = 'h';
	*longs++ = (struct option){ "help", no_argument, NULL, LONG + (int)t->n };
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

int optable_read(const struct optable *t, void *command, int argc, char **argv, const char *program, struct err *err)
{
	struct option longs[OPTABLE_MAX + 2];
	char shorts[2 * OPTABLE_MAX + 4];
	int c, e = 0;

	assert(t->n <= OPTABLE_MAX);
	make_tables(t, longs, shorts);
	opterr = 0;
	while (e == 0 && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct optrow *o = find(t, c);

		if (c == LONG + (int)t->n || (c == 'h' && !o))
			return OPTABLE_HELP;
		if (t->word && c == 1)
			e = t->word(command, optarg, err);
		else
			e = o ? take(o, command, optarg, err)
			      : optable_refuse(t->command, longs, argv, c == ':', program, err);
		if (e == 0 && o && t->given)
			t->given(command, o);
	}
	for (; e == 0 && t->word && optind < argc; optind++)
		e = t->word(command, argv[optind], err);
	return e;
}

int optable_command(const char *command, int *argc, char **argv, char *const **ret, struct err *err)
{
	*ret = NULL;
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (i + 1 == *argc)
			return err_set(err, -EINVAL, "%s: a command is missing after --", command);
		*ret = argv + i + 1;
		*argc = i;
		break;
	}
	return 0;
}
