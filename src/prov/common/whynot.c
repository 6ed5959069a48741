/* SPDX-License-Identifier: Apache-2.0 */
/* Says why a provider that DTrace has is not here: what the kernel refuses, or what dwell does not
 * have yet, and what would work instead. */
#include <string.h>
#include "base/cleanup.h"
#include "load/probe_caps.h"
#include "prov/prov_int.h"

enum needs { NEEDS_NOTHING, NEEDS_FBT };

static const struct missing {
	const char *prov; /* glob */
	const char *text;
	enum needs needs;
} missing[] = {
	{ "fbt", "provider fbt is not in dwell yet; sdt:::NAME has the kernel's tracepoints", NEEDS_FBT },
	{ "rawfbt", "provider rawfbt is not in dwell yet; sdt:::NAME has the kernel's tracepoints", NEEDS_FBT },
};

const char *whynot_provider(struct prov_env *env, const char *prov)
{
	struct arena *a = env->cache->arena;
	char fentry[CAPS_REASON_MAX], kprobe[CAPS_REASON_MAX];

	if (!pdesc_is_exact(prov))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!pdesc_glob(missing[i].prov, prov))
			continue;
		if (missing[i].needs != NEEDS_FBT)
			return missing[i].text;
		if (caps_try_fentry(env->ts, fentry, sizeof(fentry)) || caps_try_kprobe(kprobe, sizeof(kprobe)))
			return missing[i].text;
		return arena_printf(a, "%s; here it would not work either: fentry: %s; kprobes: %s", missing[i].text,
				    fentry, kprobe);
	}
	return NULL;
}
