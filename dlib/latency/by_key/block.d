/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/block.d: @block_disk, delays of the tracker block by disk and operation. With block.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:block::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->op = args[1]->cmd_flags & 0xff;
	@block_disk[stringof(rq_disk[args[1]]->disk_name), this->op == 0 ? "read" : this->op == 1 ? "write" :
	    this->op == 2 ? "flush" : this->op == 3 ? "discard" : "other"] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@block_disk);
}
