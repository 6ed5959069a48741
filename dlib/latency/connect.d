#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect.d: connections that take long to be made, and answers of name servers.
 *
 * Attributes of slow events: connect: fd, ret; dns: port: the program's port.
 */
#pragma D option quiet
#pragma D option noself

tracker connect () { threshold = 100ms; limit = 100; }
tracker dns (uint16_t) { threshold = 100ms; limit = 100; gc = 30s; }

syscall::connect:entry
{
	begin(connect);
	self->fd = arg0;
}

syscall::connect:return
{
	end(connect, arg0);
}

udp:::send
/args[4]->udp_dport == 53/
{
	begin(dns, args[4]->udp_sport);
}

udp:::receive
/args[4]->udp_sport == 53/
{
	end(dns, args[4]->udp_dport);
}

latency:connect::slow
/!(args[0]->how & 3)/
{
	slow("fd", self->fd, "ret", args[0]->id, "ustack", ustack());
}

latency:dns::slow
/!(args[0]->how & 3)/
{
	slow("port", args[1]);
}
