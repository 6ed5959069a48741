/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of a script, see lang/param.h. */
#include "lang/param.h"
#include <errno.h>
#include <string.h>
#include "lang/syntax/lex.h"

struct param *param_find(const struct params *ps, const char *name, size_t n)
{
	struct param *p;

	for (p = ps ? ps->first : NULL; p; p = p->next)
		if (strlen(p->name) == n && !memcmp(p->name, name, n))
			return p;
	return NULL;
}

static bool is_integer(const char *s)
{
	const char *suffix;
	uint64_t v;
	char bad;

	s += *s == '-' || *s == '+';
	return lex_parse_int(s, strlen(s), &v, &suffix, &bad) == 0;
}

int param_add(struct params *ps, struct param *p)
{
	const struct param *old = param_find(ps, p->name, strlen(p->name));
	struct param **tail = &ps->first;

	if (old)
		return old->at.src == p->at.src && old->at.off == p->at.off ? 0 : -EEXIST;
	p->value = p->def;
	for (size_t i = 0; i < ps->ngiven; i++)
		if (!strcmp(ps->given[i].name, p->name)) {
			ps->given[i].known = true;
			p->value = ps->given[i].value;
		}
	while (*tail)
		tail = &(*tail)->next;
	*tail = p;
	return p->value && !p->is_string && !is_integer(p->value) ? -EINVAL : 0;
}
