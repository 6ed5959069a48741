/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the privilege, kernel option or lockdown that forbids something, and writes the reason. */
#include "load/reasons.h"
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/caps_int.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif
/* Source: linux/magic.h */
#define SYSFS_MAGIC_NUMBER 0x62656572
#define PROCFS_MAGIC_NUMBER 0x9fa0
#define TRACEFS_MAGIC_NUMBER 0x74726163

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define PARANOID_MOST 2 /* of the mainline kernel; more are distributions' own */
#define PARANOID_UNKNOWN 1000
#define WHOLE_UIDS 4294967295ul /* of /proc/self/uid_map in the initial user namespace */

bool reason_has_cap(unsigned cap)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &h, d) == 0 && (d[cap / 32].effective >> cap % 32 & 1);
}

static bool is_mounted(const char *path, unsigned long magic)
{
	struct statfs st;

	return statfs(path, &st) == 0 && (unsigned long)st.f_type == magic;
}

static int paranoid(void)
{
	char line[32];

	return cap_read_line(PARANOID, line, sizeof(line)) ? atoi(line) : PARANOID_UNKNOWN;
}

static bool in_user_namespace(void)
{
	unsigned long first, there, n;
	char line[128];

	return cap_read_line("/proc/self/uid_map", line, sizeof(line)) &&
	       sscanf(line, "%lu %lu %lu", &first, &there, &n) == 3 && (first || there || n != WHOLE_UIDS);
}

/* Finds another rule that forbids a system call which the capabilities allow. */
static const char *other_cause(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Seccomp:\t2", 10))
			return "a filter of system calls (seccomp) forbids it, as containers have: start the container without it, "
			       "or run dwell outside";
	return "a security module forbids it";
}

/* Adds the remedy for timers where CAP_BPF and CAP_PERFMON do not suffice. */
static void add_paranoid(char *text, size_t size)
{
	int n = paranoid();

	*text = '\0';
	if (n > PARANOID_MOST && n != PARANOID_UNKNOWN)
		snprintf(text, size,
			 ", and for timers (profile, tick) CAP_SYS_ADMIN or the setting kernel.perf_event_paranoid=%d, "
			 "which is %d here",
			 PARANOID_MOST, n);
}

const char *reason_bpf(int code, struct reason *ret)
{
	bool admin = reason_has_cap(CAP_SYS_ADMIN), bpf = admin || reason_has_cap(CAP_BPF);
	bool perfmon = admin || reason_has_cap(CAP_PERFMON);
	char more[200];

	if (code != -EPERM && code != -EACCES) {
		snprintf(ret->text, sizeof(ret->text), "%s", strerror(-code));
	} else if (in_user_namespace()) {
		snprintf(ret->text, sizeof(ret->text),
			 "this user may not load BPF programs: its rights are those of a user namespace only "
			 "(an unprivileged container?); run dwell outside of it, as root");
	} else if (!bpf || !perfmon) {
		add_paranoid(more, sizeof(more));
		snprintf(ret->text, sizeof(ret->text),
			 "this user may not load BPF programs (%s%s%s missing): be root, or have the "
			 "capabilities CAP_BPF and CAP_PERFMON%s",
			 bpf ? "" : "CAP_BPF", bpf || perfmon ? "" : " and ",
			 perfmon ? " is"
			 : bpf	 ? "CAP_PERFMON is"
				 : "CAP_PERFMON are",
			 more);
	} else {
		snprintf(ret->text, sizeof(ret->text),
			 "bpf(2) is not permitted, although this user has the capabilities: %s", other_cause());
	}
	return ret->text;
}

bool reason_perf_wants_admin(void)
{
	return paranoid() > PARANOID_MOST;
}

const char *reason_perf(int code, struct reason *ret)
{
	bool admin = reason_has_cap(CAP_SYS_ADMIN), perfmon = reason_has_cap(CAP_PERFMON);
	int n = paranoid();

	if (code != -EPERM && code != -EACCES)
		snprintf(ret->text, sizeof(ret->text), "%s", strerror(-code));
	else if (admin || (perfmon && n <= PARANOID_MOST))
		snprintf(ret->text, sizeof(ret->text), "%s: %s", strerror(-code), other_cause());
	else if (n == PARANOID_UNKNOWN)
		snprintf(ret->text, sizeof(ret->text),
			 "%s: it takes CAP_PERFMON, or CAP_SYS_ADMIN (" PARANOID " cannot be read)", strerror(-code));
	else if (n > PARANOID_MOST)
		snprintf(ret->text, sizeof(ret->text),
			 "%s: kernel.perf_event_paranoid is %d here, which asks for CAP_SYS_ADMIN; have it, or "
			 "set kernel.perf_event_paranoid=%d%s",
			 strerror(-code), n, PARANOID_MOST, perfmon ? "" : " and have CAP_PERFMON");
	else
		snprintf(ret->text, sizeof(ret->text),
			 "%s: kernel.perf_event_paranoid is %d here, which asks for CAP_PERFMON (or "
			 "CAP_SYS_ADMIN)",
			 strerror(-code), n);
	return ret->text;
}

const char *reason_lockdown(struct reason *ret)
{
	const char *mode = cap_lockdown();

	if (mode && strcmp(mode, "none") != 0)
		snprintf(ret->text, sizeof(ret->text), "kernel lockdown is %s", mode);
	else
		snprintf(ret->text, sizeof(ret->text), "it looks like kernel lockdown in the mode confidentiality%s",
			 mode ? "" : " (/sys/kernel/security/lockdown cannot be read)");
	strncat(ret->text,
		": it forbids to read the kernel's memory; what helps is to boot without lockdown=confidentiality "
		"(Secure Boot may set it)",
		sizeof(ret->text) - strlen(ret->text) - 1);
	return ret->text;
}

const char *reason_tracefs(int code, struct reason *ret)
{
	const char *mode = cap_lockdown();
	bool there = is_mounted("/sys/kernel/tracing", TRACEFS_MAGIC_NUMBER);

	if (code == -ENODEV)
		snprintf(ret->text, sizeof(ret->text), "this kernel has no tracefs (needs CONFIG_TRACING=y)");
	else if (mode && !strcmp(mode, "confidentiality"))
		snprintf(ret->text, sizeof(ret->text),
			 "tracefs cannot be read: kernel lockdown is confidentiality; boot without it");
	else if (there && (code == -EPERM || code == -EACCES || code == -ENOENT))
		snprintf(ret->text, sizeof(ret->text),
			 "tracefs cannot be read: /sys/kernel/tracing is for root; be root, or have "
			 "CAP_DAC_READ_SEARCH");
	else if (!is_mounted("/sys", SYSFS_MAGIC_NUMBER))
		snprintf(ret->text, sizeof(ret->text),
			 "tracefs cannot be read: /sys is not mounted (mount -t sysfs sysfs /sys; a container "
			 "must be given it)");
	else if (code == -EPERM || code == -EACCES || code == -ENOENT)
		snprintf(ret->text, sizeof(ret->text),
			 "tracefs is not mounted, and this user may not mount it; as root: "
			 "mount -t tracefs tracefs /sys/kernel/tracing");
	else
		snprintf(ret->text, sizeof(ret->text), "tracefs cannot be read: %s", strerror(-code));
	return ret->text;
}

const char *reason_types(struct reason *ret)
{
	const char *cause = "a kernel built with CONFIG_DEBUG_INFO_BTF=y has it";
	bool there = access("/sys/kernel/btf/vmlinux", F_OK) == 0;

	if (there)
		cause = "it cannot be read by this user, or by dwell";
	else if (!is_mounted("/sys", SYSFS_MAGIC_NUMBER))
		cause = "/sys is not mounted (mount -t sysfs sysfs /sys; a container must be given it)";
	else if (access("/sys/kernel/btf", F_OK) == 0)
		cause = "the folder is there, but empty: something is mounted over it";
	else if (cap_config("CONFIG_DEBUG_INFO_BTF") == 'n')
		cause = "this kernel is built without CONFIG_DEBUG_INFO_BTF; another kernel helps";
	snprintf(
		ret->text, sizeof(ret->text),
		"the kernel's type information (BTF, /sys/kernel/btf/vmlinux) is not %s: %s; -x btf=FILE takes it from a file",
		there ? "to be had" : "there", cause);
	return ret->text;
}

const char *reason_proc(void)
{
	return is_mounted("/proc", PROCFS_MAGIC_NUMBER) ? "" : " (/proc is not mounted: mount -t proc proc /proc)";
}
