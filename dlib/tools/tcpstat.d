#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpstat.d: TCP of the whole machine: connections, segments and bytes.
 *
 * Topic: Network
 * Usage: tcpstat.d [--interval TIME]
 * Received segments are those of established connections.
 *
 * OUT, IN  segments      OUT_KB, IN_KB  their payload     CONN, ACC  connections made and accepted
 * REFUSED  connections that the other side refused        RETRANS   segments that were sent again
 *
 * Example, while another terminal runs python3 -m http.server 8999 --directory /usr/share/doc 2>/dev/null & sleep 1; curl -s localhost:8999/ >/dev/null; sleep 1; kill %1:
 *   # tcpstat.d --interval 1s
 *   TIME                      OUT       IN    OUT_KB     IN_KB   CONN    ACC  REFUSED  RETRANS
 *   2026 Nov 21 17:22:42        0        0         0         0      0      0        0        0
 *   2026 Nov 21 17:22:43       14        8        45        45      1      1        0        0
 *   2026 Nov 21 17:22:44        0        0         0         0      0      0        0        0
 *   ...
 */
#pragma D option quiet
#pragma D param interval string "time between reports" 1s

BEGIN
{
	printf("%-20s %8s %8s %9s %9s %6s %6s %8s %8s\n", "TIME", "OUT", "IN", "OUT_KB", "IN_KB", "CONN",
	    "ACC", "REFUSED", "RETRANS");
}

/* So that all have a value in the first line. */
BEGIN
{
	@out = sum(0);
	@in = sum(0);
	@outkb = sum(0);
	@inkb = sum(0);
	@conn = sum(0);
	@acc = sum(0);
	@refused = sum(0);
	@retrans = sum(0);
}

tcp:::send
{
	@out = sum(1);
	@outkb = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

tcp:::receive
{
	@in = sum(1);
	@inkb = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

tcp:::connect-established { @conn = sum(1); }
tcp:::accept-established { @acc = sum(1); }
tcp:::connect-refused { @refused = sum(1); }
sdt:::tcp_retransmit_skb { @retrans = sum(1); }

tick-$interval, END
{
	normalize(@outkb, 1024);
	normalize(@inkb, 1024);
	printf("%-20Y ", walltimestamp);
	printa("%@8d %@8d %@9d %@9d ", @out, @in, @outkb, @inkb);
	printa("%@6d %@6d %@8d %@8d\n", @conn, @acc, @refused, @retrans);
	clear(@out);
	clear(@in);
	clear(@outkb);
	clear(@inkb);
	clear(@conn);
	clear(@acc);
	clear(@refused);
	clear(@retrans);
}
