#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netrx.d: received packets, from the device until a program has copied them, or the kernel has freed them.
 *
 * The exit id is 0: copied by a program; 1: consumed by the kernel (an acknowledgement); 2: dropped. For UDP the kernel
 * does not identify the datagram that is read (Linux 6.18). Datagrams are read in the order of their arrival, so it is
 * the oldest one.
 *
 * Tracker netrx: received packets
 *   waits for "{stage} (packet received)": queued, net
 *   groups by curthread
 *   ifindex: the interface's number, as ip(8) shows it
 *   bytes: of the packet
 *   protocol_ns: time until the packet was in the queue of its socket
 *   cpu_ns: time for which a reader that waited for the packet was runnable, without a CPU
 *   reader_ns: time for which the reader did something else
 *   stage = the network protocols | its reader to run | its reader, which was busy: the longest of the three
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker netrx (void *) { threshold = 10ms; limit = 100; size = 65536; gc = 60s; }

/* The packet that a CPU is receiving; the times when packets came to their sockets. */
uintptr_t receiving[int];
uint64_t queued[uintptr_t], readied[int], woken[pid_t];

sdt:net::netif_receive_skb
{
	begin(netrx, args[0]);
	receiving[cpu] = (uintptr_t)args[0];
}

/* For UDP, a socket's packets in their order, until they are read (Linux 6.3). */
inline int MSG_PEEK = 2;
uintptr_t waiting[struct sock *, uint32_t];
uint32_t came[struct sock *], taken[struct sock *];
int udp_iif[uintptr_t];
uint32_t udp_bytes[uintptr_t]; /* when one is read it is freed already */

sdt:sock::sk_data_ready
/receiving[cpu] && ((struct sock *)arg0)->sk_protocol == IPPROTO_UDP/
{
	this->sk = (struct sock *)arg0;
	this->n = came[this->sk];
	waiting[this->sk, this->n] = receiving[cpu];
	came[this->sk] = this->n + 1;
	udp_iif[receiving[cpu]] = ((struct sk_buff *)receiving[cpu])->skb_iif;
	udp_bytes[receiving[cpu]] = ((struct sk_buff *)receiving[cpu])->len;
	/* the only one: even if some were lost before, the order is known from here on */
	taken[this->sk] = this->sk->sk_receive_queue.qlen + ((struct udp_sock *)this->sk)->reader_queue.qlen == 1 ?
	    this->n : taken[this->sk];
}

sdt:sock::sock_recv_length
/((struct sock *)arg0)->sk_protocol == IPPROTO_UDP && (int)arg1 >= 0 && !(arg2 & MSG_PEEK) &&
    waiting[(struct sock *)arg0, taken[(struct sock *)arg0]]/
{
	this->sk = (struct sock *)arg0;
	this->n = taken[this->sk];
	end(netrx, (void *)waiting[this->sk, this->n], 0);
	queued[waiting[this->sk, this->n]] = 0;
	udp_iif[waiting[this->sk, this->n]] = 0;
	udp_bytes[waiting[this->sk, this->n]] = 0;
	waiting[this->sk, this->n] = 0;
	taken[this->sk] = this->n + 1;
}

/* In the same softirq, for the packet on hand. Before 6.3 only sock_rcvqueue_full is there. */
sdt:sock::s[ko][_c][dk][a_][tr][ac]*
/probename == "sk_data_ready" && receiving[cpu]/
{
	queued[receiving[cpu]] = timestamp;
	readied[cpu] = timestamp;
	receiving[cpu] = 0;
}

/* Right after it: the thread that waits for this packet. */
inline int WAKES_WITHIN = 20000; /* ns */
sdt:sched::sched_waking
/timestamp - readied[cpu] < WAKES_WITHIN/
{
	woken[args[0]->pid] = timestamp;
}

sdt:skb::skb_copy_datagram_iovec
{
	end(netrx, args[0], 0);
	queued[(uintptr_t)args[0]] = 0;
}

sdt:skb::consume_skb
{
	end(netrx, args[0], 1);
	queued[(uintptr_t)args[0]] = 0;
}

sdt:skb::kfree_skb
{
	end(netrx, args[0], 2);
	queued[(uintptr_t)args[0]] = 0;
}

/* The scheduler notes when a thread got its CPU, by its own clock. */
latency:netrx::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->at = args[0]->id ? 0 : queued[(uintptr_t)args[1]];
	this->protocol = this->at ? this->at - args[0]->start : args[0]->delay;
	this->queue = args[0]->delay - this->protocol;
	this->runs = _sched_clock() - curthread->sched_info.last_arrival;
	this->reader = woken[tid] < this->at || this->runs > this->queue ? this->queue : this->runs;
	this->cpu = this->queue - this->reader;
	this->udp = udp_iif[(uintptr_t)args[1]];
	slow("ifindex", this->udp ? this->udp : ((struct sk_buff *)args[1])->skb_iif,
	    "bytes", this->udp ? udp_bytes[(uintptr_t)args[1]] : ((struct sk_buff *)args[1])->len,
	    "protocol_ns", this->protocol, "cpu_ns", this->cpu, "reader_ns", this->reader,
	    "stage", this->protocol >= this->cpu && this->protocol >= this->reader ? "the network protocols" :
	    this->cpu >= this->reader ? "its reader to run" : "its reader, which was busy");
}
