/* SPDX-License-Identifier: Apache-2.0 */
/* Adds probes while the session runs:
 *
 * - functions of kernel modules that are loaded (run/follow/modwatch.h)
 * - methods of classes that JVMs load, and of JVMs that begin (run/follow/jvmwatch.h)
 * - static probes in files that processes map: the notes of each new file are read (run/follow/latewatch.h)
 *
 * The clauses with matching descriptions are compiled for the new probes (lang/later.h), loaded with the session's maps
 * (load_more()) and attached. The thread that maps the file or loads the class waits meanwhile. It is probed from its
 * first instruction on, if dwell stopped it in time. */
#ifndef DWELL_RUN_SESSION_DYNAMIC_PROBES_H
#define DWELL_RUN_SESSION_DYNAMIC_PROBES_H
#include <stddef.h>
#include <stdint.h>

struct session;
struct dynprobes;

#define DYNPROBES_MAX_FILES 256u      /* and modules, with probes that were added */
#define DYNPROBES_SHARE_NS 250000000u /* of a CPU's second that may go into looking and adding */

/* NULL: no description of the program waits for probes. Events count from now on. */
int dynprobes_new(struct session *s, struct dynprobes **ret);
void dynprobes_free(struct dynprobes *l); /* accepts NULL */
/* Begins, once what was there at the start is attached; looks at processes that are younger than dwell itself, too. */
int dynprobes_start(struct dynprobes *l);
/* Readable when dynprobes_drain() is to be called; -1: there is none. */
int dynprobes_fd(const struct dynprobes *l);
int dynprobes_module_fd(const struct dynprobes *l);
int dynprobes_class_fd(const struct dynprobes *l);
int dynprobes_jvm_fd(const struct dynprobes *l);
/* Looks at what was mapped or loaded since the last time. 0 or -errno of the recording. */
int dynprobes_drain(struct dynprobes *l);
/* No more is looked at; nobody waits. */
void dynprobes_stop(struct dynprobes *l);
/* Notes the files, modules and events that were not looked at, after dynprobes_stop(). */
int dynprobes_note_losses(struct dynprobes *l);
#endif
