/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the types that programs are compiled with: the kernel's own, or of a file. */
#ifndef DWELL_ENGINE_FRONT_BTFFILE_H
#define DWELL_ENGINE_FRONT_BTFFILE_H
#include "base/err.h"
#include "types/caps.h"
#include "types/typesrc.h"

/* path: "" the kernel's own. The kernel does not know the ids of types in a file, so caps lose the features that need
 * them. -ENOENT: the kernel has no types. -EINVAL: the file is of another kernel. Else -errno; err has the words. */
int btffile_open(const char *path, struct caps *caps, struct typesrc **ret, struct err *err);
#endif
