/* Constants are folded, a false predicate leaves nothing. */
syscall::read:entry /0/ { @never = count(); }
syscall::read:entry { x = (3 + 4) * 2 - 14 ? 1 : 5; }
