/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the named parameters that were given with those that the programs declare. */
#include "base/cleanup.h"
#include "base/strb.h"
#include "engine/front/compile.h"

static void list_names(const struct request *c)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const struct param *p = c->params.first;

	if (!p) {
		listener_msg(&c->to, "the program declares no parameters: #pragma D param");
		return;
	}
	for (; p; p = p->next)
		strb_printf(&b, " --%s%s", p->name, p->next ? "," : "");
	listener_msg(&c->to, "its parameters are%s", strb_str(&b));
}

int params_check(const struct request *c)
{
	bool unknown = false, missing = false;

	for (size_t i = 0; i < c->given.n; i++)
		if (!c->given.v[i].known) {
			listener_msg(&c->to, "no such parameter or option: --%s", c->given.v[i].name);
			unknown = true;
		}
	for (const struct param *p = c->params.first; p; p = p->next)
		if (!p->value) {
			listener_msg(&c->to, "parameter --%s must be given: %s", p->name, p->help);
			missing = true;
		}
	if (unknown)
		list_names(c);
	return unknown || missing ? LISTENER_WRONG : 0;
}
