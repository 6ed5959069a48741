# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""Sums of bytes are those of known transfers. They go over the loopback device, and over a veth pair between two network
namespaces, by IPv4 and IPv6. There are writes of several sizes, packets of more than 65,535 bytes, datagrams that are sent as
one, and fragments.

Packets are handled in soft interrupts, on top of the thread that has the CPU. Some kernels run no BPF programs while that is a
thread of process 1 (virtual machines with an agent in them). Nobody sees these packets, and nothing counts them. So a transfer
counts if process 1 did not run in the meantime, or if programs do run in it. Otherwise it is made again."""
import contextlib
import ctypes
import glob
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

import live

CLONE_NEWNET = 0x40000000
UDP_SEGMENT = 103
TCPI_BYTES_SENT = 200  # offsets in struct tcp_info, include/uapi/linux/tcp.h; both are of 8 bytes
TCPI_BYTES_RETRANS = 208
TCP_FIN_WAIT2 = 5
ATTEMPTS = 40
libc = ctypes.CDLL(None, use_errno=True)
SIZES = ((50_000_000, 262_144), (1_234_567, 1_234_567), (1_234_567, 1_000), (3_000_000, 65_536), (77, 77))
# $1: port of the listener. tcps_retransmit marks segments that were sent again. Bytes that were received again lie before
# the next expected one. A segment may begin with such bytes, if others were added to it while its socket was in use.
TCP = """
tcp:::send /args[4]->tcp_dport == $1 && BYTES > 0/ {
    @s[args[4]->tcp_sport] = sum(args[3]->tcps_retransmit ? 0 : BYTES);
    @again[args[4]->tcp_sport] = sum(args[3]->tcps_retransmit ? BYTES : 0);
    @largest[0] = max(BYTES);
}
tcp:::receive /args[4]->tcp_dport == $1 && BYTES > 0/ {
    this->new = (int32_t)(args[4]->tcp_seq + BYTES - args[3]->tcps_rnxt);
    @r[args[4]->tcp_sport] = sum(this->new <= 0 ? 0 : this->new < (int32_t)BYTES ? this->new : (int32_t)BYTES);
}
/* All packets of the connection, what is sent again as well. */
ip:::send, ip:::receive /IS_TCP/ { this->t = (struct tcphdr *)(arg2 + HEADER); }
ip:::send /IS_TCP && ntohs(this->t->dest) == $1/ {
    @i[ntohs(this->t->source)] = sum(args[2]->ip_plength - (this->t->doff << 2));
    @same[LENGTH == args[2]->ip_plength] = count();
}
ip:::receive /IS_TCP && ntohs(this->t->dest) == $1/ {
    @j[ntohs(this->t->source)] = sum(args[2]->ip_plength - (this->t->doff << 2));
    @same[LENGTH == args[2]->ip_plength] = count();
}
END {
    printa("send %d %@d\\n", @s); printa("receive %d %@d\\n", @r); printa("isend %d %@d\\n", @i); printa("ireceive %d %@d\\n", @j);
    printa("again %d %@d\\n", @again); printa("same %d %@d\\n", @same); printa("largest %d %@d\\n", @largest);
}
""".replace(
    "BYTES", "(args[2]->ip_plength - args[4]->tcp_offset)"
)
# Whether programs run while a thread of process 1 has the CPU.
INIT = """
sched:::off-cpu /pid == 1/ { @init = count(); }
END { printa("init 0 %@d\\n", @init); }
"""
WORDS = {  # by IP version; the kernel puts 8 bytes into IPv6 packets of more than 65,535 bytes, which are not counted
    4: {
        "IS_TCP": "args[2]->ip_ver == 4 && args[4]->ipv4_protocol == IPPROTO_TCP",
        "HEADER": "args[4]->ipv4_ihl",
        "LENGTH": "(args[4]->ipv4_length - args[4]->ipv4_ihl)",
    },
    6: {
        "IS_TCP": "args[2]->ip_ver == 6 && args[5]->ipv6_nexthdr == IPPROTO_TCP",
        "HEADER": "(((struct ipv6hdr *)arg2)->nexthdr == 0 ? 48 : 40)",
        "LENGTH": "args[5]->ipv6_plen",
    },
}
UDP = """
udp:::send /args[4]->udp_dport == $1/ { @n["send"] = sum(args[4]->udp_length - 8); }
udp:::receive /args[4]->udp_dport == $1/ { @n["receive"] = sum(args[4]->udp_length - 8); }
END { printa("%s 0 %@d\\n", @n); }
"""


class Tracing:
    """Traces from when it is made until end(): the command begins when all is attached, and ends with its input. What is looked at is packets, so
    aggregations are read out once, at the end."""

    def __init__(self, program, *args):
        self.p = subprocess.Popen(
            [live.DWELL, "-q", "-x", "aggrate=60s", "-n", program + INIT, "-c", "cat", *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.p.stdin.write("ready\n")
        self.p.stdin.flush()
        assert self.p.stdout.readline() == "ready\n", self.p.stderr.read()

    def end(self):
        out, self.err = self.p.communicate(timeout=60)
        sums = {}
        for kind, key, n in re.findall(r"^(\w+) (\d+) (-?\d+)$", out, re.M):
            sums.setdefault(kind, {})[int(key)] = int(n)
        return sums


def enter(ns):
    if libc.setns(ns, CLONE_NEWNET) < 0:
        raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def namespace(ns):
    """This thread is in the network namespace of that descriptor; None: stays."""
    if ns is None:
        yield
        return
    back = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    enter(ns)
    try:
        yield
    finally:
        enter(back)
        os.close(back)


def make_namespace():
    """A new one, which goes with its descriptor."""
    back = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET) < 0:
        raise OSError(ctypes.get_errno(), "unshare")
    ns = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    enter(back)
    os.close(back)
    return ns


def make_socket(ns, family, kind):
    with namespace(ns):
        return socket.socket(family, kind)


def runs_of_init():
    """How often and how long each thread of process 1 has run: the same twice if none did in between."""
    runs = {}
    for name in glob.glob("/proc/1/task/*/schedstat"):
        with contextlib.suppress(OSError), open(name) as f:
            runs[name] = f.read().split()[::2]
    return runs


def undisturbed(run):
    """Calls run() until process 1 did not run in the meantime; each call's value, and whether it was so for the last one."""
    values = []
    while len(values) < ATTEMPTS:
        before = runs_of_init()
        values.append(run())
        if runs_of_init() == before:
            return values, True
    return values, False


def bytes_of(client):
    """What the kernel says of the connection when all is acknowledged: bytes sent, bytes sent again."""
    while True:
        info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512)
        if info[0] == TCP_FIN_WAIT2:
            return (
                struct.unpack_from("=Q", info, TCPI_BYTES_SENT)[0],
                struct.unpack_from("=Q", info, TCPI_BYTES_RETRANS)[0],
            )
        time.sleep(0.001)


def transfer(server, client_of, total, size):
    """Sends total bytes in writes of a size; the client's port and bytes_of(). The receiver only reads, so that its state stays
    ESTABLISHED."""
    client = client_of()
    client.connect(server.getsockname())
    accepted, _ = server.accept()
    port = client.getsockname()[1]

    def send():
        block = memoryview(b"x" * size)
        left = total
        while left:
            left -= client.send(block[: min(left, size)])
        client.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    got = 0
    while data := accepted.recv(1 << 20):
        got += len(data)
    sender.join()
    told = bytes_of(client)
    client.close()
    accepted.close()
    assert got == total
    return port, total, told


def tcp(what, family, address, from_ns, to_ns):
    version = 4 if family == socket.AF_INET else 6
    server = make_socket(to_ns, family, socket.SOCK_STREAM)
    server.bind((address, 0))
    server.listen(8)
    program = re.sub("|".join(WORDS[version]), lambda m: WORDS[version][m.group()], TCP)
    tracing = Tracing(program, server.getsockname()[1])
    judged, disturbed, wrong = [], [], []
    for total, size in SIZES:
        made, quiet = undisturbed(
            lambda: transfer(server, lambda: make_socket(from_ns, family, socket.SOCK_STREAM), total, size)
        )
        judged += made[-1:] if quiet else []
        disturbed += made[:-1] if quiet else made
        if not quiet:
            wrong.append(f"{total} bytes: process 1 ran in each of {len(made)} transfers")
    server.close()
    sums = tracing.end()
    if sums.get("init"):  # programs run in it
        judged, wrong = judged + disturbed, []
    for port, total, (sent, retransmitted) in judged:
        got = {kind: sums.get(kind, {}).get(port, 0) for kind in ("send", "receive", "again", "isend", "ireceive")}
        want = {"send": total, "receive": total, "again": retransmitted, "isend": sent, "ireceive": sent}
        if got != want or sent != total + retransmitted:
            wrong.append(f"{got} instead of {want}, {total} bytes")
    live.check(
        not wrong, f"TCP over {what}, IPv{version}: bytes of {len(SIZES)} transfers", "\n".join(wrong) + tracing.err
    )
    print(f"# judged: {len(judged)} of {len(judged if sums.get('init') else judged + disturbed)} transfers")
    live.check(
        list(sums.get("same", {})) == [1],
        f"TCP over {what}, IPv{version}: ipv{version} has the same length",
        str(sums.get("same")),
    )
    return sums.get("largest", {}).get(0, 0)


def udp(what, family, address, from_ns, to_ns):
    version = 4 if family == socket.AF_INET else 6
    server = make_socket(to_ns, family, socket.SOCK_DGRAM)
    server.bind((address, 0))
    client = make_socket(from_ns, family, socket.SOCK_DGRAM)
    client.connect(server.getsockname())

    def run():
        tracing = Tracing(UDP, server.getsockname()[1])
        before = runs_of_init()
        total = 0
        for size in (1, 700, 30_000, 60_000):  # the larger ones are fragments on a device of 1,500 bytes
            total += client.send(b"y" * size)
            server.recv(65536)
        client.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1000)
        total += client.send(b"z" * 20_000)  # 20 datagrams, one packet as far as the device
        client.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
        for _ in range(20):
            server.recv(65536)
        quiet = runs_of_init() == before
        sums = tracing.end()
        return quiet or "init" in sums, total, {k: v[0] for k, v in sums.items() if k != "init"}, tracing.err

    judge = False
    for _ in range(ATTEMPTS):
        judge, total, got, err = run()
        if judge:
            break
    live.check(
        judge and got == {"send": total, "receive": total},
        f"UDP over {what}, IPv{version}: {total} bytes",
        str(got) + err + ("" if judge else f"process 1 ran in each of {ATTEMPTS} transfers"),
    )
    server.close()
    client.close()


def ip(ns, *args, may_fail=False):
    subprocess.run(
        ["ip", *args],
        check=not may_fail,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if may_fail else None,
        preexec_fn=lambda: enter(ns),
    )


def pair():
    """Two namespaces and a veth pair between them."""
    a, b = make_namespace(), make_namespace()
    ip(a, "link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", f"/proc/{os.getpid()}/fd/{b}")
    for ns, dev, n in ((a, "va", 1), (b, "vb", 2)):
        ip(ns, "addr", "add", f"10.77.0.{n}/24", "dev", dev)
        ip(ns, "addr", "add", f"fd77::{n}/64", "dev", dev, "nodad")
        ip(ns, "link", "set", dev, "up")
    return a, b


for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    try:
        socket.socket(family).bind((address, 0))
    except OSError as e:
        print(f"# {address}: {e}")
        continue
    tcp("the loopback device", family, address, None, None)
    udp("the loopback device", family, address, None, None)
if not shutil.which("ip"):
    print("# no ip(8) here: no veth pair")
    live.done()
    sys.exit()
a, b = pair()
for family, address in ((socket.AF_INET, "10.77.0.2"), (socket.AF_INET6, "fd77::2")):
    tcp("a veth pair", family, address, a, b)
    udp("a veth pair", family, address, a, b)
# BIG TCP: packets of up to 180,000 bytes.
for ns, dev in ((a, "va"), (b, "vb")):
    ip(ns, "link", "set", dev, "gso_max_size", "180000", "gro_max_size", "180000", may_fail=True)
    ip(ns, "link", "set", dev, "gso_ipv4_max_size", "180000", "gro_ipv4_max_size", "180000", may_fail=True)
for family, address in ((socket.AF_INET6, "fd77::2"), (socket.AF_INET, "10.77.0.2")):
    largest = tcp("a veth pair that takes large packets", family, address, a, b)
    print(f"# largest: {largest} bytes")
live.done()
