/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the named parameters that were given with those that the programs declare. */
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/strb.h"
#include "engine/front/compile.h"

static bool told_option(const struct request *c, const char *name)
{
	struct near near;

	near_init(&near, name);
	if (c->near_options)
		c->near_options(&near, true);
	if (!near.best || strcmp(near.best, name) != 0)
		return false;
	listener_msg(&c->to, "--%s is an option of tools ('%s run NAME'); of a program it is -x %s=…", name, c->name,
		     name);
	return true;
}

static void tell_unknown(const struct request *c, const char *name)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct near near;

	if (told_option(c, name))
		return;
	near_init(&near, name);
	for (const struct param *p = c->params.first; p; p = p->next) {
		near_try(&near, p->name);
		strb_printf(&b, "%s --%s", b.n ? "," : "", p->name);
	}
	if (c->near_options) {
		c->near_options(&near, false);
		c->near_options(&near, true);
	}
	if (near.best)
		listener_msg(&c->to, "no such parameter or option: --%s; did you mean --%s?", name, near.best);
	else if (b.n)
		listener_msg(&c->to, "no such parameter or option: --%s; the parameters are%s", name, strb_str(&b));
	else
		listener_msg(&c->to, "no such parameter or option: --%s; the program declares no parameters", name);
}

int params_check(const struct request *c)
{
	bool unknown = false, missing = false;

	for (size_t i = 0; i < c->given.n; i++)
		if (!c->given.v[i].known) {
			tell_unknown(c, c->given.v[i].name);
			unknown = true;
		}
	for (const struct param *p = c->params.first; p; p = p->next)
		if (!p->value) {
			listener_msg(&c->to, "parameter --%s must be given: %s", p->name, p->help);
			missing = true;
		}
	return unknown || missing ? LISTENER_WRONG : 0;
}
