/* SPDX-License-Identifier: Apache-2.0 */
/* Completes commands, constructors, types, members and options at the prompt of `dwell core`. */
#include "core/shell/complete.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/native/complete.h"
#include "core/jscmd/find.h"

struct completing {
	complete_words *to;
	const char *word, *before; /* what all candidates begin with; what is put in front of them */
	int r;
};

static void offer(void *ctx, const char *candidate)
{
	struct completing *c = ctx;
	char *s;

	if (c->r < 0 || strncmp(candidate, c->word, strlen(c->word)) != 0 || c->to->n == COMPLETE_MAX)
		return;
	if (asprintf(&s, "%s%s", c->before, candidate) < 0) {
		c->r = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < c->to->n; i++) {
		if (!strcmp(c->to->v[i], s)) {
			free(s);
			return;
		}
	}
	if (vec_try_push(c->to, s) < 0) {
		free(s);
		c->r = -ENOMEM;
	}
}

/* The options in a command's arguments: letters after a minus. */
static void offer_options(struct completing *c, const struct dcmd *d)
{
	for (const char *p = d->args; *p; p++) {
		if (p[0] != '-' || (p != d->args && p[-1] != '['))
			continue;
		while (*++p >= 'a' && *p <= 'z')
			offer(c, (char[]){ '-', *p, '\0' });
		p--;
	}
}

/* Offers the words that may follow a command: line is all from "::" on. */
static void offer_words(struct shell *s, struct completing *c, struct dcall *call, const char *line, size_t n)
{
	const char *end = line + n, *last;
	const struct dcmd *d;
	char name[32];
	size_t k = strcspn(line + 2, " \t");

	if (k >= sizeof(name))
		return;
	memcpy(name, line + 2, k);
	name[k] = '\0';
	d = shell_dcmd(s, name);
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (last = end; last > line && last[-1] != ' ' && last[-1] != '\t';)
		last--;
	if (!d)
		return;
	call->cmd = d;
	if (c->word[0] == '-')
		offer_options(c, d);
	else if (d->complete)
		d->complete(s, call, c->word, offer, c);
	else if (ctype_complete(s, name, line, n, c->word, offer, c))
		return;
	else if (!strcmp(name, "walk"))
		for (size_t i = 0; shell_walker_at(s, i); i++)
			offer(c, shell_walker_at(s, i)->name);
	else if (!strcmp(name, "help"))
		for (size_t i = 0; shell_dcmd_at(s, i); i++)
			offer(c, shell_dcmd_at(s, i)->name);
	else if (end - last == 2 && !strcmp(name, "findjsobjects") &&
		 (!memcmp(last, "-c", 2) || !memcmp(last, "-p", 2)))
		js_names(s, last[1] == 'p', offer, c);
}

/* Takes the address before the command: a number, or a name of the process. */
static void address_of(struct shell *s, const char *stage, struct dcall *call)
{
	char name[SHELL_MAX_NAME];
	const char *colons = strstr(stage, "::");
	size_t n;

	stage += strspn(stage, " \t");
	n = colons && colons > stage ? (size_t)(colons - stage) : 0;
	while (n && (stage[n - 1] == ' ' || stage[n - 1] == '\t'))
		n--;
	if (!n || n >= sizeof(name))
		return;
	memcpy(name, stage, n);
	name[n] = '\0';
	call->has_addr = shell_number(name, &call->addr) || core_address(s->core, name, &call->addr) == 0;
}

int shell_complete(struct shell *s, const char *line, complete_words *ret)
{
	struct completing c = { .to = ret, .before = "" };
	struct dcall call = { .argc = 0 };
	const char *stage = line, *word = line, *colons;
	char *before = NULL;

	for (const char *p = line; *p; p++) {
		if (*p == '|')
			stage = p + 1;
		if (*p == '|' || *p == ' ' || *p == '\t')
			word = p + 1;
	}
	address_of(s, stage, &call);
	stage = strstr(stage, "::");
	colons = strstr(word, "::");
	if (colons) { /* a command, perhaps on an address */
		before = strndup(word, (size_t)(colons + 2 - word));
		if (!before)
			return -ENOMEM;
		c.before = before;
		c.word = colons + 2;
		for (size_t i = 0; shell_dcmd_at(s, i); i++)
			offer(&c, shell_dcmd_at(s, i)->name);
	} else if (!stage && *word) { /* an address that was seen, the last ones first */
		c.word = word;
		for (size_t i = 0; i < s->seen.n; i++) {
			char text[24];

			snprintf(text, sizeof(text), "%llx",
				 (unsigned long long)s->seen.v[(s->nseen - 1 - i) % s->seen.n]);
			offer(&c, text);
		}
	} else if (stage && stage < word) {
		c.word = word;
		offer_words(s, &c, &call, stage, (size_t)(word - stage));
	}
	free(before);
	return c.r;
}

void complete_done(complete_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	vec_free(w);
}
