/* SPDX-License-Identifier: Apache-2.0 */
/* whose/block.d: beside block.d in a recording: which disk, and what it did, for `dwell latency profile` and `diff`. */
latency:block::all
/!(args[0]->how & 3)/
{
	this->op = args[1]->cmd_flags & 0xff;
	@block_disk[stringof(rq_disk[args[1]]->disk_name), this->op == 0 ? "read" : this->op == 1 ? "write" : this->op == 2 ? "flush" :
	    this->op == 3 ? "discard" : "other"] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@block_disk);
}
