# SPDX-License-Identifier: Apache-2.0
"""dwell hardware: the devices of this machine beside sysfs; the list of Debian's newest kernel in the guests' cache beside modinfo."""
import glob
import json
import os
import re
import shutil
import subprocess

import live

BUSES = ("pci", "usb", "virtio", "acpi")
rows = [json.loads(l) for l in live.dwell("hardware", "--json").stdout.splitlines()]
there = {
    (b, os.path.basename(p))
    for b in BUSES
    for p in glob.glob(f"/sys/bus/{b}/devices/*")
    if os.path.exists(p + "/modalias") and open(p + "/modalias", encoding="ascii").read().strip()
}
live.same({(x["bus"], x["device"]) for x in rows}, there, "all devices that say what they are")
for x in rows:
    path = f"/sys/bus/{x['bus']}/devices/{x['device']}"
    link = next((p for p in (path + "/driver", path + "/physical_node/driver") if os.path.islink(p)), None)
    live.same(x["driver"], os.path.basename(os.readlink(link)) if link else None, x["device"] + ": its driver")
    live.check((x["state"] == "driven") == bool(link), x["device"] + ": its state", x)
out = live.dwell("hardware").stdout
live.check(
    re.search(
        rf"(^|\n){len(rows)} devices: \d+ have a driver, for \d+ there is a module, \d+ have none\n(the list of modules cannot be read: .*\n)?$",
        out,
    ),
    "as a table",
    out,
)
for args, words in (
    (["--list", "--kernel", "/no/such"], "cannot read /no/such/modules.alias"),
    (["--html", "x"], "--html goes with --list"),
    (["x"], "'x'"),
    (["--list", "--json", "--html", "x"], "one of --html and --json"),
):
    r = live.dwell("hardware", *args)
    live.check(r.returncode in (1, 2) and words in r.stderr, f"hardware {args}", r.stderr)

# A part of the kernel's tree, as depmod would install it.
cache = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "dwell-vm/k")
trees = sorted(
    glob.glob(cache + "/*/usr/lib/modules/*/kernel/drivers/virtio")
    + glob.glob(cache + "/*/lib/modules/*/kernel/drivers/virtio")
)
if not trees or not all(map(shutil.which, ("depmod", "modinfo"))):
    print("# no list is compared: no kernel in the guests' cache (test/vm/vm-fetch), or no kmod")
else:
    drivers = os.path.dirname(trees[-1])
    version = drivers.split("/")[-3]
    folder = f"{live.WORK}/hw/lib/modules/{version}"
    files = []
    for part in ("char", "virtio", "input"):
        if os.path.isdir(f"{drivers}/{part}"):
            shutil.copytree(f"{drivers}/{part}", f"{folder}/kernel/{part}")
    for f in glob.glob(os.path.dirname(os.path.dirname(drivers)) + "/modules.*"):
        shutil.copy(f, folder)
    for where, _, names in os.walk(folder + "/kernel"):
        files += [os.path.join(where, n) for n in names if ".ko" in n]
    subprocess.run(["depmod", "-b", live.WORK + "/hw", version], check=True, capture_output=True)
    said = subprocess.run(["modinfo", "-F", "alias", *files], check=True, capture_output=True, text=True).stdout.split()
    want = sorted({a for a in said if re.match(r"(pci|usb|virtio):|acpi\*?:", a)})
    text = live.dwell("hardware", "--list", "--json", "--kernel", folder).stdout
    got = [json.loads(l) for l in text.splitlines()]
    live.same(sorted({x["alias"] for x in got if not x["builtin"]}), want, "what modinfo says")
    live.check(len(want) > 3, "some devices", want)
    live.check(
        any(x["builtin"] for x in got) or not os.path.exists(folder + "/modules.builtin.modinfo"),
        "those of the kernel itself",
        len(got),
    )
    r = live.dwell("hardware", "--list", "--kernel", folder, "--html", live.WORK + "/hw.html")
    page = open(live.WORK + "/hw.html", encoding="utf-8").read()
    rows = json.loads(re.search(r",rows=(\[\[.*\]\]);\n", page).group(1))
    live.same((r.returncode, len(rows)), (0, len(got)), "the page has all of them")
    live.check(
        f'const title="Hardware of Linux {version}"' in page and not re.search(r'(src|href)="', page),
        "and needs nothing else",
    )
live.done()
