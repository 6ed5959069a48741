# SPDX-License-Identifier: Apache-2.0
"""Every member of the types that DTrace documents for arguments of probes and for built-in variables: it is there, of the
documented size and kind, and its translation compiles in a probe that has it; and what the members of the network types say
of real packets (IPv4 and IPv6, TCP and UDP) is what the sockets say."""
import os
import re
import socket
import struct
import subprocess
import time

import live

# Source: Solaris and Oracle Linux DTrace guides, chapters of the providers and of curpsinfo, curlwpsinfo, fds and curcpu.
# s: string; a number: bytes of an integer or pointer, negative when signed; (n,): an array or struct of n bytes.
PTR = 8
TYPES = {
    "conninfo_t": (None, {"ci_local": "s", "ci_remote": "s", "ci_protocol": "s"}),
    "pktinfo_t": ("tcp:::send args[0]", {"pkt_addr": PTR}),
    "csinfo_t": ("tcp:::send args[1]", {"cs_addr": PTR, "cs_cid": 8, "cs_pid": -4, "cs_zoneid": -4}),
    "ipinfo_t": ("tcp:::send args[2]", {"ip_ver": 1, "ip_plength": 4, "ip_saddr": "s", "ip_daddr": "s"}),
    "ifinfo_t": ("ip:::send args[3]", {"if_name": "s", "if_local": -1, "if_ipstack": 8, "if_addr": PTR}),
    "ipv4info_t": (
        "ip:::send args[4]",
        {
            "ipv4_ver": 1,
            "ipv4_ihl": 1,
            "ipv4_tos": 1,
            "ipv4_length": 4,
            "ipv4_ident": 2,
            "ipv4_flags": 1,
            "ipv4_offset": 2,
            "ipv4_ttl": 1,
            "ipv4_protocol": 1,
            "ipv4_protostr": "s",
            "ipv4_checksum": 2,
            "ipv4_src": 4,
            "ipv4_dst": 4,
            "ipv4_saddr": "s",
            "ipv4_daddr": "s",
            "ipv4_hdr": PTR,
        },
    ),
    "ipv6info_t": (
        "ip:::send args[5]",
        {
            "ipv6_ver": 1,
            "ipv6_tclass": 1,
            "ipv6_flow": 4,
            "ipv6_plen": 4,
            "ipv6_nexthdr": 1,
            "ipv6_nextstr": "s",
            "ipv6_hlim": 1,
            "ipv6_src": PTR,
            "ipv6_dst": PTR,
            "ipv6_saddr": "s",
            "ipv6_daddr": "s",
            "ipv6_hdr": PTR,
        },
    ),
    "tcpinfo_t": (
        "tcp:::send args[4]",
        {
            "tcp_sport": 2,
            "tcp_dport": 2,
            "tcp_seq": 4,
            "tcp_ack": 4,
            "tcp_offset": 1,
            "tcp_flags": 1,
            "tcp_window": 2,
            "tcp_checksum": 2,
            "tcp_urgent": 2,
            "tcp_hdr": PTR,
        },
    ),
    "tcpsinfo_t": (
        "tcp:::send args[3]",
        {
            "tcps_addr": PTR,
            "tcps_local": -4,
            "tcps_lport": 2,
            "tcps_rport": 2,
            "tcps_laddr": "s",
            "tcps_raddr": "s",
            "tcps_state": -4,
            "tcps_iss": 4,
            "tcps_suna": 4,
            "tcps_snxt": 4,
            "tcps_rack": 4,
            "tcps_rnxt": 4,
            "tcps_swnd": 4,
            "tcps_snd_ws": -4,
            "tcps_rwnd": 4,
            "tcps_rcv_ws": -4,
            "tcps_cwnd": 4,
            "tcps_cwnd_ssthresh": 4,
            "tcps_sack_fack": 4,
            "tcps_sack_snxt": 4,
            "tcps_rto": 4,
            "tcps_mss": 4,
            "tcps_retransmit": -4,
            "tcps_rtt": 4,
            "tcps_rtt_sd": 4,
            "tcps_irs": 4,
        },
    ),
    "tcplsinfo_t": ("tcp:::state-change args[5]", {"tcps_state": -4}),
    "udpinfo_t": (
        "udp:::send args[4]",
        {"udp_sport": 2, "udp_dport": 2, "udp_length": 2, "udp_checksum": 2, "udp_hdr": PTR},
    ),
    "udpsinfo_t": (
        "udp:::send args[3]",
        {"udps_addr": PTR, "udps_lport": 2, "udps_rport": 2, "udps_laddr": "s", "udps_raddr": "s"},
    ),
    "bufinfo_t": (
        "io:::start args[0]",
        {
            "b_flags": -4,
            "b_bcount": 8,
            "b_addr": PTR,
            "b_lblkno": 8,
            "b_blkno": 8,
            "b_resid": 8,
            "b_bufsize": 8,
            "b_iodone": PTR,
            "b_error": -4,
            "b_edev": 4,
        },
    ),
    "devinfo_t": (
        "io:::start args[1]",
        {
            "dev_major": -4,
            "dev_minor": -4,
            "dev_instance": -4,
            "dev_name": "s",
            "dev_statname": "s",
            "dev_pathname": "s",
        },
    ),
    "fileinfo_t": (
        "io:::start args[2]",
        {
            "fi_name": "s",
            "fi_dirname": "s",
            "fi_pathname": "s",
            "fi_offset": -8,
            "fi_fs": "s",
            "fi_mount": "s",
            "fi_oflags": -4,
        },
    ),
    "cpuinfo_t": ("BEGIN curcpu", {"cpu_id": -4, "cpu_pset": -4, "cpu_chip": -4, "cpu_lgrp": -4, "cpu_info": None}),
    "lwpsinfo_t": (
        "proc:::lwp-create args[0]",
        {
            "pr_flag": -4,
            "pr_lwpid": -4,
            "pr_addr": PTR,
            "pr_wchan": PTR,
            "pr_stype": -1,
            "pr_state": -1,
            "pr_sname": -1,
            "pr_nice": -1,
            "pr_syscall": -2,
            "pr_oldpri": -1,
            "pr_cpu": -1,
            "pr_pri": -4,
            "pr_pctcpu": 2,
            "pr_start": (16,),
            "pr_time": (16,),
            "pr_clname": "s",
            "pr_name": (16,),
            "pr_onpro": -4,
            "pr_bindpro": -4,
            "pr_bindpset": -4,
            "pr_lgrp": -4,
        },
    ),
    "psinfo_t": (
        "proc:::create args[0]",
        {
            "pr_flag": -4,
            "pr_nlwp": -4,
            "pr_pid": -4,
            "pr_ppid": -4,
            "pr_pgid": -4,
            "pr_sid": -4,
            "pr_uid": 4,
            "pr_euid": 4,
            "pr_gid": 4,
            "pr_egid": 4,
            "pr_addr": PTR,
            "pr_size": 8,
            "pr_rssize": 8,
            "pr_ttydev": PTR,
            "pr_pctcpu": 2,
            "pr_pctmem": 2,
            "pr_start": (16,),
            "pr_time": (16,),
            "pr_ctime": (16,),
            "pr_fname": "s",
            "pr_psargs": "s",
            "pr_wstat": -4,
            "pr_argc": -4,
            "pr_argv": PTR,
            "pr_envp": PTR,
            "pr_dmodel": -1,
            "pr_taskid": -4,
            "pr_projid": -4,
            "pr_nzomb": -4,
            "pr_poolid": -4,
            "pr_zoneid": -4,
            "pr_contract": -4,
            "pr_lwp": None,
        },
    ),
}
BUILTINS = {"psinfo_t": "curpsinfo", "lwpsinfo_t": "curlwpsinfo", "fileinfo_t": "fds[0]"}
STRSIZE = 256


def size_of(kind):
    return STRSIZE if kind == "s" else kind[0] if isinstance(kind, tuple) else abs(kind)


def check_type(name, probe, members):
    known = {m: k for m, k in members.items() if k is not None}
    body = "".join(f'printf("{m} %d\\n", (int)sizeof (((struct {name[:-2]} *)0)->{m}));' for m in known)
    r = live.dwell("-q", "-n", f"BEGIN {{ {body} exit(0); }}", timeout=60)
    found = {m: int(n) for m, n in re.findall(r"^(\w+) (\d+)$", r.stdout, re.M)}
    wrong = [
        f"{m}: {found.get(m)} bytes instead of {size_of(k)}"
        for m, k in known.items()
        if found.get(m) != (size_of(k) if k != "s" else found.get(m)) or k == "s" and found.get(m, 0) < STRSIZE
    ]
    live.check(
        r.returncode == 0 and not wrong,
        f"{name}: {len(known)} members of the documented sizes",
        r.stderr + "\n".join(wrong),
    )
    # A value of -1 tells signed from unsigned.
    ints = {m: k for m, k in known.items() if isinstance(k, int) and k != PTR and "addr" not in m}
    body = "".join(f'this->v.{m} = -1; printf("{m} %d\\n", this->v.{m} < 0);' for m in ints)
    r = live.dwell("-q", "-n", f"this struct {name[:-2]} v; BEGIN {{ {body} exit(0); }}", timeout=60)
    wrong = [m for m, k in ints.items() if f"{m} {int(k < 0)}\n" not in r.stdout]
    live.check(r.returncode == 0 and not wrong, f"{name}: signed and unsigned", r.stderr + "\n".join(wrong))
    for where in filter(None, (probe, name in BUILTINS and f"BEGIN {BUILTINS[name]}")):
        at, expr = where.split(" ", 1)
        access = "." if expr.endswith("]") and expr.startswith("fds") else "->"
        body = "".join(
            f'trace({expr}{access}{m});'
            if not isinstance(k, tuple) or m == "pr_name"
            else f"trace({expr}{access}{m}.tv_sec);"
            for m, k in known.items()
        )
        r = live.dwell("-e", "-n", f"{at} {{ {body} }}", timeout=60)
        live.check(r.returncode == 0, f"{name}: all members of {expr} in {at}", r.stderr)


for type_name, (probe_name, all_members) in TYPES.items():
    check_type(type_name, probe_name, all_members)

# -- values --

TCP = """
tcp:::send /args[3]->tcps_lport == $1 && args[4]->tcp_flags & TH_PUSH/
{
    printf("send|%s|%s|%d|%d|%d|", args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_ver, args[2]->ip_plength,
        args[4]->tcp_offset);
    printf("%d|%d|%s|%s|%d|", args[4]->tcp_sport, args[4]->tcp_dport, args[3]->tcps_laddr, args[3]->tcps_raddr,
        args[3]->tcps_rport);
    printf("%d|%d|%d|%d|%d|", args[3]->tcps_local, args[3]->tcps_state == TCP_STATE_ESTABLISHED, args[3]->tcps_mss,
        args[4]->tcp_seq - args[3]->tcps_snxt, args[4]->tcp_ack - args[3]->tcps_rnxt);
    printf("%d|%d|%d|%d|", args[3]->tcps_cwnd, args[3]->tcps_snd_ws, args[3]->tcps_rcv_ws, args[3]->tcps_snxt -
        args[3]->tcps_iss);
    printf("%d|%d|%d|%d|%d\\n", args[3]->tcps_rnxt - args[3]->tcps_irs, args[3]->tcps_retransmit,
        args[3]->tcps_rack - args[3]->tcps_rnxt, args[3]->tcps_sack_fack - args[3]->tcps_suna, args[1]->cs_addr ==
        args[3]->tcps_addr);
    exit(0);
}
"""
NAMES = (
    "kind saddr daddr ver plength offset sport dport laddr raddr rport local established mss seq ack cwnd snd_ws rcv_ws "
    "sent got again rack fack cs"
).split()
DATA = b"x" * 777
SYN = 1  # takes one of the sequence numbers


def start(program, *args):
    # Whoever waits for its first line knows that it traces.
    p = subprocess.Popen(
        [live.DWELL, "-q", "-n", 'BEGIN { printf("ready\\n"); }' + program + "tick-10s { exit(1); }", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert p.stdout.readline() == "ready\n", p.stderr.read()
    time.sleep(0.5)
    return p


def connect(family, address):
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind((address, 0))
    server.listen(1)
    client = socket.socket(family, socket.SOCK_STREAM)
    client.connect(server.getsockname()[:2])
    accepted, _ = server.accept()
    return server, client, accepted


TCPI_SND_WSCALE, TCPI_SND_MSS, TCPI_SND_CWND = 6, 16, 80  # offsets in struct tcp_info
for family, address, version in ((socket.AF_INET, "127.0.0.1", 4), (socket.AF_INET6, "::1", 6)):
    try:
        server, client, accepted = connect(family, address)
    except OSError as e:
        print(f"# IPv{version}: {e}")
        continue
    port, peer = client.getsockname()[1], server.getsockname()[1]
    tracing = start(TCP, port)
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 200)
    client.sendall(DATA)
    out, err = tracing.communicate(timeout=20)
    line = re.search(r"^send\|.*$", out, re.M)
    v = dict(zip(NAMES, line.group().split("|"))) if line else {}
    want = {
        "saddr": address,
        "daddr": address,
        "laddr": address,
        "raddr": address,
        "ver": version,
        "sport": port,
        "dport": peer,
        "rport": peer,
        "local": 1,
        "established": 1,
        "seq": 0,
        "ack": 0,
        "again": 0,
        "rack": 0,
        "fack": 0,
        "cs": 1,
        "sent": SYN,
        "got": SYN,
        "plength": int(v.get("offset", 0)) + len(DATA),
        "mss": struct.unpack_from("I", info, TCPI_SND_MSS)[0],
        "cwnd": struct.unpack_from("I", info, TCPI_SND_CWND)[0],
        "snd_ws": info[TCPI_SND_WSCALE] & 15,
        "rcv_ws": info[TCPI_SND_WSCALE] >> 4,
    }
    wrong = [f"{k}: {v.get(k)} instead of {x}" for k, x in want.items() if v.get(k) != str(x)]
    live.check(
        not wrong, f"tcp:::send over IPv{version}: addresses, numbers, windows", "\n".join(wrong) + "\n" + out + err
    )
    for s in (server, client, accepted):
        s.close()

IP = """
ip:::send, ip:::receive /args[2]->ip_ver == 4 && args[4]->ipv4_protocol == IPPROTO_UDP && args[2]->ip_plength == $1/
{
    printf("%s|%d|%d|%d|%d|%d|%d|%s|%s|%s|%s|%d|%d\\n", probename, args[4]->ipv4_ver, args[4]->ipv4_ihl, args[4]->ipv4_length,
        args[4]->ipv4_ttl, args[4]->ipv4_offset, args[4]->ipv4_tos, args[4]->ipv4_protostr, args[4]->ipv4_saddr,
        args[4]->ipv4_daddr, args[3]->if_name, args[4]->ipv4_src == args[4]->ipv4_dst && args[5]->ipv6_ver == 0, args[4]->ipv4_flags);
}
ip:::send, ip:::receive /args[2]->ip_ver == 6 && args[5]->ipv6_nexthdr == IPPROTO_UDP && args[2]->ip_plength == $1/
{
    printf("%s|%d|%d|%d|%d|%d|%d|%s|%s|%s|%s|%d|0\\n", probename, args[5]->ipv6_ver, 40, args[5]->ipv6_plen,
        args[5]->ipv6_hlim, 0, args[5]->ipv6_tclass, args[5]->ipv6_nextstr, args[5]->ipv6_saddr,
        args[5]->ipv6_daddr, args[3]->if_name, args[4]->ipv4_ver == 0);
}
udp:::send, udp:::receive /args[4]->udp_length == $1/
{
    printf("u%s|%d|%d|%s|%s|%d\\n", probename, args[4]->udp_sport, args[4]->udp_dport, args[2]->ip_saddr, args[2]->ip_daddr,
        probename == "receive" ? args[3]->udps_addr == 0 : args[3]->udps_lport == args[4]->udp_sport &&
        args[3]->udps_addr == args[1]->cs_addr);
}
udp:::receive /args[4]->udp_length == $1/ { exit(0); }
"""
UDP_HEADER, TOS, TTL, HOPS, DONT_FRAGMENT = 8, 0x48, 77, 78, 4
for family, address, version in ((socket.AF_INET, "127.0.0.1", 4), (socket.AF_INET6, "::1", 6)):
    try:
        server = socket.socket(family, socket.SOCK_DGRAM)
        server.bind((address, 0))
    except OSError as e:
        print(f"# IPv{version}: {e}")
        continue
    client = socket.socket(family, socket.SOCK_DGRAM)
    client.bind((address, 0))
    if version == 4:
        client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, TOS)
        client.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, TTL)
    else:
        client.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, TOS)
        client.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, HOPS)
    size = 700 + version + UDP_HEADER
    tracing = start(IP, size)
    client.sendto(b"y" * (size - UDP_HEADER), server.getsockname()[:2])
    out, err = tracing.communicate(timeout=20)
    here, there = client.getsockname()[1], server.getsockname()[1]
    for probe in ("send", "receive"):
        line = "|".join(
            map(
                str,
                (
                    probe,
                    version,
                    20 if version == 4 else 40,
                    size + (20 if version == 4 else 0),
                    TTL if version == 4 else HOPS,
                    0,
                    TOS,
                    "UDP",
                    address,
                    address,
                    "lo",
                    1,
                    DONT_FRAGMENT if version == 4 else 0,
                ),
            )
        )
        live.check(line + "\n" in out, f"ip:::{probe} of a datagram over IPv{version}", f"{line}\n{out}{err}")
        line = f"u{probe}|{here}|{there}|{address}|{address}|1"
        live.check(line + "\n" in out, f"udp:::{probe} over IPv{version}", f"{line}\n{out}{err}")
    server.close()
    client.close()

r = live.dwell(
    "-qn",
    'BEGIN { printf("%s %d %d|", curcpu->cpu_info.pi_processor_type, curcpu->cpu_info.pi_state == P_ONLINE, '
    'curcpu->cpu_info.pi_clock); self->b = (boolean_t)2; printf("%d %d %d", B_TRUE, B_FALSE, sizeof (boolean_t)); exit(0); }',
)
live.same(r.stdout.strip(), f"{os.uname().machine} 1 0|1 0 4", "cpu_info and boolean_t")
with live.busy_cpus():
    r = live.dwell(
        "-qn",
        'sched:::on-cpu /pid/ { @[curpsinfo->pr_flag & PR_ISSYS ? "kernel" : "program", curthread->mm == NULL] = count(); } '
        'tick-500ms { exit(0); }',
    )
live.check(
    re.search(r"kernel +1 ", r.stdout)
    and re.search(r"program +0 ", r.stdout)
    and not re.search(r"kernel +0 ", r.stdout),
    "PR_ISSYS: threads of the kernel",
    r.stdout + r.stderr,
)

# A connection that a full queue of a listener does not answer is asked for again.
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(0)
port = server.getsockname()[1]
tracing = start(
    "tcp:::send /args[4]->tcp_dport == $1 && args[4]->tcp_flags == TH_SYN/ { @[args[3]->tcps_retransmit] = count(); }"
    'tcp:::send /args[4]->tcp_dport == $1 && args[4]->tcp_flags == TH_SYN && args[3]->tcps_retransmit/ { exit(0); }',
    port,
)
clients = []
for _ in range(4):
    c = socket.socket()
    c.setblocking(False)
    c.connect_ex(("127.0.0.1", port))
    clients.append(c)
out, err = tracing.communicate(timeout=20)
live.check(
    tracing.returncode == 0 and re.search(r"^ +0 +4$", out, re.M) and re.search(r"^ +1 +\d+$", out, re.M),
    "tcps_retransmit: 4 first packets, then one of them again",
    out + err,
)
live.done()
