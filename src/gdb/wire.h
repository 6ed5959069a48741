/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of gdb's remote serial protocol: $data#sum, and + or - for each. Source: GDB manual, "Remote Protocol". */
#ifndef DWELL_GDB_WIRE_H
#define DWELL_GDB_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define WIRE_MAX 16384u /* bytes of a packet */

struct wire {
	int in, out;
	bool quiet; /* no + and - any more */
	uint8_t buf[4096];
	size_t at, n; /* of buf */
};
/* Waits for a connection; where, note: gdb.h. 0, or -errno after an error. */
int wire_open(struct wire *w, const char *where, void (*note)(const char *text), struct err *e);
void wire_close(struct wire *w);
/* The next packet, and a NUL. Its length, or -errno: gdb has gone. */
int wire_get(struct wire *w, char buf[WIRE_MAX + 1]);
int wire_send(struct wire *w, const char *bytes, size_t n); /* 0 or -errno */
int wire_text(struct wire *w, const char *text);
bool wire_stop(struct wire *w); /* has gdb asked to stop (Ctrl-C), or gone? */
/* Two digits a byte; no NUL is needed, one is added. ret has 2 n + 1 bytes. */
void wire_hex(char *ret, const void *bytes, size_t n);
#endif
