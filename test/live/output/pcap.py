# SPDX-License-Identifier: Apache-2.0
"""pcap(): datagrams of the loopback device in files that libpcap reads, as a dump, and as JSON."""
import json
import os
import struct
import time
import live

PORT, N = 47131, 3
# Those of the trigger: 20 + 8 + 50 bytes behind 14 of Ethernet
SEND = f"ip:::send /args[2]->ip_plength == 58 && args[4]->ipv4_protocol == IPPROTO_UDP/"
PACKET = "pcap((struct sk_buff *)arg0, PCAP_ETHER);"


def run(program, *options):
    return live.dwell("-wq", *options, "-n", program, "-c", f"{live.TRIGGER} udp {PORT} {N}")


def packets(path):
    with open(path, "rb") as f:
        data = f.read()
    head = struct.unpack("<IHHiIII", data[:24])
    data, found = data[24:], []
    while data:
        sec, usec, caplen, length = struct.unpack("<IIII", data[:16])
        found.append((sec + usec / 1e6, length, data[16 : 16 + caplen]))
        data = data[16 + caplen :]
    return head, found


def ours(found):
    return [p for p in found if p[2][14:15] == b"\x45" and p[2][36:38] == struct.pack(">H", PORT)]


file = os.path.join(live.WORK, "all.pcap")
r = run(f'BEGIN {{ freopen("{file}"); }} {SEND} {{ {PACKET} }}')
head, found = packets(file)
live.same(head[:3] + head[6:], (0xA1B2C3D4, 2, 4, 1), "head of the file")
live.same([(p[1], len(p[2])) for p in ours(found)], [(92, 92)] * N, "packets, whole")
live.check(all(abs(p[0] - time.time()) < 60 for p in found) and r.stderr == "", "their times", found)

r = run(f'{SEND} {{ freopen("{file}"); {PACKET} freopen(""); printf("x"); }}', "-x", "pcapsize=40")
more = ours(packets(file)[1])
live.same([(p[1], len(p[2])) for p in more], [(92, 92)] * N + [(92, 40)] * N, "added to a file, cut by -x pcapsize")

r = run(f'BEGIN {{ freopen("{file}"); }} {SEND} {{ pcap((struct sk_buff *)arg0, PCAP_IP); }}')
live.check("has packets of link type 1, not 101" in r.stderr, "another link type", r.stderr)
raw = os.path.join(live.WORK, "raw.pcap")
r = run(f'{SEND} {{ freopen("{raw}"); pcap((struct sk_buff *)arg0, PCAP_IP); }}', "-x", "pcapsize=40")
head, found = packets(raw)
live.same(
    (head[6], [(p[1], len(p[2]), p[2][0], p[2][22:24]) for p in found if p[2][22:24] == struct.pack(">H", PORT)]),
    (101, [(78, 40, 0x45, struct.pack(">H", PORT))] * N),
    "PCAP_IP begins with the header of IP",
)
text = os.path.join(live.WORK, "text")
with open(text, "w", encoding="utf-8") as f:
    f.write("no packets\n")
r = run(f'BEGIN {{ freopen("{text}"); }} {SEND} {{ {PACKET} }}')
live.check(f"{text} is not a file of packets" in r.stderr, "a file of something else", r.stderr)

r = run(f"{SEND} {{ {PACKET} }}")
live.check("        10: 00 4e" in r.stdout, "without a file: a dump", r.stdout + r.stderr)
r = live.dwell("-q", "-n", "BEGIN { pcap(NULL, PCAP_ETHER); } BEGIN { exit(0); }")
live.check("invalid address (0x0) in action #1" in r.stderr and r.stdout == "\n", "no packet", r.stdout + r.stderr)
r = run(f"{SEND} {{ {PACKET} }}", "--json")
events = [e["output"][0] for e in map(json.loads, r.stdout.splitlines()) if e["type"] == "event" and e["output"]]
live.check(
    len(events) >= N
    and all(
        e["action"] == "pcap" and e["linktype"] == 1 and e["length"] == 92 and len(e["value"]["bytes"]) == 184
        for e in events
    ),
    "JSON",
    r.stdout + r.stderr,
)
for size in ("0", "16385", "x"):
    r = live.dwell("-x", f"pcapsize={size}", "-n", "BEGIN { exit(0); }")
    live.check(r.returncode == 1 and "pcapsize" in r.stderr, f"-x pcapsize={size}", r.stderr)
r = live.dwell("-q", "-x", "pcapsize=16384", "-n", f"{SEND} {{ {PACKET} }} tick-1 {{ exit(0); }}")
live.check(r.returncode == 0, "-x pcapsize=16384", r.stderr)
live.done()
