/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the trackers connect, tcpconnect, dns by the group of the thread that asked, as
 * @connect_group, @tcpconnect_group, @dns_group. `dwell latency` runs it with connect.d for --by and for filters. */
latency:connect::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@connect_group[group_name_of[curthread]] = hist(args[0]->delay);
}

string tcpconnect_group[uintptr_t];
int tcpconnect_wanted[uintptr_t];

sdt:sock::inet_sock_set_state
/args[2] == TCP_STATE_SYN_SENT && wanted_of[curthread]/
{
	tcpconnect_wanted[(uintptr_t)arg0] = 1;
	tcpconnect_group[(uintptr_t)arg0] = group_name_of[curthread];
}

latency:tcpconnect::all
/!(args[0]->how & HOW_NOT_ENDED) && tcpconnect_wanted[(uintptr_t)args[1]]/
{
	@tcpconnect_group[tcpconnect_group[(uintptr_t)args[1]]] = hist(args[0]->delay);
}

latency:tcpconnect::all
/tcpconnect_wanted[(uintptr_t)args[1]]/
{
	tcpconnect_wanted[(uintptr_t)args[1]] = 0;
	tcpconnect_group[(uintptr_t)args[1]] = 0;
}

string dns_group[uint16_t, uint16_t];
int dns_wanted[uint16_t, uint16_t];

udp:::send
/args[4]->udp_dport == DNS_PORT && wanted_of[curthread]/
{
	dns_wanted[args[4]->udp_sport, question[args[4]->udp_hdr]] = 1;
	dns_group[args[4]->udp_sport, question[args[4]->udp_hdr]] = group_name_of[curthread];
}

latency:dns::all
/!(args[0]->how & HOW_NOT_ENDED) && dns_wanted[args[1], args[2]]/
{
	@dns_group[dns_group[args[1], args[2]]] = hist(args[0]->delay);
}

latency:dns::all
/dns_wanted[args[1], args[2]]/
{
	dns_wanted[args[1], args[2]] = 0;
	dns_group[args[1], args[2]] = 0;
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@connect_group);
	trunc(@tcpconnect_group);
	trunc(@dns_group);
}
