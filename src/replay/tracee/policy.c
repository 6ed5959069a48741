/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/tracee/policy.h"
#include <asm/ioctls.h>
#include <asm/unistd.h>
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <stdio.h>
#include "base/cleanup.h"

#define RESULT(name) [__NR_##name] = { POLICY_RESULT, 0 },
#define MAP(name) [__NR_##name] = { POLICY_MAP, 0 },
#define TASK(name) [__NR_##name] = { POLICY_TASK, 0 },
#define OWN(name) [__NR_##name] = { POLICY_OWN, 0 },
#define DENY(name, error) [__NR_##name] = { POLICY_DENY, error },
static const struct policy policies[CALL_NR_MAX] = {
#include "replay/tracee/policy.def"
};
#undef RESULT
#undef MAP
#undef OWN
#undef TASK
#undef DENY

struct policy policy_of(uint64_t nr)
{
	const struct policy none = { POLICY_NONE, 0 };

	return nr < CALL_NR_MAX && call_by_nr((uint32_t)nr) ? policies[nr] : none;
}

const struct call_desc *policy_call(uint64_t nr)
{
	static const struct call_desc none = { .nr = UINT32_MAX, .name = "" };
	const struct call_desc *c = nr < CALL_NR_MAX ? call_by_nr((uint32_t)nr) : NULL;

	return c ? c : &none;
}

const char *policy_name(uint64_t nr, char buf[32])
{
	const struct call_desc *c = policy_call(nr);

	if (*c->name)
		return c->name;
	snprintf(buf, 32, "number %lld", (long long)nr);
	return buf;
}

int policy_ioctl(uint64_t request)
{
	static const struct {
		uint64_t request;
		int out;
	} known[] = {
#define IOCTL(request, out) { request, out },
#include "replay/tracee/ioctl.def"
#undef IOCTL
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].request == (uint32_t)request)
			return known[i].out;
	return IOCTL_UNKNOWN;
}
