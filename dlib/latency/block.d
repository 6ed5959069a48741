#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.d: requests to block devices, from their issue to the driver until they are done.
 *
 * Tracker block, default 3: block device requests
 *   waits for "block I/O ({op})": queued, io
 *   costs 39 ns a switch; left out 4
 *   dev: the disk
 *   sector, bytes: what part of it
 *   op = read | write | flush | discard | other
 *   file: the file of the request's first page; empty for direct I/O and for what the file system writes for itself
 */
#pragma D option quiet
#pragma D option noself

tracker block (struct request *) { threshold = 10ms; limit = 100; size = 65536; gc = 60s; }

sdt:block::block_rq_issue
{
	begin(block, args[0]);
}

sdt:block::block_rq_complete
{
	end(block, args[0], args[1]);
}

latency:block::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->rq = args[1];
	this->op = this->rq->cmd_flags & 0xff;
	slow("dev", stringof(rq_disk[this->rq]->disk_name), "sector", this->rq->__sector, "bytes", this->rq->__data_len,
	    "op", this->op == 0 ? "read" : this->op == 1 ? "write" : this->op == 2 ? "flush" :
	    this->op == 3 ? "discard" : "other", "file", request_file(this->rq));
}
