/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel which counters and frequencies it has. */
#include "live/machine.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"

#define CPUFREQ "/sys/devices/system/cpu/cpu0/cpufreq"

static bool counts(uint64_t config)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .size = sizeof(a),
				     .config = config,
				     .sample_period = INT64_MAX,
				     .disabled = 1 };
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0;
}

static void add(char *b, size_t size, const char *between, const char *text)
{
	size_t n = strlen(b);

	snprintf(b + n, size - n, "%s%s", n ? between : "", text);
}

void live_machine(char *ret, size_t size, char text[LIVE_MACHINE_TEXT])
{
	static const struct {
		const char *name;
		uint64_t config;
	} counters[] = { { "cycles", PERF_COUNT_HW_CPU_CYCLES }, { "instructions", PERF_COUNT_HW_INSTRUCTIONS } };
	bool frequency = access(CPUFREQ, F_OK) == 0;
	char have[64] = "", lack[64] = "", program[64];

	ret[0] = '\0';
	if (frequency)
		add(ret, size, " ", "timeline/frequency");
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		bool is = counts(counters[i].config);

		add(is ? have : lack, sizeof(have), ", ", counters[i].name);
		snprintf(program, sizeof(program), "timeline/%s", counters[i].name);
		if (is)
			add(ret, size, " ", program);
	}
	snprintf(text, LIVE_MACHINE_TEXT, "BEGIN { printf(\"CPU counters: %s%s%s%s; CPU frequency: %s\\n\"); }\n",
		 have[0] ? have : "none",
		 lack[0] ? " (the performance monitoring unit, if there is one, does not count " : "", lack,
		 lack[0] ? ")" : "", frequency ? "its changes" : "none (the kernel does not set it)");
}
