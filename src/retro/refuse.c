/* SPDX-License-Identifier: Apache-2.0 */
#include "retro/refuse.h"
#include <string.h>
#include "base/cleanup.h"
#include "lang/errtag.h"
#include "prov/provider.h"

#define TAG "D_NOT_RECORDED"
#define HAS "a recording has system calls, their times and results, names and numbers of processes, and paths"

struct search {
	struct diags *d;
	const struct clause_instance *in;
};

static bool is_known(enum bi_id id)
{
	static const enum bi_id known[] = {
#define KNOWN(id) BI_##id,
#include "retro/known.def"
#undef KNOWN
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i] == id)
			return true;
	return false;
}

static const char *reason(enum bi_id id)
{
	switch (id) {
	case BI_VTIMESTAMP: return "it has no CPU times";
	case BI_STACK:
	case BI_CALLER:
	case BI_STACKDEPTH: return "it has nothing of the kernel";
	case BI_UCALLER:
	case BI_USTACKDEPTH: return "ustack() is the only stack that a recording has";
	case BI_CPU:
	case BI_CURCPU: return "one CPU was used for all of the program";
	case BI_CURTHREAD: return "it has nothing of the kernel";
	default: return "it has not been kept";
	}
}

static bool look(void *ctx, const struct node *n)
{
	struct search *s = ctx;
	struct span at = n->at.src ? n->at : s->in->at;

	if (n->kind == N_KSYM)
		diag_hint(s->d,
			  diag_error(s->d, at, TAG,
				     "%s cannot be answered from a recording: it has nothing of the kernel",
				     n->name ? n->name : "a variable of the kernel"),
			  HAS);
	if (n->builtin && !is_known(n->builtin->id))
		diag_hint(s->d,
			  diag_error(s->d, at, TAG, "%s%s cannot be answered from a recording: %s", n->builtin->name,
				     n->builtin->kind == BIK_VAR ? "" : "( )", reason(n->builtin->id)),
			  HAS);
	return false;
}

static bool is_answered(const struct probe *p)
{
	const struct provider *v = p->provider;

	if (v && v->of_processes)
		return true;
	return !strcmp(p->prov, "syscall") || !strcmp(p->prov, "dtrace") ||
	       (!strcmp(p->prov, "profile") && (!strncmp(p->name, "tick-", 5) || !strncmp(p->name, "profile-", 8)));
}

static const char *why_not(const struct probe *p)
{
	return strcmp(p->prov, "profile") ? "it has nothing of the kernel but system calls"
					  : "it has no clock but that of system calls";
}

void refuse_unknown(const struct dprog *p, struct diags *d)
{
	struct search s = { .d = d };
	const struct walk w = { .node = look, .ctx = &s };

	for (const struct clause_instance *i = p->instances; i; i = i->next) {
		s.in = i;
		for (size_t k = 0; k < i->probes.n; k++)
			if (!is_answered(i->probes.v[k]) || i->event) {
				diag_hint(
					d,
					diag_error(d, i->at, TAG, "%s:%s:%s:%s cannot be answered from a recording: %s",
						   i->probes.v[k]->prov, i->probes.v[k]->mod, i->probes.v[k]->func,
						   i->probes.v[k]->name, why_not(i->probes.v[k])),
					"syscall, pid and static probes of programs, tick-n, profile-n, BEGIN, END and ERROR can");
				break;
			}
		walk_node(&w, i->pred);
		walk_stmts(&w, i->body);
	}
}
