/* SPDX-License-Identifier: Apache-2.0 */
/* Probes that are found while the program runs, in files that were not there when it was compiled. A description
 * that may match later probes gets a probe.later besides those that it matches now. Its clause is checked and
 * compiled for that one as well. So records, variables and maps are settled, and all errors reported, before
 * anything is traced. For a probe that is found later, the clauses are compiled anew as they are. */
#ifndef DWELL_LANG_LATER_H
#define DWELL_LANG_LATER_H
#include "lang/dprog.h"

#define LATER_MAX_NAME 63u	 /* bytes of the provider and name of a probe that is found later … */
#define LATER_MAX_FUNC 127u	 /* … and of its module and function: classes of Java have long names */
#define LATER_MAX_PROGS 1024u	 /* BPF programs that may be added to a running session */
#define LATER_ARG_TYPE "int64_t" /* of args[n] where no probe is known yet */

/* Does the clause wait for further probes? */
bool later_is(const struct clause_instance *s);
/* Does the clause read args[] (not only arg0 …)? */
bool later_wants_args(const struct clause_instance *s);
/* Why p cannot be a probe of the clause: the names or types of its arguments do not fit. NULL: it can be. */
const char *later_misfit(struct arena *a, const struct dprog *p, const struct clause_instance *s, struct probe *found);
/* The program with no other probes than found[epid - 1], and the parts of clauses that do not depend on probes. In the
 * arena; it shares its trees with p. */
const struct dprog *later_program(struct arena *a, const struct dprog *p, const struct probe_list *found);
#endif
