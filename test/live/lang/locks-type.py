# SPDX-License-Identifier: Apache-2.0
"""mutex_*() and rw_*() refuse pointers to structs that are not such locks."""
import live

for call, want in (
    ("mutex_owned(&curthread->mm->mmap_lock)", "struct mutex *"),
    ("rw_write_held(curthread->mm)", "rwlock_t *"),
):
    r = live.dwell("-n", "BEGIN { trace(%s); exit(0); }" % call)
    live.same(r.returncode, 1, call + " exit code")
    live.check("argument #1 is incompatible with prototype:\n\tprototype: " + want in r.stderr, call, r.stderr)
live.done()
