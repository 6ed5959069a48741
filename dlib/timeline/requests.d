#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.d: requests to block devices, for `dwell record`.
 *
 * Usage: requests.d [-p PID|-c COMMAND] --record FILE
 * With -p or -c those that a thread of this process or of its descendants gives to the driver, else all.
 *
 * Tracker block: as in latency/block.d
 *
 * Example:
 *   # dwell --record run.dwell -s requests.d -c "sync"
 *   # dwell latency run.dwell
 */
#pragma D option quiet
#pragma D option noself

tracker block (struct request *) { threshold = 0; limit = 0; size = 65536; gc = 60s; }

sdt:block::block_rq_issue
/wanted/
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
