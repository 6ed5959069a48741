# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""csinfo_t: cs_cid is a number of its own for each end of each connection. It is the same in all packets, and in tcp, ip and
udp. cs_pid is the process that uses the socket."""
import collections
import os
import re
import socket
import subprocess
import threading
import time

import live

CONNECTIONS = 24
PROGRAM = """
tcp:::connect-request /args[4]->tcp_dport == $1/
{ printf("c %d %d %x %d\\n", args[4]->tcp_sport, $1, args[1]->cs_cid, 1); start[args[1]->cs_cid] = timestamp; }
tcp:::connect-established /args[3]->tcps_rport == $1 && start[args[1]->cs_cid]/
{ printf("e %d %d %x %d\\n", args[3]->tcps_lport, $1, args[1]->cs_cid, timestamp - start[args[1]->cs_cid]); }
tcp:::accept-established /args[3]->tcps_lport == $1/
{ printf("a %d %d %x %d\\n", $1, args[3]->tcps_rport, args[1]->cs_cid, 0); }
tcp:::send /args[4]->tcp_dport == $1 || args[4]->tcp_sport == $1/
{ printf("t %d %d %x %d\\n", args[4]->tcp_sport, args[4]->tcp_dport, args[1]->cs_cid, args[4]->tcp_flags); }
tcp:::receive /args[4]->tcp_dport == $1 || args[4]->tcp_sport == $1/
{ printf("r %d %d %x %d\\n", args[4]->tcp_dport, args[4]->tcp_sport, args[1]->cs_cid, args[4]->tcp_flags); }
tcp:::state-change /args[5]->tcps_state > TCP_STATE_SYN_RECEIVED && args[5]->tcps_state != TCP_STATE_LISTEN &&
    args[5]->tcps_state != TCP_STATE_CLOSED && (args[3]->tcps_lport == $1 || args[3]->tcps_rport == $1)/
{ printf("s %d %d %x %d\\n", args[3]->tcps_lport, args[3]->tcps_rport, args[1]->cs_cid, args[3]->tcps_state); }
ip:::send /IS_TCP/ { this->t = (struct tcphdr *)(arg2 + HEADER); }
ip:::send /IS_TCP && (ntohs(this->t->dest) == $1 || ntohs(this->t->source) == $1)/
{ printf("i %d %d %x %d\\n", ntohs(this->t->source), ntohs(this->t->dest), args[1]->cs_cid, 0); }
ip:::receive /IS_TCP/ { this->t = (struct tcphdr *)(arg2 + HEADER); }
ip:::receive /IS_TCP && (ntohs(this->t->dest) == $1 || ntohs(this->t->source) == $1)/
{ printf("j %d %d %x %d\\n", ntohs(this->t->dest), ntohs(this->t->source), args[1]->cs_cid, 0); }
tcp:::connect-request /args[4]->tcp_dport == $1/ { printf("p %d %d %x %d\\n", args[1]->cs_pid, pid, args[1]->cs_zoneid, 0); }
"""
IP4 = {"IS_TCP": "args[2]->ip_ver == 4 && args[4]->ipv4_protocol == IPPROTO_TCP", "HEADER": "args[4]->ipv4_ihl"}
IP6 = {"IS_TCP": "args[2]->ip_ver == 6 && args[5]->ipv6_nexthdr == IPPROTO_TCP", "HEADER": "40"}


def traced(program, words, port, load):
    """What the program printed while load() ran: [kind, local port, remote port, id, number]."""
    program = re.sub("|".join(words), lambda m: words[m.group()], program)
    p = subprocess.Popen(
        [live.DWELL, "-q", "-x", "bufsize=8m", "-n", program, "-c", "cat", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    p.stdin.write("ready\n")
    p.stdin.flush()
    assert p.stdout.readline() == "ready\n", p.stderr.read()
    load()
    out, err = p.communicate(timeout=30)
    return [
        (k, int(l), int(r), int(i, 16), int(n))
        for k, l, r, i, n in re.findall(r"^(\w) (-?\d+) (-?\d+) ([0-9a-f]+) (-?\d+)$", out, re.M)
    ], err


def connections(server):
    """All at once, and each in a thread: they say hello, are answered, and end."""

    def client():
        c = socket.socket(server.family, socket.SOCK_STREAM)
        c.connect(server.getsockname()[:2])
        c.sendall(b"hello")
        c.recv(10)
        c.close()

    threads = [threading.Thread(target=client) for _ in range(CONNECTIONS)]
    for t in threads:
        t.start()
    accepted = [server.accept()[0] for _ in threads]
    for a in accepted:
        a.recv(10)
        a.sendall(b"hello you")
    for a in accepted:
        a.recv(10)
        a.close()
    for t in threads:
        t.join()
    time.sleep(0.2)


for family, address, words in ((socket.AF_INET, "127.0.0.1", IP4), (socket.AF_INET6, "::1", IP6)):
    version = 4 if family == socket.AF_INET else 6
    try:
        server = socket.socket(family, socket.SOCK_STREAM)
        server.bind((address, 0))
    except OSError as e:
        print(f"# {address}: {e}")
        continue
    server.listen(CONNECTIONS)
    port = server.getsockname()[1]
    seen, err = traced(PROGRAM, words, port, lambda: connections(server))
    server.close()
    ids, kinds = collections.defaultdict(set), collections.defaultdict(set)
    for kind, local, remote, cid, _ in seen:
        if kind != "p":
            ids[local, remote].add(cid)
            kinds[local, remote].add(kind)
    live.check(
        len(ids) == 2 * CONNECTIONS, f"IPv{version}: {CONNECTIONS} connections with two ends", f"{len(ids)}\n{err}"
    )
    live.check(
        all(len(s) == 1 for s in ids.values()),
        f"IPv{version}: an end has one number, from SYN or SYN-ACK on",
        "\n".join(f"{k}: {[hex(x) for x in v]} {kinds[k]}" for k, v in ids.items() if len(v) != 1),
    )
    live.check(
        len(set().union(*ids.values())) == 2 * CONNECTIONS and 0 not in set().union(*ids.values()),
        f"IPv{version}: each end has another one",
    )
    here = [kinds[k] for k in ids if k[1] == port]
    there = [kinds[k] for k in ids if k[0] == port]
    live.check(
        all(set("cetrsij") <= s for s in here) and all(set("atrsij") <= s for s in there),
        f"IPv{version}: in packets, changes of state, of tcp and ip",
        str(here) + str(there),
    )
    live.check(
        sum(k == "e" and n > 0 for k, _, _, _, n in seen) == CONNECTIONS,
        f"IPv{version}: each connection's latency is found by its number",
    )
    pids = [(l, r, z) for k, l, r, z, _ in seen if k == "p"]
    live.check(
        len(pids) == CONNECTIONS and set(pids) == {(os.getpid(), os.getpid(), 0)},
        f"IPv{version}: cs_pid is who connects",
        str(pids),
    )

UDP = """
udp:::send /args[4]->udp_dport == $1/ { printf("u %d %d %x %d\\n", args[4]->udp_sport, $1, args[1]->cs_cid, 0); }
udp:::receive /args[4]->udp_dport == $1/ { printf("v %d %d %x %d\\n", $1, args[4]->udp_sport, args[1]->cs_cid, 0); }
udp:::send /args[4]->udp_sport == $1/ { printf("w %d %d %x %d\\n", $1, args[4]->udp_dport, args[1]->cs_cid, 0); }
udp:::receive /args[4]->udp_sport == $1/ { printf("x %d %d %x %d\\n", args[4]->udp_dport, $1, args[1]->cs_cid, 0); }
"""
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 0))
clients = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3)]
clients[0].connect(server.getsockname())  # the others are not connected: their packets tell


def datagrams():
    for c in clients * 2:
        c.sendto(b"hello", server.getsockname()) if c is not clients[0] else c.send(b"hello")
        data, who = server.recvfrom(10)
        server.sendto(data, who)
        c.recv(10)


seen, err = traced(UDP, {"NOTHING": ""}, server.getsockname()[1], datagrams)
ids = collections.defaultdict(set)
for kind, local, remote, cid, _ in seen:
    ids[local, remote].add(cid)
live.check(
    len(seen) == 24
    and len(ids) == 6
    and all(len(s) == 1 for s in ids.values())
    and len(set().union(*ids.values())) == 6,
    "UDP: each end of each conversation has one number, sent and received",
    f"{seen}\n{err}",
)
live.done()
