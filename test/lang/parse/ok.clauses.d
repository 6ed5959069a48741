BEGIN { }
BEGIN,
END
syscall::read*:entry, io:::start
/execname == "postgres"/
{
	trace(1);
}
BEGIN { trace(1); trace(2) }
BEGIN { ;; trace(1);; }
tick-1sec, profile:::profile-997, pid$target:::entry, 123, pid$target:libc:malloc*:return { }
syscall:::/pid == $pid/{ }
END
