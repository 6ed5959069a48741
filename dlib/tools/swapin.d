#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swapin.d: memory that is read back from swap, by program.
 *
 * Topic: Memory
 * Usage: swapin.d [-p PID|-c COMMAND] [--interval TIME]
 * What a swap device or file is read for, with what the kernel reads ahead of it. Pages that zswap still has in memory
 * are not read.
 *
 * PID, COMMAND   the process that touched the memory
 * COUNT  reads     KB  that were read
 *
 * Example, with 20 MB for 40 MB of memory that is touched twice:
 *   # swapin.d -c "./touch 40"
 *   2026 Nov 27 08:33:51
 *       PID COMMAND              COUNT         KB
 *     24941 touch                20541      82164
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option aggsortpos=1
#pragma D param interval string "time between reports" 5s

inline unsigned int OP_READ = 0;
inline unsigned int OP_MASK = 0xff;

sdt:block::block_bio_queue
/wanted && (args[0]->bi_opf & OP_MASK) == OP_READ && args[0]->bi_io_vec != NULL &&
    page_swapped[args[0]->bi_io_vec->bv_page]/
{
	@count[group_id, group_name] = count();
	@bytes[group_id, group_name] = sum(args[0]->bi_iter.bi_size);
}

tick-$interval, END
{
	normalize(@bytes, 1024);
	printf("%Y\n%7s %-16s %9s %10s\n", walltimestamp, group_id_head, group_head, "COUNT", "KB");
	printa("%7d %-16s %@9d %@10d\n", @count, @bytes);
	trunc(@count);
	trunc(@bytes);
}
