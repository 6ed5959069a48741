#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netqtop.d: packets and bytes of network interfaces, by queue.
 *
 * Topic: Network
 * Usage: netqtop.d [--interval TIME]
 * One queue with nearly all packets: one CPU does the work of all.
 *
 * DEVICE  the interface        D  T sent, R received         QUEUE  its number
 * PACKETS, BYTES  as the kernel handles them: it may join or split packets later; AVG_BYTES  of one
 *
 * Example:
 *   # netqtop.d -c "nc -u 127.0.0.1 9"
 *   2026 Nov 26 11:49:29
 *   DEVICE           D  QUEUE    PACKETS          BYTES AVG_BYTES
 *   lo               T      0         21           1906        90
 *   lo               R      0         21           1612        76
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 1s

sdt:::net_dev_start_xmit
{
	@n[stringof(args[1]->name), "T", (int)args[0]->queue_mapping] = count();
	@bytes[stringof(args[1]->name), "T", (int)args[0]->queue_mapping] = sum(args[0]->len);
	@avg[stringof(args[1]->name), "T", (int)args[0]->queue_mapping] = avg(args[0]->len);
}

/* A driver that tells the queue of what it received counts from 1. */
sdt:::netif_receive_skb
{
	this->q = args[0]->queue_mapping ? (int)args[0]->queue_mapping - 1 : 0;
	@n[stringof(args[0]->dev->name), "R", this->q] = count();
	@bytes[stringof(args[0]->dev->name), "R", this->q] = sum(args[0]->len);
	@avg[stringof(args[0]->dev->name), "R", this->q] = avg(args[0]->len);
}

tick-$interval, END
{
	printf("%Y\n%-16s %1s %6s %10s %14s %9s\n", walltimestamp, "DEVICE", "D", "QUEUE", "PACKETS", "BYTES",
	    "AVG_BYTES");
	printa("%-16s %1s %6d %@10d %@14d %@9d\n", @n, @bytes, @avg);
	trunc(@n);
	trunc(@bytes);
	trunc(@avg);
}
