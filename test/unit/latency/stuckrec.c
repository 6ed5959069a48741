/* SPDX-License-Identifier: Apache-2.0 */
#include "../latency/stuckrec.h"
#include <string.h>

struct stuckrec stuckrec;
struct recfield stuckrec_fields[STUCKREC_NFIELDS];
struct recact stuckrec_acts[STUCKREC_NFIELDS];
struct recfmt stuckrec_fmt;

void stuckrec_init(void)
{
	uint32_t off = sizeof(stuckrec.hdr);

	memset(&stuckrec, 0, sizeof(stuckrec));
	stuckrec_fmt = (struct recfmt){
		.epid = 1, .size = sizeof(stuckrec), .acts = stuckrec_acts, .nacts = STUCKREC_NFIELDS
	};
	for (unsigned i = 0; i < STUCKREC_NFIELDS; i++) {
		struct recfield *f = &stuckrec_fields[i];
		bool text = i == R_NAME || i == R_PROCESS || i == R_HOLDER_NAME || i == R_CONTAINER;

		*f = (struct recfield){ .kind = text ? FLD_STRING : FLD_INT, .off = off, .size = text ? 16 : 8 };
		if (i == R_STACK)
			*f = (struct recfield){ FLD_STACK, off, STUCKREC_FRAMES * 8, .nframes = STUCKREC_FRAMES };
		if (i == R_USTACK)
			*f = (struct recfield){ FLD_USTACK, off, sizeof(struct rec_ustack_hdr) + STUCKREC_FRAMES * 8,
						.nframes = STUCKREC_FRAMES };
		stuckrec_acts[i] = (struct recact){ .kind = ACT_TRACE, .fields = f, .nfields = 1 };
		off += f->size;
	}
}

void stuckrec_put(enum stuckrec_field f, uint64_t v)
{
	memcpy((char *)&stuckrec + stuckrec_fields[f].off, &v, sizeof(v));
}

void stuckrec_text(enum stuckrec_field f, const char *s)
{
	memcpy((char *)&stuckrec + stuckrec_fields[f].off, s, strlen(s));
}
