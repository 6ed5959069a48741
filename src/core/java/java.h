/* SPDX-License-Identifier: Apache-2.0 */
/* HotSpot in a target: the frames of its threads. All that is read may be hostile. */
#ifndef DWELL_CORE_JAVA_JAVA_H
#define DWELL_CORE_JAVA_JAVA_H
#include "core/target.h"
#include "runtime/hotspot/hotspot.h"

#define JAVAVIEW_MAX_FRAME \
	8192u /* bytes of a frame of compiled code, or between two interpreted ones: as in the kernel */

struct javaview {
	struct core *core;
	struct rt_mem mem;
	struct hs_layout layout;
	struct hs_proc walk;
};

/* -ENOENT: there is no JVM; -ENOTSUP: of a version that is not known, or it does not say enough; -ENODATA: the core
 * does not have what it takes. */
int javaview_open(struct core *c, struct javaview *ret, struct err *err);

struct javaview_frame {
	struct core_frame at;
	uint64_t word; /* as base/hotspotfmt.h has it; 0: native */
};
typedef VEC(struct javaview_frame) javaview_frames;
/* Frames of a thread, innermost first, max at most. *reason as of core_walk(). 0 or -ENOMEM. */
int javaview_walk(const struct javaview *v, const uint64_t regs[CORE_NREGS], unsigned max, javaview_frames *ret,
		  const char **reason);
/* "class.method at file:line", as hs_frame_text(). *tier: what made the code. 0 or -errno. */
int javaview_text(const struct javaview *v, uint64_t word, char *buf, size_t size, enum hs_tier *tier);
#endif
