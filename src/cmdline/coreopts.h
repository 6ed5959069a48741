/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `dwell core`. */
#ifndef DWELL_CMDLINE_COREOPTS_H
#define DWELL_CMDLINE_COREOPTS_H
#include "cmdline/optable.h"

#define COREOPTS_COMMANDS 256u /* -c */
#define COREOPTS_MODULES 64u   /* --module */

struct core_opts {
	const char *pid, *save, *commands[COREOPTS_COMMANDS], *modules[COREOPTS_MODULES];
	size_t n, nmodules;
	bool json, no_stop, stop, copy, kernel, redact, index, force;
};

/* These rows fill a struct core_opts. Its texts point into the command line. */
extern const struct optable coreopts;
#endif
