/* One lookup per firing, no record, the count inline. */
syscall::read:entry { @[execname] = count(); }
