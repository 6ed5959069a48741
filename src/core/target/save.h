/* SPDX-License-Identifier: Apache-2.0 */
/* Saves the memory of a process, or a core file that comes through a pipe, as a packed core file
 * (core/target/packed.h). */
#ifndef DWELL_CORE_TARGET_SAVE_H
#define DWELL_CORE_TARGET_SAVE_H
#include <stdint.h>
#include "core/target.h"

struct save_said {
	uint64_t memory;     /* bytes of the core, unpacked */
	uint64_t bytes;	     /* of the file */
	uint64_t unreadable; /* bytes that could not be read: they are 0 in the core */
	uint64_t stopped_ns; /* how long the process stood still */
};

/* Keeps things out of a core. */
struct save_filter {
	/* Decides which words stay, while the process stands still; it may change its registers and arguments. */
	int (*plan)(struct save_filter *f, struct core *c, struct err *err);
	/* Blanks the rest of n bytes, whole words, at an address. */
	void (*apply)(struct save_filter *f, uint64_t addr, uint8_t *buf, size_t n);
};

/* Writes the new file `path`, for its owner alone: complete, or not at all. filter: or NULL. -EEXIST: there is one of
 * that name. */
int core_save_process(pid_t pid, const char *path, struct save_filter *filter, struct save_said *ret, struct err *err);
/* The same into a file without a name, in $TMPDIR or /tmp, which is gone when it is closed. Its descriptor, or -errno.
 */
int core_save_nameless(pid_t pid, struct save_said *ret, struct err *err);
/* The same of a core file that is read from fd to its end, as the kernel gives it to a program (core_pattern). */
int core_save_pipe(int fd, const char *path, struct save_said *ret, struct err *err);
#endif
