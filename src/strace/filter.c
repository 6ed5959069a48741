/* SPDX-License-Identifier: Apache-2.0 */
/* Parses -e and keeps the sets of calls, signals and results. */
#include "strace/filter.h"
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "strace/trail.h"

static const struct {
	const char *name;
	uint32_t class;
} classes[] = {
	{ "file", CALL_FILE },	     { "desc", CALL_DESC },	{ "network", CALL_NETWORK }, { "net", CALL_NETWORK },
	{ "process", CALL_PROCESS }, { "memory", CALL_MEMORY }, { "signal", CALL_SIGNAL },   { "creds", CALL_CREDS },
	{ "ipc", CALL_IPC },	     { "clock", CALL_CLOCK },
};

void filter_init(struct filter *f)
{
	memset(f->call, true, sizeof(f->call));
	f->others = true;
	f->signals = UINT64_MAX;
	f->status = TRAIL_ALL;
}

/* Calls of a class; 0: all. */
static void set_class(struct filter *f, uint32_t class, bool on)
{
	for (size_t i = 0; i < call_table_n; i++)
		if (!class || call_table[i].classes & class)
			f->call[call_table[i].nr] = on;
	f->others = class ? f->others : on;
}

static int set_matching(struct filter *f, const char *pattern, bool on, struct strb *reason)
{
	regex_t re;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		strb_printf(reason, "'%s' is no regular expression", pattern);
		return -EINVAL;
	}
	for (size_t i = 0; i < call_table_n; i++)
		if (!regexec(&re, call_table[i].name, 0, NULL, 0))
			f->call[call_table[i].nr] = on;
	regfree(&re);
	return 0;
}

static int set_call(struct filter *f, const char *word, bool on, struct strb *reason)
{
	const char *name = word + (word[0] == '?' || word[0] == '%');
	const struct call_desc *c = word[0] == '%' ? NULL : call_by_name(name);
	struct near near;

	if (c) {
		f->call[c->nr] = on;
		return 0;
	}
	if (!strcmp(name, "all") || !strcmp(name, "none")) {
		set_class(f, 0, on == (name[0] == 'a'));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(name, classes[i].name)) {
			set_class(f, classes[i].class, on);
			return 0;
		}
	if (word[0] == '/')
		return set_matching(f, word + 1, on, reason);
	if (word[0] == '?')
		return 0;
	near_init(&near, name);
	for (size_t i = 0; i < call_table_n; i++)
		near_try(&near, call_table[i].name);
	strb_printf(reason, "there is no system call '%s'%s%s", word, near.best ? "; did you mean " : "",
		    near.best ? near.best : "");
	return -EINVAL;
}

static int signal_number(const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	if (!*end && end != name)
		return n >= 1 && n <= 64 ? (int)n : 0;
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (int sig = 1; sig <= 64; sig++) {
		_cleanup_(strb_free) struct strb b = { 0 };

		say_signal_name(&b, sig);
		if (!strcasecmp(strb_str(&b) + 3, name))
			return sig;
	}
	return 0;
}

static int set_signal(struct filter *f, const char *word, bool on, struct strb *reason)
{
	int sig = signal_number(word);
	uint64_t bits = sig ? UINT64_C(1) << (sig - 1) : UINT64_MAX;

	if (!sig && strcmp(word, "all") != 0 && strcmp(word, "none") != 0) {
		strb_printf(reason, "there is no signal '%s'", word);
		return -EINVAL;
	}
	if (!strcmp(word, "none"))
		on = !on;
	f->signals = on ? f->signals | bits : f->signals & ~bits;
	return 0;
}

static int set_status(struct filter *f, const char *word, bool on, struct strb *reason)
{
	static const struct {
		const char *name;
		unsigned bits;
	} words[] = { { "successful", TRAIL_GOOD },
		      { "failed", TRAIL_FAILED },
		      { "unfinished", TRAIL_UNFINISHED },
		      { "all", TRAIL_ALL } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, word)) {
			f->status = on ? f->status | words[i].bits : f->status & ~words[i].bits;
			return 0;
		}
	strb_printf(reason, "'%s' is no status: successful, failed, unfinished, all", word);
	return -EINVAL;
}

static const struct qualifier {
	const char *name, *letter;
	int (*set)(struct filter *f, const char *word, bool on, struct strb *reason);
} qualifiers[] = { { "trace", "t", set_call }, { "signal", "s", set_signal }, { "status", "status", set_status } };

static void clear(struct filter *f, const struct qualifier *q, bool to)
{
	if (q->set == set_call)
		set_class(f, 0, to);
	else if (q->set == set_signal)
		f->signals = to ? UINT64_MAX : 0;
	else
		f->status = to ? TRAIL_ALL : 0;
}

int filter_parse(struct filter *f, const char *expression, struct strb *reason)
{
	const char *equal = strchr(expression, '=');
	const struct qualifier *q = equal ? NULL : &qualifiers[0];
	size_t n = equal ? (size_t)(equal - expression) : 0;
	_cleanup_free_ char *words = strdup(equal ? equal + 1 : expression);
	char *at = words, *save = NULL;
	bool off;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(qualifiers) && !q; i++)
		if ((strlen(qualifiers[i].name) == n && !strncmp(expression, qualifiers[i].name, n)) ||
		    (strlen(qualifiers[i].letter) == n && !strncmp(expression, qualifiers[i].letter, n)) ||
		    (n == 7 && !strncmp(expression, "signals", n) && qualifiers[i].set == set_signal))
			q = &qualifiers[i];
	if (!q) {
		strb_printf(reason, "-e %.*s= is not known here: trace=, signal= and status= are", (int)n, expression);
		return -EINVAL;
	}
	if (!words)
		return -ENOMEM;
	off = at[0] == '!';
	clear(f, q, off);
	for (char *w = strtok_r(at + off, ",", &save); w && r == 0; w = strtok_r(NULL, ",", &save))
		r = q->set(f, w, !off, reason);
	return r;
}
