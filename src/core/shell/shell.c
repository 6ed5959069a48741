/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of commands: taken apart, run from left to right. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/plain.h"
#include "core/native/ctype.h"
#include "core/js/js.h"
#include "core/jsheap/graph.h"
#include "core/jsheap/heap.h"
#include "core/jsheap/index.h"
#include "core/module/module.h"
#include "core/shell.h"

#define FLUSH 65536u  /* bytes of text that wait to be written */
#define MAX_WITHIN 8u /* lines within each other */

struct stage {
	const struct dcmd *cmd;
	struct dcall call;
	char *words[SHELL_MAX_WORDS + 1];
};

struct line {
	char name[SHELL_MAX_NAME]; /* of its address */
	struct stage v[SHELL_MAX_STAGES];
	unsigned n;
	const char *program; /* after "!", or NULL */
};

void shell_done(struct shell *s)
{
	js_graph_close(s->graph);
	js_heap_close(s->heap);
	js_index_close(s->index);
	js_close(s->js);
	ctypes_free(s->types);
	modules_free(s->modules);
	vec_free(&s->seen);
	err_done(&s->err);
	strb_free(&s->text);
}

/* Remembers the addresses of a text: words of 8 to 16 hexadecimal digits. */
static void remember(struct shell *s)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = strb_str(&s->text);

	while (*p) {
		const size_t n = strspn(p, digits), other = strcspn(p, " \t\n:,");
		uint64_t v;
		char word[17];

		if (n == other && n >= 8 && n < sizeof(word)) {
			memcpy(word, p, n);
			word[n] = '\0';
			if (shell_number(word, &v) &&
			    (s->seen.n < SHELL_MAX_SEEN ? vec_try_push(&s->seen, v) == 0
							: (s->seen.v[s->nseen % SHELL_MAX_SEEN] = v, true)))
				s->nseen++;
		}
		p += other + (p[other] != '\0');
	}
}

void shell_flush(struct shell *s)
{
	if (s->remember && !s->to)
		remember(s);
	if (s->to)
		strb_reset(&s->text);
	else
		strb_flush(&s->text, s->out, &s->error);
}

void shell_print(struct shell *s, const char *fmt, ...)
{
	va_list ap;

	if (s->to)
		return;
	va_start(ap, fmt);
	strb_vprintf(&s->text, fmt, ap);
	va_end(ap);
	if (s->text.n >= FLUSH)
		shell_flush(s);
}

void shell_plain(struct shell *s, const char *text)
{
	if (!s->to)
		plain_part(&s->text, text, strlen(text), false, true);
}

int shell_emit(struct shell *s, uint64_t addr)
{
	return s->to ? vec_try_push(s->to, addr) : 0;
}

int shell_refuse(struct shell *s, const char *name, const char *word)
{
	return err_set(&s->err, -EINVAL, "::%s: unexpected '%s' (::help %s)", name, word, name);
}

bool shell_number(const char *word, uint64_t *ret)
{
	const bool decimal = word[0] == '0' && word[1] == 't';
	const char *digits = decimal || (word[0] == '0' && word[1] == 'x') ? word + 2 : word;
	uint64_t v = 0;

	if (!*digits)
		return false;
	for (const char *p = digits; *p; p++) {
		const char *all = "0123456789abcdef", *d = strchr(all, *p | 0x20);
		const uint64_t base = decimal ? 10 : 16;

		if (!d || (uint64_t)(d - all) >= base || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(d - all), &v))
			return false;
	}
	*ret = v;
	return true;
}

int shell_option(struct shell *s, const struct dcall *d, int *i, uint64_t max, uint64_t *ret)
{
	if (*i + 1 >= d->argc || !shell_number(d->argv[*i + 1], ret) || *ret > max)
		return err_set(&s->err, -EINVAL, "%s wants a number up to %" PRIx64 " (hexadecimal, or after 0t)",
			       d->argv[*i], max);
	++*i;
	return 0;
}

const struct dcmd *shell_dcmd_at(const struct shell *s, size_t i)
{
	static size_t n; /* always the same */

	while (dcmds[n].name)
		n++;
	if (i < n)
		return &dcmds[i];
	return s->modules && i - n < s->modules->commands.n ? s->modules->commands.v[i - n] : NULL;
}

const struct dcmd *shell_dcmd(const struct shell *s, const char *name)
{
	const struct dcmd *d;

	for (size_t i = 0; (d = shell_dcmd_at(s, i)); i++)
		if (!strcmp(d->name, name))
			return d;
	return NULL;
}

const struct walker *shell_walker_at(const struct shell *s, size_t i)
{
	size_t n = 0;

	while (walkers[n].name)
		n++;
	if (i < n)
		return &walkers[i];
	return s->modules && i - n < s->modules->walkers.n ? s->modules->walkers.v[i - n] : NULL;
}

const struct walker *shell_walker(const struct shell *s, const char *name)
{
	const struct walker *w;

	for (size_t i = 0; (w = shell_walker_at(s, i)); i++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

static int unknown(struct shell *s, const char *name)
{
	const struct dcmd *d;
	struct near m;

	near_init(&m, name);
	for (size_t i = 0; (d = shell_dcmd_at(s, i)); i++)
		near_try(&m, d->name);
	return err_set(&s->err, -EINVAL, "there is no command ::%s%s%s%s (::dcmds lists them)", name,
		       m.best ? "; did you mean ::" : "", m.best ? m.best : "", m.best ? "?" : "");
}

/* -- taking apart -- */

/* The next word of *p, within quotes or up to a blank; NULL: there is none before a | or ! or the end. The text is
 * changed. */
static char *next_word(char **p, bool *bad)
{
	char *from, quote;

	*p += strspn(*p, " \t");
	if (!**p || **p == '|' || **p == '!')
		return NULL;
	quote = **p == '"' || **p == '\'' ? **p : '\0';
	from = quote ? *p + 1 : *p;
	*p = from + (quote ? strcspn(from, quote == '"' ? "\"" : "'") : strcspn(from, " \t|"));
	if (quote && !**p)
		*bad = true;
	return from;
}

/* One command: from "::" to the end of its words. *ret: what comes after; *piped: a | was passed over. */
static int take_words(struct shell *s, struct stage *st, char *p, char **ret, bool *piped)
{
	bool bad = false;
	char *w = next_word(&p, &bad);
	char last = w ? *p : '\0';

	if (!w || strncmp(w, "::", 2) != 0 || !w[2])
		return err_set(&s->err, -EINVAL, "a command begins with '::', as in ::status (::dcmds lists them)");
	while (w) {
		last = *p;
		if (last)
			*p++ = '\0';
		if (!st->cmd) {
			st->cmd = shell_dcmd(s, w + 2);
			if (!st->cmd)
				return unknown(s, w + 2);
		} else if (st->call.argc == (int)SHELL_MAX_WORDS) {
			return err_set(&s->err, -E2BIG, "more than %u words", SHELL_MAX_WORDS);
		} else {
			st->words[st->call.argc++] = w;
		}
		w = last == '|' ? NULL : next_word(&p, &bad);
	}
	if (bad)
		return err_set(&s->err, -EINVAL, "a quotation mark is missing at the end");
	st->call.argv = st->words;
	if (last != '|')
		p += strspn(p, " \t");
	*piped = last == '|' || *p == '|';
	*ret = p + (last != '|' && *p == '|');
	return 0;
}

/* [FILE`]NAME[+OFFSET]. call->name: without FILE; there is none with an offset. */
static int take_name(struct shell *s, struct dcall *call, char *name)
{
	char *plus = strchr(name, '+'), *tick = strchr(name, '`');
	uint64_t offset = 0;

	if (plus && !shell_number(plus + 1, &offset))
		return err_set(&s->err, -EINVAL, "'%s' is no address: no number follows the +", name);
	if (plus)
		*plus = '\0';
	if (core_address(s->core, name, &call->addr) < 0)
		return err_set(&s->err, -EINVAL, "'%s' is no address: neither a number nor a name in the process",
			       name);
	call->addr += offset;
	call->name = plus ? NULL : tick ? tick + 1 : name;
	return 0;
}

static int take_address(struct shell *s, struct dcall *call, const char *p, size_t n, char name[SHELL_MAX_NAME])
{
	if (n >= SHELL_MAX_NAME)
		return err_set(&s->err, -EINVAL, "an address of more than %u bytes", SHELL_MAX_NAME);
	memcpy(name, p, n);
	name[n] = '\0';
	call->has_addr = true;
	return shell_number(name, &call->addr) ? 0 : take_name(s, call, name);
}

static int take_line(struct shell *s, struct line *l, char *p)
{
	bool piped = true;
	char *colons;
	int r;

	p += strspn(p, " \t");
	colons = strstr(p, "::");
	if (colons && colons != p) {
		char *end = colons;

		while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		r = take_address(s, &l->v[0].call, p, (size_t)(end - p), l->name);
		if (r < 0)
			return r;
		p = colons;
	}
	while (piped) {
		if (l->n == SHELL_MAX_STAGES)
			return err_set(&s->err, -E2BIG, "more than %u commands in a line", SHELL_MAX_STAGES);
		r = take_words(s, &l->v[l->n], p, &p, &piped);
		if (r < 0)
			return r;
		l->n++;
	}
	if (*p == '!')
		l->program = p + 1;
	return 0;
}

/* -- running -- */

static int run_stage(struct shell *s, const struct stage *st, struct dcall *call)
{
	call->cmd = st->cmd;
	if (st->cmd->addr && !call->has_addr)
		return err_set(&s->err, -EINVAL, "::%s wants an address: ADDRESS::%s (::help %s)", st->cmd->name,
			       st->cmd->name, st->cmd->name);
	return st->cmd->run(s, call);
}

static int run_stages(struct shell *s, const struct line *l)
{
	shell_addrs from = { 0 }, to = { 0 }, *const last = s->to;
	int r = 0;

	for (unsigned i = 0; i < l->n && r == 0; i++) {
		const struct stage *st = &l->v[i];
		struct dcall call = st->call;

		s->to = i + 1 < l->n ? &to : last;
		if (!i)
			r = run_stage(s, st, &call);
		for (size_t k = 0; i && k < from.n && r == 0 && s->error == 0; k++) {
			call.has_addr = true;
			call.addr = from.v[k];
			r = run_stage(s, st, &call);
		}
		vec_free(&from);
		from = to;
		to = (shell_addrs){ 0 };
	}
	vec_free(&from);
	s->to = last;
	return r;
}

int shell_within(struct shell *s, const char *text, const struct dcall *d)
{
	_cleanup_free_ char *copy = strdup(text);
	_cleanup_free_ struct line *l = calloc(1, sizeof(*l));
	int r;

	if (!copy || !l)
		return -ENOMEM;
	if (s->within == MAX_WITHIN)
		return err_set(&s->err, -ELOOP, "more than %u lines within each other", MAX_WITHIN);
	r = take_line(s, l, copy);
	if (r == 0 && l->program)
		r = err_set(&s->err, -EINVAL, "a line of a module runs no programs: '%s'", text);
	if (r == 0 && d->has_addr && !l->v[0].call.has_addr) {
		l->v[0].call.has_addr = true;
		l->v[0].call.addr = d->addr;
	}
	s->within++;
	if (r == 0)
		r = run_stages(s, l);
	s->within--;
	return r;
}

/* The text goes to a program of the system's shell. It may end before all is read. */
static int run_piped(struct shell *s, const struct line *l)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	FILE *out = s->out, *to;
	int r, status;

	fflush(out);
	to = popen(l->program, "we");
	if (!to)
		return err_set(&s->err, -errno, "the shell cannot be run: %s", strerror(errno));
	sigaction(SIGPIPE, &ignore, &before);
	s->out = to;
	r = run_stages(s, l);
	shell_flush(s);
	s->out = out;
	status = pclose(to);
	sigaction(SIGPIPE, &before, NULL);
	if (s->error == -EPIPE)
		s->error = 0;
	/* -1: it ended before it had read the rest. */
	if (r == 0 && status > 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE))
		r = err_set(&s->err, -EIO, "'%s' ended with status %d", l->program,
			    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return r;
}

int shell_line(struct shell *s, const char *text)
{
	_cleanup_free_ char *copy = NULL;
	_cleanup_free_ struct line *l = NULL;
	int r;

	err_done(&s->err);
	text += strspn(text, " \t");
	if (!*text || *text == '#')
		return 0;
	if (strlen(text) > SHELL_MAX_LINE)
		return err_set(&s->err, -E2BIG, "a line of more than %u bytes", SHELL_MAX_LINE);
	copy = strdup(text);
	l = calloc(1, sizeof(*l));
	if (!copy || !l)
		return err_set(&s->err, -ENOMEM, "out of memory");
	r = take_line(s, l, copy);
	if (r < 0)
		return r;
	if (s->core->live && !s->core->stopped) { /* it has changed */
		core_forget(s->core);
		js_graph_close(s->graph);
		js_heap_close(s->heap);
		s->graph = NULL;
		s->heap = NULL;
	}
	r = l->program ? run_piped(s, l) : run_stages(s, l);
	shell_flush(s);
	if (r == -ENOMEM && !s->err.code)
		err_set(&s->err, r, "out of memory");
	return r;
}
