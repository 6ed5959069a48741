/* SPDX-License-Identifier: Apache-2.0 */
/* Edits lines with libedit, by the functions that it shares with readline. Source: editline/readline.h of libedit
 * 3.1. */
#include "core/shell/coreline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "core/shell/complete.h"

typedef char *entry_fn(const char *text, int state);

static struct {
	char *(*readline)(const char *prompt);
	int (*add_history)(const char *line);
	char **(*completion_matches)(const char *text, entry_fn *fn);
	/* Variables of the library. */
	char **(**attempted_completion)(const char *text, int start, int end);
	const char **word_breaks;
	int *attempt_over, *append_character;
	char **line_buffer;
	FILE **outstream;
} lib;

static struct shell *shell; /* reads these lines: the library has no place for it */
static complete_words words;

static char *next_word(const char *text, int state)
{
	static size_t i;

	(void)text;
	i = state ? i + 1 : 0;
	return i < words.n ? strdup(words.v[i]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
	char *line = strndup(*lib.line_buffer, (size_t)end);
	char **matches = NULL;

	(void)start;
	*lib.attempt_over = 1; /* no names of files */
	complete_done(&words);
	if (line && shell_complete(shell, line, &words) == 0 && words.n)
		matches = lib.completion_matches(text, next_word);
	free(line);
	return matches;
}

bool coreline_open(struct shell *s)
{
	void *so = solib_open("libedit.so.2");

	if (!so)
		return false;
	*(void **)&lib.readline = solib_sym(so, "readline");
	*(void **)&lib.add_history = solib_sym(so, "add_history");
	*(void **)&lib.completion_matches = solib_sym(so, "rl_completion_matches");
	*(void **)&lib.attempted_completion = solib_sym(so, "rl_attempted_completion_function");
	*(void **)&lib.word_breaks = solib_sym(so, "rl_completer_word_break_characters");
	*(void **)&lib.attempt_over = solib_sym(so, "rl_attempted_completion_over");
	*(void **)&lib.append_character = solib_sym(so, "rl_completion_append_character");
	*(void **)&lib.line_buffer = solib_sym(so, "rl_line_buffer");
	*(void **)&lib.outstream = solib_sym(so, "rl_outstream");
	if (!lib.outstream || !lib.readline || !lib.add_history || !lib.completion_matches ||
	    !lib.attempted_completion || !lib.word_breaks || !lib.attempt_over || !lib.append_character ||
	    !lib.line_buffer) {
		solib_close(so);
		return false;
	}
	/* Not by way of stdout, which keeps from terminals what they would obey (base/plainout.h). */
	*lib.outstream = fdopen(dup(STDOUT_FILENO), "we");
	if (!*lib.outstream)
		return false;
	shell = s;
	s->remember = true;
	*lib.attempted_completion = complete;
	*lib.word_breaks = " \t|";
	*lib.append_character = ' ';
	return true;
}

ssize_t coreline_read(char **line, size_t *cap)
{
	char *got = lib.readline(CORELINE_PROMPT);

	complete_done(&words);
	if (!got)
		return -1;
	if (*got)
		lib.add_history(got);
	free(*line);
	*line = got;
	*cap = strlen(got) + 1;
	return (ssize_t)strlen(got);
}

/* -- the input -- */

static ssize_t plain_read(bool ask, char **line, size_t *cap)
{
	if (ask) {
		fputs(CORELINE_PROMPT, stdout);
		fflush(stdout);
	}
	return getline(line, cap, stdin);
}

bool coreline_run(struct shell *s, bool (*run)(struct shell *s, const char *text))
{
	const bool ask = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const bool edit = ask && coreline_open(s);
	_cleanup_free_ char *line = NULL;
	bool good = true;
	size_t cap = 0;
	ssize_t n;

	while (s->error == 0) {
		n = edit ? coreline_read(&line, &cap) : plain_read(ask, &line, &cap);
		if (n < 0)
			break;
		while (n && strchr(" \t\r\n", line[n - 1]))
			line[--n] = '\0';
		if (!strcmp(line, "$q") || !strcmp(line, "::quit"))
			break;
		good &= run(s, line);
		fflush(stdout);
	}
	return good || ask;
}
