/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the commands of the debugger, by file: inside of core/. */
#ifndef DWELL_CORE_CMDS_H
#define DWELL_CORE_CMDS_H
#include "core/shell.h"

int dcmd_array(struct shell *s, const struct dcall *d);
int dcmd_dcmds(struct shell *s, const struct dcall *d);
int dcmd_dis(struct shell *s, const struct dcall *d);
int dcmd_findjsobjects(struct shell *s, const struct dcall *d);
int dcmd_heapsnapshot(struct shell *s, const struct dcall *d);
int dcmd_help(struct shell *s, const struct dcall *d);
int dcmd_jspath(struct shell *s, const struct dcall *d);
int dcmd_jsprint(struct shell *s, const struct dcall *d);
void complete_jsprint(struct shell *s, const struct dcall *d, const char *word, shell_offer *offer, void *to);
int dcmd_jsarray(struct shell *s, const struct dcall *d);
int dcmd_jsclosure(struct shell *s, const struct dcall *d);
int dcmd_jsconstructor(struct shell *s, const struct dcall *d);
int dcmd_jsdominators(struct shell *s, const struct dcall *d);
int dcmd_jsfolded(struct shell *s, const struct dcall *d);
int dcmd_jsframe(struct shell *s, const struct dcall *d);
int dcmd_jsfunctions(struct shell *s, const struct dcall *d);
int dcmd_jsproperties(struct shell *s, const struct dcall *d);
int dcmd_jsretained(struct shell *s, const struct dcall *d);
int dcmd_jsroots(struct shell *s, const struct dcall *d);
int dcmd_jssource(struct shell *s, const struct dcall *d);
int dcmd_jsstack(struct shell *s, const struct dcall *d);
int dcmd_jstack(struct shell *s, const struct dcall *d);
int dcmd_list(struct shell *s, const struct dcall *d);
int dcmd_jsstrings(struct shell *s, const struct dcall *d);
int dcmd_mappings(struct shell *s, const struct dcall *d);
int dcmd_nm(struct shell *s, const struct dcall *d);
int dcmd_nodebuffer(struct shell *s, const struct dcall *d);
int dcmd_offsetof(struct shell *s, const struct dcall *d);
int dcmd_print(struct shell *s, const struct dcall *d);
int dcmd_pystack(struct shell *s, const struct dcall *d);
int dcmd_ps(struct shell *s, const struct dcall *d);
int dcmd_sizeof(struct shell *s, const struct dcall *d);
int dcmd_stack(struct shell *s, const struct dcall *d);
int dcmd_stacks(struct shell *s, const struct dcall *d);
int dcmd_status(struct shell *s, const struct dcall *d);
int dcmd_threads(struct shell *s, const struct dcall *d);
int dcmd_typedef(struct shell *s, const struct dcall *d);
int dcmd_walk(struct shell *s, const struct dcall *d);
int dcmd_walkers(struct shell *s, const struct dcall *d);
int dcmd_whatis(struct shell *s, const struct dcall *d);

int walk_cgroups(struct shell *s, const struct dcall *d);
int walk_files(struct shell *s, const struct dcall *d);
int walk_mappings(struct shell *s, const struct dcall *d);
int walk_modules(struct shell *s, const struct dcall *d);
int walk_mounts(struct shell *s, const struct dcall *d);
int walk_sockets(struct shell *s, const struct dcall *d);
int walk_tasks(struct shell *s, const struct dcall *d);
int walk_threads(struct shell *s, const struct dcall *d);
int walk_vmas(struct shell *s, const struct dcall *d);
#endif
