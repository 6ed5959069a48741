#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nettx.d: sent packets, from the queue of a device (qdisc) until the device is done with them.
 *
 * The exit id is 0: sent; 1: dropped; 2: received by another interface of this machine (loopback, veth).
 *
 * Tracker nettx: sent packets
 *   waits for "{stage} (packet sent)": queued, net
 *   dev: the interface
 *   bytes: of the packet
 *   send_ns: time in the sender's system call before the queue; 0: it did not come from there
 *   qdisc_ns: time in the queue
 *   driver_ns: time in the driver and the device
 *   stage = the device | the queue of the device: the longer of the two
 */
#pragma D option quiet
#pragma D option noself

tracker nettx (void *) { threshold = 5ms; limit = 100; size = 65536; gc = 60s; }

uint64_t sent[uintptr_t], before[uintptr_t];

syscall::sendto:entry, syscall::sendmsg:entry, syscall::sendmmsg:entry, syscall::write:entry, syscall::writev:entry
{
	self->send = timestamp;
}

syscall::sendto:return, syscall::sendmsg:return, syscall::sendmmsg:return, syscall::write:return, syscall::writev:return
{
	self->send = 0;
}

sdt:net::net_dev_queue
{
	begin(nettx, args[0]);
	before[(uintptr_t)args[0]] = self->send ? timestamp - self->send : 0;
}

sdt:net::net_dev_start_xmit
{
	sent[(uintptr_t)args[0]] = timestamp;
}

sdt:net::netif_rx
{
	end(nettx, args[0], 2);
}

sdt:skb::consume_skb
{
	end(nettx, args[0], 0);
}

sdt:skb::kfree_skb
{
	end(nettx, args[0], 1);
}

sdt:net::netif_rx, sdt:skb::consume_skb, sdt:skb::kfree_skb
/sent[(uintptr_t)args[0]]/
{
	sent[(uintptr_t)args[0]] = 0;
	before[(uintptr_t)args[0]] = 0;
}

latency:nettx::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->at = sent[(uintptr_t)args[1]];
	this->qdisc = this->at ? this->at - args[0]->start : args[0]->delay;
	this->driver = args[0]->delay - this->qdisc;
	slow("dev", stringof(((struct sk_buff *)args[1])->dev->name), "bytes", ((struct sk_buff *)args[1])->len,
	    "send_ns", before[(uintptr_t)args[1]], "qdisc_ns", this->qdisc, "driver_ns", this->driver,
	    "stage", this->driver > this->qdisc ? "the device" : "the queue of the device");
}
