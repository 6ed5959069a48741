/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a text and collects its errors for the editor. */
#include "lsp/dlang.h"
#include <string.h>
#include "base/cleanup.h"
#include "lsp/complete.h"
#include "lsp/job.h"
#include "lsp/find.h"

#define SAID_LEN 1200 /* of a message with its hint */

static size_t check(void *ctx, struct arena *a, const char *name, const char *text, const struct lsp_diag **ret)
{
	static const enum lsp_severity severities[] = {
		[SEV_NOTE] = LSP_INFORMATION, [SEV_WARNING] = LSP_WARNING, [SEV_ERROR] = LSP_ERROR
	};
	struct lsp_diag *v = arena_new_arr(a, struct lsp_diag, JOB_DIAGS_MAX + 1);
	struct job j;
	size_t n = 0;
	bool errors = false;

	(void)ctx;
	job_run(&j, name, text);
	for (size_t i = 0; i < j.ndiags; i++) {
		const struct diag *g = j.diags[i];
		bool own = job_is_own(&j, g->at);

		errors |= g->sev == SEV_ERROR;
		v[n++] = (struct lsp_diag){ .off = own ? g->at.off : 0,
					    .len = own ? g->at.len : 0,
					    .severity = severities[g->sev],
					    .tag = arena_strdup(a, g->tag),
					    .text = arena_printf(a, g->hint ? "%.*s\nhint: %.*s" : "%.*s", SAID_LEN / 2,
								 g->msg, SAID_LEN / 2, g->hint ? g->hint : "") };
	}
	if (!errors && !j.w.prog && j.reason[0] && j.opened == false) /* no types of the kernel, and the like */
		v[n++] = (struct lsp_diag){ .severity = LSP_WARNING, .tag = "", .text = arena_strdup(a, j.reason) };
	job_done(&j);
	*ret = v;
	return n;
}

const struct lsp_language dlang = {
	.check = check, .complete = dlang_complete, .hover = dlang_hover, .define = dlang_define
};
