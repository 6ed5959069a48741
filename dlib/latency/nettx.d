#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nettx.d: packets that are sent: in the queue of a device (qdisc), until the driver gets them.
 *
 * Attributes of slow events: dev: interface; bytes.
 */
#pragma D option quiet
#pragma D option noself

tracker nettx (void *) { threshold = 5ms; limit = 100; size = 65536; gc = 60s; }

sdt:net::net_dev_queue
{
	begin(nettx, args[0]);
}

sdt:net::net_dev_start_xmit
{
	end(nettx, args[0]);
}

latency:nettx::slow
/!args[0]->how/
{
	slow("dev", stringof(((struct sk_buff *)args[1])->dev->name), "bytes", ((struct sk_buff *)args[1])->len);
}
