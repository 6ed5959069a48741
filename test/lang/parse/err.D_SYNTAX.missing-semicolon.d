BEGIN {
	trace(1)
	trace(2);
	trace(3) }
