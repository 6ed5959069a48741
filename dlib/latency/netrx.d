#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netrx.d: packets that were received: from the device until a program has them, or they are gone.
 *
 * The exit id says how it ended: 0 copied to the program, 1 consumed by the kernel (an acknowledgement), 2 dropped.
 * Attributes of slow events: ifindex: number of the interface, as ip(8) shows it; bytes.
 */
#pragma D option quiet
#pragma D option noself

tracker netrx (void *) { threshold = 10ms; limit = 100; size = 65536; gc = 60s; }

sdt:net::netif_receive_skb
{
	begin(netrx, args[0]);
}

sdt:skb::skb_copy_datagram_iovec
{
	end(netrx, args[0], 0);
}

sdt:skb::consume_skb
{
	end(netrx, args[0], 1);
}

sdt:skb::kfree_skb
{
	end(netrx, args[0], 2);
}

latency:netrx::slow
/!args[0]->how/
{
	slow("ifindex", ((struct sk_buff *)args[1])->skb_iif, "bytes", ((struct sk_buff *)args[1])->len);
}
