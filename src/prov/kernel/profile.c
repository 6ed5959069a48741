/* SPDX-License-Identifier: Apache-2.0 */
/* Provider profile: profile-N fires on every CPU, tick-N on one, N times per second or every N units.
 * A few are listed; any other rate within the limits exists when it is named.
 * Source: DTrace guide, "profile Provider". */
#include <fcntl.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "prov/kernel/timer.h"

#define PERIOD_MIN_NS 200000ull /* 5000 Hz */
#define ID_VALUES 10000
#define ONLINE_FILE "/sys/devices/system/cpu/online"

static const char *const listed[] = {
	"profile-97", "profile-199", "profile-499", "profile-997", "profile-1999", "profile-4001", "profile-4999",
	"tick-1",     "tick-10",     "tick-100",    "tick-500",	   "tick-1000",	   "tick-5000",	   NULL,
};

enum { KIND_PROFILE, KIND_TICK };

static const struct timer_family family = {
	.prov = "profile",
	.kinds = { [KIND_PROFILE] = "profile-", [KIND_TICK] = "tick-" },
	.min_ns = PERIOD_MIN_NS,
	.too_fast = "profile and tick fire at most 5000 times per second: the interval must be 200 "
		    "microseconds or more",
	.too_long = "the interval of the profile or tick probe is too long",
	.bad_number = "profile and tick take a positive number and one of the units hz, ns, us, ms, s, m, h, d",
	.listed = listed,
	.id_base = PROV_ID_PROFILE,
	.id_count = PROV_N_PROFILE,
	.id_values = ID_VALUES,
};
_Static_assert(PROV_N_PROFILE > ID_VALUES * NUM_UNITS * TIMER_MAX_KINDS, "the packed ids fill the range");

static int profile_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			 const char **reason)
{
	return timer_match(env, a, d, &family, out, reason);
}

static int profile_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	return timer_by_id(env, a, id, &family, ret);
}

/* DTrace does not type them. */
static int profile_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	(void)env;
	(void)a;
	p->args_known = true;
	return 0;
}

/* tick-n fires on one CPU: the first that is online. */
static int first_online_cpu(void)
{
	_cleanup_close_ int fd = open(ONLINE_FILE, O_RDONLY | O_CLOEXEC);
	char buf[16] = "";

	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) <= 0)
		return 0;
	return atoi(buf);
}

static int profile_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
			 const char **reason)
{
	const struct timer *t = p->priv;
	bool every_cpu = t->kind == KIND_PROFILE;

	(void)env;
	(void)a;
	(void)reason;
	*ret = (struct entry){
		.kind = ENTRY_PERF_EVENT,
		.target = every_cpu ? "profile" : "tick",
		.period_ns = t->period_ns,
		.cpu = every_cpu ? -1 : first_online_cpu(),
		.nargs = 2,
		.args = { { .kind = ARG_PC_KERNEL }, { .kind = ARG_PC_USER } },
	};
	return 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.id_base = PROV_ID_PROFILE,
	.id_count = PROV_N_PROFILE,
	.match = profile_match,
	.by_id = profile_by_id,
	.args = profile_args,
	.entry = profile_entry,
};
