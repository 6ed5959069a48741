#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.d: system calls that wait on a socket: for data, for room to send, for a client.
 *
 * Every system call of every program costs a little more. Calls that wait for several descriptors at once (select(2),
 * epoll_wait(2), poll(2) of more than one) are not measured: offcpu.d has those.
 *
 * Tracker socket: data, or room to send
 *   waits for "{awaited}": call, net
 *   groups by curthread
 *   syscall: its name
 *   protocol: such as TCP
 *   to: address and port of the other end, or the path of a Unix socket: its own, where it has no other end
 *   awaited: what the system call waited for, in words
 *   peer_pid: of a Unix socket, the process that called connect(2) or listen(2) for the other end
 *   ret: what the system call returned
 *   ustack: the caller
 * Tracker accept: servers that wait for a client
 *   waits for "a client (accept)": call, idle
 *   groups by curthread
 *   syscall: its name
 *   protocol: such as TCP
 *   to: the client
 *   ret: what the system call returned
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker socket () { threshold = 100ms; limit = 100; }
tracker accept () { threshold = 100ms; limit = 100; }

inline int POLLIN = 1; /* as in include/uapi/asm-generic/poll.h */

inline int is_socket[int F] = fd_type[F] == S_IFSOCK;
inline struct sock *sock_of[int F] = is_socket[F] ? ((struct socket *)fd_file[F]->private_data)->sk : NULL;
inline int family_of[struct sock *S] = S->__sk_common.skc_family;
inline int is_inet[struct sock *S] = family_of[S] == AF_INET || family_of[S] == AF_INET6;
inline string protocol_of[struct sock *S] = S == NULL ? "" : family_of[S] == AF_UNIX ? "unix" :
    family_of[S] == AF_NETLINK ? "netlink" : family_of[S] == AF_PACKET ? "packet" : family_of[S] == AF_VSOCK ? "vsock" :
    !is_inet[S] ? "socket" : S->sk_protocol == IPPROTO_TCP ? "tcp" : S->sk_protocol == IPPROTO_UDP ? "udp" : "ip";

/* A Unix socket has the name of the end that has one: the server's. */
inline struct unix_address *unix_name[struct sock *S] = ((struct unix_sock *)S)->addr != NULL ?
    ((struct unix_sock *)S)->addr : ((struct unix_sock *)S)->peer != NULL ?
    ((struct unix_sock *)((struct unix_sock *)S)->peer)->addr : NULL;
inline string unix_path[struct sock *S] = unix_name[S] != NULL ? stringof(unix_name[S]->name[0].sun_path) : "";

/* The other end; of a socket that has none its own name. */
inline string address_of[struct sock *S] = sock_rport[S] ? sock_remote[S] : sock_local[S];
inline string name_of[struct sock *S] = S == NULL ? "" : family_of[S] == AF_UNIX ? unix_path[S] : !is_inet[S] ? "" :
    inet_endpoint[address_of[S], sock_rport[S] ? sock_rport[S] : sock_lport[S]];

syscall::recvfrom:entry, syscall::recvmsg:entry, syscall::recvmmsg:entry, syscall::sendto:entry, syscall::sendmsg:entry,
syscall::sendmmsg:entry
{
	self->fd = arg0;
	self->waits = 1;
	self->sends = 0;
}

syscall::read:entry, syscall::readv:entry, syscall::write:entry, syscall::writev:entry
/is_socket[(int)arg0]/
{
	self->fd = arg0;
	self->waits = 1;
	self->sends = 0;
}

syscall::sendto:entry, syscall::sendmsg:entry, syscall::sendmmsg:entry, syscall::write:entry, syscall::writev:entry
/self->waits/
{
	self->sends = 1;
}

/* A call with one descriptor waits for that one. */
syscall::poll:entry, syscall::ppoll:entry
/arg1 == 1/
{
	self->fd = *(int *)copyin(arg0, sizeof (int));
	self->waits = is_socket[(int)self->fd];
	self->sends = !(*(short *)copyin(arg0 + sizeof (int), sizeof (short)) & POLLIN);
}

syscall:::entry
/self->waits/
{
	begin(socket);
	self->waits = 0;
}

syscall::accept:entry, syscall::accept4:entry
{
	self->fd = arg0;
	begin(accept);
}

/* Where none is open that is all. */
syscall:::return
{
	this->name = probefunc;
	end(socket, arg0);
}

syscall::accept:return, syscall::accept4:return
{
	this->name = probefunc;
	end(accept, arg0);
}

/* In the words of dlib/causes. */
inline string awaited[struct sock *S, int SENDS] =
    S != NULL && family_of[S] == AF_UNIX ? (SENDS ? "room in a Unix socket" : "data on a Unix socket") :
    SENDS ? "room in a socket's send buffer" :
    S != NULL && is_inet[S] && S->sk_protocol == IPPROTO_TCP ? "data on a TCP connection" : "data on a socket";

latency:socket::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->sk = sock_of[(int)self->fd];
	this->peer = this->sk != NULL ? this->sk->sk_peer_pid : NULL;
	slow("syscall", this->name, "protocol", protocol_of[this->sk], "to", name_of[this->sk],
	    "awaited", awaited[this->sk, (int)self->sends],
	    "peer_pid", this->peer != NULL ? this->peer->numbers[0].nr : 0, "ret", (int64_t)args[0]->id,
	    "ustack", jstack(100));
}

latency:accept::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->sk = sock_of[(int)((int64_t)args[0]->id >= 0 ? args[0]->id : self->fd)];
	slow("syscall", this->name, "protocol", protocol_of[this->sk], "to", name_of[this->sk],
	    "ret", (int64_t)args[0]->id);
}
