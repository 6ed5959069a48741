/* SPDX-License-Identifier: Apache-2.0 */
/* Provider sysinfo: the events that mpstat(1) and sar(1) count. arg0 is what is added to the count.
 * Source: DTrace guide, "sysinfo Provider"; include/uapi/linux/sched.h (CLONE_VFORK 0x4000,
 * CLONE_THREAD 0x10000), include/trace/events/lock.h (LCB_F_*: 1 spin, 2 read, 4 write, 32 mutex). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"
#include "prov/common/sysnr.h"

#define BY(n) .args = { { "uint64_t", n, "add", false } }
#define NR_5(v, a, b, c, d, e) SYSNR_4(v, a, b, c, d) " || " SYSNR_1(v, e)
/* read, pread64, readv, preadv, preadv2; and the same of write */
#define SYSNR_READ(v) \
	SYSNR_PICK(NR_5(v, 0, 17, 19, 295, 327), NR_5(v, 3, 180, 145, 333, 378), NR_5(v, 63, 67, 65, 69, 286), \
		   NR_5(v, 3, 180, 145, 361, 392))
#define SYSNR_WRITE(v) \
	SYSNR_PICK(NR_5(v, 1, 18, 20, 296, 328), NR_5(v, 4, 181, 146, 334, 379), NR_5(v, 64, 68, 66, 70, 287), \
		   NR_5(v, 4, 181, 146, 362, 393))
#define SYSNR_MSG(v) /* msgsnd, msgrcv */ \
	SYSNR_PICK(SYSNR_2(v, 69, 70), SYSNR_2(v, 400, 401), SYSNR_2(v, 189, 188), SYSNR_2(v, 301, 302))
#define SYSNR_SEMOP(v) /* semop, semtimedop */ \
	SYSNR_PICK(SYSNR_2(v, 65, 220), SYSNR_1(v, 420), SYSNR_2(v, 193, 192), SYSNR_3(v, 298, 312, 420))
#define ENTERS(nr) .tp = "sys_enter", .cond = nr("id"), BY("1")
#define MOVED(nr) .tp = "sys_exit", .cond = "ret > 0 && " nr(SYSNR_LEFT), BY("ret")
#define READS "(bio->bi_opf & 0xff) == 0"
#define WRITES "(bio->bi_opf & 0xff) == 1"
#define NO_TICKS "an idle CPU has no ticks on Linux; profile-n samples what CPUs do"
#define NO_CACHE "Linux has no buffer cache apart from the page cache: vminfo and fsinfo"
#define NO_TTY "no tracepoint tells of characters of terminals"
#define NO_UFS "Linux has no UFS of this kind: fsinfo"
#define NO_TP "no tracepoint tells of it"

static const struct stable_row sysinfo_rows[] = {
	{ .name = "bawrite", .reason = NO_CACHE },
	{ .name = "bread", .tp = "block_bio_queue", .cond = READS, BY("1") },
	{ .name = "bwrite", .tp = "block_bio_queue", .cond = WRITES, BY("1") },
	{ .name = "canch", .reason = NO_TTY },
	{ .name = "cpu_ticks_idle", .reason = NO_TICKS },
	{ .name = "cpu_ticks_kernel", .reason = NO_TICKS },
	{ .name = "cpu_ticks_user", .reason = NO_TICKS },
	{ .name = "cpu_ticks_wait", .reason = NO_TICKS },
	{ .name = "idlethread", .tp = "sched_switch", .cond = "next->pid == 0", BY("1") },
	{ .name = "intrblk", .reason = NO_TP },
	{ .name = "inv_swtch",
	  .tp = "sched_switch",
	  .cond = "(preempt || prev_state == 0) && prev->pid != 0",
	  BY("1") },
	{ .name = "lread", .reason = NO_CACHE },
	{ .name = "lwrite", .reason = NO_CACHE },
	{ .name = "mdmint", .reason = NO_TTY },
	{ .name = "modload", .tp = "module_load", BY("1") },
	{ .name = "modunload", .tp = "module_free", BY("1") },
	{ .name = "msg", ENTERS(SYSNR_MSG) },
	{ .name = "mutex_adenters", .tp = "contention_begin", .cond = "(flags & 32) != 0", BY("1") },
	{ .name = "namei", .reason = NO_TP },
	{ .name = "nthreads", .tp = "task_newtask", BY("1") },
	{ .name = "outch", .reason = NO_TTY },
	{ .name = "phread", .reason = NO_CACHE },
	{ .name = "phwrite", .reason = NO_CACHE },
	{ .name = "procovf", .reason = NO_TP },
	{ .name = "pswitch", .tp = "sched_switch", BY("1") },
	{ .name = "rawch", .reason = NO_TTY },
	{ .name = "rcvint", .reason = NO_TTY },
	{ .name = "readch", MOVED(SYSNR_READ) },
	{ .name = "rw_rdfails", .tp = "contention_begin", .cond = "(flags & 3) == 2", BY("1") },
	{ .name = "rw_wrfails", .tp = "contention_begin", .cond = "(flags & 5) == 4", BY("1") },
	{ .name = "sema", ENTERS(SYSNR_SEMOP) },
	{ .name = "sysexec", ENTERS(SYSNR_EXEC) },
	{ .name = "sysfork", .tp = "task_newtask", .cond = "(clone_flags & 0x14000) == 0", BY("1") },
	{ .name = "sysread", ENTERS(SYSNR_READ) },
	{ .name = "sysvfork", .tp = "task_newtask", .cond = "(clone_flags & 0x14000) == 0x4000", BY("1") },
	{ .name = "syswrite", ENTERS(SYSNR_WRITE) },
	{ .name = "trap",
	  .reason = "no tracepoint tells of all traps; vminfo has page faults, proc:::fault the others" },
	{ .name = "ufsdirblk", .reason = NO_UFS },
	{ .name = "ufsiget", .reason = NO_UFS },
	{ .name = "ufsinopage", .reason = NO_UFS },
	{ .name = "ufsipage", .reason = NO_UFS },
	{ .name = "writech", MOVED(SYSNR_WRITE) },
	{ .name = "xcalls", .tp = "ipi_send_cpu", BY("1") },
	{ .name = "xcalls", .tp = "ipi_send_cpumask", BY("1"), .also = true },
	{ .name = "xmtint", .reason = NO_TTY },
};

STABLE_PROVIDER(sysinfo, SYSINFO);
