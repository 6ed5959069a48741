/* A record is written in place: no copy, no zeroing of what is written. */
syscall::read:entry { printf("%d %d\n", pid, arg2); }
