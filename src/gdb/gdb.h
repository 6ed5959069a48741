/* SPDX-License-Identifier: Apache-2.0 */
/* Serves a recording of `dwell rec` to gdb by its remote serial protocol, forwards and backwards. */
#ifndef DWELL_GDB_GDB_H
#define DWELL_GDB_GDB_H
#include "base/err.h"

struct gdb_opts {
	const char *trace;
	const char *where; /* a port of this machine (127.0.0.1), "0": any; the path of a socket; "-": standard input
			      and output */
	void (*note)(const char *text); /* where gdb finds it, what happens */
};
/* Waits for one gdb and serves it until it leaves. 0, or -errno after an error. */
int gdb_serve(const struct gdb_opts *o, struct err *e);
#endif
