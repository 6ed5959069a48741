/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why the kernel refuses what a tracer needs, and what would help: one text for each facility, from the
 * state of this process and this machine. All messages about missing facilities come from here, those of `dwell
 * features` included. */
#ifndef DWELL_LOAD_REASONS_H
#define DWELL_LOAD_REASONS_H
#include <stdbool.h>

#define REASON_MAX 512

/* A part of a sentence without a full stop; cut where it has no room. */
struct reason {
	char text[REASON_MAX];
};

/* bpf(2) said code, for a program or a map: capabilities, user namespaces, filters of system calls. */
const char *reason_bpf(int code, struct reason *ret);
/* perf_event_open(2) said code: kernel.perf_event_paranoid by its value. Source: kernel/events/core.c,
 * perf_allow_cpu(); Debian and Ubuntu have values above 2, which want CAP_SYS_ADMIN in place of CAP_PERFMON. */
const char *reason_perf(int code, struct reason *ret);
/* Does kernel.perf_event_paranoid demand CAP_SYS_ADMIN for perf_event_open(2)? */
bool reason_perf_wants_admin(void);
/* Words for an error code of reading tracefs. */
const char *reason_tracefs(int code, struct reason *ret);
/* The kernel's type information cannot be read. */
const char *reason_types(struct reason *ret);
/* Programs may not read the kernel's memory: kernel lockdown, by its mode where that can be told. */
const char *reason_lockdown(struct reason *ret);
/* " (…: /proc is not mounted)" where a file of /proc was not found and that is why; else "". */
const char *reason_proc(void);

/* Is a capability (CAP_* of linux/capability.h) in effect? */
bool reason_has_cap(unsigned cap);
#endif
