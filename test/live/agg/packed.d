/* SPDX-License-Identifier: Apache-2.0 */
/* -x agghist: bars over the keys; -x aggpack: a distribution in a line; both changed by setopt().
 * @options: -q -x agghist -x aggpack -x encoding=ascii */
BEGIN
{
	@c["abc"] = count();
	@s[1, "x"] = sum(5);
	@s[2, "y"] = sum(-3);
	@q["one"] = quantize(4);
	@q["two"] = quantize(-3);
	@l[1] = lquantize(5, 0, 10, 1);
	@l[2] = lquantize(50, 0, 10, 1);
	@plain[1] = max(3);
	@d = quantize(7, -2);
}
BEGIN { @c["abc"] = count(); @c["d"] = count(); @q["one"] = quantize(5); @q["one"] = quantize(100); }
BEGIN { @d = quantize(1, 5); normalize(@s, 2); }
BEGIN { printa(@c); printa(@s); printa(@q); printa(@l); printa(@plain); printa(@d); printa(@c, @c); }
BEGIN { setopt("encoding", "utf8"); printa(@c); printa(@q); }
BEGIN { setopt("agghist", "unset"); printa(@c); setopt("encoding", "latin1"); exit(0); }
