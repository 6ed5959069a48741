/* SPDX-License-Identifier: Apache-2.0 */
#include "base/release.h"
#include <stdio.h>
#include <sys/utsname.h>

bool release_since(const char *version)
{
	unsigned have[2] = { 0 }, want[2] = { 0 };
	struct utsname u;

	if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &have[0], &have[1]) != 2 ||
	    sscanf(version, "%u.%u", &want[0], &want[1]) != 2)
		return false;
	return have[0] > want[0] || (have[0] == want[0] && have[1] >= want[1]);
}
