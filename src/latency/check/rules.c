/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of `dwell check`: one row for each finding that there can be. Thresholds are thousandths of a second per
 * second, summed over all threads that wait. Measures are aggregations of dlib/check/check.d ("wakeup" is
 * @check_wakeup), causes of waits by their class, or counters of the kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "latency/check/int.h"

#define SATURATED 0.85 /* of the time of all CPUs: from there on they are the bottleneck */
#define UNEVEN 0.33    /* of the idle time of all CPUs: so much less is not chance */
#define MOSTLY 2       /* one in two */
#define HELD_BACK 5    /* times as long as disks work */
#define UNANSWERED 20  /* one unanswered question in twenty is no chance any more */

static const char measured[] = "measured: each of them, by probes";
static const char explained[] = "measured; the cause is read from the kernel stack of each wait";
static const char counted[] = "counted by probes; the cost of each is reckoned";
static const char kernel_counts[] = "counted by the kernel; the cost of each is reckoned";

/* Waits for a CPU that threads of a real-time class have. */
static bool is_rt(const struct check_eval *e)
{
	uint64_t rt = 0;

	for (struct check_item *i = e->c->items; i; i = i->hh.next)
		if (check_fits(e->rule, i) && !strcmp(i->part[PART_MORE], "1"))
			rt += i->sum.ns;
	return rt * MOSTLY > e->sum.ns;
}

static bool is_saturated(const struct check_eval *e)
{
	double busy = check_busy(e->c, -1);

	return (busy < 0 || busy >= SATURATED) && !is_rt(e);
}

/* The mean busy share of the CPUs that threads waited for, weighted by the time of the waits; < 0: not known. */
static double busy_where_they_wait(const struct check_eval *e)
{
	double busy = 0, all = 0;

	for (struct check_item *i = e->c->items; i; i = i->hh.next) {
		double one = check_fits(e->rule, i) ? check_busy(e->c, atoi(i->part[PART_WHAT])) : -1;

		if (one < 0)
			continue;
		busy += one * (double)i->sum.ns;
		all += (double)i->sum.ns;
	}
	return all > 0 ? busy / all : -1;
}

/* CPUs have idle time, and the CPUs that threads wait for have clearly less of it than the others. */
static bool is_uneven(const struct check_eval *e)
{
	double busy = check_busy(e->c, -1);

	return busy >= 0 && busy < SATURATED && !is_rt(e) && busy_where_they_wait(e) > busy + (1 - busy) * UNEVEN;
}

/* All CPUs have about the same share of idle time, but they were not idle when the threads waited. */
static bool is_burst(const struct check_eval *e)
{
	double busy = check_busy(e->c, -1);

	return busy >= 0 && busy < SATURATED && !is_rt(e) && !is_uneven(e);
}

/* Questions that got no answer: what is left of the sum. */
static bool is_unanswered(const struct check_eval *e)
{
	struct check_eval *change = (struct check_eval *)e;
	uint64_t asked = e->sum.count, answered = 0;

	for (struct check_item *i = e->c->items; i; i = i->hh.next)
		if (!strcmp(i->measure, "dns") && !strcmp(i->part[PART_BY], "answered"))
			answered += i->sum.count;
	change->sum.count = asked > answered ? asked - answered : 0;
	return change->sum.count >= e->rule->least && change->sum.count * UNANSWERED >= asked;
}

/* They wait much longer than the disks work: somebody holds the requests back. */
static bool is_held_back(const struct check_eval *e)
{
	uint64_t ns = 0;

	for (struct check_item *i = e->c->items; i; i = i->hh.next)
		if (!strcmp(i->measure, "block"))
			ns += i->sum.ns;
	return check_has(e->c, "block") && e->sum.ns > HELD_BACK * ns;
}

#define CPU_WAITS "cpu-saturated cpu-bursts noisy-neighbour"
#define DISK_WAITS "fsync io-wait fs-wait major-faults swap-in dirty-throttled stuck"
#define MS 1000000ull
#define S NSEC_PER_SEC

const struct check_rule check_rules[] = {
	{ .id = "throttled",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "throttle",
	  .permille = 20,
	  .sure = measured,
	  .tracker = "throttle",
	  .title = "the CPU limit of cgroup %W keeps %V from running",
	  .meaning =
		  "The group has used up its quota (cpu.max, cpu.cfs_quota_us) and waits for its next period. Raise the "
		  "limit, or use fewer threads: many threads use it up in a burst.",
	  .more = "dwell latency throttle --for 10s",
	  .explains = CPU_WAITS " futex-lock kernel-lock mmap-lock" },
	{ .id = "cpu-saturated",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "wakeup",
	  .by = "?*",
	  .permille = 150,
	  .when = is_saturated,
	  .sure = measured,
	  .tracker = "wakeup",
	  .title = "threads wait for a CPU: all CPUs are busy, mostly with %B",
	  .meaning =
		  "More threads can run than there are CPUs. See what computes and whether it must, give it a lower weight "
		  "(nice, cpu.weight), or add CPUs.",
	  .more = "dwell flame --on-cpu --for 10s -o cpu.html" },
	{ .id = "noisy-neighbour",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "wakeup",
	  .by = "?*",
	  .permille = 150,
	  .when = is_uneven,
	  .sure = measured,
	  .tracker = "wakeup",
	  .title = "threads wait for %W, which %B has, while other CPUs are idle",
	  .meaning =
		  "The threads that wait are bound to that CPU (taskset, cpuset), or are not moved in time. Widen the set of CPUs, or "
		  "move the neighbour away.",
	  .more = "dwell latency wakeup --for 10s" },
	{ .id = "cpu-bursts",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "wakeup",
	  .by = "?*",
	  .permille = 150,
	  .when = is_burst,
	  .sure = measured,
	  .tracker = "wakeup",
	  .title = "threads wait for a CPU: all CPUs are busy at times, mostly with %B",
	  .meaning =
		  "CPUs are idle in between, but not when these threads wake up: the work comes in bursts. Spread it in time, "
		  "use fewer threads at once, or give a lower weight to work that can wait (nice, cpu.weight).",
	  .more = "dwell latency wakeup --for 10s" },
	{ .id = "real-time",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "wakeup",
	  .by = "?*",
	  .permille = 100,
	  .when = is_rt,
	  .sure = measured,
	  .tracker = "wakeup",
	  .title = "%B has a real-time priority and keeps others from %W",
	  .meaning =
		  "Threads of SCHED_FIFO and SCHED_RR go before all others for as long as they like. See whether it must "
		  "compute for so long (chrt -p).",
	  .more = "dwell latency wakeup --for 10s" },
	{ .id = "steal",
	  .area = CHECK_CPU,
	  .kind = "waits",
	  .measure = "cpu.steal",
	  .permille = 100,
	  .each_ns = 10 * MS,
	  .sure = "counted by the kernel, in ticks",
	  .title = "the hypervisor gives the CPUs of this machine to others",
	  .meaning = "Virtual CPUs could have run and did not (steal). Only the host can help.",
	  .more = "dwell run cputime" },
	{ .id = "softirq",
	  .area = CHECK_CPU,
	  .kind = "uses",
	  .measure = "softirq",
	  .permille = 250,
	  .sure = measured,
	  .tracker = "softirq",
	  .title = "soft interrupts (%B) keep %W busy",
	  .meaning =
		  "Threads on that CPU are held up. Spread packets over CPUs (RPS, more queues), or find which program causes them.",
	  .more = "dwell run softirqs",
	  .explains = CPU_WAITS },
	{ .id = "irq",
	  .area = CHECK_CPU,
	  .kind = "uses",
	  .measure = "irq",
	  .permille = 150,
	  .sure = measured,
	  .tracker = "irq",
	  .title = "the interrupt handler %B keeps %W busy",
	  .meaning =
		  "Threads on that CPU are held up. Move the interrupt (/proc/irq/N/smp_affinity), or let the device wait for more "
		  "before it interrupts (ethtool -C).",
	  .more = "dwell run intrtime",
	  .explains = CPU_WAITS },

	{ .id = "reclaim-cgroup",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "reclaim",
	  .what = "*cgroup*",
	  .permille = 20,
	  .sure = measured,
	  .tracker = "reclaim",
	  .title = "%V must free memory of its cgroup before it gets some",
	  .meaning =
		  "The group is at its limit (memory.max, memory.high, memory.limit_in_bytes). Raise it, or let the program keep "
		  "less.",
	  .more = "dwell latency reclaim --for 10s",
	  .reread = "io-wait major-faults swap-in",
	  .explains = "io-wait dirty-throttled major-faults fs-wait" },
	{ .id = "reclaim",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "reclaim",
	  .what = "direct reclaim",
	  .permille = 20,
	  .sure = measured,
	  .tracker = "reclaim",
	  .title = "%V must free memory of the machine before it gets some",
	  .meaning = "The machine is short of memory. See which programs have it (dwell run memgrow), or add some.",
	  .more = "dwell latency reclaim --for 10s",
	  .explains = "io-wait dirty-throttled major-faults fs-wait" },
	{ .id = "compaction",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "reclaim",
	  .what = "compaction",
	  .permille = 20,
	  .sure = measured,
	  .tracker = "reclaim",
	  .title = "%V waits until memory is moved together for large pages",
	  .meaning = "Memory is fragmented. Set transparent huge pages to madvise, or their defrag to defer.",
	  .more = "dwell run compactsnoop" },
	{ .id = "major-faults",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "fault",
	  .permille = 50,
	  .sure = measured,
	  .tracker = "fault",
	  .title = "%V waits for pages of %W to be read (major page faults)",
	  .meaning =
		  "A mapped file or a program is not in memory, or not any more. Keep it there (vmtouch, mlock), give it more "
		  "memory, or read it ahead (madvise).",
	  .more = "dwell latency fault --for 10s",
	  .explains = "io-wait mmap-lock" },
	{ .id = "swap-in",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "swapin",
	  .permille = 20,
	  .sure = measured,
	  .tracker = "fault",
	  .title = "%V waits for pages from swap",
	  .meaning = "Its memory had been swapped out. Give it more (memory.max, memory.low), or run less at a time.",
	  .more = "dwell run swapin",
	  .explains = "reclaim-cgroup reclaim io-wait mmap-lock" },
	{ .id = "out-of-memory",
	  .area = CHECK_MEMORY,
	  .kind = "fails",
	  .measure = "oom",
	  .least = 1,
	  .each_ns = 5 * S,
	  .sure = counted,
	  .title = "the kernel killed a process, since %V wanted memory that was not there",
	  .meaning =
		  "Memory of the machine or of a cgroup was used up. See which programs had it, and raise the limit or lower the need.",
	  .more = "dwell run oomkill",
	  .explains = "reclaim-cgroup reclaim swap-in major-faults io-wait" },
	{ .id = "dirty-throttled",
	  .area = CHECK_MEMORY,
	  .kind = "waits",
	  .measure = "why:memory",
	  .what = "*dirty pages*",
	  .permille = 100,
	  .sure = explained,
	  .title = "%V writes faster than the disk, and is made to wait",
	  .meaning =
		  "Too many pages wait to be written (vm.dirty_ratio, the memory limit of the cgroup). Write less, sooner, or to a "
		  "faster disk.",
	  .more = "dwell why --for 10s",
	  .explains = "io-wait fs-wait" },

	{ .id = "slow-disk",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "block",
	  .permille = 100,
	  .mean_ns = 20 * MS,
	  .least = 3,
	  .sure = measured,
	  .tracker = "block",
	  .title = "disk %W is slow",
	  .meaning = "Its requests take 20 ms and more on average. It is overloaded, limited by its host, or broken.",
	  .more = "dwell run iolatency",
	  .explains = DISK_WAITS " reclaim-cgroup user-fs" },
	{ .id = "disk-errors",
	  .area = CHECK_DISK,
	  .kind = "fails",
	  .measure = "blockerr",
	  .least = 1,
	  .each_ns = 1 * S,
	  .sure = counted,
	  .title = "requests to disk %W fail",
	  .meaning = "The device gives errors: look at dmesg and at its health (smartctl).",
	  .more = "dwell latency block --for 10s",
	  .explains = "io-errors" },
	{ .id = "fsync",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "fsync",
	  .permille = 150,
	  .sure = measured,
	  .tracker = "fsync",
	  .title = "%V waits in %B until its files are on the disk",
	  .meaning = "Each call waits for the disk and the journal. Group commits, or put the file on a faster disk.",
	  .more = "dwell run fsyncsnoop",
	  .explains = "io-wait fs-wait kernel-lock" },
	{ .id = "io-limit",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "why:io",
	  .what = "*block I/O*|*page*|*buffer*",
	  .permille = 100,
	  .mean_ns = 5 * MS,
	  .when = is_held_back,
	  .sure = "inferred: threads wait for disks five times as long as the disks work and more",
	  .title = "%V waits for I/O that is held back before it reaches the disk",
	  .meaning =
		  "Most likely its cgroup has used up what it may read or write (io.max, blkio.throttle). Raise it, or move less.",
	  .more = "dwell why --for 10s",
	  .explains = "io-wait fsync fs-wait reclaim-cgroup major-faults" },
	{ .id = "io-wait",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "why:io",
	  .permille = 300,
	  .sure = explained,
	  .tracker = "block",
	  .title = "%V waits for disks (%W)",
	  .meaning =
		  "The data that it reads is not in memory, or it waits until its writes are done. See which files, and whether they can be cached or read "
		  "ahead.",
	  .more = "dwell run iosnoop" },
	{ .id = "fs-wait",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "why:fs",
	  .permille = 200,
	  .sure = explained,
	  .title = "%V waits for the file system (%W)",
	  .meaning = "The journal or metadata hold it up. See which program commits often.",
	  .more = "dwell latency fs --for 10s",
	  .explains = "io-wait" },
	{ .id = "user-fs",
	  .area = CHECK_DISK,
	  .kind = "waits",
	  .measure = "why:ipc",
	  .what = "*FUSE*",
	  .permille = 100,
	  .sure = explained,
	  .title = "%V waits for the server of a file system in user space (FUSE)",
	  .meaning = "That program answers slowly. See what it does: dwell why -p with its number.",
	  .more = "dwell why --for 10s",
	  .explains = DISK_WAITS " kernel-lock" },
	{ .id = "no-space",
	  .area = CHECK_DISK,
	  .kind = "fails",
	  .measure = "errno",
	  .what = "*ENOSPC*",
	  .least = 1,
	  .each_ns = 10 * MS,
	  .sure = counted,
	  .title = "%V cannot write: %W",
	  .meaning = "The file system is full, or has no inodes left: df -h, df -i.",
	  .more = "dwell run errinfo" },
	{ .id = "io-errors",
	  .area = CHECK_DISK,
	  .kind = "fails",
	  .measure = "errno",
	  .what = "*EIO*",
	  .least = 20,
	  .each_ns = 10 * MS,
	  .sure = counted,
	  .title = "%V meets input or output errors",
	  .meaning = "A device or file system fails: look at dmesg.",
	  .more = "dwell run errinfo" },

	{ .id = "futex-lock",
	  .area = CHECK_LOCK,
	  .kind = "waits",
	  .measure = "futex",
	  .permille = 150,
	  .least = 5,
	  .sure = "measured; that it is a lock and no condition is read from registers (very likely)",
	  .tracker = "futex",
	  .title = "threads of %V wait for a lock of the program, last had by %B",
	  .meaning = "One thread at a time goes on. Hold the lock for less, or split it.",
	  .more = "dwell latency futex --over 1ms --stacks --for 10s" },
	{ .id = "kernel-lock",
	  .area = CHECK_LOCK,
	  .kind = "waits",
	  .measure = "lock",
	  .what = "[!s]*|semaphore",
	  .permille = 100,
	  .least = 5,
	  .sure = measured,
	  .tracker = "lock",
	  .title = "%V waits for a lock of the kernel (%W)",
	  .meaning =
		  "Threads use the same file, folder or other object of the kernel at once. The stack says which operation.",
	  .more = "dwell latency lock --over 1ms --stacks --for 10s" },
	{ .id = "spinlock",
	  .area = CHECK_LOCK,
	  .kind = "waits",
	  .measure = "lock",
	  .what = "spinlock",
	  .permille = 100,
	  .least = 5,
	  .sure = measured,
	  .tracker = "lock",
	  .title = "%V spins for a lock of the kernel",
	  .meaning = "CPUs compute nothing while they wait for each other. The stack says which operation.",
	  .more = "dwell latency lock --over 1ms --stacks --for 10s" },
	{ .id = "mmap-lock",
	  .area = CHECK_LOCK,
	  .kind = "waits",
	  .measure = "mmaplock",
	  .permille = 100,
	  .least = 5,
	  .sure = measured,
	  .tracker = "mmaplock",
	  .title = "threads of %V wait for the lock of their address space (mmap_lock)",
	  .meaning =
		  "Page faults, mmap(2) and munmap(2) of one process exclude each other. Map less often, or use processes.",
	  .more = "dwell latency mmaplock --for 10s",
	  .explains = "kernel-lock" },
	{ .id = "file-lock",
	  .area = CHECK_LOCK,
	  .kind = "waits",
	  .measure = "filelock",
	  .permille = 50,
	  .sure = measured,
	  .tracker = "filelock",
	  .title = "%V waits for the lock of the file %W, which %B has",
	  .meaning = "flock(2) and record locks let one at a time go on.",
	  .more = "dwell latency filelock --for 10s" },

	{ .id = "retransmits",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "retransmit",
	  .least = 3,
	  .per_second = 1,
	  .each_ns = 200 * MS,
	  .sure = counted,
	  .title = "TCP segments to %W are lost and sent again",
	  .meaning = "The network or the other end drops packets; each loss stops a connection for 200 ms and more.",
	  .more = "dwell run tcpretrans" },
	{ .id = "connect-unanswered",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "syn",
	  .least = 1,
	  .each_ns = 1 * S,
	  .sure = counted,
	  .title = "%W does not answer to new connections",
	  .meaning =
		  "The first packet of a connection is sent again, after 1, 2, 4 ... s. The host is down, a firewall drops it, or the "
		  "queue of the listener is full.",
	  .more = "dwell run tcpconnlat" },
	{ .id = "listen-overflow",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "net.TcpExt.ListenOverflows",
	  .least = 1,
	  .each_ns = 1 * S,
	  .sure = kernel_counts,
	  .title = "a listening socket's queue is full: new connections are dropped",
	  .meaning =
		  "The server does not call accept() often enough, or its backlog (listen(), net.core.somaxconn) is small: ss -lnt "
		  "shows Recv-Q at its limit.",
	  .more = "dwell run tcpaccept",
	  .explains = "connect-unanswered connect-slow retransmits" },
	{ .id = "packets-dropped",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "drop",
	  .least = 10,
	  .per_second = 2,
	  .each_ns = 10 * MS,
	  .sure = counted,
	  .title = "packets are dropped: %W",
	  .meaning = "They come faster than they are taken. Make the reader faster, or the queue larger.",
	  .more = "dwell run tcpdrop",
	  .explains = "retransmits" },
	{ .id = "softnet-dropped",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "softnet.dropped",
	  .least = 1,
	  .each_ns = 10 * MS,
	  .sure = kernel_counts,
	  .title = "CPUs drop packets that they have no time for",
	  .meaning = "The backlog of a CPU is full: raise net.core.netdev_max_backlog, or spread the packets.",
	  .more = "dwell run softirqs",
	  .explains = "retransmits packets-dropped" },
	{ .id = "dns-slow",
	  .area = CHECK_NET,
	  .kind = "waits",
	  .measure = "dns",
	  .permille = 50,
	  .mean_ns = 50 * MS,
	  .sure = measured,
	  .tracker = "dns",
	  .title = "name server %W answers slowly",
	  .meaning = "Programs wait for names before they connect. Ask another server, or cache the answers.",
	  .more = "dwell latency connect --over 10ms --for 10s" },
	{ .id = "dns-unanswered",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "dnsask",
	  .least = 2,
	  .each_ns = 5 * S,
	  .when = is_unanswered,
	  .sure = counted,
	  .title = "name server %W does not answer",
	  .meaning =
		  "Resolvers ask again after 5 s. Ask another server (/etc/resolv.conf), or look why it does not answer.",
	  .more = "dwell run gethostlatency",
	  .explains = "dns-slow" },
	{ .id = "connect-slow",
	  .area = CHECK_NET,
	  .kind = "waits",
	  .measure = "connect",
	  .by = "connected|timed out",
	  .permille = 100,
	  .mean_ns = 50 * MS,
	  .sure = measured,
	  .tracker = "connect",
	  .title = "connections of %V take long to be made",
	  .meaning = "The other end is far away or overloaded, or the first packet is lost.",
	  .more = "dwell run tcpconnlat" },
	{ .id = "connect-failed",
	  .area = CHECK_NET,
	  .kind = "fails",
	  .measure = "connect",
	  .by = "refused|unreachable|timed out",
	  .least = 5,
	  .per_second = 2,
	  .each_ns = 20 * MS,
	  .sure = counted,
	  .title = "connections of %V fail: %B",
	  .meaning = "Nobody listens there, or there is no way to it.",
	  .more = "dwell run soconnect" },

	{ .id = "short-lived",
	  .area = CHECK_PROCESS,
	  .kind = "uses",
	  .measure = "short",
	  .permille = 100,
	  .per_second = 10, /* on a busy machine each takes a while */
	  .sure = measured,
	  .title = "many processes run for a moment only (%W), started by %V",
	  .meaning = "Making and ending the process takes much of its time. Do the work in one process.",
	  .more = "dwell run execsnoop",
	  .explains = CPU_WAITS " mmap-lock kernel-lock spinlock threads" },
	{ .id = "threads",
	  .area = CHECK_PROCESS,
	  .kind = "uses",
	  .measure = "thread",
	  .per_second = 1000,
	  .each_ns = MS / 10,
	  .sure = counted,
	  .title = "%V starts threads all the time",
	  .meaning = "Keep them, and give them new work (a pool).",
	  .more = "dwell run threadsnoop",
	  .explains = CPU_WAITS " mmap-lock kernel-lock spinlock futex-lock" },
	{ .id = "too-many-files",
	  .area = CHECK_PROCESS,
	  .kind = "fails",
	  .measure = "errno",
	  .what = "*EMFILE*|*ENFILE*",
	  .least = 1,
	  .each_ns = 10 * MS,
	  .sure = counted,
	  .title = "%V has too many open files",
	  .meaning = "It is at its limit (ulimit -n, LimitNOFILE=), or does not close what it opens.",
	  .more = "dwell run errinfo" },
	{ .id = "no-memory",
	  .area = CHECK_MEMORY,
	  .kind = "fails",
	  .measure = "errno",
	  .what = "*ENOMEM*",
	  .least = 10,
	  .per_second = 2,
	  .each_ns = 10 * MS,
	  .sure = counted,
	  .title = "%V is refused memory by system calls",
	  .meaning = "A limit (ulimit -v, -l, overcommit, vm.max_map_count) is reached.",
	  .more = "dwell run errinfo" },
	{ .id = "stuck",
	  .area = CHECK_PROCESS,
	  .kind = "waits",
	  .measure = "stuck",
	  .least = 1,
	  .each_ns = 1 * S,
	  .sure = "seen once a second: sleeps that cannot be interrupted and have lasted a second",
	  .title = "threads of %V are stuck in the kernel",
	  .meaning = "They cannot even be killed until what they wait for comes: a disk, a file server, a lock.",
	  .more = "dwell stuck" },
};
const unsigned check_nrules = ARRAY_SIZE(check_rules);
_Static_assert(ARRAY_SIZE(check_rules) <= CHECK_MAX_RULES, "more rules than places");
