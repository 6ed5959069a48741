/* A built-in variable is read once in a program; the predicate comes first. */
syscall::write:entry /pid == 7/ { @a[pid, tid] = sum(pid); }
syscall::write:entry /pid == 7/ { @b = max(tid); }
