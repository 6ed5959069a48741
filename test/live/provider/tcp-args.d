/* SPDX-License-Identifier: Apache-2.0 */
/* The translated arguments of providers tcp, udp and ip: who talks to whom, with packet or without.
 * @options: -q
 * @trigger: tcp 47125 */
tcp:::connect-request, tcp:::send
/args[4]->tcp_dport == 47125 && args[2]->ip_daddr == "127.0.0.1" && args[0]->pkt_addr != 0 &&
    args[3]->tcps_state <= TCP_STATE_SYN_SENT/
{
	@n[probename, tcp_state_string[args[3]->tcps_state], args[4]->tcp_flags & TH_SYN] = count();
}

tcp:::connect-established, tcp:::connect-refused
/args[4]->tcp_sport == 47125 && args[3]->tcps_rport == 47125 && args[4]->tcp_dport == args[3]->tcps_lport/
{
	@c[probename, tcp_state_string[args[3]->tcps_state], args[2]->ip_saddr, args[1]->cs_addr != 0] = count();
}

tcp:::accept-established
/args[4]->tcp_dport == 47125 && args[3]->tcps_lport == 47125 && args[4]->tcp_sport == args[3]->tcps_rport/
{
	@c[probename, tcp_state_string[args[3]->tcps_state], args[3]->tcps_raddr, args[1]->cs_addr != 0] = count();
}

tcp:::state-change
/args[3]->tcps_lport == 47125 && args[5]->tcps_state < TCP_STATE_FIN_WAIT_1/
{
	@s[tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]] = count();
}

ip:::send
/args[4]->ipv4_protocol == IPPROTO_TCP && args[2]->ip_ver == 4 && args[5]->ipv6_ver == 0 && args[3]->if_name == "lo" &&
    ((struct tcphdr *)(arg2 + args[4]->ipv4_ihl))->dest == htons(47125) && args[2]->ip_plength == 132/
{
	@i["the 100 bytes", args[4]->ipv4_daddr, args[4]->ipv4_protostr] = count();
}

END
{
	/* data and acknowledgements: how many depends on who is faster */
	setopt("aggsortkey");
	printa("%s %s %d\n", @n);
	printa("%s %s %s %d %@d\n", @c);
	printa("%s to %s %@d\n", @s);
	printa("%s %s %s %@d\n", @i);
}
