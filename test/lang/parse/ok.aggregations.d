BEGIN {
	@ = count();
	@a = sum(x);
	@a[pid, execname, stack()] = quantize(arg0);
	@a[1] = lquantize(x, 0, 10, 1);
	(@a = count());
	@a = 1;
	x = @a;
	printa("%@d", @a, @b);
	clear(@a);
}
