/* SPDX-License-Identifier: Apache-2.0 */
/* Provider signal: the probes signal-… of provider proc under names of their own.
 * Source: include/trace/events/signal.h; results 0 delivered, 1 ignored, 2 already pending, 3 and 4 no
 * memory for its information. */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

#define SENT \
	.args = { { "struct task_struct *", "task", "task", false }, \
		  { "int", "sig", "sig", false }, \
		  { "int", "result", "result", false } }, \
	.xargs = { { "lwpsinfo_t *", 0, NULL }, { "psinfo_t *", 0, NULL }, { NULL, 1, NULL }, { NULL, 2, NULL } }, \
	.nxargs = 4

static const struct stable_row signal_rows[] = {
	{ .name = "discard", .tp = "signal_generate", .cond = "result == 1", SENT },
	{ .name = "handle",
	  .tp = "signal_deliver",
	  .args = { { "int", DELIVERED_SIG, "sig", false },
		    { "siginfo_t *", "info", "info", false },
		    { "uintptr_t", "(uintptr_t)ka->sa.sa_handler", "handler", false } } },
	{ .name = "lost", .tp = "signal_generate", .cond = "result == 2 || result == 3", SENT },
	{ .name = "send", .tp = "signal_generate", .cond = "result == 0 || result == 4", SENT },
};

STABLE_PROVIDER(signal, SIGNAL);
