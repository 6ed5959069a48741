#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect.d: connections that take long to be made, and answers of name servers.
 *
 * Tracker connect: connect(2), in the thread that called it
 *   waits for "a connection (connect)": call, net
 *   keys by process: args[0]->comm
 *   fd, ret: its argument, and what it returned
 *   ustack: the caller
 * Tracker tcpconnect: TCP connections of programs that do not wait in connect(2), from the first packet on
 *   waits for "a connection to {to}": call, net
 *   to: address and port
 *   error: 0, or an errno
 * Tracker dns: questions to name servers by UDP, until their answer
 *   waits for "an answer about {name}": call, net
 *   server: the name server
 *   name: what was asked
 *   result = answered | asked again | none: none after 30 s
 */
#pragma D option quiet
#pragma D option noself

tracker connect () { threshold = 100ms; limit = 100; }
tracker tcpconnect (struct sock *) { threshold = 100ms; limit = 100; gc = 10m; }
tracker dns (uint16_t, uint16_t) { threshold = 100ms; limit = 100; gc = 30s; }

syscall::connect:entry
{
	begin(connect);
	self->fd = arg0;
}

syscall::connect:return
{
	this->failed = errno; /* 0: not */
	end(connect, arg0);
}

/* Blocking connects are measured above. Sockets of the kernel have no file. */
sdt:sock::inet_sock_set_state
/args[2] == TCP_STATE_SYN_SENT && ((struct sock *)arg0)->sk_protocol == IPPROTO_TCP &&
    (((struct sock *)arg0)->sk_socket == NULL || ((struct sock *)arg0)->sk_socket->file == NULL ||
    ((struct sock *)arg0)->sk_socket->file->f_flags & O_NONBLOCK)/
{
	begin(tcpconnect, (struct sock *)arg0);
}

sdt:sock::inet_sock_set_state
/args[1] == TCP_STATE_SYN_SENT/
{
	end(tcpconnect, (struct sock *)arg0, ((struct sock *)arg0)->sk_err);
}

/* A question has a number, so that those that a program asks at once by one socket (addresses of both kinds) are told
 * apart. */
inline int DNS_PORT = 53;
inline int DNS_HEADER = 12;
inline int DNS_LABELS = 8; /* that are kept of a name */
inline uint16_t question[struct udphdr *U] = ntohs(*(uint16_t *)(U + 1));

string asked[uint16_t, uint16_t], server[uint16_t, uint16_t];

udp:::send
/args[4]->udp_dport == DNS_PORT/
{
	begin(dns, args[4]->udp_sport, question[args[4]->udp_hdr]);
	this->at = (uint8_t *)(args[4]->udp_hdr + 1) + DNS_HEADER;
	this->name = "";
	for (int i = 0; i < DNS_LABELS && *this->at; i++) {
		this->name = strjoin(this->name, strjoin(i ? "." : "",
		    substr(stringof((char *)this->at + 1), 0, *this->at)));
		this->at += *this->at + 1;
	}
	asked[args[4]->udp_sport, question[args[4]->udp_hdr]] = this->name;
	server[args[4]->udp_sport, question[args[4]->udp_hdr]] = args[2]->ip_daddr;
}

udp:::receive
/args[4]->udp_sport == DNS_PORT/
{
	end(dns, args[4]->udp_dport, question[args[4]->udp_hdr]);
	asked[args[4]->udp_dport, question[args[4]->udp_hdr]] = 0;
	server[args[4]->udp_dport, question[args[4]->udp_hdr]] = 0;
}

latency:connect::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("fd", self->fd, "ret", args[0]->id, "ustack", jstack(100));
}

latency:tcpconnect::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("to", inet_endpoint[sock_remote[args[1]], sock_rport[args[1]]], "error", args[0]->id);
}

inline int REPLACED = 2;
inline int COLLECTED = 3;

latency:dns::slow
{
	slow("server", server[args[1], args[2]], "name", asked[args[1], args[2]], "result",
	    args[0]->how == REPLACED ? "asked again" : args[0]->how == COLLECTED ? "none" : "answered");
}

latency:dns::slow
/args[0]->how == COLLECTED/
{
	asked[args[1], args[2]] = 0;
	server[args[1], args[2]] = 0;
}
