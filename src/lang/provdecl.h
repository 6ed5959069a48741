/* SPDX-License-Identifier: Apache-2.0 */
/* Providers that a D text declares: `provider p { probe n(args) : (mapped args); };`. They define no probes:
 * they say what the arguments of the static probes of programs are (USDT). */
#ifndef DWELL_LANG_PROVDECL_H
#define DWELL_LANG_PROVDECL_H
#include "lang/dprog.h"

#define PROVDECL_NAME_MAX 63   /* bytes of a provider's name, as in DTrace */
#define PROVDECL_PROBE_MAX 127 /* bytes of a probe's name */
#define PROVDECL_MAX_ARGS 255  /* of either list */

struct dprovprobe {
	const char *name;	   /* "-" for "__" of the text */
	const struct dtype **args; /* what the program passes */
	unsigned nargs;
	const struct dtype **xargs; /* args[] as D sees them; the same when there was no second list */
	uint8_t *map;		    /* xargs[i] is made of args[map[i]] */
	unsigned nxargs;
	struct span at;
	struct dprovprobe *next;
};

struct dprovider {
	const char *name; /* without the process id */
	struct dprovprobe *probes;
	struct span at;
	struct dprovider *next;
};

/* The declared probe of a provider ("myapp" or "myapp1234"), or NULL. */
const struct dprovprobe *provdecl_find(const struct dprog *p, const char *prov, const char *probe);
#endif
