/* SPDX-License-Identifier: Apache-2.0 */
/* Providers udp and ip over three datagrams of 50 bytes through the loopback device.
 * @options: -q
 * @trigger: udp 47124 3 */
udp:::send, udp:::receive
/((struct udphdr *)arg4)->dest == htons(47124)/
{
	@n[probename, ntohs(((struct udphdr *)arg4)->len), arg6] = count();
}

udp:::send
/((struct udphdr *)arg4)->dest == htons(47124) && ((struct sock *)arg1)->sk_protocol == 17/
{
	@s["with its socket"] = count();
}

/* 20 bytes of IP header and 8 of UDP */
ip:::send, ip:::receive
/arg4 && ((struct iphdr *)arg4)->protocol == 17 && ((struct iphdr *)arg4)->daddr == htonl(0x7f000001) &&
    ((struct udphdr *)(arg2 + 20))->dest == htons(47124)/
{
	@i["ip", probename, ntohs(((struct iphdr *)arg4)->tot_len), ((struct net_device *)arg3)->ifindex] = count();
}

END
{
	printa("%s %d %d %@d\n", @n);
	printa("%s %@d\n", @s);
	printa("%s %s %d %d %@d\n", @i);
}
