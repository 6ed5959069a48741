/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of language runtimes in user stacks. A frame is one word, as the address of a native frame is. User addresses
 * never have the top bit. Kernel addresses have the bit below it, too:
 *
 *     63    62    61 … 1                                          0
 *     1     0     what the process's runtime makes of it          1
 *
 * A process has one runtime. The header of that runtime defines the bits in the middle (base/pyfmt.h,
 * base/v8fmt.h, base/hotspotfmt.h).
 * The lowest bit means nothing: views look up the byte before a return address.
 */
#ifndef DWELL_BASE_RTFMT_H
#define DWELL_BASE_RTFMT_H
#include <stdbool.h>
#include <stdint.h>

/* In the order of their maps in an image (IMG_MAP_PY_PROCS and what follows). */
enum runtime {
	RUNTIME_PYTHON,
	RUNTIME_V8,
	RUNTIME_HOTSPOT,
	RUNTIME_GO, /* its frames are native ones */
	RUNTIMES
};

#define RT_INLINED_INTO " \xe2\x86\x90 " /* between the functions of one frame; no name has the arrow */
#define RT_FRAME_BIT (UINT64_C(1) << 63)
#define RT_FRAME_SET (RT_FRAME_BIT | 1) /* in each frame */

static inline bool rt_is_frame(uint64_t pc)
{
	return pc >> 62 == 2;
}
#endif
