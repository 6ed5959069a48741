#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writeback.d: when the kernel writes changed files to their devices, why, and how much.
 *
 * Topic: Block devices
 * Usage: writeback.d
 *
 * TIME  when it ended       DEVICE  as the kernel names it, 8:0
 * REASON  sync: sync(2) and the like; background: too much has changed; periodic: it has been there for long;
 *         vmscan: memory is short
 * PAGES  that were written       MS  milliseconds
 *
 * Example:
 *   # writeback.d -c "sh changes-and-sync.sh"
 *   TIME                 DEVICE     REASON            PAGES       MS
 *   2026 Nov 26 11:48:25 254:0      sync               3640        3
 *   2026 Nov 26 11:48:25 254:0      sync                143        0
 */
#pragma D option quiet

inline string writeback_reason[int R] =
	R == WB_REASON_SYNC ? "sync" : R == WB_REASON_BACKGROUND ? "background" :
	R == WB_REASON_PERIODIC ? "periodic" : R == WB_REASON_VMSCAN ? "vmscan" : "other";

BEGIN
{
	printf("%-20s %-10s %-12s %10s %8s\n", "TIME", "DEVICE", "REASON", "PAGES", "MS");
}

sdt:::writeback_start
{
	self->start = timestamp;
	self->pages = args[1]->nr_pages;
}

sdt:::writeback_written
/self->start && self->pages > args[1]->nr_pages/
{
	printf("%-20Y %-10s %-12s %10d %8d\n", walltimestamp, stringof(args[0]->bdi->dev_name),
	    writeback_reason[args[1]->reason], self->pages - args[1]->nr_pages,
	    (timestamp - self->start) / 1000000);
	self->start = timestamp;
	self->pages = args[1]->nr_pages;
}
